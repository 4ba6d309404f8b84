/* The books of both sides, compared: what the sandbox of the channels has in its ledger, and what stands in the tables. */
#ifndef FD_TESTS_FAULT_BOOKS_H
#define FD_TESTS_FAULT_BOOKS_H
#include <stdint.h>
#include "street.h"

/* Once nothing runs any more: both ledgers agree to the fen in both directions, no order was paid twice, no customer's
 * money is without an order that holds, a refund or a case, no code is live, no refund was made twice, and the doctor finds
 * nothing. Says what is wrong, and returns how much of it. */
int64_t books_wrong(const char *what);
/* How often customers paid, and how much went back, as the sandbox has it: a run in which nothing moved shows nothing. */
struct books_moved {
    int64_t paid, refunded;
};
struct books_moved books_moved(void);
#endif
