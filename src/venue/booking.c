/* Booking: what was asked is checked and put in order here, draft.c makes it. The answer that is
 * stored with the request key is the only one, so a repeated request reads the same text. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define QUANTITY_MOST     100000
#define HOLD_MINUTES_MOST (7 * 24 * 60)

struct tree *paid_tree(const struct paid *paid)
{
    struct tree *tree = tree_object();
    tree_put_text(tree, "payment_no", paid->payment_no);
    tree_put_int(tree, "amount_fen", paid->amount_fen);
    tree_put_int(tree, "tendered_fen", paid->tendered_fen);
    tree_put_int(tree, "change_fen", paid->change_fen);
    tree_put_int(tree, "left_fen", paid->left_fen);
    tree_put_int(tree, "orders_paid", paid->orders_paid);
    return tree;
}

void paid_from_tree(const struct tree *tree, struct paid *paid)
{
    *paid = (struct paid){0};
    if (!tree)
        return;
    const char *number = tree_get_text(tree, "payment_no");
    cut_copy(paid->payment_no, sizeof paid->payment_no, number ? number : "");
    paid->amount_fen = tree_get_int(tree, "amount_fen");
    paid->tendered_fen = tree_get_int(tree, "tendered_fen");
    paid->change_fen = tree_get_int(tree, "change_fen");
    paid->left_fen = tree_get_int(tree, "left_fen");
    paid->orders_paid = tree_get_int(tree, "orders_paid");
}

const char *payment_content(struct arena *arena, const struct payment *payment)
{
    if (!payment)
        return "-";
    return arena_printf(arena, "%d %" PRId64 " %" PRId64 " %d %s", (int)payment->tender, payment->amount_fen,
                        payment->tendered_fen, payment->check_in, payment->reference ? payment->reference : "");
}

static struct tree *line_tree(const struct draft_line *line)
{
    const struct slot *slot = &line->slot;
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    struct tree *tree = tree_object();
    tree_put_text(tree, "order_no", line->order_no);
    tree_put_int(tree, "slot", slot->id);
    tree_put_text(tree, "venue", slot->venue);
    tree_put_text(tree, "date", day_sql(slot->day, date));
    tree_put_text(tree, "start", minute_text(slot->start_minute, start));
    tree_put_text(tree, "end", minute_text(slot->end_minute, end));
    tree_put_int(tree, "quantity", line->quantity);
    tree_put_int(tree, "amount_fen", line->total_fen);
    tree_put_text(tree, "status", line->state);
    return tree;
}

const char *draft_json(struct draft *draft, struct arena *arena)
{
    char until[WALL_TEXT];
    bool waits = false;
    struct tree *tree = tree_object();
    struct tree *orders = tree_list();
    tree_put_text(tree, "bill", draft->bill_no);
    for (size_t i = 0; i < draft->line_count; i++) {
        tree_add(orders, line_tree(&draft->lines[i]));
        waits = waits || strcmp(draft->lines[i].state, "PENDING_PAY") == 0;
    }
    tree_put(tree, "orders", orders);
    tree_put_int(tree, "total_fen", draft->total_fen);
    tree_put_text(tree, "hold_until", waits ? wall_sql(draft->expire, until) : NULL);
    if (draft->paid.payment_no[0])
        tree_put(tree, "payment", paid_tree(&draft->paid));
    char *json = tree_dump(tree);
    const char *copy = arena_str(arena, json);
    free(json);
    /* Kept, so that the answer need not be taken apart again where it is the first. */
    tree_free(&draft->answer);
    draft->answer = tree;
    return copy;
}

static const char *text_of(const struct tree *tree, const char *key)
{
    const char *text = tree_get_text(tree, key);
    return text ? text : "";
}

static void order_from_tree(const struct tree *tree, struct arena *arena, struct booked_order *order)
{
    cut_copy(order->order_no, sizeof order->order_no, text_of(tree, "order_no"));
    cut_copy(order->state, sizeof order->state, text_of(tree, "status"));
    order->slot_id = tree_get_int(tree, "slot");
    order->quantity = tree_get_int(tree, "quantity");
    order->total_fen = tree_get_int(tree, "amount_fen");
    order->venue = arena_str(arena, text_of(tree, "venue"));
    order->day = DAY_NONE;
    day_from_sql(text_of(tree, "date"), &order->day);
    char time[16];
    snprintf(time, sizeof time, "%.5s:00", text_of(tree, "start"));
    minute_from_sql(time, &order->start_minute);
    snprintf(time, sizeof time, "%.5s:00", text_of(tree, "end"));
    minute_from_sql(time, &order->end_minute);
}

static void booked_from_tree(const struct tree *tree, struct arena *arena, struct booked *booked)
{
    const struct tree *orders = tree_get(tree, "orders");
    *booked = (struct booked){.hold_until = WALL_NONE};
    cut_copy(booked->bill_no, sizeof booked->bill_no, text_of(tree, "bill"));
    booked->count = tree_count(orders);
    booked->orders = arena_array(arena, booked->count + 1, sizeof *booked->orders);
    for (size_t i = 0; i < booked->count; i++)
        order_from_tree(tree_at(orders, i), arena, &booked->orders[i]);
    booked->total_fen = tree_get_int(tree, "total_fen");
    if (tree_is_text(tree, "hold_until"))
        wall_from_sql(text_of(tree, "hold_until"), &booked->hold_until);
    paid_from_tree(tree_get(tree, "payment"), &booked->paid);
}

enum fd_code booked_from_answer(const struct draft *draft, const char *json, struct arena *arena, struct booked *booked,
                                struct fd_error *err)
{
    struct tree *parsed = draft ? NULL : tree_parse(json);
    const struct tree *tree = draft ? draft->answer : parsed;
    enum fd_code code = FD_OK;
    if (tree && tree_get(tree, "orders")) {
        booked_from_tree(tree, arena, booked);
        booked->json = arena_str(arena, json);
    } else {
        code = fd_fail(err, FD_INTERNAL, NULL);
        fd_detail(err, "stored answer is not a booking: %s", json);
    }
    tree_free(&parsed);
    return code;
}

static const char *booking_content(struct arena *arena, const struct booking *booking)
{
    struct buf text = {0};
    buf_printf(&text, "%s\x1f%s\x1f%s\x1f%d %" PRId64 "\x1f%s", booking->phone, booking->name, booking->note,
               (int)booking->hold, booking->hold_minutes, payment_content(arena, booking->payment));
    if (booking->any_of)
        buf_printf(&text, "\x1f%s %d %d-%d x%" PRId64, booking->any_of, booking->day, booking->from_minute,
                   booking->to_minute, booking->any_quantity);
    else
        for (size_t i = 0; i < booking->line_count; i++)
            buf_printf(&text, "\x1f%" PRId64 ":%" PRId64 "@%" PRId64, booking->lines[i].slot_id,
                       booking->lines[i].quantity, booking->lines[i].seen_price_fen);
    const char *copy = arena_str(arena, buf_text(&text));
    buf_release(&text);
    return copy;
}

/* The same slot twice in a cart is one order of more places: one customer has one order a slot. */
static enum fd_code add_line(struct draft *draft, const struct booking_line *line, struct fd_error *err)
{
    if (line->quantity < 1 || line->quantity > QUANTITY_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    for (size_t i = 0; i < draft->line_count; i++) {
        struct draft_line *same = &draft->lines[i];
        if (same->slot_id != line->slot_id)
            continue;
        same->quantity += line->quantity;
        if (same->seen_fen < 0)
            same->seen_fen = line->seen_price_fen;
        return same->quantity <= QUANTITY_MOST ? FD_OK
                                               : fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    }
    draft_add_line(draft, line->slot_id, line->quantity, line->seen_price_fen);
    return FD_OK;
}

static enum fd_code check_lines(struct draft *draft, struct booking *booking, struct fd_error *err)
{
    int64_t most = param_get(draft->desk, PARAM_CART_MOST);
    enum fd_code code = FD_OK;
    if (booking->any_of) {
        if (booking->any_quantity == 0)
            booking->any_quantity = 1;
        if (booking->any_quantity < 0 || booking->any_quantity > QUANTITY_MOST)
            return fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
        if (booking->day == DAY_NONE || booking->from_minute < 0 || booking->from_minute >= 24 * 60)
            return fd_fail(err, FD_BAD_INPUT, _("Any free one: on which day and at what time?"));
        if (booking->to_minute >= 0 && booking->to_minute <= booking->from_minute)
            return fd_fail(err, FD_BAD_INPUT, _("The span of hours is empty."));
        return FD_OK;
    }
    if (booking->line_count == 0)
        return fd_fail(err, FD_BAD_INPUT, _("Nothing is chosen to book."));
    for (size_t i = 0; code == FD_OK && i < booking->line_count; i++)
        code = add_line(draft, &booking->lines[i], err);
    if (code == FD_OK && (int64_t)draft->line_count > most)
        return fd_fail(err, FD_BAD_INPUT, _("At most %" PRId64 " places in one booking."), most);
    return code;
}

/* The asked booking with every text checked and none NULL. */
struct clean_booking {
    struct booking booking;
    char phone[PHONE_BYTES];
    char name[64 * 4 + 1];
    char note[255 * 4 + 1];
    char any_of[64 * 4 + 1];
};

static enum fd_code clean(struct clean_booking *clean, const struct booking *asked, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    *clean = (struct clean_booking){.booking = *asked};
    if (asked->phone && asked->phone[0])
        code = phone_normalise(asked->phone, clean->phone, err);
    if (code == FD_OK && asked->name)
        code = text_field(asked->name, _("name"), 64, clean->name, sizeof clean->name, err);
    if (code == FD_OK && asked->note)
        code = text_field(asked->note, _("note"), 255, clean->note, sizeof clean->note, err);
    if (code == FD_OK && asked->any_of)
        code = text_field(asked->any_of, _("any of"), 64, clean->any_of, sizeof clean->any_of, err);
    if (code)
        return code;
    if (asked->any_of && !clean->any_of[0])
        return fd_fail(err, FD_BAD_INPUT, _("Any free one of what?"));
    if (asked->hold_minutes < 0 || asked->hold_minutes > HOLD_MINUTES_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("A hold lasts at most %d minutes."), HOLD_MINUTES_MOST);
    clean->booking.phone = clean->phone;
    clean->booking.name = clean->name;
    clean->booking.note = clean->note;
    clean->booking.any_of = asked->any_of ? clean->any_of : NULL;
    return FD_OK;
}

enum fd_code booking_make(struct desk *desk, const char *key, const struct booking *booking, struct arena *arena,
                          struct booked *booked, struct fd_error *err)
{
    struct clean_booking asked;
    enum fd_code code = clean(&asked, booking, err);
    if (code)
        return code;
    struct draft draft = {.desk = desk, .booking = &asked.booking, .walk_in = !asked.phone[0], .hold_until = WALL_NONE};
    char *json = NULL;
    bool replayed = false;
    code = check_lines(&draft, &asked.booking, err);
    if (code)
        goto out;
    struct op_spec spec = {.action = "order.book",
                           .key = key,
                           .content = booking_content(arena, &asked.booking),
                           .prepare = draft_prepare,
                           .apply = draft_apply};
    code = draft_run(&draft, &spec, &draft, &json, &replayed, err);
    if (code == FD_OK)
        code = booked_from_answer(replayed ? NULL : &draft, json, arena, booked, err);
    if (code == FD_OK)
        booked->replayed = replayed;
out:
    draft_release(&draft);
    free(json);
    return code;
}
