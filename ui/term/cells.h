/* Cells: the picture as a matrix, without curses. Screens draw here; ui/term sends the difference
 * to the terminal and tests read it as text. One rule makes CJK safe: a painter clips and pads by
 * width, never splits a wide character, and writing over one half of a wide character blanks the
 * other. A whole picture is drawn each time (it is cheap); only what changed is sent.
 *
 * `struct canvas` owns the matrix. `struct cells` is a window onto it, passed by pointer and
 * copied freely: painters take coordinates relative to the window, anything outside it is cut. */
#ifndef FD_TERM_CELLS_H
#define FD_TERM_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "ui/term/style.h"

struct cell {
    uint32_t ch;   /* character, or above 0x10ffff: interned character with combining marks */
    style_t style;
    uint8_t width; /* 1, 2; 0 = right half of the wide character before */
    uint8_t pad;   /* always 0, so that rows compare with memcmp */
};

struct canvas {
    struct cell *cell; /* rows * columns, row by row */
    int rows, columns; /* both at least 1 */
    int cursor_row, cursor_column; /* hardware cursor; -1 = not placed */
    int touched_from, touched_to; /* rows painted on since the last flush; from > to: none */
    bool ascii;        /* lines and symbols in ASCII */
    bool wide_ambiguous; /* the terminal draws ambiguous characters two cells wide: replace them */
};

struct cells {
    struct canvas *canvas;
    int row, column;   /* origin on the canvas */
    int rows, columns; /* size; 0 is fine, nothing is drawn then */
};

/* The matrix. Sizes below 1 count as 1. canvas_clear blanks all and forgets the cursor. */
void canvas_init(struct canvas *canvas, int rows, int columns);
void canvas_resize(struct canvas *canvas, int rows, int columns); /* blanked */
void canvas_clear(struct canvas *canvas);
void canvas_release(struct canvas *canvas);
struct cells canvas_cells(struct canvas *canvas);
/* Character of a cell as UTF-8 with its combining marks; "" for a right half. `out` has 24 bytes. */
const char *cell_text(const struct cell *cell, char out[24]);
/* The same as characters for a terminal library: at most 4, returns how many. */
int cell_chars(const struct cell *cell, uint32_t out[4]);

/* A window of a window, cut to it. */
struct cells cells_sub(const struct cells *cells, int row, int column, int rows, int columns);

/* Is the screen cell (mouse) inside the window? Gives it relative to the window; NULLs allowed. */
bool cells_hit(const struct cells *cells, int screen_row, int screen_column, int *row, int *column);

/* Painters. Text is clean UTF-8 (anything else is made harmless again here).
 * cells_text: draws up to the window's right edge, returns the cells used.
 * cells_put: exactly `width` cells: clipped with an ellipsis, padded with blanks; align -1 left,
 * 0 centre, 1 right (a number that does not fit shows "#"s, never a wrong number: cells_number). */
int cells_text(struct cells *cells, int row, int column, style_t style, const char *text);
int cells_printf(struct cells *cells, int row, int column, style_t style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void cells_put(struct cells *cells, int row, int column, int width, int align, style_t style, const char *text);
/* Right-aligned; a text wider than `width` becomes '#'s. */
void cells_number(struct cells *cells, int row, int column, int width, style_t style, const char *text);
/* One character (0 = blank); returns its width, 0 where nothing fits. */
int cells_char(struct cells *cells, int row, int column, style_t style, uint32_t ch);
/* Blanks a rectangle in a style. Negative sizes are nothing. */
void cells_fill(struct cells *cells, int row, int column, int rows, int columns, style_t style);
/* Changes the style of what is drawn already (selection bars). Wide characters stay whole. */
void cells_restyle(struct cells *cells, int row, int column, int rows, int columns, style_t style);
/* Adds flags (STYLE_REVERSE …) and keeps the style. */
void cells_flag(struct cells *cells, int row, int column, int rows, int columns, style_t flags);
/* Wraps at blanks and between wide characters, at most window rows from `row`; returns the rows
 * used (drawn or not, so that a caller can measure with an empty window: cells_wrap_rows). */
int cells_wrap(struct cells *cells, int row, int column, int width, style_t style, const char *text);
int cells_wrap_rows(const char *text, int width);

/* Lines and boxes, ASCII where the canvas says so. cells_box draws the window's border, with a
 * title in the top line (NULL = none) and returns the inside. */
void cells_hline(struct cells *cells, int row, int column, int width, style_t style);
void cells_vline(struct cells *cells, int row, int column, int height, style_t style);
struct cells cells_box(struct cells *cells, style_t style, const char *title);

/* Places the hardware cursor (screen readers and input methods follow it): on the focused item,
 * always. The last call in a frame wins. Outside the window: moved to its nearest cell. */
void cells_cursor(struct cells *cells, int row, int column);

/* Symbols with a plain spelling of the same width. */
enum symbol {
    SYMBOL_POINTER,  /* ▸ > */
    SYMBOL_ELLIPSIS, /* … ~ */
    SYMBOL_DOT,      /* · . */
    SYMBOL_PREV,     /* ‹ < */
    SYMBOL_NEXT,     /* › > */
    SYMBOL_MARK,     /* • * */
    SYMBOL_MINUS,    /* − - */
    SYMBOL_DASH,     /* – - */
    SYMBOL_TIMES,    /* × x */
    SYMBOL_UP,       /* ▴ ^ */
    SYMBOL_DOWN,     /* ▾ v */
    SYMBOL_RIGHT,    /* → > */
    SYMBOL_FULL,     /* █ # */
    SYMBOL_LIGHT,    /* ░ - */
    SYMBOL_COUNT
};
const char *cells_symbol(const struct cells *cells, enum symbol symbol);
bool cells_ascii(const struct cells *cells);

/* The picture as text: rows with "\n", trailing blanks removed (goldens); and the styles, one
 * letter a cell (flags are not shown, except that reverse is upper-cased to '*'). */
void canvas_dump(const struct canvas *canvas, struct buf *out);
void canvas_dump_styles(const struct canvas *canvas, struct buf *out);
/* One row as text, trailing blanks removed; appended to `out`. */
void canvas_row(const struct canvas *canvas, int row, struct buf *out);

#endif
