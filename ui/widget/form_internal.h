/* Between form.c (values), form_input.c (keys) and form_draw.c (layout). */
#ifndef FD_WIDGET_FORM_INTERNAL_H
#define FD_WIDGET_FORM_INTERNAL_H

#include "base/mem.h"
#include "ui/widget/edit.h"
#include "ui/widget/form.h"

#define NOTE_ROWS     3
#define PICK_ROWS_MAX 10

struct field_state {
    const struct field *spec;
    struct edit edit;
    char *error, *aside;
    style_t aside_style;
    struct choice *choices; /* texts owned */
    size_t choice_count, chosen;
    bool disabled, hidden;
    bool touched; /* changed since the focus came or it was parsed */
    int64_t number, number_to; /* parsed value: fen, day, minute, number */
    char phone[PHONE_BYTES];
    /* layout: rows and cells in the form, before scrolling */
    int row, label_at, at, width, rows, error_row, error_rows;
};

struct button_state {
    const struct form_button *spec;
    bool disabled;
    int row, at, width;
};

struct form {
    struct field_state *fields;
    size_t field_count;
    struct button_state *buttons;
    size_t button_count;
    size_t focus;  /* index: fields, then buttons */
    size_t left;   /* the field that had it before */
    bool picking;  /* the drop-down of a choice is open */
    size_t picked;
    bool dirty;
    day_t today;
    int rows, scroll;
    int shown_row, shown_column, shown_rows, shown_columns; /* on the screen, for the mouse */
    int pick_row, pick_at, pick_rows, pick_width; /* of the drop-down as drawn, window cells */
};

struct field_state *form_field(struct form *form, int id); /* FD_BUG where there is none */
bool form_can_focus(const struct form *form, size_t index);
size_t form_items(const struct form *form); /* fields and buttons */
/* Parses the field into its typed value and shows it normalised; false with its error set. */
bool form_parse(struct form *form, struct field_state *field);
void form_set_error(struct field_state *field, const char *sentence);
/* Layout at that width; returns the rows. */
int form_lay_out(struct form *form, int columns);
int form_button_width(const struct form_button *spec);

#endif
