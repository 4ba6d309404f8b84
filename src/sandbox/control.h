/* The control socket: words of a command go to the server, its answer comes back. */
#ifndef FD_SANDBOX_CONTROL_H
#define FD_SANDBOX_CONTROL_H
#include "base/error.h"
#include "outside/tree.h"

/* Asks the sandbox that serves in the current folder: {status, text, answer}. NULL: FD_NOT_FOUND (none serves) or FD_IO
 * in `err`. New. `words` end with NULL. */
struct tree *control_ask(const char *const *words, struct fd_error *err);
#endif
