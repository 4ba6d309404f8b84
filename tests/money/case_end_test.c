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

/* Two payments: what came at a channel still goes back, and where that fails the order owes what never came. */
static void what_never_came_is_owed_again_where_the_refund_fails(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct pay_code code;
    struct paid paid;
    slot_and_order("30.00", number);
    must(pay_take(ann, NULL, number,
                  &(struct payment){.tender = TENDER_TRANSFER, .reference = "R-2", .amount_fen = 2000}, &paid, &err));
    open_at(number, CHANNEL_WECHAT, 0, &code);
    customer_pays(&code);
    ask_again(&code);
    sandbox_do(&sandbox, "auto-refund off");
    give(number, &(struct back){.kind = BACK_WHOLE});
    close_as(open_case("CONFIRM", number), CASE_REJECTED, NULL, FD_OK);
    assert_string_equal(money_of(number), "REFUNDING/0.00/0.00");
    const char *refund = fixture_text(online,
                                      "SELECT refund_no FROM refund_record WHERE order_no = '%s' AND channel = "
                                      "'WECHAT'",
                                      number);
    const struct channel_backed closed = {.state = BACK_CLOSED, .refund_fen = 1000, .refund_no = "5030"};
    must(back_result(worker, CHANNEL_WECHAT, refund, &closed, "notice", &err));
    sandbox_do(&sandbox, "auto-refund 2");
    assert_string_equal(money_of(number), "PAID/10.00/20.00");
}

static void the_doctor_finds_nothing(void **state)
{
    (void)state;
    assert_int_equal(sound_count(online, "ends of cases", -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tender_is_rejected_while_all_of_it_goes_back),
        cmocka_unit_test(what_never_came_is_owed_again_where_the_refund_fails),
        cmocka_unit_test(the_doctor_finds_nothing),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
