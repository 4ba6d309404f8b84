/* The searches of the orders list: the program's against the same query sent bare, in a small and a
 * large set with the same hits, and the first page against the five hundredth. */
#include "bench/search.h"
#include "bench/book.h"

#include <stdlib.h>
#include <string.h>
#include "venue/booking.h"

#define SMALL_ORDERS 10000
#define PAGE         100 /* rows that the console's list asks for */
#define DEEP_PAGE    500
#define TIMES        100
/* So many bookings in each round; the sets have profiles for 2000 in all, so the rounds are limited. */
#define BOOKINGS            100
#define BOOKING_ROUNDS_MOST 18
#define BOOKED_DAYS         4
#define FIRST_SLOT          1000

enum way { BY_PHONE, BY_NUMBER, BY_DAY, BY_STATE, WAY_COUNT };
static const struct {
    const char *title, *query;
    int64_t hits; /* on the first page; -1: as many as it holds */
} ways[WAY_COUNT] = {
    [BY_PHONE] = {"phone tail", "search.phone_tail", PAGE},
    [BY_NUMBER] = {"order tail", "search.number", 12},
    [BY_DAY] = {"week and state", "search.state", PAGE},
    [BY_STATE] = {"state, all days", "search.state", PAGE},
};

/* One set, ours and bare. */
struct set {
    struct db *db;
    struct desk *desk;
    struct bare *bare;
    int statements[WAY_COUNT];
    struct bare_value *from, *to, *day, *id, *tail, *rev, *states, *s1;
    struct arena arena;
};

static void prepare_bare(struct set *set)
{
    struct bare *bare = set->bare;
    static const char *const unused[] = {"operator", "phone", "name", "initials"};
    bare_int(bare, "venue", 0);
    bare_int(bare, "online", 0);
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        bare_text(bare, unused[i], NULL);
    set->tail = bare_text(bare, "tail", NULL);
    set->rev = bare_text(bare, "rev", NULL);
    set->states = bare_text(bare, "states", NULL);
    set->s1 = bare_text(bare, "s1", NULL);
    set->from = bare_text(bare, "from", "1000-01-01");
    set->to = bare_text(bare, "to", "9999-12-31");
    set->day = bare_text(bare, "day", "9999-12-31");
    set->id = bare_int(bare, "id", INT64_MAX);
    bare_int(bare, "most", PAGE + 1);
    for (size_t i = 0; i < WAY_COUNT; i++)
        set->statements[i] = bare_prepare(bare, ways[i].query, query_text(ways[i].query));
}

static void open_set(struct bench *bench, struct set *set, const char *name, int64_t orders)
{
    set->db = data_database(bench, name);
    data_orders(bench, set->db, orders);
    data_slots(set->db, FIRST_SLOT, bench->today + 1, BOOKED_DAYS, 100000);
    set->desk = desk_signed_in(bench, name);
    set->bare = bare_on(bench, name);
    prepare_bare(set);
}

static void close_set(struct set *set)
{
    desk_close(&set->desk);
    bare_close(&set->bare);
    db_close(&set->db);
    arena_release(&set->arena);
}

static struct order_filter filter_of(const struct bench *bench, enum way way)
{
    struct order_filter filter = {.from = DAY_NONE, .to = DAY_NONE, .after_day = DAY_NONE, .most = PAGE};
    if (way == BY_PHONE)
        filter.phone_tail = PLANTED_PHONE_TAIL;
    if (way == BY_NUMBER)
        filter.number = PLANTED_NUMBER_TAIL;
    if (way == BY_DAY) {
        filter.states = "PAID";
        filter.from = bench->today + PLANTED_WEEK;
        filter.to = filter.from + 6;
    }
    if (way == BY_STATE)
        filter.states = "COMPLETED";
    return filter;
}

static size_t ask_ours(struct set *set, const struct order_filter *filter, struct venue_order **rows)
{
    struct fd_error err;
    size_t count;
    bool more;
    arena_reset(&set->arena);
    if (venue_order_search(set->desk, filter, &set->arena, rows, &count, &more, &err))
        bench_die("venue_order_search", &err);
    return count;
}

/* The same arguments as the program derives from the filter. */
static void set_bare(struct set *set, const struct order_filter *filter)
{
    char text[DAY_TEXT];
    day_t to = filter->to;
    bool first = filter->after_day == DAY_NONE;
    if (!first && (to == DAY_NONE || to > filter->after_day))
        to = filter->after_day;
    bare_set_text(set->tail, filter->phone_tail);
    bare_set_text(set->rev, filter->number ? "9ZZZ%" : NULL);
    bare_set_text(set->states, filter->states);
    bare_set_text(set->s1, filter->states);
    bare_set_text(set->from, filter->from == DAY_NONE ? "1000-01-01" : day_sql(filter->from, text));
    bare_set_text(set->to, to == DAY_NONE ? "9999-12-31" : day_sql(to, text));
    bare_set_text(set->day, first ? "9999-12-31" : day_sql(filter->after_day, text));
    bare_set_int(set->id, first ? INT64_MAX : filter->after_id);
}

static int64_t ask_bare(struct set *set, enum way way)
{
    int64_t count = bare_run(set->bare, set->statements[way]);
    bare_commit(set->bare);
    return count > PAGE ? PAGE : count;
}

/* A page of both, in turns within the round; adds the medians. */
static void time_both(struct set *set, enum way way, const struct order_filter *filter, struct series ours_bare[2])
{
    double times[2][TIMES];
    struct venue_order *rows;
    set_bare(set, filter);
    for (size_t n = 0; n < TIMES; n++) {
        double begin = now_ms();
        size_t count = ask_ours(set, filter, &rows);
        double middle = now_ms();
        int64_t bare_count = ask_bare(set, way);
        times[0][n] = middle - begin;
        times[1][n] = now_ms() - middle;
        if ((int64_t)count != ways[way].hits || bare_count != ways[way].hits)
            report_count(ways[way].title, (int64_t)count, bare_count == (int64_t)count ? ways[way].hits : bare_count);
    }
    for (int i = 0; i < 2; i++)
        series_add(&ours_bare[i], part_of(times[i], TIMES, 0.5));
}

/* Behind the last row of the page before the deep one. */
static struct order_filter deep_filter(const struct bench *bench, struct set *set)
{
    struct order_filter filter = filter_of(bench, BY_STATE);
    for (int page = 1; page < DEEP_PAGE; page++) {
        struct venue_order *rows;
        size_t count = ask_ours(set, &filter, &rows);
        if (count < PAGE)
            break; /* a small set: its last page */
        filter.after_day = rows[count - 1].day;
        filter.after_id = rows[count - 1].base.id;
    }
    return filter;
}

/* A booking costs the same however many orders there are. */
static void time_booking(struct bench *bench, struct set *set, int round, struct series *ours)
{
    double times[BOOKINGS];
    struct client client = {.desk = set->desk};
    struct booking_run run = {.first_slot = FIRST_SLOT,
                              .slots = (int64_t)BOOKED_DAYS * DAY_SLOTS,
                              .from_slot = (int64_t)(round + 1) * BOOKINGS,
                              .first_customer = (int64_t)(round + 1) * BOOKINGS,
                              .first_day = bench->today + 1};
    for (int64_t n = 0; n < BOOKINGS; n++) {
        double begin = now_ms();
        book_ours(&client, n, &run);
        times[n] = now_ms() - begin;
    }
    if (client.confirmed != BOOKINGS)
        report_count("confirmed bookings", client.confirmed, BOOKINGS);
    series_add(ours, part_of(times, BOOKINGS, 0.5));
    arena_release(&client.arena);
}

void bench_search(struct bench *bench)
{
    static struct set sets[2];
    static struct series pages[2][WAY_COUNT][2], deep[2], booking[2];
    char what[80];
    report_section("order search, page of 100 rows, p50");
    open_set(bench, &sets[0], "bench_orders_small", SMALL_ORDERS);
    open_set(bench, &sets[1], "bench_orders_large", bench->big_orders);
    struct order_filter deep_one = deep_filter(bench, &sets[1]);
    for (int round = -1; round < bench->rounds; round++)
        for (int size = 0; size < 2; size++) {
            for (int way = 0; way < WAY_COUNT; way++) {
                struct order_filter filter = filter_of(bench, (enum way)way);
                time_both(&sets[size], (enum way)way, &filter, pages[size][way]);
            }
            if (size == 1)
                time_both(&sets[1], BY_STATE, &deep_one, deep);
            if (round < BOOKING_ROUNDS_MOST)
                time_booking(bench, &sets[size], round, &booking[size]);
            if (round < 0) { /* warmed up */
                memset(pages[size], 0, sizeof pages[size]);
                memset(deep, 0, sizeof deep);
                booking[size].count = 0;
            }
        }
    for (int size = 0; size < 2; size++)
        for (int way = 0; way < WAY_COUNT; way++) {
            snprintf(what, sizeof what, "%s, %s set", ways[way].title, size ? "large" : "small");
            report_ratio(what, "ms", &pages[size][way][0], &pages[size][way][1], AT_MOST, 2);
        }
    report_ratio("state, all days, page 500, large set", "ms", &deep[0], &deep[1], AT_MOST, 2);
    report_section("the same against the small set (second column), ours");
    for (int way = 0; way < WAY_COUNT; way++) {
        snprintf(what, sizeof what, "%s, %lld orders against 10,000", ways[way].title, (long long)bench->big_orders);
        report_ratio(what, "ms", &pages[1][way][0], &pages[0][way][0], AT_MOST, 1.3);
    }
    report_ratio("page 500 against page 1, large set", "ms", &deep[0], &pages[1][BY_STATE][0], AT_MOST, 1.3);
    snprintf(what, sizeof what, "one booking, %lld orders against 10,000", (long long)bench->big_orders);
    report_ratio(what, "ms", &booking[1], &booking[0], AT_MOST, 1.1);
    close_set(&sets[0]);
    close_set(&sets[1]);
}
