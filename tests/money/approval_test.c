/* A second person's approval: who needs one, who may give it, for what, how long and how often. */
#include "core/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/action.h"
#include "core/operator.h"
#include "core/param.h"
#include "fault/sound.h"
#include "money/approval.h"
#include "money/back.h"
#include "money/price.h"
#include "venue/booking.h"

#define AT_ONCE 20

static struct desk *ann, *amy, *fin, *boss;
static struct backed backed;
static struct paid paid;

static void clerk(const char *name)
{
    const struct operator_new who = {.name = name, .label = name, .role = ROLE_CLERK, .password = "secret"};
    must(operator_add(boss, NULL, &who, &err));
}

static int start(void **state)
{
    kit_start(state);
    boss = kit_desk("boss");
    const struct operator_new finance = {.name = "fay", .label = "Fay", .role = ROLE_FINANCE, .password = "secret"};
    must(operator_add(boss, NULL, &finance, &err));
    clerk("amy");
    ann = kit_desk("ann");
    amy = kit_desk("amy");
    fin = kit_desk("fin");
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    desk_close(&amy);
    desk_close(&fin);
    desk_close(&boss);
    return kit_stop(state);
}

/* Yesterday's refunds count for nothing. */
static int before(void **state)
{
    (void)state;
    fixture_sql(online,
                "UPDATE refund_record SET created_at = created_at - INTERVAL 2 DAY, finished_at = finished_at - "
                "INTERVAL 2 DAY");
    fixture_sql(online,
                "UPDATE approval SET created_at = created_at - INTERVAL 2 DAY, decided_at = decided_at - INTERVAL "
                "2 DAY, used_at = used_at - INTERVAL 2 DAY");
    return 0;
}

static int after(void **state)
{
    (void)state;
    return sound_count(online, "after an approval", -1) == 0 ? 0 : -1;
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    static int next;
    char phone[16];
    fit_printf(phone, "1350000%04d", next++);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), phone));
    must(pay_take(ann, NULL, number, &(struct payment){.tender = TENDER_CASH}, &paid, &err));
}

static enum fd_code give(struct desk *desk, const char *number, int64_t fen, int64_t approval, const char *reason)
{
    const struct back back = {.kind = fen ? BACK_AMOUNT : BACK_WHOLE, .amount_fen = fen, .approval_id = approval};
    return back_give(desk, NULL, number, &back, reason, &backed, &err);
}

static int64_t ask(struct desk *desk, const char *number, int64_t fen, const char *reason)
{
    const struct approval_wish wish = {.action = "refund", .order_no = number, .amount_fen = fen, .reason = reason};
    int64_t id = 0;
    must(approval_ask(desk, NULL, &wish, &id, &err));
    return id;
}

static const char *status_of(int64_t id)
{
    return fixture_text(online, "SELECT status FROM approval WHERE id = %lld", (long long)id);
}

static int64_t back_of(const char *number)
{
    return fixture_int(online,
                       "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM refund_record WHERE order_no = '%s'",
                       number);
}

static void below_the_limit_nobody_is_asked(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("200.00", number);
    must(give(ann, number, 0, 0, NULL));
    assert_int_equal(back_of(number), 20000);
}

static void above_it_a_second_person_approves_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("500.00", number);
    must_give(FD_REASON_NEEDED, give(ann, number, 0, 0, NULL));
    must_give(FD_APPROVAL, give(ann, number, 0, 0, "rain"));
    assert_non_null(strstr(err.message, "200.00"));
    assert_non_null(strstr(err.hint, "approve ask refund"));
    assert_string_equal(fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number), "PAID");
    int64_t id = ask(ann, number, -1, "rain");
    must_give(FD_APPROVAL, give(ann, number, 0, id, "rain")); /* nobody has decided */
    must(approval_decide(fin, NULL, id, true, &err));
    assert_string_equal(status_of(id), "GRANTED");
    must(give(ann, number, 0, id, "rain"));
    assert_string_equal(status_of(id), "USED");
    assert_int_equal(back_of(number), 50000);
    assert_int_equal(fixture_int(online, "SELECT approval_id FROM refund_record WHERE order_no = '%s'", number), id);
    order_of("500.00", number);
    must_give(FD_APPROVAL, give(ann, number, 0, id, "rain"));
    assert_non_null(strstr(err.message, "used"));
}

static void the_same_request_goes_on_with_its_approval(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct back back = {.kind = BACK_WHOLE};
    order_of("500.00", number);
    must_give(FD_APPROVAL, back_give(ann, "k-again", number, &back, "rain", &backed, &err));
    back.approval_id = ask(ann, number, 50000, "rain");
    must(approval_decide(boss, NULL, back.approval_id, true, &err));
    must(back_give(ann, "k-again", number, &back, "rain", &backed, &err));
    must(back_give(ann, "k-again", number, &back, "rain", &backed, &err));
    assert_int_equal(back_of(number), 50000);
}

static void nobody_approves_for_himself(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("6000.00", number);
    must_give(FD_APPROVAL, give(fin, number, 0, 0, "rain")); /* above finance's own limit */
    int64_t id = ask(fin, number, -1, "rain");
    must_give(FD_NO_PERMISSION, approval_decide(fin, NULL, id, true, &err));
    assert_non_null(strstr(err.message, "yourself"));
    assert_string_equal(status_of(id), "WAITING");
    must_give(FD_NO_PERMISSION, approval_decide(ann, NULL, id, true, &err)); /* a clerk may not */
    /* Whatever was written into the row: the use looks again. */
    fixture_sql(online, "UPDATE approval SET status = 'GRANTED', approver = 'fin', decided_at = NOW() WHERE id = %lld",
                (long long)id);
    must_give(FD_APPROVAL, give(fin, number, 0, id, "rain"));
    fixture_sql(online, "DELETE FROM approval WHERE id = %lld", (long long)id);
    must(give(boss, number, 0, 0, NULL)); /* an administrator has no limit */
}

static void other_content_is_not_what_was_approved(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES];
    order_of("500.00", number);
    order_of("500.00", other);
    int64_t id = ask(ann, number, 40000, "rain");
    must(approval_decide(fin, NULL, id, true, &err));
    must_give(FD_APPROVAL, give(ann, number, 45000, id, "rain"));
    must_give(FD_APPROVAL, give(ann, number, 40000, id, "hail"));
    must_give(FD_APPROVAL, give(ann, other, 40000, id, "rain"));
    must_give(FD_APPROVAL, give(amy, number, 40000, id, "rain"));
    struct repriced repriced;
    must_give(FD_APPROVAL, price_change(ann, NULL, number, -1, 40000, id, "rain", &repriced, &err));
    /* Its payments are not what they were. */
    must(give(ann, number, 100, 0, NULL));
    must_give(FD_APPROVAL, give(ann, number, 40000, id, "rain"));
    assert_string_equal(status_of(id), "GRANTED");
    id = ask(ann, number, 40000, "rain");
    must(approval_decide(fin, NULL, id, true, &err));
    must(give(ann, number, 40000, id, "rain"));
}

static void it_does_not_last(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct arena arena = {0};
    struct approval_row *rows;
    size_t count;
    order_of("500.00", number);
    int64_t late = ask(ann, number, -1, "rain"), waiting = ask(ann, number, -1, "rain");
    must(approval_decide(fin, NULL, late, true, &err));
    must(approval_list(fin, false, &arena, &rows, &count, &err));
    assert_int_equal(count, 2);
    assert_true(rows[0].left_s > 590 && rows[0].left_s <= 600);
    assert_string_equal(rows[0].requester, "ann");
    assert_string_equal(rows[0].approver, "fin");
    fixture_sql(
        online,
        "UPDATE approval SET created_at = NOW() - INTERVAL 601 SECOND, decided_at = NOW() - INTERVAL 600 SECOND "
        "WHERE id = %lld",
        (long long)late);
    fixture_sql(online, "UPDATE approval SET created_at = NOW() - INTERVAL 601 SECOND WHERE id = %lld",
                (long long)waiting);
    must_give(FD_APPROVAL, give(ann, number, 0, late, "rain"));
    assert_non_null(strstr(err.message, "10"));
    must_give(FD_REFUSED, approval_decide(fin, NULL, waiting, true, &err));
    must(approval_list(fin, false, &arena, &rows, &count, &err));
    assert_int_equal(count, 0);
    must(approval_list(fin, true, &arena, &rows, &count, &err));
    assert_true(count >= 2);
    assert_int_equal(rows[0].id, waiting);
    arena_release(&arena);
}

static void what_was_denied_stays_denied(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("500.00", number);
    int64_t id = ask(ann, number, -1, "rain");
    must(approval_decide(fin, NULL, id, false, &err));
    must_give(FD_APPROVAL, give(ann, number, 0, id, "rain"));
    assert_non_null(strstr(err.message, "denied"));
    must_give(FD_REFUSED, approval_decide(boss, NULL, id, true, &err));
    must_give(FD_APPROVAL, give(ann, number, 0, 999999, "rain") == FD_NOT_FOUND ? FD_APPROVAL : FD_OK);
}

static void many_small_ones_reach_the_limit_of_the_day(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    for (int i = 0; i < 5; i++) {
        order_of("200.00", number);
        must(give(amy, number, 0, 0, "split"));
    }
    order_of("200.00", number);
    must_give(FD_APPROVAL, give(amy, number, 1, 0, "split"));
    assert_non_null(strstr(err.message, "1,000.00"));
    must(give(ann, number, 100, 0, "another clerk")); /* the sum is an operator's */
    int64_t id = ask(amy, number, 19900, "split");
    must(approval_decide(fin, NULL, id, true, &err));
    must(give(amy, number, 19900, id, "split"));
    /* The other ways to give money back count too. */
    char more[NUMBER_BYTES];
    order_of("100.00", more);
    must_give(FD_APPROVAL, venue_cancel(amy, NULL, more, "split", NULL, &err));
    struct repriced repriced;
    must_give(FD_APPROVAL, price_change(amy, NULL, more, -1, 9900, 0, "split", &repriced, &err));
    must_give(FD_APPROVAL, venue_move_with(amy, NULL, more, kit_slot(1, "90.00"),
                                           &(struct venue_change){.reason = "split"}, NULL, &err));
}

/* As the channel's or the bank's word would leave it: failed for good, and owed to the customer. */
static int64_t fails(const char *number)
{
    int64_t id = fixture_int(online, "SELECT MAX(id) FROM refund_record WHERE order_no = '%s'", number);
    fixture_sql(online,
                "UPDATE payment_record p JOIN refund_record r ON r.payment_id = p.id SET p.refunded_amount = "
                "p.refunded_amount - r.amount WHERE r.id = %lld",
                (long long)id);
    fixture_sql(online, "UPDATE refund_record SET status = 'FAILED', owed = 1, finished_at = NOW() WHERE id = %lld",
                (long long)id);
    fixture_sql(online,
                "UPDATE money_case c JOIN refund_record r ON c.subject = r.refund_no SET c.kind = 'REFUND' WHERE "
                "r.id = %lld",
                (long long)id);
    return id;
}

static enum fd_code again_apply(struct op *op, void *arg, struct fd_error *error)
{
    return back_again_in(op, *(int64_t *)arg, error);
}

static void again(struct desk *desk, int64_t refund)
{
    const struct op_spec spec = {.action = "order.refund", .reason = "another account", .apply = again_apply};
    must(op_run(desk, &spec, &refund, NULL, NULL, &err));
}

/* Paid by transfer: it goes back by hand, and may fail. */
static void transferred(const char *price, char number[NUMBER_BYTES])
{
    order_of(price, number);
    fixture_sql(online,
                "UPDATE payment_record p JOIN pay_allocation a ON a.payment_id = p.id SET p.channel = 'TRANSFER', "
                "p.confirmed_at = NOW() WHERE a.order_no = '%s'",
                number);
}

static void what_is_sent_again_counts_once(void **state)
{
    (void)state;
    char approved[NUMBER_BYTES], alone[NUMBER_BYTES], number[NUMBER_BYTES];
    clerk("cho");
    struct desk *cho = kit_desk("cho");
    transferred("300.00", approved);
    int64_t id = ask(cho, approved, 30000, "rain");
    must(approval_decide(fin, NULL, id, true, &err));
    must(give(cho, approved, 30000, id, "rain"));
    int64_t first = fails(approved);
    again(cho, first);
    transferred("150.00", alone);
    must(give(cho, alone, 15000, 0, "rain"));
    fails(alone);
    /* Owed to the customer, so it counts on; the approved one and its repetition never do. */
    for (int i = 0; i < 4; i++) {
        order_of("200.00", number);
        must(give(cho, number, 0, 0, "rain"));
    }
    order_of("100.00", number);
    must_give(FD_APPROVAL, give(cho, number, 6000, 0, "rain"));
    assert_non_null(strstr(err.message, "950.00"));
    /* Sent again twice, and by whomever: still once. */
    again(cho, fixture_int(online, "SELECT MAX(id) FROM refund_record WHERE order_no = '%s'", alone));
    again(fin, fails(alone));
    must_give(FD_APPROVAL, give(cho, number, 6000, 0, "rain"));
    assert_non_null(strstr(err.message, "950.00"));
    must(give(cho, number, 5000, 0, "rain"));
    must_give(FD_APPROVAL, give(cho, number, 1, 0, "rain"));
    assert_string_equal(
        fixture_text(online,
                     "SELECT GROUP_CONCAT(CONCAT(status, ':', owed, ':', first_id <=> %lld) ORDER BY id) FROM "
                     "refund_record WHERE order_no = '%s'",
                     (long long)first, approved),
        "FAILED:0:0,PROCESSING:0:1");
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(DISTINCT first_id) FROM refund_record WHERE order_no = '%s'", alone), 1);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s'", alone), 3);
    desk_close(&cho);
}

struct rush {
    char numbers[AT_ONCE][NUMBER_BYTES];
    int64_t approval;
    enum fd_code codes[AT_ONCE];
};

static void rush_one(struct desk *desk, int index, void *arg)
{
    struct rush *rush = arg;
    struct fd_error local = {0};
    struct backed one;
    const struct back back = {
        .kind = rush->approval ? BACK_AMOUNT : BACK_WHOLE, .amount_fen = 30000, .approval_id = rush->approval};
    rush->codes[index] = back_give(desk, NULL, rush->numbers[rush->approval ? 0 : index], &back, "rain", &one, &local);
}

static int won(const struct rush *rush)
{
    int count = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        count += rush->codes[i] == FD_OK;
        if (rush->codes[i] != FD_OK && rush->codes[i] != FD_APPROVAL)
            fail_msg("%s", fd_code_name(rush->codes[i]));
    }
    return count;
}

static void at_many_terminals_at_once_the_limit_of_the_day_holds(void **state)
{
    (void)state;
    struct rush rush = {0};
    for (int i = 0; i < AT_ONCE; i++)
        order_of("200.00", rush.numbers[i]);
    kit_threads(AT_ONCE, "ann", rush_one, &rush);
    assert_int_equal(won(&rush), 5);
}

static void at_many_terminals_at_once_an_approval_is_used_once(void **state)
{
    (void)state;
    struct rush rush = {0};
    order_of("9000.00", rush.numbers[0]);
    rush.approval = ask(ann, rush.numbers[0], 30000, "rain");
    must(approval_decide(boss, NULL, rush.approval, true, &err));
    kit_threads(AT_ONCE, "ann", rush_one, &rush);
    assert_int_equal(won(&rush), 1);
    assert_int_equal(back_of(rush.numbers[0]), 30000);
}

static void the_second_person_signs_at_the_terminal(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("500.00", number);
    int64_t id = ask(ann, number, -1, "rain");
    must_give(FD_SIGN_IN, approval_decide_as(ann, id, "fay", "wrong", &err));
    assert_int_equal(fixture_int(online, "SELECT failed_count FROM operator_account WHERE name = 'fay'"), 1);
    assert_string_equal(ann->operator, "ann");
    assert_int_equal(ann->role, ROLE_CLERK);
    must_give(FD_NO_PERMISSION, approval_decide_as(ann, id, "amy", "secret", &err));
    assert_string_equal(ann->operator, "ann");
    must_give(FD_SIGN_IN, approval_decide_as(ann, id, "nobody", "secret", &err));
    must(approval_decide_as(ann, id, "fay", "secret", &err));
    assert_string_equal(ann->operator, "ann");
    assert_int_equal(ann->role, ROLE_CLERK);
    assert_string_equal(fixture_text(online,
                                     "SELECT CONCAT_WS('/', approver, approver_terminal) FROM approval WHERE id = "
                                     "%lld",
                                     (long long)id),
                        "fay/desk1");
    must(give(ann, number, 0, id, "rain"));
    /* Too many wrong ones lock, as at a sign-in. */
    order_of("500.00", number);
    id = ask(ann, number, -1, "rain");
    for (int i = 0; i < 5; i++)
        assert_int_not_equal(approval_decide_as(ann, id, "fay", "wrong", &err), FD_OK);
    must_give(FD_LOCKED, approval_decide_as(ann, id, "fay", "secret", &err));
    must(operator_unlock(boss, NULL, "fay", &err));
    must(approval_decide_as(ann, id, "fay", "secret", &err));
}

static enum fd_code paid_out(struct op *op, void *arg, struct fd_error *error)
{
    return back_by_hand_in(op, *(int64_t *)arg, "T-1", true, error);
}

/* Approved for a clerk, and in the end paid out by finance. */
static void what_finance_pays_out_was_approved_for_the_clerk(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("500.00", number);
    fixture_sql(online,
                "UPDATE payment_record p JOIN pay_allocation a ON a.payment_id = p.id SET p.channel = 'TRANSFER' WHERE "
                "a.order_no = '%s'",
                number);
    int64_t id = ask(ann, number, -1, "rain");
    must(approval_decide(fin, NULL, id, true, &err));
    must(give(ann, number, 0, id, "rain"));
    int64_t refund = fixture_int(online, "SELECT id FROM refund_record WHERE order_no = '%s'", number);
    const struct op_spec spec = {.action = "order.refund", .reason = "no account", .apply = paid_out};
    must(op_run(fin, &spec, &refund, NULL, NULL, &err));
    assert_string_equal(fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number),
                        "REFUNDED");
    fixture_sql(online, "UPDATE money_case SET status = 'CLOSED', outcome = 'paid_by_hand' WHERE order_no = '%s'",
                number);
}

static void limits_are_parameters(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    order_of("500.00", number);
    must(param_set(boss, NULL, PARAM_REFUND_LIMIT_CLERK, -1, NULL, &err));
    param_forget(ann);
    must(give(ann, number, 0, 0, NULL));
    must(param_set(boss, NULL, PARAM_REFUND_LIMIT_CLERK, 0, NULL, &err));
    param_forget(ann);
    order_of("500.00", number);
    must_give(FD_APPROVAL, give(ann, number, 1, 0, "any"));
    must(param_set(boss, NULL, PARAM_REFUND_LIMIT_CLERK, 200, NULL, &err));
    param_forget(ann);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before, after)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(below_the_limit_nobody_is_asked),
        TEST(above_it_a_second_person_approves_once),
        TEST(the_same_request_goes_on_with_its_approval),
        TEST(nobody_approves_for_himself),
        TEST(other_content_is_not_what_was_approved),
        TEST(it_does_not_last),
        TEST(what_was_denied_stays_denied),
        TEST(many_small_ones_reach_the_limit_of_the_day),
        TEST(what_is_sent_again_counts_once),
        TEST(at_many_terminals_at_once_the_limit_of_the_day_holds),
        TEST(at_many_terminals_at_once_an_approval_is_used_once),
        TEST(the_second_person_signs_at_the_terminal),
        TEST(what_finance_pays_out_was_approved_for_the_clerk),
        TEST(limits_are_parameters),
    };
    if (getenv("ONLY"))
        cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, start, stop);
}
