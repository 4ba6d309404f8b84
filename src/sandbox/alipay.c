/* The gate of Alipay: checks the signature over the parameters, lets it strike or run, signs the raw answer. */
#include "sandbox/alipay.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/money.h"
#include "base/token.h"

static const struct method {
    const char *name;
    enum op op;
    void (*run)(struct alipay_call *call);
} methods[] = {
    {"alipay.trade.precreate", OP_CREATE, alipay_precreate},
    {"alipay.trade.query", OP_QUERY, alipay_query},
    {"alipay.trade.close", OP_CLOSE, alipay_close},
    {"alipay.trade.cancel", OP_CANCEL, alipay_cancel},
    {"alipay.trade.refund", OP_REFUND, alipay_refund},
    {"alipay.trade.fastpay.refund.query", OP_REFUND_QUERY, alipay_refund_query},
};

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

static const char *message_of(const char *code)
{
    static const char *const messages[][2] = {
        {"10000", "Success"},
        {"20000", "Service Currently Unavailable"},
        {"40001", "Missing Required Arguments"},
        {"40002", "Invalid Arguments"},
        {"40003", "Insufficient Conditions"},
        {"40004", "Business Failed"},
        {"40005", "Call Limited"},
        {"40006", "Insufficient Permissions"},
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (strcmp(messages[i][0], code) == 0)
            return messages[i][1];
    return "";
}

void alipay_refuse(struct tree *out, const char *code, const char *sub_code, const char *sub_msg)
{
    tree_put_text(out, "code", code);
    tree_put_text(out, "msg", message_of(code));
    tree_put_text(out, "sub_code", sub_code);
    tree_put_text(out, "sub_msg", sub_msg);
}

/* ---- the gate ---- */

struct gate_error {
    const char *code, *sub_code, *sub_msg;
};

static bool signature_is_good(const struct box *box, struct form *form)
{
    static const char *const without[] = {"sign", NULL};
    char *text = form_signed_text(form, without);
    bool good = rsa_verify(box->keys.app, text, strlen(text), form_get(form, "sign"));
    free(text);
    return good;
}

/* What the gateway refuses before any method looks; without a signature, because it does not know for whom. */
static const struct gate_error *gate_refuses(const struct box *box, struct form *form)
{
    static const struct gate_error errors[] = {
        {"40001", "isv.missing-method", "缺少方法名参数"},
        {"40002", "isv.invalid-app-id", "无效的AppID参数"},
        {"40002", "isv.invalid-signature-type", "无效的签名类型"},
        {"40002", "isv.invalid-charset", "字符集错误"},
        {"40002", "isv.invalid-timestamp", "非法的时间戳参数"},
        {"40002", "isv.invalid-version", "非法的版本参数"},
        {"40002", "isv.invalid-signature", "验签出错，建议检查签名字符串或签名私钥与应用公钥是否匹配"},
    };
    int64_t at;
    const char *format = form_get(form, "format");
    if (!*form_get(form, "method"))
        return &errors[0];
    if (strcmp(form_get(form, "app_id"), box->keys.app_id) != 0)
        return &errors[1];
    if (strcmp(form_get(form, "sign_type"), "RSA2") != 0)
        return &errors[2];
    if (strcasecmp(form_get(form, "charset"), "utf-8") != 0 || (*format && strcmp(format, "JSON") != 0))
        return &errors[3];
    if (!time_from_beijing(form_get(form, "timestamp"), &at))
        return &errors[4];
    if (strcmp(form_get(form, "version"), "1.0") != 0)
        return &errors[5];
    return signature_is_good(box, form) ? NULL : &errors[6];
}

/* ---- the answer ---- */

static char *escaped_slashes(const char *text)
{
    struct buf out = {0};
    for (; *text; text++) {
        if (*text == '/')
            buf_add(&out, "\\");
        buf_add_bytes(&out, text, 1);
    }
    return buf_take(&out);
}

static char *sign_raw(const struct box *box, const char *raw, const struct strike *strike)
{
    char *signature = rsa_sign(strike->on[FAULT_SIGN] ? box->keys.app : box->keys.alipay, raw, strlen(raw));
    if (!strike->on[FAULT_PROBE] && !strike->on[FAULT_SERIAL] && !strike->on[FAULT_STALE])
        return signature;
    /* What Alipay's signature does not have breaks it here, so that these switches strike too. */
    signature[10] = signature[10] == 'A' ? 'B' : 'A';
    return signature;
}

/* {"alipay_trade_query_response":RAW,"sign":"…"}: signed is the text that is sent, not what it means. */
static void answer_raw(const struct alipay_call *call, const char *method, bool is_signed, struct answer *answer)
{
    char *raw = tree_dump(call->out), *sign = is_signed ? sign_raw(call->box, raw, call->strike) : NULL;
    struct buf text = {0};
    if (is_signed && call->strike->on[FAULT_ESCAPE]) {
        char *escaped = escaped_slashes(raw);
        free(raw);
        raw = escaped;
    }
    char *quote = is_signed && call->strike->on[FAULT_FLIP] ? strstr(raw, "\":\"") : NULL;
    if (quote)
        quote[3] ^= 1;
    buf_add(&text, "{\"");
    for (; *method; method++)
        buf_add_bytes(&text, *method == '.' ? "_" : method, 1);
    buf_printf(&text, "_response\":%s", raw);
    if (sign && !call->strike->on[FAULT_UNSIGNED])
        buf_printf(&text, ",\"sign\":\"%s\"", sign);
    buf_add(&text, "}");
    free(raw);
    free(sign);
    answer_body(answer, 200, "text/html;charset=utf-8", buf_take(&text));
}

static void html_error(struct answer *answer, int status)
{
    answer_body(answer, status, "text/html", xprintf("<html><body><h1>%d</h1></body></html>", status));
}

static void renew(struct alipay_call *call)
{
    tree_free(&call->out);
    call->out = tree_object();
}

/* What struck instead of the deed; false: nothing. The two of HTTP itself are answered at once. */
static bool struck_before(struct alipay_call *call)
{
    if (call->strike->on[FAULT_BUSY])
        alipay_refuse(call->out, "20000", "isp.unknow-error", "系统繁忙");
    else if (call->strike->on[FAULT_RATE])
        alipay_refuse(call->out, "40005", "isv.app-call-limited", "应用调用次数超限");
    else if (call->strike->on[FAULT_REFUSED])
        alipay_refuse(call->out, "40004", "ACQ.TOTAL_FEE_EXCEED", "订单总金额超过限额");
    else
        return call->strike->on[FAULT_BEFORE] || call->strike->on[FAULT_EMPTY];
    return true;
}

static void run_method(struct alipay_call *call, const struct method *method, struct answer *answer)
{
    if (!call->in || tree_is_list(call->in))
        alipay_refuse(call->out, "40002", "isv.invalid-parameter", "biz_content不是合法的JSON");
    else if (!struck_before(call)) {
        method->run(call);
        if (call->strike->on[FAULT_ACCEPTED]) {
            renew(call);
            alipay_refuse(call->out, "20000", "ACQ.SYSTEM_ERROR", "系统错误");
        }
    }
    answer_raw(call, method->name, true, answer);
    if (call->strike->on[FAULT_BEFORE] || call->strike->on[FAULT_AFTER])
        html_error(answer, 500);
    answer_strike(answer, call->strike);
}

static void pass_gate(struct alipay_call *call, struct form *form, struct answer *answer)
{
    struct strike strike = {0};
    const struct gate_error *error = gate_refuses(call->box, form);
    const struct method *method = find_method(form_get(form, "method"));
    call->strike = &strike;
    if (error) {
        alipay_refuse(call->out, error->code, error->sub_code, error->sub_msg);
        answer_raw(call, method ? method->name : "error", false, answer);
    } else if (!method) {
        alipay_refuse(call->out, "40002", "isv.invalid-method", "不存在的方法名");
        answer_raw(call, "error", true, answer);
    } else {
        strike = faults_take(&call->box->faults, GATE_ALIPAY, method->op);
        run_method(call, method, answer);
    }
}

void alipay_answer(struct box *box, const struct request *request, struct answer *answer)
{
    struct form form = {0};
    const char *query = strchr(request->target, '?');
    if (strcmp(request->method, "POST") != 0) {
        html_error(answer, 405);
        return;
    }
    if (query)
        form_read(&form, query + 1);
    form_read(&form, buf_text(&request->body));
    struct tree *in = tree_parse(form_get(&form, "biz_content"));
    struct alipay_call call = {.box = box, .form = &form, .in = in, .out = tree_object()};
    pthread_mutex_lock(&box->lock);
    pass_gate(&call, &form, answer);
    pthread_mutex_unlock(&box->lock);
    tree_free(&call.out);
    tree_free(&in);
    form_release(&form);
}

/* ---- notifications ---- */

static void add_field(struct form *form, const char *name, const char *value)
{
    form->fields = xrealloc(form->fields, form->count + 1, sizeof *form->fields);
    form->fields[form->count++] = (struct form_field){xstrdup(name), xstrdup(value)};
}

static void add_money(struct form *form, const char *name, int64_t fen)
{
    char text[FEN_TEXT];
    add_field(form, name, fen_decimal(fen, text));
}

static void add_time(struct form *form, const char *name, int64_t at)
{
    char text[TIME_TEXT];
    if (at)
        add_field(form, name, time_beijing(at, text));
}

static void add_common(struct form *form, const struct box *box, const struct notice *notice)
{
    add_time(form, "notify_time", (int64_t)time(NULL));
    add_field(form, "notify_type", "trade_status_sync");
    add_field(form, "notify_id", notice->id);
    add_field(form, "app_id", box->keys.app_id);
    add_field(form, "auth_app_id", box->keys.app_id);
    add_field(form, "charset", "utf-8");
    add_field(form, "version", "1.0");
    add_field(form, "sign_type", "RSA2");
    add_field(form, "seller_id", box->keys.seller_id);
}

static void add_trade(struct form *form, const struct notice *notice, const struct trade *trade)
{
    bool is_refund = notice->refund[0] != '\0';
    int64_t paid_fen = trade->paid_at ? trade->paid_fen : trade->amount_fen;
    bool whole = is_refund && notice->refunded_fen >= paid_fen;
    add_field(form, "trade_no", trade->trade_no[0] ? trade->trade_no : "2026010122001400000000000000");
    add_field(form, "out_trade_no", trade->number);
    add_field(form, "trade_status", whole ? "TRADE_CLOSED" : "TRADE_SUCCESS");
    add_money(form, "total_amount", paid_fen);
    add_money(form, "receipt_amount", paid_fen);
    add_money(form, "buyer_pay_amount", paid_fen - trade->coupon_fen);
    add_field(form, "subject", trade->subject);
    add_field(form, "passback_params", trade->attach);
    add_field(form, "buyer_logon_id", "san***@example.com");
    add_field(form, "fund_bill_list", "[{\"amount\":\"0.00\",\"fundChannel\":\"ALIPAYACCOUNT\"}]");
    add_time(form, "gmt_create", trade->made_at);
    add_time(form, "gmt_payment", trade->paid_at ? trade->paid_at : (int64_t)time(NULL));
    if (is_refund) {
        add_field(form, "out_biz_no", notice->refund);
        add_money(form, "refund_fee", notice->refunded_fen);
        add_time(form, "gmt_refund", notice->made_at);
    }
    if (whole)
        add_time(form, "gmt_close", notice->made_at);
}

char *alipay_notice_form(const struct box *box, const struct notice *notice, const struct trade *trade,
                         const struct crypto_key *key)
{
    static const char *const without[] = {"sign", "sign_type", NULL};
    struct form form = {0};
    struct buf out = {0};
    add_common(&form, box, notice);
    add_trade(&form, notice, trade);
    char *text = form_signed_text(&form, without), *sign = rsa_sign(key, text, strlen(text));
    add_field(&form, "sign", sign);
    for (size_t i = 0; i < form.count; i++) {
        char *value = percent_encode(form.fields[i].value);
        buf_printf(&out, "%s%s=%s", i ? "&" : "", form.fields[i].name, value);
        free(value);
    }
    free(text);
    free(sign);
    form_release(&form);
    return buf_take(&out);
}
