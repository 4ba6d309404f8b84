/* Changing what an order costs: unpaid, paid, up, down, and while the customer pays the code that is on the screen. */
#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/operator.h"
#include "core/param.h"
#include "fault/sound.h"
#include "money/code.h"
#include "money/price.h"
#include "support/sandbox.h"
#include "venue/booking.h"

#define ROUNDS 200

static struct sandbox sandbox;
static struct desk *ann, *bea, *fin, *boss, *worker;
static struct paid paid;
static struct repriced repriced;

static int start(void **state)
{
    kit_start(state);
    char *folder = xprintf("%s/sandbox", fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    free(folder);
    sandbox_do(&sandbox, "notify off");
    sandbox_do(&sandbox, "one-minute-rule off");
    sandbox_do(&sandbox, "auto-refund 0");
    must(config_set(config, CONFIG_CHANNELS, sandbox.channels, &err));
    ann = kit_desk("ann");
    bea = kit_desk("ann");
    fin = kit_desk("fin");
    boss = kit_desk("boss");
    worker = kit_desk(NULL);
    must(operator_act_as_worker(worker, &err));
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    desk_close(&bea);
    desk_close(&fin);
    desk_close(&boss);
    desk_close(&worker);
    sandbox_stop(&sandbox);
    return kit_stop(state);
}

static int after(void **state)
{
    (void)state;
    return sound_count(online, "after a price change", -1) == 0 ? 0 : -1;
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    static int next;
    char phone[16];
    fit_printf(phone, "1340000%04d", next++);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), phone));
}

static enum fd_code change(struct desk *desk, const char *number, int64_t from, int64_t to)
{
    return price_change(desk, NULL, number, from, to, 0, "member", &repriced, &err);
}

static const char *order_row(const char *number)
{
    return fixture_text(online,
                        "SELECT CONCAT_WS('/', status, total_amount, paid_amount) FROM reserve_order WHERE "
                        "order_no = '%s'",
                        number);
}

static int64_t due_of(const char *number)
{
    return fixture_int(online,
                       "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM order_due WHERE order_no = '%s' AND "
                       "settled_at IS NULL",
                       number);
}

static void an_unpaid_order_costs_another_amount(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must(price_change(ann, "p-1", number, 8000, 6500, 0, "member", &repriced, &err));
    must(price_change(ann, "p-1", number, 8000, 6500, 0, "member", &repriced, &err));
    assert_int_equal(repriced.old_fen, 8000);
    assert_int_equal(repriced.new_fen, 6500);
    assert_string_equal(order_row(number), "PENDING_PAY/65.00/0.00");
    must_give(FD_PRICE_CHANGED, change(ann, number, 8000, 6000));
    assert_non_null(strstr(err.message, "65.00"));
    must_give(FD_BAD_INPUT, change(ann, number, -1, 6500));
    must_give(FD_REASON_NEEDED, price_change(ann, NULL, number, -1, 6000, 0, NULL, &repriced, &err));
    must_give(FD_BAD_INPUT, change(ann, number, -1, -1));
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    assert_int_equal(paid.amount_fen, 6500);
}

static void a_part_paid_order_becomes_paid_or_gives_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 4000}, &paid, &err));
    must(change(ann, number, -1, 4000));
    assert_string_equal(order_row(number), "PAID/40.00/40.00");
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 4000}, &paid, &err));
    must(change(ann, number, -1, 3000));
    assert_int_equal(repriced.backed.cash_fen, 1000);
    assert_string_equal(order_row(number), "PAID/30.00/30.00");
}

static void a_paid_order_up_is_due_and_down_goes_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    must(change(ann, number, 8000, 10000));
    assert_int_equal(repriced.due_fen, 2000);
    assert_int_equal(due_of(number), 2000);
    assert_string_equal(order_row(number), "PAID/100.00/80.00");
    must(change(ann, number, 10000, 9000)); /* less is due */
    assert_int_equal(due_of(number), 1000);
    assert_int_equal(repriced.backed.fen, 0);
    must(change(ann, number, 9000, 7000)); /* nothing is due, and a part goes back */
    assert_int_equal(due_of(number), 0);
    assert_int_equal(repriced.backed.cash_fen, 1000);
    assert_string_equal(order_row(number), "PAID/70.00/70.00");
    must(change(ann, number, 7000, 7500));
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    assert_string_equal(order_row(number), "PAID/75.00/75.00");
}

static void above_the_limit_a_second_person_approves(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    int64_t id = 0;
    order_of("180.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
    must_give(FD_APPROVAL, change(ann, number, 18000, 12999));
    assert_non_null(strstr(err.message, "50.00"));
    must_give(FD_APPROVAL, change(ann, number, 18000, 23001));
    const struct approval_wish wish = {.action = "price", .order_no = number, .amount_fen = 10000, .reason = "member"};
    must(approval_ask(ann, NULL, &wish, &id, &err));
    must(approval_decide(fin, NULL, id, true, &err));
    must_give(FD_APPROVAL, price_change(ann, NULL, number, -1, 9000, id, "member", &repriced, &err));
    must(price_change(ann, NULL, number, -1, 10000, id, "member", &repriced, &err));
    assert_int_equal(repriced.backed.cash_fen, 8000);
    assert_int_equal(fixture_int(online, "SELECT approval_id FROM refund_record WHERE order_no = '%s'", number), id);
    must(change(boss, number, -1, 50000)); /* an administrator has no limit */
}

static void many_small_steps_reach_the_limit(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("180.00", number);
    must(change(ann, number, -1, 15000));
    must_give(FD_APPROVAL, change(ann, number, -1, 12999));
    must(change(ann, number, -1, 13000));
    must_give(FD_APPROVAL, change(ann, number, -1, 12999));
    must(change(ann, number, -1, 14000)); /* back towards what it cost */
    must(change(boss, number, -1, 9000));
    must_give(FD_APPROVAL, change(ann, number, -1, 7999));
    must(change(ann, number, -1, 8000));
}

static void what_was_approved_is_the_change(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    int64_t id = 0;
    order_of("180.00", number);
    const struct approval_wish wish = {.action = "price", .order_no = number, .amount_fen = 10000, .reason = "member"};
    must(approval_ask(ann, NULL, &wish, &id, &err));
    must(approval_decide(fin, NULL, id, true, &err));
    must(venue_quantity_with(ann, NULL, number, 4, &(struct venue_change){0}, NULL, &err));
    must_give(FD_APPROVAL, price_change(ann, NULL, number, -1, 10000, id, "member", &repriced, &err));
    must(venue_quantity_with(ann, NULL, number, 1, &(struct venue_change){0}, NULL, &err));
    must(price_change(ann, NULL, number, -1, 10000, id, "member", &repriced, &err));
}

static void what_costs_nothing_any_more_is_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("40.00", number);
    must(change(ann, number, -1, 0));
    assert_string_equal(repriced.state, "PAID");
    assert_string_equal(order_row(number), "PAID/0.00/0.00");
}

static void money_for_a_change_of_what_is_not_paid_is_not_swallowed(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("40.00", number);
    must_give(FD_BAD_INPUT,
              venue_quantity_with(
                  ann, NULL, number, 2,
                  &(struct venue_change){.payment = &(struct payment){.tender = TENDER_CASH, .tendered_fen = 5000}},
                  NULL, &err));
    assert_string_equal(order_row(number), "PENDING_PAY/40.00/0.00");
}

static void what_is_over_keeps_its_price(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
    must_give(FD_WRONG_STATE, change(ann, number, -1, 7000));
    order_of("80.00", number);
    must_give(FD_BAD_INPUT, change(boss, number, -1, FEN_DECIMAL_MAX + 1));
}

/* The code that the customer may scan is ended first; then the order costs something else. */
static void a_live_code_is_ended_first(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    order_of("80.00", number);
    must(code_open(ann, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    must(change(ann, number, 8000, 6000));
    assert_string_equal(
        fixture_text(online, "SELECT status FROM payment_record WHERE id = %lld", (long long)code.payment_id),
        "FAILED");
    must(code_open(ann, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    sandbox_do(&sandbox, "pay %s", code.out_trade_no);
    /* The customer was faster: it is paid at the old price, so the change gives the difference back. */
    must(change(ann, number, -1, 5000));
    assert_int_equal(repriced.backed.fen, 1000);
    assert_string_equal(order_row(number), "PAID/50.00/50.00");
    /* Nobody can say yet whether it is paid: the price stays. */
    order_of("80.00", number);
    must(code_open(ann, NULL, number, CHANNEL_WECHAT, 0, &code, &err));
    sandbox_do(&sandbox, "fault 503 always");
    must_give(FD_LIVE_CODE, change(ann, number, -1, 6000));
    sandbox_do(&sandbox, "fault off");
    assert_string_equal(order_row(number), "PENDING_PAY/80.00/0.00");
}

/* One round: the price changes, a code is opened, and the customer pays, all at once. */
struct round {
    char number[NUMBER_BYTES];
    int64_t to_fen;
    unsigned pause_us; /* of who changes the price: so that both are first now and then */
    pthread_barrier_t barrier;
    enum fd_code changed, opened;
};

static void *change_thread(void *arg)
{
    struct round *round = arg;
    struct fd_error local = {0};
    struct repriced one;
    pthread_barrier_wait(&round->barrier);
    usleep(round->pause_us);
    round->changed = price_change(ann, NULL, round->number, -1, round->to_fen, 0, "member", &one, &local);
    if (round->changed != FD_OK && round->changed != FD_LIVE_CODE && round->changed != FD_AGAIN)
        fprintf(stderr, "price: %s: %s\n", fd_code_name(round->changed), local.message);
    return NULL;
}

static void *pay_thread(void *arg)
{
    struct round *round = arg;
    struct fd_error local = {0};
    struct pay_code code;
    int status = 0;
    pthread_barrier_wait(&round->barrier);
    round->opened = code_open(bea, NULL, round->number, CHANNEL_WECHAT, 0, &code, &local);
    if (round->opened != FD_OK)
        return NULL;
    struct tree *tree = sandbox_try(&sandbox, &status, "pay %s", code.out_trade_no);
    tree_free(&tree);
    round->opened = code_poll(bea, code.payment_id, &code, &local);
    return NULL;
}

/* Of a paid order: what came and was not given back is what it costs, but for what is due. */
static void check_round(const struct round *round)
{
    const char *wrong = fixture_text(
        online,
        "SELECT COALESCE(MAX(CONCAT_WS('/', o.status, o.total_amount, o.paid_amount, k.kept, k.due)), '') "
        "FROM reserve_order o JOIN (SELECT COALESCE((SELECT SUM(a.amount) FROM pay_allocation a JOIN "
        "payment_record p ON p.id = a.payment_id WHERE a.order_no = '%s' AND p.status = 'SUCCESS'), 0) - "
        "COALESCE((SELECT SUM(amount) FROM refund_record WHERE order_no = '%s' AND status <> 'FAILED'), 0) "
        "AS kept, COALESCE((SELECT SUM(amount) FROM order_due WHERE order_no = '%s' AND settled_at IS "
        "NULL), 0) AS due) k WHERE o.order_no = '%s' AND o.status = 'PAID' AND (k.kept + k.due <> "
        "o.total_amount OR o.paid_amount <> k.kept)",
        round->number, round->number, round->number, round->number);
    if (*wrong)
        fail_msg("order %s: %s", round->number, wrong);
}

static void an_order_is_never_paid_at_a_price_it_does_not_have(void **state)
{
    (void)state;
    int paid_count = 0, changed_count = 0;
    must(param_set(boss, NULL, PARAM_REFUND_DAY_LIMIT_CLERK, -1, NULL, &err));
    param_forget(ann);
    for (int i = 0; i < ROUNDS; i++) {
        struct round round = {.to_fen = i % 2 ? 6000 : 9000, .pause_us = (unsigned)(i * 7919 % 100) * 1000};
        pthread_t threads[2];
        order_of("80.00", round.number);
        pthread_barrier_init(&round.barrier, NULL, 2);
        pthread_create(&threads[0], NULL, change_thread, &round);
        pthread_create(&threads[1], NULL, pay_thread, &round);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        pthread_barrier_destroy(&round.barrier);
        check_round(&round);
        paid_count += strncmp(order_row(round.number), "PAID", 4) == 0;
        changed_count += round.changed == FD_OK;
    }
    print_message("%d rounds: %d changed, %d paid\n", ROUNDS, changed_count, paid_count);
    assert_true(changed_count > 0 && paid_count > 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, after)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_unpaid_order_costs_another_amount),
        TEST(a_part_paid_order_becomes_paid_or_gives_back),
        TEST(a_paid_order_up_is_due_and_down_goes_back),
        TEST(above_the_limit_a_second_person_approves),
        TEST(many_small_steps_reach_the_limit),
        TEST(what_was_approved_is_the_change),
        TEST(what_costs_nothing_any_more_is_paid),
        TEST(money_for_a_change_of_what_is_not_paid_is_not_swallowed),
        TEST(what_is_over_keeps_its_price),
        TEST(a_live_code_is_ended_first),
        TEST(an_order_is_never_paid_at_a_price_it_does_not_have),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
