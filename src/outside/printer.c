/* The printer: what the configuration says of it, device files, and what is said where it does not print. */
#include <errno.h>
#include <fcntl.h>
#include <linux/lp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/mem.h"
#include "outside/printer_internal.h"

static const struct {
    const char *sentence, *hint;
} troubles[] = {
    [PRINTER_ABSENT] = {N_("The printer %s is not there."),
                        N_("Switch it on and check its cable; what waits is printed then.")},
    [PRINTER_DENIED] = {N_("The printer %s may not be used by this account."),
                        N_("Add the account to the group of the device (lp).")},
    [PRINTER_BUSY] = {N_("The printer %s is in use by another program."), N_("Wait until the other program is done.")},
    [PRINTER_PAPER] = {N_("The printer %s is out of paper."), N_("Put in a new roll; what waits is printed then.")},
    [PRINTER_COVER] = {N_("The cover of the printer %s is open."), N_("Close it; what waits is printed then.")},
    [PRINTER_ERROR] = {N_("The printer %s reports an error."), N_("Look at its lamps; switch it off and on.")},
    [PRINTER_SLOW] = {N_("The printer %s does not take the data."),
                      N_("Check paper, cover and lamps; what waits is printed then.")},
    [PRINTER_BROKE] = {N_("The link to the printer %s broke while it printed."),
                       N_("Check its cable; it is printed again, marked as a copy.")},
    [PRINTER_NO_LP] = {N_("The program lp for the printer %s is not on this machine."),
                       N_("Install the package cups-client, or name the printer by file: or tcp:.")},
    [PRINTER_QUEUE] = {N_("CUPS does not take the job for the printer %s."),
                       N_("See what lpstat -p says of the queue.")},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* sentences of the table; each has one %s */
enum fd_code printer_fail(const char *target, enum printer_trouble trouble, const char *detail, struct fd_error *err)
{
    fd_fail(err, FD_IO, _(troubles[trouble].sentence), target);
    fd_hint(err, "%s", _(troubles[trouble].hint));
    if (detail)
        fd_detail(err, "%s", detail);
    return FD_IO;
}
#pragma GCC diagnostic pop

enum fd_code printer_fail_errno(const char *target, int error, struct fd_error *err)
{
    static const struct {
        int error;
        enum printer_trouble trouble;
    } known[] = {
        {EACCES, PRINTER_DENIED}, {EPERM, PRINTER_DENIED},     {EBUSY, PRINTER_BUSY}, {ENOSPC, PRINTER_PAPER},
        {EPIPE, PRINTER_BROKE},   {ECONNRESET, PRINTER_BROKE}, {EIO, PRINTER_BROKE},  {ETIMEDOUT, PRINTER_SLOW},
    };
    enum printer_trouble trouble = PRINTER_ABSENT;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error)
            trouble = known[i].trouble;
    return printer_fail(target, trouble, strerrordesc_np(error), err);
}

int64_t sending_left_ms(const struct sending *sending)
{
    int64_t left = sending->deadline_ms - mono_ms();
    return left > 0 ? left : 0;
}

bool sending_wait(const struct sending *sending, int fd, short events)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    int ready;
    do
        ready = poll(&poll_fd, 1, (int)sending_left_ms(sending));
    while (ready < 0 && errno == EINTR && sending_left_ms(sending) > 0);
    return ready > 0;
}

enum fd_code sending_write(struct sending *sending, int fd, bool is_socket, struct fd_error *err)
{
    while (sending->sent < sending->count) {
        const char *rest = sending->bytes + sending->sent;
        size_t count = sending->count - sending->sent;
        ssize_t written = is_socket ? send(fd, rest, count, MSG_NOSIGNAL) : write(fd, rest, count);
        if (written > 0)
            sending->sent += (size_t)written;
        else if (written < 0 && errno != EAGAIN && errno != EINTR)
            return printer_fail_errno(sending->target, errno, err);
        else if (!sending_wait(sending, fd, POLLOUT))
            return printer_fail(sending->target, PRINTER_SLOW, "not all was taken in time", err);
    }
    return FD_OK;
}

/* What a printer on USB or a parallel port says of itself; a descriptor that is none of these says nothing. */
static enum fd_code check_status(const struct sending *sending, int fd, struct fd_error *err)
{
    int status = LP_PSELECD | LP_PERRORP;
    if (ioctl(fd, LPGETSTATUS, &status) != 0)
        return FD_OK;
    if (status & LP_POUTPA)
        return printer_fail(sending->target, PRINTER_PAPER, "status", err);
    return status & LP_PERRORP ? FD_OK : printer_fail(sending->target, PRINTER_ERROR, "status", err);
}

/* A line to a terminal is not changed on its way: no carriage returns, no echo. */
static bool make_raw(int fd)
{
    struct termios settings;
    if (tcgetattr(fd, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    tcsetattr(fd, TCSANOW, &settings);
    return true;
}

static enum fd_code send_file(struct sending *sending, const char *path, struct fd_error *err)
{
    /* O_NONBLOCK: neither the opening nor the writing waits on its own. Nothing is made where nothing is. */
    int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return printer_fail_errno(sending->target, errno, err);
    bool line = make_raw(fd);
    enum fd_code code = check_status(sending, fd, err);
    if (code == FD_OK)
        code = sending_write(sending, fd, false, err);
    /* What it did not take is known only now. */
    struct fd_error said;
    if (code != FD_OK && check_status(sending, fd, &said) != FD_OK && err)
        *err = said;
    if (code != FD_OK && line)
        tcflush(fd, TCOFLUSH);
    close(fd);
    return code;
}

typedef enum fd_code send_fn(struct sending *sending, const char *rest, struct fd_error *err);
static const struct {
    const char *prefix;
    send_fn *send;
} ways[] = {{"file:", send_file}, {"tcp:", printer_send_net}, {"cups:", printer_send_lp}};

static send_fn *way_of(const char *target, const char **rest)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strncmp(target, ways[i].prefix, strlen(ways[i].prefix)) == 0) {
            *rest = target + strlen(ways[i].prefix);
            return ways[i].send;
        }
    return NULL;
}

/* A pipe whose reader is gone is an error of this one call, whatever the program does with the signal. */
enum fd_code printer_send(const struct printer *printer, const void *bytes, size_t count, int64_t limit_ms,
                          struct fd_error *err)
{
    const char *rest = NULL;
    send_fn *send_it = way_of(printer->target, &rest);
    struct sending sending = {printer->target, bytes, count, 0, mono_ms() + limit_ms};
    sigset_t broken, before, pending;
    if (!send_it)
        return fd_fail(err, FD_CONFIG, "%s", _("No printer is configured."));
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    enum fd_code code = send_it(&sending, rest, err);
    while (sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1 &&
           sigtimedwait(&broken, NULL, &(struct timespec){0}) == SIGPIPE)
        continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static enum fd_code bad_key(const struct config *config, enum config_key key, const char *wanted, struct fd_error *err)
{
    fd_fail(err, FD_CONFIG, _("%s: %s.%s: \"%s\" is not a valid value."), config_origin(config, key),
            config_section(key), config_key_name(key), config_text(config, key));
    fd_hint(err, "%s", wanted);
    return FD_CONFIG;
}

static bool target_is_right(const char *target)
{
    char host[256], port[6];
    const char *rest;
    send_fn *send_it = way_of(target, &rest);
    if (!send_it)
        return target[0] == '\0';
    if (send_it == send_file)
        return rest[0] == '/';
    if (send_it == printer_send_net)
        return printer_net_parse(rest, host, port);
    /* A word of its own on lp's command line. */
    return rest[0] != '\0' && rest[0] != '-' && strcspn(rest, " \t/\\?'\"#,") == strlen(rest);
}

/* Widths of font A at 203 dpi: 12 dots a column. */
enum { DOTS_58 = 384, DOTS_80 = 576, DOTS_COLUMN = 12, COLUMNS_LEAST = 20 };

enum fd_code printer_from_config(const struct config *config, struct printer *printer, struct fd_error *err)
{
    const char *target = config_text(config, CONFIG_PRINTER);
    int64_t columns = config_number(config, CONFIG_PRINTER_COLUMNS);
    bool narrow = strcmp(config_text(config, CONFIG_PRINTER_PAPER), "58") == 0;
    bool native = strcmp(config_text(config, CONFIG_PRINTER_QR), "native") == 0;
    *printer =
        (struct printer){.dots = narrow ? DOTS_58 : DOTS_80, .qr = native ? PRINTER_QR_NATIVE : PRINTER_QR_RASTER};
    if (!target_is_right(target) || strlen(target) >= sizeof printer->target)
        return bad_key(config, CONFIG_PRINTER, _("Write file:/dev/usb/lp0, tcp:HOST:9100 or cups:QUEUE."), err);
    if (columns != 0 && (columns < COLUMNS_LEAST || columns > printer->dots / DOTS_COLUMN))
        return bad_key(config, CONFIG_PRINTER_COLUMNS, _("Write 20 to 32 for paper of 58 mm, 20 to 48 for 80 mm."),
                       err);
    /* Fewer columns than the paper has: the printer is built for fewer dots, and pictures must fit them too. */
    if (columns != 0)
        printer->dots = (int)columns * DOTS_COLUMN;
    printer->columns = printer->dots / DOTS_COLUMN;
    cut_copy(printer->target, sizeof printer->target, target);
    return FD_OK;
}
