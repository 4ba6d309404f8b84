#include <stddef.h>
#include "console.h"

int console_run(const struct config *config, struct fd_error *err)
{
    (void)config;
    fd_fail(err, FD_NO_TERMINAL, NULL);
    return -1;
}
