/* Operators: sign-in with the system's modern crypt (yescrypt), lock after failures counted in
 * the database, roles. Source: domain section 6, threats row 4. */
#ifndef FD_CORE_OPERATOR_H
#define FD_CORE_OPERATOR_H
#include "core/desk.h"
#include "core/op.h"

struct operator_row {
    int64_t id;
    const char *name, *label; /* in the arena */
    enum role role;
    bool disabled, locked;
    int64_t failed_count;
    wall_t created_at;
};
/* Signs `name` in on desk: FD_OK fills the desk's operator; FD_SIGN_IN (also for unknown names, in
 * equal time), FD_LOCKED after param sign_in_tries wrong ones (counted and committed before the answer).
 * No password is kept. */
enum fd_code operator_sign_in(struct desk *desk, const char *name, const char *password, struct fd_error *err);
/* The worker acts on this desk: no password; a run_id is made for its log rows. FD_SCHEMA where the account is gone. */
enum fd_code operator_act_as_worker(struct desk *desk, struct fd_error *err);
/* Forgets who acts. */
void operator_sign_out(struct desk *desk);
/* True while there is no operator but the worker: the first one may be made without signing in. */
enum fd_code operator_none_yet(struct desk *desk, bool *none, struct fd_error *err);
/* Makes one. name: 1-32 of a-z 0-9 . _ -; label: shown; password at least 4 characters (demo) - param password_min. */
struct operator_new {
    const char *name, *label;
    enum role role;
    const char *password;
};
enum fd_code operator_add(struct desk *desk, const char *key, const struct operator_new *who, struct fd_error *err);
enum fd_code operator_password(struct desk *desk, const char *key, const char *name, const char *password, struct fd_error *err);
enum fd_code operator_disable(struct desk *desk, const char *key, const char *name, bool disabled, const char *reason, struct fd_error *err);
enum fd_code operator_unlock(struct desk *desk, const char *key, const char *name, struct fd_error *err);
enum fd_code operator_list(struct desk *desk, struct arena *arena, struct operator_row **rows, size_t *count, struct fd_error *err);
#endif
