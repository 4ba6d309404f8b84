/* A second person's approval: when one is needed, asking, deciding, using it once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "core/operator.h"
#include "core/param.h"
#include "money/approval.h"
#include "money/back.h"
#include "outside/tree.h"

/* What the approval is bound to besides its words: every payment of the order and what is gone of it. */
DB_QUERY(q_payments, "approval.payments", DB_ROWS,
         "SELECT p.id, a.amount, p.refunded_amount FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
         "WHERE a.order_no = :order_no AND p.status = 'SUCCESS' "
         "UNION ALL "
         "SELECT p.id, p.amount, p.refunded_amount FROM payment_record p WHERE p.order_no = :order_no "
         "AND p.status = 'SUCCESS' AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id) "
         "ORDER BY 1");
/* Two refunds of one operator at two terminals look at the day's sum one after the other. */
DB_QUERY(q_lock, "approval.lock", DB_ROW, "SELECT id FROM operator_account WHERE id = :id FOR UPDATE");
/* What was sent again counts once, with the first, which somebody decided on; not where nothing came of any of them. */
DB_QUERY(q_day, "approval.day", DB_VALUE,
         "SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.created_at >= CURDATE() "
         "AND r.operator = :operator AND r.first_id IS NULL AND r.approval_id IS NULL AND (r.status <> 'FAILED' "
         "OR r.owed = 1 OR EXISTS (SELECT 1 FROM refund_record n WHERE n.first_id = r.id "
         "AND (n.status <> 'FAILED' OR n.owed = 1)))");
DB_QUERY(q_insert, "approval.insert", DB_NONE,
         "INSERT INTO approval (action, entity_no, amount, reason, content_hash, requester, terminal, status, "
         "request_key, created_at) VALUES (:action, :entity_no, :amount, :reason, :hash, :requester, :terminal, "
         "'WAITING', :key, NOW())");
DB_QUERY(q_decide, "approval.decide", DB_NONE,
         "UPDATE approval SET status = :new, approver = :approver, approver_terminal = :terminal, decided_at = NOW() "
         "WHERE id = :id AND status = 'WAITING' AND requester <> :approver "
         "AND created_at > NOW() - INTERVAL :minutes MINUTE");
DB_QUERY(q_use, "approval.use", DB_NONE,
         "UPDATE approval SET status = 'USED', used_at = NOW() WHERE id = :id AND status = 'GRANTED' "
         "AND action = :action AND entity_no = :entity_no AND amount = :amount AND content_hash = :hash "
         "AND requester = :requester AND approver <> :requester "
         "AND created_at > NOW() - INTERVAL :minutes MINUTE");
#ifdef FD_TEETH
/* Whatever it was given for, and however often. */
DB_QUERY(
    q_use_any, "approval.use_any", DB_NONE,
    "UPDATE approval SET status = 'USED', used_at = NOW(), content_hash = IF(status = 'USED', :hash, content_hash), "
    "amount = :amount WHERE id = :id AND status IN ('GRANTED', 'USED') AND action = :action AND "
    ":entity_no = :entity_no AND :requester = :requester AND :minutes = :minutes");
#define Q_USE (FD_TOOTH("approval_content") ? &q_use_any : &q_use)
#else
#define Q_USE (&q_use)
#endif
#define ROW_COLUMNS                                                                                                    \
    "a.id, a.amount, TIMESTAMPDIFF(SECOND, NOW(), a.created_at + INTERVAL :minutes MINUTE), a.action, a.entity_no, "   \
    "a.reason, a.requester, a.terminal, a.status, a.approver, a.created_at, a.content_hash"
DB_QUERY(q_show, "approval.show", DB_ROW, "SELECT " ROW_COLUMNS " FROM approval a WHERE a.id = :id");
DB_QUERY(q_open, "approval.open", DB_ROWS,
         "SELECT " ROW_COLUMNS " FROM approval a WHERE a.status IN ('WAITING', 'GRANTED') "
         "AND a.created_at > NOW() - INTERVAL :minutes MINUTE ORDER BY a.id LIMIT 200");
DB_QUERY(q_all, "approval.all", DB_ROWS, "SELECT " ROW_COLUMNS " FROM approval a ORDER BY a.id DESC LIMIT 200");

#define REASON_CHARS 255
#define NO_LIMIT     (-1)

static const struct limits {
    enum role role;
    enum param refund, refund_day, price;
} limits[] = {
    {ROLE_CLERK, PARAM_REFUND_LIMIT_CLERK, PARAM_REFUND_DAY_LIMIT_CLERK, PARAM_PRICE_LIMIT_CLERK},
    {ROLE_FINANCE, PARAM_REFUND_LIMIT_FINANCE, PARAM_REFUND_DAY_LIMIT_FINANCE, PARAM_PRICE_LIMIT_FINANCE},
};

static enum fd_code content_hash(struct db *db, const struct approval_wish *wish, char hash[65], struct fd_error *err)
{
    struct db_rows *rows;
    struct buf text = {0};
    buf_printf(&text, "%s\n%s\n%" PRId64 "\n%s\n%" PRId64 "\n", wish->action, wish->order_no, wish->amount_fen,
               wish->reason, wish->total_fen);
    enum fd_code code = db_select(db, &q_payments, DB_ARGS(db_text("order_no", wish->order_no)), &rows, err);
    if (code == FD_OK) {
        while (db_next(rows))
            buf_printf(&text, "%" PRId64 " %" PRId64 " %" PRId64 "\n", db_get_int(rows, 0), db_get_fen(rows, 1),
                       db_get_fen(rows, 2));
        db_rows_close(&rows);
        sha256_hex(buf_text(&text), text.bytes, hash);
    }
    buf_release(&text);
    return code;
}

/* Limits ---------------------------------------------------------------------------------------------- */

static bool above(struct desk *desk, enum param param, int64_t fen, int64_t *limit_fen)
{
    int64_t yuan = param_get(desk, param);
    *limit_fen = yuan * 100;
    return yuan != NO_LIMIT && fen > *limit_fen;
}

/* Why an approval is needed, translated; NULL: none is. */
static enum fd_code why_needed(struct op *op, const struct approval_wish *wish, int64_t change_fen, const char **why,
                               struct fd_error *err)
{
    struct desk *desk = op_desk(op);
    const struct limits *mine = NULL;
    char limit[FEN_TEXT], sum[FEN_TEXT];
    int64_t limit_fen, day_fen = 0;
    struct db_rows *rows = NULL;
    const char *text = NULL;
    *why = NULL;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].role == desk->role)
            mine = &limits[i];
    if (!mine)
        return FD_OK;
    if (above(desk, mine->price, change_fen, &limit_fen))
        *why = arena_printf(op_arena(op), _("A price change by more than %s needs a second person's approval."),
                            fen_text(limit_fen, limit));
    else if (wish->back_fen > 0 && above(desk, mine->refund, wish->back_fen, &limit_fen))
        *why = arena_printf(op_arena(op), _("Giving back %s, more than %s, needs a second person's approval."),
                            fen_text(wish->back_fen, sum), fen_text(limit_fen, limit));
    if (*why || wish->back_fen == 0 || param_get(desk, mine->refund_day) == NO_LIMIT)
        return FD_OK;
    enum fd_code code = FD_OK;
    if (!FD_TOOTH("approval_lock"))
        code = db_select(op_db(op), &q_lock, DB_ARGS(db_int("id", desk->operator_id)), &rows, err);
    if (code != FD_OK)
        return code;
    db_rows_close(&rows);
    code = db_value_text(op_db(op), &q_day, DB_ARGS(db_text("operator", desk->operator)), op_arena(op), &text, err);
    if (code == FD_OK && text)
        FD_ASSERT(fen_from_decimal(text, &day_fen));
    if (code == FD_OK && above(desk, mine->refund_day, day_fen + wish->back_fen, &limit_fen))
        *why = arena_printf(op_arena(op),
                            _("With the %s that you gave back today this is more than %s: it needs a second person's "
                              "approval."),
                            fen_text(day_fen, sum), fen_text(limit_fen, limit));
    return code;
}

static enum fd_code needed(const struct approval_wish *wish, const char *why, struct fd_error *err)
{
    char amount[FEN_TEXT];
    if (!wish->reason || !wish->reason[0]) {
        fd_fail(err, FD_REASON_NEEDED, "%s", why);
        fd_hint(err, _("Write why (--reason); then ask for the approval."));
        return FD_REASON_NEEDED;
    }
    fd_fail(err, FD_APPROVAL, "%s", why);
    fd_hint(err, _("Ask: frontdesk approve ask %s %s --amount %s --reason …; then do the same with --approval."),
            wish->action, wish->order_no, fen_decimal(wish->amount_fen, amount));
    return FD_APPROVAL;
}

/* Reading --------------------------------------------------------------------------------------------- */

static void read_row(const struct db_rows *rows, struct arena *arena, struct approval_row *row)
{
    int64_t left = db_get_int(rows, 2);
    *row = (struct approval_row){
        .id = db_get_int(rows, 0),
        .amount_fen = db_get_fen(rows, 1),
        .left_s = left > 0 ? left : 0,
        .action = text_clean_arena(arena, db_get_text(rows, 3)),
        .order_no = text_clean_arena(arena, db_get_text(rows, 4)),
        .reason = text_clean_arena(arena, db_get_text(rows, 5)),
        .requester = text_clean_arena(arena, db_get_text(rows, 6)),
        .terminal = text_clean_arena(arena, db_get_text(rows, 7)),
        .status = text_clean_arena(arena, db_get_text(rows, 8)),
        .approver = text_clean_arena(arena, db_get_text(rows, 9)),
        .created_at = db_get_wall(rows, 10),
    };
}

static enum fd_code read_one(struct db *db, int64_t id, int64_t minutes, struct arena *arena, struct approval_row **row,
                             struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_show, DB_ARGS(db_int("minutes", minutes), db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    *row = NULL;
    if (db_next(rows)) {
        *row = arena_alloc(arena, sizeof **row);
        read_row(rows, arena, *row);
    }
    db_rows_close(&rows);
    return *row ? FD_OK : fd_fail(err, FD_NOT_FOUND, _("There is no approval #%" PRId64 "."), id);
}

struct reading {
    int64_t id, minutes;
    bool all;
    struct arena *arena;
    struct approval_row *rows;
    size_t count;
};

static enum fd_code list_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    struct db_rows *rows;
    enum fd_code code =
        db_select(db, reading->all ? &q_all : &q_open, DB_ARGS(db_int("minutes", reading->minutes)), &rows, err);
    if (code != FD_OK)
        return code;
    reading->rows = arena_array(reading->arena, db_row_count(rows) + 1, sizeof *reading->rows);
    reading->count = 0;
    while (db_next(rows))
        read_row(rows, reading->arena, &reading->rows[reading->count++]);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code approval_list(struct desk *desk, bool all, struct arena *arena, struct approval_row **rows, size_t *count,
                           struct fd_error *err)
{
    struct reading reading = {.minutes = param_get(desk, PARAM_APPROVAL_MINUTES), .all = all, .arena = arena};
    enum fd_code code = desk_read(desk, "approval.list", list_txn, &reading, err);
    *rows = reading.rows;
    *count = reading.count;
    return code;
}

static enum fd_code show_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    return read_one(db, reading->id, reading->minutes, reading->arena, &reading->rows, err);
}

enum fd_code approval_show(struct desk *desk, int64_t id, struct arena *arena, struct approval_row **row,
                           struct fd_error *err)
{
    struct reading reading = {.id = id, .minutes = param_get(desk, PARAM_APPROVAL_MINUTES), .arena = arena};
    enum fd_code code = desk_read(desk, "approval.show", show_txn, &reading, err);
    *row = reading.rows;
    return code;
}

/* Using ----------------------------------------------------------------------------------------------- */

static enum fd_code explain_use(struct op *op, int64_t id, int64_t minutes, struct fd_error *err)
{
    struct approval_row *row;
    enum fd_code code = read_one(op_db(op), id, minutes, op_arena(op), &row, err);
    if (code != FD_OK)
        return code;
    if (strcmp(row->status, "WAITING") == 0)
        code = fd_fail(err, FD_APPROVAL, _("Approval #%" PRId64 " waits for the second person."), id);
    else if (strcmp(row->status, "DENIED") == 0)
        code = fd_fail(err, FD_APPROVAL, _("Approval #%" PRId64 " was denied by %s."), id, row->approver);
    else if (strcmp(row->status, "USED") == 0)
        code = fd_fail(err, FD_APPROVAL, _("Approval #%" PRId64 " was used already."), id);
    else if (row->left_s == 0)
        code = fd_fail(err, FD_APPROVAL, _("Approval #%" PRId64 " is too old; it is valid for %" PRId64 " minutes."),
                       id, minutes);
    else
        code = fd_fail(err, FD_APPROVAL, _("Approval #%" PRId64 " is for something else, or for other payments."), id);
    fd_hint(err, _("Ask for a new one."));
    return code;
}

enum fd_code approval_use_in(struct op *op, const struct approval_wish *wish, int64_t change_fen, int64_t approval_id,
                             struct fd_error *err)
{
    struct desk *desk = op_desk(op);
    int64_t minutes = param_get(desk, PARAM_APPROVAL_MINUTES), changed = 0;
    char hash[65];
    const char *why = NULL;
    if (approval_id == 0) {
        enum fd_code code = why_needed(op, wish, change_fen, &why, err);
        return code == FD_OK && why ? needed(wish, why, err) : code;
    }
    if (!wish->reason || !wish->reason[0])
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    enum fd_code code = content_hash(op_db(op), wish, hash, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), Q_USE,
                       DB_ARGS(db_int("id", approval_id), db_text("action", wish->action),
                               db_text("entity_no", wish->order_no), db_fen("amount", wish->amount_fen),
                               db_text("hash", hash), db_text("requester", desk->operator), db_int("minutes", minutes)),
                       &changed, err);
    if (code != FD_OK)
        return code;
    if (changed == 0)
        return explain_use(op, approval_id, minutes, err);
    op_log(op, &(struct log_entry){.entity = "approval",
                                   .entity_no = arena_printf(op_arena(op), "%" PRId64, approval_id),
                                   .event = "use",
                                   .state_before = "GRANTED",
                                   .state_after = "USED"});
    return FD_OK;
}

/* Asking ---------------------------------------------------------------------------------------------- */

struct asking {
    struct approval_wish wish;
    int64_t id;
};

static enum fd_code whole_wish(struct op *op, struct approval_wish *wish, struct fd_error *err)
{
    struct order *order;
    int64_t left;
    bool known;
    enum fd_code code = order_find(op_db(op), wish->order_no, op_arena(op), &order, err);
    if (code != FD_OK)
        return code;
    wish->order_no = order->order_no;
    wish->reason = op_reason(op);
    wish->total_fen = strcmp(wish->action, "price") == 0 ? order->total_fen : 0;
    if (wish->amount_fen >= 0)
        return FD_OK;
    code = back_left(op_db(op), order, op_arena(op), &left, &known, err);
    wish->amount_fen = left;
    return code;
}

static enum fd_code ask_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct asking *asking = arg;
    struct approval_wish wish = asking->wish;
    const struct desk *desk = op_desk(op);
    char hash[65], amount[FEN_TEXT];
    if (!op_reason(op))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    enum fd_code code = whole_wish(op, &wish, err);
    if (code == FD_OK)
        code = content_hash(op_db(op), &wish, hash, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_insert,
                       DB_ARGS(db_text("action", wish.action), db_text("entity_no", wish.order_no),
                               db_fen("amount", wish.amount_fen), db_text("reason", wish.reason), db_text("hash", hash),
                               db_text("requester", desk->operator), db_text("terminal", desk->terminal),
                               db_text("key", op_key(op))),
                       NULL, err);
    if (code != FD_OK)
        return code;
    int64_t id = db_insert_id(op_db(op));
    op_log(op, &(struct log_entry){
                   .entity = "approval",
                   .entity_no = arena_printf(op_arena(op), "%" PRId64, id),
                   .event = "ask",
                   .state_after = "WAITING",
                   .after = arena_printf(op_arena(op), "{\"action\":\"%s\",\"order_no\":\"%s\",\"amount\":\"%s\"}",
                                         wish.action, wish.order_no, fen_decimal(wish.amount_fen, amount))});
    op_result(op, arena_printf(op_arena(op), "{\"id\":%" PRId64 "}", id));
    return FD_OK;
}

enum fd_code approval_ask(struct desk *desk, const char *key, const struct approval_wish *wish, int64_t *id,
                          struct fd_error *err)
{
    struct arena arena = {0};
    struct asking asking = {.wish = *wish};
    char *json = NULL;
    if (!wish->reason || !wish->reason[0])
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    FD_ASSERT(strcmp(wish->action, "price") == 0 || strcmp(wish->action, "refund") == 0);
    const struct op_spec spec = {.action = "approve.ask",
                                 .key = key,
                                 .content = arena_printf(&arena, "%s\n%s\n%" PRId64 "\n%s", wish->action,
                                                         wish->order_no, wish->amount_fen, wish->reason),
                                 .reason = wish->reason,
                                 .apply = ask_apply};
    enum fd_code code = op_run(desk, &spec, &asking, &json, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(json);
        *id = tree_get_int(tree, "id");
        tree_free(&tree);
    }
    free(json);
    arena_release(&arena);
    return code;
}

/* Deciding -------------------------------------------------------------------------------------------- */

struct deciding {
    int64_t id;
    bool grant;
};

static enum fd_code explain_decide(struct op *op, int64_t id, int64_t minutes, struct fd_error *err)
{
    struct approval_row *row;
    enum fd_code code = read_one(op_db(op), id, minutes, op_arena(op), &row, err);
    if (code != FD_OK)
        return code;
    if (text_same(row->requester, op_desk(op)->operator))
        return fd_fail(err, FD_NO_PERMISSION, _("You asked for approval #%" PRId64 " yourself; somebody else decides."),
                       id);
    if (strcmp(row->status, "WAITING") != 0)
        return fd_fail(err, FD_REFUSED, _("Approval #%" PRId64 " is decided already, by %s."), id, row->approver);
    return fd_fail(err, FD_REFUSED, _("Approval #%" PRId64 " is too old; it is valid for %" PRId64 " minutes."), id,
                   minutes);
}

static enum fd_code decide_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct deciding *deciding = arg;
    const struct desk *desk = op_desk(op);
    const char *status = deciding->grant ? "GRANTED" : "DENIED";
    int64_t minutes = param_get(op_desk(op), PARAM_APPROVAL_MINUTES), changed = 0;
    enum fd_code code =
        db_exec(op_db(op), &q_decide,
                DB_ARGS(db_text("new", status), db_text("approver", desk->operator),
                        db_text("terminal", desk->terminal), db_int("id", deciding->id), db_int("minutes", minutes)),
                &changed, err);
    if (code == FD_OK && changed == 0)
        code = explain_decide(op, deciding->id, minutes, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){.entity = "approval",
                                       .entity_no = arena_printf(op_arena(op), "%" PRId64, deciding->id),
                                       .event = deciding->grant ? "grant" : "deny",
                                       .state_before = "WAITING",
                                       .state_after = status});
    return code;
}

enum fd_code approval_decide(struct desk *desk, const char *key, int64_t id, bool grant, struct fd_error *err)
{
    char content[48];
    struct deciding deciding = {.id = id, .grant = grant};
    fit_printf(content, "%" PRId64 " %d", id, grant);
    const struct op_spec spec = {
        .action = grant ? "approve.grant" : "approve.deny", .key = key, .content = content, .apply = decide_apply};
    return op_run(desk, &spec, &deciding, NULL, NULL, err);
}

/* Who sits at the desk, kept while another person signs. */
struct seat {
    int64_t operator_id;
    char operator[NAME_BYTES], label[DISPLAY_BYTES], run_id[KEY_BYTES];
    enum role role;
};

static void seat_keep(const struct desk *desk, struct seat *seat)
{
    seat->operator_id = desk->operator_id;
    seat->role = desk->role;
    cut_copy(seat->operator, sizeof seat->operator, desk->operator);
    cut_copy(seat->label, sizeof seat->label, desk->operator_label);
    cut_copy(seat->run_id, sizeof seat->run_id, desk->run_id);
}

static void seat_return(struct desk *desk, const struct seat *seat)
{
    desk->operator_id = seat->operator_id;
    desk->role = seat->role;
    cut_copy(desk->operator, sizeof desk->operator, seat->operator);
    cut_copy(desk->operator_label, sizeof desk->operator_label, seat->label);
    cut_copy(desk->run_id, sizeof desk->run_id, seat->run_id);
}

enum fd_code approval_decide_as(struct desk *desk, int64_t id, const char *name, const char *password,
                                struct fd_error *err)
{
    struct seat seat;
    seat_keep(desk, &seat);
    enum fd_code code = operator_sign_in(desk, name, password, err);
    if (code == FD_OK)
        code = approval_decide(desk, NULL, id, true, err);
    seat_return(desk, &seat);
    return code;
}
