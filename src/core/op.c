/* The runner: request key, permission, retries. What an action left to the end of its transaction is in op_end.c. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "core/op_internal.h"
#include "core/param.h"

DB_QUERY(q_now, "op.now", DB_VALUE, "SELECT NOW()");
DB_QUERY(q_may, "op.may", DB_VALUE, "SELECT COUNT(*) FROM role_action WHERE role = :role AND action = :action");
/* Permission and request key in one statement: who is disabled, locked out of the role or has lost the action adds no
 * row. */
DB_QUERY(q_request, "op.request", DB_NONE,
         "INSERT INTO op_request (request_key, action, request_hash, operator, result, created_at) "
         "SELECT :key, r.action, :hash, a.name, :result, NOW() "
         "FROM operator_account a JOIN role_action r ON r.role = a.role "
         "WHERE a.id = :operator AND a.disabled = 0 AND r.action = :action");
DB_QUERY(q_request_free, "op.request_free", DB_NONE,
         "INSERT INTO op_request (request_key, action, request_hash, operator, result, created_at) "
         "VALUES (:key, :action, :hash, :operator, :result, NOW())");
DB_QUERY(q_result, "op.result", DB_NONE, "UPDATE op_request SET result = :result WHERE request_key = :key");
DB_QUERY(q_replay, "op.replay", DB_ROW, "SELECT action, request_hash, result FROM op_request WHERE request_key = :key");
/* A locking read waits for a session that is still committing the same key. */
DB_QUERY(q_key_known, "op.key_known", DB_ROW, "SELECT 1 FROM op_request WHERE request_key = :key LOCK IN SHARE MODE");
DB_QUERY(q_disabled, "op.disabled", DB_ROW, "SELECT disabled, role FROM operator_account WHERE id = :operator");

#define LIMIT_DESK_MS   5000
#define LIMIT_WORKER_MS 60000
#define REPLAY_ROUNDS   3
#define ALLOWED_MS      5000
#define REASON_CHARS    255

struct desk *op_desk(struct op *op)
{
    return op->desk;
}

struct db *op_db(struct op *op)
{
    return op->desk->db;
}

const char *op_key(const struct op *op)
{
    return op->key;
}

const char *op_reason(const struct op *op)
{
    return op->reason;
}

unsigned op_actor(const struct op *op)
{
    if (op->spec->as_channel)
        return ACTOR_CHANNEL;
    switch (op->desk->role) {
    case ROLE_WORKER:
        return ACTOR_WORKER;
    case ROLE_KIOSK:
        return ACTOR_KIOSK;
    case ROLE_NONE:
    case ROLE_CLERK:
    case ROLE_FINANCE:
    case ROLE_ADMIN:
    case ROLE_COUNT:
        break;
    }
    return ACTOR_OPERATOR;
}

struct arena *op_arena(struct op *op)
{
    return &op->arena;
}

void op_set_now(struct op *op, wall_t now)
{
    op->now = now;
}

enum fd_code op_now(struct op *op, wall_t *now, struct fd_error *err)
{
    if (op->now == WALL_NONE) {
        const char *text;
        enum fd_code code = db_value_text(op_db(op), &q_now, DB_NO_ARGS, &op->arena, &text, err);
        if (code != FD_OK)
            return code;
        FD_ASSERT(wall_from_sql(text, &op->now));
    }
    *now = op->now;
    return FD_OK;
}

void op_result(struct op *op, const char *text)
{
    free(op->result);
    op->result = xstrdup(text);
    op->result_late = op->requested;
}

void op_key_absent(struct op *op)
{
    op->key_absent = true;
}

enum fd_code op_may(struct op *op, const char *permission, bool *may, struct fd_error *err)
{
    int64_t count = 0;
    enum fd_code code =
        db_value_int(op_db(op), &q_may,
                     DB_ARGS(db_text("role", role_name(op->desk->role)), db_text("action", permission)), &count, err);
    if (code == FD_OK)
        *may = count > 0;
    return code;
}

/* The INSERT added nothing: says which of the reasons it was. */
static enum fd_code refuse_permission(struct op *op, struct fd_error *err)
{
    struct desk *desk = op->desk;
    if (desk->operator_id == 0)
        return fd_fail(err, FD_SIGN_IN, _("Sign in first."));
    struct db_rows *rows;
    enum fd_code code = db_select(desk->db, &q_disabled, DB_ARGS(db_int("operator", desk->operator_id)), &rows, err);
    if (code != FD_OK)
        return code;
    bool gone = !db_next(rows);
    bool disabled = !gone && db_get_int(rows, 0) != 0;
    enum role role = gone ? ROLE_NONE : role_from_name(db_get_text(rows, 1));
    db_rows_close(&rows);
    if (gone || disabled) {
        fd_fail(err, FD_LOCKED, _("Operator %s is disabled."), desk->operator);
        fd_hint(err, _("Another operator must sign in."));
        return FD_LOCKED;
    }
    return fd_fail(err, FD_NO_PERMISSION, _("The role %s may not do this (%s)."), role_label(role), op->spec->action);
}

static enum fd_code check_permission(struct op *op, struct fd_error *err)
{
    bool may = false;
    enum fd_code code = op->spec->no_permission ? FD_OK : op_may(op, op->spec->action, &may, err);
    if (code != FD_OK || may || op->spec->no_permission)
        return code;
    return refuse_permission(op, err);
}

/* Who the log names. Before anybody exists the program itself sets things up. */
const char *op_who(const struct op *op)
{
    return op->desk->operator[0] ? op->desk->operator: "setup";
}

static enum fd_code insert_request(struct op *op, struct fd_error *err)
{
    const struct op_spec *spec = op->spec;
    if (spec->no_request)
        return check_permission(op, err);
    bool free_of = spec->no_permission;
    const struct db_arg args[] = {
        db_text("key", op->key),
        db_text("action", spec->action),
        db_text("hash", op->hash),
        free_of ? db_text("operator", op_who(op)) : db_int("operator", op->desk->operator_id),
        db_text("result", op->result),
    };
    int64_t changed = 0;
    enum fd_code code = db_exec(op->desk->db, free_of ? &q_request_free : &q_request, args, 5, &changed, err);
    if (code == FD_EXISTS) {
        op->replay = true;
        return code;
    }
    if (code != FD_OK)
        return code;
    op->requested = true;
    return changed == 1 ? FD_OK : refuse_permission(op, err);
}

/* Keys made anew with every try run again; an old order with the same key was made by somebody else. */
static enum fd_code classify_duplicate(struct op *op, struct fd_error *err)
{
    static const char *const again[] = {"uk_order_no",  "uk_bill_no", "uk_payment_no", "uk_order_channel",
                                        "uk_refund_no", "uk_phone",   "uk_original"};
    const char *key = db_error_key(op->desk->db);
    for (size_t i = 0; i < sizeof again / sizeof *again; i++)
        if (strcmp(key, again[i]) == 0)
            return fd_fail(err, FD_RETRY, NULL);
    if (strcmp(key, "uk_idempotency") == 0)
        return fd_fail(err, FD_KEY_REUSED, NULL);
    return FD_EXISTS;
}

/* Only who may do it hears why it cannot be done. A hot slot is refused many times a second: not asked each time. */
static enum fd_code check_permission_lately(struct op *op, struct fd_error *err)
{
    struct desk *desk = op->desk;
    bool known =
        desk->allowed_ms && mono_ms() - desk->allowed_ms < ALLOWED_MS && strcmp(desk->allowed, op->spec->action) == 0;
    enum fd_code code = known ? FD_OK : check_permission(op, err);
    if (!known && code == FD_OK) {
        cut_copy(desk->allowed, sizeof desk->allowed, op->spec->action);
        desk->allowed_ms = mono_ms();
    }
    return code;
}

/* A refusal of prepare counts only where this key has done nothing yet. After a lost answer a session may still be
 * committing it; the locking read and the INSERT both wait for that one. */
static enum fd_code refuse_or_replay(struct op *op, enum fd_code refusal, struct fd_error *err)
{
    bool first = op->key_absent && op->attempt == 1;
    struct fd_error other = {0};
    /* A first answer that is told again is not a refusal: who has lost the action does not hear it. */
    enum fd_code code = first ? check_permission_lately(op, &other) : check_permission(op, &other);
    if (code == FD_OK && !first && !op->spec->no_request && !op->fresh_key) {
        struct db_rows *rows;
        code = db_select(op->desk->db, &q_key_known, DB_ARGS(db_text("key", op->key)), &rows, &other);
        if (code == FD_OK) {
            op->replay = db_next(rows);
            db_rows_close(&rows);
        }
    }
    if (code == FD_OK)
        return refusal;
    if (err)
        *err = other;
    return code;
}

static bool is_refusal(struct op *op, enum fd_code code)
{
    return code != FD_OK && code != FD_RETRY && !db_is_doomed(op->desk->db);
}

static enum fd_code write_result(struct op *op, struct fd_error *err)
{
    if (!op->result_late || op->spec->no_request)
        return FD_OK;
    return db_exec(op->desk->db, &q_result, DB_ARGS(db_text("result", op->result), db_text("key", op->key)), NULL, err);
}

static enum fd_code attempt(struct db *db, void *arg, struct fd_error *err)
{
    struct op *op = arg;
    op_reset(op);
    op->attempt++;
    if (FD_TOOTH("retry_same_key"))
        key_new(op->key);
    enum fd_code code = op->spec->prepare ? op->spec->prepare(op, op->arg, err) : FD_OK;
    if (is_refusal(op, code))
        return refuse_or_replay(op, code, err);
    if (code == FD_OK)
        code = insert_request(op, err);
    if (code != FD_OK)
        return code;
    FD_POINT("op_requested");
    code = op->spec->apply ? op->spec->apply(op, op->arg, err) : FD_OK;
    if (code == FD_OK)
        code = write_result(op, err);
    /* Off: the places are taken in a transaction of their own. */
    if (code == FD_OK && FD_TOOTH("one_transaction"))
        code = db_commit(db, err);
    if (code == FD_OK)
        code = op_end(op, err);
    if (code == FD_EXISTS && db_is_doomed(db))
        code = classify_duplicate(op, err);
    if (code == FD_OK)
        FD_POINT("op_before_commit");
    return code;
}

struct replay {
    struct op *op;
    bool found;
    char action[64], hash[80];
    char *result;
};

static enum fd_code read_replay(struct db *db, void *arg, struct fd_error *err)
{
    struct replay *replay = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_replay, DB_ARGS(db_text("key", replay->op->key)), &rows, err);
    if (code != FD_OK)
        return code;
    replay->found = db_next(rows);
    if (replay->found) {
        cut_copy(replay->action, sizeof replay->action, db_get_text(rows, 0));
        cut_copy(replay->hash, sizeof replay->hash, db_get_text(rows, 1));
        free(replay->result);
        replay->result = xstrdup(db_get_text(rows, 2));
    }
    db_rows_close(&rows);
    return FD_OK;
}

/* The key was used: the first answer where it was for the same, else a refusal. *again where the row has gone since. */
static enum fd_code answer_again(struct op *op, bool *again, struct fd_error *err)
{
    struct replay replay = {.op = op};
    *again = false;
    enum fd_code code = db_txn(op->desk->db, "op.replay", op->limit_ms, read_replay, &replay, err);
    if (code == FD_OK && !replay.found)
        *again = true;
    else if (code == FD_OK && (strcmp(replay.action, op->spec->action) != 0 || strcmp(replay.hash, op->hash) != 0))
        code = fd_fail(err, FD_KEY_REUSED, _("The request key %s was used for something else."), op->key);
    if (code == FD_OK && !*again) {
        free(op->result);
        op->result = replay.result;
        replay.result = NULL;
    }
    free(replay.result);
    return code;
}

static enum fd_code take_key(struct op *op, struct fd_error *err)
{
    const char *key = op->spec->key;
    op->fresh_key = !key || !key[0];
    if (op->fresh_key) {
        key_new(op->key);
        return FD_OK;
    }
    size_t length = strlen(key);
    bool printable = true;
    for (size_t i = 0; i < length && printable; i++)
        printable = key[i] > 0x20 && key[i] < 0x7f;
    if (length >= KEY_BYTES)
        return fd_fail(err, FD_BAD_INPUT, _("--key has more than %d characters."), KEY_BYTES - 1);
    if (!printable)
        return fd_fail(err, FD_BAD_INPUT, _("--key may have only printable ASCII characters, no blanks."));
    if (!op->spec->as_channel && strncmp(key, SETTLE_KEYS, strlen(SETTLE_KEYS)) == 0)
        return fd_fail(err, FD_BAD_INPUT, _("--key must not begin with %s."), SETTLE_KEYS);
    memcpy(op->key, key, length + 1);
    return FD_OK;
}

static enum fd_code take_reason(struct op *op, struct fd_error *err)
{
    const struct op_spec *spec = op->spec;
    /* What the program does on the way (freeing run-out holds) is not what the person gave the reason for. */
    const char *reason = spec->reason || spec->no_request ? spec->reason : op->desk->reason;
    if (!reason || !reason[0])
        return FD_OK;
    enum fd_code code = text_field(reason, _("reason"), REASON_CHARS, op->reason_text, sizeof op->reason_text, err);
    if (code == FD_OK && op->reason_text[0])
        op->reason = op->reason_text;
    return code;
}

static enum fd_code op_start(struct op *op, struct fd_error *err)
{
    const char *content = op->spec->content ? op->spec->content : "";
    FD_ASSERT(!op->desk->in_txn);
    FD_ASSERT(strlen(op->spec->action) <= 40);
    sha256_hex(content, strlen(content), op->hash);
    op->limit_ms = op->desk->role == ROLE_WORKER ? LIMIT_WORKER_MS : LIMIT_DESK_MS;
    enum fd_code code = take_key(op, err);
    if (code == FD_OK)
        code = take_reason(op, err);
    /* Parameters are read now: inside, a failed read would doom the transaction. */
    if (code == FD_OK)
        param_refresh(op->desk);
    return code;
}

enum fd_code op_run(struct desk *desk, const struct op_spec *spec, void *arg, char **result, bool *replayed,
                    struct fd_error *err)
{
    struct op *op = xcalloc(1, sizeof *op);
    op->desk = desk;
    op->spec = spec;
    op->arg = arg;
    enum fd_code code = op_start(op, err);
    if (code != FD_OK)
        goto out;
    bool again = true;
    for (int round = 0; again && round < REPLAY_ROUNDS; round++) {
        struct fd_error local = {0};
        desk->in_txn = true;
        code = db_txn(desk->db, spec->action, op->limit_ms, attempt, op, &local);
        desk->in_txn = false;
        again = false;
        if (op->replay)
            code = answer_again(op, &again, &local);
        if (code != FD_OK && err)
            *err = local;
    }
    if (again)
        code = fd_fail(err, FD_AGAIN, NULL);
    if (code == FD_OK && result)
        *result = xstrdup(op->result ? op->result : "");
    if (code == FD_OK && replayed)
        *replayed = op->replay;
out:
    op_release(op);
    free(op);
    return code;
}
