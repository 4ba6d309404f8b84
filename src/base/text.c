/* Decoding, cleaning and measuring. Cleaning asks libutf8proc only, so that it does not depend on
 * the locale; cells are what libc says, because ncursesw places by the same table. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "base/fault.h"

#define REPLACEMENT 0xFFFDu
#define MARKS_MOST  4 /* combining marks on one character: ncursesw keeps no more in a cell */

/* Length of the well-formed sequence that starts with `lead`, 0 where none does, and its least
 * second byte and greatest second byte (overlong forms, surrogates and above U+10FFFF fall out). */
static int sequence_length(unsigned char lead, unsigned char *least, unsigned char *greatest)
{
    *least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *greatest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* As text_next; *valid tells a bad byte from an encoded U+FFFD. */
static uint32_t decode(const char **text, bool *valid)
{
    const unsigned char *at = (const unsigned char *)*text;
    *valid = true;
    if (at[0] < 0x80) {
        *text += at[0] != 0;
        return at[0];
    }
    unsigned char least, greatest;
    int length = sequence_length(at[0], &least, &greatest);
    if (length && at[1] >= least && at[1] <= greatest) {
        uint32_t ch = (at[0] & (0xFFu >> (length + 1))) << 6 | (at[1] & 0x3Fu);
        int read = 2;
        for (; read < length && (at[read] & 0xC0) == 0x80; read++)
            ch = ch << 6 | (at[read] & 0x3Fu);
        if (read == length) {
            *text += length;
            return ch;
        }
    }
    *valid = false;
    *text += 1;
    return REPLACEMENT;
}

uint32_t text_next(const char **text)
{
    bool ignored;
    return decode(text, &ignored);
}

int text_encode(uint32_t ch, char *out)
{
    if (ch > 0x10FFFF || (ch >= 0xD800 && ch <= 0xDFFF))
        ch = REPLACEMENT;
    int length = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int i = length - 1; i > 0; i--, ch >>= 6)
        out[i] = (char)(0x80 | (ch & 0x3F));
    out[0] = (char)(lead[length] | ch);
    out[length] = '\0';
    return length;
}

/* Flags and skin tones: libc and libutf8proc measure each half alike, terminals draw the pair. */
static const struct range {
    uint32_t first, last;
} pairing[] = {{0x1F1E6, 0x1F1FF}, {0x1F3FB, 0x1F3FF}};

static bool is_pairing(uint32_t ch)
{
    for (size_t i = 0; i < sizeof pairing / sizeof *pairing; i++)
        if (ch >= pairing[i].first && ch <= pairing[i].last)
            return true;
    return false;
}

/* Where the two tables differ, neither can be trusted for the terminal. In the C locale libc
 * knows ASCII only and has no say. */
static bool widths_differ(uint32_t ch)
{
    return MB_CUR_MAX > 1 && wcwidth((wchar_t)ch) != utf8proc_charwidth((utf8proc_int32_t)ch);
}

static const bool replaced_categories[] = {
    [UTF8PROC_CATEGORY_CN] = true, [UTF8PROC_CATEGORY_MC] = true, [UTF8PROC_CATEGORY_ME] = true, /* keycap */
    [UTF8PROC_CATEGORY_ZL] = true, [UTF8PROC_CATEGORY_ZP] = true, [UTF8PROC_CATEGORY_CC] = true,
    [UTF8PROC_CATEGORY_CF] = true, [UTF8PROC_CATEGORY_CS] = true, [UTF8PROC_CATEGORY_CO] = true,
};

static bool is_harmless(uint32_t ch)
{
    if (ch < 0x7F)
        return ch >= 0x20;
    if (ch >= 0x4E00 && ch <= 0x9FFF)
        return true;
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)ch);
    size_t category = (size_t)property->category;
    if (category < sizeof replaced_categories && replaced_categories[category])
        return false;
    return !property->ignorable && !is_pairing(ch) && !widths_differ(ch);
}

static bool is_mark(uint32_t ch)
{
    return ch >= 0x300 && utf8proc_category((utf8proc_int32_t)ch) == UTF8PROC_CATEGORY_MN;
}

/* What stands for the next character of *text; `marks` counts the combining marks since the last
 * character that takes a cell, -1 before the first. */
static uint32_t clean_next(const char **text, int *marks)
{
    uint32_t ch = text_next(text);
    if (ch == '\r' && **text == '\n')
        ch = text_next(text);
    if (ch == '\n' || ch == '\t')
        ch = ' ';
    else if (ch && (!is_harmless(ch) || (is_mark(ch) && (*marks < 0 || *marks >= MARKS_MOST))) && !FD_TOOTH("text_clean"))
        ch = REPLACEMENT;
    *marks = is_mark(ch) ? *marks + 1 : 0;
    return ch;
}

size_t text_clean(char *out, size_t out_bytes, const char *text)
{
    size_t used = 0;
    int marks = -1;
    FD_ASSERT(out_bytes > 0);
    for (uint32_t ch; (ch = clean_next(&text, &marks));) {
        char encoded[5];
        size_t length = (size_t)text_encode(ch, encoded);
        if (used + length >= out_bytes)
            break;
        memcpy(out + used, encoded, length);
        used += length;
    }
    out[used] = '\0';
    return used;
}

const char *text_clean_arena(struct arena *arena, const char *text)
{
    if (!text || !text[0])
        return "";
    if (text_is_clean(text))
        return arena_str(arena, text);
    /* A replaced byte becomes three. */
    size_t bytes = strlen(text) * 3 + 1;
    char *out = arena_alloc(arena, bytes);
    text_clean(out, bytes, text);
    return out;
}

const char *text_unclean_at(const char *text)
{
    int marks = -1;
    for (;;) {
        const char *after = text;
        bool valid;
        uint32_t ch = decode(&after, &valid);
        if (!ch)
            return NULL;
        const char *start = text;
        if (!valid || clean_next(&text, &marks) != ch)
            return start;
    }
}

bool text_is_clean(const char *text)
{
    return !text_unclean_at(text);
}

int text_char_width(uint32_t ch)
{
    if (ch < 0x7F)
        return ch != 0;
    int width = MB_CUR_MAX > 1 ? wcwidth((wchar_t)ch) : utf8proc_charwidth((utf8proc_int32_t)ch);
    return width < 0 ? 1 : width;
}

int text_width(const char *text)
{
    int cells = 0;
    for (uint32_t ch; (ch = text_next(&text));)
        cells += text_char_width(ch);
    return cells;
}

size_t text_grapheme_next(const char *text, size_t at)
{
    const char *next = text + at;
    /* Two ASCII characters never join in clean text; most cells of a screen are such. */
    if (next[0] && (unsigned char)next[0] < 0x80 && (unsigned char)next[1] < 0x80)
        return at + 1;
    uint32_t before = text_next(&next);
    utf8proc_int32_t state = 0;
    while (before && *next) {
        const char *after = next;
        uint32_t ch = text_next(&after);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)ch, &state))
            break;
        before = ch;
        next = after;
    }
    return (size_t)(next - text);
}

size_t text_grapheme_prev(const char *text, size_t at)
{
    /* Boundaries depend on what stands before: walk from the start; fields are short. */
    size_t previous = 0;
    for (size_t next = 0; next < at && text[next]; next = text_grapheme_next(text, next))
        previous = next;
    return previous;
}

/* Bytes of the longest start of `text` that has at most `cells` cells, and its width. */
static size_t fitting(const char *text, int cells, int *width)
{
    size_t end = 0;
    *width = 0;
    while (text[end]) {
        size_t next = text_grapheme_next(text, end);
        int more = 0;
        for (const char *at = text + end; at < text + next;)
            more += text_char_width(text_next(&at));
        if (*width + more > cells)
            break;
        *width += more;
        end = next;
    }
    return end;
}

const char *text_fit(struct arena *arena, const char *text, int cells, int align, bool ascii)
{
    if (cells <= 0)
        return "";
    int width;
    size_t bytes = fitting(text, cells, &width);
    const char *mark = "";
    if (text[bytes]) {
        bytes = fitting(text, cells - 1, &width);
        mark = ascii ? "~" : "…";
        width++;
    }
    size_t blanks = (size_t)(cells - width), mark_bytes = strlen(mark);
    size_t left = align < 0 ? 0 : align > 0 ? blanks : blanks / 2;
    char *out = arena_alloc(arena, blanks + bytes + mark_bytes + 1);
    memset(out, ' ', blanks + bytes + mark_bytes);
    memcpy(out + left, text, bytes);
    memcpy(out + left + bytes, mark, mark_bytes);
    return out;
}

bool text_is_digits(const char *text)
{
    return text && text[0] && !text[strspn(text, "0123456789")];
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool text_same(const char *a, const char *b)
{
    a = a ? a : "";
    b = b ? b : "";
    for (; *a && *b; a++, b++)
        if (lower(*a) != lower(*b))
            return false;
    return *a == *b;
}
