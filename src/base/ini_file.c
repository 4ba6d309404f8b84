#include "base/ini_file.h"

#include <ini.h>
#include <string.h>

struct reading {
    const struct ini_file *file;
    ini_take_fn *take;
    void *arg;
    int line;
    enum fd_code code;
    struct fd_error *err;
};

/* Debian's libinih does not tell the handler the line: count where the lines are read. */
static char *read_line(char *text, int bytes, void *stream)
{
    struct reading *reading = stream;
    if (reading->code != FD_OK || !fgets(text, bytes, reading->file->stream))
        return NULL;
    reading->line++;
    size_t length = strlen(text);
    /* libinih would take the rest of a long line for the next one. */
    if (length + 1 == (size_t)bytes && text[length - 1] != '\n')
        reading->code =
            fd_fail(reading->err, FD_CONFIG, _("%s:%d: the line is too long."), reading->file->path, reading->line);
    return reading->code == FD_OK ? text : NULL;
}

static int take_line(void *user, const char *section, const char *name, const char *value)
{
    struct reading *reading = user;
    if (reading->code == FD_OK)
        reading->code = reading->take(reading->arg, reading->line, section, name, value);
    return reading->code == FD_OK;
}

enum fd_code ini_file_read(const struct ini_file *file, ini_take_fn *take, void *arg, struct fd_error *err)
{
    struct reading reading = {.file = file, .take = take, .arg = arg, .err = err};
    int bad_line = ini_parse_stream(read_line, &reading, take_line, &reading);
    if (reading.code == FD_OK && bad_line)
        return fd_fail(err, FD_CONFIG, _("%s:%d: write [section] or key = value."), file->path, bad_line);
    if (reading.code == FD_OK && ferror(file->stream))
        return fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), file->path);
    return reading.code;
}
