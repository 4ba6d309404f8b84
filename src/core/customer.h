/* Customers: t_user of all businesses. Source: domain sections 0 (t_user) and 2 (phone first). */
#ifndef FD_CORE_CUSTOMER_H
#define FD_CORE_CUSTOMER_H
#include "core/op.h"

struct customer {
    int64_t id;
    const char *name, *phone, *note, *alert, *initials; /* in the arena, never NULL */
    bool temporary;   /* openid NULL */
    bool walk_in;     /* 散客 */
    bool blocked;     /* status 0 */
    int64_t visits, no_shows, unpaid_holds, orders;     /* history; 0 where not asked for */
    wall_t create_time;
};
/* By normalised phone; *customer NULL where unknown. With history counts. */
enum fd_code customer_by_phone(struct desk *desk, const char *phone, struct arena *arena, struct customer **customer, struct fd_error *err);
enum fd_code customer_by_id(struct desk *desk, int64_t id, struct arena *arena, struct customer **customer, struct fd_error *err);
/* The reserved customer 散客. */
enum fd_code customer_walk_in(struct db *db, int64_t *id, struct fd_error *err);
/* Search: digits of 4: phone tail; more digits: phone from the start; else name prefix or pinyin initials. Key-paged:
 * after_id 0 the first page. Newest first; at most `most` rows. */
enum fd_code customer_search(struct desk *desk, const char *text, int64_t after_id, size_t most, struct arena *arena, struct customer **rows, size_t *count, struct fd_error *err);
/* All customers, newest first; paged as the search. */
enum fd_code customer_newest(struct desk *desk, int64_t after_id, size_t most, struct arena *arena, struct customer **rows, size_t *count, struct fd_error *err);
/* Inside an op: the id for a phone, making a temporary profile where unknown (two desks at once make one: duplicate phone
 * runs again). An empty name leaves an existing one alone; a name for a nameless profile is filled in. */
enum fd_code customer_ensure(struct op *op, const char *phone, const char *name, int64_t *id, struct fd_error *err);
struct customer_edit {
    const char *phone, *name, *note, *alert; /* NULL: leave */
};
enum fd_code customer_add(struct desk *desk, const char *key, const struct customer_edit *edit, int64_t *id, struct fd_error *err);
enum fd_code customer_change(struct desk *desk, const char *key, int64_t id, const struct customer_edit *edit, const char *reason, struct fd_error *err);
/* Logs that the whole phone of a customer was shown. */
enum fd_code customer_log_shown(struct desk *desk, int64_t id, struct fd_error *err);
#endif
