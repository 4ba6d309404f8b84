/* Money back, by every way it can have come: real orders, the real database, and both channels in the sandbox. */
#include "core/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/op.h"
#include "core/operator.h"
#include "core/param.h"
#include "fault/sound.h"
#include "money/back.h"
#include "money/case.h"
#include "money/code.h"
#include "support/sandbox.h"
#include "venue/booking.h"

#define AT_ONCE 20

static struct sandbox sandbox;
static struct desk *ann, *fin, *boss, *worker;
static struct paid paid;
static struct backed backed;

static void set_param(const char *name, int value)
{
    fixture_sql(online,
                "INSERT INTO param (name, value, updated_at, updated_by) VALUES ('%s', '%d', NOW(), 'test') "
                "ON DUPLICATE KEY UPDATE value = '%d'",
                name, value, value);
}

static int start(void **state)
{
    kit_start(state);
    char *folder = xprintf("%s/sandbox", fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    free(folder);
    sandbox_do(&sandbox, "notify off");
    sandbox_do(&sandbox, "one-minute-rule off");
    must(config_set(config, CONFIG_CHANNELS, sandbox.channels, &err));
    set_param("refund_limit_clerk", -1);
    set_param("refund_day_limit_clerk", -1);
    ann = kit_desk("ann");
    fin = kit_desk("fin");
    boss = kit_desk("boss");
    worker = kit_desk(NULL);
    must(operator_act_as_worker(worker, &err));
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    desk_close(&fin);
    desk_close(&boss);
    desk_close(&worker);
    sandbox_stop(&sandbox);
    return kit_stop(state);
}

static int before(void **state)
{
    (void)state;
    sandbox_do(&sandbox, "fault off");
    sandbox_do(&sandbox, "auto-refund 0");
    return 0;
}

static int after(void **state)
{
    (void)state;
    return sound_count(online, "after a refund", -1) == 0 ? 0 : -1;
}

static const char *next_phone(void)
{
    static char phone[16];
    static int next;
    fit_printf(phone, "1360000%04d", next++);
    return phone;
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), next_phone()));
}

static const char *state_of(const char *number)
{
    return fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

static int64_t paid_of(const char *number)
{
    return fixture_int(online, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'",
                       number);
}

static int64_t left_of_slot(const char *number)
{
    return fixture_int(online,
                       "SELECT s.remain_count FROM venue_schedule s JOIN reserve_order o ON o.schedule_id = s.id WHERE "
                       "o.order_no = '%s'",
                       number);
}

/* "CASH/30.00/SUCCESS,…" by id. */
static const char *refunds_of(const char *number)
{
    return fixture_text(online,
                        "SELECT COALESCE(GROUP_CONCAT(CONCAT_WS('/', channel, amount, status) ORDER BY id), '') FROM "
                        "refund_record WHERE order_no = '%s'",
                        number);
}

static int64_t force_of(const char *number)
{
    return fixture_int(online,
                       "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM refund_record WHERE order_no = '%s' "
                       "AND status <> 'FAILED'",
                       number);
}

static int64_t last_refund(const char *number)
{
    return fixture_int(online, "SELECT MAX(id) FROM refund_record WHERE order_no = '%s'", number);
}

static const char *refund_no(int64_t id)
{
    return fixture_text(online, "SELECT refund_no FROM refund_record WHERE id = %lld", (long long)id);
}

static int64_t cases(const char *kind, int64_t refund_id)
{
    return fixture_int(online,
                       "SELECT COUNT(*) FROM money_case WHERE kind = '%s' AND refund_id = %lld AND status <> 'CLOSED'",
                       kind, (long long)refund_id);
}

static void take(const char *number, enum tender tender, int64_t fen)
{
    const struct payment payment = {
        .tender = tender, .amount_fen = fen, .reference = tender == TENDER_CASH ? NULL : "S-1"};
    must(pay_take(ann, NULL, number, &payment, &paid, &err));
}

/* The customer scans and pays; fen 0: all that is owed. */
static void scan(const char *number, enum channel_id channel, int64_t fen)
{
    struct pay_code code;
    must(code_open(ann, NULL, number, channel, fen, &code, &err));
    sandbox_do(&sandbox, "pay %s", code.out_trade_no);
    fixture_sql(online, "UPDATE payment_record SET asked_at = NULL WHERE id = %lld", (long long)code.payment_id);
    must(code_poll(ann, code.payment_id, &code, &err));
    assert_int_equal(code.state, CODE_PAID);
}

static enum fd_code give(struct desk *desk, const char *number, enum back_kind kind, int64_t amount, const char *reason)
{
    const struct back back = {.kind = kind, .amount_fen = amount, .quantity = amount, .reference = "R-1"};
    return back_give(desk, NULL, number, &back, reason, &backed, &err);
}

/* What is due later is due now; then the worker's pass. */
static void pass(void)
{
    int64_t done;
    fixture_sql(online, "UPDATE refund_record SET next_at = NOW() WHERE next_at IS NOT NULL AND status IN ('CREATED', "
                        "'PROCESSING')");
    must(back_sweep(worker, 50, &done, &err));
}

/* Sent and asked for. */
static void sweep(void)
{
    pass();
    pass();
}

/* What the channels gave back in all, in fen. */
static int64_t ledger_back(void)
{
    struct tree *tree = sandbox_tell(&sandbox, "ledger");
    const struct tree *refunds = tree_get(tree, "refunds");
    int64_t sum = 0;
    for (size_t i = 0; i < tree_count(refunds); i++) {
        const char *state = tree_get_text(tree_at(refunds, i), "state");
        if (!state || strcmp(state, "CLOSED") != 0)
            sum += tree_get_int(tree_at(refunds, i), "amount_fen");
    }
    tree_free(&tree);
    return sum;
}

struct by_hand {
    int64_t id;
    bool in_cash, again;
};

static enum fd_code hand_apply(struct op *op, void *arg, struct fd_error *error)
{
    const struct by_hand *hand = arg;
    return hand->again ? back_again_in(op, hand->id, error)
                       : back_by_hand_in(op, hand->id, "T-77", hand->in_cash, error);
}

static enum fd_code by_hand(int64_t id, bool in_cash, bool again)
{
    struct by_hand hand = {.id = id, .in_cash = in_cash, .again = again};
    const struct op_spec spec = {.action = "order.refund", .reason = "the channel refuses", .apply = hand_apply};
    return op_run(fin, &spec, &hand, NULL, NULL, &err);
}

static void close_cases(const char *number)
{
    fixture_sql(online, "UPDATE money_case SET status = 'CLOSED', outcome = 'retried' WHERE order_no = '%s'", number);
}

static void cash_goes_back_at_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    take(number, TENDER_CASH, 0);
    const struct back back = {.kind = BACK_WHOLE};
    must(back_give(ann, "w-1", number, &back, NULL, &backed, &err));
    struct backed again;
    must(back_give(ann, "w-1", number, &back, NULL, &again, &err));
    assert_int_equal(backed.cash_fen, 8000);
    assert_string_equal(again.refund_no, backed.refund_no);
    assert_string_equal(backed.state, "REFUNDED");
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(left_of_slot(number), 5);
    assert_int_equal(paid_of(number), 0);
    assert_string_equal(refunds_of(number), "CASH/80.00/SUCCESS");
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s' AND shift IS NULL", number), 0);
    must_give(FD_KEY_REUSED, back_give(ann, "w-1", number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 100}, NULL,
                                       &backed, &err));
}

static void what_costs_nothing_has_no_row(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("0.00", number);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_string_equal(state_of(number), "REFUNDED");
    assert_string_equal(refunds_of(number), "");
    assert_int_equal(left_of_slot(number), 5);
}

static void both_channels_give_back(void **state)
{
    (void)state;
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        char number[NUMBER_BYTES];
        int64_t before_fen = ledger_back();
        order_of("80.00", number);
        scan(number, (enum channel_id)channel, 0);
        must(give(ann, number, BACK_WHOLE, 0, NULL));
        if (strcmp(state_of(number), "REFUNDED") != 0)
            sweep();
        assert_string_equal(state_of(number), "REFUNDED");
        assert_int_equal(ledger_back() - before_fen, 8000);
        assert_int_equal(left_of_slot(number), 5);
        assert_int_equal(paid_of(number), 0);
    }
}

static void until_the_channel_says_so_it_is_on_its_way(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_int_equal(backed.pending_fen, 8000);
    assert_string_equal(backed.state, "REFUNDING");
    assert_string_equal(refunds_of(number), "WECHAT/80.00/PROCESSING");
    assert_int_equal(left_of_slot(number), 4);
    sweep();
    assert_string_equal(state_of(number), "REFUNDING");
    sandbox_do(&sandbox, "refund-done %s", refund_no(last_refund(number)));
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(left_of_slot(number), 5);
    sweep();
    assert_int_equal(left_of_slot(number), 5);
}

static void one_that_fails_for_good_leaves_the_order_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    sandbox_do(&sandbox, "refund-done %s closed", refund_no(id));
    sweep();
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
    assert_int_equal(left_of_slot(number), 4);
    assert_int_equal(cases("REFUND", id), 1);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM payment_record p JOIN pay_allocation a ON a.payment_id = "
                                 "p.id WHERE a.order_no = '%s' AND p.refunded_amount <> 0",
                                 number),
                     0);
    /* And once more, with another number. */
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    sandbox_do(&sandbox, "refund-done %s", refund_no(last_refund(number)));
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    assert_string_equal(refunds_of(number), "WECHAT/80.00/FAILED,WECHAT/80.00/SUCCESS");
}

/* Finance tries again what had failed: the order goes back to the customer anew. */
static void one_that_failed_is_tried_again_whole(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    sandbox_do(&sandbox, "refund-done %s closed", refund_no(id));
    sweep();
    assert_string_equal(state_of(number), "PAID");
    must_give(FD_REFUSED, by_hand(id, false, false)); /* the order has its money: it is refunded, not the refund */
    must(by_hand(id, false, true));
    back_send_now(fin, number);
    assert_string_equal(state_of(number), "REFUNDING");
    sandbox_do(&sandbox, "refund-done %s", refund_no(last_refund(number)));
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    close_cases(number);
}

/* Places went, their money failed: it stays the customer's, and goes with the second try. */
static void a_part_that_failed_is_owed(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("30.00", number);
    must(venue_quantity_with(ann, NULL, number, 3, &(struct venue_change){0}, NULL, &err));
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_QUANTITY, 1, NULL));
    int64_t id = last_refund(number);
    sandbox_do(&sandbox, "refund-done %s closed", refund_no(id));
    sweep();
    assert_int_equal(fixture_int(online, "SELECT owed FROM refund_record WHERE id = %lld", (long long)id), 1);
    assert_int_equal(paid_of(number), 6000);
    assert_int_equal(after(state), 0);
    must_give(FD_REFUSED, give(ann, number, BACK_AMOUNT, 6001, NULL)); /* it is not the order's any more */
    must(by_hand(id, false, true));
    back_send_now(fin, number);
    sandbox_do(&sandbox, "refund-done %s", refund_no(last_refund(number)));
    sweep();
    assert_string_equal(refunds_of(number), "WECHAT/30.00/FAILED,WECHAT/30.00/SUCCESS");
    assert_int_equal(paid_of(number), 6000);
    close_cases(number);
}

/* Cash went, the channel failed: the order is on its way until a person has dealt with the rest. */
static void a_part_that_fails_is_somebodys_case(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    take(number, TENDER_CASH, 3000);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    assert_int_equal(backed.cash_fen, 3000);
    assert_int_equal(backed.pending_fen, 5000);
    sandbox_do(&sandbox, "refund-done %s closed", refund_no(id));
    sweep();
    assert_string_equal(state_of(number), "REFUNDING");
    assert_int_equal(cases("REFUND", id), 1);
    assert_int_equal(after(state), 0);
    must(by_hand(id, false, true)); /* again: a row of its own */
    assert_int_equal(fixture_int(online, "SELECT owed FROM refund_record WHERE id = %lld", (long long)id), 0);
    back_send_now(fin, number);
    int64_t second = last_refund(number);
    assert_true(second != id);
    sandbox_do(&sandbox, "refund-done %s closed", refund_no(second));
    sweep();
    assert_string_equal(state_of(number), "REFUNDING");
    must(by_hand(second, true, false)); /* finance pays it out */
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(force_of(number), 8000);
    assert_int_equal(left_of_slot(number), 5);
    must_give(FD_REFUSED, by_hand(last_refund(number), false, false));
    close_cases(number);
}

static void an_abnormal_one_stays_in_force(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    sandbox_do(&sandbox, "refund-done %s abnormal", refund_no(id));
    sweep();
    assert_string_equal(refunds_of(number), "WECHAT/80.00/ABNORMAL");
    assert_string_equal(state_of(number), "REFUNDING");
    assert_int_equal(cases("REFUND", id), 1);
    assert_int_equal(force_of(number), 8000);
    must_give(FD_WRONG_STATE, venue_cancel(ann, NULL, number, NULL, NULL, &err));
    sandbox_do(&sandbox, "refund-done %s", refund_no(id));
    must(by_hand(id, false, true)); /* asked again */
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(cases("REFUND", id), 0);
}

/* Whatever became of the first answer, one number and one refund. */
static void an_unknown_outcome_is_asked_for(void **state)
{
    (void)state;
    static const char *const faults[] = {"lost", "500-after", "500-before", "503", "429", "sign", "202", "flip"};
    for (int channel = 0; channel < CHANNEL_COUNT; channel++)
        for (size_t i = 0; i < COUNT(faults); i++) {
            char number[NUMBER_BYTES];
            int64_t before_fen = ledger_back();
            order_of("80.00", number);
            scan(number, (enum channel_id)channel, 0);
            sandbox_do(&sandbox, "fault %s 1 --at refund", faults[i]);
            must(give(ann, number, BACK_WHOLE, 0, NULL));
            sandbox_do(&sandbox, "fault off");
            sweep();
            if (strcmp(state_of(number), "REFUNDED") != 0)
                fail_msg("%s at %s: order %s, refunds %s", faults[i], channel_name((enum channel_id)channel),
                         state_of(number), refunds_of(number));
            assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s'", number),
                             1);
            assert_int_equal(ledger_back() - before_fen, 8000);
        }
}

static void the_tries_are_bounded(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    set_param("refund_tries", 3);
    param_forget(worker);
    sandbox_do(&sandbox, "fault 503 always");
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    assert_int_equal(cases("UNKNOWN", id), 0);
    assert_true(fixture_int(online, "SELECT TIMESTAMPDIFF(SECOND, NOW(), next_at) FROM refund_record WHERE id = %lld",
                            (long long)id) > 0);
    for (int i = 0; i < 5; i++)
        pass();
    assert_int_equal(fixture_int(online, "SELECT tries FROM refund_record WHERE id = %lld", (long long)id), 3);
    assert_int_equal(cases("UNKNOWN", id), 1);
    assert_string_equal(state_of(number), "REFUNDING");
    sandbox_do(&sandbox, "fault off");
    must(by_hand(id, false, true));
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(cases("UNKNOWN", id), 0);
    set_param("refund_tries", 12);
    param_forget(worker);
}

static void an_empty_account_is_tried_again(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    sandbox_do(&sandbox, "fault balance 2");
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_string_equal(refunds_of(number), "WECHAT/80.00/CREATED");
    pass();
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
}

/* Two refunds of one payment within a minute: the channel takes the second one later, with its number. */
static void the_channels_minute_is_waited_for(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "one-minute-rule on");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_AMOUNT, 1000, NULL));
    must(give(ann, number, BACK_AMOUNT, 2000, NULL));
    assert_int_equal(backed.pending_fen, 2000);
    char no[NUMBER_BYTES];
    cut_copy(no, sizeof no, refund_no(last_refund(number)));
    sandbox_do(&sandbox, "clock +61");
    sweep();
    sandbox_do(&sandbox, "one-minute-rule off");
    assert_string_equal(refunds_of(number), "WECHAT/10.00/SUCCESS,WECHAT/20.00/SUCCESS");
    assert_string_equal(refund_no(last_refund(number)), no);
}

static void parts_by_amount_sum_to_the_whole(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    int64_t before_fen = ledger_back();
    order_of("100.00", number);
    take(number, TENDER_CASH, 3333);
    scan(number, CHANNEL_WECHAT, 3333);
    scan(number, CHANNEL_ALIPAY, 0);
    must(give(ann, number, BACK_AMOUNT, 1, NULL));
    must(give(ann, number, BACK_AMOUNT, 4999, NULL));
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 10000);
    assert_int_equal(left_of_slot(number), 4);
    must_give(FD_REFUSED, give(ann, number, BACK_AMOUNT, 5001, NULL));
    assert_non_null(strstr(err.message, "50.00"));
    must(give(ann, number, BACK_AMOUNT, 5000, NULL));
    must_give(FD_REFUSED, give(ann, number, BACK_AMOUNT, 1, NULL));
    must_give(FD_BAD_INPUT, give(ann, number, BACK_AMOUNT, 0, NULL));
    sweep();
    assert_int_equal(force_of(number), 10000);
    assert_int_equal(ledger_back() - before_fen, 6667);
    /* Nothing is left, but the order may still end: its place is free again. */
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_int_equal(backed.fen, 0);
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(left_of_slot(number), 5);
}

static void a_bill_of_three_tenders_goes_back_order_by_order(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct booking_line lines[] = {{kit_slot(5, "70.00"), 1, -1}, {kit_slot(5, "50.00"), 1, -1}};
    struct booking booking = {.phone = next_phone(), .lines = lines, .line_count = 2};
    struct booked booked;
    must(booking_make(ann, NULL, &booking, &arena, &booked, &err));
    int64_t before_fen = ledger_back();
    take(booked.bill_no, TENDER_CASH, 4000);
    take(booked.bill_no, TENDER_CARD, 4000);
    scan(booked.bill_no, CHANNEL_WECHAT, 0);
    for (size_t i = 0; i < 2; i++) {
        must(give(ann, booked.orders[i].order_no, BACK_WHOLE, 0, NULL));
        sweep();
        assert_int_equal(force_of(booked.orders[i].order_no), i == 0 ? 7000 : 5000);
        assert_string_equal(state_of(booked.orders[i].order_no), "REFUNDED");
    }
    assert_int_equal(ledger_back() - before_fen, 4000);
    assert_int_equal(
        fixture_int(online,
                    "SELECT COUNT(DISTINCT p.id) FROM payment_record p JOIN pay_allocation a ON "
                    "a.payment_id = p.id WHERE a.order_no IN ('%s', '%s') AND p.refunded_amount <> p.amount",
                    booked.orders[0].order_no, booked.orders[1].order_no),
        0);
    arena_release(&arena);
}

struct rush {
    char number[NUMBER_BYTES];
    int64_t fen;
    enum fd_code codes[AT_ONCE];
};

static void rush_one(struct desk *desk, int index, void *arg)
{
    struct rush *rush = arg;
    struct fd_error local = {0};
    struct backed one;
    const struct back back = {.kind = BACK_AMOUNT, .amount_fen = rush->fen};
    rush->codes[index] = back_give(desk, NULL, rush->number, &back, NULL, &one, &local);
}

static void of_many_at_once_for_more_than_half_one_wins(void **state)
{
    (void)state;
    struct rush rush = {.fen = 4800};
    order_of("80.00", rush.number);
    take(rush.number, TENDER_CASH, 0);
    kit_threads(AT_ONCE, "ann", rush_one, &rush);
    int won = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        won += rush.codes[i] == FD_OK;
        if (rush.codes[i] != FD_OK && rush.codes[i] != FD_REFUSED)
            fail_msg("%s", fd_code_name(rush.codes[i]));
    }
    assert_int_equal(won, 1);
    assert_int_equal(force_of(rush.number), 4800);
}

/* Two orders paid by one payment: the cap of the payment alone would let one of them take the other's money. */
static void an_order_never_takes_another_ones_part(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct booking_line lines[] = {{kit_slot(5, "80.00"), 1, -1}, {kit_slot(5, "80.00"), 1, -1}};
    struct booking booking = {.phone = next_phone(), .lines = lines, .line_count = 2};
    struct booked booked;
    struct rush rush = {.fen = 4800};
    must(booking_make(ann, NULL, &booking, &arena, &booked, &err));
    take(booked.bill_no, TENDER_CASH, 0);
    cut_copy(rush.number, sizeof rush.number, booked.orders[0].order_no);
    kit_threads(AT_ONCE, "ann", rush_one, &rush);
    assert_int_equal(force_of(rush.number), 4800);
    arena_release(&arena);
}

static void result_one(struct desk *desk, int index, void *arg)
{
    struct rush *rush = arg;
    struct fd_error local = {0};
    const struct channel_backed says = {.state = BACK_SUCCESS, .refund_fen = 8000, .refund_no = "5030000700"};
    rush->codes[index] = back_result(desk, CHANNEL_WECHAT, rush->number, &says, "notice", &local);
}

static void the_same_word_of_a_channel_counts_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct rush rush = {0};
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    cut_copy(rush.number, sizeof rush.number, refund_no(last_refund(number)));
    kit_threads(AT_ONCE, "ann", result_one, &rush);
    for (int i = 0; i < AT_ONCE; i++)
        if (rush.codes[i] != FD_OK)
            fail_msg("%s", fd_code_name(rush.codes[i]));
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(left_of_slot(number), 5);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'refund_ok'",
                                 number),
                     1);
    const struct channel_backed late = {.state = BACK_CLOSED, .refund_fen = 8000};
    must(back_result(worker, CHANNEL_WECHAT, rush.number, &late, "notice", &err)); /* success is final */
    assert_string_equal(refunds_of(number), "WECHAT/80.00/SUCCESS");
    must_give(FD_NOT_FOUND, back_result(worker, CHANNEL_WECHAT, "RF0", &late, "notice", &err));
    must_give(FD_NOT_FOUND, back_result(worker, CHANNEL_ALIPAY, rush.number, &late, "notice", &err));
    sandbox_do(&sandbox, "refund-done %s", rush.number);
}

static void money_that_came_back_after_all_is_told(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    sandbox_do(&sandbox, "auto-refund off");
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    char no[NUMBER_BYTES];
    cut_copy(no, sizeof no, refund_no(id));
    struct channel_backed says = {.state = BACK_CLOSED, .refund_fen = 8000};
    must(back_result(worker, CHANNEL_WECHAT, no, &says, "notice", &err));
    assert_string_equal(state_of(number), "PAID");
    says.state = BACK_SUCCESS;
    must(back_result(worker, CHANNEL_WECHAT, no, &says, "notice", &err));
    assert_string_equal(refunds_of(number), "WECHAT/80.00/SUCCESS");
    assert_int_equal(cases("REFUND", id), 1);
    must_give(FD_REFUSED, give(ann, number, BACK_AMOUNT, 1, NULL)); /* the cap holds */
    says.refund_fen = 7900;
    must(back_result(worker, CHANNEL_WECHAT, no, &says, "notice", &err));
    /* The worker does not take it for one that is over. */
    int64_t done;
    must(cases_sweep(worker, 50, &done, &err));
    assert_int_equal(cases("REFUND", id), 1);
}

static void money_that_went_back_twice_is_told(void **state)
{
    (void)state;
    for (int in_cash = 0; in_cash < 2; in_cash++) {
        char number[NUMBER_BYTES], no[NUMBER_BYTES];
        int64_t done;
        sandbox_do(&sandbox, "auto-refund off");
        order_of("80.00", number);
        scan(number, CHANNEL_WECHAT, 0);
        must(give(ann, number, BACK_WHOLE, 0, NULL));
        int64_t id = last_refund(number);
        cut_copy(no, sizeof no, refund_no(id));
        struct channel_backed says = {.state = BACK_ABNORMAL, .refund_fen = 8000};
        must(back_result(worker, CHANNEL_WECHAT, no, &says, "notice", &err));
        must(by_hand(id, in_cash, false));
        assert_string_equal(state_of(number), "REFUNDED");
        close_cases(number);
        says.state = BACK_SUCCESS;
        must(back_result(worker, CHANNEL_WECHAT, no, &says, "notice", &err));
        assert_int_equal(cases("REFUND", id), 1);
        must(cases_sweep(worker, 50, &done, &err));
        assert_int_equal(cases("REFUND", id), 1);
        close_cases(number);
    }
}

static void cash_for_other_money_is_for_finance(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    const struct back in_cash = {.kind = BACK_WHOLE, .in_cash = true};
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    must_give(FD_NO_PERMISSION, back_give(ann, NULL, number, &in_cash, "no", &backed, &err));
    must_give(FD_REASON_NEEDED, back_give(fin, NULL, number, &in_cash, NULL, &backed, &err));
    must(back_give(fin, NULL, number, &in_cash, "the card is closed", &backed, &err));
    assert_int_equal(backed.cash_fen, 8000);
    assert_string_equal(state_of(number), "REFUNDED");
    assert_string_equal(refunds_of(number), "CASH/80.00/SUCCESS");
}

static void card_needs_its_slip(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    take(number, TENDER_CARD, 0);
    must_give(FD_BAD_INPUT, back_give(ann, NULL, number, &(struct back){.kind = BACK_WHOLE}, NULL, &backed, &err));
    assert_string_equal(state_of(number), "PAID");
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_string_equal(refunds_of(number), "CARD/80.00/SUCCESS");
    assert_string_equal(state_of(number), "REFUNDED");
}

static void a_transfer_is_given_back_by_hand(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    take(number, TENDER_TRANSFER, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    assert_int_equal(backed.pending_fen, 8000);
    assert_string_equal(state_of(number), "REFUNDING");
    assert_int_equal(cases("BY_HAND", id), 1);
    sweep();
    assert_string_equal(state_of(number), "REFUNDING");
    must_give(FD_REFUSED, by_hand(id, false, true));
    must(by_hand(id, false, false));
    assert_string_equal(state_of(number), "REFUNDED");
    assert_string_equal(
        fixture_text(online, "SELECT CONCAT(reference, channel) FROM refund_record WHERE id = %lld", (long long)id),
        "T-77TRANSFER");
    close_cases(number);
}

static void finance_may_pay_out_instead(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    take(number, TENDER_VOUCHER, 0);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    int64_t id = last_refund(number);
    must(by_hand(id, true, false));
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', channel, status, operator, shift IS NOT NULL, reason) FROM "
                                     "refund_record WHERE id = %lld",
                                     (long long)id),
                        "CASH/SUCCESS/fin/1/the channel refuses");
    assert_string_equal(state_of(number), "REFUNDED");
    close_cases(number);
}

static void what_ended_unpaid_has_nothing_to_give_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    must_give(FD_NO_PERMISSION, give(ann, number, BACK_WHOLE, 0, "why"));
    must_give(FD_REFUSED, give(fin, number, BACK_WHOLE, 0, "why"));
    assert_non_null(strstr(err.message, "Nothing is left"));
}

static void after_it_was_used_money_goes_back_alone(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    take(number, TENDER_CASH, 0);
    fixture_sql(online, "UPDATE reserve_order SET status = 'COMPLETED', check_in_time = NOW() WHERE order_no = '%s'",
                number);
    must_give(FD_NO_PERMISSION, give(ann, number, BACK_AMOUNT, 2000, "rain"));
    must_give(FD_REASON_NEEDED, give(fin, number, BACK_AMOUNT, 2000, NULL));
    must(give(fin, number, BACK_AMOUNT, 2000, "lights out"));
    assert_string_equal(state_of(number), "COMPLETED");
    must(give(fin, number, BACK_WHOLE, 0, "rain"));
    assert_int_equal(backed.fen, 6000);
    assert_string_equal(state_of(number), "COMPLETED");
    assert_int_equal(left_of_slot(number), 4);
    assert_int_equal(paid_of(number), 8000);
    must_give(FD_REFUSED, give(fin, number, BACK_WHOLE, 0, "rain"));
}

static void places_go_back_with_their_money(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("30.00", number);
    must(venue_quantity_with(ann, NULL, number, 3, &(struct venue_change){0}, NULL, &err));
    take(number, TENDER_CASH, 5000);
    scan(number, CHANNEL_ALIPAY, 0);
    must_give(FD_BAD_INPUT, give(ann, number, BACK_QUANTITY, 3, NULL));
    must(give(ann, number, BACK_QUANTITY, 2, NULL));
    sweep();
    assert_int_equal(backed.fen, 6000);
    assert_int_equal(left_of_slot(number), 4);
    assert_int_equal(paid_of(number), 3000);
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', quantity, total_amount, status) FROM reserve_order "
                                     "WHERE order_no = '%s'",
                                     number),
                        "1/30.00/PAID");
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    sweep();
    assert_int_equal(left_of_slot(number), 5);
    assert_int_equal(force_of(number), 9000);
}

static void an_unpaid_order_is_cancelled_instead(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must_give(FD_UNPAID, give(ann, number, BACK_WHOLE, 0, NULL));
    take(number, TENDER_CASH, 3000);
    scan(number, CHANNEL_WECHAT, 2000);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    sweep();
    assert_string_equal(state_of(number), "CANCELLED");
    assert_string_equal(refunds_of(number), "CASH/30.00/SUCCESS,WECHAT/20.00/SUCCESS");
    assert_int_equal(left_of_slot(number), 5);
}

/* Paid in the app: a row of the order's own number, made at the same merchant. */
static void pay_online(const char *number, const char *amount)
{
    fixture_sql(online, "UPDATE reserve_order SET status = 'PAID', paid_time = NOW() WHERE order_no = '%s'", number);
    if (amount)
        fixture_sql(online,
                    "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time) VALUES "
                    "('%s', 'wx-%s', 'WECHAT', %s, 'SUCCESS', NOW())",
                    number, number, amount);
}

static void money_paid_online_goes_back_through_the_same_merchant(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct channel *channel;
    char code[CHANNEL_CODE_BYTES];
    struct channel_trouble trouble;
    int64_t before_fen = ledger_back();
    wall_t now;
    order_of("80.00", number);
    must(desk_channel(ann, CHANNEL_WECHAT, &channel, &err));
    must(desk_now(ann, &now, &err));
    const struct channel_order order = {
        .out_trade_no = number, .amount_fen = 8000, .subject = "court", .until = now + 900};
    assert_int_equal(channel_create(channel, &order, code, &trouble), CHANNEL_DONE);
    sandbox_do(&sandbox, "pay %s", number);
    pay_online(number, "80");
    must(give(ann, number, BACK_AMOUNT, 1000, NULL));
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_int_equal(backed.fen, 7000);
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(ledger_back() - before_fen, 8000);
    assert_int_equal(paid_of(number), 0);
}

static void what_nothing_says_was_paid_does_not_go_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct arena arena = {0};
    const char *why;
    order_of("80.00", number);
    pay_online(number, NULL);
    must_give(FD_MONEY_BACK, give(ann, number, BACK_WHOLE, 0, NULL));
    must_give(FD_MONEY_BACK, venue_cancel(ann, NULL, number, NULL, NULL, &err));
    must(why_order(ann, number, &arena, &why, &err));
    assert_null(strstr(why, "money back"));
    assert_non_null(strstr(why, "Nothing here says"));
    assert_string_equal(state_of(number), "PAID");
    pay_online(number, "-80"); /* nonsense written online */
    must_give(FD_MONEY_BACK, give(ann, number, BACK_WHOLE, 0, NULL));
    must_give(FD_MONEY_BACK, give(ann, number, BACK_AMOUNT, 100, NULL));
    assert_string_equal(refunds_of(number), "");
    fixture_sql(online, "UPDATE payment_record SET amount = 80 WHERE order_no = '%s'", number);
    must(why_order(ann, number, &arena, &why, &err));
    assert_non_null(strstr(why, "money back"));
    arena_release(&arena);
}

/* A trade that this merchant never had: after all tries it is known that nothing went back. */
static void a_trade_that_is_not_there_fails_in_the_end(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    pay_online(number, "80");
    set_param("refund_tries", 2);
    param_forget(ann);
    param_forget(worker);
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    assert_string_equal(state_of(number), "REFUNDING");
    sweep();
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(cases("REFUND", last_refund(number)), 1);
    set_param("refund_tries", 12);
    param_forget(ann);
    param_forget(worker);
}

/* A desk that may call nobody leaves it to the worker. */
static void a_desk_without_a_channel_leaves_it_to_the_worker(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    scan(number, CHANNEL_WECHAT, 0);
    ann->no_channel = true;
    must(give(ann, number, BACK_WHOLE, 0, NULL));
    ann->no_channel = false;
    assert_string_equal(refunds_of(number), "WECHAT/80.00/CREATED");
    sweep();
    assert_string_equal(state_of(number), "REFUNDED");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cash_goes_back_at_once),
        TEST(what_costs_nothing_has_no_row),
        TEST(both_channels_give_back),
        TEST(until_the_channel_says_so_it_is_on_its_way),
        TEST(one_that_fails_for_good_leaves_the_order_paid),
        TEST(one_that_failed_is_tried_again_whole),
        TEST(a_part_that_failed_is_owed),
        TEST(a_part_that_fails_is_somebodys_case),
        TEST(an_abnormal_one_stays_in_force),
        TEST(an_unknown_outcome_is_asked_for),
        TEST(the_tries_are_bounded),
        TEST(an_empty_account_is_tried_again),
        TEST(the_channels_minute_is_waited_for),
        TEST(parts_by_amount_sum_to_the_whole),
        TEST(a_bill_of_three_tenders_goes_back_order_by_order),
        TEST(of_many_at_once_for_more_than_half_one_wins),
        TEST(an_order_never_takes_another_ones_part),
        TEST(the_same_word_of_a_channel_counts_once),
        TEST(money_that_came_back_after_all_is_told),
        TEST(money_that_went_back_twice_is_told),
        TEST(cash_for_other_money_is_for_finance),
        TEST(card_needs_its_slip),
        TEST(a_transfer_is_given_back_by_hand),
        TEST(finance_may_pay_out_instead),
        TEST(what_ended_unpaid_has_nothing_to_give_back),
        TEST(after_it_was_used_money_goes_back_alone),
        TEST(places_go_back_with_their_money),
        TEST(an_unpaid_order_is_cancelled_instead),
        TEST(money_paid_online_goes_back_through_the_same_merchant),
        TEST(a_trade_that_is_not_there_fails_in_the_end),
        TEST(a_desk_without_a_channel_leaves_it_to_the_worker),
        /* Last: what the online system says was paid with nothing breaks a rule of the doctor, rightly. */
        cmocka_unit_test_setup(what_nothing_says_was_paid_does_not_go_back, before),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
