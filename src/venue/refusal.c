/* The last refusal of a sold-out place, remembered for a moment: in a rush the same desk is asked for the same place
 * again and again, and who holds it is dearer to read than the UPDATE that a refusal saves. The slot itself and the
 * request key are read anew each time; what is remembered counts only while the slot has not changed and no hold on it
 * has run out since. A refusal never depends on memory alone. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <string.h>

#define KEPT_MS 50 /* shorter than anybody notices that a hold was paid or shortened by others */

DB_QUERY(q_again, "slot.again", DB_ROW,
         "SELECT s.version, s.remain_count, s.status, NOW(), r.request_key IS NOT NULL FROM venue_schedule s "
         "LEFT JOIN op_request r ON r.request_key = :key WHERE s.id = :id");

/* A desk is used by one thread at a time, and its connection tells it from another one of that thread. */
static _Thread_local struct {
    int64_t connection_id, slot_id, quantity, version, remain_count;
    int64_t until_ms; /* monotonic */
    wall_t good_until;
    char message[512];
} last;

void refusal_keep(struct op *op, const struct slot_facts *facts, int64_t quantity, const char *message)
{
    const struct slot *slot = &facts->slot;
    wall_t end = wall_at(slot->day, slot->end_minute);
    last.slot_id = 0;
    if (facts->holder.run_out > 0 || slot->remain_count >= quantity)
        return;
    last.connection_id = db_connection_id(op_db(op));
    last.slot_id = slot->id;
    last.quantity = quantity;
    last.version = facts->version;
    last.remain_count = slot->remain_count;
    last.until_ms = mono_ms() + KEPT_MS;
    last.good_until = facts->holder.first_end < end ? facts->holder.first_end : end;
    cut_copy(last.message, sizeof last.message, message);
}

enum fd_code refusal_again(struct op *op, int64_t slot_id, int64_t quantity, struct fd_error *err)
{
    struct db_rows *rows;
    if (last.slot_id != slot_id || last.quantity != quantity || mono_ms() >= last.until_ms ||
        last.connection_id != db_connection_id(op_db(op)))
        return FD_OK;
    enum fd_code code =
        db_select(op_db(op), &q_again, DB_ARGS(db_text("key", op_key(op)), db_int("id", slot_id)), &rows, err);
    if (code)
        return code;
    bool same = db_next(rows) && db_get_int(rows, 0) == last.version && db_get_int(rows, 1) == last.remain_count &&
                db_get_int(rows, 2) == 1 && db_get_wall(rows, 3) < last.good_until && db_get_int(rows, 4) == 0;
    db_rows_close(&rows);
    if (!same) {
        last.slot_id = 0;
        return FD_OK;
    }
    op_key_absent(op);
    return fd_fail(err, FD_SLOT_TAKEN, "%s", last.message);
}
