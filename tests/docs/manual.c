/* Prints the parts of the manual that the program's tables hold: actions, flags, settings, parameters, keys, errors,
 * rules. `make manual` puts them into man/, docs_test.sh compares. So a page cannot name what does not exist, nor leave
 * out what does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "core/param.h"
#include "core/rule.h"
#include "docs/mdoc.h"
#include "ui/app/app_internal.h"
#include "ui/view/approval_step.h"
#include "ui/view/ask.h"
#include "ui/view/console_internal.h"
#include "ui/view/views.h"

/* --- commands --- */

static const char *type_word(const struct action_param *param)
{
    static const char *const words[] = {
        [P_TEXT] = "TEXT",    [P_INT] = "NUMBER",  [P_MONEY] = "YUAN", [P_DATE] = "DATE", [P_TIME] = "TIME",
        [P_SPAN] = "FROM-TO", [P_PHONE] = "PHONE", [P_IDS] = "IDS",    [P_SWITCH] = "",   [P_CHOICE] = "",
    };
    return words[param->type];
}

/* "clerk|admin" as literal words that mdoc separates. */
static void put_choices(const char *choices)
{
    printf(" Cm");
    for (const char *at = choices; *at; at += *at == '|') {
        size_t bytes = strcspn(at, "|");
        printf("%s %.*s", at == choices ? "" : " |", (int)bytes, at);
        at += bytes;
    }
}

static void put_positional(const struct action_param *param)
{
    printf("Ar ");
    for (const char *at = param->name; *at; at++)
        putchar(*at == '-' ? '_' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    printf("%s", param->flags & P_REST ? " ..." : "");
}

static void put_param(const struct action_param *param)
{
    if (param->flags & P_POSITIONAL) {
        put_positional(param);
        return;
    }
    printf("Fl -%s", param->name);
    if (param->type == P_CHOICE)
        put_choices(param->choices);
    else if (*type_word(param))
        printf(" Ar %s", type_word(param));
}

/* The `.It` line: what must be given, and what stands without a flag. */
static void put_form(const struct action *action)
{
    bool options = false;
    printf(".It Ic %s%s%s", action->noun, *action->verb ? " " : "", action->verb);
    for (const struct action_param *param = action->params; param && param->name; param++) {
        bool needed = param->flags & P_REQUIRED;
        options = options || (!needed && !(param->flags & P_POSITIONAL));
        if (!needed && !(param->flags & P_POSITIONAL))
            continue;
        printf(needed ? " " : " Oo ");
        put_param(param);
        printf(needed ? "" : " Oc");
    }
    printf(options ? " Op Ar options\n" : "\n");
}

static void put_rights(const struct action *action)
{
    if (action->flags & A_WRITE)
        printf(action->flags & A_REASON ? "Writes; a reason is needed.\n" : "Writes.\n");
    if (!(action->flags & A_OPERATOR)) {
        printf("Nobody needs to be signed in.\n");
        return;
    }
    printf("Roles:");
    for (const char *at = action->roles; *at; at++)
        printf(*at == ' ' ? "," : at == action->roles || at[-1] == ' ' ? " %c" : "%c", *at);
    printf(".\n");
}

static void put_action(const struct action *action)
{
    put_form(action);
    mdoc_sentence(action->summary);
    if (action->help)
        mdoc_text(action->help);
    put_rights(action);
    if (!action->params || !action->params->name)
        return;
    printf(".Bl -tag -width Ds -compact\n");
    for (const struct action_param *param = action->params; param->name; param++) {
        printf(".It ");
        put_param(param);
        putchar('\n');
        mdoc_text(param->help);
    }
    printf(".El\n");
}

static void print_commands(void)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(list[j]->noun, list[i]->noun) == 0;
        if (seen)
            continue;
        printf(".Ss %s\n.Bl -tag -width Ds\n", list[i]->noun);
        for (size_t j = i; j < count; j++)
            if (strcmp(list[j]->noun, list[i]->noun) == 0)
                put_action(list[j]);
        printf(".El\n");
    }
}

static void print_options(void)
{
    for (const struct flag *flag = flags; flag->name; flag++) {
        printf(".It Fl %s%s%s\n", flag->name + 1, flag->argument ? " Ar " : "", flag->argument ? flag->argument : "");
        mdoc_sentence(flag->help);
    }
}

/* For docs_test.sh: "order book --slot= --check-in …", one action a line, and one line "- -" of the program's own
 * flags; = where a value follows. */
static void print_names(void)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++) {
        printf("%s %s", list[i]->noun, *list[i]->verb ? list[i]->verb : "-");
        for (const struct action_param *param = list[i]->params; param && param->name; param++)
            if (!(param->flags & P_POSITIONAL))
                printf(" --%s%s", param->name, param->type == P_SWITCH ? "" : "=");
        putchar('\n');
    }
    printf("- -");
    for (const struct flag *flag = flags; flag->name; flag++)
        printf(" %s%s", flag->name, flag->argument ? "=" : "");
    putchar('\n');
}

/* --- settings --- */

static const char *const defaults[] = {
#define X(id, section, key, type, fallback, help) fallback,
    FD_CONFIG_TABLE(X)
#undef X
};

static void print_config(void)
{
    for (int key = 0; key < CONFIG_COUNT; key++) {
        enum config_key at = (enum config_key)key;
        if (key == 0 || strcmp(config_section(at), config_section((enum config_key)(key - 1))) != 0)
            printf("%s.Ss [%s]\n.Bl -tag -width Ds\n", key ? ".El\n" : "", config_section(at));
        printf(".It Va %s\n", config_key_name(at));
        mdoc_sentence(config_help(at));
        printf("Environment:\n.Ev %s .\n", config_env_name(at));
        if (*defaults[key])
            printf("Default:\n.Li %s .\n", defaults[key]);
    }
    printf(".El\n");
}

static void print_params(void)
{
    for (int i = 0; i < PARAM_COUNT; i++) {
        enum param param = (enum param)i;
        printf(".It Va %s\n", param_name(param));
        mdoc_sentence(param_text(param));
        printf("%lld%s%s, from %lld to %lld.\n", (long long)param_default(param), *param_unit(param) ? " " : "",
               param_unit(param), (long long)param_least(param), (long long)param_most(param));
    }
}

/* --- errors --- */

static void print_errors(void)
{
    for (int i = FD_OK + 1; i < FD_CODE_COUNT; i++) {
        enum fd_code code = (enum fd_code)i;
        if (code == FD_RETRY)
            continue; /* never shown */
        printf(".It Li %s Pq %d\n", fd_code_name(code), fd_code_exit(code));
        mdoc_sentence(fd_code_sentence(code));
        if (*fd_code_hint(code))
            mdoc_text(fd_code_hint(code));
    }
}

/* --- the console --- */

static void print_keymap(const struct keymap *map)
{
    char keys[96];
    printf(".Ss %s\n.Bl -tag -width 14n -compact\n", map->title);
    for (size_t i = 0; i < map->count; i++) {
        const struct keybind *bind = &map->binds[i];
        if (bind->request == REQ_NONE)
            continue;
        mdoc_item(keybind_keys(bind, keys, sizeof keys));
        mdoc_text(bind->help ? bind->help : request_help(bind->request));
    }
    printf(".El\n");
}

static void print_keys(void)
{
    static const struct view_ops *const views[] = {
        &view_grid,      &view_booking,  &view_pay,       &view_arrivals, &view_orders,  &view_order,  &view_move,
        &view_customers, &view_customer, &view_schedules, &view_calls,    &view_log,     &view_venues, &view_params,
        &view_operators, &view_qr,       &view_approval,  &view_shift,    &view_shifts,  &view_cases,  &view_approvals,
        &view_printer,   &view_text,     &view_ask,       &help_view_ops, &view_sign_in,
    };
    print_keymap(keymap_global());
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        print_keymap(views[i]->keys);
}

/* Lines "form TAB meaning" of the console's own help. */
static void print_line(void)
{
    struct buf text = {0};
    line_help(&text);
    verbs_help(NULL, &text);
    char *copy = xstrdup(buf_text(&text)), *next = copy;
    for (char *row = strsep(&next, "\n"); row; row = strsep(&next, "\n")) {
        char *meaning = strchr(row, '\t');
        if (!meaning || !meaning[1])
            continue; /* of the test build only */
        *meaning = '\0';
        if (meaning[-1] == ' ')
            meaning[-1] = '\0';
        mdoc_item(row + (*row == ':'));
        mdoc_text(meaning + 1);
    }
    free(copy);
    buf_release(&text);
}

/* --- rules --- */

static void put_actors(unsigned actors)
{
    static const char *const names[] = {"customer", "operator", "worker", "channel", "kiosk", "online"};
    const char *gap = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (actors & 1U << i) {
            printf("%s%s", gap, names[i]);
            gap = ", ";
        }
}

static void print_rules(void)
{
    for (const struct rule *rule = rules; rule->entity; rule++) {
        if (rule == rules || strcmp(rule->entity, rule[-1].entity) != 0)
            printf("%s.Ss Moves of %s\n.Bl -tag -width Ds\n", rule == rules ? "" : ".El\n", rule->entity);
        printf(".It Em %s : %s \\(-> %s\n", rule->event, rule->from, rule->to);
        mdoc_sentence(rule->text);
        printf("By: ");
        put_actors(rule->actors);
        printf(".%s\n", rule->reason_needed ? "\nA reason is needed." : "");
    }
    printf(".El\n");
}

static const struct {
    const char *name;
    void (*print)(void);
} parts[] = {
    {"commands", print_commands}, {"options", print_options}, {"names", print_names},
    {"config", print_config},     {"params", print_params},   {"errors", print_errors},
    {"keys", print_keys},         {"line", print_line},       {"rules", print_rules},
};

int main(int argc, char **argv)
{
    cli_register();
    for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, argv[1]) == 0) {
            parts[i].print();
            return 0;
        }
    fprintf(stderr, "manual: which part? commands options names config params errors keys line rules\n");
    return 2;
}
