/* A clerk at the lists: what keys do to the database, what is said before and after, what a refusal
 * leaves. On a real server, without a terminal. */
#include "stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- help --- */

static void at(const char *language, int columns, int rows, const char *name) {
    stage_reset();
    stage_open(language, columns, rows, name);
}

static const char *state_of(const char *order_no) {
    return fixture_text(stage.db, "SELECT status FROM reserve_order WHERE order_no = '%s'", order_no);
}

static int64_t log_rows(const char *event) {
    return fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE event = '%s'", event);
}

/* Slots of the hall's next days, where free cancelling is possible. */
static void book(const char *number, int slot, int user, const char *state, const char *paid_by) {
    bool paid = strcmp(state, "PENDING_PAY") != 0;
    fixture_sql(stage.db,
                "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, quantity, total_amount, "
                "unit_price, status, expire_time, paid_amount, operator, terminal, create_time) SELECT '%s', %d, venue_id, id, schedule_date, start_time, "
                "end_time, 1, price, price, '%s', '2026-12-01 18:00:00', %s, 'clerk', 'desk1', '2026-12-01 09:00:00' FROM venue_schedule WHERE id = %d",
                number, user, state, paid ? "price" : "0", slot);
    fixture_sql(stage.db, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %d", slot);
    if (!paid)
        return;
    fixture_sql(stage.db,
                "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time, operator, terminal) "
                "SELECT 'PY%d', 'RC%d', '%s', total_amount, 'SUCCESS', '2026-12-01 09:00:00', 'clerk', 'desk1' FROM reserve_order WHERE order_no = '%s'",
                slot, slot, paid_by, number);
    fixture_sql(stage.db, "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record WHERE order_no = 'PY%d'", number, slot);
}

/* --- orders --- */

static void four_digits_find_by_phone_tail_and_by_order_tail(void **state) {
    (void)state;
    at("en", 80, 24, "clerk");
    fixture_sql(stage.db, "UPDATE reserve_order SET order_no = 'ONLINE991234' WHERE order_no = '20261130VB7K3M9Q2L'");
    stage_type("3 / | '1234' Enter");
    stage_expect("phone or order …1234");
    stage_expect("9Q2X".+0);
    stage_close();
}

static void a_filter_goes_to_the_database_and_into_the_title(void **state) {
    (void)state;
    at("en", 80, 24, "clerk");
    stage_type("3 | f | Right Right F2");
    stage_expect("Orders  today · unpaid");
    stage_expect("M9Q2G" + 1);
    assert_false(stage_has("P paid"));
    stage_type("Esc");
    stage_close();
}

int main(int argc, char **argv) {
    (void)argc;
    i18n_start(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_digits_find_by_phone_tail_and_by_order_tail),
        cmocka_unit_test(a_filter_goes_to_the_database_and_into_the_title),
    };
    (void)state_of;
    (void)log_rows;
    (void)book;
    return cmocka_run_group_tests(tests, stage_start, stage_stop);
}
