/* Payment codes against the real database and the sandbox that speaks both channels' protocols: shown, paid, closed. */
#include "money/code_kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fault/sound.h"
#include "venue/booking.h"

static void pays_at_once(enum channel_id channel, const char *prefix)
{
    char number[NUMBER_BYTES], again[CHANNEL_CODE_BYTES];
    struct pay_code code, same;
    slot_and_order("80.00", number);
    must(code_open(ann, NULL, number, channel, 0, &code, &err));
    assert_int_equal(code.state, CODE_WAITING);
    assert_int_equal(code.amount_fen, 8000);
    assert_ptr_equal(strstr(code.text, prefix), code.text);
    assert_int_equal(live_of(number), 1);
    assert_int_equal(
        fixture_int(online,
                    "SELECT COUNT(*) FROM payment_record p JOIN reserve_order o ON o.expire_time = p.code_until "
                    "WHERE p.id = %lld AND o.order_no = '%s'",
                    (long long)code.payment_id, number),
        1);
    cut_copy(again, sizeof again, code.text);
    must(code_open(bea, NULL, number, channel, 0, &same, &err));
    assert_int_equal(same.payment_id, code.payment_id);
    assert_string_equal(same.text, again);
    ask_again(&code);
    assert_int_equal(code.state, CODE_WAITING);
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_int_equal(code.paid.amount_fen, 8000);
    assert_int_equal(code.paid.orders_paid, 1);
    assert_int_equal(code.paid.left_fen, 0);
    assert_string_equal(code.paid.payment_no, code.receipt_no);
    assert_false(code.surplus);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
    assert_int_equal(live_of(number), 0);
    must(code_poll(bea, code.payment_id, &same, &err));
    assert_int_equal(same.state, CODE_PAID);
    assert_int_equal(same.paid.orders_paid, 1);
    must_give(FD_REFUSED, code_open(ann, NULL, number, channel, 0, &code, &err));
}

static void a_wechat_code_is_shown_and_paid(void **state)
{
    (void)state;
    pays_at_once(CHANNEL_WECHAT, "weixin://");
}

static void an_alipay_code_is_shown_and_paid(void **state)
{
    (void)state;
    pays_at_once(CHANNEL_ALIPAY, "https://qr.alipay.com/");
}

static void the_row_says_what_happened(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code, again;
    slot_and_order("55.50", number);
    must(code_open(ann, "k-code", number, CHANNEL_WECHAT, 0, &code, &err));
    must(code_open(ann, "k-code", number, CHANNEL_WECHAT, 0, &again, &err));
    assert_int_equal(again.payment_id, code.payment_id);
    assert_string_equal(row_of(&code), "WECHAT/CREATED/55.50/ann/desk1/1/0");
    customer_pays(&code);
    ask_again(&code);
    assert_string_equal(row_of(&code), "WECHAT/SUCCESS/55.50/ann/desk1/1/1");
    assert_int_equal(
        fixture_int(online,
                    "SELECT COUNT(*) FROM payment_record WHERE id = %lld AND payment_no <> receipt_no "
                    "AND callback_payload LIKE '%%SUCCESS%%' AND notify_status = 'poll' AND request_key = 'k-code'",
                    (long long)code.payment_id),
        1);
    /* Who asked is the counter; who pays an order is the channel, with a request of its own. */
    assert_string_equal(
        fixture_text(online,
                     "SELECT GROUP_CONCAT(event ORDER BY id) FROM operation_log WHERE entity = 'payment' "
                     "AND entity_no = '%s'",
                     code.receipt_no),
        "open,settle");
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'pay' "
                                 "AND action = 'pay.settle' AND request_key = 'settle-%s'",
                                 number, code.out_trade_no),
                     1);
    /* The key after all is over still shows the same payment. */
    must(code_open(ann, "k-code", number, CHANNEL_WECHAT, 0, &again, &err));
    assert_int_equal(again.payment_id, code.payment_id);
    assert_int_equal(again.state, CODE_PAID);
}

static void a_closed_code_is_final_and_another_way_opens(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code, other;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_DEAD);
    assert_int_equal(live_of(number), 0);
    assert_string_equal(state_of(number), "PENDING_PAY");
    /* From WeChat to Alipay in one step: the live one is closed on the way. */
    open_at(number, CHANNEL_WECHAT, 0, &code);
    open_at(number, CHANNEL_ALIPAY, 0, &other);
    assert_int_not_equal(other.payment_id, code.payment_id);
    assert_int_equal(live_of(number), 1);
    assert_string_equal(row_of(&code), "WECHAT/FAILED/80.00/ann/desk1/1/0");
    /* Nobody has scanned it, so Alipay does not know it: it could still be paid. */
    must(code_close(ann, other.payment_id, &other, &err));
    assert_int_equal(other.state, CODE_WAITING);
    assert_int_equal(live_of(number), 1);
    sandbox_do(&sandbox, "scan %s", other.out_trade_no);
    must(code_close(ann, other.payment_id, &other, &err));
    assert_int_equal(other.state, CODE_DEAD);
    assert_int_equal(live_of(number), 0);
}

/* A clerk who showed Alipay to a customer of WeChat must not wait until the code has run out. */
static void what_nobody_scanned_may_stay_beside_the_other_way(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code alipay, wechat, again;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &alipay);
    open_at(number, CHANNEL_WECHAT, 0, &wechat);
    assert_int_equal(live_of(number), 2);
    open_at(number, CHANNEL_ALIPAY, 0, &again);
    assert_int_equal(again.payment_id, alipay.payment_id);
    customer_pays(&wechat);
    ask_again(&wechat);
    assert_int_equal(wechat.state, CODE_PAID);
    assert_string_equal(state_of(number), "PAID");
    customer_pays(&alipay);
    ask_again(&alipay);
    assert_int_equal(alipay.state, CODE_PAID);
    assert_true(alipay.surplus);
    assert_int_equal(cases_of(number, "SURPLUS"), 8000);
    assert_int_equal(live_of(number), 0);
    /* Once it was scanned it can be closed, and is. */
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &alipay);
    sandbox_do(&sandbox, "scan %s", alipay.out_trade_no);
    open_at(number, CHANNEL_WECHAT, 0, &wechat);
    assert_int_equal(live_of(number), 1);
}

static void money_while_closing_counts(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_PAID);
    assert_string_equal(state_of(number), "PAID");
}

static void alipay_unscanned_is_dead_a_minute_after_its_end(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    run_out(number, 50);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_WAITING);
    run_out(number, 61);
    ask_again(&code);
    assert_int_equal(code.state, CODE_DEAD);
    assert_int_equal(live_of(number), 0);
}

static void part_in_cash_rest_by_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct paid paid;
    slot_and_order("80.00", number);
    must_give(FD_BAD_INPUT, code_open(ann, NULL, number, CHANNEL_WECHAT, 8001, &code, &err));
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 3000}, &paid, &err));
    open_at(number, CHANNEL_WECHAT, 2000, &code);
    assert_int_equal(code.amount_fen, 2000);
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_int_equal(code.paid.left_fen, 3000);
    assert_int_equal(code.paid.orders_paid, 0);
    assert_string_equal(state_of(number), "PENDING_PAY");
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    assert_int_equal(code.amount_fen, 3000);
    customer_pays(&code);
    ask_again(&code);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
}

static void a_code_pays_a_whole_bill(void **state)
{
    (void)state;
    char bill[NUMBER_BYTES], numbers[2][NUMBER_BYTES];
    struct pay_code code;
    bill_of("80.00", "0.00", bill, numbers);
    open_at(bill, CHANNEL_WECHAT, 0, &code);
    assert_int_equal(live_of(numbers[0]), 1);
    assert_int_equal(live_of(numbers[1]), 1);
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.paid.orders_paid, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(state_of(numbers[i]), "PAID");
        assert_int_equal(live_of(numbers[i]), 0);
    }
    bill_of("30.00", "50.00", bill, numbers);
    open_at(numbers[1], CHANNEL_ALIPAY, 6000, &code);
    customer_pays(&code);
    ask_again(&code);
    /* The order that was named is paid first. */
    assert_string_equal(state_of(numbers[1]), "PAID");
    assert_int_equal(paid_of(numbers[0]), 1000);
    assert_int_equal(code.paid.left_fen, 2000);
}

static void open_in_crowd(struct desk *desk, int index, void *arg)
{
    struct pay_code code;
    struct fd_error local = {0};
    (void)index;
    if (code_open(desk, NULL, arg, CHANNEL_WECHAT, 0, &code, &local) != FD_OK)
        print_message("%s\n", local.message);
}

static void many_desks_open_one_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    slot_and_order("80.00", number);
    kit_threads(8, "ann", open_in_crowd, number);
    assert_int_equal(live_of(number), 1);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM payment_record p JOIN pay_allocation a ON a.payment_id = p.id "
                                 "WHERE a.order_no = '%s'",
                                 number),
                     1);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
}

static void an_answer_that_is_lost_is_asked_for(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    static const enum channel_id channels[] = {CHANNEL_WECHAT, CHANNEL_ALIPAY};
    static const char *const faults[] = {"lost", "500-before", "sign"};
    for (size_t i = 0; i < COUNT(channels); i++)
        for (size_t j = 0; j < COUNT(faults); j++) {
            slot_and_order("80.00", number);
            sandbox_do(&sandbox, "fault %s 1 --at create", faults[j]);
            open_at(number, channels[i], 0, &code);
            assert_int_equal(code.state, CODE_CHECKING);
            assert_int_equal(live_of(number), 1);
            ask_again(&code);
            assert_int_equal(code.state, CODE_WAITING);
            assert_true(code.text[0]);
            customer_pays(&code);
            sandbox_do(&sandbox, "fault 503 1 --at query");
            ask_again(&code);
            assert_int_equal(code.state, CODE_CHECKING);
            assert_string_equal(state_of(number), "PENDING_PAY");
            ask_again(&code);
            assert_string_equal(state_of(number), "PAID");
        }
    sandbox_do(&sandbox, "fault off");
}

static void a_wrong_key_refuses_for_good(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct desk *other = kit_desk("ann");
    struct config *mended = NULL;
    char *path = xprintf("%s/wrong.conf", sandbox.folder), *line = xprintf("cd %s && sed 's/^serial.*/serial = %040d/' "
                                                                           "channels.conf >wrong.conf && chmod 600 "
                                                                           "wrong.conf",
                                                                           sandbox.folder, 7);
    assert_int_equal(system(line), 0);
    must(config_load(NULL, &mended, &err));
    must(config_set(mended, CONFIG_CHANNELS, path, &err));
    other->config = mended;
    slot_and_order("80.00", number);
    must_give(FD_CONFIG, code_open(other, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    assert_int_equal(live_of(number), 0);
    assert_string_equal(state_of(number), "PENDING_PAY");
    must(config_set(mended, CONFIG_CHANNELS, "", &err));
    struct desk *none = kit_desk("ann");
    none->config = mended;
    must_give(FD_CONFIG, code_open(none, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    assert_false(desk_has_channel(none, CHANNEL_WECHAT));
    assert_true(desk_has_channel(ann, CHANNEL_ALIPAY));
    desk_close(&none);
    desk_close(&other);
    config_free(mended);
    free(line);
    free(path);
}

/* As when somebody looks at it two seconds later. */
static const char *look_later(struct pay_code *code)
{
    fixture_sql(online, "UPDATE payment_record SET asked_at = asked_at - INTERVAL 2 SECOND WHERE id = %lld",
                (long long)code->payment_id);
    must(code_poll(ann, code->payment_id, code, &err));
    return fixture_text(online, "SELECT COALESCE(code, '-') FROM payment_record WHERE id = %lld",
                        (long long)code->payment_id);
}

static void an_old_code_is_made_anew_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], text[CHANNEL_CODE_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    fixture_sql(online,
                "UPDATE payment_record SET created_at = created_at - INTERVAL 109 MINUTE, asked_at = asked_at - "
                "INTERVAL 90 SECOND WHERE id = %lld",
                (long long)code.payment_id);
    cut_copy(text, sizeof text, code.text);
    assert_string_equal(look_later(&code), text);
    fixture_sql(online,
                "UPDATE payment_record SET created_at = created_at - INTERVAL 6 MINUTE, asked_at = asked_at - "
                "INTERVAL 10 MINUTE WHERE id = %lld",
                (long long)code.payment_id);
    assert_string_not_equal(look_later(&code), text);
    cut_copy(text, sizeof text, code.text);
    assert_string_equal(look_later(&code), text);
    assert_string_equal(look_later(&code), text);
    /* Where it cannot be made, nothing that cannot be scanned is shown; it is made as soon as it can be. */
    fixture_sql(online,
                "UPDATE payment_record SET created_at = created_at - INTERVAL 110 MINUTE, asked_at = asked_at - "
                "INTERVAL 10 MINUTE WHERE id = %lld",
                (long long)code.payment_id);
    sandbox_do(&sandbox, "fault 503 always --at create");
    assert_string_equal(look_later(&code), "-");
    sandbox_do(&sandbox, "fault off");
    assert_string_not_equal(look_later(&code), "-");
    customer_pays(&code);
    look_later(&code);
    assert_int_equal(code.state, CODE_PAID);
}

/* What is paid in cash meanwhile is taken off before the code is opened; both desks at once never ask for more than is
 * owed. */
static void cash_in_crowd(struct desk *desk, int index, void *arg)
{
    struct fd_error local = {0};
    struct pay_code code;
    struct paid paid;
    if (index % 2)
        pay_take(desk, NULL, arg, &(struct payment){.tender = TENDER_CASH, .amount_fen = 1000}, &paid, &local);
    else
        code_open(desk, NULL, arg, CHANNEL_WECHAT, 0, &code, &local);
}

static void cash_and_codes_at_once_add_up(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    slot_and_order("80.00", number);
    kit_threads(6, "ann", cash_in_crowd, number);
    assert_int_equal(paid_of(number), 3000);
    assert_int_equal(live_of(number),
                     fixture_int(online,
                                 "SELECT COUNT(*) FROM payment_record p JOIN pay_allocation a ON a.payment_id = p.id "
                                 "WHERE a.order_no = '%s' AND p.status = 'CREATED'",
                                 number));
    assert_true(live_of(number) <= 1);
    struct pay_code code;
    open_at(number, CHANNEL_WECHAT, 0, &code);
    assert_int_equal(code.amount_fen, 5000);
    customer_pays(&code);
    ask_again(&code);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
}

static void a_code_that_is_almost_over_is_opened_anew(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code, fresh;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    run_out(number, -20);
    open_at(number, CHANNEL_WECHAT, 0, &fresh);
    assert_int_not_equal(fresh.payment_id, code.payment_id);
    assert_true(fresh.until >= fresh.now + 100);
    assert_int_equal(live_of(number), 1);
    /* The hold ends with it. */
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM reserve_order WHERE order_no = '%s' "
                                 "AND expire_time > NOW() + INTERVAL 100 SECOND",
                                 number),
                     1);
}

static void only_the_counter_opens_codes(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct desk *fin = kit_desk("fin");
    slot_and_order("80.00", number);
    must_give(FD_NO_PERMISSION, code_open(fin, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    assert_int_equal(live_of(number), 0);
    must_give(FD_BAD_INPUT,
              pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_WECHAT}, &(struct paid){0}, &err));
    assert_string_equal(state_of(number), "PENDING_PAY");
    desk_close(&fin);
}

static void a_due_is_paid_by_a_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct paid paid;
    struct venue_changed changed;
    slot_and_order("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    must(venue_move_with(ann, NULL, number, kit_slot(1, "100.00"), &(struct venue_change){.leave_due = true}, &changed,
                         &err));
    open_at(number, CHANNEL_WECHAT, 0, &code);
    assert_int_equal(code.amount_fen, 2000);
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 10000);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM order_due WHERE order_no = '%s' AND settled_at IS NOT NULL "
                                 "AND payment_id = %lld",
                                 number, (long long)code.payment_id),
                     1);
}

static void the_doctor_finds_nothing(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "codes", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wechat_code_is_shown_and_paid),
        cmocka_unit_test(an_alipay_code_is_shown_and_paid),
        cmocka_unit_test(the_row_says_what_happened),
        cmocka_unit_test(a_closed_code_is_final_and_another_way_opens),
        cmocka_unit_test(what_nobody_scanned_may_stay_beside_the_other_way),
        cmocka_unit_test(money_while_closing_counts),
        cmocka_unit_test(alipay_unscanned_is_dead_a_minute_after_its_end),
        cmocka_unit_test(part_in_cash_rest_by_code),
        cmocka_unit_test(a_code_pays_a_whole_bill),
        cmocka_unit_test(many_desks_open_one_code),
        cmocka_unit_test(an_answer_that_is_lost_is_asked_for),
        cmocka_unit_test(a_wrong_key_refuses_for_good),
        cmocka_unit_test(an_old_code_is_made_anew_once),
        cmocka_unit_test(cash_and_codes_at_once_add_up),
        cmocka_unit_test(a_code_that_is_almost_over_is_opened_anew),
        cmocka_unit_test(only_the_counter_opens_codes),
        cmocka_unit_test(a_due_is_paid_by_a_code),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, code_kit_start, code_kit_stop);
}
