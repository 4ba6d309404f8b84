/* Notifications: kept as they came before anything follows from them, so that nothing that a channel said is lost, and
 * answered the same however often they come. Only what was verified has a number that counts: a forged one must not
 * take the place of the true one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/text.h"
#include "money/back.h"
#include "money/case.h"
#include "money/notice.h"

/* Its outcome is known afterwards; until then it stands as not done. */
DB_QUERY(q_store, "notice.store", DB_NONE,
         "INSERT INTO channel_notice (channel, notice_id, outcome, subject, raw, received_at) "
         "VALUES (:channel, :notice, 'failed', :subject, :raw, NOW()) ON DUPLICATE KEY UPDATE repeats = repeats + 1");
DB_QUERY(q_stored, "notice.stored", DB_ROW,
         "SELECT id, outcome FROM channel_notice WHERE channel = :channel AND notice_id = :notice");
/* Of several at once that say the same one does it and the others find it known. */
DB_QUERY(q_outcome, "notice.outcome", DB_NONE,
         "UPDATE channel_notice SET outcome = :outcome WHERE id = :id "
         "AND (outcome = 'failed' OR (outcome = 'known' AND :told = 0))");
DB_QUERY(q_refused, "notice.refused", DB_NONE,
         "INSERT INTO channel_notice (channel, notice_id, outcome, subject, raw, received_at) "
         "VALUES (:channel, NULL, :outcome, :subject, :raw, NOW())");
/* Anybody can send rubbish: of a flood the first of each minute are kept, and the rest is counted. */
DB_QUERY(q_flood, "notice.flood", DB_VALUE,
         "SELECT COUNT(*) FROM channel_notice WHERE received_at > NOW() - INTERVAL 1 MINUTE AND notice_id IS NULL");
DB_QUERY(q_count, "notice.count", DB_NONE,
         "UPDATE channel_notice SET repeats = repeats + 1 WHERE channel = :channel AND notice_id IS NULL "
         "AND outcome = :outcome AND received_at > NOW() - INTERVAL 1 MINUTE ORDER BY id DESC LIMIT 1");

#define RAW_MOST   65536
#define FLOOD_MOST 200
#define LIMIT_MS   4000

/* What was refused, by verdict. */
static const char *const refusals[] = {
    [NOTICE_FORGED] = "forged",
    [NOTICE_STALE] = "replayed",
    [NOTICE_MALFORMED] = "malformed",
    [NOTICE_WRONG_MERCHANT] = "wrong_merchant",
};

/* One character as it came, or its byte written out where it is none. */
static void add_character(struct buf *out, const char **at)
{
    const char *start = *at;
    unsigned char byte = (unsigned char)*start;
    bool plain = (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\r' || byte == '\t';
    bool sound = byte >= 0x80 && (text_next(at) != 0xfffd || memcmp(start, "\xef\xbf\xbd", 3) == 0);
    if (sound) {
        buf_add_bytes(out, start, (size_t)(*at - start));
        return;
    }
    *at = start + 1;
    if (plain)
        buf_add_bytes(out, start, 1);
    else
        buf_printf(out, "\\x%02x", byte);
}

static void add_raw(struct buf *out, const char *text, size_t bytes)
{
    char *copy = xmalloc(bytes + 1);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    for (const char *at = copy; at < copy + bytes && out->bytes < RAW_MOST;)
        add_character(out, &at);
    free(copy);
}

/* Headers, a blank line, the body: the form in which a relay hands one over. */
static void raw_of(const struct channel_message *message, struct buf *raw)
{
    size_t headers = message->headers ? strlen(message->headers) : 0;
    add_raw(raw, message->headers ? message->headers : "", headers < RAW_MOST ? headers : RAW_MOST);
    buf_add(raw, "\n");
    add_raw(raw, message->body ? message->body : "", message->body_bytes < RAW_MOST ? message->body_bytes : RAW_MOST);
}

struct storing {
    enum channel_id channel;
    const char *notice_id, *subject, *raw;
    const char *outcome; /* refused: what it is; else what to write */
    int64_t id;          /* of the stored row */
    char known[21];      /* its outcome so far */
};

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

static enum fd_code store_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct storing *storing = arg;
    const struct db_arg channel = db_text("channel", channel_name(storing->channel)),
                        notice = db_text("notice", storing->notice_id);
    struct db_rows *rows;
    enum fd_code code =
        db_exec(db, &q_store,
                DB_ARGS(channel, notice, db_text("subject", or_null(storing->subject)), db_text("raw", storing->raw)),
                NULL, err);
    if (code == FD_OK)
        code = db_select(db, &q_stored, DB_ARGS(channel, notice), &rows, err);
    if (code != FD_OK)
        return code;
    FD_ASSERT(db_next(rows));
    storing->id = db_get_int(rows, 0);
    cut_copy(storing->known, sizeof storing->known, db_get_text(rows, 1));
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code outcome_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct storing *storing = arg;
    return db_exec(db, &q_outcome,
                   DB_ARGS(db_text("outcome", storing->outcome), db_int("told", strcmp(storing->outcome, "known") == 0),
                           db_int("id", storing->id)),
                   NULL, err);
}

static enum fd_code refused_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct storing *storing = arg;
    const struct db_arg channel = db_text("channel", channel_name(storing->channel)),
                        outcome = db_text("outcome", storing->outcome);
    int64_t recent = 0, counted = 0;
    enum fd_code code = db_value_int(db, &q_flood, DB_NO_ARGS, &recent, err);
    if (code == FD_OK && recent >= FLOOD_MOST)
        code = db_exec(db, &q_count, DB_ARGS(channel, outcome), &counted, err);
    if (code != FD_OK || counted > 0)
        return code;
    return db_exec(
        db, &q_refused,
        DB_ARGS(channel, outcome, db_text("subject", or_null(storing->subject)), db_text("raw", storing->raw)), NULL,
        err);
}

static enum fd_code keep(struct desk *desk, db_txn_fn *fn, struct storing *storing, struct fd_error *err)
{
    FD_ASSERT(!desk->in_txn);
    return db_txn(desk->db, "notice.store", LIMIT_MS, fn, storing, err);
}

/* Money under a number that nobody here gave: a restored backup, or another shop with the same merchant. */
static enum fd_code stray_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct channel_notice *notice = arg;
    const struct case_new fresh = {.kind = CASE_UNKNOWN,
                                   .subject = notice->out_trade_no,
                                   .amount_fen = notice->trade.amount_fen,
                                   .cause = N_("paid under a number that is not known here")};
    return case_open_in(op, &fresh, err);
}

static enum fd_code stray(struct desk *desk, struct channel_notice *notice, struct fd_error *err)
{
    const struct op_spec spec = {
        .action = "case.open", .apply = stray_apply, .no_permission = true, .no_request = true, .as_channel = true};
    if (notice->trade.state != TRADE_PAID || !notice->out_trade_no[0])
        return FD_OK;
    return op_run(desk, &spec, notice, NULL, NULL, err);
}

static enum fd_code settle_payment(struct desk *desk, enum channel_id id, struct channel_notice *notice,
                                   const char **outcome, struct fd_error *err)
{
    struct settled settled = {0};
    enum fd_code code = code_settle(desk, notice->out_trade_no, id, &notice->trade, "notice", &settled, err);
    if (code == FD_NOT_FOUND) {
        *outcome = "unknown_order";
        return stray(desk, notice, err);
    }
    if (settled.wrong_amount)
        *outcome = "wrong_amount";
    else if (notice->trade.state != TRADE_PAID)
        *outcome = "done";
    else if (!settled.first)
        *outcome = "known";
    else
        *outcome = settled.surplus ? "late" : "done";
    return code;
}

static enum fd_code settle_refund(struct desk *desk, enum channel_id id, const struct channel_notice *notice,
                                  const char **outcome, struct fd_error *err)
{
    enum fd_code code = back_result(desk, id, notice->out_refund_no, &notice->backed, "notice", err);
    *outcome = code == FD_NOT_FOUND ? "unknown_order" : "done";
    return code == FD_NOT_FOUND ? FD_OK : code;
}

/* What follows from a verified one. Where it could not be done it stands as failed, and the channel sends it again. */
static enum fd_code follow(struct desk *desk, enum channel_id id, enum notice_verdict verdict,
                           struct channel_notice *notice, const char **outcome, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    *outcome = "done";
    if (verdict == NOTICE_PAYMENT)
        code = settle_payment(desk, id, notice, outcome, err);
    else if (verdict == NOTICE_REFUND)
        code = settle_refund(desk, id, notice, outcome, err);
    return code;
}

static const char *subject_of(const struct channel_notice *notice)
{
    return notice->out_refund_no[0] ? notice->out_refund_no : notice->out_trade_no;
}

/* Static, and as the table has it. */
static const char *outcome_name(const char *known)
{
    static const char *const names[] = {"done", "known", "late", "wrong_amount", "unknown_order"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], known) == 0)
            return names[i];
    return "failed";
}

static enum fd_code take_verified(struct desk *desk, enum channel_id id, enum notice_verdict verdict,
                                  struct channel_notice *notice, const char *raw, struct noticed *noticed,
                                  struct fd_error *err)
{
    struct storing storing = {.channel = id, .notice_id = notice->id, .subject = subject_of(notice), .raw = raw};
    enum fd_code code = keep(desk, store_txn, &storing, err);
    if (code != FD_OK)
        return code;
    noticed->outcome = outcome_name(storing.known);
    if (strcmp(noticed->outcome, "failed") != 0)
        return FD_OK;
    code = follow(desk, id, verdict, notice, &noticed->outcome, err);
    if (code != FD_OK)
        return code;
    storing.outcome = noticed->outcome;
    return keep(desk, outcome_txn, &storing, err);
}

static enum fd_code take_refused(struct desk *desk, enum channel_id id, const char *outcome,
                                 const struct channel_notice *notice, const char *raw, struct fd_error *err)
{
    struct storing storing = {.channel = id, .outcome = outcome, .subject = subject_of(notice), .raw = raw};
    char subject[65];
    /* Nothing of it is trusted, its number neither. */
    text_clean(subject, sizeof subject, storing.subject);
    storing.subject = subject;
    log_line(LOG_WARN, "notice: %s: %s: %s", channel_name(id), outcome, notice->trouble);
    return keep(desk, refused_txn, &storing, err);
}

enum fd_code notice_take(struct desk *desk, enum channel_id id, const struct channel_message *message,
                         struct noticed *noticed, struct fd_error *err)
{
    struct channel *channel;
    struct buf raw = {0};
    *noticed = (struct noticed){.outcome = "failed", .reply = channel_notice_reply(id, false)};
    enum fd_code code = desk_channel(desk, id, &channel, err);
    if (code != FD_OK)
        return code;
    /* Who only listens never calls, and would know no certificate that came after its start. */
    channel_refresh(channel);
    struct channel_notice *notice = xcalloc(1, sizeof *notice);
    enum notice_verdict verdict = channel_notice_read(channel, message, (int64_t)time(NULL), notice);
    raw_of(message, &raw);
    bool refused = verdict >= NOTICE_FORGED;
    /* What has no number cannot be told apart from its repeats: it is verified, so what it says is settled. */
    if (!refused && !notice->id[0])
        sha256_hex(message->body, message->body_bytes, notice->id);
    if (refused) {
        noticed->outcome = refusals[verdict];
        code = take_refused(desk, id, noticed->outcome, notice, buf_text(&raw), err);
    } else {
        code = take_verified(desk, id, verdict, notice, buf_text(&raw), noticed, err);
    }
    if (code == FD_OK)
        noticed->reply = channel_notice_reply(id, !refused);
    else
        noticed->outcome = "failed";
    channel_notice_release(notice);
    free(notice);
    buf_release(&raw);
    return code;
}
