/* Bookings: what one makes, what is refused and how, and that the same key does it once. */
#include "hall.h"

#include <inttypes.h>

#include "outside/tree.h"

static struct booked booked;
static struct fd_error err;

static enum fd_code make(const struct booking *booking, const char *key)
{
    memset(&err, 0, sizeof err);
    memset(&booked, 0, sizeof booked);
    return booking_make(hall.clerk, key, booking, &hall.arena, &booked, &err);
}

static void refuses(enum fd_code code, const struct booking *booking, const char *part)
{
    enum fd_code got = make(booking, NULL);
    if (got != code || (part && !strstr(err.message, part)))
        fail_msg("%s: %s (wanted %s with “%s”)", fd_code_name(got), err.message, fd_code_name(code), part ? part : "");
}

/* What was refused is remembered for 50 ms. */
static void forget_refusal(void)
{
    sleep_ms(60);
}

static void one_slot_makes_a_bill_an_order_and_a_log_row(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot();
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    booking.name = "王小明";
    booking.note = "左手";
    line.seen_price_fen = 8000;
    must(make(&booking, "book-one"));
    assert_int_equal(booked.count, 1);
    assert_int_equal(booked.total_fen, 8000);
    assert_string_equal(booked.orders[0].state, "PENDING_PAY");
    assert_int_equal(booked.orders[0].slot_id, slot);
    assert_int_equal(booked.orders[0].start_minute, 600);
    assert_int_equal(booked.orders[0].day, hall.today + 1);
    assert_true(booked.hold_until != WALL_NONE);
    assert_int_equal(hall_remain(slot), 0);
    const char *number = booked.orders[0].order_no;
    assert_int_equal(
        fixture_int(hall.db,
                    "SELECT COUNT(*) FROM reserve_order o JOIN bill b ON b.bill_no = o.bill_no JOIN t_user u "
                    "ON u.id = o.user_id WHERE o.order_no = '%s' AND b.bill_no = '%s' AND u.nickname = "
                    "'王小明' AND o.note = '左手' AND o.operator = 'clerk' AND o.unit_price = 80.00 AND "
                    "o.idempotency_key = 'book-one' AND b.user_id = u.id AND u.openid IS NULL",
                    number, booked.bill_no),
        1);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'book' AND "
                                 "state_before IS NULL AND state_after = 'PENDING_PAY' AND schedule_id = %" PRId64
                                 " AND stock_change = -1 AND amount_change = 80.00 AND request_key = 'book-one'",
                                 number, slot),
                     1);
    hall_sound();
}

static void the_same_key_returns_the_same_text_and_changes_nothing(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot();
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    must(make(&booking, "twice"));
    const char *first = booked.json;
    assert_false(booked.replayed);
    must(make(&booking, "twice"));
    assert_true(booked.replayed);
    assert_string_equal(booked.json, first);
    assert_int_equal(fixture_int(hall.db, "SELECT COUNT(*) FROM reserve_order WHERE schedule_id = %" PRId64, slot), 1);
    struct tree *tree = tree_parse(first);
    const struct tree *orders = tree_get(tree, "orders");
    assert_int_equal(tree_count(orders), 1);
    assert_string_equal(tree_get_text(tree_at(orders, 0), "status"), "PENDING_PAY");
    assert_int_equal(tree_get_int(tree_at(orders, 0), "amount_fen"), 8000);
    assert_string_equal(tree_get_text(tree_at(orders, 0), "start"), "10:00");
    tree_free(&tree);
    line.quantity = 2;
    assert_int_equal(make(&booking, "twice"), FD_KEY_REUSED);
    hall_sound();
}

static void who_may_not_book_is_told_that_and_nothing_of_the_slot(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot();
    hall_book(slot, hall_phone());
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    struct desk *finance = hall_desk(hall.clerk);
    finance->role = ROLE_FINANCE;
    must_give(FD_NO_PERMISSION, booking_make(finance, NULL, &booking, &hall.arena, &booked, &err));
    finance->role = ROLE_CLERK;
    must_give(FD_SLOT_TAKEN, booking_make(finance, NULL, &booking, &hall.arena, &booked, &err));
    desk_close(&finance);
}

static void refusals_name_the_slot_and_who_has_it(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "tennis");
    int64_t slot = hall_slot(venue, hall.today + 1, 1200, 1260, 1, 8000);
    const char *number = hall_book(slot, hall_phone());
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    refuses(FD_SLOT_TAKEN, &booking, number + strlen(number) - 4);
    assert_non_null(strstr(err.message, "20:00–21:00"));
    assert_non_null(strstr(err.message, "until"));
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &(struct paid){0}, &err));
    forget_refusal();
    refuses(FD_SLOT_TAKEN, &booking, "just taken");
    line.slot_id = 999999999;
    refuses(FD_SLOT_UNKNOWN, &booking, "999999999");
    line.slot_id = hall_slot(venue, hall.today - 1, 600, 660, 1, 8000);
    refuses(FD_SLOT_OVER, &booking, "over");
    line.slot_id = hall_slot(venue, hall.today + 2, 600, 660, 1, 8000);
    fixture_sql(hall.db, "UPDATE venue_schedule SET status = 0, close_reason = '保养' WHERE id = %" PRId64,
                line.slot_id);
    refuses(FD_SLOT_CLOSED, &booking, "保养");
    line.slot_id = hall_slot(venue, hall.today + 3, 600, 660, 5, 8000);
    line.quantity = 6;
    refuses(FD_SLOT_TAKEN, &booking, "5");
    line.quantity = 1;
    line.seen_price_fen = 7000;
    refuses(FD_PRICE_CHANGED, &booking, "70.00");
    assert_non_null(strstr(err.message, "80.00"));
    fixture_sql(hall.db, "UPDATE venue SET status = 0 WHERE id = %" PRId64, venue);
    refuses(FD_SLOT_CLOSED, &booking, "out of use");
    line.quantity = 0;
    refuses(FD_BAD_INPUT, &booking, NULL);
    booking.phone = "12";
    refuses(FD_BAD_INPUT, &booking, NULL);
    hall_sound();
}

/* Sells the slot in a transaction that is still open when the clerk's booking looks, and ends while it waits. */
static void sell_or_book(size_t index, void *arg)
{
    const struct booking *booking = arg;
    char sql[500];
    struct fd_error error = {0};
    if (index == 1) {
        sleep_ms(300);
        make(booking, NULL);
        return;
    }
    int64_t slot = booking->lines[0].slot_id;
    fit_printf(sql, "UPDATE venue_schedule SET remain_count = 0 WHERE id = %" PRId64, slot);
    if (db_run(hall.online, sql, &error))
        abort();
    fit_printf(
        sql,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
        "quantity, total_amount, status) SELECT 'sold-l1ne', (SELECT MIN(id) FROM t_user WHERE walk_in = 0), "
        "venue_id, id, schedule_date, start_time, end_time, 1, price, 'PENDING_PAY' FROM venue_schedule "
        "WHERE id = %" PRId64,
        slot);
    if (db_run(hall.online, sql, &error))
        abort();
    sleep_ms(1200);
    if (db_commit(hall.online, &error))
        abort();
}

/* Its own row, which is rolled back, would be the newest of the slot's holders. */
static void a_booking_that_lost_names_the_winner_not_itself(void **state)
{
    (void)state;
    struct booking_line line;
    struct booking booking = hall_booking(&line, hall_court_slot(), hall_phone());
    hall_threads(2, sell_or_book, &booking);
    if (err.code != FD_SLOT_TAKEN || !strstr(err.message, "l1ne"))
        fail_msg("%s: %s", fd_code_name(err.code), err.message);
    hall_sound();
}

static void a_refusal_sees_every_change(void **state)
{
    (void)state;
    day_t day = hall.today + 8;
    int64_t slot = hall_slot(hall_venue("COURT", "squash"), day, 600, 660, 1, 8000);
    hall_clock(wall_at(day, 500));
    const char *number = hall_book(slot, hall_phone());
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    refuses(FD_SLOT_TAKEN, &booking, "until 08:35");
    refuses(FD_SLOT_TAKEN, &booking, "until 08:35"); /* from memory */
    hall_clock(wall_at(day, 515) + 1);
    must(make(&booking, "after-memory")); /* the hold has run out meanwhile */
    assert_string_equal(hall_state(number), "CANCELLED");
    booking.phone = hall_phone();
    refuses(FD_SLOT_TAKEN, &booking, "until 08:50");
    assert_int_equal(make(&booking, "after-memory"), FD_KEY_REUSED); /* a used key is met before the memory */
    must(venue_cancel(hall.clerk, NULL,
                      fixture_text(hall.db, "SELECT order_no FROM reserve_order WHERE idempotency_key = "
                                            "'after-memory'"),
                      NULL, NULL, &err));
    must(make(&booking, NULL)); /* free again within the second */
    hall_clock(WALL_NONE);
    hall_sound();
}

static void a_second_order_for_one_slot_is_refused_by_its_number(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("PLACE", "swimming"), hall.today + 1, 600, 660, 8, 3000);
    const char *phone = hall_phone();
    const char *number = hall_book(slot, phone);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, phone);
    refuses(FD_HAS_ORDER, &booking, number + strlen(number) - 4);
    must(venue_cancel(hall.clerk, NULL, number, NULL, NULL, &err));
    must(make(&booking, NULL));
    hall_sound();
}

static void the_same_slot_twice_in_a_cart_is_one_order_of_two(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("PLACE", "swimming"), hall.today + 1, 600, 660, 8, 3000);
    struct booking_line lines[2] = {{slot, 1, -1}, {slot, 2, -1}};
    struct booking booking = {.phone = hall_phone(), .lines = lines, .line_count = 2};
    must(make(&booking, NULL));
    assert_int_equal(booked.count, 1);
    assert_int_equal(booked.orders[0].quantity, 3);
    assert_int_equal(booked.total_fen, 9000);
    assert_int_equal(hall_remain(slot), 5);
    hall_sound();
}

static void a_cart_is_one_bill_all_or_nothing(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton"), rackets = hall_venue("HOURLY", "badminton");
    int64_t first = hall_slot(venue, hall.today + 1, 600, 660, 1, 8000);
    int64_t second = hall_slot(venue, hall.today + 1, 660, 720, 1, 8000);
    int64_t racket = hall_slot(rackets, hall.today + 1, 600, 660, 10, 1000);
    struct booking_line lines[3] = {{second, 1, 8000}, {first, 1, 8000}, {racket, 2, 1000}};
    struct booking booking = {.phone = hall_phone(), .lines = lines, .line_count = 3};
    must(make(&booking, "cart"));
    assert_int_equal(booked.count, 3);
    assert_int_equal(booked.total_fen, 18000);
    assert_int_equal(hall_remain(racket), 8);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM reserve_order WHERE bill_no = '%s' AND idempotency_key IN "
                                 "('cart', 'cart#2', 'cart#3')",
                                 booked.bill_no),
                     3);
    booking.phone = hall_phone();
    lines[0].slot_id = hall_slot(venue, hall.today + 1, 780, 840, 1, 8000);
    refuses(FD_SLOT_TAKEN, &booking, NULL);
    assert_int_equal(hall_remain(lines[0].slot_id), 1);
    assert_int_equal(hall_remain(racket), 8);
    hall_sound();
}

static void three_unpaid_holds_are_enough(void **state)
{
    (void)state;
    const char *phone = hall_phone();
    struct booking_line lines[2] = {{hall_court_slot(), 1, -1}, {hall_court_slot(), 1, -1}};
    struct booking cart = {.phone = phone, .lines = lines, .line_count = 2};
    must(make(&cart, NULL)); /* a cart is one */
    hall_book(hall_court_slot(), phone);
    const char *third = hall_book(hall_court_slot(), phone);
    struct booking_line line;
    struct booking booking = hall_booking(&line, hall_court_slot(), phone);
    refuses(FD_HOLD_LIMIT, &booking, "3");
    assert_int_equal(hall_remain(line.slot_id), 1);
    booking.payment = &hall_cash; /* paid at once it is none */
    must(make(&booking, NULL));
    must(pay_take(hall.clerk, NULL, third, &hall_cash, &(struct paid){0}, &err));
    hall_book(hall_court_slot(), phone);
    hall_sound();
}

static wall_t hold_of(int64_t slot, enum hold_kind hold, int64_t minutes)
{
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    booking.hold = hold;
    booking.hold_minutes = minutes;
    must(make(&booking, NULL));
    return booked.hold_until;
}

static void holds_end_when_the_clerk_says(void **state)
{
    (void)state;
    day_t day = hall.today + 5;
    wall_t now = wall_at(day, 9 * 60);
    int64_t venue = hall_venue("PLACE", "yoga");
    int64_t later = hall_slot(venue, day, 1140, 1200, 50, 100);
    int64_t soon = hall_slot(venue, day, 560, 620, 50, 100);    /* 09:20-10:20 */
    int64_t running = hall_slot(venue, day, 480, 550, 50, 100); /* 08:00-09:10 */
    hall_clock(now);
    assert_int_equal(hold_of(later, HOLD_MINUTES, 0), now + 15 * 60);
    assert_int_equal(hold_of(later, HOLD_MINUTES, 45), now + 45 * 60);
    assert_int_equal(hold_of(later, HOLD_MINUTES, 5), now + 15 * 60);
    assert_int_equal(hold_of(later, HOLD_BEFORE_START, 0), wall_at(day, 1110));
    assert_int_equal(hold_of(later, HOLD_START, 0), wall_at(day, 1140));
    assert_int_equal(hold_of(soon, HOLD_BEFORE_START, 0), now + 15 * 60);
    assert_int_equal(hold_of(soon, HOLD_START, 0), wall_at(day, 560));
    assert_int_equal(hold_of(running, HOLD_START, 0), wall_at(day, 550)); /* never after the end */
    assert_int_equal(hold_of(later, HOLD_MINUTES, 7 * 24 * 60), wall_at(day, 1200));
    hall_clock(WALL_NONE);
    hall_sound();
}

static void a_walk_in_pays_at_once(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("PLACE", "swimming"), hall.today + 1, 600, 660, 8, 3000);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, NULL);
    refuses(FD_BAD_INPUT, &booking, "pays at once");
    booking.payment = &(struct payment){.tender = TENDER_CASH, .tendered_fen = 5000};
    must(make(&booking, NULL));
    assert_string_equal(booked.orders[0].state, "PAID");
    assert_int_equal(booked.paid.change_fen, 2000);
    assert_true(booked.hold_until == WALL_NONE);
    must(make(&booking, NULL)); /* exempt from one order a slot */
    assert_int_equal(hall_remain(slot), 6);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM reserve_order WHERE schedule_id = %" PRId64
                                 " AND walk_in = 1 AND holding IS NULL",
                                 slot),
                     2);
    booking.payment = &(struct payment){.tender = TENDER_CASH, .tendered_fen = 1000};
    refuses(FD_BAD_INPUT, &booking, NULL);
    booking.payment = &(struct payment){.tender = TENDER_CARD};
    refuses(FD_BAD_INPUT, &booking, NULL);
    hall_sound();
}

/* One code of an order less, as its end takes it off. */
static enum fd_code dead_txn(struct db *db_, void *arg, struct fd_error *error)
{
    int64_t id = fixture_int(hall.db, "SELECT id FROM reserve_order WHERE order_no = '%s'", (const char *)arg);
    return db_exec(db_, venue_kind.dead, DB_ARGS(db_int("id", id), db_int("grace", 2)), NULL, error);
}

static void hall_dead_code(const char *number)
{
    must(db_txn(hall.clerk->db, "test.dead", 0, dead_txn, (void *)(uintptr_t)number, &err));
}

static enum fd_code load_txn(struct db *db_, void *arg, struct fd_error *error)
{
    struct order **order = arg;
    return venue_kind.load_no(db_, (*order)->order_no, &hall.arena, order, error);
}

static enum fd_code hall_load(const char *number, struct order **order)
{
    struct order named = {0};
    cut_copy(named.order_no, sizeof named.order_no, number);
    *order = &named;
    return desk_read(hall.clerk, "test.load", load_txn, order, &err);
}

/* Only as long as somebody stands there and pays. */
static void a_walk_in_holds_only_while_a_code_is_shown(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("COURT", "squash"), hall.today + 1, 600, 660, 1, 3000);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, NULL);
    booking.by_code = true;
    booking.code_tender = TENDER_WECHAT;
    booking.hold = HOLD_BEFORE_START; /* whatever is asked for */
    must(make(&booking, NULL));
    wall_t now = 0;
    wall_from_sql(fixture_text(hall.db, "SELECT NOW()"), &now);
    assert_true(booked.hold_until > now + 60 && booked.hold_until <= now + 2 * 60);
    /* A code was shown, and left. */
    const char *number = booked.orders[0].order_no;
    fixture_sql(hall.db,
                "UPDATE reserve_order SET live_codes = 2, expire_time = NOW() + INTERVAL 15 MINUTE WHERE order_no = "
                "'%s'",
                number);
    struct order *order;
    hall_dead_code(number);
    must(hall_load(number, &order));
    assert_true(order->expire_time > now + 14 * 60); /* the other one is still shown */
    hall_dead_code(number);
    must(hall_load(number, &order));
    assert_true(order->expire_time > now + 60 && order->expire_time <= now + 2 * 60 + 30);
    /* Moving it keeps it no longer. */
    int64_t other = hall_slot(hall_venue("COURT", "squash"), hall.today + 1, 600, 660, 1, 3000);
    struct venue_changed changed;
    must(venue_move_with(hall.clerk, NULL, number, other, &(struct venue_change){0}, &changed, &err));
    must(hall_load(number, &order));
    assert_true(order->expire_time <= now + 2 * 60 + 30);
    fixture_sql(hall.db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 SECOND WHERE order_no = '%s'",
                number);
    line.slot_id = other;
    must(make(&booking, NULL)); /* the next one has the place */
    assert_string_equal(hall_state(number), "CANCELLED");
    hall_sound();
}

static void allow(const char *action, bool given)
{
    if (given)
        fixture_sql(hall.db, "INSERT IGNORE INTO role_action (role, action) VALUES ('clerk', '%s')", action);
    else
        fixture_sql(hall.db, "DELETE FROM role_action WHERE role = 'clerk' AND action = '%s'", action);
}

/* To book is one permission, to take money so is another. */
static void who_may_not_take_it_so_books_nothing(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot(),
            later = hall_slot(hall_venue("COURT", "squash"), hall.today + 1, 600, 660, 1, 9000);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, NULL);
    allow("pay.cash", false);
    allow("pay.alipay", false);
    booking.payment = &hall_cash;
    refuses(FD_NO_PERMISSION, &booking, "pay.cash");
    booking.payment = NULL;
    booking.by_code = true;
    booking.code_tender = TENDER_ALIPAY;
    refuses(FD_NO_PERMISSION, &booking, "pay.alipay");
    booking.phone = hall_phone();
    refuses(FD_NO_PERMISSION, &booking, "pay.alipay");
    assert_int_equal(fixture_int(hall.db, "SELECT COUNT(*) FROM reserve_order WHERE schedule_id = %" PRId64, slot), 0);
    assert_int_equal(hall_remain(slot), 1);
    booking.code_tender = TENDER_WECHAT;
    must(make(&booking, NULL));
    /* Nor does a change take it along. */
    const char *number = booked.orders[0].order_no;
    allow("pay.cash", true);
    struct paid paid;
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &paid, &err));
    allow("pay.cash", false);
    struct venue_changed changed;
    assert_int_equal(
        venue_move_with(hall.clerk, NULL, number, later, &(struct venue_change){.payment = &hall_cash}, &changed, &err),
        FD_NO_PERMISSION);
    assert_int_equal(hall_remain(later), 1);
    allow("pay.cash", true);
    allow("pay.alipay", true);
    must(venue_move_with(hall.clerk, NULL, number, later, &(struct venue_change){.payment = &hall_cash}, &changed,
                         &err));
    hall_sound();
}

static void pay_and_go_in_is_one_step(void **state)
{
    (void)state;
    day_t day = hall.today + 6;
    int64_t slot = hall_slot(hall_venue("COURT", "squash"), day, 600, 660, 1, 8000);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    booking.payment = &(struct payment){.tender = TENDER_CARD, .reference = "S1", .check_in = true};
    hall_clock(wall_at(day, 480));
    refuses(FD_TOO_EARLY, &booking, "09:00");
    assert_int_equal(hall_remain(slot), 1);
    hall_clock(wall_at(day, 560));
    must(make(&booking, "go-in"));
    assert_string_equal(booked.orders[0].state, "COMPLETED");
    must(make(&booking, "go-in"));
    assert_true(booked.replayed);
    assert_string_equal(booked.orders[0].state, "COMPLETED");
    assert_int_equal(booked.paid.amount_fen, 8000);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void what_costs_nothing_is_paid(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("COURT", "squash"), hall.today + 1, 600, 660, 1, 0);
    const char *number = hall_book(slot, hall_phone());
    assert_string_equal(hall_state(number), "PAID");
    int64_t back = 1;
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err));
    assert_string_equal(hall_state(number), "REFUNDED");
    assert_int_equal(back, 0);
    assert_int_equal(hall_remain(slot), 1);
    hall_sound();
}

static void a_run_out_hold_is_bookable_without_a_worker(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot();
    const char *old = hall_book(slot, hall_phone());
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    refuses(FD_SLOT_TAKEN, &booking, "held");
    fixture_sql(hall.db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE order_no = '%s'", old);
    forget_refusal();
    must(make(&booking, NULL));
    assert_string_equal(hall_state(old), "CANCELLED");
    assert_string_equal(fixture_text(hall.db, "SELECT cancel_reason FROM reserve_order WHERE order_no = '%s'", old),
                        "expired");
    assert_int_equal(hall_remain(slot), 0);
    hall_sound();
}

static void a_run_out_hold_with_a_live_code_or_a_part_payment_stays(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot();
    const char *old = hall_book(slot, hall_phone());
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    fixture_sql(
        hall.db,
        "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE, live_codes = 1 WHERE order_no = '%s'", old);
    refuses(FD_SLOT_TAKEN, &booking, NULL);
    assert_string_equal(hall_state(old), "PENDING_PAY");
    assert_int_equal(venue_cancel(hall.clerk, NULL, old, NULL, NULL, &err), FD_LIVE_CODE);
    fixture_sql(hall.db, "UPDATE reserve_order SET live_codes = 0 WHERE order_no = '%s'", old);
    must(pay_take(hall.clerk, NULL, old, &(struct payment){.tender = TENDER_CASH, .amount_fen = 3000},
                  &(struct paid){0}, &err));
    refuses(FD_SLOT_TAKEN, &booking, NULL);
    assert_string_equal(hall_state(old), "PENDING_PAY");
    int64_t back = 0;
    must(venue_cancel(hall.clerk, NULL, old, NULL, &back, &err)); /* a person ends it, and its money goes back */
    assert_int_equal(back, 3000);
    hall_sound();
}

static void any_of_takes_what_is_free_until_nothing_is(void **state)
{
    (void)state;
    int64_t venues[3], slots[3];
    for (int i = 0; i < 3; i++) {
        venues[i] = hall_venue("COURT", "fencing");
        slots[i] = hall_slot(venues[i], hall.today + 1, 1080, 1140, 1, 5000);
        hall_slot(venues[i], hall.today + 1, 1140, 1200, 1, 5000);
    }
    hall_slot(hall_venue("HOURLY", "fencing"), hall.today + 1, 1080, 1140, 20, 500); /* swords are no court */
    struct booking booking = {.any_of = "fencing", .day = hall.today + 1, .from_minute = 1080, .to_minute = -1};
    for (int i = 0; i < 3; i++) {
        booking.phone = hall_phone();
        must(make(&booking, NULL));
        assert_int_equal(booked.count, 1);
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(hall_remain(slots[i]), 0);
    booking.phone = hall_phone();
    refuses(FD_SLOT_TAKEN, &booking, "fencing");
    booking.from_minute = 1140; /* two hours do not fit behind it */
    booking.to_minute = 1260;
    refuses(FD_SLOT_UNKNOWN, &booking, NULL);
    fixture_sql(hall.db,
                "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE schedule_id = %" PRId64,
                slots[1]);
    booking.from_minute = 1080;
    booking.to_minute = 1200; /* two hours of one court */
    must(make(&booking, "any-two"));
    assert_int_equal(booked.count, 2);
    assert_int_equal(booked.orders[0].slot_id, slots[1]);
    must(make(&booking, "any-two"));
    assert_true(booked.replayed);
    booking.any_of = "nothing like it";
    refuses(FD_SLOT_UNKNOWN, &booking, NULL);
    hall_sound();
}

static void a_running_slot_is_sold_until_its_end(void **state)
{
    (void)state;
    day_t day = hall.today + 7;
    int64_t slot = hall_slot(hall_venue("PLACE", "yoga"), day, 600, 660, 9, 100);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    hall_clock(wall_at(day, 659));
    must(make(&booking, NULL));
    hall_clock(wall_at(day, 660));
    booking.phone = hall_phone();
    refuses(FD_SLOT_OVER, &booking, "over");
    hall_clock(WALL_NONE);
    hall_sound();
}

static void hostile_text_is_refused_or_kept_as_it_is(void **state)
{
    (void)state;
    struct booking_line line;
    struct booking booking = hall_booking(&line, hall_court_slot(), hall_phone());
    booking.name = "x\x1b]0;owned\x07";
    refuses(FD_BAD_INPUT, &booking, NULL);
    booking.name = "\xff\xfe";
    refuses(FD_BAD_INPUT, &booking, NULL);
    booking.name = "a\u202eb";
    refuses(FD_BAD_INPUT, &booking, NULL);
    booking.name = "O'Brien \"%_|\\ ; DROP TABLE t_user";
    booking.note = "100%";
    must(make(&booking, NULL));
    assert_int_equal(
        fixture_int(hall.db, "SELECT COUNT(*) FROM t_user WHERE nickname = 'O''Brien \"%%_|\\\\ ; DROP TABLE t_user'"),
        1);
    hall_sound();
}

static void a_role_without_the_action_is_refused(void **state)
{
    (void)state;
    struct booking_line line;
    struct booking booking = hall_booking(&line, hall_court_slot(), hall_phone());
    memset(&err, 0, sizeof err);
    assert_int_equal(booking_make(hall.worker, NULL, &booking, &hall.arena, &booked, &err), FD_NO_PERMISSION);
    assert_int_equal(hall_remain(line.slot_id), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slot_makes_a_bill_an_order_and_a_log_row),
        cmocka_unit_test(the_same_key_returns_the_same_text_and_changes_nothing),
        cmocka_unit_test(who_may_not_book_is_told_that_and_nothing_of_the_slot),
        cmocka_unit_test(refusals_name_the_slot_and_who_has_it),
        cmocka_unit_test(a_booking_that_lost_names_the_winner_not_itself),
        cmocka_unit_test(a_refusal_sees_every_change),
        cmocka_unit_test(a_second_order_for_one_slot_is_refused_by_its_number),
        cmocka_unit_test(the_same_slot_twice_in_a_cart_is_one_order_of_two),
        cmocka_unit_test(a_cart_is_one_bill_all_or_nothing),
        cmocka_unit_test(three_unpaid_holds_are_enough),
        cmocka_unit_test(holds_end_when_the_clerk_says),
        cmocka_unit_test(a_walk_in_pays_at_once),
        cmocka_unit_test(a_walk_in_holds_only_while_a_code_is_shown),
        cmocka_unit_test(who_may_not_take_it_so_books_nothing),
        cmocka_unit_test(pay_and_go_in_is_one_step),
        cmocka_unit_test(what_costs_nothing_is_paid),
        cmocka_unit_test(a_run_out_hold_is_bookable_without_a_worker),
        cmocka_unit_test(a_run_out_hold_with_a_live_code_or_a_part_payment_stays),
        cmocka_unit_test(any_of_takes_what_is_free_until_nothing_is),
        cmocka_unit_test(a_running_slot_is_sold_until_its_end),
        cmocka_unit_test(hostile_text_is_refused_or_kept_as_it_is),
        cmocka_unit_test(a_role_without_the_action_is_refused),
    };
    return cmocka_run_group_tests(tests, hall_start, hall_stop);
}
