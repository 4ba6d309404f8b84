/* Actions on an order that several views offer: each asks what it must, posts its job, tells the
 * outcome and makes the view that asked load again. */
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "core/order.h"
#include "core/rule.h"
#include "ui/view/views.h"

static const struct {
    const struct view_ops *ops;
    const char *(*selected)(const struct view *view);
} selections[] = {
    {&view_grid, grid_selected},         {&view_orders, orders_selected}, {&view_arrivals, arrivals_selected},
    {&view_customer, customer_selected}, {&view_order, order_selected},
};

const char *view_selected_order(const struct view *view)
{
    for (size_t i = 0; view && i < sizeof selections / sizeof selections[0]; i++)
        if (selections[i].ops == view_ops(view))
            return selections[i].selected(view);
    return "";
}

/* What an action works on, and its answer. */
struct act {
    struct arena arena;
    char key[KEY_BYTES];
    char number[NUMBER_BYTES];
    int64_t slot_id;
    day_t day;
    struct checked_in in;
    struct venue_order *orders;
    size_t order_count;
    const char *text;
};

static struct act *act_new(const char *number)
{
    struct act *act = xcalloc(1, sizeof *act);
    key_new(act->key);
    cut_copy(act->number, sizeof act->number, number ? number : "");
    return act;
}

static void act_free(void *arg)
{
    struct act *act = arg;
    arena_release(&act->arena);
    free(act);
}

static void load_again(struct view *view)
{
    if (view_ops(view)->load)
        view_ops(view)->load(view);
}

/* --- simple ones ------------------------------------------------------------------------------ */

void act_pay(struct view *view, const char *number)
{
    if (number && *number)
        view_push(view, &view_pay, &(struct pay_args){.number = number});
}

void act_open(struct view *view, const char *order_no)
{
    if (order_no && *order_no)
        view_push(view, &view_order, &(struct order_args){order_no});
}

void act_move(struct view *view, const char *order_no)
{
    if (order_no && *order_no)
        view_push(view, &view_move, &(struct move_args){order_no});
}

static enum fd_code find_asked(struct view *view, const char *text, struct fd_error *err)
{
    (void)err;
    while (*text == ' ')
        text++;
    if (*text)
        view_push(view, &view_orders, &(struct orders_args){.find = text, .from = DAY_NONE, .to = DAY_NONE});
    return FD_OK;
}

void act_find(struct view *view)
{
    /* TRANSLATORS: prompt before the search field, at most 23 bytes. */
    view_prompt(view, _("Find: "), "", find_asked, NULL);
}

/* --- check-in --------------------------------------------------------------------------------- */

static enum fd_code check_in_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct act *act = arg;
    arena_reset(&act->arena);
    return venue_check_in(desk, act->key, act->number, &act->arena, &act->in, err);
}

static void pay_first(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    if (answer == 0)
        act_pay(view, context);
}

static void say_in(struct view *view, const struct checked_in *in)
{
    struct arena arena = {0};
    const char *when = show_slot_time(&arena, NULL, DAY_NONE, in->start_minute, in->end_minute);
    if (in->late_minutes > 0)
        app_message(view_app(view), MESSAGE_GOOD, _("%s is in: %s %s (%d min late)"), in->customer, in->venue, when,
                    in->late_minutes);
    else
        app_message(view_app(view), MESSAGE_GOOD, _("%s is in: %s %s"), in->customer, in->venue, when);
    arena_release(&arena);
}

/* --- several orders with this tail: choose one --- */

enum { SEVERAL_MOST = 12 };

static enum fd_code several_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct act *act = arg;
    bool more;
    wall_t now;
    arena_reset(&act->arena);
    enum fd_code code = desk_now(desk, &now, err);
    if (code != FD_OK)
        return code;
    struct order_filter filter = {.from = wall_day(now),
                                  .to = wall_day(now),
                                  .phone_tail = act->number,
                                  .states = "PAID,PENDING_PAY",
                                  .after_day = DAY_NONE,
                                  .most = SEVERAL_MOST};
    return venue_order_search(desk, &filter, &act->arena, &act->orders, &act->order_count, &more, err);
}

static int by_start(const void *a, const void *b)
{
    const struct venue_order *left = a, *right = b;
    return (left->start_minute > right->start_minute) - (left->start_minute < right->start_minute);
}

static void check_in_post(struct view *view, const char *number);

static void several_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    char *numbers = context; /* SEVERAL_MOST numbers of NUMBER_BYTES */
    if (answer >= 0)
        check_in_post(view, numbers + (size_t)answer * NUMBER_BYTES);
}

static void several_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct act *act = arg;
    const char *rows[SEVERAL_MOST];
    if (code != FD_OK) {
        app_error(view_app(view), err);
        return;
    }
    char *numbers = xcalloc(SEVERAL_MOST, NUMBER_BYTES);
    qsort(act->orders, act->order_count, sizeof *act->orders, by_start);
    for (size_t i = 0; i < act->order_count; i++) {
        const struct venue_order *order = &act->orders[i];
        cut_copy(numbers + i * NUMBER_BYTES, NUMBER_BYTES, order->base.order_no);
        rows[i] = arena_printf(&act->arena, "%s  %s  %s  %s",
                               show_slot_time(&act->arena, NULL, DAY_NONE, order->start_minute, order->end_minute),
                               order->venue, order->base.customer, state_label("venue_order", order->base.state));
    }
    view_dialog_own(view, dialog_pick(_("Who comes in?"), rows, act->order_count, 0), several_picked, numbers, free);
}

static void pick_of_several(struct view *view, const char *tail)
{
    struct job job = {N_("Reading the orders"), JOB_READ, several_run, several_done, act_new(tail), act_free};
    view_post(view, &job);
}

static void check_in_done(struct view *view, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct act *act = arg;
    if (code == FD_OK) {
        say_in(view, &act->in);
        load_again(view);
    } else if (code == FD_AMBIGUOUS && strlen(act->number) == 4 && text_is_digits(act->number)) {
        pick_of_several(view, act->number);
    } else if (code == FD_UNPAID) {
        view_dialog_own(view, dialog_confirm(_("Not paid yet"), err->message, _("&Take payment"), DIALOG_PLAIN),
                        pay_first, xstrdup(act->number), free);
    } else {
        app_error(view_app(view), err);
    }
}

static void check_in_post(struct view *view, const char *number)
{
    view_write(view, &(struct write){N_("Checking in"), check_in_run, check_in_done, act_new(number), act_free});
}

static enum fd_code check_in_asked(struct view *view, const char *text, struct fd_error *err)
{
    char number[NUMBER_BYTES];
    while (*text == ' ')
        text++;
    if (!*text) /* Enter alone: the order under the cursor */
        text = view_selected_order(view);
    if (strlen(text) >= sizeof number)
        return fd_fail(err, FD_BAD_INPUT, "%s", _("No order has a number as long as this."));
    cut_copy(number, sizeof number, text);
    if (*number)
        check_in_post(view, number);
    return FD_OK;
}

void act_check_in(struct view *view, const char *number)
{
    if (number && *number)
        check_in_post(view, number);
    else
        /* TRANSLATORS: prompt before the field for the last 4 digits of phone or order, at most 23 bytes. */
        view_prompt(view, _("In, last 4: "), "", check_in_asked, NULL);
}

/* --- why -------------------------------------------------------------------------------------- */

static enum fd_code why_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct act *act = arg;
    arena_reset(&act->arena);
    if (*act->number)
        return why_order(desk, act->number, &act->arena, &act->text, err);
    if (act->slot_id)
        return why_slot(desk, act->slot_id, &act->arena, &act->text, err);
    return why_day(desk, act->day, &act->arena, &act->text, err);
}

static void why_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct act *act = arg;
    if (code != FD_OK)
        app_error(view_app(view), err);
    else
        view_push(view, &view_text, &(struct text_args){_("Why"), act->text});
}

static void why_post(struct view *view, struct act *act)
{
    struct job job = {N_("Finding out why"), JOB_READ, why_run, why_done, act, act_free};
    view_post(view, &job);
}

void act_why_slot(struct view *view, int64_t slot_id)
{
    struct act *act = act_new("");
    act->slot_id = slot_id;
    why_post(view, act);
}

void act_why_order(struct view *view, const char *order_no)
{
    if (order_no && *order_no)
        why_post(view, act_new(order_no));
}

void act_why_day(struct view *view, day_t day)
{
    struct act *act = act_new("");
    act->day = day;
    why_post(view, act);
}
