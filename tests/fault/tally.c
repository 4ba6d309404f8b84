#include "tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEED_OF_THE_MONTH 202611

uint64_t tally_seed(void)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 0;
    return seed ? seed : SEED_OF_THE_MONTH;
}

int tally_rounds(int usual)
{
    const char *times = getenv("FRONTDESK_TEST_ROUNDS");
    int rounds = times && atoi(times) > 0 ? usual * atoi(times) : usual;
#ifdef __SANITIZE_ADDRESS__
    rounds = rounds / 4 > 0 ? rounds / 4 : 1;
#endif
    return rounds;
}

void tally_close(const struct tally *tally)
{
    print_message("%s: seed=%llu acked=%lld unknown=%lld (done %lld) retries=%lld duplicates=%lld lost=%lld broken=%lld\n",
                  tally->name, (unsigned long long)tally_seed(), (long long)tally->acked, (long long)tally->unknown,
                  (long long)tally->unknown_done, (long long)tally->retries, (long long)tally->duplicates,
                  (long long)tally->lost, (long long)tally->broken);
    if (tally->duplicates || tally->lost || tally->broken)
        fail_msg("%s: something was doubled, lost or broken", tally->name);
    if (tally->unknown < tally->least_unknown || tally->acked == 0)
        fail_msg("%s: toothless, %lld faults hit and %lld actions were done", tally->name, (long long)tally->unknown,
                 (long long)tally->acked);
}

/* splitmix64: good enough for tests and the same on every machine. */
static uint64_t next(struct chance *chance)
{
    uint64_t mixed = chance->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

struct chance chance_from(uint64_t seed, uint64_t stream)
{
    struct chance chance = {seed * 0x2545f4914f6cdd1du + stream};
    next(&chance);
    return chance;
}

uint32_t chance_below(struct chance *chance, uint32_t limit)
{
    return (uint32_t)(next(chance) >> 32) % limit;
}

bool chance_percent(struct chance *chance, uint32_t percent)
{
    return chance_below(chance, 100) < percent;
}

void tally_filter(void)
{
    const char *only = getenv("ONLY");
    if (only)
        cmocka_set_test_filter(only);
}
