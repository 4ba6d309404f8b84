/* The sections about bookings: one after the other, many at once, a hot slot, refusals, a rush. */
#include "bench/book.h"

#include <stdlib.h>
#include <string.h>

#define BASE            "frontdesk"
#define ONE_OPS         300
#define DAYS            63 /* so many days of distinct slots: 20,160 */
#define FIRST_SLOT      1000
#define HOT_SLOT        900 /* one court hour with room for all */
#define SOLD_OUT_SLOT   901
#define FULL_CLASS_SLOT 902 /* sold out by many orders */
#define CLASS_PLACES    40
#define RUSH_SLOT       10 /* one for each race */
#define CLIENTS_MOST    200

static struct client clients[2][CLIENTS_MOST]; /* ours, bare */
static int client_count;
static int64_t customers_used, confirmed;
static bool prepared;

/* --- set-up ---------------------------------------------------------------------------------------- */

static void special_slot(struct bench *bench, int64_t id, int day, int places)
{
    char date[DAY_TEXT];
    fixture_sql(bench->db,
                "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count,"
                " remain_count, price) VALUES (%lld, 1, '%s', '06:00:00', '07:00:00', %d, %d, 40.00)",
                (long long)id, day_sql(bench->today + day, date), places, places);
}

/* Fresh customers for so many bookings: each has one unpaid hold. */
static int64_t take_customers(struct bench *bench, int64_t count)
{
    int64_t first = customers_used;
    customers_used += count;
    data_customers(bench->db, customers_used);
    return first;
}

static struct booking_run distinct_run(struct bench *bench, int64_t count)
{
    static int64_t from;
    struct booking_run run = {.first_slot = FIRST_SLOT,
                              .slots = (int64_t)DAYS * DAY_SLOTS,
                              .from_slot = from,
                              .first_customer = take_customers(bench, count),
                              .first_day = bench->today + 1};
    from += count;
    return run;
}

static void set_up(struct bench *bench)
{
    if (prepared)
        return;
    prepared = true;
    data_slots(bench->db, FIRST_SLOT, bench->today + 1, DAYS, 100000);
    special_slot(bench, HOT_SLOT, DAYS + 1, 100000000);
    special_slot(bench, SOLD_OUT_SLOT, DAYS + 2, 1);
    special_slot(bench, FULL_CLASS_SLOT, DAYS + 3, CLASS_PLACES);
    fixture_sql(bench->db, "UPDATE venue SET stock_form = 'PLACE'");
    data_customers(bench->db, 100000);
    data_settle(bench->db);
    struct booking_run one = distinct_run(bench, 1);
    book_learn(bench, BASE, &one);
    confirmed++;
}

static void open_clients(struct bench *bench, int count)
{
    for (; client_count < count; client_count++) {
        clients[0][client_count].desk = desk_signed_in(bench, BASE);
        clients[1][client_count].bare = bare_desk_new(bench, BASE);
    }
}

static struct booking_run single_run(struct bench *bench, int64_t slot, int day, int64_t customers)
{
    return (struct booking_run){.first_slot = slot,
                                .slots = 1,
                                .first_day = bench->today + day,
                                .first_customer = take_customers(bench, customers)};
}

static void count_answers(struct client *list, int count, int64_t *taken, int64_t *refused, int64_t *again)
{
    for (int i = 0; i < count; i++) {
        *taken += list[i].confirmed;
        *refused += list[i].refused;
        *again += list[i].again;
        list[i].confirmed = list[i].refused = list[i].again = 0;
    }
}

/* What the clients were told against what the database has. */
static void check_counts(struct bench *bench)
{
    report_count("orders = confirmed bookings", fixture_int(bench->db, "SELECT COUNT(*) FROM reserve_order"),
                 confirmed);
    report_count("places gone = confirmed bookings",
                 fixture_int(bench->db, "SELECT SUM(total_count) - SUM(remain_count) FROM venue_schedule"), confirmed);
    report_count(
        "log rows = confirmed bookings",
        fixture_int(bench->db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'venue_order' AND event = 'book'"),
        confirmed);
    report_count("request keys = confirmed bookings", fixture_int(bench->db, "SELECT COUNT(*) FROM op_request"),
                 confirmed);
}

static double run_many(struct client *list, int count, int64_t operations, client_fn *fn, struct booking_run *run,
                       int64_t *refused)
{
    int64_t taken = 0, no = 0, again = 0;
    double seconds = clients_run(list, count, operations, fn, run);
    count_answers(list, count, &taken, &no, &again);
    confirmed += taken;
    if (refused)
        *refused = no;
    else if (no > 0)
        report_note("%lld refused where there was room", (long long)no);
    if (again > 0)
        report_note("%lld deadlocks or lock time limits met by the bare client", (long long)again);
    return seconds;
}

/* --- the same statements? ---------------------------------------------------------------------------- */

static int lines_of(const char *text)
{
    int lines = *text != '\0';
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void compare_statements(struct bench *bench)
{
    struct booking_run run = distinct_run(bench, 3);
    struct client *ours = &clients[0][0], *bare = &clients[1][0];
    book_ours(ours, 2, &run); /* parameters are read every few seconds: not in the booking that is logged */
    log_start(bench);
    book_ours(ours, 0, &run);
    book_bare(bare, 1, &run);
    confirmed += 3;
    ours->confirmed = bare->confirmed = 0;
    char *ours_sent = log_stop(bench, db_connection_id(ours->desk->db), "Execute|Query", 34);
    char *bare_sent = log_stop(bench, bare_connection_id(bare_desk_link(bare->bare)), "Execute|Query", 34);
    report_count("statements of one booking, COMMIT included", lines_of(ours_sent), lines_of(bare_sent));
    report_count("same statements in the same order", strcmp(ours_sent, bare_sent) == 0, 1);
    if (strcmp(ours_sent, bare_sent) != 0)
        report_note("ours\n%s\n  bare\n%s", ours_sent, bare_sent);
    free(ours_sent);
    free(bare_sent);
}

static void compare_sessions(struct bench *bench)
{
    static const char question[] =
        "SELECT CONCAT_WS('|', @@autocommit, @@sql_mode, @@time_zone, @@collation_connection,"
        " @@character_set_client, @@innodb_lock_wait_timeout, @@%sisolation, @fd_session IS NULL)";
    char sql[512], bare[512];
    snprintf(sql, sizeof sql, question, db_is_mariadb(bench->db) ? "tx_" : "transaction_");
    bare_query(bare_desk_link(clients[1][0].bare), sql, bare, sizeof bare);
    bare_rollback(bare_desk_link(clients[1][0].bare));
    const char *ours = fixture_text(clients[0][0].desk->db, "%s", sql);
    report_count("same session settings", strcmp(ours, bare) == 0, 1);
    if (strcmp(ours, bare) != 0)
        report_note("ours %s\n  bare %s", ours, bare);
}

/* --- one booking ---------------------------------------------------------------------------------------- */

static void time_one(struct client *client, client_fn *fn, struct booking_run *run, double *times)
{
    for (int64_t n = 0; n < ONE_OPS; n++) {
        double begin = now_ms();
        fn(client, n, run);
        times[n] = now_ms() - begin;
    }
    int64_t taken = 0, refused = 0, again = 0;
    count_answers(client, 1, &taken, &refused, &again);
    confirmed += taken;
}

void bench_book(struct bench *bench)
{
    double times[ONE_OPS];
    struct series p50[2] = {0}, p99[2] = {0};
    client_fn *const fns[2] = {book_ours, book_bare};
    set_up(bench);
    open_clients(bench, 1);
    report_section("one booking, one desk");
    compare_sessions(bench);
    compare_statements(bench);
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < 2; i++) {
            int who = (i + round + 1) % 2;
            struct booking_run run = distinct_run(bench, ONE_OPS);
            time_one(&clients[who][0], fns[who], &run, times);
            if (round < 0) /* warms up */
                continue;
            series_add(&p50[who], part_of(times, ONE_OPS, 0.5));
            series_add(&p99[who], part_of(times, ONE_OPS, 0.99));
        }
    report_ratio("one booking, p50", "ms", &p50[0], &p50[1], AT_MOST, 1.25);
    report_ratio("one booking, p99", "ms", &p99[0], &p99[1], NO_GOAL, 0);
    check_counts(bench);
}

/* --- many at once ---------------------------------------------------------------------------------------- */

/* So many operations as took about a second when they were tried: a slow machine gets shorter rounds. */
static int64_t one_second(int64_t tried, double seconds)
{
    double count = (double)tried / seconds;
    return count < 300 ? 300 : count > 8000 ? 8000 : (int64_t)count;
}

static void rate(struct bench *bench, int count)
{
    struct series rates[2] = {0};
    client_fn *const fns[2] = {book_ours, book_bare};
    int64_t operations = 10 * count + 100;
    char what[64];
    open_clients(bench, count);
    for (int round = -1; round < bench->rounds; round++) {
        double seconds[2];
        for (int i = 0; i < 2; i++) {
            int who = (i + round + 1) % 2;
            struct booking_run run = distinct_run(bench, operations);
            seconds[who] = run_many(clients[who], count, operations, fns[who], &run, NULL);
            if (round >= 0)
                series_add(&rates[who], (double)operations / seconds[who]);
        }
        if (round < 0)
            operations = one_second(operations, seconds[0]);
    }
    snprintf(what, sizeof what, "bookings/s, distinct slots, %d client%s", count, count > 1 ? "s" : "");
    report_ratio(what, "/s", &rates[0], &rates[1], AT_LEAST, 0.9);
}

void bench_rate(struct bench *bench)
{
    set_up(bench);
    report_section("bookings per second");
    rate(bench, 1);
    rate(bench, 8);
    rate(bench, 32);
    check_counts(bench);
}

/* Our rate; the slot has more orders in each round. */
static double hot(struct bench *bench, int count)
{
    struct series rates[3] = {0}; /* ours, best order, stock first */
    int64_t operations = 10 * count + 100;
    char what[64];
    open_clients(bench, count);
    for (int round = -1; round < bench->rounds; round++) {
        double seconds[3];
        for (int i = 0; i < 3; i++) {
            int who = (i + round + 1) % 3;
            struct booking_run run = single_run(bench, HOT_SLOT, DAYS + 1, operations);
            run.order = who == 2 ? STOCK_FIRST : BEST_ORDER;
            seconds[who] = run_many(clients[who > 0], count, operations, who == 0 ? book_ours : book_bare, &run, NULL);
            if (round >= 0)
                series_add(&rates[who], (double)operations / seconds[who]);
        }
        if (round < 0)
            operations = one_second(operations, seconds[0]);
    }
    snprintf(what, sizeof what, "hot slot, %d clients, bare in the best order", count);
    report_ratio(what, "/s", &rates[0], &rates[1], AT_LEAST, 0.9);
    snprintf(what, sizeof what, "hot slot, %d clients, bare stock first", count);
    report_ratio(what, "/s", &rates[0], &rates[2], AT_LEAST, 1.3);
    return series_median(&rates[0]);
}

/* What a booking costs must not depend on how many orders the slot has: both clients would get slow alike. */
static void hot_and_new(struct bench *bench)
{
    struct series p50[2] = {0}; /* the hot slot, one that nobody has booked */
    double times[ONE_OPS];
    for (int round = -1; round < bench->rounds; round++)
        for (int which = 0; which < 2; which++) {
            struct booking_run run =
                which == 0 ? single_run(bench, HOT_SLOT, DAYS + 1, ONE_OPS) : distinct_run(bench, ONE_OPS);
            time_one(&clients[0][0], book_ours, &run, times);
            if (round >= 0)
                series_add(&p50[which], part_of(times, ONE_OPS, 0.5));
        }
    report_ratio("one booking, hot slot against others, ours", "ms", &p50[0], &p50[1], AT_MOST, 1.1);
}

void bench_hot(struct bench *bench)
{
    set_up(bench);
    report_section("one hot slot");
    struct series eight = {.count = 1}, many = {.count = 1};
    eight.value[0] = hot(bench, 8);
    many.value[0] = hot(bench, 32);
    report_ratio("hot slot, 32 clients against 8, ours", "/s", &many, &eight, AT_LEAST, 0.85);
    hot_and_new(bench);
    check_counts(bench);
}

/* --- refusals --------------------------------------------------------------------------------------------- */

static void sell_out(struct bench *bench, int64_t slot, int day, int places)
{
    if (fixture_int(bench->db, "SELECT remain_count FROM venue_schedule WHERE id = %lld", (long long)slot) == 0)
        return;
    struct booking_run run = single_run(bench, slot, day, places);
    run_many(clients[0], 1, places, book_ours, &run, NULL);
    /* As paid: an unpaid hold would run out while we measure, and be freed. */
    fixture_sql(bench->db, "UPDATE reserve_order SET expire_time = NOW() + INTERVAL 1 DAY WHERE schedule_id = %lld",
                (long long)slot);
}

static void refuse(struct bench *bench, int64_t slot, int day, int count, const char *title)
{
    int64_t operations = 50 * count, refused;
    struct series rates[2] = {0};
    client_fn *const fns[2] = {book_ours, take_bare};
    char what[64];
    for (int round = -1; round < bench->rounds; round++) {
        double seconds[2];
        for (int i = 0; i < 2; i++) {
            int who = (i + round + 1) % 2;
            struct booking_run run = single_run(bench, slot, day, 0);
            run.first_customer = 50; /* 50 ... have no order there: what is refused uses nobody up */
            seconds[who] = run_many(clients[who], count, operations, fns[who], &run, &refused);
            if (refused != operations)
                report_count("refusals", refused, operations);
            if (round >= 0)
                series_add(&rates[who], (double)operations / seconds[who]);
        }
        if (round < 0)
            operations = one_second(operations, seconds[0]);
    }
    snprintf(what, sizeof what, "refusals/s, %s, %d clients", title, count);
    report_ratio(what, "/s", &rates[0], &rates[1], AT_LEAST, 0.9);
}

void bench_refuse(struct bench *bench)
{
    set_up(bench);
    open_clients(bench, 32);
    /* Places gone are counted as one for each order: the first customers sell these out. */
    sell_out(bench, SOLD_OUT_SLOT, DAYS + 2, 1);
    sell_out(bench, FULL_CLASS_SLOT, DAYS + 3, CLASS_PLACES);
    data_customers(bench->db, 10000);
    report_section("refusals on a sold-out slot (bare: the conditional UPDATE and ROLLBACK)");
    refuse(bench, SOLD_OUT_SLOT, DAYS + 2, 8, "court");
    refuse(bench, SOLD_OUT_SLOT, DAYS + 2, 32, "court");
    refuse(bench, FULL_CLASS_SLOT, DAYS + 3, 8, "class of 40");
    check_counts(bench);
}

/* --- a rush -------------------------------------------------------------------------------------------------- */

void bench_rush(struct bench *bench)
{
    struct series times[2] = {0};
    client_fn *const fns[2] = {book_ours, book_bare};
    int64_t refused, races = 0, wrong = 0;
    static int64_t slot = RUSH_SLOT;
    set_up(bench);
    open_clients(bench, CLIENTS_MOST);
    report_section("200 clients at once, one free court");
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < 2; i++, slot++) {
            int who = (i + round + 1) % 2, day = DAYS + (int)slot;
            special_slot(bench, slot, day, 1);
            struct booking_run run = single_run(bench, slot, day, CLIENTS_MOST);
            int64_t before = confirmed;
            double seconds = run_many(clients[who], CLIENTS_MOST, CLIENTS_MOST, fns[who], &run, &refused);
            races++;
            wrong += confirmed - before != 1 || refused != CLIENTS_MOST - 1;
            if (round >= 0)
                series_add(&times[who], seconds * 1e3);
        }
    report_ratio("until all 200 have their answer", "ms", &times[0], &times[1], AT_MOST, 1.5);
    report_count("races with exactly one winner", races - wrong, races);
    check_counts(bench);
}
