/* Places: courts, lanes, class rooms, equipment; add and change. */
#include "ui/view/ask.h"
#include "ui/view/listing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C_NAME, C_SPORT, C_FORM, C_PEOPLE, C_ORDER, C_STATE, C_ADDRESS };

static const struct list_column columns[] = {
    {.label = NC_("column", "Place"), .cells = 16, .grow = 1, .frozen = true, .align = -1},
    {.label = NC_("column", "Sport"), .cells = 12, .align = -1},
    {.label = NC_("column", "Sold as"), .cells = 18, .align = -1},
    {.label = NC_("column", "People"), .cells = 6, .align = 1},
    {.label = NC_("column", "Column"), .cells = 6, .priority = 2, .align = 1},
    {.label = NC_("column", "State"), .cells = 10, .align = -1},
    {.label = NC_("column", "Address"), .cells = 14, .grow = 2, .priority = 1, .align = -1},
};

static const struct {
    const char *form, *label;
} forms[] = {
    {"COURT", N_("a court, one party")},
    {"PLACE", N_("places")},
    {"HOURLY", N_("equipment by the hour")},
    {"DAILY", N_("equipment by the day")},
};
#define FORMS (sizeof forms / sizeof *forms)

static const char *form_label(const char *form) {
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].form, form) == 0)
            return _(forms[i].label);
    return form;
}

static enum fd_code read_rows(struct db *db, void *arg, struct fd_error *err) {
    struct listing_work *work = arg;
    struct venue *rows = NULL;
    arena_reset(&work->base.arena);
    enum fd_code code = venue_list(db, NULL, true, &work->base.arena, &rows, &work->count, err);
    work->rows = rows;
    return code;
}

static enum fd_code read_venues(struct desk *desk, void *arg, struct fd_error *err) {
    return desk_read(desk, "venue.list", read_rows, arg, err);
}

static int64_t key(const void *row) {
    return ((const struct venue *)row)->id;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style) {
    const struct venue *row = arg;
    if (!row->in_use)
        *style = STYLE_DIM;
    switch (column) {
    case C_NAME:
        cut_copy(out, bytes, row->name);
        break;
    case C_SPORT:
        cut_copy(out, bytes, show_sport(row->sport));
        break;
    case C_FORM:
        cut_copy(out, bytes, form_label(row->form));
        break;
    case C_PEOPLE:
        snprintf(out, bytes, "%lld", (long long)row->max_people);
        break;
    case C_ORDER:
        snprintf(out, bytes, "%lld", (long long)row->sort_order);
        break;
    case C_STATE:
        cut_copy(out, bytes, row->in_use ? C_("venue", "in use") : C_("venue", "out of use"));
        break;
    default:
        cut_copy(out, bytes, row->address);
        break;
    }
}

/* --- adding and changing --- */

enum { F_NAME = 1, F_SPORT, F_FORM, F_PEOPLE, F_ORDER, F_IN_USE, F_ADDRESS, F_REASON };

struct venue_arg {
    struct work base;
    int64_t id; /* 0: a new one */
    char name[260], sport[130], form[12], address[1024], reason[500];
    int64_t max_people, sort_order;
    int in_use;
};

static const struct field fields[] = {
    {.id = F_NAME, .label = N_("Place"), .kind = FIELD_TEXT, .flags = FIELD_REQUIRED, .width_cells = 24, .max_chars = 64},
    {.id = F_SPORT, .label = N_("Sport"), .kind = FIELD_TEXT, .flags = FIELD_REQUIRED, .width_cells = 24, .max_chars = 32, .hint = N_("As the online system writes it: places of one sport share a grid")},
    {.id = F_FORM, .label = N_("Sold as"), .kind = FIELD_CHOICE, .hint = N_("Left and Right choose")},
    {.id = F_PEOPLE, .label = N_("People at most"), .kind = FIELD_NUMBER, .width_cells = 6, .max_chars = 5},
    {.id = F_ORDER, .label = N_("Column"), .kind = FIELD_NUMBER, .width_cells = 6, .max_chars = 5, .hint = N_("Order of the columns in the grid, smallest first")},
    {.id = F_IN_USE, .label = N_("In use"), .kind = FIELD_CHOICE},
    {.id = F_ADDRESS, .label = N_("Address"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 255},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .flags = FIELD_GAP, .width_cells = 50, .max_chars = 100, .hint = N_("Why it is changed, for the log")},
};

static void fill(struct form *form, void *work) {
    struct venue_arg *arg = work;
    struct choice choices[FORMS];
    const struct choice in_use[] = {{"1", _("yes")}, {"0", _("no: not shown, not sold")}};
    for (size_t i = 0; i < FORMS; i++)
        choices[i] = (struct choice){forms[i].form, _(forms[i].label)};
    form_set(form, F_NAME, arg->name);
    form_set(form, F_SPORT, arg->sport);
    form_choices(form, F_FORM, choices, FORMS);
    form_set(form, F_FORM, arg->form);
    form_set_number(form, F_PEOPLE, arg->max_people);
    form_set_number(form, F_ORDER, arg->sort_order);
    form_choices(form, F_IN_USE, in_use, 2);
    form_set(form, F_IN_USE, arg->in_use ? "1" : "0");
    form_set(form, F_ADDRESS, arg->address);
    form_hide(form, F_REASON, arg->id == 0);
    form_hide(form, F_IN_USE, arg->id == 0);
}

static bool take(struct form *form, void *work) {
    struct venue_arg *arg = work;
    cut_copy(arg->name, sizeof arg->name, form_text(form, F_NAME));
    cut_copy(arg->sport, sizeof arg->sport, form_text(form, F_SPORT));
    cut_copy(arg->form, sizeof arg->form, form_text(form, F_FORM));
    cut_copy(arg->address, sizeof arg->address, form_text(form, F_ADDRESS));
    cut_copy(arg->reason, sizeof arg->reason, form_text(form, F_REASON));
    arg->max_people = form_number(form, F_PEOPLE);
    arg->sort_order = form_number(form, F_ORDER);
    arg->in_use = strcmp(form_text(form, F_IN_USE), "0") != 0;
    return true;
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    struct venue_arg *arg = work;
    struct venue_edit edit = {.name = arg->name,
                              .sport = arg->sport,
                              .form = arg->form,
                              .address = arg->address,
                              .max_people = arg->max_people,
                              .sort_order = arg->sort_order,
                              .in_use = arg->in_use};
    if (arg->id == 0)
        return venue_add(desk, arg->base.key, &edit, &arg->id, err);
    return venue_change(desk, arg->base.key, arg->id, &edit, *arg->reason ? arg->reason : NULL, err);
}

static int blame(const void *work, const struct fd_error *err) {
    (void)work;
    return err->code == FD_REASON_NEEDED ? F_REASON : F_NAME;
}

static void done(struct view *view, void *work) {
    app_message(view_app(view), MESSAGE_GOOD, _("Saved: %s."), ((struct venue_arg *)work)->name);
}

static const struct ask_spec spec = {
    .title = N_("Place"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Save"),
    .working = N_("Saving the place"),
    .fill = fill,
    .take = take,
    .run = run,
    .blame = blame,
    .done = done,
};

static void do_add(struct view *view, const void *row) {
    const struct listing *listing = view_state(view);
    const struct venue *rows = listing->rows;
    struct venue_arg *arg = work_new(sizeof *arg, NULL, NULL);
    (void)row;
    for (size_t i = 0; i < listing->count; i++) /* the last column of the grid */
        if (rows[i].sort_order >= arg->sort_order)
            arg->sort_order = rows[i].sort_order + 1;
    arg->in_use = 1;
    arg->max_people = 4;
    ask_open(view, &spec, arg);
}

static void do_edit(struct view *view, const void *from) {
    const struct venue *row = from;
    struct venue_arg *arg = work_new(sizeof *arg, NULL, NULL);
    arg->id = row->id;
    cut_copy(arg->name, sizeof arg->name, row->name);
    cut_copy(arg->sport, sizeof arg->sport, row->sport);
    cut_copy(arg->form, sizeof arg->form, row->form);
    cut_copy(arg->address, sizeof arg->address, row->address);
    arg->max_people = row->max_people;
    arg->sort_order = row->sort_order;
    arg->in_use = row->in_use;
    ask_open(view, &spec, arg);
}

static void do_slots(struct view *view, const void *from) {
    view_push(view, &view_schedules, &(struct schedules_args){DAY_NONE, ((const struct venue *)from)->id});
}

/* --- the view --- */

static const struct listing_act acts[] = {{REQ_ADD, do_add, false}, {REQ_EDIT, do_edit, true}, {REQ_OPEN, do_edit, true}, {REQ_PLACE, do_slots, true}};
static const struct listing_spec listing_spec = {
    .reading = N_("Reading the places"),
    .empty = N_("There are no places. a adds one."),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .row_bytes = sizeof(struct venue),
    .read = read_venues,
    .key = key,
    .cell = cell,
    .acts = acts,
    .act_count = sizeof acts / sizeof *acts,
};

static void venues_open(struct view *view, const void *arg) {
    (void)arg;
    listing_open(view, &listing_spec);
}

static void venues_title(struct view *view, struct buf *text) {
    (void)view;
    buf_add(text, _("Places"));
}

static const char *venues_hint(const struct view *view) {
    (void)view;
    return _("a add  Enter change  s its slots  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(2), 'a'}, REQ_ADD, NC_("key", "Add"), N_("Add a place")},
    {{K_F(4), 'e'}, REQ_EDIT, NC_("key", "Change"), N_("Change the place")},
    {{K_F(6), 's'}, REQ_PLACE, NC_("key", "Slots"), N_("The slots of the place")},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Places"), binds);

const struct view_ops view_venues = {
    .name = "places",
    .label = NC_("tab", "Places"),
    .private_bytes = sizeof(struct listing),
    .keys = &keys,
    .open = venues_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = venues_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = venues_hint,
};
