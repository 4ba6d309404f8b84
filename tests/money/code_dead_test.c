/* Payment codes that a channel does not have, refuses, or does not tell of; and what its clock has to do with it. */
#include "money/code_kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fault/sound.h"
#include "money/case.h"
#include "money/code_internal.h"
#include "venue/booking.h"

static struct desk *fin;

static int start(void **state)
{
    action_register(case_actions);
    code_kit_start(state);
    fin = kit_desk("fin");
    return 0;
}

static int stop(void **state)
{
    desk_close(&fin);
    return code_kit_stop(state);
}

/* The worker, an hour later. */
static void sweep(void)
{
    int64_t done;
    fixture_sql(online, "UPDATE payment_record SET asked_at = NOW() - INTERVAL 1 HOUR WHERE status = 'CREATED'");
    must(codes_sweep(worker, 50, &done, &err));
}

/* WeChat neither has it nor takes it: nothing can be paid there once no request of ours can be on its way any more. */
static void a_code_that_is_refused_for_good_comes_to_its_end(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES];
    struct pay_code code, other;
    int64_t slot = slot_and_order("80.00", number);
    sandbox_do(&sandbox, "fault 503 1 --at create");
    open_at(number, CHANNEL_WECHAT, 0, &code);
    sandbox_do(&sandbox, "fault refused always --channel wechat");
    ask_again(&code);
    assert_int_equal(code.state, CODE_CHECKING);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_CHECKING);
    must_give(FD_LIVE_CODE, venue_cancel(ann, NULL, number, NULL, NULL, &err));
    assert_non_null(strstr(err.message, "until"));
    /* The other way to pay is open meanwhile, this one is not. */
    must_give(FD_LIVE_CODE, code_open(ann, NULL, number, CHANNEL_WECHAT, 1000, &other, &err));
    must(code_open(ann, NULL, number, CHANNEL_ALIPAY, 0, &other, &err));
    assert_int_equal(other.state, CODE_WAITING);
    sandbox_do(&sandbox, "scan %s", other.out_trade_no);
    must(code_close(ann, other.payment_id, &other, &err));
    assert_int_equal(other.state, CODE_DEAD);
    run_out(number, CODE_WECHAT_LATE_S - 30);
    must_give(FD_LIVE_CODE, book(bea, slot, next_phone(), got, &err));
    assert_non_null(strstr(err.message, "until"));
    run_out(number, CODE_WECHAT_LATE_S + 1);
    sweep();
    sandbox_do(&sandbox, "fault off");
    assert_int_equal(live_of(number), 0);
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT(status, channel_return_code) FROM payment_record "
                                     "WHERE id = %lld",
                                     (long long)code.payment_id),
                        "FAILEDNOT_FOUND");
    must(book(bea, slot, next_phone(), got, &err));
}

/* Its case ends with it, and says why. */
static void a_case_of_a_silent_code_ends_with_the_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    int64_t done;
    slot_and_order("80.00", number);
    sandbox_do(&sandbox, "fault 503 always");
    open_at(number, CHANNEL_WECHAT, 0, &code);
    run_out(number, 3 * 3600);
    sweep();
    must(cases_sweep(worker, 50, &done, &err));
    assert_int_equal(cases_of(number, "UNKNOWN"), 8000);
    sandbox_do(&sandbox, "fault off");
    ask_again(&code);
    assert_int_equal(code.state, CODE_DEAD);
    must(cases_sweep(worker, 50, &done, &err));
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', status, outcome, reason) FROM money_case "
                                     "WHERE order_no = '%s' AND kind = 'UNKNOWN'",
                                     number),
                        "CLOSED/settled/the channel has no such order, and its time is over");
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
}

/* What the online system opened, and WeChat neither has nor takes, is dead when it would be without any channel. */
static void a_refused_code_of_the_online_system_dies_with_time(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES];
    int64_t slot = slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    run_out(number, 3600);
    sandbox_do(&sandbox, "fault refused always --channel wechat");
    must_give(FD_LIVE_CODE, book(bea, slot, next_phone(), got, &err));
    assert_non_null(strstr(err.message, "until"));
    run_out(number, 7200 + 5);
    must(book(bea, slot, next_phone(), got, &err));
    sandbox_do(&sandbox, "fault off");
    assert_string_equal(state_of(number), "CANCELLED");
}

/* Two channels, whose clock is minutes off: what is made to be closed is made by their clock, and "not exist" counts
 * when its time is over by both. */
static void the_channels_clock_is_off(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], text[200];
    struct pay_code code;
    struct channel *channel;
    int64_t skew_s, done;
    slot_and_order("80.00", number);
    sandbox_do(&sandbox, "skew 240");
    sandbox_do(&sandbox, "fault 503 1 --at create");
    open_at(number, CHANNEL_WECHAT, 0, &code);
    run_out(number, 5);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_DEAD);
    must(desk_channel(ann, CHANNEL_WECHAT, &channel, &err));
    assert_true(channel_skew(channel, &skew_s));
    assert_true(skew_s >= 238 && skew_s <= 242);
    assert_non_null(strstr(channel_clock(channel, text, sizeof text), "slow"));
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    sandbox_do(&sandbox, "skew -240");
    run_out(number, 100);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_WAITING);
    run_out(number, 240 + 70);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_DEAD);
    sandbox_do(&sandbox, "skew 0");
    must(venue_expire_due(worker, 50, &done, &err));
}

/* Over five minutes nothing that WeChat says is believed: the code stays, its case says why, and it ends when the clock
 * is right again. */
static void a_clock_that_is_quite_wrong_keeps_a_code_open(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    int64_t done;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    sandbox_do(&sandbox, "skew 900");
    run_out(number, 3 * 3600);
    sweep();
    must(cases_sweep(worker, 50, &done, &err));
    assert_int_equal(live_of(number), 1);
    assert_string_equal(fixture_text(online, "SELECT cause FROM money_case WHERE order_no = '%s'", number),
                        "the channel's answers are not believed: its clock and this machine's differ");
    struct case_closing closing = {.how = CASE_RETRIED};
    int64_t id = fixture_int(online, "SELECT id FROM money_case WHERE order_no = '%s'", number);
    must_give(FD_CHANNEL, case_close(fin, NULL, id, &closing, NULL, &err));
    assert_non_null(strstr(err.hint, "clock"));
    sandbox_do(&sandbox, "skew 0");
    fixture_sql(online, "UPDATE payment_record SET asked_at = NULL WHERE id = %lld", (long long)code.payment_id);
    must(case_close(fin, NULL, id, &closing, NULL, &err));
    assert_int_equal(live_of(number), 0);
    assert_string_equal(state_of(number), "PENDING_PAY");
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
}

static void the_doctor_finds_nothing(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "dead codes", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_that_is_refused_for_good_comes_to_its_end),
        cmocka_unit_test(a_case_of_a_silent_code_ends_with_the_code),
        cmocka_unit_test(a_refused_code_of_the_online_system_dies_with_time),
        cmocka_unit_test(the_channels_clock_is_off),
        cmocka_unit_test(a_clock_that_is_quite_wrong_keeps_a_code_open),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
