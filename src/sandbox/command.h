/* What people and tests tell the sandbox: the payer's part, the channel's part, and what should go wrong. */
#ifndef FD_SANDBOX_COMMAND_H
#define FD_SANDBOX_COMMAND_H
#include "sandbox/box.h"

struct command_result {
    int status;          /* exit status; 0 done */
    struct buf text;     /* for people, with newlines */
    struct tree *answer; /* for programs; NULL none */
};
/* Takes the lock. `words` is a list of {"word": text}: name, operands, options. */
void command_run(struct box *box, const struct tree *words, struct command_result *result);
/* The lines of --help. */
void command_help(struct buf *out);
#endif
