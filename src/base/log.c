#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define LINE_BYTES 2048

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = STDERR_FILENO;
static enum log_level log_least = LOG_INFO;

enum fd_code log_open(const char *path, enum log_level least, struct fd_error *err)
{
    int fd = STDERR_FILENO;
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    if (path)
        fd = open(path, flags, 0600);
    int open_errno = errno;
    log_close();
    pthread_mutex_lock(&lock);
    log_least = least;
    if (fd >= 0)
        log_fd = fd;
    pthread_mutex_unlock(&lock);
    if (fd >= 0)
        return FD_OK;
    fd_fail(err, FD_IO, _("The log file %s cannot be opened."), path);
    fd_detail(err, "open: %s", strerrordesc_np(open_errno));
    return FD_IO;
}

void log_close(void)
{
    pthread_mutex_lock(&lock);
    if (log_fd != STDERR_FILENO)
        close(log_fd);
    log_fd = STDERR_FILENO;
    pthread_mutex_unlock(&lock);
}

bool log_is_stderr(void)
{
    pthread_mutex_lock(&lock);
    bool result = log_fd == STDERR_FILENO;
    pthread_mutex_unlock(&lock);
    return result;
}

/* Callers pass masked phones; a message from elsewhere (a server's "Duplicate entry '138…'") can
 * still carry one. A mobile number is 11 digits that begin with 1, perhaps behind 86. */
static void mask_phones(char *line)
{
    while (*(line += strcspn(line, "0123456789"))) {
        size_t digits = strspn(line, "0123456789");
        size_t prefix = digits == 13 && !strncmp(line, "86", 2) ? 2 : 0;
        if (digits - prefix == 11 && line[prefix] == '1')
            memset(line + prefix + 3, '*', 4);
        line += digits;
    }
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    if (level > log_least)
        return;
    int saved_errno = errno;
    char raw[LINE_BYTES], line[LINE_BYTES];
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &parts);
    used += fit_printf_at(line + used, sizeof line - used, ".%03ldZ %s %ld ", now.tv_nsec / 1000000, names[level],
                          (long)getpid());
    va_list args;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    /* One byte is kept for the newline. */
    size_t text = text_clean(line + used, sizeof line - used - 1, raw);
    mask_phones(line + used);
    used += text;
    line[used++] = '\n';
    pthread_mutex_lock(&lock);
    /* One write per line, so that lines of several processes do not mix. */
    ssize_t ignored = write(log_fd, line, used);
    (void)ignored;
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
}

void log_error(const struct fd_error *err)
{
    if (err->sql_errno)
        log_line(LOG_ERROR, "%s at %s:%d: %s (%s) [SQL %d %s]", fd_code_name(err->code), err->file, err->line,
                 err->message, err->detail, err->sql_errno, err->sqlstate);
    else
        log_line(LOG_ERROR, "%s at %s:%d: %s (%s)", fd_code_name(err->code), err->file ? err->file : "?", err->line,
                 err->message, err->detail);
}
