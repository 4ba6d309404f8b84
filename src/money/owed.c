/* What a number owes: an order, or all orders of its bill. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "money/pay_internal.h"

/* Bill numbers begin with their day: the end of one is looked for among two months, by the unique key alone. */
DB_QUERY(q_bill_tail, "pay.bill_tail", DB_ROWS,
         "SELECT bill_no FROM bill WHERE bill_no >= DATE_FORMAT(CURDATE() - INTERVAL 60 DAY, '%Y%m%d') "
         "AND bill_no LIKE :tail ESCAPE '|' LIMIT 6");

#define TAIL_LEAST  4
#define LISTED_MOST 5
#define DAY_CHARS   8

bool order_waits(const struct order *order)
{
    return rule_find(order->kind->entity, order->state, "pay") != NULL;
}

int64_t order_owes(const struct order *order)
{
    if (order_waits(order))
        return order->total_fen > order->paid_fen ? order->total_fen - order->paid_fen : 0;
    bool may = rule_find(order->kind->entity, order->state, "tender") != NULL;
    return may && order->due_fen > 0 ? order->due_fen : 0;
}

/* A bill may hold orders of several businesses: each is asked. */
static enum fd_code load_bill(struct db *db, const char *bill_no, struct arena *arena, struct owed *owed,
                              struct fd_error *err)
{
    const struct order_kind *const *kinds;
    size_t kind_count = order_kinds(&kinds);
    owed->all = NULL;
    owed->all_count = 0;
    for (size_t i = 0; i < kind_count; i++) {
        struct order **part;
        size_t count;
        enum fd_code code = kinds[i]->load_bill(db, bill_no, arena, &part, &count, err);
        if (code != FD_OK)
            return code;
        struct order **grown = arena_array(arena, owed->all_count + count + 1, sizeof *grown);
        for (size_t j = 0; j < owed->all_count; j++)
            grown[j] = owed->all[j];
        for (size_t j = 0; j < count; j++)
            grown[owed->all_count + j] = part[j];
        owed->all = grown;
        owed->all_count += count;
    }
    if (owed->all_count > 0)
        owed->bill_no = arena_str(arena, owed->all[0]->bill_no);
    return FD_OK;
}

static enum fd_code find_bill_tail(struct db *db, const char *number, char bill_no[NUMBER_BYTES], struct fd_error *err)
{
    char escaped[2 * NUMBER_BYTES];
    struct db_rows *rows;
    bill_no[0] = '\0';
    escaped[0] = '%';
    if (strlen(number) < TAIL_LEAST || !text_like(escaped + 1, sizeof escaped - 1, number))
        return FD_OK;
    enum fd_code code = db_select(db, &q_bill_tail, DB_ARGS(db_text("tail", escaped)), &rows, err);
    if (code != FD_OK)
        return code;
    struct buf list = {0};
    size_t count = 0;
    for (; db_next(rows); count++) {
        if (count == 0)
            cut_copy(bill_no, NUMBER_BYTES, db_get_text(rows, 0));
        buf_printf(&list, "%s%s", count ? C_("list", ", ") : "", count < LISTED_MOST ? db_get_text(rows, 0) : "…");
    }
    db_rows_close(&rows);
    if (count > 1)
        code = fd_fail(err, FD_AMBIGUOUS, _("%s is the end of several numbers: %s"), number, buf_text(&list));
    buf_release(&list);
    return code;
}

/* Whole bill numbers first where it looks like one, then orders, then the ends of bill numbers. */
static enum fd_code find_all(struct db *db, const char *number, struct arena *arena, struct owed *owed,
                             struct fd_error *err)
{
    enum fd_code code = FD_OK;
    char bill_no[NUMBER_BYTES];
    if (strlen(number) > DAY_CHARS && strncmp(number + DAY_CHARS, "BL", 2) == 0)
        code = load_bill(db, number, arena, owed, err);
    if (code != FD_OK || owed->all_count > 0)
        return code;
    struct fd_error missing = {0};
    code = order_find(db, number, arena, &owed->asked, &missing);
    if (code == FD_OK)
        return owed->asked->bill_no[0] ? load_bill(db, owed->asked->bill_no, arena, owed, err) : FD_OK;
    if (code == FD_NOT_FOUND && number[0] != '#') {
        enum fd_code bill_code = find_bill_tail(db, number, bill_no, err);
        if (bill_code != FD_OK)
            return bill_code;
        if (bill_no[0])
            return load_bill(db, bill_no, arena, owed, err);
    }
    if (err)
        *err = missing;
    return code;
}

/* The order that was named is the bill's own copy of it, so that what changes in one changes in the other. */
static void join_asked(struct arena *arena, struct owed *owed)
{
    for (size_t i = 0; owed->asked && i < owed->all_count; i++)
        if (owed->all[i]->kind == owed->asked->kind && owed->all[i]->id == owed->asked->id) {
            owed->asked = owed->all[i];
            return;
        }
    if (!owed->asked)
        return;
    owed->all = arena_array(arena, 1, sizeof *owed->all);
    owed->all[0] = owed->asked;
    owed->all_count = 1;
}

void owed_sum(struct arena *arena, struct owed *owed)
{
    owed->orders = arena_array(arena, owed->all_count + 1, sizeof *owed->orders);
    owed->count = 0;
    owed->amount_fen = 0;
    for (size_t i = 0; i < owed->all_count; i++) {
        int64_t fen = order_owes(owed->all[i]);
        if (fen == 0 && !order_waits(owed->all[i]))
            continue;
        owed->orders[owed->count++] = owed->all[i];
        owed->amount_fen += fen;
    }
}

enum fd_code pay_owed(struct db *db, const char *text, struct arena *arena, struct owed *owed, struct fd_error *err)
{
    char number[NUMBER_BYTES], shown[4 * NUMBER_BYTES];
    *owed = (struct owed){.bill_no = ""};
    if (!order_number_fold(text, number)) {
        text_clean(shown, sizeof shown, text ? text : "");
        return fd_fail(err, FD_NOT_FOUND, _("There is no order %s."), shown);
    }
    enum fd_code code = find_all(db, number, arena, owed, err);
    if (code != FD_OK)
        return code;
    join_asked(arena, owed);
    owed_sum(arena, owed);
    return FD_OK;
}
