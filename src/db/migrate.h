/* Migrations: sql/migrations/NNNN_name.sql, embedded at build time. Each is a list of statements
 * guarded by `-- @unless table T`, `-- @unless column T.C`, `-- @unless index T.K`,
 * `-- @unless trigger N` (checked in information_schema), so that a migration killed half way runs
 * again; DDL is not transactional. `-- @mariadb` / `-- @mysql` in front of a statement: only
 * there. `-- @expect T`: the table exists already (the online system made it): compare its columns
 * with the CREATE TABLE that follows and name every one that differs (type, NULL, character set,
 * a default that is missing; display widths of integers say nothing). `-- @dropunique T a,b` (no
 * statement follows): drops the unique indexes on exactly these columns, whatever their names; a
 * plain index on the same columns takes their place where none begins so. Under `-- @unless index T.K` a statement
 * that only adds this key renames the same key under another name instead. `-- @delimiter` is not
 * needed: a statement ends at a line that ends in `;` outside BEGIN … END blocks opened by
 * CREATE TRIGGER (those end at a line `END;`). */
#ifndef FD_DB_MIGRATE_H
#define FD_DB_MIGRATE_H
#include "db/db.h"

struct migration {
    int number;       /* 1 = 0001 */
    const char *name; /* "0001_online" */
    const char *sql;
};
extern const struct migration migrations[]; /* made by the build from sql/migrations; number 0 ends */

/* Highest number applied (table schema_version), 0 on an empty database, -1 unknown (no table). */
enum fd_code migrate_version(struct db *db, int *version, struct fd_error *err);
int migrate_latest(void);
/* Applies what is missing, in order; creates the database `name` where missing. `say` (may be NULL) hears
 * a line per step, already translated. FD_SCHEMA with the list where existing tables differ, FD_SCHEMA with
 * what to set where CREATE TRIGGER is refused (1419). A newer schema than this build: FD_SCHEMA. */
typedef void migrate_say(void *arg, const char *line);
enum fd_code migrate_run(struct db *db, const char *database, migrate_say *say, void *arg, struct fd_error *err);
/* Compares: FD_OK where the schema is exactly this build's; else FD_SCHEMA (older or newer) with a hint. */
enum fd_code migrate_check(struct db *db, struct fd_error *err);
/* Looks whether everything that a guard names is there (tables, columns, indexes, triggers), for `doctor`:
 * FD_SCHEMA with a line to `say` (may be NULL) for each that is missing. */
enum fd_code migrate_verify(struct db *db, migrate_say *say, void *arg, struct fd_error *err);
#endif
