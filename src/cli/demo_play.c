/* Lives of orders: each is booked, paid, cancelled, let in or forgotten at times of its own; all these deeds together
 * are done in the order of time, with the session's clock set to each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/demo.h"
#include "core/operator.h"
#include "jobs/jobs.h"
#include "venue/booking.h"

#define MINUTE      60
#define HOURS       3600
#define HOLD_END    (30 * MINUTE) /* holds for calls end so long before the start */
#define FREE_CANCEL (2 * HOURS)

DB_QUERY(q_online_take, "demo.online_take", DB_NONE,
         "UPDATE venue_schedule SET remain_count = remain_count - 1, version = version + 1 "
         "WHERE id = :slot AND status = 1 AND remain_count >= 1");
DB_QUERY(q_online_order, "demo.online_order", DB_NONE,
         "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
         "quantity, "
         "total_amount, status, expire_time, paid_time, create_time) "
         "SELECT :number, u.id, s.venue_id, s.id, s.schedule_date, s.start_time, s.end_time, 1, s.price, 'PAID', "
         "NOW() + INTERVAL 15 MINUTE, NOW(), NOW() FROM venue_schedule s JOIN t_user u ON u.phone = :phone WHERE s.id "
         "= :slot");
DB_QUERY(q_online_pay, "demo.online_pay", DB_NONE,
         "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time, notify_status, "
         "created_at) "
         "SELECT o.order_no, CONCAT('4200', o.order_no), 'WECHAT', o.total_amount, 'SUCCESS', NOW(), 'DONE', NOW() "
         "FROM reserve_order o WHERE o.order_no = :number");

#define SCENE_CUSTOMERS 8 /* the last ones; see scenes */
#define EXAMPLE_FIRST   1024 /* slots that the manual's examples book: left free */
#define EXAMPLE_LAST    1025

/* What becomes of an order. */
enum fate { AT_ONCE, CALL, NO_SHOW, CALL_OFF, GIVE_BACK, RUN_OUT, ONLINE, FATE_COUNT };
static const unsigned fate_percent[FATE_COUNT] = {
    [AT_ONCE] = 50, [CALL] = 14, [NO_SHOW] = 7, [CALL_OFF] = 6, [GIVE_BACK] = 5, [RUN_OUT] = 6, [ONLINE] = 12,
};

struct life {
    int64_t slot_id, quantity;
    const struct demo_customer *customer; /* NULL: 散客 */
    enum fate fate;
    enum tender tender;
    enum hold_kind hold;
    char number[NUMBER_BYTES];
    bool over; /* refused, as a clerk is refused at times: its other deeds fall away */
};

enum deed_kind { BOOK, BOOK_PAID, BOOK_ONLINE, PAY, CANCEL, COME, CLOSE };
struct deed {
    wall_t at;
    size_t order; /* of making: ties keep it */
    enum deed_kind kind;
    struct life *life;
};

struct stage {
    struct desk *desk;
    struct demo_play *play;
    struct arena arena;
    uint64_t seed;
    struct deed *deeds;
    size_t deed_count, deed_limit;
    int64_t swept_hour;
    int64_t sequence; /* of online numbers */
};

/* xorshift: the same demo on every machine. */
static unsigned dice(struct stage *stage, unsigned sides)
{
    stage->seed ^= stage->seed << 13;
    stage->seed ^= stage->seed >> 7;
    stage->seed ^= stage->seed << 17;
    return (unsigned)((stage->seed >> 16) % sides);
}

static void plan_deed(struct stage *stage, struct life *life, enum deed_kind kind, wall_t at)
{
    /* What lies ahead has not happened; what came before the demo's begin is moved to it. */
    if (at > stage->play->now)
        return;
    if (stage->deed_count == stage->deed_limit) {
        stage->deed_limit = stage->deed_limit ? stage->deed_limit * 2 : 256;
        stage->deeds = xrealloc(stage->deeds, stage->deed_limit, sizeof *stage->deeds);
    }
    wall_t from = stage->play->begin;
    stage->deeds[stage->deed_count] = (struct deed){at < from ? from : at, stage->deed_count, kind, life};
    stage->deed_count++;
}

static enum fate pick_fate(struct stage *stage)
{
    unsigned roll = dice(stage, 100);
    for (int fate = 0; fate < FATE_COUNT; fate++) {
        if (roll < fate_percent[fate])
            return (enum fate)fate;
        roll -= fate_percent[fate];
    }
    return AT_ONCE;
}

/* When somebody thought of it: hours or days ahead, but never later than a moment ago. */
static wall_t made_at(struct stage *stage, wall_t start)
{
    wall_t now = stage->play->now, at = start - 3 * HOURS - dice(stage, 45 * HOURS);
    if (at > now - 10 * MINUTE)
        at = now - 10 * MINUTE - dice(stage, 10 * HOURS);
    return at < stage->play->begin ? stage->play->begin + dice(stage, 2 * HOURS) : at;
}

static wall_t share(wall_t from, wall_t to, unsigned percent)
{
    return from + (to - from) * (wall_t)percent / 100;
}

/* The deeds of one life, from its fate. */
static void plan_life(struct stage *stage, struct life *life, wall_t start)
{
    wall_t made = made_at(stage, start), hold_end = start - HOLD_END - 10 * MINUTE;
    wall_t middle = share(made, hold_end, 20 + dice(stage, 70)), come = start - 50 * MINUTE + dice(stage, HOURS);
    switch (life->fate) {
    case AT_ONCE:
        plan_deed(stage, life, BOOK_PAID, made);
        plan_deed(stage, life, COME, come);
        break;
    case NO_SHOW:
        plan_deed(stage, life, BOOK_PAID, made);
        break;
    case CALL:
        plan_deed(stage, life, BOOK, made);
        plan_deed(stage, life, PAY, middle);
        plan_deed(stage, life, COME, come);
        break;
    case CALL_OFF:
        plan_deed(stage, life, BOOK, made);
        plan_deed(stage, life, CANCEL, middle);
        break;
    case GIVE_BACK:
        plan_deed(stage, life, BOOK_PAID, made);
        plan_deed(stage, life, CANCEL, share(made, start - FREE_CANCEL - 20 * MINUTE, 60));
        break;
    case RUN_OUT:
        plan_deed(stage, life, BOOK, made);
        break;
    case ONLINE:
        plan_deed(stage, life, BOOK_ONLINE, made);
        plan_deed(stage, life, COME, come);
        break;
    case FATE_COUNT:
        break;
    }
}

static struct life *new_life(struct stage *stage, const struct slot *slot, enum fate fate)
{
    /* Cash most of all; nobody pays a court with the other four as often. */
    static const enum tender tenders_taken[] = {TENDER_CASH,   TENDER_CASH, TENDER_CASH,
                                                TENDER_STATIC, TENDER_CARD, TENDER_VOUCHER};
    struct life *life = arena_alloc(&stage->arena, sizeof *life);
    bool equipment = strcmp(slot->form, "HOURLY") == 0 || strcmp(slot->form, "DAILY") == 0;
    life->slot_id = slot->id;
    life->fate = fate;
    life->quantity = strcmp(slot->form, "COURT") == 0 || fate == ONLINE ? 1 : 1 + dice(stage, equipment ? 3 : 2);
    life->hold = HOLD_BEFORE_START;
    life->customer = &demo_customers[dice(stage, DEMO_CUSTOMERS - SCENE_CUSTOMERS)];
    /* The manual's own examples book for the first one: no holds of hers may stand in the way. */
    if (life->customer == demo_customers && (fate == CALL || fate == CALL_OFF || fate == RUN_OUT))
        life->customer++;
    life->tender = tenders_taken[dice(stage, sizeof tenders_taken / sizeof *tenders_taken)];
    /* Finance keeps up with what it has to confirm: a handful is left. */
    if (tenders[life->tender].confirmed_later && dice(stage, 12) != 0)
        life->tender = TENDER_CARD;
    if (fate == GIVE_BACK)
        life->tender = TENDER_CASH;
    if (fate == AT_ONCE && dice(stage, 8) == 0)
        life->customer = NULL;
    return life;
}

/* A locker is taken by who comes in, on the day itself. */
static void plan_locker(struct stage *stage, struct life *life, day_t day)
{
    wall_t at = wall_at(day, 8 * 60) + dice(stage, 13 * HOURS);
    life->fate = AT_ONCE;
    plan_deed(stage, life, BOOK_PAID, at);
    plan_deed(stage, life, COME, at + MINUTE);
}

/* Per cent of a slot's own busyness: evenings fill up, nights and far days are quiet, past days are thinned out. */
static unsigned demand(const struct stage *stage, const struct slot *slot)
{
    int ahead = slot->day - wall_day(stage->play->now);
    unsigned by_hour = slot->start_minute < 8 * 60                                     ? 25
                       : slot->start_minute >= 18 * 60 && slot->start_minute < 22 * 60 ? 220
                                                                                       : 90;
    unsigned by_day = ahead < 0 ? 50 : ahead == 0 ? 100 : ahead < 5 ? 80 - 14 * (unsigned)ahead : 15;
    return by_hour * by_day / 100;
}

static const struct demo_venue *venue_of(const struct slot *slot)
{
    for (const struct demo_venue *each = demo_venues; each->edit.name; each++)
        if (strcmp(each->edit.name, slot->venue) == 0)
            return each;
    return NULL;
}

static void plan_slot(struct stage *stage, const struct slot *slot)
{
    const struct demo_venue *venue = venue_of(slot);
    bool court = strcmp(slot->form, "COURT") == 0, daily = strcmp(slot->form, "DAILY") == 0;
    unsigned rounds = court ? 1 : daily ? 6 : 3;
    if (slot->id >= EXAMPLE_FIRST && slot->id <= EXAMPLE_LAST)
        return;
    for (unsigned i = 0; venue && i < rounds; i++) {
        if (dice(stage, 100) >=
            venue->busy_percent * (daily ? 100 : demand(stage, slot)) / 100 / (court || daily ? 1 : 2))
            continue;
        struct life *life = new_life(stage, slot, pick_fate(stage));
        if (daily)
            plan_locker(stage, life, slot->day);
        else
            plan_life(stage, life, wall_at(slot->day, slot->start_minute));
    }
}

/* One order of each state that a clerk should meet today, whatever the hour: row by venue and start (-1: runs now). */
struct scene {
    const char *venue;
    int start_minute;
    enum fate fate;
    enum hold_kind hold;
    int ago; /* seconds before now; 0: early this morning, or a moment ago where it is earlier still */
};
static const struct scene scenes[SCENE_CUSTOMERS + 1] = {
    {"乒乓1台", -1, AT_ONCE, HOLD_BEFORE_START, 120},
    {"乒乓2台", -1, NO_SHOW, HOLD_BEFORE_START, 110}, /* paid, has not come yet */
    {"乒乓3台", -1, RUN_OUT, HOLD_MINUTES, 100},      /* held for another quarter of an hour */
    {"5号场", 22 * 60, CALL_OFF, HOLD_BEFORE_START, 0},
    {"5号场", 21 * 60, GIVE_BACK, HOLD_BEFORE_START, 0},
    {"5号场", 20 * 60, RUN_OUT, HOLD_MINUTES, 0},
    {"6号场", 12 * 60, FATE_COUNT, HOLD_MINUTES, 0}, /* closed */
    {"6号场", 13 * 60, FATE_COUNT, HOLD_MINUTES, 0},
    {NULL, 0, FATE_COUNT, HOLD_MINUTES, 0},
};

static const struct scene *scene_of(const struct stage *stage, const struct slot *slot)
{
    wall_t now = stage->play->now;
    if (!stage->play->showcase || slot->day != wall_day(now))
        return NULL;
    for (const struct scene *scene = scenes; scene->venue; scene++) {
        bool runs = slot->start_minute <= wall_minute(now) && wall_minute(now) < slot->end_minute;
        if (strcmp(scene->venue, slot->venue) == 0 &&
            (scene->start_minute < 0 ? runs : scene->start_minute == slot->start_minute))
            return scene;
    }
    return NULL;
}

static void plan_scene(struct stage *stage, const struct scene *scene, const struct slot *slot)
{
    wall_t now = stage->play->now, early = wall_at(wall_day(now), 7 * 60),
           start = wall_at(slot->day, slot->start_minute);
    wall_t late = now - 30 * MINUTE, at = scene->ago ? now - scene->ago : late < early ? late : early;
    struct life *life = new_life(stage, slot, scene->fate);
    life->hold = scene->hold;
    /* Customers of their own: nothing that the dice gave them may stand in the way. */
    life->customer = &demo_customers[DEMO_CUSTOMERS - SCENE_CUSTOMERS + (scene - scenes)];
    if (scene->fate == FATE_COUNT) {
        plan_deed(stage, life, CLOSE, at);
        return;
    }
    bool paid = scene->fate == AT_ONCE || scene->fate == NO_SHOW || scene->fate == GIVE_BACK;
    plan_deed(stage, life, paid ? BOOK_PAID : BOOK, at);
    if (scene->fate == AT_ONCE)
        plan_deed(stage, life, COME, at + MINUTE < start ? start : at + MINUTE);
    if (scene->fate == CALL_OFF || scene->fate == GIVE_BACK)
        plan_deed(stage, life, CANCEL, at + 2 * MINUTE);
}

struct day_read {
    struct stage *stage;
    day_t day;
    struct slot *slots;
    size_t count;
};

static enum fd_code read_day(struct db *db, void *arg, struct fd_error *err)
{
    struct day_read *read = arg;
    return slot_list(db, read->day, NULL, 0, &read->stage->arena, &read->slots, &read->count, err);
}

static enum fd_code plan_day(struct stage *stage, day_t day, struct fd_error *err)
{
    struct day_read read = {.stage = stage, .day = day};
    enum fd_code code = desk_read(stage->desk, "demo.day", read_day, &read, err);
    for (size_t i = 0; code == FD_OK && i < read.count; i++) {
        const struct scene *scene = scene_of(stage, &read.slots[i]);
        if (scene)
            plan_scene(stage, scene, &read.slots[i]);
        else
            plan_slot(stage, &read.slots[i]);
    }
    return code;
}

static struct payment payment_of(const struct life *life)
{
    struct payment payment = {.tender = life->tender};
    if (tenders[life->tender].needs_reference)
        payment.reference = life->tender == TENDER_VOUCHER ? "MT20261234567" : "062317";
    return payment;
}

static enum fd_code do_book(struct stage *stage, struct life *life, bool paid, struct fd_error *err)
{
    const struct payment payment = payment_of(life);
    struct booking_line line = {.slot_id = life->slot_id, .quantity = life->quantity, .seen_price_fen = -1};
    struct booked booked = {0};
    const struct booking booking = {
        .phone = life->customer ? life->customer->phone : NULL,
        .lines = &line,
        .line_count = 1,
        .hold = life->hold,
        .payment = paid ? &payment : NULL,
    };
    enum fd_code code = booking_make(stage->desk, NULL, &booking, &stage->arena, &booked, err);
    if (code == FD_OK) {
        cut_copy(life->number, sizeof life->number, booked.orders[0].order_no);
        stage->play->orders++;
    }
    return code;
}

struct online {
    const char *number, *phone;
    int64_t slot_id;
};

/* As the online system writes: stock first, no request of ours in the session. */
static enum fd_code online_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct online *online = arg;
    int64_t changed = 0;
    enum fd_code code = db_run(db, "SET @fd_session = NULL", err);
    if (code == FD_OK)
        code = db_exec(db, &q_online_take, DB_ARGS(db_int("slot", online->slot_id)), &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_SLOT_TAKEN, NULL);
    if (code == FD_OK)
        code = db_exec(db, &q_online_order,
                       DB_ARGS(db_text("number", online->number), db_text("phone", online->phone),
                               db_int("slot", online->slot_id)),
                       NULL, err);
    if (code == FD_OK)
        code = db_exec(db, &q_online_pay, DB_ARGS(db_text("number", online->number)), NULL, err);
    return code;
}

static enum fd_code do_online(struct stage *stage, struct life *life, wall_t at, struct fd_error *err)
{
    struct fd_error ignored;
    int year, month, day;
    day_split(wall_day(at), &year, &month, &day);
    fit_printf(life->number, "O%04d%02d%02d%04d%05" PRId64, year, month, day,
               wall_minute(at) / 60 * 100 + wall_minute(at) % 60, ++stage->sequence % 100000);
    struct online online = {life->number, life->customer->phone, life->slot_id};
    enum fd_code code = db_txn(stage->desk->db, "demo.online", 5000, online_txn, &online, err);
    enum fd_code back = db_run(stage->desk->db, "SET @fd_session = CONNECTION_ID()", code == FD_OK ? err : &ignored);
    if (code == FD_OK && back == FD_OK)
        stage->play->orders++;
    return code == FD_OK ? back : code;
}

static enum fd_code do_close(struct stage *stage, const struct life *life, struct fd_error *err)
{
    const struct slot_range range = {.ids = &life->slot_id, .id_count = 1};
    struct slot_order *orders;
    size_t count;
    int64_t closed;
    enum fd_code code = demo_act_as(stage->desk, "admin", err);
    return code == FD_OK
               ? slot_close(stage->desk, NULL, &range, "灯具维修", &stage->arena, &closed, &orders, &count, err)
               : code;
}

static enum fd_code do_deed(struct stage *stage, const struct deed *deed, struct fd_error *err)
{
    struct life *life = deed->life;
    struct desk *desk = stage->desk;
    struct paid paid;
    struct checked_in in;
    int64_t refunded;
    const struct payment payment = payment_of(life);
    switch (deed->kind) {
    case BOOK:
        return do_book(stage, life, false, err);
    case BOOK_PAID:
        return do_book(stage, life, true, err);
    case BOOK_ONLINE:
        return do_online(stage, life, deed->at, err);
    case PAY:
        return pay_take(desk, NULL, life->number, &payment, &paid, err);
    case CANCEL:
        return venue_cancel(desk, NULL, life->number, "客人改时间", &refunded, err);
    case COME:
        return venue_check_in(desk, NULL, life->number, &stage->arena, &in, err);
    case CLOSE:
        return do_close(stage, life, err);
    }
    return FD_OK;
}

/* What the worker would have done by then, once an hour. */
static enum fd_code sweep(struct stage *stage, wall_t at, struct fd_error *err)
{
    struct pass pass = {0};
    if (at / HOURS == stage->swept_hour)
        return FD_OK;
    stage->swept_hour = at / HOURS;
    enum fd_code code = operator_act_as_worker(stage->desk, err);
    if (code == FD_OK)
        code = worker_pass(stage->desk, &pass, err);
    return code == FD_OK ? demo_act_as(stage->desk, "clerk", err) : code;
}

/* A refusal is daily life at a counter: somebody else was faster, or has three holds already. */
static enum fd_code play_deed(struct stage *stage, const struct deed *deed, struct fd_error *err)
{
    struct fd_error deed_err = {0};
    if (deed->life->over)
        return FD_OK;
    enum fd_code code = db_set_clock(stage->desk->db, deed->at, err);
    if (code == FD_OK)
        code = sweep(stage, deed->at, err);
    if (code != FD_OK)
        return code;
    code = do_deed(stage, deed, &deed_err);
    if (deed->kind == CLOSE && code == FD_OK)
        code = demo_act_as(stage->desk, "clerk", &deed_err);
    deed->life->over = code != FD_OK;
    if (code == FD_OK || fd_code_exit(code) == 1)
        return FD_OK;
    if (err)
        *err = deed_err;
    return code;
}

static int compare_deeds(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

enum fd_code demo_play(struct desk *desk, struct demo_play *play, struct fd_error *err)
{
    struct stage stage = {.desk = desk, .play = play, .seed = 0x9e3779b97f4a7c15ull, .swept_hour = play->begin / HOURS};
    /* Each day has dice of its own, so that adding one later does not repeat the first. */
    stage.seed += (uint64_t)(play->from - wall_day(play->now)) * 0x2545f4914f6cdd1dull;
    stage.sequence = play->now % 100000;
    enum fd_code code = FD_OK;
    for (day_t day = play->from; code == FD_OK && day <= play->to; day++)
        code = plan_day(&stage, day, err);
    if (stage.deed_count)
        qsort(stage.deeds, stage.deed_count, sizeof *stage.deeds, compare_deeds);
    if (code == FD_OK)
        code = demo_act_as(desk, "clerk", err);
    for (size_t i = 0; code == FD_OK && i < stage.deed_count; i++)
        code = play_deed(&stage, &stage.deeds[i], err);
    free(stage.deeds);
    arena_release(&stage.arena);
    return code;
}
