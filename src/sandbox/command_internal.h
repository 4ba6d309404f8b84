/* What the files of the commands share. */
#ifndef FD_SANDBOX_COMMAND_INTERNAL_H
#define FD_SANDBOX_COMMAND_INTERNAL_H
#include "sandbox/command.h"

#define OPERANDS_MOST 3

/* A command line taken apart. */
struct words {
    const char *operand[OPERANDS_MOST]; /* NULL after the last */
    size_t count;
    const char *payer, *amount, *coupon, *at, *gate, *ms; /* NULL not given */
};

/* Commands, under the lock; what they changed is committed by the caller. */
typedef enum fd_code command_fn(struct box *box, const struct words *words, struct command_result *result,
                                struct fd_error *err);
command_fn command_ledger, command_notices;
#endif
