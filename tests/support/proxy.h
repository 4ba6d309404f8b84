/* A unix-socket proxy in front of the server that reads enough of the protocol to meet COMMIT: it can
 * cut the link before the COMMIT goes on or after its answer came, freeze and delay. A process of its
 * own (one more per connection); switches and counters in shared memory, so they can be set any time. */
#ifndef FD_TESTS_SUPPORT_PROXY_H
#define FD_TESTS_SUPPORT_PROXY_H
#include <stdatomic.h>
#include <sys/types.h>

struct proxy_control {
    /* The next n COMMITs, each: cut before it is forwarded; cut after the server answered it. */
    atomic_int cut_before, cut_after;
    /* The same for so many of 100 COMMITs at random (`seed`). */
    atomic_int percent_before, percent_after, seed;
    atomic_int refuse;   /* 1: a new connection is closed at once */
    atomic_int freeze;   /* 1: nothing passes in either direction */
    atomic_int delay_ms; /* before each message of the client */
    atomic_int cut_all;  /* counted up: every open connection is cut now */
    /* Counters. */
    atomic_int connections, prepares, executes, queries, commits, was_cut_before, was_cut_after;
};

struct proxy {
    char *socket; /* connect here */
    pid_t pid;
    struct proxy_control *control;
};

/* Listens on `socket` (path, at most 100 bytes), forwards to `server`. Stops the program on failure. */
void proxy_start(struct proxy *proxy, const char *socket, const char *server);
void proxy_stop(struct proxy *proxy); /* ends all its connections */
void proxy_reset(struct proxy *proxy); /* switches off and counters to 0 */
#endif
