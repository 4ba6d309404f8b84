/* Finding customers: by phone, by its tail, by name or pinyin initials; with their history in every business. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/customer.h"
#include "core/order.h"

#define CUSTOMER_COLUMNS "id, nickname, phone, note, alert, name_initials, openid IS NULL, walk_in, status, create_time"
DB_QUERY(q_by_phone, "customer.by_phone", DB_ROW, "SELECT " CUSTOMER_COLUMNS " FROM t_user WHERE phone = :phone");
DB_QUERY(q_by_id, "customer.by_id", DB_ROW, "SELECT " CUSTOMER_COLUMNS " FROM t_user WHERE id = :id");
/* By its name, which has an index: on an old database the row stands behind all customers. */
DB_QUERY(q_walk_in, "customer.walk_in", DB_ROW,
         "SELECT id FROM t_user WHERE nickname = '散客' AND walk_in = 1 ORDER BY id LIMIT 1");
DB_QUERY(q_tail, "customer.tail", DB_ROWS,
         "SELECT " CUSTOMER_COLUMNS " FROM t_user WHERE phone_tail = :text AND (:after = 0 OR id < :after) "
         "ORDER BY id DESC LIMIT :most");
DB_QUERY(q_prefix, "customer.prefix", DB_ROWS,
         "SELECT " CUSTOMER_COLUMNS " FROM t_user WHERE phone LIKE :text ESCAPE '|' "
         "AND (:after = 0 OR id < :after) ORDER BY id DESC LIMIT :most");
/* Two index ranges instead of one OR over both columns. */
DB_QUERY(q_name, "customer.name_search", DB_ROWS,
         "SELECT " CUSTOMER_COLUMNS " FROM (SELECT id AS found FROM t_user WHERE nickname LIKE :text ESCAPE '|' "
         "UNION SELECT id FROM t_user WHERE name_initials LIKE :text ESCAPE '|') hits "
         "JOIN t_user ON t_user.id = hits.found WHERE (:after = 0 OR id < :after) ORDER BY id DESC LIMIT :most");
DB_QUERY(q_newest, "customer.newest", DB_ROWS,
         "SELECT " CUSTOMER_COLUMNS " FROM t_user WHERE :after = 0 OR id < :after ORDER BY id DESC LIMIT :most");

#define TAIL_DIGITS  4
#define MOST_DEFAULT 50
#define MOST_EVER    500

static void read_row(struct arena *arena, const struct db_rows *rows, struct customer *customer)
{
    customer->id = db_get_int(rows, 0);
    customer->name = text_clean_arena(arena, db_get_text(rows, 1));
    customer->phone = text_clean_arena(arena, db_get_text(rows, 2));
    customer->note = text_clean_arena(arena, db_get_text(rows, 3));
    customer->alert = text_clean_arena(arena, db_get_text(rows, 4));
    customer->initials = text_clean_arena(arena, db_get_text(rows, 5));
    customer->temporary = db_get_int(rows, 6) != 0;
    customer->walk_in = db_get_int(rows, 7) != 0;
    customer->blocked = db_get_int(rows, 8) == 0;
    customer->create_time = db_get_wall(rows, 9);
}

static enum fd_code add_history(struct db *db, struct customer *customer, struct fd_error *err)
{
    const struct order_kind *const *kinds;
    size_t count = order_kinds(&kinds);
    for (size_t i = 0; i < count; i++) {
        struct db_rows *rows;
        if (!kinds[i]->history)
            continue;
        enum fd_code code = db_select(db, kinds[i]->history, DB_ARGS(db_int("user", customer->id)), &rows, err);
        if (code != FD_OK)
            return code;
        if (db_next(rows)) {
            customer->visits += db_get_int(rows, 0);
            customer->no_shows += db_get_int(rows, 1);
            customer->unpaid_holds += db_get_int(rows, 2);
            customer->orders += db_get_int(rows, 3);
        }
        db_rows_close(&rows);
    }
    return FD_OK;
}

struct lookup {
    struct db_query *query;
    struct db_arg which;
    struct arena *arena;
    struct customer *customer;
};

static enum fd_code look_up(struct db *db, void *arg, struct fd_error *err)
{
    struct lookup *lookup = arg;
    struct db_rows *rows;
    lookup->customer = NULL;
    enum fd_code code = db_select(db, lookup->query, &lookup->which, 1, &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows)) {
        lookup->customer = arena_alloc(lookup->arena, sizeof *lookup->customer);
        read_row(lookup->arena, rows, lookup->customer);
    }
    db_rows_close(&rows);
    /* The history of 散客 is everybody's: counting it says nothing and reads much. */
    return lookup->customer && !lookup->customer->walk_in ? add_history(db, lookup->customer, err) : FD_OK;
}

static enum fd_code customer_load(struct desk *desk, struct lookup *lookup, struct customer **customer,
                                  struct fd_error *err)
{
    enum fd_code code = desk_read(desk, "customer.load", look_up, lookup, err);
    if (code == FD_OK)
        *customer = lookup->customer;
    return code;
}

enum fd_code customer_by_phone(struct desk *desk, const char *phone, struct arena *arena, struct customer **customer,
                               struct fd_error *err)
{
    struct lookup lookup = {.query = &q_by_phone, .which = db_text("phone", phone), .arena = arena};
    return customer_load(desk, &lookup, customer, err);
}

enum fd_code customer_by_id(struct desk *desk, int64_t id, struct arena *arena, struct customer **customer,
                            struct fd_error *err)
{
    struct lookup lookup = {.query = &q_by_id, .which = db_int("id", id), .arena = arena};
    return customer_load(desk, &lookup, customer, err);
}

enum fd_code customer_walk_in(struct db *db, int64_t *id, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_walk_in, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        *id = db_get_int(rows, 0);
    else
        code = fd_fail(err, FD_SCHEMA, _("The walk-in customer is missing."));
    db_rows_close(&rows);
    return code;
}

struct searching {
    struct db_query *query;
    const char *text;
    int64_t after;
    size_t most;
    struct arena *arena;
    struct customer *rows;
    size_t count;
};

static enum fd_code search(struct db *db, void *arg, struct fd_error *err)
{
    struct searching *searching = arg;
    struct db_rows *rows;
    const struct db_arg args[] = {db_int("after", searching->after), db_int("most", (int64_t)searching->most),
                                  db_text("text", searching->text)};
    enum fd_code code = db_select(db, searching->query, args, searching->query == &q_newest ? 2 : 3, &rows, err);
    if (code != FD_OK)
        return code;
    searching->rows = arena_array(searching->arena, db_row_count(rows) + 1, sizeof *searching->rows);
    searching->count = 0;
    while (db_next(rows))
        read_row(searching->arena, rows, &searching->rows[searching->count++]);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code customer_search(struct desk *desk, const char *text, int64_t after_id, size_t most, struct arena *arena,
                             struct customer **rows, size_t *count, struct fd_error *err)
{
    char folded[512], escaped[1024];
    struct searching searching = {.after = after_id, .arena = arena, .most = most == 0 ? MOST_DEFAULT : most};
    *rows = NULL;
    *count = 0;
    if (searching.most > MOST_EVER)
        searching.most = MOST_EVER;
    /* What cannot stand in a name finds nobody. */
    if (!text_fold(folded, sizeof folded, text) || !folded[0] || !text_like(escaped, sizeof escaped, folded))
        return FD_OK;
    bool digits = text_is_digits(folded), tail = digits && strlen(folded) == TAIL_DIGITS;
    searching.query = tail ? &q_tail : digits ? &q_prefix : &q_name;
    searching.text = tail ? folded : arena_printf(arena, "%s%%", escaped);
    enum fd_code code = desk_read(desk, "customer.search", search, &searching, err);
    if (code == FD_OK) {
        *rows = searching.rows;
        *count = searching.count;
    }
    return code;
}

enum fd_code customer_newest(struct desk *desk, int64_t after_id, size_t most, struct arena *arena,
                             struct customer **rows, size_t *count, struct fd_error *err)
{
    struct searching searching = {.query = &q_newest, .after = after_id, .arena = arena, .most = most};
    if (most == 0 || most > MOST_EVER)
        searching.most = most == 0 ? MOST_DEFAULT : MOST_EVER;
    *rows = NULL;
    *count = 0;
    enum fd_code code = desk_read(desk, "customer.newest", search, &searching, err);
    if (code == FD_OK) {
        *rows = searching.rows;
        *count = searching.count;
    }
    return code;
}
