/* The frame: title line, tabs, message line, key bar. Drawing and hit tests only. */
#ifndef FD_WIDGET_BAR_H
#define FD_WIDGET_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include "ui/term/cells.h"
#include "ui/widget/keymap.h"

/* Title line: `left` is cut first, `right` keeps its place. Row 0 of the window. */
void bar_title(struct cells *cells, const char *left, const char *right);

/* Tabs "1Grid 2Arrive …": labels translated; here = index shown, -1 none. */
void bar_tabs(struct cells *cells, const char *const *labels, size_t count, int here);
/* Index of the tab at that cell of the same drawing, or -1. */
int bar_tab_at(const struct cells *cells, const char *const *labels, size_t count, int column);

/* One entry of the key bar: F1 .. F10. */
struct bar_key {
    const char *label; /* translated, at most KEYBAR_CELLS cells; NULL: empty place */
    enum request request;
    bool off;          /* known here, not possible now: dimmed */
};
/* Fills ten entries from the view's table over the global one. `can` says what is possible now (NULL: all; what is not is
 * dim where the view has the key, and empty where only the global table has it); `context` is passed to it. */
void bar_keys_collect(struct bar_key keys[10], const struct keymap *view, const struct keymap *global,
                      bool (*can)(void *context, enum request request), void *context);
void bar_keys(struct cells *cells, const struct bar_key keys[10]);
/* 1..10 for the F-key at that cell, 0 for none. */
int bar_key_at(const struct cells *cells, const struct bar_key keys[10], int column);

enum message_kind { MESSAGE_INFO, MESSAGE_GOOD, MESSAGE_WARN, MESSAGE_ERROR };
void bar_message(struct cells *cells, enum message_kind kind, const char *text, const char *hint);

/* Running work: nothing before 150 ms, then a spinner, after 1 s a bar with count and rate where
 * `total` > 0 (`total` 0: the spinner and the seconds). Draws right-aligned in the window's first
 * row and returns the cells taken. `age_ms` is the work's age. */
int bar_work(struct cells *cells, const char *what, int64_t age_ms, int64_t done, int64_t total);
/* The database is away: full-width line with the attempt number and seconds since. */
void bar_banner(struct cells *cells, const char *sentence, int attempt, int64_t away_ms);

#endif
