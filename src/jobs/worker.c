#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "base/token.h"
#include "core/operator.h"
#include "core/param.h"
#include "db/server.h"
#include "jobs/jobs.h"

#define PAUSE_LEAST_MS 200
#define PAUSE_MOST_MS  10000
#define DRAIN_S        4
#define DRAIN_STATUS   75 /* try again: as in the table of errors, which a handler must not ask */

static volatile sig_atomic_t stop_asked;

/* What is under way is finished; where a frozen server does not let it finish, the process goes, and the server rolls
 * back what was not committed. */
static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
    alarm(DRAIN_S);
}

static void drain_over(int number)
{
    (void)number;
    _exit(DRAIN_STATUS);
}

static bool is_stopping(void)
{
    return stop_asked;
}

void worker_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, bytes) < 0)
        log_line(LOG_WARN, "worker: the service manager cannot be told: %s", strerror(errno));
    close(fd);
}

/* Blocked between the check and the wait, so that no signal falls in between. */
static void wait_ms(int64_t ms)
{
    struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    if (!stop_asked)
        ppoll(NULL, 0, &limit, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

struct worker {
    const struct config *config;
    struct desk *desk; /* NULL while there is no database */
    int64_t seconds;   /* 0: the parameter */
    int64_t pause_ms;  /* grows while the database is away */
    bool told_ready;
    char *home; /* the private database's data folder, once it was connected; NULL: a configured server */
    ino_t home_inode;
};

static bool is_worth_waiting(enum fd_code code)
{
    return fd_code_exit(code) == 69 || fd_code_exit(code) == 75 || code == FD_INTERNAL;
}

/* A database that is away comes back; a wrong configuration or schema does not come right by itself. */
static enum fd_code stand_by(struct worker *worker, enum fd_code code, const struct fd_error *err)
{
    desk_close(&worker->desk);
    if (!is_worth_waiting(code))
        return code;
    log_line(LOG_WARN, "worker: %s; trying again in %lld ms", err->message, (long long)worker->pause_ms);
    /* Many workers must not come back in the same instant. */
    wait_ms(worker->pause_ms / 2 + random_below((uint32_t)worker->pause_ms / 2 + 1));
    worker->pause_ms = worker->pause_ms * 2 < PAUSE_MOST_MS ? worker->pause_ms * 2 : PAUSE_MOST_MS;
    return FD_OK;
}

static enum fd_code open_home(const struct config *config, struct server *server, struct fd_error *err)
{
    const char *folder = config_text(config, CONFIG_DATA);
    return server_init(server, *folder ? folder : NULL, err);
}

static enum fd_code remember_home(struct worker *worker, struct fd_error *err)
{
    struct server server = {0};
    struct stat info;
    if (worker->home || !desk_is_private(worker->config))
        return FD_OK;
    enum fd_code code = open_home(worker->config, &server, err);
    if (code == FD_OK && stat(server.folder, &info) == 0) {
        worker->home = xstrdup(server.folder);
        worker->home_inode = info.st_ino;
    }
    server_release(&server);
    return code;
}

/* Opening would make a folder anew that somebody has removed. */
static enum fd_code check_home(const struct worker *worker, struct fd_error *err)
{
    struct stat info;
    if (!worker->home || (stat(worker->home, &info) == 0 && info.st_ino == worker->home_inode))
        return FD_OK;
    return fd_fail(err, FD_CONFIG, _("The data folder %s is gone."), worker->home);
}

/* Opening would start again what `server stop` has ended; a server that crashed is started. */
static enum fd_code revive_home(const struct worker *worker, struct fd_error *err)
{
    struct server server = {0};
    if (!worker->home)
        return FD_OK;
    enum fd_code code = open_home(worker->config, &server, err);
    if (code == FD_OK)
        code = server_revive(&server, err);
    server_release(&server);
    return code;
}

static enum fd_code connect_desk(struct worker *worker, struct fd_error *err)
{
    enum fd_code code = check_home(worker, err);
    if (code != FD_OK || worker->desk)
        return code;
    code = revive_home(worker, err);
    if (code == FD_OK)
        code = desk_open(worker->config, &worker->desk, err);
    if (code == FD_OK)
        code = operator_act_as_worker(worker->desk, err);
    if (code == FD_OK)
        code = remember_home(worker, err);
    if (code == FD_OK)
        log_line(LOG_INFO, "worker: connected, run %s", worker->desk->run_id);
    return code;
}

static void tell_pass(const struct pass *pass)
{
    struct buf line = {0};
    for (const struct job_row *job = jobs; job->name; job++)
        if (pass_count(pass, job) > 0)
            buf_printf(&line, "%s%s %lld", line.bytes > 0 ? ", " : "", job->name, (long long)pass_count(pass, job));
    if (line.bytes > 0)
        log_line(LOG_INFO, "worker: %s", buf_text(&line));
    buf_release(&line);
}

static enum fd_code one_round(struct worker *worker, struct fd_error *err)
{
    struct pass pass = {.stop = is_stopping};
    enum fd_code code = connect_desk(worker, err);
    if (code == FD_OK && !worker->told_ready) {
        worker_notify("READY=1");
        worker->told_ready = true;
    }
    if (code == FD_OK)
        code = worker_pass(worker->desk, &pass, err);
    tell_pass(&pass);
    if (code != FD_OK)
        return stand_by(worker, code, err);
    worker->pause_ms = PAUSE_LEAST_MS;
    int64_t seconds = worker->seconds ? worker->seconds : param_get(worker->desk, PARAM_WORKER_SECONDS);
    wait_ms(seconds * 1000);
    return FD_OK;
}

static void take_signals(void)
{
    struct sigaction stop = {.sa_handler = ask_stop, .sa_flags = SA_RESTART};
    struct sigaction over = {.sa_handler = drain_over};
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGALRM, &over, NULL);
}

enum fd_code worker_run(const struct config *config, int64_t seconds, struct fd_error *err)
{
    struct worker worker = {.config = config, .seconds = seconds, .pause_ms = PAUSE_LEAST_MS};
    enum fd_code code = FD_OK;
    stop_asked = 0;
    take_signals();
    while (code == FD_OK && !stop_asked)
        code = one_round(&worker, err);
    worker_notify("STOPPING=1");
    desk_close(&worker.desk);
    free(worker.home);
    alarm(0);
    if (code == FD_OK)
        log_line(LOG_INFO, "worker: stopped");
    return code;
}
