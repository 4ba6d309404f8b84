/* The filter form of the orders list: what SQL then filters by, never the loaded page. */
#include "ui/view/orders.h"
#include "ui/view/ask.h"
#include "ui/view/wait.h"
#include "base/text.h"
#include <string.h>

enum { F_STATES = 1, F_FROM, F_TO, F_PHONE, F_NUMBER, F_NAME, F_VENUE, F_OPERATOR };

#define VENUES_MOST 200

struct filter_arg {
    struct work base;
    struct order_query query;
    orders_filter_fn *done;
    struct {
        int64_t id;
        char name[96];
    } venues[VENUES_MOST];
    size_t venue_count;
};

static const struct field fields[] = {
    {.id = F_STATES, .label = N_("State"), .kind = FIELD_CHOICE, .hint = N_("Left and Right, or F4 for the list")},
    {.id = F_FROM, .label = N_("From day"), .kind = FIELD_DATE, .hint = N_("A day: 12-01, 1, +1, sat, t for today; empty: any")},
    {.id = F_TO, .label = N_("to"), .kind = FIELD_DATE, .flags = FIELD_SAME_LINE, .hint = N_("The last day; empty: any")},
    {.id = F_PHONE, .label = N_("Phone"), .kind = FIELD_TEXT, .width_cells = 16, .max_chars = 20, .hint = N_("The whole number or its last 4 digits")},
    {.id = F_NUMBER, .label = N_("Order number"), .kind = FIELD_TEXT, .width_cells = 24, .max_chars = 32, .hint = N_("The whole number or its end")},
    {.id = F_NAME, .label = N_("Name"), .kind = FIELD_TEXT, .width_cells = 20, .max_chars = 30, .hint = N_("The beginning of the name, or pinyin initials")},
    {.id = F_VENUE, .label = N_("Place"), .kind = FIELD_CHOICE, .hint = N_("Left and Right, or F4 for the list")},
    {.id = F_OPERATOR, .label = N_("Made by"), .kind = FIELD_TEXT, .width_cells = 20, .max_chars = 64, .hint = N_("An operator's account name; - for orders made online")},
};

static const struct {
    const char *value, *label;
} state_choices[] = {
    {"", N_("all")},
    {"PENDING_PAY,PAID", N_("unpaid and paid, not yet in")},
    {"PENDING_PAY", N_("unpaid")},
    {"PAID", N_("paid")},
    {"COMPLETED", N_("checked in")},
    {"NO_SHOW", N_("did not come")},
    {"REFUNDING,REFUNDED", N_("refunded")},
    {"CANCELLED", N_("cancelled")},
};
#define STATE_CHOICES (sizeof state_choices / sizeof *state_choices)

static void fill_venues(struct form *form, struct filter_arg *arg) {
    struct choice choices[VENUES_MOST + 1];
    choices[0] = (struct choice){"", _("all")};
    for (size_t i = 0; i < arg->venue_count; i++)
        choices[i + 1] = (struct choice){arg->venues[i].name, arg->venues[i].name};
    form_choices(form, F_VENUE, choices, arg->venue_count + 1);
    form_set(form, F_VENUE, arg->query.venue);
}

static void fill(struct form *form, void *work) {
    struct filter_arg *arg = work;
    struct choice choices[STATE_CHOICES];
    for (size_t i = 0; i < STATE_CHOICES; i++)
        choices[i] = (struct choice){state_choices[i].value, _(state_choices[i].label)};
    form_choices(form, F_STATES, choices, STATE_CHOICES);
    form_set(form, F_STATES, arg->query.states);
    if (arg->query.from != DAY_NONE)
        form_set_day(form, F_FROM, arg->query.from);
    if (arg->query.to != DAY_NONE)
        form_set_day(form, F_TO, arg->query.to);
    form_set(form, F_PHONE, *arg->query.phone ? arg->query.phone : arg->query.tail);
    form_set(form, F_NUMBER, arg->query.either ? "" : arg->query.number);
    form_set(form, F_NAME, arg->query.name);
    form_set(form, F_OPERATOR, arg->query.operator);
    fill_venues(form, arg);
}

static bool take_phone(struct form *form, struct order_query *query) {
    const char *text = form_text(form, F_PHONE);
    struct fd_error err;
    if (form_is_empty(form, F_PHONE))
        return true;
    if (text_is_digits(text) && strlen(text) == 4) {
        cut_copy(query->tail, sizeof query->tail, text);
        return true;
    }
    if (phone_normalise(text, query->phone, &err) == FD_OK)
        return true;
    form_fail(form, F_PHONE, &err);
    return false;
}

static void take_venue(struct form *form, const struct filter_arg *arg, struct order_query *query) {
    const char *name = form_text(form, F_VENUE);
    for (size_t i = 0; *name && i < arg->venue_count; i++)
        if (strcmp(arg->venues[i].name, name) == 0) {
            query->venue_id = arg->venues[i].id;
            cut_copy(query->venue, sizeof query->venue, name);
        }
}

static bool take(struct form *form, void *work) {
    struct filter_arg *arg = work;
    struct order_query query = {.from = form_day(form, F_FROM), .to = form_day(form, F_TO)};
    if (query.from != DAY_NONE && query.to != DAY_NONE && query.to < query.from) {
        form_error(form, F_TO, _("The last day is before the first."));
        form_focus(form, F_TO);
        return false;
    }
    if (!take_phone(form, &query))
        return false;
    cut_copy(query.states, sizeof query.states, form_text(form, F_STATES));
    cut_copy(query.number, sizeof query.number, form_text(form, F_NUMBER));
    cut_copy(query.name, sizeof query.name, form_text(form, F_NAME));
    cut_copy(query.operator, sizeof query.operator, form_text(form, F_OPERATOR));
    take_venue(form, arg, &query);
    arg->query = query;
    return true;
}

static void done(struct view *view, void *work) {
    struct filter_arg *arg = work;
    arg->done(view, &arg->query);
}

static const struct ask_spec spec = {
    .title = N_("Filter orders"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Show"),
    .fill = fill,
    .take = take,
    .done = done,
};

/* --- the places are read first, for their list --- */

static enum fd_code read_venues(struct db *db, void *work, struct fd_error *err) {
    struct filter_arg *arg = work;
    struct venue *rows = NULL;
    size_t count = 0;
    arena_reset(&arg->base.arena);
    enum fd_code code = venue_list(db, NULL, true, &arg->base.arena, &rows, &count, err);
    arg->venue_count = 0;
    for (size_t i = 0; code == FD_OK && i < count && i < VENUES_MOST; i++) {
        arg->venues[i].id = rows[i].id;
        cut_copy(arg->venues[i].name, sizeof arg->venues[i].name, rows[i].name);
        arg->venue_count++;
    }
    return code;
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    return desk_read(desk, "venue.list", read_venues, work, err);
}

static void venues_read(struct view *view, void *work) {
    struct filter_arg *arg = work_copy(work);
    arg->base.failed = NULL;
    ask_open(view, &spec, arg);
    wait_over(view);
}

static bool venues_failed(struct view *view, void *work, const struct fd_error *err) {
    (void)work;
    (void)err;
    wait_drop(view);
    return false;
}

void orders_filter_ask(struct view *view, const struct order_query *query, orders_filter_fn *filter_done) {
    struct filter_arg *arg = work_new(sizeof *arg, run, venues_read);
    arg->query = *query;
    arg->done = filter_done;
    arg->base.failed = venues_failed;
    wait_begin(view);
    work_post(view, N_("Reading the places"), JOB_READ, arg);
}
