/* Every state × every event: allowed moves work, everything else is refused with the real state, who
 * brought the order there and when; each change has its log row. */
#include "hall.h"

#include <inttypes.h>

#include "core/rule.h"

static const char *const states[] = {"PENDING_PAY", "PAID",      "COMPLETED", "CANCELLED",
                                     "NO_SHOW",     "REFUNDING", "REFUNDED"};
static const char *const events[] = {"tender",   "pay",    "expire", "cancel",    "move",       "change",
                                     "check_in", "refund", "miss",   "refund_ok", "refund_fail"};

static struct fd_error err;

/* Fires one event as an action of its own. */
struct shot {
    const char *number, *event;
    int64_t other_slot;
};

static enum fd_code shoot(struct op *op, void *arg, struct fd_error *error)
{
    const struct shot *shot = arg;
    struct order *order;
    struct order_set set;
    enum fd_code code = order_find(op_db(op), shot->number, op_arena(op), &order, error);
    if (code)
        return code;
    order_set_keep(order, &set);
    if (strcmp(shot->event, "move") == 0) {
        struct slot *slot;
        code = slot_by_id(op_db(op), shot->other_slot, op_arena(op), &slot, error);
        if (code)
            return code;
        set.place_id = slot->id;
        set.venue_id = slot->venue_id;
        set.day = slot->day;
        set.start_minute = slot->start_minute;
        set.end_minute = slot->end_minute;
        set.unit_price_fen = slot->price_fen;
    }
    if (strcmp(shot->event, "change") == 0)
        set.note = "changed";
    return order_fire(op, order, shot->event, &set, error);
}

static enum fd_code fire(struct desk *desk, const char *number, const char *event, int64_t other_slot)
{
    struct shot shot = {number, event, other_slot};
    struct op_spec spec = {
        .action = "test.fire", .reason = "test", .apply = shoot, .no_permission = true, .no_request = true};
    memset(&err, 0, sizeof err);
    return op_run(desk, &spec, &shot, NULL, NULL, &err);
}

/* When a move is tried the clock stands where its guard lets it pass. */
static wall_t right_time(const char *event, day_t day)
{
    if (strcmp(event, "expire") == 0)
        return wall_at(day, 700); /* after the hold, which ended at 11:00 with the slot at the latest */
    if (strcmp(event, "miss") == 0)
        return wall_at(day, 661);
    if (strcmp(event, "check_in") == 0)
        return wall_at(day, 590);
    return wall_at(day, 300);
}

static struct desk *right_desk(const struct rule *rule)
{
    return !rule || (rule->actors & ACTOR_OPERATOR) ? hall.clerk : hall.worker;
}

static void every_state_meets_every_event(void **state)
{
    (void)state;
    day_t day = hall.today + 3;
    int64_t venue = hall_venue("COURT", "badminton");
    int minute = 0;
    for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
        for (size_t e = 0; e < sizeof events / sizeof *events; e++, minute++) {
            const struct rule *rule = rule_find("venue_order", states[s], events[e]);
            int64_t slot = hall_slot(venue, day + minute, 600, 660, 1, 8000);
            int64_t other = hall_slot(venue, day + minute, 660, 720, 1, 8000);
            hall_clock(wall_at(day + minute, 290));
            const char *number = hall_book(slot, hall_phone());
            hall_force(number, states[s]);
            hall_clock(right_time(events[e], day + minute));
            enum fd_code code = fire(right_desk(rule), number, events[e], other);
            bool by_channel_only = rule && !(rule->actors & (ACTOR_OPERATOR | ACTOR_WORKER));
            if (by_channel_only) {
                assert_int_equal(code, FD_NO_PERMISSION);
            } else if (rule) {
                if (code)
                    fail_msg("%s %s: %s: %s", states[s], events[e], fd_code_name(code), err.message);
                assert_string_equal(hall_state(number), rule->to);
                assert_int_equal(
                    fixture_int(hall.db,
                                "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = '%s' AND "
                                "state_before = '%s' AND state_after = '%s'",
                                number, events[e], states[s], rule->to),
                    strcmp(events[e], "move") == 0 ? 2 : 1);
            } else {
                if (code != FD_WRONG_STATE)
                    fail_msg("%s %s: %s: %s", states[s], events[e], fd_code_name(code), err.message);
                assert_string_equal(hall_state(number), states[s]);
                /* Who brought it here: an account that the trigger saw, and when. */
                if (strcmp(states[s], "PENDING_PAY") != 0 && !strstr(err.message, "online ("))
                    fail_msg("%s %s: %s", states[s], events[e], err.message);
                if (strcmp(states[s], "PENDING_PAY") == 0 && !strstr(err.message, "Clerk"))
                    fail_msg("%s %s: %s", states[s], events[e], err.message);
            }
        }
    }
    hall_clock(WALL_NONE);
}

static void actors_without_the_move_are_refused(void **state)
{
    (void)state;
    day_t day = hall.today + 200;
    int64_t venue = hall_venue("COURT", "badminton");
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), other = hall_slot(venue, day, 660, 720, 1, 8000);
    hall_clock(wall_at(day, 300));
    const char *number = hall_book(slot, hall_phone());
    assert_int_equal(fire(hall.worker, number, "cancel", 0), FD_NO_PERMISSION);
    assert_int_equal(fire(hall.worker, number, "move", other), FD_NO_PERMISSION);
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &(struct paid){0}, &err));
    hall_clock(wall_at(day, 661));
    assert_int_equal(fire(hall.clerk, number, "miss", 0), FD_NO_PERMISSION);
    assert_string_equal(hall_state(number), "PAID");
    hall_clock(WALL_NONE);
    hall_sound();
}

static void sweeps_end_what_is_due_and_nothing_else(void **state)
{
    (void)state;
    day_t day = hall.today + 300;
    int64_t venue = hall_venue("PLACE", "yoga");
    int64_t slot = hall_slot(venue, day, 600, 660, 9, 1000), later = hall_slot(venue, day, 660, 720, 9, 1000);
    int64_t done = 0;
    hall_clock(wall_at(day, 540));
    const char *run_out = hall_book(slot, hall_phone()), *paid = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 556));
    const char *waits = hall_book(slot, hall_phone()), *later_paid = hall_book_paid(later, hall_phone());
    must(venue_expire_due(hall.worker, 100, &done, &err));
    assert_string_equal(hall_state(run_out), "CANCELLED");
    assert_string_equal(hall_state(waits), "PENDING_PAY");
    assert_int_equal(hall_remain(slot), 7);
    hall_clock(wall_at(day, 660));
    must(venue_miss_due(hall.worker, 100, &done, &err));
    assert_string_equal(hall_state(paid), "PAID"); /* over now, missed from the next second on */
    hall_clock(wall_at(day, 660) + 1);
    must(venue_miss_due(hall.worker, 100, &done, &err));
    assert_string_equal(hall_state(paid), "NO_SHOW");
    assert_string_equal(hall_state(later_paid), "PAID");
    must(venue_expire_due(hall.worker, 100, &done, &err));
    assert_string_equal(hall_state(waits), "CANCELLED");
    assert_string_equal(
        fixture_text(hall.db,
                     "SELECT run_id IS NOT NULL FROM operation_log WHERE entity_no = '%s' AND event = 'expire'", waits),
        "1");
    must(venue_expire_due(hall.worker, 100, &done, &err));
    assert_int_equal(done, 0);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void the_story_tells_of_us_and_of_the_online_system(void **state)
{
    (void)state;
    struct story_row *rows;
    size_t count;
    const char *number = hall_book(hall_court_slot(), hall_phone()), *text;
    struct db *online = fixture_open_online(&hall.fixture);
    fixture_sql(online, "UPDATE reserve_order SET status = 'PAID', paid_time = NOW() WHERE order_no = '%s'", number);
    db_close(&online);
    must(order_story(hall.db, "venue_order", number, &hall.arena, &rows, &count, &err));
    db_rollback(hall.db);
    assert_int_equal(count, 2);
    assert_false(rows[0].online);
    assert_string_equal(rows[0].event, "book");
    assert_int_equal(rows[0].stock_change, -1);
    assert_true(rows[1].online);
    assert_string_equal(rows[1].state_after, "PAID");
    must(why_order(hall.clerk, number, &hall.arena, &text, &err));
    assert_non_null(strstr(text, "online ("));
    assert_non_null(strstr(text, "This order is paid."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actors_without_the_move_are_refused),
        cmocka_unit_test(sweeps_end_what_is_due_and_nothing_else),
        cmocka_unit_test(the_story_tells_of_us_and_of_the_online_system),
        /* Last: it puts orders into states without the money that belongs to them. */
        cmocka_unit_test(every_state_meets_every_event),
    };
    return cmocka_run_group_tests(tests, hall_start, hall_stop);
}
