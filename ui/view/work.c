#include "ui/view/parts.h"
#include <stdlib.h>

void *work_new(size_t bytes, work_fn *run, work_done_fn *done) {
    struct work *work = xcalloc(1, bytes);
    work->run = run;
    work->done = done;
    work->now = WALL_NONE;
    work->latency_us = -1;
    return work;
}

/* Desk thread. */
static enum fd_code work_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct work *work = arg;
    enum fd_code code = work->run(desk, work, err);
    if (code == FD_OK && work->clock)
        code = desk_now(desk, &work->now, err);
    work->latency_us = code == FD_DB_DOWN ? -1 : db_last_us(desk->db);
    return code;
}

static void work_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err) {
    struct view *view = owner;
    struct work *work = arg;
    app_set_latency(view_app(view), work->latency_us);
    if (work->now != WALL_NONE)
        app_set_clock(view_app(view), work->now);
    if (code == FD_OK) {
        if (work->done)
            work->done(view, work);
    } else if (!work->failed || !work->failed(view, work, err)) {
        app_error(view_app(view), err);
    }
}

static void work_dispose(void *arg) {
    struct work *work = arg;
    if (work->release)
        work->release(work);
    arena_release(&work->arena);
    free(work);
}

void work_post(struct view *view, const char *name, enum job_kind kind, void *work) {
    struct job job = {
        .name = name,
        .kind = kind,
        .run = work_run,
        .done = work_done,
        .arg = work,
        .dispose = work_dispose,
    };
    view_post(view, &job);
}

void work_take(void *work, struct arena *into) {
    struct work *from = work;
    arena_release(into);
    *into = from->arena;
    from->arena = (struct arena){0};
}
