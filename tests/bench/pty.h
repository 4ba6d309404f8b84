/* A program in a pseudo-terminal: what it writes is timed, counted and searched, not drawn. */
#ifndef FD_TESTS_BENCH_PTY_H
#define FD_TESTS_BENCH_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pty {
    pid_t pid;
    int master;
    int control;              /* socket to the child's descriptor PTY_CONTROL; -1 none */
    size_t bytes;             /* read since pty_mark */
    double first_ms, last_ms; /* when the first and the last byte since pty_mark came */
    char tail[16384];         /* the last bytes, for pty_wait */
    size_t tail_bytes;
};

#define PTY_CONTROL 3

/* Starts argv in a terminal of that size; with a control socket where asked. env: "NAME=value" … NULL. */
void pty_start(struct pty *pty, char *const *argv, char *const *env, int rows, int columns, bool control);
void pty_mark(struct pty *pty);
void pty_send(struct pty *pty, const char *keys);
/* Reads what comes within timeout_ms; false where nothing came. */
bool pty_read(struct pty *pty, int timeout_ms);
/* Reads until nothing has come for quiet_ms. */
void pty_quiet(struct pty *pty, int quiet_ms);
/* Reads until all `count` texts have come since pty_mark; the moment of the last one. Ends the program after 20 s. */
double pty_wait(struct pty *pty, const char *const *texts, size_t count);
/* Asks the child over the control socket for `count` figures while its output is read away. */
void pty_figures(struct pty *pty, double *figures, int count);
/* Ends the child and waits for it. */
void pty_stop(struct pty *pty);
/* Resident memory of the child, MiB. */
double pty_rss_mib(const struct pty *pty);

#endif
