/* Medians, ratios and the table that is printed. */
#include "bench/bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int met, missed;

double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

void bench_die(const char *what, const struct fd_error *err)
{
    if (err)
        fprintf(stderr, "bench: %s: %s: %s | %s\n", what, fd_code_name(err->code), err->message, err->detail);
    else
        fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(99);
}

void series_add(struct series *series, double value)
{
    if (series->count < ROUNDS_MOST)
        series->value[series->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double part_of(double *values, size_t count, double part)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare);
    size_t at = (size_t)(part * (double)count);
    if (part == 0.5 && count % 2 == 0)
        return (values[count / 2 - 1] + values[count / 2]) / 2;
    return values[at < count ? at : count - 1];
}

double series_median(const struct series *series)
{
    struct series copy = *series;
    return part_of(copy.value, (size_t)copy.count, 0.5);
}

static const char *verdict(double value, enum goal goal, double limit, char text[32])
{
    if (goal == NO_GOAL)
        return "";
    bool good = goal == AT_MOST ? value <= limit : value >= limit;
    good ? met++ : missed++;
    snprintf(text, 32, "%s %-7.4g %s", goal == AT_MOST ? "<=" : ">=", limit, good ? "ok" : "MISSED");
    return text;
}

void report_section(const char *title)
{
    printf("\n%-46s %12s %12s %8s  %s\n", title, "ours", "bare", "ratio", "goal");
    fflush(stdout);
}

static const char *figure(double value, const char *unit, char text[32])
{
    int digits = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
    snprintf(text, 32, "%.*f%s%s", digits, value, *unit ? " " : "", unit);
    return text;
}

void report_ratio(const char *what, const char *unit, const struct series *ours, const struct series *bare,
                  enum goal goal, double limit)
{
    char a[32], b[32], text[32];
    double mine = series_median(ours), floor = series_median(bare), ratio = floor > 0 ? mine / floor : 0;
    printf("%-46s %12s %12s %8.2f  %s\n", what, figure(mine, unit, a), figure(floor, unit, b), ratio,
           verdict(ratio, goal, limit, text));
    fflush(stdout);
}

void report_value(const char *what, const char *unit, double value, enum goal goal, double limit)
{
    char a[32], text[32];
    printf("%-46s %12s %12s %8s  %s\n", what, figure(value, unit, a), "", "", verdict(value, goal, limit, text));
    fflush(stdout);
}

void report_count(const char *what, int64_t found, int64_t wanted)
{
    bool same = found == wanted;
    same ? met++ : missed++;
    printf("%-46s %12lld %12lld %8s  %s\n", what, (long long)found, (long long)wanted, "",
           same ? "equal    ok" : "equal    MISSED");
    fflush(stdout);
}

void report_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("  ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
}

void report_end(void)
{
    printf("\n%d goals met, %d missed\n", met, missed);
}
