/* Bytes from outside, bent at random: answers and notifications of both channels, and the small readers below them. Run
 * under the sanitizers by ./check. FD_FUZZ_SECONDS (20) for all together, FRONTDESK_TEST_ROUNDS times as many in the
 * long programme; SEED again for the same bytes. */
#include "merchant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "fault/tally.h"
#include "outside/alipay_internal.h"
#include "outside/http.h"
#include "outside/wechat_internal.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#elif defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#endif

#define LEAST_RUNS 300 /* fewer would show nothing */

static struct merchant merchant;
static struct chance chance;

static int set_up(void **state)
{
    (void)state;
    scratch_make();
    log_open("/dev/null", LOG_ERROR, NULL); /* a refused answer is worth a line, a million are not */
    /* Nobody listens there: who asked for certificates would be refused at once. */
    merchant_open(&merchant, "http://127.0.0.1:1", "http://127.0.0.1:1");
    print_message("seed %llu\n", (unsigned long long)tally_seed());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    merchant_close(&merchant);
    merchant_end();
    scratch_remove();
    log_close();
    return 0;
}

/* ---- bending ---- */

static const char *const tokens[] = {
    "\"",
    "\\",
    "\\\"",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    "[[[[[[[[",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e9",
    "0.1",
    "99999999999999999999",
    "&",
    "=",
    "%",
    "%00",
    "%zz",
    "+",
    "\n",
    "\r\n",
    "\t",
    "\x80",
    "\xF0\x9F\x98\x80",
    "\xEF\xBB\xBF",
    "sign",
    "\"sign\":\"\"",
    "error_response",
    "amount",
    "total",
    "resource",
    "ciphertext",
    "nonce",
    "AAAA",
    "====",
    "\\/",
    "2026-11-30T12:34:56+08:00",
    "WECHATPAY/SIGNTEST/",
    "Wechatpay-Serial: x\n",
};

/* One change, somewhere; `other` may lend a piece. */
static void bend(struct buf *text, const char *other)
{
    struct buf bent = {0};
    size_t at = chance_below(&chance, (uint32_t)text->bytes + 1), left = text->bytes - at;
    size_t count = chance_below(&chance, chance_percent(&chance, 70) ? 8 : 400) + 1;
    if (count > left)
        count = left;
    const char *token = tokens[chance_below(&chance, COUNT(tokens))];
    size_t other_bytes = strlen(other), from = chance_below(&chance, (uint32_t)other_bytes + 1);
    uint32_t way = chance_below(&chance, 7);
    buf_add_bytes(&bent, buf_text(text), at);
    if (way == 0) /* a bit flipped */
        buf_add_bytes(&bent, (char[]){(char)(buf_text(text)[at] ^ (1 << chance_below(&chance, 8)))}, left ? 1 : 0);
    else if (way == 1) /* any byte */
        buf_add_bytes(&bent, (char[]){(char)chance_below(&chance, 256)}, 1);
    else if (way == 2 || way == 3) /* a token put in, or in place of some bytes */
        buf_add(&bent, token);
    else if (way == 4) /* a piece twice */
        buf_add_bytes(&bent, buf_text(text) + at, count);
    else if (way == 5) /* a piece of another */
        buf_add_bytes(&bent, other + from, other_bytes - from > 64 ? 64 : other_bytes - from);
    size_t skip = way < 2 ? (left ? 1 : 0) : way == 3 || way == 6 ? count : 0;
    if (!chance_percent(&chance, 3)) /* else cut off */
        buf_add_bytes(&bent, buf_text(text) + at + skip, left - skip);
    buf_release(text);
    *text = bent;
}

static void bend_some(struct buf *text, const char *other)
{
    for (uint32_t times = chance_below(&chance, 4) + 1; times; times--)
        bend(text, other);
}

/* ---- running ---- */

static double share_s(int share)
{
    const char *asked = getenv("FD_FUZZ_SECONDS"), *times = getenv("FRONTDESK_TEST_ROUNDS");
    double all = asked ? atof(asked) : 20;
#ifndef SANITIZED
    /* Without sanitizers little would be seen. */
    all = asked ? all : all / 4;
#endif
    return all * (times && atoi(times) > 0 ? atoi(times) : 1) * share / 100;
}

static void run(const char *name, int share, void (*once)(void))
{
    int64_t until = mono_ms() + (int64_t)(share_s(share) * 1000), runs = 0;
    chance = chance_from(tally_seed(), (uint64_t)share);
    do {
        for (int i = 0; i < 20; i++, runs++)
            once();
    } while (mono_ms() < until);
    print_message("%s: %lld runs\n", name, (long long)runs);
    if (share_s(share) >= 1)
        assert_true(runs >= LEAST_RUNS);
}

/* ---- notifications ---- */

#define PAID                                                                                                           \
    "{\"mchid\":\"" MCHID "\",\"appid\":\"" APPID                                                                      \
    "\",\"out_trade_no\":\"20261130PY7K3M9Q2X\",\"transaction_id\":\"12\","                                            \
    "\"trade_state\":\"SUCCESS\",\"success_time\":\"2026-11-30T12:34:56+08:00\",\"amount\":{\"total\":8000,"           \
    "\"currency\":\"CNY\"}}"
#define BACK                                                                                                           \
    "{\"mchid\":\"" MCHID "\",\"out_trade_no\":\"20261130PY7K3M9Q2X\",\"out_refund_no\":\"20261130RF7K3M9Q2X\","       \
    "\"refund_id\":\"5\",\"status\":\"SUCCESS\",\"refund_status\":\"SUCCESS\",\"amount\":{\"total\":8000,\"refund\":"  \
    "2000}}"
#define NOTIFIED                                                                                                       \
    "app_id=" APP_ID "&notify_id=2019&gmt_payment=2026-11-30 12:34:56&notify_type=trade_status_sync"                   \
    "&out_trade_no=20261130PY7K3M9Q2X&seller_id=" SELLER_ID "&subject=羽毛球&total_amount=80.00&trade_no=2019081"   \
    "&trade_status=TRADE_SUCCESS&refund_fee=20.00&out_biz_no=20261130RF7K3M9Q2X"

static bool is_accepted(enum notice_verdict verdict)
{
    return verdict == NOTICE_PAYMENT || verdict == NOTICE_REFUND;
}

static enum notice_verdict read_notice(struct channel *channel, const char *headers, const struct buf *body,
                                       struct channel_notice *notice)
{
    const struct channel_message message = {.headers = headers, .body = buf_text(body), .body_bytes = body->bytes};
    enum notice_verdict verdict = channel_notice_read(channel, &message, time(NULL), notice);
    assert_true(!is_accepted(verdict) || (notice->id[0] && notice->out_trade_no[0]));
    assert_true(verdict != NOTICE_PAYMENT || notice->trade.raw);
    assert_true(strlen(notice->trouble) < sizeof notice->trouble);
    return verdict;
}

/* Bent behind the signature: whatever is still believed says what was signed. */
static void bend_notice_of(struct channel *channel, const char *headers, const char *body)
{
    struct channel_notice notice;
    struct buf bent_headers = {0}, bent_body = {0};
    buf_add(&bent_headers, headers);
    buf_add(&bent_body, body);
    bend_some(chance_percent(&chance, 30) ? &bent_headers : &bent_body, NOTIFIED);
    if (is_accepted(read_notice(channel, buf_text(&bent_headers), &bent_body, &notice))) {
        assert_string_equal(notice.out_trade_no, "20261130PY7K3M9Q2X");
        assert_true(notice.trade.amount_fen == 8000 || notice.backed.refund_fen == 2000);
    }
    channel_notice_release(&notice);
    buf_release(&bent_headers);
    buf_release(&bent_body);
}

static void one_bent_notice(void)
{
    static char *headers[2], *bodies[2], *form;
    if (!form) {
        const char *const plains[] = {PAID, BACK};
        for (int i = 0; i < 2; i++) {
            bodies[i] = merchant_event("EV-1", i ? "refund" : "transaction", plains[i]);
            headers[i] = merchant_seal(&merchant, &(struct seal){0}, bodies[i]);
        }
        form = merchant_form(&merchant, NOTIFIED);
    }
    uint32_t which = chance_below(&chance, 3);
    if (which < 2)
        bend_notice_of(merchant.wechat, headers[which], bodies[which]);
    else
        bend_notice_of(merchant.alipay, "", form);
}

/* Bent before it is signed: a channel that says odd things. */
static void one_odd_notice(void)
{
    struct channel_notice notice;
    struct buf text = {0}, body = {0};
    uint32_t which = chance_below(&chance, 3);
    buf_add(&text, which == 0 ? PAID : which == 1 ? BACK : NOTIFIED);
    bend_some(&text, which ? PAID : BACK);
    char *headers = NULL;
    if (which < 2) {
        char *event = merchant_event("EV-1", which ? "refund" : "transaction", buf_text(&text));
        buf_add(&body, event);
        if (chance_percent(&chance, 30))
            bend_some(&body, PAID);
        headers = merchant_seal(&merchant, &(struct seal){0}, buf_text(&body));
        free(event);
    } else {
        struct params params = {0};
        char *sign = rsa_sign(merchant.platform, buf_text(&text), strlen(buf_text(&text)));
        char *form = params_from_form(buf_text(&text), &params) && params_add(&params, "sign", sign)
                         ? params_form(&params, "", true)
                         : xstrdup(buf_text(&text));
        buf_add(&body, form);
        free(form);
        free(sign);
        params_release(&params);
    }
    read_notice(which < 2 ? merchant.wechat : merchant.alipay, headers, &body, &notice);
    channel_notice_release(&notice);
    free(headers);
    buf_release(&text);
    buf_release(&body);
}

/* ---- answers ---- */

static const char *const wechat_answers[] = {
    PAID, BACK, "{\"code_url\":\"weixin://wxpay/bizpayurl?pr=JyC91EIz1\"}",
    "{\"code\":\"ORDER_NOT_EXIST\",\"message\":\"订单不存在\",\"detail\":{\"field\":\"/amount\",\"issue\":\"x\"}}", ""};
static const long statuses[] = {200, 200, 200, 204, 202, 400, 401, 403, 404, 405, 429, 500, 503, 302, 0, -1};

static void one_wechat_answer(void)
{
    struct http_answer answer = {.status = statuses[chance_below(&chance, COUNT(statuses))]};
    struct channel_trouble trouble = {0};
    struct channel_trade trade;
    struct channel_backed backed;
    struct tree *tree = NULL;
    const char *why;
    buf_add(&answer.body, wechat_answers[chance_below(&chance, COUNT(wechat_answers))]);
    bool before = chance_percent(&chance, 60);
    if (before)
        bend_some(&answer.body, PAID);
    /* What cannot be signed as text has a NUL in it, and is refused for that. */
    char *headers = merchant_seal(&merchant, &(struct seal){0}, buf_text(&answer.body));
    buf_add(&answer.headers, headers);
    buf_add(&answer.headers, "Date: Mon, 30 Nov 2026 04:34:56 GMT\nRequest-ID: 08-1\n");
    if (!before)
        bend_some(chance_percent(&chance, 50) ? &answer.headers : &answer.body, BACK);
    if (wechat_answer(merchant.wechat, &answer, &tree, &trouble) == CHANNEL_DONE && tree) {
        if (wechat_read_trade(merchant.wechat, tree, &trade, &why))
            assert_true(trade.amount_fen >= 0 && trade.amount_fen <= FEN_MAX);
        if (wechat_read_back(tree, "status", &backed))
            assert_true(backed.refund_fen > 0 && backed.refund_no[0]);
    }
    tree_free(&tree);
    free(headers);
    http_answer_release(&answer);
}

static const char *const alipay_nodes[] = {
    "{\"code\":\"10000\",\"out_trade_no\":\"2\",\"trade_status\":\"TRADE_SUCCESS\",\"total_amount\":\"0.01\"}",
    "{\"code\":\"40004\",\"sub_code\":\"ACQ.TRADE_NOT_EXIST\",\"sub_msg\":\"交易不存在\"}",
    "{\"code\":\"10000\",\"qr_code\":\"https:\\/\\/qr.alipay.com\\/bax\"}",
    "{\"code\":\"20000\",\"sub_code\":\"isp.unknow-error\"}"};

static void one_alipay_answer(void)
{
    struct http_answer answer = {.status = chance_percent(&chance, 90) ? 200 : 502};
    struct channel_trouble trouble = {0};
    struct tree *tree = NULL;
    struct buf node = {0};
    char *raw = NULL;
    buf_add(&node, alipay_nodes[chance_below(&chance, COUNT(alipay_nodes))]);
    bool before = chance_percent(&chance, 60);
    if (before)
        bend_some(&node, NOTIFIED);
    char *whole = merchant_node(
        &merchant, chance_percent(&chance, 90) ? "alipay_trade_query_response" : "error_response", buf_text(&node));
    buf_add(&answer.body, whole);
    if (!before)
        bend_some(&answer.body, whole);
    enum channel_outcome outcome = alipay_answer(merchant.alipay, "alipay.trade.query", &answer, &tree, &raw, &trouble);
    if (outcome == CHANNEL_DONE)
        assert_non_null(strstr(raw, "10000"));
    else
        assert_true(!tree && !raw);
    /* Bent behind the signature and still believed: the node is the one that was signed. */
    if (outcome == CHANNEL_DONE && !before)
        assert_string_equal(raw, buf_text(&node));
    tree_free(&tree);
    free(raw);
    free(whole);
    buf_release(&node);
    http_answer_release(&answer);
}

static void one_answer(void)
{
    if (chance_percent(&chance, 50))
        one_wechat_answer();
    else
        one_alipay_answer();
}

/* ---- the small readers, which need no signature: many more runs ---- */

static const char *const small_texts[] = {
    NOTIFIED,
    PAID,
    "{\"a\":{\"b\":[1,2,\"}\\\"\"]},\"alipay_trade_query_response\":{\"code\":\"1\"},\"sign\":\"x\"}",
    "Wechatpay-Serial: a\r\nDate: Mon, 30 Nov 2026 04:34:56 GMT\r\nX:\r\n",
    "2026-11-30T12:34:56.123+08:00",
    "ulwSiIajGClcvcOYvOQ7+l+0PAbzzwI=",
    "羽毛球 1 号场 \xF0\x9F\x8F\xB8 a/b=c&d\033[31m",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n"};

static void one_small_text(void)
{
    struct buf text = {0}, plain = {0};
    struct params params = {0};
    const char *value = "";
    char out[256];
    size_t bytes = 0;
    int64_t number;
    wall_t wall;
    buf_add(&text, small_texts[chance_below(&chance, COUNT(small_texts))]);
    bend_some(&text, small_texts[chance_below(&chance, COUNT(small_texts))]);
    const char *bent = buf_text(&text);
    if (json_raw_member(bent, "alipay_trade_query_response", &value, &bytes))
        assert_true(value > bent && value + bytes < bent + strlen(bent));
    if (params_from_form(bent, &params)) {
        /* A form that was read is written so that it reads the same. */
        struct params again = {0};
        char *form = params_form(&params, "", true), *one = params_text(&params, NULL, NULL);
        assert_true(params_from_form(form, &again));
        char *two = params_text(&again, NULL, NULL);
        assert_string_equal(one, two);
        free(form);
        free(one);
        free(two);
        params_release(&again);
    }
    if (http_header(bent, "Wechatpay-Serial", out, sizeof out))
        assert_null(strchr(out, '\n'));
    http_date(bent, &number);
    wall_from_rfc3339(bent, &wall);
    const struct sealing sealing = {.key = APIV3_KEY, .nonce = "uluk4a9R25RW", .aad = "associatedData"};
    if (aes256gcm_open(&sealing, bent, &plain))
        assert_string_equal(plain.text, "message");
    static const struct text_rule rule = {.bytes_most = 3, .refused = "/=&", .instead = '-', .chars = 20};
    text_for_channel(bent, &rule, out, 70);
    assert_true(strlen(out) < 70 && !strpbrk(out, "/=&\033"));
    struct crypto_key *key = crypto_key_public(bent);
    crypto_key_free(&key);
    params_release(&params);
    buf_release(&plain);
    buf_release(&text);
}

static void bent_notifications_say_what_was_signed_or_nothing(void **state)
{
    (void)state;
    run("bent notifications", 24, one_bent_notice);
}

static void odd_notifications_do_no_harm(void **state)
{
    (void)state;
    run("odd notifications", 25, one_odd_notice);
}

static void bent_answers_say_what_was_signed_or_nothing(void **state)
{
    (void)state;
    run("answers", 26, one_answer);
}

static void small_readers_stand_any_bytes(void **state)
{
    (void)state;
    run("small texts", 25, one_small_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_notifications_say_what_was_signed_or_nothing),
        cmocka_unit_test(odd_notifications_do_no_harm),
        cmocka_unit_test(bent_answers_say_what_was_signed_or_nothing),
        cmocka_unit_test(small_readers_stand_any_bytes),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
