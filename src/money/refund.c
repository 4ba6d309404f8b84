/* Cash back over the counter, for an order that was paid in cash alone; and the money rows of an order for screens. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "money/pay_internal.h"

/* What came in for an order, with what has gone back of each. A row of the online system without allocations pays its
 * order whole. */
DB_QUERY(
    q_came, "refund.came", DB_ROWS,
    "SELECT p.id, p.channel, p.payment_no, a.amount, "
    "(SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = p.id AND r.order_no = a.order_no "
    "AND r.status <> 'FAILED') "
    "FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
    "WHERE a.order_no = :order_no AND p.status = 'SUCCESS' "
    "UNION ALL "
    "SELECT p.id, p.channel, p.payment_no, p.amount, 0 FROM payment_record p "
    "WHERE p.order_no = :order_no AND p.status = 'SUCCESS' "
    "AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id) "
    "ORDER BY 1");
/* The one cap on refunds: whatever runs at once, never more than was paid. */
DB_QUERY(q_raise, "refund.raise", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount + :amount "
         "WHERE id = :id AND status = 'SUCCESS' AND refunded_amount + :amount <= amount");
DB_QUERY(
    q_refund, "refund.insert", DB_NONE,
    "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, quantity, kind, channel, reason, status, "
    "tries, "
    "operator, terminal, request_key, created_at, finished_at) "
    "VALUES (:refund_no, :payment, :order_no, :amount, :quantity, 'WHOLE', 'CASH', :reason, 'SUCCESS', 1, :operator, "
    ":terminal, :key, NOW(), NOW())");
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

struct came {
    int64_t id, back_fen; /* back: still to give back of it */
    char payment_no[65];
};

static enum fd_code only_cash(const struct order *order, const struct db_rows *rows, struct fd_error *err)
{
    const char *channel = db_get_text(rows, 1);
    if (strcmp(channel, tenders[TENDER_CASH].channel) == 0)
        return FD_OK;
    fd_fail(err, FD_MONEY_BACK, _("Order %s was not paid in cash (%s); that money cannot go back yet."),
            order->order_no, channel);
    return FD_MONEY_BACK;
}

static enum fd_code read_came(struct op *op, const struct order *order, struct came **list, size_t *count,
                              struct fd_error *err)
{
    struct db_rows *rows;
    int64_t sum = 0;
    enum fd_code code = db_select(op_db(op), &q_came, DB_ARGS(db_text("order_no", order->order_no)), &rows, err);
    if (code != FD_OK)
        return code;
    *list = arena_array(op_arena(op), db_row_count(rows) + 1, sizeof **list);
    *count = 0;
    while (code == FD_OK && db_next(rows)) {
        struct came *came = &(*list)[*count];
        came->id = db_get_int(rows, 0);
        came->back_fen = db_get_fen(rows, 3) - db_get_fen(rows, 4);
        cut_copy(came->payment_no, sizeof came->payment_no, db_get_text(rows, 2));
        if (came->back_fen <= 0)
            continue;
        code = only_cash(order, rows, err);
        sum += came->back_fen;
        (*count)++;
    }
    db_rows_close(&rows);
    /* An order that counts as paid without rows that say how (online, or set by hand) is not for the drawer to pay. */
    if (code == FD_OK && sum < order->total_fen)
        code = fd_fail(err, FD_MONEY_BACK, _("How order %s was paid is not known here; its money cannot go back yet."),
                       order->order_no);
    return code;
}

static enum fd_code give_back(struct op *op, const struct order *order, const struct came *came, day_t today,
                              struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    char refund_no[NUMBER_BYTES], amount[FEN_TEXT];
    int64_t changed = 0;
    enum fd_code code =
        db_exec(op_db(op), &q_raise, DB_ARGS(db_fen("amount", came->back_fen), db_int("id", came->id)), &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code != FD_OK)
        return code;
    FD_POINT("refund_raised");
    number_new(refund_no, today, "RF");
    const struct db_arg args[] = {
        db_text("refund_no", refund_no),     db_int("payment", came->id),         db_text("order_no", order->order_no),
        db_fen("amount", came->back_fen),    db_int("quantity", order->quantity), db_text("reason", op_reason(op)),
        db_text("operator", desk->operator), db_text("terminal", desk->terminal), db_text("key", op_key(op)),
    };
    code = db_exec(op_db(op), &q_refund, args, sizeof args / sizeof *args, NULL, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){
                       .entity = "refund",
                       .entity_no = refund_no,
                       .event = "give_back",
                       .state_after = "SUCCESS",
                       .after = arena_printf(
                           op_arena(op),
                           "{\"channel\":\"CASH\",\"amount\":\"%s\",\"order_no\":\"%s\",\"payment_no\":\"%s\"}",
                           fen_decimal(came->back_fen, amount), order->order_no, came->payment_no)});
    return code;
}

enum fd_code pay_refund_cash_in(struct op *op, const struct order *order, int64_t *fen, struct fd_error *err)
{
    struct came *list;
    size_t count;
    wall_t now;
    *fen = 0;
    enum fd_code code = op_now(op, &now, err);
    if (code == FD_OK)
        code = read_came(op, order, &list, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        code = give_back(op, order, &list[i], wall_day(now), err);
        *fen += list[i].back_fen;
    }
    return code;
}

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
