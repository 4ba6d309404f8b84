/* Races of connections on one server: the last place, any free one, carts in opposite order, expiry
 * against payment, move against move and cancel, quantity against expiry, the same key, a customer's
 * holds. One wins, the others are told so in words, and the stock equation holds after each. */
#include "hall.h"

#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

#include "../fault/tally.h"
#include "base/token.h"

#define THREADS 16

static int rounds(int usual)
{
    return tally_rounds(usual);
}

static struct desk *desks[THREADS];
static int64_t slots[200];
static size_t slot_count;
static atomic_int won[200], answers[FD_CODE_COUNT];

static int start(void **state)
{
    hall_start(state);
    for (size_t i = 0; i < THREADS; i++)
        desks[i] = hall_desk(hall.clerk);
    return 0;
}

static int stop(void **state)
{
    for (size_t i = 0; i < THREADS; i++)
        desk_close(&desks[i]);
    return hall_stop(state);
}

static void forget(void)
{
    for (size_t i = 0; i < 200; i++)
        atomic_store(&won[i], 0);
    for (size_t i = 0; i < FD_CODE_COUNT; i++)
        atomic_store(&answers[i], 0);
}

/* Whatever happens, nobody reads of deadlocks. */
static enum fd_code told(enum fd_code code, const struct fd_error *error)
{
    atomic_fetch_add(&answers[code], 1);
    if (code &&
        (!error->message[0] || strcasestr(error->message, "deadlock") || strcasestr(error->message, "lock wait"))) {
        fprintf(stderr, "a refusal in bad words: %s: %s\n", fd_code_name(code), error->message);
        abort();
    }
    return code;
}

static void only(enum fd_code a, enum fd_code b)
{
    for (int i = 0; i < FD_CODE_COUNT; i++)
        if (i != FD_OK && i != (int)a && i != (int)b && atomic_load(&answers[i]) != 0)
            fail_msg("%d times %s", atomic_load(&answers[i]), fd_code_name((enum fd_code)i));
}

static void make_slots(size_t count, int places)
{
    int64_t venue = hall_venue(places == 1 ? "COURT" : "PLACE", "badminton");
    slot_count = count;
    for (size_t i = 0; i < count; i++)
        slots[i] = hall_slot(venue, hall.today + 1 + (day_t)(i / 10), 480 + 60 * (int)(i % 10),
                             540 + 60 * (int)(i % 10), places, 8000);
}

static void phone_of(size_t thread, size_t number, char phone[PHONE_BYTES])
{
    fit_printf_at(phone, PHONE_BYTES, "137%04zu%04zu", thread, number);
}

static enum fd_code book(struct desk *desk, const char *key, struct booking *booking, struct booked *booked,
                         struct arena *arena)
{
    struct fd_error error = {0};
    return told(booking_make(desk, key, booking, arena, booked, &error), &error);
}

/* Each asks for each slot once, all in the same order, so that they meet. */
static void want_all(size_t index, void *arg)
{
    (void)arg;
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    char phone[PHONE_BYTES];
    for (size_t i = 0; i < slot_count; i++) {
        phone_of(index, i, phone);
        struct booking booking = hall_booking(&line, slots[i], phone);
        if (book(desks[index], NULL, &booking, &booked, &arena) == FD_OK)
            atomic_fetch_add(&won[i], 1);
        arena_reset(&arena);
    }
    arena_release(&arena);
}

/* As many winners as places, and everybody else was told that it is taken. */
static void as_many_as_places(const char *name, size_t count, int places)
{
    struct tally tally = {.name = name};
    forget();
    make_slots(count, places);
    hall_threads(THREADS, want_all, NULL);
    for (size_t i = 0; i < slot_count; i++) {
        int winners = atomic_load(&won[i]);
        tally.acked += winners;
        tally.lost += winners < places ? places - winners : 0;
        tally.duplicates += winners > places ? winners - places : 0;
        tally.broken += hall_remain(slots[i]) != 0;
    }
    only(FD_SLOT_TAKEN, FD_SLOT_TAKEN);
    hall_sound();
    tally_close(&tally);
}

static void the_last_place_goes_to_one(void **state)
{
    (void)state;
    as_many_as_places("Q2 one place", 200, 1);
}

static void ten_places_go_to_ten(void **state)
{
    (void)state;
    as_many_as_places("Q2 ten places", 20, 10);
}

static void want_any(size_t index, void *arg)
{
    struct arena arena = {0};
    struct booked booked;
    char phone[PHONE_BYTES];
    for (size_t i = 0; i < 4; i++) {
        phone_of(index, 300 + i, phone);
        struct booking booking = {
            .phone = phone, .any_of = arg, .day = hall.today + 1, .from_minute = 1080, .to_minute = -1};
        if (book(desks[index], NULL, &booking, &booked, &arena) == FD_OK)
            atomic_fetch_add(&won[0], 1);
    }
    arena_release(&arena);
}

static void any_free_of_five_goes_to_five(void **state)
{
    (void)state;
    for (int round = 0; round < rounds(5); round++) {
        char sport[32];
        forget();
        fit_printf(sport, "any%d", round);
        for (int i = 0; i < 5; i++)
            hall_slot(hall_venue("COURT", sport), hall.today + 1, 1080, 1140, 1, 8000);
        hall_threads(THREADS, want_any, sport);
        assert_int_equal(atomic_load(&won[0]), 5);
        only(FD_SLOT_TAKEN, FD_SLOT_TAKEN);
        fixture_sql(hall.db,
                    "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE status = 'PENDING_PAY'");
        int64_t done;
        struct fd_error err = {0};
        must(venue_expire_due(hall.worker, 1000, &done, &err));
    }
    hall_sound();
}

/* Neighbouring slots in both orders. */
static void want_carts(size_t index, void *arg)
{
    (void)arg;
    struct arena arena = {0};
    struct booked booked;
    char phone[PHONE_BYTES];
    for (size_t i = 0; i + 1 < slot_count; i++) {
        struct booking_line lines[2] = {{slots[i], 1, -1}, {slots[i + 1], 1, -1}};
        if (index % 2) {
            lines[0].slot_id = slots[i + 1];
            lines[1].slot_id = slots[i];
        }
        phone_of(index, 400 + i, phone);
        struct booking booking = {.phone = phone, .lines = lines, .line_count = 2};
        book(desks[index], NULL, &booking, &booked, &arena);
    }
    arena_release(&arena);
}

static void carts_in_opposite_order_are_whole_or_nothing(void **state)
{
    (void)state;
    forget();
    make_slots(60, 2);
    hall_threads(THREADS, want_carts, NULL);
    only(FD_SLOT_TAKEN, FD_SLOT_TAKEN);
    assert_int_equal(
        fixture_int(hall.db,
                    "SELECT COUNT(*) FROM (SELECT o.bill_no FROM reserve_order o WHERE o.schedule_id BETWEEN %" PRId64
                    " AND %" PRId64 " GROUP BY o.bill_no HAVING COUNT(*) <> 2) half",
                    slots[0], slots[59]),
        0);
    assert_int_equal(
        fixture_int(
            hall.db,
            "SELECT COUNT(*) FROM bill b WHERE NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.bill_no = b.bill_no)"),
        0);
    hall_sound();
}

static const char *numbers[200];

static atomic_int arrived[200];

/* Both are there; a payment reads more before it writes, so expiry is held up a little, at random. */
static void meet(size_t i, bool waits)
{
    atomic_fetch_add(&arrived[i], 1);
    while (atomic_load(&arrived[i]) < 2)
        sched_yield();
    int64_t until = mono_us() + (waits ? (int64_t)random_below(2500) : 0);
    while (mono_us() < until)
        sched_yield();
}

static void pay_or_expire(size_t index, void *arg)
{
    (void)arg;
    struct paid paid;
    for (size_t i = 0; i < slot_count; i++) {
        struct fd_error error = {0};
        bool done = false;
        meet(i, index % 2);
        if (index % 2) {
            told(venue_expire(hall.worker, atoll(numbers[i]), &done, &error), &error);
        } else {
            char number[24];
            fit_printf(number, "#%s", numbers[i]);
            done = told(pay_take(desks[0], NULL, number, &hall_cash, &paid, &error), &error) == FD_OK;
        }
        atomic_fetch_add(&won[i], done);
    }
}

/* Orders on all slots whose time to pay is over; `numbers` gets their ids as text. */
static void run_out_orders(void)
{
    for (size_t i = 0; i < slot_count; i++) {
        atomic_store(&arrived[i], 0);
        const char *number = hall_book(slots[i], hall_phone());
        numbers[i] =
            arena_str(&hall.arena, fixture_text(hall.db, "SELECT id FROM reserve_order WHERE order_no = '%s'", number));
        fixture_sql(hall.db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 SECOND WHERE id = %s",
                    numbers[i]);
    }
}

static void expiry_and_payment_meet_and_one_wins(void **state)
{
    (void)state;
    for (int round = 0; round < rounds(1); round++) {
        forget();
        make_slots(200, 1);
        run_out_orders();
        hall_threads(2, pay_or_expire, NULL);
        int64_t paid = 0;
        for (size_t i = 0; i < slot_count; i++) {
            assert_int_equal(atomic_load(&won[i]), 1);
            paid += fixture_int(hall.db, "SELECT status = 'PAID' FROM reserve_order WHERE id = %s", numbers[i]);
        }
        only(FD_REFUSED, FD_WRONG_STATE);
        /* Both sides must have won, or they did not meet. */
        assert_in_range(paid, 1, slot_count - 1);
        print_message("paid %" PRId64 " of %zu\n", paid, slot_count);
        hall_sound();
    }
}

/* Two orders of one customer each and places between which they move; half of the threads cancel. */
static void move_about(size_t index, void *arg)
{
    bool cancels = *(bool *)arg && index % 4 == 3;
    for (size_t i = 0; i < 40; i++) {
        struct fd_error error = {0};
        char number[24];
        size_t which = (index + i) % 8;
        fit_printf(number, "#%s", numbers[which]);
        if (cancels && i % 8 == 7)
            told(venue_cancel(desks[index], NULL, number, NULL, NULL, &error), &error);
        else
            told(venue_move_with(desks[index], NULL, number, slots[(index * 7 + i * 3) % slot_count],
                                 &(struct venue_change){0}, NULL, &error),
                 &error);
    }
}

static void moves(bool with_cancel)
{
    forget();
    make_slots(12, 1);
    size_t all = slot_count;
    slot_count = 8;
    for (size_t i = 0; i < slot_count; i++) {
        const char *number = hall_book(slots[i], hall_phone());
        numbers[i] =
            arena_str(&hall.arena, fixture_text(hall.db, "SELECT id FROM reserve_order WHERE order_no = '%s'", number));
    }
    slot_count = all;
    hall_threads(8, move_about, &with_cancel);
    for (int i = 0; i < FD_CODE_COUNT; i++) {
        bool fine = i == FD_OK || i == FD_SLOT_TAKEN || i == FD_WRONG_STATE || i == FD_BAD_INPUT || i == FD_AGAIN;
        if (!fine && atomic_load(&answers[i]))
            fail_msg("%s", fd_code_name((enum fd_code)i));
    }
    /* Many that move on the same rows may give up as busy, but seldom. */
    assert_true(atomic_load(&answers[FD_AGAIN]) <= 3);
    assert_true(atomic_load(&answers[FD_OK]) > 0);
    hall_sound();
}

static void moves_meet_moves(void **state)
{
    (void)state;
    moves(false);
}

static void moves_meet_cancels(void **state)
{
    (void)state;
    moves(true);
}

static void quantity_or_expire(size_t index, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < slot_count; i++) {
        struct fd_error error = {0};
        bool done;
        char number[24];
        fit_printf(number, "#%s", numbers[i]);
        if (index % 2)
            told(venue_expire(desks[index], atoll(numbers[i]), &done, &error), &error);
        else
            told(venue_quantity_with(desks[index], NULL, number, 2 + (int64_t)index, &(struct venue_change){0}, NULL,
                                     &error),
                 &error);
    }
}

static void quantity_meets_expiry(void **state)
{
    (void)state;
    forget();
    make_slots(100, 9);
    run_out_orders();
    hall_threads(4, quantity_or_expire, NULL);
    for (size_t i = 0; i < slot_count; i++)
        assert_int_equal(hall_remain(slots[i]), 9);
    hall_sound();
}

static void same_key(size_t index, void *arg)
{
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    for (size_t i = 0; i < slot_count; i++) {
        char key[KEY_BYTES], phone[PHONE_BYTES];
        fit_printf(key, "%s-%zu", (const char *)arg, i);
        phone_of(77, 500 + i, phone);
        struct booking booking = hall_booking(&line, slots[i], phone);
        if (book(desks[index], key, &booking, &booked, &arena) == FD_OK && !booked.replayed)
            atomic_fetch_add(&won[i], 1);
        arena_reset(&arena);
    }
    arena_release(&arena);
}

static void one_key_from_eight_makes_one_order(void **state)
{
    (void)state;
    forget();
    make_slots(100, 1);
    hall_threads(8, same_key, (void *)(uintptr_t) "same");
    only(FD_OK, FD_OK);
    assert_int_equal(atomic_load(&answers[FD_OK]), 800);
    for (size_t i = 0; i < slot_count; i++)
        assert_int_equal(atomic_load(&won[i]), 1);
    hall_sound();
}

static void one_customer(size_t index, void *arg)
{
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    struct booking booking = hall_booking(&line, slots[index], arg);
    book(desks[index], NULL, &booking, &booked, &arena);
    arena_release(&arena);
}

static void many_desks_give_a_customer_three_holds_and_one_profile(void **state)
{
    (void)state;
    for (int round = 0; round < rounds(5); round++) {
        char phone[PHONE_BYTES];
        forget();
        make_slots(THREADS, 1);
        fit_printf(phone, "1360000%04d", round);
        hall_threads(THREADS, one_customer, phone);
        only(FD_HOLD_LIMIT, FD_HOLD_LIMIT);
        assert_int_equal(atomic_load(&answers[FD_OK]), 3);
        assert_int_equal(fixture_int(hall.db, "SELECT COUNT(*) FROM t_user WHERE phone = '%s'", phone), 1);
    }
    hall_sound();
}

static void tear_free(size_t index, void *arg)
{
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    struct booking booking = hall_booking(&line, slots[0], NULL);
    char phone[PHONE_BYTES];
    phone_of(index, 900 + (size_t) * (int *)arg,
             phone); /* new people each time, or they come to their limit of holds */
    booking.phone = phone;
    book(desks[index], NULL, &booking, &booked, &arena);
    arena_release(&arena);
}

static void a_run_out_hold_goes_to_one_of_many(void **state)
{
    (void)state;
    for (int round = 0; round < rounds(10); round++) {
        forget();
        make_slots(1, 1);
        run_out_orders();
        hall_threads(THREADS, tear_free, &round);
        assert_int_equal(atomic_load(&answers[FD_OK]), 1);
        only(FD_SLOT_TAKEN, FD_SLOT_TAKEN);
        fixture_sql(hall.db,
                    "UPDATE reserve_order SET expire_time = NOW() + INTERVAL 1 HOUR WHERE status = 'PENDING_PAY'");
    }
    hall_sound();
}

/* The online system: stock first, then the order; found rows counted; plain text. */
static void online_or_desk(size_t index, void *arg)
{
    (void)arg;
    if (index % 2) {
        want_all(index, NULL);
        return;
    }
    struct db *online = fixture_open_online(&hall.fixture);
    for (size_t i = 0; i < slot_count; i++) {
        struct fd_error error = {0};
        char sql[400];
        fit_printf(sql,
                   "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %" PRId64
                   " AND remain_count >= 1 AND status = 1",
                   slots[i]);
        if (db_run(online, sql, &error)) {
            db_rollback(online);
            continue;
        }
        fit_printf(
            sql,
            "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
            "quantity, total_amount, status, expire_time) SELECT 'ON%zu-%zu-%" PRId64
            "', %zu, s.venue_id, s.id, s.schedule_date, "
            "s.start_time, s.end_time, 1, s.price, 'PENDING_PAY', NOW() + INTERVAL 15 MINUTE FROM venue_schedule s "
            "WHERE s.id = %" PRId64 " AND ROW_COUNT() = 1",
            index, i, slots[i], 900000 + index * 1000 + i, slots[i]);
        if (db_run(online, sql, &error) || db_commit(online, &error))
            db_rollback(online);
    }
    db_close(&online);
}

static void the_online_system_sells_beside(void **state)
{
    (void)state;
    forget();
    make_slots(100, 3);
    hall_threads(THREADS, online_or_desk, NULL);
    only(FD_SLOT_TAKEN, FD_SLOT_TAKEN);
    for (size_t i = 0; i < slot_count; i++)
        assert_int_equal(hall_remain(slots[i]), 0);
    hall_sound();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_place_goes_to_one),
        cmocka_unit_test(ten_places_go_to_ten),
        cmocka_unit_test(any_free_of_five_goes_to_five),
        cmocka_unit_test(carts_in_opposite_order_are_whole_or_nothing),
        cmocka_unit_test(expiry_and_payment_meet_and_one_wins),
        cmocka_unit_test(moves_meet_moves),
        cmocka_unit_test(moves_meet_cancels),
        cmocka_unit_test(quantity_meets_expiry),
        cmocka_unit_test(one_key_from_eight_makes_one_order),
        cmocka_unit_test(many_desks_give_a_customer_three_holds_and_one_profile),
        cmocka_unit_test(a_run_out_hold_goes_to_one_of_many),
        cmocka_unit_test(the_online_system_sells_beside),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
