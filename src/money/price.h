/* Price change (改价). Unpaid: conditional on the old amount, live codes ended first. Paid: less becomes a part refund,
 * more a due. Above the role's limit with a second person's approval. Source: domain section 5. */
#ifndef FD_MONEY_PRICE_H
#define FD_MONEY_PRICE_H
#include "money/back.h"

struct repriced { int64_t old_fen, new_fen, due_fen; struct backed backed; };
/* old_fen: the amount that was seen (negative: whatever it is), else FD_PRICE_CHANGED. A reason is needed always. */
enum fd_code price_change(struct desk *desk, const char *key, const char *number, int64_t old_fen, int64_t new_fen,
                          int64_t approval_id, const char *reason, struct repriced *repriced, struct fd_error *err);
extern const struct action price_actions[];
#endif
