/* What Alipay tells by itself. Its times are not compared with the clock: the same notification comes again for a day
 * when nobody answers, so repetition is told by notify_id. Source: facts B3. */
#include <stdlib.h>
#include <string.h>

#include "outside/alipay_internal.h"

/* A few kinds keep sign_type in what they sign. */
static bool is_proved(const struct channel *channel, const struct params *params)
{
    const struct crypto_key *key = channel_platform(channel, "");
    const char *signature = params_get(params, "sign");
    if (!key || !signature)
        return false;
    bool good = false;
    for (int keep = 0; keep < 2 && !good; keep++) {
        char *text = params_text(params, "sign", keep ? NULL : "sign_type");
        good = rsa_verify(key, text, strlen(text), signature);
        free(text);
    }
    return good;
}

static bool is_same(const struct params *params, const char *name, const char *wanted)
{
    const char *value = params_get(params, name);
    return value && strcmp(value, wanted) == 0;
}

static const char *read_trade(const struct params *params, struct channel_notice *notice)
{
    struct channel_trade *trade = &notice->trade;
    int64_t back_fen = 0;
    const char *paid_at = params_get(params, "gmt_payment"), *back = params_get(params, "refund_fee");
    *trade = (struct channel_trade){.paid_at = WALL_NONE};
    if (!copy_number(notice->out_trade_no, sizeof notice->out_trade_no, params_get(params, "out_trade_no")))
        return "no out_trade_no";
    if (!alipay_read_state(params_get(params, "trade_status"), trade))
        return "unknown trade_status";
    if (!alipay_amount(params_get(params, "total_amount"), &trade->amount_fen))
        return "total_amount";
    if (!copy_number(trade->trade_no, sizeof trade->trade_no, params_get(params, "trade_no")))
        return "trade_no";
    if (paid_at && paid_at[0] && !wall_from_sql(paid_at, &trade->paid_at))
        return "gmt_payment";
    if (trade->state == TRADE_PAID && trade->paid_at == WALL_NONE)
        return "no gmt_payment";
    if (back && back[0] && !alipay_amount(back, &back_fen))
        return "refund_fee";
    trade->refunded = back_fen > 0;
    return NULL;
}

/* A finished trade carries its old refunds along: that is no news of a refund. */
static bool tells_of_refund(const struct params *params, struct channel_notice *notice)
{
    return notice->trade.refunded && !notice->trade.finished &&
           copy_number(notice->out_refund_no, sizeof notice->out_refund_no, params_get(params, "out_biz_no"));
}

static enum notice_verdict read_proved(const struct channel *channel, const struct params *params,
                                       struct channel_notice *notice)
{
    if (!copy_number(notice->id, sizeof notice->id, params_get(params, "notify_id")))
        return notice_say(notice, NOTICE_MALFORMED, "no notify_id");
    if (!is_same(params, "app_id", channel->app))
        return notice_say(notice, NOTICE_WRONG_MERCHANT, "another app_id");
    if (!is_same(params, "notify_type", "trade_status_sync"))
        return NOTICE_OTHER;
    if (!is_same(params, "seller_id", channel->merchant))
        return notice_say(notice, NOTICE_WRONG_MERCHANT, "another seller_id");
    const char *why = read_trade(params, notice);
    if (why)
        return notice_say(notice, NOTICE_MALFORMED, why);
    if (!tells_of_refund(params, notice))
        return NOTICE_PAYMENT;
    notice->backed.state = BACK_SUCCESS;
    cut_copy(notice->backed.refund_no, sizeof notice->backed.refund_no, notice->trade.trade_no);
    return NOTICE_REFUND;
}

enum notice_verdict alipay_notice(struct channel *channel, const struct channel_message *message, int64_t now,
                                  struct channel_notice *notice)
{
    (void)now;
    struct params params = {0};
    char *form = xprintf("%.*s", (int)message->body_bytes, message->body);
    enum notice_verdict verdict;
    if (!params_from_form(form, &params))
        verdict = notice_say(notice, NOTICE_MALFORMED, "the body is no form");
    else if (!is_proved(channel, &params))
        verdict = notice_say(notice, NOTICE_FORGED, "the signature is not Alipay's");
    else
        verdict = read_proved(channel, &params, notice);
    if (verdict == NOTICE_PAYMENT || verdict == NOTICE_REFUND) {
        notice->trade.raw = form;
        form = NULL;
    }
    free(form);
    params_release(&params);
    return verdict;
}
