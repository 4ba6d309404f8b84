/* Time: check-in windows, days and "over" with the server's clock in UTC, the terminal in New York and
 * the business's clock at 00:10 and 23:50; slots that end at 24:00. */
#include "hall.h"

#include <inttypes.h>
#include <stdio.h>

static struct fd_error err;
static struct checked_in in;

static void refused(enum fd_code wanted, const char *number, const char *part)
{
    memset(&err, 0, sizeof err);
    enum fd_code code = venue_check_in(hall.clerk, NULL, number, &hall.arena, &in, &err);
    if (code != wanted || (part && !strstr(err.message, part)))
        fail_msg("%s: %s (wanted %s with “%s”)", fd_code_name(code), err.message, fd_code_name(wanted),
                 part ? part : "");
}

static const char *paid_order(int64_t venue, day_t day, int start, int end, wall_t when)
{
    int64_t slot = hall_slot(venue, day, start, end, 1, 8000);
    hall_clock(when);
    return hall_book_paid(slot, hall_phone());
}

static void check_in_is_from_an_hour_before_to_the_end(void **state)
{
    (void)state;
    day_t day = hall.today + 10;
    int64_t venue = hall_venue("COURT", "badminton");
    const char *number = paid_order(venue, day, 600, 660, wall_at(day, 300));
    hall_clock(wall_at(day, 540) - 1);
    refused(FD_TOO_EARLY, number, "09:00");
    hall_clock(wall_at(day - 1, 600));
    refused(FD_WRONG_DAY, number, NULL);
    hall_clock(wall_at(day, 660));
    refused(FD_TOO_LATE, number, "11:00");
    hall_clock(wall_at(day + 1, 600));
    refused(FD_WRONG_DAY, number, NULL);
    hall_clock(wall_at(day, 540));
    must(venue_check_in(hall.clerk, "in-1", number, &hall.arena, &in, &err));
    assert_int_equal(in.late_minutes, 0);
    must(venue_check_in(hall.clerk, "in-1", number, &hall.arena, &in, &err)); /* the same key */
    hall_clock(wall_at(day, 630));
    refused(FD_WRONG_STATE, number, "09:00");
    assert_non_null(strstr(err.message, "Clerk"));
    assert_non_null(strstr(err.message, hall.clerk->terminal));
    number = paid_order(venue, day, 720, 780, wall_at(day, 300));
    hall_clock(wall_at(day, 779));
    must(venue_check_in(hall.clerk, NULL, number, &hall.arena, &in, &err));
    assert_int_equal(in.late_minutes, 59);
    hall_clock(wall_at(day, 300));
    number = hall_book(hall_slot(venue, day, 780, 840, 1, 8000), hall_phone());
    hall_clock(wall_at(day, 770));
    refused(FD_UNPAID, number, "80.00");
    hall_clock(WALL_NONE);
    hall_sound();
}

static void a_phone_tail_finds_the_one_that_may_go_in_now(void **state)
{
    (void)state;
    day_t day = hall.today + 11;
    int64_t venue = hall_venue("COURT", "badminton");
    const char *phone = "13712344711", *other = "13798764711";
    int64_t slots[4];
    for (int i = 0; i < 4; i++)
        slots[i] = hall_slot(venue, day, 600 + 180 * i, 660 + 180 * i, 1, 8000);
    hall_clock(wall_at(day, 300));
    const char *first = hall_book_paid(slots[0], phone);
    hall_book_paid(slots[1], phone);
    hall_clock(wall_at(day, 590));
    must(venue_check_in(hall.clerk, NULL, "4711", &hall.arena, &in, &err)); /* the later one is not open yet */
    assert_string_equal(in.order_no, first);
    hall_book_paid(slots[2], other);
    hall_clock(wall_at(day, 700));
    refused(FD_AMBIGUOUS, "4711", NULL); /* none may go in now, several are of today */
    hall_clock(wall_at(day, 930));
    must(venue_check_in(hall.clerk, NULL, "4711", &hall.arena, &in, &err));
    assert_int_equal(in.start_minute, 960);
    refused(FD_NOT_FOUND, "9876", NULL);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void around_midnight_days_are_those_of_the_business(void **state)
{
    (void)state;
    day_t day = hall.today + 20;
    int64_t venue = hall_venue("COURT", "badminton");
    int64_t last = hall_slot(venue, day, 1380, 1440, 1, 8000), first = hall_slot(venue, day + 1, 0, 60, 1, 8000);
    struct slot *slot;
    struct day_grid *grid;
    hall_clock(wall_at(day, 1430)); /* 23:50 */
    must(slot_by_id(hall.db, last, &hall.arena, &slot, &err));
    db_rollback(hall.db);
    assert_true(slot->running);
    assert_false(slot->over);
    const char *ends_at_midnight = hall_book_paid(last, hall_phone());
    const char *begins_at_midnight = hall_book_paid(first, hall_phone());
    assert_int_equal(
        fixture_int(hall.db,
                    "SELECT expire_time = TIMESTAMP(schedule_date, end_time) FROM reserve_order WHERE order_no = '%s'",
                    ends_at_midnight),
        1);
    must(venue_check_in(hall.clerk, NULL, begins_at_midnight, &hall.arena, &in,
                        &err)); /* opened at 23:00 of the day before */
    must(day_grid_load(hall.clerk, DAY_NONE, "badminton", &hall.arena, &grid, &err));
    assert_int_equal(grid->day, day);
    struct venue_order *rows;
    size_t count;
    must(venue_arrivals(hall.clerk, 120, &hall.arena, &rows, &count, &err));
    bool seen = false;
    for (size_t i = 0; i < count; i++)
        seen = seen || strcmp(rows[i].base.order_no, ends_at_midnight) == 0;
    assert_true(seen);
    hall_clock(wall_at(day + 1, 0)); /* 24:00 is 00:00 */
    refused(FD_TOO_LATE, ends_at_midnight, "00:00");
    hall_clock(wall_at(day + 1, 10)); /* 00:10 */
    must(day_grid_load(hall.clerk, DAY_NONE, "badminton", &hall.arena, &grid, &err));
    assert_int_equal(grid->day, day + 1);
    assert_int_equal(grid->now, wall_at(day + 1, 10));
    struct booking_line line;
    struct booking booking = hall_booking(&line, last, hall_phone());
    struct booked booked;
    assert_int_equal(booking_make(hall.clerk, NULL, &booking, &hall.arena, &booked, &err), FD_SLOT_OVER);
    int64_t done;
    must(venue_miss_due(hall.worker, 100, &done, &err));
    assert_string_equal(hall_state(ends_at_midnight), "NO_SHOW");
    line.slot_id = hall_slot(venue, day + 1, 60, 120, 1, 8000);
    must(booking_make(hall.clerk, NULL, &booking, &hall.arena, &booked, &err));
    assert_int_equal(booked.hold_until, wall_at(day + 1, 25));
    assert_int_equal(
        memcmp(booked.orders[0].order_no, fixture_text(hall.db, "SELECT DATE_FORMAT(NOW(), '%%Y%%m%%d')"), 8), 0);
    hall_clock(WALL_NONE);
    hall_sound();
}

static void day_figures_are_of_the_business_day(void **state)
{
    (void)state;
    day_t day = hall.today + 30;
    const char *text;
    int64_t venue = hall_venue("COURT", "billiards");
    paid_order(venue, day, 1380, 1440, wall_at(day, 1430));
    must(why_day(hall.clerk, day, &hall.arena, &text, &err));
    assert_non_null(strstr(text, "1 of 1 places sold"));
    assert_non_null(strstr(text, "Received on this day: 80.00"));
    hall_clock(wall_at(day + 1, 10));
    struct day_grid *grid;
    must(day_grid_load(hall.clerk, day, "billiards", &hall.arena, &grid, &err));
    assert_int_equal(grid->taken_fen, 0); /* today's, and today is another day */
    assert_int_equal(grid->sold, 1);
    must(why_day(hall.clerk, day + 1, &hall.arena, &text, &err));
    assert_non_null(strstr(text, "No money was received"));
    hall_clock(WALL_NONE);
}

static int start_elsewhere(void **state)
{
    setenv("TZ", "America/New_York", 1);
    setenv("FRONTDESK_SERVER_OPTIONS", "--default-time-zone=+00:00", 1);
    int result = hall_start(state);
    /* fixture_start cleans the environment; the terminal's zone must still be the other one. */
    setenv("TZ", "America/New_York", 1);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_in_is_from_an_hour_before_to_the_end),
        cmocka_unit_test(a_phone_tail_finds_the_one_that_may_go_in_now),
        cmocka_unit_test(around_midnight_days_are_those_of_the_business),
        cmocka_unit_test(day_figures_are_of_the_business_day),
    };
    return cmocka_run_group_tests(tests, start_elsewhere, hall_stop);
}
