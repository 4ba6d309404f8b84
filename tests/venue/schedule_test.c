/* Schedules in bulk, closing, opening, pricing, venues. */
#include "hall.h"

#include <inttypes.h>

static struct fd_error err;
static struct slot_made made;

static struct slot_plan plan_of(int64_t venue, day_t from, day_t to)
{
    return (struct slot_plan){.venue_id = venue,
                              .from = from,
                              .to = to,
                              .open_minute = 480,
                              .close_minute = 1320,
                              .length_minutes = 60,
                              .price_fen = 6000};
}

static void generating_twice_changes_nothing(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    struct price_band bands[] = {{1080, 1320, 8000, 0x1f}, {480, 1320, 9000, 0x60}};
    struct slot_plan plan = plan_of(venue, hall.today, hall.today + 13);
    plan.bands = bands;
    plan.band_count = 2;
    must(slot_generate(hall.admin, "gen-1", &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 14 * 14);
    assert_int_equal(made.existed + made.refused, 0);
    must(slot_generate(hall.admin, "gen-1", &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 14 * 14); /* the first answer */
    must(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 0);
    assert_int_equal(made.existed, 14 * 14);
    assert_int_equal(fixture_int(hall.db, "SELECT COUNT(*) FROM venue_schedule WHERE venue_id = %" PRId64, venue),
                     14 * 14);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM venue_schedule WHERE venue_id = %" PRId64
                                 " AND price <> CASE WHEN "
                                 "WEEKDAY(schedule_date) >= 5 THEN 90 WHEN start_time >= '18:00' THEN 80 ELSE 60 END",
                                 venue),
                     0);
    hall_sound();
}

static void weekdays_lengths_and_forms_are_kept(void **state)
{
    (void)state;
    int64_t lanes = hall_venue("PLACE", "swimming"), lockers = hall_venue("DAILY", "lockers"),
            court = hall_venue("COURT", "squash");
    struct slot_plan plan = plan_of(lanes, hall.today, hall.today + 6);
    plan.weekdays = 1u << 5; /* Saturday */
    plan.length_minutes = 90;
    assert_int_equal(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err),
                     FD_BAD_INPUT); /* how many places */
    plan.total_count = 8;
    must(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 9); /* 8:00 … 20:00-21:30; what does not fit whole is left out */
    plan = plan_of(lockers, hall.today, hall.today + 6);
    plan.open_minute = 0;
    plan.close_minute = 1440;
    plan.total_count = 40;
    must(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 7);
    assert_int_equal(fixture_int(hall.db,
                                 "SELECT COUNT(*) FROM venue_schedule WHERE venue_id = %" PRId64
                                 " AND end_time = '24:00:00'",
                                 lockers),
                     7);
    plan = plan_of(court, hall.today, hall.today);
    plan.total_count = 2;
    assert_int_equal(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err), FD_BAD_INPUT);
    plan.total_count = 0;
    plan.to = hall.today - 1;
    assert_int_equal(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err), FD_BAD_INPUT);
    plan = plan_of(999999, hall.today, hall.today);
    assert_int_equal(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err), FD_NOT_FOUND);
    plan = plan_of(court, hall.today, hall.today);
    assert_int_equal(slot_generate(hall.clerk, NULL, &plan, &hall.arena, &made, &err), FD_NO_PERMISSION);
}

static void an_overlap_is_refused_by_name(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "squash");
    hall_slot(venue, hall.today + 1, 570, 630, 1, 5000); /* 9:30-10:30 */
    struct slot_plan plan = plan_of(venue, hall.today + 1, hall.today + 1);
    must(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err));
    assert_int_equal(made.made, 12);
    assert_int_equal(made.refused, 2);
    assert_non_null(strstr(made.first_refusal, "09:00–10:00"));
    assert_non_null(strstr(made.first_refusal, "09:30–10:30"));
}

static void generate_half(size_t index, void *arg)
{
    struct fd_error error = {0};
    struct arena arena = {0};
    struct slot_made result;
    struct slot_plan plan = plan_of(*(int64_t *)arg, hall.today + 1, hall.today + 5);
    struct desk *desk = hall_desk(hall.admin);
    if (index % 2)
        plan.open_minute = 510;
    enum fd_code code = slot_generate(desk, NULL, &plan, &arena, &result, &error);
    desk_close(&desk);
    arena_release(&arena);
    if (code)
        abort();
}

static void two_writers_of_one_venue_cannot_pass_each_other(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "squash");
    hall_threads(8, generate_half, &venue);
    assert_int_equal(
        fixture_int(hall.db,
                    "SELECT COUNT(*) FROM venue_schedule a JOIN venue_schedule b ON a.venue_id = b.venue_id AND "
                    "a.schedule_date = b.schedule_date AND a.id < b.id AND a.start_time < b.end_time AND "
                    "b.start_time < a.end_time WHERE a.venue_id = %" PRId64,
                    venue),
        0);
    assert_in_range(fixture_int(hall.db, "SELECT COUNT(*) FROM venue_schedule WHERE venue_id = %" PRId64, venue),
                    5 * 13, 5 * 14);
}

static void closing_lists_whom_to_call_and_orders_stay(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t sold = hall_slot(venue, day, 600, 660, 1, 8000), free = hall_slot(venue, day, 660, 720, 1, 8000);
    hall_slot(venue, day, 720, 780, 1, 8000);
    const char *phone = hall_phone(), *number = hall_book_paid(sold, phone);
    struct slot_range range = {.venue_id = venue, .from = day, .to = day, .from_minute = 630, .to_minute = 720};
    struct slot_order *orders;
    size_t count;
    int64_t closed = 0, opened = 0;
    assert_int_equal(slot_close(hall.clerk, NULL, &range, NULL, &hall.arena, &closed, &orders, &count, &err),
                     FD_REASON_NEEDED);
    must(slot_close(hall.clerk, "close-1", &range, "灯坏了", &hall.arena, &closed, &orders, &count, &err));
    assert_int_equal(closed, 2); /* what touches the span */
    assert_int_equal(count, 1);
    assert_string_equal(orders[0].order_no, number);
    assert_string_equal(orders[0].phone, phone);
    must(slot_close(hall.clerk, "close-1", &range, "灯坏了", &hall.arena, &closed, &orders, &count, &err));
    assert_int_equal(closed, 2);
    assert_int_equal(count, 1);
    assert_string_equal(hall_state(number), "PAID");
    int64_t back;
    must(venue_cancel(hall.clerk, NULL, number, NULL, &back, &err));
    assert_int_equal(hall_remain(sold), 1);
    assert_int_equal(fixture_int(hall.db, "SELECT status FROM venue_schedule WHERE id = %" PRId64, sold),
                     0); /* stays closed */
    const char *text;
    must(why_slot(hall.clerk, free, &hall.arena, &text, &err));
    assert_non_null(strstr(text, "灯坏了"));
    assert_non_null(strstr(text, "Clerk"));
    must(slot_open(hall.clerk, NULL, &(struct slot_range){.ids = &sold, .id_count = 1}, NULL, &opened, &err));
    assert_int_equal(opened, 1);
    hall_book(sold, hall_phone());
    hall_sound();
}

static void opening_what_would_overlap_is_refused(void **state)
{
    (void)state;
    int64_t venue = hall_venue("COURT", "badminton");
    day_t day = hall.today + 1;
    int64_t closed = hall_slot(venue, day, 600, 720, 1, 8000), opened = 0;
    fixture_sql(hall.db, "UPDATE venue_schedule SET status = 0 WHERE id = %" PRId64, closed);
    hall_slot(venue, day, 660, 720, 1, 8000); /* the online system does not ask */
    assert_int_equal(
        slot_open(hall.clerk, NULL, &(struct slot_range){.ids = &closed, .id_count = 1}, NULL, &opened, &err),
        FD_SLOT_OVERLAP);
    assert_non_null(strstr(err.message, "11:00–12:00"));
    fixture_sql(hall.db, "DELETE FROM venue_schedule WHERE venue_id = %" PRId64, venue);
}

static void prices_change_for_later_orders_only(void **state)
{
    (void)state;
    int64_t venue = hall_venue("PLACE", "yoga"), changed = 0;
    day_t day = hall.today + 1;
    int64_t slot = hall_slot(venue, day, 600, 660, 9, 3000);
    hall_slot(venue, day, 660, 720, 9, 3000);
    const char *old = hall_book(slot, hall_phone());
    struct slot_range range = {.venue_id = venue, .from = day, .to = day, .from_minute = -1, .to_minute = -1};
    must(slot_price(hall.admin, NULL, &range, 3500, "周末", &changed, &err));
    assert_int_equal(changed, 2);
    must(slot_price(hall.admin, NULL, &range, 3500, "周末", &changed, &err));
    assert_int_equal(changed, 0);
    const char *new = hall_book(slot, hall_phone());
    assert_int_equal(fixture_int(hall.db, "SELECT total_amount * 100 FROM reserve_order WHERE order_no = '%s'", old),
                     3000);
    assert_int_equal(fixture_int(hall.db, "SELECT total_amount * 100 FROM reserve_order WHERE order_no = '%s'", new),
                     3500);
    int64_t unknown = 99999999;
    assert_int_equal(
        slot_price(hall.admin, NULL, &(struct slot_range){.ids = &unknown, .id_count = 1}, 100, NULL, &changed, &err),
        FD_SLOT_UNKNOWN);
    hall_sound();
}

static void venues_are_added_changed_and_found(void **state)
{
    (void)state;
    int64_t id = 0;
    struct venue *found;
    struct venue_edit edit = {
        .name = "九号场", .sport = "羽毛球", .form = "court", .max_people = 6, .sort_order = -1, .in_use = -1};
    must(venue_add(hall.admin, "venue-1", &edit, &id, &err));
    int64_t again = 0;
    must(venue_add(hall.admin, "venue-1", &edit, &again, &err));
    assert_int_equal(id, again);
    assert_int_equal(venue_add(hall.admin, NULL, &edit, &id, &err), FD_EXISTS);
    edit = (struct venue_edit){.form = "TENT", .max_people = -1, .sort_order = -1, .in_use = -1};
    assert_int_equal(venue_change(hall.admin, NULL, again, &edit, NULL, &err), FD_BAD_INPUT);
    edit = (struct venue_edit){.max_people = -1, .sort_order = 7, .in_use = 0};
    must(venue_change(hall.admin, NULL, again, &edit, "装修", &err));
    must(venue_find(hall.db, "九号", &hall.arena, &found, &err));
    db_rollback(hall.db);
    assert_int_equal(found->id, again);
    assert_int_equal(found->sort_order, 7);
    assert_int_equal(found->max_people, 6);
    assert_false(found->in_use);
    assert_int_equal(venue_find(hall.db, "V", &hall.arena, &found, &err), FD_AMBIGUOUS);
    db_rollback(hall.db);
    assert_int_equal(venue_find(hall.db, "100%", &hall.arena, &found, &err), FD_NOT_FOUND);
    db_rollback(hall.db);
    char text[32];
    fit_printf(text, "#%" PRId64, again);
    must(venue_find(hall.db, text, &hall.arena, &found, &err));
    db_rollback(hall.db);
    assert_string_equal(found->name, "九号场");
    hall_slot(again, hall.today + 1, 600, 660, 1, 8000);
    edit = (struct venue_edit){.form = "PLACE", .max_people = -1, .sort_order = -1, .in_use = -1};
    assert_int_equal(venue_change(hall.admin, NULL, again, &edit, NULL, &err), FD_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generating_twice_changes_nothing),
        cmocka_unit_test(weekdays_lengths_and_forms_are_kept),
        cmocka_unit_test(an_overlap_is_refused_by_name),
        cmocka_unit_test(two_writers_of_one_venue_cannot_pass_each_other),
        cmocka_unit_test(closing_lists_whom_to_call_and_orders_stay),
        cmocka_unit_test(opening_what_would_overlap_is_refused),
        cmocka_unit_test(prices_change_for_later_orders_only),
        cmocka_unit_test(venues_are_added_changed_and_found),
    };
    return cmocka_run_group_tests(tests, hall_start, hall_stop);
}
