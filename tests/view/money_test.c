/* A clerk with money: what goes back, what is taken, prices and their approval, shifts, what needs a person. On a real
 * server, without a terminal. The clock stands at 2026-12-01 10:42:07. */
#include "clerk_kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/app/view.h"

static void what_was_paid_by_wechat_goes_back_and_waits_for_the_channel(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2L' Enter | d |");
    stage_expect("goes back by WeChat");
    stage_type("'rain' Tab '9Q2L' Tab Tab Enter |");
    stage_expect("is being refunded, then its place is free. ¥80.00 on its way.");
    assert_string_equal(state_of("20261130VB7K3M9Q2L"), "REFUNDING");
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM refund_record WHERE amount = 80 AND reason = 'rain'"), 1);
    stage_close();
}

static void an_amount_to_give_back_is_typed_where_one_chooses_how_much(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 315, 14, "CASH");
    stage_type("3 / | 'BBCC' Enter | Enter | x |");
    stage_expect("the whole order");
    stage_type("S-Tab");
    stage_expect("Type an amount");
    stage_type("'12.50'");
    stage_expect("[an amount");
    stage_expect("[12.50");
    stage_type("Tab 'broken net' Tab 'BBCC' F2 |");
    stage_expect("Hand back ¥12.50 in cash");
    assert_string_equal(state_of(NUMBER), "PAID");
    assert_int_equal(fixture_int(stage.db,
                                 "SELECT CAST(amount * 100 AS SIGNED) FROM refund_record WHERE order_no = '" NUMBER
                                 "' AND kind = 'AMOUNT'"),
                     1250);
    /* And wherever the sum stands, what is left of it. */
    stage_type("Enter |");
    stage_expect("¥60.00 · owes ¥0.00");
    stage_expect("Taken ¥60.00, given back ¥12.50, remains ¥47.50");
    stage_type(": 'order show " NUMBER "' Enter |");
    stage_expect("Amount 60.00, taken 60.00, given back 12.50, remains 47.50, due 0.00");
    stage_type("Esc Esc |");
    stage_expect("P back 12.50");
    stage_type("Space d |");
    stage_expect("ones ¥47.50 goes back");
    stage_type("Esc | Esc | d | 'rain' Tab 'BBCC' Tab Tab Enter |"); /* the rest, whole: the state says it all */
    stage_expect("Hand back ¥47.50 in cash");
    stage_type("Enter |");
    assert_false(stage_has("back 12.50"));
    stage_type("Enter |");
    stage_expect("Taken ¥60.00, given back ¥60.00, remains ¥0.00");
    assert_false(stage_has("60.00 → 12.50")); /* nothing is left, whatever the desk's counter says */
    stage_close();
}

static void what_was_taken_of_an_order_before_stands_at_the_payment(void **state)
{
    (void)state;
    at("clerk");
    stage_type("4 | '9Q2X' Enter | 1 '30' Enter | Enter |");
    stage_type("Esc Esc | 4 | '9Q2X' Enter |");
    stage_expect("x1                            80.00");
    stage_expect("taken before");
    stage_expect("          -30.00");
    stage_expect("Owed                                              50.00");
    stage_close();
}

/* Somebody's code was closed meanwhile, or the clerk reads again: the page under her hands is read anew. */
static void what_is_typed_at_the_payment_stays_when_it_is_read_again(void **state)
{
    (void)state;
    at("clerk");
    stage_type("4 | '9Q2X' Enter | 1 '100' F5 |");
    stage_expect("Received [100");
    stage_expect("Change");
    fixture_sql(stage.online, "UPDATE reserve_order SET total_amount = 90.00 WHERE order_no LIKE '%%9Q2X'");
    stage_type("F5 |");
    stage_expect("¥80.00 was owed, now it is ¥90.00.");
    stage_expect("Received [90.00");
    stage_close();
}

static void what_is_typed_ahead_at_the_payment_outlives_a_second_reading(void **state)
{
    (void)state;
    at("clerk");
    stage_type("4 | '9Q2X' Enter |");
    struct view *view = app_top(stage.app);
    view_ops(view)->load(view);
    app_type(stage.app, "4 'S1'");
    view_ops(view)->load(view);
    stage_settle();
    stage_expect("[4 Card]");
    stage_expect("S1");
    stage_close();
}

static void a_paid_move_to_a_dearer_slot_takes_the_difference(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 316, 14, "CASH");
    stage_type("3 | m | Down Down");
    stage_expect("¥20.00 to take now");
    stage_type("Enter |");
    stage_expect("to 3号场");
    assert_int_equal(slot_of(NUMBER), 316); /* nothing before the money */
    stage_type("Enter |");
    assert_int_equal(slot_of(NUMBER), 318);
    assert_int_equal(fixture_int(stage.db,
                                 "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '" NUMBER
                                 "'"),
                     8000);
    stage_expect("Orders"); /* back in the list */
    stage_close();
}

static void a_paid_move_to_a_cheaper_slot_gives_the_difference_back(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 320, 14, "CASH");
    stage_type("3 | m | Up Up Up");
    stage_expect("¥20.00 goes back");
    stage_type("Enter |");
    stage_expect("goes back the way it came");
    stage_type("'earlier' Tab Tab Enter |");
    stage_expect("Hand back ¥20.00 in cash");
    assert_int_equal(slot_of(NUMBER), 317);
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM refund_record WHERE amount = 20 AND status = 'SUCCESS'"), 1);
    stage_close();
}

static void a_dearer_move_may_be_left_due(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 316, 14, "CASH");
    stage_type("3 | m | Down Down Enter |");
    stage_expect("Leave it due");
    stage_type("0 |");
    assert_int_equal(slot_of(NUMBER), 318);
    assert_int_equal(fixture_int(stage.db, "SELECT CAST(SUM(amount) AS SIGNED) FROM order_due WHERE order_no = '" NUMBER "'"), 20);
    stage_expect("¥20.00 is due");
    stage_close();
}

static int64_t price_of(const char *order_no)
{
    return fixture_int(stage.db, "SELECT CAST(total_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'", order_no);
}

static void a_price_within_the_limit_is_changed_with_a_reason(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2X' Enter | Enter | '$' |");
    stage_expect("Price now");
    stage_type("'70' Tab F2 |");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 8000); /* no reason yet */
    stage_type("'coach rate' F2 |");
    stage_expect("costs ¥70.00 instead of ¥80.00");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 7000);
    stage_close();
}

static void a_price_above_the_limit_waits_for_the_second_person_at_this_terminal(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2X' Enter | Enter | '$' | '10' Tab 'friend' F2 |");
    stage_expect("Second person");
    stage_expect("waits at the other terminals too");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 8000);
    stage_type("'clerk' Tab 'demo' Enter |"); /* never the one who asks */
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 8000);
    stage_expect("Second person");
    stage_expect("for 10 min more");
    stage_type("C-u 'admin' Tab 'demo' Enter |");
    stage_expect("costs ¥10.00 instead of ¥80.00");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 1000);
    assert_string_equal(fixture_text(stage.db, "SELECT CONCAT(status, ' ', approver) FROM approval ORDER BY id DESC LIMIT 1"),
                        "USED admin");
    stage_expect("李敏"); /* who asked goes on */
    stage_close();
}

/* Another terminal decides; this one asks about it by itself. */
static void elsewhere(const char *status)
{
    fixture_sql(stage.db, "UPDATE approval SET status = '%s', approver = 'admin', approver_terminal = '台2', decided_at = "
                          "'2026-12-01 10:42:08' WHERE status = 'WAITING'", status);
    sleep_ms(1600);
    for (int i = 0; i < 3; i++) {
        app_input(stage.app, &(struct input){.kind = INPUT_TICK});
        stage_settle();
        sleep_ms(510);
    }
}

static void an_approval_from_another_terminal_is_heard(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2X' Enter | Enter | '$' | '10' Tab 'friend' F2 |");
    elsewhere("DENIED");
    stage_expect("admin has denied it");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 8000);
    stage_type("Esc |"); /* the form, as it was typed */
    stage_expect("friend");
    stage_type("F2 |");
    stage_expect("waits at the other terminals too");
    elsewhere("GRANTED");
    stage_expect("costs ¥10.00 instead of ¥80.00");
    assert_int_equal(price_of("20261201VB7K3M9Q2X"), 1000);
    stage_close();
}

static void approvals_are_granted_and_denied_from_their_list(void **state)
{
    (void)state;
    at("clerk");
    stage_type("3 / | '9Q2X' Enter | Enter | '$' | '10' Tab 'friend' F2 |");
    stage_expect("waits at the other terminals too");
    stage_open("en", 80, 24, "admin");
    stage_type(": 'approvals' Enter |");
    stage_expect("friend");
    stage_type("d |");
    stage_expect("Deny it?");
    stage_type("Tab Enter |");
    stage_expect("Nobody asks for an approval");
    assert_string_equal(fixture_text(stage.db, "SELECT CONCAT(status, ' ', approver) FROM approval ORDER BY id DESC LIMIT 1"),
                        "DENIED admin");
    stage_close();
}

static void a_shift_is_opened_counted_blind_and_closed_with_an_explanation(void **state)
{
    (void)state;
    at("clerk");
    book(NUMBER, 316, 14, NULL);
    stage_type("7 | a | '500' F2 |");
    stage_expect("is open.");
    stage_type("4 | '9Q2X' Enter | 1 '100' Enter | Enter |");
    stage_type("Esc Esc | 7 | F5 |");
    stage_expect("told at the close");
    stage_type("o | '30' Tab 'bank' F2 |");
    stage_expect("taken out");
    stage_type("d | '5' |");
    stage_expect("500.00"); /* five of a hundred */
    stage_type("F2 |");
    stage_expect("Close the shift"); /* 50 are missing: an explanation is asked for, the figure not told */
    assert_false(stage_has("550"));
    stage_type("'mis' Enter 'counted' F2 |"); /* an Enter too many loses nothing of the sentence */
    stage_expect("Counted ¥500.00, should be ¥550.00: difference -¥50.00");
    stage_type("Enter | F5 |");
    stage_expect("No shift is open");
    stage_type("h | Enter |");
    stage_expect("Explanation: miscounted");
    stage_close();
}

static void a_tender_that_finance_confirms_leaves_the_list(void **state)
{
    (void)state;
    at("clerk");
    stage_type("4 | '9Q2X' Enter | 5 | 'T-77' Enter |");
    stage_open("en", 80, 24, "admin");
    stage_type("9 | Down Down Down Enter |");
    stage_expect("To be confirmed");
    stage_type("t |");
    stage_expect("It is yours now");
    stage_type("d | Enter |");
    stage_type("'seen in the account' F2 |");
    stage_expect("Nothing needs a person");
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM money_case WHERE status = 'CLOSED' AND outcome = 'confirmed'"), 1);
    char *line = xprintf(": 'case show %s' Enter |", fixture_text(stage.db, "SELECT MAX(id) FROM money_case"));
    stage_type(line);
    free(line);
    stage_expect("by admin: confirmed.");
    stage_expect("Reason: seen in the account");
    stage_close();
}

static void more_cases_than_the_list_holds_are_told(void **state)
{
    (void)state;
    at("admin");
    fixture_sql(stage.db, "INSERT INTO money_case (kind, subject, amount, cause, status, created_at) "
                          "SELECT 'LATE', CONCAT('many', seq), 1, 'late', 'OPEN', NOW() FROM seq_1_to_600");
    stage_type(": 'cases' Enter |");
    stage_expect("Needs a person  oldest 500 of more");
    stage_type("f |");
    stage_expect("Cases, closed too  newest 500 of more");
    stage_type("f |");
    fixture_sql(stage.db, "DELETE FROM money_case WHERE subject LIKE 'many%%' LIMIT 100");
    stage_type("F5 |");
    assert_false(stage_has("of more"));
    fixture_sql(stage.db, "DELETE FROM money_case WHERE subject LIKE 'many%%'");
    stage_close();
}

int main(int argc, char **argv)
{
    i18n_start(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_paid_by_wechat_goes_back_and_waits_for_the_channel),
        cmocka_unit_test(an_amount_to_give_back_is_typed_where_one_chooses_how_much),
        cmocka_unit_test(what_was_taken_of_an_order_before_stands_at_the_payment),
        cmocka_unit_test(what_is_typed_at_the_payment_stays_when_it_is_read_again),
        cmocka_unit_test(what_is_typed_ahead_at_the_payment_outlives_a_second_reading),
        cmocka_unit_test(a_paid_move_to_a_dearer_slot_takes_the_difference),
        cmocka_unit_test(a_paid_move_to_a_cheaper_slot_gives_the_difference_back),
        cmocka_unit_test(a_dearer_move_may_be_left_due),
        cmocka_unit_test(a_price_within_the_limit_is_changed_with_a_reason),
        cmocka_unit_test(a_price_above_the_limit_waits_for_the_second_person_at_this_terminal),
        cmocka_unit_test(an_approval_from_another_terminal_is_heard),
        cmocka_unit_test(approvals_are_granted_and_denied_from_their_list),
        cmocka_unit_test(a_shift_is_opened_counted_blind_and_closed_with_an_explanation),
        cmocka_unit_test(a_tender_that_finance_confirms_leaves_the_list),
        cmocka_unit_test(more_cases_than_the_list_holds_are_told),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, stage_start, stage_stop);
}
