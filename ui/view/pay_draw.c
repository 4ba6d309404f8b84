/* Paints the payment: what is paid, how, and the amount in the largest place. */
#include <stdio.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/pay_internal.h"

enum { LEFT = 3, SUM_END = 58 };

static int sum_end(const struct cells *cells)
{
    return cells->columns - 2 < SUM_END ? cells->columns - 2 : SUM_END;
}

static void draw_sum(struct cells *cells, int row, style_t style, const char *text, int64_t fen)
{
    char money[FEN_TEXT];
    int end = sum_end(cells);
    cells_put(cells, row, LEFT, end - LEFT - 14, -1, style, text);
    cells_number(cells, row, end - 13, 13, style, fen_text(fen, money));
}

/* Lines and what is owed; returns the next row. */
static int draw_lines(const struct pay_state *state, struct cells *cells, int row, int room)
{
    size_t shown = state->line_count;
    if ((int)shown > room)
        shown = room > 1 ? (size_t)room - 1 : 0;
    for (size_t i = 0; i < shown; i++)
        draw_sum(cells, row++, STYLE_TEXT, state->lines[i].text, state->lines[i].fen);
    if (shown < state->line_count)
        cells_printf(cells, row++, LEFT, STYLE_DIM, _("… and %d more"), (int)(state->line_count - shown));
    cells_hline(cells, row++, sum_end(cells) - 13, 13, STYLE_RULE);
    draw_sum(cells, row++, STYLE_STRONG, _("Owed"), state->owed_fen);
    return row;
}

static void draw_tenders(const struct pay_state *state, struct cells *cells, int row)
{
    int column = LEFT;
    for (size_t i = 0; i < TENDER_COUNT; i++) {
        bool here = i == state->way, off = tenders[i].by_code && state->ways_known && !state->has_channel[pay_channel(i)];
        style_t style = off ? STYLE_DIM : STYLE_TEXT;
        if (here)
            style = state->focus == PAY_ON_TENDER ? STYLE_BUTTON_HERE : STYLE_TAB_HERE;
        if (here && state->focus == PAY_ON_TENDER)
            cells_cursor(cells, row, column);
        column += cells_printf(cells, row, column, style, here ? "[%c %s]" : " %c %s ", tenders[i].digit, i18n_label(tenders[i].label));
    }
}

static int draw_field(struct cells *cells, int row, int column, const char *label, struct edit *edit, int width,
                      bool here)
{
    column += cells_text(cells, row, column, STYLE_LABEL, label) + 1;
    column += cells_text(cells, row, column, STYLE_LABEL, "[");
    edit_draw(edit, cells, row, column, width, here ? STYLE_FIELD_HERE : STYLE_FIELD, here);
    return column + width + cells_text(cells, row, column + width, STYLE_LABEL, "]");
}

static void draw_fields(struct pay_state *state, struct cells *cells, int row)
{
    const struct tender_row *tender = &tenders[state->way];
    bool choosing = state->stage == PAY_CHOOSING;
    int column = draw_field(cells, row, LEFT, tender->gives_change ? _("Received") : _("Amount"), &state->amount, 12,
                            choosing && state->focus == PAY_ON_AMOUNT);
    if (tender->needs_reference)
        draw_field(cells, row, column + 3, _("Reference"), &state->reference, 24,
                   choosing && state->focus == PAY_ON_REFERENCE);
}

static void draw_big(const struct pay_state *state, struct cells *cells, int row, int64_t change)
{
    char text[FEN_TEXT];
    style_t style = state->stage == PAY_TAKEN ? STYLE_SUCCESS : STYLE_AMOUNT;
    const char *label = change > 0 ? C_("money", "Change") : _("To take");
    int wide = text_width(_("To take")), other = text_width(C_("money", "Change"));
    int column = LEFT + (wide > other ? wide : other) + 2;
    cells_text(cells, row + 1, LEFT, STYLE_LABEL, label);
    show_big(cells, row, column, style, fen_decimal(change > 0 ? change : state->owed_fen, text));
}

static void draw_buttons(const struct pay_state *state, struct cells *cells, int row)
{
    int column = LEFT;
    if (state->stage == PAY_TAKEN) {
        cells_text(cells, row, column, STYLE_BUTTON_HERE, _("[ Done Enter ]"));
        cells_cursor(cells, row, column + 2);
        return;
    }
    column += cells_text(cells, row, column, STYLE_BUTTON, _("[ Take Enter ]")) + 2;
    if (state->can_check_in)
        column += cells_text(cells, row, column, STYLE_BUTTON, _("[ Take and check in F2 ]")) + 2;
    if (state->collect && state->can_leave)
        column += cells_text(cells, row, column, STYLE_BUTTON, _("[ Leave it due 0 ]")) + 2;
    cells_text(cells, row, column, STYLE_BUTTON, _("[ Back Esc ]"));
}

static void draw_error(const struct pay_state *state, struct cells *cells, int row)
{
    if (!*state->error)
        return;
    cells_text(cells, row, LEFT - 2, STYLE_ERROR, "!");
    row += cells_wrap(cells, row, LEFT, cells->columns - LEFT - 1, STYLE_ERROR, state->error);
    cells_text(cells, row, LEFT, STYLE_STRONG, state->error_hint);
}

static void draw_asking(struct pay_state *state, struct cells *cells)
{
    cells_text(cells, 1, LEFT, STYLE_TEXT, _("Take payment for an order or a bill."));
    draw_field(cells, 3, LEFT, _("Number"), &state->number, 24, true);
    draw_error(state, cells, 5);
}

void pay_draw(struct view *view, struct cells *cells)
{
    struct pay_state *state = view_state(view);
    if (state->stage == PAY_ASKING) {
        draw_asking(state, cells);
        return;
    }
    if (state->stage == PAY_READING && !state->line_count) {
        cells_text(cells, 1, LEFT, STYLE_DIM, _("Reading what is owed…"));
        return;
    }
    int64_t change = state->stage == PAY_TAKEN ? state->paid.change_fen : pay_change(state);
    int wanted = 14 + (*state->error ? 3 : 0);
    int row = draw_lines(state, cells, 1, cells->rows - wanted > 1 ? cells->rows - wanted : 1);
    draw_tenders(state, cells, ++row);
    row += 2;
    draw_fields(state, cells, row);
    row += 2;
    draw_big(state, cells, row, change);
    row += 4;
    if (state->stage == PAY_TAKING)
        cells_text(cells, row, LEFT, STYLE_DIM, _("Taking the payment…"));
    else
        draw_buttons(state, cells, row);
    draw_error(state, cells, row + 1 + (row + 4 < cells->rows ? 1 : 0));
}

void pay_title(struct view *view, struct buf *text)
{
    const struct pay_state *state = view_state(view);
    buf_add(text, C_("title", "Payment"));
    if (state->stage != PAY_ASKING && *state->title)
        buf_printf(text, "  %s", state->title);
}
