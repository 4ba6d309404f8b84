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

static void trace_point(const char *name)
{
    const char *fd = getenv("FRONTDESK_POINTS_FD");
    if (fd)
        dprintf(atoi(fd), "%s\n", name);
}

void fault_point(const char *name)
{
    static atomic_long passed;
    const char *wanted = getenv("FRONTDESK_FAIL_POINT");
    size_t bytes = wanted ? strcspn(wanted, ":") : 0;
    trace_point(name);
    if (!wanted || bytes != strlen(name) || strncmp(wanted, name, bytes) != 0)
        return;
    long turn = wanted[bytes] ? atol(wanted + bytes + 1) : 1;
    if (atomic_fetch_add(&passed, 1) + 1 == turn)
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

static atomic_long statements;

int fault_sql(void)
{
    static char counted_for[40];
    const char *wanted = getenv("FRONTDESK_FAIL_SQL");
    long position;
    int sql_errno;
    if (!wanted || sscanf(wanted, "%ld:%d", &position, &sql_errno) != 2)
        return 0;
    if (strcmp(counted_for, wanted) != 0) {
        snprintf(counted_for, sizeof counted_for, "%s", wanted);
        atomic_store(&statements, 0);
    }
    return atomic_fetch_add(&statements, 1) + 1 == position ? sql_errno : 0;
}

long fault_sql_passed(void)
{
    return atomic_load(&statements);
}
#endif
