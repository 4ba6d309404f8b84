/* What a channel says of a code, in one transaction: the money goes to the orders that still owe it; what is left over
 * is never lost, it becomes a case. The request key is the code's own number, so that the same answer, however often
 * and from wherever it comes, has one effect. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "money/case.h"
#include "money/code_internal.h"
#include "money/shift.h"
#include "outside/tree.h"

DB_QUERY(q_success, "code.success", DB_NONE,
         "UPDATE payment_record SET status = 'SUCCESS', payment_no = COALESCE(:trade_no, payment_no), "
         "callback_time = NOW(), confirmed_at = NOW(), callback_payload = :raw, notify_status = :source, "
         "channel_return_code = NULL, shift = :shift WHERE id = :id AND status = :old");
DB_QUERY(q_wrong, "code.wrong", DB_NONE,
         "UPDATE payment_record SET status = 'FAILED', callback_time = NOW(), callback_payload = :raw, "
         "notify_status = :source, channel_return_code = 'WRONG_AMOUNT' WHERE id = :id AND status = :old");
DB_QUERY(q_answer, "code.answer", DB_VALUE, "SELECT result FROM op_request WHERE request_key = :key");

#define RAW_BYTES    60000 /* TEXT */
#define SOURCE_BYTES 21
#define WRONG        "WRONG_AMOUNT"

struct settling {
    const char *out_trade_no;
    enum channel_id channel;
    const struct channel_trade *trade;
    const char *source;
    /* set in each attempt */
    struct code_row row;
    struct code_share *shares;
    size_t count;
    struct settled settled;
};

/* Rows of the online system have their order's number at each channel: what one of them was paid says nothing of the
 * other. */
static void settle_key(const struct code_row *row, char key[KEY_BYTES])
{
    if (row->online)
        fit_printf_at(key, KEY_BYTES, SETTLE_KEYS "%s-%s", row->out_trade_no, channel_name(row->channel));
    else
        fit_printf_at(key, KEY_BYTES, SETTLE_KEYS "%s", row->out_trade_no);
}

static void put_answer(struct op *op, const struct settled *settled)
{
    const struct paid *paid = &settled->paid;
    struct tree *tree = tree_object();
    tree_put_text(tree, "payment_no", paid->payment_no);
    tree_put_int(tree, "amount_fen", paid->amount_fen);
    tree_put_int(tree, "left_fen", paid->left_fen);
    tree_put_int(tree, "orders_paid", paid->orders_paid);
    tree_put_bool(tree, "surplus", settled->surplus);
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
}

static void take_answer(const char *json, struct settled *settled)
{
    struct tree *tree = tree_parse(json);
    struct paid *paid = &settled->paid;
    const char *number = tree ? tree_get_text(tree, "payment_no") : NULL;
    if (!number)
        return;
    *paid = (struct paid){0};
    cut_copy(paid->payment_no, sizeof paid->payment_no, number);
    paid->amount_fen = paid->tendered_fen = tree_get_int(tree, "amount_fen");
    paid->left_fen = tree_get_int(tree, "left_fen");
    paid->orders_paid = tree_get_int(tree, "orders_paid");
    settled->surplus = tree_get_bool(tree, "surplus");
    tree_free(&tree);
}

static void say_amount(const struct code_row *row, struct paid *paid)
{
    *paid = (struct paid){.amount_fen = row->amount_fen, .tendered_fen = row->amount_fen};
    cut_copy(paid->payment_no, sizeof paid->payment_no, row->receipt_no[0] ? row->receipt_no : row->out_trade_no);
}

enum fd_code code_settled_read(struct db *db, const struct code_row *row, struct settled *settled, struct fd_error *err)
{
    char key[KEY_BYTES];
    const char *json = NULL;
    struct arena arena = {0};
    *settled = (struct settled){0};
    say_amount(row, &settled->paid);
    settle_key(row, key);
    enum fd_code code = db_value_text(db, &q_answer, DB_ARGS(db_text("key", key)), &arena, &json, err);
    if (code == FD_NOT_FOUND)
        code = FD_OK;
    if (code == FD_OK && json)
        take_answer(json, settled);
    arena_release(&arena);
    return code;
}

/* How much of a share its order still owes. A row of the online system never adds to paid_amount, which counts the
 * desk's money: it pays its order whole or not at all. */
static void fit_share(const struct code_row *row, struct code_share *share)
{
    int64_t owes = share->order ? order_owes(share->order) : 0;
    share->fits_fen = share->fen < owes ? share->fen : owes;
    if (row->online && (!share->waits || share->fits_fen < owes))
        share->fits_fen = 0;
}

/* Does the order become paid by it, or only owe less? NULL: nothing of it is for this order. */
static const char *share_event(const struct code_row *row, const struct code_share *share)
{
    const struct order *order = share->order;
    if (share->waits && (share->fits_fen > 0 || (share->fen == 0 && order_owes(order) == 0))) {
        int64_t paid = order->paid_fen + share->fits_fen;
        return row->online || paid >= order->total_fen ? "pay" : "tender";
    }
    return share->fits_fen > 0 ? "tender" : NULL;
}

static int64_t fits_in_all(const struct settling *settling)
{
    int64_t fen = 0;
    for (size_t i = 0; i < settling->count; i++)
        fen += settling->shares[i].fits_fen;
    return fen;
}

/* What the bill owes once this is taken. */
static enum fd_code read_left(struct op *op, struct settling *settling, struct fd_error *err)
{
    struct owed owed;
    for (size_t i = 0; i < settling->count; i++)
        if (settling->shares[i].order) {
            enum fd_code code = pay_owed(op_db(op), settling->shares[i].order_no, op_arena(op), &owed, err);
            if (code == FD_OK)
                settling->settled.paid.left_fen = owed.amount_fen - fits_in_all(settling);
            return code;
        }
    return FD_OK;
}

/* Everything that the answer says follows from what is read here; where the rows differ by then, the run begins again.
 */
static enum fd_code settle_prepare(struct op *op, void *arg, struct fd_error *err)
{
    struct settling *settling = arg;
    settling->settled = (struct settled){0};
    enum fd_code code = code_row_find(op_db(op), settling->out_trade_no, settling->channel, &settling->row, err);
    if (code != FD_OK)
        return code;
    say_amount(&settling->row, &settling->settled.paid);
    /* Its key was forgotten, the payment was not. */
    if (strcmp(settling->row.status, "SUCCESS") == 0) {
        put_answer(op, &settling->settled);
        return FD_OK;
    }
    code = code_shares(op_db(op), &settling->row, op_arena(op), &settling->shares, &settling->count, err);
    for (size_t i = 0; code == FD_OK && i < settling->count; i++) {
        struct code_share *share = &settling->shares[i];
        fit_share(&settling->row, share);
        const char *event = share_event(&settling->row, share);
        settling->settled.paid.orders_paid += event && strcmp(event, "pay") == 0;
        settling->settled.surplus |= share->fits_fen < share->fen;
    }
    if (code == FD_OK)
        code = read_left(op, settling, err);
    if (code == FD_OK)
        put_answer(op, &settling->settled);
    return code;
}

static enum fd_code fire_share(struct op *op, const struct code_row *row, struct code_share *share,
                               struct fd_error *err)
{
    struct order_set set;
    const char *event = share_event(row, share);
    if (!event)
        return FD_OK;
    order_set_keep(share->order, &set);
    if (!row->online)
        set.paid_fen = share->order->paid_fen + share->fits_fen;
    set.now_paid = strcmp(event, "pay") == 0;
    enum fd_code code = order_fire(op, share->order, event, &set, err);
    /* Somebody changed the order since it was read: what fits is worked out anew. */
    return code == FD_WRONG_STATE || code == FD_LIVE_CODE ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code store_answer(struct op *op, const struct settling *settling, struct db_query *query,
                                 struct fd_error *err)
{
    const struct channel_trade *trade = settling->trade;
    char source[SOURCE_BYTES];
    int64_t changed = 0, shift = 0;
    /* It counts in the shift that is open now, not in the one that showed the code. */
    enum fd_code code = query == &q_success ? shift_of_code_in(op, settling->row.id, &shift, err) : FD_OK;
    if (code != FD_OK)
        return code;
    cut_copy(source, sizeof source, settling->source);
    char *raw = xmalloc(RAW_BYTES);
    text_clean(raw, RAW_BYTES, trade->raw ? trade->raw : "");
    const struct db_arg args[] = {db_text("raw", raw),
                                  db_text("source", source),
                                  db_int("id", settling->row.id),
                                  db_text("old", settling->row.status),
                                  db_text("trade_no", trade->trade_no[0] ? trade->trade_no : NULL),
                                  shift ? db_int("shift", shift) : db_null("shift")};
    code = db_exec(op_db(op), query, args, query == &q_success ? 6 : 4, &changed, err);
    free(raw);
    return code == FD_OK && changed == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

/* Money that found no order which owes it. */
static enum fd_code open_case(struct op *op, const struct settling *settling, const struct code_share *share,
                              struct fd_error *err)
{
    const struct order *order = share->order;
    /* An order that holds has been paid otherwise; one that does not came to its end before the money. */
    bool holds = order && (share->waits || rule_find(order->kind->entity, order->state, "tender") ||
                           order->paid_time != WALL_NONE);
    bool gone = !order || order->cancel_time != WALL_NONE || strcmp(order->state, "REFUNDING") == 0;
    const char *number = settling->row.out_trade_no;
    const struct case_new fresh = {
        .kind = holds && !gone ? CASE_SURPLUS : CASE_LATE,
        .subject = settling->count == 1 ? number : arena_printf(op_arena(op), "%s/%s", number, share->order_no),
        .order_no = share->order_no,
        .payment_id = settling->row.id,
        .amount_fen = share->fen - share->fits_fen,
        .cause = arena_printf(op_arena(op), "%s paid for an order that is %s", channel_name(settling->row.channel),
                              order ? order->state : "gone"),
    };
    return case_open_in(op, &fresh, err);
}

/* Somebody gave some of it back in the merchant's account: nothing here knows how much, and the order has its place. */
static enum fd_code tell_refunded(struct op *op, const struct settling *settling, struct fd_error *err)
{
    const struct case_new fresh = {
        .kind = CASE_AMOUNT,
        .subject = settling->out_trade_no,
        .order_no = settling->count > 0 ? settling->shares[0].order_no : NULL,
        .payment_id = settling->row.id,
        .amount_fen = settling->row.amount_fen,
        .cause = "some of it had gone back at the channel before it was known here",
    };
    return settling->trade->refunded ? case_open_in(op, &fresh, err) : FD_OK;
}

static enum fd_code settle_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct settling *settling = arg;
    const struct code_row *row = &settling->row;
    enum fd_code code = FD_OK;
    if (strcmp(row->status, "SUCCESS") == 0)
        return FD_OK;
    for (size_t i = 0; code == FD_OK && i < settling->count; i++)
        code = fire_share(op, row, &settling->shares[i], err);
    if (code == FD_OK && code_is_live(row))
        code = code_take_off(op, row, settling->shares, settling->count, err);
    FD_POINT("settle_fired");
    if (code == FD_OK)
        code = store_answer(op, settling, &q_success, err);
    for (size_t i = 0; code == FD_OK && i < settling->count; i++) {
        const struct code_share *share = &settling->shares[i];
        if (share->fits_fen > 0 && !share->waits)
            code = pay_settle_dues(op, share->order_no, share->fits_fen, row->id, err);
        if (code == FD_OK && share->fits_fen < share->fen)
            code = open_case(op, settling, share, err);
    }
    if (code == FD_OK)
        code = tell_refunded(op, settling, err);
    if (code == FD_OK)
        code_log(op, row, "settle", "SUCCESS", settling->source);
    return code;
}

/* Another amount than ours: whoever pays that has not paid this. The code is final all the same. */
static enum fd_code wrong_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct settling *settling = arg;
    struct code_row *row = &settling->row;
    char theirs[FEN_TEXT], ours[FEN_TEXT];
    enum fd_code code = code_row_find(op_db(op), settling->out_trade_no, settling->channel, row, err);
    settling->settled.first = false;
    if (code != FD_OK || strcmp(row->status, "SUCCESS") == 0 || strcmp(row->trouble, WRONG) == 0)
        return code;
    settling->settled.first = true;
    code = code_shares(op_db(op), row, op_arena(op), &settling->shares, &settling->count, err);
    if (code == FD_OK && code_is_live(row))
        code = code_take_off(op, row, settling->shares, settling->count, err);
    if (code == FD_OK)
        code = store_answer(op, settling, &q_wrong, err);
    if (code != FD_OK)
        return code;
    const struct case_new fresh = {
        .kind = CASE_AMOUNT,
        .subject = row->out_trade_no,
        .order_no = settling->count > 0 ? settling->shares[0].order_no : NULL,
        .payment_id = row->id,
        .amount_fen = settling->trade->amount_fen,
        .cause = arena_printf(op_arena(op), "%s says %s, asked for were %s", channel_name(row->channel),
                              fen_decimal(settling->trade->amount_fen, theirs), fen_decimal(row->amount_fen, ours)),
    };
    code_log(op, row, "wrong_amount", "FAILED", fresh.cause);
    return case_open_in(op, &fresh, err);
}

static enum fd_code settle_wrong(struct desk *desk, struct settling *settling, struct fd_error *err)
{
    const struct op_spec spec = {
        .action = "pay.settle", .apply = wrong_apply, .no_permission = true, .as_channel = true, .no_request = true};
    enum fd_code code = op_run(desk, &spec, settling, NULL, NULL, err);
    settling->settled.wrong_amount = true;
    return code;
}

static enum fd_code settle_paid(struct desk *desk, struct settling *settling, struct fd_error *err)
{
    char key[KEY_BYTES];
    char *json = NULL;
    bool replayed = false;
    settle_key(&settling->row, key);
    const struct op_spec spec = {.action = "pay.settle",
                                 .key = key,
                                 .content = settling->out_trade_no,
                                 .reason = "",
                                 .prepare = settle_prepare,
                                 .apply = settle_apply,
                                 .no_permission = true,
                                 .as_channel = true};
    enum fd_code code = op_run(desk, &spec, settling, &json, &replayed, err);
    if (code == FD_OK) {
        settling->settled.first = !replayed && strcmp(settling->row.status, "SUCCESS") != 0;
        take_answer(json, &settling->settled);
    }
    free(json);
    return code;
}

static enum fd_code find_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct settling *settling = arg;
    return code_row_find(db, settling->out_trade_no, settling->channel, &settling->row, err);
}

enum fd_code code_settle(struct desk *desk, const char *out_trade_no, enum channel_id channel,
                         const struct channel_trade *trade, const char *source, struct settled *settled,
                         struct fd_error *err)
{
    struct settling settling = {.out_trade_no = out_trade_no, .channel = channel, .trade = trade, .source = source};
    *settled = (struct settled){0};
    enum fd_code code = desk_read(desk, "code.find", find_txn, &settling, err);
    if (code != FD_OK)
        return code;
    if (trade->state == TRADE_CLOSED)
        return code_give_up(desk, settling.row.id, "CLOSED", err);
    if (trade->state != TRADE_PAID)
        return FD_OK;
    bool ours = trade->amount_fen == settling.row.amount_fen || FD_TOOTH("code_amount");
    code = ours ? settle_paid(desk, &settling, err) : settle_wrong(desk, &settling, err);
    *settled = settling.settled;
    return code;
}
