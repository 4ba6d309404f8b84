/* A booking inside its transaction: one read per line that may refuse, then request key, customer,
 * bill, orders, money, log, and the places last. Source: domain section 2, performance facts B2. */
#include "base/fault.h"
#include "base/text.h"
#include "core/customer.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MOST  100 /* any-of: each lost round is somebody else's booking */
#define FREEING_MOST 5

/* Locks the customer: two desks that book for one pass here one after the other. Then counts the unpaid bookings, which
 * a subquery does behind the lock. */
#define CUSTOMER_COLUMNS "u.id, u.nickname, u.status"
#define UNPAID_HOLDS                                                                                                   \
    "(SELECT COUNT(DISTINCT COALESCE(o.bill_no, o.order_no)) FROM reserve_order o FORCE INDEX (idx_user_status) "      \
    "WHERE o.user_id = u.id AND o.status = 'PENDING_PAY' AND (o.expire_time IS NULL OR o.expire_time >= NOW()))"
#define LOCK_BY(column, holds)                                                                                         \
    "SELECT " CUSTOMER_COLUMNS ", " holds " FROM t_user u WHERE u." column " = :who FOR UPDATE"
DB_QUERY(q_phone_holds, "booking.lock_phone_holds", DB_ROW, LOCK_BY("phone", UNPAID_HOLDS));
DB_QUERY(q_id_holds, "booking.lock_id_holds", DB_ROW, LOCK_BY("id", UNPAID_HOLDS));
DB_QUERY(q_phone, "booking.lock_phone", DB_ROW, LOCK_BY("phone", "0"));
DB_QUERY(q_id, "booking.lock_id", DB_ROW, LOCK_BY("id", "0"));

/* The order that stands in the way of a second one. */
DB_QUERY(q_clash, "booking.clash", DB_ROWS,
         "SELECT h.order_no FROM reserve_order h WHERE h.user_id = :user AND h.schedule_id = :slot AND h.holding = 1");

DB_QUERY(q_bill, "booking.bill", DB_NONE,
         "INSERT INTO bill (bill_no, user_id, operator, terminal, request_key, created_at) "
         "VALUES (:bill, :user, :operator, :terminal, :key, NOW())");

DB_QUERY(
    q_order, "booking.order", DB_NONE,
    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
    "quantity, total_amount, status, expire_time, create_time, update_time, idempotency_key, bill_no, unit_price, "
    "operator, terminal, walk_in, note, hold_until_kind) VALUES (:order_no, :user, :venue, :slot, :day, :start, :end, "
    ":quantity, :total, 'PENDING_PAY', :expire, NOW(), NOW(), :key, :bill, :price, :operator, :terminal, :walk_in, "
    ":note, "
    ":hold)");

static const char *const hold_names[] = {
    [HOLD_MINUTES] = "minutes", [HOLD_BEFORE_START] = "before", [HOLD_START] = "start"};

void draft_add_line(struct draft *draft, int64_t slot_id, int64_t quantity, int64_t seen_fen)
{
    if (draft->line_count == draft->line_limit) {
        draft->line_limit = draft->line_limit ? draft->line_limit * 2 : 4;
        draft->lines = xrealloc(draft->lines, draft->line_limit, sizeof *draft->lines);
    }
    draft->lines[draft->line_count++] =
        (struct draft_line){.slot_id = slot_id, .quantity = quantity, .seen_fen = seen_fen};
}

void draft_release(struct draft *draft)
{
    free(draft->lines);
    draft->lines = NULL;
    draft->line_count = draft->line_limit = 0;
    tree_free(&draft->answer);
}

static enum fd_code prepare_line(struct op *op, struct draft *draft, struct draft_line *line, struct fd_error *err)
{
    struct slot_facts facts;
    struct fd_error local = {0};
    enum fd_code code = slot_facts_read(op, line->slot_id, line->quantity, op_key(op), &facts, err);
    if (code)
        return code;
    if (!facts.found)
        return slot_is_unknown(line->slot_id, err);
    line->slot = facts.slot;
    draft->now = facts.now;
    op_set_now(op, facts.now);
    if (facts.key_used)
        return fd_fail(err, FD_REFUSED, NULL); /* the runner finds the key and answers with what it did */
    op_key_absent(op);
    if (!facts.venue_in_use)
        return fd_fail(err, FD_SLOT_CLOSED, _("%s is out of use."), line->slot.venue);
    code = slot_judge(&line->slot, &facts.holder, line->quantity, draft->now, &local);
    if (code == FD_SLOT_TAKEN && facts.holder.run_out > 0)
        draft->free_first = line->slot_id;
    if (code) {
        if (err)
            *err = local;
        return code;
    }
    if (line->seen_fen >= 0 && line->seen_fen != line->slot.price_fen)
        return slot_price_differs(&line->slot, line->seen_fen, err);
    if (!fen_times(line->slot.price_fen, line->quantity, &line->total_fen))
        return fd_fail(err, FD_BAD_INPUT, _("This amount is too large."));
    return FD_OK;
}

/* When the hold ends: what the clerk chose, not before now + the least, never after the first line's end. */
static wall_t hold_end(const struct draft *draft)
{
    struct desk *desk = draft->desk;
    const struct booking *booking = draft->booking;
    wall_t start = INT64_MAX, end = INT64_MAX;
    for (size_t i = 0; i < draft->line_count; i++) {
        const struct slot *slot = &draft->lines[i].slot;
        wall_t line_start = wall_at(slot->day, slot->start_minute);
        wall_t line_end = wall_at(slot->day, slot->end_minute);
        start = line_start < start ? line_start : start;
        end = line_end < end ? line_end : end;
    }
    int64_t minutes = booking->hold_minutes > 0 ? booking->hold_minutes : param_get(desk, PARAM_HOLD_MINUTES);
    wall_t until = draft->now + 60 * minutes;
    /* A place for nobody by name is not kept: its code, once it is shown, gives it the code's time. */
    if (draft->walk_in) {
        until = draft->now + 60 * param_get(desk, PARAM_WALK_IN_MINUTES);
        return until > end ? end : until;
    }
    if (draft->hold_until != WALL_NONE)
        until = draft->hold_until;
    else if (booking->hold == HOLD_BEFORE_START)
        until = start - 60 * param_get(desk, PARAM_HOLD_BEFORE_START);
    else if (booking->hold == HOLD_START)
        until = start;
    wall_t least = draft->now + 60 * param_get(desk, PARAM_HOLD_LEAST);
    until = until < least ? least : until;
    return until > end ? end : until;
}

static void number_lines(struct draft *draft)
{
    day_t today = wall_day(draft->now);
    if (!draft->joins)
        number_new(draft->bill_no, today, "BL");
    for (size_t i = 0; i < draft->line_count; i++) {
        number_new(draft->lines[i].order_no, today, venue_kind.tag);
        cut_copy(draft->lines[i].state, sizeof draft->lines[i].state, "PENDING_PAY");
    }
}

static bool pays_now(const struct draft *draft)
{
    return draft->booking->payment != NULL || draft->total_fen == 0;
}

enum fd_code draft_prepare(struct op *op, void *arg, struct fd_error *err)
{
    struct draft *draft = arg;
    enum fd_code code = FD_OK;
    draft->free_first = 0;
    draft->none_left = false;
    draft->total_fen = 0;
    if (draft->walk_in && draft->user_id == 0)
        code = customer_walk_in(op_db(op), &draft->user_id, err);
    if (code == FD_OK && draft->booking->any_of)
        code = any_of_pick(op, draft, err);
    for (size_t i = 0; code == FD_OK && i < draft->line_count; i++) {
        code = prepare_line(op, draft, &draft->lines[i], err);
        if (code == FD_OK && !fen_add(draft->total_fen, draft->lines[i].total_fen, &draft->total_fen))
            code = fd_fail(err, FD_BAD_INPUT, _("This amount is too large."));
    }
    if (code)
        return code;
    if (draft->walk_in && !pays_now(draft) && !draft->booking->by_code) {
        fd_fail(err, FD_BAD_INPUT, _("A walk-in without a phone pays at once."));
        fd_hint(err, _("Take payment with the booking, or type the phone."));
        return FD_BAD_INPUT;
    }
    if (draft->booking->by_code && draft->total_fen > 0)
        code = tender_may_in(op, draft->booking->code_tender, err);
    if (code)
        return code;
    number_lines(draft);
    draft->expire = hold_end(draft);
    /* Known now it goes into the request's row; with money its numbers are made later. */
    if (!pays_now(draft))
        op_result(op, draft_json(draft, op_arena(op)));
    return FD_OK;
}

/* A customer's row, locked. id 0: nobody has the phone. */
struct locked {
    int64_t id, holds;
    bool named, blocked;
};

static enum fd_code lock_row(struct op *op, const struct draft *draft, int64_t user_id, struct locked *locked,
                             struct fd_error *err)
{
    bool counts = !pays_now(draft) && !draft->joins;
    struct db_query *query = counts ? (user_id ? &q_id_holds : &q_phone_holds) : (user_id ? &q_id : &q_phone);
    struct db_arg who = user_id ? db_int("who", user_id) : db_text("who", draft->booking->phone);
    struct db_rows *rows;
    *locked = (struct locked){0};
    enum fd_code code = db_select(op_db(op), query, &who, 1, &rows, err);
    if (code)
        return code;
    if (db_next(rows)) {
        locked->id = db_get_int(rows, 0);
        locked->named = db_get_text(rows, 1)[0] != '\0';
        locked->blocked = db_get_int(rows, 2) == 0;
        locked->holds = db_get_int(rows, 3);
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code lock_customer(struct op *op, struct draft *draft, int64_t *user_id, struct fd_error *err)
{
    const struct booking *booking = draft->booking;
    struct locked locked;
    *user_id = draft->user_id;
    if (draft->walk_in)
        return FD_OK;
    enum fd_code code = lock_row(op, draft, draft->user_id, &locked, err);
    if (code)
        return code;
    bool new_name = booking->name && booking->name[0] && !locked.named;
    if (locked.id == 0 || new_name)
        code = customer_ensure(op, booking->phone, booking->name, user_id, err);
    if (code == FD_OK && locked.id == 0)
        code = lock_row(op, draft, *user_id, &locked, err);
    if (code)
        return code;
    *user_id = locked.id;
    if (locked.blocked)
        return fd_fail(err, FD_REFUSED, _("This customer is blocked."));
    if (locked.holds >= param_get(draft->desk, PARAM_HOLDS_MOST))
        return fd_fail(err, FD_HOLD_LIMIT, _("The customer already has %" PRId64 " unpaid bookings."), locked.holds);
    return FD_OK;
}

static enum fd_code insert_bill(struct op *op, struct draft *draft, int64_t user_id, struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    if (draft->joins)
        return FD_OK;
    return db_exec(op_db(op), &q_bill,
                   DB_ARGS(db_text("bill", draft->bill_no), db_int("user", user_id),
                           db_text("operator", desk->operator), db_text("terminal", desk->terminal),
                           db_text("key", op_key(op))),
                   NULL, err);
}

static void log_line(struct op *op, const struct draft *draft, size_t index)
{
    const struct draft_line *line = &draft->lines[index];
    char price[FEN_TEXT];
    const char *after = arena_printf(
        op_arena(op), "{\"bill\":\"%s\",\"line\":%zu,\"lines\":%zu,\"quantity\":%" PRId64 ",\"price\":\"%s\"}",
        draft->bill_no, index + 1, draft->line_count, line->quantity, fen_decimal(line->slot.price_fen, price));
    op_log(op, &(struct log_entry){.entity = "venue_order",
                                   .entity_no = line->order_no,
                                   .event = "book",
                                   .state_after = "PENDING_PAY",
                                   .schedule_id = line->slot_id,
                                   .stock_change = -line->quantity,
                                   .amount_change_fen = line->total_fen,
                                   .has_amount_change = true,
                                   .after = after});
}

static enum fd_code insert_line(struct op *op, struct draft *draft, size_t index, int64_t user_id, struct fd_error *err)
{
    const struct draft_line *line = &draft->lines[index];
    const struct slot *slot = &line->slot;
    const struct desk *desk = op_desk(op);
    const char *note = draft->booking->note;
    char key[KEY_BYTES + 16];
    if (index == 0)
        fit_printf(key, "%s", op_key(op));
    else
        fit_printf(key, "%s#%zu", op_key(op), index + 1);
    enum fd_code code =
        db_exec(op_db(op), &q_order,
                DB_ARGS(db_text("order_no", line->order_no), db_int("user", user_id), db_int("venue", slot->venue_id),
                        db_int("slot", slot->id), db_day("day", slot->day), db_minute("start", slot->start_minute),
                        db_minute("end", slot->end_minute), db_int("quantity", line->quantity),
                        db_fen("total", line->total_fen), db_wall("expire", draft->expire), db_text("key", key),
                        db_text("bill", draft->bill_no[0] ? draft->bill_no : NULL), db_fen("price", slot->price_fen),
                        db_text("operator", desk->operator), db_text("terminal", desk->terminal),
                        db_int("walk_in", draft->walk_in), db_text("note", note && note[0] ? note : NULL),
                        db_text("hold", hold_names[draft->booking->hold])),
                NULL, err);
    code = has_order_code(op_db(op), code, err);
    if (code == FD_HAS_ORDER) {
        draft->clash_user_id = user_id;
        draft->clash_slot_id = slot->id;
        cut_copy(draft->clash_text, sizeof draft->clash_text, slot_text(op_arena(op), slot, wall_day(draft->now)));
    }
    if (code)
        return code;
    FD_POINT("order_inserted");
    slot_take_or_note(op, slot, line->quantity, line->order_no, &draft->free_first);
    log_line(op, draft, index);
    return FD_OK;
}

/* The order just inserted, as a load would return it. */
static struct order *inserted_order(struct op *op, const struct draft *draft, size_t index, int64_t user_id)
{
    const struct draft_line *line = &draft->lines[index];
    struct venue_order *order = arena_alloc(op_arena(op), sizeof *order);
    *order = (struct venue_order){
        .base = {.kind = &venue_kind,
                 .id = db_insert_id(op_db(op)),
                 .user_id = user_id,
                 .place_id = line->slot_id,
                 .quantity = line->quantity,
                 .total_fen = line->total_fen,
                 .walk_in = draft->walk_in,
                 .expire_time = draft->expire,
                 .over_time = wall_at(line->slot.day, line->slot.end_minute),
                 .create_time = draft->now,
                 .paid_time = WALL_NONE,
                 .cancel_time = WALL_NONE,
                 .check_in_time = WALL_NONE,
                 .customer = "",
                 .phone = draft->booking->phone ? draft->booking->phone : "",
                 .note = draft->booking->note ? draft->booking->note : "",
                 .operator= op_desk(op)->operator,
                 .terminal = op_desk(op)->terminal,
                 .cancel_reason = ""},
        .venue_id = line->slot.venue_id,
        .unit_price_fen = line->slot.price_fen,
        .venue = line->slot.venue,
        .sport = line->slot.sport,
        .day = line->slot.day,
        .start_minute = line->slot.start_minute,
        .end_minute = line->slot.end_minute,
        .hold_kind = hold_names[draft->booking->hold],
    };
    cut_copy(order->base.order_no, sizeof order->base.order_no, line->order_no);
    cut_copy(order->base.bill_no, sizeof order->base.bill_no, draft->bill_no);
    cut_copy(order->base.state, sizeof order->base.state, "PENDING_PAY");
    return &order->base;
}

/* Nothing is owed: paid without a payment. */
static enum fd_code pay_nothing(struct op *op, struct order **orders, size_t count, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        struct order_set set;
        order_set_keep(orders[i], &set);
        set.now_paid = true;
        code = order_fire(op, orders[i], "pay", &set, err);
    }
    return code;
}

static enum fd_code pay_lines(struct op *op, struct draft *draft, struct order **orders, struct fd_error *err)
{
    const struct payment *payment = draft->booking->payment;
    enum fd_code code;
    draft->paid = (struct paid){0};
    if (draft->total_fen == 0)
        code = pay_nothing(op, orders, draft->line_count, err);
    else
        code = pay_take_in(op, orders, draft->line_count, payment, &draft->paid, err);
    for (size_t i = 0; code == FD_OK && i < draft->line_count; i++) {
        struct order_set set;
        if (payment && payment->check_in && strcmp(orders[i]->state, "PAID") == 0) {
            order_set_keep(orders[i], &set);
            code = order_fire(op, orders[i], "check_in", &set, err);
        }
        cut_copy(draft->lines[i].state, sizeof draft->lines[i].state, orders[i]->state);
    }
    if (code == FD_OK)
        op_result(op, draft_json(draft, op_arena(op)));
    return code;
}

enum fd_code draft_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct draft *draft = arg;
    int64_t user_id;
    struct order **orders = arena_array(op_arena(op), draft->line_count, sizeof *orders);
    enum fd_code code = lock_customer(op, draft, &user_id, err);
    if (code == FD_OK)
        code = insert_bill(op, draft, user_id, err);
    for (size_t i = 0; code == FD_OK && i < draft->line_count; i++) {
        code = insert_line(op, draft, i, user_id, err);
        if (code == FD_OK && pays_now(draft))
            orders[i] = inserted_order(op, draft, i, user_id);
    }
    if (code == FD_OK && pays_now(draft))
        code = pay_lines(op, draft, orders, err);
    return code;
}

/* Somebody was faster at the place that was picked: another one may be free. */
static bool pick_again(const struct draft *draft, enum fd_code code)
{
    if (!draft->booking->any_of || draft->none_left)
        return false;
    return code == FD_SLOT_TAKEN || code == FD_SLOT_CLOSED || code == FD_SLOT_OVER || code == FD_HAS_ORDER;
}

struct clash {
    const struct draft *draft;
    char order_no[NUMBER_BYTES];
};

static enum fd_code clash_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct clash *clash = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(
        db, &q_clash, DB_ARGS(db_int("user", clash->draft->clash_user_id), db_int("slot", clash->draft->clash_slot_id)),
        &rows, err);
    if (code)
        return code;
    clash->order_no[0] = '\0';
    if (db_next(rows))
        cut_copy(clash->order_no, sizeof clash->order_no, db_get_text(rows, 0));
    db_rows_close(&rows);
    return FD_OK;
}

/* Names the order that the customer has already: read only now, so that no booking pays for it. */
static void name_clash(const struct draft *draft, struct fd_error *err)
{
    struct clash clash = {.draft = draft};
    struct fd_error ignored;
    char tail[NUMBER_BYTES * 4];
    if (desk_read(draft->desk, "booking.clash", clash_txn, &clash, &ignored) || !clash.order_no[0])
        return;
    text_clean(tail, sizeof tail, number_tail(clash.order_no));
    fd_fail(err, FD_HAS_ORDER, _("The customer already has order %s for %s."), tail, draft->clash_text);
}

enum fd_code draft_run(struct draft *draft, const struct op_spec *spec, void *arg, char **json, bool *replayed,
                       struct fd_error *err)
{
    int freed = 0;
    for (int round = 0;; round++) {
        struct fd_error local = {0};
        draft->free_first = 0;
        draft->none_left = false;
        enum fd_code code = op_run(draft->desk, spec, arg, json, replayed, &local);
        if (code == FD_SLOT_TAKEN && draft->free_first != 0 && freed++ < FREEING_MOST) {
            code = slot_free_run_out(draft->desk, draft->free_first, &local);
            if (code == FD_OK)
                continue;
        } else if (pick_again(draft, code) && round < ROUNDS_MOST) {
            continue;
        }
        if (code == FD_HAS_ORDER)
            name_clash(draft, &local);
        if (code && err)
            *err = local;
        return code;
    }
}
