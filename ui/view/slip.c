/* Receipts and other slips: the message line says what became of the paper, the queue loses nothing. */
#include "ui/view/slip.h"
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

enum { SEND_MOST = 5 };

struct slip_work {
    struct work base;
    enum print_kind kind;
    char number[NUMBER_BYTES];
    bool by_itself, queues, again;
    int64_t id, done, left;
    struct fd_error trouble; /* of the printer: the slip waits */
};

static enum fd_code slip_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct slip_work *work = arg;
    enum fd_code code = FD_OK;
    if (work->queues)
        code = print_queue(desk, work->kind, work->number, work->by_itself, &work->id, err);
    if (code == FD_OK && work->again)
        code = print_retry(desk, err);
    if (code != FD_OK || (work->queues && work->id == 0))
        return code;
    code = print_flush(desk, SEND_MOST, &work->done, &work->left, &work->trouble);
    if (code != FD_OK)
        log_error(&work->trouble);
    return FD_OK;
}

static void slip_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct console *console = owner;
    struct slip_work *work = arg;
    if (code != FD_OK) {
        app_error(console->app, err);
        return;
    }
    if (work->queues && work->id == 0)
        return;
    if (view_ops(app_top(console->app)) == &view_printer && !app_is_covered(console->app))
        view_printer.load(app_top(console->app));
    if (work->left > 0)
        app_message(console->app, MESSAGE_WARN,
                    ngettext("%lld slip waits for the printer (Setup, Printer shows why).",
                             "%lld slips wait for the printer (Setup, Printer shows why).", (unsigned long)work->left),
                    (long long)work->left);
    else if (!work->by_itself)
        app_message(console->app, MESSAGE_GOOD, "%s", _("Printed."));
}

static void post(struct console *console, struct slip_work *work)
{
    const struct job job = {N_("Printing"), JOB_CHANNEL, slip_run, slip_done, work, work_free};
    if (config_switch(console->config, CONFIG_READONLY))
        work_free(work);
    else
        jobs_post(console->jobs, console, &job);
}

void slip_print(struct console *console, enum print_kind kind, const char *number, bool by_itself)
{
    struct slip_work *work = work_new(sizeof *work, NULL, NULL);
    work->queues = true;
    work->kind = kind;
    work->by_itself = by_itself;
    cut_copy(work->number, sizeof work->number, number);
    post(console, work);
}

void slip_send(struct console *console)
{
    struct slip_work *work = work_new(sizeof *work, NULL, NULL);
    work->again = true;
    post(console, work);
}

void slip_send_quietly(struct console *console)
{
    struct slip_work *work = work_new(sizeof *work, NULL, NULL);
    work->by_itself = true;
    post(console, work);
}
