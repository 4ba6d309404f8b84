/* backup and restore of the private database, by the server's own tools: mariadb-dump and mariadb. A file begins with a
 * line of ours and ends with the dump's own last line, so that a torn one is never restored. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/text.h"
#include "cli/cli.h"
#include "core/operator.h"
#include "db/migrate.h"
#include "db/server.h"

#define FIRST_LINE    "-- frontdesk backup, schema "
#define LAST_LINE     "-- Dump completed"
#define LOCK_LIMIT_MS 60000

DB_QUERY(q_tables, "restore.tables", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = :database");
DB_QUERY(q_own, "restore.own", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = :database AND table_name IN "
         "('schema_version', 'op_request', 'operation_log')");

/* A program of the server's package, found where packages and a source build put it. */
static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/usr/local/mysql/bin", "/opt/mariadb/bin", NULL};

static char *find_program(const char *const *names)
{
    for (; *names; names++)
        for (const char *const *folder = folders; *folder; folder++) {
            char *path = xprintf("%s/%s", *folder, *names);
            if (access(path, X_OK) == 0)
                return path;
            free(path);
        }
    return NULL;
}

static const char *const dump_names[] = {"mariadb-dump", "mysqldump", NULL};
static const char *const client_names[] = {"mariadb", "mysql", NULL};

static enum fd_code program_missing(const char *name, const char *package, struct fd_error *err)
{
    fd_fail(err, FD_REFUSED, _("The program %s is not installed."), name);
    fd_hint(err, _("Install the package %s."), package);
    return FD_REFUSED;
}

/* Runs a program with stdin and stdout on descriptors (-1: /dev/null); its stderr is caught for the message. No shell.
 */
struct running {
    const char *const *words;
    int in, out;
    char complaint[256]; /* first bytes of its stderr */
};

static void child(const struct running *running, int complaint_fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(running->in >= 0 ? running->in : null, STDIN_FILENO);
    dup2(running->out >= 0 ? running->out : null, STDOUT_FILENO);
    dup2(complaint_fd, STDERR_FILENO);
    /* execv changes none of the words; its prototype is older than const. */
    char *const *words;
    memcpy(&words, &running->words, sizeof words);
    execv(words[0], words);
    _exit(127);
}

/* Reads all of a stream and keeps its beginning. */
static void hear(int fd, char *text, size_t bytes)
{
    char rest[512];
    size_t used = 0;
    for (;;) {
        ssize_t got = read(fd, rest, sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size_t take = (size_t)got < bytes - 1 - used ? (size_t)got : bytes - 1 - used;
        memcpy(text + used, rest, take);
        used += take;
    }
    text[used] = '\0';
}

static enum fd_code run_program(struct running *running, struct fd_error *err)
{
    int ends[2], status = 0;
    char raw[256];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fd_fail(err, FD_IO, "%s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        child(running, ends[1]);
    close(ends[1]);
    if (pid > 0)
        hear(ends[0], raw, sizeof raw);
    close(ends[0]);
    if (pid < 0)
        return fd_fail(err, FD_IO, "%s", strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    text_clean(running->complaint, sizeof running->complaint, raw);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return FD_OK;
    return fd_fail(err, FD_IO, _("%s failed: %s"), running->words[0], running->complaint);
}

/* The private server and its database, started. */
struct own {
    struct server server;
    const char *database;
    char *socket_flag, *user_flag;
};

static enum fd_code own_open(const struct call *call, struct own *own, struct fd_error *err)
{
    const struct config *config = call->config;
    bool started;
    if (!desk_is_private(config)) {
        fd_fail(err, FD_REFUSED, "%s",
                _("A database server is configured; this is for frontdesk's own private database."));
        fd_hint(err, "%s", _("Use the server's own backup."));
        return FD_REFUSED;
    }
    /* MariaDB's dump of a MySQL names generated columns, which MySQL then refuses. */
    if (!db_is_mariadb(call->desk->db)) {
        fd_fail(err, FD_REFUSED, "%s", _("The private server is a MySQL; this works with MariaDB."));
        fd_hint(err, "%s", _("Use mysqldump of that MySQL."));
        return FD_REFUSED;
    }
    const char *folder = config_text(config, CONFIG_DATA);
    enum fd_code code = server_init(&own->server, *folder ? folder : NULL, err);
    if (code == FD_OK)
        code = server_start(&own->server, &started, err);
    if (code != FD_OK)
        return code;
    struct db_target target = server_target(&own->server, NULL);
    own->database = config_text(config, CONFIG_NAME);
    own->socket_flag = xprintf("--socket=%s", target.socket);
    own->user_flag = xprintf("--user=%s", target.user);
    return FD_OK;
}

static void own_close(struct own *own)
{
    free(own->socket_flag);
    free(own->user_flag);
    server_release(&own->server);
}

/* Writes the dump behind our first line into an open file. The snapshot is one: InnoDB only, no locks. */
static enum fd_code dump_into(const struct own *own, int fd, struct fd_error *err)
{
    char *program = find_program(dump_names);
    if (!program)
        return program_missing("mariadb-dump", "mariadb-client", err);
    const char *const words[] = {program,
                                 "--no-defaults",
                                 own->socket_flag,
                                 own->user_flag,
                                 "--single-transaction",
                                 "--quick",
                                 "--skip-lock-tables",
                                 "--skip-add-locks",
                                 "--skip-add-drop-table",
                                 "--triggers",
                                 "--hex-blob",
                                 "--default-character-set=utf8mb4",
                                 "--",
                                 own->database,
                                 NULL};
    struct running running = {.words = words, .in = -1, .out = fd};
    enum fd_code code = FD_OK;
    if (dprintf(fd, FIRST_LINE "%d\n", migrate_latest()) < 0)
        code = fd_fail(err, FD_IO, _("The backup cannot be written: %s"), strerror(errno));
    if (code == FD_OK)
        code = run_program(&running, err);
    if (code == FD_OK && fsync(fd) != 0)
        code = fd_fail(err, FD_IO, _("The backup cannot be written: %s"), strerror(errno));
    free(program);
    return code;
}

/* The folder's entry too has to be on the disk before the backup counts. */
static void sync_folder(const char *path)
{
    char *folder = xstrdup(path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

/* Under another name until it is whole: what stands under `path` is always a whole backup. `replace`: an old one goes.
 */
static enum fd_code dump_to(const struct own *own, const char *path, bool replace, struct fd_error *err)
{
    char *temporary = xprintf("%s.part-%ld", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum fd_code code = FD_OK;
    if (fd < 0)
        code = fd_fail(err, FD_IO, _("%s cannot be written: %s"), temporary, strerror(errno));
    if (code == FD_OK)
        code = dump_into(own, fd, err);
    if (fd >= 0 && close(fd) != 0 && code == FD_OK)
        code = fd_fail(err, FD_IO, _("%s cannot be written: %s"), temporary, strerror(errno));
    int moved = code != FD_OK ? 0 : replace ? rename(temporary, path) : link(temporary, path);
    if (code == FD_OK && moved != 0)
        code = fd_fail(err, errno == EEXIST ? FD_EXISTS : FD_IO,
                       errno == EEXIST ? _("%s exists already: %s") : _("%s cannot be written: %s"), path,
                       strerror(errno));
    if (fd >= 0)
        unlink(temporary);
    if (code == FD_OK)
        sync_folder(path);
    free(temporary);
    return code;
}

static enum fd_code backup_run(struct call *call, struct fd_error *err)
{
    struct own own = {0};
    struct stat status;
    const char *path = call_text(call, "file");
    enum fd_code code = lstat(path, &status) == 0 ? fd_fail(err, FD_EXISTS, _("%s exists already."), path) : FD_OK;
    if (code == FD_OK)
        code = own_open(call, &own, err);
    if (code == FD_OK)
        code = dump_to(&own, path, false, err);
    if (code == FD_OK && stat(path, &status) == 0) {
        call->answer = tree_object();
        tree_put_text(call->answer, "file", path);
        tree_put_int(call->answer, "bytes", status.st_size);
        call_say(call, _("Backed up into %s (%lld bytes)."), path, (long long)status.st_size);
    }
    own_close(&own);
    return code;
}

/* Whole and ours? Leaves the file at its start. */
static enum fd_code check_file(int fd, const char *path, struct fd_error *err)
{
    char begin[sizeof FIRST_LINE] = "", end[256] = "";
    int schema = 0;
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof end - 1 ? size - (off_t)sizeof end + 1 : 0;
    char number[8] = "";
    if (pread(fd, begin, sizeof FIRST_LINE - 1, 0) != (ssize_t)sizeof FIRST_LINE - 1 || strcmp(begin, FIRST_LINE) != 0)
        return fd_fail(err, FD_REFUSED, _("%s is not a backup made by frontdesk."), path);
    if (pread(fd, end, sizeof end - 1, from) <= 0 || !strstr(end, LAST_LINE))
        return fd_fail(err, FD_REFUSED, _("%s is not whole: its last line is missing."), path);
    if (pread(fd, number, sizeof number - 1, sizeof FIRST_LINE - 1) > 0)
        schema = (int)strtol(number, NULL, 10);
    if (schema < 1 || schema > migrate_latest())
        return fd_fail(err, FD_SCHEMA, _("%s has schema %d, this frontdesk knows up to %d."), path, schema,
                       migrate_latest());
    lseek(fd, 0, SEEK_SET);
    return FD_OK;
}

static enum fd_code make_empty(struct db *db, const char *database, struct fd_error *err)
{
    char sql[256];
    /* A name cannot be a parameter; it has passed the check below. */
    fit_printf(sql, "DROP DATABASE IF EXISTS `%s`", database);
    enum fd_code code = db_run(db, sql, err);
    fit_printf(sql, "CREATE DATABASE `%s` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci", database);
    return code == FD_OK ? db_run(db, sql, err) : code;
}

static bool is_plain_name(const char *name)
{
    return *name && strlen(name) <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name);
}

static enum fd_code load_from(const struct own *own, struct db *db, int fd, struct fd_error *err)
{
    char *program = find_program(client_names);
    if (!program)
        return program_missing("mariadb", "mariadb-client-core", err);
    const char *const words[] = {program,
                                 "--no-defaults",
                                 own->socket_flag,
                                 own->user_flag,
                                 "--default-character-set=utf8mb4",
                                 "--batch",
                                 "--",
                                 own->database,
                                 NULL};
    struct running running = {.words = words, .in = fd, .out = -1};
    enum fd_code code = make_empty(db, own->database, err);
    lseek(fd, 0, SEEK_SET);
    if (code == FD_OK)
        code = run_program(&running, err);
    free(program);
    return code;
}

/* What stands there now is kept beside the data, and put back where the new one does not load. */
static enum fd_code replace_database(const struct own *own, struct db *db, int fd, struct fd_error *err)
{
    char *saved = xprintf("%s/before-restore.sql", own->server.folder);
    struct fd_error ignored;
    enum fd_code code = dump_to(own, saved, true, err);
    if (code == FD_OK) {
        code = load_from(own, db, fd, err);
        int back = code == FD_OK ? -1 : open(saved, O_RDONLY | O_CLOEXEC);
        if (back >= 0) {
            if (load_from(own, db, back, &ignored) != FD_OK)
                fd_hint(err, _("The database as it was is in %s."), saved);
            close(back);
        }
    }
    free(saved);
    return code;
}

/* 0: empty or missing, 1: frontdesk's own, 2: something else's. */
static enum fd_code what_is_there(struct db *db, const char *database, int *kind, struct fd_error *err)
{
    int64_t tables = 0, own = 0;
    enum fd_code code = db_value_int(db, &q_tables, DB_ARGS(db_text("database", database)), &tables, err);
    if (code == FD_OK)
        code = db_value_int(db, &q_own, DB_ARGS(db_text("database", database)), &own, err);
    db_rollback(db);
    *kind = tables == 0 ? 0 : own == 3 ? 1 : 2;
    return code;
}

static enum fd_code restore_into(struct call *call, const struct own *own, int fd, struct fd_error *err)
{
    struct db *db = NULL;
    int kind = 0;
    struct db_target target = server_target(&own->server, NULL);
    target.time_zone = config_text(call->config, CONFIG_TIME_ZONE);
    target.connect_timeout_s = (unsigned)config_number(call->config, CONFIG_CONNECT_TIMEOUT);
    target.read_timeout_s = 600; /* dropping a large database takes its time */
    enum fd_code code =
        is_plain_name(own->database)
            ? db_open(&target, &db, err)
            : fd_fail(err, FD_CONFIG,
                      _("The name of the database has other characters than letters, digits, _ and -."));
    if (code == FD_OK)
        code = what_is_there(db, own->database, &kind, err);
    if (code == FD_OK && kind == 2)
        code =
            fd_fail(err, FD_REFUSED, _("The database %s holds something else than frontdesk's tables."), own->database);
    bool nobody_yet = call->desk->operator_id == 0;
    if (code == FD_OK && kind == 1 && !nobody_yet && !call_switch(call, "yes")) {
        code = fd_fail(err, FD_REFUSED, _("The database %s is in use; restoring replaces all of it."), own->database);
        fd_hint(err, "%s",
                _("Say --yes to replace it. What was there is kept in before-restore.sql in the data folder."));
    }
    if (code == FD_OK)
        code = kind == 1 ? replace_database(own, db, fd, err) : load_from(own, db, fd, err);
    db_close(&db);
    return code;
}

static enum fd_code restore_run(struct call *call, struct fd_error *err)
{
    struct own own = {0};
    const char *path = call_text(call, "file");
    int lock = -1, fd = open(path, O_RDONLY | O_CLOEXEC);
    enum fd_code code =
        fd < 0 ? fd_fail(err, FD_IO, _("%s cannot be read: %s"), path, strerror(errno)) : check_file(fd, path, err);
    if (code == FD_OK)
        code = own_open(call, &own, err);
    if (code == FD_OK && (lock = server_lock(&own.server, LOCK_LIMIT_MS)) < 0)
        code = fd_fail(err, FD_AGAIN, "%s", _("Another program starts or migrates this database."));
    if (code == FD_OK)
        code = restore_into(call, &own, fd, err);
    if (code == FD_OK) {
        call->answer = tree_object();
        tree_put_text(call->answer, "file", path);
        tree_put_text(call->answer, "database", own.database);
        call_say(call, _("Restored from %s."), path);
    }
    if (fd >= 0)
        close(fd);
    if (lock >= 0)
        close(lock);
    own_close(&own);
    return code;
}

static const struct action_param backup_params[] = {
    {"file", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("where to write it; must not exist yet")},
    {0},
};
static const struct action_param restore_params[] = {
    {"file", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("a file that backup has made")},
    {"yes", P_SWITCH, 0, NULL, N_("replace what is in the database now")},
    {0},
};

const struct action backup_actions[] = {
    {"backup", "", NULL, N_("write the private database into a file"),
     N_("One consistent snapshot while work goes on, mode 0600, under its name only when whole."), backup_params, NULL,
     A_OPERATOR, "finance admin", backup_run},
    {"restore", "", NULL, N_("load a backup into the private database"),
     N_("Into an empty database, or with --yes in place of frontdesk's own, which is kept in before-restore.sql "
        "first.\n"
        "Stop the consoles before."),
     restore_params, NULL, A_OPERATOR, "admin", restore_run},
    {0},
};
