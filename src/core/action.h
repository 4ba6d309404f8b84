/* Actions: everything a person can do is one row. From the tables come the subcommands, their
 * --help and --json, the `:` line with completion, the permission matrix, the man page section.
 * `run` is a thin adapter from parsed parameters to a typed function. Source: architecture section 2. */
#ifndef FD_CORE_ACTION_H
#define FD_CORE_ACTION_H
#include "core/desk.h"
#include "outside/tree.h"

enum param_type { P_TEXT, P_INT, P_MONEY, P_DATE, P_TIME, P_SPAN, P_PHONE, P_IDS, P_SWITCH, P_CHOICE };
enum param_flag { P_REQUIRED = 1, P_POSITIONAL = 2, P_REST = 4 /* positional: takes all words up to the next flag */,
    P_EMPTY = 8 /* P_TEXT: may be given empty */ };
struct action_param {
    const char *name;    /* "tendered": the flag is --tendered; positional ones show as UPPER CASE */
    enum param_type type;
    unsigned flags;
    const char *choices; /* P_CHOICE: "clerk|finance|admin"; else NULL */
    const char *help;    /* N_() */
};
enum action_flag {
    A_OPERATOR = 1,   /* somebody must be signed in */
    A_WRITE = 2,      /* changes the database: takes --key, --reason, is logged */
    A_REASON = 4,     /* a reason is needed always */
    A_NO_DB = 8,      /* needs no connection (config, rules, server) */
    A_CONSOLE = 16,   /* offered on the `:` line too */
    A_SECRET = 32     /* needs a new password: --new-password-file, else the caller asks twice and sets call.secret */
};
struct column { const char *key, *heading; int align; /* -1 left, 1 right */ bool money; /* key holds *_fen */ };
/* How an answer's rows are printed: --format, --columns, --no-header. Zeroed: a table of all columns. */
enum call_format { CALL_TABLE, CALL_CSV, CALL_JSON };
struct call_shape { enum call_format format; const char *columns; /* "a,b"; NULL: all */ bool no_header; };
struct call; /* one invocation */
typedef enum fd_code action_fn(struct call *call, struct fd_error *err);
struct action {
    const char *noun, *verb;    /* "order", "book"; verb "" where the noun stands alone (doctor) */
    const char *shorts;         /* short name on the `:` line: "bk"; NULL none */
    const char *summary, *help; /* N_(); help may be NULL */
    const struct action_param *params; /* name NULL ends; NULL none */
    const struct column *columns;      /* of the answer's rows as text; key NULL ends; NULL: text lines only */
    unsigned flags;
    const char *roles;          /* default roles: "clerk finance admin"; "" = worker only */
    action_fn *run;
};
/* Tables of all floors, registered at start (main) so that help, completion, docs and tests walk them. noun NULL ends a table. */
void action_register(const struct action *table);
size_t action_all(const struct action *const **list); /* borrowed, in order of registration */
const struct action *action_find(const char *noun, const char *verb);
const struct action *action_by_short(const char *shorts);
/* "order.book", or "doctor" where there is no verb; into out. */
const char *action_name(const struct action *action, char out[64]);
/* Writes default rows of role_action for actions that have none yet (migrate calls it). */
enum fd_code actions_grant_defaults(struct db *db, struct fd_error *err);

/* Parsed arguments. */
struct call {
    struct desk *desk;             /* NULL for A_NO_DB */
    const struct config *config;
    const struct action *action;
    struct arena arena;            /* lives until the call ends */
    const char *values[24];        /* text given for each parameter, NULL where not */
    const char *key, *reason;      /* --key, --reason or NULL */
    const char *secret;            /* A_SECRET: what was typed at the prompt; NULL: not asked. The caller wipes it */
    bool json;
    struct call_shape shape;
    day_t today;                   /* the database's, for relative dates; DAY_NONE with A_NO_DB */
    struct tree *answer;           /* what --json prints: object or list; run sets it (owned by the call) */
    struct buf text;               /* what people read instead, where columns do not fit */
    const char *next;              /* list that goes on: what --after takes for the next page, in the arena; else NULL */
    void (*show_now)(struct call *call); /* shows what was said so far, before a wait; NULL: nothing may wait here */
};
/* Words (after noun and verb; or all words of a `:` line) into values: --name V, --name=V, positional, `--` ends flags.
 * FD_USAGE names the word; *bad_word (may be NULL) its index, for the caret. */
enum fd_code call_parse(struct call *call, int count, char *const *words, int *bad_word, struct fd_error *err);
/* Checks what the flags ask (somebody signed in, a reason, for reads the role's permission; writes check it in
 * op_run), then runs. FD_SIGN_IN, FD_REASON_NEEDED, FD_NO_PERMISSION, or what `run` returns. */
enum fd_code call_run(struct call *call, struct fd_error *err);
/* The last step of it, for a caller that has checked itself: `run`, with call.reason for every log row of the request. */
enum fd_code call_act(struct call *call, struct fd_error *err);
/* Accessors: NULL/false where not given; parse errors name the parameter. */
const char *call_text(const struct call *call, const char *name);
bool call_given(const struct call *call, const char *name);
bool call_switch(const struct call *call, const char *name);
enum fd_code call_int(const struct call *call, const char *name, int64_t fallback, int64_t *value, struct fd_error *err);
enum fd_code call_fen(const struct call *call, const char *name, int64_t fallback, int64_t *fen, struct fd_error *err);
enum fd_code call_day(const struct call *call, const char *name, day_t fallback, day_t *day, struct fd_error *err);
enum fd_code call_span(const struct call *call, const char *name, int *from, int *to, struct fd_error *err); /* -1, -1 where not given; P_TIME: *to stays -1 */
enum fd_code call_ids(struct call *call, const char *name, int64_t **ids, size_t *count, struct fd_error *err); /* in the arena */
/* A line for people. */
void call_say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sentence about call.next; NULL where the list does not go on. In the arena. */
const char *call_next_text(struct call *call);
/* Whether the action has the rows that call.shape wants, and their columns: before it runs. FD_USAGE lists the columns there are. */
enum fd_code call_check_shape(const struct call *call, struct fd_error *err);
/* The names for --columns, with commas between; xmalloc'ed. */
char *call_column_names(const struct column *columns);
/* The answer as people read it (rows: the answer, or the first list in it): text lines, then the rows as a table by columns,
 * then where it goes on; as CSV the rows alone); xmalloc'ed, clean. */
char *call_print(struct call *call);
void call_release(struct call *call);
extern const struct action core_actions[]; /* operator, param, customer, rules, log, migrate-independent ones */
#endif
