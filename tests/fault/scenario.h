/* What a clerk and the worker do, each as something that can be made ready, done, and counted afterwards: the faults of
 * points.c, errors.c and shortage.c meet every one of them. On the hall of tests/venue, with its clock at half past nine. */
#ifndef FD_TESTS_FAULT_SCENARIO_H
#define FD_TESTS_FAULT_SCENARIO_H
#include "tests/venue/hall.h"

/* One thing to do, on places and customers that nothing else uses. */
struct stand {
    day_t day;
    int64_t venue, slot, other, third; /* 10:00, 11:00, 12:00 */
    char number[NUMBER_BYTES];         /* of the order it is about; "" none */
    char key[KEY_BYTES], phone[PHONE_BYTES], sport[24];
};
struct scenario {
    const char *name;
    enum role role;
    int at;                              /* minute of the day at which it is done; 0: half past nine */
    void (*make)(struct stand *stand);   /* the order and whatever else must be there; NULL: nothing */
    enum fd_code (*run)(struct desk *desk, const struct stand *stand, struct fd_error *err);
    /* How often it has been done, -1: by halves. {key} {no} {slot} {other} {third} {venue} {phone}; NULL: it only reads. */
    const char *done;
};
extern const struct scenario scenarios[]; /* name NULL ends */

void stand_make(const struct scenario *scenario, struct stand *stand);
/* The hall's desk of that role. */
struct desk *stand_hall_desk(const struct scenario *scenario);
/* A connection of its own that acts so, with the hall's clock. desk_close. */
struct desk *stand_desk(const struct scenario *scenario);
int64_t stand_done(const struct scenario *scenario, const struct stand *stand);
/* Runs it to the end with the key that was cut off; how often it is done then. Prints what it answered where it is not done. */
int64_t stand_again(const struct scenario *scenario, const struct stand *stand);
/* The day is over: one pass of the worker. The next stands are of the next day. */
void stand_close_day(void);
/* The doctor without any grace, on all days that are over; says which rules are broken and returns how many. */
int64_t stand_doctor(const char *what);
#endif
