/* order_fire: the only writer of status columns. Rule, actor, reason, guard, conditional UPDATE, effects, log. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "core/op_internal.h"
#include "core/order.h"
#include "core/param.h"
#include "outside/tree.h"

/* What the online system opened for an order and nobody has seen the end of. */
DB_QUERY(q_online_codes, "order.online_codes", DB_VALUE,
         "SELECT COUNT(*) FROM payment_record WHERE order_no = :order_no AND status = 'CREATED' AND operator IS NULL");

#define DEAD_NEVER_MINUTES (10 * 366 * 24 * 60)

/* Source: domain section 1. */
static const struct {
    const char *event;
    struct order_needs needs;
} fire_needs[] = {
    {"expire", {true, true, true}},
    {"cancel", {true, false, false}},
};

struct order_needs order_needs(const char *event)
{
    for (size_t i = 0; i < sizeof fire_needs / sizeof *fire_needs && !FD_TOOTH("expire_condition"); i++)
        if (strcmp(fire_needs[i].event, event) == 0)
            return fire_needs[i].needs;
    return (struct order_needs){0};
}

int64_t order_dead_minutes(struct desk *desk)
{
    return config_text(desk->config, CONFIG_CHANNELS)[0] ? DEAD_NEVER_MINUTES
                                                         : param_get(desk, PARAM_CODE_DEAD_MINUTES);
}

/* A code that can still be paid is for the amount that stands there now. What the online system left open of an order
 * that has been paid says nothing any more. */
static struct order_needs needs_of(const struct order *order, const char *event, const struct order_set *set)
{
    struct order_needs needs = order_needs(event);
    bool waits = rule_find(order->kind->entity, order->state, "pay") != NULL;
    needs.dead = needs.dead || (set->total_fen != order->total_fen && (waits || order->live_codes > 0));
    return needs;
}

static enum fd_code wrong_state(struct op *op, const struct order *order, struct fd_error *err)
{
    const char *who;
    enum fd_code code = order_who(op_db(op), order, op_arena(op), &who, err);
    if (code != FD_OK)
        return code;
    const char *label = state_label(order->kind->entity, order->state);
    if (who[0])
        return fd_fail(err, FD_WRONG_STATE, _("Order %s is %s (%s)."), order->order_no, label, who);
    return fd_fail(err, FD_WRONG_STATE, _("Order %s is %s."), order->order_no, label);
}

static bool same_as_read(const struct order *read, const struct order *now)
{
    return read->place_id == now->place_id && read->quantity == now->quantity && read->total_fen == now->total_fen &&
           read->paid_fen == now->paid_fen;
}

/* The row was not as it was read: says what it is now, or asks for another run. */
static enum fd_code explain(struct op *op, const struct order *read, struct order_needs needs, struct fd_error *err)
{
    struct order *now;
    enum fd_code code = read->kind->load_id(op_db(op), read->id, op_arena(op), &now, err);
    if (code != FD_OK)
        return code;
    if (!now)
        return fd_fail(err, FD_NOT_FOUND, _("Order %s does not exist any more."), read->order_no);
    if (strcmp(now->state, read->state) != 0)
        return wrong_state(op, now, err);
    if (!same_as_read(read, now))
        return fd_fail(err, FD_RETRY, NULL);
    int64_t online = 0;
    if (needs.dead)
        code = db_value_int(op_db(op), &q_online_codes, DB_ARGS(db_text("order_no", now->order_no)), &online, err);
    if (code != FD_OK)
        return code;
    if (needs.dead && (now->live_codes > 0 || online > 0))
        return fd_fail(err, FD_LIVE_CODE, NULL);
    if (needs.unpaid && now->paid_fen > 0)
        return fd_fail(err, FD_REFUSED, _("Order %s is paid in part; it does not run out by itself."), read->order_no);
    if (needs.expired) {
        char text[WALL_TEXT];
        if (now->expire_time == WALL_NONE)
            return fd_fail(err, FD_TOO_EARLY, _("Order %s has no time to pay that could be over."), read->order_no);
        return fd_fail(err, FD_TOO_EARLY, _("Order %s may be paid until %s."), read->order_no,
                       wall_sql(now->expire_time, text));
    }
    return fd_fail(err, FD_RETRY, NULL);
}

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

static enum fd_code send_update(struct op *op, const struct order *order, const struct rule *rule,
                                const struct order_set *set, struct fd_error *err)
{
    const struct order_needs needs = needs_of(order, rule->event, set);
    const struct db_arg args[] = {
        db_text("new", rule->to),
        db_int("place", set->place_id),
        db_int("quantity", set->quantity),
        db_fen("total", set->total_fen),
        db_fen("paid", set->paid_fen),
        set->unit_price_fen < 0 ? db_null("unit_price") : db_fen("unit_price", set->unit_price_fen),
        db_int("venue", set->venue_id),
        db_day("day", set->day),
        db_minute("start", set->start_minute),
        db_minute("end", set->end_minute),
        db_wall("expire", set->expire_time),
        db_text("note", or_null(set->note)),
        db_text("cancel_reason", or_null(set->cancel_reason)),
        db_int("moved_late", set->moved_late),
        db_int("stamp_paid", set->now_paid),
        db_int("stamp_cancelled", set->now_cancelled),
        db_int("stamp_checked_in", set->now_checked_in),
        db_int("id", order->id),
        db_text("old", order->state),
        db_int("old_place", order->place_id),
        db_int("old_quantity", order->quantity),
        db_fen("old_total", order->total_fen),
        db_fen("old_paid", order->paid_fen),
        db_int("need_dead", needs.dead),
        db_int("need_unpaid", needs.unpaid),
        db_int("need_expired", needs.expired),
        db_int("dead_minutes", order_dead_minutes(op_desk(op))),
    };
    int64_t changed = 0;
    enum fd_code code = db_exec(op_db(op), order->kind->fire, args, sizeof args / sizeof *args, &changed, err);
    if (code != FD_OK)
        return code;
    return changed == 1 || FD_TOOTH("row_count") ? FD_OK : explain(op, order, needs, err);
}

static void put_change(struct tree *before, struct tree *after, const char *key, int64_t old, int64_t now)
{
    if (old == now)
        return;
    tree_put_int(before, key, old);
    tree_put_int(after, key, now);
}

static void put_change_text(struct tree *before, struct tree *after, const char *key, const char *old, const char *now)
{
    const char *a = old ? old : "", *b = now ? now : "";
    if (strcmp(a, b) == 0)
        return;
    tree_put_text(before, key, a);
    tree_put_text(after, key, b);
}

static const char *wall_or_empty(wall_t wall, char text[WALL_TEXT])
{
    return wall == WALL_NONE ? "" : wall_sql(wall, text);
}

static const char *day_or_empty(day_t day, char text[DAY_TEXT])
{
    return day == DAY_NONE ? "" : day_sql(day, text);
}

static const char *minute_or_empty(int minute, char text[HHMM_TEXT])
{
    return minute < 0 ? "" : minute_text(minute, text);
}

/* Only what changed besides the state, so that most rows carry no JSON at all. */
static void put_changes(struct tree *before, struct tree *after, const struct order_set *old,
                        const struct order_set *set)
{
    char a[WALL_TEXT], b[WALL_TEXT];
    put_change(before, after, "place", old->place_id, set->place_id);
    put_change(before, after, "quantity", old->quantity, set->quantity);
    put_change(before, after, "total_fen", old->total_fen, set->total_fen);
    put_change(before, after, "paid_fen", old->paid_fen, set->paid_fen);
    put_change(before, after, "unit_price_fen", old->unit_price_fen, set->unit_price_fen);
    put_change(before, after, "venue_id", old->venue_id, set->venue_id);
    put_change_text(before, after, "day", day_or_empty(old->day, a), day_or_empty(set->day, b));
    put_change_text(before, after, "start", minute_or_empty(old->start_minute, a),
                    minute_or_empty(set->start_minute, b));
    put_change_text(before, after, "end", minute_or_empty(old->end_minute, a), minute_or_empty(set->end_minute, b));
    put_change_text(before, after, "expire_time", wall_or_empty(old->expire_time, a),
                    wall_or_empty(set->expire_time, b));
    put_change_text(before, after, "note", old->note, set->note);
    put_change(before, after, "moved_late", old->moved_late, set->moved_late);
}

static void log_event(struct op *op, const struct order *order, const struct rule *rule, const struct order_set *set)
{
    struct order_set old;
    order_set_keep(order, &old);
    struct tree *before = tree_object(), *after = tree_object();
    put_changes(before, after, &old, set);
    char *before_text = tree_dump(before), *after_text = tree_dump(after);
    bool changed = strcmp(before_text, after_text) != 0;
    op->firing = op_log_open(op, &(struct log_entry){
                                     .entity = order->kind->entity,
                                     .entity_no = order->order_no,
                                     .event = rule->event,
                                     .state_before = rule->from,
                                     .state_after = rule->to,
                                     .has_amount_change = set->total_fen != order->total_fen,
                                     .amount_change_fen = set->total_fen - order->total_fen,
                                     .reason = or_null(op_reason(op)) ? NULL : or_null(set->cancel_reason),
                                     .before = changed ? before_text : NULL,
                                     .after = changed ? after_text : NULL,
                                 });
    free(before_text);
    free(after_text);
    tree_free(&before);
    tree_free(&after);
}

void order_log_stock(struct op *op, int64_t schedule_id, int64_t change)
{
    FD_ASSERT(op->firing);
    struct log_entry *entry = &op->firing->entry;
    if (entry->schedule_id == 0) {
        entry->schedule_id = schedule_id;
        entry->stock_change = change;
        return;
    }
    struct log_entry more = *entry;
    more.schedule_id = schedule_id;
    more.stock_change = change;
    more.has_amount_change = false;
    more.before = more.after = NULL;
    op_log(op, &more);
}

/* The caller's snapshot becomes what the row is now. */
static void take_over(struct op *op, struct order *order, const struct rule *rule, const struct order_set *set)
{
    cut_copy(order->state, sizeof order->state, rule->to);
    order->place_id = set->place_id;
    order->quantity = set->quantity;
    order->total_fen = set->total_fen;
    order->paid_fen = set->paid_fen;
    order->expire_time = set->expire_time;
    order->note = set->note ? set->note : "";
    order->cancel_reason = set->cancel_reason ? set->cancel_reason : "";
    if (set->now_paid)
        order->paid_time = op->now;
    if (set->now_cancelled)
        order->cancel_time = op->now;
    if (set->now_checked_in)
        order->check_in_time = op->now;
    order->version++;
    if (order->kind->follow)
        order->kind->follow(order, set);
}

static enum fd_code check_rule(struct op *op, const struct order *order, const struct rule *rule,
                               const struct order_set *set, struct fd_error *err)
{
    if (!rule)
        return wrong_state(op, order, err);
    if (!(rule->actors & op_actor(op)) && !FD_TOOTH("rule_actors"))
        return fd_fail(err, FD_NO_PERMISSION, _("“%s” of an order is not yours to do."), event_label(rule->event));
    if (rule->reason_needed && !or_null(op_reason(op)) && !or_null(set->cancel_reason))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    return FD_OK;
}

enum fd_code order_fire(struct op *op, struct order *order, const char *event, const struct order_set *set,
                        struct fd_error *err)
{
    const struct order_kind *kind = order->kind;
    const struct rule *rule = rule_find(kind->entity, order->state, event);
    struct order_set final = *set;
    enum fd_code code = check_rule(op, order, rule, set, err);
    if (code == FD_OK && kind->guard)
        code = kind->guard(op, order, event, &final, err);
    if (code == FD_OK)
        code = send_update(op, order, rule, &final, err);
    if (code != FD_OK)
        return code;
    FD_POINT("order_fired");
    log_event(op, order, rule, &final);
    if (kind->effect)
        code = kind->effect(op, order, event, &final, rule->to, err);
    op->firing = NULL;
    if (code == FD_OK)
        take_over(op, order, rule, &final);
    return code;
}
