/* Money back, written: the rows of a refund with their caps, and the events of the order that go with it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/case.h"
#include "money/pay_internal.h"
#include "money/shift.h"
#include "money/square.h"

/* The one cap on refunds: whatever runs at once, never more than was paid; and whoever worked with another sum begins
 * again, so that the parts of an order within one payment are capped too. */
DB_QUERY(q_raise, "back.raise", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount + :amount "
         "WHERE id = :id AND status = 'SUCCESS' AND refunded_amount = :seen AND refunded_amount + :amount <= amount");
/* In fen, with the payment's row locked: what of it is this order's and has not gone back. */
DB_QUERY(q_still, "back.still", DB_VALUE,
         "SELECT CAST((COALESCE((SELECT a.amount FROM pay_allocation a WHERE a.payment_id = :id "
         "AND a.order_no = :order_no), (SELECT p.amount FROM payment_record p WHERE p.id = :id "
         "AND p.order_no = :order_no AND NOT EXISTS (SELECT 1 FROM pay_allocation x WHERE x.payment_id = p.id)), 0) "
         "- (SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = :id "
         "AND r.order_no = :order_no AND (r.status <> 'FAILED' OR r.owed = 1))) * 100 AS SIGNED)");
#ifdef FD_TEETH
/* What stands there once the condition is left out: everybody raises. */
DB_QUERY(q_raise_any, "back.raise_any", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount + :amount WHERE id = :id AND :seen = :seen");
#define Q_RAISE (FD_TOOTH("refund_cap") ? &q_raise_any : &q_raise)
#else
#define Q_RAISE (&q_raise)
#endif
DB_QUERY(
    q_insert, "back.insert", DB_NONE,
    "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, quantity, kind, channel, reason, status, "
    "tries, operator, terminal, shift, request_key, reference, approval_id, first_id, next_at, created_at, "
    "finished_at) "
    "VALUES (:refund_no, :payment, :order_no, :amount, :quantity, :kind, :channel, :reason, :status, 0, :operator, "
    ":terminal, :shift, :key, :reference, :approval, :first, IF(:sends = 1, NOW(), NULL), NOW(), IF(:done = 1, NOW(), "
    "NULL))");

#define REFERENCE_CHARS 64

enum fd_code back_raise(struct op *op, int64_t payment_id, int64_t fen, int64_t seen_fen, struct fd_error *err)
{
    int64_t changed = 0;
    enum fd_code code =
        db_exec(op_db(op), Q_RAISE, DB_ARGS(db_fen("amount", fen), db_int("id", payment_id), db_fen("seen", seen_fen)),
                &changed, err);
    return code == FD_OK && changed == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static const char *status_of(const struct back_record *record)
{
    if (record->done || record->way == BACK_OUT_OF_DRAWER || record->way == BACK_BY_SLIP)
        return "SUCCESS";
    return record->way == BACK_BY_HAND ? "PROCESSING" : "CREATED";
}

static void log_record(struct op *op, const struct back_record *record, const char *status)
{
    char amount[FEN_TEXT];
    op_log(op, &(struct log_entry){.entity = "refund",
                                   .entity_no = record->refund_no,
                                   .event = "give_back",
                                   .state_after = status,
                                   .after = arena_printf(op_arena(op),
                                                         "{\"channel\":\"%s\",\"amount\":\"%s\",\"kind\":\"%s\","
                                                         "\"order_no\":\"%s\",\"payment_id\":%" PRId64 "}",
                                                         record->channel, fen_decimal(record->fen, amount),
                                                         record->kind, record->order_no, record->payment_id)});
}

/* What a person at a terminal gives back belongs to the shift of the drawer there. */
static enum fd_code shift_at(struct op *op, int64_t *shift_id, struct fd_error *err)
{
    *shift_id = 0;
    return op_actor(op) == ACTOR_OPERATOR ? shift_of_in(op, shift_id, err) : FD_OK;
}

static enum fd_code open_by_hand(struct op *op, const struct back_record *record, int64_t id, struct fd_error *err)
{
    const struct case_new fresh = {.kind = CASE_BY_HAND,
                                   .subject = record->refund_no,
                                   .order_no = record->order_no,
                                   .payment_id = record->payment_id,
                                   .refund_id = id,
                                   .amount_fen = record->fen,
                                   .cause = arena_printf(op_arena(op), "to be given back by %s", record->channel)};
    return case_open_in(op, &fresh, err);
}

enum fd_code back_record_insert(struct op *op, const struct back_record *record, int64_t *id, struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    const char *status = status_of(record);
    char reference[4 * REFERENCE_CHARS + 1] = "";
    int64_t shift_id = 0;
    enum fd_code code = shift_at(op, &shift_id, err);
    if (code == FD_OK && record->reference && record->reference[0])
        code = text_field(record->reference, _("reference"), REFERENCE_CHARS, reference, sizeof reference, err);
    if (code != FD_OK)
        return code;
    const struct db_arg args[] = {
        db_text("refund_no", record->refund_no),
        db_int("payment", record->payment_id),
        db_text("order_no", record->order_no),
        db_fen("amount", record->fen),
        db_int("quantity", record->quantity),
        db_text("kind", record->kind),
        db_text("channel", record->channel),
        db_text("reason", op_reason(op)),
        db_text("status", status),
        db_text("operator", desk->operator),
        db_text("terminal", desk->terminal),
        shift_id ? db_int("shift", shift_id) : db_null("shift"),
        db_text("key", op_key(op)),
        db_text("reference", reference[0] ? reference : NULL),
        record->approval_id ? db_int("approval", record->approval_id) : db_null("approval"),
        record->first_id ? db_int("first", record->first_id) : db_null("first"),
        db_int("sends", strcmp(status, "CREATED") == 0),
        db_int("done", strcmp(status, "SUCCESS") == 0),
    };
    code = db_exec(op_db(op), &q_insert, args, sizeof args / sizeof *args, NULL, err);
    if (code != FD_OK)
        return code;
    *id = db_insert_id(op_db(op));
    log_record(op, record, status);
    return strcmp(status, "PROCESSING") == 0 ? open_by_hand(op, record, *id, err) : FD_OK;
}

/* Late money may have moved to another order since it was read: that locks the payment too, but leaves its cap alone.
 */
static enum fd_code still_there(struct op *op, const char *order_no, const struct back_part *part, struct fd_error *err)
{
    int64_t left = 0;
    enum fd_code code = db_value_int(
        op_db(op), &q_still, DB_ARGS(db_int("id", part->payment_id), db_text("order_no", order_no)), &left, err);
    return code == FD_OK && left < part->fen && !FD_TOOTH("refund_cap") ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code write_part(struct op *op, const struct back_plan *plan, const struct back_part *part,
                               struct backed *backed, struct fd_error *err)
{
    char refund_no[NUMBER_BYTES];
    int64_t id;
    wall_t now;
    enum fd_code code = back_raise(op, part->payment_id, part->fen, part->seen_fen, err);
    if (code == FD_OK)
        code = still_there(op, plan->order->order_no, part, err);
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code != FD_OK)
        return code;
    FD_POINT("refund_raised");
    number_new(refund_no, wall_day(now), "RF");
    int64_t quantity = plan->back->kind == BACK_WHOLE ? plan->order->quantity : plan->back->quantity;
    const struct back_record record = {
        .payment_id = part->payment_id,
        .fen = part->fen,
        .quantity = backed->count == 0 && plan->back->kind != BACK_AMOUNT ? quantity : 0,
        .approval_id = plan->back->approval_id,
        .order_no = plan->order->order_no,
        .kind = plan->kind,
        .channel = part->way == BACK_OUT_OF_DRAWER ? tenders[TENDER_CASH].channel : part->channel,
        .reference = part->way == BACK_BY_SLIP ? plan->back->reference : NULL,
        .refund_no = refund_no,
        .way = part->way,
    };
    code = back_record_insert(op, &record, &id, err);
    if (backed->count++ == 0)
        cut_copy(backed->refund_no, sizeof backed->refund_no, refund_no);
    backed->fen += part->fen;
    backed->cash_fen += part->way == BACK_OUT_OF_DRAWER ? part->fen : 0;
    backed->pending_fen += part->way == BACK_BY_HAND || part->way == BACK_AT_CHANNEL ? part->fen : 0;
    return code;
}

enum fd_code back_plan_do(struct op *op, const struct back_plan *plan, struct backed *backed, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    *backed = (struct backed){.desk_fen = plan->desk_fen};
    /* Oldest payment first: one order of locking for all. */
    for (size_t i = plan->count; i-- > 0 && code == FD_OK;)
        if (plan->parts[i].fen > 0)
            code = write_part(op, plan, &plan->parts[i], backed, err);
    cut_copy(backed->state, sizeof backed->state, plan->order->state);
    return code;
}

enum fd_code back_rows_in(struct op *op, const struct order *order, const struct back *back, int64_t fen,
                          struct backed *backed, struct fd_error *err)
{
    struct back_plan plan;
    enum fd_code code = back_plan_in(op, order, back, fen, &plan, err);
    return code == FD_OK ? back_plan_do(op, &plan, backed, err) : code;
}

static enum fd_code fire_ended(struct op *op, struct order *order, const char *event, int64_t desk_fen,
                               struct fd_error *err)
{
    struct order_set set;
    order_set_keep(order, &set);
    set.paid_fen = order->paid_fen - desk_fen;
    set.now_cancelled = true;
    set.cancel_reason = op_reason(op) ? op_reason(op) : set.cancel_reason;
    return order_fire(op, order, event, &set, err);
}

enum fd_code back_cancel_in(struct op *op, struct order *order, const struct back *back, struct backed *backed,
                            struct fd_error *err)
{
    struct back whole = *back;
    struct back_plan plan;
    whole.kind = BACK_WHOLE;
    enum fd_code code = back_plan_in(op, order, &whole, -1, &plan, err);
    if (code == FD_OK)
        code = fire_ended(op, order, "cancel", plan.desk_fen, err);
    return code == FD_OK ? back_plan_do(op, &plan, backed, err) : code;
}

/* PAID, REFUNDING, and where nothing has to be waited for REFUNDED in one transaction. */
enum fd_code back_whole_in(struct op *op, struct order *order, const struct back *back, struct backed *backed,
                           struct fd_error *err)
{
    struct back whole = *back;
    struct back_plan plan;
    struct order_set set;
    whole.kind = BACK_WHOLE;
    enum fd_code code = back_plan_in(op, order, &whole, -1, &plan, err);
    if (code != FD_OK)
        return code;
    order_set_keep(order, &set);
    set.paid_fen = order->paid_fen - plan.desk_fen;
    set.cancel_reason = op_reason(op) ? op_reason(op) : set.cancel_reason;
    code = order_fire(op, order, "refund", &set, err);
    if (code == FD_OK)
        code = back_plan_do(op, &plan, backed, err);
    if (code == FD_OK && !plan.pending)
        code = fire_ended(op, order, "refund_ok", 0, err);
    cut_copy(backed->state, sizeof backed->state, order->state);
    return code;
}

struct tree *backed_tree(const struct backed *backed)
{
    struct tree *tree = tree_object();
    tree_put_int(tree, "fen", backed->fen);
    tree_put_int(tree, "cash_fen", backed->cash_fen);
    tree_put_int(tree, "pending_fen", backed->pending_fen);
    tree_put_text(tree, "state", backed->state[0] ? backed->state : NULL);
    tree_put_text(tree, "refund_no", backed->refund_no[0] ? backed->refund_no : NULL);
    tree_put_int(tree, "count", (int64_t)backed->count);
    return tree;
}

static void copy_text(char *out, size_t bytes, const char *text)
{
    cut_copy(out, bytes, text ? text : "");
}

void backed_from_tree(const struct tree *tree, struct backed *backed)
{
    *backed = (struct backed){0};
    if (!tree)
        return;
    backed->fen = tree_get_int(tree, "fen");
    backed->cash_fen = tree_get_int(tree, "cash_fen");
    backed->pending_fen = tree_get_int(tree, "pending_fen");
    backed->count = (size_t)tree_get_int(tree, "count");
    copy_text(backed->state, sizeof backed->state, tree_get_text(tree, "state"));
    copy_text(backed->refund_no, sizeof backed->refund_no, tree_get_text(tree, "refund_no"));
}
