#include "base/when.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

#define DAY_SECONDS 86400
#define DAY_MINUTES 1440
#define YEAR_LAST   9999 /* what DATE holds and DAY_TEXT has room for */

/* Days before each month of a year that begins in March, so that the leap day comes last. */
static int64_t days_from_civil(int year, int month, int dom)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = y / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + dom - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static int month_days(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

day_t day_of(int year, int month, int dom)
{
    if (year < 1 || year > YEAR_LAST || month < 1 || month > 12 || dom < 1 || dom > month_days(year, month))
        return DAY_NONE;
    return (day_t)days_from_civil(year, month, dom);
}

void day_split(day_t day, int *year, int *month, int *dom)
{
    int64_t shifted = (int64_t)day + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    *dom = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    *month = (int)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

int day_weekday(day_t day)
{
    int64_t from_monday = ((int64_t)day + 3) % 7;
    return (int)(from_monday < 0 ? from_monday + 7 : from_monday) + 1;
}

/* Reads exactly `count` digits; -1 where they are not there. */
static int digits_at(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/* "2026-12-01" at the start of `text`. */
static bool day_at(const char *text, day_t *day)
{
    int year = digits_at(text, 4);
    if (year < 0 || text[4] != '-')
        return false;
    int month = digits_at(text + 5, 2);
    if (month < 0 || text[7] != '-')
        return false;
    int dom = digits_at(text + 8, 2);
    day_t read = dom < 0 ? DAY_NONE : day_of(year, month, dom);
    if (read == DAY_NONE)
        return false;
    *day = read;
    return true;
}

/* "19:00:00" with an optional fraction to the end of `text`; seconds of the day, -1 if not so. */
static int seconds_at(const char *text)
{
    int hour = digits_at(text, 2);
    if (hour < 0 || text[2] != ':')
        return -1;
    int minute = digits_at(text + 3, 2);
    if (minute < 0 || minute > 59 || text[5] != ':')
        return -1;
    int second = digits_at(text + 6, 2);
    if (second < 0 || second > 59)
        return -1;
    text += 8;
    if (*text == '.')
        text += 1 + strspn(text + 1, "0123456789");
    int total = (hour * 60 + minute) * 60 + second;
    return *text || total > DAY_SECONDS ? -1 : total;
}

bool day_from_sql(const char *text, day_t *day)
{
    return text && strlen(text) == 10 && day_at(text, day);
}

bool wall_from_sql(const char *text, wall_t *wall)
{
    if (!text) {
        *wall = WALL_NONE;
        return true;
    }
    day_t day;
    if (strlen(text) < 19 || text[10] != ' ' || !day_at(text, &day))
        return false;
    int seconds = seconds_at(text + 11);
    if (seconds < 0 || seconds >= DAY_SECONDS)
        return false;
    *wall = (wall_t)day * DAY_SECONDS + seconds;
    return true;
}

bool minute_from_sql(const char *text, int *minute)
{
    int seconds = text ? seconds_at(text) : -1;
    if (seconds < 0)
        return false;
    *minute = seconds / 60;
    return true;
}

/* By hand: a booking and a day grid write dates and hours by the dozen, and printf is their dearest part. */
static char *put_digits(char *to, int value, int count)
{
    for (int i = count; i-- > 0; value /= 10)
        to[i] = (char)('0' + value % 10);
    return to + count;
}

static char *put_date(char *to, int year, int month, int dom)
{
    to = put_digits(to, year, 4);
    *to++ = '-';
    to = put_digits(to, month, 2);
    *to++ = '-';
    return put_digits(to, dom, 2);
}

const char *day_sql(day_t day, char text[DAY_TEXT])
{
    int year, month, dom;
    day_split(day, &year, &month, &dom);
    text[0] = '\0';
    if (year >= 1 && year <= YEAR_LAST)
        *put_date(text, year, month, dom) = '\0';
    return text;
}

const char *wall_sql(wall_t wall, char text[WALL_TEXT])
{
    char date[DAY_TEXT];
    text[0] = '\0';
    if (wall == WALL_NONE || !day_sql(wall_day(wall), date)[0])
        return text;
    int seconds = (int)(wall - (wall_t)wall_day(wall) * DAY_SECONDS);
    char *to = stpcpy(text, date);
    *to++ = ' ';
    to = put_digits(to, seconds / 3600, 2);
    *to++ = ':';
    to = put_digits(to, seconds / 60 % 60, 2);
    *to++ = ':';
    *put_digits(to, seconds % 60, 2) = '\0';
    return text;
}

const char *minute_text(int minute, char text[HHMM_TEXT])
{
    FD_ASSERT(minute >= 0 && minute <= DAY_MINUTES);
    char *to = put_digits(text, minute / 60, 2);
    *to++ = ':';
    *put_digits(to, minute % 60, 2) = '\0';
    return text;
}

day_t wall_day(wall_t wall)
{
    wall_t day = wall / DAY_SECONDS - (wall % DAY_SECONDS < 0);
    return day < INT32_MIN || day > INT32_MAX ? DAY_NONE : (day_t)day;
}

int wall_minute(wall_t wall)
{
    wall_t seconds = wall % DAY_SECONDS;
    return (int)(seconds < 0 ? seconds + DAY_SECONDS : seconds) / 60;
}

wall_t wall_at(day_t day, int minute)
{
    return (wall_t)day * DAY_SECONDS + (wall_t)minute * 60;
}

const char *day_weekday_name(day_t day)
{
    static const char *const names[] = {
        /* TRANSLATORS: weekdays of at most four cells: 周一, Mon */
        NC_("weekday", "Mon"), NC_("weekday", "Tue"), NC_("weekday", "Wed"), NC_("weekday", "Thu"),
        NC_("weekday", "Fri"), NC_("weekday", "Sat"), NC_("weekday", "Sun"),
    };
    return i18n_label(names[day_weekday(day) - 1]);
}

static int64_t mono_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t mono_ms(void)
{
    return mono_ns() / 1000000;
}

int64_t mono_us(void)
{
    return mono_ns() / 1000;
}

void sleep_ms(int64_t ms)
{
    if (ms <= 0)
        return;
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) == -1 && errno == EINTR)
        continue;
}
