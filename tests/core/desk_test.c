/* Opening a desk: on a private server that starts by itself, on an old and on a newer schema. */
#include "core/kit.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/action.h"
#include "core/operator.h"
#include "core/param.h"
#include "core/rule.h"

static struct config *private_config;
static char *folder;

static int start(void **state)
{
    (void)state;
    fixture_environment(&fixture);
    action_register(core_actions);
    folder = xprintf("%s/data", fixture.folder);
    must(config_load(NULL, &private_config, &err));
    must(config_set(private_config, CONFIG_DATA, folder, &err));
    must(config_set(private_config, CONFIG_TERMINAL, "desk 7", &err));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    struct server server = {0};
    must(server_init(&server, folder, &err));
    must(server_stop(&server, &err));
    server_release(&server);
    config_free(private_config);
    free(folder);
    fixture_stop(&fixture);
    return 0;
}

static void *open_one(void *arg)
{
    struct desk *desk = NULL;
    struct fd_error local = {0};
    enum fd_code code = desk_open(private_config, &desk, &local);
    if (code != FD_OK)
        print_message("%s | %s\n", local.message, local.detail);
    desk_close(&desk);
    *(enum fd_code *)arg = code;
    return NULL;
}

static void terminals_at_once_get_one_migrated_server(void **state)
{
    (void)state;
    pthread_t threads[4];
    enum fd_code codes[4];
    assert_true(desk_is_private(private_config));
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_one, &codes[i]), 0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(codes[i], FD_OK);
}

static void write_option_file(const char *group, const char *socket)
{
    char *path = xprintf("%s/.my.cnf", getenv("HOME"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "[%s]\nuser = root\nsocket = %s\n", group, socket);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
    free(path);
}

/* Source: domain section 8. Group [client] adds credentials only: Debian's own file there names the system's socket. */
static void only_our_group_of_an_option_file_names_a_server(void **state)
{
    (void)state;
    struct config *plain = NULL;
    struct desk *desk = NULL;
    struct server server = {0};
    must(config_load(NULL, &plain, &err));
    must(server_init(&server, folder, &err));
    assert_true(desk_is_private(plain));
    write_option_file("client", server.socket);
    assert_true(desk_is_private(plain));
    write_option_file("frontdesk", server.socket);
    assert_false(desk_is_private(plain));
    assert_true(desk_is_private(private_config)); /* --data is nearer than a file */
    must(desk_open(plain, &desk, &err));
    desk_close(&desk);
    char *path = xprintf("%s/.my.cnf", getenv("HOME"));
    unlink(path);
    free(path);
    server_release(&server);
    config_free(plain);
}

static void an_open_desk_knows_its_place(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct db_target target;
    wall_t now;
    bool none = false;
    must(desk_open(private_config, &desk, &err));
    assert_string_equal(desk->terminal, "desk 7");
    must(desk_now(desk, &now, &err));
    must(operator_none_yet(desk, &none, &err));
    assert_true(none);
    assert_int_equal(
        fixture_int(desk->db, "SELECT COUNT(*) FROM role_action WHERE action = 'param.set' AND role = 'admin'"), 1);
    int rule_count = 0;
    while (rules[rule_count].entity)
        rule_count++;
    assert_int_equal(fixture_int(desk->db, "SELECT COUNT(*) FROM state_rule"), rule_count);
    must(desk_target(private_config, &target, &err));
    assert_string_equal(target.database, "frontdesk");
    assert_int_equal(param_get(desk, PARAM_HOLD_MINUTES), 15);
    desk_close(&desk);
    assert_null(desk);
}

/* Rules of an older build are loaded anew where the server is our own, and refused on somebody else's. */
static void a_private_database_that_is_behind_is_brought_up(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct db_target target;
    must(desk_open(private_config, &desk, &err));
    fixture_sql(desk->db, "UPDATE state_rule_version SET version = 0");
    desk_close(&desk);
    must(desk_target(private_config, &target, &err));
    must_give(FD_SCHEMA, desk_open_at(private_config, &target, &desk, &err));
    must(desk_open(private_config, &desk, &err));
    assert_int_equal(fixture_int(desk->db, "SELECT version FROM state_rule_version"), RULES_VERSION);
    desk_close(&desk);
}

static void a_lost_server_is_met_again(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct server server = {0};
    wall_t now;
    bool started;
    must(desk_open(private_config, &desk, &err));
    must(server_init(&server, folder, &err));
    must(server_stop(&server, &err));
    must(server_start(&server, &started, &err));
    assert_true(started);
    must(desk_now(desk, &now, &err));
    server_release(&server);
    desk_close(&desk);
}

/* The number of the server's process after kill -9. */
static void crash(struct server *server)
{
    int pid = server_pid(server);
    assert_true(pid > 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (server_pid(server) == pid)
        sleep_ms(1);
}

static void a_crashed_private_server_is_started_again_under_an_open_desk(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct server server = {0};
    wall_t now;
    must(desk_open(private_config, &desk, &err));
    must(server_init(&server, folder, &err));
    for (int times = 0; times < 2; times++) {
        /* Not at every attempt, so that one that cannot start is not started many times a second. */
        sleep_ms(times * 2100);
        crash(&server);
        must(desk_now(desk, &now, &err));
        assert_true(server_pid(&server) > 0);
    }
    server_release(&server);
    desk_close(&desk);
}

/* Somebody wants it so: for a copy of the folder, or an upgrade. */
static void a_stopped_private_server_stays_so(void **state)
{
    (void)state;
    struct desk *desk = NULL;
    struct server server = {0};
    wall_t now;
    bool started;
    must(desk_open(private_config, &desk, &err));
    must(server_init(&server, folder, &err));
    must(server_stop(&server, &err));
    must_give(FD_DB_DOWN, desk_now(desk, &now, &err));
    assert_int_equal(server_pid(&server), 0);
    must(server_start(&server, &started, &err));
    must(desk_now(desk, &now, &err));
    /* From then on it is watched over as before. */
    sleep_ms(2100);
    crash(&server);
    must(desk_now(desk, &now, &err));
    server_release(&server);
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminals_at_once_get_one_migrated_server),
        cmocka_unit_test(only_our_group_of_an_option_file_names_a_server),
        cmocka_unit_test(an_open_desk_knows_its_place),
        cmocka_unit_test(a_private_database_that_is_behind_is_brought_up),
        cmocka_unit_test(a_lost_server_is_met_again),
        cmocka_unit_test(a_crashed_private_server_is_started_again_under_an_open_desk),
        cmocka_unit_test(a_stopped_private_server_stays_so),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
