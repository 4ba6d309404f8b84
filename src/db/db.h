/* The database: one connection, named prepared queries, one transaction at a time. This folder
 * is the only one that includes mysql.h. Works with MariaDB Connector/C and libmysqlclient, on
 * MariaDB 10.11+ and MySQL 8.0+. Source of the rules: the project's database facts.
 *
 * Life of a connection: db_open -> statements -> db_close. The session is autocommit=0, READ
 * COMMITTED, so a transaction begins with its first statement and ends with db_commit or
 * db_rollback. After any SQL error the connection is doomed: it refuses everything but
 * db_rollback (FD_BUG otherwise), because the next statement could commit by itself.
 */
#ifndef FD_DB_DB_H
#define FD_DB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"
#include "base/when.h"

struct db;
struct config;

/* Shapes: what a query may return, checked once, centrally. */
enum db_shape {
    DB_NONE,  /* INSERT, UPDATE, DELETE: a row count */
    DB_VALUE, /* one row, one column; no row is FD_NOT_FOUND */
    DB_ROW,   /* no row or one row; two are an error */
    DB_ROWS   /* any number */
};

/* A named query: constant, whole, static. `:name` marks a parameter (the same name may stand
 * several times). Never built from strings. Defined with DB_QUERY at the top of the file that
 * uses it; the macro also lists it in the section `fd_queries`, from which a test prepares
 * every query of the program and a connection finds its prepared statement in O(1). */
struct db_query {
    const char *name; /* "slot.take" */
    const char *sql;
    enum db_shape shape;
    size_t index; /* set at program start by db_query_index_all */
};
#define DB_QUERY(id, query_name, query_shape, ...)                                                 \
    static struct db_query id = {query_name, __VA_ARGS__, query_shape, 0};                         \
    static struct db_query *const id##_entry __attribute__((used, section("fd_queries"))) = &id
/* All queries linked into this program: returns the count, *list borrowed. */
size_t db_queries(struct db_query *const **list);

/* Parameters, typed and named. Text is borrowed until the call returns. */
enum db_type { DB_T_NULL, DB_T_INT, DB_T_TEXT, DB_T_FEN, DB_T_SMALL };
struct db_arg {
    const char *name;
    enum db_type type;
    int64_t number;   /* DB_T_INT, DB_T_FEN (bound as DECIMAL text) */
    const char *text; /* DB_T_TEXT */
    char small[24];   /* DB_T_SMALL: dates and times made by the helpers */
};
struct db_arg db_int(const char *name, int64_t number);
struct db_arg db_text(const char *name, const char *text); /* NULL binds SQL NULL */
struct db_arg db_fen(const char *name, int64_t fen);       /* "12.30" */
struct db_arg db_day(const char *name, day_t day);         /* DAY_NONE binds NULL */
struct db_arg db_wall(const char *name, wall_t wall);      /* WALL_NONE binds NULL */
struct db_arg db_minute(const char *name, int minute);     /* TIME "19:00:00"; negative binds NULL */
struct db_arg db_null(const char *name);
#define DB_ARGS(...) (const struct db_arg[]){__VA_ARGS__}, sizeof((const struct db_arg[]){__VA_ARGS__}) / sizeof(struct db_arg)
#define DB_NO_ARGS NULL, 0

/* Connecting. The session is set and read back by one routine, also after a loss: autocommit 0,
 * READ COMMITTED, utf8mb4, fixed time zone, strict mode, lock wait 3 s, time limits, no local
 * files, no multi statements, no reconnect, TLS cipher or socket, @fd_session set (the triggers
 * of order_change are silent then). Warnings (flush_log_at_trx_commit…) go to the log. */
struct db_target {
    const char *host;   /* NULL or "": socket; several with commas: tried in order */
    const char *at;     /* of several that one which is connected; NULL where there is only one */
    unsigned port;
    const char *socket; /* unix socket path */
    const char *user;   /* NULL: from the option file, else the login name */
    const char *database; /* NULL: none selected */
    const char *defaults_file; /* credentials; NULL: the usual files, group [frontdesk]; "": none */
    const char *ssl_ca;
    bool plain_loopback;
    const char *time_zone; /* "+08:00" */
    unsigned connect_timeout_s, read_timeout_s;
    bool found_rows;    /* CLIENT_FOUND_ROWS: tests play the online system with it */
    bool plain_session; /* leave @fd_session unset: tests play the online system with it */
};
/* Copies the target and connects. FD_DB_DOWN where no server answers, FD_CONFIG where account, TLS or
 * session settings are refused, FD_SCHEMA where the database is missing; *db is NULL then. New. */
enum fd_code db_open(const struct db_target *target, struct db **db, struct fd_error *err);
void db_close(struct db **db); /* rolls back, frees, nulls; NULL is fine */
/* Drops the link and connects anew with the same target; prepared statements are made anew. */
enum fd_code db_reconnect(struct db *db, struct fd_error *err);
/* Asked by db_reconnect where nobody listens on the target's socket: may start the server again. *socket, where set,
 * is where it listens now (xmalloc'ed, taken over). */
typedef enum fd_code db_revive_fn(void *arg, char **socket, struct fd_error *err);
/* `arg` must outlive the connection. Tried at most every 2 s. */
void db_on_absent(struct db *db, db_revive_fn *revive, void *arg);
bool db_is_doomed(const struct db *db);     /* only db_rollback is allowed */
bool db_is_connected(const struct db *db);  /* false after a loss */
int64_t db_connection_id(const struct db *db); /* from any thread; another one after each reconnect */
const struct db_target *db_target(const struct db *db); /* borrowed */
bool db_is_mariadb(const struct db *db);
const char *db_server_version(const struct db *db); /* borrowed */
/* Round trip of the last statement in microseconds; for the title bar. */
int64_t db_last_us(const struct db *db);
/* From any thread, with a target that db_target gave: ends the statement that `connection_id` runs, over a second connection. */
enum fd_code db_kill_query(const struct db_target *target, int64_t connection_id, struct fd_error *err);
/* Sets the session's clock to a wall time (SET timestamp), WALL_NONE back to real: demo and tests. */
enum fd_code db_set_clock(struct db *db, wall_t wall, struct fd_error *err);

/* Statements. All return FD_OK or fill err with: FD_RETRY (retry class: roll back, run the whole
 * transaction again), FD_DB_DOWN (link lost outside COMMIT, sql_errno says; roll back, reconnect,
 * run again), FD_EXISTS (1062; db_error_key names the key), FD_REFUSED (other business codes),
 * FD_CANCELLED (killed by db_kill_query), FD_INTERNAL (fatal). */
enum fd_code db_exec(struct db *db, struct db_query *query, const struct db_arg *args, size_t count, int64_t *changed_rows, struct fd_error *err);
int64_t db_insert_id(const struct db *db); /* of the last db_exec */
/* Name of the unique key in the last FD_EXISTS, without the table: "uk_order_no". Borrowed. */
const char *db_error_key(const struct db *db);
/* One value as integer (SQL NULL: *value untouched). FD_NOT_FOUND, not doomed, where no row came. */
enum fd_code db_value_int(struct db *db, struct db_query *query, const struct db_arg *args, size_t count, int64_t *value, struct fd_error *err);
/* One value as text into the arena; SQL NULL gives NULL. */
enum fd_code db_value_text(struct db *db, struct db_query *query, const struct db_arg *args, size_t count, struct arena *arena, const char **value, struct fd_error *err);

/* Rows: opened whole (all rows are in memory when it returns: keep lists paged). Text lives
 * in the rows' own memory until db_rows_close. One may be open at a time per query. */
struct db_rows;
enum fd_code db_select(struct db *db, struct db_query *query, const struct db_arg *args, size_t count, struct db_rows **rows, struct fd_error *err);
bool db_next(struct db_rows *rows);         /* to the next row; false at the end */
size_t db_row_count(const struct db_rows *rows);
bool db_is_null(const struct db_rows *rows, unsigned column);
int64_t db_get_int(const struct db_rows *rows, unsigned column);      /* NULL: 0 */
const char *db_get_text(const struct db_rows *rows, unsigned column); /* NULL: ""; borrowed from rows */
int64_t db_get_fen(const struct db_rows *rows, unsigned column);      /* DECIMAL; NULL: 0; FD_BUG where not one */
day_t db_get_day(const struct db_rows *rows, unsigned column);        /* NULL, 0000-00-00: DAY_NONE */
wall_t db_get_wall(const struct db_rows *rows, unsigned column);      /* NULL, zero date: WALL_NONE */
int db_get_minute(const struct db_rows *rows, unsigned column);       /* TIME; NULL or outside a day: -1 */
void db_rows_close(struct db_rows **rows);  /* frees and nulls; NULL is fine */

/* COMMIT. FD_OK, or FD_UNKNOWN: it may have committed; reconnect and run again with the same key. */
enum fd_code db_commit(struct db *db, struct fd_error *err);
/* ROLLBACK; clears the doom. A lost link counts as rolled back (returns FD_OK). */
void db_rollback(struct db *db);

/* Runs `fn` in one transaction and commits it. Whole-callback retry with full-jitter backoff
 * (5-200 ms, at most 8 tries and `limit_ms` in all) on FD_RETRY, on a lost link before COMMIT
 * (reconnects) and on FD_UNKNOWN at COMMIT (reconnects and runs again: `fn` must begin with its
 * request key). What remains after that: FD_AGAIN, FD_DB_DOWN or FD_UNKNOWN. `fn` may be called
 * several times and must not keep state from a call that failed. fn returning anything but FD_OK
 * rolls back. Where fn returns FD_OK and has written nothing the COMMIT just ends the read. */
typedef enum fd_code db_txn_fn(struct db *db, void *arg, struct fd_error *err);
enum fd_code db_txn(struct db *db, const char *label, int64_t limit_ms, db_txn_fn *fn, void *arg, struct fd_error *err);

/* Which run of the callback this is, 0 the first: for the log, and for the test build that shows what a
 * retry with another key would do. */
unsigned db_txn_run(const struct db *db);

/* Plain text statements without parameters: DDL in migrate, session set-up, tests. */
enum fd_code db_run(struct db *db, const char *sql, struct fd_error *err);

#endif
