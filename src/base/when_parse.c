/* What clerks type for days and times. */
#include "base/text.h"
#include "base/when.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define HALF_YEAR_DAYS 183
#define FAR_DAYS       3660 /* "+N" and "-N" reach ten years */
#define TYPED_BYTES    64

static const struct day_word {
    const char *word;
    int offset;
} day_words[] = {
    {"t", 0},    {"today", 0}, {"今天", 0}, {"今", 0},         {"tomorrow", 1},
    {"明天", 1}, {"明", 1},    {"后天", 2}, {"yesterday", -1}, {"昨天", -1},
};

static const struct weekday_word {
    const char *word;
    int weekday;
} weekday_words[] = {
    {"mon", 1},      {"tue", 2},    {"wed", 3},     {"thu", 4},       {"fri", 5},      {"sat", 6},
    {"sun", 7},      {"monday", 1}, {"tuesday", 2}, {"wednesday", 3}, {"thursday", 4}, {"friday", 5},
    {"saturday", 6}, {"sunday", 7}, {"一", 1},      {"二", 2},        {"三", 3},       {"四", 4},
    {"五", 5},       {"六", 6},     {"日", 7},      {"天", 7},
};

static const char *const weekday_prefixes[] = {"周", "星期", "礼拜"};

/* Number of 1 to `most` digits at *text, which moves behind them; -1 where there is none. */
static int number_at(const char **text, int most)
{
    int value = 0, digits = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (++digits > most)
            return -1;
        value = value * 10 + (**text - '0');
    }
    return digits ? value : -1;
}

static bool day_by_word(const char *typed, day_t today, day_t *day)
{
    for (size_t i = 0; i < sizeof day_words / sizeof *day_words; i++)
        if (!strcmp(typed, day_words[i].word)) {
            *day = today + day_words[i].offset;
            return true;
        }
    for (size_t i = 0; i < sizeof weekday_prefixes / sizeof *weekday_prefixes; i++) {
        size_t bytes = strlen(weekday_prefixes[i]);
        if (!strncmp(typed, weekday_prefixes[i], bytes)) {
            typed += bytes;
            break;
        }
    }
    for (size_t i = 0; i < sizeof weekday_words / sizeof *weekday_words; i++)
        if (!strcmp(typed, weekday_words[i].word)) {
            *day = today + (weekday_words[i].weekday - day_weekday(today) + 7) % 7;
            return true;
        }
    return false;
}

/* "12-01": the first such day from half a year back on; nine years hold any 29 February. */
static day_t day_of_season(int month, int dom, day_t today)
{
    int year, ignored;
    day_split(today, &year, &ignored, &ignored);
    for (int y = year - 1; y <= year + 8; y++) {
        day_t day = day_of(y, month, dom);
        if (day != DAY_NONE && day >= today - HALF_YEAR_DAYS)
            return day;
    }
    return DAY_NONE;
}

/* "2026-12-01", "12-01" or "1"; DAY_NONE where it is none of them. */
static day_t day_by_number(const char *typed, day_t today)
{
    int parts[3], count = 0;
    for (;;) {
        parts[count] = number_at(&typed, count ? 2 : 4);
        if (parts[count++] < 0)
            return DAY_NONE;
        if (!*typed)
            break;
        if (*typed++ != '-' || count == 3)
            return DAY_NONE;
    }
    if (count == 3)
        return parts[0] >= 1000 ? day_of(parts[0], parts[1], parts[2]) : DAY_NONE;
    if (count == 2)
        return day_of_season(parts[0], parts[1], today);
    int year, month, dom;
    day_split(today, &year, &month, &dom);
    return day_of(year, month, parts[0]);
}

enum fd_code day_parse(const char *text, const char *field, day_t today, day_t *day, struct fd_error *err)
{
    char typed[TYPED_BYTES];
    day_t found = DAY_NONE;
    if (text_fold(typed, sizeof typed, text)) {
        if (typed[0] == '+' || typed[0] == '-') {
            const char *digits = typed + 1;
            int offset = number_at(&digits, 4);
            if (offset >= 0 && !*digits && offset <= FAR_DAYS)
                found = today + (typed[0] == '-' ? -offset : offset);
        } else if (!day_by_word(typed, today, &found)) {
            found = day_by_number(typed, today);
        }
    }
    char ignored[DAY_TEXT];
    if (found != DAY_NONE && day_sql(found, ignored)[0]) {
        *day = found;
        return FD_OK;
    }
    return fd_fail(err, FD_BAD_INPUT, _("%s: write a day like 2026-12-01, 12-01, 1, +1, today or sat."), field);
}

/* "19", "7", "930", "1930", "19:30"; moves *text behind it; -1 where there is none. */
static int minute_at(const char **text)
{
    const char *start = *text;
    int hour = number_at(text, 4), minute = 0;
    long digits = *text - start;
    if (hour < 0)
        return -1;
    if (digits > 2) {
        minute = hour % 100;
        hour /= 100;
    } else if (**text == ':') {
        const char *after = ++*text;
        minute = number_at(text, 2);
        if (*text - after != 2)
            return -1;
    }
    int total = hour * 60 + minute;
    return minute > 59 || total > 1440 ? -1 : total;
}

enum fd_code minute_parse(const char *text, const char *field, int *minute, struct fd_error *err)
{
    char typed[TYPED_BYTES];
    const char *at = typed;
    int found = text_fold(typed, sizeof typed, text) ? minute_at(&at) : -1;
    if (found < 0 || *at)
        return fd_fail(err, FD_BAD_INPUT, _("%s: write a time like 19, 19:30 or 1930."), field);
    *minute = found;
    return FD_OK;
}

/* Moves behind "-", "~" or a dash with blanks around it; false where there is none. */
static bool skip_dash(const char **at)
{
    static const char *const dashes[] = {"-", "~", "–", "—", "到", "至"};
    *at += strspn(*at, " ");
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++) {
        size_t bytes = strlen(dashes[i]);
        if (!strncmp(*at, dashes[i], bytes)) {
            *at += bytes;
            *at += strspn(*at, " ");
            return true;
        }
    }
    return false;
}

enum fd_code span_parse(const char *text, const char *field, int *from, int *to, struct fd_error *err)
{
    char typed[TYPED_BYTES];
    const char *at = typed;
    int first = text_fold(typed, sizeof typed, text) ? minute_at(&at) : -1, second = -1;
    if (first >= 0)
        second = !*at ? first + 60 : skip_dash(&at) ? minute_at(&at) : -1;
    if (first < 0 || second < 0 || *at)
        return fd_fail(err, FD_BAD_INPUT, _("%s: write a span like 19-21 or 19:00-21:30."), field);
    if (second <= first || second > 1440)
        return fd_fail(err, FD_BAD_INPUT, _("%s: a span ends after it begins and not after 24:00."), field);
    *from = first;
    *to = second;
    return FD_OK;
}
