/* Lists as tables, CSV and JSON; flags that were given empty; the configuration checked by a flag. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli/flags.h"
#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;
static char *password_file;
static const char *before[7] = {"--data", NULL, "--operator", "admin", "--password-file", NULL, NULL};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    before[1] = fixture.server.folder;
    before[5] = password_file;
    program_before(before);
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    db = fixture_open(&fixture);
    passwords_cheap(db);
    expect(0, "venue add --name '=Court1' --sport badminton");
    expect(0, "venue add --name 'Court \"two\", left' --sport badminton");
    expect(0, "slot generate --venue '=Court1' --from +1 --to +1 --hours 8-9 --price 1234.5");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

/* What it prints with status 0, and nothing on stderr. xmalloc'ed. */
static char *printed(const char *line)
{
    struct ran ran = run("%s", line);
    if (ran.status != 0 || ran.err_bytes)
        fail_msg("%s: status %d\n%s%s", line, ran.status, ran.out, ran.err);
    char *out = xstrdup(ran.out);
    ran_free(&ran);
    return out;
}

static void expect_printed(const char *line, const char *wanted)
{
    char *out = printed(line);
    assert_string_equal(out, wanted);
    free(out);
}

/* Lists ---------------------------------------------------------------------------------------- */

static void a_list_as_csv(void **state)
{
    (void)state;
    expect_printed("venue list --format csv --columns id,name,in_use",
                   "id,name,in_use\r\n1,\"'=Court1\",true\r\n2,\"Court \"\"two\"\", left\",true\r\n");
    expect_printed("venue list --format=csv --columns name,id --no-header --language zh_CN",
                   "\"'=Court1\",1\r\n\"Court \"\"two\"\", left\",2\r\n");
}

/* Yuan for people and spreadsheets; fen, as whole numbers, in JSON only. */
static void money_in_csv_is_yuan(void **state)
{
    (void)state;
    expect_printed("slot list --date +1 --format csv --columns venue,price,start",
                   "venue,price,start\r\n\"'=Court1\",1234.50,08:00\r\n");
    expect_printed("slot list --date +1 --format csv --columns price_fen --no-header", "1234.50\r\n");
    struct tree *rows = answer("slot list --date +1 --format json");
    assert_int_equal(tree_get_int(tree_at(rows, 0), "price_fen"), 123450);
    tree_free(&rows);
}

static void a_table_of_chosen_columns(void **state)
{
    (void)state;
    expect_printed("venue list --columns sport,id --format table", "sport      id\nbadminton   1\nbadminton   2\n");
    expect_printed("venue list --columns sport,id --no-header", "badminton  1\nbadminton  2\n");
}

static void every_list_has_all_three_forms(void **state)
{
    (void)state;
    const struct action *const *list;
    size_t count = action_all(&list), lists = 0;
    for (size_t i = 0; i < count; i++) {
        const struct action *action = list[i];
        if (!action->columns || (action->flags & A_WRITE) || (action->params && action->params[0].flags & P_REQUIRED))
            continue;
        char *line = xprintf("%s %s --format csv", action->noun, action->verb);
        struct ran ran = run("%s", line);
        if (ran.status == 1) { /* there is nothing to list, and it says so */
            ran_free(&ran);
            free(line);
            continue;
        }
        char *names = call_column_names(action->columns);
        if (ran.status != 0)
            fail_msg("%s: status %d\n%s", line, ran.status, ran.err);
        if (strncmp(ran.out, names, strlen(names)) != 0 || ran.out[strlen(names)] != '\r')
            fail_msg("%s begins with\n%.200s", line, ran.out);
        ran_free(&ran);
        free(names);
        free(line);
        struct tree *rows = answer("%s %s --format json", action->noun, action->verb);
        assert_true(tree_is_list(tree_rows(rows)));
        tree_free(&rows);
        lists++;
    }
    assert_true(lists >= 5);
}

/* What is said beside the rows must not stand among them. */
static void talk_is_not_in_the_rows(void **state)
{
    (void)state;
    struct ran ran = run("order list --date +1 --format csv --columns order_no");
    assert_int_equal(ran.status, 0);
    assert_string_equal(ran.out, "order_no\r\n");
    ran_free(&ran);
}

/* A page that is not the last says so, below the rows, and how to go on: in every list that has pages. */
static void lists_that_go_on_say_how(void **state)
{
    (void)state;
    static const char said[] = "There are more: --after ";
    fixture_sql(db, "INSERT INTO money_case (kind, subject, amount, cause, status, created_at) VALUES "
                    "('LATE', 'more-1', 1, 'late', 'OPEN', NOW()), ('LATE', 'more-2', 1, 'late', 'OPEN', NOW()), "
                    "('LATE', 'more-3', 1, 'late', 'OPEN', NOW())");
    expect(0, "customer add --phone 13700001111 --name More1");
    expect(0, "customer add --phone 13700001112 --name More2");
    expect(0, "customer add --phone 13700001113 --name More3");
    static const char *const lists[] = {"case list", "log", "customer find More", NULL};
    for (size_t i = 0; lists[i]; i++) {
        struct ran ran = run("%s --limit 2", lists[i]);
        const char *more = strstr(ran.out, said);
        if (ran.status != 0 || !more || strchr(more, '\n')[1] != '\0')
            fail_msg("%s: status %d\n%s", lists[i], ran.status, ran.out);
        char after[64];
        assert_int_equal(sscanf(more + strlen(said), "%63s", after), 1);
        struct tree *next = answer("%s --limit 2 --after %s", lists[i], after);
        assert_true(tree_count(next) > 0);
        assert_int_not_equal(tree_get_int(tree_at(next, 0), "id"), atoll(after));
        tree_free(&next);
        ran_free(&ran);
        ran = run("%s --limit 2 --format csv", lists[i]); /* beside the rows */
        assert_null(strstr(ran.out, said));
        assert_non_null(strstr(ran.err, said));
        ran_free(&ran);
        ran = run("%s --limit 500", lists[i]);
        assert_null(strstr(ran.out, said));
        ran_free(&ran);
    }
    fixture_sql(db, "DELETE FROM money_case WHERE subject LIKE 'more-%%'");
}

static void wrong_shapes_are_refused_before_anything_is_done(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "venue list --columns name,colour",
        "venue list --columns name,,id",
        "venue list --columns name,name",
        "venue list --format xml",
        "venue list --format csv --json",
        "venue list --columns name --json",
        "venue add --name Third --sport tennis --format csv",
        "venue add --name Third --sport tennis --no-header",
        NULL,
    };
    for (size_t i = 0; lines[i]; i++) {
        struct ran ran = run("%s", lines[i]);
        if (ran.status != 2)
            fail_msg("%s: status %d\n%s%s", lines[i], ran.status, ran.out, ran.err);
        ran_free(&ran);
    }
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM venue"), 2);
    struct ran ran = run("venue list --columns colour");
    assert_non_null(strstr(ran.err, "\"colour\""));
    assert_non_null(strstr(ran.err, "id,name,sport,form,max_people,sort_order,in_use"));
    ran_free(&ran);
    expect_error(2, "usage", "venue list --columns colour --format json");
}

static void help_names_the_columns(void **state)
{
    (void)state;
    char *help = printed("slot list --help");
    assert_non_null(strstr(help, "--no-header"));
    assert_non_null(strstr(help, "remain_count,total_count,price,status"));
    free(help);
}

/* Flags ---------------------------------------------------------------------------------------- */

static void expect_names(const char *name)
{
    struct ran ran = run_words((const char *const[]){name, "", "config", NULL});
    if (ran.status != 2 || !strstr(ran.err, name))
        fail_msg("%s: status %d\n%s", name, ran.status, ran.err);
    ran_free(&ran);
}

static void no_flag_of_the_program_may_be_empty(void **state)
{
    (void)state;
    for (const struct flag *flag = flags; flag->name; flag++) {
        if (!flag->argument)
            continue;
        expect_names(flag->name);
        struct ran ran = run("config %s=", flag->name);
        assert_int_equal(ran.status, 2);
        assert_non_null(strstr(ran.err, flag->name));
        ran_free(&ran);
    }
}

/* Only a note, a name or the like may be given empty, to have none. */
static void no_parameter_may_be_empty_but_text_that_may_be_missing(void **state)
{
    (void)state;
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++)
        for (const struct action_param *param = list[i]->params; param && param->name; param++) {
            struct fd_error err = {0};
            struct call call = {.action = list[i], .today = DAY_NONE};
            char *flag = xprintf("--%s", param->name);
            char empty[1] = "", *words[] = {flag, empty, NULL};
            if (param->type != P_SWITCH && !(param->flags & (P_EMPTY | P_POSITIONAL))) {
                assert_int_equal(call_parse(&call, 2, words, NULL, &err), FD_BAD_INPUT);
                if (!strstr(err.message, flag) || !strstr(err.message, "empty"))
                    fail_msg("%s: %s", flag, err.message);
            }
            assert_true(param->type == P_TEXT || !(param->flags & P_EMPTY));
            call_release(&call);
            free(flag);
        }
    struct ran ran = run_words((const char *const[]){"slot", "close", "--venue", "", "--reason", "x", NULL});
    assert_int_equal(ran.status, 2);
    assert_non_null(strstr(ran.err, "--venue"));
    ran_free(&ran);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM venue_schedule WHERE status = 'CLOSED'"), 0);
}

static void the_configuration_is_checked_by_a_flag(void **state)
{
    (void)state;
    char *bad = write_file(fixture.folder, "bad.conf", "[database]\nport = many\n", 0600);
    expect(0, "--check-config");
    expect(0, "--check-config venue add --name Third --sport tennis");
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM venue"), 2);
    struct ran ran = run("--config %s --check-config", bad);
    assert_int_equal(ran.status, 78);
    assert_non_null(strstr(ran.err, "bad.conf:2"));
    ran_free(&ran);
    free(bad);
}

int main(void)
{
    cli_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_as_csv),
        cmocka_unit_test(money_in_csv_is_yuan),
        cmocka_unit_test(a_table_of_chosen_columns),
        cmocka_unit_test(every_list_has_all_three_forms),
        cmocka_unit_test(talk_is_not_in_the_rows),
        cmocka_unit_test(lists_that_go_on_say_how),
        cmocka_unit_test(wrong_shapes_are_refused_before_anything_is_done),
        cmocka_unit_test(help_names_the_columns),
        cmocka_unit_test(no_flag_of_the_program_may_be_empty),
        cmocka_unit_test(no_parameter_may_be_empty_but_text_that_may_be_missing),
        cmocka_unit_test(the_configuration_is_checked_by_a_flag),
    };
    return cmocka_run_group_tests_name("cli/list", tests, start, stop);
}
