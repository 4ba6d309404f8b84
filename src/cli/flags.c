#include "cli/flags.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "cli/cli.h"

const struct flag flags[] = {
    {"--operator", "NAME", FLAG_SETTING, CONFIG_OPERATOR, NULL, N_("who acts")},
    {"--password-file", "FILE", FLAG_SETTING, CONFIG_PASSWORD_FILE, NULL,
     N_("file with the password, mode 0600; - is standard input")},
    {"--config", "FILE", FLAG_CONFIG, CONFIG_COUNT, NULL, N_("configuration file to use instead of the usual ones")},
    {"--data", "DIR", FLAG_SETTING, CONFIG_DATA, NULL, N_("folder of the private database")},
    {"--host", "NAME", FLAG_SETTING, CONFIG_HOST, NULL, N_("server's host name")},
    {"--port", "NUMBER", FLAG_SETTING, CONFIG_PORT, NULL, N_("server's TCP port")},
    {"--socket", "FILE", FLAG_SETTING, CONFIG_SOCKET, NULL, N_("server's unix socket")},
    {"--database", "NAME", FLAG_SETTING, CONFIG_NAME, NULL, N_("name of the database")},
    {"--terminal", "NAME", FLAG_SETTING, CONFIG_TERMINAL, NULL, N_("name of this terminal in the log")},
    {"--key", "KEY", FLAG_KEY, CONFIG_COUNT, NULL, N_("request key: the same key again never does it twice")},
    {"--reason", "TEXT", FLAG_REASON, CONFIG_COUNT, NULL, N_("why, for the log")},
    {"--json", NULL, FLAG_JSON, CONFIG_COUNT, NULL, N_("answer (and errors) as one line of JSON on standard output")},
    {"--format", "table|csv|json", FLAG_FORMAT, CONFIG_COUNT, NULL, N_("how a list is printed; json is --json")},
    {"--columns", "NAME,NAME", FLAG_COLUMNS, CONFIG_COUNT, NULL, N_("columns of a list, in this order")},
    {"--no-header", NULL, FLAG_NO_HEADER, CONFIG_COUNT, NULL, N_("a list without its headings")},
    {"--readonly", NULL, FLAG_SETTING, CONFIG_READONLY, "yes", N_("change nothing")},
    {"--language", "LANG", FLAG_SETTING, CONFIG_LANGUAGE, NULL, N_("zh_CN or en")},
    {"--theme", "NAME", FLAG_SETTING, CONFIG_THEME, NULL, N_("colours of the console")},
    {"--ascii", NULL, FLAG_SETTING, CONFIG_ASCII, "yes", N_("lines and marks in ASCII only")},
    {"--mono", NULL, FLAG_SETTING, CONFIG_THEME, "mono", N_("no colours")},
    {"--no-mouse", NULL, FLAG_SETTING, CONFIG_MOUSE, "no", N_("leave the mouse to the terminal")},
    {"--log-file", "FILE", FLAG_SETTING, CONFIG_LOG_FILE, NULL, N_("where the program's own log goes")},
    {"--debug", NULL, FLAG_SETTING, CONFIG_DEBUG, "yes", N_("log more")},
    {"--check-config", NULL, FLAG_CHECK_CONFIG, CONFIG_COUNT, NULL, N_("only say whether the configuration is valid")},
    {"--help", NULL, FLAG_HELP, CONFIG_COUNT, NULL, N_("this help; after NOUN VERB: help for that")},
    {"--version", NULL, FLAG_VERSION, CONFIG_COUNT, NULL, N_("print the version")},
    {0},
};

/* Length of a flag's name in "--name=value". */
static size_t name_bytes(const char *word)
{
    return strcspn(word, "=");
}

const struct flag *flag_find(const char *word)
{
    size_t bytes = name_bytes(word);
    for (const struct flag *flag = flags; flag->name; flag++)
        if (strlen(flag->name) == bytes && strncmp(flag->name, word, bytes) == 0)
            return flag;
    return strcmp(word, "-h") == 0 ? flag_find("--help") : NULL;
}

/* The action's own parameter that "--name" or "--name=value" means, or NULL. */
static const struct action_param *own_param(const struct action *action, const char *word)
{
    if (!action || !action->params)
        return NULL;
    size_t bytes = name_bytes(word + 2);
    for (const struct action_param *param = action->params; param->name; param++)
        if (!(param->flags & P_POSITIONAL) && strlen(param->name) == bytes &&
            strncmp(param->name, word + 2, bytes) == 0)
            return param;
    return NULL;
}

struct walk {
    struct invocation *into;
    int count, at; /* argv */
    char **words;
};

static void keep(struct walk *walk, char *word)
{
    walk->into->words[walk->into->word_count++] = word;
}

/* The value of the flag at walk->at: behind "=", or the next word. NULL where there is none. */
static const char *flag_value(struct walk *walk)
{
    const char *equals = strchr(walk->words[walk->at], '=');
    if (equals)
        return equals + 1;
    return walk->at + 1 < walk->count ? walk->words[++walk->at] : NULL;
}

static enum fd_code put_setting(struct invocation *into, enum config_key key, const char *value, struct fd_error *err)
{
    if (into->setting_count == sizeof into->settings / sizeof into->settings[0])
        return fd_fail(err, FD_USAGE, _("Too many options."));
    into->settings[into->setting_count].key = key;
    into->settings[into->setting_count++].value = value;
    return FD_OK;
}

static enum fd_code take_format(struct invocation *into, const char *value, struct fd_error *err)
{
    static const char *const names[] = {[CALL_TABLE] = "table", [CALL_CSV] = "csv", [CALL_JSON] = "json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            into->shape.format = (enum call_format)i;
            into->json = into->json || i == CALL_JSON;
            return FD_OK;
        }
    return fd_fail(err, FD_USAGE, _("%s must be one of %s."), "--format", "table|csv|json");
}

/* A script's variable that was never set: nothing may be done as if the flag were not there. */
static enum fd_code find_value(struct walk *walk, const struct flag *flag, const char **value, struct fd_error *err)
{
    *value = flag->fixed;
    if (flag->argument && !(*value = flag_value(walk)))
        return fd_fail(err, FD_USAGE, _("%s needs %s behind it."), flag->name, flag->argument);
    if (!flag->argument && strchr(walk->words[walk->at], '='))
        return fd_fail(err, FD_USAGE, _("%s takes no value."), flag->name);
    if (flag->argument && !**value)
        return fd_fail(err, FD_USAGE, _("%s must not be empty."), flag->name);
    return FD_OK;
}

static enum fd_code take_flag(struct walk *walk, const struct flag *flag, struct fd_error *err)
{
    struct invocation *into = walk->into;
    const char *value;
    enum fd_code code = find_value(walk, flag, &value, err);
    if (code != FD_OK)
        return code;
    switch (flag->kind) {
    case FLAG_SETTING:
        return put_setting(into, flag->setting, value, err);
    case FLAG_CONFIG:
        into->config_file = value;
        break;
    case FLAG_KEY:
        into->key = value;
        break;
    case FLAG_REASON:
        into->reason = value;
        break;
    case FLAG_JSON:
        into->json = true;
        break;
    case FLAG_FORMAT:
        return take_format(into, value, err);
    case FLAG_COLUMNS:
        into->shape.columns = value;
        break;
    case FLAG_NO_HEADER:
        into->shape.no_header = true;
        break;
    case FLAG_CHECK_CONFIG:
        into->check_config = true;
        break;
    case FLAG_HELP:
        into->help = true;
        break;
    case FLAG_VERSION:
        into->version = true;
        break;
    default:
        break;
    }
    return FD_OK;
}

/* The noun has been seen: is the word its verb? Where the noun also stands alone it may be an argument. */
static bool take_verb(struct invocation *into, const char *word)
{
    const struct action *action = action_find(into->noun, word);
    if (!action || !*word)
        return false;
    into->action = action;
    return true;
}

static enum fd_code hint_near(const char *near, struct fd_error *err)
{
    if (near)
        fd_hint(err, _("Did you mean \"%s\"? See: frontdesk --help"), near);
    else
        fd_hint(err, "%s", _("See: frontdesk --help"));
    return FD_USAGE;
}

static enum fd_code take_word(struct walk *walk, bool *verb_open, struct fd_error *err)
{
    struct invocation *into = walk->into;
    char *word = walk->words[walk->at];
    if (!into->noun) {
        into->noun = word;
        if (!help_has_noun(word)) {
            char shown[64];
            text_clean(shown, sizeof shown, word);
            fd_fail(err, FD_USAGE, _("There is no command \"%s\"."), shown);
            return hint_near(help_nearest_noun(word), err);
        }
        into->action = action_find(word, "");
        *verb_open = true;
        return FD_OK;
    }
    if (*verb_open && take_verb(into, word)) {
        *verb_open = false;
        return FD_OK;
    }
    if (!into->action) {
        char shown[64];
        text_clean(shown, sizeof shown, word);
        fd_fail(err, FD_USAGE, _("\"%s\" has no verb \"%s\"."), into->noun, shown);
        return hint_near(help_nearest_verb(into->noun, word), err);
    }
    *verb_open = false;
    keep(walk, word);
    return FD_OK;
}

/* A word that begins with "--": the action's own, the program's, or unknown. */
static enum fd_code take_dashes(struct walk *walk, struct fd_error *err)
{
    char *word = walk->words[walk->at];
    const struct action_param *own = word[1] == '-' ? own_param(walk->into->action, word) : NULL;
    const struct flag *flag = own ? NULL : flag_find(word);
    if (flag)
        return take_flag(walk, flag, err);
    if (!walk->into->action) {
        char shown[64];
        text_clean(shown, sizeof shown, word);
        fd_fail(err, FD_USAGE, _("Unknown option: %s"), shown);
        return hint_near(NULL, err);
    }
    keep(walk, word);
    if (own && own->type != P_SWITCH && !strchr(word, '=') && walk->at + 1 < walk->count)
        keep(walk, walk->words[++walk->at]);
    return FD_OK;
}

/* So that a wrong word before --json or --help does not hide what was wanted. */
static void look_ahead(struct invocation *into, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--format=json") == 0 ||
            (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0))
            into->json = true;
}

enum fd_code flags_parse(struct invocation *invocation, int argc, char **argv, struct fd_error *err)
{
    *invocation = (struct invocation){.words = xcalloc((size_t)argc + 1, sizeof(char *))};
    look_ahead(invocation, argc, argv);
    struct walk walk = {.into = invocation, .count = argc, .words = argv};
    bool verb_open = false;
    for (walk.at = 1; walk.at < argc; walk.at++) {
        char *word = argv[walk.at];
        enum fd_code code;
        if (strcmp(word, "--") == 0 && invocation->action) {
            while (walk.at < argc)
                keep(&walk, argv[walk.at++]);
            break;
        }
        if ((word[0] == '-' && word[1] == '-') || strcmp(word, "-h") == 0 || (word[0] == '-' && !invocation->action))
            code = take_dashes(&walk, err);
        else
            code = take_word(&walk, &verb_open, err);
        if (code != FD_OK)
            return code;
    }
    return FD_OK;
}

void invocation_release(struct invocation *invocation)
{
    free(invocation->words);
    invocation->words = NULL;
}

enum fd_code flags_apply(const struct invocation *invocation, struct config *config, struct fd_error *err)
{
    for (size_t i = 0; i < invocation->setting_count; i++) {
        enum fd_code code = config_set(config, invocation->settings[i].key, invocation->settings[i].value, err);
        if (code != FD_OK)
            return code;
    }
    return FD_OK;
}
