/* Taking money at the counter and giving cash back, on real venue orders. */
#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/action.h"
#include "core/op.h"
#include "money/pay.h"
#include "venue/booking.h"

static struct desk *ann;

static int start(void **state)
{
    kit_start(state);
    ann = kit_desk("ann");
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    return kit_stop(state);
}

static char phone_text[16];

/* A customer for each order: nobody runs into the limit of holds. */
static const char *next_phone(void)
{
    static int next;
    fit_printf(phone_text, "1390000%04d", next++);
    return phone_text;
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), next_phone()));
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

static const char *state_of(const char *number)
{
    return fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

static int64_t paid_of(const char *number)
{
    return fixture_int(online, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'",
                       number);
}

static int64_t allocated(const char *number)
{
    return fixture_int(
        online, "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM pay_allocation WHERE order_no = '%s'",
        number);
}

static void cash_gives_change_and_rows(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid, again;
    order_of("80.00", number);
    const struct payment payment = {.tender = TENDER_CASH, .tendered_fen = 20000};
    must(pay_take(ann, "k-cash", number, &payment, &paid, &err));
    assert_int_equal(paid.amount_fen, 8000);
    assert_int_equal(paid.change_fen, 12000);
    assert_int_equal(paid.left_fen, 0);
    assert_int_equal(paid.orders_paid, 1);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 8000);
    must(pay_take(ann, "k-cash", number, &payment, &again, &err));
    assert_string_equal(again.payment_no, paid.payment_no);
    assert_int_equal(allocated(number), 8000);
    assert_string_equal(
        fixture_text(
            online,
            "SELECT CONCAT_WS('/', channel, amount, tendered, status, operator, terminal, SUBSTR(order_no, 9, 2), "
            "confirmed_at IS NOT NULL, request_key) FROM payment_record WHERE payment_no = '%s'",
            paid.payment_no),
        "CASH/80.00/200.00/SUCCESS/ann/desk1/PY/1/k-cash");
    assert_string_equal(
        fixture_text(
            online,
            "SELECT CONCAT(before_values, after_values) FROM operation_log WHERE entity_no = '%s' AND event = 'pay'",
            number),
        "{\"paid_fen\":0}{\"paid_fen\":8000}");
    must_give(FD_REFUSED, pay_take(ann, NULL, number, &payment, &paid, &err));
    assert_non_null(strstr(err.message, "Ms ann"));
}

static void bad_money_is_refused(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_of("80.00", number);
    struct payment payment = {.tender = TENDER_CASH, .tendered_fen = 5000};
    must_give(FD_BAD_INPUT, pay_take(ann, NULL, number, &payment, &paid, &err));
    assert_non_null(strstr(err.message, "tendered"));
    payment = (struct payment){.tender = TENDER_CASH, .amount_fen = 8001};
    must_give(FD_BAD_INPUT, pay_take(ann, NULL, number, &payment, &paid, &err));
    assert_non_null(strstr(err.message, "amount"));
    payment = (struct payment){.tender = TENDER_CARD};
    must_give(FD_BAD_INPUT, pay_take(ann, NULL, number, &payment, &paid, &err));
    payment.reference = "slip\n1";
    must_give(FD_BAD_INPUT, pay_take(ann, NULL, number, &payment, &paid, &err));
    payment = (struct payment){.tender = TENDER_CARD, .reference = "1", .tendered_fen = 9000};
    must_give(FD_BAD_INPUT, pay_take(ann, NULL, number, &payment, &paid, &err));
    must_give(FD_NOT_FOUND, pay_take(ann, NULL, "NOSUCHNUMBER", &payment, &paid, &err));
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(allocated(number), 0);
}

static void later_tenders_wait_for_finance(void **state)
{
    (void)state;
    static const enum tender later[] = {TENDER_TRANSFER, TENDER_STATIC, TENDER_VOUCHER};
    static const char *const wanted[] = {"TRANSFER/1/R-77/1", "STATIC/1/R-77/1", "VOUCHER/1/R-77/1"};
    for (size_t i = 0; i < COUNT(later); i++) {
        char number[NUMBER_BYTES];
        struct paid paid;
        order_of("30.00", number);
        const struct payment payment = {.tender = later[i], .reference = "R-77"};
        must(pay_take(ann, NULL, number, &payment, &paid, &err));
        assert_string_equal(state_of(number), "PAID");
        assert_string_equal(
            fixture_text(
                online,
                "SELECT CONCAT_WS('/', channel, confirmed_at IS NULL, reference, tendered IS NULL) FROM payment_record "
                "WHERE payment_no = '%s'",
                paid.payment_no),
            wanted[i]);
    }
}

static void part_payments_leave_the_rest(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.amount_fen = 3000}, &paid, &err));
    assert_int_equal(paid.left_fen, 5000);
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(paid_of(number), 3000);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CARD, .reference = "9"}, &paid, &err));
    assert_int_equal(paid.amount_fen, 5000);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(allocated(number), 8000);
}

struct parts {
    pthread_mutex_t mutex;
    const char *number;
    int done;
    int64_t fen;
};

static void pay_part(struct desk *desk, int index, void *arg)
{
    struct parts *parts = arg;
    struct fd_error local = {0};
    struct paid paid;
    (void)index;
    enum fd_code code = pay_take(desk, NULL, parts->number, &(struct payment){.amount_fen = parts->fen}, &paid, &local);
    pthread_mutex_lock(&parts->mutex);
    parts->done += code == FD_OK;
    pthread_mutex_unlock(&parts->mutex);
}

static void parts_at_once_add_up(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        char number[NUMBER_BYTES];
        order_of("80.00", number);
        struct parts parts = {.mutex = PTHREAD_MUTEX_INITIALIZER, .number = number, .fen = 4000};
        kit_threads(2, "ann", pay_part, &parts);
        assert_int_equal(parts.done, 2);
        assert_int_equal(paid_of(number), 8000);
        assert_int_equal(allocated(number), 8000);
        assert_string_equal(state_of(number), "PAID");
    }
}

static void whole_payments_at_once_are_one(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    struct parts parts = {.mutex = PTHREAD_MUTEX_INITIALIZER, .number = number, .fen = 0};
    kit_threads(6, "ann", pay_part, &parts);
    assert_int_equal(parts.done, 1);
    assert_int_equal(allocated(number), 8000);
}

static void one_of_a_bill_pays_the_bill(void **state)
{
    (void)state;
    char bill[NUMBER_BYTES], numbers[2][NUMBER_BYTES];
    struct paid paid;
    bill_of("80.00", "20.00", bill, numbers);
    must(pay_take(ann, NULL, numbers[1], &(struct payment){.amount_fen = 3000}, &paid, &err));
    assert_int_equal(paid.left_fen, 7000);
    assert_string_equal(state_of(numbers[1]), "PAID");
    assert_int_equal(paid_of(numbers[0]), 1000);
    must(pay_take(ann, NULL, bill + strlen(bill) - 5, &(struct payment){0}, &paid, &err));
    assert_int_equal(paid.amount_fen, 7000);
    assert_string_equal(state_of(numbers[0]), "PAID");
    must_give(FD_REFUSED, pay_take(ann, NULL, bill, &(struct payment){0}, &paid, &err));
}

static void nobody_goes_in_unpaid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_of("80.00", number);
    fixture_sql(online,
                "UPDATE venue_schedule s JOIN reserve_order o ON o.schedule_id = s.id SET s.schedule_date = CURDATE(), "
                "o.schedule_date = CURDATE(), s.start_time = '00:00', o.start_time = '00:00', s.end_time = '24:00', "
                "o.end_time = '24:00' "
                "WHERE o.order_no = '%s'",
                number);
    struct payment payment = {.amount_fen = 1000, .check_in = true};
    must_give(FD_UNPAID, pay_take(ann, NULL, number, &payment, &paid, &err));
    assert_int_equal(paid_of(number), 0);
    payment.amount_fen = 0;
    must(pay_take(ann, NULL, number, &payment, &paid, &err));
    assert_string_equal(state_of(number), "COMPLETED");
    assert_int_equal(
        fixture_int(
            online,
            "SELECT check_in_time IS NOT NULL AND paid_time IS NOT NULL FROM reserve_order WHERE order_no = '%s'",
            number),
        1);
}

static void dues_are_settled_whole_and_in_part(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    fixture_sql(online, "UPDATE reserve_order SET total_amount = 100 WHERE order_no = '%s'", number);
    fixture_sql(online, "INSERT INTO order_due (order_no, amount, cause) VALUES ('%s', 20.00, 'move')", number);
    must(pay_take(ann, NULL, number, &(struct payment){.amount_fen = 500}, &paid, &err));
    assert_int_equal(paid.left_fen, 1500);
    assert_int_equal(
        fixture_int(
            online,
            "SELECT CAST(SUM(amount) * 100 AS SIGNED) FROM order_due WHERE order_no = '%s' AND settled_at IS NULL",
            number),
        1500);
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    assert_int_equal(paid.amount_fen, 1500);
    assert_int_equal(
        fixture_int(
            online,
            "SELECT COUNT(*) FROM order_due WHERE order_no = '%s' AND (settled_at IS NULL OR payment_id IS NULL)",
            number),
        0);
    assert_int_equal(paid_of(number), 10000);
    assert_int_equal(allocated(number), 10000);
    assert_string_equal(state_of(number), "PAID");
}

static void a_cancel_gives_all_cash_back_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    struct arena arena = {0};
    struct payment_row *rows;
    size_t count;
    int64_t fen = 0;
    order_of("80.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.amount_fen = 3000, .tendered_fen = 5000}, &paid, &err));
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    must(venue_cancel(ann, "k-back", number, "rain", &fen, &err));
    assert_int_equal(fen, 8000);
    must(venue_cancel(ann, "k-back", number, "rain", &fen, &err));
    assert_int_equal(fen, 8000);
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(paid_of(number), 0);
    assert_int_equal(
        fixture_int(online,
                    "SELECT CAST(SUM(p.refunded_amount) * 100 AS SIGNED) FROM payment_record p JOIN pay_allocation a "
                    "ON a.payment_id = p.id WHERE a.order_no = '%s'",
                    number),
        8000);
    must(pay_rows(ann->db, number, &arena, &rows, &count, &err));
    db_rollback(ann->db);
    assert_int_equal(count, 4);
    assert_int_equal(rows[0].tendered_fen, 5000);
    assert_true(rows[2].refund && rows[3].refund);
    assert_int_equal(rows[2].amount_fen + rows[3].amount_fen, 8000);
    arena_release(&arena);
}

static void the_cash_action_answers_as_json(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], tendered[] = "--tendered=200";
    char *words[] = {number, tendered};
    order_of("80.00", number);
    struct call call = {
        .desk = ann, .config = config, .action = action_find("pay", "cash"), .today = day_of(2026, 11, 30)};
    must(call_parse(&call, 2, words, NULL, &err));
    must(call_run(&call, &err));
    assert_int_equal(tree_get_int(call.answer, "change_fen"), 12000);
    assert_int_equal(tree_get_int(call.answer, "amount_fen"), 8000);
    assert_int_equal(tree_get_int(call.answer, "tendered_fen"), 20000);
    assert_int_equal(tree_get_int(call.answer, "left_fen"), 0);
    assert_true(tree_is_text(call.answer, "payment_no"));
    assert_string_equal(tree_get_text(tree_at(tree_get(call.answer, "orders"), 0), "status"), "PAID");
    char *text = call_print(&call);
    assert_non_null(strstr(text, "change 120.00"));
    free(text);
    call_release(&call);
    struct desk *fin = kit_desk("fin");
    struct paid paid;
    must_give(FD_NO_PERMISSION, pay_take(fin, NULL, number, &(struct payment){0}, &paid, &err));
    desk_close(&fin);
}

/* Left out they mean all and exactly; a script that worked out 0 means 0. */
static void nothing_said_is_not_nothing_given(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("80.00", number);
    char flags[][20] = {"--tendered=0", "--tendered=0.00", "--amount=0"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        char *words[] = {number, flags[i]};
        struct call call = {
            .desk = ann, .config = config, .action = action_find("pay", "cash"), .today = day_of(2026, 11, 30)};
        must(call_parse(&call, 2, words, NULL, &err));
        must_give(FD_BAD_INPUT, call_run(&call, &err));
        assert_non_null(strstr(err.message, "0.00"));
        call_release(&call);
    }
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM pay_allocation WHERE order_no = '%s'", number), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cash_gives_change_and_rows),
        cmocka_unit_test(bad_money_is_refused),
        cmocka_unit_test(later_tenders_wait_for_finance),
        cmocka_unit_test(part_payments_leave_the_rest),
        cmocka_unit_test(parts_at_once_add_up),
        cmocka_unit_test(whole_payments_at_once_are_one),
        cmocka_unit_test(one_of_a_bill_pays_the_bill),
        cmocka_unit_test(nobody_goes_in_unpaid),
        cmocka_unit_test(dues_are_settled_whole_and_in_part),
        cmocka_unit_test(a_cancel_gives_all_cash_back_once),
        cmocka_unit_test(the_cash_action_answers_as_json),
        cmocka_unit_test(nothing_said_is_not_nothing_given),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
