/* Flags of the program itself, before or after the noun, and what remains: one table. */
#ifndef FD_CLI_FLAGS_H
#define FD_CLI_FLAGS_H
#include "core/action.h"

enum flag_kind {
    FLAG_SETTING, /* sets a key of the configuration: to the word after it, or to `fixed` */
    FLAG_CONFIG,  /* --config FILE */
    FLAG_KEY,
    FLAG_REASON,
    FLAG_JSON,
    FLAG_FORMAT,
    FLAG_COLUMNS,
    FLAG_NO_HEADER,
    FLAG_CHECK_CONFIG, /* the same as `config --check` */
    FLAG_HELP,
    FLAG_VERSION
};
struct flag {
    const char *name;     /* "--operator" */
    const char *argument; /* "NAME"; NULL: takes none */
    enum flag_kind kind;
    enum config_key setting; /* FLAG_SETTING */
    const char *fixed;       /* FLAG_SETTING without argument: the value */
    const char *help;        /* N_() */
};
extern const struct flag flags[]; /* name NULL ends */
/* The row for "--name" (also "--name=value"), or NULL. */
const struct flag *flag_find(const char *word);

/* A command line taken apart. Strings are borrowed from argv; invocation_release frees the rest. */
struct invocation {
    const char *config_file, *key, *reason; /* NULL where not given */
    struct call_shape shape;
    bool json, help, version, check_config;
    struct {
        enum config_key key;
        const char *value;
    } settings[32];
    size_t setting_count;
    const char *noun;            /* NULL: none, the console */
    const struct action *action; /* NULL: no noun, or the noun alone */
    char **words;                /* what is left for the action */
    int word_count;
};
/* Takes argv apart. After NOUN VERB a flag of the action's own wins over the program's of the same name.
 * FD_USAGE names what is wrong; `json` and `help` are filled as far as they were seen. */
enum fd_code flags_parse(struct invocation *invocation, int argc, char **argv, struct fd_error *err);
void invocation_release(struct invocation *invocation);
/* Puts the settings into the configuration. */
enum fd_code flags_apply(const struct invocation *invocation, struct config *config, struct fd_error *err);
#endif
