/* Customers: found by the tail of the phone, the phone, the name or its initials. */
#include "ui/view/customers.h"
#include "ui/view/act.h"
#include "ui/view/wait.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_MOST 100
#define ROWS_MOST 2000 /* kept in memory; further on the search should be narrower */

struct person {
    int64_t id;
    char name[96], phone[PHONE_BYTES], note[160], alert[160];
    bool temporary, walk_in, blocked;
    wall_t create_time;
};

struct customers_state {
    char find[96];
    struct person *rows;
    size_t count;
    bool at_end, loaded, extending;
    uint64_t generation;
    struct list list;
    char cell[200];
};

struct customers_work {
    struct work base;
    char find[96];
    int64_t after_id;
    uint64_t generation;
    size_t most, asked_rows;
    struct customer *rows;
    size_t count;
};

enum { C_NAME, C_PHONE, C_KIND, C_ALERT, C_NOTE, C_SINCE };

static const struct list_column columns[] = {
    {.label = NC_("column", "Name"), .cells = 14, .grow = 1, .frozen = true, .align = -1},
    {.label = NC_("column", "Phone"), .cells = 11, .align = -1},
    {.label = NC_("column", "Profile"), .cells = 9, .priority = 2, .align = -1},
    {.label = NC_("column", "Alert"), .cells = 14, .grow = 2, .align = -1},
    {.label = NC_("column", "Note"), .cells = 14, .grow = 2, .priority = 1, .align = -1},
    {.label = NC_("column", "Since"), .cells = 10, .priority = 3, .align = -1},
};

static size_t source_rows(void *context) {
    return VIEW_STATE(struct customers_state, (struct view *)context)->count;
}

static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct customers_state, (struct view *)context)->rows[row].id;
}

static const char *kind_of(const struct person *person) {
    if (person->blocked)
        return C_("customer", "blocked");
    if (person->walk_in)
        return C_("customer", "walk-ins");
    return person->temporary ? C_("customer", "counter") : C_("customer", "online");
}

static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct customers_state *state = view_state((struct view *)context);
    const struct person *person = &state->rows[row];
    char date[DAY_TEXT];
    const char *texts[] = {
        [C_NAME] = *person->name ? person->name : _("no name"),
        [C_KIND] = kind_of(person),
        [C_ALERT] = person->alert,
        [C_NOTE] = person->note,
        [C_SINCE] = person->create_time == WALL_NONE ? "" : day_sql(wall_day(person->create_time), date),
        [C_PHONE] = part_phone(person->phone, state->cell, sizeof state->cell),
    };
    if (texts[column] != state->cell)
        cut_copy(state->cell, sizeof state->cell, texts[column]);
    cell->text = state->cell;
    if (column == C_ALERT)
        cell->style = STYLE_WARN;
    else if (column == C_KIND && person->blocked)
        cell->style = STYLE_ERROR;
    else if (column == C_NAME && *person->name == '\0')
        cell->style = STYLE_DIM;
}

/* --- reading --- */

static enum fd_code customers_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct customers_work *work = arg;
    if (*work->find == '\0')
        return customer_newest(desk, work->after_id, work->most, &work->base.arena, &work->rows, &work->count, err);
    return customer_search(desk, work->find, work->after_id, work->most, &work->base.arena, &work->rows, &work->count, err);
}

static void person_fill(struct person *person, const struct customer *row) {
    *person = (struct person){.id = row->id, .temporary = row->temporary, .walk_in = row->walk_in, .blocked = row->blocked, .create_time = row->create_time};
    cut_copy(person->name, sizeof person->name, row->name);
    cut_copy(person->phone, sizeof person->phone, row->phone);
    cut_copy(person->note, sizeof person->note, row->note);
    cut_copy(person->alert, sizeof person->alert, row->alert);
}

static void customers_done(struct view *view, void *arg) {
    struct customers_work *work = arg;
    struct customers_state *state = view_state(view);
    if (work->generation != state->generation)
        return;
    size_t kept = work->after_id == 0 ? 0 : state->count;
    state->rows = xrealloc(state->rows, kept + work->count + 1, sizeof *state->rows);
    for (size_t i = 0; i < work->count; i++)
        person_fill(&state->rows[kept + i], &work->rows[i]);
    state->count = kept + work->count;
    state->at_end = work->count < work->most || state->count >= ROWS_MOST;
    state->loaded = true;
    state->extending = false;
    state->list.has_after = !state->at_end;
    list_reloaded(&state->list);
    view_loaded(view);
    view_moved(view);
    wait_loaded(view);
}

static bool customers_failed(struct view *view, void *arg, const struct fd_error *err) {
    (void)arg;
    (void)err;
    VIEW_STATE(struct customers_state, view)->extending = false;
    return false;
}

static void ask_for(struct view *view, int64_t after_id, size_t most) {
    struct customers_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct customers_work *work = work_new(sizeof *work, customers_run, customers_done);
    work->base.failed = customers_failed;
    cut_copy(work->find, sizeof work->find, state->find);
    work->after_id = after_id;
    work->most = most;
    work->generation = state->generation;
    work_post(view, after_id == 0 ? N_("Reading customers") : N_("Reading more customers"), JOB_READ, work);
}

static void customers_load(struct view *view) {
    struct customers_state *state = view_state(view);
    if (!state->extending)
        ask_for(view, 0, state->count > PAGE_MOST ? state->count : PAGE_MOST);
}

static bool source_more(void *context, int direction) {
    struct view *view = context;
    struct customers_state *state = view_state(view);
    if (direction < 0 || state->at_end || state->count == 0)
        return false;
    if (!state->extending) {
        state->extending = true;
        ask_for(view, state->rows[state->count - 1].id, PAGE_MOST);
    }
    return true;
}

static void find(struct view *view, const char *text) {
    struct customers_state *state = view_state(view);
    cut_copy(state->find, sizeof state->find, text);
    state->generation++;
    state->loaded = state->extending = false;
    state->count = 0;
    list_reloaded(&state->list);
    customers_load(view);
}

/* --- life --- */

static void customers_open(struct view *view, const void *arg) {
    struct customers_state *state = view_state(view);
    const struct customers_args *args = arg;
    struct list_source source = {view, source_rows, source_key, source_cell, source_more};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    if (args && args->find)
        cut_copy(state->find, sizeof state->find, args->find);
}

static void customers_close(struct view *view) {
    struct customers_state *state = view_state(view);
    list_release(&state->list);
    free(state->rows);
}

static void customers_show(struct view *view) {
    if (!VIEW_STATE(struct customers_state, view)->loaded)
        customers_load(view);
}

static void customers_title(struct view *view, struct buf *text) {
    const struct customers_state *state = view_state(view);
    buf_printf(text, "%s  ", _("Customers"));
    if (*state->find)
        buf_add(text, state->find);
    else
        buf_add(text, _("newest first"));
}

static void customers_draw(struct view *view, struct cells *cells) {
    struct customers_state *state = view_state(view);
    struct cells rows = cells_sub(cells, 0, 0, cells->rows - 1, cells->columns);
    char text[120];
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows, state->loaded ? _("Nobody found. / searches again, a makes a new customer.") : "");
    if (!state->loaded)
        return;
    if (state->at_end)
        snprintf(text, sizeof text, ngettext("%zu customer, all shown", "%zu customers, all shown", state->count), state->count);
    else
        snprintf(text, sizeof text, _("%zu customers, more below"), state->count);
    cells_text(cells, cells->rows - 1, 1, STYLE_DIM, text);
}

/* --- requests --- */

static const struct person *here(const struct view *view) {
    const struct customers_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->count ? &state->rows[state->list.cursor] : NULL;
}

int64_t customers_selected(const struct view *view) {
    return here(view) ? here(view)->id : 0;
}

static const struct view_ops *customers_companion(const struct view *view, enum pane pane) {
    (void)view;
    return pane == PANE_SIDE ? &view_customer : NULL;
}

static enum fd_code find_typed(struct view *view, const char *text, struct fd_error *err) {
    (void)err;
    find(view, text);
    return FD_OK;
}

static void open_here(struct view *view) {
    if (here(view))
        view_push(view, &view_customer, &(struct customer_args){here(view)->id});
}

static void orders_here(struct view *view) {
    const struct person *person = here(view);
    if (person && *person->phone)
        view_push(view, &view_orders, &(struct orders_args){.phone = person->phone, .from = DAY_NONE, .to = DAY_NONE});
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_OPEN)
        open_here(view);
    if (event == LIST_MOVED)
        view_moved(view);
    return event != LIST_IGNORED;
}

static bool customers_request(struct view *view, enum request request, const struct input *input) {
    struct customers_state *state = view_state(view);
    if (list_event(view, list_request(&state->list, request, input)))
        return true;
    const char *typed = state->find;
    switch ((int)request) {
    case REQ_FIND:
        view_prompt(view, _("Find customer: "), "", find_typed, NULL);
        return true;
    case REQ_ADD:
        /* Who was looked for and not found is whom to make. */
        customer_edit_ask(view, NULL, state->count == 0 && strspn(typed, "0123456789+- ") == strlen(typed) && strlen(typed) > 4 ? typed : NULL);
        return true;
    case REQ_ORDERS:
        orders_here(view);
        return true;
    case REQ_BACK:
        if (*state->find == '\0')
            return false;
        find(view, "");
        return true;
    default:
        return false;
    }
}

static bool customers_input(struct view *view, const struct input *input) {
    struct customers_state *state = view_state(view);
    if (wait_hold(view, !state->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&state->list, input));
}

static void customers_child(struct view *view, struct view *child, int result) {
    (void)child;
    if (result != 0)
        customers_load(view);
}

static const char *customers_hint(const struct view *view) {
    (void)view;
    return _("/ find by phone, last 4, name, initials  Enter open  a new  o orders");
}

static const struct keybind binds[] = {
    {{K_F(2), 'a'}, REQ_ADD, NC_("key", "New"), N_("Make a new customer")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find by phone, its last 4 digits, name or pinyin initials")},
    {{'o'}, REQ_ORDERS, NULL, N_("The customer's orders")},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Customers"), binds);

const struct view_ops view_customers = {
    .name = "customers",
    .label = NC_("tab", "People"),
    .private_bytes = sizeof(struct customers_state),
    .keys = &keys,
    .open = customers_open,
    .close = customers_close,
    .load = customers_load,
    .show = customers_show,
    .child = customers_child,
    .title = customers_title,
    .draw = customers_draw,
    .input = customers_input,
    .request = customers_request,
    .hint = customers_hint,
    .companion = customers_companion,
};
