/* The subcommands of cases. */
#include <inttypes.h>
#include <string.h>

#include "base/money.h"
#include "money/case_internal.h"
#include "outside/tree.h"

static void put_wall(struct tree *tree, const char *key, wall_t wall)
{
    char text[WALL_TEXT];
    tree_put_text(tree, key, wall == WALL_NONE ? NULL : wall_sql(wall, text));
}

static void put_text(struct tree *tree, const char *key, const char *text)
{
    tree_put_text(tree, key, text[0] ? text : NULL);
}

/* "3d 4h", "25 min": enough to see what has waited longest. */
static const char *age_text(struct arena *arena, int64_t seconds)
{
    int64_t minutes = seconds / 60;
    if (minutes >= 24 * 60)
        return arena_printf(arena, _("%lld d %lld h"), (long long)(minutes / (24 * 60)),
                            (long long)(minutes / 60 % 24));
    if (minutes >= 60)
        return arena_printf(arena, _("%lld h %lld min"), (long long)(minutes / 60), (long long)(minutes % 60));
    return arena_printf(arena, _("%lld min"), (long long)minutes);
}

static struct tree *case_tree(struct arena *arena, const struct case_row *row)
{
    struct tree *tree = tree_object(), *ways = tree_list();
    enum case_end ends[CASE_END_COUNT];
    size_t count = case_ends(row->kind, ends);
    tree_put_int(tree, "id", row->id);
    tree_put_text(tree, "kind", case_kinds[row->kind].name);
    tree_put_text(tree, "kind_text", case_kind_label(row->kind));
    tree_put_text(tree, "status", row->status);
    tree_put_text(tree, "subject", row->subject);
    put_text(tree, "order_no", row->order_no);
    tree_put_int(tree, "amount_fen", row->amount_fen);
    put_text(tree, "cause", row->cause);
    put_text(tree, "customer", row->customer);
    put_text(tree, "phone", row->phone);
    put_text(tree, "owner", row->owner);
    put_wall(tree, "created_at", row->created_at);
    tree_put_int(tree, "age_s", row->age_s);
    tree_put_text(tree, "age", age_text(arena, row->age_s));
    put_wall(tree, "closed_at", row->closed_at);
    put_text(tree, "closed_by", row->closed_by);
    put_text(tree, "outcome", row->outcome);
    put_text(tree, "reason", row->reason);
    for (size_t i = 0; i < count; i++)
        tree_add_text(ways, case_end_name(ends[i]));
    tree_put(tree, "ends", ways);
    tree_put_text(tree, "steps", row->steps);
    return tree;
}

static enum fd_code case_list_run(struct call *call, struct fd_error *err)
{
    struct case_row *rows;
    size_t count;
    int64_t after, limit;
    enum fd_code code = call_int(call, "after", 0, &after, err);
    if (code == FD_OK)
        code = call_int(call, "limit", 50, &limit, err);
    if (code == FD_OK && (limit < 1 || limit > 500))
        code = fd_fail(err, FD_BAD_INPUT, _("--limit must be between 1 and 500."));
    if (code == FD_OK)
        code = case_list(call->desk, call_switch(call, "all"), after, (size_t)limit + 1, &call->arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    if (count > (size_t)limit) {
        count = (size_t)limit;
        call->next = arena_printf(&call->arena, "%lld", (long long)rows[count - 1].id);
    }
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++)
        tree_add(call->answer, case_tree(&call->arena, &rows[i]));
    if (count == 0)
        call_say(call, _("Nothing needs a person."));
    return FD_OK;
}

static const char *ends_text(struct arena *arena, enum case_kind kind)
{
    enum case_end ends[CASE_END_COUNT];
    size_t count = case_ends(kind, ends);
    const char *text = "";
    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? C_("list", ", ") : "", case_end_name(ends[i]));
    return text;
}

static void say_case(struct call *call, const struct case_row *row)
{
    char amount[FEN_TEXT], at[WALL_TEXT];
    call_say(call, _("Case %lld: %s, %s, since %s."), (long long)row->id, case_kind_label(row->kind),
             fen_text(row->amount_fen, amount), wall_sql(row->created_at, at));
    call_say(call, _("About %s; order %s, %s %s."), row->subject, row->order_no[0] ? row->order_no : "-",
             row->customer[0] ? row->customer : "-", row->phone);
    if (row->cause[0])
        call_say(call, _("Cause: %s"), row->cause);
    if (row->closed_at != WALL_NONE) {
        call_say(call, _("Closed %s by %s: %s."), wall_sql(row->closed_at, at), row->closed_by, row->outcome);
        if (row->reason[0])
            call_say(call, _("Reason: %s"), row->reason);
        return;
    }
    if (row->owner[0])
        call_say(call, _("Taken by %s."), row->owner);
    call_say(call, "%s", row->steps);
    call_say(call, _("It ends so: %s."), ends_text(&call->arena, row->kind));
}

static enum fd_code answer_case(struct call *call, int64_t id, struct fd_error *err)
{
    struct case_row *row;
    enum fd_code code = case_show(call->desk, id, &call->arena, &row, err);
    if (code != FD_OK)
        return code;
    call->answer = case_tree(&call->arena, row);
    say_case(call, row);
    return FD_OK;
}

static enum fd_code case_show_run(struct call *call, struct fd_error *err)
{
    int64_t id = 0;
    enum fd_code code = call_int(call, "id", 0, &id, err);
    return code == FD_OK ? answer_case(call, id, err) : code;
}

static enum fd_code case_take_run(struct call *call, struct fd_error *err)
{
    int64_t id = 0;
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = case_take(call->desk, call->key, id, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    tree_put_text(call->answer, "owner", call->desk->operator);
    call_say(call, _("Case %lld is yours."), (long long)id);
    return FD_OK;
}

static enum fd_code case_close_run(struct call *call, struct fd_error *err)
{
    int64_t id = 0, left = 0;
    char amount[FEN_TEXT];
    struct case_closing closing = {.how = case_end_from_name(call_text(call, "as")),
                                   .to = call_text(call, "to"),
                                   .reference = call_text(call, "reference"),
                                   .in_cash = call_switch(call, "cash"),
                                   .reason = call->reason};
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = call_int(call, "approval", 0, &closing.approval_id, err);
    if (code == FD_OK)
        code = call_fen(call, "amount", 0, &closing.amount_fen, err);
    if (code == FD_OK)
        code = case_close(call->desk, call->key, id, &closing, &left, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    tree_put_text(call->answer, "as", case_end_name(closing.how));
    tree_put_int(call->answer, "left_fen", left);
    call_say(call, _("Case %lld: %s."), (long long)id, case_end_name(closing.how));
    if (left > 0)
        call_say(call, _("%s of it is left; a new case has it."), fen_text(left, amount));
    return FD_OK;
}

static const struct action_param list_params[] = {
    {"all", P_SWITCH, 0, NULL, N_("closed ones too, newest first")},
    {"after", P_INT, 0, NULL, N_("next page: the last id of this one")},
    {"limit", P_INT, 0, NULL, N_("rows, 1 to 500 (default 50)")},
    {0},
};
#define ID_PARAM                                                                                                       \
    {                                                                                                                  \
        "id", P_INT, P_REQUIRED | P_POSITIONAL, NULL, N_("number of the case")                                         \
    }
static const struct action_param id_params[] = {ID_PARAM, {0}};
static const struct action_param close_params[] = {
    ID_PARAM,
    {"as", P_CHOICE, P_REQUIRED, "refunded|moved|confirmed|rejected|paid_by_hand|retried|kept|not_done|recorded", N_("how it ends")},
    {"to", P_TEXT, 0, NULL, N_("moved: order of the same customer that it pays")},
    {"reference", P_TEXT, 0, NULL, N_("paid_by_hand, recorded: number of the transfer, slip or refund")},
    {"amount", P_MONEY, 0, NULL, N_("recorded: what went back at the channel, where it is not the case's amount")},
    {"cash", P_SWITCH, 0, NULL, N_("out of the drawer, though it came another way")},
    {"approval", P_INT, 0, NULL, N_("refunded: number of the second person's approval")},
    {0},
};
static const struct column columns[] = {
    {"id", N_("Case"), 1, false},
    {"kind_text", N_("Kind"), -1, false},
    {"age", N_("Age"), 1, false},
    {"amount_fen", N_("Amount"), 1, true},
    {"order_no", N_("Order"), -1, false},
    {"customer", N_("Customer"), -1, false},
    {"owner", N_("Taken by"), -1, false},
    {"cause", N_("Cause"), -1, false},
    {NULL, NULL, 0, false},
};

#define ROLES  "clerk finance admin"
#define WRITES (A_OPERATOR | A_WRITE | A_CONSOLE)
const struct action case_actions[] = {
    {"case", "list", NULL, N_("list what needs a person"),
     N_("Money that came too late or twice, bills paid in part, failed refunds, tenders to confirm."), list_params,
     columns, A_OPERATOR | A_CONSOLE, ROLES, case_list_run},
    {"case", "show", NULL, N_("show a case and what to do next"), NULL, id_params, NULL, A_OPERATOR | A_CONSOLE, ROLES,
     case_show_run},
    {"case", "take", NULL, N_("say that you look after a case"),
     N_("What somebody else has is taken over with a reason."), id_params, NULL, WRITES, ROLES, case_take_run},
    {"case", "close", NULL, N_("close a case"),
     N_("Each kind ends in some of these ways; case show says in which. All but moved are for finance."), close_params,
     NULL, WRITES, "finance clerk admin", case_close_run},
    {0},
};
