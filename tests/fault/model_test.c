/* Q1: the program against a model of the same domain. First the rules alone, with 200 seeds and a virtual clock, then the
 * typed functions on a real database, states, places and money compared after every step. */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/order.h"
#include "core/rule.h"
#include "jobs/jobs.h"
#include "sound.h"
#include "tally.h"
#include "tests/venue/hall.h"

static const char *const events[] = {"tender", "pay",    "expire", "cancel",    "move",        "change", "check_in",
                                     "refund", "miss",   "refund_ok", "refund_fail", "reject",      "book"};

/* The rules, without a database ----------------------------------------------------------------------------- */

static const struct {
    char letter;
    unsigned actor;
} actors[] = {{'o', ACTOR_OPERATOR}, {'w', ACTOR_WORKER}, {'c', ACTOR_CHANNEL}, {'k', ACTOR_KIOSK}};

#define HALL_PLACES 40

/* Orders as the program's rules move them. */
struct engine {
    char state[STATE_BYTES];
    int64_t remain;
};

static bool holds(const char *state)
{
    return strcmp(state, "CANCELLED") != 0 && strcmp(state, "REFUNDED") != 0;
}

/* What order_fire asks of the row, here of a struct. */
static bool engine_fires(struct engine *engine, const struct m_order *row, const char *event, unsigned actor, wall_t now)
{
    const struct rule *rule = rule_find("venue_order", engine->state, event);
    struct order_needs needs = order_needs(event);
    if (!rule || !(rule->actors & actor))
        return false;
    bool dead = row->live == 0 || row->expire + 120 * 60 < now;
    if ((needs.dead && !dead) || (needs.unpaid && row->paid_fen != 0) || (needs.expired && row->expire >= now))
        return false;
    if (holds(engine->state) && !holds(rule->to))
        engine->remain += row->quantity;
    cut_copy(engine->state, sizeof engine->state, rule->to);
    return true;
}

static void shake_row(struct m_order *row, struct chance *chance)
{
    row->live = chance_percent(chance, 20);
    row->paid_fen = chance_percent(chance, 20) ? 3000 : 0;
}

static void begin_order(struct m_order *row, struct engine *engine, wall_t now, struct chance *chance)
{
    *row = (struct m_order){.quantity = 1 + chance_below(chance, 5), .expire = now + 60 * chance_below(chance, 30)};
    cut_copy(engine->state, sizeof engine->state, "PENDING_PAY");
    engine->remain = HALL_PLACES - row->quantity;
}

/* One order from its booking on, every event and actor at every state; a finished one stays for a while. */
static int64_t walk(uint64_t seed, int steps, struct tally *tally)
{
    struct chance chance = chance_from(tally_seed(), seed);
    struct m_order row;
    struct engine engine;
    wall_t now = wall_at(20000, 480);
    int64_t refused = 0;
    begin_order(&row, &engine, now, &chance);
    for (int step = 0; step < steps; step++) {
        const char *event = events[chance_below(&chance, sizeof events / sizeof *events)];
        size_t who = chance_below(&chance, sizeof actors / sizeof *actors);
        enum m_state to = row.state;
        now += chance_below(&chance, 120);
        shake_row(&row, &chance);
        bool model = m_may(&row, event, actors[who].letter, now, &to);
        bool real = engine_fires(&engine, &row, event, actors[who].actor, now);
        row.state = model ? to : row.state;
        refused += !model;
        tally->acked += model;
        int64_t remain = m_holds(row.state) ? HALL_PLACES - row.quantity : HALL_PLACES;
        if (model != real || strcmp(m_state_names[row.state], engine.state) != 0 || remain != engine.remain) {
            print_error("seed %" PRIu64 " step %d: %s by %c: model %s, rules %s, places %" PRId64 "\n", seed, step, event,
                        actors[who].letter, m_state_names[row.state], engine.state, engine.remain);
            tally->broken++;
            return refused;
        }
        if (!m_holds(row.state) || chance_percent(&chance, 3))
            begin_order(&row, &engine, now, &chance);
    }
    return refused;
}

static void rules_and_model_agree_at_every_step(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q1 rules against the model"};
    int64_t refused = 0;
    for (uint64_t seed = 1; seed <= 200; seed++)
        refused += walk(seed, tally_rounds(1000), &tally);
    print_message("%" PRId64 " illegal moves were refused\n", refused);
    assert_true(refused > 1000);
    tally_close(&tally);
}

/* The program on a real database ------------------------------------------------------------------------------ */

static struct m_world world;
static char phones[M_CUSTOMERS][PHONE_BYTES];
static int64_t venue;
static const struct payment cash = {.tender = TENDER_CASH};

static void begin_world(int number, struct chance *chance)
{
    static const struct {
        int places, price_fen;
    } slots[M_SLOTS] = {{1, 8000}, {2, 8000}, {3, 10000}, {5, 6000}};
    world = (struct m_world){.day = hall.today + 1 + number, .freed = -1};
    world.now = wall_at(world.day, 420 + (int)chance_below(chance, 360));
    hall_clock(world.now);
    venue = hall_venue("PLACE", "tennis");
    for (int i = 0; i < M_SLOTS; i++) {
        int start = 600 + 60 * i;
        world.slots[i] = (struct m_slot){.total = slots[i].places,
                                         .remain = slots[i].places,
                                         .price_fen = slots[i].price_fen,
                                         .start = start,
                                         .end = start + 60,
                                         .open = true};
        world.slots[i].id = hall_slot(venue, world.day, start, start + 60, slots[i].places, slots[i].price_fen);
    }
    for (int i = 0; i < M_CUSTOMERS; i++)
        fit_printf(phones[i], "16%d%08d", i, number);
}

/* What was asked, what the model says, what was told. */
struct step {
    const char *what;
    reasons why;
    enum fd_code code;
    struct fd_error err;
};

static bool told_right(const struct step *step)
{
    if (step->why == 0)
        return step->code == FD_OK;
    return (step->why & REASON(step->code)) != 0;
}

static void do_book(struct chance *chance, struct step *step)
{
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    int customer = (int)chance_below(chance, M_CUSTOMERS + 1) - 1;
    size_t slot = chance_below(chance, M_SLOTS);
    int64_t quantity = 1 + chance_below(chance, 2);
    bool pays = chance_percent(chance, customer < 0 ? 80 : 25);
    struct booking booking = hall_booking(&line, world.slots[slot].id, customer < 0 ? NULL : phones[customer]);
    line.quantity = quantity;
    booking.payment = pays ? &cash : NULL;
    step->what = "book";
    step->why = m_book(&world, customer, slot, quantity, pays);
    step->code = booking_make(hall.clerk, NULL, &booking, &arena, &booked, &step->err);
    if (step->why == 0 && step->code == FD_OK)
        cut_copy(world.orders[world.count - 1].number, sizeof world.orders[0].number, booked.orders[0].order_no);
    arena_release(&arena);
}

/* Mostly one that still lives; FD_BUG-free with no order at all. */
static bool pick(struct chance *chance, size_t *order)
{
    if (world.count == 0)
        return false;
    for (int tries = 0; tries < 4; tries++) {
        *order = chance_below(chance, (uint32_t)world.count);
        if (world.orders[*order].state == M_PENDING_PAY || world.orders[*order].state == M_PAID)
            break;
    }
    return true;
}

static void do_pay(struct chance *chance, struct step *step)
{
    struct paid paid;
    size_t order;
    struct payment payment = cash;
    step->what = "pay";
    if (!pick(chance, &order))
        return;
    payment.amount_fen = chance_percent(chance, 40) ? 3000 + 1000 * chance_below(chance, 4) : 0;
    step->why = m_pay(&world, order, payment.amount_fen);
    step->code = pay_take(hall.clerk, NULL, world.orders[order].number, &payment, &paid, &step->err);
}

static void do_cancel(struct chance *chance, struct step *step)
{
    int64_t back;
    size_t order;
    step->what = "cancel";
    if (!pick(chance, &order))
        return;
    step->why = m_cancel(&world, order);
    step->code = venue_cancel(hall.clerk, NULL, world.orders[order].number, NULL, &back, &step->err);
}

static void do_check_in(struct chance *chance, struct step *step)
{
    struct arena arena = {0};
    struct checked_in in;
    size_t order;
    step->what = "check in";
    if (!pick(chance, &order))
        return;
    step->why = m_check_in(&world, order);
    step->code = venue_check_in(hall.clerk, NULL, world.orders[order].number, &arena, &in, &step->err);
    arena_release(&arena);
}

static void do_move(struct chance *chance, struct step *step)
{
    size_t order, slot = chance_below(chance, M_SLOTS);
    bool pays = chance_percent(chance, 60);
    step->what = "move";
    if (!pick(chance, &order))
        return;
    step->why = m_change(&world, order, slot, world.orders[order].quantity, pays);
    step->code = venue_move_with(hall.clerk, NULL, world.orders[order].number, world.slots[slot].id,
                                 &(struct venue_change){.payment = pays ? &cash : NULL}, NULL, &step->err);
}

static void do_quantity(struct chance *chance, struct step *step)
{
    size_t order;
    int64_t quantity = 1 + chance_below(chance, 3);
    bool pays = chance_percent(chance, 60);
    step->what = "quantity";
    if (!pick(chance, &order))
        return;
    step->why = m_change(&world, order, world.orders[order].slot, quantity, pays);
    step->code = venue_quantity_with(hall.clerk, NULL, world.orders[order].number, quantity,
                                     &(struct venue_change){.payment = pays ? &cash : NULL}, NULL, &step->err);
}

static void do_clock(struct chance *chance, struct step *step)
{
    step->what = "clock";
    world.now += 60 * (1 + chance_below(chance, 25)) + chance_below(chance, 2);
    if (wall_day(world.now) != world.day)
        world.now = wall_at(world.day, 1439);
    hall_clock(world.now);
}

static void do_work(struct chance *chance, struct step *step)
{
    struct pass pass = {0};
    (void)chance;
    step->what = "worker";
    m_work(&world);
    step->code = worker_pass(hall.worker, &pass, &step->err);
}

/* The online system opens a code for an order, or one comes to its end. */
static void do_code(struct chance *chance, struct step *step)
{
    size_t at;
    step->what = "code";
    if (!pick(chance, &at))
        return;
    struct m_order *order = &world.orders[at];
    int change = order->live > 0 ? -1 : order->state == M_PENDING_PAY ? 1 : 0;
    order->live += change;
    fixture_sql(hall.db, "UPDATE reserve_order SET live_codes = live_codes + %d WHERE order_no = '%s'", change,
                order->number);
}

static void do_slot(struct chance *chance, struct step *step)
{
    struct arena arena = {0};
    struct m_slot *slot = &world.slots[chance_below(chance, M_SLOTS)];
    struct slot_range range = {.ids = &slot->id, .id_count = 1, .from = DAY_NONE, .to = DAY_NONE};
    struct slot_order *orders;
    size_t count;
    int64_t changed;
    bool over = world.now >= wall_at(world.day, slot->end);
    step->what = "slot";
    if (chance_percent(chance, 50)) {
        slot->price_fen = over ? slot->price_fen : 5000 + 1000 * chance_below(chance, 6);
        step->code = slot_price(hall.admin, NULL, &range, slot->price_fen, NULL, &changed, &step->err);
    } else if (slot->open) {
        slot->open = over;
        step->code = slot_close(hall.admin, NULL, &range, "rain", &arena, &changed, &orders, &count, &step->err);
    } else {
        slot->open = !over;
        step->code = slot_open(hall.admin, NULL, &range, NULL, &changed, &step->err);
    }
    arena_release(&arena);
}

static const struct {
    uint32_t weight;
    void (*act)(struct chance *chance, struct step *step);
} acts[] = {{28, do_book}, {14, do_pay},  {8, do_cancel}, {8, do_check_in}, {12, do_move},
            {8, do_quantity}, {12, do_clock}, {3, do_work},  {4, do_code},     {3, do_slot}};

static void one_step(struct chance *chance, struct step *step)
{
    uint32_t at = chance_below(chance, 100);
    size_t i = 0;
    *step = (struct step){0};
    world.freed = -1;
    while (at >= acts[i].weight)
        at -= acts[i++].weight;
    if (world.count < M_ORDERS || acts[i].act != do_book)
        acts[i].act(chance, step);
}

/* Comparing ------------------------------------------------------------------------------------------------ */

DB_QUERY(q_orders, "model.orders", DB_ROWS,
         "SELECT order_no, status, quantity, total_amount, paid_amount, schedule_id, expire_time, start_time FROM reserve_order "
         "WHERE venue_id = :venue ORDER BY id");
DB_QUERY(q_slots, "model.slots", DB_ROWS,
         "SELECT id, remain_count, price, status FROM venue_schedule WHERE venue_id = :venue ORDER BY id");

/* What was refused may have released holds on its way: each of them, and nothing else. */
static void take_over_released(const struct db_rows *rows, size_t at)
{
    const struct m_order *order = &world.orders[at];
    if (world.freed == (int)order->slot && m_ran_out(order, world.now) && strcmp(db_get_text(rows, 1), "CANCELLED") == 0)
        m_expire(&world, at);
}

static bool same_order(const struct db_rows *rows, size_t at)
{
    const struct m_order *order = &world.orders[at];
    bool same = strcmp(db_get_text(rows, 0), order->number) == 0 &&
                strcmp(db_get_text(rows, 1), m_state_names[order->state]) == 0 && db_get_int(rows, 2) == order->quantity &&
                db_get_fen(rows, 3) == order->total_fen && db_get_fen(rows, 4) == order->paid_fen &&
                db_get_int(rows, 5) == world.slots[order->slot].id &&
                db_get_minute(rows, 7) == world.slots[order->slot].start &&
                (order->state != M_PENDING_PAY || db_get_wall(rows, 6) == order->expire);
    if (!same)
        print_error("order %s is %s x%" PRId64 " %" PRId64 "/%" PRId64 " at %" PRId64 ", the model has %s %s x%" PRId64
                    " %" PRId64 "/%" PRId64 " at %" PRId64 "\n",
                    db_get_text(rows, 0), db_get_text(rows, 1), db_get_int(rows, 2), db_get_fen(rows, 4),
                    db_get_fen(rows, 3), db_get_int(rows, 5), order->number, m_state_names[order->state], order->quantity,
                    order->paid_fen, order->total_fen, world.slots[order->slot].id);
    return same;
}

static bool same_slot(const struct db_rows *rows, const struct m_slot *slot)
{
    bool same = db_get_int(rows, 0) == slot->id && db_get_int(rows, 1) == slot->remain &&
                db_get_fen(rows, 2) == slot->price_fen && (db_get_int(rows, 3) == 1) == slot->open;
    if (!same)
        print_error("slot %" PRId64 " has %" PRId64 " left at %" PRId64 " %s, the model %" PRId64 " at %" PRId64 " %s\n",
                    slot->id, db_get_int(rows, 1), db_get_fen(rows, 2), db_get_text(rows, 3), slot->remain,
                    slot->price_fen, slot->open ? "open" : "closed");
    return same;
}

static bool worlds_agree(void)
{
    struct fd_error err = {0};
    struct db_rows *rows;
    const struct db_arg args[] = {db_int("venue", venue)};
    must(db_select(hall.db, &q_orders, args, 1, &rows, &err));
    bool same = db_row_count(rows) == world.count;
    for (size_t i = 0; i < world.count && db_next(rows); i++) {
        take_over_released(rows, i);
        same = same_order(rows, i) && same;
    }
    db_rows_close(&rows);
    must(db_select(hall.db, &q_slots, args, 1, &rows, &err));
    for (size_t i = 0; i < M_SLOTS && db_next(rows); i++)
        same = same_slot(rows, &world.slots[i]) && same;
    db_rows_close(&rows);
    db_rollback(hall.db);
    return same;
}

/* Everything that waits comes to its end; then the doctor. */
static int64_t end_world(void)
{
    struct fd_error err = {0};
    struct pass pass = {0};
    for (size_t i = 0; i < world.count; i++)
        world.orders[i].live = 0;
    fixture_sql(hall.db, "UPDATE reserve_order SET live_codes = 0 WHERE venue_id = %" PRId64, venue);
    world.now = wall_at(world.day, 1439);
    hall_clock(world.now);
    m_work(&world);
    must(worker_pass(hall.worker, &pass, &err));
    return !worlds_agree() + sound_count(hall.db, "Q1", 0);
}

static void database_and_model_agree_at_every_step(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q1 database against the model"};
    int seeds = tally_rounds(20), number = 0;
    int64_t refused = 0;
    for (int seed = 1; seed <= seeds && tally.broken == 0; seed++) {
        struct chance chance = chance_from(tally_seed(), 1000 + (uint64_t)seed);
        struct step step = {0};
        bool fine = true;
        begin_world(number++, &chance);
        for (int i = 0; i < 100 && fine; i++) {
            one_step(&chance, &step);
            fine = told_right(&step);
            fine = worlds_agree() && fine;
            refused += step.why != 0;
            tally.acked += step.code == FD_OK;
            if (!fine)
                print_error("stream %d step %d: %s was told %s (%s %s), reasons of the model %" PRIx64 "\n", seed, i,
                            step.what, fd_code_name(step.code), step.err.message, step.err.detail, step.why);
        }
        tally.broken += !fine;
        if (fine)
            tally.broken += end_world();
    }
    print_message("%" PRId64 " of the steps were refused\n", refused);
    assert_true(refused > 0);
    tally_close(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_and_model_agree_at_every_step),
        cmocka_unit_test_setup_teardown(database_and_model_agree_at_every_step, hall_start, hall_stop),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
