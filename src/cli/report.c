#include "cli/cli.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/text.h"

/* A character as \uXXXX, in two halves where it is beyond the basic plane. */
static void put_escaped(struct buf *out, uint32_t ch)
{
    if (ch < 0x10000)
        buf_printf(out, "\\u%04x", ch);
    else
        buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((ch - 0x10000) >> 10), 0xdc00 + ((ch - 0x10000) & 0x3ff));
}

/* Only inside strings can anything but plain ASCII stand in JSON, so an escape is always right there. */
char *report_safe_json(const char *json)
{
    struct buf out = {0};
    while (*json) {
        const char *bad = text_unclean_at(json);
        if (!bad) {
            buf_add(&out, json);
            break;
        }
        buf_add_bytes(&out, json, (size_t)(bad - json));
        json = bad;
        uint32_t ch = text_next(&json);
        put_escaped(&out, ch);
    }
    return buf_take(&out);
}

enum fd_code report_out(const char *text, struct fd_error *err)
{
    if (fputs(text, stdout) != EOF && fflush(stdout) != EOF)
        return FD_OK;
    if (errno == EPIPE)
        return FD_OK;
    return fd_fail(err, FD_IO, _("Standard output cannot be written: %s"), strerror(errno));
}

struct tree *report_error_tree(const struct fd_error *err)
{
    struct tree *inner = tree_object();
    tree_put_text(inner, "code", fd_code_name(err->code));
    tree_put_text(inner, "message", err->message);
    tree_put_text(inner, "hint", err->hint);
    return inner;
}

static void tell_json(const struct fd_error *err)
{
    struct tree *outer = tree_object();
    tree_put(outer, "error", report_error_tree(err));
    char *raw = tree_dump(outer);
    char *json = report_safe_json(raw);
    if (printf("%s\n", json) < 0 || fflush(stdout) == EOF) {
        /* nobody is left to tell */
    }
    free(json);
    free(raw);
    tree_free(&outer);
}

int report_error(const struct fd_error *err, bool json)
{
    if (json)
        tell_json(err);
    else
        fprintf(stderr, "frontdesk: %s\n", err->message);
    if (!json && err->hint[0])
        fprintf(stderr, "  %s\n", err->hint);
    /* What a rule refuses is told above; the log is for what somebody has to look into. */
    if (fd_code_exit(err->code) >= 69 && err->detail[0])
        log_error(err);
    return fd_code_exit(err->code);
}
