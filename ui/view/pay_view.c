/* Taking money: digits choose the tender, the amount starts at the exact sum, Enter takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/pay_internal.h"

static bool digit_key(struct view *view, uint32_t key);

/* --- stages ----------------------------------------------------------------------------------- */

void pay_choose(struct view *view)
{
    struct pay_state *state = view_state(view);
    char text[FEN_TEXT];
    state->stage = PAY_CHOOSING;
    state->focus = PAY_ON_TENDER;
    state->amount_is_meant = false;
    state->error[0] = state->error_hint[0] = '\0';
    edit_preset(&state->amount, fen_decimal(state->owed_fen, text));
    edit_set(&state->reference, "");
    if (!*state->key)
        key_new(state->key);
    if (state->next_digit)
        digit_key(view, (uint32_t)(unsigned char)state->next_digit);
    state->next_digit = '\0';
}

void pay_ask(struct view *view)
{
    struct pay_state *state = view_state(view);
    state->stage = PAY_ASKING;
    state->key[0] = '\0';
    state->way = 0;
    state->error[0] = state->error_hint[0] = '\0';
    edit_preset(&state->number, state->asked);
}

/* --- open and close --------------------------------------------------------------------------- */

static void copy_args(struct pay_state *state, const struct pay_args *args)
{
    state->title = arena_str(&state->arena, args->title ? args->title : "");
    state->lines = arena_array(&state->arena, args->line_count, sizeof *state->lines);
    state->line_count = args->line_count;
    for (size_t i = 0; i < args->line_count; i++)
        state->lines[i] = (struct pay_line){arena_str(&state->arena, args->lines[i].text), args->lines[i].fen};
    state->owed_fen = args->amount_fen;
    state->can_check_in = args->can_check_in;
    state->collect = args->collect;
    state->owing = args->owing;
    state->can_leave = args->can_leave;
    state->arg = args->arg;
    state->dispose = args->dispose;
}

static void pay_open(struct view *view, const void *arg)
{
    struct pay_state *state = view_state(view);
    const struct pay_args *args = arg;
    edit_init(&state->number, NUMBER_BYTES - 1);
    edit_init(&state->amount, 16);
    edit_init(&state->reference, 64);
    state->is_root = !args;
    state->title = "";
    if (args && args->collect) {
        copy_args(state, args);
        pay_choose(view);
        pay_read_ways(view);
    } else if (args && args->number) {
        cut_copy(state->asked, sizeof state->asked, args->number);
        state->stage = PAY_READING;
    } else {
        pay_ask(view);
    }
}

static void pay_close(struct view *view)
{
    struct pay_state *state = view_state(view);
    if (state->arg && state->dispose)
        state->dispose(state->arg);
    edit_release(&state->number);
    edit_release(&state->amount);
    edit_release(&state->reference);
    arena_release(&state->arena);
}

/* Also F5: what is owed may have changed at another desk. */
static void pay_load(struct view *view)
{
    struct pay_state *state = view_state(view);
    char number[NUMBER_BYTES];
    if (!view_is_ready(view) || state->collect || !*state->asked || state->stage == PAY_TAKING ||
        state->stage == PAY_TAKEN || state->stage == PAY_ASKING)
        return;
    cut_copy(number, sizeof number, state->asked);
    pay_read(view, number);
}

const struct paid *pay_outcome(const struct view *view)
{
    return &VIEW_STATE(struct pay_state, view)->paid;
}

const struct fd_error *pay_refusal(const struct view *view)
{
    return &VIEW_STATE(struct pay_state, view)->refusal;
}

void *pay_arg(const struct view *view)
{
    return VIEW_STATE(struct pay_state, view)->arg;
}

/* A code was shown. */
static void pay_child(struct view *view, struct view *child, int result)
{
    struct pay_state *state = view_state(view);
    if (view_ops(child) != &view_qr)
        return;
    if (result == QR_PAID) {
        state->paid = *qr_outcome(child);
        pay_finish(view);
    } else if (result == QR_TO_TENDER) {
        state->next_digit = qr_digit(child);
        cut_copy(state->asked, sizeof state->asked, state->take_no);
        pay_read(view, state->asked);
    } else if (!state->is_root) {
        view_close(view, state->owes_already ? PAY_OWED : PAY_LEFT);
    } else {
        state->asked[0] = '\0';
        pay_ask(view);
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

static void set_way(struct view *view, size_t way)
{
    struct pay_state *state = view_state(view);
    state->way = way;
    state->amount_is_meant = false;
    state->error[0] = state->error_hint[0] = '\0';
}

/* A code needs nothing typed: its digit alone shows it. */
static void choose_way(struct view *view, size_t way)
{
    struct pay_state *state = view_state(view);
    set_way(view, way);
    state->focus = tenders[way].needs_reference ? PAY_ON_REFERENCE : PAY_ON_AMOUNT;
    if (!tenders[way].by_code)
        return;
    state->focus = PAY_ON_TENDER;
    pay_code(view, state->owed_fen);
}

static bool digit_key(struct view *view, uint32_t key)
{
    for (size_t i = 0; i < TENDER_COUNT; i++)
        if ((uint32_t)(unsigned char)tenders[i].digit == key) {
            choose_way(view, i);
            return true;
        }
    if (key < '0' || key > '9')
        return false;
    if (key == '0') {
        pay_leave_due(view);
        return true;
    }
    pay_fail(view, _("This way of paying is not set up."), ""); /* never a jump to another screen from here */
    return true;
}

static bool tender_key(struct view *view, uint32_t key)
{
    const struct pay_state *state = view_state(view);
    switch (key) {
    case K_LEFT:
        set_way(view, (state->way + TENDER_COUNT - 1) % TENDER_COUNT);
        return true;
    case K_RIGHT:
        set_way(view, (state->way + 1) % TENDER_COUNT);
        return true;
    default:
        return digit_key(view, key);
    }
}

static void step_focus(struct pay_state *state, int by)
{
    int last = tenders[state->way].needs_reference ? PAY_ON_REFERENCE : PAY_ON_AMOUNT;
    state->focus = (enum pay_focus)(((int)state->focus + by + last + 1) % (last + 1));
}

/* Keys that mean the same wherever the focus is; true where used. */
static bool choosing_key(struct view *view, uint32_t key)
{
    struct pay_state *state = view_state(view);
    switch (key) {
    case K_ENTER:
        pay_go(view, false);
        return true;
    case K_F(2):
        pay_go(view, true);
        return true;
    case K_CTRL | 's':
        pay_go(view, false);
        return true;
    case K_TAB:
    case K_DOWN:
        step_focus(state, 1);
        return true;
    case K_BACKTAB:
    case K_UP:
        step_focus(state, -1);
        return true;
    case K_ESC:
        if (!state->is_root)
            return false; /* the framework's own answer */
        state->asked[0] = '\0';
        pay_ask(view);
        return true;
    default:
        return false;
    }
}

static bool choosing_input(struct view *view, const struct input *input)
{
    struct pay_state *state = view_state(view);
    struct edit *edit = state->focus == PAY_ON_AMOUNT      ? &state->amount
                        : state->focus == PAY_ON_REFERENCE ? &state->reference
                                                           : NULL;
    bool changed = false;
    if (input->kind == INPUT_KEY && choosing_key(view, input->key))
        return true;
    if (!edit)
        return input->kind == INPUT_KEY && tender_key(view, input->key);
    if (!edit_input(edit, input, &changed))
        return false;
    if (changed) {
        state->amount_is_meant = false;
        state->error[0] = state->error_hint[0] = '\0';
    }
    return true;
}

static bool asking_input(struct view *view, const struct input *input)
{
    struct pay_state *state = view_state(view);
    bool changed = false;
    if (input->kind == INPUT_KEY && input->key == K_ENTER) {
        char number[NUMBER_BYTES];
        cut_copy(number, sizeof number, edit_text(&state->number));
        if (*number)
            pay_read(view, number);
        return true;
    }
    if (input->kind == INPUT_KEY && input->key == K_ESC && state->is_root && !edit_is_empty(&state->number)) {
        edit_set(&state->number, "");
        return true;
    }
    if (input->kind == INPUT_KEY && input->key == K_ESC && state->is_root) {
        app_go(view_app(view), 0); /* digits are text here, so Esc leads out */
        return true;
    }
    bool used = edit_input(&state->number, input, &changed);
    if (changed)
        state->error[0] = state->error_hint[0] = '\0';
    return used;
}

static bool pay_input(struct view *view, const struct input *input)
{
    struct pay_state *state = view_state(view);
    if (input->kind != INPUT_KEY && input->kind != INPUT_PASTE)
        return false;
    switch (state->stage) {
    case PAY_ASKING:
        return asking_input(view, input);
    case PAY_CHOOSING:
        return choosing_input(view, input);
    case PAY_TAKEN:
        if (input->kind == INPUT_KEY &&
            (input->key == K_ENTER || input->key == K_ESC || input->key == ' ' || input->key == K_F(2))) {
            pay_finish(view);
            return true;
        }
        return false;
    case PAY_READING:
        return typed_hold(&state->typed, input);
    case PAY_TAKING:
        /* Enter pressed again and again means this payment, never what comes after it: kept, and dropped. */
        return typed_hold(&state->typed, input);
    }
    return false;
}

static bool pay_in_field(const struct view *view)
{
    const struct pay_state *state = view_state(view);
    return state->stage == PAY_ASKING || (state->stage == PAY_CHOOSING && state->focus != PAY_ON_TENDER);
}

static bool pay_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    if (VIEW_STATE(struct pay_state, view)->stage == PAY_TAKEN && (request == REQ_QUIT || request == REQ_BACK)) {
        pay_finish(view); /* however it is left, the money was taken */
        return true;
    }
    switch ((int)request) {
    case REQ_CHECK_IN:
        pay_go(view, true);
        return true;
    case REQ_PAY:
        pay_go(view, false);
        return true;
    case REQ_FIND:
        act_find(view);
        return true;
    default:
        return false;
    }
}

static bool pay_can(const struct view *view, enum request request)
{
    const struct pay_state *state = view_state(view);
    if (request == REQ_CHECK_IN)
        return state->stage == PAY_CHOOSING && state->can_check_in;
    if (request == REQ_PAY)
        return state->stage == PAY_CHOOSING;
    return true;
}

/* Money that is being taken is never left half way: the answer is awaited here. */
static bool pay_may_close(struct view *view)
{
    const struct pay_state *state = view_state(view);
    if (state->stage != PAY_TAKING)
        return true;
    app_message(view_app(view), MESSAGE_INFO, "%s", _("The payment is on its way; its answer comes here."));
    return false;
}

static const char *pay_hint(const struct view *view)
{
    const struct pay_state *state = view_state(view);
    switch (state->stage) {
    case PAY_ASKING:
        return _("Number or last 4 of an order or bill, or last 4 digits of the phone");
    case PAY_CHOOSING:
        if (state->focus == PAY_ON_TENDER)
            return _("A digit chooses how it is paid; Enter takes the exact sum");
        return state->focus == PAY_ON_AMOUNT ? _("What was handed over; Enter takes it")
                                             : _("Number of the slip, transfer or voucher");
    case PAY_TAKEN:
        return _("Enter goes on");
    case PAY_READING:
    case PAY_TAKING:
        break;
    }
    return "";
}

static const struct keybind pay_binds[] = {
    {{K_F(2)}, REQ_CHECK_IN, NC_("key", "Pay+in"), N_("Take the money and check in")},
    {{K_F(3)}, REQ_FIND, NC_("key", "Find"), N_("Find an order")},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
    {{K_CTRL | 's'}, REQ_PAY, NULL, N_("Take the money")},
};
static const struct keymap pay_keys = KEYMAP(N_("Taking money"), pay_binds);

const struct view_ops view_pay = {
    .name = "pay",
    .label = NC_("tab", "Pay"),
    .private_bytes = sizeof(struct pay_state),
    .keys = &pay_keys,
    .open = pay_open,
    .close = pay_close,
    .load = pay_load,
    .title = pay_title,
    .draw = pay_draw,
    .in_field = pay_in_field,
    .input = pay_input,
    .request = pay_request,
    .child = pay_child,
    .can = pay_can,
    .may_close = pay_may_close,
    .hint = pay_hint,
};
