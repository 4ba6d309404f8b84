/* Any free one: a place of a sport or with a name, free at a time. Requests begin at different
 * candidates, so that many at once do not all fight for the first. */
#include "base/text.h"
#include "core/param.h"
#include "venue/venue_internal.h"

#include <string.h>

/* By sport only what one plays on: rackets of the sport are asked for by name. */
DB_QUERY(q_candidates, "booking.any_of", DB_ROWS,
         "SELECT " SLOT_COLUMNS ", NOW(), " HOLDER_COLUMNS
         " FROM venue_schedule s FORCE INDEX (idx_day_grid) JOIN venue v ON v.id = s.venue_id " HOLDER_JOIN
         "WHERE s.schedule_date = :day AND s.start_time >= :from AND s.start_time <= :last AND s.end_time <= :to "
         "AND s.status = 1 AND v.status = 1 AND TIMESTAMP(s.schedule_date, s.end_time) > NOW() "
         "AND ((v.sport_type = :what AND v.stock_form IN ('COURT', 'PLACE')) OR v.name LIKE :prefix ESCAPE '|') "
         "AND NOT EXISTS (SELECT 1 FROM t_user u JOIN reserve_order h ON h.user_id = u.id "
         "WHERE u.phone = :phone AND h.schedule_id = s.id AND h.holding = 1) "
         "ORDER BY v.sort_order, v.id, s.start_time, s.id");

/* One venue's slots that fill the time asked for without a gap. */
struct candidate {
    size_t first, count; /* into the slots read */
    bool free;
    int64_t free_first; /* slot where run-out holds stand in the way, 0 none */
};

struct candidates {
    struct slot *slots;
    struct holder *holders;
    size_t count;
};

static enum fd_code read_candidates(struct op *op, const struct draft *draft, struct candidates *read,
                                    struct fd_error *err)
{
    const struct booking *booking = draft->booking;
    char prefix[520];
    bool one = booking->to_minute < 0;
    struct db_rows *rows;
    if (!text_like(prefix, sizeof prefix - 1, booking->any_of))
        return fd_fail(err, FD_BAD_INPUT, _("This is not the name of a venue or sport."));
    strcat(prefix, "%");
    enum fd_code code =
        db_select(op_db(op), &q_candidates,
                  DB_ARGS(db_int("quantity", booking->any_quantity), db_day("day", booking->day),
                          db_minute("from", booking->from_minute),
                          db_minute("last", one ? booking->from_minute : booking->to_minute),
                          db_minute("to", one ? 24 * 60 : booking->to_minute), db_text("what", booking->any_of),
                          db_text("prefix", prefix), db_text("phone", draft->walk_in ? NULL : booking->phone)),
                  &rows, err);
    if (code)
        return code;
    read->slots = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof *read->slots);
    read->holders = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof *read->holders);
    read->count = 0;
    while (db_next(rows)) {
        /* One row for each holding order of a slot where places are missing. */
        if (read->count == 0 || read->slots[read->count - 1].id != db_get_int(rows, 0)) {
            slot_read(rows, op_arena(op), &read->slots[read->count]);
            read->holders[read->count++] = NO_HOLDER;
        }
        holder_add(rows, SLOT_COLUMN_COUNT + 1, db_get_wall(rows, SLOT_COLUMN_COUNT),
                   &read->holders[read->count - 1]);
    }
    db_rows_close(&rows);
    return FD_OK;
}

/* The candidate that begins at slot `first`; count 0 where its venue does not fill the time. */
static struct candidate candidate_at(const struct candidates *read, const struct booking *booking, size_t first)
{
    struct candidate candidate = {.first = first, .free = true};
    int at = booking->from_minute;
    for (size_t i = first; i < read->count && read->slots[i].venue_id == read->slots[first].venue_id; i++) {
        const struct slot *slot = &read->slots[i];
        if (slot->start_minute != at)
            break;
        at = slot->end_minute;
        candidate.count++;
        if (slot->remain_count < booking->any_quantity) {
            candidate.free = false;
            if (read->holders[i].run_out > 0)
                candidate.free_first = slot->id;
        }
        if (booking->to_minute < 0 || at >= booking->to_minute)
            return candidate;
    }
    candidate.count = 0;
    return candidate;
}

static enum fd_code nothing_fits(struct draft *draft, bool any_there, struct fd_error *err)
{
    const struct booking *booking = draft->booking;
    char hhmm[HHMM_TEXT], date[DAY_TEXT];
    draft->none_left = true;
    minute_text(booking->from_minute, hhmm);
    day_sql(booking->day, date);
    if (any_there)
        return fd_fail(err, FD_SLOT_TAKEN, _("“%s” has nothing free on %s at %s."), booking->any_of, date, hhmm);
    return fd_fail(err, FD_SLOT_UNKNOWN, _("“%s” has no open slot on %s at %s."), booking->any_of, date, hhmm);
}

enum fd_code any_of_pick(struct op *op, struct draft *draft, struct fd_error *err)
{
    struct candidates read = {0};
    draft->line_count = 0;
    enum fd_code code = read_candidates(op, draft, &read, err);
    if (code)
        return code;
    struct candidate *list = arena_array(op_arena(op), read.count + 1, sizeof *list);
    size_t count = 0, free_count = 0;
    for (size_t i = 0; i < read.count; i++) {
        struct candidate candidate = candidate_at(&read, draft->booking, i);
        if (candidate.count == 0)
            continue;
        /* Free ones to the front. */
        list[count++] = candidate;
        if (candidate.free) {
            list[count - 1] = list[free_count];
            list[free_count++] = candidate;
        }
    }
    for (size_t i = 0; free_count == 0 && i < count; i++)
        if (list[i].free_first != 0)
            draft->free_first = list[i].free_first;
    if (free_count == 0)
        return nothing_fits(draft, count > 0, err);
    const struct candidate *chosen = &list[random_below((uint32_t)free_count)];
    for (size_t i = 0; i < chosen->count; i++)
        draft_add_line(draft, read.slots[chosen->first + i].id, draft->booking->any_quantity, -1);
    return FD_OK;
}
