/* What people type: fields, phones, search patterns. */
#include "base/text.h"

#include <string.h>

/* A typed character in its plain form: full-width ASCII and the ideographic blank folded. */
static uint32_t plain(uint32_t ch)
{
    if (ch >= 0xFF01 && ch <= 0xFF5E)
        return ch - 0xFF01 + '!';
    return ch == 0x3000 || ch == 0xA0 || ch == '\t' ? ' ' : ch;
}

/* Text without the blanks around it. */
static const char *trimmed(const char *text, size_t *bytes)
{
    const char *first = NULL, *end = text;
    while (*text) {
        const char *start = text;
        if (plain(text_next(&text)) == ' ')
            continue;
        first = first ? first : start;
        end = text;
    }
    *bytes = first ? (size_t)(end - first) : 0;
    return first ? first : end;
}

bool text_fold(char *out, size_t out_bytes, const char *text)
{
    size_t bytes, used = 0;
    const char *at = trimmed(text, &bytes), *end = at + bytes;
    FD_ASSERT(out_bytes > 0);
    while (at < end) {
        char encoded[5];
        uint32_t ch = plain(text_next(&at));
        if (ch >= 'A' && ch <= 'Z')
            ch += 'a' - 'A';
        size_t length = (size_t)text_encode(ch, encoded);
        if (used + length >= out_bytes) {
            out[0] = '\0';
            return false;
        }
        memcpy(out + used, encoded, length);
        used += length;
    }
    out[used] = '\0';
    bool clean = text_is_clean(out);
    if (!clean)
        out[0] = '\0';
    return clean;
}

/* Terminals disagree about the cells of joined emoji, so none is stored; what somebody typed is named as he sees it. */
static bool joins_emoji(uint32_t ch)
{
    return ch == 0x200D || ch == 0xFE0F || ch == 0x20E3 || (ch >= 0x1F1E6 && ch <= 0x1F1FF) ||
           (ch >= 0x1F3FB && ch <= 0x1F3FF);
}

enum fd_code text_field(const char *text, const char *field, size_t max_chars, char *out, size_t out_bytes,
                        struct fd_error *err)
{
    size_t bytes, chars = 0;
    const char *start = trimmed(text, &bytes);
    FD_ASSERT(out_bytes > 0);
    for (const char *at = start; at < start + bytes; chars++)
        text_next(&at);
    if (chars > max_chars || bytes >= out_bytes)
        return fd_fail(err, FD_BAD_INPUT, _("%s: at most %zu characters fit."), field, max_chars);
    memcpy(out, start, bytes);
    out[bytes] = '\0';
    const char *bad = text_unclean_at(out);
    if (!bad)
        return FD_OK;
    const char *after = bad;
    unsigned char byte = (unsigned char)*bad;
    uint32_t ch = text_next(&after);
    bool invalid = byte >= 0x80 && after - bad == 1;
    out[0] = '\0';
    if (invalid)
        return fd_fail(err, FD_BAD_INPUT, _("%s: the byte 0x%02X is not valid UTF-8."), field, byte);
    if (joins_emoji(ch))
        return fd_fail(err, FD_BAD_INPUT,
                       _("%s: emoji made of several parts (families, flags, skin tones: U+%04X) cannot be shown; take "
                         "a plain one."),
                       field, (unsigned)ch);
    return fd_fail(err, FD_BAD_INPUT, _("%s: the character U+%04X is not allowed."), field, (unsigned)ch);
}

/* What people put between the digits of a phone number. */
static bool is_phone_filler(uint32_t ch)
{
    static const uint32_t fillers[] = {' ', '-', '(', ')', '[', ']', 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (ch == fillers[i])
            return true;
    return false;
}

/* Digits with an optional leading plus, at most `room` characters; false where it is anything else. */
static bool phone_digits(const char *text, char *out, size_t room)
{
    size_t used = 0;
    for (uint32_t ch; (ch = plain(text_next(&text)));) {
        if (is_phone_filler(ch))
            continue;
        if ((ch == '+' ? used > 0 : ch < '0' || ch > '9') || used == room)
            return false;
        out[used++] = (char)ch;
    }
    out[used] = '\0';
    return true;
}

enum fd_code phone_normalise(const char *text, char phone[PHONE_BYTES], struct fd_error *err)
{
    static const char *const prefixes[] = {"+86", "0086", "86"};
    char typed[2 * PHONE_BYTES];
    const char *start = typed;
    bool fine = phone_digits(text, typed, sizeof typed - 1);
    for (size_t i = 0; fine && i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t bytes = strlen(prefixes[i]);
        if (!strncmp(typed, prefixes[i], bytes) && strlen(typed + bytes) == 11) {
            start = typed + bytes;
            break;
        }
    }
    size_t digits = fine ? strlen(start) - (start[0] == '+') : 0;
    if (digits < 5 || digits > 20)
        return fd_fail(err, FD_BAD_INPUT, _("A phone number has 5 to 20 digits, with an optional + in front."));
    fit_printf_at(phone, PHONE_BYTES, "%s", start);
    return FD_OK;
}

const char *phone_mask(const char *phone, char masked[PHONE_BYTES])
{
    size_t length = phone ? strlen(phone) : 0, used = 0;
    size_t head = length >= 8 ? 3 : 0, tail = length >= 8 ? 4 : 2;
    for (size_t i = 0; i < length && used < PHONE_BYTES - 1; i++) {
        /* Rows written elsewhere can hold anything, also more than fits. */
        bool shown = (i < head || i + tail >= length) && phone[i] > ' ' && phone[i] < 0x7F;
        if (length >= PHONE_BYTES && i == head)
            i = length - tail - (PHONE_BYTES - 1 - head - tail);
        masked[used++] = phone[i];
        if (!shown)
            masked[used - 1] = '*';
    }
    masked[used] = '\0';
    return masked;
}

bool text_like(char *out, size_t out_bytes, const char *text)
{
    size_t used = 0;
    for (; *text; text++) {
        bool special = strchr("%_\\|", *text) != NULL;
        if (used + special + 1 >= out_bytes)
            return false;
        if (special)
            out[used++] = '|';
        out[used++] = *text;
    }
    if (!out_bytes)
        return false;
    out[used] = '\0';
    return true;
}
