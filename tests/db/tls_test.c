/* TCP: encrypted and verified, or refused; plain text only to this machine and only where allowed. */
#include <arpa/inet.h>
#include <fcntl.h>
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

#include "base/mem.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct fd_error err;
static unsigned port;
static char *folder;
static bool is_mariadb;

/* A port that nobody listens on; the kernel does not give it out again at once. */
static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static char *path(const char *name)
{
    return xprintf("%s/%s", folder, name);
}

/* Two authorities; the first signs certificates for this machine and for another one. */
static void make_certificates(void)
{
    char *command = xprintf(
        "cd '%s' && exec >/dev/null 2>&1 &&"
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=test-authority &&"
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout other.key -out other.pem -subj /CN=other-authority &&"
        "for n in here there; do"
        " a=IP:127.0.0.1; [ $n = here ] || a=DNS:elsewhere.example;"
        " openssl req -newkey rsa:2048 -nodes -keyout $n.key -out $n.csr -subj /CN=${a#*:} &&"
        " echo subjectAltName=$a >$n.ext &&"
        " openssl x509 -req -in $n.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $n.ext -out $n.pem || exit 1;"
        " done",
        folder);
    assert_int_equal(system(command), 0);
    free(command);
}

static void restart_with(const char *certificate)
{
    char *options = certificate ? xprintf("--skip-networking=0 --bind-address=127.0.0.1 --port=%u --ssl-cert=%s/%s.pem --ssl-key=%s/%s.key",
                                          port, folder, certificate, folder, certificate)
                                : xprintf("--skip-networking=0 --bind-address=127.0.0.1 --port=%u %s", port,
                                          is_mariadb ? "--skip-ssl" : "--tls-version=");
    setenv("FRONTDESK_SERVER_OPTIONS", options, 1);
    free(options);
    must(server_stop(&fixture.server, &err));
    must(server_start(&fixture.server, NULL, &err));
}

/* Connects as the account `desk` over TCP. */
static enum fd_code try_tcp(const char *host, const char *ca, bool plain, char **cipher)
{
    char *file = path("desk.cnf"), *ca_path = ca ? path(ca) : NULL;
    struct db_target target = {.host = host, .port = port, .user = "desk", .database = "frontdesk", .defaults_file = file,
                               .ssl_ca = ca_path, .plain_loopback = plain};
    struct db *db;
    memset(&err, 0, sizeof err);
    enum fd_code code = db_open(&target, &db, &err);
    if (code == FD_OK && cipher)
        *cipher = xstrdup(fixture_text(db, "SELECT VARIABLE_VALUE FROM %s.session_status WHERE VARIABLE_NAME = 'Ssl_cipher'",
                                       is_mariadb ? "information_schema" : "performance_schema"));
    db_close(&db);
    free(file);
    free(ca_path);
    return code;
}

static void plain_server_is_refused_unless_loopback_is_allowed(void **state)
{
    (void)state;
    restart_with(NULL);
    must(try_tcp("127.0.0.1", NULL, true, NULL));
    must(try_tcp("localhost", NULL, true, NULL)); /* over TCP: no socket is meant */
    must_give(FD_CONFIG, try_tcp("127.0.0.1", NULL, false, NULL));
    /* "Enforce TLS" alone would connect in plain text here. */
    must_give(FD_CONFIG, try_tcp("127.0.0.1", "ca.pem", false, NULL));
    /* Only this machine itself can be allowed. */
    must_give(FD_CONFIG, try_tcp("192.0.2.1", NULL, true, NULL));
}

static void verified_server_is_used_encrypted(void **state)
{
    char *cipher = NULL;
    (void)state;
    restart_with("here");
    must(try_tcp("127.0.0.1", "ca.pem", false, &cipher));
    assert_true(strlen(cipher) > 3);
    free(cipher);
}

static void unknown_authority_and_wrong_name_are_refused(void **state)
{
    (void)state;
    must_give(FD_CONFIG, try_tcp("127.0.0.1", "other.pem", false, NULL));
    assert_int_equal(err.sql_errno, 2026);
    assert_non_null(strstr(err.hint, "ssl_ca"));
    must_give(FD_CONFIG, try_tcp("127.0.0.1", "absent.pem", false, NULL));
    restart_with("there");
    must_give(FD_CONFIG, try_tcp("127.0.0.1", "ca.pem", false, NULL));
}

static void wrong_password_is_a_configuration_error(void **state)
{
    (void)state;
    restart_with("here");
    char *file = path("desk.cnf");
    FILE *out = fopen(file, "w");
    fputs("[frontdesk]\npassword=wrong\n", out);
    fclose(out);
    must_give(FD_CONFIG, try_tcp("127.0.0.1", "ca.pem", false, NULL));
    assert_int_equal(err.sql_errno, 1045);
    assert_null(strstr(err.message, "wrong"));
    free(file);
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    folder = xprintf("%s/tls", fixture.folder);
    mkdir(folder, 0700);
    port = free_port();
    make_certificates();
    struct db *db = fixture_open(&fixture);
    is_mariadb = db_is_mariadb(db);
    fixture_sql(db, "CREATE USER desk@'%%' IDENTIFIED BY 'secret'");
    fixture_sql(db, "GRANT ALL ON frontdesk.* TO desk@'%%'");
    db_close(&db);
    char *file = path("desk.cnf");
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    dprintf(fd, "[frontdesk]\npassword=secret\n");
    close(fd);
    free(file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(folder);
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_server_is_refused_unless_loopback_is_allowed),
        cmocka_unit_test(verified_server_is_used_encrypted),
        cmocka_unit_test(unknown_authority_and_wrong_name_are_refused),
        cmocka_unit_test(wrong_password_is_a_configuration_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
