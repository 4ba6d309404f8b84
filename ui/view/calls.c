/* Whom to call: the orders on slots that were just closed. They stay valid until somebody moves or
 * cancels them; which ones are dealt with is seen here. */
#include "ui/view/act.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calls_state {
    struct order_line *lines;
    size_t count;
    char reason[200];
    struct list list;
    char cell[200];
};

struct calls_work {
    struct work base;
    size_t count;
    struct order_line *lines; /* own copy; what is read goes over it */
};

static const struct list_column columns[] = {
    {.label = NC_("column", "Tail"), .cells = 4, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "When"), .cells = 17, .sortable = true, .align = -1},
    {.label = NC_("column", "Place"), .cells = 10, .grow = 1, .sortable = true, .align = -1},
    {.label = NC_("column", "Customer"), .cells = 10, .grow = 1, .sortable = true, .align = -1},
    {.label = NC_("column", "Phone"), .cells = 11, .sortable = true, .align = -1},
    {.label = NC_("column", "State"), .cells = 8, .sortable = true, .align = -1},
    {.label = NC_("column", "Amount"), .cells = 9, .sortable = true, .align = 1},
};
static const enum order_column shown[] = {OC_TAIL, OC_WHEN, OC_VENUE, OC_CUSTOMER, OC_PHONE, OC_STATE, OC_AMOUNT};

static size_t source_rows(void *context) {
    return VIEW_STATE(struct calls_state, (struct view *)context)->count;
}
static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct calls_state, (struct view *)context)->lines[row].id;
}
static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct view *view = context;
    struct calls_state *state = view_state(view);
    order_line_cell(&state->lines[row], shown[column], app_now(view_app(view)), state->cell, sizeof state->cell, &cell->style);
    cell->text = state->cell;
}

/* --- reading: what became of them --- */

static enum fd_code read_orders(struct db *db, void *arg, struct fd_error *err) {
    struct calls_work *work = arg;
    arena_reset(&work->base.arena);
    for (size_t i = 0; i < work->count; i++) {
        struct order *order = NULL;
        int64_t id = work->lines[i].id;
        enum fd_code code = order_find(db, work->lines[i].order_no, &work->base.arena, &order, err);
        if (code != FD_OK)
            return code;
        if (order->kind == &venue_kind)
            order_line_fill(&work->lines[i], (const struct venue_order *)order);
        work->lines[i].id = id; /* the row stays the row */
    }
    return FD_OK;
}

static enum fd_code calls_run(struct desk *desk, void *arg, struct fd_error *err) {
    return desk_read(desk, "slot.orders", read_orders, arg, err);
}

static void sort_loaded(struct calls_state *state) {
    if (state->list.sort_column >= 0)
        order_lines_sort(state->lines, state->count, shown[state->list.sort_column], state->list.sort_down);
    list_reloaded(&state->list);
}

static void calls_done(struct view *view, void *arg) {
    struct calls_work *work = arg;
    struct calls_state *state = view_state(view);
    for (size_t i = 0; i < work->count; i++) /* they may have been sorted meanwhile */
        for (size_t j = 0; j < state->count; j++)
            if (state->lines[j].id == work->lines[i].id)
                state->lines[j] = work->lines[i];
    sort_loaded(state);
    view_loaded(view);
}

static void calls_release(void *arg) {
    free(((struct calls_work *)arg)->lines);
}

static void calls_load(struct view *view) {
    struct calls_state *state = view_state(view);
    if (!view_is_ready(view) || state->count == 0)
        return;
    struct calls_work *work = work_new(sizeof *work, calls_run, calls_done);
    work->base.release = calls_release;
    work->base.clock = true;
    work->count = state->count;
    work->lines = xmalloc(state->count * sizeof *work->lines);
    memcpy(work->lines, state->lines, state->count * sizeof *work->lines);
    work_post(view, N_("Reading orders"), JOB_READ, work);
}

/* --- life --- */

static void calls_open(struct view *view, const void *arg) {
    struct calls_state *state = view_state(view);
    const struct calls_args *args = arg;
    struct list_source source = {view, source_rows, source_key, source_cell, NULL};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    if (!args)
        return;
    cut_copy(state->reason, sizeof state->reason, args->reason ? args->reason : "");
    state->lines = xcalloc(args->count + 1, sizeof *state->lines);
    for (size_t i = 0; i < args->count; i++) {
        const struct slot_order *from = &args->orders[i];
        struct order_line *line = &state->lines[state->count++];
        line->id = (int64_t)i + 1;
        cut_copy(line->order_no, sizeof line->order_no, from->order_no);
        cut_copy(line->customer, sizeof line->customer, from->customer);
        cut_copy(line->phone, sizeof line->phone, from->phone);
        cut_copy(line->state, sizeof line->state, from->state);
        cut_copy(line->venue, sizeof line->venue, from->venue);
        line->day = from->day;
        line->start_minute = from->start_minute;
        line->end_minute = from->end_minute;
        line->total_fen = from->total_fen;
        line->expire_time = WALL_NONE;
    }
    list_reloaded(&state->list);
}

static void calls_close(struct view *view) {
    struct calls_state *state = view_state(view);
    list_release(&state->list);
    free(state->lines);
}

static void calls_title(struct view *view, struct buf *text) {
    buf_printf(text, "%s  %s", _("To call"), VIEW_STATE(struct calls_state, view)->reason);
}

static void calls_draw(struct view *view, struct cells *cells) {
    struct calls_state *state = view_state(view);
    int row = cells_wrap(cells, 0, 1, cells->columns - 2, STYLE_WARN,
                         _("These orders stand on closed slots. They stay valid: call the people, then move (m), cancel (d) or keep them."));
    struct cells rows = cells_sub(cells, row + 1, 0, cells->rows - row - 1, cells->columns);
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows, _("Nothing was sold there."));
}

/* --- requests --- */

static const char *here(const struct view *view) {
    const struct calls_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->count ? state->lines[state->list.cursor].order_no : "";
}

static bool calls_request(struct view *view, enum request request, const struct input *input) {
    static const struct {
        enum request request;
        void (*run)(struct view *view, const char *order_no);
    } acts[] = {{REQ_OPEN, act_open}, {REQ_MOVE, act_move}, {REQ_CANCEL, act_cancel}, {REQ_WHY, act_why_order}};
    struct calls_state *state = view_state(view);
    enum list_event event = list_request(&state->list, request, input);
    if (event == LIST_OPEN)
        act_open(view, here(view));
    if (event == LIST_SORT)
        sort_loaded(state);
    if (event != LIST_IGNORED)
        return true;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].request == request) {
            acts[i].run(view, here(view));
            return true;
        }
    if (request == REQ_FIND)
        act_find(view);
    return request == REQ_FIND;
}

static bool calls_input(struct view *view, const struct input *input) {
    struct calls_state *state = view_state(view);
    if (wait_hold(view, false, input))
        return true;
    if (input->kind != INPUT_MOUSE)
        return false;
    enum list_event event = list_mouse(&state->list, input);
    if (event == LIST_OPEN)
        act_open(view, here(view));
    if (event == LIST_SORT)
        sort_loaded(state);
    return event != LIST_IGNORED;
}

static const char *calls_hint(const struct view *view) {
    (void)view;
    return _("Enter open (shows the whole phone)  m move  d cancel  Esc keep them");
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move to another slot")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel the order")},
    {{'w'}, REQ_WHY, NULL, NULL},
    {{K_F(2)}, REQ_NONE, NULL, NULL},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("To call"), binds);

const struct view_ops view_calls = {
    .name = "calls",
    .label = NC_("tab", "Calls"),
    .private_bytes = sizeof(struct calls_state),
    .refresh_ms = 5000,
    .keys = &keys,
    .open = calls_open,
    .close = calls_close,
    .load = calls_load,
    .child = act_child,
    .title = calls_title,
    .draw = calls_draw,
    .input = calls_input,
    .request = calls_request,
    .hint = calls_hint,
};
