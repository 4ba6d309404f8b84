#include "ui/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "ui/widget/bar.h"
#include "ui/widget/command.h"
#include "ui/widget/dialog.h"
#include "ui/widget/edit.h"
#include "ui/widget/help.h"
#include "ui/widget/list.h"

static struct canvas canvas;
static struct cells all;

static void fresh(int rows, int columns) {
    canvas_release(&canvas);
    canvas_init(&canvas, rows, columns);
    all = canvas_cells(&canvas);
}

/* --- line editor --- */

static struct edit edit;

static void press(const char *name) {
    struct input input = input_key(key_from_name(name));
    edit_input(&edit, &input, NULL);
}

static void editor_moves_and_deletes_by_grapheme(void **state) {
    (void)state;
    edit_init(&edit, 50);
    edit_set(&edit, "中文");
    press("Left");
    press("BkSp");
    assert_string_equal(edit_text(&edit), "文");
    edit_set(&edit, "ae\xcc\x81z");
    press("Left");
    press("BkSp");
    assert_string_equal(edit_text(&edit), "az");
    edit_release(&edit);
}

static void editor_has_the_emacs_keys(void **state) {
    (void)state;
    edit_init(&edit, 50);
    edit_set(&edit, "one two three");
    press("M-b");
    press("C-k");
    assert_string_equal(edit_text(&edit), "one two ");
    press("C-y");
    assert_string_equal(edit_text(&edit), "one two three");
    press("C-w");
    press("C-w");
    assert_string_equal(edit_text(&edit), "one ");
    press("C-a");
    press("x");
    press("M-f");
    press("C-u");
    assert_string_equal(edit_text(&edit), " ");
    press("C-e");
    press("C-h");
    assert_string_equal(edit_text(&edit), "");
    edit_release(&edit);
}

static void editor_keeps_to_its_characters_and_cleans_pastes(void **state) {
    (void)state;
    struct input paste = {.kind = INPUT_PASTE, .paste = "a\nb\033中文字"};
    edit_init(&edit, 6);
    edit_input(&edit, &paste, NULL);
    assert_string_equal(edit_text(&edit), "a b\xef\xbf\xbd中文");
    edit_release(&edit);
}

static void preset_is_replaced_by_the_first_character_typed(void **state) {
    (void)state;
    edit_init(&edit, 20);
    edit_preset(&edit, "80.00");
    press("9");
    assert_string_equal(edit_text(&edit), "9");
    edit_preset(&edit, "80.00");
    press("End");
    press("1");
    assert_string_equal(edit_text(&edit), "80.001");
    edit_release(&edit);
}

static void caret_stands_where_the_cells_say(void **state) {
    (void)state;
    fresh(1, 12);
    edit_init(&edit, 50);
    edit_set(&edit, "中文ab");
    edit_draw(&edit, &all, 0, 1, 10, STYLE_FIELD, true);
    assert_int_equal(canvas.cursor_column, 7);
    edit_set(&edit, "一二三四五六七八");
    edit_draw(&edit, &all, 0, 1, 10, STYLE_FIELD, true);
    assert_true(canvas.cursor_column >= 1 && canvas.cursor_column <= 10);
    assert_whole(&canvas);
    for (int i = 0; i < 8; i++) {
        press("Left");
        edit_draw(&edit, &all, 0, 1, 10, STYLE_FIELD, true);
        assert_true(canvas.cursor_column >= 1 && canvas.cursor_column <= 10);
        assert_whole(&canvas);
    }
    assert_int_equal(canvas.cursor_column, 1);
    edit_release(&edit);
}

static void password_shows_only_stars(void **state) {
    (void)state;
    fresh(1, 12);
    edit_init(&edit, 50);
    edit.mask = true;
    edit_set(&edit, "密码x");
    edit_draw(&edit, &all, 0, 0, 10, STYLE_FIELD, true);
    assert_string_equal(row_text(&canvas, 0), "***");
    press("C-u");
    press("C-y");
    assert_string_equal(edit_text(&edit), "");
    edit_release(&edit);
}

static void note_wraps_and_its_caret_moves_by_row(void **state) {
    (void)state;
    fresh(3, 6);
    edit_init(&edit, 100);
    edit.rows = 3;
    edit_set(&edit, "一二三四五六");
    edit_draw(&edit, &all, 0, 0, 5, STYLE_FIELD, true);
    assert_string_equal(canvas_text(&canvas), "一二\n三四\n五六\n");
    press("Home");
    press("Down");
    edit_draw(&edit, &all, 0, 0, 5, STYLE_FIELD, true);
    assert_int_equal(canvas.cursor_row, 1);
    press("x");
    assert_string_equal(edit_text(&edit), "一二x三四五六");
    edit_release(&edit);
}

/* --- list --- */

static size_t row_count;
static int64_t first_key;
static char cell_buffer[64];

static size_t rows_of(void *context) {
    (void)context;
    return row_count;
}

static int64_t key_of(void *context, size_t row) {
    (void)context;
    return first_key + (int64_t)row;
}

static void cell_of(void *context, size_t row, unsigned column, struct list_cell *cell) {
    static const char *const before[] = {"n", "王小明", "", "note "}, *const after[] = {"", "", ".00", ""};
    (void)context;
    snprintf(cell_buffer, sizeof cell_buffer, "%s%lld%s", before[column], (long long)(first_key + (int64_t)row), after[column]);
    cell->text = cell_buffer;
}

static const struct list_column columns[] = {
    {"No.", 5, 0, 0, -1, true, false}, {"Name", 12, 1, 0, -1, false, true}, {"Amount", 9, 0, 1, 1, false, true}, {"Note", 30, 0, 2, -1, false, false}};
static struct list list;

static int list_fresh(void **state) {
    const struct list_source source = {NULL, rows_of, key_of, cell_of, NULL};
    (void)state;
    row_count = 50;
    first_key = 1;
    list_init(&list, columns, 4, &source);
    list.selectable = true;
    return 0;
}

static int list_done(void **state) {
    (void)state;
    list_release(&list);
    return 0;
}

static void separators_of_a_list_are_in_one_column_at_every_width(void **state) {
    (void)state;
    for (int width = 60; width <= 100; width++) {
        fresh(10, width);
        list_draw(&list, &all, "none");
        assert_whole(&canvas);
        assert_int_equal(list.column_width[3] > 0, width >= 3 + 5 + 1 + 12 + 1 + 9 + 1 + 30);
        for (int row = 1; row < 10; row++) {
            const char *text = row_text(&canvas, row), *amount = strstr(text, ".00");
            assert_non_null(amount);
            char before[256];
            snprintf(before, sizeof before, "%.*s", (int)(amount - text + 3), text);
            assert_int_equal(text_width(before), list.column_at[2] + list.column_width[2]);
        }
    }
}

static void cursor_of_a_list_stays_on_its_row_when_the_data_changes(void **state) {
    (void)state;
    fresh(12, 80);
    for (int i = 0; i < 20; i++)
        list_request(&list, REQ_DOWN, NULL);
    list_draw(&list, &all, "none");
    int line = canvas.cursor_row;
    assert_int_equal(list.cursor_key, 21);
    first_key = -4; /* five new rows before the first */
    row_count = 55;
    list_reloaded(&list);
    canvas_clear(&canvas);
    list_draw(&list, &all, "none");
    assert_int_equal(list.cursor_key, 21);
    assert_int_equal(canvas.cursor_row, line);
    row_count = 3;
    list_reloaded(&list);
    assert_true(list_has(&list));
    row_count = 0;
    list_reloaded(&list);
    assert_false(list_has(&list));
    canvas_clear(&canvas);
    list_draw(&list, &all, "nothing here");
    assert_true(canvas_has(&canvas, "nothing here"));
}

static void marks_follow_keys_and_vanish_with_their_rows(void **state) {
    (void)state;
    size_t count;
    list_request(&list, REQ_MARK, NULL);
    list_request(&list, REQ_MARK, NULL);
    const int64_t *chosen = list_chosen(&list, &count);
    assert_int_equal(count, 2);
    assert_true(chosen[0] == 1 && chosen[1] == 2);
    first_key = 2;
    list_reloaded(&list);
    chosen = list_chosen(&list, &count);
    assert_true(count == 1 && chosen[0] == 2);
    list_request(&list, REQ_MARK_ALL, NULL);
    list_chosen(&list, &count);
    assert_int_equal(count, row_count);
    list_request(&list, REQ_MARK_ALL, NULL);
    chosen = list_chosen(&list, &count);
    assert_true(count == 1 && chosen[0] == list.cursor_key);
}

static void search_goes_round_and_leaves_the_cursor_where_nothing_is(void **state) {
    (void)state;
    list_request(&list, REQ_END, NULL);
    assert_true(list_search(&list, "NOTE 7", 1, false));
    assert_int_equal(list.cursor_key, 7);
    list_request(&list, REQ_SEARCH_PREV, NULL);
    assert_int_equal(list.cursor_key, 7); /* the only one */
    assert_false(list_search(&list, "zzz", 1, true));
    assert_int_equal(list.cursor_key, 7);
}

static void sort_and_header_click(void **state) {
    (void)state;
    fresh(10, 80);
    assert_int_equal(list_request(&list, REQ_SORT_RIGHT, NULL), LIST_SORT);
    assert_int_equal(list.sort_column, 1);
    list_draw(&list, &all, "none");
    assert_non_null(strstr(row_text(&canvas, 0), "Name▴"));
    struct input click = {.kind = INPUT_MOUSE, .mouse = MOUSE_CLICK, .row = 0, .column = list.column_at[1]};
    assert_int_equal(list_mouse(&list, &click), LIST_SORT);
    assert_true(list.sort_down);
    click.row = 4;
    assert_int_equal(list_mouse(&list, &click), LIST_MOVED);
    assert_int_equal(list.cursor, 3);
    click.mouse = MOUSE_DOUBLE;
    assert_int_equal(list_mouse(&list, &click), LIST_OPEN);
}

static void sideways_scroll_keeps_the_key_column(void **state) {
    (void)state;
    fresh(5, 40);
    list_draw(&list, &all, "none");
    assert_int_equal(list.column_width[3], 0);
    assert_int_equal(list_request(&list, REQ_RIGHT, NULL), LIST_USED);
    assert_int_equal(list_request(&list, REQ_RIGHT, NULL), LIST_USED);
    canvas_clear(&canvas);
    list_draw(&list, &all, "none");
    assert_true(list.column_width[0] > 0 && list.column_width[3] > 0 && list.column_width[1] == 0);
    list_request(&list, REQ_LEFT, NULL);
    list_request(&list, REQ_LEFT, NULL);
    assert_int_equal(list_request(&list, REQ_LEFT, NULL), LIST_IGNORED);
}

/* --- dialogs --- */

static int answer_of(struct dialog *dialog, const char *name) {
    struct input input = input_key(key_from_name(name));
    return dialog_input(dialog, &input);
}

static void confirmation_cancels_by_default(void **state) {
    (void)state;
    fresh(24, 80);
    struct dialog *dialog = dialog_confirm("Cancel order", "Really?", "&Cancel it", DIALOG_DANGER);
    dialog_draw(dialog, &all);
    assert_true(canvas_has(&canvas, "[ No, go back ]  [ Cancel it ]"));
    assert_int_equal(answer_of(dialog, "Enter"), DIALOG_CANCEL);
    assert_int_equal(answer_of(dialog, "Esc"), DIALOG_CANCEL);
    assert_int_equal(answer_of(dialog, "x"), DIALOG_OPEN);
    assert_int_equal(answer_of(dialog, "c"), 0);
    assert_true(dialog_accelerators_differ(dialog));
    dialog_free(dialog);
}

static void type_into(struct dialog *dialog, const char *text) {
    while (*text) {
        struct input input = input_key(text_next(&text));
        assert_int_equal(dialog_input(dialog, &input), DIALOG_OPEN);
    }
}

static void reason_needs_its_length_and_the_tail(void **state) {
    (void)state;
    struct dialog *dialog = dialog_reason("Refund", "Money goes back.", "&Refund", 8, "9Q2X");
    type_into(dialog, "rain");
    assert_int_equal(answer_of(dialog, "C-s"), DIALOG_OPEN);
    type_into(dialog, "9q2x"); /* the first error has the focus */
    assert_int_equal(answer_of(dialog, "C-s"), DIALOG_OPEN);
    fresh(24, 80);
    dialog_draw(dialog, &all);
    assert_true(canvas_has(&canvas, "At least 8 characters"));
    answer_of(dialog, "Tab");
    answer_of(dialog, "S-Tab");
    type_into(dialog, "y day, hall closed");
    fresh(24, 80);
    dialog_draw(dialog, &all);
    assert_true(canvas_has(&canvas, "9q2x"));
    assert_int_equal(answer_of(dialog, "C-s"), 0);
    assert_string_equal(dialog_reason_text(dialog), "rainy day, hall closed");
    dialog_free(dialog);
}

static void pick_list_narrows_by_typing(void **state) {
    (void)state;
    static const char *const rows[] = {"WeChat", "Alipay", "Cash", "Card"};
    struct dialog *dialog = dialog_pick("Tender", rows, 4, -1);
    type_into(dialog, "ca");
    fresh(24, 80);
    dialog_draw(dialog, &all);
    assert_true(canvas_has(&canvas, "Card") && !canvas_has(&canvas, "WeChat"));
    answer_of(dialog, "Down");
    assert_int_equal(answer_of(dialog, "Enter"), 3);
    dialog_free(dialog);
}

static void dialogs_fit_any_window(void **state) {
    (void)state;
    static const char *const rows[] = {"微信", "支付宝"};
    struct dialog *dialogs[] = {dialog_confirm("标题", "很长的一句话，要在小窗口里换行显示。很长的一句话。", "&OK", DIALOG_PLAIN),
                                dialog_reason("标题", "正文", "确定", 8, "9Q2X"), dialog_pick("选择", rows, 2, 0)};
    for (int height = 1; height < 30; height++)
        for (int width = 1; width < 90; width += 3)
            for (size_t i = 0; i < COUNT(dialogs); i++) {
                fresh(height, width);
                dialog_draw(dialogs[i], &all);
                assert_whole(&canvas);
            }
    for (size_t i = 0; i < COUNT(dialogs); i++)
        dialog_free(dialogs[i]);
}

/* --- key tables, bars, help --- */

static void global_keys_are_sound_and_every_function_key_has_a_letter(void **state) {
    (void)state;
    char why[128] = "";
    const struct keymap *global = keymap_global();
    if (!keymap_is_sound(global, why, sizeof why))
        fail_msg("%s", why);
    for (int n = 1; n <= 12; n++) {
        const struct keybind *bind = keymap_find(global, K_F(n));
        if (n == 11)
            assert_null(bind); /* full screen is the terminal's */
        else
            assert_true(bind && key_is_text(bind->keys[1]));
    }
    for (int request = 1; request < REQ_COUNT; request++) {
        assert_string_not_equal(request_help((enum request)request), "");
        assert_int_equal(request_named(request_name((enum request)request)), request);
    }
}

static void key_bar_has_ten_places_and_answers_clicks(void **state) {
    (void)state;
    struct bar_key keys[10];
    bar_keys_collect(keys, NULL, keymap_global(), NULL, NULL);
    fresh(1, 80);
    bar_keys(&all, keys);
    assert_string_equal(row_text(&canvas, 0), "F1Help  F2Book  F3Find  F4Filter F5Refr F6Move  F7Date  F8Cancel F9Menu F10Exit");
    assert_int_equal(bar_key_at(&all, keys, 0), 1);
    assert_int_equal(bar_key_at(&all, keys, 79), 10);
    assert_int_equal(bar_key_at(&all, keys, 17), 3);
    /* No label touches the next key, and a click goes where the label stands. */
    assert_int_equal(bar_key_at(&all, keys, 64), 8);
    assert_int_equal(bar_key_at(&all, keys, 65), 9);
    fresh(1, 40);
    bar_keys(&all, keys);
    assert_non_null(strstr(row_text(&canvas, 0), "F10"));
}

static void help_is_made_from_the_tables_and_can_be_searched(void **state) {
    (void)state;
    static const struct keybind binds[] = {{{K_F(2), 'a'}, REQ_BOOK, NC_("key", "Book"), NULL}, {{'w'}, REQ_WHY, NULL, NULL}};
    static const struct keymap map = KEYMAP("Grid", binds);
    static const struct keybind more[] = {{{'#'}, REQ_QUANTITY, NULL, "Change the quantity"},
                                          {{'c'}, REQ_CHECK_IN, NULL, "Check in: the last 4 digits of the phone or those of the order, then press Enter"}};
    static const struct keymap other = KEYMAP("Grid", more);
    struct help help;
    help_init(&help);
    help_fill(&help, &map, keymap_global(), "bk\tbook by typing\n");
    fresh(12, 80);
    help_draw(&help, &all);
    assert_true(canvas_has(&canvas, "Grid"));
    assert_true(canvas_has(&canvas, "F2 a"));
    assert_true(canvas_has(&canvas, "Why is it so"));
    assert_true(help_search(&help, "book by", 1, true));
    canvas_clear(&canvas);
    help_draw(&help, &all);
    assert_true(canvas_has(&canvas, "book by typing"));
    assert_false(help_search(&help, "no such thing", 1, true));
    /* A key is shown whatever it is, and a long line goes on in the next one. */
    help_fill(&help, &other, NULL, NULL);
    canvas_clear(&canvas);
    help_draw(&help, &all);
    assert_string_equal(row_text(&canvas, 1), "   #                  Change the quantity");
    assert_string_equal(row_text(&canvas, 2), "   c                  Check in: the last 4 digits of the phone or those of the");
    assert_string_equal(row_text(&canvas, 3), "                      order, then press Enter");
    fresh(12, 120);
    help_draw(&help, &all);
    assert_non_null(strstr(row_text(&canvas, 2), "press Enter"));
    help_release(&help);
}

static void work_shows_nothing_then_a_spinner_then_a_bar(void **state) {
    (void)state;
    fresh(1, 80);
    assert_int_equal(bar_work(&all, "Reading", 149, 0, 0), 0);
    assert_string_equal(row_text(&canvas, 0), "");
    assert_true(bar_work(&all, "Reading", 150, 0, 0) > 0);
    assert_non_null(strstr(row_text(&canvas, 0), "Reading"));
    canvas_clear(&canvas);
    bar_work(&all, "Writing", 2000, 6100, 10000);
    assert_non_null(strstr(row_text(&canvas, 0), "61%"));
}

/* --- command line --- */

static size_t complete(void *context, const char *line, struct arena *arena, size_t *from, struct completion *out, size_t room) {
    static const char *const words[] = {"order", "order-list", "pay"};
    size_t count = 0;
    (void)context;
    (void)arena;
    *from = 0;
    for (size_t i = 0; i < COUNT(words); i++)
        if (strncmp(words[i], line, strlen(line)) == 0 && count < room)
            out[count++] = (struct completion){words[i], "what it does"};
    return count;
}

static struct command command;

static enum command_event command_key(const char *name) {
    struct input input = input_key(key_from_name(name));
    return command_input(&command, &input);
}

static void command_line_completes_remembers_and_points(void **state) {
    (void)state;
    fresh(2, 60);
    command_init(&command, ":", complete, NULL);
    command_open(&command, "");
    command_key("p");
    command_key("Tab");
    assert_string_equal(command_line(&command), "pay ");
    command_open(&command, "o");
    command_key("Tab");
    assert_string_equal(command_line(&command), "order");
    command_key("Tab");
    command_key("Tab");
    assert_string_equal(command_line(&command), "order-list");
    command_draw(&command, &all);
    assert_true(canvas_has(&canvas, "order  order-list"));
    assert_int_equal(command_key("Enter"), COMMAND_RUN);
    command_open(&command, "av bad");
    command_fail(&command, 3, "no such place");
    canvas_clear(&canvas);
    command_draw(&command, &all);
    assert_string_equal(row_text(&canvas, 0), "    ▾ no such place");
    assert_string_equal(row_text(&canvas, 1), ":av bad");
    command_key("Up");
    assert_string_equal(command_line(&command), "order-list");
    command_key("Down");
    assert_string_equal(command_line(&command), "av bad");
    command_key("C-u");
    assert_int_equal(command_key("BkSp"), COMMAND_CLOSED);
    command_release(&command);
}

int main(void) {
#define L(name) cmocka_unit_test_setup_teardown(name, list_fresh, list_done)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(editor_moves_and_deletes_by_grapheme),
        cmocka_unit_test(editor_has_the_emacs_keys),
        cmocka_unit_test(editor_keeps_to_its_characters_and_cleans_pastes),
        cmocka_unit_test(preset_is_replaced_by_the_first_character_typed),
        cmocka_unit_test(caret_stands_where_the_cells_say),
        cmocka_unit_test(password_shows_only_stars),
        cmocka_unit_test(note_wraps_and_its_caret_moves_by_row),
        L(separators_of_a_list_are_in_one_column_at_every_width),
        L(cursor_of_a_list_stays_on_its_row_when_the_data_changes),
        L(marks_follow_keys_and_vanish_with_their_rows),
        L(search_goes_round_and_leaves_the_cursor_where_nothing_is),
        L(sort_and_header_click),
        L(sideways_scroll_keeps_the_key_column),
        cmocka_unit_test(confirmation_cancels_by_default),
        cmocka_unit_test(reason_needs_its_length_and_the_tail),
        cmocka_unit_test(pick_list_narrows_by_typing),
        cmocka_unit_test(dialogs_fit_any_window),
        cmocka_unit_test(global_keys_are_sound_and_every_function_key_has_a_letter),
        cmocka_unit_test(key_bar_has_ten_places_and_answers_clicks),
        cmocka_unit_test(help_is_made_from_the_tables_and_can_be_searched),
        cmocka_unit_test(work_shows_nothing_then_a_spinner_then_a_bar),
        cmocka_unit_test(command_line_completes_remembers_and_points),
    };
    unit_start();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    canvas_release(&canvas);
    return failed;
}
