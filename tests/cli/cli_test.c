/* The program as a program: words, help, exit codes, files, pipes, environment. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli/flags.h"
#include "db/server.h"
#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static char *admin_file;
static const char *before[3] = {"--data", NULL, NULL};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    before[1] = fixture.server.folder;
    program_before(before);
    admin_file = write_file(fixture.folder, "admin.pw", "secret\n", 0600);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(admin_file);
    fixture_stop(&fixture);
    return 0;
}

/* Words ------------------------------------------------------------------------------------ */

static void version_and_help_need_nothing(void **state)
{
    (void)state;
    struct ran ran = run("--host no.such.host --version");
    assert_int_equal(ran.status, 0);
    assert_string_equal(ran.out, "frontdesk " FD_VERSION "\n");
    assert_string_equal(ran.err, "");
    ran_free(&ran);
    ran = run("--config /nonexistent --help");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "NOUN VERB"));
    assert_string_equal(ran.err, "");
    ran_free(&ran);
}

static void every_noun_stands_in_the_help(void **state)
{
    (void)state;
    const struct action *const *list;
    size_t count = action_all(&list);
    struct ran ran = run("--help");
    for (size_t i = 0; i < count; i++)
        if (!strstr(ran.out, list[i]->noun))
            fail_msg("%s is not in --help", list[i]->noun);
    for (const struct flag *flag = flags; flag->name; flag++)
        if (!strstr(ran.out, flag->name))
            fail_msg("%s is not in --help", flag->name);
    ran_free(&ran);
}

static void every_action_has_help_of_its_own(void **state)
{
    (void)state;
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++) {
        struct ran ran = run("--host no.such.host %s %s --help", list[i]->noun, list[i]->verb);
        if (ran.status != 0 || !strstr(ran.out, list[i]->summary) || ran.err_bytes)
            fail_msg("%s %s --help: status %d\n%s%s", list[i]->noun, list[i]->verb, ran.status, ran.out, ran.err);
        for (const struct action_param *param = list[i]->params; param && param->name; param++)
            if (!strstr(ran.out, _(param->help)))
                fail_msg("%s %s --help lacks %s", list[i]->noun, list[i]->verb, param->name);
        ran_free(&ran);
    }
}

static void a_noun_alone_lists_its_verbs(void **state)
{
    (void)state;
    struct ran ran = run("server");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "start"));
    assert_non_null(strstr(ran.out, "stop"));
    assert_non_null(strstr(ran.out, "status"));
    ran_free(&ran);
}

static void wrong_words_are_usage_with_a_hint_on_one_line(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--bogus",
        "-x",
        "nonsense",
        "ordr book",
        "order bogus",
        "order book --bogus",
        "order book --slot",
        "--key",
        "--json=1 rules",
        "server start stray",
        "--operator",
        "rules --format nonsense",
        NULL,
    };
    for (size_t i = 0; lines[i]; i++) {
        struct ran ran = run("%s", lines[i]);
        if (ran.status != 2 || strncmp(ran.err, "frontdesk: ", 11) != 0 || ran.out_bytes)
            fail_msg("%s: status %d\n%s%s", lines[i], ran.status, ran.out, ran.err);
        ran_free(&ran);
    }
    struct ran ran = run("ordr book");
    assert_non_null(strstr(ran.err, "\"order\""));
    ran_free(&ran);
    expect_error(2, "usage", "nonsense");
}

static void flags_stand_before_or_after_the_noun(void **state)
{
    (void)state;
    struct tree *a = answer("--terminal till-7 config"), *b = answer("config --terminal=till-7");
    char *x = tree_dump(a), *y = tree_dump(b);
    assert_string_equal(x, y);
    assert_non_null(strstr(x, "till-7"));
    assert_non_null(strstr(x, "\"flag\""));
    free(x);
    free(y);
    tree_free(&a);
    tree_free(&b);
}

static void the_console_needs_a_terminal(void **state)
{
    (void)state;
    struct ran ran = run("--ascii");
    assert_int_equal(ran.status, 2);
    assert_non_null(strstr(ran.err, "terminal"));
    ran_free(&ran);
}

static void completion_equals_the_tables(void **state)
{
    (void)state;
    struct ran ran = run("completion bash");
    struct buf made = {0};
    completion_bash(&made);
    assert_int_equal(ran.status, 0);
    assert_string_equal(ran.out, buf_text(&made));
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++) {
        char *row = xprintf("'%s %s')", list[i]->noun, list[i]->verb);
        assert_non_null(strstr(ran.out, row));
        free(row);
        for (const struct action_param *param = list[i]->params; param && param->name; param++)
            if (!(param->flags & P_POSITIONAL))
                assert_non_null(strstr(ran.out, param->name));
    }
    buf_release(&made);
    char *file = write_file(fixture.folder, "completion", ran.out, 0600);
    char *command = xprintf(
        "bash -c '. %s; COMP_WORDS=(frontdesk --data x order bo); COMP_CWORD=4; _frontdesk; echo ${COMPREPLY[@]}; "
        "COMP_WORDS=(frontdesk ser); COMP_CWORD=1; _frontdesk; echo ${COMPREPLY[@]}; "
        "COMP_WORDS=(frontdesk doctor --gr); COMP_CWORD=2; _frontdesk; echo ${COMPREPLY[@]}'",
        file);
    FILE *bash = popen(command, "r");
    char got[256] = "";
    size_t bytes = fread(got, 1, sizeof got - 1, bash);
    got[bytes] = '\0';
    pclose(bash);
    assert_string_equal(got, "book\nserver\n--grace\n");
    free(command);
    free(file);
    ran_free(&ran);
}

/* Exit codes --------------------------------------------------------------------------------- */

static void a_database_that_is_away_is_69(void **state)
{
    (void)state;
    expect_error(69, "db_down", "doctor --socket /nonexistent/socket --operator admin --password-file %s", admin_file);
    expect(69, "worker --once --socket /nonexistent/socket");
}

static void a_wrong_configuration_is_78(void **state)
{
    (void)state;
    char *bad = write_file(fixture.folder, "bad.conf", "[database]\nport = many\n", 0600);
    char *unknown = write_file(fixture.folder, "unknown.conf", "[database]\nhots = x\n", 0600);
    struct ran ran = run("--config %s config", bad);
    assert_int_equal(ran.status, 78);
    assert_non_null(strstr(ran.err, "bad.conf:2"));
    ran_free(&ran);
    expect_error(78, "config", "--config %s config --check", unknown);
    expect_error(78, "config", "--config /nonexistent/file config");
    expect_error(78, "config", "--port many config");
    expect_error(78, "config", "--language tlh config");
    free(bad);
    free(unknown);
}

static void config_tells_where_each_value_comes_from(void **state)
{
    (void)state;
    char *file = write_file(fixture.folder, "good.conf", "[desk]\nterminal = till-3\n", 0600);
    struct tree *rows = answer("--config %s config", file);
    bool found = false;
    assert_true(tree_is_list(rows));
    assert_int_equal(tree_count(rows), CONFIG_COUNT);
    for (size_t i = 0; i < tree_count(rows); i++) {
        const struct tree *row = tree_at(rows, i);
        if (strcmp(tree_get_text(row, "key"), "desk.terminal") != 0)
            continue;
        found = true;
        assert_string_equal(tree_get_text(row, "value"), "till-3");
        assert_non_null(strstr(tree_get_text(row, "origin"), "good.conf:2"));
    }
    assert_true(found);
    tree_free(&rows);
    free(file);
    expect(0, "config --check");
}

/* The first operator, signing in, password files ----------------------------------------------- */

static void the_first_operator_needs_no_sign_in_and_is_an_administrator(void **state)
{
    (void)state;
    expect(0, "migrate");
    expect_error(1, "refused", "operator add li --role clerk --new-password-file %s", admin_file);
    expect(0, "operator add admin --role admin --new-password-file %s", admin_file);
    /* From now on somebody has to sign in, and there is no terminal to ask at. */
    struct ran ran = run("operator add li --role clerk --new-password-file %s", admin_file);
    assert_int_equal(ran.status, 2);
    ran_free(&ran);
    expect(0, "operator add li --role clerk --new-password-file %s --operator admin --password-file %s", admin_file,
           admin_file);
}

static void who_may_not_is_77(void **state)
{
    (void)state;
    char *wrong = write_file(fixture.folder, "wrong.pw", "guess\n", 0600);
    expect_error(77, "sign_in", "doctor --operator admin --password-file %s", wrong);
    expect_error(77, "sign_in", "doctor --operator nobody --password-file %s", wrong);
    expect_error(77, "no_permission", "operator list --operator li --password-file %s", admin_file);
    expect_error(77, "no_permission", "param set hold_minutes 20 --operator li --password-file %s", admin_file);
    expect_error(77, "no_permission", "param set hold_minutes 20 --readonly --operator admin --password-file %s",
                 admin_file);
    expect(0, "doctor --operator admin --password-file %s", admin_file);
    free(wrong);
}

static void a_password_file_must_be_private(void **state)
{
    (void)state;
    char *open_file = write_file(fixture.folder, "open.pw", "secret\n", 0644);
    char *group = write_file(fixture.folder, "group.pw", "secret\n", 0640);
    char *link_path = xprintf("%s/link.pw", fixture.folder);
    assert_int_equal(symlink(admin_file, link_path), 0);
    const char *const refused[] = {open_file, group, link_path, fixture.folder, "/nonexistent"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_error(78, "config", "doctor --operator admin --password-file %s", refused[i]);
    struct ran ran = run_with("secret\n", "doctor --operator admin --password-file -");
    assert_int_equal(ran.status, 0);
    ran_free(&ran);
    ran = run_with("wrong\n", "doctor --operator admin --password-file -");
    assert_int_equal(ran.status, 77);
    ran_free(&ran);
    free(open_file);
    free(group);
    free(link_path);
}

static void wrong_passwords_lock(void **state)
{
    (void)state;
    char *wrong = write_file(fixture.folder, "wrong.pw", "guess\n", 0600);
    for (int i = 0; i < 5; i++)
        expect(77, "doctor --operator li --password-file %s", wrong);
    expect_error(77, "locked", "doctor --operator li --password-file %s", admin_file);
    expect(0, "operator unlock li --operator admin --password-file %s", admin_file);
    expect(0, "doctor --operator li --password-file %s", admin_file);
    free(wrong);
}

/* Surroundings --------------------------------------------------------------------------------- */

static void a_closed_pipe_ends_quietly(void **state)
{
    (void)state;
    char *errors = xprintf("%s/pipe.err", fixture.folder);
    static const char *const lines[] = {"rules",         "rules --json", "--help", "order book --help",
                                        "config --json", "--version"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *command = xprintf("set -o pipefail; (%s --data %s %s 2>%s; echo $? >%s.status) | head -c 0",
                                program_path(), fixture.server.folder, lines[i], errors, errors);
        char *bash = xprintf("bash -c '%s'", command);
        assert_int_not_equal(system(bash), -1);
        char said[64] = "";
        FILE *file = fopen(errors, "r");
        assert_non_null(file);
        assert_int_equal(fread(said, 1, sizeof said - 1, file), 0);
        fclose(file);
        char *status_path = xprintf("%s.status", errors);
        file = fopen(status_path, "r");
        assert_non_null(fgets(said, sizeof said, file));
        assert_string_equal(said, "0\n");
        fclose(file);
        free(status_path);
        free(bash);
        free(command);
    }
    free(errors);
}

static void nothing_of_the_environment_is_needed(void **state)
{
    (void)state;
    char *home = xstrdup(getenv("HOME"));
    unsetenv("LANG");
    unsetenv("HOME");
    unsetenv("XDG_CONFIG_HOME");
    expect(0, "rules");
    expect(0, "doctor --operator admin --password-file %s", admin_file);
    setenv("LANG", "C", 1);
    expect(0, "rules");
    setenv("LANG", "xx_XX.UTF-8", 1);
    expect(0, "rules");
    setenv("LANG", "C.UTF-8", 1);
    setenv("HOME", home, 1);
    free(home);
}

static void the_language_changes_what_people_read_and_not_what_programs_read(void **state)
{
    (void)state;
    struct ran en =
        run("--language en order show 20261130VBAAAAAAAA --json --operator admin --password-file %s", admin_file);
    struct ran zh =
        run("--language zh_CN order show 20261130VBAAAAAAAA --json --operator admin --password-file %s", admin_file);
    struct tree *a = tree_parse(en.out), *b = tree_parse(zh.out);
    assert_string_equal(tree_get_text(tree_get(a, "error"), "code"), "not_found");
    assert_string_equal(tree_get_text(tree_get(b, "error"), "code"), "not_found");
    assert_int_equal(en.status, zh.status);
    tree_free(&a);
    tree_free(&b);
    ran_free(&en);
    ran_free(&zh);
}

/* The server, backup, worker -------------------------------------------------------------------- */

static void expect_said(const char *first, const char *second, const char *line)
{
    struct ran ran = run("%s", line);
    assert_int_equal(ran.status, 0);
    if (!strstr(ran.out, first) || !strstr(ran.out, second))
        fail_msg("%s: %s", line, ran.out);
    ran_free(&ran);
}

static void server_status_stop_and_start(void **state)
{
    (void)state;
    struct tree *tree = answer("server status");
    assert_true(tree_get_bool(tree, "running"));
    tree_free(&tree);
    expect_said("The private database, process", "was stopped", "server stop");
    tree = answer("server status");
    assert_false(tree_get_bool(tree, "running"));
    tree_free(&tree);
    expect_said("The private database was not running", "Folder", "server stop");
    tree = answer("server start");
    assert_true(tree_get_bool(tree, "running") && tree_get_bool(tree, "started"));
    tree_free(&tree);
    tree = answer("server start");
    assert_false(tree_get_bool(tree, "started"));
    tree_free(&tree);
    expect_error(1, "refused", "server start --socket /nonexistent");
}

static void a_command_starts_the_server_and_leaves_no_pipe_open(void **state)
{
    (void)state;
    expect(0, "server stop");
    /* run() reads to the end of both pipes: a server that kept them would hang here. */
    expect(0, "operator list --operator admin --password-file %s", admin_file);
    struct tree *tree = answer("server status");
    assert_true(tree_get_bool(tree, "running"));
    tree_free(&tree);
}

static void migrate_again_changes_nothing(void **state)
{
    (void)state;
    struct tree *first = answer("migrate"), *second = answer("migrate");
    assert_true(tree_get_int(first, "version") > 0);
    assert_int_equal(tree_get_int(first, "version"), tree_get_int(second, "version"));
    assert_int_equal(tree_count(tree_get(second, "steps")), 0);
    tree_free(&first);
    tree_free(&second);
}

/* Another server than MariaDB is told so, and nothing is touched. */
static bool only_mariadb(void)
{
    struct db *db = fixture_open(&fixture);
    bool is_mariadb = db_is_mariadb(db);
    db_close(&db);
    if (!is_mariadb)
        expect_error(1, "refused", "backup %s/no.sql --operator admin --password-file %s", fixture.folder, admin_file);
    return is_mariadb;
}

static void a_backup_is_private_whole_and_comes_back(void **state)
{
    (void)state;
    if (!only_mariadb())
        return;
    struct stat status;
    char *file = xprintf("%s/one.sql", fixture.folder),
         *sign = xprintf("--operator admin --password-file %s", admin_file);
    expect(0, "param set hold_minutes 21 %s", sign);
    expect(0, "backup %s %s", file, sign);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    expect_error(1, "exists", "backup %s %s", file, sign);
    expect(0, "param set hold_minutes 22 %s", sign);
    expect_error(1, "refused", "restore %s %s", file, sign);
    expect(0, "restore %s --yes %s", file, sign);
    struct tree *rows = answer("param list %s", sign);
    bool found = false;
    for (size_t i = 0; i < tree_count(rows); i++)
        if (strcmp(tree_get_text(tree_at(rows, i), "name"), "hold_minutes") == 0) {
            found = true;
            assert_int_equal(tree_get_int(tree_at(rows, i), "value"), 21);
        }
    assert_true(found);
    tree_free(&rows);
    /* The triggers came back too: the log is insert only. */
    struct db *db = fixture_open(&fixture);
    struct fd_error err = {0};
    assert_int_not_equal(db_run(db, "UPDATE operation_log SET event = 'x'", &err), FD_OK);
    db_close(&db);
    expect(0, "doctor %s", sign);
    free(file);
    free(sign);
}

static void a_torn_backup_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    if (!only_mariadb())
        return;
    char *file = xprintf("%s/two.sql", fixture.folder),
         *sign = xprintf("--operator admin --password-file %s", admin_file);
    expect(0, "backup %s %s", file, sign);
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(truncate(file, status.st_size / 2), 0);
    expect_error(1, "refused", "restore %s --yes %s", file, sign);
    char *other = write_file(fixture.folder, "other.sql", "DROP DATABASE frontdesk;\n-- Dump completed\n", 0600);
    expect_error(1, "refused", "restore %s --yes %s", other, sign);
    expect(0, "operator list %s", sign);
    free(file);
    free(other);
    free(sign);
}

static void a_backup_that_does_not_load_leaves_what_was(void **state)
{
    (void)state;
    if (!only_mariadb())
        return;
    char *sign = xprintf("--operator admin --password-file %s", admin_file);
    char *bad = write_file(fixture.folder, "bad.sql",
                           "-- frontdesk backup, schema 1\nCREATE TABLE t (a INT;\n-- Dump completed\n", 0600);
    expect_error(74, "io", "restore %s --yes %s", bad, sign);
    expect(0, "operator list %s", sign);
    expect(0, "doctor %s", sign);
    free(bad);
    free(sign);
}

static void the_worker_stops_on_sigterm(void **state)
{
    (void)state;
    pid_t pid = run_start(-1, "worker --seconds 1");
    sleep_ms(1200);
    int64_t began = mono_ms();
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(fixture_wait(pid), 0);
    assert_in_range(mono_ms() - began, 0, 5000);
}

static void the_worker_outlives_its_database(void **state)
{
    (void)state;
    /* Through a socket that is configured: it must not start the private server itself. */
    char *socket_path = xstrdup(fixture.server.socket);
    char *options = write_file(fixture.folder, "options.cnf", "[frontdesk]\nuser=root\n", 0600);
    char *conf = xprintf("[database]\ndefaults_file = %s\n", options);
    char *file = write_file(fixture.folder, "worker.conf", conf, 0600);
    pid_t pid = run_start(-1, "worker --seconds 1 --socket %s --config %s", socket_path, file);
    sleep_ms(500);
    fixture_crash(&fixture);
    sleep_ms(1000);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    fixture_restart(&fixture);
    sleep_ms(500);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    kill(pid, SIGTERM);
    assert_int_equal(fixture_wait(pid), 0);
    free(socket_path);
    free(options);
    free(conf);
    free(file);
}

int main(void)
{
    cli_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_and_help_need_nothing),
        cmocka_unit_test(every_noun_stands_in_the_help),
        cmocka_unit_test(every_action_has_help_of_its_own),
        cmocka_unit_test(a_noun_alone_lists_its_verbs),
        cmocka_unit_test(wrong_words_are_usage_with_a_hint_on_one_line),
        cmocka_unit_test(flags_stand_before_or_after_the_noun),
        cmocka_unit_test(the_console_needs_a_terminal),
        cmocka_unit_test(completion_equals_the_tables),
        cmocka_unit_test(a_database_that_is_away_is_69),
        cmocka_unit_test(a_wrong_configuration_is_78),
        cmocka_unit_test(config_tells_where_each_value_comes_from),
        cmocka_unit_test(the_first_operator_needs_no_sign_in_and_is_an_administrator),
        cmocka_unit_test(who_may_not_is_77),
        cmocka_unit_test(a_password_file_must_be_private),
        cmocka_unit_test(wrong_passwords_lock),
        cmocka_unit_test(a_closed_pipe_ends_quietly),
        cmocka_unit_test(nothing_of_the_environment_is_needed),
        cmocka_unit_test(the_language_changes_what_people_read_and_not_what_programs_read),
        cmocka_unit_test(server_status_stop_and_start),
        cmocka_unit_test(a_command_starts_the_server_and_leaves_no_pipe_open),
        cmocka_unit_test(migrate_again_changes_nothing),
        cmocka_unit_test(a_backup_is_private_whole_and_comes_back),
        cmocka_unit_test(a_torn_backup_is_refused_and_changes_nothing),
        cmocka_unit_test(a_backup_that_does_not_load_leaves_what_was),
        cmocka_unit_test(the_worker_stops_on_sigterm),
        cmocka_unit_test(the_worker_outlives_its_database),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
