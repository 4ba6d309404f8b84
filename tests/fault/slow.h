/* Whether a transaction stands open while a channel takes ten seconds. */
#ifndef FD_TESTS_FAULT_SLOW_H
#define FD_TESTS_FAULT_SLOW_H
void no_transaction_is_open_while_a_channel_is_asked(void **state);
#endif
