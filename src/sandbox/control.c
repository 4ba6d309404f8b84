/* One line of JSON each way, in a folder that only this user can enter. */
#include "sandbox/control.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/command.h"
#include "sandbox/serve_internal.h"

#define SOCKET    "control"
#define LINE_MOST (16u * 1024 * 1024)
#define LIMIT_S   60

static struct sockaddr_un address(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, SOCKET, sizeof SOCKET);
    return address;
}

static bool write_line(int fd, const struct tree *tree)
{
    char *dumped = tree_dump(tree), *line = xprintf("%s\n", dumped);
    size_t bytes = strlen(line), done = 0;
    ssize_t wrote = 0;
    while (done < bytes && (wrote = send(fd, line + done, bytes - done, MSG_NOSIGNAL)) > 0)
        done += (size_t)wrote;
    free(dumped);
    free(line);
    return done == bytes;
}

static struct tree *read_line(int fd)
{
    struct buf line = {0};
    char bytes[4096];
    ssize_t got;
    while (line.bytes < LINE_MOST && (got = recv(fd, bytes, sizeof bytes, 0)) > 0) {
        buf_add_bytes(&line, bytes, (size_t)got);
        if (bytes[got - 1] == '\n')
            break;
    }
    struct tree *tree = tree_parse(buf_text(&line));
    buf_release(&line);
    return tree;
}

static void set_limits(int fd)
{
    const struct timeval limit = {.tv_sec = LIMIT_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

struct tree *control_ask(const char *const *words, struct fd_error *err)
{
    struct sockaddr_un to = address();
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        if (fd >= 0)
            close(fd);
        fd_fail(err, FD_NOT_FOUND, "%s", _("No sandbox serves in this folder."));
        fd_hint(err, "%s", _("Start one: frontdesk-sandbox --folder DIR start"));
        return NULL;
    }
    set_limits(fd);
    struct tree *ask = tree_object(), *list = tree_list();
    for (; *words; words++) {
        struct tree *one = tree_object();
        tree_put_text(one, "word", *words);
        tree_add(list, one);
    }
    tree_put(ask, "words", list);
    tree_put_text(ask, "language", i18n_language());
    struct tree *reply = write_line(fd, ask) ? read_line(fd) : NULL;
    tree_free(&ask);
    close(fd);
    if (!reply)
        fd_fail(err, FD_IO, "%s", _("The sandbox did not answer."));
    return reply;
}

/* ---- the server's side ---- */

enum fd_code control_open(struct control *control, struct fd_error *err)
{
    struct sockaddr_un at = address();
    /* The lock says that nobody listens there any more. */
    unlink(SOCKET);
    control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (control->fd < 0 || bind(control->fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(control->fd, 16) != 0)
        return fd_fail(err, FD_IO, _("The socket of the sandbox cannot be made: %s"), strerror(errno));
    return FD_OK;
}

static struct tree *reply_to(struct box *box, const struct tree *ask)
{
    struct command_result result = {0};
    const char *language = tree_get_text(ask, "language");
    i18n_switch(language ? language : "en");
    command_run(box, tree_get(ask, "words"), &result);
    struct tree *reply = tree_object();
    tree_put_int(reply, "status", result.status);
    tree_put_text(reply, "text", buf_text(&result.text));
    tree_put(reply, "answer", result.answer ? result.answer : tree_object());
    buf_release(&result.text);
    return reply;
}

static void serve_one(struct box *box, int fd)
{
    set_limits(fd);
    struct tree *ask = read_line(fd);
    if (ask) {
        struct tree *reply = reply_to(box, ask);
        write_line(fd, reply);
        tree_free(&reply);
    }
    tree_free(&ask);
}

void *control_run(void *arg)
{
    struct control *control = arg;
    bool stopping = false;
    while (!stopping) {
        struct pollfd poller = {.fd = control->fd, .events = POLLIN};
        int fd = poll(&poller, 1, 100) > 0 ? accept4(control->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd >= 0) {
            serve_one(control->box, fd);
            close(fd);
        }
        pthread_mutex_lock(&control->box->lock);
        stopping = control->box->stopping;
        pthread_mutex_unlock(&control->box->lock);
    }
    return NULL;
}

void control_close(struct control *control)
{
    if (control->fd < 0)
        return;
    close(control->fd);
    unlink(SOCKET);
}
