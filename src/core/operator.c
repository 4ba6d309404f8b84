/* Operators: making them, passwords, disabling, unlocking. Signing in is in sign_in.c. */
#include "core/operator.h"

#include <string.h>

#include "base/text.h"
#include "core/param.h"
#include "core/password.h"

DB_QUERY(q_any, "operator.any", DB_VALUE, "SELECT EXISTS (SELECT 1 FROM operator_account WHERE role <> 'worker')");
DB_QUERY(q_insert, "operator.insert", DB_NONE,
         "INSERT INTO operator_account (name, display_name, role, password_hash, password_changed_at) "
         "VALUES (:name, :label, :role, :hash, NOW())");
DB_QUERY(q_find, "operator.find", DB_ROW, "SELECT id, disabled, role FROM operator_account WHERE name = :name");
DB_QUERY(q_password, "operator.password", DB_NONE,
         "UPDATE operator_account SET password_hash = :hash, password_changed_at = NOW(), failed_count = 0, locked_at "
         "= NULL, "
         "version = version + 1 WHERE name = :name AND role <> 'worker'");
DB_QUERY(q_disable, "operator.disable", DB_NONE,
         "UPDATE operator_account SET disabled = :disabled, version = version + 1 "
         "WHERE name = :name AND disabled <> :disabled AND role <> 'worker'");
DB_QUERY(q_unlock, "operator.unlock", DB_NONE,
         "UPDATE operator_account SET failed_count = 0, locked_at = NULL, version = version + 1 "
         "WHERE name = :name AND role <> 'worker'");
DB_QUERY(q_list, "operator.list", DB_ROWS,
         "SELECT id, name, display_name, role, disabled, locked_at IS NOT NULL, failed_count, created_at "
         "FROM operator_account ORDER BY id");
DB_QUERY(
    q_worker, "operator.worker", DB_ROW,
    "SELECT id, name, display_name FROM operator_account WHERE role = 'worker' AND disabled = 0 ORDER BY id LIMIT 1");
DB_QUERY(q_admins, "operator.admins", DB_VALUE,
         "SELECT COUNT(*) FROM operator_account WHERE role = 'admin' AND disabled = 0 AND name <> :name");

#define OPERATOR_NAME_MOST 32
#define LABEL_CHARS        64

void operator_sign_out(struct desk *desk)
{
    desk->operator_id = 0;
    desk->operator[0] = desk->operator_label[0] = desk->run_id[0] = '\0';
    desk->role = ROLE_NONE;
}

static enum fd_code read_worker(struct db *db, void *arg, struct fd_error *err)
{
    struct desk *desk = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_worker, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    if (!db_next(rows)) {
        db_rows_close(&rows);
        return fd_fail(err, FD_SCHEMA, _("The worker's account is missing or disabled."));
    }
    desk->operator_id = db_get_int(rows, 0);
    cut_copy(desk->operator, sizeof desk->operator, db_get_text(rows, 1));
    cut_copy(desk->operator_label, sizeof desk->operator_label, db_get_text(rows, 2));
    desk->role = ROLE_WORKER;
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code operator_act_as_worker(struct desk *desk, struct fd_error *err)
{
    enum fd_code code = desk_read(desk, "operator.worker", read_worker, desk, err);
    if (code == FD_OK)
        key_new(desk->run_id);
    return code;
}

static enum fd_code read_any(struct db *db, void *arg, struct fd_error *err)
{
    int64_t any = 0;
    enum fd_code code = db_value_int(db, &q_any, DB_NO_ARGS, &any, err);
    if (code == FD_OK)
        *(bool *)arg = any == 0;
    return code;
}

enum fd_code operator_none_yet(struct desk *desk, bool *none, struct fd_error *err)
{
    return desk_read(desk, "operator.any", read_any, none, err);
}

static enum fd_code check_name(const char *name, struct fd_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    if (!name || !name[0] || strlen(name) > OPERATOR_NAME_MOST || strspn(name, allowed) != strlen(name))
        return fd_fail(err, FD_BAD_INPUT, _("An operator's name has 1 to %d of the characters a-z 0-9 . _ -"),
                       OPERATOR_NAME_MOST);
    return FD_OK;
}

static enum fd_code check_password(struct desk *desk, const char *password, struct fd_error *err)
{
    int64_t least = param_get(desk, PARAM_PASSWORD_MIN);
    if (!password || (int64_t)strlen(password) < least)
        return fd_fail(err, FD_BAD_INPUT,
                       ngettext("The password needs at least %lld character.",
                                "The password needs at least %lld characters.", (unsigned long)least),
                       (long long)least);
    if (strlen(password) > PASSWORD_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("The password is longer than %d bytes."), PASSWORD_MOST);
    return FD_OK;
}

static void log_operator(struct op *op, const char *name, const char *event, const char *after)
{
    op_log(op, &(struct log_entry){.entity = "operator", .entity_no = name, .event = event, .after = after});
}

struct adding {
    const struct operator_new *who;
    char label[4 * LABEL_CHARS + 1];
    char hash[PASSWORD_HASH_BYTES];
    bool first;
};

static enum fd_code add_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct adding *adding = arg;
    const struct operator_new *who = adding->who;
    struct db *db = op_db(op);
    bool none = false;
    enum fd_code code = adding->first ? read_any(db, &none, err) : FD_OK;
    if (code == FD_OK && adding->first && !none)
        code = fd_fail(err, FD_SIGN_IN, _("Sign in first."));
    if (code != FD_OK)
        return code;
    const struct db_arg args[] = {db_text("name", who->name), db_text("label", adding->label),
                                  db_text("role", role_name(who->role)), db_text("hash", adding->hash)};
    code = db_exec(db, &q_insert, args, 4, NULL, err);
    if (code == FD_EXISTS)
        return fd_fail(err, FD_EXISTS, _("There is an operator %s already."), who->name);
    if (code == FD_OK)
        log_operator(op, who->name, "add", arena_printf(op_arena(op), "{\"role\":\"%s\"}", role_name(who->role)));
    return code;
}

static enum fd_code check_new(struct desk *desk, const struct operator_new *who, struct adding *adding,
                              struct fd_error *err)
{
    enum fd_code code = check_name(who->name, err);
    if (code == FD_OK && (who->role == ROLE_NONE || who->role == ROLE_WORKER || (unsigned)who->role >= ROLE_COUNT))
        code = fd_fail(err, FD_BAD_INPUT, _("The role must be clerk, finance, admin or kiosk."));
    const char *label = who->label && who->label[0] ? who->label : who->name;
    if (code == FD_OK)
        code = text_field(label, _("label"), LABEL_CHARS, adding->label, sizeof adding->label, err);
    if (code == FD_OK)
        code = check_password(desk, who->password, err);
    /* Without an administrator nobody could ever make the next operator. */
    if (code == FD_OK && adding->first && who->role != ROLE_ADMIN)
        code = fd_fail(err, FD_REFUSED, _("The first operator must be an administrator."));
    return code;
}

enum fd_code operator_add(struct desk *desk, const char *key, const struct operator_new *who, struct fd_error *err)
{
    struct adding adding = {.who = who, .first = desk->operator_id == 0};
    enum fd_code code = check_new(desk, who, &adding, err);
    if (code == FD_OK)
        code = password_hash(who->password, adding.hash, err);
    if (code != FD_OK)
        return code;
    struct arena arena = {0};
    /* The password is no part of the content: a hash of it without salt would lie in op_request. */
    const struct op_spec spec = {
        .action = "operator.add",
        .key = key,
        .content = arena_printf(&arena, "%s\n%s\n%s", who->name, adding.label, role_name(who->role)),
        .apply = add_apply,
        .no_permission = adding.first,
    };
    code = op_run(desk, &spec, &adding, NULL, NULL, err);
    explicit_bzero(&adding, sizeof adding);
    arena_release(&arena);
    return code;
}

/* Changing one account. */
struct changing {
    const char *name;
    bool disabled;
    struct db_query *query;
    const char *event;
    char hash[PASSWORD_HASH_BYTES];
};

static enum fd_code no_operator(const char *name, struct fd_error *err)
{
    return fd_fail(err, FD_NOT_FOUND, _("There is no operator %s."), name);
}

/* The last administrator must stay: nobody could undo it. */
static enum fd_code keep_an_admin(struct op *op, const struct changing *changing, struct fd_error *err)
{
    int64_t others = 0;
    if (changing->query != &q_disable || !changing->disabled)
        return FD_OK;
    enum fd_code code = db_value_int(op_db(op), &q_admins, DB_ARGS(db_text("name", changing->name)), &others, err);
    if (code == FD_OK && others == 0)
        code = fd_fail(err, FD_REFUSED, _("At least one administrator must stay."));
    return code;
}

static enum fd_code change_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct changing *changing = arg;
    int64_t changed = 0;
    const struct db_arg args[] = {
        db_text("name", changing->name),
        changing->query == &q_disable ? db_int("disabled", changing->disabled) : db_text("hash", changing->hash),
    };
    size_t count = changing->query == &q_unlock ? 1 : 2;
    enum fd_code code = keep_an_admin(op, changing, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), changing->query, args, count, &changed, err);
    if (code != FD_OK)
        return code;
    if (changed == 0) {
        struct db_rows *rows;
        code = db_select(op_db(op), &q_find, DB_ARGS(db_text("name", changing->name)), &rows, err);
        if (code != FD_OK)
            return code;
        bool known = db_next(rows) && strcmp(db_get_text(rows, 2), "worker") != 0;
        db_rows_close(&rows);
        return known ? FD_OK : no_operator(changing->name, err);
    }
    log_operator(op, changing->name, changing->event, NULL);
    return FD_OK;
}

static enum fd_code run_change(struct desk *desk, struct op_spec *spec, struct changing *changing, struct fd_error *err)
{
    struct arena arena = {0};
    spec->content = arena_printf(&arena, "%s\n%d", changing->name, changing->disabled);
    spec->apply = change_apply;
    enum fd_code code = check_name(changing->name, err);
    if (code == FD_OK)
        code = op_run(desk, spec, changing, NULL, NULL, err);
    explicit_bzero(changing, sizeof *changing);
    arena_release(&arena);
    return code;
}

enum fd_code operator_password(struct desk *desk, const char *key, const char *name, const char *password,
                               struct fd_error *err)
{
    struct changing changing = {.name = name, .query = &q_password, .event = "password"};
    enum fd_code code = check_password(desk, password, err);
    if (code == FD_OK)
        code = password_hash(password, changing.hash, err);
    if (code != FD_OK)
        return code;
    /* One's own password is one's own business, whatever the role. */
    bool own = desk->operator_id != 0 && strcmp(desk->operator, name) == 0;
    struct op_spec spec = {.action = "operator.password", .key = key, .no_permission = own};
    return run_change(desk, &spec, &changing, err);
}

enum fd_code operator_disable(struct desk *desk, const char *key, const char *name, bool disabled, const char *reason,
                              struct fd_error *err)
{
    struct changing changing = {
        .name = name, .disabled = disabled, .query = &q_disable, .event = disabled ? "disable" : "enable"};
    struct op_spec spec = {.action = "operator.disable", .key = key, .reason = reason};
    return run_change(desk, &spec, &changing, err);
}

enum fd_code operator_unlock(struct desk *desk, const char *key, const char *name, struct fd_error *err)
{
    struct changing changing = {.name = name, .query = &q_unlock, .event = "unlock"};
    struct op_spec spec = {.action = "operator.unlock", .key = key};
    return run_change(desk, &spec, &changing, err);
}

struct listing {
    struct arena *arena;
    struct operator_row *rows;
    size_t count;
};

static enum fd_code read_list(struct db *db, void *arg, struct fd_error *err)
{
    struct listing *listing = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_list, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    listing->rows = arena_array(listing->arena, db_row_count(rows) + 1, sizeof *listing->rows);
    listing->count = 0;
    while (db_next(rows)) {
        struct operator_row *row = &listing->rows[listing->count++];
        row->id = db_get_int(rows, 0);
        row->name = text_clean_arena(listing->arena, db_get_text(rows, 1));
        row->label = text_clean_arena(listing->arena, db_get_text(rows, 2));
        row->role = role_from_name(db_get_text(rows, 3));
        row->disabled = db_get_int(rows, 4) != 0;
        row->locked = db_get_int(rows, 5) != 0;
        row->failed_count = db_get_int(rows, 6);
        row->created_at = db_get_wall(rows, 7);
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code operator_list(struct desk *desk, struct arena *arena, struct operator_row **rows, size_t *count,
                           struct fd_error *err)
{
    struct listing listing = {.arena = arena};
    enum fd_code code = desk_read(desk, "operator.list", read_list, &listing, err);
    if (code == FD_OK) {
        *rows = listing.rows;
        *count = listing.count;
    }
    return code;
}
