/* What the calls of WeChat Pay do. Parameters and refusals: facts/payments A6-A10. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/token.h"
#include "sandbox/deal.h"
#include "sandbox/wechat.h"

#define NATIVE_DAYS 7
#define TEXTS       "_-|*"

static const char *text_of(const struct tree *in, const char *key)
{
    const char *text = tree_get_text(in, key);
    return text ? text : "";
}

static void param_error(struct wechat_call *call, const char *field)
{
    char *message = xprintf("参数错误：%s", field);
    wechat_refuse(call->answer, 400, "PARAM_ERROR", message);
    free(message);
}

/* ---- native order ---- */

struct text_rule {
    const char *name;
    size_t least, most;
};

/* The first text whose length is out of bounds. */
static const char *wrong_text(const struct tree *in, const struct text_rule *rules)
{
    for (; rules->name; rules++) {
        bool missing = tree_is_null(in, rules->name);
        size_t letters = letters_of(text_of(in, rules->name));
        if ((missing && rules->least > 0) || (!missing && !tree_is_text(in, rules->name)) ||
            (!missing && (letters < rules->least || letters > rules->most)))
            return rules->name;
    }
    return NULL;
}

/* The address must be one that the platform could call: http is for loopback, where no other is. */
static bool is_notify_url(const char *url)
{
    return !strchr(url, '?') && (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://127.0.0.1", 16) == 0 ||
                                 strncmp(url, "http://localhost", 16) == 0);
}

static bool is_amount(const struct tree *amount, const char *name)
{
    return tree_is_int(amount, name) && tree_get_int(amount, name) >= 1 && tree_get_int(amount, name) <= 10000000000LL;
}

static const char *wrong_order(struct wechat_call *call, int64_t *until)
{
    static const struct text_rule rules[] = {
        {"appid", 1, 32},        {"mchid", 1, 32},       {"description", 1, 127},
        {"out_trade_no", 6, 32}, {"attach", 0, 128},     {"notify_url", 1, 255},
        {"goods_tag", 0, 32},    {"time_expire", 0, 64}, {0},
    };
    const struct tree *amount = tree_get(call->in, "amount");
    int64_t now = box_now(call->box);
    const char *expire = text_of(call->in, "time_expire"), *wrong = wrong_text(call->in, rules);
    *until = 0;
    if (wrong)
        return wrong;
    if (!has_only(text_of(call->in, "out_trade_no"), TEXTS))
        return "out_trade_no";
    if (!is_notify_url(text_of(call->in, "notify_url")))
        return "notify_url";
    if (!is_amount(amount, "total"))
        return "amount.total";
    if (*text_of(amount, "currency") && strcmp(text_of(amount, "currency"), "CNY") != 0)
        return "amount.currency";
    if (*expire && (!time_from_rfc3339(expire, until) || *until < now + 60 || *until > now + NATIVE_DAYS * 86400))
        return "time_expire";
    return NULL;
}

static bool is_our_merchant(struct wechat_call *call, const char *appid, const char *mchid)
{
    if (strcmp(mchid, call->box->keys.mchid) == 0 && (!appid || strcmp(appid, call->box->keys.appid) == 0))
        return true;
    wechat_refuse(call->answer, 400, "INVALID_REQUEST", "appid和mch_id不匹配，或与签名的商户不一致");
    return false;
}

/* The parameters that must stay the same, in an order of our own. */
static void fingerprint(const struct tree *in, char out[65])
{
    static const char *const texts[] = {"description", "attach", "notify_url", "goods_tag", "time_expire", NULL};
    static const char *const parts[] = {"detail", "scene_info", "settle_info", "limit_pay", NULL};
    struct buf text = {0};
    for (const char *const *name = texts; *name; name++)
        buf_printf(&text, "%s=%s\n", *name, text_of(in, *name));
    buf_printf(&text, "total=%lld\n", (long long)tree_get_int(tree_get(in, "amount"), "total"));
    for (const char *const *name = parts; *name; name++) {
        char *dumped = tree_get(in, *name) ? tree_dump(tree_get(in, *name)) : xstrdup("");
        buf_printf(&text, "%s=%s\n", *name, dumped);
        free(dumped);
    }
    sha256_hex(buf_text(&text), text.bytes, out);
    buf_release(&text);
}

static struct trade *order_new(struct wechat_call *call, const char *print, int64_t until)
{
    struct trade *trade = box_add_trade(call->box);
    trade->gate = GATE_WECHAT;
    trade->stage = STAGE_WAITING;
    cut_copy(trade->number, sizeof trade->number, text_of(call->in, "out_trade_no"));
    cut_copy(trade->fingerprint, sizeof trade->fingerprint, print);
    cut_copy(trade->subject, sizeof trade->subject, text_of(call->in, "description"));
    cut_copy(trade->attach, sizeof trade->attach, text_of(call->in, "attach"));
    cut_copy(trade->notify_url, sizeof trade->notify_url, text_of(call->in, "notify_url"));
    trade->amount_fen = tree_get_int(tree_get(call->in, "amount"), "total");
    trade->made_at = box_now(call->box);
    trade->until = until;
    return trade;
}

/* An order of that number exists: may this be its repetition? */
static bool may_repeat(struct wechat_call *call, const struct trade *trade, const char *print)
{
    if (trade->stage == STAGE_CLOSED)
        wechat_refuse(call->answer, 400, "ORDER_CLOSED", "订单已关闭");
    else if (trade->stage != STAGE_WAITING)
        wechat_refuse(call->answer, 400, "ORDER_PAID", "该订单已支付");
    else if (strcmp(trade->fingerprint, print) != 0)
        wechat_refuse(call->answer, 403, "OUT_TRADE_NO_USED", "商户订单号重复，请求参数与原订单不一致");
    else
        return true;
    return false;
}

void wechat_create(struct wechat_call *call)
{
    char print[65];
    int64_t until;
    const char *wrong = wrong_order(call, &until);
    if (wrong) {
        param_error(call, wrong);
        return;
    }
    if (!is_our_merchant(call, text_of(call->in, "appid"), text_of(call->in, "mchid")))
        return;
    struct trade *trade = box_trade(call->box, GATE_WECHAT, text_of(call->in, "out_trade_no"));
    fingerprint(call->in, print);
    if (trade && !may_repeat(call, trade, print))
        return;
    if (!trade)
        trade = order_new(call, print, until);
    deal_new_code(call->box, trade);
    box_keep_trade(call->box, trade);
    box_commit(call->box);
    struct tree *tree = tree_object();
    tree_put_text(tree, "code_url", trade->code);
    answer_tree(call->answer, 200, tree);
}

/* ---- query and close ---- */

static const char *trade_state(const struct box *box, const struct trade *trade)
{
    int64_t count, last_at;
    if (trade->stage == STAGE_WAITING)
        return "NOTPAY";
    if (trade->stage == STAGE_CLOSED)
        return "CLOSED";
    refund_sum(box, trade, &count, &last_at);
    return count ? "REFUND" : "SUCCESS";
}

static const char *state_in_words(const char *state)
{
    static const char *const words[][2] = {
        {"NOTPAY", "订单未支付"}, {"CLOSED", "订单已关闭"}, {"REFUND", "订单发生过退款"}, {"SUCCESS", "支付成功"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], state) == 0)
            return words[i][1];
    return "";
}

static void put_payment(struct tree *tree, const struct trade *trade)
{
    char at[TIME_TEXT], id[40];
    struct tree *payer = tree_object(), *amount = tree_object();
    /* A forged notification tells of a payment that never was. */
    int64_t paid_fen = trade->paid_at ? trade->paid_fen : trade->amount_fen;
    fit_printf(id, "oSandbox%.20s", trade->payer[0] ? trade->payer : "nobody");
    tree_put_text(tree, "transaction_id", trade->trade_no[0] ? trade->trade_no : "4200002600202601010000000000");
    tree_put_text(tree, "trade_type", "NATIVE");
    tree_put_text(tree, "bank_type", "OTHERS");
    tree_put_text(tree, "success_time", time_rfc3339(trade->paid_at ? trade->paid_at : (int64_t)time(NULL), at));
    tree_put_text(payer, "openid", id);
    tree_put(tree, "payer", payer);
    tree_put_int(amount, "total", paid_fen);
    /* A coupon of the platform: the merchant is paid all the same. */
    tree_put_int(amount, "payer_total", paid_fen - trade->coupon_fen);
    tree_put_text(amount, "currency", "CNY");
    tree_put_text(amount, "payer_currency", "CNY");
    tree_put(tree, "amount", amount);
}

struct tree *wechat_trade_tree(const struct box *box, const struct trade *trade, const char *told)
{
    struct tree *tree = tree_object();
    const char *state = told ? told : trade_state(box, trade);
    tree_put_text(tree, "appid", box->keys.appid);
    tree_put_text(tree, "mchid", box->keys.mchid);
    tree_put_text(tree, "out_trade_no", trade->number);
    tree_put_text(tree, "trade_state", state);
    tree_put_text(tree, "trade_state_desc", state_in_words(state));
    if (trade->attach[0])
        tree_put_text(tree, "attach", trade->attach);
    if (strcmp(state, "SUCCESS") == 0 || strcmp(state, "REFUND") == 0)
        put_payment(tree, trade);
    return tree;
}

static void answer_trade(struct wechat_call *call, const struct trade *trade)
{
    char mchid[40], *end;
    const char *query = strchr(call->request->target, '?'), *asked = query ? strstr(query + 1, "mchid=") : NULL;
    size_t length = asked ? strcspn(asked + 6, "&") : 0;
    if (!asked || !percent_decode(asked + 6, length, mchid, sizeof mchid)) {
        param_error(call, "mchid");
        return;
    }
    if (!is_our_merchant(call, NULL, mchid))
        return;
    if (!trade) {
        wechat_refuse(call->answer, 404, "ORDER_NOT_EXIST", "订单不存在");
        return;
    }
    struct trade told = *trade;
    told.paid_fen += call->strike->on[FAULT_AMOUNT];
    struct tree *tree = wechat_trade_tree(call->box, &told, NULL);
    if (call->strike->on[FAULT_MERCHANT]) {
        end = mchid + strlen(mchid) - 1;
        *end = (char)(*end == '9' ? '0' : *end + 1);
        tree_put_text(tree, "mchid", mchid);
    }
    answer_tree(call->answer, 200, tree);
}

void wechat_query(struct wechat_call *call)
{
    answer_trade(call, box_trade(call->box, GATE_WECHAT, call->part));
}

void wechat_query_id(struct wechat_call *call)
{
    answer_trade(call, box_trade_by_no(call->box, GATE_WECHAT, call->part));
}

void wechat_close(struct wechat_call *call)
{
    struct trade *trade = box_trade(call->box, GATE_WECHAT, call->part);
    if (!is_our_merchant(call, NULL, text_of(call->in, "mchid")))
        return;
    if (!trade) {
        wechat_refuse(call->answer, 404, "ORDER_NOT_EXIST", "订单不存在");
        return;
    }
    if (trade->stage == STAGE_PAID || trade->stage == STAGE_FINISHED) {
        wechat_refuse(call->answer, 400, "ORDER_PAID", "订单已支付，不能关闭");
        return;
    }
    if (trade->stage == STAGE_WAITING)
        trade_close(call->box, trade);
    answer_body(call->answer, 204, NULL, NULL);
}

/* ---- refunds ---- */

/* What of a refund the payer gets, and not the giver of the coupon. */
static int64_t payer_part(const struct trade *trade, int64_t fen)
{
    return fen * (trade->paid_fen - trade->coupon_fen) / trade->paid_fen;
}

static struct tree *refund_amounts(const struct trade *trade, const struct refund *refund, int64_t extra_fen)
{
    struct tree *amount = tree_object();
    tree_put_int(amount, "total", trade->paid_fen);
    tree_put_int(amount, "refund", refund->amount_fen + extra_fen);
    tree_put_int(amount, "payer_total", trade->paid_fen - trade->coupon_fen);
    tree_put_int(amount, "payer_refund", payer_part(trade, refund->amount_fen));
    return amount;
}

static void answer_refund(struct wechat_call *call, const struct refund *refund)
{
    char at[TIME_TEXT];
    const struct trade *trade = box_trade(call->box, GATE_WECHAT, refund->trade);
    struct tree *tree = tree_object(), *amount = refund_amounts(trade, refund, call->strike->on[FAULT_AMOUNT]);
    tree_put_text(tree, "refund_id", refund->refund_no);
    tree_put_text(tree, "out_refund_no", refund->number);
    tree_put_text(tree, "transaction_id", trade->trade_no);
    tree_put_text(tree, "out_trade_no", trade->number);
    tree_put_text(tree, "channel", "ORIGINAL");
    tree_put_text(tree, "user_received_account", "支付用户零钱");
    if (refund->stage == REFUND_SUCCESS)
        tree_put_text(tree, "success_time", time_rfc3339(refund->done_at, at));
    tree_put_text(tree, "create_time", time_rfc3339(refund->made_at, at));
    tree_put_text(tree, "status", refund_stage_name(refund->stage));
    tree_put_text(tree, "funds_account", "AVAILABLE");
    tree_put(amount, "from", tree_list());
    tree_put_int(amount, "settlement_total", trade->paid_fen);
    tree_put_int(amount, "settlement_refund", refund->amount_fen);
    tree_put_int(amount, "discount_refund", refund->amount_fen - payer_part(trade, refund->amount_fen));
    tree_put_text(amount, "currency", "CNY");
    tree_put_int(amount, "refund_fee", 0);
    tree_put(tree, "amount", amount);
    answer_tree(call->answer, 200, tree);
}

struct tree *wechat_refund_notice_tree(struct box *box, const struct refund *refund)
{
    char at[TIME_TEXT];
    const struct trade *trade = box_trade(box, GATE_WECHAT, refund->trade);
    struct tree *tree = tree_object();
    tree_put_text(tree, "mchid", box->keys.mchid);
    tree_put_text(tree, "out_trade_no", refund->trade);
    tree_put_text(tree, "transaction_id", trade->trade_no);
    tree_put_text(tree, "out_refund_no", refund->number);
    tree_put_text(tree, "refund_id", refund->refund_no);
    tree_put_text(tree, "refund_status", refund_stage_name(refund->stage));
    if (refund->stage == REFUND_SUCCESS)
        tree_put_text(tree, "success_time", time_rfc3339(refund->done_at, at));
    tree_put_text(tree, "user_received_account", "支付用户零钱");
    tree_put(tree, "amount", refund_amounts(trade, refund, 0));
    return tree;
}

static const char *wrong_refund(const struct tree *in)
{
    static const struct text_rule rules[] = {
        {"out_refund_no", 1, 64}, {"reason", 0, 80},         {"notify_url", 0, 255},
        {"out_trade_no", 0, 32},  {"transaction_id", 0, 32}, {0},
    };
    const struct tree *amount = tree_get(in, "amount");
    const char *wrong = wrong_text(in, rules), *url = text_of(in, "notify_url");
    if (wrong)
        return wrong;
    if (!has_only(text_of(in, "out_refund_no"), TEXTS "@"))
        return "out_refund_no";
    if (*url && !is_notify_url(url))
        return "notify_url";
    if (!*text_of(in, "out_trade_no") && !*text_of(in, "transaction_id"))
        return "out_trade_no";
    if (!is_amount(amount, "refund") || !is_amount(amount, "total") ||
        tree_get_int(amount, "refund") > tree_get_int(amount, "total"))
        return "amount";
    return strcmp(text_of(amount, "currency"), "CNY") == 0 ? NULL : "amount.currency";
}

static const struct refusal {
    int status;
    const char *code, *message;
} refusals[REFUND_VERDICTS] = {
    [REFUND_DIFFERENT] = {400, "INVALID_REQUEST", "订单金额或退款金额与之前请求不一致，请核实后再试"},
    [REFUND_UNPAID] = {400, "INVALID_REQUEST", "订单未支付，不能退款"},
    [REFUND_FINISHED] = {403, "TRADE_ERROR", "订单不支持退款"},
    [REFUND_TOO_MUCH] = {400, "INVALID_REQUEST", "申请退款金额大于订单剩余可退金额"},
    [REFUND_TOO_SOON] = {429, "FREQUENCY_LIMITED", "同一订单两次退款须间隔一分钟"},
    [REFUND_TOO_MANY] = {403, "RULE_LIMIT", "部分退款超过50次"},
    [REFUND_TOO_LATE] = {403, "TRADE_ERROR", "订单超过一年，不能退款"},
};

static void take_refund(struct wechat_call *call, struct trade *trade)
{
    struct refund *refund;
    const struct tree *amount = tree_get(call->in, "amount");
    const struct refund_ask ask = {
        .number = text_of(call->in, "out_refund_no"),
        .reason = text_of(call->in, "reason"),
        .notify_url = text_of(call->in, "notify_url"),
        .amount_fen = tree_get_int(amount, "refund"),
    };
    if (trade->paid_fen && tree_get_int(amount, "total") != trade->paid_fen) {
        wechat_refuse(call->answer, 400, "INVALID_REQUEST", "订单金额与原订单不一致");
        return;
    }
    enum refund_verdict verdict = refund_take(call->box, trade, &ask, &refund);
    if (verdict == REFUND_NEW || verdict == REFUND_AGAIN)
        answer_refund(call, refund);
    else
        wechat_refuse(call->answer, refusals[verdict].status, refusals[verdict].code, refusals[verdict].message);
}

void wechat_refund(struct wechat_call *call)
{
    const char *wrong = wrong_refund(call->in);
    const char *number = text_of(call->in, "out_trade_no"), *id = text_of(call->in, "transaction_id");
    if (wrong) {
        param_error(call, wrong);
        return;
    }
    if (call->strike->on[FAULT_BALANCE]) {
        wechat_refuse(call->answer, 403, "NOT_ENOUGH", "基本账户余额不足，请充值后重新发起");
        return;
    }
    struct trade *trade = *id ? box_trade_by_no(call->box, GATE_WECHAT, id) : box_trade(call->box, GATE_WECHAT, number);
    if (trade)
        take_refund(call, trade);
    else
        wechat_refuse(call->answer, 404, "RESOURCE_NOT_EXISTS", "订单号不存在");
}

void wechat_refund_query(struct wechat_call *call)
{
    const struct refund *refund = box_refund(call->box, GATE_WECHAT, call->part);
    if (refund)
        answer_refund(call, refund);
    else
        wechat_refuse(call->answer, 404, "RESOURCE_NOT_EXISTS", "退款单不存在");
}

void wechat_refund_abnormal(struct wechat_call *call)
{
    struct refund *refund = NULL;
    const char *type = text_of(call->in, "type");
    for (size_t i = 0; i < call->box->refund_count; i++)
        if (strcmp(call->box->refunds[i]->refund_no, call->part) == 0)
            refund = call->box->refunds[i];
    if (strcmp(type, "USER_BANK_CARD") != 0 && strcmp(type, "MERCHANT_BANK_CARD") != 0) {
        param_error(call, "type");
    } else if (!refund || refund->gate != GATE_WECHAT) {
        wechat_refuse(call->answer, 404, "RESOURCE_NOT_EXISTS", "退款单不存在");
    } else if (refund->stage != REFUND_ABNORMAL) {
        wechat_refuse(call->answer, 400, "INVALID_REQUEST", "退款单不是异常状态");
    } else {
        int64_t wait_s = call->box->settings.auto_refund_s;
        refund->stage = REFUND_PROCESSING;
        refund->due_at = wait_s < 0 ? 0 : box_now(call->box) + wait_s;
        box_keep_refund(call->box, refund);
        box_commit(call->box);
        answer_refund(call, refund);
    }
}

/* ---- certificates ---- */

void wechat_certificates(struct wechat_call *call)
{
    char at[TIME_TEXT];
    struct box *box = call->box;
    if (box->settings.serial == SERIAL_PUBLIC) {
        wechat_refuse(call->answer, 404, "RESOURCE_NOT_EXISTS", "无可用的平台证书，请使用微信支付公钥");
        return;
    }
    struct tree *tree = tree_object(), *list = tree_list(), *one = tree_object();
    int64_t now = (int64_t)time(NULL);
    tree_put_text(one, "serial_no", box->keys.certificate_id);
    tree_put_text(one, "effective_time", time_rfc3339(now - 86400, at));
    tree_put_text(one, "expire_time", time_rfc3339(now + 4 * 365 * 86400LL, at));
    tree_put(one, "encrypt_certificate", wechat_sealed_tree(box, box->keys.certificate, "certificate", NULL));
    tree_add(list, one);
    tree_put(tree, "data", list);
    answer_tree(call->answer, 200, tree);
}
