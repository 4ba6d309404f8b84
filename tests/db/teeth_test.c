/* The test build's switches: an error injected at every statement commits nothing by halves, and the
 * same careless code does damage once the gate is off: the gate is what protects. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/fixture.h"

DB_QUERY(q_key, "x.key", DB_NONE, "INSERT INTO request (request_key) VALUES (:key)");
DB_QUERY(q_effect, "x.effect", DB_NONE, "INSERT INTO effect (request_key) VALUES (:key)");
DB_QUERY(q_take, "x.take", DB_NONE, "UPDATE stock SET left_count = left_count - 1, version = version + 1 WHERE id = 1");

static struct fixture fixture;
static struct db *watch;

static enum fd_code do_work(struct db *db, void *arg, struct fd_error *err)
{
    enum fd_code code = db_exec(db, &q_key, DB_ARGS(db_text("key", arg)), NULL, err);
    if (code == FD_OK)
        code = db_exec(db, &q_effect, DB_ARGS(db_text("key", arg)), NULL, err);
    if (code == FD_OK)
        code = db_exec(db, &q_take, DB_NO_ARGS, NULL, err);
    return code;
}

/* Code that does not look: what the gate is for. */
static enum fd_code work_without_looking(struct db *db, void *arg, struct fd_error *err)
{
    db_exec(db, &q_key, DB_ARGS(db_text("key", arg)), NULL, err);
    db_exec(db, &q_effect, DB_ARGS(db_text("key", arg)), NULL, err);
    db_exec(db, &q_take, DB_NO_ARGS, NULL, err);
    return FD_OK;
}

struct trial {
    int statement, number;
    const char *tooth; /* NULL: all safety on */
    db_txn_fn *fn;
    char key[32];
};

static int run_trial(void *arg)
{
    struct trial *trial = arg;
    struct fd_error err = {0};
    char *fault = xprintf("%d:%d", trial->statement, trial->number);
    fixture_quiet();
    setenv("FRONTDESK_FAIL_SQL", fault, 1);
    if (trial->tooth)
        setenv("FRONTDESK_TOOTH", trial->tooth, 1);
    free(fault);
    struct db *db = fixture_open(&fixture);
    enum fd_code code = db_txn(db, "trial", 5000, trial->fn, trial->key, &err);
    db_close(&db);
    return code;
}

static int64_t count(const char *table, const char *key)
{
    return fixture_int(watch, "SELECT COUNT(*) FROM %s WHERE request_key = '%s'", table, key);
}

static void an_error_at_any_statement_commits_nothing_by_halves(void **state)
{
    static const struct {
        int number;
        enum fd_code code, at_commit; /* after the retries */
    } cases[] = {
        {1213, FD_OK, FD_OK},        {1205, FD_OK, FD_OK},         {1020, FD_OK, FD_OK},
        {2057, FD_OK, FD_OK},        {2006, FD_OK, FD_EXISTS},     {2013, FD_OK, FD_EXISTS},
        {1180, FD_OK, FD_EXISTS},    {1053, FD_OK, FD_EXISTS},     {1047, FD_OK, FD_OK},
        {1317, FD_CANCELLED, FD_OK}, {1690, FD_REFUSED, FD_REFUSED}, {1146, FD_INTERNAL, FD_OK},
    };
    int64_t done = 0;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int statement = 1; statement <= 4; statement++) {
            struct trial trial = {statement, cases[i].number, NULL, do_work, ""};
            fit_printf(trial.key, "k-%d-%d", cases[i].number, statement);
            enum fd_code wanted = statement == 4 ? cases[i].at_commit : cases[i].code;
            int code = fixture_wait(fixture_fork(run_trial, &trial));
            if (code != (int)wanted)
                fail_msg("error %d at statement %d gave %d instead of %d", cases[i].number, statement, code, (int)wanted);
            int64_t effects = count("effect", trial.key);
            assert_int_equal(effects, wanted == FD_OK || wanted == FD_EXISTS);
            assert_int_equal(count("request", trial.key), effects);
            done += effects;
        }
    }
    assert_int_equal(fixture_int(watch, "SELECT left_count FROM stock"), 1000 - done);
}

static void careless_code_is_stopped_by_the_gate(void **state)
{
    (void)state;
    struct trial trial = {2, 1213, NULL, work_without_looking, "gate"};
    assert_int_equal(fixture_wait(fixture_fork(run_trial, &trial)), -SIGABRT);
    assert_int_equal(count("request", "gate"), 0);
}

static void without_the_gate_it_commits_by_halves(void **state)
{
    (void)state;
    struct trial trial = {2, 1213, "refuse_after_error", work_without_looking, "tooth"};
    int64_t before = fixture_int(watch, "SELECT left_count FROM stock");
    assert_int_equal(fixture_wait(fixture_fork(run_trial, &trial)), FD_OK);
    assert_int_equal(count("request", "tooth"), 1);
    assert_int_equal(count("effect", "tooth"), 0);
    assert_int_equal(fixture_int(watch, "SELECT left_count FROM stock"), before - 1);
}

/* A key that changes with the run is no key: what "retry_same_key" switches off above this layer. */
static enum fd_code work_with_new_keys(struct db *db, void *arg, struct fd_error *err)
{
    char *key = xprintf("%s-%u", (char *)arg, db_txn_run(db));
    enum fd_code code = do_work(db, key, err);
    free(key);
    return code;
}

static void another_key_for_the_retry_doubles_the_effect(void **state)
{
    (void)state;
    struct trial trial = {4, 2013, NULL, work_with_new_keys, "other"};
    assert_int_equal(fixture_wait(fixture_fork(run_trial, &trial)), FD_OK);
    assert_int_equal(fixture_int(watch, "SELECT COUNT(*) FROM effect WHERE request_key LIKE 'other-%%'"), 2);
}

static int die_at(void *arg)
{
    struct trial trial = {0, 0, NULL, do_work, "point"};
    fixture_quiet();
    setenv("FRONTDESK_FAIL_POINT", arg, 1);
    return run_trial(&trial);
}

static void killed_around_commit_is_whole_or_nothing(void **state)
{
    static char before[] = "db_before_commit", after[] = "db_after_commit";
    (void)state;
    assert_int_equal(fixture_wait(fixture_fork(die_at, before)), -SIGKILL);
    assert_int_equal(count("effect", "point"), 0);
    assert_int_equal(fixture_wait(fixture_fork(die_at, after)), -SIGKILL);
    assert_int_equal(count("effect", "point"), 1);
    assert_int_equal(count("request", "point"), 1);
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    watch = fixture_open(&fixture);
    fixture_sql(watch, "CREATE TABLE request (id INT AUTO_INCREMENT PRIMARY KEY, request_key VARCHAR(48), UNIQUE KEY uk_request (request_key))");
    fixture_sql(watch, "CREATE TABLE effect (id INT AUTO_INCREMENT PRIMARY KEY, request_key VARCHAR(48))");
    fixture_sql(watch, "CREATE TABLE stock (id INT PRIMARY KEY, left_count INT UNSIGNED, version INT DEFAULT 0)");
    fixture_sql(watch, "INSERT INTO stock (id, left_count) VALUES (1, 1000)");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(&watch);
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_at_any_statement_commits_nothing_by_halves),
        cmocka_unit_test(careless_code_is_stopped_by_the_gate),
        cmocka_unit_test(without_the_gate_it_commits_by_halves),
        cmocka_unit_test(another_key_for_the_retry_doubles_the_effect),
        cmocka_unit_test(killed_around_commit_is_whole_or_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
