/* Q4 and Q5: sessions book and pay while COMMITs are cut before or behind the server, while links are cut, slow and frozen,
 * and while the server or the sessions themselves are killed. What was answered with done is there, once; what was not is there once or not at all. Each booking carries its number in the
 * note as well as in its key, so that a doubled one is seen whatever became of the key. */
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "sound.h"
#include "support/proxy.h"
#include "tally.h"
#include "tests/venue/hall.h"

#define SESSIONS     8
#define BOOKED_MOST  20000 /* of one session */
#define SLOTS        16
#define ASKS_MOST    60

DB_QUERY(q_notes, "commit.notes", DB_ROWS, "SELECT DISTINCT note FROM reserve_order WHERE note LIKE :like");

/* What a session has done; shared with the test. */
struct session {
    atomic_long asked, asked_again, interrupted, refused;
    atomic_long longest_us; /* without an answer */
    char refusal[256];
    atomic_char acked[BOOKED_MOST];
};
struct load {
    atomic_int stop, ready;
    struct session sessions[SESSIONS];
};
static struct load *load;
static int64_t slots[SLOTS];
static const char *run_name; /* in keys and notes */
static const char *socket_path;
static long bookings; /* of each session; 0: until it is told to stop */

static const struct payment cash = {.tender = TENDER_CASH};

static struct desk *open_desk(const char *socket)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&hall.fixture);
    struct desk *desk = NULL;
    target.socket = socket;
    for (int tries = 0; tries < 100 && !desk; tries++)
        if (desk_open_at(hall.config, &target, &desk, &err) != FD_OK)
            sleep_ms(50);
    if (!desk)
        _exit(9);
    desk->operator_id = hall.clerk->operator_id;
    memcpy(desk->operator, hall.clerk->operator, sizeof desk->operator);
    desk->role = ROLE_CLERK;
    return desk;
}

/* Every second one is a walk-in who pays at once: no other key than the request's would stop a second one. */
static enum fd_code book(struct desk *desk, int number, long i, struct fd_error *err)
{
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line;
    char key[KEY_BYTES], phone[PHONE_BYTES];
    fit_printf(key, "%s-%d-%ld", run_name, number, i);
    fit_printf(phone, "1%c%c%d%07ld", run_name[0] == 'q' ? '7' : '8', run_name[1], number, i);
    struct booking booking = hall_booking(&line, slots[(size_t)(number + i) % SLOTS], phone);
    booking.note = key;
    if (i % 2) {
        booking.phone = NULL;
        booking.payment = &cash;
    }
    enum fd_code code = booking_make(desk, key, &booking, &arena, &booked, err);
    arena_release(&arena);
    return code;
}

static bool worth_asking_again(enum fd_code code)
{
    return code == FD_UNKNOWN || code == FD_DB_DOWN || code == FD_AGAIN;
}

/* As a clerk does: the same again with the same key, until it is known. */
static void book_until_known(struct session *mine, struct desk *desk, int number, long i)
{
    struct fd_error err = {0};
    enum fd_code code = FD_UNKNOWN;
    int64_t link = db_connection_id(desk->db), begin = mono_us();
    atomic_store(&mine->asked, i + 1);
    for (int asks = 0; worth_asking_again(code) && asks < ASKS_MOST; asks++) {
        memset(&err, 0, sizeof err);
        code = book(desk, number, i, &err);
        atomic_fetch_add(&mine->asked_again, asks > 0);
    }
    int64_t took = mono_us() - begin;
    if (took > atomic_load(&mine->longest_us))
        atomic_store(&mine->longest_us, took);
    atomic_fetch_add(&mine->interrupted, db_connection_id(desk->db) != link);
    if (code == FD_OK) {
        atomic_store(&mine->acked[i], 1);
        return;
    }
    atomic_fetch_add(&mine->refused, 1);
    snprintf(mine->refusal, sizeof mine->refusal, "%s: %.200s", fd_code_name(code), err.message);
}

static int session(void *arg)
{
    int number = *(int *)arg;
    struct session *mine = &load->sessions[number];
    struct desk *desk = open_desk(socket_path);
    /* One that was killed is followed by one that asks again what was not answered. */
    long first = atomic_load(&mine->asked);
    if (first > 0 && !atomic_load(&mine->acked[first - 1]))
        first--;
    atomic_fetch_add(&load->ready, 1);
    for (long i = first; i < (bookings ? bookings : BOOKED_MOST) && !atomic_load(&load->stop); i++)
        book_until_known(mine, desk, number, i);
    desk_close(&desk);
    return 0;
}

static void begin(const char *name, const char *socket, long count, pid_t pids[SESSIONS])
{
    memset(load, 0, sizeof *load);
    run_name = name;
    socket_path = socket;
    bookings = count;
    int64_t venue = hall_venue("PLACE", "yoga");
    for (int i = 0; i < SLOTS; i++)
        slots[i] = hall_slot(venue, hall.today + 2, 420 + 60 * i, 480 + 60 * i, 20000, 8000);
    for (int i = 0; i < SESSIONS; i++)
        pids[i] = fixture_fork(session, &i);
    while (atomic_load(&load->ready) < SESSIONS)
        sleep_ms(2);
}

static void end(const pid_t pids[SESSIONS])
{
    for (int i = 0; i < SESSIONS; i++)
        assert_int_equal(fixture_wait(pids[i]), 0);
}

/* Acknowledged ones that are not there. */
static int64_t count_lost(void)
{
    int64_t lost = 0;
    struct fd_error err = {0};
    struct db_rows *rows;
    char like[32], name[8];
    int number;
    long i;
    static char there[SESSIONS][BOOKED_MOST];
    memset(there, 0, sizeof there);
    fit_printf(like, "%s-%%", run_name);
    must(db_select(hall.db, &q_notes, DB_ARGS(db_text("like", like)), &rows, &err));
    while (db_next(rows))
        if (sscanf(db_get_text(rows, 0), "%7[^-]-%d-%ld", name, &number, &i) == 3)
            there[number][i] = 1;
    db_rows_close(&rows);
    db_rollback(hall.db);
    for (int s = 0; s < SESSIONS; s++)
        for (long b = 0; b < BOOKED_MOST; b++)
            lost += atomic_load(&load->sessions[s].acked[b]) && !there[s][b];
    return lost;
}

/* What the sessions noted and what the tables say. */
static void settle(struct tally *tally)
{
    for (int s = 0; s < SESSIONS; s++) {
        struct session *mine = &load->sessions[s];
        tally->retries += atomic_load(&mine->asked_again);
        tally->broken += atomic_load(&mine->refused);
        if (atomic_load(&mine->refused))
            print_error("session %d: %ld refused: %s\n", s, atomic_load(&mine->refused), mine->refusal);
        for (long i = 0; i < BOOKED_MOST; i++)
            tally->acked += atomic_load(&mine->acked[i]);
    }
    tally->duplicates = fixture_int(hall.db, "SELECT COUNT(*) - COUNT(DISTINCT note) FROM reserve_order WHERE note LIKE '%s-%%'",
                                    run_name);
    tally->lost = count_lost();
    tally->broken += sound_count(hall.db, tally->name, -1);
}

/* Q4 ------------------------------------------------------------------------------------------------------ */

static void cut_commits_lose_and_double_nothing(void **state)
{
    struct proxy proxy = {0};
    pid_t pids[SESSIONS];
    (void)state;
    struct tally tally = {.name = "Q4 unknown COMMIT", .least_unknown = 20};
    char *path = xprintf("%s/proxy", hall.fixture.folder);
    proxy_start(&proxy, path, hall.fixture.server.socket);
    proxy.control->seed = (int)(tally_seed() % 100000);
    proxy.control->percent_before = 5;
    proxy.control->percent_after = 15;
    begin("q4", path, tally_rounds(300), pids);
    end(pids);
    tally.unknown_done = proxy.control->was_cut_after;
    tally.unknown = proxy.control->was_cut_before + tally.unknown_done;
    settle(&tally);
    tally.retries += proxy.control->commits - tally.acked;
    proxy_stop(&proxy);
    free(path);
    tally_close(&tally);
}

/* Q5 ------------------------------------------------------------------------------------------------------ */

static long progress(void)
{
    long asked = 0;
    for (int s = 0; s < SESSIONS; s++)
        asked += atomic_load(&load->sessions[s].asked);
    return asked;
}

/* Until the load is under way again. */
static void wait_for_progress(long more)
{
    long before = progress();
    int64_t limit = mono_ms() + 60000;
    while (progress() < before + more && mono_ms() < limit)
        sleep_ms(5);
}

/* The hall's own links went with the server. */
static void meet_again(void)
{
    struct fd_error err = {0};
    struct db *mine[] = {hall.db, hall.online, hall.clerk->db, hall.admin->db, hall.worker->db};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        must(db_reconnect(mine[i], &err));
}

static void a_killed_server_loses_nothing_that_was_answered(void **state)
{
    pid_t pids[SESSIONS];
    int64_t longest_down = 0, longest_ms = 0;
    (void)state;
    struct tally tally = {.name = "Q5 killed server", .least_unknown = 3};
    int kills = tally_rounds(3) < 3 ? 2 : tally_rounds(3);
    begin("q5", hall.fixture.server.socket, 0, pids);
    for (int i = 0; i < kills; i++) {
        wait_for_progress(200);
        int64_t down = mono_ms();
        fixture_crash(&hall.fixture);
        fixture_restart(&hall.fixture);
        down = mono_ms() - down;
        longest_down = down > longest_down ? down : longest_down;
        wait_for_progress(50);
    }
    atomic_store(&load->stop, 1);
    end(pids);
    meet_again();
    for (int s = 0; s < SESSIONS; s++) {
        int64_t took = atomic_load(&load->sessions[s].longest_us) / 1000;
        longest_ms = took > longest_ms ? took : longest_ms;
        tally.unknown += atomic_load(&load->sessions[s].interrupted);
    }
    print_message("%d kills, server away for %" PRId64 " ms at most, longest answer after %" PRId64 " ms\n", kills,
                  longest_down, longest_ms);
    settle(&tally);
    tally_close(&tally);
#ifndef __SANITIZE_ADDRESS__
    assert_true(longest_ms < longest_down + 2000);
#endif
}

/* Q6 at random moments: sessions, not points ---------------------------------------------------------------------- */

static void killed_sessions_leave_nothing_half_done(void **state)
{
    pid_t pids[SESSIONS];
    struct chance chance = chance_from(tally_seed(), 3);
    (void)state;
    struct tally tally = {.name = "L3 killed sessions", .least_unknown = 3};
    begin("l3", hall.fixture.server.socket, 0, pids);
    for (int i = 0; i < tally_rounds(24); i++) {
        int number = (int)chance_below(&chance, SESSIONS);
        sleep_ms(1 + chance_below(&chance, 60));
        kill(pids[number], SIGKILL);
        assert_int_equal(fixture_wait(pids[number]), -SIGKILL);
        long asked = atomic_load(&load->sessions[number].asked);
        tally.unknown += asked > 0 && !atomic_load(&load->sessions[number].acked[asked - 1]);
        pids[number] = fixture_fork(session, &number);
    }
    wait_for_progress(SESSIONS);
    atomic_store(&load->stop, 1);
    end(pids);
    settle(&tally);
    tally_close(&tally);
}

/* L4 -------------------------------------------------------------------------------------------------------------- */

/* One thing that happens to all links; what is wrong for a while is put right again. */
static void disturb(struct proxy_control *control, struct chance *chance)
{
    switch (chance_below(chance, 5)) {
    case 0:
        atomic_fetch_add(&control->cut_all, 1);
        break;
    case 1:
        atomic_store(&control->cut_after, 1 + (int)chance_below(chance, 4));
        break;
    case 2:
        atomic_store(&control->cut_before, 1 + (int)chance_below(chance, 4));
        break;
    case 3:
        atomic_store(&control->delay_ms, 1 + (int)chance_below(chance, 30));
        break;
    default:
        atomic_store(&control->freeze, 1);
        break;
    }
    sleep_ms(20 + chance_below(chance, 80));
    atomic_store(&control->delay_ms, 0);
    atomic_store(&control->freeze, 0);
}

static void bad_links_lose_and_double_nothing(void **state)
{
    struct proxy proxy = {0};
    pid_t pids[SESSIONS];
    struct chance chance = chance_from(tally_seed(), 4);
    (void)state;
    struct tally tally = {.name = "L4 bad links", .least_unknown = 2};
    char *path = xprintf("%s/bad", hall.fixture.folder);
    proxy_start(&proxy, path, hall.fixture.server.socket);
    begin("l4", path, 0, pids);
    for (int i = 0; i < tally_rounds(24); i++)
        disturb(proxy.control, &chance);
    wait_for_progress(SESSIONS);
    atomic_store(&load->stop, 1);
    end(pids);
    tally.unknown_done = proxy.control->was_cut_after;
    for (int s = 0; s < SESSIONS; s++)
        tally.unknown += atomic_load(&load->sessions[s].interrupted);
    settle(&tally);
    proxy_stop(&proxy);
    free(path);
    tally_close(&tally);
}

static int start(void **state)
{
    load = mmap(NULL, sizeof *load, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(load != MAP_FAILED);
    return hall_start(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_commits_lose_and_double_nothing),
        cmocka_unit_test(killed_sessions_leave_nothing_half_done),
        cmocka_unit_test(bad_links_lose_and_double_nothing),
        /* Last: the hall's own links go with the server. */
        cmocka_unit_test(a_killed_server_loses_nothing_that_was_answered),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, start, hall_stop);
}
