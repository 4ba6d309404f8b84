/* Ranges of slots: by ids, or by venue, days, weekdays and time of day; closing, opening, pricing. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_DAYS_MOST    400
#define IDS_MOST           5000
#define CLOSE_REASON_CHARS 100

/* Slots that touch the span, so that closing 18:30-20:00 takes the slot 18:00-19:00 too. */
DB_QUERY(q_range, "slot.range", DB_ROWS,
         "SELECT " SLOT_COLUMNS " FROM venue_schedule s JOIN venue v ON v.id = s.venue_id "
         "WHERE s.schedule_date BETWEEN :from AND :to AND (:venue = 0 OR s.venue_id = :venue) "
         "AND s.start_time < :end AND s.end_time > :start "
         "ORDER BY s.venue_id, s.schedule_date, s.start_time, s.id");
DB_QUERY(q_close, "slot.close", DB_NONE,
         "UPDATE venue_schedule SET version = version + 1, status = 0, close_reason = :reason "
         "WHERE id = :id AND status = 1");
DB_QUERY(q_open, "slot.open", DB_NONE,
         "UPDATE venue_schedule SET version = version + 1, status = 1, close_reason = NULL "
         "WHERE id = :id AND status = 0");
DB_QUERY(q_price, "slot.price", DB_NONE,
         "UPDATE venue_schedule SET price = :price, version = version + 1 WHERE id = :id AND price = :old");
/* A closed slot that nobody has bought hinders none. */
DB_QUERY(q_overlap, "slot.overlap", DB_ROW,
         "SELECT " SLOT_COLUMNS " FROM venue_schedule s JOIN venue v ON v.id = s.venue_id "
         "WHERE s.venue_id = :venue AND s.schedule_date = :day AND s.id <> :id AND s.start_time < :end "
         "AND s.end_time > :start AND (s.status = 1 OR s.remain_count < s.total_count) "
         "ORDER BY s.start_time, s.id LIMIT 1");
DB_QUERY(q_sold, "slot.sold_orders", DB_ROWS,
         "SELECT " ORDER_COLUMNS " FROM reserve_order o" ORDER_JOINS
         "WHERE o.schedule_id = :slot AND o.status IN ('PENDING_PAY', 'PAID') ORDER BY o.id");

enum fd_code range_check(const struct slot_range *range, struct fd_error *err)
{
    if (range->id_count > IDS_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("At most %d slots at once."), IDS_MOST);
    if (range->id_count > 0)
        return FD_OK;
    if (range->from == DAY_NONE || range->to == DAY_NONE)
        return fd_fail(err, FD_BAD_INPUT, _("Which slots? Give their ids, or a venue and dates."));
    if (range->to < range->from)
        return fd_fail(err, FD_BAD_INPUT, _("The last day is before the first."));
    if (range->to - range->from >= RANGE_DAYS_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("At most %d days at once."), RANGE_DAYS_MOST);
    if (range->from_minute >= 0 && range->to_minute <= range->from_minute)
        return fd_fail(err, FD_BAD_INPUT, _("The span of hours is empty."));
    return FD_OK;
}

const char *range_content(struct arena *arena, const struct slot_range *range)
{
    struct buf text = {0};
    buf_printf(&text, "%" PRId64 " %d %d %d %d %u", range->venue_id, range->from, range->to, range->from_minute,
               range->to_minute, range->weekdays);
    for (size_t i = 0; i < range->id_count; i++)
        buf_printf(&text, " #%" PRId64, range->ids[i]);
    const char *copy = arena_str(arena, buf_text(&text));
    buf_release(&text);
    return copy;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static enum fd_code load_ids(struct db *db, const struct slot_range *range, struct arena *arena, struct slot **rows,
                             size_t *count, struct fd_error *err)
{
    int64_t *ids = arena_array(arena, range->id_count, sizeof *ids);
    memcpy(ids, range->ids, range->id_count * sizeof *ids);
    qsort(ids, range->id_count, sizeof *ids, compare_ids);
    *rows = arena_array(arena, range->id_count, sizeof **rows);
    *count = 0;
    for (size_t i = 0; i < range->id_count; i++) {
        struct slot *slot;
        if (i > 0 && ids[i] == ids[i - 1])
            continue;
        enum fd_code code = slot_by_id(db, ids[i], arena, &slot, err);
        if (code)
            return code;
        if (!slot)
            return slot_is_unknown(ids[i], err);
        (*rows)[(*count)++] = *slot;
    }
    return FD_OK;
}

enum fd_code range_load(struct db *db, const struct slot_range *range, struct arena *arena, struct slot **rows,
                        size_t *count, struct fd_error *err)
{
    if (range->id_count > 0)
        return load_ids(db, range, arena, rows, count, err);
    bool whole_day = range->from_minute < 0;
    struct db_rows *found;
    enum fd_code code =
        db_select(db, &q_range,
                  DB_ARGS(db_day("from", range->from), db_day("to", range->to), db_int("venue", range->venue_id),
                          db_minute("start", whole_day ? 0 : range->from_minute),
                          db_minute("end", whole_day ? 24 * 60 : range->to_minute)),
                  &found, err);
    if (code)
        return code;
    *rows = arena_array(arena, db_row_count(found) + 1, sizeof **rows);
    *count = 0;
    while (db_next(found)) {
        unsigned weekday = 1u << (day_weekday(db_get_day(found, 5)) - 1);
        if (range->weekdays == 0 || (range->weekdays & weekday))
            slot_read(found, arena, &(*rows)[(*count)++]);
    }
    db_rows_close(&found);
    return FD_OK;
}

/* One slot that meanwhile is not as it was read: everything again. */
static enum fd_code changed_meanwhile(struct op *op, void *arg, struct fd_error *err)
{
    (void)op;
    (void)arg;
    return fd_fail(err, FD_RETRY, NULL);
}

struct range_arg {
    const struct slot_range *range;
    int64_t price_fen;
};

static void log_slot(struct op *op, const struct slot *slot, const char *event, const char *before, const char *after)
{
    char no[24];
    fit_printf(no, "%" PRId64, slot->id);
    op_log(op,
           &(struct log_entry){.entity = "slot", .entity_no = no, .event = event, .before = before, .after = after});
}

static void count_result(struct op *op, int64_t count)
{
    char result[48];
    fit_printf(result, "{\"count\":%" PRId64 "}", count);
    op_result(op, result);
}

/* Runs one of the three and reads its count back from the answer, the first one where the key is met again. */
static enum fd_code range_run(struct desk *desk, struct op_spec *spec, struct range_arg *arg, int64_t *changed,
                              struct fd_error *err)
{
    struct arena arena = {0};
    char *result = NULL;
    char price[FEN_TEXT];
    enum fd_code code = range_check(arg->range, err);
    if (code)
        return code;
    spec->content =
        arena_printf(&arena, "%s %s", range_content(&arena, arg->range), fen_decimal(arg->price_fen, price));
    code = op_run(desk, spec, arg, &result, NULL, err);
    if (code == FD_OK && changed) {
        struct tree *tree = tree_parse(result);
        *changed = tree ? tree_get_int(tree, "count") : 0;
        tree_free(&tree);
    }
    free(result);
    arena_release(&arena);
    return code;
}

static enum fd_code close_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct range_arg *range = arg;
    struct slot *slots;
    size_t count;
    int64_t closed = 0;
    char reason[CLOSE_REASON_CHARS * 4 + 1];
    enum fd_code code = range_load(op_db(op), range->range, op_arena(op), &slots, &count, err);
    if (code)
        return code;
    if (!op_reason(op))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    const char *end = op_reason(op);
    for (int i = 0; i < CLOSE_REASON_CHARS && *end; i++)
        text_next(&end);
    fit_printf(reason, "%.*s", (int)(end - op_reason(op)), op_reason(op));
    for (size_t i = 0; i < count; i++) {
        if (!slots[i].open || slots[i].over)
            continue;
        op_last(op, slots[i].id, &q_close, DB_ARGS(db_text("reason", reason), db_int("id", slots[i].id)),
                changed_meanwhile, NULL);
        log_slot(op, &slots[i], "close", NULL, NULL);
        closed++;
    }
    count_result(op, closed);
    return FD_OK;
}

struct sold_read {
    const struct slot_range *range;
    struct arena *arena;
    struct slot_order *orders;
    size_t count, capacity;
};

static void sold_add(struct sold_read *read, const struct venue_order *order)
{
    if (read->count == read->capacity) {
        size_t capacity = read->capacity ? read->capacity * 2 : 16;
        struct slot_order *grown = arena_array(read->arena, capacity, sizeof *grown);
        if (read->count > 0)
            memcpy(grown, read->orders, read->count * sizeof *grown);
        read->orders = grown;
        read->capacity = capacity;
    }
    read->orders[read->count++] = (struct slot_order){
        .order_no = order->base.order_no,
        .customer = order->base.customer,
        .phone = order->base.phone,
        .state = order->base.state,
        .venue = order->venue,
        .day = order->day,
        .start_minute = order->start_minute,
        .end_minute = order->end_minute,
        .total_fen = order->base.total_fen,
    };
}

static enum fd_code sold_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct sold_read *read = arg;
    struct slot *slots;
    size_t count;
    read->count = 0;
    enum fd_code code = range_load(db, read->range, read->arena, &slots, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        struct db_rows *rows;
        if (slots[i].open || slots[i].over || slots[i].remain_count == slots[i].total_count)
            continue;
        code = db_select(db, &q_sold, DB_ARGS(db_int("slot", slots[i].id)), &rows, err);
        while (code == FD_OK && db_next(rows))
            sold_add(read, venue_order_read(rows, read->arena, false));
        if (code == FD_OK)
            db_rows_close(&rows);
    }
    return code;
}

enum fd_code slot_close(struct desk *desk, const char *key, const struct slot_range *range, const char *reason,
                        struct arena *arena, int64_t *closed, struct slot_order **orders, size_t *order_count,
                        struct fd_error *err)
{
    struct range_arg arg = {.range = range};
    struct op_spec spec = {.action = "slot.close", .key = key, .reason = reason, .apply = close_apply};
    enum fd_code code = range_run(desk, &spec, &arg, closed, err);
    if (code || !orders)
        return code;
    /* Read afterwards: a sale that was faster than the closing is on the list too. */
    struct sold_read read = {.range = range, .arena = arena};
    code = desk_read(desk, "slot.sold", sold_txn, &read, err);
    if (code) {
        /* What closed them is committed: no sentence may say that nothing was changed. */
        fd_fail(err, code, _("The slots are closed, but the orders on them could not be read."));
        fd_hint(err, "%s", fd_code_hint(FD_UNKNOWN));
    }
    *orders = read.orders;
    *order_count = read.count;
    return code;
}

static enum fd_code overlap_fail(struct arena *arena, const struct slot *slot, const struct slot *other,
                                 struct fd_error *err)
{
    return fd_fail(err, FD_SLOT_OVERLAP, _("%s overlaps %s."), slot_text(arena, slot, DAY_NONE),
                   slot_text(arena, other, slot->day));
}

static bool slots_same_day(const struct slot *a, const struct slot *b)
{
    return a->venue_id == b->venue_id && a->day == b->day;
}

static bool slots_overlap(const struct slot *a, const struct slot *b)
{
    return slots_same_day(a, b) && a->start_minute < b->end_minute && b->start_minute < a->end_minute;
}

static enum fd_code overlap_check(struct op *op, const struct slot *slot, struct fd_error *err)
{
    struct db_rows *rows;
    struct slot other;
    enum fd_code code =
        db_select(op_db(op), &q_overlap,
                  DB_ARGS(db_int("venue", slot->venue_id), db_day("day", slot->day), db_int("id", slot->id),
                          db_minute("start", slot->start_minute), db_minute("end", slot->end_minute)),
                  &rows, err);
    if (code)
        return code;
    if (db_next(rows)) {
        slot_read(rows, op_arena(op), &other);
        code = overlap_fail(op_arena(op), slot, &other, err);
    }
    db_rows_close(&rows);
    return code;
}

static int compare_places(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->venue_id != y->venue_id)
        return x->venue_id < y->venue_id ? -1 : 1;
    if (x->day != y->day)
        return x->day < y->day ? -1 : 1;
    return x->start_minute - y->start_minute;
}

/* Locks the venues in one order, then reads the slots again behind the lock. */
static enum fd_code open_lock(struct op *op, const struct range_arg *arg, struct slot **slots, size_t *count,
                              struct fd_error *err)
{
    enum fd_code code = range_load(op_db(op), arg->range, op_arena(op), slots, count, err);
    if (code)
        return code;
    qsort(*slots, *count, sizeof **slots, compare_places);
    for (size_t i = 0; i < *count; i++) {
        if (i > 0 && (*slots)[i].venue_id == (*slots)[i - 1].venue_id)
            continue;
        code = venue_touch(op_db(op), (*slots)[i].venue_id, err);
        if (code)
            return code;
    }
    code = range_load(op_db(op), arg->range, op_arena(op), slots, count, err);
    if (code == FD_OK)
        qsort(*slots, *count, sizeof **slots, compare_places);
    return code;
}

static enum fd_code open_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct slot *slots;
    size_t count;
    int64_t opened = 0;
    const struct slot *last = NULL;
    enum fd_code code = open_lock(op, arg, &slots, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        if (slots[i].open || slots[i].over)
            continue;
        if (last && slots_overlap(last, &slots[i]))
            return overlap_fail(op_arena(op), &slots[i], last, err);
        code = overlap_check(op, &slots[i], err);
        op_last(op, slots[i].id, &q_open, DB_ARGS(db_int("id", slots[i].id)), changed_meanwhile, NULL);
        log_slot(op, &slots[i], "open", NULL, NULL);
        if (!last || !slots_same_day(last, &slots[i]) || last->end_minute < slots[i].end_minute)
            last = &slots[i];
        opened++;
    }
    if (code == FD_OK)
        count_result(op, opened);
    return code;
}

enum fd_code slot_open(struct desk *desk, const char *key, const struct slot_range *range, const char *reason,
                       int64_t *opened, struct fd_error *err)
{
    struct range_arg arg = {.range = range};
    struct op_spec spec = {.action = "slot.open", .key = key, .reason = reason, .apply = open_apply};
    return range_run(desk, &spec, &arg, opened, err);
}

static enum fd_code price_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct range_arg *range = arg;
    struct slot *slots;
    size_t count;
    int64_t changed = 0;
    enum fd_code code = range_load(op_db(op), range->range, op_arena(op), &slots, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        char before[64], after[64];
        if (slots[i].over || slots[i].price_fen == range->price_fen)
            continue;
        op_last(
            op, slots[i].id, &q_price,
            DB_ARGS(db_fen("price", range->price_fen), db_int("id", slots[i].id), db_fen("old", slots[i].price_fen)),
            changed_meanwhile, NULL);
        fit_printf(before, "{\"price_fen\":%" PRId64 "}", slots[i].price_fen);
        fit_printf(after, "{\"price_fen\":%" PRId64 "}", range->price_fen);
        log_slot(op, &slots[i], "price", before, after);
        changed++;
    }
    if (code == FD_OK)
        count_result(op, changed);
    return code;
}

enum fd_code slot_price(struct desk *desk, const char *key, const struct slot_range *range, int64_t price_fen,
                        const char *reason, int64_t *changed, struct fd_error *err)
{
    if (price_fen < 0 || price_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("This price is not possible."));
    struct range_arg arg = {.range = range, .price_fen = price_fen};
    struct op_spec spec = {.action = "slot.price", .key = key, .reason = reason, .apply = price_apply};
    return range_run(desk, &spec, &arg, changed, err);
}
