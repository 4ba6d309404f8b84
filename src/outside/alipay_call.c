/* Alipay's gateway: signed requests, answers verified over their raw bytes. Source: facts B1, B2, B4. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/text.h"
#include "outside/alipay_internal.h"
#include "outside/http.h"

#define BEIJING_S (8 * 3600)
#define DONE_CODE "10000"

#define HINT_ACCOUNT N_("Check app_id, key and public_key in the file of the channels.")
#define HINT_RIGHT   N_("Look at the application in Alipay's portal: the product may not be signed for.")

/* The gateway's own codes. */
static const struct error_row codes[] = {
    {"10003", CHANNEL_UNKNOWN, NULL}, {"20000", CHANNEL_UNKNOWN, NULL}, {"20001", CHANNEL_CONFIG, HINT_RIGHT},
    {"40001", CHANNEL_REFUSED, NULL}, {"40002", CHANNEL_REFUSED, NULL}, {"40003", CHANNEL_REFUSED, NULL},
    {"40004", CHANNEL_REFUSED, NULL}, {"40005", CHANNEL_UNKNOWN, NULL}, {"40006", CHANNEL_CONFIG, HINT_RIGHT},
    {NULL, CHANNEL_UNKNOWN, NULL},
};

/* The business's: they say more than the code beside them. */
static const struct error_row sub_codes[] = {
    {"isv.invalid-signature", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.missing-signature", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.missing-signature-key", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.missing-signature-config", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.invalid-app-id", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.missing-app-id", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.invalid-signature-type", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"isv.invalid-timestamp", CHANNEL_CONFIG, N_("Set this machine's clock right.")},
    {"isv.insufficient-isv-permissions", CHANNEL_CONFIG, HINT_RIGHT},
    {"isv.insufficient-user-permissions", CHANNEL_CONFIG, HINT_RIGHT},
    {"isv.app-call-limited", CHANNEL_UNKNOWN, NULL},
    {"isp.unknow-error", CHANNEL_UNKNOWN, NULL},
    {"aop.unknow-error", CHANNEL_UNKNOWN, NULL},
    {"ACQ.SYSTEM_ERROR", CHANNEL_UNKNOWN, NULL},
    {"ACQ.TRADE_NOT_EXIST", CHANNEL_NOT_FOUND, NULL},
    {"ACQ.ACCESS_FORBIDDEN", CHANNEL_CONFIG, HINT_RIGHT},
    {"ACQ.PARTNER_ERROR", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"ACQ.INVALID_PARAMETER", CHANNEL_REFUSED, NULL},
    {"ACQ.EXIST_FORBIDDEN_WORD", CHANNEL_REFUSED, N_("The text of the order holds a word that Alipay refuses.")},
    {"ACQ.TOTAL_FEE_EXCEED", CHANNEL_REFUSED, NULL},
    {"ACQ.CONTEXT_INCONSISTENT", CHANNEL_REFUSED, NULL},
    {"ACQ.TRADE_HAS_SUCCESS", CHANNEL_REFUSED, NULL},
    {"ACQ.TRADE_HAS_CLOSE", CHANNEL_REFUSED, NULL},
    {"ACQ.TRADE_HAS_FINISHED", CHANNEL_REFUSED, N_("Alipay refunds this trade no more: pay the money back by hand.")},
    {"ACQ.TRADE_STATUS_ERROR", CHANNEL_REFUSED, NULL},
    {"ACQ.BUYER_SELLER_EQUAL", CHANNEL_REFUSED, NULL},
    {"ACQ.TRADE_BUYER_NOT_MATCH", CHANNEL_REFUSED, NULL},
    {"ACQ.PAYMENT_AUTH_CODE_INVALID", CHANNEL_REFUSED, NULL},
    {"ACQ.SELLER_BALANCE_NOT_ENOUGH", CHANNEL_REFUSED,
     N_("The merchant's balance is too small: put money in, then try again.")},
    {"ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", CHANNEL_REFUSED, NULL},
    {"ACQ.REASON_TRADE_REFUND_FEE_ERR", CHANNEL_REFUSED, NULL},
    {"ACQ.TRADE_NOT_ALLOW_REFUND", CHANNEL_REFUSED, NULL},
    {"ACQ.DISCORDANT_REPEAT_REQUEST", CHANNEL_REFUSED, NULL},
    {NULL, CHANNEL_UNKNOWN, NULL},
};

const char *alipay_when(wall_t wall, char text[WALL_TEXT])
{
    return wall_sql(wall, text);
}

/* ---- requests ---- */

static void sign_request(struct channel *channel, const char *method, const char *biz, struct params *params)
{
    char now[WALL_TEXT];
    const struct param_pair pairs[] = {
        {"app_id", channel->app}, {"method", method},
        {"format", "JSON"},       {"charset", "utf-8"},
        {"sign_type", "RSA2"},    {"timestamp", alipay_when(time(NULL) + BEIJING_S, now)},
        {"version", "1.0"},       {"notify_url", channel->notify_url ? channel->notify_url : ""},
        {"biz_content", biz},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].value[0])
            params_add(params, pairs[i].name, pairs[i].value);
    char *text = params_text(params, "sign", NULL);
    char *signature = rsa_sign(channel->key, text, strlen(text));
    params_add(params, "sign", signature);
    free(signature);
    free(text);
}

static enum channel_outcome send_request(struct channel *channel, const char *method, struct tree *biz,
                                         struct http_answer *answer, struct channel_trouble *trouble)
{
    struct params params = {0};
    char *content = tree_dump(biz);
    sign_request(channel, method, content, &params);
    char *query = params_form(&params, "biz_content", true), *body = params_form(&params, "biz_content", false);
    char *url = xprintf("%s?%s", channel->base, query);
    struct http_request http = {.method = "POST",
                                .url = url,
                                .headers = "Content-Type: application/x-www-form-urlencoded;charset=utf-8\n",
                                .body = body,
                                .bytes = strlen(body)};
    enum channel_outcome outcome = channel_http(channel, &http, answer, trouble);
    free(url);
    free(body);
    free(query);
    free(content);
    params_release(&params);
    return outcome;
}

/* ---- answers ---- */

static char *node_name(const char *method)
{
    char *name = xprintf("%s_response", method);
    for (char *at = name; *at; at++)
        if (*at == '.')
            *at = '_';
    return name;
}

/* Alipay's own kit does the same: some gateways sign before, some after "/" is escaped. */
static char *without_escapes(const char *text)
{
    char *copy = xmalloc(strlen(text) + 1), *out = copy;
    for (const char *at = text; *at; at++)
        if (at[0] != '\\' || at[1] != '/')
            *out++ = *at;
    *out = '\0';
    return copy;
}

static bool is_signed_by(const struct channel *channel, const char *text, const char *signature)
{
    const struct crypto_key *key = channel_platform(channel, "");
    if (!key)
        return false;
    bool good = rsa_verify(key, text, strlen(text), signature);
    if (!good && strstr(text, "\\/")) {
        char *plain = without_escapes(text);
        good = rsa_verify(key, plain, strlen(plain), signature);
        free(plain);
    }
    return good;
}

enum alipay_proof alipay_prove(const struct channel *channel, const char *text, const char *method, char **node)
{
    char *name = node_name(method);
    const char *raw;
    size_t bytes;
    bool found = json_raw_member(text, name, &raw, &bytes) || json_raw_member(text, "error_response", &raw, &bytes);
    free(name);
    *node = NULL;
    struct tree *whole = tree_parse(text);
    const char *signature = tree_get_text(whole, "sign");
    enum alipay_proof proof = ALIPAY_UNREADABLE;
    if (found && whole && bytes && raw[0] == '{') {
        *node = xprintf("%.*s", (int)bytes, raw);
        proof = !signature || !signature[0]               ? ALIPAY_UNSIGNED
                : is_signed_by(channel, *node, signature) ? ALIPAY_GOOD
                                                          : ALIPAY_WRONG;
    }
    tree_free(&whole);
    return proof;
}

static enum channel_outcome sort_error(const struct tree *tree, const char *headers, struct channel_trouble *trouble)
{
    const char *code = tree_get_text(tree, "code"), *sub_code = tree_get_text(tree, "sub_code");
    const char *message = tree_get_text(tree, "sub_msg");
    const struct error_row *row = sub_code ? error_row_of(sub_codes, sub_code) : NULL;
    const struct error_row *general = code ? error_row_of(codes, code) : NULL;
    /* "20000" and "40005" promise nothing, whatever stands beside them. */
    if (!row || (general && general->outcome == CHANNEL_UNKNOWN))
        row = general;
    trouble_fill(trouble, row ? row->outcome : CHANNEL_UNKNOWN, sub_code ? sub_code : code,
                 message ? message : tree_get_text(tree, "msg"), row ? row->hint : NULL);
    enum channel_outcome outcome = row ? row->outcome : CHANNEL_UNKNOWN;
    if (outcome == CHANNEL_CONFIG || (outcome == CHANNEL_REFUSED && !trouble->hint[0]))
        trouble_clock(trouble, headers);
    log_line(LOG_WARN, "channel ALIPAY: code %s", trouble->code);
    return outcome;
}

/* Whom the gateway does not know it does not sign for: such an answer can say that the configuration is wrong, and
 * nothing else. */
static enum channel_outcome sort_unproved(enum alipay_proof proof, const struct tree *tree, const char *headers,
                                          struct channel_trouble *trouble)
{
    if (proof == ALIPAY_UNSIGNED && sort_error(tree, headers, trouble) == CHANNEL_CONFIG)
        return CHANNEL_CONFIG;
    static const char *const texts[] = {
        [ALIPAY_GOOD] = "",
        [ALIPAY_UNSIGNED] = N_("The answer is not signed."),
        [ALIPAY_WRONG] = N_("The answer's signature is not Alipay's."),
        [ALIPAY_UNREADABLE] = N_("The answer cannot be read."),
    };
    log_line(LOG_WARN, "channel ALIPAY: %s", texts[proof]);
    return trouble_fill(trouble, CHANNEL_UNKNOWN, "", _(texts[proof]),
                        proof == ALIPAY_WRONG ? N_("Check Alipay's public key in the file of the channels.") : NULL);
}

enum channel_outcome alipay_answer(const struct channel *channel, const char *method, const struct http_answer *http,
                                   struct tree **answer, char **raw, struct channel_trouble *trouble)
{
    bool whole = is_whole_text(http->body.text, http->body.bytes, HTTP_ANSWER_BYTES);
    if (http->status != 200 || !whole)
        return trouble_fill(trouble, CHANNEL_UNKNOWN, "", _("The answer cannot be read."), NULL);
    char *node = NULL;
    enum alipay_proof proof = alipay_prove(channel, http->body.text, method, &node);
    struct tree *tree = tree_parse(node);
    enum channel_outcome outcome = CHANNEL_DONE;
    const char *code = tree_get_text(tree, "code");
    if (proof != ALIPAY_GOOD || !tree)
        outcome = sort_unproved(proof, tree, buf_text(&http->headers), trouble);
    else if (!code || strcmp(code, DONE_CODE) != 0)
        outcome = sort_error(tree, buf_text(&http->headers), trouble);
    if (outcome == CHANNEL_DONE) {
        *answer = tree;
        tree = NULL;
        if (raw)
            *raw = node, node = NULL;
    }
    tree_free(&tree);
    free(node);
    return outcome;
}

enum channel_outcome alipay_call(struct channel *channel, const char *method, struct tree *biz, struct tree **answer,
                                 char **raw, struct channel_trouble *trouble)
{
    struct http_answer http = {0};
    *answer = NULL;
    enum channel_outcome outcome = send_request(channel, method, biz, &http, trouble);
    tree_free(&biz);
    if (outcome == CHANNEL_DONE)
        outcome = alipay_answer(channel, method, &http, answer, raw, trouble);
    http_answer_release(&http);
    return outcome;
}
