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
    const char *collation;        /* set by the runner: of the online system's tables, "" where there are none */
};
/* The collation that the migrations' text gives its tables. */
#define OUR_COLLATION "COLLATE=utf8mb4_unicode_520_ci"
/* The statement with the collation of the online system's tables instead, where there are any: numbers of orders are
 * compared between their tables and ours, which the server refuses for two collations. Owned. */
char *migrate_recollate(const char *sql, const char *collation);
/* The collation of a table that exists. */
enum fd_code migrate_collation(struct db *db, const char *table, char collation[65], struct fd_error *err);
/* migrate_run with a list of its own, for tests. */
enum fd_code migrate_run_list(struct db *db, const char *database, const struct migrate_job *job, struct fd_error *err);

/* Does what the guard names exist? */
enum fd_code migrate_guard_holds(struct db *db, const struct step *step, bool *exists, struct fd_error *err);
/* What differs, a line each. */
struct differences {
    struct buf refused, /* with these frontdesk cannot work */
        borne;          /* these are only named: a column that may be NULL, a counter with a sign */
    char collation[65]; /* of the last table that was there; "" where none was */
};
/* Compares the existing table of an @expect with the CREATE TABLE: one line per column that differs is
 * added to `differences`. */
enum fd_code migrate_expect_compare(struct db *db, const struct step *step, struct differences *differences,
                                    struct fd_error *err);
/* Does a column of type `found` take and give back all that one of type `wanted` does? Both as SHOW COLUMNS prints
 * them: wider texts and numbers, a sign more or less (nothing of ours is negative or near the end), fractions of a
 * second, a TIMESTAMP for a DATETIME (the session's zone is ours). */
bool migrate_type_holds(const char *wanted, const char *found);
/* An @unless index whose statement adds this one key: the same key under another name is renamed, because queries and
 * the reading of duplicate-key errors go by the name; *renamed tells. */
enum fd_code migrate_index_rename(struct db *db, const struct step *step, bool *renamed, struct fd_error *err);
/* Drops the unique keys over exactly the columns of the step. */
enum fd_code migrate_unique_drop(struct db *db, const struct step *step, struct fd_error *err);
#endif
