/* Price change (改价). Unpaid: conditional on the old amount, live codes ended first. Paid: less becomes a part refund,
 * more a due. Above the role's limit with a second person's approval. Source: domain section 5. */
#ifndef FD_MONEY_PRICE_H
#define FD_MONEY_PRICE_H
#include "money/back.h"

struct repriced {
    int64_t old_fen, new_fen, due_fen; /* due: newly due of a paid order */
    struct backed backed;              /* what goes back */
    char state[STATE_BYTES];           /* of the order afterwards */
};
/* How: the approval, and how money goes back where it does. */
struct reprice {
    int64_t old_fen; /* the amount that was seen (negative: whatever it is) */
    int64_t new_fen;
    int64_t approval_id;
    bool in_cash;
    const char *reference;
};
/* FD_PRICE_CHANGED where the amount is not old_fen. A reason is needed always. FD_APPROVAL, FD_LIVE_CODE. */
enum fd_code price_change_with(struct desk *desk, const char *key, const char *number, const struct reprice *how,
                               const char *reason, struct repriced *repriced, struct fd_error *err);
/* The same, without cash or reference. */
enum fd_code price_change(struct desk *desk, const char *key, const char *number, int64_t old_fen, int64_t new_fen,
                          int64_t approval_id, const char *reason, struct repriced *repriced, struct fd_error *err);
extern const struct action price_actions[];
#endif
