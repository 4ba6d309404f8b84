/* Rows of payment codes: reading them, and the small changes between opened and final. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/param.h"
#include "money/code_internal.h"
#include "outside/tree.h"

#define CODE_COLUMNS                                                                                                   \
    "p.id, p.order_no, p.receipt_no, p.channel, p.status, p.channel_return_code, p.amount, p.code, p.code_until, "     \
    "p.created_at, p.asked_at, p.tries, p.operator IS NULL, NOW()"
DB_QUERY(q_by_id, "code.by_id", DB_ROW, "SELECT " CODE_COLUMNS " FROM payment_record p WHERE p.id = :id");
DB_QUERY(q_by_no, "code.by_no", DB_ROW,
         "SELECT " CODE_COLUMNS " FROM payment_record p WHERE p.order_no = :order_no AND p.channel = :channel");
DB_QUERY(q_shares, "code.shares", DB_ROWS,
         "SELECT order_no, amount FROM pay_allocation WHERE payment_id = :id ORDER BY id");
DB_QUERY(q_live, "code.live", DB_ROWS,
         "SELECT p.id FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
         "WHERE a.order_no = :order_no AND p.status = 'CREATED' "
         "UNION ALL "
         "SELECT p.id FROM payment_record p WHERE :online = 1 AND p.order_no = :order_no AND p.status = 'CREATED' "
         "AND p.operator IS NULL ORDER BY 1");
DB_QUERY(
    q_fail, "code.fail", DB_NONE,
    "UPDATE payment_record SET status = 'FAILED', channel_return_code = :why WHERE id = :id AND status = 'CREATED'");
DB_QUERY(q_text, "code.text", DB_NONE,
         "UPDATE payment_record SET code = :text, asked_at = NOW() WHERE id = :id AND status = 'CREATED'");
DB_QUERY(q_claim, "code.claim", DB_NONE,
         "UPDATE payment_record SET asked_at = NOW(), tries = tries + :tries WHERE id = :id AND status = 'CREATED' "
         "AND (asked_at IS NULL OR asked_at <> NOW())");

#define TROUBLE_BYTES 65

bool code_is_live(const struct code_row *row)
{
    return strcmp(row->status, "CREATED") == 0;
}

static void read_row(const struct db_rows *rows, struct code_row *row)
{
    *row = (struct code_row){.id = db_get_int(rows, 0)};
    cut_copy(row->out_trade_no, sizeof row->out_trade_no, db_get_text(rows, 1));
    cut_copy(row->receipt_no, sizeof row->receipt_no, db_get_text(rows, 2));
    row->channel = channel_from_name(db_get_text(rows, 3));
    cut_copy(row->status, sizeof row->status, db_get_text(rows, 4));
    cut_copy(row->trouble, sizeof row->trouble, db_get_text(rows, 5));
    row->amount_fen = db_get_fen(rows, 6);
    cut_copy(row->text, sizeof row->text, db_get_text(rows, 7));
    row->until = db_get_wall(rows, 8);
    row->created_at = db_get_wall(rows, 9);
    row->asked_at = db_get_wall(rows, 10);
    row->tries = db_get_int(rows, 11);
    row->online = db_get_int(rows, 12) != 0;
    row->now = db_get_wall(rows, 13);
}

static enum fd_code read_one(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                             struct code_row *row, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, args, count, &rows, err);
    if (code != FD_OK)
        return code;
    bool found = db_next(rows);
    if (found)
        read_row(rows, row);
    db_rows_close(&rows);
    if (!found || row->channel == CHANNEL_COUNT)
        return fd_fail(err, FD_NOT_FOUND, _("There is no such payment code."));
    return FD_OK;
}

enum fd_code code_row_read(struct db *db, int64_t payment_id, struct code_row *row, struct fd_error *err)
{
    return read_one(db, &q_by_id, DB_ARGS(db_int("id", payment_id)), row, err);
}

enum fd_code code_row_find(struct db *db, const char *out_trade_no, enum channel_id channel, struct code_row *row,
                           struct fd_error *err)
{
    return read_one(db, &q_by_no, DB_ARGS(db_text("order_no", out_trade_no), db_text("channel", channel_name(channel))),
                    row, err);
}

struct row_load {
    int64_t id;
    struct code_row *row;
};

static enum fd_code load_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct row_load *load = arg;
    return code_row_read(db, load->id, load->row, err);
}

enum fd_code code_row_load(struct desk *desk, int64_t payment_id, struct code_row *row, struct fd_error *err)
{
    struct row_load load = {payment_id, row};
    return desk_read(desk, "code.load", load_txn, &load, err);
}

static enum fd_code load_order(struct db *db, struct code_share *share, struct arena *arena, struct fd_error *err)
{
    const struct order_kind *const *kinds;
    size_t count = order_kinds(&kinds);
    enum fd_code code = FD_OK;
    for (size_t i = 0; code == FD_OK && i < count && !share->order; i++)
        code = kinds[i]->load_no(db, share->order_no, arena, &share->order, err);
    share->waits = share->order && order_waits(share->order);
    return code;
}

/* Rows are locked in the order of their ids. */
static int by_id(const void *a, const void *b)
{
    const struct order *x = ((const struct code_share *)a)->order, *y = ((const struct code_share *)b)->order;
    if (!x || !y)
        return !x - !y;
    return x->id < y->id ? -1 : x->id > y->id;
}

enum fd_code code_shares(struct db *db, const struct code_row *row, struct arena *arena, struct code_share **shares,
                         size_t *count, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_shares, DB_ARGS(db_int("id", row->id)), &rows, err);
    if (code != FD_OK)
        return code;
    *shares = arena_array(arena, db_row_count(rows) + 1, sizeof **shares);
    *count = 0;
    while (db_next(rows)) {
        struct code_share *share = &(*shares)[(*count)++];
        cut_copy(share->order_no, sizeof share->order_no, db_get_text(rows, 0));
        share->fen = db_get_fen(rows, 1);
    }
    db_rows_close(&rows);
    if (*count == 0 && row->online) {
        cut_copy((*shares)[0].order_no, NUMBER_BYTES, row->out_trade_no);
        (*shares)[0].fen = row->amount_fen;
        *count = 1;
    }
    for (size_t i = 0; code == FD_OK && i < *count; i++)
        code = load_order(db, &(*shares)[i], arena, err);
    qsort(*shares, *count, sizeof **shares, by_id);
    return code;
}

enum fd_code code_take_off(struct op *op, const struct code_row *row, const struct code_share *shares, size_t count,
                           struct fd_error *err)
{
    for (size_t i = 0; i < count && !row->online; i++) {
        const struct order *order = shares[i].order;
        int64_t changed = 0;
        if (!order || !order->kind->dead)
            continue;
        enum fd_code code =
            db_exec(op_db(op), order->kind->dead,
                    DB_ARGS(db_int("id", order->id), db_int("grace", param_get(op_desk(op), PARAM_WALK_IN_MINUTES))),
                    &changed, err);
        if (code != FD_OK)
            return code;
        /* Off already where somebody set the counter by hand: the code is final all the same. */
        if (changed == 0)
            code_log(op, row, "count", row->status, order->order_no);
    }
    return FD_OK;
}

enum fd_code code_live_ids(struct db *db, const char *order_no, bool online, struct arena *arena, int64_t **ids,
                           size_t *count, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code =
        db_select(db, &q_live, DB_ARGS(db_text("order_no", order_no), db_int("online", online)), &rows, err);
    if (code != FD_OK)
        return code;
    *ids = arena_array(arena, db_row_count(rows) + 1, sizeof **ids);
    *count = 0;
    while (db_next(rows))
        (*ids)[(*count)++] = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

void code_log(struct op *op, const struct code_row *row, const char *event, const char *state_after, const char *more)
{
    struct tree *after = tree_object();
    tree_put_text(after, "channel", channel_name(row->channel));
    tree_put_text(after, "out_trade_no", row->out_trade_no);
    tree_put_int(after, "amount_fen", row->amount_fen);
    if (more && more[0])
        tree_put_text(after, "what", more);
    char *json = tree_dump(after);
    op_log(op, &(struct log_entry){.entity = "payment",
                                   .entity_no = row->receipt_no[0] ? row->receipt_no : row->out_trade_no,
                                   .event = event,
                                   .state_before = row->status[0] ? row->status : NULL,
                                   .state_after = state_after,
                                   .after = json});
    free(json);
    tree_free(&after);
}

struct giving_up {
    int64_t id;
    const char *why;
};

static enum fd_code give_up_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct giving_up *giving_up = arg;
    struct code_row row;
    struct code_share *shares;
    size_t count;
    char why[TROUBLE_BYTES];
    int64_t changed = 0;
    enum fd_code code = code_row_read(op_db(op), giving_up->id, &row, err);
    if (code != FD_OK || !code_is_live(&row))
        return code;
    code = code_shares(op_db(op), &row, op_arena(op), &shares, &count, err);
    if (code == FD_OK)
        code = code_take_off(op, &row, shares, count, err);
    cut_copy(why, sizeof why, giving_up->why);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_fail, DB_ARGS(db_text("why", why), db_int("id", row.id)), &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        code_log(op, &row, "close", "FAILED", why);
    return code;
}

/* What follows from a channel's answer needs nobody's right and no request key: the condition in the UPDATE is the key.
 */
static enum fd_code run_small(struct desk *desk, op_fn *apply, void *arg, struct fd_error *err)
{
    const struct op_spec spec = {
        .action = "pay.code", .apply = apply, .no_permission = true, .as_channel = true, .no_request = true};
    return op_run(desk, &spec, arg, NULL, NULL, err);
}

enum fd_code code_give_up_in(struct op *op, int64_t payment_id, const char *why, struct fd_error *err)
{
    struct giving_up giving_up = {payment_id, why};
    return give_up_apply(op, &giving_up, err);
}

enum fd_code code_give_up(struct desk *desk, int64_t payment_id, const char *why, struct fd_error *err)
{
    struct giving_up giving_up = {payment_id, why};
    return run_small(desk, give_up_apply, &giving_up, err);
}

static enum fd_code text_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct giving_up *keeping = arg;
    return db_exec(op_db(op), &q_text, DB_ARGS(db_text("text", keeping->why), db_int("id", keeping->id)), NULL, err);
}

enum fd_code code_keep_text(struct desk *desk, int64_t payment_id, const char *text, struct fd_error *err)
{
    struct giving_up keeping = {payment_id, text};
    return run_small(desk, text_apply, &keeping, err);
}

struct claiming {
    int64_t id, tries, changed;
};

static enum fd_code claim_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct claiming *claiming = arg;
    claiming->changed = 0;
    return db_exec(op_db(op), &q_claim, DB_ARGS(db_int("tries", claiming->tries), db_int("id", claiming->id)),
                   &claiming->changed, err);
}

enum fd_code code_claim(struct desk *desk, int64_t payment_id, bool counts, bool *mine, struct fd_error *err)
{
    struct claiming claiming = {.id = payment_id, .tries = counts};
    enum fd_code code = run_small(desk, claim_apply, &claiming, err);
    *mine = code == FD_OK && claiming.changed == 1;
    return code;
}
