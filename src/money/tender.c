/* Tenders and the rows that one payment writes. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/case.h"
#include "money/pay_internal.h"
#include "money/shift.h"

DB_QUERY(
    q_insert, "pay.insert", DB_NONE,
    "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time, operator, terminal, "
    "shift, tendered, reference, confirmed_at, request_key, created_at) "
    "VALUES (:channel_no, :payment_no, :channel, :amount, 'SUCCESS', NOW(), :operator, :terminal, :shift, :tendered, "
    ":reference, IF(:later = 1, NULL, NOW()), :key, NOW())");
DB_QUERY(q_allocate, "pay.allocate", DB_NONE,
         "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (:payment, :order_no, :amount)");

#define REFERENCE_CHARS 64

const struct tender_row tenders[TENDER_COUNT] = {
    [TENDER_CASH] = {"cash", "CASH", NC_("tender", "Cash"), '1', false, true, false, false},
    [TENDER_WECHAT] = {"wechat", "WECHAT", NC_("tender", "WeChat"), '2', false, false, false, true},
    [TENDER_ALIPAY] = {"alipay", "ALIPAY", NC_("tender", "Alipay"), '3', false, false, false, true},
    [TENDER_CARD] = {"card", "CARD", NC_("tender", "Card"), '4', true, false, false, false},
    [TENDER_TRANSFER] = {"transfer", "TRANSFER", NC_("tender", "Transfer"), '5', true, false, true, false},
    [TENDER_STATIC] = {"static", "STATIC", NC_("tender", "Static code"), '6', true, false, true, false},
    [TENDER_VOUCHER] = {"voucher", "VOUCHER", NC_("tender", "Voucher"), '7', true, false, true, false},
};

enum fd_code tender_may_in(struct op *op, enum tender tender, struct fd_error *err)
{
    const char *action = arena_printf(op_arena(op), "pay.%s", tenders[tender].verb);
    bool may = false;
    enum fd_code code = op_may(op, action, &may, err);
    if (code == FD_OK && !may)
        code = fd_fail(err, FD_NO_PERMISSION, _("The role %s may not do this (%s)."), role_label(op_desk(op)->role),
                       action);
    return code;
}

static enum fd_code check_reference(const struct payment *payment, struct fd_error *err)
{
    char clean[4 * REFERENCE_CHARS + 1] = "";
    const struct tender_row *tender = &tenders[payment->tender];
    enum fd_code code = FD_OK;
    if (payment->reference && payment->reference[0])
        code = text_field(payment->reference, _("reference"), REFERENCE_CHARS, clean, sizeof clean, err);
    if (code == FD_OK && tender->needs_reference && !clean[0]) {
        fd_fail(err, FD_BAD_INPUT, _("%s needs a reference."), i18n_label(tender->label));
        fd_hint(err, _("Write the number of the slip, transfer or voucher (--reference)."));
        return FD_BAD_INPUT;
    }
    return code;
}

enum fd_code payment_at_desk(const struct payment *payment, struct fd_error *err)
{
    const struct tender_row *tender = &tenders[payment->tender];
    if (!tender->by_code)
        return FD_OK;
    fd_fail(err, FD_BAD_INPUT, _("%s is paid by a code that the customer scans."), i18n_label(tender->label));
    fd_hint(err, _("Open one: pay %s NUMBER"), tender->verb);
    return FD_BAD_INPUT;
}

static enum fd_code check_tendered(const struct payment *payment, int64_t amount_fen, int64_t *change_fen,
                                   struct fd_error *err)
{
    char tendered[FEN_TEXT], amount[FEN_TEXT];
    const char *field = payment->field ? payment->field : _("tendered");
    *change_fen = 0;
    if (payment->tendered_fen == 0 && !payment->counted)
        return FD_OK;
    fen_text(payment->tendered_fen, tendered);
    fen_text(amount_fen, amount);
    if (payment->tendered_fen < amount_fen)
        return fd_fail(err, FD_BAD_INPUT, _("%s: %s is less than the %s to take."), field, tendered, amount);
    if (payment->tendered_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("%s: %s is too much."), field, tendered);
    if (!tenders[payment->tender].gives_change && payment->tendered_fen != amount_fen)
        return fd_fail(err, FD_BAD_INPUT, _("%s: only cash gives change."), field);
    *change_fen = payment->tendered_fen - amount_fen;
    return FD_OK;
}

enum fd_code payment_check(const struct payment *payment, int64_t owed_fen, int64_t *amount_fen, int64_t *change_fen,
                           struct fd_error *err)
{
    char amount[FEN_TEXT], owed[FEN_TEXT];
    const char *field = payment->field ? "--amount" : _("amount");
    FD_ASSERT((unsigned)payment->tender < TENDER_COUNT);
    *amount_fen = payment->amount_fen == 0 ? owed_fen : payment->amount_fen;
    *change_fen = 0;
    if (*amount_fen < 0 || payment->tendered_fen < 0)
        return fd_fail(err, FD_BAD_INPUT, _("%s: it cannot be below 0."), field);
    if (*amount_fen > owed_fen)
        return fd_fail(err, FD_BAD_INPUT, _("%s: %s is more than the %s owed."), field, fen_text(*amount_fen, amount),
                       fen_text(owed_fen, owed));
    /* What costs nothing needs neither slip nor money. */
    if (*amount_fen == 0)
        return FD_OK;
    enum fd_code code = check_reference(payment, err);
    return code == FD_OK ? check_tendered(payment, *amount_fen, change_fen, err) : code;
}

/* Finance looks for the money; the case stands from the moment that the money counts. */
static enum fd_code open_confirm(struct op *op, const struct pay_record *record, const char *reference,
                                 int64_t payment_id, struct fd_error *err)
{
    const struct case_new fresh = {
        .kind = CASE_CONFIRM,
        .subject = record->payment_no,
        .order_no = record->order_no,
        .payment_id = payment_id,
        .amount_fen = record->amount_fen,
        .cause = arena_printf(op_arena(op), "%s %s", tenders[record->payment->tender].channel, reference),
    };
    return case_open_in(op, &fresh, err);
}

enum fd_code pay_record_insert(struct op *op, const struct pay_record *record, int64_t *id, struct fd_error *err)
{
    const struct tender_row *tender = &tenders[record->payment->tender];
    const struct desk *desk = op_desk(op);
    char reference[4 * REFERENCE_CHARS + 1] = "";
    int64_t shift = 0;
    enum fd_code code = FD_OK;
    if (record->payment->reference && record->payment->reference[0])
        code =
            text_field(record->payment->reference, _("reference"), REFERENCE_CHARS, reference, sizeof reference, err);
    if (code == FD_OK)
        code = shift_of_in(op, &shift, err);
    if (code != FD_OK)
        return code;
    const struct db_arg args[] = {
        db_text("channel_no", record->channel_no),
        db_text("payment_no", record->payment_no),
        db_text("channel", tender->channel),
        db_fen("amount", record->amount_fen),
        db_text("operator", desk->operator),
        db_text("terminal", desk->terminal),
        db_int("shift", shift),
        tender->gives_change ? db_fen("tendered", record->tendered_fen) : db_null("tendered"),
        db_text("reference", reference[0] ? reference : NULL),
        db_int("later", tender->confirmed_later),
        db_text("key", op_key(op)),
    };
    code = db_exec(op_db(op), &q_insert, args, sizeof args / sizeof *args, NULL, err);
    if (code != FD_OK)
        return code;
    *id = db_insert_id(op_db(op));
    return tender->confirmed_later ? open_confirm(op, record, reference, *id, err) : FD_OK;
}

enum fd_code pay_allocate(struct op *op, int64_t payment_id, const char *order_no, int64_t fen, struct fd_error *err)
{
    return db_exec(op_db(op), &q_allocate,
                   DB_ARGS(db_int("payment", payment_id), db_text("order_no", order_no), db_fen("amount", fen)), NULL,
                   err);
}
