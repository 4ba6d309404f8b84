/* The HTTPS layer against servers that do what a channel never should: redirect, send too much, drip, lie, show
 * somebody else's certificate. */
#include "merchant.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/when.h"
#include "outside/http.h"

/* ---- a server with one answer ---- */

struct peer {
    int fd, port;
    const char *answer; /* sent as it stands */
    size_t bytes;
    int drip_ms;  /* > 0: byte by byte, with this pause */
    SSL_CTX *tls; /* NULL: plain */
    pthread_t thread;
    atomic_bool over;
    atomic_int requests;
    struct buf seen; /* the last request; read after peer_close */
};

static bool is_whole(const struct buf *text)
{
    const char *end = text->bytes ? strstr(text->text, "\r\n\r\n") : NULL;
    const char *length = end ? strcasestr(text->text, "content-length:") : NULL;
    return end && (!length || text->bytes >= (size_t)(end + 4 - text->text) + (size_t)atol(length + 15));
}

static void drip(struct peer *peer, int fd)
{
    size_t step = peer->drip_ms ? 1 : peer->bytes;
    for (size_t at = 0; at < peer->bytes && !atomic_load(&peer->over); at += step) {
        if (send(fd, peer->answer + at, peer->bytes - at < step ? peer->bytes - at : step, MSG_NOSIGNAL) < 0)
            return;
        if (peer->drip_ms)
            sleep_ms(peer->drip_ms);
    }
}

static void serve_one(struct peer *peer, int fd)
{
    char bytes[4096];
    ssize_t got;
    if (peer->tls) {
        SSL *ssl = SSL_new(peer->tls);
        SSL_set_fd(ssl, fd);
        /* Whoever does not believe the certificate never gets to the second line. */
        if (SSL_accept(ssl) == 1 && SSL_read(ssl, bytes, sizeof bytes) > 0)
            atomic_fetch_add(&peer->requests, 1);
        SSL_free(ssl);
        return;
    }
    buf_clear(&peer->seen);
    while (!is_whole(&peer->seen) && (got = recv(fd, bytes, sizeof bytes, 0)) > 0)
        buf_add_bytes(&peer->seen, bytes, (size_t)got);
    if (peer->seen.bytes) {
        atomic_fetch_add(&peer->requests, 1);
        drip(peer, fd);
    }
}

static void *serve(void *arg)
{
    struct peer *peer = arg;
    while (!atomic_load(&peer->over)) {
        struct pollfd poller = {.fd = peer->fd, .events = POLLIN};
        if (poll(&poller, 1, 20) <= 0)
            continue;
        int fd = accept4(peer->fd, NULL, NULL, SOCK_CLOEXEC);
        serve_one(peer, fd);
        close(fd);
    }
    return NULL;
}

static void peer_open(struct peer *peer, const char *answer, size_t bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    peer->answer = answer;
    peer->bytes = bytes;
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(peer->fd, (struct sockaddr *)&address, length) | listen(peer->fd, 16), 0);
    getsockname(peer->fd, (struct sockaddr *)&address, &length);
    peer->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&peer->thread, NULL, serve, peer), 0);
}

/* `seen` stays; the caller releases it. */
static void peer_close(struct peer *peer)
{
    atomic_store(&peer->over, true);
    pthread_join(peer->thread, NULL);
    close(peer->fd);
}

static char *url_of(const struct peer *peer, const char *scheme, const char *path)
{
    return xprintf("%s://127.0.0.1:%d%s", scheme, peer->port, path);
}

static enum http_end call(const struct peer *peer, const char *scheme, struct http_answer *answer, int64_t total_ms)
{
    struct http *http = http_new();
    char *url = url_of(peer, scheme, "/v3/x?a=b"), why[256] = "";
    const struct http_request request = {.method = "POST",
                                         .url = url,
                                         .headers = "Accept: application/json\nX-Test: 1\n",
                                         .body = "{}",
                                         .bytes = 2,
                                         .total_ms = total_ms};
    enum http_end end = http_call(http, &request, answer, why);
    assert_int_equal(!why[0], end == HTTP_ANSWERED);
    free(url);
    http_free(&http);
    return end;
}

#define GOOD "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nRequest-ID:  a b \r\n\r\n{}"

/* ---- calls ---- */

static void a_request_carries_what_it_should_and_no_more(void **state)
{
    (void)state;
    struct peer peer = {0};
    struct http_answer answer;
    char header[40];
    /* Plain http never leaves the machine, whatever the environment says. */
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    peer_open(&peer, GOOD, strlen(GOOD));
    assert_int_equal(call(&peer, "http", &answer, 0), HTTP_ANSWERED);
    peer_close(&peer);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body.text, "{}");
    assert_true(http_header(answer.headers.text, "request-id", header, sizeof header));
    assert_string_equal(header, "a b");
    assert_int_equal(strncmp(peer.seen.text, "POST /v3/x?a=b HTTP/1.1\r\n", 25), 0);
    assert_non_null(strstr(peer.seen.text, "\r\nUser-Agent: frontdesk/"));
    assert_non_null(strstr(peer.seen.text, "\r\nAccept: application/json\r\n"));
    assert_non_null(strstr(peer.seen.text, "\r\nX-Test: 1\r\n"));
    assert_null(strcasestr(peer.seen.text, "expect:"));
    assert_null(strcasestr(peer.seen.text, "accept-encoding:"));
    http_answer_release(&answer);
    buf_release(&peer.seen);
}

static void a_redirect_is_not_followed(void **state)
{
    (void)state;
    struct peer target = {0}, peer = {0};
    struct http_answer answer;
    peer_open(&target, GOOD, strlen(GOOD));
    char *redirect =
        xprintf("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/\r\nContent-Length: 0\r\n\r\n", target.port);
    peer_open(&peer, redirect, strlen(redirect));
    assert_int_equal(call(&peer, "http", &answer, 0), HTTP_ANSWERED);
    peer_close(&peer);
    peer_close(&target);
    assert_int_equal(answer.status, 302);
    assert_int_equal(atomic_load(&peer.requests), 1);
    assert_int_equal(atomic_load(&target.requests), 0);
    http_answer_release(&answer);
    buf_release(&peer.seen);
    free(redirect);
}

static void answers_that_are_no_answers_are_none(void **state)
{
    (void)state;
    size_t big = HTTP_ANSWER_BYTES + 1000;
    char *body = xmalloc(big + 1), *huge, *headers;
    memset(body, 'x', big);
    body[big] = '\0';
    huge = xprintf("HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", big, body);
    headers = xprintf("HTTP/1.1 200 OK\r\nX: %.60000s\r\n\r\n", body);
    const char *const answers[] = {"",
                                   "nonsense",
                                   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                                   huge,
                                   headers};
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct peer peer = {0};
        struct http_answer answer;
        peer_open(&peer, answers[i], strlen(answers[i]));
        enum http_end end = call(&peer, "http", &answer, 3000);
        if (end != HTTP_NO_ANSWER)
            fail_msg("answer %zu was taken", i);
        assert_true(answer.body.bytes <= HTTP_ANSWER_BYTES && answer.headers.bytes <= HTTP_HEADER_BYTES + 2);
        peer_close(&peer);
        http_answer_release(&answer);
        buf_release(&peer.seen);
    }
    free(headers);
    free(huge);
    free(body);
}

static void an_answer_that_drips_ends_in_time(void **state)
{
    (void)state;
    struct peer peer = {.drip_ms = 100};
    struct http_answer answer;
    peer_open(&peer, GOOD, strlen(GOOD));
    int64_t began = mono_ms();
    assert_int_equal(call(&peer, "http", &answer, 500), HTTP_NO_ANSWER);
    assert_true(mono_ms() - began < 3500);
    peer_close(&peer);
    http_answer_release(&answer);
    buf_release(&peer.seen);
}

/* ---- TLS ---- */

static SSL_CTX *tls_new(void)
{
    struct crypto_key *key = crypto_key_new();
    char *pem = crypto_key_private_pem(key), *certificate = certificate_new(key, "0123456789ABCDEF");
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    BIO *key_bio = BIO_new_mem_buf(pem, -1), *certificate_bio = BIO_new_mem_buf(certificate, -1);
    EVP_PKEY *evp = PEM_read_bio_PrivateKey(key_bio, NULL, NULL, NULL);
    X509 *x509 = PEM_read_bio_X509(certificate_bio, NULL, NULL, NULL);
    assert_int_equal(SSL_CTX_use_certificate(tls, x509), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(tls, evp), 1);
    EVP_PKEY_free(evp);
    X509_free(x509);
    BIO_free(key_bio);
    BIO_free(certificate_bio);
    free(pem);
    free(certificate);
    crypto_key_free(&key);
    return tls;
}

static void a_strange_certificate_gets_no_request(void **state)
{
    (void)state;
    struct peer peer = {.tls = tls_new()};
    struct http_answer answer;
    peer_open(&peer, "", 0);
    assert_int_equal(call(&peer, "https", &answer, 0), HTTP_NO_TRUST);
    peer_close(&peer);
    assert_int_equal(atomic_load(&peer.requests), 0);
    http_answer_release(&answer);
    SSL_CTX_free(peer.tls);
}

static void a_server_without_tls_gets_no_request(void **state)
{
    (void)state;
    struct peer peer = {0};
    struct http_answer answer;
    peer_open(&peer, GOOD, strlen(GOOD));
    assert_int_equal(call(&peer, "https", &answer, 2000), HTTP_NO_ANSWER);
    peer_close(&peer);
    assert_true(!peer.seen.bytes || !strstr(peer.seen.text, "POST"));
    http_answer_release(&answer);
    buf_release(&peer.seen);
}

/* ---- channels over it ---- */

static const char *const refusal =
    "HTTP/1.1 401 Unauthorized\r\nDate: Mon, 30 Nov 2020 04:34:56 GMT\r\nContent-Length: 40\r\n"
    "Connection: close\r\n\r\n{\"code\":\"SIGN_ERROR\",\"message\":\"\xE9\x94\x99\\n!\"}";

static void a_clock_that_is_wrong_is_named(void **state)
{
    (void)state;
    struct merchant merchant;
    struct peer peer = {0};
    struct channel_trade trade;
    struct channel_trouble trouble;
    peer_open(&peer, refusal, strlen(refusal));
    char *base = url_of(&peer, "http", "");
    scratch_make();
    merchant_open(&merchant, base, base);
    assert_int_equal(channel_query(merchant.wechat, "20261130PY7K3M9Q2X", &trade, &trouble), CHANNEL_CONFIG);
    assert_string_equal(trouble.code, "SIGN_ERROR");
    assert_int_equal(trouble.http, 401);
    assert_non_null(strstr(trouble.hint, "clock"));
    assert_null(strchr(trouble.message, '\n'));
    merchant_close(&merchant);
    scratch_remove();
    peer_close(&peer);
    buf_release(&peer.seen);
    free(base);
}

/* Requests of both channels, with all that is written about them at the lowest level. */
static void the_log_has_no_secret(void **state)
{
    (void)state;
    struct merchant merchant;
    struct peer peer = {0};
    struct channel_trouble trouble;
    char code[CHANNEL_CODE_BYTES];
    const struct channel_order order = {
        .out_trade_no = "20261130PY7K3M9Q2X", .amount_fen = 8000, .subject = "geheim subject", .until = 1800000000};
    peer_open(&peer, refusal, strlen(refusal));
    char *base = url_of(&peer, "http", "/gateway.do");
    scratch_make();
    merchant_open(&merchant, base, base);
    assert_int_equal(log_open(scratch_path("log"), LOG_DEBUG, NULL), FD_OK);
    channel_create(merchant.wechat, &order, code, &trouble);
    channel_create(merchant.alipay, &order, code, &trouble);
    log_close();
    char *text = file_text(scratch_path("log"));
    assert_non_null(strstr(text, "/v3/pay/transactions/native: 401"));
    assert_non_null(strstr(text, "ALIPAY: POST"));
    static const char *const secrets[] = {APIV3_KEY, "sign", "WECHATPAY2", "geheim", "biz_content", "app_id", "nonce"};
    for (size_t i = 0; i < COUNT(secrets); i++)
        if (strstr(text, secrets[i]))
            fail_msg("\"%s\" stands in the log: %s", secrets[i], text);
    assert_int_equal(atomic_load(&peer.requests), 2);
    free(text);
    merchant_close(&merchant);
    scratch_remove();
    peer_close(&peer);
    /* What Alipay was asked: common parameters in the address, the business in the body. */
    assert_non_null(strstr(peer.seen.text, "POST /gateway.do?"));
    assert_non_null(strstr(peer.seen.text, "charset=utf-8&"));
    assert_non_null(strstr(peer.seen.text, "&sign="));
    assert_non_null(strstr(peer.seen.text, "\r\n\r\nbiz_content=%7B%22"));
    assert_null(strstr(peer.seen.text, APIV3_KEY));
    buf_release(&peer.seen);
    free(base);
}

/* ---- headers ---- */

static void headers_are_found_by_name_and_only_once(void **state)
{
    (void)state;
    static const char lines[] = "A: 1\nab:2\r\nB:\nC: x\nc: y\nDate: Mon, 30 Nov 2026 04:34:56 GMT\nE 1\nF : 1";
    char out[8];
    int64_t seconds;
    assert_true(http_header(lines, "a", out, sizeof out));
    assert_string_equal(out, "1");
    assert_true(http_header(lines, "AB", out, sizeof out));
    assert_string_equal(out, "2");
    assert_true(http_header(lines, "b", out, sizeof out));
    assert_string_equal(out, "");
    assert_false(http_header(lines, "c", out, sizeof out));
    assert_false(http_header(lines, "date", out, sizeof out));
    assert_false(http_header(lines, "e", out, sizeof out));
    assert_false(http_header(lines, "f", out, sizeof out));
    assert_false(http_header("", "a", out, sizeof out));
    assert_true(http_date(lines, &seconds));
    assert_int_equal(seconds, 1796013296);
    assert_false(http_date("Date: yesterday\n", &seconds));
}

static int end(void **state)
{
    (void)state;
    merchant_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_carries_what_it_should_and_no_more),
        cmocka_unit_test(a_redirect_is_not_followed),
        cmocka_unit_test(answers_that_are_no_answers_are_none),
        cmocka_unit_test(an_answer_that_drips_ends_in_time),
        cmocka_unit_test(a_strange_certificate_gets_no_request),
        cmocka_unit_test(a_server_without_tls_gets_no_request),
        cmocka_unit_test(a_clock_that_is_wrong_is_named),
        cmocka_unit_test(the_log_has_no_secret),
        cmocka_unit_test(headers_are_found_by_name_and_only_once),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
