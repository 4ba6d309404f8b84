/* The private server: frontdesk's own MariaDB (or MySQL, where FRONTDESK_SERVER_PROGRAM names a
 * mysqld) under a data folder, socket only, started on demand, stopped by `server stop`. Source:
 * architecture section 7. A file lock in the folder guards starting, migrating and stopping, so
 * two terminals that start at once get one server. */
#ifndef FD_DB_SERVER_H
#define FD_DB_SERVER_H
#include <stdbool.h>
#include "base/error.h"
#include "db/db.h"

struct server {
    char *folder; /* data folder; the database files are in folder/db, log in folder/server.log */
    char *socket; /* its socket, in a short 0700 folder; at most 100 bytes */
};
/* Finds names; starts nothing. `folder` NULL: the user's data folder. Contents owned; server_release. */
enum fd_code server_init(struct server *server, const char *folder, struct fd_error *err);
void server_release(struct server *server);
/* Starts it where it does not run (installing the data files the first time) and waits until it
 * answers; *started tells whether this call did. mariadbd --no-defaults, --user where root,
 * max_connections 500, own process session, closed descriptors. FD_DB_DOWN with the last line
 * of the server's log. */
enum fd_code server_start(struct server *server, bool *started, struct fd_error *err);
/* Asks it to shut down and waits until the process is gone. FD_OK where it did not run. */
enum fd_code server_stop(struct server *server, struct fd_error *err);
/* Starts again a server that ended by itself, crashed or killed. FD_DB_DOWN where `server stop` ended it: somebody
 * wants it so. */
enum fd_code server_revive(struct server *server, struct fd_error *err);
bool server_runs(struct server *server); /* answers a ping on its socket */
int server_pid(struct server *server);   /* 0 where it does not run */
/* Takes the folder's lock (blocking, with the time limit; server_start and server_stop take it themselves); returns the descriptor to close, -1 on failure
 * with errno: EWOULDBLOCK where another program has it. */
int server_lock(struct server *server, int64_t limit_ms);
/* Target that connects to it: socket, account that the installation made. Strings borrowed from server. */
struct db_target server_target(const struct server *server, const char *database);
#endif
