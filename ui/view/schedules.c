/* Schedules: the slots of a day, of all places or of one; made, closed, opened and priced here. */
#include "ui/view/schedules.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schedules_state {
    day_t day;
    int64_t venue_id;             /* 0 all */
    struct arena arena;
    struct slot *slots;
    size_t count;
    struct venue_names venues;
    struct list list;
    char cell[200];
    bool loaded;
};

struct schedules_work {
    struct work base;
    day_t day;
    int64_t venue_id;
    struct slot *slots;
    size_t count;
    struct venue_names venues;
};

enum { C_VENUE, C_TIME, C_FORM, C_LEFT, C_TOTAL, C_PRICE, C_STATE, C_REASON };

static const struct list_column columns[] = {
    {.label = NC_("column", "Place"), .cells = 12, .grow = 1, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "Time"), .cells = 11, .sortable = true, .align = -1},
    {.label = NC_("column", "Form"), .cells = 8, .priority = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Free"), .cells = 5, .sortable = true, .align = 1},
    {.label = NC_("column", "of"), .cells = 5, .sortable = true, .align = 1},
    {.label = NC_("column", "Price"), .cells = 10, .sortable = true, .align = 1},
    {.label = NC_("column", "State"), .cells = 7, .sortable = true, .align = -1},
    {.label = NC_("column", "Why closed"), .cells = 14, .grow = 2, .priority = 1, .sortable = true, .align = -1},
};

static size_t source_rows(void *context) {
    return VIEW_STATE(struct schedules_state, (struct view *)context)->count;
}
static int64_t source_key(void *context, size_t row) {
    return VIEW_STATE(struct schedules_state, (struct view *)context)->slots[row].id;
}

static const char *form_label(const char *form) {
    if (strcmp(form, "PLACE") == 0)
        return C_("stock", "places");
    if (strcmp(form, "HOURLY") == 0)
        return C_("stock", "hourly");
    if (strcmp(form, "DAILY") == 0)
        return C_("stock", "daily");
    return C_("stock", "court");
}

static const char *slot_state(const struct slot *slot, style_t *style) {
    *style = STYLE_TEXT;
    if (!slot->open) {
        *style = STYLE_CLOSED;
        return C_("slot", "closed");
    }
    if (slot->over) {
        *style = STYLE_OVER;
        return C_("slot", "over");
    }
    if (slot->remain_count == 0) {
        *style = STYLE_PAID;
        return C_("slot", "full");
    }
    if (slot->running) {
        *style = STYLE_NOW;
        return C_("slot", "now");
    }
    *style = STYLE_FREE;
    return C_("slot", "open");
}

static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct schedules_state *state = view_state((struct view *)context);
    const struct slot *slot = &state->slots[row];
    char number[FEN_TEXT];
    style_t style;
    cell->text = state->cell;
    switch (column) {
    case C_VENUE:
        cell->text = slot->venue;
        break;
    case C_TIME:
        part_span(slot->start_minute, slot->end_minute, state->cell, sizeof state->cell);
        break;
    case C_FORM:
        cell->text = form_label(slot->form);
        break;
    case C_LEFT:
        snprintf(state->cell, sizeof state->cell, "%lld", (long long)slot->remain_count);
        break;
    case C_TOTAL:
        snprintf(state->cell, sizeof state->cell, "%lld", (long long)slot->total_count);
        break;
    case C_PRICE:
        cut_copy(state->cell, sizeof state->cell, fen_text(slot->price_fen, number));
        break;
    case C_STATE:
        cell->text = slot_state(slot, &style);
        cell->style = style;
        break;
    default:
        cell->text = slot->open ? "" : slot->close_reason;
        break;
    }
}

/* --- sorting: the day is here whole --- */

static int by_number(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int compare(const void *a, const void *b, void *context) {
    const struct slot *x = a, *y = b;
    const struct list *list = context;
    style_t style;
    const int64_t numbers[][2] = {
        [C_TIME] = {x->start_minute, y->start_minute}, [C_LEFT] = {x->remain_count, y->remain_count},
        [C_TOTAL] = {x->total_count, y->total_count},  [C_PRICE] = {x->price_fen, y->price_fen},
    };
    int order = 0;
    if (list->sort_column == C_VENUE)
        order = strcmp(x->venue, y->venue);
    else if (list->sort_column == C_FORM)
        order = strcmp(x->form, y->form);
    else if (list->sort_column == C_STATE)
        order = strcmp(slot_state(x, &style), slot_state(y, &style));
    else if (list->sort_column == C_REASON)
        order = strcmp(x->close_reason, y->close_reason);
    else
        order = by_number(numbers[list->sort_column][0], numbers[list->sort_column][1]);
    if (order == 0)
        return x->start_minute != y->start_minute ? by_number(x->start_minute, y->start_minute) : by_number(x->id, y->id);
    return list->sort_down ? -order : order;
}

static void sort_loaded(struct schedules_state *state) {
    if (state->list.sort_column >= 0 && state->count > 1)
        qsort_r(state->slots, state->count, sizeof *state->slots, compare, &state->list);
    list_reloaded(&state->list);
}

/* --- reading --- */

static enum fd_code read_rows(struct db *db, void *arg, struct fd_error *err) {
    struct schedules_work *work = arg;
    struct venue *venues = NULL;
    size_t count = 0;
    arena_reset(&work->base.arena);
    enum fd_code code = slot_list(db, work->day, NULL, work->venue_id, &work->base.arena, &work->slots, &work->count, err);
    if (code == FD_OK)
        code = venue_list(db, NULL, false, &work->base.arena, &venues, &count, err);
    work->venues.count = 0;
    for (size_t i = 0; code == FD_OK && i < count && i < VENUES_MOST; i++) {
        work->venues.rows[i].id = venues[i].id;
        cut_copy(work->venues.rows[i].name, sizeof work->venues.rows[i].name, venues[i].name);
        cut_copy(work->venues.rows[i].sport, sizeof work->venues.rows[i].sport, venues[i].sport);
        cut_copy(work->venues.rows[i].form, sizeof work->venues.rows[i].form, venues[i].form);
        work->venues.count++;
    }
    return code;
}

static enum fd_code schedules_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct schedules_work *work = arg;
    if (work->day == DAY_NONE) { /* the clock was not known when the screen opened */
        wall_t now;
        enum fd_code code = desk_now(desk, &now, err);
        if (code != FD_OK)
            return code;
        work->day = wall_day(now);
    }
    return desk_read(desk, "schedules", read_rows, work, err);
}

static void schedules_done(struct view *view, void *arg) {
    struct schedules_work *work = arg;
    struct schedules_state *state = view_state(view);
    if (work->venue_id != state->venue_id || (state->day != DAY_NONE && work->day != state->day))
        return;
    work_take(work, &state->arena);
    state->day = work->day;
    state->slots = work->slots;
    state->count = work->count;
    state->venues = work->venues;
    state->loaded = true;
    sort_loaded(state);
    view_loaded(view);
    wait_loaded(view);
}

static void schedules_load(struct view *view) {
    struct schedules_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct schedules_work *work = work_new(sizeof *work, schedules_run, schedules_done);
    work->day = state->day;
    work->venue_id = state->venue_id;
    work->base.clock = true;
    work_post(view, N_("Reading slots"), JOB_READ, work);
}

static void look_at(struct view *view, day_t day, int64_t venue_id) {
    struct schedules_state *state = view_state(view);
    state->day = day;
    state->venue_id = venue_id;
    state->loaded = false;
    state->count = 0;
    list_unmark(&state->list);
    list_reloaded(&state->list);
    schedules_load(view);
}

/* --- life --- */

static void schedules_open(struct view *view, const void *arg) {
    struct schedules_state *state = view_state(view);
    const struct schedules_args *args = arg;
    struct list_source source = {view, source_rows, source_key, source_cell, NULL};
    list_init(&state->list, columns, sizeof columns / sizeof *columns, &source);
    state->list.selectable = true;
    state->day = args && args->day != DAY_NONE ? args->day : app_today(view_app(view));
    state->venue_id = args ? args->venue_id : 0;
}

static void schedules_close(struct view *view) {
    struct schedules_state *state = view_state(view);
    list_release(&state->list);
    arena_release(&state->arena);
}

static void schedules_show(struct view *view) {
    if (!VIEW_STATE(struct schedules_state, view)->loaded)
        schedules_load(view);
}

static const char *venue_name(const struct schedules_state *state) {
    for (size_t i = 0; i < state->venues.count; i++)
        if (state->venues.rows[i].id == state->venue_id)
            return state->venues.rows[i].name;
    return _("all places");
}

static void schedules_title(struct view *view, struct buf *text) {
    const struct schedules_state *state = view_state(view);
    char day[32];
    buf_printf(text, "%s  ‹ %s ›  %s", C_("title", "Slots"), show_day(state->day, day), venue_name(state));
}

static void schedules_draw(struct view *view, struct cells *cells) {
    struct schedules_state *state = view_state(view);
    struct cells rows = cells_sub(cells, 0, 0, cells->rows - 1, cells->columns);
    char text[160];
    size_t closed = 0, free_count = 0;
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, &rows, state->loaded ? _("No slots on this day. a makes some.") : "");
    if (!state->loaded)
        return;
    for (size_t i = 0; i < state->count; i++) {
        closed += !state->slots[i].open;
        free_count += state->slots[i].open && !state->slots[i].over && state->slots[i].remain_count > 0;
    }
    snprintf(text, sizeof text, ngettext("%zu slot: %zu bookable, %zu closed", "%zu slots: %zu bookable, %zu closed", state->count), state->count,
             free_count, closed);
    cells_text(cells, cells->rows - 1, 1, STYLE_DIM, text);
    if (state->list.mark_count == 0)
        return;
    snprintf(text, sizeof text, ngettext("%zu marked", "%zu marked", state->list.mark_count), state->list.mark_count);
    cells_put(cells, cells->rows - 1, cells->columns / 2, cells->columns - cells->columns / 2 - 1, 1, STYLE_MARK, text);
}

/* --- requests --- */

/* "12 slots: Court 1 10:00–11:00 …", so that it is seen before what is changed. */
static void say_chosen(const struct schedules_state *state, const int64_t *ids, size_t count, char *out, size_t bytes) {
    const struct slot *first = NULL;
    char when[24];
    for (size_t i = 0; i < state->count && !first; i++)
        for (size_t j = 0; j < count; j++)
            if (state->slots[i].id == ids[j])
                first = &state->slots[i];
    int used = snprintf(out, bytes, ngettext("%zu slot: ", "%zu slots: ", count), count);
    if (first && used > 0 && (size_t)used < bytes)
        snprintf(out + used, bytes - (size_t)used, "%s %s%s", first->venue, part_span(first->start_minute, first->end_minute, when, sizeof when),
                 count > 1 ? " …" : "");
}

static void change_chosen(struct view *view, enum slots_do what) {
    struct schedules_state *state = view_state(view);
    char about[200];
    size_t count = 0;
    const int64_t *ids = list_chosen(&state->list, &count);
    say_chosen(state, ids, count, about, sizeof about);
    if (count == 0)
        app_message(view_app(view), MESSAGE_INFO, "%s", _("There is no slot under the cursor."));
    else if (count > SLOTS_MOST)
        app_message(view_app(view), MESSAGE_WARN, _("At most %d at once: use a range (e)."), SLOTS_MOST);
    else
        slots_change_ask(view, what, ids, count, about);
}

static void venue_chosen(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct schedules_state *state = view_state(view);
    (void)dialog;
    (void)context;
    if (answer == 0)
        look_at(view, state->day, 0);
    else if (answer > 0 && (size_t)answer <= state->venues.count)
        look_at(view, state->day, state->venues.rows[answer - 1].id);
}

static void choose_venue(struct view *view) {
    struct schedules_state *state = view_state(view);
    const char *rows[VENUES_MOST + 1] = {_("all places")};
    int current = 0;
    for (size_t i = 0; i < state->venues.count; i++) {
        rows[i + 1] = state->venues.rows[i].name;
        if (state->venues.rows[i].id == state->venue_id)
            current = (int)i + 1;
    }
    view_dialog(view, dialog_pick(_("Place"), rows, state->venues.count + 1, current), venue_chosen, NULL);
}

static const struct slot *here(const struct view *view) {
    const struct schedules_state *state = view_state(view);
    return list_has(&state->list) && state->list.cursor < state->count ? &state->slots[state->list.cursor] : NULL;
}

static int64_t venue_here(const struct view *view) {
    const struct schedules_state *state = view_state(view);
    return state->venue_id != 0 ? state->venue_id : here(view) ? here(view)->venue_id : 0;
}

static enum fd_code date_typed(struct view *view, const char *text, struct fd_error *err) {
    day_t day = DAY_NONE;
    enum fd_code code = day_parse(text, _("Date"), app_today(view_app(view)), &day, err);
    if (code == FD_OK)
        look_at(view, day, VIEW_STATE(struct schedules_state, view)->venue_id);
    return code;
}

static void do_close(struct view *view) {
    change_chosen(view, SLOTS_CLOSE);
}
static void do_open(struct view *view) {
    change_chosen(view, SLOTS_OPEN);
}
static void do_price(struct view *view) {
    change_chosen(view, SLOTS_PRICE);
}
/* What stands there today is what is wanted for the next weeks, mostly. */
static struct slots_like like_today(const struct view *view) {
    const struct schedules_state *state = view_state(view);
    struct slots_like like = {.venue_id = venue_here(view), .day = state->day, .places = 1, .price_fen = -1, .open_minute = 8 * 60, .close_minute = 22 * 60, .length_minutes = 60};
    bool first = true;
    for (size_t i = 0; i < state->count; i++) {
        const struct slot *slot = &state->slots[i];
        if (slot->venue_id != like.venue_id)
            continue;
        if (first || slot->start_minute < like.open_minute)
            like.open_minute = slot->start_minute;
        if (first || slot->end_minute > like.close_minute)
            like.close_minute = slot->end_minute;
        if (first) {
            like.length_minutes = slot->end_minute - slot->start_minute;
            like.places = slot->total_count;
            like.price_fen = slot->price_fen;
        }
        first = false;
    }
    return like;
}
static void do_make(struct view *view) {
    struct slots_like like = like_today(view);
    slots_make_ask(view, &VIEW_STATE(struct schedules_state, view)->venues, &like);
}
static void do_range(struct view *view) {
    struct schedules_state *state = view_state(view);
    slots_range_ask(view, &state->venues, venue_here(view), state->day);
}
static void do_why(struct view *view) {
    if (here(view))
        act_why_slot(view, here(view)->id);
}
static void do_orders(struct view *view) {
    const struct slot *slot = here(view);
    if (slot)
        view_push(view, &view_orders, &(struct orders_args){.from = slot->day, .to = slot->day, .venue_id = slot->venue_id});
}
static struct list *list_of(struct view *view) {
    return &VIEW_STATE(struct schedules_state, view)->list;
}
static void do_find(struct view *view) {
    list_find(view, list_of);
}
static void do_date(struct view *view) {
    view_prompt(view, _("Date: "), "", date_typed, NULL);
}
static void do_day_prev(struct view *view) {
    struct schedules_state *state = view_state(view);
    look_at(view, state->day - 1, state->venue_id);
}
static void do_day_next(struct view *view) {
    struct schedules_state *state = view_state(view);
    look_at(view, state->day + 1, state->venue_id);
}
static void do_today(struct view *view) {
    look_at(view, app_today(view_app(view)), VIEW_STATE(struct schedules_state, view)->venue_id);
}

static const struct {
    enum request request;
    void (*run)(struct view *view);
} acts[] = {
    {REQ_CLOSE_SLOT, do_close}, {REQ_OPEN_SLOT, do_open}, {REQ_PRICE, do_price},       {REQ_GENERATE, do_make},    {REQ_RANGE, do_range},   {REQ_WHY, do_why},
    {REQ_ORDERS, do_orders},    {REQ_DATE, do_date},      {REQ_DAY_PREV, do_day_prev}, {REQ_DAY_NEXT, do_day_next}, {REQ_TODAY, do_today}, {REQ_PLACE, choose_venue}, {REQ_FIND, do_find},
};

static bool act(struct view *view, enum request request) {
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (acts[i].request == request) {
            acts[i].run(view);
            return true;
        }
    return false;
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_OPEN)
        do_orders(view);
    if (event == LIST_SORT)
        sort_loaded(view_state(view));
    return event != LIST_IGNORED;
}

static bool schedules_request(struct view *view, enum request request, const struct input *input) {
    struct schedules_state *state = view_state(view);
    if (list_event(view, list_request(&state->list, request, input)))
        return true;
    if (act(view, request))
        return true;
    if (request == REQ_BACK && state->list.mark_count > 0) {
        list_unmark(&state->list);
        return true;
    }
    if (request == REQ_BACK && state->list.sort_column >= 0) {
        state->list.sort_column = -1;
        schedules_load(view);
        return true;
    }
    return false;
}

static bool schedules_input(struct view *view, const struct input *input) {
    struct schedules_state *state = view_state(view);
    if (wait_hold(view, !state->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&state->list, input));
}

static void schedules_child(struct view *view, struct view *child, int result) {
    (void)child;
    if (result == 0)
        return;
    list_unmark(&VIEW_STATE(struct schedules_state, view)->list);
    schedules_load(view);
}

static const char *schedules_hint(const struct view *view) {
    (void)view;
    return _("a make  x close  o open  $ price  e range  v place  [ ] day  Enter orders");
}

static const struct keybind binds[] = {
    {{K_F(2), 'a'}, REQ_GENERATE, NC_("key", "Make"), N_("Make slots in bulk")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(4), 'v', 'f'}, REQ_PLACE, NC_("key", "Place"), N_("Slots of one place, or of all")},
    {{K_F(6), 'e'}, REQ_RANGE, NC_("key", "Range"), N_("Close, open or price a range of days and hours")},
    {{K_F(7), 'g'}, REQ_DATE, NC_("key", "Date"), NULL},
    {{'['}, REQ_DAY_PREV, NULL, NULL},
    {{']'}, REQ_DAY_NEXT, NULL, NULL},
    {{'t'}, REQ_TODAY, NULL, NULL},
    {{K_F(8), 'x'}, REQ_CLOSE_SLOT, NC_("key", "Close"), N_("Close the slot, or the marked ones")},
    {{'o'}, REQ_OPEN_SLOT, NULL, N_("Open the slot, or the marked ones")},
    {{'$'}, REQ_PRICE, NULL, N_("Price of the slot, or of the marked ones")},
    {{'w'}, REQ_WHY, NULL, N_("Why the slot cannot be booked")},
    {{'d'}, REQ_NONE, NULL, NULL},
    {{'m'}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Slots"), binds);

const struct view_ops view_schedules = {
    .name = "slots",
    .label = NC_("tab", "Slots"),
    .private_bytes = sizeof(struct schedules_state),
    .refresh_ms = 5000,
    .keys = &keys,
    .open = schedules_open,
    .close = schedules_close,
    .load = schedules_load,
    .show = schedules_show,
    .child = schedules_child,
    .title = schedules_title,
    .draw = schedules_draw,
    .input = schedules_input,
    .request = schedules_request,
    .hint = schedules_hint,
};
