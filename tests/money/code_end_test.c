/* Payment codes that stand in the way: of a cancel, a move, the next customer; and how the worker ends them. */
#include "money/code_kit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fault/sound.h"
#include "venue/booking.h"

#define ROUNDS 200

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
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    must(venue_move_with(ann, NULL, number, kit_slot(1, "60.00"), &(struct venue_change){0}, NULL, &err));
    assert_string_equal(row_of(&code), "WECHAT/FAILED/80.00/ann/desk1/1/0");
    open_at(number, CHANNEL_ALIPAY, 0, &code);
    assert_int_equal(code.amount_fen, 6000);
    must_give(FD_LIVE_CODE,
              venue_move_with(ann, NULL, number, kit_slot(1, "50.00"), &(struct venue_change){0}, NULL, &err));
    /* The same amount stays what the code says. */
    must(venue_move_with(ann, NULL, number, kit_slot(1, "60.00"), &(struct venue_change){0}, NULL, &err));
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
        cmocka_unit_test(a_desk_without_channel_says_so_at_once),
        cmocka_unit_test(cancelling_meets_a_live_code),
        cmocka_unit_test(another_amount_closes_the_code_first),
        cmocka_unit_test(a_booking_meets_a_run_out_hold_with_a_code),
        cmocka_unit_test(a_code_that_was_never_sent_comes_to_its_end),
        cmocka_unit_test(codes_of_the_online_system_are_ended_too),
        cmocka_unit_test(a_code_of_the_online_system_is_paid),
        cmocka_unit_test(without_a_channel_online_codes_die_with_time),
        cmocka_unit_test(the_worker_asks_and_closes),
        cmocka_unit_test(never_both),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, code_kit_start, code_kit_stop);
}
