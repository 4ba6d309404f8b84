/* Q8: nothing left. Our own allocators end the process with 71 before anything is committed; a link that breaks in the
 * middle of a message, a refused connection and a library without memory are errors like others. Whatever happens, the
 * same key afterwards does it once. */
#include "shortage.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "inject.h"
#include "scenario.h"
#include "tally.h"

#define NO_MEMORY_EXIT 71
#define FAR            1000000000L

/* What a child is to suffer. */
struct shot {
    enum kind { OWN_MEMORY, BROKEN_SEND, BROKEN_RECV, REFUSED, LIBRARY_MEMORY } kind;
    long at; /* which call; 0: count only */
};
struct child {
    const struct scenario *scenario;
    const struct stand *stand;
    struct shot shot;
    long *passed; /* shared */
};

static enum shortage call_of(enum kind kind)
{
    return kind == BROKEN_RECV ? SHORT_RECV : kind == LIBRARY_MEMORY ? SHORT_MALLOC : SHORT_SEND;
}

static void arm(const struct shot *shot)
{
    long at = shot->at ? shot->at : FAR;
    if (shot->kind == OWN_MEMORY) {
        mem_fail_at(at);
        return;
    }
    shortage_at(call_of(shot->kind), at, 0);
    /* The link is cut, then nobody is there for a while. */
    if (shot->kind == REFUSED)
        shortage_at(SHORT_CONNECT, 1, 2);
}

static void disarm(const struct shot *shot, long *passed)
{
    *passed = shot->kind == OWN_MEMORY ? FAR - mem_fail_left() : shortage_passed(call_of(shot->kind));
    mem_fail_at(0);
    for (int kind = 0; kind < SHORT_KINDS; kind++)
        shortage_at((enum shortage)kind, 0, 0);
}

static int suffer(void *arg)
{
    const struct child *child = arg;
    struct fd_error err = {0};
    fixture_quiet();
    struct desk *desk = stand_desk(child->scenario);
    arm(&child->shot);
    enum fd_code code = child->scenario->run(desk, child->stand, &err);
    disarm(&child->shot, child->passed);
    return (int)code;
}

static bool may_end_so(const struct shot *shot, int status)
{
    static const int fine[] = {FD_OK, FD_DB_DOWN, FD_UNKNOWN, FD_AGAIN, FD_INTERNAL, FD_NO_MEMORY};
    if (shot->kind == OWN_MEMORY)
        return status == NO_MEMORY_EXIT;
    bool known = shot->kind == LIBRARY_MEMORY && status == NO_MEMORY_EXIT;
    for (size_t i = 0; i < sizeof fine / sizeof *fine && !known; i++)
        known = status == fine[i];
    return known;
}

static void judge(const struct child *child, int status, struct tally *tally)
{
    const struct scenario *scenario = child->scenario;
    int64_t done = scenario->done ? stand_done(scenario, child->stand) : 0;
    if (!may_end_so(&child->shot, status) || done < 0 || done > 1 || (status == FD_OK && scenario->done && done != 1)) {
        print_error("%s: shortage %d at call %ld: ended with %d, done %" PRId64 " times\n", scenario->name,
                    (int)child->shot.kind, child->shot.at, status, done);
        tally->broken++;
    }
    tally->unknown++;
    tally->unknown_done += done == 1;
    done = stand_again(scenario, child->stand);
    tally->retries++;
    tally->acked += done == 1;
    tally->lost += done < 1;
    tally->duplicates += done > 1;
}

/* How many such calls the scenario makes undisturbed. */
static long count_calls(const struct scenario *scenario, enum kind kind, long *passed)
{
    struct stand stand;
    stand_make(scenario, &stand);
    struct child child = {scenario, &stand, {kind, 0}, passed};
    *passed = 0;
    int status = fixture_wait(fixture_fork(suffer, &child));
    if (status != FD_OK)
        fail_msg("%s: undisturbed it gives %s", scenario->name, fd_code_name((enum fd_code)status));
    return *passed;
}

static void shoot(const struct scenario *scenario, enum kind kind, int shots, struct chance *chance, struct tally *tally)
{
    long *passed = mmap(NULL, sizeof *passed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(passed != MAP_FAILED);
    long calls = count_calls(scenario, kind, passed);
    for (int i = 0; i < shots && calls > 0; i++) {
        struct stand stand;
        stand_make(scenario, &stand);
        /* One call more or less is another answer's length: the last is left out. */
        long at = 1 + (long)chance_below(chance, (uint32_t)(calls > 1 ? calls - 1 : 1));
        struct child child = {scenario, &stand, {kind, at}, passed};
        judge(&child, fixture_wait(fixture_fork(suffer, &child)), tally);
    }
    munmap(passed, sizeof *passed);
}

static void shoot_all(const enum kind *list, size_t count, int shots, struct tally *tally)
{
    struct chance chance = chance_from(tally_seed(), 8 + list[0]);
    for (const struct scenario *scenario = scenarios; scenario->name; scenario++) {
        for (size_t i = 0; i < count; i++)
            shoot(scenario, list[i], shots, &chance, tally);
        stand_close_day();
    }
    tally->broken += stand_doctor(tally->name);
    tally_close(tally);
}

void without_memory_it_ends_with_71_and_nothing_is_half_done(void **state)
{
    static const enum kind list[] = {OWN_MEMORY};
    (void)state;
    struct tally tally = {.name = "Q8 no memory", .least_unknown = 50};
    shoot_all(list, 1, tally_rounds(8), &tally);
}

void with_a_broken_link_it_is_done_once_or_not_at_all(void **state)
{
    static const enum kind list[] = {BROKEN_SEND, BROKEN_RECV, REFUSED};
    (void)state;
    struct tally tally = {.name = "Q8 broken links", .least_unknown = 50};
    shoot_all(list, 3, tally_rounds(2), &tally);
}

void a_library_without_memory_leaves_nothing_half_done(void **state)
{
    static const enum kind list[] = {LIBRARY_MEMORY};
    (void)state;
    if (!shortage_has_malloc())
        skip();
    struct tally tally = {.name = "Q8 libraries without memory", .least_unknown = 50};
    shoot_all(list, 1, tally_rounds(6), &tally);
}
