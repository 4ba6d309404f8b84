/* Changing an order: another slot, another quantity, a note, one more slot behind it. A paid order's
 * difference is 0 or taken by a tender at once; money back is refused. Source: domain section 2. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define QUANTITY_MOST 100000

DB_QUERY(q_next, "change.next_slot", DB_VALUE,
         "SELECT s.id FROM venue_schedule s WHERE s.venue_id = :venue AND s.schedule_date = :day "
         "AND s.start_time = :start ORDER BY s.end_time LIMIT 1");

struct change_arg {
    const char *number, *note;
    int64_t slot_id, quantity; /* move; quantity */
    const struct payment *payment;
    struct paid paid;
    int64_t *free_first;
};

/* The slot as the change sees it, refused where it cannot be taken. */
static enum fd_code read_target(struct op *op, struct change_arg *change, int64_t quantity, struct slot *slot,
                                struct fd_error *err)
{
    struct slot_facts facts;
    enum fd_code code = slot_facts_read(op, change->slot_id, quantity, NULL, &facts, err);
    if (code)
        return code;
    if (!facts.found)
        return slot_is_unknown(change->slot_id, err);
    op_set_now(op, facts.now);
    if (!facts.venue_in_use)
        return fd_fail(err, FD_SLOT_CLOSED, _("%s is out of use."), facts.slot.venue);
    code = slot_judge(&facts.slot, &facts.holder, quantity, facts.now, err);
    if (code == FD_SLOT_TAKEN && facts.holder.run_out > 0)
        *change->free_first = facts.slot.id;
    *slot = facts.slot;
    return code;
}

/* What the change costs: FD_MONEY_BACK below 0, FD_UNPAID where nobody pays it now. */
static enum fd_code check_difference(const struct venue_order *order, int64_t new_total_fen,
                                     const struct payment *payment, struct fd_error *err)
{
    int64_t difference = new_total_fen - order->base.total_fen;
    bool paid = strcmp(order->base.state, "PAID") == 0;
    char text[FEN_TEXT];
    if (!paid && new_total_fen >= order->base.paid_fen)
        return FD_OK;
    if (!paid)
        difference = new_total_fen - order->base.paid_fen;
    if (difference < 0)
        return fd_fail(err, FD_MONEY_BACK,
                       _("%s would have to go back to the customer, which frontdesk cannot do yet."),
                       fen_text(-difference, text));
    if (difference > 0 && !payment) {
        fd_fail(err, FD_UNPAID, _("The difference of %s must be paid with the change."), fen_text(difference, text));
        fd_hint(err, _("Take it at once: --cash, --card …"));
        return FD_UNPAID;
    }
    return FD_OK;
}

/* The snapshot follows the row, so that what is fired next keeps what is there. */
static void follow(struct venue_order *order, const struct order_set *set)
{
    order->venue_id = set->venue_id;
    order->unit_price_fen = set->unit_price_fen;
    order->day = set->day;
    order->start_minute = set->start_minute;
    order->end_minute = set->end_minute;
}

/* Fires the event with what it changes, then takes the difference of a paid order. */
static enum fd_code fire_and_pay(struct op *op, struct venue_order *order, const char *event, struct order_set *set,
                                 struct change_arg *change, struct fd_error *err)
{
    struct order *base = &order->base;
    int64_t difference = set->total_fen - base->total_fen;
    bool paid = strcmp(base->state, "PAID") == 0;
    if (paid)
        set->paid_fen = base->paid_fen + difference;
    enum fd_code code = order_fire(op, base, event, set, err);
    if (code)
        return has_order_code(op_db(op), code, err);
    follow(order, set);
    change->paid = (struct paid){0};
    if (paid && difference > 0)
        return pay_difference_in(op, base, difference, change->payment, &change->paid, err);
    /* An unpaid order of which now nothing is owed any more. */
    if (!paid && base->paid_fen > 0 && base->paid_fen == base->total_fen) {
        order_set_keep(base, set);
        set->now_paid = true;
        return order_fire(op, base, "pay", set, err);
    }
    return FD_OK;
}

static void answer_paid(struct op *op, const struct paid *paid)
{
    struct tree *tree = paid_tree(paid);
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
}

static bool may_change_now(const struct venue_order *order)
{
    return strcmp(order->base.state, "PAID") == 0 || strcmp(order->base.state, "PENDING_PAY") == 0;
}

static void set_slot(struct venue_order *order, const struct slot *slot, int64_t total_fen, wall_t now,
                     struct desk *desk, struct order_set *set)
{
    order_set_keep(&order->base, set);
    set->place_id = slot->id;
    set->venue_id = slot->venue_id;
    set->day = slot->day;
    set->start_minute = slot->start_minute;
    set->end_minute = slot->end_minute;
    set->unit_price_fen = slot->price_fen;
    set->total_fen = total_fen;
    /* A hold never ends after its slot; one that had been moved keeps at least the least. */
    wall_t end = wall_at(slot->day, slot->end_minute);
    wall_t least = now + 60 * param_get(desk, PARAM_HOLD_LEAST);
    if (strcmp(order->base.state, "PENDING_PAY") == 0 && set->expire_time != WALL_NONE) {
        if (set->expire_time < least)
            set->expire_time = least;
        if (set->expire_time > end)
            set->expire_time = end;
    }
}

static enum fd_code move_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct change_arg *change = arg;
    struct venue_order *order;
    struct slot slot;
    struct order_set set;
    int64_t total;
    wall_t now;
    *change->free_first = 0;
    enum fd_code code = venue_order_find(op_db(op), change->number, op_arena(op), &order, err);
    if (code)
        return code;
    if (!may_change_now(order))
        return wrong_state(op_db(op), order, op_arena(op), err);
    if (order->base.place_id == change->slot_id)
        return fd_fail(err, FD_BAD_INPUT, _("Order %s has this slot already."), order->base.order_no);
    code = read_target(op, change, order->base.quantity, &slot, err);
    if (code == FD_OK && !fen_times(slot.price_fen, order->base.quantity, &total))
        code = fd_fail(err, FD_BAD_INPUT, _("This amount is too large."));
    if (code == FD_OK)
        code = check_difference(order, total, change->payment, err);
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code)
        return code;
    set_slot(order, &slot, total, now, op_desk(op), &set);
    code = fire_and_pay(op, order, "move", &set, change, err);
    if (code == FD_OK)
        answer_paid(op, &change->paid);
    return code;
}

static void paid_from_json(const char *json, struct paid *paid)
{
    struct tree *tree = tree_parse(json);
    paid_from_tree(tree, paid);
    tree_free(&tree);
}

/* A change with its loop over run-out holds in its way. */
static enum fd_code change_run(struct desk *desk, struct op_spec *spec, struct change_arg *change, struct paid *paid,
                               struct fd_error *err)
{
    static const struct booking none = {0};
    struct draft draft = {.desk = desk, .booking = &none, .hold_until = WALL_NONE};
    char *json = NULL;
    change->free_first = &draft.free_first;
    enum fd_code code = draft_run(&draft, spec, change, &json, NULL, err);
    if (code == FD_OK && paid)
        paid_from_json(json, paid);
    free(json);
    return code;
}

enum fd_code venue_move(struct desk *desk, const char *key, const char *number, int64_t slot_id,
                        const struct payment *payment, const char *reason, struct paid *paid, struct fd_error *err)
{
    struct arena arena = {0};
    struct change_arg change = {.number = number, .slot_id = slot_id, .payment = payment};
    struct op_spec spec = {
        .action = "order.move",
        .key = key,
        .content = arena_printf(&arena, "%s\x1f%" PRId64 "\x1f%s", number, slot_id, payment_content(&arena, payment)),
        .reason = reason,
        .apply = move_apply};
    enum fd_code code = change_run(desk, &spec, &change, paid, err);
    arena_release(&arena);
    return code;
}

/* More places cost what the order's first did; a price change made by hand stays in the total. */
static enum fd_code quantity_total(struct op *op, const struct venue_order *order, int64_t quantity, int64_t *total,
                                   int64_t *unit_fen, struct fd_error *err)
{
    struct slot *slot = NULL;
    int64_t more = 0;
    int64_t change = quantity - order->base.quantity;
    enum fd_code code = FD_OK;
    if (order->unit_price_fen < 0)
        code = slot_by_id(op_db(op), order->base.place_id, op_arena(op), &slot, err);
    if (code)
        return code;
    *unit_fen = order_unit_fen(order, slot ? slot->price_fen : 0);
    if (!fen_times(*unit_fen, change < 0 ? -change : change, &more) ||
        !fen_add(order->base.total_fen, change < 0 ? -more : more, total) || *total < 0)
        return fd_fail(err, FD_BAD_INPUT, _("This amount is not possible."));
    return FD_OK;
}

static enum fd_code quantity_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct change_arg *change = arg;
    struct venue_order *order;
    struct slot slot;
    struct order_set set;
    int64_t total, unit_fen;
    *change->free_first = 0;
    enum fd_code code = venue_order_find(op_db(op), change->number, op_arena(op), &order, err);
    if (code)
        return code;
    if (!may_change_now(order))
        return wrong_state(op_db(op), order, op_arena(op), err);
    if (order->base.quantity == change->quantity)
        return fd_fail(err, FD_BAD_INPUT, _("Order %s has this quantity already."), order->base.order_no);
    code = quantity_total(op, order, change->quantity, &total, &unit_fen, err);
    change->slot_id = order->base.place_id;
    if (code == FD_OK && change->quantity > order->base.quantity)
        code = read_target(op, change, change->quantity - order->base.quantity, &slot, err);
    if (code == FD_OK)
        code = check_difference(order, total, change->payment, err);
    if (code)
        return code;
    order_set_keep(&order->base, &set);
    set.quantity = change->quantity;
    set.total_fen = total;
    set.unit_price_fen = unit_fen;
    code = fire_and_pay(op, order, "change", &set, change, err);
    if (code == FD_OK)
        answer_paid(op, &change->paid);
    return code;
}

enum fd_code venue_quantity(struct desk *desk, const char *key, const char *number, int64_t quantity,
                            const struct payment *payment, const char *reason, struct paid *paid, struct fd_error *err)
{
    if (quantity < 1 || quantity > QUANTITY_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    struct arena arena = {0};
    struct change_arg change = {.number = number, .quantity = quantity, .payment = payment};
    struct op_spec spec = {.action = "order.change",
                           .key = key,
                           .content = arena_printf(&arena, "quantity\x1f%s\x1f%" PRId64 "\x1f%s", number, quantity,
                                                   payment_content(&arena, payment)),
                           .reason = reason,
                           .apply = quantity_apply};
    enum fd_code code = change_run(desk, &spec, &change, paid, err);
    arena_release(&arena);
    return code;
}

static enum fd_code note_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct change_arg *change = arg;
    struct venue_order *order;
    struct order_set set;
    enum fd_code code = venue_order_find(op_db(op), change->number, op_arena(op), &order, err);
    if (code)
        return code;
    order_set_keep(&order->base, &set);
    set.note = change->note;
    return order_fire(op, &order->base, "change", &set, err);
}

enum fd_code venue_note(struct desk *desk, const char *key, const char *number, const char *note, struct fd_error *err)
{
    char text[255 * 4 + 1];
    enum fd_code code = text_field(note, _("note"), 255, text, sizeof text, err);
    if (code)
        return code;
    struct arena arena = {0};
    struct change_arg change = {.number = number, .note = text};
    struct op_spec spec = {.action = "order.change",
                           .key = key,
                           .content = arena_printf(&arena, "note\x1f%s\x1f%s", number, text),
                           .apply = note_apply};
    code = op_run(desk, &spec, &change, NULL, NULL, err);
    arena_release(&arena);
    return code;
}

/* Extending: a booking of the next slot that joins the order's bill ------------------------------------ */

struct extend_arg {
    struct draft *draft;
    struct booking booking;
    const char *number;
    char phone[PHONE_BYTES * 4];
};

static enum fd_code next_slot(struct op *op, const struct venue_order *order, int64_t *slot_id, struct fd_error *err)
{
    bool midnight = order->end_minute >= 24 * 60;
    enum fd_code code =
        db_value_int(op_db(op), &q_next,
                     DB_ARGS(db_int("venue", order->venue_id), db_day("day", midnight ? order->day + 1 : order->day),
                             db_minute("start", midnight ? 0 : order->end_minute)),
                     slot_id, err);
    if (code != FD_NOT_FOUND)
        return code;
    char end[HHMM_TEXT];
    return fd_fail(err, FD_SLOT_UNKNOWN, _("%s has no slot that begins at %s."), order->venue,
                   minute_text(order->end_minute, end));
}

static enum fd_code may_extend(struct op *op, const struct venue_order *order, const struct payment *payment,
                               struct fd_error *err)
{
    const char *state = order->base.state;
    bool paid = strcmp(state, "PAID") == 0 || strcmp(state, "COMPLETED") == 0;
    if (!paid && strcmp(state, "PENDING_PAY") != 0)
        return wrong_state(op_db(op), order, op_arena(op), err);
    if (!paid || payment)
        return FD_OK;
    int64_t slot_id, total = 0;
    struct slot *slot = NULL;
    char amount[FEN_TEXT];
    enum fd_code code = next_slot(op, order, &slot_id, err);
    if (code == FD_OK)
        code = slot_by_id(op_db(op), slot_id, op_arena(op), &slot, err);
    if (code || !slot)
        return code ? code : slot_is_unknown(slot_id, err);
    if (!fen_times(slot->price_fen, order->base.quantity, &total) || total == 0)
        return FD_OK;
    fd_fail(err, FD_UNPAID, _("Order %s is paid: the extension of %s is paid at once."), order->base.order_no,
            fen_text(total, amount));
    fd_hint(err, _("Take it at once: --cash, --card …"));
    return FD_UNPAID;
}

static enum fd_code extend_prepare(struct op *op, void *arg, struct fd_error *err)
{
    struct extend_arg *extend = arg;
    struct draft *draft = extend->draft;
    struct venue_order *order;
    int64_t slot_id;
    enum fd_code code = venue_order_find(op_db(op), extend->number, op_arena(op), &order, err);
    if (code == FD_OK)
        code = may_extend(op, order, extend->booking.payment, err);
    if (code == FD_OK)
        code = next_slot(op, order, &slot_id, err);
    if (code)
        return code;
    draft->line_count = 0;
    draft_add_line(draft, slot_id, order->base.quantity, -1);
    draft->user_id = order->base.user_id;
    draft->walk_in = order->base.walk_in;
    draft->joins = order->base.bill_no[0] != '\0';
    cut_copy(draft->bill_no, sizeof draft->bill_no, order->base.bill_no);
    cut_copy(extend->phone, sizeof extend->phone, order->base.phone);
    extend->booking.phone = extend->phone;
    draft->hold_until = order->base.expire_time;
    return draft_prepare(op, draft, err);
}

static enum fd_code extend_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct extend_arg *extend = arg;
    return draft_apply(op, extend->draft, err);
}

enum fd_code venue_extend(struct desk *desk, const char *key, const char *number, const struct payment *payment,
                          struct arena *arena, struct booked *booked, struct fd_error *err)
{
    struct draft draft = {.desk = desk, .hold_until = WALL_NONE};
    struct extend_arg extend = {
        .draft = &draft, .booking = {.note = "", .name = "", .payment = payment}, .number = number};
    char *json = NULL;
    bool replayed = false;
    draft.booking = &extend.booking;
    struct op_spec spec = {.action = "order.change",
                           .key = key,
                           .content =
                               arena_printf(arena, "extend\x1f%s\x1f%s", number, payment_content(arena, payment)),
                           .prepare = extend_prepare,
                           .apply = extend_apply};
    enum fd_code code = draft_run(&draft, &spec, &extend, &json, &replayed, err);
    if (code == FD_OK)
        code = booked_from_answer(replayed ? NULL : &draft, json, arena, booked, err);
    if (code == FD_OK)
        booked->replayed = replayed;
    draft_release(&draft);
    free(json);
    return code;
}
