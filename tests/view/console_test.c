/* The console's views on a real server, without a terminal: what a clerk does and what others do meanwhile. */
#include "stage.h"
#include "ui/app/app_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "support/proxy.h"
#include "support/sandbox.h"

static int count(const char *where)
{
    return (int)fixture_int(stage.db, "SELECT COUNT(*) FROM %s", where);
}

static int open_clerk(void **state)
{
    (void)state;
    stage_reset();
    stage_open("en", 80, 24, "clerk");
    return 0;
}

static int close_clerk(void **state)
{
    (void)state;
    stage_close();
    return 0;
}

/* --- booking ---------------------------------------------------------------------------------- */

static void keys_typed_ahead_reach_the_payment_and_pay_once(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter '13712118801' F2 Enter Enter Enter Enter");
    stage_expect("taken.");
    assert_int_equal(count("payment_record WHERE channel = 'CASH'"), 1);
    assert_int_equal(count("reserve_order WHERE user_id = 12 AND operator = 'clerk' AND status = 'PAID'"), 1);
}

static void walk_in_customer_must_pay_at_once(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | C-s");
    stage_expect("paid at once");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    stage_type("F2");
    stage_expect("Walk-in");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    stage_type("Esc");
    stage_expect("New booking");
    stage_type("F2 | Enter");
    stage_expect("Ticket");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND walk_in = 1 AND status = 'PAID'"), 1);
}

/* To book is allowed, to take money by this way is not: nothing is held for a code that will not be shown. */
static void who_may_not_take_it_so_holds_nothing(void **state)
{
    (void)state;
    struct sandbox sandbox;
    struct fd_error err = {0};
    stage_reset();
    char *folder = xprintf("%s/sandbox", stage.fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    must(config_set(stage.config, CONFIG_CHANNELS, sandbox.channels, &err));
    fixture_sql(stage.db, "DELETE FROM role_action WHERE role = 'clerk' AND action = 'pay.wechat'");
    stage_open("en", 80, 24, "clerk");
    stage_type("Down Down Down Enter | F2 | '2' | Enter |");
    stage_expect("may not do this (pay.wechat)");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    /* Nothing that was chosen is lost. */
    fixture_sql(stage.db, "INSERT INTO role_action (role, action) VALUES ('clerk', 'pay.wechat')");
    stage_type("Enter |");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND walk_in = 1"), 1);
    /* What the channel says to it depends on the real time: the desk's clock stands. */
    assert_int_equal(count("pay_allocation a JOIN reserve_order o ON o.order_no = a.order_no WHERE o.walk_in = 1 AND "
                           "o.operator = 'clerk'"),
                     1);
    stage_close();
    must(config_set(stage.config, CONFIG_CHANNELS, "", &err));
    sandbox_stop(&sandbox);
    free(folder);
}

static void customer_without_a_hold_left_may_still_pay_at_once(void **state)
{
    (void)state;
    for (int hour = 13; hour < 16; hour++)
        fixture_sql(stage.online,
                    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                    "end_time, quantity, "
                    "total_amount, status, expire_time) SELECT '20261201VBHELD%d', 13, venue_id, id, schedule_date, "
                    "start_time, "
                    "end_time, 1, price, 'PENDING_PAY', '2026-12-01 12:00:00' FROM venue_schedule WHERE id = %d",
                    hour, (int)stage_slot(2, hour));
    stage_type("Down Down Down Enter | '13900007713' C-s");
    stage_expect("unpaid");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    stage_type("F2 | Enter");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND status = 'PAID'"), 1);
}

static void several_slots_become_one_bill(void **state)
{
    (void)state;
    stage_type("Down Down Down Space Space Enter");
    stage_expect("120.00");
    stage_type("'13900007713' | F2");
    stage_expect("bill");
    stage_type("Enter");
    stage_expect("taken.");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND status = 'PAID'"), 2);
    assert_int_equal(
        fixture_int(stage.db, "SELECT COUNT(DISTINCT bill_no) FROM reserve_order WHERE operator = 'clerk'"), 1);
    assert_false(stage_has("chosen")); /* the cart is empty again */
}

static enum fd_code read_long(struct desk *desk, void *arg, struct fd_error *why)
{
    (void)arg;
    enum fd_code code = db_run(desk->db, "DO SLEEP(30)", why);
    db_rollback(desk->db);
    return code;
}

/* The number of the first connection means nothing to the server any more, or somebody else. */
static void a_read_is_stopped_on_a_connection_that_was_made_anew(void **state)
{
    (void)state;
    int64_t first = db_connection_id(jobs_desk(stage.console.jobs)->db);
    fixture_sql(stage.db, "KILL %" PRId64, first);
    stage_type("F5");
    assert_int_not_equal(db_connection_id(jobs_desk(stage.console.jobs)->db), first);
    int64_t begin = mono_ms();
    jobs_post(stage.console.jobs, &stage, &(struct job){.name = "sleep", .kind = JOB_READ, .run = read_long});
    sleep_ms(300);
    assert_true(jobs_cancel(stage.console.jobs));
    assert_true(jobs_wait(stage.console.jobs, 40000));
    assert_in_range(mono_ms() - begin, 300, 8000);
}

/* As the help says: back, and leave at the first level. */
static void q_goes_back_first_and_then_asks_to_leave(void **state)
{
    (void)state;
    stage_type("Down Down Down Space");
    stage_expect("chosen");
    stage_type("q");
    assert_false(stage_has("chosen"));
    assert_false(stage_has("Leave frontdesk"));
    stage_type("q");
    stage_expect("Leave frontdesk");
    stage_type("Esc");
}

/* "12-03" in a cell of the grid of 3 December would say nothing. */
static void a_hold_on_another_day_shows_its_hour_there(void **state)
{
    (void)state;
    fixture_sql(stage.db,
                "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, remain_count, price) "
                "VALUES (99901, 1, '2026-12-03', '20:00', '21:00', 1, 0, 60)");
    fixture_sql(stage.db, "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, quantity, "
                          "total_amount, status, expire_time) VALUES ('20261203VBLATER1', 13, 1, 99901, '2026-12-03', '20:00', '21:00', 1, 60, "
                          "'PENDING_PAY', '2026-12-03 19:45:00')");
    stage_type("F7 '12-03' Enter");
    stage_expect("H 19:45");
    assert_false(stage_has("H 12-03"));
}

static void quantity_is_typed_on_the_line(void **state)
{
    (void)state;
    stage_type("s | Down Enter | Up 3");
    stage_expect("135.00");
    stage_type("+ - Tab '13900007713' | C-s");
    stage_expect("Booked");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND quantity = 3 AND total_amount = 135"), 1);
    assert_int_equal(fixture_int(stage.db, "SELECT remain_count FROM venue_schedule WHERE id = 911"), 5);
}

static void another_item_is_added_from_the_list(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | F4");
    stage_expect("Add to this booking");
    stage_type("End Home '球' Enter");
    stage_expect("70.00");
}

static void form_over_which_one_searches_stays_as_it_is(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713' | Tab Tab Tab 'left court' F3 '1234' Enter");
    stage_expect("Orders");
    stage_type("Esc");
    stage_expect("left court");
    stage_expect("13900007713");
    stage_type("Esc");
    stage_expect("Leave this booking?");
    stage_type("Enter"); /* the safe answer comes first */
    stage_expect("left court");
}

static void phone_tail_finds_the_customer(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '7713' Enter");
    stage_expect("13900007713");
    stage_expect("赵倩");
}

/* --- money ------------------------------------------------------------------------------------ */

static void less_than_owed_is_taken_only_on_a_second_enter(void **state)
{
    (void)state;
    stage_type("4 | '9Q2X' Enter | 1 '30' Enter");
    stage_expect("are missing");
    assert_int_equal(count("payment_record WHERE channel = 'CASH'"), 0);
    stage_type("Enter");
    stage_expect("still owed");
    assert_int_equal(count("payment_record WHERE channel = 'CASH' AND amount = 30"), 1);
    assert_int_equal(
        count("reserve_order WHERE order_no = '20261201VB7K3M9Q2X' AND status = 'PENDING_PAY' AND paid_amount = 30"),
        1);
}

static void card_needs_the_slip(void **state)
{
    (void)state;
    stage_type("4 | '9Q2X' Enter | 4 Enter");
    stage_expect("is needed");
    assert_int_equal(count("payment_record WHERE channel = 'CARD'"), 0);
    stage_type("'8812' Enter");
    assert_int_equal(count("payment_record WHERE channel = 'CARD' AND reference = '8812'"), 1);
    assert_int_equal(count("reserve_order WHERE order_no = '20261201VB7K3M9Q2X' AND status = 'PAID'"), 1);
}

static void unpaid_order_is_found_by_phone(void **state)
{
    (void)state;
    stage_type("4 | '2233' Enter");
    stage_expect("吴敏");
    stage_type("Enter");
    assert_int_equal(count("reserve_order WHERE order_no = '20261201VB7K3M9Q2H' AND status = 'PAID'"), 1);
}

static void change_stays_in_sight_until_a_key(void **state)
{
    (void)state;
    stage_type("4 | '9Q2X' Enter | 1 '100' Enter");
    stage_expect("change ¥20.00");
    stage_expect("Done");
    stage_type("Enter");
    stage_expect("Take payment for an order");
}

static void pay_and_go_in_is_one_step(void **state)
{
    (void)state;
    stage_type("4 | '9Q2H' Enter | F2");
    assert_int_equal(count("reserve_order WHERE order_no = '20261201VB7K3M9Q2H' AND status = 'COMPLETED'"), 1);
}

/* --- check-in --------------------------------------------------------------------------------- */

static void several_orders_with_one_tail_are_offered(void **state)
{
    (void)state;
    stage_type("c '8801' Enter");
    if (stage_has("Who comes in?"))
        stage_type("Enter");
    stage_expect("is in:");
    assert_int_equal(count("reserve_order WHERE user_id = 12 AND status = 'COMPLETED'"), 1);
}

static void unpaid_one_is_led_to_the_payment(void **state)
{
    (void)state;
    stage_type("c '9Q2H' Enter");
    stage_expect("Not paid yet");
    stage_type("t");
    stage_expect("Owed");
}

static void enter_alone_checks_in_the_order_under_the_cursor(void **state)
{
    (void)state;
    stage_type("Down Right c Enter");
    stage_expect("is in:");
    assert_int_equal(count("reserve_order WHERE order_no = '20261130VB7K3M9Q2D' AND status = 'COMPLETED'"), 1);
}

/* --- the grid --------------------------------------------------------------------------------- */

static void what_changed_is_marked_and_the_cursor_stays(void **state)
{
    (void)state;
    stage_type("Down Down Right Right");
    int row = stage.canvas.cursor_row, column = stage.canvas.cursor_column;
    fixture_sql(stage.online, "UPDATE venue_schedule SET remain_count = 0 WHERE id = %d", (int)stage_slot(4, 14));
    fixture_sql(stage.online, "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, price) "
                              "VALUES (1, '2026-12-01', '06:00', '07:00', 60)");
    stage_type("F5");
    assert_int_equal(stage.canvas.cursor_row, row + 1); /* an hour more above: the same slot, one row lower */
    assert_int_equal(stage.canvas.cursor_column, column);
    fixture_sql(stage.online, "UPDATE venue_schedule SET remain_count = 0 WHERE id = %d", (int)stage_slot(4, 15));
    stage_type("F5");
    stage_expect("!");
    fixture_sql(stage.online, "DELETE FROM venue_schedule WHERE start_time = '06:00'");
}

static void taken_slot_says_what_can_be_asked(void **state)
{
    (void)state;
    fixture_sql(stage.online, "UPDATE venue_schedule SET remain_count = 0 WHERE id = %d", (int)stage_slot(1, 13));
    stage_type("F5 | Down Down Down Enter");
    stage_expect("taken");
    stage_type("w");
    stage_expect("Why");
}

static void day_and_sport_are_chosen(void **state)
{
    (void)state;
    stage_type("] | ]");
    stage_expect("12-03");
    stage_expect("No slots");
    stage_type("t");
    stage_expect("today");
    stage_type("g '12-05' Enter");
    stage_expect("12-05");
    stage_type("g 'nonsense' Enter");
    stage_expect("nonsense"); /* the line stays open with what was typed */
}

/* --- the : line and operators ----------------------------------------------------------------- */

static void line_runs_the_actions_of_the_tables(void **state)
{
    (void)state;
    stage_type(": 'order cancel 9Q2X --reason \"rain\"' Enter");
    assert_int_equal(count("reserve_order WHERE order_no = '20261201VB7K3M9Q2X' AND status = 'CANCELLED'"), 1);
    stage_type(": 'operator list' Enter");
    stage_expect("may not do this");
    stage_type(": 'o 9Q2D' Enter");
    stage_expect("孙丽华");
    stage_type(": 'day 12-05' Enter");
    stage_expect("12-05");
    stage_type(": 'pay 9Q2H' Enter");
    stage_expect("Owed");
}

static void line_points_at_the_word_it_does_not_know(void **state)
{
    (void)state;
    stage_type(": 'order cancel 9Q2X --bogus' Enter");
    stage_expect("--bogus");
    assert_int_equal(stage_row_of(":order cancel 9Q2X --bogus"), 22);
    stage_type("Esc");
    stage_type(": 'bogus' Enter");
    stage_expect("bogus");
}

static void another_operator_finds_nothing_of_the_one_before(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713' | F12");
    stage_expect("locked");
    assert_false(stage_has("13900007713"));
    stage_type("S-Tab");
    stage_type("C-u 'admin' Enter 'demo' Enter");
    assert_string_equal(stage.console.operator, "admin");
    assert_false(stage_has("13900007713"));
    stage_expect("sold");
}

static void lock_gives_back_what_was_half_done(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713' | F12 'demo' Enter");
    stage_expect("13900007713");
}

static void read_only_console_changes_nothing(void **state)
{
    struct fd_error err;
    (void)state;
    must(config_set(stage.config, CONFIG_READONLY, "yes", &err));
    stage_type("Down Down Down Enter | '13900007713' | C-s");
    stage_expect("read-only");
    stage_type("F2");
    stage_expect("read-only");
    stage_type("1 | c '9Q2D' Enter");
    stage_expect("read-only");
    stage_type(": 'order cancel 9Q2X --reason rain' Enter");
    stage_expect("read-only");
    must(config_set(stage.config, CONFIG_READONLY, "no", &err));
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    assert_int_equal(count("operation_log WHERE entity = 'venue_order'"), 0);
}

/* --- the link breaks -------------------------------------------------------------------------- */

static struct proxy proxy;

static int open_through_proxy(void **state)
{
    struct fd_error err;
    char socket[128];
    (void)state;
    snprintf(socket, sizeof socket, "%s/proxy", stage.fixture.folder);
    proxy_start(&proxy, socket, stage.fixture.server.socket);
    must(config_set(stage.config, CONFIG_SOCKET, socket, &err));
    must(config_set(stage.config, CONFIG_USER, fixture_target(&stage.fixture).user, &err));
    stage_reset();
    stage_open("en", 80, 24, "clerk");
    return 0;
}

static int close_proxy(void **state)
{
    struct fd_error err;
    (void)state;
    stage_close();
    must(config_set(stage.config, CONFIG_SOCKET, "", &err));
    must(config_set(stage.config, CONFIG_USER, "", &err));
    proxy_stop(&proxy);
    return 0;
}

/* Until a message begins so, while jobs come and go. */
static void wait_message(const char *text)
{
    const struct input wake = {.kind = INPUT_WAKE};
    int64_t until = mono_ms() + 60000;
    while (!strstr(app_message_text(stage.app), text) && mono_ms() < until) {
        sleep_ms(20);
        app_input(stage.app, &wake);
    }
    assert_non_null(strstr(app_message_text(stage.app), text));
}

static void answer_lost_at_commit_books_once(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713'");
    atomic_store(&proxy.control->cut_after, 1);
    stage_type("C-s");
    stage_expect("Booked");
    assert_int_equal(atomic_load(&proxy.control->was_cut_after), 1);
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 1);
}

static void unknown_outcome_is_checked_until_it_is_known(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713'");
    atomic_store(&proxy.control->cut_after, 1);
    atomic_store(&proxy.control->refuse, 1); /* and there is no other way to the server */
    app_type(stage.app, "C-s");
    wait_message("Checking");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 1); /* it was done, nobody knows yet */
    app_type(stage.app, "C-s Esc");                                       /* neither again nor away */
    atomic_store(&proxy.control->refuse, 0);
    wait_message("Booked");
    stage_settle();
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 1);
    stage_expect("sold");
}

static void what_was_typed_outlives_the_database(void **state)
{
    (void)state;
    stage_type("Down Down Down Enter | '13900007713' | Tab Tab Tab 'left court'");
    atomic_store(&proxy.control->refuse, 1);
    atomic_fetch_add(&proxy.control->cut_all, 1);
    app_type(stage.app, "C-s");
    assert_true(jobs_wait(stage.console.jobs, 60000));
    stage_settle();
    stage_expect("left court");
    stage_expect("13900007713");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk'"), 0);
    atomic_store(&proxy.control->refuse, 0);
    stage_type("C-s");
    stage_expect("Booked");
    assert_int_equal(count("reserve_order WHERE operator = 'clerk' AND note = 'left court'"), 1);
}

/* --- anything may be typed -------------------------------------------------------------------- */

/* Every unit of stock is where the orders say it is. */
static void stock_adds_up(void)
{
    assert_int_equal(
        fixture_int(stage.db,
                    "SELECT COUNT(*) FROM (SELECT s.id FROM venue_schedule s LEFT JOIN reserve_order o ON "
                    "o.schedule_id = s.id AND o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING') "
                    "GROUP BY s.id, s.total_count, s.remain_count HAVING s.remain_count + COALESCE(SUM(o.quantity), 0) "
                    "<> s.total_count) broken"),
        0);
}

static void random_keys_break_nothing(void **state)
{
    static const char *const names[] = {
        "Enter", "Enter", "Enter", "Esc",  "Esc", "Tab",   "S-Tab", "Up",  "Down", "Left", "Right", "PgUp",
        "PgDn",  "Home",  "End",   "BkSp", "Del", "Space", "F1",    "F2",  "F2",   "F3",   "F4",    "F5",
        "F6",    "F7",    "F8",    "F9",   "C-s", "C-u",   "C-a",   "C-k", "a",    "c",    "d",     "e",
        "f",     "m",     "n",     "o",    "p",   "s",     "t",     "u",   "v",    "w",    "x",     "y",
        "+",     "-",     "#",     "$",    "*",   "<",     ">",     "[",   "]",    "/",    ":",     "0",
        "1",     "2",     "3",     "4",    "5",   "6",     "8",     "9",   "中",
    };
    static const char *const texts[] = {"13800001234",  "1234", "9Q2X", "+1", "18-20",     "80.5",
                                        "\x1b]0;x\x07", "';--", "%",    "王", "order list"};
    static const int shapes[][2] = {{80, 24}, {120, 30}, {160, 48}};
    (void)state;
    unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 20261201;
    int steps = getenv("STEPS") ? atoi(getenv("STEPS")) : 2500;
    print_message("seed %u, %d keys\n", seed, steps);
    for (int i = 0; i < steps; i++) {
        if (i % 100 == 0) {
            int shape = rand_r(&seed) % 3;
            canvas_resize(&stage.canvas, shapes[shape][1], shapes[shape][0]);
        }
        if (rand_r(&seed) % 8 == 0) {
            const struct input paste = {.kind = INPUT_PASTE,
                                        .paste = texts[(size_t)rand_r(&seed) % (sizeof texts / sizeof texts[0])]};
            app_input(stage.app, &paste);
        } else {
            app_type(stage.app, names[(size_t)rand_r(&seed) % (sizeof names / sizeof names[0])]);
        }
        if (rand_r(&seed) % 4 == 0)
            stage_settle();
        if (!app_is_running(stage.app) || app_is_covered(stage.app)) /* it may leave, or sign out */
            stage_open("en", 80, 24, "admin");
    }
    stage_settle();
    stock_adds_up();
    assert_true(count("operation_log WHERE entity = 'venue_order'") > 0); /* else nothing was tried */
}

/* --- keys and labels -------------------------------------------------------------------------- */

static void key_tables_are_sound_in_both_languages(void **state)
{
    static const struct view_ops *const views[] = {
        &view_grid, &view_arrivals, &view_orders, &view_pay,       &view_customers, &view_schedules,
        &view_log,  &view_setup,    &view_lock,   &view_sign_in,   &view_booking,   &view_order,
        &view_move, &view_customer, &view_params, &view_operators, &view_text};
    static const char *const languages[] = {"en", "zh_CN"};
    char why[200];
    (void)state;
    for (size_t language = 0; language < 2; language++) {
        i18n_switch(languages[language]);
        for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
            if (views[i]->keys && !keymap_is_sound(views[i]->keys, why, sizeof why))
                fail_msg("%s in %s: %s", views[i]->name, languages[language], why);
    }
    i18n_switch("en");
}

/* The picture without message line and key bar: what a key that does nothing leaves as it is. */
static char *body_text(void)
{
    char *text = stage_text();
    char *end = text;
    for (int row = 0; row < stage.canvas.rows - 3 && *end; row++)
        end += strcspn(end, "\n") + 1;
    *end = '\0';
    return text;
}

/* Presses an F-key; true where something came of it. */
static bool key_works(int n)
{
    char name[8];
    struct view *view = app_top(stage.app);
    int64_t asked_ms = view->asked_ms;
    char *before = body_text();
    sleep_ms(2);
    app_message_clear(stage.app);
    fit_printf(name, "F%d", n);
    app_type(stage.app, name);
    bool works = app_top(stage.app) != view || (view->ops->load && view->asked_ms != asked_ms) ||
                 stage.app->dialog_count > 0 || stage.app->prompt_view || view_busy(view);
    stage_settle();
    char *after = body_text();
    bool told = stage.app->message.text[0] && !strstr(stage.app->message.text, "Nothing for this key");
    works = works || told || strcmp(before, after) != 0;
    free(before);
    free(after);
    return works;
}

static void the_key_bar_shows_what_works_here_and_nothing_else(void **state)
{
    static const char *const pages[] = {
        "", "Down Down w", "F1", "2", "3", "3 | Enter", "3 | e", "3 | f", "3 | f | Tab Tab", "3 | m", "4", "5", "5 | Enter",
        "5 | Enter | e", "6", "6 | a", "7", "7 | a", "8", "8 | Enter", "9", "9 Enter", "9 Down Enter",
        ": 'cases' Enter |", ": 'approvals' Enter |", ": 'printer' Enter |", ": 'order list' Enter |"};
    int wrong = 0;
    (void)state;
    stage_open("en", 80, 24, "admin");
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        for (int n = 2; n <= 8; n++) {
            stage_home();
            stage_type(pages[i]);
            const struct bar_key key = stage.app->keys_shown[n - 1];
            if (key.off || (n == 8 && key.request == REQ_CLEAR)) /* an empty form is clear */
                continue;
            bool works = key_works(n);
            if (works == (key.label != NULL))
                continue;
            printf("“%s”: F%d %s %s\n", pages[i], n, key.label ? key.label : "is empty and",
                   works ? "does something" : "does nothing");
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

static void f4_is_offered_where_the_field_has_a_list(void **state)
{
    (void)state;
    stage_open("en", 80, 24, "admin");
    stage_type("3 / | '9Q2D' Enter | Enter | x |"); /* on the reason */
    stage_expect("Can go back");
    assert_non_null(stage.app->keys_shown[3].label);
    assert_true(stage.app->keys_shown[3].off);
    stage_type("S-Tab"); /* the way it goes */
    assert_false(stage.app->keys_shown[3].off);
    stage_type("F4");
    stage_expect("in cash");
}

int main(int argc, char **argv)
{
    (void)argc;
    i18n_start(argv[0]);
#define THROUGH_PROXY(test) cmocka_unit_test_setup_teardown(test, open_through_proxy, close_proxy)
#define WITH_CLERK(test)    cmocka_unit_test_setup_teardown(test, open_clerk, close_clerk)
    const struct CMUnitTest tests[] = {
        WITH_CLERK(keys_typed_ahead_reach_the_payment_and_pay_once),
        WITH_CLERK(walk_in_customer_must_pay_at_once),
        cmocka_unit_test(who_may_not_take_it_so_holds_nothing),
        WITH_CLERK(customer_without_a_hold_left_may_still_pay_at_once),
        WITH_CLERK(several_slots_become_one_bill),
        WITH_CLERK(a_read_is_stopped_on_a_connection_that_was_made_anew),
        WITH_CLERK(q_goes_back_first_and_then_asks_to_leave),
        WITH_CLERK(a_hold_on_another_day_shows_its_hour_there),
        WITH_CLERK(quantity_is_typed_on_the_line),
        WITH_CLERK(another_item_is_added_from_the_list),
        WITH_CLERK(form_over_which_one_searches_stays_as_it_is),
        WITH_CLERK(phone_tail_finds_the_customer),
        WITH_CLERK(less_than_owed_is_taken_only_on_a_second_enter),
        WITH_CLERK(card_needs_the_slip),
        WITH_CLERK(unpaid_order_is_found_by_phone),
        WITH_CLERK(change_stays_in_sight_until_a_key),
        WITH_CLERK(pay_and_go_in_is_one_step),
        WITH_CLERK(several_orders_with_one_tail_are_offered),
        WITH_CLERK(unpaid_one_is_led_to_the_payment),
        WITH_CLERK(enter_alone_checks_in_the_order_under_the_cursor),
        WITH_CLERK(what_changed_is_marked_and_the_cursor_stays),
        WITH_CLERK(taken_slot_says_what_can_be_asked),
        WITH_CLERK(day_and_sport_are_chosen),
        WITH_CLERK(line_runs_the_actions_of_the_tables),
        WITH_CLERK(line_points_at_the_word_it_does_not_know),
        WITH_CLERK(another_operator_finds_nothing_of_the_one_before),
        WITH_CLERK(read_only_console_changes_nothing),
        WITH_CLERK(lock_gives_back_what_was_half_done),
        THROUGH_PROXY(answer_lost_at_commit_books_once),
        THROUGH_PROXY(unknown_outcome_is_checked_until_it_is_known),
        THROUGH_PROXY(what_was_typed_outlives_the_database),
        WITH_CLERK(random_keys_break_nothing),
        WITH_CLERK(f4_is_offered_where_the_field_has_a_list),
        WITH_CLERK(the_key_bar_shows_what_works_here_and_nothing_else),
        cmocka_unit_test(key_tables_are_sound_in_both_languages),
    };
    return cmocka_run_group_tests(tests, stage_start, stage_stop);
}
