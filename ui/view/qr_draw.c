/* Paints the payment code: at the left, black on white in every theme; the facts at its right. */
#include <stdio.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/qr_internal.h"

enum { FACTS_LEAST = 36, INSTEAD = 38, LINES_MOST = 4 };

int64_t qr_left_s(const struct view *view)
{
    const struct qr_state *state = view_state(view);
    wall_t now = app_now(view_app(view));
    if (now == WALL_NONE || !state->code.payment_id || state->code.until == WALL_NONE)
        return 0;
    return state->code.until > now ? state->code.until - now : 0;
}

/* "14:52" */
static const char *minutes_text(int64_t seconds, char out[24])
{
    snprintf(out, 24, "%lld:%02d", (long long)(seconds / 60), (int)(seconds % 60));
    return out;
}

static const char *channel_label(const struct qr_state *state)
{
    return part_channel(channel_name(state->channel));
}

/* --- the code ----------------------------------------------------------------------------------- */

/* The facts beside it need their room too. */
static int draw_code(struct qr_state *state, struct cells *cells)
{
    struct cells left = cells_sub(cells, 0, 0, cells->rows, cells->columns - FACTS_LEAST);
    struct qr_plan plan = qr_plan(&left, &state->qr, state->setting);
    if (plan.way == QR_WAY_NONE && state->setting == QR_FULL)
        plan = qr_plan(&left, &state->qr, QR_HALF); /* kept from a larger window */
    state->large = plan.way == QR_WAY_FULL;
    state->large_fits = qr_plan(&left, &state->qr, QR_FULL).way == QR_WAY_FULL;
    if (plan.way == QR_WAY_NONE) {
        struct arena arena = {0};
        cells_wrap(cells, 2, 3, INSTEAD - 4, STYLE_DIM, qr_plan_why(&plan, &left, &arena));
        arena_release(&arena);
        return INSTEAD;
    }
    struct cells place = cells_sub(cells, 0, 0, plan.rows, plan.columns);
    qr_draw(&place, &state->qr, &plan, state->flip);
    return plan.columns;
}

/* What stands where the code would be. */
static int draw_instead(const struct qr_state *state, struct cells *cells)
{
    const char *text = "";
    if (state->stage == QR_OPENING)
        text = _("Asking the channel for a code…");
    else if (state->stage == QR_SHOWN)
        text = _("The channel has not given a code yet.");
    else
        text = _("No code is shown.");
    cells_wrap(cells, 2, 3, INSTEAD - 4, STYLE_DIM, text);
    return INSTEAD;
}

/* --- the facts ---------------------------------------------------------------------------------- */

static int draw_lines(const struct qr_state *state, struct cells *cells, int row)
{
    int end = cells->columns - 1 < 48 ? cells->columns - 1 : 48;
    size_t shown = state->line_count > LINES_MOST ? LINES_MOST - 1 : state->line_count;
    for (size_t i = 0; i < shown; i++, row++) {
        /* No wider than it is: at 80 columns every cell more would cut what is paid for. */
        char money[FEN_TEXT];
        int wide = (int)strlen(fen_text(state->lines[i].fen, money));
        cells_put(cells, row, 0, end - wide - 1, -1, STYLE_TEXT, state->lines[i].text);
        cells_number(cells, row, end - wide, wide, STYLE_MONEY, money);
    }
    if (shown < state->line_count)
        cells_printf(cells, row++, 0, STYLE_DIM, _("… and %d more"), (int)(state->line_count - shown));
    return row;
}

static int draw_waiting(const struct qr_state *state, struct cells *cells, int row)
{
    static const char dots[] = "....";
    char shown[24];
    int64_t shown_ms = state->shown_ms ? mono_ms() - state->shown_ms : 0;
    if (state->stage == QR_SHOWN) {
        int used = cells_text(cells, row, 0, STYLE_STRONG, _("Waiting for payment"));
        cells_printf(cells, row++, used + 1, STYLE_STRONG, "%.*s", (int)(shown_ms / 1000 % 4) + 1, dots);
        cells_printf(cells, row++, 0, STYLE_DIM, _("shown for %s"), minutes_text(shown_ms / 1000, shown));
    }
    if (*state->trouble) {
        style_t style = state->stage == QR_OVER ? STYLE_ERROR : STYLE_WARN;
        row += cells_wrap(cells, row, 0, cells->columns - 1, style, state->trouble);
        row += *state->hint ? cells_wrap(cells, row, 0, cells->columns - 1, STYLE_TEXT, state->hint) : 0;
    }
    return row;
}

static void draw_key(struct cells *cells, int *row, const char *key, const char *what)
{
    int used = cells_text(cells, *row, 0, STYLE_ACCEL, key);
    cells_text(cells, (*row)++, used < 3 ? 4 : used + 1, STYLE_TEXT, what);
}

/* Before the channel has given one there is nothing to print or enlarge. */
static bool has_code(const struct qr_state *state)
{
    return state->stage == QR_SHOWN && state->qr.size;
}

static void draw_keys(const struct qr_state *state, struct cells *cells, int row)
{
    bool wechat = state->channel == CHANNEL_WECHAT;
    if (state->stage == QR_OVER)
        draw_key(cells, &row, "r", _("another code"));
    draw_key(cells, &row, wechat ? "3" : "2", wechat ? _("Alipay instead") : _("WeChat instead"));
    draw_key(cells, &row, "1", _("cash instead"));
    if (has_code(state)) {
        draw_key(cells, &row, "p", _("print the code"));
        draw_key(cells, &row, "b", state->large ? _("small code") : _("large code"));
    }
    draw_key(cells, &row, "Esc", state->stage == QR_OVER ? _("back") : _("not now (the code is closed)"));
}

static int64_t amount_of(const struct qr_state *state)
{
    int64_t sum = 0;
    if (state->code.payment_id)
        return state->code.amount_fen;
    if (state->amount_fen)
        return state->amount_fen;
    for (size_t i = 0; i < state->line_count; i++)
        sum += state->lines[i].fen;
    return sum;
}

static void draw_facts(const struct view *view, struct cells *cells)
{
    const struct qr_state *state = view_state(view);
    char money[FEN_TEXT];
    int row = 0;
    cells_text(cells, row, 0, STYLE_LABEL, _("To pay"));
    show_big(cells, row + 1, 0, STYLE_AMOUNT, fen_decimal(amount_of(state), money));
    row = draw_lines(state, cells, row + 5);
    cells_printf(cells, row++, 0, STYLE_DIM, _("No. %s"), state->number);
    row = draw_waiting(state, cells, row + (cells->rows > 20 ? 1 : 0));
    int keys = has_code(state) ? 5 : state->stage == QR_OVER ? 4 : 3;
    draw_keys(state, cells, row + keys < cells->rows ? cells->rows - keys : row);
}

/* --- paid ---------------------------------------------------------------------------------------- */

static void draw_green(const struct qr_state *state, struct cells *cells)
{
    char money[FEN_TEXT];
    int row = cells->rows / 2 - 4 < 0 ? 0 : cells->rows / 2 - 4, column = cells->columns / 2 - 14;
    if (column < 1)
        column = 1;
    cells_fill(cells, 0, 0, cells->rows, cells->columns, STYLE_SUCCESS);
    cells_printf(cells, row, column, STYLE_SUCCESS, _("PAID by %s"), channel_label(state));
    show_big(cells, row + 2, column, STYLE_SUCCESS, fen_decimal(state->code.paid.amount_fen, money));
    cells_put(cells, row + 6, column, cells->columns - column - 1, -1, STYLE_SUCCESS, state->title);
    if (state->code.receipt_no[0])
        cells_printf(cells, row + 7, column, STYLE_SUCCESS, _("Receipt %s"), state->code.receipt_no);
    cells_printf(cells, row + 9, column, STYLE_SUCCESS, _("any key goes on; by itself in %d s"), qr_green_left_s(state));
    cells_cursor(cells, row + 9, column);
}

void qr_view_draw(struct view *view, struct cells *cells)
{
    struct qr_state *state = view_state(view);
    if (state->stage == QR_GREEN) {
        draw_green(state, cells);
        return;
    }
    int used = state->stage == QR_SHOWN && state->qr.size ? draw_code(state, cells) : 0;
    if (used == 0)
        used = draw_instead(state, cells);
    struct cells facts = cells_sub(cells, 0, used + 2, cells->rows, cells->columns - used - 2);
    draw_facts(view, &facts);
    cells_cursor(&facts, 0, 0);
}

void qr_view_title(struct view *view, struct buf *text)
{
    const struct qr_state *state = view_state(view);
    char left[24];
    int64_t left_s = qr_left_s(view);
    buf_printf(text, "%s  %s", channel_label(state), state->title);
    if (state->stage != QR_SHOWN || left_s <= 0)
        return;
    if (left_s < 3600)
        buf_printf(text, _("  %s left"), minutes_text(left_s, left));
    else
        buf_printf(text, _("  until %s"), minute_text(wall_minute(state->code.until), left));
}
