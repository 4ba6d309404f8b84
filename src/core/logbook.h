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
#endif
