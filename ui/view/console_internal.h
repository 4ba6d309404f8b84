/* Between console.c, the sign-in views and the `:` line. */
#ifndef FD_VIEW_CONSOLE_INTERNAL_H
#define FD_VIEW_CONSOLE_INTERNAL_H

#include "ui/view/views.h"

/* The console's app_config for `context`: screens, covers, `:` verbs. Tests drive it without a terminal. */
struct app_config console_app_config(struct console *context);
/* Sets up the shared context and its jobs; `console` is zeroed storage. */
void console_init(struct console *console, const struct config *config);
/* Ends jobs, closes the desks. False: a thread hangs in a dead server or a slow channel, leave with _exit(). */
bool console_release(struct console *console);

/* Desk thread: the desk is open (jobs get it from now on); the stop hook learns its connection. */
void console_take_desk(struct console *console, struct desk *desk);
/* UI thread: who is signed in now; NULL: nobody. */
struct signed_in {
    int64_t id;
    char name[NAME_BYTES], label[DISPLAY_BYTES];
    enum role role;
    wall_t now;
    int64_t latency_us;
    char place[256]; /* hall, for the terminal's title */
};
void console_signed_in(struct console *console, const struct signed_in *who);
/* Desk thread: fills it from the desk after a sign-in. */
enum fd_code signed_in_fill(struct desk *desk, struct signed_in *who, struct fd_error *err);

/* Leaves the desk to somebody else: everything of this operator is closed, the sign-in asks. */
void console_change_operator(struct console *console);

/* `:` line (verbs.c): app_config.complete, .command, .command_help. */
size_t verbs_complete(void *context, const char *line, struct arena *arena, size_t *from, struct completion *out,
                     size_t room);
enum fd_code verbs_command(void *context, struct app *app, const char *line, int *bad_at, struct fd_error *err);
void verbs_help(void *context, struct buf *text);

#endif
