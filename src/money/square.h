/* A change of what an order costs, with the money that follows: less goes back or lowers what is still due, more is
 * taken at once, left due, or (unpaid) just owed. For move, quantity and price change. Source: domain section 1.1. */
#ifndef FD_MONEY_SQUARE_H
#define FD_MONEY_SQUARE_H
#include "money/back.h"

struct square {
    const char *cause;             /* order_due.cause: "move", "quantity", "price" */
    const struct payment *payment; /* takes the difference of a paid order; NULL: nobody does */
    bool leave_due;                /* without a payment the difference stays due; else FD_UNPAID */
    bool late_guard;               /* money back of a paid order only as the guard of its event `refund` allows */
    struct back back;              /* how money goes back: in_cash, reference, approval; places in quantity */
    /* out */
    struct paid paid;     /* zeroed where nothing was taken */
    struct backed backed; /* zeroed where nothing went back */
    int64_t due_fen;      /* newly due */
};
/* Fires `event` with `set` (whose total_fen is the new amount; paid_fen is worked out here) inside an op and does all
 * that follows. An unpaid order of which nothing is owed any more becomes paid. FD_UNPAID, FD_LIVE_CODE, FD_BAD_INPUT
 * (the bill would come to more than a payment can be); what back_rows_in and pay_difference_in return. */
enum fd_code square_fire_in(struct op *op, struct order *order, const char *event, struct order_set *set,
                            struct square *square, struct fd_error *err);
/* FD_BAD_INPUT where the bill, with `fen` instead of what `except` (NULL: none) costs, would come to more than a
 * payment can be. Bill "": FD_OK where `fen` itself fits. */
enum fd_code square_bill_fits(struct op *op, const char *bill_no, const struct order *except, int64_t fen,
                              struct fd_error *err);
#endif
