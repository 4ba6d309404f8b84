/* Reading cases: pages for screens and scripts. */
#include <string.h>

#include "base/text.h"
#include "money/case_internal.h"
#include "money/pay.h"

#define CASE_COLUMNS                                                                                                   \
    "c.id, c.kind, c.subject, c.order_no, c.payment_id, c.refund_id, c.amount, c.cause, c.status, c.owner, "           \
    "c.created_at, c.closed_at, c.closed_by, c.outcome, c.reason, "                                                    \
    "TIMESTAMPDIFF(SECOND, c.created_at, COALESCE(c.closed_at, NOW()))"
DB_QUERY(q_open, "case.list_open", DB_ROWS,
         "SELECT " CASE_COLUMNS " FROM money_case c WHERE c.status IN ('OPEN', 'TAKEN') AND c.id > :after "
         "ORDER BY c.id LIMIT :most");
DB_QUERY(q_all, "case.list_all", DB_ROWS,
         "SELECT " CASE_COLUMNS " FROM money_case c WHERE :after = 0 OR c.id < :after ORDER BY c.id DESC LIMIT :most");
DB_QUERY(q_one, "case.one", DB_ROWS, "SELECT " CASE_COLUMNS " FROM money_case c WHERE c.id = :id");

struct list {
    struct db_query *query;
    const struct db_arg *args;
    size_t arg_count;
    struct arena *arena;
    struct case_row *rows;
    size_t count;
};

/* A cause that the program itself gives is known to the translations; a tender to be confirmed is named as on the
 * payment screen: "STATIC 062317". */
static const char *shown_cause(struct arena *arena, const char *cause)
{
    for (int i = 0; i < TENDER_COUNT; i++) {
        size_t bytes = strlen(tenders[i].channel);
        if (strncmp(cause, tenders[i].channel, bytes) == 0 && cause[bytes] == ' ')
            return text_clean_arena(arena, arena_printf(arena, "%s%s", i18n_label(tenders[i].label), cause + bytes));
    }
    return text_clean_arena(arena, cause[0] ? gettext(cause) : "");
}

static void read_row(const struct db_rows *rows, struct arena *arena, struct case_row *row)
{
    row->id = db_get_int(rows, 0);
    row->kind = case_kind_from_name(db_get_text(rows, 1));
    row->subject = text_clean_arena(arena, db_get_text(rows, 2));
    row->order_no = text_clean_arena(arena, db_get_text(rows, 3));
    row->payment_id = db_get_int(rows, 4);
    row->refund_id = db_get_int(rows, 5);
    row->amount_fen = db_get_fen(rows, 6);
    row->cause = shown_cause(arena, db_get_text(rows, 7));
    row->status = text_clean_arena(arena, db_get_text(rows, 8));
    row->owner = text_clean_arena(arena, db_get_text(rows, 9));
    row->created_at = db_get_wall(rows, 10);
    row->closed_at = db_get_wall(rows, 11);
    row->closed_by = text_clean_arena(arena, db_get_text(rows, 12));
    row->outcome = text_clean_arena(arena, db_get_text(rows, 13));
    row->reason = text_clean_arena(arena, db_get_text(rows, 14));
    row->age_s = db_get_int(rows, 15);
    row->customer = row->phone = "";
    row->steps = gettext(case_kinds[row->kind].steps);
}

/* Whose money it is: lists show the phone masked. */
static enum fd_code add_customer(struct db *db, struct arena *arena, struct case_row *row, struct fd_error *err)
{
    struct order *order;
    char masked[PHONE_BYTES];
    enum fd_code code = case_order(db, row->order_no, arena, &order, err);
    if (code != FD_OK || !order)
        return code;
    row->customer = order->customer;
    row->phone = arena_str(arena, phone_mask(order->phone, masked));
    return FD_OK;
}

static enum fd_code list_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct list *list = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, list->query, list->args, list->arg_count, &rows, err);
    if (code != FD_OK)
        return code;
    list->rows = arena_array(list->arena, db_row_count(rows) + 1, sizeof *list->rows);
    list->count = 0;
    while (db_next(rows)) {
        /* A newer frontdesk may know kinds that this one does not. */
        if (case_kind_from_name(db_get_text(rows, 1)) != CASE_KIND_COUNT)
            read_row(rows, list->arena, &list->rows[list->count++]);
    }
    db_rows_close(&rows);
    for (size_t i = 0; i < list->count && code == FD_OK; i++)
        code = add_customer(db, list->arena, &list->rows[i], err);
    return code;
}

enum fd_code case_list(struct desk *desk, bool all, int64_t after_id, size_t most, struct arena *arena,
                       struct case_row **rows, size_t *count, struct fd_error *err)
{
    const struct db_arg args[] = {db_int("after", after_id), db_int("most", (int64_t)most)};
    struct list list = {.query = all ? &q_all : &q_open, .args = args, .arg_count = 2, .arena = arena};
    enum fd_code code = desk_read(desk, "case.list", list_txn, &list, err);
    *rows = list.rows;
    *count = list.count;
    return code;
}

enum fd_code case_show(struct desk *desk, int64_t id, struct arena *arena, struct case_row **row, struct fd_error *err)
{
    const struct db_arg args[] = {db_int("id", id)};
    struct list list = {.query = &q_one, .args = args, .arg_count = 1, .arena = arena};
    enum fd_code code = desk_read(desk, "case.show", list_txn, &list, err);
    if (code == FD_OK && list.count == 0)
        code = fd_fail(err, FD_NOT_FOUND, _("There is no case %lld."), (long long)id);
    *row = list.rows;
    return code;
}
