/* What the files of cases share. */
#ifndef FD_MONEY_CASE_INTERNAL_H
#define FD_MONEY_CASE_INTERNAL_H
#include "core/order.h"
#include "money/case.h"

/* One kind: what the table holds, what people read, and which ends it allows. */
struct case_kind_row {
    const char *name;  /* money_case.kind: "LATE" */
    const char *label; /* NC_() */
    const char *steps; /* N_(): what to do next, whole sentences */
    unsigned ends;     /* bits 1 << enum case_end */
};
extern const struct case_kind_row case_kinds[CASE_KIND_COUNT];
enum case_kind case_kind_from_name(const char *name); /* CASE_KIND_COUNT */
#define CASE_OPEN_BYTES 91
/* "LATE:20261130VBK7M3Q2": what money_case.open_subject holds while the case is open. */
const char *case_open_subject(enum case_kind kind, const char *subject, char out[CASE_OPEN_BYTES]);

/* A case as it was read, with its own copies. */
struct case_read {
    int64_t id, payment_id, refund_id, amount_fen, version;
    enum case_kind kind;
    char subject[65], order_no[NUMBER_BYTES], status[STATE_BYTES], owner[NAME_BYTES];
    bool pending; /* TAKEN, and its refund is on the way */
};
/* Reads one that is not closed. FD_NOT_FOUND; FD_REFUSED where it is closed: by whom and when. */
enum fd_code case_read_open(struct db *db, int64_t id, struct arena *arena, struct case_read *row,
                            struct fd_error *err);
/* Closes it, conditional on what was read, and logs it. FD_RETRY where somebody changed it meanwhile. */
enum fd_code case_end_in(struct op *op, const struct case_read *row, const char *outcome, struct fd_error *err);
/* The order of a number, whatever its kind; NULL where there is none. */
enum fd_code case_order(struct db *db, const char *order_no, struct arena *arena, struct order **order,
                        struct fd_error *err);

/* What still lies with a LATE or SURPLUS case: its amount less what went back of it, also by another door. FD_REFUSED:
 * nothing. */
enum fd_code case_left_in(struct op *op, const struct case_read *row, int64_t *fen, struct fd_error *err);
/* Late money, or a surplus, to another order of the same customer: the allocation moves, the order is paid by as much
 * of it as it owes. *left_fen: the rest, for which a new case is opened. */
enum fd_code case_move_in(struct op *op, const struct case_read *row, const char *to, int64_t *left_fen,
                          struct fd_error *err);
/* Finance found the money of a tender; FD_REFUSED where somebody was faster. */
enum fd_code case_confirm_in(struct op *op, const struct case_read *row, struct fd_error *err);
/* Finance did not: the payment is FAILED, its orders keep their states and owe the amount again; what of it still waited
 * to be given back by hand is not given. FD_REFUSED where some of it went back already. */
enum fd_code case_reject_in(struct op *op, const struct case_read *row, struct fd_error *err);
#endif
