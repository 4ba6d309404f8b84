/* What the files of payment codes share. */
#ifndef FD_MONEY_CODE_INTERNAL_H
#define FD_MONEY_CODE_INTERNAL_H
#include "money/code.h"
#include "money/pay_internal.h"

/* "Not exist" is final so long after time_expire. WeChat takes no order whose time_expire is not a minute ahead, nor a
 * request signed over five minutes ago: until then a request of ours may still be on its way, and up to half of it one
 * is made there only to be closed. A code of the online system has a time_expire that nobody here knows: only "closed".
 */
#define CODE_ALIPAY_LATE_S 60
#define CODE_WECHAT_LATE_S (20 * 60)

/* A row of payment_record that a channel knows, with its own copies. */
struct code_row {
    int64_t id, amount_fen, tries;
    char out_trade_no[NUMBER_BYTES]; /* payment_record.order_no */
    char receipt_no[NUMBER_BYTES];   /* "" for a row of the online system */
    enum channel_id channel;
    char status[STATE_BYTES]; /* CREATED, SUCCESS, FAILED */
    char trouble[65];         /* channel_return_code */
    char text[CHANNEL_CODE_BYTES];
    wall_t until;                     /* WALL_NONE: a row of the online system */
    wall_t created_at, asked_at, now; /* now: the database's clock of this read */
    bool online;                      /* opened by the online system, for the order of its number */
};
bool code_is_live(const struct code_row *row); /* CREATED */
/* Reads one; by number and channel too. FD_NOT_FOUND. Inside a transaction or desk_read. */
enum fd_code code_row_read(struct db *db, int64_t payment_id, struct code_row *row, struct fd_error *err);
enum fd_code code_row_find(struct db *db, const char *out_trade_no, enum channel_id channel, struct code_row *row,
                           struct fd_error *err);
/* The same in a transaction of its own. */
enum fd_code code_row_load(struct desk *desk, int64_t payment_id, struct code_row *row, struct fd_error *err);

/* One order's part of it. */
struct code_share {
    char order_no[NUMBER_BYTES];
    struct order *order; /* in the arena; NULL: it is gone */
    int64_t fen;         /* its part as it was opened */
    int64_t fits_fen;    /* of it what the order still owes; set when it is settled */
    bool waits;          /* the order waited for payment when it was read */
};
/* The parts, by order id. A row of the online system pays the order of its number. */
enum fd_code code_shares(struct db *db, const struct code_row *row, struct arena *arena, struct code_share **shares,
                         size_t *count, struct fd_error *err);
/* One live code less on every order of ours, orders first. */
enum fd_code code_take_off(struct op *op, const struct code_row *row, const struct code_share *shares, size_t count,
                           struct fd_error *err);
/* Ids of the live codes of an order, ours and (`online`) the online system's; into the arena. */
enum fd_code code_live_ids(struct db *db, const char *order_no, bool online, struct arena *arena, int64_t **ids,
                           size_t *count, struct fd_error *err);
void code_log(struct op *op, const struct code_row *row, const char *event, const char *state_after, const char *more);

/* CREATED becomes FAILED, in its own transaction; FD_OK also where it is final already. */
enum fd_code code_give_up(struct desk *desk, int64_t payment_id, const char *why, struct fd_error *err);
/* The same inside an op. */
enum fd_code code_give_up_in(struct op *op, int64_t payment_id, const char *why, struct fd_error *err);
/* Keeps what the QR says; NULL: nothing that could be shown. */
enum fd_code code_keep_text(struct desk *desk, int64_t payment_id, const char *text, struct fd_error *err);
/* Says that the channel is asked now: *mine false where somebody did within the last second. `counts`: one try more. */
enum fd_code code_claim(struct desk *desk, int64_t payment_id, bool counts, bool *mine, struct fd_error *err);
/* Makes the code at the channel and keeps it. first: the number was never sent, so a refusal is final. FD_REFUSED and
 * FD_CONFIG only then; else the row says what became of it. */
enum fd_code code_create(struct desk *desk, struct channel *channel, const struct code_row *row, bool first,
                         struct fd_error *err);
/* Asks the channel once and does what its answer says. *answered false: the channel did not say anything of use. */
enum fd_code code_ask(struct desk *desk, struct channel *channel, const struct code_row *row, const char *source,
                      bool *answered, struct fd_error *err);
/* What a channel says of it. NOT: it has no such trade: at Alipay nobody has scanned it, at WeChat it does not take it
 * either. WAITS: it may be paid. */
enum code_there { THERE_SILENT, THERE_NOT, THERE_WAITS, THERE_FINAL };
/* Closes it at the channel, asks, and does what the answer says. `there` may be NULL. */
enum fd_code code_end_one(struct desk *desk, struct channel *channel, const struct code_row *row,
                          enum code_there *there, struct fd_error *err);
/* How long after time_expire "not exist" is final. */
int64_t code_late_s(enum channel_id channel);
/* codes_end; *may: what is live still are codes that nobody can have scanned, none of the channel `beside`: one of that
 * channel may be opened beside them (CHANNEL_COUNT: never asked for). */
enum fd_code codes_end_beside(struct desk *desk, const char *order_no, enum channel_id beside, bool *paid, bool *may,
                              struct fd_error *err);
/* Reads the merchant accounts where that was not done yet: FD_CONFIG says what is wrong with the file. */
enum fd_code code_channels_read(struct desk *desk, struct fd_error *err);
/* What the row says now; asks nobody. */
enum fd_code code_tell(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err);
/* What a row that is SUCCESS paid, as settling it answered. */
enum fd_code code_settled_read(struct db *db, const struct code_row *row, struct settled *settled,
                               struct fd_error *err);
#endif
