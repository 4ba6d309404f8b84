/* pay_take: the action around a payment, its stored answer and the subcommands. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/action.h"
#include "money/pay_internal.h"

struct take {
    const char *number;
    const struct payment *payment;
    struct pay_plan plan;
};

static void put_paid(struct tree *tree, const struct paid *paid)
{
    tree_put_text(tree, "payment_no", paid->payment_no[0] ? paid->payment_no : NULL);
    tree_put_int(tree, "amount_fen", paid->amount_fen);
    tree_put_int(tree, "tendered_fen", paid->tendered_fen);
    tree_put_int(tree, "change_fen", paid->change_fen);
    tree_put_int(tree, "left_fen", paid->left_fen);
    tree_put_int(tree, "orders_paid", paid->orders_paid);
}

static char *plan_json(const struct pay_plan *plan)
{
    struct tree *tree = tree_object(), *orders = tree_list();
    put_paid(tree, &plan->paid);
    for (size_t i = 0; i < plan->count; i++) {
        struct tree *row = tree_object();
        tree_put_text(row, "order_no", plan->shares[i].order->order_no);
        tree_put_int(row, "amount_fen", plan->shares[i].fen);
        tree_put_text(row, "status", plan->shares[i].state);
        tree_add(orders, row);
    }
    tree_put(tree, "orders", orders);
    char *json = tree_dump(tree);
    tree_free(&tree);
    return json;
}

enum fd_code pay_nothing_owed(struct db *db, const struct owed *owed, struct arena *arena, struct fd_error *err)
{
    const struct order *order = owed->asked ? owed->asked : owed->all[0];
    const char *who;
    if (!owed->asked)
        return fd_fail(err, FD_REFUSED, _("Bill %s owes nothing."), owed->bill_no);
    enum fd_code code = order_who(db, order, arena, &who, err);
    if (code != FD_OK)
        return code;
    const char *label = state_label(order->kind->entity, order->state);
    if (who[0])
        return fd_fail(err, FD_REFUSED, _("Order %s owes nothing: it is %s (%s)."), order->order_no, label, who);
    return fd_fail(err, FD_REFUSED, _("Order %s owes nothing: it is %s."), order->order_no, label);
}

/* All that the answer says follows from what is read here; where the rows differ by then, the run begins again. */
static enum fd_code take_prepare(struct op *op, void *arg, struct fd_error *err)
{
    struct take *take = arg;
    struct owed owed;
    enum fd_code code = pay_owed(op_db(op), take->number, op_arena(op), &owed, err);
    if (code == FD_OK && owed.count == 0)
        code = pay_nothing_owed(op_db(op), &owed, op_arena(op), err);
    if (code == FD_OK)
        code = pay_plan_make(op, &owed, take->payment, &take->plan, err);
    if (code != FD_OK)
        return code;
    char *json = plan_json(&take->plan);
    op_result(op, json);
    free(json);
    return FD_OK;
}

static enum fd_code take_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct take *take = arg;
    return pay_plan_do(op, &take->plan, err);
}

enum fd_code pay_take_json(struct desk *desk, const char *key, const char *number, const struct payment *payment,
                           char **json, struct fd_error *err)
{
    struct arena arena = {0};
    struct take take = {.number = number, .payment = payment};
    char folded[NUMBER_BYTES];
    FD_ASSERT((unsigned)payment->tender < TENDER_COUNT);
    bool known_form = order_number_fold(number, folded);
    const struct op_spec spec = {
        .action = arena_printf(&arena, "pay.%s", tenders[payment->tender].verb),
        .key = key,
        .content =
            arena_printf(&arena, "%s\n%" PRId64 "\n%" PRId64 "\n%s\n%d", known_form ? folded : "?", payment->amount_fen,
                         payment->tendered_fen, payment->reference ? payment->reference : "", payment->check_in),
        .prepare = take_prepare,
        .apply = take_apply,
    };
    enum fd_code code = op_run(desk, &spec, &take, json, NULL, err);
    arena_release(&arena);
    return code;
}

static void paid_from(const struct tree *tree, struct paid *paid)
{
    const char *number = tree_get_text(tree, "payment_no");
    *paid = (struct paid){0};
    cut_copy(paid->payment_no, sizeof paid->payment_no, number ? number : "");
    paid->amount_fen = tree_get_int(tree, "amount_fen");
    paid->tendered_fen = tree_get_int(tree, "tendered_fen");
    paid->change_fen = tree_get_int(tree, "change_fen");
    paid->left_fen = tree_get_int(tree, "left_fen");
    paid->orders_paid = tree_get_int(tree, "orders_paid");
}

enum fd_code pay_take(struct desk *desk, const char *key, const char *number, const struct payment *payment,
                      struct paid *paid, struct fd_error *err)
{
    char *json = NULL;
    enum fd_code code = pay_take_json(desk, key, number, payment, &json, err);
    if (code != FD_OK)
        return code;
    struct tree *tree = tree_parse(json);
    paid_from(tree, paid);
    tree_free(&tree);
    free(json);
    return FD_OK;
}

static void say_paid(struct call *call, enum tender tender, const struct paid *paid)
{
    char amount[FEN_TEXT], tendered[FEN_TEXT], change[FEN_TEXT], left[FEN_TEXT];
    if (paid->amount_fen > 0)
        call_say(call, _("%s: %s taken, receipt %s."), i18n_label(tenders[tender].label),
                 fen_text(paid->amount_fen, amount), paid->payment_no);
    if (paid->change_fen > 0)
        call_say(call, _("Tendered %s, change %s."), fen_text(paid->tendered_fen, tendered),
                 fen_text(paid->change_fen, change));
    if (paid->left_fen > 0)
        call_say(call, _("Still owed: %s."), fen_text(paid->left_fen, left));
}

static bool has_param(const struct action *action, const char *name)
{
    for (const struct action_param *param = action->params; param->name; param++)
        if (strcmp(param->name, name) == 0)
            return true;
    return false;
}

static enum fd_code pay_run(struct call *call, enum tender tender, struct fd_error *err)
{
    struct payment payment = {
        .tender = tender, .reference = call_text(call, "reference"), .check_in = call_switch(call, "check-in")};
    struct paid paid;
    char *json = NULL;
    enum fd_code code = call_fen(call, "amount", 0, &payment.amount_fen, err);
    /* A script that worked out 0 must not take all that is owed. */
    if (code == FD_OK && payment.amount_fen == 0 && call_given(call, "amount"))
        code = fd_fail(err, FD_BAD_INPUT, "%s", _("amount: 0.00 takes nothing."));
    if (code == FD_OK && has_param(call->action, "tendered")) {
        payment.counted = call_given(call, "tendered");
        payment.field = "--tendered";
        code = call_fen(call, "tendered", 0, &payment.tendered_fen, err);
    }
    if (code == FD_OK)
        code = pay_take_json(call->desk, call->key, call_text(call, "number"), &payment, &json, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_parse(json);
    free(json);
    paid_from(call->answer, &paid);
    say_paid(call, tender, &paid);
    return FD_OK;
}

static enum fd_code cash_run(struct call *call, struct fd_error *err)
{
    return pay_run(call, TENDER_CASH, err);
}

static enum fd_code card_run(struct call *call, struct fd_error *err)
{
    return pay_run(call, TENDER_CARD, err);
}

static enum fd_code transfer_run(struct call *call, struct fd_error *err)
{
    return pay_run(call, TENDER_TRANSFER, err);
}

static enum fd_code static_run(struct call *call, struct fd_error *err)
{
    return pay_run(call, TENDER_STATIC, err);
}

static enum fd_code voucher_run(struct call *call, struct fd_error *err)
{
    return pay_run(call, TENDER_VOUCHER, err);
}

#define NUMBER_PARAM                                                                                                   \
    {                                                                                                                  \
        "number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL,                                                             \
            N_("order or bill: whole number, or its last 4 characters or more")                                        \
    }
#define AMOUNT_PARAM                                                                                                   \
    {                                                                                                                  \
        "amount", P_MONEY, 0, NULL, N_("yuan to take (default: all that is owed)")                                     \
    }
#define CHECK_IN_PARAM                                                                                                 \
    {                                                                                                                  \
        "check-in", P_SWITCH, 0, NULL, N_("and go in")                                                                 \
    }

static const struct action_param cash_params[] = {
    NUMBER_PARAM,   {"tendered", P_MONEY, 0, NULL, N_("yuan handed over (default: exactly)")},
    AMOUNT_PARAM,   {"reference", P_TEXT, 0, NULL, N_("remark on the receipt")},
    CHECK_IN_PARAM, {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param other_params[] = {
    NUMBER_PARAM,
    {"reference", P_TEXT, P_REQUIRED, NULL, N_("number of the slip, transfer or voucher")},
    AMOUNT_PARAM,
    CHECK_IN_PARAM,
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct column pay_columns[] = {
    {"order_no", N_("Order"), -1, false},
    {"amount_fen", N_("Paid"), 1, true},
    {"status", N_("State"), -1, false},
    {NULL, NULL, 0, false},
};

#define CODE_HELP                                                                                                      \
    N_("Shows the code that the customer scans. The same again shows it again; --wait asks until it is paid or over.")
#define PAY_FLAGS (A_OPERATOR | A_WRITE | A_CONSOLE)
const struct action pay_actions[] = {
    {"pay", "cash", "pc", N_("take cash"), N_("Pays what the order's bill still owes; change is worked out."),
     cash_params, pay_columns, PAY_FLAGS, "clerk admin", cash_run},
    {"pay", "wechat", "pw", N_("take a WeChat payment by a code"), CODE_HELP, code_open_params, NULL, PAY_FLAGS,
     "clerk admin kiosk", code_wechat_run},
    {"pay", "alipay", "pa", N_("take an Alipay payment by a code"), CODE_HELP, code_open_params, NULL, PAY_FLAGS,
     "clerk admin kiosk", code_alipay_run},
    {"pay", "code", NULL, N_("show or close the payment code of an order"), NULL, code_show_params, NULL,
     A_OPERATOR | A_CONSOLE,
     "clerk finance admin kiosk", code_show_run},
    {"channel", "check", NULL, N_("check the payment channels: keys, clock, right, reachable"), NULL, NULL, NULL,
     A_NO_DB | A_CONSOLE, "clerk finance admin", channel_check_run},
    {"pay", "card", NULL, N_("take a card payment"), NULL, other_params, pay_columns, PAY_FLAGS, "clerk admin",
     card_run},
    {"pay", "transfer", NULL, N_("take a bank transfer"), N_("Paid at once; finance confirms it later."), other_params,
     pay_columns, PAY_FLAGS, "clerk admin", transfer_run},
    {"pay", "static", NULL, N_("take a payment to the static code"), N_("Paid at once; finance confirms it later."),
     other_params, pay_columns, PAY_FLAGS, "clerk admin", static_run},
    {"pay", "voucher", NULL, N_("take a group-buying voucher"), N_("Paid at once; finance confirms it later."),
     other_params, pay_columns, PAY_FLAGS, "clerk admin", voucher_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
