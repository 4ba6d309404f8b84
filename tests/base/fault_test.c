/* Fail points: this program compiles mem.c and fault.c with FD_TEETH, whatever the build. */
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fault.h"
#include "base/mem.h"

static void third_allocation_fails(void)
{
    mem_fail_at(3);
    free(xmalloc(1));
    free(xstrdup("x"));
    static const char text[] = "third\n";
    free(xcalloc(1, sizeof text));
}

static void fails_by_environment(void)
{
    setenv("FRONTDESK_FAIL_ALLOC", "2", 1);
    free(xmalloc(1));
    struct buf buf = {0};
    buf_add(&buf, "x");
    buf_release(&buf);
}

static void passes_once(void)
{
    mem_fail_at(0);
    for (int i = 0; i < 100; i++)
        free(xmalloc(1));
}

static void the_chosen_allocation_reports_out_of_memory(void **state)
{
    (void)state;
    char said[500];
    int status = in_child(third_allocation_fails, said, sizeof said);
    assert_int_equal(WEXITSTATUS(status), 71);
    assert_non_null(strstr(said, "out of memory"));
    status = in_child(fails_by_environment, said, sizeof said);
    assert_int_equal(WEXITSTATUS(status), 71);
    status = in_child(passes_once, said, sizeof said);
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void pass_two_points(void)
{
    setenv("FRONTDESK_FAIL_POINT", "before-commit", 1);
    FD_POINT("before");
    FD_POINT("before-commit");
}

static void a_fail_point_kills_only_where_it_is_named(void **state)
{
    (void)state;
    char said[500];
    int status = in_child(pass_two_points, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    unsetenv("FRONTDESK_FAIL_POINT");
    FD_POINT("before-commit");
}

static void pass_one_point_twice(void)
{
    setenv("FRONTDESK_POINTS_FD", "2", 1);
    setenv("FRONTDESK_FAIL_POINT", "fired:2", 1);
    FD_POINT("fired");
    FD_POINT("fire");
    FD_POINT("fired");
    FD_POINT("after");
}

static void points_are_noted_and_turns_are_counted(void **state)
{
    (void)state;
    char said[500];
    int status = in_child(pass_one_point_twice, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    assert_string_equal(said, "fired\nfire\nfired\n");
}

static void a_tooth_is_out_only_by_its_whole_name(void **state)
{
    (void)state;
    unsetenv("FRONTDESK_TOOTH");
    assert_false(FD_TOOTH("version"));
    setenv("FRONTDESK_TOOTH", "key,version-check", 1);
    assert_true(FD_TOOTH("key"));
    assert_true(FD_TOOTH("version-check"));
    assert_false(FD_TOOTH("version"));
    assert_false(FD_TOOTH("check"));
    unsetenv("FRONTDESK_TOOTH");
}

static void the_kth_statement_fails_once(void **state)
{
    (void)state;
    assert_int_equal(FD_FAULT_SQL(), 0);
    setenv("FRONTDESK_FAIL_SQL", "3:1213", 1);
    assert_int_equal(FD_FAULT_SQL(), 0);
    assert_int_equal(FD_FAULT_SQL(), 0);
    assert_int_equal(FD_FAULT_SQL(), 1213);
    assert_int_equal(FD_FAULT_SQL(), 0);
    assert_int_equal(fault_sql_passed(), 4);
    setenv("FRONTDESK_FAIL_SQL", "1:1205", 1);
    assert_int_equal(FD_FAULT_SQL(), 1205);
    unsetenv("FRONTDESK_FAIL_SQL");
    assert_int_equal(FD_FAULT_SQL(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chosen_allocation_reports_out_of_memory),
        cmocka_unit_test(a_fail_point_kills_only_where_it_is_named),
        cmocka_unit_test(points_are_noted_and_turns_are_counted),
        cmocka_unit_test(a_tooth_is_out_only_by_its_whole_name),
        cmocka_unit_test(the_kth_statement_fails_once),
    };
    return cmocka_run_group_tests_name("base/fault", tests, NULL, NULL);
}
