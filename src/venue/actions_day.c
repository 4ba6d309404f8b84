/* The day grid as text and JSON: courts across, times down, in blocks that fit the width. */
#include "base/text.h"
#include "venue/actions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TIME_CELLS  6
#define COURT_CELLS 10
#define WIDTH_LEAST 80

/* At a terminal as wide as it says, else the least. */
static int text_columns(void)
{
    const char *columns = getenv("COLUMNS");
    long width = columns && text_is_digits(columns) && strlen(columns) < 5 ? strtol(columns, NULL, 10) : 0;
    return width > WIDTH_LEAST ? (int)width : WIDTH_LEAST;
}

/* How a hold's end is said in a cell: minutes where it is near, else the time. */
static const char *hold_text(struct arena *arena, wall_t until, wall_t now)
{
    char hhmm[HHMM_TEXT];
    if (until == WALL_NONE)
        return "";
    if (until > now && until - now < 15 * 60)
        /* TRANSLATORS: the word behind a number of minutes until a hold ends, in a narrow cell: 9m */
        return arena_printf(arena, "%d%s", (int)((until - now + 59) / 60), C_("grid", "m"));
    return arena_str(arena, minute_text(wall_minute(until), hhmm));
}

static const char *cell_text(struct arena *arena, const struct day_grid *grid, const struct grid_cell *cell)
{
    const struct slot *slot = &cell->slot;
    if (slot->id == 0)
        return "";
    if (cell->state[0]) {
        const char *mark = state_mark("venue_order", cell->state);
        bool held = strcmp(cell->state, "PENDING_PAY") == 0;
        if (held)
            return arena_printf(arena, "%s %s", mark, hold_text(arena, cell->expire_time, grid->now));
        return arena_printf(arena, "%s%s", mark, cell->customer);
    }
    if (!slot->open)
        /* TRANSLATORS: one character: a closed slot in the day grid */
        return arena_printf(arena, "%s%s", C_("mark", "X"), slot->close_reason);
    if (slot->total_count != 1)
        return arena_printf(arena, "%" PRId64 "/%" PRId64, slot->remain_count, slot->total_count);
    /* TRANSLATORS: one character: a free slot in the day grid */
    return slot->remain_count > 0 ? C_("mark", "-") : "?";
}

static void say_row(struct call *call, struct buf *line)
{
    size_t length = line->bytes;
    while (length > 0 && line->text[length - 1] == ' ')
        length--;
    call_say(call, "%.*s", (int)length, buf_text(line));
    buf_clear(line);
}

static void say_block(struct call *call, const struct day_grid *grid, size_t first, size_t last)
{
    struct arena *arena = &call->arena;
    struct buf line = {0};
    buf_add(&line, text_fit(arena, _("Time"), TIME_CELLS, -1, false));
    for (size_t i = first; i < last; i++)
        buf_printf(&line, "%s ", text_fit(arena, grid->venues[i].name, COURT_CELLS - 1, -1, false));
    say_row(call, &line);
    for (size_t row = 0; row < grid->row_count; row++) {
        char hhmm[HHMM_TEXT];
        wall_t start = wall_at(grid->day, grid->starts[row]);
        wall_t next = row + 1 < grid->row_count ? wall_at(grid->day, grid->starts[row + 1]) : start + 3600;
        bool current = grid->now >= start && grid->now < next;
        const char *label = arena_printf(arena, "%s%s", current ? ">" : "", minute_text(grid->starts[row], hhmm));
        buf_add(&line, text_fit(arena, label, TIME_CELLS, -1, false));
        for (size_t i = first; i < last; i++) {
            const char *text = cell_text(arena, grid, &grid->cells[row * grid->venue_count + i]);
            buf_printf(&line, "%s ", text_fit(arena, text, COURT_CELLS - 1, -1, false));
        }
        say_row(call, &line);
    }
    buf_release(&line);
}

static void say_grid(struct call *call, const struct day_grid *grid)
{
    char date[DAY_TEXT], now[HHMM_TEXT], taken[FEN_TEXT];
    size_t width = (size_t)(text_columns() - TIME_CELLS) / COURT_CELLS;
    minute_text(wall_minute(grid->now), now);
    call_say(call, _("Day grid %s  %s %s  (now %s)"), venue_sport_label(grid->sport), day_sql(grid->day, date),
             day_weekday_name(grid->day), now);
    if (grid->row_count == 0)
        call_say(call, _("No slots on this day."));
    for (size_t first = 0; grid->row_count > 0 && first < grid->venue_count; first += width) {
        size_t last = first + width < grid->venue_count ? first + width : grid->venue_count;
        say_block(call, grid, first, last);
    }
    call_say(call, _("%" PRId64 " of %" PRId64 " places sold (%" PRId64 "%%)   %" PRId64 " unpaid   %s taken today"),
             grid->sold, grid->places, grid->places > 0 ? grid->sold * 100 / grid->places : 0, grid->unpaid_orders,
             fen_text(grid->taken_fen, taken));
}

static struct tree *cell_tree(const struct grid_cell *cell)
{
    char until[WALL_TEXT];
    struct tree *tree = slot_tree(&cell->slot);
    tree_put_text(tree, "order_no", cell->order_no[0] ? cell->order_no : NULL);
    tree_put_text(tree, "order_status", cell->state[0] ? cell->state : NULL);
    tree_put_text(tree, "customer", cell->customer[0] ? cell->customer : NULL);
    tree_put_text(tree, "hold_until",
                  strcmp(cell->state, "PENDING_PAY") != 0 || cell->expire_time == WALL_NONE
                      ? NULL
                      : wall_sql(cell->expire_time, until));
    tree_put_int(tree, "held", cell->held);
    return tree;
}

static struct tree *grid_tree(const struct day_grid *grid)
{
    char date[DAY_TEXT], now[WALL_TEXT];
    struct tree *tree = tree_object(), *slots = tree_list(), *sports = tree_list();
    tree_put_text(tree, "date", day_sql(grid->day, date));
    tree_put_text(tree, "now", wall_sql(grid->now, now));
    tree_put_text(tree, "sport", grid->sport);
    for (size_t i = 0; i < grid->row_count * grid->venue_count; i++)
        if (grid->cells[i].slot.id != 0)
            tree_add(slots, cell_tree(&grid->cells[i]));
    tree_put(tree, "slots", slots);
    for (size_t i = 0; i < grid->sport_count; i++)
        tree_add_text(sports, grid->sports[i]);
    tree_put(tree, "sports", sports);
    tree_put_int(tree, "sold", grid->sold);
    tree_put_int(tree, "places", grid->places);
    tree_put_int(tree, "unpaid_orders", grid->unpaid_orders);
    tree_put_int(tree, "taken_fen", grid->taken_fen);
    return tree;
}

enum fd_code day_show_run(struct call *call, struct fd_error *err)
{
    struct day_grid *grid;
    day_t day;
    enum fd_code code = call_day(call, call_given(call, "date") ? "date" : "day", call->today, &day, err);
    if (code == FD_OK)
        code = day_grid_load(call->desk, day, call_text(call, "sport"), &call->arena, &grid, err);
    if (code)
        return code;
    call->answer = grid_tree(grid);
    say_grid(call, grid);
    if (!call_given(call, "all-sports"))
        return FD_OK;
    for (size_t i = 0; i < grid->sport_count; i++) {
        struct day_grid *other;
        if (strcmp(grid->sports[i], grid->sport) == 0)
            continue;
        code = day_grid_load(call->desk, day, grid->sports[i], &call->arena, &other, err);
        if (code)
            return code;
        call_say(call, "%s", "");
        say_grid(call, other);
    }
    return FD_OK;
}
