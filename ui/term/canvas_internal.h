/* Between canvas.c and paint.c. */
#ifndef FD_TERM_CANVAS_INTERNAL_H
#define FD_TERM_CANVAS_INTERNAL_H

#include <stdlib.h>
#include "ui/term/cells.h"

/* The cell character that is `ch` (perhaps with marks already) plus one combining mark. */
uint32_t canvas_with_mark(uint32_t ch, uint32_t mark);
/* Notes that a row was painted on. */
static inline void canvas_touch(struct canvas *canvas, int row) {
    canvas->touched_from = row < canvas->touched_from ? row : canvas->touched_from;
    canvas->touched_to = row > canvas->touched_to ? row : canvas->touched_to;
}
/* `count` blanks in a style, whatever was there. */
void canvas_blank(struct cell *cell, size_t count, style_t style);

#endif
