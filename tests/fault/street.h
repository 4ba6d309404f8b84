/* A counter on a street where everything goes wrong: a real server, the sandbox as both payment channels, the daemon for
 * notifications. For tests that disturb all of them and look at the books afterwards. */
#ifndef FD_TESTS_FAULT_STREET_H
#define FD_TESTS_FAULT_STREET_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include "base/text.h"
#include "base/when.h"
#include "cli/program.h"
#include "support/fixture.h"
#include "support/sandbox.h"

#define STREET_PRICE_FEN 6000

struct street {
    struct fixture fixture;
    struct sandbox sandbox;
    struct db *db; /* plain SQL; opened anew after a crash of the server */
    char *password_file, *sandbox_folder, *said; /* said: the file that keeps the errors of the last command */
    unsigned notify_port;
    pid_t notify; /* 0: not running */
    int64_t commands, killed;
};
extern struct street street;

/* cmocka group set-up and tear-down. Operators boss (admin) and ann (clerk), no limit on what an admin gives back. */
int street_start(void **state);
int street_stop(void **state);

/* A child that is the program from its main on, without loading it anew; boss acts. Blanks separate words, '…' keeps
 * them together. */
pid_t street_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Waits for it: the exit status, or minus the signal. Fails the test where it crashed or met an internal error. */
int street_end(pid_t pid);
int street_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and it has to succeed. */
void street_do(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* kill -9 after so long, where it still runs. */
void street_kill(pid_t pid, int after_ms);

/* A customer or the channel at the sandbox, whatever it answers; a sandbox that does not run answers nothing. */
bool street_try(const char *format, ...) __attribute__((format(printf, 1, 2)));

void street_notify_start(void);
void street_notify_kill(void);
void street_sandbox_kill(void);
void street_sandbox_start(void);
void street_server_crash(void);   /* kill -9; the test's own connection is gone too */
void street_server_restart(void);

/* SQL of the test's own; tried again where somebody has the row. */
void street_sql(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Makes a slot with so many places on a day that may be cancelled for free; a place of its own. */
int64_t street_slot(int places);
const char *street_phone(void); /* that nobody had before; static */
/* The number of an order, the one at `index` of those with a greater id than `after`; "" none. Static. */
const char *street_order(int64_t after, uint32_t index);

/* So many seconds pass for everything that waits here; at the sandbox they pass by its clock. */
void street_time_passes(int seconds);
/* Names what is tried, for messages. */
void street_what(const char *what);
/* Everything runs again, nothing goes wrong any more, time passes and the worker works until nothing is left to do. Fails
 * the test where there always is. */
void street_settle(void);
#endif
