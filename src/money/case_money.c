/* What closing a case does to money: moved to another order, confirmed, rejected. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "money/back.h"
#include "money/case_internal.h"
#include "money/pay_internal.h"
#include "outside/tree.h"

/* The payment is locked before it is looked at: a refund raises its cap in the same row. */
DB_QUERY(q_payment, "case.payment", DB_ROW,
         "SELECT status, amount, operator IS NULL, refunded_amount, confirmed_at IS NULL FROM payment_record "
         "WHERE id = :id FOR UPDATE");
DB_QUERY(q_seen, "case.seen", DB_ROW,
         "SELECT status, amount, operator IS NULL, refunded_amount, confirmed_at IS NULL FROM payment_record "
         "WHERE id = :id");
/* What a refund by amount took of the payment came out of what lies with its cases first: the rest alone is the case's,
 * and never more than what is left of the payment's part for the order. */
#define GONE                                                                                                           \
    "(SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = :id AND r.order_no = :order_no "     \
    "AND (r.status <> 'FAILED' OR r.owed = 1)"
DB_QUERY(q_left, "case.left", DB_VALUE,
         "SELECT CAST(LEAST(COALESCE((SELECT a.amount FROM pay_allocation a WHERE a.payment_id = :id "
         "AND a.order_no = :order_no), (SELECT p.amount FROM payment_record p WHERE p.id = :id "
         "AND p.order_no = :order_no AND NOT EXISTS (SELECT 1 FROM pay_allocation x WHERE x.payment_id = p.id)), 0) "
         "- " GONE "), :amount + (SELECT COALESCE(SUM(c.amount), 0) FROM money_case c WHERE c.payment_id = :id "
         "AND c.order_no = :order_no AND c.id <> :case AND c.kind IN ('LATE', 'SURPLUS') "
         "AND NOT (c.status = 'CLOSED' AND c.outcome = 'moved')) - " GONE " AND r.kind = 'AMOUNT')) * 100 AS SIGNED)");
DB_QUERY(q_whole, "case.whole", DB_NONE,
         "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT p.id, p.order_no, p.amount "
         "FROM payment_record p WHERE p.id = :id AND p.order_no = :order_no "
         "AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = :id)");
DB_QUERY(q_less, "case.less", DB_NONE,
         "UPDATE pay_allocation SET amount = amount - :fen WHERE payment_id = :id AND order_no = :order_no "
         "AND amount >= :fen");
DB_QUERY(q_empty, "case.empty", DB_NONE,
         "DELETE FROM pay_allocation WHERE payment_id = :id AND order_no = :order_no AND amount = 0");
DB_QUERY(q_more, "case.more", DB_NONE,
         "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (:id, :order_no, :fen) "
         "ON DUPLICATE KEY UPDATE amount = amount + :fen");
DB_QUERY(q_confirm, "case.confirm", DB_NONE,
         "UPDATE payment_record SET confirmed_at = NOW(), asked_at = NOW() "
         "WHERE id = :id AND status = 'SUCCESS' AND confirmed_at IS NULL");
DB_QUERY(q_reject, "case.reject", DB_NONE,
         "UPDATE payment_record SET status = 'FAILED', rejected_at = NOW(), asked_at = NOW() "
         "WHERE id = :id AND status = 'SUCCESS' AND confirmed_at IS NULL AND refunded_amount = 0");
DB_QUERY(q_paid_orders, "case.paid_orders", DB_ROWS,
         "SELECT order_no, amount FROM pay_allocation WHERE payment_id = :id ORDER BY id");
DB_QUERY(q_due, "case.due", DB_NONE,
         "INSERT INTO order_due (order_no, amount, cause, created_at) VALUES (:order_no, :amount, 'rejected', NOW())");

struct payment_seen {
    bool there, success, online, unconfirmed;
    int64_t fen, refunded_fen;
};

static enum fd_code read_payment(struct op *op, struct db_query *query, int64_t id, struct payment_seen *seen,
                                 struct fd_error *err)
{
    struct db_rows *rows;
    *seen = (struct payment_seen){0};
    enum fd_code code = db_select(op_db(op), query, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        *seen = (struct payment_seen){.there = true,
                                      .success = strcmp(db_get_text(rows, 0), "SUCCESS") == 0,
                                      .fen = db_get_fen(rows, 1),
                                      .online = db_get_int(rows, 2) != 0,
                                      .refunded_fen = db_get_fen(rows, 3),
                                      .unconfirmed = db_get_int(rows, 4) != 0};
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code case_left_in(struct op *op, const struct case_read *row, int64_t *fen, struct fd_error *err)
{
    int64_t left = 0;
    enum fd_code code = db_value_int(op_db(op), &q_left,
                                     DB_ARGS(db_int("id", row->payment_id), db_text("order_no", row->order_no),
                                             db_fen("amount", row->amount_fen), db_int("case", row->id)),
                                     &left, err);
    *fen = left < row->amount_fen ? left : row->amount_fen;
    if (code == FD_OK && left <= 0)
        code = fd_fail(err, FD_REFUSED, _("The money of case %lld is not there any more: it went back."),
                       (long long)row->id);
    return code;
}

/* Moving ------------------------------------------------------------------------------------------- */

/* The order is gone, and with it whose it was: who moves its money answers for it. */
static enum fd_code check_gone(struct op *op, const struct case_read *row, struct fd_error *err)
{
    bool may = false;
    enum fd_code code = op_may(op, "case_finance", &may, err);
    if (code != FD_OK)
        return code;
    if (!may)
        return fd_fail(err, FD_NO_PERMISSION,
                       _("Order %s is gone, so nothing says whose money it is: finance moves it."), row->order_no);
    return op_reason(op) ? FD_OK
                         : fd_fail(err, FD_REASON_NEEDED,
                                   _("Order %s is gone, so nothing says whose money it is: a "
                                     "reason is needed."),
                                   row->order_no);
}

static enum fd_code find_target(struct op *op, const struct case_read *row, const char *to, struct order **target,
                                struct fd_error *err)
{
    struct order *from;
    enum fd_code code = case_order(op_db(op), row->order_no, op_arena(op), &from, err);
    if (code == FD_OK)
        code = order_find(op_db(op), to, op_arena(op), target, err);
    if (code == FD_OK && !from)
        code = check_gone(op, row, err);
    if (code != FD_OK)
        return code;
    const struct order *order = *target;
    if ((from && order->user_id != from->user_id) || order->walk_in) {
        fd_fail(err, FD_REFUSED, _("Order %s is not of the customer who paid."), order->order_no);
        fd_hint(err, _("Give the money back instead (--as refunded)."));
        return FD_REFUSED;
    }
    if (from && order->kind == from->kind && order->id == from->id)
        return fd_fail(err, FD_REFUSED, _("The money is on order %s already."), order->order_no);
    if (order_owes(order) == 0)
        return fd_fail(err, FD_REFUSED, _("Order %s owes nothing: it is %s."), order->order_no,
                       state_label(order->kind->entity, order->state));
    return FD_OK;
}

/* Money that the online system took never counts in paid_amount: it pays an order whole, or stays where it is. */
static enum fd_code check_online(const struct order *order, const struct payment_seen *seen, int64_t fen,
                                 struct fd_error *err)
{
    char owes[FEN_TEXT];
    if (!seen->online || (order_waits(order) && order->paid_fen == 0 && fen == order_owes(order)))
        return FD_OK;
    return fd_fail(err, FD_REFUSED, _("Money that was paid online pays an order whole; order %s owes %s."),
                   order->order_no, fen_text(order_owes(order), owes));
}

static enum fd_code fire_paid(struct op *op, struct order *order, const struct payment_seen *seen, int64_t fen,
                              struct fd_error *err)
{
    struct order_set set;
    bool pays = order_waits(order) && fen == order_owes(order);
    order_set_keep(order, &set);
    set.paid_fen = order->paid_fen + (seen->online ? 0 : fen);
    set.now_paid = pays;
    return order_fire(op, order, pays ? "pay" : "tender", &set, err);
}

static enum fd_code move_allocation(struct op *op, const struct case_read *row, const char *to, int64_t fen,
                                    struct fd_error *err)
{
    int64_t changed = 0;
    struct db *db = op_db(op);
    const struct db_arg id = db_int("id", row->payment_id), from = db_text("order_no", row->order_no);
    enum fd_code code = db_exec(db, &q_whole, DB_ARGS(id, from), NULL, err);
    if (code == FD_OK)
        code = db_exec(db, &q_less, DB_ARGS(id, from, db_fen("fen", fen)), &changed, err);
    if (code == FD_OK && changed != 1)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        code = db_exec(db, &q_empty, DB_ARGS(id, from), NULL, err);
    if (code == FD_OK)
        code = db_exec(db, &q_more, DB_ARGS(id, db_text("order_no", to), db_fen("fen", fen)), NULL, err);
    return code;
}

static void log_move(struct op *op, const struct case_read *row, const struct order *order, int64_t fen)
{
    struct tree *after = tree_object();
    tree_put_int(after, "amount_fen", fen);
    tree_put_text(after, "from", row->order_no);
    tree_put_text(after, "to", order->order_no);
    char *json = tree_dump(after);
    op_log(op, &(struct log_entry){.entity = "payment", .entity_no = row->subject, .event = "move", .after = json});
    free(json);
    tree_free(&after);
}

/* What the order did not owe still waits for a person. The new case has all of it, also what a refund by amount took
 * already, as the old one had. */
static enum fd_code keep_rest(struct op *op, const struct case_read *row, const struct order *order, int64_t rest_fen,
                              struct fd_error *err)
{
    if (rest_fen == 0)
        return FD_OK;
    const struct case_new rest = {.kind = row->kind,
                                  .subject = row->subject,
                                  .order_no = row->order_no,
                                  .payment_id = row->payment_id,
                                  .amount_fen = rest_fen,
                                  .cause = arena_printf(op_arena(op), "rest of what moved to %s", order->order_no)};
    return case_open_in(op, &rest, err);
}

enum fd_code case_move_in(struct op *op, const struct case_read *row, const char *to, int64_t *left_fen,
                          struct fd_error *err)
{
    struct order *order;
    struct payment_seen seen;
    int64_t there = 0, left = 0;
    enum fd_code code = find_target(op, row, to, &order, err);
    if (code == FD_OK)
        code = case_left_in(op, row, &there, err);
    if (code != FD_OK)
        return code;
    bool waited = order_waits(order);
    int64_t owes = order_owes(order), fen = there < owes ? there : owes;
    /* The order is locked before the payment, as everywhere. Whose money it is does not change. */
    code = read_payment(op, &q_seen, row->payment_id, &seen, err);
    if (code == FD_OK)
        code = check_online(order, &seen, fen, err);
    if (code == FD_OK)
        code = fire_paid(op, order, &seen, fen, err);
    if (code == FD_OK)
        code = read_payment(op, &q_payment, row->payment_id, &seen, err);
    if (code == FD_OK)
        code = case_left_in(op, row, &left, err);
    if (code == FD_OK && !seen.success)
        code = fd_fail(err, FD_REFUSED, _("The money of case %lld is not there any more: it went back."),
                       (long long)row->id);
    if (code == FD_OK && left != there)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        code = move_allocation(op, row, order->order_no, fen, err);
    if (code == FD_OK && !waited)
        code = pay_settle_dues(op, order->order_no, fen, row->payment_id, err);
    if (code != FD_OK)
        return code;
    log_move(op, row, order, fen);
    *left_fen = there - fen;
    return keep_rest(op, row, order, row->amount_fen - fen, err);
}

/* Confirming ---------------------------------------------------------------------------------------- */

static enum fd_code explain(struct op *op, const struct case_read *row, struct fd_error *err)
{
    struct payment_seen seen;
    char amount[FEN_TEXT];
    enum fd_code code = read_payment(op, &q_payment, row->payment_id, &seen, err);
    if (code != FD_OK)
        return code;
    if (seen.refunded_fen > 0)
        return fd_fail(err, FD_REFUSED, _("%s of payment %s went back or is on its way; it cannot be rejected."),
                       fen_text(seen.refunded_fen, amount), row->subject);
    if (seen.success && !seen.unconfirmed)
        return fd_fail(err, FD_REFUSED, _("Payment %s is confirmed already."), row->subject);
    return fd_fail(err, FD_REFUSED, _("Payment %s does not count any more."), row->subject);
}

enum fd_code case_confirm_in(struct op *op, const struct case_read *row, struct fd_error *err)
{
    int64_t changed = 0;
    enum fd_code code = db_exec(op_db(op), &q_confirm, DB_ARGS(db_int("id", row->payment_id)), &changed, err);
    if (code == FD_OK && changed != 1)
        code = explain(op, row, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){.entity = "payment",
                                       .entity_no = row->subject,
                                       .event = "confirm",
                                       .state_before = "SUCCESS",
                                       .state_after = "SUCCESS"});
    return code;
}

struct part {
    struct order *order;
    int64_t fen;
};

static int by_id(const void *a, const void *b)
{
    const struct order *x = ((const struct part *)a)->order, *y = ((const struct part *)b)->order;
    return x->id < y->id ? -1 : x->id > y->id;
}

static enum fd_code read_parts(struct op *op, int64_t payment_id, struct part **parts, size_t *count,
                               struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_paid_orders, DB_ARGS(db_int("id", payment_id)), &rows, err);
    if (code != FD_OK)
        return code;
    *parts = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof **parts);
    *count = 0;
    while (code == FD_OK && db_next(rows)) {
        struct part *part = &(*parts)[(*count)++];
        part->fen = db_get_fen(rows, 1);
        code = case_order(op_db(op), db_get_text(rows, 0), op_arena(op), &part->order, err);
        /* One that was deleted has nothing that could come off. */
        if (code == FD_OK && !part->order)
            (*count)--;
    }
    db_rows_close(&rows);
    if (code == FD_OK)
        qsort(*parts, *count, sizeof **parts, by_id);
    return code;
}

/* The order keeps its state; what came off is owed again, but where the whole order goes back. What of it was to go
 * back with the order's places came off already. */
static enum fd_code take_off(struct op *op, struct part *part, struct fd_error *err)
{
    struct order *order = part->order;
    struct order_set set;
    if (part->fen == 0)
        return FD_OK;
    bool owes = !order_waits(order) && !rule_find(order->kind->entity, order->state, "refund_ok");
    order_set_keep(order, &set);
    set.paid_fen = order->paid_fen - part->fen;
    enum fd_code code = order_fire(op, order, "reject", &set, err);
    if (code == FD_OK && owes)
        code = db_exec(op_db(op), &q_due, DB_ARGS(db_text("order_no", order->order_no), db_fen("amount", part->fen)),
                       NULL, err);
    return code;
}

enum fd_code case_reject_in(struct op *op, const struct case_read *row, struct fd_error *err)
{
    struct part *parts = NULL;
    size_t count = 0;
    struct payment_seen seen;
    int64_t changed = 0;
    enum fd_code code = read_payment(op, &q_seen, row->payment_id, &seen, err);
    if (code == FD_OK && (!seen.success || !seen.unconfirmed))
        return explain(op, row, err);
    if (code == FD_OK)
        code = back_voidable_in(op, row->payment_id, err);
    if (code == FD_OK)
        code = read_parts(op, row->payment_id, &parts, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        int64_t waiting = 0;
        code = back_waiting_in(op, row->payment_id, parts[i].order->order_no, &waiting, err);
        parts[i].fen -= waiting;
    }
    /* Before the refunds are called off: with the last of them the order may come to its end. */
    for (size_t i = 0; code == FD_OK && i < count; i++)
        code = take_off(op, &parts[i], err);
    if (code == FD_OK)
        code = back_void_in(op, row->payment_id, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_reject, DB_ARGS(db_int("id", row->payment_id)), &changed, err);
    if (code == FD_OK && changed != 1)
        code = explain(op, row, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){.entity = "payment",
                                       .entity_no = row->subject,
                                       .event = "reject",
                                       .state_before = "SUCCESS",
                                       .state_after = "FAILED"});
    return code;
}
