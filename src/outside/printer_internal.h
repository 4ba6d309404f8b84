/* What the files of the printer share: ways to it, a deadline, and what is said where one fails. */
#ifndef FD_OUTSIDE_PRINTER_INTERNAL_H
#define FD_OUTSIDE_PRINTER_INTERNAL_H
#include "base/when.h"
#include "outside/document.h"

/* What is on its way to the printer. */
struct sending {
    const char *target; /* as it is configured: named in messages */
    const char *bytes;
    size_t count, sent;
    int64_t deadline_ms; /* mono_ms */
};
int64_t sending_left_ms(const struct sending *sending); /* 0: time is up */
/* Waits until `events` (POLLIN, POLLOUT) is there on the descriptor; false: time is up. */
bool sending_wait(const struct sending *sending, int fd, short events);
/* Writes the rest to a descriptor that does not block (MSG_NOSIGNAL where it is a socket). FD_IO. */
enum fd_code sending_write(struct sending *sending, int fd, bool is_socket, struct fd_error *err);

/* Why a printer does not print: a sentence and what to do. */
enum printer_trouble {
    PRINTER_ABSENT, /* no such device, nobody answers */
    PRINTER_DENIED,
    PRINTER_BUSY,   /* another program has it */
    PRINTER_PAPER,
    PRINTER_COVER,
    PRINTER_ERROR,  /* it says so itself */
    PRINTER_SLOW,   /* took nothing, or not all, in time */
    PRINTER_BROKE,  /* the link broke while it printed */
    PRINTER_NO_LP,
    PRINTER_QUEUE   /* CUPS refused */
};
enum fd_code printer_fail(const char *target, enum printer_trouble trouble, const char *detail, struct fd_error *err);
/* The same by errno. */
enum fd_code printer_fail_errno(const char *target, int error, struct fd_error *err);

/* `rest` is the target without its scheme. */
enum fd_code printer_send_net(struct sending *sending, const char *rest, struct fd_error *err);
enum fd_code printer_send_lp(struct sending *sending, const char *rest, struct fd_error *err);
/* "host:9100", "[::1]:9100" into its parts; false where it is none. */
bool printer_net_parse(const char *rest, char host[256], char port[6]);
#endif
