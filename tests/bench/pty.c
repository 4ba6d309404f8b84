#include "bench/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/bench.h"

#define WAIT_MS 20000

void pty_start(struct pty *pty, char *const *argv, char *const *env, int rows, int columns, bool control)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    int ends[2] = {-1, -1};
    memset(pty, 0, sizeof *pty);
    if (control && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        bench_die("socketpair", NULL);
    fflush(NULL);
    pty->pid = forkpty(&pty->master, NULL, NULL, &size);
    if (pty->pid < 0)
        bench_die("forkpty", NULL);
    if (pty->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (control) /* dup2 onto itself would keep the close-on-exec flag */
            ends[1] == PTY_CONTROL ? fcntl(PTY_CONTROL, F_SETFD, 0) : dup2(ends[1], PTY_CONTROL);
        setenv("TERM", "xterm-256color", 1);
        for (; env && *env; env++)
            putenv(*env);
        execv(argv[0], argv);
        _exit(127);
    }
    if (control)
        close(ends[1]);
    pty->control = ends[0];
    fcntl(pty->master, F_SETFD, FD_CLOEXEC);
}

void pty_mark(struct pty *pty)
{
    pty->bytes = pty->tail_bytes = 0;
    pty->first_ms = pty->last_ms = 0;
}

void pty_send(struct pty *pty, const char *keys)
{
    size_t count = strlen(keys);
    if (write(pty->master, keys, count) != (ssize_t)count)
        bench_die("write to the terminal", NULL);
}

/* A console asks where the cursor stands (to learn how wide it draws); a terminal answers at once. */
static void answer_report(struct pty *pty, const char *bytes, size_t count)
{
    if (memmem(bytes, count, "\033[6n", 4))
        pty_send(pty, "\033[1;2R");
}

static void keep_tail(struct pty *pty, const char *bytes, size_t count)
{
    size_t room = sizeof pty->tail;
    if (pty->tail_bytes + count > room) {
        size_t drop = pty->tail_bytes + count - room;
        drop = drop > pty->tail_bytes ? pty->tail_bytes : drop;
        memmove(pty->tail, pty->tail + drop, pty->tail_bytes - drop);
        pty->tail_bytes -= drop;
    }
    memcpy(pty->tail + pty->tail_bytes, bytes, count);
    pty->tail_bytes += count;
}

bool pty_read(struct pty *pty, int timeout_ms)
{
    char bytes[8192];
    struct pollfd ready = {.fd = pty->master, .events = POLLIN};
    if (poll(&ready, 1, timeout_ms) <= 0)
        return false;
    ssize_t count = read(pty->master, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    pty->last_ms = now_ms();
    if (pty->bytes == 0)
        pty->first_ms = pty->last_ms;
    pty->bytes += (size_t)count;
    keep_tail(pty, bytes, (size_t)count);
    answer_report(pty, bytes, (size_t)count);
    return true;
}

void pty_quiet(struct pty *pty, int quiet_ms)
{
    while (pty_read(pty, quiet_ms))
        ;
}

double pty_wait(struct pty *pty, const char *const *texts, size_t count)
{
    double until = now_ms() + WAIT_MS;
    for (size_t at = 0; at < count;) {
        if (memmem(pty->tail, pty->tail_bytes, texts[at], strlen(texts[at]))) {
            at++;
            continue;
        }
        if (!pty_read(pty, 100) && now_ms() > until) {
            fprintf(stderr, "bench: “%s” does not appear; the terminal got:\n%.*s\n", texts[at], (int)pty->tail_bytes,
                    pty->tail);
            exit(99);
        }
    }
    return pty->last_ms;
}

void pty_figures(struct pty *pty, double *figures, int count)
{
    size_t wanted = (size_t)count * sizeof *figures, have = 0;
    if (write(pty->control, &count, sizeof count) != sizeof count)
        bench_die("write to the child", NULL);
    while (have < wanted) {
        struct pollfd ready[2] = {{.fd = pty->master, .events = POLLIN}, {.fd = pty->control, .events = POLLIN}};
        if (poll(ready, 2, WAIT_MS) <= 0)
            bench_die("the child does not answer", NULL);
        if (ready[0].revents && !pty_read(pty, 0) && !(ready[1].revents & POLLIN))
            bench_die("the child has gone", NULL);
        if (ready[1].revents & POLLIN) {
            ssize_t got = read(pty->control, (char *)figures + have, wanted - have);
            if (got <= 0)
                bench_die("the child has gone", NULL);
            have += (size_t)got;
        }
    }
}

void pty_stop(struct pty *pty)
{
    if (pty->pid <= 0)
        return;
    if (pty->control >= 0)
        close(pty->control);
    kill(pty->pid, SIGTERM);
    double until = now_ms() + 3000;
    while (waitpid(pty->pid, NULL, WNOHANG) == 0) {
        pty_read(pty, 10);
        if (now_ms() > until)
            kill(pty->pid, SIGKILL);
    }
    close(pty->master);
    pty->pid = 0;
}

double pty_rss_mib(const struct pty *pty)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pty->pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return (double)kib / 1024;
}
