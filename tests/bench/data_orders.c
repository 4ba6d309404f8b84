/* Orders for the searches. Small and large sets differ in what nobody asks for only:
 *   planted, the same in both: 200 orders of 20 customers whose phones end in 9711; 12 orders whose
 *   numbers end in ZZZ9; 500 PAID ones in a week of their own, after all the others;
 *   the rest: one order in 10 has a new customer, numbers are scattered, days go back 1000 days, seven
 *   tenths are COMPLETED.
 * A large set is loaded without its secondary keys, which are then made in one go: that takes minutes
 * instead of an hour. */
#include "bench/bench.h"
#include "bench/search.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS   "bench.number"
#define CHUNK     1000000
#define FAST_FROM 100000 /* so many orders are loaded without keys */
#define DAYS_BACK 1000

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

/* The secondary keys of a table as they stand in SHOW CREATE TABLE: one ALTER that drops them, one that makes
 * them again. */
static void keys_of(struct db *db, const char *table, struct buf *drop, struct buf *make)
{
    char *columns =
        xstrdup(fixture_text(db,
                             "SELECT GROUP_CONCAT(k SEPARATOR '\n') FROM (SELECT CONCAT(IF(MAX(non_unique) = 0,"
                             " 'UNIQUE ', ''), 'KEY ', index_name, ' (', GROUP_CONCAT(column_name ORDER BY"
                             " seq_in_index), ')') AS k FROM information_schema.statistics WHERE"
                             " table_schema = DATABASE() AND table_name = '%s' AND index_name <> 'PRIMARY'"
                             " GROUP BY index_name) x",
                             table));
    char *place = NULL;
    buf_printf(drop, "ALTER TABLE %s", table);
    buf_printf(make, "ALTER TABLE %s", table);
    for (char *key = strtok_r(columns, "\n", &place); key; key = strtok_r(NULL, "\n", &place)) {
        const char *name = strstr(key, "KEY ") + 4;
        const char *comma = drop->text[drop->bytes - 1] == ' ' ? "" : strstr(buf_text(drop), "DROP") ? "," : "";
        buf_printf(drop, "%s DROP KEY %.*s", comma, (int)strcspn(name, " "), name);
        buf_printf(make, "%s ADD %s", comma, key);
    }
    free(columns);
}

static void load_customers(struct db *db, int64_t count)
{
    for (int64_t from = 0; from < count; from += CHUNK)
        sql(db,
            "INSERT INTO t_user (id, nickname, phone, name_initials) SELECT 1000 + x.i, CONCAT('Guest ', x.i),"
            " CONCAT('138', LPAD(x.i DIV 9000, 4, '0'), LPAD(x.i %% 9000, 4, '0')), 'g' FROM (SELECT %lld + a.n * 1000 "
            "+ b.n"
            " AS i FROM " NUMBERS " a, " NUMBERS " b) x WHERE x.i < %lld ORDER BY x.i",
            (long long)from, (long long)count);
    sql(db,
        "INSERT INTO t_user (id, nickname, phone, name_initials) SELECT 100 + n, CONCAT('Planted ', n), CONCAT('1390',"
        " LPAD(n, 3, '0'), '" PLANTED_PHONE_TAIL "'), 'p' FROM " NUMBERS " WHERE n < 20");
}

#define ORDER_INTO                                                                                                     \
    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "       \
    "quantity,"                                                                                                        \
    " total_amount, status, create_time, bill_no, unit_price, operator, terminal, paid_amount) "

static void load_planted(struct db *db, const char *today)
{
    sql(db,
        ORDER_INTO
        "SELECT CONCAT('20260101VBPH', LPAD(n, 6, '0')), 100 + n DIV 10, 1 + n %% 20, 1000 + n, '%s' - INTERVAL n DAY,"
        " '08:00:00', '09:00:00', 1, 40.00, 'COMPLETED', NOW(), NULL, 40.00, 'bench', 'bench', 40.00 FROM " NUMBERS
        " WHERE n < 200",
        today);
    sql(db,
        ORDER_INTO "SELECT CONCAT('20260101VB', LPAD(n, 4, '0'), '" PLANTED_NUMBER_TAIL
                   "'), 1000 + n, 1 + n %% 20, 2000 + n,"
                   " '%s' - INTERVAL n * 7 DAY, '08:00:00', '09:00:00', 1, 40.00, 'COMPLETED', NOW(), NULL, 40.00, "
                   "'bench', 'bench', 40.00"
                   " FROM " NUMBERS " WHERE n < 12",
        today);
    sql(db,
        ORDER_INTO
        "SELECT CONCAT('20260101VBPD', LPAD(n, 6, '0')), 1000 + n, 1 + n %% 20, 3000 + n, '%s' + INTERVAL %d + n %% 7 "
        "DAY,"
        " '08:00:00', '09:00:00', 1, 40.00, 'PAID', NOW(), NULL, 40.00, 'bench', 'bench', 40.00 FROM " NUMBERS
        " WHERE n < 500",
        today, PLANTED_WEEK);
}

static void load_rest(struct db *db, int64_t count, const char *today)
{
    for (int64_t from = 0; from < count; from += CHUNK)
        sql(db,
            ORDER_INTO
            "SELECT CONCAT(DATE_FORMAT('%s' - INTERVAL x.i * %d DIV %lld DAY, '%%Y%%m%%d'), 'VB', LPAD(x.i * 48271 %%"
            " 100000007, 8, '0')), 1000 + x.i DIV 10, 1 + x.i %% 20, 5000000 + x.i, '%s' - INTERVAL x.i * %d DIV %lld "
            "DAY,"
            " MAKETIME(6 + x.i %% 16, 0, 0), MAKETIME(7 + x.i %% 16, 0, 0), 1, 40.00,"
            " ELT(1 + x.i %% 20, 'PAID', 'PAID', 'CANCELLED', 'CANCELLED', 'NO_SHOW', 'REFUNDED', 'COMPLETED', "
            "'COMPLETED',"
            " 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', "
            "'COMPLETED',"
            " 'COMPLETED', 'COMPLETED', 'COMPLETED'), '%s' - INTERVAL x.i * %d DIV %lld DAY, CONCAT('BL', x.i), 40.00,"
            " IF(x.i %% 3, 'bench', NULL), 'bench', 40.00 FROM (SELECT %lld + a.n * 1000 + b.n AS i FROM " NUMBERS
            " a, " NUMBERS " b) x WHERE x.i < %lld ORDER BY x.i",
            today, DAYS_BACK, (long long)count, today, DAYS_BACK, (long long)count, today, DAYS_BACK, (long long)count,
            (long long)from, (long long)count);
}

void data_orders(struct bench *bench, struct db *db, int64_t count)
{
    char today[DAY_TEXT];
    struct buf drop = {0}, make = {0};
    bool fast = count >= FAST_FROM;
    double begin = now_ms();
    day_sql(bench->today, today);
    sql(db, "SET GLOBAL innodb_flush_log_at_trx_commit = 0");
    sql(db, "SET SESSION group_concat_max_len = 100000");
    if (fast) {
        keys_of(db, "reserve_order", &drop, &make);
        sql(db, "%s", buf_text(&drop));
    }
    load_customers(db, count / 10 + 1000);
    load_planted(db, today);
    load_rest(db, count - 712, today);
    if (fast)
        sql(db, "%s", buf_text(&make));
    sql(db, "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
    data_settle(db);
    buf_release(&drop);
    buf_release(&make);
    report_note("%lld orders loaded in %.0f s",
                (long long)fixture_int(db, "SELECT COUNT(*) FROM reserve_order FORCE INDEX (idx_day)"),
                (now_ms() - begin) / 1e3);
}
