/* The booking form: what is booked above, who books below. Phone first; a refusal is told in place
 * with the nearest alternative, and nothing typed is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/booking_internal.h"

static const struct field booking_fields[] = {
    {BOOKING_PHONE, N_("Phone"), FIELD_PHONE, FIELD_WATCH | FIELD_HAS_LIST, 15, 0,
     N_("Phone; last 4 digits and Enter find a customer; empty: a walk-in, paid at once")},
    {BOOKING_NAME, N_("Name"), FIELD_TEXT, FIELD_HAS_LIST, 24, 32,
     N_("Name, may stay empty; F4 finds by name or initials")},
    {BOOKING_HOLD, N_("Held until"), FIELD_CHOICE, FIELD_GAP, 0, 0,
     N_("How long the place waits for payment: arrows or 1 2 3")},
    {BOOKING_NOTE, N_("Note"), FIELD_TEXT, 0, 56, 200, NULL},
};
static const struct form_button booking_buttons[] = {
    {BOOKING_PAY_BUTTON, N_("Book and take payment"), K_F(2)},
    {BOOKING_ONLY_BUTTON, N_("Only book"), K_CTRL | 's'},
    {FORM_ID_CANCEL, N_("Leave"), K_ESC},
};

static void booking_open(struct view *view, const void *arg)
{
    struct booking_state *state = view_state(view);
    const struct booking_args *args = arg;
    key_new(state->key);
    state->form = form_new(booking_fields, sizeof booking_fields / sizeof booking_fields[0], booking_buttons,
                           sizeof booking_buttons / sizeof booking_buttons[0]);
    state->holds = (struct hold_rules){15, 30, 15}; /* until the parameters are read */
    for (size_t i = 0; args && i < args->count && i < CART_MOST; i++)
        booking_add(state, &args->slots[i], 1);
    form_today(state->form, app_today(view_app(view)));
    if (args && args->phone)
        form_set(state->form, BOOKING_PHONE, args->phone);
    if (args && args->name)
        form_set(state->form, BOOKING_NAME, args->name);
    form_clean(state->form);
    booking_hold_choices(state, app_now(view_app(view)));
    if (args && args->phone && *args->phone)
        booking_read_customer(view, args->phone);
}

static void booking_close(struct view *view)
{
    struct booking_state *state = view_state(view);
    form_free(state->form);
    arena_release(&state->arena);
}

static void booking_load(struct view *view)
{
    if (view_is_ready(view))
        booking_read_facts(view);
}

/* --- the customer ----------------------------------------------------------------------------- */

static void customer_aside(struct booking_state *state, const struct customer *customer)
{
    struct buf text = {0};
    const char *name = *customer->name ? customer->name : _("known");
    buf_printf(&text, "%s", name);
    if (customer->visits > 0)
        buf_printf(&text, ngettext(", %lld visit", ", %lld visits", (unsigned long)customer->visits),
                   (long long)customer->visits);
    else
        buf_printf(&text, "%s%s", _(", "), _("never here before"));
    if (customer->no_shows > 0)
        buf_printf(&text, ngettext(", %lld no-show", ", %lld no-shows", (unsigned long)customer->no_shows),
                   (long long)customer->no_shows);
    if (*customer->note)
        buf_printf(&text, "%s%s", _(", "), customer->note);
    form_aside(state->form, BOOKING_PHONE, customer->no_shows > 1 ? STYLE_WARN : STYLE_GOOD, buf_text(&text));
    buf_release(&text);
}

void booking_show_customer(struct view *view, const struct customer *customer, const char *phone)
{
    struct booking_state *state = view_state(view);
    bool name_is_ours = form_is_empty(state->form, BOOKING_NAME) ||
                        strcmp(form_text(state->form, BOOKING_NAME), state->known_name) == 0;
    cut_copy(state->looked_up, sizeof state->looked_up, phone);
    state->alert[0] = '\0';
    if (!customer) {
        if (name_is_ours)
            form_set(state->form, BOOKING_NAME, "");
        state->known_name[0] = '\0';
        form_aside(state->form, BOOKING_PHONE, STYLE_INFO, _("new customer"));
        return;
    }
    if (name_is_ours)
        form_set(state->form, BOOKING_NAME, customer->name);
    cut_copy(state->known_name, sizeof state->known_name, customer->name);
    customer_aside(state, customer);
    if (customer->blocked)
        cut_copy(state->alert, sizeof state->alert,
                 *customer->alert ? customer->alert : _("This customer is blocked."));
    else
        cut_copy(state->alert, sizeof state->alert, customer->alert);
    if (*state->alert)
        app_beep(view_app(view));
}

/* As soon as the number is whole: the answer is there before the name is asked. */
static void phone_changed(struct view *view)
{
    struct booking_state *state = view_state(view);
    char phone[PHONE_BYTES];
    const char *typed = form_text(state->form, BOOKING_PHONE);
    if (!*typed || phone_normalise(typed, phone, NULL) != FD_OK || strlen(phone) < 7) {
        form_aside(state->form, BOOKING_PHONE, STYLE_DIM, "");
        state->looked_up[0] = state->alert[0] = '\0';
        return;
    }
    if (strcmp(phone, state->looked_up) == 0)
        return;
    cut_copy(state->looked_up, sizeof state->looked_up, phone);
    /* Mobile numbers have 11 digits: asking earlier would say "new customer" at every digit. */
    if (phone[0] == '1' && strlen(phone) < 11)
        form_aside(state->form, BOOKING_PHONE, STYLE_DIM, "");
    else
        booking_read_customer(view, phone);
}

/* --- booking ---------------------------------------------------------------------------------- */

static void say_booked(struct view *view, const struct booked *booked)
{
    char hold[16], money[40];
    const char *number = booked->count ? show_tail(booked->orders[0].order_no) : "";
    app_message(view_app(view), MESSAGE_GOOD, _("Booked %s, %s, held until %s."), number,
                show_yuan(booked->total_fen, money),
                booked->hold_until == WALL_NONE ? "-" : minute_text(wall_minute(booked->hold_until), hold));
}

static const char *bill_or_order(const struct booked *booked)
{
    return booked->count == 1 || !*booked->bill_no ? booked->orders[0].order_no : booked->bill_no;
}

static enum fd_code book_run(struct desk *desk, void *arg, struct fd_error *err)
{
    return booking_work_run(desk, arg, NULL, err);
}

static void refused(struct view *view, const struct booking_work *work, const struct fd_error *err)
{
    struct booking_state *state = view_state(view);
    booking_refused(state, work, err);
    if (err->code == FD_BAD_INPUT)
        form_fail(state->form, BOOKING_PHONE, err);
    app_beep(view_app(view));
}

/* Booked and paid in one transaction, made when the money is there: a walk-in customer, or one who may not hold more.
 */
static enum fd_code collect_run(struct desk *desk, void *arg, const struct payment *payment, struct paid *paid,
                                struct fd_error *err)
{
    struct booking_work *work = arg;
    work->booking.by_code = payment && tenders[payment->tender].by_code;
    if (work->booking.by_code)
        work->booking.code_tender = payment->tender;
    enum fd_code code = booking_work_run(desk, work, work->booking.by_code ? NULL : payment, err);
    if (code == FD_OK)
        *paid = work->booked.paid;
    return code;
}

/* Booked without money: a code follows. */
static const char *booked_number(void *arg)
{
    const struct booking_work *work = arg;
    return bill_or_order(&work->booked);
}

static bool starts_soon(const struct booking_state *state, wall_t now)
{
    for (size_t i = 0; i < state->count; i++)
        if (wall_at(state->lines[i].slot.day, state->lines[i].slot.start_minute) - now > 3600)
            return false;
    return true;
}

static void collect(struct view *view, struct booking_work *work)
{
    struct booking_state *state = view_state(view);
    struct pay_line lines[CART_MOST];
    struct arena arena = {0};
    for (size_t i = 0; i < state->count; i++) {
        const struct slot *slot = &state->lines[i].slot;
        int64_t sum = 0;
        fen_times(slot->price_fen, state->lines[i].quantity, &sum);
        lines[i].text = arena_printf(&arena, "%s  %s  x%lld", slot->venue,
                                     show_slot_time(&arena, NULL, slot->day, slot->start_minute, slot->end_minute),
                                     (long long)state->lines[i].quantity);
        lines[i].fen = sum;
    }
    view_push(view, &view_pay,
              &(struct pay_args){.title = work->booking.phone ? form_text(state->form, BOOKING_NAME) : _("Walk-in"),
                                 .lines = lines,
                                 .line_count = state->count,
                                 .amount_fen = booking_total(state),
                                 .can_check_in = starts_soon(state, app_now(view_app(view))),
                                 .collect = collect_run,
                                 .owing = booked_number,
                                 .arg = work,
                                 .dispose = booking_work_free});
    arena_release(&arena);
}

static void book_done(struct view *view, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct booking_state *state = view_state(view);
    struct app *app = view_app(view);
    struct booking_work *work = arg;
    struct typed typed = state->typed; /* the form may be closed before they are given on */
    state->is_sending = false;
    typed_drop(&state->typed);
    /* No hold is left for this customer, but what is paid at once is none. */
    if (code == FD_HOLD_LIMIT && work->then_pay) {
        collect(view, booking_work_new(state));
        typed_replay(&typed, app);
        return;
    }
    if (code != FD_OK) {
        refused(view, work, err);
        return;
    }
    say_booked(view, &work->booked);
    state->is_booked = true;
    if (!work->then_pay || !work->booked.count) {
        view_close(view, PAY_DONE);
        return;
    }
    view_push(view, &view_pay, &(struct pay_args){.number = bill_or_order(&work->booked)});
    typed_replay(&typed, app);
}

static bool ready_to_book(struct view *view, bool pay)
{
    struct booking_state *state = view_state(view);
    if (!state->count) {
        app_message(view_app(view), MESSAGE_WARN, "%s", _("Nothing is chosen: F4 adds an item."));
        return false;
    }
    if (state->is_sending || state->is_booked)
        return false;
    if (!form_check(state->form))
        return false;
    if (!pay && form_is_empty(state->form, BOOKING_PHONE)) {
        form_error(state->form, BOOKING_PHONE, _("Without a phone it must be paid at once: F2."));
        form_focus(state->form, BOOKING_PHONE);
        return false;
    }
    return true;
}

static void book(struct view *view, bool pay)
{
    struct booking_state *state = view_state(view);
    state->in_lines = false;
    if (!ready_to_book(view, pay))
        return;
    state->refusal[0] = state->hint[0] = '\0';
    state->has_alternative = false;
    struct booking_work *work = booking_work_new(state);
    work->then_pay = pay;
    /* Somebody who stands here and pays now needs no long hold. */
    if (pay && !state->hold_is_chosen)
        work->booking.hold = HOLD_MINUTES;
    if (pay && !work->booking.phone) {
        collect(view, work);
        return;
    }
    state->is_sending = true;
    typed_begin(&state->typed);
    view_write(view, &(struct write){N_("Booking"), book_run, book_done, work, booking_work_free});
}

static void booking_child(struct view *view, struct view *child, int result)
{
    struct booking_state *state = view_state(view);
    if (view_ops(child) != &view_pay || state->is_booked)
        return;
    const struct booking_work *work = pay_arg(child);
    if (result == PAY_OWED && work) {
        state->is_booked = true; /* the code's own message tells the rest */
    } else if (result == PAY_DONE) {
        state->is_booked = true;
        if (work && work->booked.count) {
            char change[40];
            const struct paid *paid = pay_outcome(child);
            const char *tail = show_tail(work->booked.orders[0].order_no);
            if (paid->change_fen > 0)
                app_message(view_app(view), MESSAGE_GOOD, _("Ticket %s, paid. Change %s."), tail,
                            show_yuan(paid->change_fen, change));
            else
                app_message(view_app(view), MESSAGE_GOOD, _("Ticket %s, paid."), tail);
        }
    } else if (result == PAY_REFUSED && work) {
        refused(view, work, pay_refusal(child));
    }
}

static void booking_show(struct view *view)
{
    const struct booking_state *state = view_state(view);
    if (state->is_booked)
        view_close(view, PAY_DONE);
}

/* --- leaving ---------------------------------------------------------------------------------- */

static void leave_answered(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    (void)context;
    struct booking_state *state = view_state(view);
    if (answer != 0)
        return;
    state->is_leaving = true;
    view_close(view, PAY_LEFT);
}

static bool booking_may_close(struct view *view)
{
    const struct booking_state *state = view_state(view);
    if (state->is_sending) {
        app_message(view_app(view), MESSAGE_INFO, "%s", _("The booking is on its way; its answer comes here."));
        return false;
    }
    if (state->is_booked || state->is_leaving || !form_is_dirty(state->form))
        return true;
    view_dialog(view,
                dialog_confirm(_("Leave this booking?"), _("Nothing is booked yet. What was typed is lost."),
                               _("&Leave"), DIALOG_PLAIN),
                leave_answered, NULL);
    return false;
}

static void leave(struct view *view)
{
    if (booking_may_close(view))
        view_close(view, PAY_LEFT);
}

/* --- keys ------------------------------------------------------------------------------------- */

static void form_event(struct view *view, const struct form_event *event)
{
    struct booking_state *state = view_state(view);
    if (event->kind == FORM_CHANGED && event->id == BOOKING_PHONE)
        phone_changed(view);
    else if (event->kind == FORM_CHANGED && event->id == BOOKING_HOLD)
        state->hold_is_chosen = true;
    else if (event->kind == FORM_PRESSED && event->id == FORM_ID_CANCEL)
        leave(view);
    else if (event->kind == FORM_PRESSED)
        book(view, event->id != BOOKING_ONLY_BUTTON);
}

static bool is_short_phone(const struct booking_state *state)
{
    const char *text = form_text(state->form, BOOKING_PHONE);
    return form_focused(state->form) == BOOKING_PHONE && strlen(text) == 4 && text_is_digits(text);
}

/* F4: the customer by what was typed, else another item. */
static void list_for_field(struct view *view)
{
    struct booking_state *state = view_state(view);
    int id = form_focused(state->form);
    const char *text = id == BOOKING_PHONE || id == BOOKING_NAME ? form_text(state->form, id) : "";
    if (*text && !*state->looked_up)
        booking_search_customer(view, text);
    else
        booking_pick_item(view);
}

/* Keys that mean more here than in any form; true where used. */
static bool own_key(struct view *view, uint32_t key)
{
    struct booking_state *state = view_state(view);
    if (key == K_ENTER && state->has_alternative) {
        booking_swap(state);
        booking_hold_choices(state, app_now(view_app(view)));
        return true;
    }
    if ((key == K_ENTER || key == K_TAB || key == K_DOWN) && is_short_phone(state)) {
        booking_search_customer(view, form_text(state->form, BOOKING_PHONE));
        return true;
    }
    if (key == K_F(4) && form_focused(state->form) != BOOKING_HOLD) {
        list_for_field(view);
        return true;
    }
    if ((key == K_UP || key == K_BACKTAB) && form_focused(state->form) == BOOKING_PHONE && state->count) {
        state->in_lines = true;
        state->line = state->count - 1;
        state->typed_quantity = false;
        return true;
    }
    return false;
}

static bool lines_input(struct view *view, const struct input *input)
{
    struct booking_state *state = view_state(view);
    bool back, used = booking_lines_input(state, input, &back);
    if (back) {
        state->in_lines = false;
        form_focus(state->form, BOOKING_PHONE);
    }
    if (used || input->kind != INPUT_KEY)
        return used;
    if (input->key == K_ESC) {
        state->in_lines = false;
        return true;
    }
    if (input->key == K_F(4)) {
        booking_pick_item(view);
        return true;
    }
    if (input->key == K_F(2) || input->key == (K_CTRL | 's')) {
        book(view, input->key == K_F(2));
        return true;
    }
    return false;
}

static bool booking_input(struct view *view, const struct input *input)
{
    struct booking_state *state = view_state(view);
    struct form_event event;
    if (state->is_sending && typed_hold(&state->typed, input))
        return true;
    if (state->in_lines && input->kind != INPUT_MOUSE)
        return lines_input(view, input);
    if (input->kind == INPUT_KEY && own_key(view, input->key))
        return true;
    if (!form_input(state->form, input, &event))
        return false;
    if (input->kind == INPUT_MOUSE)
        state->in_lines = false;
    form_event(view, &event);
    return true;
}

static bool booking_in_field(const struct view *view)
{
    const struct booking_state *state = view_state(view);
    return !state->in_lines && form_in_field(state->form);
}

static bool booking_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    struct booking_state *state = view_state(view);
    switch ((int)request) {
    case REQ_BOOK_PAY:
        book(view, true);
        return true;
    case REQ_BOOK:
        book(view, false);
        return true;
    case REQ_FIND:
        act_find(view);
        return true;
    case REQ_LIST:
        booking_pick_item(view);
        return true;
    case REQ_CLEAR:
        form_reset(state->form);
        state->looked_up[0] = state->known_name[0] = state->alert[0] = '\0';
        booking_hold_choices(state, app_now(view_app(view)));
        return true;
    default:
        return false;
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void booking_title(struct view *view, struct buf *text)
{
    (void)view;
    buf_add(text, _("New booking"));
}

static int refusal_rows(const struct booking_state *state, int columns)
{
    int rows = 0;
    if (*state->alert)
        rows += cells_wrap_rows(state->alert, columns - 4);
    if (*state->refusal)
        rows += 1 + cells_wrap_rows(state->refusal, columns - 4);
    return rows;
}

static void draw_refusal(const struct booking_state *state, struct cells *cells, int row)
{
    struct arena arena = {0};
    char money[40];
    if (*state->alert) {
        cells_text(cells, row, 1, STYLE_WARN, "!");
        row += cells_wrap(cells, row, 3, cells->columns - 4, STYLE_WARN, state->alert);
    }
    if (!*state->refusal)
        return;
    cells_text(cells, row, 1, STYLE_ERROR, "!");
    row += cells_wrap(cells, row, 3, cells->columns - 4, STYLE_ERROR, state->refusal);
    if (state->has_alternative) {
        const struct slot *slot = &state->alternative;
        cells_printf(cells, row, 3, STYLE_STRONG, _("Enter takes %s %s (%s) instead."), slot->venue,
                     show_slot_time(&arena, cells, DAY_NONE, slot->start_minute, slot->end_minute),
                     show_yuan(slot->price_fen, money));
    } else {
        cells_text(cells, row, 3, STYLE_DIM, state->hint);
    }
    arena_release(&arena);
}

static void booking_draw(struct view *view, struct cells *cells)
{
    struct booking_state *state = view_state(view);
    bool here = view_is_focused(view);
    int told = refusal_rows(state, cells->columns), form_height = form_rows(state->form, cells->columns);
    int lines = cells->rows - told - form_height - 1;
    if (lines < 3)
        lines = 3;
    int row = booking_lines_draw(state, cells, lines, here);
    row += cells->rows - row - told - form_height > 1 ? 1 : 0;
    struct cells below = cells_sub(cells, row, 0, cells->rows - row - told, cells->columns);
    form_draw(state->form, &below, here && !state->in_lines);
    if (told) {
        int at = row + form_height + (row + form_height + told < cells->rows ? 1 : 0);
        draw_refusal(state, cells, at + told > cells->rows ? cells->rows - told : at);
    }
}

static const char *booking_hint(const struct view *view)
{
    const struct booking_state *state = view_state(view);
    if (state->in_lines)
        return _("Digits, + and - change the quantity, x takes the line away, Tab goes on");
    return form_hint(state->form);
}

static const struct keybind booking_binds[] = {
    {{K_F(2)}, REQ_BOOK_PAY, NC_("key", "Pay"), N_("Book and take payment")},
    {{K_F(3)}, REQ_FIND, NC_("key", "Find"), N_("Find an order; this form stays as it is")},
    {{K_F(4)}, REQ_LIST, NC_("key", "Add"), N_("Add an item, or find the customer by what was typed")},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_CLEAR, NC_("key", "Clear"), N_("Clear what was typed")},
    {{K_CTRL | 's'}, REQ_BOOK, NULL, N_("Only book; it is held until the time chosen")},
};
static const struct keymap booking_keys = KEYMAP(N_("New booking"), booking_binds);

const struct view_ops view_booking = {
    .name = "booking",
    .label = NC_("tab", "Booking"),
    .private_bytes = sizeof(struct booking_state),
    .keys = &booking_keys,
    .open = booking_open,
    .close = booking_close,
    .load = booking_load,
    .title = booking_title,
    .draw = booking_draw,
    .in_field = booking_in_field,
    .input = booking_input,
    .request = booking_request,
    .show = booking_show,
    .child = booking_child,
    .may_close = booking_may_close,
    .hint = booking_hint,
};
