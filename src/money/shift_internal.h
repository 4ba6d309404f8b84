/* What the files of shifts share. */
#ifndef FD_MONEY_SHIFT_INTERNAL_H
#define FD_MONEY_SHIFT_INTERNAL_H
#include "money/shift.h"
#include "outside/tree.h"

/* A shift with what its report has beside the sums. */
struct shift_full {
    struct shift_sum sum;
    const char *denominations; /* JSON, "" none */
    struct tree *moves;        /* cash put in and taken out, a list */
    struct tree *hand_over;    /* numbers by what they are */
};
/* The row alone: sums of money are those that the close wrote, 0 while it is open. FD_NOT_FOUND. */
enum fd_code shift_row(struct db *db, int64_t id, struct arena *arena, struct shift_full *full, struct fd_error *err);
/* Adds up what the drawer and the other tenders took, gave back and moved, as the rows are now. */
enum fd_code shift_money(struct db *db, struct arena *arena, struct shift_full *full, struct fd_error *err);
/* What the next person has to know: counts into the sum, numbers into the tree. */
enum fd_code shift_hand_over(struct db *db, struct arena *arena, struct shift_full *full, struct fd_error *err);
void shift_full_release(struct shift_full *full);
/* The report as JSON, in the arena. */
const char *shift_json(struct arena *arena, const struct shift_full *full);
/* Fills a sum from a stored report. False where it is none. */
bool shift_from_json(const char *json, struct arena *arena, struct shift_sum *sum);
/* The open shift of a terminal, locked for this transaction alone; 0 where there is none. */
enum fd_code shift_lock(struct op *op, int64_t *id, struct fd_error *err);
/* "No shift is open": who closed the last one and when. */
enum fd_code shift_none_open(struct op *op, struct fd_error *err);
#endif
