/* Taking money: working a payment out from what was read, then writing it. Two part payments at once add up: each is a
 * conditional change of paid_amount, and whoever finds it changed begins again. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "money/pay_internal.h"
#include "outside/tree.h"

DB_QUERY(q_dues, "pay.dues", DB_ROWS,
         "SELECT id, amount, cause FROM order_due WHERE order_no = :order_no AND settled_at IS NULL ORDER BY id");
DB_QUERY(q_settle, "pay.settle", DB_NONE,
         "UPDATE order_due SET amount = :part, settled_at = NOW(), payment_id = :payment "
         "WHERE id = :id AND settled_at IS NULL AND amount = :amount");
DB_QUERY(q_due_rest, "pay.due_rest", DB_NONE,
         "INSERT INTO order_due (order_no, amount, cause, created_at) VALUES (:order_no, :amount, :cause, NOW())");

static const char *state_after(const char *entity, const char *state, const char *event)
{
    const struct rule *rule = rule_find(entity, state, event);
    return rule ? rule->to : state;
}

/* Whether this part makes the order paid, or only lowers what it owes. */
static const char *share_event(const struct pay_share *share)
{
    const struct order *order = share->order;
    return order_waits(order) && order->paid_fen + share->fen >= order->total_fen ? "pay" : "tender";
}

/* The order that was named first, then by id, until the money is used up. */
static void split(const struct owed *owed, int64_t amount_fen, struct pay_plan *plan)
{
    int64_t left = amount_fen;
    int64_t asked = owed->asked ? order_owes(owed->asked) : 0;
    if (asked > left)
        asked = left;
    left -= asked;
    for (size_t i = 0; i < owed->all_count; i++) {
        struct order *order = owed->all[i];
        int64_t owes = order_owes(order), fen = order == owed->asked ? asked : (owes < left ? owes : left);
        left -= order == owed->asked ? 0 : fen;
        bool free_now = owes == 0 && order_waits(order);
        if (fen == 0 && !free_now)
            continue;
        struct pay_share *share = &plan->shares[plan->count++];
        share->order = order;
        share->fen = fen;
        share->state = state_after(order->kind->entity, order->state, share_event(share));
    }
}

static struct pay_share *share_of(struct pay_plan *plan, struct order *order)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->shares[i].order == order)
            return &plan->shares[i];
    return NULL;
}

/* Marks who goes in after the money was taken: the order that was named, which then must be paid, or all of the bill
 * that are. */
static enum fd_code mark_check_in(const struct owed *owed, struct pay_plan *plan, struct fd_error *err)
{
    char left[FEN_TEXT];
    for (size_t i = 0; i < owed->all_count; i++) {
        struct order *order = owed->all[i];
        if (owed->asked && order != owed->asked)
            continue;
        struct pay_share *share = share_of(plan, order);
        const char *state = share ? share->state : order->state;
        const struct rule *rule = rule_find(order->kind->entity, state, "check_in");
        if (!rule && owed->asked && rule_find(order->kind->entity, state, "pay"))
            return fd_fail(err, FD_UNPAID, _("Order %s still owes %s; nobody goes in before it is paid."),
                           order->order_no, fen_text(order_owes(order) - (share ? share->fen : 0), left));
        if (!rule)
            continue;
        if (!share) {
            share = &plan->shares[plan->count++];
            share->order = order;
        }
        share->goes_in = true;
        share->state = rule->to;
    }
    return FD_OK;
}

/* Rows are locked in the order of their ids, whoever was named. */
static int by_id(const void *a, const void *b)
{
    const struct pay_share *x = a, *y = b;
    return x->order->id < y->order->id ? -1 : x->order->id > y->order->id;
}

enum fd_code pay_plan_split(struct op *op, const struct owed *owed, const struct payment *payment,
                            struct pay_plan *plan, struct fd_error *err)
{
    int64_t amount, change;
    wall_t now;
    *plan = (struct pay_plan){.payment = payment};
    enum fd_code code = payment_check(payment, owed->amount_fen, &amount, &change, err);
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code != FD_OK)
        return code;
    plan->shares = arena_array(op_arena(op), owed->all_count + 1, sizeof *plan->shares);
    split(owed, amount, plan);
    qsort(plan->shares, plan->count, sizeof *plan->shares, by_id);
    plan->paid.amount_fen = amount;
    plan->paid.change_fen = change;
    plan->paid.tendered_fen = amount + change;
    plan->paid.left_fen = owed->amount_fen - amount;
    if (amount > 0) {
        number_new(plan->paid.payment_no, wall_day(now), "RC");
        number_new(plan->channel_no, wall_day(now), "PY");
    }
    return FD_OK;
}

enum fd_code pay_plan_make(struct op *op, const struct owed *owed, const struct payment *payment, struct pay_plan *plan,
                           struct fd_error *err)
{
    enum fd_code code = pay_plan_split(op, owed, payment, plan, err);
    if (code == FD_OK)
        code = payment_at_desk(payment, err);
    if (code == FD_OK && payment->check_in)
        code = mark_check_in(owed, plan, err);
    if (code != FD_OK)
        return code;
    qsort(plan->shares, plan->count, sizeof *plan->shares, by_id);
    for (size_t i = 0; i < plan->count; i++)
        plan->paid.orders_paid +=
            order_waits(plan->shares[i].order) && strcmp(share_event(&plan->shares[i]), "pay") == 0;
    return FD_OK;
}

static enum fd_code fire_share(struct op *op, const struct pay_share *share, struct fd_error *err)
{
    struct order *order = share->order;
    struct order_set set;
    enum fd_code code = FD_OK;
    if (share->fen > 0 || order_waits(order)) {
        const char *event = share_event(share);
        order_set_keep(order, &set);
        set.paid_fen = order->paid_fen + share->fen;
        set.now_paid = strcmp(event, "pay") == 0;
        code = order_fire(op, order, event, &set, err);
    }
    if (code == FD_OK && share->goes_in) {
        order_set_keep(order, &set);
        set.now_checked_in = true;
        code = order_fire(op, order, "check_in", &set, err);
    }
    return code;
}

/* One due row, wholly or in part: the rest becomes a row of its own. */
static enum fd_code settle_row(struct op *op, const struct db_rows *rows, const char *order_no, int64_t payment_id,
                               int64_t *left, struct fd_error *err)
{
    int64_t amount = db_get_fen(rows, 1), part = amount < *left ? amount : *left, changed = 0;
    enum fd_code code = db_exec(op_db(op), &q_settle,
                                DB_ARGS(db_fen("part", part), db_int("payment", payment_id),
                                        db_int("id", db_get_int(rows, 0)), db_fen("amount", amount)),
                                &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK && part < amount)
        code = db_exec(op_db(op), &q_due_rest,
                       DB_ARGS(db_text("order_no", order_no), db_fen("amount", amount - part),
                               db_text("cause", db_get_text(rows, 2))),
                       NULL, err);
    *left -= part;
    return code;
}

enum fd_code pay_settle_dues(struct op *op, const char *order_no, int64_t fen, int64_t payment_id, struct fd_error *err)
{
    int64_t left = fen;
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_dues, DB_ARGS(db_text("order_no", order_no)), &rows, err);
    if (code != FD_OK)
        return code;
    while (code == FD_OK && left > 0 && db_next(rows))
        code = settle_row(op, rows, order_no, payment_id, &left, err);
    db_rows_close(&rows);
    return code == FD_OK && left > 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static void log_payment(struct op *op, const struct pay_plan *plan)
{
    struct tree *after = tree_object(), *orders = tree_object();
    tree_put_text(after, "channel", tenders[plan->payment->tender].channel);
    tree_put_int(after, "amount_fen", plan->paid.amount_fen);
    if (tenders[plan->payment->tender].gives_change)
        tree_put_int(after, "tendered_fen", plan->paid.tendered_fen);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->shares[i].fen > 0)
            tree_put_int(orders, plan->shares[i].order->order_no, plan->shares[i].fen);
    tree_put(after, "orders", orders);
    char *json = tree_dump(after);
    op_log(op, &(struct log_entry){.entity = "payment",
                                   .entity_no = plan->paid.payment_no,
                                   .event = "take",
                                   .state_after = "SUCCESS",
                                   .after = json});
    free(json);
    tree_free(&after);
}

/* The first that gets some of it. */
static const char *order_paid(const struct pay_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->shares[i].fen > 0)
            return plan->shares[i].order->order_no;
    return NULL;
}

enum fd_code pay_plan_do(struct op *op, struct pay_plan *plan, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    int64_t payment_id = 0;
    /* Asked before anything fires: afterwards every order looks paid. */
    bool *due = arena_array(op_arena(op), plan->count + 1, sizeof *due);
    for (size_t i = 0; i < plan->count; i++)
        due[i] = plan->shares[i].fen > 0 && !order_waits(plan->shares[i].order);
    for (size_t i = 0; i < plan->count && code == FD_OK; i++)
        code = fire_share(op, &plan->shares[i], err);
    if (code != FD_OK || plan->paid.amount_fen == 0)
        return code;
    FD_POINT("pay_fired");
    const struct pay_record record = {.payment = plan->payment,
                                      .channel_no = plan->channel_no,
                                      .payment_no = plan->paid.payment_no,
                                      .order_no = order_paid(plan),
                                      .amount_fen = plan->paid.amount_fen,
                                      .tendered_fen = plan->paid.tendered_fen};
    code = pay_record_insert(op, &record, &payment_id, err);
    if (code == FD_OK)
        FD_POINT("payment_inserted");
    for (size_t i = 0; i < plan->count && code == FD_OK; i++) {
        const struct pay_share *share = &plan->shares[i];
        if (share->fen > 0)
            code = pay_allocate(op, payment_id, share->order->order_no, share->fen, err);
        if (code == FD_OK && due[i])
            code = pay_settle_dues(op, share->order->order_no, share->fen, payment_id, err);
    }
    if (code == FD_OK)
        log_payment(op, plan);
    return code;
}

enum fd_code pay_take_in(struct op *op, struct order **orders, size_t count, const struct payment *payment,
                         struct paid *paid, struct fd_error *err)
{
    struct owed owed = {.bill_no = "", .all = orders, .all_count = count};
    struct pay_plan plan;
    struct payment only_money = *payment;
    /* Whoever made the orders checks them in, with its own windows and answers. */
    only_money.check_in = false;
    owed_sum(op_arena(op), &owed);
    enum fd_code code = tender_may_in(op, payment->tender, err);
    if (code == FD_OK)
        code = pay_plan_make(op, &owed, &only_money, &plan, err);
    if (code == FD_OK)
        code = pay_plan_do(op, &plan, err);
    if (code == FD_OK)
        *paid = plan.paid;
    return code;
}

enum fd_code pay_difference_in(struct op *op, const struct order *order, int64_t difference_fen,
                               const struct payment *payment, struct paid *paid, struct fd_error *err)
{
    struct order copy = *order;
    struct pay_share share = {.order = &copy, .fen = difference_fen};
    struct pay_plan plan = {.payment = payment, .shares = &share, .count = 1};
    int64_t amount, payment_id;
    wall_t now;
    enum fd_code code = tender_may_in(op, payment->tender, err);
    if (code == FD_OK)
        code = payment_check(payment, difference_fen, &amount, &plan.paid.change_fen, err);
    if (code == FD_OK)
        code = payment_at_desk(payment, err);
    if (code == FD_OK && amount != difference_fen)
        code = fd_fail(err, FD_BAD_INPUT, _("amount: a difference is paid whole."));
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code != FD_OK)
        return code;
    plan.paid.amount_fen = amount;
    plan.paid.tendered_fen = amount + plan.paid.change_fen;
    number_new(plan.paid.payment_no, wall_day(now), "RC");
    number_new(plan.channel_no, wall_day(now), "PY");
    const struct pay_record record = {.payment = payment,
                                      .channel_no = plan.channel_no,
                                      .payment_no = plan.paid.payment_no,
                                      .order_no = order->order_no,
                                      .amount_fen = amount,
                                      .tendered_fen = plan.paid.tendered_fen};
    code = pay_record_insert(op, &record, &payment_id, err);
    if (code == FD_OK)
        code = pay_allocate(op, payment_id, order->order_no, amount, err);
    if (code != FD_OK)
        return code;
    log_payment(op, &plan);
    *paid = plan.paid;
    return FD_OK;
}
