/* Changing an order: another slot, another quantity, a note, one more slot behind it. A paid order's difference is
 * taken by a tender at once, left due, or goes back. Source: domain sections 1.1 and 2. */
#include "base/text.h"
#include "core/param.h"
#include "money/code.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define QUANTITY_MOST 100000

DB_QUERY(q_next, "change.next_slot", DB_VALUE,
         "SELECT s.id FROM venue_schedule s WHERE s.venue_id = :venue AND s.schedule_date = :day "
         "AND s.start_time = :start ORDER BY s.end_time LIMIT 1");

struct change_arg {
    const struct venue_change *how;
    const char *number, *note, *cause;
    int64_t slot_id, quantity; /* move; quantity */
    bool late_guard;           /* money goes back in the free window only */
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

static void answer_changed(struct op *op, const struct square *square)
{
    struct tree *tree = paid_tree(&square->paid);
    tree_put_int(tree, "due_fen", square->due_fen);
    tree_put(tree, "backed", backed_tree(&square->backed));
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
}

/* Fires the event with what it changes, and the money that follows. */
static enum fd_code fire_and_square(struct op *op, struct venue_order *order, const char *event, struct order_set *set,
                                    const struct change_arg *change, struct fd_error *err)
{
    const struct venue_change *how = change->how;
    struct square square = {
        .cause = change->cause,
        .payment = how->payment,
        .leave_due = how->leave_due,
        .late_guard = change->late_guard,
        .back = {.quantity = order->base.quantity > set->quantity ? order->base.quantity - set->quantity : 0,
                 .in_cash = how->back.in_cash,
                 .reference = how->back.reference,
                 .approval_id = how->back.approval_id},
    };
    enum fd_code code = square_fire_in(op, &order->base, event, set, &square, err);
    if (code)
        return has_order_code(op_db(op), code, err);
    answer_changed(op, &square);
    return FD_OK;
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
    /* A hold never ends after its slot; one that had been moved keeps at least the least, where it is somebody's. */
    wall_t end = wall_at(slot->day, slot->end_minute);
    wall_t least = now + 60 * param_get(desk, PARAM_HOLD_LEAST);
    if (strcmp(order->base.state, "PENDING_PAY") == 0 && set->expire_time != WALL_NONE) {
        if (set->expire_time < least && !order->base.walk_in)
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
        code = op_now(op, &now, err);
    if (code)
        return code;
    set_slot(order, &slot, total, now, op_desk(op), &set);
    return fire_and_square(op, order, "move", &set, change, err);
}

static void changed_from_json(const char *json, struct venue_changed *changed)
{
    struct tree *tree = tree_parse(json);
    paid_from_tree(tree, &changed->paid);
    backed_from_tree(tree_get(tree, "backed"), &changed->backed);
    changed->due_fen = tree_get_int(tree, "due_fen");
    tree_free(&tree);
}

static enum fd_code run_draft(void *self, const struct op_spec *spec, void *arg, char **json, bool *replayed,
                              struct fd_error *err)
{
    return draft_run(self, spec, arg, json, replayed, err);
}

/* A change with its loops: over run-out holds in its way, and over live codes of the order. */
static enum fd_code change_run(struct desk *desk, struct op_spec *spec, struct change_arg *change,
                               struct venue_changed *changed, struct fd_error *err)
{
    static const struct booking none = {0};
    struct draft draft = {.desk = desk, .booking = &none, .hold_until = WALL_NONE};
    const struct back_run run = {.desk = desk, .number = change->number, .run = run_draft, .self = &draft};
    char *json = NULL;
    change->free_first = &draft.free_first;
    enum fd_code code = back_run_op(&run, spec, change, &json, NULL, err);
    if (code == FD_OK && changed)
        changed_from_json(json, changed);
    free(json);
    return code;
}

/* What of the money is content; an approval is not: a request that was refused for want of one goes on with it. */
static const char *money_content(struct arena *arena, const struct venue_change *how)
{
    const char *payment = payment_content(arena, how->payment);
    if (!how->leave_due && !how->back.in_cash && !how->back.reference)
        return payment;
    return arena_printf(arena, "%s\x1f%d%d\x1f%s", payment, how->leave_due, how->back.in_cash,
                        how->back.reference ? how->back.reference : "");
}

enum fd_code venue_move_with(struct desk *desk, const char *key, const char *number, int64_t slot_id,
                             const struct venue_change *how, struct venue_changed *changed, struct fd_error *err)
{
    struct arena arena = {0};
    struct change_arg change = {.how = how, .number = number, .slot_id = slot_id, .cause = "move", .late_guard = true};
    struct op_spec spec = {
        .action = "order.move",
        .key = key,
        .content = arena_printf(&arena, "%s\x1f%" PRId64 "\x1f%s", number, slot_id, money_content(&arena, how)),
        .reason = how->reason,
        .apply = move_apply};
    enum fd_code code = change_run(desk, &spec, &change, changed, err);
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
    if (code)
        return code;
    order_set_keep(&order->base, &set);
    set.quantity = change->quantity;
    set.total_fen = total;
    set.unit_price_fen = unit_fen;
    return fire_and_square(op, order, "change", &set, change, err);
}

enum fd_code venue_quantity_with(struct desk *desk, const char *key, const char *number, int64_t quantity,
                                 const struct venue_change *how, struct venue_changed *changed, struct fd_error *err)
{
    if (quantity < 1 || quantity > QUANTITY_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("This quantity is not possible."));
    struct arena arena = {0};
    struct change_arg change = {
        .how = how, .number = number, .quantity = quantity, .cause = "quantity", .late_guard = true};
    struct op_spec spec = {.action = "order.change",
                           .key = key,
                           .content = arena_printf(&arena, "quantity\x1f%s\x1f%" PRId64 "\x1f%s", number, quantity,
                                                   money_content(&arena, how)),
                           .reason = how->reason,
                           .apply = quantity_apply};
    enum fd_code code = change_run(desk, &spec, &change, changed, err);
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
    const struct venue_change *how;
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

static enum fd_code may_extend(struct op *op, const struct venue_order *order, const struct venue_change *how,
                               struct fd_error *err)
{
    const char *state = order->base.state;
    bool paid = strcmp(state, "PAID") == 0 || strcmp(state, "COMPLETED") == 0;
    if (!paid && strcmp(state, "PENDING_PAY") != 0)
        return wrong_state(op_db(op), order, op_arena(op), err);
    if (!paid || how->payment || how->leave_due)
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
    fd_hint(err, _("Take it at once (--cash, --card …), or leave it due (--due)."));
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
        code = may_extend(op, order, extend->how, err);
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
    /* A paid order's time to pay is over: the extension has its own. */
    draft->hold_until = strcmp(order->base.state, "PENDING_PAY") == 0 ? order->base.expire_time : WALL_NONE;
    code = draft_prepare(op, draft, err);
    if (code || !draft->joins)
        return code;
    /* Whoever pays the bill pays all of it at once, unless this is paid right here. */
    return extend->booking.payment ? FD_OK : square_bill_fits(op, draft->bill_no, NULL, draft->total_fen, err);
}

static enum fd_code extend_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct extend_arg *extend = arg;
    return draft_apply(op, extend->draft, err);
}

enum fd_code venue_extend_with(struct desk *desk, const char *key, const char *number, const struct venue_change *how,
                               struct arena *arena, struct booked *booked, struct fd_error *err)
{
    struct draft draft = {.desk = desk, .hold_until = WALL_NONE};
    struct extend_arg extend = {
        .draft = &draft, .how = how, .booking = {.note = "", .name = "", .payment = how->payment}, .number = number};
    char *json = NULL;
    bool replayed = false;
    draft.booking = &extend.booking;
    struct op_spec spec = {.action = "order.change",
                           .key = key,
                           .content = arena_printf(arena, "extend\x1f%s\x1f%s", number, money_content(arena, how)),
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
