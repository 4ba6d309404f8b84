/* How states, times and money look in every view: one place, so that they look the same. */
#include <stdio.h>
#include <string.h>
#include "ui/view/views.h"
#include "base/money.h"

static const struct {
    const char *state;
    style_t style;
} state_styles[] = {
    {"PENDING_PAY", STYLE_HELD}, {"PAID", STYLE_PAID},      {"COMPLETED", STYLE_PRESENT}, {"CANCELLED", STYLE_OVER},
    {"NO_SHOW", STYLE_MISSED},   {"REFUNDING", STYLE_WARN}, {"REFUNDED", STYLE_OVER},
};

style_t show_state_style(const char *state)
{
    for (size_t i = 0; i < sizeof state_styles / sizeof state_styles[0]; i++)
        if (strcmp(state_styles[i].state, state) == 0)
            return state_styles[i].style;
    return STYLE_TEXT;
}

const char *show_hold(wall_t until, wall_t now, char out[16])
{
    out[0] = '\0';
    if (until == WALL_NONE || now == WALL_NONE)
        return out;
    int64_t left = until - now;
    if (left <= 0)
        cut_copy(out, 16, C_("hold", "ended"));
    else if (left <= 3600)
        /* TRANSLATORS: a hold ends in so many minutes; at most 5 cells. */
        snprintf(out, 16, _("%dm"), (int)((left + 59) / 60));
    else if (wall_day(until) == wall_day(now))
        minute_text(wall_minute(until), out);
    else {
        char day[DAY_TEXT];
        cut_copy(out, 16, day_sql(wall_day(until), day) + 5);
    }
    return out;
}

const char *show_day(day_t day, char out[32])
{
    char text[DAY_TEXT];
    out[0] = '\0';
    if (day == DAY_NONE)
        return out;
    /* TRANSLATORS: a day: weekday, month-day. Chinese turns them round: "%2$s %1$s". */
    snprintf(out, 32, _("%1$s %2$s"), day_weekday_name(day), day_sql(day, text) + 5);
    return out;
}

const char *show_slot_time(struct arena *arena, const struct cells *cells, day_t day, int start_minute, int end_minute)
{
    char text[32], from[HHMM_TEXT], to[HHMM_TEXT];
    const char *dash = cells ? cells_symbol(cells, SYMBOL_DASH) : "-";
    minute_text(start_minute, from);
    minute_text(end_minute, to);
    if (day == DAY_NONE)
        return arena_printf(arena, "%s%s%s", from, dash, to);
    return arena_printf(arena, "%s %s%s%s", show_day(day, text), from, dash, to);
}

const char *show_tail(const char *number)
{
    size_t bytes = strlen(number);
    return bytes > 4 ? number + bytes - 4 : number;
}

const char *show_yuan(int64_t fen, char out[40])
{
    char text[FEN_TEXT];
    fen_text(fen, text);
    /* U+00A5 is one cell in every locale; the full-width sign would be two. */
    if (text[0] == '-')
        snprintf(out, 40, "-\u00a5%s", text + 1);
    else
        snprintf(out, 40, "\u00a5%s", text);
    return out;
}

const char *show_sport(const char *sport)
{
    return venue_sport_label(sport);
}

/* Seven segments: top, upper left, middle, upper right, lower left, bottom, lower right. */
static const char segments[10][8] = {
    "1101111", "0001001", "1011110", "1011011", "0111001", "1110011", "1110111", "1001001", "1111111", "1111011",
};

static int digit(struct cells *cells, int row, int column, style_t style, const char *on)
{
    char rows[3][4] = {"   ", "   ", "   "};
    if (on[0] == '1')
        rows[0][1] = '_';
    if (on[1] == '1')
        rows[1][0] = '|';
    if (on[2] == '1')
        rows[1][1] = '_';
    if (on[3] == '1')
        rows[1][2] = '|';
    if (on[4] == '1')
        rows[2][0] = '|';
    if (on[5] == '1')
        rows[2][1] = '_';
    if (on[6] == '1')
        rows[2][2] = '|';
    for (int i = 0; i < 3; i++)
        cells_text(cells, row + i, column, style, rows[i]);
    return 4;
}

int show_big(struct cells *cells, int row, int column, style_t style, const char *number)
{
    int width = 0;
    for (const char *at = number; *at; at++)
        width += *at >= '0' && *at <= '9' ? 4 : 2;
    if (column + width > cells->columns || row + 3 > cells->rows)
        return cells_text(cells, row, column, style, number);
    int start = column;
    for (const char *at = number; *at; at++) {
        if (*at >= '0' && *at <= '9') {
            column += digit(cells, row, column, style, segments[*at - '0']);
        } else {
            char text[2] = {*at, '\0'};
            cells_text(cells, row + (*at == '-' ? 1 : 2), column, style, text);
            column += 2;
        }
    }
    return column - start;
}
