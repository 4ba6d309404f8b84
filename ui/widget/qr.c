#include "ui/widget/qr.h"

#include <string.h>

#include "base/i18n.h"

enum { MARGIN = 4, MARGIN_LEAST = 2, UPPER_HALF = 0x2580, LOWER_HALF = 0x2584 };

enum qr_setting qr_setting_named(const char *name)
{
    static const char *const names[] = {
        [QR_AUTO] = "auto", [QR_HALF] = "half", [QR_FULL] = "full", [QR_PRINT] = "print"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name && strcmp(names[i], name) == 0)
            return (enum qr_setting)i;
    return QR_AUTO;
}

static int rows_of(const struct qr *qr, enum qr_way way, int margin)
{
    int modules = qr->size + 2 * margin;
    return way == QR_WAY_HALF ? (modules + 1) / 2 : modules;
}

static int columns_of(const struct qr *qr, enum qr_way way, int margin)
{
    int modules = qr->size + 2 * margin;
    return way == QR_WAY_HALF ? modules : 2 * modules;
}

struct qr_plan qr_plan(const struct cells *cells, const struct qr *qr, enum qr_setting setting)
{
    bool unsafe = cells->canvas->wide_ambiguous || (cells->canvas->ascii && setting != QR_HALF);
    enum qr_way way = unsafe || setting == QR_FULL ? QR_WAY_FULL : QR_WAY_HALF;
    struct qr_plan plan = {.way = way, .margin_rows = MARGIN, .margin_columns = MARGIN};
    /* The two sides apart: light columns cost nothing where only rows are short. */
    while (plan.margin_rows > MARGIN_LEAST && rows_of(qr, way, plan.margin_rows) > cells->rows)
        plan.margin_rows--;
    while (plan.margin_columns > MARGIN_LEAST && columns_of(qr, way, plan.margin_columns) > cells->columns)
        plan.margin_columns--;
    plan.rows = rows_of(qr, way, plan.margin_rows);
    plan.columns = columns_of(qr, way, plan.margin_columns);
    plan.forbidden = setting == QR_PRINT;
    if (plan.forbidden || plan.rows > cells->rows || plan.columns > cells->columns) {
        plan.way = QR_WAY_NONE;
        plan.rows = rows_of(qr, way, MARGIN_LEAST);
        plan.columns = columns_of(qr, way, MARGIN_LEAST);
    }
    return plan;
}

/* Dark cells are blanks in reverse, not full blocks: no font leaves gaps between those. */
static void draw_half(struct cells *cells, const struct qr *qr, const struct qr_plan *plan, bool flip)
{
    for (int row = 0; row < plan->rows; row++)
        for (int column = 0; column < plan->columns; column++) {
            int y = 2 * row - plan->margin_rows, x = column - plan->margin_columns;
            bool upper = qr_dark(qr, y, x) != flip, lower = qr_dark(qr, y + 1, x) != flip;
            style_t style = upper && lower ? STYLE_QR | STYLE_REVERSE : STYLE_QR;
            cells_char(cells, row, column, style, upper == lower ? 0 : upper ? UPPER_HALF : LOWER_HALF);
        }
}

static void draw_full(struct cells *cells, const struct qr *qr, const struct qr_plan *plan, bool flip)
{
    for (int row = 0; row < plan->rows; row++)
        for (int column = 0; column < plan->columns; column += 2) {
            bool dark = qr_dark(qr, row - plan->margin_rows, column / 2 - plan->margin_columns) != flip;
            cells_fill(cells, row, column, 1, 2, dark ? STYLE_QR | STYLE_REVERSE : STYLE_QR);
        }
}

void qr_draw(struct cells *cells, const struct qr *qr, const struct qr_plan *plan, bool flip)
{
    if (plan->way == QR_WAY_NONE)
        return;
    struct cells middle = cells_sub(cells, (cells->rows - plan->rows) / 2, (cells->columns - plan->columns) / 2,
                                    plan->rows, plan->columns);
    if (plan->way == QR_WAY_HALF)
        draw_half(&middle, qr, plan, flip);
    else
        draw_full(&middle, qr, plan, flip);
}

const char *qr_plan_why(const struct qr_plan *plan, const struct cells *cells, struct arena *arena)
{
    if (plan->forbidden)
        return arena_str(arena, _("Codes are not shown at this terminal ([ui] qr): print it, or write it to a file."));
    return arena_printf(
        arena, _("The code needs %d columns and %d rows, here are %d and %d: enlarge the window, or print it."),
        plan->columns, plan->rows, cells->columns, cells->rows);
}
