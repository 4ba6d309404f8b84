/* What the booking form reads: parameters and slots, the customer behind a phone, other items. */
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "core/param.h"
#include "ui/view/booking_internal.h"

enum { FOUND_MOST = 30, ITEMS_MOST = 200 };

/* One reading, whichever it is. */
struct reading {
    struct arena arena;
    char text[128]; /* phone, or what is searched */
    struct hold_rules holds;
    wall_t now;
    int64_t ids[CART_MOST];
    struct slot *slots[CART_MOST];
    size_t id_count;
    struct customer *customer, *found;
    size_t found_count;
    day_t day;
    int from_minute, to_minute; /* of the first line; -1: any time */
    int64_t venue_id;
    struct slot *items;
    size_t item_count;
};

static void reading_free(void *arg)
{
    struct reading *reading = arg;
    arena_release(&reading->arena);
    free(reading);
}

/* --- parameters and slots --------------------------------------------------------------------- */

static enum fd_code slots_read(struct db *db, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    enum fd_code code = FD_OK;
    for (size_t i = 0; code == FD_OK && i < reading->id_count; i++)
        code = slot_by_id(db, reading->ids[i], &reading->arena, &reading->slots[i], err);
    return code;
}

static enum fd_code facts_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    enum fd_code code = desk_now(desk, &reading->now, err);
    if (code != FD_OK)
        return code;
    reading->holds = (struct hold_rules){param_get(desk, PARAM_HOLD_MINUTES), param_get(desk, PARAM_HOLD_BEFORE_START),
                                         param_get(desk, PARAM_HOLD_LEAST)};
    return reading->id_count ? desk_read(desk, "booking.slots", slots_read, reading, err) : FD_OK;
}

static void facts_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct booking_state *state = view_state(view);
    const struct reading *reading = arg;
    if (code != FD_OK) {
        view_failed(view, code, err);
        return;
    }
    app_set_clock(view_app(view), reading->now);
    state->holds = reading->holds;
    for (size_t i = 0; i < reading->id_count; i++)
        for (size_t j = 0; reading->slots[i] && j < state->count; j++)
            if (state->lines[j].slot.id == reading->slots[i]->id) {
                state->lines[j].slot.remain_count = reading->slots[i]->remain_count;
                state->lines[j].slot.open = reading->slots[i]->open;
                state->lines[j].slot.over = reading->slots[i]->over;
            }
    booking_hold_choices(state, app_now(view_app(view)));
    view_loaded(view);
}

void booking_read_facts(struct view *view)
{
    const struct booking_state *state = view_state(view);
    struct reading *reading = xcalloc(1, sizeof *reading);
    for (size_t i = 0; i < state->count; i++)
        reading->ids[reading->id_count++] = state->lines[i].slot.id;
    struct job job = {N_("Reading the slots"), JOB_READ, facts_run, facts_done, reading, reading_free};
    view_post(view, &job);
}

/* --- the customer behind a phone -------------------------------------------------------------- */

static enum fd_code customer_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    return customer_by_phone(desk, reading->text, &reading->arena, &reading->customer, err);
}

static void customer_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    const struct reading *reading = arg;
    if (code != FD_OK)
        view_failed(view, code, err);
    else
        booking_show_customer(view, reading->customer, reading->text);
}

void booking_read_customer(struct view *view, const char *phone)
{
    struct reading *reading = xcalloc(1, sizeof *reading);
    cut_copy(reading->text, sizeof reading->text, phone);
    struct job job = {N_("Looking for the customer"), JOB_READ, customer_run, customer_done, reading, reading_free};
    view_post(view, &job);
}

/* --- customers by tail, name or initials ------------------------------------------------------ */

static enum fd_code search_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    return customer_search(desk, reading->text, 0, FOUND_MOST, &reading->arena, &reading->found, &reading->found_count,
                           err);
}

/* Phones of the rows of the pick list: the dialog has only their numbers. */
struct picked {
    size_t count;
    char phones[FOUND_MOST][PHONE_BYTES];
};

static void use_phone(struct view *view, const char *phone)
{
    struct booking_state *state = view_state(view);
    form_set(state->form, BOOKING_PHONE, phone);
    form_focus(state->form, BOOKING_NAME); /* as after a whole number and Enter */
    booking_read_customer(view, phone);
}

static void customer_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    struct picked *picked = context;
    if (answer >= 0 && (size_t)answer < picked->count)
        use_phone(view, picked->phones[answer]);
}

static void offer_customers(struct view *view, struct reading *reading)
{
    const char *rows[FOUND_MOST];
    struct picked *picked = xcalloc(1, sizeof *picked);
    for (size_t i = 0; i < reading->found_count && picked->count < FOUND_MOST; i++) {
        const struct customer *customer = &reading->found[i];
        char masked[PHONE_BYTES];
        if (!*customer->phone)
            continue;
        cut_copy(picked->phones[picked->count], PHONE_BYTES, customer->phone);
        rows[picked->count++] = arena_printf(&reading->arena, "%s  %s  %s", phone_mask(customer->phone, masked),
                                             customer->name, customer->note);
    }
    if (picked->count == 0) {
        form_error(VIEW_STATE(struct booking_state, view)->form, BOOKING_PHONE, _("Whoever was found has no phone."));
        free(picked);
        return;
    }
    view_dialog_own(view, dialog_pick(_("Which customer?"), rows, picked->count, 0), customer_picked, picked, free);
}

static void search_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct booking_state *state = view_state(view);
    struct reading *reading = arg;
    if (code != FD_OK)
        view_failed(view, code, err);
    else if (reading->found_count == 0)
        form_error(state->form, BOOKING_PHONE, _("No customer has this. Type the whole phone number for a new one."));
    else if (reading->found_count == 1 && *reading->found[0].phone)
        use_phone(view, reading->found[0].phone);
    else
        offer_customers(view, reading);
}

void booking_search_customer(struct view *view, const char *text)
{
    struct reading *reading = xcalloc(1, sizeof *reading);
    cut_copy(reading->text, sizeof reading->text, text);
    struct job job = {N_("Looking for the customer"), JOB_READ, search_run, search_done, reading, reading_free};
    view_post(view, &job);
}

/* --- what else is free ------------------------------------------------------------------------ */

static enum fd_code items_read(struct db *db, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    return slot_list(db, reading->day, NULL, 0, &reading->arena, &reading->items, &reading->item_count, err);
}

static enum fd_code items_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    if (reading->day == DAY_NONE) {
        enum fd_code code = desk_now(desk, &reading->now, err);
        if (code != FD_OK)
            return code;
        reading->day = wall_day(reading->now);
    }
    return desk_read(desk, "booking.items", items_read, reading, err);
}

/* The items offered, kept until the dialog is answered. */
struct offered {
    struct arena arena;
    struct slot *slots[ITEMS_MOST];
    size_t count;
};

static void item_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)dialog;
    struct booking_state *state = view_state(view);
    struct offered *offered = context;
    if (answer >= 0 && (size_t)answer < offered->count) {
        booking_add(state, offered->slots[answer], 1);
        booking_hold_choices(state, app_now(view_app(view)));
    }
}

static void offered_free(void *arg)
{
    struct offered *offered = arg;
    arena_release(&offered->arena);
    free(offered);
}

static bool is_at(const struct slot *slot, int minute)
{
    return minute >= 0 && slot->start_minute <= minute && slot->end_minute > minute;
}

static bool is_equipment(const struct slot *slot)
{
    return strcmp(slot->form, "HOURLY") == 0 || strcmp(slot->form, "DAILY") == 0;
}

/* What is asked for most comes first: rackets and lockers for that time, the hour that follows, the court beside. */
static int item_class(const struct reading *reading, const struct slot *slot)
{
    if (is_at(slot, reading->from_minute) && is_equipment(slot))
        return 0;
    if (slot->venue_id == reading->venue_id && slot->start_minute == reading->to_minute)
        return 1;
    return is_at(slot, reading->from_minute) ? 2 : 3;
}

static bool is_taken(const struct reading *reading, int64_t slot_id)
{
    for (size_t i = 0; i < reading->id_count; i++)
        if (reading->ids[i] == slot_id)
            return true;
    return false;
}

static void collect_items(const struct reading *reading, struct offered *offered)
{
    for (int class = 0; class < 4; class ++)
        for (size_t i = 0; i < reading->item_count && offered->count < ITEMS_MOST; i++) {
            struct slot *slot = &reading->items[i];
            bool fits = slot->open && !slot->over && slot->remain_count > 0 && !is_taken(reading, slot->id);
            if (fits && item_class(reading, slot) == class)
                offered->slots[offered->count++] = slot;
        }
}

static void items_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct reading *reading = arg;
    if (code != FD_OK) {
        view_failed(view, code, err);
        return;
    }
    struct offered *offered = xcalloc(1, sizeof *offered);
    const char *rows[ITEMS_MOST];
    char money[FEN_TEXT];
    collect_items(reading, offered);
    offered->arena = reading->arena;
    reading->arena = (struct arena){0};
    for (size_t i = 0; i < offered->count; i++) {
        const struct slot *slot = offered->slots[i];
        rows[i] = arena_printf(&offered->arena, _("%s  %s  %s  %lld left"), slot->venue,
                               show_slot_time(&offered->arena, NULL, DAY_NONE, slot->start_minute, slot->end_minute),
                               fen_text(slot->price_fen, money), (long long)slot->remain_count);
    }
    if (offered->count) {
        view_dialog_own(view, dialog_pick(_("Add to this booking"), rows, offered->count, 0), item_picked, offered,
                        offered_free);
        return;
    }
    app_message(view_app(view), MESSAGE_INFO, "%s", _("Nothing else is free on this day."));
    offered_free(offered);
}

void booking_pick_item(struct view *view)
{
    const struct booking_state *state = view_state(view);
    struct reading *reading = xcalloc(1, sizeof *reading);
    reading->day = state->count ? state->lines[0].slot.day : view_console(view)->day;
    reading->from_minute = state->count ? state->lines[0].slot.start_minute : -1;
    reading->to_minute = state->count ? state->lines[state->count - 1].slot.end_minute : -1;
    reading->venue_id = state->count ? state->lines[state->count - 1].slot.venue_id : 0;
    for (size_t i = 0; i < state->count; i++)
        reading->ids[reading->id_count++] = state->lines[i].slot.id;
    struct job job = {N_("Reading what is free"), JOB_READ, items_run, items_done, reading, reading_free};
    view_post(view, &job);
}
