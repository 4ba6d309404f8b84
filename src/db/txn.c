/* Transactions: COMMIT and its unknown outcome, ROLLBACK, whole-callback retry. */
#include <string.h>

#include "base/fault.h"
#include "base/i18n.h"
#include "base/log.h"
#include "base/token.h"
#include "db/db_internal.h"

#define TRIES_MAX 8
#define LIMIT_DEFAULT_MS 5000
#define BACKOFF_LEAST_MS 5
#define BACKOFF_MOST_MS 200

static enum fd_code commit_fault(struct db *db, int fault, struct fd_error *err)
{
    /* The worse half of an unknown outcome: it did commit, and nobody heard. */
    if (sql_class_of((unsigned)fault) == SQL_LOST)
        mysql_real_query(db->link, "COMMIT", 6);
    return sql_fail_injected(db, "commit", fault, true, err);
}

enum fd_code db_commit(struct db *db, struct fd_error *err)
{
    if (db->doomed && !FD_TOOTH("refuse_after_error"))
        FD_BUG("COMMIT after an SQL error without rollback");
    if (!db->link) {
        db->doomed = true;
        fd_fail(err, FD_DB_DOWN, NULL);
        return FD_DB_DOWN;
    }
    if (db->statements == 0)
        return FD_OK;
    int fault = FD_FAULT_SQL();
    if (fault)
        return commit_fault(db, fault, err);
    FD_POINT("db_before_commit");
    int64_t begin = mono_us();
    bool failed = mysql_real_query(db->link, "COMMIT", 6) != 0;
    db->last_us = mono_us() - begin;
    if (failed && FD_TOOTH("unknown_outcome"))
        db_link_drop(db);
    else if (failed)
        return sql_fail_link(db, "commit", true, err);
    FD_POINT("db_after_commit");
    db->statements = 0;
    return FD_OK;
}

void db_rollback(struct db *db)
{
    bool must = db->doomed || db->statements > 0;
    if (db->link && must && mysql_real_query(db->link, "ROLLBACK", 8) != 0) {
        log_line(LOG_WARN, "rollback failed, link dropped: %u %s", mysql_errno(db->link), mysql_error(db->link));
        db_link_drop(db);
    }
    db->doomed = false;
    db->statements = 0;
}

struct txn {
    const char *label;
    int64_t deadline_ms;
    unsigned tries, waits;
    bool unknown; /* some COMMIT was never answered, so it may be done already */
    bool again;   /* the last failure is one that another run may mend */
};

static bool time_is_up(const struct txn *txn)
{
    return mono_ms() >= txn->deadline_ms;
}

/* Full jitter: two that collided must not collide again. */
static void back_off(struct txn *txn)
{
    uint32_t most = BACKOFF_LEAST_MS << (txn->waits < 6 ? txn->waits : 6);
    if (most > BACKOFF_MOST_MS)
        most = BACKOFF_MOST_MS;
    txn->waits++;
    int64_t wait = 1 + random_below(most);
    int64_t left = txn->deadline_ms - mono_ms();
    if (left > 0)
        sleep_ms(wait < left ? wait : left);
}

/* Connects where the link is gone. A server that restarts takes its time, so attempts end with the
 * time limit only, not with the number of tries. */
static enum fd_code txn_connect(struct db *db, struct txn *txn, struct fd_error *err)
{
    while (!db->link) {
        enum fd_code code = db_reconnect(db, err);
        if (code && (code != FD_DB_DOWN || time_is_up(txn)))
            return code;
        if (code)
            back_off(txn);
    }
    return FD_OK;
}

static enum fd_code txn_once(struct db *db, struct txn *txn, db_txn_fn *fn, void *arg, struct fd_error *err)
{
    txn->again = false;
    enum fd_code code = txn_connect(db, txn, err);
    if (code)
        return code;
    db->running = true;
    db->run = txn->tries;
    code = fn(db, arg, err);
    bool commits = code == FD_OK;
    if (commits)
        code = db_commit(db, err);
    db->running = false;
    if (code == FD_OK)
        return FD_OK;
    txn->unknown = txn->unknown || (commits && code == FD_UNKNOWN);
    /* An unknown outcome or a dead peer that `fn` reports by itself is not about this connection. */
    txn->again = code == FD_RETRY || (commits && code == FD_UNKNOWN) || (code == FD_DB_DOWN && !db->link);
    db_rollback(db);
    return code;
}

/* What the caller hears when no further run is made. */
static enum fd_code txn_give_up(const struct txn *txn, enum fd_code code, struct fd_error *err)
{
    /* Whatever stopped the later runs: an earlier one may be done. */
    enum fd_code final = code == FD_RETRY ? FD_AGAIN : code;
    if (txn->unknown && (final == FD_AGAIN || final == FD_DB_DOWN || final == FD_CONFIG))
        final = FD_UNKNOWN;
    if (err && final != code) {
        struct fd_error last = *err;
        fd_fail(err, final, NULL);
        err->sql_errno = last.sql_errno;
        memcpy(err->sqlstate, last.sqlstate, sizeof err->sqlstate);
        fd_detail(err, "%s: after %u tries: %s", txn->label, txn->tries, last.detail);
    }
    return final;
}

enum fd_code db_txn(struct db *db, const char *label, int64_t limit_ms, db_txn_fn *fn, void *arg, struct fd_error *err)
{
    if (db->running)
        FD_BUG("%s: a transaction inside a transaction", label);
    db_rollback(db);
    struct txn txn = {.label = label, .deadline_ms = mono_ms() + (limit_ms > 0 ? limit_ms : LIMIT_DEFAULT_MS)};
    for (;;) {
        struct fd_error local = {0};
        enum fd_code code = txn_once(db, &txn, fn, arg, &local);
        if (code == FD_OK)
            return FD_OK;
        txn.tries++;
        if (txn.again && txn.tries < TRIES_MAX && !time_is_up(&txn)) {
            log_line(LOG_DEBUG, "%s: try %u failed: %s", label, txn.tries, local.detail);
            back_off(&txn);
            continue;
        }
        code = txn_give_up(&txn, code, &local);
        if (err)
            *err = local;
        return code;
    }
}

unsigned db_txn_run(const struct db *db)
{
    return db->run;
}
