/* Reading the operation log: pages, newest first. Source: domain section 6. */
#ifndef FD_CORE_LOGBOOK_H
#define FD_CORE_LOGBOOK_H
#include "core/desk.h"

/* Every filter is optional; filters add up. */
struct log_filter {
    const char *order;    /* order number, whole or tail; NULL */
    const char *operator; /* account name; NULL */
    const char *action; /* "order.book"; NULL. Without days only the last 31 are read: no index finds an action alone */
    day_t from, to;     /* inclusive; DAY_NONE open */
    int64_t after_id;   /* rows older than this one; 0 the first page */
    size_t most;        /* 0: 50; at most 500 */
};
struct log_row {
    int64_t id, schedule_id, stock_change, amount_change_fen;
    bool has_stock, has_amount;
    wall_t at;
    const char *operator, * role, *terminal, *action, *entity, *entity_no, *event, *state_before, *state_after, *reason;
    const char *before, *after, *key, *run_id; /* all in the arena, clean, never NULL */
};
/* FD_NOT_FOUND, FD_AMBIGUOUS for the order's number. */
enum fd_code log_list(struct desk *desk, const struct log_filter *filter, struct arena *arena, struct log_row **rows,
                      size_t *count, struct fd_error *err);
/* The id of the row to which the request `key` has done `action` already; 0 where it has done nothing, or key is NULL.
 * For an action that finds its row by a word which it changes: asked again it finds nothing by that word. */
enum fd_code log_done_to(struct desk *desk, const char *key, const char *action, int64_t *id, struct fd_error *err);
#endif
