#include "sandbox/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/when.h"
#include "outside/http.h"
#include "sandbox/control.h"
#include "sandbox/deal.h"
#include "sandbox/notify.h"
#include "sandbox/serve_internal.h"

#define LOCK_FILE "lock"
#define PORT_FILE "port"
#define LOG_FILE  "log"

struct server {
    struct box box;
    struct control control;
    struct MHD_Daemon *http;
    int lock_fd, listen_fd, port;
};

/* ---- the folder ---- */

static enum fd_code folder_fails(const char *folder, struct fd_error *err)
{
    return fd_fail(err, FD_IO, _("The folder %s cannot be used: %s"), folder, strerror(errno));
}

/* Makes it with its parents, enters it: all other names are in it, so that the socket's is short. */
static enum fd_code folder_enter(const char *folder, struct fd_error *err)
{
    struct stat info;
    char *path = xstrdup(folder);
    for (char *slash = path + 1; *path && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    free(path);
    if ((mkdir(folder, 0700) != 0 && errno != EEXIST) || chdir(folder) != 0 || stat(".", &info) != 0)
        return folder_fails(folder, err);
    if (info.st_uid != geteuid() || info.st_mode & (S_IRWXG | S_IRWXO)) {
        fd_fail(err, FD_CONFIG, _("%s: other users can use this folder."), folder);
        fd_hint(err, _("Run: chmod 700 %s"), folder);
        return FD_CONFIG;
    }
    return FD_OK;
}

/* -1 where another process holds it. The kernel lets go of it whatever ends the process. */
static int lock_take(void)
{
    int fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- the port ---- */

static int listen_at(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    /* After a kill the old connections still linger; the port must be the same, because others know it. */
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 128) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int last_port(void)
{
    int port = 0;
    FILE *file = fopen(PORT_FILE, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%d", &port) != 1 || port < 1 || port > 65535)
        port = 0;
    fclose(file);
    return port;
}

static enum fd_code port_open(struct server *server, int wanted, struct fd_error *err)
{
    struct sockaddr_in address;
    socklen_t bytes = sizeof address;
    int last = wanted ? wanted : last_port();
    server->listen_fd = listen_at(last);
    if (server->listen_fd < 0 && last && !wanted)
        server->listen_fd = listen_at(0);
    if (server->listen_fd < 0 || getsockname(server->listen_fd, (struct sockaddr *)&address, &bytes) != 0)
        return fd_fail(err, FD_IO, _("The port %d cannot be used: %s"), last, strerror(errno));
    server->port = ntohs(address.sin_port);
    return FD_OK;
}

/* Written last: who sees the port can call. */
static enum fd_code port_tell(const struct server *server, struct fd_error *err)
{
    FILE *file = fopen(PORT_FILE ".new", "we");
    bool good = file && fprintf(file, "%d\n", server->port) > 0;
    good = file && fclose(file) == 0 && good && rename(PORT_FILE ".new", PORT_FILE) == 0;
    return good ? FD_OK : folder_fails(".", err);
}

/* ---- threads ---- */

static void *clock_run(void *arg)
{
    struct box *box = arg;
    pthread_mutex_lock(&box->lock);
    while (!box->stopping) {
        deal_tick(box);
        box_wait(box, 200);
    }
    pthread_mutex_unlock(&box->lock);
    return NULL;
}

enum { THREADS = 3 };

static bool threads_start(struct server *server, pthread_t threads[THREADS])
{
    return pthread_create(&threads[0], NULL, clock_run, &server->box) == 0 &&
           pthread_create(&threads[1], NULL, notify_run, &server->box) == 0 &&
           pthread_create(&threads[2], NULL, control_run, &server->control) == 0;
}

/* ---- start and end ---- */

static void apply_options(struct box *box, const struct serve_options *options)
{
    struct settings old = box->settings;
    if (options->one_minute != SERVE_UNSET)
        box->settings.one_minute = options->one_minute;
    if (options->auto_refund_s != SERVE_UNSET)
        box->settings.auto_refund_s = options->auto_refund_s;
    if (options->serial != SERVE_UNSET)
        box->settings.serial = options->serial;
    if (memcmp(&old, &box->settings, sizeof old) != 0)
        box_keep_settings(box);
    box_commit(box);
}

static enum fd_code server_open(struct server *server, const struct serve_options *options, struct fd_error *err)
{
    enum fd_code code = http_ready(err);
    if (code == FD_OK)
        code = folder_enter(options->folder, err);
    if (code != FD_OK)
        return code;
    server->lock_fd = lock_take();
    if (server->lock_fd < 0)
        return fd_fail(err, FD_EXISTS, _("A sandbox serves in %s already."), options->folder);
    server->box.settings = (struct settings){.one_minute = 1, .auto_refund_s = 2};
    code = box_open(&server->box, err);
    if (code == FD_OK)
        code = keys_open(&server->box.keys, err);
    if (code == FD_OK)
        code = port_open(server, options->port, err);
    if (code == FD_OK)
        apply_options(&server->box, options);
    const struct channels_file file = {.port = server->port,
                                       .notify = options->notify,
                                       .certificate = server->box.settings.serial == SERIAL_CERTIFICATE};
    if (code == FD_OK)
        code = keys_write_channels(&server->box.keys, &file, err);
    if (code == FD_OK)
        code = control_open(&server->control, err);
    if (code == FD_OK && !(server->http = http_serve(&server->box, server->listen_fd)))
        code = fd_fail(err, FD_IO, _("The port %d cannot be used: %s"), server->port, strerror(errno));
    return code == FD_OK ? port_tell(server, err) : code;
}

static void server_close(struct server *server)
{
    if (server->http)
        http_end(server->http);
    else if (server->listen_fd >= 0)
        close(server->listen_fd);
    control_close(&server->control);
    box_release(&server->box);
    if (server->lock_fd >= 0)
        close(server->lock_fd);
}

static void tell_ready(int fd)
{
    ssize_t ignored = fd >= 0 ? write(fd, "ok\n", 3) : 0;
    (void)ignored;
    if (fd >= 0)
        close(fd);
}

static enum fd_code serve(struct server *server, const struct serve_options *options, struct fd_error *err)
{
    sigset_t ends;
    int number;
    pthread_t threads[THREADS];
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    /* Before there are threads, so that none of them is ended instead. */
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    umask(077);
    enum fd_code code = server_open(server, options, err);
    if (code != FD_OK)
        return code;
    if (!threads_start(server, threads))
        mem_exhausted();
    tell_ready(options->ready_fd);
    if (options->ready_fd < 0) {
        printf("http://127.0.0.1:%d\n", server->port);
        fflush(stdout);
    }
    sigwait(&ends, &number);
    box_stop(&server->box);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return FD_OK;
}

enum fd_code serve_run(const struct serve_options *options, struct fd_error *err)
{
    struct server server = {.lock_fd = -1, .listen_fd = -1, .control = {.fd = -1}};
    server.box.ledger_fd = -1;
    server.control.box = &server.box;
    enum fd_code code = serve(&server, options, err);
    server_close(&server);
    return code;
}

/* ---- in a process of its own ---- */

#define START_MS 10000

/* Another has the folder, and may be about to make its keys. */
static bool other_answers(void)
{
    static const char *const words[] = {"clock", NULL};
    for (int64_t until = mono_ms() + START_MS; mono_ms() < until; sleep_ms(20)) {
        struct fd_error ignored;
        struct tree *reply = control_ask(words, &ignored);
        bool answered = reply != NULL;
        tree_free(&reply);
        if (answered)
            return true;
    }
    return false;
}

/* Nobody's child, no terminal, no pipe that somebody waits for. */
static _Noreturn void become_server(struct serve_options *options, int ready_fd)
{
    struct fd_error err = {0};
    int null = open("/dev/null", O_RDWR);
    ready_fd = fcntl(ready_fd, F_DUPFD, 16);
    options->ready_fd = dup2(ready_fd, 3);
    closefrom(4);
    struct fd_error ignored;
    int log =
        folder_enter(options->folder, &ignored) == FD_OK ? open(LOG_FILE, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    dup2(null, 0);
    dup2(log >= 0 ? log : null, 1);
    dup2(log >= 0 ? log : null, 2);
    fcntl(3, F_SETFD, FD_CLOEXEC);
    enum fd_code code = serve_run(options, &err);
    if (code == FD_EXISTS && other_answers())
        tell_ready(3);
    else if (code != FD_OK)
        dprintf(3, "%s", err.message);
    exit(fd_code_exit(code));
}

static enum fd_code read_ready(int fd, struct fd_error *err)
{
    char text[512];
    size_t used = 0;
    ssize_t got;
    while (used < sizeof text - 1 &&
           ((got = read(fd, text + used, sizeof text - 1 - used)) > 0 || (got < 0 && errno == EINTR)))
        used += got > 0 ? (size_t)got : 0;
    text[used] = '\0';
    if (strcmp(text, "ok\n") == 0)
        return FD_OK;
    return used ? fd_fail(err, FD_IO, "%s", text)
                : fd_fail(err, FD_IO, "%s", _("The sandbox did not start; its folder has a log."));
}

enum fd_code serve_start(struct serve_options *options, struct fd_error *err)
{
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0)
        return fd_fail(err, FD_IO, "%s", _("No further process can be started."));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        become_server(options, ready[1]);
    }
    close(ready[1]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    enum fd_code code =
        child > 0 ? read_ready(ready[0], err) : fd_fail(err, FD_IO, "%s", _("No further process can be started."));
    close(ready[0]);
    return code;
}

#define STOP_MS 10000

enum fd_code serve_stop(const char *folder, bool *was, struct fd_error *err)
{
    struct stat info;
    *was = false;
    if (stat(folder, &info) != 0)
        return FD_OK;
    enum fd_code code = folder_enter(folder, err);
    if (code != FD_OK)
        return code;
    int64_t until = mono_ms() + STOP_MS;
    int lock = lock_take();
    *was = lock < 0;
    if (*was) {
        static const char *const words[] = {"stop", NULL};
        struct tree *reply = control_ask(words, err);
        tree_free(&reply);
    }
    while (lock < 0 && mono_ms() < until) {
        sleep_ms(20);
        lock = lock_take();
    }
    if (lock >= 0)
        close(lock);
    return lock >= 0 ? FD_OK : fd_fail(err, FD_IO, _("The sandbox in %s does not end."), folder);
}
