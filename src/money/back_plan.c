/* Money back, worked out: which payments it comes from, by which way, and whether it may. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/pay_internal.h"

/* What came in for an order, with what has gone back of each; one statement, so that all of it is of one moment. What
 * failed for good and is owed to the customer is not the order's any more. A row of the online system without
 * allocations pays its order whole. */
#define GONE                                                                                                           \
    "(SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = p.id AND r.order_no = :order_no "    \
    "AND (r.status <> 'FAILED' OR r.owed = 1))"
/* What came too late or twice lies with a case, less what went back of it. */
#define IN_CASES                                                                                                       \
    "(SELECT COALESCE(SUM(c.amount), 0) FROM money_case c WHERE c.payment_id = p.id AND c.order_no = :order_no "       \
    "AND c.kind IN ('LATE', 'SURPLUS') AND NOT (c.status = 'CLOSED' AND c.outcome = 'moved')) "                        \
    "- (SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = p.id "                             \
    "AND r.order_no = :order_no AND r.kind = 'AMOUNT' AND (r.status <> 'FAILED' OR r.owed = 1))"
#define WHAT_CAME ", p.refunded_amount, p.amount, p.operator IS NOT NULL, " IN_CASES " "
DB_QUERY(q_came, "back.came", DB_ROWS,
         "SELECT p.id, p.channel, p.payment_no, a.amount, " GONE WHAT_CAME
         "FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
         "WHERE a.order_no = :order_no AND p.status = 'SUCCESS' "
         "UNION ALL "
         "SELECT p.id, p.channel, p.payment_no, p.amount, " GONE WHAT_CAME
         "FROM payment_record p WHERE p.order_no = :order_no AND p.status = 'SUCCESS' "
         "AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id) ORDER BY 1 DESC");

static const struct {
    const char *channel;
    enum back_way way;
} ways[] = {
    {"CASH", BACK_OUT_OF_DRAWER},
    {"CARD", BACK_BY_SLIP},
    {"WECHAT", BACK_AT_CHANNEL},
    {"ALIPAY", BACK_AT_CHANNEL},
};

enum back_way back_way_of(const char *channel)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].channel, channel) == 0)
            return ways[i].way;
    return BACK_BY_HAND;
}

static void read_part(const struct db_rows *rows, struct arena *arena, struct back_plan *plan)
{
    struct back_part *part = &plan->parts[plan->count++];
    int64_t came = db_get_fen(rows, 3), seen = db_get_fen(rows, 5), free_fen = db_get_fen(rows, 6) - seen;
    *part = (struct back_part){
        .payment_id = db_get_int(rows, 0),
        .left_fen = came - db_get_fen(rows, 4),
        .seen_fen = seen,
        .desk = db_get_int(rows, 7) != 0,
        .case_fen = db_get_fen(rows, 8),
        .channel = text_clean_arena(arena, db_get_text(rows, 1)),
        .payment_no = text_clean_arena(arena, db_get_text(rows, 2)),
        .way = back_way_of(db_get_text(rows, 1)),
    };
    /* A negative amount written online is nothing that could go back. */
    if (part->left_fen > free_fen)
        part->left_fen = free_fen;
    if (part->left_fen < 0)
        part->left_fen = 0;
    if (part->case_fen < 0)
        part->case_fen = 0;
    if (part->case_fen > part->left_fen)
        part->case_fen = part->left_fen;
    plan->received_fen += came > 0 ? came : 0;
    plan->left_fen += part->left_fen;
}

enum fd_code back_read(struct db *db, const struct order *order, struct arena *arena, struct back_plan *plan,
                       struct fd_error *err)
{
    struct db_rows *rows;
    *plan = (struct back_plan){.order = order};
    enum fd_code code = db_select(db, &q_came, DB_ARGS(db_text("order_no", order->order_no)), &rows, err);
    if (code != FD_OK)
        return code;
    plan->parts = arena_array(arena, db_row_count(rows) + 1, sizeof *plan->parts);
    while (db_next(rows))
        read_part(rows, arena, plan);
    db_rows_close(&rows);
    return FD_OK;
}

/* An order that waits owes nothing to anybody, nor does one that ended unpaid; one that costs nothing was paid with
 * nothing. */
static bool is_known(const struct back_plan *plan)
{
    const struct order *order = plan->order;
    bool was_paid = rule_find(order->kind->entity, order->state, "refund") || order->paid_time != WALL_NONE;
    return plan->received_fen > 0 || !was_paid || order->total_fen <= order->due_fen;
}

enum fd_code back_known(const struct back_plan *plan, struct fd_error *err)
{
    if (is_known(plan))
        return FD_OK;
    fd_fail(err, FD_MONEY_BACK, _("Nothing here says how order %s was paid; its money cannot go back from here."),
            plan->order->order_no);
    fd_hint(err, _("It was paid outside this database: give the money back there."));
    return FD_MONEY_BACK;
}

/* A case's money is not what the order's places cost: its own refund is one by amount. */
static void leave_cases(struct back_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        plan->parts[i].left_fen -= plan->parts[i].case_fen;
        plan->left_fen -= plan->parts[i].case_fen;
    }
}

enum fd_code back_left(struct db *db, const struct order *order, struct arena *arena, int64_t *left_fen, bool *known,
                       struct fd_error *err)
{
    struct back_plan plan;
    enum fd_code code = back_read(db, order, arena, &plan, err);
    if (code != FD_OK)
        return code;
    /* As a whole refund would take it. */
    if (order_waits(order) || rule_find(order->kind->entity, order->state, "refund"))
        leave_cases(&plan);
    *left_fen = plan.left_fen;
    *known = is_known(&plan);
    return FD_OK;
}

static void keep_only(struct back_plan *plan, int64_t payment_id)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].payment_id == payment_id)
            continue;
        plan->left_fen -= plan->parts[i].left_fen;
        plan->parts[i].left_fen = plan->parts[i].case_fen = 0;
    }
}

static void take_of(struct back_plan *plan, struct back_part *part, int64_t *wanted)
{
    part->fen = part->left_fen < *wanted ? part->left_fen : *wanted;
    *wanted -= part->fen;
    plan->fen += part->fen;
}

/* The one payment that is just this sum, cash before others; NULL: none. */
static struct back_part *exact_part(struct back_plan *plan, int64_t fen)
{
    struct back_part *found = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        struct back_part *part = &plan->parts[i];
        bool cash = part->way == BACK_OUT_OF_DRAWER;
        if (part->left_fen == fen && (!found || (cash && found->way != BACK_OUT_OF_DRAWER)))
            found = part;
    }
    return found;
}

static void choose(struct back_plan *plan, int64_t fen)
{
    struct back_part *exact = fen > 0 ? exact_part(plan, fen) : NULL;
    int64_t wanted = fen;
    if (exact)
        take_of(plan, exact, &wanted);
    for (size_t i = 0; i < plan->count && wanted > 0; i++)
        if (&plan->parts[i] != exact)
            take_of(plan, &plan->parts[i], &wanted);
}

static enum fd_code check_cash(struct op *op, const struct back_part *part, struct fd_error *err)
{
    bool may = false;
    enum fd_code code = op_may(op, "refund_cash", &may, err);
    if (code != FD_OK)
        return code;
    if (!may) {
        fd_fail(err, FD_NO_PERMISSION, _("Only finance gives cash for money that came another way (%s)."),
                part->channel);
        return FD_NO_PERMISSION;
    }
    if (!op_reason(op))
        return fd_fail(err, FD_REASON_NEEDED, _("Cash for money that came another way (%s): a reason is needed."),
                       part->channel);
    return FD_OK;
}

static enum fd_code check_slip(const struct back *back, struct fd_error *err)
{
    if (back->reference && back->reference[0])
        return FD_OK;
    fd_fail(err, FD_BAD_INPUT, _("Money that came by card goes back by card: the slip's number is needed."));
    fd_hint(err, _("Give it back at the card terminal, then write the slip's number (--reference)."));
    return FD_BAD_INPUT;
}

/* The way of each part, and whether it may be gone. */
static enum fd_code check_ways(struct op *op, struct back_plan *plan, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    for (size_t i = 0; i < plan->count && code == FD_OK; i++) {
        struct back_part *part = &plan->parts[i];
        if (part->fen == 0)
            continue;
        if (plan->back->in_cash && part->way != BACK_OUT_OF_DRAWER) {
            code = check_cash(op, part, err);
            part->way = BACK_OUT_OF_DRAWER;
        }
        if (code == FD_OK && part->way == BACK_BY_SLIP)
            code = check_slip(plan->back, err);
        plan->desk_fen += part->desk && plan->back->kind != BACK_AMOUNT ? part->fen : 0;
        plan->pending = plan->pending || part->way == BACK_BY_HAND || part->way == BACK_AT_CHANNEL;
    }
    return code;
}

static enum fd_code check_limit(struct op *op, const struct back_plan *plan, struct fd_error *err)
{
    if (plan->fen == 0 || plan->back->approved)
        return FD_OK;
    const struct approval_wish wish = {.action = "refund",
                                       .order_no = plan->order->order_no,
                                       .amount_fen = plan->fen,
                                       .reason = op_reason(op),
                                       .back_fen = plan->fen};
    return approval_use_in(op, &wish, 0, plan->back->approval_id, err);
}

/* Money of one payment alone: what the others paid is not looked at. */
static void only_of(struct back_plan *plan, int64_t payment_id)
{
    plan->left_fen = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].payment_id != payment_id)
            plan->parts[i].left_fen = 0;
        plan->left_fen += plan->parts[i].left_fen;
    }
}

enum fd_code back_plan_in(struct op *op, const struct order *order, const struct back *back, int64_t fen,
                          struct back_plan *plan, struct fd_error *err)
{
    static const char *const kinds[] = {[BACK_WHOLE] = "WHOLE", [BACK_AMOUNT] = "AMOUNT", [BACK_QUANTITY] = "QUANTITY"};
    char wanted[FEN_TEXT], left[FEN_TEXT];
    enum fd_code code = back_read(op_db(op), order, op_arena(op), plan, err);
    if (code == FD_OK)
        code = back_known(plan, err);
    if (code != FD_OK)
        return code;
    plan->back = back;
    plan->kind = kinds[back->kind];
    if (back->payment_id)
        keep_only(plan, back->payment_id);
    if (back->kind != BACK_AMOUNT)
        leave_cases(plan);
    if (back->payment_id)
        only_of(plan, back->payment_id);
    if (fen > plan->left_fen)
        return fd_fail(err, FD_REFUSED, _("%s is more than the %s that is left of what was paid for order %s."),
                       fen_text(fen, wanted), fen_text(plan->left_fen, left), order->order_no);
    choose(plan, fen < 0 ? plan->left_fen : fen);
    code = check_ways(op, plan, err);
    if (code == FD_OK && plan->desk_fen > order->paid_fen) {
        fd_fail(err, FD_MONEY_BACK, _("The payments of order %s do not add up; nothing was changed."), order->order_no);
        fd_hint(err, _("Run: frontdesk doctor"));
        code = FD_MONEY_BACK;
    }
    return code == FD_OK ? check_limit(op, plan, err) : code;
}
