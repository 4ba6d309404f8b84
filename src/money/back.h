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
    const char *reference; /* card: refund slip; NULL none */
    int64_t payment_id;    /* only of this payment (late money, a surplus); 0: of any */
    int64_t approval_id;   /* 0: none */
    bool approved;         /* inside an op: the limits were looked at already (price change) */
};
struct backed {
    int64_t fen;           /* in all */
    int64_t cash_fen;      /* of it out of the drawer, now */
    int64_t pending_fen;   /* on its way at a channel or by hand */
    int64_t desk_fen;      /* of it taken off paid_amount: what desk tenders had paid; 0 for AMOUNT */
    char state[STATE_BYTES];
    char refund_no[NUMBER_BYTES]; /* the first; "" where nothing went back */
    size_t count;
};
/* The whole action in its own transaction, then sends what goes to a channel (a failure to send is not an error: the
 * worker goes on; pending_fen says). An order's live codes are ended first. Whole refund of a paid order: in the free
 * window, later with permission refund_late and a reason; COMPLETED, NO_SHOW and money that came to an order that is
 * over: money only, refund_late and a reason. FD_NO_PERMISSION, FD_REASON_NEEDED, FD_APPROVAL (above the limit: ask for
 * one), FD_REFUSED (more than is left), FD_MONEY_BACK (nothing says how the order was paid). */
enum fd_code back_give(struct desk *desk, const char *key, const char *number, const struct back *back,
                       const char *reason, struct backed *backed, struct fd_error *err);
/* A whole refund inside an op: fires refund, writes the rows, and where nothing is left to wait for refund_ok too. An
 * order of amount 0 has no rows. The order was read in this transaction; its state follows. Codes as back_give. */
enum fd_code back_whole_in(struct op *op, struct order *order, const struct back *back, struct backed *backed,
                           struct fd_error *err);
/* Cancels an order that waits for payment inside an op; what was paid of it goes back. */
enum fd_code back_cancel_in(struct op *op, struct order *order, const struct back *back, struct backed *backed,
                            struct fd_error *err);
/* The rows of one refund inside an op, for money that no event of the order goes with: chooses the payments (one that
 * is exactly the sum, cash before others; else the newest first), checks permission, limits and approval, raises the
 * caps, writes refund_record and log. fen negative: all that is left. kind QUANTITY and WHOLE take their part off
 * paid_amount: then the caller must have fired the event that does so, with backed->desk_fen; prefer the two above. */
enum fd_code back_rows_in(struct op *op, const struct order *order, const struct back *back, int64_t fen,
                          struct backed *backed, struct fd_error *err);
/* What could go back of an order now, in fen, and whether anything says how it was paid (false: paid online, but
 * no payment row). Inside a transaction or desk_read. */
enum fd_code back_left(struct db *db, const struct order *order, struct arena *arena, int64_t *left_fen, bool *known,
                       struct fd_error *err);
/* Runs an op on an order, ending the order's live codes where they stand in its way (FD_LIVE_CODE: then says until when),
 * and afterwards sends the refunds that it made. number whole or tail. Other parameters as op_run. */
struct back_run {
    struct desk *desk;
    const char *number;
    /* What to run with `self` instead of op_run, whose parameters it takes; NULL: op_run. */
    enum fd_code (*run)(void *self, const struct op_spec *spec, void *arg, char **result, bool *replayed,
                        struct fd_error *err);
    void *self;
};
enum fd_code back_run_op(const struct back_run *run, const struct op_spec *spec, void *arg, char **result,
                         bool *replayed, struct fd_error *err);
/* {"fen":…,"cash_fen":…,"pending_fen":…,"state":…,"refund_no":…,"count":…} and back. New tree; NULL reads as nothing. */
struct tree *backed_tree(const struct backed *backed);
void backed_from_tree(const struct tree *tree, struct backed *backed);
/* Lines for people: out of the drawer, on its way, given back. */
void backed_say(struct call *call, const struct backed *backed);
/* After the commit: sends the channel refunds of an order that are due now. Never an error of the action. Nothing where
 * desk->no_channel is set. */
void back_send_now(struct desk *desk, const char *order_no);
/* What the channel says of a refund, from a query or a notification. Idempotent. FD_NOT_FOUND. */
enum fd_code back_result(struct desk *desk, enum channel_id channel, const char *refund_no,
                         const struct channel_backed *channel_says, const char *source, struct fd_error *err);
/* Finance gave it back by hand, or in cash instead: of a refund that waits for a hand, failed or is abnormal. Inside an
 * op. FD_REFUSED: it is on its way at a channel, or done. */
enum fd_code back_by_hand_in(struct op *op, int64_t refund_id, const char *reference, bool in_cash, struct fd_error *err);
/* Finance found that the money of a payment never came: its refunds that wait for a hand are not given any more, FAILED
 * and owed to nobody, and an order that waited for them alone is REFUNDED. Their sum by order is for the caller to know
 * before: back_waiting_in. Inside an op. FD_REFUSED: some of it went back, or is on its way at a channel. */
enum fd_code back_void_in(struct op *op, int64_t payment_id, struct fd_error *err);
/* May they be called off? FD_REFUSED as back_void_in; to be asked before anything of it is written. */
enum fd_code back_voidable_in(struct op *op, int64_t payment_id, struct fd_error *err);
/* What of an order's part of a payment stands in such refunds and was taken off paid_amount. */
enum fd_code back_waiting_in(struct op *op, int64_t payment_id, const char *order_no, int64_t *fen,
                             struct fd_error *err);
/* What finance saw in the merchant's account, of a refund that is on its way at a channel. Inside an op. FD_REFUSED: it is
 * no such refund any more.
 * It never went: FAILED for good, as if the channel had said so; a REFUND case has it. */
enum fd_code back_never_went_in(struct op *op, int64_t refund_id, struct fd_error *err);
/* It went, with `fen`, under the channel's number `reference`. Less than was asked: the rest is owed, with a REFUND case
 * of its own; more: so much more went back by amount. FD_REFUSED also where the payment had less. */
enum fd_code back_went_in(struct op *op, int64_t refund_id, int64_t fen, const char *reference, struct fd_error *err);
/* A FAILED or ABNORMAL one again: FAILED gets a new number (a new row; where its order was paid again by the failure the
 * order is refunded anew), ABNORMAL and one that was given up is asked again. Inside an op; back_send_now afterwards, or
 * the worker sends it. FD_REFUSED: done. */
enum fd_code back_again_in(struct op *op, int64_t refund_id, struct fd_error *err);
/* The worker: sends and asks what is due, outside a transaction, and stores the outcome; fires refund_ok or refund_fail.
 * *done: how many this call had a channel asked about. */
enum fd_code back_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);
extern const struct action back_actions[]; /* order refund */
#endif
