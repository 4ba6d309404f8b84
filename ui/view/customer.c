/* One customer: what is known, and the orders. */
#include "ui/view/customers.h"
#include "ui/view/act.h"
#include "ui/view/wait.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERS_MOST 100

struct customer_state {
    int64_t id;
    struct arena arena;
    struct customer *customer; /* NULL: not read yet */
    struct order_line *lines;
    size_t count;
    bool more, shown_logged, missing;
    struct list list;
    char cell[200];
};

struct customer_work {
    struct work base;
    int64_t id;
    struct customer *customer;
    struct order_line *lines;
    size_t count;
    bool more;
};

static const struct list_column columns[] = {
    {.label = NC_("column", "Tail"), .cells = 4, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "When"), .cells = 17, .sortable = true, .align = -1},
    {.label = NC_("column", "Place"), .cells = 12, .grow = 1, .sortable = true, .align = -1},
    {.label = NC_("column", "State"), .cells = 12, .sortable = true, .align = -1},
    {.label = NC_("column", "Qty"), .cells = 3, .priority = 2, .sortable = true, .align = 1},
    {.label = NC_("column", "Amount"), .cells = 9, .sortable = true, .align = 1},
    {.label = NC_("column", "Owes"), .cells = 9, .sortable = true, .align = 1},
    {.label = NC_("column", "Note"), .cells = 12, .grow = 2, .priority = 3, .sortable = true, .align = -1},
};
static const enum order_column shown[] = {OC_TAIL, OC_WHEN, OC_VENUE, OC_STATE_WORD, OC_QUANTITY, OC_AMOUNT, OC_OWED, OC_NOTE};

static size_t source_rows(void *context) {
    return VIEW_STATE(struct customer_state, (struct view *)context)->count;
}
static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct customer_state, (struct view *)context)->lines[row].id;
}
static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct view *view = context;
    struct customer_state *state = view_state(view);
    order_line_cell(&state->lines[row], shown[column], app_now(view_app(view)), state->cell, sizeof state->cell, &cell->style);
    cell->text = state->cell;
}

/* --- reading --- */

static enum fd_code read_orders(struct desk *desk, struct customer_work *work, struct fd_error *err) {
    struct order_filter filter = {
        .from = DAY_NONE, .to = DAY_NONE, .phone = work->customer->phone, .after_day = DAY_NONE, .most = ORDERS_MOST};
    struct venue_order *rows = NULL;
    enum fd_code code = venue_order_search(desk, &filter, &work->base.arena, &rows, &work->count, &work->more, err);
    if (code != FD_OK)
        return code;
    work->lines = arena_array(&work->base.arena, work->count + 1, sizeof *work->lines);
    for (size_t i = 0; i < work->count; i++)
        order_line_fill(&work->lines[i], &rows[i]);
    return FD_OK;
}

static enum fd_code customer_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct customer_work *work = arg;
    enum fd_code code = customer_by_id(desk, work->id, &work->base.arena, &work->customer, err);
    if (code != FD_OK)
        return code;
    if (!work->customer)
        return fd_fail(err, FD_NOT_FOUND, "%s", _("There is no such customer."));
    /* Nobody's phone is nobody's key: walk-ins are found by their ticket. */
    return *work->customer->phone ? read_orders(desk, work, err) : FD_OK;
}

static void sort_loaded(struct customer_state *state) {
    if (state->more)
        state->list.sort_column = -1; /* only the newest are here */
    else if (state->list.sort_column >= 0)
        order_lines_sort(state->lines, state->count, shown[state->list.sort_column], state->list.sort_down);
}

static void customer_done(struct view *view, void *arg) {
    struct customer_work *work = arg;
    struct customer_state *state = view_state(view);
    if (work->id != state->id)
        return; /* the list has moved on */
    work_take(work, &state->arena);
    state->customer = work->customer;
    state->lines = work->lines;
    state->count = work->count;
    state->more = work->more;
    sort_loaded(state);
    list_reloaded(&state->list);
    view_loaded(view);
    view_moved(view);
    if (part_whole_phone(view) && !state->shown_logged && *state->customer->phone) {
        state->shown_logged = true;
        act_log_shown(view, state->id);
    }
    wait_loaded(view);
}

static void customer_load(struct view *view) {
    struct customer_state *state = view_state(view);
    if (!view_is_ready(view) || state->id == 0)
        return;
    struct customer_work *work = work_new(sizeof *work, customer_run, customer_done);
    work->id = state->id;
    work->base.clock = true;
    work_post(view, N_("Reading the customer"), JOB_READ, work);
}

/* --- life --- */

static void customer_open(struct view *view, const void *arg) {
    struct customer_state *state = view_state(view);
    const struct customer_args *args = arg;
    struct list_source source = {view, source_rows, source_key, source_cell, NULL};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    state->id = args ? args->id : 0;
}

static void customer_close(struct view *view) {
    struct customer_state *state = view_state(view);
    list_release(&state->list);
    arena_release(&state->arena);
}

static void customer_follow(struct view *view, struct view *leader) {
    struct customer_state *state = view_state(view);
    int64_t id = view_ops(leader) == &view_customers ? customers_selected(leader) : 0;
    if (id == state->id)
        return;
    state->id = id;
    state->shown_logged = false;
    state->customer = NULL;
    state->count = 0;
    list_reloaded(&state->list);
    customer_load(view);
}

static void customer_title(struct view *view, struct buf *text) {
    const struct customer_state *state = view_state(view);
    buf_printf(text, "%s  %s", _("Customer"), state->customer ? (*state->customer->name ? state->customer->name : _("no name")) : "");
}

static const struct order_line *here(const struct view *view) {
    const struct customer_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->count ? &state->lines[state->list.cursor] : NULL;
}

const char *customer_selected(const struct view *view) {
    return here(view) ? here(view)->order_no : "";
}

/* --- drawing --- */

static int draw_wrapped(struct cells *cells, int row, style_t style, const char *label, const char *text) {
    if (*text == '\0')
        return row;
    int used = cells_text(cells, row, 1, STYLE_LABEL, label);
    return row + cells_wrap(cells, row, used + 2, cells->columns - used - 3, style, text);
}

static int draw_head(const struct customer *customer, bool whole_phone, struct cells *cells) {
    char text[200], date[DAY_TEXT], masked[PHONE_BYTES];
    const char *profile = customer->walk_in     ? _("walk-in customer of the counter")
                          : customer->blocked   ? _("blocked")
                          : customer->temporary ? _("made at the counter, not online yet")
                                                : _("registered online");
    int used = cells_text(cells, 0, 1, STYLE_STRONG, *customer->name ? customer->name : _("no name")) + 3;
    used += cells_text(cells, 0, used, STYLE_STRONG, whole_phone ? customer->phone : phone_mask(customer->phone, masked)) + 2;
    cells_put(cells, 0, used, cells->columns - used, -1, customer->blocked ? STYLE_ERROR : STYLE_DIM, profile);
    snprintf(text, sizeof text, _("since %s · %lld orders · came %lld · missed %lld · unpaid holds %lld"),
             customer->create_time == WALL_NONE ? "" : day_sql(wall_day(customer->create_time), date), (long long)customer->orders,
             (long long)customer->visits, (long long)customer->no_shows, (long long)customer->unpaid_holds);
    int row = 1 + cells_wrap(cells, 1, 1, cells->columns - 2, STYLE_TEXT, text);
    row = draw_wrapped(cells, row, STYLE_WARN, _("Alert"), customer->alert);
    return draw_wrapped(cells, row, STYLE_TEXT, _("Note"), customer->note);
}

static void customer_draw(struct view *view, struct cells *cells) {
    struct customer_state *state = view_state(view);
    if (!state->customer) {
        cells_text(cells, 0, 1, STYLE_DIM, state->id != 0 ? _("Reading…") : "");
        return;
    }
    int row = draw_head(state->customer, part_whole_phone(view), cells);
    cells_hline(cells, row, 0, cells->columns, STYLE_RULE);
    struct cells rows = cells_sub(cells, row + 1, 0, cells->rows - row - 1, cells->columns);
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows,
              *state->customer->phone ? _("No orders yet.") : _("Orders of people without a phone are found by their number (/ on the orders screen)."));
}

/* --- requests --- */

/* The form has the whole phone. */
static void do_edit(struct view *view) {
    struct customer_state *state = view_state(view);
    if (config_switch(view_console(view)->config, CONFIG_READONLY)) {
        app_message(view_app(view), MESSAGE_WARN, "%s", _("This would change something, and frontdesk was started read-only."));
        return;
    }
    if (!state->shown_logged && *state->customer->phone)
        act_log_shown(view, state->id);
    state->shown_logged = true;
    customer_edit_ask(view, state->customer, NULL);
}
static void do_book(struct view *view) {
    const struct customer *customer = VIEW_STATE(struct customer_state, view)->customer;
    view_push(view, &view_booking, &(struct booking_args){.phone = customer->phone, .name = customer->name});
}
static void do_all(struct view *view) {
    const struct customer *customer = VIEW_STATE(struct customer_state, view)->customer;
    if (*customer->phone)
        view_push(view, &view_orders, &(struct orders_args){.phone = customer->phone, .from = DAY_NONE, .to = DAY_NONE});
}
static void do_open(struct view *view) {
    act_open(view, customer_selected(view));
}
static void do_pay(struct view *view) {
    act_pay(view, customer_selected(view));
}
static void do_check_in(struct view *view) {
    if (here(view))
        act_check_in(view, customer_selected(view));
}
static void do_move(struct view *view) {
    act_move(view, customer_selected(view));
}
static void do_cancel(struct view *view) {
    act_cancel(view, customer_selected(view));
}
static void do_why(struct view *view) {
    act_why_order(view, customer_selected(view));
}

static const struct {
    enum request request;
    void (*run)(struct view *view);
} acts[] = {
    {REQ_EDIT, do_edit}, {REQ_NEW, do_book},  {REQ_ORDERS, do_all},     {REQ_OPEN, do_open}, {REQ_PAY, do_pay},
    {REQ_CHECK_IN, do_check_in}, {REQ_MOVE, do_move}, {REQ_CANCEL, do_cancel}, {REQ_WHY, do_why},
};

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_SORT) {
        sort_loaded(view_state(view));
        list_reloaded(&VIEW_STATE(struct customer_state, view)->list);
    }
    if (event == LIST_MOVED)
        view_moved(view);
    if (event == LIST_OPEN)
        do_open(view);
    return event != LIST_IGNORED;
}

static bool customer_request(struct view *view, enum request request, const struct input *input) {
    struct customer_state *state = view_state(view);
    if (list_event(view, list_request(&state->list, request, input)))
        return true;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].request == request) {
            if (state->customer)
                acts[i].run(view);
            return true;
        }
    if (request == REQ_FIND)
        act_find(view);
    return request == REQ_FIND;
}

static bool customer_input(struct view *view, const struct input *input) {
    struct customer_state *state = view_state(view);
    if (wait_hold(view, state->id != 0 && !state->customer, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&state->list, input));
}

static const char *customer_hint(const struct view *view) {
    (void)view;
    return _("e change  a book  Enter open  p pay  c in  m move  d cancel  o all orders");
}

static const struct keybind binds[] = {
    {{K_F(2), 'a'}, REQ_NEW, NC_("key", "Book"), N_("A new booking for this customer")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(4), 'e'}, REQ_EDIT, NC_("key", "Edit"), N_("Change name, phone, note or alert")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move the order")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel the order")},
    {{'p'}, REQ_PAY, NULL, N_("Take payment for the order")},
    {{'c'}, REQ_CHECK_IN, NULL, NULL},
    {{'o'}, REQ_ORDERS, NULL, N_("All orders, with pages and filters")},
    {{'w'}, REQ_WHY, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Customer"), binds);

static const struct view_ops *customer_companion(const struct view *view, enum pane pane) {
    (void)view;
    return pane == PANE_SIDE ? &view_order : NULL;
}

const struct view_ops view_customer = {
    .name = "customer",
    .label = NC_("tab", "Customer"),
    .private_bytes = sizeof(struct customer_state),
    .keys = &keys,
    .open = customer_open,
    .close = customer_close,
    .load = customer_load,
    .child = act_child,
    .title = customer_title,
    .draw = customer_draw,
    .input = customer_input,
    .request = customer_request,
    .hint = customer_hint,
    .follow = customer_follow,
    .takes_focus = true,
    .companion = customer_companion,
};
