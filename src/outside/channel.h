/* Payment channels: WeChat Pay API v3 Native and Alipay precreate. A table of functions over libcurl: no database
 * here, no retries, no policy. Every call is signed, every answer verified; what cannot be verified or decoded is
 * CHANNEL_UNKNOWN. Never called inside a transaction. Source: facts/payments A, B; domain section 5. */
#ifndef FD_OUTSIDE_CHANNEL_H
#define FD_OUTSIDE_CHANNEL_H
#include <stddef.h>

#include "base/error.h"
#include "base/money.h"
#include "base/when.h"

enum channel_id { CHANNEL_WECHAT, CHANNEL_ALIPAY, CHANNEL_COUNT };
const char *channel_name(enum channel_id id);         /* "WECHAT", "ALIPAY": payment_record.channel; static */
enum channel_id channel_from_name(const char *name);  /* CHANNEL_COUNT where it is none */

/* The merchant's accounts, from a file (INI, 0600, own user, no symlink): sections [wechat] and [alipay], either may be
 * missing; key files are named relative to it. An error names file:line:key. `file` "" or NULL: no channel. One set
 * per thread. New; channels_free.
 * [wechat]  base mchid appid serial (of the merchant's certificate) key (file) apiv3_key | apiv3_key_file notify_url;
 *           public_key_id + public_key (file), and <serial> = file for each platform certificate: both kinds at once.
 *           Without a public key the certificates are fetched, and again twice a day.
 * [alipay]  base app_id seller_id key (file) public_key (file) notify_url (optional); public key mode. */
struct channels;
struct channel;
enum fd_code channels_load(const char *file, struct channels **channels, struct fd_error *err);
void channels_free(struct channels **channels);
struct channel *channels_get(struct channels *channels, enum channel_id id); /* NULL: not configured. Borrowed. */

/* What became of a call. */
enum channel_outcome {
    CHANNEL_DONE,      /* it did what it says; the answer is verified */
    CHANNEL_REFUSED,   /* a business refusal: the same again will not help */
    CHANNEL_NOT_FOUND, /* the channel has no such trade or refund */
    CHANNEL_UNKNOWN,   /* time-out, 5xx, 429, undecodable or unverifiable answer: ask before anything is repeated */
    CHANNEL_CONFIG     /* keys, clock, merchant or right are wrong: a person must mend the configuration */
};
struct channel_trouble {
    char code[64];     /* the channel's own: "ORDER_PAID", "ACQ.TRADE_HAS_SUCCESS"; "" none */
    char message[256]; /* cleaned, in the channel's words or ours */
    char hint[200];    /* what to do, translated; e.g. clock skew by the Date header; "" none */
    long http;         /* status, 0 none */
};

struct channel_order {
    const char *out_trade_no; /* ours, [0-9A-Z] */
    int64_t amount_fen;
    const char *subject;      /* UTF-8; what the channel does not take is replaced */
    wall_t until;             /* time_expire, wall time at +08:00 */
};
#define CHANNEL_CODE_BYTES 513
/* Makes the payment code. The same order again gives a fresh code. */
enum channel_outcome channel_create(struct channel *channel, const struct channel_order *order,
                                    char code[CHANNEL_CODE_BYTES], struct channel_trouble *trouble);

enum trade_state { TRADE_WAITING, TRADE_PAID, TRADE_CLOSED };
struct channel_trade {
    enum trade_state state;   /* Alipay's TRADE_CLOSED is CLOSED for a refunded trade too: we know whether it was paid */
    bool refunded;            /* WeChat REFUND, Alipay refund_fee: some of it went back */
    bool finished;            /* Alipay TRADE_FINISHED: no refund any more */
    char trade_no[65];        /* the channel's number, "" while unpaid */
    int64_t amount_fen;       /* amount.total / total_amount; what is compared with ours */
    wall_t paid_at;           /* WALL_NONE */
    char *raw;                /* the answer as it came; channel_trade_release */
};
/* DONE: *trade filled (merchant, number and currency were checked: else UNKNOWN). NOT_FOUND: at Alipay also "nobody has
 * scanned yet". */
enum channel_outcome channel_query(struct channel *channel, const char *out_trade_no, struct channel_trade *trade,
                                   struct channel_trouble *trouble);
void channel_trade_release(struct channel_trade *trade);
/* Asks the channel to close an unpaid order. DONE says only that it took the request: query afterwards. */
enum channel_outcome channel_close(struct channel *channel, const char *out_trade_no, struct channel_trouble *trouble);

struct channel_back {
    const char *out_trade_no, *out_refund_no; /* ours */
    int64_t refund_fen, total_fen;
    const char *reason;
};
enum back_state { BACK_PROCESSING, BACK_SUCCESS, BACK_CLOSED /* failed for good: a new number */, BACK_ABNORMAL };
struct channel_backed {
    enum back_state state;
    char refund_no[65];       /* the channel's */
    int64_t refund_fen;
};
/* DONE: accepted (state may be PROCESSING). The same number with the same amount is the same refund. */
enum channel_outcome channel_refund(struct channel *channel, const struct channel_back *back,
                                    struct channel_backed *backed, struct channel_trouble *trouble);
/* NOT_FOUND: never received; send again with the same number. */
enum channel_outcome channel_refund_query(struct channel *channel, const struct channel_back *back,
                                          struct channel_backed *backed, struct channel_trouble *trouble);

/* A notification as it came. Headers: "Name: value" lines as one text (WeChat's signature is there); body raw. */
struct channel_message {
    const char *headers, *body;
    size_t body_bytes;
};
enum notice_verdict {
    NOTICE_PAYMENT, NOTICE_REFUND, /* verified; the rest is filled */
    NOTICE_OTHER,                  /* verified, of a kind that says nothing to us: answered well */
    NOTICE_FORGED, NOTICE_STALE /* over 5 minutes */, NOTICE_MALFORMED, NOTICE_WRONG_MERCHANT
};
struct channel_notice {
    char id[65];              /* the channel's, for deduplication; "" where none could be read */
    char out_trade_no[65], out_refund_no[65];
    struct channel_trade trade;   /* NOTICE_PAYMENT; at Alipay also with NOTICE_REFUND, else raw is NULL */
    struct channel_backed backed; /* NOTICE_REFUND; at Alipay refund_fen is 0: it tells only the sum of all refunds */
    char trouble[256];            /* why not, English, for the log */
};
/* For who only reads notifications: fetches new certificates of the platform where they are due (a fresh start without
 * any, twice a day, a notification with an unknown serial), at most once a minute; else does nothing. Calls the channel:
 * outside transactions, before channel_notice_read. Every other call does it by itself. */
void channel_refresh(struct channel *channel);
/* Verifies and decodes; calls nobody. `now` is the machine's clock (seconds since 1970), for the 5 minutes
 * (WeChat; Alipay sends the same for a day, so there only `id` tells a repetition). Over 64 KiB: NOTICE_MALFORMED. */
enum notice_verdict channel_notice_read(struct channel *channel, const struct channel_message *message, int64_t now,
                                        struct channel_notice *notice);
void channel_notice_release(struct channel_notice *notice);
/* What to answer: status, body and content type, static. `good` true: taken, do not send again. */
struct channel_reply { int status; const char *type, *body; };
struct channel_reply channel_notice_reply(enum channel_id id, bool good);

/* `frontdesk channel check`: reads keys, compares the clock, asks for a trade that cannot exist. FD_OK, or FD_CONFIG with
 * what is wrong; FD_IO where it cannot be reached. Reachable and right: one line into `text`. */
enum fd_code channel_check(struct channel *channel, char *text, size_t size, struct fd_error *err);
/* The channel's clock as wall time at +08:00, and by how many seconds it is ahead of this machine's (below 0: behind), by
 * the Date of its last answer. False: it has not answered yet, or without one. Over CHANNEL_SKEW_S both clocks have to be
 * thought of; over 5 minutes WeChat refuses what we send, and we what it answers. */
#define CHANNEL_SKEW_S 60
bool channel_now(const struct channel *channel, wall_t *now);
bool channel_skew(const struct channel *channel, int64_t *seconds);
/* "This machine's clock is 180 s slow: set it right (NTP)."; "" where it is not off by over CHANNEL_SKEW_S. Translated,
 * into `text`. */
const char *channel_clock(const struct channel *channel, char *text, size_t size);
/* Time limits of the next calls (0: the defaults 5 s to connect, 12 s in all). */
void channel_limits(struct channel *channel, int64_t connect_ms, int64_t total_ms);
#endif
