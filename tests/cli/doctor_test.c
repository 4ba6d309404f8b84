/* Every rule of the doctor: a sound database breaks none, and one bad row breaks exactly its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/doctor.h"
#include "core/rule.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;

/* Orders of every kind that the rules tell apart: A paid at the desk, B given back, C and E online, D waits. */
static const char *const sound[] = {
    "INSERT INTO t_user (id, nickname, phone) VALUES (101, 'a', '13800000101'), (102, 'b', '13800000102')",
    "INSERT INTO venue (id, name, sport_type) VALUES (1, 'court', 'badminton'), (2, 'pool', 'swimming')",
    "INSERT INTO operator_account (name, display_name, role, password_hash) VALUES ('li', 'Li', 'clerk', '')",
    "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, remain_count, price) "
    "VALUES "
    "(1, 1, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 1, 0, 60), (2, 1, CURDATE() + INTERVAL 1 DAY, "
    "'11:00:00', '12:00:00', 1, 1, 60), "
    "(3, 2, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 8, 6, 45), (4, 1, CURDATE() + INTERVAL 1 DAY, "
    "'12:00:00', '13:00:00', 1, 0, 60)",
    "INSERT INTO op_request (request_key, action, request_hash, operator, created_at) VALUES "
    "('ka', 'order.book', REPEAT('0', 64), 'li', NOW()), ('kb', 'order.book', REPEAT('0', 64), 'li', NOW()), "
    "('kd', 'order.book', REPEAT('0', 64), 'li', NOW()), ('kr', 'order.cancel', REPEAT('0', 64), 'li', NOW())",
    "INSERT INTO bill (bill_no, user_id, operator, terminal, request_key) VALUES "
    "('BA', 101, 'li', 't', 'ka'), ('BB', 101, 'li', 't', 'kb'), ('BD', 102, 'li', 't', 'kd')",
    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
    "quantity, total_amount, "
    "status, expire_time, paid_time, cancel_time, paid_amount, bill_no, unit_price, operator, terminal, "
    "idempotency_key) VALUES "
    "('A', 101, 1, 1, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 1, 60, 'PAID', NULL, NOW(), NULL, 60, 'BA', "
    "60, 'li', 't', 'ka'), "
    "('B', 101, 1, 2, CURDATE() + INTERVAL 1 DAY, '11:00:00', '12:00:00', 1, 60, 'REFUNDED', NULL, NOW(), NOW(), 0, "
    "'BB', 60, 'li', 't', 'kb'), "
    "('C', 101, 2, 3, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 1, 45, 'PAID', NULL, NOW(), NULL, 0, NULL, "
    "NULL, NULL, NULL, NULL), "
    "('D', 102, 1, 4, CURDATE() + INTERVAL 1 DAY, '12:00:00', '13:00:00', 1, 60, 'PENDING_PAY', NOW() + INTERVAL 1 "
    "HOUR, NULL, NULL, 0, 'BD', 60, 'li', 't', 'kd'), "
    "('E', 102, 2, 3, CURDATE() + INTERVAL 1 DAY, '10:00:00', '11:00:00', 1, 45, 'PAID', NULL, NOW(), NULL, 0, NULL, "
    "NULL, NULL, NULL, NULL)",
    "INSERT INTO payment_record (id, order_no, payment_no, channel, amount, status, callback_time, operator, terminal, "
    "tendered, refunded_amount, request_key) VALUES "
    "(1, 'PYA', 'PA', 'CASH', 60, 'SUCCESS', NOW(), 'li', 't', 100, 0, 'ka'), (2, 'PYB', 'PB', 'CASH', 60, 'SUCCESS', "
    "NOW(), 'li', 't', 60, 60, 'kb'), "
    "(3, 'C', '4200C', 'WECHAT', 45, 'SUCCESS', NOW(), NULL, NULL, NULL, 0, NULL), (4, 'E', '4200E', 'ALIPAY', 45, "
    "'SUCCESS', NOW(), NULL, NULL, NULL, 0, NULL)",
    "INSERT INTO shift (id, terminal, status, opened_by, opened_at, opening, closed_by, closed_at, expected, counted, "
    "difference, explanation, float_left) VALUES (1, 't', 'OPEN', 'li', NOW(), 0, NULL, NULL, NULL, NULL, NULL, NULL, "
    "NULL), (2, 't', 'CLOSED', 'li', NOW(), 100, 'li', NOW(), 130, 125, -5, 'given too much', 100)",
    "INSERT INTO shift_cash (shift_id, amount, reason, operator) VALUES (2, 30, 'change', 'li')",
    "UPDATE payment_record SET shift = 1 WHERE id IN (1, 2)",
    "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (1, 'A', 60), (2, 'B', 60)",
    "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, kind, channel, status, operator, terminal, "
    "request_key, finished_at) VALUES "
    "('RB', 2, 'B', 60, 'WHOLE', 'CASH', 'SUCCESS', 'li', 't', 'kr', NOW())",
    "UPDATE refund_record SET shift = 1",
    "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
    "state_before, state_after, schedule_id, stock_change, amount_change, after_values) VALUES "
    "(NOW(), 'ka', 'li', 'clerk', 't', 'order.book', 'venue_order', 'A', 'book', NULL, 'PENDING_PAY', 1, -1, 60, "
    "'{\"price\":\"60.00\"}'), "
    "(NOW(), 'ka', 'li', 'clerk', 't', 'order.book', 'venue_order', 'A', 'pay', 'PENDING_PAY', 'PAID', NULL, NULL, "
    "NULL, NULL), "
    "(NOW(), 'kb', 'li', 'clerk', 't', 'order.book', 'venue_order', 'B', 'book', NULL, 'PENDING_PAY', 2, -1, 60, "
    "'{\"price\":\"60.00\"}'), "
    "(NOW(), 'kb', 'li', 'clerk', 't', 'order.book', 'venue_order', 'B', 'pay', 'PENDING_PAY', 'PAID', NULL, NULL, "
    "NULL, NULL), "
    "(NOW(), 'kr', 'li', 'clerk', 't', 'order.cancel', 'venue_order', 'B', 'refund', 'PAID', 'REFUNDING', NULL, NULL, "
    "NULL, NULL), "
    "(NOW(), 'kr', 'li', 'clerk', 't', 'order.cancel', 'venue_order', 'B', 'refund_ok', 'REFUNDING', 'REFUNDED', 2, 1, "
    "NULL, NULL), "
    "(NOW(), 'kd', 'li', 'clerk', 't', 'order.book', 'venue_order', 'D', 'book', NULL, 'PENDING_PAY', 4, -1, 60, "
    "'{\"price\":\"60.00\"}')",
    "INSERT INTO order_change (changed_at, entity, order_no, old_status, new_status, database_user) VALUES "
    "(NOW(), 'venue_order', 'C', NULL, 'PAID', 'online'), (NOW(), 'venue_order', 'E', NULL, 'PENDING_PAY', 'online'), "
    "(NOW(), 'venue_order', 'E', 'PENDING_PAY', 'PAID', 'online')",
    "INSERT INTO approval (id, action, entity_no, amount, reason, content_hash, requester, terminal, status, approver, "
    "approver_terminal, created_at, decided_at, used_at) VALUES (7, 'refund', 'B', 60, '', REPEAT('0', 64), 'li', 't', "
    "'USED', 'fin', 't2', NOW() - INTERVAL 3 MINUTE, NOW() - INTERVAL 2 MINUTE, NOW() - INTERVAL 1 MINUTE)",
    /* So that a bad log row can be taken out again. */
    "DROP TRIGGER operation_log_no_delete",
};

/* One breach each; `spoil` and `mend` may hold two statements, separated by a line. */
static const struct mutation {
    int rule;
    const char *spoil, *mend;
} mutations[] = {
    {1, "UPDATE venue_schedule SET remain_count = 0 WHERE id = 2",
     "UPDATE venue_schedule SET remain_count = 1 WHERE id = 2"},
    {2, "UPDATE venue_schedule SET remain_count = 2 WHERE id = 2",
     "UPDATE venue_schedule SET remain_count = 1 WHERE id = 2"},
    {3, "ALTER TABLE reserve_order DROP INDEX uk_user_slot_holding",
     "ALTER TABLE reserve_order ADD UNIQUE KEY uk_user_slot_holding (user_id, schedule_id, holding)"},
    {3,
     "ALTER TABLE reserve_order DROP INDEX uk_user_slot_holding\nUPDATE reserve_order SET user_id = 101 WHERE order_no "
     "= 'E'",
     "UPDATE reserve_order SET user_id = 102 WHERE order_no = 'E'\n"
     "ALTER TABLE reserve_order ADD UNIQUE KEY uk_user_slot_holding (user_id, schedule_id, holding)"},
    {5, "UPDATE reserve_order SET start_time = '09:00:00' WHERE order_no = 'A'",
     "UPDATE reserve_order SET start_time = '10:00:00' WHERE order_no = 'A'"},
    {5, "UPDATE reserve_order SET venue_id = 2 WHERE order_no = 'A'",
     "UPDATE reserve_order SET venue_id = 1 WHERE order_no = 'A'"},
    {6,
     "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, remain_count, price) "
     "VALUES (9, 1, CURDATE() + INTERVAL 1 DAY, '10:30:00', '11:30:00', 1, 1, 60)",
     "DELETE FROM venue_schedule WHERE id = 9"},
    {7, "UPDATE reserve_order SET total_amount = 50 WHERE order_no = 'D'",
     "UPDATE reserve_order SET total_amount = 60 WHERE order_no = 'D'"},
    {7,
     "UPDATE reserve_order SET total_amount = 61 WHERE order_no = 'D'\n"
     "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
     "stock_change, schedule_id, amount_change, after_values) "
     "VALUES (NOW(), 'kd', 'li', 'clerk', 't', 'order.book', 'venue_order', 'D', 'book', 0, 4, 1, "
     "'{\"price\":\"60.00\"}')",
     "UPDATE reserve_order SET total_amount = 60 WHERE order_no = 'D'\nDELETE FROM operation_log WHERE entity_no = 'D' "
     "AND state_after IS NULL"},
    {8, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 HOUR WHERE order_no = 'D'",
     "UPDATE reserve_order SET expire_time = NOW() + INTERVAL 1 HOUR WHERE order_no = 'D'"},
    {23, "UPDATE reserve_order SET paid_amount = 59 WHERE order_no = 'A'",
     "UPDATE reserve_order SET paid_amount = 60 WHERE order_no = 'A'"},
    {23, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = 'A'",
     "UPDATE reserve_order SET live_codes = 0 WHERE order_no = 'A'"},
    {23, "UPDATE payment_record SET amount = 46 WHERE id = 3", "UPDATE payment_record SET amount = 45 WHERE id = 3"},
    {24, "UPDATE payment_record SET amount = 61 WHERE id = 1", "UPDATE payment_record SET amount = 60 WHERE id = 1"},
    {25, "UPDATE payment_record SET terminal = NULL WHERE id = 1",
     "UPDATE payment_record SET terminal = 't' WHERE id = 1"},
    {25, "UPDATE payment_record SET status = 'FAILED' WHERE id = 3",
     "UPDATE payment_record SET status = 'SUCCESS' WHERE id = 3"},
    {25, "UPDATE payment_record SET shift = NULL WHERE id = 1", "UPDATE payment_record SET shift = 1 WHERE id = 1"},
    {25, "UPDATE refund_record SET shift = NULL", "UPDATE refund_record SET shift = 1"},
    {26, "UPDATE payment_record SET channel = 'TRANSFER', created_at = NOW() - INTERVAL 1 HOUR WHERE id = 1",
     "UPDATE payment_record SET channel = 'CASH', created_at = NOW() WHERE id = 1"},
    {26,
     "INSERT INTO payment_record (id, order_no, payment_no, channel, amount, status, callback_time, operator, "
     "terminal, "
     "shift, request_key) VALUES (5, 'PY5', 'P5', 'CASH', 20, 'SUCCESS', NOW(), 'li', 't', 1, 'kd')\n"
     "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (5, 'D', 20)\n"
     "UPDATE reserve_order SET paid_amount = 20, expire_time = NOW() - INTERVAL 1 HOUR WHERE order_no = 'D'",
     "DELETE FROM payment_record WHERE id = 5\nDELETE FROM pay_allocation WHERE payment_id = 5\n"
     "UPDATE reserve_order SET paid_amount = 0, expire_time = NOW() + INTERVAL 1 HOUR WHERE order_no = 'D'"},
    {26,
     "INSERT INTO payment_record (id, order_no, payment_no, channel, amount, status, callback_time) "
     "VALUES (5, 'D', '4200D', 'WECHAT', 60, 'SUCCESS', NOW() - INTERVAL 1 HOUR)",
     "DELETE FROM payment_record WHERE id = 5"},
    {27,
     "INSERT INTO payment_record (id, order_no, payment_no, receipt_no, channel, amount, status, operator, terminal, "
     "request_key, created_at, code_until) VALUES (6, 'PY1', 'RC1', 'RC1', 'WECHAT', 60, 'CREATED', 'li', 't', 'kd', "
     "NOW() - INTERVAL 2 HOUR, NOW() - INTERVAL 1 HOUR)\n"
     "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (6, 'D', 60)\n"
     "UPDATE reserve_order SET live_codes = 1 WHERE order_no = 'D'",
     "DELETE FROM payment_record WHERE id = 6\nDELETE FROM pay_allocation WHERE payment_id = 6\n"
     "UPDATE reserve_order SET live_codes = 0 WHERE order_no = 'D'"},
    {28, "UPDATE shift SET expected = 131, difference = -6 WHERE id = 2",
     "UPDATE shift SET expected = 130, difference = -5 WHERE id = 2"},
    {28, "UPDATE shift SET difference = 0 WHERE id = 2", "UPDATE shift SET difference = -5 WHERE id = 2"},
    {28, "UPDATE shift SET explanation = '' WHERE id = 2", "UPDATE shift SET explanation = 'so' WHERE id = 2"},
    {28, "UPDATE shift_cash SET amount = 29", "UPDATE shift_cash SET amount = 30"},
    {29, "UPDATE payment_record SET refunded_amount = 1 WHERE id = 1",
     "UPDATE payment_record SET refunded_amount = 0 WHERE id = 1"},
    {29,
     "INSERT INTO refund_record (id, refund_no, payment_id, order_no, amount, kind, channel, status) "
     "VALUES (9, 'R0', 1, 'A', 0, 'AMOUNT', 'CASH', 'CREATED')",
     "DELETE FROM refund_record WHERE id = 9"},
    /* Within the payment, but more than its part for the order. */
    {29,
     "INSERT INTO payment_record (id, order_no, payment_no, channel, amount, status, callback_time, operator, "
     "terminal, "
     "tendered, refunded_amount, request_key) VALUES (5, 'PY5', 'P5', 'CASH', 20, 'SUCCESS', NOW(), 'li', 't', 20, 20, "
     "'ka')\n"
     "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (5, 'A', 10), (5, 'B', 10)\n"
     "UPDATE reserve_order SET paid_amount = 70, total_amount = 70 WHERE order_no = 'A'\n"
     "UPDATE refund_record SET amount = 50\nUPDATE payment_record SET refunded_amount = 50 WHERE id = 2\n"
     "INSERT INTO refund_record (id, refund_no, payment_id, order_no, amount, kind, channel, status, operator, "
     "terminal, request_key, finished_at) VALUES (8, 'R8', 5, 'B', 20, 'WHOLE', 'CASH', 'SUCCESS', 'li', 't', 'kr', "
     "NOW())\n"
     "UPDATE payment_record SET shift = 1 WHERE id = 5\nUPDATE refund_record SET shift = 1\n"
     "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
     "amount_change) VALUES (NOW(), 'ka', 'li', 'clerk', 't', 'x', 'venue_order', 'A', 'change', 10)",
     "DELETE FROM refund_record WHERE id = 8\nDELETE FROM pay_allocation WHERE payment_id = 5\n"
     "DELETE FROM payment_record WHERE id = 5\nUPDATE refund_record SET amount = 60\n"
     "UPDATE payment_record SET refunded_amount = 60 WHERE id = 2\n"
     "UPDATE reserve_order SET paid_amount = 60, total_amount = 60 WHERE order_no = 'A'\n"
     "DELETE FROM operation_log WHERE action = 'x'"},
    {30, "UPDATE refund_record SET channel = 'WECHAT'", "UPDATE refund_record SET channel = 'CASH'"},
    {30, "UPDATE refund_record SET finished_at = NULL", "UPDATE refund_record SET finished_at = NOW()"},
    {30,
     "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
     "state_before, state_after) VALUES (NOW(), 'kr', 'li', 'clerk', 't', 'x', 'refund', 'RB', 'result', 'SUCCESS', "
     "'FAILED')",
     "DELETE FROM operation_log WHERE action = 'x'"},
    {31, "UPDATE refund_record SET approval_id = 99", "UPDATE refund_record SET approval_id = NULL"},
    {31, "UPDATE refund_record SET first_id = 99", "UPDATE refund_record SET first_id = NULL"},
    {31, "UPDATE refund_record SET first_id = id", "UPDATE refund_record SET first_id = NULL"},
    {31, "UPDATE approval SET approver = 'li' WHERE id = 7", "UPDATE approval SET approver = 'fin' WHERE id = 7"},
    {31,
     "UPDATE refund_record SET approval_id = 7, amount = 50\nUPDATE payment_record SET refunded_amount = 50 WHERE id "
     "= 2\nUPDATE reserve_order SET paid_amount = 10 WHERE order_no = 'B'\n"
     "INSERT INTO refund_record (id, refund_no, payment_id, order_no, amount, kind, channel, status, operator, "
     "terminal, request_key, finished_at) VALUES (8, 'R8', 2, 'B', 10, 'WHOLE', 'CASH', 'SUCCESS', 'li', 't', 'kr', "
     "NOW())\nUPDATE payment_record SET refunded_amount = 60 WHERE id = 2\n"
     "UPDATE reserve_order SET paid_amount = 0 WHERE order_no = 'B'\nUPDATE refund_record SET shift = 1",
     "DELETE FROM refund_record WHERE id = 8\nUPDATE refund_record SET approval_id = NULL, amount = 60"},
    {32,
     "INSERT INTO refund_record (id, refund_no, payment_id, order_no, amount, kind, channel, status, created_at, "
     "next_at) VALUES (9, 'R9', 3, 'C', 5, 'AMOUNT', 'WECHAT', 'CREATED', NOW() - INTERVAL 2 HOUR, NOW() - INTERVAL 1 "
     "HOUR)\nUPDATE payment_record SET refunded_amount = 5 WHERE id = 3",
     "DELETE FROM refund_record WHERE id = 9\nUPDATE payment_record SET refunded_amount = 0 WHERE id = 3"},
    {33,
     "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
     "schedule_id, stock_change) "
     "VALUES (NOW(), 'ka', 'li', 'clerk', 't', 'order.book', 'venue_order', 'A', 'change', 1, -1)",
     "DELETE FROM operation_log WHERE entity_no = 'A' AND event = 'change'"},
    {34, "UPDATE reserve_order SET status = 'COMPLETED' WHERE order_no = 'A'",
     "UPDATE reserve_order SET status = 'PAID' WHERE order_no = 'A'"},
    {34, "UPDATE reserve_order SET status = 'NO_SHOW' WHERE order_no = 'C'",
     "UPDATE reserve_order SET status = 'PAID' WHERE order_no = 'C'"},
    {34,
     "INSERT INTO operation_log (logged_at, request_key, operator, role, terminal, action, entity, entity_no, event, "
     "state_before, state_after) VALUES "
     "(NOW(), 'ka', 'li', 'clerk', 't', 'x', 'venue_order', 'A', 'jump', 'PAID', 'NO_SHOW'), (NOW(), 'ka', 'li', "
     "'clerk', 't', 'x', 'venue_order', 'A', 'jump', 'NO_SHOW', 'PAID')",
     "DELETE FROM operation_log WHERE event = 'jump'"},
    {35,
     "INSERT INTO operation_log (logged_at, operator, role, terminal, action, entity, entity_no, event, state_before, "
     "state_after) VALUES "
     "(NOW(), 'li', 'clerk', 't', 'x', 'venue_order', 'A', 'refund', 'PAID', 'REFUNDING'), "
     "(NOW(), 'li', 'clerk', 't', 'x', 'venue_order', 'A', 'refund_fail', 'REFUNDING', 'PAID')",
     "DELETE FROM operation_log WHERE action = 'x'"},
    {37, "DELETE FROM op_request WHERE request_key = 'ka'",
     "INSERT INTO op_request (request_key, action, request_hash, operator, created_at) VALUES ('ka', 'order.book', "
     "REPEAT('0', 64), 'li', NOW())"},
    {37, "UPDATE payment_record SET request_key = NULL WHERE id = 1",
     "UPDATE payment_record SET request_key = 'ka' WHERE id = 1"},
    {40, "UPDATE reserve_order SET paid_time = NOW() + INTERVAL 1 HOUR WHERE order_no = 'A'",
     "UPDATE reserve_order SET paid_time = NOW() WHERE order_no = 'A'"},
    {40, "UPDATE reserve_order SET cancel_time = create_time - INTERVAL 1 HOUR WHERE order_no = 'B'",
     "UPDATE reserve_order SET cancel_time = NOW() WHERE order_no = 'B'"},
    {41, "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (999, 'A', 1)",
     "DELETE FROM pay_allocation WHERE payment_id = 999"},
    {41, "INSERT INTO order_due (id, order_no, amount, cause) VALUES (9, 'Z', 1, 'move')",
     "DELETE FROM order_due WHERE id = 9"},
    {41, "UPDATE payment_record SET shift = 99 WHERE id = 1", "UPDATE payment_record SET shift = 1 WHERE id = 1"},
    {41, "UPDATE refund_record SET shift = 99", "UPDATE refund_record SET shift = 1"},
    {41, "INSERT INTO shift_cash (id, shift_id, amount, reason, operator) VALUES (9, 99, 1, 'x', 'li')",
     "DELETE FROM shift_cash WHERE id = 9"},
    {41,
     "INSERT INTO money_case (id, kind, subject, order_no, payment_id, amount, cause, status) VALUES (9, 'UNKNOWN', "
     "'X', "
     "'Z', 1, 1, 'x', 'OPEN')",
     "DELETE FROM money_case WHERE id = 9"},
    {41,
     "INSERT INTO money_case (id, kind, subject, order_no, payment_id, amount, cause, status) VALUES (9, 'UNKNOWN', "
     "'X', "
     "'A', 99, 1, 'x', 'OPEN')",
     "DELETE FROM money_case WHERE id = 9"},
};

/* Runs the statements of a text, one a line. */
static void run_lines(const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n")))
        fixture_sql(db, "%s", line);
    free(copy);
}

/* The broken rules as "1 23 ". */
static const char *broken(void)
{
    static char text[256];
    struct fd_error err = {0};
    struct arena arena = {0};
    struct doctor_finding *findings;
    size_t count, used = 0;
    must(doctor_check(db, -1, 30, &arena, &findings, &count, &err));
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        used += fit_printf_at(text + used, sizeof text - used, "%d ", findings[i].rule->number);
        assert_true(findings[i].example_count > 0);
        assert_true(findings[i].examples[0].what[0] && findings[i].examples[0].wrong[0]);
    }
    arena_release(&arena);
    return text;
}

static int start(void **state)
{
    (void)state;
    struct fd_error err = {0};
    fixture_start(&fixture, true);
    db = fixture_open(&fixture);
    must(rules_load(db, &err));
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        fixture_sql(db, "%s", sound[i]);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    fixture_stop(&fixture);
    return 0;
}

static void sound_rows_break_no_rule(void **state)
{
    (void)state;
    assert_string_equal(broken(), "");
}

static void one_bad_row_breaks_exactly_its_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
        char wanted[8];
        fit_printf(wanted, "%d ", mutations[i].rule);
        run_lines(mutations[i].spoil);
        if (strcmp(broken(), wanted) != 0)
            fail_msg("\"%s\" should break rule %s, breaks: %s", mutations[i].spoil, wanted, broken());
        run_lines(mutations[i].mend);
        if (*broken())
            fail_msg("mending \"%s\" leaves broken: %s", mutations[i].spoil, broken());
    }
}

static void every_rule_has_a_mutation(void **state)
{
    (void)state;
    for (const struct doctor_rule *rule = doctor_rules; rule->number; rule++) {
        bool found = false;
        for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++)
            found = found || mutations[i].rule == rule->number;
        if (!found)
            fail_msg("rule %d has no mutation", rule->number);
    }
}

static void grace_lets_the_worker_be_late(void **state)
{
    (void)state;
    struct fd_error err = {0};
    struct arena arena = {0};
    struct doctor_finding *findings;
    size_t count;
    fixture_sql(db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 5 MINUTE WHERE order_no = 'D'");
    assert_string_equal(broken(), "");
    must(doctor_check(db, 0, 30, &arena, &findings, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(findings[0].rule->number, 8);
    arena_release(&arena);
    fixture_sql(db, "UPDATE reserve_order SET expire_time = NOW() + INTERVAL 1 HOUR WHERE order_no = 'D'");
}

static void work_that_goes_on_is_no_breach(void **state)
{
    (void)state;
    struct db *writer = fixture_open(&fixture);
    struct fd_error err = {0};
    /* Taken, but not committed yet: the snapshot sees neither half. */
    must(db_run(writer, "UPDATE venue_schedule SET remain_count = 0 WHERE id = 2", &err));
    assert_string_equal(broken(), "");
    db_rollback(writer);
    db_close(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_rows_break_no_rule),       cmocka_unit_test(one_bad_row_breaks_exactly_its_rule),
        cmocka_unit_test(every_rule_has_a_mutation),      cmocka_unit_test(grace_lets_the_worker_be_late),
        cmocka_unit_test(work_that_goes_on_is_no_breach),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
