/* What opens the console: the seam between the program and ui. */
#ifndef FD_CONSOLE_H
#define FD_CONSOLE_H
#include "base/config.h"
#include "base/error.h"

/* Runs the console on the terminal until the clerk leaves it. The exit status; -1 with err filled where it could not
 * start. */
int console_run(const struct config *config, struct fd_error *err);
#endif
