/* Schedules in bulk: the slots of a venue by weekday, hours, slot length and price by time of day.
 * Source: domain section 2. */
#include "base/fault.h"
#include "base/text.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_DAYS_MOST 400
#define LENGTH_LEAST   5
#define PLACES_MOST    100000
#define DAY_MINUTES    (24 * 60)

DB_QUERY(q_venue, "schedule.venue", DB_ROW, "SELECT v.name, v.stock_form FROM venue v WHERE v.id = :id");
DB_QUERY(q_existing, "schedule.existing", DB_ROWS,
         "SELECT s.schedule_date, s.start_time, s.end_time FROM venue_schedule s WHERE s.venue_id = :venue "
         "AND s.schedule_date BETWEEN :from AND :to ORDER BY s.schedule_date, s.start_time, s.end_time");
DB_QUERY(q_insert, "schedule.insert", DB_NONE,
         "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, price, "
         "status, version, create_time) VALUES (:venue, :day, :start, :end, :total, :total, :price, 1, 0, NOW())");

struct span {
    day_t day;
    int start, end;
};

struct plan_run {
    const struct slot_plan *plan; /* as asked */
    struct slot_plan filled;      /* with what the venue's form leaves open */
    const char *venue;
    struct span *existing; /* by day, start */
    size_t existing_count, at;
    int64_t made, existed, refused;
    char *first_refusal; /* owned; NULL none */
};

static enum fd_code plan_check(const struct slot_plan *plan, struct fd_error *err)
{
    if (plan->from == DAY_NONE || plan->to == DAY_NONE || plan->to < plan->from)
        return fd_fail(err, FD_BAD_INPUT, _("The last day is before the first."));
    if (plan->to - plan->from >= PLAN_DAYS_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("At most %d days at once."), PLAN_DAYS_MOST);
    if (plan->open_minute < 0 || plan->close_minute > DAY_MINUTES || plan->open_minute >= plan->close_minute)
        return fd_fail(err, FD_BAD_INPUT, _("The opening hours are empty."));
    if (plan->price_fen < 0 || plan->price_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("This price is not possible."));
    if (plan->total_count < 0 || plan->total_count > PLACES_MOST)
        return fd_fail(err, FD_BAD_INPUT, _("This number of places is not possible."));
    for (size_t i = 0; i < plan->band_count; i++) {
        const struct price_band *band = &plan->bands[i];
        if (band->from_minute >= band->to_minute || band->price_fen < 0 || band->price_fen > FEN_DECIMAL_MAX)
            return fd_fail(err, FD_BAD_INPUT, _("Price band %zu is not possible."), i + 1);
    }
    return FD_OK;
}

/* What the form of the venue decides: a court has one place, a DAILY pool one slot a day. */
static enum fd_code plan_fill(struct slot_plan *plan, const char *form, struct fd_error *err)
{
    bool court = strcmp(form, "COURT") == 0;
    if (strcmp(form, "DAILY") == 0)
        plan->length_minutes = plan->close_minute - plan->open_minute;
    if (plan->length_minutes < LENGTH_LEAST || plan->length_minutes > DAY_MINUTES)
        return fd_fail(err, FD_BAD_INPUT, _("A slot has at least %d minutes."), LENGTH_LEAST);
    if (court && plan->total_count > 1)
        return fd_fail(err, FD_BAD_INPUT, _("A court has one place a slot."));
    if (court)
        plan->total_count = 1;
    if (plan->total_count < 1)
        return fd_fail(err, FD_BAD_INPUT, _("How many places has a slot?"));
    return FD_OK;
}

static int64_t plan_price(const struct slot_plan *plan, int start, unsigned weekday)
{
    for (size_t i = 0; i < plan->band_count; i++) {
        const struct price_band *band = &plan->bands[i];
        bool fits_day = band->weekdays == 0 || (band->weekdays & weekday);
        if (fits_day && start >= band->from_minute && start < band->to_minute)
            return band->price_fen;
    }
    return plan->price_fen;
}

static enum fd_code read_existing(struct op *op, struct plan_run *run, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(
        op_db(op), &q_existing,
        DB_ARGS(db_int("venue", run->filled.venue_id), db_day("from", run->filled.from), db_day("to", run->filled.to)),
        &rows, err);
    if (code)
        return code;
    run->existing = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof *run->existing);
    run->existing_count = run->at = 0;
    while (db_next(rows))
        run->existing[run->existing_count++] =
            (struct span){.day = db_get_day(rows, 0), .start = db_get_minute(rows, 1), .end = db_get_minute(rows, 2)};
    db_rows_close(&rows);
    return FD_OK;
}

/* The slot of that day that the new one would overlap, or that is the same; NULL where there is room. */
static const struct span *find_conflict(struct plan_run *run, day_t day, int start, int end)
{
    while (run->at < run->existing_count && run->existing[run->at].day < day)
        run->at++;
    const struct span *conflict = NULL;
    for (size_t i = run->at; i < run->existing_count && run->existing[i].day == day; i++) {
        const struct span *span = &run->existing[i];
        if (span->start == start && span->end == end)
            return span;
        if (!conflict && span->start < end && start < span->end)
            conflict = span;
    }
    return conflict;
}

static void note_refusal(struct plan_run *run, struct op *op, day_t day, int start, int end,
                         const struct span *conflict)
{
    run->refused++;
    if (run->first_refusal)
        return;
    struct arena *arena = op_arena(op);
    run->first_refusal = xprintf(_("%s overlaps %s."), place_text(arena, run->venue, day, start, end, DAY_NONE),
                                 place_text(arena, run->venue, day, conflict->start, conflict->end, day));
}

static enum fd_code make_slot(struct op *op, struct plan_run *run, day_t day, int start, struct fd_error *err)
{
    const struct slot_plan *plan = &run->filled;
    int end = start + plan->length_minutes;
    const struct span *conflict = find_conflict(run, day, start, end);
    if (conflict && conflict->start == start && conflict->end == end) {
        run->existed++;
        return FD_OK;
    }
    if (conflict) {
        note_refusal(run, op, day, start, end, conflict);
        return FD_OK;
    }
    int64_t price = plan_price(plan, start, 1u << (day_weekday(day) - 1));
    enum fd_code code =
        db_exec(op_db(op), &q_insert,
                DB_ARGS(db_int("venue", plan->venue_id), db_day("day", day), db_minute("start", start),
                        db_minute("end", end), db_int("total", plan->total_count), db_fen("price", price)),
                NULL, err);
    /* Somebody who does not lock the venue first made it meanwhile. */
    if (code == FD_EXISTS)
        return fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        FD_POINT("slot_inserted");
    run->made += code == FD_OK;
    return code;
}

static enum fd_code make_all(struct op *op, struct plan_run *run, struct fd_error *err)
{
    const struct slot_plan *plan = &run->filled;
    enum fd_code code = FD_OK;
    for (day_t day = plan->from; code == FD_OK && day <= plan->to; day++) {
        unsigned weekday = 1u << (day_weekday(day) - 1);
        if (plan->weekdays && !(plan->weekdays & weekday))
            continue;
        for (int start = plan->open_minute; code == FD_OK && start + plan->length_minutes <= plan->close_minute;
             start += plan->length_minutes)
            code = make_slot(op, run, day, start, err);
    }
    return code;
}

static enum fd_code read_venue(struct op *op, struct plan_run *run, struct fd_error *err)
{
    struct db_rows *rows;
    char form[81] = "";
    enum fd_code code = db_select(op_db(op), &q_venue, DB_ARGS(db_int("id", run->filled.venue_id)), &rows, err);
    if (code)
        return code;
    if (db_next(rows)) {
        run->venue = row_text(rows, 0, op_arena(op));
        cut_copy(form, sizeof form, db_get_text(rows, 1));
    }
    db_rows_close(&rows);
    return plan_fill(&run->filled, form, err);
}

static void answer(struct op *op, const struct plan_run *run)
{
    struct tree *tree = tree_object();
    tree_put_int(tree, "made", run->made);
    tree_put_int(tree, "existed", run->existed);
    tree_put_int(tree, "refused", run->refused);
    tree_put_text(tree, "first_refusal", run->first_refusal ? run->first_refusal : "");
    char *json = tree_dump(tree);
    char no[24];
    fit_printf(no, "%" PRId64, run->filled.venue_id);
    op_result(op, json);
    op_log(op, &(struct log_entry){.entity = "venue", .entity_no = no, .event = "generate", .after = json});
    free(json);
    tree_free(&tree);
}

static enum fd_code generate_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct plan_run *run = arg;
    run->filled = *run->plan;
    run->made = run->existed = run->refused = 0;
    free(run->first_refusal);
    run->first_refusal = NULL;
    /* The lock first: what is read behind it cannot be passed by another writer of this venue. */
    enum fd_code code = venue_touch(op_db(op), run->filled.venue_id, err);
    if (code == FD_OK)
        code = read_venue(op, run, err);
    if (code == FD_OK)
        code = read_existing(op, run, err);
    if (code == FD_OK)
        code = make_all(op, run, err);
    if (code == FD_OK)
        answer(op, run);
    return code;
}

static const char *plan_content(struct arena *arena, const struct slot_plan *plan)
{
    struct buf text = {0};
    buf_printf(&text, "%" PRId64 " %d %d %u %d %d %d %" PRId64 " %" PRId64, plan->venue_id, plan->from, plan->to,
               plan->weekdays, plan->open_minute, plan->close_minute, plan->length_minutes, plan->total_count,
               plan->price_fen);
    for (size_t i = 0; i < plan->band_count; i++)
        buf_printf(&text, " %d-%d=%" PRId64 "/%u", plan->bands[i].from_minute, plan->bands[i].to_minute,
                   plan->bands[i].price_fen, plan->bands[i].weekdays);
    const char *copy = arena_str(arena, buf_text(&text));
    buf_release(&text);
    return copy;
}

enum fd_code slot_generate(struct desk *desk, const char *key, const struct slot_plan *plan, struct arena *arena,
                           struct slot_made *made, struct fd_error *err)
{
    enum fd_code code = plan_check(plan, err);
    if (code)
        return code;
    struct plan_run run = {.plan = plan};
    char *result = NULL;
    struct op_spec spec = {
        .action = "slot.generate", .key = key, .content = plan_content(arena, plan), .apply = generate_apply};
    code = op_run(desk, &spec, &run, &result, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(result);
        *made = (struct slot_made){.made = tree_get_int(tree, "made"),
                                   .existed = tree_get_int(tree, "existed"),
                                   .refused = tree_get_int(tree, "refused"),
                                   .first_refusal = arena_str(arena, tree_get_text(tree, "first_refusal"))};
        if (!made->first_refusal)
            made->first_refusal = "";
        tree_free(&tree);
    }
    free(run.first_refusal);
    free(result);
    return code;
}
