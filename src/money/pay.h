/* Counter tenders: cash, card, transfer, static code, voucher; WeChat and Alipay, whose codes are in money/code.h. Source:
 * domain section 5. */
#ifndef FD_MONEY_PAY_H
#define FD_MONEY_PAY_H
#include "core/action.h"
#include "core/order.h"

enum tender { TENDER_CASH, TENDER_WECHAT, TENDER_ALIPAY, TENDER_CARD, TENDER_TRANSFER, TENDER_STATIC, TENDER_VOUCHER, TENDER_COUNT };
struct tender_row {
    const char *verb;      /* "cash": frontdesk pay cash */
    const char *channel;   /* "CASH": payment_record.channel */
    const char *label;     /* NC_() label: 现金 */
    char digit;            /* key on the payment screen */
    bool needs_reference;  /* card slip, transfer, static code, voucher */
    bool gives_change;     /* cash only */
    bool confirmed_later;  /* SUCCESS at once, confirmed_at NULL until finance confirms */
    bool by_code;          /* the customer scans our code (money/code.h); pay_take refuses it: FD_BAD_INPUT */
};
extern const struct tender_row tenders[TENDER_COUNT];

struct payment {
    enum tender tender;
    int64_t amount_fen;    /* what to take; 0: all that is owed */
    int64_t tendered_fen;  /* cash: what was handed over; 0: exactly, unless counted */
    const char *reference; /* NULL where none */
    bool check_in;         /* and in, same transaction */
    const char *field;     /* the flag that said tendered_fen, "--cash", for messages; NULL: "tendered" */
    bool counted;          /* somebody said tendered_fen, so 0 is nothing at all */
};
struct paid {
    char payment_no[NUMBER_BYTES]; /* receipt number; "" where nothing was owed */
    int64_t amount_fen, tendered_fen, change_fen, left_fen; /* left: still owed by the bill */
    int64_t orders_paid;   /* how many became PAID */
};
/* What a number (order or bill, whole or tail) owes: the bill's waiting orders and open dues. Fills orders in
 * the arena: those that owe. FD_NOT_FOUND, FD_AMBIGUOUS. */
struct owed {
    const char *bill_no;   /* "" for a single order */
    int64_t amount_fen;
    struct order **orders; /* that owe, by id */
    size_t count;
    struct order *asked;   /* the order named, or NULL for a bill number */
    struct order **all;    /* all orders of the bill */
    size_t all_count;
};
enum fd_code pay_owed(struct db *db, const char *number, struct arena *arena, struct owed *owed, struct fd_error *err);
/* Takes money for a number in its own transaction; the same key returns the first answer. FD_BAD_INPUT: tendered below
 * amount, reference missing; FD_REFUSED: nothing owed. With check_in the named order (all of the bill for a bill number) goes in. */
enum fd_code pay_take(struct desk *desk, const char *key, const char *number, const struct payment *payment, struct paid *paid, struct fd_error *err);
/* The same inside an op on orders just made or changed (orders locked by this transaction). */
enum fd_code pay_take_in(struct op *op, struct order **orders, size_t count, const struct payment *payment, struct paid *paid, struct fd_error *err);
/* A paid order's difference taken by a tender inside an op (move, quantity): payment, allocation, paid_amount by the caller's order_set. */
enum fd_code pay_difference_in(struct op *op, const struct order *order, int64_t difference_fen, const struct payment *payment, struct paid *paid, struct fd_error *err);
/* May who runs the op take money this way ("pay.cash")? For ops that take it along with something else: theirs is only the
 * permission for that. FD_NO_PERMISSION. */
enum fd_code tender_may_in(struct op *op, enum tender tender, struct fd_error *err);
/* Rows for screens: payments and refunds of an order. */
struct payment_row {
    const char *payment_no, *channel, *status, *operator, *reference; /* in the arena, never NULL */
    int64_t amount_fen, allocated_fen, refunded_fen, tendered_fen;
    wall_t at;
    bool refund, unconfirmed;
};
/* What came for an order, and what of it went back or is on its way back: what failed is neither. */
struct pay_sum {
    int64_t taken_fen, back_fen;
};
void pay_sum_add(struct pay_sum *sum, const struct payment_row *rows, size_t count);
enum fd_code pay_rows(struct db *db, const char *order_no, struct arena *arena, struct payment_row **rows, size_t *count, struct fd_error *err);

extern const struct action pay_actions[];
#endif
