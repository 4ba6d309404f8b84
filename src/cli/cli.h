/* The command line: `frontdesk [FLAGS] NOUN VERB …`. Generic: the tables of actions say what exists;
 * nothing here knows a business. Source: domain section 8, architecture section 2. */
#ifndef FD_CLI_CLI_H
#define FD_CLI_CLI_H
#include "core/action.h"

/* Opens the console and returns the exit status, or fills err and returns -1. `readonly` is in the configuration. */
typedef int cli_console(const struct config *config, struct fd_error *err);

/* The whole program but its console: reads the command line, runs one action or the console, reports,
 * returns the exit status. console NULL: a program without one. */
int cli_main(int argc, char **argv, cli_console *console);

/* Registers the kinds and actions of all floors below. Once per process; tests and tools call it too. */
void cli_register(void);

/* The actions of this floor: server, migrate, config, backup, restore, doctor, completion, demo. */
extern const struct action server_actions[];
extern const struct action backup_actions[];
extern const struct action doctor_actions[];
extern const struct action completion_actions[];
extern const struct action demo_actions[];

/* Opens the desk of a configuration and signs in who acts: from --operator and --password-file, a service
 * credential, or a prompt on the terminal. */
enum fd_code cli_sign_in(struct desk *desk, const struct config *config, struct fd_error *err);
/* Asks for a secret on the controlling terminal without echo. FD_NO_TERMINAL where there is none.
 * *secret is xmalloc'ed; the caller wipes and frees it. */
enum fd_code cli_ask_secret(const char *prompt, char **secret, struct fd_error *err);
/* Asks for a line on the controlling terminal. xmalloc'ed. */
enum fd_code cli_ask_line(const char *prompt, char **line, struct fd_error *err);
/* May the desk's role do the action? FD_NO_PERMISSION where not. The runner asks the same for writes inside
 * their transaction; this is for what only reads. */
enum fd_code cli_may(struct desk *desk, const struct action *action, struct fd_error *err);

/* Help and the list of nouns; into buf. */
void help_program(struct buf *out);
void help_noun(struct buf *out, const char *noun);
void help_action(struct buf *out, const struct action *action);
/* What a person may have meant by an unknown word: the nearest noun or verb, NULL where none is near. Borrowed. */
const char *help_nearest_noun(const char *word);
const char *help_nearest_verb(const char *noun, const char *word);
bool help_has_noun(const char *noun);

/* The completion script for bash, from the tables; into buf. */
void completion_bash(struct buf *out);

/* JSON made harmless for a terminal: what text_clean would replace stands as \uXXXX. xmalloc'ed. */
char *report_safe_json(const char *json);
/* Writes text to stdout and flushes. FD_OK also where the reader has gone (a closed pipe ends quietly); FD_IO else. */
enum fd_code report_out(const char *text, struct fd_error *err);
/* Tells an error: as JSON on stdout or in words on stderr. Returns the exit status. */
int report_error(const struct fd_error *err, bool json);
/* The error as the JSON object {"code","message","hint"}. New. */
struct tree *report_error_tree(const struct fd_error *err);
#endif
