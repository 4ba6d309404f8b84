/* Crowds: processes that have signed in wait at a barrier and book the same place at once. Whatever they ask, exactly
 * as many get it as there are places, the others are told so, and the doctor finds nothing afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "core/operator.h"
#include "program.h"
#include "support/fixture.h"
#include "venue/booking.h"

#define CROWD_MOST 220
#define BUSY_MOST  5
/* Under sanitizers a process is ten times as heavy; the crowd shows as much when it is smaller. */
#ifdef __SANITIZE_ADDRESS__
#define MANY 50
#else
#define MANY 200
#endif

static int races; /* so far, in this program */

DB_QUERY(
    q_take, "race.online_take", DB_NONE,
    "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = :slot AND remain_count >= 1 AND status = 1");
DB_QUERY(q_order, "race.online_order", DB_NONE,
         "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
         "quantity, "
         "total_amount, status, expire_time) SELECT :number, u.id, s.venue_id, s.id, s.schedule_date, s.start_time, "
         "s.end_time, 1, "
         "s.price, 'PENDING_PAY', NOW() + INTERVAL 15 MINUTE FROM venue_schedule s JOIN t_user u ON u.phone = :phone "
         "WHERE s.id = :slot");

static struct fixture fixture;
static struct db *db;
static struct config *config;
static day_t tomorrow;

/* What a process asked and was told; shared. */
struct result {
    enum fd_code code;
    int busy; /* how often it was told to try again */
    char message[256];
    char bill_no[NUMBER_BYTES];
    int64_t slots[2];
};
struct crowd {
    atomic_int ready;
    int64_t slots[8];
    const char *any_of;
    int start_minute;
    struct result results[CROWD_MOST];
};
static struct crowd *crowd;
static int gate[2];

static void make_hall(void)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&fixture);
    struct db *bare = fixture_open(&fixture);
    struct desk *desk;
    must(desk_migrate(bare, fixture.database, NULL, NULL, &err));
    db_close(&bare);
    must(desk_open_at(config, &target, &desk, &err));
    must(operator_add(desk, NULL, &(struct operator_new){"admin", "admin", ROLE_ADMIN, "secret"}, &err));
    must(operator_sign_in(desk, "admin", "secret", &err));
    must(operator_add(desk, NULL, &(struct operator_new){"clerk", "clerk", ROLE_CLERK, "secret"}, &err));
    wall_t now;
    must(desk_now(desk, &now, &err));
    tomorrow = wall_day(now) + 1;
    desk_close(&desk);
    passwords_cheap(db);
    for (int venue = 1; venue <= 6; venue++)
        fixture_sql(db, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES (%d, '%s%d', '%s', '%s')", venue,
                    venue == 6 ? "pool" : "court", venue, venue == 6 ? "swimming" : "badminton",
                    venue == 6 ? "PLACE" : "COURT");
}

/* New slots for one test: as many as asked, of `places` each, at an hour of their own. */
static void make_slots(int count, int venue, int places, int hour, int64_t *ids)
{
    char day[DAY_TEXT];
    for (int i = 0; i < count; i++) {
        fixture_sql(db,
                    "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, "
                    "remain_count, price) "
                    "VALUES (%d, '%s', '%02d:00:00', '%02d:00:00', %d, %d, 60)",
                    venue + i, day_sql(tomorrow, day), hour, hour + 1, places, places);
        ids[i] = fixture_int(db, "SELECT MAX(id) FROM venue_schedule");
    }
}

typedef void ask_fn(int number, struct booking *booking, struct booking_line lines[2]);
struct member {
    int number;
    ask_fn *ask;
};

static void wait_for_gate(void)
{
    char byte;
    close(gate[1]);
    atomic_fetch_add(&crowd->ready, 1);
    while (read(gate[0], &byte, 1) > 0) {
    }
}

/* Where the machine is so slow that a clerk reads "busy, try again" he does, with the same key. */
static enum fd_code book(struct desk *desk, const struct booking *booking, struct arena *arena, struct booked *booked,
                         struct result *result, struct fd_error *err)
{
    char key[KEY_BYTES];
    key_new(key);
    enum fd_code code = booking_make(desk, key, booking, arena, booked, err);
    while (code == FD_AGAIN && ++result->busy < BUSY_MOST)
        code = booking_make(desk, key, booking, arena, booked, err);
    return code;
}

/* A process of the crowd: its own connection, signed in, then the barrier, then one booking. */
static int member(void *arg)
{
    const struct member *self = arg;
    struct result *result = &crowd->results[self->number];
    struct fd_error err = {0};
    struct db_target target = fixture_target(&fixture);
    struct desk *desk = NULL;
    struct arena arena = {0};
    struct booked booked = {0};
    struct booking_line lines[2] = {{0}};
    char phone[PHONE_BYTES];
    fit_printf(phone, "139%02d%06d", races, self->number); /* a winner of one race is nobody in the next */
    struct booking booking = {.phone = phone, .lines = lines, .line_count = 1, .hold = HOLD_MINUTES};
    self->ask(self->number, &booking, lines);
    result->code = desk_open_at(config, &target, &desk, &err);
    if (result->code == FD_OK)
        result->code = operator_sign_in(desk, "clerk", "secret", &err);
    wait_for_gate();
    if (result->code == FD_OK)
        result->code = book(desk, &booking, &arena, &booked, result, &err);
    if (result->code == FD_OK)
        cut_copy(result->bill_no, sizeof result->bill_no, booked.bill_no);
    cut_copy(result->message, sizeof result->message, err.message);
    arena_release(&arena);
    desk_close(&desk);
    return 0;
}

/* Lets `count` processes go at once; waits for all. `beside` (may be 0) runs meanwhile and is waited for too. */
static void race(int count, ask_fn *ask, int (*beside)(void *), int beside_count)
{
    pid_t pids[CROWD_MOST], others[16];
    races++;
    memset(crowd->results, 0, sizeof crowd->results);
    atomic_store(&crowd->ready, 0);
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < count; i++) {
        struct member self = {i, ask};
        pids[i] = fixture_fork(member, &self);
    }
    for (int i = 0; i < beside_count; i++)
        others[i] = fixture_fork(beside, &i);
    while (atomic_load(&crowd->ready) < count + beside_count)
        sleep_ms(2);
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < count; i++)
        assert_int_equal(fixture_wait(pids[i]), 0);
    for (int i = 0; i < beside_count; i++)
        assert_int_equal(fixture_wait(others[i]), 0);
}

static int winners(int count)
{
    int won = 0, busy = 0;
    for (int i = 0; i < count; i++) {
        const struct result *result = &crowd->results[i];
        won += result->code == FD_OK;
        busy += result->busy;
        if (result->code != FD_OK && result->code != FD_SLOT_TAKEN)
            fail_msg("process %d: %s: %s", i, fd_code_name(result->code), result->message);
        if (strcasestr(result->message, "deadlock") || strcasestr(result->message, "lock wait"))
            fail_msg("process %d: %s", i, result->message);
        if (result->code != FD_OK && !result->message[0])
            fail_msg("process %d was refused without a word", i);
    }
    if (busy)
        print_message("%d of %d were told to try again first\n", busy, count);
    return won;
}

static void expect_sound(void)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct doctor_finding *findings;
    size_t count;
    must(doctor_check(db, -1, 30, &arena, &findings, &count, &err));
    if (count)
        fail_msg("rule %d: %s: %s %s", findings[0].rule->number, findings[0].rule->title, findings[0].examples[0].what,
                 findings[0].examples[0].wrong);
    arena_release(&arena);
}

static int64_t held(int64_t slot)
{
    return fixture_int(db,
                       "SELECT COALESCE(SUM(quantity), 0) FROM reserve_order WHERE schedule_id = %lld AND status IN "
                       "('PENDING_PAY', 'PAID')",
                       (long long)slot);
}

static void ask_first_slot(int number, struct booking *booking, struct booking_line lines[2])
{
    (void)number;
    (void)booking;
    lines[0] = (struct booking_line){crowd->slots[0], 1, 6000};
}

static void twenty_want_one_court_and_one_gets_it(void **state)
{
    (void)state;
    make_slots(1, 1, 1, 8, crowd->slots);
    race(20, ask_first_slot, NULL, 0);
    assert_int_equal(winners(20), 1);
    assert_int_equal(held(crowd->slots[0]), 1);
    expect_sound();
}

static void two_hundred_want_one_court_and_one_gets_it(void **state)
{
    (void)state;
    make_slots(1, 1, 1, 9, crowd->slots);
    race(MANY, ask_first_slot, NULL, 0);
    assert_int_equal(winners(MANY), 1);
    assert_int_equal(held(crowd->slots[0]), 1);
    expect_sound();
}

static void two_hundred_want_eight_lanes_and_eight_get_one(void **state)
{
    (void)state;
    make_slots(1, 6, 8, 10, crowd->slots);
    race(MANY, ask_first_slot, NULL, 0);
    assert_int_equal(winners(MANY), 8);
    assert_int_equal(held(crowd->slots[0]), 8);
    expect_sound();
}

static void ask_any(int number, struct booking *booking, struct booking_line lines[2])
{
    (void)number;
    (void)lines;
    booking->lines = NULL;
    booking->line_count = 0;
    booking->any_of = "badminton";
    booking->day = tomorrow;
    booking->from_minute = 11 * 60;
    booking->to_minute = -1;
    booking->any_quantity = 1;
}

static void fifty_want_any_of_five_and_five_get_one(void **state)
{
    (void)state;
    make_slots(5, 1, 1, 11, crowd->slots);
    race(50, ask_any, NULL, 0);
    assert_int_equal(winners(50), 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(held(crowd->slots[i]), 1);
    expect_sound();
}

/* Pairs that share slots, in both orders: 0+1, 1+0, 1+2, 2+1 … */
static void ask_cart(int number, struct booking *booking, struct booking_line lines[2])
{
    int first = number / 2 % 4, second = first + 1;
    booking->line_count = 2;
    lines[0] = (struct booking_line){crowd->slots[number % 2 ? second : first], 1, 6000};
    lines[1] = (struct booking_line){crowd->slots[number % 2 ? first : second], 1, 6000};
}

static void carts_in_opposite_order_are_whole_or_nothing(void **state)
{
    (void)state;
    make_slots(5, 1, 1, 12, crowd->slots);
    race(80, ask_cart, NULL, 0);
    int won = winners(80);
    assert_in_range(won, 1, 2);
    assert_int_equal(
        fixture_int(db,
                    "SELECT COUNT(*) FROM (SELECT b.bill_no FROM bill b JOIN reserve_order o ON o.bill_no = b.bill_no "
                    "WHERE o.start_time = '12:00:00' GROUP BY b.bill_no HAVING COUNT(*) <> 2) half"),
        0);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM reserve_order WHERE start_time = '12:00:00'"), won * 2);
    expect_sound();
}

static bool online_try(struct db *online, int number, int64_t slot)
{
    struct fd_error err = {0};
    int64_t took = 0;
    char order_no[NUMBER_BYTES], phone[PHONE_BYTES];
    fit_printf(order_no, "ON%lld-%d", (long long)slot, number);
    fit_printf(phone, "1370000%04d", number);
    enum fd_code code = db_exec(online, &q_take, DB_ARGS(db_int("slot", slot)), &took, &err);
    if (code == FD_OK && took == 1)
        code = db_exec(online, &q_order,
                       DB_ARGS(db_int("slot", slot), db_text("number", order_no), db_text("phone", phone)), NULL, &err);
    if (code == FD_OK && took == 1 && db_commit(online, &err) == FD_OK)
        return true;
    db_rollback(online);
    return false;
}

/* The online system: plain SQL, stock first, found rows counted, its own customers. */
static int online_writer(void *arg)
{
    int number = *(int *)arg;
    struct db *online = fixture_open_online(&fixture);
    wait_for_gate();
    for (int i = 0; i < 5; i++)
        for (int tries = 0; tries < 3 && !online_try(online, number * 10 + i, crowd->slots[i]); tries++) {
        }
    db_close(&online);
    return 0;
}

static void ask_one_of_five(int number, struct booking *booking, struct booking_line lines[2])
{
    (void)booking;
    lines[0] = (struct booking_line){crowd->slots[number % 5], 1, 6000};
}

static void the_online_system_sells_beside_and_nothing_is_sold_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 80; i++)
        fixture_sql(db, "INSERT INTO t_user (openid, nickname, phone) VALUES ('o%d', 'online', '1370000%04d')", i, i);
    make_slots(5, 1, 1, 13, crowd->slots);
    race(100, ask_one_of_five, online_writer, 8);
    int desk = winners(100);
    int64_t online =
        fixture_int(db, "SELECT COUNT(*) FROM reserve_order WHERE order_no LIKE 'ON%%' AND start_time = '13:00:00'");
    assert_int_equal(desk + online, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(held(crowd->slots[i]), 1);
    expect_sound();
}

static int start(void **state)
{
    (void)state;
    struct fd_error err = {0};
    cli_register();
    fixture_start(&fixture, false);
    char *file = xprintf("%s/empty.conf", fixture.folder);
    fclose(fopen(file, "w"));
    must(config_load(file, &config, &err));
    free(file);
    db = fixture_open(&fixture);
    crowd = mmap(NULL, sizeof *crowd, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(crowd != MAP_FAILED);
    make_hall();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    config_free(config);
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twenty_want_one_court_and_one_gets_it),
        cmocka_unit_test(two_hundred_want_one_court_and_one_gets_it),
        cmocka_unit_test(two_hundred_want_eight_lanes_and_eight_get_one),
        cmocka_unit_test(fifty_want_any_of_five_and_five_get_one),
        cmocka_unit_test(carts_in_opposite_order_are_whole_or_nothing),
        cmocka_unit_test(the_online_system_sells_beside_and_nothing_is_sold_twice),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
