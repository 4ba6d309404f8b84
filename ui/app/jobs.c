#include "ui/app/jobs.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/log.h"
#include "base/mem.h"
#include "base/when.h"

struct node {
    struct job job;
    void *owner; /* NULL once forgotten: nobody gets the result */
    bool forgotten;
    uint64_t serial;
    int64_t began_ms;
    enum fd_code code;
    struct fd_error err;
    struct node *next;
};

struct queue {
    struct node *first, *last;
};

struct jobs {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* work came, work ended, a stop call returned, the thread ended */
    struct desk *desk;
    struct jobs_config config;
    void (*watch)(void *context, enum fd_code code, const struct fd_error *err);
    void *watch_context;
    struct queue waiting, finished;
    struct node *running;
    struct node *delivering; /* its watcher may close the owner */
    uint64_t serial;
    bool ending, ended; /* asked to; the thread has left */
    bool killing;       /* the stop hook is being called: nothing new may begin */
    bool stopping;      /* the running read was asked to stop */
    int64_t done, total;
};

static void lock(const struct jobs *jobs) {
    pthread_mutex_lock((pthread_mutex_t *)&jobs->lock);
}

static void unlock(const struct jobs *jobs) {
    pthread_mutex_unlock((pthread_mutex_t *)&jobs->lock);
}

static void append(struct queue *queue, struct node *node) {
    node->next = NULL;
    if (queue->last)
        queue->last->next = node;
    else
        queue->first = node;
    queue->last = node;
}

static struct node *take_first(struct queue *queue) {
    struct node *node = queue->first;
    if (!node)
        return NULL;
    queue->first = node->next;
    if (!queue->first)
        queue->last = NULL;
    node->next = NULL;
    return node;
}

/* Takes the first node that `fits` out of the queue. */
static struct node *take_fitting(struct queue *queue, bool (*fits)(const struct node *node, const struct node *like),
                                 const struct node *like) {
    struct node *before = NULL;
    for (struct node *node = queue->first; node; before = node, node = node->next) {
        if (!fits(node, like))
            continue;
        if (before)
            before->next = node->next;
        else
            queue->first = node->next;
        if (queue->last == node)
            queue->last = before;
        node->next = NULL;
        return node;
    }
    return NULL;
}

static void discard(struct node *node) {
    if (node->job.dispose)
        node->job.dispose(node->job.arg);
    free(node);
}

static void wake(struct jobs *jobs) {
    if (jobs->config.wake)
        jobs->config.wake(jobs->config.wake_context);
}

/* --- the desk thread --- */

static void run_one(struct jobs *jobs, struct node *node) {
    jobs->running = node;
    jobs->stopping = false;
    jobs->done = jobs->total = 0;
    node->began_ms = mono_ms();
    unlock(jobs);
    node->code = node->job.run(jobs->desk, node->job.arg, &node->err);
    lock(jobs);
    jobs->running = NULL;
    append(&jobs->finished, node);
    wake(jobs);
    pthread_cond_broadcast(&jobs->changed);
}

static void *desk_thread(void *arg) {
    struct jobs *jobs = arg;
    lock(jobs);
    for (;;) {
        while (!jobs->ending && (!jobs->waiting.first || jobs->killing))
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        if (jobs->ending)
            break;
        run_one(jobs, take_first(&jobs->waiting));
    }
    jobs->ended = true;
    pthread_cond_broadcast(&jobs->changed);
    unlock(jobs);
    return NULL;
}

/* Signals belong to the UI thread. */
static int start_thread(pthread_t *thread, void *(*body)(void *), void *arg, bool detached) {
    sigset_t all, before;
    pthread_attr_t attr;
    sigfillset(&all);
    pthread_attr_init(&attr);
    if (detached)
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, &attr, body, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return failed;
}

struct jobs *jobs_start(const struct jobs_config *config) {
    struct jobs *jobs = xcalloc(1, sizeof *jobs);
    pthread_condattr_t attr;
    jobs->config = *config;
    jobs->desk = config->desk;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&jobs->changed, &attr);
    pthread_condattr_destroy(&attr);
    int failed = start_thread(&jobs->thread, desk_thread, jobs, false);
    if (failed)
        FD_BUG("no thread for the database: %s", strerror(failed));
    return jobs;
}

void jobs_set_desk(struct jobs *jobs, struct desk *desk) {
    lock(jobs);
    jobs->desk = desk;
    unlock(jobs);
}

struct desk *jobs_desk(const struct jobs *jobs) {
    return jobs->desk;
}

void jobs_set_wake(struct jobs *jobs, void (*hook)(void *context), void *context) {
    lock(jobs);
    jobs->config.wake = hook;
    jobs->config.wake_context = context;
    unlock(jobs);
}

void jobs_set_watch(struct jobs *jobs, void (*watch)(void *context, enum fd_code code, const struct fd_error *err), void *context) {
    jobs->watch = watch;
    jobs->watch_context = context;
}

/* --- the UI thread --- */

/* A refresh that has not begun is worth nothing beside a newer one of the same kind. */
static bool is_same_read(const struct node *node, const struct node *like) {
    return node->job.kind == JOB_READ && like->job.kind == JOB_READ && node->owner == like->owner &&
           node->job.run == like->job.run && strcmp(node->job.name, like->job.name) == 0;
}

uint64_t jobs_post(struct jobs *jobs, void *owner, const struct job *job) {
    struct node *node = xcalloc(1, sizeof *node), *older;
    node->job = *job;
    node->owner = owner;
    lock(jobs);
    uint64_t serial = node->serial = ++jobs->serial;
    older = take_fitting(&jobs->waiting, is_same_read, node);
    append(&jobs->waiting, node);
    pthread_cond_broadcast(&jobs->changed);
    unlock(jobs);
    if (older)
        discard(older);
    return serial;
}

int jobs_deliver(struct jobs *jobs) {
    int count = 0;
    lock(jobs);
    uint64_t last = jobs->serial; /* what a `done` posts anew is for the next time */
    while (jobs->finished.first && jobs->finished.first->serial <= last) {
        struct node *node = take_first(&jobs->finished);
        jobs->delivering = node;
        unlock(jobs);
        if (jobs->watch)
            jobs->watch(jobs->watch_context, node->code, &node->err);
        if (!node->forgotten && node->job.done)
            node->job.done(node->owner, node->job.arg, node->code, &node->err);
        else if (node->code != FD_OK && node->code != FD_CANCELLED)
            log_error(&node->err);
        jobs->delivering = NULL;
        discard(node);
        count++;
        lock(jobs);
    }
    unlock(jobs);
    return count;
}

static bool is_read_of(const struct node *node, const struct node *like) {
    return node->job.kind == JOB_READ && node->owner == like->owner;
}

static void forget_in(struct node *first, const void *owner) {
    for (struct node *node = first; node; node = node->next)
        if (node->owner == owner)
            node->forgotten = true;
}

void jobs_forget(struct jobs *jobs, const void *owner) {
    const struct node like = {.owner = (void *)owner};
    struct queue dropped = {NULL, NULL};
    struct node *node;
    lock(jobs);
    while ((node = take_fitting(&jobs->waiting, is_read_of, &like)))
        append(&dropped, node);
    forget_in(jobs->waiting.first, owner);
    forget_in(jobs->finished.first, owner);
    if (jobs->running && jobs->running->owner == owner)
        jobs->running->forgotten = true;
    if (jobs->delivering && jobs->delivering->owner == owner)
        jobs->delivering->forgotten = true;
    unlock(jobs);
    while ((node = take_first(&dropped)))
        discard(node);
}

/* --- stopping a read --- */

static void *stop_thread(void *arg) {
    struct jobs *jobs = arg;
    jobs->config.stop(jobs->config.stop_context);
    lock(jobs);
    jobs->killing = false;
    pthread_cond_broadcast(&jobs->changed);
    unlock(jobs);
    return NULL;
}

/* Locked. */
static bool begin_stop(struct jobs *jobs) {
    pthread_t thread;
    if (!jobs->running || jobs->running->job.kind != JOB_READ || !jobs->config.stop || jobs->killing)
        return false;
    jobs->killing = jobs->stopping = true;
    if (start_thread(&thread, stop_thread, jobs, true) == 0)
        return true;
    jobs->killing = jobs->stopping = false;
    return false;
}

bool jobs_cancel(struct jobs *jobs) {
    struct node *node;
    lock(jobs);
    bool begun = begin_stop(jobs);
    while (begun && (node = take_fitting(&jobs->waiting, is_read_of, jobs->running))) {
        node->code = FD_CANCELLED;
        node->err.code = FD_CANCELLED;
        append(&jobs->finished, node);
        wake(jobs);
    }
    unlock(jobs);
    return begun;
}

/* --- looking --- */

static bool any_of(const struct node *first, const void *owner) {
    for (const struct node *node = first; node; node = node->next)
        if (!owner || (node->owner == owner && !node->forgotten))
            return true;
    return false;
}

bool jobs_busy(const struct jobs *jobs, const void *owner) {
    lock(jobs);
    bool busy = any_of(jobs->waiting.first, owner) || any_of(jobs->finished.first, owner) ||
                (jobs->running && (!owner || jobs->running->owner == owner));
    unlock(jobs);
    return busy;
}

void jobs_state(const struct jobs *jobs, struct jobs_state *state) {
    *state = (struct jobs_state){0};
    lock(jobs);
    if (jobs->running) {
        state->name = jobs->running->job.name;
        state->kind = jobs->running->job.kind;
        state->age_ms = mono_ms() - jobs->running->began_ms;
        state->stopping = jobs->stopping;
        state->done = jobs->done;
        state->total = jobs->total;
    }
    for (const struct node *node = jobs->waiting.first; node; node = node->next)
        state->waiting++;
    unlock(jobs);
}

void jobs_progress(struct jobs *jobs, int64_t done, int64_t total) {
    lock(jobs);
    jobs->done = done;
    jobs->total = total;
    unlock(jobs);
}

/* Waits for a change, at most until `until_ms`. Locked. False: time is up. */
static bool wait_change(struct jobs *jobs, int64_t until_ms) {
    struct timespec until = {.tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000};
    if (mono_ms() >= until_ms)
        return false;
    pthread_cond_timedwait(&jobs->changed, &jobs->lock, &until);
    return true;
}

bool jobs_wait(struct jobs *jobs, int64_t limit_ms) {
    int64_t until = mono_ms() + limit_ms;
    bool idle;
    do {
        lock(jobs);
        while ((jobs->running || (jobs->waiting.first && !jobs->ended)) && wait_change(jobs, until))
            ;
        idle = !jobs->running && !jobs->waiting.first;
        unlock(jobs);
        jobs_deliver(jobs);
    } while (idle && jobs_busy(jobs, NULL));
    return idle;
}

bool jobs_stop(struct jobs *jobs, int64_t limit_ms) {
    struct queue dropped;
    struct node *node;
    if (!jobs)
        return true;
    int64_t until = mono_ms() + limit_ms;
    lock(jobs);
    jobs->ending = true;
    jobs->config.wake = NULL;
    dropped = jobs->waiting;
    jobs->waiting = (struct queue){NULL, NULL};
    begin_stop(jobs);
    pthread_cond_broadcast(&jobs->changed);
    while ((!jobs->ended || jobs->killing) && wait_change(jobs, until))
        ;
    bool clean = jobs->ended && !jobs->killing;
    unlock(jobs);
    while ((node = take_first(&dropped))) {
        if (node->job.kind == JOB_WRITE)
            log_line(LOG_WARN, "left before it began: %s", node->job.name);
        if (clean)
            discard(node);
    }
    if (!clean)
        return false;
    pthread_join(jobs->thread, NULL);
    while ((node = take_first(&jobs->finished)))
        discard(node);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
    return true;
}
