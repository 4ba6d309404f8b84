/* The data of a run: made by INSERT … SELECT from a table of a thousand numbers, so that it works on
 * any server and needs no file. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "core/action.h"

#define NUMBERS    "bench.number"
#define LOAD_CHUNK 1000000

static void sql(struct db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void sql(struct db *db, const char *format, ...)
{
    struct buf text = {0};
    struct fd_error err = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    if (db_run(db, buf_text(&text), &err) || db_commit(db, &err))
        bench_die(buf_text(&text), &err);
    buf_release(&text);
}

static void make_numbers(struct db *db)
{
    sql(db, "CREATE DATABASE IF NOT EXISTS bench");
    sql(db, "CREATE TABLE IF NOT EXISTS " NUMBERS " (n INT NOT NULL PRIMARY KEY)");
    sql(db, "INSERT IGNORE INTO " NUMBERS
            " WITH d AS (SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4"
            " UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)"
            " SELECT a.d * 100 + b.d * 10 + c.d FROM d a, d b, d c");
}

struct db *data_database(struct bench *bench, const char *name)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&bench->fixture);
    struct db *db;
    target.database = NULL;
    /* A load may run for minutes where a desk would have given up. */
    target.read_timeout_s = 3600;
    if (db_open(&target, &db, &err))
        bench_die("db_open", &err);
    make_numbers(db);
    if (desk_migrate(db, name, NULL, NULL, &err))
        bench_die("desk_migrate", &err);
    sql(db, "USE %s", name);
    sql(db,
        "INSERT INTO venue (id, name, sport_type, stock_form, sort_order) SELECT n + 1, CONCAT('Court ', LPAD(n + 1, "
        "2, '0')),"
        " '" SPORT "', 'COURT', n FROM " NUMBERS " WHERE n < %d",
        COURTS);
    sql(db, "INSERT INTO operator_account (name, display_name, role, password_hash) VALUES ('bench', 'Bench', 'clerk', "
            "'')");
    return db;
}

int64_t customer_id(int64_t customer)
{
    return 1000 + customer;
}

void customer_phone(int64_t customer, char phone[16])
{
    snprintf(phone, 16, "138%08lld", (long long)customer);
}

void data_customers(struct db *db, int64_t count)
{
    int64_t have = fixture_int(db, "SELECT COUNT(*) FROM t_user WHERE id >= 1000");
    for (int64_t from = have; from < count; from += LOAD_CHUNK) {
        int64_t to = from + LOAD_CHUNK < count ? from + LOAD_CHUNK : count;
        sql(db,
            "INSERT INTO t_user (id, nickname, phone, name_initials) SELECT 1000 + x.i, CONCAT('Guest ', x.i),"
            " CONCAT('138', LPAD(x.i, 8, '0')), 'g' FROM (SELECT %lld + a.n * 1000 + b.n AS i FROM " NUMBERS
            " a, " NUMBERS " b) x WHERE x.i < %lld ORDER BY x.i",
            (long long)from, (long long)to);
    }
}

void data_slots(struct db *db, int64_t first_id, day_t first, int64_t days, int places)
{
    char date[DAY_TEXT];
    for (int64_t from = 0; from < days; from += 1000) {
        day_sql(first + (day_t)from, date);
        sql(db,
            "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, remain_count, "
            "price)"
            " SELECT %lld + d.n * %d + v.n * %d + h.n, v.n + 1, '%s' + INTERVAL d.n DAY, MAKETIME(%d + h.n, 0, 0),"
            " MAKETIME(%d + h.n, 0, 0), %d, %d, %d.00 FROM " NUMBERS " d, " NUMBERS " v, " NUMBERS
            " h WHERE d.n < %lld AND v.n < %d AND h.n < %d ORDER BY d.n, v.n, h.n",
            (long long)(first_id + from * DAY_SLOTS), DAY_SLOTS, HOURS, date, FIRST_HOUR, FIRST_HOUR + 1, places,
            places, PRICE_FEN / 100, (long long)(days - from), COURTS, HOURS);
    }
}

void data_busy_day(struct db *db, int64_t first_slot, day_t day)
{
    char date[DAY_TEXT];
    int64_t last = first_slot + DAY_SLOTS - 1;
    day_sql(day, date);
    data_customers(db, DAY_SLOTS);
    sql(db,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
        "quantity,"
        " total_amount, status, expire_time, bill_no, unit_price, operator, terminal, paid_amount, paid_time)"
        " SELECT CONCAT(DATE_FORMAT(schedule_date, '%%Y%%m%%d'), 'VB', LPAD(id, 8, '0')), 1000 + id - %lld, venue_id, "
        "id,"
        " schedule_date, start_time, end_time, 1, price, IF(id %% 3 = 0, 'PENDING_PAY', 'PAID'),"
        " IF(id %% 3 = 0, '%s' - INTERVAL id %% 50 MINUTE + INTERVAL 6 HOUR, NULL), CONCAT('BL', id), price, 'bench', "
        "'bench',"
        " IF(id %% 3 = 0, 0, price), IF(id %% 3 = 0, NULL, NOW())"
        " FROM venue_schedule WHERE id BETWEEN %lld AND %lld",
        (long long)first_slot, date, (long long)first_slot, (long long)last);
    sql(db, "UPDATE venue_schedule SET remain_count = 0 WHERE id BETWEEN %lld AND %lld", (long long)first_slot,
        (long long)last);
}

void data_settle(struct db *db)
{
    static const char *const tables[] = {"t_user",        "venue_schedule", "reserve_order", "venue",
                                         "operation_log", "bill",           "op_request"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        fixture_text(db, "ANALYZE TABLE %s", tables[i]);
}
