#include "base/money.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Reads digits[.digits] of `length` bytes with at most two decimals and at most `most` fen. */
enum amount_fault { AMOUNT_FINE, AMOUNT_EMPTY, AMOUNT_STRANGE, AMOUNT_DECIMALS, AMOUNT_LARGE };

static enum amount_fault amount_read(const char *text, size_t length, int64_t most, int64_t *fen)
{
    int64_t value = 0;
    int decimals = -1, digits = 0;
    bool large = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (c < '0' || c > '9')
            return AMOUNT_STRANGE;
        digits++;
        if (decimals >= 0 && ++decimals > 2)
            return AMOUNT_DECIMALS;
        if (!large)
            value = value * 10 + (c - '0');
        large = large || value > most;
    }
    if (!digits)
        return length ? AMOUNT_STRANGE : AMOUNT_EMPTY;
    for (int i = decimals < 0 ? 0 : decimals; i < 2 && !large; i++) {
        value *= 10;
        large = value > most;
    }
    if (large)
        return AMOUNT_LARGE;
    *fen = value;
    return AMOUNT_FINE;
}

enum fd_code fen_parse(const char *text, const char *field, int64_t *fen, struct fd_error *err)
{
    char most[FEN_TEXT];
    size_t length = strlen(text);
    while (length && is_blank(text[length - 1]))
        length--;
    while (length && is_blank(*text))
        text++, length--;
    switch (amount_read(text, length, FEN_DECIMAL_MAX, fen)) {
    case AMOUNT_FINE:
        return FD_OK;
    case AMOUNT_EMPTY:
        return fd_fail(err, FD_BAD_INPUT, _("%s: an amount is needed."), field);
    case AMOUNT_DECIMALS:
        return fd_fail(err, FD_BAD_INPUT, _("%s: an amount has at most two decimals."), field);
    case AMOUNT_LARGE:
        return fd_fail(err, FD_BAD_INPUT, _("%s: the amount is above %s."), field, fen_decimal(FEN_DECIMAL_MAX, most));
    case AMOUNT_STRANGE:
        break;
    }
    return fd_fail(err, FD_BAD_INPUT, _("%s: write an amount like 80 or 80.50, digits 0-9 only, without sign."), field);
}

bool fen_from_decimal(const char *text, int64_t *fen)
{
    if (!text)
        return false;
    bool negative = text[0] == '-';
    text += negative;
    int64_t value;
    if (amount_read(text, strlen(text), FEN_MAX, &value) != AMOUNT_FINE)
        return false;
    *fen = negative ? -value : value;
    return true;
}

static uint64_t magnitude(int64_t fen)
{
    return fen < 0 ? -(uint64_t)fen : (uint64_t)fen;
}

const char *fen_decimal(int64_t fen, char text[FEN_TEXT])
{
    /* By hand: every amount that is stored or shown passes here. */
    char digits[FEN_TEXT], *at = digits + sizeof digits, *to = text;
    uint64_t value = magnitude(fen);
    for (int count = 0; count < 3 || value; count++, value /= 10) {
        if (count == 2)
            *--at = '.';
        *--at = (char)('0' + value % 10);
    }
    if (fen < 0)
        *to++ = '-';
    size_t bytes = (size_t)(digits + sizeof digits - at);
    memcpy(to, at, bytes);
    to[bytes] = '\0';
    return text;
}

const char *fen_text(int64_t fen, char text[FEN_TEXT])
{
    char plain[FEN_TEXT];
    const char *from = fen_decimal(fen, plain);
    char *to = text;
    if (*from == '-')
        *to++ = *from++;
    for (size_t whole = strlen(from) - 3; whole; whole--) {
        *to++ = *from++;
        if (whole > 1 && whole % 3 == 1)
            *to++ = ',';
    }
    memcpy(to, from, 4);
    return text;
}

static bool fits_decimal(int64_t fen)
{
    return fen >= -FEN_DECIMAL_MAX && fen <= FEN_DECIMAL_MAX;
}

bool fen_times(int64_t price_fen, int64_t quantity, int64_t *fen)
{
    int64_t result;
    if (__builtin_mul_overflow(price_fen, quantity, &result) || !fits_decimal(result))
        return false;
    *fen = result;
    return true;
}

bool fen_add(int64_t a_fen, int64_t b_fen, int64_t *fen)
{
    int64_t result;
    if (__builtin_add_overflow(a_fen, b_fen, &result) || !fits_decimal(result))
        return false;
    *fen = result;
    return true;
}
