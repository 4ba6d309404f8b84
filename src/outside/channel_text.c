/* What both channels do with their answers: sort troubles, read times, clean texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/text.h"
#include "outside/channel_internal.h"
#include "outside/http.h"

#define BEIJING_S (8 * 3600)

const struct error_row *error_row_of(const struct error_row *rows, const char *code)
{
    for (const struct error_row *row = rows; row->code; row++)
        if (strcmp(row->code, code) == 0)
            return row;
    return NULL;
}

enum channel_outcome trouble_fill(struct channel_trouble *trouble, enum channel_outcome outcome, const char *code,
                                  const char *message, const char *hint)
{
    text_clean(trouble->code, sizeof trouble->code, code ? code : "");
    text_clean(trouble->message, sizeof trouble->message, message ? message : "");
    text_clean(trouble->hint, sizeof trouble->hint, hint && hint[0] ? _(hint) : "");
    return outcome;
}

void trouble_clock(struct channel_trouble *trouble, const char *headers)
{
    int64_t theirs;
    if (!http_date(headers, &theirs))
        return;
    char text[CLOCK_TEXT];
    if (clock_text(theirs - (int64_t)time(NULL), text)[0])
        cut_copy(trouble->hint, sizeof trouble->hint, text);
}

static bool is_off(int64_t skew_s)
{
    return skew_s > CHANNEL_SKEW_S || skew_s < -CHANNEL_SKEW_S;
}

const char *clock_text(int64_t skew_s, char text[CLOCK_TEXT])
{
    char hint[1024] = "";
    long long off = (long long)skew_s;
    if (is_off(skew_s))
        snprintf(hint, sizeof hint,
                 off < 0 ? _("This machine's clock is %lld s fast: set it right (NTP).")
                         : _("This machine's clock is %lld s slow: set it right (NTP)."),
                 off < 0 ? -off : off);
    text_clean(text, CLOCK_TEXT, hint);
    return text;
}

/* What the clocks say is remembered, so that whoever judges times can think of both. */
static void note_date(struct channel *channel, const struct http_answer *answer)
{
    int64_t theirs, skew_s;
    if (!http_date(buf_text(&answer->headers), &theirs))
        return;
    channel->date_s = theirs;
    channel->date_ms = mono_ms();
    if (channel_skew(channel, &skew_s) && is_off(skew_s) != channel->skewed) {
        channel->skewed = is_off(skew_s);
        log_line(channel->skewed ? LOG_WARN : LOG_INFO, "channel %s: its clock is %lld s %s this machine's%s",
                 channel_name(channel->id), (long long)(skew_s < 0 ? -skew_s : skew_s),
                 skew_s < 0 ? "behind" : "ahead of", channel->skewed ? ": set this machine's clock right (NTP)" : "");
    }
}

enum channel_outcome channel_http(struct channel *channel, struct http_request *request, struct http_answer *answer,
                                  struct channel_trouble *trouble)
{
    char why[256];
    if (!channel->http)
        channel->http = http_new();
    request->connect_ms = channel->connect_ms;
    request->total_ms = channel->total_ms;
    int64_t began = mono_ms();
    enum http_end end = http_call(channel->http, request, answer, why);
    /* The query of an address is signed at Alipay: nothing behind the path goes into the log. */
    log_line(end == HTTP_ANSWERED ? LOG_DEBUG : LOG_WARN, "channel %s: %s %.*s: %ld in %lld ms%s%s",
             channel_name(channel->id), request->method, (int)strcspn(request->url, "?"), request->url, answer->status,
             (long long)(mono_ms() - began), why[0] ? ": " : "", why);
    trouble->http = answer->status;
    if (end == HTTP_ANSWERED)
        note_date(channel, answer);
    if (end == HTTP_NO_TRUST)
        return trouble_fill(trouble, CHANNEL_CONFIG, "", why,
                            N_("Check the address in the file of the channels, this machine's clock and its "
                               "certificate authorities."));
    if (end == HTTP_NO_ANSWER)
        return trouble_fill(trouble, CHANNEL_UNKNOWN, "", why, N_("Check the network."));
    return CHANNEL_DONE;
}

/* "+08:00", "Z" in seconds. */
static bool read_offset(const char *text, int64_t *seconds)
{
    *seconds = 0;
    if (!strcmp(text, "Z"))
        return true;
    if (strlen(text) != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' ||
        !text_is_digits((char[]){text[1], text[2], text[4], text[5], 0}))
        return false;
    int hours = (text[1] - '0') * 10 + text[2] - '0', minutes = (text[4] - '0') * 10 + text[5] - '0';
    *seconds = (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

bool wall_from_rfc3339(const char *text, wall_t *wall)
{
    char moment[WALL_TEXT];
    int64_t offset;
    wall_t local;
    if (!text || strlen(text) < 20 || text[10] != 'T')
        return false;
    memcpy(moment, text, 19);
    moment[10] = ' ';
    moment[19] = '\0';
    const char *rest = text + 19;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0123456789");
    if (!wall_from_sql(moment, &local) || local == WALL_NONE || !read_offset(rest, &offset))
        return false;
    *wall = local - offset + BEIJING_S;
    return true;
}

const char *wall_rfc3339(wall_t wall, char text[RFC3339_TEXT])
{
    char moment[WALL_TEXT];
    wall_sql(wall, moment);
    moment[10] = 'T';
    fit_printf_at(text, RFC3339_TEXT, "%s+08:00", moment);
    return text;
}

const char *text_for_channel(const char *text, const struct text_rule *rule, char *out, size_t bytes)
{
    char *clean = xmalloc(strlen(text) * 3 + 1);
    text_clean(clean, strlen(text) * 3 + 1, text);
    size_t used = 0, chars = 0;
    for (const char *at = clean; *at && chars < rule->chars;) {
        const char *from = at;
        uint32_t ch = text_next(&at);
        size_t length = (size_t)(at - from);
        bool refused =
            length > (size_t)rule->bytes_most || ch == 0xFFFD || (ch < 0x80 && strchr(rule->refused, (int)ch));
        if (used + (refused ? 1 : length) >= bytes)
            break;
        if (refused)
            out[used++] = rule->instead;
        else
            memcpy(out + used, from, length), used += length;
        chars++;
    }
    out[used] = '\0';
    free(clean);
    return out;
}

bool is_number_of(const char *text, const char *more, size_t most)
{
    size_t length = text ? strlen(text) : 0;
    for (size_t i = 0; i < length; i++) {
        char ch = text[i];
        bool alphanumeric = (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z');
        if (!alphanumeric && !strchr(more, ch))
            return false;
    }
    return length && length <= most;
}

bool copy_number(char *out, size_t bytes, const char *number)
{
    size_t length = number ? strlen(number) : 0;
    for (size_t i = 0; i < length; i++)
        if (number[i] <= ' ' || number[i] > '~')
            return false;
    if (!length || length >= bytes)
        return false;
    memcpy(out, number, length + 1);
    return true;
}

bool is_whole_text(const char *bytes, size_t count, size_t most)
{
    return bytes && count && count <= most && !memchr(bytes, '\0', count);
}

enum notice_verdict notice_say(struct channel_notice *notice, enum notice_verdict verdict, const char *why)
{
    text_clean(notice->trouble, sizeof notice->trouble, why);
    return verdict;
}
