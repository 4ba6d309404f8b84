/* Migration text: statements and the directives in front of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/migrate_internal.h"

struct line {
    const char *text; /* without leading blanks */
    size_t length;    /* without trailing blanks */
    const char *begin, *end; /* whole, end behind the newline */
};

static bool next_line(const char **at, struct line *line)
{
    if (**at == '\0')
        return false;
    line->begin = *at;
    size_t whole = strcspn(*at, "\n");
    line->end = *at + whole + ((*at)[whole] == '\n');
    line->text = *at + strspn(*at, " \t");
    const char *stop = *at + whole;
    while (stop > line->text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
        stop--;
    line->length = stop > line->text ? (size_t)(stop - line->text) : 0;
    *at = line->end;
    return true;
}

static bool starts(const struct line *line, const char *word)
{
    return line->length >= strlen(word) && strncmp(line->text, word, strlen(word)) == 0;
}

static void parse_directive(const char *text, struct step *step)
{
    char word[32] = "", what[300] = "", object[140] = "";
    int words = sscanf(text, "@%31s %139s %299s", word, object, what);
    char *dot = NULL;
    if (strcmp(word, "mariadb") == 0 && words == 1) {
        step->only_mariadb = true;
    } else if (strcmp(word, "mysql") == 0 && words == 1) {
        step->only_mysql = true;
    } else if (strcmp(word, "expect") == 0 && words == 2) {
        step->expect = true;
        fit_printf(step->object, "%s", object);
    } else if (strcmp(word, "dropunique") == 0 && words == 3) {
        step->drop_unique = true;
        fit_printf(step->object, "%s", object);
        fit_printf(step->columns, "%s", what);
    } else if (strcmp(word, "unless") == 0 && words == 3) {
        static const char *const kinds[] = {"", "table", "column", "index", "trigger"};
        for (unsigned i = 1; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(kinds[i], object) == 0)
                step->guard = (enum guard)i;
        bool has_part = step->guard == GUARD_COLUMN || step->guard == GUARD_INDEX;
        dot = strchr(what, '.');
        if (step->guard == GUARD_NONE || has_part != (dot != NULL))
            FD_BUG("migration: %s", text);
        if (dot)
            *dot = '\0';
        fit_printf(step->object, "%s", what);
        fit_printf(step->part, "%s", dot ? dot + 1 : "");
    } else {
        FD_BUG("migration: directive %s", text);
    }
}

static void take_directive(const struct line *line, struct step *step)
{
    char text[400];
    fit_printf(text, "%.*s", (int)(line->length - 3), line->text + 3);
    parse_directive(text, step);
}

/* From the statement's first line on; `at` ends behind its last. */
static void take_statement(const char **at, const struct line *first, struct step *step)
{
    struct line line = *first;
    bool is_trigger = starts(&line, "CREATE TRIGGER"), in_block = false;
    do {
        if (is_trigger && line.length == 5 && starts(&line, "BEGIN"))
            in_block = true;
        bool ends = line.length > 0 && line.text[line.length - 1] == ';';
        if (in_block)
            ends = line.begin == line.text && line.length == 4 && starts(&line, "END;");
        if (ends) {
            size_t length = (size_t)(line.text + line.length - 1 - first->text);
            step->sql = xprintf("%.*s", (int)length, first->text);
            return;
        }
    } while (next_line(at, &line));
    FD_BUG("migration: a statement without end: %.60s", first->text);
}

bool migrate_step_next(const char **text, struct step *step)
{
    struct line line;
    memset(step, 0, sizeof *step);
    while (next_line(text, &line)) {
        if (starts(&line, "-- @")) {
            take_directive(&line, step);
            if (step->drop_unique)
                return true;
        } else if (line.length > 0 && !starts(&line, "--")) {
            take_statement(text, &line, step);
            return true;
        }
    }
    return false;
}

void migrate_step_release(struct step *step)
{
    free(step->sql);
    step->sql = NULL;
}
