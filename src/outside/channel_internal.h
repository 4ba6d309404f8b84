/* What the files of the channels share. */
#ifndef FD_OUTSIDE_CHANNEL_INTERNAL_H
#define FD_OUTSIDE_CHANNEL_INTERNAL_H
#include "base/mem.h"
#include "outside/channel.h"
#include "outside/crypto.h"

#define PLATFORM_MOST 8 /* keys of the platform at once: a public key and the certificates of a rollover */

struct platform_key {
    char serial[SERIAL_BYTES]; /* "PUB_KEY_ID_…" or 40 hex digits; "" at Alipay */
    struct crypto_key *key;    /* owned */
};

struct http;
struct channel_ops;
struct channel {
    enum channel_id id;
    const struct channel_ops *ops;
    /* As configured; owned, NULL where not given. */
    char *base;      /* without a slash at the end */
    char *merchant;  /* mchid, seller_id */
    char *app;       /* appid, app_id */
    char *serial;    /* WeChat: of the merchant's certificate */
    char *apiv3_key; /* WeChat: AES_KEY_BYTES bytes; wiped */
    char *public_key_id;
    char *notify_url;
    struct crypto_key *key; /* the merchant's private one; owned */
    struct platform_key platform[PLATFORM_MOST];
    size_t platform_count;
    int64_t tried_ms;  /* mono_ms() of the last try to fetch the platform's certificates; 0 never */
    int64_t due_ms;    /* mono_ms() when they are due again; INT64_MAX: never */
    struct http *http; /* made by the first call; owned */
    int64_t connect_ms, total_ms;
    int64_t date_s;  /* Date of its last answer, seconds since 1970; 0: none yet */
    int64_t date_ms; /* mono_ms() when that came */
    bool skewed;     /* said in the log */
};

struct channels {
    struct channel *channel[CHANNEL_COUNT]; /* owned, NULL: not configured */
};

/* Adds a platform key, or replaces the one with that serial; takes `key` over. False where there is no room: `key` is
 * freed then. */
bool channel_add_platform(struct channel *channel, const char *serial, struct crypto_key *key);
/* Borrowed; NULL: none with that serial. */
const struct crypto_key *channel_platform(const struct channel *channel, const char *serial);
void channel_free(struct channel **channel);

/* ---- what a channel is: one row of functions ---- */

/* They find *trouble and what they fill cleared. */
struct channel_ops {
    const char *name;
    enum channel_outcome (*create)(struct channel *, const struct channel_order *, char *code,
                                   struct channel_trouble *);
    enum channel_outcome (*query)(struct channel *, const char *, struct channel_trade *, struct channel_trouble *);
    enum channel_outcome (*close)(struct channel *, const char *, struct channel_trouble *);
    enum channel_outcome (*refund)(struct channel *, const struct channel_back *, struct channel_backed *,
                                   struct channel_trouble *);
    enum channel_outcome (*refund_query)(struct channel *, const struct channel_back *, struct channel_backed *,
                                         struct channel_trouble *);
    enum notice_verdict (*notice)(struct channel *, const struct channel_message *, int64_t now,
                                  struct channel_notice *);
    void (*refresh)(struct channel *); /* NULL: keys never change */
    struct channel_reply taken, again;
};
extern const struct channel_ops wechat_ops, alipay_ops;
const struct channel_ops *channel_ops_of(enum channel_id id);

/* A word of the channel's and what it means for us. Tables end with a NULL code. */
struct error_row {
    const char *code;
    enum channel_outcome outcome;
    const char *hint; /* N_(); NULL none */
};
const struct error_row *error_row_of(const struct error_row *rows, const char *code); /* NULL: not in the table */

/* Fills *trouble and returns `outcome`. `message`: cleaned; `hint`: msgid, translated here, NULL none. */
enum channel_outcome trouble_fill(struct channel_trouble *trouble, enum channel_outcome outcome, const char *code,
                                  const char *message, const char *hint);
/* Replaces the hint where the peer's Date header says that this machine's clock is over a minute off. */
void trouble_clock(struct channel_trouble *trouble, const char *headers);

/* The sentence of that hint for a skew over a minute; "" below. `text` takes 200 bytes. */
#define CLOCK_TEXT 200
const char *clock_text(int64_t skew_s, char text[CLOCK_TEXT]);

struct http_request;
struct http_answer;
/* One call: times it, logs it (never its headers or body). CHANNEL_DONE: answered, whatever the status. */
enum channel_outcome channel_http(struct channel *channel, struct http_request *request, struct http_answer *answer,
                                  struct channel_trouble *trouble);

#define SKEW_MOST_S 300
/* "2026-05-20T13:29:35+08:00", at any offset, as wall time at +08:00. False where it is none. */
bool wall_from_rfc3339(const char *text, wall_t *wall);
/* The reverse; `text` has RFC3339_TEXT bytes. */
#define RFC3339_TEXT 26
const char *wall_rfc3339(wall_t wall, char text[RFC3339_TEXT]);
/* `text` without what `channel` does not take: characters over `bytes_most` bytes and those of `refused` (ASCII) become
 * `instead`; at most `chars` characters. "" where nothing is left. Into `out`. */
struct text_rule {
    int bytes_most;
    const char *refused;
    char instead;
    size_t chars;
};
const char *text_for_channel(const char *text, const struct text_rule *rule, char *out, size_t bytes);
/* 1 to `most` characters, digits, letters and those of `more`. */
bool is_number_of(const char *text, const char *more, size_t most);
/* Copies a number of the channel's; false where it is missing, does not fit or is not printable ASCII. */
bool copy_number(char *out, size_t bytes, const char *number);
/* A verified text as a string: false where it is over `most` bytes, empty or has a NUL in it. */
bool is_whole_text(const char *bytes, size_t count, size_t most);
/* Fills what went wrong with a notification and returns `verdict`. */
enum notice_verdict notice_say(struct channel_notice *notice, enum notice_verdict verdict, const char *why);
#define NOTICE_MOST_BYTES 65536
#endif
