/* Actions that make and change orders. */
#include "base/text.h"
#include "money/code.h"
#include "venue/actions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "15", "before", "start". */
static enum fd_code hold_parse(const char *text, struct booking *booking, struct fd_error *err)
{
    booking->hold = HOLD_MINUTES;
    if (!text)
        return FD_OK;
    if (text_same(text, "before")) {
        booking->hold = HOLD_BEFORE_START;
    } else if (text_same(text, "start")) {
        booking->hold = HOLD_START;
    } else {
        if (!text_is_digits(text) || !*text || strlen(text) > 6 ||
            (booking->hold_minutes = strtoll(text, NULL, 10)) < 1)
            return fd_fail(err, FD_BAD_INPUT, _("--hold takes minutes, before or start."));
    }
    return FD_OK;
}

/* "venue=badminton", or just what is meant; the time alone is the slot that begins then. */
static enum fd_code any_of_from(struct call *call, struct booking *booking, struct fd_error *err)
{
    const char *what = call_text(call, "any-of"), *time = call_text(call, "time");
    if (!what)
        return FD_OK;
    if (strncmp(what, "venue=", 6) == 0)
        what += 6;
    else if (strncmp(what, "sport=", 6) == 0)
        what += 6;
    booking->any_of = what;
    booking->to_minute = -1;
    if (!time)
        return fd_fail(err, FD_USAGE, _("--any-of needs --time."));
    enum fd_code code = call_day(call, "date", call->today, &booking->day, err);
    if (code)
        return code;
    if (strchr(time, '-'))
        return span_parse(time, "--time", &booking->from_minute, &booking->to_minute, err);
    return minute_parse(time, "--time", &booking->from_minute, err);
}

static enum fd_code booking_from(struct call *call, struct booking *booking, struct payment *payment,
                                 struct fd_error *err)
{
    int64_t quantity, price;
    bool pays;
    *booking = (struct booking){.phone = call_text(call, "phone"),
                                .name = call_text(call, "name"),
                                .note = call_text(call, "note"),
                                .day = DAY_NONE};
    if (call_given(call, "any-of") == call_given(call, "slot"))
        return fd_fail(err, FD_USAGE, _("Either --slot or --any-of."));
    enum fd_code code = call_int(call, "quantity", 1, &quantity, err);
    if (code == FD_OK && quantity < 1)
        code = fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    if (code == FD_OK)
        code = call_lines(call, "slot", quantity, &booking->lines, &booking->line_count, err);
    if (code == FD_OK)
        code = any_of_from(call, booking, err);
    if (code == FD_OK)
        code = hold_parse(call_text(call, "hold"), booking, err);
    if (code == FD_OK)
        code = call_payment(call, payment, &pays, err);
    if (code == FD_OK)
        code = call_fen(call, "price", -1, &price, err);
    if (code)
        return code;
    if (call_switch(call, "wechat") + call_switch(call, "alipay") + pays > 1)
        return fd_fail(err, FD_USAGE, _("One tender at a time."));
    booking->any_quantity = quantity;
    booking->payment = pays ? payment : NULL;
    booking->by_code = call_switch(call, "wechat") || call_switch(call, "alipay");
    booking->code_tender = call_switch(call, "wechat") ? TENDER_WECHAT : TENDER_ALIPAY;
    for (size_t i = 0; i < booking->line_count; i++)
        booking->lines[i].seen_price_fen = price;
    return FD_OK;
}

static void say_booked(struct call *call, const struct booked *booked)
{
    char amount[FEN_TEXT], until[WALL_TEXT];
    for (size_t i = 0; i < booked->count; i++) {
        const struct booked_order *order = &booked->orders[i];
        call_say(call, "%s  %s  \u00d7%" PRId64 "  %s  %s", order->order_no,
                 place_text(&call->arena, order->venue, order->day, order->start_minute, order->end_minute, DAY_NONE),
                 order->quantity, fen_text(order->total_fen, amount), state_label("venue_order", order->state));
    }
    call_say(call, _("Bill %s: %s"), booked->bill_no, fen_text(booked->total_fen, amount));
    if (booked->hold_until != WALL_NONE)
        call_say(call, _("Held until %s."), wall_sql(booked->hold_until, until));
    say_paid_at_desk(call, &booked->paid);
    if (booked->replayed)
        call_say(call, _("(This was done before with the same key; nothing was changed.)"));
}

/* Beside a refusal: what else is free then. */
struct other {
    int64_t slot_id, quantity;
    struct arena *arena;
    struct slot *slot;
};

static enum fd_code other_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct other *other = arg;
    return slot_alternative(db, other->slot_id, other->quantity, other->arena, &other->slot, err);
}

static void hint_other(struct call *call, int64_t slot_id, int64_t quantity, struct fd_error *err)
{
    struct other other = {.slot_id = slot_id, .quantity = quantity, .arena = &call->arena};
    struct fd_error ignored;
    char price[FEN_TEXT];
    if (desk_read(call->desk, "slot.alternative", other_txn, &other, &ignored) || !other.slot)
        return;
    fd_hint(err, _("Free then: %s (%s), slot %" PRId64 "."), slot_text(&call->arena, other.slot, DAY_NONE),
            fen_text(other.slot->price_fen, price), other.slot->id);
}

static enum channel_id code_channel(const struct call *call)
{
    return call_switch(call, "wechat") ? CHANNEL_WECHAT : CHANNEL_ALIPAY;
}

/* The code that the customer scans for what was just booked. Asked again with the same key it is shown again. */
static enum fd_code open_code(struct call *call, const struct booked *booked, struct fd_error *err)
{
    char key[65];
    struct pay_code code;
    struct fd_error local = {0};
    const char *seed = arena_printf(&call->arena, "code of %s", call->key ? call->key : "");
    sha256_hex(seed, strlen(seed), key);
    key[KEY_BYTES - 1] = '\0';
    enum fd_code result =
        code_open(call->desk, call->key ? key : NULL, booked->bill_no, code_channel(call), 0, &code, &local);
    if (result != FD_OK) {
        fd_fail(err, result, "%s", local.message);
        fd_hint(err, _("The booking stands (bill %s): take payment another way, or try again with the same key."),
                booked->bill_no);
        return result;
    }
    tree_put(call->answer, "code", code_tree(&code));
    code_say(call, &code);
    return FD_OK;
}

enum fd_code order_book_run(struct call *call, struct fd_error *err)
{
    struct booking booking;
    struct payment payment;
    struct booked booked;
    enum fd_code code = booking_from(call, &booking, &payment, err);
    if (code)
        return code;
    struct channel *channel;
    /* Nothing is booked for a code that nobody here can open. */
    if (booking.by_code)
        code = desk_channel(call->desk, code_channel(call), &channel, err);
    if (code == FD_OK)
        code = booking_make(call->desk, call->key, &booking, &call->arena, &booked, err);
    if ((code == FD_SLOT_TAKEN || code == FD_SLOT_CLOSED) && booking.line_count == 1)
        hint_other(call, booking.lines[0].slot_id, booking.lines[0].quantity, err);
    if (code)
        return code;
    call->answer = tree_parse(booked.json);
    say_booked(call, &booked);
    return booking.by_code && booked.total_fen > 0 ? open_code(call, &booked, err) : FD_OK;
}

/* How the money of a change is settled: a tender, left due, and the way back. */
static enum fd_code change_from(struct call *call, struct payment *payment, struct venue_change *how,
                                struct fd_error *err)
{
    bool pays = false;
    *how = (struct venue_change){.leave_due = call_switch(call, "due"),
                                 .back = {.in_cash = call_switch(call, "back-cash"),
                                          .reference = call_text(call, "back-reference")},
                                 .reason = call->reason};
    enum fd_code code = call_payment(call, payment, &pays, err);
    if (code == FD_OK)
        code = call_int(call, "approval", 0, &how->back.approval_id, err);
    how->payment = pays ? payment : NULL;
    return code;
}

static void say_due(struct call *call, int64_t due_fen)
{
    char due[FEN_TEXT];
    if (due_fen > 0)
        call_say(call, _("Still owed: %s."), fen_text(due_fen, due));
}

static enum fd_code answer_changed(struct call *call, const struct venue_changed *changed)
{
    call->answer = tree_object();
    tree_put_text(call->answer, "order", call_text(call, "number"));
    if (changed->paid.payment_no[0])
        tree_put(call->answer, "payment", paid_tree(&changed->paid));
    if (changed->backed.count > 0)
        tree_put(call->answer, "backed", backed_tree(&changed->backed));
    if (changed->due_fen > 0)
        tree_put_int(call->answer, "due_fen", changed->due_fen);
    call_say(call, _("Done."));
    say_paid_at_desk(call, &changed->paid);
    say_due(call, changed->due_fen);
    backed_say(call, &changed->backed);
    return FD_OK;
}

enum fd_code order_change_run(struct call *call, struct fd_error *err)
{
    struct payment payment;
    struct venue_change how;
    struct venue_changed changed = {0};
    struct booked booked;
    int64_t quantity;
    const char *number = call_text(call, "number");
    int asked = call_given(call, "quantity") + call_given(call, "note") + call_switch(call, "extend");
    if (asked != 1)
        return fd_fail(err, FD_USAGE, _("One of --quantity, --note, --extend."));
    enum fd_code code = change_from(call, &payment, &how, err);
    if (code == FD_OK)
        code = call_int(call, "quantity", 0, &quantity, err);
    if (code)
        return code;
    if (call_given(call, "note")) {
        code = venue_note(call->desk, call->key, number, call_text(call, "note"), err);
        return code ? code : answer_changed(call, &changed);
    }
    if (call_given(call, "quantity")) {
        code = venue_quantity_with(call->desk, call->key, number, quantity, &how, &changed, err);
        return code ? code : answer_changed(call, &changed);
    }
    code = venue_extend_with(call->desk, call->key, number, &how, &call->arena, &booked, err);
    if (code)
        return code;
    call->answer = tree_parse(booked.json);
    say_booked(call, &booked);
    return FD_OK;
}

enum fd_code order_move_run(struct call *call, struct fd_error *err)
{
    struct payment payment;
    struct venue_change how;
    struct venue_changed changed = {0};
    int64_t slot_id;
    enum fd_code code = change_from(call, &payment, &how, err);
    if (code == FD_OK)
        code = call_int(call, "slot", 0, &slot_id, err);
    if (code)
        return code;
    code = venue_move_with(call->desk, call->key, call_text(call, "number"), slot_id, &how, &changed, err);
    if (code == FD_SLOT_TAKEN || code == FD_SLOT_CLOSED)
        hint_other(call, slot_id, 1, err);
    return code ? code : answer_changed(call, &changed);
}

enum fd_code order_cancel_run(struct call *call, struct fd_error *err)
{
    struct back back = {.in_cash = call_switch(call, "cash"), .reference = call_text(call, "reference")};
    struct backed backed = {0};
    enum fd_code code = call_int(call, "approval", 0, &back.approval_id, err);
    if (code == FD_OK)
        code = venue_cancel_with(call->desk, call->key, call_text(call, "number"), &back, call->reason, &backed, err);
    if (code)
        return code;
    call->answer = backed_tree(&backed);
    tree_put_text(call->answer, "order", call_text(call, "number"));
    tree_put_int(call->answer, "refunded_fen", backed.fen);
    call_say(call, _("Cancelled."));
    backed_say(call, &backed);
    return FD_OK;
}

enum fd_code order_check_in_run(struct call *call, struct fd_error *err)
{
    struct checked_in in;
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    enum fd_code code = venue_check_in(call->desk, call->key, call_text(call, "number"), &call->arena, &in, err);
    if (code)
        return code;
    call->answer = tree_object();
    tree_put_text(call->answer, "order_no", in.order_no);
    tree_put_text(call->answer, "venue", in.venue);
    tree_put_text(call->answer, "customer", in.customer);
    tree_put_text(call->answer, "date", day_sql(in.day, date));
    tree_put_text(call->answer, "start", minute_text(in.start_minute, start));
    tree_put_text(call->answer, "end", minute_text(in.end_minute, end));
    tree_put_int(call->answer, "late_minutes", in.late_minutes);
    call_say(call, _("Checked in: %s, %s"), in.customer,
             place_text(&call->arena, in.venue, in.day, in.start_minute, in.end_minute, call->today));
    if (in.late_minutes > 0)
        call_say(call, _("Late by %d minutes."), in.late_minutes);
    return FD_OK;
}
