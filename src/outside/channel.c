/* The payment channels by name, and what belongs to one. */
#include "outside/channel.h"

#include <stdlib.h>
#include <string.h>

#include "outside/channel_internal.h"
#include "outside/http.h"

static const char *const names[CHANNEL_COUNT] = {[CHANNEL_WECHAT] = "WECHAT", [CHANNEL_ALIPAY] = "ALIPAY"};

const char *channel_name(enum channel_id id)
{
    FD_ASSERT((unsigned)id < CHANNEL_COUNT);
    return names[id];
}

enum channel_id channel_from_name(const char *name)
{
    for (int i = 0; name && i < CHANNEL_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return (enum channel_id)i;
    return CHANNEL_COUNT;
}

struct channel *channels_get(struct channels *channels, enum channel_id id)
{
    FD_ASSERT((unsigned)id < CHANNEL_COUNT);
    return channels ? channels->channel[id] : NULL;
}

void channel_free(struct channel **channel)
{
    struct channel *gone = *channel;
    if (!gone)
        return;
    char *texts[] = {gone->base,      gone->merchant,      gone->app,       gone->serial,
                     gone->apiv3_key, gone->public_key_id, gone->notify_url};
    if (gone->apiv3_key)
        explicit_bzero(gone->apiv3_key, strlen(gone->apiv3_key));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    crypto_key_free(&gone->key);
    http_free(&gone->http);
    for (size_t i = 0; i < gone->platform_count; i++)
        crypto_key_free(&gone->platform[i].key);
    free(gone);
    *channel = NULL;
}

void channels_free(struct channels **channels)
{
    if (!channels || !*channels)
        return;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        channel_free(&(*channels)->channel[i]);
    free(*channels);
    *channels = NULL;
}

static struct platform_key *platform_at(struct channel *channel, const char *serial)
{
    for (size_t i = 0; i < channel->platform_count; i++)
        if (strcmp(channel->platform[i].serial, serial) == 0)
            return &channel->platform[i];
    return NULL;
}

bool channel_add_platform(struct channel *channel, const char *serial, struct crypto_key *key)
{
    struct platform_key *at = platform_at(channel, serial);
    if (!at && (channel->platform_count == PLATFORM_MOST || strlen(serial) >= SERIAL_BYTES)) {
        crypto_key_free(&key);
        return false;
    }
    if (!at) {
        at = &channel->platform[channel->platform_count++];
        cut_copy(at->serial, sizeof at->serial, serial);
    }
    crypto_key_free(&at->key);
    at->key = key;
    return true;
}

const struct crypto_key *channel_platform(const struct channel *channel, const char *serial)
{
    for (size_t i = 0; i < channel->platform_count; i++)
        if (strcmp(channel->platform[i].serial, serial) == 0)
            return channel->platform[i].key;
    return NULL;
}

void channel_limits(struct channel *channel, int64_t connect_ms, int64_t total_ms)
{
    channel->connect_ms = connect_ms;
    channel->total_ms = total_ms;
}
