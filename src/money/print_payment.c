/* Slips of payments: the receipt of one that was paid, the code of one that waits. */
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/rule.h"
#include "money/print_internal.h"

/* One look-up for each index: the server does not join them for an OR. */
DB_QUERY(q_find, "print.find_payment", DB_ROWS,
         "SELECT id, status FROM payment_record WHERE id = :id "
         "UNION SELECT id, status FROM payment_record WHERE payment_no = :number "
         "UNION SELECT id, status FROM payment_record WHERE receipt_no = :number "
         "UNION SELECT id, status FROM payment_record WHERE order_no = :number "
         "UNION SELECT p.id, p.status FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id "
         "WHERE a.order_no = :number");
DB_QUERY(q_payment, "print.payment", DB_ROW,
         "SELECT order_no, COALESCE(receipt_no, payment_no, order_no), channel, amount, status, "
         "COALESCE(callback_time, created_at), operator, terminal, tendered, reference, refunded_amount, code, "
         "code_until, code_until <= NOW(), payment_no FROM payment_record WHERE id = :id");
DB_QUERY(q_parts, "print.parts", DB_ROWS,
         "SELECT order_no, amount FROM pay_allocation WHERE payment_id = :id ORDER BY id");

struct payment_read {
    const char *order_no, *receipt_no, *channel, *status, *operator, * terminal, *reference, *code, *payment_no;
    int64_t amount_fen, tendered_fen, refunded_fen;
    wall_t at, until;
    bool over;
};

/* Among those that a number names: one that is in the wanted state, else any; of these the last. */
static enum fd_code find_by(struct db *db, const char *number, int64_t id, const char *wanted, int64_t *found,
                            struct fd_error *err)
{
    struct db_rows *rows;
    bool found_wanted = false;
    *found = 0;
    enum fd_code code = db_select(db, &q_find, DB_ARGS(db_int("id", id), db_text("number", number)), &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows)) {
        bool is_wanted = strcmp(db_get_text(rows, 1), wanted) == 0;
        if (is_wanted < found_wanted || (is_wanted == found_wanted && db_get_int(rows, 0) < *found))
            continue;
        *found = db_get_int(rows, 0);
        found_wanted = is_wanted;
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code find(struct db *db, struct print_want *want, const char *wanted, int64_t *found,
                         struct fd_error *err)
{
    char number[65];
    int64_t id;
    struct order *order = NULL;
    if (!print_number_fold(want->number, number, &id))
        return fd_fail(err, FD_NOT_FOUND, _("There is no payment with this number."));
    enum fd_code code = find_by(db, number, id, wanted, found, err);
    if (code != FD_OK || *found != 0)
        return code;
    /* The tail of an order's number, as people say it. */
    code = id == 0 ? print_order(db, want->number, want->arena, &order, err) : FD_OK;
    if (code == FD_OK && order) {
        cut_copy(number, sizeof number, order->order_no);
        code = find_by(db, number, 0, wanted, found, err);
    }
    if (code == FD_OK && *found == 0)
        code = fd_fail(err, FD_NOT_FOUND, _("There is no payment with the number %s."), want->number);
    return code;
}

static const char *text_at(const struct db_rows *rows, unsigned column, struct arena *arena)
{
    return text_clean_arena(arena, db_get_text(rows, column));
}

static enum fd_code read_payment(struct db *db, int64_t id, struct arena *arena, struct payment_read *payment,
                                 struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_payment, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (!db_next(rows)) {
        db_rows_close(&rows);
        return fd_fail(err, FD_NOT_FOUND, NULL);
    }
    *payment = (struct payment_read){
        .order_no = text_at(rows, 0, arena),
        .receipt_no = text_at(rows, 1, arena),
        .channel = text_at(rows, 2, arena),
        .amount_fen = db_get_fen(rows, 3),
        .status = text_at(rows, 4, arena),
        .at = db_get_wall(rows, 5),
        .operator= text_at(rows, 6, arena),
        .terminal = text_at(rows, 7, arena),
        .tendered_fen = db_get_fen(rows, 8),
        .reference = text_at(rows, 9, arena),
        .refunded_fen = db_get_fen(rows, 10),
        .code = arena_str(arena, db_get_text(rows, 11)),
        .until = db_get_wall(rows, 12),
        .over = db_get_int(rows, 13) != 0,
        .payment_no = text_at(rows, 14, arena),
    };
    db_rows_close(&rows);
    return FD_OK;
}

/* A payment of an order that this database does not know is money all the same. */
static enum fd_code add_part(struct db *db, struct print_want *want, const char *order_no, int64_t fen,
                             struct fd_error *err)
{
    struct order *order;
    enum fd_code code = print_order(db, order_no, want->arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order)
        slip_order(want->made->document, order, fen, want->arena);
    else
        slip_money(want->made->document, order_no, fen);
    return FD_OK;
}

static enum fd_code add_parts(struct db *db, struct print_want *want, const struct payment_read *payment, int64_t id,
                              struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_parts, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_row_count(rows) == 0)
        code = add_part(db, want, payment->order_no, payment->amount_fen, err);
    while (code == FD_OK && db_next(rows))
        code = add_part(db, want, db_get_text(rows, 0), db_get_fen(rows, 1), err);
    db_rows_close(&rows);
    return code;
}

static void add_taken(struct document *document, const struct payment_read *payment)
{
    document_rule(document);
    slip_total(document, _("Total"), payment->amount_fen);
    slip_word(document, _("Paid by"), slip_channel(payment->channel));
    if (payment->tendered_fen > payment->amount_fen) {
        slip_money(document, _("Tendered"), payment->tendered_fen);
        slip_money(document, C_("money", "Change"), payment->tendered_fen - payment->amount_fen);
    }
    slip_word(document, _("Reference"), payment->reference);
    if (strcmp(payment->payment_no, payment->receipt_no) != 0)
        slip_word(document, _("Trade number"), payment->payment_no);
    /* Nobody is to show an old receipt for money that went back. */
    if (payment->refunded_fen > 0)
        slip_money(document, _("Refunded meanwhile"), payment->refunded_fen);
}

static enum fd_code load(struct db *db, struct print_want *want, const char *status, struct payment_read *payment,
                         int64_t *id, struct fd_error *err)
{
    enum fd_code code = find(db, want, status, id, err);
    if (code == FD_OK)
        code = read_payment(db, *id, want->arena, payment, err);
    if (code == FD_OK)
        cut_copy(want->made->subject, sizeof want->made->subject, payment->receipt_no);
    return code;
}

enum fd_code print_make_receipt(struct db *db, struct print_want *want, struct fd_error *err)
{
    struct payment_read payment;
    int64_t id;
    enum fd_code code = load(db, want, "SUCCESS", &payment, &id, err);
    if (code != FD_OK)
        return code;
    if (strcmp(payment.status, "SUCCESS") != 0)
        return fd_fail(err, FD_UNPAID, _("Payment %s was not paid."), payment.receipt_no);
    struct document *document = want->made->document = document_new();
    document_title(document, print_kind_label(PRINT_RECEIPT));
    document_pair(document, _("Number"), payment.receipt_no);
    slip_wall(document, _("Time"), payment.at);
    document_rule(document);
    code = add_parts(db, want, &payment, id, err);
    add_taken(document, &payment);
    slip_foot(document, payment.operator, payment.terminal);
    document_centre(document, _("Thank you."));
    return code;
}

enum fd_code print_make_code(struct db *db, struct print_want *want, struct fd_error *err)
{
    struct payment_read payment;
    int64_t id;
    char until[WALL_TEXT];
    enum fd_code code = load(db, want, "CREATED", &payment, &id, err);
    if (code != FD_OK)
        return code;
    if (strcmp(payment.status, "CREATED") != 0 || !payment.code[0] || payment.over)
        return fd_fail(err, FD_REFUSED, _("Payment %s has no code that could still be paid."), payment.receipt_no);
    struct document *document = want->made->document = document_new();
    want->made->payload = payment.code;
    document_title(document, slip_channel(payment.channel));
    slip_total(document, _("To pay"), payment.amount_fen);
    document_rule(document);
    code = add_parts(db, want, &payment, id, err);
    document_qr(document, payment.code);
    if (payment.until != WALL_NONE)
        document_centre(document, arena_printf(want->arena, _("Valid until %s"), wall_sql(payment.until, until)));
    document_pair(document, _("Number"), payment.receipt_no);
    slip_foot(document, payment.operator, payment.terminal);
    return code;
}
