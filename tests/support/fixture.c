#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "db/db_internal.h"
#include "db/migrate.h"
#include "db/server_internal.h"

static struct fixture *to_stop;
static pid_t owner;

_Noreturn static void die(const char *what, const struct fd_error *err)
{
    fprintf(stderr, "fixture: %s: %s | %s | %s\n", what, err->message, err->hint, err->detail);
    exit(99);
}

static void stop_at_exit(void)
{
    /* A forked child that exits must not end its parent's server. */
    if (to_stop && getpid() == owner)
        fixture_stop(to_stop);
}

static void set_folder(const char *variable, const char *folder, const char *name)
{
    char *path = xprintf("%s/%s", folder, name);
    mkdir(path, 0700);
    setenv(variable, path, 1);
    free(path);
}

extern char **environ;

static void clean_environment(const char *folder)
{
    static const char *const kept[] = {"FRONTDESK_SERVER_PROGRAM=", "FRONTDESK_SERVER_OPTIONS=",
                                       "FRONTDESK_TEST_ROUNDS=", "FRONTDESK_TOOTH="};
    for (size_t i = 0; environ[i];) {
        bool drop = strncmp(environ[i], "MYSQL", 5) == 0 || strncmp(environ[i], "MARIADB", 7) == 0 ||
                    strncmp(environ[i], "FRONTDESK_", 10) == 0 || strncmp(environ[i], "XDG_", 4) == 0 ||
                    strncmp(environ[i], "LC_", 3) == 0;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            drop = drop && strncmp(environ[i], kept[k], strlen(kept[k])) != 0;
        char *name = xstrdup(environ[i]);
        name[strcspn(name, "=")] = '\0';
        if (drop)
            unsetenv(name);
        else
            i++;
        free(name);
    }
    setenv("LANG", "C.UTF-8", 1);
    setlocale(LC_ALL, "C.UTF-8");
    setlocale(LC_NUMERIC, "C");
    set_folder("HOME", folder, "home");
    set_folder("XDG_RUNTIME_DIR", folder, "run");
    set_folder("XDG_DATA_HOME", folder, "data");
    set_folder("XDG_CONFIG_HOME", folder, "config");
    set_folder("XDG_STATE_HOME", folder, "state");
}

static void end_server(char *folder)
{
    struct server server = {.folder = folder};
    int pid = server_pid(&server);
    if (pid > 0)
        kill(pid, SIGKILL);
    for (int tries = 0; pid > 0 && tries < 500 && server_pid(&server) != 0; tries++)
        sleep_ms(10);
}

/* Also those that a test started beside the fixture's own. */
static void end_servers(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
        char *path = xprintf("%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            end_server(path);
        free(path);
    }
    if (list)
        closedir(list);
}

/* Lives until the program is gone in whatever way, then ends what it left. */
_Noreturn static void guard(struct fixture *fixture, int gone)
{
    char byte;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    int null_fd = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        dup2(null_fd, fd);
    close(fixture->alive);
    if (chdir("/") != 0)
        _exit(1);
    while (read(gone, &byte, 1) < 0 && errno == EINTR)
        ;
    end_servers(fixture->folder);
    server_remove_tree(fixture->folder);
    _exit(0);
}

static void start_guardian(struct fixture *fixture)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        exit(99);
    fixture->alive = ends[1];
    owner = getpid();
    fixture->guardian = fork();
    if (fixture->guardian == 0)
        guard(fixture, ends[0]);
    close(ends[0]);
    to_stop = fixture;
    atexit(stop_at_exit);
}

static void make_folder(struct fixture *fixture)
{
    const char *temporary = getenv("TMPDIR");
    memset(fixture, 0, sizeof *fixture);
    fixture->alive = -1;
    fixture->database = "frontdesk";
    /* Sockets want short paths. */
    fixture->folder = xprintf("%s/fdt-XXXXXX", temporary && strlen(temporary) < 20 ? temporary : "/tmp");
    if (!mkdtemp(fixture->folder)) {
        perror("mkdtemp");
        exit(99);
    }
    clean_environment(fixture->folder);
    char *log = xprintf("%s/log", fixture->folder);
    log_open(log, LOG_DEBUG, NULL);
    free(log);
}

void fixture_environment(struct fixture *fixture)
{
    make_folder(fixture);
    start_guardian(fixture);
}

void fixture_start(struct fixture *fixture, bool migrate)
{
    struct fd_error err = {0};
    make_folder(fixture);
    char *data = xprintf("%s/server", fixture->folder);
    if (server_init(&fixture->server, data, &err))
        die("server_init", &err);
    free(data);
    start_guardian(fixture);
    if (server_start(&fixture->server, NULL, &err))
        die("server_start", &err);
    struct db_target target = server_target(&fixture->server, NULL);
    struct db *db;
    if (db_open(&target, &db, &err))
        die("db_open", &err);
    if (migrate && migrate_run(db, fixture->database, NULL, NULL, &err))
        die("migrate_run", &err);
    if (!migrate && db_run(db, "CREATE DATABASE frontdesk CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci", &err))
        die("create database", &err);
    db_close(&db);
}

void fixture_stop(struct fixture *fixture)
{
    if (fixture->alive < 0)
        return;
    close(fixture->alive);
    fixture->alive = -1;
    fixture_wait(fixture->guardian);
    server_release(&fixture->server);
    free(fixture->folder);
    fixture->folder = NULL;
    to_stop = NULL;
}

struct db_target fixture_target(const struct fixture *fixture)
{
    return server_target(&fixture->server, fixture->database);
}

static struct db *open_or_die(const struct db_target *target)
{
    struct fd_error err = {0};
    struct db *db;
    if (db_open(target, &db, &err))
        die("db_open", &err);
    return db;
}

struct db *fixture_open(const struct fixture *fixture)
{
    struct db_target target = fixture_target(fixture);
    return open_or_die(&target);
}

struct db *fixture_open_online(const struct fixture *fixture)
{
    struct db_target target = fixture_target(fixture);
    target.found_rows = target.plain_session = true;
    return open_or_die(&target);
}

struct db *fixture_open_socket(const struct fixture *fixture, const char *socket)
{
    struct db_target target = fixture_target(fixture);
    target.socket = socket;
    return open_or_die(&target);
}

void fixture_crash(struct fixture *fixture)
{
    int pid = server_pid(&fixture->server);
    if (pid > 0)
        kill(pid, SIGKILL);
    while (server_pid(&fixture->server) != 0)
        sleep_ms(2);
}

void fixture_restart(struct fixture *fixture)
{
    struct fd_error err = {0};
    if (server_start(&fixture->server, NULL, &err))
        die("server_start", &err);
}

__attribute__((format(printf, 1, 0))) static char *format_sql(const char *format, va_list args)
{
    struct buf buf = {0};
    buf_vprintf(&buf, format, args);
    return buf_take(&buf);
}

void fixture_sql(struct db *db, const char *format, ...)
{
    struct fd_error err = {0};
    va_list args;
    va_start(args, format);
    char *sql = format_sql(format, args);
    va_end(args);
    if (db_run(db, sql, &err) || db_commit(db, &err))
        die(sql, &err);
    free(sql);
}

const char *fixture_text(struct db *db, const char *format, ...)
{
    static _Thread_local char text[4096];
    va_list args;
    va_start(args, format);
    char *sql = format_sql(format, args);
    va_end(args);
    MYSQL_RES *result = mysql_real_query(db->link, sql, strlen(sql)) ? NULL : mysql_store_result(db->link);
    char **row = result ? mysql_fetch_row(result) : NULL;
    if (!row) {
        fprintf(stderr, "fixture: %s: %s\n", sql, mysql_errno(db->link) ? mysql_error(db->link) : "no row");
        exit(99);
    }
    snprintf(text, sizeof text, "%s", row[0] ? row[0] : "");
    mysql_free_result(result);
    mysql_real_query(db->link, "ROLLBACK", 8);
    free(sql);
    return text;
}

int64_t fixture_int(struct db *db, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = format_sql(format, args);
    va_end(args);
    int64_t number = strtoll(fixture_text(db, "%s", sql), NULL, 10);
    free(sql);
    return number;
}

pid_t fixture_fork(int (*fn)(void *arg), void *arg)
{
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(fn(arg));
}

void fixture_quiet(void)
{
    int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null_fd, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    /* cmocka would catch the abort and go on with the next test. */
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
}

int fixture_wait(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void fixture_must(enum fd_code code, enum fd_code wanted, struct fd_error *err, const char *call, const char *file,
                  int line)
{
    if (code == wanted)
        return;
    print_error("%s gave %s instead of %s: %s | %s\n", call, fd_code_name(code), fd_code_name(wanted),
                code ? err->message : "", code ? err->detail : "");
    _fail(file, line);
}
