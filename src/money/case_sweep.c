/* The worker's part of cases: opens what nobody opened, and ends what settled itself. */
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "core/param.h"
#include "money/case_internal.h"
#include "money/pay_internal.h"
#include "outside/channel.h"

/* By (status, channel, asked_at): a code of ours whose time is over for so long, and nobody knows what became of it. */
DB_QUERY(q_unknown, "case.sweep_unknown", DB_ROWS,
         "SELECT p.order_no, (SELECT MIN(a.order_no) FROM pay_allocation a WHERE a.payment_id = p.id), p.id, 0, "
         "p.amount, p.channel FROM payment_record p WHERE p.status = 'CREATED' AND p.operator IS NOT NULL "
         "AND p.code_until < NOW() - INTERVAL :minutes MINUTE "
         "AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.kind = 'UNKNOWN' AND c.subject = p.order_no "
         "AND (c.status <> 'CLOSED' OR c.closed_at > NOW() - INTERVAL 1 DAY)) ORDER BY p.id LIMIT :most");
/* Sent, and never answered. */
DB_QUERY(q_unanswered, "case.sweep_unanswered", DB_ROWS,
         "SELECT r.refund_no, r.order_no, 0, r.id, r.amount, r.channel FROM refund_record r "
         "WHERE r.status = 'CREATED' AND r.channel IN ('WECHAT', 'ALIPAY') "
         "AND r.sent_at < NOW() - INTERVAL :minutes MINUTE "
         "AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.kind IN ('UNKNOWN', 'REFUND') "
         "AND c.subject = r.refund_no AND (c.status <> 'CLOSED' OR c.closed_at > NOW() - INTERVAL 1 DAY)) "
         "ORDER BY r.id LIMIT :most");
/* Whoever confirms or rejects a tender sets asked_at, so that this range has the others alone. */
DB_QUERY(q_unconfirmed, "case.sweep_unconfirmed", DB_ROWS,
         "SELECT p.payment_no, (SELECT MIN(a.order_no) FROM pay_allocation a WHERE a.payment_id = p.id), p.id, 0, "
         "p.amount, CONCAT(p.channel, ' ', COALESCE(p.reference, '')) FROM payment_record p "
         "WHERE p.status = 'SUCCESS' AND p.channel IN ('TRANSFER', 'STATIC', 'VOUCHER') AND p.asked_at IS NULL "
         "AND p.confirmed_at IS NULL AND p.operator IS NOT NULL AND p.payment_no IS NOT NULL "
         "AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.kind = 'CONFIRM' AND c.subject = p.payment_no "
         "AND c.status <> 'CLOSED') ORDER BY p.id LIMIT :most");
/* What is open though its trouble is over: the outcome came, the tender was looked at, the refund arrived (or goes on
 * as a case of its own), or the money left by another door. A case that began with the refund's end or later is about
 * what went back though nobody wanted it any more. */
DB_QUERY(q_over, "case.sweep_over", DB_ROWS,
         "SELECT c.kind, c.subject, CASE WHEN r.status = 'SUCCESS' THEN 'refunded' ELSE 'settled' END, "
         "CASE WHEN c.kind <> 'UNKNOWN' OR c.refund_id IS NOT NULL THEN NULL WHEN p.status = 'SUCCESS' THEN 'it was "
         "paid' WHEN p.channel_return_code = 'CLOSED' THEN 'the channel closed it' WHEN p.channel_return_code = "
         "'NOT_FOUND' THEN 'the channel has no such order, and its time is over' ELSE p.channel_return_code END "
         "FROM money_case c LEFT JOIN payment_record p ON p.id = c.payment_id "
         "LEFT JOIN refund_record r ON r.id = c.refund_id WHERE c.status IN ('OPEN', 'TAKEN') AND ("
         "(c.kind = 'UNKNOWN' AND c.refund_id IS NULL AND p.status <> 'CREATED') "
         "OR (c.kind = 'UNKNOWN' AND c.refund_id IS NOT NULL AND r.status <> 'CREATED') "
         "OR (c.kind = 'CONFIRM' AND (p.status <> 'SUCCESS' OR p.confirmed_at IS NOT NULL)) "
         "OR (c.kind IN ('REFUND', 'BY_HAND') AND r.status = 'SUCCESS' AND c.created_at < r.finished_at) "
         "OR (c.kind IN ('LATE', 'SURPLUS', 'PART_PAID') AND c.refund_id IS NOT NULL "
         "AND r.status NOT IN ('CREATED', 'PROCESSING')) "
         "OR (c.kind IN ('LATE', 'SURPLUS') AND c.refund_id IS NULL AND (p.refunded_amount >= p.amount "
         "OR (SELECT SUM(y.amount) FROM money_case y WHERE y.payment_id = c.payment_id AND y.order_no = c.order_no "
         "AND y.kind IN ('LATE', 'SURPLUS') AND NOT (y.status = 'CLOSED' AND y.outcome = 'moved')) "
         "<= (SELECT COALESCE(SUM(x.amount), 0) FROM refund_record x WHERE x.payment_id = c.payment_id "
         "AND x.order_no = c.order_no AND x.kind = 'AMOUNT' AND (x.status <> 'FAILED' OR x.owed = 1))))) "
         "ORDER BY c.id LIMIT :most");
DB_QUERY(q_part_open, "case.sweep_part_open", DB_ROWS,
         "SELECT c.subject FROM money_case c WHERE c.status IN ('OPEN', 'TAKEN') AND c.kind = 'PART_PAID' "
         "AND c.refund_id IS NULL ORDER BY c.id LIMIT 500");

#define CLOCK_BYTES 200

/* One thing to do to the list. */
struct task {
    struct case_new fresh; /* to open; or kind and subject of what is over */
    const char *outcome;   /* NULL: open */
    const char *reason;    /* with an outcome: what is known of the cause; NULL: nothing */
};
struct tasks {
    struct desk *desk;
    struct arena *arena;
    int64_t minutes;
    int64_t most;
    struct task *list;
    size_t count;
};

static struct task *next_task(struct tasks *tasks)
{
    return tasks->count < (size_t)tasks->most ? &tasks->list[tasks->count++] : NULL;
}

/* Whoever asked it in this process knows what its clock says. */
static const char *silence_cause(const struct desk *desk, const char *name)
{
    enum channel_id id = channel_from_name(name);
    const struct channel *channel = id == CHANNEL_COUNT ? NULL : channels_get(desk->channels, id);
    char text[CLOCK_BYTES];
    return channel && channel_clock(channel, text, sizeof text)[0]
               ? N_("the channel's answers are not believed: its clock and this machine's differ")
               : N_("the channel does not say what became of it");
}

static enum fd_code find_new(struct db *db, struct tasks *tasks, struct db_query *query, enum case_kind kind,
                             struct fd_error *err)
{
    const struct db_arg args[] = {db_int("most", tasks->most), db_int("minutes", tasks->minutes)};
    struct db_rows *rows;
    struct task *task;
    enum fd_code code = db_select(db, query, args, kind == CASE_CONFIRM ? 1 : 2, &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows) && (task = next_task(tasks)))
        *task =
            (struct task){.fresh = {.kind = kind,
                                    .subject = arena_str(tasks->arena, db_get_text(rows, 0)),
                                    .order_no = arena_str(tasks->arena, db_get_text(rows, 1)),
                                    .payment_id = db_get_int(rows, 2),
                                    .refund_id = db_get_int(rows, 3),
                                    .amount_fen = db_get_fen(rows, 4),
                                    .cause = kind == CASE_CONFIRM ? arena_str(tasks->arena, db_get_text(rows, 5))
                                                                  : silence_cause(tasks->desk, db_get_text(rows, 5))}};
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code find_part_paid(struct db *db, struct tasks *tasks, struct db_query *query, struct fd_error *err)
{
    struct db_rows *rows;
    struct task *task;
    enum fd_code code = db_select(db, query, DB_ARGS(db_int("most", tasks->most)), &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows) && (task = next_task(tasks))) {
        const char *number = arena_str(tasks->arena, db_get_text(rows, 0));
        *task = (struct task){.fresh = {.kind = CASE_PART_PAID,
                                        .subject = number,
                                        .order_no = number,
                                        .amount_fen = db_get_fen(rows, 1),
                                        .cause = N_("its time to pay is over")}};
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code find_over(struct db *db, struct tasks *tasks, struct fd_error *err)
{
    struct db_rows *rows;
    struct task *task;
    enum fd_code code = db_select(db, &q_over, DB_ARGS(db_int("most", tasks->most)), &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows) && (task = next_task(tasks)))
        *task = (struct task){.fresh = {.kind = case_kind_from_name(db_get_text(rows, 0)),
                                        .subject = arena_str(tasks->arena, db_get_text(rows, 1))},
                              .outcome = arena_str(tasks->arena, db_get_text(rows, 2)),
                              .reason = db_is_null(rows, 3) ? NULL : arena_str(tasks->arena, db_get_text(rows, 3))};
    db_rows_close(&rows);
    return FD_OK;
}

/* The rest was taken, or the part went back. */
static enum fd_code find_part_over(struct db *db, struct tasks *tasks, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_part_open, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    while (code == FD_OK && db_next(rows)) {
        struct order *order;
        struct task *task;
        code = case_order(db, db_get_text(rows, 0), tasks->arena, &order, err);
        bool over = code == FD_OK && (!order || !order_waits(order) || order->paid_fen == 0);
        if (over && (task = next_task(tasks)))
            *task = (struct task){
                .fresh = {.kind = CASE_PART_PAID, .subject = arena_str(tasks->arena, db_get_text(rows, 0))},
                .outcome = "settled"};
    }
    db_rows_close(&rows);
    return code;
}

static enum fd_code find_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct tasks *tasks = arg;
    const struct order_kind *const *kinds;
    size_t kind_count = order_kinds(&kinds);
    tasks->list = arena_array(tasks->arena, (size_t)tasks->most + 1, sizeof *tasks->list);
    tasks->count = 0;
    enum fd_code code = find_over(db, tasks, err);
    if (code == FD_OK)
        code = find_part_over(db, tasks, err);
    for (size_t i = 0; i < kind_count && code == FD_OK; i++)
        if (kinds[i]->part_paid)
            code = find_part_paid(db, tasks, kinds[i]->part_paid, err);
    if (code == FD_OK)
        code = find_new(db, tasks, &q_unknown, CASE_UNKNOWN, err);
    if (code == FD_OK)
        code = find_new(db, tasks, &q_unanswered, CASE_UNKNOWN, err);
    if (code == FD_OK)
        code = find_new(db, tasks, &q_unconfirmed, CASE_CONFIRM, err);
    return code;
}

static enum fd_code task_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct task *task = arg;
    return task->outcome ? case_settle_in(op, task->fresh.kind, task->fresh.subject, task->outcome, err)
                         : case_open_in(op, &task->fresh, err);
}

enum fd_code cases_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    struct arena arena = {0};
    struct tasks tasks = {
        .desk = desk, .arena = &arena, .minutes = param_get(desk, PARAM_CASE_UNKNOWN_MINUTES), .most = (int64_t)most};
    *done = 0;
    enum fd_code code = desk_read(desk, "case.sweep", find_txn, &tasks, err);
    for (size_t i = 0; code == FD_OK && i < tasks.count; i++) {
        const struct op_spec spec = {.action = tasks.list[i].outcome ? "case.settle" : "case.open",
                                     .apply = task_apply,
                                     .reason = tasks.list[i].reason,
                                     .no_permission = true,
                                     .no_request = true};
        if (tasks.list[i].fresh.kind == CASE_KIND_COUNT)
            continue;
        code = op_run(desk, &spec, &tasks.list[i], NULL, NULL, err);
        *done += code == FD_OK;
    }
    arena_release(&arena);
    return code;
}
