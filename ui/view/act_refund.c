/* Money back on a form: whole, an amount, or some of the places; the way it came, or in cash by finance. And what is
 * told and done after any money went back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/back.h"
#include "ui/view/act.h"
#include "ui/view/ask.h"
#include "ui/view/slip.h"
#include "ui/view/wait.h"

struct refund {
    struct work base;
    char number[NUMBER_BYTES], state[STATE_BYTES], customer[96];
    int64_t left_fen, quantity, unit_price_fen;
    bool known;       /* it is known how it was paid */
    bool paid;        /* something was ever paid */
    bool other, card; /* some came not in cash; by card */
    char ways[160];   /* "WeChat 60.00, cash 20.00" */
    struct back back;
    char reference[128], reason[512];
    struct backed backed;
};

/* --- afterwards --- */

struct send {
    struct work base;
    char number[NUMBER_BYTES];
};

/* The first desk calls no channel, and the worker may be minutes away. */
static enum fd_code send_run(struct desk *desk, void *arg, struct fd_error *err)
{
    (void)err;
    back_send_now(desk, ((struct send *)arg)->number);
    return FD_OK;
}

static void send_done(struct view *view, void *arg)
{
    (void)arg;
    if (view_ops(view)->load)
        view_ops(view)->load(view);
}

static void nothing(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void hand_back(struct view *view, int64_t fen, const char *what)
{
    char money[40];
    /* Money leaves the drawer now: this must be read, not overlooked. */
    char *body = xprintf(_("Hand back %s in cash. %s"), show_yuan(fen, money), what);
    view_dialog(view, dialog_tell(_("Money out of the drawer"), body), nothing, NULL);
    free(body);
}

void act_backed(struct view *view, const char *order_no, const struct backed *backed, const char *what)
{
    char money[40];
    if (*backed->refund_no)
        slip_print(view_console(view), PRINT_REFUND, backed->refund_no, true);
    if (backed->cash_fen > 0)
        hand_back(view, backed->cash_fen, what);
    else if (backed->pending_fen > 0)
        app_message(view_app(view), MESSAGE_GOOD, _("%s %s on its way."), what, show_yuan(backed->pending_fen, money));
    else if (backed->fen > 0)
        app_message(view_app(view), MESSAGE_GOOD, _("%s %s went back."), what, show_yuan(backed->fen, money));
    else
        app_message(view_app(view), MESSAGE_GOOD, "%s", what);
    if (backed->pending_fen > 0) {
        struct send *send = work_new(sizeof *send, send_run, send_done);
        cut_copy(send->number, sizeof send->number, order_no);
        work_post(view, N_("Sending the refund"), JOB_CHANNEL, send);
    }
    if (view_ops(view)->load)
        view_ops(view)->load(view);
}

/* --- reading --- */

static void note_ways(struct refund *refund, const struct payment_row *rows, size_t count)
{
    struct buf text = {0};
    char money[FEN_TEXT];
    for (size_t i = 0; i < count; i++) {
        int64_t left = rows[i].allocated_fen - rows[i].refunded_fen;
        if (rows[i].refund || strcmp(rows[i].status, "SUCCESS") != 0 || left <= 0)
            continue;
        buf_printf(&text, "%s%s %s", text.bytes ? ", " : "", part_channel(rows[i].channel), fen_text(left, money));
        refund->other = refund->other || strcmp(rows[i].channel, "CASH") != 0;
        refund->card = refund->card || strcmp(rows[i].channel, "CARD") == 0;
    }
    cut_copy(refund->ways, sizeof refund->ways, buf_text(&text));
    buf_release(&text);
}

static enum fd_code refund_rows(struct db *db, void *arg, struct fd_error *err)
{
    struct refund *refund = arg;
    struct order *order = NULL;
    struct payment_row *rows = NULL;
    size_t count = 0;
    arena_reset(&refund->base.arena);
    refund->other = refund->card = false;
    enum fd_code code = order_find(db, refund->number, &refund->base.arena, &order, err);
    if (code == FD_OK)
        code = back_left(db, order, &refund->base.arena, &refund->left_fen, &refund->known, err);
    if (code == FD_OK)
        code = pay_rows(db, order->order_no, &refund->base.arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    refund->paid = count > 0;
    cut_copy(refund->number, sizeof refund->number, order->order_no);
    cut_copy(refund->state, sizeof refund->state, order->state);
    cut_copy(refund->customer, sizeof refund->customer, order->customer);
    refund->quantity = order->quantity;
    refund->unit_price_fen = order->quantity > 0 ? order->total_fen / order->quantity : 0;
    note_ways(refund, rows, count);
    return FD_OK;
}

static enum fd_code refund_read(struct desk *desk, void *arg, struct fd_error *err)
{
    return desk_read(desk, "order.refund.preview", refund_rows, arg, err);
}

static bool refund_read_failed(struct view *view, void *arg, const struct fd_error *err)
{
    (void)arg;
    (void)err;
    wait_drop(view);
    return false;
}

/* --- the form --- */

enum { F_LEFT = 1, F_KIND, F_AMOUNT, F_PLACES, F_WAY, F_SLIP, F_REASON, F_TAIL };

static const struct field fields[] = {
    {.id = F_LEFT, .label = N_("Can go back"), .kind = FIELD_SHOW, .width_cells = 44},
    {.id = F_KIND,
     .label = N_("How much"),
     .kind = FIELD_CHOICE,
     .flags = FIELD_WATCH | FIELD_DIGITS,
     .hint = N_("Type an amount; or Left and Right choose: all, an amount, some of the places")},
    {.id = F_AMOUNT, .label = N_("Amount"), .kind = FIELD_MONEY, .flags = FIELD_REQUIRED, .width_cells = 12},
    {.id = F_PLACES,
     .label = N_("Places back"),
     .kind = FIELD_NUMBER,
     .flags = FIELD_REQUIRED | FIELD_WATCH,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_WAY,
     .label = N_("How"),
     .kind = FIELD_CHOICE,
     .hint = N_("Cash for money that came another way: only where the channel refuses, with the reason")},
    {.id = F_SLIP,
     .label = N_("Card slip"),
     .kind = FIELD_TEXT,
     .width_cells = 24,
     .max_chars = 64,
     .hint = N_("Give it back at the card terminal first, then type the slip's number")},
    {.id = F_REASON,
     .label = N_("Reason"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED | FIELD_GAP,
     .width_cells = 44,
     .max_chars = 120},
    {.id = F_TAIL,
     .label = N_("Order's last 4"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 6,
     .max_chars = 4,
     .hint = N_("Typed once more, so that it is the right order")},
};

static bool open_state(const struct refund *refund)
{
    return rule_find("venue_order", refund->state, "refund") != NULL;
}

static void refund_fill(struct form *form, void *arg)
{
    struct refund *refund = arg;
    struct choice kinds[3], ways[2] = {{"same", _("the way it came")}, {"cash", _("in cash")}};
    size_t count = 0;
    char text[256], money[40];
    snprintf(text, sizeof text, "%s  (%s)", show_yuan(refund->left_fen, money), refund->ways);
    form_set(form, F_LEFT, text);
    kinds[count++] = (struct choice){"whole", open_state(refund) ? _("the whole order") : _("all that is left")};
    kinds[count++] = (struct choice){"amount", _("an amount")};
    if (refund->quantity > 1 && open_state(refund))
        kinds[count++] = (struct choice){"places", _("some places")};
    form_choices(form, F_KIND, kinds, count);
    form_choices(form, F_WAY, ways, 2);
    form_hide(form, F_WAY, !refund->other);
    form_hide(form, F_SLIP, !refund->card);
    form_focus(form, F_REASON);
}

static void refund_changed(struct form *form, int id, void *arg)
{
    const struct refund *refund = arg;
    const char *kind = form_text(form, F_KIND);
    char text[80], money[40];
    (void)id;
    form_hide(form, F_AMOUNT, strcmp(kind, "amount") != 0);
    form_hide(form, F_PLACES, strcmp(kind, "places") != 0);
    int64_t places = atoll(form_text(form, F_PLACES));
    snprintf(text, sizeof text, _("of %lld, %s"), (long long)refund->quantity,
             show_yuan(places > 0 && places < refund->quantity ? places * refund->unit_price_fen : 0, money));
    form_aside(form, F_PLACES, STYLE_MONEY, text);
}

/* "100" on "How much" is an amount, not the first choice. */
static void refund_digit(struct form *form, int id, void *arg)
{
    form_set(form, id, "amount");
    refund_changed(form, id, arg);
    form_focus(form, F_AMOUNT);
}

static bool refuse(struct form *form, int field, const char *sentence)
{
    form_error(form, field, sentence);
    form_focus(form, field);
    return false;
}

static bool refund_take(struct form *form, void *arg)
{
    struct refund *refund = arg;
    const char *kind = form_text(form, F_KIND);
    struct back *back = &refund->back;
    back->kind = strcmp(kind, "amount") == 0 ? BACK_AMOUNT : strcmp(kind, "places") == 0 ? BACK_QUANTITY : BACK_WHOLE;
    back->amount_fen = back->kind == BACK_AMOUNT ? form_fen(form, F_AMOUNT) : 0;
    back->quantity = back->kind == BACK_QUANTITY ? form_number(form, F_PLACES) : 0;
    back->in_cash = refund->other && strcmp(form_text(form, F_WAY), "cash") == 0;
    cut_copy(refund->reference, sizeof refund->reference, refund->card ? form_text(form, F_SLIP) : "");
    cut_copy(refund->reason, sizeof refund->reason, form_text(form, F_REASON));
    if (strcasecmp(form_text(form, F_TAIL), show_tail(refund->number)) != 0)
        return refuse(form, F_TAIL, _("These are not the last 4 of this order."));
    if (back->kind == BACK_AMOUNT && back->amount_fen > refund->left_fen)
        return refuse(form, F_AMOUNT, _("That is more than can go back."));
    if (back->kind == BACK_QUANTITY && back->quantity >= refund->quantity)
        return refuse(form, F_PLACES, _("All places go back with the whole order."));
    return true;
}

static enum fd_code refund_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct refund *refund = arg;
    refund->back.reference = *refund->reference ? refund->reference : NULL; /* of this copy */
    return back_give(desk, refund->base.key, refund->number, &refund->back, refund->reason, &refund->backed, err);
}

static int refund_blame(const void *arg, const struct fd_error *err)
{
    const struct refund *refund = arg;
    if (err->code == FD_REASON_NEEDED)
        return F_REASON;
    if (err->code == FD_BAD_INPUT && refund->card)
        return F_SLIP;
    return refund->back.kind == BACK_AMOUNT ? F_AMOUNT : refund->back.kind == BACK_QUANTITY ? F_PLACES : F_TAIL;
}

static void refund_wish(void *arg, struct approval_wish *wish)
{
    struct refund *refund = arg;
    int64_t fen = refund->back.amount_fen;
    if (refund->back.kind == BACK_QUANTITY)
        fen = refund->back.quantity * refund->unit_price_fen;
    *wish = (struct approval_wish){.action = "refund",
                                   .order_no = refund->number,
                                   .amount_fen = refund->back.kind == BACK_WHOLE ? -1 : fen,
                                   .reason = refund->reason};
}

static void refund_approved(void *arg, int64_t approval_id)
{
    ((struct refund *)arg)->back.approval_id = approval_id;
}

static void refund_done(struct view *view, void *arg)
{
    struct refund *refund = arg;
    char what[160];
    snprintf(what, sizeof what, _("Order %s is %s."), show_tail(refund->number),
             state_label("venue_order", refund->backed.state));
    act_backed(view, refund->number, &refund->backed, what);
}

static const struct ask_spec refund_spec = {
    .title = N_("Money back"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Give back"),
    .working = N_("Giving money back"),
    .fill = refund_fill,
    .changed = refund_changed,
    .digit = refund_digit,
    .take = refund_take,
    .run = refund_run,
    .blame = refund_blame,
    .wish = refund_wish,
    .approved = refund_approved,
    .done = refund_done,
};

static void refund_read_done(struct view *view, void *arg)
{
    struct refund *refund = arg;
    if (!refund->known || refund->left_fen <= 0) {
        app_message(view_app(view), MESSAGE_WARN, "%s",
                    !refund->known ? _("How this order was paid is not known here.")
                    : refund->paid ? _("Nothing of what was paid is left to go back.")
                                   : _("Nothing has been paid for this order yet; F8 cancels it."));
        wait_drop(view);
        return;
    }
    struct refund *copy = work_copy(refund);
    copy->base.failed = NULL;
    ask_open(view, &refund_spec, copy);
    wait_over(view);
}

void act_refund(struct view *view, const char *order_no)
{
    if (!order_no || !*order_no)
        return;
    struct refund *refund = work_new(sizeof *refund, refund_read, refund_read_done);
    cut_copy(refund->number, sizeof refund->number, order_no);
    refund->base.failed = refund_read_failed;
    wait_begin(view);
    work_post(view, N_("Reading the order"), JOB_READ, refund);
}
