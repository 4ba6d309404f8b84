/* Signing in. Every wrong password is counted in the database, and committed, before anybody hears that it was wrong;
 * so the count holds for all terminals together. Source: domain section 6, threats row 4. */
#include <string.h>

#include "base/text.h"
#include "core/operator.h"
#include "core/param.h"
#include "core/password.h"

DB_QUERY(q_account, "sign_in.account", DB_ROW,
         "SELECT id, name, display_name, role, password_hash, disabled, locked_at IS NOT NULL, failed_count "
         "FROM operator_account WHERE name = :name");
/* locked_at first: an assignment reads what those to its left have set. */
DB_QUERY(
    q_wrong, "sign_in.wrong", DB_NONE,
    "UPDATE operator_account SET locked_at = IF(locked_at IS NULL AND failed_count + 1 >= :tries, NOW(), locked_at), "
    "failed_count = failed_count + 1, version = version + 1 WHERE id = :id");
/* A right password that comes while others are guessing does not open a lock. */
DB_QUERY(q_right, "sign_in.right", DB_NONE,
         "UPDATE operator_account SET failed_count = 0, version = version + 1 WHERE id = :id AND locked_at IS NULL");
DB_QUERY(q_state, "sign_in.state", DB_ROW,
         "SELECT locked_at IS NOT NULL, failed_count FROM operator_account WHERE id = :id");

struct account {
    int64_t id; /* 0: unknown name */
    char name[NAME_BYTES], label[DISPLAY_BYTES], hash[PASSWORD_HASH_BYTES];
    enum role role;
    bool disabled, locked;
    int64_t failed_count;
};

struct signing {
    const char *typed;
    struct account account;
    int64_t tries;
    bool right;
    bool locked; /* out: is locked after this try */
};

static enum fd_code read_account(struct db *db, void *arg, struct fd_error *err)
{
    struct signing *signing = arg;
    struct account *account = &signing->account;
    struct db_rows *rows;
    memset(account, 0, sizeof *account);
    enum fd_code code = db_select(db, &q_account, DB_ARGS(db_text("name", signing->typed)), &rows, err);
    if (code != FD_OK)
        return code;
    /* The collation is blind to case and trailing blanks, names are not. */
    if (db_next(rows) && strcmp(db_get_text(rows, 1), signing->typed) == 0) {
        account->id = db_get_int(rows, 0);
        cut_copy(account->name, sizeof account->name, db_get_text(rows, 1));
        cut_copy(account->label, sizeof account->label, db_get_text(rows, 2));
        account->role = role_from_name(db_get_text(rows, 3));
        cut_copy(account->hash, sizeof account->hash, db_get_text(rows, 4));
        account->disabled = db_get_int(rows, 5) != 0;
        account->locked = db_get_int(rows, 6) != 0;
        account->failed_count = db_get_int(rows, 7);
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code read_state(struct op *op, struct signing *signing, int64_t *failed, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_state, DB_ARGS(db_int("id", signing->account.id)), &rows, err);
    if (code != FD_OK)
        return code;
    signing->locked = !db_next(rows) || db_get_int(rows, 0) != 0;
    *failed = signing->locked ? 0 : db_get_int(rows, 1);
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code count_wrong(struct op *op, struct signing *signing, struct fd_error *err)
{
    int64_t failed;
    enum fd_code code = db_exec(op_db(op), &q_wrong,
                                DB_ARGS(db_int("tries", signing->tries), db_int("id", signing->account.id)), NULL, err);
    return code == FD_OK ? read_state(op, signing, &failed, err) : code;
}

/* Most of the time nothing was wrong before: then the row is only read, and many terminals may sign in at once. */
static enum fd_code accept_right(struct op *op, struct signing *signing, struct fd_error *err)
{
    int64_t failed = 0, changed = 0;
    enum fd_code code = read_state(op, signing, &failed, err);
    if (code != FD_OK || signing->locked || failed == 0)
        return code;
    code = db_exec(op_db(op), &q_right, DB_ARGS(db_int("id", signing->account.id)), &changed, err);
    signing->locked = code == FD_OK && changed == 0;
    return code;
}

static enum fd_code sign_in_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct signing *signing = arg;
    enum fd_code code = signing->right ? accept_right(op, signing, err) : count_wrong(op, signing, err);
    if (code != FD_OK)
        return code;
    const char *event = signing->right ? (signing->locked ? "lock" : "sign_in") : "sign_in_wrong";
    op_log(op, &(struct log_entry){.entity = "operator", .entity_no = signing->account.name, .event = event});
    return FD_OK;
}

static enum fd_code locked(const struct account *account, struct fd_error *err)
{
    return fd_fail(err, FD_LOCKED, _("Operator %s is locked after too many wrong passwords."), account->name);
}

static enum fd_code disabled(const struct account *account, struct fd_error *err)
{
    fd_fail(err, FD_LOCKED, _("Operator %s is disabled."), account->name);
    fd_hint(err, _("Another operator must sign in."));
    return FD_LOCKED;
}

static void take_seat(struct desk *desk, const struct account *account)
{
    desk->operator_id = account->id;
    desk->allowed_ms = 0;
    cut_copy(desk->operator, sizeof desk->operator, account->name);
    text_clean(desk->operator_label, sizeof desk->operator_label, account->label);
    desk->role = account->role;
    desk->run_id[0] = '\0';
}

static enum fd_code decide(struct desk *desk, struct signing *signing, struct fd_error *err)
{
    struct account *account = &signing->account;
    if (account->id == 0 || account->role == ROLE_NONE || account->role == ROLE_WORKER)
        return fd_fail(err, FD_SIGN_IN, NULL);
    if (account->locked)
        return locked(account, err);
    const struct op_spec spec = {
        .action = "operator.sign_in", .apply = sign_in_apply, .no_permission = true, .no_request = true};
    /* Whoever knew the password is named in the log row; a wrong one is nobody's. */
    if (signing->right)
        take_seat(desk, account);
    enum fd_code code = op_run(desk, &spec, signing, NULL, NULL, err);
    if (code == FD_OK && signing->locked)
        code = locked(account, err);
    else if (code == FD_OK && !signing->right)
        code = fd_fail(err, FD_SIGN_IN, NULL);
    else if (code == FD_OK && account->disabled)
        code = disabled(account, err);
    if (code != FD_OK)
        operator_sign_out(desk);
    return code;
}

enum fd_code operator_sign_in(struct desk *desk, const char *name, const char *password, struct fd_error *err)
{
    struct signing signing = {.typed = name ? name : ""};
    signing.tries = param_get(desk, PARAM_SIGN_IN_TRIES);
    enum fd_code code = desk_read(desk, "sign_in.account", read_account, &signing, err);
    if (code == FD_OK) {
        /* Always, also for a name that nobody has or that is locked: the answer's time tells nothing. */
        operator_sign_out(desk);
        code = password_check(password ? password : "", signing.account.hash, &signing.right, err);
        if (code == FD_OK)
            code = decide(desk, &signing, err);
    }
    explicit_bzero(&signing, sizeof signing);
    return code;
}
