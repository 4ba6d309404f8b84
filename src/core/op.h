/* The runner: one action is one transaction. op_run checks the role, inserts the request key,
 * calls the action's function, writes the operation log, sends the queued hot-row updates sorted
 * by id last, commits, and retries the whole. Source: architecture sections 2 and 4; lock order: facts 2.2.
 *
 *   prepare(op, arg)   plain reads; may refuse, never decides; sets op_result where it is known
 *   INSERT op_request  … SELECT from role_action and operator_account: permission in the same statement
 *   apply(op, arg)     locks and conditional writes; op_log and op_last queue
 *   log rows, queued updates (sorted), COMMIT
 *
 * The same key again: nothing is changed, op_run returns FD_OK with *replayed true and the first
 * result. The same key with another hash: FD_KEY_REUSED. A refusal of prepare is answered only after
 * the key was looked for (a replay of the winner is not "sold out"). Refusals are not stored.
 */
#ifndef FD_CORE_OP_H
#define FD_CORE_OP_H
#include "core/desk.h"
#include "core/rule.h"

struct op; /* one running action */

/* What begins so is a key of what a payment channel says of a payment (as_channel): from nobody else, or whoever guesses
 * a payment's number could take its place. */
#define SETTLE_KEYS "settle-"

typedef enum fd_code op_fn(struct op *op, void *arg, struct fd_error *err);
struct op_spec {
    const char *action;  /* "order.book": op_request.action and role_action.action */
    const char *key;     /* request key; NULL or "": a fresh one is made */
    const char *content; /* what identifies the content: hashed; the same key must have the same */
    const char *reason;  /* NULL: the desk's, of the call that runs now; none where that is NULL */
    op_fn *prepare;      /* NULL: none */
    op_fn *apply;
    bool no_permission;  /* do not check role_action (first operator, the worker's own jobs) */
    bool as_channel;     /* what a payment channel said: the actor is the channel, whoever carried it here */
    bool no_request;     /* keeps no request key: worker's sweeps, sign-in counters */
};
/* Runs it. *result (may be NULL) gets the first answer, xmalloc'ed ("" where none was set).
 * *replayed (may be NULL). FD_RETRY from a function means "changed meanwhile": whole run again. */
enum fd_code op_run(struct desk *desk, const struct op_spec *spec, void *arg, char **result, bool *replayed, struct fd_error *err);

struct desk *op_desk(struct op *op);
struct db *op_db(struct op *op);
const char *op_key(const struct op *op);     /* the request key */
const char *op_reason(const struct op *op);  /* NULL where none */
unsigned op_actor(const struct op *op);      /* enum actor: ACTOR_OPERATOR, ACTOR_WORKER, ACTOR_KIOSK, ACTOR_CHANNEL */
/* The database's NOW() of this attempt (read once, or set by a prepare that read it: op_set_now). */
enum fd_code op_now(struct op *op, wall_t *now, struct fd_error *err);
void op_set_now(struct op *op, wall_t now);
/* The answer to keep. In prepare it goes into the INSERT; later it costs an UPDATE. Copied. */
void op_result(struct op *op, const char *text);
/* For a prepare whose own read also looked for op_key and did not find it (same statement as what it refuses by):
 * saves the look-up before a refusal. */
void op_key_absent(struct op *op);
/* Memory that lives until this attempt ends. */
struct arena *op_arena(struct op *op);
/* May this desk's role do another action or permission ("refund_late")? One read. */
enum fd_code op_may(struct op *op, const char *permission, bool *may, struct fd_error *err);

/* A row of the operation log; written before commit. All text is copied. */
struct log_entry {
    const char *entity, *entity_no, *event;
    const char *state_before, *state_after; /* NULL */
    int64_t schedule_id;   /* 0: none */
    int64_t stock_change;  /* signed */
    int64_t amount_change_fen;
    bool has_amount_change;
    const char *reason;    /* NULL: the op's */
    const char *before, *after; /* JSON or NULL */
};
void op_log(struct op *op, const struct log_entry *entry);

/* Queues a conditional UPDATE of a hot row for the end, sorted by sort_key. Its args (at most 12; text copied).
 * Where it changes no row `on_zero` says why (FD_RETRY: again), or FD_OK where that is as it should be: the row is gone
 * and nothing of it is left to change. */
typedef enum fd_code op_zero_fn(struct op *op, void *arg, struct fd_error *err);
void op_last(struct op *op, int64_t sort_key, struct db_query *query, const struct db_arg *args, size_t count, op_zero_fn *on_zero, void *arg);
#endif
