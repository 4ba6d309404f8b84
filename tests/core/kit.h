/* What the tests of src/core and src/money share: a migrated private server, people, a hall. */
#ifndef FD_TESTS_CORE_KIT_H
#define FD_TESTS_CORE_KIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include "core/desk.h"
#include "support/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

extern struct fixture fixture;
extern struct fd_error err;
extern struct config *config;
extern struct db *online; /* the online system's connection */

/* Starts the server, migrates with rules and roles, and makes operators boss (admin), ann (clerk), fin (finance)
 * without passwords. Registers core, pay and venue. */
int kit_start(void **state);
int kit_stop(void **state);
/* A desk of its own connection on which `name` (NULL: nobody) acts. desk_close. */
struct desk *kit_desk(const char *name);
/* A slot of the first day after today with `total` places at `price` yuan; returns its id. Venues are made as needed.
 */
int64_t kit_slot(int64_t total, const char *price);
/* An unpaid order of a fresh customer for a slot, as frontdesk makes it; its number, static. */
const char *kit_order(struct desk *desk, int64_t slot_id, const char *phone);
/* Runs fn in `count` threads at once, each with its own desk on which `name` acts, index 0... ; waits for all. */
typedef void kit_thread(struct desk *desk, int index, void *arg);
void kit_threads(int count, const char *name, kit_thread *fn, void *arg);
#endif
