/* The words of the catalogue in their places: every short label fits its slot in both languages, one row of hints
 * fits a row of 80 cells, Chinese sentences carry Chinese punctuation, '&' letters press one button each. */
#include "base/unit.h"
#include "base/text.h"
#include <glob.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MOST = 8000, ROW_CELLS = 78, MARK_CELLS = 2 };

struct message {
    char *comment; /* what stands behind TRANSLATORS:, "" otherwise */
    char *source, *context, *id, *text;
};
static struct message messages[MESSAGES_MOST];
static size_t message_count;

/* A context names a slot. 0: no room that a label could overflow. */
static const struct {
    const char *context;
    int cells;
} slots[] = {
    {"key", 6},      {"tab", 9},     {"mark", 4},     {"order mark", MARK_CELLS},
    {"state", 10},   {"event", 12},  {"weekday", 4},  {"hold", 5},
    {"grid", 2},     {"slot", 7},    {"stock", 8},    {"venue", 10},
    {"operator", 9}, {"unit", 5},    {"customer", 9}, {"tender", 11},
    {"role", 14},    {"title", 10},  {"column", 15},  {"parameter", 15},
    {"money", 8},    {"change", 10}, {"list", 2},     {"weekdays", 10}, {"possible", 30},
    {"case", 18},    {"slip", 13},   {"refund", 30},  {"print", 10},       {"approval", 10}, {"money state", 14},
};

/* Of the tabs these nine share one row; the others are headings. */
static const char *const screens[] = {"Grid", "Arrive", "Orders", "Pay", "People", "Slots", "Shift", "Log", "Setup"};
enum { SCREEN_CELLS = 6 };

/* --- reading the catalogue --- */

/* The text between the quotes of a line, with \n and \" taken as what they mean; appended to *text. */
static void add_quoted(char **text, const char *line)
{
    const char *from = strchr(line, '"'), *end = strrchr(line, '"');
    size_t used = strlen(*text);
    *text = xrealloc(*text, used + strlen(line) + 1, 1);
    char *to = *text + used;
    for (from++; from < end; from++) {
        bool escape = *from == '\\' && from + 1 < end;
        from += escape;
        *to++ = escape && *from == 'n' ? '\n' : *from;
    }
    *to = '\0';
}

static void read_line(struct message *message, char ***field, const char *line)
{
    const struct {
        const char *word;
        char **field;
    } words[] = {{"msgctxt ", &message->context},
                 {"msgid ", &message->id},
                 {"msgid_plural ", NULL},
                 {"msgstr ", &message->text},
                 {"msgstr[", &message->text}};
    if (strncmp(line, "#: ", 3) == 0 && !*message->source) {
        free(message->source);
        message->source = xstrdup(line + 3);
    }
    if (strncmp(line, "#. ", 3) == 0) {
        free(message->comment);
        message->comment = xstrdup(line + 3);
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (strncmp(line, words[i].word, strlen(words[i].word)) == 0)
            *field = words[i].field;
    if (line[0] != '#' && *field)
        add_quoted(*field, line);
}

static void finish_message(struct message *message)
{
    if (*message->id)
        assert_true(++message_count < MESSAGES_MOST);
}

static struct message *begin_message(void)
{
    struct message *message = &messages[message_count];
    char **fields[] = {&message->comment, &message->source, &message->context, &message->id, &message->text};
    for (size_t i = 0; i < COUNT(fields); i++) {
        free(*fields[i]);
        *fields[i] = xstrdup("");
    }
    return message;
}

static const char *below_source(const char *name)
{
    static char path[1024];
    const char *folder = getenv("srcdir");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : ".", name);
    return path;
}

static int read_catalogue(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C.UTF-8");
    char *all = file_text(below_source("po/zh_CN.po")), **field = NULL;
    assert_non_null(all);
    struct message *message = begin_message();
    for (char *line = all, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line) {
            read_line(message, &field, line);
            continue;
        }
        finish_message(message);
        message = begin_message();
        field = NULL;
    }
    finish_message(message);
    free(all);
    return message_count > 500 ? 0 : -1;
}

/* --- checks --- */

static int complain(const char *what, const struct message *message, int cells, int room)
{
    printf("%s [%s] \"%s\" = \"%s\": %d cells in %d\n", what, message->context, message->id, message->text, cells,
           room);
    return 1;
}

static int check_both(const char *what, const struct message *message, int room)
{
    int english = text_width(message->id), chinese = text_width(message->text), bad = 0;
    if (english > room)
        bad += complain(what, message, english, room);
    if (chinese > room)
        bad += complain(what, message, chinese, room);
    return bad;
}

static void every_context_is_a_slot_and_its_labels_fit(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        size_t at = 0;
        if (!*messages[i].context)
            continue;
        while (at < COUNT(slots) && strcmp(slots[at].context, messages[i].context) != 0)
            at++;
        if (at == COUNT(slots))
            fail_msg("context \"%s\" has no slot in tests/po", messages[i].context);
        bad += check_both("slot", &messages[i], slots[at].cells);
    }
    assert_int_equal(bad, 0);
}

static void the_nine_screens_fit_into_one_row(void **state)
{
    int sums[2] = {0}, bad = 0;
    (void)state;
    for (size_t i = 0; i < message_count; i++)
        for (size_t j = 0; j < COUNT(screens); j++)
            if (strcmp(messages[i].context, "tab") == 0 && strcmp(messages[i].id, screens[j]) == 0) {
                bad += check_both("tab", &messages[i], SCREEN_CELLS);
                sums[0] += 2 + text_width(messages[i].id);
                sums[1] += 2 + text_width(messages[i].text);
            }
    assert_int_equal(bad, 0);
    assert_true(sums[0] <= ROW_CELLS && sums[1] <= ROW_CELLS);
}

/* Two states that look alike could only be told by their colour. */
static void every_mark_is_one_character_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        const char *text = messages[i].text;
        if (!strstr(messages[i].context, "mark"))
            continue;
        text_next(&text);
        assert_string_equal(text, "");
        for (size_t j = 0; j < i; j++)
            if (strstr(messages[j].context, "mark"))
                assert_string_not_equal(messages[i].text, messages[j].text);
    }
}

/* A list widens a column for its title: by one cell at most, or another column would go. */
static int check_column(const char *line)
{
    char context[32], id[64];
    int cells, bad = 0;
    const char *at = strstr(line, ".label = NC_(\"");
    if (!at || sscanf(at, ".label = NC_(\"%31[^\"]\", \"%63[^\"]\"), .cells = %d", context, id, &cells) != 3)
        return 0;
    for (size_t i = 0; i < message_count; i++)
        if (strcmp(messages[i].context, context) == 0 && strcmp(messages[i].id, id) == 0)
            bad += check_both("column", &messages[i], cells + 1);
    return bad;
}

static void titles_fit_their_columns(void **state)
{
    glob_t files;
    int bad = 0, lines = 0;
    (void)state;
    assert_int_equal(glob(below_source("ui/view/*.c"), 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = file_text(files.gl_pathv[i]);
        for (char *line = text, *next; line; line = next, lines++) {
            next = strchr(line, '\n');
            if (next)
                *next++ = '\0';
            bad += check_column(line);
        }
        free(text);
    }
    globfree(&files);
    assert_true(lines > 1000);
    assert_int_equal(bad, 0);
}

/* "TRANSLATORS: …, at most 23 bytes": what the code can hold or show. */
static void what_a_comment_demands_is_kept(void **state)
{
    int bad = 0, found = 0;
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        const struct message *message = &messages[i];
        const char *at = strstr(message->comment, "at most ");
        int most;
        char unit[8];
        if (!at || sscanf(at, "at most %d %5[a-z]", &most, unit) != 2)
            continue;
        found++;
        if (strcmp(unit, "cells") == 0)
            bad += check_both("comment", message, most);
        else if ((int)strlen(message->text) > most || (int)strlen(message->id) > most)
            bad += complain("bytes", message, (int)strlen(message->text), most);
    }
    assert_true(found > 0);
    assert_int_equal(bad, 0);
}

/* The row of keys above the line: parts with two blanks between them. */
static void hints_fit_into_a_row(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < message_count; i++)
        if (strncmp(messages[i].source, "ui/", 3) == 0 && strstr(messages[i].id, "  ") && !strchr(messages[i].id, '\n'))
            bad += check_both("hint", &messages[i], ROW_CELLS);
    assert_int_equal(bad, 0);
}

static bool is_han(uint32_t ch)
{
    return ch >= 0x4e00 && ch <= 0x9fff;
}

/* After a Chinese character the comma, the stop and so on are Chinese too, and so is a bracket that is no letter of a
 * button. */
static void chinese_sentences_have_chinese_punctuation(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        const char *text = messages[i].text;
        for (uint32_t before = 0, ch; (ch = text_next(&text)) != 0; before = ch) {
            bool wrong = is_han(before) && ch < 0x80 && strchr(",.;:?!", (int)ch) && !(ch == '.' && text[0] == '.');
            wrong = wrong || (is_han(before) && ch == '(' && text[0] != '&');
            if (wrong)
                bad += complain("punctuation", &messages[i], 0, 0);
        }
    }
    assert_int_equal(bad, 0);
}

static void buttons_keep_their_letter(void **state)
{
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        const char *english = strchr(messages[i].id, '&'), *chinese = strchr(messages[i].text, '&');
        if (!english)
            continue;
        assert_non_null(chinese);
        /* One letter, the same in both: hands know it. */
        assert_int_equal(english[1] | 0x20, chinese[1] | 0x20);
    }
}

static void no_text_is_unclean(void **state)
{
    (void)state;
    for (size_t i = 0; i < message_count; i++) {
        char *line = xstrdup(messages[i].text);
        for (char *at = line; *at; at++)
            if (*at == '\n')
                *at = ' ';
        if (!text_is_clean(line))
            fail_msg("not clean: %s", line);
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_context_is_a_slot_and_its_labels_fit),
        cmocka_unit_test(the_nine_screens_fit_into_one_row),
        cmocka_unit_test(every_mark_is_one_character_of_its_own),
        cmocka_unit_test(titles_fit_their_columns),
        cmocka_unit_test(what_a_comment_demands_is_kept),
        cmocka_unit_test(hints_fit_into_a_row),
        cmocka_unit_test(chinese_sentences_have_chinese_punctuation),
        cmocka_unit_test(buttons_keep_their_letter),
        cmocka_unit_test(no_text_is_unclean),
    };
    return cmocka_run_group_tests(tests, read_catalogue, NULL);
}
