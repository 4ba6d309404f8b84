/* Cases that could only be kept: each has an end that leaves the books right. */
#include "money/code_kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fault/sound.h"
#include "money/back.h"
#include "money/case.h"
#include "venue/booking.h"

static struct desk *fin;

static int start(void **state)
{
    action_register(case_actions);
    action_register(back_actions);
    code_kit_start(state);
    fin = kit_desk("fin");
    return 0;
}

static int stop(void **state)
{
    desk_close(&fin);
    return code_kit_stop(state);
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

static void close_as(int64_t id, enum case_end how, const char *to, enum fd_code wanted)
{
    const struct case_closing closing = {
        .how = how, .to = to, .reference = "T-1", .reason = "looked into the merchant's account"};
    must_give(wanted, case_close(fin, NULL, id, &closing, NULL, &err));
}

/* State, paid_amount, what is due. */
static const char *money_of(const char *number)
{
    return fixture_text(online,
                        "SELECT CONCAT_WS('/', o.status, o.paid_amount, (SELECT COALESCE(SUM(d.amount), 0) FROM "
                        "order_due d WHERE d.order_no = o.order_no AND d.settled_at IS NULL)) FROM reserve_order o "
                        "WHERE o.order_no = '%s'",
                        number);
}

static void give(const char *number, const struct back *back)
{
    struct backed backed;
    must(back_give(fin, NULL, number, back, "a lamp was out", &backed, &err));
}

/* Refused tenders -------------------------------------------------------------------------------------- */

static void a_tender_is_rejected_while_all_of_it_goes_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    slot_and_order("30.00", number);
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_TRANSFER, .reference = "R-1"}, &paid, &err));
    give(number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 1000});
    give(number, &(struct back){.kind = BACK_WHOLE});
    assert_string_equal(money_of(number), "REFUNDING/10.00/0.00");
    int64_t id = open_case("CONFIRM", number);
    close_as(id, CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(case_end(id), "CLOSED/rejected");
    assert_string_equal(money_of(number), "REFUNDED/0.00/0.00");
    assert_int_equal(open_case("BY_HAND", number), 0);
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s' AND (status <> 'FAILED' OR "
                                 "owed = 1)",
                                 number),
                     0);
}

/* 20.00 by transfer, unconfirmed, and 10.00 by WeChat; the whole is to go back, and the channel has not answered. */
static void both_ways_back(char number[NUMBER_BYTES], const char *reference)
{
    struct pay_code code;
    struct paid paid;
    slot_and_order("30.00", number);
    must(pay_take(ann, NULL, number,
                  &(struct payment){.tender = TENDER_TRANSFER, .reference = reference, .amount_fen = 2000}, &paid,
                  &err));
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    ask_again(&code);
    sandbox_do(&sandbox, "auto-refund off");
    give(number, &(struct back){.kind = BACK_WHOLE});
}

static void wechat_closes_its_refund(const char *number, const char *refund_no)
{
    struct channel_backed closed = {.state = BACK_CLOSED, .refund_fen = 1000};
    cut_copy(closed.refund_no, sizeof closed.refund_no, refund_no);
    const char *refund = fixture_text(
        online, "SELECT refund_no FROM refund_record WHERE order_no = '%s' AND channel = 'WECHAT'", number);
    must(back_result(worker, CHANNEL_WECHAT, refund, &closed, "notice", &err));
    sandbox_do(&sandbox, "auto-refund 2");
}

/* Two payments: what came at a channel still goes back, and where that fails the order owes what never came. */
static void what_never_came_is_owed_again_where_the_refund_fails(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    both_ways_back(number, "R-2");
    close_as(open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "REFUNDING/0.00/0.00");
    wechat_closes_its_refund(number, "5030");
    assert_string_equal(money_of(number), "PAID/10.00/20.00");
}

/* The other way round the order would be paid again, by money that is owed back. */
static void what_never_came_waits_for_the_end_of_a_failed_refund(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    both_ways_back(number, "R-3");
    wechat_closes_its_refund(number, "5031");
    close_as(open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_REFUSED);
    assert_string_equal(money_of(number), "REFUNDING/0.00/0.00");
    close_as(open_case("REFUND", number), CASE_PAID_BY_HAND, NULL, FD_OK);
    close_as(open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "REFUNDED/0.00/0.00");
}

/* Money of an order that is gone ------------------------------------------------------------------------ */

/* Paid by code when the online system had deleted its order. */
static void pay_gone(char number[NUMBER_BYTES], struct pay_code *code)
{
    int64_t slot = slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, code);
    customer_pays(code);
    fixture_sql(online, "DELETE FROM reserve_order WHERE order_no = '%s'", number);
    fixture_sql(online, "UPDATE venue_schedule SET remain_count = total_count WHERE id = %lld", (long long)slot);
    ask_again(code);
    assert_true(code->surplus);
}

static void money_of_a_deleted_order_goes_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    pay_gone(number, &code);
    int64_t id = open_case("LATE", number);
    assert_int_not_equal(id, 0);
    close_as(id, CASE_REFUNDED, NULL, FD_OK);
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', r.channel, r.amount, r.kind, p.refunded_amount) FROM "
                                     "refund_record r JOIN payment_record p ON p.id = r.payment_id WHERE r.order_no = "
                                     "'%s'",
                                     number),
                        "WECHAT/80.00/AMOUNT/80.00");
    assert_string_equal(case_end(id), "TAKEN");
    const char *refund = fixture_text(online, "SELECT refund_no FROM refund_record WHERE order_no = '%s'", number);
    const struct channel_backed done = {.state = BACK_SUCCESS, .refund_fen = 8000, .refund_no = "5031"};
    int64_t count;
    must(back_result(worker, CHANNEL_WECHAT, refund, &done, "notice", &err));
    must(cases_sweep(worker, 50, &count, &err));
    assert_string_equal(case_end(id), "CLOSED/refunded");
}

static void money_of_a_deleted_order_moves(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES];
    struct pay_code code;
    pay_gone(number, &code);
    slot_and_order("80.00", other);
    int64_t id = open_case("LATE", number);
    const struct case_closing closing = {.how = CASE_MOVED, .to = other, .reason = "his new order"};
    must_give(FD_NO_PERMISSION, case_close(ann, NULL, id, &closing, NULL, &err));
    close_as(id, CASE_MOVED, other, FD_OK);
    assert_string_equal(money_of(other), "PAID/80.00/0.00");
    assert_string_equal(case_end(id), "CLOSED/moved");
}

/* Codes that nobody tells of ---------------------------------------------------------------------------- */

static int64_t silent_case(char number[NUMBER_BYTES], struct pay_code *code, int seconds)
{
    int64_t done;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, code);
    sandbox_do(&sandbox, "fault 503 always");
    run_out(number, 3 * 3600);
    must(cases_sweep(worker, 50, &done, &err));
    run_out(number, seconds);
    int64_t id = open_case("UNKNOWN", number);
    assert_int_not_equal(id, 0);
    return id;
}

static void finance_says_that_a_code_was_never_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    int64_t id = silent_case(number, &code, 60);
    close_as(id, CASE_NOT_DONE, NULL, FD_REFUSED);
    assert_non_null(strstr(err.message, "until"));
    assert_int_equal(live_of(number), 1);
    run_out(number, 3 * 3600);
    close_as(id, CASE_NOT_DONE, NULL, FD_OK);
    sandbox_do(&sandbox, "fault off");
    assert_string_equal(case_end(id), "CLOSED/not_done");
    assert_string_equal(row_of(&code), "WECHAT/FAILED/80.00/ann/desk1/1/0");
    assert_int_equal(live_of(number), 0);
    must(venue_cancel(ann, NULL, number, NULL, NULL, &err));
}

/* What the channel says counts more. */
static void finance_is_wrong_about_a_code_that_was_paid(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    int64_t id = silent_case(number, &code, 3 * 3600), done;
    sandbox_do(&sandbox, "fault off");
    customer_pays(&code);
    close_as(id, CASE_NOT_DONE, NULL, FD_REFUSED);
    assert_string_equal(state_of(number), "PAID");
    must(cases_sweep(worker, 50, &done, &err));
    assert_string_equal(case_end(id), "CLOSED/settled");
}

/* Refunds that the channel made otherwise -------------------------------------------------------------------- */

static const char *refunds_of(const char *number)
{
    return fixture_text(
        online,
        "SELECT CONCAT_WS(' ', GROUP_CONCAT(CONCAT_WS('/', r.kind, r.amount, r.status, r.owed) ORDER BY "
        "r.id SEPARATOR ' '), MAX(p.refunded_amount)) FROM refund_record r JOIN payment_record p ON "
        "p.id = r.payment_id WHERE r.order_no = '%s'",
        number);
}

/* An order of 80 that was paid by code; `back` of it is on its way, and the channel says that it gave back `fen`. */
static int64_t gave_back(char number[NUMBER_BYTES], const struct back *back, int64_t fen)
{
    struct pay_code code;
    slot_and_order("80.00", number);
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    ask_again(&code);
    sandbox_do(&sandbox, "auto-refund off");
    give(number, back);
    sandbox_do(&sandbox, "auto-refund 2");
    const char *refund = fixture_text(online, "SELECT refund_no FROM refund_record WHERE order_no = '%s'", number);
    struct channel_backed says = {.state = BACK_SUCCESS, .refund_fen = fen, .refund_no = "5032"};
    must(back_result(worker, CHANNEL_WECHAT, refund, &says, "notice", &err));
    int64_t id = open_case("AMOUNT", number);
    assert_int_not_equal(id, 0);
    return id;
}

static void less_went_back_than_was_asked(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    int64_t id = gave_back(number, &(struct back){.kind = BACK_WHOLE}, 6000);
    close_as(id, CASE_RECORDED, NULL, FD_OK);
    assert_string_equal(case_end(id), "CLOSED/recorded");
    assert_string_equal(refunds_of(number), "WHOLE/60.00/SUCCESS/0 WHOLE/20.00/FAILED/1 60.00");
    assert_string_equal(money_of(number), "REFUNDING/0.00/0.00");
    /* The rest by hand, and it is whole. */
    close_as(open_case("REFUND", number), CASE_PAID_BY_HAND, NULL, FD_OK);
    assert_string_equal(money_of(number), "REFUNDED/0.00/0.00");
}

static void more_went_back_than_was_asked(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    int64_t id = gave_back(number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 1000}, 2500);
    close_as(id, CASE_RECORDED, NULL, FD_OK);
    assert_string_equal(refunds_of(number), "AMOUNT/10.00/SUCCESS/0 AMOUNT/15.00/SUCCESS/0 25.00");
    assert_string_equal(money_of(number), "PAID/80.00/0.00");
    id = gave_back(number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 1000}, 9000);
    close_as(id, CASE_RECORDED, NULL, FD_REFUSED);
    assert_string_equal(refunds_of(number), "AMOUNT/10.00/PROCESSING/0 10.00");
    close_as(id, CASE_KEPT, NULL, FD_OK);
}

/* A refund that the channel never told of: the account says the one or the other. */
static void finance_says_what_became_of_a_refund(void **state)
{
    (void)state;
    for (int went = 0; went < 2; went++) {
        char number[NUMBER_BYTES];
        struct pay_code code;
        int64_t done;
        slot_and_order("80.00", number);
        open_at(number, CHANNEL_WECHAT, 0, &code);
        customer_pays(&code);
        ask_again(&code);
        sandbox_do(&sandbox, "fault 503 always");
        give(number, &(struct back){.kind = BACK_WHOLE});
        fixture_sql(online, "UPDATE refund_record SET sent_at = NOW() - INTERVAL 3 HOUR WHERE order_no = '%s'", number);
        must(cases_sweep(worker, 50, &done, &err));
        int64_t id = open_case("UNKNOWN", number);
        close_as(id, went ? CASE_RECORDED : CASE_NOT_DONE, NULL, FD_OK);
        sandbox_do(&sandbox, "fault off");
        assert_string_equal(case_end(id), went ? "CLOSED/recorded" : "CLOSED/not_done");
        assert_string_equal(refunds_of(number), went ? "WHOLE/80.00/SUCCESS/0 80.00" : "WHOLE/80.00/FAILED/0 0.00");
        assert_string_equal(money_of(number), went ? "REFUNDED/0.00/0.00" : "PAID/80.00/0.00");
    }
}

/* Rule 41: what is about the deleted orders hangs in the air. Nothing else does. */
static void the_doctor_finds_the_deleted_orders_alone(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "ends of cases", -1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tender_is_rejected_while_all_of_it_goes_back),
        cmocka_unit_test(what_never_came_is_owed_again_where_the_refund_fails),
        cmocka_unit_test(what_never_came_waits_for_the_end_of_a_failed_refund),
        cmocka_unit_test(money_of_a_deleted_order_goes_back),
        cmocka_unit_test(money_of_a_deleted_order_moves),
        cmocka_unit_test(finance_says_that_a_code_was_never_paid),
        cmocka_unit_test(finance_is_wrong_about_a_code_that_was_paid),
        cmocka_unit_test(less_went_back_than_was_asked),
        cmocka_unit_test(more_went_back_than_was_asked),
        cmocka_unit_test(finance_says_what_became_of_a_refund),
        cmocka_unit_test(the_doctor_finds_the_deleted_orders_alone),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
