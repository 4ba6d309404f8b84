/* Errors: one table makes the codes; a function that can fail returns enum fd_code and fills a
 * struct fd_error on the caller's stack (last parameter, untouched on success). The clerk sees
 * `message` and `hint`; `detail` goes to the log. Our own mistakes abort (FD_BUG), the world's
 * are returned. Nobody prints below ui and cli.
 */
#ifndef FD_BASE_ERROR_H
#define FD_BASE_ERROR_H

#include <stdbool.h>
#include "base/i18n.h"

/* id, name in --json, exit status, default sentence for the clerk, default hint ("" = none) */
#define FD_CODE_TABLE(X)                                                                           \
    X(FD_OK, "ok", 0, "", "")                                                                      \
    /* refused by a rule: 1 */                                                                     \
    X(FD_REFUSED, "refused", 1, N_("This is not possible."), "")                                   \
    X(FD_NOT_FOUND, "not_found", 1, N_("Not found."), N_("Check the number, or search with F3."))  \
    X(FD_AMBIGUOUS, "ambiguous", 1, N_("More than one matches."), N_("Give more characters."))     \
    X(FD_SLOT_TAKEN, "slot_taken", 1, N_("This place was just taken."), N_("Choose another slot.")) \
    X(FD_SLOT_CLOSED, "slot_closed", 1, N_("This slot is closed."), N_("Choose another slot."))    \
    X(FD_SLOT_OVER, "slot_over", 1, N_("This slot is over."), N_("Choose a later slot."))          \
    X(FD_SLOT_UNKNOWN, "slot_unknown", 1, N_("There is no such slot."), N_("Press F5 to reload the grid.")) \
    X(FD_SLOT_OVERLAP, "slot_overlap", 1, N_("This would overlap another slot of the venue."), "") \
    X(FD_PRICE_CHANGED, "price_changed", 1, N_("The price has changed."), N_("Tell the customer the new price and book again.")) \
    X(FD_HOLD_LIMIT, "hold_limit", 1, N_("The customer already has as many unpaid holds as allowed."), N_("Take payment for one, or cancel one.")) \
    X(FD_HAS_ORDER, "has_order", 1, N_("The customer already has an order for this slot."), N_("Change the quantity of that order instead.")) \
    X(FD_WRONG_STATE, "wrong_state", 1, N_("The order is in another state."), N_("Open the order to see its story.")) \
    X(FD_TOO_EARLY, "too_early", 1, N_("It is too early."), "")                                    \
    X(FD_TOO_LATE, "too_late", 1, N_("It is too late."), "")                                       \
    X(FD_WRONG_DAY, "wrong_day", 1, N_("The order is for another day."), "")                       \
    X(FD_UNPAID, "unpaid", 1, N_("The order is not paid."), N_("Take payment first (p)."))         \
    X(FD_LIVE_CODE, "live_code", 1, N_("A payment code of this order is still valid."), N_("Wait until it is final.")) \
    X(FD_MONEY_BACK, "money_back", 1, N_("The money of this order cannot go back from here."), N_("Give it back where it was paid.")) \
    X(FD_APPROVAL, "approval_needed", 1, N_("This needs a second person's approval."), N_("Ask for it, or let the second person sign at this terminal.")) \
    X(FD_CHANNEL, "channel", 75, N_("The payment channel did not answer."), N_("Try again; frontdesk asks the channel before anything is repeated.")) \
    X(FD_KEY_REUSED, "key_reused", 1, N_("This request key was used for something else."), N_("Use a new key.")) \
    X(FD_EXISTS, "exists", 1, N_("It exists already."), "")                                        \
    X(FD_REASON_NEEDED, "reason_needed", 1, N_("A reason is needed."), N_("Write why, for the log (--reason).")) \
    X(FD_RULE_BROKEN, "rule_broken", 1, N_("Some invariants do not hold."), "")                    \
    /* usage or no terminal: 2 */                                                                  \
    X(FD_USAGE, "usage", 2, N_("The command line is wrong."), N_("See --help."))                   \
    X(FD_BAD_INPUT, "bad_input", 2, N_("A value is not valid."), "")                               \
    X(FD_NO_TERMINAL, "no_terminal", 2, N_("The console needs a terminal."), N_("Use the subcommands in scripts: frontdesk --help")) \
    /* database unavailable: 69 */                                                                 \
    X(FD_DB_DOWN, "db_down", 69, N_("The database cannot be reached."), N_("Check that it runs; frontdesk goes on when it is back.")) \
    X(FD_INTERNAL, "internal", 70, N_("Something went wrong inside frontdesk; nothing was changed."), N_("Tell the administrator; the log has the details.")) \
    X(FD_NO_MEMORY, "no_memory", 71, N_("Out of memory; nothing was changed."), N_("Close other programs and try again.")) \
    X(FD_IO, "io", 74, N_("A file could not be read or written."), "")                             \
    /* try again or outcome unknown: 75 */                                                         \
    X(FD_AGAIN, "try_again", 75, N_("The database is busy; nothing was changed."), N_("Try again.")) \
    X(FD_UNKNOWN, "outcome_unknown", 75, N_("It is not known yet whether this was done."), N_("Do the same again with the same key: it is never done twice.")) \
    X(FD_CANCELLED, "cancelled", 75, N_("Stopped; nothing was changed."), "")                      \
    X(FD_NO_PERMISSION, "no_permission", 77, N_("Your role may not do this."), N_("Ask an administrator."))   \
    X(FD_SIGN_IN, "sign_in", 77, N_("Name or password is wrong."), "")                             \
    X(FD_LOCKED, "locked", 77, N_("This operator is locked."), N_("An administrator can unlock: frontdesk operator unlock NAME")) \
    X(FD_CONFIG, "config", 78, N_("The configuration is wrong."), "")                              \
    X(FD_SCHEMA, "schema", 78, N_("The database does not have the schema of this frontdesk."), N_("Run: frontdesk migrate")) \
    /* inside one process only, never shown: run the whole transaction again */                    \
    X(FD_RETRY, "retry", 75, N_("Changed meanwhile."), N_("Try again."))

enum fd_code {
#define X(id, name, status, sentence, hint) id,
    FD_CODE_TABLE(X)
#undef X
    FD_CODE_COUNT
};

struct fd_error {
    enum fd_code code;
    char message[512]; /* a complete translated sentence for the clerk; sanitised, terminated */
    char hint[256];    /* what to do next; may be empty */
    char detail[512];  /* for the log, English; may be empty */
    int sql_errno;     /* 0 where no SQL error is behind it */
    char sqlstate[6];
    const char *file;  /* where it was raised; static */
    int line;
};

/* Fills `err` (may be NULL) and returns `code`, for `return fd_fail(err, FD_X, _("…"), …)`.
 * `format` NULL or "": the table's sentence. The hint becomes the table's; see fd_hint(). */
#define fd_fail(err, code, ...) fd_fail_at(err, code, __FILE__, __LINE__, __VA_ARGS__)
enum fd_code fd_fail_at(struct fd_error *err, enum fd_code code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Replaces the hint (translated sentence). `err` may be NULL. */
void fd_hint(struct fd_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds to the log detail. `err` may be NULL. */
void fd_detail(struct fd_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Properties of a code from the table; strings are static, sentences already translated. */
const char *fd_code_name(enum fd_code code);
int fd_code_exit(enum fd_code code);
const char *fd_code_sentence(enum fd_code code);
const char *fd_code_hint(enum fd_code code);

/* Our own mistake: runs the crash hook (restores the terminal), logs, aborts. */
#define FD_BUG(...) fd_bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void fd_bug_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define FD_ASSERT(condition) ((condition) ? (void)0 : fd_bug_at(__FILE__, __LINE__, "assertion failed: %s", #condition))

/* What to call before the process dies (async-signal-safe): ui/term restores the terminal. */
void fd_on_death(void (*hook)(void));
/* Runs the hook once; used by fd_bug, out of memory and fatal signals. */
void fd_run_death_hook(void);

#endif
