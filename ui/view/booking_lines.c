/* The lines of a booking: what, when, how many, how much. */
#include <stdio.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/booking_internal.h"

void booking_add(struct booking_state *state, const struct slot *slot, int64_t quantity)
{
    for (size_t i = 0; i < state->count; i++)
        if (state->lines[i].slot.id == slot->id) {
            state->lines[i].quantity += quantity;
            return;
        }
    if (state->count == CART_MOST)
        return;
    struct cart_line *line = &state->lines[state->count++];
    *line = (struct cart_line){.slot = *slot, .quantity = quantity};
    line->slot.venue = arena_str(&state->arena, slot->venue);
    line->slot.sport = arena_str(&state->arena, slot->sport);
    line->slot.form = arena_str(&state->arena, slot->form);
    line->slot.close_reason = "";
}

void booking_remove(struct booking_state *state, size_t line)
{
    if (line >= state->count)
        return;
    memmove(&state->lines[line], &state->lines[line + 1], (state->count - line - 1) * sizeof state->lines[0]);
    state->count--;
    if (state->line >= state->count && state->line > 0)
        state->line--;
}

int64_t booking_total(const struct booking_state *state)
{
    int64_t total = 0, line;
    for (size_t i = 0; i < state->count; i++)
        if (!fen_times(state->lines[i].slot.price_fen, state->lines[i].quantity, &line) ||
            !fen_add(total, line, &total))
            return -1;
    return total;
}

static wall_t first_start(const struct booking_state *state)
{
    wall_t first = WALL_NONE;
    for (size_t i = 0; i < state->count; i++) {
        wall_t start = wall_at(state->lines[i].slot.day, state->lines[i].slot.start_minute);
        if (first == WALL_NONE || start < first)
            first = start;
    }
    return first;
}

static const char *until(wall_t at, wall_t now, char text[16])
{
    char day[DAY_TEXT];
    minute_text(wall_minute(at), text);
    if (wall_day(at) != wall_day(now))
        snprintf(text, 16, "%s", day_sql(wall_day(at), day) + 5);
    return text;
}

void booking_hold_choices(struct booking_state *state, wall_t now)
{
    struct choice choices[3];
    char labels[3][96], at[16];
    wall_t start = first_start(state);
    if (now == WALL_NONE || start == WALL_NONE)
        return;
    wall_t least = now + state->holds.least * 60, before = start - state->holds.before_start * 60;
    snprintf(labels[0], sizeof labels[0], _("%lld min before: %s"), (long long)state->holds.before_start,
             until(before > least ? before : least, now, at));
    snprintf(labels[1], sizeof labels[1], _("%lld min: %s"), (long long)state->holds.minutes,
             until(now + state->holds.minutes * 60, now, at));
    snprintf(labels[2], sizeof labels[2], _("start: %s"), until(start > least ? start : least, now, at));
    choices[0] = (struct choice){"before", labels[0]};
    choices[1] = (struct choice){"minutes", labels[1]};
    choices[2] = (struct choice){"start", labels[2]};
    form_choices(state->form, BOOKING_HOLD, choices, 3);
}

static bool in_cart(const struct booking_state *state, int64_t slot_id)
{
    for (size_t i = 0; i < state->count; i++)
        if (state->lines[i].slot.id == slot_id)
            return true;
    return false;
}

void booking_refused(struct booking_state *state, const struct booking_work *work, const struct fd_error *err)
{
    cut_copy(state->refusal, sizeof state->refusal, err->message);
    cut_copy(state->hint, sizeof state->hint, err->hint);
    state->has_alternative = false;
    for (size_t i = 0; i < state->count; i++) {
        struct cart_line *line = &state->lines[i];
        line->is_lost = work->bad_line == i;
        if (!work->fresh || i >= work->booking.line_count || !work->fresh[i])
            continue;
        line->slot.remain_count = work->fresh[i]->remain_count;
        line->slot.price_fen = work->fresh[i]->price_fen; /* told with both amounts: the next try is at this one */
        line->slot.open = work->fresh[i]->open;
        line->slot.over = work->fresh[i]->over;
    }
    if (work->alternative && work->bad_line < state->count && !in_cart(state, work->alternative->id)) {
        state->has_alternative = true;
        state->alternative = *work->alternative;
        state->alternative.venue = arena_str(&state->arena, work->alternative->venue);
        state->alternative.sport = arena_str(&state->arena, work->alternative->sport);
        state->alternative.form = arena_str(&state->arena, work->alternative->form);
        state->alternative.close_reason = "";
        state->alternative_line = work->bad_line;
    }
}

void booking_swap(struct booking_state *state)
{
    if (!state->has_alternative || state->alternative_line >= state->count)
        return;
    struct cart_line *line = &state->lines[state->alternative_line];
    line->slot = state->alternative;
    line->is_lost = false;
    state->has_alternative = false;
    state->refusal[0] = state->hint[0] = '\0';
}

/* --- keys ------------------------------------------------------------------------------------- */

static void type_digit(struct booking_state *state, int digit)
{
    struct cart_line *line = &state->lines[state->line];
    int64_t number = state->typed_quantity ? line->quantity * 10 + digit : digit;
    if (number > 0 && number <= 999)
        line->quantity = number;
    state->typed_quantity = true;
}

static void change_quantity(struct booking_state *state, int by)
{
    struct cart_line *line = &state->lines[state->line];
    state->typed_quantity = false;
    if (line->quantity + by >= 1 && line->quantity + by <= 999)
        line->quantity += by;
}

static bool step_line(struct booking_state *state, int by, bool *leave)
{
    state->typed_quantity = false;
    if (by < 0 && state->line > 0)
        state->line--;
    else if (by > 0 && state->line + 1 < state->count)
        state->line++;
    else if (by > 0)
        *leave = true;
    return true;
}

bool booking_lines_input(struct booking_state *state, const struct input *input, bool *leave)
{
    *leave = !state->count;
    if (input->kind != INPUT_KEY || !state->count)
        return false;
    switch (input->key) {
    case K_UP:
        return step_line(state, -1, leave);
    case K_DOWN:
        return step_line(state, 1, leave);
    case K_TAB:
    case K_ENTER:
        *leave = true;
        return true;
    case K_BACKTAB:
        return true;
    case '+':
    case K_RIGHT:
        change_quantity(state, 1);
        return true;
    case '-':
    case K_LEFT:
        change_quantity(state, -1);
        return true;
    case K_DELETE:
    case 'x':
        booking_remove(state, state->line);
        *leave = !state->count;
        return true;
    case K_BACKSPACE:
        state->lines[state->line].quantity = 1;
        state->typed_quantity = false;
        return true;
    default:
        break;
    }
    if (input->key < '0' || input->key > '9')
        return false;
    type_digit(state, (int)(input->key - '0'));
    return true;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Columns, from the right: sum 10, price 9, quantity 6; the rest is name and time. */
enum { SUM_CELLS = 11, PRICE_CELLS = 10, QUANTITY_CELLS = 6, WHEN_CELLS = 24 };

static void draw_line(const struct booking_state *state, struct cells *cells, int row, size_t at, bool here)
{
    const struct cart_line *line = &state->lines[at];
    struct arena arena = {0};
    char money[FEN_TEXT], number[24];
    int64_t sum = 0;
    style_t style = line->is_lost ? STYLE_ERROR : STYLE_TEXT;
    int right = cells->columns - 1, name = right - SUM_CELLS - PRICE_CELLS - QUANTITY_CELLS - WHEN_CELLS - 1;
    if (!fen_times(line->slot.price_fen, line->quantity, &sum))
        sum = -1;
    const char *when = show_slot_time(&arena, cells, line->slot.day, line->slot.start_minute, line->slot.end_minute);
    snprintf(number, sizeof number, "%lld", (long long)line->quantity);
    cells_text(cells, row, 0, STYLE_ERROR, line->is_lost ? "!" : " ");
    if (name > 4) {
        cells_put(cells, row, 1, name - 1, -1, style, line->slot.venue);
        cells_put(cells, row, 1 + name, WHEN_CELLS - 1, -1, style, when);
    } else {
        cells_put(cells, row, 1, right - SUM_CELLS - 2, -1, style, line->slot.venue);
    }
    if (right > 40) {
        int column = right - SUM_CELLS - PRICE_CELLS - QUANTITY_CELLS;
        cells_number(cells, row, column, QUANTITY_CELLS, here ? STYLE_FIELD_HERE : style, number);
        if (here)
            cells_cursor(cells, row, column + QUANTITY_CELLS - 1);
        cells_number(cells, row, right - SUM_CELLS - PRICE_CELLS, PRICE_CELLS, style,
                     fen_text(line->slot.price_fen, money));
    }
    cells_number(cells, row, right - SUM_CELLS, SUM_CELLS, style, sum < 0 ? "#" : fen_text(sum, money));
    arena_release(&arena);
}

static void draw_head(struct cells *cells)
{
    int right = cells->columns - 1, name = right - SUM_CELLS - PRICE_CELLS - QUANTITY_CELLS - WHEN_CELLS - 1;
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_HEADER);
    cells_text(cells, 0, 1, STYLE_HEADER, _("Court or item"));
    if (name > 14)
        cells_text(cells, 0, 1 + name, STYLE_HEADER, _("When"));
    if (right > 40) {
        cells_put(cells, 0, right - SUM_CELLS - PRICE_CELLS - QUANTITY_CELLS, QUANTITY_CELLS, 1, STYLE_HEADER,
                  C_("column", "Qty"));
        cells_put(cells, 0, right - SUM_CELLS - PRICE_CELLS, PRICE_CELLS, 1, STYLE_HEADER, C_("column", "Price"));
    }
    cells_put(cells, 0, right - SUM_CELLS, SUM_CELLS, 1, STYLE_HEADER, C_("column", "Sum"));
}

int booking_lines_draw(struct booking_state *state, struct cells *cells, int rows, bool here)
{
    int shown = rows - 2 < 1 ? 1 : rows - 2;
    if (shown > (int)state->count)
        shown = (int)state->count;
    if (state->line < state->top)
        state->top = state->line;
    if (state->line >= state->top + (size_t)shown)
        state->top = state->line + 1 - (size_t)shown;
    draw_head(cells);
    for (int i = 0; i < shown; i++)
        draw_line(state, cells, 1 + i, state->top + (size_t)i,
                  here && state->in_lines && state->line == state->top + (size_t)i);
    int row = 1 + shown;
    char money[40];
    int64_t total = booking_total(state);
    if (state->count > (size_t)shown)
        cells_printf(cells, row, 1, STYLE_DIM, _("%d lines in all"), (int)state->count);
    else
        cells_text(cells, row, 1, STYLE_DIM,
                   state->count ? _("+ F4 adds an item, Up goes to the quantities") : _("+ F4 adds an item"));
    char text[64];
    snprintf(text, sizeof text, "%s  %s", _("Total"), total < 0 ? "#" : show_yuan(total, money));
    cells_text(cells, row, cells->columns - 1 - text_width(text), STYLE_AMOUNT, text);
    return row + 1;
}
