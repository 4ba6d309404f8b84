/* Day grid: courts across, hours down. What it knows and what its keys do; grid_draw.c paints it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/view/act.h"
#include "ui/view/ask.h"
#include "ui/view/grid_internal.h"
#include "ui/view/schedules.h"

/* --- reading ---------------------------------------------------------------------------------- */

struct grid_job {
    struct arena arena;
    day_t day;
    char sport[128];
    struct day_grid *grid;
    int64_t latency_us;
};

static enum fd_code grid_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct grid_job *job = arg;
    enum fd_code code = day_grid_load(desk, job->day, *job->sport ? job->sport : NULL, &job->arena, &job->grid, err);
    job->latency_us = db_last_us(desk->db);
    return code;
}

static void grid_job_free(void *arg)
{
    struct grid_job *job = arg;
    arena_release(&job->arena);
    free(job);
}

struct grid_cell *grid_at(const struct grid *grid, size_t row, size_t column)
{
    if (!grid->day || row >= grid->day->row_count || column >= grid->day->venue_count)
        return NULL;
    return &grid->day->cells[row * grid->day->venue_count + column];
}

struct grid_cell *grid_cursor(const struct grid *grid)
{
    return grid_at(grid, grid->row, grid->column);
}

bool grid_is_court(const struct grid_cell *cell)
{
    return cell->slot.form && strcmp(cell->slot.form, "COURT") == 0;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_cell(const struct grid_cell *a, const struct grid_cell *b)
{
    return a->slot.remain_count == b->slot.remain_count && a->slot.open == b->slot.open && a->order_id == b->order_id &&
           a->held == b->held && same_text(a->state, b->state);
}

static void mark_change(struct grid *grid, int64_t slot_id)
{
    if (grid->change_count < GRID_CHANGES_MOST)
        grid->changes[grid->change_count++] = (struct grid_change){slot_id, mono_ms() + GRID_CHANGE_MS};
}

static void forget_old_changes(struct grid *grid)
{
    size_t kept = 0;
    int64_t now = mono_ms();
    for (size_t i = 0; i < grid->change_count; i++)
        if (grid->changes[i].until_ms > now)
            grid->changes[kept++] = grid->changes[i];
    grid->change_count = kept;
}

bool grid_changed_lately(const struct grid *grid, int64_t slot_id)
{
    for (size_t i = 0; i < grid->change_count; i++)
        if (grid->changes[i].slot_id == slot_id)
            return true;
    return false;
}

/* What differs from the picture before is marked, so that a sale online catches the eye. */
static void compare(struct grid *grid, const struct day_grid *now)
{
    const struct day_grid *before = grid->day;
    forget_old_changes(grid);
    if (!before || before->day != now->day || !same_text(before->sport, now->sport) ||
        before->row_count != now->row_count || before->venue_count != now->venue_count)
        return;
    for (size_t i = 0; i < now->row_count * now->venue_count; i++)
        if (now->cells[i].slot.id && now->cells[i].slot.id == before->cells[i].slot.id &&
            !same_cell(&before->cells[i], &now->cells[i]))
            mark_change(grid, now->cells[i].slot.id);
}

/* The hour that runs, or the first of the day. */
static int first_minute(const struct day_grid *day)
{
    int minute = day->row_count ? day->starts[0] : 0;
    if (wall_day(day->now) != day->day)
        return minute;
    for (size_t i = 0; i < day->row_count; i++)
        if (day->starts[i] <= wall_minute(day->now))
            minute = day->starts[i];
    return minute;
}

/* The cursor keeps its court and hour whatever else comes and goes. */
static void place_cursor(struct grid *grid)
{
    const struct day_grid *day = grid->day;
    if (!grid->placed) {
        grid->cursor_start = first_minute(day);
        grid->cursor_venue = day->venue_count ? day->venues[0].id : 0;
        grid->placed = day->row_count > 0;
    }
    size_t column = 0, row = 0;
    for (size_t i = 0; i < day->venue_count; i++)
        if (day->venues[i].id == grid->cursor_venue)
            column = i;
    for (size_t i = 0; i < day->row_count; i++)
        if (day->starts[i] <= grid->cursor_start)
            row = i;
    grid->row = row;
    grid->column = column;
}

static void selection_changed(struct view *view)
{
    struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    const char *number = cell && cell->slot.id && cell->order_no ? cell->order_no : "";
    if (strcmp(number, grid->selected) == 0)
        return;
    cut_copy(grid->selected, sizeof grid->selected, number);
    view_moved(view);
}

static void take_answer(struct view *view, struct grid_job *job)
{
    struct grid *grid = view_state(view);
    struct console *console = view_console(view);
    compare(grid, job->grid);
    arena_release(&grid->arena);
    grid->arena = job->arena;
    job->arena = (struct arena){0};
    grid->day = job->grid;
    grid->looks = NULL;
    grid->drawn_day = NULL;
    grid->next_known = false;
    cut_copy(console->sport, sizeof console->sport, grid->day->sport ? grid->day->sport : "");
    cut_copy(grid->want_sport, sizeof grid->want_sport, console->sport);
    console->day = grid->day->day;
    app_set_clock(view_app(view), grid->day->now);
    app_set_latency(view_app(view), job->latency_us);
    place_cursor(grid);
    grid_scroll(grid);
    selection_changed(view);
    view_loaded(view);
}

static void grid_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct grid *grid = view_state(view);
    struct grid_job *job = arg;
    grid->loading = false;
    if (code != FD_OK) {
        view_failed(view, code, err);
        return;
    }
    /* Asked before the clerk went on to another day or sport: the next answer is on its way. */
    if (job->day != grid->want_day || strcmp(job->sport, grid->want_sport) != 0)
        return;
    take_answer(view, job);
}

static void grid_load(struct view *view)
{
    struct grid *grid = view_state(view);
    if (!view_is_ready(view))
        return;
    struct grid_job *arg = xcalloc(1, sizeof *arg);
    arg->day = grid->want_day;
    cut_copy(arg->sport, sizeof arg->sport, grid->want_sport);
    struct job job = {N_("Reading the day"), JOB_READ, grid_run, grid_done, arg, grid_job_free};
    grid->loading = true;
    view_post(view, &job);
}

static void grid_show(struct view *view)
{
    struct grid *grid = view_state(view);
    if (view_is_ready(view) && !grid->loading && (!grid->day || view_age_s(view) > 0))
        grid_load(view);
}

static void grid_open(struct view *view, const void *arg)
{
    (void)arg;
    struct grid *grid = view_state(view);
    const struct console *console = view_console(view);
    grid->want_day = DAY_NONE;
    cut_copy(grid->want_sport, sizeof grid->want_sport, console->sport);
}

static void grid_close(struct view *view)
{
    struct grid *grid = view_state(view);
    arena_release(&grid->arena);
    arena_release(&grid->cart_arena);
}

static void grid_tick(struct view *view)
{
    forget_old_changes(view_state(view));
}

const char *grid_selected(const struct view *view)
{
    return VIEW_STATE(struct grid, view)->selected;
}

/* --- cart ------------------------------------------------------------------------------------- */

bool grid_in_cart(const struct grid *grid, int64_t slot_id)
{
    for (size_t i = 0; i < grid->cart_count; i++)
        if (grid->cart[i].id == slot_id)
            return true;
    return false;
}

static void cart_clear(struct grid *grid)
{
    grid->cart_count = 0;
    arena_reset(&grid->cart_arena);
}

static void cart_remove(struct grid *grid, int64_t slot_id)
{
    size_t kept = 0;
    for (size_t i = 0; i < grid->cart_count; i++)
        if (grid->cart[i].id != slot_id)
            grid->cart[kept++] = grid->cart[i];
    grid->cart_count = kept;
}

/* The day's arena goes with the next reading: the cart keeps its own names. */
static void cart_add(struct grid *grid, const struct slot *slot)
{
    struct slot copy = *slot;
    copy.venue = arena_str(&grid->cart_arena, slot->venue);
    copy.sport = arena_str(&grid->cart_arena, slot->sport);
    copy.form = arena_str(&grid->cart_arena, slot->form);
    copy.close_reason = "";
    grid->cart[grid->cart_count++] = copy;
}

static bool may_be_sold(const struct grid_cell *cell)
{
    return cell && cell->slot.id && cell->slot.open && !cell->slot.over;
}

static void move_to(struct view *view, size_t row, size_t column);

static void cart_toggle(struct view *view)
{
    struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (!cell || !cell->slot.id)
        return;
    if (grid_in_cart(grid, cell->slot.id))
        cart_remove(grid, cell->slot.id);
    else if (!may_be_sold(cell) || cell->slot.remain_count < 1)
        app_message(view_app(view), MESSAGE_WARN, "%s", _("This slot is not free."));
    else if (grid->cart_count == GRID_CART_MOST)
        app_message(view_app(view), MESSAGE_WARN, "%s", _("No more slots fit into one booking."));
    else
        cart_add(grid, &cell->slot);
    move_to(view, grid->row + 1, grid->column);
}

/* --- moving ----------------------------------------------------------------------------------- */

static void move_to(struct view *view, size_t row, size_t column)
{
    struct grid *grid = view_state(view);
    if (!grid->day || !grid->day->row_count || !grid->day->venue_count)
        return;
    grid->row = row < grid->day->row_count ? row : grid->day->row_count - 1;
    grid->column = column < grid->day->venue_count ? column : grid->day->venue_count - 1;
    grid->cursor_start = grid->day->starts[grid->row];
    grid->cursor_venue = grid->day->venues[grid->column].id;
    grid_scroll(grid);
    selection_changed(view);
}

static size_t less(size_t at, size_t by)
{
    return at > by ? at - by : 0;
}

static bool move_request(struct view *view, enum request request)
{
    const struct grid *grid = view_state(view);
    size_t page = grid->shown_rows > 1 ? grid->shown_rows - 1 : 1,
           courts = grid->shown_columns ? grid->shown_columns : 1;
    switch ((int)request) {
    case REQ_UP:
        move_to(view, less(grid->row, 1), grid->column);
        return true;
    case REQ_DOWN:
        move_to(view, grid->row + 1, grid->column);
        return true;
    case REQ_LEFT:
        move_to(view, grid->row, less(grid->column, 1));
        return true;
    case REQ_RIGHT:
        move_to(view, grid->row, grid->column + 1);
        return true;
    case REQ_PAGE_UP:
        move_to(view, less(grid->row, page), grid->column);
        return true;
    case REQ_PAGE_DOWN:
        move_to(view, grid->row + page, grid->column);
        return true;
    case REQ_HOME:
        move_to(view, 0, grid->column);
        return true;
    case REQ_END:
        move_to(view, SIZE_MAX, grid->column);
        return true;
    case REQ_SORT_LEFT:
        move_to(view, grid->row, less(grid->column, courts));
        return true;
    case REQ_SORT_RIGHT:
        move_to(view, grid->row, grid->column + courts);
        return true;
    default:
        return false;
    }
}

static void go_to_day(struct view *view, day_t day)
{
    struct grid *grid = view_state(view);
    grid->want_day = day == app_today(view_app(view)) ? DAY_NONE : day;
    grid_load(view);
}

void grid_go(struct view *view, day_t day)
{
    go_to_day(view, day);
}

static void shift_day(struct view *view, int days)
{
    const struct grid *grid = view_state(view);
    day_t base = grid->want_day != DAY_NONE ? grid->want_day : app_today(view_app(view));
    if (base != DAY_NONE)
        go_to_day(view, base + days);
}

static enum fd_code day_asked(struct view *view, const char *text, struct fd_error *err)
{
    day_t day;
    enum fd_code code = day_parse(text, _("Date"), app_today(view_app(view)), &day, err);
    if (code == FD_OK)
        go_to_day(view, day);
    return code;
}

static void set_sport(struct view *view, const char *sport)
{
    struct grid *grid = view_state(view);
    cut_copy(grid->want_sport, sizeof grid->want_sport, sport);
    grid->placed = false;
    grid->left = 0;
    grid_load(view);
}

static size_t sport_index(const struct day_grid *day)
{
    for (size_t i = 0; i < day->sport_count; i++)
        if (same_text(day->sports[i], day->sport))
            return i;
    return 0;
}

static void sport_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    (void)context;
    const struct grid *grid = view_state(view);
    if (answer >= 0 && grid->day && (size_t)answer < grid->day->sport_count)
        set_sport(view, grid->day->sports[answer]);
}

static void pick_sport(struct view *view)
{
    const struct grid *grid = view_state(view);
    if (!grid->day || !grid->day->sport_count)
        return;
    const char **rows = xcalloc(grid->day->sport_count, sizeof *rows);
    for (size_t i = 0; i < grid->day->sport_count; i++)
        rows[i] = show_sport(grid->day->sports[i]);
    view_dialog(view, dialog_pick(_("Sport"), rows, grid->day->sport_count, (int)sport_index(grid->day)), sport_picked,
                NULL);
    free(rows);
}

static void next_sport(struct view *view)
{
    const struct grid *grid = view_state(view);
    if (grid->day && grid->day->sport_count > 1)
        set_sport(view, grid->day->sports[(sport_index(grid->day) + 1) % grid->day->sport_count]);
}

/* --- doing ------------------------------------------------------------------------------------ */

static void book(struct view *view)
{
    struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (grid->cart_count) {
        view_push(view, &view_booking, &(struct booking_args){.slots = grid->cart, .count = grid->cart_count});
        return;
    }
    if (cell && cell->slot.id && may_be_sold(cell) && cell->slot.remain_count > 0) {
        view_push(view, &view_booking, &(struct booking_args){.slots = &cell->slot, .count = 1});
        return;
    }
    if (cell && cell->slot.id)
        app_message(view_app(view), MESSAGE_WARN, "%s",
                    cell->slot.over    ? _("This slot is over.")
                    : !cell->slot.open ? _("This slot is closed.")
                                       : _("This slot is taken. w says by whom and until when."));
}

static void open_orders(struct view *view)
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (cell && cell->slot.id)
        view_push(view, &view_orders,
                  &(struct orders_args){.from = grid->day->day, .to = grid->day->day, .venue_id = cell->slot.venue_id});
}

static void open_cell(struct view *view)
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (!grid->cart_count && *grid->selected)
        act_open(view, grid->selected);
    else if (!grid->cart_count && cell && cell->slot.id && !grid_is_court(cell) &&
             (cell->slot.over || cell->slot.remain_count < 1))
        open_orders(view);
    else
        book(view);
}

static void why(struct view *view)
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (*grid->selected)
        act_why_order(view, grid->selected);
    else if (cell && cell->slot.id)
        act_why_slot(view, cell->slot.id);
    else if (grid->day)
        act_why_day(view, grid->day->day);
}

static bool needs_order(struct view *view, void (*act)(struct view *view, const char *number))
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    if (*grid->selected)
        act(view, grid->selected);
    else if (cell && cell->slot.id && !grid_is_court(cell))
        open_orders(view); /* several may be there: choose one */
    else
        app_message(view_app(view), MESSAGE_INFO, "%s", _("There is no order under the cursor."));
    return true;
}

/* Closes or opens the chosen slots, or the one under the cursor; the form asks why. */
static bool change_slots(struct view *view, enum slots_do what)
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    int64_t ids[GRID_CART_MOST];
    char about[256], from[HHMM_TEXT];
    for (size_t i = 0; i < grid->cart_count; i++)
        ids[i] = grid->cart[i].id;
    if (grid->cart_count) {
        snprintf(about, sizeof about, ngettext("%d slot chosen", "%d slots chosen", (unsigned long)grid->cart_count),
                 (int)grid->cart_count);
        slots_change_ask(view, what, ids, grid->cart_count, about);
    } else if (cell && cell->slot.id) {
        snprintf(about, sizeof about, "%s %s", cell->slot.venue, minute_text(cell->slot.start_minute, from));
        slots_change_ask(view, what, &cell->slot.id, 1, about);
    }
    return true;
}

static bool back(struct view *view)
{
    struct grid *grid = view_state(view);
    if (!grid->cart_count)
        return false;
    cart_clear(grid);
    return true;
}

static bool grid_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    if (move_request(view, request))
        return true;
    switch ((int)request) {
    case REQ_OPEN:
        open_cell(view);
        return true;
    case REQ_NEW:
        book(view);
        return true;
    case REQ_MARK:
        cart_toggle(view);
        return true;
    case REQ_BACK:
        return back(view);
    case REQ_CHECK_IN:
        act_check_in(view, NULL);
        return true;
    case REQ_FIND:
        act_find(view);
        return true;
    case REQ_PAY:
        return needs_order(view, act_pay);
    case REQ_CANCEL:
        return needs_order(view, act_cancel);
    case REQ_MOVE:
        return needs_order(view, act_move);
    case REQ_EXTEND:
        return needs_order(view, act_extend);
    case REQ_QUANTITY:
        return needs_order(view, act_quantity);
    case REQ_CLOSE_SLOT:
        return change_slots(view, SLOTS_CLOSE);
    case REQ_OPEN_SLOT:
        return change_slots(view, SLOTS_OPEN);
    case REQ_WHY:
        why(view);
        return true;
    case REQ_ORDERS:
        open_orders(view);
        return true;
    case REQ_DAY_PREV:
        shift_day(view, -1);
        return true;
    case REQ_DAY_NEXT:
        shift_day(view, 1);
        return true;
    case REQ_TODAY:
        go_to_day(view, app_today(view_app(view)));
        return true;
    /* TRANSLATORS: prompt, at most 23 bytes. */
    case REQ_DATE:
        view_prompt(view, _("Date: "), "", day_asked, NULL);
        return true;
    case REQ_FILTER:
        pick_sport(view);
        return true;
    case REQ_PLACE:
        next_sport(view);
        return true;
    default:
        return false;
    }
}

static bool grid_can(const struct view *view, enum request request)
{
    const struct grid *grid = view_state(view);
    const struct grid_cell *cell = grid_cursor(grid);
    bool has_slot = cell && cell->slot.id;
    switch ((int)request) {
    case REQ_NEW:
        return grid->cart_count || (may_be_sold(cell) && cell->slot.remain_count > 0);
    case REQ_CANCEL:
    case REQ_MOVE:
    case REQ_PAY:
        return *grid->selected || (has_slot && !grid_is_court(cell));
    default:
        return true;
    }
}

static bool grid_input(struct view *view, const struct input *input)
{
    const struct grid *grid = view_state(view);
    size_t row, column;
    if (input->kind != INPUT_MOUSE)
        return false;
    if (input->mouse == MOUSE_WHEEL_UP || input->mouse == MOUSE_WHEEL_DOWN) {
        move_to(view, input->mouse == MOUSE_WHEEL_UP ? less(grid->row, 1) : grid->row + 1, grid->column);
        return true;
    }
    if (!grid_hit(grid, input->row, input->column, &row, &column))
        return false;
    move_to(view, row, column);
    if (input->mouse == MOUSE_DOUBLE)
        open_cell(view);
    return true;
}

static void grid_child(struct view *view, struct view *child, int result)
{
    /* What was chosen with Space is booked, or closed. */
    if (result == PAY_DONE && (view_ops(child) == &view_booking || view_ops(child) == &view_ask))
        cart_clear(view_state(view));
    grid_load(view);
}

/* The order stands beside the grid only where that hides no court: the day is what is looked at here. */
static bool side_hides_courts(const struct grid *grid)
{
    int side = grid->window_columns * 2 / 5 > 60 ? 60 : grid->window_columns * 2 / 5;
    int courts = grid->day ? (int)grid->day->venue_count : 0;
    return grid->window_columns - side - 1 < GRID_TIME_CELLS + courts * GRID_COLUMN_LEAST;
}

static const struct view_ops *grid_companion(const struct view *view, enum pane pane)
{
    if (pane == PANE_SIDE)
        return side_hides_courts(view_state(view)) ? NULL : &view_order;
    return pane == PANE_STRIP ? &view_arrivals : NULL;
}

static const struct keybind grid_binds[] = {
    {{K_F(2), 'a'}, REQ_NEW, NC_("key", "Book"), N_("Book the slot under the cursor, or those chosen with Space")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(4), 'S'}, REQ_FILTER, NC_("key", "Sport"), N_("Choose the sport")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move the order to another slot")},
    {{K_F(7), 'g'}, REQ_DATE, NC_("key", "Date"), N_("Go to a date: 12-01, +1, sat")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel the order")},
    {{K_ENTER}, REQ_OPEN, NULL, N_("Open the order, or book the free slot")},
    {{' '}, REQ_MARK, NULL, N_("Choose this slot and go down: several slots in one booking")},
    {{'c'}, REQ_CHECK_IN, NULL, N_("Check in: last 4 digits of the phone or of the order, Enter")},
    {{'p'}, REQ_PAY, NULL, N_("Take payment for the order")},
    {{'w'}, REQ_WHY, NULL, N_("Why is it so: the slot or the order in sentences")},
    {{'o'}, REQ_ORDERS, NULL, N_("All orders of this court on this day")},
    {{'s'}, REQ_PLACE, NULL, N_("The next sport")},
    {{'+'}, REQ_EXTEND, NULL, N_("Extend the order by the next slot")},
    {{'#'}, REQ_QUANTITY, NULL, N_("Change the order's quantity")},
    {{'x'}, REQ_CLOSE_SLOT, NULL, N_("Close the slot, or those chosen; asks for the reason")},
    {{'O'}, REQ_OPEN_SLOT, NULL, N_("Open the slot again, or those chosen")},
    {{'['}, REQ_DAY_PREV, NULL, NULL},
    {{']'}, REQ_DAY_NEXT, NULL, NULL},
    {{'t'}, REQ_TODAY, NULL, NULL},
    {{'<'}, REQ_SORT_LEFT, NULL, N_("More courts to the left")},
    {{'>'}, REQ_SORT_RIGHT, NULL, N_("More courts to the right")},
};
const struct keymap grid_keys = KEYMAP(N_("Day grid"), grid_binds);

const struct view_ops view_grid = {
    .name = "grid",
    .label = NC_("tab", "Grid"),
    .private_bytes = sizeof(struct grid),
    .refresh_ms = 500, /* looked at with the ticks, which are a second apart and put off by keys: so a second at most */
    .keys = &grid_keys,
    .open = grid_open,
    .close = grid_close,
    .load = grid_load,
    .title = grid_title,
    .draw = grid_draw,
    .redraw = grid_redraw,
    .input = grid_input,
    .request = grid_request,
    .can = grid_can,
    .tick = grid_tick,
    .show = grid_show,
    .child = grid_child,
    .hint = grid_hint,
    .companion = grid_companion,
};
