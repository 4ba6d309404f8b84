/* What a fault test says in the end: one line, always the same words, and whether it may pass. A run whose faults
 * never hit has shown nothing and fails as toothless. */
#ifndef FD_TESTS_FAULT_TALLY_H
#define FD_TESTS_FAULT_TALLY_H
#include <stdbool.h>
#include <stdint.h>

struct tally {
    const char *name;     /* "Q4 unknown COMMIT" */
    int64_t acked;        /* answered with done */
    int64_t unknown;      /* faults after which only the database knows the outcome */
    int64_t unknown_done; /* of these: done */
    int64_t retries;      /* runs beyond the first, or asked again with the same key */
    int64_t duplicates, lost, broken;
    int64_t least_unknown; /* fewer are toothless; 0: the test has no unknown outcomes by nature */
};
/* SEED of the environment, else the month's fixed one. The same in all programs of one run. */
uint64_t tally_seed(void);
/* A number that the suite, the sanitizers (a quarter, at least 1) and the long programme (FRONTDESK_TEST_ROUNDS times)
 * have different measures for. */
int tally_rounds(int usual);
/* Prints the line; fails the cmocka test where something was lost, doubled or broken, or the run was toothless. */
void tally_close(const struct tally *tally);

/* Random numbers of a test's own, the same for the same seed everywhere. */
struct chance {
    uint64_t state;
};
struct chance chance_from(uint64_t seed, uint64_t stream);
uint32_t chance_below(struct chance *chance, uint32_t limit);
/* True so many times of 100. */
bool chance_percent(struct chance *chance, uint32_t percent);

/* Runs only the tests that the environment's ONLY names (with * and ?). */
void tally_filter(void);
#endif
