/* The window of pages that a list of orders keeps: bounded memory, both directions by key, the same
 * rows whichever way one came. Without a database: the list is made of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <string.h>
#include "ui/view/order_query.h"

#define TOTAL 1234 /* orders: newest first, ids TOTAL .. 1, ten a day */

static void line_make(struct order_line *line, int64_t id)
{
    *line = (struct order_line){.id = id, .day = (day_t)(id / 10)};
    cut_copy(line->state, sizeof line->state, "PAID");
}

/* What the database answers: at most `most` rows after a key. */
static size_t answer(const struct page_key *after, size_t most, struct order_line *lines, bool *more)
{
    int64_t next = after->day == DAY_NONE ? TOTAL : after->id - 1;
    size_t count = 0;
    for (; next >= 1 && count < most; next--)
        line_make(&lines[count++], next);
    *more = next >= 1;
    return count;
}

static void load(struct order_pages *pages)
{
    static struct order_line lines[PAGE_ROWS * PAGES_KEPT];
    struct page_key after;
    size_t most;
    bool more;
    order_pages_again(pages, &after, &most);
    assert_true(most <= sizeof lines / sizeof *lines);
    size_t count = answer(&after, most, lines, &more);
    order_pages_replace(pages, lines, count, more, 1);
}

static bool extend(struct order_pages *pages, int direction)
{
    struct order_line lines[PAGE_ROWS];
    struct page_key after;
    bool more;
    if (!order_pages_wants(pages, direction, &after))
        return false;
    size_t count = answer(&after, PAGE_ROWS, lines, &more);
    order_pages_extend(pages, direction, lines, count, more);
    return true;
}

static void check_window(const struct order_pages *pages)
{
    assert_true(order_pages_loaded(pages) <= PAGES_KEPT);
    for (size_t i = 0; i < pages->count; i++)
        assert_int_equal(pages->lines[i].id, TOTAL - (int64_t)(pages->first * PAGE_ROWS + i));
}

static void walking_down_and_up_again_shows_every_row_and_keeps_five_pages(void **state)
{
    struct order_pages pages = {0};
    int steps = 0;
    (void)state;
    load(&pages);
    assert_int_equal(pages.count, PAGE_ROWS);
    assert_false(pages.at_end);
    for (; extend(&pages, 1); steps++)
        check_window(&pages);
    assert_int_equal(steps, TOTAL / PAGE_ROWS);
    assert_true(pages.at_end);
    assert_int_equal(pages.lines[pages.count - 1].id, 1);
    while (extend(&pages, -1))
        check_window(&pages);
    assert_int_equal(pages.first, 0);
    assert_int_equal(pages.lines[0].id, TOTAL);
    assert_false(pages.at_end);
    order_pages_release(&pages);
}

static void reading_again_in_the_middle_stays_in_the_middle(void **state)
{
    struct order_pages pages = {0};
    (void)state;
    load(&pages);
    for (int i = 0; i < 8; i++)
        extend(&pages, 1);
    size_t first = pages.first;
    int64_t top = pages.lines[0].id;
    assert_true(first > 0);
    load(&pages);
    assert_int_equal(pages.first, first);
    assert_int_equal(pages.lines[0].id, top);
    check_window(&pages);
    order_pages_release(&pages);
}

static void an_exact_last_page_ends_the_list_without_a_row_too_many(void **state)
{
    struct order_pages pages = {0};
    struct order_line lines[PAGE_ROWS];
    struct page_key after;
    (void)state;
    for (size_t i = 0; i < PAGE_ROWS; i++)
        line_make(&lines[i], PAGE_ROWS - (int64_t)i);
    order_pages_replace(&pages, lines, PAGE_ROWS, true, 1); /* the database thought that more would come */
    assert_true(order_pages_wants(&pages, 1, &after));
    assert_int_equal(order_pages_extend(&pages, 1, lines, 0, false), 0);
    assert_true(pages.at_end);
    assert_false(order_pages_wants(&pages, 1, &after));
    assert_int_equal(pages.count, PAGE_ROWS);
    order_pages_release(&pages);
}

static void only_a_changed_state_is_marked_as_changed(void **state)
{
    struct order_pages pages = {0};
    struct order_line lines[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        line_make(&lines[i], 3 - i);
    order_pages_replace(&pages, lines, 3, false, 100);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pages.lines[i].changed_ms, 0);
    cut_copy(lines[1].state, sizeof lines[1].state, "COMPLETED");
    order_pages_replace(&pages, lines, 3, false, 200);
    assert_int_equal(pages.lines[0].changed_ms, 0);
    assert_int_equal(pages.lines[1].changed_ms, 200);
    order_pages_replace(&pages, lines, 3, false, 300);
    assert_int_equal(pages.lines[1].changed_ms, 200);
    order_pages_release(&pages);
}

/* --- what was typed after `/` --- */

static void four_digits_are_the_tail_of_a_phone_and_of_a_number(void **state)
{
    struct order_query query;
    (void)state;
    order_query_find(&query, " 1234 ");
    assert_string_equal(query.tail, "1234");
    assert_string_equal(query.number, "1234");
    assert_true(query.either);
    assert_int_equal(query.from, DAY_NONE);
}

static void four_letters_are_the_tail_of_a_number_or_initials(void **state)
{
    struct order_query query;
    (void)state;
    order_query_find(&query, "KDWM");
    assert_string_equal(query.number, "KDWM");
    assert_string_equal(query.name, "kdwm");
    assert_true(query.either);
}

static void what_is_typed_is_taken_for_what_it_looks_like(void **state)
{
    static const struct {
        const char *text, *phone, *number, *name;
    } cases[] = {
        {"13800001234", "13800001234", "", ""},
        {"+86 138 0000 1234", "13800001234", "", ""},
        {"9q2x", "", "9Q2X", ""},
        {"20261130VB7K3M9Q2X", "", "20261130VB7K3M9Q2X", ""},
        {"O20261129100293223", "", "O20261129100293223", ""},
        {"zsf", "", "", "zsf"},
        {"王芳", "", "", "王芳"},
        {"O'Brien", "", "", "o'brien"},
        {"100%", "", "", "100%"},
        {"\xff\xfe", "", "", "\xff\xfe"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct order_query query;
        order_query_find(&query, cases[i].text);
        assert_string_equal(query.phone, cases[i].phone);
        assert_string_equal(query.number, cases[i].number);
        if (i + 1 < sizeof cases / sizeof *cases) /* the last only must not break */
            assert_string_equal(query.name, cases[i].name);
        assert_false(query.either);
    }
}

static void the_question_stands_in_words(void **state)
{
    struct buf text = {0};
    struct order_query query;
    const day_t today = day_of(2026, 12, 1);
    (void)state;
    order_query_day(&query, today);
    order_query_words(&query, today, &text);
    assert_string_equal(buf_text(&text), "today");
    buf_clear(&text);
    cut_copy(query.states, sizeof query.states, "PENDING_PAY,PAID");
    cut_copy(query.phone, sizeof query.phone, "13800001234");
    cut_copy(query.operator, sizeof query.operator, "-");
    order_query_words(&query, today, &text);
    assert_string_equal(buf_text(&text), "today · unpaid,paid · phone 138****1234 · made online");
    buf_clear(&text);
    order_query_find(&query, "1234");
    order_query_words(&query, today, &text);
    assert_string_equal(buf_text(&text), "every day · phone or order …1234");
    buf_release(&text);
}

int main(int argc, char **argv)
{
    (void)argc;
    i18n_start(argv[0]);
    i18n_switch("en");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walking_down_and_up_again_shows_every_row_and_keeps_five_pages),
        cmocka_unit_test(reading_again_in_the_middle_stays_in_the_middle),
        cmocka_unit_test(an_exact_last_page_ends_the_list_without_a_row_too_many),
        cmocka_unit_test(only_a_changed_state_is_marked_as_changed),
        cmocka_unit_test(four_digits_are_the_tail_of_a_phone_and_of_a_number),
        cmocka_unit_test(four_letters_are_the_tail_of_a_number_or_initials),
        cmocka_unit_test(what_is_typed_is_taken_for_what_it_looks_like),
        cmocka_unit_test(the_question_stands_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
