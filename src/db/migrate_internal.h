/* What the files of the migration runner share. */
#ifndef FD_DB_MIGRATE_INTERNAL_H
#define FD_DB_MIGRATE_INTERNAL_H
#include "db/db_internal.h"
#include "db/migrate.h"

/* One statement of a migration with its directives; a @drop_unique has no statement. */
struct step {
    enum guard { GUARD_NONE, GUARD_TABLE, GUARD_COLUMN, GUARD_INDEX, GUARD_TRIGGER } guard;
    char object[65], part[65];  /* table T; table T and column C or index K; trigger N */
    bool only_mariadb, only_mysql;
    bool expect;                /* object names the table that may exist already */
    bool drop_unique;           /* object is the table, columns the list */
    char columns[256];          /* "a,b", as written */
    char *sql;                  /* owned, without the last semicolon; NULL where there is none */
};
/* Reads the next step at *text and advances; false at the end. A directive that is not known is FD_BUG:
 * the text is part of this program. migrate_step_release in every case. */
bool migrate_step_next(const char **text, struct step *step);
void migrate_step_release(struct step *step);

/* The list to apply and who hears of it. */
struct migrate_job {
    const struct migration *list; /* number 0 ends */
    migrate_say *say;             /* may be NULL */
    void *arg;
};
/* migrate_run with a list of its own, for tests. */
enum fd_code migrate_run_list(struct db *db, const char *database, const struct migrate_job *job, struct fd_error *err);

/* Does what the guard names exist? */
enum fd_code migrate_guard_holds(struct db *db, const struct step *step, bool *exists, struct fd_error *err);
/* What differs, a line each. */
struct differences {
    struct buf refused, /* with these frontdesk cannot work */
        borne;          /* these are only named: a column that may be NULL, a counter with a sign */
};
/* Compares the existing table of an @expect with the CREATE TABLE: one line per column that differs is
 * added to `differences`. */
enum fd_code migrate_expect_compare(struct db *db, const struct step *step, struct differences *differences,
                                    struct fd_error *err);
/* Drops the unique keys over exactly the columns of the step. */
enum fd_code migrate_unique_drop(struct db *db, const struct step *step, struct fd_error *err);
#endif
