/* The worker: what has run out is released once, whoever runs beside; it stops when told and never because the database
 * is away. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/when.h"
#include "cli/program.h"
#include "support/fixture.h"
#include "support/sandbox.h"

static struct fixture fixture;
static struct db *db, *online;
static char *password_file;
static const char *before[] = {"--data", NULL, NULL};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    before[1] = fixture.server.folder;
    program_before(before);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    db = fixture_open(&fixture);
    online = fixture_open_online(&fixture);
    fixture_sql(db, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES (1, 'pool', 'swimming', 'PLACE')");
    fixture_sql(db, "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, "
                    "remain_count, price) VALUES (1, 1, CURDATE() + INTERVAL 3 DAY, '10:00:00', '11:00:00', 500, 500, "
                    "60), (2, 1, CURDATE() - INTERVAL 3 DAY, '10:00:00', '11:00:00', 500, 500, 60)");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&online);
    db_close(&db);
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

/* Orders made online, from number `from` on, on a slot; `ago`: minutes since their time to pay. */
static void make_orders(int from, int count, int slot, const char *status, int ago)
{
    for (int i = from; i < from + count; i++) {
        fixture_sql(online, "INSERT INTO t_user (id, nickname, phone) VALUES (%d, 'c', '1350000%04d')", i, i);
        fixture_sql(
            online,
            "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
            "quantity, total_amount, status, expire_time, create_time) SELECT 'W%d', %d, s.venue_id, s.id, "
            "s.schedule_date, s.start_time, s.end_time, 1, 60, '%s', NOW() - INTERVAL %d MINUTE, NOW() - INTERVAL 1 "
            "DAY FROM venue_schedule s WHERE s.id = %d",
            i, i, status, ago, slot);
        if (strcmp(status, "PAID") == 0)
            fixture_sql(
                online,
                "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time) VALUES "
                "('W%d', '4200W%d', 'WECHAT', 60, 'SUCCESS', NOW())",
                i, i);
    }
    fixture_sql(online, "UPDATE venue_schedule SET remain_count = remain_count - %d WHERE id = %d", count, slot);
}

static int64_t in_state(const char *status)
{
    return fixture_int(db, "SELECT COUNT(*) FROM reserve_order WHERE status = '%s'", status);
}

static int64_t left_of(int slot)
{
    return fixture_int(db, "SELECT remain_count FROM venue_schedule WHERE id = %d", slot);
}

static void expect_sound(void)
{
    struct ran ran = run("doctor --grace 0 --operator admin --password-file %s", password_file);
    if (ran.status != 0)
        fail_msg("%s%s", ran.out, ran.err);
    ran_free(&ran);
}

static void one_pass_releases_run_out_holds_and_tells(void **state)
{
    (void)state;
    make_orders(1000, 3, 1, "PENDING_PAY", 1);
    make_orders(1010, 1, 1, "PENDING_PAY", -30);
    struct tree *tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "expired"), 3);
    assert_int_equal(tree_get_int(tree, "errors"), 0);
    assert_int_equal(in_state("CANCELLED"), 3);
    assert_int_equal(in_state("PENDING_PAY"), 1);
    assert_int_equal(left_of(1), 499);
    /* The log says which run of the worker it was. */
    assert_int_equal(
        fixture_int(
            db, "SELECT COUNT(*) FROM operation_log WHERE operator = 'worker' AND event = 'expire' AND run_id = '%s'",
            tree_get_text(tree, "run")),
        3);
    tree_free(&tree);
    tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "expired"), 0);
    tree_free(&tree);
    expect_sound();
}

static void who_did_not_come_is_a_no_show_and_keeps_the_place(void **state)
{
    (void)state;
    make_orders(1100, 2, 2, "PAID", 0);
    struct tree *tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "missed"), 2);
    assert_int_equal(in_state("NO_SHOW"), 2);
    assert_int_equal(left_of(2), 498);
    tree_free(&tree);
    expect_sound();
}

/* Refunds of a payment of its own each that are due now. */
static void make_refunds(int from, int count)
{
    make_orders(from, count, 1, "PAID", 0);
    fixture_sql(db,
                "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, kind, channel, reason, status, "
                "operator, terminal, request_key, next_at) SELECT CONCAT('R', order_no), id, order_no, 1, 'AMOUNT', "
                "'WECHAT', 'rain', 'CREATED', 'admin', 'desk1', CONCAT('k', order_no), NOW() FROM payment_record "
                "WHERE order_no BETWEEN 'W%d' AND 'W%d'",
                from, from + count - 1);
    fixture_sql(db,
                "UPDATE payment_record SET refunded_amount = 1 WHERE order_no BETWEEN 'W%d' AND 'W%d' AND channel = "
                "'WECHAT'",
                from, from + count - 1);
}

static void end_refunds(void)
{
    fixture_sql(db, "UPDATE refund_record SET status = 'SUCCESS', next_at = NULL, finished_at = NOW() "
                    "WHERE reason = 'rain'");
}

static char *text_of(const char *path)
{
    struct buf buf = {0};
    char part[512];
    size_t got;
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        buf_add_bytes(&buf, part, got);
    fclose(file);
    return buf_take(&buf);
}

static int64_t figure_in(const char *path, const char *name)
{
    char *text = text_of(path);
    struct tree *tree = tree_parse(text);
    assert_non_null(tree);
    int64_t figure = tree_get_int(tree, name);
    tree_free(&tree);
    free(text);
    return figure;
}

static void nothing_is_sent_where_there_is_no_channel(void **state)
{
    (void)state;
    make_refunds(1300, 2);
    struct tree *tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "refunds"), 0);
    tree_free(&tree);
    end_refunds();
}

static void of_five_workers_each_tells_what_it_did_itself(void **state)
{
    (void)state;
    struct sandbox sandbox;
    pid_t pids[5];
    int64_t told = 0;
    char *folder = xprintf("%s/sandbox", fixture.folder);
    make_refunds(1400, 12);
    sandbox_start(&sandbox, folder, NULL);
    sandbox_do(&sandbox, "fault 503 always");
    setenv("FRONTDESK_CHANNELS_FILE", sandbox.channels, 1);
    for (int i = 0; i < 5; i++) {
        char *path = xprintf("%s/told%d", fixture.folder, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        pids[i] = run_start(fd, "worker --once --json");
        close(fd);
        free(path);
    }
    for (int i = 0; i < 5; i++) {
        char *path = xprintf("%s/told%d", fixture.folder, i);
        assert_int_equal(fixture_wait(pids[i]), 0);
        told += figure_in(path, "refunds");
        free(path);
    }
    /* Each send counts a try. */
    assert_int_equal(told, fixture_int(db, "SELECT SUM(tries) FROM refund_record WHERE refund_no LIKE 'RW14%%'"));
    end_refunds();
    unsetenv("FRONTDESK_CHANNELS_FILE");
    sandbox_stop(&sandbox);
    free(folder);
}

static void the_log_tells_everything_that_a_pass_did(void **state)
{
    (void)state;
    struct sandbox sandbox;
    char *folder = xprintf("%s/sandbox2", fixture.folder), *log = xprintf("%s/worker.log", fixture.folder);
    make_orders(1500, 1, 1, "PENDING_PAY", 1);
    make_refunds(1510, 2);
    sandbox_start(&sandbox, folder, NULL);
    sandbox_do(&sandbox, "fault 503 always");
    setenv("FRONTDESK_CHANNELS_FILE", sandbox.channels, 1);
    pid_t pid = run_start(-1, "worker --seconds 60 --log-file %s", log);
    unsetenv("FRONTDESK_CHANNELS_FILE");
    for (int tries = 0; tries < 100 && fixture_int(db, "SELECT SUM(tries) FROM refund_record WHERE refund_no LIKE "
                                                       "'RW151%%'") < 2;
         tries++)
        sleep_ms(100);
    kill(pid, SIGTERM);
    assert_int_equal(fixture_wait(pid), 0);
    char *text = text_of(log);
    sandbox_stop(&sandbox);
    if (!strstr(text, "worker: expired 1, refunds 2"))
        fail_msg("%s", text);
    end_refunds();
    free(text);
    free(folder);
    free(log);
}

static void part_paid_and_live_codes_wait_for_a_person(void **state)
{
    (void)state;
    make_orders(1200, 2, 1, "PENDING_PAY", 1);
    fixture_sql(online, "UPDATE reserve_order SET paid_amount = 10 WHERE order_no = 'W1200'");
    fixture_sql(online, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = 'W1201'");
    struct tree *tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "expired"), 0);
    tree_free(&tree);
    fixture_sql(online, "UPDATE reserve_order SET paid_amount = 0, live_codes = 0 WHERE order_no LIKE 'W120%%'");
    tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "expired"), 2);
    tree_free(&tree);
}

static void five_workers_release_each_hold_once(void **state)
{
    (void)state;
    pid_t pids[5];
    int64_t before_left = left_of(1);
    make_orders(2000, 120, 1, "PENDING_PAY", 1);
    for (int i = 0; i < 5; i++)
        pids[i] = run_start(-1, "worker --once");
    for (int i = 0; i < 5; i++)
        assert_int_equal(fixture_wait(pids[i]), 0);
    assert_int_equal(left_of(1), before_left);
    assert_int_equal(
        fixture_int(db, "SELECT COUNT(*) FROM operation_log WHERE event = 'expire' AND entity_no LIKE 'W2%%'"), 120);
    assert_int_equal(
        fixture_int(
            db, "SELECT COUNT(DISTINCT entity_no) FROM operation_log WHERE event = 'expire' AND entity_no LIKE 'W2%%'"),
        120);
    expect_sound();
}

static void old_request_keys_are_forgotten_and_young_ones_kept(void **state)
{
    (void)state;
    fixture_sql(db, "DELETE FROM op_request");
    for (int i = 0; i < 3; i++)
        fixture_sql(db,
                    "INSERT INTO op_request (request_key, action, request_hash, operator, created_at) VALUES "
                    "('old%d', 'x', REPEAT('0', 64), 'li', NOW() - INTERVAL 31 DAY), ('new%d', 'x', REPEAT('0', 64), "
                    "'li', NOW() - INTERVAL 29 DAY)",
                    i, i);
    struct tree *tree = answer("worker --once");
    assert_int_equal(tree_get_int(tree, "forgotten"), 3);
    tree_free(&tree);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM op_request WHERE request_key LIKE 'new%%'"), 3);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM op_request WHERE request_key LIKE 'old%%'"), 0);
}

static void a_running_worker_keeps_releasing(void **state)
{
    (void)state;
    pid_t pid = run_start(-1, "worker --seconds 1");
    make_orders(3000, 1, 1, "PENDING_PAY", 1);
    int tries = 0;
    while (in_state("PENDING_PAY") > 1 && tries++ < 100)
        sleep_ms(100);
    assert_string_equal(fixture_text(db, "SELECT status FROM reserve_order WHERE order_no = 'W3000'"), "CANCELLED");
    kill(pid, SIGINT);
    assert_int_equal(fixture_wait(pid), 0);
}

static void sigterm_ends_it_within_five_seconds_though_the_server_is_frozen(void **state)
{
    (void)state;
    pid_t pid = run_start(-1, "worker --seconds 1");
    sleep_ms(1500);
    int server = server_pid(&fixture.server);
    kill(server, SIGSTOP);
    sleep_ms(1500); /* it waits for an answer now */
    int64_t began = mono_ms();
    kill(pid, SIGTERM);
    int status = fixture_wait(pid);
    int64_t took = mono_ms() - began;
    kill(server, SIGCONT);
    assert_true(status == 75 || status == 0);
    assert_in_range(took, 0, 5000);
}

static void the_service_manager_hears_that_it_is_ready(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char said[64] = "";
    fit_printf(address.sun_path, "%s/notify", fixture.folder);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    pid_t pid = run_start(-1, "worker --seconds 1");
    unsetenv("NOTIFY_SOCKET");
    assert_true(recv(fd, said, sizeof said - 1, 0) > 0);
    assert_string_equal(said, "READY=1");
    kill(pid, SIGTERM);
    assert_int_equal(fixture_wait(pid), 0);
    memset(said, 0, sizeof said);
    assert_true(recv(fd, said, sizeof said - 1, 0) > 0);
    assert_string_equal(said, "STOPPING=1");
    close(fd);
}

static void a_wrong_schema_ends_it_with_78(void **state)
{
    (void)state;
    fixture_sql(db, "UPDATE state_rule_version SET version = 99");
    char *options = write_file(fixture.folder, "options.cnf", "[frontdesk]\nuser=root\n", 0600);
    char *text = xprintf("[database]\ndefaults_file = %s\nsocket = %s\n", options, fixture.server.socket);
    char *file = write_file(fixture.folder, "socket.conf", text, 0600);
    expect(78, "worker --seconds 1 --config %s", file);
    fixture_sql(db, "UPDATE state_rule_version SET version = 1");
    free(options);
    free(text);
    free(file);
}

static bool runs_within(pid_t pid, int64_t limit_ms)
{
    for (int64_t until = mono_ms() + limit_ms; mono_ms() < until; sleep_ms(50))
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return false;
    return true;
}

/* A folder of its own with a private database and a worker that has connected. */
static pid_t start_at_home(const char *home, const char *log)
{
    expect(0, "migrate --data %s", home);
    pid_t pid = run_start(-1, "worker --seconds 1 --data %s --log-file %s", home, log);
    for (int tries = 0; tries < 100; tries++) {
        char *text = access(log, F_OK) == 0 ? text_of(log) : xstrdup("");
        bool connected = strstr(text, "worker: connected") != NULL;
        free(text);
        if (connected)
            return pid;
        sleep_ms(100);
    }
    fail_msg("the worker in %s does not connect", home);
    return pid;
}

static bool server_of(const char *home)
{
    struct tree *tree = answer("server status --data %s", home);
    bool runs = tree_get_bool(tree, "running");
    tree_free(&tree);
    return runs;
}

static void what_was_stopped_is_not_started_by_the_worker(void **state)
{
    (void)state;
    char *home = xprintf("%s/stopped", fixture.folder), *log = xprintf("%s/stopped.log", fixture.folder);
    pid_t pid = start_at_home(home, log);
    expect(0, "server stop --data %s", home);
    assert_true(runs_within(pid, 8000)); /* a lost connection is waited for so long */
    assert_false(server_of(home));
    expect(0, "server start --data %s", home);
    assert_true(runs_within(pid, 1000));
    kill(pid, SIGTERM);
    assert_int_equal(fixture_wait(pid), 0);
    expect(0, "server stop --data %s", home);
    free(home);
    free(log);
}

static void a_worker_whose_folder_is_gone_ends(void **state)
{
    (void)state;
    char *home = xprintf("%s/gone", fixture.folder), *moved = xprintf("%s/moved", fixture.folder);
    char *log = xprintf("%s/gone.log", fixture.folder);
    pid_t pid = start_at_home(home, log);
    expect(0, "server stop --data %s", home);
    assert_int_equal(rename(home, moved), 0);
    assert_int_equal(fixture_wait(pid), 78);
    assert_int_equal(access(home, F_OK), -1);
    free(home);
    free(moved);
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_releases_run_out_holds_and_tells),
        cmocka_unit_test(who_did_not_come_is_a_no_show_and_keeps_the_place),
        cmocka_unit_test(nothing_is_sent_where_there_is_no_channel),
        cmocka_unit_test(of_five_workers_each_tells_what_it_did_itself),
        cmocka_unit_test(the_log_tells_everything_that_a_pass_did),
        cmocka_unit_test(part_paid_and_live_codes_wait_for_a_person),
        cmocka_unit_test(five_workers_release_each_hold_once),
        cmocka_unit_test(old_request_keys_are_forgotten_and_young_ones_kept),
        cmocka_unit_test(a_running_worker_keeps_releasing),
        cmocka_unit_test(sigterm_ends_it_within_five_seconds_though_the_server_is_frozen),
        cmocka_unit_test(the_service_manager_hears_that_it_is_ready),
        cmocka_unit_test(what_was_stopped_is_not_started_by_the_worker),
        cmocka_unit_test(a_worker_whose_folder_is_gone_ends),
        cmocka_unit_test(a_wrong_schema_ends_it_with_78),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
