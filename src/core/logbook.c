/* Pages of the operation log, each by an index: of one order, of one operator, or of a time. */
#include "core/logbook.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/order.h"

#define LOG_COLUMNS                                                                                                    \
    "id, logged_at, operator, role, terminal, action, entity, entity_no, event, state_before, state_after, "           \
    "schedule_id, "                                                                                                    \
    "stock_change, amount_change, reason, before_values, after_values, request_key, run_id"
/* The page ends before (:until, :after): written out, the row form is not used as a range. */
#define LOG_PAGE                                                                                                       \
    "logged_at >= :from AND logged_at <= :until AND (logged_at < :until OR id < :after) "                              \
    "AND (:action IS NULL OR action = :action) ORDER BY logged_at DESC, id DESC LIMIT :most"
DB_QUERY(q_of_order, "log.of_order", DB_ROWS,
         "SELECT " LOG_COLUMNS " FROM operation_log WHERE entity = :entity AND entity_no = :number "
         "AND (:operator IS NULL OR operator = :operator) AND " LOG_PAGE);
DB_QUERY(q_of_operator, "log.of_operator", DB_ROWS,
         "SELECT " LOG_COLUMNS " FROM operation_log WHERE operator = :operator AND " LOG_PAGE);
DB_QUERY(q_of_time, "log.of_time", DB_ROWS, "SELECT " LOG_COLUMNS " FROM operation_log WHERE " LOG_PAGE);
DB_QUERY(q_after, "log.after", DB_ROW, "SELECT logged_at FROM operation_log WHERE id = :id");
DB_QUERY(q_done_to, "log.done_to", DB_ROWS,
         "SELECT entity_no FROM operation_log WHERE request_key = :key AND action = :action ORDER BY id LIMIT 1");
DB_QUERY(q_today, "log.today", DB_VALUE, "SELECT CURDATE()");

#define MOST_DEFAULT 50
#define MOST_EVER    501 /* a page of 500, and the row that tells that there are more */
#define ACTION_DAYS  31

struct reading {
    const struct log_filter *filter;
    struct arena *arena;
    wall_t from, until;
    int64_t after;
    struct log_row *rows;
    size_t count;
};

static const char *keep(struct arena *arena, const struct db_rows *rows, unsigned column)
{
    return text_clean_arena(arena, db_get_text(rows, column));
}

static void read_row(struct arena *arena, const struct db_rows *rows, struct log_row *row)
{
    row->id = db_get_int(rows, 0);
    row->at = db_get_wall(rows, 1);
    row->operator= keep(arena, rows, 2);
    row->role = keep(arena, rows, 3);
    row->terminal = keep(arena, rows, 4);
    row->action = keep(arena, rows, 5);
    row->entity = keep(arena, rows, 6);
    row->entity_no = keep(arena, rows, 7);
    row->event = keep(arena, rows, 8);
    row->state_before = keep(arena, rows, 9);
    row->state_after = keep(arena, rows, 10);
    row->schedule_id = db_get_int(rows, 11);
    row->has_stock = !db_is_null(rows, 12);
    row->stock_change = db_get_int(rows, 12);
    row->has_amount = !db_is_null(rows, 13);
    row->amount_change_fen = db_get_fen(rows, 13);
    row->reason = keep(arena, rows, 14);
    row->before = keep(arena, rows, 15);
    row->after = keep(arena, rows, 16);
    row->key = keep(arena, rows, 17);
    row->run_id = keep(arena, rows, 18);
}

static enum fd_code find_start(struct db *db, struct reading *reading, struct fd_error *err)
{
    const struct log_filter *filter = reading->filter;
    enum fd_code code = FD_OK;
    reading->from = wall_at(filter->from == DAY_NONE ? day_of(1970, 1, 1) : filter->from, 0);
    reading->until = filter->to == DAY_NONE ? wall_at(day_of(9999, 12, 31), 0) : wall_at(filter->to + 1, 0);
    reading->after = 0;
    if (filter->action && !filter->order && filter->from == DAY_NONE) {
        const char *text;
        day_t today;
        code = db_value_text(db, &q_today, DB_NO_ARGS, reading->arena, &text, err);
        if (code == FD_OK && day_from_sql(text, &today))
            reading->from = wall_at(today - ACTION_DAYS, 0);
    }
    if (code != FD_OK || filter->after_id == 0)
        return code;
    struct db_rows *rows;
    code = db_select(db, &q_after, DB_ARGS(db_int("id", filter->after_id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows) && db_get_wall(rows, 0) < reading->until) {
        reading->until = db_get_wall(rows, 0);
        reading->after = filter->after_id;
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code read_page(struct db *db, struct reading *reading, const struct order *order, struct fd_error *err)
{
    const struct log_filter *filter = reading->filter;
    size_t most = filter->most == 0 ? MOST_DEFAULT : filter->most;
    struct db_arg args[8] = {
        db_wall("from", reading->from),
        db_wall("until", reading->until),
        db_int("after", reading->after),
        db_text("action", filter->action),
        db_int("most", (int64_t)(most > MOST_EVER ? MOST_EVER : most)),
        db_text("operator", filter->operator),
    };
    size_t count = filter->operator|| order ? 6 : 5;
    if (order) {
        args[count++] = db_text("entity", order->kind->entity);
        args[count++] = db_text("number", order->order_no);
    }
    struct db_query *query = order ? &q_of_order : filter->operator? &q_of_operator : & q_of_time;
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, args, count, &rows, err);
    if (code != FD_OK)
        return code;
    reading->rows = arena_array(reading->arena, db_row_count(rows) + 1, sizeof *reading->rows);
    reading->count = 0;
    while (db_next(rows))
        read_row(reading->arena, rows, &reading->rows[reading->count++]);
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code read_log(struct db *db, void *arg, struct fd_error *err)
{
    struct reading *reading = arg;
    struct order *order = NULL;
    enum fd_code code = FD_OK;
    if (reading->filter->order)
        code = order_find(db, reading->filter->order, reading->arena, &order, err);
    if (code == FD_OK)
        code = find_start(db, reading, err);
    return code == FD_OK ? read_page(db, reading, order, err) : code;
}

enum fd_code log_list(struct desk *desk, const struct log_filter *filter, struct arena *arena, struct log_row **rows,
                      size_t *count, struct fd_error *err)
{
    struct reading reading = {.filter = filter, .arena = arena};
    enum fd_code code = desk_read(desk, "log.list", read_log, &reading, err);
    if (code == FD_OK) {
        *rows = reading.rows;
        *count = reading.count;
    }
    return code;
}

struct done_to {
    const char *key, *action;
    int64_t id;
};

static enum fd_code read_done_to(struct db *db, void *arg, struct fd_error *err)
{
    struct done_to *done = arg;
    struct db_rows *rows;
    enum fd_code code =
        db_select(db, &q_done_to, DB_ARGS(db_text("key", done->key), db_text("action", done->action)), &rows, err);
    if (code != FD_OK)
        return code;
    done->id = db_next(rows) ? strtoll(db_get_text(rows, 0), NULL, 10) : 0;
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code log_done_to(struct desk *desk, const char *key, const char *action, int64_t *id, struct fd_error *err)
{
    struct done_to done = {.key = key, .action = action};
    enum fd_code code = key ? desk_read(desk, "log.done_to", read_done_to, &done, err) : FD_OK;
    if (code == FD_OK)
        *id = done.id;
    return code;
}
