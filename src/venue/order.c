/* The venue order as a kind of order: how it is loaded, its one UPDATE, what an event needs and
 * what follows from it. Source: domain section 1.1. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

DB_QUERY(q_by_id, "venue_order.by_id", DB_ROW,
         "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o" ORDER_JOINS "WHERE o.id = :id");
DB_QUERY(q_by_no, "venue_order.by_no", DB_ROW,
         "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o" ORDER_JOINS "WHERE o.order_no = :order_no");
DB_QUERY(q_by_bill, "venue_order.by_bill", DB_ROWS,
         "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o" ORDER_JOINS
         "WHERE o.bill_no = :bill_no ORDER BY o.id");

/* MySQL evaluates SET from left to right and the WHERE before it; no assignment reads another's column. */
#define DEAD CODES_ARE_DEAD("reserve_order", ":dead_minutes")
DB_QUERY(q_fire, "venue_order.fire", DB_NONE,
         "UPDATE reserve_order SET status = :new, version = version + 1, schedule_id = :place, quantity = :quantity, "
         "total_amount = :total, paid_amount = :paid, unit_price = :unit_price, venue_id = :venue, "
         "schedule_date = :day, start_time = :start, end_time = :end, expire_time = :expire, note = :note, "
         "cancel_reason = :cancel_reason, moved_late = :moved_late, paid_time = IF(:stamp_paid = 1, NOW(), paid_time), "
         "cancel_time = IF(:stamp_cancelled = 1, NOW(), cancel_time), "
         "check_in_time = IF(:stamp_checked_in = 1, NOW(), check_in_time) "
         "WHERE id = :id AND status = :old AND schedule_id = :old_place AND quantity = :old_quantity "
         "AND total_amount = :old_total AND paid_amount = :old_paid AND (:need_dead = 0 OR " DEAD ") "
         "AND (:need_unpaid = 0 OR paid_amount = 0) AND (:need_expired = 0 OR expire_time < NOW())");

DB_QUERY(q_live, "venue_order.live", DB_NONE,
         "UPDATE reserve_order SET live_codes = live_codes + 1, version = version + 1, "
         "expire_time = IF(expire_time < :until, :until, expire_time) "
         "WHERE id = :id AND status = :old AND total_amount = :old_total AND paid_amount = :old_paid "
         "AND live_codes = :old_live");
DB_QUERY(q_dead, "venue_order.dead", DB_NONE,
         "UPDATE reserve_order SET expire_time = IF(walk_in = 1 AND live_codes = 1 AND paid_amount = 0, "
         "LEAST(expire_time, NOW() + INTERVAL :grace MINUTE), expire_time), live_codes = live_codes - 1, "
         "version = version + 1 "
         "WHERE id = :id AND live_codes > 0");
DB_QUERY(q_codes_due, "venue_order.codes_due", DB_ROWS,
         "SELECT p.id FROM reserve_order o JOIN payment_record p ON p.order_no = o.order_no "
         "WHERE o.status = 'PENDING_PAY' AND o.expire_time < NOW() AND o.paid_amount = 0 "
         "AND p.status = 'CREATED' AND p.operator IS NULL AND (p.asked_at IS NULL OR p.asked_at < NOW() - "
         "INTERVAL CASE LEAST(p.tries, 4) WHEN 0 THEN 5 WHEN 1 THEN 30 WHEN 2 THEN 60 WHEN 3 THEN 180 ELSE 300 END "
         "SECOND) ORDER BY o.expire_time LIMIT :most");

DB_QUERY(q_tail, "venue_order.tail", DB_ROWS,
         "SELECT o.order_no FROM reserve_order o WHERE o.order_no_rev LIKE :rev ESCAPE '|' "
         "AND (o.status IN ('PENDING_PAY', 'PAID', 'REFUNDING') OR o.schedule_date >= CURDATE() - INTERVAL 7 DAY) "
         "LIMIT 6");

DB_QUERY(q_history, "venue_order.history", DB_ROW,
         "SELECT COALESCE(SUM(o.status = 'COMPLETED'), 0), COALESCE(SUM(o.status = 'NO_SHOW'), 0), "
         "COUNT(DISTINCT CASE WHEN o.status = 'PENDING_PAY' THEN COALESCE(o.bill_no, o.order_no) END), COUNT(*) "
         "FROM reserve_order o WHERE o.user_id = :user");

/* Goods are what is sold by the hour or by the day: out from the check-in to the end of the time. */
DB_QUERY(q_hand_over, "venue_order.hand_over", DB_ROWS,
         "(SELECT 'unpaid', o.order_no FROM reserve_order o WHERE o.status = 'PENDING_PAY' "
         "AND (o.expire_time >= NOW() OR o.paid_amount > 0 OR o.live_codes > 0) ORDER BY o.expire_time LIMIT 200) "
         "UNION ALL (SELECT 'goods_out', o.order_no FROM reserve_order o JOIN venue v ON v.id = o.venue_id "
         "WHERE o.status = 'COMPLETED' AND o.schedule_date = CURDATE() "
         "AND TIMESTAMP(o.schedule_date, o.end_time) > NOW() AND v.stock_form IN ('HOURLY', 'DAILY') "
         "ORDER BY o.id LIMIT 200)");

DB_QUERY(q_part_paid, "venue_order.part_paid", DB_ROWS,
         "SELECT o.order_no, o.paid_amount FROM reserve_order o "
         "WHERE o.status = 'PENDING_PAY' AND o.expire_time < NOW() AND o.paid_amount > 0 "
         "AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.order_no = o.order_no AND c.kind = 'PART_PAID' "
         "AND (c.status <> 'CLOSED' OR (c.outcome = 'kept' AND c.closed_at > NOW() - INTERVAL 1 DAY))) "
         "ORDER BY o.expire_time LIMIT :most");

static void read_base(const struct db_rows *rows, struct arena *arena, struct order *base)
{
    base->kind = &venue_kind;
    base->id = db_get_int(rows, 0);
    base->user_id = db_get_int(rows, 1);
    cut_copy(base->order_no, sizeof base->order_no, db_get_text(rows, 2));
    cut_copy(base->bill_no, sizeof base->bill_no, db_get_text(rows, 3));
    cut_copy(base->state, sizeof base->state, db_get_text(rows, 4));
    base->place_id = db_get_int(rows, 5);
    base->quantity = db_get_int(rows, 6);
    base->total_fen = db_get_fen(rows, 7);
    base->paid_fen = db_get_fen(rows, 8);
    base->live_codes = db_get_int(rows, 9);
    base->version = db_get_int(rows, 10);
    base->walk_in = db_get_int(rows, 11) != 0;
    base->expire_time = db_get_wall(rows, 12);
    base->create_time = db_get_wall(rows, 13);
    base->paid_time = db_get_wall(rows, 14);
    base->cancel_time = db_get_wall(rows, 15);
    base->check_in_time = db_get_wall(rows, 16);
    base->customer = row_text(rows, 17, arena);
    base->phone = row_text(rows, 18, arena);
    base->note = row_text(rows, 19, arena);
    base->operator= row_text(rows, 20, arena);
    base->terminal = row_text(rows, 21, arena);
    base->cancel_reason = row_text(rows, 22, arena);
}

static void read_into(const struct db_rows *rows, struct arena *arena, bool with_due, struct venue_order *order)
{
    read_base(rows, arena, &order->base);
    order->venue_id = db_get_int(rows, 23);
    order->unit_price_fen = db_is_null(rows, 24) ? -1 : db_get_fen(rows, 24);
    order->venue = row_text(rows, 25, arena);
    order->sport = row_text(rows, 26, arena);
    order->day = db_get_day(rows, 27);
    order->start_minute = db_get_minute(rows, 28);
    order->end_minute = db_get_minute(rows, 29);
    order->hold_kind = row_text(rows, 30, arena);
    order->moved_late = db_get_int(rows, 31) != 0;
    order->base.over_time = order->day == DAY_NONE ? WALL_NONE : wall_at(order->day, order->end_minute);
    order->base.due_fen = with_due ? db_get_fen(rows, ORDER_COLUMN_COUNT) : 0;
}

struct venue_order *venue_order_read(const struct db_rows *rows, struct arena *arena, bool with_due)
{
    struct venue_order *order = arena_alloc(arena, sizeof *order);
    read_into(rows, arena, with_due, order);
    return order;
}

struct venue_order *venue_order_rows(struct db_rows *rows, struct arena *arena, bool with_due, size_t *count)
{
    struct venue_order *list = arena_array(arena, db_row_count(rows) + 1, sizeof *list);
    *count = 0;
    while (db_next(rows))
        read_into(rows, arena, with_due, &list[(*count)++]);
    return list;
}

struct venue_order *venue_order_list(struct db_rows *rows, struct arena *arena, size_t *count)
{
    struct venue_order *list = arena_array(arena, db_row_count(rows) + 1, sizeof *list);
    *count = 0;
    while (db_next(rows)) {
        read_into(rows, arena, true, &list[*count]);
        list[(*count)++].back_fen = db_get_fen(rows, ORDER_COLUMN_COUNT + 1);
    }
    return list;
}

static enum fd_code load_one(struct db *db, struct db_query *query, struct db_arg which, struct arena *arena,
                             struct order **order, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, &which, 1, &rows, err);
    if (code)
        return code;
    *order = db_next(rows) ? &venue_order_read(rows, arena, true)->base : NULL;
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code load_id(struct db *db, int64_t id, struct arena *arena, struct order **order, struct fd_error *err)
{
    return load_one(db, &q_by_id, db_int("id", id), arena, order, err);
}

static enum fd_code load_no(struct db *db, const char *order_no, struct arena *arena, struct order **order,
                            struct fd_error *err)
{
    return load_one(db, &q_by_no, db_text("order_no", order_no), arena, order, err);
}

static enum fd_code load_bill(struct db *db, const char *bill_no, struct arena *arena, struct order ***orders,
                              size_t *count, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_by_bill, DB_ARGS(db_text("bill_no", bill_no)), &rows, err);
    if (code)
        return code;
    *orders = arena_array(arena, db_row_count(rows) + 1, sizeof **orders);
    *count = 0;
    while (db_next(rows))
        (*orders)[(*count)++] = &venue_order_read(rows, arena, true)->base;
    db_rows_close(&rows);
    return FD_OK;
}

static void keep(const struct order *base, struct order_set *set)
{
    const struct venue_order *order = venue_order_of_const(base);
    *set = (struct order_set){
        .place_id = base->place_id,
        .quantity = base->quantity,
        .total_fen = base->total_fen,
        .paid_fen = base->paid_fen,
        .unit_price_fen = order->unit_price_fen,
        .venue_id = order->venue_id,
        .day = order->day,
        .start_minute = order->start_minute,
        .end_minute = order->end_minute,
        .expire_time = base->expire_time,
        .note = base->note,
        .cancel_reason = base->cancel_reason,
        .moved_late = order->moved_late,
    };
}

static void follow(struct order *base, const struct order_set *set)
{
    struct venue_order *order = venue_order_of(base);
    order->venue_id = set->venue_id;
    order->unit_price_fen = set->unit_price_fen;
    order->day = set->day;
    order->start_minute = set->start_minute;
    order->end_minute = set->end_minute;
    order->moved_late = set->moved_late;
    base->over_time = wall_at(set->day, set->end_minute);
}

static struct order_words words(const struct order *base, struct arena *arena)
{
    const struct venue_order *order = venue_order_of_const(base);
    char date[DAY_TEXT], from[HHMM_TEXT], to[HHMM_TEXT];
    return (struct order_words){
        .what = order->venue,
        .when = arena_printf(arena, "%s %s %s-%s", day_sql(order->day, date), day_weekday_name(order->day),
                             minute_text(order->start_minute, from), minute_text(order->end_minute, to)),
    };
}

const char *order_place_text(struct arena *arena, const struct venue_order *order, day_t today)
{
    return place_text(arena, order->venue, order->day, order->start_minute, order->end_minute, today);
}

int64_t order_unit_fen(const struct venue_order *order, int64_t fallback_fen)
{
    if (order->unit_price_fen >= 0)
        return order->unit_price_fen;
    if (order->base.quantity > 0 && order->base.total_fen % order->base.quantity == 0)
        return order->base.total_fen / order->base.quantity;
    return fallback_fen;
}

enum fd_code venue_order_find(struct db *db, const char *number, struct arena *arena, struct venue_order **order,
                              struct fd_error *err)
{
    struct order *found;
    enum fd_code code = order_find(db, number, arena, &found, err);
    if (code)
        return code;
    if (found->kind != &venue_kind)
        return fd_fail(err, FD_REFUSED, _("Order %s is not a venue order."), found->order_no);
    *order = venue_order_of(found);
    return FD_OK;
}

enum fd_code has_order_code(struct db *db, enum fd_code code, struct fd_error *err)
{
    if (code == FD_EXISTS && strcmp(db_error_key(db), "uk_user_slot_holding") == 0)
        return fd_fail(err, FD_HAS_ORDER, NULL);
    return code;
}

enum fd_code wrong_state(struct db *db, const struct venue_order *order, struct arena *arena, struct fd_error *err)
{
    const char *who = "";
    enum fd_code code = order_who(db, &order->base, arena, &who, err);
    if (code)
        return code;
    const char *state = state_label("venue_order", order->base.state);
    if (!who[0])
        return fd_fail(err, FD_WRONG_STATE, _("Order %s is %s."), order->base.order_no, state);
    return fd_fail(err, FD_WRONG_STATE, _("Order %s is %s (%s)."), order->base.order_no, state, who);
}

/* Guards: what the rule table cannot say -------------------------------------------------------- */

static enum fd_code guard_check_in(struct op *op, struct order *base, struct order_set *set, wall_t now,
                                   struct fd_error *err)
{
    set->now_checked_in = true;
    return check_in_window(op_desk(op), venue_order_of(base), now, err);
}

wall_t venue_free_until(const struct venue_order *order, int64_t free_minutes)
{
    return order->moved_late ? 0 : wall_at(order->day, order->start_minute) - 60 * free_minutes;
}

/* Else whoever may not cancel any more would move it to another day and cancel there. */
static enum fd_code refuse_moved(const struct venue_order *order, bool may, struct fd_error *err)
{
    return may ? fd_fail(err, FD_REASON_NEEDED,
                         _("Order %s was moved when cancelling was not free any more: a reason is needed."),
                         order->base.order_no)
               : fd_fail(err, FD_NO_PERMISSION,
                         _("Order %s was moved when cancelling was not free any more; that needs a permission."),
                         order->base.order_no);
}

static enum fd_code guard_refund(struct op *op, struct order *base, struct order_set *set, wall_t now,
                                 struct fd_error *err)
{
    (void)set;
    const struct venue_order *order = venue_order_of(base);
    wall_t free_until = venue_free_until(order, param_get(op_desk(op), PARAM_FREE_CANCEL));
    bool may = false;
    if (now <= free_until)
        return FD_OK;
    enum fd_code code = op_may(op, "refund_late", &may, err);
    if (code || (may && op_reason(op)))
        return code;
    if (order->moved_late)
        return refuse_moved(order, may, err);
    char until[UNTIL_TEXT];
    until_text(free_until, wall_day(now), until);
    if (may) {
        fd_fail(err, FD_REASON_NEEDED, _("Cancelling was free until %s: a reason is needed."), until);
        return FD_REASON_NEEDED;
    }
    return fd_fail(err, FD_NO_PERMISSION, _("Cancelling was free until %s; later it needs a permission."), until);
}

static enum fd_code guard_miss(struct op *op, struct order *base, struct order_set *set, wall_t now,
                               struct fd_error *err)
{
    (void)set;
    const struct venue_order *order = venue_order_of(base);
    if (now > wall_at(order->day, order->end_minute) + 60 * param_get(op_desk(op), PARAM_MISS_GRACE))
        return FD_OK;
    return fd_fail(err, FD_TOO_EARLY, _("The time of order %s is not over yet."), base->order_no);
}

static enum fd_code guard_change(struct op *op, struct order *base, struct order_set *set, wall_t now,
                                 struct fd_error *err)
{
    (void)op;
    const struct venue_order *order = venue_order_of(base);
    bool note_only = set->place_id == base->place_id && set->quantity == base->quantity;
    if (note_only || now < wall_at(order->day, order->end_minute))
        return FD_OK;
    return fd_fail(err, FD_TOO_LATE, _("The time of order %s is over."), base->order_no);
}

static enum fd_code guard_move(struct op *op, struct order *base, struct order_set *set, wall_t now,
                               struct fd_error *err)
{
    const struct venue_order *order = venue_order_of(base);
    bool late = now > venue_free_until(order, param_get(op_desk(op), PARAM_FREE_CANCEL));
    set->moved_late = order->moved_late || (late && strcmp(base->state, "PAID") == 0);
    return guard_change(op, base, set, now, err);
}

typedef enum fd_code guard_fn(struct op *op, struct order *order, struct order_set *set, wall_t now,
                              struct fd_error *err);
static const struct {
    const char *event;
    guard_fn *check;
} guards[] = {
    {"check_in", guard_check_in}, {"refund", guard_refund}, {"miss", guard_miss},
    {"move", guard_move},         {"change", guard_change},
};

static enum fd_code guard(struct op *op, struct order *order, const char *event, struct order_set *set,
                          struct fd_error *err)
{
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        if (strcmp(event, guards[i].event) != 0)
            continue;
        wall_t now;
        enum fd_code code = op_now(op, &now, err);
        return code ? code : guards[i].check(op, order, set, now, err);
    }
    return FD_OK;
}

/* Effects: stock ---------------------------------------------------------------------------------- */

static void take(struct op *op, const char *taker, const struct order_set *set, int64_t quantity, int64_t price_fen)
{
    struct slot seen = {
        .id = set->place_id,
        .venue_id = set->venue_id,
        .day = set->day,
        .start_minute = set->start_minute,
        .end_minute = set->end_minute,
        .price_fen = price_fen,
    };
    slot_take(op, &seen, quantity, taker);
    order_log_stock(op, seen.id, -quantity);
}

static void give(struct op *op, const struct order *order, int64_t quantity)
{
    slot_give(op, order->place_id, quantity);
    order_log_stock(op, order->place_id, quantity);
}

static enum fd_code effect(struct op *op, const struct order *before, const char *event, const struct order_set *set,
                           const char *new_state, struct fd_error *err)
{
    (void)event;
    (void)err;
    if (strcmp(new_state, "CANCELLED") == 0 || strcmp(new_state, "REFUNDED") == 0) {
        give(op, before, before->quantity);
    } else if (set->place_id != before->place_id) {
        /* The new place is paid at the price that was seen; the same UPDATE refuses another one. */
        give(op, before, before->quantity);
        take(op, before->order_no, set, set->quantity, set->unit_price_fen);
    } else if (set->quantity > before->quantity) {
        /* More places of an order cost what its first one did, whatever the slot costs now. */
        take(op, before->order_no, set, set->quantity - before->quantity, -1);
    } else if (set->quantity < before->quantity) {
        give(op, before, before->quantity - set->quantity);
    }
    return FD_OK;
}

const struct order_kind venue_kind = {
    .entity = "venue_order",
    .tag = "VB",
    .fire = &q_fire,
    .live = &q_live,
    .dead = &q_dead,
    .codes_due = &q_codes_due,
    .load_id = load_id,
    .load_no = load_no,
    .load_bill = load_bill,
    .guard = guard,
    .effect = effect,
    .keep = keep,
    .follow = follow,
    .words = words,
    .tail = &q_tail,
    .history = &q_history,
    .hand_over = &q_hand_over,
    .part_paid = &q_part_paid,
};
