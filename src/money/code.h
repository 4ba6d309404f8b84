/* Payment codes: one attempt at a channel is one payment_record row: CREATED (live), SUCCESS (paid) or FAILED (final, not
 * paid). The row, its allocations and live_codes + 1 on each order are committed before the channel is called; when the
 * code is final, 1 comes off. Unknown outcomes are asked for, never guessed. Source: domain sections 1, 1.1, 5;
 * architecture 6. Nothing here calls a channel inside a transaction. */
#ifndef FD_MONEY_CODE_H
#define FD_MONEY_CODE_H
#include "money/pay.h"
#include "outside/channel.h"

/* The desk's merchant accounts, read on first use from [channels] file. *channel NULL never: FD_CONFIG where it is not
 * configured. Borrowed from the desk. */
enum fd_code desk_channel(struct desk *desk, enum channel_id id, struct channel **channel, struct fd_error *err);
/* Is any channel configured? Reads nothing again. */
bool desk_has_channel(struct desk *desk, enum channel_id id);

enum code_state { CODE_WAITING, CODE_PAID, CODE_DEAD, CODE_CHECKING /* the channel has not answered; ask again */ };
struct pay_code {
    int64_t payment_id;
    char out_trade_no[NUMBER_BYTES], receipt_no[NUMBER_BYTES];
    enum channel_id channel;
    enum code_state state;
    int64_t amount_fen;
    wall_t until, now;             /* time_expire, and the database's clock of this answer */
    char text[CHANNEL_CODE_BYTES]; /* what the QR says; "" while CHECKING before the first answer */
    struct paid paid;              /* CODE_PAID: what it paid */
    bool surplus;                  /* paid, but some or all of it found no waiting order: a case was opened */
};
/* Opens a code for what a number owes (amount_fen 0: all of it; never more). The hold's end is the code's, extended to
 * the channel's minimum. A code of the same orders, amount and channel that is live is shown again; another live one of
 * these orders is closed first (so changing WeChat for Alipay works), FD_LIVE_CODE where that is not final yet; only a
 * code that its channel does not have (at Alipay nobody has scanned it), which cannot be closed, may stay live beside
 * the other channel's.
 * FD_REFUSED: nothing owed. Where the channel does not answer the state is CODE_CHECKING and FD_OK. */
enum fd_code code_open(struct desk *desk, const char *key, const char *number, enum channel_id channel,
                       int64_t amount_fen, struct pay_code *code, struct fd_error *err);
/* {"code":…,"out_trade_no":…,"receipt_no":…,"channel":…,"payment":…,"amount_fen":…,"until":…,"state":…}: state waiting,
 * paid, closed or checking; code null unless it waits. New tree. */
struct tree *code_tree(const struct pay_code *code);
/* For people: the code as blocks, and what becomes of it. */
void code_say(struct call *call, const struct pay_code *code);
/* Asks the channel (at most once a second, whoever asks) and settles. */
enum fd_code code_poll(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err);
/* Abandons it: close, query. CODE_DEAD, CODE_PAID (the customer was faster), or CODE_WAITING/CHECKING: not final yet. */
enum fd_code code_close(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err);
/* Makes every code of an order final that can be made so: ours, and CREATED rows of the online system. FD_OK: none is
 * live any more (*paid: one was paid meanwhile, so read the order again). FD_LIVE_CODE: says until when. Where
 * desk->no_channel is set and a channel would have to be called: FD_LIVE_CODE at once. */
enum fd_code codes_end(struct desk *desk, const char *order_no, bool *paid, struct fd_error *err);
/* codes_end for an order by any number, after an action answered FD_LIVE_CODE. *cleared: some were live and none is now,
 * so the action may be run again (with the same key); where it is false and FD_OK, something else stands in its way. */
enum fd_code codes_clear(struct desk *desk, const char *number, bool *cleared, struct fd_error *err);
/* Is there something for codes_end to do? One read, inside a transaction or not. */
enum fd_code codes_live(struct db *db, const char *order_no, bool *live, struct fd_error *err);
/* The worker: asks about every code ever shown until it is final; closes those that are over. */
enum fd_code codes_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);

/* What a verified answer or notification says of one of our payments, in one transaction (actor: channel). Idempotent.
 * source: "poll", "notice", "close": for the log. FD_NOT_FOUND: no such payment. *surplus as above. */
struct settled { bool first; bool surplus; bool wrong_amount; struct paid paid; };
enum fd_code code_settle(struct desk *desk, const char *out_trade_no, enum channel_id channel,
                         const struct channel_trade *trade, const char *source, struct settled *settled,
                         struct fd_error *err);
#endif
