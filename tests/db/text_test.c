/* What src/db does without a server: `:name` parsing, sentences of the server, option files, steps. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/migrate_internal.h"
#include "db/option_file.h"
#include "support/fixture.h"

static struct fixture fixture;

static void named_parameters_become_marks_outside_text(void **state)
{
    static const struct {
        const char *sql, *parsed;
        unsigned params;
    } cases[] = {
        {"SELECT :a", "SELECT ?", 1},
        {"a=:a AND b=:b_2 OR c=:a", "a=? AND b=? OR c=?", 3},
        {"SELECT '19:00:00', \":x\", `:y`, @v := 1", "SELECT '19:00:00', \":x\", `:y`, @v := 1", 0},
        {"'it''s :a' :b 'back\\' :c'", "'it''s :a' ? 'back\\' :c'", 1},
        {"-- :a\n:b /* :c */ :d", "-- :a\n? /* :c */ ?", 2},
        {":a", "?", 1},
        {"", "", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slot slot = {0};
        db_query_parse(&slot, cases[i].sql);
        assert_string_equal(slot.sql, cases[i].parsed);
        assert_int_equal(slot.param_count, cases[i].params);
        db_slot_release(&slot);
    }
}

static void key_name_is_found_in_both_servers_sentences(void **state)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"Duplicate entry 'x' for key 'uk_order_no'", "uk_order_no"},
        {"Duplicate entry 'x' for key 't_user.uk_phone'", "uk_phone"},
        {"Duplicate entry 'a' for key 'b'' for key 'PRIMARY'", "PRIMARY"},
        {"Duplicate entry", ""},
    };
    char key[72];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sql_key_name(cases[i].text, key, sizeof key);
        assert_string_equal(key, cases[i].key);
    }
}

static void stored_values_do_not_reach_the_log(void **state)
{
    char safe[128];
    (void)state;
    sql_redact(1062, "Duplicate entry '13800001234' for key 'uk_phone'", safe, sizeof safe);
    assert_string_equal(safe, "Duplicate entry '...' for key 'uk_phone'");
    sql_redact(1062, "Duplicate entry 'O'Neil' for x' for key 'uk'", safe, sizeof safe);
    assert_null(strstr(safe, "Neil"));
    sql_redact(1366, "Incorrect string value: '\\xF0\\x9F' for column `a`.`b`.`c` at row 1", safe, sizeof safe);
    assert_null(strstr(safe, "xF0"));
    sql_redact(1146, "Table 'a.b' doesn't exist", safe, sizeof safe);
    assert_string_equal(safe, "Table 'a.b' doesn't exist");
}

static void every_code_of_the_table_has_its_class(void **state)
{
    static const struct {
        unsigned number;
        enum sql_class class;
    } cases[] = {
        {1213, SQL_RETRY},    {1205, SQL_RETRY},    {1020, SQL_RETRY},    {3101, SQL_RETRY},    {3572, SQL_RETRY},
        {1615, SQL_RETRY},    {2057, SQL_RETRY},    {9007, SQL_RETRY},    {2006, SQL_LOST},     {2013, SQL_LOST},
        {2055, SQL_LOST},     {2026, SQL_LOST},     {1053, SQL_LOST},     {1180, SQL_LOST},     {3100, SQL_LOST},
        {1317, SQL_KILLED},   {1047, SQL_NODE},     {1290, SQL_NODE},     {1836, SQL_NODE},     {3032, SQL_NODE},
        {2002, SQL_NODE},     {2003, SQL_NODE},     {1040, SQL_NODE},     {1927, SQL_NODE},     {1062, SQL_EXISTS},
        {1690, SQL_BUSINESS}, {3819, SQL_BUSINESS}, {4025, SQL_BUSINESS}, {1644, SQL_BUSINESS}, {1264, SQL_BUSINESS},
        {1265, SQL_BUSINESS}, {1406, SQL_BUSINESS}, {1452, SQL_BUSINESS}, {1044, SQL_RIGHT},    {1146, SQL_FATAL},
        {1054, SQL_FATAL},    {1153, SQL_FATAL},    {9999, SQL_FATAL},    {1142, SQL_RIGHT},
        {1143, SQL_RIGHT},    {1227, SQL_RIGHT},    {1419, SQL_RIGHT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sql_class_of(cases[i].number), cases[i].class);
}

static void at_commit_only_what_is_surely_undone_is_known(void **state)
{
    static const struct {
        unsigned number;
        enum fd_code code;
    } cases[] = {
        {1213, FD_RETRY},   {1205, FD_RETRY},   {2013, FD_UNKNOWN}, {2006, FD_UNKNOWN}, {1180, FD_UNKNOWN}, {1317, FD_UNKNOWN},
        {1927, FD_UNKNOWN}, {3100, FD_UNKNOWN}, {9999, FD_UNKNOWN}, {1062, FD_EXISTS},  {2026, FD_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct db db = {0};
        struct fd_error err = {0};
        assert_int_equal(sql_fail(&db, "commit", cases[i].number, "HY000", "text", true, &err), cases[i].code);
        assert_true(db.doomed);
        assert_int_equal(err.sql_errno, cases[i].number);
    }
}

static char *write_file(const char *name, mode_t mode, const char *text)
{
    char *path = xprintf("%s/%s", fixture.folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    fchmod(fd, mode);
    close(fd);
    return path;
}

static void option_file_gives_credentials_and_client_no_target(void **state)
{
    struct fd_error err = {0};
    struct option_file options;
    (void)state;
    char *path = write_file("own.cnf", 0600,
                            "# note\n[client]\nuser=cu\npassword = \"c#p\\\\\" # tail\nhost=evil\nsocket=/evil\n"
                            "[mysqld]\nuser=other\n[frontdesk]\nuser = 'fu'\npassword=f p # tail\nport=3307\n"
                            "ssl_ca=/ca.pem\ninit-command=SET timestamp=1\nskip-nothing\n");
    must(option_file_read(path, &options, &err));
    assert_string_equal(options.client_user, "cu");
    assert_string_equal(options.client_password, "c#p\\");
    assert_string_equal(options.user, "fu");
    assert_string_equal(options.password, "f p");
    assert_int_equal(options.port, 3307);
    assert_string_equal(options.ssl_ca, "/ca.pem");
    assert_string_equal(options.init_command, "SET timestamp=1");
    assert_null(options.host);
    assert_null(options.socket);
    option_file_release(&options);
    free(path);
}

static void option_file_that_others_can_read_is_refused(void **state)
{
    static const mode_t modes[] = {0640, 0604, 0660};
    struct fd_error err = {0};
    struct option_file options;
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char *path = write_file("open.cnf", modes[i], "[frontdesk]\npassword=x\n");
        must_give(FD_CONFIG, option_file_read(path, &options, &err));
        assert_non_null(strstr(err.hint, "chmod 600"));
        assert_null(options.password);
        option_file_release(&options);
        free(path);
    }
    char *link = xprintf("%s/link.cnf", fixture.folder), *target = write_file("target.cnf", 0600, "[frontdesk]\n");
    assert_int_equal(symlink(target, link), 0);
    must_give(FD_CONFIG, option_file_read(link, &options, &err));
    must_give(FD_CONFIG, option_file_read("/nonexistent/file", &options, &err));
    free(link);
    free(target);
}

static void usual_files_include_folders_and_skip_writable_ones(void **state)
{
    struct fd_error err = {0};
    struct option_file options;
    (void)state;
    char *folder = xprintf("%s/inc", fixture.folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    char *home = write_file("home/.my.cnf", 0600, "");
    char *text = xprintf("[frontdesk]\nuser=first\n!includedir %s\n", folder);
    free(home);
    home = write_file("home/.my.cnf", 0600, text);
    char *a = write_file("inc/a.cnf", 0644, "[frontdesk]\nuser=second\n");
    char *b = write_file("inc/b.cnf", 0666, "[frontdesk]\nuser=third\n");
    char *c = write_file("inc/c.txt", 0600, "[frontdesk]\nuser=fourth\n");
    must(option_file_read(NULL, &options, &err));
    assert_string_equal(options.user, "second");
    option_file_release(&options);
    unlink(home);
    free(text);
    free(folder);
    free(home);
    free(a);
    free(b);
    free(c);
}

static void steps_are_split_with_their_directives(void **state)
{
    const char *text = "-- a comment\n"
                       "-- @unless column t.c\nALTER TABLE t\n  ADD COLUMN c INT; \n\n"
                       "-- @expect u\nCREATE TABLE u (\n id INT -- ; no end\n);\n"
                       "-- @dropunique u a,b\n"
                       "-- @mariadb\n-- @unless trigger g\nCREATE TRIGGER g BEFORE UPDATE ON u FOR EACH ROW\nBEGIN\n"
                       "    IF 1 THEN\n        SET @x = 1;\n    END IF;\n    BEGIN\n    END;\nEND;\n"
                       "CREATE TRIGGER h AFTER INSERT ON u FOR EACH ROW SET @y = 1;\n"
                       "SELECT 1;\n";
    struct step step;
    (void)state;
    assert_true(migrate_step_next(&text, &step));
    assert_int_equal(step.guard, GUARD_COLUMN);
    assert_string_equal(step.object, "t");
    assert_string_equal(step.part, "c");
    assert_string_equal(step.sql, "ALTER TABLE t\n  ADD COLUMN c INT");
    migrate_step_release(&step);
    assert_true(migrate_step_next(&text, &step));
    assert_true(step.expect);
    assert_string_equal(step.sql, "CREATE TABLE u (\n id INT -- ; no end\n)");
    migrate_step_release(&step);
    assert_true(migrate_step_next(&text, &step));
    assert_true(step.drop_unique && !step.sql);
    assert_string_equal(step.columns, "a,b");
    assert_true(migrate_step_next(&text, &step));
    assert_true(step.only_mariadb && !step.only_mysql);
    assert_int_equal(step.guard, GUARD_TRIGGER);
    assert_non_null(strstr(step.sql, "    END;\nEND"));
    migrate_step_release(&step);
    assert_true(migrate_step_next(&text, &step));
    assert_int_equal(step.guard, GUARD_NONE);
    assert_non_null(strstr(step.sql, "SET @y = 1"));
    migrate_step_release(&step);
    assert_true(migrate_step_next(&text, &step));
    assert_string_equal(step.sql, "SELECT 1");
    migrate_step_release(&step);
    assert_false(migrate_step_next(&text, &step));
}

static void zones_that_are_no_offset_are_refused(void **state)
{
    (void)state;
    assert_true(db_zone_is_offset("+08:00"));
    assert_true(db_zone_is_offset("-03:30"));
    assert_false(db_zone_is_offset("Asia/Shanghai"));
    assert_false(db_zone_is_offset("+8:00"));
    assert_false(db_zone_is_offset("+08:00'"));
    assert_false(db_zone_is_offset(""));
    assert_false(db_zone_is_offset(NULL));
}

static int set_up(void **state)
{
    (void)state;
    fixture_environment(&fixture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_parameters_become_marks_outside_text),
        cmocka_unit_test(key_name_is_found_in_both_servers_sentences),
        cmocka_unit_test(stored_values_do_not_reach_the_log),
        cmocka_unit_test(every_code_of_the_table_has_its_class),
        cmocka_unit_test(at_commit_only_what_is_surely_undone_is_known),
        cmocka_unit_test(option_file_gives_credentials_and_client_no_target),
        cmocka_unit_test(option_file_that_others_can_read_is_refused),
        cmocka_unit_test(usual_files_include_folders_and_skip_writable_ones),
        cmocka_unit_test(steps_are_split_with_their_directives),
        cmocka_unit_test(zones_that_are_no_offset_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
