/* Business time: the database's wall clock. A day is a number of days, a time a number of
 * minutes or seconds; nothing here asks the terminal's clock (except mono_ms for waiting). */
#ifndef FD_BASE_WHEN_H
#define FD_BASE_WHEN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

typedef int32_t day_t;  /* days since 1970-01-01 in the business's zone */
typedef int64_t wall_t; /* seconds since 1970-01-01 00:00:00 in the business's zone */
#define DAY_NONE INT32_MIN
#define WALL_NONE INT64_MIN /* SQL NULL */
#define DAY_TEXT 11
#define WALL_TEXT 20
#define HHMM_TEXT 6

day_t day_of(int year, int month, int dom);          /* DAY_NONE where there is no such day */
void day_split(day_t day, int *year, int *month, int *dom);
int day_weekday(day_t day);                          /* 1 Monday .. 7 Sunday (ISO) */
bool day_from_sql(const char *text, day_t *day);     /* "2026-12-01" exactly */
bool wall_from_sql(const char *text, wall_t *wall);  /* "2026-12-01 10:42:07", fraction ignored; NULL -> WALL_NONE, true */
bool minute_from_sql(const char *text, int *minute); /* "19:00:00" -> 1140; up to "24:00:00" */
const char *day_sql(day_t day, char text[DAY_TEXT]);
const char *wall_sql(wall_t wall, char text[WALL_TEXT]);
const char *minute_text(int minute, char text[HHMM_TEXT]); /* "19:00"; 1440 -> "24:00" */
day_t wall_day(wall_t wall);
int wall_minute(wall_t wall);                        /* minute of its day, 0..1439 */
wall_t wall_at(day_t day, int minute);
const char *day_weekday_name(day_t day);             /* translated short name: 周二, Tue; static */

/* What a clerk types in a date field, relative to `today`: "2026-12-01", "12-01" (the next one
 * that is not over half a year back), "1" (day of this month), "+1", "-1", "t"/"today", weekday
 * "sat"/"六"/"周六" (the next one, today included). FD_BAD_INPUT names the field. */
enum fd_code day_parse(const char *text, const char *field, day_t today, day_t *day, struct fd_error *err);
/* "19", "7", "1930", "19:30", "24:00" -> minute of day. */
enum fd_code minute_parse(const char *text, const char *field, int *minute, struct fd_error *err);
/* "19-21", "19:00-21:30", "19" (to = from + 60). */
enum fd_code span_parse(const char *text, const char *field, int *from, int *to, struct fd_error *err);

int64_t mono_ms(void); /* monotonic milliseconds, for waiting only */
int64_t mono_us(void);
void sleep_ms(int64_t ms);

#endif
