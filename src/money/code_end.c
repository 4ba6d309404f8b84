/* Codes that must be final before something else may happen, and the worker that asks about all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "core/param.h"
#include "money/code_internal.h"

DB_QUERY(q_any, "code.any", DB_VALUE,
         "SELECT (SELECT COUNT(*) FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
         "WHERE a.order_no = :order_no AND p.status = 'CREATED') + "
         "(SELECT COUNT(*) FROM payment_record q WHERE q.order_no = :order_no AND q.status = 'CREATED' "
         "AND q.operator IS NULL)");
/* Growing pauses, and at once when its time is over; once more when "not exist" has become final. */
DB_QUERY(q_due, "code.due", DB_ROWS,
         "SELECT p.id FROM payment_record p WHERE p.status = 'CREATED' AND p.channel = :channel "
         "AND p.operator IS NOT NULL AND (p.asked_at IS NULL "
         "OR p.asked_at < NOW() - INTERVAL CASE LEAST(p.tries, 6) WHEN 0 THEN 5 WHEN 1 THEN 30 WHEN 2 THEN 60 "
         "WHEN 3 THEN 180 WHEN 4 THEN 300 WHEN 5 THEN 600 ELSE 1800 END SECOND "
         "OR (p.code_until < NOW() AND p.asked_at < p.code_until) "
         "OR (p.code_until + INTERVAL :late SECOND < NOW() AND p.asked_at < p.code_until + INTERVAL :late SECOND)) "
         "ORDER BY p.asked_at LIMIT :most");

enum fd_code codes_live(struct db *db, const char *order_no, bool *live, struct fd_error *err)
{
    int64_t count = 0;
    enum fd_code code = db_value_int(db, &q_any, DB_ARGS(db_text("order_no", order_no)), &count, err);
    *live = code == FD_OK && count > 0;
    return code;
}

struct ending {
    struct desk *desk;
    const char *order_no;
    struct arena arena;
    struct order *order; /* NULL: unknown */
    int64_t *ids;
    size_t count;
    wall_t until; /* when the last of those that are not final can be; WALL_NONE: nobody knows */
    wall_t now;
    enum channel_id beside; /* of what may be opened beside them; CHANNEL_COUNT: nothing */
    bool paid, stuck;
    bool in_the_way; /* of those that are not final one at least may have been seen by a customer, or is of `beside` */
};

static enum fd_code ending_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct ending *ending = arg;
    const struct order_kind *const *kinds;
    size_t kind_count = order_kinds(&kinds);
    enum fd_code code = code_live_ids(db, ending->order_no, true, &ending->arena, &ending->ids, &ending->count, err);
    ending->order = NULL;
    for (size_t i = 0; code == FD_OK && ending->count > 0 && i < kind_count && !ending->order; i++)
        code = kinds[i]->load_no(db, ending->order_no, &ending->arena, &ending->order, err);
    return code;
}

/* A code of the online system says nowhere until when it may be paid: until its order's time is over. */
static wall_t row_until(const struct ending *ending, const struct code_row *row)
{
    return row->online && ending->order ? ending->order->expire_time : row->until;
}

static int64_t online_dead_s(struct desk *desk)
{
    return 60 * param_get(desk, PARAM_CODE_DEAD_MINUTES);
}

static void note_stuck(struct ending *ending, const struct code_row *row, wall_t until, bool unknown_there)
{
    ending->stuck = true;
    ending->in_the_way = ending->in_the_way || !unknown_there || row->channel == ending->beside;
    ending->now = row->now;
    if (until != WALL_NONE && row->channel == CHANNEL_ALIPAY)
        until += CODE_ALIPAY_LATE_S;
    else if (until != WALL_NONE && unknown_there)
        until += row->online ? online_dead_s(ending->desk) : CODE_WECHAT_LATE_S;
    if (until != WALL_NONE && (ending->until == WALL_NONE || until > ending->until))
        ending->until = until;
}

/* Nobody here can ask that channel: a code of the online system counts as dead long after its time. */
static enum fd_code end_unasked(struct desk *desk, struct ending *ending, const struct code_row *row,
                                struct fd_error *err)
{
    wall_t until = row_until(ending, row);
    if (!row->online || until == WALL_NONE) {
        note_stuck(ending, row, until, false);
        return FD_OK;
    }
    until += online_dead_s(desk);
    if (row->now <= until) {
        note_stuck(ending, row, until, false);
        return FD_OK;
    }
    return code_give_up(desk, row->id, "TIME", err);
}

/* One of the online system that WeChat neither has nor takes from us: dead by then too, and on better grounds. */
static bool is_forgotten(const struct ending *ending, const struct code_row *row)
{
    return row->online && row->channel == CHANNEL_WECHAT && row->until != WALL_NONE &&
           row->now > row->until + online_dead_s(ending->desk);
}

static enum fd_code end_row(struct desk *desk, struct ending *ending, int64_t id, struct fd_error *err)
{
    struct code_row row, after;
    struct channel *channel;
    struct fd_error missing = {0};
    enum code_there there = THERE_SILENT;
    enum fd_code code = code_row_load(desk, id, &row, err);
    if (code != FD_OK)
        return code;
    if (code_is_live(&row)) {
        if (desk_channel(desk, row.channel, &channel, &missing) != FD_OK)
            return end_unasked(desk, ending, &row, err);
        row.until = row_until(ending, &row);
        code = code_end_one(desk, channel, &row, &there, err);
        if (code == FD_OK && there == THERE_NOT && is_forgotten(ending, &row))
            code = code_give_up(desk, row.id, "NOT_FOUND", err);
        if (code == FD_OK)
            code = code_row_load(desk, id, &after, err);
        if (code != FD_OK)
            return code;
        if (code_is_live(&after))
            note_stuck(ending, &after, row.until, there == THERE_NOT);
        row = after;
    }
    ending->paid = ending->paid || strcmp(row.status, "SUCCESS") == 0;
    return FD_OK;
}

static enum fd_code still_live(const struct ending *ending, struct fd_error *err)
{
    char until[WALL_TEXT], number[4 * NUMBER_BYTES];
    text_clean(number, sizeof number, ending->order_no);
    if (ending->until != WALL_NONE && ending->until > ending->now)
        return fd_fail(err, FD_LIVE_CODE,
                       _("A payment code of order %s may still be paid; its place stays taken until %s."), number,
                       wall_sql(ending->until, until));
    fd_fail(err, FD_LIVE_CODE,
            _("A payment code of order %s is not final: the channel does not say what became of it. Its place stays "
              "taken until it does."),
            number);
    fd_hint(err, _("Try again in a minute."));
    return FD_LIVE_CODE;
}

enum fd_code codes_end(struct desk *desk, const char *order_no, bool *paid, struct fd_error *err)
{
    bool may = false;
    return codes_end_beside(desk, order_no, CHANNEL_COUNT, paid, &may, err);
}

enum fd_code codes_end_beside(struct desk *desk, const char *order_no, enum channel_id beside, bool *paid, bool *may,
                              struct fd_error *err)
{
    struct ending ending = {.desk = desk, .order_no = order_no, .until = WALL_NONE, .beside = beside};
    *paid = *may = false;
    FD_ASSERT(!desk->in_txn);
    enum fd_code code = desk_read(desk, "code.ending", ending_txn, &ending, err);
    if (code == FD_OK && ending.count > 0 && desk->no_channel)
        code = fd_fail(err, FD_LIVE_CODE, _("A payment code of order %s may still be paid."), order_no);
    for (size_t i = 0; code == FD_OK && i < ending.count; i++)
        code = end_row(desk, &ending, ending.ids[i], err);
    *paid = ending.paid;
    *may = code == FD_OK && ending.stuck && !ending.in_the_way;
    if (code == FD_OK && ending.stuck)
        code = still_live(&ending, err);
    arena_release(&ending.arena);
    return code;
}

struct clearing {
    const char *number;
    char order_no[NUMBER_BYTES];
    bool live;
};

static enum fd_code clear_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct clearing *clearing = arg;
    struct arena arena = {0};
    struct order *order;
    clearing->live = false;
    enum fd_code code = order_find(db, clearing->number, &arena, &order, err);
    if (code == FD_OK) {
        cut_copy(clearing->order_no, sizeof clearing->order_no, order->order_no);
        code = codes_live(db, order->order_no, &clearing->live, err);
    }
    arena_release(&arena);
    return code;
}

enum fd_code codes_clear(struct desk *desk, const char *number, bool *cleared, struct fd_error *err)
{
    struct clearing clearing = {.number = number};
    bool paid;
    *cleared = false;
    enum fd_code code = desk_read(desk, "code.clear", clear_txn, &clearing, err);
    if (code == FD_OK && clearing.live)
        code = codes_end(desk, clearing.order_no, &paid, err);
    *cleared = code == FD_OK && clearing.live;
    return code;
}

/* The worker -------------------------------------------------------------------------------------------- */

struct due {
    struct desk *desk;
    size_t most;
    struct arena arena;
    int64_t *ids;
    size_t count;
};

static enum fd_code add_due(struct db *db, struct due *due, struct db_query *query, const struct db_arg *args,
                            size_t arg_count, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, args, arg_count, &rows, err);
    if (code != FD_OK)
        return code;
    while (due->count < due->most && db_next(rows))
        due->ids[due->count++] = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code due_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct due *due = arg;
    const struct order_kind *const *kinds;
    size_t kind_count = order_kinds(&kinds);
    const struct db_arg most = db_int("most", (int64_t)due->most);
    enum fd_code code = FD_OK;
    due->ids = arena_array(&due->arena, due->most + 1, sizeof *due->ids);
    due->count = 0;
    for (int id = 0; code == FD_OK && id < CHANNEL_COUNT; id++)
        if (channels_get(due->desk->channels, (enum channel_id)id))
            code = add_due(db, due, &q_due,
                           DB_ARGS(db_text("channel", channel_name((enum channel_id)id)), most,
                                   db_int("late", code_late_s((enum channel_id)id))),
                           err);
    for (size_t i = 0; code == FD_OK && i < kind_count; i++)
        if (kinds[i]->codes_due)
            code = add_due(db, due, kinds[i]->codes_due, DB_ARGS(most), err);
    return code;
}

struct sweeping {
    int64_t id;
    struct code_row row;
    char order_no[NUMBER_BYTES];
    bool owes; /* some order still owes what it would pay */
};

static enum fd_code sweeping_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct sweeping *sweeping = arg;
    struct arena arena = {0};
    struct code_share *shares;
    size_t count = 0;
    sweeping->owes = false;
    enum fd_code code = code_row_read(db, sweeping->id, &sweeping->row, err);
    if (code == FD_OK)
        code = code_shares(db, &sweeping->row, &arena, &shares, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++)
        sweeping->owes = sweeping->owes || (shares[i].order && (shares[i].waits || order_owes(shares[i].order) > 0));
    if (code == FD_OK && count > 0)
        cut_copy(sweeping->order_no, sizeof sweeping->order_no, shares[0].order_no);
    arena_release(&arena);
    return code;
}

/* One code that is due: asked, or closed where its time is over or nobody owes anything any more. */
static enum fd_code sweep_one(struct desk *desk, int64_t id, bool *mine, struct fd_error *err)
{
    struct sweeping sweeping = {.id = id};
    struct channel *channel;
    bool ignored;
    enum fd_code code = desk_read(desk, "code.sweeping", sweeping_txn, &sweeping, err);
    if (code == FD_OK)
        code = code_claim(desk, id, true, mine, err);
    if (code != FD_OK || !*mine)
        return code;
    if (sweeping.row.online) {
        code = codes_end(desk, sweeping.order_no, &ignored, err);
        return code == FD_LIVE_CODE ? FD_OK : code;
    }
    code = desk_channel(desk, sweeping.row.channel, &channel, err);
    if (code != FD_OK)
        return code;
    if (sweeping.row.until < sweeping.row.now || !sweeping.owes)
        return code_end_one(desk, channel, &sweeping.row, NULL, err);
    return code_ask(desk, channel, &sweeping.row, "poll", &ignored, err);
}

enum fd_code codes_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    struct due due = {.desk = desk, .most = most};
    struct fd_error first = {0};
    enum fd_code result = FD_OK;
    *done = 0;
    /* What is wrong with that file must not keep the worker from everything else. */
    if (code_channels_read(desk, &first) != FD_OK) {
        log_error(&first);
        return FD_OK;
    }
    /* Where nobody may ask, nothing is due: what the online system opened dies with time. */
    if (desk->no_channel || (!desk_has_channel(desk, CHANNEL_WECHAT) && !desk_has_channel(desk, CHANNEL_ALIPAY)))
        return FD_OK;
    enum fd_code code = desk_read(desk, "code.due", due_txn, &due, err);
    for (size_t i = 0; code == FD_OK && i < due.count; i++) {
        struct fd_error local = {0};
        bool mine = false;
        enum fd_code this_code = sweep_one(desk, due.ids[i], &mine, &local);
        *done += mine;
        /* One that cannot be ended must not keep the others. */
        if (this_code != FD_OK && result == FD_OK) {
            result = this_code;
            first = local;
        }
        if (this_code == FD_DB_DOWN)
            break;
    }
    arena_release(&due.arena);
    if (code == FD_OK && result != FD_OK && err)
        *err = first;
    return code == FD_OK ? result : code;
}
