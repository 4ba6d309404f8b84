/* What the section about the console needs of the one about the grid. */
#ifndef FD_TESTS_BENCH_GRID_H
#define FD_TESTS_BENCH_GRID_H

#include "bench/bench.h"

/* A database with so many days of slots around today, today fully booked. */
void grid_set(struct bench *bench, const char *name, int64_t days);
/* The file that tells the trivial program what to read; xmalloc'ed path. */
char *grid_file(struct bench *bench, const char *database);

#endif
