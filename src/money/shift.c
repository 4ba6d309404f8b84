/* Shifts: one drawer per terminal, opened, filled and emptied. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/param.h"
#include "money/shift_internal.h"

/* Found without a lock and then locked by its id: locks on the unique key of open shifts would stay on what was closed
 * there before, and those who open the next one would only deadlock on them. */
DB_QUERY(q_find, "shift.find", DB_ROW, "SELECT id FROM shift WHERE open_terminal = :terminal");
/* Shared: sales at one terminal do not wait for each other, and a close waits for all of them. */
DB_QUERY(q_share, "shift.share", DB_ROW, "SELECT id FROM shift WHERE id = :id AND status = 'OPEN' LOCK IN SHARE MODE");
DB_QUERY(q_lock, "shift.lock", DB_ROW, "SELECT id FROM shift WHERE id = :id AND status = 'OPEN' FOR UPDATE");
DB_QUERY(q_of_code, "shift.of_code", DB_ROW,
         "SELECT s.id FROM payment_record p JOIN shift s ON s.open_terminal = p.terminal "
         "WHERE p.id = :id AND p.operator IS NOT NULL");
/* Where another session opens it in the same moment this waits and changes nothing. */
DB_QUERY(q_open, "shift.open", DB_NONE,
         "INSERT INTO shift (terminal, status, opened_by, opened_at, opening) "
         "VALUES (:terminal, 'OPEN', :operator, NOW(), :opening) ON DUPLICATE KEY UPDATE version = version");
DB_QUERY(q_newest, "shift.newest", DB_ROW,
         "SELECT id FROM shift WHERE terminal = :terminal ORDER BY opened_at DESC, id DESC LIMIT 1");
DB_QUERY(q_hold, "shift.hold", DB_ROW, "SELECT id FROM shift WHERE id = :id FOR UPDATE");
DB_QUERY(q_last, "shift.last", DB_ROW,
         "SELECT s.id, COALESCE(s.float_left, 0), s.closed_at, COALESCE(o.display_name, s.closed_by) FROM shift s "
         "LEFT JOIN operator_account o ON o.name = s.closed_by "
         "WHERE s.terminal = :terminal AND s.status = 'CLOSED' ORDER BY s.opened_at DESC, s.id DESC LIMIT 1");
DB_QUERY(q_move, "shift.move", DB_NONE,
         "INSERT INTO shift_cash (shift_id, amount, reason, operator, request_key, created_at) "
         "VALUES (:shift, :amount, :reason, :operator, :key, NOW())");

/* An id, or 0 where no row came. */
static enum fd_code read_id(struct op *op, struct db_query *query, struct db_arg arg, int64_t *id, struct fd_error *err)
{
    struct db_rows *rows;
    *id = 0;
    enum fd_code code = db_select(op_db(op), query, &arg, 1, &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        *id = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

static struct db_arg here(struct op *op)
{
    return db_text("terminal", op_desk(op)->terminal);
}

/* Locks a shift that was found open. Where it was closed between the two the run begins again, without the lock that it
 * now has on what is closed: it would stand in the way of who opens the next. */
static enum fd_code lock_found(struct op *op, struct db_query *lock, int64_t *id, struct fd_error *err)
{
    if (*id == 0)
        return FD_OK;
    enum fd_code code = read_id(op, lock, db_int("id", *id), id, err);
    return code == FD_OK && *id == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

/* The open shift of this terminal, locked by `lock`; 0 where there is none. */
static enum fd_code find_open(struct op *op, struct db_query *lock, int64_t *id, struct fd_error *err)
{
    enum fd_code code = read_id(op, &q_find, here(op), id, err);
    return code == FD_OK ? lock_found(op, lock, id, err) : code;
}

/* *id 0 where another session was faster. */
static enum fd_code insert_shift(struct op *op, int64_t opening_fen, int64_t *id, struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    int64_t changed = 0;
    char opening[FEN_TEXT];
    *id = 0;
    enum fd_code code = db_exec(op_db(op), &q_open,
                                DB_ARGS(db_text("terminal", desk->terminal), db_text("operator", desk->operator),
                                        db_fen("opening", opening_fen)),
                                &changed, err);
    if (code != FD_OK || changed != 1)
        return code;
    *id = db_insert_id(op_db(op));
    op_log(op, &(struct log_entry){
                   .entity = "shift",
                   .entity_no = arena_printf(op_arena(op), "%" PRId64, *id),
                   .event = "open",
                   .state_after = "OPEN",
                   .after = arena_printf(op_arena(op), "{\"opening\":\"%s\"}", fen_decimal(opening_fen, opening))});
    return FD_OK;
}

/* Those who find no shift open take turns on the row of the last one. */
static enum fd_code wait_turn(struct op *op, int64_t *id, struct fd_error *err)
{
    int64_t newest;
    enum fd_code code = read_id(op, &q_newest, here(op), &newest, err);
    if (code == FD_OK && newest != 0)
        code = read_id(op, &q_hold, db_int("id", newest), &newest, err);
    return code == FD_OK ? find_open(op, &q_share, id, err) : code;
}

enum fd_code shift_of_in(struct op *op, int64_t *shift_id, struct fd_error *err)
{
    enum fd_code code = find_open(op, &q_share, shift_id, err);
    if (code == FD_OK && *shift_id == 0)
        code = wait_turn(op, shift_id, err);
    if (code == FD_OK && *shift_id == 0)
        code = insert_shift(op, 0, shift_id, err);
    if (code == FD_OK && *shift_id == 0)
        code = find_open(op, &q_share, shift_id, err);
    /* Opened and closed by others between the two statements. */
    return code == FD_OK && *shift_id == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

enum fd_code shift_of_code_in(struct op *op, int64_t payment_id, int64_t *shift_id, struct fd_error *err)
{
    enum fd_code code = read_id(op, &q_of_code, db_int("id", payment_id), shift_id, err);
    return code == FD_OK ? lock_found(op, &q_share, shift_id, err) : code;
}

enum fd_code shift_lock(struct op *op, int64_t *id, struct fd_error *err)
{
    return find_open(op, &q_lock, id, err);
}

struct last {
    int64_t id, left_fen; /* id 0: there was none */
    wall_t closed_at;
    const char *who;
};

static enum fd_code read_last(struct op *op, struct last *last, struct fd_error *err)
{
    struct db_rows *rows;
    *last = (struct last){.who = ""};
    enum fd_code code = db_select(op_db(op), &q_last, DB_ARGS(db_text("terminal", op_desk(op)->terminal)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows)) {
        last->id = db_get_int(rows, 0);
        last->left_fen = db_get_fen(rows, 1);
        last->closed_at = db_get_wall(rows, 2);
        last->who = text_clean_arena(op_arena(op), db_get_text(rows, 3));
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code shift_none_open(struct op *op, struct fd_error *err)
{
    struct last last;
    char at[WALL_TEXT];
    enum fd_code code = read_last(op, &last, err);
    if (code != FD_OK)
        return code;
    if (last.id == 0)
        return fd_fail(err, FD_REFUSED, _("No shift is open at %s."), op_desk(op)->terminal);
    return fd_fail(err, FD_REFUSED, _("Shift %lld of %s was closed by %s at %s; none is open."), (long long)last.id,
                   op_desk(op)->terminal, last.who, wall_sql(last.closed_at, at));
}

static void result_id(struct op *op, int64_t id)
{
    op_result(op, arena_printf(op_arena(op), "{\"id\":%" PRId64 "}", id));
}

/* Runs it; the id of the shift from the stored answer, so that a replay has the first one. */
static enum fd_code run_for_id(struct desk *desk, const struct op_spec *spec, void *arg, int64_t *id,
                               struct fd_error *err)
{
    char *result = NULL;
    enum fd_code code = op_run(desk, spec, arg, &result, NULL, err);
    if (code == FD_OK && id) {
        struct tree *tree = tree_parse(result);
        *id = tree ? tree_get_int(tree, "id") : 0;
        tree_free(&tree);
    }
    free(result);
    return code;
}

static enum fd_code refuse_open(struct op *op, int64_t id, struct fd_error *err)
{
    struct shift_full full = {0};
    char at[WALL_TEXT];
    enum fd_code code = shift_row(op_db(op), id, op_arena(op), &full, err);
    if (code != FD_OK)
        return code;
    return fd_fail(err, FD_REFUSED, _("Shift %lld of %s is open since %s (%s)."), (long long)id, full.sum.terminal,
                   wall_sql(full.sum.opened_at, at), full.sum.opened_by);
}

static enum fd_code open_apply(struct op *op, void *arg, struct fd_error *err)
{
    int64_t opening = *(int64_t *)arg, id;
    struct last last;
    enum fd_code code = wait_turn(op, &id, err);
    if (code == FD_OK && id != 0)
        return refuse_open(op, id, err);
    if (code == FD_OK && opening < 0) {
        code = read_last(op, &last, err);
        opening = last.left_fen;
    }
    if (code == FD_OK)
        code = insert_shift(op, opening, &id, err);
    if (code == FD_OK && id == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        result_id(op, id);
    return code;
}

enum fd_code shift_open(struct desk *desk, const char *key, int64_t opening_fen, int64_t *id, struct fd_error *err)
{
    char content[48];
    if (opening_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("float: this is too much."));
    fit_printf(content, "open\n%" PRId64, opening_fen < 0 ? -1 : opening_fen);
    struct op_spec spec = {.action = "shift.open", .key = key, .content = content, .apply = open_apply};
    return run_for_id(desk, &spec, &opening_fen, id, err);
}

static enum fd_code write_move(struct op *op, int64_t shift_id, int64_t fen, struct fd_error *err)
{
    char amount[FEN_TEXT];
    enum fd_code code =
        db_exec(op_db(op), &q_move,
                DB_ARGS(db_int("shift", shift_id), db_fen("amount", fen), db_text("reason", op_reason(op)),
                        db_text("operator", op_desk(op)->operator), db_text("key", op_key(op))),
                NULL, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){
                       .entity = "shift",
                       .entity_no = arena_printf(op_arena(op), "%" PRId64, shift_id),
                       .event = fen > 0 ? "in" : "out",
                       .after = arena_printf(op_arena(op), "{\"amount\":\"%s\"}", fen_decimal(fen, amount))});
    return code;
}

static enum fd_code cash_apply(struct op *op, void *arg, struct fd_error *err)
{
    int64_t fen = *(int64_t *)arg, id;
    enum fd_code code = shift_lock(op, &id, err);
    if (code == FD_OK && id == 0)
        code = shift_none_open(op, err);
    if (code == FD_OK && !op_reason(op))
        code = fd_fail(err, FD_REASON_NEEDED, NULL);
    if (code == FD_OK)
        code = write_move(op, id, fen, err);
    if (code == FD_OK)
        result_id(op, id);
    return code;
}

enum fd_code shift_cash(struct desk *desk, const char *key, int64_t fen, const char *reason, struct fd_error *err)
{
    char content[48], text[FEN_TEXT];
    int64_t most = 100 * param_get(desk, PARAM_CASH_MOVE_MOST);
    if (fen == 0)
        return fd_fail(err, FD_BAD_INPUT, _("amount: it must be above 0.00."));
    /* Never what the drawer holds: whoever will count it blind would find that out by trying. */
    if (fen > most || fen < -most)
        return fd_fail(err, FD_BAD_INPUT, _("amount: at most %s at once."), fen_text(most, text));
    fit_printf(content, "%" PRId64, fen);
    struct op_spec spec = {.action = fen > 0 ? "shift.in" : "shift.out",
                           .key = key,
                           .content = content,
                           .reason = reason,
                           .apply = cash_apply};
    return run_for_id(desk, &spec, &fen, NULL, err);
}
