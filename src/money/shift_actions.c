/* The subcommands of shifts. */
#include <stdlib.h>

#include "base/money.h"
#include "money/shift_internal.h"

static enum fd_code shift_open_run(struct call *call, struct fd_error *err)
{
    int64_t opening = -1, id;
    char amount[FEN_TEXT];
    struct shift_sum *sum;
    enum fd_code code = call_fen(call, "float", -1, &opening, err);
    if (code == FD_OK)
        code = shift_open(call->desk, call->key, opening, &id, err);
    if (code == FD_OK)
        code = shift_report(call->desk, id, &call->arena, &sum, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    tree_put_text(call->answer, "terminal", sum->terminal);
    tree_put_int(call->answer, "opening_fen", sum->opening_fen);
    call_say(call, _("Shift %lld of %s is open with a float of %s."), (long long)id, sum->terminal,
             fen_text(sum->opening_fen, amount));
    return FD_OK;
}

static enum fd_code move_run(struct call *call, int sign, struct fd_error *err)
{
    int64_t fen = 0;
    char amount[FEN_TEXT];
    enum fd_code code = call_fen(call, "amount", 0, &fen, err);
    if (code == FD_OK)
        code = shift_cash(call->desk, call->key, sign * fen, call->reason, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "amount_fen", sign * fen);
    call_say(call, sign > 0 ? _("%s put into the drawer.") : _("%s taken out of the drawer."), fen_text(fen, amount));
    return FD_OK;
}

static enum fd_code shift_in_run(struct call *call, struct fd_error *err)
{
    return move_run(call, 1, err);
}

static enum fd_code shift_out_run(struct call *call, struct fd_error *err)
{
    return move_run(call, -1, err);
}

static void say_report(struct call *call, const struct shift_sum *sum)
{
    char at[WALL_TEXT], a[FEN_TEXT], b[FEN_TEXT], c[FEN_TEXT];
    call_say(call, _("Shift %lld of %s, opened %s by %s."), (long long)sum->id, sum->terminal,
             wall_sql(sum->opened_at, at), sum->opened_by);
    if (sum->closed_at != WALL_NONE)
        call_say(call, _("Closed %s by %s."), wall_sql(sum->closed_at, at), sum->closed_by);
    call_say(call, _("Float %s, put in %s, taken out %s."), fen_text(sum->opening_fen, a), fen_text(sum->in_fen, b),
             fen_text(sum->out_fen, c));
    if (!sum->blind)
        call_say(call, _("Cash taken %s, given back %s, expected in the drawer %s."), fen_text(sum->cash_fen, a),
                 fen_text(sum->cash_back_fen, b), fen_text(sum->expected_fen, c));
    if (sum->closed_at != WALL_NONE)
        call_say(call, _("Counted %s, difference %s, left for the next shift %s."), fen_text(sum->counted_fen, a),
                 fen_text(sum->difference_fen, b), fen_text(sum->left_fen, c));
    if (sum->first_counted_fen >= 0 && sum->closed_at != WALL_NONE && sum->first_counted_fen != sum->counted_fen)
        call_say(call, _("Counted first: %s."), fen_text(sum->first_counted_fen, a));
    if (sum->explanation[0])
        call_say(call, _("Explanation: %s"), sum->explanation);
    call_say(
        call,
        _("To hand over: unpaid holds %lld, live codes %lld, goods out %lld, open cases %lld, changed orders %lld."),
        (long long)sum->unpaid, (long long)sum->live_codes, (long long)sum->goods_out, (long long)sum->cases,
        (long long)sum->changed);
}

static enum fd_code count_from(struct call *call, struct shift_count *count, char **json, struct fd_error *err)
{
    int64_t pieces_fen = -1;
    enum fd_code code = call_fen(call, "counted", -1, &count->counted_fen, err);
    if (code == FD_OK)
        code = call_fen(call, "left", -1, &count->left_fen, err);
    if (code == FD_OK && call_given(call, "count"))
        code = shift_denominations(call_text(call, "count"), json, &pieces_fen, err);
    if (code != FD_OK)
        return code;
    if (count->counted_fen < 0)
        count->counted_fen = pieces_fen;
    if (count->counted_fen < 0)
        return fd_fail(err, FD_USAGE, _("Say what was counted: --counted AMOUNT, or --count 100=3,50=2."));
    count->denominations = *json;
    count->explanation = call_given(call, "explanation") ? call_text(call, "explanation") : call->reason;
    return FD_OK;
}

static enum fd_code shift_close_run(struct call *call, struct fd_error *err)
{
    struct shift_count count = {0};
    struct shift_sum *sum;
    char *json = NULL;
    enum fd_code code = count_from(call, &count, &json, err);
    if (code == FD_OK)
        code = shift_close(call->desk, call->key, &count, &call->arena, &sum, err);
    if (code == FD_OK) {
        call->answer = tree_parse(sum->json);
        say_report(call, sum);
    }
    free(json);
    return code;
}

static enum fd_code shift_report_run(struct call *call, struct fd_error *err)
{
    int64_t id = 0;
    struct shift_sum *sum;
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = shift_report(call->desk, id, &call->arena, &sum, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_parse(sum->json);
    say_report(call, sum);
    return FD_OK;
}

static enum fd_code shift_list_run(struct call *call, struct fd_error *err)
{
    struct shift_sum *sums;
    size_t count;
    day_t from, to;
    enum fd_code code = call_day(call, "from", call->today, &from, err);
    if (code == FD_OK)
        code = call_day(call, "to", call_given(call, "from") && from > call->today ? from : call->today, &to, err);
    if (code == FD_OK)
        code = shift_list(call->desk, from, to, &call->arena, &sums, &count, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++)
        tree_add(call->answer, tree_parse(sums[i].json));
    if (count == 0)
        call_say(call, _("No shifts."));
    return FD_OK;
}

static const struct action_param open_params[] = {
    {"float", P_MONEY, 0, NULL, N_("yuan in the drawer (default: what the last shift left)")},
    {0},
};
static const struct action_param move_params[] = {
    {"amount", P_MONEY, P_REQUIRED | P_POSITIONAL, NULL, N_("yuan")},
    {0},
};
static const struct action_param close_params[] = {
    {"counted", P_MONEY, 0, NULL, N_("yuan that were counted")},
    {"count", P_TEXT, 0, NULL, N_("notes and coins and how many of each: 100=3,50=2,0.5=4")},
    {"left", P_MONEY, 0, NULL, N_("yuan left in the drawer for the next shift (default: all of it)")},
    {"explanation", P_TEXT, 0, NULL, N_("why it is not what should be there")},
    {0},
};
static const struct action_param report_params[] = {
    {"id", P_INT, P_POSITIONAL, NULL, N_("number of the shift (default: the open one of this terminal)")},
    {0},
};
static const struct action_param list_params[] = {
    {"from", P_DATE, 0, NULL, N_("first day (default: today)")},
    {"to", P_DATE, 0, NULL, N_("last day (default: today)")},
    {0},
};
static const struct column line_columns[] = {
    {"channel", N_("Tender"), -1, false},    {"count", N_("Payments"), 1, false},
    {"amount_fen", N_("Amount"), 1, true},   {"back_count", N_("Refunds"), 1, false},
    {"back_fen", N_("Given back"), 1, true}, {NULL, NULL, 0, false},
};
static const struct column list_columns[] = {
    {"id", N_("Shift"), 1, false},
    {"terminal", N_("Terminal"), -1, false},
    {"opened_by", N_("Opened by"), -1, false},
    {"opened_at", N_("Opened"), -1, false},
    {"closed_at", N_("Closed"), -1, false},
    {"expected_fen", N_("Expected"), 1, true},
    {"counted_fen", N_("Counted"), 1, true},
    {"difference_fen", N_("Difference"), 1, true},
    {NULL, NULL, 0, false},
};

#define DESK_ROLES "clerk finance admin"
#define WRITES     (A_OPERATOR | A_WRITE | A_CONSOLE)
const struct action shift_actions[] = {
    {"shift", "open", NULL, N_("open a shift of this terminal's drawer"),
     N_("The first money that is taken opens one too, with a float of 0."), open_params, NULL, WRITES, DESK_ROLES,
     shift_open_run},
    {"shift", "in", NULL, N_("put cash into the drawer"), NULL, move_params, NULL, WRITES | A_REASON, DESK_ROLES,
     shift_in_run},
    {"shift", "out", NULL, N_("take cash out of the drawer"), NULL, move_params, NULL, WRITES | A_REASON, DESK_ROLES,
     shift_out_run},
    {"shift", "close", NULL, N_("close the shift with what was counted"),
     N_("What should be there is told after the count. A difference needs an explanation, and so does another count "
        "than the first."),
     close_params, line_columns, WRITES, DESK_ROLES, shift_close_run},
    {"shift", "report", NULL, N_("show the report of a shift"),
     N_("While it is open, what should be in the drawer is shown to finance and administrators only."), report_params,
     line_columns, A_OPERATOR | A_CONSOLE, DESK_ROLES, shift_report_run},
    {"shift", "list", NULL, N_("list the shifts of some days"), NULL, list_params, list_columns, A_OPERATOR | A_CONSOLE,
     DESK_ROLES, shift_list_run},
    {0},
};
