/* Every action that exists, one after the other, on a real server: who may not is refused, what was asked twice is done
 * once, and what was done is logged. An action without a row in the table of samples fails. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "samples.h"

#define REASON "counter closed early"

static struct fd_error err;

/* What stands in the database --------------------------------------------------------------------- */

#define TABLES_MOST 40

/* One table: its name and the statement that says its rows and the sum of what every row holds. Made from the schema,
 * so that a new table or column is looked at too. */
static struct table {
    char *name, *sql;
} tables[TABLES_MOST];
static size_t table_count;

/* The two that every action writes; all others are the business. */
enum which { ALL, BUSINESS };

static char *table_sql(const char *name)
{
    char *columns = xstrdup(
        fixture_text(world.db,
                     "SELECT GROUP_CONCAT(CONCAT('COALESCE(`', column_name, '`, ''~'')') ORDER BY ordinal_position) "
                     "FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '%s'",
                     name));
    char *sql =
        xprintf("SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CRC32(CONCAT_WS('|', %s))), 0)) FROM `%s`", columns, name);
    free(columns);
    return sql;
}

static void find_tables(void)
{
    char *place = NULL;
    char *names = xstrdup(fixture_text(world.db, "SELECT GROUP_CONCAT(table_name ORDER BY table_name) FROM "
                                                 "information_schema.tables WHERE table_schema = DATABASE() AND "
                                                 "table_type = 'BASE TABLE'"));
    for (char *name = strtok_r(names, ",", &place); name; name = strtok_r(NULL, ",", &place)) {
        assert_true(table_count < TABLES_MOST);
        tables[table_count].name = xstrdup(name);
        tables[table_count++].sql = table_sql(name);
    }
    free(names);
}

static void forget_tables(void)
{
    for (size_t i = 0; i < table_count; i++) {
        free(tables[i].name);
        free(tables[i].sql);
    }
    table_count = 0;
}

/* xmalloc'ed: one line a table. */
static char *look(enum which which)
{
    struct buf out = {0};
    for (size_t i = 0; i < table_count; i++)
        if (which == ALL || (strcmp(tables[i].name, "op_request") != 0 && strcmp(tables[i].name, "operation_log") != 0))
            buf_printf(&out, "%s %s\n", tables[i].name, fixture_text(world.db, "%s", tables[i].sql));
    return buf_take(&out);
}

/* Still as it was? Frees what it looked like before. */
static void expect_look(enum which which, char *before, const char *who, const char *what)
{
    char *now = look(which);
    if (strcmp(before, now) != 0)
        fail_msg("%s: %s changed something.\nBefore:\n%sAfter:\n%s", who, what, before, now);
    free(before);
    free(now);
}

static int64_t last_log(void)
{
    return fixture_int(world.db, "SELECT COALESCE(MAX(id), 0) FROM operation_log");
}

/* One action ------------------------------------------------------------------------------------- */

struct trial {
    const struct sample *sample;
    const struct action *action;
    char name[64];
    char *words;    /* filled in */
    enum role role; /* who does it: the first of the action's roles */
    char key[KEY_BYTES];
};

static void demand(const struct trial *trial, const struct asked *asked, enum fd_code wanted, const char *what)
{
    memset(&err, 0, sizeof err);
    enum fd_code code = ask(asked, NULL, &err);
    if (code != wanted)
        fail_msg("%s %s (%s): %s instead of %s: %s | %s", trial->name, asked->words, what, fd_code_name(code),
                 fd_code_name(wanted), code ? err.message : "", code ? err.detail : "");
}

static struct asked asked_by(const struct trial *trial, enum role role)
{
    return (struct asked){.desk = trial->action->flags & A_NO_DB ? NULL : world.desks[role],
                          .action = trial->action,
                          .words = trial->words,
                          .key = trial->action->flags & A_WRITE ? trial->key : NULL,
                          .reason = trial->action->flags & A_WRITE ? REASON : NULL};
}

static bool role_may(enum role role, const char *action)
{
    return fixture_int(world.db, "SELECT COUNT(*) FROM role_action WHERE role = '%s' AND action = '%s'",
                       role_name(role), action) > 0;
}

static void demand_unchanged(const struct trial *trial, const struct asked *asked, enum fd_code wanted,
                             const char *what)
{
    char *before = look(ALL);
    demand(trial, asked, wanted, what);
    expect_look(ALL, before, trial->name, what);
}

/* Roles that lack the action, and each that has it once it is taken away; and nobody. */
static void who_may_not_is_refused(const struct trial *trial)
{
    struct asked asked = asked_by(trial, ROLE_NONE);
    demand_unchanged(trial, &asked, FD_SIGN_IN, "nobody signed in");
    for (size_t i = 0; i < sizeof world_roles / sizeof *world_roles; i++) {
        enum role role = world_roles[i];
        bool has = role_may(role, trial->name);
        asked = asked_by(trial, role);
        if (has)
            fixture_sql(world.db, "DELETE FROM role_action WHERE role = '%s' AND action = '%s'", role_name(role),
                        trial->name);
        demand_unchanged(trial, &asked, FD_NO_PERMISSION, role_name(role));
        if (has)
            fixture_sql(world.db, "INSERT INTO role_action (role, action) VALUES ('%s', '%s')", role_name(role),
                        trial->name);
    }
}

static void without_a_reason_it_is_refused(const struct trial *trial)
{
    static const char *const none[] = {NULL, "", "  "};
    struct asked asked = asked_by(trial, trial->role);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        asked.reason = none[i];
        demand_unchanged(trial, &asked, FD_REASON_NEEDED, "no reason");
    }
}

/* Every row of the log since `after` tells who, what, where, why and by which request. */
static void it_is_logged(const struct trial *trial, int64_t after)
{
    const struct desk *desk = world.desks[trial->role];
    int64_t rows = fixture_int(world.db, "SELECT COUNT(*) FROM operation_log WHERE id > %" PRId64, after);
    int64_t whole = fixture_int(world.db,
                                "SELECT COUNT(*) FROM operation_log WHERE id > %" PRId64
                                " AND operator = '%s' AND role = '%s' AND terminal = '%s' AND action = '%s' AND "
                                "request_key = '%s' AND entity <> '' AND entity_no <> '' AND event <> ''",
                                after, desk->operator, role_name(desk->role), desk->terminal, trial->name, trial->key);
    int64_t reasons = fixture_int(
        world.db, "SELECT COUNT(*) FROM operation_log WHERE id > %" PRId64 " AND reason = '" REASON "'", after);
    if (rows == 0 || whole != rows)
        fail_msg("%s %s: of %" PRId64 " log rows %" PRId64 " are whole", trial->name, trial->words, rows, whole);
    if (reasons != rows)
        fail_msg("%s %s: of %" PRId64 " log rows %" PRId64 " keep the reason", trial->name, trial->words, rows,
                 reasons);
    assert_int_equal(fixture_int(world.db,
                                 "SELECT COUNT(*) FROM op_request q JOIN operator_account a ON a.name = '%s' WHERE "
                                 "q.request_key = '%s' AND q.action = '%s' AND q.operator IN (a.id, a.name)",
                                 desk->operator, trial->key, trial->name),
                     1);
}

/* The clock of who asks, so many seconds on: an answer with a span that goes on would differ. 0: as it was. */
static void clock_on(const struct trial *trial, int64_t seconds)
{
    wall_t wall = WALL_NONE;
    if (seconds > 0)
        assert_true(
            wall_from_sql(fixture_text(world.db, "SELECT NOW() + INTERVAL %" PRId64 " SECOND", seconds), &wall));
    if (db_set_clock(world.desks[trial->role]->db, wall, &err) != FD_OK)
        fail_msg("%s", err.message);
}

/* The same request again: the first answer, and nothing else. */
static void twice_is_once(const struct trial *trial)
{
    struct asked asked = asked_by(trial, trial->role);
    char *first = NULL, *second = NULL;
    char *before = look(BUSINESS);
    int64_t log = last_log(), requests = fixture_int(world.db, "SELECT COUNT(*) FROM op_request");
    if (ask(&asked, &first, &err) != FD_OK)
        fail_msg("%s %s: %s | %s", trial->name, trial->words, err.message, err.detail);
    char *done = look(BUSINESS), *all = look(ALL);
    if (strcmp(before, done) == 0)
        fail_msg("%s %s changed nothing", trial->name, trial->words);
    assert_int_equal(fixture_int(world.db, "SELECT COUNT(*) FROM op_request"), requests + 1);
    it_is_logged(trial, log);
    memset(&err, 0, sizeof err);
    clock_on(trial, 5);
    if (ask(&asked, &second, &err) != FD_OK)
        fail_msg("%s %s again: %s: %s | %s", trial->name, trial->words, fd_code_name(err.code), err.message,
                 err.detail);
    clock_on(trial, 0);
    expect_look(ALL, all, trial->name, "the same key again");
    if (!first || !second || strcmp(first, second) != 0)
        fail_msg("%s %s answered %s and then %s", trial->name, trial->words, first, second);
    free(before);
    free(done);
    free(first);
    free(second);
}

/* The key belongs to what it did first: not to other words, not to another action, not to who may not do it. */
static void the_key_is_used(const struct trial *trial)
{
    char *other = sample_fill(trial->sample->other);
    struct asked asked = asked_by(trial, trial->role);
    asked.words = other;
    demand_unchanged(trial, &asked, FD_KEY_REUSED, "other content");
    bool venue = strcmp(trial->name, "venue.add") == 0;
    struct trial otherwise = *trial;
    otherwise.action = venue ? action_find("param", "set") : action_find("venue", "add");
    asked = asked_by(&otherwise, ROLE_ADMIN);
    asked.words = venue ? "cart_most 9" : "--name other --sport other";
    demand_unchanged(trial, &asked, FD_KEY_REUSED, "another action");
    free(other);
}

static void try_write(const struct trial *trial)
{
    who_may_not_is_refused(trial);
    if (trial->action->flags & A_REASON)
        without_a_reason_it_is_refused(trial);
    /* The refusals were not stored: the key is still free. */
    twice_is_once(trial);
    the_key_is_used(trial);
    who_may_not_is_refused(trial);
}

/* What only reads leaves the database alone; but where a whole phone was shown, that is logged. */
static void try_read(const struct trial *trial)
{
    const struct sample *sample = trial->sample;
    bool shows = sample->flags & S_SHOWS_PHONE;
    bool refused = (sample->flags & S_MARIADB) && !db_is_mariadb(world.db);
    if (trial->action->flags & A_OPERATOR)
        who_may_not_is_refused(trial);
    struct asked asked = asked_by(trial, trial->role);
    char *all = look(ALL), *business = look(BUSINESS);
    int64_t log = last_log();
    demand(trial, &asked, refused ? FD_REFUSED : sample->gives, "reading");
    if (sample->flags & S_AWAY)
        world_away();
    expect_look(BUSINESS, business, trial->name, "reading");
    if (!shows)
        expect_look(ALL, all, trial->name, "reading");
    else
        free(all);
    if (sample->flags & S_AWAY)
        world_back();
    if (shows)
        assert_int_equal(fixture_int(world.db,
                                     "SELECT COUNT(*) FROM operation_log WHERE id > %" PRId64
                                     " AND event = 'phone_shown' AND operator = '%s'",
                                     log, world.desks[trial->role]->operator),
                         1);
}

static void try_sample(const struct sample *sample, const struct action *action)
{
    struct trial trial = {.sample = sample, .action = action, .words = sample_fill(sample->words)};
    char roles[128], *place = NULL;
    action_name(action, trial.name);
    key_new(trial.key);
    fit_printf(roles, "%s", action->roles);
    char *first = strtok_r(roles, " ", &place);
    trial.role = first ? role_from_name(first) : ROLE_NONE;
    if (sample->flags & S_CHANNEL)
        world_channels(true);
    if (action->flags & A_WRITE)
        try_write(&trial);
    else
        try_read(&trial);
    if (sample->flags & S_CHANNEL)
        world_channels(false);
    free(trial.words);
}

/* Tests ------------------------------------------------------------------------------------------- */

static bool is_of(const struct sample *sample, const struct action *action)
{
    char name[64];
    return strcmp(sample->action, action_name(action, name)) == 0;
}

static void every_action_has_a_sample_and_every_sample_an_action(void **state)
{
    (void)state;
    const struct action *const *all;
    size_t count = action_all(&all);
    for (size_t i = 0; i < count; i++) {
        const struct sample *sample = samples;
        char name[64];
        while (sample->action && !is_of(sample, all[i]))
            sample++;
        if (!sample->action)
            fail_msg("%s has no row in the table of samples", action_name(all[i], name));
        if ((all[i]->flags & A_WRITE) && !sample->other)
            fail_msg("%s writes: its sample needs other words too", action_name(all[i], name));
    }
    for (const struct sample *sample = samples; sample->action; sample++) {
        size_t i = 0;
        while (i < count && !is_of(sample, all[i]))
            i++;
        if (i == count)
            fail_msg("there is no action %s", sample->action);
    }
}

/* One test an action, so that one that fails does not hide the others. */
static void an_action_is_allowed_done_once_and_logged(void **state)
{
    const struct action *action = *state;
    for (const struct sample *sample = samples; sample->action; sample++)
        if (is_of(sample, action))
            try_sample(sample, action);
}

/* The tables of actions --------------------------------------------------------------------------- */

static bool is_word(const char *text, const char *allowed)
{
    return text && *text && strspn(text, allowed) == strlen(text);
}

/* No flag of the program: behind the action it would mean two things. Only --format may have more forms to choose. */
static bool is_free_flag(const struct action_param *param)
{
    char word[72];
    fit_printf(word, "--%s", param->name);
    return flag_find(word) == NULL || (strcmp(param->name, "format") == 0 && param->type == P_CHOICE);
}

static void check_params(const char *name, const struct action_param *params)
{
    bool optional = false, rest = false;
    size_t count = 0;
    for (const struct action_param *param = params; param && param->name; param++, count++) {
        bool place = param->flags & P_POSITIONAL;
        if (!is_word(param->name, "abcdefghijklmnopqrstuvwxyz-") || !param->help || !*param->help)
            fail_msg("%s: parameter %s needs a name and a help", name, param->name);
        if (!is_free_flag(param))
            fail_msg("%s: --%s is a flag of the program", name, param->name);
        if ((param->type == P_CHOICE) != (param->choices != NULL))
            fail_msg("%s: %s: choices go with P_CHOICE", name, param->name);
        if ((param->flags & P_REST) && !place)
            fail_msg("%s: %s: only a positional one takes the rest", name, param->name);
        if (place && (rest || ((param->flags & P_REQUIRED) && optional)))
            fail_msg("%s: %s can never be reached", name, param->name);
        if (param->type == P_SWITCH && (place || (param->flags & P_REQUIRED)))
            fail_msg("%s: %s: a switch is a flag that may be left out", name, param->name);
        optional |= place && !(param->flags & P_REQUIRED);
        rest |= (param->flags & P_REST) != 0;
        for (const struct action_param *same = params; same < param; same++)
            assert_string_not_equal(same->name, param->name);
    }
    assert_true(count <= sizeof((struct call *)0)->values / sizeof(const char *));
}

static void check_columns(const char *name, const struct column *columns)
{
    for (const struct column *column = columns; column && column->key; column++) {
        size_t length = strlen(column->key);
        bool fen = length > 4 && strcmp(column->key + length - 4, "_fen") == 0;
        if (!column->heading || !*column->heading || (column->align != 1 && column->align != -1))
            fail_msg("%s: column %s needs a heading and a side", name, column->key);
        if (column->money != fen)
            fail_msg("%s: column %s: money is what ends in _fen", name, column->key);
    }
}

/* Each role known and named once; where somebody must be signed in at least one that people have. */
static void check_roles(const char *name, const struct action *action)
{
    char roles[128], *place = NULL;
    unsigned seen = 0;
    assert_non_null(action->roles);
    fit_printf(roles, "%s", action->roles);
    for (char *word = strtok_r(roles, " ", &place); word; word = strtok_r(NULL, " ", &place)) {
        enum role role = role_from_name(word);
        if (role == ROLE_NONE || role == ROLE_WORKER || (seen & 1u << role))
            fail_msg("%s: role %s", name, word);
        seen |= 1u << role;
    }
    if ((action->flags & A_OPERATOR) && !(seen & 1u << ROLE_ADMIN))
        fail_msg("%s: an administrator may do everything that an operator does", name);
}

/* What migrate has put into role_action is what the table says. */
static void check_grants(const char *name, const struct action *action)
{
    for (int role = ROLE_CLERK; role < ROLE_COUNT; role++) {
        char padded[160], word[32];
        fit_printf(padded, " %s ", action->roles);
        fit_printf(word, " %s ", role_name((enum role)role));
        if (role_may((enum role)role, name) != (strstr(padded, word) != NULL))
            fail_msg("%s: role_action differs for %s", name, role_name((enum role)role));
    }
}

static void check_flags(const char *name, unsigned set)
{
    if ((set & A_WRITE) && !(set & A_OPERATOR))
        fail_msg("%s writes: somebody must be signed in", name);
    if ((set & A_REASON) && !(set & A_WRITE))
        fail_msg("%s: a reason is for what writes", name);
    if ((set & A_NO_DB) && (set & (A_OPERATOR | A_WRITE)))
        fail_msg("%s: without a database nobody is signed in", name);
}

static void every_row_of_the_tables_is_sound(void **state)
{
    (void)state;
    const struct action *const *all;
    size_t count = action_all(&all);
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) {
        const struct action *action = all[i];
        char name[64];
        action_name(action, name);
        assert_true(strlen(name) <= 40); /* op_request.action */
        assert_true(is_word(action->noun, "abcdefghijklmnopqrstuvwxyz"));
        assert_true(!*action->verb || is_word(action->verb, "abcdefghijklmnopqrstuvwxyz-"));
        assert_non_null(action->run);
        if (!action->summary || !*action->summary || strchr(action->summary, '\n'))
            fail_msg("%s needs a summary of one line", name);
        check_params(name, action->params);
        check_columns(name, action->columns);
        check_roles(name, action);
        check_flags(name, action->flags);
        if (action->flags & A_OPERATOR)
            check_grants(name, action);
    }
}

static void names_and_short_names_are_unique(void **state)
{
    (void)state;
    const struct action *const *all;
    size_t count = action_all(&all);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct action *a = all[i], *b = all[k];
            char name[64];
            if (i != k && strcmp(a->noun, b->noun) == 0 && strcmp(a->verb, b->verb) == 0)
                fail_msg("%s stands twice", action_name(a, name));
            if (i != k && a->shorts && b->shorts && strcmp(a->shorts, b->shorts) == 0)
                fail_msg("short name %s stands twice", a->shorts);
            /* The first word of a `:` line is a noun or a short name. */
            if (a->shorts && strcmp(a->shorts, b->noun) == 0)
                fail_msg("short name %s is a noun", a->shorts);
        }
}

static int start(void **state)
{
    (void)state;
    world_start();
    find_tables();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    forget_tables();
    world_stop();
    return 0;
}

static const struct CMUnitTest tables_tests[] = {
    cmocka_unit_test(every_row_of_the_tables_is_sound),
    cmocka_unit_test(names_and_short_names_are_unique),
    cmocka_unit_test(every_action_has_a_sample_and_every_sample_an_action),
};
#define TABLES_TESTS (sizeof tables_tests / sizeof *tables_tests)

int main(void)
{
    const struct action *const *all;
    cli_register();
    size_t count = action_all(&all);
    struct CMUnitTest *tests = xcalloc(TABLES_TESTS + count, sizeof *tests);
    char(*names)[64] = xcalloc(count, sizeof *names);
    memcpy(tests, tables_tests, sizeof tables_tests);
    for (size_t i = 0; i < count; i++)
        tests[TABLES_TESTS + i] = (struct CMUnitTest){.name = action_name(all[i], names[i]),
                                                      .test_func = an_action_is_allowed_done_once_and_logged,
                                                      .initial_state = (void *)all[i]};
    int failed = _cmocka_run_group_tests("cli/actions", tests, TABLES_TESTS + count, start, stop);
    free(tests);
    free(names);
    return failed;
}
