/* What the files of the day grid share. */
#ifndef FD_VIEW_GRID_INTERNAL_H
#define FD_VIEW_GRID_INTERNAL_H

#include "ui/view/views.h"

enum {
    GRID_CART_MOST = 20,    /* slots chosen with Space */
    GRID_CHANGES_MOST = 64, /* cells marked as changed at once */
    GRID_CHANGE_MS = 6000,  /* so long is a change marked */
    GRID_TIME_CELLS = 6,    /* the hour at the left */
    GRID_COLUMN_LEAST = 9,  /* one court with its gap */
    GRID_COLUMN_MOST = 16,
    GRID_LOOK_BYTES = 96 /* what one court's cell can say: it is cut to its width anyway */
};

/* What a cell says. Made once for a reading and not for each picture: a picture must not cost more than the key that
 * asked for it. */
struct grid_look {
    style_t style;
    char text[GRID_LOOK_BYTES];
};

struct grid_change {
    int64_t slot_id, until_ms;
};

struct grid {
    struct arena arena;         /* of `day` */
    struct day_grid *day;       /* NULL before the first answer */
    struct grid_look *looks;    /* of each of its cells, in its arena; NULL: not made yet */
    const char *looks_language; /* what they were made for */
    int looks_width;
    bool looks_ascii;
    bool loading;         /* an answer is on its way */
    day_t want_day;       /* asked for: DAY_NONE today */
    char want_sport[128]; /* "" the first */

    int64_t cursor_venue; /* the cursor's identity; row and column are found anew at each load */
    int cursor_start;     /* minute */
    size_t row, column;
    bool placed; /* the cursor was placed once on this day and sport */
    char selected[NUMBER_BYTES];

    struct slot cart[GRID_CART_MOST]; /* names owned: cart_arena */
    size_t cart_count;
    struct arena cart_arena;

    struct grid_change changes[GRID_CHANGES_MOST];
    size_t change_count;

    size_t top, left; /* first row and court shown */
    size_t shown_rows, shown_columns;
    int column_cells;                 /* width of one court, gap included, in the last drawing */
    int window_columns;               /* of the whole terminal, in the last drawing */
    const struct day_grid *drawn_day; /* what the last drawing showed, and where its bar stood */
    size_t drawn_row, drawn_column, drawn_top, drawn_left;
    const struct grid_cell *next; /* hold that ends next, NULL none */
    bool next_known;
    char hint[256];
};

/* The cell under the cursor, NULL before the first answer or on an empty day. */
struct grid_cell *grid_cursor(const struct grid *grid);
struct grid_cell *grid_at(const struct grid *grid, size_t row, size_t column);
/* Its slot is among those chosen with Space. */
bool grid_in_cart(const struct grid *grid, int64_t slot_id);
bool grid_changed_lately(const struct grid *grid, int64_t slot_id);
/* True where the venue's slots are whole courts (one party), not places or equipment. */
bool grid_is_court(const struct grid_cell *cell);

/* To another day (`:day`). */
void grid_go(struct view *view, day_t day);

void grid_draw(struct view *view, struct cells *cells);
/* Only the bar moved: the cell that it left, the bar, the facts. */
bool grid_redraw(struct view *view, struct cells *cells);
/* Row and court at a cell of the last drawing; false where there is none. */
bool grid_hit(const struct grid *grid, int row, int column, size_t *at_row, size_t *at_column);
/* The court scrolled to is shown: adjusts top and left. */
void grid_scroll(struct grid *grid);
void grid_title(struct view *view, struct buf *text);
const char *grid_hint(const struct view *view);

extern const struct keymap grid_keys;

#endif
