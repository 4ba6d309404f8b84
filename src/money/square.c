/* What follows from another amount of an order. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/pay_internal.h"
#include "money/square.h"

DB_QUERY(q_due, "square.due", DB_NONE,
         "INSERT INTO order_due (order_no, amount, cause, created_at) VALUES (:order_no, :amount, :cause, NOW())");
DB_QUERY(q_dues, "square.dues", DB_ROWS,
         "SELECT id, amount FROM order_due WHERE order_no = :order_no AND settled_at IS NULL ORDER BY id DESC");
/* Settled by no payment: it is not owed any more. */
DB_QUERY(q_void, "square.void", DB_NONE,
         "UPDATE order_due SET settled_at = NOW() WHERE id = :id AND settled_at IS NULL AND amount = :amount");
DB_QUERY(q_lower, "square.lower", DB_NONE,
         "UPDATE order_due SET amount = amount - :less WHERE id = :id AND settled_at IS NULL AND amount = :amount");

/* The difference, worked out. */
struct parts {
    bool waits;       /* unpaid: nothing is taken now */
    int64_t more_fen; /* to take or leave due */
    int64_t void_fen; /* of the open dues that are not owed any more */
    int64_t back_fen; /* that goes back */
};

static struct parts parts_of(const struct order *order, int64_t total_fen)
{
    struct parts parts = {.waits = order_waits(order)};
    int64_t less = order->total_fen - total_fen;
    if (parts.waits) {
        parts.back_fen = order->paid_fen > total_fen ? order->paid_fen - total_fen : 0;
    } else if (less > 0) {
        parts.void_fen = order->due_fen < less ? order->due_fen : less;
        parts.back_fen = less - parts.void_fen;
    } else {
        parts.more_fen = -less;
    }
    return parts;
}

enum fd_code square_bill_fits(struct op *op, const char *bill_no, const struct order *except, int64_t fen,
                              struct fd_error *err)
{
    char most[FEN_TEXT];
    int64_t sum = 0;
    bool fits = fen_add(fen, 0, &sum);
    const struct order_kind *const *kinds;
    size_t kind_count = bill_no[0] ? order_kinds(&kinds) : 0;
    for (size_t i = 0; i < kind_count && fits; i++) {
        struct order **orders;
        size_t count;
        enum fd_code code = kinds[i]->load_bill(op_db(op), bill_no, op_arena(op), &orders, &count, err);
        if (code != FD_OK)
            return code;
        for (size_t j = 0; j < count && fits; j++) {
            bool same = except && except->kind == orders[j]->kind && except->id == orders[j]->id;
            fits = same || fen_add(sum, order_owes(orders[j]), &sum);
        }
    }
    if (fits)
        return FD_OK;
    fd_fail(err, FD_BAD_INPUT, _("This amount is too large: one bill comes to %s at most."),
            fen_text(FEN_DECIMAL_MAX, most));
    if (bill_no[0])
        fd_hint(err, _("Take payment for its other orders first."));
    return FD_BAD_INPUT;
}

/* Money that was counted out, a slip that was written: it must not go unrecorded. */
static bool was_handed_over(const struct payment *payment)
{
    return payment && (payment->counted || payment->tendered_fen > 0 || payment->amount_fen > 0 ||
                       (payment->reference && payment->reference[0]));
}

static enum fd_code check_more(const struct order *order, const struct parts *parts, const struct square *square,
                               struct fd_error *err)
{
    char text[FEN_TEXT];
    if (parts->waits && was_handed_over(square->payment)) {
        fd_fail(err, FD_BAD_INPUT, _("Order %s is not paid yet: what it costs then is paid afterwards."),
                order->order_no);
        fd_hint(err, _("Change it without a payment, then take the whole amount (pay cash, pay card …)."));
        return FD_BAD_INPUT;
    }
    if (parts->more_fen == 0 || square->payment || square->leave_due)
        return FD_OK;
    fd_fail(err, FD_UNPAID, _("The difference of %s must be paid with the change."), fen_text(parts->more_fen, text));
    fd_hint(err, _("Take it at once (--cash, --card …), or leave it due (--due)."));
    return FD_UNPAID;
}

static enum fd_code void_dues(struct op *op, const struct order *order, int64_t fen, struct fd_error *err)
{
    struct db_rows *rows;
    int64_t left = fen;
    enum fd_code code = db_select(op_db(op), &q_dues, DB_ARGS(db_text("order_no", order->order_no)), &rows, err);
    if (code != FD_OK)
        return code;
    while (code == FD_OK && left > 0 && db_next(rows)) {
        int64_t amount = db_get_fen(rows, 1), less = amount < left ? amount : left, changed = 0;
        struct db_arg id = db_int("id", db_get_int(rows, 0)), was = db_fen("amount", amount);
        code = less == amount ? db_exec(op_db(op), &q_void, DB_ARGS(id, was), &changed, err)
                              : db_exec(op_db(op), &q_lower, DB_ARGS(db_fen("less", less), id, was), &changed, err);
        if (code == FD_OK && changed == 0)
            code = fd_fail(err, FD_RETRY, NULL);
        left -= less;
    }
    db_rows_close(&rows);
    return code == FD_OK && left > 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code take_more(struct op *op, const struct order *order, int64_t fen, struct square *square,
                              struct fd_error *err)
{
    if (square->payment)
        return pay_difference_in(op, order, fen, square->payment, &square->paid, err);
    square->due_fen = fen;
    return db_exec(
        op_db(op), &q_due,
        DB_ARGS(db_text("order_no", order->order_no), db_fen("amount", fen), db_text("cause", square->cause)), NULL,
        err);
}

/* What goes back is planned before the event: it says what comes off paid_amount. */
static enum fd_code plan_back(struct op *op, struct order *order, const struct parts *parts, struct square *square,
                              struct back_plan *plan, struct fd_error *err)
{
    struct order_set set;
    enum fd_code code = FD_OK;
    square->back.kind = BACK_QUANTITY;
    if (parts->back_fen == 0)
        return FD_OK;
    order_set_keep(order, &set);
    if (square->late_guard && !parts->waits && order->kind->guard)
        code = order->kind->guard(op, order, "refund", &set, err);
    return code == FD_OK ? back_plan_in(op, order, &square->back, parts->back_fen, plan, err) : code;
}

static enum fd_code follow_up(struct op *op, struct order *order, const struct parts *parts,
                              const struct back_plan *plan, struct square *square, struct fd_error *err)
{
    struct order_set set;
    enum fd_code code = FD_OK;
    if (parts->void_fen > 0)
        code = void_dues(op, order, parts->void_fen, err);
    if (code == FD_OK && parts->back_fen > 0)
        code = back_plan_do(op, plan, &square->backed, err);
    if (code == FD_OK && parts->more_fen > 0)
        code = take_more(op, order, parts->more_fen, square, err);
    bool whole = parts->waits && order->paid_fen >= order->total_fen;
    if (code == FD_OK && whole) {
        order_set_keep(order, &set);
        set.now_paid = true;
        code = order_fire(op, order, "pay", &set, err);
    }
    order->due_fen += square->due_fen - parts->void_fen;
    cut_copy(square->backed.state, sizeof square->backed.state, order->state);
    return code;
}

enum fd_code square_fire_in(struct op *op, struct order *order, const char *event, struct order_set *set,
                            struct square *square, struct fd_error *err)
{
    const struct parts parts = parts_of(order, set->total_fen);
    struct back_plan plan = {0};
    square->paid = (struct paid){0};
    square->backed = (struct backed){0};
    square->due_fen = 0;
    /* What cannot happen at all is said before what it would cost. */
    if (!rule_find(order->kind->entity, order->state, event))
        return order_fire(op, order, event, set, err);
    enum fd_code code = check_more(order, &parts, square, err);
    if (code == FD_OK && set->total_fen > order->total_fen)
        code = square_bill_fits(op, order->bill_no, order,
                                parts.waits ? set->total_fen - order->paid_fen : order->due_fen + parts.more_fen, err);
    if (code == FD_OK)
        code = plan_back(op, order, &parts, square, &plan, err);
    if (code != FD_OK)
        return code;
    set->paid_fen = order->paid_fen - plan.desk_fen + (square->payment ? parts.more_fen : 0);
    code = order_fire(op, order, event, set, err);
    return code == FD_OK ? follow_up(op, order, &parts, &plan, square, err) : code;
}
