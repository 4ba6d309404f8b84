/* Forms: layout by measured widths, and drawing. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "ui/widget/form_internal.h"

#define EDGE      1  /* blank column at the left */
#define GAP       2
#define WIDTH_MIN 4

static int content_width(const struct field_state *field) {
    static const int widths[] = {[FIELD_TEXT] = 24, [FIELD_PHONE] = 20, [FIELD_MONEY] = 12,    [FIELD_DATE] = 11,
                                 [FIELD_TIME] = 6,  [FIELD_SPAN] = 12,  [FIELD_NUMBER] = 6,    [FIELD_CHOICE] = 8,
                                 [FIELD_PASSWORD] = 24, [FIELD_NOTE] = 50, [FIELD_SHOW] = 0};
    int width = field->spec->width_cells ? field->spec->width_cells : widths[field->spec->kind];
    if (field->spec->kind == FIELD_CHOICE && !field->spec->width_cells)
        for (size_t i = 0; i < field->choice_count; i++) {
            int wide = text_width(field->choices[i].label) + 2;
            width = wide > width ? wide : width;
        }
    if (field->spec->kind == FIELD_SHOW && !field->spec->width_cells)
        width = text_width(edit_text(&field->edit));
    return width;
}

static int label_width(const struct form *form) {
    int width = 0;
    for (size_t i = 0; i < form->field_count; i++) {
        const struct field_state *field = &form->fields[i];
        int wide = text_width(_(field->spec->label));
        if (!field->hidden && !(field->spec->flags & FIELD_SAME_LINE) && wide > width)
            width = wide;
    }
    return width;
}

/* Rows of one line of fields: the highest field, then the errors one under the other. */
static int close_line(struct form *form, size_t from, size_t to, int row, int columns) {
    int rows = 1;
    for (size_t i = from; i < to; i++)
        if (!form->fields[i].hidden && form->fields[i].rows > rows)
            rows = form->fields[i].rows;
    for (size_t i = from; i < to; i++) {
        struct field_state *field = &form->fields[i];
        field->error_rows = 0;
        if (field->hidden || !field->error)
            continue;
        field->error_row = row + rows;
        field->error_rows = cells_wrap_rows(field->error, columns - field->at - 2);
        rows += field->error_rows;
    }
    return row + rows;
}

/* Puts a field at `at`; returns the column after it and its aside. */
static int place_field(struct field_state *field, int row, int label_at, int at, int columns) {
    int width = content_width(field), room = columns - at - 1;
    if (width > room)
        width = room > WIDTH_MIN ? room : WIDTH_MIN;
    field->row = row;
    field->label_at = label_at;
    field->at = at;
    field->width = width;
    field->rows = field->spec->kind == FIELD_NOTE ? NOTE_ROWS : 1;
    return at + width + 1 + (field->aside ? GAP + text_width(field->aside) : 0);
}

static int lay_out_fields(struct form *form, int columns) {
    int row = 0, labels = label_width(form), end = 0;
    size_t line_start = 0;
    bool any = false;
    for (size_t i = 0; i < form->field_count; i++) {
        struct field_state *field = &form->fields[i];
        int own_label = text_width(_(field->spec->label)), at;
        if (field->hidden)
            continue;
        at = end + GAP + own_label + (own_label ? 2 : 0) + 1;
        bool same = any && (field->spec->flags & FIELD_SAME_LINE) && at + content_width(field) + 1 <= columns;
        if (!same) {
            if (any)
                row = close_line(form, line_start, i, row, columns);
            row += field->spec->flags & FIELD_GAP && any ? 1 : 0;
            line_start = i;
            at = EDGE + labels + (labels ? 2 : 0) + 1;
        }
        end = place_field(field, row, same ? end + GAP : EDGE, at, columns);
        any = true;
    }
    return any ? close_line(form, line_start, form->field_count, row, columns) : row;
}

static void button_text(const struct form_button *spec, char *text, size_t bytes) {
    char key[24] = "";
    if (spec->key)
        key_label(spec->key, key, sizeof key);
    snprintf(text, bytes, "[ %s%s%s ]", spec->label[0] ? _(spec->label) : "", spec->key ? " " : "", key);
}

int form_button_width(const struct form_button *spec) {
    char text[160];
    button_text(spec, text, sizeof text);
    return text_width(text);
}

int form_lay_out(struct form *form, int columns) {
    int row = lay_out_fields(form, columns), at = EDGE;
    if (form->button_count > 0)
        row += form->field_count > 0 ? 1 : 0;
    for (size_t i = 0; i < form->button_count; i++) {
        struct button_state *button = &form->buttons[i];
        button->width = form_button_width(button->spec);
        if (at > EDGE && at + button->width > columns) {
            row++;
            at = EDGE;
        }
        button->row = row;
        button->at = at;
        at += button->width + GAP;
    }
    form->rows = row + (form->button_count > 0 ? 1 : 0);
    return form->rows;
}

int form_rows(struct form *form, int columns) {
    return form_lay_out(form, columns);
}

/* --- drawing --- */

static void draw_choice(struct form *form, struct field_state *field, struct cells *cells, int row, style_t style, bool here) {
    const char *label = field->choice_count ? field->choices[field->chosen].label : "";
    (void)form;
    cells_put(cells, row, field->at, field->width - 1, -1, style, label);
    cells_text(cells, row, field->at + field->width - 1, style, cells_symbol(cells, SYMBOL_DOWN));
    if (here)
        cells_cursor(cells, row, field->at);
}

static void draw_field(struct form *form, struct field_state *field, struct cells *cells, bool here) {
    int row = field->row - form->scroll;
    style_t style = here ? STYLE_FIELD_HERE : field->disabled ? STYLE_DIM : STYLE_FIELD;
    cells_text(cells, row, field->label_at, field->disabled ? STYLE_DIM : STYLE_LABEL, _(field->spec->label));
    if (field->aside)
        cells_text(cells, row, field->at + field->width + 1 + GAP, field->aside_style, field->aside);
    if (field->error_rows > 0) {
        int at = field->error_row - form->scroll;
        cells_text(cells, at, field->at - 1, STYLE_ERROR, "!");
        cells_wrap(cells, at, field->at + 1, cells->columns - field->at - 2, STYLE_ERROR, field->error);
    }
    if (field->spec->kind == FIELD_SHOW) {
        cells_put(cells, row, field->at, field->width, -1, STYLE_TEXT, edit_text(&field->edit));
        return;
    }
    for (int i = 0; i < field->rows; i++) {
        cells_char(cells, row + i, field->at - 1, STYLE_RULE, '[');
        cells_char(cells, row + i, field->at + field->width, STYLE_RULE, ']');
    }
    if (field->spec->kind == FIELD_CHOICE) {
        draw_choice(form, field, cells, row, style, here);
        return;
    }
    struct edit *edit = &field->edit;
    if (row >= 0 && row < cells->rows)
        edit_draw(edit, cells, row, field->at, field->width, style, here);
}

static void draw_button(struct form *form, struct button_state *button, struct cells *cells, bool here) {
    char text[160];
    int row = button->row - form->scroll;
    style_t style = here ? STYLE_BUTTON_HERE : button->disabled ? STYLE_DIM : STYLE_BUTTON;
    button_text(button->spec, text, sizeof text);
    cells_put(cells, row, button->at, button->width, -1, style, text);
    if (here)
        cells_cursor(cells, row, button->at + 2);
}

/* The drop-down lies over what is below (or above, near the window's end). */
static void draw_pick(struct form *form, struct cells *cells) {
    struct field_state *field = &form->fields[form->focus];
    int count = (int)field->choice_count, row = field->row - form->scroll + 1, rows, first = 0;
    rows = count < PICK_ROWS_MAX ? count : PICK_ROWS_MAX;
    if (row + rows > cells->rows)
        row = field->row - form->scroll - rows >= 0 ? field->row - form->scroll - rows : 0;
    if ((int)form->picked >= rows)
        first = (int)form->picked - rows + 1;
    for (int i = 0; i < rows; i++) {
        bool here = first + i == (int)form->picked;
        cells_char(cells, row + i, field->at - 1, STYLE_RULE, cells_ascii(cells) ? '|' : 0x2502);
        cells_put(cells, row + i, field->at, field->width, -1, here ? STYLE_SELECT : STYLE_FIELD, field->choices[first + i].label);
        cells_char(cells, row + i, field->at + field->width, STYLE_RULE, cells_ascii(cells) ? '|' : 0x2502);
        if (here)
            cells_cursor(cells, row + i, field->at);
    }
    form->pick_row = row - first;
    form->pick_rows = rows + first;
    form->pick_at = field->at;
    form->pick_width = field->width;
}

/* The focused item, its error included, is always in the window. */
static void scroll_to_focus(struct form *form, int height) {
    int from = 0, to = 1;
    if (form->focus < form->field_count) {
        const struct field_state *field = &form->fields[form->focus];
        from = field->row;
        to = field->error_rows ? field->error_row + field->error_rows : field->row + field->rows;
    } else if (form->focus < form_items(form)) {
        from = form->buttons[form->focus - form->field_count].row;
        to = from + 1;
    }
    if (to > form->scroll + height)
        form->scroll = to - height;
    if (from < form->scroll)
        form->scroll = from;
    if (form->scroll > 0 && form->scroll + height > form->rows)
        form->scroll = form->rows > height ? form->rows - height : 0;
}

void form_draw(struct form *form, struct cells *cells, bool here) {
    form_lay_out(form, cells->columns);
    scroll_to_focus(form, cells->rows);
    form->shown_row = cells->row;
    form->shown_column = cells->column;
    form->shown_rows = cells->rows;
    form->shown_columns = cells->columns;
    for (size_t i = 0; i < form->field_count; i++)
        if (!form->fields[i].hidden)
            draw_field(form, &form->fields[i], cells, here && form->focus == i);
    for (size_t i = 0; i < form->button_count; i++)
        draw_button(form, &form->buttons[i], cells, here && form->focus == form->field_count + i);
    if (form->picking && here)
        draw_pick(form, cells);
}
