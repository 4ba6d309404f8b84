/* Closing, opening and pricing slots: marked ones, or a range of days and hours. Closing lists what
 * was sold there: whom to call. */
#include "ui/view/schedules.h"
#include "ui/view/ask.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { F_DO = 1, F_VENUE, F_FROM, F_TO, F_WEEKDAYS, F_HOURS, F_PRICE, F_REASON, F_ABOUT };

struct slots_arg {
    struct work base;
    enum slots_do what;
    size_t id_count;               /* 0: a range */
    int64_t ids[SLOTS_MOST];
    struct slot_range range;
    int64_t price_fen;
    char reason[500], about[200];
    struct venue_names venues;
    int64_t venue_id;
    day_t day;
    /* answers */
    int64_t changed;
    struct slot_order *orders;     /* in the arena */
    size_t order_count;
};

static const char *const do_names[] = {"close", "open", "price"};

static enum fd_code slots_run(struct desk *desk, void *work, struct fd_error *err) {
    struct slots_arg *arg = work;
    struct slot_range range = arg->range;
    if (arg->id_count > 0)
        range = (struct slot_range){.ids = arg->ids, .id_count = arg->id_count, .from = DAY_NONE, .to = DAY_NONE, .from_minute = -1, .to_minute = -1};
    const char *reason = *arg->reason ? arg->reason : NULL;
    switch (arg->what) {
    case SLOTS_CLOSE:
        return slot_close(desk, arg->base.key, &range, reason, &arg->base.arena, &arg->changed, &arg->orders, &arg->order_count, err);
    case SLOTS_OPEN:
        return slot_open(desk, arg->base.key, &range, reason, &arg->changed, err);
    case SLOTS_PRICE:
        break;
    }
    return slot_price(desk, arg->base.key, &range, arg->price_fen, reason, &arg->changed, err);
}

static void slots_done(struct view *view, void *work) {
    struct slots_arg *arg = work;
    char price[40];
    if (arg->what == SLOTS_CLOSE)
        app_message(view_app(view), MESSAGE_GOOD, ngettext("%lld slot closed.", "%lld slots closed.", (unsigned long)arg->changed), (long long)arg->changed);
    else if (arg->what == SLOTS_OPEN)
        app_message(view_app(view), MESSAGE_GOOD, ngettext("%lld slot opened.", "%lld slots opened.", (unsigned long)arg->changed), (long long)arg->changed);
    else
        app_message(view_app(view), MESSAGE_GOOD, ngettext("%lld slot costs %s now; orders keep their price.", "%lld slots cost %s now; orders keep their price.", (unsigned long)arg->changed),
                    (long long)arg->changed, show_yuan(arg->price_fen, price));
    if (arg->order_count > 0)
        view_push(view, &view_calls, &(struct calls_args){arg->orders, arg->order_count, arg->reason});
}

static int slots_blame(const void *work, const struct fd_error *err) {
    (void)work;
    (void)err;
    return F_REASON;
}

/* --- marked ones --- */

static const struct field close_fields[] = {
    {.id = F_ABOUT, .label = N_("Slots"), .kind = FIELD_SHOW, .width_cells = 60},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .flags = FIELD_REQUIRED, .width_cells = 50, .max_chars = 100, .hint = N_("Shown in the grid, and kept in the log")},
};
static const struct field open_fields[] = {
    {.id = F_ABOUT, .label = N_("Slots"), .kind = FIELD_SHOW, .width_cells = 60},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 100, .hint = N_("For the log")},
};
static const struct field price_fields[] = {
    {.id = F_ABOUT, .label = N_("Slots"), .kind = FIELD_SHOW, .width_cells = 60},
    {.id = F_PRICE, .label = N_("New price"), .kind = FIELD_MONEY, .flags = FIELD_REQUIRED, .hint = N_("For one place; orders that exist keep theirs")},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 100, .hint = N_("For the log")},
};

static void change_fill(struct form *form, void *work) {
    const struct slots_arg *arg = work;
    form_set(form, F_ABOUT, arg->about);
    form_focus(form, arg->what == SLOTS_PRICE ? F_PRICE : F_REASON);
}

static bool take(struct form *form, void *work) {
    struct slots_arg *arg = work;
    if (arg->what == SLOTS_PRICE)
        arg->price_fen = form_fen(form, F_PRICE);
    cut_copy(arg->reason, sizeof arg->reason, form_text(form, F_REASON));
    return true;
}

static const struct ask_spec change_specs[] = {
    [SLOTS_CLOSE] = {.title = N_("Close slots"),
                     .intro = N_("Closed slots are not sold any more. Orders that exist stay valid; they are listed next, to call the people."),
                     .fields = close_fields,
                     .field_count = 2,
                     .save = N_("Close the slots"),
                     .working = N_("Closing slots"),
                     .fill = change_fill,
                     .take = take,
                     .run = slots_run,
                     .blame = slots_blame,
                     .done = slots_done},
    [SLOTS_OPEN] = {.title = N_("Open slots"),
                    .fields = open_fields,
                    .field_count = 2,
                    .save = N_("Open the slots"),
                    .working = N_("Opening slots"),
                    .fill = change_fill,
                    .take = take,
                    .run = slots_run,
                    .blame = slots_blame,
                    .done = slots_done},
    [SLOTS_PRICE] = {.title = N_("Price of slots"),
                     .fields = price_fields,
                     .field_count = 3,
                     .save = N_("Set the price"),
                     .working = N_("Setting prices"),
                     .fill = change_fill,
                     .take = take,
                     .run = slots_run,
                     .blame = slots_blame,
                     .done = slots_done},
};

void slots_change_ask(struct view *view, enum slots_do what, const int64_t *ids, size_t count, const char *about) {
    struct slots_arg *arg = work_new(sizeof *arg, NULL, NULL);
    arg->what = what;
    arg->id_count = count < SLOTS_MOST ? count : SLOTS_MOST;
    cut_copy(arg->about, sizeof arg->about, about);
    memcpy(arg->ids, ids, arg->id_count * sizeof *ids);
    ask_open(view, &change_specs[what], arg);
}

/* --- a range --- */

static const struct field range_fields[] = {
    {.id = F_DO, .label = N_("What"), .kind = FIELD_CHOICE, .hint = N_("Left and Right choose")},
    {.id = F_VENUE, .label = N_("Place"), .kind = FIELD_CHOICE, .hint = N_("Left and Right, or F4 for the list")},
    {.id = F_FROM, .label = N_("From day"), .kind = FIELD_DATE, .flags = FIELD_REQUIRED, .hint = N_("A day: 12-01, 1, +1, sat, t for today")},
    {.id = F_TO, .label = N_("to"), .kind = FIELD_DATE, .flags = FIELD_REQUIRED | FIELD_SAME_LINE, .hint = N_("The last day, included")},
    {.id = F_WEEKDAYS, .label = N_("Weekdays"), .kind = FIELD_TEXT, .flags = FIELD_WATCH, .width_cells = 8, .max_chars = 7, .hint = N_("1 Monday to 7 Sunday: 67 is the weekend; empty: every day")},
    {.id = F_HOURS, .label = N_("Hours"), .kind = FIELD_SPAN, .width_cells = 13, .hint = N_("Slots that begin in these hours: 8-12; empty: the whole day")},
    {.id = F_PRICE, .label = N_("New price"), .kind = FIELD_MONEY, .hint = N_("For one place; orders that exist keep theirs")},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 100, .hint = N_("Shown in the grid for closed slots, and kept in the log")},
};

static void range_fill(struct form *form, void *work) {
    struct slots_arg *arg = work;
    const struct choice what[] = {{"close", _("close")}, {"open", _("open")}, {"price", _("set the price")}};
    struct choice venues[VENUES_MOST];
    char id[VENUES_MOST][24];
    form_choices(form, F_DO, what, 3);
    for (size_t i = 0; i < arg->venues.count; i++) {
        snprintf(id[i], sizeof id[i], "%lld", (long long)arg->venues.rows[i].id);
        venues[i] = (struct choice){id[i], arg->venues.rows[i].name};
    }
    form_choices(form, F_VENUE, venues, arg->venues.count);
    for (size_t i = 0; i < arg->venues.count; i++)
        if (arg->venues.rows[i].id == arg->venue_id)
            form_set(form, F_VENUE, id[i]);
    form_set_day(form, F_FROM, arg->day);
    form_set_day(form, F_TO, arg->day);
}

static void range_changed(struct form *form, int id, void *work) {
    unsigned weekdays;
    char text[80];
    (void)id;
    (void)work;
    form_hide(form, F_PRICE, strcmp(form_text(form, F_DO), "price") != 0);
    if (weekday_digits_parse(form_text(form, F_WEEKDAYS), &weekdays))
        form_aside(form, F_WEEKDAYS, STYLE_DIM, weekday_digits_say(weekdays, text, sizeof text));
}

static bool refuse(struct form *form, int field, const char *sentence) {
    form_error(form, field, sentence);
    form_focus(form, field);
    return false;
}

static bool range_take(struct form *form, void *work) {
    struct slots_arg *arg = work;
    for (size_t i = 0; i < sizeof do_names / sizeof *do_names; i++)
        if (strcmp(do_names[i], form_text(form, F_DO)) == 0)
            arg->what = (enum slots_do)i;
    arg->range = (struct slot_range){
        .venue_id = atoll(form_text(form, F_VENUE)),
        .from = form_day(form, F_FROM),
        .to = form_day(form, F_TO),
        .from_minute = form_minute(form, F_HOURS),
        .to_minute = form_minute_to(form, F_HOURS),
    };
    if (!weekday_digits_parse(form_text(form, F_WEEKDAYS), &arg->range.weekdays))
        return refuse(form, F_WEEKDAYS, _("Weekdays are digits 1 (Monday) to 7 (Sunday)."));
    if (arg->range.to < arg->range.from)
        return refuse(form, F_TO, _("The last day is before the first."));
    if (arg->what == SLOTS_PRICE && form_is_empty(form, F_PRICE))
        return refuse(form, F_PRICE, _("Which price?"));
    if (arg->what == SLOTS_CLOSE && form_is_empty(form, F_REASON))
        return refuse(form, F_REASON, _("Write why, people will ask."));
    return take(form, work);
}

static const struct ask_spec range_spec = {
    .title = N_("A range of slots"),
    .intro = N_("Orders that exist stay valid and keep their price."),
    .fields = range_fields,
    .field_count = sizeof range_fields / sizeof *range_fields,
    .save = N_("Do it"),
    .working = N_("Changing slots"),
    .fill = range_fill,
    .changed = range_changed,
    .take = range_take,
    .run = slots_run,
    .blame = slots_blame,
    .done = slots_done,
};

void slots_range_ask(struct view *view, const struct venue_names *venues, int64_t venue_id, day_t day) {
    struct slots_arg *arg = work_new(sizeof *arg, NULL, NULL);
    arg->venues = *venues;
    arg->venue_id = venue_id;
    arg->day = day;
    ask_open(view, &range_spec, arg);
}
