/* A counter run by subcommands: the examples of the manual, request keys, refusals, hostile text. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/money.h"
#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;
static char *password_file;
static const char *before[7] = {"--data", NULL, "--operator", "clerk", "--password-file", NULL, NULL};
static char today[DAY_TEXT], tomorrow[DAY_TEXT];

static void as(const char *operator)
{
    before[3] = operator;
}

/* The slot of a venue at an hour, from the program's own list. */
static long long slot_at(const char *venue, const char *day, int hour)
{
    char start_text[HHMM_TEXT];
    long long id = 0;
    struct tree *rows = answer("slot list --date %s", day);
    minute_text(hour * 60, start_text);
    for (size_t i = 0; i < tree_count(rows); i++)
        if (strcmp(tree_get_text(tree_at(rows, i), "venue"), venue) == 0 &&
            strcmp(tree_get_text(tree_at(rows, i), "start"), start_text) == 0)
            id = tree_get_int(tree_at(rows, i), "id");
    tree_free(&rows);
    assert_int_not_equal(id, 0);
    return id;
}

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
    as("admin");
    expect(0, "operator add clerk --role clerk --new-password-file %s", password_file);
    expect(0, "venue add --name Court1 --sport badminton");
    expect(0, "venue add --name Court2 --sport badminton");
    expect(0, "venue add --name Pool --sport swimming --form PLACE");
    expect(0, "slot generate --venue Court1 --from today --to +1 --hours 0-24 --price 60");
    expect(0, "slot generate --venue Court2 --from today --to +1 --hours 0-24 --price 60");
    expect(0, "slot generate --venue Pool --from today --to +1 --hours 0-24 --places 8 --price 45");
    as("clerk");
    db = fixture_open(&fixture);
    passwords_cheap(db);
    fit_printf(today, "%s", fixture_text(db, "SELECT DATE(UTC_TIMESTAMP() + INTERVAL 8 HOUR)"));
    fit_printf(tomorrow, "%s", fixture_text(db, "SELECT DATE(UTC_TIMESTAMP() + INTERVAL 8 HOUR) + INTERVAL 1 DAY"));
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

/* Examples ------------------------------------------------------------------------------------- */

static void slot_list_answers_rows_for_programs(void **state)
{
    (void)state;
    static const char *const numbers[] = {"id", "total_count", "remain_count", "price_fen"};
    struct tree *rows = answer("slot list --date %s", tomorrow);
    assert_true(tree_is_list(rows));
    assert_int_equal(tree_count(rows), 72);
    const struct tree *row = tree_at(rows, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(tree_is_int(row, numbers[i]));
    assert_string_equal(tree_get_text(row, "venue"), "Court1");
    assert_string_equal(tree_get_text(row, "start"), "00:00");
    assert_string_equal(tree_get_text(row, "end"), "01:00");
    assert_false(tree_is_null(row, "status"));
    tree_free(&rows);
}

/* Also of an action that asks for none. */
static void a_reason_given_stands_in_the_log(void **state)
{
    (void)state;
    expect(0, "customer add --name Reasoned --key reason-1 --reason 'asked by phone'");
    assert_string_equal(fixture_text(db, "SELECT reason FROM operation_log WHERE request_key = 'reason-1'"),
                        "asked by phone");
}

static void a_cart_is_one_bill_with_an_order_for_each_slot(void **state)
{
    (void)state;
    struct tree *booked = answer("order book --slot %lld,%lld --phone 13800001234 --name '张三' --key cart-1",
                                 slot_at("Court1", tomorrow, 10), slot_at("Court1", tomorrow, 11));
    assert_true(tree_is_text(booked, "bill"));
    assert_int_equal(tree_count(tree_get(booked, "orders")), 2);
    /* Paying one of them pays what the bill owes. */
    const char *number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no");
    if (!number)
        number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order");
    assert_non_null(number);
    struct tree *paid = answer("pay cash %s --tendered 200", number);
    assert_int_equal(tree_get_int(paid, "change_fen"), 8000);
    tree_free(&paid);
    tree_free(&booked);
    struct tree *rows = answer("order list --date %s --phone-tail 1234 --status PAID", tomorrow);
    assert_int_equal(tree_count(rows), 2);
    tree_free(&rows);
}

static void any_free_court_at_a_time(void **state)
{
    (void)state;
    expect(0, "order book --any-of venue=badminton --date %s --time 18:00 --phone 13800001301", tomorrow);
    expect(0, "order book --any-of venue=badminton --date %s --time 18:00 --phone 13800001302", tomorrow);
    expect_error(1, "slot_taken", "order book --any-of venue=badminton --date %s --time 18:00 --phone 13800001303",
                 tomorrow);
}

static void walk_in_pays_and_goes_in(void **state)
{
    (void)state;
    int hour = (int)fixture_int(db, "SELECT HOUR(UTC_TIMESTAMP() + INTERVAL 8 HOUR)");
    struct tree *booked = answer("order book --slot %lld --cash 200 --check-in", slot_at("Pool", today, hour));
    assert_string_equal(
        fixture_text(db, "SELECT status FROM reserve_order WHERE bill_no = '%s'", tree_get_text(booked, "bill")),
        "COMPLETED");
    tree_free(&booked);
}

static void an_order_lives_from_booking_to_its_end(void **state)
{
    (void)state;
    expect(0, "order book --slot %lld --phone 13800001310 --key life", slot_at("Court2", tomorrow, 13));
    const char *read = fixture_text(db, "SELECT order_no FROM reserve_order WHERE idempotency_key = 'life'");
    char number[64];
    cut_copy(number, sizeof number, read);
    expect(0, "order show %s", number);
    expect(0, "order move %s --slot %lld", number, slot_at("Court2", tomorrow, 14));
    expect(0, "order change %s --note 'left-handed'", number);
    expect_error(1, "unpaid", "order check-in %s", number);
    expect(0, "order cancel %s --reason ill", number);
    expect_error(1, "wrong_state", "order cancel %s --reason again", number);
    expect(0, "why order %s", number);
    expect(0, "why slot %lld", slot_at("Court2", tomorrow, 14));
    expect(0, "why day %s", tomorrow);
    expect(0, "day show %s", tomorrow);
}

/* Refusals --------------------------------------------------------------------------------------- */

/* Late is late wherever the order goes. */
static void a_late_move_is_no_way_to_cancel_for_nothing(void **state)
{
    (void)state;
    as("admin");
    expect(0, "slot generate --venue Court1 --from +9 --to +9 --hours 10-12 --price 60");
    expect(0, "param set free_cancel_minutes 4320"); /* three days: tomorrow is late, the ninth day is not */
    as("clerk");
    char later[DAY_TEXT];
    fit_printf(later, "%s", fixture_text(db, "SELECT DATE(UTC_TIMESTAMP() + INTERVAL 8 HOUR) + INTERVAL 9 DAY"));
    struct tree *booked =
        answer("order book --slot %lld --phone 13800004242 --cash 60", slot_at("Court1", tomorrow, 15));
    char *number = xstrdup(tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no"));
    tree_free(&booked);
    expect_error(77, "no_permission", "order cancel %s", number);
    expect(0, "order move %s --slot %lld", number, slot_at("Court1", later, 10));
    struct tree *shown = answer("order show %s", number);
    assert_true(tree_get_bool(tree_get(shown, "order") ? tree_get(shown, "order") : shown, "moved_late"));
    tree_free(&shown);
    expect_error(77, "no_permission", "order cancel %s", number);
    expect_error(77, "no_permission", "order refund %s --reason rain", number);
    struct ran ran = run("why order %s", number);
    assert_non_null(strstr(ran.out, "It was moved when cancelling was not free any more"));
    ran_free(&ran);
    as("admin");
    struct ran refused = run("order cancel %s", number);
    assert_int_not_equal(refused.status, 0);
    assert_non_null(strstr(refused.err, "a reason is needed"));
    ran_free(&refused);
    expect(0, "order cancel %s --reason rain", number);
    expect(0, "param set free_cancel_minutes 120");
    as("clerk");
    free(number);
}

static void refusals_say_which_and_exit_with_their_number(void **state)
{
    (void)state;
    long long slot = slot_at("Court1", tomorrow, 20);
    expect(0, "order book --slot %lld --phone 13800001320", slot);
    expect_error(1, "slot_taken", "order book --slot %lld --phone 13800001321", slot);
    expect_error(1, "slot_unknown", "order book --slot 99999999 --phone 13800001321");
    expect_error(1, "price_changed", "order book --slot %lld --phone 13800001321 --price 55",
                 slot_at("Court1", tomorrow, 21));
    expect(0, "order book --slot %lld --phone 13800001322", slot_at("Pool", tomorrow, 20));
    expect_error(1, "has_order", "order book --slot %lld,%lld --phone 13800001322", slot_at("Pool", tomorrow, 20),
                 slot_at("Court1", tomorrow, 21));
    expect_error(77, "no_permission", "venue add --name Court3 --sport badminton");
    static const char *const amounts[] = {"12.345", "1e3", "-0", "９", "", "99999999999"};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        expect_error(2, "bad_input", "order book --slot %lld --phone 13800001321 --cash=%s",
                     slot_at("Court1", tomorrow, 21), amounts[i]);
}

/* Request keys ------------------------------------------------------------------------------------ */

static void one_key_five_times_at_once_makes_one_order(void **state)
{
    (void)state;
    long long slot = slot_at("Pool", tomorrow, 9);
    pid_t pids[5];
    int ends[5][2];
    char said[5][2048];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(pipe2(ends[i], O_CLOEXEC), 0);
        pids[i] = run_start(ends[i][1], "order book --slot %lld --phone 13800001330 --key five --json", slot);
        close(ends[i][1]);
    }
    for (int i = 0; i < 5; i++) {
        size_t bytes = 0;
        for (ssize_t got; (got = read(ends[i][0], said[i] + bytes, sizeof said[i] - 1 - bytes)) > 0;)
            bytes += (size_t)got;
        said[i][bytes] = '\0';
        close(ends[i][0]);
        assert_int_equal(fixture_wait(pids[i]), 0);
        struct tree *a = tree_parse(said[0]), *b = tree_parse(said[i]);
        assert_non_null(b);
        assert_string_equal(tree_get_text(a, "bill"), tree_get_text(b, "bill"));
        tree_free(&a);
        tree_free(&b);
    }
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM reserve_order WHERE idempotency_key LIKE 'five%%'"), 1);
    assert_int_equal(fixture_int(db, "SELECT 8 - remain_count FROM venue_schedule WHERE id = %lld", slot), 1);
    expect_error(1, "key_reused", "order book --slot %lld --phone 13800001331 --key five", slot);
    expect_error(2, "bad_input", "order book --slot %lld --phone 13800001331 --key %0*d", slot, 49, 0);
}

/* Hostile text ------------------------------------------------------------------------------------- */

static const char *const hostile[] = {
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]52;c;aGk=\x07",
    "\xc2\x9b"
    "31m",
    "bell\x07",
    "del\x7f",
    "back\bspace",
    "cr\rlf\n",
    "\xe2\x80\xae"
    "evil",
    "\xe2\x81\xa6isolate",
    "zero\xe2\x80\x8bwidth",
    "\xef\xbb\xbf"
    "bom",
    "%",
    "_",
    "%%%s%n",
    "\\",
    "'",
    "\"",
    "' OR '1'='1",
    "'; DROP TABLE reserve_order; --",
    "`",
    "--",
    "🏸🏸",
    "👨‍👩‍👧",
    "🇨🇳",
    "é",
    "\xff\xfe",
    "\xc3",
    "\xed\xa0\x80",
    "<b>&amp;",
    "$(reboot)",
    "a\tb",
};

/* Whatever a person types comes back refused or harmless, and no query breaks. */
static void hostile_words_break_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const char *const lists[][9] = {
            {"customer", "find", "--", hostile[i], NULL},
            {"order", "list", "--name", hostile[i], NULL},
            {"order", "list", "--number", hostile[i], "--json", NULL},
            {"order", "list", "--phone-tail", hostile[i], NULL},
            {"order", "show", "--", hostile[i], NULL},
            {"order", "show", "--json", "--", hostile[i], NULL},
            {"customer", "add", "--phone", "13700009999", "--name", hostile[i], "--json", NULL},
            {"day", "show", "--sport", hostile[i], NULL},
            {hostile[i], "verb", NULL},
            {"order", hostile[i], NULL},
        };
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
            struct ran ran = run_words(lists[k]);
            if (ran.status != 0 && ran.status != 1 && ran.status != 2)
                fail_msg("text %zu in %s %s: status %d\n%s%s", i, lists[k][0], lists[k][1], ran.status, ran.out,
                         ran.err);
            expect_harmless(ran.out, ran.out_bytes);
            expect_harmless(ran.err, ran.err_bytes);
            ran_free(&ran);
        }
        fixture_sql(db, "DELETE FROM t_user WHERE phone = '13700009999'");
    }
    assert_true(fixture_int(db, "SELECT COUNT(*) FROM reserve_order") > 0);
}

/* A pattern is text to a search. */
static void wildcards_match_only_themselves(void **state)
{
    (void)state;
    static const char *const patterns[] = {"%", "_", "%张", "张_", "' OR '1'='1"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const char *const words[] = {"customer", "find", "--json", "--", patterns[i], NULL};
        struct ran ran = run_words(words);
        struct tree *rows = tree_parse(ran.out);
        if (ran.status != 0 || !tree_is_list(rows) || tree_count(rows) != 0)
            fail_msg("\"%s\": status %d %s%s", patterns[i], ran.status, ran.out, ran.err);
        tree_free(&rows);
        ran_free(&ran);
    }
}

static void ten_thousand_characters_are_refused(void **state)
{
    (void)state;
    char *text = xmalloc(10001);
    memset(text, 'x', 10000);
    text[10000] = '\0';
    const char *const add[] = {"customer", "add", "--phone", "13700009998", "--name", text, "--json", NULL};
    struct ran ran = run_words(add);
    assert_int_equal(ran.status, 2);
    ran_free(&ran);
    const char *const find[] = {"customer", "find", text, NULL};
    ran = run_words(find);
    assert_in_range(ran.status, 0, 2);
    ran_free(&ran);
    const char *const noun[] = {text, text, NULL};
    ran = run_words(noun);
    assert_int_equal(ran.status, 2);
    assert_true(ran.err_bytes < 1000);
    ran_free(&ran);
    free(text);
}

/* What the online system let in reaches no terminal raw. */
static void hostile_rows_are_printed_harmless(void **state)
{
    (void)state;
    static const char *const lines[] = {"customer find 13600",
                                        "order list --date %s",
                                        "order list --date %s --json",
                                        "customer find 13600 --json",
                                        "day show %s",
                                        "day show %s --json",
                                        "why day %s",
                                        "slot list --date %s"};
    long long slot = slot_at("Pool", tomorrow, 22);
    for (int i = 0; i < 3; i++)
        fixture_sql(db,
                    "INSERT INTO t_user (nickname, phone, note, alert) VALUES (CONCAT(CHAR(27), '[31m', CHAR(7), "
                    "CHAR(127), CONVERT(x'c29b' USING utf8mb4), "
                    "CONVERT(x'e280ae' USING utf8mb4), 'x%d', CHAR(13)), '1360000%04d', CONCAT(CHAR(27), 'c'), "
                    "CONCAT(CHAR(27), ']0;x', CHAR(7)))",
                    i, i);
    fixture_sql(db,
                "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                "end_time, quantity, total_amount, status, expire_time, note) "
                "SELECT CONCAT('E', CHAR(27), '[2J'), u.id, s.venue_id, s.id, s.schedule_date, s.start_time, "
                "s.end_time, 1, s.price, 'PENDING_PAY', NOW() + INTERVAL 15 MINUTE, CONCAT(CHAR(27), '[2J') "
                "FROM venue_schedule s JOIN t_user u ON u.phone = '13600000001' WHERE s.id = %lld",
                slot);
    fixture_sql(db, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %lld", slot);
    fixture_sql(db, "UPDATE venue SET name = CONCAT('Pool', CHAR(27), '[7m') WHERE name = 'Pool'");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        struct ran ran = run(lines[i], tomorrow);
#pragma GCC diagnostic pop
        if (ran.status != 0)
            fail_msg("%s: status %d %s", lines[i], ran.status, ran.err);
        expect_harmless(ran.out, ran.out_bytes);
        ran_free(&ran);
    }
    fixture_sql(db, "UPDATE venue SET name = 'Pool' WHERE name LIKE 'Pool%%'");
    fixture_sql(db, "DELETE FROM reserve_order WHERE schedule_id = %lld", slot);
    fixture_sql(db, "UPDATE venue_schedule SET remain_count = total_count WHERE id = %lld", slot);
}

static void the_doctor_is_content_with_all_of_it(void **state)
{
    (void)state;
    struct ran ran = run("doctor");
    if (ran.status != 0)
        fail_msg("%s%s", ran.out, ran.err);
    ran_free(&ran);
}

static void a_broken_rule_is_told_with_examples_and_exits_with_1(void **state)
{
    (void)state;
    fixture_sql(db, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %lld",
                slot_at("Pool", tomorrow, 5));
    struct ran ran = run("doctor");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.out, "slot "));
    ran_free(&ran);
    ran = run("doctor --json");
    struct tree *tree = tree_parse(ran.out);
    assert_int_equal(ran.status, 1);
    assert_string_equal(tree_get_text(tree_get(tree, "error"), "code"), "rule_broken");
    assert_int_equal(tree_get_int(tree_at(tree_get(tree, "broken"), 0), "rule"), 1);
    tree_free(&tree);
    ran_free(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_list_answers_rows_for_programs),
        cmocka_unit_test(a_reason_given_stands_in_the_log),
        cmocka_unit_test(a_cart_is_one_bill_with_an_order_for_each_slot),
        cmocka_unit_test(any_free_court_at_a_time),
        cmocka_unit_test(walk_in_pays_and_goes_in),
        cmocka_unit_test(an_order_lives_from_booking_to_its_end),
        cmocka_unit_test(a_late_move_is_no_way_to_cancel_for_nothing),
        cmocka_unit_test(refusals_say_which_and_exit_with_their_number),
        cmocka_unit_test(one_key_five_times_at_once_makes_one_order),
        cmocka_unit_test(hostile_words_break_nothing),
        cmocka_unit_test(wildcards_match_only_themselves),
        cmocka_unit_test(ten_thousand_characters_are_refused),
        cmocka_unit_test(hostile_rows_are_printed_harmless),
        cmocka_unit_test(the_doctor_is_content_with_all_of_it),
        cmocka_unit_test(a_broken_rule_is_told_with_examples_and_exits_with_1),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
