/* Parameters of the business: every number of minutes, hours, yuan or tries. Read with their
 * defaults from this table; what differs stands in the table `param`. Source: domain, first lines. */
#ifndef FD_CORE_PARAM_H
#define FD_CORE_PARAM_H
#include "core/desk.h"

/* id, name, default, least, most, unit, text */
#define PARAM_TABLE(X)                                                                             \
    X(PARAM_HOLD_MINUTES, "hold_minutes", 15, 1, 1440, "min", N_("a hold made at the counter lasts")) \
    X(PARAM_HOLD_BEFORE_START, "hold_before_start_minutes", 30, 0, 1440, "min", N_("a hold for a call ends so long before the start")) \
    X(PARAM_HOLD_LEAST, "hold_least_minutes", 15, 1, 1440, "min", N_("no hold ends earlier than so long from now")) \
    X(PARAM_HOLDS_MOST, "unpaid_holds_most", 3, 1, 100, "", N_("unpaid holds a customer may have")) \
    X(PARAM_CHECK_IN_BEFORE, "check_in_before_minutes", 60, 0, 1440, "min", N_("check-in opens so long before the start")) \
    X(PARAM_MISS_GRACE, "miss_grace_minutes", 0, 0, 1440, "min", N_("a paid order is a no-show so long after the end")) \
    X(PARAM_FREE_CANCEL, "free_cancel_minutes", 120, 0, 10080, "min", N_("cancelling is free until so long before the start")) \
    X(PARAM_SIGN_IN_TRIES, "sign_in_tries", 5, 1, 100, "", N_("wrong passwords until an operator is locked")) \
    X(PARAM_PASSWORD_MIN, "password_min", 4, 1, 64, "", N_("least characters of a password"))      \
    X(PARAM_REQUEST_DAYS, "request_days", 30, 1, 3650, "d", N_("request keys are kept"))           \
    X(PARAM_WORKER_SECONDS, "worker_seconds", 5, 1, 3600, "s", N_("the worker looks again after")) \
    X(PARAM_CART_MOST, "cart_most", 20, 1, 100, "", N_("lines in one booking"))                    \
    X(PARAM_CODE_DEAD_MINUTES, "code_dead_minutes", 120, 1, 10080, "min", N_("an online code counts as dead so long after the time to pay, where no channel is configured")) \
    X(PARAM_REFUND_TRIES, "refund_tries", 12, 1, 100, "", N_("a refund is sent so often, then a case")) \
    X(PARAM_REFUND_LIMIT_CLERK, "refund_limit_clerk", 200, -1, 1000000, "yuan", N_("a clerk refunds alone at most (-1: all)")) \
    X(PARAM_REFUND_LIMIT_FINANCE, "refund_limit_finance", 5000, -1, 1000000, "yuan", N_("finance refunds alone at most (-1: all)")) \
    X(PARAM_REFUND_DAY_LIMIT_CLERK, "refund_day_limit_clerk", 1000, -1, 10000000, "yuan", N_("a clerk refunds alone a day (-1: all)")) \
    X(PARAM_REFUND_DAY_LIMIT_FINANCE, "refund_day_limit_finance", 50000, -1, 10000000, "yuan", N_("finance refunds alone a day (-1: all)")) \
    X(PARAM_PRICE_LIMIT_CLERK, "price_limit_clerk", 50, -1, 1000000, "yuan", N_("a clerk changes a price alone by (-1: all)")) \
    X(PARAM_PRICE_LIMIT_FINANCE, "price_limit_finance", 1000, -1, 1000000, "yuan", N_("finance changes a price alone by (-1: all)")) \
    X(PARAM_APPROVAL_MINUTES, "approval_minutes", 10, 1, 1440, "min", N_("an approval is valid")) \
    X(PARAM_CASE_UNKNOWN_MINUTES, "case_unknown_minutes", 60, 1, 10080, "min", N_("a channel's silence until it is a case")) \
    X(PARAM_CASH_MOVE_MOST, "cash_move_most", 100000, 1, 10000000, "yuan", N_("cash put into or taken out of a drawer at once at most")) \
    X(PARAM_WALK_IN_MINUTES, "walk_in_minutes", 2, 1, 1440, "min", N_("a walk-in's place waits while no code is shown"))

enum param {
#define X(id, name, fallback, least, most, unit, text) id,
    PARAM_TABLE(X)
#undef X
    PARAM_COUNT
};
/* Value in force; cached per desk for 5 s, read with one statement. Falls back to the cache on a lost link. */
int64_t param_get(struct desk *desk, enum param param);
/* Reads them now where the cache is older than 5 s; a failure keeps what was known. Not inside a transaction: there
 * param_get answers from the cache (op_run calls this before it begins). */
void param_refresh(struct desk *desk);
/* Forgets the cache. */
void param_forget(struct desk *desk);
void param_cache_free(struct param_cache **cache);
/* By name ("hold_minutes"); PARAM_COUNT where unknown. */
enum param param_find(const char *name);
const char *param_name(enum param param);
const char *param_unit(enum param param);
const char *param_text(enum param param); /* untranslated msgid */
int64_t param_default(enum param param);
int64_t param_least(enum param param);
int64_t param_most(enum param param);
/* Sets one; logged. FD_BAD_INPUT outside its range. */
enum fd_code param_set(struct desk *desk, const char *key, enum param param, int64_t value, const char *reason, struct fd_error *err);
#endif
