#include "kit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/token.h"

struct kit kit;
const struct crypto_key *alipay_key;
static char *mail_url;

static char *text_at(const char *name)
{
    char *path = xprintf("%s/%s", kit.sandbox.folder, name), *text = file_text(path);
    free(path);
    assert_non_null(text);
    return text;
}

static struct crypto_key *key_at(const char *name, bool is_public)
{
    char *text = text_at(name);
    struct crypto_key *key = is_public ? crypto_key_public(text) : crypto_key_private(text);
    free(text);
    assert_non_null(key);
    return key;
}

void kit_start(const char *const *options)
{
    char *folder = xprintf("%s/sandbox", scratch_make());
    sandbox_start(&kit.sandbox, folder, options);
    free(folder);
    char *text = text_at("merchant.json");
    kit.merchant = tree_parse(text);
    free(text);
    kit.own = key_at("wechat-merchant.key", false);
    kit.platform = key_at("wechat-platform.pub", true);
    kit.certified = key_at("wechat-platform.crt", true);
    kit.app = key_at("alipay-app.key", false);
    kit.alipay = key_at("alipay-platform.pub", true);
    kit.http = http_new();
}

void kit_end(void)
{
    sandbox_stop(&kit.sandbox);
    tree_free(&kit.merchant);
    crypto_key_free(&kit.own);
    crypto_key_free(&kit.platform);
    crypto_key_free(&kit.certified);
    crypto_key_free(&kit.app);
    crypto_key_free(&kit.alipay);
    http_free(&kit.http);
    free(mail_url);
    mail_url = NULL;
    scratch_remove();
}

const char *kit_text(const char *name)
{
    return tree_get_text(kit.merchant, name);
}

const char *fresh(const char *prefix)
{
    static char numbers[64][40];
    char *number = numbers[kit.sequence % 64];
    fit_printf_at(number, sizeof numbers[0], "%s%06d", prefix, ++kit.sequence);
    return number;
}

void reply_free(struct reply *reply)
{
    buf_release(&reply->headers);
    buf_release(&reply->body);
    tree_free(&reply->tree);
    *reply = (struct reply){0};
}

void expect_reply(struct reply reply, long status, const char *code)
{
    if (reply.status != status || strcmp(reply.code, code) != 0)
        fail_msg("%ld %s instead of %ld %s: %s", reply.status, reply.code, status, code, buf_text(&reply.body));
    reply_free(&reply);
}

/* ---- WeChat Pay ---- */

static enum proof prove(const char *headers, const char *body)
{
    char stamp[64], nonce[64], serial[SERIAL_BYTES], signature[800];
    if (!http_header(headers, "Wechatpay-Signature", signature, sizeof signature))
        return PROOF_NONE;
    if (!http_header(headers, "Wechatpay-Timestamp", stamp, sizeof stamp) ||
        !http_header(headers, "Wechatpay-Nonce", nonce, sizeof nonce) ||
        !http_header(headers, "Wechatpay-Serial", serial, sizeof serial))
        return PROOF_BAD;
    const struct crypto_key *key = strcmp(serial, kit_text("public_key_id")) == 0    ? kit.platform
                                   : strcmp(serial, kit_text("certificate_id")) == 0 ? kit.certified
                                                                                     : NULL;
    long long age = (long long)time(NULL) - atoll(stamp);
    char *text = xprintf("%s\n%s\n%s\n", stamp, nonce, body);
    bool good = key && age <= 300 && age >= -300 && rsa_verify(key, text, strlen(text), signature);
    free(text);
    return good ? PROOF_FINE : PROOF_BAD;
}

static void add_header(struct buf *headers, const struct twist *twist, const char *name, const char *value)
{
    if (!twist->no_header || strcmp(twist->no_header, name) != 0)
        buf_printf(headers, "%s: %s\n", name, value);
    else if (strcmp(name, "User-Agent") == 0)
        buf_printf(headers, "%s:\n", name); /* takes away libcurl's own */
}

static char *authorization(const char *method, const char *path, const char *body, const struct twist *twist)
{
    char nonce[KEY_BYTES];
    long long at = (long long)time(NULL) + twist->skew_s;
    key_new(nonce);
    const char *signed_body = twist->signed_body ? twist->signed_body : body ? body : "";
    char *text = xprintf("%s\n%s\n%lld\n%s\n%s\n", method, path, at, nonce, signed_body);
    char *signature = rsa_sign(twist->key ? twist->key : kit.own, text, strlen(text));
    char *header =
        xprintf("WECHATPAY2-SHA256-RSA2048 mchid=\"%s\",nonce_str=\"%s\",timestamp=\"%lld\",serial_no=\"%s\","
                "signature=\"%s\"",
                twist->mchid ? twist->mchid : kit_text("mchid"), nonce, at,
                twist->serial ? twist->serial : kit_text("serial"), signature);
    free(text);
    free(signature);
    return header;
}

struct reply wechat(const char *method, const char *path, const char *body, const struct twist *twist)
{
    static const struct twist none;
    struct buf headers = {0};
    struct http_answer answer = {0};
    char why[256];
    twist = twist ? twist : &none;
    char *url = xprintf("http://127.0.0.1:%d%s", kit.sandbox.port, path),
         *auth = authorization(method, path, body, twist);
    add_header(&headers, twist, "Authorization", auth);
    add_header(&headers, twist, "Accept", "application/json");
    add_header(&headers, twist, "User-Agent", "test");
    add_header(&headers, twist, "Wechatpay-Serial",
               twist->platform_serial ? twist->platform_serial : kit_text("public_key_id"));
    if (body)
        add_header(&headers, twist, "Content-Type", "application/json");
    const struct http_request request = {.method = method,
                                         .url = url,
                                         .headers = buf_text(&headers),
                                         .body = body,
                                         .bytes = body ? strlen(body) : 0,
                                         .total_ms = 4000};
    struct reply reply = {.end = http_call(kit.http, &request, &answer, why)};
    reply.status = answer.status;
    reply.headers = answer.headers;
    reply.body = answer.body;
    reply.tree = tree_parse(buf_text(&reply.body));
    reply.proof = prove(buf_text(&reply.headers), buf_text(&reply.body));
    const char *code = tree_get_text(reply.tree, "code");
    cut_copy(reply.code, sizeof reply.code, code ? code : "");
    buf_release(&headers);
    free(url);
    free(auth);
    return reply;
}

struct reply wechat_post(const char *path, const char *format, ...)
{
    struct buf body = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&body, format, args);
    va_end(args);
    struct reply reply = wechat("POST", path, buf_text(&body), NULL);
    buf_release(&body);
    return reply;
}

struct reply wechat_get(const char *format, ...)
{
    struct buf path = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&path, format, args);
    va_end(args);
    struct reply reply = wechat("GET", buf_text(&path), NULL, NULL);
    buf_release(&path);
    return reply;
}

static const char *notify_url(void)
{
    return mail_url ? mail_url : "http://127.0.0.1:9/none";
}

void wechat_order(const char *number, char code[128])
{
    struct reply reply = wechat_post("/v3/pay/transactions/native",
                                     "{\"appid\":\"%s\",\"mchid\":\"%s\",\"description\":\"羽毛球 5号场\","
                                     "\"out_trade_no\":\"%s\",\"notify_url\":\"%s\","
                                     "\"amount\":{\"total\":8000,\"currency\":\"CNY\"}}",
                                     kit_text("appid"), kit_text("mchid"), number, notify_url());
    if (reply.status != 200)
        fail_msg("%ld %s", reply.status, buf_text(&reply.body));
    assert_int_equal(reply.proof, PROOF_FINE);
    cut_copy(code, 128, tree_get_text(reply.tree, "code_url"));
    assert_int_equal(strncmp(code, "weixin://wxpay/bizpayurl?pr=", 28), 0);
    assert_int_equal(strlen(code), 37);
    reply_free(&reply);
}

/* ---- Alipay ---- */

static void add_pair(struct buf *text, const char *name, const char *value)
{
    buf_printf(text, "%s%s=%s", text->bytes ? "&" : "", name, value);
}

static char *encoded(const char *text)
{
    struct buf out = {0};
    for (; *text; text++)
        buf_printf(&out, "%%%02X", (unsigned char)*text);
    return buf_take(&out);
}

/* Already sorted by name. */
static char *alipay_form(const char *method, const char *content)
{
    char stamp[32], *values[9];
    time_t beijing = time(NULL) + 8 * 3600;
    struct tm parts;
    struct buf plain = {0}, form = {0};
    strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", gmtime_r(&beijing, &parts));
    const char *const pairs[][2] = {{"app_id", kit_text("app_id")},
                                    {"biz_content", content},
                                    {"charset", "utf-8"},
                                    {"format", "JSON"},
                                    {"method", method},
                                    {"notify_url", notify_url()},
                                    {"sign_type", "RSA2"},
                                    {"timestamp", stamp},
                                    {"version", "1.0"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        add_pair(&plain, pairs[i][0], pairs[i][1]);
        values[i] = encoded(pairs[i][1]);
        add_pair(&form, pairs[i][0], values[i]);
        free(values[i]);
    }
    char *signature = rsa_sign(alipay_key ? alipay_key : kit.app, plain.text, plain.bytes), *sign = encoded(signature);
    add_pair(&form, "sign", sign);
    free(signature);
    free(sign);
    buf_release(&plain);
    return buf_take(&form);
}

/* {"x_response":RAW,"sign":"…"}: RAW is what stands between. */
static void read_node(struct reply *reply)
{
    const char *body = buf_text(&reply->body), *raw = strstr(body, "_response\":"), *end = strstr(body, ",\"sign\":\"");
    if (!raw)
        return;
    raw += strlen("_response\":");
    size_t bytes = end ? (size_t)(end - raw) : strlen(raw) - 1;
    char *node = xprintf("%.*s", (int)bytes, raw);
    if (end) {
        char *sign = xprintf("%.*s", (int)strcspn(end + 9, "\""), end + 9);
        reply->proof = rsa_verify(kit.alipay, node, bytes, sign) ? PROOF_FINE : PROOF_BAD;
        free(sign);
    }
    reply->tree = tree_parse(node);
    free(node);
    const char *code = tree_get_text(reply->tree, "sub_code");
    code = code ? code : tree_get_text(reply->tree, "code");
    cut_copy(reply->code, sizeof reply->code, code ? code : "");
}

struct reply alipay(const char *method, const char *format, ...)
{
    struct buf content = {0};
    struct http_answer answer = {0};
    va_list args;
    char why[256], *url = xprintf("http://127.0.0.1:%d/gateway.do", kit.sandbox.port);
    va_start(args, format);
    buf_vprintf(&content, format, args);
    va_end(args);
    char *form = alipay_form(method, buf_text(&content));
    const struct http_request request = {.method = "POST",
                                         .url = url,
                                         .headers = "Content-Type: application/x-www-form-urlencoded\n",
                                         .body = form,
                                         .bytes = strlen(form),
                                         .total_ms = 4000};
    struct reply reply = {.end = http_call(kit.http, &request, &answer, why)};
    reply.status = answer.status;
    reply.headers = answer.headers;
    reply.body = answer.body;
    read_node(&reply);
    buf_release(&content);
    free(url);
    free(form);
    return reply;
}

void alipay_order(const char *number, char code[128])
{
    struct reply reply = alipay("alipay.trade.precreate",
                                "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.00\",\"subject\":\"羽毛球\"}", number);
    assert_string_equal(reply.code, "10000");
    assert_int_equal(reply.proof, PROOF_FINE);
    cut_copy(code, 128, tree_get_text(reply.tree, "qr_code"));
    assert_int_equal(strncmp(code, "https://qr.alipay.com/", 22), 0);
    reply_free(&reply);
}

/* ---- notifications ---- */

void mailbox_open(struct mailbox *mailbox)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    mailbox->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(mailbox->fd, (struct sockaddr *)&address, bytes) | listen(mailbox->fd, 16), 0);
    getsockname(mailbox->fd, (struct sockaddr *)&address, &bytes);
    mailbox->port = ntohs(address.sin_port);
    mailbox->answer = 200;
    mailbox->body = "success";
    free(mail_url);
    mail_url = xprintf("http://127.0.0.1:%d/notify", mailbox->port);
}

void mailbox_close(struct mailbox *mailbox)
{
    close(mailbox->fd);
    free(mail_url);
    mail_url = NULL;
}

/* "Content-Length" bytes after the empty line. */
static bool is_whole(const struct buf *text)
{
    const char *end = text->bytes ? strstr(text->text, "\r\n\r\n") : NULL;
    const char *length = end ? strcasestr(text->text, "content-length:") : NULL;
    return end && (!length || text->bytes >= (size_t)(end + 4 - text->text) + (size_t)atol(length + 15));
}

struct mail mailbox_take(struct mailbox *mailbox, int wait_ms)
{
    struct pollfd poller = {.fd = mailbox->fd, .events = POLLIN};
    struct mail mail = {0};
    struct buf text = {0};
    char bytes[4096];
    ssize_t got;
    if (poll(&poller, 1, wait_ms) <= 0)
        return mail;
    int fd = accept4(mailbox->fd, NULL, NULL, SOCK_CLOEXEC);
    while (!is_whole(&text) && (got = recv(fd, bytes, sizeof bytes, 0)) > 0)
        buf_add_bytes(&text, bytes, (size_t)got);
    assert_true(is_whole(&text));
    char *reply = xprintf("HTTP/1.1 %d X\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s", mailbox->answer,
                          strlen(mailbox->body), mailbox->body);
    assert_int_equal(send(fd, reply, strlen(reply), MSG_NOSIGNAL), (ssize_t)strlen(reply));
    close(fd);
    free(reply);
    char *end = strstr(text.text, "\r\n\r\n"), *first = strstr(text.text, "\r\n");
    *end = '\0';
    mail.headers = xstrdup(end > first ? first + 2 : "");
    mail.body = xstrdup(end + 4);
    buf_release(&text);
    return mail;
}

void mail_free(struct mail *mail)
{
    free(mail->headers);
    free(mail->body);
    *mail = (struct mail){0};
}

struct tree *mail_open(const struct mail *mail, char event[64])
{
    struct buf lines = {0}, plain = {0};
    for (const char *at = mail->headers; *at; at++)
        if (*at != '\r')
            buf_add_bytes(&lines, at, 1);
    bool good = prove(buf_text(&lines), mail->body) == PROOF_FINE;
    struct tree *tree = tree_parse(mail->body), *inside = NULL;
    const struct tree *resource = tree_get(tree, "resource");
    cut_copy(event, 64, tree_get_text(tree, "event_type"));
    const struct sealing sealing = {.key = kit_text("apiv3_key"),
                                    .nonce = tree_get_text(resource, "nonce"),
                                    .aad = tree_get_text(resource, "associated_data")};
    if (good && aes256gcm_open(&sealing, tree_get_text(resource, "ciphertext"), &plain))
        inside = tree_parse(buf_text(&plain));
    tree_free(&tree);
    buf_release(&lines);
    buf_release(&plain);
    return inside;
}
