#include "ui/unit.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

void unit_start(void) {
    setenv("LC_ALL", "C.UTF-8", 1);
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
}

const char *row_text(const struct canvas *canvas, int row) {
    static struct buf text;
    buf_clear(&text);
    canvas_row(canvas, row, &text);
    return buf_text(&text);
}

const char *canvas_text(const struct canvas *canvas) {
    static struct buf text;
    buf_clear(&text);
    canvas_dump(canvas, &text);
    return buf_text(&text);
}

bool canvas_has(const struct canvas *canvas, const char *text) {
    for (int row = 0; row < canvas->rows; row++)
        if (strstr(row_text(canvas, row), text))
            return true;
    return false;
}

void assert_whole(const struct canvas *canvas) {
    for (int row = 0; row < canvas->rows; row++)
        for (int column = 0; column < canvas->columns; column++) {
            const struct cell *cell = canvas->cell + row * canvas->columns + column;
            if (cell->width == 2 && (column + 1 == canvas->columns || cell[1].width != 0))
                fail_msg("half a character at row %d column %d", row, column);
            if (cell->width == 0 && (column == 0 || cell[-1].width != 2))
                fail_msg("a half without its character at row %d column %d", row, column);
        }
}
