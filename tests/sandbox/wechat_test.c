/* The sandbox's WeChat Pay against facts/payments A: what it does, what it refuses, what it lets go wrong. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/when.h"

static int start(void **state)
{
    (void)state;
    kit_start((const char *const[]){"--auto-refund", "off", NULL});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kit_end();
    return 0;
}

static const char *query_path(const char *number)
{
    static char path[200];
    fit_printf(path, "/v3/pay/transactions/out-trade-no/%s?mchid=%s", number, kit_text("mchid"));
    return path;
}

static struct reply refund(const char *number, const char *refund_number, int fen)
{
    return wechat_post("/v3/refund/domestic/refunds",
                       "{\"out_trade_no\":\"%s\",\"out_refund_no\":\"%s\",\"reason\":\"客人改时间\","
                       "\"amount\":{\"refund\":%d,\"total\":8000,\"currency\":\"CNY\"}}",
                       number, refund_number, fen);
}

static struct reply close_order(const char *number)
{
    char path[120];
    fit_printf(path, "/v3/pay/transactions/out-trade-no/%s/close", number);
    return wechat_post(path, "{\"mchid\":\"%s\"}", kit_text("mchid"));
}

static void expect_state(const char *number, const char *state)
{
    struct reply reply = wechat_get("%s", query_path(number));
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.proof, PROOF_FINE);
    expect_text(reply.tree, "trade_state", state);
    reply_free(&reply);
}

static void refused(const char *command, const char *name)
{
    int status;
    struct tree *answer = sandbox_try(&kit.sandbox, &status, "%s %s", command, name);
    assert_int_equal(status, 1);
    tree_free(&answer);
}

/* ---- the way of an order ---- */

static void an_order_is_scanned_and_paid(void **state)
{
    char code[128];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    expect_state(number, "NOTPAY");
    struct tree *seen = sandbox_tell(&kit.sandbox, "scan %s --payer anna", code);
    expect_text(seen, "number", number);
    assert_int_equal(tree_get_int(seen, "amount_fen"), 8000);
    tree_free(&seen);
    expect_state(number, "NOTPAY");
    refused("pay --payer berta", code);
    sandbox_do(&kit.sandbox, "fail %s --payer anna", number);
    expect_state(number, "NOTPAY");
    sandbox_do(&kit.sandbox, "pay %s", code);
    refused("pay --payer anna", code);
    struct reply reply = wechat_get("%s", query_path(number));
    expect_text(reply.tree, "trade_state", "SUCCESS");
    expect_text(reply.tree, "appid", kit_text("appid"));
    expect_text(reply.tree, "mchid", kit_text("mchid"));
    expect_text(reply.tree, "trade_type", "NATIVE");
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "total"), 8000);
    assert_int_equal(strlen(tree_get_text(reply.tree, "transaction_id")), 28);
    assert_non_null(strstr(tree_get_text(reply.tree, "success_time"), "+08:00"));
    struct reply same = wechat_get("/v3/pay/transactions/id/%s?mchid=%s", tree_get_text(reply.tree, "transaction_id"),
                                   kit_text("mchid"));
    expect_text(same.tree, "out_trade_no", number);
    reply_free(&same);
    reply_free(&reply);
    expect_reply(close_order(number), 400, "ORDER_PAID");
}

static void a_wrong_amount_is_told_as_it_was_paid(void **state)
{
    char code[128];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s --amount 79.99", number);
    struct reply reply = wechat_get("%s", query_path(number));
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "total"), 7999);
    reply_free(&reply);
}

/* The merchant gets 80.00, the payer gave 75.00. */
static void a_coupon_lowers_what_the_payer_gives(void **state)
{
    char code[128];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s --coupon 5", number);
    struct reply reply = wechat_get("%s", query_path(number));
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "total"), 8000);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "payer_total"), 7500);
    reply_free(&reply);
    reply = refund(number, fresh("R"), 4000);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "refund"), 4000);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "payer_refund"), 3750);
    reply_free(&reply);
}

static void the_same_order_again_gives_another_code(void **state)
{
    char code[128], second[128];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    wechat_order(number, second);
    assert_string_not_equal(code, second);
    refused("pay", code);
    struct reply reply = wechat_post("/v3/pay/transactions/native",
                                     "{\"appid\":\"%s\",\"mchid\":\"%s\",\"description\":\"羽毛球 5号场\","
                                     "\"out_trade_no\":\"%s\",\"notify_url\":\"http://127.0.0.1:9/none\","
                                     "\"amount\":{\"total\":8001,\"currency\":\"CNY\"}}",
                                     kit_text("appid"), kit_text("mchid"), number);
    assert_int_equal(reply.proof, PROOF_FINE);
    expect_reply(reply, 403, "OUT_TRADE_NO_USED");
    sandbox_do(&kit.sandbox, "pay %s", second);
}

static void a_closed_order_stays_closed(void **state)
{
    char code[128];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    struct reply reply = close_order(number);
    assert_int_equal(reply.status, 204);
    assert_int_equal(reply.body.bytes, 0);
    assert_int_equal(reply.proof, PROOF_FINE);
    reply_free(&reply);
    expect_reply(close_order(number), 204, "");
    expect_state(number, "CLOSED");
    refused("pay", code);
    expect_reply(close_order("NOSUCHORDER"), 404, "ORDER_NOT_EXIST");
    expect_reply(wechat_get("%s", query_path("NOSUCHORDER")), 404, "ORDER_NOT_EXIST");
}

static void a_code_lives_two_hours_by_the_clock(void **state)
{
    char code[128], text[32];
    const char *number = fresh("W"), *shorter = fresh("W");
    int year, month, day;
    (void)state;
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "clock +7100");
    sandbox_do(&kit.sandbox, "scan %s", code);
    struct tree *now = sandbox_tell(&kit.sandbox, "clock +110");
    refused("pay", code);
    expect_state(number, "NOTPAY");
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", code);
    wall_t wall;
    assert_true(wall_from_sql(tree_get_text(now, "now"), &wall));
    tree_free(&now);
    wall += 120;
    day_split(wall_day(wall), &year, &month, &day);
    fit_printf(text, "%04d-%02d-%02dT%02d:%02d:%02d+08:00", year, month, day, wall_minute(wall) / 60,
               wall_minute(wall) % 60, (int)(wall % 60));
    expect_reply(wechat_post("/v3/pay/transactions/native",
                             "{\"appid\":\"%s\",\"mchid\":\"%s\",\"description\":\"x\",\"out_trade_no\":\"%s\","
                             "\"notify_url\":\"https://a.example/n\",\"time_expire\":\"%s\",\"amount\":{\"total\":1}}",
                             kit_text("appid"), kit_text("mchid"), shorter, text),
                 200, "");
    sandbox_do(&kit.sandbox, "scan %s", shorter);
    sandbox_do(&kit.sandbox, "clock +120");
    refused("pay", shorter);
    sandbox_do(&kit.sandbox, "clock +604800");
    expect_state(shorter, "CLOSED");
}

/* ---- what the gate refuses ---- */

static void refused_at_the_gate(const struct twist *twist, long status, const char *code)
{
    struct reply reply = wechat("GET", query_path("ANYORDER"), NULL, twist);
    assert_int_equal(reply.proof, PROOF_NONE);
    char value[100];
    assert_false(http_header(buf_text(&reply.headers), "Wechatpay-Serial", value, sizeof value));
    assert_true(http_header(buf_text(&reply.headers), "Request-ID", value, sizeof value));
    expect_reply(reply, status, code);
}

static void a_wrong_signature_is_refused_unsigned(void **state)
{
    (void)state;
    refused_at_the_gate(&(struct twist){.key = kit.app}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.signed_body = "{}"}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.serial = "5F1C72E2A8931B72A2E13AF8DEE92471EB397115"}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.mchid = "1900000001"}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.skew_s = 310}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.skew_s = -310}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.no_header = "Authorization"}, 401, "SIGN_ERROR");
    refused_at_the_gate(&(struct twist){.no_header = "User-Agent"}, 400, "PARAM_ERROR");
    /* The clock that can be put forward has no say in this. */
    sandbox_do(&kit.sandbox, "clock +1000");
    expect_reply(wechat("GET", query_path("ANYORDER"), NULL, &(struct twist){.skew_s = 250}), 404, "ORDER_NOT_EXIST");
    /* One that is wrong has. */
    sandbox_do(&kit.sandbox, "skew 310");
    refused_at_the_gate(&(struct twist){0}, 401, "SIGN_ERROR");
    expect_reply(wechat("GET", query_path("ANYORDER"), NULL, &(struct twist){.skew_s = 250}), 404, "ORDER_NOT_EXIST");
    sandbox_do(&kit.sandbox, "skew 0");
}

static void the_very_bytes_are_signed(void **state)
{
    (void)state;
    struct reply reply = wechat("POST", "/v3/pay/transactions/native", "{ \"appid\":\"x\"}",
                                &(struct twist){.signed_body = "{\"appid\":\"x\"}"});
    expect_reply(reply, 401, "SIGN_ERROR");
    expect_reply(wechat("POST", "/v3/pay/transactions/native", "{ \"appid\":\"x\"}", NULL), 400, "PARAM_ERROR");
    /* Percent-encoded as it went over the wire. */
    expect_reply(wechat_get("/v3/pay/transactions/out-trade-no/AB%%43DEF?mchid=%s", kit_text("mchid")), 404,
                 "ORDER_NOT_EXIST");
}

static void an_unknown_path_has_no_body(void **state)
{
    (void)state;
    struct reply reply = wechat_get("/v3/pay/nowhere");
    assert_int_equal(reply.body.bytes, 0);
    assert_int_equal(reply.proof, PROOF_NONE);
    expect_reply(reply, 404, "");
    expect_reply(wechat_get("/v3/refund/domestic/refunds"), 405, "");
    expect_reply(wechat_get("/v3/certificates"), 404, "RESOURCE_NOT_EXISTS");
}

#define ORDER(description, number, url, amount)                                                                        \
    "{\"appid\":\"%s\",\"mchid\":\"%s\",\"description\":" description ",\"out_trade_no\":" number                      \
    ",\"notify_url\":" url ",\"amount\":" amount "}"
#define FINE_URL "\"https://a.example/n\""
#define FINE_SUM "{\"total\":1,\"currency\":\"CNY\"}"

static void wrong_parameters_are_refused(void **state)
{
    static const char *const bodies[] = {
        ORDER("\"\"", "\"AAAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"x\"", "\"AAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"x\"", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"x\"", "\"AAAA/A\"", FINE_URL, FINE_SUM),
        ORDER("\"x\"", "\"AAAAAA\"", "\"http://a.example/n\"", FINE_SUM),
        ORDER("\"x\"", "\"AAAAAA\"", "\"https://a.example/n?x=1\"", FINE_SUM),
        ORDER("\"x\"", "\"AAAAAA\"", FINE_URL, "{\"total\":0,\"currency\":\"CNY\"}"),
        ORDER("\"x\"", "\"AAAAAA\"", FINE_URL, "{\"total\":1.5,\"currency\":\"CNY\"}"),
        ORDER("\"x\"", "\"AAAAAA\"", FINE_URL, "{\"total\":1,\"currency\":\"USD\"}"),
        ORDER("null", "\"AAAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"x\",\"attach\":null", "\"AAAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"\xf0\x9f\x8e\xbe\"", "\"AAAAAA\"", FINE_URL, FINE_SUM),
        ORDER("\"x\",\"time_expire\":\"2020-01-01T00:00:00+08:00\"", "\"AAAAAA\"", FINE_URL, FINE_SUM),
        "{\"appid\":\"%s\",\"mchid\":\"%s\"",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct buf body = {0};
        const char *rest = bodies[i], *mark;
        const char *const values[] = {kit_text("appid"), kit_text("mchid")};
        for (size_t k = 0; k < 2 && (mark = strstr(rest, "%s")); k++) {
            buf_add_bytes(&body, rest, (size_t)(mark - rest));
            buf_add(&body, values[k]);
            rest = mark + 2;
        }
        buf_add(&body, rest);
        expect_reply(wechat("POST", "/v3/pay/transactions/native", buf_text(&body), NULL), 400, "PARAM_ERROR");
        buf_release(&body);
    }
    expect_reply(wechat_post("/v3/pay/transactions/native", ORDER("\"x\"", "\"AAAAAA\"", FINE_URL, FINE_SUM), "wxother",
                             kit_text("mchid")),
                 400, "INVALID_REQUEST");
}

/* ---- refunds ---- */

static const char *paid_order(void)
{
    char code[128];
    const char *number = fresh("W");
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", code);
    return number;
}

static void expect_refund(struct reply reply, const char *status, int fen)
{
    if (reply.status != 200)
        fail_msg("%ld %s", reply.status, buf_text(&reply.body));
    assert_int_equal(reply.proof, PROOF_FINE);
    expect_text(reply.tree, "status", status);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "refund"), fen);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "total"), 8000);
    reply_free(&reply);
}

static void a_refund_is_accepted_then_done(void **state)
{
    const char *number = paid_order(), *first = fresh("R"), *second = fresh("R"), *third = fresh("R");
    char path[100];
    (void)state;
    sandbox_do(&kit.sandbox, "one-minute-rule off");
    fit_printf(path, "/v3/refund/domestic/refunds/%s", first);
    expect_reply(wechat_get("%s", path), 404, "RESOURCE_NOT_EXISTS");
    expect_refund(refund(number, first, 3000), "PROCESSING", 3000);
    expect_state(number, "REFUND");
    expect_refund(refund(number, first, 3000), "PROCESSING", 3000);
    expect_reply(refund(number, first, 3001), 400, "INVALID_REQUEST");
    expect_reply(refund(number, second, 5001), 400, "INVALID_REQUEST");
    expect_refund(refund(number, second, 5000), "PROCESSING", 5000);
    sandbox_do(&kit.sandbox, "refund-done %s", first);
    expect_refund(wechat_get("%s", path), "SUCCESS", 3000);
    refused("refund-done", first);
    /* A closed one gives its sum free; the same number stays closed. */
    sandbox_do(&kit.sandbox, "refund-done %s closed", second);
    expect_refund(refund(number, second, 5000), "CLOSED", 5000);
    expect_refund(refund(number, third, 5000), "PROCESSING", 5000);
    sandbox_do(&kit.sandbox, "refund-done %s abnormal", third);
    struct reply reply = wechat_get("/v3/refund/domestic/refunds/%s", third);
    expect_text(reply.tree, "status", "ABNORMAL");
    fit_printf(path, "/v3/refund/domestic/refunds/%s/apply-abnormal-refund", tree_get_text(reply.tree, "refund_id"));
    reply_free(&reply);
    expect_refund(wechat_post(path, "{\"type\":\"MERCHANT_BANK_CARD\"}"), "PROCESSING", 5000);
    sandbox_do(&kit.sandbox, "one-minute-rule on");
}

static void refunds_are_refused_by_rule(void **state)
{
    char code[128];
    const char *number = paid_order(), *unpaid = fresh("W"), *first = fresh("R");
    (void)state;
    wechat_order(unpaid, code);
    expect_reply(refund(unpaid, "RUNPAID", 100), 400, "INVALID_REQUEST");
    expect_reply(refund("NOSUCHORDER", "RNONE", 100), 404, "RESOURCE_NOT_EXISTS");
    expect_refund(refund(number, first, 100), "PROCESSING", 100);
    expect_reply(refund(number, "RSOON", 100), 429, "FREQUENCY_LIMITED");
    expect_refund(refund(number, first, 100), "PROCESSING", 100);
    sandbox_do(&kit.sandbox, "clock +61");
    expect_refund(refund(number, fresh("R"), 100), "PROCESSING", 100);
    sandbox_do(&kit.sandbox, "one-minute-rule off");
    for (int i = 2; i < 50; i++)
        expect_refund(refund(number, fresh("R"), 100), "PROCESSING", 100);
    expect_reply(refund(number, "RMANY", 100), 403, "RULE_LIMIT");
    sandbox_do(&kit.sandbox, "one-minute-rule on");
    sandbox_do(&kit.sandbox, "fault balance");
    expect_reply(refund(paid_order(), "RPOOR", 100), 403, "NOT_ENOUGH");
    struct reply reply = wechat_post("/v3/refund/domestic/refunds",
                                     "{\"out_trade_no\":\"%s\",\"out_refund_no\":\"RTOTAL\","
                                     "\"amount\":{\"refund\":1,\"total\":7999,\"currency\":\"CNY\"}}",
                                     number);
    expect_reply(reply, 400, "INVALID_REQUEST");
}

static void a_refund_comes_through_by_itself(void **state)
{
    const char *number = paid_order(), *back = fresh("R");
    char path[100];
    (void)state;
    sandbox_do(&kit.sandbox, "auto-refund 3600");
    expect_refund(refund(number, back, 8000), "PROCESSING", 8000);
    fit_printf(path, "/v3/refund/domestic/refunds/%s", back);
    expect_refund(wechat_get("%s", path), "PROCESSING", 8000);
    sandbox_do(&kit.sandbox, "clock +3601");
    expect_refund(wechat_get("%s", path), "SUCCESS", 8000);
    sandbox_do(&kit.sandbox, "auto-refund off");
}

/* ---- the platform's keys ---- */

static void the_answer_is_signed_with_the_key_asked_for(void **state)
{
    char serial[SERIAL_BYTES], event[64];
    (void)state;
    (void)event;
    const char *const asked[] = {kit_text("public_key_id"), kit_text("certificate_id")};
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct reply reply = wechat("GET", query_path("ANYORDER"), NULL, &(struct twist){.platform_serial = asked[i]});
        assert_int_equal(reply.proof, PROOF_FINE);
        assert_true(http_header(buf_text(&reply.headers), "Wechatpay-Serial", serial, sizeof serial));
        assert_string_equal(serial, asked[i]);
        reply_free(&reply);
    }
    sandbox_do(&kit.sandbox, "serial certificate");
    struct reply reply = wechat("GET", "/v3/certificates", NULL, &(struct twist){.no_header = "Wechatpay-Serial"});
    assert_int_equal(reply.status, 200);
    const struct tree *one = tree_at(tree_get(reply.tree, "data"), 0), *sealed = tree_get(one, "encrypt_certificate");
    const struct sealing sealing = {kit_text("apiv3_key"), tree_get_text(sealed, "nonce"), "certificate"};
    struct buf pem = {0};
    expect_text(one, "serial_no", kit_text("certificate_id"));
    assert_true(aes256gcm_open(&sealing, tree_get_text(sealed, "ciphertext"), &pem));
    assert_true(certificate_serial(buf_text(&pem), serial));
    assert_string_equal(serial, kit_text("certificate_id"));
    assert_int_equal(reply.proof, PROOF_FINE);
    buf_release(&pem);
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "serial public");
}

/* ---- faults ---- */

static void faults_of_the_answer(void **state)
{
    static const struct {
        const char *name;
        long status;
        const char *code;
        enum proof proof;
        bool done;
    } cases[] = {
        {"500-before", 500, "SYSTEM_ERROR", PROOF_FINE, false},
        {"503", 503, "SERVICE_UNAVAILABLE", PROOF_FINE, false},
        {"429", 429, "FREQUENCY_LIMITED", PROOF_FINE, false},
        {"404-empty", 404, "", PROOF_NONE, false},
        {"500-after", 500, "SYSTEM_ERROR", PROOF_FINE, true},
        {"202", 202, "USERPAYING", PROOF_FINE, true},
        {"sign", 200, "", PROOF_BAD, true},
        {"unsigned", 200, "", PROOF_NONE, true},
        {"serial", 200, "", PROOF_BAD, true},
        {"stale", 200, "", PROOF_BAD, true},
        {"flip", 200, "", PROOF_BAD, true},
        {"signtest", 200, "", PROOF_BAD, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *number = paid_order(), *back = fresh("R");
        sandbox_do(&kit.sandbox, "fault %s --at refund", cases[i].name);
        struct reply reply = refund(number, back, 8000);
        if (reply.proof != cases[i].proof)
            fail_msg("%s: proof %d", cases[i].name, reply.proof);
        expect_reply(reply, cases[i].status, cases[i].code);
        /* Once only, and done or not done as it says. */
        reply = wechat_get("/v3/refund/domestic/refunds/%s", back);
        if (reply.status != (cases[i].done ? 200 : 404))
            fail_msg("%s: %ld", cases[i].name, reply.status);
        reply_free(&reply);
        expect_refund(refund(number, back, 8000), "PROCESSING", 8000);
    }
}

static void faults_of_the_line(void **state)
{
    const char *number = paid_order(), *lost = fresh("R"), *silent = fresh("W");
    char code[128], value[40];
    (void)state;
    sandbox_do(&kit.sandbox, "fault lost --at refund");
    struct reply reply = refund(number, lost, 100);
    assert_int_equal(reply.end, HTTP_NO_ANSWER);
    reply_free(&reply);
    expect_refund(refund(number, lost, 100), "PROCESSING", 100);
    wechat_order(silent, code);
    sandbox_do(&kit.sandbox, "fault silent --at close --ms 20000");
    reply = close_order(silent);
    assert_int_equal(reply.end, HTTP_NO_ANSWER);
    reply_free(&reply);
    expect_state(silent, "CLOSED");
    sandbox_do(&kit.sandbox, "fault slow --ms 600");
    int64_t began = mono_ms();
    expect_state(silent, "CLOSED");
    assert_in_range(mono_ms() - began, 550, 3900);
    sandbox_do(&kit.sandbox, "fault gzip");
    reply = wechat_get("%s", query_path(silent));
    assert_true(http_header(buf_text(&reply.headers), "Content-Encoding", value, sizeof value));
    assert_int_equal((unsigned char)reply.body.text[0], 0x1f);
    assert_null(reply.tree);
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "delay 300");
    began = mono_ms();
    expect_state(silent, "CLOSED");
    assert_in_range(mono_ms() - began, 290, 3900);
    sandbox_do(&kit.sandbox, "delay 0");
}

static void faults_of_the_content(void **state)
{
    const char *number = paid_order();
    (void)state;
    sandbox_do(&kit.sandbox, "fault amount --at query");
    struct reply reply = wechat_get("%s", query_path(number));
    assert_int_equal(reply.proof, PROOF_FINE);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "total"), 8001);
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "fault merchant 2");
    for (int i = 0; i < 3; i++) {
        reply = wechat_get("%s", query_path(number));
        assert_int_equal(strcmp(tree_get_text(reply.tree, "mchid"), kit_text("mchid")) != 0, i < 2);
        reply_free(&reply);
    }
    sandbox_do(&kit.sandbox, "fault 429 always");
    sandbox_do(&kit.sandbox, "fault 429 off");
    expect_state(number, "SUCCESS");
}

/* The same seed, the same misfortunes. */
static void random_faults_repeat(void **state)
{
    long seen[2][20];
    int troubles = 0;
    (void)state;
    for (int round = 0; round < 2; round++) {
        sandbox_do(&kit.sandbox, "random 42 60");
        for (int i = 0; i < 20; i++) {
            struct reply reply = wechat_get("%s", query_path("NOSUCHORDER"));
            seen[round][i] = reply.end == HTTP_ANSWERED ? reply.status * 10 + reply.proof : -1;
            troubles += seen[round][i] != 4040 + PROOF_FINE;
            reply_free(&reply);
        }
    }
    sandbox_do(&kit.sandbox, "random 0 0");
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_in_range(troubles, 10, 38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_is_scanned_and_paid),
        cmocka_unit_test(a_wrong_amount_is_told_as_it_was_paid),
        cmocka_unit_test(a_coupon_lowers_what_the_payer_gives),
        cmocka_unit_test(the_same_order_again_gives_another_code),
        cmocka_unit_test(a_closed_order_stays_closed),
        cmocka_unit_test(a_wrong_signature_is_refused_unsigned),
        cmocka_unit_test(the_very_bytes_are_signed),
        cmocka_unit_test(an_unknown_path_has_no_body),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(a_refund_is_accepted_then_done),
        cmocka_unit_test(refunds_are_refused_by_rule),
        cmocka_unit_test(a_refund_comes_through_by_itself),
        cmocka_unit_test(the_answer_is_signed_with_the_key_asked_for),
        cmocka_unit_test(faults_of_the_answer),
        cmocka_unit_test(faults_of_the_line),
        cmocka_unit_test(faults_of_the_content),
        cmocka_unit_test(random_faults_repeat),
        cmocka_unit_test(a_code_lives_two_hours_by_the_clock),
    };
    return cmocka_run_group_tests_name("sandbox: WeChat Pay", tests, start, stop);
}
