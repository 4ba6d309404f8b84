/* Arrivals: who comes next and who has not paid. In a window of its own with keys; as a strip under
 * the grid both lists stand side by side. */
#include "ui/view/act.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNPAID_MOST 200
#define CHANGED_MS  5000

/* What is looked at. */
static const struct horizon {
    const char *label; /* msgid, of the title and the pick list */
    int minutes;       /* 0: unpaid orders of all days */
} horizons[] = {
    {N_("next 2 hours"), 120},
    {N_("next 4 hours"), 240},
    {N_("rest of the day"), 1440},
    {N_("unpaid, by the end of the hold"), 0},
};
#define HORIZONS (sizeof horizons / sizeof *horizons)

struct lines {
    struct order_line *rows;
    size_t count;
    struct list list;
};

struct arrivals_state {
    size_t horizon;
    struct lines coming, unpaid; /* unpaid: read for the strip and for the last horizon */
    char cell[200];
    bool loaded;
};

struct arrivals_work {
    struct work base;
    size_t horizon;
    bool both;
    day_t today;
    struct order_line *coming, *unpaid;
    size_t coming_count, unpaid_count;
};

static const struct list_column columns[] = {
    {.label = NC_("column", "Start"), .cells = 5, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "Place"), .cells = 9, .grow = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Customer"), .cells = 10, .grow = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Tail"), .cells = 4, .priority = 1, .sortable = true, .align = -1},
    {.label = NC_("column", "Phone"), .cells = 11, .priority = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "State"), .cells = 8, .sortable = true, .align = -1},
    {.label = NC_("column", "Owes"), .cells = 9, .sortable = true, .align = 1},
    {.label = NC_("column", "Note"), .cells = 10, .grow = 3, .priority = 3, .sortable = true, .align = -1},
};
static const enum order_column shown[] = {OC_START, OC_VENUE, OC_CUSTOMER, OC_TAIL, OC_PHONE, OC_STATE, OC_OWED, OC_NOTE};

static const struct list_column unpaid_columns[] = {
    {.label = NC_("column", "When"), .cells = 17, .frozen = true, .sortable = true, .align = -1},
    {.label = NC_("column", "Place"), .cells = 9, .grow = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Customer"), .cells = 9, .grow = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Tail"), .cells = 4, .priority = 2, .sortable = true, .align = -1},
    {.label = NC_("column", "Phone"), .cells = 11, .priority = 1, .sortable = true, .align = -1},
    {.label = NC_("column", "State"), .cells = 8, .sortable = true, .align = -1},
    {.label = NC_("column", "Owes"), .cells = 9, .sortable = true, .align = 1},
};
static const enum order_column unpaid_shown[] = {OC_WHEN, OC_VENUE, OC_CUSTOMER, OC_TAIL, OC_PHONE, OC_STATE, OC_OWED};

static bool only_unpaid(const struct arrivals_state *state) {
    return horizons[state->horizon].minutes == 0;
}

static struct lines *main_lines(const struct view *view) {
    struct arrivals_state *state = view_state(view);
    return only_unpaid(state) ? &state->unpaid : &state->coming;
}

/* --- the lists' sources --- */

static size_t coming_rows(void *context) {
    return VIEW_STATE(struct arrivals_state, (struct view *)context)->coming.count;
}
static int64_t coming_key(void *context, size_t row) {
    return VIEW_STATE(struct arrivals_state, (struct view *)context)->coming.rows[row].id;
}
static size_t unpaid_rows(void *context) {
    return VIEW_STATE(struct arrivals_state, (struct view *)context)->unpaid.count;
}
static int64_t unpaid_key(void *context, size_t row) {
    return VIEW_STATE(struct arrivals_state, (struct view *)context)->unpaid.rows[row].id;
}

static void fill_cell(struct view *view, const struct order_line *line, enum order_column column, struct list_cell *cell) {
    struct arrivals_state *state = view_state(view);
    order_line_cell(line, column, app_now(view_app(view)), state->cell, sizeof state->cell, &cell->style);
    if (column == OC_STATE && line->changed_ms != 0 && mono_ms() - line->changed_ms < CHANGED_MS)
        cell->style = STYLE_CHANGED;
    cell->text = state->cell;
}
static void coming_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    fill_cell(context, &VIEW_STATE(struct arrivals_state, (struct view *)context)->coming.rows[row], shown[column], cell);
}
static void unpaid_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    fill_cell(context, &VIEW_STATE(struct arrivals_state, (struct view *)context)->unpaid.rows[row], unpaid_shown[column], cell);
}

/* --- reading --- */

static enum fd_code copy_lines(struct arena *arena, const struct venue_order *rows, size_t count, struct order_line **lines) {
    *lines = arena_array(arena, count == 0 ? 1 : count, sizeof **lines);
    for (size_t i = 0; i < count; i++)
        order_line_fill(&(*lines)[i], &rows[i]);
    return FD_OK;
}

static int by_end_of_hold(const void *a, const void *b) {
    const struct order_line *x = a, *y = b;
    if (x->expire_time != y->expire_time)
        return x->expire_time < y->expire_time ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static enum fd_code read_unpaid(struct desk *desk, struct arrivals_work *work, struct fd_error *err) {
    struct order_filter filter = {
        .from = work->today, .to = DAY_NONE, .states = "PENDING_PAY", .after_day = DAY_NONE, .most = UNPAID_MOST};
    struct venue_order *rows = NULL;
    bool more = false;
    enum fd_code code = venue_order_search(desk, &filter, &work->base.arena, &rows, &work->unpaid_count, &more, err);
    if (code != FD_OK)
        return code;
    copy_lines(&work->base.arena, rows, work->unpaid_count, &work->unpaid);
    qsort(work->unpaid, work->unpaid_count, sizeof *work->unpaid, by_end_of_hold);
    return FD_OK;
}

static enum fd_code arrivals_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct arrivals_work *work = arg;
    struct venue_order *rows = NULL;
    enum fd_code code = FD_OK;
    int minutes = horizons[work->horizon].minutes;
    if (minutes > 0) {
        code = venue_arrivals(desk, minutes, &work->base.arena, &rows, &work->coming_count, err);
        if (code == FD_OK)
            copy_lines(&work->base.arena, rows, work->coming_count, &work->coming);
    }
    if (code == FD_OK && (work->both || minutes == 0))
        code = read_unpaid(desk, work, err);
    return code;
}

static const struct order_line *line_of(const struct lines *lines, int64_t id) {
    for (size_t i = 0; i < lines->count; i++)
        if (lines->rows[i].id == id)
            return &lines->rows[i];
    return NULL;
}

static void sort_lines(struct lines *lines, const enum order_column *which) {
    if (lines->list.sort_column >= 0)
        order_lines_sort(lines->rows, lines->count, which[lines->list.sort_column], lines->list.sort_down);
}

static void replace(struct lines *lines, const struct order_line *rows, size_t count, bool mark) {
    struct order_line *fresh = xmalloc((count == 0 ? 1 : count) * sizeof *fresh);
    for (size_t i = 0; i < count; i++) {
        const struct order_line *was = line_of(lines, rows[i].id);
        fresh[i] = rows[i];
        if (mark)
            fresh[i].changed_ms = !was || strcmp(was->state, rows[i].state) != 0 ? mono_ms() : was->changed_ms;
    }
    free(lines->rows);
    lines->rows = fresh;
    lines->count = count;
    list_reloaded(&lines->list);
}

static void sort_all(struct arrivals_state *state) {
    sort_lines(&state->coming, shown);
    sort_lines(&state->unpaid, unpaid_shown);
    list_reloaded(&state->coming.list);
    list_reloaded(&state->unpaid.list);
}

static void arrivals_done(struct view *view, void *arg) {
    struct arrivals_work *work = arg;
    struct arrivals_state *state = view_state(view);
    if (work->horizon != state->horizon)
        return;
    replace(&state->coming, work->coming, work->coming_count, state->loaded);
    replace(&state->unpaid, work->unpaid, work->unpaid_count, state->loaded);
    sort_all(state);
    state->loaded = true;
    view_loaded(view);
    view_moved(view);
    wait_loaded(view);
}

static void arrivals_load(struct view *view) {
    struct arrivals_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct arrivals_work *work = work_new(sizeof *work, arrivals_run, arrivals_done);
    work->base.clock = true;
    work->horizon = state->horizon;
    work->both = view_pane(view) == PANE_STRIP;
    work->today = app_today(view_app(view));
    work_post(view, N_("Reading arrivals"), JOB_READ, work);
}

/* --- life --- */

static void arrivals_open(struct view *view, const void *arg) {
    struct arrivals_state *state = view_state(view);
    struct list_source coming = {view, coming_rows, coming_key, coming_cell, NULL};
    struct list_source unpaid = {view, unpaid_rows, unpaid_key, unpaid_cell, NULL};
    (void)arg;
    list_init(&state->coming.list, columns, sizeof columns / sizeof *columns, &coming);
    list_init(&state->unpaid.list, unpaid_columns, sizeof unpaid_columns / sizeof *unpaid_columns, &unpaid);
    state->coming.list.selectable = state->unpaid.list.selectable = true;
}

static void arrivals_close(struct view *view) {
    struct arrivals_state *state = view_state(view);
    list_release(&state->coming.list);
    list_release(&state->unpaid.list);
    free(state->coming.rows);
    free(state->unpaid.rows);
}

static void arrivals_show(struct view *view) {
    if (!VIEW_STATE(struct arrivals_state, view)->loaded)
        arrivals_load(view);
}

static void arrivals_title(struct view *view, struct buf *text) {
    struct arrivals_state *state = view_state(view);
    char day[32];
    buf_printf(text, "%s  ", _("Arrivals"));
    if (!only_unpaid(state))
        buf_printf(text, "%s  ", show_day(app_today(view_app(view)), day));
    buf_add(text, _(horizons[state->horizon].label));
}

static const struct order_line *here(const struct view *view) {
    const struct lines *lines = main_lines(view);
    return list_has(&lines->list) && lines->list.cursor < lines->count ? &lines->rows[lines->list.cursor] : NULL;
}

const char *arrivals_selected(const struct view *view) {
    const struct order_line *line = here(view);
    return line ? line->order_no : "";
}

/* --- drawing --- */

static void draw_foot(struct view *view, struct cells *cells, int row) {
    const struct lines *lines = main_lines(view);
    size_t owing = 0;
    int64_t owed_fen = 0;
    char text[200], money[40];
    for (size_t i = 0; i < lines->count; i++) {
        int64_t fen = order_line_owed(&lines->rows[i]);
        owing += fen > 0;
        owed_fen += fen;
    }
    int used = snprintf(text, sizeof text, ngettext("%zu to come", "%zu to come", lines->count), lines->count);
    snprintf(text + used, sizeof text - (size_t)used, ngettext(", %zu owes %s", ", %zu owe %s", owing), owing, show_yuan(owed_fen, money));
    cells_text(cells, row, 1, STYLE_DIM, text);
    if (lines->list.mark_count > 0) {
        snprintf(text, sizeof text, ngettext("%zu marked", "%zu marked", lines->list.mark_count), lines->list.mark_count);
        cells_put(cells, row, cells->columns / 2, cells->columns - cells->columns / 2 - 1, 1, STYLE_MARK, text);
    }
}

static void draw_strip(struct arrivals_state *state, struct cells *cells) {
    int half = cells->columns / 2;
    struct cells left = cells_sub(cells, 0, 0, cells->rows, half - 1);
    struct cells right = cells_sub(cells, 0, half + 1, cells->rows, cells->columns - half - 1);
    cells_vline(cells, 0, half - 1, cells->rows, STYLE_RULE);
    state->coming.list.focused = state->unpaid.list.focused = false;
    list_draw(&state->coming.list, &left, state->loaded ? _("Nobody is expected.") : "");
    list_draw(&state->unpaid.list, &right, state->loaded ? _("Everybody has paid.") : "");
}

static void arrivals_draw(struct view *view, struct cells *cells) {
    struct arrivals_state *state = view_state(view);
    if (view_pane(view) == PANE_STRIP) {
        draw_strip(state, cells);
        return;
    }
    struct list *list = &main_lines(view)->list;
    struct cells rows = cells_sub(cells, 0, 0, cells->rows - 1, cells->columns);
    list->focused = view_is_focused(view);
    list_draw(list, &rows, !state->loaded ? "" : only_unpaid(state) ? _("Everybody has paid.") : _("Nobody is expected. f looks further ahead."));
    if (state->loaded)
        draw_foot(view, cells, cells->rows - 1);
}

/* --- requests --- */

static void look_at(struct view *view, size_t horizon) {
    struct arrivals_state *state = view_state(view);
    state->horizon = horizon;
    state->loaded = false;
    arrivals_load(view);
}

static void horizon_chosen(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)dialog;
    (void)context;
    if (answer >= 0 && (size_t)answer < HORIZONS)
        look_at(view, (size_t)answer);
}

static void choose_horizon(struct view *view) {
    const char *rows[HORIZONS];
    for (size_t i = 0; i < HORIZONS; i++)
        rows[i] = _(horizons[i].label);
    view_dialog(view, dialog_pick(_("Show"), rows, HORIZONS, (int)VIEW_STATE(struct arrivals_state, view)->horizon), horizon_chosen, NULL);
}

static void act_on_chosen(struct view *view, enum act_many kind) {
    const struct lines *lines = main_lines(view);
    if (lines->list.mark_count == 0) {
        if (kind == ACT_CHECK_IN)
            act_check_in(view, arrivals_selected(view));
        else
            act_cancel(view, arrivals_selected(view));
        return;
    }
    const struct order_line **chosen = xcalloc(lines->count + 1, sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++)
        if (list_is_marked(&lines->list, lines->rows[i].id))
            chosen[count++] = &lines->rows[i];
    act_many(view, kind, chosen, count);
    free(chosen);
}

static void do_check_in(struct view *view) {
    act_on_chosen(view, ACT_CHECK_IN);
}
static void do_cancel(struct view *view) {
    act_on_chosen(view, ACT_CANCEL);
}
static void do_pay(struct view *view) {
    act_pay(view, arrivals_selected(view));
}
static void do_move(struct view *view) {
    act_move(view, arrivals_selected(view));
}
static void do_open(struct view *view) {
    act_open(view, arrivals_selected(view));
}
static void do_why(struct view *view) {
    act_why_order(view, arrivals_selected(view));
}
static void do_note(struct view *view) {
    act_note(view, arrivals_selected(view), here(view)->note);
}
static void do_customer(struct view *view) {
    act_customer(view, here(view)->user_id);
}

static const struct {
    enum request request;
    void (*run)(struct view *view);
} row_acts[] = {
    {REQ_CHECK_IN, do_check_in}, {REQ_CANCEL, do_cancel}, {REQ_PAY, do_pay},   {REQ_MOVE, do_move},
    {REQ_OPEN, do_open},         {REQ_WHY, do_why},       {REQ_EDIT, do_note}, {REQ_CUSTOMER, do_customer},
};

static bool row_request(struct view *view, enum request request) {
    for (size_t i = 0; i < sizeof row_acts / sizeof *row_acts; i++)
        if (row_acts[i].request == request) {
            if (here(view))
                row_acts[i].run(view);
            else if (request == REQ_CHECK_IN)
                act_check_in(view, NULL);
            else
                app_message(view_app(view), MESSAGE_INFO, "%s", _("There is no order under the cursor."));
            return true;
        }
    return false;
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_IGNORED)
        return false;
    if (event == LIST_SORT)
        sort_all(view_state(view));
    if (event == LIST_MOVED)
        view_moved(view);
    if (event == LIST_OPEN)
        row_request(view, REQ_OPEN);
    return true;
}

static bool plain_again(struct view *view) {
    struct list *list = &main_lines(view)->list;
    if (list->mark_count > 0) {
        list_unmark(list);
        return true;
    }
    if (list->sort_column < 0)
        return false;
    list->sort_column = -1;
    arrivals_load(view);
    return true;
}

static bool arrivals_request(struct view *view, enum request request, const struct input *input) {
    struct arrivals_state *state = view_state(view);
    if (list_event(view, list_request(&main_lines(view)->list, request, input)) || row_request(view, request))
        return true;
    switch ((int)request) {
    case REQ_FILTER:
        choose_horizon(view);
        return true;
    case REQ_UNPAID:
        look_at(view, only_unpaid(state) ? 0 : HORIZONS - 1);
        return true;
    case REQ_FIND:
        act_find(view);
        return true;
    case REQ_BACK:
        return plain_again(view);
    default:
        return false;
    }
}

static bool arrivals_input(struct view *view, const struct input *input) {
    if (wait_hold(view, !VIEW_STATE(struct arrivals_state, view)->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && view_pane(view) == PANE_MAIN && list_event(view, list_mouse(&main_lines(view)->list, input));
}

static bool arrivals_can(const struct view *view, enum request request) {
    for (size_t i = 0; i < sizeof row_acts / sizeof *row_acts; i++)
        if (row_acts[i].request == request && request != REQ_CHECK_IN)
            return here(view) != NULL;
    return true;
}

static const char *arrivals_hint(const struct view *view) {
    (void)view;
    return _("c check in  p pay  d cancel  m move  e note  o unpaid  f how far  Enter open");
}

static const struct view_ops *arrivals_companion(const struct view *view, enum pane pane) {
    (void)view;
    return pane == PANE_SIDE ? &view_order : NULL;
}

static const struct keybind binds[] = {
    {{K_F(2), 'p'}, REQ_PAY, NC_("key", "Pay"), N_("Take payment for the order")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "Show"), N_("How far ahead to look, or only unpaid orders")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move to another slot")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel the order, or the marked ones")},
    {{'c'}, REQ_CHECK_IN, NULL, N_("Check in the order, or the marked ones")},
    {{'o'}, REQ_UNPAID, NULL, NULL},
    {{'e', 't'}, REQ_EDIT, NULL, N_("Change the note (what was said on the phone)")},
    {{'u'}, REQ_CUSTOMER, NULL, N_("The customer of the order")},
    {{'w'}, REQ_WHY, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Arrivals"), binds);

const struct view_ops view_arrivals = {
    .name = "arrivals",
    .label = NC_("tab", "Arrive"),
    .private_bytes = sizeof(struct arrivals_state),
    .refresh_ms = 5000,
    .keys = &keys,
    .open = arrivals_open,
    .close = arrivals_close,
    .load = arrivals_load,
    .show = arrivals_show,
    .child = act_child,
    .title = arrivals_title,
    .draw = arrivals_draw,
    .input = arrivals_input,
    .request = arrivals_request,
    .can = arrivals_can,
    .hint = arrivals_hint,
    .companion = arrivals_companion,
};
