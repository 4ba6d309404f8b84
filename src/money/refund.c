/* The money rows of an order for screens. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "money/pay_internal.h"

DB_QUERY(q_payments, "refund.payments", DB_ROWS,
         "SELECT p.payment_no, p.channel, p.status, p.operator, p.reference, p.amount, a.amount, p.refunded_amount, "
         "p.tendered, "
         "COALESCE(p.callback_time, p.created_at), p.confirmed_at IS NULL, p.id "
         "FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id WHERE a.order_no = :order_no "
         "UNION ALL "
         "SELECT p.payment_no, p.channel, p.status, p.operator, p.reference, p.amount, p.amount, p.refunded_amount, "
         "p.tendered, "
         "COALESCE(p.callback_time, p.created_at), p.confirmed_at IS NULL, p.id "
         "FROM payment_record p WHERE p.order_no = :order_no "
         "AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id) ORDER BY 12");
DB_QUERY(q_refunds, "refund.refunds", DB_ROWS,
         "SELECT refund_no, channel, status, operator, reason, amount, created_at FROM refund_record "
         "WHERE order_no = :order_no ORDER BY id");

static void read_payment(struct arena *arena, const struct db_rows *rows, struct payment_row *row)
{
    row->payment_no = text_clean_arena(arena, db_get_text(rows, 0));
    row->channel = text_clean_arena(arena, db_get_text(rows, 1));
    row->status = text_clean_arena(arena, db_get_text(rows, 2));
    row->operator= text_clean_arena(arena, db_get_text(rows, 3));
    row->reference = text_clean_arena(arena, db_get_text(rows, 4));
    row->amount_fen = db_get_fen(rows, 5);
    row->allocated_fen = db_get_fen(rows, 6);
    row->refunded_fen = db_get_fen(rows, 7);
    row->tendered_fen = db_get_fen(rows, 8);
    row->at = db_get_wall(rows, 9);
    /* Only a desk tender waits for finance: an online row is confirmed by its channel. */
    bool desk = row->operator[0] != '\0';
    row->unconfirmed = desk && db_get_int(rows, 10) != 0;
}

static void read_refund(struct arena *arena, const struct db_rows *rows, struct payment_row *row)
{
    row->refund = true;
    row->payment_no = text_clean_arena(arena, db_get_text(rows, 0));
    row->channel = text_clean_arena(arena, db_get_text(rows, 1));
    row->status = text_clean_arena(arena, db_get_text(rows, 2));
    row->operator= text_clean_arena(arena, db_get_text(rows, 3));
    row->reference = text_clean_arena(arena, db_get_text(rows, 4));
    row->amount_fen = row->allocated_fen = db_get_fen(rows, 5);
    row->at = db_get_wall(rows, 6);
}

enum fd_code pay_rows(struct db *db, const char *order_no, struct arena *arena, struct payment_row **list,
                      size_t *count, struct fd_error *err)
{
    const struct db_arg args[] = {db_text("order_no", order_no)};
    struct db_rows *payments, *refunds;
    enum fd_code code = db_select(db, &q_payments, args, 1, &payments, err);
    if (code != FD_OK)
        return code;
    code = db_select(db, &q_refunds, args, 1, &refunds, err);
    if (code == FD_OK) {
        *list = arena_array(arena, db_row_count(payments) + db_row_count(refunds) + 1, sizeof **list);
        *count = 0;
        while (db_next(payments))
            read_payment(arena, payments, &(*list)[(*count)++]);
        while (db_next(refunds))
            read_refund(arena, refunds, &(*list)[(*count)++]);
        db_rows_close(&refunds);
    }
    db_rows_close(&payments);
    return code;
}

void pay_sum_add(struct pay_sum *sum, const struct payment_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].refund && strcmp(rows[i].status, "SUCCESS") == 0)
            sum->taken_fen += rows[i].allocated_fen;
        else if (rows[i].refund && strcmp(rows[i].status, "FAILED") != 0)
            sum->back_fen += rows[i].amount_fen;
    }
}
