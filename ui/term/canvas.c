/* The matrix itself: memory, characters with combining marks, dumps. */
#include <string.h>
#include "base/error.h"
#include "base/text.h"
#include "ui/term/canvas_internal.h"

/* A cell has room for one character. The few that carry combining marks are kept here once, for
 * the life of the program, and the cell holds the index: rows compare with memcmp and a canvas
 * costs eight bytes a cell. When the table is full, marks are left out. UI thread only. */
#define INTERNED_FIRST 0x110000u
#define INTERNED_MAX   1024u
static uint32_t interned[INTERNED_MAX][4]; /* base, marks; 0-terminated */
static unsigned interned_count;

uint32_t canvas_with_mark(uint32_t ch, uint32_t mark) {
    uint32_t wanted[4] = {ch, mark, 0, 0};
    if (ch >= INTERNED_FIRST) {
        memcpy(wanted, interned[ch - INTERNED_FIRST], sizeof wanted);
        int at = wanted[2] == 0 ? 2 : 3;
        if (wanted[at] != 0)
            return ch;
        wanted[at] = mark;
    }
    for (unsigned i = 0; i < interned_count; i++)
        if (memcmp(interned[i], wanted, sizeof wanted) == 0)
            return INTERNED_FIRST + i;
    if (interned_count == INTERNED_MAX)
        return ch;
    memcpy(interned[interned_count], wanted, sizeof wanted);
    return INTERNED_FIRST + interned_count++;
}

int cell_chars(const struct cell *cell, uint32_t out[4]) {
    int count = 0;
    if (cell->width == 0)
        return 0;
    if (cell->ch < INTERNED_FIRST) {
        out[0] = cell->ch;
        return 1;
    }
    const uint32_t *chars = interned[cell->ch - INTERNED_FIRST];
    while (count < 4 && chars[count] != 0) {
        out[count] = chars[count];
        count++;
    }
    return count;
}

const char *cell_text(const struct cell *cell, char out[24]) {
    uint32_t chars[4];
    int count = cell_chars(cell, chars), at = 0;
    for (int i = 0; i < count; i++)
        at += text_encode(chars[i], out + at);
    out[at] = '\0';
    return out;
}

void canvas_init(struct canvas *canvas, int rows, int columns) {
    memset(canvas, 0, sizeof *canvas);
    canvas_resize(canvas, rows, columns);
}

void canvas_resize(struct canvas *canvas, int rows, int columns) {
    canvas->rows = rows < 1 ? 1 : rows;
    canvas->columns = columns < 1 ? 1 : columns;
    canvas->cell = xrealloc(canvas->cell, (size_t)canvas->rows * (size_t)canvas->columns, sizeof *canvas->cell);
    canvas_clear(canvas);
}

/* A key press clears and paints a whole picture: this is most of its cost, so it copies blocks. */
void canvas_blank(struct cell *cell, size_t count, style_t style) {
    size_t have = count < 8 ? count : 8;
    for (size_t i = 0; i < have; i++)
        cell[i] = (struct cell){.ch = ' ', .style = style, .width = 1};
    while (have < count) {
        size_t more = have < count - have ? have : count - have;
        memcpy(cell + have, cell, more * sizeof *cell);
        have += more;
    }
}

void canvas_clear(struct canvas *canvas) {
    canvas_blank(canvas->cell, (size_t)canvas->rows * (size_t)canvas->columns, STYLE_TEXT);
    canvas->touched_from = 0;
    canvas->touched_to = canvas->rows - 1;
    canvas->cursor_row = canvas->cursor_column = -1;
}

void canvas_release(struct canvas *canvas) {
    free(canvas->cell);
    memset(canvas, 0, sizeof *canvas);
}

struct cells canvas_cells(struct canvas *canvas) {
    return (struct cells){canvas, 0, 0, canvas->rows, canvas->columns};
}

void canvas_row(const struct canvas *canvas, int row, struct buf *out) {
    const struct cell *cell = canvas->cell + (size_t)row * (size_t)canvas->columns;
    int last = canvas->columns;
    char text[24];
    while (last > 0 && cell[last - 1].ch == ' ' && cell[last - 1].width == 1)
        last--;
    for (int i = 0; i < last; i++)
        buf_add(out, cell_text(&cell[i], text));
}

void canvas_dump(const struct canvas *canvas, struct buf *out) {
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row(canvas, row, out);
        buf_add(out, "\n");
    }
}

void canvas_dump_styles(const struct canvas *canvas, struct buf *out) {
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cell = canvas->cell + (size_t)row * (size_t)canvas->columns;
        for (int i = 0; i < canvas->columns; i++) {
            char letter = cell[i].style & STYLE_REVERSE ? '*' : style_letter(cell[i].style);
            buf_add_bytes(out, &letter, 1);
        }
        buf_add(out, "\n");
    }
}
