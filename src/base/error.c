#include "base/error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

/* Longer than any field of struct fd_error, so that the cut to a whole character is made by
 * text_clean and not by snprintf. */
#define SCRATCH_BYTES 2048

static const struct code_row {
    const char *name;
    int exit_status;
    const char *sentence;
    const char *hint;
} code_rows[FD_CODE_COUNT] = {
#define X(id, name, status, sentence, hint) [id] = {name, status, sentence, hint},
    FD_CODE_TABLE(X)
#undef X
};

static const struct code_row *row_of(enum fd_code code)
{
    FD_ASSERT((unsigned)code < FD_CODE_COUNT);
    return &code_rows[code];
}

/* gettext("") is the catalogue's header, never what a clerk should read. */
static const char *translated(const char *msgid)
{
    return msgid[0] ? gettext(msgid) : "";
}

const char *fd_code_name(enum fd_code code)
{
    return row_of(code)->name;
}

int fd_code_exit(enum fd_code code)
{
    return row_of(code)->exit_status;
}

const char *fd_code_sentence(enum fd_code code)
{
    return translated(row_of(code)->sentence);
}

const char *fd_code_hint(enum fd_code code)
{
    return translated(row_of(code)->hint);
}

enum fd_code fd_fail_at(struct fd_error *err, enum fd_code code, const char *file, int line, const char *format, ...)
{
    FD_ASSERT(code != FD_OK);
    if (!err)
        return code;
    /* Arguments may point into *err (an error raised again in other words): format first. */
    char scratch[SCRATCH_BYTES];
    if (format && format[0]) {
        va_list args;
        va_start(args, format);
        vsnprintf(scratch, sizeof scratch, format, args);
        va_end(args);
    } else {
        cut_copy(scratch, sizeof scratch, fd_code_sentence(code));
    }
    *err = (struct fd_error){.code = code, .file = file, .line = line};
    text_clean(err->message, sizeof err->message, scratch);
    text_clean(err->hint, sizeof err->hint, fd_code_hint(code));
    return code;
}

void fd_hint(struct fd_error *err, const char *format, ...)
{
    if (!err)
        return;
    char scratch[SCRATCH_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(scratch, sizeof scratch, format, args);
    va_end(args);
    text_clean(err->hint, sizeof err->hint, scratch);
}

void fd_detail(struct fd_error *err, const char *format, ...)
{
    if (!err)
        return;
    char scratch[SCRATCH_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(scratch, sizeof scratch, format, args);
    va_end(args);
    size_t used = strlen(err->detail);
    if (used && used + 3 < sizeof err->detail) {
        memcpy(err->detail + used, "; ", 3);
        used += 2;
    }
    text_clean(err->detail + used, sizeof err->detail - used, scratch);
}

static _Atomic(void (*)(void)) death_hook;

void fd_on_death(void (*hook)(void))
{
    atomic_store(&death_hook, hook);
}

void fd_run_death_hook(void)
{
    void (*hook)(void) = atomic_exchange(&death_hook, NULL);
    if (hook)
        hook();
}

_Noreturn void fd_bug_at(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fd_run_death_hook();
    log_line(LOG_ERROR, "bug at %s:%d: %s", file, line, text);
    if (!log_is_stderr())
        fprintf(stderr, "frontdesk: bug at %s:%d: %s\n", file, line, text);
    abort();
}
