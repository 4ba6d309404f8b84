/* The operation log: who did what, when, where and why; newest first, key-paged. */
#include "ui/view/ask.h"
#include "ui/view/wait.h"
#include "core/logbook.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MOST 100
#define ROWS_MOST 3000 /* kept in memory; further back the dates should be narrower */

struct log_query {
    char order[NUMBER_BYTES], operator[NAME_BYTES], action[64];
    day_t from, to;
};

struct log_line { /* fixed size, so that pages are only appended */
    int64_t id;
    wall_t at;
    char operator[48], role[16], terminal[32], action[41], entity[21], entity_no[65], event[21];
    char state_before[STATE_BYTES], state_after[STATE_BYTES], reason[200];
    int64_t stock_change, amount_change_fen;
    bool has_stock, has_amount;
};

struct log_state {
    struct log_query query;
    struct log_line *lines;
    size_t count;
    bool at_end, loaded, extending;
    uint64_t generation;
    struct list list;
    char cell[400];
};

struct log_work {
    struct work base;
    struct log_query query;
    int64_t after_id;
    size_t most;
    uint64_t generation;
    int64_t wanted; /* the row to show whole */
    struct log_row *rows;
    size_t count;
};

enum { C_AT, C_WHO, C_WHERE, C_WHAT, C_ON, C_STATE, C_CHANGE, C_REASON };

static const struct list_column columns[] = {
    {.label = NC_("column", "Time"), .cells = 14, .frozen = true, .align = -1},
    {.label = NC_("column", "Who"), .cells = 10, .grow = 1, .align = -1},
    {.label = NC_("column", "Where"), .cells = 9, .priority = 3, .align = -1},
    {.label = NC_("column", "What"), .cells = 12, .grow = 1, .align = -1},
    {.label = NC_("column", "On"), .cells = 14, .grow = 1, .align = -1},
    {.label = NC_("column", "State"), .cells = 14, .grow = 1, .priority = 1, .align = -1},
    {.label = NC_("column", "Change"), .cells = 9, .priority = 4, .align = 1},
    {.label = NC_("column", "Reason"), .cells = 10, .grow = 3, .priority = 2, .align = -1},
};

/* --- the list's source --- */

static size_t source_rows(void *context) {
    return VIEW_STATE(struct log_state, (struct view *)context)->count;
}
static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct log_state, (struct view *)context)->lines[row].id;
}

static bool is_order(const struct log_line *line) {
    return strcmp(line->entity, "venue_order") == 0;
}

/* A number of our form, or as long as one: its end is what people say. */
static bool is_number(const char *entity_no) {
    return strlen(entity_no) >= 14 && strspn(entity_no, "0123456789") >= 8;
}

static const struct {
    const char *entity, *label;
} entities[] = {
    {"venue_order", N_("order")}, {"slot", N_("slot")}, {"venue", N_("place")}, {"customer", N_("customer")}, {"operator", N_("operator")}, {"param", N_("parameter")}, {"payment", N_("payment")}, {"refund", N_("refund")}, {"bill", N_("bill")},
};

static const char *entity_label(const char *entity) {
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strcmp(entities[i].entity, entity) == 0)
            return _(entities[i].label);
    return entity;
}

static void state_text(const struct log_line *line, char *out, size_t bytes) {
    if (*line->state_after == '\0')
        out[0] = '\0';
    else if (*line->state_before == '\0' || strcmp(line->state_before, line->state_after) == 0)
        cut_copy(out, bytes, state_label(line->entity, line->state_after));
    else
        snprintf(out, bytes, "%s→%s", state_label(line->entity, line->state_before), state_label(line->entity, line->state_after));
}

static void change_text(const struct log_line *line, char *out, size_t bytes) {
    char amount[FEN_TEXT];
    if (line->has_stock)
        snprintf(out, bytes, _("stock %+lld"), (long long)line->stock_change);
    else if (line->has_amount)
        snprintf(out, bytes, "%s%s", line->amount_change_fen > 0 ? "+" : "", fen_text(line->amount_change_fen, amount));
}

static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct log_state *state = view_state((struct view *)context);
    const struct log_line *line = &state->lines[row];
    char *out = state->cell;
    size_t bytes = sizeof state->cell;
    out[0] = '\0';
    switch (column) {
    case C_AT:
        part_stamp(line->at, out, bytes);
        cell->style = STYLE_DIM;
        break;
    case C_WHO:
        cut_copy(out, bytes, line->operator);
        break;
    case C_WHERE:
        cut_copy(out, bytes, line->terminal);
        cell->style = STYLE_DIM;
        break;
    case C_WHAT:
        cut_copy(out, bytes, event_label(line->event));
        cell->style = STYLE_STRONG;
        break;
    case C_ON:
        snprintf(out, bytes, "%s %s", entity_label(line->entity), is_number(line->entity_no) ? show_tail(line->entity_no) : line->entity_no);
        break;
    case C_STATE:
        state_text(line, out, bytes);
        break;
    case C_CHANGE:
        change_text(line, out, bytes);
        break;
    default:
        cut_copy(out, bytes, line->reason);
        break;
    }
    cell->text = out;
}

/* --- reading --- */

static enum fd_code log_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct log_work *work = arg;
    struct log_filter filter = {
        .order = *work->query.order ? work->query.order : NULL,
        .operator = *work->query.operator ? work->query.operator : NULL,
        .action = *work->query.action ? work->query.action : NULL,
        .from = work->query.from,
        .to = work->query.to,
        .after_id = work->after_id,
        .most = work->most,
    };
    return log_list(desk, &filter, &work->base.arena, &work->rows, &work->count, err);
}

static void line_fill(struct log_line *line, const struct log_row *row) {
    *line = (struct log_line){.id = row->id, .at = row->at, .stock_change = row->stock_change, .amount_change_fen = row->amount_change_fen, .has_stock = row->has_stock, .has_amount = row->has_amount};
    cut_copy(line->operator, sizeof line->operator, row->operator);
    cut_copy(line->role, sizeof line->role, row->role);
    cut_copy(line->terminal, sizeof line->terminal, row->terminal);
    cut_copy(line->action, sizeof line->action, row->action);
    cut_copy(line->entity, sizeof line->entity, row->entity);
    cut_copy(line->entity_no, sizeof line->entity_no, row->entity_no);
    cut_copy(line->event, sizeof line->event, row->event);
    cut_copy(line->state_before, sizeof line->state_before, row->state_before);
    cut_copy(line->state_after, sizeof line->state_after, row->state_after);
    cut_copy(line->reason, sizeof line->reason, row->reason);
}

static void log_done(struct view *view, void *arg) {
    struct log_work *work = arg;
    struct log_state *state = view_state(view);
    if (work->generation != state->generation)
        return;
    size_t kept = work->after_id == 0 ? 0 : state->count;
    state->lines = xrealloc(state->lines, kept + work->count + 1, sizeof *state->lines);
    for (size_t i = 0; i < work->count; i++)
        line_fill(&state->lines[kept + i], &work->rows[i]);
    state->count = kept + work->count;
    state->at_end = work->count < work->most || state->count >= ROWS_MOST;
    state->loaded = true;
    state->extending = false;
    state->list.has_after = !state->at_end;
    list_reloaded(&state->list);
    view_loaded(view);
    wait_loaded(view);
}

static bool log_failed(struct view *view, void *arg, const struct fd_error *err) {
    (void)arg;
    (void)err;
    struct log_state *state = view_state(view);
    state->extending = false;
    return false;
}

static void ask_for(struct view *view, int64_t after_id, size_t most) {
    struct log_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct log_work *work = work_new(sizeof *work, log_run, log_done);
    work->base.failed = log_failed;
    work->query = state->query;
    work->after_id = after_id;
    work->most = most;
    work->generation = state->generation;
    work_post(view, after_id == 0 ? N_("Reading the log") : N_("Reading more of the log"), JOB_READ, work);
}

static void log_load(struct view *view) {
    struct log_state *state = view_state(view);
    size_t most = state->count > 500 ? 500 : state->count > PAGE_MOST ? state->count : PAGE_MOST;
    if (!state->extending)
        ask_for(view, 0, most);
}

static bool source_more(void *context, int direction) {
    struct view *view = context;
    struct log_state *state = view_state(view);
    if (direction < 0 || state->at_end || state->count == 0)
        return false;
    if (!state->extending) {
        state->extending = true;
        ask_for(view, state->lines[state->count - 1].id, PAGE_MOST);
    }
    return true;
}

static void ask_anew(struct view *view, const struct log_query *query) {
    struct log_state *state = view_state(view);
    state->query = *query;
    state->generation++;
    state->loaded = state->extending = false;
    state->count = 0;
    list_reloaded(&state->list);
    log_load(view);
}

/* --- life --- */

static void log_open(struct view *view, const void *arg) {
    struct log_state *state = view_state(view);
    const struct log_args *args = arg;
    struct list_source source = {view, source_rows, source_key, source_cell, source_more};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    state->query.from = state->query.to = DAY_NONE;
    if (args && args->entity_no)
        cut_copy(state->query.order, sizeof state->query.order, args->entity_no);
}

static void log_close(struct view *view) {
    struct log_state *state = view_state(view);
    list_release(&state->list);
    free(state->lines);
}

static void log_show(struct view *view) {
    if (!VIEW_STATE(struct log_state, view)->loaded)
        log_load(view);
}

static void log_title(struct view *view, struct buf *text) {
    const struct log_query *query = &VIEW_STATE(struct log_state, view)->query;
    char from[32], to[32];
    buf_printf(text, "%s ", _("Log"));
    if (*query->order)
        buf_printf(text, _(" · order %s"), query->order);
    if (*query->operator)
        buf_printf(text, _(" · by %s"), query->operator);
    if (*query->action)
        buf_printf(text, " · %s", query->action);
    if (query->from != DAY_NONE || query->to != DAY_NONE)
        buf_printf(text, " · %s – %s", query->from == DAY_NONE ? "" : show_day(query->from, from), query->to == DAY_NONE ? "" : show_day(query->to, to));
}

static void log_draw(struct view *view, struct cells *cells) {
    struct log_state *state = view_state(view);
    struct cells rows = cells_sub(cells, 0, 0, cells->rows - 1, cells->columns);
    char text[160];
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows, state->loaded ? _("Nothing is logged for this question.") : "");
    if (!state->loaded)
        return;
    snprintf(text, sizeof text, state->at_end ? ngettext("%zu row, all shown", "%zu rows, all shown", state->count) : _("%zu rows, more below"), state->count);
    cells_text(cells, cells->rows - 1, 1, STYLE_DIM, text);
}

/* --- one row whole: its values are read when it is opened --- */

static const struct log_row *row_of(const struct log_work *work) {
    for (size_t i = 0; i < work->count; i++)
        if (work->rows[i].id == work->wanted)
            return &work->rows[i];
    return NULL;
}

static void add_line(struct buf *text, const char *label, const char *value) {
    if (*value == '\0')
        return;
    /* TRANSLATORS: a label and its value */
    buf_printf(text, _("%s: %s"), label, value);
    buf_add(text, "\n");
}

static void whole_done(struct view *view, void *arg) {
    struct log_work *work = arg;
    struct buf text = {0};
    char stamp[WALL_TEXT], change[80] = "", states[120], both[1024];
    const struct log_row *row = row_of(work);
    if (!row)
        return;
    struct log_line line;
    line_fill(&line, row);
    state_text(&line, states, sizeof states);
    change_text(&line, change, sizeof change);
    add_line(&text, _("Time"), wall_sql(row->at, stamp));
    fit_printf(both, "%s (%s) @%s", row->operator, role_label(role_from_name(row->role)), row->terminal);
    add_line(&text, _("Who"), both);
    fit_printf(both, "%s (%s)", event_label(row->event), row->action);
    add_line(&text, _("What"), both);
    fit_printf(both, "%s %s", entity_label(row->entity), row->entity_no);
    add_line(&text, _("On"), both);
    add_line(&text, _("State"), states);
    add_line(&text, C_("column", "Change"), change);
    add_line(&text, _("Reason"), row->reason);
    add_line(&text, _("Before"), row->before);
    add_line(&text, _("After"), row->after);
    add_line(&text, _("Request"), row->key);
    add_line(&text, _("Worker's run"), row->run_id);
    view_push(view, &view_text, &(struct text_args){_("Log entry"), buf_text(&text)});
    buf_release(&text);
}

static const struct log_line *here(const struct view *view) {
    const struct log_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->count ? &state->lines[state->list.cursor] : NULL;
}

static void open_whole(struct view *view) {
    const struct log_state *state = view_state(view);
    if (!here(view))
        return;
    /* The rows after the one above it: where it is the first, newer ones may have come meanwhile. */
    struct log_work *work = work_new(sizeof *work, log_run, whole_done);
    work->query = state->query;
    work->after_id = state->list.cursor > 0 ? state->lines[state->list.cursor - 1].id : 0;
    work->most = state->list.cursor > 0 ? 1 : 50;
    work->wanted = here(view)->id;
    work_post(view, N_("Reading the entry"), JOB_READ, work);
}

/* --- the filter --- */

enum { F_ORDER = 1, F_OPERATOR, F_ACTION, F_FROM, F_TO };

struct filter_arg {
    struct work base;
    struct log_query query;
};

static const struct field fields[] = {
    {.id = F_ORDER, .label = N_("Order number"), .kind = FIELD_TEXT, .width_cells = 24, .max_chars = 32, .hint = N_("The whole number or its end")},
    {.id = F_OPERATOR, .label = N_("Operator"), .kind = FIELD_TEXT, .width_cells = 24, .max_chars = 64, .hint = N_("The account name; worker for the worker")},
    {.id = F_ACTION, .label = N_("Action"), .kind = FIELD_TEXT, .width_cells = 24, .max_chars = 40, .hint = N_("order.book, pay.cash, slot.close …; without days the last 31 days")},
    {.id = F_FROM, .label = N_("From day"), .kind = FIELD_DATE, .hint = N_("A day: 12-01, 1, -1, t for today; empty: any")},
    {.id = F_TO, .label = N_("to"), .kind = FIELD_DATE, .flags = FIELD_SAME_LINE, .hint = N_("The last day; empty: any")},
};

static void fill(struct form *form, void *arg) {
    const struct log_query *query = &((struct filter_arg *)arg)->query;
    form_set(form, F_ORDER, query->order);
    form_set(form, F_OPERATOR, query->operator);
    form_set(form, F_ACTION, query->action);
    if (query->from != DAY_NONE)
        form_set_day(form, F_FROM, query->from);
    if (query->to != DAY_NONE)
        form_set_day(form, F_TO, query->to);
}

static bool take(struct form *form, void *arg) {
    struct log_query *query = &((struct filter_arg *)arg)->query;
    cut_copy(query->order, sizeof query->order, form_text(form, F_ORDER));
    cut_copy(query->operator, sizeof query->operator, form_text(form, F_OPERATOR));
    cut_copy(query->action, sizeof query->action, form_text(form, F_ACTION));
    query->from = form_day(form, F_FROM);
    query->to = form_day(form, F_TO);
    return true;
}

static void filtered(struct view *view, void *arg) {
    ask_anew(view, &((struct filter_arg *)arg)->query);
}

static const struct ask_spec spec = {
    .title = N_("Filter the log"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Show"),
    .fill = fill,
    .take = take,
    .done = filtered,
};

static void ask_filter(struct view *view) {
    struct filter_arg *arg = work_new(sizeof *arg, NULL, NULL);
    arg->query = VIEW_STATE(struct log_state, view)->query;
    ask_open(view, &spec, arg);
}

/* --- requests --- */

static enum fd_code order_typed(struct view *view, const char *text, struct fd_error *err) {
    struct log_query query = {.from = DAY_NONE, .to = DAY_NONE};
    (void)err;
    cut_copy(query.order, sizeof query.order, text);
    ask_anew(view, &query);
    return FD_OK;
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_OPEN)
        open_whole(view);
    return event != LIST_IGNORED;
}

static bool asks_all(const struct log_query *query) {
    return !*query->order && !*query->operator && !*query->action && query->from == DAY_NONE && query->to == DAY_NONE;
}

static bool has_order(const struct view *view) {
    return here(view) && is_order(here(view));
}

static bool log_request(struct view *view, enum request request, const struct input *input) {
    struct log_state *state = view_state(view);
    if (list_event(view, list_request(&state->list, request, input)))
        return true;
    switch ((int)request) {
    case REQ_FILTER:
        ask_filter(view);
        return true;
    case REQ_FIND:
        view_prompt(view, _("Log of order: "), "", order_typed, NULL);
        return true;
    case REQ_ORDERS:
        if (has_order(view))
            act_open(view, here(view)->entity_no);
        else
            app_message(view_app(view), MESSAGE_INFO, "%s", _("This row is about no order."));
        return true;
    case REQ_BACK:
        if (asks_all(&state->query))
            return false;
        ask_anew(view, &(struct log_query){.from = DAY_NONE, .to = DAY_NONE});
        return true;
    default:
        return false;
    }
}

static bool log_can(const struct view *view, enum request request) {
    return request != REQ_ORDERS || has_order(view);
}

static bool log_input(struct view *view, const struct input *input) {
    struct log_state *state = view_state(view);
    if (wait_hold(view, !state->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&state->list, input));
}

static const char *log_hint(const struct view *view) {
    (void)view;
    return _("Enter whole entry  o its order  / log of an order  f operator, action, days");
}

static const struct keybind binds[] = {
    {{K_F(2), 'o'}, REQ_ORDERS, NC_("key", "Order"), N_("Open the order of this row")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("The log of one order")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "Filter"), N_("Filter by order, operator, action, days")},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Log"), binds);

const struct view_ops view_log = {
    .name = "log",
    .label = NC_("tab", "Log"),
    .private_bytes = sizeof(struct log_state),
    .keys = &keys,
    .open = log_open,
    .close = log_close,
    .load = log_load,
    .show = log_show,
    .title = log_title,
    .draw = log_draw,
    .input = log_input,
    .request = log_request,
    .can = log_can,
    .hint = log_hint,
};
