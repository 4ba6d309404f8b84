#include "cli/cli.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef HAVE_SYS_PRCTL_H
#include <sys/prctl.h>
#endif
#include "base/log.h"
#include "base/text.h"
#include "cli/flags.h"
#include "core/operator.h"
#include "jobs/jobs.h"
#include "jobs/notify.h"
#include "money/case.h"
#include "money/pay.h"
#include "money/price.h"
#include "money/print.h"
#include "money/shift.h"
#include "venue/booking.h"

DB_QUERY(q_may, "cli.may", DB_VALUE, "SELECT COUNT(*) FROM role_action WHERE role = :role AND action = :action");

void cli_register(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    action_register(core_actions);
    venue_register();
    action_register(pay_actions);
    action_register(case_actions);
    action_register(shift_actions);
    action_register(print_actions);
    action_register(back_actions);
    action_register(price_actions);
    action_register(approval_actions);
    action_register(server_actions);
    action_register(backup_actions);
    action_register(jobs_actions);
    action_register(notify_actions);
    action_register(doctor_actions);
    action_register(completion_actions);
    action_register(demo_actions);
}

/* Actions that the very first user needs, before anybody can sign in. */
static const char *const before_operators[] = {"operator.add", "restore", NULL};

static bool works_before_operators(const struct action *action)
{
    char name[64];
    action_name(action, name);
    for (const char *const *each = before_operators; *each; each++)
        if (strcmp(*each, name) == 0)
            return true;
    return false;
}

enum fd_code cli_may(struct desk *desk, const struct action *action, struct fd_error *err)
{
    char name[64];
    int64_t may = 0;
    enum fd_code code = db_value_int(
        desk->db, &q_may, DB_ARGS(db_text("role", role_name(desk->role)), db_text("action", action_name(action, name))),
        &may, err);
    if (code == FD_OK && !may)
        code = fd_fail(err, FD_NO_PERMISSION, NULL);
    db_rollback(desk->db);
    return code;
}

static enum fd_code who_acts(struct call *call, struct fd_error *err)
{
    bool none = false;
    enum fd_code code = FD_OK;
    if (!(call->action->flags & A_OPERATOR))
        return FD_OK;
    if (works_before_operators(call->action))
        code = operator_none_yet(call->desk, &none, err);
    if (code != FD_OK || none)
        return code;
    code = cli_sign_in(call->desk, call->config, err);
    /* A write asks inside its transaction, where nobody can take the right away in between. */
    if (code == FD_OK && !(call->action->flags & A_WRITE))
        code = cli_may(call->desk, call->action, err);
    return code;
}

static void wipe(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

/* A new password, typed twice. Not where a file holds it: --new-password-file, or for the very first operator
 * --password-file. */
static enum fd_code ask_new_password(struct call *call, char **secret, struct fd_error *err)
{
    char *again = NULL;
    if (!(call->action->flags & A_SECRET) || call_given(call, "new-password-file"))
        return FD_OK;
    if (call->desk->operator_id == 0 && *config_text(call->config, CONFIG_PASSWORD_FILE))
        return FD_OK;
    enum fd_code code = cli_ask_secret(_("New password: "), secret, err);
    if (code == FD_NO_TERMINAL) {
        fd_fail(err, code, "%s", _("A new password is needed, and there is no terminal to ask for it at."));
        fd_hint(err, "%s", _("Write it into a file of mode 0600 and give --new-password-file FILE (- is standard input)."));
    }
    if (code == FD_OK)
        code = cli_ask_secret(_("Again: "), &again, err);
    if (code == FD_OK && strcmp(*secret, again) != 0)
        code = fd_fail(err, FD_BAD_INPUT, "%s", _("The two passwords differ."));
    wipe(again);
    return code;
}

static enum fd_code prepare_call(struct call *call, struct fd_error *err)
{
    wall_t now = 0;
    if (call->action->flags & A_NO_DB)
        return FD_OK;
    enum fd_code code = desk_open(call->config, &call->desk, err);
    if (code == FD_OK)
        code = who_acts(call, err);
    if (code == FD_OK)
        code = desk_now(call->desk, &now, err);
    if (code == FD_OK)
        call->today = wall_day(now);
    return code;
}

/* What is said beside a list must not stand in the list that a program reads. */
static void say_beside(struct call *call)
{
    struct call words = {.action = &(struct action){.noun = call->action->noun}, .text = call->text};
    char *text = call_print(&words);
    fputs(text, stderr);
    if (call->next)
        fprintf(stderr, "%s\n", call_next_text(call));
    free(text);
}

/* What the action answered: JSON, CSV or text. */
static enum fd_code print_answer(struct call *call, struct fd_error *err)
{
    char *text, *line;
    if (!call->json) {
        text = call_print(call);
        if (call->shape.format == CALL_CSV)
            say_beside(call);
        enum fd_code code = report_out(text, err);
        free(text);
        return code;
    }
    text = call->answer ? tree_dump(call->answer) : xstrdup("{}");
    char *safe = report_safe_json(text);
    line = xprintf("%s\n", safe);
    enum fd_code code = report_out(line, err);
    free(line);
    free(safe);
    free(text);
    return code;
}

/* An action that looked and found something wrong answers and fails: doctor. */
static int finish(struct call *call, enum fd_code code, struct fd_error *err)
{
    bool answered = code == FD_OK || (code == FD_RULE_BROKEN && (call->answer || call->text.bytes));
    if (!answered)
        return report_error(err, call->json);
    if (code != FD_OK && call->json && call->answer)
        tree_put(call->answer, "error", report_error_tree(err));
    struct fd_error print_err = {0};
    if (print_answer(call, &print_err) != FD_OK)
        return report_error(&print_err, false);
    return code == FD_OK || call->json ? fd_code_exit(code) : report_error(err, false);
}

static enum fd_code check_call(const struct invocation *invocation, struct call *call, const struct config *config,
                               struct fd_error *err)
{
    if (invocation->key)
        call->key = invocation->key;
    if (invocation->reason)
        call->reason = invocation->reason;
    call->json = call->json || invocation->json;
    enum fd_code code = call_check_shape(call, err);
    if (code != FD_OK)
        return code;
    if (call->key && strlen(call->key) >= KEY_BYTES)
        return fd_fail(err, FD_BAD_INPUT, _("A request key has at most %d characters."), KEY_BYTES - 1);
    if ((call->action->flags & A_REASON) && !(call->reason && *call->reason))
        return fd_fail(err, FD_REASON_NEEDED, NULL);
    if ((call->action->flags & A_WRITE) && config_switch(config, CONFIG_READONLY)) {
        fd_fail(err, FD_NO_PERMISSION, "%s", _("This would change something, and frontdesk was started read-only."));
        fd_hint(err, "%s", _("Leave out --readonly."));
        return FD_NO_PERMISSION;
    }
    return FD_OK;
}

/* Before a wait: what people must see now. A program reads one answer, at the end. */
static void show_now(struct call *call)
{
    struct fd_error ignored;
    if (!call->json) {
        char *text = call_print(&(struct call){.action = &(struct action){.noun = call->action->noun}, .text = call->text});
        report_out(text, &ignored);
        free(text);
        fflush(stdout);
    }
    buf_clear(&call->text);
}

static int run_action(const struct invocation *invocation, const struct config *config)
{
    struct fd_error err = {0};
    struct call call = {.config = config,
                        .action = invocation->action,
                        .json = invocation->json,
                        .shape = invocation->shape,
                        .show_now = show_now,
                        .today = DAY_NONE};
    char *secret = NULL;
    enum fd_code code = call_parse(&call, invocation->word_count, invocation->words, NULL, &err);
    if (code == FD_OK)
        code = check_call(invocation, &call, config, &err);
    if (code == FD_OK)
        code = prepare_call(&call, &err);
    if (code == FD_OK)
        code = ask_new_password(&call, &secret, &err);
    call.secret = secret;
    call.json = invocation->json;
    if (code == FD_OK)
        code = call_act(&call, &err);
    /* What it did stands; paper is another matter. */
    if (code == FD_OK && print_after(&call))
        print_now(&call);
    int status = finish(&call, code, &err);
    wipe(secret);
    struct desk *desk = call.desk;
    call_release(&call);
    desk_close(&desk);
    return status;
}

static int print_help(const struct invocation *invocation)
{
    struct buf text = {0};
    struct fd_error err = {0};
    if (!invocation->noun)
        help_program(&text);
    else if (!invocation->action)
        help_noun(&text, invocation->noun);
    else
        help_action(&text, invocation->action);
    int status = report_out(buf_text(&text), &err) == FD_OK ? 0 : report_error(&err, false);
    buf_release(&text);
    return status;
}

/* The language of --language or FRONTDESK_LANGUAGE, also for what comes before the configuration is read. */
static void language_early(const struct invocation *invocation)
{
    const char *environment = getenv(config_env_name(CONFIG_LANGUAGE));
    if (environment && *environment)
        i18n_switch(environment);
    for (size_t i = 0; i < invocation->setting_count; i++)
        if (invocation->settings[i].key == CONFIG_LANGUAGE)
            i18n_switch(invocation->settings[i].value);
}

/* Whoever sits at a terminal reads what went wrong in plain words; the details of it are for a file. A service's
 * standard error is its journal. */
static enum fd_code start_log(const struct config *config, bool service, struct fd_error *err)
{
    const char *file = config_text(config, CONFIG_LOG_FILE);
    bool debug = config_switch(config, CONFIG_DEBUG);
    char *path = NULL, *folder = NULL;
    if (*file) {
        path = xstrdup(file);
    } else if (!service && (folder = folder_state())) {
        path = xprintf("%s/frontdesk.log", folder);
    }
    enum log_level least = debug ? LOG_DEBUG : path ? LOG_INFO : LOG_WARN;
    enum fd_code code = log_open(path, least, err);
    free(path);
    free(folder);
    /* A log that cannot be written stops nobody from working, unless it was asked for. */
    return *file ? code : FD_OK;
}

/* What runs under a service manager. */
static bool is_service(const struct action *action)
{
    return action && (strcmp(action->noun, "worker") == 0 || strcmp(action->noun, "notify") == 0);
}

static enum fd_code configure(const struct invocation *invocation, struct config **config, struct fd_error *err)
{
    enum fd_code code = config_load(invocation->config_file, config, err);
    if (code == FD_OK)
        code = flags_apply(invocation, *config, err);
    if (code != FD_OK)
        return code;
    const char *language = config_text(*config, CONFIG_LANGUAGE);
    if (*language && !i18n_switch(language)) {
        char shown[32];
        text_clean(shown, sizeof shown, language);
        return fd_fail(err, FD_CONFIG, _("There is no language \"%s\"; there are zh_CN and en."), shown);
    }
    return start_log(*config, is_service(invocation->action), err);
}

static int run_console(const struct config *config, cli_console *console, struct fd_error *err)
{
    if (!console || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        fd_fail(err, FD_NO_TERMINAL, NULL);
        return -1;
    }
    return console(config, err);
}

static int run(const struct invocation *invocation, cli_console *console)
{
    struct fd_error err = {0};
    struct config *config = NULL;
    int status;
    if (configure(invocation, &config, &err) != FD_OK)
        status = report_error(&err, invocation->json);
    else if (invocation->action)
        status = run_action(invocation, config);
    else if ((status = run_console(config, console, &err)) < 0)
        status = report_error(&err, invocation->json);
    config_free(config);
    log_close();
    return status;
}

/* No core file may keep a customer's phone or a password, and no other process of the user reads our memory. The
 * sanitizers' leak check attaches to the process, so not there. */
static void harden(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#if defined(HAVE_SYS_PRCTL_H) && !defined(__SANITIZE_ADDRESS__) && !defined(FD_TEETH)
    prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* Nothing is done but that, whatever else was asked for. */
static void take_check_config(struct invocation *invocation)
{
    static char check[] = "--check";
    invocation->noun = "config";
    invocation->action = action_find("config", "");
    invocation->words[0] = check;
    invocation->word_count = 1;
}

int cli_main(int argc, char **argv, cli_console *console)
{
    struct fd_error err = {0};
    struct invocation invocation;
    int status;
    harden();
    signal(SIGPIPE, SIG_IGN);
    bool utf8 = i18n_start(argv[0]);
    cli_register();
    enum fd_code code = flags_parse(&invocation, argc, argv, &err);
    language_early(&invocation);
    if (code == FD_OK && invocation.check_config)
        take_check_config(&invocation);
    if (code != FD_OK) {
        status = report_error(&err, invocation.json);
    } else if (invocation.version) {
        status = report_out("frontdesk " FD_VERSION "\n", &err) == FD_OK ? 0 : report_error(&err, false);
    } else if (invocation.help || (invocation.noun && !invocation.action)) {
        status = print_help(&invocation);
    } else if (!utf8) {
        fd_fail(&err, FD_NO_TERMINAL, "%s", _("The locale is not UTF-8."));
        fd_hint(&err, "%s", _("Set LANG to zh_CN.UTF-8 or C.UTF-8."));
        status = report_error(&err, invocation.json);
    } else {
        status = run(&invocation, console);
    }
    invocation_release(&invocation);
    return status;
}
