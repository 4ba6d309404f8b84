/* The customers' actions. Lists show 138****1234; showing a whole phone is logged. Source: domain section 0. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/action_tables.h"
#include "core/customer.h"
#include "core/logbook.h"

static struct tree *customer_tree(const struct customer *customer, bool whole)
{
    char masked[PHONE_BYTES], at[WALL_TEXT];
    struct tree *row = tree_object();
    tree_put_int(row, "id", customer->id);
    tree_put_text(row, "name", customer->name);
    tree_put_text(row, "phone", whole ? customer->phone : phone_mask(customer->phone, masked));
    tree_put_text(row, "initials", customer->initials);
    tree_put_text(row, "note", customer->note);
    tree_put_text(row, "alert", customer->alert);
    tree_put_bool(row, "temporary", customer->temporary);
    tree_put_bool(row, "walk_in", customer->walk_in);
    tree_put_bool(row, "blocked", customer->blocked);
    tree_put_text(row, "create_time", customer->create_time == WALL_NONE ? NULL : wall_sql(customer->create_time, at));
    return row;
}

static void put_history(struct tree *row, const struct customer *customer)
{
    tree_put_int(row, "visits", customer->visits);
    tree_put_int(row, "no_shows", customer->no_shows);
    tree_put_int(row, "unpaid_holds", customer->unpaid_holds);
    tree_put_int(row, "orders", customer->orders);
}

/* A whole phone names one customer: with history. Everything else is a list. */
static enum fd_code find_rows(struct call *call, struct customer **rows, size_t *count, bool *one, struct fd_error *err)
{
    char phone[PHONE_BYTES];
    struct fd_error ignored;
    const char *text = call_text(call, "text");
    int64_t after, limit;
    *one = false;
    enum fd_code code = call_int(call, "after", 0, &after, err);
    if (code == FD_OK)
        code = call_int(call, "limit", 50, &limit, err);
    if (code == FD_OK && (limit < 1 || limit > 500))
        code = fd_fail(err, FD_BAD_INPUT, _("--limit must be between 1 and 500."));
    if (code != FD_OK)
        return code;
    if (phone_normalise(text, phone, &ignored) == FD_OK) {
        struct customer *found = NULL;
        code = customer_by_phone(call->desk, phone, &call->arena, &found, err);
        *one = code == FD_OK && found;
        *rows = found;
        *count = *one ? 1 : 0;
        if (code != FD_OK || *one)
            return code;
        text = phone;
    }
    code = customer_search(call->desk, text, after, (size_t)limit + 1, &call->arena, rows, count, err);
    if (code == FD_OK && *count > (size_t)limit) {
        *count = (size_t)limit;
        call->next = arena_printf(&call->arena, "%lld", (long long)(*rows)[*count - 1].id);
    }
    return code;
}

enum fd_code customer_find_run(struct call *call, struct fd_error *err)
{
    struct customer *rows = NULL;
    size_t count = 0;
    bool one, whole = call_switch(call, "show-phone");
    enum fd_code code = find_rows(call, &rows, &count, &one, err);
    for (size_t i = 0; i < count && whole && code == FD_OK; i++)
        code = customer_log_shown(call->desk, rows[i].id, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++) {
        struct tree *row = customer_tree(&rows[i], whole);
        if (one)
            put_history(row, &rows[i]);
        tree_add(call->answer, row);
    }
    return FD_OK;
}

static void edit_from(const struct call *call, struct customer_edit *edit)
{
    *edit = (struct customer_edit){
        .phone = call_text(call, "phone"),
        .name = call_text(call, "name"),
        .note = call_text(call, "note"),
        .alert = call_text(call, "alert"),
    };
}

static void answer_id(struct call *call, int64_t id, const char *format)
{
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    call_say(call, format, (long long)id);
#pragma GCC diagnostic pop
}

enum fd_code customer_add_run(struct call *call, struct fd_error *err)
{
    struct customer_edit edit;
    int64_t id = 0;
    edit_from(call, &edit);
    enum fd_code code = customer_add(call->desk, call->key, &edit, &id, err);
    if (code == FD_OK)
        answer_id(call, id, _("Customer #%lld was added."));
    return code;
}

#define PHONE_LEAST 7 /* shorter digits are an id */

/* "#12", "12", or a whole phone. */
static enum fd_code find_one(struct call *call, int64_t *id, struct fd_error *err)
{
    char phone[PHONE_BYTES];
    struct customer *customer = NULL;
    const char *text = call_text(call, "who");
    const char *digits = text[0] == '#' ? text + 1 : text;
    bool by_id =
        text_is_digits(digits) && digits[0] && strlen(digits) < 19 && (text[0] == '#' || strlen(digits) < PHONE_LEAST);
    if (by_id) {
        *id = strtoll(digits, NULL, 10);
        return FD_OK;
    }
    enum fd_code code = phone_normalise(text, phone, err);
    if (code == FD_OK)
        code = customer_by_phone(call->desk, phone, &call->arena, &customer, err);
    if (code == FD_OK && customer)
        *id = customer->id;
    /* Asked again with the same key: the phone was changed by then. */
    else if (code == FD_OK)
        code = log_done_to(call->desk, call->key, "customer.change", id, err);
    return code != FD_OK || *id ? code : fd_fail(err, FD_NOT_FOUND, _("There is no customer with this phone."));
}

enum fd_code customer_change_run(struct call *call, struct fd_error *err)
{
    struct customer_edit edit;
    int64_t id = 0;
    edit_from(call, &edit);
    if (!edit.phone && !edit.name && !edit.note && !edit.alert)
        return fd_fail(err, FD_USAGE, _("Say what to change: --phone, --name, --note or --alert."));
    enum fd_code code = find_one(call, &id, err);
    if (code == FD_OK)
        code = customer_change(call->desk, call->key, id, &edit, call->reason, err);
    if (code == FD_OK)
        answer_id(call, id, _("Customer #%lld was changed."));
    return code;
}

const struct action_param customer_find_params[] = {
    {"text", P_TEXT, P_REQUIRED | P_POSITIONAL | P_REST, NULL, N_("phone, its last 4 digits, name or initials")},
    {"show-phone", P_SWITCH, 0, NULL, N_("show whole phones; this is logged")},
    {"limit", P_INT, 0, NULL, N_("rows a page, at most 500 (50)")},
    {"after", P_INT, 0, NULL, N_("next page: id of the last row seen")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
#define EDIT_PARAMS                                                                                                    \
    {"phone", P_PHONE, 0, NULL, N_("phone")}, {"name", P_TEXT, P_EMPTY, NULL, N_("name")},                                   \
        {"note", P_TEXT, P_EMPTY, NULL, N_("what clerks should know")},                                                      \
    {                                                                                                                  \
        "alert", P_TEXT, P_EMPTY, NULL, N_("warning shown whenever the phone is typed")                                      \
    }
const struct action_param customer_add_params[] = {
    EDIT_PARAMS,
    {NULL, P_TEXT, 0, NULL, NULL},
};
const struct action_param customer_change_params[] = {
    {"who", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("the customer's id (#12) or phone")},
    EDIT_PARAMS,
    {NULL, P_TEXT, 0, NULL, NULL},
};
const struct column customer_columns[] = {
    {"id", N_("Id"), 1, false},         {"name", N_("Name"), -1, false},
    {"phone", N_("Phone"), -1, false},  {"note", N_("Note"), -1, false},
    {"alert", N_("Alert"), -1, false},  {"orders", N_("Orders"), 1, false},
    {"visits", N_("Visits"), 1, false}, {NULL, NULL, 0, false},
};
