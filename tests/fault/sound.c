#include "sound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/doctor.h"
#include "support/fixture.h"

#define REQUEST_DAYS 30

int64_t sound_count(struct db *db, const char *what, int grace_minutes)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct doctor_finding *findings;
    size_t count;
    must(doctor_check(db, grace_minutes, REQUEST_DAYS, &arena, &findings, &count, &err));
    for (size_t i = 0; i < count; i++)
        print_error("%s: rule %d is broken: %s: %s: %s\n", what, findings[i].rule->number, findings[i].rule->title,
                    findings[i].examples[0].what, findings[i].examples[0].wrong);
    arena_release(&arena);
    return (int64_t)count;
}
