/* Cancelling an order: what follows is said before, the default is to leave it. */
#include "ui/view/act.h"
#include "ui/view/approval_step.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include "core/param.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cancel {
    struct work base;
    char number[NUMBER_BYTES], reason[512];
    struct venue_order *order;      /* of the preview, in the arena */
    int64_t cash_fen, other_fen;    /* what would go back, by the way it came */
    const char *other;              /* channel of other_fen */
    bool by_card;                   /* the slip's number is asked for on the refund's own form */
    int64_t free_minutes, approval_id;
    struct backed backed;
};

/* --- the preview --- */

static enum fd_code preview_rows(struct db *db, void *arg, struct fd_error *err) {
    struct cancel *cancel = arg;
    struct order *order = NULL;
    struct payment_row *rows = NULL;
    size_t count = 0;
    arena_reset(&cancel->base.arena);
    cancel->cash_fen = cancel->other_fen = 0;
    cancel->by_card = false;
    enum fd_code code = order_find(db, cancel->number, &cancel->base.arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order->kind != &venue_kind)
        return fd_fail(err, FD_NOT_FOUND, NULL);
    cancel->order = (struct venue_order *)order;
    code = pay_rows(db, order->order_no, &cancel->base.arena, &rows, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        if (rows[i].refund || strcmp(rows[i].status, "SUCCESS") != 0)
            continue;
        int64_t left_fen = rows[i].allocated_fen - rows[i].refunded_fen;
        if (strcmp(rows[i].channel, "CASH") == 0) {
            cancel->cash_fen += left_fen > 0 ? left_fen : 0;
        } else if (left_fen > 0) {
            cancel->other_fen += left_fen;
            cancel->other = rows[i].channel;
            cancel->by_card = cancel->by_card || strcmp(rows[i].channel, "CARD") == 0;
        }
    }
    return code;
}

static enum fd_code preview_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct cancel *cancel = arg;
    enum fd_code code = desk_read(desk, "order.cancel.preview", preview_rows, cancel, err);
    cancel->free_minutes = param_get(desk, PARAM_FREE_CANCEL);
    return code;
}

/* --- the write --- */

static enum fd_code cancel_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct cancel *cancel = arg;
    const struct back back = {.kind = BACK_WHOLE, .approval_id = cancel->approval_id};
    return venue_cancel_with(desk, cancel->base.key, cancel->number, &back, *cancel->reason ? cancel->reason : NULL, &cancel->backed, err);
}

static void nothing(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void cancel_done(struct view *view, void *arg) {
    struct cancel *cancel = arg;
    char what[160];
    bool waits = strcmp(cancel->backed.state, "REFUNDING") == 0;
    snprintf(what, sizeof what, waits ? _("Order %s is being refunded, then its place is free.") : _("Order %s is cancelled, its place is free."),
             show_tail(cancel->number));
    act_backed(view, cancel->number, &cancel->backed, what);
}

static void cancel_approved(struct view *view, void *work, int64_t approval_id) {
    ((struct cancel *)work)->approval_id = approval_id;
    work_post(view, N_("Cancelling"), JOB_WRITE, work);
}

static bool cancel_failed(struct view *view, void *arg, const struct fd_error *err) {
    struct cancel *cancel = arg;
    if (err->code != FD_APPROVAL)
        return false;
    const struct approval_wish wish = {.action = "refund", .order_no = cancel->number, .amount_fen = -1, .reason = cancel->reason};
    approval_open(view, &(struct approval_args){&wish, err->message, cancel_approved, work_copy(cancel)});
    return true;
}

static void cancel_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct cancel *cancel = work_unhold(context);
    if (answer != 0) {
        work_free(cancel);
        return;
    }
    if (dialog_form_of(dialog))
        cut_copy(cancel->reason, sizeof cancel->reason, dialog_reason_text(dialog));
    work_post(view, N_("Cancelling"), JOB_WRITE, cancel);
}

/* --- what follows, in words --- */

static char *what_it_is(const struct cancel *cancel) {
    const struct venue_order *order = cancel->order;
    char day[32], when[24], money[40];
    return xprintf("%s  %s  %s %s  %s", order->base.customer, order->venue, show_day(order->day, day),
                   part_span(order->start_minute, order->end_minute, when, sizeof when), show_yuan(order->base.total_fen, money));
}

/* Why it cannot be, NULL where it can; to free(). What is said here only saves the way: the
 * action itself decides. */
static char *obstacle(const struct cancel *cancel) {
    const char *state = cancel->order->base.state;
    if (!rule_find("venue_order", state, "cancel") && !rule_find("venue_order", state, "refund"))
        return xprintf(_("The order is %s: nothing is left to cancel. x gives money back."), state_label("venue_order", state));
    return NULL;
}

/* Which money goes back, and which way; to free(). */
static char *what_goes_back(const struct cancel *cancel, wall_t now) {
    const struct venue_order *order = cancel->order;
    char cash[40], other[40], day[32], until[HHMM_TEXT];
    wall_t free_until = venue_free_until(order, cancel->free_minutes);
    struct buf text = {0};
    if (cancel->other_fen > 0)
        buf_printf(&text, _("%s goes back by %s."), show_yuan(cancel->other_fen, other), part_channel(cancel->other));
    if (text.bytes && cancel->cash_fen > 0)
        buf_add(&text, " ");
    if (cancel->cash_fen > 0)
        buf_printf(&text, _("%s goes back in cash out of the drawer."), show_yuan(cancel->cash_fen, cash));
    if (strcmp(order->base.state, "PAID") == 0 && now != WALL_NONE && now > free_until) {
        buf_add(&text, "\n");
        if (order->moved_late)
            buf_add(&text, _("It was moved when cancelling was not free any more: this needs a permission."));
        else
            buf_printf(&text, _("Free cancelling ended %s %s: this needs a permission."), show_day(wall_day(free_until), day),
                       minute_text(wall_minute(free_until), until));
    }
    return buf_take(&text);
}

static struct cancel *cancel_new(const struct cancel *preview) {
    struct cancel *cancel = work_copy(preview);
    key_new(cancel->base.key);
    cancel->base.run = cancel_run;
    cancel->base.done = cancel_done;
    cancel->base.clock = false;
    cancel->base.failed = cancel_failed;
    cut_copy(cancel->number, sizeof cancel->number, preview->order->base.order_no);
    return cancel;
}

static void cancel_ask(struct view *view, const struct cancel *preview, const char *title, const char *what) {
    bool money = preview->cash_fen + preview->other_fen > 0;
    char *back = money ? what_goes_back(preview, preview->base.now) : xstrdup(_("Nothing was paid. The place is free again."));
    char *body = xprintf("%s\n%s", what, back);
    struct dialog *dialog = money ? dialog_reason(title, body, _("Cancel and give &back"), 2, show_tail(preview->order->base.order_no))
                                  : dialog_confirm(title, body, _("Cancel &order"), DIALOG_DANGER);
    struct cancel *cancel = cancel_new(preview);
    work_hold(cancel);
    view_dialog(view, dialog, cancel_answered, cancel);
    free(body);
    free(back);
}

static void preview_done(struct view *view, void *arg) {
    struct cancel *preview = arg;
    char title[120];
    if (preview->by_card && strcmp(preview->order->base.state, "PAID") == 0) {
        act_refund(view, preview->order->base.order_no);
        return;
    }
    snprintf(title, sizeof title, _("Cancel order %s"), show_tail(preview->order->base.order_no));
    char *what = what_it_is(preview);
    char *why_not = obstacle(preview);
    if (why_not) {
        char *body = xprintf("%s\n%s", what, why_not);
        view_dialog(view, dialog_tell(title, body), nothing, NULL);
        free(body);
    } else {
        cancel_ask(view, preview, title, what);
    }
    free(what);
    free(why_not);
    wait_over(view);
}

static bool preview_failed(struct view *view, void *arg, const struct fd_error *err) {
    (void)arg;
    (void)err;
    wait_drop(view);
    return false;
}

void act_cancel(struct view *view, const char *order_no) {
    if (!order_no || *order_no == '\0')
        return;
    struct cancel *cancel = work_new(sizeof *cancel, preview_run, preview_done);
    cut_copy(cancel->number, sizeof cancel->number, order_no);
    cancel->base.clock = true;
    cancel->base.failed = preview_failed;
    wait_begin(view);
    work_post(view, N_("Reading the order"), JOB_READ, cancel);
}
