/* A clerk at the lists: what keys do to the database, what is said before and after, what a refusal
 * leaves. On a real server, without a terminal. The clock stands at 2026-12-01 10:42:07. */
#include "clerk_kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *selected(void)
{
    return view_selected_order(app_top(stage.app));
}

/* --- finding --- */

static void four_digits_find_by_phone_tail_and_by_order_tail(void **state)
{
    (void)state;
    at("clerk");
    fixture_sql(stage.db, "UPDATE reserve_order SET order_no = 'ONLINE991234' WHERE order_no = '20261130VB7K3M9Q2L'");
    stage_type("3 / | '1234' Enter");
    stage_expect("phone or order …1234");
    stage_expect("9Q2X");                         /* of the phone 138 0000 1234 */
    stage_expect("1234 12-01 18:00–19:00 2号场"); /* the number's tail, of somebody else */
    assert_false(stage_has("9Q2M"));
    stage_type("Esc");
    stage_expect("Orders  today");
    stage_close();
}

static void a_filter_goes_to_the_database_and_into_the_title(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 | f | Right Right F2");
    stage_expect("Orders  today · unpaid");
    stage_expect("9Q2G");
    assert_false(stage_has("P paid"));
    stage_close();
}

static void a_filter_that_makes_no_sense_is_refused_in_its_field(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 | f | Tab '12-05' Tab '12-01' F2");
    stage_expect("The last day is before the first.");
    stage_type("Tab '13x' F2");
    stage_expect("12-05");
    stage_close();
}

static void a_long_list_is_walked_to_its_end_and_back(void **state)
{
    (void)state;
    at("clerk");
    for (int i = 0; i < 230; i++)
        fixture_sql(stage.db,
                    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                    "end_time, total_amount, status) "
                    "VALUES ('LONG%04d', 11, 9, 921, '2026-12-01', '21:00', '22:00', 45, 'CANCELLED')",
                    i);
    stage_type("3");
    stage_expect("Orders 1 to 100, more below");
    stage_type("End | | End | | End |");
    stage_expect("244 orders, all shown");
    assert_string_equal(selected(), "20261130VB7K3M9Q2A");
    stage_type("Home");
    assert_string_equal(selected(), "LONG0229");
    stage_close();
}

static void a_list_shown_whole_is_sorted_and_esc_gives_the_order_back(void **state) {
    (void)state;
    at("clerk");
    stage_type("3 | > > Home");
    assert_string_equal(selected(), "20261130VB7K3M9Q2C"); /* 08:00 */
    stage_type("r Home");
    assert_string_equal(selected(), "20261201VB7K3M9Q2X"); /* 19:00 */
    stage_type("F5 | Home");
    assert_string_equal(selected(), "20261201VB7K3M9Q2X");
    stage_type("Esc | Home");
    assert_string_equal(selected(), "20261130VB7K3M9Q2N");
    stage_close();
}

static void a_list_that_goes_on_is_not_sorted(void **state) {
    (void)state;
    at("clerk");
    for (int i = 0; i < 120; i++)
        fixture_sql(stage.db,
                    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, total_amount, status) "
                    "VALUES ('LONG%04d', 11, 9, 921, '2026-12-01', '21:00', '22:00', 45, 'CANCELLED')",
                    i);
    stage_type("3 | >");
    stage_expect("Only a list that is shown whole can be sorted");
    assert_string_equal(selected(), "LONG0119");
    stage_close();
}

static void the_mouse_chooses_a_row_and_opens_it(void **state) {
    struct input click = {.kind = INPUT_MOUSE, .mouse = MOUSE_CLICK, .column = 20};
    (void)state;
    at("clerk");
    stage_type("3");
    click.row = stage_row_of("9Q2L");
    app_input(stage.app, &click);
    stage_settle();
    assert_string_equal(selected(), "20261130VB7K3M9Q2L");
    click.mouse = MOUSE_DOUBLE;
    app_input(stage.app, &click);
    stage_settle();
    stage_expect("Order 20261130VB7K3M9Q2L");
    stage_close();
}

static void the_mouse_works_in_forms_and_in_the_move_grid(void **state) {
    struct input click = {.kind = INPUT_MOUSE, .mouse = MOUSE_CLICK};
    (void)state;
    at("clerk");
    stage_type("5 | a |");
    click.row = stage_row_of("Name");
    click.column = 14;
    app_input(stage.app, &click);
    stage_type("'Li'");
    stage_expect("Name   [Li ");
    stage_type("Esc | Tab Enter |");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | m |");
    click.row = stage_row_of("15:00");
    click.column = 30;
    app_input(stage.app, &click);
    stage_settle();
    stage_expect("3号场 15:00–16:00");
    stage_close();
}

static void beside_a_list_phones_stay_masked_and_nothing_is_logged(void **state) {
    (void)state;
    stage_reset();
    stage_open("en", 120, 30, "clerk");
    stage_type("3 / | '9Q2X' Enter |");
    stage_expect("20261201VB7K3M9Q2X");
    assert_false(stage_has("13800001234"));
    stage_type("5 / | '1234' Enter |");
    stage_expect("came 2");
    assert_false(stage_has("13800001234"));
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer'"), 0);
    stage_close();
}

static void read_only_shows_no_whole_phone_because_nothing_can_be_logged(void **state) {
    struct fd_error err;
    (void)state;
    at("clerk");
    must(config_set(stage.config, CONFIG_READONLY, "yes", &err));
    stage_type("3 / | '9Q2X' Enter | Enter |");
    stage_expect("138****1234");
    assert_false(stage_has("13800001234"));
    stage_type("u |");
    assert_false(stage_has("13800001234"));
    stage_type("Esc | d | Tab Enter |");
    stage_expect("read-only");
    must(config_set(stage.config, CONFIG_READONLY, "no", &err));
    assert_string_equal(state_of("20261201VB7K3M9Q2X"), "PENDING_PAY");
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer'"), 0);
    stage_close();
}

static void another_writer_is_seen_and_marked(void **state) {
    struct buf styles = {0};
    (void)state;
    at("clerk");
    stage_type("3 | Down");
    fixture_sql(stage.online, "UPDATE reserve_order SET status = 'COMPLETED' WHERE order_no = '20261130VB7K3M9Q2N'");
    stage_type("F5 |");
    stage_expect("9Q2N 12-01 12:00–13:00 泳池      周强      134****8866 I checked in");
    canvas_dump_styles(&stage.canvas, &styles);
    assert_non_null(strchr(buf_text(&styles), 'c')); /* STYLE_CHANGED */
    buf_release(&styles);
    stage_close();
}

static void lists_mask_phones_and_the_detail_shows_and_logs_it_once(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3");
    stage_expect("138****1234");
    assert_false(stage_has("13800001234"));
    stage_type("2 f | 'rest' Enter");
    assert_false(stage_has("13800001234"));
    stage_type("5");
    stage_expect("138****1234");
    assert_false(stage_has("13800001234"));
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE action LIKE '%%show%%'"), 0);
    stage_type("3 / | '9Q2X' Enter | Enter |");
    stage_expect("13800001234");
    stage_type("F5 | F5 |");
    assert_int_equal(
        fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer' AND entity_no = '11'"), 1);
    stage_close();
}

/* --- acting --- */

static void cancel_then_enter_changes_nothing(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | d |");
    stage_expect("Nothing was paid. The place is free again.");
    stage_type("Enter |");
    assert_string_equal(state_of(NUMBER), "PENDING_PAY");
    assert_int_equal(log_rows("cancel"), 0);
    stage_close();
}

static void cancelling_an_unpaid_order_gives_its_place_back(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    assert_int_equal(places_left(313), 0);
    stage_type("3 | d | Tab Enter |");
    stage_expect("is cancelled, its place is free");
    assert_string_equal(state_of(NUMBER), "CANCELLED");
    assert_int_equal(places_left(313), 1);
    stage_close();
}

static void cancelling_a_cash_paid_order_needs_reason_and_tail_and_hands_back(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 315, 14, "CASH");
    stage_type("3 | d |");
    stage_expect("60.00 goes back in cash");
    stage_type("Tab Tab Tab Enter |"); /* without reason and tail */
    assert_string_equal(state_of(NUMBER), "PAID");
    stage_type("Esc | d | 'rain' Tab 'BBCC' Tab Tab Enter |");
    stage_expect("Hand back ¥60.00 in cash");
    stage_type("Enter | Enter |");
    stage_expect("Cancelled because: rain");
    assert_string_equal(state_of(NUMBER), "REFUNDED");
    assert_int_equal(fixture_int(stage.db,
                                 "SELECT CAST(amount * 100 AS SIGNED) FROM refund_record WHERE order_no = '" NUMBER
                                 "' AND status = 'SUCCESS'"),
                     6000);
    stage_close();
}

/* Another day does not make it free again, and that is said before. */
static void what_was_moved_late_is_told_before_it_is_cancelled(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 315, 14, "CASH");
    fixture_sql(stage.db, "UPDATE reserve_order SET moved_late = 1 WHERE order_no = '" NUMBER "'");
    stage_type("3 | d |");
    stage_expect("60.00 goes back in cash");
    stage_expect("It was moved when cancelling was not free any more");
    stage_type("'rain' Tab 'BBCC' Tab Tab Enter |");
    stage_expect("was moved when cancelling was not free");
    assert_string_equal(state_of(NUMBER), "PAID");
    stage_close();
}

static void several_marked_orders_are_told_before_and_refusals_after(void **state)
{
    (void)state;
    at("clerk");
    /* 11:00 may go in now, 12:00 is an hour too early. */
    stage_type("3 | f | Right Right Right F2 |");
    stage_expect("today · paid");
    stage_type("* |");
    stage_expect("6 marked, 405.00 in all");
    stage_type("c |");
    stage_expect("Check in 6 orders");
    stage_expect("405.00 in all");
    assert_int_equal(log_rows("check_in"), 0);
    stage_type("Tab Enter |");
    stage_expect("1 order checked in.");
    stage_expect("Refused:");
    assert_string_equal(state_of("20261130VB7K3M9Q2D"), "COMPLETED");
    assert_string_equal(state_of("20261130VB7K3M9Q2E"), "PAID");
    stage_close();
}

static void an_unpaid_order_moves_after_the_question(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | m |");
    stage_expect("[here");
    stage_type("Down Enter |");
    stage_expect("To 3号场");
    stage_type("Enter |"); /* the default leaves it */
    assert_int_equal(slot_of(NUMBER), 313);
    stage_type("Enter | Tab Enter |");
    stage_expect("is at 3号场 now");
    assert_int_equal(slot_of(NUMBER), 314);
    assert_int_equal(places_left(313), 1);
    assert_int_equal(places_left(314), 0);
    stage_close();
}

static void a_slot_taken_meanwhile_is_told_and_the_order_stays(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | m | Down Enter |");
    fixture_sql(stage.online, "UPDATE venue_schedule SET remain_count = 0 WHERE id = 314");
    stage_type("Tab Enter |");
    assert_int_equal(slot_of(NUMBER), 313);
    stage_expect("Move order");
    stage_expect("taken");
    stage_close();
}

static void more_places_of_an_unpaid_order_are_owed(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 914, 14, NULL);
    stage_type("3 | Enter | '#' | '9' F2 |");
    stage_expect("Only 7 more places are free.");
    stage_type("C-u '3' F2 |");
    stage_expect("owes ¥135.00");
    assert_int_equal(places_left(914), 5);
    stage_close();
}

static void a_note_is_kept_and_the_story_tells(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | e | 'brings own rackets' F2 |");
    stage_expect("The note of BBCC is saved.");
    assert_string_equal(fixture_text(stage.db, "SELECT note FROM reserve_order WHERE order_no = '" NUMBER "'"),
                        "brings own rackets");
    stage_close();
}

static void why_is_answered_in_sentences(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2X' Enter | Enter | w |");
    stage_expect("This order waits for payment of 80.00");
    stage_close();
}

/* --- keys that are faster than the database --- */

static void keys_typed_before_the_list_and_the_dialog_are_there_go_to_them(void **state) {
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 Down Up d Tab Enter"); /* not one pause */
    assert_string_equal(state_of(NUMBER), "CANCELLED");
    book("20261201VBAAAADDEE", 314, 14, NULL);
    stage_type("3 / 'DDEE' Enter Enter m Down Enter Tab Enter");
    assert_int_equal(slot_of("20261201VBAAAADDEE"), 315);
    /* The list that is read again meanwhile does not take what is meant for the dialog. */
    book("20261201VBAAAAFFGG", 316, 14, NULL);
    stage_type("Esc Esc Esc 3 | F5 | F5 d Tab Enter");
    assert_string_equal(state_of("20261201VBAAAAFFGG"), "CANCELLED");
    stage_close();
}

static void two_presses_ask_once_for_each_and_do_it_once(void **state) {
    (void)state;
    at("clerk");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | d d Tab Enter |");
    assert_string_equal(state_of(NUMBER), "CANCELLED");
    assert_int_equal(places_left(313), 1);
    assert_int_equal(log_rows("cancel"), fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE event = 'cancel' AND entity_no = '" NUMBER "'"));
    stage_close();
}

/* --- arrivals --- */

static void the_cursor_stays_on_its_order_while_others_come_and_go(void **state)
{
    (void)state;
    at("clerk");
    stage_type("2 f | 'rest' Enter | Down");
    char *before = xstrdup(selected());
    assert_string_not_equal(before, "");
    book(NUMBER, 812, 14, NULL); /* 12:00, before most of the others */
    fixture_sql(stage.online, "UPDATE reserve_order SET status = 'CANCELLED' WHERE order_no = '20261201VB7K3M9Q2H'");
    stage_type("F5 |");
    assert_string_equal(selected(), before);
    stage_expect("BBCC");
    free(before);
    stage_close();
}

static void unpaid_ones_stand_by_the_end_of_their_hold(void **state)
{
    (void)state;
    at("clerk");
    stage_type("2 o |");
    stage_expect("unpaid, by the end of the hold");
    assert_string_equal(selected(), "20261201VB7K3M9Q2G");
    assert_true(stage_row_of("9Q2G") < stage_row_of("9Q2H"));
    assert_true(stage_row_of("9Q2H") < stage_row_of("9Q2X"));
    stage_expect("3 owe ¥200.00");
    stage_close();
}

/* --- customers --- */

static void a_new_customer_whose_phone_is_known_is_refused_and_nothing_typed_is_lost(void **state)
{
    (void)state;
    at("clerk");
    stage_type("5 | a | '13800001234' Tab 'Wang Xiaoming' F2 |");
    stage_expect("Wang Xiaoming");
    stage_expect("!");
    stage_close();
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM t_user WHERE phone = '13800001234'"), 1);
}

static void a_new_customer_is_made_and_shown(void **state)
{
    (void)state;
    at("clerk");
    stage_type("5 | a | '139 1234-5678' Tab 'Zhang San' F2 | |");
    stage_expect("Customer  Zhang San");
    assert_string_equal(fixture_text(stage.db, "SELECT nickname FROM t_user WHERE phone = '13912345678'"), "Zhang San");
    stage_type("e | Tab Tab 'pays by invoice' F2 |");
    stage_expect("pays by invoice");
    fixture_sql(stage.db, "DELETE FROM t_user WHERE phone = '13912345678'");
    stage_close();
}

/* --- slots --- */

static void slots_are_made_once_however_often_one_asks(void **state)
{
    (void)state;
    at("admin");
    for (int i = 0; i < 2; i++) {
        stage_type("6 | a | Tab '2026-12-05' Tab '2026-12-06' F2 | |");
        stage_expect(i == 0 ? "28 slots made, 0 existed already." : "0 slots made, 28 existed already.");
        assert_int_equal(
            fixture_int(stage.db, "SELECT COUNT(*) FROM venue_schedule WHERE schedule_date > '2026-12-01'"), 28);
    }
    stage_close();
}

static void closing_a_sold_slot_lists_whom_to_call(void **state)
{
    (void)state;
    at("admin");
    stage_type("6 v | '2' Enter | Down Down Down x |");
    stage_expect("1 slot: 2号场 11:00–12:00");
    stage_type("F2 |"); /* without a reason */
    assert_int_equal(fixture_int(stage.db, "SELECT status FROM venue_schedule WHERE id = 211"), 1);
    stage_type("'burst pipe' F2 | |");
    stage_expect("To call  burst pipe");
    stage_expect("孙丽华");
    stage_expect("137****8801");
    assert_int_equal(fixture_int(stage.db, "SELECT status FROM venue_schedule WHERE id = 211"), 0);
    assert_string_equal(state_of("20261130VB7K3M9Q2D"), "PAID");
    stage_type("Esc | o | F2 |");
    stage_expect("1 slot opened.");
    assert_int_equal(fixture_int(stage.db, "SELECT status FROM venue_schedule WHERE id = 211"), 1);
    stage_close();
}

static void marked_slots_get_a_price_and_orders_keep_theirs(void **state)
{
    (void)state;
    at("admin");
    stage_type("6 v | '2' Enter | Down Down Down Space Space '$' |");
    stage_expect("2 slots: 2号场 11:00–12:00");
    stage_type("'66.60' F2 |");
    stage_expect("2 slots cost ¥66.60 now");
    assert_int_equal(fixture_int(stage.db, "SELECT CAST(price * 100 AS SIGNED) FROM venue_schedule WHERE id = 212"),
                     6660);
    assert_int_equal(
        fixture_int(
            stage.db,
            "SELECT CAST(total_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '20261130VB7K3M9Q2E'"),
        6000);
    stage_close();
}

static void a_range_of_hours_is_closed_at_once(void **state)
{
    (void)state;
    at("admin");
    stage_type("6 v | '8' Enter | e | Tab Tab Tab Tab Tab '13-16' Tab 'tournament' F2 | |");
    stage_expect("3 slots closed.");
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM venue_schedule WHERE venue_id = 8 AND status = 0 AND "
                                           "start_time BETWEEN '13:00' AND '15:00'"),
                     3);
    stage_close();
}

static const char *row_here(void) {
    static char text[512];
    struct buf buf = {0};
    canvas_row(&stage.canvas, stage.canvas.cursor_row, &buf);
    cut_copy(text, sizeof text, buf_text(&buf));
    buf_release(&buf);
    return text;
}

static void searching_in_a_list_follows_what_is_typed_and_esc_goes_back(void **state) {
    (void)state;
    at("admin");
    stage_type("9 Enter | / 'request'");
    stage_expect("request keys are kept");
    stage_type("Enter");
    assert_non_null(strstr(row_here(), "request keys are kept"));
    stage_type("Home / 'request' Esc");
    assert_non_null(strstr(row_here(), "a hold made at the counter lasts"));
    stage_type("/ 'nothing like it' Enter");
    stage_expect("is in no row");
    stage_type("Esc | 6 | / '泳池' Enter n");
    assert_non_null(strstr(row_here(), "泳池"));
    assert_non_null(strstr(row_here(), "09:00"));
    stage_close();
}

/* --- setup and log --- */

static void a_parameter_outside_its_range_stays_in_the_form(void **state)
{
    (void)state;
    at("admin");
    stage_type("9 Enter | Enter | '9999' F2 |");
    stage_expect("Change a parameter");
    stage_expect("9999");
    stage_type("C-u '20' F2 |");
    stage_expect("hold_minutes is 20 now.");
    assert_string_equal(fixture_text(stage.db, "SELECT value FROM param WHERE name = 'hold_minutes'"), "20");
    fixture_sql(stage.db, "DELETE FROM param");
    stage_close();
}

static void an_operator_is_added_disabled_and_enabled(void **state)
{
    (void)state;
    at("admin");
    stage_type("9 Down Down Enter | a | 'xiaoli' Tab 'Xiao Li' Tab Tab 'demo' Tab 'dem' F2 |");
    stage_expect("The two are not the same.");
    stage_type("C-u 'demo' F2 |");
    stage_expect("xiaoli can sign in now.");
    stage_type("End x | 'left us' Tab Tab Enter |");
    stage_expect("xiaoli is disabled.");
    assert_int_equal(fixture_int(stage.db, "SELECT disabled FROM operator_account WHERE name = 'xiaoli'"), 1);
    fixture_sql(stage.db, "DELETE FROM operator_account WHERE name = 'xiaoli'");
    stage_close();
}

static void a_place_is_added_and_taken_out_of_use(void **state)
{
    (void)state;
    at("admin");
    stage_type("9 Down Enter | a | 'Court 99' Tab 'badminton' F2 |");
    stage_expect("Saved: Court 99.");
    stage_type("End Enter | Tab Tab Tab Tab Tab Right Tab Tab 'sold' F2 |");
    assert_int_equal(fixture_int(stage.db, "SELECT status FROM venue WHERE name = 'Court 99'"), 0);
    fixture_sql(stage.db, "DELETE FROM venue WHERE name = 'Court 99'");
    stage_close();
}

static void what_a_clerk_may_not_do_is_refused_by_the_database_and_said(void **state)
{
    (void)state;
    at("clerk");
    stage_type("9 Enter | Enter | '20' F2 |");
    stage_expect("The role clerk may not do this");
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM param"), 0);
    stage_close();
}

static void the_log_is_filtered_and_an_entry_shown_whole(void **state)
{
    (void)state;
    at("admin");
    book(NUMBER, 313, 14, NULL);
    stage_type("3 | d | Tab Enter | 8 / | 'BBCC' Enter |");
    stage_expect("order BBCC");
    stage_expect("unpaid→cancelled");
    stage_type("Enter |");
    stage_expect("Who: admin");
    stage_type("Esc | o |");
    stage_expect("Order " NUMBER);
    stage_close();
}

int main(int argc, char **argv)
{
    i18n_start(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_digits_find_by_phone_tail_and_by_order_tail),
        cmocka_unit_test(a_filter_goes_to_the_database_and_into_the_title),
        cmocka_unit_test(a_filter_that_makes_no_sense_is_refused_in_its_field),
        cmocka_unit_test(a_long_list_is_walked_to_its_end_and_back),
        cmocka_unit_test(a_list_shown_whole_is_sorted_and_esc_gives_the_order_back),
        cmocka_unit_test(a_list_that_goes_on_is_not_sorted),
        cmocka_unit_test(the_mouse_chooses_a_row_and_opens_it),
        cmocka_unit_test(the_mouse_works_in_forms_and_in_the_move_grid),
        cmocka_unit_test(beside_a_list_phones_stay_masked_and_nothing_is_logged),
        cmocka_unit_test(read_only_shows_no_whole_phone_because_nothing_can_be_logged),
        cmocka_unit_test(another_writer_is_seen_and_marked),
        cmocka_unit_test(lists_mask_phones_and_the_detail_shows_and_logs_it_once),
        cmocka_unit_test(cancel_then_enter_changes_nothing),
        cmocka_unit_test(cancelling_an_unpaid_order_gives_its_place_back),
        cmocka_unit_test(cancelling_a_cash_paid_order_needs_reason_and_tail_and_hands_back),
        cmocka_unit_test(what_was_moved_late_is_told_before_it_is_cancelled),
        cmocka_unit_test(several_marked_orders_are_told_before_and_refusals_after),
        cmocka_unit_test(an_unpaid_order_moves_after_the_question),
        cmocka_unit_test(a_slot_taken_meanwhile_is_told_and_the_order_stays),
        cmocka_unit_test(more_places_of_an_unpaid_order_are_owed),
        cmocka_unit_test(a_note_is_kept_and_the_story_tells),
        cmocka_unit_test(why_is_answered_in_sentences),
        cmocka_unit_test(keys_typed_before_the_list_and_the_dialog_are_there_go_to_them),
        cmocka_unit_test(two_presses_ask_once_for_each_and_do_it_once),
        cmocka_unit_test(the_cursor_stays_on_its_order_while_others_come_and_go),
        cmocka_unit_test(unpaid_ones_stand_by_the_end_of_their_hold),
        cmocka_unit_test(a_new_customer_whose_phone_is_known_is_refused_and_nothing_typed_is_lost),
        cmocka_unit_test(a_new_customer_is_made_and_shown),
        cmocka_unit_test(slots_are_made_once_however_often_one_asks),
        cmocka_unit_test(closing_a_sold_slot_lists_whom_to_call),
        cmocka_unit_test(marked_slots_get_a_price_and_orders_keep_theirs),
        cmocka_unit_test(a_range_of_hours_is_closed_at_once),
        cmocka_unit_test(searching_in_a_list_follows_what_is_typed_and_esc_goes_back),
        cmocka_unit_test(a_parameter_outside_its_range_stays_in_the_form),
        cmocka_unit_test(an_operator_is_added_disabled_and_enabled),
        cmocka_unit_test(a_place_is_added_and_taken_out_of_use),
        cmocka_unit_test(what_a_clerk_may_not_do_is_refused_by_the_database_and_said),
        cmocka_unit_test(the_log_is_filtered_and_an_entry_shown_whole),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, stage_start, stage_stop);
}
