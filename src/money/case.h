/* What needs a person (待处理): money that has no entitlement, refunds that failed, outcomes unknown past their time,
 * tenders that finance has to confirm. Source: domain section 5. */
#ifndef FD_MONEY_CASE_H
#define FD_MONEY_CASE_H
#include "core/action.h"
#include "core/op.h"

enum case_kind {
    CASE_LATE,      /* money for an order that no longer waits */
    CASE_PART_PAID, /* its time is over, and a part was paid */
    CASE_REFUND,    /* failed or abnormal at the channel */
    CASE_SURPLUS,   /* more came than is owed */
    CASE_UNKNOWN,   /* the channel did not say for too long */
    CASE_CONFIRM,   /* transfer, static code, voucher: finance confirms or rejects */
    CASE_AMOUNT,    /* the channel says another amount than ours */
    CASE_BY_HAND,   /* money to give back by hand: transfer, static code, voucher */
    CASE_KIND_COUNT
};
struct case_new {
    enum case_kind kind;
    const char *subject;   /* number of the order, payment or refund: one open case of a kind for each */
    const char *order_no;  /* NULL none */
    int64_t payment_id, refund_id; /* 0 none */
    int64_t amount_fen;
    const char *cause;     /* English, for log and list; known ones are translated where shown */
};
/* Opens one inside an op; where one is open already, nothing. */
enum fd_code case_open_in(struct op *op, const struct case_new *fresh, struct fd_error *err);
/* Ends the open case of a kind and subject as somebody else's action settled it; none open: nothing. */
enum fd_code case_settle_in(struct op *op, enum case_kind kind, const char *subject, const char *outcome, struct fd_error *err);

struct case_row {
    int64_t id, payment_id, refund_id, amount_fen, age_s;
    enum case_kind kind;
    const char *subject, *order_no, *cause, *status, *owner, *customer, *phone; /* in the arena, never NULL; phone masked */
    const char *outcome, *reason, *closed_by;
    wall_t created_at, closed_at;
    const char *steps; /* next steps in words, translated */
};
/* Open ones, oldest first; `all`: also closed ones, newest first. By page: after_id 0 the first. */
enum fd_code case_list(struct desk *desk, bool all, int64_t after_id, size_t most, struct arena *arena, struct case_row **rows, size_t *count, struct fd_error *err);
enum fd_code case_show(struct desk *desk, int64_t id, struct arena *arena, struct case_row **row, struct fd_error *err);
/* FD_REFUSED: closed, or somebody has it (who gives a reason takes it over). */
enum fd_code case_take(struct desk *desk, const char *key, int64_t id, struct fd_error *err);
/* How a case is closed. Each kind allows some (table in case.c); FD_BAD_INPUT lists them. */
enum case_end {
    CASE_REFUNDED,     /* give the money back now (starts the refund; stays TAKEN until it is final) */
    CASE_MOVED,        /* to another order of that customer (`to`) */
    CASE_CONFIRMED, CASE_REJECTED, /* CONFIRM: finance */
    CASE_PAID_BY_HAND, /* BY_HAND, REFUND: done outside; reference needed */
    CASE_RETRIED,      /* REFUND, UNKNOWN: try again now */
    CASE_KEPT,         /* nothing to do; reason of substance */
    CASE_NOT_DONE,     /* UNKNOWN: by the merchant's account it was never paid, or never went back; reason of substance */
    CASE_RECORDED,     /* UNKNOWN, AMOUNT, of a refund: by the merchant's account so much went back; its number there */
    CASE_END_COUNT
};
struct case_closing {
    enum case_end how;
    const char *to;        /* MOVED: order, whole number or tail */
    const char *reference; /* PAID_BY_HAND: number of the transfer or slip */
    const char *reason;    /* NULL: the call's; KEPT and REJECTED need one of substance */
    bool in_cash;          /* REFUNDED, PAID_BY_HAND: out of the drawer though it came another way */
    int64_t approval_id;   /* REFUNDED: a second person's, 0 none */
    int64_t amount_fen;    /* RECORDED: what went back; 0: the case's */
};
/* *left_fen (may be NULL): what remains of MOVED money, which stays in a new case. FD_BAD_INPUT: this kind does not end
 * so, or something is missing; FD_NO_PERMISSION: only finance; FD_REFUSED: closed, or somebody else's; what back_rows_in,
 * codes_end and order_fire return. */
enum fd_code case_close(struct desk *desk, const char *key, int64_t id, const struct case_closing *closing, int64_t *left_fen, struct fd_error *err);
const char *case_kind_label(enum case_kind kind); /* translated */
const char *case_end_name(enum case_end end);     /* "refunded" */
enum case_end case_end_from_name(const char *name); /* CASE_END_COUNT */
size_t case_ends(enum case_kind kind, enum case_end ends[CASE_END_COUNT]);
/* The worker: part-paid bills whose time is over, outcomes unknown past their time, confirmations that have no case. */
enum fd_code cases_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);
extern const struct action case_actions[];
#endif
