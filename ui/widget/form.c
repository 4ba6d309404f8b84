/* Forms: state, values, parsing, errors. */
#include "ui/widget/form.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "ui/widget/form_internal.h"

#define NUMBER_MAX 999999999

/* Characters that each kind allows where the field says nothing. */
static size_t default_chars(enum field_kind kind) {
    static const size_t chars[] = {[FIELD_TEXT] = 50,  [FIELD_PHONE] = 23, [FIELD_MONEY] = 14,     [FIELD_DATE] = 10,
                                   [FIELD_TIME] = 5,   [FIELD_SPAN] = 11,  [FIELD_NUMBER] = 9,     [FIELD_CHOICE] = 100,
                                   [FIELD_PASSWORD] = 128, [FIELD_NOTE] = 255, [FIELD_SHOW] = 255};
    return chars[kind];
}

struct form *form_new(const struct field *fields, size_t count, const struct form_button *buttons, size_t button_count) {
    struct form *form = xcalloc(1, sizeof *form);
    form->fields = xcalloc(count ? count : 1, sizeof *form->fields);
    form->field_count = count;
    form->buttons = xcalloc(button_count ? button_count : 1, sizeof *form->buttons);
    form->button_count = button_count;
    form->today = DAY_NONE;
    for (size_t i = 0; i < count; i++) {
        struct field_state *field = &form->fields[i];
        field->spec = &fields[i];
        edit_init(&field->edit, fields[i].max_chars ? fields[i].max_chars : default_chars(fields[i].kind));
        field->edit.mask = fields[i].kind == FIELD_PASSWORD;
        field->edit.rows = fields[i].kind == FIELD_NOTE ? NOTE_ROWS : 1;
        field->number = field->number_to = -1;
    }
    for (size_t i = 0; i < button_count; i++)
        form->buttons[i].spec = &buttons[i];
    while (form->focus < form_items(form) && !form_can_focus(form, form->focus))
        form->focus++;
    return form;
}

static void drop_choices(struct field_state *field) {
    for (size_t i = 0; i < field->choice_count; i++) {
        free((char *)field->choices[i].value);
        free((char *)field->choices[i].label);
    }
    free(field->choices);
    field->choices = NULL;
    field->choice_count = 0;
}

void form_free(struct form *form) {
    if (!form)
        return;
    for (size_t i = 0; i < form->field_count; i++) {
        struct field_state *field = &form->fields[i];
        explicit_bzero(field->edit.text, field->edit.capacity);
        edit_release(&field->edit);
        free(field->error);
        free(field->aside);
        drop_choices(field);
        explicit_bzero(field->phone, sizeof field->phone);
    }
    free(form->fields);
    free(form->buttons);
    free(form);
}

size_t form_items(const struct form *form) {
    return form->field_count + form->button_count;
}

bool form_can_focus(const struct form *form, size_t index) {
    if (index >= form_items(form))
        return false;
    if (index >= form->field_count)
        return !form->buttons[index - form->field_count].disabled;
    const struct field_state *field = &form->fields[index];
    return !field->disabled && !field->hidden && field->spec->kind != FIELD_SHOW;
}

struct field_state *form_field(struct form *form, int id) {
    for (size_t i = 0; i < form->field_count; i++)
        if (form->fields[i].spec->id == id)
            return &form->fields[i];
    FD_BUG("no field %d in this form", id);
}

/* --- values --- */

void form_set(struct form *form, int id, const char *text) {
    struct field_state *field = form_field(form, id);
    field->touched = false;
    if (field->spec->kind != FIELD_CHOICE) {
        edit_preset(&field->edit, text);
        form_parse(form, field);
        form_set_error(field, NULL);
        return;
    }
    for (size_t i = 0; i < field->choice_count; i++)
        if (text && strcmp(field->choices[i].value, text) == 0)
            field->chosen = i;
}

void form_set_fen(struct form *form, int id, int64_t fen) {
    char text[FEN_TEXT];
    form_set(form, id, fen < 0 ? "" : fen_decimal(fen, text));
}

void form_set_day(struct form *form, int id, day_t day) {
    char text[DAY_TEXT];
    form_set(form, id, day == DAY_NONE ? "" : day_sql(day, text));
}

void form_set_number(struct form *form, int id, int64_t number) {
    char text[24] = "";
    if (number >= 0)
        snprintf(text, sizeof text, "%lld", (long long)number);
    form_set(form, id, text);
}

const char *form_text(struct form *form, int id) {
    struct field_state *field = form_field(form, id);
    if (field->spec->kind == FIELD_CHOICE)
        return field->choice_count ? field->choices[field->chosen].value : "";
    return edit_text(&field->edit);
}

bool form_is_empty(struct form *form, int id) {
    struct field_state *field = form_field(form, id);
    return field->spec->kind == FIELD_CHOICE ? field->choice_count == 0 : edit_is_empty(&field->edit);
}

bool form_is_dirty(const struct form *form) {
    return form->dirty;
}

void form_clean(struct form *form) {
    form->dirty = false;
}

void form_reset(struct form *form) {
    for (size_t i = 0; i < form->field_count; i++) {
        struct field_state *field = &form->fields[i];
        edit_set(&field->edit, "");
        field->chosen = 0;
        field->touched = false;
        field->number = field->number_to = -1;
        field->phone[0] = '\0';
    }
    form_errors_clear(form);
    form->dirty = form->picking = false;
    form->scroll = 0;
    form->focus = 0;
    while (form->focus + 1 < form_items(form) && !form_can_focus(form, form->focus))
        form->focus++;
}

void form_choices(struct form *form, int id, const struct choice *choices, size_t count) {
    struct field_state *field = form_field(form, id);
    char *before = field->choice_count ? xstrdup(field->choices[field->chosen].value) : NULL;
    drop_choices(field);
    field->choices = xcalloc(count ? count : 1, sizeof *field->choices);
    field->choice_count = count;
    field->chosen = 0;
    for (size_t i = 0; i < count; i++) {
        field->choices[i] = (struct choice){xstrdup(choices[i].value), xstrdup(choices[i].label)};
        if (before && strcmp(before, choices[i].value) == 0)
            field->chosen = i;
    }
    form->picking = false;
    free(before);
}

void form_today(struct form *form, day_t today) {
    form->today = today;
}

static void replace(char **holder, const char *text) {
    char *copy = text && *text ? xstrdup(text) : NULL;
    free(*holder);
    *holder = copy;
}

void form_aside(struct form *form, int id, style_t style, const char *text) {
    struct field_state *field = form_field(form, id);
    replace(&field->aside, text);
    field->aside_style = style;
}

/* The focus must not stay where it cannot be. */
static void move_focus_away(struct form *form) {
    size_t items = form_items(form);
    for (size_t i = 0; i < items && !form_can_focus(form, form->focus); i++) {
        form->focus = (form->focus + 1) % items;
        form->picking = false; /* the drop-down belonged to the field that is gone */
    }
}

void form_enable(struct form *form, int id, bool enabled) {
    form_field(form, id)->disabled = !enabled;
    move_focus_away(form);
}

void form_hide(struct form *form, int id, bool hidden) {
    form_field(form, id)->hidden = hidden;
    move_focus_away(form);
}

void form_button_enable(struct form *form, int id, bool enabled) {
    for (size_t i = 0; i < form->button_count; i++)
        if (form->buttons[i].spec->id == id)
            form->buttons[i].disabled = !enabled;
    move_focus_away(form);
}

/* --- parsing --- */

static enum fd_code parse_number(const char *text, const char *label, int64_t *number, struct fd_error *err) {
    char *end;
    while (*text == ' ')
        text++;
    if (*text < '0' || *text > '9')
        return fd_fail(err, FD_BAD_INPUT, _("%s: a whole number, please."), label);
    long long value = strtoll(text, &end, 10);
    while (*end == ' ')
        end++;
    if (*end || value > NUMBER_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("%s: a whole number, please."), label);
    *number = value;
    return FD_OK;
}

static enum fd_code parse_text(struct field_state *field, const char *label, struct fd_error *err) {
    size_t bytes = field->edit.bytes + 8;
    char *out = xcalloc(1, bytes);
    enum fd_code code = text_field(edit_text(&field->edit), label, field->edit.max_chars, out, bytes, err);
    if (code == FD_OK && strcmp(out, edit_text(&field->edit)) != 0)
        edit_set(&field->edit, out);
    free(out);
    return code;
}

static enum fd_code parse_day(struct form *form, struct field_state *field, const char *label, struct fd_error *err) {
    char text[DAY_TEXT];
    day_t day;
    enum fd_code code = day_parse(edit_text(&field->edit), label, form->today == DAY_NONE ? 0 : form->today, &day, err);
    if (code != FD_OK)
        return code;
    field->number = day;
    edit_set(&field->edit, day_sql(day, text));
    return FD_OK;
}

static enum fd_code parse_minutes(struct field_state *field, const char *label, struct fd_error *err) {
    char from_text[HHMM_TEXT], to_text[HHMM_TEXT], text[HHMM_TEXT * 2 + 1];
    int from, to = -1;
    enum fd_code code = field->spec->kind == FIELD_SPAN ? span_parse(edit_text(&field->edit), label, &from, &to, err)
                                                        : minute_parse(edit_text(&field->edit), label, &from, err);
    if (code != FD_OK)
        return code;
    field->number = from;
    field->number_to = to;
    snprintf(text, sizeof text, "%s%s%s", minute_text(from, from_text), to < 0 ? "" : "-", to < 0 ? "" : minute_text(to, to_text));
    edit_set(&field->edit, text);
    return FD_OK;
}

static enum fd_code parse_phone(struct field_state *field, struct fd_error *err) {
    enum fd_code code = phone_normalise(edit_text(&field->edit), field->phone, err);
    if (code == FD_OK && strcmp(field->phone, edit_text(&field->edit)) != 0)
        edit_set(&field->edit, field->phone);
    return code;
}

static enum fd_code parse_money(struct field_state *field, const char *label, struct fd_error *err) {
    char text[FEN_TEXT];
    enum fd_code code = fen_parse(edit_text(&field->edit), label, &field->number, err);
    if (code == FD_OK)
        edit_set(&field->edit, fen_decimal(field->number, text));
    return code;
}

static enum fd_code parse_kind(struct form *form, struct field_state *field, const char *label, struct fd_error *err) {
    switch (field->spec->kind) {
    case FIELD_PHONE:
        return parse_phone(field, err);
    case FIELD_MONEY:
        return parse_money(field, label, err);
    case FIELD_DATE:
        return parse_day(form, field, label, err);
    case FIELD_TIME:
    case FIELD_SPAN:
        return parse_minutes(field, label, err);
    case FIELD_NUMBER:
        return parse_number(edit_text(&field->edit), label, &field->number, err);
    case FIELD_TEXT:
    case FIELD_NOTE:
        return parse_text(field, label, err);
    case FIELD_CHOICE:
    case FIELD_PASSWORD:
    case FIELD_SHOW:
    default:
        return FD_OK;
    }
}

bool form_parse(struct form *form, struct field_state *field) {
    struct fd_error err = {0};
    const char *label = _(field->spec->label);
    bool was_fresh = field->edit.fresh;
    field->number = field->number_to = -1;
    field->phone[0] = '\0';
    if (field->spec->kind == FIELD_CHOICE ? field->choice_count == 0 : edit_is_empty(&field->edit))
        return true;
    if (parse_kind(form, field, label, &err) == FD_OK) {
        field->edit.fresh = was_fresh;
        return true;
    }
    form_set_error(field, err.message);
    return false;
}

/* --- errors --- */

void form_set_error(struct field_state *field, const char *sentence) {
    replace(&field->error, sentence);
}

void form_error(struct form *form, int id, const char *sentence) {
    form_set_error(form_field(form, id), sentence);
}

void form_fail(struct form *form, int id, const struct fd_error *err) {
    char text[sizeof err->message + sizeof err->hint + 2];
    snprintf(text, sizeof text, "%s%s%s", err->message, err->hint[0] ? " " : "", err->hint);
    form_error(form, id, text);
    form_focus(form, id);
}

void form_errors_clear(struct form *form) {
    for (size_t i = 0; i < form->field_count; i++)
        form_set_error(&form->fields[i], NULL);
}

static bool check_field(struct form *form, struct field_state *field) {
    char text[256];
    form_set_error(field, NULL);
    if (field->hidden || field->disabled || field->spec->kind == FIELD_SHOW)
        return true;
    field->touched = false;
    if (!form_parse(form, field))
        return false;
    if ((field->spec->flags & FIELD_REQUIRED) && form_is_empty(form, field->spec->id)) {
        snprintf(text, sizeof text, _("%s is missing."), _(field->spec->label));
        form_set_error(field, text);
        return false;
    }
    return true;
}

bool form_check(struct form *form) {
    size_t first = form->field_count;
    for (size_t i = 0; i < form->field_count; i++)
        if (!check_field(form, &form->fields[i]) && first == form->field_count)
            first = i;
    if (first == form->field_count)
        return true;
    form->focus = first;
    form->picking = false;
    return false;
}

/* A typed value of what is shown, also where it was just typed and the field never left. */
static struct field_state *parsed(struct form *form, int id) {
    struct field_state *field = form_field(form, id);
    if (field->touched)
        field->touched = !form_parse(form, field);
    return field;
}

int64_t form_fen(struct form *form, int id) {
    return parsed(form, id)->number;
}

day_t form_day(struct form *form, int id) {
    struct field_state *field = parsed(form, id);
    return form_is_empty(form, id) || field->error ? DAY_NONE : (day_t)field->number;
}

int form_minute(struct form *form, int id) {
    return (int)parsed(form, id)->number;
}

int form_minute_to(struct form *form, int id) {
    return (int)parsed(form, id)->number_to;
}

int64_t form_number(struct form *form, int id) {
    return parsed(form, id)->number;
}

const char *form_phone(struct form *form, int id) {
    return parsed(form, id)->phone;
}

/* --- focus --- */

void form_focus(struct form *form, int id) {
    for (size_t i = 0; i < form_items(form); i++) {
        int item = i < form->field_count ? form->fields[i].spec->id : form->buttons[i - form->field_count].spec->id;
        if (item == id && form_can_focus(form, i)) {
            form->focus = i;
            form->picking = false;
        }
    }
}

int form_focused(const struct form *form) {
    if (form->focus >= form_items(form))
        return 0;
    return form->focus < form->field_count ? form->fields[form->focus].spec->id
                                           : form->buttons[form->focus - form->field_count].spec->id;
}

bool form_in_field(const struct form *form) {
    return form->picking || (form->focus < form->field_count && form->fields[form->focus].spec->kind != FIELD_CHOICE &&
                             form_can_focus(form, form->focus));
}

bool form_has_list(const struct form *form) {
    if (form->focus >= form->field_count)
        return false;
    const struct field_state *field = &form->fields[form->focus];
    return field->spec->kind == FIELD_CHOICE ? field->choice_count > 0 : (field->spec->flags & FIELD_HAS_LIST) != 0;
}

const char *form_hint(const struct form *form) {
    if (form->focus >= form->field_count)
        return form->button_count > 0 ? _("Enter presses the button; Up leads back to the fields") : "";
    const char *hint = form->fields[form->focus].spec->hint;
    return hint ? _(hint) : "";
}
