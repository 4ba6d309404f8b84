/* The payment screen's work: what was typed against what is owed, the payment on its way, and the way to a code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "ui/view/pay_internal.h"
#include "ui/view/slip.h"

#define NOTE_FEN 10000 /* the largest note: nobody hands over one too many, but a digit is soon typed twice */

/* A payment on its way; also owns collect's argument meanwhile, because a write that was asked for
 * runs even where the view is closed. */
struct taking {
    char key[KEY_BYTES], number[NUMBER_BYTES];
    char reference[128];
    struct payment payment;
    struct paid paid;
    bool by_code; /* booked or changed without money: a code follows */
    bool leaves;  /* or nothing, for it is left due */
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
        return taking->collect(desk, taking->arg, taking->leaves ? NULL : &taking->payment, &taking->paid, err);
    return pay_take(desk, taking->key, taking->number, &taking->payment, &taking->paid, err);
}

void pay_fail(struct view *view, const char *message, const char *hint)
{
    struct pay_state *state = view_state(view);
    cut_copy(state->error, sizeof state->error, message);
    cut_copy(state->error_hint, sizeof state->error_hint, hint);
    app_beep(view_app(view));
}

void pay_finish(struct view *view)
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
    const char *how = i18n_label(tenders[state->way].label);
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
    if (!tenders[state->way].gives_change || !pay_amount(state, &fen, &ignored))
        return 0;
    return fen > state->owed_fen ? fen - state->owed_fen : 0;
}

/* Checks what was typed against what is owed; false where it cannot be taken so. */
static bool check_amount(struct view *view, int64_t fen)
{
    struct pay_state *state = view_state(view);
    const struct tender_row *way = &tenders[state->way];
    char text[256], money[40];
    if (fen == 0 && state->owed_fen > 0) {
        pay_fail(view, _("Nothing would be taken."), "");
        return false;
    }
    if (fen > state->owed_fen && !way->gives_change) {
        pay_fail(view, _("That is more than is owed; only cash gives change."), "");
        return false;
    }
    if (state->amount_is_meant)
        return true;
    if (fen - state->owed_fen >= NOTE_FEN) {
        snprintf(text, sizeof text, _("That makes %s change."), show_yuan(fen - state->owed_fen, money));
        state->amount_is_meant = true;
        pay_fail(view, text, _("Enter again takes it, where so much was handed over."));
        return false;
    }
    if (fen >= state->owed_fen)
        return true;
    snprintf(text, sizeof text, _("%s are missing."), show_yuan(state->owed_fen - fen, money));
    state->amount_is_meant = !state->collect;
    pay_fail(view, text,
             state->collect ? _("It has to be paid whole.")
                            : _("Enter again takes this part and leaves the rest owed."));
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
    state->leaves = false;
    if (state->collect && !stays(code)) {
        view_close(view, PAY_REFUSED);
        return;
    }
    state->stage = PAY_CHOOSING;
    pay_fail(view, err->message, code == FD_TOO_EARLY ? _("Enter takes the money without checking in.") : err->hint);
}

/* --- a code -------------------------------------------------------------------------------------- */

static void show_code(struct view *view)
{
    const struct pay_state *state = view_state(view);
    view_push(view, &view_qr,
              &(struct qr_args){.number = state->take_no,
                                .channel = pay_channel(state->way),
                                .amount_fen = state->code_fen,
                                .title = state->title,
                                .lines = state->lines,
                                .line_count = state->line_count});
}

/* What was to be paid for is done, and owes: from here on it is a number like any other. */
static void owed_now(struct view *view)
{
    struct pay_state *state = view_state(view);
    cut_copy(state->asked, sizeof state->asked, state->owing(state->arg));
    state->take_no = arena_str(&state->arena, state->asked);
    state->title = arena_printf(&state->arena, "%s  %s", show_tail(state->asked), state->title);
    state->collect = NULL;
    state->owes_already = true;
    state->stage = PAY_CHOOSING;
    if (!state->leaves) {
        show_code(view);
        return;
    }
    char money[40];
    app_message(view_app(view), MESSAGE_WARN, _("%s is due for %s; p takes it."), show_yuan(state->owed_fen, money),
                show_tail(state->asked));
    view_close(view, PAY_OWED);
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
    if (taking->by_code) {
        owed_now(view);
        return;
    }
    state->paid = taking->paid;
    say_taken(view);
    if (*state->paid.payment_no)
        slip_print(view_console(view), PRINT_RECEIPT, state->paid.payment_no, true);
    if (state->paid.change_fen > 0)
        state->stage = PAY_TAKEN; /* the change stays in sight until it is handed over */
    else
        pay_finish(view);
}

static bool needs_reference(struct pay_state *state)
{
    return tenders[state->way].needs_reference && edit_is_empty(&state->reference);
}

static void fill(struct pay_state *state, struct taking *taking, int64_t fen, bool check_in)
{
    const struct tender_row *way = &tenders[state->way];
    struct payment *payment = &taking->payment;
    cut_copy(taking->key, sizeof taking->key, state->key);
    cut_copy(taking->number, sizeof taking->number, state->take_no ? state->take_no : "");
    cut_copy(taking->reference, sizeof taking->reference, edit_text(&state->reference));
    payment->tender = (enum tender)state->way;
    payment->amount_fen = fen < state->owed_fen ? fen : state->owed_fen;
    payment->tendered_fen = way->gives_change && fen > state->owed_fen ? fen : 0;
    payment->reference = way->needs_reference ? taking->reference : NULL;
    payment->check_in = check_in;
    taking->collect = state->collect;
    taking->dispose = state->dispose;
    taking->arg = state->arg;
    state->arg = NULL;
}

static void book_for_code(struct view *view)
{
    struct pay_state *state = view_state(view);
    struct taking *taking = xcalloc(1, sizeof *taking);
    fill(state, taking, state->owed_fen, false);
    taking->by_code = true;
    taking->leaves = state->leaves;
    state->stage = PAY_TAKING;
    typed_begin(&state->typed);
    view_write(view, &(struct write){N_("Booking"), taking_run, taking_done, taking, taking_free});
}

void pay_leave_due(struct view *view)
{
    struct pay_state *state = view_state(view);
    if (!state->collect || !state->owing || !state->can_leave) {
        pay_fail(view, _("This cannot be left due."), "");
        return;
    }
    state->leaves = true;
    book_for_code(view);
}

void pay_code(struct view *view, int64_t fen)
{
    struct pay_state *state = view_state(view);
    if (state->ways_known && !state->has_channel[pay_channel(state->way)]) {
        pay_fail(view, _("This way of paying is not set up here."),
                 _("The merchant account is missing: setting [channels] file."));
        return;
    }
    if (state->collect && !state->owing) {
        pay_fail(view, _("This has to be paid at the counter, or be left due and paid by code afterwards."), "");
        return;
    }
    state->code_fen = fen < state->owed_fen ? fen : 0;
    if (state->collect)
        book_for_code(view);
    else
        show_code(view);
}

void pay_go(struct view *view, bool check_in)
{
    struct pay_state *state = view_state(view);
    struct fd_error err;
    int64_t fen;
    if (state->stage != PAY_CHOOSING)
        return;
    state->error[0] = state->error_hint[0] = '\0';
    if (check_in && !state->can_check_in) {
        pay_fail(view, _("It is too early to check in."), _("Enter takes the money without checking in."));
        return;
    }
    if (!pay_amount(state, &fen, &err)) {
        state->focus = PAY_ON_AMOUNT;
        pay_fail(view, err.message, err.hint);
        return;
    }
    if (!check_amount(view, fen))
        return;
    if (tenders[state->way].by_code) {
        pay_code(view, fen);
        return;
    }
    if (needs_reference(state)) {
        if (state->focus == PAY_ON_REFERENCE)
            pay_fail(view, _("The number on the slip, transfer or voucher is needed."), "");
        state->focus = PAY_ON_REFERENCE;
        return;
    }
    struct taking *taking = xcalloc(1, sizeof *taking);
    fill(state, taking, fen, check_in);
    state->stage = PAY_TAKING;
    typed_begin(&state->typed);
    view_write(view, &(struct write){N_("Taking payment"), taking_run, taking_done, taking, taking_free});
}
