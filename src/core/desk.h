/* Who acts, where, and on which connection. One per thread that talks to the database. */
#ifndef FD_CORE_DESK_H
#define FD_CORE_DESK_H
#include "base/config.h"
#include "base/token.h"
#include "db/db.h"
#include "db/migrate.h"

#define NAME_BYTES 65 /* operator, terminal: VARCHAR(64) in characters; ours are ASCII or cut */
#define DISPLAY_BYTES 257

enum role { ROLE_NONE, ROLE_CLERK, ROLE_FINANCE, ROLE_ADMIN, ROLE_KIOSK, ROLE_WORKER, ROLE_COUNT };
const char *role_name(enum role role);           /* "clerk"; static */
const char *role_label(enum role role);          /* translated: 前台 */
enum role role_from_name(const char *name);      /* ROLE_NONE where unknown */

struct desk {
    struct db *db;              /* owned */
    const struct config *config; /* borrowed */
    int64_t operator_id;        /* 0: nobody signed in */
    char operator[NAME_BYTES];  /* account name, "" nobody */
    char operator_label[DISPLAY_BYTES];
    enum role role;
    char terminal[NAME_BYTES];
    char run_id[KEY_BYTES];     /* worker runs; else "" */
    struct param_cache *params; /* owned; core/param.h */
    char allowed[64];           /* action whose right was seen last, and when: what refuses before the transaction asks */
    int64_t allowed_ms;         /* only then */
    bool in_txn;                /* an op or a desk_read runs on it now */
    struct channels *channels;  /* owned; read on first use: money/code.h, desk_channel */
    bool channels_read;
    bool no_channel;            /* call no channel from here: what would have to answers FD_LIVE_CODE at once */
    const char *reason;         /* borrowed: --reason of the call that runs now, for a request that names none; NULL */
};
/* Opens the connection (starting and, where behind, migrating a private server), checks schema and
 * rules. FD_DB_DOWN, FD_SCHEMA, FD_CONFIG. New; desk_close. */
enum fd_code desk_open(const struct config *config, struct desk **desk, struct fd_error *err);
/* Like desk_open on an open target, without private server: tests, worker threads. */
enum fd_code desk_open_at(const struct config *config, const struct db_target *target, struct desk **desk, struct fd_error *err);
void desk_close(struct desk **desk);
/* What `config` points at; a private server is not started. Strings borrowed from config/static until the next call. */
enum fd_code desk_target(const struct config *config, struct db_target *target, struct fd_error *err);
bool desk_is_private(const struct config *config); /* no flag, [database] or option file's [frontdesk] names host or socket, or --data is given */
/* Runs reads in a transaction of their own, again after a lost link (db_txn), so that no read leaves one open;
 * inside an op or another desk_read it just calls `fn`. `fn` may be called several times. For everything that
 * takes a `struct db` and only reads: order_find, pay_owed, order_story, venue_list … */
enum fd_code desk_read(struct desk *desk, const char *label, db_txn_fn *fn, void *arg, struct fd_error *err);
/* What `frontdesk migrate` does: migrate_run, rules_load, actions_grant_defaults (actions must be registered).
 * `db` may have no database selected; rules and roles then go over a second connection. */
enum fd_code desk_migrate(struct db *db, const char *database, migrate_say *say, void *arg, struct fd_error *err);
/* The database's NOW(), one round trip. */
enum fd_code desk_now(struct desk *desk, wall_t *now, struct fd_error *err);
#endif
