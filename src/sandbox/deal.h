/* What happens to trades whichever channel they are of: payers scan and pay, refunds are taken and come through, time
 * passes. All under the box's lock; each commits what it did. */
#ifndef FD_SANDBOX_DEAL_H
#define FD_SANDBOX_DEAL_H
#include "sandbox/box.h"

#define CODE_LIFE_S (2 * 3600)

/* A number of `digits` digits that no trade or refund has: the day, then random ones. */
void deal_number(const struct box *box, const char *prefix, char *out, size_t digits);
/* A fresh payment code; the former one stops working. */
void deal_new_code(struct box *box, struct trade *trade);

/* ---- the payer's telephone ---- */

/* The trade of a code or of an order number, or the last code that was made where `name` is NULL. FD_NOT_FOUND. */
enum fd_code payer_finds(struct box *box, const char *name, struct trade **trade, struct fd_error *err);
/* Binds the payer; makes the trade appear at Alipay. FD_REFUSED says why: closed, paid, run out, another payer. */
enum fd_code payer_scans(struct box *box, struct trade *trade, const char *payer, struct fd_error *err);
struct payer {
    const char *name;
    int64_t amount_fen; /* below 0: what is asked for */
    int64_t coupon_fen; /* what of it a coupon of the channel pays */
};
/* Scans and pays; notifies. FD_BAD_INPUT: the coupon is worth more than the payment. */
enum fd_code payer_pays(struct box *box, struct trade *trade, const struct payer *payer, struct fd_error *err);

/* ---- refunds ---- */

enum refund_verdict {
    REFUND_NEW,
    REFUND_AGAIN,     /* the same number and amount */
    REFUND_DIFFERENT, /* the same number, another amount or trade */
    REFUND_UNPAID,
    REFUND_FINISHED,
    REFUND_TOO_MUCH,
    REFUND_TOO_SOON, /* the one-minute rule */
    REFUND_TOO_MANY, /* 50 */
    REFUND_TOO_LATE, /* 365 days */
    REFUND_VERDICTS
};
struct refund_ask {
    const char *number, *reason, *notify_url; /* reason and notify_url "" none */
    int64_t amount_fen;
    bool at_once; /* Alipay: done with the answer */
};
/* Judges; makes and keeps the refund where it is new. *refund: the new or the old one, else NULL. */
enum refund_verdict refund_take(struct box *box, struct trade *trade, const struct refund_ask *ask,
                                struct refund **refund);
/* What was or is being refunded of a trade (closed ones do not count). */
int64_t refund_sum(const struct box *box, const struct trade *trade, int64_t *count, int64_t *last_at);
/* What was refunded of it for good. */
int64_t refund_done_sum(const struct box *box, const struct trade *trade);
/* The channel has decided: REFUND_SUCCESS, REFUND_CLOSED or REFUND_ABNORMAL; notifies. */
void refund_ends(struct box *box, struct refund *refund, enum refund_stage stage);

/* Closes an unpaid trade. */
void trade_close(struct box *box, struct trade *trade);
/* What the clock has brought: refunds that come through, trades that run out. */
void deal_tick(struct box *box);
#endif
