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
};
/* Reads one inside an op. FD_NOT_FOUND; FD_REFUSED where it is closed: by whom and when. */
enum fd_code case_read_open(struct op *op, int64_t id, struct case_read *row, struct fd_error *err);
/* Closes it, conditional on what was read, and logs it. FD_RETRY where somebody changed it meanwhile. */
enum fd_code case_end_in(struct op *op, const struct case_read *row, const char *outcome, const char *reason,
                         struct fd_error *err);
#endif
