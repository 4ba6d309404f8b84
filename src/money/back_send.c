/* Refunds at the channels: sending, asking, and what the answer means. Nothing here calls a channel inside a
 * transaction: claim, commit, call, store. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/money.h"
#include "base/text.h"
#include "core/param.h"
#include "money/back_internal.h"
#include "money/case.h"
#include "money/code.h"

DB_QUERY(q_due, "back.due", DB_ROWS,
         "SELECT id FROM refund_record WHERE status IN ('CREATED', 'PROCESSING') AND next_at <= NOW() "
         "ORDER BY next_at LIMIT :most");
DB_QUERY(q_due_of, "back.due_of", DB_ROWS,
         "SELECT id FROM refund_record WHERE order_no = :order_no AND status IN ('CREATED', 'PROCESSING') "
         "AND next_at <= NOW() ORDER BY id LIMIT :most");
DB_QUERY(q_job, "back.job", DB_ROW,
         "SELECT r.refund_no, r.channel, r.amount, r.reason, r.status, r.tries, r.sent_at IS NOT NULL, p.order_no, "
         "p.amount, r.order_no, r.payment_id FROM refund_record r JOIN payment_record p ON p.id = r.payment_id "
         "WHERE r.id = :id");
/* Whoever moves next_at has the refund for so long; the others find it not due. Each send counts, and the pause behind
 * it grows; one that was accepted is only asked for, the less often the older it is. */
DB_QUERY(q_claim, "back.claim", DB_NONE,
         "UPDATE refund_record SET sent_at = COALESCE(sent_at, NOW()), asked_at = NOW(), "
         "next_at = NOW() + INTERVAL IF(status = 'CREATED', CAST(LEAST(5 * POW(2, LEAST(tries, 12)), 1800) AS SIGNED), "
         "LEAST(GREATEST(TIMESTAMPDIFF(SECOND, created_at, NOW()), 5), 1800)) SECOND, "
         "tries = tries + IF(status = 'CREATED', 1, 0) "
         "WHERE id = :id AND status IN ('CREATED', 'PROCESSING') AND next_at <= NOW()");
DB_QUERY(q_trouble, "back.trouble", DB_NONE,
         "UPDATE refund_record SET trouble = :trouble, next_at = IF(:stop = 1, NULL, next_at) "
         "WHERE id = :id AND status = 'CREATED'");
DB_QUERY(
    q_result, "back.result", DB_NONE,
    "UPDATE refund_record SET status = :new, asked_at = NOW(), "
    "channel_refund_no = COALESCE(:channel_no, channel_refund_no), trouble = :trouble, owed = :owed, kind = :kind, "
    "next_at = IF(:final = 1, NULL, COALESCE(next_at, NOW())), finished_at = IF(:final = 1, NOW(), NULL) "
    "WHERE id = :id AND status = :old");
DB_QUERY(q_restored, "back.restored", DB_NONE,
         "UPDATE refund_record SET owed = 0 WHERE order_no = :order_no AND kind = 'WHOLE' AND status = 'FAILED'");
DB_QUERY(q_lower, "back.lower", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount - :amount "
         "WHERE id = :id AND refunded_amount >= :amount");
DB_QUERY(q_reraise, "back.reraise", DB_NONE,
         "UPDATE payment_record SET refunded_amount = refunded_amount + :amount "
         "WHERE id = :id AND refunded_amount + :amount <= amount");

#define SEND_MOST     20
#define TROUBLE_BYTES 256

/* What the channel said ------------------------------------------------------------------------------ */

struct result {
    const char *refund_no, *channel, *source;
    const struct channel_backed *says; /* NULL: it said no, `trouble` says why */
    const char *trouble;
};

static const char *const state_names[] = {[BACK_PROCESSING] = "PROCESSING",
                                          [BACK_SUCCESS] = "SUCCESS",
                                          [BACK_CLOSED] = "FAILED",
                                          [BACK_ABNORMAL] = "ABNORMAL"};

static const char *wanted_status(const struct result *result)
{
    return result->says ? state_names[result->says->state] : "FAILED";
}

/* From where each answer may still change something: SUCCESS is final, and after FAILED only money that went back after
 * all. */
static bool changes(const char *old, const char *wanted)
{
    if (strcmp(old, wanted) == 0 || (strcmp(old, "SUCCESS") == 0 && !FD_TOOTH("refund_final")))
        return false;
    if (strcmp(old, "FAILED") == 0)
        return strcmp(wanted, "SUCCESS") == 0;
    if (strcmp(old, "ABNORMAL") == 0)
        return strcmp(wanted, "PROCESSING") != 0;
    return true;
}

static enum fd_code open_case(struct op *op, enum case_kind kind, const struct back_row *row, const char *cause,
                              struct fd_error *err)
{
    const struct case_new fresh = {.kind = kind,
                                   .subject = row->refund_no,
                                   .order_no = row->order_no,
                                   .payment_id = row->payment_id,
                                   .refund_id = row->id,
                                   .amount_fen = row->fen,
                                   .cause = cause};
    return case_open_in(op, &fresh, err);
}

static enum fd_code write_result(struct op *op, const struct result *result, const struct back_row *row,
                                 const char *old, struct fd_error *err)
{
    bool final = back_row_is_final(row) || strcmp(row->status, "ABNORMAL") == 0;
    const char *number = result->says && result->says->refund_no[0] ? result->says->refund_no : NULL;
    int64_t changed = 0;
    enum fd_code code =
        db_exec(op_db(op), &q_result,
                DB_ARGS(db_text("new", row->status), db_text("channel_no", number), db_text("trouble", result->trouble),
                        db_int("owed", row->owed), db_text("kind", row->kind), db_int("final", final),
                        db_int("id", row->id), db_text("old", old)),
                &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code == FD_OK)
        op_log(op, &(struct log_entry){.entity = "refund",
                                       .entity_no = row->refund_no,
                                       .event = "result",
                                       .state_before = old,
                                       .state_after = row->status,
                                       .after = arena_printf(op_arena(op), "{\"source\":\"%s\"}", result->source)});
    return code;
}

/* The cap follows: what failed may be given back another way; what went back after all counts again. */
static enum fd_code move_cap(struct op *op, const struct back_row *row, const char *old, struct fd_error *err)
{
    bool failed = strcmp(row->status, "FAILED") == 0, late = strcmp(old, "FAILED") == 0;
    int64_t changed = 0;
    if (!failed && !late)
        return FD_OK;
    enum fd_code code = db_exec(op_db(op), failed ? &q_lower : &q_reraise,
                                DB_ARGS(db_fen("amount", row->fen), db_int("id", row->payment_id)), &changed, err);
    if (code == FD_OK && changed == 0 && failed)
        code = fd_fail(err, FD_REFUSED, _("The refunds of payment #%" PRId64 " do not add up."), row->payment_id);
    return code;
}

/* Money that nobody expected to go back any more. The case begins now: one of before ends with what it was about. */
static enum fd_code tell_after_all(struct op *op, const struct back_row *row, const char *cause, struct fd_error *err)
{
    enum fd_code code = case_settle_in(op, CASE_REFUND, row->refund_no, "settled", err);
    return code == FD_OK ? open_case(op, CASE_REFUND, row, cause, err) : code;
}

static enum fd_code tell_cases(struct op *op, const struct result *result, const struct back_row *row,
                               struct fd_error *err)
{
    const char *trouble = result->trouble ? result->trouble : "";
    struct arena *arena = op_arena(op);
    if (strcmp(row->status, "FAILED") == 0)
        return open_case(op, CASE_REFUND, row, arena_printf(arena, "failed at the channel %s", trouble), err);
    if (strcmp(row->status, "ABNORMAL") == 0)
        return open_case(op, CASE_REFUND, row, arena_printf(arena, "abnormal at the channel %s", trouble), err);
    enum fd_code code = FD_OK;
    if (strcmp(row->status, "SUCCESS") == 0)
        code = case_settle_in(op, CASE_REFUND, row->refund_no, "settled", err);
    return code == FD_OK ? case_settle_in(op, CASE_UNKNOWN, row->refund_no, "settled", err) : code;
}

/* The order's event first, then the rows: one order of locking. */
static enum fd_code take_result(struct op *op, const struct result *result, struct back_row *rows, size_t count,
                                struct back_row *row, struct fd_error *err)
{
    char old[sizeof row->status];
    bool restored = false, after_all = strcmp(row->status, "FAILED") == 0 && !row->owed;
    cut_copy(old, sizeof old, row->status);
    cut_copy(row->status, sizeof row->status, wanted_status(result));
    /* Money that went back although the order was paid again by the failure: the order keeps what it costs. */
    if (after_all)
        cut_copy(row->kind, sizeof row->kind, "AMOUNT");
    row->owed = strcmp(row->status, "FAILED") == 0;
    enum fd_code code = back_rows_settle(op, rows, count, &restored, err);
    if (restored)
        row->owed = false;
    if (code == FD_OK)
        code = write_result(op, result, row, old, err);
    if (code == FD_OK && restored)
        code = db_exec(op_db(op), &q_restored, DB_ARGS(db_text("order_no", row->order_no)), NULL, err);
    if (code == FD_OK)
        code = move_cap(op, row, old, err);
    if (code == FD_OK && after_all)
        return tell_after_all(op, row, "went back at the channel after it had failed", err);
    return code == FD_OK ? tell_cases(op, result, row, err) : code;
}

/* With what the channel says, so that a person can record it. */
static enum fd_code tell_amount(struct op *op, const struct back_row *row, int64_t fen, struct fd_error *err)
{
    char theirs[FEN_TEXT], ours[FEN_TEXT];
    struct back_row said = *row;
    said.fen = fen;
    return open_case(op, CASE_AMOUNT, &said,
                     arena_printf(op_arena(op), "%s gave back %s, asked for were %s", row->channel,
                                  fen_decimal(fen, theirs), fen_decimal(row->fen, ours)),
                     err);
}

static enum fd_code result_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct result *result = arg;
    struct back_row *rows, *row;
    size_t count;
    enum fd_code code = back_rows_lock(op, result->refund_no, 0, &rows, &count, &row, err);
    if (code == FD_OK && strcmp(row->channel, result->channel) != 0 && !row->by_hand)
        code = fd_fail(err, FD_NOT_FOUND, _("There is no refund %s."), row->refund_no);
    const char *wanted = wanted_status(result);
    if (code == FD_OK && row->by_hand && strcmp(row->status, "SUCCESS") == 0 && strcmp(wanted, "SUCCESS") == 0)
        return tell_after_all(op, row, "went back at the channel though it had been given by hand", err);
    if (code != FD_OK || !changes(row->status, wanted))
        return code;
    FD_POINT("refund_result");
    if (result->says && result->says->refund_fen > 0 && result->says->refund_fen != row->fen)
        return tell_amount(op, row, result->says->refund_fen, err);
    return take_result(op, result, rows, count, row, err);
}

enum fd_code back_never_went_in(struct op *op, int64_t refund_id, struct fd_error *err)
{
    struct back_row *rows, *row;
    size_t count;
    enum fd_code code = back_found_lock(op, refund_id, &rows, &count, &row, err);
    if (code != FD_OK)
        return code;
    struct result result = {.refund_no = row->refund_no,
                            .channel = row->channel,
                            .source = "person",
                            .trouble = "it never went back, by the merchant's account"};
    return take_result(op, &result, rows, count, row, err);
}

static enum fd_code store_result(struct desk *desk, const struct result *result, struct fd_error *err)
{
    struct result copy = *result;
    const struct op_spec spec = {.action = "refund.result",
                                 .content = result->refund_no,
                                 .apply = result_apply,
                                 .no_permission = true,
                                 .as_channel = true};
    return op_run(desk, &spec, &copy, NULL, NULL, err);
}

enum fd_code back_result(struct desk *desk, enum channel_id channel, const char *refund_no,
                         const struct channel_backed *channel_says, const char *source, struct fd_error *err)
{
    const struct result result = {
        .refund_no = refund_no, .channel = channel_name(channel), .source = source, .says = channel_says};
    return store_result(desk, &result, err);
}

/* Sending --------------------------------------------------------------------------------------------- */

struct job {
    int64_t id, payment_id, refund_fen, total_fen, tries;
    char refund_no[NUMBER_BYTES], out_trade_no[NUMBER_BYTES], order_no[NUMBER_BYTES], channel[21], status[21];
    char reason[4 * 80 + 1];
    bool sent; /* some time before: its outcome may only be unknown */
    bool mine; /* claimed by this call */
};

static enum fd_code read_job(struct db *db, struct job *job, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_job, DB_ARGS(db_int("id", job->id)), &rows, err);
    if (code != FD_OK)
        return code;
    bool found = db_next(rows);
    if (found) {
        cut_copy(job->refund_no, sizeof job->refund_no, db_get_text(rows, 0));
        cut_copy(job->channel, sizeof job->channel, db_get_text(rows, 1));
        job->refund_fen = db_get_fen(rows, 2);
        cut_copy(job->reason, sizeof job->reason, db_get_text(rows, 3));
        cut_copy(job->status, sizeof job->status, db_get_text(rows, 4));
        job->tries = db_get_int(rows, 5);
        job->sent = db_get_int(rows, 6) != 0;
        cut_copy(job->out_trade_no, sizeof job->out_trade_no, db_get_text(rows, 7));
        job->total_fen = db_get_fen(rows, 8);
        cut_copy(job->order_no, sizeof job->order_no, db_get_text(rows, 9));
        job->payment_id = db_get_int(rows, 10);
    }
    db_rows_close(&rows);
    return found ? FD_OK : fd_fail(err, FD_NOT_FOUND, _("There is no refund #%" PRId64 "."), job->id);
}

static enum fd_code claim_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct job *job = arg;
    int64_t changed = 0;
    job->mine = false;
    enum fd_code code = read_job(db, job, err);
    if (code == FD_OK)
        code = db_exec(db, &q_claim, DB_ARGS(db_int("id", job->id)), &changed, err);
    job->mine = code == FD_OK && changed == 1;
    return code;
}

/* No answer that could be used: said on the row; after the last try a person has to look. */
struct unsure {
    const struct job *job;
    const char *trouble;
    int64_t most;
};

static enum fd_code unsure_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct unsure *unsure = arg;
    const struct job *job = unsure->job;
    bool stop = strcmp(job->status, "CREATED") == 0 && job->tries + 1 >= unsure->most;
    struct back_row row = {.id = job->id, .payment_id = job->payment_id, .fen = job->refund_fen};
    enum fd_code code =
        db_exec(op_db(op), &q_trouble,
                DB_ARGS(db_text("trouble", unsure->trouble), db_int("stop", stop), db_int("id", job->id)), NULL, err);
    if (code != FD_OK || !stop)
        return code;
    cut_copy(row.refund_no, sizeof row.refund_no, job->refund_no);
    cut_copy(row.order_no, sizeof row.order_no, job->order_no);
    return open_case(op, CASE_UNKNOWN, &row,
                     arena_printf(op_arena(op), "refund sent %" PRId64 " times: %s", job->tries + 1, unsure->trouble),
                     err);
}

static enum fd_code store_unsure(struct desk *desk, const struct job *job, const char *trouble, struct fd_error *err)
{
    char cut[TROUBLE_BYTES];
    cut_copy(cut, sizeof cut, trouble);
    struct unsure unsure = {.job = job, .trouble = cut, .most = param_get(desk, PARAM_REFUND_TRIES)};
    const struct op_spec spec = {
        .action = "refund.send", .apply = unsure_apply, .no_permission = true, .as_channel = true, .no_request = true};
    return op_run(desk, &spec, &unsure, NULL, NULL, err);
}

/* Refusals that may be none a little later. */
static bool may_pass(const char *code)
{
    static const char *const passing[] = {"NOT_ENOUGH",       "NOTENOUGH",          "FREQUENCY_LIMITED",
                                          "RATELIMIT_EXCEED", "RATELIMIT_EXCEEDED", "ACQ.SELLER_BALANCE_NOT_ENOUGH",
                                          "ACQ.SYSTEM_ERROR", "SYSTEM_ERROR",       "BIZERR_NEED_RETRY"};
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        if (strcmp(passing[i], code) == 0)
            return true;
    return false;
}

struct answer {
    enum channel_outcome outcome;
    struct channel_backed backed;
    struct channel_trouble trouble;
};

/* One that was sent is asked for before it is sent again; a refusal is believed only after asking. */
static void call_channel(struct channel *channel, const struct job *job, struct answer *answer)
{
    const struct channel_back back = {.out_trade_no = job->out_trade_no,
                                      .out_refund_no = job->refund_no,
                                      .refund_fen = job->refund_fen,
                                      .total_fen = job->total_fen,
                                      .reason = job->reason};
    struct answer asked = {0};
    if (job->sent) {
        answer->outcome = channel_refund_query(channel, &back, &answer->backed, &answer->trouble);
        if (answer->outcome != CHANNEL_NOT_FOUND)
            return;
    }
    *answer = (struct answer){0};
    answer->outcome = channel_refund(channel, &back, &answer->backed, &answer->trouble);
    if (answer->outcome != CHANNEL_REFUSED)
        return;
    asked.outcome = channel_refund_query(channel, &back, &asked.backed, &asked.trouble);
    if (asked.outcome == CHANNEL_DONE || asked.outcome == CHANNEL_UNKNOWN)
        *answer = asked;
}

static enum fd_code store_answer(struct desk *desk, const struct job *job, const struct answer *answer,
                                 struct fd_error *err)
{
    char trouble[TROUBLE_BYTES];
    snprintf(trouble, sizeof trouble, "%.60s %.180s", answer->trouble.code, answer->trouble.message);
    struct result result = {.refund_no = job->refund_no, .channel = job->channel, .source = "send"};
    bool last = job->tries + 1 >= param_get(desk, PARAM_REFUND_TRIES);
    if (answer->outcome == CHANNEL_DONE) {
        result.says = &answer->backed;
        result.trouble = answer->trouble.code[0] ? trouble : NULL;
        return store_result(desk, &result, err);
    }
    result.trouble = trouble;
    bool refused = answer->outcome == CHANNEL_REFUSED && (last || !may_pass(answer->trouble.code));
    /* It has no such trade, now and after all tries: nothing can have gone back. */
    if (refused || (last && answer->outcome == CHANNEL_NOT_FOUND))
        return store_result(desk, &result, err);
    log_line(LOG_WARN, "refund %s: %s", job->refund_no, trouble);
    return store_unsure(desk, job, trouble, err);
}

/* *asked: this call was the one that had the channel asked. */
static enum fd_code push(struct desk *desk, int64_t refund_id, bool *asked, struct fd_error *err)
{
    struct job job = {.id = refund_id};
    struct answer answer = {0};
    struct channel *channel = NULL;
    struct fd_error local = {0};
    *asked = false;
    enum fd_code code = db_txn(desk->db, "refund.claim", 0, claim_txn, &job, err);
    if (code != FD_OK || !job.mine)
        return code;
    FD_POINT("refund_claimed");
    if (desk_channel(desk, channel_from_name(job.channel), &channel, &local) != FD_OK)
        return store_unsure(desk, &job, local.message, err);
    *asked = true;
    call_channel(channel, &job, &answer);
    FD_POINT("refund_sent");
    return store_answer(desk, &job, &answer, err);
}

struct due {
    const char *order_no; /* NULL: of any */
    int64_t most;
    int64_t ids[SEND_MOST];
    size_t count;
};

static enum fd_code due_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct due *due = arg;
    struct db_rows *rows;
    enum fd_code code =
        due->order_no ? db_select(db, &q_due_of, DB_ARGS(db_text("order_no", due->order_no), db_int("most", due->most)),
                                  &rows, err)
                      : db_select(db, &q_due, DB_ARGS(db_int("most", due->most)), &rows, err);
    if (code != FD_OK)
        return code;
    due->count = 0;
    while (due->count < SEND_MOST && db_next(rows))
        due->ids[due->count++] = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

/* One that cannot be sent does not keep the others. */
static enum fd_code push_due(struct desk *desk, struct due *due, int64_t *done, struct fd_error *err)
{
    enum fd_code code = desk_read(desk, "refund.due", due_txn, due, err);
    *done = 0;
    for (size_t i = 0; i < due->count; i++) {
        struct fd_error local = {0};
        bool asked = false;
        enum fd_code one = push(desk, due->ids[i], &asked, &local);
        *done += asked;
        if (one == FD_OK)
            continue;
        code = one;
        if (err)
            *err = local;
        if (one == FD_DB_DOWN)
            break;
    }
    return code;
}

void back_send_now(struct desk *desk, const char *order_no)
{
    struct due due = {.order_no = order_no, .most = SEND_MOST};
    struct fd_error err = {0};
    int64_t done;
    if (!desk->no_channel && push_due(desk, &due, &done, &err) != FD_OK)
        log_error(&err);
}

enum fd_code back_sweep(struct desk *desk, size_t most, int64_t *done, struct fd_error *err)
{
    struct due due = {.most = most < SEND_MOST ? (int64_t)most : SEND_MOST};
    *done = 0;
    return desk->no_channel ? FD_OK : push_due(desk, &due, done, err);
}
