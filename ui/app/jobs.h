/* Jobs: the UI thread never waits for the database. It posts a job (a typed function and its
 * argument); the desk thread, which owns the `struct desk *` and its connection, runs jobs in
 * order and wakes the loop; the result is delivered in the UI thread.
 *
 * Who owns what: `arg` belongs to the job from job_post() on. The desk thread alone touches it
 * while the job runs, the UI thread alone afterwards. After `done` (or instead of it, where the
 * view is gone) it is given to `dispose`. A job function uses only its desk and its arg.
 *
 * A read can be stopped (Esc, Ctrl-C): a third thread calls the stop hook (KILL QUERY over a
 * second connection), and the desk thread starts nothing new before that call has returned, so
 * that a late kill cannot hit the next statement. A write is never stopped once it runs.
 *
 * What talks to a payment channel (or a printer) may take ten seconds. It runs in a second thread
 * with a desk and a connection of its own, opened on first use, so that neither the screens nor
 * the first thread wait for it. The first desk calls no channel: a write that it answers with
 * FD_LIVE_CODE is run again, the same argument and key, in the second thread; no view sees that. */
#ifndef FD_APP_JOBS_H
#define FD_APP_JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

struct desk;
struct jobs;

enum job_kind {
    JOB_READ, /* changes nothing; may be stopped; a newer one of the same name replaces it in the queue */
    JOB_WRITE, /* runs to its end; the screen says "checking" until it is known */
    JOB_CHANNEL /* calls a channel or a printer: in the second thread; runs to its end. A name of "" is quiet */
};

/* In the desk thread. What it returns and fills in err comes to `done`. */
typedef enum fd_code job_run_fn(struct desk *desk, void *arg, struct fd_error *err);
/* In the UI thread, once. `owner` is alive. err is valid where code is not FD_OK. */
typedef void job_done_fn(void *owner, void *arg, enum fd_code code, const struct fd_error *err);

struct job {
    const char *name;   /* static, for log and spinner: N_("Reading the day") */
    enum job_kind kind;
    job_run_fn *run;
    job_done_fn *done;  /* NULL: nobody waits */
    void *arg;          /* NULL is fine */
    void (*dispose)(void *arg); /* NULL: arg is not freed */
};

struct jobs_config {
    struct desk *desk;             /* may be NULL until jobs_set_desk */
    void (*stop)(void *context);   /* third thread: end the running statement; NULL: cannot */
    void *stop_context;
    /* Second thread, before each of its jobs: opens *desk where it is NULL, and makes it act for
     * `actor`, of jobs_set_actor() when the job was posted. NULL: no second thread, and its work
     * runs in the first. */
    enum fd_code (*channel_desk)(void *context, int64_t actor, struct desk **desk, struct fd_error *err);
    void *channel_context;
    void (*wake)(void *context);   /* any thread: a result waits; NULL none */
    void *wake_context;
};

/* What runs or waits, for spinner and banner. */
struct jobs_state {
    const char *name;    /* msgid of the running job; NULL: idle */
    enum job_kind kind;
    int64_t age_ms;      /* since it began */
    bool stopping;       /* a stop was asked for */
    int64_t done, total; /* jobs_progress */
    int waiting;         /* jobs not begun */
    const char *channel_name; /* of the second thread: msgid; NULL: idle, or quiet */
    int64_t channel_age_ms;
};

/* Starts the desk thread (all signals blocked), the second one when it is needed. New; jobs_stop. */
struct jobs *jobs_start(const struct jobs_config *config);
/* Desk for the jobs from now on: called in the UI thread while nothing runs, or in a job. */
void jobs_set_desk(struct jobs *jobs, struct desk *desk);
struct desk *jobs_desk(const struct jobs *jobs); /* desk thread or idle only */
/* Who is signed in from now on: an operator's id, 0 nobody. */
void jobs_set_actor(struct jobs *jobs, int64_t actor);
/* Replaces the wake hook (the terminal starts later than the jobs); NULL none. */
void jobs_set_wake(struct jobs *jobs, void (*wake)(void *context), void *context);
/* Queues a copy of *job for `owner` (any stable pointer, e.g. the view). Returns its serial. */
uint64_t jobs_post(struct jobs *jobs, void *owner, const struct job *job);
/* Is told of every result before its `done`, in the UI thread: whether the database is there. */
void jobs_set_watch(struct jobs *jobs, void (*watch)(void *context, enum fd_code code, const struct fd_error *err), void *context);
/* Delivers finished jobs: UI thread, on INPUT_WAKE. Returns how many. */
int jobs_deliver(struct jobs *jobs);
/* The owner is closing: its waiting reads are dropped, results of others are disposed of without
 * `done`. Writes that wait still run: they were asked for. */
void jobs_forget(struct jobs *jobs, const void *owner);
/* Asks to stop the running read; false where none runs, or it is a write. Waiting reads of the
 * same owner are dropped and delivered as FD_CANCELLED. */
bool jobs_cancel(struct jobs *jobs);
/* Something of this owner (NULL: of anyone) runs or waits. */
bool jobs_busy(const struct jobs *jobs, const void *owner);
/* The same, without what runs or waits in the second thread: may the view read again? */
bool jobs_reading(const struct jobs *jobs, const void *owner);
void jobs_state(const struct jobs *jobs, struct jobs_state *state);
/* From a job: how far it is. */
void jobs_progress(struct jobs *jobs, int64_t done, int64_t total);
/* UI thread, tests and start only: waits until idle and delivers; false where time ran out. */
bool jobs_wait(struct jobs *jobs, int64_t limit_ms);
/* Ends the threads: drops what waits, stops a running read, waits at most limit_ms. True: threads
 * ended, memory freed. False: one hangs in a dead server or a slow channel: nothing was freed and the process must
 * leave with _exit(). NULL is fine. */
bool jobs_stop(struct jobs *jobs, int64_t limit_ms);

#endif
