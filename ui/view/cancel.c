/* Cancelling an order: what follows is said before, the default is to leave it. */
#include "ui/view/act.h"
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
    int64_t free_minutes;
    int64_t refunded_fen;
};

/* --- the preview --- */

static enum fd_code preview_rows(struct db *db, void *arg, struct fd_error *err) {
    struct cancel *cancel = arg;
    struct order *order = NULL;
    struct payment_row *rows = NULL;
    size_t count = 0;
    arena_reset(&cancel->base.arena);
    cancel->cash_fen = cancel->other_fen = 0;
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
    return venue_cancel(desk, cancel->base.key, cancel->number, *cancel->reason ? cancel->reason : NULL, &cancel->refunded_fen, err);
}

static void nothing(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void cancel_done(struct view *view, void *arg) {
    struct cancel *cancel = arg;
    char money[40];
    if (cancel->refunded_fen > 0) {
        /* Money leaves the drawer now: this must be read, not overlooked. */
        char *body = xprintf(_("Hand back %s in cash. Order %s is cancelled, its place is free."), show_yuan(cancel->refunded_fen, money),
                             show_tail(cancel->number));
        view_dialog(view, dialog_tell(_("Money out of the drawer"), body), nothing, NULL);
        free(body);
    } else {
        app_message(view_app(view), MESSAGE_GOOD, _("Order %s is cancelled, its place is free."), show_tail(cancel->number));
    }
    if (view_ops(view)->load)
        view_ops(view)->load(view);
}

static void cancel_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct cancel *cancel = work_unhold(context);
    if (answer != 0) {
        work_free(cancel);
        return;
    }
    if (cancel->cash_fen > 0)
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
static char *obstacle(const struct cancel *cancel, wall_t now) {
    const struct venue_order *order = cancel->order;
    const char *state = order->base.state;
    char until[HHMM_TEXT], day[32], money[40];
    wall_t free_until = wall_at(order->day, order->start_minute) - cancel->free_minutes * 60;
    if (!rule_find("venue_order", state, "cancel") && !rule_find("venue_order", state, "refund"))
        return xprintf(_("The order is %s: nothing is left to cancel."), state_label("venue_order", state));
    if (strcmp(state, "PAID") != 0 || cancel->cash_fen + cancel->other_fen == 0)
        return NULL;
    if (cancel->other_fen > 0)
        return xprintf(_("%s was paid by %s and would have to go back the same way, which is not possible yet. Keep the order, or move it."),
                       show_yuan(cancel->other_fen, money), part_channel(cancel->other));
    if (now != WALL_NONE && now > free_until)
        return xprintf(_("Free cancelling ended %s %s. Later refunds are not possible yet; the order can be moved (m)."), show_day(wall_day(free_until), day),
                       minute_text(wall_minute(free_until), until));
    return NULL;
}

static void preview_done(struct view *view, void *arg) {
    struct cancel *preview = arg;
    char title[120], money[40];
    snprintf(title, sizeof title, _("Cancel order %s"), show_tail(preview->order->base.order_no));
    char *what = what_it_is(preview);
    char *why_not = obstacle(preview, preview->base.now);
    if (why_not) {
        char *body = xprintf("%s\n%s", what, why_not);
        view_dialog(view, dialog_tell(title, body), nothing, NULL);
        free(body);
    } else {
        struct cancel *cancel = work_copy(preview);
        key_new(cancel->base.key);
        cancel->base.run = cancel_run;
        cancel->base.done = cancel_done;
        cancel->base.clock = false;
        cancel->base.failed = NULL;
        cut_copy(cancel->number, sizeof cancel->number, preview->order->base.order_no);
        work_hold(cancel);
        char *body = preview->cash_fen > 0 ? xprintf(_("%s\n%s goes back in cash out of the drawer, and the place is free again."), what,
                                                     show_yuan(preview->cash_fen, money))
                                           : xprintf(_("%s\nNothing was paid. The place is free again."), what);
        struct dialog *dialog = preview->cash_fen > 0
                                    ? dialog_reason(title, body, _("Cancel and hand &back"), 2, show_tail(preview->order->base.order_no))
                                    : dialog_confirm(title, body, _("Cancel &order"), DIALOG_DANGER);
        view_dialog(view, dialog, cancel_answered, cancel);
        free(body);
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
