/* Reading secrets: strict, because a password that others can read is none (threats, row 7). */
#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define SECRET_BYTES 1024 /* with the newline */

/* Reads up to the end or, where `line_only`, to the newline: what follows on standard input is
 * somebody else's. Without stdio, whose buffer nobody wipes. -1 on failure, `most` where there is
 * more than fits. */
static ssize_t read_secret(int fd, char *out, size_t most, bool line_only)
{
    size_t used = 0;
    while (used < most) {
        ssize_t got = read(fd, out + used, line_only ? 1 : most - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        used += (size_t)got;
        if (got == 0 || (line_only && out[used - 1] == '\n'))
            break;
    }
    return (ssize_t)used;
}

static enum fd_code check_file(int fd, const char *path, struct fd_error *err)
{
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode))
        return fd_fail(err, FD_CONFIG, _("%s: this is not a regular file."), path);
    if (info.st_uid != geteuid())
        return fd_fail(err, FD_CONFIG, _("%s: the file belongs to another user."), path);
    if (info.st_mode & (S_IRWXG | S_IRWXO)) {
        fd_fail(err, FD_CONFIG, _("%s: other users can use this file."), path);
        fd_hint(err, _("Run: chmod 600 %s"), path);
        return FD_CONFIG;
    }
    return FD_OK;
}

/* One line without its end: no second line, no NUL, not empty. */
static enum fd_code check_text(char *text, ssize_t length, const char *path, struct fd_error *err)
{
    if (length < 0)
        return fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), path);
    if ((size_t)length >= SECRET_BYTES)
        return fd_fail(err, FD_CONFIG, _("%s: a password has at most %d bytes."), path, SECRET_BYTES - 2);
    if (length && text[length - 1] == '\n')
        length--;
    if (length && text[length - 1] == '\r')
        length--;
    text[length] = '\0';
    if (!length)
        return fd_fail(err, FD_CONFIG, _("%s: the password is empty."), path);
    if (strlen(text) != (size_t)length || strchr(text, '\n'))
        return fd_fail(err, FD_CONFIG, _("%s: the password is more than one line of text."), path);
    return FD_OK;
}

enum fd_code secret_read(const char *path, char **secret, struct fd_error *err)
{
    char text[SECRET_BYTES + 1];
    bool standard = !strcmp(path, "-");
    const char *name = standard ? _("standard input") : path;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return fd_fail(err, FD_CONFIG, _("%s: a symbolic link is not accepted."), path);
    if (fd < 0) {
        fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), path);
        fd_detail(err, "open: errno %d", errno);
        return FD_CONFIG;
    }
    enum fd_code code = standard ? FD_OK : check_file(fd, path, err);
    if (code == FD_OK)
        code = check_text(text, read_secret(fd, text, SECRET_BYTES, standard), name, err);
    if (code == FD_OK)
        *secret = xstrdup(text);
    explicit_bzero(text, sizeof text);
    if (!standard)
        close(fd);
    return code;
}
