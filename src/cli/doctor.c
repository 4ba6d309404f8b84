#include "cli/doctor.h"
#include <string.h>
#include "base/text.h"
#include "cli/cli.h"
#include "core/param.h"

#define READ_LIMIT_S 600

static size_t rule_count(void)
{
    size_t count = 0;
    while (doctor_rules[count].number)
        count++;
    return count;
}

static void keep_examples(struct db_rows *rows, struct arena *arena, struct doctor_finding *finding)
{
    while (finding->example_count < DOCTOR_EXAMPLES && db_next(rows)) {
        size_t at = finding->example_count++;
        finding->examples[at].what = text_clean_arena(arena, db_get_text(rows, 0));
        finding->examples[at].wrong = text_clean_arena(arena, db_get_text(rows, 1));
    }
}

struct check {
    int grace_minutes;
    int64_t request_days;
    struct arena *arena;
};

static enum fd_code check_rule(struct db *db, const struct check *check, struct doctor_finding *finding,
                               struct fd_error *err)
{
    const struct doctor_rule *rule = finding->rule;
    struct db_rows *rows = NULL;
    int64_t grace = check->grace_minutes < 0 ? rule->grace : check->grace_minutes;
    struct db_arg args[2];
    size_t count = 0;
    if (strstr(rule->query->sql, ":grace"))
        args[count++] = db_int("grace", grace);
    if (strstr(rule->query->sql, ":days"))
        args[count++] = db_int("days", check->request_days);
    enum fd_code code = db_select(db, rule->query, args, count, &rows, err);
    if (code != FD_OK)
        return code;
    finding->rows = (int64_t)db_row_count(rows);
    keep_examples(rows, check->arena, finding);
    db_rows_close(&rows);
    return FD_OK;
}

/* One snapshot for all rules: what is booked meanwhile must not look like a breach. */
static enum fd_code begin_snapshot(struct db *db, struct fd_error *err)
{
    enum fd_code code = db_run(db, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", err);
    return code == FD_OK ? db_run(db, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", err) : code;
}

enum fd_code doctor_check(struct db *db, int grace_minutes, int64_t request_days, struct arena *arena,
                          struct doctor_finding **findings, size_t *count, struct fd_error *err)
{
    struct check check = {grace_minutes, request_days, arena};
    *findings = arena_array(arena, rule_count(), sizeof **findings);
    *count = 0;
    enum fd_code code = begin_snapshot(db, err);
    for (const struct doctor_rule *rule = doctor_rules; code == FD_OK && rule->number; rule++) {
        struct doctor_finding *finding = &(*findings)[*count];
        *finding = (struct doctor_finding){.rule = rule};
        code = check_rule(db, &check, finding, err);
        if (finding->rows > 0)
            ++*count;
    }
    db_rollback(db);
    return code;
}

static struct tree *finding_tree(const struct doctor_finding *finding)
{
    const char class[] = {finding->rule->class, '\0'};
    struct tree *row = tree_object(), *examples = tree_list();
    tree_put_int(row, "rule", finding->rule->number);
    tree_put_text(row, "class", class);
    tree_put_text(row, "title", finding->rule->title);
    tree_put_int(row, "rows", finding->rows);
    for (size_t i = 0; i < finding->example_count; i++) {
        struct tree *example = tree_object();
        tree_put_text(example, "what", finding->examples[i].what);
        tree_put_text(example, "wrong", finding->examples[i].wrong);
        tree_add(examples, example);
    }
    tree_put(row, "examples", examples);
    return row;
}

static void say_finding(struct call *call, const struct doctor_finding *finding)
{
    call_say(call, _("Rule %d is broken (%lld rows): %s"), finding->rule->number, (long long)finding->rows,
             _(finding->rule->title));
    for (size_t i = 0; i < finding->example_count; i++)
        call_say(call, "  %s: %s", finding->examples[i].what, finding->examples[i].wrong);
}

/* A connection of its own: the snapshot of a large database takes longer than a desk waits for an answer. */
static enum fd_code open_patient(const struct call *call, struct db **db, struct fd_error *err)
{
    struct db_target target = *db_target(call->desk->db);
    target.read_timeout_s = READ_LIMIT_S;
    return db_open(&target, db, err);
}

static enum fd_code doctor_run(struct call *call, struct fd_error *err)
{
    struct db *db = NULL;
    struct doctor_finding *findings = NULL;
    size_t count = 0;
    int64_t grace = -1;
    enum fd_code code = call_int(call, "grace", -1, &grace, err);
    if (code == FD_OK)
        code = open_patient(call, &db, err);
    if (code == FD_OK)
        code = doctor_check(db, (int)grace, param_get(call->desk, PARAM_REQUEST_DAYS), &call->arena, &findings, &count,
                            err);
    db_close(&db);
    if (code != FD_OK)
        return code;
    struct tree *broken = tree_list();
    for (size_t i = 0; i < count; i++) {
        say_finding(call, &findings[i]);
        tree_add(broken, finding_tree(&findings[i]));
    }
    call->answer = tree_object();
    tree_put_int(call->answer, "checked", (int64_t)rule_count());
    tree_put(call->answer, "broken", broken);
    if (count > 0)
        return fd_fail(err, FD_RULE_BROKEN, _("%zu of %zu invariants do not hold."), count, rule_count());
    call_say(call, _("All %zu invariants hold."), rule_count());
    return FD_OK;
}

static const struct action_param doctor_params[] = {
    {"grace", P_INT, 0, NULL, N_("minutes that the worker may be behind (default: each rule's own)")},
    {0},
};

const struct action doctor_actions[] = {
    {"doctor", "", "doc", N_("check the invariants of the database"),
     N_("Looks only. Prints every broken rule with up to 5 examples and exits with 1 where there is one."),
     doctor_params, NULL, A_OPERATOR, "clerk finance admin", doctor_run},
    {0},
};
