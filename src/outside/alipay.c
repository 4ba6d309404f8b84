/* Alipay, precreated trades that the customer scans. Source: facts B4. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "outside/alipay_internal.h"

static const struct text_rule subject_rule = {.bytes_most = 3, .refused = "/=&", .instead = '-', .chars = 256},
                              reason_rule = {.bytes_most = 3, .refused = "/=&", .instead = '-', .chars = 256};

static enum channel_outcome unreadable(struct channel_trouble *trouble, const char *why)
{
    log_line(LOG_WARN, "channel ALIPAY: a verified answer does not fit the question: %s", why);
    return trouble_fill(trouble, CHANNEL_UNKNOWN, "", _("The channel's answer does not fit the question."), NULL);
}

/* Numbers of the online system may have other signs than ours; they travel inside JSON, encoded. */
static bool is_number(const char *number)
{
    return is_number_of(number, "_-|*@", 64);
}

static enum channel_outcome bad_number(struct channel_trouble *trouble)
{
    return trouble_fill(trouble, CHANNEL_REFUSED, "", _("The channel does not take a number of this form."), NULL);
}

static bool is_text(const struct tree *tree, const char *key, const char *wanted)
{
    const char *text = tree_get_text(tree, key);
    return text && strcmp(text, wanted) == 0;
}

bool alipay_amount(const char *text, int64_t *fen)
{
    return text && strlen(text) < FEN_TEXT && fen_from_decimal(text, fen) && *fen >= 0 && *fen <= FEN_MAX;
}

static const struct {
    const char *name;
    enum trade_state state;
    bool finished;
} states[] = {{"WAIT_BUYER_PAY", TRADE_WAITING, false},
              {"TRADE_SUCCESS", TRADE_PAID, false},
              {"TRADE_FINISHED", TRADE_PAID, true},
              {"TRADE_CLOSED", TRADE_CLOSED, false}};

bool alipay_read_state(const char *status, struct channel_trade *trade)
{
    for (size_t i = 0; status && i < sizeof states / sizeof *states; i++) {
        if (strcmp(states[i].name, status) == 0) {
            trade->state = states[i].state;
            trade->finished = states[i].finished;
            return true;
        }
    }
    return false;
}

/* ---- trades ---- */

static enum channel_outcome alipay_create(struct channel *channel, const struct channel_order *order, char *code,
                                          struct channel_trouble *trouble)
{
    if (!is_number_of(order->out_trade_no, "_", 64))
        return bad_number(trouble);
    char subject[4 * 257], amount[FEN_TEXT], until[WALL_TEXT];
    text_for_channel(order->subject, &subject_rule, subject, sizeof subject);
    struct tree *biz = tree_object(), *answer;
    tree_put_text(biz, "out_trade_no", order->out_trade_no);
    tree_put_text(biz, "total_amount", fen_decimal(order->amount_fen, amount));
    tree_put_text(biz, "subject", subject[0] ? subject : order->out_trade_no);
    tree_put_text(biz, "product_code", "FACE_TO_FACE_PAYMENT");
    tree_put_text(biz, "seller_id", channel->merchant);
    tree_put_text(biz, "time_expire", alipay_when(order->until, until));
    enum channel_outcome outcome = alipay_call(channel, "alipay.trade.precreate", biz, &answer, NULL, trouble);
    if (outcome == CHANNEL_DONE && !is_text(answer, "out_trade_no", order->out_trade_no))
        outcome = unreadable(trouble, "out_trade_no");
    if (outcome == CHANNEL_DONE && !copy_number(code, CHANNEL_CODE_BYTES, tree_get_text(answer, "qr_code")))
        outcome = unreadable(trouble, "no qr_code");
    tree_free(&answer);
    return outcome;
}

static const char *read_trade(const struct tree *answer, struct channel_trade *trade)
{
    int64_t back_fen = 0;
    const char *paid_at = tree_get_text(answer, "send_pay_date"), *back = tree_get_text(answer, "refund_fee");
    *trade = (struct channel_trade){.paid_at = WALL_NONE};
    if (!alipay_read_state(tree_get_text(answer, "trade_status"), trade))
        return "unknown trade_status";
    if (!alipay_amount(tree_get_text(answer, "total_amount"), &trade->amount_fen))
        return "total_amount";
    if (!copy_number(trade->trade_no, sizeof trade->trade_no, tree_get_text(answer, "trade_no")))
        return "trade_no";
    if (paid_at && paid_at[0] && !wall_from_sql(paid_at, &trade->paid_at))
        return "send_pay_date";
    if (trade->state == TRADE_PAID && trade->paid_at == WALL_NONE)
        return "no send_pay_date";
    if (back && !alipay_amount(back, &back_fen))
        return "refund_fee";
    trade->refunded = back_fen > 0;
    return NULL;
}

static enum channel_outcome alipay_query(struct channel *channel, const char *out_trade_no, struct channel_trade *trade,
                                         struct channel_trouble *trouble)
{
    if (!is_number(out_trade_no))
        return bad_number(trouble);
    struct tree *biz = tree_object(), *answer;
    char *raw = NULL;
    tree_put_text(biz, "out_trade_no", out_trade_no);
    enum channel_outcome outcome = alipay_call(channel, "alipay.trade.query", biz, &answer, &raw, trouble);
    if (outcome == CHANNEL_DONE) {
        const char *why = is_text(answer, "out_trade_no", out_trade_no) ? read_trade(answer, trade) : "out_trade_no";
        if (why)
            outcome = unreadable(trouble, why);
        else
            trade->raw = raw, raw = NULL;
    }
    free(raw);
    tree_free(&answer);
    return outcome;
}

static enum channel_outcome alipay_close(struct channel *channel, const char *out_trade_no,
                                         struct channel_trouble *trouble)
{
    if (!is_number(out_trade_no))
        return bad_number(trouble);
    struct tree *biz = tree_object(), *answer;
    tree_put_text(biz, "out_trade_no", out_trade_no);
    enum channel_outcome outcome = alipay_call(channel, "alipay.trade.close", biz, &answer, NULL, trouble);
    if (outcome == CHANNEL_DONE && !tree_is_null(answer, "out_trade_no") &&
        !is_text(answer, "out_trade_no", out_trade_no))
        outcome = unreadable(trouble, "out_trade_no");
    tree_free(&answer);
    return outcome;
}

/* ---- refunds ---- */

static enum channel_outcome alipay_refund(struct channel *channel, const struct channel_back *back,
                                          struct channel_backed *backed, struct channel_trouble *trouble)
{
    if (!is_number(back->out_trade_no) || !is_number(back->out_refund_no))
        return bad_number(trouble);
    char amount[FEN_TEXT], reason[4 * 257];
    text_for_channel(back->reason ? back->reason : "", &reason_rule, reason, sizeof reason);
    struct tree *biz = tree_object(), *answer;
    tree_put_text(biz, "out_trade_no", back->out_trade_no);
    tree_put_text(biz, "out_request_no", back->out_refund_no);
    tree_put_text(biz, "refund_amount", fen_decimal(back->refund_fen, amount));
    if (reason[0])
        tree_put_text(biz, "refund_reason", reason);
    enum channel_outcome outcome = alipay_call(channel, "alipay.trade.refund", biz, &answer, NULL, trouble);
    *backed = (struct channel_backed){.refund_fen = back->refund_fen};
    if (outcome == CHANNEL_DONE &&
        (!is_text(answer, "out_trade_no", back->out_trade_no) ||
         !copy_number(backed->refund_no, sizeof backed->refund_no, tree_get_text(answer, "trade_no"))))
        outcome = unreadable(trouble, "out_trade_no or trade_no");
    /* "N" is a repetition or not certain: only the refund query tells. */
    if (outcome == CHANNEL_DONE)
        backed->state = is_text(answer, "fund_change", "Y") ? BACK_SUCCESS : BACK_PROCESSING;
    tree_free(&answer);
    return outcome;
}

static const char *read_backed(const struct tree *answer, const struct channel_back *back,
                               struct channel_backed *backed)
{
    const char *amount = tree_get_text(answer, "refund_amount");
    *backed = (struct channel_backed){.state = BACK_SUCCESS, .refund_fen = back->refund_fen};
    if (!is_text(answer, "refund_status", "REFUND_SUCCESS"))
        return "unknown refund_status";
    if (!is_text(answer, "out_trade_no", back->out_trade_no) || !is_text(answer, "out_request_no", back->out_refund_no))
        return "out_trade_no or out_request_no";
    if (amount && !alipay_amount(amount, &backed->refund_fen))
        return "refund_amount";
    if (backed->refund_fen != back->refund_fen)
        return "refund_amount is not ours";
    return copy_number(backed->refund_no, sizeof backed->refund_no, tree_get_text(answer, "trade_no")) ? NULL
                                                                                                       : "trade_no";
}

static enum channel_outcome alipay_refund_query(struct channel *channel, const struct channel_back *back,
                                                struct channel_backed *backed, struct channel_trouble *trouble)
{
    if (!is_number(back->out_trade_no) || !is_number(back->out_refund_no))
        return bad_number(trouble);
    struct tree *biz = tree_object(), *answer;
    tree_put_text(biz, "out_trade_no", back->out_trade_no);
    tree_put_text(biz, "out_request_no", back->out_refund_no);
    enum channel_outcome outcome =
        alipay_call(channel, "alipay.trade.fastpay.refund.query", biz, &answer, NULL, trouble);
    /* "10000" says only that the question was understood. */
    if (outcome == CHANNEL_DONE && tree_is_null(answer, "refund_status"))
        outcome = trouble_fill(trouble, CHANNEL_NOT_FOUND, "", _("The channel has not made this refund."), NULL);
    if (outcome == CHANNEL_DONE) {
        const char *why = read_backed(answer, back, backed);
        outcome = why ? unreadable(trouble, why) : CHANNEL_DONE;
    }
    tree_free(&answer);
    return outcome;
}

const struct channel_ops alipay_ops = {
    .name = "ALIPAY",
    .create = alipay_create,
    .query = alipay_query,
    .close = alipay_close,
    .refund = alipay_refund,
    .refund_query = alipay_refund_query,
    .notice = alipay_notice,
    .taken = {200, "text/plain", "success"},
    .again = {500, "text/plain", "fail"},
};
