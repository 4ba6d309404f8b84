/* A hall in memory, written from the domain alone: what may happen to an order, and what follows from it. It shares no code
 * with the program; the tests compare the two step by step. Time is a number that the test turns. */
#ifndef FD_TESTS_FAULT_MODEL_H
#define FD_TESTS_FAULT_MODEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/when.h"

/* A set of codes: the reasons for which something is refused; 0: it is done. Where several apply, either may be told. */
typedef uint64_t reasons;
#define REASON(code) ((reasons)1 << (code))

enum m_state { M_PENDING_PAY, M_PAID, M_COMPLETED, M_CANCELLED, M_NO_SHOW, M_REFUNDING, M_REFUNDED, M_STATES };
extern const char *const m_state_names[M_STATES];
bool m_holds(enum m_state state); /* keeps its places */

/* The transition table alone: where the event leads; false where it is not allowed from there or not to that actor (a
 * letter: o operator, w worker, c channel, k kiosk). */
bool m_move(enum m_state from, const char *event, char actor, enum m_state *to);
/* The same with what the row must say: time over, nothing paid, no live code. */
struct m_order;
bool m_may(const struct m_order *order, const char *event, char actor, wall_t now, enum m_state *to);

#define M_SLOTS     4
#define M_ORDERS    160
#define M_CUSTOMERS 4
struct m_slot {
    int64_t id, total, remain, price_fen;
    int start, end; /* minutes */
    bool open;
};
struct m_order {
    char number[24];
    size_t slot;
    int customer; /* -1: a walk-in */
    int64_t quantity, total_fen, paid_fen, unit_fen, live;
    enum m_state state;
    wall_t expire;
    bool late; /* moved when its money did not go back freely any more */
};
struct m_world {
    wall_t now;
    day_t day;
    struct m_slot slots[M_SLOTS];
    struct m_order orders[M_ORDERS];
    size_t count;
    int freed; /* slot whose run-out holds may have been released by what was refused, -1 none */
};
/* Each returns why not, or changes the world. */
reasons m_book(struct m_world *world, int customer, size_t slot, int64_t quantity, bool pays);
reasons m_pay(struct m_world *world, size_t order, int64_t fen); /* 0: all */
reasons m_cancel(struct m_world *world, size_t order);
reasons m_check_in(struct m_world *world, size_t order);
reasons m_change(struct m_world *world, size_t order, size_t slot, int64_t quantity, bool pays);
void m_work(struct m_world *world); /* the worker's pass */
/* A hold whose time is over, so that whoever needs the place may release it. */
bool m_ran_out(const struct m_order *order, wall_t now);
void m_expire(struct m_world *world, size_t order);
#endif
