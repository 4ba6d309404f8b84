/* What the files of src/money share. */
#ifndef FD_MONEY_PAY_INTERNAL_H
#define FD_MONEY_PAY_INTERNAL_H
#include "money/pay.h"

/* One order's part of a payment. */
struct pay_share {
    struct order *order;
    int64_t fen;        /* 0: an order that costs nothing becomes paid with the others */
    bool goes_in;       /* checked in right after */
    const char *state;  /* what it will be afterwards; static or in the op's arena */
};
/* A payment worked out from what was read; nothing is written yet. */
struct pay_plan {
    const struct payment *payment;
    struct pay_share *shares; /* by order id, in the op's arena */
    size_t count;
    struct paid paid;
    char channel_no[NUMBER_BYTES]; /* payment_record.order_no: fresh, tag PY */
};

/* What is still to be paid for an order now: the rest of an unpaid one, the dues of a paid one. */
int64_t order_owes(const struct order *order);
/* True where the next payment makes the order paid (so also where it costs nothing). */
bool order_waits(const struct order *order);

/* Fills orders, count and amount_fen from all and all_count. */
void owed_sum(struct arena *arena, struct owed *owed);

/* Checks a payment against what is owed: *amount_fen to take, *change_fen to hand back. FD_BAD_INPUT names the field. */
enum fd_code payment_check(const struct payment *payment, int64_t owed_fen, int64_t *amount_fen, int64_t *change_fen, struct fd_error *err);
/* FD_BAD_INPUT for a tender that only a payment code takes (money/code.h). */
enum fd_code payment_at_desk(const struct payment *payment, struct fd_error *err);
/* The parts of the orders alone, with fresh numbers: what a payment code is opened for. */
enum fd_code pay_plan_split(struct op *op, const struct owed *owed, const struct payment *payment,
                            struct pay_plan *plan, struct fd_error *err);
/* Works it out for these orders; `asked` (may be NULL) is paid first where the money is not enough for all. */
enum fd_code pay_plan_make(struct op *op, const struct owed *owed, const struct payment *payment, struct pay_plan *plan, struct fd_error *err);
/* Writes it: orders first (by id), then payment, allocations, dues, log. */
enum fd_code pay_plan_do(struct op *op, struct pay_plan *plan, struct fd_error *err);

/* Open dues of an order by a payment, oldest first; the rest of one that is paid in part becomes a row of its own. FD_RETRY
 * where they do not reach fen any more. */
enum fd_code pay_settle_dues(struct op *op, const char *order_no, int64_t fen, int64_t payment_id, struct fd_error *err);
/* FD_REFUSED: why there is nothing to take, by the order that was named or the bill as a whole. */
enum fd_code pay_nothing_owed(struct db *db, const struct owed *owed, struct arena *arena, struct fd_error *err);

/* A row of payment_record with its numbers; the id to *id. Used for every tender. */
struct pay_record {
    const struct payment *payment;
    const char *channel_no, *payment_no;
    const char *order_no; /* one that it pays: for the list of what needs a person */
    int64_t amount_fen, tendered_fen;
};
enum fd_code pay_record_insert(struct op *op, const struct pay_record *record, int64_t *id, struct fd_error *err);
enum fd_code pay_allocate(struct op *op, int64_t payment_id, const char *order_no, int64_t fen, struct fd_error *err);

/* Runs of the actions with payment codes, and their parameters: for the one table of this floor's payments. */
extern const struct action_param code_open_params[], code_show_params[];
enum fd_code code_wechat_run(struct call *call, struct fd_error *err);
enum fd_code code_alipay_run(struct call *call, struct fd_error *err);
enum fd_code code_show_run(struct call *call, struct fd_error *err);
enum fd_code channel_check_run(struct call *call, struct fd_error *err);

/* pay_take with the whole first answer as JSON (xmalloc'ed): what struct paid has, and the orders. */
enum fd_code pay_take_json(struct desk *desk, const char *key, const char *number, const struct payment *payment, char **json, struct fd_error *err);
#endif
