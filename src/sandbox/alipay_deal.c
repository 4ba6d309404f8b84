/* What Alipay's methods do. Parameters and refusals: facts/payments B4. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/token.h"
#include "sandbox/alipay.h"
#include "sandbox/deal.h"

#define FACE_TO_FACE_S (3 * 3600)

static const char *text_of(const struct tree *in, const char *key)
{
    const char *text = tree_get_text(in, key);
    return text ? text : "";
}

static void put_money(struct tree *tree, const char *key, int64_t fen)
{
    char text[FEN_TEXT];
    tree_put_text(tree, key, fen_decimal(fen, text));
}

static void put_time(struct tree *tree, const char *key, int64_t at)
{
    char text[TIME_TEXT];
    tree_put_text(tree, key, time_beijing(at, text));
}

static void done(struct alipay_call *call)
{
    tree_put_text(call->out, "code", "10000");
    tree_put_text(call->out, "msg", "Success");
}

static void refuse(struct alipay_call *call, const char *sub_code, const char *sub_msg)
{
    alipay_refuse(call->out, "40004", sub_code, sub_msg);
}

/* Refused parameters name themselves. */
static void wrong(struct alipay_call *call, const char *field)
{
    char *message = xprintf("参数有误：%s", field);
    refuse(call, "ACQ.INVALID_PARAMETER", message);
    free(message);
}

/* 0.01 to 100000000, at most two decimals, as a text. */
static bool money_of(const struct tree *in, const char *key, int64_t *fen)
{
    return tree_is_text(in, key) && fen_from_decimal(tree_get_text(in, key), fen) && *fen >= 1 && *fen <= 10000000000LL;
}

/* A trade that exists at Alipay: somebody has scanned its code. */
static struct trade *find_trade(struct alipay_call *call)
{
    const char *number = text_of(call->in, "out_trade_no"), *trade_no = text_of(call->in, "trade_no");
    if (!*number && !*trade_no) {
        wrong(call, "out_trade_no");
        return NULL;
    }
    struct trade *trade =
        *trade_no ? box_trade_by_no(call->box, GATE_ALIPAY, trade_no) : box_trade(call->box, GATE_ALIPAY, number);
    if (trade && trade->trade_no[0])
        return trade;
    refuse(call, "ACQ.TRADE_NOT_EXIST", "交易不存在");
    return NULL;
}

/* ---- precreate ---- */

/* "5m", "2h", "1d" in seconds; 0: it is none. */
static int64_t span_of(const char *text)
{
    char *end;
    long count = strtol(text, &end, 10);
    static const char units[] = "mhd";
    static const int64_t seconds[] = {60, 3600, 86400};
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == text || count < 1 || count > 21600 || !unit || end[1] || count * seconds[unit - units] > 15 * 86400)
        return 0;
    return count * seconds[unit - units];
}

static const char *until_of(struct alipay_call *call, int64_t *until)
{
    int64_t now = box_now(call->box), span;
    const char *expire = text_of(call->in, "time_expire"), *timeout = text_of(call->in, "timeout_express");
    *until = now + FACE_TO_FACE_S;
    if (*expire)
        return time_from_beijing(expire, until) && *until > now && *until <= now + 15 * 86400 ? NULL : "time_expire";
    if (!*timeout)
        return NULL;
    span = span_of(timeout);
    *until = now + span;
    return span ? NULL : "timeout_express";
}

static const char *wrong_order(struct alipay_call *call, int64_t *fen, int64_t *until)
{
    const char *number = text_of(call->in, "out_trade_no"), *subject = text_of(call->in, "subject");
    const char *product = text_of(call->in, "product_code"), *seller = text_of(call->in, "seller_id");
    if (!has_only(number, "_") || strlen(number) > 64)
        return "out_trade_no";
    if (!money_of(call->in, "total_amount", fen))
        return "total_amount";
    if (!*subject || letters_of(subject) > 256 || strpbrk(subject, "/=&"))
        return "subject";
    if (*product && strcmp(product, "FACE_TO_FACE_PAYMENT") != 0)
        return "product_code";
    if (*seller && strcmp(seller, call->box->keys.seller_id) != 0)
        return "seller_id";
    return until_of(call, until);
}

static void fingerprint(const struct alipay_call *call, char out[65])
{
    static const char *const texts[] = {"total_amount", "subject",  "body",        "product_code",
                                        "seller_id",    "store_id", "terminal_id", "passback_params",
                                        "time_expire",  NULL};
    struct buf text = {0};
    for (const char *const *name = texts; *name; name++)
        buf_printf(&text, "%s=%s\n", *name, text_of(call->in, *name));
    buf_printf(&text, "notify_url=%s\n", form_get(call->form, "notify_url"));
    sha256_hex(buf_text(&text), text.bytes, out);
    buf_release(&text);
}

static struct trade *order_new(struct alipay_call *call, const char *print)
{
    struct trade *trade = box_add_trade(call->box);
    trade->gate = GATE_ALIPAY;
    trade->stage = STAGE_WAITING;
    cut_copy(trade->number, sizeof trade->number, text_of(call->in, "out_trade_no"));
    cut_copy(trade->fingerprint, sizeof trade->fingerprint, print);
    cut_copy(trade->subject, sizeof trade->subject, text_of(call->in, "subject"));
    cut_copy(trade->attach, sizeof trade->attach, text_of(call->in, "passback_params"));
    cut_copy(trade->notify_url, sizeof trade->notify_url, form_get(call->form, "notify_url"));
    trade->made_at = box_now(call->box);
    return trade;
}

static bool may_repeat(struct alipay_call *call, const struct trade *trade, const char *print)
{
    if (trade->paid_at)
        refuse(call, "ACQ.TRADE_HAS_SUCCESS", "交易已被支付");
    else if (trade->stage == STAGE_CLOSED)
        refuse(call, "ACQ.TRADE_HAS_CLOSE", "交易已经关闭");
    else if (strcmp(trade->fingerprint, print) != 0)
        refuse(call, "ACQ.CONTEXT_INCONSISTENT", "交易信息被篡改");
    else
        return true;
    return false;
}

void alipay_precreate(struct alipay_call *call)
{
    char print[65];
    int64_t fen, until;
    const char *field = wrong_order(call, &fen, &until);
    if (field) {
        wrong(call, field);
        return;
    }
    struct trade *trade = box_trade(call->box, GATE_ALIPAY, text_of(call->in, "out_trade_no"));
    fingerprint(call, print);
    if (trade && !may_repeat(call, trade, print))
        return;
    if (!trade)
        trade = order_new(call, print);
    trade->amount_fen = fen;
    trade->until = until;
    deal_new_code(call->box, trade);
    box_keep_trade(call->box, trade);
    box_commit(call->box);
    done(call);
    tree_put_text(call->out, "out_trade_no", trade->number);
    tree_put_text(call->out, "qr_code", trade->code);
}

/* ---- query, close, cancel ---- */

const char *alipay_status(const struct trade *trade)
{
    static const char *const names[STAGE_COUNT] = {"WAIT_BUYER_PAY", "TRADE_SUCCESS", "TRADE_CLOSED", "TRADE_FINISHED"};
    return names[trade->stage];
}

static void put_trade(struct tree *tree, const struct trade *trade)
{
    tree_put_text(tree, "trade_no", trade->trade_no);
    tree_put_text(tree, "out_trade_no", trade->number);
}

void alipay_query(struct alipay_call *call)
{
    const struct trade *trade = find_trade(call);
    if (!trade)
        return;
    int64_t fen = (trade->paid_at ? trade->paid_fen : trade->amount_fen) + call->strike->on[FAULT_AMOUNT];
    done(call);
    put_trade(call->out, trade);
    if (call->strike->on[FAULT_MERCHANT])
        tree_put_text(call->out, "out_trade_no", "ANOTHERMERCHANTSORDER");
    tree_put_text(call->out, "buyer_logon_id", "san***@example.com");
    tree_put_text(call->out, "trade_status", alipay_status(trade));
    put_money(call->out, "total_amount", fen);
    put_money(call->out, "receipt_amount", trade->paid_at ? fen : 0);
    put_money(call->out, "buyer_pay_amount", trade->paid_at ? fen - trade->coupon_fen : 0);
    put_money(call->out, "point_amount", 0);
    put_money(call->out, "invoice_amount", trade->paid_at ? fen : 0);
    if (trade->paid_at)
        put_time(call->out, "send_pay_date", trade->paid_at);
}

void alipay_close(struct alipay_call *call)
{
    struct trade *trade = find_trade(call);
    if (!trade)
        return;
    if (trade->stage != STAGE_WAITING) {
        refuse(call, "ACQ.TRADE_STATUS_ERROR", "交易状态不合法");
        return;
    }
    trade_close(call->box, trade);
    done(call);
    put_trade(call->out, trade);
}

static void take_back(struct alipay_call *call, struct trade *trade)
{
    struct refund *refund;
    int64_t count, last_at, left = trade->paid_fen - refund_sum(call->box, trade, &count, &last_at);
    const struct refund_ask ask = {
        .number = trade->number, .reason = "cancel", .notify_url = "", .amount_fen = left, .at_once = true};
    if (left > 0)
        refund_take(call->box, trade, &ask, &refund);
}

/* Of a trade that nobody has scanned it says it is done, and the code can be paid all the same. */
void alipay_cancel(struct alipay_call *call)
{
    struct trade *trade = box_trade(call->box, GATE_ALIPAY, text_of(call->in, "out_trade_no"));
    if (trade && trade->trade_no[0] && trade->made_at + 86400 < box_now(call->box)) {
        refuse(call, "ACQ.TRADE_CANCEL_TIME_OUT", "超过撤销时间范围");
        return;
    }
    if (trade && trade->stage == STAGE_FINISHED) {
        refuse(call, "ACQ.CANCEL_NOT_ALLOWED", "不允许撤销");
        return;
    }
    done(call);
    tree_put_text(call->out, "out_trade_no", text_of(call->in, "out_trade_no"));
    tree_put_text(call->out, "retry_flag", "N");
    if (!trade || !trade->trade_no[0])
        return;
    tree_put_text(call->out, "trade_no", trade->trade_no);
    tree_put_text(call->out, "action", trade->paid_at ? "refund" : "close");
    if (trade->stage == STAGE_WAITING)
        trade_close(call->box, trade);
    else
        take_back(call, trade);
}

/* ---- refunds ---- */

static const struct refusal {
    const char *sub_code, *sub_msg;
} refusals[REFUND_VERDICTS] = {
    [REFUND_DIFFERENT] = {"ACQ.DISCORDANT_REPEAT_REQUEST", "请求信息不一致"},
    [REFUND_UNPAID] = {"ACQ.TRADE_STATUS_ERROR", "交易状态不合法"},
    [REFUND_FINISHED] = {"ACQ.TRADE_HAS_FINISHED", "交易已完结"},
    [REFUND_TOO_MUCH] = {"ACQ.REASON_TRADE_REFUND_FEE_ERR", "退款金额无效"},
    [REFUND_TOO_SOON] = {"ACQ.TRADE_NOT_ALLOW_REFUND", "当前交易不允许退款"},
    [REFUND_TOO_MANY] = {"ACQ.TRADE_NOT_ALLOW_REFUND", "当前交易不允许退款"},
    [REFUND_TOO_LATE] = {"ACQ.TRADE_HAS_FINISHED", "交易已完结"},
};

static void answer_refund(struct alipay_call *call, const struct trade *trade, const char *change)
{
    int64_t count, last_at;
    done(call);
    put_trade(call->out, trade);
    tree_put_text(call->out, "buyer_logon_id", "san***@example.com");
    tree_put_text(call->out, "fund_change", change);
    put_money(call->out, "refund_fee", refund_sum(call->box, trade, &count, &last_at) + call->strike->on[FAULT_AMOUNT]);
    put_time(call->out, "gmt_refund_pay", last_at);
    put_money(call->out, "send_back_fee", refund_done_sum(call->box, trade));
}

void alipay_refund(struct alipay_call *call)
{
    struct refund *refund;
    struct trade *trade = find_trade(call);
    struct refund_ask ask = {.number = text_of(call->in, "out_request_no"),
                             .reason = text_of(call->in, "refund_reason"),
                             .notify_url = "",
                             .at_once = !call->strike->on[FAULT_FUND]};
    if (!trade)
        return;
    if (!money_of(call->in, "refund_amount", &ask.amount_fen) || letters_of(ask.reason) > 256 ||
        strlen(ask.number) > 64) {
        wrong(call, "refund_amount, refund_reason, out_request_no");
        return;
    }
    if (!*ask.number && ask.amount_fen != trade->paid_fen) {
        refuse(call, "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "退款金额与总金额不一致，部分退款须有请求号");
        return;
    }
    if (!*ask.number)
        ask.number = trade->number;
    if (call->strike->on[FAULT_BALANCE]) {
        refuse(call, "ACQ.SELLER_BALANCE_NOT_ENOUGH", "商户的支付宝账户余额不足");
        return;
    }
    enum refund_verdict verdict = refund_take(call->box, trade, &ask, &refund);
    if (verdict == REFUND_NEW || verdict == REFUND_AGAIN)
        answer_refund(call, trade, verdict == REFUND_NEW && ask.at_once ? "Y" : "N");
    else
        refuse(call, refusals[verdict].sub_code, refusals[verdict].sub_msg);
}

/* 10000 says that the question was understood; only refund_status says that the money went back. */
void alipay_refund_query(struct alipay_call *call)
{
    const char *number = text_of(call->in, "out_request_no");
    struct trade *trade = find_trade(call);
    if (!trade)
        return;
    const struct refund *refund = box_refund_of(call->box, trade, *number ? number : trade->number);
    done(call);
    if (!refund)
        return;
    put_trade(call->out, trade);
    tree_put_text(call->out, "out_request_no", number);
    put_money(call->out, "total_amount", trade->paid_fen);
    if (refund->stage != REFUND_SUCCESS)
        return;
    put_money(call->out, "refund_amount", refund->amount_fen + call->strike->on[FAULT_AMOUNT]);
    tree_put_text(call->out, "refund_status", "REFUND_SUCCESS");
}
