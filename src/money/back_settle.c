/* What becomes of refunds: their rows together, the end of the order's refund, and a person's hand where a channel
 * failed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/case.h"
#include "money/pay_internal.h"
#include "money/shift.h"

DB_QUERY(q_order_of, "back.order_of", DB_ROW,
         "SELECT order_no FROM refund_record WHERE (:refund_no IS NOT NULL AND refund_no = :refund_no) "
         "OR (:refund_no IS NULL AND id = :id)");
DB_QUERY(
    q_rows, "back.rows", DB_ROWS,
    "SELECT r.id, r.refund_no, r.payment_id, r.order_no, r.amount, r.quantity, r.kind, r.status, r.channel, r.owed, "
    "r.tries, (SELECT p.operator IS NOT NULL FROM payment_record p WHERE p.id = r.payment_id), r.reference IS NOT NULL "
    "OR (r.channel = 'CASH' AND r.channel <> (SELECT p.channel FROM payment_record p WHERE p.id = r.payment_id)), "
    "COALESCE(r.first_id, r.id) "
    "FROM refund_record r WHERE r.order_no = :order_no ORDER BY r.id FOR UPDATE");
DB_QUERY(q_seen, "back.seen", DB_VALUE, "SELECT refunded_amount FROM payment_record WHERE id = :id");
DB_QUERY(q_hand, "back.hand", DB_NONE,
         "UPDATE refund_record SET status = 'SUCCESS', finished_at = NOW(), next_at = NULL, reference = :reference, "
         "channel = IF(:cash = 1, 'CASH', channel), operator = IF(:cash = 1, :operator, operator), "
         "terminal = IF(:cash = 1, :terminal, terminal), shift = IF(:cash = 1, :shift, shift), "
         "reason = IF(:cash = 1, :reason, reason) "
         "WHERE id = :id AND status = :old");
DB_QUERY(q_replaced, "back.replaced", DB_NONE,
         "UPDATE refund_record SET owed = 0 WHERE id = :id AND status = 'FAILED' AND owed = 1");
DB_QUERY(q_ask_again, "back.ask_again", DB_NONE,
         "UPDATE refund_record SET next_at = NOW(), tries = 0, status = IF(status = 'ABNORMAL', 'PROCESSING', status) "
         "WHERE id = :id AND status = :old");

DB_QUERY(q_of_payment, "back.of_payment", DB_ROWS,
         "SELECT id FROM refund_record WHERE payment_id = :id AND status <> 'FAILED' ORDER BY order_no, id");
DB_QUERY(q_void, "back.void", DB_NONE,
         "UPDATE refund_record SET status = 'FAILED', owed = 0, next_at = NULL, finished_at = NOW(), "
         "trouble = 'the money of its payment never came' WHERE id = :id AND status = 'PROCESSING'");
DB_QUERY(q_not_waiting, "back.not_waiting", DB_VALUE,
         "SELECT MIN(refund_no) FROM refund_record WHERE payment_id = :id AND status NOT IN ('FAILED', 'PROCESSING')");
DB_QUERY(q_give_cap, "back.give_cap", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount - :amount "
         "WHERE id = :id AND refunded_amount >= :amount");
DB_QUERY(q_waiting, "back.waiting", DB_VALUE,
         "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM refund_record WHERE payment_id = :id "
         "AND order_no = :order_no AND status = 'PROCESSING' AND kind <> 'AMOUNT'");

/* What an order that has its money again lacks of what it costs, where some of that never came: finance said so while
 * it was being refunded, when nothing was owed. */
DB_QUERY(
    q_short, "back.short", DB_NONE,
    "INSERT INTO order_due (order_no, amount, cause, created_at) SELECT s.order_no, s.fen, 'rejected', NOW() FROM ("
    "SELECT :order_no AS order_no, :total - COALESCE((SELECT SUM(d.amount) FROM order_due d WHERE d.order_no = "
    ":order_no AND d.settled_at IS NULL), 0) - COALESCE((SELECT SUM(a.amount) FROM pay_allocation a JOIN "
    "payment_record p ON p.id = a.payment_id WHERE a.order_no = :order_no AND p.status = 'SUCCESS'), 0) + "
    "COALESCE((SELECT SUM(r.amount) FROM refund_record r WHERE r.order_no = :order_no AND r.kind = 'QUANTITY' AND "
    "(r.status <> 'FAILED' OR r.owed = 1)), 0) + COALESCE((SELECT SUM(c.amount) FROM money_case c WHERE c.order_no "
    "= :order_no AND c.kind IN ('LATE', 'SURPLUS') AND NOT (c.status = 'CLOSED' AND c.outcome = 'moved')), 0) AS "
    "fen) s WHERE s.fen > 0 AND EXISTS (SELECT 1 FROM pay_allocation a JOIN payment_record p ON p.id = "
    "a.payment_id WHERE a.order_no = :order_no AND p.rejected_at IS NOT NULL)");

bool back_row_in_force(const struct back_row *row)
{
    return strcmp(row->status, "FAILED") != 0;
}

bool back_row_is_final(const struct back_row *row)
{
    return strcmp(row->status, "SUCCESS") == 0 || strcmp(row->status, "FAILED") == 0;
}

static void read_row(const struct db_rows *rows, struct back_row *row)
{
    row->id = db_get_int(rows, 0);
    cut_copy(row->refund_no, sizeof row->refund_no, db_get_text(rows, 1));
    row->payment_id = db_get_int(rows, 2);
    cut_copy(row->order_no, sizeof row->order_no, db_get_text(rows, 3));
    row->fen = db_get_fen(rows, 4);
    row->quantity = db_get_int(rows, 5);
    cut_copy(row->kind, sizeof row->kind, db_get_text(rows, 6));
    cut_copy(row->status, sizeof row->status, db_get_text(rows, 7));
    cut_copy(row->channel, sizeof row->channel, db_get_text(rows, 8));
    row->owed = db_get_int(rows, 9) != 0;
    row->tries = db_get_int(rows, 10);
    row->desk = db_get_int(rows, 11) != 0;
    row->by_hand = db_get_int(rows, 12) != 0;
    row->first_id = db_get_int(rows, 13);
}

static enum fd_code find_order_no(struct op *op, const char *refund_no, int64_t id, char order_no[NUMBER_BYTES],
                                  struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code =
        db_select(op_db(op), &q_order_of, DB_ARGS(db_text("refund_no", refund_no), db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    bool found = db_next(rows);
    if (found)
        cut_copy(order_no, NUMBER_BYTES, db_get_text(rows, 0));
    db_rows_close(&rows);
    if (found)
        return FD_OK;
    if (refund_no)
        return fd_fail(err, FD_NOT_FOUND, _("There is no refund %s."), text_clean_arena(op_arena(op), refund_no));
    return fd_fail(err, FD_NOT_FOUND, _("There is no refund #%" PRId64 "."), id);
}

enum fd_code back_rows_lock(struct op *op, const char *refund_no, int64_t id, struct back_row **list, size_t *count,
                            struct back_row **row, struct fd_error *err)
{
    char order_no[NUMBER_BYTES];
    struct db_rows *rows;
    enum fd_code code = find_order_no(op, refund_no, id, order_no, err);
    if (code == FD_OK)
        code = db_select(op_db(op), &q_rows, DB_ARGS(db_text("order_no", order_no)), &rows, err);
    if (code != FD_OK)
        return code;
    *list = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof **list);
    *count = 0;
    *row = NULL;
    while (db_next(rows)) {
        struct back_row *at = &(*list)[(*count)++];
        read_row(rows, at);
        if (refund_no ? strcmp(at->refund_no, refund_no) == 0 : at->id == id)
            *row = at;
    }
    db_rows_close(&rows);
    return *row ? FD_OK : fd_fail(err, FD_RETRY, NULL);
}

/* What the rows of a whole refund come to. */
struct tally {
    size_t pending, done, owed;
    int64_t owed_desk_fen;
};

static struct tally tally_of(const struct back_row *rows, size_t count)
{
    struct tally tally = {0};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].kind, "WHOLE") != 0)
            continue;
        tally.pending += !back_row_is_final(&rows[i]);
        tally.done += strcmp(rows[i].status, "SUCCESS") == 0;
        if (!back_row_in_force(&rows[i]) && rows[i].owed) {
            tally.owed++;
            tally.owed_desk_fen += rows[i].desk ? rows[i].fen : 0;
        }
    }
    return tally;
}

static enum fd_code load_order(struct op *op, const char *order_no, struct order **order, struct fd_error *err)
{
    const struct order_kind *const *kinds;
    size_t count = order_kinds(&kinds);
    enum fd_code code = FD_OK;
    *order = NULL;
    for (size_t i = 0; i < count && code == FD_OK && !*order; i++)
        code = kinds[i]->load_no(op_db(op), order_no, op_arena(op), order, err);
    return code;
}

enum fd_code back_rows_settle(struct op *op, struct back_row *rows, size_t count, bool *restored, struct fd_error *err)
{
    const struct tally tally = tally_of(rows, count);
    struct order *order;
    struct order_set set;
    *restored = false;
    enum fd_code code = load_order(op, rows[0].order_no, &order, err);
    if (code != FD_OK || !order || tally.pending > 0)
        return code;
    if (!rule_find(order->kind->entity, order->state, "refund_ok"))
        return FD_OK;
    order_set_keep(order, &set);
    if (tally.owed == 0) {
        set.now_cancelled = true;
        return order_fire(op, order, "refund_ok", &set, err);
    }
    /* A part went back and a part did not: the order stays on its way until a person has dealt with the rest. */
    if (tally.done > 0)
        return FD_OK;
    *restored = true;
    set.paid_fen = order->paid_fen + tally.owed_desk_fen;
    code = order_fire(op, order, "refund_fail", &set, err);
    return code == FD_OK
               ? db_exec(op_db(op), &q_short,
                         DB_ARGS(db_text("order_no", order->order_no), db_fen("total", order->total_fen)), NULL, err)
               : code;
}

/* A row that takes the place of one that failed: a number of its own, the cap raised again. What was approved, and
 * whose day it counts in, stays with the first. */
static enum fd_code replace(struct op *op, const struct back_row *old, const struct back_record *how,
                            struct fd_error *err)
{
    struct back_record record = *how;
    char refund_no[NUMBER_BYTES], seen[FEN_TEXT];
    const char *text = NULL;
    int64_t seen_fen = 0, id, changed = 0;
    wall_t now;
    enum fd_code code = op_now(op, &now, err);
    if (code == FD_OK)
        code = db_value_text(op_db(op), &q_seen, DB_ARGS(db_int("id", old->payment_id)), op_arena(op), &text, err);
    if (code != FD_OK)
        return code;
    FD_ASSERT(fen_from_decimal(text ? text : "0", &seen_fen));
    code = db_exec(op_db(op), &q_replaced, DB_ARGS(db_int("id", old->id)), &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        code = back_raise(op, old->payment_id, old->fen, seen_fen, err);
    if (code == FD_RETRY && !db_is_doomed(op_db(op)))
        return fd_fail(err, FD_REFUSED, _("The payment has no %s left to give back."), fen_text(old->fen, seen));
    if (code != FD_OK)
        return code;
    number_new(refund_no, wall_day(now), "RF");
    record.refund_no = refund_no;
    record.payment_id = old->payment_id;
    record.fen = old->fen;
    record.quantity = old->quantity;
    record.order_no = old->order_no;
    record.kind = old->kind;
    record.first_id = old->first_id;
    return back_record_insert(op, &record, &id, err);
}

static enum fd_code refund_anew(struct op *op, const struct back_row *row, struct fd_error *err)
{
    const struct back whole = {.kind = BACK_WHOLE};
    struct backed backed;
    struct order *order;
    enum fd_code code = load_order(op, row->order_no, &order, err);
    if (code != FD_OK)
        return code;
    if (order && rule_find(order->kind->entity, order->state, "refund"))
        return back_whole_in(op, order, &whole, &backed, err);
    return fd_fail(err, FD_REFUSED, _("Order %s kept its money when the refund failed; refund the order itself."),
                   row->order_no);
}

static void log_again(struct op *op, const struct back_row *row)
{
    op_log(op, &(struct log_entry){
                   .entity = "refund", .entity_no = row->refund_no, .event = "again", .state_before = row->status});
}

enum fd_code back_again_in(struct op *op, int64_t refund_id, struct fd_error *err)
{
    struct back_row *rows, *row;
    size_t count;
    int64_t changed = 0;
    enum fd_code code = back_rows_lock(op, NULL, refund_id, &rows, &count, &row, err);
    if (code != FD_OK)
        return code;
    if (strcmp(row->status, "SUCCESS") == 0)
        return fd_fail(err, FD_REFUSED, _("Refund %s is done."), row->refund_no);
    log_again(op, row);
    if (!back_row_in_force(row)) {
        const struct back_record how = {.channel = row->channel, .way = back_way_of(row->channel)};
        return row->owed ? replace(op, row, &how, err) : refund_anew(op, row, err);
    }
    if (back_way_of(row->channel) != BACK_AT_CHANNEL)
        return fd_fail(err, FD_REFUSED, _("Refund %s waits for somebody to give it back by hand."), row->refund_no);
    code = db_exec(op_db(op), &q_ask_again, DB_ARGS(db_int("id", row->id), db_text("old", row->status)), &changed, err);
    return code == FD_OK && changed == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code check_cash(struct op *op, struct fd_error *err)
{
    bool may = false;
    enum fd_code code = op_may(op, "refund_cash", &may, err);
    if (code == FD_OK && !may)
        code = fd_fail(err, FD_NO_PERMISSION, NULL);
    if (code == FD_OK && !op_reason(op))
        code = fd_fail(err, FD_REASON_NEEDED, NULL);
    return code;
}

static enum fd_code done_by_hand(struct op *op, struct back_row *row, const char *reference, bool in_cash,
                                 struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    int64_t changed = 0, shift_id = 0;
    enum fd_code code = in_cash ? shift_of_in(op, &shift_id, err) : FD_OK;
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_hand,
                       DB_ARGS(shift_id ? db_int("shift", shift_id) : db_null("shift"), db_text("reference", reference),
                               db_int("cash", in_cash), db_text("operator", desk->operator),
                               db_text("terminal", desk->terminal), db_text("reason", op_reason(op)),
                               db_int("id", row->id), db_text("old", row->status)),
                       &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code != FD_OK)
        return code;
    op_log(op, &(struct log_entry){.entity = "refund",
                                   .entity_no = row->refund_no,
                                   .event = "by_hand",
                                   .state_before = row->status,
                                   .state_after = "SUCCESS"});
    cut_copy(row->status, sizeof row->status, "SUCCESS");
    return FD_OK;
}

enum fd_code back_by_hand_in(struct op *op, int64_t refund_id, const char *reference, bool in_cash,
                             struct fd_error *err)
{
    struct back_row *rows, *row;
    size_t count;
    bool restored;
    enum fd_code code = in_cash ? check_cash(op, err) : FD_OK;
    if (code == FD_OK)
        code = back_rows_lock(op, NULL, refund_id, &rows, &count, &row, err);
    if (code != FD_OK)
        return code;
    bool failed = !back_row_in_force(row), channel = back_way_of(row->channel) == BACK_AT_CHANNEL;
    if (strcmp(row->status, "SUCCESS") == 0)
        return fd_fail(err, FD_REFUSED, _("Refund %s is done."), row->refund_no);
    if (channel && !failed && strcmp(row->status, "ABNORMAL") != 0)
        return fd_fail(err, FD_REFUSED,
                       _("Refund %s is on its way at the channel; given by hand too it would go twice."),
                       row->refund_no);
    if (failed && !row->owed)
        return fd_fail(err, FD_REFUSED, _("Order %s kept its money when the refund failed; refund the order itself."),
                       row->order_no);
    if (failed) {
        const struct back_record how = {.channel = in_cash ? tenders[TENDER_CASH].channel : row->channel,
                                        .way = BACK_BY_HAND,
                                        .reference = reference,
                                        .done = true};
        code = replace(op, row, &how, err);
        row->owed = false;
    } else {
        code = done_by_hand(op, row, reference, in_cash, err);
    }
    return code == FD_OK ? back_rows_settle(op, rows, count, &restored, err) : code;
}

enum fd_code back_waiting_in(struct op *op, int64_t payment_id, const char *order_no, int64_t *fen,
                             struct fd_error *err)
{
    return db_value_int(op_db(op), &q_waiting, DB_ARGS(db_int("id", payment_id), db_text("order_no", order_no)), fen,
                        err);
}

static enum fd_code changed_one(enum fd_code code, int64_t changed, struct fd_error *err)
{
    return code == FD_OK && changed != 1 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code not_voidable(const char *refund_no, struct fd_error *err)
{
    return fd_fail(err, FD_REFUSED, _("Refund %s went back or is on its way; its payment cannot be rejected."),
                   refund_no);
}

/* With nothing else on its way the order would be paid again: by what is owed back, and without what never came. */
static enum fd_code refuse_owed(const struct back_row *rows, size_t count, struct fd_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].owed && strcmp(rows[i].status, "FAILED") == 0)
            return fd_fail(err, FD_REFUSED, _("Refund %s of the same order failed and is owed: end its case first."),
                           rows[i].refund_no);
    return FD_OK;
}

static enum fd_code void_one(struct op *op, int64_t refund_id, struct fd_error *err)
{
    struct back_row *rows, *row;
    size_t count;
    int64_t changed = 0;
    bool restored;
    enum fd_code code = back_rows_lock(op, NULL, refund_id, &rows, &count, &row, err);
    if (code != FD_OK)
        return code;
    if (strcmp(row->status, "PROCESSING") != 0 || back_way_of(row->channel) != BACK_BY_HAND)
        return not_voidable(row->refund_no, err);
    code = refuse_owed(rows, count, err);
    if (code != FD_OK)
        return code;
    cut_copy(row->status, sizeof row->status, "FAILED");
    row->owed = false;
    code = back_rows_settle(op, rows, count, &restored, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_void, DB_ARGS(db_int("id", row->id)), &changed, err);
    code = changed_one(code, changed, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_give_cap, DB_ARGS(db_fen("amount", row->fen), db_int("id", row->payment_id)),
                       &changed, err);
    code = changed_one(code, changed, err);
    if (code != FD_OK)
        return code;
    op_log(op, &(struct log_entry){.entity = "refund",
                                   .entity_no = row->refund_no,
                                   .event = "result",
                                   .state_before = "PROCESSING",
                                   .state_after = "FAILED"});
    return case_settle_in(op, CASE_BY_HAND, row->refund_no, "rejected", err);
}

enum fd_code back_voidable_in(struct op *op, int64_t payment_id, struct fd_error *err)
{
    const char *refund_no = NULL;
    enum fd_code code =
        db_value_text(op_db(op), &q_not_waiting, DB_ARGS(db_int("id", payment_id)), op_arena(op), &refund_no, err);
    return code == FD_OK && refund_no ? not_voidable(refund_no, err) : code;
}

enum fd_code back_void_in(struct op *op, int64_t payment_id, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_of_payment, DB_ARGS(db_int("id", payment_id)), &rows, err);
    if (code != FD_OK)
        return code;
    while (code == FD_OK && db_next(rows))
        code = void_one(op, db_get_int(rows, 0), err);
    db_rows_close(&rows);
    return code;
}
