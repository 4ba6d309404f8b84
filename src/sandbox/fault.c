#include "sandbox/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"

const struct fault fault_table[FAULT_COUNT] = {
#define X(id, name, place, op, random, help) {name, place, op, random, help},
    FAULT_TABLE(X)
#undef X
};

const char *op_name(enum op op)
{
    static const char *const names[OP_COUNT] = {"create", "query",        "close",        "cancel",
                                                "refund", "refund-query", "certificates", "notice"};
    return op < OP_COUNT ? names[op] : "";
}

enum fault_id fault_named(const char *name)
{
    for (int id = 0; id < FAULT_COUNT; id++)
        if (strcmp(fault_table[id].name, name) == 0)
            return (enum fault_id)id;
    return FAULT_COUNT;
}

/* splitmix64: the same seed gives the same misfortunes. */
static uint64_t dice(struct faults *faults, uint64_t below)
{
    uint64_t z = faults->seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % below;
}

static enum fault_id any_random(struct faults *faults, bool of_notices)
{
    enum fault_id candidates[FAULT_COUNT];
    size_t count = 0;
    for (int id = 0; id < FAULT_COUNT; id++)
        if (fault_table[id].random && (fault_table[id].place == PLACE_NOTICE) == of_notices)
            candidates[count++] = (enum fault_id)id;
    return candidates[dice(faults, count)];
}

static bool fits(const struct fault_order *order, int gate, enum op op)
{
    if (order->left == 0 || (order->gate >= 0 && order->gate != gate))
        return false;
    enum op wanted = order->op >= 0 ? (enum op)order->op : fault_table[order->id].op;
    return wanted == op || (wanted == OP_COUNT && op != OP_NOTICE);
}

struct strike faults_take(struct faults *faults, int gate, enum op op)
{
    struct strike strike = {0};
    bool placed[PLACE_COUNT] = {false};
    for (size_t i = 0; i < faults->count; i++) {
        struct fault_order *order = &faults->orders[i];
        /* A notification can be forged first and come twice after that; two signatures it cannot have. */
        bool taken = placed[fault_table[order->id].place] && op != OP_NOTICE;
        if (!fits(order, gate, op) || taken || strike.on[order->id])
            continue;
        placed[fault_table[order->id].place] = strike.on[order->id] = true;
        strike.ms = order->ms ? order->ms : strike.ms;
        order->left -= order->left > 0;
    }
    if (faults->percent > 0 && dice(faults, 100) < (uint64_t)faults->percent)
        strike.on[any_random(faults, op == OP_NOTICE)] = true;
    return strike;
}

void faults_order(struct faults *faults, const struct fault_order *order)
{
    faults->orders = xrealloc(faults->orders, faults->count + 1, sizeof *faults->orders);
    faults->orders[faults->count++] = *order;
}

void faults_cancel(struct faults *faults, enum fault_id id)
{
    for (size_t i = 0; i < faults->count; i++)
        if (id == FAULT_COUNT || faults->orders[i].id == id)
            faults->orders[i].left = 0;
    if (id == FAULT_COUNT)
        faults->percent = 0;
}

void faults_release(struct faults *faults)
{
    free(faults->orders);
    *faults = (struct faults){0};
}
