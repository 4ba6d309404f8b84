/* The drawer of this terminal: what came in, what to hand over; open, put in, take out, close. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/shift.h"
#include "ui/view/shift_internal.h"
#include "ui/view/slip.h"
#include "ui/view/wait.h"

struct shift_state {
    struct arena arena;
    struct shift_sum *sum; /* NULL: none is open */
    char trouble[512];     /* why there is none */
    int64_t id;            /* a past one; 0: the open one of this terminal */
    bool loaded;
};

struct shift_work {
    struct work base;
    int64_t id;
    struct shift_sum *sum;
};

/* --- reading -------------------------------------------------------------------------------------- */

static enum fd_code shift_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct shift_work *work = arg;
    return shift_report(desk, work->id, &work->base.arena, &work->sum, err);
}

static void shift_done(struct view *view, void *arg)
{
    struct shift_work *work = arg;
    struct shift_state *state = view_state(view);
    work_take(work, &state->arena);
    state->sum = work->sum;
    state->loaded = true;
    state->trouble[0] = '\0';
    view_loaded(view);
    wait_loaded(view);
}

static bool shift_failed(struct view *view, void *arg, const struct fd_error *err)
{
    struct shift_state *state = view_state(view);
    (void)arg;
    wait_drop(view);
    if (err->code != FD_REFUSED && err->code != FD_NOT_FOUND)
        return false;
    arena_release(&state->arena);
    state->sum = NULL;
    state->loaded = true;
    cut_copy(state->trouble, sizeof state->trouble, err->message);
    view_loaded(view);
    return true;
}

static void shift_load(struct view *view)
{
    const struct shift_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct shift_work *work = work_new(sizeof *work, shift_run, shift_done);
    work->id = state->id;
    work->base.clock = true;
    work->base.failed = shift_failed;
    work_post(view, N_("Reading the shift"), JOB_READ, work);
}

/* --- drawing -------------------------------------------------------------------------------------- */

static int draw_sum(struct cells *cells, int row, const char *label, int64_t fen, style_t style)
{
    cells_text(cells, row, 2, STYLE_LABEL, label);
    part_money(cells, row, 26, 12, style, fen);
    return row + 1;
}

static int draw_drawer(const struct shift_sum *sum, struct cells *cells, int row)
{
    cells_text(cells, row++, 2, STYLE_HEADER, _("Drawer"));
    row = draw_sum(cells, row, _("Float at the opening"), sum->opening_fen, STYLE_TEXT);
    row = draw_sum(cells, row, _("Put in"), sum->in_fen, STYLE_TEXT);
    row = draw_sum(cells, row, _("Taken out"), -sum->out_fen, STYLE_TEXT);
    if (strcmp(sum->status, "OPEN") == 0 && sum->blind) {
        cells_put(cells, row, 2, 38, -1, STYLE_DIM, _("What should be there: at the close"));
        return row + 1;
    }
    row = draw_sum(cells, row, _("Should be there"), sum->expected_fen, STYLE_STRONG);
    if (strcmp(sum->status, "OPEN") == 0)
        return row;
    row = draw_sum(cells, row, _("Counted"), sum->counted_fen, STYLE_STRONG);
    row = draw_sum(cells, row, _("Difference"), sum->difference_fen, sum->difference_fen ? STYLE_ERROR : STYLE_GOOD);
    return draw_sum(cells, row, _("Left for the next shift"), sum->left_fen, STYLE_TEXT);
}

/* Cash of a blind shift is kept back: whoever adds it up knows what should be there. */
static void draw_tenders(const struct shift_sum *sum, struct cells *cells)
{
    cells_text(cells, 0, 0, STYLE_HEADER, _("Taken"));
    cells_put(cells, 0, 11, 4, 1, STYLE_HEADER, C_("column", "No."));
    cells_put(cells, 0, 16, 11, 1, STYLE_HEADER, C_("column", "Amount"));
    cells_put(cells, 0, 28, 11, 1, STYLE_HEADER, C_("column", "Back"));
    for (size_t i = 0; i < sum->line_count; i++) {
        const struct shift_line *line = &sum->lines[i];
        int row = (int)i + 1;
        char number[24];
        cells_put(cells, row, 0, 11, -1, STYLE_TEXT, part_channel(line->channel));
        if (sum->blind && strcmp(line->channel, "CASH") == 0) {
            cells_put(cells, row, 12, 27, 1, STYLE_DIM, _("told at the close"));
            continue;
        }
        snprintf(number, sizeof number, "%lld", (long long)line->count);
        cells_number(cells, row, 11, 4, STYLE_TEXT, number);
        part_money(cells, row, 16, 11, STYLE_MONEY, line->fen);
        if (line->back_fen)
            part_money(cells, row, 28, 11, STYLE_WARN, -line->back_fen);
    }
}

static int draw_count(struct cells *cells, int row, const char *label, int64_t count)
{
    cells_text(cells, row, 2, STYLE_LABEL, label);
    cells_printf(cells, row, 26, count ? STYLE_WARN : STYLE_DIM, "%lld", (long long)count);
    return row + 1;
}

static void draw_hand_over(const struct shift_sum *sum, struct cells *cells, int row)
{
    cells_text(cells, row++, 2, STYLE_HEADER, _("To hand over"));
    row = draw_count(cells, row, _("Unpaid holds"), sum->unpaid);
    row = draw_count(cells, row, _("Live codes"), sum->live_codes);
    row = draw_count(cells, row, _("Goods out"), sum->goods_out);
    row = draw_count(cells, row, _("Needs a person"), sum->cases);
    draw_count(cells, row, _("Changed orders"), sum->changed);
}

static void draw_head(const struct shift_sum *sum, struct cells *cells)
{
    char from[32], to[32];
    part_stamp(sum->opened_at, from, sizeof from);
    if (strcmp(sum->status, "OPEN") == 0) {
        cells_printf(cells, 0, 2, STYLE_STRONG, _("Shift %lld of %s, open since %s by %s"), (long long)sum->id,
                     sum->terminal, from, sum->opened_by);
        return;
    }
    part_stamp(sum->closed_at, to, sizeof to);
    cells_printf(cells, 0, 2, STYLE_STRONG, _("Shift %lld of %s, %s to %s, closed by %s"), (long long)sum->id,
                 sum->terminal, from, to, sum->closed_by);
    if (*sum->explanation)
        cells_printf(cells, 1, 2, STYLE_INFO, _("Explanation: %s"), sum->explanation);
}

static void shift_draw(struct view *view, struct cells *cells)
{
    const struct shift_state *state = view_state(view);
    if (view_is_focused(view))
        cells_cursor(cells, 0, 2);
    if (!state->sum) {
        cells_text(cells, 1, 2, STYLE_TEXT, state->loaded ? state->trouble : "");
        if (state->loaded)
            cells_text(cells, 3, 2, STYLE_STRONG, _("a opens one with the float that is in the drawer."));
        return;
    }
    const struct shift_sum *sum = state->sum;
    draw_head(sum, cells);
    struct cells left = cells_sub(cells, 2, 0, cells->rows - 2, 40);
    struct cells right = cells_sub(cells, 2, 40, cells->rows - 2, cells->columns - 40);
    int row = draw_drawer(sum, &left, 0);
    draw_hand_over(sum, &left, row + 1);
    draw_tenders(sum, &right);
}

static void shift_title(struct view *view, struct buf *text)
{
    const struct shift_state *state = view_state(view);
    if (state->id)
        buf_printf(text, _("Shift %lld"), (long long)state->id);
    else
        buf_add(text, C_("title", "Shift"));
}

/* --- keys ----------------------------------------------------------------------------------------- */

static void open_view(struct view *view, const void *arg)
{
    const struct shift_args *args = arg;
    VIEW_STATE(struct shift_state, view)->id = args ? args->id : 0;
}

static void shift_close_view(struct view *view)
{
    arena_release(&VIEW_STATE(struct shift_state, view)->arena);
}

static void shift_show(struct view *view)
{
    if (!VIEW_STATE(struct shift_state, view)->loaded)
        shift_load(view);
}

static void print_report(struct view *view)
{
    const struct shift_state *state = view_state(view);
    char number[32] = "";
    if (state->sum)
        snprintf(number, sizeof number, "%lld", (long long)state->sum->id);
    if (*number)
        slip_print(view_console(view), PRINT_SHIFT, number, false);
}

static bool is_open_here(const struct view *view)
{
    const struct shift_state *state = view_state(view);
    return state->id == 0 && state->sum;
}

static bool shift_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    const struct shift_state *state = view_state(view);
    bool here = is_open_here(view);
    switch ((int)request) {
    case REQ_ADD:
        if (state->loaded && !here && state->id == 0)
            shift_ask_open(view);
        return true;
    case REQ_CASH_IN:
    case REQ_CASH_OUT:
        if (here)
            shift_ask_cash(view, request == REQ_CASH_OUT);
        return true;
    case REQ_CANCEL:
        if (here)
            shift_ask_close(view);
        return true;
    case REQ_RECEIPT:
        print_report(view);
        return true;
    case REQ_STORY:
        view_push(view, &view_shifts, NULL);
        return true;
    case REQ_ORDERS:
        view_push(view, &view_cases, NULL);
        return true;
    default:
        return false;
    }
}

static bool shift_can(const struct view *view, enum request request)
{
    const struct shift_state *state = view_state(view);
    if (request == REQ_ADD)
        return state->loaded && !state->sum && state->id == 0;
    if (request == REQ_CASH_IN || request == REQ_CASH_OUT || request == REQ_CANCEL)
        return is_open_here(view);
    return request != REQ_RECEIPT || state->sum;
}

static bool shift_input(struct view *view, const struct input *input)
{
    return wait_hold(view, !VIEW_STATE(struct shift_state, view)->loaded, input);
}

static void shift_child(struct view *view, struct view *child, int result)
{
    (void)child;
    if (result != 0)
        shift_load(view);
}

static const char *shift_hint(const struct view *view)
{
    if (VIEW_STATE(struct shift_state, view)->id)
        return _("r print  Esc back");
    return is_open_here(view) ? _("i in  o out  d close and count  r print  h past  n needs a person")
                              : _("a open  h past shifts  n needs a person");
}

static const struct keybind binds[] = {
    {{K_F(2), 'a'}, REQ_ADD, NC_("key", "Open"), N_("Open a shift with the float in the drawer")},
    {{K_F(4), 'i'}, REQ_CASH_IN, NC_("key", "In"), N_("Put cash in without a sale")},
    {{K_F(6), 'o'}, REQ_CASH_OUT, NC_("key", "Out"), N_("Take cash out without a refund")},
    {{K_F(7), 'h'}, REQ_STORY, NC_("key", "Past"), N_("Past shifts")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Count"), N_("Close: count first, then see what should be there")},
    {{'r'}, REQ_RECEIPT, NULL, N_("Print the report")},
    {{'n'}, REQ_ORDERS, NULL, N_("What needs a person")},
    {{K_F(3), '/'}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Shift"), binds);

const struct view_ops view_shift = {
    .name = "shift",
    .label = NC_("tab", "Shift"),
    .private_bytes = sizeof(struct shift_state),
    .refresh_ms = 10000,
    .keys = &keys,
    .open = open_view,
    .close = shift_close_view,
    .load = shift_load,
    .show = shift_show,
    .child = shift_child,
    .title = shift_title,
    .draw = shift_draw,
    .input = shift_input,
    .request = shift_request,
    .can = shift_can,
    .hint = shift_hint,
};
