/* What is owed: by order or bill number, whole or tail, or by the last 4 digits of a phone. */
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "core/param.h"
#include "ui/view/pay_internal.h"

enum { FOUND_MOST = 9 };

struct owed_job {
    struct arena arena;
    char number[NUMBER_BYTES];
    struct owed owed;
    bool is_found;
    struct venue_order *orders; /* of the phone, where the number is none */
    size_t order_count;
    wall_t now;
    int64_t check_in_before;
    bool has_channel[CHANNEL_COUNT];
    int64_t read; /* which reading it is, of the view's */
};

static void owed_job_free(void *arg)
{
    struct owed_job *job = arg;
    arena_release(&job->arena);
    free(job);
}

static enum fd_code owed_read(struct db *db, void *arg, struct fd_error *err)
{
    struct owed_job *job = arg;
    return pay_owed(db, job->number, &job->arena, &job->owed, err);
}

static enum fd_code owed_of_phone(struct desk *desk, struct owed_job *job, struct fd_error *err)
{
    bool more;
    struct order_filter filter = {.from = wall_day(job->now),
                                  .to = DAY_NONE,
                                  .phone_tail = job->number,
                                  .states = "PENDING_PAY",
                                  .after_day = DAY_NONE,
                                  .most = FOUND_MOST};
    return venue_order_search(desk, &filter, &job->arena, &job->orders, &job->order_count, &more, err);
}

static enum fd_code owed_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct owed_job *job = arg;
    struct fd_error none;
    enum fd_code code = desk_now(desk, &job->now, err);
    if (code != FD_OK)
        return code;
    job->check_in_before = param_get(desk, PARAM_CHECK_IN_BEFORE);
    for (int i = 0; i < CHANNEL_COUNT; i++)
        job->has_channel[i] = desk_has_channel(desk, (enum channel_id)i);
    code = desk_read(desk, "pay.owed", owed_read, job, &none);
    job->is_found = code == FD_OK;
    bool is_tail = strlen(job->number) == 4 && text_is_digits(job->number);
    if (code == FD_NOT_FOUND && is_tail)
        return owed_of_phone(desk, job, err);
    if (code != FD_OK && err)
        *err = none;
    return code;
}

/* "3号场  12-01 周二 19:00-20:00  x1" */
/* Without the day where it is today: beside a code at 80 columns it would push out how many. */
static const char *order_text(struct arena *arena, const struct order *order, wall_t now)
{
    if (order->kind != &venue_kind)
        return arena_str(arena, order->order_no);
    const struct venue_order *venue = (const struct venue_order *)order;
    day_t day = venue->day == wall_day(now) ? DAY_NONE : venue->day;
    return arena_printf(arena, "%s  %s  x%lld", venue->venue,
                        show_slot_time(arena, NULL, day, venue->start_minute, venue->end_minute),
                        (long long)order->quantity);
}

/* What a part was taken of before has that in a line of its own. */
static void add_lines(struct pay_state *state, const struct order *order, int64_t owes_fen, wall_t now)
{
    bool part = strcmp(order->state, "PENDING_PAY") == 0 && order->paid_fen > 0;
    const char *text = order_text(&state->arena, order, now);
    state->lines[state->line_count++] = (struct pay_line){text, part ? order->total_fen : owes_fen};
    if (part)
        state->lines[state->line_count++] = (struct pay_line){_("  taken before"), owes_fen - order->total_fen};
}

static int64_t order_owes(const struct order *order)
{
    return strcmp(order->state, "PENDING_PAY") == 0 ? order->total_fen - order->paid_fen : order->due_fen;
}

static bool may_go_in(const struct owed_job *job)
{
    for (size_t i = 0; i < job->owed.count; i++) {
        const struct order *order = job->owed.orders[i];
        if (order->kind != &venue_kind)
            return false;
        const struct venue_order *venue = (const struct venue_order *)order;
        wall_t start = wall_at(venue->day, venue->start_minute), end = wall_at(venue->day, venue->end_minute);
        if (job->now < start - job->check_in_before * 60 || job->now >= end)
            return false;
    }
    return job->owed.count > 0;
}

static void take_owed(struct view *view, struct owed_job *job)
{
    struct pay_state *state = view_state(view);
    struct owed *owed = &job->owed;
    arena_release(&state->arena);
    state->arena = job->arena;
    job->arena = (struct arena){0};
    state->lines = arena_array(&state->arena, 2 * owed->count + 1, sizeof *state->lines);
    state->line_count = 0;
    state->owed_fen = owed->amount_fen;
    for (size_t i = 0; i < owed->count; i++)
        add_lines(state, owed->orders[i], order_owes(owed->orders[i]), job->now);
    const struct order *first = owed->asked ? owed->asked : owed->count ? owed->orders[0] : NULL;
    bool one = owed->count == 1 && first;
    state->take_no = one ? arena_str(&state->arena, owed->orders[0]->order_no)
                         : arena_str(&state->arena, *owed->bill_no ? owed->bill_no : state->asked);
    state->title = arena_printf(&state->arena, "%s %s  %s", one ? _("order") : _("bill"), show_tail(state->take_no),
                                first ? first->customer : "");
    state->can_check_in = may_go_in(job);
    state->ways_known = true;
    memcpy(state->has_channel, job->has_channel, sizeof state->has_channel);
    app_set_clock(view_app(view), job->now);
}

static void order_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    char *numbers = context; /* FOUND_MOST numbers of NUMBER_BYTES */
    if (answer < 0) {
        pay_ask(view);
        return;
    }
    typed_begin(&VIEW_STATE(struct pay_state, view)->typed);
    pay_read(view, numbers + (size_t)answer * NUMBER_BYTES);
}

static void offer_orders(struct view *view, struct owed_job *job)
{
    const char *rows[FOUND_MOST];
    char money[FEN_TEXT], *numbers = xcalloc(FOUND_MOST, NUMBER_BYTES);
    for (size_t i = 0; i < job->order_count; i++) {
        const struct venue_order *order = &job->orders[i];
        cut_copy(numbers + i * NUMBER_BYTES, NUMBER_BYTES, order->base.order_no);
        rows[i] =
            arena_printf(&job->arena, "%s  %s  %s  %s", show_tail(order->base.order_no), order->base.customer,
                         order_text(&job->arena, &order->base, job->now), fen_text(order_owes(&order->base), money));
    }
    view_dialog_own(view, dialog_pick(_("Which order?"), rows, job->order_count, 0), order_picked, numbers, free);
}

static void not_read(struct view *view, const struct fd_error *err)
{
    struct pay_state *state = view_state(view);
    if (!state->is_root) {
        app_error(view_app(view), err);
        view_close(view, PAY_LEFT);
        return;
    }
    pay_ask(view);
    cut_copy(state->error, sizeof state->error, err->message);
    cut_copy(state->error_hint, sizeof state->error_hint, err->hint);
}

/* What was typed was meant for another sum. */
static void choose_anew(struct view *view, int64_t owed_fen)
{
    struct pay_state *state = view_state(view);
    char was[40], is[40];
    if (state->reads_again)
        app_message(view_app(view), MESSAGE_WARN, _("%s was owed, now it is %s."), show_yuan(owed_fen, was),
                    show_yuan(state->owed_fen, is));
    state->way = state->reads_again ? 0 : state->way;
    pay_choose(view);
}

static void owed_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct owed_job *job = arg;
    struct pay_state *state = view_state(view);
    struct fd_error nothing;
    if (job->read != state->reads || state->stage != PAY_READING)
        return;
    if (code == FD_CANCELLED || code == FD_DB_DOWN) {
        pay_ask(view); /* a root asks again; another is left with Esc or read again */
        return;
    }
    if (code == FD_OK && !job->is_found && job->order_count == 1) {
        pay_read(view, job->orders[0].base.order_no);
        return;
    }
    if (code == FD_OK && !job->is_found && job->order_count > 1) {
        offer_orders(view, job);
        return;
    }
    if (code == FD_OK && (!job->is_found || job->owed.amount_fen == 0)) {
        fd_fail(&nothing, job->is_found ? FD_REFUSED : FD_NOT_FOUND, "%s",
                job->is_found ? _("Nothing is owed.") : _("No unpaid order has this number or phone."));
        err = &nothing;
        code = nothing.code;
    }
    if (code != FD_OK) {
        not_read(view, err);
        return;
    }
    struct app *app = view_app(view);
    struct typed typed = state->typed;
    int64_t owed_fen = state->owed_fen;
    take_owed(view, job);
    if (state->reads_again && state->owed_fen == owed_fen)
        state->stage = PAY_CHOOSING;
    else
        choose_anew(view, owed_fen);
    view_loaded(view);
    typed_replay(&typed, app);
}

void pay_read(struct view *view, const char *number)
{
    struct pay_state *state = view_state(view);
    struct owed_job *arg = xcalloc(1, sizeof *arg);
    cut_copy(arg->number, sizeof arg->number, number);
    arg->read = ++state->reads;
    if (state->stage != PAY_READING || state->reads == 1) {
        state->reads_again = state->stage == PAY_CHOOSING && !state->next_digit && strcmp(number, state->asked) == 0;
        typed_begin(&state->typed);
    }
    cut_copy(state->asked, sizeof state->asked, number);
    state->stage = PAY_READING;
    struct job job = {N_("Reading what is owed"), JOB_READ, owed_run, owed_done, arg, owed_job_free};
    view_post(view, &job);
}
