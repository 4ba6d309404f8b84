#include "cli/demo.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "core/customer.h"
#include "core/operator.h"
#include "db/server.h"
#include "jobs/jobs.h"
#include "venue/booking.h"

#define MARK          ".frontdesk-demo" /* ./demo puts it into the folder that it may fill and empty */
#define PASSWORD      "demo"
#define READ_LIMIT_MS 5000

DB_QUERY(q_account, "demo.account", DB_ROW,
         "SELECT id, display_name, role FROM operator_account WHERE name = :name AND disabled = 0");
DB_QUERY(q_last_day, "demo.last_day", DB_ROW, "SELECT MAX(schedule_date) FROM venue_schedule");

enum fd_code demo_act_as(struct desk *desk, const char *name, struct fd_error *err)
{
    struct db_rows *rows = NULL;
    enum fd_code code = db_select(desk->db, &q_account, DB_ARGS(db_text("name", name)), &rows, err);
    if (code == FD_OK && !db_next(rows))
        code = fd_fail(err, FD_NOT_FOUND, _("There is no operator %s."), name);
    if (code == FD_OK) {
        operator_sign_out(desk);
        desk->operator_id = db_get_int(rows, 0);
        cut_copy(desk->operator, sizeof desk->operator, name);
        cut_copy(desk->operator_label, sizeof desk->operator_label, db_get_text(rows, 1));
        desk->role = role_from_name(db_get_text(rows, 2));
    }
    db_rows_close(&rows);
    db_rollback(desk->db);
    return code;
}

/* Nothing but a folder that ./demo has marked is ever filled with made-up orders. */
static enum fd_code check_mark(const struct config *config, struct fd_error *err)
{
    struct server server = {0};
    const char *folder = config_text(config, CONFIG_DATA);
    if (!desk_is_private(config))
        return fd_fail(err, FD_REFUSED, "%s", _("The demo works on its own private database only."));
    enum fd_code code = server_init(&server, *folder ? folder : NULL, err);
    if (code != FD_OK)
        return code;
    char *mark = xprintf("%s/%s", server.folder, MARK);
    if (access(mark, F_OK) != 0) {
        code = fd_fail(err, FD_REFUSED, _("%s is not a folder of the demo."), server.folder);
        fd_hint(err, "%s", _("Run ./demo in the source tree."));
    }
    free(mark);
    server_release(&server);
    return code;
}

static enum fd_code add_operators(struct desk *desk, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    for (const struct demo_operator *each = demo_operators; code == FD_OK && each->name; each++) {
        const struct operator_new who = {
            .name = each->name, .label = each->label, .role = each->role, .password = PASSWORD};
        code = operator_add(desk, NULL, &who, err);
        if (code == FD_OK && each == demo_operators)
            code = demo_act_as(desk, each->name, err);
    }
    return code;
}

static enum fd_code add_customers(struct desk *desk, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    for (const struct demo_customer *each = demo_customers; code == FD_OK && each->phone; each++) {
        const struct customer_edit edit = {
            .phone = each->phone, .name = each->name, .note = each->note, .alert = each->alert};
        int64_t id;
        code = customer_add(desk, NULL, &edit, &id, err);
    }
    return code;
}

static enum fd_code add_venues(struct desk *desk, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    for (const struct demo_venue *each = demo_venues; code == FD_OK && each->edit.name; each++) {
        int64_t id;
        code = venue_add(desk, NULL, &each->edit, &id, err);
    }
    return code;
}

static const struct demo_venue *demo_venue_named(const char *name)
{
    for (const struct demo_venue *each = demo_venues; each->edit.name; each++)
        if (strcmp(each->edit.name, name) == 0)
            return each;
    return NULL;
}

static enum fd_code add_slots(struct desk *desk, const struct venue *venue, day_t from, day_t to, struct fd_error *err)
{
    const struct demo_venue *demo = demo_venue_named(venue->name);
    struct arena arena = {0};
    struct slot_made made;
    /* Venues that the user has added or renamed keep the slots that the user gives them. */
    if (!demo)
        return FD_OK;
    const struct slot_plan plan = {
        .venue_id = venue->id,
        .from = from,
        .to = to,
        .open_minute = demo->open_minute,
        .close_minute = demo->close_minute,
        .length_minutes = demo->length_minutes,
        .total_count = demo->total_count,
        .price_fen = demo->price_fen,
        .bands = demo->bands,
        .band_count = demo->band_count,
    };
    enum fd_code code = slot_generate(desk, NULL, &plan, &arena, &made, err);
    arena_release(&arena);
    return code;
}

struct venues_read {
    struct arena *arena;
    struct venue *rows;
    size_t count;
};

static enum fd_code read_venues(struct db *db, void *arg, struct fd_error *err)
{
    struct venues_read *read = arg;
    return venue_list(db, NULL, false, read->arena, &read->rows, &read->count, err);
}

static enum fd_code make_slots(struct desk *desk, day_t from, day_t to, struct fd_error *err)
{
    struct arena arena = {0};
    struct venues_read read = {.arena = &arena};
    enum fd_code code = demo_act_as(desk, "admin", err);
    if (code == FD_OK)
        code = desk_read(desk, "demo.venues", read_venues, &read, err);
    for (size_t i = 0; code == FD_OK && i < read.count; i++)
        code = add_slots(desk, &read.rows[i], from, to, err);
    arena_release(&arena);
    return code;
}

/* Back to the real clock, and what has run out by now is settled. */
static enum fd_code settle(struct desk *desk, struct fd_error *err)
{
    struct pass pass = {0};
    enum fd_code code = db_set_clock(desk->db, WALL_NONE, err);
    if (code == FD_OK)
        code = operator_act_as_worker(desk, err);
    return code == FD_OK ? worker_pass(desk, &pass, err) : code;
}

/* Two thousand transactions need not each wait for the disk: what is not whole in the end is thrown away. The server is
 * the demo's own. */
static enum fd_code set_durable(struct desk *desk, bool durable, struct fd_error *err)
{
    return db_run(desk->db,
                  durable ? "SET GLOBAL innodb_flush_log_at_trx_commit = 1"
                          : "SET GLOBAL innodb_flush_log_at_trx_commit = 0",
                  err);
}

static enum fd_code fill(struct desk *desk, wall_t now, int64_t *orders, struct fd_error *err)
{
    day_t today = wall_day(now);
    struct demo_play play = {
        .from = today - DEMO_DAYS_BEFORE,
        .to = today + DEMO_DAYS_AFTER,
        .begin = wall_at(today - DEMO_DAYS_BEFORE - 1, 8 * 60),
        .now = now,
        .showcase = true,
    };
    enum fd_code code = db_set_clock(desk->db, play.begin, err);
    if (code == FD_OK)
        code = add_operators(desk, err);
    if (code == FD_OK)
        code = add_customers(desk, err);
    if (code == FD_OK)
        code = add_venues(desk, err);
    if (code == FD_OK)
        code = make_slots(desk, play.from, play.to, err);
    if (code == FD_OK)
        code = demo_play(desk, &play, err);
    if (code == FD_OK)
        code = settle(desk, err);
    *orders = play.orders;
    return code;
}

static enum fd_code load(struct desk *desk, wall_t now, int64_t *orders, struct fd_error *err)
{
    struct fd_error ignored;
    enum fd_code code = set_durable(desk, false, err);
    if (code != FD_OK)
        return code;
    code = fill(desk, now, orders, err);
    db_rollback(desk->db);
    enum fd_code back = set_durable(desk, true, code == FD_OK ? err : &ignored);
    return code == FD_OK ? back : code;
}

static void tell(struct call *call, int64_t days, int64_t orders)
{
    call->answer = tree_object();
    tree_put_int(call->answer, "days", days);
    tree_put_int(call->answer, "orders", orders);
    call_say(call, _("%lld days and %lld orders were added to the demo."), (long long)days, (long long)orders);
}

static enum fd_code load_run(struct call *call, struct fd_error *err)
{
    bool empty = false;
    wall_t now = 0;
    int64_t orders = 0;
    enum fd_code code = check_mark(call->config, err);
    if (code == FD_OK)
        code = desk_open(call->config, &call->desk, err);
    if (code == FD_OK)
        code = operator_none_yet(call->desk, &empty, err);
    if (code == FD_OK && !empty)
        code = fd_fail(err, FD_EXISTS, "%s", _("The demo is loaded already."));
    if (code == FD_OK)
        code = desk_now(call->desk, &now, err);
    if (code == FD_OK)
        code = load(call->desk, now, &orders, err);
    if (code == FD_OK)
        tell(call, DEMO_DAYS_BEFORE + 1 + DEMO_DAYS_AFTER, orders);
    return code;
}

static enum fd_code read_last_day(struct db *db, void *arg, struct fd_error *err)
{
    struct db_rows *rows = NULL;
    day_t *day = arg;
    enum fd_code code = db_select(db, &q_last_day, DB_NO_ARGS, &rows, err);
    *day = code == FD_OK && db_next(rows) ? db_get_day(rows, 0) : DAY_NONE;
    db_rows_close(&rows);
    return code;
}

/* The days from the last one that exists to the last one that should. No worker may run meanwhile: it would release by
 * the real clock what is booked under an earlier one. Where no day is added, what is due is left to the worker. */
static enum fd_code add_days(struct desk *desk, wall_t now, int64_t *days, int64_t *orders, struct fd_error *err)
{
    day_t today = wall_day(now), last = DAY_NONE;
    enum fd_code code = desk_read(desk, "demo.last_day", read_last_day, &last, err);
    struct demo_play play = {.to = today + DEMO_DAYS_AFTER, .begin = wall_at(today, 0), .now = now};
    play.from = last < today || last == DAY_NONE ? today : last + 1;
    *days = play.to >= play.from ? play.to - play.from + 1 : 0;
    if (code == FD_OK && *days > 0)
        code = make_slots(desk, play.from, play.to, err);
    if (code == FD_OK && *days > 0)
        code = demo_play(desk, &play, err);
    *orders = play.orders;
    return code == FD_OK && *days > 0 ? settle(desk, err) : code;
}

static enum fd_code days_run(struct call *call, struct fd_error *err)
{
    wall_t now = 0;
    int64_t days = 0, orders = 0;
    enum fd_code code = check_mark(call->config, err);
    if (code == FD_OK)
        code = desk_open(call->config, &call->desk, err);
    if (code == FD_OK)
        code = desk_now(call->desk, &now, err);
    if (code == FD_OK)
        code = add_days(call->desk, now, &days, &orders, err);
    if (code == FD_OK)
        tell(call, days, orders);
    return code;
}

const struct action demo_actions[] = {
    {"demo", "load", NULL, N_("fill the demo's empty database (./demo does it)"), NULL, NULL, NULL, A_NO_DB, "",
     load_run},
    {"demo", "days", NULL, N_("add the days that the demo lacks (./demo does it)"), NULL, NULL, NULL, A_NO_DB, "",
     days_run},
    {0},
};
