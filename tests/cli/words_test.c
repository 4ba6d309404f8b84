/* What subcommands say: in words for people, naming what was typed, telling what to do. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;
static char *password_file;
static const char *before[7] = {"--data", NULL, "--operator", "admin", "--password-file", NULL, NULL};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    before[1] = fixture.server.folder;
    before[5] = password_file;
    program_before(before);
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    expect(0, "operator add fin --role finance --new-password-file %s", password_file);
    db = fixture_open(&fixture);
    passwords_cheap(db);
    expect(0, "venue add --name Court1 --sport badminton");
    expect(0, "slot generate --venue Court1 --from +1 --to +1 --hours 8-20 --price 60");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

/* An order at an hour of tomorrow; the number is xmalloc'ed. */
static char *book(int hour, const char *words)
{
    struct tree *booked = answer(
        "order book --any-of venue=badminton --date +1 --time %02d:00 --phone 138000012%02d %s", hour, hour, words);
    char *number = xstrdup(tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no"));
    tree_free(&booked);
    return number;
}

static void expect_out(const char *line, const char *there, const char *not_there)
{
    struct ran ran = run("%s", line);
    if (ran.status != 0 || !strstr(ran.out, there) || (not_there && strstr(ran.out, not_there)))
        fail_msg("%s: status %d, wanted “%s”\n%s%s", line, ran.status, there, ran.out, ran.err);
    ran_free(&ran);
}

static void expect_refused(const char *line, int status, const char *there)
{
    struct ran ran = run("%s", line);
    if (ran.status != status || !strstr(ran.err, there))
        fail_msg("%s: status %d, wanted “%s”\n%s%s", line, ran.status, there, ran.out, ran.err);
    ran_free(&ran);
}

static void errors_name_what_was_typed(void **state)
{
    (void)state;
    expect_refused("order book --any-of venue=badminton --date +1 --time 08:00 --phone 13800001299 --cash 59.99", 2,
                   "--cash: 59.99 is less than the 60.00");
    char *number = book(9, "");
    char *line = xprintf("pay cash %s --tendered 1", number);
    expect_refused(line, 2, "--tendered: 1.00 is less");
    free(line);
    free(number);
    expect_refused("order list --phone 12", 2, "--phone: ");
    expect_refused("param set hold_minutes 0", 2, "(hold_minutes) must be between");
}

static void what_is_paid_is_not_held(void **state)
{
    (void)state;
    char *paid = book(10, "--cash 60"), *held = book(11, "");
    struct tree *rows = answer("order list --date +1 --status PAID");
    assert_true(tree_count(rows) > 0);
    for (size_t i = 0; i < tree_count(rows); i++)
        assert_true(tree_is_null(tree_at(rows, i), "hold_until"));
    tree_free(&rows);
    rows = answer("order list --number %s", held);
    assert_true(tree_is_text(tree_at(rows, 0), "hold_until"));
    tree_free(&rows);
    struct tree *day = answer("day show --date +1");
    const struct tree *slots = tree_get(day, "slots");
    size_t until = 0;
    for (size_t i = 0; i < tree_count(slots); i++) {
        const char *status = tree_get_text(tree_at(slots, i), "order_status");
        bool waits = status && strcmp(status, "PENDING_PAY") == 0;
        assert_int_equal(tree_is_text(tree_at(slots, i), "hold_until"), waits);
        until += waits;
    }
    assert_true(until > 0);
    tree_free(&day);
    free(paid);
    free(held);
}

static void a_sport_and_a_tender_are_words(void **state)
{
    (void)state;
    expect_out("day show --date +1", "Day grid Badminton", "badminton");
    char *number = book(12, "");
    fixture_sql(db,
                "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time, created_at) "
                "VALUES ('%s', '4200777', 'WECHAT', 60, 'SUCCESS', NOW(), NOW())",
                number);
    expect_out("why day", "WeChat 60.00", "WECHAT");
    free(number);
}

static void an_online_edit_is_told_in_words(void **state)
{
    (void)state;
    char *number = book(13, "");
    struct db *online = fixture_open_online(&fixture);
    fixture_sql(
        online,
        "UPDATE reserve_order SET total_amount = 72.5, expire_time = CONCAT(CURDATE() + INTERVAL 2 DAY, ' 10:42:00') "
        "WHERE order_no = '%s'",
        number);
    db_close(&online);
    char *line = xprintf("order show %s", number);
    expect_out(line, "amount 60.00 → 72.50, pay until ", "amount=");
    expect_out(line, " 10:42", "quantity 1 → 1");
    free(line);
    free(number);
}

/* The help is for people too, and is read before any configuration. */
static void help_obeys_the_environment(void **state)
{
    (void)state;
    struct ran english = run("--help");
    setenv("FRONTDESK_LANGUAGE", "zh_CN", 1);
    struct ran chinese = run("--help"), flag = run("--language en --help");
    unsetenv("FRONTDESK_LANGUAGE");
    assert_string_equal(flag.out, english.out);
    if (access("locale/zh_CN/LC_MESSAGES/frontdesk.mo", R_OK) == 0)
        assert_string_not_equal(chinese.out, english.out);
    ran_free(&english);
    ran_free(&chinese);
    ran_free(&flag);
}

static void without_a_terminal_one_hears_where_the_password_goes(void **state)
{
    (void)state;
    expect_refused("operator add newby --role clerk", 2, "--new-password-file");
    expect_refused("operator password admin", 2, "--new-password-file");
}

static void a_role_without_the_right_hears_that_first(void **state)
{
    (void)state;
    char *number = book(14, "");
    before[3] = "fin";
    long long slot = fixture_int(db, "SELECT schedule_id FROM reserve_order WHERE order_no = '%s'", number);
    expect_error(77, "no_permission", "order book --slot %lld --phone 13800001300", slot);
    expect_error(77, "no_permission", "order book --slot 99999 --phone 13800001300");
    expect_error(77, "no_permission", "order book --any-of venue=badminton --date +1 --time 14:00 --phone 13800001300");
    expect_error(77, "no_permission", "order cancel %s", number);
    expect_error(77, "no_permission", "order move %s --slot 99999", number);
    before[3] = "admin";
    free(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_what_was_typed),
        cmocka_unit_test(what_is_paid_is_not_held),
        cmocka_unit_test(a_sport_and_a_tender_are_words),
        cmocka_unit_test(an_online_edit_is_told_in_words),
        cmocka_unit_test(help_obeys_the_environment),
        cmocka_unit_test(without_a_terminal_one_hears_where_the_password_goes),
        cmocka_unit_test(a_role_without_the_right_hears_that_first),
    };
    return cmocka_run_group_tests_name("cli/words", tests, start, stop);
}
