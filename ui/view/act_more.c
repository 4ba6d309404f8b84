/* Actions on orders: several at once, remark, quantity, extension. */
#include "ui/view/act.h"
#include "ui/view/ask.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void load_again(struct view *view) {
    if (view_ops(view)->load)
        view_ops(view)->load(view);
}

void act_customer(struct view *view, int64_t user_id) {
    if (user_id > 0)
        view_push(view, &view_customer, &(struct customer_args){user_id});
}

void act_child(struct view *view, struct view *child, int result) {
    if (view_ops(child) == &view_pay && result == PAY_REFUSED)
        app_error(view_app(view), pay_refusal(child));
    if (result != 0 || view_ops(child) == &view_order)
        load_again(view);
}

/* --- that the whole phone was seen --- */

struct shown_work {
    struct work base;
    int64_t user_id;
};

static enum fd_code shown_run(struct desk *desk, void *arg, struct fd_error *err) {
    return customer_log_shown(desk, ((struct shown_work *)arg)->user_id, err);
}

void act_log_shown(struct view *view, int64_t user_id) {
    if (config_switch(view_console(view)->config, CONFIG_READONLY))
        return; /* nothing is written then, the log included */
    struct shown_work *work = work_new(sizeof *work, shown_run, NULL);
    work->user_id = user_id;
    work_post(view, N_("Writing the log"), JOB_WRITE, work);
}

/* --- several orders --- */

#define MANY_MOST 500

struct many_work {
    struct work base;
    enum act_many kind;
    struct jobs *jobs;
    size_t count;
    char numbers[MANY_MOST][NUMBER_BYTES];
    char reason[512];
    size_t done_count;
    int64_t refunded_fen, pending_fen; /* out of the drawer; on its way at a channel */
    struct buf refused; /* a line for each */
};

static enum fd_code many_one(struct desk *desk, struct many_work *work, size_t i, struct fd_error *err) {
    char key[KEY_BYTES];
    struct checked_in in;
    struct backed backed = {0};
    fit_printf(key, "%s#%zu", work->base.key, i + 1);
    if (work->kind == ACT_CHECK_IN)
        return venue_check_in(desk, key, work->numbers[i], &work->base.arena, &in, err);
    enum fd_code code = venue_cancel_with(desk, key, work->numbers[i], NULL, *work->reason ? work->reason : NULL, &backed, err);
    if (code == FD_OK) {
        work->refunded_fen += backed.cash_fen;
        work->pending_fen += backed.pending_fen;
    }
    return code;
}

/* An order that is refused does not stop the others; a lost database does, and the run again with
 * the same keys does nothing twice. */
static enum fd_code many_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct many_work *work = arg;
    work->done_count = 0;
    work->refunded_fen = work->pending_fen = 0;
    buf_clear(&work->refused);
    for (size_t i = 0; i < work->count; i++) {
        struct fd_error refusal = {0};
        enum fd_code code = many_one(desk, work, i, &refusal);
        /* A live code is for the desk that may ask its channel: all of them go there. */
        if (code == FD_UNKNOWN || code == FD_DB_DOWN || (code == FD_LIVE_CODE && desk->no_channel)) {
            *err = refusal;
            return code;
        }
        if (code == FD_OK)
            work->done_count++;
        else
            buf_printf(&work->refused, "%s  %s\n", show_tail(work->numbers[i]), refusal.message);
        jobs_progress(work->jobs, (int64_t)i + 1, (int64_t)work->count);
    }
    return FD_OK;
}

static void many_release(void *arg) {
    buf_release(&((struct many_work *)arg)->refused);
}

static void many_told(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void many_done(struct view *view, void *arg) {
    struct many_work *work = arg;
    char said[200], money[40];
    int used;
    if (work->kind == ACT_CHECK_IN)
        used = snprintf(said, sizeof said, ngettext("%zu order checked in.", "%zu orders checked in.", work->done_count), work->done_count);
    else
        used = snprintf(said, sizeof said, ngettext("%zu order cancelled.", "%zu orders cancelled.", work->done_count), work->done_count);
    if (work->refunded_fen > 0)
        used += snprintf(said + used, sizeof said - (size_t)used, _(" Hand back %s from the drawer."), show_yuan(work->refunded_fen, money));
    if (work->pending_fen > 0 && used < (int)sizeof said)
        snprintf(said + used, sizeof said - (size_t)used, _(" %s is on its way back."), show_yuan(work->pending_fen, money));
    if (work->refused.bytes > 0) {
        char *body = xprintf("%s\n\n%s\n%s", said, _("Refused:"), buf_text(&work->refused));
        view_dialog(view, dialog_tell(_("Not all was done"), body), many_told, NULL);
        free(body);
    } else {
        app_message(view_app(view), MESSAGE_GOOD, "%s", said);
    }
    load_again(view);
}

static void many_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct many_work *work = work_unhold(context);
    if (answer != 0) {
        work_free(work);
        return;
    }
    const char *reason = work->kind == ACT_CANCEL && dialog_form_of(dialog) ? dialog_reason_text(dialog) : NULL;
    cut_copy(work->reason, sizeof work->reason, reason ? reason : "");
    work_post(view, work->kind == ACT_CHECK_IN ? N_("Checking in") : N_("Cancelling"), JOB_WRITE, work);
}

struct many_sum {
    size_t paid, unpaid;
    int64_t total_fen, paid_fen;
};

static struct dialog *many_dialog(enum act_many kind, size_t count, const struct many_sum *sum) {
    char total[40], paid[40];
    char title[120];
    struct dialog *dialog;
    if (kind == ACT_CHECK_IN) {
        snprintf(title, sizeof title, ngettext("Check in %zu order", "Check in %zu orders", count), count);
        char *body = xprintf(_("%zu paid and %zu unpaid orders, %s in all. The unpaid ones will be refused."), sum->paid, sum->unpaid,
                             show_yuan(sum->total_fen, total));
        dialog = dialog_confirm(title, body, _("Check &in"), DIALOG_PLAIN);
        free(body);
        return dialog;
    }
    snprintf(title, sizeof title, ngettext("Cancel %zu order", "Cancel %zu orders", count), count);
    char *body = xprintf(_("%zu unpaid and %zu paid orders, %s in all. The places become free. Of the paid ones %s goes back the "
                           "way it came."),
                         sum->unpaid, sum->paid, show_yuan(sum->total_fen, total), show_yuan(sum->paid_fen, paid));
    dialog = sum->paid_fen > 0 ? dialog_reason(title, body, _("Cancel &orders"), 2, NULL) : dialog_confirm(title, body, _("Cancel &orders"), DIALOG_DANGER);
    free(body);
    return dialog;
}

void act_many(struct view *view, enum act_many kind, const struct order_line *const *lines, size_t count) {
    struct many_work *work = work_new(sizeof *work, many_run, many_done);
    struct many_sum sum = {0};
    work->base.release = many_release;
    work->kind = kind;
    work->jobs = app_jobs(view_app(view));
    key_new(work->base.key);
    for (size_t i = 0; i < count && i < MANY_MOST; i++) {
        cut_copy(work->numbers[i], NUMBER_BYTES, lines[i]->order_no);
        sum.total_fen += lines[i]->total_fen;
        sum.paid_fen += order_line_kept(lines[i]);
        sum.unpaid += strcmp(lines[i]->state, "PENDING_PAY") == 0;
        sum.paid += strcmp(lines[i]->state, "PENDING_PAY") != 0;
        work->count++;
    }
    work_hold(work);
    view_dialog(view, many_dialog(kind, work->count, &sum), many_answered, work);
}

/* --- the remark --- */

enum { F_NOTE = 1 };

struct note_work {
    struct work base;
    char number[NUMBER_BYTES];
    char note[800];
};

static const struct field note_fields[] = {
    {.id = F_NOTE, .label = N_("Note"), .kind = FIELD_NOTE, .width_cells = 56, .max_chars = 200, .hint = N_("What clerks should know about this order")},
};

static void note_fill(struct form *form, void *arg) {
    form_set(form, F_NOTE, ((struct note_work *)arg)->note);
}

static bool note_take(struct form *form, void *arg) {
    struct note_work *work = arg;
    cut_copy(work->note, sizeof work->note, form_text(form, F_NOTE));
    return true;
}

static enum fd_code note_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct note_work *work = arg;
    return venue_note(desk, work->base.key, work->number, work->note, err);
}

static void note_done(struct view *view, void *arg) {
    app_message(view_app(view), MESSAGE_GOOD, _("The note of %s is saved."), show_tail(((struct note_work *)arg)->number));
}

static const struct ask_spec note_spec = {
    .title = N_("Note of the order"),
    .fields = note_fields,
    .field_count = 1,
    .save = N_("Save"),
    .working = N_("Saving the note"),
    .fill = note_fill,
    .take = note_take,
    .run = note_run,
    .done = note_done,
};

void act_note(struct view *view, const char *order_no, const char *note) {
    struct note_work *work = work_new(sizeof *work, NULL, NULL);
    cut_copy(work->number, sizeof work->number, order_no);
    cut_copy(work->note, sizeof work->note, note);
    ask_open(view, &note_spec, work);
}
