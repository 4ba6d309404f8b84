#include "ui/unit.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "ui/term/ambiguous.h"

static struct canvas canvas;
static struct cells all;

static void fresh(int rows, int columns) {
    canvas_release(&canvas);
    canvas_init(&canvas, rows, columns);
    all = canvas_cells(&canvas);
}

static void text_is_clipped_at_the_right_edge_and_wide_ones_stay_whole(void **state) {
    (void)state;
    fresh(1, 5);
    assert_int_equal(cells_text(&all, 0, 0, STYLE_TEXT, "王小明"), 4);
    assert_string_equal(row_text(&canvas, 0), "王小");
    assert_whole(&canvas);
}

static void put_pads_and_marks_what_it_cuts(void **state) {
    (void)state;
    fresh(3, 12);
    cells_put(&all, 0, 0, 7, -1, STYLE_TEXT, "王小明明明");
    cells_text(&all, 0, 7, STYLE_TEXT, "|");
    assert_string_equal(row_text(&canvas, 0), "王小明…|");
    cells_put(&all, 1, 0, 6, -1, STYLE_TEXT, "王小明明明");
    cells_text(&all, 1, 6, STYLE_TEXT, "|");
    assert_string_equal(row_text(&canvas, 1), "王小… |");
    cells_put(&all, 2, 0, 8, 1, STYLE_TEXT, "12.50");
    assert_string_equal(row_text(&canvas, 2), "   12.50");
    assert_whole(&canvas);
}

static void number_that_does_not_fit_is_never_a_wrong_number(void **state) {
    (void)state;
    fresh(1, 10);
    cells_number(&all, 0, 0, 6, STYLE_MONEY, "1,234.00");
    assert_string_equal(row_text(&canvas, 0), "######");
}

static void writing_over_half_a_character_blanks_the_other_half(void **state) {
    (void)state;
    for (int column = 0; column < 9; column++) {
        fresh(1, 10);
        cells_text(&all, 0, 0, STYLE_TEXT, "王小明孙丽");
        cells_text(&all, 0, column, STYLE_TEXT, "x");
        assert_whole(&canvas);
        fresh(1, 10);
        cells_text(&all, 0, 0, STYLE_TEXT, "王小明孙丽");
        cells_text(&all, 0, column, STYLE_TEXT, "钱");
        assert_whole(&canvas);
    }
}

static void sub_window_cuts_on_all_sides(void **state) {
    (void)state;
    fresh(4, 10);
    cells_fill(&all, 0, 0, 4, 10, STYLE_DIM);
    struct cells sub = cells_sub(&all, 1, 3, 2, 4);
    cells_text(&sub, 0, -1, STYLE_TEXT, "王小明孙");
    cells_text(&sub, 5, 0, STYLE_TEXT, "no");
    cells_text(&sub, -1, 0, STYLE_TEXT, "no");
    assert_whole(&canvas);
    assert_string_equal(row_text(&canvas, 0), "");
    assert_string_equal(row_text(&canvas, 1), "    小");
    struct cells beyond = cells_sub(&all, 9, 9, 5, 5);
    assert_int_equal(beyond.rows, 0);
    cells_text(&beyond, 0, 0, STYLE_TEXT, "no");
    cells_box(&beyond, STYLE_RULE, "no");
    cells_cursor(&beyond, 3, 3);
}

/* Everything that can be drawn, at every width, leaves each row whole and its last column right. */
static void sweep_of_widths_leaves_every_row_whole(void **state) {
    (void)state;
    static const char *const texts[] = {"王小明 138****1234 左手持拍", "ASCII only text of some length", "é ü ﬁ 中 a̐é 文",
                                        "한국어 かな カナ 전화", "１２３４５６７８９０"};
    for (int columns = 60; columns <= 100; columns++) {
        fresh(12, columns);
        for (int row = 0; row < 10; row++) {
            int at = 1;
            for (int k = 0; at < columns; k++) {
                int width = 3 + (row * 7 + k * 5) % 17;
                if (at + width > columns - 1)
                    width = columns - 1 - at;
                cells_put(&all, row, at, width, k % 3 - 1, STYLE_TEXT, texts[(row + k) % 5]);
                at += width + 1;
                if (at < columns)
                    cells_text(&all, row, at - 1, STYLE_RULE, "|");
            }
            cells_text(&all, row, columns - 1, STYLE_TEXT, "]");
            assert_string_equal(strrchr(row_text(&canvas, row), ']'), "]");
            assert_int_equal(text_width(row_text(&canvas, row)), columns);
        }
        cells_restyle(&all, 3, 7, 5, columns / 2, STYLE_SELECT);
        assert_whole(&canvas);
    }
}

static void random_painting_never_leaves_a_half(void **state) {
    (void)state;
    static const char *const texts[] = {"王", "a", "王小明", "ab", "é", "\xcc\x81", "한글", ""};
    srandom(7);
    fresh(5, 23);
    for (int i = 0; i < 20000; i++) {
        int row = (int)(random() % 7) - 1, column = (int)(random() % 30) - 4;
        struct cells sub = cells_sub(&all, (int)(random() % 5) - 1, (int)(random() % 24) - 2, 3, (int)(random() % 12));
        switch (random() % 6) {
        case 0:
            cells_text(&all, row, column, STYLE_TEXT, texts[random() % 8]);
            break;
        case 1:
            cells_put(&sub, row, column, (int)(random() % 9), (int)(random() % 3) - 1, STYLE_DIM, texts[random() % 8]);
            break;
        case 2:
            cells_fill(&sub, row, column, 2, (int)(random() % 5), STYLE_TEXT);
            break;
        case 3:
            cells_restyle(&sub, row, column, 2, (int)(random() % 5), STYLE_SELECT);
            break;
        case 4:
            cells_box(&sub, STYLE_RULE, "题");
            break;
        default:
            cells_text(&sub, row, column, STYLE_TEXT, texts[random() % 8]);
        }
        assert_whole(&canvas);
    }
}

static void both_halves_have_one_style(void **state) {
    (void)state;
    fresh(1, 6);
    cells_text(&all, 0, 0, STYLE_TEXT, "王小明");
    cells_restyle(&all, 0, 1, 1, 1, STYLE_SELECT);
    assert_int_equal(canvas.cell[0].style, STYLE_SELECT);
    assert_int_equal(canvas.cell[1].style, STYLE_SELECT);
    assert_int_equal(canvas.cell[2].style, STYLE_TEXT);
    struct buf styles = {0};
    canvas_dump_styles(&canvas, &styles);
    assert_string_equal(buf_text(&styles), "SS....\n");
    buf_release(&styles);
}

static void hostile_characters_do_not_reach_a_cell(void **state) {
    (void)state;
    fresh(1, 40);
    cells_text(&all, 0, 0, STYLE_TEXT, "a\033[2Jb\xe2\x80\xae" "c\xc2\x9b" "d\xe2\x80\x8b" "e\xff" "f\n\tg");
    for (int i = 0; i < 40; i++) {
        uint32_t chars[4];
        int count = cell_chars(&canvas.cell[i], chars);
        for (int k = 0; k < count; k++) {
            assert_true(chars[k] >= 0x20 && chars[k] != 0x7f && !(chars[k] >= 0x80 && chars[k] < 0xa0));
            assert_true(chars[k] != 0x202e && chars[k] != 0x200b);
        }
    }
    assert_true(strchr(row_text(&canvas, 0), '\033') == NULL);
}

static void combining_marks_stay_with_their_character(void **state) {
    (void)state;
    fresh(1, 10);
    assert_int_equal(cells_text(&all, 0, 0, STYLE_TEXT, "e\xcc\x81\xcc\xa3x"), 2);
    assert_string_equal(row_text(&canvas, 0), "e\xcc\x81\xcc\xa3x");
    cells_text(&all, 0, 4, STYLE_TEXT, "\xcc\x81z"); /* a mark without a character is dropped */
    assert_string_equal(row_text(&canvas, 0), "e\xcc\x81\xcc\xa3x  z");
}

static void box_has_an_ascii_spelling(void **state) {
    (void)state;
    fresh(3, 12);
    struct cells inside = cells_box(&all, STYLE_RULE, "订单");
    assert_int_equal(inside.rows, 1);
    assert_int_equal(inside.columns, 10);
    assert_string_equal(canvas_text(&canvas), "┌─ 订单 ───┐\n│          │\n└──────────┘\n");
    canvas.ascii = true;
    cells_box(&all, STYLE_RULE, "订单");
    assert_string_equal(canvas_text(&canvas), "+- 订单 ---+\n|          |\n+----------+\n");
}

static void every_symbol_is_one_cell_in_both_spellings(void **state) {
    (void)state;
    fresh(1, 4);
    for (int ascii = 0; ascii < 2; ascii++) {
        canvas.ascii = ascii;
        for (int i = 0; i < SYMBOL_COUNT; i++) {
            const char *symbol = cells_symbol(&all, (enum symbol)i);
            assert_int_equal(text_width(symbol), 1);
            assert_true(!ascii || (symbol[0] > 0x20 && symbol[0] < 0x7f && !symbol[1]));
        }
    }
}

static void ambiguous_characters_are_replaced_where_the_terminal_draws_them_wide(void **state) {
    (void)state;
    fresh(2, 30);
    canvas.wide_ambiguous = true;
    cells_text(&all, 0, 0, STYLE_TEXT, "19:00–21:00 “a” é · 王 α");
    cells_hline(&all, 1, 0, 5, STYLE_RULE);
    assert_string_equal(canvas_text(&canvas), "19:00-21:00 \"a\" e . 王 ?\n-----\n");
    for (int i = 0; i < 60; i++)
        assert_false(ambiguous_is(canvas.cell[i].ch));
}

static void wrap_breaks_at_blanks_and_between_han(void **state) {
    (void)state;
    fresh(6, 20);
    assert_int_equal(cells_wrap(&all, 0, 0, 10, STYLE_TEXT, "one two three four"), 2);
    assert_string_equal(row_text(&canvas, 0), "one two");
    assert_string_equal(row_text(&canvas, 1), "three four");
    fresh(6, 20);
    assert_int_equal(cells_wrap(&all, 0, 0, 8, STYLE_TEXT, "这张订单，在等付款"), 3);
    assert_string_equal(row_text(&canvas, 0), "这张订");
    assert_string_equal(row_text(&canvas, 1), "单，在等");
    assert_int_equal(cells_wrap_rows("a\nb\n\nc", 10), 4);
    assert_int_equal(cells_wrap_rows("", 10), 0);
    assert_int_equal(cells_wrap_rows("王王", 1), 2);
}

static void tiny_canvases_take_everything(void **state) {
    (void)state;
    for (int size = 1; size < 5; size++) {
        fresh(size, size);
        cells_box(&all, STYLE_RULE, "标题标题");
        cells_wrap(&all, 0, 0, size, STYLE_TEXT, "王小明 and more");
        cells_put(&all, 0, 0, 50, 0, STYLE_TEXT, "王");
        cells_cursor(&all, 99, -99);
        assert_whole(&canvas);
        assert_true(canvas.cursor_row == size - 1 && canvas.cursor_column == 0);
    }
    fresh(-3, 0);
    assert_int_equal(canvas.rows * canvas.columns, 1);
}

static void themes_are_complete_and_mono_has_no_colour(void **state) {
    (void)state;
    char seen[256] = {0};
    for (int i = 0; i < STYLE_COUNT; i++)
        assert_int_equal(seen[(unsigned char)style_letter((style_t)i)]++, 0);
    for (size_t i = 0; i < theme_count(); i++) {
        const struct theme *theme = theme_at(i);
        assert_ptr_equal(theme_named(theme->name), theme);
        for (int k = 0; k < STYLE_COUNT; k++) {
            /* an unset row would be black on black */
            assert_false(theme->look[k].fg == 0 && theme->look[k].bg == 0);
            assert_true(theme->look[k].fg < theme->colours || theme->look[k].fg == -1);
            assert_true(theme->look[k].bg < theme->colours || theme->look[k].bg == -1);
        }
    }
    assert_null(theme_named("nothing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_clipped_at_the_right_edge_and_wide_ones_stay_whole),
        cmocka_unit_test(put_pads_and_marks_what_it_cuts),
        cmocka_unit_test(number_that_does_not_fit_is_never_a_wrong_number),
        cmocka_unit_test(writing_over_half_a_character_blanks_the_other_half),
        cmocka_unit_test(sub_window_cuts_on_all_sides),
        cmocka_unit_test(sweep_of_widths_leaves_every_row_whole),
        cmocka_unit_test(random_painting_never_leaves_a_half),
        cmocka_unit_test(both_halves_have_one_style),
        cmocka_unit_test(hostile_characters_do_not_reach_a_cell),
        cmocka_unit_test(combining_marks_stay_with_their_character),
        cmocka_unit_test(box_has_an_ascii_spelling),
        cmocka_unit_test(every_symbol_is_one_cell_in_both_spellings),
        cmocka_unit_test(ambiguous_characters_are_replaced_where_the_terminal_draws_them_wide),
        cmocka_unit_test(wrap_breaks_at_blanks_and_between_han),
        cmocka_unit_test(tiny_canvases_take_everything),
        cmocka_unit_test(themes_are_complete_and_mono_has_no_colour),
    };
    unit_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    canvas_release(&canvas);
    return failed;
}
