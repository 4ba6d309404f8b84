/* Two desks that do something to the same order in the same instant, many times. */
#ifndef FD_TESTS_FAULT_MEET_H
#define FD_TESTS_FAULT_MEET_H
#include "tally.h"
#include "tests/venue/hall.h"

/* One round. */
struct meeting {
    int64_t slot, other;               /* two places that only this round uses */
    char number[NUMBER_BYTES], second[NUMBER_BYTES]; /* orders made ready; "" none */
    enum fd_code code[2];              /* what each side was told */
    bool done[2];                      /* by this side; one whose FD_OK does not say it clears it */
};
typedef enum fd_code side_fn(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err);
struct meet {
    const char *name;
    int rounds, places;
    enum role role[2];                 /* ROLE_CLERK or ROLE_WORKER */
    void (*make)(struct desk *desk, struct meeting *meeting, size_t round); /* in several threads at once */
    side_fn *side[2];
    int held_up;                       /* this side waits up to 2.5 ms at random: the other reads more before it writes */
    /* Counts what is wrong with a round: tally->lost, duplicates, broken. */
    void (*judge)(const struct meeting *meeting, size_t round, struct tally *tally);
};
/* Lets them meet, judges each round, asks the doctor, closes the tally. *first, *second (NULL: not wanted): rounds in which
 * only that side was told that it was done. */
void meet_run(const struct meet *meet, int64_t *first, int64_t *second);
/* Whatever happens, nobody reads of deadlocks: aborts where a refusal says nothing or says that. */
enum fd_code meet_told(enum fd_code code, const struct fd_error *err);
/* Prints a broken round and counts it. */
void meet_wrong(int64_t *count, const struct meeting *meeting, const char *what);
/* Opens and closes the desks of all threads. */
int meet_start(void **state);
int meet_stop(void **state);
/* Slots of a new venue, `count` of them, made by one action of the administrator; ids in slots[]. */
void meet_slots(size_t count, int places, int64_t *slots);
struct desk *meet_desk(size_t thread); /* 0..15 */
#define MEET_THREADS 16
#endif
