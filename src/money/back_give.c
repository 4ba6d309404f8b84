/* order refund: one action for every way of giving money back of an order; and the run around it, which ends live codes
 * and sends what was asked for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/code.h"
#include "money/pay_internal.h"
#include "money/square.h"

DB_QUERY(
    q_pending, "back.pending", DB_VALUE,
    "SELECT COALESCE(SUM(r.amount), 0) FROM refund_record f JOIN refund_record r ON r.request_key = f.request_key "
    "AND r.order_no = f.order_no WHERE f.refund_no = :refund_no AND r.status IN ('CREATED', 'PROCESSING', 'ABNORMAL')");

#define CODE_ROUNDS 3

struct give {
    const char *number;
    const struct back *back;
    struct backed backed;
};

static enum fd_code needs_late(struct op *op, const struct order *order, struct fd_error *err)
{
    bool may = false;
    enum fd_code code = op_may(op, "refund_late", &may, err);
    if (code != FD_OK)
        return code;
    const char *label = state_label(order->kind->entity, order->state);
    if (!may)
        return fd_fail(err, FD_NO_PERMISSION, _("Order %s is %s: giving money back then needs a permission."),
                       order->order_no, label);
    if (!op_reason(op))
        return fd_fail(err, FD_REASON_NEEDED, _("Order %s is %s: a reason is needed."), order->order_no, label);
    return FD_OK;
}

/* The order stays as it is: after it was used or ended, or a part by amount. */
static enum fd_code money_only(struct op *op, struct order *order, const struct back *asked, struct backed *backed,
                               struct fd_error *err)
{
    struct back back = *asked;
    struct order_set set;
    int64_t fen = asked->kind == BACK_WHOLE ? -1 : asked->amount_fen;
    bool open = rule_find(order->kind->entity, order->state, "refund") != NULL;
    enum fd_code code = FD_OK;
    back.kind = BACK_AMOUNT;
    order_set_keep(order, &set);
    if (!open)
        code = needs_late(op, order, err);
    else if (order->kind->guard)
        code = order->kind->guard(op, order, "refund", &set, err);
    if (code == FD_OK)
        code = back_rows_in(op, order, &back, fen, backed, err);
    if (code == FD_OK && backed->count == 0)
        code = fd_fail(err, FD_REFUSED, _("Nothing is left of what was paid for order %s."), order->order_no);
    return code;
}

static enum fd_code give_places(struct op *op, struct order *order, const struct back *back, struct backed *backed,
                                struct fd_error *err)
{
    struct order_set set;
    struct square square = {.cause = "quantity", .back = *back, .late_guard = true};
    int64_t less;
    order_set_keep(order, &set);
    int64_t unit = set.unit_price_fen;
    if (unit < 0 && order->quantity > 0 && order->total_fen % order->quantity == 0)
        unit = order->total_fen / order->quantity;
    if (back->quantity >= order->quantity)
        return fd_fail(err, FD_BAD_INPUT,
                       _("Order %s has %" PRId64 " places; all of them go back with the whole order."), order->order_no,
                       order->quantity);
    if (unit < 0 || !fen_times(unit, back->quantity, &less) || less > order->total_fen)
        return fd_fail(err, FD_REFUSED, _("What a place of order %s costs is not known; give back an amount."),
                       order->order_no);
    set.quantity = order->quantity - back->quantity;
    set.total_fen = order->total_fen - less;
    set.unit_price_fen = unit;
    enum fd_code code = square_fire_in(op, order, "change", &set, &square, err);
    *backed = square.backed;
    return code;
}

static enum fd_code give_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct give *give = arg;
    const struct back *back = give->back;
    struct order *order;
    give->backed = (struct backed){0};
    enum fd_code code = order_find(op_db(op), give->number, op_arena(op), &order, err);
    if (code != FD_OK)
        return code;
    if (order_waits(order)) {
        fd_fail(err, FD_UNPAID, _("Order %s waits for payment; what was paid of it goes back when it is cancelled."),
                order->order_no);
        fd_hint(err, _("Cancel it: frontdesk order cancel NUMBER"));
        return FD_UNPAID;
    }
    bool open = rule_find(order->kind->entity, order->state, "refund") != NULL;
    if (back->kind == BACK_QUANTITY)
        code = give_places(op, order, back, &give->backed, err);
    else if (back->kind == BACK_WHOLE && open)
        code = back_whole_in(op, order, back, &give->backed, err);
    else
        code = money_only(op, order, back, &give->backed, err);
    if (code != FD_OK)
        return code;
    cut_copy(give->backed.state, sizeof give->backed.state, order->state);
    struct tree *tree = backed_tree(&give->backed);
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
    return FD_OK;
}

/* The order's whole number, its state, and what of the refund still waits. */
struct whole {
    const char *number, *refund_no; /* refund_no NULL: not asked */
    char order_no[NUMBER_BYTES], state[STATE_BYTES];
    int64_t pending_fen;
};

static enum fd_code whole_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct whole *whole = arg;
    struct arena arena = {0};
    struct order *order = NULL;
    const char *pending = "0";
    enum fd_code code = order_find(db, whole->number, &arena, &order, err);
    if (code == FD_OK && whole->refund_no)
        code = db_value_text(db, &q_pending, DB_ARGS(db_text("refund_no", whole->refund_no)), &arena, &pending, err);
    if (code == FD_OK) {
        cut_copy(whole->order_no, sizeof whole->order_no, order->order_no);
        cut_copy(whole->state, sizeof whole->state, order->state);
        fen_from_decimal(pending ? pending : "0", &whole->pending_fen);
    }
    arena_release(&arena);
    return code;
}

static bool waits_for_channel(const char *result)
{
    struct tree *tree = tree_parse(result ? result : "");
    const struct tree *inner = tree ? tree_get(tree, "backed") : NULL;
    int64_t pending = tree ? tree_get_int(inner ? inner : tree, "pending_fen") : 0;
    tree_free(&tree);
    return pending > 0;
}

static void send_after(struct desk *desk, const char *number, const char *result)
{
    struct whole whole = {.number = number};
    struct fd_error ignored = {0};
    if (waits_for_channel(result) && desk_read(desk, "back.order", whole_txn, &whole, &ignored) == FD_OK)
        back_send_now(desk, whole.order_no);
}

enum fd_code back_run_op(const struct back_run *run, const struct op_spec *spec, void *arg, char **result,
                         bool *replayed, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    char *json = NULL;
    for (int round = 0; round < CODE_ROUNDS; round++) {
        struct fd_error local = {0};
        code = run->run ? run->run(run->self, spec, arg, &json, replayed, &local)
                        : op_run(run->desk, spec, arg, &json, replayed, &local);
        bool cleared = false;
        if (code == FD_LIVE_CODE && round + 1 < CODE_ROUNDS) {
            struct fd_error other = {0};
            enum fd_code clear_code = codes_clear(run->desk, run->number, &cleared, &other);
            if (clear_code == FD_OK && cleared)
                continue;
            if (clear_code != FD_OK) {
                code = clear_code;
                local = other;
            }
        }
        if (code != FD_OK && err)
            *err = local;
        break;
    }
    if (code == FD_OK)
        send_after(run->desk, run->number, json);
    if (code == FD_OK && result)
        *result = json;
    else
        free(json);
    return code;
}

static enum fd_code check_asked(const struct back *back, struct fd_error *err)
{
    if (back->kind == BACK_AMOUNT && back->amount_fen <= 0)
        return fd_fail(err, FD_BAD_INPUT, _("amount: it must be above 0."));
    if (back->kind == BACK_QUANTITY && back->quantity <= 0)
        return fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    return FD_OK;
}

/* What the channel said meanwhile. */
static void refresh(struct desk *desk, const char *number, struct backed *backed)
{
    struct whole whole = {.number = number, .refund_no = backed->refund_no};
    struct fd_error ignored = {0};
    if (backed->pending_fen == 0 || desk_read(desk, "back.order", whole_txn, &whole, &ignored) != FD_OK)
        return;
    backed->pending_fen = whole.pending_fen;
    cut_copy(backed->state, sizeof backed->state, whole.state);
}

enum fd_code back_give(struct desk *desk, const char *key, const char *number, const struct back *back,
                       const char *reason, struct backed *backed, struct fd_error *err)
{
    struct arena arena = {0};
    struct give give = {.number = number, .back = back};
    char *json = NULL;
    char folded[NUMBER_BYTES];
    bool known_form = order_number_fold(number, folded);
    enum fd_code code = check_asked(back, err);
    if (code != FD_OK)
        return code;
    /* The approval is not content: a request that was refused for want of one goes on with it under its key. */
    const struct op_spec spec = {
        .action = "order.refund",
        .key = key,
        .content =
            arena_printf(&arena, "%s\n%d\n%" PRId64 "\n%" PRId64 "\n%d\n%s", known_form ? folded : "?", (int)back->kind,
                         back->amount_fen, back->quantity, back->in_cash, back->reference ? back->reference : ""),
        .reason = reason,
        .apply = give_apply,
    };
    code = back_run_op(&(struct back_run){.desk = desk, .number = number}, &spec, &give, &json, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(json);
        backed_from_tree(tree, backed);
        tree_free(&tree);
        refresh(desk, number, backed);
    }
    free(json);
    arena_release(&arena);
    return code;
}
