/* A hall for the tests of the venue floor: a real server with the whole schema, operators, and
 * helpers that make venues, slots and orders. Slots of different tests never share a place. */
#ifndef FD_TESTS_VENUE_HALL_H
#define FD_TESTS_VENUE_HALL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "core/operator.h"
#include "core/param.h"
#include "support/fixture.h"
#include "venue/booking.h"

struct hall {
    struct fixture fixture;
    struct config *config;
    struct db *db;     /* plain SQL of the test's own */
    struct db *online; /* the same as the online system: found rows, the triggers write */
    struct desk *clerk;
    struct desk *admin;
    struct desk *worker;
    day_t today;
    struct arena arena;
};
extern struct hall hall;

/* cmocka group set-up and tear-down. */
int hall_start(void **state);
int hall_stop(void **state);

/* Another connection with the same operator as `like`; for threads. desk_close. */
struct desk *hall_desk(const struct desk *like);
/* All three desks see this wall time, WALL_NONE the real one. */
void hall_clock(wall_t wall);
/* A new venue; form "COURT" … */
int64_t hall_venue(const char *form, const char *sport);
/* A slot of a venue by plain SQL; end at most 1440. */
int64_t hall_slot(int64_t venue_id, day_t day, int start_minute, int end_minute, int places, int price_fen);
/* A new court with one slot tomorrow 10:00-11:00 at 80.00. */
int64_t hall_court_slot(void);
/* A phone that no test had before; static buffer of 8 turns. */
const char *hall_phone(void);
/* Books one slot for a phone, unpaid; the number into the hall's arena. */
const char *hall_book(int64_t slot_id, const char *phone);
/* Books and pays in cash. */
const char *hall_book_paid(int64_t slot_id, const char *phone);
/* Booking with one line, to change as wanted. */
struct booking hall_booking(struct booking_line *line, int64_t slot_id, const char *phone);
extern const struct payment hall_cash; /* cash, exactly what is owed */
/* State, remaining places. */
const char *hall_state(const char *number);
int64_t hall_remain(int64_t slot_id);
/* What must always hold: stock equation, bounds, money of paid orders, a log row for each change. */
void hall_sound(void);
/* Puts an order into a state as the online system would, with its stock right. */
void hall_force(const char *number, const char *state);
/* Runs fn(index) in `count` threads that begin together. */
void hall_threads(size_t count, void (*fn)(size_t index, void *arg), void *arg);
#endif
