#include "base/pinyin.h"

#include <string.h>

#include "base/text.h"

/* Surnames that are read otherwise than the same character elsewhere; two-character surnames
 * first, because their first character may be a surname too. */
static const struct surname {
    const char *name, *letters;
} surnames[] = {
    {"尉迟", "yc"}, {"万俟", "mq"}, {"长孙", "zs"}, {"单于", "cy"}, {"澹台", "tt"}, {"单", "s"}, {"曾", "z"},
    {"解", "x"},    {"仇", "q"},    {"区", "o"},    {"查", "z"},    {"翟", "z"},    {"盖", "g"}, {"朴", "p"},
    {"乐", "y"},    {"覃", "q"},    {"种", "c"},    {"重", "c"},    {"缪", "m"},    {"冼", "x"}, {"洗", "x"},
    {"黑", "h"},    {"员", "y"},    {"折", "s"},    {"召", "s"},    {"乜", "n"},    {"句", "g"}, {"繁", "p"},
    {"郇", "x"},    {"祭", "z"},    {"阚", "k"},    {"秘", "b"},    {"逢", "p"},    {"适", "k"}, {"晟", "c"},
    {"长", "z"},    {"能", "n"},
};

/* Readings that are rare elsewhere but usual in given names. */
static const struct surname given[] = {{"晟", "s"}, {"曾", "z"}};

static const struct surname *starts_with(const char *text, const struct surname *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(text, rows[i].name, strlen(rows[i].name)))
            return &rows[i];
    return NULL;
}

/* ASCII letter of a Latin or full-width Latin character, in lower case; 0 for others. */
static char latin(uint32_t ch)
{
    if (ch >= 0xFF21 && ch <= 0xFF5A)
        ch = ch - 0xFF21 + 'A';
    if (ch >= 'A' && ch <= 'Z')
        ch += 'a' - 'A';
    return ch >= 'a' && ch <= 'z' ? (char)ch : 0;
}

static char han(const char *at, uint32_t ch)
{
    const struct surname *row = starts_with(at, given, sizeof given / sizeof *given);
    if (row)
        return row->letters[0];
    if (ch < PINYIN_FIRST || ch > PINYIN_LAST)
        return 0;
    char letter = pinyin_letters[ch - PINYIN_FIRST];
    return letter == '.' ? 0 : letter;
}

const char *pinyin_initials(const char *name, char *out, size_t out_bytes)
{
    size_t used = 0;
    bool in_word = false;
    FD_ASSERT(out_bytes > 0);
    name += strspn(name, " ");
    const struct surname *surname = starts_with(name, surnames, sizeof surnames / sizeof *surnames);
    if (surname) {
        name += strlen(surname->name);
        for (const char *letter = surname->letters; *letter && used + 1 < out_bytes; letter++)
            out[used++] = *letter;
    }
    while (*name && used + 1 < out_bytes) {
        const char *at = name;
        uint32_t ch = text_next(&name);
        char letter = latin(ch);
        bool starts_word = letter && !in_word;
        in_word = letter != 0;
        if (!letter)
            letter = han(at, ch);
        if (letter && (starts_word || !in_word))
            out[used++] = letter;
    }
    out[used] = '\0';
    return out;
}
