/* WeChat Pay: signed requests, verified answers, the platform's certificates. Source: facts A1-A6. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "base/token.h"
#include "outside/http.h"
#include "outside/wechat_internal.h"

#define TRY_AGAIN_MS   60000    /* certificates are asked for at most once a minute */
#define CERTIFICATE_MS 43200000 /* and at least twice a day */

#define HINT_ACCOUNT N_("Check merchant number, serial and key in the file of the channels.")
#define HINT_RIGHT   N_("Look at the merchant's account in WeChat Pay's portal.")

/* Both spellings of a word occur, by page and age of the interface: facts A6. */
static const struct error_row errors[] = {
    {"SIGN_ERROR", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"NO_AUTH", CHANNEL_CONFIG, HINT_RIGHT},
    {"NOAUTH", CHANNEL_CONFIG, HINT_RIGHT},
    {"MCH_NOT_EXISTS", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"MCH_NOT_EXIST", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"APPID_MCHID_NOT_MATCH", CHANNEL_CONFIG, HINT_ACCOUNT},
    {"ACCOUNT_ERROR", CHANNEL_REFUSED, NULL},
    {"ACCOUNTERROR", CHANNEL_REFUSED, NULL},
    {"USER_ACCOUNT_ABNORMAL", CHANNEL_REFUSED, NULL},
    {"PARAM_ERROR", CHANNEL_REFUSED, NULL},
    {"INVALID_REQUEST", CHANNEL_REFUSED, NULL},
    {"ORDER_CLOSED", CHANNEL_REFUSED, NULL},
    {"ORDERCLOSED", CHANNEL_REFUSED, NULL},
    {"ORDER_PAID", CHANNEL_REFUSED, NULL},
    {"ORDERPAID", CHANNEL_REFUSED, NULL},
    {"OUT_TRADE_NO_USED", CHANNEL_REFUSED, NULL},
    {"RULE_LIMIT", CHANNEL_REFUSED, NULL},
    {"RULELIMIT", CHANNEL_REFUSED, NULL},
    {"TRADE_ERROR", CHANNEL_REFUSED, NULL},
    {"REQUEST_BLOCKED", CHANNEL_REFUSED, HINT_RIGHT},
    {"NOT_ENOUGH", CHANNEL_REFUSED, N_("The merchant's balance is too small: put money in, then try again.")},
    {"NOTENOUGH", CHANNEL_REFUSED, N_("The merchant's balance is too small: put money in, then try again.")},
    {"NO_STATEMENT_EXIST", CHANNEL_NOT_FOUND, NULL},
    {"STATEMENT_CREATING", CHANNEL_UNKNOWN, NULL},
    {"ORDER_NOT_EXIST", CHANNEL_NOT_FOUND, NULL},
    {"ORDERNOTEXIST", CHANNEL_NOT_FOUND, NULL},
    {"RESOURCE_NOT_EXISTS", CHANNEL_NOT_FOUND, NULL},
    {"RESOURCE_NOT_EXIST", CHANNEL_NOT_FOUND, NULL},
    {"USERPAYING", CHANNEL_UNKNOWN, NULL},
    {"USER_PAYING", CHANNEL_UNKNOWN, NULL},
    {"FREQUENCY_LIMITED", CHANNEL_UNKNOWN, NULL},
    {"FREQUENCY_LIMIT_EXCEED", CHANNEL_UNKNOWN, NULL},
    {"RATELIMIT_EXCEED", CHANNEL_UNKNOWN, NULL},
    {"RATELIMIT_EXCEEDED", CHANNEL_UNKNOWN, NULL},
    {"SYSTEM_ERROR", CHANNEL_UNKNOWN, NULL},
    {"SYSTEMERROR", CHANNEL_UNKNOWN, NULL},
    {"SERVICE_UNAVAILABLE", CHANNEL_UNKNOWN, NULL},
    {NULL, CHANNEL_UNKNOWN, NULL},
};

/* For a word that is not in the table. A 404 that does not say what is missing must not free anybody's place. */
static enum channel_outcome outcome_of_status(long status)
{
    return status == 401 ? CHANNEL_CONFIG : status == 400 || status == 403 ? CHANNEL_REFUSED : CHANNEL_UNKNOWN;
}

/* ---- requests ---- */

char *wechat_request_text(const struct wechat_request *request, const struct wechat_stamp *stamp)
{
    return xprintf("%s\n%s\n%s\n%s\n%s\n", request->method, request->path, stamp->timestamp, stamp->nonce,
                   request->body ? request->body : "");
}

static char *request_headers(const struct channel *channel, const struct wechat_request *request)
{
    unsigned char random[16];
    struct wechat_stamp stamp;
    random_bytes(random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++)
        fit_printf_at(stamp.nonce + 2 * i, 3, "%02X", random[i]);
    fit_printf(stamp.timestamp, "%lld", (long long)time(NULL));
    char *text = wechat_request_text(request, &stamp);
    char *signature = rsa_sign(channel->key, text, strlen(text));
    struct buf headers = {0};
    buf_printf(&headers,
               "Authorization: WECHATPAY2-SHA256-RSA2048 "
               "mchid=\"%s\",nonce_str=\"%s\",timestamp=\"%s\",serial_no=\"%s\",signature=\"%s\"\n"
               "Accept: application/json\n",
               channel->merchant, stamp.nonce, stamp.timestamp, channel->serial, signature);
    if (request->body)
        buf_add(&headers, "Content-Type: application/json\n");
    /* The answer is signed with the key that is named here; certificates are the platform's own choice. */
    if (channel->public_key_id)
        buf_printf(&headers, "Wechatpay-Serial: %s\n", channel->public_key_id);
    free(signature);
    free(text);
    return buf_take(&headers);
}

static enum channel_outcome send_request(struct channel *channel, const struct wechat_request *request,
                                         struct http_answer *answer, struct channel_trouble *trouble)
{
    char *url = xprintf("%s%s", channel->base, request->path), *headers = request_headers(channel, request);
    struct http_request http = {.method = request->method,
                                .url = url,
                                .headers = headers,
                                .body = request->body,
                                .bytes = request->body ? strlen(request->body) : 0};
    enum channel_outcome outcome = channel_http(channel, &http, answer, trouble);
    free(headers);
    free(url);
    return outcome;
}

/* ---- proofs ---- */

enum wechat_proof wechat_prove(const struct channel *channel, const char *headers, const struct buf *body, int64_t now,
                               char serial[SERIAL_BYTES])
{
    struct wechat_stamp stamp;
    char signature[1024];
    serial[0] = '\0';
    if (!http_header(headers, "Wechatpay-Timestamp", stamp.timestamp, sizeof stamp.timestamp) ||
        !http_header(headers, "Wechatpay-Nonce", stamp.nonce, sizeof stamp.nonce) ||
        !http_header(headers, "Wechatpay-Signature", signature, sizeof signature) ||
        !http_header(headers, "Wechatpay-Serial", serial, SERIAL_BYTES) || !serial[0])
        return PROOF_MISSING;
    const struct crypto_key *key = channel_platform(channel, serial);
    if (!key)
        return PROOF_UNKNOWN_KEY;
    struct buf text = {0};
    buf_printf(&text, "%s\n%s\n", stamp.timestamp, stamp.nonce);
    buf_add_bytes(&text, buf_text(body), body->bytes);
    buf_add(&text, "\n");
    bool good = rsa_verify(key, text.text, text.bytes, signature);
    buf_release(&text);
    if (!good || !text_is_digits(stamp.timestamp) || strlen(stamp.timestamp) > 12)
        return PROOF_WRONG;
    int64_t off = now - strtoll(stamp.timestamp, NULL, 10);
    bool stale = (off > SKEW_MOST_S || off < -SKEW_MOST_S) && !FD_TOOTH("channel_age");
    return stale ? PROOF_STALE : PROOF_GOOD;
}

const char *wechat_proof_text(enum wechat_proof proof)
{
    static const char *const texts[] = {
        [PROOF_GOOD] = "",
        [PROOF_MISSING] = N_("The answer is not signed."),
        [PROOF_UNKNOWN_KEY] = N_("The answer is signed with a key of WeChat Pay that is not known here."),
        [PROOF_WRONG] = N_("The answer's signature is not WeChat Pay's."),
        [PROOF_STALE] = N_("The answer's time differs over 5 minutes from this machine's clock."),
    };
    return texts[proof];
}

bool wechat_open(const struct channel *channel, const struct tree *resource, struct buf *plain)
{
    const char *algorithm = tree_get_text(resource, "algorithm"), *aad = tree_get_text(resource, "associated_data");
    struct sealing sealing = {
        .key = channel->apiv3_key, .nonce = tree_get_text(resource, "nonce"), .aad = aad ? aad : ""};
    const char *sealed = tree_get_text(resource, "ciphertext");
    return algorithm && !strcmp(algorithm, "AEAD_AES_256_GCM") && sealing.nonce && sealed &&
           aes256gcm_open(&sealing, sealed, plain);
}

/* ---- certificates ---- */

/* Takes those that open into `into`: what opens with the APIv3 key was sealed by WeChat Pay. */
static size_t open_certificates(const struct channel *channel, const struct tree *list, struct channel *into)
{
    size_t taken = 0;
    for (size_t i = 0; i < tree_count(list); i++) {
        const struct tree *row = tree_at(list, i);
        const char *named = tree_get_text(row, "serial_no");
        struct buf pem = {0};
        char serial[SERIAL_BYTES];
        if (wechat_open(channel, tree_get(row, "encrypt_certificate"), &pem) &&
            is_whole_text(pem.text, pem.bytes, HTTP_ANSWER_BYTES) && certificate_serial(pem.text, serial) && named &&
            text_same(serial, named)) {
            struct crypto_key *key = crypto_key_public(pem.text);
            taken += key && channel_add_platform(into, serial, key);
        }
        buf_release(&pem);
    }
    return taken;
}

/* The answer is signed with one of the certificates in it, or with the public key that the request named: open first,
 * then prove, then keep. */
static bool prove_certificates(const struct channel *channel, const struct channel *fresh,
                               const struct http_answer *answer)
{
    char serial[SERIAL_BYTES];
    const char *headers = buf_text(&answer->headers);
    enum wechat_proof proof = wechat_prove(fresh, headers, &answer->body, time(NULL), serial);
    if (proof == PROOF_UNKNOWN_KEY)
        proof = wechat_prove(channel, headers, &answer->body, time(NULL), serial);
    return proof == PROOF_GOOD;
}

static bool take_certificates(struct channel *channel, const struct http_answer *answer)
{
    if (!is_whole_text(answer->body.text, answer->body.bytes, HTTP_ANSWER_BYTES))
        return false;
    struct tree *tree = tree_parse(answer->body.text);
    struct channel fresh = {0};
    bool good =
        open_certificates(channel, tree_get(tree, "data"), &fresh) > 0 && prove_certificates(channel, &fresh, answer);
    for (size_t i = 0; i < fresh.platform_count; i++) {
        if (good)
            channel_add_platform(channel, fresh.platform[i].serial, fresh.platform[i].key);
        else
            crypto_key_free(&fresh.platform[i].key);
    }
    tree_free(&tree);
    return good;
}

/* False: none came. What was there stays. */
static bool fetch_certificates(struct channel *channel)
{
    const struct wechat_request request = {.method = "GET", .path = "/v3/certificates"};
    struct channel_trouble ignored = {0};
    struct http_answer answer = {0};
    channel->tried_ms = mono_ms();
    channel->due_ms = channel->public_key_id ? INT64_MAX : channel->tried_ms + CERTIFICATE_MS;
    bool good = send_request(channel, &request, &answer, &ignored) == CHANNEL_DONE && answer.status == 200 &&
                take_certificates(channel, &answer);
    if (!channel->platform_count)
        channel->due_ms = 0;
    log_line(good ? LOG_INFO : LOG_WARN, "channel WECHAT: certificates %s (status %ld)",
             good ? "fetched" : "not fetched", answer.status);
    http_answer_release(&answer);
    return good;
}

static bool may_fetch(const struct channel *channel)
{
    return !channel->tried_ms || mono_ms() - channel->tried_ms >= TRY_AGAIN_MS;
}

void wechat_refresh(struct channel *channel)
{
    if (mono_ms() >= channel->due_ms && may_fetch(channel))
        fetch_certificates(channel);
}

/* ---- answers ---- */

static enum channel_outcome prove_answer(struct channel *channel, const struct http_answer *answer,
                                         struct channel_trouble *trouble)
{
    char serial[SERIAL_BYTES];
    const char *headers = buf_text(&answer->headers);
    enum wechat_proof proof = wechat_prove(channel, headers, &answer->body, time(NULL), serial);
    /* Refused before it knew who asked: nothing is signed then. */
    bool is_signed = proof != PROOF_MISSING || http_header(headers, "Wechatpay-Serial", serial, sizeof serial);
    if (!is_signed && answer->status >= 400)
        return CHANNEL_DONE;
    if (proof == PROOF_UNKNOWN_KEY && is_number_of(serial, "", 40) && may_fetch(channel) && fetch_certificates(channel))
        proof = wechat_prove(channel, headers, &answer->body, time(NULL), serial);
    if (proof == PROOF_GOOD)
        return CHANNEL_DONE;
    log_line(LOG_WARN, "channel WECHAT: %s (serial %s)", wechat_proof_text(proof), serial);
    trouble_fill(trouble, CHANNEL_UNKNOWN, "", _(wechat_proof_text(proof)),
                 proof == PROOF_UNKNOWN_KEY || proof == PROOF_WRONG
                     ? N_("Check WeChat Pay's public key in the file of the channels.")
                     : NULL);
    trouble_clock(trouble, headers);
    return CHANNEL_UNKNOWN;
}

static enum channel_outcome sort_error(const struct http_answer *answer, const struct tree *tree,
                                       struct channel_trouble *trouble)
{
    const char *code = tree_get_text(tree, "code"), *message = tree_get_text(tree, "message");
    const char *field = tree_get_text(tree_get(tree, "detail"), "field");
    const struct error_row *row = code ? error_row_of(errors, code) : NULL;
    enum channel_outcome outcome = row ? row->outcome : outcome_of_status(answer->status);
    /* 429 and 5xx promise nothing, whatever their body says. */
    if (answer->status == 429 || answer->status >= 500)
        outcome = CHANNEL_UNKNOWN;
    char request_id[128] = "";
    http_header(buf_text(&answer->headers), "Request-ID", request_id, sizeof request_id);
    char *whole =
        xprintf("%s%s%s", message ? message : _("The channel gave no reason."), field ? ": " : "", field ? field : "");
    trouble_fill(trouble, outcome, code, whole, row ? row->hint : NULL);
    free(whole);
    /* A time_expire that is right by our clock may be over by the channel's: it says only that a parameter is wrong. */
    if (outcome == CHANNEL_CONFIG || (outcome == CHANNEL_REFUSED && !trouble->hint[0]))
        trouble_clock(trouble, buf_text(&answer->headers));
    log_line(LOG_WARN, "channel WECHAT: status %ld, code %s, request %s", answer->status, trouble->code, request_id);
    return outcome;
}

static enum channel_outcome read_answer(const struct http_answer *answer, struct tree **tree,
                                        struct channel_trouble *trouble)
{
    bool whole = is_whole_text(answer->body.text, answer->body.bytes, HTTP_ANSWER_BYTES);
    *tree = whole ? tree_parse(answer->body.text) : NULL;
    if (answer->status == 204 && !answer->body.bytes)
        return CHANNEL_DONE;
    if (answer->status == 200 && *tree)
        return CHANNEL_DONE;
    if (answer->status == 200)
        return trouble_fill(trouble, CHANNEL_UNKNOWN, "", _("The answer cannot be read."), NULL);
    if (answer->status == 202)
        return trouble_fill(trouble, CHANNEL_UNKNOWN, "USERPAYING", _("The channel is still at it."), NULL);
    return sort_error(answer, *tree, trouble);
}

enum channel_outcome wechat_answer(struct channel *channel, const struct http_answer *http, struct tree **answer,
                                   struct channel_trouble *trouble)
{
    enum channel_outcome outcome = prove_answer(channel, http, trouble);
    return outcome == CHANNEL_DONE ? read_answer(http, answer, trouble) : outcome;
}

enum channel_outcome wechat_call(struct channel *channel, const struct wechat_request *request, struct tree **answer,
                                 char **raw, struct channel_trouble *trouble)
{
    struct http_answer http = {0};
    *answer = NULL;
    wechat_refresh(channel);
    enum channel_outcome outcome = send_request(channel, request, &http, trouble);
    if (outcome == CHANNEL_DONE)
        outcome = wechat_answer(channel, &http, answer, trouble);
    if (outcome == CHANNEL_DONE && raw)
        *raw = xstrdup(buf_text(&http.body));
    if (outcome != CHANNEL_DONE)
        tree_free(answer);
    http_answer_release(&http);
    return outcome;
}
