/* Types of columns: which one holds all that another does. */
#include <stdlib.h>
#include <string.h>

#include "db/migrate_internal.h"

enum family { FAMILY_NONE, FAMILY_INT, FAMILY_TEXT, FAMILY_TIME };

/* "decimal(12,2) unsigned": its word and what stands in the brackets. */
struct type {
    char word[24];
    long size, scale;
};

static struct type take_apart(const char *text)
{
    struct type type = {.word = ""};
    size_t length = strcspn(text, "( ");
    if (length < sizeof type.word)
        memcpy(type.word, text, length);
    char *end = NULL;
    if (text[length] == '(')
        type.size = strtol(text + length + 1, &end, 10);
    if (end && *end == ',')
        type.scale = strtol(end + 1, NULL, 10);
    return type;
}

/* Rank: within a family the higher one holds the lower. Texts count characters of up to 4 bytes. */
static enum family family_of(const struct type *type, long *rank)
{
    static const struct {
        const char *word;
        enum family family;
        long rank;
    } words[] = {
        {"tinyint", FAMILY_INT, 1},
        {"smallint", FAMILY_INT, 2},
        {"mediumint", FAMILY_INT, 3},
        {"int", FAMILY_INT, 4},
        {"bigint", FAMILY_INT, 5},
        {"tinytext", FAMILY_TEXT, 63},
        {"text", FAMILY_TEXT, 16383},
        {"mediumtext", FAMILY_TEXT, 4194303},
        {"longtext", FAMILY_TEXT, 1073741823},
        {"datetime", FAMILY_TIME, 0},
        {"timestamp", FAMILY_TIME, 0},
    };
    if (strcasecmp(type->word, "varchar") == 0 || strcasecmp(type->word, "char") == 0) {
        *rank = type->size;
        return FAMILY_TEXT;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i].word, type->word) == 0) {
            *rank = words[i].family == FAMILY_TIME ? type->size : words[i].rank;
            return words[i].family;
        }
    return FAMILY_NONE;
}

bool migrate_type_holds(const char *wanted, const char *found)
{
    long wanted_rank = 0, found_rank = 0;
    struct type to = take_apart(wanted), from = take_apart(found);
    if (strcasecmp(wanted, found) == 0)
        return true;
    /* Yuan with two decimals: with more of them an amount would be no whole number of fen. */
    if (strcasecmp(to.word, "decimal") == 0)
        return strcasecmp(from.word, "decimal") == 0 && from.scale == to.scale && from.size >= to.size;
    enum family family = family_of(&to, &wanted_rank);
    return family != FAMILY_NONE && family == family_of(&from, &found_rank) && found_rank >= wanted_rank;
}
