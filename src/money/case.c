/* Cases: the table of kinds, opening and settling inside other actions. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/case_internal.h"
#include "outside/tree.h"

/* A case of this kind and subject that is open already stays as it is: the same trouble told twice. */
DB_QUERY(q_open, "case.open", DB_NONE,
         "INSERT INTO money_case (kind, subject, order_no, payment_id, refund_id, amount, cause, status, created_at) "
         "VALUES (:kind, :subject, :order_no, :payment, :refund, :amount, :cause, 'OPEN', NOW()) "
         "ON DUPLICATE KEY UPDATE version = version");
DB_QUERY(q_settle, "case.settle", DB_NONE,
         "UPDATE money_case SET status = 'CLOSED', closed_at = NOW(), closed_by = :who, outcome = :outcome, "
         "reason = :reason, version = version + 1 WHERE open_subject = :open");

#define CAUSE_CHARS 255
#define BIT(end)    (1u << (end))

const struct case_kind_row case_kinds[CASE_KIND_COUNT] = {
    [CASE_LATE] = {"LATE", NC_("case", "Paid too late"),
                   N_("Give the money back, or move it to another order of this customer."),
                   BIT(CASE_REFUNDED) | BIT(CASE_MOVED) | BIT(CASE_KEPT)},
    [CASE_PART_PAID] = {"PART_PAID", NC_("case", "Paid in part"),
                        N_("Call the customer: take the rest, or give back what was paid."),
                        BIT(CASE_REFUNDED) | BIT(CASE_KEPT)},
    [CASE_REFUND] = {"REFUND", NC_("case", "Refund failed"),
                     N_("Try again, or give the money back outside and write its number."),
                     BIT(CASE_RETRIED) | BIT(CASE_PAID_BY_HAND) | BIT(CASE_KEPT)},
    [CASE_SURPLUS] = {"SURPLUS", NC_("case", "Paid too much"),
                      N_("Give the surplus back, or move it to another order of this customer."),
                      BIT(CASE_REFUNDED) | BIT(CASE_MOVED) | BIT(CASE_KEPT)},
    [CASE_UNKNOWN] = {"UNKNOWN", NC_("case", "Outcome unknown"),
                      N_("Ask the channel again; look into the merchant's account if it stays silent."),
                      BIT(CASE_RETRIED) | BIT(CASE_NOT_DONE) | BIT(CASE_RECORDED) | BIT(CASE_KEPT)},
    [CASE_CONFIRM] = {"CONFIRM", NC_("case", "To be confirmed"),
                      N_("Finance looks for the money in the account, then confirms or rejects it."),
                      BIT(CASE_CONFIRMED) | BIT(CASE_REJECTED)},
    [CASE_AMOUNT] = {"AMOUNT", NC_("case", "Wrong amount"),
                     N_("Look into the merchant's account; give the money back there and write its number."),
                     BIT(CASE_PAID_BY_HAND) | BIT(CASE_RECORDED) | BIT(CASE_KEPT)},
    [CASE_BY_HAND] = {"BY_HAND", NC_("case", "Give back by hand"),
                      N_("Give the money back the way it came, then write the number of the transfer."),
                      BIT(CASE_PAID_BY_HAND)},
};

static const char *const end_names[CASE_END_COUNT] = {
    [CASE_REFUNDED] = "refunded",
    [CASE_MOVED] = "moved",
    [CASE_CONFIRMED] = "confirmed",
    [CASE_REJECTED] = "rejected",
    [CASE_PAID_BY_HAND] = "paid_by_hand",
    [CASE_RETRIED] = "retried",
    [CASE_KEPT] = "kept",
    [CASE_NOT_DONE] = "not_done",
    [CASE_RECORDED] = "recorded",
};

const char *case_kind_label(enum case_kind kind)
{
    FD_ASSERT((unsigned)kind < CASE_KIND_COUNT);
    return i18n_label(case_kinds[kind].label);
}

enum case_kind case_kind_from_name(const char *name)
{
    int kind = 0;
    while (kind < CASE_KIND_COUNT && strcmp(case_kinds[kind].name, name) != 0)
        kind++;
    return (enum case_kind)kind;
}

const char *case_end_name(enum case_end end)
{
    FD_ASSERT((unsigned)end < CASE_END_COUNT);
    return end_names[end];
}

enum case_end case_end_from_name(const char *name)
{
    int end = 0;
    while (end < CASE_END_COUNT && strcmp(end_names[end], name ? name : "") != 0)
        end++;
    return (enum case_end)end;
}

size_t case_ends(enum case_kind kind, enum case_end ends[CASE_END_COUNT])
{
    size_t count = 0;
    FD_ASSERT((unsigned)kind < CASE_KIND_COUNT);
    for (int end = 0; end < CASE_END_COUNT; end++)
        if (case_kinds[kind].ends & BIT(end))
            ends[count++] = (enum case_end)end;
    return count;
}

const char *case_open_subject(enum case_kind kind, const char *subject, char out[CASE_OPEN_BYTES])
{
    fit_printf_at(out, CASE_OPEN_BYTES, "%s:%s", case_kinds[kind].name, subject);
    return out;
}

static void log_open(struct op *op, const struct case_new *fresh, int64_t id)
{
    struct tree *after = tree_object();
    tree_put_int(after, "id", id);
    tree_put_text(after, "kind", case_kinds[fresh->kind].name);
    tree_put_text(after, "order_no", fresh->order_no);
    tree_put_int(after, "amount_fen", fresh->amount_fen);
    tree_put_text(after, "cause", fresh->cause);
    char *json = tree_dump(after);
    op_log(op,
           &(struct log_entry){
               .entity = "case", .entity_no = fresh->subject, .event = "open", .state_after = "OPEN", .after = json});
    free(json);
    tree_free(&after);
}

enum fd_code case_open_in(struct op *op, const struct case_new *fresh, struct fd_error *err)
{
    char cause[CAUSE_CHARS + 1];
    int64_t changed = 0;
    FD_ASSERT((unsigned)fresh->kind < CASE_KIND_COUNT && fresh->subject && fresh->subject[0]);
    cut_copy(cause, sizeof cause, fresh->cause ? fresh->cause : "");
    const struct db_arg args[] = {
        db_text("kind", case_kinds[fresh->kind].name),
        db_text("subject", fresh->subject),
        db_text("order_no", fresh->order_no && fresh->order_no[0] ? fresh->order_no : NULL),
        fresh->payment_id ? db_int("payment", fresh->payment_id) : db_null("payment"),
        fresh->refund_id ? db_int("refund", fresh->refund_id) : db_null("refund"),
        db_fen("amount", fresh->amount_fen),
        db_text("cause", cause),
    };
    enum fd_code code = db_exec(op_db(op), &q_open, args, sizeof args / sizeof *args, &changed, err);
    if (code == FD_OK && changed == 1)
        log_open(op, fresh, db_insert_id(op_db(op)));
    return code;
}

enum fd_code case_settle_in(struct op *op, enum case_kind kind, const char *subject, const char *outcome,
                            struct fd_error *err)
{
    char open[CASE_OPEN_BYTES];
    int64_t changed = 0;
    case_open_subject(kind, subject, open);
    enum fd_code code = db_exec(op_db(op), &q_settle,
                                DB_ARGS(db_text("who", op_desk(op)->operator), db_text("outcome", outcome),
                                        db_text("reason", op_reason(op)), db_text("open", open)),
                                &changed, err);
    if (code == FD_OK && changed > 0)
        op_log(op,
               &(struct log_entry){.entity = "case", .entity_no = subject, .event = "settle", .state_after = "CLOSED"});
    return code;
}
