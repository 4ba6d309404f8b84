/* Quantity and extension: what a paid order then costs more is taken in the same transaction, on
 * the payment screen; what an unpaid one costs more is simply owed. */
#include "ui/view/act.h"
#include "ui/view/ask.h"
#include "ui/view/wait.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is changed, and what was read for it. */
struct change {
    struct work base;
    char number[NUMBER_BYTES];
    bool extend;
    bool paid;              /* the order is paid: the difference is due at once */
    int64_t old_quantity, quantity, total_fen, unit_price_fen;
    int64_t places_left;    /* of the slot, beside the order's own */
    int64_t difference_fen;
    char reason[512];
    struct venue_change how;
    struct venue_changed changed;
    char venue[96], made_no[NUMBER_BYTES];
    day_t day;
    int start_minute, end_minute; /* extend: of the next slot */
    bool found, free;       /* extend: there is a next slot; it has the places */
};

/* --- reading what it would mean --- */

static void note_slot(struct change *change, const struct slot *rows, size_t count, const struct venue_order *order) {
    for (size_t i = 0; i < count; i++) {
        if (rows[i].id == order->base.place_id)
            change->places_left = rows[i].open && !rows[i].over ? rows[i].remain_count : 0;
        if (change->extend && rows[i].start_minute == order->end_minute) {
            change->found = true;
            change->free = rows[i].open && !rows[i].over && rows[i].remain_count >= order->base.quantity;
            change->start_minute = rows[i].start_minute;
            change->end_minute = rows[i].end_minute;
            change->difference_fen = rows[i].price_fen * order->base.quantity;
        }
    }
}

static enum fd_code change_read(struct db *db, void *arg, struct fd_error *err) {
    struct change *change = arg;
    struct order *order = NULL;
    struct slot *rows = NULL;
    size_t count = 0;
    arena_reset(&change->base.arena);
    enum fd_code code = order_find(db, change->number, &change->base.arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order->kind != &venue_kind)
        return fd_fail(err, FD_NOT_FOUND, NULL);
    const struct venue_order *venue = (const struct venue_order *)order;
    code = slot_list(db, venue->day, NULL, venue->venue_id, &change->base.arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    cut_copy(change->number, sizeof change->number, order->order_no);
    cut_copy(change->venue, sizeof change->venue, venue->venue);
    change->paid = strcmp(order->state, "PENDING_PAY") != 0;
    change->quantity = change->old_quantity = order->quantity;
    change->total_fen = order->total_fen;
    /* The online system keeps no price for one place. */
    change->unit_price_fen = venue->unit_price_fen >= 0 ? venue->unit_price_fen : order->total_fen / (order->quantity > 0 ? order->quantity : 1);
    change->day = venue->day;
    note_slot(change, rows, count, venue);
    return FD_OK;
}

static bool change_read_failed(struct view *view, void *arg, const struct fd_error *err) {
    (void)arg;
    (void)err;
    wait_drop(view);
    return false;
}

static enum fd_code change_read_run(struct desk *desk, void *arg, struct fd_error *err) {
    return desk_read(desk, "order.change.preview", change_read, arg, err);
}

/* --- writing, with or without a payment --- */

static enum fd_code collect(struct desk *desk, void *arg, const struct payment *payment, struct paid *paid, struct fd_error *err) {
    struct change *change = arg;
    struct booked booked = {0};
    struct venue_change how = change->how;
    how.leave_due = !payment || tenders[payment->tender].by_code;
    how.payment = how.leave_due ? NULL : payment;
    how.reason = *change->reason ? change->reason : NULL;
    arena_reset(&change->base.arena);
    change->changed = (struct venue_changed){0};
    if (!change->extend) {
        enum fd_code code = venue_quantity_with(desk, change->base.key, change->number, change->quantity, &how, &change->changed, err);
        *paid = change->changed.paid;
        return code;
    }
    enum fd_code code = venue_extend_with(desk, change->base.key, change->number, &how, &change->base.arena, &booked, err);
    if (code == FD_OK) {
        *paid = booked.paid;
        cut_copy(change->made_no, sizeof change->made_no, booked.count > 0 ? booked.orders[0].order_no : "");
    }
    return code;
}

/* What owes, where it was changed without money. */
static const char *owing(void *arg) {
    const struct change *change = arg;
    return change->extend && *change->made_no ? change->made_no : change->number;
}

static enum fd_code write_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct paid paid = {0};
    return collect(desk, arg, NULL, &paid, err);
}

static void write_done(struct view *view, void *arg) {
    struct change *change = arg;
    char when[24], what[240];
    if (change->extend)
        snprintf(what, sizeof what, _("Extended: %s %s is order %s in the same bill."), change->venue,
                 part_span(change->start_minute, change->end_minute, when, sizeof when), show_tail(change->made_no));
    else
        snprintf(what, sizeof what, _("The quantity of %s is %lld now."), show_tail(change->number), (long long)change->quantity);
    act_backed(view, change->number, &change->changed.backed, what);
}

static void take_money(struct view *view, struct change *change) {
    char text[200], when[24], title[120];
    snprintf(text, sizeof text, "%s  %s  ×%lld", change->venue, part_span(change->start_minute, change->end_minute, when, sizeof when),
             (long long)change->quantity);
    if (!change->extend)
        snprintf(text, sizeof text, _("%s: %lld instead of %lld"), change->venue, (long long)change->quantity, (long long)change->old_quantity);
    snprintf(title, sizeof title, change->extend ? _("Extend order %s") : _("Change order %s"), show_tail(change->number));
    const struct pay_line line = {text, change->difference_fen};
    const struct pay_args args = {
        .title = title,
        .lines = &line,
        .line_count = 1,
        .amount_fen = change->difference_fen,
        .collect = collect,
        .owing = owing,
        .can_leave = true,
        .arg = change,
        .dispose = work_free,
    };
    view_push(view, &view_pay, &args);
}

/* --- quantity --- */

enum { F_QUANTITY = 1, F_REASON };

static const struct field fields[] = {
    {.id = F_QUANTITY, .label = N_("Quantity"), .kind = FIELD_NUMBER, .flags = FIELD_REQUIRED | FIELD_WATCH, .width_cells = 6, .max_chars = 5},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 44, .max_chars = 120, .hint = N_("Needed late, and where a second person has to approve")},
};

static int64_t difference(const struct change *change, int64_t quantity) {
    int64_t fen;
    return fen_times(change->unit_price_fen, quantity, &fen) ? fen - change->total_fen : 0;
}

static void quantity_fill(struct form *form, void *arg) {
    form_set_number(form, F_QUANTITY, ((struct change *)arg)->quantity);
}

static void quantity_changed(struct form *form, int id, void *arg) {
    const struct change *change = arg;
    char text[160], money[40];
    (void)id;
    int64_t quantity = atoll(form_text(form, F_QUANTITY));
    int64_t fen = difference(change, quantity);
    if (quantity < 1 || quantity == change->old_quantity)
        snprintf(text, sizeof text, ngettext("%lld more place is free", "%lld more places are free", (unsigned long)change->places_left),
                 (long long)change->places_left);
    else if (fen < 0)
        snprintf(text, sizeof text, change->paid ? _("%s would go back") : _("%s less to pay"), show_yuan(-fen, money));
    else
        snprintf(text, sizeof text, change->paid ? _("%s is due now") : _("%s more to pay"), show_yuan(fen, money));
    form_aside(form, F_QUANTITY, STYLE_MONEY, text);
    form_hide(form, F_REASON, !change->paid || quantity < 1 || fen >= 0);
}

static bool quantity_refuse(struct form *form, const char *sentence) {
    form_error(form, F_QUANTITY, sentence);
    form_focus(form, F_QUANTITY);
    return false;
}

static bool quantity_take(struct form *form, void *arg) {
    struct change *change = arg;
    char text[160];
    change->quantity = form_number(form, F_QUANTITY);
    change->difference_fen = difference(change, change->quantity);
    cut_copy(change->reason, sizeof change->reason, form_text(form, F_REASON));
    if (change->quantity < 1)
        return quantity_refuse(form, _("To give all places back, cancel the order."));
    if (change->quantity == change->old_quantity)
        return quantity_refuse(form, _("That is what it is."));
    if (change->quantity - change->old_quantity <= change->places_left)
        return true;
    snprintf(text, sizeof text, ngettext("Only %lld more place is free.", "Only %lld more places are free.", (unsigned long)change->places_left),
             (long long)change->places_left);
    return quantity_refuse(form, change->places_left > 0 ? text : _("No more place is free in this slot."));
}

static bool needs_money(const struct change *change) {
    return change->paid && change->difference_fen > 0;
}

/* What has to be paid first is written together with the payment, afterwards. */
static enum fd_code quantity_run(struct desk *desk, void *arg, struct fd_error *err) {
    return needs_money(arg) ? FD_OK : write_run(desk, arg, err);
}

static void quantity_done(struct view *view, void *arg) {
    if (needs_money(arg))
        take_money(view, work_copy(arg));
    else
        write_done(view, arg);
}

static void quantity_wish(void *arg, struct approval_wish *wish) {
    struct change *change = arg;
    *wish = (struct approval_wish){
        .action = "refund", .order_no = change->number, .amount_fen = -change->difference_fen, .reason = change->reason};
}

static void quantity_approved(void *arg, int64_t approval_id) {
    ((struct change *)arg)->how.back.approval_id = approval_id;
}

static int quantity_blame(const void *arg, const struct fd_error *err) {
    (void)arg;
    return err->code == FD_REASON_NEEDED ? F_REASON : F_QUANTITY;
}

static const struct ask_spec quantity_spec = {
    .title = N_("Quantity of the order"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Change"),
    .working = N_("Changing the order"),
    .fill = quantity_fill,
    .changed = quantity_changed,
    .take = quantity_take,
    .run = quantity_run,
    .blame = quantity_blame,
    .wish = quantity_wish,
    .approved = quantity_approved,
    .done = quantity_done,
};

static void quantity_read_done(struct view *view, void *arg) {
    struct change *change = work_copy(arg);
    change->base.failed = NULL;
    ask_open(view, &quantity_spec, change);
    wait_over(view);
}

void act_quantity(struct view *view, const char *order_no) {
    struct change *change = work_new(sizeof *change, change_read_run, quantity_read_done);
    cut_copy(change->number, sizeof change->number, order_no);
    change->base.failed = change_read_failed;
    wait_begin(view);
    work_post(view, N_("Reading the order"), JOB_READ, change);
}

/* --- extension --- */

static void extend_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct change *change = work_unhold(context);
    (void)dialog;
    if (answer != 0) {
        work_free(change);
        return;
    }
    change->base.run = write_run;
    change->base.done = write_done;
    work_post(view, N_("Extending the order"), JOB_WRITE, change);
}

static void extend_ask(struct view *view, struct change *change) {
    char title[120], when[24], money[40];
    if (!change->found || !change->free) {
        app_message(view_app(view), MESSAGE_WARN, "%s",
                    change->found ? _("The next slot at this place is taken or closed.") : _("No slot follows at this place: it cannot be extended."));
        work_free(change);
        return;
    }
    key_new(change->base.key);
    if (change->paid && change->difference_fen > 0) {
        take_money(view, change);
        return;
    }
    snprintf(title, sizeof title, _("Extend order %s"), show_tail(change->number));
    char *body = xprintf(_("A second order in the same bill: %s %s, %s to pay."), change->venue,
                         part_span(change->start_minute, change->end_minute, when, sizeof when), show_yuan(change->difference_fen, money));
    work_hold(change);
    view_dialog(view, dialog_confirm(title, body, _("&Extend"), DIALOG_PLAIN), extend_answered, change);
    free(body);
}

static void extend_read_done(struct view *view, void *arg) {
    struct change *change = work_copy(arg);
    change->base.failed = NULL;
    extend_ask(view, change);
    wait_over(view);
}

void act_extend(struct view *view, const char *order_no) {
    struct change *change = work_new(sizeof *change, change_read_run, extend_read_done);
    cut_copy(change->number, sizeof change->number, order_no);
    change->extend = true;
    change->base.failed = change_read_failed;
    wait_begin(view);
    work_post(view, N_("Reading the next slot"), JOB_READ, change);
}
