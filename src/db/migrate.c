/* The migration runner. DDL commits by itself, so a migration is a list of steps that each see what is
 * there already: killed anywhere, it runs again. */
#include "db/migrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/i18n.h"
#include "base/log.h"
#include "db/migrate_internal.h"

#define DDL_READ_TIMEOUT_S 86400U /* an ALTER of ten million rows */
#define LOCK_TRIES         20     /* of 3 s each: others' transactions on the table */

DB_QUERY(q_exists, "migrate.database", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = :name");
DB_QUERY(q_version, "migrate.version", DB_VALUE, "SELECT COALESCE(MAX(number), 0) FROM schema_version");
DB_QUERY(q_tables, "migrate.tables", DB_ROW,
         "SELECT COUNT(*), COALESCE(SUM(table_name = 'schema_version'), 0) FROM information_schema.tables"
         " WHERE table_schema = DATABASE()");
DB_QUERY(q_lock, "migrate.lock", DB_VALUE, "SELECT GET_LOCK('frontdesk.migrate', 120)");
DB_QUERY(q_applied, "migrate.applied", DB_NONE,
         "INSERT INTO schema_version (number, name, applied_at, build) VALUES (:number, :name, NOW(), :build)");

static const char version_table[] =
    "CREATE TABLE IF NOT EXISTS schema_version ("
    " number INT NOT NULL COMMENT 'number of the migration',"
    " name VARCHAR(64) NOT NULL COMMENT 'its file name',"
    " applied_at DATETIME NOT NULL COMMENT 'when it was done',"
    " build VARCHAR(32) NOT NULL COMMENT 'version of the frontdesk that did it',"
    " PRIMARY KEY (number)"
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='migrations that were applied'";

#ifndef FD_VERSION
#define FD_VERSION "unknown"
#endif

static void say_line(const struct migrate_job *job, const char *line)
{
    log_line(LOG_INFO, "migrate: %s", line);
    if (job->say)
        job->say(job->arg, line);
}

static enum fd_code find_version(struct db *db, int *version, struct fd_error *err)
{
    struct db_rows *rows;
    int64_t number = 0;
    enum fd_code code = db_select(db, &q_tables, DB_NO_ARGS, &rows, err);
    if (code)
        return code;
    bool any = db_next(rows) && db_get_int(rows, 0) > 0, known = any && db_get_int(rows, 1) > 0;
    db_rows_close(&rows);
    if (known)
        code = db_value_int(db, &q_version, DB_NO_ARGS, &number, err);
    if (code == FD_OK)
        *version = known ? (int)number : any ? -1 : 0;
    return code;
}

enum fd_code migrate_version(struct db *db, int *version, struct fd_error *err)
{
    enum fd_code code = find_version(db, version, err);
    db_rollback(db);
    return code;
}

static int latest_of(const struct migration *list)
{
    int latest = 0;
    for (; list->number; list++)
        if (list->number > latest)
            latest = list->number;
    return latest;
}

int migrate_latest(void)
{
    return latest_of(migrations);
}

static enum fd_code refuse_newer(int version, int latest, struct fd_error *err)
{
    fd_fail(err, FD_SCHEMA, _("The database has schema %d, this frontdesk knows %d."), version, latest);
    fd_hint(err, "%s", _("Install the newer frontdesk."));
    return FD_SCHEMA;
}

enum fd_code migrate_check(struct db *db, struct fd_error *err)
{
    int version = 0, latest = migrate_latest();
    enum fd_code code = migrate_version(db, &version, err);
    if (code || version == latest)
        return code;
    if (version > latest)
        return refuse_newer(version, latest, err);
    return fd_fail(err, FD_SCHEMA, _("The database has schema %d, this frontdesk needs %d."), version < 0 ? 0 : version,
                   latest);
}

static bool is_for(const struct db *db, const struct step *step)
{
    return db->is_mariadb ? !step->only_mysql : !step->only_mariadb;
}

/* The administrator who runs migrate is told what the server said. */
static enum fd_code explain(const struct migration *migration, enum fd_code code, struct fd_error *err)
{
    /* A right that the account lacks is named already. */
    if (!err || code == FD_DB_DOWN || code == FD_CONFIG)
        return code;
    char detail[sizeof err->detail];
    int number = err->sql_errno;
    cut_copy(detail, sizeof detail, err->detail);
    const char *text = strstr(detail, "): ");
    fd_fail(err, FD_SCHEMA, _("Migration %s failed: %s"), migration->name, text ? text + 3 : detail);
    fd_hint(err, "%s", _("Mend what the server says, then run frontdesk migrate again; it goes on where it stopped."));
    err->sql_errno = number;
    fd_detail(err, "%s", detail);
    return FD_SCHEMA;
}

static enum fd_code run_sql(struct db *db, const struct step *step, const char *collation, struct fd_error *err)
{
    char *sql = migrate_recollate(step->sql, collation);
    enum fd_code code = db_run(db, sql, err);
    free(sql);
    return code;
}

static enum fd_code run_once(struct db *db, const struct step *step, const char *collation, struct fd_error *err)
{
    bool exists = false;
    enum fd_code code = migrate_guard_holds(db, step, &exists, err);
    if (code == FD_OK && step->drop_unique)
        code = migrate_unique_drop(db, step, err);
    else if (code == FD_OK && !exists && step->guard == GUARD_INDEX)
        code = migrate_index_rename(db, step, &exists, err);
    if (code == FD_OK && !step->drop_unique && !exists)
        code = run_sql(db, step, collation, err);
    if (code == FD_OK)
        code = db_commit(db, err);
    if (code)
        db_rollback(db);
    FD_POINT("migrate_step");
    return code;
}

/* A lock on the table is waited for; the rest is not retried, since DDL may have been half done. */
static enum fd_code run_step(struct db *db, const struct step *step, const char *collation, struct fd_error *err)
{
    enum fd_code code = FD_RETRY;
    struct fd_error local;
    for (int tries = 0; code == FD_RETRY && tries < LOCK_TRIES; tries++) {
        memset(&local, 0, sizeof local);
        code = run_once(db, step, collation, &local);
    }
    if (code && err)
        *err = local;
    return code;
}

static enum fd_code apply(struct db *db, const struct migrate_job *job, const struct migration *migration,
                          struct fd_error *err)
{
    const char *text = migration->sql;
    struct step step;
    char *line = xprintf(_("applying %s"), migration->name);
    say_line(job, line);
    free(line);
    enum fd_code code = FD_OK;
    while (code == FD_OK && migrate_step_next(&text, &step)) {
        if (is_for(db, &step))
            code = run_step(db, &step, job->collation, err);
        migrate_step_release(&step);
    }
    if (code == FD_OK)
        code = db_exec(db, &q_applied,
                       DB_ARGS(db_int("number", migration->number), db_text("name", migration->name),
                               db_text("build", FD_VERSION)),
                       NULL, err);
    if (code == FD_OK)
        code = db_commit(db, err);
    if (code == FD_OK)
        return FD_OK;
    db_rollback(db);
    return explain(migration, code, err);
}

/* Before anything is changed: the online system's tables must be what this build expects. */
static enum fd_code compare_existing(struct db *db, const struct migration *migration, struct differences *differences,
                                     struct fd_error *err)
{
    const char *text = migration->sql;
    struct step step;
    enum fd_code code = FD_OK;
    while (code == FD_OK && migrate_step_next(&text, &step)) {
        bool exists = false;
        if (step.expect && is_for(db, &step))
            code = migrate_guard_holds(db, &step, &exists, err);
        if (code == FD_OK && exists)
            code = migrate_expect_compare(db, &step, differences, err);
        if (code == FD_OK && exists)
            code = migrate_collation(db, step.object, differences->collation, err);
        migrate_step_release(&step);
    }
    db_rollback(db);
    return code;
}

static void say_lines(const struct migrate_job *job, struct buf *text)
{
    char *lines = xstrdup(buf_text(text)), *place = NULL;
    for (char *line = strtok_r(lines, "\n", &place); line; line = strtok_r(NULL, "\n", &place))
        say_line(job, line);
    free(lines);
}

/* The message may be too short for all of them; every one is said. */
static enum fd_code refuse_differences(struct buf *refused, struct fd_error *err)
{
    struct buf list = {0};
    char *lines = xstrdup(buf_text(refused)), *place = NULL;
    for (char *line = strtok_r(lines, "\n", &place); line; line = strtok_r(NULL, "\n", &place))
        buf_printf(&list, "%s%s", list.bytes ? "; " : "", line);
    fd_fail(err, FD_SCHEMA, _("Tables of the online system differ: %s"), buf_text(&list));
    fd_hint(err, "%s", _("Nothing was changed. Alter these columns, or use another database."));
    free(lines);
    buf_release(&list);
    return FD_SCHEMA;
}

static enum fd_code apply_missing(struct db *db, const struct migrate_job *job, int version, struct fd_error *err)
{
    struct differences differences = {0};
    enum fd_code code = FD_OK;
    for (const struct migration *at = job->list; code == FD_OK && at->number; at++)
        if (at->number > version)
            code = compare_existing(db, at, &differences, err);
    if (code == FD_OK) {
        say_lines(job, &differences.refused);
        say_lines(job, &differences.borne);
    }
    if (code == FD_OK && differences.refused.bytes > 0)
        code = refuse_differences(&differences.refused, err);
    buf_release(&differences.refused);
    buf_release(&differences.borne);
    struct migrate_job fitted = *job;
    fitted.collation = differences.collation;
    for (const struct migration *at = job->list; code == FD_OK && at->number; at++)
        if (at->number > version)
            code = apply(db, &fitted, at, err);
    return code;
}

/* Only where it is missing: MySQL lets even CREATE DATABASE IF NOT EXISTS wait for everybody who works in it. */
static enum fd_code make_database(struct db *db, const char *database, struct fd_error *err)
{
    char sql[256];
    int64_t exists = 0;
    enum fd_code code = db_value_int(db, &q_exists, DB_ARGS(db_text("name", database)), &exists, err);
    if (code || exists)
        return code;
    fit_printf(sql, "CREATE DATABASE IF NOT EXISTS `%s` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci",
               database);
    return db_run(db, sql, err);
}

/* Names are written into statements here and nowhere else. */
static enum fd_code use_database(struct db *db, const char *database, struct fd_error *err)
{
    char sql[256];
    if (!database || !*database || strlen(database) > 64 || strchr(database, '`'))
        return fd_fail(err, FD_CONFIG, _("This is no name of a database: %s"), database ? database : "");
    struct fd_error denied = {0};
    enum fd_code code = make_database(db, database, &denied);
    /* An account without the right to make databases may have one that was made for it. */
    bool may_not = code && (denied.sql_errno == 1044 || denied.sql_errno == 1227);
    if (may_not) {
        db_rollback(db);
        code = FD_OK;
    }
    fit_printf(sql, "USE `%s`", database);
    if (code == FD_OK && (code = db_run(db, sql, err)) == FD_OK)
        may_not = false;
    if (code && err && denied.code)
        *err = denied;
    if (may_not)
        return sql_lacks("CREATE", database, err);
    if (code == FD_OK)
        db_link_use(db, database);
    return code;
}

static enum fd_code run_list(struct db *db, const char *database, const struct migrate_job *job, struct fd_error *err)
{
    int version = 0;
    int64_t locked = 0;
    enum fd_code code = use_database(db, database, err);
    /* Two at once would only make each other fail; no result rests on this lock. */
    if (code == FD_OK)
        code = db_value_int(db, &q_lock, DB_NO_ARGS, &locked, err);
    if (code == FD_OK && locked != 1)
        code = fd_fail(err, FD_AGAIN, "%s", _("Another frontdesk is migrating this database."));
    if (code == FD_OK)
        code = find_version(db, &version, err);
    if (code == FD_OK && version > latest_of(job->list))
        code = refuse_newer(version, latest_of(job->list), err);
    if (code == FD_OK && version < latest_of(job->list))
        code = db_run(db, version_table, err);
    if (code == FD_OK)
        code = db_commit(db, err);
    if (code == FD_OK)
        code = apply_missing(db, job, version, err);
    return code;
}

enum fd_code migrate_run_list(struct db *db, const char *database, const struct migrate_job *job, struct fd_error *err)
{
    struct fd_error local = {0};
    unsigned timeout_s = db->target.read_timeout_s;
    db->target.read_timeout_s = DDL_READ_TIMEOUT_S;
    enum fd_code code = db_reconnect(db, &local);
    if (code == FD_OK)
        code = run_list(db, database, job, &local);
    db_rollback(db);
    /* Also gives the lock back. */
    db->target.read_timeout_s = timeout_s;
    enum fd_code again = code == FD_DB_DOWN ? FD_OK : db_reconnect(db, code ? NULL : &local);
    if (code == FD_OK)
        code = again;
    if (code && err)
        *err = local;
    return code;
}

enum fd_code migrate_run(struct db *db, const char *database, migrate_say *say, void *arg, struct fd_error *err)
{
    const struct migrate_job job = {.list = migrations, .say = say, .arg = arg};
    return migrate_run_list(db, database, &job, err);
}

enum fd_code migrate_verify(struct db *db, migrate_say *say, void *arg, struct fd_error *err)
{
    const struct migrate_job job = {.list = migrations, .say = say, .arg = arg};
    struct step step;
    enum fd_code code = FD_OK;
    unsigned missing = 0;
    for (const struct migration *at = migrations; code == FD_OK && at->number; at++) {
        const char *text = at->sql;
        while (code == FD_OK && migrate_step_next(&text, &step)) {
            bool exists = true, guarded = step.expect || step.guard != GUARD_NONE;
            if (guarded && is_for(db, &step))
                code = migrate_guard_holds(db, &step, &exists, err);
            if (code == FD_OK && !exists) {
                char *line = xprintf(_("%s%s%s is missing"), step.object, step.part[0] ? "." : "", step.part);
                say_line(&job, line);
                free(line);
                missing++;
            }
            migrate_step_release(&step);
        }
    }
    db_rollback(db);
    if (code == FD_OK && missing > 0)
        code = fd_fail(err, FD_SCHEMA, _("%u parts of the schema are missing."), missing);
    return code;
}
