/* Orders: key-paged both ways, what is asked stands in the title. */
#include "ui/view/orders.h"
#include "ui/view/act.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include <stdio.h>
#include <string.h>

#define CHANGED_MS 5000 /* how long a change stays marked */

struct orders_state {
    struct order_query query;
    bool found;              /* the question came from `/`: Esc goes back to the day */
    struct order_pages pages;
    struct list list;
    char cell[200];
    uint64_t generation;     /* of the question: answers to an older one are dropped */
    bool loaded;             /* an answer to this question is here */
    bool extending;          /* a page is on its way */
    day_t day;               /* the day to go back to */
    bool pushed;             /* opened with a question of its own */
};

struct orders_work {
    struct work base;
    struct order_query query;
    struct page_key after;
    size_t most;
    int direction;           /* 0: the window again */
    uint64_t generation;
    struct order_line *lines;
    size_t count;
    bool more;
};

static const struct list_column columns[] = {
    {.label = NC_("column", "Tail"), .cells = 4, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "When"), .cells = 17, .sortable = true, .align = -1},
    {.label = NC_("column", "Place"), .cells = 9, .grow = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Customer"), .cells = 9, .grow = 3, .sortable = true, .align = -1},
    {.label = NC_("column", "Phone"), .cells = 11, .priority = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "State"), .cells = 12, .sortable = true, .align = -1},
    {.label = NC_("column", "Qty"), .cells = 3, .priority = 4, .sortable = true, .align = 1},
    {.label = NC_("column", "Amount"), .cells = 9, .sortable = true, .align = 1},
    {.label = NC_("column", "Note"), .cells = 16, .grow = 4, .priority = 5, .sortable = true, .align = -1},
};
static const enum order_column shown[] = {OC_TAIL, OC_WHEN, OC_VENUE, OC_CUSTOMER, OC_PHONE, OC_STATE_WORD, OC_QUANTITY, OC_AMOUNT, OC_NOTE};

/* --- the list's source --- */

static size_t source_rows(void *context) {
    return VIEW_STATE(struct orders_state, (struct view *)context)->pages.count;
}

static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct orders_state, (struct view *)context)->pages.lines[row].id;
}

static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct view *view = context;
    struct orders_state *state = view_state(view);
    const struct order_line *line = &state->pages.lines[row];
    order_line_cell(line, shown[column], app_now(view_app(view)), state->cell, sizeof state->cell, &cell->style);
    if (shown[column] == OC_STATE_WORD && line->changed_ms != 0 && mono_ms() - line->changed_ms < CHANGED_MS)
        cell->style = STYLE_CHANGED;
    cell->text = state->cell;
}

/* --- reading --- */

static enum fd_code orders_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct orders_work *work = arg;
    return order_query_run(desk, &work->query, &work->after, work->most, &work->base.arena, &work->lines, &work->count, &work->more, err);
}

/* Only a list that is here whole can be sorted: the first page of an order that the database did not
 * make would be a lie. */
static void sort_loaded(struct orders_state *state) {
    if (state->list.sort_column < 0)
        return;
    if (state->pages.first == 0 && state->pages.at_end)
        order_lines_sort(state->pages.lines, state->pages.count, shown[state->list.sort_column], state->list.sort_down);
    else
        state->list.sort_column = -1;
}

static void orders_done(struct view *view, void *arg) {
    struct orders_work *work = arg;
    struct orders_state *state = view_state(view);
    if (work->generation != state->generation)
        return;
    state->extending = false;
    if (work->direction == 0) {
        order_pages_replace(&state->pages, work->lines, work->count, work->more, mono_ms());
        state->loaded = true;
        view_loaded(view);
    } else {
        size_t moved = order_pages_extend(&state->pages, work->direction, work->lines, work->count, work->more);
        if (work->direction < 0)
            list_prepended(&state->list, moved);
    }
    sort_loaded(state);
    list_reloaded(&state->list);
    state->list.has_before = state->pages.first > 0;
    state->list.has_after = !state->pages.at_end;
    view_moved(view);
    wait_loaded(view);
}

static bool orders_failed(struct view *view, void *arg, const struct fd_error *err) {
    (void)arg;
    (void)err;
    VIEW_STATE(struct orders_state, view)->extending = false;
    wait_drop(view);
    return false;
}

static void ask_for(struct view *view, int direction, struct page_key after, size_t most) {
    struct orders_state *state = view_state(view);
    struct orders_work *work = work_new(sizeof *work, orders_run, orders_done);
    work->base.failed = orders_failed;
    work->base.clock = direction == 0;
    work->query = state->query;
    work->after = after;
    work->most = most;
    work->direction = direction;
    work->generation = state->generation;
    work_post(view, direction == 0 ? N_("Reading orders") : N_("Reading more orders"), JOB_READ, work);
}

static bool source_more(void *context, int direction) {
    struct view *view = context;
    struct orders_state *state = view_state(view);
    struct page_key after;
    if (state->extending)
        return true;
    if (!order_pages_wants(&state->pages, direction, &after))
        return false;
    state->extending = true;
    ask_for(view, direction, after, PAGE_ROWS);
    return true;
}

static void orders_load(struct view *view) {
    struct orders_state *state = view_state(view);
    struct page_key after;
    size_t most;
    if (!view_is_ready(view))
        return;
    if (state->query.from == DAY_NONE && state->day == DAY_NONE) { /* opened before the clock was known */
        state->day = app_today(view_app(view));
        if (!state->found)
            order_query_day(&state->query, state->day);
    }
    if (state->extending)
        return;
    order_pages_again(&state->pages, &after, &most);
    ask_for(view, 0, after, most);
}

/* Another question: the list starts at its first page. */
static void ask_anew(struct view *view, const struct order_query *query, bool found) {
    struct orders_state *state = view_state(view);
    if (query != &state->query)
        state->query = *query;
    state->found = found;
    state->generation++;
    state->loaded = false;
    state->extending = false;
    order_pages_clear(&state->pages);
    list_unmark(&state->list);
    list_reloaded(&state->list);
    state->list.cursor = 0;
    state->list.top = 0;
    orders_load(view);
}

static void ask_day(struct view *view, day_t day) {
    struct orders_state *state = view_state(view);
    state->query.from = state->query.to = state->day = day;
    ask_anew(view, &state->query, false);
}

/* --- life --- */

static void query_from_args(struct orders_state *state, const struct orders_args *args) {
    order_query_day(&state->query, DAY_NONE);
    if (args->find)
        order_query_find(&state->query, args->find);
    state->query.from = args->from;
    state->query.to = args->to;
    if (args->phone)
        cut_copy(state->query.phone, sizeof state->query.phone, args->phone);
    if (args->states)
        cut_copy(state->query.states, sizeof state->query.states, args->states);
    state->query.venue_id = args->venue_id;
    state->found = state->pushed = true;
}

static void orders_open(struct view *view, const void *arg) {
    struct orders_state *state = view_state(view);
    struct list_source source = {view, source_rows, source_key, source_cell, source_more};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    state->list.selectable = true;
    state->day = app_today(view_app(view));
    if (arg)
        query_from_args(state, arg);
    else
        order_query_day(&state->query, state->day);
}

static void orders_close(struct view *view) {
    struct orders_state *state = view_state(view);
    list_release(&state->list);
    order_pages_release(&state->pages);
}

static void orders_show(struct view *view) {
    if (!VIEW_STATE(struct orders_state, view)->loaded)
        orders_load(view);
}

static void orders_title(struct view *view, struct buf *text) {
    struct orders_state *state = view_state(view);
    buf_printf(text, "%s  ", _("Orders"));
    struct buf words = {0};
    order_query_words(&state->query, app_today(view_app(view)), &words);
    buf_add(text, buf_text(&words));
    buf_release(&words);
}

static const struct order_line *here(const struct view *view) {
    const struct orders_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->pages.count ? &state->pages.lines[state->list.cursor] : NULL;
}

const char *orders_selected(const struct view *view) {
    const struct order_line *line = here(view);
    return line ? line->order_no : "";
}

/* --- drawing --- */

static void draw_foot(struct view *view, struct cells *cells, int row) {
    struct orders_state *state = view_state(view);
    char text[160], amount[FEN_TEXT];
    int64_t sum_fen = 0;
    size_t first = state->pages.first * PAGE_ROWS;
    if (!state->loaded)
        return;
    if (state->pages.at_end && state->pages.first == 0)
        snprintf(text, sizeof text, ngettext("%zu order, all shown", "%zu orders, all shown", state->pages.count), state->pages.count);
    else
        snprintf(text, sizeof text, state->pages.at_end ? _("Orders %zu to %zu, end reached") : _("Orders %zu to %zu, more below"), first + 1,
                 first + state->pages.count);
    cells_text(cells, row, 1, STYLE_DIM, text);
    for (size_t i = 0; i < state->pages.count; i++)
        if (list_is_marked(&state->list, state->pages.lines[i].id))
            sum_fen += state->pages.lines[i].total_fen;
    if (state->list.mark_count == 0)
        return;
    snprintf(text, sizeof text, ngettext("%zu marked, %s in all", "%zu marked, %s in all", state->list.mark_count), state->list.mark_count,
             fen_text(sum_fen, amount));
    cells_put(cells, row, cells->columns / 2, cells->columns - cells->columns / 2 - 1, 1, STYLE_MARK, text);
}

static void orders_draw(struct view *view, struct cells *cells) {
    struct orders_state *state = view_state(view);
    struct cells rows = cells_sub(cells, 0, 0, cells->rows - 1, cells->columns);
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows, state->loaded ? _("No such order. f changes the question, / searches all days.") : "");
    draw_foot(view, cells, cells->rows - 1);
}

/* --- requests --- */

static enum fd_code find_typed(struct view *view, const char *text, struct fd_error *err) {
    struct order_query query;
    (void)err;
    if (*text == '\0')
        return FD_OK;
    order_query_find(&query, text);
    ask_anew(view, &query, true);
    return FD_OK;
}

static enum fd_code date_typed(struct view *view, const char *text, struct fd_error *err) {
    day_t day = DAY_NONE;
    enum fd_code code = day_parse(text, _("Date"), app_today(view_app(view)), &day, err);
    if (code == FD_OK)
        ask_day(view, day);
    return code;
}

static void filtered(struct view *view, const struct order_query *query) {
    ask_anew(view, query, false);
}

static day_t base_day(const struct view *view) {
    const struct orders_state *state = view_state(view);
    return state->query.from != DAY_NONE ? state->query.from : app_today(view_app(view));
}

/* The marked ones, else the one under the cursor; in the list's order. */
static void act_on_chosen(struct view *view, enum act_many kind) {
    struct orders_state *state = view_state(view);
    if (state->list.mark_count == 0) {
        if (kind == ACT_CHECK_IN)
            act_check_in(view, orders_selected(view));
        else
            act_cancel(view, orders_selected(view));
        return;
    }
    struct order_line const *chosen[PAGE_ROWS * PAGES_KEPT];
    size_t count = 0;
    for (size_t i = 0; i < state->pages.count && count < sizeof chosen / sizeof *chosen; i++)
        if (list_is_marked(&state->list, state->pages.lines[i].id))
            chosen[count++] = &state->pages.lines[i];
    act_many(view, kind, chosen, count);
}

/* What works on the row under the cursor: one row each. */
static void do_pay(struct view *view) {
    act_pay(view, orders_selected(view));
}
static void do_move(struct view *view) {
    act_move(view, orders_selected(view));
}
static void do_why(struct view *view) {
    act_why_order(view, orders_selected(view));
}
static void do_check_in(struct view *view) {
    act_on_chosen(view, ACT_CHECK_IN);
}
static void do_cancel(struct view *view) {
    act_on_chosen(view, ACT_CANCEL);
}
static void do_open(struct view *view) {
    act_open(view, orders_selected(view));
}
static void do_customer(struct view *view) {
    act_customer(view, here(view)->user_id);
}
static void do_note(struct view *view) {
    act_note(view, orders_selected(view), here(view)->note);
}
static const struct {
    enum request request;
    void (*run)(struct view *view);
} row_acts[] = {
    {REQ_OPEN, do_open}, {REQ_PAY, do_pay},           {REQ_MOVE, do_move}, {REQ_WHY, do_why}, {REQ_CHECK_IN, do_check_in},
    {REQ_CANCEL, do_cancel}, {REQ_CUSTOMER, do_customer}, {REQ_EDIT, do_note},
};

static bool row_request(struct view *view, enum request request) {
    for (size_t i = 0; i < sizeof row_acts / sizeof *row_acts; i++)
        if (row_acts[i].request == request) {
            if (here(view))
                row_acts[i].run(view);
            else
                app_message(view_app(view), MESSAGE_INFO, "%s", _("There is no order under the cursor."));
            return true;
        }
    return false;
}

static bool day_request(struct view *view, enum request request) {
    switch ((int)request) {
    case REQ_DAY_PREV:
        ask_day(view, base_day(view) - 1);
        return true;
    case REQ_DAY_NEXT:
        ask_day(view, base_day(view) + 1);
        return true;
    case REQ_TODAY:
        ask_day(view, app_today(view_app(view)));
        return true;
    case REQ_DATE:
        view_prompt(view, _("Date: "), "", date_typed, NULL);
        return true;
    default:
        return false;
    }
}

static void sort_asked(struct view *view) {
    struct orders_state *state = view_state(view);
    sort_loaded(state);
    if (state->list.sort_column < 0)
        app_message(view_app(view), MESSAGE_INFO, "%s", _("Only a list that is shown whole can be sorted: narrow the question (f)."));
    list_reloaded(&state->list);
}

/* One step back to the list as it was asked for; false where it is. */
static bool plain_again(struct view *view) {
    struct orders_state *state = view_state(view);
    if (state->list.mark_count > 0) {
        list_unmark(&state->list);
        return true;
    }
    if (state->list.sort_column < 0)
        return false;
    state->list.sort_column = -1;
    orders_load(view);
    return true;
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_IGNORED)
        return false;
    if (event == LIST_SORT)
        sort_asked(view);
    if (event == LIST_MOVED)
        view_moved(view);
    if (event == LIST_OPEN)
        row_request(view, REQ_OPEN);
    return true;
}

static bool orders_request(struct view *view, enum request request, const struct input *input) {
    struct orders_state *state = view_state(view);
    if (list_event(view, list_request(&state->list, request, input)))
        return true;
    if (row_request(view, request) || day_request(view, request))
        return true;
    switch ((int)request) {
    case REQ_FIND:
        view_prompt(view, _("Find order: "), "", find_typed, NULL);
        return true;
    case REQ_FILTER:
        orders_filter_ask(view, &state->query, filtered);
        return true;
    case REQ_BACK:
        if (plain_again(view))
            return true;
        if (!state->found || state->pushed)
            return false;
        order_query_day(&state->query, app_today(view_app(view)));
        ask_day(view, app_today(view_app(view)));
        return true;
    default:
        return false;
    }
}

static bool orders_input(struct view *view, const struct input *input) {
    struct orders_state *state = view_state(view);
    if (wait_hold(view, !state->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&state->list, input));
}

static bool orders_can(const struct view *view, enum request request) {
    for (size_t i = 0; i < sizeof row_acts / sizeof *row_acts; i++)
        if (row_acts[i].request == request)
            return here(view) != NULL;
    return true;
}

static const char *orders_hint(const struct view *view) {
    (void)view;
    return _("Enter open  p pay  c in  m move  d cancel  w why  / find  f filter  Space mark");
}

static const struct view_ops *orders_companion(const struct view *view, enum pane pane) {
    (void)view;
    return pane == PANE_SIDE ? &view_order : NULL;
}

static const struct keybind binds[] = {
    {{K_F(2), 'p'}, REQ_PAY, NC_("key", "Pay"), N_("Take payment for the order")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find: 4 digits are the tail of a phone or number; else number, phone, name or initials")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "Filter"), N_("Filter by state, dates, phone, name, place, operator")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move to another slot")},
    {{K_F(7), 'g'}, REQ_DATE, NC_("key", "Date"), NULL},
    {{'['}, REQ_DAY_PREV, NULL, NULL},
    {{']'}, REQ_DAY_NEXT, NULL, NULL},
    {{'t'}, REQ_TODAY, NULL, NULL},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel the order, or the marked ones")},
    {{'c'}, REQ_CHECK_IN, NULL, N_("Check in the order, or the marked ones")},
    {{'w'}, REQ_WHY, NULL, N_("Why the order is in its state")},
    {{'u'}, REQ_CUSTOMER, NULL, N_("The customer of the order")},
    {{'e'}, REQ_EDIT, NULL, N_("Change the note")},
};
static const struct keymap keys = KEYMAP(N_("Orders"), binds);

const struct view_ops view_orders = {
    .name = "orders",
    .label = NC_("tab", "Orders"),
    .private_bytes = sizeof(struct orders_state),
    .refresh_ms = 5000,
    .keys = &keys,
    .open = orders_open,
    .close = orders_close,
    .load = orders_load,
    .show = orders_show,
    .child = act_child,
    .title = orders_title,
    .draw = orders_draw,
    .input = orders_input,
    .request = orders_request,
    .can = orders_can,
    .hint = orders_hint,
    .companion = orders_companion,
};
