#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

static char scratch[256];

const char *scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    fit_printf(scratch, "%s/fdbase-XXXXXX", base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(scratch));
    return scratch;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

void scratch_remove(void)
{
    if (scratch[0])
        nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    scratch[0] = '\0';
}

const char *scratch_path(const char *name)
{
    static char path[512];
    fit_printf(path, "%s/%s", scratch, name);
    return path;
}

const char *scratch_write(const char *name, const char *text, unsigned mode)
{
    const char *path = scratch_path(name);
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

char *file_text(const char *path)
{
    struct buf buf = {0};
    FILE *stream = fopen(path, "r");
    if (!stream)
        return NULL;
    char piece[4096];
    for (size_t got; (got = fread(piece, 1, sizeof piece, stream));)
        buf_add_bytes(&buf, piece, got);
    fclose(stream);
    return buf_take(&buf);
}

int in_child(void (*body)(void), char *said, size_t bytes)
{
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < bytes && (got = read(ends[0], said + used, bytes - 1 - used)) > 0;)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}
