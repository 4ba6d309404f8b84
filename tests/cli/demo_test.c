/* The demo hall at every hour of the day: loads, has an order of each state today, satisfies the doctor, and adds days.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/when.h"
#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static char *password_file;
static time_t began_at;

static int start(void **state)
{
    (void)state;
    program_locate();
    began_at = time(NULL);
    fixture_start(&fixture, false);
    free(write_file(fixture.server.folder, ".frontdesk-demo", "", 0600));
    password_file = write_file(fixture.folder, "pw", "demo\n", 0600);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

/* The offset under which it was `minute` of the day when the tests began: the hour of the demo is that of its zone. */
static void zone_for(int minute, char zone[8])
{
    int utc = (int)(began_at / 60 % 1440), offset = (minute - utc + 1440) % 1440;
    if (offset > 12 * 60)
        offset -= 1440;
    /* Servers know -12:59 to +13:00. */
    int size = offset < 0 ? -offset : offset;
    fit_printf_at(zone, 8, "%c%02d:%02d", offset < 0 ? '-' : '+', size / 60, size % 60);
}

/* Words for a database of its own at an hour of its own. */
static void be_at(int minute, const char *database)
{
    static const char *words[12];
    static char *conf;
    char zone[8];
    zone_for(minute, zone);
    char *text = xprintf("[database]\ntime_zone = %s\nname = %s\n", zone, database);
    free(conf);
    conf = write_file(fixture.folder, database, text, 0600);
    free(text);
    const char *const all[] = {"--data", fixture.server.folder, "--config",    conf, "--operator",
                               "clerk",  "--password-file",     password_file, NULL};
    memcpy(words, all, sizeof all);
    program_before(words);
}

static int64_t count_of(const char *database, const char *zone_words, const char *condition)
{
    struct db_target target = fixture_target(&fixture);
    struct fd_error err = {0};
    struct db *db;
    target.database = database;
    target.time_zone = zone_words;
    must(db_open(&target, &db, &err));
    int64_t count = fixture_int(
        db, "SELECT COUNT(*) FROM reserve_order o JOIN venue_schedule s ON s.id = o.schedule_id WHERE %s", condition);
    db_close(&db);
    return count;
}

static void load_at(int minute, const char *database)
{
    static const char *const states[] = {"PENDING_PAY", "PAID", "COMPLETED", "CANCELLED", "REFUNDED"};
    char zone[8], condition[200];
    be_at(minute, database);
    zone_for(minute, zone);
    int64_t began = mono_ms();
    struct tree *loaded = answer("demo load");
    print_message("%s: %lld orders in %lld ms\n", database, (long long)tree_get_int(loaded, "orders"),
                  (long long)(mono_ms() - began));
    assert_int_equal(tree_get_int(loaded, "days"), 14);
    assert_in_range(tree_get_int(loaded, "orders"), 200, 1500);
    tree_free(&loaded);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        fit_printf(condition, "o.status = '%s' AND o.schedule_date = CURDATE()", states[i]);
        if (count_of(database, zone, condition) == 0)
            fail_msg("%s: no order is %s today", database, states[i]);
    }
    assert_true(count_of(database, zone, "o.status = 'NO_SHOW'") > 0);
    assert_true(count_of(database, zone, "o.operator IS NULL") > 0);
    assert_int_equal(count_of(database, zone, "o.create_time > NOW()"), 0);
    struct tree *rows = answer("slot list");
    int closed = 0;
    for (size_t i = 0; i < tree_count(rows); i++)
        closed += strcmp(tree_get_text(tree_at(rows, i), "close_reason"), "") != 0;
    assert_int_equal(closed, 2);
    tree_free(&rows);
    struct ran ran = run("doctor --grace 0");
    if (ran.status != 0)
        fail_msg("%s: %s%s", database, ran.out, ran.err);
    ran_free(&ran);
    expect(0, "day show");
    struct tree *days = answer("demo days");
    assert_int_equal(tree_get_int(days, "days"), 0);
    tree_free(&days);
    expect_error(1, "exists", "demo load");
}

static void just_after_midnight(void **state)
{
    (void)state;
    load_at(10, "demo0010");
}

static void at_noon(void **state)
{
    (void)state;
    load_at(12 * 60 + 30, "demo1230");
}

static void just_before_midnight(void **state)
{
    (void)state;
    load_at(23 * 60 + 48, "demo2348");
}

/* As if the demo had slept for three days: what is missing is added, and booked in part. */
static void days_that_are_missing_are_added(void **state)
{
    (void)state;
    char zone[8];
    struct fd_error err = {0};
    struct db_target target = fixture_target(&fixture);
    struct db *db;
    be_at(12 * 60 + 30, "demo1230");
    zone_for(12 * 60 + 30, zone);
    target.database = "demo1230";
    target.time_zone = zone;
    must(db_open(&target, &db, &err));
    fixture_sql(db, "DELETE s FROM venue_schedule s LEFT JOIN reserve_order o ON o.schedule_id = s.id "
                    "WHERE s.schedule_date > CURDATE() + INTERVAL 6 DAY AND o.id IS NULL");
    fixture_sql(db, "UPDATE venue_schedule SET schedule_date = schedule_date - INTERVAL 300 DAY WHERE schedule_date > "
                    "CURDATE() + INTERVAL 6 DAY");
    fixture_sql(db, "UPDATE reserve_order SET schedule_date = schedule_date - INTERVAL 300 DAY WHERE schedule_date > "
                    "CURDATE() + INTERVAL 6 DAY");
    struct tree *days = answer("demo days");
    assert_int_equal(tree_get_int(days, "days"), 3);
    assert_true(tree_get_int(days, "orders") > 0);
    tree_free(&days);
    assert_true(
        fixture_int(db, "SELECT COUNT(*) FROM venue_schedule WHERE schedule_date = CURDATE() + INTERVAL 9 DAY") > 200);
    expect(0, "doctor --grace 0");
    db_close(&db);
}

/* Where no day is lacking the worker's work is left to the worker, which tells of it. */
static void what_is_due_is_left_to_the_worker(void **state)
{
    (void)state;
    char zone[8];
    struct fd_error err = {0};
    struct db_target target = fixture_target(&fixture);
    struct db *db;
    be_at(12 * 60 + 30, "demo1230");
    zone_for(12 * 60 + 30, zone);
    target.database = "demo1230";
    target.time_zone = zone;
    must(db_open(&target, &db, &err));
    expect(0, "worker --once");
    fixture_sql(db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 5 MINUTE WHERE status = 'PENDING_PAY' "
                    "AND live_codes = 0 AND paid_amount = 0 AND operator IS NOT NULL ORDER BY id DESC LIMIT 1");
    expect(0, "demo days");
    struct tree *told = answer("worker --once");
    assert_int_equal(tree_get_int(told, "expired"), 1);
    tree_free(&told);
    db_close(&db);
}

static void nothing_else_is_ever_filled(void **state)
{
    (void)state;
    char *mark = xprintf("%s/.frontdesk-demo", fixture.server.folder);
    be_at(12 * 60, "real");
    assert_int_equal(unlink(mark), 0);
    expect_error(1, "refused", "demo load");
    expect_error(1, "refused", "demo days");
    expect_error(1, "refused", "demo load --socket %s", fixture.server.socket);
    free(mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(just_after_midnight),
        cmocka_unit_test(at_noon),
        cmocka_unit_test(just_before_midnight),
        cmocka_unit_test(days_that_are_missing_are_added),
        cmocka_unit_test(what_is_due_is_left_to_the_worker),
        cmocka_unit_test(nothing_else_is_ever_filled),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
