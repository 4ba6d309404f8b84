/* What is said to a channel about one code, and what its answers make of the row. Every call stands outside
 * transactions; what the answer says is stored in one of its own afterwards. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "money/code_internal.h"

#define SOON_S      60 /* the channels take no time_expire nearer than this */
#define BURN_S      (2 * 60)
#define BURN_LAST_S (CODE_WECHAT_LATE_S / 2) /* no order is made to be closed so long after time_expire */
#define TEXT_LIFE_S (110 * 60)               /* a code may be shown for two hours */

/* What the customer reads at the channel; must be the same whenever the number is sent again, on whatever terminal. */

struct subject {
    const struct code_row *row;
    struct arena arena;
    char text[2 * NUMBER_BYTES];
};

static enum fd_code subject_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct subject *subject = arg;
    struct code_share *shares;
    size_t count;
    enum fd_code code = code_shares(db, subject->row, &subject->arena, &shares, &count, err);
    if (code == FD_OK)
        fit_printf(subject->text, "No. %s", count > 0 ? shares[0].order_no : subject->row->out_trade_no);
    return code;
}

static enum fd_code read_subject(struct desk *desk, const struct code_row *row, struct subject *subject,
                                 struct fd_error *err)
{
    *subject = (struct subject){.row = row};
    enum fd_code code = desk_read(desk, "code.subject", subject_txn, subject, err);
    arena_release(&subject->arena);
    return code;
}

static void log_trouble(const struct code_row *row, const char *what, enum channel_outcome outcome,
                        const struct channel_trouble *trouble)
{
    if (outcome == CHANNEL_DONE || outcome == CHANNEL_NOT_FOUND)
        return;
    log_line(LOG_WARN, "%s %s %s: http %ld %s: %s%s%s", channel_name(row->channel), what, row->out_trade_no,
             trouble->http, trouble->code, trouble->message, trouble->hint[0] ? " " : "", trouble->hint);
}

static enum fd_code refused(struct desk *desk, const struct code_row *row, enum channel_outcome outcome,
                            const struct channel_trouble *trouble, struct fd_error *err)
{
    enum fd_code code = code_give_up(desk, row->id, trouble->code[0] ? trouble->code : "REFUSED", err);
    if (code != FD_OK)
        return code;
    code = outcome == CHANNEL_CONFIG ? FD_CONFIG : FD_REFUSED;
    fd_fail(err, code, _("%s refuses this code: %s"), channel_name(row->channel),
            trouble->message[0] ? trouble->message : trouble->code);
    if (trouble->hint[0])
        fd_hint(err, "%s", trouble->hint);
    fd_detail(err, "http %ld %s", trouble->http, trouble->code);
    return code;
}

enum fd_code code_create(struct desk *desk, struct channel *channel, const struct code_row *row, bool first,
                         struct fd_error *err)
{
    struct subject subject;
    struct channel_trouble trouble = {0};
    char text[CHANNEL_CODE_BYTES] = "";
    enum fd_code code = read_subject(desk, row, &subject, err);
    if (code != FD_OK)
        return code;
    FD_ASSERT(!desk->in_txn);
    const struct channel_order order = {row->out_trade_no, row->amount_fen, subject.text, row->until};
    enum channel_outcome outcome = channel_create(channel, &order, text, &trouble);
    log_trouble(row, "create", outcome, &trouble);
    if (outcome == CHANNEL_DONE && text[0])
        return code_keep_text(desk, row->id, text, err);
    if (first && (outcome == CHANNEL_REFUSED || outcome == CHANNEL_CONFIG))
        return refused(desk, row, outcome, &trouble, err);
    /* What is shown is worth nothing any more; the next question makes it anew. */
    return row->text[0] ? code_keep_text(desk, row->id, NULL, err) : FD_OK;
}

/* The later or the earlier of the two clocks, where they differ by more than the margins allow for. row->now was read
 * before the channel was asked. */
static wall_t clock_of(const struct channel *channel, const struct code_row *row, bool later)
{
    wall_t there;
    if (!channel_now(channel, &there) || (there <= row->now + CHANNEL_SKEW_S && there >= row->now - CHANNEL_SKEW_S))
        return row->now;
    return (there > row->now) == later ? there : row->now;
}

int64_t code_late_s(enum channel_id channel)
{
    return channel == CHANNEL_ALIPAY ? CODE_ALIPAY_LATE_S : CODE_WECHAT_LATE_S;
}

/* Can nobody pay it any more? Source: domain section 1.1, "Live codes"; facts A2, A7. */
static bool is_dead(const struct channel *channel, const struct code_row *row, enum channel_outcome outcome,
                    const struct channel_trade *trade)
{
    if (outcome == CHANNEL_DONE)
        return trade->state == TRADE_CLOSED;
    bool bounded = row->until != WALL_NONE && !(row->online && row->channel == CHANNEL_WECHAT);
    return outcome == CHANNEL_NOT_FOUND && bounded &&
           clock_of(channel, row, false) >= row->until + code_late_s(row->channel);
}

struct answer {
    enum channel_outcome outcome;
    enum trade_state state;
};

/* One question, and what follows from it. */
static enum fd_code ask(struct desk *desk, struct channel *channel, const struct code_row *row, const char *source,
                        struct answer *answer, struct fd_error *err)
{
    struct channel_trade trade = {0};
    struct channel_trouble trouble = {0};
    struct settled settled;
    enum fd_code code = FD_OK;
    FD_ASSERT(!desk->in_txn);
    answer->outcome = channel_query(channel, row->out_trade_no, &trade, &trouble);
    answer->state = trade.state;
    log_trouble(row, "query", answer->outcome, &trouble);
    if (answer->outcome == CHANNEL_DONE && trade.state == TRADE_PAID)
        code = code_settle(desk, row->out_trade_no, row->channel, &trade, source, &settled, err);
    else if (is_dead(channel, row, answer->outcome, &trade))
        code = code_give_up(desk, row->id, answer->outcome == CHANNEL_DONE ? "CLOSED" : "NOT_FOUND", err);
    if (answer->outcome == CHANNEL_DONE)
        channel_trade_release(&trade);
    return code;
}

/* The first question of each new span of its life makes a fresh text, so that what is shown can be scanned: each one
 * makes the former worthless. */
static bool is_stale(const struct code_row *row)
{
    wall_t asked = row->asked_at == WALL_NONE ? row->created_at : row->asked_at;
    return (row->now - row->created_at) / TEXT_LIFE_S > (asked - row->created_at) / TEXT_LIFE_S;
}

enum fd_code code_ask(struct desk *desk, struct channel *channel, const struct code_row *row, const char *source,
                      bool *answered, struct fd_error *err)
{
    struct answer answer;
    enum fd_code code = ask(desk, channel, row, source, &answer, err);
    *answered = code == FD_OK && (answer.outcome == CHANNEL_DONE || answer.outcome == CHANNEL_NOT_FOUND);
    if (code != FD_OK || !*answered || row->online || row->until < row->now + SOON_S)
        return code;
    /* The channel has never heard of it, or has it and we lost the answer: with the same number this is the same order.
     */
    bool waits = answer.outcome == CHANNEL_NOT_FOUND || answer.state == TRADE_WAITING;
    bool nothing_to_show =
        !row->text[0] || (answer.outcome == CHANNEL_NOT_FOUND && row->channel == CHANNEL_WECHAT) || is_stale(row);
    return waits && nothing_to_show ? code_create(desk, channel, row, false, err) : FD_OK;
}

/* A WeChat order that does not exist may come to exist while our own request is on its way: it is made, so that it can
 * be closed, and only "closed" counts. Nobody sees this code. */
static void burn(struct desk *desk, struct channel *channel, const struct code_row *row, const char *subject)
{
    char text[CHANNEL_CODE_BYTES];
    struct channel_trouble trouble = {0};
    wall_t now = clock_of(channel, row, true);
    bool in_time = row->until != WALL_NONE && row->until >= now + SOON_S;
    const struct channel_order order = {row->out_trade_no, row->amount_fen, subject,
                                        in_time ? row->until : now + BURN_S};
    FD_ASSERT(!desk->in_txn);
    log_trouble(row, "create", channel_create(channel, &order, text, &trouble), &trouble);
    log_trouble(row, "close", channel_close(channel, row->out_trade_no, &trouble), &trouble);
}

/* Long after its time "not exist" is final by itself; until then nothing is made there that could outlive it. */
static bool may_burn(const struct code_row *row)
{
    return row->channel == CHANNEL_WECHAT &&
           (row->online || row->until == WALL_NONE || row->now < row->until + BURN_LAST_S);
}

enum fd_code code_end_one(struct desk *desk, struct channel *channel, const struct code_row *row,
                          enum code_there *there, struct fd_error *err)
{
    struct channel_trouble trouble = {0};
    struct subject subject;
    struct answer answer = {0};
    if (there)
        *there = THERE_SILENT;
    enum fd_code code = read_subject(desk, row, &subject, err);
    if (code != FD_OK)
        return code;
    /* Off: believed dead without asking. */
    if (FD_TOOTH("code_dead"))
        return code_give_up(desk, row->id, "BELIEVED", err);
    FD_ASSERT(!desk->in_txn);
    log_trouble(row, "close", channel_close(channel, row->out_trade_no, &trouble), &trouble);
    code = ask(desk, channel, row, "close", &answer, err);
    if (code == FD_OK && answer.outcome == CHANNEL_NOT_FOUND && may_burn(row)) {
        burn(desk, channel, row, subject.text);
        code = ask(desk, channel, row, "close", &answer, err);
    }
    if (there && code == FD_OK)
        *there = answer.outcome == CHANNEL_NOT_FOUND ? THERE_NOT
                 : answer.outcome != CHANNEL_DONE    ? THERE_SILENT
                 : answer.state == TRADE_WAITING     ? THERE_WAITS
                                                     : THERE_FINAL;
    return code;
}
