/* The doctor of the program, asked by a test. */
#ifndef FD_TESTS_FAULT_SOUND_H
#define FD_TESTS_FAULT_SOUND_H
#include "db/db.h"

/* Says which rules are broken, with an example each, and returns how many. grace_minutes as doctor_check's: negative each
 * rule's own, 0 once nothing runs any more. */
int64_t sound_count(struct db *db, const char *what, int grace_minutes);
#endif
