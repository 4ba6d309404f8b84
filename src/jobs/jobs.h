/* The worker: what has to happen without anybody pressing a key. Several at once are safe: every job is a
 * conditional UPDATE that only one of them wins. Source: domain sections 1 and 8. */
#ifndef FD_JOBS_JOBS_H
#define FD_JOBS_JOBS_H
#include "core/action.h"

/* What one pass did. */
struct pass {
    bool (*stop)(void); /* asked between two batches: true ends the pass; NULL: never */
    int64_t codes;      /* payment codes that their channel was asked about */
    int64_t refunds;    /* refunds that a channel was sent or asked about */
    int64_t expired;    /* run-out holds released */
    int64_t missed;     /* paid orders that became NO_SHOW */
    int64_t cases;      /* opened for a person, and ended because they settled themselves */
    int64_t forgotten;  /* request keys older than param request_days */
    int64_t errors;     /* jobs that failed; the last one's error is returned */
};

/* A job of the worker: does at most a batch, sets *done; called again until that is 0. */
struct job_row {
    const char *name; /* for the log and --json: "expired" */
    enum fd_code (*run)(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);
    size_t counter; /* offset of its counter in struct pass */
};
extern const struct job_row jobs[]; /* name NULL ends */
/* How much of one job a pass did. */
int64_t pass_count(const struct pass *pass, const struct job_row *job);

/* Does all that is due now; the desk acts as the worker (operator_act_as_worker). One job's failure does not keep the
 * others from running; FD_DB_DOWN ends the pass. */
enum fd_code worker_pass(struct desk *desk, struct pass *pass, struct fd_error *err);
/* Runs until SIGTERM or SIGINT, with a pause of `seconds` (0: the parameter worker_seconds) between passes. A lost
 * database is waited for with growing pauses and never ends it. Returns FD_OK after a signal; FD_CONFIG, FD_SCHEMA
 * where waiting would not help. */
enum fd_code worker_run(const struct config *config, int64_t seconds, struct fd_error *err);

/* Tells the service manager, where there is one (NOTIFY_SOCKET): "READY=1", "STOPPING=1". */
void worker_notify(const char *state);

extern const struct action jobs_actions[];
#endif
