/* Order search: every filter, pages that neither lose nor repeat a row, and each way in by its index; the
 * day grid and who comes next. */
#include "hall.h"

#include <inttypes.h>

#include "venue/venue_internal.h"

static struct fd_error err;
static struct venue_order *rows;
static size_t count;
static bool more;

static struct order_filter everything(void)
{
    return (struct order_filter){.from = DAY_NONE, .to = DAY_NONE, .after_day = DAY_NONE, .most = 50};
}

static void search(const struct order_filter *filter)
{
    must(venue_order_search(hall.clerk, filter, &hall.arena, &rows, &count, &more, &err));
}

static int64_t venue;

/* 40 orders on 5 days of one venue in several states, two customers with names. */
static int fill(void **state)
{
    hall_start(state);
    struct booking_line line;
    struct booked booked;
    venue = hall_venue("PLACE", "swimming");
    for (int i = 0; i < 40; i++) {
        int64_t slot = hall_slot(venue, hall.today + 1 + i / 8, 480 + 60 * (i % 8), 540 + 60 * (i % 8), 9, 3000);
        char phone[PHONE_BYTES];
        fit_printf(phone, "1380013%04d", i % 4 == 0 ? 8888 : 1000 + i);
        struct booking booking = hall_booking(&line, slot, phone);
        booking.name = i % 4 == 0 ? "王小明" : i % 4 == 1 ? "Wang Wei" : NULL;
        booking.payment = i % 2 ? &hall_cash : NULL;
        fixture_sql(hall.db,
                    "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE status = 'PENDING_PAY'");
        must(booking_make(hall.clerk, NULL, &booking, &hall.arena, &booked, &err));
    }
    return 0;
}

static void each_filter_finds_what_plain_sql_counts(void **state)
{
    (void)state;
    struct order_filter filter = everything();
    search(&filter);
    assert_int_equal(count, 40);
    assert_false(more);
    filter.states = "PAID";
    search(&filter);
    assert_int_equal(count, 20);
    filter.states = "paid,PENDING_PAY";
    search(&filter);
    assert_int_equal(count, 40);
    filter.states = "PAID,PENDING_PAY,COMPLETED,NO_SHOW";
    filter.from = filter.to = hall.today + 2;
    search(&filter);
    assert_int_equal(count, 8);
    filter = everything();
    filter.phone_tail = "8888";
    search(&filter);
    assert_int_equal(count, 10);
    filter.states = "PAID";
    search(&filter);
    assert_int_equal(count, 0);
    filter = everything();
    filter.phone = "13800138888";
    search(&filter);
    assert_int_equal(count, 10);
    filter = everything();
    filter.name = "王";
    search(&filter);
    assert_int_equal(count, 10);
    filter.name = "wxm";
    search(&filter);
    assert_int_equal(count, 10);
    filter.name = "WW";
    search(&filter);
    assert_int_equal(count, 10);
    filter.name = "wang w";
    search(&filter);
    assert_int_equal(count, 10);
    filter.name = "%";
    search(&filter);
    assert_int_equal(count, 0);
    filter = everything();
    filter.venue_id = venue;
    filter.operator= "clerk";
    search(&filter);
    assert_int_equal(count, 40);
    filter.operator= "-";
    search(&filter);
    assert_int_equal(count, 0);
    filter.operator= "nobody";
    search(&filter);
    assert_int_equal(count, 0);
}

static void a_number_is_found_whole_and_by_its_end(void **state)
{
    (void)state;
    const char *number =
        arena_str(&hall.arena, fixture_text(hall.db, "SELECT order_no FROM reserve_order ORDER BY id LIMIT 1"));
    struct order_filter filter = everything();
    filter.number = number;
    search(&filter);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].base.order_no, number);
    filter.number = number + strlen(number) - 6;
    search(&filter);
    assert_int_equal(count, 1);
    char lower[NUMBER_BYTES];
    for (size_t i = 0; i <= strlen(number); i++)
        lower[i] = (char)(number[i] >= 'A' && number[i] <= 'Z' ? number[i] + 32 : number[i]);
    filter.number = lower;
    search(&filter);
    assert_int_equal(count, 1);
    filter.number = "%%%";
    search(&filter);
    assert_int_equal(count, 0);
    filter.number = "号号号";
    search(&filter);
    assert_int_equal(count, 0);
    filter.number = "1";
    assert_int_equal(venue_order_search(hall.clerk, &filter, &hall.arena, &rows, &count, &more, &err), FD_BAD_INPUT);
    filter = everything();
    filter.states = "a,b;drop";
    assert_int_equal(venue_order_search(hall.clerk, &filter, &hall.arena, &rows, &count, &more, &err), FD_BAD_INPUT);
    filter.states = "A,B,C,D,E,F,G,H";
    assert_int_equal(venue_order_search(hall.clerk, &filter, &hall.arena, &rows, &count, &more, &err), FD_BAD_INPUT);
}

/* Walks through all pages; every row once, newest first. */
static size_t walk(struct order_filter filter, size_t most)
{
    size_t seen = 0;
    day_t day = DAY_NONE;
    int64_t id = 0;
    filter.most = most;
    do {
        search(&filter);
        for (size_t i = 0; i < count; i++, seen++) {
            if (day != DAY_NONE)
                assert_true(rows[i].day < day || (rows[i].day == day && rows[i].base.id < id));
            day = rows[i].day;
            id = rows[i].base.id;
        }
        filter.after_day = day;
        filter.after_id = id;
    } while (more);
    return seen;
}

static void pages_lose_and_repeat_nothing(void **state)
{
    (void)state;
    struct order_filter filters[8];
    for (size_t i = 0; i < 8; i++)
        filters[i] = everything();
    filters[1].states = "PAID";
    filters[2].states = "PAID,PENDING_PAY";
    filters[3].venue_id = venue;
    filters[4].operator= "clerk";
    filters[5].phone_tail = "8888";
    filters[6].name = "w";
    filters[7].from = hall.today + 2;
    filters[7].to = hall.today + 4;
    for (size_t i = 0; i < 8; i++) {
        size_t all = walk(filters[i], 500);
        assert_true(all > 0);
        assert_int_equal(walk(filters[i], 1), all);
        assert_int_equal(walk(filters[i], 3), all);
        assert_int_equal(walk(filters[i], 8), all);
    }
    assert_int_equal(walk(filters[7], 8), 24);
}

static void the_grid_shows_who_holds_what(void **state)
{
    (void)state;
    day_t day = hall.today + 40;
    int64_t first = hall_venue("COURT", "curling"), second = hall_venue("COURT", "curling"),
            sheet = hall_venue("PLACE", "curling");
    int64_t held = hall_slot(first, day, 600, 660, 1, 8000), paid = hall_slot(second, day, 660, 720, 1, 9000);
    int64_t closed = hall_slot(first, day, 660, 720, 1, 8000), places = hall_slot(sheet, day, 600, 660, 5, 1000);
    struct day_grid *grid;
    fixture_sql(hall.db, "UPDATE venue_schedule SET status = 0, close_reason = '冰' WHERE id = %" PRId64, closed);
    const char *number = hall_book(held, hall_phone());
    hall_book_paid(paid, hall_phone());
    hall_book(places, hall_phone());
    must(day_grid_load(hall.clerk, day, "curling", &hall.arena, &grid, &err));
    assert_int_equal(grid->venue_count, 3);
    assert_int_equal(grid->row_count, 2);
    assert_int_equal(grid->starts[0], 600);
    const struct grid_cell *cells = grid->cells;
    assert_string_equal(cells[0].order_no, number);
    assert_string_equal(cells[0].state, "PENDING_PAY");
    assert_true(cells[0].expire_time != WALL_NONE);
    assert_int_equal(cells[1].slot.id, 0);
    assert_int_equal(cells[2].slot.remain_count, 4);
    assert_int_equal(cells[2].held, 1);
    assert_string_equal(cells[2].order_no, "");
    assert_false(cells[3].slot.open);
    assert_string_equal(cells[3].slot.close_reason, "冰");
    assert_string_equal(cells[4].state, "PAID");
    assert_int_equal(grid->places, 8);
    assert_int_equal(grid->sold, 3);
    assert_int_equal(grid->unpaid_orders, 2);
    must(day_grid_load(hall.clerk, day, "no such sport", &hall.arena, &grid, &err));
    assert_int_equal(grid->venue_count, 0);
    assert_int_equal(grid->row_count, 0);
    assert_true(grid->sport_count >= 2);
    must(day_grid_load(hall.clerk, day, NULL, &hall.arena, &grid, &err));
    assert_string_equal(grid->sport, "swimming");
}

static void arrivals_are_those_of_the_next_hours(void **state)
{
    (void)state;
    day_t day = hall.today + 41;
    int64_t court = hall_venue("COURT", "curling");
    int64_t slots[4] = {hall_slot(court, day, 540, 600, 1, 8000), hall_slot(court, day, 600, 660, 1, 8000),
                        hall_slot(court, day, 660, 720, 1, 8000), hall_slot(court, day, 780, 840, 1, 8000)};
    hall_clock(wall_at(day, 300));
    for (int i = 0; i < 4; i++)
        hall_book_paid(slots[i], hall_phone());
    hall_clock(wall_at(day, 610));
    must(venue_arrivals(hall.clerk, 120, &hall.arena, &rows, &count, &err));
    assert_int_equal(count, 2); /* one is over, one too far */
    assert_int_equal(rows[0].start_minute, 600);
    assert_int_equal(rows[1].start_minute, 660);
    hall_clock(WALL_NONE);
}

static void every_query_of_the_program_can_be_prepared(void **state)
{
    (void)state;
    struct db_query *const *list;
    size_t all = db_queries(&list);
    assert_true(all > 60);
    for (size_t i = 0; i < all; i++) {
        struct buf sql = {0};
        /* As the statement layer does it: `:name` is a parameter. */
        buf_add(&sql, "PREPARE p FROM '");
        bool quoted = false;
        for (const char *at = list[i]->sql; *at; at++) {
            quoted = quoted != (*at == '\'');
            if (!quoted && *at == ':' && at[1] >= 'a' && at[1] <= 'z') {
                buf_add(&sql, "?");
                while ((at[1] >= 'a' && at[1] <= 'z') || (at[1] >= '0' && at[1] <= '9') || at[1] == '_')
                    at++;
            } else {
                buf_add_bytes(&sql, *at == '\'' ? "''" : at, *at == '\'' ? 2 : 1);
            }
        }
        buf_add(&sql, "'");
        if (db_run(hall.db, buf_text(&sql), &err))
            fail_msg("%s: %s", list[i]->name, err.detail);
        db_rollback(hall.db);
        buf_release(&sql);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_filter_finds_what_plain_sql_counts),
        cmocka_unit_test(a_number_is_found_whole_and_by_its_end),
        cmocka_unit_test(pages_lose_and_repeat_nothing),
        cmocka_unit_test(the_grid_shows_who_holds_what),
        cmocka_unit_test(arrivals_are_those_of_the_next_hours),
        cmocka_unit_test(every_query_of_the_program_can_be_prepared),
    };
    return cmocka_run_group_tests(tests, fill, hall_stop);
}
