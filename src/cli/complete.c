#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>
#include "cli/flags.h"

/* True where list[at] is the first action of its noun. */
static bool first_of_noun(const struct action *const *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(list[i]->noun, list[at]->noun) == 0)
            return false;
    return true;
}

static void put_nouns(struct buf *out)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    buf_add(out, "    local nouns='");
    for (size_t i = 0; i < count; i++)
        if (first_of_noun(list, i))
            buf_printf(out, "%s%s", i ? " " : "", list[i]->noun);
    buf_add(out, "'\n    local verbs=''\n    case $noun in\n");
    for (size_t i = 0; i < count; i++) {
        if (!first_of_noun(list, i))
            continue;
        buf_printf(out, "    %s) verbs='", list[i]->noun);
        const char *gap = "";
        for (size_t j = i; j < count; j++)
            if (strcmp(list[j]->noun, list[i]->noun) == 0 && *list[j]->verb) {
                buf_printf(out, "%s%s", gap, list[j]->verb);
                gap = " ";
            }
        buf_add(out, "' ;;\n");
    }
    buf_add(out, "    esac\n");
}

static void put_program_flags(struct buf *out)
{
    buf_add(out, "    local flags='");
    for (const struct flag *flag = flags; flag->name; flag++)
        buf_printf(out, "%s%s", flag == flags ? "" : " ", flag->name);
    buf_add(out, "'\n    local valued='");
    const char *gap = "";
    for (const struct flag *flag = flags; flag->name; flag++)
        if (flag->argument) {
            buf_printf(out, "%s%s", gap, flag->name);
            gap = " ";
        }
    buf_add(out, "'\n");
}

/* The columns of each list. */
static void put_columns(struct buf *out, const struct action *const *list, size_t count)
{
    buf_add(out, "    case \"$noun $verb\" in\n");
    for (size_t i = 0; i < count; i++) {
        char *names = list[i]->columns ? call_column_names(list[i]->columns) : NULL;
        if (names)
            buf_printf(out, "    '%s %s') columns='%s' ;;\n", list[i]->noun, list[i]->verb, names);
        free(names);
    }
    buf_add(out, "    esac\n");
}

/* One line per action: its own flags, and after a flag with choices the choices. */
static void put_own_flags(struct buf *out)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    buf_add(out, "    case \"$noun $verb\" in\n");
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "    '%s %s') own='", list[i]->noun, list[i]->verb);
        const char *gap = "";
        for (const struct action_param *param = list[i]->params; param && param->name; param++)
            if (!(param->flags & P_POSITIONAL)) {
                buf_printf(out, "%s--%s", gap, param->name);
                gap = " ";
            }
        buf_add(out, "' ;;\n");
    }
    buf_add(out, "    esac\n");
    put_columns(out, list, count);
    buf_add(out, "    case \"$noun $verb $previous\" in\n");
    for (size_t i = 0; i < count; i++)
        for (const struct action_param *param = list[i]->params; param && param->name; param++)
            if (param->type == P_CHOICE)
                buf_printf(out, "    '%s %s %s%s') choices='%s' ;;\n", list[i]->noun, list[i]->verb,
                           param->flags & P_POSITIONAL ? "" : "--", param->flags & P_POSITIONAL ? "" : param->name,
                           param->choices);
    buf_add(out, "    esac\n");
}

static const char head[] = "# bash completion for frontdesk: made from its tables of actions, do not edit\n"
                           "_frontdesk()\n"
                           "{\n"
                           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                           "    local noun='' verb='' own='' choices='' columns='' word skip=0 i\n";

/* Finds the noun and the verb among the words before the cursor, stepping over flags and their values. */
static const char find_words[] = "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                 "        word=${COMP_WORDS[i]}\n"
                                 "        if ((skip)); then skip=0; continue; fi\n"
                                 "        if [[ $word == -* ]]; then\n"
                                 "            [[ \" $valued \" == *\" $word \"* ]] && skip=1\n"
                                 "            continue\n"
                                 "        fi\n"
                                 "        if [[ -z $noun ]]; then noun=$word; else verb=$word; break; fi\n"
                                 "    done\n";

static const char tail[] =
    "    choices=${choices//|/ } columns=${columns//,/ }\n"
    "    case $previous in\n"
    "    --password-file|--config|--socket|--log-file) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
    "    --data) COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n"
    "    --language) choices='zh_CN en' ;;\n"
    "    --format) [[ -z $choices ]] && choices='table csv json' ;;\n"
    "    --columns) choices=$columns ;;\n"
    "    esac\n"
    "    if [[ -n $choices ]]; then COMPREPLY=($(compgen -W \"$choices\" -- \"$current\")); return; fi\n"
    "    if [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$own $flags\" -- \"$current\")); return; fi\n"
    "    if [[ -z $noun ]]; then COMPREPLY=($(compgen -W \"$nouns\" -- \"$current\")); return; fi\n"
    "    if [[ -z $verb && -n $verbs ]]; then COMPREPLY=($(compgen -W \"$verbs\" -- \"$current\")); return; fi\n"
    "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
    "}\n"
    "complete -o filenames -F _frontdesk frontdesk\n";

void completion_bash(struct buf *out)
{
    buf_add(out, head);
    put_program_flags(out);
    buf_add(out, find_words);
    put_nouns(out);
    /* A noun without verbs: what follows it is an argument. */
    buf_add(out, "    [[ -z $verbs ]] && verb=''\n");
    put_own_flags(out);
    buf_add(out, tail);
}

static enum fd_code completion_run(struct call *call, struct fd_error *err)
{
    (void)err;
    completion_bash(&call->text);
    call->answer = tree_object();
    tree_put_text(call->answer, "script", buf_text(&call->text));
    return FD_OK;
}

static const struct action_param completion_params[] = {
    {"shell", P_CHOICE, P_REQUIRED | P_POSITIONAL, "bash", N_("the shell to complete in")},
    {0},
};

const struct action completion_actions[] = {
    {"completion", "", NULL, N_("print the completion script for bash"), NULL, completion_params, NULL, A_NO_DB, "",
     completion_run},
    {0},
};
