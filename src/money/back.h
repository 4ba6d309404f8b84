/* Money back: whole, a part by amount, a part by quantity; the way it came. A refund row is CREATED (to be sent),
 * PROCESSING, SUCCESS, FAILED or ABNORMAL; the cap is payment_record.refunded_amount, raised conditionally when the row
 * is made and lowered when it failed for good. Cash is SUCCESS at once; card needs the slip's number; transfer, static
 * code and voucher are given back by hand (case BY_HAND). Source: domain sections 1.1, 5. */
#ifndef FD_MONEY_BACK_H
#define FD_MONEY_BACK_H
#include "money/approval.h"
#include "money/pay.h"
#include "outside/channel.h"

enum back_kind { BACK_WHOLE, BACK_AMOUNT, BACK_QUANTITY };
struct back {
    enum back_kind kind;
    int64_t amount_fen;    /* AMOUNT */
    int64_t quantity;      /* QUANTITY: places given back */
    bool in_cash;          /* cash for money that did not come in cash: finance, with a reason */
    const char *reference; /* card: refund slip */
    int64_t approval_id;   /* 0: none */
};
struct backed {
    int64_t fen;           /* in all */
    int64_t cash_fen;      /* of it out of the drawer, now */
    int64_t pending_fen;   /* on its way at a channel or by hand */
    char state[STATE_BYTES];
    char refund_no[NUMBER_BYTES]; /* the first */
    size_t count;
};
/* The whole action in its own transaction, then sends what goes to a channel (a failure to send is not an error: the
 * worker goes on; pending_fen says). An order's live codes are ended first. Whole refund of a paid order: in the free
 * window, later with permission refund_late and a reason; COMPLETED, NO_SHOW: money only, refund_late.
 * FD_NO_PERMISSION, FD_REASON_NEEDED, FD_APPROVAL (above the limit: ask for one), FD_REFUSED (more than is left). */
enum fd_code back_give(struct desk *desk, const char *key, const char *number, const struct back *back,
                       const char *reason, struct backed *backed, struct fd_error *err);
/* The rows of one refund inside an op, for cancel, move, price and quantity: chooses the payments (newest first, cash
 * before others where the sum is the same), raises the caps, writes refund_record and log. The caller fires the order's
 * event with backed->fen taken off paid_fen (not for AMOUNT). */
enum fd_code back_rows_in(struct op *op, const struct order *order, const struct back *back, int64_t fen,
                          struct backed *backed, struct fd_error *err);
/* After the commit: sends the channel refunds of an order that are due now. Never an error of the action. */
void back_send_now(struct desk *desk, const char *order_no);
/* One refund: send or ask, outside a transaction, and store the outcome; fires refund_ok or refund_fail. */
enum fd_code back_push(struct desk *desk, int64_t refund_id, struct fd_error *err);
/* What the channel says of a refund, from a query or a notification. Idempotent. FD_NOT_FOUND. */
enum fd_code back_result(struct desk *desk, enum channel_id channel, const char *refund_no,
                         const struct channel_backed *channel_says, const char *source, struct fd_error *err);
/* Finance gave it back by hand, or in cash instead. */
enum fd_code back_by_hand_in(struct op *op, int64_t refund_id, const char *reference, bool in_cash, struct fd_error *err);
/* A FAILED or ABNORMAL one again: FAILED gets a new number, ABNORMAL is asked again. Inside an op. */
enum fd_code back_again_in(struct op *op, int64_t refund_id, struct fd_error *err);
enum fd_code back_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);
extern const struct action back_actions[]; /* order refund */
#endif
