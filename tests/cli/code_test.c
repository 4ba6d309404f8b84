/* Payment codes from the command line: what scripts and people at a terminal see, with the sandbox as the channels. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/when.h"
#include "cli/program.h"
#include "support/fixture.h"
#include "support/sandbox.h"

static struct fixture fixture;
static struct sandbox sandbox;
static struct db *db;
static char *password_file;
static const char *before[] = {"--data", NULL, "--operator", "ann", "--password-file", NULL, NULL};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    char *folder = xprintf("%s/sandbox", fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    free(folder);
    setenv("FRONTDESK_CHANNELS_FILE", sandbox.channels, 1);
    static const char *first[] = {"--data", NULL, NULL};
    first[1] = before[1] = fixture.server.folder;
    program_before(first);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    before[5] = password_file;
    expect(0, "operator add boss --role admin --new-password-file %s", password_file);
    expect(0, "--operator boss --password-file %s operator add ann --role clerk --new-password-file %s", password_file,
           password_file);
    program_before(before);
    db = fixture_open(&fixture);
    passwords_cheap(db);
    fixture_sql(db, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES (1, 'pool', 'swimming', 'PLACE')");
    fixture_sql(db, "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, "
                    "remain_count, price) VALUES (1, 1, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 500, 500, "
                    "60)");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    free(password_file);
    sandbox_stop(&sandbox);
    fixture_stop(&fixture);
    return 0;
}

static const char *next_phone(void)
{
    static char phone[16];
    static int next;
    fit_printf(phone, "1360000%04d", next++);
    return phone;
}

static void book(char *number, size_t bytes)
{
    struct tree *booked = answer("order book --slot 1 --phone %s", next_phone());
    cut_copy(number, bytes, tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no"));
    tree_free(&booked);
}

static const char *state_of(const char *number)
{
    return fixture_text(db, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

static void both_channels_are_checked(void **state)
{
    (void)state;
    struct tree *checked = answer("channel check");
    assert_int_equal(tree_count(checked), 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(tree_get_bool(tree_at(checked, i), "good"));
    tree_free(&checked);
    unsetenv("FRONTDESK_CHANNELS_FILE");
    expect_error(78, "config", "channel check");
    expect_error(78, "config", "order book --slot 1 --phone %s --wechat", next_phone());
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM reserve_order"), 0);
    setenv("FRONTDESK_CHANNELS_FILE", sandbox.channels, 1);
}

static void a_booking_opens_its_code(void **state)
{
    (void)state;
    char phone[16];
    cut_copy(phone, sizeof phone, next_phone());
    struct tree *booked = answer("order book --slot 1 --phone %s --alipay --key a-booking", phone);
    const struct tree *code = tree_get(booked, "code");
    assert_string_equal(tree_get_text(code, "state"), "waiting");
    assert_string_equal(tree_get_text(code, "channel"), "ALIPAY");
    assert_int_equal(tree_get_int(code, "amount_fen"), 6000);
    assert_ptr_equal(strstr(tree_get_text(code, "code"), "https://qr.alipay.com/"), tree_get_text(code, "code"));
    /* Asked again with the same key: one booking, one code. */
    struct tree *again = answer("order book --slot 1 --phone %s --alipay --key a-booking", phone);
    assert_string_equal(tree_get_text(tree_get(again, "code"), "out_trade_no"), tree_get_text(code, "out_trade_no"));
    sandbox_do(&sandbox, "pay %s", tree_get_text(code, "out_trade_no"));
    const char *number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no");
    /* A channel is asked at most once a second, whoever asks. */
    fixture_sql(db, "UPDATE payment_record SET asked_at = NULL WHERE status = 'CREATED'");
    struct tree *shown = answer("pay code %s", number);
    assert_string_equal(tree_get_text(shown, "state"), "paid");
    assert_int_equal(tree_get_int(shown, "orders_paid"), 1);
    assert_string_equal(state_of(number), "PAID");
    expect_error(1, "not_found", "pay code %s", number);
    tree_free(&shown);
    tree_free(&again);
    tree_free(&booked);
    expect_error(2, "usage", "order book --slot 1 --phone %s --alipay --cash 60", next_phone());
}

static void who_may_not_take_it_leaves_nothing_behind(void **state)
{
    (void)state;
    int64_t orders = fixture_int(db, "SELECT COUNT(*) FROM reserve_order");
    int64_t left = fixture_int(db, "SELECT remain_count FROM venue_schedule WHERE id = 1");
    fixture_sql(db,
                "DELETE FROM role_action WHERE role = 'clerk' AND action IN ('pay.wechat', 'pay.alipay', 'pay.cash', "
                "'pay.card')");
    static const char *const ways[] = {"--wechat", "--alipay", "--cash 60", "--card S1"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        expect_error(77, "no_permission", "order book --slot 1 %s", ways[i]);
        expect_error(77, "no_permission", "order book --slot 1 --phone %s %s", next_phone(), ways[i]);
    }
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM reserve_order"), orders);
    assert_int_equal(fixture_int(db, "SELECT remain_count FROM venue_schedule WHERE id = 1"), left);
    fixture_sql(db, "INSERT INTO role_action (role, action) VALUES ('clerk', 'pay.wechat'), ('clerk', 'pay.alipay'), "
                    "('clerk', 'pay.cash'), ('clerk', 'pay.card')");
}

static int64_t seconds_left(const char *number)
{
    return fixture_int(db, "SELECT TIMESTAMPDIFF(SECOND, NOW(), expire_time) FROM reserve_order WHERE order_no = '%s'",
                       number);
}

static void a_walk_in_waits_no_longer_than_the_code(void **state)
{
    (void)state;
    struct tree *booked = answer("order book --slot 1 --wechat --hold before");
    const char *number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no");
    assert_true(seconds_left(number) > 14 * 60 && seconds_left(number) <= 15 * 60);
    expect(0, "pay code %s --close", number);
    assert_true(seconds_left(number) <= 2 * 60);
    /* Another way to pay is still open to who stands there. */
    expect(0, "pay cash %s", number);
    assert_string_equal(state_of(number), "PAID");
    tree_free(&booked);
    booked = answer("order book --slot 1 --wechat");
    number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no");
    expect(0, "pay code %s --close", number);
    fixture_sql(db, "UPDATE reserve_order SET expire_time = expire_time - INTERVAL 3 MINUTE WHERE order_no = '%s'",
                number);
    expect(0, "worker --once");
    assert_string_equal(state_of(number), "CANCELLED");
    tree_free(&booked);
    /* Somebody who left a phone keeps what was agreed. */
    booked = answer("order book --slot 1 --phone %s --wechat", next_phone());
    number = tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no");
    expect(0, "pay code %s --close", number);
    assert_true(seconds_left(number) > 14 * 60);
    tree_free(&booked);
}

static void a_code_is_shown_drawn_and_closed(void **state)
{
    (void)state;
    char number[33];
    book(number, sizeof number);
    expect_error(2, "bad_input", "pay wechat %s --png %s/code.svg", number, fixture.folder);
    expect(0, "pay wechat %s --png %s/code.png --svg %s/code.svg", number, fixture.folder, fixture.folder);
    char *png = xprintf("%s/code.png", fixture.folder), *svg = xprintf("%s/code.svg", fixture.folder);
    assert_int_equal(access(png, R_OK), 0);
    assert_int_equal(access(svg, R_OK), 0);
    free(png);
    free(svg);
    struct ran ran = run("pay wechat %s", number);
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "\u2588"));
    assert_non_null(strstr(ran.out, "60.00"));
    ran_free(&ran);
    expect_error(2, "bad_input", "pay cash %s --amount 61", number);
    struct tree *closed = answer("pay code %s --close", number);
    assert_string_equal(tree_get_text(closed, "state"), "closed");
    tree_free(&closed);
    assert_int_equal(fixture_int(db, "SELECT live_codes FROM reserve_order WHERE order_no = '%s'", number), 0);
}

/* Waits until the code of an order is there to be paid; its number into out. */
static void wait_for_code(const char *number, char *out, size_t bytes)
{
    for (int i = 0; i < 200; i++) {
        cut_copy(
            out, bytes,
            fixture_text(db,
                         "SELECT MAX(p.order_no) FROM payment_record p JOIN pay_allocation a ON a.payment_id = p.id "
                         "WHERE a.order_no = '%s' AND p.code IS NOT NULL",
                         number));
        if (out[0])
            return;
        sleep_ms(50);
    }
    fail_msg("no code for %s", number);
}

static int end_of(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void waiting_ends_when_it_is_paid(void **state)
{
    (void)state;
    char number[33], trade[33], text[16384];
    int pipes[2];
    book(number, sizeof number);
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = run_start(pipes[1], "pay wechat %s --wait", number);
    close(pipes[1]);
    wait_for_code(number, trade, sizeof trade);
    sandbox_do(&sandbox, "pay %s", trade);
    size_t used = 0;
    ssize_t got;
    while (used < sizeof text - 1 && (got = read(pipes[0], text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(pipes[0]);
    assert_int_equal(end_of(pid), 0);
    /* First the code, then what became of it. */
    const char *code = strstr(text, "\u2588"), *paid = strstr(text, "Paid.");
    assert_non_null(code);
    assert_true(paid > code);
    assert_string_equal(state_of(number), "PAID");
}

static void breaking_off_closes_it(void **state)
{
    (void)state;
    char number[33], trade[33];
    book(number, sizeof number);
    pid_t pid = run_start(-1, "pay wechat %s --wait", number);
    wait_for_code(number, trade, sizeof trade);
    sleep_ms(200);
    assert_int_equal(kill(pid, SIGINT), 0);
    /* A script must not take that for paid. */
    assert_int_equal(end_of(pid), 1);
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(fixture_int(db, "SELECT live_codes FROM reserve_order WHERE order_no = '%s'", number), 0);
    int status;
    struct tree *answer = sandbox_try(&sandbox, &status, "pay %s", trade);
    tree_free(&answer);
    assert_int_not_equal(status, 0);
}

static void the_worker_does_it_alone(void **state)
{
    (void)state;
    char number[33];
    book(number, sizeof number);
    struct tree *code = answer("pay alipay %s --amount 20", number);
    sandbox_do(&sandbox, "pay %s", tree_get_text(code, "out_trade_no"));
    fixture_sql(db, "UPDATE payment_record SET asked_at = asked_at - INTERVAL 6 SECOND WHERE status = 'CREATED'");
    struct tree *done = answer("worker --once");
    assert_int_equal(tree_get_int(done, "codes"), 1);
    assert_int_equal(tree_get_int(done, "errors"), 0);
    assert_int_equal(
        fixture_int(db, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'", number),
        2000);
    tree_free(&done);
    tree_free(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_channels_are_checked),
        cmocka_unit_test(a_booking_opens_its_code),
        cmocka_unit_test(who_may_not_take_it_leaves_nothing_behind),
        cmocka_unit_test(a_walk_in_waits_no_longer_than_the_code),
        cmocka_unit_test(a_code_is_shown_drawn_and_closed),
        cmocka_unit_test(waiting_ends_when_it_is_paid),
        cmocka_unit_test(breaking_off_closes_it),
        cmocka_unit_test(the_worker_does_it_alone),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
