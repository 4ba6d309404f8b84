/* The whole program in a pseudo-terminal on a real server, driven as a clerk drives it. */
#include "stage.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "support/screen.h"

#define LIMIT 20000 /* ms: generous where the time itself is not what is tested */

static struct screen *screen;
static char program[512], password[512];
static int keys; /* pressed since counting began */

/* --- set-up ----------------------------------------------------------------------------------- */

static void find_program(void)
{
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 32);
    assert_true(bytes > 0);
    program[bytes] = '\0';
    for (int up = 0; up < 3; up++)
        *strrchr(program, '/') = '\0';
    strcat(program, "/frontdesk");
}

static int start(void **state)
{
    find_program();
    stage_start(state);
    snprintf(password, sizeof password, "%s/password", stage.fixture.folder);
    FILE *file = fopen(password, "w");
    assert_non_null(file);
    fputs("demo\n", file);
    fclose(file);
    chmod(password, 0600);
    return 0;
}

static int stop(void **state)
{
    return stage_stop(state);
}

static void open_with(const char *language, const char *const *env, int rows, int columns)
{
    const char *argv[] = {program,           "--data", stage.fixture.server.folder,    "--operator", "clerk",
                          "--password-file", password, language ? "--language" : NULL, language,     NULL};
    struct screen_options options = {.argv = argv, .env = env, .rows = rows, .columns = columns};
    screen = screen_open(&options);
}

static void wait_for(const char *text)
{
    if (screen_wait(screen, text, LIMIT))
        return;
    printf("%s\n", screen_text(screen));
    fail_msg("“%s” did not come", text);
}

/* Signed in, the day read, on its first court at the hour that runs. */
static void open_console(void)
{
    stage_reset_today();
    open_with("en", NULL, 0, 0);
    wait_for("taken");
    screen_settle(screen, 100, LIMIT);
}

static int done(void **state)
{
    (void)state;
    screen_close(&screen);
    return 0;
}

/* Keys that count: as names; characters of a text one each. */
static void press(const char *names)
{
    for (const char *at = names; *at;) {
        size_t bytes = strcspn(at, " ");
        if (at[0] == '\'')
            keys += (int)(bytes - 2);
        else if (bytes)
            keys++;
        at += bytes + strspn(at + bytes, " ");
    }
    screen_keys(screen, names);
}

static int count(const char *where)
{
    return (int)fixture_int(stage.db, "SELECT COUNT(*) FROM %s", where);
}

static void restored(void)
{
    assert_false(screen_alternate(screen));
    assert_false(screen_mouse(screen));
    assert_false(screen_paste_mode(screen));
    assert_true(screen_cursor_visible(screen));
    assert_true(screen_cooked(screen));
}

/* --- keystroke budgets ------------------------------------------------------------------------ */

static void walk_in_booking_of_a_known_customer_with_cash_takes_few_keys(void **state)
{
    (void)state;
    open_console();
    keys = 0;
    press("Down Enter");
    wait_for("New booking");
    screen_keys(screen, "'13800001234'"); /* the digits do not count */
    wait_for("王小明");
    press("F2");
    wait_for("Owed");
    press("1 '100' Enter");
    wait_for("change");
    press("Enter");
    wait_for("% sold");
    print_message("walk-in booking with cash: %d keys besides the phone's digits\n", keys);
    assert_true(keys <= 25);
    assert_int_equal(count("reserve_order WHERE user_id = 11 AND status = 'PAID' AND operator = 'clerk'"), 1);
    assert_int_equal(count("payment_record WHERE channel = 'CASH' AND amount = 60 AND tendered = 100"), 1);
}

static void check_in_from_the_grid_takes_six_keys(void **state)
{
    (void)state;
    open_console();
    keys = 0;
    press("c '1234' Enter");
    wait_for("is in:");
    assert_int_equal(keys, 6);
    assert_int_equal(count("reserve_order WHERE user_id = 11 AND status = 'COMPLETED'"), 1);
}

static void find_by_phone_tail_takes_six_keys(void **state)
{
    (void)state;
    open_console();
    keys = 0;
    press("/ '1234' Enter");
    wait_for("9Q3A");
    assert_true(keys <= 6);
    screen_keys(screen, "Esc");
    wait_for("% sold");
}

static void keys_typed_ahead_pay_once(void **state)
{
    (void)state;
    open_console();
    screen_keys(screen, "Down Enter '13712118801' F2 Enter Enter Enter Enter");
    wait_for("taken.");
    screen_settle(screen, 300, LIMIT);
    assert_int_equal(count("payment_record WHERE channel = 'CASH'"), 1);
    assert_int_equal(count("reserve_order WHERE user_id = 12"), 1);
}

/* --- what others do --------------------------------------------------------------------------- */

static void sale_online_shows_and_the_cursor_stays(void **state)
{
    int row, column, row_after, column_after;
    (void)state;
    open_console();
    screen_keys(screen, "Down Down Right");
    screen_settle(screen, 100, LIMIT);
    screen_cursor(screen, &row, &column);
    fixture_sql(
        stage.online,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
        "quantity, total_amount, status, paid_time) SELECT '20261130VB7K3M9Q4Z', 13, venue_id, id, schedule_date, "
        "start_time, end_time, 1, price, 'PAID', NOW() FROM venue_schedule WHERE venue_id = 1 AND "
        "schedule_date = CURDATE() ORDER BY start_time DESC LIMIT 1");
    fixture_sql(stage.online,
                "UPDATE venue_schedule SET remain_count = 0 WHERE venue_id = 1 AND schedule_date = CURDATE() AND "
                "start_time = '23:00'");
    int64_t began = mono_ms();
    screen_keys(screen, "End");
    wait_for("P赵倩");
    int64_t took = mono_ms() - began;
    print_message("a sale online shows after %d ms (goal 2000)\n", (int)took);
    assert_true(took <= 20000);
    screen_keys(screen, "Home");
    screen_settle(screen, 1500, LIMIT); /* some readings later */
    screen_cursor(screen, &row, &column);
    screen_settle(screen, 1500, LIMIT);
    screen_cursor(screen, &row_after, &column_after);
    assert_int_equal(row, row_after);
    assert_int_equal(column, column_after);
}

static void slot_lost_while_the_form_is_open_is_told_with_another(void **state)
{
    (void)state;
    open_console();
    screen_keys(screen, "Down Enter '13712118801'");
    wait_for("孙丽华");
    fixture_sql(stage.online,
                "UPDATE venue_schedule SET remain_count = 0 WHERE venue_id = 1 AND schedule_date = CURDATE()");
    screen_keys(screen, "F2");
    wait_for("Enter takes");
    assert_int_equal(screen_find(screen, "13712118801", NULL) >= 0, 1);
    screen_keys(screen, "Enter F2");
    wait_for("Owed");
    assert_int_equal(count("reserve_order WHERE user_id = 12 AND status = 'PENDING_PAY'"), 1);
    fixture_sql(stage.online,
                "UPDATE venue_schedule SET remain_count = 1 WHERE venue_id = 1 AND schedule_date = CURDATE()");
}

/* --- time ------------------------------------------------------------------------------------- */

static void esc_answers_at_once(void **state)
{
    (void)state;
    open_console();
    screen_keys(screen, "Down Enter");
    wait_for("New booking");
    int64_t began = mono_ms();
    screen_keys(screen, "Esc");
    assert_true(screen_wait_gone(screen, "New booking", LIMIT));
    int64_t took = mono_ms() - began;
    print_message("Esc takes %d ms (goal 50)\n", (int)took);
    assert_true(took < 1000);
}

static void server_that_stands_still_is_told_and_keys_go_on(void **state)
{
    int row, column, row_after;
    (void)state;
    open_console();
    screen_keys(screen, "Home");
    screen_settle(screen, 100, LIMIT);
    screen_cursor(screen, &row, &column);
    pid_t server = server_pid(&stage.fixture.server);
    kill(server, SIGSTOP);
    wait_for("has not answered");
    int64_t began = mono_ms();
    screen_keys(screen, "Down");
    do
        screen_settle(screen, 5, 50);
    while (screen_cursor(screen, &row_after, &column), row_after == row && mono_ms() - began < 5000);
    int64_t took = mono_ms() - began;
    kill(server, SIGCONT);
    print_message("a key takes %d ms while the server stands still (goal 50)\n", (int)took);
    assert_int_equal(row_after, row + 1);
    assert_true(took < 1000);
    assert_true(screen_wait_gone(screen, "has not answered", LIMIT));
    screen_keys(screen, "/ '1234' Enter");
    wait_for("9Q3A");
}

/* --- ends ------------------------------------------------------------------------------------- */

static void ends_by_signal(int number, bool is_fatal)
{
    int status;
    open_console();
    screen_keys(screen, "Down Enter '1380'");
    wait_for("New booking");
    kill(screen_pid(screen), number);
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    if (is_fatal)
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    restored();
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
}

static void term_signal_leaves_the_terminal_as_it_was(void **state)
{
    (void)state;
    ends_by_signal(SIGTERM, false);
}

static void crash_leaves_the_terminal_as_it_was(void **state)
{
    (void)state;
    ends_by_signal(SIGSEGV, true);
}

static void closed_terminal_ends_the_program(void **state)
{
    int status;
    (void)state;
    open_console();
    screen_keys(screen, "Down Enter '1380'");
    wait_for("New booking");
    int64_t began = mono_ms();
    screen_hang_up(screen);
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_true(mono_ms() - began < 5000);
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
}

static void frozen_server_does_not_hold_the_program(void **state)
{
    int status;
    (void)state;
    open_console();
    pid_t server = server_pid(&stage.fixture.server);
    kill(server, SIGSTOP);
    wait_for("has not answered");
    int64_t began = mono_ms();
    kill(screen_pid(screen), SIGTERM);
    bool ended = screen_wait_exit(screen, &status, LIMIT);
    int64_t took = mono_ms() - began;
    kill(server, SIGCONT);
    assert_true(ended);
    print_message("leaving takes %d ms while the server stands still\n", (int)took);
    assert_true(took < 6000);
    restored();
}

static void leaving_asks_and_ends_with_0(void **state)
{
    int status;
    (void)state;
    open_console();
    screen_keys(screen, "q");
    screen_settle(screen, 200, LIMIT);
    screen_keys(screen, "y");
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    restored();
}

/* --- shapes, pastes, environments -------------------------------------------------------------- */

static void every_screen_survives_the_smallest_terminal(void **state)
{
    static const char *const screens[] = {"1", "2", "3", "4", "Esc", "5", "6", "8", "9"};
    (void)state;
    open_console();
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        screen_keys(screen, screens[i]);
        screen_settle(screen, 150, LIMIT);
        char *before = xstrdup(screen_row(screen, 1));
        screen_resize(screen, 1, 1);
        screen_settle(screen, 60, LIMIT);
        screen_resize(screen, 48, 160);
        screen_settle(screen, 60, LIMIT);
        screen_resize(screen, 24, 80);
        screen_settle(screen, 150, LIMIT);
        assert_string_equal(screen_row(screen, 1), before);
        free(before);
    }
    screen_keys(screen, "1");
    wait_for("% sold");
}

static void paste_with_newline_and_q_only_fills_the_field(void **state)
{
    (void)state;
    open_console();
    screen_paste(screen, "a\nq\ry\n");
    screen_settle(screen, 200, LIMIT);
    assert_true(screen_find(screen, "% sold", NULL) >= 0); /* in the grid a paste is nothing */
    screen_keys(screen, "Down Enter Tab");
    wait_for("New booking");
    screen_paste(screen, "Wang\nq Li\n");
    wait_for("Wang q Li");
    assert_true(screen_find(screen, "New booking", NULL) >= 0);
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
}

static void works_without_any_locale(void **state)
{
    static const char *const none[] = {"LANG", "LC_ALL", "LANGUAGE", NULL};
    (void)state;
    stage_reset_today();
    open_with(NULL, none, 0, 0);
    wait_for("1号场");
    wait_for("P王小明");
}

static void no_color_means_no_colours(void **state)
{
    static const char *const env[] = {"NO_COLOR=1", NULL};
    size_t bytes;
    (void)state;
    stage_reset_today();
    open_with("en", env, 0, 0);
    wait_for("P王小明");
    const char *raw = screen_raw(screen, &bytes);
    for (size_t i = 0; i + 2 < bytes; i++) {
        if (raw[i] != '\033' || raw[i + 1] != '[')
            continue;
        size_t length = strspn(raw + i + 2, "0123456789;");
        if (raw[i + 2 + length] != 'm')
            continue;
        for (const char *at = raw + i + 2; at < raw + i + 2 + length; at += strspn(at, "0123456789") + 1) {
            int number = atoi(at);
            if ((number >= 30 && number <= 38) || (number >= 40 && number <= 48) || number >= 90)
                fail_msg("colour %d was sent", number);
        }
    }
}

static void locked_terminal_shows_nobody_and_leads_nowhere(void **state)
{
    (void)state;
    open_console();
    wait_for("王小明");
    screen_keys(screen, "F12");
    wait_for("locked");
    assert_true(screen_wait_gone(screen, "王小明", LIMIT));
    screen_keys(screen, "C-z C-c C-\\ q F10 F9 : Esc - 3");
    screen_settle(screen, 200, LIMIT);
    assert_true(screen_find(screen, "locked", NULL) >= 0);
    assert_true(screen_wait_gone(screen, "王小明", 5000));
    screen_keys(screen, "C-u 'wrong' Enter");
    wait_for("is wrong");
    screen_keys(screen, "'demo' Enter");
    wait_for("王小明");
}

/* --- beginnings ------------------------------------------------------------------------------- */

static void without_a_database_the_start_screen_tries_again(void **state)
{
    int status;
    const char *argv[] = {program, "--socket", "/nonexistent/socket", "--language", "en", NULL};
    (void)state;
    screen = screen_open(&(struct screen_options){.argv = argv});
    wait_for("Trying again in");
    screen_keys(screen, "Enter");
    screen_settle(screen, 100, LIMIT);
    wait_for("Trying again in");
    screen_keys(screen, "q");
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_int_equal(WEXITSTATUS(status), 69);
    restored();
}

static void first_start_makes_the_database_and_the_first_administrator(void **state)
{
    char folder[600];
    (void)state;
    snprintf(folder, sizeof folder, "%s/fresh", stage.fixture.folder);
    const char *argv[] = {program, "--data", folder, "--language", "en", NULL};
    screen = screen_open(&(struct screen_options){.argv = argv});
    assert_true(screen_wait(screen, "private database", LIMIT));
    assert_true(screen_wait(screen, "no operator yet", 120000));
    screen_keys(screen, "Enter 'Chen' Enter 'secret' Enter 'secrat' Enter");
    wait_for("differ");
    screen_keys(screen, "C-u 'secret' Enter");
    wait_for("No slots on this day");
    wait_for("administrator Chen");
}

/* --- the lists -------------------------------------------------------------------------------- */

#define TOMORROW "20261201VBWWWWXYZ9"

static void order_for_tomorrow(void)
{
    fixture_sql(
        stage.db,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
        "quantity, total_amount, unit_price, status, expire_time, operator, terminal) "
        "SELECT '" TOMORROW "', 11, venue_id, id, schedule_date, start_time, end_time, 1, price, price, 'PENDING_PAY', "
        "TIMESTAMP(schedule_date, '09:00:00'), 'clerk', 'desk1' FROM venue_schedule "
        "WHERE venue_id = 1 AND schedule_date = CURDATE() + INTERVAL 1 DAY AND start_time = '10:00'");
    fixture_sql(stage.db, "UPDATE venue_schedule SET remain_count = 0 WHERE id = "
                          "(SELECT schedule_id FROM reserve_order WHERE order_no = '" TOMORROW "')");
}

static void an_order_is_found_moved_paid_and_cancelled_from_the_lists(void **state)
{
    (void)state;
    open_console();
    order_for_tomorrow();
    press("3 /");
    wait_for("Find order:");
    press("'XYZ9' Enter");
    wait_for("1 order, all shown");
    press("Enter");
    wait_for("Order " TOMORROW);
    wait_for("13800001234"); /* the detail shows the whole phone … */
    press("m");
    wait_for("[here");
    press("Down Enter");
    wait_for("It costs");
    press("Tab Enter");
    wait_for("is at 1号场 now");
    assert_int_equal(
        count("reserve_order WHERE order_no = '" TOMORROW "' AND start_time = '11:00' AND status = 'PENDING_PAY'"), 1);
    press("p");
    wait_for("Owed");
    press("1 Enter");
    wait_for("Order " TOMORROW);
    wait_for("paid");
    assert_int_equal(count("reserve_order WHERE order_no = '" TOMORROW "' AND status = 'PAID'"), 1);
    press("d");
    wait_for("goes back in cash");
    press("'rain' Tab 'XYZ9' Tab Tab Enter");
    wait_for("Hand back");
    assert_int_equal(count("reserve_order WHERE order_no = '" TOMORROW "' AND status = 'REFUNDED'"), 1);
    assert_int_equal(count("refund_record WHERE order_no = '" TOMORROW "' AND amount = 60 AND status = 'SUCCESS'"), 1);
    assert_int_equal(
        count("venue_schedule WHERE venue_id = 1 AND schedule_date = CURDATE() + INTERVAL 1 DAY AND remain_count <> 1"),
        0);
    /* … and the log says that it was seen. */
    assert_int_equal(count("operation_log WHERE entity = 'customer' AND entity_no = '11'"), 1);
}

static void every_list_opens_on_its_key(void **state)
{
    static const char *const screens[][2] = {{"2", "Arrivals"}, {"3", "Orders"}, {"5", "Customers"},     {"6", "Slots"},
                                             {"8", "Log"},      {"9", "Setup"},  {"Enter", "Parameters"}};
    (void)state;
    open_console();
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        press(screens[i][0]);
        wait_for(screens[i][1]);
        screen_settle(screen, 50, LIMIT);
        assert_true(screen_cursor_visible(screen));
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    i18n_start(argv[0]);
#define END_TO_END(test) cmocka_unit_test_teardown(test, done)
    const struct CMUnitTest tests[] = {
        END_TO_END(walk_in_booking_of_a_known_customer_with_cash_takes_few_keys),
        END_TO_END(check_in_from_the_grid_takes_six_keys),
        END_TO_END(find_by_phone_tail_takes_six_keys),
        END_TO_END(keys_typed_ahead_pay_once),
        END_TO_END(an_order_is_found_moved_paid_and_cancelled_from_the_lists),
        END_TO_END(every_list_opens_on_its_key),
        END_TO_END(sale_online_shows_and_the_cursor_stays),
        END_TO_END(slot_lost_while_the_form_is_open_is_told_with_another),
        END_TO_END(esc_answers_at_once),
        END_TO_END(server_that_stands_still_is_told_and_keys_go_on),
        END_TO_END(term_signal_leaves_the_terminal_as_it_was),
        END_TO_END(crash_leaves_the_terminal_as_it_was),
        END_TO_END(closed_terminal_ends_the_program),
        END_TO_END(frozen_server_does_not_hold_the_program),
        END_TO_END(leaving_asks_and_ends_with_0),
        END_TO_END(every_screen_survives_the_smallest_terminal),
        END_TO_END(paste_with_newline_and_q_only_fills_the_field),
        END_TO_END(works_without_any_locale),
        END_TO_END(no_color_means_no_colours),
        END_TO_END(locked_terminal_shows_nobody_and_leads_nowhere),
        END_TO_END(without_a_database_the_start_screen_tries_again),
        END_TO_END(first_start_makes_the_database_and_the_first_administrator),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
