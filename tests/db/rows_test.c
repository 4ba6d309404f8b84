/* Connection, session, statements and rows against a real server. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/db_internal.h"
#include "support/fixture.h"

DB_QUERY(q_insert, "t.insert", DB_NONE, "INSERT INTO t (n, name, price, d, t, w) VALUES (:n, :name, :price, :d, :t, :w)");
DB_QUERY(q_all, "t.all", DB_ROWS, "SELECT id, n, name, price, d, t, w FROM t WHERE id >= :from ORDER BY id");
DB_QUERY(q_by_price, "t.by_price", DB_VALUE, "SELECT COUNT(*) FROM t WHERE price = :price AND price + :price = :twice");
DB_QUERY(q_sum, "t.sum", DB_VALUE, "SELECT SUM(n) FROM t WHERE n = :n");
DB_QUERY(q_name, "t.name", DB_VALUE, "SELECT name FROM t WHERE n = :n");
DB_QUERY(q_one, "t.one", DB_ROW, "SELECT n FROM t WHERE n >= :n");
DB_QUERY(q_touch, "t.touch", DB_NONE, "UPDATE t SET name = name WHERE n = :n");
DB_QUERY(q_echo, "t.echo", DB_ROWS, "SELECT :a AS a, :b AS b, :a AS c");
DB_QUERY(q_types, "t.types", DB_ROWS, "SELECT * FROM types");
DB_QUERY(q_long, "t.long", DB_ROWS, "SELECT id, body, doc FROM long_text ORDER BY id");
DB_QUERY(q_long_insert, "t.long_insert", DB_NONE, "INSERT INTO long_text (body, doc) VALUES (:body, :doc)");
DB_QUERY(q_many, "t.many", DB_ROWS, "SELECT id, n, name FROM many ORDER BY id");
DB_QUERY(q_star, "t.star", DB_ROWS, "SELECT * FROM star");
DB_QUERY(q_now, "t.now", DB_VALUE, "SELECT NOW()");
DB_QUERY(q_sleep, "t.sleep", DB_VALUE, "SELECT SLEEP(:seconds)");
DB_QUERY(q_nothing, "t.nothing", DB_VALUE, "SELECT n FROM t WHERE n = -77");

static struct fixture fixture;
static struct db *db;
static struct fd_error err;

static void insert(int64_t n, const char *name, int64_t fen)
{
    must(db_exec(db, &q_insert,
                 DB_ARGS(db_int("n", n), db_text("name", name), db_fen("price", fen), db_day("d", day_of(2026, 12, 1)),
                         db_minute("t", 1140), db_wall("w", wall_at(day_of(2026, 12, 1), 1) + 7)),
                 NULL, &err));
    must(db_commit(db, &err));
}

static void session_is_set_and_says_who_it_is(void **state)
{
    (void)state;
    assert_int_equal(fixture_int(db, "SELECT @@autocommit"), 0);
    assert_string_equal(fixture_text(db, "SELECT @@time_zone"), "+08:00");
    assert_string_equal(fixture_text(db, "SELECT @@collation_connection"), "utf8mb4_unicode_520_ci");
    assert_int_equal(fixture_int(db, "SELECT @@innodb_lock_wait_timeout"), 3);
    assert_int_equal(fixture_int(db, "SELECT @fd_session"), db_connection_id(db));
    assert_int_equal(fixture_int(db, "SELECT CONNECTION_ID()"), db_connection_id(db));
    struct db *online = fixture_open_online(&fixture);
    assert_string_equal(fixture_text(online, "SELECT @fd_session"), "");
    db_close(&online);
}

static void session_that_differs_is_refused_by_name(void **state)
{
    (void)state;
    struct db *root = fixture_open(&fixture);
    /* Strict settings that somebody changes behind our back are found by the reading back. */
    must(db_run(root, "SET SESSION innodb_lock_wait_timeout = 50", &err));
    db_close(&root);
    struct db_target target = fixture_target(&fixture);
    target.time_zone = "Asia/Shanghai";
    must_give(FD_CONFIG, db_open(&target, &root, &err));
    assert_non_null(strstr(err.message, "Asia/Shanghai"));
    target.time_zone = "+15:00";
    must_give(FD_CONFIG, db_open(&target, &root, &err));
    assert_null(root);
}

static void values_come_back_exactly(void **state)
{
    struct db_rows *rows;
    (void)state;
    insert(-5, "名字 '\"\\%_", 1230);
    insert(6, NULL, -5);
    must(db_exec(db, &q_insert,
                 DB_ARGS(db_null("n"), db_text("name", ""), db_fen("price", 9999999999), db_day("d", DAY_NONE),
                         db_minute("t", -1), db_wall("w", WALL_NONE)),
                 NULL, &err));
    assert_true(db_insert_id(db) > 0);
    must(db_commit(db, &err));
    must(db_select(db, &q_all, DB_ARGS(db_int("from", 0)), &rows, &err));
    assert_int_equal(db_row_count(rows), 3);
    assert_true(db_next(rows));
    assert_int_equal(db_get_int(rows, 1), -5);
    assert_string_equal(db_get_text(rows, 1), "-5");
    assert_string_equal(db_get_text(rows, 2), "名字 '\"\\%_");
    assert_int_equal(db_get_fen(rows, 3), 1230);
    assert_string_equal(db_get_text(rows, 3), "12.30");
    assert_int_equal(db_get_day(rows, 4), day_of(2026, 12, 1));
    assert_string_equal(db_get_text(rows, 5), "19:00:00");
    assert_int_equal(db_get_minute(rows, 5), 1140);
    assert_string_equal(db_get_text(rows, 6), "2026-12-01 00:01:07");
    assert_int_equal(db_get_wall(rows, 6), wall_at(day_of(2026, 12, 1), 1) + 7);
    assert_true(db_next(rows));
    assert_true(db_is_null(rows, 2));
    assert_string_equal(db_get_text(rows, 2), "");
    assert_int_equal(db_get_fen(rows, 3), -5);
    assert_true(db_next(rows));
    assert_true(db_is_null(rows, 1));
    assert_int_equal(db_get_int(rows, 1), 0);
    assert_string_equal(db_get_text(rows, 3), "99999999.99");
    assert_int_equal(db_get_day(rows, 4), DAY_NONE);
    assert_int_equal(db_get_minute(rows, 5), -1);
    assert_int_equal(db_get_wall(rows, 6), WALL_NONE);
    assert_false(db_next(rows));
    assert_false(db_next(rows));
    db_rows_close(&rows);
    assert_null(rows);
}

static void amounts_are_compared_as_decimals(void **state)
{
    int64_t count = 0;
    (void)state;
    insert(7, "money", 7010);
    must(db_value_int(db, &q_by_price, DB_ARGS(db_fen("price", 7010), db_fen("twice", 14020)), &count, &err));
    assert_int_equal(count, 1);
}

static void single_values_come_as_integer_and_text(void **state)
{
    int64_t sum = -1;
    const char *text = "unset";
    struct arena arena = {0};
    (void)state;
    insert(11, "eleven", 1);
    insert(11, "eleven", 1);
    must(db_value_int(db, &q_sum, DB_ARGS(db_int("n", 11)), &sum, &err));
    assert_int_equal(sum, 22); /* SUM comes as DECIMAL */
    must(db_value_int(db, &q_sum, DB_ARGS(db_int("n", 4711)), &sum, &err));
    assert_int_equal(sum, 22); /* NULL: untouched */
    insert(12, "twelve", 1);
    must(db_value_text(db, &q_name, DB_ARGS(db_int("n", 12)), &arena, &text, &err));
    assert_string_equal(text, "twelve");
    insert(13, NULL, 1);
    must(db_value_text(db, &q_name, DB_ARGS(db_int("n", 13)), &arena, &text, &err));
    assert_null(text);
    must_give(FD_NOT_FOUND, db_value_int(db, &q_nothing, DB_NO_ARGS, &sum, &err));
    assert_false(db_is_doomed(db));
    arena_release(&arena);
    db_rollback(db);
}

static void two_rows_where_one_is_declared_doom(void **state)
{
    struct db_rows *rows;
    (void)state;
    insert(21, "a", 1);
    insert(22, "b", 1);
    must_give(FD_INTERNAL, db_select(db, &q_one, DB_ARGS(db_int("n", 21)), &rows, &err));
    assert_null(rows);
    assert_true(db_is_doomed(db));
    db_rollback(db);
    assert_false(db_is_doomed(db));
}

static void changed_rows_are_counted_unless_found_ones_are_asked_for(void **state)
{
    int64_t count = -1;
    (void)state;
    insert(31, "same", 1);
    must(db_exec(db, &q_touch, DB_ARGS(db_int("n", 31)), &count, &err));
    assert_int_equal(count, 0);
    db_rollback(db);
    struct db *online = fixture_open_online(&fixture);
    must(db_exec(online, &q_touch, DB_ARGS(db_int("n", 31)), &count, &err));
    assert_int_equal(count, 1);
    db_close(&online);
}

static void arguments_are_found_by_name_in_any_order(void **state)
{
    struct db_rows *rows;
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct db_arg a = db_text("a", "left"), b = db_int("b", turn);
        struct db_arg args[] = {turn % 2 ? b : a, turn % 2 ? a : b};
        must(db_select(db, &q_echo, args, 2, &rows, &err));
        assert_true(db_next(rows));
        assert_string_equal(db_get_text(rows, 0), "left");
        assert_int_equal(db_get_int(rows, 1), turn);
        assert_string_equal(db_get_text(rows, 2), "left");
        db_rows_close(&rows);
    }
    /* The same statement with other types, and open twice. */
    struct db_rows *second;
    must(db_select(db, &q_echo, DB_ARGS(db_int("a", 7), db_text("b", "x")), &rows, &err));
    must(db_select(db, &q_echo, DB_ARGS(db_fen("a", 705), db_null("b")), &second, &err));
    assert_true(db_next(rows) && db_next(second));
    assert_string_equal(db_get_text(rows, 0), "7");
    assert_string_equal(db_get_text(rows, 1), "x");
    assert_string_equal(db_get_text(second, 0), "7.05");
    assert_true(db_is_null(second, 1));
    db_rows_close(&second);
    db_rows_close(&rows);
    db_rollback(db);
}

static int wrong_argument(void *arg)
{
    struct db_rows *rows;
    (void)arg;
    fixture_quiet();
    db_select(db, &q_echo, DB_ARGS(db_int("a", 1), db_int("wrong", 2)), &rows, &err);
    return 0;
}

static int extra_argument(void *arg)
{
    struct db_rows *rows;
    (void)arg;
    fixture_quiet();
    db_select(db, &q_echo, DB_ARGS(db_int("a", 1), db_int("b", 2), db_int("c", 2)), &rows, &err);
    return 0;
}

static void misspelt_arguments_abort(void **state)
{
    (void)state;
    assert_int_equal(fixture_wait(fixture_fork(wrong_argument, NULL)), -6);
    assert_int_equal(fixture_wait(fixture_fork(extra_argument, NULL)), -6);
}

static void every_type_prints_as_sql_does(void **state)
{
    struct db_rows *rows;
    (void)state;
    fixture_sql(db, "CREATE TABLE types (a TINYINT, b BIGINT UNSIGNED, c DECIMAL(20,6), d DATE, e TIME, f TIME(3), g DATETIME(6),"
                    " h TIMESTAMP NULL, i YEAR, j CHAR(3), k ENUM('x','y'), l DOUBLE, m VARBINARY(8), n MEDIUMTEXT, o BIT(1), p TIME)");
    fixture_sql(db, "INSERT INTO types VALUES (-128, 9223372036854775807, -1234567.000001, '2026-02-28', '-838:59:59', '100:00:00.125',"
                    " '2026-12-31 23:59:59.000001', '2026-06-01 12:00:00', 2026, 'é', 'y', 0.1, 'ab', 'text', 1, '24:00:00')");
    must(db_select(db, &q_types, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    static const char *const wanted[] = {"-128", "9223372036854775807", "-1234567.000001", "2026-02-28", "-838:59:59",
                                         "100:00:00.125", "2026-12-31 23:59:59.000001", "2026-06-01 12:00:00", "2026",
                                         "é", "y", "0.1", "ab", "text"};
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(db_get_text(rows, i), wanted[i]);
    assert_string_equal(db_get_text(rows, 15), "24:00:00");
    assert_int_equal(db_get_minute(rows, 15), 1440);
    db_rows_close(&rows);
    fixture_sql(db, "UPDATE types SET d = '1969-12-31', g = '1969-12-31 23:59:58.5', e = '-00:00:01', p = '25:00:00'");
    must(db_select(db, &q_types, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    assert_string_equal(db_get_text(rows, 3), "1969-12-31");
    assert_string_equal(db_get_text(rows, 6), "1969-12-31 23:59:58.500000");
    assert_int_equal(db_get_wall(rows, 6), -2);
    assert_string_equal(db_get_text(rows, 4), "-00:00:01");
    assert_int_equal(db_get_minute(rows, 4), -1);
    assert_int_equal(db_get_minute(rows, 15), -1);
    db_rows_close(&rows);
    fixture_sql(db, "SET sql_mode = ''");
    fixture_sql(db, "UPDATE types SET d = '0000-00-00', g = '0000-00-00 00:00:00'");
    must(db_reconnect(db, &err));
    must(db_select(db, &q_types, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    assert_int_equal(db_get_day(rows, 3), DAY_NONE);
    assert_int_equal(db_get_wall(rows, 6), WALL_NONE);
    db_rows_close(&rows);
    fixture_sql(db, "UPDATE types SET b = 18446744073709551615, d = NULL, g = NULL");
    /* What does not fit is an error, never a wrapped number. */
    must_give(FD_INTERNAL, db_select(db, &q_types, DB_NO_ARGS, &rows, &err));
    db_rollback(db);
}

static void long_texts_grow_the_buffers(void **state)
{
    static const size_t sizes[] = {0, 1023, 1024, 1025, 70000, 16 * 1024 * 1024, 3};
    struct db_rows *rows;
    (void)state;
    fixture_sql(db, "CREATE TABLE long_text (id INT AUTO_INCREMENT PRIMARY KEY, body LONGTEXT, doc JSON)");
    char *body = xmalloc(sizes[5] + 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(body, 'a' + (int)i, sizes[i]);
        body[sizes[i]] = '\0';
        must(db_exec(db, &q_long_insert, DB_ARGS(db_text("body", body), db_text("doc", "{\"k\": [1, 2]}")), NULL, &err));
        must(db_commit(db, &err));
    }
    for (int turn = 0; turn < 2; turn++) {
        must(db_select(db, &q_long, DB_NO_ARGS, &rows, &err));
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            assert_true(db_next(rows));
            assert_int_equal(db_get_int(rows, 0), i + 1);
            assert_int_equal(strlen(db_get_text(rows, 1)), sizes[i]);
            assert_true(sizes[i] == 0 || db_get_text(rows, 1)[sizes[i] - 1] == (char)('a' + (int)i));
            assert_string_equal(db_get_text(rows, 2), "{\"k\": [1, 2]}");
        }
        db_rows_close(&rows);
    }
    db_rollback(db);
    free(body);
}

static void five_hundred_rows_come_whole_and_the_memory_is_used_again(void **state)
{
    struct db_rows *rows;
    (void)state;
    fixture_sql(db, "CREATE TABLE many (id INT PRIMARY KEY, n INT, name VARCHAR(64))");
    for (int i = 0; i < 500; i += 50) {
        struct buf sql = {0};
        for (int k = i; k < i + 50; k++)
            buf_printf(&sql, "%s(%d, %d, 'row %d')", k == i ? "" : ",", k, k * k, k);
        fixture_sql(db, "INSERT INTO many VALUES %s", buf_text(&sql));
        buf_release(&sql);
    }
    struct db_rows *first = NULL;
    for (int turn = 0; turn < 3; turn++) {
        must(db_select(db, &q_many, DB_NO_ARGS, &rows, &err));
        assert_true(first == NULL || rows == first);
        first = rows;
        assert_int_equal(db_row_count(rows), 500);
        for (int i = 0; db_next(rows); i++) {
            char name[24];
            fit_printf(name, "row %d", i);
            assert_int_equal(db_get_int(rows, 1), i * i);
            assert_string_equal(db_get_text(rows, 2), name);
        }
        db_rows_close(&rows);
    }
    db_rollback(db);
}

static void rows_outlive_their_connection(void **state)
{
    struct db_rows *rows;
    struct db *other = fixture_open(&fixture);
    (void)state;
    must(db_select(other, &q_echo, DB_ARGS(db_text("a", "kept"), db_int("b", 1)), &rows, &err));
    db_close(&other);
    assert_true(db_next(rows));
    assert_string_equal(db_get_text(rows, 0), "kept");
    db_rows_close(&rows);
}

static void statements_are_prepared_anew_after_alter(void **state)
{
    struct db_rows *rows;
    struct db *other = fixture_open(&fixture);
    (void)state;
    fixture_sql(other, "CREATE TABLE star (id INT PRIMARY KEY, v INT)");
    fixture_sql(other, "INSERT INTO star VALUES (1, 5)");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    assert_int_equal(db_get_int(rows, 1), 5);
    db_rows_close(&rows);
    must(db_commit(db, &err));
    /* Another type under the same number of columns. */
    fixture_sql(other, "ALTER TABLE star MODIFY v VARCHAR(20)");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    assert_string_equal(db_get_text(rows, 1), "5");
    db_rows_close(&rows);
    must(db_commit(db, &err));
    /* Another number of columns: 2057. */
    fixture_sql(other, "ALTER TABLE star ADD COLUMN x DATE DEFAULT '2026-01-02'");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    assert_true(db_next(rows));
    assert_string_equal(db_get_text(rows, 2), "2026-01-02");
    db_rows_close(&rows);
    must(db_commit(db, &err));
    /* Dropped and made anew under a prepared statement. */
    fixture_sql(other, "DROP TABLE star");
    fixture_sql(other, "CREATE TABLE star (id BIGINT PRIMARY KEY)");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    db_rows_close(&rows);
    must(db_commit(db, &err));
    fixture_sql(other, "DROP TABLE star");
    must_give(FD_INTERNAL, db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    assert_int_equal(err.sql_errno, 1146);
    db_rollback(db);
    fixture_sql(other, "CREATE TABLE star (id BIGINT PRIMARY KEY)");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    db_rows_close(&rows);
    db_rollback(db);
    db_close(&other);
}

/* In the middle of a transaction the whole of it must run again. */
static void a_stale_statement_inside_a_transaction_is_retry(void **state)
{
    struct db_rows *rows;
    struct db *other = fixture_open(&fixture);
    (void)state;
    fixture_sql(other, "DROP TABLE IF EXISTS star");
    fixture_sql(other, "CREATE TABLE star (id INT PRIMARY KEY)");
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    db_rows_close(&rows);
    must(db_commit(db, &err));
    must(db_select(db, &q_echo, DB_ARGS(db_int("a", 1), db_int("b", 1)), &rows, &err));
    db_rows_close(&rows);
    fixture_sql(other, "ALTER TABLE star ADD COLUMN y INT");
    must_give(FD_RETRY, db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    assert_true(db_is_doomed(db));
    db_rollback(db);
    must(db_select(db, &q_star, DB_NO_ARGS, &rows, &err));
    db_rows_close(&rows);
    db_rollback(db);
    db_close(&other);
}

static void clock_is_set_kept_and_given_back(void **state)
{
    struct arena arena = {0};
    const char *now;
    (void)state;
    must(db_set_clock(db, wall_at(day_of(2026, 12, 1), 10), &err));
    must(db_value_text(db, &q_now, DB_NO_ARGS, &arena, &now, &err));
    assert_string_equal(now, "2026-12-01 00:10:00");
    must(db_reconnect(db, &err));
    must(db_value_text(db, &q_now, DB_NO_ARGS, &arena, &now, &err));
    assert_string_equal(now, "2026-12-01 00:10:00");
    must(db_set_clock(db, WALL_NONE, &err));
    must(db_value_text(db, &q_now, DB_NO_ARGS, &arena, &now, &err));
    assert_string_not_equal(now, "2026-12-01 00:10:00");
    db_rollback(db);
    arena_release(&arena);
}

struct killer {
    struct db_target target;
    int64_t id;
};

static void *kill_soon(void *arg)
{
    struct killer *killer = arg;
    sleep_ms(150);
    db_kill_query(&killer->target, killer->id, NULL);
    return NULL;
}

static void query_is_cancelled_from_another_thread(void **state)
{
    struct killer killer = {fixture_target(&fixture), db_connection_id(db)};
    pthread_t thread;
    int64_t value = 0, begin = mono_ms();
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, kill_soon, &killer), 0);
    enum fd_code code = db_value_int(db, &q_sleep, DB_ARGS(db_int("seconds", 8)), &value, &err);
    pthread_join(thread, NULL);
    assert_true(mono_ms() - begin < 3000);
    /* SLEEP alone answers 1 where it is killed; either is the end of waiting. */
    assert_true(code == FD_CANCELLED || (code == FD_OK && value == 1));
    db_rollback(db);
    must(db_kill_query(&killer.target, 99999999, &err));
}

static void local_files_are_refused(void **state)
{
    (void)state;
    fixture_sql(db, "CREATE TABLE loaded (a TEXT)");
    enum fd_code code = db_run(db, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE loaded", &err);
    assert_true(code != FD_OK);
    db_rollback(db);
    if (!db_is_connected(db))
        must(db_reconnect(db, &err));
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM loaded"), 0);
}

static void several_statements_in_one_are_refused(void **state)
{
    (void)state;
    assert_true(db_run(db, "SELECT 1; SELECT 2", &err) != FD_OK);
    db_rollback(db);
}

static void missing_server_account_and_database_are_told_apart(void **state)
{
    struct db *other;
    (void)state;
    struct db_target target = fixture_target(&fixture);
    target.database = "nowhere";
    must_give(FD_SCHEMA, db_open(&target, &other, &err));
    target = fixture_target(&fixture);
    target.user = "stranger";
    enum fd_code code = db_open(&target, &other, &err);
    assert_true(code == FD_CONFIG || code == FD_SCHEMA);
    target = fixture_target(&fixture);
    target.socket = "/nonexistent/socket";
    must_give(FD_DB_DOWN, db_open(&target, &other, &err));
    target.socket = NULL;
    must_give(FD_CONFIG, db_open(&target, &other, &err));
    target.host = "192.0.2.1";
    must_give(FD_CONFIG, db_open(&target, &other, &err)); /* no certificate authority: refused before connecting */
    assert_non_null(strstr(err.hint, "ssl_ca"));
    target.host = "127.0.0.1";
    target.plain_loopback = true;
    target.port = 1;
    must_give(FD_DB_DOWN, db_open(&target, &other, &err));
}

static void credentials_come_from_the_option_file(void **state)
{
    struct db *other;
    (void)state;
    fixture_sql(db, "CREATE USER IF NOT EXISTS desk@localhost IDENTIFIED BY 'se cret#1'");
    fixture_sql(db, "GRANT ALL ON frontdesk.* TO desk@localhost");
    char *path = xprintf("%s/desk.cnf", fixture.folder);
    FILE *file = fopen(path, "w");
    fputs("[client]\nuser=desk\npassword='se cret#1'\nsocket=/nonexistent\nprotocol=tcp\nhost=192.0.2.1\n"
          "[frontdesk]\ninit-command=SET @from_file = 42\n", file);
    fchmod(fileno(file), 0600);
    fclose(file);
    struct db_target target = fixture_target(&fixture);
    target.user = NULL;
    target.defaults_file = path;
    must(db_open(&target, &other, &err));
    assert_string_equal(fixture_text(other, "SELECT CURRENT_USER()"), "desk@localhost");
    assert_int_equal(fixture_int(other, "SELECT @from_file"), 42);
    db_close(&other);
    target.user = "root"; /* another account than the password's */
    must(db_open(&target, &other, &err));
    db_close(&other);
    chmod(path, 0644);
    must_give(FD_CONFIG, db_open(&target, &other, &err));
    free(path);
}

static void every_query_of_this_program_has_its_own_number(void **state)
{
    struct db_query *const *list;
    size_t count = db_queries(&list);
    (void)state;
    assert_true(count >= 16);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i]->index, i);
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    db = fixture_open(&fixture);
    fixture_sql(db, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT NULL, name VARCHAR(64) NULL,"
                    " price DECIMAL(10,2), d DATE NULL, t TIME NULL, w DATETIME NULL)");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(&db);
    fixture_stop(&fixture);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    fixture_sql(db, "DELETE FROM t");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_is_set_and_says_who_it_is),
        cmocka_unit_test(session_that_differs_is_refused_by_name),
        cmocka_unit_test_setup(values_come_back_exactly, clean),
        cmocka_unit_test_setup(amounts_are_compared_as_decimals, clean),
        cmocka_unit_test_setup(single_values_come_as_integer_and_text, clean),
        cmocka_unit_test_setup(two_rows_where_one_is_declared_doom, clean),
        cmocka_unit_test_setup(changed_rows_are_counted_unless_found_ones_are_asked_for, clean),
        cmocka_unit_test(arguments_are_found_by_name_in_any_order),
        cmocka_unit_test(misspelt_arguments_abort),
        cmocka_unit_test(every_type_prints_as_sql_does),
        cmocka_unit_test(long_texts_grow_the_buffers),
        cmocka_unit_test(five_hundred_rows_come_whole_and_the_memory_is_used_again),
        cmocka_unit_test(rows_outlive_their_connection),
        cmocka_unit_test(statements_are_prepared_anew_after_alter),
        cmocka_unit_test(a_stale_statement_inside_a_transaction_is_retry),
        cmocka_unit_test(clock_is_set_kept_and_given_back),
        cmocka_unit_test(query_is_cancelled_from_another_thread),
        cmocka_unit_test(local_files_are_refused),
        cmocka_unit_test(several_statements_in_one_are_refused),
        cmocka_unit_test(missing_server_account_and_database_are_told_apart),
        cmocka_unit_test(credentials_come_from_the_option_file),
        cmocka_unit_test(every_query_of_this_program_has_its_own_number),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
