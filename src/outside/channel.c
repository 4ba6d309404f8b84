/* The payment channels by name, and what belongs to one. */
#include "outside/channel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/token.h"
#include "outside/channel_internal.h"
#include "outside/http.h"

#define BEIJING_S (8 * 3600)

const struct channel_ops *channel_ops_of(enum channel_id id)
{
    static const struct channel_ops *const rows[CHANNEL_COUNT] = {
        [CHANNEL_WECHAT] = &wechat_ops, [CHANNEL_ALIPAY] = &alipay_ops};
    FD_ASSERT((unsigned)id < CHANNEL_COUNT);
    return rows[id];
}

const char *channel_name(enum channel_id id)
{
    return channel_ops_of(id)->name;
}

enum channel_id channel_from_name(const char *name)
{
    for (int i = 0; name && i < CHANNEL_COUNT; i++)
        if (strcmp(channel_name((enum channel_id)i), name) == 0)
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

/* ---- calls ---- */

enum channel_outcome channel_create(struct channel *channel, const struct channel_order *order,
                                    char code[CHANNEL_CODE_BYTES], struct channel_trouble *trouble)
{
    *trouble = (struct channel_trouble){0};
    code[0] = '\0';
    return channel->ops->create(channel, order, code, trouble);
}

enum channel_outcome channel_query(struct channel *channel, const char *out_trade_no, struct channel_trade *trade,
                                   struct channel_trouble *trouble)
{
    *trouble = (struct channel_trouble){0};
    *trade = (struct channel_trade){.paid_at = WALL_NONE};
    return channel->ops->query(channel, out_trade_no, trade, trouble);
}

void channel_trade_release(struct channel_trade *trade)
{
    free(trade->raw);
    trade->raw = NULL;
}

enum channel_outcome channel_close(struct channel *channel, const char *out_trade_no, struct channel_trouble *trouble)
{
    *trouble = (struct channel_trouble){0};
    return channel->ops->close(channel, out_trade_no, trouble);
}

enum channel_outcome channel_refund(struct channel *channel, const struct channel_back *back,
                                    struct channel_backed *backed, struct channel_trouble *trouble)
{
    *trouble = (struct channel_trouble){0};
    *backed = (struct channel_backed){0};
    return channel->ops->refund(channel, back, backed, trouble);
}

enum channel_outcome channel_refund_query(struct channel *channel, const struct channel_back *back,
                                          struct channel_backed *backed, struct channel_trouble *trouble)
{
    *trouble = (struct channel_trouble){0};
    *backed = (struct channel_backed){0};
    return channel->ops->refund_query(channel, back, backed, trouble);
}

/* ---- notifications ---- */

void channel_refresh(struct channel *channel)
{
    if (channel->ops->refresh)
        channel->ops->refresh(channel);
}

enum notice_verdict channel_notice_read(struct channel *channel, const struct channel_message *message, int64_t now,
                                        struct channel_notice *notice)
{
    *notice = (struct channel_notice){.trade = {.paid_at = WALL_NONE}};
    if (!is_whole_text(message->body, message->body_bytes, NOTICE_MOST_BYTES))
        return notice_say(notice, NOTICE_MALFORMED, "empty, no text, or over 64 KiB");
    const struct channel_message known = {
        .headers = message->headers ? message->headers : "", .body = message->body, .body_bytes = message->body_bytes};
    return channel->ops->notice(channel, &known, now, notice);
}

void channel_notice_release(struct channel_notice *notice)
{
    channel_trade_release(&notice->trade);
}

struct channel_reply channel_notice_reply(enum channel_id id, bool good)
{
    return good ? channel_ops_of(id)->taken : channel_ops_of(id)->again;
}

/* ---- clocks ---- */

static int64_t seconds_there(const struct channel *channel)
{
    return channel->date_s + (mono_ms() - channel->date_ms) / 1000;
}

bool channel_now(const struct channel *channel, wall_t *now)
{
    if (channel->date_s == 0)
        return false;
    *now = seconds_there(channel) + BEIJING_S;
    return true;
}

bool channel_skew(const struct channel *channel, int64_t *seconds)
{
    if (channel->date_s == 0)
        return false;
    *seconds = seconds_there(channel) - (int64_t)time(NULL);
    return true;
}

const char *channel_clock(const struct channel *channel, char *text, size_t size)
{
    char whole[CLOCK_TEXT] = "";
    int64_t skew_s;
    if (channel_skew(channel, &skew_s))
        clock_text(skew_s, whole);
    cut_copy(text, size, whole);
    return text;
}

/* ---- check ---- */

/* How it stands with the clocks, in a sentence of its own. */
static void add_clock(const struct channel *channel, char *text, size_t size)
{
    char said[CLOCK_TEXT], *line;
    int64_t skew_s;
    if (!channel_skew(channel, &skew_s))
        return;
    line = channel_clock(channel, said, sizeof said)[0]
               ? xprintf("%s %s", text, said)
               : xprintf(_("%s Its clock is this machine's (%+lld s)."), text, (long long)skew_s);
    text_clean(text, size, line);
    free(line);
}

enum fd_code channel_check(struct channel *channel, char *text, size_t size, struct fd_error *err)
{
    char number[NUMBER_BYTES], *line;
    struct channel_trade trade;
    struct channel_trouble trouble;
    /* A number that was never sent anywhere; the date is any. */
    number_new(number, day_of(2000, 1, 1), "CK");
    enum channel_outcome outcome = channel_query(channel, number, &trade, &trouble);
    channel_trade_release(&trade);
    if (outcome == CHANNEL_NOT_FOUND) {
        line = xprintf(_("%s: it answers, and takes our signature."), channel_name(channel->id));
        text_clean(text, size, line);
        free(line);
        add_clock(channel, text, size);
        return FD_OK;
    }
    /* An answer that came without a code of the channel's and is not believed is a matter of keys. */
    bool disbelieved = trouble.http >= 200 && trouble.http < 500 && trouble.http != 429 && !trouble.code[0];
    bool reached = outcome != CHANNEL_UNKNOWN || disbelieved;
    fd_fail(err, reached ? FD_CONFIG : FD_IO, "%s: %s%s%s", channel_name(channel->id), trouble.message,
            trouble.code[0] ? " " : "", trouble.code);
    if (trouble.hint[0])
        fd_hint(err, "%s", trouble.hint);
    return reached ? FD_CONFIG : FD_IO;
}
