/* Q6: the process is killed at every named point that an action passes. The server rolls back what was not committed;
 * whoever comes next with the same key finishes it, or the worker clears it away. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate.h"
#include "inject.h"
#include "scenario.h"
#include "tally.h"

#define POINTS_MOST 100

/* The points of one run in their order: "order_fired:2" the second time. */
struct route {
    char points[POINTS_MOST][48];
    size_t count;
};

struct victim {
    const struct scenario *scenario;
    const struct stand *stand;
    const char *variable, *value;
};

static int act(void *arg)
{
    const struct victim *victim = arg;
    struct fd_error err = {0};
    fixture_quiet();
    struct desk *desk = stand_desk(victim->scenario);
    setenv(victim->variable, victim->value, 1);
    return (int)victim->scenario->run(desk, victim->stand, &err);
}

static void add_point(struct route *route, const char *name)
{
    int turn = 1;
    size_t bytes = strlen(name);
    for (size_t i = 0; i < route->count; i++)
        turn += strncmp(route->points[i], name, bytes) == 0 && route->points[i][bytes] == ':';
    assert_true(route->count < POINTS_MOST);
    fit_printf_at(route->points[route->count++], sizeof route->points[0], "%s:%d", name, turn);
}

static void read_route(FILE *file, struct route *route)
{
    char line[48];
    route->count = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        add_point(route, line);
    }
}

/* Lets the action pass once and notes what it passes. */
static void find_route(const struct scenario *scenario, struct route *route)
{
    struct stand stand;
    int ends[2];
    char value[16];
    stand_make(scenario, &stand);
    assert_int_equal(pipe(ends), 0);
    fit_printf(value, "%d", ends[1]);
    struct victim victim = {scenario, &stand, "FRONTDESK_POINTS_FD", value};
    int status = fixture_wait(fixture_fork(act, &victim));
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    read_route(file, route);
    fclose(file);
    if (status != 0)
        fail_msg("%s: undisturbed it gives %s", scenario->name, fd_code_name((enum fd_code)status));
}

static void note_outcome(const struct scenario *scenario, const char *point, int64_t done, struct tally *tally)
{
    tally->unknown_done += done == 1;
    tally->duplicates += done > 1;
    tally->broken += done < 0;
    if (done < 0 || done > 1)
        print_error("%s killed at %s: done %" PRId64 " times\n", scenario->name, point, done);
}

static void kill_at(const struct scenario *scenario, const char *point, bool comes_back, struct tally *tally)
{
    struct stand stand;
    stand_make(scenario, &stand);
    struct victim victim = {scenario, &stand, "FRONTDESK_FAIL_POINT", point};
    int status = fixture_wait(fixture_fork(act, &victim));
    if (status != -SIGKILL)
        fail_msg("%s was not killed at %s: %d", scenario->name, point, status);
    tally->unknown++;
    note_outcome(scenario, point, stand_done(scenario, &stand), tally);
    if (!comes_back)
        return;
    int64_t done = stand_again(scenario, &stand);
    tally->retries++;
    tally->acked += done == 1;
    tally->lost += done < 1;
    tally->duplicates += done > 1;
}

static bool matters(const struct scenario *scenario)
{
    return scenario->done != NULL;
}

void killed_at_every_point_it_is_whole_or_nothing(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q6 killed at every point", .least_unknown = 40};
    struct chance chance = chance_from(tally_seed(), 6);
    /* The first money at a terminal opens its shift: that is behind us, so that every run passes the same points. */
    hall_book_paid(hall_court_slot(), hall_phone());
    for (const struct scenario *scenario = scenarios; scenario->name; scenario++) {
        struct route route;
        if (!matters(scenario))
            continue;
        find_route(scenario, &route);
        if (route.count == 0)
            fail_msg("%s passes no point", scenario->name);
        for (size_t i = 0; i < route.count; i++)
            kill_at(scenario, route.points[i], chance_percent(&chance, 60), &tally);
        stand_close_day();
    }
    tally.broken += stand_doctor(tally.name);
    tally_close(&tally);
}

/* Migrations ---------------------------------------------------------------------------------------------- */

static enum fd_code migrate_into(const char *database)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&hall.fixture);
    struct db *db;
    target.database = NULL;
    enum fd_code code = db_open(&target, &db, &err);
    if (code == FD_OK)
        code = desk_migrate(db, database, NULL, NULL, &err);
    db_close(&db);
    if (code)
        print_error("%s: %s | %s\n", fd_code_name(code), err.message, err.detail);
    return code;
}

static int migrate(void *arg)
{
    const char *point = arg;
    fixture_quiet();
    setenv("FRONTDESK_FAIL_POINT", point, 1);
    return (int)migrate_into("fault_migrate");
}

/* Tables and triggers with their definitions, as one number. */
static int64_t shape_of(const char *database)
{
    return fixture_int(hall.db,
                       "SELECT SUM(CRC32(CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, "
                       "column_default, generation_expression))) + (SELECT SUM(CRC32(CONCAT_WS(' ', table_name, index_name, "
                       "column_name, seq_in_index, non_unique))) FROM information_schema.statistics WHERE table_schema = '%s') + "
                       "(SELECT SUM(CRC32(CONCAT_WS(' ', trigger_name, action_statement))) FROM information_schema.triggers "
                       "WHERE trigger_schema = '%s') FROM information_schema.columns WHERE table_schema = '%s'",
                       database, database, database);
}

void killed_in_a_migration_it_goes_on(void **state)
{
    static const int turns[] = {1, 5, 12, 20, 30};
    (void)state;
    struct tally tally = {.name = "Q6 killed in a migration", .least_unknown = 1};
    int64_t whole = shape_of(hall.fixture.database);
    int rounds = tally_rounds(1) < 5 ? tally_rounds(1) : 5;
    fixture_sql(hall.db, "DROP DATABASE IF EXISTS fault_migrate");
    /* In one database, one kill after the other: each start goes on where the last one fell. */
    for (int i = 0; i < rounds * 2 && i < 5; i++) {
        char point[32];
        fit_printf(point, "migrate_step:%d", turns[i]);
        int status = fixture_wait(fixture_fork(migrate, point));
        assert_int_equal(status, -SIGKILL);
        tally.unknown++;
    }
    tally.acked += migrate_into("fault_migrate") == FD_OK;
    tally.broken += shape_of("fault_migrate") != whole;
    fixture_sql(hall.db, "DROP DATABASE fault_migrate");
    tally_close(&tally);
}
