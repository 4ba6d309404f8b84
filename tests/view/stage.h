/* A stage for the tests of ui/view: a real server with a small hall in a known state, and the whole
 * console on it without a terminal. The database's clock stands at 2026-12-01 10:42:07. */
#ifndef FD_TESTS_VIEW_STAGE_H
#define FD_TESTS_VIEW_STAGE_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include "support/fixture.h"
#include "ui/view/console_internal.h"

struct stage {
    struct fixture fixture;
    struct config *config;
    struct db *db, *online; /* plain SQL: the test's own, and as the online system */
    struct console console;
    struct app *app;
    struct canvas canvas;
};
extern struct stage stage;

/* cmocka group set-up and tear-down: server, schema, operators clerk and admin (password "demo"), the hall. */
int stage_start(void **state);
int stage_stop(void **state);
/* The hall's orders and slots as at the beginning. */
void stage_reset(void);

/* Instead: a hall of today, for programs with the real clock. */
void stage_reset_today(void);

/* Opens the console in a language ("en", "zh_CN") and size, signed in as `name`; NULL: at the sign-in. */
void stage_open(const char *language, int columns, int rows, const char *name);
void stage_close(void);
/* Back to the first screen, nothing half done. */
void stage_home(void);
/* Waits for all jobs, delivers them, draws. */
void stage_settle(void);
/* Types keys as app_type() reads them; '|' waits until everything is settled. Settles at the end. */
void stage_type(const char *keys);

/* The picture as text, xmalloc'ed; whether a text stands on it; the row of a text, -1 none. */
char *stage_text(void);
bool stage_has(const char *text);
int stage_row_of(const char *text);
/* Fails with the picture where the text is missing. */
void stage_expect(const char *text);
/* Slot of a court (1-8) at an hour on the hall's day. */
int64_t stage_slot(int court, int hour);

#endif
