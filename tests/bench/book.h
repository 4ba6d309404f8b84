/* A booking, ours and bare: the same statements with values of the same shape. */
#ifndef FD_TESTS_BENCH_BOOK_H
#define FD_TESTS_BENCH_BOOK_H

#include "bench/bench.h"
#include "venue/booking.h"

enum book_order { BEST_ORDER, STOCK_FIRST };

/* The bare twin of a desk that books. */
struct bare_desk;
struct bare_desk *bare_desk_new(struct bench *bench, const char *database);
void bare_desk_free(struct bare_desk **desk);
struct bare *bare_desk_link(struct bare_desk *desk);

/* Which slots and customers a run of bookings uses: operation n takes slot first_slot + (from_slot + n) % slots
 * for customer first_customer + n. */
struct booking_run {
    int64_t first_slot, slots, from_slot;
    int64_t first_customer;
    day_t first_day; /* of first_slot */
    enum book_order order;
};
/* Learns from one booking of ours which statements a booking sends. Once, before the first twin is made. */
void book_learn(struct bench *bench, const char *database, const struct booking_run *run);
/* client_fn with a struct booking_run: books by the client's desk, or its bare twin; counts the answer. */
void book_ours(struct client *client, int64_t n, const void *arg);
void book_bare(struct client *client, int64_t n, const void *arg);
/* Only the conditional UPDATE that takes the place, and the end of its transaction. */
void take_bare(struct client *client, int64_t n, const void *arg);

#endif
