/* Faults in the middle of actions: killed at every point, an error at every statement, nothing left to allocate, links that
 * break. Built with the fail points in any build. */
#include <unistd.h>

#include "inject.h"
#include "scenario.h"
#include "tally.h"

/* Dozens of children and killed sessions follow; the server must not wait long for any of them. */
static int start(void **state)
{
    return hall_start(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_point_it_is_whole_or_nothing),
        cmocka_unit_test(killed_in_a_migration_it_goes_on),
        cmocka_unit_test(an_error_at_every_statement_does_it_once),
        cmocka_unit_test(a_hopeless_error_at_any_statement_changes_nothing),
        cmocka_unit_test(without_memory_it_ends_with_71_and_nothing_is_half_done),
        cmocka_unit_test(with_a_broken_link_it_is_done_once_or_not_at_all),
        cmocka_unit_test(a_library_without_memory_leaves_nothing_half_done),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, start, hall_stop);
}
