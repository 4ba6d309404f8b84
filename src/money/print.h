/* What goes on paper: documents from rows, and the queue that never loses one. A job is written in the transaction of
 * its action (or by its own) and sent afterwards by the terminal that has the printer; absent or out of paper: it waits
 * and is tried again. A second print of the same is marked as a copy. Source: facts C; domain section 5. */
#ifndef FD_MONEY_PRINT_H
#define FD_MONEY_PRINT_H
#include "core/action.h"
#include "core/op.h"
#include "outside/document.h"

enum print_kind { PRINT_RECEIPT, PRINT_CODE, PRINT_TICKET, PRINT_REFUND, PRINT_SHIFT, PRINT_TEST, PRINT_KIND_COUNT };
const char *print_kind_name(enum print_kind kind); /* "receipt" */
/* The document of a kind for a number: receipt and code by payment (receipt number, our PY number or id "#7"), ticket by
 * order, refund by refund number, shift by id. New. FD_NOT_FOUND. */
enum fd_code print_document(struct desk *desk, enum print_kind kind, const char *number, int64_t copy, struct document **document, struct fd_error *err);
/* Queues one for this terminal; the second of the same number and kind is a copy. Its id to *id (may be NULL). With
 * no printer configured: FD_OK and 0, nothing is queued (`unless_asked`), else FD_CONFIG. */
enum fd_code print_queue(struct desk *desk, enum print_kind kind, const char *number, bool unless_asked, int64_t *id, struct fd_error *err);
/* Sends what waits for this terminal, at most `most`, oldest first; stops at the first that fails. *left: still waiting. */
enum fd_code print_flush(struct desk *desk, size_t most, int64_t *done, int64_t *left, struct fd_error *err);
struct print_row { int64_t id, copy, tries; const char *terminal, *kind, *subject, *status, *trouble, *operator; wall_t created_at; };
enum fd_code print_list(struct desk *desk, bool all, struct arena *arena, struct print_row **rows, size_t *count, struct fd_error *err);
enum fd_code print_drop(struct desk *desk, const char *key, int64_t id, const char *reason, struct fd_error *err);
extern const struct action print_actions[]; /* printer test|list|drop, print receipt|code|ticket|refund|shift (--text, --file) */
#endif
