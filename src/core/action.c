/* The registry of actions, and the default permissions that follow from it. */
#include "core/action.h"

#include <stdlib.h>
#include <string.h>

DB_QUERY(q_known, "action.known", DB_ROWS, "SELECT DISTINCT action FROM role_action");
/* Two programs that start at once both find an action missing: the second insert is no error. */
DB_QUERY(q_grant, "action.grant", DB_NONE, "INSERT IGNORE INTO role_action (role, action) VALUES (:role, :action)");
DB_QUERY(q_may, "action.may", DB_VALUE, "SELECT COUNT(*) FROM role_action WHERE role = :role AND action = :action");

#define ACTIONS_MOST 200

static const struct action *actions[ACTIONS_MOST];
static size_t action_count;

/* What some may do inside an action that more people may start. */
static const struct {
    const char *permission, *roles;
} permissions[] = {
    {"refund_late", "finance admin"},
    {"case_finance", "finance admin"},
    {"refund_cash", "finance admin"},
};

void action_register(const struct action *table)
{
    for (const struct action *action = table; action->noun; action++) {
        const struct action *same = action_find(action->noun, action->verb);
        if (same == action)
            continue;
        if (same || (action->shorts && action_by_short(action->shorts)))
            FD_BUG("action registered twice: %s %s", action->noun, action->verb);
        FD_ASSERT(action_count < ACTIONS_MOST);
        actions[action_count++] = action;
    }
}

size_t action_all(const struct action *const **list)
{
    *list = actions;
    return action_count;
}

const struct action *action_find(const char *noun, const char *verb)
{
    for (size_t i = 0; i < action_count; i++)
        if (strcmp(actions[i]->noun, noun) == 0 && strcmp(actions[i]->verb, verb) == 0)
            return actions[i];
    return NULL;
}

const struct action *action_by_short(const char *shorts)
{
    for (size_t i = 0; i < action_count; i++)
        if (actions[i]->shorts && strcmp(actions[i]->shorts, shorts) == 0)
            return actions[i];
    return NULL;
}

const char *action_name(const struct action *action, char out[64])
{
    fit_printf_at(out, 64, "%s%s%s", action->noun, action->verb[0] ? "." : "", action->verb);
    return out;
}

struct grants {
    struct arena arena;
    const char **known;
    size_t known_count;
};

static enum fd_code read_known(struct db *db, struct grants *grants, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_known, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    grants->known = arena_array(&grants->arena, db_row_count(rows) + 1, sizeof *grants->known);
    grants->known_count = 0;
    while (db_next(rows))
        grants->known[grants->known_count++] = arena_str(&grants->arena, db_get_text(rows, 0));
    db_rows_close(&rows);
    return FD_OK;
}

static bool is_known(const struct grants *grants, const char *action)
{
    for (size_t i = 0; i < grants->known_count; i++)
        if (strcmp(grants->known[i], action) == 0)
            return true;
    return false;
}

/* An action of which the table has any row was seen by an administrator: what is missing there was taken away. One that
 * the table has never heard of gets its default roles, or the worker's, so that it is known from then on. */
static enum fd_code grant(struct db *db, const struct grants *grants, const char *action, const char *words,
                          struct fd_error *err)
{
    enum fd_code code = FD_OK;
    if (is_known(grants, action))
        return FD_OK;
    char list[128];
    fit_printf(list, "%s", words && words[0] ? words : role_name(ROLE_WORKER));
    char *rest = NULL;
    for (char *role = strtok_r(list, " ", &rest); role && code == FD_OK; role = strtok_r(NULL, " ", &rest)) {
        FD_ASSERT(role_from_name(role) != ROLE_NONE);
        code = db_exec(db, &q_grant, DB_ARGS(db_text("role", role), db_text("action", action)), NULL, err);
    }
    return code;
}

static enum fd_code grant_all(struct db *db, void *arg, struct fd_error *err)
{
    struct grants *grants = arg;
    arena_reset(&grants->arena);
    enum fd_code code = read_known(db, grants, err);
    for (size_t i = 0; i < action_count && code == FD_OK; i++) {
        char name[64];
        if (actions[i]->flags & A_OPERATOR || !(actions[i]->flags & A_NO_DB))
            code = grant(db, grants, action_name(actions[i], name), actions[i]->roles, err);
    }
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions && code == FD_OK; i++)
        code = grant(db, grants, permissions[i].permission, permissions[i].roles, err);
    return code;
}

enum fd_code actions_grant_defaults(struct db *db, struct fd_error *err)
{
    struct grants grants = {0};
    enum fd_code code = db_txn(db, "action.grant", 0, grant_all, &grants, err);
    arena_release(&grants.arena);
    return code;
}

struct asking {
    const char *role, *action;
    int64_t count;
};

static enum fd_code ask_may(struct db *db, void *arg, struct fd_error *err)
{
    struct asking *asking = arg;
    return db_value_int(db, &q_may, DB_ARGS(db_text("role", asking->role), db_text("action", asking->action)),
                        &asking->count, err);
}

/* Reads have no op that would ask. */
static enum fd_code check_may(struct desk *desk, const struct action *action, struct fd_error *err)
{
    char name[64];
    struct asking asking = {.role = role_name(desk->role), .action = action_name(action, name)};
    enum fd_code code = desk_read(desk, "action.may", ask_may, &asking, err);
    if (code == FD_OK && asking.count == 0)
        code = fd_fail(err, FD_NO_PERMISSION, _("The role %s may not do this (%s)."), role_label(desk->role), name);
    return code;
}

enum fd_code call_act(struct call *call, struct fd_error *err)
{
    struct desk *desk = call->desk;
    if (desk)
        desk->reason = call->reason;
    enum fd_code code = call->action->run(call, err);
    if (desk)
        desk->reason = NULL;
    return code;
}

enum fd_code call_run(struct call *call, struct fd_error *err)
{
    const struct action *action = call->action;
    enum fd_code code = FD_OK;
    if ((action->flags & A_REASON) && (!call->reason || !call->reason[0]))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    if ((action->flags & A_OPERATOR) && call->desk->operator_id == 0)
        code = fd_fail(err, FD_SIGN_IN, _("Sign in first."));
    else if ((action->flags & A_OPERATOR) && !(action->flags & A_WRITE))
        code = check_may(call->desk, action, err);
    return code == FD_OK ? call_act(call, err) : code;
}
