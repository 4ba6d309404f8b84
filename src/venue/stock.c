/* Stock: taking and giving back places by one conditional UPDATE each, and saying why it changed
 * no row. Source: domain section 2. */
#include "base/fault.h"
#include "base/text.h"
#include "core/param.h"
#include "money/code.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Venue and times as seen, so that an order never says another place or time than its slot. */
DB_QUERY(q_take, "slot.take", DB_NONE,
         "UPDATE venue_schedule SET remain_count = remain_count - :quantity, version = version + 1 "
         "WHERE id = :id AND remain_count >= :quantity AND status = 1 "
         "AND TIMESTAMP(schedule_date, end_time) > NOW() AND venue_id = :venue AND schedule_date = :day "
         "AND start_time = :start AND end_time = :end AND (:price IS NULL OR price = :price)");

#ifdef FD_TEETH
/* What stands there once the condition is left out: nobody is refused. */
DB_QUERY(q_take_any, "slot.take_any", DB_NONE,
         "UPDATE venue_schedule SET remain_count = IF(remain_count >= :quantity, remain_count - :quantity, 0), "
         "version = version + 1 WHERE id = :id AND :venue = :venue AND :day = :day AND :start = :start "
         "AND :end = :end AND (:price IS NULL OR :price = :price)");
#define Q_TAKE (FD_TOOTH("stock_condition") ? &q_take_any : &q_take)
#else
#define Q_TAKE (&q_take)
#endif

DB_QUERY(q_give, "slot.give", DB_NONE,
         "UPDATE venue_schedule SET remain_count = remain_count + :quantity, version = version + 1 "
         "WHERE id = :id AND remain_count + :quantity <= total_count");

DB_QUERY(q_there, "slot.there", DB_VALUE, "SELECT COUNT(*) FROM venue_schedule s WHERE s.id = :id");

/* Everything that a refusal needs in one read: the slot, the clock, whether the request key was used, and who holds
 * the places where they are missing; one row for each of those. */
DB_QUERY(q_facts, "slot.facts", DB_ROWS,
         "SELECT " SLOT_COLUMNS ", NOW(), v.status, r.request_key IS NOT NULL, " HOLDER_COLUMNS
         " FROM venue_schedule s JOIN venue v ON v.id = s.venue_id "
         "LEFT JOIN op_request r ON r.request_key = :key " HOLDER_JOIN "WHERE s.id = :id");

/* Those without a payment code first: nobody has to be asked about them. */
DB_QUERY(q_run_out, "slot.run_out", DB_ROWS,
         "SELECT o.id, o.order_no, NOT " CODES_ARE_DEAD("o", ":dead") " AS coded FROM reserve_order o "
         "WHERE o.schedule_id = :slot AND " RUN_OUT " ORDER BY coded, o.id");

void holder_add(const struct db_rows *rows, unsigned at, wall_t now, struct holder *holder)
{
    if (db_is_null(rows, at))
        return;
    wall_t until = db_get_wall(rows, at + 2);
    cut_copy(holder->order_no, sizeof holder->order_no, db_get_text(rows, at));
    cut_copy(holder->state, sizeof holder->state, db_get_text(rows, at + 1));
    holder->until = WALL_NONE;
    if (strcmp(holder->state, "PENDING_PAY") != 0)
        return;
    holder->until = until;
    bool unpaid = db_get_fen(rows, at + 4) == 0;
    /* The rule engine's UPDATE for `expire` decides; it wants live codes dead too, which is found out only where the
     * place is wanted. */
    if (until != WALL_NONE && until < now && unpaid)
        holder->run_out += db_get_int(rows, at + 3);
}

struct facts_ask {
    int64_t slot_id, quantity;
    const char *key;   /* NULL: none */
    const char *taker; /* order that is not to be named as the holder; NULL: none */
};

static enum fd_code read_facts(struct op *op, const struct facts_ask *ask, struct slot_facts *facts,
                               struct fd_error *err)
{
    struct db_rows *rows;
    *facts = (struct slot_facts){.holder = NO_HOLDER};
    enum fd_code code = db_select(
        op_db(op), &q_facts,
        DB_ARGS(db_text("key", ask->key), db_int("quantity", ask->quantity), db_int("id", ask->slot_id)), &rows, err);
    if (code)
        return code;
    const unsigned holder_at = SLOT_COLUMN_COUNT + 3;
    while (db_next(rows)) {
        if (!facts->found) {
            slot_read(rows, op_arena(op), &facts->slot);
            facts->now = db_get_wall(rows, SLOT_COLUMN_COUNT);
            facts->venue_in_use = db_get_int(rows, SLOT_COLUMN_COUNT + 1) == 1;
            facts->key_used = db_get_int(rows, SLOT_COLUMN_COUNT + 2) != 0;
            facts->found = true;
        }
        if (!ask->taker || strcmp(db_get_text(rows, holder_at), ask->taker) != 0)
            holder_add(rows, holder_at, facts->now, &facts->holder);
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code slot_facts_read(struct op *op, int64_t slot_id, int64_t quantity, const char *key,
                             struct slot_facts *facts, struct fd_error *err)
{
    return read_facts(op, &(struct facts_ask){.slot_id = slot_id, .quantity = quantity, .key = key}, facts, err);
}

enum fd_code slot_is_unknown(int64_t slot_id, struct fd_error *err)
{
    return fd_fail(err, FD_SLOT_UNKNOWN, _("There is no slot %" PRId64 "."), slot_id);
}

enum fd_code slot_price_differs(const struct slot *slot, int64_t seen_fen, struct fd_error *err)
{
    struct arena arena = {0};
    char seen[FEN_TEXT], now[FEN_TEXT];
    fd_fail(err, FD_PRICE_CHANGED, _("%s: the price was %s, now it is %s."), slot_text(&arena, slot, DAY_NONE),
            fen_text(seen_fen, seen), fen_text(slot->price_fen, now));
    arena_release(&arena);
    return FD_PRICE_CHANGED;
}

static enum fd_code taken_by(const struct slot *slot, const struct holder *holder, const char *name, day_t today,
                             struct fd_error *err)
{
    char until[UNTIL_TEXT];
    char tail[NUMBER_BYTES * 4];
    if (slot->total_count != 1 || !holder->order_no[0])
        return fd_fail(err, FD_SLOT_TAKEN, _("%s is sold out."), name);
    text_clean(tail, sizeof tail, number_tail(holder->order_no));
    if (holder->until != WALL_NONE && holder->run_out == 0)
        return fd_fail(err, FD_SLOT_TAKEN, _("%s is held by order %s until %s."), name, tail,
                       until_text(holder->until, today, until));
    return fd_fail(err, FD_SLOT_TAKEN, _("%s was just taken by order %s."), name, tail);
}

enum fd_code slot_judge(const struct slot *slot, const struct holder *holder, int64_t quantity, wall_t now,
                        struct fd_error *err)
{
    if (slot->open && !slot->over && slot->remain_count >= quantity)
        return FD_OK;
    struct arena arena = {0};
    day_t today = wall_day(now);
    const char *name = slot_text(&arena, slot, today);
    enum fd_code code;
    if (slot->over)
        code = fd_fail(err, FD_SLOT_OVER, _("%s is over."), name);
    else if (!slot->open && slot->close_reason[0])
        code = fd_fail(err, FD_SLOT_CLOSED, _("%s is closed: %s"), name, slot->close_reason);
    else if (!slot->open)
        code = fd_fail(err, FD_SLOT_CLOSED, _("%s is closed."), name);
    else if (slot->remain_count > 0)
        code = fd_fail(err, FD_SLOT_TAKEN, _("%s has %" PRId64 " places left, %" PRId64 " are wanted."), name,
                       slot->remain_count, quantity);
    else
        code = taken_by(slot, holder, name, today, err);
    arena_release(&arena);
    return code;
}

/* What was asked for, kept until the queued UPDATE has run. */
struct taking {
    int64_t slot_id, quantity;
    int64_t seen_fen;    /* negative: any price */
    int64_t *free_first; /* gets the slot's id where run-out holds stand in the way; may be NULL */
    const char *taker;   /* the order that wants the places: its own row holds them in this transaction */
};

/* Explains a take that changed no row. Only reads: the transaction is lost anyway. */
static enum fd_code explain_take(struct op *op, void *arg, struct fd_error *err)
{
    const struct taking *taking = arg;
    struct slot_facts facts;
    const struct facts_ask ask = {.slot_id = taking->slot_id, .quantity = taking->quantity, .taker = taking->taker};
    enum fd_code code = read_facts(op, &ask, &facts, err);
    if (code)
        return code;
    if (!facts.found)
        return slot_is_unknown(taking->slot_id, err);
    if (taking->free_first && facts.holder.run_out > 0)
        *taking->free_first = taking->slot_id;
    code = slot_judge(&facts.slot, &facts.holder, taking->quantity, facts.now, err);
    if (code)
        return code;
    if (taking->seen_fen >= 0 && facts.slot.price_fen != taking->seen_fen)
        return slot_price_differs(&facts.slot, taking->seen_fen, err);
    /* It fits now: given back, opened or changed in between. */
    return fd_fail(err, FD_RETRY, NULL);
}

void slot_take_or_note(struct op *op, const struct slot *seen, int64_t quantity, const char *taker, int64_t *free_first)
{
    struct taking *taking = arena_alloc(op_arena(op), sizeof *taking);
    *taking = (struct taking){.slot_id = seen->id,
                              .quantity = quantity,
                              .seen_fen = seen->price_fen,
                              .free_first = free_first,
                              .taker = arena_printf(op_arena(op), "%s", taker)};
    struct db_arg price = seen->price_fen < 0 ? db_null("price") : db_fen("price", seen->price_fen);
    op_last(op, seen->id, Q_TAKE,
            DB_ARGS(db_int("quantity", quantity), db_int("id", seen->id), db_int("venue", seen->venue_id),
                    db_day("day", seen->day), db_minute("start", seen->start_minute),
                    db_minute("end", seen->end_minute), price),
            explain_take, taking);
}

void slot_take(struct op *op, const struct slot *seen, int64_t quantity, const char *taker)
{
    slot_take_or_note(op, seen, quantity, taker, NULL);
}

/* Where the online system took the slot away there is nothing to give back to; the order must be able to end. */
static enum fd_code explain_give(struct op *op, void *arg, struct fd_error *err)
{
    const struct taking *taking = arg;
    int64_t left = -1;
    enum fd_code code = db_value_int(op_db(op), &q_there, DB_ARGS(db_int("id", taking->slot_id)), &left, err);
    if (code == FD_OK && left == 0)
        return FD_OK;
    if (code)
        return code;
    fd_fail(err, FD_REFUSED, _("The places of slot %" PRId64 " do not add up; nothing was changed."), taking->slot_id);
    fd_hint(err, _("Run: frontdesk doctor"));
    fd_detail(err, "giving back %" PRId64 " places would pass total_count", taking->quantity);
    return FD_REFUSED;
}

void slot_give(struct op *op, int64_t slot_id, int64_t quantity)
{
    struct taking *taking = arena_alloc(op_arena(op), sizeof *taking);
    *taking = (struct taking){.slot_id = slot_id, .quantity = quantity, .seen_fen = -1};
    op_last(op, slot_id, &q_give, DB_ARGS(db_int("quantity", quantity), db_int("id", slot_id)), explain_give, taking);
}

struct run_out {
    int64_t id;
    char order_no[NUMBER_BYTES];
    bool coded; /* a payment code of it may still be paid */
};
struct run_out_read {
    int64_t slot_id, dead_minutes;
    struct arena *arena;
    struct run_out *holds;
    size_t count;
};

static enum fd_code run_out_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct run_out_read *read = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(
        db, &q_run_out, DB_ARGS(db_int("slot", read->slot_id), db_int("dead", read->dead_minutes)), &rows, err);
    if (code)
        return code;
    read->holds = arena_array(read->arena, db_row_count(rows) + 1, sizeof *read->holds);
    read->count = 0;
    while (db_next(rows)) {
        struct run_out *hold = &read->holds[read->count++];
        hold->id = db_get_int(rows, 0);
        cut_copy(hold->order_no, sizeof hold->order_no, db_get_text(rows, 1));
        hold->coded = db_get_int(rows, 2) != 0;
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code slot_free_run_out(struct desk *desk, int64_t slot_id, struct fd_error *err)
{
    struct arena arena = {0};
    struct run_out_read read = {.slot_id = slot_id, .dead_minutes = order_dead_minutes(desk), .arena = &arena};
    struct fd_error live = {0};
    int64_t freed = 0;
    bool done, paid;
    enum fd_code code = desk_read(desk, "slot.run_out", run_out_txn, &read, err);
    for (size_t i = 0; code == FD_OK && i < read.count && !FD_TOOTH("free_run_out"); i++) {
        const struct run_out *hold = &read.holds[i];
        if (hold->coded && freed > 0)
            break;
        enum fd_code ended = hold->coded ? codes_end(desk, hold->order_no, &paid, &live) : FD_OK;
        if (ended == FD_LIVE_CODE)
            continue;
        if (ended != FD_OK && err)
            *err = live;
        code = ended == FD_OK ? venue_expire(desk, hold->id, &done, err) : ended;
        freed += code == FD_OK && done;
    }
    arena_release(&arena);
    if (code == FD_OK && freed == 0 && live.code == FD_LIVE_CODE) {
        if (err)
            *err = live;
        return FD_LIVE_CODE;
    }
    return code;
}
