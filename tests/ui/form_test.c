#include "ui/unit.h"
#include <stdio.h>
#include <string.h>
#include "ui/widget/form.h"

enum { PHONE = 1, NAME, DATE, TIME, MONEY, COUNT_FIELD, TENDER, NOTE, BUTTON_PAY = 20 };

static const struct field fields[] = {
    {PHONE, "Phone", FIELD_PHONE, FIELD_REQUIRED | FIELD_HAS_LIST, 0, 0, "digits"},
    {NAME, "Name", FIELD_TEXT, FIELD_REQUIRED | FIELD_SAME_LINE, 16, 20, NULL},
    {DATE, "Date", FIELD_DATE, FIELD_GAP, 0, 0, NULL},
    {TIME, "Time", FIELD_SPAN, FIELD_SAME_LINE, 0, 0, NULL},
    {MONEY, "Amount", FIELD_MONEY, 0, 0, 0, NULL},
    {COUNT_FIELD, "How many", FIELD_NUMBER, FIELD_SAME_LINE, 0, 0, NULL},
    {TENDER, "Tender", FIELD_CHOICE, 0, 0, 0, NULL},
    {NOTE, "Remark", FIELD_NOTE, FIELD_WATCH, 0, 0, NULL},
};
static const struct form_button buttons[] = {
    {FORM_ID_CANCEL, "Go back", 0}, {BUTTON_PAY, "Book and pay", K_F(2)}, {FORM_ID_SAVE, "Only book", K_CTRL | 's'}};

static struct form *form;
static struct canvas canvas;
static struct cells all;

static int fresh(void **state) {
    static const struct choice tenders[] = {{"CASH", "现金"}, {"WECHAT", "微信"}, {"CARD", "Card"}};
    (void)state;
    form = form_new(fields, COUNT(fields), buttons, COUNT(buttons));
    form_today(form, day_of(2026, 11, 30));
    form_choices(form, TENDER, tenders, 3);
    canvas_init(&canvas, 24, 80);
    all = canvas_cells(&canvas);
    return 0;
}

static int done(void **state) {
    (void)state;
    form_free(form);
    canvas_release(&canvas);
    return 0;
}

static struct form_event key(const char *name) {
    struct input input = input_key(key_from_name(name));
    struct form_event event;
    form_input(form, &input, &event);
    return event;
}

static void type(const char *text) {
    for (; *text; text++) {
        struct input input = input_key((unsigned char)*text);
        struct form_event event;
        assert_true(form_input(form, &input, &event));
    }
}

static void draw(void) {
    canvas_clear(&canvas);
    form_draw(form, &all, true);
    assert_whole(&canvas);
}

static void walk_in_is_typed_without_the_mouse_and_parsed_field_by_field(void **state) {
    (void)state;
    type("138 0000-1234");
    struct form_event event = key("Enter");
    assert_true(event.kind == FORM_CHANGED && event.id == PHONE);
    assert_string_equal(form_phone(form, PHONE), "13800001234");
    assert_int_equal(form_focused(form), NAME);
    type("Wang");
    key("Tab");
    type("+1");
    key("Down");
    assert_string_equal(form_text(form, DATE), "2026-12-01");
    type("19-21");
    key("Enter");
    assert_int_equal(form_minute(form, TIME), 19 * 60);
    assert_int_equal(form_minute_to(form, TIME), 21 * 60);
    type(".5");
    key("Enter");
    assert_int_equal(form_fen(form, MONEY), 50);
    assert_string_equal(form_text(form, MONEY), "0.50");
    type("3");
    key("Enter");
    assert_int_equal(form_number(form, COUNT_FIELD), 3);
    key("2");
    assert_string_equal(form_text(form, TENDER), "WECHAT");
    event = key("F2");
    assert_true(event.kind == FORM_PRESSED && event.id == BUTTON_PAY);
    assert_true(form_check(form));
    assert_true(form_is_dirty(form));
}

static void errors_stand_under_their_fields_and_the_first_has_the_focus(void **state) {
    (void)state;
    key("Tab");
    key("Tab");
    type("31x");
    assert_false(form_check(form));
    assert_int_equal(form_focused(form), PHONE);
    draw();
    assert_true(canvas_has(&canvas, "! Phone is missing."));
    assert_true(canvas_has(&canvas, "! Name is missing."));
    assert_string_equal(form_text(form, DATE), "31x"); /* what was typed stays */
    type("13800001234");
    draw();
    assert_false(canvas_has(&canvas, "Phone is missing."));
    struct fd_error err = {.code = FD_SLOT_TAKEN, .message = "Just taken.", .hint = "F4 shows free ones."};
    form_fail(form, TIME, &err);
    draw();
    assert_int_equal(form_focused(form), TIME);
    assert_true(canvas_has(&canvas, "! Just taken. F4 shows free ones."));
}

static void save_from_anywhere_cancel_by_escape_list_by_f4(void **state) {
    (void)state;
    struct form_event event = key("C-s");
    assert_true(event.kind == FORM_PRESSED && event.id == FORM_ID_SAVE);
    event = key("Esc");
    assert_true(event.kind == FORM_PRESSED && event.id == FORM_ID_CANCEL);
    event = key("F4");
    assert_true(event.kind == FORM_LIST && event.id == PHONE);
    form_focus(form, TENDER);
    key("F4");
    draw();
    assert_true(canvas_has(&canvas, "微信"));
    key("Down");
    key("Enter");
    assert_string_equal(form_text(form, TENDER), "WECHAT");
    key("F4");
    key("Down");
    key("Esc");
    assert_string_equal(form_text(form, TENDER), "WECHAT");
}

static void preset_values_are_kept_by_enter_and_replaced_by_typing(void **state) {
    (void)state;
    form_set_fen(form, MONEY, 8000);
    form_focus(form, MONEY);
    key("Enter");
    assert_int_equal(form_fen(form, MONEY), 8000);
    key("Up");
    assert_int_equal(form_focused(form), MONEY);
    type("200");
    assert_int_equal(form_fen(form, MONEY), 20000);
    assert_false(form_is_empty(form, MONEY));
}

static void watched_field_tells_each_keystroke(void **state) {
    (void)state;
    form_focus(form, NOTE);
    struct form_event event = key("x");
    assert_true(event.kind == FORM_CHANGED && event.id == NOTE);
}

static void paste_fills_one_field_and_presses_nothing(void **state) {
    (void)state;
    struct input paste = {.kind = INPUT_PASTE, .paste = "138 0000 1234 q"};
    struct form_event event;
    assert_true(form_input(form, &paste, &event));
    assert_int_equal(form_focused(form), PHONE);
    assert_string_equal(form_text(form, PHONE), "138 0000 1234 q");
}

static void layout_is_measured_and_every_window_is_survived(void **state) {
    (void)state;
    form_aside(form, PHONE, STYLE_INFO, "王小明 · 来过 12 次");
    form_check(form);
    for (int rows = 1; rows < 26; rows++)
        for (int columns = 1; columns <= 130; columns += 3) {
            canvas_resize(&canvas, rows, columns);
            all = canvas_cells(&canvas);
            for (size_t i = 0; i < COUNT(fields); i++) {
                form_focus(form, fields[i].id);
                draw();
                assert_true(canvas.cursor_row >= 0 && canvas.cursor_row < rows);
            }
            form_focus(form, BUTTON_PAY);
            draw();
        }
}

static void cursor_is_on_the_focused_field_with_wide_text(void **state) {
    (void)state;
    struct input wide = input_key(0x738b);
    struct form_event event;
    form_focus(form, NAME);
    form_input(form, &wide, &event);
    draw();
    int column = canvas.cursor_column;
    form_input(form, &wide, &event);
    draw();
    assert_int_equal(canvas.cursor_column, column + 2);
}

static void hidden_and_disabled_fields_are_passed_over(void **state) {
    (void)state;
    form_hide(form, NAME, true);
    form_enable(form, DATE, false);
    key("Tab");
    assert_int_equal(form_focused(form), TIME);
    form_focus(form, DATE);
    assert_int_equal(form_focused(form), TIME);
    form_button_enable(form, BUTTON_PAY, false);
    assert_int_equal(key("F2").kind, FORM_NOTHING);
    draw();
    assert_false(canvas_has(&canvas, "Name"));
}

static void enter_on_the_last_field_goes_to_the_first_button(void **state) {
    (void)state;
    form_focus(form, NOTE);
    key("Enter");
    assert_int_equal(form_focused(form), FORM_ID_CANCEL);
    key("Right");
    struct form_event event = key("Enter");
    assert_true(event.kind == FORM_PRESSED && event.id == BUTTON_PAY);
    assert_false(form_in_field(form));
}

static void click_puts_the_caret_and_presses_buttons(void **state) {
    (void)state;
    draw();
    struct input click = {.kind = INPUT_MOUSE, .mouse = MOUSE_CLICK};
    struct form_event event;
    for (int row = 0; row < 24; row++)
        if (strstr(row_text(&canvas, row), "Book and pay")) {
            click.row = row;
            click.column = 16;
        }
    assert_true(form_input(form, &click, &event));
    assert_true(event.kind == FORM_PRESSED && event.id == BUTTON_PAY);
}

static void reset_empties_everything(void **state) {
    (void)state;
    type("13800001234");
    key("Tab");
    form_check(form);
    form_reset(form);
    assert_true(form_is_empty(form, PHONE));
    assert_string_equal(form_phone(form, PHONE), "");
    assert_int_equal(form_fen(form, MONEY), -1);
    assert_int_equal(form_day(form, DATE), DAY_NONE);
    assert_false(form_is_dirty(form));
    assert_int_equal(form_focused(form), PHONE);
}

/* Enter leads on to a button; who types on means the sentence, and no key of a screen. */
static void text_typed_on_a_button_goes_on_in_the_sentence_that_was_left(void **state) {
    (void)state;
    form_focus(form, NOTE);
    type("coin jar");
    key("Enter");
    assert_int_equal(form_focused(form), FORM_ID_CANCEL);
    assert_string_equal(form_hint(form), "Enter presses the button; Up leads back to the fields");
    type(", short");
    assert_string_equal(form_text(form, NOTE), "coin jar, short");
    assert_int_equal(form_focused(form), NOTE);
}

static void text_typed_on_a_button_is_no_number_of_a_field(void **state) {
    (void)state;
    form_focus(form, COUNT_FIELD);
    type("2");
    form_hide(form, TENDER, true);
    form_hide(form, NOTE, true);
    key("Enter");
    assert_int_equal(form_focused(form), FORM_ID_CANCEL);
    type("3q"); /* used up: not a screen, not the way out */
    assert_int_equal(form_focused(form), FORM_ID_CANCEL);
    assert_int_equal(form_number(form, COUNT_FIELD), 2);
}

static void digit_on_a_choice_that_begins_an_amount_chooses_nothing(void **state) {
    static const struct field own[] = {{TENDER, "How much", FIELD_CHOICE, FIELD_DIGITS, 0, 0, NULL}};
    static const struct choice ways[] = {{"whole", "all"}, {"amount", "an amount"}};
    (void)state;
    struct form *mine = form_new(own, 1, NULL, 0);
    form_choices(mine, TENDER, ways, 2);
    struct form_event event;
    struct input input = input_key('2');
    assert_true(form_input(mine, &input, &event));
    assert_true(event.kind == FORM_DIGIT && event.id == TENDER);
    assert_string_equal(form_text(mine, TENDER), "whole");
    assert_true(form_has_list(mine));
    form_free(mine);
}

static void only_choices_and_fields_that_say_so_have_a_list(void **state) {
    (void)state;
    assert_true(form_has_list(form)); /* the phone */
    form_focus(form, NAME);
    assert_false(form_has_list(form));
    form_focus(form, TENDER);
    assert_true(form_has_list(form));
    form_focus(form, FORM_ID_SAVE);
    assert_false(form_has_list(form));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, fresh, done)
    const struct CMUnitTest tests[] = {
        T(walk_in_is_typed_without_the_mouse_and_parsed_field_by_field),
        T(errors_stand_under_their_fields_and_the_first_has_the_focus),
        T(save_from_anywhere_cancel_by_escape_list_by_f4),
        T(preset_values_are_kept_by_enter_and_replaced_by_typing),
        T(watched_field_tells_each_keystroke),
        T(paste_fills_one_field_and_presses_nothing),
        T(layout_is_measured_and_every_window_is_survived),
        T(cursor_is_on_the_focused_field_with_wide_text),
        T(hidden_and_disabled_fields_are_passed_over),
        T(enter_on_the_last_field_goes_to_the_first_button),
        T(text_typed_on_a_button_goes_on_in_the_sentence_that_was_left),
        T(text_typed_on_a_button_is_no_number_of_a_field),
        T(digit_on_a_choice_that_begins_an_amount_chooses_nothing),
        T(only_choices_and_fields_that_say_so_have_a_list),
        T(click_puts_the_caret_and_presses_buttons),
        T(reset_empties_everything),
    };
    unit_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
