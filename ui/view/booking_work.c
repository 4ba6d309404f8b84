/* A booking between form and desk thread: what was typed, the answer, and after a refusal what is
 * free instead. */
#include <stdlib.h>
#include <string.h>
#include "ui/view/booking_internal.h"

static enum hold_kind chosen_hold(const struct booking_state *state)
{
    const char *value = form_text(state->form, BOOKING_HOLD);
    if (strcmp(value, "before") == 0)
        return HOLD_BEFORE_START;
    return strcmp(value, "start") == 0 ? HOLD_START : HOLD_MINUTES;
}

static const char *typed(struct booking_work *work, const char *text)
{
    return *text ? arena_str(&work->arena, text) : NULL;
}

struct booking_work *booking_work_new(struct booking_state *state)
{
    struct booking_work *work = xcalloc(1, sizeof *work);
    struct booking *booking = &work->booking;
    cut_copy(work->key, sizeof work->key, state->key);
    booking->phone = typed(work, form_phone(state->form, BOOKING_PHONE));
    booking->name = typed(work, form_text(state->form, BOOKING_NAME));
    booking->note = typed(work, form_text(state->form, BOOKING_NOTE));
    booking->hold = chosen_hold(state);
    booking->to_minute = -1;
    booking->line_count = state->count;
    booking->lines = arena_array(&work->arena, state->count, sizeof *booking->lines);
    for (size_t i = 0; i < state->count; i++)
        booking->lines[i] =
            (struct booking_line){state->lines[i].slot.id, state->lines[i].quantity, state->lines[i].slot.price_fen};
    work->bad_line = SIZE_MAX;
    return work;
}

void booking_work_free(void *arg)
{
    struct booking_work *work = arg;
    arena_release(&work->answer);
    arena_release(&work->arena);
    free(work);
}

static bool is_bad(const struct slot *slot, int64_t quantity)
{
    return !slot || !slot->open || slot->over || slot->remain_count < quantity;
}

static enum fd_code explain(struct db *db, void *arg, struct fd_error *err)
{
    struct booking_work *work = arg;
    const struct booking *booking = &work->booking;
    struct slot **fresh = arena_array(&work->answer, booking->line_count, sizeof *fresh);
    size_t bad = SIZE_MAX;
    for (size_t i = 0; i < booking->line_count; i++) {
        enum fd_code code = slot_by_id(db, booking->lines[i].slot_id, &work->answer, &fresh[i], err);
        if (code != FD_OK)
            return code;
        if (bad == SIZE_MAX && is_bad(fresh[i], booking->lines[i].quantity))
            bad = i;
    }
    struct slot *alternative = NULL;
    if (bad != SIZE_MAX) {
        enum fd_code code = slot_alternative(db, booking->lines[bad].slot_id, booking->lines[bad].quantity,
                                             &work->answer, &alternative, err);
        if (code != FD_OK)
            return code;
    }
    work->fresh = fresh;
    work->bad_line = bad;
    work->alternative = alternative;
    return FD_OK;
}

static bool is_about_slots(enum fd_code code)
{
    return code == FD_SLOT_TAKEN || code == FD_SLOT_CLOSED || code == FD_SLOT_OVER || code == FD_SLOT_UNKNOWN ||
           code == FD_PRICE_CHANGED;
}

enum fd_code booking_work_run(struct desk *desk, struct booking_work *work, const struct payment *payment,
                              struct fd_error *err)
{
    arena_reset(&work->answer);
    work->fresh = NULL;
    work->alternative = NULL;
    work->bad_line = SIZE_MAX;
    work->booking.payment = payment;
    enum fd_code code = booking_make(desk, work->key, &work->booking, &work->answer, &work->booked, err);
    work->booking.payment = NULL;
    if (is_about_slots(code)) {
        struct fd_error ignored; /* only the offer is lost, not the refusal */
        desk_read(desk, "booking.explain", explain, work, &ignored);
    }
    return code;
}
