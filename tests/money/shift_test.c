/* Shifts on a real server: the drawer's arithmetic, the blind count, and sales that meet a close. */
#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fault/sound.h"
#include "money/back.h"
#include "money/code.h"
#include "money/pay.h"
#include "money/shift.h"
#include "outside/tree.h"
#include "venue/booking.h"

static struct desk *ann, *fin;
static struct arena arena;

static int start(void **state)
{
    action_register(shift_actions);
    action_register(back_actions);
    kit_start(state);
    ann = kit_desk("ann");
    fin = kit_desk("fin");
    return 0;
}

static int stop(void **state)
{
    arena_release(&arena);
    desk_close(&ann);
    desk_close(&fin);
    return kit_stop(state);
}

/* Each test has a drawer of its own. */
static void at(struct desk *desk, const char *terminal)
{
    cut_copy(desk->terminal, sizeof desk->terminal, terminal);
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    static int next;
    char phone[16];
    fit_printf(phone, "1380000%04d", next++);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), phone));
}

static char sold[NUMBER_BYTES]; /* the last order that was sold */

static void sell(struct desk *desk, const char *price, int64_t tendered_fen)
{
    char *number = sold;
    struct paid paid;
    order_of(price, number);
    must(pay_take(desk, NULL, number, &(struct payment){.tendered_fen = tendered_fen}, &paid, &err));
}

static int64_t open_id(const char *terminal)
{
    return fixture_int(online, "SELECT COALESCE(MAX(id), 0) FROM shift WHERE terminal = '%s' AND status = 'OPEN'",
                       terminal);
}

/* A code of this terminal as opening it leaves it, with the shift that was open then. */
static void code_opened(const char *terminal, const char *amount, char number[NUMBER_BYTES],
                        char trade_no[NUMBER_BYTES])
{
    static int next;
    order_of(amount, number);
    fit_printf_at(trade_no, NUMBER_BYTES, "20261130PYQR%d", ++next);
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, shift, request_key, code_until, created_at) SELECT '%s', 'RCQR%d', 'RCQR%d', 'WECHAT', %s, "
                "'CREATED', 'ann', '%s', MAX(id), 'k', NOW() + INTERVAL 10 MINUTE, NOW() FROM shift "
                "WHERE open_terminal = '%s'",
                trade_no, next, next, amount, terminal, terminal);
    fixture_sql(online,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record "
                "WHERE order_no = '%s'",
                number, trade_no);
    fixture_sql(online, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = '%s'", number);
}

/* Settled by whoever hears of it. */
static void code_paid(const char *trade_no, int64_t fen)
{
    char raw[] = "{}";
    struct settled settled;
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = fen, .raw = raw};
    fit_printf(trade.trade_no, "4200%s", trade_no);
    must(code_settle(fin, trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
}

static void qr_payment(const char *terminal, const char *amount, int64_t fen)
{
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES];
    code_opened(terminal, amount, number, trade_no);
    code_paid(trade_no, fen);
}

static void cash_refund(const char *number, int64_t fen)
{
    struct backed backed;
    must(back_give(ann, NULL, number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = fen}, "a lamp was out", &backed,
                   &err));
    assert_int_equal(backed.cash_fen, fen);
}

static void drawer_adds_up(void **state)
{
    (void)state;
    int64_t id, again;
    struct shift_sum *sum;
    at(ann, "sum");
    must(shift_open(ann, "k-open", 50000, &id, &err));
    must(shift_open(ann, "k-open", 50000, &again, &err));
    assert_int_equal(again, id);
    must_give(FD_REFUSED, shift_open(ann, NULL, 50000, &again, &err));
    sell(ann, "75.00", 10000);
    qr_payment("sum", "60.00", 6000);
    cash_refund(sold, 2000);
    must(shift_cash(ann, NULL, -3000, "to the safe", &err));
    /* Nothing but that there is a difference is told without an explanation. */
    struct shift_count count = {.counted_fen = 52000, .left_fen = 50000};
    must_give(FD_REASON_NEEDED, shift_close(ann, "k-close", &count, &arena, &sum, &err));
    assert_null(strstr(err.message, "525"));
    assert_null(strstr(err.hint, "525"));
    count.explanation = "5.00 given too much as change";
    must(shift_close(ann, "k-close", &count, &arena, &sum, &err));
    assert_int_equal(sum->expected_fen, 52500);
    assert_int_equal(sum->difference_fen, -500);
    assert_int_equal(sum->counted_fen, 52000);
    assert_int_equal(sum->left_fen, 50000);
    assert_int_equal(sum->cash_fen, 7500);
    assert_int_equal(sum->cash_back_fen, 2000);
    assert_int_equal(sum->out_fen, 3000);
    assert_int_equal(sum->line_count, 2);
    assert_string_equal(sum->lines[0].channel, "CASH");
    assert_string_equal(sum->lines[1].channel, "WECHAT");
    assert_int_equal(sum->lines[1].fen, 6000);
    must_give(FD_REFUSED, shift_close(ann, NULL, &count, &arena, &sum, &err));
    assert_non_null(strstr(err.message, "Ms ann"));
    /* The same request again has the same answer, whatever happened since. */
    must(shift_close(ann, "k-close", &count, &arena, &sum, &err));
    assert_int_equal(sum->id, id);
    assert_int_equal(sum->expected_fen, 52500);
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', status, opening, expected, counted, difference, "
                                     "float_left, closed_by, explanation <> '') FROM shift WHERE id = %lld",
                                     (long long)id),
                        "CLOSED/500.00/525.00/520.00/-5.00/500.00/ann/1");
}

static void next_shift_begins_with_what_was_left(void **state)
{
    (void)state;
    int64_t id;
    struct shift_sum *sum;
    at(ann, "sum");
    must(shift_open(ann, NULL, -1, &id, &err));
    assert_int_equal(
        fixture_int(online, "SELECT CAST(opening * 100 AS SIGNED) FROM shift WHERE id = %lld", (long long)id), 50000);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 50000, .left_fen = -1}, &arena, &sum, &err));
    assert_int_equal(sum->difference_fen, 0);
    assert_int_equal(sum->left_fen, 50000);
}

static void first_money_opens_a_shift(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    at(ann, "auto");
    assert_int_equal(open_id("auto"), 0);
    order_of("30.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CARD, .reference = "S1"}, &paid, &err));
    int64_t id = open_id("auto");
    assert_int_not_equal(id, 0);
    assert_int_equal(fixture_int(online, "SELECT shift FROM payment_record WHERE payment_no = '%s'", paid.payment_no),
                     id);
    sell(ann, "10.00", 0);
    assert_int_equal(open_id("auto"), id);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM payment_record WHERE shift = %lld", (long long)id), 2);
    assert_int_equal(fixture_int(online, "SELECT CAST(opening AS SIGNED) FROM shift WHERE id = %lld", (long long)id),
                     0);
}

static void count_is_blind(void **state)
{
    (void)state;
    struct shift_sum *sum;
    at(ann, "blind");
    at(fin, "blind");
    sell(ann, "33.00", 0);
    must(shift_report(ann, 0, &arena, &sum, &err));
    assert_true(sum->blind);
    assert_int_equal(sum->expected_fen, 0);
    assert_int_equal(sum->lines[0].fen, 0);
    assert_int_equal(sum->lines[0].count, 1);
    assert_null(strstr(sum->json, "3300"));
    must(shift_report(fin, 0, &arena, &sum, &err));
    assert_false(sum->blind);
    assert_int_equal(sum->expected_fen, 3300);
    /* Once it is closed everybody reads it. */
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 3300, .left_fen = 0}, &arena, &sum, &err));
    assert_int_equal(sum->expected_fen, 3300);
    must_give(FD_REFUSED, shift_report(ann, 0, &arena, &sum, &err));
}

static void notes_and_coins_make_the_sum(void **state)
{
    (void)state;
    char *json = NULL;
    int64_t fen;
    struct shift_sum *sum;
    must(shift_denominations("100=3,50=2,0.5=4", &json, &fen, &err));
    assert_int_equal(fen, 40200);
    assert_string_equal(json, "{\"100.00\":3,\"50.00\":2,\"0.50\":4}");
    static const char *const wrong[] = {"", "100", "100=", "=3", "100=x", "100=-1", "1e2=3", "100=3,100=1", "0=5"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char *none = NULL;
        must_give(FD_BAD_INPUT, shift_denominations(wrong[i], &none, &fen, &err));
    }
    at(ann, "coins");
    sell(ann, "402.00", 0);
    struct shift_count count = {.counted_fen = 40100, .left_fen = -1, .denominations = json, .explanation = "so it is"};
    must_give(FD_BAD_INPUT, shift_close(ann, NULL, &count, &arena, &sum, &err));
    count.counted_fen = 40200;
    count.left_fen = 40201;
    must_give(FD_BAD_INPUT, shift_close(ann, NULL, &count, &arena, &sum, &err));
    count.left_fen = 10000;
    must(shift_close(ann, NULL, &count, &arena, &sum, &err));
    assert_non_null(strstr(sum->json, "\"100.00\":3"));
    free(json);
}

/* A refusal that knew what is in the drawer would tell it to whoever tries amounts before the blind count. */
static void what_leaves_the_drawer_is_written_whatever_it_holds(void **state)
{
    (void)state;
    struct shift_sum *sum;
    at(ann, "less");
    must_give(FD_REFUSED, shift_cash(ann, NULL, -100, "to the safe", &err));
    sell(ann, "40.00", 0);
    must_give(FD_REASON_NEEDED, shift_cash(ann, NULL, -4001, NULL, &err));
    must(shift_cash(ann, "k-out", -4001, "to the safe", &err));
    must(shift_cash(ann, "k-out", -4001, "to the safe", &err));
    must(shift_cash(ann, NULL, -9000, "to the safe", &err));
    must(shift_cash(ann, NULL, 500, "change from the bank", &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM shift_cash c JOIN shift s ON s.id = c.shift_id WHERE "
                                         "s.terminal = 'less'"),
                     3);
    /* Typing errors end at a sum that is the same for every drawer. */
    must_give(FD_BAD_INPUT, shift_cash(ann, NULL, -10000001, "to the safe", &err));
    must_give(FD_BAD_INPUT, shift_cash(ann, NULL, 10000001, "change from the bank", &err));
    /* More went than should have been there: the close says so. */
    must(shift_close(
        ann, NULL, &(struct shift_count){.counted_fen = 0, .left_fen = 0, .explanation = "90.00 were another drawer's"},
        &arena, &sum, &err));
    assert_int_equal(sum->expected_fen, 4000 - 4001 - 9000 + 500);
    assert_int_equal(sum->difference_fen, 8501);
}

static void counting_again_until_it_fits_tells_nothing(void **state)
{
    (void)state;
    struct shift_sum *sum;
    char first[96];
    at(ann, "guess");
    at(fin, "guess");
    sell(ann, "45.00", 0);
    int64_t id = open_id("guess");
    struct shift_count count = {.counted_fen = 4000, .left_fen = 0};
    must_give(FD_REASON_NEEDED, shift_close(ann, "k-guess", &count, &arena, &sum, &err));
    /* The right one is refused like any other, by the same words. */
    count.counted_fen = 4100;
    must_give(FD_REASON_NEEDED, shift_close(ann, "k-guess", &count, &arena, &sum, &err));
    cut_copy(first, sizeof first, err.message);
    count.counted_fen = 4500;
    must_give(FD_REASON_NEEDED, shift_close(ann, NULL, &count, &arena, &sum, &err));
    assert_string_equal(err.message, first);
    assert_non_null(strstr(first, "40.00"));
    assert_int_equal(open_id("guess"), id);
    count.explanation = "a note of 5.00 lay under the tray";
    must(shift_close(ann, "k-guess", &count, &arena, &sum, &err));
    assert_int_equal(sum->difference_fen, 0);
    assert_int_equal(sum->first_counted_fen, 4000);
    assert_non_null(strstr(sum->json, "\"first_counted_fen\":4000"));
    /* The request again is not the next shift's first count. */
    int64_t next;
    must(shift_open(ann, NULL, 0, &next, &err));
    must(shift_close(ann, "k-guess", &count, &arena, &sum, &err));
    assert_int_equal(sum->id, id);
    count.explanation = NULL;
    must_give(FD_KEY_REUSED, shift_close(ann, "k-guess", &count, &arena, &sum, &err));
    assert_int_equal(fixture_int(online, "SELECT first_counted IS NULL FROM shift WHERE id = %lld", (long long)next),
                     1);
    count.counted_fen = 0;
    must(shift_close(ann, NULL, &count, &arena, &sum, &err));
    assert_int_equal(sum->id, next);
}

static void who_takes_over_sees_what_is_open(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct shift_sum *sum;
    struct paid paid;
    at(ann, "over");
    at(fin, "over");
    order_of("20.00", number);
    sell(ann, "10.00", 0);
    char transfer[NUMBER_BYTES];
    order_of("15.00", transfer);
    must(pay_take(ann, NULL, transfer, &(struct payment){.tender = TENDER_TRANSFER, .reference = "T9"}, &paid, &err));
    must(shift_report(fin, 0, &arena, &sum, &err));
    assert_true(sum->unpaid > 0);
    assert_true(sum->cases > 0);
    assert_true(sum->changed >= 2);
    struct tree *tree = tree_parse(sum->json);
    const struct tree *unpaid = tree_get(tree_get(tree, "hand_over"), "unpaid");
    bool named = false;
    char *text = tree_dump(unpaid);
    named = strstr(text, number) != NULL;
    free(text);
    tree_free(&tree);
    assert_true(named);
}

struct race {
    char numbers[200][NUMBER_BYTES];
    pthread_mutex_t mutex;
    int closes, sales;
    bool stop;
};

/* Index 0 closes again and again with whatever the drawer should hold; the others sell. */
static void close_or_sell(struct desk *desk, int index, void *arg)
{
    struct race *race = arg;
    struct fd_error local = {0};
    at(desk, "race");
    for (int i = 0; index > 0 && i < 25; i++) {
        struct paid paid;
        enum fd_code code =
            pay_take(desk, NULL, race->numbers[(index - 1) * 25 + i], &(struct payment){0}, &paid, &local);
        if (code != FD_OK)
            print_error("%s: %s %s\n", fd_code_name(code), local.message, local.detail);
        pthread_mutex_lock(&race->mutex);
        race->sales += code == FD_OK;
        pthread_mutex_unlock(&race->mutex);
    }
    struct arena own = {0};
    for (int i = 0; index == 0 && i < 20; i++) {
        struct shift_sum *sum;
        const struct shift_count count = {.counted_fen = 0, .left_fen = 0, .explanation = "counted in a hurry"};
        race->closes += shift_close(desk, NULL, &count, &own, &sum, &local) == FD_OK;
        sleep_ms(30);
    }
    arena_release(&own);
}

static void no_sale_is_lost_at_a_close(void **state)
{
    (void)state;
    static struct race race = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct shift_sum *sum;
    at(ann, "race");
    for (int i = 0; i < 100; i++)
        order_of("1.00", race.numbers[i]);
    kit_threads(5, "ann", close_or_sell, &race);
    assert_int_equal(race.sales, 100);
    assert_true(race.closes > 1);
    if (open_id("race"))
        must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 0, .explanation = "the last one"}, &arena,
                         &sum, &err));
    /* Each shift's report has just the sales that carry it, and together they are all. */
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM shift s WHERE s.terminal = 'race' AND s.expected <> "
                                 "(SELECT COALESCE(SUM(p.amount), 0) FROM payment_record p WHERE p.shift = s.id)"),
                     0);
    assert_int_equal(
        fixture_int(online, "SELECT CAST(SUM(expected) * 100 AS SIGNED) FROM shift WHERE terminal = 'race'"), 10000);
}

static void one_shift_where_many_open_it(struct desk *desk, int index, void *arg)
{
    int64_t id;
    struct fd_error local = {0};
    (void)index;
    at(desk, "many");
    *(enum fd_code *)arg = shift_open(desk, NULL, 100, &id, &local);
}

static void one_drawer_has_one_shift(void **state)
{
    (void)state;
    enum fd_code last = FD_OK;
    kit_threads(6, "ann", one_shift_where_many_open_it, &last);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM shift WHERE terminal = 'many'"), 1);
}

/* A code outlives the shift that showed it: what is paid by it stands in one report. */
static void a_code_counts_in_the_shift_that_is_open_when_it_is_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES];
    struct shift_sum *sum;
    at(ann, "code");
    sell(ann, "5.00", 0);
    code_opened("code", "60.00", number, trade_no);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 500, .left_fen = 0}, &arena, &sum, &err));
    assert_int_equal(sum->line_count, 1);
    code_paid(trade_no, 6000);
    code_opened("code", "40.00", number, trade_no);
    sell(ann, "7.00", 0);
    code_paid(trade_no, 4000);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 700, .left_fen = 0}, &arena, &sum, &err));
    assert_int_equal(sum->line_count, 2);
    assert_int_equal(sum->lines[1].count, 2);
    assert_int_equal(sum->lines[1].fen, 10000);
    sell(ann, "1.00", 0);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 100, .left_fen = 0}, &arena, &sum, &err));
    assert_int_equal(sum->line_count, 1);
}

/* The code of a booking by phone, paid at night. */
static void a_code_of_days_ago_counts_in_the_next_shift(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES];
    struct shift_sum *sum;
    at(ann, "days");
    sell(ann, "5.00", 0);
    code_opened("days", "60.00", number, trade_no);
    fixture_sql(online, "UPDATE payment_record SET created_at = NOW() - INTERVAL 6 DAY WHERE order_no = '%s'",
                trade_no);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 500, .left_fen = 0}, &arena, &sum, &err));
    code_paid(trade_no, 6000);
    sell(ann, "7.00", 0);
    must(shift_report(fin, open_id("days"), &arena, &sum, &err));
    assert_int_equal(sum->line_count, 2);
    must(shift_close(ann, NULL, &(struct shift_count){.counted_fen = 700, .left_fen = 0}, &arena, &sum, &err));
    assert_int_equal(sum->line_count, 2);
    assert_int_equal(sum->lines[1].fen, 6000);
}

static void shifts_are_listed(void **state)
{
    (void)state;
    struct shift_sum *sums;
    size_t count;
    wall_t now;
    must(desk_now(ann, &now, &err));
    must(shift_list(ann, wall_day(now) - 1, wall_day(now), &arena, &sums, &count, &err));
    assert_int_equal(count, fixture_int(online, "SELECT COUNT(*) FROM shift"));
    must(shift_list(ann, wall_day(now) + 1, wall_day(now) + 2, &arena, &sums, &count, &err));
    assert_int_equal(count, 0);
}

static void drawers_break_no_rule(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "shifts", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawer_adds_up),
        cmocka_unit_test(next_shift_begins_with_what_was_left),
        cmocka_unit_test(first_money_opens_a_shift),
        cmocka_unit_test(count_is_blind),
        cmocka_unit_test(notes_and_coins_make_the_sum),
        cmocka_unit_test(what_leaves_the_drawer_is_written_whatever_it_holds),
        cmocka_unit_test(counting_again_until_it_fits_tells_nothing),
        cmocka_unit_test(who_takes_over_sees_what_is_open),
        cmocka_unit_test(no_sale_is_lost_at_a_close),
        cmocka_unit_test(one_drawer_has_one_shift),
        cmocka_unit_test(a_code_counts_in_the_shift_that_is_open_when_it_is_paid),
        cmocka_unit_test(a_code_of_days_ago_counts_in_the_next_shift),
        cmocka_unit_test(shifts_are_listed),
        cmocka_unit_test(drawers_break_no_rule),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
