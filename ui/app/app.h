/* The application: made once by the program, run on a terminal, or driven by tests without one
 * (app_input + app_draw on a canvas). */
#ifndef FD_APP_APP_H
#define FD_APP_APP_H

#include <stdbool.h>
#include "ui/app/view.h"
#include "ui/term/term.h"
#include "ui/widget/command.h"

#define APP_SCREENS 9

struct app_config {
    const struct view_ops *screens[APP_SCREENS]; /* keys 1-9; NULL = none */
    const struct view_ops *lock;    /* cover for F12 and idle; NULL: no lock */
    const struct view_ops *sign_in; /* cover at start and after app_restart; NULL: none */
    int lock_idle_s;                /* seconds without a key until the lock; 0 never */
    void *context;                  /* app_context(), and first argument of what follows */

    /* `:` verbs beyond the built-in ones (set, go, help, lock, quit). */
    complete_fn *complete;
    /* Runs a line in the UI thread (posts jobs, pushes views; never waits). *bad_at gets the byte
     * offset of the word not understood, -1 none. FD_NOT_FOUND with bad_at 0: no such verb. */
    enum fd_code (*command)(void *context, struct app *app, const char *line, int *bad_at, struct fd_error *err);
    /* Lines for the help screen about the verbs, translated; appended. NULL none. */
    void (*command_help)(void *context, struct buf *text);

    /* Is the database there? Run as a read after FD_DB_DOWN, with growing pauses up to 5 s, until
     * it says FD_OK; then the views load anew. NULL: any job that succeeds tells. */
    job_run_fn *ping;
};

/* The jobs are borrowed and must outlive the app. New; app_free. */
struct app *app_new(const struct app_config *config, struct jobs *jobs);
void app_free(struct app *app); /* closes all views */

/* Runs until app_quit, the terminal's end or a signal. Returns the exit status. */
int app_run(struct app *app, struct term *term);

/* What app_run is made of, for tests. app_input handles one event (INPUT_WAKE delivers jobs). */
void app_input(struct app *app, const struct input *input);
void app_draw(struct app *app, struct canvas *canvas);
bool app_is_running(const struct app *app);
/* Milliseconds until something has to be drawn or done by itself; -1 none. */
int app_timeout_ms(struct app *app);
/* The message shown now, "" none. */
const char *app_message_text(const struct app *app);
/* Types keys by name, separated by blanks: "F2 1 3 8 Enter C-s"; "'text'" types characters. */
void app_type(struct app *app, const char *keys);

#endif
