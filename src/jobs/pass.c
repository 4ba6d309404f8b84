#include <stddef.h>
#include "base/log.h"
#include "core/param.h"
#include "jobs/jobs.h"
#include "money/case.h"
#include "money/back.h"
#include "money/code.h"
#include "venue/booking.h"

#define BATCH        50
#define JOB_LIMIT_MS 60000

DB_QUERY(q_forget, "worker.forget", DB_NONE,
         "DELETE FROM op_request WHERE created_at < NOW() - INTERVAL :days DAY ORDER BY created_at LIMIT 1000");

struct forget {
    int64_t days, done;
};

static enum fd_code forget_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct forget *forget = arg;
    return db_exec(db, &q_forget, DB_ARGS(db_int("days", forget->days)), &forget->done, err);
}

/* A key is kept for as long as anybody may send it again. */
static enum fd_code forget_requests(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    (void)most; /* its statement has a limit of its own */
    struct forget forget = {.days = param_get(desk, PARAM_REQUEST_DAYS)};
    enum fd_code code = db_txn(desk->db, "worker.forget", JOB_LIMIT_MS, forget_txn, &forget, err);
    *done = forget.done;
    return code;
}

/* Codes first: a hold whose code is closed now can be released in the same pass. */
const struct job_row jobs[] = {
    {"codes", codes_sweep, offsetof(struct pass, codes)},
    {"expired", venue_expire_due, offsetof(struct pass, expired)},
    {"missed", venue_miss_due, offsetof(struct pass, missed)},
    {"refunds", back_sweep, offsetof(struct pass, refunds)},
    {"cases", cases_sweep, offsetof(struct pass, cases)},
    {"forgotten", forget_requests, offsetof(struct pass, forgotten)},
    {0},
};

int64_t pass_count(const struct pass *pass, const struct job_row *job)
{
    return *(const int64_t *)(const void *)((const char *)pass + job->counter);
}

static bool is_stopped(const struct pass *pass)
{
    return pass->stop && pass->stop();
}

static enum fd_code run_job(struct desk *desk, const struct job_row *job, struct pass *pass, struct fd_error *err)
{
    int64_t *counter = (int64_t *)(void *)((char *)pass + job->counter);
    int64_t done = 0;
    do {
        done = 0;
        enum fd_code code = job->run(desk, BATCH, &done, err);
        /* What was done before one of them failed was done. */
        *counter += done;
        if (code != FD_OK)
            return code;
        /* Of a batch that several workers share each does a part, so a small part does not mean that nothing is left;
         * where the others did all of it they go on. */
    } while (done > 0 && !is_stopped(pass));
    return FD_OK;
}

enum fd_code worker_pass(struct desk *desk, struct pass *pass, struct fd_error *err)
{
    enum fd_code result = FD_OK;
    for (const struct job_row *job = jobs; job->name && !is_stopped(pass); job++) {
        struct fd_error job_err = {0};
        enum fd_code code = run_job(desk, job, pass, &job_err);
        if (code == FD_OK)
            continue;
        log_line(LOG_ERROR, "worker: job %s failed", job->name);
        log_error(&job_err);
        pass->errors++;
        result = code;
        if (err)
            *err = job_err;
        if (code == FD_DB_DOWN || code == FD_UNKNOWN)
            break;
    }
    return result;
}
