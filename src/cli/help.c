#include "cli/cli.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cli/flags.h"

#define SUMMARY_COLUMN 26

/* "  left   right", with the right part at a fixed column, on a line of its own where left is too long. */
static void put_pair(struct buf *out, const char *left, const char *right)
{
    int width = text_width(left);
    buf_printf(out, "  %s", left);
    if (!right || !*right) {
        buf_add(out, "\n");
        return;
    }
    if (width + 4 > SUMMARY_COLUMN) {
        buf_add(out, "\n");
        width = -2;
    }
    for (int at = width + 2; at < SUMMARY_COLUMN; at++)
        buf_add(out, " ");
    buf_printf(out, "%s\n", right);
}

static const char *type_word(const struct action_param *param)
{
    static const char *const words[] = {
        [P_TEXT] = "TEXT",    [P_INT] = "NUMBER",  [P_MONEY] = "YUAN", [P_DATE] = "DATE", [P_TIME] = "TIME",
        [P_SPAN] = "FROM-TO", [P_PHONE] = "PHONE", [P_IDS] = "ID,ID…", [P_SWITCH] = "",   [P_CHOICE] = "",
    };
    return param->type == P_CHOICE ? param->choices : words[param->type];
}

static void upper(struct buf *out, const char *text)
{
    for (; *text; text++) {
        char ch = *text == '-' ? '_' : *text;
        if (ch >= 'a' && ch <= 'z')
            ch = (char)(ch - 'a' + 'A');
        buf_add_bytes(out, &ch, 1);
    }
}

/* "NAME", "[NAME]", "--flag VALUE" as in a usage line. */
static void put_param(struct buf *out, const struct action_param *param)
{
    if (param->flags & P_POSITIONAL) {
        upper(out, param->name);
        if (param->flags & P_REST)
            buf_add(out, "…");
        return;
    }
    buf_printf(out, "--%s", param->name);
    if (param->type != P_SWITCH)
        buf_printf(out, " %s", type_word(param));
}

static void put_usage(struct buf *out, const struct action *action)
{
    buf_printf(out, "frontdesk %s", action->noun);
    if (*action->verb)
        buf_printf(out, " %s", action->verb);
    bool options = false;
    for (const struct action_param *param = action->params; param && param->name; param++) {
        bool needed = param->flags & P_REQUIRED;
        if (!needed && !(param->flags & P_POSITIONAL)) {
            options = true;
            continue;
        }
        buf_add(out, needed ? " " : " [");
        put_param(out, param);
        buf_add(out, needed ? "" : "]");
    }
    buf_add(out, options ? " [options]\n" : "\n");
}

/* A list: how it is printed, and the names for --columns. */
static void put_shape(struct buf *out, const struct column *columns)
{
    char *names = call_column_names(columns);
    put_pair(out, "--format table|csv|json", _("how the list is printed; json is --json"));
    put_pair(out, "--columns NAME,NAME", names);
    put_pair(out, "--no-header", _("a list without its headings"));
    free(names);
}

static void put_params(struct buf *out, const struct action *action)
{
    for (const struct action_param *param = action->params; param && param->name; param++) {
        struct buf left = {0};
        put_param(&left, param);
        put_pair(out, buf_text(&left), _(param->help));
        buf_release(&left);
    }
    if (action->flags & A_WRITE) {
        put_pair(out, "--key KEY", _("request key: the same key again never does it twice"));
        put_pair(out, "--reason TEXT",
                 action->flags & A_REASON ? _("why, for the log (needed)") : _("why, for the log"));
    }
    put_pair(out, "--json", _("answer as one line of JSON"));
    if (action->columns)
        put_shape(out, action->columns);
}

void help_action(struct buf *out, const struct action *action)
{
    buf_printf(out, "%s ", _("Usage:"));
    put_usage(out, action);
    buf_printf(out, "\n%s\n", _(action->summary));
    if (action->help)
        buf_printf(out, "\n%s\n", _(action->help));
    buf_printf(out, "\n%s\n", _("Options:"));
    put_params(out, action);
    if (action->flags & A_OPERATOR)
        buf_printf(out, "\n%s\n", _("Somebody must be signed in: --operator NAME --password-file FILE, or a prompt."));
    if (*action->roles)
        buf_printf(out, "%s %s\n", _("Roles by default:"), action->roles);
}

void help_noun(struct buf *out, const char *noun)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    buf_printf(out, "%s frontdesk %s ", _("Usage:"), noun);
    buf_printf(out, "%s\n\n", action_find(noun, "") ? "[options]" : "VERB [options]");
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->noun, noun) == 0)
            put_pair(out, *list[i]->verb ? list[i]->verb : noun, _(list[i]->summary));
    buf_printf(out, "\n%s frontdesk %s%s --help\n", _("More:"), noun, action_find(noun, "") ? "" : " VERB");
}

/* True where list[at] is the first action of its noun. */
static bool noun_begins(const struct action *const *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(list[i]->noun, list[at]->noun) == 0)
            return false;
    return true;
}

/* The verbs of a noun, separated by blanks; the summary where it stands alone. */
static void put_noun(struct buf *out, const struct action *const *list, size_t count, size_t at)
{
    struct buf right = {0};
    for (size_t i = at; i < count; i++)
        if (strcmp(list[i]->noun, list[at]->noun) == 0 && *list[i]->verb)
            buf_printf(&right, "%s%s", right.bytes ? ", " : "", list[i]->verb);
    put_pair(out, list[at]->noun, right.bytes ? buf_text(&right) : _(list[at]->summary));
    buf_release(&right);
}

void help_program(struct buf *out)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    buf_printf(out, "%s frontdesk [options]\n", _("Usage:"));
    buf_add(out, "       frontdesk [options] NOUN VERB …\n\n");
    buf_printf(out, "%s\n\n", _("Without a noun the console opens. The nouns and their verbs:"));
    for (size_t i = 0; i < count; i++)
        if (noun_begins(list, i))
            put_noun(out, list, count, i);
    buf_printf(out, "\n%s\n", _("Options:"));
    for (const struct flag *flag = flags; flag->name; flag++) {
        char left[64];
        fit_printf(left, "%s%s%s", flag->name, flag->argument ? " " : "", flag->argument ? flag->argument : "");
        put_pair(out, left, _(flag->help));
    }
    buf_printf(out, "\n%s\n",
               _("Exit status: 0 done, 1 refused by a rule, 2 usage, 69 database unavailable, 71 out of memory,\n"
                 "74 a file cannot be used, 75 try again or outcome unknown, 77 no permission, 78 configuration."));
}

bool help_has_noun(const char *noun)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->noun, noun) == 0)
            return true;
    return false;
}

#define NEAR_BYTES 24

/* Letters to change, add or take away to make one word of the other; 99 where a word is too long to ask. */
static int distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    int line[NEAR_BYTES];
    if (rows >= NEAR_BYTES || columns >= NEAR_BYTES)
        return 99;
    for (size_t j = 0; j <= columns; j++)
        line[j] = (int)j;
    for (size_t i = 1; i <= rows; i++) {
        int diagonal = line[0];
        line[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = line[j];
            best = line[j] + 1 < best ? line[j] + 1 : best;
            line[j] = line[j - 1] + 1 < best ? line[j - 1] + 1 : best;
        }
    }
    return line[columns];
}

static const char *nearer(const char *word, const char *candidate, const char *best, int *least)
{
    int steps = distance(word, candidate);
    if (steps >= *least)
        return best;
    *least = steps;
    return candidate;
}

const char *help_nearest_noun(const char *word)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < count; i++)
        best = nearer(word, list[i]->noun, best, &least);
    return best;
}

const char *help_nearest_verb(const char *noun, const char *word)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->noun, noun) == 0)
            best = nearer(word, list[i]->verb, best, &least);
    return best && *best ? best : NULL;
}
