/* Changing what an order costs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/pay_internal.h"
#include "money/price.h"
#include "money/square.h"

/* By how much this operator changed the price so far without anybody's approval, signed, in fen. */
DB_QUERY(
    q_so_far, "price.so_far", DB_VALUE,
    "SELECT CAST(COALESCE(SUM(l.amount_change), 0) * 100 AS SIGNED) FROM operation_log l "
    "WHERE l.entity = :entity AND l.entity_no = :order_no AND l.action = 'price.change' AND l.operator = :operator "
    "AND NOT EXISTS (SELECT 1 FROM operation_log a WHERE a.request_key = l.request_key AND a.entity = 'approval')");

struct change {
    const char *number;
    const struct reprice *how;
};

static enum fd_code check_seen(const struct order *order, const struct reprice *how, struct fd_error *err)
{
    char seen[FEN_TEXT], now[FEN_TEXT];
    if (how->old_fen >= 0 && how->old_fen != order->total_fen) {
        fd_fail(err, FD_PRICE_CHANGED, _("Order %s cost %s when it was looked at, now it costs %s."), order->order_no,
                fen_text(how->old_fen, seen), fen_text(order->total_fen, now));
        fd_hint(err, _("Look at the order again."));
        return FD_PRICE_CHANGED;
    }
    if (how->new_fen == order->total_fen)
        return fd_fail(err, FD_BAD_INPUT, _("Order %s costs %s already."), order->order_no,
                       fen_text(order->total_fen, now));
    return FD_OK;
}

/* What would go back, for the limits: the approval is of the price, and covers it. */
static int64_t back_of(const struct order *order, int64_t new_fen)
{
    int64_t less = order_waits(order) ? order->paid_fen - new_fen : order->total_fen - new_fen - order->due_fen;
    return less > 0 ? less : 0;
}

/* What the limit is compared with: many small steps are one large one. */
static enum fd_code change_by(struct op *op, const struct order *order, int64_t new_fen, int64_t *by_fen,
                              struct fd_error *err)
{
    int64_t step = new_fen - order->total_fen, so_far = 0;
    enum fd_code code =
        db_value_int(op_db(op), &q_so_far,
                     DB_ARGS(db_text("entity", order->kind->entity), db_text("order_no", order->order_no),
                             db_text("operator", op_desk(op)->operator)),
                     &so_far, err);
    if ((so_far > 0) == (step > 0))
        step += so_far;
    *by_fen = step > 0 ? step : -step;
    return code;
}

static void answer(struct op *op, const struct order *order, int64_t old_fen, const struct square *square)
{
    struct tree *tree = tree_object();
    tree_put_text(tree, "order_no", order->order_no);
    tree_put_int(tree, "old_fen", old_fen);
    tree_put_int(tree, "new_fen", order->total_fen);
    tree_put_int(tree, "due_fen", square->due_fen);
    tree_put_text(tree, "status", order->state);
    tree_put(tree, "backed", backed_tree(&square->backed));
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
}

static enum fd_code change_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct change *change = arg;
    const struct reprice *how = change->how;
    struct order *order;
    struct order_set set;
    struct square square = {
        .cause = "price",
        .leave_due = true,
        .back = {
            .in_cash = how->in_cash, .reference = how->reference, .approval_id = how->approval_id, .approved = true}};
    if (!op_reason(op))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    enum fd_code code = order_find(op_db(op), change->number, op_arena(op), &order, err);
    if (code == FD_OK)
        code = check_seen(order, how, err);
    if (code != FD_OK)
        return code;
    int64_t old_fen = order->total_fen, by_fen = 0;
    code = change_by(op, order, how->new_fen, &by_fen, err);
    if (code != FD_OK)
        return code;
    const struct approval_wish wish = {.action = "price",
                                       .order_no = order->order_no,
                                       .amount_fen = how->new_fen,
                                       .reason = op_reason(op),
                                       .back_fen = back_of(order, how->new_fen),
                                       .total_fen = old_fen};
    code = approval_use_in(op, &wish, by_fen, how->approval_id, err);
    if (code != FD_OK)
        return code;
    order_set_keep(order, &set);
    set.total_fen = how->new_fen;
    code = square_fire_in(op, order, "change", &set, &square, err);
    if (code == FD_OK)
        answer(op, order, old_fen, &square);
    return code;
}

static enum fd_code check_asked(const struct reprice *how, const char *reason, struct fd_error *err)
{
    if (!reason || !reason[0])
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    if (how->new_fen < 0 || how->new_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("This amount is not possible."));
    return FD_OK;
}

static void repriced_from(const char *json, struct repriced *repriced)
{
    struct tree *tree = tree_parse(json);
    const char *state = tree_get_text(tree, "status");
    *repriced = (struct repriced){.old_fen = tree_get_int(tree, "old_fen"),
                                  .new_fen = tree_get_int(tree, "new_fen"),
                                  .due_fen = tree_get_int(tree, "due_fen")};
    cut_copy(repriced->state, sizeof repriced->state, state ? state : "");
    backed_from_tree(tree_get(tree, "backed"), &repriced->backed);
    tree_free(&tree);
}

enum fd_code price_change_with(struct desk *desk, const char *key, const char *number, const struct reprice *how,
                               const char *reason, struct repriced *repriced, struct fd_error *err)
{
    struct arena arena = {0};
    struct change change = {.number = number, .how = how};
    char *json = NULL, folded[NUMBER_BYTES];
    bool known_form = order_number_fold(number, folded);
    enum fd_code code = check_asked(how, reason, err);
    if (code != FD_OK)
        return code;
    const struct op_spec spec = {.action = "price.change",
                                 .key = key,
                                 .content = arena_printf(&arena, "%s\n%" PRId64 "\n%" PRId64 "\n%d\n%s",
                                                         known_form ? folded : "?", how->old_fen, how->new_fen,
                                                         how->in_cash, how->reference ? how->reference : ""),
                                 .reason = reason,
                                 .apply = change_apply};
    code = back_run_op(&(struct back_run){.desk = desk, .number = number}, &spec, &change, &json, NULL, err);
    if (code == FD_OK)
        repriced_from(json, repriced);
    free(json);
    arena_release(&arena);
    return code;
}

enum fd_code price_change(struct desk *desk, const char *key, const char *number, int64_t old_fen, int64_t new_fen,
                          int64_t approval_id, const char *reason, struct repriced *repriced, struct fd_error *err)
{
    const struct reprice how = {.old_fen = old_fen, .new_fen = new_fen, .approval_id = approval_id};
    return price_change_with(desk, key, number, &how, reason, repriced, err);
}
