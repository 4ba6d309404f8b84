/* Check-in: from an hour before the start to the end; whoever cannot go in is told why. Source:
 * domain section 2. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Orders around today of customers whose phone ends in :tail, or whose number does. */
DB_QUERY(
    q_by_tail, "check_in.by_tail", DB_ROWS,
    "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM t_user t JOIN reserve_order o ON o.user_id = t.id" ORDER_JOINS
    "WHERE t.phone_tail = :tail AND o.schedule_date BETWEEN CURDATE() - INTERVAL 1 DAY AND CURDATE() + INTERVAL 1 DAY "
    "AND o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW') "
    "UNION SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o" ORDER_JOINS
    "WHERE o.order_no_rev LIKE :rev ESCAPE '|' "
    "AND o.schedule_date BETWEEN CURDATE() - INTERVAL 1 DAY AND CURDATE() + INTERVAL 1 DAY "
    "AND o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW')");

enum fd_code check_in_window(struct desk *desk, const struct venue_order *order, wall_t now, struct fd_error *err)
{
    struct arena arena = {0};
    char at[UNTIL_TEXT], amount[FEN_TEXT];
    wall_t start = wall_at(order->day, order->start_minute), end = wall_at(order->day, order->end_minute);
    wall_t opens = start - 60 * param_get(desk, PARAM_CHECK_IN_BEFORE);
    day_t today = wall_day(now);
    enum fd_code code = FD_OK;
    if (now >= opens && now < end) {
        if (order->base.due_fen > 0)
            code = fd_fail(err, FD_UNPAID, _("Order %s still owes %s."), order->base.order_no,
                           fen_text(order->base.due_fen, amount));
        return code;
    }
    const char *place = order_place_text(&arena, order, today);
    if (order->day != today && wall_day(opens) != today && wall_day(end) != today)
        code = fd_fail(err, FD_WRONG_DAY, _("%s (%s) is not today."), place, day_weekday_name(order->day));
    else if (now < opens)
        code = fd_fail(err, FD_TOO_EARLY, _("%s: check-in opens at %s."), place, until_text(opens, today, at));
    else
        code = fd_fail(err, FD_TOO_LATE, _("%s is over since %s."), place, until_text(end, today, at));
    arena_release(&arena);
    return code;
}

/* The state's own message; the window is the guard's. */
static enum fd_code may_check_in(struct op *op, const struct venue_order *order, struct fd_error *err)
{
    const struct order *base = &order->base;
    char amount[FEN_TEXT], at[UNTIL_TEXT];
    const char *who = "";
    wall_t now;
    if (strcmp(base->state, "PAID") == 0)
        return FD_OK;
    if (strcmp(base->state, "PENDING_PAY") == 0)
        return fd_fail(err, FD_UNPAID, _("Order %s is not paid: %s is owed."), base->order_no,
                       fen_text(base->total_fen - base->paid_fen, amount));
    enum fd_code code = op_now(op, &now, err);
    if (code || strcmp(base->state, "COMPLETED") != 0 || base->check_in_time == WALL_NONE)
        return code ? code : wrong_state(op_db(op), order, op_arena(op), err);
    code = order_who(op_db(op), base, op_arena(op), &who, err);
    if (code)
        return code;
    return fd_fail(err, FD_WRONG_STATE, _("Order %s went in already at %s (%s)."), base->order_no,
                   until_text(base->check_in_time, wall_day(now), at), who);
}

static bool may_go_in_now(struct desk *desk, const struct venue_order *order, wall_t now)
{
    return strcmp(order->base.state, "PAID") == 0 && check_in_window(desk, order, now, NULL) == FD_OK;
}

static enum fd_code ambiguous(struct op *op, struct venue_order **orders, size_t count, wall_t now,
                              struct fd_error *err)
{
    struct buf list = {0};
    for (size_t i = 0; i < count && i < 5; i++)
        buf_printf(&list, "%s%s %s %s", i ? C_("list", ", ") : "", number_tail(orders[i]->base.order_no),
                   order_place_text(op_arena(op), orders[i], wall_day(now)), orders[i]->base.customer);
    if (count > 5)
        buf_add(&list, ", …");
    fd_fail(err, FD_AMBIGUOUS, _("Several orders: %s"), buf_text(&list));
    fd_hint(err, _("Give the end of the order's number."));
    buf_release(&list);
    return FD_AMBIGUOUS;
}

static bool is_of_today(struct desk *desk, const struct venue_order *order, wall_t now)
{
    (void)desk;
    return order->day == wall_day(now) && strcmp(order->base.state, "NO_SHOW") != 0;
}

typedef bool order_test(struct desk *desk, const struct venue_order *order, wall_t now);

/* Those that may go in now; where there is none, those of today, whose refusal says why; else the only one. */
static size_t best_of(struct op *op, struct venue_order *rows, size_t count, wall_t now, struct venue_order **best)
{
    static order_test *const tests[] = {may_go_in_now, is_of_today};
    size_t kept = 0;
    for (size_t test = 0; kept == 0 && test < sizeof tests / sizeof tests[0]; test++)
        for (size_t i = 0; i < count; i++)
            if (tests[test](op_desk(op), &rows[i], now))
                best[kept++] = &rows[i];
    if (kept == 0 && count == 1)
        best[kept++] = &rows[0];
    return kept;
}

static enum fd_code find_by_tail(struct op *op, const char *tail, struct venue_order **order, struct fd_error *err)
{
    struct db_rows *rows;
    wall_t now;
    char rev[8];
    fit_printf(rev, "%c%c%c%c%%", tail[3], tail[2], tail[1], tail[0]);
    *order = NULL;
    enum fd_code code = op_now(op, &now, err);
    if (code == FD_OK)
        code = db_select(op_db(op), &q_by_tail, DB_ARGS(db_text("tail", tail), db_text("rev", rev)), &rows, err);
    if (code)
        return code;
    size_t count;
    struct venue_order *found = venue_order_rows(rows, op_arena(op), true, &count);
    db_rows_close(&rows);
    struct venue_order **best = arena_array(op_arena(op), count + 1, sizeof *best);
    size_t kept = best_of(op, found, count, now, best);
    if (kept > 1)
        return ambiguous(op, best, kept, now, err);
    if (kept == 1)
        *order = best[0];
    return FD_OK;
}

static enum fd_code find_order(struct op *op, const char *text, struct venue_order **order, struct fd_error *err)
{
    char folded[64];
    *order = NULL;
    if (text_fold(folded, sizeof folded, text) && strlen(folded) == 4 && text_is_digits(folded)) {
        enum fd_code code = find_by_tail(op, folded, order, err);
        if (code || *order)
            return code;
    }
    return venue_order_find(op_db(op), text, op_arena(op), order, err);
}

struct check_in_arg {
    const char *number;
};

static const char *answer(struct op *op, const struct venue_order *order, wall_t now)
{
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    int64_t late = (now - wall_at(order->day, order->start_minute)) / 60;
    struct tree *tree = tree_object();
    tree_put_text(tree, "order_no", order->base.order_no);
    tree_put_text(tree, "venue", order->venue);
    tree_put_text(tree, "customer", order->base.customer);
    tree_put_text(tree, "date", day_sql(order->day, date));
    tree_put_text(tree, "start", minute_text(order->start_minute, start));
    tree_put_text(tree, "end", minute_text(order->end_minute, end));
    tree_put_int(tree, "late_minutes", late > 0 ? late : 0);
    char *json = tree_dump(tree);
    const char *copy = arena_str(op_arena(op), json);
    free(json);
    tree_free(&tree);
    return copy;
}

static enum fd_code check_in_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct check_in_arg *asked = arg;
    struct venue_order *order;
    struct order_set set;
    wall_t now;
    enum fd_code code = find_order(op, asked->number, &order, err);
    if (code == FD_OK)
        code = may_check_in(op, order, err);
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code)
        return code;
    order_set_keep(&order->base, &set);
    code = order_fire(op, &order->base, "check_in", &set, err);
    if (code == FD_OK)
        op_result(op, answer(op, order, now));
    return code;
}

static int minute_of(const struct tree *tree, const char *key)
{
    char time[16];
    int minute = 0;
    const char *text = tree_get_text(tree, key);
    snprintf(time, sizeof time, "%.5s:00", text ? text : "");
    minute_from_sql(time, &minute);
    return minute;
}

enum fd_code venue_check_in(struct desk *desk, const char *key, const char *number, struct arena *arena,
                            struct checked_in *in, struct fd_error *err)
{
    struct check_in_arg arg = {.number = number};
    char *result = NULL;
    struct op_spec spec = {.action = "order.check-in", .key = key, .content = number, .apply = check_in_apply};
    enum fd_code code = op_run(desk, &spec, &arg, &result, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(result);
        const char *date = tree_get_text(tree, "date");
        *in = (struct checked_in){.order_no = arena_str(arena, tree_get_text(tree, "order_no")),
                                  .venue = arena_str(arena, tree_get_text(tree, "venue")),
                                  .customer = arena_str(arena, tree_get_text(tree, "customer")),
                                  .start_minute = minute_of(tree, "start"),
                                  .end_minute = minute_of(tree, "end"),
                                  .day = DAY_NONE,
                                  .late_minutes = (int)tree_get_int(tree, "late_minutes")};
        day_from_sql(date ? date : "", &in->day);
        tree_free(&tree);
    }
    free(result);
    return code;
}
