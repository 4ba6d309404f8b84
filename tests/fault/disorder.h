/* One seed's sequence of bookings, codes, customers, refunds, faults and kills at the street. */
#ifndef FD_TESTS_FAULT_DISORDER_H
#define FD_TESTS_FAULT_DISORDER_H
#include "street.h"
#include "tally.h"

struct disorder {
    struct chance chance;
    uint64_t seed;
    int64_t last_order, last_payment; /* before this seed; codes of before cannot be paid */
    int64_t slots[4];
    int keys;
    bool console; /* this seed opens a console too */
};
/* So many steps; nothing is settled or looked at afterwards. TRACE in the environment: says each. */
void disorder_run(uint64_t seed, int steps);

/* A console with the payment screen of an order in a pseudo-terminal, its customer quick or not, killed or left. Nothing
 * where terminal tests are left out. */
void disorder_console(struct disorder *disorder, const char *number);
#endif
