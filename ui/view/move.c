/* Moving an order: the free slots of the same sport as a small grid, places across, times down;
 * each cell says what the move costs more. Another day by [ and ]. */
#include "ui/view/act.h"
#include "ui/view/approval_step.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct move_state {
    char number[NUMBER_BYTES];
    struct arena arena;
    struct order_line order;
    struct day_grid *grid;     /* in the arena; NULL: nothing read yet */
    day_t day;                 /* shown; DAY_NONE: the order's own */
    int row, column;           /* cursor */
    int top, left;             /* scroll */
    int rows, columns;         /* of the last drawing */
    struct cells area;         /* of the last drawing, for the mouse */
    bool placed;               /* the cursor was set to where the order is */
};

struct move_work {
    struct work base;
    char number[NUMBER_BYTES];
    day_t day;
    struct order_line order;
    struct day_grid *grid;
};

#define TIME_CELLS 8
#define CELL_CELLS 10

/* --- reading --- */

static enum fd_code read_order(struct db *db, void *arg, struct fd_error *err) {
    struct move_work *work = arg;
    struct order *order = NULL;
    enum fd_code code = order_find(db, work->number, &work->base.arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order->kind != &venue_kind)
        return fd_fail(err, FD_NOT_FOUND, NULL);
    order_line_fill(&work->order, (const struct venue_order *)order);
    return FD_OK;
}

static enum fd_code move_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct move_work *work = arg;
    enum fd_code code = desk_read(desk, "order.move.preview", read_order, work, err);
    if (code != FD_OK)
        return code;
    return day_grid_load(desk, work->day == DAY_NONE ? work->order.day : work->day, work->order.sport, &work->base.arena, &work->grid, err);
}

static const struct grid_cell *cell_at(const struct move_state *state, int row, int column) {
    if (!state->grid || row < 0 || column < 0 || (size_t)row >= state->grid->row_count || (size_t)column >= state->grid->venue_count)
        return NULL;
    const struct grid_cell *cell = &state->grid->cells[(size_t)row * state->grid->venue_count + (size_t)column];
    return cell->slot.id == 0 ? NULL : cell;
}

/* At first the cursor stands on the order's own slot: the neighbours are what people ask for. */
static void place_cursor(struct move_state *state) {
    for (size_t row = 0; row < state->grid->row_count; row++)
        for (size_t column = 0; column < state->grid->venue_count; column++) {
            const struct grid_cell *cell = cell_at(state, (int)row, (int)column);
            if (cell && (cell->slot.id == state->order.slot_id ||
                         (cell->slot.venue_id == state->order.venue_id && cell->slot.start_minute == state->order.start_minute))) {
                state->row = (int)row;
                state->column = (int)column;
            }
        }
    state->placed = true;
}

static void clamp(struct move_state *state) {
    int rows = state->grid ? (int)state->grid->row_count : 0, columns = state->grid ? (int)state->grid->venue_count : 0;
    if (state->row >= rows)
        state->row = rows - 1;
    if (state->column >= columns)
        state->column = columns - 1;
    if (state->row < 0)
        state->row = 0;
    if (state->column < 0)
        state->column = 0;
}

static void move_done(struct view *view, void *arg) {
    struct move_work *work = arg;
    struct move_state *state = view_state(view);
    if (work->day != state->day)
        return; /* the day was changed meanwhile */
    work_take(work, &state->arena);
    state->order = work->order;
    state->grid = work->grid;
    state->day = work->grid->day;
    app_set_clock(view_app(view), work->grid->now);
    if (!state->placed)
        place_cursor(state);
    clamp(state);
    view_loaded(view);
    wait_loaded(view);
}

static void move_load(struct view *view) {
    struct move_state *state = view_state(view);
    if (!view_is_ready(view))
        return;
    struct move_work *work = work_new(sizeof *work, move_run, move_done);
    cut_copy(work->number, sizeof work->number, state->number);
    work->day = state->day;
    work_post(view, N_("Reading free slots"), JOB_READ, work);
}

static void move_open(struct view *view, const void *arg) {
    struct move_state *state = view_state(view);
    const struct move_args *args = arg;
    state->day = DAY_NONE;
    if (args)
        cut_copy(state->number, sizeof state->number, args->order_no);
}

static void move_close(struct view *view) {
    arena_release(&VIEW_STATE(struct move_state, view)->arena);
}

static void move_title(struct view *view, struct buf *text) {
    struct move_state *state = view_state(view);
    char day[32];
    buf_printf(text, _("Move order %s"), show_tail(state->number));
    if (state->grid)
        buf_printf(text, "  %s  ‹ %s ›", show_sport(state->order.sport), show_day(state->day, day));
}

/* --- what a slot would mean --- */

static bool is_paid(const struct move_state *state) {
    return strcmp(state->order.state, "PENDING_PAY") != 0;
}

static bool is_free(const struct move_state *state, const struct grid_cell *cell) {
    const struct slot *slot = &cell->slot;
    return slot->id != state->order.slot_id && slot->open && !slot->over && slot->remain_count >= state->order.quantity;
}

static int64_t difference(const struct move_state *state, const struct slot *slot) {
    int64_t fen;
    return fen_times(slot->price_fen, state->order.quantity, &fen) ? fen - state->order.total_fen : 0;
}

/* Why a cell cannot be chosen, in the cell. */
static const char *say_cell(const struct move_state *state, const struct grid_cell *cell, char out[32], style_t *style) {
    const struct slot *slot = &cell->slot;
    char amount[FEN_TEXT];
    *style = STYLE_OVER;
    if (slot->id == state->order.slot_id) {
        *style = STYLE_STRONG;
        return C_("slot", "here");
    }
    if (slot->over)
        return "";
    if (!slot->open)
        return C_("slot", "closed");
    if (slot->remain_count < state->order.quantity)
        return C_("slot", "taken");
    int64_t fen = difference(state, slot);
    *style = fen < 0 && is_paid(state) ? STYLE_MISSED : STYLE_FREE;
    if (fen == 0)
        return C_("slot", "same");
    snprintf(out, 32, "%s%s", fen > 0 ? "+" : "", fen_text(fen, amount));
    return out;
}

/* --- drawing --- */

static void draw_order(const struct move_state *state, struct cells *cells) {
    char day[32], when[24], total[40];
    cells_printf(cells, 0, 1, STYLE_STRONG, "%s  %s  %s %s  ×%lld  %s", state->order.customer, state->order.venue, show_day(state->order.day, day),
                 part_span(state->order.start_minute, state->order.end_minute, when, sizeof when), (long long)state->order.quantity,
                 show_yuan(state->order.total_fen, total));
}

static void draw_venues(const struct move_state *state, struct cells *cells, int row) {
    for (int i = 0; i < state->columns && (size_t)(state->left + i) < state->grid->venue_count; i++)
        cells_put(cells, row, TIME_CELLS + i * CELL_CELLS, CELL_CELLS - 2, -1, STYLE_HEADER, state->grid->venues[state->left + i].name);
    if (state->left > 0)
        cells_text(cells, row, TIME_CELLS - 2, STYLE_HEADER, cells_symbol(cells, SYMBOL_PREV));
    if ((size_t)(state->left + state->columns) < state->grid->venue_count)
        cells_text(cells, row, cells->columns - 1, STYLE_HEADER, cells_symbol(cells, SYMBOL_NEXT));
}

static void draw_slots(const struct move_state *state, struct cells *cells, int first_row, bool focused) {
    char text[32], time[HHMM_TEXT];
    for (int i = 0; i < state->rows && (size_t)(state->top + i) < state->grid->row_count; i++) {
        int row = state->top + i;
        cells_text(cells, first_row + i, 1, row == state->row ? STYLE_STRONG : STYLE_LABEL, minute_text(state->grid->starts[row], time));
        for (int j = 0; j < state->columns && (size_t)(state->left + j) < state->grid->venue_count; j++) {
            const struct grid_cell *cell = cell_at(state, row, state->left + j);
            bool here = row == state->row && state->left + j == state->column;
            int at = TIME_CELLS + j * CELL_CELLS;
            style_t style = STYLE_TEXT;
            const char *said = cell ? say_cell(state, cell, text, &style) : "";
            cells_put(cells, first_row + i, at, CELL_CELLS - 2, -1, style, said);
            if (!here)
                continue;
            cells_restyle(cells, first_row + i, at, 1, CELL_CELLS - 2, focused ? STYLE_SELECT : STYLE_SELECT_OFF);
            cells_text(cells, first_row + i, at - 1, STYLE_STRONG, "[");
            cells_text(cells, first_row + i, at + CELL_CELLS - 2, STYLE_STRONG, "]");
            cells_cursor(cells, first_row + i, at);
        }
    }
}

/* What the slot under the cursor means, in a sentence. */
static void draw_meaning(const struct move_state *state, struct cells *cells, int row) {
    const struct grid_cell *cell = cell_at(state, state->row, state->column);
    char when[24], money[40];
    if (!cell)
        return;
    const struct slot *slot = &cell->slot;
    int column = 1 + cells_printf(cells, row, 1, STYLE_STRONG, "%s %s  ", slot->venue, part_span(slot->start_minute, slot->end_minute, when, sizeof when));
    if (!is_free(state, cell)) {
        cells_text(cells, row, column, STYLE_DIM, slot->id == state->order.slot_id ? _("the order is here now") : _("cannot be chosen"));
        return;
    }
    int64_t fen = difference(state, slot);
    if (fen == 0)
        cells_text(cells, row, column, STYLE_FREE, _("costs the same"));
    else if (fen > 0)
        cells_printf(cells, row, column, STYLE_MONEY, is_paid(state) ? _("%s to take now") : _("%s more to pay"), show_yuan(fen, money));
    else
        cells_printf(cells, row, column, is_paid(state) ? STYLE_WARN : STYLE_MONEY,
                     is_paid(state) ? _("%s goes back") : _("%s less to pay"), show_yuan(-fen, money));
}

static void scroll_to_cursor(struct move_state *state) {
    if (state->row < state->top)
        state->top = state->row;
    if (state->rows > 0 && state->row >= state->top + state->rows)
        state->top = state->row - state->rows + 1;
    if (state->column < state->left)
        state->left = state->column;
    if (state->columns > 0 && state->column >= state->left + state->columns)
        state->left = state->column - state->columns + 1;
}

static void move_draw(struct view *view, struct cells *cells) {
    struct move_state *state = view_state(view);
    if (!state->grid) {
        cells_text(cells, 0, 1, STYLE_DIM, _("Reading…"));
        return;
    }
    state->rows = cells->rows > 4 ? cells->rows - 4 : 1;
    state->columns = cells->columns > TIME_CELLS + CELL_CELLS ? (cells->columns - TIME_CELLS) / CELL_CELLS : 1;
    state->area = *cells;
    scroll_to_cursor(state);
    draw_order(state, cells);
    draw_venues(state, cells, 1);
    if (state->grid->row_count == 0)
        cells_text(cells, 2, 1, STYLE_DIM, _("No slots on this day. [ and ] change the day."));
    struct cells body = cells_sub(cells, 2, 0, state->rows, cells->columns);
    draw_slots(state, &body, 0, view_is_focused(view));
    draw_meaning(state, cells, cells->rows - 1);
}

/* --- moving --- */

struct moving {
    struct work base;
    char number[NUMBER_BYTES], venue[96], reason[512];
    int64_t slot_id, approval_id, back_fen; /* back_fen: what goes back, 0 nothing */
    day_t day;
    int start_minute, end_minute;
    struct venue_changed changed;
};

static enum fd_code collect(struct desk *desk, void *arg, const struct payment *payment, struct paid *paid, struct fd_error *err) {
    struct moving *moving = arg;
    const bool later = !payment || tenders[payment->tender].by_code;
    const struct venue_change how = {.payment = later ? NULL : payment,
                                     .leave_due = later,
                                     .back = {.approval_id = moving->approval_id},
                                     .reason = *moving->reason ? moving->reason : NULL};
    enum fd_code code = venue_move_with(desk, moving->base.key, moving->number, moving->slot_id, &how, &moving->changed, err);
    *paid = moving->changed.paid;
    return code;
}

/* What owes, where it was moved without money. */
static const char *owing(void *arg) {
    return ((struct moving *)arg)->number;
}

static enum fd_code moving_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct paid paid = {0};
    return collect(desk, arg, NULL, &paid, err);
}

static const char *moved_text(const struct moving *moving, char out[240]) {
    char day[32], when[24];
    snprintf(out, 240, _("Order %s is at %s now, %s %s."), show_tail(moving->number), moving->venue, show_day(moving->day, day),
             part_span(moving->start_minute, moving->end_minute, when, sizeof when));
    return out;
}

static void say_moved(struct view *view, const struct moving *moving) {
    char text[240];
    app_message(view_app(view), MESSAGE_GOOD, "%s", moved_text(moving, text));
}

static void moving_done(struct view *view, void *arg) {
    const struct moving *moving = arg;
    struct view *from = view_below(view);
    struct backed backed = moving->changed.backed;
    char number[NUMBER_BYTES], text[240];
    cut_copy(number, sizeof number, moving->number);
    moved_text(moving, text);
    view_close(view, 1);
    act_backed(from, number, &backed, text);
}

static void moving_post(struct view *view, struct moving *moving);

static void moving_approved(struct view *view, void *work, int64_t approval_id) {
    ((struct moving *)work)->approval_id = approval_id;
    moving_post(view, work);
}

static bool moving_failed(struct view *view, void *arg, const struct fd_error *err) {
    struct moving *moving = arg;
    if (err->code == FD_APPROVAL) {
        const struct approval_wish wish = {
            .action = "refund", .order_no = moving->number, .amount_fen = moving->back_fen, .reason = moving->reason};
        approval_open(view, &(struct approval_args){&wish, err->message, moving_approved, work_copy(moving)});
        return true;
    }
    move_load(view); /* the slot may be gone: show what is free now */
    return false;
}

static void moving_post(struct view *view, struct moving *moving) {
    moving->base.run = moving_run;
    moving->base.done = moving_done;
    moving->base.failed = moving_failed;
    work_post(view, N_("Moving the order"), JOB_WRITE, moving);
}

static void moving_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct moving *moving = work_unhold(context);
    if (answer != 0) {
        work_free(moving);
        return;
    }
    if (dialog_form_of(dialog))
        cut_copy(moving->reason, sizeof moving->reason, dialog_reason_text(dialog));
    moving_post(view, moving);
}

static void take_money(struct view *view, struct moving *moving, int64_t fen) {
    char title[120], text[200], day[32], when[24];
    snprintf(title, sizeof title, _("Move order %s"), show_tail(moving->number));
    snprintf(text, sizeof text, _("to %s, %s %s"), moving->venue, show_day(moving->day, day),
             part_span(moving->start_minute, moving->end_minute, when, sizeof when));
    const struct pay_line line = {text, fen};
    const struct pay_args args = {
        .title = title, .lines = &line, .line_count = 1, .amount_fen = fen, .collect = collect, .owing = owing, .can_leave = true, .arg = moving, .dispose = work_free};
    view_push(view, &view_pay, &args);
}

static void choose(struct view *view) {
    struct move_state *state = view_state(view);
    const struct grid_cell *cell = cell_at(state, state->row, state->column);
    char title[120], day[32], when[24], money[40];
    if (!cell || !is_free(state, cell)) {
        app_message(view_app(view), MESSAGE_WARN, "%s", _("Choose a free slot: the cells with a price."));
        return;
    }
    const struct slot *slot = &cell->slot;
    int64_t fen = difference(state, slot);
    struct moving *moving = work_new(sizeof *moving, NULL, NULL);
    key_new(moving->base.key);
    cut_copy(moving->number, sizeof moving->number, state->order.order_no);
    cut_copy(moving->venue, sizeof moving->venue, slot->venue);
    moving->slot_id = slot->id;
    moving->day = slot->day;
    moving->start_minute = slot->start_minute;
    moving->end_minute = slot->end_minute;
    if (fen > 0 && is_paid(state)) {
        take_money(view, moving, fen);
        return;
    }
    snprintf(title, sizeof title, _("Move order %s"), show_tail(moving->number));
    char *body = xprintf(_("To %s, %s %s. It costs %s then."), slot->venue, show_day(slot->day, day),
                         part_span(slot->start_minute, slot->end_minute, when, sizeof when), show_yuan(state->order.total_fen + fen, money));
    struct dialog *dialog;
    if (fen < 0 && is_paid(state)) {
        char *more = xprintf(_("%s\n%s goes back the way it came."), body, show_yuan(-fen, money));
        moving->back_fen = -fen;
        dialog = dialog_reason(title, more, _("&Move and give back"), 2, NULL);
        free(more);
    } else {
        dialog = dialog_confirm(title, body, _("&Move"), DIALOG_PLAIN);
    }
    work_hold(moving);
    view_dialog(view, dialog, moving_answered, moving);
    free(body);
}

static void move_child(struct view *view, struct view *child, int result) {
    if (view_ops(child) != &view_pay)
        return;
    if (result == PAY_DONE || result == PAY_OWED) {
        if (result == PAY_DONE)
            say_moved(view, pay_arg(child));
        view_close(view, 1);
    } else if (result == PAY_REFUSED) {
        app_error(view_app(view), pay_refusal(child));
        move_load(view);
    }
}

/* --- requests --- */

static void go_day(struct view *view, day_t day) {
    struct move_state *state = view_state(view);
    state->day = day;
    move_load(view);
}

static enum fd_code date_typed(struct view *view, const char *text, struct fd_error *err) {
    day_t day = DAY_NONE;
    enum fd_code code = day_parse(text, _("Date"), app_today(view_app(view)), &day, err);
    if (code == FD_OK)
        go_day(view, day);
    return code;
}

static const struct {
    enum request request;
    int rows, columns;
} motions[] = {
    {REQ_UP, -1, 0},       {REQ_DOWN, 1, 0},        {REQ_LEFT, 0, -1},  {REQ_RIGHT, 0, 1},
    {REQ_PAGE_UP, -10, 0}, {REQ_PAGE_DOWN, 10, 0}, {REQ_HOME, 0, -999}, {REQ_END, 0, 999},
};

static bool motion(struct move_state *state, enum request request) {
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        if (motions[i].request == request) {
            state->row += motions[i].rows;
            state->column += motions[i].columns;
            clamp(state);
            return true;
        }
    return false;
}

static bool move_request(struct view *view, enum request request, const struct input *input) {
    struct move_state *state = view_state(view);
    (void)input;
    if (motion(state, request))
        return true;
    switch ((int)request) {
    case REQ_OPEN:
    case REQ_MOVE:
        choose(view);
        return true;
    case REQ_DAY_PREV:
        if (state->grid)
            go_day(view, state->day - 1);
        return true;
    case REQ_DAY_NEXT:
        if (state->grid)
            go_day(view, state->day + 1);
        return true;
    case REQ_TODAY:
        go_day(view, app_today(view_app(view)));
        return true;
    case REQ_FIND:
        act_find(view);
        return true;
    case REQ_DATE:
        view_prompt(view, _("Date: "), "", date_typed, NULL);
        return true;
    default:
        return false;
    }
}

static bool move_input(struct view *view, const struct input *input) {
    struct move_state *state = view_state(view);
    if (wait_hold(view, !state->grid, input))
        return true;
    if (input->kind != INPUT_MOUSE || !state->grid)
        return false;
    if (input->mouse == MOUSE_WHEEL_UP || input->mouse == MOUSE_WHEEL_DOWN) {
        state->row += input->mouse == MOUSE_WHEEL_UP ? -1 : 1;
        clamp(state);
        return true;
    }
    int row, column;
    if (!cells_hit(&state->area, input->row, input->column, &row, &column) || row < 2 || row >= 2 + state->rows || column < TIME_CELLS)
        return false;
    row += state->top - 2;
    column = state->left + (column - TIME_CELLS) / CELL_CELLS;
    if (!cell_at(state, row, column))
        return false;
    state->row = row;
    state->column = column;
    if (input->mouse == MOUSE_DOUBLE)
        choose(view);
    return true;
}

static const char *move_hint(const struct view *view) {
    (void)view;
    return _("Enter move here  [ ] day  g date  Esc leave it where it is");
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move the order to this slot")},
    {{K_F(7), 'g'}, REQ_DATE, NC_("key", "Date"), NULL},
    {{'['}, REQ_DAY_PREV, NULL, NULL},
    {{']'}, REQ_DAY_NEXT, NULL, NULL},
    {{'t'}, REQ_TODAY, NULL, NULL},
    {{K_F(2)}, REQ_NONE, NULL, NULL},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Move"), binds);

const struct view_ops view_move = {
    .name = "move",
    .label = NC_("tab", "Move"),
    .private_bytes = sizeof(struct move_state),
    .refresh_ms = 3000,
    .keys = &keys,
    .open = move_open,
    .close = move_close,
    .load = move_load,
    .title = move_title,
    .draw = move_draw,
    .input = move_input,
    .request = move_request,
    .child = move_child,
    .hint = move_hint,
};
