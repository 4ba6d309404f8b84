/* The private server's life: found, started once, asked to stop. */
#include "db/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/i18n.h"
#include "base/log.h"
#include "base/token.h"
#include "db/db_internal.h"
#include "db/server_internal.h"

#define SOCKET_BYTES 100 /* a longer path makes the server abort */
#define ANSWER_S 3U      /* a stopped server accepts connections and never answers */
#define LOCK_MS 120000
#define START_MS 120000 /* recovery after a crash takes its time */
#define REUSE_MS 3000
#define STOP_MS 120000
#define POLL_MS 10

static char *path_in(const struct server *server, const char *name)
{
    return xprintf("%s/%s", server->folder, name);
}

/* Whoever else could write the folder could put a server of his own there. */
static bool is_private_socket(const char *path)
{
    struct stat status;
    char folder[SOCKET_BYTES + 1];
    if (strlen(path) > SOCKET_BYTES || lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode) ||
        status.st_uid != geteuid())
        return false;
    cut_copy(folder, sizeof folder, path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/* A server that was started under another XDG_RUNTIME_DIR is found where it listens. */
static char *recorded_socket(const struct server *server)
{
    char line[SOCKET_BYTES + 2] = "";
    char *name = path_in(server, "server.socket");
    FILE *file = fopen(name, "re");
    free(name);
    if (!file)
        return NULL;
    bool got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return got && is_private_socket(line) ? xstrdup(line) : NULL;
}

static void record_socket(const struct server *server)
{
    char *name = path_in(server, "server.socket");
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    /* Only another runtime folder makes it necessary, so a failure is not one of starting. */
    if (fd < 0 || dprintf(fd, "%s\n", server->socket) < 0)
        log_line(LOG_WARN, "cannot write %s: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(name);
}

static enum fd_code own_socket(struct server *server, struct fd_error *err)
{
    char *runtime = NULL, digest[65];
    enum fd_code code = folder_runtime(&runtime, err);
    if (code)
        return code;
    sha256_hex(server->folder, strlen(server->folder), digest);
    server->socket = xprintf("%s/db-%.12s", runtime, digest);
    free(runtime);
    if (strlen(server->socket) > SOCKET_BYTES)
        return fd_fail(err, FD_CONFIG, _("The path of the socket is too long: %s"), server->socket);
    return FD_OK;
}

static enum fd_code own_folder(struct server *server, const char *folder, struct fd_error *err)
{
    struct stat status;
    char *wanted = folder && *folder ? xstrdup(folder) : folder_data();
    /* The parents are the user's own affair, the folder itself is ours. */
    if (mkdir(wanted, 0700) != 0 && errno != EEXIST) {
        fd_fail(err, FD_IO, _("The data folder %s cannot be made: %s"), wanted, strerror(errno));
        free(wanted);
        return FD_IO;
    }
    server->folder = realpath(wanted, NULL);
    enum fd_code code = FD_OK;
    if (!server->folder || stat(server->folder, &status) != 0)
        code = fd_fail(err, FD_IO, _("The data folder %s cannot be used: %s"), wanted, strerror(errno));
    else if (status.st_uid != geteuid())
        code = fd_fail(err, FD_CONFIG, _("The data folder %s belongs to another user."), wanted);
    free(wanted);
    return code;
}

enum fd_code server_init(struct server *server, const char *folder, struct fd_error *err)
{
    memset(server, 0, sizeof *server);
    enum fd_code code = own_folder(server, folder, err);
    if (code == FD_OK)
        server->socket = recorded_socket(server);
    if (code == FD_OK && !server->socket)
        code = own_socket(server, err);
    if (code)
        server_release(server);
    return code;
}

void server_release(struct server *server)
{
    free(server->folder);
    free(server->socket);
    memset(server, 0, sizeof *server);
}

struct db_target server_target(const struct server *server, const char *database)
{
    /* Credentials of other servers in the user's option files are none here. */
    return (struct db_target){.socket = server->socket, .user = "root", .database = database, .defaults_file = ""};
}

enum life { LIFE_ABSENT, LIFE_SILENT, LIFE_ANSWERS };

static enum life probe(const struct server *server)
{
    struct db_target target = server_target(server, NULL);
    struct fd_error err = {0};
    target.time_zone = "+00:00";
    target.connect_timeout_s = target.read_timeout_s = ANSWER_S;
    if (!is_private_socket(server->socket))
        return LIFE_ABSENT;
    int64_t begin = mono_ms();
    MYSQL *link = db_link_open(&target, &err);
    if (link)
        mysql_close(link);
    /* An error that the server itself sends is an answer too, unless it is going down. */
    if (link || (err.sql_errno >= 1000 && err.sql_errno < 2000 && err.sql_errno != 1053))
        return LIFE_ANSWERS;
    return mono_ms() - begin >= ANSWER_S * 1000 - 500 ? LIFE_SILENT : LIFE_ABSENT;
}

bool server_runs(struct server *server)
{
    return probe(server) == LIFE_ANSWERS;
}

/* The process holds the lock as long as it lives, so a stale number is never believed. -1 where it
 * lives but has not written its number yet. */
static int read_pid(const struct server *server)
{
    char *name = path_in(server, "server.alive"), text[16] = "";
    int fd = open(name, O_RDONLY | O_CLOEXEC), pid = 0;
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    free(name);
    if (fd < 0)
        return 0;
    if (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
        ssize_t got = read(fd, text, sizeof text - 1);
        pid = got > 1 && text[got - 1] == '\n' ? (int)strtol(text, NULL, 10) : -1;
    }
    close(fd);
    return pid;
}

int server_pid(struct server *server)
{
    int pid = read_pid(server);
    for (int tries = 0; pid < 0 && tries < 100; tries++) {
        sleep_ms(1);
        pid = read_pid(server);
    }
    return pid > 1 ? pid : 0;
}

int server_lock(struct server *server, int64_t limit_ms)
{
    char *name = path_in(server, "lock");
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int64_t deadline = mono_ms() + limit_ms;
    free(name);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || mono_ms() >= deadline) {
            int why = errno;
            close(fd);
            errno = why;
            return -1;
        }
        sleep_ms(POLL_MS);
    }
    return fd;
}

/* Waits until it answers; false where it ended or the time is up. */
static bool wait_for_answer(struct server *server, int64_t limit_ms)
{
    int64_t deadline = mono_ms() + limit_ms;
    while (mono_ms() < deadline) {
        if (server_runs(server))
            return true;
        if (server_pid(server) == 0)
            return false;
        sleep_ms(POLL_MS);
    }
    return false;
}

static bool wait_for_end(struct server *server, int64_t limit_ms)
{
    int64_t deadline = mono_ms() + limit_ms;
    while (server_pid(server) != 0) {
        if (mono_ms() >= deadline)
            return false;
        sleep_ms(POLL_MS);
    }
    return true;
}

static enum fd_code end_process(struct server *server, struct fd_error *err)
{
    int pid = server_pid(server);
    if (pid == 0)
        return FD_OK;
    /* SIGCONT: one that was stopped could not hear the other. */
    if (kill(pid, SIGTERM) != 0 || kill(pid, SIGCONT) != 0)
        log_line(LOG_WARN, "signal to server %d: %s", pid, strerror(errno));
    if (!wait_for_end(server, STOP_MS))
        return fd_fail(err, FD_DB_DOWN, _("The private database (process %d) does not stop."), pid);
    return FD_OK;
}

static enum fd_code did_not_start(const struct server *server, struct fd_error *err)
{
    char line[256];
    server_log_last_line(server, "server.log", line, sizeof line);
    fd_fail(err, FD_DB_DOWN, _("The private database did not start: %s"), line);
    fd_hint(err, _("Its log is %s/server.log"), server->folder);
    return FD_DB_DOWN;
}

/* What a killed server left behind. MySQL asks whether the process named in the lock still exists, and takes one that
 * is dead but not waited for yet to be alive. */
static void clear_socket(const struct server *server)
{
    char *lock = xprintf("%s.lock", server->socket);
    unlink(server->socket);
    unlink(lock);
    free(lock);
}

static enum fd_code start_new(struct server *server, int lock_fd, struct fd_error *err)
{
    struct program program = {0};
    char *files = path_in(server, "db");
    enum fd_code code = server_program_find(&program, err);
    if (code == FD_OK && access(files, F_OK) != 0)
        code = server_install(server, &program, lock_fd, err);
    if (code == FD_OK) {
        clear_socket(server);
        code = server_spawn(server, &program, err);
    }
    if (code == FD_OK && !wait_for_answer(server, START_MS))
        code = did_not_start(server, err);
    if (code == FD_OK)
        record_socket(server);
    free(program.path);
    free(files);
    return code;
}

static enum fd_code does_not_answer(struct server *server, struct fd_error *err)
{
    fd_fail(err, FD_DB_DOWN, _("The private database (process %d) does not answer."), server_pid(server));
    fd_hint(err, "%s", _("It may be stopped or recovering; frontdesk server stop ends it."));
    return FD_DB_DOWN;
}

static enum fd_code start_locked(struct server *server, int lock_fd, bool *started, struct fd_error *err)
{
    enum life life = probe(server);
    /* Whoever started it may have been killed while it came up. */
    if (life == LIFE_ANSWERS || (life == LIFE_ABSENT && server_pid(server) != 0 && wait_for_answer(server, REUSE_MS)))
        return FD_OK;
    if (life == LIFE_SILENT || (server_pid(server) != 0 && is_private_socket(server->socket)))
        return does_not_answer(server, err);
    /* Alive without a socket: its runtime folder was cleared when the user's last login ended. */
    enum fd_code code = end_process(server, err);
    if (code == FD_OK) {
        free(server->socket);
        server->socket = NULL;
        code = own_socket(server, err);
    }
    if (code == FD_OK)
        code = start_new(server, lock_fd, err);
    *started = code == FD_OK;
    return code;
}

/* There while `server stop` holds: a console that is still open must not start it again. */
static bool was_stopped(const struct server *server)
{
    char *name = path_in(server, "server.stopped");
    bool is = access(name, F_OK) == 0;
    free(name);
    return is;
}

static void mark_stopped(const struct server *server, bool stopped)
{
    char *name = path_in(server, "server.stopped");
    int fd = stopped ? open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
    else if (stopped || (unlink(name) != 0 && errno != ENOENT))
        log_line(LOG_WARN, "cannot change %s: %s", name, strerror(errno));
    free(name);
}

static enum fd_code lock_or_fail(struct server *server, int *lock, struct fd_error *err)
{
    *lock = server_lock(server, LOCK_MS);
    if (*lock >= 0)
        return FD_OK;
    /* A file, somebody else's folder or a read-only disk: waiting for another frontdesk would be in vain. */
    if (errno != EWOULDBLOCK && errno != EINTR)
        return fd_fail(err, FD_IO, _("The data folder %s cannot be used: %s"), server->folder, strerror(errno));
    return fd_fail(err, FD_DB_DOWN, _("The data folder %s is locked by another frontdesk."), server->folder);
}

enum fd_code server_start(struct server *server, bool *started, struct fd_error *err)
{
    bool did = false;
    int lock = -1;
    enum life life = probe(server);
    enum fd_code code = FD_OK;
    if (life == LIFE_SILENT)
        code = does_not_answer(server, err);
    if (life == LIFE_ABSENT)
        code = lock_or_fail(server, &lock, err);
    if (lock >= 0) {
        code = start_locked(server, lock, &did, err);
        if (code == FD_OK)
            mark_stopped(server, false);
        close(lock);
    }
    if (started)
        *started = did;
    return code;
}

enum fd_code server_revive(struct server *server, struct fd_error *err)
{
    int lock;
    bool started;
    enum fd_code code = lock_or_fail(server, &lock, err);
    if (code)
        return code;
    if (was_stopped(server)) {
        code = fd_fail(err, FD_DB_DOWN, "%s", _("The private database was stopped."));
        fd_hint(err, "%s", _("Start it with: frontdesk server start"));
    } else {
        code = start_locked(server, lock, &started, err);
        if (code == FD_OK && started)
            log_line(LOG_WARN, "the private database had ended by itself and was started again");
    }
    close(lock);
    return code;
}

enum fd_code server_stop(struct server *server, struct fd_error *err)
{
    int lock;
    enum fd_code code = lock_or_fail(server, &lock, err);
    if (code)
        return code;
    /* Before it ends: whoever waits for the lock meanwhile must find it. */
    mark_stopped(server, true);
    code = end_process(server, err);
    if (code == FD_OK)
        clear_socket(server);
    else
        mark_stopped(server, false);
    close(lock);
    return code;
}
