#include "meet.h"

#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

#include "base/token.h"
#include "sound.h"

#define MAKERS          4
#define SLOTS_A_DAY     15
#define VENUE_SLOTS     5000
#define HELD_UP_MOST_US 2500

DB_QUERY(q_slots, "meet.slots", DB_ROWS, "SELECT id FROM venue_schedule WHERE venue_id = :venue ORDER BY id");

static struct desk *desks[MEET_THREADS];
static struct desk *workers[2];

int meet_start(void **state)
{
    hall_start(state);
    for (size_t i = 0; i < MEET_THREADS; i++)
        desks[i] = hall_desk(hall.clerk);
    for (size_t i = 0; i < 2; i++)
        workers[i] = hall_desk(hall.worker);
    return 0;
}

int meet_stop(void **state)
{
    for (size_t i = 0; i < MEET_THREADS; i++)
        desk_close(&desks[i]);
    for (size_t i = 0; i < 2; i++)
        desk_close(&workers[i]);
    return hall_stop(state);
}

struct desk *meet_desk(size_t thread)
{
    return desks[thread];
}

enum fd_code meet_told(enum fd_code code, const struct fd_error *err)
{
    bool bad = strcasestr(err->message, "deadlock") || strcasestr(err->message, "lock wait");
    if (code != FD_OK && (bad || !err->message[0])) {
        fprintf(stderr, "a refusal in bad words: %s: %s\n", fd_code_name(code), err->message);
        abort();
    }
    return code;
}

void meet_wrong(int64_t *count, const struct meeting *meeting, const char *what)
{
    if (++*count <= 5)
        print_error("order %s at slot %" PRId64 ": %s; told %s and %s\n", meeting->number, meeting->slot, what,
                    fd_code_name(meeting->code[0]), fd_code_name(meeting->code[1]));
}

static void slots_of_a_venue(size_t count, int places, int64_t *slots)
{
    struct fd_error err = {0};
    struct slot_made made;
    struct db_rows *rows;
    int64_t venue = hall_venue(places == 1 ? "COURT" : "PLACE", "badminton");
    struct slot_plan plan = {.venue_id = venue,
                             .from = hall.today + 1,
                             .to = hall.today + 1 + (day_t)(count / SLOTS_A_DAY),
                             .open_minute = 480,
                             .close_minute = 480 + SLOTS_A_DAY * 60,
                             .length_minutes = 60,
                             .total_count = places,
                             .price_fen = 8000};
    must(slot_generate(hall.admin, NULL, &plan, &hall.arena, &made, &err));
    must(db_select(hall.db, &q_slots, DB_ARGS(db_int("venue", venue)), &rows, &err));
    for (size_t i = 0; i < count; i++) {
        assert_true(db_next(rows));
        slots[i] = db_get_int(rows, 0);
    }
    db_rows_close(&rows);
    db_rollback(hall.db);
}

/* One action makes 400 days at most, so many slots are of several venues. */
void meet_slots(size_t count, int places, int64_t *slots)
{
    for (size_t made = 0; made < count; made += VENUE_SLOTS) {
        size_t left = count - made;
        slots_of_a_venue(left < VENUE_SLOTS ? left : VENUE_SLOTS, places, slots + made);
    }
}

struct run {
    const struct meet *meet;
    struct meeting *meetings;
    atomic_int *arrived;
    size_t count;
};

static void make_some(size_t index, void *arg)
{
    const struct run *run = arg;
    for (size_t round = index; round < run->count; round += MAKERS)
        run->meet->make(desks[index], &run->meetings[round], round);
}

/* Both are there; one is held up a little, at random, so that each comes first now and then. */
static void wait_for_other(const struct run *run, size_t round, bool waits)
{
    atomic_fetch_add(&run->arrived[round], 1);
    while (atomic_load(&run->arrived[round]) < 2)
        sched_yield();
    int64_t until = mono_us() + (waits ? (int64_t)random_below(HELD_UP_MOST_US) : 0);
    while (mono_us() < until)
        sched_yield();
}

static void take_side(size_t index, void *arg)
{
    const struct run *run = arg;
    struct desk *desk = run->meet->role[index] == ROLE_WORKER ? workers[index] : desks[index];
    for (size_t round = 0; round < run->count; round++) {
        struct fd_error err = {0};
        struct meeting *meeting = &run->meetings[round];
        wait_for_other(run, round, run->meet->held_up == (int)index);
        meeting->done[index] = true;
        meeting->code[index] = meet_told(run->meet->side[index](desk, meeting, round, &err), &err);
        meeting->done[index] = meeting->done[index] && meeting->code[index] == FD_OK;
    }
}

static struct run run_new(const struct meet *meet)
{
    struct run run = {.meet = meet, .count = (size_t)tally_rounds(meet->rounds)};
    int64_t *slots = xcalloc(run.count * 2, sizeof *slots);
    run.meetings = xcalloc(run.count, sizeof *run.meetings);
    run.arrived = xcalloc(run.count, sizeof *run.arrived);
    meet_slots(run.count * 2, meet->places, slots);
    for (size_t i = 0; i < run.count; i++) {
        run.meetings[i].slot = slots[2 * i];
        run.meetings[i].other = slots[2 * i + 1];
    }
    free(slots);
    return run;
}

void meet_run(const struct meet *meet, int64_t *first, int64_t *second)
{
    struct tally tally = {.name = meet->name};
    struct run run = run_new(meet);
    int64_t alone[2] = {0, 0};
    hall_threads(MAKERS, make_some, &run);
    hall_threads(2, take_side, &run);
    for (size_t round = 0; round < run.count; round++) {
        const struct meeting *meeting = &run.meetings[round];
        tally.acked += meeting->done[0] + meeting->done[1];
        alone[0] += meeting->done[0] && !meeting->done[1];
        alone[1] += meeting->done[1] && !meeting->done[0];
        meet->judge(meeting, round, &tally);
    }
    tally.broken += sound_count(hall.db, meet->name, -1);
    print_message("%s: %zu times, only the first %" PRId64 ", only the second %" PRId64 "\n", meet->name, run.count,
                  alone[0], alone[1]);
    free(run.meetings);
    free(run.arrived);
    if (first)
        *first = alone[0];
    if (second)
        *second = alone[1];
    tally_close(&tally);
}
