#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/action.h"
#include "core/operator.h"
#include "money/pay.h"
#include "money/price.h"
#include "venue/booking.h"

struct fixture fixture;
struct fd_error err;
struct config *config;
struct db *online;

static void make_people(void)
{
    static const char *const people[][2] = {{"boss", "admin"}, {"ann", "clerk"}, {"fin", "finance"}};
    for (size_t i = 0; i < COUNT(people); i++)
        fixture_sql(
            online,
            "INSERT INTO operator_account (name, display_name, role, password_hash) VALUES ('%s', 'Ms %s', '%s', '')",
            people[i][0], people[i][0], people[i][1]);
}

int kit_start(void **state)
{
    (void)state;
    fixture_start(&fixture, true);
    must(config_load(NULL, &config, &err));
    action_register(core_actions);
    action_register(pay_actions);
    action_register(back_actions);
    action_register(price_actions);
    action_register(approval_actions);
    venue_register();
    struct db *db = fixture_open(&fixture);
    must(desk_migrate(db, fixture.database, NULL, NULL, &err));
    db_close(&db);
    online = fixture_open_online(&fixture);
    make_people();
    return 0;
}

int kit_stop(void **state)
{
    (void)state;
    db_close(&online);
    config_free(config);
    fixture_stop(&fixture);
    return 0;
}

struct desk *kit_desk(const char *name)
{
    struct desk *desk = NULL;
    struct fd_error local = {0};
    struct db_target target = fixture_target(&fixture);
    fixture_must(desk_open_at(config, &target, &desk, &local), FD_OK, &local, "desk_open_at", __FILE__, __LINE__);
    if (!name)
        return desk;
    const char *role = fixture_text(desk->db, "SELECT role FROM operator_account WHERE name = '%s'", name);
    desk->role = role_from_name(role);
    desk->operator_id = fixture_int(desk->db, "SELECT id FROM operator_account WHERE name = '%s'", name);
    cut_copy(desk->operator, sizeof desk->operator, name);
    cut_copy(desk->terminal, sizeof desk->terminal, "desk1");
    return desk;
}

int64_t kit_slot(int64_t total, const char *price)
{
    static int venues;
    venues++;
    fixture_sql(online, "INSERT INTO venue (name, sport_type, stock_form) VALUES ('V%d', 'badminton', 'PLACE')",
                venues);
    int64_t venue = fixture_int(online, "SELECT MAX(id) FROM venue");
    fixture_sql(
        online,
        "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, price) "
        "VALUES (%lld, CURDATE() + INTERVAL 1 DAY, '10:00', '11:00', %lld, %lld, %s)",
        (long long)venue, (long long)total, (long long)total, price);
    return fixture_int(online, "SELECT MAX(id) FROM venue_schedule");
}

const char *kit_order(struct desk *desk, int64_t slot_id, const char *phone)
{
    static char number[NUMBER_BYTES];
    struct arena arena = {0};
    struct booking_line line = {.slot_id = slot_id, .quantity = 1, .seen_price_fen = -1};
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1};
    struct booked booked;
    must(booking_make(desk, NULL, &booking, &arena, &booked, &err));
    cut_copy(number, sizeof number, booked.orders[0].order_no);
    arena_release(&arena);
    return number;
}

struct runner {
    pthread_t thread;
    pthread_barrier_t *barrier;
    struct desk *desk; /* opened before: the fixture's answers are static */
    int index;
    kit_thread *fn;
    void *arg;
};

static void *run(void *arg)
{
    struct runner *runner = arg;
    pthread_barrier_wait(runner->barrier);
    runner->fn(runner->desk, runner->index, runner->arg);
    return NULL;
}

void kit_threads(int count, const char *name, kit_thread *fn, void *arg)
{
    pthread_barrier_t barrier;
    struct runner *runners = xcalloc((size_t)count, sizeof *runners);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        runners[i] = (struct runner){.barrier = &barrier, .desk = kit_desk(name), .index = i, .fn = fn, .arg = arg};
        assert_int_equal(pthread_create(&runners[i].thread, NULL, run, &runners[i]), 0);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(runners[i].thread, NULL);
        desk_close(&runners[i].desk);
    }
    pthread_barrier_destroy(&barrier);
    free(runners);
}
