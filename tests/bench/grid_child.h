/* The day grid of the program, read and painted on demand. */
#ifndef FD_TESTS_BENCH_GRID_CHILD_H
#define FD_TESTS_BENCH_GRID_CHILD_H

/* Runs in a child process on a pseudo-terminal: F5 as the console does it (job, desk thread, view, frame), but all
 * of the picture is sent. Answers on descriptor 3 as `trivial FILE paint` does. The exit status. */
int grid_child(const char *socket, const char *database);

#endif
