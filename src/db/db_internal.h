/* What the files of src/db share about a connection. The only header that includes mysql.h; nobody
 * outside src/db (and its tests) includes this one. */
#ifndef FD_DB_DB_INTERNAL_H
#define FD_DB_DB_INTERNAL_H

#include <mysql.h>
#include "base/money.h"
#include "db/db.h"

/* MariaDB Connector/C kept my_bool, libmysqlclient 8 went over to bool. */
#if defined(MARIADB_BASE_VERSION) || defined(LIBMARIADB)
#define FD_CLIENT_MARIADB 1
typedef my_bool db_flag;
#else
typedef bool db_flag;
#endif

/* One parameter of a prepared statement: which argument fills it and where its bytes stand. */
struct param {
    char *name;      /* without the colon; owned */
    size_t argument; /* index of the argument that filled it last time: the first guess of the next time */
    long long number;
    unsigned long bytes;
    db_flag null;
    char fen[FEN_TEXT];
};

/* How a column is fetched. */
enum column_kind { COLUMN_INT, COLUMN_TEXT, COLUMN_REAL, COLUMN_TIME };

struct column {
    enum column_kind kind;
    enum enum_field_types type; /* as the server said when it was bound; an ALTER may change it */
    bool is_unsigned;
    unsigned decimals; /* fraction digits of a time */
    char *text;        /* COLUMN_TEXT: buffer that grows; owned */
    unsigned long capacity, bytes; /* one byte more is allocated, for a terminator */
    long long number;
    double real;
    MYSQL_TIME time;
    db_flag null, error;
};

/* One query on one connection. Parsed once, prepared once per link, rows reused between calls. */
struct slot {
    char *sql; /* with ? in place of :name; NULL until the first use; owned */
    struct param *params;
    MYSQL_BIND *binds;
    unsigned param_count;
    size_t argument_count; /* of the call that was matched by name last */
    MYSQL_STMT *stmt; /* NULL: not prepared on this link */
    bool ran;         /* executed at least once since it was prepared */
    struct column *columns;
    MYSQL_BIND *column_binds;
    unsigned column_count;
    struct db_rows *rows; /* kept between calls; NULL until the first SELECT */
};

struct db {
    MYSQL *link; /* NULL: not connected */
    struct db_target target;
    struct slot *slots; /* by query->index */
    size_t slot_count;
    bool doomed;  /* only ROLLBACK may follow */
    bool running; /* inside db_txn */
    bool is_mariadb;
    unsigned run;        /* of the callback inside db_txn, 0 the first */
    unsigned statements; /* since the last COMMIT or ROLLBACK */
    _Atomic int64_t connection_id; /* asked by whoever wants to end what runs */
    int64_t insert_id, last_us;
    wall_t clock; /* WALL_NONE: the real one */
    db_revive_fn *revive; /* NULL: nothing to be done about a server that is gone */
    void *revive_arg;
    int64_t revived_ms; /* when that was tried last; 0 never */
    char version[64];
    char error_key[72];
};

/* sqlerror.c ---------------------------------------------------------------------------- */
enum sql_class {
    SQL_FATAL,    /* not in the table: ROLLBACK, stop, alarm */
    SQL_RETRY,    /* run the whole transaction again */
    SQL_LOST,     /* the link is gone; UNKNOWN where COMMIT was sent */
    SQL_NODE,     /* this node cannot serve us: connect again */
    SQL_BUSINESS, /* refused by a constraint or trigger */
    SQL_EXISTS,   /* 1062 */
    SQL_KILLED,   /* 1317: KILL QUERY; UNKNOWN at COMMIT */
    SQL_RIGHT     /* the account lacks a right */
};
enum sql_class sql_class_of(unsigned number);
/* Dooms the connection, drops the link where the class says so and fills err. `label` names the
 * statement for the log, `at_commit` makes everything that is not surely undone FD_UNKNOWN. */
enum fd_code sql_fail(struct db *db, const char *label, unsigned number, const char *state, const char *text,
                      bool at_commit, struct fd_error *err);
enum fd_code sql_fail_link(struct db *db, const char *label, bool at_commit, struct fd_error *err);
enum fd_code sql_fail_stmt(struct db *db, const char *label, MYSQL_STMT *stmt, struct fd_error *err);
/* The same for errors that the fault switch injects: 0 = none. */
enum fd_code sql_fail_injected(struct db *db, const char *label, int number, bool at_commit, struct fd_error *err);
/* FD_CONFIG: the account lacks `right` ("": not known which); `text` says for what. */
enum fd_code sql_lacks(const char *right, const char *text, struct fd_error *err);
/* Copies the server's sentence without the values it quotes (a phone must not reach the log). */
void sql_redact(unsigned number, const char *text, char *out, size_t out_bytes);
/* "Duplicate entry 'x' for key 't.uk'" -> "uk"; "" where the sentence names none. */
void sql_key_name(const char *text, char *out, size_t out_bytes);

/* connect.c ------------------------------------------------------------------------------- */
/* Closes the link; statements are prepared anew on the next one. */
void db_link_drop(struct db *db);
/* The database that a reconnect selects. */
void db_link_use(struct db *db, const char *database);
/* Opens a link to the target (complete: zone set, no empty texts) without any session set-up. NULL on failure (err filled). */
MYSQL *db_link_open(const struct db_target *target, struct fd_error *err);

/* session.c ------------------------------------------------------------------------------- */
/* Sets the session and reads it back; FD_CONFIG names what differs. */
enum fd_code db_session_start(struct db *db, struct fd_error *err);
bool db_zone_is_offset(const char *zone);

/* query.c --------------------------------------------------------------------------------- */
void db_query_index_all(void); /* idempotent, any thread */
/* Fills slot->sql and params from `:name` text. */
void db_query_parse(struct slot *slot, const char *sql);

/* statement.c ------------------------------------------------------------------------------ */
/* FD_BUG where the connection is doomed, FD_DB_DOWN (and doom) where it is not connected, an
 * injected fault where one is due; else FD_OK. Every statement passes here first. */
enum fd_code db_statement_gate(struct db *db, const char *label, struct fd_error *err);
/* Prepares where needed, binds, executes; the result set, if any, is not read yet. */
enum fd_code db_statement_run(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                           struct fd_error *err);
void db_statement_forget(struct slot *slot); /* closes the prepared statement, keeps the parse */
void db_slot_release(struct slot *slot);

/* A result: one growing block of cells and one of texts. */
enum cell_kind { CELL_NULL, CELL_INT, CELL_TEXT, CELL_DAY, CELL_TIME, CELL_WALL };

struct cell {
    unsigned char kind, decimals; /* enum cell_kind; fraction digits of a time */
    union {
        int64_t number; /* CELL_INT; CELL_DAY: day_t; CELL_TIME: microseconds; CELL_WALL: of wall_t */
        size_t offset;  /* CELL_TEXT: into rows->bytes */
    };
};

struct db_rows {
    const char *name; /* of the query, for FD_BUG */
    struct cell *cells;
    size_t count;      /* rows */
    size_t cell_limit; /* room in cells */
    size_t at;         /* 1-based; 0 before the first db_next */
    unsigned columns;
    struct buf bytes;
    struct arena extra; /* numbers and times that somebody reads as text */
    bool is_open, is_owned; /* owned by whoever opened it, not by the slot */
};

/* fetch.c ---------------------------------------------------------------------------------- */
/* Makes the column buffers for the statement's result; again where a type changed. */
void db_columns_bind(struct slot *slot);
void db_columns_release(struct slot *slot);
/* Reads the whole result of the statement that ran into rows (slot->rows where it is free). */
enum fd_code db_rows_read(struct db *db, struct db_query *query, struct db_rows **rows, struct fd_error *err);

/* rows.c ----------------------------------------------------------------------------------- */
/* An empty result for the slot's columns: the slot's own where it is free, else a new one. */
struct db_rows *db_rows_begin(struct slot *slot, const struct db_query *query);
void db_rows_add(struct db_rows *rows, struct slot *slot); /* copies the row that was fetched */
/* The slot goes away: its rows are freed, or left to their user where they are open. */
void db_rows_abandon(struct db_rows *rows);

#endif
