/* What finance finds in the merchant's account of a refund that its channel does not tell of as it was asked for. */
#include <inttypes.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/back_internal.h"
#include "money/case.h"
#include "money/pay_internal.h"

/* It is no repetition of another any more, whose sum it would have to be. */
DB_QUERY(q_went, "back.went", DB_NONE,
         "UPDATE refund_record SET status = 'SUCCESS', amount = :amount, first_id = NULL, next_at = NULL, "
         "finished_at = NOW(), trouble = NULL, channel_refund_no = COALESCE(:reference, channel_refund_no) "
         "WHERE id = :id AND status = :old");
/* The rest stands under the same request and approval; what went beyond it nobody asked for. */
DB_QUERY(
    q_part, "back.went_part", DB_NONE,
    "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, quantity, kind, channel, reason, status, "
    "tries, operator, terminal, shift, request_key, approval_id, owed, trouble, created_at, finished_at) "
    "SELECT :refund_no, r.payment_id, r.order_no, :amount, 0, IF(:rest = 1, r.kind, 'AMOUNT'), r.channel, r.reason, "
    "IF(:rest = 1, 'FAILED', 'SUCCESS'), 0, r.operator, r.terminal, r.shift, r.request_key, "
    "IF(:rest = 1, r.approval_id, NULL), :rest, :trouble, NOW(), NOW() FROM refund_record r WHERE r.id = :id");
DB_QUERY(q_cap, "back.went_cap", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount - :asked + :went "
         "WHERE id = :id AND refunded_amount >= :asked AND refunded_amount - :asked + :went <= amount");
/* Below 0: more went back than the payment's part for the order. */
DB_QUERY(q_room, "back.went_room", DB_VALUE,
         "SELECT CAST((COALESCE((SELECT a.amount FROM pay_allocation a WHERE a.payment_id = :id "
         "AND a.order_no = :order_no), (SELECT p.amount FROM payment_record p WHERE p.id = :id "
         "AND p.order_no = :order_no AND NOT EXISTS (SELECT 1 FROM pay_allocation x WHERE x.payment_id = p.id)), 0) "
         "- (SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.payment_id = :id "
         "AND r.order_no = :order_no AND (r.status <> 'FAILED' OR r.owed = 1))) * 100 AS SIGNED)");

#define LESS "the channel gave back less than was asked for"
#define MORE "the channel gave back more than was asked for"

enum fd_code back_found_lock(struct op *op, int64_t refund_id, struct back_row **rows, size_t *count,
                             struct back_row **row, struct fd_error *err)
{
    static const char *const under_way[] = {"CREATED", "PROCESSING", "ABNORMAL"};
    enum fd_code code = back_rows_lock(op, NULL, refund_id, rows, count, row, err);
    if (code != FD_OK)
        return code;
    for (size_t i = 0; i < sizeof under_way / sizeof *under_way && back_way_of((*row)->channel) == BACK_AT_CHANNEL; i++)
        if (strcmp((*row)->status, under_way[i]) == 0)
            return FD_OK;
    return fd_fail(err, FD_REFUSED, _("Refund %s is not on its way at a channel any more: it is %s."),
                   (*row)->refund_no, (*row)->status);
}

/* The rows as they will be, so that the order's event follows from them. */
static size_t rows_then(struct back_row *rows, size_t count, struct back_row *row, int64_t fen)
{
    int64_t rest_fen = row->fen - fen;
    cut_copy(row->status, sizeof row->status, "SUCCESS");
    if (rest_fen <= 0)
        return count;
    /* back_rows_lock left room for one more. */
    rows[count] = *row;
    rows[count].fen = rest_fen;
    rows[count].owed = true;
    cut_copy(rows[count].status, sizeof rows[count].status, "FAILED");
    return count + 1;
}

static enum fd_code insert_part(struct op *op, const struct back_row *row, int64_t fen, bool rest, struct fd_error *err)
{
    char refund_no[NUMBER_BYTES];
    wall_t now;
    enum fd_code code = op_now(op, &now, err);
    if (code != FD_OK)
        return code;
    number_new(refund_no, wall_day(now), "RF");
    code = db_exec(op_db(op), &q_part,
                   DB_ARGS(db_text("refund_no", refund_no), db_fen("amount", fen), db_int("rest", rest),
                           db_text("trouble", rest ? LESS : MORE), db_int("id", row->id)),
                   NULL, err);
    if (code != FD_OK)
        return code;
    int64_t id = db_insert_id(op_db(op));
    op_log(op, &(struct log_entry){.entity = "refund",
                                   .entity_no = refund_no,
                                   .event = "give_back",
                                   .state_after = rest ? "FAILED" : "SUCCESS"});
    const struct case_new fresh = {.kind = CASE_REFUND,
                                   .subject = refund_no,
                                   .order_no = row->order_no,
                                   .payment_id = row->payment_id,
                                   .refund_id = id,
                                   .amount_fen = fen,
                                   .cause = LESS};
    return rest ? case_open_in(op, &fresh, err) : FD_OK;
}

static enum fd_code check_room(struct op *op, const struct back_row *row, struct fd_error *err)
{
    int64_t room_fen = 0;
    enum fd_code code = db_value_int(
        op_db(op), &q_room, DB_ARGS(db_int("id", row->payment_id), db_text("order_no", row->order_no)), &room_fen, err);
    return code == FD_OK && room_fen < 0
               ? fd_fail(err, FD_REFUSED, _("That is more than order %s was paid with it."), row->order_no)
               : code;
}

enum fd_code back_went_in(struct op *op, int64_t refund_id, int64_t fen, const char *reference, struct fd_error *err)
{
    struct back_row *rows, *row;
    size_t count;
    int64_t changed = 0;
    bool restored;
    char old[21];
    enum fd_code code = back_found_lock(op, refund_id, &rows, &count, &row, err);
    if (code != FD_OK)
        return code;
    const struct back_row was = *row;
    int64_t kept_fen = fen < was.fen ? fen : was.fen;
    cut_copy(old, sizeof old, was.status);
    count = rows_then(rows, count, row, fen);
    code = back_rows_settle(op, rows, count, &restored, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_went,
                       DB_ARGS(db_fen("amount", kept_fen), db_text("reference", reference), db_int("id", was.id),
                               db_text("old", old)),
                       &changed, err);
    if (code == FD_OK && changed != 1)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK && fen != was.fen)
        code = insert_part(op, &was, fen < was.fen ? was.fen - fen : fen - was.fen, fen < was.fen, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_cap,
                       DB_ARGS(db_fen("asked", was.fen), db_fen("went", fen), db_int("id", was.payment_id)), &changed,
                       err);
    /* Nothing changes where both are the same, whatever the server counts. */
    if (code == FD_OK && changed != 1 && fen != was.fen)
        code = fd_fail(err, FD_REFUSED, _("That is more than order %s was paid with it."), was.order_no);
    if (code == FD_OK)
        code = check_room(op, &was, err);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){
                       .entity = "refund",
                       .entity_no = was.refund_no,
                       .event = "result",
                       .state_before = old,
                       .state_after = "SUCCESS",
                       .after = arena_printf(op_arena(op), "{\"source\":\"person\",\"fen\":%" PRId64 "}", fen)});
    return code;
}
