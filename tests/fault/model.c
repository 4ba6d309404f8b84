#include "model.h"

#include <string.h>

#define MINUTE            60
#define HOLD_MINUTES      15
#define CHECK_IN_MINUTES  60
#define FREE_MINUTES      120
#define DEAD_MINUTES      120
#define UNPAID_HOLDS_MOST 3

const char *const m_state_names[M_STATES] = {"PENDING_PAY", "PAID",      "COMPLETED", "CANCELLED",
                                             "NO_SHOW",     "REFUNDING", "REFUNDED"};

bool m_holds(enum m_state state)
{
    return state != M_CANCELLED && state != M_REFUNDED;
}

/* The table of the domain, once more by hand. */
static const struct {
    enum m_state from;
    const char *event;
    enum m_state to;
    const char *actors;
} moves[] = {
    {M_PENDING_PAY, "tender", M_PENDING_PAY, "oc"},
    {M_PENDING_PAY, "pay", M_PAID, "oc"},
    {M_PENDING_PAY, "expire", M_CANCELLED, "wo"},
    {M_PENDING_PAY, "cancel", M_CANCELLED, "o"},
    {M_PENDING_PAY, "move", M_PENDING_PAY, "o"},
    {M_PENDING_PAY, "change", M_PENDING_PAY, "o"},
    {M_PAID, "move", M_PAID, "o"},
    {M_PAID, "change", M_PAID, "o"},
    {M_PAID, "tender", M_PAID, "oc"},
    {M_PAID, "check_in", M_COMPLETED, "ok"},
    {M_PAID, "refund", M_REFUNDING, "o"},
    {M_PAID, "miss", M_NO_SHOW, "w"},
    {M_REFUNDING, "refund_ok", M_REFUNDED, "oc"},
    {M_REFUNDING, "refund_fail", M_PAID, "oc"},
    {M_PENDING_PAY, "reject", M_PENDING_PAY, "o"},
    {M_PAID, "reject", M_PAID, "o"},
    {M_REFUNDING, "reject", M_REFUNDING, "o"},
    {M_COMPLETED, "reject", M_COMPLETED, "o"},
    {M_NO_SHOW, "reject", M_NO_SHOW, "o"},
    {M_COMPLETED, "tender", M_COMPLETED, "oc"},
    {M_NO_SHOW, "tender", M_NO_SHOW, "oc"},
};

bool m_move(enum m_state from, const char *event, char actor, enum m_state *to)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].from == from && strcmp(moves[i].event, event) == 0 && strchr(moves[i].actors, actor)) {
            *to = moves[i].to;
            return true;
        }
    return false;
}

static bool code_lives(const struct m_order *order, wall_t now)
{
    return order->live > 0 && order->expire + DEAD_MINUTES * MINUTE >= now;
}

bool m_ran_out(const struct m_order *order, wall_t now)
{
    return order->state == M_PENDING_PAY && order->expire < now && order->paid_fen == 0 && !code_lives(order, now);
}

bool m_may(const struct m_order *order, const char *event, char actor, wall_t now, enum m_state *to)
{
    if (!m_move(order->state, event, actor, to))
        return false;
    if (strcmp(event, "expire") == 0)
        return m_ran_out(order, now);
    return strcmp(event, "cancel") != 0 || !code_lives(order, now);
}

static wall_t start_of(const struct m_world *world, size_t slot)
{
    return wall_at(world->day, world->slots[slot].start);
}

static wall_t end_of(const struct m_world *world, size_t slot)
{
    return wall_at(world->day, world->slots[slot].end);
}

static void leave(struct m_world *world, struct m_order *order, enum m_state state)
{
    if (m_holds(order->state) && !m_holds(state))
        world->slots[order->slot].remain += order->quantity;
    order->state = state;
}

void m_expire(struct m_world *world, size_t order)
{
    leave(world, &world->orders[order], M_CANCELLED);
}

static int64_t run_out_places(const struct m_world *world, size_t slot)
{
    int64_t places = 0;
    for (size_t i = 0; i < world->count; i++)
        if (world->orders[i].slot == slot && m_ran_out(&world->orders[i], world->now))
            places += world->orders[i].quantity;
    return places;
}

static void release_run_out(struct m_world *world, size_t slot)
{
    for (size_t i = 0; i < world->count; i++)
        if (world->orders[i].slot == slot && m_ran_out(&world->orders[i], world->now))
            m_expire(world, i);
}

/* Whether places are there for the taking. What runs out there goes first where it must. */
static reasons want(struct m_world *world, size_t slot, int64_t quantity)
{
    struct m_slot *wanted = &world->slots[slot];
    reasons why = 0;
    if (world->now >= end_of(world, slot))
        why |= REASON(FD_SLOT_OVER);
    if (!wanted->open)
        why |= REASON(FD_SLOT_CLOSED);
    if (why)
        return why;
    if (wanted->remain < quantity && run_out_places(world, slot) > 0) {
        world->freed = (int)slot;
        release_run_out(world, slot);
    }
    return wanted->remain < quantity ? REASON(FD_SLOT_TAKEN) : 0;
}

static bool has_order(const struct m_world *world, int customer, size_t slot, const struct m_order *but)
{
    for (size_t i = 0; i < world->count; i++) {
        const struct m_order *order = &world->orders[i];
        if (order != but && order->customer == customer && customer >= 0 && order->slot == slot &&
            m_holds(order->state))
            return true;
    }
    return false;
}

static int unpaid_holds(const struct m_world *world, int customer)
{
    int holds = 0;
    for (size_t i = 0; i < world->count; i++) {
        const struct m_order *order = &world->orders[i];
        holds += order->customer == customer && order->state == M_PENDING_PAY && order->expire >= world->now;
    }
    return holds;
}

static wall_t earlier(wall_t a, wall_t b)
{
    return a < b ? a : b;
}

/* What is refused leaves the world as it was, but for the holds that it may have released. */
static reasons refuse(struct m_world *world, const struct m_world *before, reasons why)
{
    int freed = world->freed;
    *world = *before;
    world->freed = freed;
    return why;
}

reasons m_book(struct m_world *world, int customer, size_t slot, int64_t quantity, bool pays)
{
    const struct m_world before = *world;
    reasons why = want(world, slot, quantity);
    if (customer < 0 && !pays)
        why |= REASON(FD_BAD_INPUT);
    if (has_order(world, customer, slot, NULL))
        why |= REASON(FD_HAS_ORDER);
    if (!pays && customer >= 0 && unpaid_holds(world, customer) >= UNPAID_HOLDS_MOST)
        why |= REASON(FD_HOLD_LIMIT);
    if (why)
        return refuse(world, &before, why);
    struct m_slot *taken = &world->slots[slot];
    struct m_order *order = &world->orders[world->count++];
    *order = (struct m_order){.slot = slot, .customer = customer, .quantity = quantity, .unit_fen = taken->price_fen};
    order->total_fen = quantity * taken->price_fen;
    order->paid_fen = pays ? order->total_fen : 0;
    order->state = pays ? M_PAID : M_PENDING_PAY;
    order->expire = earlier(world->now + HOLD_MINUTES * MINUTE, end_of(world, slot));
    taken->remain -= quantity;
    return 0;
}

reasons m_pay(struct m_world *world, size_t at, int64_t fen)
{
    struct m_order *order = &world->orders[at];
    int64_t owes = order->state == M_PENDING_PAY ? order->total_fen - order->paid_fen : 0;
    if (owes == 0)
        return REASON(FD_REFUSED) | REASON(FD_WRONG_STATE);
    if (fen > owes)
        return REASON(FD_BAD_INPUT);
    order->paid_fen += fen ? fen : owes;
    if (order->paid_fen == order->total_fen)
        order->state = M_PAID;
    return 0;
}

static bool is_late(const struct m_world *world, const struct m_order *order)
{
    return order->late || world->now > start_of(world, order->slot) - FREE_MINUTES * MINUTE;
}

static reasons why_no_money_back(const struct m_world *world, const struct m_order *order)
{
    wall_t start = start_of(world, order->slot);
    if (world->now >= start)
        return REASON(FD_TOO_LATE) | REASON(FD_NO_PERMISSION);
    return is_late(world, order) ? REASON(FD_NO_PERMISSION) | REASON(FD_TOO_LATE) : 0;
}

reasons m_cancel(struct m_world *world, size_t at)
{
    struct m_order *order = &world->orders[at];
    if (order->state == M_PENDING_PAY) {
        if (code_lives(order, world->now))
            return REASON(FD_LIVE_CODE);
        leave(world, order, M_CANCELLED);
        order->paid_fen = 0; /* what was paid of it goes back */
        return 0;
    }
    if (order->state != M_PAID)
        return REASON(FD_WRONG_STATE);
    reasons why = why_no_money_back(world, order);
    if (why)
        return why;
    leave(world, order, M_REFUNDED);
    order->paid_fen = 0;
    return 0;
}

reasons m_check_in(struct m_world *world, size_t at)
{
    struct m_order *order = &world->orders[at];
    if (order->state == M_PENDING_PAY)
        return REASON(FD_UNPAID);
    if (order->state != M_PAID)
        return REASON(FD_WRONG_STATE);
    if (world->now < start_of(world, order->slot) - CHECK_IN_MINUTES * MINUTE)
        return REASON(FD_TOO_EARLY);
    if (world->now >= end_of(world, order->slot))
        return REASON(FD_TOO_LATE);
    order->state = M_COMPLETED;
    return 0;
}

/* Money that the change asks for, or that cannot go back any more: less only in the free window. */
static reasons settle(const struct m_world *world, const struct m_order *order, int64_t total_fen, bool pays)
{
    if (total_fen < 0)
        return REASON(FD_BAD_INPUT);
    if (order->state != M_PAID)
        return 0;
    if (total_fen > order->total_fen && !pays)
        return REASON(FD_UNPAID);
    return total_fen < order->total_fen ? why_no_money_back(world, order) : 0;
}

/* A move (another slot) or another quantity; one of the two. */
reasons m_change(struct m_world *world, size_t at, size_t slot, int64_t quantity, bool pays)
{
    const struct m_world before = *world;
    struct m_order *order = &world->orders[at];
    bool moves_on = slot != order->slot;
    if (order->state != M_PAID && order->state != M_PENDING_PAY)
        return REASON(FD_WRONG_STATE);
    if (!moves_on && quantity == order->quantity)
        return REASON(FD_BAD_INPUT);
    int64_t more = moves_on ? quantity : quantity - order->quantity;
    int64_t unit = moves_on ? world->slots[slot].price_fen : order->unit_fen;
    int64_t total = moves_on ? quantity * unit : order->total_fen + more * unit;
    reasons why = settle(world, order, total, pays);
    if (world->now >= end_of(world, order->slot))
        why |= REASON(FD_TOO_LATE);
    /* A code that can still be paid says another amount. */
    if (total != order->total_fen && code_lives(order, world->now))
        why |= REASON(FD_LIVE_CODE);
    if (more > 0)
        why |= want(world, slot, more);
    if (!m_holds(order->state))
        why |= REASON(FD_WRONG_STATE); /* it stood in its own way, and its time was over */
    if (moves_on && has_order(world, order->customer, slot, order))
        why |= REASON(FD_HAS_ORDER);
    if (why)
        return refuse(world, &before, why);
    if (moves_on) {
        world->slots[order->slot].remain += order->quantity;
        order->late = order->state == M_PAID && is_late(world, order);
    }
    world->slots[slot].remain -= more;
    if (moves_on && order->state == M_PENDING_PAY) {
        wall_t least = world->now + HOLD_MINUTES * MINUTE;
        order->expire = order->expire < least ? least : order->expire;
        order->expire = earlier(order->expire, end_of(world, slot));
    }
    if (order->state == M_PAID || order->paid_fen > total)
        order->paid_fen = total;
    order->slot = slot;
    order->quantity = quantity;
    order->unit_fen = unit;
    order->total_fen = total;
    if (order->paid_fen == total && total > 0)
        order->state = M_PAID;
    return 0;
}

void m_work(struct m_world *world)
{
    for (size_t i = 0; i < world->count; i++) {
        struct m_order *order = &world->orders[i];
        if (m_ran_out(order, world->now))
            m_expire(world, i);
        else if (order->state == M_PAID && world->now > end_of(world, order->slot))
            order->state = M_NO_SHOW;
    }
}
