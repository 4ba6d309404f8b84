/* Another price for an order: what is paid already comes back in part, or the rest becomes due. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/price.h"
#include "ui/view/act.h"
#include "ui/view/ask.h"
#include "ui/view/wait.h"

struct price {
    struct work base;
    char number[NUMBER_BYTES];
    bool waits; /* unpaid */
    int64_t old_fen, new_fen, approval_id;
    char reason[512];
    struct repriced repriced;
};

static enum fd_code price_rows(struct db *db, void *arg, struct fd_error *err)
{
    struct price *price = arg;
    struct order *order = NULL;
    arena_reset(&price->base.arena);
    enum fd_code code = order_find(db, price->number, &price->base.arena, &order, err);
    if (code != FD_OK)
        return code;
    cut_copy(price->number, sizeof price->number, order->order_no);
    price->old_fen = order->total_fen;
    price->waits = strcmp(order->state, "PENDING_PAY") == 0;
    return FD_OK;
}

static enum fd_code price_read(struct desk *desk, void *arg, struct fd_error *err)
{
    return desk_read(desk, "order.price.preview", price_rows, arg, err);
}

static bool price_read_failed(struct view *view, void *arg, const struct fd_error *err)
{
    (void)arg;
    (void)err;
    wait_drop(view);
    return false;
}

enum { F_OLD = 1, F_NEW, F_REASON };

static const struct field fields[] = {
    {.id = F_OLD, .label = N_("Price now"), .kind = FIELD_SHOW, .width_cells = 14},
    {.id = F_NEW,
     .label = N_("New price"),
     .kind = FIELD_MONEY,
     .flags = FIELD_REQUIRED | FIELD_WATCH,
     .width_cells = 12},
    {.id = F_REASON,
     .label = N_("Reason"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 44,
     .max_chars = 120},
};

static void price_fill(struct form *form, void *arg)
{
    char money[40];
    form_set(form, F_OLD, show_yuan(((struct price *)arg)->old_fen, money));
    form_focus(form, F_NEW);
}

static void price_changed(struct form *form, int id, void *arg)
{
    const struct price *price = arg;
    struct fd_error ignored;
    char text[120] = "", money[40];
    int64_t fen = 0;
    (void)id;
    if (*form_text(form, F_NEW) && fen_parse(form_text(form, F_NEW), "", &fen, &ignored) == FD_OK &&
        fen != price->old_fen) {
        show_yuan(fen < price->old_fen ? price->old_fen - fen : fen - price->old_fen, money);
        if (fen < price->old_fen)
            snprintf(text, sizeof text, price->waits ? _("%s less to pay") : _("%s goes back"), money);
        else
            snprintf(text, sizeof text, price->waits ? _("%s more to pay") : _("%s becomes due"), money);
    }
    form_aside(form, F_NEW, STYLE_MONEY, text);
}

static bool price_take(struct form *form, void *arg)
{
    struct price *price = arg;
    price->new_fen = form_fen(form, F_NEW);
    cut_copy(price->reason, sizeof price->reason, form_text(form, F_REASON));
    if (price->new_fen != price->old_fen)
        return true;
    form_error(form, F_NEW, _("That is what it is."));
    form_focus(form, F_NEW);
    return false;
}

static enum fd_code price_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct price *price = arg;
    return price_change(desk, price->base.key, price->number, price->old_fen, price->new_fen, price->approval_id,
                        price->reason, &price->repriced, err);
}

static int price_blame(const void *arg, const struct fd_error *err)
{
    (void)arg;
    return err->code == FD_REASON_NEEDED ? F_REASON : F_NEW;
}

static void price_wish(void *arg, struct approval_wish *wish)
{
    struct price *price = arg;
    *wish = (struct approval_wish){
        .action = "price", .order_no = price->number, .amount_fen = price->new_fen, .reason = price->reason};
}

static void price_approved(void *arg, int64_t approval_id)
{
    ((struct price *)arg)->approval_id = approval_id;
}

static void price_done(struct view *view, void *arg)
{
    const struct price *price = arg;
    char what[160], before[40], after[40], due[40];
    if (price->repriced.due_fen > 0)
        snprintf(what, sizeof what, _("Order %s costs %s now; %s is due (p takes it)."), show_tail(price->number),
                 show_yuan(price->repriced.new_fen, after), show_yuan(price->repriced.due_fen, due));
    else
        snprintf(what, sizeof what, _("Order %s costs %s instead of %s."), show_tail(price->number),
                 show_yuan(price->repriced.new_fen, after), show_yuan(price->repriced.old_fen, before));
    act_backed(view, price->number, &price->repriced.backed, what);
}

static const struct ask_spec price_spec = {
    .title = N_("Price of the order"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Change the price"),
    .working = N_("Changing the price"),
    .fill = price_fill,
    .changed = price_changed,
    .take = price_take,
    .run = price_run,
    .blame = price_blame,
    .wish = price_wish,
    .approved = price_approved,
    .done = price_done,
};

static void price_read_done(struct view *view, void *arg)
{
    struct price *copy = work_copy(arg);
    copy->base.failed = NULL;
    ask_open(view, &price_spec, copy);
    wait_over(view);
}

void act_price(struct view *view, const char *order_no)
{
    if (!order_no || !*order_no)
        return;
    struct price *price = work_new(sizeof *price, price_read, price_read_done);
    cut_copy(price->number, sizeof price->number, order_no);
    price->base.failed = price_read_failed;
    wait_begin(view);
    work_post(view, N_("Reading the order"), JOB_READ, price);
}
