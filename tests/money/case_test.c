/* Cases on a real server: opened by what happens to money, ended by people, each once. */
#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "fault/sound.h"
#include "money/back.h"
#include "money/case.h"
#include "money/code.h"
#include "money/pay.h"
#include "venue/booking.h"

static struct desk *ann, *fin;
static struct arena arena;

static int start(void **state)
{
    action_register(case_actions);
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

static char phone_text[16];

static const char *next_phone(void)
{
    static int next;
    fit_printf(phone_text, "1370000%04d", next++);
    return phone_text;
}

static void order_for(const char *phone, const char *price, char number[NUMBER_BYTES])
{
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), phone));
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
        online,
        "SELECT CAST(COALESCE(SUM(a.amount), 0) * 100 AS SIGNED) FROM pay_allocation a JOIN payment_record p "
        "ON p.id = a.payment_id WHERE a.order_no = '%s' AND p.status = 'SUCCESS'",
        number);
}

static int64_t open_case(const char *kind, const char *order_no)
{
    return fixture_int(
        online,
        "SELECT COALESCE(MAX(id), 0) FROM money_case WHERE kind = '%s' AND order_no = '%s' AND status <> 'CLOSED'",
        kind, order_no);
}

static const char *case_end(int64_t id)
{
    return fixture_text(online, "SELECT CONCAT_WS('/', status, outcome) FROM money_case WHERE id = %lld",
                        (long long)id);
}

/* A code of an order as opening it leaves it; then the order ends by itself, and the customer pays all the same. */
static void pay_late(const char *number, const char *amount, int64_t fen, char out_trade_no[NUMBER_BYTES])
{
    static int next;
    struct settled settled;
    fit_printf_at(out_trade_no, NUMBER_BYTES, "20261130PYLATE%04d", ++next);
    fixture_sql(
        online,
        "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
        "terminal, request_key, code_until, created_at) VALUES ('%s', 'RCLATE%04d', 'RCLATE%04d', 'WECHAT', %s, "
        "'CREATED', 'ann', 'desk1', 'k', NOW(), NOW())",
        out_trade_no, next, next, amount);
    fixture_sql(online,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record "
                "WHERE order_no = '%s'",
                number, out_trade_no);
    int64_t refunded;
    must(venue_cancel(ann, NULL, number, "not wanted any more", &refunded, &err));
    fixture_sql(online, "UPDATE reserve_order SET live_codes = live_codes + 1 WHERE order_no = '%s'", number);
    char trade_text[] = "{}";
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = fen, .raw = trade_text};
    fit_printf(trade.trade_no, "4200LATE%04d", next);
    must(code_settle(ann, out_trade_no, CHANNEL_WECHAT, &trade, "poll", &settled, &err));
    assert_true(settled.surplus);
}

static void close_as(struct desk *desk, int64_t id, enum case_end how, const char *to, enum fd_code wanted)
{
    const struct case_closing closing = {
        .how = how, .to = to, .reference = "T-1", .reason = "the customer was called and agreed"};
    int64_t left = -1;
    must_give(wanted, case_close(desk, NULL, id, &closing, &left, &err));
}

static void late_money_moves_to_another_order(void **state)
{
    (void)state;
    char late[NUMBER_BYTES], other[NUMBER_BYTES], stranger[NUMBER_BYTES], number[NUMBER_BYTES], phone[16];
    cut_copy(phone, sizeof phone, next_phone());
    order_for(phone, "60.00", late);
    pay_late(late, "60.00", 6000, number);
    order_for(phone, "60.00", other);
    order_for(next_phone(), "60.00", stranger);
    int64_t id = open_case("LATE", late);
    assert_int_not_equal(id, 0);
    assert_string_equal(state_of(late), "CANCELLED");
    assert_int_equal(paid_of(late), 0);
    close_as(ann, id, CASE_MOVED, stranger, FD_REFUSED);
    close_as(ann, id, CASE_MOVED, late, FD_REFUSED);
    close_as(ann, id, CASE_MOVED, NULL, FD_BAD_INPUT);
    close_as(ann, id, CASE_MOVED, other, FD_OK);
    assert_string_equal(state_of(other), "PAID");
    assert_int_equal(paid_of(other), 6000);
    assert_int_equal(allocated(other), 6000);
    assert_int_equal(allocated(late), 0);
    assert_string_equal(case_end(id), "CLOSED/moved");
    assert_int_equal(open_case("LATE", late), 0);
    close_as(ann, id, CASE_MOVED, other, FD_REFUSED);
    assert_non_null(strstr(err.message, "Ms ann"));
}

static void what_the_other_order_does_not_owe_stays_a_case(void **state)
{
    (void)state;
    char late[NUMBER_BYTES], small[NUMBER_BYTES], large[NUMBER_BYTES], number[NUMBER_BYTES], phone[16];
    cut_copy(phone, sizeof phone, next_phone());
    order_for(phone, "60.00", late);
    pay_late(late, "60.00", 6000, number);
    order_for(phone, "25.00", small);
    order_for(phone, "80.00", large);
    int64_t id = open_case("LATE", late), left = -1;
    const struct case_closing closing = {.how = CASE_MOVED, .to = small};
    must(case_close(ann, "k-move", id, &closing, &left, &err));
    assert_int_equal(left, 3500);
    must(case_close(ann, "k-move", id, &closing, &left, &err));
    assert_int_equal(left, 3500);
    assert_string_equal(state_of(small), "PAID");
    int64_t rest = open_case("LATE", late);
    assert_int_not_equal(rest, id);
    assert_int_equal(
        fixture_int(online, "SELECT CAST(amount * 100 AS SIGNED) FROM money_case WHERE id = %lld", (long long)rest),
        3500);
    close_as(ann, rest, CASE_MOVED, large, FD_OK);
    assert_string_equal(state_of(large), "PENDING_PAY");
    assert_int_equal(paid_of(large), 3500);
    assert_int_equal(open_case("LATE", late), 0);
    /* Nothing was made or lost. */
    assert_int_equal(allocated(late) + allocated(small) + allocated(large), 6000);
}

static void late_money_goes_back(void **state)
{
    (void)state;
    char late[NUMBER_BYTES], number[NUMBER_BYTES];
    int64_t done = 0;
    order_for(next_phone(), "60.00", late);
    pay_late(late, "60.00", 6000, number);
    int64_t id = open_case("LATE", late);
    close_as(ann, id, CASE_REFUNDED, NULL, FD_NO_PERMISSION);
    close_as(fin, id, CASE_CONFIRMED, NULL, FD_BAD_INPUT);
    assert_non_null(strstr(err.message, "refunded"));
    close_as(fin, id, CASE_REFUNDED, NULL, FD_OK);
    /* It stays with finance until the channel says. */
    assert_string_equal(case_end(id), "TAKEN");
    close_as(fin, id, CASE_REFUNDED, NULL, FD_REFUSED);
    close_as(fin, id, CASE_KEPT, NULL, FD_REFUSED);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s' AND amount = 60 AND status "
                                 "IN ('CREATED', 'PROCESSING')",
                                 late),
                     1);
    must(cases_sweep(fin, 50, &done, &err));
    assert_string_equal(case_end(id), "TAKEN");
    fixture_sql(online, "UPDATE refund_record SET status = 'SUCCESS', finished_at = NOW() WHERE order_no = '%s'", late);
    must(cases_sweep(fin, 50, &done, &err));
    assert_string_equal(case_end(id), "CLOSED/refunded");
}

static void tender_of(enum tender tender, const char *number, struct paid *paid)
{
    must(pay_take(ann, NULL, number, &(struct payment){.tender = tender, .reference = "R-5"}, paid, &err));
}

static void finance_confirms_a_tender(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t done = 0;
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_TRANSFER, number, &paid);
    int64_t id = open_case("CONFIRM", number);
    assert_int_not_equal(id, 0);
    close_as(ann, id, CASE_CONFIRMED, NULL, FD_NO_PERMISSION);
    close_as(fin, id, CASE_CONFIRMED, NULL, FD_OK);
    assert_string_equal(case_end(id), "CLOSED/confirmed");
    assert_int_equal(fixture_int(online, "SELECT confirmed_at IS NOT NULL FROM payment_record WHERE payment_no = '%s'",
                                 paid.payment_no),
                     1);
    must(cases_sweep(fin, 50, &done, &err));
    assert_int_equal(open_case("CONFIRM", number), 0);
}

static void rejected_money_is_owed_again(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_STATIC, number, &paid);
    int64_t id = open_case("CONFIRM", number);
    struct case_closing closing = {.how = CASE_REJECTED, .reason = "no"};
    must_give(FD_REASON_NEEDED, case_close(fin, NULL, id, &closing, NULL, &err));
    closing.reason = "nothing came to the account";
    must(case_close(fin, NULL, id, &closing, NULL, &err));
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 0);
    assert_string_equal(
        fixture_text(online, "SELECT CONCAT(amount, cause) FROM order_due WHERE order_no = '%s' AND settled_at IS NULL",
                     number),
        "30.00rejected");
    assert_string_equal(
        fixture_text(online, "SELECT status FROM payment_record WHERE payment_no = '%s'", paid.payment_no), "FAILED");
    assert_int_equal(allocated(number), 0);
    /* It can be paid as any due can. */
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    assert_int_equal(paid.amount_fen, 3000);
    assert_int_equal(paid_of(number), 3000);
}

static void rejecting_what_a_waiting_order_was_paid_in_part(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_for(next_phone(), "30.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_VOUCHER, .reference = "V1", .amount_fen = 1000},
                  &paid, &err));
    close_as(fin, open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(state_of(number), "PENDING_PAY");
    assert_int_equal(paid_of(number), 0);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM order_due WHERE order_no = '%s'", number), 0);
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    assert_int_equal(paid.amount_fen, 3000);
}

static void part_paid_and_over_needs_a_person(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], kept[NUMBER_BYTES], rest[NUMBER_BYTES];
    struct paid paid;
    int64_t done = 0;
    char *const all[] = {number, kept, rest};
    for (size_t i = 0; i < COUNT(all); i++) {
        order_for(next_phone(), "40.00", all[i]);
        must(pay_take(ann, NULL, all[i], &(struct payment){.amount_fen = 1500}, &paid, &err));
    }
    must(cases_sweep(fin, 50, &done, &err));
    assert_int_equal(open_case("PART_PAID", number), 0);
    for (size_t i = 0; i < COUNT(all); i++)
        fixture_sql(online, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE order_no = '%s'",
                    all[i]);
    must(cases_sweep(fin, 50, &done, &err));
    assert_true(done >= 3);
    must(cases_sweep(fin, 50, &done, &err));
    assert_int_equal(done, 0);
    int64_t id = open_case("PART_PAID", number);
    close_as(fin, open_case("PART_PAID", kept), CASE_KEPT, NULL, FD_OK);
    close_as(fin, id, CASE_REFUNDED, NULL, FD_OK);
    assert_string_equal(case_end(id), "CLOSED/refunded");
    assert_string_equal(state_of(number), "CANCELLED");
    assert_int_equal(paid_of(number), 0);
    /* The rest was taken: nobody has to look after it any more. */
    int64_t rest_id = open_case("PART_PAID", rest);
    must(pay_take(ann, NULL, rest, &(struct payment){0}, &paid, &err));
    must(cases_sweep(fin, 50, &done, &err));
    assert_string_equal(case_end(rest_id), "CLOSED/settled");
    assert_int_equal(open_case("PART_PAID", kept), 0);
}

static void silence_needs_a_person(void **state)
{
    (void)state;
    int64_t done = 0;
    char number[NUMBER_BYTES];
    order_for(next_phone(), "40.00", number);
    fixture_sql(online,
                "INSERT INTO payment_record (id, order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, request_key, code_until, created_at) VALUES (70001, '20261130PYSILENT1', 'RCS1', 'RCS1', "
                "'ALIPAY', 40, "
                "'CREATED', 'ann', 'desk1', 'k', NOW() - INTERVAL 3 HOUR, NOW() - INTERVAL 4 HOUR)");
    fixture_sql(online, "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (70001, '%s', 40)", number);
    must(cases_sweep(fin, 50, &done, &err));
    int64_t id = open_case("UNKNOWN", number);
    assert_int_not_equal(id, 0);
    fixture_sql(online, "UPDATE payment_record SET status = 'FAILED' WHERE id = 70001");
    must(cases_sweep(fin, 50, &done, &err));
    assert_string_equal(case_end(id), "CLOSED/settled");
}

static void a_case_has_one_owner(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_TRANSFER, number, &paid);
    int64_t id = open_case("CONFIRM", number);
    must(case_take(ann, "k-take", id, &err));
    must(case_take(ann, "k-take", id, &err));
    must_give(FD_REFUSED, case_take(fin, NULL, id, &err));
    assert_non_null(strstr(err.message, "ann"));
    close_as(fin, id, CASE_CONFIRMED, NULL, FD_REFUSED);
    fin->reason = "she went home";
    must(case_take(fin, NULL, id, &err));
    fin->reason = NULL;
    close_as(fin, id, CASE_CONFIRMED, NULL, FD_OK);
    must_give(FD_REFUSED, case_take(ann, NULL, id, &err));
    must_give(FD_NOT_FOUND, case_take(ann, NULL, 999999, &err));
}

static void the_same_trouble_is_one_case(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade[NUMBER_BYTES];
    struct settled settled;
    order_for(next_phone(), "60.00", number);
    pay_late(number, "60.00", 6000, trade);
    char raw[] = "{}";
    struct channel_trade again = {.state = TRADE_PAID, .amount_fen = 6000, .raw = raw};
    must(code_settle(ann, trade, CHANNEL_WECHAT, &again, "notice", &settled, &err));
    assert_false(settled.first);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM money_case WHERE order_no = '%s'", number), 1);
}

static void cases_are_listed_by_page(void **state)
{
    (void)state;
    struct case_row *rows;
    size_t count;
    must(case_list(ann, false, 0, 500, &arena, &rows, &count, &err));
    assert_int_equal(count, fixture_int(online, "SELECT COUNT(*) FROM money_case WHERE status <> 'CLOSED'"));
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || rows[i].id > rows[i - 1].id);
        assert_true(rows[i].steps[0] != '\0');
        assert_non_null(strstr(rows[i].phone, "****"));
    }
    int64_t all = fixture_int(online, "SELECT COUNT(*) FROM money_case"), seen = 0, after = 0;
    do {
        must(case_list(ann, true, after, 3, &arena, &rows, &count, &err));
        seen += (int64_t)count;
        after = count ? rows[count - 1].id : 0;
    } while (count == 3);
    assert_int_equal(seen, all);
    must_give(FD_NOT_FOUND, case_show(ann, 999999, &arena, &rows, &err));
}

struct both {
    pthread_mutex_t mutex;
    int64_t id;
    const char *to;
    int done;
};

static void move_it(struct desk *desk, int index, void *arg)
{
    struct both *both = arg;
    struct fd_error local = {0};
    const struct case_closing closing = {.how = CASE_MOVED, .to = both->to};
    (void)index;
    enum fd_code code = case_close(desk, NULL, both->id, &closing, NULL, &local);
    pthread_mutex_lock(&both->mutex);
    both->done += code == FD_OK;
    pthread_mutex_unlock(&both->mutex);
}

static void many_close_it_once(void **state)
{
    (void)state;
    char late[NUMBER_BYTES], other[NUMBER_BYTES], number[NUMBER_BYTES], phone[16];
    cut_copy(phone, sizeof phone, next_phone());
    order_for(phone, "10.00", late);
    pay_late(late, "10.00", 1000, number);
    order_for(phone, "90.00", other);
    struct both both = {.mutex = PTHREAD_MUTEX_INITIALIZER, .id = open_case("LATE", late), .to = other};
    kit_threads(6, "ann", move_it, &both);
    assert_int_equal(both.done, 1);
    assert_int_equal(paid_of(other), 1000);
    assert_int_equal(allocated(other), 1000);
    assert_int_equal(allocated(late), 0);
}

struct either {
    struct both both;
    char late[NUMBER_BYTES];
};

/* Index 0 moves the money, the other gives it back. */
static void move_or_give_back(struct desk *desk, int index, void *arg)
{
    struct either *either = arg;
    struct fd_error local = {0};
    struct backed backed;
    if (index == 0) {
        move_it(desk, index, &either->both);
        return;
    }
    enum fd_code code = back_give(desk, NULL, either->late, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 1000},
                                  "called and wants it back", &backed, &local);
    pthread_mutex_lock(&either->both.mutex);
    either->both.done += code == FD_OK;
    pthread_mutex_unlock(&either->both.mutex);
}

static void money_moves_or_goes_back_never_both(void **state)
{
    (void)state;
    for (int round = 0; round < 25; round++) {
        char other[NUMBER_BYTES], number[NUMBER_BYTES], phone[16];
        struct either either = {.both = {.mutex = PTHREAD_MUTEX_INITIALIZER, .to = other}};
        cut_copy(phone, sizeof phone, next_phone());
        order_for(phone, "10.00", either.late);
        pay_late(either.late, "10.00", 1000, number);
        order_for(phone, "90.00", other);
        either.both.id = open_case("LATE", either.late);
        kit_threads(2, "boss", move_or_give_back, &either);
        assert_int_equal(either.both.done, 1);
        assert_int_equal(allocated(other) +
                             fixture_int(online,
                                         "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM refund_record "
                                         "WHERE order_no = '%s' AND status <> 'FAILED'",
                                         either.late),
                         1000);
    }
}

/* Twice paid: once by code and once in cash. What goes back is what came last, the way it came. */
static void a_surplus_goes_back_the_way_it_came(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES] = "20261130PYTWICE1", raw[] = "{}";
    struct settled settled;
    struct paid paid;
    order_for(next_phone(), "60.00", number);
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, request_key, code_until, created_at) VALUES ('%s', 'RCTWICE', 'RCTWICE', 'WECHAT', 60, "
                "'CREATED', 'ann', 'desk1', 'k', NOW(), NOW())",
                trade_no);
    fixture_sql(online,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record "
                "WHERE order_no = '%s'",
                number, trade_no);
    fixture_sql(online, "UPDATE reserve_order SET paid_amount = 0, live_codes = 1 WHERE order_no = '%s'", number);
    must(pay_take(ann, NULL, number, &(struct payment){0}, &paid, &err));
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = 6000, .trade_no = "4200TWICE", .raw = raw};
    must(code_settle(ann, trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    int64_t id = open_case("SURPLUS", number);
    assert_int_not_equal(id, 0);
    close_as(fin, id, CASE_REFUNDED, NULL, FD_OK);
    assert_string_equal(state_of(number), "PAID");
    assert_int_equal(paid_of(number), 6000);
    assert_string_equal(
        fixture_text(online, "SELECT GROUP_CONCAT(channel, amount) FROM refund_record WHERE order_no = '%s'", number),
        "WECHAT60.00");
}

/* An order of 60 of which 30 were paid in cash while its code for 60 was live, and then the code too: 30 lie with a
 * case. */
static void pay_half_twice(char number[NUMBER_BYTES], const char *trade_no)
{
    char raw[] = "{}";
    struct settled settled;
    struct paid paid;
    order_for(next_phone(), "60.00", number);
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, request_key, code_until, created_at) VALUES ('%s', '%s', '%s', 'WECHAT', 60, "
                "'CREATED', 'ann', 'desk1', 'k', NOW(), NOW())",
                trade_no, trade_no, trade_no);
    fixture_sql(online,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record "
                "WHERE order_no = '%s'",
                number, trade_no);
    fixture_sql(online, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = '%s'", number);
    must(pay_take(ann, NULL, number, &(struct payment){.amount_fen = 3000}, &paid, &err));
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = 6000, .raw = raw};
    fit_printf(trade.trade_no, "4200%s", trade_no);
    must(code_settle(ann, trade_no, CHANNEL_WECHAT, &trade, "notice", &settled, &err));
    assert_int_equal(fixture_int(online, "SELECT CAST(amount AS SIGNED) FROM money_case WHERE id = %lld",
                                 (long long)open_case("SURPLUS", number)),
                     30);
}

static void give_amount(const char *number, int64_t fen)
{
    struct backed backed;
    must(back_give(fin, NULL, number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = fen}, "it was too much",
                   &backed, &err));
}

/* Refunds of this order's payments by code, in fen. */
static int64_t back_by_code(const char *number)
{
    return fixture_int(online,
                       "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM refund_record "
                       "WHERE order_no = '%s' AND channel = 'WECHAT'",
                       number);
}

static void a_surplus_that_left_by_another_door_does_not_leave_twice(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES], phone[32];
    int64_t done;
    pay_half_twice(number, "20261130PYDOOR1");
    cut_copy(phone, sizeof phone, phone_text);
    int64_t id = open_case("SURPLUS", number);
    order_for(phone, "30.00", other);
    give_amount(number, 3000); /* the cash: just that sum */
    give_amount(number, 3000); /* of the code: what was too much */
    assert_int_equal(back_by_code(number), 3000);
    close_as(fin, id, CASE_REFUNDED, NULL, FD_REFUSED);
    close_as(fin, id, CASE_MOVED, other, FD_REFUSED);
    assert_int_equal(back_by_code(number), 3000);
    must(cases_sweep(fin, 50, &done, &err));
    assert_string_equal(case_end(id), "CLOSED/settled");
}

static void what_is_left_of_a_case_goes_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES];
    int64_t done;
    order_for(next_phone(), "60.00", number);
    pay_late(number, "60.00", 6000, trade_no);
    int64_t id = open_case("LATE", number);
    give_amount(number, 2000);
    must(cases_sweep(fin, 50, &done, &err));
    assert_int_equal(open_case("LATE", number), id);
    close_as(fin, id, CASE_REFUNDED, NULL, FD_OK);
    assert_int_equal(back_by_code(number), 6000);
}

static void what_is_left_of_a_case_moves(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES], trade_no[NUMBER_BYTES], phone[32];
    struct case_closing closing = {.how = CASE_MOVED, .to = other, .reason = "the customer was called and agreed"};
    int64_t left = -1;
    cut_copy(phone, sizeof phone, next_phone());
    order_for(phone, "60.00", number);
    pay_late(number, "60.00", 6000, trade_no);
    give_amount(number, 2000);
    order_for(phone, "30.00", other);
    must(case_close(fin, NULL, open_case("LATE", number), &closing, &left, &err));
    assert_int_equal(left, 1000);
    assert_int_equal(allocated(other), 3000);
    assert_string_equal(state_of(other), "PAID");
    close_as(fin, open_case("LATE", number), CASE_REFUNDED, NULL, FD_OK);
    assert_int_equal(back_by_code(number), 3000);
}

static void a_refund_that_was_given_up_is_sent_again(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], trade_no[NUMBER_BYTES];
    order_for(next_phone(), "60.00", number);
    pay_late(number, "60.00", 6000, trade_no);
    give_amount(number, 6000);
    fixture_sql(online,
                "UPDATE refund_record SET next_at = NULL, tries = 12, sent_at = NOW() - INTERVAL 1 DAY "
                "WHERE order_no = '%s'",
                number);
    fixture_sql(online,
                "INSERT INTO money_case (kind, subject, order_no, refund_id, amount, cause, status) "
                "SELECT 'UNKNOWN', refund_no, order_no, id, amount, 'sent 12 times', 'OPEN' FROM refund_record "
                "WHERE order_no = '%s'",
                number);
    close_as(fin, open_case("UNKNOWN", number), CASE_RETRIED, NULL, FD_OK);
    assert_int_equal(fixture_int(online, "SELECT next_at IS NOT NULL FROM refund_record WHERE order_no = '%s'", number),
                     1);
}

static void money_under_a_strange_number_is_not_asked_for(void **state)
{
    (void)state;
    fixture_sql(online, "INSERT INTO money_case (id, kind, subject, amount, cause, status) VALUES (80001, 'UNKNOWN', "
                        "'20261130PYSTRAY1', 70, 'paid under a number that is not known here', 'OPEN')");
    close_as(fin, 80001, CASE_RETRIED, NULL, FD_REFUSED);
    close_as(fin, 80001, CASE_KEPT, NULL, FD_OK);
}

static void another_amount_does_not_leave_the_drawer(void **state)
{
    (void)state;
    fixture_sql(online, "INSERT INTO money_case (id, kind, subject, amount, cause, status) VALUES (80002, 'AMOUNT', "
                        "'20261130PYOTHER1', 70, 'another amount', 'OPEN')");
    struct case_closing closing = {.how = CASE_PAID_BY_HAND, .in_cash = true, .reason = "handed over at the counter"};
    must_give(FD_BAD_INPUT, case_close(fin, NULL, 80002, &closing, NULL, &err));
    closing.in_cash = false;
    closing.reference = "T-9";
    must(case_close(fin, NULL, 80002, &closing, NULL, &err));
}

static void money_given_back_by_hand_needs_its_number(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t refunded = 0;
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_TRANSFER, number, &paid);
    must(venue_cancel(ann, NULL, number, "rain", &refunded, &err));
    assert_string_equal(state_of(number), "REFUNDING");
    int64_t id = open_case("BY_HAND", number), confirm = open_case("CONFIRM", number);
    assert_int_not_equal(id, 0);
    struct case_closing closing = {.how = CASE_PAID_BY_HAND, .reason = "transferred back"};
    must_give(FD_BAD_INPUT, case_close(fin, NULL, id, &closing, NULL, &err));
    closing.reference = "T-77";
    must_give(FD_NO_PERMISSION, case_close(ann, NULL, id, &closing, NULL, &err));
    must(case_close(fin, "k-hand", id, &closing, NULL, &err));
    must(case_close(fin, "k-hand", id, &closing, NULL, &err));
    assert_string_equal(state_of(number), "REFUNDED");
    assert_int_equal(open_case("BY_HAND", number), 0);
    assert_string_equal(
        fixture_text(online, "SELECT CONCAT(status, reference) FROM refund_record WHERE order_no = '%s'", number),
        "SUCCESST-77");
    /* It went back: finance cannot say any more that it never came. */
    close_as(fin, confirm, CASE_REJECTED, NULL, FD_REFUSED);
    close_as(fin, confirm, CASE_CONFIRMED, NULL, FD_OK);
}

static const char *money_of(const char *number)
{
    return fixture_text(online,
                        "SELECT CONCAT_WS('/', o.status, o.quantity, o.total_amount, o.paid_amount, (SELECT "
                        "COALESCE(SUM(d.amount), 0) FROM order_due d WHERE d.order_no = o.order_no AND d.settled_at IS "
                        "NULL)) FROM reserve_order o WHERE o.order_no = '%s'",
                        number);
}

static void money_that_never_came_does_not_go_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    struct backed backed;
    int64_t refunded = 0;
    /* Whole: cancelled before finance looked. */
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_TRANSFER, number, &paid);
    must(venue_cancel(ann, NULL, number, "rain", &refunded, &err));
    int64_t hand = open_case("BY_HAND", number);
    close_as(fin, open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "REFUNDED/1/30.00/0.00/0.00");
    assert_string_equal(case_end(hand), "CLOSED/rejected");
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', status, owed) FROM refund_record WHERE order_no = "
                                     "'%s'",
                                     number),
                        "FAILED/0");
    assert_int_equal(fixture_int(online,
                                 "SELECT CAST(refunded_amount AS SIGNED) FROM payment_record WHERE payment_no = "
                                 "'%s'",
                                 paid.payment_no),
                     0);
    /* A part of the places: the rest is owed again. */
    order_for(next_phone(), "30.00", number);
    must(venue_quantity_with(ann, NULL, number, 3, &(struct venue_change){0}, NULL, &err));
    tender_of(TENDER_TRANSFER, number, &paid);
    must(back_give(ann, NULL, number, &(struct back){.kind = BACK_QUANTITY, .quantity = 1}, "one is ill", &backed,
                   &err));
    close_as(fin, open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "PAID/2/60.00/0.00/60.00");
    assert_int_equal(open_case("BY_HAND", number), 0);
    /* By amount: the order costs what it did. */
    order_for(next_phone(), "30.00", number);
    tender_of(TENDER_TRANSFER, number, &paid);
    must(back_give(ann, NULL, number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 1000}, "a lamp was out",
                   &backed, &err));
    close_as(fin, open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "PAID/1/30.00/0.00/30.00");
}

static void nothing_of_it_breaks_a_rule(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "cases", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_money_moves_to_another_order),
        cmocka_unit_test(what_the_other_order_does_not_owe_stays_a_case),
        cmocka_unit_test(late_money_goes_back),
        cmocka_unit_test(finance_confirms_a_tender),
        cmocka_unit_test(rejected_money_is_owed_again),
        cmocka_unit_test(rejecting_what_a_waiting_order_was_paid_in_part),
        cmocka_unit_test(part_paid_and_over_needs_a_person),
        cmocka_unit_test(silence_needs_a_person),
        cmocka_unit_test(a_case_has_one_owner),
        cmocka_unit_test(the_same_trouble_is_one_case),
        cmocka_unit_test(cases_are_listed_by_page),
        cmocka_unit_test(many_close_it_once),
        cmocka_unit_test(money_moves_or_goes_back_never_both),
        cmocka_unit_test(a_surplus_goes_back_the_way_it_came),
        cmocka_unit_test(a_surplus_that_left_by_another_door_does_not_leave_twice),
        cmocka_unit_test(what_is_left_of_a_case_goes_back),
        cmocka_unit_test(what_is_left_of_a_case_moves),
        cmocka_unit_test(a_refund_that_was_given_up_is_sent_again),
        cmocka_unit_test(money_under_a_strange_number_is_not_asked_for),
        cmocka_unit_test(another_amount_does_not_leave_the_drawer),
        cmocka_unit_test(money_given_back_by_hand_needs_its_number),
        cmocka_unit_test(money_that_never_came_does_not_go_back),
        cmocka_unit_test(nothing_of_it_breaks_a_rule),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
