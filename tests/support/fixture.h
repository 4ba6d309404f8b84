/* A real private server for one test program: in a folder of its own, ended and removed whatever
 * becomes of the program (a guardian process waits for its end). Everything here stops the program
 * with a message where it fails: a test without its server has nothing to say. */
#ifndef FD_TESTS_SUPPORT_FIXTURE_H
#define FD_TESTS_SUPPORT_FIXTURE_H
#include <sys/types.h>
#include "base/error.h"
#include "db/db.h"
#include "db/server.h"

struct fixture {
    char *folder; /* of everything; HOME and the XDG folders point into it */
    struct server server;
    const char *database;
    pid_t guardian;
    int alive; /* write end of the guardian's pipe; closed = we are gone */
};

/* Cleans the environment (HOME, XDG_*, MYSQL_*, FRONTDESK_* but the server's program and options, rounds and teeth; LANG C.UTF-8),
 * starts the server and, where `migrate`, makes database "frontdesk" with the program's schema (else
 * the empty database "frontdesk"). */
void fixture_start(struct fixture *fixture, bool migrate);
/* Ends the server and removes the folder; also runs at exit. Safe twice. */
void fixture_stop(struct fixture *fixture);

/* The environment and folder only, no server: for programs that test without one. */
void fixture_environment(struct fixture *fixture);

/* Target and connection to the database: as frontdesk, and as the online system (found rows counted,
 * no request id in the session). New; db_close. */
struct db_target fixture_target(const struct fixture *fixture);
struct db *fixture_open(const struct fixture *fixture);
struct db *fixture_open_online(const struct fixture *fixture);
/* Through another socket, as a proxy's. */
struct db *fixture_open_socket(const struct fixture *fixture, const char *socket);

/* kill -9 to the server and wait for its end; start it again. */
void fixture_crash(struct fixture *fixture);
void fixture_restart(struct fixture *fixture);

/* Ad-hoc SQL: runs and commits; reads one integer or text (static buffer, "" for NULL), outside any
 * transaction of the test's: it ends with ROLLBACK. */
void fixture_sql(struct db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t fixture_int(struct db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fixture_text(struct db *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A child process that runs fn(arg) and exits with its result; never returns into the test. */
pid_t fixture_fork(int (*fn)(void *arg), void *arg);
/* In a child that is meant to abort: its last words go nowhere, it leaves no core. */
void fixture_quiet(void);
/* Waits for it: exit status, or minus the signal that ended it. */
int fixture_wait(pid_t child);

/* Fails the test with the error's texts unless the call gave the code. `err` must be in scope. */
#define must(call) fixture_must((call), FD_OK, &err, #call, __FILE__, __LINE__)
#define must_give(code, call) fixture_must((call), (code), &err, #call, __FILE__, __LINE__)
void fixture_must(enum fd_code code, enum fd_code wanted, struct fd_error *err, const char *call, const char *file, int line);

#endif
