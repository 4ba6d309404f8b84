/* Work: one job with its arguments and answers, told to the view and the frame in one way. */
#include "ui/view/parts.h"
#include <stdlib.h>
#include <string.h>

void *work_new(size_t bytes, work_fn *run, work_done_fn *done) {
    struct work *work = xcalloc(1, bytes);
    work->bytes = bytes;
    work->run = run;
    work->done = done;
    work->now = WALL_NONE;
    work->latency_us = -1;
    return work;
}

void *work_copy(const void *arg) {
    const struct work *from = arg;
    struct work *work = xmalloc(from->bytes);
    memcpy(work, from, from->bytes);
    work->arena = (struct arena){0};
    return work;
}

/* Desk thread. */
static enum fd_code work_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct work *work = arg;
    arena_reset(&work->arena); /* an unknown outcome runs it again */
    enum fd_code code = work->run(desk, work, err);
    if (code == FD_OK && work->clock)
        code = desk_now(desk, &work->now, err);
    work->latency_us = code == FD_DB_DOWN ? -1 : db_last_us(desk->db);
    return code;
}

static void tell_frame(struct view *view, const struct work *work) {
    app_set_latency(view_app(view), work->latency_us);
    if (work->now != WALL_NONE)
        app_set_clock(view_app(view), work->now);
}

static void read_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err) {
    struct view *view = owner;
    struct work *work = arg;
    if (code != FD_CANCELLED)
        tell_frame(view, work);
    if (code == FD_OK && work->done)
        work->done(view, work);
    else if (code != FD_OK && (!work->failed || !work->failed(view, work, err)))
        view_failed(view, code, err);
}

static void write_done(struct view *view, void *arg, enum fd_code code, const struct fd_error *err) {
    struct work *work = arg;
    tell_frame(view, work);
    if (code == FD_OK && work->done)
        work->done(view, work);
    else if (code != FD_OK && (!work->failed || !work->failed(view, work, err)))
        app_error(view_app(view), err);
}

void work_free(void *arg) {
    struct work *work = arg;
    if (!work)
        return;
    if (work->release)
        work->release(work);
    arena_release(&work->arena);
    explicit_bzero(work, work->bytes); /* some carry a password */
    free(work);
}

void work_post(struct view *view, const char *name, enum job_kind kind, void *work) {
    if (kind != JOB_READ) {
        struct write write = {.name = name, .run = work_run, .done = write_done, .arg = work, .dispose = work_free};
        if (kind == JOB_WRITE)
            view_write(view, &write);
        else
            view_channel(view, &write);
        return;
    }
    struct job job = {.name = name, .kind = kind, .run = work_run, .done = read_done, .arg = work, .dispose = work_free};
    view_post(view, &job);
}

void work_take(void *work, struct arena *into) {
    struct work *from = work;
    arena_release(into);
    *into = from->arena;
    from->arena = (struct arena){0};
}

/* Works that wait for an answer in a dialog. One whose view goes away meanwhile stays here. */
static struct work *held;

void work_hold(void *arg) {
    struct work *work = arg;
    work->held_next = held;
    held = work;
}

void *work_unhold(void *arg) {
    struct work **at = &held;
    while (*at && *at != arg)
        at = &(*at)->held_next;
    FD_ASSERT(*at == arg);
    *at = (*at)->held_next;
    return arg;
}
