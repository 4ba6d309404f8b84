/* Payment codes against the real database and the sandbox that speaks both channels' protocols. */
#include "core/kit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/action.h"
#include "core/op.h"
#include "core/operator.h"
#include "fault/sound.h"
#include "money/code.h"
#include "support/sandbox.h"
#include "venue/booking.h"

#define ROUNDS 200

static struct sandbox sandbox;
static struct desk *ann, *bea, *worker;

static int start(void **state)
{
    kit_start(state);
    char *folder = xprintf("%s/sandbox", fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    free(folder);
    sandbox_do(&sandbox, "notify off");
    must(config_set(config, CONFIG_CHANNELS, sandbox.channels, &err));
    ann = kit_desk("ann");
    bea = kit_desk("ann");
    cut_copy(bea->terminal, sizeof bea->terminal, "desk2");
    worker = kit_desk(NULL);
    must(operator_act_as_worker(worker, &err));
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    desk_close(&bea);
    desk_close(&worker);
    sandbox_stop(&sandbox);
    return kit_stop(state);
}

static const char *next_phone(void)
{
    static char phone[16];
    static int next;
    fit_printf(phone, "1370000%04d", next++);
    return phone;
}

static int64_t slot_and_order(const char *price, char number[NUMBER_BYTES])
{
    int64_t slot = kit_slot(1, price);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, slot, next_phone()));
    return slot;
}

static enum fd_code book(struct desk *desk, int64_t slot, const char *phone, char number[NUMBER_BYTES],
                         struct fd_error *error)
{
    struct arena arena = {0};
    struct booking_line line = {.slot_id = slot, .quantity = 1, .seen_price_fen = -1};
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1};
    struct booked booked;
    enum fd_code code = booking_make(desk, NULL, &booking, &arena, &booked, error);
    if (code == FD_OK)
        cut_copy(number, NUMBER_BYTES, booked.orders[0].order_no);
    arena_release(&arena);
    return code;
}

static void open_at(const char *number, enum channel_id channel, int64_t amount_fen, struct pay_code *code)
{
    must(code_open(ann, NULL, number, channel, amount_fen, code, &err));
}

/* SQLs below: one text about an order or a payment. */
static const char *state_of(const char *number)
{
    return fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

static int64_t paid_of(const char *number)
{
    return fixture_int(online, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'",
                       number);
}

static int64_t live_of(const char *number)
{
    return fixture_int(online, "SELECT live_codes FROM reserve_order WHERE order_no = '%s'", number);
}

static const char *row_of(const struct pay_code *code)
{
    return fixture_text(online,
                        "SELECT CONCAT_WS('/', channel, status, amount, operator, terminal, receipt_no = '%s', "
                        "confirmed_at IS NOT NULL) FROM payment_record WHERE id = %lld",
                        code->receipt_no, (long long)code->payment_id);
}

static int64_t cases_of(const char *number, const char *kind)
{
    return fixture_int(online,
                       "SELECT COALESCE(SUM(amount) * 100, 0) FROM money_case WHERE order_no = '%s' AND kind = '%s' "
                       "AND status = 'OPEN'",
                       number, kind);
}

/* As if it had been opened so many seconds earlier than its end and then some. */
static void run_out(const char *number, int seconds)
{
    fixture_sql(online, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL %d SECOND WHERE order_no = '%s'",
                seconds, number);
    fixture_sql(online,
                "UPDATE payment_record p JOIN pay_allocation a ON a.payment_id = p.id SET p.code_until = NOW() - "
                "INTERVAL %d SECOND WHERE a.order_no = '%s' AND p.status = 'CREATED'",
                seconds, number);
}

static void customer_pays(const struct pay_code *code)
{
    sandbox_do(&sandbox, "pay %s", code->out_trade_no);
}

/* At most one question a second is asked. */
static void ask_again(struct pay_code *code)
{
    fixture_sql(online, "UPDATE payment_record SET asked_at = NULL WHERE id = %lld", (long long)code->payment_id);
    must(code_poll(ann, code->payment_id, code, &err));
}

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

/* Two slots in one bill. */
static void bill_of(const char *first, const char *second, char bill[NUMBER_BYTES], char numbers[2][NUMBER_BYTES])
{
    struct arena arena = {0};
    struct booking_line lines[] = {{kit_slot(5, first), 1, -1}, {kit_slot(5, second), 1, -1}};
    struct booking booking = {.phone = next_phone(), .lines = lines, .line_count = 2};
    struct booked booked;
    must(booking_make(ann, NULL, &booking, &arena, &booked, &err));
    cut_copy(bill, NUMBER_BYTES, booked.bill_no);
    for (int i = 0; i < 2; i++)
        cut_copy(numbers[i], NUMBER_BYTES, booked.orders[i].order_no);
    arena_release(&arena);
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

static struct channel_trade trade_of(const struct pay_code *code, int64_t amount_fen)
{
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = amount_fen, .paid_at = WALL_NONE};
    static char raw[] = "{\"trade_state\":\"SUCCESS\"}";
    trade.raw = raw;
    fit_printf(trade.trade_no, "4200%s", code->out_trade_no);
    return trade;
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

static void a_desk_without_channel_says_so_at_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    bea->no_channel = true;
    must_give(FD_LIVE_CODE, code_open(bea, NULL, number, CHANNEL_ALIPAY, 0, &code, &err));
    must_give(FD_LIVE_CODE, venue_cancel(bea, "k-no", number, NULL, NULL, &err));
    bea->no_channel = false;
    must(venue_cancel(bea, "k-no", number, NULL, NULL, &err));
    assert_string_equal(state_of(number), "CANCELLED");
}

static void cancelling_meets_a_live_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    must_give(FD_LIVE_CODE, venue_cancel(ann, NULL, number, NULL, NULL, &err));
    assert_non_null(strstr(err.message, "until"));
    assert_string_equal(state_of(number), "PENDING_PAY");
    sandbox_do(&sandbox, "scan %s", code.out_trade_no);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    assert_string_equal(state_of(number), "CANCELLED");
    /* The customer was faster: it is paid, and the cancel gives the money back. */
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s'", number), 1);
    assert_string_not_equal(state_of(number), "CANCELLED");
}

static void another_amount_closes_the_code_first(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct paid paid;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must(venue_move(ann, NULL, number, kit_slot(1, "60.00"), NULL, NULL, &paid, &err));
    assert_string_equal(row_of(&code), "WECHAT/FAILED/80.00/ann/desk1/1/0");
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    assert_int_equal(code.amount_fen, 6000);
    must_give(FD_LIVE_CODE, venue_move(ann, NULL, number, kit_slot(1, "50.00"), NULL, NULL, &paid, &err));
    /* The same amount stays what the code says. */
    must(venue_move(ann, NULL, number, kit_slot(1, "60.00"), NULL, NULL, &paid, &err));
    customer_pays(&code);
    ask_again(&code);
    assert_string_equal(state_of(number), "PAID");
}

static void a_booking_meets_a_run_out_hold_with_a_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES];
    struct pay_code code;
    int64_t slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must_give(FD_SLOT_TAKEN, book(bea, slot, next_phone(), got, &err));
    run_out(number, 5);
    must(book(bea, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "CANCELLED");
    assert_string_equal(row_of(&code), "WECHAT/FAILED/80.00/ann/desk1/1/0");

    slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    run_out(number, 5);
    must_give(FD_LIVE_CODE, book(bea, slot, next_phone(), got, &err));
    assert_non_null(strstr(err.message, "until"));
    run_out(number, 61);
    must(book(bea, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "CANCELLED");

    slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    run_out(number, 5);
    must_give(FD_SLOT_TAKEN, book(bea, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "PAID");

    /* A channel that does not answer: the place stays taken. */
    slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    run_out(number, 5);
    sandbox_do(&sandbox, "fault 503 always");
    must_give(FD_LIVE_CODE, book(bea, slot, next_phone(), got, &err));
    sandbox_do(&sandbox, "fault off");
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(live_of(number), 1);
    must(book(bea, slot, next_phone(), got, &err));
}

/* A WeChat order that the channel has never heard of: made and closed, because only "closed" counts. */
static void a_code_that_was_never_sent_comes_to_its_end(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    slot_and_order("80.00", number);
    sandbox_do(&sandbox, "fault 503 1 --at create");
    open_at(number, CHANNEL_WECHAT, 0, &code);
    assert_int_equal(code.state, CODE_CHECKING);
    run_out(number, 5);
    must(code_close(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_DEAD);
    assert_string_equal(fixture_text(online, "SELECT channel_return_code FROM payment_record WHERE id = %lld",
                                     (long long)code.payment_id),
                        "CLOSED");
    assert_int_equal(live_of(number), 0);
}

/* What the online system writes when its customer opens the payment sheet. */
static void online_code(const char *number, const char *channel)
{
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, channel, amount, status) VALUES ('%s', '%s', 80, 'CREATED')",
                number, channel);
}

static void codes_of_the_online_system_are_ended_too(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES];
    bool live, done;
    int64_t slot = slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    must(codes_live(ann->db, number, &live, &err));
    db_rollback(ann->db);
    assert_true(live);
    run_out(number, 5);
    /* Not by its own condition, whoever fires it. */
    must(venue_expire(worker, fixture_int(online, "SELECT id FROM reserve_order WHERE order_no = '%s'", number), &done,
                      &err));
    assert_false(done);
    must(book(bea, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "CANCELLED");
    assert_string_equal(
        fixture_text(online, "SELECT CONCAT(status, channel_return_code) FROM payment_record WHERE order_no = '%s'",
                     number),
        "FAILEDCLOSED");
    assert_int_equal(live_of(number), 0);

    slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    assert_string_equal(state_of(number), "CANCELLED");

    slot = slot_and_order("80.00", number);
    online_code(number, "ALIPAY");
    must_give(FD_LIVE_CODE, venue_cancel(ann, NULL, number, NULL, NULL, &err));
    run_out(number, 30);
    must_give(FD_LIVE_CODE, book(bea, slot, next_phone(), got, &err));
    run_out(number, 61);
    must(book(bea, slot, next_phone(), got, &err));
}

static void a_code_of_the_online_system_is_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES], text[CHANNEL_CODE_BYTES];
    struct channel *channel;
    struct channel_trouble trouble = {0};
    int64_t slot = slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    must(desk_channel(ann, CHANNEL_WECHAT, &channel, &err));
    const struct channel_order order = {
        number, 8000, "online",
        fixture_int(online, "SELECT TIMESTAMPDIFF(SECOND, '1970-01-01', NOW() + INTERVAL 10 MINUTE)")};
    assert_int_equal(channel_create(channel, &order, text, &trouble), CHANNEL_DONE);
    sandbox_do(&sandbox, "pay %s", number);
    run_out(number, 5);
    must_give(FD_SLOT_TAKEN, book(bea, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "PAID");
    /* It is not the desk's money. */
    assert_int_equal(paid_of(number), 0);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM payment_record WHERE order_no = '%s' AND status = 'SUCCESS' "
                                 "AND payment_no IS NOT NULL AND operator IS NULL",
                                 number),
                     1);
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

static void without_a_channel_online_codes_die_with_time(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], got[NUMBER_BYTES];
    struct config *bare = NULL;
    struct desk *desk = kit_desk("ann");
    must(config_load(NULL, &bare, &err));
    desk->config = bare;
    int64_t slot = slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    run_out(number, 3600);
    must_give(FD_LIVE_CODE, book(desk, slot, next_phone(), got, &err));
    run_out(number, 7200 + 5);
    must(book(desk, slot, next_phone(), got, &err));
    assert_string_equal(state_of(number), "CANCELLED");
    /* One of ours is not given up by the clock. */
    struct pay_code code;
    slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    run_out(number, 7200 + 5);
    must_give(FD_LIVE_CODE, book(desk, slot, next_phone(), got, &err));
    must(book(ann, slot, next_phone(), got, &err));
    desk_close(&desk);
    /* A file that cannot be read: nothing is asked, nothing given up, and the worker goes on. */
    must(config_set(bare, CONFIG_CHANNELS, "/nonexistent", &err));
    desk = kit_desk("ann");
    desk->config = bare;
    int64_t done = 1;
    must(codes_sweep(desk, 50, &done, &err));
    assert_int_equal(done, 0);
    slot = slot_and_order("80.00", number);
    online_code(number, "WECHAT");
    run_out(number, 7200 + 5);
    must(codes_sweep(desk, 50, &done, &err));
    bool freed;
    must(venue_expire(desk, fixture_int(online, "SELECT id FROM reserve_order WHERE order_no = '%s'", number), &freed,
                      &err));
    assert_false(freed);
    must(book(ann, slot, next_phone(), got, &err));
    desk_close(&desk);
    config_free(bare);
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

static void the_worker_asks_and_closes(void **state)
{
    (void)state;
    char paid[NUMBER_BYTES], over[NUMBER_BYTES], waits[NUMBER_BYTES], cash[NUMBER_BYTES], web[NUMBER_BYTES];
    struct pay_code code;
    struct paid taken;
    int64_t done, tries;
    must(codes_sweep(worker, 50, &done, &err));
    slot_and_order("80.00", paid);
    open_at(paid, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    slot_and_order("80.00", cash);
    open_at(cash, CHANNEL_WECHAT, 0, &code);
    must(pay_take(ann, NULL, cash, &(struct payment){.tender = TENDER_CASH}, &taken, &err));
    slot_and_order("80.00", waits);
    open_at(waits, CHANNEL_ALIPAY, 0, &code);
    slot_and_order("80.00", over);
    open_at(over, CHANNEL_WECHAT, 0, &code);
    run_out(over, 5);
    slot_and_order("80.00", web);
    online_code(web, "WECHAT");
    run_out(web, 5);
    fixture_sql(online, "UPDATE payment_record SET asked_at = asked_at - INTERVAL 6 SECOND WHERE status = 'CREATED'");
    must(codes_sweep(worker, 50, &done, &err));
    assert_true(done >= 5);
    assert_string_equal(state_of(paid), "PAID");
    assert_int_equal(live_of(cash), 0);
    assert_int_equal(live_of(over), 0);
    assert_int_equal(live_of(waits), 1);
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM payment_record WHERE order_no = '%s' AND status = 'FAILED'", web), 1);
    must(venue_expire_due(worker, 50, &done, &err));
    assert_string_equal(state_of(over), "CANCELLED");
    assert_string_equal(state_of(web), "CANCELLED");
    /* It waits longer every time. */
    tries = fixture_int(online,
                        "SELECT tries FROM payment_record WHERE status = 'CREATED' AND id = (SELECT MAX(payment_id) "
                        "FROM pay_allocation WHERE order_no = '%s')",
                        waits);
    assert_int_equal(tries, 1);
    fixture_sql(online, "UPDATE payment_record SET asked_at = NOW() - INTERVAL 20 SECOND WHERE status = 'CREATED'");
    must(codes_sweep(worker, 50, &done, &err));
    assert_int_equal(fixture_int(online,
                                 "SELECT tries FROM payment_record WHERE status = 'CREATED' AND id = (SELECT "
                                 "MAX(payment_id) FROM pay_allocation WHERE order_no = '%s')",
                                 waits),
                     tries);
    run_out(waits, 61);
    must(codes_sweep(worker, 50, &done, &err));
    assert_int_equal(live_of(waits), 0);
}

/* An expired hold with a live code; another clerk wants the place; the customer pays at that moment. */
struct moment {
    int64_t slot;
    struct pay_code code;
    char phone[16];
    enum fd_code booked;
    pthread_barrier_t barrier;
    uint32_t wait_ms; /* the clerk's, at most */
};

static void *clerk_books(void *arg)
{
    struct moment *moment = arg;
    char got[NUMBER_BYTES];
    struct fd_error local = {0};
    pthread_barrier_wait(&moment->barrier);
    sleep_ms(random_below(moment->wait_ms + 1));
    moment->booked = book(bea, moment->slot, moment->phone, got, &local);
    return NULL;
}

/* What it says where the code is closed is not this program's. */
static int try_to_pay(const struct pay_code *code)
{
    int status, kept = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY);
    dup2(none, STDERR_FILENO);
    struct tree *answer = sandbox_try(&sandbox, &status, "pay %s", code->out_trade_no);
    dup2(kept, STDERR_FILENO);
    close(none);
    close(kept);
    tree_free(&answer);
    return status;
}

static void never_both(void **state)
{
    (void)state;
    int paid = 0, given = 0;
    /* However fast this machine is: who won waits longer the next time, so that they meet. */
    uint32_t wait_ms = 20;
    for (int round = 0; round < ROUNDS; round++) {
        struct moment moment = {.wait_ms = wait_ms};
        char number[NUMBER_BYTES];
        pthread_t thread;
        int status;
        moment.slot = slot_and_order("80.00", number);
        open_at(number, round % 2 ? CHANNEL_WECHAT : CHANNEL_ALIPAY, 0, &moment.code);
        if (round % 2 == 0)
            sandbox_do(&sandbox, "scan %s", moment.code.out_trade_no);
        run_out(number, 5);
        cut_copy(moment.phone, sizeof moment.phone, next_phone());
        pthread_barrier_init(&moment.barrier, NULL, 2);
        assert_int_equal(pthread_create(&thread, NULL, clerk_books, &moment), 0);
        pthread_barrier_wait(&moment.barrier);
        status = try_to_pay(&moment.code);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&moment.barrier);
        ask_again(&moment.code);
        bool is_paid = strcmp(state_of(number), "PAID") == 0;
        if ((status == 0) != is_paid)
            fail_msg("round %d: the customer %s, the order is %s", round, status == 0 ? "paid" : "could not pay",
                     state_of(number));
        if (is_paid == (moment.booked == FD_OK))
            fail_msg("round %d: the order is %s, the booking gave %s", round, state_of(number),
                     fd_code_name(moment.booked));
        paid += is_paid;
        given += moment.booked == FD_OK;
        wait_ms = is_paid ? wait_ms - wait_ms / 8 : wait_ms + wait_ms / 8 + 1;
    }
    print_message("paid %d, given to the next %d\n", paid, given);
    assert_int_equal(paid + given, ROUNDS);
    assert_true(paid > 0 && given > 0);
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
        cmocka_unit_test(money_that_nobody_owes_becomes_a_case),
        cmocka_unit_test(money_that_comes_too_late_is_kept),
        cmocka_unit_test(a_code_that_counted_as_dead_and_was_paid_is_money),
        cmocka_unit_test(another_amount_is_never_paid),
        cmocka_unit_test(fifty_answers_at_once_have_one_effect),
        cmocka_unit_test(many_desks_open_one_code),
        cmocka_unit_test(an_answer_that_is_lost_is_asked_for),
        cmocka_unit_test(a_wrong_key_refuses_for_good),
        cmocka_unit_test(a_desk_without_channel_says_so_at_once),
        cmocka_unit_test(cancelling_meets_a_live_code),
        cmocka_unit_test(another_amount_closes_the_code_first),
        cmocka_unit_test(a_booking_meets_a_run_out_hold_with_a_code),
        cmocka_unit_test(a_code_that_was_never_sent_comes_to_its_end),
        cmocka_unit_test(codes_of_the_online_system_are_ended_too),
        cmocka_unit_test(a_code_of_the_online_system_is_paid),
        cmocka_unit_test(both_channels_paid_online_are_both_money),
        cmocka_unit_test(what_went_back_in_the_merchants_account_is_told),
        cmocka_unit_test(nobody_takes_the_place_of_a_channels_word),
        cmocka_unit_test(an_old_code_is_made_anew_once),
        cmocka_unit_test(cash_and_codes_at_once_add_up),
        cmocka_unit_test(a_code_that_is_almost_over_is_opened_anew),
        cmocka_unit_test(only_the_counter_opens_codes),
        cmocka_unit_test(without_a_channel_online_codes_die_with_time),
        cmocka_unit_test(a_due_is_paid_by_a_code),
        cmocka_unit_test(the_worker_asks_and_closes),
        cmocka_unit_test(never_both),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
