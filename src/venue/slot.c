/* Slots, read: lists, one by id, the nearest alternative, and how a slot is named to people. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

DB_QUERY(q_by_id, "slot.by_id", DB_ROW,
         "SELECT " SLOT_COLUMNS " FROM venue_schedule s JOIN venue v ON v.id = s.venue_id WHERE s.id = :id");

/* The covering key begins with the date; without the hint small tables are read whole. */
DB_QUERY(q_list, "slot.list", DB_ROWS,
         "SELECT " SLOT_COLUMNS " FROM venue_schedule s FORCE INDEX (idx_day_grid) JOIN venue v ON v.id = s.venue_id "
         "WHERE s.schedule_date = :day AND (:sport IS NULL OR v.sport_type = :sport) "
         "AND (:venue = 0 OR s.venue_id = :venue) ORDER BY v.sort_order, v.id, s.start_time, s.id");

DB_QUERY(q_alternative, "slot.alternative", DB_ROW,
         "SELECT " SLOT_COLUMNS " FROM venue_schedule w JOIN venue x ON x.id = w.venue_id "
         "JOIN venue_schedule s ON s.schedule_date = w.schedule_date AND s.start_time = w.start_time "
         "AND s.end_time = w.end_time AND s.id <> w.id "
         "JOIN venue v ON v.id = s.venue_id AND v.sport_type = x.sport_type AND v.stock_form = x.stock_form "
         "WHERE w.id = :id AND v.status = 1 AND s.status = 1 AND s.remain_count >= :quantity "
         "AND TIMESTAMP(s.schedule_date, s.end_time) > NOW() "
         "ORDER BY ABS(v.sort_order - x.sort_order), ABS(v.id - x.id), s.id LIMIT 1");

const char *row_text(const struct db_rows *rows, unsigned column, struct arena *arena)
{
    return text_clean_arena(arena, db_get_text(rows, column));
}

void slot_read(const struct db_rows *rows, struct arena *arena, struct slot *slot)
{
    slot->id = db_get_int(rows, 0);
    slot->venue_id = db_get_int(rows, 1);
    slot->venue = row_text(rows, 2, arena);
    slot->sport = row_text(rows, 3, arena);
    slot->form = row_text(rows, 4, arena);
    slot->day = db_get_day(rows, 5);
    slot->start_minute = db_get_minute(rows, 6);
    slot->end_minute = db_get_minute(rows, 7);
    slot->total_count = db_get_int(rows, 8);
    slot->remain_count = db_get_int(rows, 9);
    slot->price_fen = db_get_fen(rows, 10);
    slot->open = db_get_int(rows, 11) == 1;
    slot->close_reason = slot->open ? "" : row_text(rows, 12, arena);
    slot->over = db_get_int(rows, 13) != 0;
    slot->running = !slot->over && db_get_int(rows, 14) != 0;
}

static struct slot *slot_rows(struct db_rows *rows, struct arena *arena, size_t *count)
{
    struct slot *list = arena_array(arena, db_row_count(rows) + 1, sizeof *list);
    *count = 0;
    while (db_next(rows))
        slot_read(rows, arena, &list[(*count)++]);
    return list;
}

enum fd_code slot_list(struct db *db, day_t day, const char *sport, int64_t venue_id, struct arena *arena,
                       struct slot **rows, size_t *count, struct fd_error *err)
{
    struct db_rows *found;
    enum fd_code code = db_select(
        db, &q_list, DB_ARGS(db_day("day", day), db_text("sport", sport), db_int("venue", venue_id)), &found, err);
    if (code)
        return code;
    *rows = slot_rows(found, arena, count);
    db_rows_close(&found);
    return FD_OK;
}

static enum fd_code slot_one(struct db *db, struct db_query *query, const struct db_arg *args, size_t arg_count,
                             struct arena *arena, struct slot **slot, struct fd_error *err)
{
    struct db_rows *found;
    size_t count;
    enum fd_code code = db_select(db, query, args, arg_count, &found, err);
    if (code)
        return code;
    struct slot *rows = slot_rows(found, arena, &count);
    db_rows_close(&found);
    *slot = count > 0 ? rows : NULL;
    return FD_OK;
}

enum fd_code slot_by_id(struct db *db, int64_t id, struct arena *arena, struct slot **slot, struct fd_error *err)
{
    return slot_one(db, &q_by_id, DB_ARGS(db_int("id", id)), arena, slot, err);
}

enum fd_code slot_alternative(struct db *db, int64_t slot_id, int64_t quantity, struct arena *arena, struct slot **slot,
                              struct fd_error *err)
{
    return slot_one(db, &q_alternative, DB_ARGS(db_int("id", slot_id), db_int("quantity", quantity)), arena, slot, err);
}

const char *place_text(struct arena *arena, const char *venue, day_t day, int start_minute, int end_minute, day_t today)
{
    char from[HHMM_TEXT], to[HHMM_TEXT], date[DAY_TEXT];
    minute_text(start_minute, from);
    minute_text(end_minute, to);
    if (day == today)
        return arena_printf(arena, "%s %s\u2013%s", venue, from, to);
    return arena_printf(arena, "%s %s %s\u2013%s", venue, day_sql(day, date) + 5, from, to);
}

const char *slot_text(struct arena *arena, const struct slot *slot, day_t today)
{
    return place_text(arena, slot->venue, slot->day, slot->start_minute, slot->end_minute, today);
}

const char *until_text(wall_t wall, day_t today, char text[UNTIL_TEXT])
{
    char hhmm[HHMM_TEXT], date[DAY_TEXT];
    minute_text(wall_minute(wall), hhmm);
    if (wall_day(wall) == today)
        fit_printf_at(text, UNTIL_TEXT, "%s", hhmm);
    else
        fit_printf_at(text, UNTIL_TEXT, "%s %s", day_sql(wall_day(wall), date) + 5, hhmm);
    return text;
}

const char *number_tail(const char *number)
{
    size_t length = strlen(number);
    return length > 4 ? number + length - 4 : number;
}
