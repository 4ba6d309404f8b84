/* The gate of WeChat Pay: finds the call, checks the signature, lets it strike or run, signs the answer. */
#include "sandbox/wechat.h"

#include <stdlib.h>
#include <string.h>

#include "base/token.h"
#include "base/when.h"

/* A path with at most one number in it, '*'. */
struct route {
    const char *method, *path;
    enum op op;
    void (*run)(struct wechat_call *call);
};
static const struct route routes[] = {
    {"POST", "/v3/pay/transactions/native", OP_CREATE, wechat_create},
    {"GET", "/v3/pay/transactions/out-trade-no/*", OP_QUERY, wechat_query},
    {"GET", "/v3/pay/transactions/id/*", OP_QUERY, wechat_query_id},
    {"POST", "/v3/pay/transactions/out-trade-no/*/close", OP_CLOSE, wechat_close},
    {"POST", "/v3/refund/domestic/refunds", OP_REFUND, wechat_refund},
    {"GET", "/v3/refund/domestic/refunds/*", OP_REFUND_QUERY, wechat_refund_query},
    {"POST", "/v3/refund/domestic/refunds/*/apply-abnormal-refund", OP_REFUND, wechat_refund_abnormal},
    {"GET", "/v3/certificates", OP_CERTIFICATES, wechat_certificates},
};

static bool matches(const char *pattern, const char *path, size_t length, char part[70])
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strlen(pattern) == length && strncmp(pattern, path, length) == 0;
    size_t before = (size_t)(star - pattern), after = strlen(star + 1);
    if (length <= before + after || strncmp(pattern, path, before) != 0 ||
        strncmp(star + 1, path + length - after, after) != 0)
        return false;
    size_t middle = length - before - after;
    return !memchr(path + before, '/', middle) && percent_decode(path + before, middle, part, 70);
}

/* NULL: *status says 404 or 405. */
static const struct route *find_route(const struct request *request, char part[70], int *status)
{
    *status = 404;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (!matches(routes[i].path, request->target, strcspn(request->target, "?"), part))
            continue;
        if (strcmp(routes[i].method, request->method) == 0)
            return &routes[i];
        *status = 405;
    }
    return NULL;
}

void wechat_refuse(struct answer *answer, int status, const char *code, const char *message)
{
    struct tree *tree = tree_object();
    tree_put_text(tree, "code", code);
    tree_put_text(tree, "message", message);
    answer_tree(answer, status, tree);
}

/* What struck instead of the deed; false: nothing. */
static bool struck_before(const struct strike *strike, struct answer *answer)
{
    if (strike->on[FAULT_BEFORE])
        wechat_refuse(answer, 500, "SYSTEM_ERROR", "系统异常，请稍后重试");
    else if (strike->on[FAULT_BUSY])
        wechat_refuse(answer, 503, "SERVICE_UNAVAILABLE", "服务不可用，请稍后重试");
    else if (strike->on[FAULT_RATE])
        wechat_refuse(answer, 429, "FREQUENCY_LIMITED", "请求频率过高，请稍后重试");
    else if (strike->on[FAULT_REFUSED])
        wechat_refuse(answer, 403, "RULE_LIMIT", "业务规则限制");
    else
        return strike->on[FAULT_EMPTY];
    return true;
}

static void struck_after(const struct strike *strike, struct answer *answer)
{
    if (strike->on[FAULT_AFTER])
        wechat_refuse(answer, 500, "SYSTEM_ERROR", "系统异常，请稍后重试");
    else if (strike->on[FAULT_ACCEPTED])
        wechat_refuse(answer, 202, "USERPAYING", "请求已受理");
}

static void sign_answer(struct wechat_call *call)
{
    struct wechat_signature signature;
    struct answer *answer = call->answer;
    const char *serial = call->request->header(call->request, "Wechatpay-Serial");
    if (call->strike->on[FAULT_UNSIGNED] || call->strike->on[FAULT_EMPTY])
        return;
    wechat_sign(call->box, serial, answer->body ? answer->body : "", call->strike, &signature);
    answer_header(answer, "Wechatpay-Timestamp", "%s", signature.timestamp);
    answer_header(answer, "Wechatpay-Nonce", "%s", signature.nonce);
    answer_header(answer, "Wechatpay-Signature", "%s", signature.signature);
    answer_header(answer, "Wechatpay-Serial", "%s", signature.serial);
    answer_header(answer, "Wechatpay-Signature-Type", "WECHATPAY2-SHA256-RSA2048");
    free(signature.signature);
    /* A character in the middle of a value, so that it stays JSON. */
    char *quote = answer->body && call->strike->on[FAULT_FLIP] ? strstr(answer->body, "\":\"") : NULL;
    if (quote)
        quote[3] ^= 1;
}

/* Everything of a body that is refused before anybody looks at its fields. */
static bool body_is_wrong(const struct request *request, const struct tree *in)
{
    const char *body = buf_text(&request->body);
    bool four_bytes = false;
    for (size_t i = 0; i < request->body.bytes; i++)
        four_bytes = four_bytes || (unsigned char)body[i] >= 0xf0;
    return !in || tree_is_list(in) || four_bytes || json_has_null(body) ||
           strncmp(request->header(request, "Content-Type"), "application/json", 16) != 0;
}

static void run_call(struct wechat_call *call, const struct route *route)
{
    if (strcmp(call->request->method, "POST") == 0 && body_is_wrong(call->request, call->in))
        wechat_refuse(call->answer, 400, "PARAM_ERROR", "输入源不是合法的JSON，或含有null、四字节字符");
    else if (!struck_before(call->strike, call->answer)) {
        route->run(call);
        struck_after(call->strike, call->answer);
    }
}

static void pass_gate(struct wechat_call *call, const struct route *route)
{
    struct box *box = call->box;
    pthread_mutex_lock(&box->lock);
    const char *wrong = wechat_check_signature(box, call->request);
    if (wrong)
        wechat_refuse(call->answer, 401, "SIGN_ERROR", wrong);
    else {
        const struct strike strike = faults_take(&box->faults, GATE_WECHAT, route->op);
        call->strike = &strike;
        run_call(call, route);
        answer_strike(call->answer, &strike);
        sign_answer(call);
    }
    pthread_mutex_unlock(&box->lock);
}

void wechat_answer(struct box *box, const struct request *request, struct answer *answer)
{
    struct wechat_call call = {.box = box, .request = request, .answer = answer};
    char id[KEY_BYTES];
    int status;
    const struct route *route = find_route(request, call.part, &status);
    key_new(id);
    answer_header(answer, "Request-ID", "%s-268435457", id);
    if (!route)
        answer_body(answer, status, NULL, NULL);
    else if (!*request->header(request, "User-Agent"))
        wechat_refuse(answer, 400, "PARAM_ERROR", "Http头缺少Accept或User-Agent");
    else if (!*request->header(request, "Accept"))
        wechat_refuse(answer, 400, "PARAM_ERROR", "Http头缺少Accept或User-Agent");
    else {
        struct tree *in = request->body.bytes ? tree_parse(buf_text(&request->body)) : NULL;
        call.in = in;
        pass_gate(&call, route);
        tree_free(&in);
    }
}
