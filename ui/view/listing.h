/* A plain list as a view: rows read whole by one job, a table of columns, a table of what keys do.
 * Short lists only (parameters, operators, places). */
#ifndef FD_VIEW_LISTING_H
#define FD_VIEW_LISTING_H

#include "ui/view/parts.h"

struct listing_work {
    struct work base;
    void *rows; /* array in base.arena */
    size_t count;
    bool more; /* there are more than were read */
};
struct listing_act {
    enum request request;
    void (*run)(struct view *view, const void *row); /* row: under the cursor; NULL only where !needs_row */
    bool needs_row;
};
struct listing_spec {
    const char *reading; /* msgid of the job */
    const char *empty;   /* msgid, said where there are no rows */
    const struct list_column *columns;
    unsigned column_count;
    size_t row_bytes;
    work_fn *read; /* desk thread: fills a struct listing_work */
    int64_t (*key)(const void *row);
    void (*cell)(const void *row, unsigned column, char *out, size_t bytes, style_t *style);
    const struct listing_act *acts;
    size_t act_count;
};
struct listing { /* private state of such a view */
    const struct listing_spec *spec;
    struct arena arena;
    void *rows;
    size_t count;
    struct list list;
    char cell[400];
    bool loaded, more;
};
/* From the view's open(); the rest stands in its operations as it is. */
void listing_open(struct view *view, const struct listing_spec *spec);
void listing_close(struct view *view);
void listing_load(struct view *view);
void listing_show(struct view *view);
void listing_draw(struct view *view, struct cells *cells);
bool listing_input(struct view *view, const struct input *input);
bool listing_request(struct view *view, enum request request, const struct input *input);
bool listing_can(const struct view *view, enum request request);
void listing_child(struct view *view, struct view *child, int result);

#endif
