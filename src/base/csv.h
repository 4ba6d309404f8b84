/* One line of CSV at a time, as RFC 4180 has it. */
#ifndef FD_BASE_CSV_H
#define FD_BASE_CSV_H

#include <stdbool.h>
#include "base/mem.h"

/* Adds a cell to the line that `out` ends with; the first one of a line has no comma before it. In quotes where it needs them. Text that a
 * spreadsheet would take for a formula (behind blanks: = + - @ also full-width; TAB, CR, LF) gets an apostrophe before it: not where `plain`, for what
 * the program itself made, like -12.00. */
void csv_cell(struct buf *out, const char *text, bool plain);
/* Ends the line. */
void csv_end(struct buf *out);

#endif
