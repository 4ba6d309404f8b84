/* The help screen, built from the live key tables: this screen's keys, then the global ones, then
 * lines of text. `/` searches. */
#ifndef FD_WIDGET_HELP_H
#define FD_WIDGET_HELP_H

#include <stdbool.h>
#include "base/mem.h"
#include "ui/term/cells.h"
#include "ui/widget/keymap.h"

struct help {
    struct buf text;  /* the lines, tab-separated keys and help */
    struct buf laid;  /* the same, broken to `columns` */
    int columns;
    int top, shown;   /* first row shown; rows shown in the last drawing */
    int rows, hit;    /* rows in all; row of the last search hit, -1 */
    char search[64];
};

void help_init(struct help *help);
void help_release(struct help *help);
/* Made anew from the tables (language may have changed). `view` may be NULL; `extra` are translated
 * lines with "\n" (the `:` verbs), NULL none. */
void help_fill(struct help *help, const struct keymap *view, const struct keymap *global, const char *extra);
/* Motion; true where it was one. */
bool help_request(struct help *help, enum request request);
/* To the next row that contains `text` (direction 1, -1), the first from the top where `fresh`. */
bool help_search(struct help *help, const char *text, int direction, bool fresh);
void help_draw(struct help *help, struct cells *cells);

#endif
