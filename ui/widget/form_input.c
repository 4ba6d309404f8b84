/* Forms: what keys and the mouse do. */
#include <ctype.h>
#include <string.h>
#include "ui/widget/form_internal.h"

static struct field_state *focused_field(struct form *form) {
    return form->focus < form->field_count ? &form->fields[form->focus] : NULL;
}

/* Leaving a field that was typed into: parsed, shown normalised, and the owner is told. */
static void leave(struct form *form, struct form_event *event) {
    struct field_state *field = focused_field(form);
    if (!field || !field->touched)
        return;
    field->touched = false;
    form_set_error(field, NULL);
    form_parse(form, field);
    *event = (struct form_event){FORM_CHANGED, field->spec->id};
}

static void focus_on(struct form *form, size_t index, struct form_event *event) {
    if (index == form->focus)
        return;
    *event = (struct form_event){FORM_MOVED, 0};
    leave(form, event);
    if (form->focus < form->field_count)
        form->left = form->focus;
    form->focus = index;
    form->picking = false;
    if (event->kind == FORM_MOVED)
        event->id = form_focused(form);
}

/* The next item that can have the focus; `around`: after the last comes the first. */
static void step(struct form *form, int direction, bool around, struct form_event *event) {
    size_t items = form_items(form), at = form->focus;
    for (size_t i = 0; i < items; i++) {
        if (!around && ((direction < 0 && at == 0) || (direction > 0 && at + 1 >= items)))
            return;
        at = (at + items + (size_t)direction) % items;
        if (form_can_focus(form, at)) {
            focus_on(form, at, event);
            return;
        }
    }
}

static void press(struct form *form, int id, struct form_event *event) {
    struct form_event left = {FORM_NOTHING, 0};
    leave(form, &left);
    *event = (struct form_event){FORM_PRESSED, id};
}

/* --- choices --- */

static void choose(struct form *form, struct field_state *field, size_t index, struct form_event *event) {
    if (index == field->chosen || index >= field->choice_count)
        return;
    field->chosen = index;
    form->dirty = true;
    form_set_error(field, NULL);
    *event = (struct form_event){FORM_CHANGED, field->spec->id};
}

/* Its number, or the next one that begins with the letter typed. */
static bool find_choice(const struct field_state *field, const char *typed, size_t from, size_t *index) {
    size_t count = field->choice_count;
    if (typed[0] >= '1' && typed[0] <= '9' && !typed[1] && (size_t)(typed[0] - '1') < count && count <= 9) {
        *index = (size_t)(typed[0] - '1');
        return true;
    }
    for (size_t i = 1; i <= count; i++) {
        size_t at = (from + i) % count;
        if (strncasecmp(field->choices[at].label, typed, strlen(typed)) == 0) {
            *index = at;
            return true;
        }
    }
    return false;
}

static bool choice_key(struct form *form, struct field_state *field, const struct input *input, struct form_event *event) {
    size_t count = field->choice_count, index;
    if (count == 0 || input->kind != INPUT_KEY)
        return false;
    if (input->key == K_RIGHT || input->key == ' ') {
        choose(form, field, (field->chosen + 1) % count, event);
        return true;
    }
    if (input->key == K_LEFT) {
        choose(form, field, (field->chosen + count - 1) % count, event);
        return true;
    }
    if (!input->text[0])
        return false;
    bool digit = input->text[0] >= '0' && input->text[0] <= '9';
    if (digit && (field->spec->flags & FIELD_DIGITS)) {
        *event = (struct form_event){FORM_DIGIT, field->spec->id};
        return true;
    }
    if (!find_choice(field, input->text, field->chosen, &index))
        return digit; /* an amount typed too early must not lead to a tab */
    choose(form, field, index, event);
    return true;
}

/* The open drop-down takes every key. */
static bool pick_key(struct form *form, const struct input *input, struct form_event *event) {
    struct field_state *field = focused_field(form);
    size_t count = field->choice_count;
    if (input->kind != INPUT_KEY)
        return true;
    switch (input->key) {
    case K_UP:
        form->picked = (form->picked + count - 1) % count;
        return true;
    case K_DOWN:
        form->picked = (form->picked + 1) % count;
        return true;
    case K_HOME:
        form->picked = 0;
        return true;
    case K_END:
        form->picked = count - 1;
        return true;
    case K_ENTER:
    case K_TAB:
        form->picking = false;
        choose(form, field, form->picked, event);
        return true;
    case K_ESC:
    case K_F(4):
        form->picking = false;
        return true;
    default:
        if (input->text[0])
            find_choice(field, input->text, form->picked, &form->picked);
        return true;
    }
}

static bool open_list(struct form *form, struct form_event *event) {
    struct field_state *field = focused_field(form);
    if (!form_has_list(form))
        return false;
    if (field->spec->kind == FIELD_CHOICE) {
        form->picking = true;
        form->picked = field->chosen;
    } else {
        *event = (struct form_event){FORM_LIST, field->spec->id};
    }
    return true;
}

/* --- buttons --- */

static bool button_by_key(struct form *form, uint32_t key, struct form_event *event) {
    for (size_t i = 0; i < form->button_count; i++) {
        const struct button_state *button = &form->buttons[i];
        if (button->spec->key == 0 || button->spec->key != key)
            continue;
        if (!button->disabled)
            press(form, button->spec->id, event);
        return true;
    }
    return false;
}

static bool button_key(struct form *form, const struct input *input, struct form_event *event) {
    if (input->key == K_ENTER || input->key == ' ') {
        press(form, form_focused(form), event);
        return true;
    }
    if (input->key == K_LEFT || input->key == K_RIGHT) {
        step(form, input->key == K_LEFT ? -1 : 1, false, event);
        return true;
    }
    return false;
}

/* --- keys that mean the same everywhere in a form --- */

static bool form_key(struct form *form, uint32_t key, struct form_event *event) {
    if (button_by_key(form, key, event))
        return true;
    switch (key) {
    case K_TAB:
        step(form, 1, true, event);
        return true;
    case K_BACKTAB:
        step(form, -1, true, event);
        return true;
    case K_ENTER:
        step(form, 1, false, event);
        if (event->kind == FORM_NOTHING && form->button_count == 0)
            press(form, FORM_ID_SAVE, event); /* the last field, and no button to go to */
        return true;
    case K_DOWN:
        step(form, 1, false, event);
        return true;
    case K_UP:
        step(form, -1, false, event);
        return true;
    case K_F(2):
    case K_CTRL | 's':
        press(form, FORM_ID_SAVE, event);
        return true;
    case K_F(4):
        return open_list(form, event);
    case K_ESC:
        press(form, FORM_ID_CANCEL, event);
        return true;
    default:
        return false;
    }
}

static bool edit_key(struct form *form, struct field_state *field, const struct input *input, struct form_event *event) {
    bool changed;
    if (!edit_input(&field->edit, input, &changed))
        return false;
    if (!changed)
        return true;
    field->touched = form->dirty = true;
    form_set_error(field, NULL);
    if (field->spec->flags & FIELD_WATCH)
        *event = (struct form_event){FORM_CHANGED, field->spec->id};
    return true;
}

/* Typed on a button, after an Enter too many: goes on in the sentence that was left, and is never a key of a screen. */
static bool typed_on_button(struct form *form, const struct input *input, struct form_event *event) {
    if (input->kind == INPUT_KEY && !key_is_text(input->key))
        return false;
    struct field_state *field = form->left < form->field_count ? &form->fields[form->left] : NULL;
    if (!field || !form_can_focus(form, form->left) || (field->spec->kind != FIELD_TEXT && field->spec->kind != FIELD_NOTE))
        return true;
    struct form_event moved;
    focus_on(form, form->left, &moved);
    field->edit.fresh = false;
    return edit_key(form, field, input, event);
}

/* --- mouse --- */

static bool click(struct form *form, const struct input *input, struct form_event *event) {
    int row = input->row - form->shown_row, cell = input->column - form->shown_column;
    if (row < 0 || row >= form->shown_rows || cell < 0 || cell >= form->shown_columns || input->mouse > MOUSE_DOUBLE)
        return false;
    if (form->picking) {
        bool inside = row >= form->pick_row && row < form->pick_row + form->pick_rows && cell >= form->pick_at &&
                      cell < form->pick_at + form->pick_width;
        form->picking = false;
        if (inside)
            choose(form, focused_field(form), (size_t)(row - form->pick_row), event);
        return true;
    }
    row += form->scroll;
    for (size_t i = 0; i < form->field_count; i++) {
        struct field_state *field = &form->fields[i];
        if (!form_can_focus(form, i) || row < field->row || row >= field->row + field->rows || cell < field->at ||
            cell >= field->at + field->width)
            continue;
        bool again = i == form->focus;
        focus_on(form, i, event);
        if (field->spec->kind == FIELD_CHOICE && again)
            open_list(form, event);
        else if (field->spec->kind != FIELD_CHOICE)
            edit_click(&field->edit, row - field->row, cell - field->at);
        return true;
    }
    for (size_t i = 0; i < form->button_count; i++) {
        struct button_state *button = &form->buttons[i];
        if (button->disabled || row != button->row || cell < button->at || cell >= button->at + button->width)
            continue;
        press(form, button->spec->id, event);
        form->focus = form->field_count + i;
        return true;
    }
    return false;
}

bool form_input(struct form *form, const struct input *input, struct form_event *event) {
    struct field_state *field = focused_field(form);
    *event = (struct form_event){FORM_NOTHING, 0};
    if (input->kind == INPUT_MOUSE)
        return click(form, input, event);
    if (input->kind != INPUT_KEY && input->kind != INPUT_PASTE)
        return false;
    if (form->picking)
        return pick_key(form, input, event);
    if (!field && input->kind == INPUT_KEY && (button_key(form, input, event) || form_key(form, input->key, event)))
        return true;
    if (!field)
        return form->button_count > 0 && typed_on_button(form, input, event);
    if (field->spec->kind == FIELD_CHOICE)
        return choice_key(form, field, input, event) || form_key(form, input->key, event);
    return edit_key(form, field, input, event) || form_key(form, input->key, event);
}
