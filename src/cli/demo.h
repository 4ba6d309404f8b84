/* The demo hall: what ./demo shows. It is made with the functions that clerks use, under a clock that is set back, so
 * that past days look as a worked day looks. Deterministic but for the dates. */
#ifndef FD_CLI_DEMO_H
#define FD_CLI_DEMO_H
#include "core/desk.h"
#include "money/pay.h"
#include "venue/slot.h"

#define DEMO_DAYS_BEFORE 4
#define DEMO_DAYS_AFTER  9 /* 14 days with today */

struct demo_venue {
    struct venue_edit edit;
    int open_minute, close_minute, length_minutes; /* of each slot */
    int64_t total_count, price_fen;
    const struct price_band *bands;
    size_t band_count;
    unsigned busy_percent; /* slots that somebody books, at midday */
};
extern const struct demo_venue demo_venues[]; /* edit.name NULL ends */

struct demo_customer {
    const char *phone, *name, *note, *alert; /* note, alert NULL: none */
};
extern const struct demo_customer demo_customers[]; /* phone NULL ends */
#define DEMO_CUSTOMERS 32

struct demo_operator {
    const char *name, *label;
    enum role role;
};
extern const struct demo_operator demo_operators[]; /* name NULL ends; the first is the administrator */

/* Acts as an operator of the demo without a password: the loader made them itself. */
enum fd_code demo_act_as(struct desk *desk, const char *name, struct fd_error *err);
/* Plays the life of the slots of days from..to: bookings, payments, check-ins, cancellations, online orders, each at
 * its own time as far as that is not after `now`; none before `begin`. `showcase`: also one order of every state today.
 */
struct demo_play {
    day_t from, to;
    wall_t begin, now;
    bool showcase;
    int64_t orders; /* out: made */
};
enum fd_code demo_play(struct desk *desk, struct demo_play *play, struct fd_error *err);
#endif
