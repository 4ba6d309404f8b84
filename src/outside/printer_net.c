/* Printers on the network: raw bytes over TCP, port 9100. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "outside/printer_internal.h"

/* How long a printer may take to say whether it has paper; most of those without such an answer never give one. */
enum { STATUS_MS = 300 };

bool printer_net_parse(const char *rest, char host[256], char port[6])
{
    const char *colon = strrchr(rest, ':');
    size_t length = colon ? (size_t)(colon - rest) : 0;
    bool brackets = length > 2 && rest[0] == '[' && rest[length - 1] == ']';
    if (brackets) {
        rest++;
        length -= 2;
    }
    if (length == 0 || length >= 256 || strlen(colon + 1) > 5 || !text_is_digits(colon + 1))
        return false;
    memcpy(host, rest, length);
    host[length] = '\0';
    cut_copy(port, 6, colon + 1);
    long number = strtol(port, NULL, 10);
    return number >= 1 && number <= 65535 && (brackets || !strchr(host, ':')) && !strpbrk(host, " \t/[]");
}

/* A name server that does not answer must not hold up the desk: the look-up is given up at the deadline. */
struct lookup {
    char host[256], port[6];
    struct addrinfo hints;
    struct gaicb request;
};

static struct addrinfo *resolve(const struct sending *sending, const char *rest, int *error)
{
    struct lookup *lookup = xcalloc(1, sizeof *lookup);
    struct gaicb *list[] = {&lookup->request};
    *error = EAI_NONAME;
    if (!printer_net_parse(rest, lookup->host, lookup->port)) {
        free(lookup);
        return NULL;
    }
    lookup->hints = (struct addrinfo){.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    lookup->request = (struct gaicb){.ar_name = lookup->host, .ar_service = lookup->port, .ar_request = &lookup->hints};
    if (getaddrinfo_a(GAI_NOWAIT, list, 1, NULL) != 0) {
        free(lookup);
        return NULL;
    }
    int64_t left;
    while ((*error = gai_error(&lookup->request)) == EAI_INPROGRESS && (left = sending_left_ms(sending)) > 0)
        gai_suspend((const struct gaicb *const *)list, 1,
                    &(struct timespec){.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000});
    if (*error == EAI_INPROGRESS && gai_cancel(&lookup->request) == EAI_NOTCANCELED)
        return NULL; /* its thread still writes into it: it stays */
    struct addrinfo *found = *error == 0 ? lookup->request.ar_result : NULL;
    free(lookup);
    return found;
}

static bool is_connected(const struct sending *sending, int fd, const struct addrinfo *address, int *error)
{
    socklen_t bytes = sizeof *error;
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS) {
        *error = errno;
        return false;
    }
    if (!sending_wait(sending, fd, POLLOUT)) {
        *error = EHOSTUNREACH;
        return false;
    }
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, error, &bytes) == 0 && *error == 0;
}

/* -1 where no address answers; the last reason in *error. */
static int connect_any(const struct sending *sending, const struct addrinfo *addresses, int *error)
{
    for (const struct addrinfo *at = addresses; at && sending_left_ms(sending) > 0; at = at->ai_next) {
        int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            *error = errno;
            continue;
        }
        if (is_connected(sending, fd, at, error))
            return fd;
        close(fd);
    }
    return -1;
}

/* DLE EOT: cause of being offline, and paper. A byte of status has two bits that are always set and two that never
 * are. */
static enum fd_code ask_status(const struct sending *sending, int fd, struct fd_error *err)
{
    static const struct {
        char ask;
        int bits;
        enum printer_trouble trouble;
    } signs[] = {{4, 0x60, PRINTER_PAPER}, {2, 0x04, PRINTER_COVER}, {2, 0x40, PRINTER_ERROR}};
    struct sending soon = *sending;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char ask[] = {0x10, 0x04, signs[i].ask};
        unsigned char status = 0;
        int64_t limit = mono_ms() + STATUS_MS;
        if (limit < soon.deadline_ms)
            soon.deadline_ms = limit;
        if (send(fd, ask, sizeof ask, MSG_NOSIGNAL) != (ssize_t)sizeof ask || !sending_wait(&soon, fd, POLLIN) ||
            recv(fd, &status, 1, 0) != 1 || (status & 0x93) != 0x12)
            return FD_OK; /* it has no such answer */
        if (status & signs[i].bits)
            return printer_fail(sending->target, signs[i].trouble, "DLE EOT", err);
    }
    return FD_OK;
}

/* Sent is what the printer's side has acknowledged, not what this machine keeps for it. */
static enum fd_code drain(const struct sending *sending, int fd, struct fd_error *err)
{
    int waiting = 0, error = 0;
    socklen_t bytes = sizeof error;
    shutdown(fd, SHUT_WR);
    for (int pause_ms = 1; ioctl(fd, SIOCOUTQ, &waiting) == 0 && waiting > 0;
         pause_ms = pause_ms < 50 ? pause_ms * 2 : 50) {
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error != 0)
            return printer_fail_errno(sending->target, error, err);
        if (sending_left_ms(sending) == 0)
            return printer_fail(sending->target, PRINTER_SLOW, "not all was acknowledged in time", err);
        sleep_ms(pause_ms);
    }
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error != 0)
        return printer_fail_errno(sending->target, error, err);
    return FD_OK;
}

enum fd_code printer_send_net(struct sending *sending, const char *rest, struct fd_error *err)
{
    int error = EHOSTUNREACH, unknown;
    struct addrinfo *addresses = resolve(sending, rest, &unknown);
    if (!addresses)
        return printer_fail(sending->target, PRINTER_ABSENT, gai_strerror(unknown), err);
    int fd = connect_any(sending, addresses, &error);
    freeaddrinfo(addresses);
    if (fd < 0)
        return printer_fail(sending->target, PRINTER_ABSENT, strerrordesc_np(error), err);
    enum fd_code code = ask_status(sending, fd, err);
    if (code == FD_OK)
        code = sending_write(sending, fd, true, err);
    if (code == FD_OK)
        code = drain(sending, fd, err);
    /* What it did not take is not to come out of it later: it is sent again from the queue. */
    if (code != FD_OK)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(fd);
    return code;
}
