#include "proxy.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COM_QUERY 0x03
#define COM_STMT_PREPARE 0x16
#define COM_STMT_EXECUTE 0x17

/* The client's packets: length and number, then the payload whose first bytes say what it is. */
struct reader {
    unsigned char head[4], start[16];
    size_t head_bytes, start_bytes;
    size_t left; /* of the payload */
};

struct pair {
    struct proxy_control *control;
    int client, server;
    struct reader reader;
    unsigned random;
    int cut_all; /* its value when the connection came */
};

static bool write_all(int fd, const unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t put = send(fd, bytes, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

/* Takes one token of a countdown, or one at random. */
static bool is_due(atomic_int *countdown, int percent, unsigned *random)
{
    int left = atomic_load(countdown);
    while (left > 0)
        if (atomic_compare_exchange_weak(countdown, &left, left - 1))
            return true;
    return percent > 0 && (int)(rand_r(random) % 100) < percent;
}

/* The text begins behind the command; libmysqlclient 8 and later puts two bytes of query attributes
 * between (none, in one set). */
static bool is_commit(const struct reader *reader)
{
    const unsigned char *text = reader->start + 1;
    size_t bytes = reader->start_bytes - 1;
    if (bytes >= 2 && text[0] == 0 && text[1] == 1) {
        text += 2;
        bytes -= 2;
    }
    return bytes == 6 && memcmp(text, "COMMIT", 6) == 0;
}

/* Counts what a whole packet was; true where it is COMMIT. */
static bool classify(struct pair *pair)
{
    struct reader *reader = &pair->reader;
    if (reader->head[3] != 0 || reader->start_bytes == 0)
        return false; /* log-in, or a further part of a large packet */
    struct proxy_control *control = pair->control;
    if (reader->start[0] == COM_STMT_PREPARE)
        atomic_fetch_add(&control->prepares, 1);
    if (reader->start[0] == COM_STMT_EXECUTE)
        atomic_fetch_add(&control->executes, 1);
    if (reader->start[0] != COM_QUERY)
        return false;
    atomic_fetch_add(&control->queries, 1);
    if (!is_commit(reader))
        return false;
    atomic_fetch_add(&control->commits, 1);
    return true;
}

/* Reads bytes of the client; true where a COMMIT ends with the last of them (clients wait for its
 * answer, so nothing follows it in the same read). */
static bool feed(struct pair *pair, const unsigned char *bytes, size_t count)
{
    struct reader *reader = &pair->reader;
    bool commit = false;
    for (size_t i = 0; i < count; i++) {
        if (reader->head_bytes < 4) {
            reader->head[reader->head_bytes++] = bytes[i];
            reader->left = reader->head[0] | (size_t)reader->head[1] << 8 | (size_t)reader->head[2] << 16;
            reader->start_bytes = 0;
        } else {
            if (reader->start_bytes < sizeof reader->start)
                reader->start[reader->start_bytes++] = bytes[i];
            reader->left--;
        }
        if (reader->head_bytes == 4 && reader->left == 0) {
            commit = classify(pair);
            reader->head_bytes = 0;
        }
    }
    return commit;
}

/* Lets the server finish the COMMIT: its whole answer is read and kept. */
static void swallow_answer(int server)
{
    unsigned char answer[512];
    size_t got = 0;
    while (got < sizeof answer) {
        ssize_t more = read(server, answer + got, sizeof answer - got);
        if (more <= 0)
            return;
        got += (size_t)more;
        if (got >= 4 && got >= 4 + (answer[0] | (size_t)answer[1] << 8))
            return;
    }
}

static bool from_client(struct pair *pair)
{
    unsigned char bytes[65536];
    struct proxy_control *control = pair->control;
    ssize_t got = read(pair->client, bytes, sizeof bytes);
    if (got <= 0)
        return false;
    int delay_ms = atomic_load(&control->delay_ms);
    if (delay_ms > 0)
        usleep((useconds_t)delay_ms * 1000);
    bool commit = feed(pair, bytes, (size_t)got);
    if (commit && is_due(&control->cut_before, atomic_load(&control->percent_before), &pair->random)) {
        atomic_fetch_add(&control->was_cut_before, 1);
        return false;
    }
    if (!write_all(pair->server, bytes, (size_t)got))
        return false;
    if (commit && is_due(&control->cut_after, atomic_load(&control->percent_after), &pair->random)) {
        swallow_answer(pair->server);
        atomic_fetch_add(&control->was_cut_after, 1);
        return false;
    }
    return true;
}

static bool from_server(struct pair *pair)
{
    unsigned char bytes[65536];
    ssize_t got = read(pair->server, bytes, sizeof bytes);
    return got > 0 && write_all(pair->client, bytes, (size_t)got);
}

static void serve(struct pair *pair)
{
    bool open = true;
    while (open && atomic_load(&pair->control->cut_all) == pair->cut_all) {
        if (atomic_load(&pair->control->freeze)) {
            usleep(2000);
            continue;
        }
        struct pollfd ends[2] = {{.fd = pair->client, .events = POLLIN}, {.fd = pair->server, .events = POLLIN}};
        if (poll(ends, 2, 20) <= 0 || atomic_load(&pair->control->freeze))
            continue;
        if (ends[1].revents)
            open = from_server(pair);
        if (open && ends[0].revents)
            open = from_client(pair);
    }
    /* A lingering server end would keep the transaction's locks. */
    close(pair->client);
    close(pair->server);
}

static int unix_socket(const char *path, struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof address->sun_path, "%s", path);
    return fd;
}

_Noreturn static void accept_all(struct proxy_control *control, int listener, const char *server)
{
    struct sockaddr_un address;
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0)
            continue;
        if (atomic_load(&control->refuse)) {
            close(client);
            continue;
        }
        int number = atomic_fetch_add(&control->connections, 1);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(listener);
            struct pair pair = {.control = control,
                                .client = client,
                                .server = unix_socket(server, &address),
                                .random = (unsigned)atomic_load(&control->seed) * 7919U + (unsigned)number,
                                .cut_all = atomic_load(&control->cut_all)};
            if (connect(pair.server, (struct sockaddr *)&address, sizeof address) == 0)
                serve(&pair);
            _exit(0);
        }
        close(client);
    }
}

void proxy_start(struct proxy *proxy, const char *socket, const char *server)
{
    struct sockaddr_un address;
    int listener = unix_socket(socket, &address);
    proxy->socket = strdup(socket);
    proxy->control = mmap(NULL, sizeof *proxy->control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unlink(socket);
    if (proxy->control == MAP_FAILED || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 600) != 0) {
        perror("proxy");
        exit(99);
    }
    fflush(NULL);
    proxy->pid = fork();
    if (proxy->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* The test's pipes must see its end, not the proxy's. */
        for (int fd = 3; fd < 1024; fd++)
            if (fd != listener)
                close(fd);
        setpgid(0, 0);
        accept_all(proxy->control, listener, server);
    }
    setpgid(proxy->pid, proxy->pid);
    close(listener);
}

void proxy_stop(struct proxy *proxy)
{
    if (proxy->pid > 0)
        kill(-proxy->pid, SIGKILL);
    proxy->pid = 0;
    if (proxy->socket)
        unlink(proxy->socket);
    free(proxy->socket);
    proxy->socket = NULL;
    munmap(proxy->control, sizeof *proxy->control);
    proxy->control = NULL;
}

void proxy_reset(struct proxy *proxy)
{
    memset(proxy->control, 0, sizeof *proxy->control);
}
