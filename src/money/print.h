/* What goes on paper: documents from rows, and the queue that never loses one. A job is written in a transaction of its
 * own after its action and sent by the terminal that has the printer; absent or out of paper: it waits and is tried
 * again. A second print of the same is marked as a copy. Source: facts C; domain section 5. */
#ifndef FD_MONEY_PRINT_H
#define FD_MONEY_PRINT_H
#include "core/action.h"
#include "core/op.h"
#include "outside/document.h"

enum print_kind { PRINT_RECEIPT, PRINT_CODE, PRINT_TICKET, PRINT_REFUND, PRINT_SHIFT, PRINT_TEST, PRINT_KIND_COUNT };
const char *print_kind_name(enum print_kind kind);  /* "receipt" */
const char *print_kind_label(enum print_kind kind); /* translated */
/* The document of a kind for a number: receipt and code by payment (receipt number, our PY number, the channel's, id
 * "#7", or an order: its last one), ticket by order, refund by refund number or order (its last one), shift by id ("":
 * the open one of this terminal), test by anything. `copy` above 0 marks it. New. FD_NOT_FOUND; FD_REFUSED, FD_UNPAID
 * where there is nothing to print of it yet. */
enum fd_code print_document(struct desk *desk, enum print_kind kind, const char *number, int64_t copy, struct document **document, struct fd_error *err);
/* Queues one for this terminal; the second of the same number and kind is a copy. Its id to *id (may be NULL).
 * `unless_asked`: nobody asked for it. Then with no printer configured nothing is queued (FD_OK and 0), and what was
 * queued before is not queued again (FD_OK and the id it had). Asked for, FD_CONFIG says that there is no printer. */
enum fd_code print_queue(struct desk *desk, enum print_kind kind, const char *number, bool unless_asked, int64_t *id, struct fd_error *err);
/* Sends what waits for this terminal, at most `most`, oldest first; stops at the first that fails: FD_IO says why, and it
 * is tried again after 5 s to 1 min, or as soon as somebody asks for another print. Calls the printer: outside any
 * transaction. *done and *left (still waiting) are always set. One process of a terminal sends at a time. */
enum fd_code print_flush(struct desk *desk, size_t most, int64_t *done, int64_t *left, struct fd_error *err);
/* Everything that waits here may be sent now, however often it failed. */
enum fd_code print_retry(struct desk *desk, struct fd_error *err);
struct print_row { int64_t id, copy, tries; const char *terminal, *kind, *subject, *status, *trouble, *operator; wall_t created_at; };
/* What waits for this terminal, oldest first; `all`: of every terminal, and what is done, newest first, at most 200. */
enum fd_code print_list(struct desk *desk, bool all, struct arena *arena, struct print_row **rows, size_t *count, struct fd_error *err);
/* Gives one up. FD_NOT_FOUND; FD_REFUSED where it is done, dropped or being sent. */
enum fd_code print_drop(struct desk *desk, const char *key, int64_t id, const char *reason, struct fd_error *err);

/* WAITING, SENDING, DONE, DROPPED in words, translated. */
const char *print_status_label(const char *status);

/* After an action that succeeded: queues what its answer calls for (receipt of a payment, slip of a refund, report of a
 * closed shift), each once. Trouble is only said: it never fails the action. Sends nothing; true: something waits now,
 * or the action was one of printing: send it (print_now, or print_flush in a job). */
bool print_after(struct call *call);
/* Sends what waits, and says in the call what became of it. For a subcommand's end; waits for the printer. */
void print_now(struct call *call);
extern const struct action print_actions[]; /* printer test|list|drop|flush, print receipt|code|ticket|refund|shift (--text, --file) */
#endif
