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
    char *base;        /* without a slash at the end */
    char *merchant;    /* mchid, seller_id */
    char *app;         /* appid, app_id */
    char *serial;      /* WeChat: of the merchant's certificate */
    char *apiv3_key;   /* WeChat: AES_KEY_BYTES bytes; wiped */
    char *public_key_id;
    char *notify_url;
    struct crypto_key *key; /* the merchant's private one; owned */
    struct platform_key platform[PLATFORM_MOST];
    size_t platform_count;
    int64_t fetched_ms; /* mono_ms() of the last try to fetch the platform's certificates; 0 never */
    struct http *http;  /* made by the first call; owned */
    int64_t connect_ms, total_ms;
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
#endif
