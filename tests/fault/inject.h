/* The three kinds of fault that are put into the middle of every scenario. */
#ifndef FD_TESTS_FAULT_INJECT_H
#define FD_TESTS_FAULT_INJECT_H

/* Q6: killed at every named point that the scenario passes, each turn of it. */
void killed_at_every_point_it_is_whole_or_nothing(void **state);
/* Q6: the same for a migration of an empty database. */
void killed_in_a_migration_it_goes_on(void **state);
/* Q7: every code at every statement. */
void an_error_at_every_statement_does_it_once(void **state);
/* Q7: a code that no second try mends. */
void a_hopeless_error_at_any_statement_changes_nothing(void **state);
/* Q8: no memory for our own. */
void without_memory_it_ends_with_71_and_nothing_is_half_done(void **state);
/* Q8: the link breaks inside a message, or a connection is refused; the libraries get no memory. */
void with_a_broken_link_it_is_done_once_or_not_at_all(void **state);
void a_library_without_memory_leaves_nothing_half_done(void **state);
#endif
