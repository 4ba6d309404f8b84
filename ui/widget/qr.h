/* QR codes in cells: black on white in every theme, with a margin without which no phone finds them.
 * Source: facts/payments D1, D2. */
#ifndef FD_WIDGET_QR_H
#define FD_WIDGET_QR_H

#include <stdbool.h>
#include <stddef.h>
#include "outside/qr.h"
#include "ui/term/cells.h"

/* How codes are shown at this terminal: configuration [ui] qr. */
enum qr_setting {
    QR_AUTO,  /* half blocks, full ones where half ones are unsafe */
    QR_HALF,  /* two modules a cell; full ones all the same where the terminal draws half ones too wide */
    QR_FULL,  /* blanks only, two cells a module */
    QR_PRINT  /* never: on paper or as a file */
};
/* "auto", "half", "full", "print"; anything else is QR_AUTO. */
enum qr_setting qr_setting_named(const char *name);

enum qr_way { QR_WAY_NONE, QR_WAY_HALF, QR_WAY_FULL };
struct qr_plan {
    enum qr_way way;
    int rows, columns;           /* cells that it takes, margin included; of NONE: that it would take at least */
    int margin_rows, margin_columns; /* light modules above and beside: 4, at least 2 where there is no room */
    bool forbidden;              /* NONE because of QR_PRINT, not for want of room */
};
/* What fits into the window. Half blocks are not used where the terminal draws them two cells wide, nor (AUTO) where it
 * is to have ASCII only. */
struct qr_plan qr_plan(const struct cells *cells, const struct qr *qr, enum qr_setting setting);
/* Draws it in the middle of a window of that plan; way NONE draws nothing. `flip`: light and dark change places, for a
 * terminal without colours that is dark on light, where reverse is the wrong way round. */
void qr_draw(struct cells *cells, const struct qr *qr, const struct qr_plan *plan, bool flip);
/* Why it is not shown and what to do: a sentence and a hint, translated; only for way NONE. Into the arena. */
const char *qr_plan_why(const struct qr_plan *plan, const struct cells *cells, struct arena *arena);

#endif
