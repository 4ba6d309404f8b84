/* Which server is written to: read-only ones and members that are cut off are passed over, several hosts are tried in
 * order. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/db_internal.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct server other; /* listens on 127.0.0.2, the fixture's on 127.0.0.1; one port */
static struct fd_error err;
static unsigned port;
static char *options_file;

static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void start_on(struct server *server, const char *address)
{
    char *options = xprintf("--skip-networking=0 --bind-address=%s --port=%u --server-id=1", address, port);
    setenv("FRONTDESK_SERVER_OPTIONS", options, 1);
    must(server_stop(server, &err));
    must(server_start(server, NULL, &err));
    unsetenv("FRONTDESK_SERVER_OPTIONS");
    free(options);
}

/* Statements with ; between them, by the server's own root and without what a session of ours checks. */
static void as_root(const struct server *server, const char *sql)
{
    struct db_target target = server_target(server, NULL);
    target.time_zone = "+08:00";
    MYSQL *link = db_link_open(&target, &err);
    char *copy = xstrdup(sql), *place = NULL;
    assert_non_null(link);
    for (char *each = strtok_r(copy, ";", &place); each; each = strtok_r(NULL, ";", &place))
        if (mysql_real_query(link, each, strlen(each)))
            fail_msg("%s: %s", each, mysql_error(link));
    mysql_close(link);
    free(copy);
}

static const char account_sql[] = "CREATE DATABASE IF NOT EXISTS frontdesk; CREATE USER IF NOT EXISTS desk@'%' "
                                  "IDENTIFIED BY 'pw'; GRANT ALL ON frontdesk.* TO desk@'%'";

static int start(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    port = free_port();
    char *folder = xprintf("%s/other", fixture.folder);
    must(server_init(&other, folder, &err));
    free(folder);
    start_on(&fixture.server, "127.0.0.1");
    start_on(&other, "127.0.0.2");
    as_root(&fixture.server, account_sql);
    as_root(&other, account_sql);
    options_file = xprintf("%s/desk.cnf", fixture.folder);
    FILE *file = fopen(options_file, "w");
    fprintf(file, "[frontdesk]\nuser=desk\npassword=pw\n");
    fclose(file);
    return chmod(options_file, 0600);
}

static int stop(void **state)
{
    (void)state;
    must(server_stop(&other, &err));
    server_release(&other);
    free(options_file);
    fixture_stop(&fixture);
    return 0;
}

static enum fd_code reach(const char *hosts, struct db **db)
{
    struct db_target target = {.host = hosts,
                               .port = port,
                               .database = "frontdesk",
                               .defaults_file = options_file,
                               .plain_loopback = true,
                               .connect_timeout_s = 1};
    memset(&err, 0, sizeof err);
    return db_open(&target, db, &err);
}

static void says(const char *part)
{
    if (!strstr(err.message, part))
        fail_msg("wanted “%s”: %s (%s)", part, err.message, err.detail);
}

/* Connects and tells the address at which it did. */
static void reaches(const char *hosts, const char *address)
{
    struct db *db;
    must(reach(hosts, &db));
    assert_string_equal(fixture_text(db, "SELECT @@bind_address"), address);
    assert_string_equal(db_target(db)->at, address);
    assert_string_equal(db_target(db)->host, hosts);
    db_close(&db);
}

static void several_hosts_are_tried_in_order(void **state)
{
    (void)state;
    reaches("127.0.0.1,127.0.0.2", "127.0.0.1");
    reaches("127.0.0.2, 127.0.0.1", "127.0.0.2");
    reaches("127.0.0.3,127.0.0.2", "127.0.0.2");
    struct db *db;
    must_give(FD_DB_DOWN, reach("127.0.0.3,127.0.0.4", &db));
    assert_int_equal(fd_code_exit(err.code), 69);
    must(reach("127.0.0.1", &db));
    assert_null(db_target(db)->at);
    db_close(&db);
}

static void a_read_only_server_is_passed_over(void **state)
{
    struct db *db;
    (void)state;
    as_root(&fixture.server, "SET GLOBAL read_only = 1");
    must_give(FD_DB_DOWN, reach("127.0.0.1", &db));
    assert_int_equal(fd_code_exit(err.code), 69);
    says("read-only");
    /* That one is there but read-only says more than that the other is away. */
    must_give(FD_DB_DOWN, reach("127.0.0.1,127.0.0.3", &db));
    says("read-only");
    must_give(FD_DB_DOWN, reach("127.0.0.3,127.0.0.1", &db));
    says("read-only");
    reaches("127.0.0.1,127.0.0.2", "127.0.0.2");
    as_root(&fixture.server, "SET GLOBAL read_only = 0");
    reaches("127.0.0.1,127.0.0.2", "127.0.0.1");
}

/* As when the writing member fails and another takes over. */
static void a_connection_goes_over_to_the_next_host(void **state)
{
    struct db *db;
    (void)state;
    must(reach("127.0.0.1,127.0.0.2", &db));
    must(server_stop(&fixture.server, &err));
    must(db_reconnect(db, &err));
    assert_string_equal(db_target(db)->at, "127.0.0.2");
    /* A stopped read is stopped where it runs. */
    must(db_kill_query(db_target(db), db_connection_id(db), &err));
    start_on(&fixture.server, "127.0.0.1");
    must(db_reconnect(db, &err));
    assert_string_equal(db_target(db)->at, "127.0.0.1");
    db_close(&db);
}

static void an_option_file_may_name_several(void **state)
{
    (void)state;
    char *path = xprintf("%s/several.cnf", fixture.folder);
    FILE *file = fopen(path, "w");
    fprintf(file, "[frontdesk]\nuser=desk\npassword=pw\nhost=127.0.0.3,127.0.0.2\nport=%u\n", port);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
    struct db_target target = {
        .database = "frontdesk", .defaults_file = path, .plain_loopback = true, .connect_timeout_s = 1};
    struct db *db;
    must(db_open(&target, &db, &err));
    assert_string_equal(fixture_text(db, "SELECT @@bind_address"), "127.0.0.2");
    db_close(&db);
    free(path);
}

/* Group Replication, of one member: what it says of itself is what counts. */
static void a_member_outside_its_group_is_refused(void **state)
{
    struct db *db = fixture_open(&fixture);
    (void)state;
    bool is_mariadb = db_is_mariadb(db);
    db_close(&db);
    if (is_mariadb) {
        print_message("skipped: the server is no MySQL\n");
        skip();
    }
    char *options = xprintf("--skip-networking=0 --bind-address=127.0.0.1 --port=%u --server-id=1 --log-bin=bin "
                            "--gtid-mode=ON --enforce-gtid-consistency=ON --plugin-load-add=group_replication.so "
                            "--loose-group-replication-group-name=aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa "
                            "--loose-group-replication-start-on-boot=OFF "
                            "--loose-group-replication-local-address=127.0.0.1:%u "
                            "--loose-group-replication-bootstrap-group=ON",
                            port, free_port());
    setenv("FRONTDESK_SERVER_OPTIONS", options, 1);
    must(server_stop(&fixture.server, &err));
    must(server_start(&fixture.server, NULL, &err));
    as_root(&fixture.server, "GRANT SELECT ON performance_schema.replication_group_members TO desk@'%'");
    /* A server that somebody made writable again outside its group. */
    as_root(&fixture.server, "SET GLOBAL super_read_only = 0; SET GLOBAL read_only = 0");
    must_give(FD_DB_DOWN, reach("127.0.0.1", &db));
    says("not in its replication group");
    assert_int_equal(fd_code_exit(err.code), 69);
    reaches("127.0.0.1,127.0.0.2", "127.0.0.2");
    as_root(&fixture.server, "START GROUP_REPLICATION");
    for (int tries = 0; reach("127.0.0.1", &db) != FD_OK && tries < 300; tries++)
        sleep_ms(100);
    assert_non_null(db);
    db_close(&db);
    as_root(&fixture.server, "STOP GROUP_REPLICATION; SET GLOBAL super_read_only = 0; SET GLOBAL read_only = 0");
    must_give(FD_DB_DOWN, reach("127.0.0.1", &db));
    says("not in its replication group");
    unsetenv("FRONTDESK_SERVER_OPTIONS");
    start_on(&fixture.server, "127.0.0.1");
    free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_hosts_are_tried_in_order),        cmocka_unit_test(a_read_only_server_is_passed_over),
        cmocka_unit_test(a_connection_goes_over_to_the_next_host), cmocka_unit_test(an_option_file_may_name_several),
        cmocka_unit_test(a_member_outside_its_group_is_refused),
    };
    return cmocka_run_group_tests_name("db/group", tests, start, stop);
}
