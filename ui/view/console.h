/* The console: what `frontdesk` without a noun opens. */
#ifndef FD_VIEW_CONSOLE_H
#define FD_VIEW_CONSOLE_H

#include "base/config.h"
#include "base/error.h"

/* Runs the console on the terminal until the clerk leaves it. Returns the exit status, or -1 with
 * err filled where it could not start (FD_NO_TERMINAL before anything else is touched, FD_USAGE). */
int console_run(const struct config *config, struct fd_error *err);

#endif
