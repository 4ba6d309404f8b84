#include "core/operator.h"
#include "jobs/jobs.h"

static void tell_pass(struct call *call, const struct pass *pass)
{
    call->answer = tree_object();
    tree_put_text(call->answer, "run", call->desk->run_id);
    for (const struct job_row *job = jobs; job->name; job++)
        tree_put_int(call->answer, job->name, pass_count(pass, job));
    tree_put_int(call->answer, "errors", pass->errors);
    call_say(call, _("Expired holds %lld, missed orders %lld, forgotten request keys %lld."), (long long)pass->expired,
             (long long)pass->missed, (long long)pass->forgotten);
    call_say(call, _("Payment codes asked for %lld, refunds %lld, cases %lld."), (long long)pass->codes,
             (long long)pass->refunds, (long long)pass->cases);
}

static enum fd_code once(struct call *call, struct fd_error *err)
{
    struct pass pass = {0};
    enum fd_code code = desk_open(call->config, &call->desk, err);
    if (code == FD_OK)
        code = operator_act_as_worker(call->desk, err);
    if (code == FD_OK)
        code = worker_pass(call->desk, &pass, err);
    if (code == FD_OK)
        tell_pass(call, &pass);
    return code;
}

/* Opens its connection itself: a worker waits for a database that is away. */
static enum fd_code worker_action(struct call *call, struct fd_error *err)
{
    int64_t seconds = 0;
    if (call_switch(call, "once"))
        return once(call, err);
    enum fd_code code = call_int(call, "seconds", 0, &seconds, err);
    if (code == FD_OK && (seconds < 0 || seconds > 3600))
        code = fd_fail(err, FD_BAD_INPUT, "%s", _("--seconds takes 1 to 3600."));
    if (code == FD_OK)
        code = worker_run(call->config, seconds, err);
    return code;
}

static const struct action_param worker_params[] = {
    {"once", P_SWITCH, 0, NULL, N_("do what is due now, tell, and end")},
    {"seconds", P_INT, 0, NULL, N_("pause between passes (default: parameter worker_seconds)")},
    {0},
};

const struct action jobs_actions[] = {
    {"worker", "", NULL, N_("release run-out holds, ask about payment codes, send refunds, mark no-shows"),
     N_("Runs until it is told to stop (SIGTERM, SIGINT) and finishes what is under way within 5 seconds. Several at "
        "once\n"
        "are safe. A database that is away is waited for. With --once it exits with 69 where the database is away."),
     worker_params, NULL, A_NO_DB, "", worker_action},
    {0},
};
