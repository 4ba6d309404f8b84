/* What the tests of ui share. */
#ifndef FD_TESTS_UI_UNIT_H
#define FD_TESTS_UI_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include "base/error.h"
#include "ui/term/cells.h"
#include "ui/term/key.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The locale of the console: UTF-8, messages in English. Call first in main. */
void unit_start(void);
/* One row of the canvas, "" where blank; borrowed until the next call. */
const char *row_text(const struct canvas *canvas, int row);
/* The whole picture as text; borrowed until the next call. */
const char *canvas_text(const struct canvas *canvas);
/* Every wide character is followed by its half, every half follows one: aborts the test else. */
void assert_whole(const struct canvas *canvas);
/* True where `text` stands in one row of the picture. */
bool canvas_has(const struct canvas *canvas, const char *text);

#endif
