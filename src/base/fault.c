#include "base/fault.h"

/* A release build has none of this; the declaration keeps the file from being empty there. */
extern int fault_is_for_tests_only;

#ifdef FD_TEETH
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fault_point(const char *name)
{
    const char *wanted = getenv("FRONTDESK_FAIL_POINT");
    if (wanted && !strcmp(wanted, name))
        kill(getpid(), SIGKILL);
}

bool fault_tooth(const char *name)
{
    const char *list = getenv("FRONTDESK_TOOTH");
    size_t bytes = strlen(name);
    while (list && *list) {
        size_t entry = strcspn(list, ",");
        if (entry == bytes && !strncmp(list, name, bytes))
            return true;
        list += entry + (list[entry] == ',');
    }
    return false;
}

int fault_sql(void)
{
    static atomic_long statements;
    const char *wanted = getenv("FRONTDESK_FAIL_SQL");
    long position;
    int sql_errno;
    if (!wanted || sscanf(wanted, "%ld:%d", &position, &sql_errno) != 2)
        return 0;
    return atomic_fetch_add(&statements, 1) + 1 == position ? sql_errno : 0;
}
#endif
