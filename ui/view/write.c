/* Reads and writes of views: what happens to the answers that are the same everywhere. */
#include <stdlib.h>
#include <string.h>
#include "ui/view/views.h"

struct console *view_console(const struct view *view)
{
    return app_context(view_app(view));
}

bool view_is_ready(const struct view *view)
{
    const struct console *console = view_console(view);
    return console && console->is_open && console->signed_in;
}

void view_failed(struct view *view, enum fd_code code, const struct fd_error *err)
{
    /* The banner tells that the database is away; a message for each read would hide everything else. */
    if (code == FD_OK || code == FD_CANCELLED || code == FD_DB_DOWN)
        return;
    app_error(view_app(view), err);
}

/* A write with its argument, handed on from try to try. */
struct attempt {
    struct write write;
    enum job_kind kind; /* JOB_WRITE, JOB_CHANNEL */
    int tries;
};

enum { ASK_AGAIN_MS = 700 };

static enum fd_code attempt_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct attempt *attempt = arg;
    /* In the desk thread: while the database is away there is nothing else for it to do. */
    if (attempt->tries)
        sleep_ms(ASK_AGAIN_MS);
    return attempt->write.run(desk, attempt->write.arg, err);
}

static void attempt_dispose(void *arg)
{
    struct attempt *attempt = arg;
    if (attempt->write.dispose && attempt->write.arg)
        attempt->write.dispose(attempt->write.arg);
    free(attempt);
}

static void attempt_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err);

static void attempt_post(struct view *view, const struct write *write, enum job_kind kind, int tries)
{
    struct attempt *attempt = xcalloc(1, sizeof *attempt);
    attempt->write = *write;
    attempt->kind = kind;
    attempt->tries = tries;
    struct job job = {write->name, kind, attempt_run, attempt_done, attempt, attempt_dispose};
    view_post(view, &job);
}

static void attempt_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct attempt *attempt = arg;
    if (code == FD_UNKNOWN) {
        app_message(view_app(view), MESSAGE_WARN, "%s", _("Checking whether it was done…"));
        attempt_post(view, &attempt->write, attempt->kind, attempt->tries + 1);
        attempt->write.arg = NULL; /* it went on to the next try */
        return;
    }
    if (attempt->write.done)
        attempt->write.done(view, attempt->write.arg, code, err);
    else if (code != FD_OK)
        app_error(view_app(view), err);
}

/* --readonly: said at once, as the database would say it. */
static void refuse(struct view *view, const struct write *write)
{
    struct fd_error err = {0};
    fd_fail(&err, FD_NO_PERMISSION, "%s", _("This would change something, and frontdesk was started read-only."));
    fd_hint(&err, "%s", _("Leave out --readonly."));
    if (write->done)
        write->done(view, write->arg, err.code, &err);
    else
        app_error(view_app(view), &err);
    if (write->dispose && write->arg)
        write->dispose(write->arg);
}

static void post(struct view *view, const struct write *write, enum job_kind kind)
{
    if (config_switch(view_console(view)->config, CONFIG_READONLY))
        refuse(view, write);
    else
        attempt_post(view, write, kind, 0);
}

void view_write(struct view *view, const struct write *write)
{
    post(view, write, JOB_WRITE);
}

void view_channel(struct view *view, const struct write *write)
{
    post(view, write, JOB_CHANNEL);
}
