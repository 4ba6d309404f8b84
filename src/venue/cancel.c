/* Ending an order: cancelled while it waits, refunded after it was paid, run out, not come. Source: domain sections 1.1
 * and 2. */
#include "base/log.h"
#include "base/text.h"
#include "core/param.h"
#include "money/code.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* By (status, expire_time); the oldest first. */
DB_QUERY(q_expire_due, "sweep.expire_due", DB_ROWS,
         "SELECT o.id FROM reserve_order o WHERE " RUN_OUT_HOLD " ORDER BY o.expire_time LIMIT :most");
/* By (status, schedule_date). */
DB_QUERY(q_miss_due, "sweep.miss_due", DB_ROWS,
         "SELECT o.id FROM reserve_order o WHERE o.status = 'PAID' AND o.schedule_date <= CURDATE() "
         "AND TIMESTAMP(o.schedule_date, o.end_time) + INTERVAL :grace MINUTE < NOW() "
         "ORDER BY o.schedule_date, o.id LIMIT :most");

struct cancel_arg {
    const char *number;
    const struct back *back;
};

/* What is not possible is said before anything is locked; the guard and the rule engine's UPDATE decide. */
static enum fd_code may_cancel(struct op *op, const struct venue_order *order, struct fd_error *err)
{
    bool may = false;
    wall_t now;
    if (strcmp(order->base.state, "PENDING_PAY") == 0)
        return FD_OK;
    if (strcmp(order->base.state, "PAID") != 0)
        return wrong_state(op_db(op), order, op_arena(op), err);
    enum fd_code code = op_now(op, &now, err);
    if (code || now < wall_at(order->day, order->start_minute))
        return code;
    code = op_may(op, "refund_late", &may, err);
    if (code || may)
        return code;
    return fd_fail(err, FD_TOO_LATE, _("%s has begun already."), order_place_text(op_arena(op), order, wall_day(now)));
}

static enum fd_code cancel_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct cancel_arg *cancel = arg;
    struct venue_order *order;
    struct backed backed = {0};
    enum fd_code code = venue_order_find(op_db(op), cancel->number, op_arena(op), &order, err);
    if (code == FD_OK)
        code = may_cancel(op, order, err);
    if (code)
        return code;
    bool paid = strcmp(order->base.state, "PAID") == 0;
    code = paid ? back_whole_in(op, &order->base, cancel->back, &backed, err)
                : back_cancel_in(op, &order->base, cancel->back, &backed, err);
    if (code)
        return code;
    cut_copy(backed.state, sizeof backed.state, order->base.state);
    struct tree *tree = backed_tree(&backed);
    char *json = tree_dump(tree);
    op_result(op, json);
    free(json);
    tree_free(&tree);
    return FD_OK;
}

enum fd_code venue_cancel_with(struct desk *desk, const char *key, const char *number, const struct back *back,
                               const char *reason, struct backed *backed, struct fd_error *err)
{
    static const struct back plain = {.kind = BACK_WHOLE};
    struct arena arena = {0};
    struct cancel_arg arg = {.number = number, .back = back ? back : &plain};
    char *result = NULL;
    /* The approval is not content: a request that was refused for want of one goes on with it. */
    bool plainly = !arg.back->in_cash && !arg.back->reference;
    struct op_spec spec = {.action = "order.cancel",
                           .key = key,
                           .content = plainly ? number
                                              : arena_printf(&arena, "%s\x1f%d\x1f%s", number, arg.back->in_cash,
                                                             arg.back->reference ? arg.back->reference : ""),
                           .reason = reason,
                           .apply = cancel_apply};
    enum fd_code code =
        back_run_op(&(struct back_run){.desk = desk, .number = number}, &spec, &arg, &result, NULL, err);
    if (code == FD_OK && backed) {
        struct tree *tree = tree_parse(result);
        backed_from_tree(tree, backed);
        tree_free(&tree);
    }
    free(result);
    arena_release(&arena);
    return code;
}

enum fd_code venue_cancel(struct desk *desk, const char *key, const char *number, const char *reason,
                          int64_t *refunded_fen, struct fd_error *err)
{
    struct backed backed = {0};
    enum fd_code code = venue_cancel_with(desk, key, number, NULL, reason, &backed, err);
    if (code == FD_OK && refunded_fen)
        *refunded_fen = backed.cash_fen;
    return code;
}

/* One event on one order, by the worker or on a booking's behalf -------------------------------------- */

struct one_arg {
    int64_t order_id;
    const char *event;
    bool done;
};

static enum fd_code one_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct one_arg *one = arg;
    struct order *order;
    struct order_set set;
    one->done = false;
    enum fd_code code = venue_kind.load_id(op_db(op), one->order_id, op_arena(op), &order, err);
    if (code || !order)
        return code;
    order_set_keep(order, &set);
    if (strcmp(one->event, "expire") == 0) {
        set.now_cancelled = true;
        set.cancel_reason = "expired";
    }
    code = order_fire(op, order, one->event, &set, err);
    one->done = code == FD_OK;
    return code;
}

/* Somebody was faster, or it is not due any more: not this caller's trouble. */
static bool was_overtaken(enum fd_code code)
{
    return code == FD_WRONG_STATE || code == FD_TOO_EARLY || code == FD_LIVE_CODE || code == FD_REFUSED ||
           code == FD_NOT_FOUND;
}

static enum fd_code fire_one(struct desk *desk, int64_t order_id, const char *action, const char *event, bool *done,
                             struct fd_error *err)
{
    struct one_arg arg = {.order_id = order_id, .event = event};
    struct fd_error local = {0};
    struct op_spec spec = {.action = action, .apply = one_apply, .no_permission = true, .no_request = true};
    enum fd_code code = op_run(desk, &spec, &arg, NULL, NULL, &local);
    *done = code == FD_OK && arg.done;
    if (was_overtaken(code)) {
        log_line(LOG_DEBUG, "%s #%" PRId64 ": %s", event, order_id, local.message);
        return FD_OK;
    }
    if (code && err)
        *err = local;
    return code;
}

enum fd_code venue_expire(struct desk *desk, int64_t order_id, bool *done, struct fd_error *err)
{
    return fire_one(desk, order_id, "order.expire", "expire", done, err);
}

struct due_read {
    struct db_query *query;
    struct db_arg arg;
    int64_t most;
    struct arena *arena;
    int64_t *ids;
    size_t count;
};

static enum fd_code due_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct due_read *read = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, read->query, DB_ARGS(read->arg, db_int("most", read->most)), &rows, err);
    if (code)
        return code;
    read->ids = arena_array(read->arena, db_row_count(rows) + 1, sizeof *read->ids);
    read->count = 0;
    while (db_next(rows))
        read->ids[read->count++] = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

/* One order that cannot be ended must not keep the others: the first such error is returned at the end. */
static enum fd_code fire_due(struct desk *desk, struct due_read *read, const char *action, const char *event,
                             int64_t *done, struct fd_error *err)
{
    struct arena arena = {0};
    read->arena = &arena;
    *done = 0;
    enum fd_code code = desk_read(desk, action, due_txn, read, err);
    for (size_t i = 0; i < read->count; i++) {
        bool one = false;
        struct fd_error local = {0};
        enum fd_code this_code = fire_one(desk, read->ids[i], action, event, &one, &local);
        *done += one;
        if (this_code && code == FD_OK) {
            code = this_code;
            if (err)
                *err = local;
        }
        if (this_code == FD_DB_DOWN)
            break;
    }
    arena_release(&arena);
    return code;
}

enum fd_code venue_expire_due(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    struct due_read read = {
        .query = &q_expire_due, .arg = db_int("dead", order_dead_minutes(desk)), .most = (int64_t)most};
    return fire_due(desk, &read, "order.expire", "expire", done, err);
}

enum fd_code venue_miss_due(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    struct due_read read = {
        .query = &q_miss_due, .arg = db_int("grace", param_get(desk, PARAM_MISS_GRACE)), .most = (int64_t)most};
    return fire_due(desk, &read, "order.miss", "miss", done, err);
}
