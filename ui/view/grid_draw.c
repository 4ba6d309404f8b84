/* Paints the day grid: header, hours, facts of the slot under the cursor, legend. */
#include <stdio.h>
#include <string.h>
#include "base/money.h"
#include "core/rule.h"
#include "ui/view/grid_internal.h"

enum { GRID_HEAD_ROWS = 1, GRID_FOOT_ROWS = 2 };

static bool is_over(const struct day_grid *day, int minute)
{
    return wall_day(day->now) > day->day || (wall_day(day->now) == day->day && wall_minute(day->now) >= minute);
}

/* The row of the hour that runs, or -1. */
static int now_row(const struct day_grid *day)
{
    int row = -1;
    if (wall_day(day->now) != day->day)
        return -1;
    for (size_t i = 0; i < day->row_count; i++)
        if (day->starts[i] <= wall_minute(day->now))
            row = (int)i;
    return row;
}

/* A slot longer than a row reaches down into cells that have none of their own. */
static const struct grid_cell *reaches_from(const struct grid *grid, size_t row, size_t column)
{
    for (size_t up = row; up-- > 0;) {
        const struct grid_cell *cell = grid_at(grid, up, column);
        if (cell->slot.id)
            return cell->slot.end_minute > grid->day->starts[row] ? cell : NULL;
    }
    return NULL;
}

/* Courts: who has it. "留 9分", "付王小明"; wide columns tell both. */
static void court_text(const struct grid_cell *cell, const struct day_grid *day, int width, char *out, size_t bytes)
{
    char hold[16];
    const char *mark = state_mark("venue_order", cell->state);
    if (strcmp(cell->state, "PENDING_PAY") != 0) {
        snprintf(out, bytes, "%s%s", mark, cell->customer);
        return;
    }
    show_hold(cell->expire_time, day->now, hold);
    /* The date says nothing on the grid of that very day. */
    if (cell->expire_time != WALL_NONE && wall_day(cell->expire_time) == day->day && day->day > wall_day(day->now) &&
        cell->expire_time - day->now > 3600)
        minute_text(wall_minute(cell->expire_time), hold);
    if (width >= 13)
        snprintf(out, bytes, "%s %s %s", mark, hold, cell->customer);
    else
        snprintf(out, bytes, "%s %s", mark, hold);
}

static style_t cell_text_of(const struct grid *grid, const struct cells *cells, const struct grid_cell *cell, int width,
                            char *out, size_t bytes)
{
    const struct slot *slot = &cell->slot;
    if (grid_is_court(cell) && cell->order_no && *cell->order_no) {
        court_text(cell, grid->day, width, out, bytes);
        return show_state_style(cell->state);
    }
    if (!slot->open) {
        /* TRANSLATORS: one character mark of a closed slot. */
        snprintf(out, bytes, "%s%s", C_("mark", "X"), slot->close_reason ? slot->close_reason : "");
        return STYLE_CLOSED;
    }
    if (!grid_is_court(cell)) {
        snprintf(out, bytes, "%lld/%lld", (long long)slot->remain_count, (long long)slot->total_count);
        if (slot->over)
            return STYLE_OVER;
        return slot->remain_count > 0 ? STYLE_FREE : STYLE_PAID;
    }
    if (slot->remain_count < 1) {
        /* TRANSLATORS: mark of a slot without places that no order explains. */
        snprintf(out, bytes, "%s", C_("mark", "full"));
        return STYLE_PAID;
    }
    snprintf(out, bytes, "%s", cells_symbol(cells, SYMBOL_DOT));
    return slot->over ? STYLE_OVER : STYLE_FREE;
}

static void make_looks(struct grid *grid, const struct cells *cells)
{
    const struct day_grid *day = grid->day;
    size_t count = day->row_count * day->venue_count;
    bool ascii = cells_ascii(cells);
    if (grid->looks && grid->looks_width == grid->column_cells && grid->looks_ascii == ascii &&
        grid->looks_language == i18n_language())
        return;
    if (!grid->looks)
        grid->looks = arena_array(&grid->arena, count, sizeof *grid->looks);
    grid->looks_width = grid->column_cells;
    grid->looks_ascii = ascii;
    grid->looks_language = i18n_language();
    for (size_t i = 0; i < count; i++) {
        char text[512];
        struct grid_look *look = &grid->looks[i];
        if (!day->cells[i].slot.id)
            continue;
        look->style = cell_text_of(grid, cells, &day->cells[i], grid->column_cells - 1, text, sizeof text);
        cut_copy(look->text, sizeof look->text, text);
    }
}

static void draw_cell(const struct grid *grid, struct cells *cells, int at_row, int at_column, size_t row,
                      size_t column)
{
    const struct grid_cell *cell = grid_at(grid, row, column);
    int width = grid->column_cells - 1;
    if (!cell->slot.id) {
        const struct grid_cell *above = reaches_from(grid, row, column);
        if (above)
            cells_text(cells, at_row, at_column, above->slot.over ? STYLE_OVER : STYLE_DIM, "|");
        return;
    }
    bool in_cart = grid_in_cart(grid, cell->slot.id), changed = grid_changed_lately(grid, cell->slot.id);
    const struct grid_look *look = &grid->looks[row * grid->day->venue_count + column];
    style_t style = look->style;
    if (changed)
        style = STYLE_CHANGED;
    if (in_cart)
        style = STYLE_MARK;
    int used = in_cart || changed ? 1 : 0; /* its sign stands at the right end */
    cells_put(cells, at_row, at_column, width - used, -1, style, look->text);
    if (used)
        cells_text(cells, at_row, at_column + width - 1, style, in_cart ? cells_symbol(cells, SYMBOL_MARK) : "!");
}

static void draw_cursor(const struct view *view, struct cells *cells, int at_row, int at_column, int width)
{
    style_t style = view_is_focused(view) ? STYLE_SELECT : STYLE_SELECT_OFF;
    cells_restyle(cells, at_row, at_column, 1, width, style);
    cells_text(cells, at_row, at_column - 1, style, "[");
    cells_text(cells, at_row, at_column + width, style, "]");
    if (view_is_focused(view))
        cells_cursor(cells, at_row, at_column);
}

static void draw_head(const struct grid *grid, struct cells *cells)
{
    const struct day_grid *day = grid->day;
    cells_put(cells, 0, 0, GRID_TIME_CELLS, -1, STYLE_HEADER, "");
    /* TRANSLATORS: heading of the hours at the left of the day grid, at most 4 cells. */
    cells_text(cells, 0, 1, STYLE_HEADER, C_("column", "Time"));
    for (size_t i = 0; i < grid->shown_columns && grid->left + i < day->venue_count; i++)
        cells_put(cells, 0, GRID_TIME_CELLS + (int)i * grid->column_cells, grid->column_cells - 1, -1, STYLE_HEADER,
                  day->venues[grid->left + i].name);
    if (grid->left > 0)
        cells_text(cells, 0, GRID_TIME_CELLS - 1, STYLE_HEADER, cells_symbol(cells, SYMBOL_PREV));
    if (grid->left + grid->shown_columns < day->venue_count)
        cells_text(cells, 0, GRID_TIME_CELLS + (int)grid->shown_columns * grid->column_cells - 1, STYLE_HEADER,
                   cells_symbol(cells, SYMBOL_NEXT));
}

static void draw_time(const struct grid *grid, struct cells *cells, int at_row, size_t row)
{
    const struct day_grid *day = grid->day;
    char text[HHMM_TEXT];
    minute_text(day->starts[row], text);
    if (day->starts[row] % 60 == 0)
        text[2] = '\0'; /* whole hours are read faster without the minutes */
    bool is_now = now_row(day) == (int)row;
    cells_text(cells, at_row, 0, STYLE_NOW, is_now ? ">" : " ");
    cells_text(cells, at_row, 1, is_now ? STYLE_NOW : is_over(day, day->starts[row]) ? STYLE_OVER : STYLE_TEXT, text);
}

static bool is_shown(const struct grid *grid, size_t row, size_t column)
{
    return row >= grid->top && row < grid->top + grid->shown_rows && column >= grid->left &&
           column < grid->left + grid->shown_columns;
}

static void draw_bar(const struct view *view, struct cells *cells)
{
    const struct grid *grid = view_state(view);
    draw_cursor(view, cells, GRID_HEAD_ROWS + (int)(grid->row - grid->top),
                GRID_TIME_CELLS + (int)(grid->column - grid->left) * grid->column_cells, grid->column_cells - 1);
}

static void draw_rows(const struct view *view, struct cells *cells)
{
    const struct grid *grid = view_state(view);
    const struct day_grid *day = grid->day;
    for (size_t i = 0; i < grid->shown_rows && grid->top + i < day->row_count; i++) {
        int at_row = GRID_HEAD_ROWS + (int)i;
        draw_time(grid, cells, at_row, grid->top + i);
        for (size_t j = 0; j < grid->shown_columns && grid->left + j < day->venue_count; j++)
            draw_cell(grid, cells, at_row, GRID_TIME_CELLS + (int)j * grid->column_cells, grid->top + i,
                      grid->left + j);
    }
    if (is_shown(grid, grid->row, grid->column))
        draw_bar(view, cells);
}

/* What the slot under the cursor is, in words. */
static void state_words(const struct grid_cell *cell, const struct cells *cells, wall_t now, struct buf *out)
{
    char hold[16];
    const char *dot = cells_symbol(cells, SYMBOL_DOT);
    if (cell->order_no && *cell->order_no && grid_is_court(cell)) {
        buf_printf(out, "  %s", state_label("venue_order", cell->state));
        if (cell->expire_time != WALL_NONE && strcmp(cell->state, "PENDING_PAY") == 0)
            buf_printf(out, " %s", show_hold(cell->expire_time, now, hold));
        buf_printf(out, " %s %s %s %s", dot, cell->customer, dot, show_tail(cell->order_no));
    } else if (!cell->slot.open && cell->slot.close_reason && *cell->slot.close_reason) {
        buf_add(out, "  ");
        buf_printf(out, _("closed: %s"), cell->slot.close_reason);
    } else if (!cell->slot.open) {
        buf_printf(out, "  %s", _("closed"));
    } else if (cell->slot.over) {
        buf_printf(out, "  %s", _("over"));
    } else if (!grid_is_court(cell)) {
        buf_printf(out, "  ");
        buf_printf(out, _("%lld of %lld free"), (long long)cell->slot.remain_count, (long long)cell->slot.total_count);
        if (cell->held > 0) {
            buf_add(out, _(", "));
            buf_printf(out, _("%lld held unpaid"), (long long)cell->held);
        }
    } else {
        buf_printf(out, "  %s", cell->slot.running ? _("free, running") : _("free"));
    }
}

/* The day's figures, at most `room` cells: what matters least goes first. */
static void day_figures(const struct day_grid *day, int room, struct buf *out)
{
    char money[40];
    for (int parts = 3; parts > 0; parts--) {
        buf_clear(out);
        if (day->places > 0 && parts > 1)
            buf_printf(out, _("%d%% sold"), (int)(day->sold * 100 / day->places));
        buf_add(out, out->bytes ? "  " : "");
        buf_printf(out, _("%lld unpaid"), (long long)day->unpaid_orders);
        if (parts > 2) {
            buf_add(out, "  ");
            buf_printf(out, _("taken %s"), show_yuan(day->taken_fen, money));
        }
        if (text_width(buf_text(out)) <= room)
            return;
    }
    buf_clear(out);
}

static void slot_facts(const struct grid *grid, const struct cells *cells, struct buf *out)
{
    const struct grid_cell *cell = grid_cursor(grid);
    struct arena arena = {0};
    char money[40];
    if (grid->cart_count) {
        int64_t sum = 0;
        for (size_t i = 0; i < grid->cart_count; i++)
            sum += grid->cart[i].price_fen;
        buf_printf(out, ngettext("%d slot chosen", "%d slots chosen", (unsigned long)grid->cart_count),
                   (int)grid->cart_count);
        buf_printf(out, "  %s   %s", show_yuan(sum, money), _("Enter books them, Esc forgets them"));
    } else if (cell && cell->slot.id) {
        buf_printf(out, "%s %s", cell->slot.venue,
                   show_slot_time(&arena, cells, DAY_NONE, cell->slot.start_minute, cell->slot.end_minute));
        state_words(cell, cells, grid->day->now, out);
        if (!*grid->selected)
            buf_printf(out, "  %s", show_yuan(cell->slot.price_fen, money));
    }
    arena_release(&arena);
}

static void draw_facts(const struct view *view, struct cells *cells, int row)
{
    const struct grid *grid = view_state(view);
    struct buf left = {0}, right = {0};
    slot_facts(grid, cells, &left);
    int used = text_width(buf_text(&left));
    day_figures(grid->day, cells->columns - used - 4, &right);
    int wide = text_width(buf_text(&right));
    cells_put(cells, row, 1, cells->columns - 2, -1, STYLE_STRONG, buf_text(&left));
    cells_text(cells, row, cells->columns - wide - 1, STYLE_DIM, buf_text(&right));
    buf_release(&left);
    buf_release(&right);
}

/* The same marks as in the cells: the legend cannot be wrong. */
static void draw_legend(const struct view *view, struct cells *cells, int row)
{
    static const char *const states[] = {"PENDING_PAY", "PAID", "COMPLETED", "NO_SHOW"};
    (void)view;
    int column = 1;
    column += cells_printf(cells, row, column, STYLE_FREE, "%s %s", cells_symbol(cells, SYMBOL_DOT), _("free")) + 2;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        column += cells_printf(cells, row, column, show_state_style(states[i]), "%s %s",
                               state_mark("venue_order", states[i]), state_label("venue_order", states[i])) +
                  2;
    column += cells_printf(cells, row, column, STYLE_CLOSED, "%s %s", C_("mark", "X"), _("closed")) + 2;
    const char *more = _("Space several");
    if (column + text_width(more) < cells->columns)
        cells_text(cells, row, cells->columns - text_width(more) - 1, STYLE_DIM, more);
}

/* How much fits: all courts where they can, at least one. */
static void measure(struct grid *grid, const struct cells *cells)
{
    int room = cells->columns - GRID_TIME_CELLS, courts = grid->day ? (int)grid->day->venue_count : 0;
    int each = courts ? room / courts : GRID_COLUMN_LEAST;
    each = each < GRID_COLUMN_LEAST ? GRID_COLUMN_LEAST : each > GRID_COLUMN_MOST ? GRID_COLUMN_MOST : each;
    int rows = cells->rows - GRID_HEAD_ROWS - GRID_FOOT_ROWS;
    grid->column_cells = each;
    grid->shown_columns = room / each > 1 ? (size_t)(room / each) : 1;
    if (grid->shown_columns > (size_t)courts)
        grid->shown_columns = (size_t)courts;
    grid->shown_rows = rows > 1 ? (size_t)rows : 1;
}

void grid_scroll(struct grid *grid)
{
    if (!grid->day || !grid->shown_rows || !grid->shown_columns)
        return;
    if (grid->row < grid->top)
        grid->top = grid->row;
    if (grid->row >= grid->top + grid->shown_rows)
        grid->top = grid->row - grid->shown_rows + 1;
    if (grid->column < grid->left)
        grid->left = grid->column;
    if (grid->column >= grid->left + grid->shown_columns)
        grid->left = grid->column - grid->shown_columns + 1;
    /* No blank rows or courts at the end while there are some before. */
    if (grid->top + grid->shown_rows > grid->day->row_count)
        grid->top = grid->day->row_count > grid->shown_rows ? grid->day->row_count - grid->shown_rows : 0;
    if (grid->left + grid->shown_columns > grid->day->venue_count)
        grid->left = grid->day->venue_count > grid->shown_columns ? grid->day->venue_count - grid->shown_columns : 0;
}

static bool has_foot(const struct grid *grid, const struct cells *cells)
{
    size_t rows = grid->day->row_count < grid->shown_rows ? grid->day->row_count : grid->shown_rows;
    int foot = GRID_HEAD_ROWS + (int)rows, last = cells->rows - GRID_FOOT_ROWS;
    return (foot < last ? foot : last) > GRID_HEAD_ROWS;
}

static void note_drawn(struct grid *grid)
{
    grid->drawn_day = grid->day;
    grid->drawn_row = grid->row;
    grid->drawn_column = grid->column;
    grid->drawn_top = grid->top;
    grid->drawn_left = grid->left;
}

void grid_draw(struct view *view, struct cells *cells)
{
    struct grid *grid = view_state(view);
    grid->window_columns = cells->canvas->columns;
    measure(grid, cells);
    if (!grid->day) {
        cells_text(cells, 1, 1, STYLE_DIM, grid->loading ? _("Reading the day…") : "");
        return;
    }
    grid_scroll(grid);
    if (!grid->day->row_count) {
        cells_text(cells, 1, 1, STYLE_DIM, _("No slots on this day. 6 makes schedules; [ and ] go to other days."));
        if (view_is_focused(view))
            cells_cursor(cells, 1, 1);
        return;
    }
    make_looks(grid, cells);
    draw_head(grid, cells);
    draw_rows(view, cells);
    note_drawn(grid);
    if (!has_foot(grid, cells))
        return;
    /* The facts stand at the bottom, where the message line is, not under the last hour. */
    draw_facts(view, cells, cells->rows - GRID_FOOT_ROWS);
    draw_legend(view, cells, cells->rows - 1);
}

bool grid_redraw(struct view *view, struct cells *cells)
{
    struct grid *grid = view_state(view);
    if (!grid->day || grid->day != grid->drawn_day || grid->top != grid->drawn_top || grid->left != grid->drawn_left ||
        !is_shown(grid, grid->drawn_row, grid->drawn_column) || !is_shown(grid, grid->row, grid->column))
        return false;
    int at_row = GRID_HEAD_ROWS + (int)(grid->drawn_row - grid->top);
    int at_column = GRID_TIME_CELLS + (int)(grid->drawn_column - grid->left) * grid->column_cells;
    /* With the bar's ends, which stand in the gaps. */
    cells_fill(cells, at_row, at_column - 1, 1, grid->column_cells + 1, STYLE_TEXT);
    if (grid->drawn_column == grid->left)
        draw_time(grid, cells, at_row, grid->drawn_row);
    draw_cell(grid, cells, at_row, at_column, grid->drawn_row, grid->drawn_column);
    draw_bar(view, cells);
    note_drawn(grid);
    if (has_foot(grid, cells)) {
        cells_fill(cells, cells->rows - GRID_FOOT_ROWS, 0, 1, cells->columns, STYLE_TEXT);
        draw_facts(view, cells, cells->rows - GRID_FOOT_ROWS);
    }
    return true;
}

bool grid_hit(const struct grid *grid, int row, int column, size_t *at_row, size_t *at_column)
{
    if (!grid->day || row < GRID_HEAD_ROWS || column < GRID_TIME_CELLS || !grid->column_cells)
        return false;
    size_t rows = (size_t)(row - GRID_HEAD_ROWS), columns = (size_t)((column - GRID_TIME_CELLS) / grid->column_cells);
    if (rows >= grid->shown_rows || columns >= grid->shown_columns)
        return false;
    *at_row = grid->top + rows;
    *at_column = grid->left + columns;
    return *at_row < grid->day->row_count && *at_column < grid->day->venue_count;
}

void grid_title(struct view *view, struct buf *text)
{
    const struct grid *grid = view_state(view);
    char day[32];
    day_t shown = grid->day ? grid->day->day : app_today(view_app(view));
    buf_add(text, C_("title", "Day grid"));
    if (grid->day && grid->day->sport)
        buf_printf(text, " %s", show_sport(grid->day->sport));
    if (shown != DAY_NONE)
        buf_printf(text, "   \u2039 %s \u203a", show_day(shown, day));
    if (shown != DAY_NONE && shown == app_today(view_app(view)))
        buf_printf(text, " %s", _("today"));
}

static const struct grid_cell *next_end(const struct day_grid *day, wall_t now)
{
    const struct grid_cell *next = NULL;
    for (size_t i = 0; i < day->row_count * day->venue_count; i++) {
        const struct grid_cell *cell = &day->cells[i];
        if (cell->slot.id && strcmp(cell->state, "PENDING_PAY") == 0 && cell->expire_time != WALL_NONE &&
            cell->expire_time > now && (!next || cell->expire_time < next->expire_time))
            next = cell;
    }
    return next;
}

/* The hold that ends next: what a clerk should act on. */
const char *grid_hint(const struct view *view)
{
    struct grid *grid = view_state(view);
    grid->hint[0] = '\0';
    if (!grid->day)
        return grid->hint;
    wall_t now = app_now(view_app(view));
    /* Looked for once for a reading, and again when it has ended: not for each key. */
    if (!grid->next_known || (grid->next && grid->next->expire_time <= now))
        grid->next = next_end(grid->day, now);
    grid->next_known = true;
    const struct grid_cell *next = grid->next;
    if (next && next->expire_time - now <= 1800) {
        char from[HHMM_TEXT];
        int minutes = (int)((next->expire_time - now + 59) / 60);
        snprintf(
            grid->hint, sizeof grid->hint,
            ngettext("%s %s: the hold ends in %d minute", "%s %s: the hold ends in %d minutes", (unsigned long)minutes),
            next->slot.venue, minute_text(next->slot.start_minute, from), minutes);
    }
    return grid->hint;
}
