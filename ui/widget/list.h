/* Lists: columns by priority, cells from a source, a cursor that stays on its row when the data
 * is read again, marks, sort, search among the rows loaded. */
#ifndef FD_WIDGET_LIST_H
#define FD_WIDGET_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ui/term/cells.h"
#include "ui/term/key.h"
#include "ui/widget/request.h"

struct list_column {
    const char *label; /* NC_("column", …) or N_(): i18n_label() reads both */
    int cells;         /* width; a longer translated title widens it */
    int grow;          /* share of the cells left over; 0 = none */
    int priority;      /* 0 = always shown; the greatest is dropped first where columns do not fit */
    int align;         /* -1 left, 1 right (numbers, money: never cut, '#' instead) */
    bool frozen;       /* stays when scrolled sideways: the key column; frozen ones come first */
    bool sortable;     /* < and > and a click on the title choose it */
};

struct list_cell {
    const char *text; /* clean; borrowed until the next call */
    style_t style;    /* STYLE_TEXT by default */
};

/* Where rows come from. All are called while drawing: no I/O. */
struct list_source {
    void *context;
    size_t (*rows)(void *context);
    /* Identity of a row, unique (the order's id): cursor and marks follow it. */
    int64_t (*key)(void *context, size_t row);
    void (*cell)(void *context, size_t row, unsigned column, struct list_cell *cell);
    /* More rows wanted: 1 after the last, -1 before the first. Posts a job (or does nothing at the
     * end); returns true where something is on its way. NULL: everything is loaded. */
    bool (*more)(void *context, int direction);
};

enum list_event {
    LIST_IGNORED, /* not a list request */
    LIST_USED,    /* handled, nothing to tell */
    LIST_MOVED,   /* the cursor is on another row */
    LIST_OPEN,    /* Enter or double click */
    LIST_MARKED,  /* marks changed */
    LIST_SORT     /* sort_column or sort_down changed: read anew */
};

struct list {
    const struct list_column *columns; /* borrowed, static */
    unsigned column_count;
    struct list_source source;
    size_t cursor, top;   /* row indexes */
    int64_t cursor_key;   /* identity under the cursor; valid where has_cursor */
    bool has_cursor;
    int first_column;     /* sideways scroll: first shown of those not frozen */
    int sort_column;      /* -1 = the source's own order */
    bool sort_down;
    bool selectable;      /* Space marks */
    bool focused;         /* bar in STYLE_SELECT, hardware cursor on it */
    int64_t *marks;       /* sorted keys */
    size_t mark_count, mark_room;
    char search[64];      /* last search, for n and N */
    int shown_rows;       /* of the last drawing */
    int shown_row, shown_column; /* where it was drawn on the canvas, for the mouse */
    int shown_columns;
    size_t drawn_cursor, drawn_top, drawn_count; /* of the last drawing */
    int column_at[24], column_width[24]; /* of the last drawing; width 0 = not shown */
    bool has_before, has_after; /* arrows in the header row: rows beyond the loaded ones */
};

void list_init(struct list *list, const struct list_column *columns, unsigned count, const struct list_source *source);
void list_release(struct list *list);
/* After the source's rows changed: the cursor stays on its key, else as near as possible; marks of
 * rows that are gone are forgotten. */
void list_reloaded(struct list *list);
/* Rows were put before the first one (paging up): keeps what is seen in place. */
void list_prepended(struct list *list, size_t count);
enum list_event list_request(struct list *list, enum request request, const struct input *input);
enum list_event list_mouse(struct list *list, const struct input *input);
/* Header row and rows; fills the window. `empty` is said where there are none (translated). */
void list_draw(struct list *list, struct cells *cells, const char *empty);

/* On top of the last drawing in the same window: only the row left and the row reached. False
 * where more has changed (scrolled, other rows): draw it whole. For view_ops.redraw. */
bool list_redraw(struct list *list, struct cells *cells);

size_t list_rows(const struct list *list);
bool list_has(const struct list *list);           /* a row is under the cursor */
void list_select(struct list *list, int64_t key); /* to that row where it is there */
bool list_is_marked(const struct list *list, int64_t key);
void list_unmark(struct list *list);
/* Keys to act on: the marks, else the row under the cursor. Borrowed until the list changes. */
const int64_t *list_chosen(struct list *list, size_t *count);
/* Looks for `text` in the shown cells from the cursor on, ASCII case-insensitively, around the
 * end; direction 1 or -1; `here`: the cursor's row counts too (while typing). False: none. */
bool list_search(struct list *list, const char *text, int direction, bool here);

#endif
