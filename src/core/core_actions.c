/* The actions of this floor: operators, parameters, rules, the log. Customers' are in customer_actions.c. */
#include <stdlib.h>
#include <string.h>

#include "core/action.h"
#include "core/action_tables.h"
#include "core/logbook.h"
#include "core/operator.h"
#include "core/param.h"
#include "core/rule.h"

/* The new password: a file, what was typed at the prompt, or (nobody signs in yet) the file that --password-file names.
 */
static enum fd_code new_password(struct call *call, char **password, struct fd_error *err)
{
    const char *file = call_text(call, "new-password-file");
    const char *common = config_text(call->config, CONFIG_PASSWORD_FILE);
    if (!file && !call->secret && call->desk->operator_id == 0 && common[0])
        file = common;
    if (file)
        return secret_read(file, password, err);
    if (!call->secret)
        return fd_fail(err, FD_BAD_INPUT, _("Give the new password with --new-password-file FILE."));
    *password = xstrdup(call->secret);
    return FD_OK;
}

static void wipe(char *password)
{
    if (password)
        explicit_bzero(password, strlen(password));
    free(password);
}

static void answer_name(struct call *call, const char *name)
{
    call->answer = tree_object();
    tree_put_text(call->answer, "operator", name);
}

static enum fd_code operator_add_run(struct call *call, struct fd_error *err)
{
    char *password = NULL;
    const char *name = call_text(call, "name");
    enum fd_code code = new_password(call, &password, err);
    if (code == FD_OK) {
        const struct operator_new who = {.name = name,
                                         .label = call_text(call, "label"),
                                         .role = role_from_name(call_text(call, "role")),
                                         .password = password};
        code = operator_add(call->desk, call->key, &who, err);
    }
    wipe(password);
    if (code != FD_OK)
        return code;
    answer_name(call, name);
    call_say(call, _("Operator %s can sign in."), name);
    return FD_OK;
}

static enum fd_code operator_password_run(struct call *call, struct fd_error *err)
{
    char *password = NULL;
    const char *name = call_text(call, "name");
    enum fd_code code = new_password(call, &password, err);
    if (code == FD_OK)
        code = operator_password(call->desk, call->key, name, password, err);
    wipe(password);
    if (code != FD_OK)
        return code;
    answer_name(call, name);
    call_say(call, _("Operator %s has a new password."), name);
    return FD_OK;
}

static enum fd_code operator_disable_run(struct call *call, struct fd_error *err)
{
    const char *name = call_text(call, "name");
    bool undo = call_switch(call, "undo");
    enum fd_code code = operator_disable(call->desk, call->key, name, !undo, call->reason, err);
    if (code != FD_OK)
        return code;
    answer_name(call, name);
    call_say(call, undo ? _("Operator %s may sign in again.") : _("Operator %s may not sign in any more."), name);
    return FD_OK;
}

static enum fd_code operator_unlock_run(struct call *call, struct fd_error *err)
{
    const char *name = call_text(call, "name");
    enum fd_code code = operator_unlock(call->desk, call->key, name, err);
    if (code != FD_OK)
        return code;
    answer_name(call, name);
    call_say(call, _("Operator %s is unlocked."), name);
    return FD_OK;
}

static enum fd_code operator_list_run(struct call *call, struct fd_error *err)
{
    struct operator_row *rows;
    size_t count;
    enum fd_code code = operator_list(call->desk, &call->arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++) {
        char at[WALL_TEXT];
        struct tree *row = tree_object();
        tree_put_text(row, "name", rows[i].name);
        tree_put_text(row, "label", rows[i].label);
        tree_put_text(row, "role", role_name(rows[i].role));
        tree_put_bool(row, "disabled", rows[i].disabled);
        tree_put_bool(row, "locked", rows[i].locked);
        tree_put_int(row, "failed_count", rows[i].failed_count);
        tree_put_text(row, "created_at", wall_sql(rows[i].created_at, at));
        tree_add(call->answer, row);
    }
    return FD_OK;
}

static struct tree *param_row(enum param param, int64_t value)
{
    struct tree *row = tree_object();
    tree_put_text(row, "name", param_name(param));
    tree_put_int(row, "value", value);
    tree_put_text(row, "unit", param_unit(param));
    tree_put_int(row, "default", param_default(param));
    tree_put_int(row, "least", param_least(param));
    tree_put_int(row, "most", param_most(param));
    tree_put_text(row, "text", gettext(param_text(param)));
    return row;
}

static enum fd_code param_list_run(struct call *call, struct fd_error *err)
{
    (void)err;
    param_forget(call->desk);
    call->answer = tree_list();
    for (int i = 0; i < PARAM_COUNT; i++)
        tree_add(call->answer, param_row((enum param)i, param_get(call->desk, (enum param)i)));
    return FD_OK;
}

static enum fd_code param_set_run(struct call *call, struct fd_error *err)
{
    int64_t value;
    const char *name = call_text(call, "name");
    enum param param = param_find(name);
    if (param == PARAM_COUNT)
        return fd_fail(err, FD_NOT_FOUND, _("There is no parameter %s."), name);
    enum fd_code code = call_int(call, "value", 0, &value, err);
    if (code == FD_OK)
        code = param_set(call->desk, call->key, param, value, call->reason, err);
    if (code != FD_OK)
        return code;
    call->answer = param_row(param, value);
    call_say(call, _("%s is now %lld %s."), name, (long long)value, param_unit(param));
    return FD_OK;
}

static enum fd_code rules_run(struct call *call, struct fd_error *err)
{
    (void)err;
    const char *format = call_text(call, "format");
    char *json = rules_print("json"), *text = rules_print(format ? format : "table");
    call->answer = tree_parse(json);
    buf_add(&call->text, text);
    free(json);
    free(text);
    return FD_OK;
}

static void put_json_or_null(struct tree *row, const char *key, const char *json)
{
    struct tree *value = json[0] ? tree_parse(json) : NULL;
    if (value)
        tree_put(row, key, value);
    else
        tree_put_text(row, key, json[0] ? json : NULL);
}

static void put_filled(struct tree *row, const char *key, const char *text)
{
    tree_put_text(row, key, text[0] ? text : NULL);
}

static struct tree *log_tree(struct arena *arena, const struct log_row *log)
{
    char at[WALL_TEXT];
    struct tree *row = tree_object();
    const char *arrow = log->state_before[0] || log->state_after[0] ? " → " : "";
    tree_put_int(row, "id", log->id);
    tree_put_text(row, "at", wall_sql(log->at, at));
    tree_put_text(row, "operator", log->operator);
    tree_put_text(row, "role", log->role);
    tree_put_text(row, "terminal", log->terminal);
    tree_put_text(row, "action", log->action);
    tree_put_text(row, "entity", log->entity);
    tree_put_text(row, "entity_no", log->entity_no);
    tree_put_text(row, "event", log->event);
    put_filled(row, "state_before", log->state_before);
    put_filled(row, "state_after", log->state_after);
    tree_put_text(row, "states", arena_printf(arena, "%s%s%s", log->state_before, arrow, log->state_after));
    if (log->has_stock) {
        tree_put_int(row, "schedule_id", log->schedule_id);
        tree_put_int(row, "stock_change", log->stock_change);
    }
    if (log->has_amount)
        tree_put_int(row, "amount_change_fen", log->amount_change_fen);
    put_filled(row, "reason", log->reason);
    put_json_or_null(row, "before", log->before);
    put_json_or_null(row, "after", log->after);
    put_filled(row, "request_key", log->key);
    put_filled(row, "run_id", log->run_id);
    return row;
}

static enum fd_code log_filter_from(struct call *call, struct log_filter *filter, struct fd_error *err)
{
    int64_t limit = 0;
    *filter = (struct log_filter){
        .order = call_text(call, "order"), .operator= call_text(call, "by"), .action = call_text(call, "action")};
    enum fd_code code = call_day(call, "from", DAY_NONE, &filter->from, err);
    if (code == FD_OK)
        code = call_day(call, "to", DAY_NONE, &filter->to, err);
    if (code == FD_OK)
        code = call_int(call, "after", 0, &filter->after_id, err);
    if (code == FD_OK)
        code = call_int(call, "limit", 50, &limit, err);
    if (code == FD_OK && (limit < 1 || limit > 500))
        code = fd_fail(err, FD_BAD_INPUT, _("--limit must be between 1 and 500."));
    filter->most = (size_t)limit;
    return code;
}

/* One row more than is shown tells whether the list goes on. */
static enum fd_code log_page(struct call *call, const struct log_filter *filter, struct log_row **rows, size_t *count,
                             struct fd_error *err)
{
    struct log_filter further = *filter;
    further.most++;
    enum fd_code code = log_list(call->desk, &further, &call->arena, rows, count, err);
    if (code != FD_OK || *count <= filter->most)
        return code;
    *count = filter->most;
    call->next = arena_printf(&call->arena, "%lld", (long long)(*rows)[*count - 1].id);
    return FD_OK;
}

static enum fd_code log_run(struct call *call, struct fd_error *err)
{
    struct log_filter filter;
    struct log_row *rows;
    size_t count;
    enum fd_code code = log_filter_from(call, &filter, err);
    if (code == FD_OK)
        code = log_page(call, &filter, &rows, &count, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++)
        tree_add(call->answer, log_tree(&call->arena, &rows[i]));
    return FD_OK;
}

static const struct action_param add_params[] = {
    {"name", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("what is typed at sign-in")},
    {"role", P_CHOICE, P_REQUIRED, "clerk|finance|admin|kiosk", N_("what the operator may do")},
    {"label", P_TEXT, 0, NULL, N_("name that screens show (default: the name)")},
    {"new-password-file", P_TEXT, 0, NULL, N_("file with the new password, mode 0600; - is standard input")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param password_params[] = {
    {"name", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("whose password")},
    {"new-password-file", P_TEXT, 0, NULL, N_("file with the new password, mode 0600; - is standard input")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param disable_params[] = {
    {"name", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("who")},
    {"undo", P_SWITCH, 0, NULL, N_("let the operator sign in again")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param name_params[] = {
    {"name", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("who")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param set_params[] = {
    {"name", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("parameter, see param list")},
    {"value", P_INT, P_REQUIRED | P_POSITIONAL, NULL, N_("new value, a whole number")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param rules_params[] = {
    {"format", P_CHOICE, 0, "table|json|dot", N_("table, json or dot (Graphviz)")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct action_param log_params[] = {
    {"order", P_TEXT, 0, NULL, N_("rows of one order: number, whole or tail")},
    {"by", P_TEXT, 0, NULL, N_("rows of one operator")},
    {"from", P_DATE, 0, NULL, N_("first day")},
    {"to", P_DATE, 0, NULL, N_("last day")},
    {"action", P_TEXT, 0, NULL, N_("rows of one action, like order.book; without days the last 31 are read")},
    {"limit", P_INT, 0, NULL, N_("rows a page, at most 500 (50)")},
    {"after", P_INT, 0, NULL, N_("next page: id of the last row seen")},
    {NULL, P_TEXT, 0, NULL, NULL},
};

static const struct column operator_columns[] = {
    {"name", N_("Account"), -1, false},
    {"label", N_("Label"), -1, false},
    {"role", N_("Role"), -1, false},
    {"disabled", N_("Disabled"), -1, false},
    {"locked", N_("Locked"), -1, false},
    {"failed_count", N_("Wrong"), 1, false},
    {NULL, NULL, 0, false},
};
static const struct column param_columns[] = {
    {"name", N_("Parameter"), -1, false},      {"value", N_("Value"), 1, false},   {"unit", N_("Unit"), -1, false},
    {"default", N_("Default"), 1, false}, {"text", N_("Meaning"), -1, false}, {NULL, NULL, 0, false},
};
static const struct column log_columns[] = {
    {"id", N_("Id"), 1, false},
    {"at", N_("Time"), -1, false},
    {"operator", N_("Operator"), -1, false},
    {"terminal", N_("Terminal"), -1, false},
    {"action", N_("Action"), -1, false},
    {"entity_no", N_("Number"), -1, false},
    {"event", N_("Event"), -1, false},
    {"states", N_("State"), -1, false},
    {"stock_change", N_("Stock"), 1, false},
    {"reason", N_("Reason"), -1, false},
    {NULL, NULL, 0, false},
};

const struct action core_actions[] = {
    {"operator", "add", NULL, N_("make an operator"),
     N_("The first operator is made without signing in and must be an administrator."), add_params, NULL,
     A_OPERATOR | A_WRITE | A_SECRET, "admin", operator_add_run},
    {"operator", "password", NULL, N_("give an operator a new password"),
     N_("Everybody may change their own. A new password also unlocks."), password_params, NULL,
     A_OPERATOR | A_WRITE | A_SECRET, "admin", operator_password_run},
    {"operator", "list", NULL, N_("list the operators"), NULL, NULL, operator_columns, A_OPERATOR | A_CONSOLE, "admin",
     operator_list_run},
    {"operator", "disable", NULL, N_("shut an operator out, or let one in again"), NULL, disable_params, NULL,
     A_OPERATOR | A_WRITE | A_CONSOLE, "admin", operator_disable_run},
    {"operator", "unlock", NULL, N_("unlock an operator after wrong passwords"), NULL, name_params, NULL,
     A_OPERATOR | A_WRITE | A_CONSOLE, "admin", operator_unlock_run},
    {"param", "list", NULL, N_("list the parameters of the business"), NULL, NULL, param_columns,
     A_OPERATOR | A_CONSOLE, "clerk finance admin", param_list_run},
    {"param", "set", NULL, N_("set a parameter"), NULL, set_params, NULL, A_OPERATOR | A_WRITE | A_CONSOLE, "admin",
     param_set_run},
    {"rules", "", NULL, N_("print the state rules"), NULL, rules_params, NULL, A_NO_DB | A_CONSOLE,
     "clerk finance admin", rules_run},
    {"log", "", NULL, N_("read the operation log"), N_("Newest first; the next page begins after the last id seen."),
     log_params, log_columns, A_OPERATOR | A_CONSOLE, "finance admin", log_run},
    {"customer", "find", NULL, N_("find customers"),
     N_("By phone (whole, beginning, or last 4 digits), name or pinyin initials."), customer_find_params,
     customer_columns, A_OPERATOR | A_CONSOLE, "clerk finance admin", customer_find_run},
    {"customer", "add", NULL, N_("make a customer's profile"), NULL, customer_add_params, NULL,
     A_OPERATOR | A_WRITE | A_CONSOLE, "clerk admin", customer_add_run},
    {"customer", "change", NULL, N_("change a customer's profile"), NULL, customer_change_params, NULL,
     A_OPERATOR | A_WRITE | A_CONSOLE, "clerk admin", customer_change_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
