/* Every error class made real, losses before and during COMMIT, retries, the doom gate. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/token.h"
#include "db/db_internal.h"
#include "support/fixture.h"
#include "support/proxy.h"

DB_QUERY(q_key, "f.key", DB_NONE, "INSERT INTO request (request_key) VALUES (:key)");
DB_QUERY(q_effect, "f.effect", DB_NONE, "INSERT INTO effect (request_key) VALUES (:key)");
DB_QUERY(q_take, "f.take", DB_NONE, "UPDATE stock SET left_count = left_count - :n, version = version + 1 WHERE id = :id");
DB_QUERY(q_read, "f.read", DB_VALUE, "SELECT left_count FROM stock WHERE id = :id");
DB_QUERY(q_lock, "f.lock", DB_VALUE, "SELECT left_count FROM stock WHERE id = :id FOR UPDATE");
DB_QUERY(q_name, "f.name", DB_NONE, "UPDATE stock SET name = :name WHERE id = :id");
DB_QUERY(q_guard, "f.guard", DB_NONE, "UPDATE stock SET guarded = :n WHERE id = :id");
DB_QUERY(q_child, "f.child", DB_NONE, "INSERT INTO child (stock_id) VALUES (:id)");
DB_QUERY(q_sleep, "f.sleep", DB_VALUE, "SELECT SLEEP(:seconds)");

static struct fixture fixture;
static struct proxy proxy;
static struct db *db, *other;
static struct fd_error err;

static void take(struct db *from, int64_t id, int64_t n)
{
    must(db_exec(from, &q_take, DB_ARGS(db_int("n", n), db_int("id", id)), NULL, &err));
}

/* RETRY ---------------------------------------------------------------------------------- */

static int take_opposite(void *arg)
{
    struct db *mine = fixture_open(&fixture);
    struct fd_error local = {0};
    (void)arg;
    if (db_exec(mine, &q_take, DB_ARGS(db_int("n", 1), db_int("id", 2)), NULL, &local))
        return 10;
    sleep_ms(300);
    enum fd_code code = db_exec(mine, &q_take, DB_ARGS(db_int("n", 1), db_int("id", 1)), NULL, &local);
    if (code == FD_OK)
        db_commit(mine, &local);
    db_rollback(mine);
    db_close(&mine);
    return code == FD_OK ? 0 : code == FD_RETRY && local.sql_errno == 1213 ? 1 : 11;
}

static void deadlock_is_retry_and_dooms(void **state)
{
    (void)state;
    pid_t child = fixture_fork(take_opposite, NULL);
    take(db, 1, 1);
    sleep_ms(150);
    enum fd_code code = db_exec(db, &q_take, DB_ARGS(db_int("n", 1), db_int("id", 2)), NULL, &err);
    bool lost = code == FD_RETRY;
    assert_true(code == FD_OK || lost);
    assert_int_equal(db_is_doomed(db), lost);
    if (lost)
        assert_int_equal(err.sql_errno, 1213);
    if (!lost)
        must(db_commit(db, &err));
    db_rollback(db);
    assert_int_equal(fixture_wait(child), lost ? 0 : 1); /* exactly one of the two lost */
}

static void lock_wait_is_retry_after_three_seconds(void **state)
{
    (void)state;
    take(other, 1, 1);
    int64_t begin = mono_ms();
    must_give(FD_RETRY, db_exec(db, &q_take, DB_ARGS(db_int("n", 1), db_int("id", 1)), NULL, &err));
    assert_int_equal(err.sql_errno, 1205);
    assert_true(mono_ms() - begin >= 2500 && mono_ms() - begin < 6000);
    db_rollback(db);
    db_rollback(other);
}

/* BUSINESS ------------------------------------------------------------------------------- */

static void duplicate_names_its_key(void **state)
{
    (void)state;
    must(db_exec(db, &q_key, DB_ARGS(db_text("key", "13800001234")), NULL, &err));
    must_give(FD_EXISTS, db_exec(db, &q_key, DB_ARGS(db_text("key", "13800001234")), NULL, &err));
    assert_string_equal(db_error_key(db), "uk_request");
    assert_int_equal(err.sql_errno, 1062);
    assert_string_equal(err.sqlstate, "23000");
    assert_null(strstr(err.detail, "13800001234"));
    assert_non_null(strstr(err.detail, "f.key"));
    db_rollback(db);
}

static void constraints_and_triggers_refuse(void **state)
{
    static const struct {
        struct db_query *query;
        int64_t n;
        const char *name;
        int numbers[2];
    } cases[] = {
        {&q_take, 1000000, NULL, {1690, 1264}},
        {&q_guard, -5, NULL, {4025, 3819}},
        {&q_guard, 99, NULL, {1644, 0}},
        {&q_guard, 70000, NULL, {1264, 0}},
        {&q_name, 0, "a name that is longer than its column", {1406, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct db_arg value = cases[i].name ? db_text("name", cases[i].name) : db_int("n", cases[i].n);
        must_give(FD_REFUSED, db_exec(db, cases[i].query, DB_ARGS(value, db_int("id", 1)), NULL, &err));
        assert_true(err.sql_errno == cases[i].numbers[0] || err.sql_errno == cases[i].numbers[1]);
        assert_true(db_is_doomed(db));
        db_rollback(db);
    }
    must_give(FD_REFUSED, db_exec(db, &q_child, DB_ARGS(db_int("id", 4711)), NULL, &err));
    assert_int_equal(err.sql_errno, 1452);
    db_rollback(db);
}

static void unknown_table_is_internal(void **state)
{
    (void)state;
    must_give(FD_INTERNAL, db_run(db, "SELECT * FROM nowhere", &err));
    assert_int_equal(err.sql_errno, 1146);
    db_rollback(db);
}

/* The gate -------------------------------------------------------------------------------- */

static int go_on_after_error(void *arg)
{
    int64_t value;
    fixture_quiet();
    db_run(db, "SELECT * FROM nowhere", &err);
    if (arg)
        db_commit(db, &err);
    else
        db_value_int(db, &q_read, DB_ARGS(db_int("id", 1)), &value, &err);
    return 0;
}

static int transaction_in_transaction(struct db *inner, void *arg, struct fd_error *local)
{
    return (int)db_txn(inner, "inner", 0, (db_txn_fn *)transaction_in_transaction, arg, local);
}

static int nest(void *arg)
{
    fixture_quiet();
    db_txn(db, "outer", 0, (db_txn_fn *)transaction_in_transaction, arg, &err);
    return 0;
}

static void anything_but_rollback_after_an_error_aborts(void **state)
{
    (void)state;
    assert_int_equal(fixture_wait(fixture_fork(go_on_after_error, NULL)), -SIGABRT);
    assert_int_equal(fixture_wait(fixture_fork(go_on_after_error, &fixture)), -SIGABRT);
    assert_int_equal(fixture_wait(fixture_fork(nest, NULL)), -SIGABRT);
    /* The children shared our link; theirs is out of step now. */
    must(db_reconnect(db, &err));
}

/* Losses ---------------------------------------------------------------------------------- */

static void killed_connection_is_down_then_works_again(void **state)
{
    int64_t value;
    (void)state;
    take(db, 1, 1);
    fixture_sql(other, "KILL CONNECTION %lld", (long long)db_connection_id(db));
    sleep_ms(50);
    must_give(FD_DB_DOWN, db_value_int(db, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    assert_false(db_is_connected(db));
    assert_true(db_is_doomed(db));
    db_rollback(db);
    assert_false(db_is_doomed(db));
    must_give(FD_DB_DOWN, db_value_int(db, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    db_rollback(db);
    must(db_reconnect(db, &err));
    must(db_value_int(db, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    assert_int_equal(value, 1000);
    db_rollback(db);
}

struct work {
    const char *key;
    int calls;
    int kill_first;      /* kills its own connection in so many calls */
    bool freeze;
    enum fd_code answer; /* of fn after all statements */
};

/* A business transaction: its key first, then its effect. */
static enum fd_code do_work(struct db *mine, void *arg, struct fd_error *local)
{
    struct work *work = arg;
    work->calls++;
    enum fd_code code = db_exec(mine, &q_key, DB_ARGS(db_text("key", work->key)), NULL, local);
    if (code == FD_EXISTS && strcmp(db_error_key(mine), "uk_request") == 0)
        return FD_EXISTS; /* done before */
    if (code)
        return code;
    code = db_exec(mine, &q_effect, DB_ARGS(db_text("key", work->key)), NULL, local);
    if (code)
        return code;
    if (work->kill_first-- > 0)
        fixture_sql(other, "KILL CONNECTION %lld", (long long)db_connection_id(mine));
    code = db_exec(mine, &q_take, DB_ARGS(db_int("n", 1), db_int("id", 1)), NULL, local);
    return code ? code : work->answer ? fd_fail(local, work->answer, "%s", "as told") : FD_OK;
}

static int64_t effects(const char *key)
{
    return fixture_int(other, "SELECT COUNT(*) FROM effect WHERE request_key = '%s'", key);
}

static void transaction_survives_its_connection(void **state)
{
    struct work work = {.key = "survives", .kill_first = 2};
    (void)state;
    must(db_txn(db, "work", 0, do_work, &work, &err));
    assert_int_equal(work.calls, 3);
    assert_int_equal(effects("survives"), 1);
    assert_int_equal(fixture_int(other, "SELECT left_count FROM stock WHERE id = 1"), 999);
}

static void refusal_rolls_back_and_is_not_retried(void **state)
{
    struct work work = {.key = "refused", .answer = FD_SLOT_TAKEN};
    (void)state;
    must_give(FD_SLOT_TAKEN, db_txn(db, "work", 0, do_work, &work, &err));
    assert_string_equal(err.message, "as told");
    assert_int_equal(work.calls, 1);
    assert_int_equal(effects("refused"), 0);
    assert_false(db_is_doomed(db));
}

static void endless_conflict_gives_again_after_bounded_tries(void **state)
{
    struct work work = {.key = "again", .answer = FD_RETRY};
    (void)state;
    must_give(FD_AGAIN, db_txn(db, "work", 0, do_work, &work, &err));
    assert_int_equal(work.calls, 8);
    assert_int_equal(effects("again"), 0);
}

static void time_limit_ends_the_tries(void **state)
{
    struct work work = {.key = "limit"};
    (void)state;
    take(other, 1, 1); /* every try waits 3 s for this lock */
    int64_t begin = mono_ms();
    must_give(FD_AGAIN, db_txn(db, "work", 1000, do_work, &work, &err));
    assert_true(mono_ms() - begin < 5000);
    assert_int_equal(work.calls, 1);
    assert_int_equal(err.sql_errno, 1205);
    db_rollback(other);
}

static void *restart_soon(void *arg)
{
    (void)arg;
    sleep_ms(300);
    fixture_restart(&fixture);
    return NULL;
}

static void killed_server_is_waited_for(void **state)
{
    struct work work = {.key = "restart"};
    pthread_t thread;
    (void)state;
    must(db_txn(db, "warm", 0, do_work, &(struct work){.key = "before"}, &err));
    fixture_crash(&fixture);
    db_close(&other);
    assert_int_equal(pthread_create(&thread, NULL, restart_soon, NULL), 0);
    int64_t begin = mono_ms();
    must(db_txn(db, "work", 20000, do_work, &work, &err));
    assert_true(mono_ms() - begin < 10000);
    pthread_join(thread, NULL);
    other = fixture_open(&fixture);
    assert_int_equal(effects("restart"), 1);
    assert_int_equal(effects("before"), 1); /* acknowledged before the kill */
}

static void dead_server_is_down_within_the_limit(void **state)
{
    struct work work = {.key = "down"};
    (void)state;
    fixture_crash(&fixture);
    int64_t begin = mono_ms();
    must_give(FD_DB_DOWN, db_txn(db, "work", 700, do_work, &work, &err));
    assert_true(mono_ms() - begin < 3000);
    fixture_restart(&fixture);
    db_close(&other);
    other = fixture_open(&fixture);
    must(db_txn(db, "work", 0, do_work, &work, &err));
    assert_int_equal(effects("down"), 1);
}

/* COMMIT ----------------------------------------------------------------------------------- */

static void cut_before_commit_runs_again_once(void **state)
{
    struct work work = {.key = "cut-before"};
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    (void)state;
    proxy.control->cut_before = 1;
    must(db_txn(through, "work", 0, do_work, &work, &err));
    assert_int_equal(work.calls, 2);
    assert_int_equal(proxy.control->was_cut_before, 1);
    assert_int_equal(effects("cut-before"), 1);
    db_close(&through);
}

static void cut_after_commit_is_known_by_its_key(void **state)
{
    struct work work = {.key = "cut-after"};
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    (void)state;
    proxy.control->cut_after = 1;
    must_give(FD_EXISTS, db_txn(through, "work", 0, do_work, &work, &err));
    assert_int_equal(work.calls, 2);
    assert_int_equal(proxy.control->was_cut_after, 1);
    assert_int_equal(effects("cut-after"), 1);
    db_close(&through);
}

static void bare_commit_that_was_cut_is_unknown(void **state)
{
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    (void)state;
    for (int after = 0; after < 2; after++) {
        proxy_reset(&proxy);
        take(through, 2, 1);
        atomic_store(after ? &proxy.control->cut_after : &proxy.control->cut_before, 1);
        must_give(FD_UNKNOWN, db_commit(through, &err));
        assert_false(db_is_connected(through));
        db_rollback(through);
        must(db_reconnect(through, &err));
    }
    db_close(&through);
}

/* The second run cannot even connect, but the first may be done: "down" would be a lie. */
static void unanswered_commit_stays_unknown_where_the_server_is_gone(void **state)
{
    struct work work = {.key = "never"};
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    (void)state;
    for (int after = 0; after < 2; after++) {
        proxy_reset(&proxy);
        atomic_store(after ? &proxy.control->cut_after : &proxy.control->cut_before, 1);
        proxy.control->refuse = 1;
        int64_t begin = mono_ms();
        must_give(FD_UNKNOWN, db_txn(through, "work", 1000, do_work, &work, &err));
        assert_true(mono_ms() - begin < 3000);
        assert_int_equal(work.calls, after + 1);
        assert_int_equal(effects("never"), after);
        proxy_reset(&proxy);
        must(db_reconnect(through, &err));
    }
    must_give(FD_EXISTS, db_txn(through, "work", 0, do_work, &work, &err));
    assert_int_equal(effects("never"), 1);
    db_close(&through);
}

static void commit_that_is_cut_for_ever_is_unknown_after_bounded_tries(void **state)
{
    struct work work = {.key = "ever"};
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    (void)state;
    proxy.control->cut_before = 1000;
    must_give(FD_UNKNOWN, db_txn(through, "work", 20000, do_work, &work, &err));
    assert_int_equal(work.calls, 8);
    proxy_reset(&proxy);
    must(db_txn(through, "work", 0, do_work, &work, &err));
    assert_int_equal(effects("ever"), 1);
    db_close(&through);
}

static void frozen_server_is_a_lost_link_after_the_read_timeout(void **state)
{
    struct db_target target = fixture_target(&fixture);
    struct db *through;
    int64_t value;
    (void)state;
    target.socket = proxy.socket;
    target.read_timeout_s = 1;
    must(db_open(&target, &through, &err));
    proxy.control->freeze = 1;
    int64_t begin = mono_ms();
    must_give(FD_DB_DOWN, db_value_int(through, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    assert_true(mono_ms() - begin < 4000);
    proxy.control->freeze = 0;
    db_rollback(through);
    must(db_reconnect(through, &err));
    must(db_value_int(through, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    db_close(&through);
}

static void no_needless_round_trips(void **state)
{
    struct db *through = fixture_open_socket(&fixture, proxy.socket);
    int64_t value;
    (void)state;
    must(db_txn(through, "warm", 0, do_work, &(struct work){.key = "trips-1"}, &err));
    proxy_reset(&proxy);
    must(db_txn(through, "work", 0, do_work, &(struct work){.key = "trips-2"}, &err));
    assert_int_equal(proxy.control->executes, 3);
    assert_int_equal(proxy.control->prepares, 0);
    assert_int_equal(proxy.control->queries, 1);
    assert_int_equal(proxy.control->commits, 1);
    must(db_commit(through, &err)); /* nothing to commit */
    db_rollback(through);
    assert_int_equal(proxy.control->queries, 1);
    must(db_value_int(through, &q_read, DB_ARGS(db_int("id", 1)), &value, &err));
    db_close(&through);
}

/* Many sessions, COMMIT cut at random: nothing lost, nothing twice. */
struct load {
    int number;
};

static int unknown_commits(void *arg)
{
    struct load *load = arg;
    struct db *mine = fixture_open_socket(&fixture, proxy.socket);
    struct fd_error local = {0};
    char key[49];
    for (int i = 0; i < 60; i++) {
        fit_printf(key, "load-%d-%d", load->number, i);
        struct work work = {.key = key};
        enum fd_code code = db_txn(mine, "load", 20000, do_work, &work, &local);
        if (code != FD_OK && code != FD_EXISTS)
            return code;
    }
    db_close(&mine);
    return 0;
}

static void random_cuts_of_commit_lose_and_double_nothing(void **state)
{
    pid_t children[4];
    (void)state;
    proxy.control->seed = 20261130;
    proxy.control->percent_before = 5;
    proxy.control->percent_after = 15;
    for (int i = 0; i < 4; i++)
        children[i] = fixture_fork(unknown_commits, &(struct load){i});
    for (int i = 0; i < 4; i++)
        assert_int_equal(fixture_wait(children[i]), 0);
    /* A run without unknown outcomes would show nothing. */
    assert_true(proxy.control->was_cut_before > 0 && proxy.control->was_cut_after > 10);
    assert_int_equal(fixture_int(other, "SELECT COUNT(*) FROM effect"), 240);
    assert_int_equal(fixture_int(other, "SELECT COUNT(DISTINCT request_key) FROM effect"), 240);
    assert_int_equal(fixture_int(other, "SELECT left_count FROM stock WHERE id = 1"), 1000 - 240);
}

/* Conflicting transactions retried as a whole: every one is done, none twice. */
static enum fd_code take_two(struct db *mine, void *arg, struct fd_error *local)
{
    const int *order = arg;
    for (int i = 0; i < 2; i++) {
        int64_t id = *order ? 2 - i : 1 + i, value;
        enum fd_code code = db_value_int(mine, &q_lock, DB_ARGS(db_int("id", id)), &value, local);
        if (code == FD_OK)
            code = db_exec(mine, &q_take, DB_ARGS(db_int("n", 1), db_int("id", id)), NULL, local);
        if (code)
            return code;
    }
    return FD_OK;
}

static int cross(void *arg)
{
    struct db *mine = fixture_open(&fixture);
    struct fd_error local = {0};
    for (int i = 0; i < 40; i++) {
        enum fd_code code;
        /* What had bad luck in each of its tries is asked for again, as its clerk would. */
        do
            code = db_txn(mine, "cross", 20000, take_two, arg, &local);
        while (code == FD_AGAIN);
        if (code) {
            fprintf(stderr, "%s: %s | %s\n", fd_code_name(code), local.message, local.detail);
            return 1;
        }
    }
    db_close(&mine);
    return 0;
}

static void opposite_lock_orders_are_retried_to_the_end(void **state)
{
    pid_t children[4];
    int orders[4] = {0, 1, 0, 1};
    (void)state;
    for (int i = 0; i < 4; i++)
        children[i] = fixture_fork(cross, &orders[i]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(fixture_wait(children[i]), 0);
    assert_int_equal(fixture_int(other, "SELECT left_count FROM stock WHERE id = 1"), 840);
    assert_int_equal(fixture_int(other, "SELECT left_count FROM stock WHERE id = 2"), 840);
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    other = fixture_open(&fixture);
    fixture_sql(other, "CREATE TABLE request (id INT AUTO_INCREMENT PRIMARY KEY, request_key VARCHAR(48), UNIQUE KEY uk_request (request_key))");
    fixture_sql(other, "CREATE TABLE effect (id INT AUTO_INCREMENT PRIMARY KEY, request_key VARCHAR(48))");
    fixture_sql(other, "CREATE TABLE stock (id INT PRIMARY KEY, left_count INT UNSIGNED, version INT DEFAULT 0, name VARCHAR(8),"
                       " guarded SMALLINT DEFAULT 1, CONSTRAINT ck_guarded CHECK (guarded >= 0))");
    fixture_sql(other, "CREATE TABLE child (id INT AUTO_INCREMENT PRIMARY KEY, stock_id INT, FOREIGN KEY (stock_id) REFERENCES stock (id))");
    fixture_sql(other, "CREATE TRIGGER stock_guard BEFORE UPDATE ON stock FOR EACH ROW"
                       " IF NEW.guarded = 99 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'guarded'; END IF");
    char *socket = xprintf("%s/proxy", fixture.folder);
    proxy_start(&proxy, socket, fixture.server.socket);
    free(socket);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(&other);
    proxy_stop(&proxy);
    fixture_stop(&fixture);
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    memset(&err, 0, sizeof err);
    proxy_reset(&proxy);
    fixture_sql(other, "DELETE FROM request");
    fixture_sql(other, "DELETE FROM effect");
    fixture_sql(other, "DELETE FROM stock");
    fixture_sql(other, "INSERT INTO stock (id, left_count, name) VALUES (1, 1000, 'a'), (2, 1000, 'b')");
    db = fixture_open(&fixture);
    return 0;
}

static int done(void **state)
{
    (void)state;
    db_close(&db);
    return 0;
}

#define FRESH(test) cmocka_unit_test_setup_teardown(test, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(deadlock_is_retry_and_dooms),
        FRESH(lock_wait_is_retry_after_three_seconds),
        FRESH(duplicate_names_its_key),
        FRESH(constraints_and_triggers_refuse),
        FRESH(unknown_table_is_internal),
        FRESH(anything_but_rollback_after_an_error_aborts),
        FRESH(killed_connection_is_down_then_works_again),
        FRESH(transaction_survives_its_connection),
        FRESH(refusal_rolls_back_and_is_not_retried),
        FRESH(endless_conflict_gives_again_after_bounded_tries),
        FRESH(time_limit_ends_the_tries),
        FRESH(killed_server_is_waited_for),
        FRESH(dead_server_is_down_within_the_limit),
        FRESH(cut_before_commit_runs_again_once),
        FRESH(cut_after_commit_is_known_by_its_key),
        FRESH(bare_commit_that_was_cut_is_unknown),
        FRESH(unanswered_commit_stays_unknown_where_the_server_is_gone),
        FRESH(commit_that_is_cut_for_ever_is_unknown_after_bounded_tries),
        FRESH(frozen_server_is_a_lost_link_after_the_read_timeout),
        FRESH(no_needless_round_trips),
        FRESH(random_cuts_of_commit_lose_and_double_nothing),
        FRESH(opposite_lock_orders_are_retried_to_the_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
