/* The whole program where no two clocks agree: the server runs in UTC at a faked time, shortly before and after
 * midnight in Shanghai; the terminal is in New York at the real one. Needs libfaketime (Debian: faketime). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/server_internal.h"
#include "program.h"
#include "support/fixture.h"

/* In New York summer time begins on this day. */
#define DAY      "2027-03-14"
#define NEXT     "2027-03-15"
#define AT_23_50 DAY " 15:50:00" /* UTC */
#define AT_00_10 DAY " 16:10:00"

static struct fixture fixture;
static struct fd_error err;
static char folder[] = "/tmp/fdf-XXXXXX";
static char *script, *password_file;
static bool faked;
static const char *before[7] = {"--data", NULL, "--operator", "admin", "--password-file", NULL, NULL};
static struct {
    char *last, *first, *held, *later; /* numbers: at 23:00, at 00:00, unpaid at 01:00, at 10:00 */
} orders;

/* The server's program with another time. */
static void write_script(const char *utc)
{
    struct program program = {0};
    char *set = getenv("FRONTDESK_SERVER_PROGRAM");
    char *kept = set ? xstrdup(set) : NULL;
    unsetenv("FRONTDESK_SERVER_PROGRAM");
    must(server_program_find(&program, &err));
    if (kept)
        setenv("FRONTDESK_SERVER_PROGRAM", kept, 1);
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n"
            "TZ=UTC LD_PRELOAD='/usr/$LIB/faketime/libfaketimeMT.so.1' FAKETIME='@%s' FAKETIME_DONT_FAKE_MONOTONIC=1 "
            "NO_FAKE_STAT=1 exec %s \"$@\"\n",
            utc, program.path);
    fclose(file);
    assert_int_equal(chmod(script, 0700), 0);
    free(program.path);
    free(kept);
}

static bool can_fake(void)
{
    return getenv("FRONTDESK_SERVER_PROGRAM") == NULL &&
           system("faketime -m -f '@2027-03-14 15:50:00' sh -c 'date +%Y' 2>/dev/null | grep -q 2027") == 0;
}

static int start(void **state)
{
    (void)state;
    program_locate();
    faked = can_fake();
    if (!faked)
        return 0;
    assert_non_null(mkdtemp(folder));
    script = xprintf("%s/server", folder);
    write_script(AT_23_50);
    setenv("FRONTDESK_SERVER_PROGRAM", script, 1);
    fixture_start(&fixture, false);
    setenv("TZ", "America/New_York", 1);
    tzset();
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    before[1] = fixture.server.folder;
    before[5] = password_file;
    program_before(before);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    if (!faked)
        return 0;
    free(orders.last);
    free(orders.first);
    free(orders.held);
    free(orders.later);
    free(password_file);
    fixture_stop(&fixture);
    unlink(script);
    rmdir(folder);
    free(script);
    return 0;
}

static void needs_faketime(void)
{
    if (faked)
        return;
    print_message("skipped: no faketime here, or another server than the system's\n");
    skip();
}

static long long slot_at(const char *day, int hour)
{
    char start_text[HHMM_TEXT];
    long long id = 0;
    struct tree *rows = answer("slot list --date %s", day);
    minute_text(hour * 60, start_text);
    for (size_t i = 0; i < tree_count(rows); i++)
        if (strcmp(tree_get_text(tree_at(rows, i), "start"), start_text) == 0)
            id = tree_get_int(tree_at(rows, i), "id");
    tree_free(&rows);
    assert_int_not_equal(id, 0);
    return id;
}

/* Books; the number is xmalloc'ed and begins with the business's day. */
static char *book(long long slot, const char *words, const char *day)
{
    struct tree *booked = answer("order book --slot %lld %s", slot, words);
    char *number = xstrdup(tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no"));
    assert_int_equal(strncmp(number, day, 8), 0);
    tree_free(&booked);
    return number;
}

static void expect_day(const char *day, const char *now, int64_t taken_fen)
{
    struct tree *shown = answer("day show");
    assert_string_equal(tree_get_text(shown, "date"), day);
    if (strncmp(tree_get_text(shown, "now"), now, strlen(now)) != 0)
        fail_msg("now is %s, wanted %s", tree_get_text(shown, "now"), now);
    assert_int_equal(tree_get_int(shown, "taken_fen"), taken_fen);
    tree_free(&shown);
}

static void expect_why(const char *line, const char *part)
{
    struct ran ran = run("%s", line);
    if (ran.status != 0 || !strstr(ran.out, part))
        fail_msg("%s: wanted “%s”\n%s%s", line, part, ran.out, ran.err);
    ran_free(&ran);
}

static void expect_state(const char *number, const char *wanted)
{
    struct tree *shown = answer("order show %s", number);
    assert_string_equal(tree_get_text(shown, "status"), wanted);
    tree_free(&shown);
}

static void before_midnight_it_is_still_today(void **state)
{
    (void)state;
    needs_faketime();
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    expect(0, "venue add --name Court1 --sport badminton");
    expect(0, "slot generate --venue Court1 --from today --to +1 --hours 0-24 --price 60");
    expect_day(DAY, DAY " 23:5", 0);
    expect_error(1, "slot_over", "order book --slot %lld --phone 13800001001 --cash 60", slot_at(DAY, 22));
    orders.last = book(slot_at(DAY, 23), "--phone 13800001002 --cash 60", "20270314");
    orders.first = book(slot_at(NEXT, 0), "--phone 13800001003 --cash 60", "20270314");
    orders.held = book(slot_at(NEXT, 1), "--phone 13800001004", "20270314");
    orders.later = book(slot_at(NEXT, 10), "--phone 13800001005 --cash 60", "20270314");
    /* A quarter of an hour, over midnight. */
    struct tree *held = answer("order show %s", orders.held);
    if (strncmp(tree_get_text(held, "hold_until"), NEXT " 00:0", 15) != 0)
        fail_msg("held until %s", tree_get_text(held, "hold_until"));
    tree_free(&held);
    expect(0, "order check-in %s", orders.first); /* opened at 23:00 */
    expect_error(1, "wrong_day", "order check-in %s", orders.later);
    expect_day(DAY, DAY " 23:5", 18000);
    expect_why("why day", "Received on this day: 180.00");
    expect(0, "worker --once");
    expect_state(orders.held, "PENDING_PAY");
    expect_state(orders.last, "PAID");
    expect(0, "doctor");
}

static void after_midnight_it_is_the_next_day(void **state)
{
    (void)state;
    needs_faketime();
    must(server_stop(&fixture.server, &err));
    write_script(AT_00_10);
    must(server_start(&fixture.server, NULL, &err));
    expect_day(NEXT, NEXT " 00:1", 0);
    expect_why("why day", "No money was received");
    expect_why("why day -1", "Received on this day: 180.00");
    char *line = xprintf("why slot %lld", slot_at(DAY, 23));
    expect_why(line, "over since");
    free(line);
    expect_error(1, "slot_over", "order book --slot %lld --phone 13800001006 --cash 60", slot_at(DAY, 23));
    expect(1, "order check-in %s", orders.last);
    expect(1, "order check-in %s", orders.later);
    expect(0, "worker --once");
    expect_state(orders.last, "NO_SHOW");
    expect_state(orders.held, "CANCELLED");
    expect_state(orders.later, "PAID");
    /* The place is free again, and the number is of the new day. */
    free(book(slot_at("today", 1), "--phone 13800001007 --cash 60 --check-in", "20270315"));
    expect_day(NEXT, NEXT " 00:1", 6000);
    struct tree *rows = answer("order list --date -1 --status NO_SHOW");
    assert_int_equal(tree_count(rows), 1);
    tree_free(&rows);
    expect(0, "doctor");
}

/* The log says when it was by the business's clock, whatever the terminal's says. */
static void the_log_has_one_clock(void **state)
{
    (void)state;
    needs_faketime();
    struct tree *rows = answer("log --from -1 --to today --limit 100");
    const struct tree *list = tree_rows(rows);
    assert_true(tree_count(list) > 5);
    for (size_t i = 0; i < tree_count(list); i++) {
        const char *at = tree_get_text(tree_at(list, i), "at");
        if (strncmp(at, DAY " 23:5", 15) != 0 && strncmp(at, NEXT " 00:1", 15) != 0)
            fail_msg("a row of %s", at);
    }
    tree_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_midnight_it_is_still_today),
        cmocka_unit_test(after_midnight_it_is_the_next_day),
        cmocka_unit_test(the_log_has_one_clock),
    };
    return cmocka_run_group_tests_name("cli/faked", tests, start, stop);
}
