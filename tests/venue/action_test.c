/* The venue's subcommands as scripts write them: words into answers. */
#include "hall.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/money.h"
#include "core/action.h"
#include "outside/tree.h"

static struct fd_error err;
static struct call call;
static char *printed;

/* Runs "noun verb words…" (blanks separate, no quoting) as an operator does; the call's answer stays until the next. */
static enum fd_code tell(struct desk *desk, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum fd_code tell(struct desk *desk, const char *format, ...)
{
    static char line[1024];
    char *words[40], *place = NULL;
    int count = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    call_release(&call);
    free(printed);
    printed = NULL;
    memset(&call, 0, sizeof call);
    memset(&err, 0, sizeof err);
    for (char *word = strtok_r(line, " ", &place); word && count < 40; word = strtok_r(NULL, " ", &place))
        words[count++] = word;
    call.desk = desk;
    call.config = hall.config;
    call.today = hall.today;
    call.action = action_find(words[0], words[1]);
    assert_non_null(call.action);
    enum fd_code code = call_parse(&call, count - 2, words + 2, NULL, &err);
    if (code == FD_OK)
        code = call_run(&call, &err);
    if (code == FD_OK) {
        assert_non_null(call.answer);
        printed = call_print(&call);
    }
    return code;
}

static const char *date_of(day_t day)
{
    static char text[4][DAY_TEXT];
    static int turn;
    return day_sql(day, text[turn++ % 4]);
}

static int64_t venue;
static int64_t slots[6];

static int start(void **state)
{
    hall_start(state);
    venue = hall_venue("COURT", "badminton");
    for (int i = 0; i < 6; i++)
        slots[i] = hall_slot(venue, hall.today + 1, 1080 + 60 * i, 1140 + 60 * i, 1, 8000);
    return 0;
}

static int stop(void **state)
{
    call_release(&call);
    free(printed);
    return hall_stop(state);
}

static const char *first_order(void)
{
    const char *number = tree_get_text(tree_at(tree_get(call.answer, "orders"), 0), "order_no");
    return arena_str(&hall.arena, number);
}

static void order_book_works_as_written(void **state)
{
    (void)state;
    must(tell(hall.clerk, "order book --slot %" PRId64 ",%" PRId64 " --phone 13800001234 --name NAME --key K --json",
              slots[0], slots[1]));
    assert_non_null(tree_get_text(call.answer, "bill"));
    assert_int_equal(tree_count(tree_get(call.answer, "orders")), 2);
    const char *number = first_order();
    must(tell(hall.clerk, "order book --slot %" PRId64 ",%" PRId64 " --phone 13800001234 --name NAME --key K --json",
              slots[0], slots[1]));
    assert_string_equal(first_order(), number);
    must(tell(hall.clerk, "order book --any-of venue=badminton --date %s --time 20:00 --phone 13800001235",
              date_of(hall.today + 1)));
    assert_int_equal(tree_get_int(tree_at(tree_get(call.answer, "orders"), 0), "slot"), slots[2]);
    must_give(FD_SLOT_TAKEN,
              tell(hall.clerk, "order book --any-of venue=badminton --date %s --time 20:00 --phone 13800001236",
                   date_of(hall.today + 1)));
    must(tell(hall.clerk, "order book --slot %" PRId64 ":1 --phone 13800001237 --cash 200 --hold before", slots[3]));
    const struct tree *payment = tree_get(call.answer, "payment");
    assert_int_equal(tree_get_int(payment, "change_fen"), 12000);
    assert_true(tree_is_null(call.answer, "hold_until"));
    assert_non_null(strstr(printed, "120.00"));
    must_give(FD_WRONG_DAY, tell(hall.clerk, "order book --slot %" PRId64 " --cash 200 --check-in", slots[4]));
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order book --slot %" PRId64, slots[4]));
    must(tell(hall.clerk, "order book --slot %" PRId64 " --card S1", slots[4]));
    must_give(FD_USAGE, tell(hall.clerk, "order book --slot %" PRId64 " --card S1 --cash 3", slots[5]));
    must_give(FD_USAGE, tell(hall.clerk, "order book --phone 13800001234"));
    must_give(FD_USAGE, tell(hall.clerk, "order book --slot 1 --any-of x --phone 13800001234"));
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order book --slot 1:0 --phone 13800001234"));
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order book --slot 1,,2 --phone 13800001234"));
    must_give(FD_BAD_INPUT,
              tell(hall.clerk, "order book --slot %" PRId64 " --phone 13800001234 --hold never", slots[5]));
    must_give(FD_PRICE_CHANGED,
              tell(hall.clerk, "order book --slot %" PRId64 " --phone 13800001238 --price 60", slots[5]));
}

static void lists_mask_phones_and_page(void **state)
{
    (void)state;
    must(tell(hall.clerk, "order list --date %s --phone-tail 1234 --status PENDING_PAY --json",
              date_of(hall.today + 1)));
    assert_true(tree_is_list(call.answer));
    assert_int_equal(tree_count(call.answer), 2);
    assert_string_equal(tree_get_text(tree_at(call.answer, 0), "phone"), "138****1234");
    must(tell(hall.clerk, "order list --limit 1 --from %s --to %s", date_of(hall.today), date_of(hall.today + 9)));
    const char *cursor = arena_str(&hall.arena, tree_get_text(tree_at(call.answer, 0), "cursor"));
    int64_t id = tree_get_int(tree_at(call.answer, 0), "id");
    must(tell(hall.clerk, "order list --limit 1 --after %s", cursor));
    assert_true(tree_get_int(tree_at(call.answer, 0), "id") < id);
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order list --after yesterday"));
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order list --phone-tail 12"));
    must(tell(hall.clerk, "order list --name N --by-operator clerk --venue #%" PRId64, venue));
    assert_int_equal(tree_count(call.answer), 2);
}

static void show_tells_all_and_logs_that_it_did(void **state)
{
    (void)state;
    const char *number = hall_book_paid(hall_court_slot(), "13812348888");
    int64_t before = fixture_int(hall.db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer'");
    must(tell(hall.clerk, "order show %s --json", number));
    assert_string_equal(tree_get_text(call.answer, "phone"), "13812348888");
    assert_int_equal(tree_count(tree_get(call.answer, "payments")), 1);
    assert_true(tree_count(tree_get(call.answer, "story")) >= 2);
    assert_int_equal(fixture_int(hall.db, "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer'"), before + 1);
    must(tell(hall.clerk, "order show %s", number + strlen(number) - 4));
    must_give(FD_NOT_FOUND, tell(hall.clerk, "order show 20000101VBXXXXXXXX"));
}

static void an_order_lives_through_the_words(void **state)
{
    (void)state;
    day_t day = hall.today + 2;
    int64_t court = hall_venue("COURT", "squash");
    int64_t first = hall_slot(court, day, 600, 660, 1, 8000), second = hall_slot(court, day, 720, 780, 1, 9000);
    int64_t third = hall_slot(court, day, 780, 840, 1, 9000);
    (void)third;
    must(tell(hall.clerk, "order book --slot %" PRId64 " --phone 13800007777", first));
    const char *number = first_order();
    must(tell(hall.clerk, "order change %s --note hello --key n1", number));
    must(tell(hall.clerk, "order move %s --slot %" PRId64, number, second));
    must(tell(hall.clerk, "order change %s --extend", number));
    assert_int_equal(tree_count(tree_get(call.answer, "orders")), 1);
    must_give(FD_USAGE, tell(hall.clerk, "order change %s --extend --quantity 2", number));
    must_give(FD_SLOT_TAKEN, tell(hall.clerk, "order change %s --quantity 2", number));
    must_give(FD_UNPAID, tell(hall.clerk, "order check-in %s", number));
    must(tell(hall.clerk, "order cancel %s --reason rain", number));
    assert_int_equal(tree_get_int(call.answer, "refunded_fen"), 0);
    must_give(FD_WRONG_STATE, tell(hall.clerk, "order check-in %s", number));
    must(tell(hall.clerk, "why order %s", number));
    assert_non_null(strstr(printed, "rain"));
    must(tell(hall.clerk, "why slot %" PRId64, second));
    must(tell(hall.clerk, "why day %s", date_of(day)));
    assert_non_null(strstr(printed, "places sold"));
}

static void money_goes_back_by_the_words(void **state)
{
    (void)state;
    day_t day = hall.today + 2;
    int64_t court = hall_venue("COURT", "squash");
    int64_t first = hall_slot(court, day, 600, 660, 1, 8000), dear = hall_slot(court, day, 720, 780, 1, 9000);
    must(tell(hall.clerk, "order book --slot %" PRId64 " --phone 13800007778 --card S1", first));
    const char *number = first_order();
    must_give(FD_UNPAID, tell(hall.clerk, "order move %s --slot %" PRId64, number, dear));
    assert_non_null(strstr(err.hint, "--due"));
    must(tell(hall.clerk, "order move %s --slot %" PRId64 " --due", number, dear));
    assert_int_equal(tree_get_int(call.answer, "due_fen"), 1000);
    assert_non_null(strstr(printed, "Still owed: 10.00"));
    must_give(FD_USAGE, tell(hall.clerk, "order refund %s --amount 5 --quantity 1", number));
    must_give(FD_BAD_INPUT, tell(hall.clerk, "order refund %s --amount 5", number));
    assert_non_null(strstr(err.hint, "--reference"));
    must_give(FD_NO_PERMISSION, tell(hall.clerk, "order refund %s --amount 5 --cash --reason broken", number));
    must(tell(hall.admin, "order refund %s --amount 5 --cash --reason broken", number));
    assert_int_equal(tree_get_int(call.answer, "cash_fen"), 500);
    assert_non_null(strstr(printed, "Give back in cash: 5.00"));
    must_give(FD_REASON_NEEDED, tell(hall.clerk, "price change %s --to 85", number));
    must_give(FD_PRICE_CHANGED, tell(hall.clerk, "price change %s --to 85 --from 80 --reason member", number));
    must(tell(hall.clerk, "price change %s --to 85 --from 90 --reason member", number));
    assert_int_equal(tree_get_int(call.answer, "new_fen"), 8500);
    must_give(FD_APPROVAL, tell(hall.clerk, "price change %s --to 10 --reason member", number));
    must(tell(hall.clerk, "approve ask price %s --amount 10 --reason member", number));
    int64_t id = tree_get_int(call.answer, "id");
    must_give(FD_NO_PERMISSION, tell(hall.clerk, "approve grant %" PRId64, id));
    must(tell(hall.admin, "approve list"));
    assert_int_equal(tree_count(call.answer), 1);
    must(tell(hall.admin, "approve grant %" PRId64, id));
    must(tell(hall.clerk, "price change %s --to 10 --reason member --reference R5 --approval %" PRId64, number, id));
    assert_int_equal(tree_get_int(tree_get(call.answer, "backed"), "fen"), 7000);
    must(tell(hall.clerk, "order cancel %s --reference R6", number));
    assert_int_equal(tree_get_int(call.answer, "refunded_fen"), 500);
    assert_string_equal(tree_get_text(call.answer, "state"), "REFUNDED");
    assert_int_equal(hall_remain(dear), 1);
}

static void slots_by_word(void **state)
{
    (void)state;
    must(tell(hall.admin, "venue add --name Pool --sport swimming --form PLACE --people 30 --sort 900"));
    must(tell(hall.admin,
              "slot generate --venue Pool --from %s --to %s --hours 8-22 --length 120 --places 8 --price 30 --bands "
              "18-22=50,sat-sun:8-22=60",
              date_of(hall.today + 3), date_of(hall.today + 9)));
    assert_int_equal(tree_get_int(call.answer, "made"), 49);
    must(tell(hall.clerk, "slot list --date %s --venue Pool --json", date_of(hall.today + 3)));
    assert_int_equal(tree_count(call.answer), 7);
    const struct tree *row = tree_at(call.answer, 0);
    assert_string_equal(tree_get_text(row, "venue"), "Pool");
    assert_string_equal(tree_get_text(row, "start"), "08:00");
    assert_string_equal(tree_get_text(row, "end"), "10:00");
    assert_string_equal(tree_get_text(row, "status"), "open");
    assert_int_equal(tree_get_int(row, "total_count"), 8);
    assert_int_equal(tree_get_int(row, "remain_count"), 8);
    bool weekend = day_weekday(hall.today + 3) > 5;
    assert_int_equal(tree_get_int(row, "price_fen"), weekend ? 6000 : 3000);
    int64_t id = tree_get_int(row, "id");
    must_give(FD_REASON_NEEDED, tell(hall.clerk, "slot close --slot %" PRId64, id));
    must(tell(hall.clerk, "slot close --venue Pool --date %s --time 8-12 --reason cleaning", date_of(hall.today + 3)));
    assert_int_equal(tree_get_int(call.answer, "closed"), 2);
    must(tell(hall.clerk, "slot list --date %s --venue Pool --free", date_of(hall.today + 3)));
    assert_int_equal(tree_count(call.answer), 5);
    must(tell(hall.clerk, "slot open --slot %" PRId64, id));
    assert_int_equal(tree_get_int(call.answer, "opened"), 1);
    must(tell(hall.admin, "slot price --venue Pool --from %s --to %s --weekdays 6,7 --price 66",
              date_of(hall.today + 3), date_of(hall.today + 9)));
    assert_int_equal(tree_get_int(call.answer, "changed"), 14);
    must_give(FD_USAGE, tell(hall.clerk, "slot open"));
    must_give(FD_BAD_INPUT, tell(hall.admin, "slot price --venue Pool --date %s --price 1e3", date_of(hall.today + 3)));
    must_give(FD_BAD_INPUT,
              tell(hall.admin, "slot generate --venue Pool --hours 8-22 --places 8 --price 30 --weekdays holiday"));
}

static void the_grid_as_text_fits_eighty_columns(void **state)
{
    (void)state;
    for (int i = 0; i < 11; i++)
        hall_slot(hall_venue("COURT", "badminton"), hall.today + 1, 1080, 1140, 1, 8000);
    fixture_sql(hall.db, "UPDATE t_user SET nickname = '王小明王小明' WHERE phone = '13800001234'");
    must(tell(hall.clerk, "day show %s --sport badminton", date_of(hall.today + 1)));
    for (const char *line = printed; *line;) {
        size_t length = strcspn(line, "\n");
        char *copy = xprintf("%.*s", (int)length, line);
        if (text_width(copy) > 80)
            fail_msg("%d cells: %s", text_width(copy), copy);
        free(copy);
        line += length + (line[length] == '\n');
    }
    assert_non_null(strstr(printed, "18:00"));
    assert_true(tree_count(tree_get(call.answer, "slots")) >= 17);
    print_message("%s", printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_book_works_as_written),          cmocka_unit_test(lists_mask_phones_and_page),
        cmocka_unit_test(show_tells_all_and_logs_that_it_did),  cmocka_unit_test(an_order_lives_through_the_words),
        cmocka_unit_test(money_goes_back_by_the_words),         cmocka_unit_test(slots_by_word),
        cmocka_unit_test(the_grid_as_text_fits_eighty_columns),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
