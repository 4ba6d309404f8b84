/* Sample words for every action, and the world in which they make sense: a real private server with operators of every
 * role, and fresh venues, slots, orders and customers for each sample. */
#ifndef FD_TESTS_CLI_SAMPLES_H
#define FD_TESTS_CLI_SAMPLES_H
#include <stdbool.h>

#include "core/action.h"
#include "support/fixture.h"

enum sample_flag {
    S_SHOWS_PHONE = 1, /* a reading one that logs the phone that it showed */
    S_MARIADB = 2,     /* the private server must be a MariaDB; with a MySQL it is refused */
    S_AWAY = 4,        /* the database goes away under the connections: they are opened anew */
    S_CHANNEL = 8      /* the payment channels are configured meanwhile: a sandbox */
};
struct sample {
    const char *action; /* "order.book" */
    const char *words;  /* with places to fill in: "%order --cash 100" */
    const char *other;  /* other content for the same key; NULL for what only reads */
    unsigned flags;
    enum fd_code gives; /* FD_OK, or how it is refused here */
};
extern const struct sample samples[]; /* action NULL ends; several rows of one action are all run */

struct world {
    struct fixture fixture;
    struct config *config;
    struct db *db;                  /* the test's own SQL */
    struct desk *desks[ROLE_COUNT]; /* an operator of each role signed in; ROLE_NONE nobody; ROLE_WORKER NULL */
    day_t today;
};
extern struct world world;
extern const enum role world_roles[4]; /* those who have an operator */

void world_start(void);
void world_stop(void);
/* Closes all connections, starts a server that was stopped, and opens the test's own; then the operators sign in, which
 * writes log rows. */
void world_away(void);
void world_back(void);

/* The payment channels, configured or not, for all operators. */
void world_channels(bool on);

/* Fills in the places of a sample, each with something made for it. xmalloc'ed. */
char *sample_fill(const char *words);

/* One action as the `:` line runs it; `words` are separated by blanks. What it answered as JSON in *answer (may be
 * NULL), xmalloc'ed, NULL where it failed. */
struct asked {
    struct desk *desk; /* NULL: as A_NO_DB actions are called */
    const struct action *action;
    const char *words, *key, *reason;
};
enum fd_code ask(const struct asked *asked, char **answer, struct fd_error *err);
#endif
