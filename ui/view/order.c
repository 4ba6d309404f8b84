/* One order with its story; a view of its own, and what stands beside lists of orders. */
#include "ui/view/order.h"
#include "ui/view/act.h"
#include "ui/view/slip.h"
#include "ui/view/wait.h"
#include <string.h>

#define FROM_THE_END 1000000 /* the newest rows of the story first */

struct order_state {
    char number[NUMBER_BYTES];
    struct order_facts facts;
    struct order_look look;
    bool with_why, missing;
    bool shown_logged; /* that the whole phone was shown */
};

struct order_work {
    struct work base;
    char number[NUMBER_BYTES];
    bool with_why;
    struct order_facts facts;
};

/* --- reading --- */

struct read_arg {
    const char *number;
    struct order_facts *facts;
};

/* What came and went for the other orders of the bill. */
static enum fd_code read_bill(struct db *db, struct order_facts *facts, struct fd_error *err) {
    enum fd_code code = FD_OK;
    struct payment_row *rows;
    size_t count;
    facts->sum = (struct pay_sum){0};
    pay_sum_add(&facts->sum, facts->payments, facts->payment_count);
    facts->bill_sum = facts->sum;
    for (size_t i = 0; i < facts->owed.all_count && code == FD_OK; i++) {
        if (strcmp(facts->owed.all[i]->order_no, facts->order->base.order_no) == 0)
            continue;
        code = pay_rows(db, facts->owed.all[i]->order_no, &facts->arena, &rows, &count, err);
        if (code == FD_OK)
            pay_sum_add(&facts->bill_sum, rows, count);
    }
    return code;
}

static enum fd_code read_rows(struct db *db, void *arg, struct fd_error *err) {
    struct read_arg *read = arg;
    struct order_facts *facts = read->facts;
    struct order *order = NULL;
    arena_reset(&facts->arena);
    enum fd_code code = order_find(db, read->number, &facts->arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order->kind != &venue_kind)
        return fd_fail(err, FD_NOT_FOUND, NULL);
    facts->order = (struct venue_order *)order;
    code = pay_owed(db, order->order_no, &facts->arena, &facts->owed, err);
    if (code == FD_OK)
        code = order_story(db, order->kind->entity, order->order_no, &facts->arena, &facts->story, &facts->story_count, err);
    if (code == FD_OK)
        code = pay_rows(db, order->order_no, &facts->arena, &facts->payments, &facts->payment_count, err);
    return code == FD_OK ? read_bill(db, facts, err) : code;
}

enum fd_code order_facts_read(struct desk *desk, const char *number, bool with_why, struct order_facts *facts, struct fd_error *err) {
    struct read_arg read = {number, facts};
    enum fd_code code = desk_read(desk, "order.detail", read_rows, &read, err);
    if (code == FD_OK)
        code = customer_by_id(desk, facts->order->base.user_id, &facts->arena, &facts->customer, err);
    if (code == FD_OK && with_why)
        code = why_order(desk, facts->order->base.order_no, &facts->arena, &facts->why, err);
    return code;
}

static enum fd_code order_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct order_work *work = arg;
    arena_release(&work->facts.arena);
    work->facts = (struct order_facts){0};
    return order_facts_read(desk, work->number, work->with_why, &work->facts, err);
}

static void order_release(void *arg) {
    arena_release(&((struct order_work *)arg)->facts.arena);
}

/* The log must say that the whole number was seen: once for each opening. */
static void log_shown(struct view *view) {
    struct order_state *state = view_state(view);
    const struct order *base = &state->facts.order->base;
    if (state->shown_logged || !part_whole_phone(view) || *base->phone == '\0')
        return;
    state->shown_logged = true;
    act_log_shown(view, base->user_id);
}

static void order_done(struct view *view, void *arg) {
    struct order_work *work = arg;
    struct order_state *state = view_state(view);
    arena_release(&state->facts.arena);
    state->facts = work->facts;
    work->facts.arena = (struct arena){0};
    state->missing = false;
    cut_copy(state->number, sizeof state->number, state->facts.order->base.order_no);
    view_loaded(view);
    log_shown(view);
    wait_loaded(view);
}

static bool order_failed(struct view *view, void *arg, const struct fd_error *err) {
    struct order_state *state = view_state(view);
    (void)arg;
    if (err->code == FD_NOT_FOUND)
        state->missing = true;
    wait_drop(view);
    return view_pane(view) != PANE_MAIN && err->code == FD_NOT_FOUND;
}

static void order_load(struct view *view) {
    struct order_state *state = view_state(view);
    if (*state->number == '\0' || !view_is_ready(view))
        return;
    struct order_work *work = work_new(sizeof *work, order_run, order_done);
    cut_copy(work->number, sizeof work->number, state->number);
    work->with_why = state->with_why;
    work->base.clock = true;
    work->base.failed = order_failed;
    work->base.release = order_release;
    work_post(view, N_("Reading the order"), JOB_READ, work);
}

/* --- life --- */

static void order_open(struct view *view, const void *arg) {
    struct order_state *state = view_state(view);
    const struct order_args *args = arg;
    state->look.top = FROM_THE_END;
    if (args && args->order_no)
        cut_copy(state->number, sizeof state->number, args->order_no);
}

static void order_close(struct view *view) {
    arena_release(&VIEW_STATE(struct order_state, view)->facts.arena);
}

static void forget(struct order_state *state) {
    arena_release(&state->facts.arena);
    state->facts = (struct order_facts){0};
    state->look.top = FROM_THE_END;
    state->missing = false;
}

static void order_follow(struct view *view, struct view *leader) {
    struct order_state *state = view_state(view);
    const char *number = view_selected_order(leader);
    if (strcmp(number, state->number) == 0 && (state->facts.order || *number == '\0'))
        return;
    cut_copy(state->number, sizeof state->number, number);
    forget(state);
    order_load(view);
}

const char *order_selected(const struct view *view) {
    return VIEW_STATE(struct order_state, view)->number;
}

static void order_title(struct view *view, struct buf *text) {
    buf_printf(text, _("Order %s"), VIEW_STATE(struct order_state, view)->number);
}

static void order_draw(struct view *view, struct cells *cells) {
    struct order_state *state = view_state(view);
    if (!state->facts.order) {
        const char *text = state->missing ? _("There is no such order.") : *state->number ? _("Reading…") : _("No order here.");
        cells_text(cells, 0, 1, STYLE_DIM, text);
        cells_cursor(cells, 0, 0);
        return;
    }
    state->look.whole_phone = part_whole_phone(view);
    state->look.now = app_now(view_app(view));
    struct cells body = *cells;
    if (view_pane(view) != PANE_MAIN) { /* a view of its own has the number in its title */
        cells_put(cells, 0, 1, cells->columns - 1, -1, STYLE_HEADER, state->number);
        body = cells_sub(cells, 1, 0, cells->rows - 1, cells->columns);
    }
    order_facts_draw(&state->facts, &body, &state->look);
    if (view_is_focused(view))
        cells_cursor(&body, 0, 1);
}

/* --- requests --- */

static void bill_chosen(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct order_state *state = view_state(view);
    (void)dialog;
    (void)context;
    if (answer < 0 || (size_t)answer >= state->facts.owed.all_count)
        return;
    cut_copy(state->number, sizeof state->number, state->facts.owed.all[answer]->order_no);
    forget(state);
    order_load(view);
}

static void do_bill(struct view *view) {
    struct order_state *state = view_state(view);
    const struct owed *owed = &state->facts.owed;
    if (owed->all_count <= 1) {
        app_message(view_app(view), MESSAGE_INFO, "%s", _("This order stands alone, without a bill."));
        return;
    }
    struct arena arena = {0};
    const char **rows = arena_array(&arena, owed->all_count, sizeof *rows);
    int current = 0;
    for (size_t i = 0; i < owed->all_count; i++) {
        const struct venue_order *order = (const struct venue_order *)owed->all[i];
        char when[24], total[40];
        rows[i] = arena_printf(&arena, "%s  %s  %s  %s  %s", show_tail(order->base.order_no), order->venue,
                               part_span(order->start_minute, order->end_minute, when, sizeof when), show_yuan(order->base.total_fen, total),
                               state_label("venue_order", order->base.state));
        if (strcmp(order->base.order_no, state->number) == 0)
            current = (int)i;
    }
    view_dialog(view, dialog_pick(arena_printf(&arena, _("Bill %s"), owed->bill_no), rows, owed->all_count, current), bill_chosen, NULL);
    arena_release(&arena);
}

static void do_pay(struct view *view) {
    act_pay(view, order_selected(view));
}
static void do_check_in(struct view *view) {
    act_check_in(view, order_selected(view));
}
static void do_move(struct view *view) {
    act_move(view, order_selected(view));
}
static void do_cancel(struct view *view) {
    act_cancel(view, order_selected(view));
}
static void do_extend(struct view *view) {
    act_extend(view, order_selected(view));
}
static void do_quantity(struct view *view) {
    act_quantity(view, order_selected(view));
}
static void do_note(struct view *view) {
    act_note(view, order_selected(view), VIEW_STATE(struct order_state, view)->facts.order->base.note);
}
static void do_price(struct view *view) {
    act_price(view, order_selected(view));
}
static void do_refund(struct view *view) {
    act_refund(view, order_selected(view));
}
static void do_receipt(struct view *view) {
    slip_print(view_console(view), PRINT_RECEIPT, order_selected(view), false);
}
static void do_customer(struct view *view) {
    act_customer(view, VIEW_STATE(struct order_state, view)->facts.order->base.user_id);
}
static void do_why(struct view *view) {
    struct order_state *state = view_state(view);
    state->with_why = !state->with_why;
    state->facts.why = NULL;
    if (state->with_why)
        order_load(view);
}
static void do_open(struct view *view) {
    if (view_pane(view) != PANE_MAIN)
        act_open(view, order_selected(view));
}

static const struct {
    enum request request;
    void (*run)(struct view *view);
} acts[] = {
    {REQ_PAY, do_pay},   {REQ_CHECK_IN, do_check_in}, {REQ_MOVE, do_move},         {REQ_CANCEL, do_cancel}, {REQ_EXTEND, do_extend}, {REQ_QUANTITY, do_quantity},
    {REQ_EDIT, do_note}, {REQ_PRICE, do_price},       {REQ_CUSTOMER, do_customer}, {REQ_WHY, do_why},       {REQ_BILL, do_bill},     {REQ_OPEN, do_open},
    {REQ_REFUND, do_refund}, {REQ_RECEIPT, do_receipt},
};

static bool scroll(struct view *view, enum request request) {
    struct order_look *look = &VIEW_STATE(struct order_state, view)->look;
    int page = look->shown > 1 ? look->shown - 1 : 1;
    switch ((int)request) {
    case REQ_UP:
        look->top--;
        return true;
    case REQ_DOWN:
        look->top++;
        return true;
    case REQ_PAGE_UP:
        look->top -= page;
        return true;
    case REQ_PAGE_DOWN:
        look->top += page;
        return true;
    case REQ_HOME:
        look->top = 0;
        return true;
    case REQ_END:
        look->top = FROM_THE_END;
        return true;
    default:
        return false;
    }
}

static bool order_input(struct view *view, const struct input *input) {
    const struct order_state *state = view_state(view);
    return wait_hold(view, *state->number && !state->facts.order && !state->missing, input);
}

static bool order_request(struct view *view, enum request request, const struct input *input) {
    (void)input;
    if (scroll(view, request))
        return true;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (acts[i].request != request)
            continue;
        if (VIEW_STATE(struct order_state, view)->facts.order)
            acts[i].run(view);
        return true;
    }
    if (request == REQ_FIND) {
        act_find(view);
        return true;
    }
    return false;
}

static bool may(const struct order_state *state, const char *event) {
    return rule_find("venue_order", state->facts.order->base.state, event) != NULL;
}

static bool order_can(const struct view *view, enum request request) {
    const struct order_state *state = view_state(view);
    if (!state->facts.order)
        return request != REQ_PAY && request != REQ_CHECK_IN && request != REQ_MOVE && request != REQ_CANCEL;
    switch ((int)request) {
    case REQ_PAY:
        return state->facts.owed.amount_fen > 0;
    case REQ_CHECK_IN:
        return may(state, "check_in");
    case REQ_MOVE:
        return may(state, "move");
    case REQ_CANCEL:
        return may(state, "cancel") || may(state, "refund");
    default:
        return true;
    }
}

static const char *order_hint(const struct view *view) {
    (void)view;
    return _("p pay  c in  m move  + extend  # qty  $ price  d cancel  x back  w why  u who");
}

static const struct keybind binds[] = {
    {{K_F(2), 'p'}, REQ_PAY, NC_("key", "Pay"), N_("Take what the order or its bill owes")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find an order by phone, number, tail or name")},
    {{K_F(6), 'm'}, REQ_MOVE, NC_("key", "Move"), N_("Move to another slot")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Cancel"), N_("Cancel; what was paid goes back")},
    {{'c'}, REQ_CHECK_IN, NULL, NULL},
    {{'+'}, REQ_EXTEND, NULL, N_("Extend by the next slot")},
    {{'#'}, REQ_QUANTITY, NULL, NULL},
    {{'$'}, REQ_PRICE, NULL, NULL},
    {{'x'}, REQ_REFUND, NULL, N_("Give money back: all, an amount, or some places")},
    {{'r'}, REQ_RECEIPT, NULL, N_("Print the receipt again, as a copy")},
    {{'e'}, REQ_EDIT, NULL, N_("Change the note")},
    {{'b'}, REQ_BILL, NULL, N_("The other orders of the bill")},
    {{'w'}, REQ_WHY, NULL, NULL},
    {{'u'}, REQ_CUSTOMER, NULL, NULL},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Order"), binds);

const struct view_ops view_order = {
    .name = "order",
    .label = NC_("tab", "Order"),
    .private_bytes = sizeof(struct order_state),
    .refresh_ms = 5000,
    .keys = &keys,
    .open = order_open,
    .close = order_close,
    .load = order_load,
    .child = act_child,
    .title = order_title,
    .draw = order_draw,
    .input = order_input,
    .request = order_request,
    .can = order_can,
    .hint = order_hint,
    .follow = order_follow,
    .takes_focus = true,
};
