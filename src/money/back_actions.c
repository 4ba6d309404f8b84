/* The actions of this part: order refund, price change, approve. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/approval.h"
#include "money/back.h"
#include "money/price.h"

void backed_say(struct call *call, const struct backed *backed)
{
    char fen[FEN_TEXT];
    if (backed->cash_fen > 0)
        call_say(call, _("Give back in cash: %s"), fen_text(backed->cash_fen, fen));
    if (backed->pending_fen > 0)
        call_say(call, _("On its way back: %s"), fen_text(backed->pending_fen, fen));
    int64_t done = backed->fen - backed->cash_fen - backed->pending_fen;
    if (done > 0)
        call_say(call, _("Given back: %s"), fen_text(done, fen));
}

static enum fd_code back_from(const struct call *call, struct back *back, struct fd_error *err)
{
    *back = (struct back){.in_cash = call_switch(call, "cash"), .reference = call_text(call, "reference")};
    if (call_given(call, "amount") && call_given(call, "quantity"))
        return fd_fail(err, FD_USAGE, _("Either --amount or --quantity."));
    if (call_given(call, "amount"))
        back->kind = BACK_AMOUNT;
    else if (call_given(call, "quantity"))
        back->kind = BACK_QUANTITY;
    enum fd_code code = call_fen(call, "amount", 0, &back->amount_fen, err);
    if (code == FD_OK)
        code = call_int(call, "quantity", 0, &back->quantity, err);
    return code == FD_OK ? call_int(call, "approval", 0, &back->approval_id, err) : code;
}

static enum fd_code refund_run(struct call *call, struct fd_error *err)
{
    struct back back;
    struct backed backed = {0};
    const char *number = call_text(call, "number");
    enum fd_code code = back_from(call, &back, err);
    if (code == FD_OK)
        code = back_give(call->desk, call->key, number, &back, call->reason, &backed, err);
    if (code != FD_OK)
        return code;
    call->answer = backed_tree(&backed);
    tree_put_text(call->answer, "order", number);
    backed_say(call, &backed);
    if (backed.count == 0)
        call_say(call, _("Nothing had been paid."));
    return FD_OK;
}

static enum fd_code price_run(struct call *call, struct fd_error *err)
{
    struct reprice how = {.in_cash = call_switch(call, "cash"), .reference = call_text(call, "reference")};
    struct repriced repriced;
    char was[FEN_TEXT], is[FEN_TEXT];
    enum fd_code code = call_fen(call, "to", 0, &how.new_fen, err);
    if (code == FD_OK)
        code = call_fen(call, "from", -1, &how.old_fen, err);
    if (code == FD_OK)
        code = call_int(call, "approval", 0, &how.approval_id, err);
    if (code == FD_OK)
        code = price_change_with(call->desk, call->key, call_text(call, "number"), &how, call->reason, &repriced, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_text(call->answer, "order", call_text(call, "number"));
    tree_put_int(call->answer, "old_fen", repriced.old_fen);
    tree_put_int(call->answer, "new_fen", repriced.new_fen);
    tree_put_int(call->answer, "due_fen", repriced.due_fen);
    tree_put_text(call->answer, "status", repriced.state);
    tree_put(call->answer, "backed", backed_tree(&repriced.backed));
    call_say(call, _("It cost %s, now it costs %s."), fen_text(repriced.old_fen, was), fen_text(repriced.new_fen, is));
    if (repriced.due_fen > 0)
        call_say(call, _("Still owed: %s."), fen_text(repriced.due_fen, is));
    backed_say(call, &repriced.backed);
    return FD_OK;
}

/* Without what goes on changing (the seconds left, used or not): a repeated decision gives its first answer. */
static struct tree *approval_tree(const struct approval_row *row, const char *status)
{
    char at[WALL_TEXT];
    struct tree *tree = tree_object();
    tree_put_int(tree, "id", row->id);
    tree_put_text(tree, "status", status);
    tree_put_text(tree, "action", row->action);
    tree_put_text(tree, "order_no", row->order_no);
    tree_put_int(tree, "amount_fen", row->amount_fen);
    tree_put_text(tree, "reason", row->reason);
    tree_put_text(tree, "requester", row->requester);
    tree_put_text(tree, "terminal", row->terminal);
    tree_put_text(tree, "approver", row->approver[0] ? row->approver : NULL);
    tree_put_text(tree, "created_at", wall_sql(row->created_at, at));
    return tree;
}

static enum fd_code list_run(struct call *call, struct fd_error *err)
{
    struct approval_row *rows;
    size_t count;
    enum fd_code code = approval_list(call->desk, call_switch(call, "all"), &call->arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++) {
        struct tree *tree = approval_tree(&rows[i], rows[i].status);
        tree_put_int(tree, "left_s", rows[i].left_s);
        tree_add(call->answer, tree);
    }
    return FD_OK;
}

static enum fd_code decide(struct call *call, bool grant, struct fd_error *err)
{
    struct approval_row *row;
    char amount[FEN_TEXT];
    int64_t id = 0;
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = approval_decide(call->desk, call->key, id, grant, err);
    if (code == FD_OK)
        code = approval_show(call->desk, id, &call->arena, &row, err);
    if (code != FD_OK)
        return code;
    call->answer = approval_tree(row, grant ? "GRANTED" : "DENIED");
    call_say(call, grant ? _("Granted: %s, %s, order %s.") : _("Denied: %s, %s, order %s."), row->requester,
             fen_text(row->amount_fen, amount), row->order_no);
    return FD_OK;
}

static enum fd_code grant_run(struct call *call, struct fd_error *err)
{
    return decide(call, true, err);
}

static enum fd_code deny_run(struct call *call, struct fd_error *err)
{
    return decide(call, false, err);
}

static enum fd_code ask_run(struct call *call, struct fd_error *err)
{
    struct approval_wish wish = {
        .action = call_text(call, "what"), .order_no = call_text(call, "number"), .reason = call->reason};
    int64_t id = 0;
    enum fd_code code = call_fen(call, "amount", -1, &wish.amount_fen, err);
    if (code == FD_OK && wish.amount_fen < 0 && strcmp(wish.action, "price") == 0)
        code = fd_fail(err, FD_USAGE, _("%s is missing."), "--amount");
    if (code == FD_OK)
        code = approval_ask(call->desk, call->key, &wish, &id, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    call_say(call, _("Asked: approval %" PRId64 ". The second person: frontdesk approve grant %" PRId64), id, id);
    return FD_OK;
}

#define END_PARAMS                                                                                                     \
    {                                                                                                                  \
        NULL, P_TEXT, 0, NULL, NULL                                                                                    \
    }
#define NUMBER_PARAM                                                                                                   \
    {                                                                                                                  \
        "number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("order number, or its last 4 characters")                \
    }
#define BACK_PARAMS                                                                                                    \
    {"cash", P_SWITCH, 0, NULL, N_("in cash, although it came another way (finance, with a reason)")},                 \
        {"reference", P_TEXT, 0, NULL, N_("number of the card refund's slip")},                                        \
    {                                                                                                                  \
        "approval", P_INT, 0, NULL, N_("a second person's approval")                                                   \
    }

static const struct action_param refund_params[] = {
    NUMBER_PARAM,
    {"amount", P_MONEY, 0, NULL, N_("only so many yuan; the order stays as it is")},
    {"quantity", P_INT, 0, NULL, N_("only so many places, which are free again")},
    BACK_PARAMS,
    END_PARAMS,
};
static const struct action_param price_params[] = {
    NUMBER_PARAM,
    {"to", P_MONEY, P_REQUIRED, NULL, N_("yuan that the order costs from now on")},
    {"from", P_MONEY, 0, NULL, N_("yuan that were seen; refused where it is another amount now")},
    BACK_PARAMS,
    END_PARAMS,
};
static const struct action_param list_params[] = {
    {"all", P_SWITCH, 0, NULL, N_("also those that are over")},
    END_PARAMS,
};
static const struct action_param id_params[] = {
    {"id", P_INT, P_REQUIRED | P_POSITIONAL, NULL, N_("approval, see approve list")},
    END_PARAMS,
};
static const struct action_param ask_params[] = {
    {"what", P_CHOICE, P_REQUIRED | P_POSITIONAL, "refund|price", N_("what is to be approved: refund or price")},
    NUMBER_PARAM,
    {"amount", P_MONEY, 0, NULL, N_("yuan that go back (all that is left), or the new price")},
    END_PARAMS,
};
static const struct column list_columns[] = {
    {"id", NC_("column", "id"), 1, false},
    {"status", NC_("column", "status"), -1, false},
    {"action", NC_("column", "what"), -1, false},
    {"order_no", NC_("column", "order"), -1, false},
    {"amount_fen", NC_("column", "amount"), 1, true},
    {"requester", NC_("column", "asked by"), -1, false},
    {"approver", NC_("column", "decided by"), -1, false},
    {"reason", NC_("column", "reason"), -1, false},
    {NULL, NULL, 0, false},
};

#define READ  (A_OPERATOR | A_CONSOLE)
#define WRITE (A_OPERATOR | A_WRITE | A_CONSOLE)

const struct action back_actions[] = {
    {"order", "refund", "rf", N_("give money back, the way it came"),
     N_("Whole in the free window; later with a permission and a reason. After it was used: money only."),
     refund_params, NULL, WRITE, "clerk finance admin", refund_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
const struct action price_actions[] = {
    {"price", "change", "pr", N_("change what an order costs"),
     N_("Paid already: less goes back, more is owed. Above the role's limit a second person approves."), price_params,
     NULL, WRITE | A_REASON, "clerk finance admin", price_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
const struct action approval_actions[] = {
    {"approve", "list", "al", N_("list approvals that wait for a decision or for use"), NULL, list_params, list_columns,
     READ, "clerk finance admin", list_run},
    {"approve", "grant", "ag", N_("approve what another operator asks for"),
     N_("Valid for 10 minutes, used once, never one's own."), id_params, NULL, WRITE, "finance admin", grant_run},
    {"approve", "deny", NULL, N_("refuse what another operator asks for"), NULL, id_params, NULL, WRITE,
     "finance admin", deny_run},
    {"approve", "ask", NULL, N_("ask for a second person's approval"), NULL, ask_params, NULL, WRITE | A_REASON,
     "clerk finance admin", ask_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
