/* A second person's approval: bound to order, its price and payments, amount and reason by a hash; valid 10 minutes; used once;
 * never the requester's own. Given at the terminal (name and password of the second person) or from another one.
 * Source: domain section 5; threats 6. */
#ifndef FD_MONEY_APPROVAL_H
#define FD_MONEY_APPROVAL_H
#include "core/action.h"
#include "core/op.h"
#include "core/order.h"

struct approval_wish {
    const char *action;   /* "price", "refund" */
    const char *order_no; /* whole; approval_ask takes a tail too */
    int64_t amount_fen;   /* refund: what goes back (approval_ask: negative is all that is left); price: the new price */
    const char *reason;   /* never NULL or "" */
    int64_t back_fen;     /* approval_use_in: money that goes back with it, 0 none */
    int64_t total_fen;    /* approval_use_in, price: what the order costs so far; what was approved is the change from it */
};
/* Above whose limit? FD_OK: none needed. FD_APPROVAL: needed and not there (message names the limit; hint the command).
 * With an id: must be GRANTED, fresh, of the same content and requester; it becomes USED in this transaction. Limits are
 * parameters per role: refund_limit_*, refund_day_limit_* (sum per operator and day of what went back without an
 * approval), price_limit_* (change up or down: change_fen). */
enum fd_code approval_use_in(struct op *op, const struct approval_wish *wish, int64_t change_fen, int64_t approval_id,
                             struct fd_error *err);
/* Asks; the id to *id. FD_REASON_NEEDED. */
enum fd_code approval_ask(struct desk *desk, const char *key, const struct approval_wish *wish, int64_t *id, struct fd_error *err);
/* The second person decides, signed in at this or another terminal. FD_NO_PERMISSION: requester, or a role that may
 * not. FD_REFUSED: decided, used or too old. */
enum fd_code approval_decide(struct desk *desk, const char *key, int64_t id, bool grant, struct fd_error *err);
/* At the requester's terminal: checks name and password of the second person (counted like a sign-in), then decides as
 * that person; the desk's own operator stays. */
enum fd_code approval_decide_as(struct desk *desk, int64_t id, const char *name, const char *password, struct fd_error *err);
struct approval_row {
    int64_t id, amount_fen, left_s; /* left_s: seconds that it is still valid */
    const char *action, *order_no, *reason, *requester, *terminal, *status, *approver; /* in the arena, never NULL */
    wall_t created_at;
};
/* Those that wait for a decision or for use, oldest first; `all`: also what is over, newest first; at most 200. */
enum fd_code approval_list(struct desk *desk, bool all, struct arena *arena, struct approval_row **rows, size_t *count, struct fd_error *err);
/* FD_NOT_FOUND. */
enum fd_code approval_show(struct desk *desk, int64_t id, struct arena *arena, struct approval_row **row, struct fd_error *err);
extern const struct action approval_actions[]; /* approve list|grant|deny|ask */
#endif
