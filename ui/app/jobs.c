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
    int64_t actor;    /* who was signed in when it was asked for */
    int64_t began_ms;
    bool handed;      /* the desk's lane could not end a payment code: the channel's lane runs it again */
    enum fd_code code;
    struct fd_error err;
    struct node *next;
};

struct queue {
    struct node *first, *last;
};

/* One thread and its connection: jobs run in order within a lane, and the lanes beside each other. */
struct lane {
    struct jobs *jobs;
    pthread_t thread;
    bool started, ended; /* the thread is there; it has left */
    struct desk *desk;
    struct queue waiting;
    struct node *running;
    int64_t done, total; /* jobs_progress */
};

enum { LANE_DESK, LANE_CHANNEL, LANES };

struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* work came, work ended, a stop call returned, a thread ended */
    struct lane lane[LANES];
    struct jobs_config config;
    void (*watch)(void *context, enum fd_code code, const struct fd_error *err);
    void *watch_context;
    struct queue finished;
    struct node *delivering; /* its watcher may close the owner */
    uint64_t serial;
    int64_t actor;
    bool ending;   /* asked to */
    bool killing;  /* the stop hook is being called: nothing new may begin in the desk's lane */
    bool stopping; /* the running read was asked to stop */
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

/* --- the threads --- */

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

static void *lane_thread(void *arg);

/* Locked. The channel's lane is made when it is needed first. */
static bool lane_start(struct lane *lane) {
    if (!lane->started)
        lane->started = start_thread(&lane->thread, lane_thread, lane, false) == 0;
    return lane->started;
}

static bool is_channel(const struct lane *lane) {
    return lane == &lane->jobs->lane[LANE_CHANNEL];
}

static enum fd_code run_node(struct lane *lane, struct node *node) {
    struct jobs_config *config = &lane->jobs->config;
    if (is_channel(lane)) {
        enum fd_code code = config->channel_desk(config->channel_context, node->actor, &lane->desk, &node->err);
        if (code != FD_OK)
            return code;
    }
    return node->job.run(lane->desk, node->job.arg, &node->err);
}

/* Locked. A write that met a payment code which only its channel can end goes to the lane that may
 * ask it; the key in its argument is the same, so nothing is done twice. */
static bool hand_over(struct lane *lane, struct node *node) {
    struct lane *channel = &lane->jobs->lane[LANE_CHANNEL];
    if (is_channel(lane) || node->code != FD_LIVE_CODE || node->job.kind != JOB_WRITE || lane->jobs->ending ||
        !lane->jobs->config.channel_desk || !lane_start(channel))
        return false;
    node->handed = true;
    node->code = FD_OK;
    node->err = (struct fd_error){0};
    append(&channel->waiting, node);
    return true;
}

static void run_one(struct lane *lane, struct node *node) {
    struct jobs *jobs = lane->jobs;
    lane->running = node;
    lane->done = lane->total = 0;
    if (!is_channel(lane))
        jobs->stopping = false;
    node->began_ms = mono_ms();
    unlock(jobs);
    node->code = run_node(lane, node);
    lock(jobs);
    lane->running = NULL;
    if (!hand_over(lane, node))
        append(&jobs->finished, node);
    wake(jobs);
    pthread_cond_broadcast(&jobs->changed);
}

static bool may_begin(const struct lane *lane) {
    return lane->waiting.first && (is_channel(lane) || !lane->jobs->killing);
}

static void *lane_thread(void *arg) {
    struct lane *lane = arg;
    struct jobs *jobs = lane->jobs;
    lock(jobs);
    for (;;) {
        while (!jobs->ending && !may_begin(lane))
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        if (jobs->ending)
            break;
        run_one(lane, take_first(&lane->waiting));
    }
    lane->ended = true;
    pthread_cond_broadcast(&jobs->changed);
    unlock(jobs);
    return NULL;
}

struct jobs *jobs_start(const struct jobs_config *config) {
    struct jobs *jobs = xcalloc(1, sizeof *jobs);
    pthread_condattr_t attr;
    jobs->config = *config;
    for (int i = 0; i < LANES; i++)
        jobs->lane[i].jobs = jobs;
    jobs->lane[LANE_DESK].desk = config->desk;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&jobs->changed, &attr);
    pthread_condattr_destroy(&attr);
    if (!lane_start(&jobs->lane[LANE_DESK]))
        FD_BUG("no thread for the database");
    return jobs;
}

void jobs_set_desk(struct jobs *jobs, struct desk *desk) {
    lock(jobs);
    jobs->lane[LANE_DESK].desk = desk;
    unlock(jobs);
}

void jobs_set_actor(struct jobs *jobs, int64_t actor) {
    lock(jobs);
    jobs->actor = actor;
    unlock(jobs);
}

struct desk *jobs_desk(const struct jobs *jobs) {
    return jobs->lane[LANE_DESK].desk;
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

/* Locked. */
static struct lane *lane_of(struct jobs *jobs, enum job_kind kind) {
    struct lane *channel = &jobs->lane[LANE_CHANNEL];
    bool apart = kind == JOB_CHANNEL && jobs->config.channel_desk && lane_start(channel);
    return apart ? channel : &jobs->lane[LANE_DESK];
}

uint64_t jobs_post(struct jobs *jobs, void *owner, const struct job *job) {
    struct node *node = xcalloc(1, sizeof *node), *older;
    node->job = *job;
    node->owner = owner;
    lock(jobs);
    if (jobs->ending) { /* what the end disposes of may ask for more */
        unlock(jobs);
        free(node);
        if (job->dispose)
            job->dispose(job->arg);
        return 0;
    }
    uint64_t serial = node->serial = ++jobs->serial;
    struct lane *lane = lane_of(jobs, job->kind);
    node->actor = jobs->actor;
    older = take_fitting(&lane->waiting, is_same_read, node);
    append(&lane->waiting, node);
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
    while ((node = take_fitting(&jobs->lane[LANE_DESK].waiting, is_read_of, &like)))
        append(&dropped, node);
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &jobs->lane[i];
        forget_in(lane->waiting.first, owner);
        if (lane->running && lane->running->owner == owner)
            lane->running->forgotten = true;
    }
    forget_in(jobs->finished.first, owner);
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
    const struct node *running = jobs->lane[LANE_DESK].running;
    if (!running || running->job.kind != JOB_READ || !jobs->config.stop || jobs->killing)
        return false;
    jobs->killing = jobs->stopping = true;
    if (start_thread(&thread, stop_thread, jobs, true) == 0)
        return true;
    jobs->killing = jobs->stopping = false;
    return false;
}

bool jobs_cancel(struct jobs *jobs) {
    struct lane *lane = &jobs->lane[LANE_DESK];
    struct node *node;
    lock(jobs);
    bool begun = begin_stop(jobs);
    while (begun && (node = take_fitting(&lane->waiting, is_read_of, lane->running))) {
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

static bool lane_has(const struct lane *lane, const void *owner) {
    return any_of(lane->waiting.first, owner) || (lane->running && (!owner || lane->running->owner == owner));
}

bool jobs_busy(const struct jobs *jobs, const void *owner) {
    bool busy;
    lock(jobs);
    busy = any_of(jobs->finished.first, owner);
    for (int i = 0; i < LANES; i++)
        busy = busy || lane_has(&jobs->lane[i], owner);
    unlock(jobs);
    return busy;
}

bool jobs_reading(const struct jobs *jobs, const void *owner) {
    lock(jobs);
    bool busy = any_of(jobs->finished.first, owner) || lane_has(&jobs->lane[LANE_DESK], owner);
    unlock(jobs);
    return busy;
}

/* Locked. What runs in the channel's lane, or waits there for what runs; quiet ones are not told. */
static void state_of_channel(const struct lane *lane, struct jobs_state *state) {
    const struct node *node = lane->running && lane->running->job.name[0] ? lane->running : NULL;
    for (const struct node *at = lane->waiting.first; at && !node; at = at->next)
        if (at->job.name[0])
            node = at;
    if (!node)
        return;
    state->channel_name = node->job.name;
    state->channel_age_ms = lane->running ? mono_ms() - lane->running->began_ms : 0;
}

void jobs_state(const struct jobs *jobs, struct jobs_state *state) {
    const struct lane *lane = &jobs->lane[LANE_DESK];
    *state = (struct jobs_state){0};
    lock(jobs);
    if (lane->running) {
        state->name = lane->running->job.name;
        state->kind = lane->running->job.kind;
        state->age_ms = mono_ms() - lane->running->began_ms;
        state->stopping = jobs->stopping;
        state->done = lane->done;
        state->total = lane->total;
    }
    for (const struct node *node = lane->waiting.first; node; node = node->next)
        state->waiting++;
    state_of_channel(&jobs->lane[LANE_CHANNEL], state);
    unlock(jobs);
}

void jobs_progress(struct jobs *jobs, int64_t done, int64_t total) {
    lock(jobs);
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = &jobs->lane[i];
        if (!lane->running || !pthread_equal(lane->thread, pthread_self()))
            continue;
        lane->done = done;
        lane->total = total;
    }
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

/* Locked. */
static bool all_idle(const struct jobs *jobs) {
    for (int i = 0; i < LANES; i++)
        if (jobs->lane[i].running || (jobs->lane[i].waiting.first && !jobs->lane[i].ended))
            return false;
    return true;
}

bool jobs_wait(struct jobs *jobs, int64_t limit_ms) {
    int64_t until = mono_ms() + limit_ms;
    bool idle;
    do {
        lock(jobs);
        while (!all_idle(jobs) && wait_change(jobs, until))
            ;
        idle = all_idle(jobs);
        unlock(jobs);
        jobs_deliver(jobs);
    } while (idle && jobs_busy(jobs, NULL));
    return idle;
}

/* Locked. Both threads have left, and nobody calls the stop hook. */
static bool all_ended(const struct jobs *jobs) {
    for (int i = 0; i < LANES; i++)
        if (jobs->lane[i].started && !jobs->lane[i].ended)
            return false;
    return !jobs->killing;
}

static void free_all(struct jobs *jobs) {
    struct node *node;
    for (int i = 0; i < LANES; i++)
        if (jobs->lane[i].started)
            pthread_join(jobs->lane[i].thread, NULL);
    while ((node = take_first(&jobs->finished)))
        discard(node);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

bool jobs_stop(struct jobs *jobs, int64_t limit_ms) {
    struct queue dropped = {NULL, NULL};
    struct node *node;
    if (!jobs)
        return true;
    int64_t until = mono_ms() + limit_ms;
    lock(jobs);
    jobs->ending = true;
    jobs->config.wake = NULL;
    for (int i = 0; i < LANES; i++)
        while ((node = take_first(&jobs->lane[i].waiting)))
            append(&dropped, node);
    begin_stop(jobs);
    pthread_cond_broadcast(&jobs->changed);
    while (!all_ended(jobs) && wait_change(jobs, until))
        ;
    bool clean = all_ended(jobs);
    unlock(jobs);
    while ((node = take_first(&dropped))) {
        if (node->job.kind == JOB_WRITE)
            log_line(LOG_WARN, "left before it began: %s", node->job.name);
        if (clean)
            discard(node);
    }
    if (clean)
        free_all(jobs);
    return clean;
}
