/* Q7: an SQL error at every statement of every action. A transaction that goes on after one, or sends only the one
 * statement again, commits by halves; the counts and the doctor see it. */
#include <inttypes.h>

#include "base/fault.h"
#include "inject.h"
#include "scenario.h"
#include "tally.h"

#define STATEMENTS_MOST 60

/* Retried whole, or lost with the connection: the action goes on to its end by itself. */
static const int codes[] = {1213, 1205, 1020, 1180, 2013};

struct trial {
    enum fd_code code;
    int64_t done;
    bool hit; /* there was a statement of that number */
    bool says_nothing; /* was changed */
};

static struct desk *victim; /* of the scenario's role */

static struct trial try_at(const struct scenario *scenario, int statement, int sql_errno)
{
    static int count; /* a value of its own each time, so that counting begins anew */
    struct trial trial;
    struct stand stand;
    struct fd_error err = {0};
    char fault[48];
    stand_make(scenario, &stand);
    must(db_set_clock(victim->db, wall_at(stand.day, scenario->at ? scenario->at : 570), &err));
    fit_printf(fault, "%d:%d %d", statement, sql_errno, ++count);
    setenv("FRONTDESK_FAIL_SQL", fault, 1);
    trial.code = scenario->run(victim, &stand, &err);
    trial.says_nothing = strstr(err.message, "nothing was changed") != NULL;
    trial.hit = fault_sql_passed() >= statement;
    unsetenv("FRONTDESK_FAIL_SQL");
    trial.done = scenario->done ? stand_done(scenario, &stand) : trial.code == FD_OK;
    if (trial.done < 0 || trial.done > 1)
        print_error("%s: error %d at statement %d: %s %s; done %" PRId64 " times\n", scenario->name, sql_errno,
                    statement, fd_code_name(trial.code), err.detail, trial.done);
    return trial;
}

static void count_trial(const struct trial *trial, struct tally *tally)
{
    tally->unknown += trial->hit;
    tally->unknown_done += trial->hit && trial->done == 1;
    tally->retries += trial->hit;
    tally->acked += trial->code == FD_OK;
    tally->duplicates += trial->done > 1;
    tally->broken += trial->done < 0;
    tally->lost += trial->code == FD_OK && trial->done == 0;
}

typedef void check_fn(const struct scenario *scenario, int statement, int sql_errno, const struct trial *trial);

/* What is injected: in each turn each statement meets the next one of the codes. */
struct volley {
    const int *codes;
    size_t count, turns, first;
    check_fn *check;
};

static void every_statement(const struct scenario *scenario, const struct volley *volley, size_t turn,
                            struct tally *tally)
{
    struct trial trial = {.hit = true};
    int statement = 1;
    for (; trial.hit; statement++) {
        int sql_errno = volley->codes[(volley->first + turn + (size_t)statement) % volley->count];
        trial = try_at(scenario, statement, sql_errno);
        count_trial(&trial, tally);
        volley->check(scenario, statement, sql_errno, &trial);
        assert_true(statement < STATEMENTS_MOST);
    }
    assert_true(statement > 2); /* else the action sent nothing that could fail */
}

static void for_all(const struct volley *volley, struct tally *tally)
{
    for (const struct scenario *scenario = scenarios; scenario->name; scenario++) {
        victim = stand_desk(scenario);
        for (size_t turn = 0; turn < volley->turns; turn++)
            every_statement(scenario, volley, turn, tally);
        desk_close(&victim);
        stand_close_day();
    }
    tally->broken += stand_doctor(tally->name);
}

static void must_be_done(const struct scenario *scenario, int statement, int sql_errno, const struct trial *trial)
{
    if (trial->code != FD_OK)
        fail_msg("%s: error %d at statement %d was not mended: %s", scenario->name, sql_errno, statement,
                 fd_code_name(trial->code));
}

void an_error_at_every_statement_does_it_once(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q7 an error at every statement", .least_unknown = 150};
    size_t count = sizeof codes / sizeof *codes, turns = (size_t)tally_rounds(2);
    struct volley volley = {codes, count, turns < count ? turns : count, tally_seed() % count, must_be_done};
    for_all(&volley, &tally);
    tally_close(&tally);
}

/* At COMMIT such an error leaves the outcome unknown, and asking again mends that. Where a read behind the COMMIT fails,
 * the answer must not say that nothing was changed. */
static void must_be_all_or_nothing(const struct scenario *scenario, int statement, int sql_errno,
                                   const struct trial *trial)
{
    /* The worker's sweep also meets what earlier trials left. */
    bool others = scenario->role == ROLE_WORKER && trial->code != FD_OK;
    bool honest = trial->code == FD_OK ? trial->done == 1 : trial->done == 0 || !trial->says_nothing;
    if (!others && !honest)
        fail_msg("%s: error %d at statement %d: %s, but done %" PRId64 " times", scenario->name, sql_errno, statement,
                 fd_code_name(trial->code), trial->done);
}

void a_hopeless_error_at_any_statement_changes_nothing(void **state)
{
    static const int hopeless[] = {1146};
    (void)state;
    struct tally tally = {.name = "Q7 a hopeless error", .least_unknown = 60};
    struct volley volley = {hopeless, 1, 1, 0, must_be_all_or_nothing};
    for_all(&volley, &tally);
    tally_close(&tally);
}
