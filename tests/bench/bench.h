/* What the sections share: the run's server, its data, desks and their bare twins, clients that
 * work at once, and the report. Everything here ends the program where it fails. */
#ifndef FD_TESTS_BENCH_BENCH_H
#define FD_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/config.h"
#include "core/desk.h"
#include "support/fixture.h"
#include "bench/bare.h"

#define ROUNDS_MOST 64

struct bench {
    struct fixture fixture;
    struct config *config;
    struct db *db; /* plain connection to the first database: set-up and counting */
    int rounds;
    int64_t big_slots, big_orders;  /* size of the large sets */
    day_t today;                    /* the database's */
    double trip_ms, sync_ms;        /* round trip of an empty statement; durable one-row UPDATE and COMMIT */
    char *program, *trivial, *self; /* the console, the trivial curses program, this one */
};

/* --- report.c ------------------------------------------------------------------------------------ */

/* One figure per round. */
struct series {
    double value[ROUNDS_MOST];
    int count;
};
void series_add(struct series *series, double value);
double series_median(const struct series *series);
/* Sorts the values and returns the one at `part` (0.5 the median). */
double part_of(double *values, size_t count, double part);

enum goal { AT_MOST, AT_LEAST, NO_GOAL };
/* Heads the section's table. */
void report_section(const char *title);
/* One row: medians of both series (unit is printed behind), their ratio, whether the goal is met. */
void report_ratio(const char *what, const char *unit, const struct series *ours, const struct series *bare,
                  enum goal goal, double limit);
/* One figure with a goal of its own. */
void report_value(const char *what, const char *unit, double value, enum goal goal, double limit);
/* A count that must agree; a difference counts as a goal missed. */
void report_count(const char *what, int64_t found, int64_t wanted);
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The last lines. */
void report_end(void);

double now_ms(void);                                                    /* monotonic */
_Noreturn void bench_die(const char *what, const struct fd_error *err); /* err NULL: errno */

/* --- data.c --------------------------------------------------------------------------------------- */

#define COURTS     20
#define HOURS      16
#define DAY_SLOTS  (COURTS * HOURS)
#define FIRST_HOUR 6
#define SPORT      "badminton"
#define PRICE_FEN  4000

/* A migrated database with 20 courts and the operator; returns a connection to it. */
struct db *data_database(struct bench *bench, const char *name);
/* Profiles 0 … count-1 exist. */
void data_customers(struct db *db, int64_t count);
void customer_phone(int64_t customer, char phone[16]);
int64_t customer_id(int64_t customer);
/* `days` whole days of slots from `first` on, ids from first_id on: court by court, hour by hour. */
void data_slots(struct db *db, int64_t first_id, day_t first, int64_t days, int places);
/* Orders for the searches; data.c says how they are spread. */
void data_orders(struct bench *bench, struct db *db, int64_t count);
/* The slots of one day, all booked, a third of them unpaid. */
void data_busy_day(struct db *db, int64_t first_slot, day_t day);
void data_settle(struct db *db); /* statistics made, dirty pages written */

/* --- clients.c ------------------------------------------------------------------------------------- */

/* A signed-in desk on a database of the run. */
struct desk *desk_signed_in(struct bench *bench, const char *database);
struct bare *bare_on(struct bench *bench, const char *database);
/* The text of a query that this program has linked in, by its name. */
const char *query_text(const char *name);
/* The name of the query whose prepared text this is. */
const char *query_name(const char *prepared);
/* What a connection sent between the two: for each command of that kind the first `bytes` of its text, one a line;
 * xmalloc'ed. */
void log_start(struct bench *bench);
char *log_stop(struct bench *bench, int64_t connection, const char *kind, int bytes);

struct client {
    struct desk *desk;      /* ours, or NULL */
    struct bare_desk *bare; /* its twin, or NULL; book.h */
    struct arena arena;
    int64_t confirmed, refused, again; /* answers; deadlocks met by the bare client */
};
/* Operation `n` of a run. */
typedef void client_fn(struct client *client, int64_t n, const void *arg);
/* Runs operations 0 … count-1, each once, by all clients at once, each in its own thread; seconds from the common
 * start to the last answer. */
double clients_run(struct client *clients, int client_count, int64_t count, client_fn *fn, const void *arg);

/* --- the sections ---------------------------------------------------------------------------------- */

void bench_book(struct bench *bench);
void bench_rate(struct bench *bench);
void bench_hot(struct bench *bench);
void bench_refuse(struct bench *bench);
void bench_rush(struct bench *bench);
void bench_grid(struct bench *bench);
void bench_search(struct bench *bench);
void bench_key(struct bench *bench);
void bench_pay(struct bench *bench);

#endif
