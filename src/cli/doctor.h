/* The invariants that must hold in the database, checked in one consistent snapshot. Source: the project's list of
 * invariants, whose numbers are kept; sql/doctor has one statement each. */
#ifndef FD_CLI_DOCTOR_H
#define FD_CLI_DOCTOR_H
#include "core/desk.h"
#include "outside/tree.h"

struct doctor_rule {
    int number;
    char class;        /* 'H': in any committed snapshot; 'E': once the worker has caught up, after `grace` minutes */
    int grace;         /* minutes, class E */
    const char *title; /* untranslated msgid */
    struct db_query *query; /* a row of two texts for each breach; parameters :grace, :days where it has them */
};
extern const struct doctor_rule doctor_rules[]; /* made by the build from sql/doctor; number 0 ends */

#define DOCTOR_EXAMPLES 5
struct doctor_finding {
    const struct doctor_rule *rule;
    int64_t rows; /* breaches; 1000: or more */
    struct {
        const char *what, *wrong; /* in the arena, clean */
    } examples[DOCTOR_EXAMPLES];
    size_t example_count;
};
/* Checks every rule; findings (in the arena, by number) are the broken ones. grace_minutes negative: each rule's own,
 * else instead of it (0 once nothing runs any more). */
enum fd_code doctor_check(struct db *db, int grace_minutes, int64_t request_days, struct arena *arena,
                          struct doctor_finding **findings, size_t *count, struct fd_error *err);
#endif
