/* What a channel says about a payment code has one effect, whatever it says and however often. */
#include "money/code_kit.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/text.h"
#include "fault/sound.h"

static void money_that_nobody_owes_becomes_a_case(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct paid paid;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 5000}, &paid, &err));
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_true(code.surplus);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
    assert_int_equal(cases_of(number, "SURPLUS"), 5000);
    slot_and_order("40.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(cases_of(number, "SURPLUS"), 4000);
    assert_int_equal(paid_of(number), 4000);
    assert_int_equal(live_of(number), 0);
}

static void money_that_comes_too_late_is_kept(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    int64_t slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    /* The online system knows nothing of our codes. */
    fixture_sql(online, "UPDATE reserve_order SET status = 'CANCELLED', cancel_time = NOW() WHERE order_no = '%s'",
                number);
    fixture_sql(online, "UPDATE venue_schedule SET remain_count = remain_count + 1 WHERE id = %lld", (long long)slot);
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_true(code.surplus);
    assert_string_equal(state_of(number), "CANCELLED");
    assert_int_equal(cases_of(number, "LATE"), 8000);
    assert_int_equal(live_of(number), 0);
}

static void a_code_that_counted_as_dead_and_was_paid_is_money(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct settled settled;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_DEAD);
    struct channel_trade trade = trade_of(&code, 8000);
    must(code_settle(ann, code.out_trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    assert_true(settled.first);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(live_of(number), 0);
    must(code_settle(bea, code.out_trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    assert_false(settled.first);
    assert_int_equal(settled.paid.amount_fen, 8000);
    /* Keys are kept for a month; the payment is known after that too. */
    fixture_sql(online, "DELETE FROM op_request WHERE request_key = 'settle-%s'", code.out_trade_no);
    must(code_settle(bea, code.out_trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    assert_false(settled.first);
    assert_false(settled.surplus);
    assert_int_equal(paid_of(number), 8000);
    must_give(FD_NOT_FOUND, code_settle(bea, "20260101PYNONE1", CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    must_give(FD_NOT_FOUND, code_settle(bea, code.out_trade_no, CHANNEL_ALIPAY, &trade, "notice", &settled, &err));
}

static void another_amount_is_never_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    sandbox_do(&sandbox, "fault amount 1 --at query");
    ask_again(&code);
    assert_int_equal(code.state, CODE_DEAD);
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(paid_of(number), 0);
    assert_int_equal(live_of(number), 0);
    assert_int_equal(cases_of(number, "AMOUNT"), 8001);
    struct settled settled;
    struct channel_trade trade = trade_of(&code, 7999);
    must(code_settle(ann, code.out_trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    assert_true(settled.wrong_amount);
    assert_false(settled.first);
    assert_int_equal(cases_of(number, "AMOUNT"), 8001);
}

struct crowd {
    struct pay_code code;
    int first, failed;
    pthread_mutex_t lock;
};

static void settle_in_crowd(struct desk *desk, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct settled settled = {0};
    struct fd_error local = {0};
    struct channel_trade trade = trade_of(&crowd->code, crowd->code.amount_fen);
    (void)index;
    enum fd_code code =
        code_settle(desk, crowd->code.out_trade_no, crowd->code.channel, &trade, "notice", &settled, &local);
    pthread_mutex_lock(&crowd->lock);
    crowd->first += settled.first;
    crowd->failed += code != FD_OK || settled.paid.amount_fen != crowd->code.amount_fen;
    if (code != FD_OK)
        print_error("%s: %s\n", fd_code_name(code), local.message);
    pthread_mutex_unlock(&crowd->lock);
}

static void fifty_answers_at_once_have_one_effect(void **state)
{
    (void)state;
    struct crowd crowd = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char bill[NUMBER_BYTES], numbers[2][NUMBER_BYTES];
    bill_of("80.00", "20.00", bill, numbers);
    open_at(bill, CHANNEL_WECHAT, 0, &crowd.code);
    kit_threads(50, "ann", settle_in_crowd, &crowd);
    assert_int_equal(crowd.failed, 0);
    assert_int_equal(crowd.first, 1);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(state_of(numbers[i]), "PAID");
        assert_int_equal(paid_of(numbers[i]), i ? 2000 : 8000);
        assert_int_equal(live_of(numbers[i]), 0);
        assert_int_equal(fixture_int(online,
                                     "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'pay'",
                                     numbers[i]),
                         1);
    }
}

/* The online system's row at each channel has the order's own number. */
static void both_channels_paid_online_are_both_money(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], raw[] = "{}";
    struct settled settled;
    slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    online_code(number, "ALIPAY");
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = 8000, .raw = raw};
    for (int channel = 0; channel < CHANNEL_COUNT; channel++)
        for (int again = 0; again < 2; again++) {
            fit_printf(trade.trade_no, "77%d%s", channel, number);
            must(code_settle(ann, number, (enum channel_id)channel, &trade, "poll", &settled, &err));
            assert_int_equal(settled.first, !again);
            assert_int_equal(settled.surplus, channel == CHANNEL_ALIPAY);
        }
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM payment_record WHERE order_no = '%s' AND status = 'SUCCESS'", number),
        2);
    assert_int_equal(cases_of(number, "SURPLUS"), 8000);
}

static void what_went_back_in_the_merchants_account_is_told(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], raw[] = "{}";
    struct pay_code code;
    struct settled settled;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    struct channel_trade trade = {.state = TRADE_PAID, .refunded = true, .amount_fen = 8000, .raw = raw};
    fit_printf(trade.trade_no, "78%s", number);
    for (int again = 0; again < 2; again++)
        must(code_settle(ann, code.out_trade_no, CHANNEL_WECHAT, &trade, "poll", &settled, &err));
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(cases_of(number, "AMOUNT"), 8000);
}

static void nobody_takes_the_place_of_a_channels_word(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    slot_and_order("20.00", other);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    const char *key = fixture_text(online, "SELECT 'settle-%s'", code.out_trade_no);
    must_give(FD_BAD_INPUT,
              pay_take(ann, key, other, &(struct payment){.tender = TENDER_CASH}, &(struct paid){0}, &err));
    customer_pays(&code);
    ask_again(&code);
    assert_int_equal(code.state, CODE_PAID);
    assert_string_equal(state_of(number), "PAID");
}

static void the_doctor_finds_nothing(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "codes", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(money_that_nobody_owes_becomes_a_case),
        cmocka_unit_test(money_that_comes_too_late_is_kept),
        cmocka_unit_test(a_code_that_counted_as_dead_and_was_paid_is_money),
        cmocka_unit_test(another_amount_is_never_paid),
        cmocka_unit_test(fifty_answers_at_once_have_one_effect),
        cmocka_unit_test(both_channels_paid_online_are_both_money),
        cmocka_unit_test(what_went_back_in_the_merchants_account_is_told),
        cmocka_unit_test(nobody_takes_the_place_of_a_channels_word),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, code_kit_start, code_kit_stop);
}
