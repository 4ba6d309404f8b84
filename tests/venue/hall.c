#include "hall.h"

#include "money/price.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "core/action.h"

struct hall hall;
const struct payment hall_cash = {.tender = TENDER_CASH};

static struct desk *sign_in(const char *name)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&hall.fixture);
    struct desk *desk;
    must(desk_open_at(hall.config, &target, &desk, &err));
    if (name)
        must(operator_sign_in(desk, name, "secret", &err));
    else
        must(operator_act_as_worker(desk, &err));
    return desk;
}

static void make_operators(void)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&hall.fixture);
    struct db *bare = fixture_open(&hall.fixture);
    struct desk *desk;
    must(desk_migrate(bare, hall.fixture.database, NULL, NULL, &err));
    db_close(&bare);
    must(desk_open_at(hall.config, &target, &desk, &err));
    must(operator_add(desk, NULL, &(struct operator_new){"admin", "Admin", ROLE_ADMIN, "secret"}, &err));
    must(operator_sign_in(desk, "admin", "secret", &err));
    must(operator_add(desk, NULL, &(struct operator_new){"clerk", "Clerk", ROLE_CLERK, "secret"}, &err));
    desk_close(&desk);
}

int hall_start(void **state)
{
    (void)state;
    struct fd_error err = {0};
    wall_t now;
    action_register(core_actions);
    action_register(pay_actions);
    action_register(back_actions);
    action_register(price_actions);
    action_register(approval_actions);
    venue_register();
    fixture_start(&hall.fixture, false);
    char *file = xprintf("%s/empty.conf", hall.fixture.folder);
    fclose(fopen(file, "w"));
    must(config_load(file, &hall.config, &err));
    free(file);
    make_operators();
    hall.db = fixture_open(&hall.fixture);
    hall.online = fixture_open_online(&hall.fixture);
    /* What a clerk may give back is no matter of these tests. */
    fixture_sql(hall.db, "INSERT INTO param (name, value, updated_at, updated_by) VALUES "
                         "('refund_limit_clerk', '-1', NOW(), 'test'), ('refund_day_limit_clerk', '-1', NOW(), 'test')");
    hall.clerk = sign_in("clerk");
    hall.admin = sign_in("admin");
    hall.worker = sign_in(NULL);
    must(desk_now(hall.clerk, &now, &err));
    hall.today = wall_day(now);
    return 0;
}

int hall_stop(void **state)
{
    (void)state;
    desk_close(&hall.clerk);
    desk_close(&hall.admin);
    desk_close(&hall.worker);
    db_close(&hall.db);
    db_close(&hall.online);
    config_free(hall.config);
    arena_release(&hall.arena);
    fixture_stop(&hall.fixture);
    return 0;
}

struct desk *hall_desk(const struct desk *like)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&hall.fixture);
    struct desk *desk;
    must(desk_open_at(hall.config, &target, &desk, &err));
    desk->operator_id = like->operator_id;
    memcpy(desk->operator, like->operator, sizeof desk->operator);
    memcpy(desk->operator_label, like->operator_label, sizeof desk->operator_label);
    memcpy(desk->run_id, like->run_id, sizeof desk->run_id);
    desk->role = like->role;
    return desk;
}

void hall_clock(wall_t wall)
{
    struct fd_error err = {0};
    struct db *all[] = {hall.clerk->db, hall.admin->db, hall.worker->db, hall.db, hall.online};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        must(db_set_clock(all[i], wall, &err));
}

int64_t hall_venue(const char *form, const char *sport)
{
    static int count;
    count++;
    fixture_sql(hall.db, "INSERT INTO venue (name, sport_type, stock_form, sort_order) VALUES ('V%d', '%s', '%s', %d)",
                count, sport, form, count);
    return fixture_int(hall.db, "SELECT MAX(id) FROM venue");
}

int64_t hall_slot(int64_t venue_id, day_t day, int start_minute, int end_minute, int places, int price_fen)
{
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    fixture_sql(hall.db,
                "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, "
                "price) VALUES (%" PRId64 ", '%s', '%s:00', '%s:00', %d, %d, %d.%02d)",
                venue_id, day_sql(day, date), minute_text(start_minute, start), minute_text(end_minute, end), places,
                places, price_fen / 100, price_fen % 100);
    return fixture_int(hall.db, "SELECT MAX(id) FROM venue_schedule");
}

int64_t hall_court_slot(void)
{
    return hall_slot(hall_venue("COURT", "badminton"), hall.today + 1, 600, 660, 1, 8000);
}

const char *hall_phone(void)
{
    static char phones[8][PHONE_BYTES];
    static int count;
    char *phone = phones[count % 8];
    fit_printf_at(phone, PHONE_BYTES, "139%08d", count++);
    return phone;
}

struct booking hall_booking(struct booking_line *line, int64_t slot_id, const char *phone)
{
    *line = (struct booking_line){.slot_id = slot_id, .quantity = 1, .seen_price_fen = -1};
    return (struct booking){.phone = phone, .lines = line, .line_count = 1};
}

static const char *book(int64_t slot_id, const char *phone, const struct payment *payment)
{
    struct fd_error err = {0};
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot_id, phone);
    struct booked booked;
    booking.payment = payment;
    must(booking_make(hall.clerk, NULL, &booking, &hall.arena, &booked, &err));
    return booked.orders[0].order_no;
}

const char *hall_book(int64_t slot_id, const char *phone)
{
    return book(slot_id, phone, NULL);
}

const char *hall_book_paid(int64_t slot_id, const char *phone)
{
    return book(slot_id, phone, &hall_cash);
}

const char *hall_state(const char *number)
{
    return fixture_text(hall.db, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

int64_t hall_remain(int64_t slot_id)
{
    return fixture_int(hall.db, "SELECT remain_count FROM venue_schedule WHERE id = %" PRId64, slot_id);
}

static void expect_none(const char *what, const char *sql)
{
    int64_t count = fixture_int(hall.db, "SELECT COUNT(*) FROM (%s) broken", sql);
    if (count != 0)
        fail_msg("%s: %" PRId64 " rows break it, e.g. %s", what, count, fixture_text(hall.db, "%s LIMIT 1", sql));
}

void hall_sound(void)
{
    expect_none("stock equation",
                "SELECT s.id FROM venue_schedule s WHERE s.remain_count > s.total_count OR s.remain_count + "
                "(SELECT COALESCE(SUM(o.quantity), 0) FROM reserve_order o WHERE o.schedule_id = s.id AND o.status IN "
                "('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')) <> s.total_count");
    expect_none("one order a customer and slot",
                "SELECT MIN(o.order_no) FROM reserve_order o WHERE o.holding = 1 GROUP BY o.user_id, o.schedule_id "
                "HAVING COUNT(*) > 1");
    expect_none("orders say their slot's place and time",
                "SELECT o.order_no FROM reserve_order o LEFT JOIN venue_schedule s ON s.id = o.schedule_id AND "
                "s.venue_id = o.venue_id AND s.schedule_date = o.schedule_date AND s.start_time = o.start_time AND "
                "s.end_time = o.end_time WHERE s.id IS NULL");
    expect_none("money of paid desk orders",
                "SELECT o.order_no FROM reserve_order o WHERE o.operator IS NOT NULL AND o.status IN ('PAID', "
                "'COMPLETED', 'NO_SHOW') AND o.total_amount <> o.paid_amount + (SELECT COALESCE(SUM(d.amount), 0) FROM "
                "order_due d WHERE d.order_no = o.order_no AND d.settled_at IS NULL)");
    expect_none("allocations are what paid_amount says",
                "SELECT o.order_no FROM reserve_order o WHERE o.operator IS NOT NULL AND o.paid_amount <> "
                "(SELECT COALESCE(SUM(a.amount), 0) FROM pay_allocation a WHERE a.order_no = o.order_no) - "
                "(SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.order_no = o.order_no AND r.kind <> "
                "'AMOUNT' AND (r.status <> 'FAILED' OR r.owed = 1))");
    expect_none("logged stock of desk orders",
                "SELECT o.order_no FROM reserve_order o WHERE o.operator IS NOT NULL AND "
                "(SELECT COALESCE(SUM(l.stock_change), 0) FROM operation_log l WHERE l.entity = 'venue_order' AND "
                "l.entity_no = o.order_no) <> IF(o.status IN ('CANCELLED', 'REFUNDED'), 0, -o.quantity)");
}

void hall_force(const char *number, const char *state)
{
    bool frees = strcmp(state, "CANCELLED") == 0 || strcmp(state, "REFUNDED") == 0;
    if (strcmp(state, hall_state(number)) != 0)
        fixture_sql(hall.online, "UPDATE reserve_order SET status = '%s' WHERE order_no = '%s'", state, number);
    if (frees)
        fixture_sql(hall.db,
                    "UPDATE venue_schedule s JOIN reserve_order o ON o.schedule_id = s.id SET s.remain_count = "
                    "s.remain_count + o.quantity WHERE o.order_no = '%s'",
                    number);
}

struct start {
    pthread_barrier_t *barrier;
    void (*fn)(size_t index, void *arg);
    void *arg;
    size_t index;
};

static void *run_thread(void *arg)
{
    struct start *start = arg;
    pthread_barrier_wait(start->barrier);
    start->fn(start->index, start->arg);
    return NULL;
}

void hall_threads(size_t count, void (*fn)(size_t index, void *arg), void *arg)
{
    pthread_t threads[64];
    struct start starts[64];
    pthread_barrier_t barrier;
    assert_true(count <= 64);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        starts[i] = (struct start){&barrier, fn, arg, i};
        pthread_create(&threads[i], NULL, run_thread, &starts[i]);
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}
