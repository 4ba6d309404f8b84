/* Printers of CUPS: the program lp, started without a shell. Not libcups: its calls wait for a server as long as they
 * like, while a child can be ended when the time is up; and a desk without CUPS needs no library of it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "outside/printer_internal.h"

extern char **environ;

struct child {
    pid_t pid;
    int in, said; /* what it reads; what it says of trouble */
};

static void child_close(struct child *child)
{
    if (child->in >= 0)
        close(child->in);
    if (child->said >= 0)
        close(child->said);
    child->in = child->said = -1;
}

/* 0 or an errno. The console's blocked and ignored signals are not lp's. */
static int spawn_lp(const char *queue, int in, int said, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char name[256];
    cut_copy(name, sizeof name, queue);
    char *const words[] = {(char[]){"lp"},  (char[]){"-s"}, (char[]){"-d"},        name, (char[]){"-o"},
                           (char[]){"raw"}, (char[]){"-t"}, (char[]){"frontdesk"}, NULL};
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static int child_start(struct child *child, const char *queue)
{
    int in[2] = {-1, -1}, said[2] = {-1, -1};
    *child = (struct child){.in = -1, .said = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return errno;
    int error = pipe2(said, O_CLOEXEC) == 0 ? spawn_lp(queue, in[1], said[1], &child->pid) : errno;
    close(in[1]);
    if (said[1] >= 0)
        close(said[1]);
    child->in = in[0];
    child->said = said[0];
    fcntl(child->in, F_SETFL, O_NONBLOCK);
    if (child->said >= 0)
        fcntl(child->said, F_SETFL, O_NONBLOCK);
    if (error)
        child_close(child);
    return error;
}

/* Reads what it says until it ends; false: time is up. */
static bool hear(const struct sending *sending, const struct child *child, char *text, size_t size)
{
    size_t length = 0;
    char waste[256];
    for (;;) {
        bool room = length + 1 < size;
        ssize_t got = read(child->said, room ? text + length : waste, room ? size - length - 1 : sizeof waste);
        if (got > 0 && room)
            length += (size_t)got;
        text[length] = '\0';
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return true;
        if (got < 0 && !sending_wait(sending, child->said, POLLIN))
            return false;
    }
}

/* Its wait status once it has ended, -1 where it had to be ended. */
static int child_end(const struct sending *sending, pid_t pid, bool in_time)
{
    int status = -1;
    for (int pause_ms = 1; in_time; pause_ms = pause_ms < 20 ? pause_ms * 2 : 20) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended != 0)
            return ended == pid ? status : -1;
        in_time = sending_left_ms(sending) > 0;
        sleep_ms(pause_ms);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return -1;
}

enum fd_code printer_send_lp(struct sending *sending, const char *rest, struct fd_error *err)
{
    struct child child;
    char said[256] = "", clean[256];
    int error = child_start(&child, rest);
    if (error)
        return printer_fail(sending->target, PRINTER_NO_LP, strerrordesc_np(error), err);
    /* Where it does not read all, what it says tells why. */
    enum fd_code code = sending_write(sending, child.in, true, err);
    bool taken = code == FD_OK;
    close(child.in);
    child.in = -1;
    bool in_time = hear(sending, &child, said, sizeof said);
    int status = child_end(sending, child.pid, in_time);
    child_close(&child);
    said[strcspn(said, "\n")] = '\0';
    text_clean(clean, sizeof clean, said);
    if (status == -1)
        return printer_fail(sending->target, PRINTER_SLOW, "lp did not end in time", err);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return printer_fail(sending->target, PRINTER_NO_LP, clean, err);
    if (status != 0) {
        printer_fail(sending->target, PRINTER_QUEUE, clean, err);
        if (clean[0])
            fd_hint(err, _("lp says: %s"), clean);
        return FD_IO;
    }
    return taken ? FD_OK : code;
}
