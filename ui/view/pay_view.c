/* Taking money: digits choose the tender, the amount starts at the exact sum, Enter takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/pay_internal.h"

#define NOTE_FEN 10000 /* the largest note: nobody hands over one too many, but a digit is soon typed twice */

/* A payment on its way; also owns collect's argument meanwhile, because a write that was asked for
 * runs even where the view is closed. */
struct taking {
    char key[KEY_BYTES], number[NUMBER_BYTES];
    char reference[128];
    struct payment payment;
    struct paid paid;
    pay_collect_fn *collect;
    void *arg;
    void (*dispose)(void *arg);
};

static void taking_free(void *arg)
{
    struct taking *taking = arg;
    if (taking->arg && taking->dispose)
        taking->dispose(taking->arg);
    free(taking);
}

static enum fd_code taking_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct taking *taking = arg;
    if (taking->collect)
        return taking->collect(desk, taking->arg, &taking->payment, &taking->paid, err);
    return pay_take(desk, taking->key, taking->number, &taking->payment, &taking->paid, err);
}

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
}

void pay_ask(struct view *view)
{
    struct pay_state *state = view_state(view);
    state->stage = PAY_ASKING;
    state->key[0] = '\0';
    state->tender = TENDER_CASH;
    state->error[0] = state->error_hint[0] = '\0';
    edit_preset(&state->number, state->asked);
}

static void fail(struct view *view, const char *message, const char *hint)
{
    struct pay_state *state = view_state(view);
    cut_copy(state->error, sizeof state->error, message);
    cut_copy(state->error_hint, sizeof state->error_hint, hint);
    app_beep(view_app(view));
}

static void finish(struct view *view)
{
    struct pay_state *state = view_state(view);
    if (!state->is_root) {
        view_close(view, PAY_DONE);
        return;
    }
    state->asked[0] = '\0';
    pay_ask(view);
}

static void say_taken(struct view *view)
{
    const struct pay_state *state = view_state(view);
    char taken[40], rest[40];
    const char *how = i18n_label(tenders[state->tender].label);
    show_yuan(state->paid.amount_fen, taken);
    if (state->paid.change_fen > 0)
        app_message(view_app(view), MESSAGE_GOOD, _("%s %s taken, change %s."), how, taken,
                    show_yuan(state->paid.change_fen, rest));
    else if (state->paid.left_fen > 0)
        app_message(view_app(view), MESSAGE_WARN, _("%s %s taken, %s is still owed."), how, taken,
                    show_yuan(state->paid.left_fen, rest));
    else
        app_message(view_app(view), MESSAGE_GOOD, _("%s %s taken."), how, taken);
}

/* --- amount ----------------------------------------------------------------------------------- */

bool pay_amount(struct pay_state *state, int64_t *fen, struct fd_error *err)
{
    *fen = state->owed_fen;
    if (edit_is_empty(&state->amount))
        return true; /* empty means exactly */
    return fen_parse(edit_text(&state->amount), _("Amount"), fen, err) == FD_OK;
}

int64_t pay_change(struct pay_state *state)
{
    struct fd_error ignored;
    int64_t fen;
    if (!tenders[state->tender].gives_change || !pay_amount(state, &fen, &ignored))
        return 0;
    return fen > state->owed_fen ? fen - state->owed_fen : 0;
}

/* Checks what was typed against what is owed; false where it cannot be taken so. */
static bool check_amount(struct view *view, int64_t fen)
{
    struct pay_state *state = view_state(view);
    const struct tender_row *tender = &tenders[state->tender];
    char text[256], money[40];
    if (fen == 0 && state->owed_fen > 0) {
        fail(view, _("Nothing would be taken."), "");
        return false;
    }
    if (fen > state->owed_fen && !tender->gives_change) {
        fail(view, _("That is more than is owed; only cash gives change."), "");
        return false;
    }
    if (state->amount_is_meant)
        return true;
    if (fen - state->owed_fen >= NOTE_FEN) {
        snprintf(text, sizeof text, _("That makes %s change."), show_yuan(fen - state->owed_fen, money));
        state->amount_is_meant = true;
        fail(view, text, _("Enter again takes it, where so much was handed over."));
        return false;
    }
    if (fen >= state->owed_fen)
        return true;
    snprintf(text, sizeof text, _("%s are missing."), show_yuan(state->owed_fen - fen, money));
    state->amount_is_meant = !state->collect;
    fail(view, text,
         state->collect ? _("It has to be paid whole.") : _("Enter again takes this part and leaves the rest owed."));
    return false;
}

/* --- taking ----------------------------------------------------------------------------------- */

static bool stays(enum fd_code code)
{
    return code == FD_BAD_INPUT || code == FD_TOO_EARLY || code == FD_TOO_LATE || code == FD_DB_DOWN ||
           code == FD_AGAIN || code == FD_NO_PERMISSION || code == FD_INTERNAL || code == FD_CANCELLED;
}

static void not_taken(struct view *view, enum fd_code code, const struct fd_error *err)
{
    struct pay_state *state = view_state(view);
    state->refusal = *err;
    if (state->collect && !stays(code)) {
        view_close(view, PAY_REFUSED);
        return;
    }
    state->stage = PAY_CHOOSING;
    fail(view, err->message, code == FD_TOO_EARLY ? _("Enter takes the money without checking in.") : err->hint);
}

static void taking_done(struct view *view, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct pay_state *state = view_state(view);
    struct taking *taking = arg;
    state->arg = taking->arg;
    taking->arg = NULL;
    if (code != FD_OK) {
        not_taken(view, code, err);
        return;
    }
    state->paid = taking->paid;
    say_taken(view);
    if (state->paid.change_fen > 0)
        state->stage = PAY_TAKEN; /* the change stays in sight until it is handed over */
    else
        finish(view);
}

static bool needs_reference(struct pay_state *state)
{
    return tenders[state->tender].needs_reference && edit_is_empty(&state->reference);
}

static void fill(struct pay_state *state, struct taking *taking, int64_t fen, bool check_in)
{
    const struct tender_row *tender = &tenders[state->tender];
    struct payment *payment = &taking->payment;
    cut_copy(taking->key, sizeof taking->key, state->key);
    cut_copy(taking->number, sizeof taking->number, state->take_no ? state->take_no : "");
    cut_copy(taking->reference, sizeof taking->reference, edit_text(&state->reference));
    payment->tender = state->tender;
    payment->amount_fen = fen < state->owed_fen ? fen : state->owed_fen;
    payment->tendered_fen = tender->gives_change && fen > state->owed_fen ? fen : 0;
    payment->reference = tender->needs_reference ? taking->reference : NULL;
    payment->check_in = check_in;
    taking->collect = state->collect;
    taking->dispose = state->dispose;
    taking->arg = state->arg;
    state->arg = NULL;
}

static void take(struct view *view, bool check_in)
{
    struct pay_state *state = view_state(view);
    struct fd_error err;
    int64_t fen;
    if (state->stage != PAY_CHOOSING)
        return;
    state->error[0] = state->error_hint[0] = '\0';
    if (check_in && !state->can_check_in) {
        fail(view, _("It is too early to check in."), _("Enter takes the money without checking in."));
        return;
    }
    if (!pay_amount(state, &fen, &err)) {
        state->focus = PAY_ON_AMOUNT;
        fail(view, err.message, err.hint);
        return;
    }
    if (!check_amount(view, fen))
        return;
    if (needs_reference(state)) {
        if (state->focus == PAY_ON_REFERENCE)
            fail(view, _("The number on the slip, transfer or voucher is needed."), "");
        state->focus = PAY_ON_REFERENCE;
        return;
    }
    struct taking *taking = xcalloc(1, sizeof *taking);
    fill(state, taking, fen, check_in);
    state->stage = PAY_TAKING;
    typed_begin(&state->typed);
    view_write(view, &(struct write){N_("Taking payment"), taking_run, taking_done, taking, taking_free});
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

/* --- keys ------------------------------------------------------------------------------------- */

static void set_tender(struct view *view, enum tender tender)
{
    struct pay_state *state = view_state(view);
    state->tender = tender;
    state->amount_is_meant = false;
    state->error[0] = state->error_hint[0] = '\0';
}

static void choose_tender(struct view *view, enum tender tender)
{
    struct pay_state *state = view_state(view);
    set_tender(view, tender);
    state->focus = tenders[tender].needs_reference ? PAY_ON_REFERENCE : PAY_ON_AMOUNT;
}

static bool digit_key(struct view *view, uint32_t key)
{
    for (int i = 0; i < TENDER_COUNT; i++)
        if ((uint32_t)(unsigned char)tenders[i].digit == key) {
            choose_tender(view, (enum tender)i);
            return true;
        }
    if (key < '0' || key > '9')
        return false;
    fail(view, _("This way of paying is not set up."), ""); /* never a jump to another screen from here */
    return true;
}

static bool tender_key(struct view *view, uint32_t key)
{
    const struct pay_state *state = view_state(view);
    switch (key) {
    case K_LEFT:
        set_tender(view, (enum tender)((state->tender + TENDER_COUNT - 1) % TENDER_COUNT));
        return true;
    case K_RIGHT:
        set_tender(view, (enum tender)((state->tender + 1) % TENDER_COUNT));
        return true;
    default:
        return digit_key(view, key);
    }
}

static void step_focus(struct pay_state *state, int by)
{
    int last = tenders[state->tender].needs_reference ? PAY_ON_REFERENCE : PAY_ON_AMOUNT;
    state->focus = (enum pay_focus)(((int)state->focus + by + last + 1) % (last + 1));
}

/* Keys that mean the same wherever the focus is; true where used. */
static bool choosing_key(struct view *view, uint32_t key)
{
    struct pay_state *state = view_state(view);
    switch (key) {
    case K_ENTER:
        take(view, false);
        return true;
    case K_F(2):
        take(view, true);
        return true;
    case K_CTRL | 's':
        take(view, false);
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
            finish(view);
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
        finish(view); /* however it is left, the money was taken */
        return true;
    }
    switch ((int)request) {
    case REQ_CHECK_IN:
        take(view, true);
        return true;
    case REQ_PAY:
        take(view, false);
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
    .can = pay_can,
    .may_close = pay_may_close,
    .hint = pay_hint,
};
