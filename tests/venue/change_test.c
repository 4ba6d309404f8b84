/* Cancelling, moving, changing quantity and note, extending: and where money would have to go back. */
#include "hall.h"

#include <inttypes.h>

static struct fd_error err;
static struct paid paid;

static void refused(enum fd_code wanted, enum fd_code code, const char *part)
{
    if (code != wanted || (part && !strstr(err.message, part)))
        fail_msg("%s: %s (wanted %s with “%s”)", fd_code_name(code), err.message, fd_code_name(wanted),
                 part ? part : "");
}

static void an_unpaid_order_is_cancelled_and_its_place_free(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot(), back = 1;
    const char *number = hall_book(slot, hall_phone());
    must(venue_cancel(hall.clerk, "cancel-1", number, "客人改期", &back, &err));
    assert_int_equal(back, 0);
    assert_string_equal(hall_state(number), "CANCELLED");
    assert_int_equal(hall_remain(slot), 1);
    assert_string_equal(
        fixture_text(hall.db,
                     "SELECT cancel_reason FROM reserve_order WHERE order_no = '%s' AND cancel_time IS NOT NULL",
                     number),
        "客人改期");
    must(venue_cancel(hall.clerk, "cancel-1", number, "客人改期", &back, &err)); /* the same key */
    refused(FD_KEY_REUSED,
            venue_cancel_with(hall.clerk, "cancel-1", number, &(struct back){.in_cash = true}, "客人改期", NULL, &err),
            NULL);
    refused(FD_WRONG_STATE, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), "cancelled");
    assert_non_null(strstr(err.message, "Clerk"));
    assert_int_equal(hall_remain(slot), 1);
    hall_sound();
}

static void cash_goes_back_inside_the_free_window_only(void **state)
{
    (void)state;
    day_t day = hall.today + 2;
    int64_t venue = hall_venue("COURT", "badminton"), back = 0;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000);
    hall_clock(wall_at(day, 300));
    const char *number = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 480)); /* two hours before */
    must(venue_cancel(hall.clerk, NULL, number, "雨", &back, &err));
    assert_int_equal(back, 8000);
    assert_string_equal(hall_state(number), "REFUNDED");
    assert_int_equal(hall_remain(slot), 1);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM refund_record WHERE order_no = '%s' AND amount = 80 AND status "
                                 "= 'SUCCESS' AND kind = 'WHOLE'",
                                 number),
                     1);
    assert_int_equal(fixture_int(hall.db, "SELECT paid_amount * 100 FROM reserve_order WHERE order_no = '%s'", number),
                     0);
    number = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 480) + 1);
    refused(FD_NO_PERMISSION, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), "08:00");
    fixture_sql(
        hall.db,
        "INSERT INTO role_action (role, action) VALUES ('clerk', 'refund_late') ON DUPLICATE KEY UPDATE role = role");
    refused(FD_REASON_NEEDED, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), "08:00");
    must(venue_cancel(hall.clerk, NULL, number, "雨", &back, &err));
    assert_int_equal(back, 8000);
    assert_string_equal(hall_state(number), "REFUNDED");
    fixture_sql(hall.db, "DELETE FROM role_action WHERE role = 'clerk' AND action = 'refund_late'");
    number = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 600));
    refused(FD_TOO_LATE, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), NULL);
    assert_string_equal(hall_state(number), "PAID");
    must(venue_cancel(hall.admin, NULL, number, "雨", &back, &err)); /* it rains while they play */
    assert_string_equal(hall_state(number), "REFUNDED");
    assert_int_equal(hall_remain(slot), 1);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void give_late(bool given)
{
    if (given)
        fixture_sql(hall.db, "INSERT INTO role_action (role, action) VALUES ('clerk', 'refund_late') ON DUPLICATE KEY "
                             "UPDATE role = role");
    else
        fixture_sql(hall.db, "DELETE FROM role_action WHERE role = 'clerk' AND action = 'refund_late'");
}

static enum fd_code move_to(const char *number, int64_t slot, struct backed *backed)
{
    struct venue_changed changed = {0};
    enum fd_code code =
        venue_move_with(hall.clerk, NULL, number, slot, &(struct venue_change){.reason = "客人来电"}, &changed, &err);
    *backed = changed.backed;
    return code;
}

static bool moved_late(const char *number)
{
    return fixture_int(hall.db, "SELECT moved_late FROM reserve_order WHERE order_no = '%s'", number) != 0;
}

/* Two hours before it begins cancelling ends; another day is no way round that. */
static void what_was_moved_late_is_cancelled_late(void **state)
{
    (void)state;
    day_t day = hall.today + 2;
    int64_t venue = hall_venue("COURT", "badminton"), back = 0;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), other = hall_slot(venue, day + 7, 600, 660, 1, 8000);
    int64_t third = hall_slot(venue, day + 8, 600, 660, 1, 8000), cheap = hall_slot(venue, day + 9, 600, 660, 1, 100);
    struct backed backed;
    const char *text;
    hall_clock(wall_at(day, 300));
    const char *number = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 480) + 1);
    /* Nor is a slot that costs next to nothing. */
    refused(FD_NO_PERMISSION, move_to(number, cheap, &backed), "08:00");
    must(move_to(number, other, &backed));
    assert_true(moved_late(number));
    assert_non_null(
        strstr(fixture_text(hall.db, "SELECT after_values FROM operation_log WHERE entity_no = '%s' AND event = 'move'",
                            number),
               "\"moved_late\":1"));
    refused(FD_NO_PERMISSION, venue_cancel(hall.clerk, NULL, number, "雨", &back, &err), "was moved");
    struct fd_error local = {0};
    struct backed part;
    assert_int_equal(back_give(hall.clerk, NULL, number, &(struct back){.kind = BACK_AMOUNT, .amount_fen = 100}, "雨",
                               &part, &local),
                     FD_NO_PERMISSION);
    must(why_order(hall.clerk, number, &hall.arena, &text, &err));
    assert_non_null(strstr(text, "was moved when cancelling was not free"));
    assert_null(strstr(text, "is free until"));
    /* Moved again while there is time: late all the same. */
    must(move_to(number, third, &backed));
    assert_true(moved_late(number));
    refused(FD_NO_PERMISSION, move_to(number, cheap, &backed), "was moved");
    give_late(true);
    refused(FD_REASON_NEEDED, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), "was moved");
    must(venue_cancel(hall.clerk, NULL, number, "雨", &back, &err));
    assert_int_equal(back, 8000);
    give_late(false);
    assert_int_equal(hall_remain(third), 1);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void what_was_moved_in_time_is_cancelled_free(void **state)
{
    (void)state;
    day_t day = hall.today + 3;
    int64_t venue = hall_venue("COURT", "badminton"), back = 0;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), other = hall_slot(venue, day + 7, 600, 660, 1, 8000);
    int64_t unpaid = hall_slot(venue, day, 660, 720, 1, 8000), free_one = hall_slot(venue, day + 7, 660, 720, 1, 8000);
    struct backed backed;
    hall_clock(wall_at(day, 300));
    const char *number = hall_book_paid(slot, hall_phone());
    hall_clock(wall_at(day, 480)); /* two hours before */
    must(move_to(number, other, &backed));
    assert_false(moved_late(number));
    must(venue_cancel(hall.clerk, NULL, number, "雨", &back, &err));
    assert_int_equal(back, 8000);
    /* One that nobody has paid can be cancelled at any time. */
    hall_clock(wall_at(day, 600));
    number = hall_book(unpaid, hall_phone());
    must(move_to(number, free_one, &backed));
    assert_false(moved_late(number));
    hall_clock(WALL_NONE);
    hall_sound();
}

static void what_came_by_card_goes_back_by_card(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot(), back;
    struct backed backed;
    const char *number = hall_book(slot, hall_phone());
    must(pay_take(hall.clerk, NULL, number, &(struct payment){.tender = TENDER_CARD, .reference = "S9"}, &paid, &err));
    refused(FD_BAD_INPUT, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), NULL);
    refused(
        FD_NO_PERMISSION,
        venue_cancel_with(hall.clerk, NULL, number, &(struct back){.in_cash = true}, "terminal broken", &backed, &err),
        "CARD");
    assert_string_equal(hall_state(number), "PAID");
    assert_int_equal(hall_remain(slot), 0);
    must(venue_cancel_with(hall.clerk, "card-1", number, &(struct back){.reference = "R9"}, NULL, &backed, &err));
    must(venue_cancel_with(hall.clerk, "card-1", number, &(struct back){.reference = "R9"}, NULL, &backed, &err));
    assert_int_equal(backed.fen, 8000);
    assert_int_equal(backed.cash_fen + backed.pending_fen, 0);
    assert_string_equal(hall_state(number), "REFUNDED");
    assert_int_equal(hall_remain(slot), 1);
    assert_string_equal(fixture_text(hall.db,
                                     "SELECT CONCAT_WS('/', channel, amount, status, reference, kind) FROM "
                                     "refund_record WHERE order_no = '%s'",
                                     number),
                        "CARD/80.00/SUCCESS/R9/WHOLE");
    hall_sound();
}

static void a_part_paid_order_is_cancelled_with_its_money(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot(), back = 0;
    const char *number = hall_book(slot, hall_phone());
    must(pay_take(hall.clerk, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 3000}, &paid, &err));
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err));
    assert_int_equal(back, 3000);
    assert_string_equal(hall_state(number), "CANCELLED");
    assert_int_equal(hall_remain(slot), 1);
    hall_sound();
}

static void an_order_ends_though_its_slot_is_gone(void **state)
{
    (void)state;
    int64_t slot = hall_court_slot(), paid_slot = hall_court_slot(), back = 0;
    const char *number = hall_book(slot, hall_phone()), *other = hall_book_paid(paid_slot, hall_phone());
    fixture_sql(hall.online, "DELETE FROM venue_schedule WHERE id IN (%" PRId64 ", %" PRId64 ")", slot, paid_slot);
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err));
    assert_string_equal(hall_state(number), "CANCELLED");
    must(venue_cancel(hall.clerk, NULL, other, NULL, &back, &err));
    assert_int_equal(back, 8000);
    assert_string_equal(hall_state(other), "REFUNDED");
    /* One that would pass the places in all is still refused. */
    int64_t odd = hall_court_slot();
    number = hall_book(odd, hall_phone());
    fixture_sql(hall.online, "UPDATE venue_schedule SET remain_count = 1 WHERE id = %" PRId64, odd);
    refused(FD_REFUSED, venue_cancel(hall.clerk, NULL, number, NULL, &back, &err), "do not add up");
    fixture_sql(hall.online, "UPDATE venue_schedule SET remain_count = 0 WHERE id = %" PRId64, odd);
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err));
}

static void an_unpaid_order_moves_to_another_price(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    int64_t slot = hall_slot(venue, hall.today + 1, 600, 660, 1, 8000),
            other = hall_slot(venue, hall.today + 2, 660, 720, 1, 5000);
    const char *number = hall_book(slot, hall_phone());
    must(venue_move_with(hall.clerk, "move-1", number, other, &(struct venue_change){0}, NULL, &err));
    must(venue_move_with(hall.clerk, "move-1", number, other, &(struct venue_change){0}, NULL, &err));
    assert_int_equal(hall_remain(slot), 1);
    assert_int_equal(hall_remain(other), 0);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT total_amount * 100 FROM reserve_order WHERE order_no = '%s' AND unit_price = "
                                 "50 AND start_time = '11:00:00'",
                                 number),
                     5000);
    refused(FD_BAD_INPUT, venue_move_with(hall.clerk, NULL, number, other, &(struct venue_change){0}, NULL, &err),
            NULL);
    const char *holder = hall_book(slot, hall_phone());
    refused(FD_SLOT_TAKEN, venue_move_with(hall.clerk, NULL, number, slot, &(struct venue_change){0}, NULL, &err),
            holder + strlen(holder) - 4);
    fixture_sql(hall.db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE order_no = '%s'",
                holder);
    must(venue_move_with(hall.clerk, NULL, number, slot, &(struct venue_change){0}, NULL,
                         &err)); /* run out: it makes room */
    assert_string_equal(hall_state(holder), "CANCELLED");
    hall_sound();
}

static void a_paid_order_moves_with_its_difference(void **state)
{
    (void)state;
    struct venue_changed changed;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), same = hall_slot(venue, day, 660, 720, 1, 8000);
    int64_t dear = hall_slot(venue, day, 720, 780, 1, 10000), cheap = hall_slot(venue, day, 780, 840, 1, 5000);
    const char *number = hall_book_paid(slot, hall_phone());
    must(venue_move_with(hall.clerk, NULL, number, same, &(struct venue_change){0}, NULL, &err));
    refused(FD_UNPAID, venue_move_with(hall.clerk, NULL, number, dear, &(struct venue_change){0}, NULL, &err), "20.00");
    must(venue_move_with(
        hall.clerk, "dear", number, dear,
        &(struct venue_change){.payment = &(struct payment){.tender = TENDER_CASH, .tendered_fen = 5000}}, &changed,
        &err));
    assert_int_equal(changed.paid.amount_fen, 2000);
    assert_int_equal(changed.paid.change_fen, 3000);
    must(venue_move_with(
        hall.clerk, "dear", number, dear,
        &(struct venue_change){.payment = &(struct payment){.tender = TENDER_CASH, .tendered_fen = 5000}}, &changed,
        &err));
    assert_int_equal(changed.paid.change_fen, 3000);
    assert_string_equal(hall_state(number), "PAID");
    assert_int_equal(hall_remain(slot) + hall_remain(same) + hall_remain(cheap), 3);
    assert_int_equal(hall_remain(dear), 0);
    hall_sound();
    const struct venue_change how = {0};
    must(venue_move_with(hall.clerk, "cheap", number, cheap, &how, &changed, &err));
    must(venue_move_with(hall.clerk, "cheap", number, cheap, &how, &changed, &err));
    assert_int_equal(changed.backed.cash_fen, 5000);
    assert_int_equal(hall_remain(dear), 1);
    assert_int_equal(hall_remain(cheap), 0);
    hall_sound();
    int64_t back;
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err)); /* what is left of both payments */
    assert_int_equal(back, 5000);
    hall_sound();
}

static int64_t due_of(const char *number)
{
    return fixture_int(hall.db,
                       "SELECT CAST(COALESCE(SUM(amount), 0) * 100 AS SIGNED) FROM order_due WHERE order_no = '%s' AND "
                       "settled_at IS NULL",
                       number);
}

static void a_difference_left_due_is_paid_later_or_falls_away(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), dear = hall_slot(venue, day, 660, 720, 1, 10000);
    int64_t middle = hall_slot(venue, day, 720, 780, 1, 9000), cheap = hall_slot(venue, day, 780, 840, 1, 5000);
    const struct venue_change due = {.leave_due = true};
    struct venue_changed changed;
    const char *number = hall_book_paid(slot, hall_phone());
    must(venue_move_with(hall.clerk, NULL, number, dear, &due, &changed, &err));
    assert_int_equal(changed.due_fen, 2000);
    assert_int_equal(due_of(number), 2000);
    assert_string_equal(hall_state(number), "PAID");
    must(venue_move_with(hall.clerk, NULL, number, middle, &due, &changed, &err)); /* less is due, nothing goes back */
    assert_int_equal(changed.backed.fen, 0);
    assert_int_equal(due_of(number), 1000);
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &paid, &err));
    assert_int_equal(paid.amount_fen, 1000);
    must(venue_move_with(hall.clerk, NULL, number, dear, &due, &changed, &err));
    must(venue_move_with(hall.clerk, NULL, number, cheap, &due, &changed,
                         &err)); /* the due falls away, the rest goes back */
    assert_int_equal(due_of(number), 0);
    assert_int_equal(changed.backed.cash_fen, 4000);
    hall_sound();
}

static void a_paid_order_is_extended_and_pays_later(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    int64_t slot = hall_slot(venue, hall.today + 1, 600, 660, 1, 8000);
    hall_slot(venue, hall.today + 1, 660, 720, 1, 7000);
    const struct venue_change due = {.leave_due = true};
    struct booked booked;
    const char *number = hall_book_paid(slot, hall_phone());
    refused(FD_UNPAID,
            venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){0}, &hall.arena, &booked, &err),
            "70.00");
    must(venue_extend_with(hall.clerk, NULL, number, &due, &hall.arena, &booked, &err));
    assert_string_equal(hall_state(booked.orders[0].order_no), "PENDING_PAY");
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(DISTINCT bill_no) FROM reserve_order WHERE order_no IN ('%s', '%s') AND "
                                 "bill_no IS NOT NULL",
                                 number, booked.orders[0].order_no),
                     1);
    assert_true(fixture_int(hall.db, "SELECT expire_time > NOW() FROM reserve_order WHERE order_no = '%s'",
                            booked.orders[0].order_no));
    must(pay_take(hall.clerk, NULL, booked.orders[0].order_no, &hall_cash, &paid, &err));
    assert_int_equal(paid.amount_fen, 7000);
    hall_sound();
}

static void a_bill_never_comes_to_more_than_a_payment_can_be(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000);
    int64_t next = hall_slot(venue, day, 660, 720, 1, 8000);
    struct booked booked;
    fixture_sql(hall.db, "UPDATE venue_schedule SET price = 60000000 WHERE id IN (%" PRId64 ", %" PRId64 ")", slot,
                next);
    const char *number = hall_book(slot, hall_phone());
    refused(FD_BAD_INPUT,
            venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){0}, &hall.arena, &booked, &err),
            "99,999,999.99");
    assert_int_equal(hall_remain(next), 1);
    fixture_sql(hall.db, "UPDATE venue_schedule SET price = 30000000 WHERE id = %" PRId64, next);
    must(venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){0}, &hall.arena, &booked, &err));
    int64_t dear = hall_slot(venue, day, 720, 780, 1, 8000);
    fixture_sql(hall.db, "UPDATE venue_schedule SET price = 70000000 WHERE id = %" PRId64, dear);
    refused(FD_BAD_INPUT, venue_move_with(hall.clerk, NULL, number, dear, &(struct venue_change){0}, NULL, &err),
            "99,999,999.99");
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &paid, &err));
    assert_int_equal(paid.amount_fen, 9000000000);
    hall_sound();
}

static void quantity_goes_up_and_down_with_its_money(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("PLACE", "swimming"), hall.today + 1, 600, 660, 8, 3000);
    const char *number = hall_book(slot, hall_phone());
    must(venue_quantity_with(hall.clerk, NULL, number, 3, &(struct venue_change){0}, NULL, &err));
    assert_int_equal(hall_remain(slot), 5);
    must(venue_quantity_with(hall.clerk, NULL, number, 2, &(struct venue_change){0}, NULL, &err));
    assert_int_equal(hall_remain(slot), 6);
    refused(FD_SLOT_TAKEN, venue_quantity_with(hall.clerk, NULL, number, 9, &(struct venue_change){0}, NULL, &err),
            "6");
    refused(FD_BAD_INPUT, venue_quantity_with(hall.clerk, NULL, number, 0, &(struct venue_change){0}, NULL, &err),
            NULL);
    must(pay_take(hall.clerk, NULL, number, &hall_cash, &paid, &err));
    fixture_sql(hall.db, "UPDATE venue_schedule SET price = 50 WHERE id = %" PRId64, slot); /* its own price stays */
    refused(FD_UNPAID, venue_quantity_with(hall.clerk, NULL, number, 3, &(struct venue_change){0}, NULL, &err),
            "30.00");
    struct venue_changed changed;
    must(venue_quantity_with(hall.clerk, NULL, number, 3, &(struct venue_change){.payment = &hall_cash}, &changed,
                             &err));
    assert_int_equal(changed.paid.amount_fen, 3000);
    const struct venue_change how = {0};
    must(venue_quantity_with(hall.clerk, "less", number, 1, &how, &changed, &err));
    must(venue_quantity_with(hall.clerk, "less", number, 1, &how, &changed, &err));
    assert_int_equal(changed.backed.cash_fen, 6000);
    assert_int_equal(hall_remain(slot), 7);
    assert_string_equal(hall_state(number), "PAID");
    assert_int_equal(fixture_int(hall.db, "SELECT total_amount * 100 FROM reserve_order WHERE order_no = '%s'", number),
                     3000);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT SUM(quantity) FROM refund_record WHERE order_no = '%s' AND kind = 'QUANTITY'",
                                 number),
                     2);
    hall_sound();
}

static void a_part_paid_order_that_moves_to_what_was_paid_is_paid_there(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    int64_t dear = hall_slot(venue, hall.today + 2, 600, 660, 1, 8000),
            cheap = hall_slot(venue, hall.today + 3, 840, 900, 1, 5000);
    const char *number = hall_book(dear, hall_phone());
    must(pay_take(hall.clerk, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 5000}, &paid, &err));
    must(venue_move_with(hall.clerk, NULL, number, cheap, &(struct venue_change){0}, NULL, &err));
    assert_string_equal(hall_state(number), "PAID");
    /* The second event of the move keeps what the first one wrote. */
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM reserve_order o JOIN venue_schedule s ON s.id = o.schedule_id "
                                 "AND s.schedule_date = o.schedule_date AND s.start_time = o.start_time "
                                 "AND s.price = o.unit_price WHERE o.order_no = '%s'",
                                 number),
                     1);
    hall_sound();
}

static void a_part_paid_order_below_what_was_paid_gives_the_rest_back(void **state)
{
    (void)state;
    int64_t slot = hall_slot(hall_venue("PLACE", "swimming"), hall.today + 1, 600, 660, 8, 3000);
    struct booking_line line;
    struct booking booking = hall_booking(&line, slot, hall_phone());
    struct booked booked;
    line.quantity = 3;
    must(booking_make(hall.clerk, NULL, &booking, &hall.arena, &booked, &err));
    const char *number = booked.orders[0].order_no;
    must(pay_take(hall.clerk, NULL, number, &(struct payment){.tender = TENDER_CASH, .amount_fen = 6000}, &paid, &err));
    struct venue_changed changed;
    const struct venue_change how = {0};
    must(venue_quantity_with(hall.clerk, NULL, number, 1, &how, &changed, &err));
    assert_int_equal(changed.backed.cash_fen, 3000);
    assert_string_equal(hall_state(number), "PAID"); /* nothing is owed any more */
    hall_sound();
}

static void a_note_is_changed_and_logged(void **state)
{
    (void)state;
    const char *number = hall_book(hall_court_slot(), hall_phone());
    must(venue_note(hall.clerk, NULL, number, "带两副球拍", &err));
    assert_string_equal(fixture_text(hall.db, "SELECT note FROM reserve_order WHERE order_no = '%s'", number),
                        "带两副球拍");
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'change' AND "
                                 "after_values LIKE '%%带两副球拍%%'",
                                 number),
                     1);
    must(venue_note(hall.clerk, NULL, number, "", &err));
    assert_int_equal(fixture_int(hall.db, "SELECT note IS NULL FROM reserve_order WHERE order_no = '%s'", number), 1);
    hall_sound();
}

static void extending_takes_the_next_slot_in_the_same_bill(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t slot = hall_slot(venue, day, 600, 660, 1, 8000), next = hall_slot(venue, day, 660, 720, 1, 9000);
    int64_t last = hall_slot(venue, day, 1380, 1440, 1, 8000), after = hall_slot(venue, day + 1, 0, 60, 1, 8000);
    const char *number = hall_book(slot, hall_phone());
    struct booked booked;
    must(venue_extend_with(hall.clerk, "ext", number, &(struct venue_change){0}, &hall.arena, &booked, &err));
    assert_string_equal(booked.bill_no,
                        fixture_text(hall.db, "SELECT bill_no FROM reserve_order WHERE order_no = '%s'", number));
    assert_int_equal(booked.orders[0].slot_id, next);
    assert_int_equal(booked.total_fen, 9000);
    must(venue_extend_with(hall.clerk, "ext", number, &(struct venue_change){0}, &hall.arena, &booked, &err));
    assert_true(booked.replayed);
    refused(FD_SLOT_TAKEN,
            venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){0}, &hall.arena, &booked, &err), NULL);
    refused(FD_SLOT_UNKNOWN,
            venue_extend_with(hall.clerk, NULL, booked.orders[0].order_no, &(struct venue_change){0}, &hall.arena,
                              &booked, &err),
            "12:00");
    number = hall_book_paid(last, hall_phone());
    refused(FD_UNPAID,
            venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){0}, &hall.arena, &booked, &err),
            "80.00");
    must(venue_extend_with(hall.clerk, NULL, number, &(struct venue_change){.payment = &hall_cash}, &hall.arena,
                           &booked, &err));
    assert_int_equal(booked.orders[0].slot_id, after); /* past midnight */
    assert_string_equal(booked.orders[0].state, "PAID");
    hall_sound();
}

static void the_alternative_is_the_nearest_free_court_of_that_time(void **state)
{
    (void)state;
    day_t day = hall.today + 1;
    int64_t venues[3], slots[3];
    for (int i = 0; i < 3; i++) {
        venues[i] = hall_venue("COURT", "curling");
        slots[i] = hall_slot(venues[i], day, 600, 660, 1, 8000);
        hall_slot(venues[i], day, 660, 720, 1, 8000);
    }
    hall_book(slots[1], hall_phone());
    struct slot *other;
    must(slot_alternative(hall.db, slots[0], 1, &hall.arena, &other, &err));
    db_rollback(hall.db);
    assert_int_equal(other->id, slots[2]);
    hall_book(slots[2], hall_phone());
    must(slot_alternative(hall.db, slots[0], 1, &hall.arena, &other, &err));
    db_rollback(hall.db);
    assert_null(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unpaid_order_is_cancelled_and_its_place_free),
        cmocka_unit_test(cash_goes_back_inside_the_free_window_only),
        cmocka_unit_test(what_was_moved_late_is_cancelled_late),
        cmocka_unit_test(what_was_moved_in_time_is_cancelled_free),
        cmocka_unit_test(what_came_by_card_goes_back_by_card),
        cmocka_unit_test(a_part_paid_order_is_cancelled_with_its_money),
        cmocka_unit_test(a_difference_left_due_is_paid_later_or_falls_away),
        cmocka_unit_test(a_paid_order_is_extended_and_pays_later),
        cmocka_unit_test(a_bill_never_comes_to_more_than_a_payment_can_be),
        cmocka_unit_test(an_unpaid_order_moves_to_another_price),
        cmocka_unit_test(a_paid_order_moves_with_its_difference),
        cmocka_unit_test(quantity_goes_up_and_down_with_its_money),
        cmocka_unit_test(a_part_paid_order_that_moves_to_what_was_paid_is_paid_there),
        cmocka_unit_test(a_part_paid_order_below_what_was_paid_gives_the_rest_back),
        cmocka_unit_test(a_note_is_changed_and_logged),
        cmocka_unit_test(extending_takes_the_next_slot_in_the_same_bill),
        cmocka_unit_test(the_alternative_is_the_nearest_free_court_of_that_time),
        /* Last: its orders name no slot any more. */
        cmocka_unit_test(an_order_ends_though_its_slot_is_gone),
    };
    return cmocka_run_group_tests(tests, hall_start, hall_stop);
}
