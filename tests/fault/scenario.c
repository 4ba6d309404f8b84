#include "scenario.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/customer.h"
#include "jobs/jobs.h"
#include "money/back.h"
#include "money/code.h"
#include "money/price.h"
#include "sound.h"

#define PLACES     5
#define PRICE_FEN  8000
#define HALF_NINE  570
#define MORE_FEN   10000
#define POOL       20

static day_t today; /* of the stands */

static const struct payment cash = {.tender = TENDER_CASH};

/* Making ready ------------------------------------------------------------------------------------------ */

static void keep_number(struct stand *stand, const char *number)
{
    cut_copy(stand->number, sizeof stand->number, number);
}

static void held(struct stand *stand)
{
    keep_number(stand, hall_book(stand->slot, stand->phone));
}

static void held_three(struct stand *stand)
{
    struct fd_error err = {0};
    held(stand);
    must(venue_quantity_with(hall.clerk, NULL, stand->number, 3, &(struct venue_change){0}, NULL, &err));
}

static void paid(struct stand *stand)
{
    keep_number(stand, hall_book_paid(stand->slot, stand->phone));
}

static void paid_three(struct stand *stand)
{
    struct fd_error err = {0};
    keep_number(stand, hall_book(stand->third, stand->phone));
    must(venue_quantity_with(hall.clerk, NULL, stand->number, 3, &(struct venue_change){0}, NULL, &err));
    must(pay_take(hall.clerk, NULL, stand->number, &cash, &(struct paid){0}, &err));
}

/* A code that the customer has paid: what is missing is what the channel says of it. */
static void paid_code(struct stand *stand)
{
    fixture_sql(hall.db,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, request_key, code_until, created_at) VALUES ('PY%s', 'RC%s', 'RC%s', 'WECHAT', 80, 'CREATED', "
                "'clerk', 't', 'code', NOW() + INTERVAL 10 MINUTE, NOW())",
                stand->number, stand->number, stand->number);
    fixture_sql(hall.db,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', 80 FROM payment_record "
                "WHERE order_no = 'PY%s'",
                stand->number, stand->number);
    fixture_sql(hall.db, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = '%s'", stand->number);
}

static void coded(struct stand *stand)
{
    held(stand);
    paid_code(stand);
}

/* Paid in cash before: the money of the code is nobody's. */
static void coded_and_paid(struct stand *stand)
{
    struct fd_error err = {0};
    coded(stand);
    must(pay_take(hall.clerk, NULL, stand->number, &cash, &(struct paid){0}, &err));
}

/* Early enough to be given back. */
static void paid_late(struct stand *stand)
{
    keep_number(stand, hall_book_paid(stand->third, stand->phone));
}

/* Paid by a code and cancelled: what is missing is what the channel says of the refund. */
static void on_its_way_back(struct stand *stand)
{
    struct fd_error err = {0};
    struct settled settled;
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = PRICE_FEN, .paid_at = WALL_NONE};
    char number[2 * NUMBER_BYTES];
    keep_number(stand, hall_book(stand->third, stand->phone));
    paid_code(stand);
    fit_printf(number, "PY%s", stand->number);
    fit_printf(trade.trade_no, "4200%s", stand->number);
    must(code_settle(hall.clerk, number, CHANNEL_WECHAT, &trade, "poll", &settled, &err));
    hall.clerk->no_channel = true;
    must(venue_cancel(hall.clerk, NULL, stand->number, "rain", NULL, &err));
    hall.clerk->no_channel = false;
    fixture_sql(hall.db, "UPDATE refund_record SET refund_no = CONCAT('RF', order_no) WHERE order_no = '%s'",
                stand->number);
    fixture_sql(hall.db, "UPDATE money_case SET subject = CONCAT('RF', order_no) WHERE order_no = '%s'", stand->number);
}

static void run_out(struct stand *stand)
{
    held(stand);
    fixture_sql(hall.db, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 SECOND WHERE order_no = '%s'",
                stand->number);
}

/* All places of the slot are held, and the holds have run out. */
static void all_run_out(struct stand *stand)
{
    run_out(stand);
    fixture_sql(hall.db, "UPDATE venue_schedule SET total_count = 1, remain_count = 0 WHERE id = %" PRId64, stand->slot);
}

/* Doing ------------------------------------------------------------------------------------------------- */

static enum fd_code book_lines(struct desk *desk, const struct stand *stand, struct booking *booking,
                               struct fd_error *err)
{
    struct arena arena = {0};
    struct booked booked;
    enum fd_code code = booking_make(desk, stand->key, booking, &arena, &booked, err);
    arena_release(&arena);
    return code;
}

static enum fd_code book(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct booking_line line = {stand->slot, 1, PRICE_FEN};
    struct booking booking = {.phone = stand->phone, .name = "Wang", .lines = &line, .line_count = 1};
    return book_lines(desk, stand, &booking, err);
}

static enum fd_code cart(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct booking_line lines[] = {{stand->third, 1, -1}, {stand->slot, 1, -1}, {stand->other, 1, -1}};
    struct booking booking = {.phone = stand->phone, .lines = lines, .line_count = 3, .payment = &cash};
    return book_lines(desk, stand, &booking, err);
}

static enum fd_code any(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct booking booking = {
        .phone = stand->phone, .any_of = stand->sport, .day = stand->day, .from_minute = 600, .to_minute = -1};
    return book_lines(desk, stand, &booking, err);
}

static enum fd_code walk_in(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct payment in = {.tender = TENDER_CASH, .tendered_fen = 10000, .check_in = true};
    struct booking_line line = {stand->slot, 1, PRICE_FEN};
    struct booking booking = {.lines = &line, .line_count = 1, .payment = &in};
    return book_lines(desk, stand, &booking, err);
}

/* By somebody else than the one whose hold has run out. */
static enum fd_code book_over(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct booking_line line = {stand->slot, 1, PRICE_FEN};
    char phone[PHONE_BYTES];
    fit_printf(phone, "13%d%s", stand->phone[2] == '8' ? 7 : 8, stand->phone + 3);
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1};
    return book_lines(desk, stand, &booking, err);
}

static enum fd_code pay_all(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct paid answer;
    return pay_take(desk, stand->key, stand->number, &cash, &answer, err);
}

static enum fd_code pay_part(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct paid answer;
    struct payment part = {.tender = TENDER_CARD, .amount_fen = 3000, .reference = "slip 7"};
    return pay_take(desk, stand->key, stand->number, &part, &answer, err);
}

static enum fd_code settle(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct settled settled;
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = PRICE_FEN, .paid_at = WALL_NONE};
    char number[2 * NUMBER_BYTES];
    fit_printf(number, "PY%s", stand->number);
    fit_printf(trade.trade_no, "4200%s", stand->number);
    return code_settle(desk, number, CHANNEL_WECHAT, &trade, "poll", &settled, err);
}

static enum fd_code cancel(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    int64_t back;
    return venue_cancel(desk, stand->key, stand->number, "rain", &back, err);
}

static enum fd_code refund_part(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct backed backed;
    const struct back back = {.kind = BACK_AMOUNT, .amount_fen = 3000};
    return back_give(desk, stand->key, stand->number, &back, "lamp", &backed, err);
}

static enum fd_code refund_places(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct backed backed;
    const struct back back = {.kind = BACK_QUANTITY, .quantity = 2};
    return back_give(desk, stand->key, stand->number, &back, NULL, &backed, err);
}

static enum fd_code refund_result(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    const struct channel_backed says = {.state = BACK_SUCCESS, .refund_no = "5030", .refund_fen = PRICE_FEN};
    char number[2 * NUMBER_BYTES];
    fit_printf(number, "RF%s", stand->number);
    return back_result(desk, CHANNEL_WECHAT, number, &says, "poll", err);
}

static enum fd_code refund_failure(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    const struct channel_backed says = {.state = BACK_CLOSED, .refund_fen = PRICE_FEN};
    char number[2 * NUMBER_BYTES];
    fit_printf(number, "RF%s", stand->number);
    return back_result(desk, CHANNEL_WECHAT, number, &says, "poll", err);
}

static enum fd_code reprice(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct repriced repriced;
    return price_change(desk, stand->key, stand->number, PRICE_FEN, 7000, 0, "member", &repriced, err);
}

static enum fd_code check_in(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct checked_in in;
    enum fd_code code = venue_check_in(desk, stand->key, stand->number, &arena, &in, err);
    arena_release(&arena);
    return code;
}

static enum fd_code move(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    return venue_move_with(desk, stand->key, stand->number, stand->third, &(struct venue_change){0}, NULL, err);
}

/* To the dearer one, the difference in cash. */
static enum fd_code move_paid(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    return venue_move_with(desk, stand->key, stand->number, stand->other, &(struct venue_change){.payment = &cash}, NULL,
                           err);
}

static enum fd_code more(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    return venue_quantity_with(desk, stand->key, stand->number, 3, &(struct venue_change){0}, NULL, err);
}

static enum fd_code fewer(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    return venue_quantity_with(desk, stand->key, stand->number, 1, &(struct venue_change){0}, NULL, err);
}

static enum fd_code note(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    return venue_note(desk, stand->key, stand->number, "brings a child", err);
}

static enum fd_code extend(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct booked booked;
    enum fd_code code =
        venue_extend_with(desk, stand->key, stand->number, &(struct venue_change){0}, &arena, &booked, err);
    arena_release(&arena);
    return code;
}

static enum fd_code expire(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    int64_t done;
    (void)stand;
    return venue_expire_due(desk, 100, &done, err);
}

static enum fd_code miss(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    int64_t done;
    (void)stand;
    return venue_miss_due(desk, 100, &done, err);
}

static enum fd_code generate(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct slot_made made;
    struct slot_plan plan = {.venue_id = stand->venue, .from = stand->day, .to = stand->day + 1, .open_minute = 840,
                             .close_minute = 1020, .length_minutes = 60, .total_count = PLACES, .price_fen = PRICE_FEN};
    enum fd_code code = slot_generate(desk, stand->key, &plan, &arena, &made, err);
    arena_release(&arena);
    return code;
}

static struct slot_range two_slots(const struct stand *stand)
{
    return (struct slot_range){.ids = &stand->slot, .id_count = 2, .from = DAY_NONE, .to = DAY_NONE};
}

static enum fd_code close_two(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct slot_order *orders;
    struct slot_range range = two_slots(stand);
    int64_t closed;
    size_t count;
    enum fd_code code = slot_close(desk, stand->key, &range, "lamp broken", &arena, &closed, &orders, &count, err);
    arena_release(&arena);
    return code;
}

static enum fd_code price_two(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct slot_range range = two_slots(stand);
    int64_t changed;
    return slot_price(desk, stand->key, &range, 9000, "evening", &changed, err);
}

static enum fd_code customer(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    int64_t id;
    return customer_add(desk, stand->key, &(struct customer_edit){.phone = stand->phone, .name = "Li"}, &id, err);
}

static enum fd_code grid(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct day_grid *read;
    enum fd_code code = day_grid_load(desk, stand->day, stand->sport, &arena, &read, err);
    arena_release(&arena);
    return code;
}

static enum fd_code search(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    struct venue_order *rows;
    size_t count;
    bool rest;
    struct order_filter filter = {
        .from = DAY_NONE, .to = DAY_NONE, .phone = stand->phone, .after_day = DAY_NONE, .most = 20};
    enum fd_code code = venue_order_search(desk, &filter, &arena, &rows, &count, &rest, err);
    arena_release(&arena);
    return code;
}

static enum fd_code why(struct desk *desk, const struct stand *stand, struct fd_error *err)
{
    struct arena arena = {0};
    const char *text;
    enum fd_code code = why_order(desk, stand->number, &arena, &text, err);
    arena_release(&arena);
    return code;
}

/* Counting ---------------------------------------------------------------------------------------------- */

#define LEFT(slot)   "(SELECT remain_count FROM venue_schedule WHERE id = {" slot "})"
#define SOLD(slot)   "(SELECT total_count - remain_count FROM venue_schedule WHERE id = {" slot "})"
#define HOLD(slot)                                                                                                     \
    "(SELECT COUNT(*) FROM reserve_order WHERE schedule_id = {" slot "} AND status NOT IN ('CANCELLED', 'REFUNDED'))"
#define OF_ORDER(what) "(SELECT " what " FROM reserve_order WHERE order_no = '{no}')"
#define PARTS          "(SELECT COUNT(*) FROM pay_allocation WHERE order_no = '{no}')"
#define PAID_CODES                                                                                                     \
    "(SELECT COUNT(*) FROM payment_record WHERE order_no = 'PY{no}' AND status = 'SUCCESS' AND payment_no LIKE '4200%')"
#define BACKS          "(SELECT COUNT(*) FROM refund_record WHERE order_no = '{no}')"
#define CAPS                                                                                                           \
    "(SELECT SUM(p.refunded_amount) FROM payment_record p JOIN pay_allocation a ON a.payment_id = p.id "               \
    "WHERE a.order_no = '{no}')"
#define LOGGED(event)  "(SELECT COUNT(*) FROM operation_log WHERE entity_no = '{no}' AND event = '" event "')"

const struct scenario scenarios[] = {
    {"book", ROLE_CLERK, 0, NULL, book, "SELECT IF(" HOLD("slot") " = " SOLD("slot") ", " HOLD("slot") ", -1)"},
    {"cart", ROLE_CLERK, 0, NULL, cart,
     "SELECT IF(" HOLD("slot") " = " SOLD("slot") " AND " HOLD("other") " = " HOLD("slot") " AND " HOLD("third") " = " HOLD(
         "slot") " AND (SELECT COUNT(*) FROM pay_allocation a JOIN reserve_order o ON o.order_no = a.order_no WHERE "
                 "o.venue_id = {venue}) = 3 * " HOLD("slot") ", " HOLD("slot") ", -1)"},
    {"any of", ROLE_CLERK, 0, NULL, any, "SELECT IF(" HOLD("slot") " = " SOLD("slot") ", " HOLD("slot") ", -1)"},
    {"walk in", ROLE_CLERK, 0, NULL, walk_in,
     "SELECT IF(" HOLD("slot") " = " SOLD("slot") " AND (SELECT COALESCE(SUM(status = 'COMPLETED'), 0) FROM "
     "reserve_order WHERE schedule_id = {slot}) = " HOLD("slot") ", " HOLD("slot") ", -1)"},
    {"book over a run-out hold", ROLE_CLERK, 0, all_run_out, book_over,
     "SELECT IF(" HOLD("slot") " = " SOLD("slot") ", (SELECT COUNT(*) FROM reserve_order WHERE schedule_id = {slot} "
     "AND order_no <> '{no}'), -1)"},
    {"pay", ROLE_CLERK, 0, held, pay_all,
     "SELECT IF((" OF_ORDER("status") " = 'PAID') = (" PARTS " > 0) AND " OF_ORDER("paid_amount") " = 80 * " PARTS
     ", " PARTS ", -1)"},
    {"pay a part", ROLE_CLERK, 0, held, pay_part,
     "SELECT IF(" OF_ORDER("paid_amount") " = 30 * " PARTS ", " PARTS ", -1)"},
    {"settle a code", ROLE_CLERK, 0, coded, settle,
     "SELECT IF((" OF_ORDER("status") " = 'PAID') = " PAID_CODES " AND " OF_ORDER("live_codes") " = 1 - " PAID_CODES
     " AND " OF_ORDER("paid_amount") " = 80 * " PAID_CODES " AND " LOGGED("pay") " = " PAID_CODES ", " PAID_CODES ", -1)"},
    {"settle money that nobody owes", ROLE_CLERK, 0, coded_and_paid, settle,
     "SELECT IF(" OF_ORDER("live_codes") " = 1 - " PAID_CODES " AND " OF_ORDER("paid_amount") " = 80 AND (SELECT COUNT(*) "
     "FROM money_case WHERE order_no = '{no}' AND kind = 'SURPLUS' AND amount = 80) = " PAID_CODES ", " PAID_CODES ", -1)"},
    {"cancel", ROLE_CLERK, 0, held, cancel,
     "SELECT IF((" OF_ORDER("status") " = 'CANCELLED') = (" LEFT("slot") " = 5), " LOGGED("cancel") ", -1)"},
    {"cancel and give back", ROLE_CLERK, 0, paid_late, cancel,
     "SELECT IF((" OF_ORDER("status") " = 'REFUNDED') = (" LEFT("third") " = 5), (SELECT COUNT(*) FROM refund_record "
     "WHERE order_no = '{no}'), -1)"},
    {"refund a part", ROLE_CLERK, 0, paid_late, refund_part,
     "SELECT IF(30 * " BACKS " = " CAPS " AND " OF_ORDER("paid_amount") " = 80, " BACKS ", -1)"},
    {"refund places", ROLE_CLERK, 0, paid_three, refund_places,
     "SELECT IF(160 * " BACKS " = " CAPS " AND " OF_ORDER("paid_amount") " = 240 - 160 * " BACKS " AND "
     OF_ORDER("quantity") " = 3 - 2 * " BACKS " AND " LEFT("third") " = 2 + 2 * " BACKS ", " BACKS ", -1)"},
    {"take that a refund came through", ROLE_CLERK, 0, on_its_way_back, refund_result,
     "SELECT IF(" LOGGED("refund_ok") " = (" OF_ORDER("status") " = 'REFUNDED') AND " LOGGED("refund_ok") " = (" LEFT("third")
     " = 5) AND " LOGGED("refund_ok") " = (SELECT COUNT(*) FROM refund_record WHERE order_no = '{no}' AND status = "
     "'SUCCESS') AND " CAPS " = 80, " LOGGED("refund_ok") ", -1)"},
    {"take that a refund failed", ROLE_CLERK, 0, on_its_way_back, refund_failure,
     "SELECT IF(" LOGGED("refund_fail") " = (" OF_ORDER("status") " = 'PAID') AND " OF_ORDER("paid_amount") " = 80 * "
     LOGGED("refund_fail") " AND " CAPS " = 80 - 80 * " LOGGED("refund_fail") " AND (SELECT COUNT(*) FROM money_case WHERE "
     "order_no = '{no}' AND kind = 'REFUND') = " LOGGED("refund_fail") " AND " LEFT("third") " = 4, " LOGGED("refund_fail")
     ", -1)"},
    {"change the price", ROLE_CLERK, 0, held, reprice, "SELECT IF(" OF_ORDER("total_amount") " = 80 - 10 * " LOGGED("change") ", " LOGGED("change") ", -1)"},
    {"change the price of what is paid", ROLE_CLERK, 0, paid_late, reprice,
     "SELECT IF(10 * " BACKS " = " CAPS " AND " OF_ORDER("total_amount") " = 80 - 10 * " BACKS " AND "
     OF_ORDER("paid_amount") " = 80 - 10 * " BACKS ", " BACKS ", -1)"},
    {"check in", ROLE_CLERK, 0, paid, check_in,
     "SELECT IF((" OF_ORDER("status") " = 'COMPLETED') = (" LOGGED("check_in") " > 0), " LOGGED("check_in") ", -1)"},
    {"move", ROLE_CLERK, 0, held, move,
     "SELECT CASE WHEN " OF_ORDER("schedule_id") " = {third} AND " LEFT("slot") " = 5 AND " LEFT("third") " = 4 THEN 1 "
     "WHEN " OF_ORDER("schedule_id") " = {slot} AND " LEFT("slot") " = 4 AND " LEFT("third") " = 5 THEN 0 ELSE -1 END"},
    {"move and pay", ROLE_CLERK, 0, paid, move_paid,
     "SELECT CASE WHEN " OF_ORDER("schedule_id") " = {other} AND " LEFT("slot") " = 5 AND " LEFT("other") " = 4 AND "
     OF_ORDER("paid_amount") " = 100 AND " PARTS " > 1 THEN " PARTS " - 1 WHEN " OF_ORDER("schedule_id")
     " = {slot} AND " LEFT("slot") " = 4 AND " LEFT("other") " = 5 AND " PARTS " = 1 THEN 0 ELSE -1 END"},
    {"more places", ROLE_CLERK, 0, held, more,
     "SELECT CASE WHEN " OF_ORDER("quantity") " = 3 AND " LEFT("slot") " = 2 THEN 1 WHEN " OF_ORDER("quantity")
     " = 1 AND " LEFT("slot") " = 4 THEN 0 ELSE -1 END"},
    {"fewer places", ROLE_CLERK, 0, held_three, fewer,
     "SELECT CASE WHEN " OF_ORDER("quantity") " = 1 AND " LEFT("slot") " = 4 THEN 1 WHEN " OF_ORDER("quantity")
     " = 3 AND " LEFT("slot") " = 2 THEN 0 ELSE -1 END"},
    {"note", ROLE_CLERK, 0, held, note, "SELECT " OF_ORDER("note IS NOT NULL")},
    {"extend", ROLE_CLERK, 0, held, extend, "SELECT IF(" HOLD("other") " = " SOLD("other") ", " HOLD("other") ", -1)"},
    {"expire", ROLE_WORKER, 0, run_out, expire,
     "SELECT IF((" OF_ORDER("status") " = 'CANCELLED') = (" LEFT("slot") " = 5), " LOGGED("expire") ", -1)"},
    {"miss", ROLE_WORKER, 661, paid, miss,
     "SELECT IF((" OF_ORDER("status") " = 'NO_SHOW') = (" LOGGED("miss") " > 0), " LOGGED("miss") ", -1)"},
    {"generate", ROLE_ADMIN, 0, NULL, generate,
     "SELECT IF(n % 6 = 0, n DIV 6, -1) FROM (SELECT COUNT(*) n FROM venue_schedule WHERE venue_id = {venue} AND "
     "start_time >= '14:00') x"},
    {"close slots", ROLE_ADMIN, 0, NULL, close_two,
     "SELECT IF(n % 2 = 0, n DIV 2, -1) FROM (SELECT COUNT(*) n FROM venue_schedule WHERE venue_id = {venue} AND status "
     "= 0) x"},
    {"price slots", ROLE_ADMIN, 0, NULL, price_two,
     "SELECT IF(n % 2 = 0, n DIV 2, -1) FROM (SELECT COUNT(*) n FROM venue_schedule WHERE venue_id = {venue} AND price "
     "= 90) x"},
    {"customer", ROLE_CLERK, 0, NULL, customer, "SELECT COUNT(*) FROM t_user WHERE phone = '{phone}'"},
    {"day grid", ROLE_CLERK, 0, held, grid, NULL},
    {"search", ROLE_CLERK, 0, held, search, NULL},
    {"why", ROLE_CLERK, 0, paid, why, NULL},
    {0},
};

/* Fills the names in braces. New. */
static char *filled(const char *sql, const struct stand *stand)
{
    char numbers[4][24];
    const int64_t values[] = {stand->slot, stand->other, stand->third, stand->venue};
    for (size_t i = 0; i < 4; i++)
        fit_printf(numbers[i], "%" PRId64, values[i]);
    const char *const names[][2] = {{"{key}", stand->key},     {"{no}", stand->number},    {"{phone}", stand->phone},
                                    {"{slot}", numbers[0]},    {"{other}", numbers[1]},    {"{third}", numbers[2]},
                                    {"{venue}", numbers[3]}};
    struct buf text = {0};
    while (*sql) {
        size_t plain = strcspn(sql, "{");
        buf_add_bytes(&text, sql, plain);
        sql += plain;
        for (size_t i = 0; *sql && i < sizeof names / sizeof *names; i++)
            if (strncmp(sql, names[i][0], strlen(names[i][0])) == 0) {
                buf_add(&text, names[i][1]);
                sql += strlen(names[i][0]);
                break;
            }
    }
    return buf_take(&text);
}

int64_t stand_done(const struct scenario *scenario, const struct stand *stand)
{
    char *sql = filled(scenario->done, stand);
    int64_t done = fixture_int(hall.db, "%s", sql);
    free(sql);
    return done;
}

static void set_clock(int minute)
{
    static wall_t set = WALL_NONE;
    wall_t wall = wall_at(today, minute);
    if (wall != set)
        hall_clock(wall);
    set = wall;
}

/* Venues of a day with their three slots, made many at a time: one at a time they would take most of a test's time. */
static struct {
    day_t day;
    int64_t venue, slot; /* the next ones */
    int left, number;    /* of the next one's sport */
} pool;

static void fill_pool(void)
{
    char date[DAY_TEXT];
    struct buf venues = {0}, slots = {0};
    int64_t first = fixture_int(hall.db, "SELECT COALESCE(MAX(id), 0) + 1 FROM venue");
    day_sql(today, date);
    for (int i = 0; i < POOL; i++) {
        int64_t id = first + i;
        buf_printf(&venues, "%s(%" PRId64 ", 'F%" PRId64 "', 'sport%d', 'PLACE')", i ? ", " : "", id, id,
                   pool.number + i);
        for (int hour = 10; hour < 13; hour++)
            buf_printf(&slots, "%s(%" PRId64 ", '%s', '%d:00', '%d:00', %d, %d, %d)", i || hour > 10 ? ", " : "", id,
                       date, hour, hour + 1, PLACES, PLACES, hour == 11 ? MORE_FEN / 100 : PRICE_FEN / 100);
    }
    fixture_sql(hall.db, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES %s", buf_text(&venues));
    fixture_sql(hall.db,
                "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, "
                "price) VALUES %s",
                buf_text(&slots));
    pool.slot = fixture_int(hall.db, "SELECT MIN(id) FROM venue_schedule WHERE venue_id = %" PRId64, first);
    pool.day = today;
    pool.venue = first;
    pool.left = POOL;
    buf_release(&venues);
    buf_release(&slots);
}

void stand_make(const struct scenario *scenario, struct stand *stand)
{
    static int count;
    *stand = (struct stand){0};
    if (today == 0)
        today = hall.today + 1;
    set_clock(HALF_NINE);
    if (pool.left == 0 || pool.day != today)
        fill_pool();
    pool.left--;
    stand->day = today;
    fit_printf(stand->key, "stand-%d", ++count);
    fit_printf(stand->phone, "138%08d", count);
    fit_printf(stand->sport, "sport%d", pool.number++);
    stand->venue = pool.venue++;
    stand->slot = pool.slot;
    stand->other = pool.slot + 1;
    stand->third = pool.slot + 2;
    pool.slot += 3;
    if (scenario->make)
        scenario->make(stand);
    set_clock(scenario->at ? scenario->at : HALF_NINE);
    arena_reset(&hall.arena);
}

struct desk *stand_hall_desk(const struct scenario *scenario)
{
    return scenario->role == ROLE_WORKER ? hall.worker : scenario->role == ROLE_ADMIN ? hall.admin : hall.clerk;
}

struct desk *stand_desk(const struct scenario *scenario)
{
    struct fd_error err = {0};
    struct desk *desk = hall_desk(stand_hall_desk(scenario));
    must(db_set_clock(desk->db, wall_at(today, scenario->at ? scenario->at : HALF_NINE), &err));
    return desk;
}

int64_t stand_again(const struct scenario *scenario, const struct stand *stand)
{
    struct fd_error err = {0};
    enum fd_code code = scenario->run(stand_hall_desk(scenario), stand, &err);
    int64_t done = scenario->done ? stand_done(scenario, stand) : 1;
    if (code || done != 1)
        print_error("%s, again: %s: %s | %s; done %" PRId64 " times\n", scenario->name, fd_code_name(code), err.message,
                    err.detail, done);
    return code ? -1 : done;
}

void stand_close_day(void)
{
    struct fd_error err = {0};
    struct pass pass = {0};
    set_clock(1439);
    /* Nobody here asks a channel; what is open then is closed, as a channel would say. */
    fixture_sql(hall.db, "UPDATE reserve_order o JOIN pay_allocation a ON a.order_no = o.order_no JOIN payment_record p "
                         "ON p.id = a.payment_id SET o.live_codes = 0 WHERE p.status = 'CREATED'");
    fixture_sql(hall.db, "UPDATE payment_record SET status = 'FAILED' WHERE status = 'CREATED'");
    must(worker_pass(hall.worker, &pass, &err));
    today++;
}

int64_t stand_doctor(const char *what)
{
    return sound_count(hall.db, what, 0);
}
