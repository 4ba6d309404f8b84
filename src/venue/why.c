/* The three answers, in sentences: why can this slot not be booked, why is this order in this
 * state, how much was sold on that day. Source: domain section 0. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <string.h>

DB_QUERY(q_slot, "why.slot", DB_ROW,
         "SELECT " SLOT_COLUMNS ", NOW(), v.status FROM venue_schedule s JOIN venue v ON v.id = s.venue_id "
         "WHERE s.id = :id");
DB_QUERY(q_holders, "why.holders", DB_ROWS,
         "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o" ORDER_JOINS "WHERE o.schedule_id = :slot "
         "AND o.status IN " HOLDING_STATES " ORDER BY o.id LIMIT 50");
DB_QUERY(q_closed, "why.closed", DB_ROW,
         "SELECT COALESCE(a.display_name, l.operator), l.terminal, l.logged_at FROM operation_log l "
         "LEFT JOIN operator_account a ON a.name = l.operator "
         "WHERE l.entity = 'slot' AND l.entity_no = :slot AND l.event = 'close' ORDER BY l.id DESC LIMIT 1");
DB_QUERY(q_now, "why.now", DB_ROW, "SELECT NOW()");
DB_QUERY(q_day_slots, "why.day_slots", DB_ROW,
         "SELECT COALESCE(SUM(s.total_count), 0), COALESCE(SUM(s.total_count - s.remain_count), 0), COUNT(*), "
         "COALESCE(SUM(s.status = 0), 0) FROM venue_schedule s FORCE INDEX (idx_day_grid) "
         "WHERE s.schedule_date = :day");
DB_QUERY(q_day_states, "why.day_states", DB_ROWS,
         "SELECT o.status, COUNT(*), SUM(o.quantity), SUM(o.total_amount) FROM reserve_order o FORCE INDEX (idx_day) "
         "WHERE o.schedule_date = :day GROUP BY o.status ORDER BY o.status");
DB_QUERY(q_day_money, "why.day_money", DB_ROWS,
         "SELECT p.channel, COUNT(*), SUM(p.amount) FROM payment_record p "
         "WHERE p.created_at >= :day AND p.created_at < :day + INTERVAL 1 DAY AND p.status = 'SUCCESS' "
         "GROUP BY p.channel ORDER BY p.channel");
DB_QUERY(q_day_back, "why.day_back", DB_ROW,
         "SELECT COUNT(*), COALESCE(SUM(r.amount), 0) FROM refund_record r "
         "WHERE r.created_at >= :day AND r.created_at < :day + INTERVAL 1 DAY AND r.status = 'SUCCESS'");

struct why {
    struct desk *desk;
    struct arena *arena;
    const char *number;
    int64_t id;
    day_t day;
    struct buf text;
};

static void say(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct why *why, const char *format, ...)
{
    va_list args;
    if (why->text.bytes > 0)
        buf_add(&why->text, "\n");
    va_start(args, format);
    buf_vprintf(&why->text, format, args);
    va_end(args);
}

static enum fd_code why_run(struct why *why, const char *label, db_txn_fn *fn, const char **text, struct fd_error *err)
{
    /* Read before the transaction: inside it they come from the cache. */
    param_refresh(why->desk);
    enum fd_code code = desk_read(why->desk, label, fn, why, err);
    if (code == FD_OK)
        *text = arena_str(why->arena, buf_text(&why->text));
    buf_release(&why->text);
    return code;
}

/* Slot ----------------------------------------------------------------------------------------------- */

static enum fd_code say_closed(struct db *db, struct why *why, const struct slot *slot, day_t today,
                               struct fd_error *err)
{
    struct db_rows *rows;
    char no[24], at[UNTIL_TEXT];
    fit_printf(no, "%" PRId64, slot->id);
    if (slot->close_reason[0])
        say(why, _("It cannot be booked because it is closed: %s"), slot->close_reason);
    else
        say(why, _("It cannot be booked because it is closed."));
    enum fd_code code = db_select(db, &q_closed, DB_ARGS(db_text("slot", no)), &rows, err);
    if (code)
        return code;
    if (db_next(rows))
        say(why, _("Closed by %s at %s, %s."), row_text(rows, 0, why->arena), row_text(rows, 1, why->arena),
            until_text(db_get_wall(rows, 2), today, at));
    db_rows_close(&rows);
    return FD_OK;
}

static void say_holder(struct why *why, const struct venue_order *order, wall_t now)
{
    const struct order *base = &order->base;
    char at[UNTIL_TEXT];
    const char *who = base->customer[0] ? base->customer : _("no name");
    const char *tail = number_tail(base->order_no);
    if (strcmp(base->state, "PENDING_PAY") != 0)
        say(why, _("Order %s (%s) has %" PRId64 ": %s."), tail, who, base->quantity,
            state_label("venue_order", base->state));
    else if (base->expire_time == WALL_NONE)
        say(why, _("Order %s (%s) holds %" PRId64 ", unpaid, without an end."), tail, who, base->quantity);
    else if (base->expire_time < now)
        say(why, _("Order %s (%s) held %" PRId64 ", unpaid, until %s; that is over: a booking gets the place."), tail,
            who, base->quantity, until_text(base->expire_time, wall_day(now), at));
    else
        say(why, _("Order %s (%s) holds %" PRId64 ", unpaid, until %s."), tail, who, base->quantity,
            until_text(base->expire_time, wall_day(now), at));
}

static enum fd_code say_slot(struct db *db, struct why *why, const struct slot *slot, bool in_use, wall_t now,
                             struct fd_error *err)
{
    char price[FEN_TEXT], at[UNTIL_TEXT];
    day_t today = wall_day(now);
    say(why, _("%s: %" PRId64 " of %" PRId64 " places left, %s each."), slot_text(why->arena, slot, DAY_NONE),
        slot->remain_count, slot->total_count, fen_text(slot->price_fen, price));
    if (slot->over)
        say(why, _("It cannot be booked because it is over since %s."),
            until_text(wall_at(slot->day, slot->end_minute), today, at));
    else if (!in_use)
        say(why, _("It cannot be booked because %s is out of use."), slot->venue);
    else if (!slot->open)
        return say_closed(db, why, slot, today, err);
    else if (slot->remain_count == 0)
        say(why, _("It cannot be booked because no place is left."));
    else if (slot->running)
        say(why, _("It can be booked: it runs, until %s."),
            until_text(wall_at(slot->day, slot->end_minute), today, at));
    else
        say(why, _("It can be booked."));
    return FD_OK;
}

static enum fd_code slot_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct why *why = arg;
    struct db_rows *rows;
    struct slot slot;
    buf_clear(&why->text);
    enum fd_code code = db_select(db, &q_slot, DB_ARGS(db_int("id", why->id)), &rows, err);
    if (code)
        return code;
    bool found = db_next(rows), in_use = false;
    wall_t now = 0;
    if (found) {
        slot_read(rows, why->arena, &slot);
        now = db_get_wall(rows, SLOT_COLUMN_COUNT);
        in_use = db_get_int(rows, SLOT_COLUMN_COUNT + 1) == 1;
    }
    db_rows_close(&rows);
    if (!found)
        return slot_is_unknown(why->id, err);
    code = say_slot(db, why, &slot, in_use, now, err);
    if (code == FD_OK)
        code = db_select(db, &q_holders, DB_ARGS(db_int("slot", why->id)), &rows, err);
    if (code)
        return code;
    size_t count;
    struct venue_order *orders = venue_order_rows(rows, why->arena, true, &count);
    db_rows_close(&rows);
    for (size_t i = 0; i < count; i++)
        say_holder(why, &orders[i], now);
    return FD_OK;
}

enum fd_code why_slot(struct desk *desk, int64_t slot_id, struct arena *arena, const char **text, struct fd_error *err)
{
    struct why why = {.desk = desk, .arena = arena, .id = slot_id};
    return why_run(&why, "why.slot", slot_txn, text, err);
}

/* Order ---------------------------------------------------------------------------------------------- */

static void say_waiting(struct why *why, const struct venue_order *order, wall_t now)
{
    const struct order *base = &order->base;
    char at[UNTIL_TEXT], amount[FEN_TEXT];
    fen_text(base->total_fen - base->paid_fen, amount);
    if (base->paid_fen > 0)
        say(why, _("This order was paid in part; %s is still owed. It does not run out by itself."), amount);
    else if (base->live_codes > 0)
        say(why, _("This order waits for payment of %s; a payment code is still valid, so it is not released."),
            amount);
    else if (base->expire_time == WALL_NONE)
        say(why, _("This order waits for payment of %s, without an end."), amount);
    else if (base->expire_time < now)
        say(why,
            _("This order waits for payment of %s; its time ended at %s: the worker, or whoever needs the place, "
              "releases it."),
            amount, until_text(base->expire_time, wall_day(now), at));
    else
        say(why,
            _("This order waits for payment of %s. If it is not paid by %s it is released by itself and the place "
              "is free again."),
            amount, until_text(base->expire_time, wall_day(now), at));
}

static void say_paid(struct why *why, const struct venue_order *order, wall_t now)
{
    char from[UNTIL_TEXT], to[UNTIL_TEXT], amount[FEN_TEXT];
    wall_t opens = wall_at(order->day, order->start_minute) - 60 * param_get(why->desk, PARAM_CHECK_IN_BEFORE);
    wall_t end = wall_at(order->day, order->end_minute);
    if (order->base.due_fen > 0)
        say(why, _("This order is paid but owes %s after a change; before that is taken nobody goes in."),
            fen_text(order->base.due_fen, amount));
    else if (now >= end)
        say(why, _("This order is paid, its time is over and nobody checked in: the worker makes it a no-show."));
    else
        say(why, _("This order is paid. Check-in is from %s to %s."), until_text(opens, wall_day(now), from),
            until_text(end, wall_day(now), to));
}

static void say_state(struct why *why, const struct venue_order *order, wall_t now)
{
    const struct order *base = &order->base;
    char at[UNTIL_TEXT];
    if (strcmp(base->state, "PENDING_PAY") == 0)
        say_waiting(why, order, now);
    else if (strcmp(base->state, "PAID") == 0)
        say_paid(why, order, now);
    else if (strcmp(base->state, "COMPLETED") == 0 && base->check_in_time != WALL_NONE)
        say(why, _("This order went in at %s."), until_text(base->check_in_time, wall_day(now), at));
    else if (strcmp(base->state, "NO_SHOW") == 0)
        say(why, _("This order was paid, and nobody came before its time was over."));
    else if (strcmp(base->state, "REFUNDING") == 0)
        say(why, _("Its money is on its way back to the customer; until then it keeps its place."));
    else if (base->cancel_time != WALL_NONE && base->cancel_reason[0])
        say(why, _("This order ended at %s: %s"), until_text(base->cancel_time, wall_day(now), at),
            base->cancel_reason);
    else if (base->cancel_time != WALL_NONE)
        say(why, _("This order ended at %s."), until_text(base->cancel_time, wall_day(now), at));
    else
        say(why, _("This order is %s."), state_label("venue_order", base->state));
}

/* What a clerk does to fire an event; NULL where it is not a clerk's to do by itself. */
static const char *deed_of(const char *event)
{
    static const struct {
        const char *event, *deed;
    } deeds[] = {
        {"pay", NC_("possible", "take payment")}, {"check_in", NC_("possible", "check in")},
        {"move", NC_("possible", "move")},        {"change", NC_("possible", "change")},
        {"cancel", NC_("possible", "cancel")},    {"refund", NC_("possible", "cancel with money back")},
    };
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
        if (strcmp(deeds[i].event, event) == 0)
            return i18n_label(deeds[i].deed);
    return NULL;
}

/* known: something says how it was paid; else its money cannot go back from here. */
static void say_possible(struct why *why, const struct venue_order *order, bool known, wall_t now)
{
    const char *events[16];
    struct buf list = {0};
    char at[UNTIL_TEXT];
    size_t count = rule_events("venue_order", order->base.state, ACTOR_OPERATOR, events, 16);
    for (size_t i = 0; i < count; i++) {
        const char *deed = deed_of(events[i]);
        if (deed && (known || strcmp(events[i], "refund") != 0))
            buf_printf(&list, "%s%s", list.bytes ? C_("list", ", ") : "", deed);
    }
    if (list.bytes > 0)
        say(why, _("Possible: %s."), buf_text(&list));
    else
        say(why, _("Nothing more happens to it."));
    buf_release(&list);
    wall_t free_until = venue_free_until(order, param_get(why->desk, PARAM_FREE_CANCEL));
    if (strcmp(order->base.state, "PAID") != 0)
        return;
    if (!known)
        say(why, _("Nothing here says how it was paid: its money cannot go back from here."));
    else if (order->moved_late)
        say(why, _("It was moved when cancelling was not free any more: cancelling needs a permission and a reason."));
    else if (now <= free_until)
        say(why, _("Cancelling is free until %s."), until_text(free_until, wall_day(now), at));
    else
        say(why, _("Cancelling was free until %s."), until_text(free_until, wall_day(now), at));
}

static enum fd_code read_now(struct db *db, wall_t *now, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_now, DB_NO_ARGS, &rows, err);
    if (code)
        return code;
    *now = db_next(rows) ? db_get_wall(rows, 0) : 0;
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code order_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct why *why = arg;
    struct venue_order *order;
    const char *who = "";
    char amount[FEN_TEXT];
    wall_t now = 0;
    int64_t left;
    bool known = true;
    buf_clear(&why->text);
    enum fd_code code = venue_order_find(db, why->number, why->arena, &order, err);
    if (code == FD_OK)
        code = read_now(db, &now, err);
    if (code == FD_OK)
        code = order_who(db, &order->base, why->arena, &who, err);
    if (code == FD_OK)
        code = back_left(db, &order->base, why->arena, &left, &known, err);
    if (code)
        return code;
    say(why, _("Order %s: %s, %s, ×%" PRId64 ", %s, %s."), order->base.order_no, order->base.customer,
        order_place_text(why->arena, order, DAY_NONE), order->base.quantity, fen_text(order->base.total_fen, amount),
        state_label("venue_order", order->base.state));
    say_state(why, order, now);
    if (who[0])
        say(why, _("It came into this state %s."), who);
    say_possible(why, order, known, now);
    return FD_OK;
}

enum fd_code why_order(struct desk *desk, const char *number, struct arena *arena, const char **text,
                       struct fd_error *err)
{
    struct why why = {.desk = desk, .arena = arena, .number = number};
    return why_run(&why, "why.order", order_txn, text, err);
}

/* Day ------------------------------------------------------------------------------------------------- */

static enum fd_code say_day_slots(struct db *db, struct why *why, struct fd_error *err)
{
    struct db_rows *rows;
    char date[DAY_TEXT];
    enum fd_code code = db_select(db, &q_day_slots, DB_ARGS(db_day("day", why->day)), &rows, err);
    if (code)
        return code;
    db_next(rows);
    int64_t places = db_get_int(rows, 0), sold = db_get_int(rows, 1), closed = db_get_int(rows, 3);
    say(why, _("%s %s: %" PRId64 " of %" PRId64 " places sold (%" PRId64 "%%), %" PRId64 " slots closed."),
        day_sql(why->day, date), day_weekday_name(why->day), sold, places, places > 0 ? sold * 100 / places : 0,
        closed);
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code say_day_states(struct db *db, struct why *why, struct fd_error *err)
{
    struct db_rows *rows;
    char amount[FEN_TEXT];
    enum fd_code code = db_select(db, &q_day_states, DB_ARGS(db_day("day", why->day)), &rows, err);
    if (code)
        return code;
    if (db_row_count(rows) == 0)
        say(why, _("No orders are for this day."));
    while (db_next(rows))
        say(why, _("%s: %" PRId64 " orders, %" PRId64 " places, %s."), state_label("venue_order", db_get_text(rows, 0)),
            db_get_int(rows, 1), db_get_int(rows, 2), fen_text(db_get_fen(rows, 3), amount));
    db_rows_close(&rows);
    return FD_OK;
}

const char *venue_channel_label(const char *channel)
{
    for (size_t i = 0; i < TENDER_COUNT; i++)
        if (strcmp(tenders[i].channel, channel) == 0)
            return i18n_label(tenders[i].label);
    return channel;
}

static enum fd_code say_day_money(struct db *db, struct why *why, struct fd_error *err)
{
    struct db_rows *rows;
    char amount[FEN_TEXT], count_text[24];
    int64_t total = 0;
    enum fd_code code = db_select(db, &q_day_money, DB_ARGS(db_day("day", why->day)), &rows, err);
    if (code)
        return code;
    struct buf list = {0};
    while (db_next(rows)) {
        int64_t fen = db_get_fen(rows, 2);
        total += fen;
        fit_printf(count_text, "%" PRId64, db_get_int(rows, 1));
        buf_printf(&list, "%s%s %s (%s)", list.bytes ? C_("list", ", ") : "",
                   venue_channel_label(row_text(rows, 0, why->arena)), fen_text(fen, amount), count_text);
    }
    db_rows_close(&rows);
    if (list.bytes > 0)
        say(why, _("Received on this day: %s: %s."), fen_text(total, amount), buf_text(&list));
    else
        say(why, _("No money was received on this day."));
    buf_release(&list);
    return FD_OK;
}

static enum fd_code say_day_back(struct db *db, struct why *why, struct fd_error *err)
{
    struct db_rows *rows;
    char amount[FEN_TEXT];
    enum fd_code code = db_select(db, &q_day_back, DB_ARGS(db_day("day", why->day)), &rows, err);
    if (code)
        return code;
    db_next(rows);
    if (db_get_int(rows, 0) > 0)
        say(why, _("Given back on this day: %s (%" PRId64 ")."), fen_text(db_get_fen(rows, 1), amount),
            db_get_int(rows, 0));
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code day_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct why *why = arg;
    buf_clear(&why->text);
    enum fd_code code = say_day_slots(db, why, err);
    if (code == FD_OK)
        code = say_day_states(db, why, err);
    if (code == FD_OK)
        code = say_day_money(db, why, err);
    return code ? code : say_day_back(db, why, err);
}

enum fd_code why_day(struct desk *desk, day_t day, struct arena *arena, const char **text, struct fd_error *err)
{
    struct why why = {.desk = desk, .arena = arena, .day = day};
    return why_run(&why, "why.day", day_txn, text, err);
}
