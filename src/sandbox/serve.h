/* The server: both gates on a loopback port, the control socket, the threads. */
#ifndef FD_SANDBOX_SERVE_H
#define FD_SANDBOX_SERVE_H
#include <stdint.h>
#include "base/error.h"

#define SERVE_UNSET INT64_MIN

struct serve_options {
    const char *folder; /* made 0700 where missing */
    int port;           /* 0: the one of the last start, else any that is free */
    const char *notify; /* where frontdesk notify listens, without a path */
    /* SERVE_UNSET: as the ledger says, at first the default. */
    int64_t one_minute;    /* the rule of two refunds: 1, 0 */
    int64_t auto_refund_s; /* below 0 never */
    int64_t serial;        /* enum serial_style: which key WeChat signs with */
    int ready_fd;          /* told "ok\n" when it answers; -1 none */
};
/* Serves until SIGTERM, SIGINT or `stop`. FD_EXISTS: one serves in this folder already. FD_IO, FD_CONFIG. */
enum fd_code serve_run(const struct serve_options *options, struct fd_error *err);
/* The same in a process of its own; returns when it answers. FD_OK too where one was there already. */
enum fd_code serve_start(struct serve_options *options, struct fd_error *err);
/* Ends the one that serves in this folder and waits for its end; *was: there was one. */
enum fd_code serve_stop(const char *folder, bool *was, struct fd_error *err);
#endif
