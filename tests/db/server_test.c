/* The private server: started once however many ask, stopped, killed, frozen. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "db/server_internal.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct fd_error err;

static char *data_folder(const char *name)
{
    return xprintf("%s/%s", fixture.folder, name);
}

/* Answers with 1 + whether this process started it. */
static int start_in_race(void *arg)
{
    struct server server;
    struct fd_error local = {0};
    bool started = false;
    if (server_init(&server, arg, &local) || server_start(&server, &started, &local))
        return 0;
    struct db_target target = server_target(&server, NULL);
    struct db *db;
    if (db_open(&target, &db, &local))
        return 0;
    db_close(&db);
    server_release(&server);
    return 1 + started;
}

static void eight_that_start_at_once_get_one_server(void **state)
{
    pid_t children[8];
    int started = 0;
    char *folder = data_folder("race");
    (void)state;
    int64_t begin = mono_ms();
    for (int i = 0; i < 8; i++)
        children[i] = fixture_fork(start_in_race, folder);
    for (int i = 0; i < 8; i++) {
        int answer = fixture_wait(children[i]);
        assert_true(answer >= 1);
        started += answer - 1;
    }
    assert_int_equal(started, 1);
    print_message("cold start, eight at once: %lld ms\n", (long long)(mono_ms() - begin));
    struct server server;
    must(server_init(&server, folder, &err));
    assert_true(server_pid(&server) > 0);
    must(server_stop(&server, &err));
    server_release(&server);
    free(folder);
}

static void it_runs_in_its_own_process_group_with_closed_descriptors(void **state)
{
    struct server *server = &fixture.server;
    char path[64], target[256];
    (void)state;
    int pid = server_pid(server);
    assert_int_equal(getsid(pid) == getsid(0), 0);
    assert_int_equal(getpgid(pid) == getpgid(0), 0);
    fit_printf(path, "/proc/%d/fd/0", pid);
    ssize_t length = readlink(path, target, sizeof target - 1);
    assert_true(length > 0);
    target[length] = '\0';
    assert_string_equal(target, "/dev/null");
    fit_printf(path, "/proc/%d/cwd", pid);
    /* The server itself goes to its data files. */
    length = readlink(path, target, sizeof target - 1);
    assert_true(length > 0);
    target[length] = '\0';
    assert_non_null(strstr(target, "/db"));
    struct stat status;
    assert_int_equal(stat(server->folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_true(strlen(server->socket) <= 100);
    struct db *db = fixture_open(&fixture);
    assert_int_equal(fixture_int(db, "SELECT @@GLOBAL.max_connections"), 500);
    assert_int_equal(fixture_int(db, "SELECT @@GLOBAL.skip_networking"), 1);
    assert_int_equal(fixture_int(db, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit"), 1);
    assert_string_equal(fixture_text(db, "SELECT @@GLOBAL.character_set_server"), "utf8mb4");
    assert_int_equal(fixture_int(db, "SELECT @@GLOBAL.log_bin"), 0);
    /* One that starts removes the temporary tables of all that share the folder. */
    char *temporary = xprintf("%s/tmp", server->folder);
    assert_string_equal(fixture_text(db, "SELECT @@GLOBAL.tmpdir"), temporary);
    free(temporary);
    db_close(&db);
}

static void started_again_it_is_the_same_one(void **state)
{
    bool started = true;
    int pid = server_pid(&fixture.server);
    (void)state;
    must(server_start(&fixture.server, &started, &err));
    assert_false(started);
    assert_int_equal(server_pid(&fixture.server), pid);
}

static void another_runtime_folder_finds_it_where_it_listens(void **state)
{
    struct server server;
    char *old = xstrdup(getenv("XDG_RUNTIME_DIR")), *other = data_folder("run2");
    (void)state;
    mkdir(other, 0700);
    setenv("XDG_RUNTIME_DIR", other, 1);
    must(server_init(&server, fixture.server.folder, &err));
    assert_string_equal(server.socket, fixture.server.socket);
    assert_true(server_runs(&server));
    server_release(&server);
    setenv("XDG_RUNTIME_DIR", old, 1);
    free(old);
    free(other);
}

static void stopped_and_killed_it_starts_again_with_its_data(void **state)
{
    bool started = false;
    struct db *db = fixture_open(&fixture);
    (void)state;
    fixture_sql(db, "DROP TABLE IF EXISTS kept");
    fixture_sql(db, "CREATE TABLE kept (id INT)");
    fixture_sql(db, "INSERT INTO kept VALUES (1)");
    db_close(&db);
    must(server_stop(&fixture.server, &err));
    assert_int_equal(server_pid(&fixture.server), 0);
    assert_false(server_runs(&fixture.server));
    must(server_stop(&fixture.server, &err)); /* not running: fine */
    int64_t begin = mono_ms();
    must(server_start(&fixture.server, &started, &err));
    print_message("warm start: %lld ms\n", (long long)(mono_ms() - begin));
    assert_true(started);
    db = fixture_open(&fixture);
    fixture_sql(db, "INSERT INTO kept VALUES (2)");
    db_close(&db);
    fixture_crash(&fixture); /* leaves its socket and pid file */
    assert_int_equal(access(fixture.server.socket, F_OK), 0);
    assert_false(server_runs(&fixture.server));
    must(server_start(&fixture.server, &started, &err));
    assert_true(started);
    db = fixture_open(&fixture);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM kept"), 2);
    db_close(&db);
}

static void frozen_it_is_reported_in_time_and_can_be_stopped(void **state)
{
    (void)state;
    int pid = server_pid(&fixture.server);
    assert_int_not_equal(pid, 0); /* 0 would freeze this test */
    kill(pid, SIGSTOP);
    int64_t begin = mono_ms();
    assert_false(server_runs(&fixture.server));
    assert_true(mono_ms() - begin <= 3500);
    must_give(FD_DB_DOWN, server_start(&fixture.server, NULL, &err));
    assert_non_null(strstr(err.hint, "server stop"));
    must(server_stop(&fixture.server, &err));
    assert_int_equal(server_pid(&fixture.server), 0);
    fixture_restart(&fixture);
}

static void vanished_socket_brings_a_new_start(void **state)
{
    bool started = false;
    int pid = server_pid(&fixture.server);
    (void)state;
    unlink(fixture.server.socket); /* as when the runtime folder is cleared at logout */
    must(server_start(&fixture.server, &started, &err));
    assert_true(started);
    assert_int_not_equal(server_pid(&fixture.server), pid);
}

static void reused_number_of_a_stale_pid_file_is_not_believed(void **state)
{
    struct server server;
    char *folder = data_folder("stale"), *file = xprintf("%s/server.alive", folder);
    (void)state;
    mkdir(folder, 0700);
    FILE *out = fopen(file, "w");
    fprintf(out, "%d\n", (int)getpid());
    fclose(out);
    must(server_init(&server, folder, &err));
    assert_int_equal(server_pid(&server), 0);
    must(server_stop(&server, &err)); /* and we are still here */
    server_release(&server);
    free(folder);
    free(file);
}

static void interrupted_installation_is_begun_anew(void **state)
{
    struct server server;
    bool started = false;
    char *folder = data_folder("half"), *fresh = xprintf("%s/db.new", folder), *junk = xprintf("%s/mysql", fresh);
    (void)state;
    mkdir(folder, 0700);
    mkdir(fresh, 0700);
    mkdir(junk, 0700);
    must(server_init(&server, folder, &err));
    must(server_start(&server, &started, &err));
    assert_true(started);
    assert_int_not_equal(access(fresh, F_OK), 0);
    must(server_stop(&server, &err));
    server_release(&server);
    free(folder);
    free(fresh);
    free(junk);
}

static void failure_to_start_shows_the_log(void **state)
{
    struct server server;
    char *folder = data_folder("bad"), *files = xprintf("%s/db", folder);
    (void)state;
    mkdir(folder, 0700);
    mkdir(files, 0700); /* an empty one: no system tables */
    must(server_init(&server, folder, &err));
    must_give(FD_DB_DOWN, server_start(&server, NULL, &err));
    assert_non_null(strstr(err.message, "[ERROR]"));
    assert_non_null(strstr(err.hint, "server.log"));
    assert_int_equal(server_pid(&server), 0);
    server_release(&server);
    setenv("FRONTDESK_SERVER_PROGRAM", "/nonexistent/mariadbd", 1);
    must(server_init(&server, folder, &err));
    must_give(FD_DB_DOWN, server_start(&server, NULL, &err));
    assert_non_null(strstr(err.hint, "mariadb-server-core"));
    unsetenv("FRONTDESK_SERVER_PROGRAM");
    server_release(&server);
    free(folder);
    free(files);
}

/* What comes behind the first error of a start follows from it. */
static void the_first_error_of_the_last_start_is_the_reason(void **state)
{
    char line[256], *path = xprintf("%s/sample.log", fixture.server.folder);
    FILE *file = fopen(path, "w");
    (void)state;
    fputs("2026-11-29  8:00:00 0 [Note] Starting MariaDB 10.11 as process 41\n"
          "2026-11-29  8:00:01 0 [ERROR] mariadbd: of another day\n"
          "2026-11-30  8:00:00 0 [Note] Starting MariaDB 10.11 as process 42\n"
          "2026-11-30  8:00:01 0 [ERROR] InnoDB: No space left on device\n"
          "2026-11-30  8:00:01 0 [ERROR] Plugin 'InnoDB' registration as a STORAGE ENGINE failed.\n"
          "2026-11-30  8:00:01 0 [ERROR] Aborting\n"
          "2026-11-30  8:00:02 0 [Note] mariadbd: Shutdown complete\n",
          file);
    fclose(file);
    server_log_last_line(&fixture.server, "sample.log", line, sizeof line);
    assert_string_equal(line, "2026-11-30  8:00:01 0 [ERROR] InnoDB: No space left on device");
    free(path);
}

static int hold_lock(void *arg)
{
    struct server server;
    struct fd_error local = {0};
    if (server_init(&server, arg, &local) || server_lock(&server, 1000) < 0)
        return 1;
    sleep_ms(600);
    return 0;
}

static void folder_lock_is_exclusive_and_has_a_limit(void **state)
{
    (void)state;
    pid_t child = fixture_fork(hold_lock, fixture.server.folder);
    sleep_ms(200);
    assert_int_equal(server_lock(&fixture.server, 100), -1);
    int lock = server_lock(&fixture.server, 5000);
    assert_true(lock >= 0);
    close(lock);
    assert_int_equal(fixture_wait(child), 0);
}

static void folder_of_somebody_else_is_refused(void **state)
{
    struct server server;
    (void)state;
    if (geteuid() == 0) {
        char *folder = data_folder("theirs");
        mkdir(folder, 0700);
        assert_int_equal(chown(folder, 12345, 12345), 0);
        must_give(FD_CONFIG, server_init(&server, folder, &err));
        free(folder);
    }
    must_give(FD_IO, server_init(&server, "/proc/nowhere/folder", &err));
}

/* Nobody holds a lock there, so nobody's end would help. */
static void folder_that_is_a_file_is_not_called_locked(void **state)
{
    struct server server;
    (void)state;
    char *folder = data_folder("file");
    close(open(folder, O_WRONLY | O_CREAT, 0600));
    must(server_init(&server, folder, &err));
    must_give(FD_IO, server_start(&server, NULL, &err));
    assert_non_null(strstr(err.message, "cannot be used"));
    must_give(FD_IO, server_stop(&server, &err));
    server_release(&server);
    free(folder);
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_that_start_at_once_get_one_server),
        cmocka_unit_test(it_runs_in_its_own_process_group_with_closed_descriptors),
        cmocka_unit_test(started_again_it_is_the_same_one),
        cmocka_unit_test(another_runtime_folder_finds_it_where_it_listens),
        cmocka_unit_test(stopped_and_killed_it_starts_again_with_its_data),
        cmocka_unit_test(frozen_it_is_reported_in_time_and_can_be_stopped),
        cmocka_unit_test(vanished_socket_brings_a_new_start),
        cmocka_unit_test(reused_number_of_a_stale_pid_file_is_not_believed),
        cmocka_unit_test(interrupted_installation_is_begun_anew),
        cmocka_unit_test(failure_to_start_shows_the_log),
        cmocka_unit_test(the_first_error_of_the_last_start_is_the_reason),
        cmocka_unit_test(folder_lock_is_exclusive_and_has_a_limit),
        cmocka_unit_test(folder_of_somebody_else_is_refused),
        cmocka_unit_test(folder_that_is_a_file_is_not_called_locked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
