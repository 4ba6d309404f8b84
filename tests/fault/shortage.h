/* System calls and allocations of the libraries that fail on demand: this program defines the functions, so that the
 * client library calls these. Off until asked for. */
#ifndef FD_TESTS_FAULT_SHORTAGE_H
#define FD_TESTS_FAULT_SHORTAGE_H
#include <stdbool.h>

enum shortage { SHORT_SEND, SHORT_RECV, SHORT_CONNECT, SHORT_MALLOC, SHORT_KINDS };
/* The n-th call from now fails, and the `more` after it; n = 0: off. */
void shortage_at(enum shortage kind, long n, long more);
/* Calls since then. */
long shortage_passed(enum shortage kind);
/* False where the sanitizer owns the allocator. */
bool shortage_has_malloc(void);
#endif
