/* What the searches look for and the data has planted. */
#ifndef FD_TESTS_BENCH_SEARCH_H
#define FD_TESTS_BENCH_SEARCH_H

#define PLANTED_PHONE_TAIL  "9711"
#define PLANTED_NUMBER_TAIL "ZZZ9"
#define PLANTED_WEEK        30 /* days from today to its first day */

#endif
