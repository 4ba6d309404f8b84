/* The sandbox's Alipay against facts/payments B. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int start(void **state)
{
    (void)state;
    kit_start(NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kit_end();
    return 0;
}

static struct reply query(const char *number)
{
    return alipay("alipay.trade.query", "{\"out_trade_no\":\"%s\"}", number);
}

static struct reply refund(const char *number, const char *request, const char *yuan)
{
    return alipay(
        "alipay.trade.refund",
        "{\"out_trade_no\":\"%s\",\"refund_amount\":\"%s\",\"out_request_no\":\"%s\",\"refund_reason\":\"退款\"}",
        number, yuan, request);
}

static struct reply refund_query(const char *number, const char *request)
{
    return alipay("alipay.trade.fastpay.refund.query", "{\"out_trade_no\":\"%s\",\"out_request_no\":\"%s\"}", number,
                  request);
}

static void expect_status(const char *number, const char *status)
{
    struct reply reply = query(number);
    assert_string_equal(reply.code, "10000");
    assert_int_equal(reply.proof, PROOF_FINE);
    expect_text(reply.tree, "trade_status", status);
    reply_free(&reply);
}

static void refused(const char *command, const char *name)
{
    int status;
    struct tree *answer = sandbox_try(&kit.sandbox, &status, "%s %s", command, name);
    assert_int_equal(status, 1);
    tree_free(&answer);
}

static const char *paid_order(void)
{
    char code[128];
    const char *number = fresh("A");
    alipay_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", code);
    return number;
}

static void a_trade_exists_when_it_is_scanned(void **state)
{
    char code[128];
    const char *number = fresh("A");
    (void)state;
    alipay_order(number, code);
    expect_reply(query(number), 200, "ACQ.TRADE_NOT_EXIST");
    expect_reply(alipay("alipay.trade.close", "{\"out_trade_no\":\"%s\"}", number), 200, "ACQ.TRADE_NOT_EXIST");
    sandbox_do(&kit.sandbox, "scan %s --payer anna", code);
    expect_status(number, "WAIT_BUYER_PAY");
    refused("pay --payer berta", code);
    sandbox_do(&kit.sandbox, "pay %s --payer anna", code);
    struct reply reply = query(number);
    expect_text(reply.tree, "trade_status", "TRADE_SUCCESS");
    expect_text(reply.tree, "total_amount", "80.00");
    expect_text(reply.tree, "out_trade_no", number);
    assert_int_equal(strlen(tree_get_text(reply.tree, "trade_no")), 28);
    struct reply same = alipay("alipay.trade.query", "{\"trade_no\":\"%s\"}", tree_get_text(reply.tree, "trade_no"));
    expect_text(same.tree, "out_trade_no", number);
    reply_free(&same);
    reply_free(&reply);
    expect_reply(alipay("alipay.trade.close", "{\"out_trade_no\":\"%s\"}", number), 200, "ACQ.TRADE_STATUS_ERROR");
    expect_reply(alipay("alipay.trade.precreate",
                        "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.00\",\"subject\":\"羽毛球\"}", number),
                 200, "ACQ.TRADE_HAS_SUCCESS");
}

static void an_unpaid_trade_is_closed(void **state)
{
    char code[128];
    const char *number = fresh("A"), *late = fresh("A"), *changed = fresh("A");
    (void)state;
    alipay_order(number, code);
    sandbox_do(&kit.sandbox, "scan %s", code);
    expect_reply(alipay("alipay.trade.close", "{\"out_trade_no\":\"%s\"}", number), 200, "10000");
    expect_status(number, "TRADE_CLOSED");
    refused("pay", code);
    expect_reply(alipay("alipay.trade.precreate",
                        "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.00\",\"subject\":\"羽毛球\"}", number),
                 200, "ACQ.TRADE_HAS_CLOSE");
    alipay_order(changed, code);
    expect_reply(alipay("alipay.trade.precreate",
                        "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.01\",\"subject\":\"羽毛球\"}", changed),
                 200, "ACQ.CONTEXT_INCONSISTENT");
    expect_reply(
        alipay("alipay.trade.precreate",
               "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.00\",\"subject\":\"x\",\"timeout_express\":\"5m\"}",
               late),
        200, "10000");
    sandbox_do(&kit.sandbox, "scan %s", late);
    sandbox_do(&kit.sandbox, "clock +301");
    refused("pay", late);
    expect_status(late, "TRADE_CLOSED");
}

/* Nobody has scanned it: cancelling says it is done, and the code can be paid all the same. */
static void cancelling_what_nobody_scanned_does_nothing(void **state)
{
    char code[128];
    const char *number = fresh("A");
    (void)state;
    alipay_order(number, code);
    struct reply reply = alipay("alipay.trade.cancel", "{\"out_trade_no\":\"%s\"}", number);
    assert_string_equal(reply.code, "10000");
    assert_null(tree_get_text(reply.tree, "action"));
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "pay %s", code);
    reply = alipay("alipay.trade.cancel", "{\"out_trade_no\":\"%s\"}", number);
    expect_text(reply.tree, "action", "refund");
    reply_free(&reply);
    expect_status(number, "TRADE_CLOSED");
}

static void the_gate_refuses_without_a_signature(void **state)
{
    (void)state;
    alipay_key = kit.own;
    struct reply reply = query("A1");
    alipay_key = NULL;
    assert_int_equal(reply.proof, PROOF_NONE);
    expect_reply(reply, 200, "isv.invalid-signature");
    expect_reply(alipay("alipay.trade.nothing", "{}"), 200, "isv.invalid-method");
    expect_reply(alipay("alipay.trade.query", "{\"out_trade_no\":"), 200, "isv.invalid-parameter");
}

static void wrong_parameters_are_refused(void **state)
{
    static const char *const bodies[] = {
        "\"out_trade_no\":\"A-1\",\"total_amount\":\"1.00\",\"subject\":\"x\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"0.00\",\"subject\":\"x\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":1.00,\"subject\":\"x\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.001\",\"subject\":\"x\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"a/b\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"x\",\"product_code\":\"OTHER\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"x\",\"seller_id\":\"2088\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"x\",\"timeout_express\":\"16d\"",
        "\"out_trade_no\":\"AW1\",\"total_amount\":\"1.00\",\"subject\":\"x\",\"time_expire\":\"2020-01-01 00:00:00\"",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++)
        expect_reply(alipay("alipay.trade.precreate", "{%s}", bodies[i]), 200, "ACQ.INVALID_PARAMETER");
}

static void expect_change(struct reply reply, const char *change, const char *sum)
{
    assert_string_equal(reply.code, "10000");
    assert_int_equal(reply.proof, PROOF_FINE);
    expect_text(reply.tree, "fund_change", change);
    expect_text(reply.tree, "refund_fee", sum);
    reply_free(&reply);
}

static void refunds_move_money_once(void **state)
{
    char code[128];
    const char *number = paid_order(), *unpaid = fresh("A");
    (void)state;
    struct reply reply = refund_query(number, "P1");
    assert_string_equal(reply.code, "10000");
    assert_null(tree_get_text(reply.tree, "refund_status"));
    reply_free(&reply);
    expect_change(refund(number, "P1", "30.00"), "Y", "30.00");
    expect_change(refund(number, "P1", "30.00"), "N", "30.00");
    expect_reply(refund(number, "P1", "30.01"), 200, "ACQ.DISCORDANT_REPEAT_REQUEST");
    expect_reply(refund(number, "P2", "50.01"), 200, "ACQ.REASON_TRADE_REFUND_FEE_ERR");
    expect_status(number, "TRADE_SUCCESS");
    sandbox_do(&kit.sandbox, "clock +61");
    expect_change(refund(number, "P2", "50.00"), "Y", "80.00");
    expect_status(number, "TRADE_CLOSED");
    reply = refund_query(number, "P1");
    expect_text(reply.tree, "refund_status", "REFUND_SUCCESS");
    expect_text(reply.tree, "refund_amount", "30.00");
    reply_free(&reply);
    alipay_order(unpaid, code);
    expect_reply(refund(unpaid, "P1", "1.00"), 200, "ACQ.TRADE_NOT_EXIST");
    sandbox_do(&kit.sandbox, "scan %s", code);
    expect_reply(refund(unpaid, "P1", "1.00"), 200, "ACQ.TRADE_STATUS_ERROR");
    number = paid_order();
    expect_reply(refund(number, "", "1.00"), 200, "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
    sandbox_do(&kit.sandbox, "fault balance");
    expect_reply(refund(number, "P1", "1.00"), 200, "ACQ.SELLER_BALANCE_NOT_ENOUGH");
    sandbox_do(&kit.sandbox, "finish %s", number);
    expect_status(number, "TRADE_FINISHED");
    expect_reply(refund(number, "P1", "1.00"), 200, "ACQ.TRADE_HAS_FINISHED");
}

static void an_undetermined_refund_is_found_by_asking(void **state)
{
    const char *number = paid_order();
    (void)state;
    sandbox_do(&kit.sandbox, "auto-refund 600");
    sandbox_do(&kit.sandbox, "fault fund-change-n");
    expect_change(refund(number, "P1", "80.00"), "N", "80.00");
    struct reply reply = refund_query(number, "P1");
    assert_null(tree_get_text(reply.tree, "refund_status"));
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "clock +601");
    reply = refund_query(number, "P1");
    expect_text(reply.tree, "refund_status", "REFUND_SUCCESS");
    reply_free(&reply);
    sandbox_do(&kit.sandbox, "auto-refund 2");
}

static void faults_of_the_answer(void **state)
{
    static const struct {
        const char *name;
        long status;
        const char *code;
        enum proof proof;
        bool done;
    } cases[] = {
        {"500-before", 500, "", PROOF_NONE, false},
        {"503", 200, "isp.unknow-error", PROOF_FINE, false},
        {"429", 200, "isv.app-call-limited", PROOF_FINE, false},
        {"404-empty", 404, "", PROOF_NONE, false},
        {"500-after", 500, "", PROOF_NONE, true},
        {"202", 200, "ACQ.SYSTEM_ERROR", PROOF_FINE, true},
        {"sign", 200, "10000", PROOF_BAD, true},
        {"unsigned", 200, "10000", PROOF_NONE, true},
        {"flip", 200, "00000", PROOF_BAD, true},
        {"signtest", 200, "10000", PROOF_BAD, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *number = paid_order();
        sandbox_do(&kit.sandbox, "fault %s --at refund --channel alipay", cases[i].name);
        struct reply reply = refund(number, "F1", "80.00");
        if (reply.proof != cases[i].proof)
            fail_msg("%s: proof %d: %s", cases[i].name, reply.proof, buf_text(&reply.body));
        expect_reply(reply, cases[i].status, cases[i].code);
        reply = refund_query(number, "F1");
        assert_int_equal(tree_get_text(reply.tree, "refund_status") != NULL, cases[i].done);
        reply_free(&reply);
    }
    sandbox_do(&kit.sandbox, "fault lost");
    struct reply reply = query("A1");
    assert_int_equal(reply.end, HTTP_NO_ANSWER);
    reply_free(&reply);
}

/* Signed with "/", sent with "\/": the bytes between do not verify, those without the strokes do. */
static void slashes_are_escaped_after_signing(void **state)
{
    char code[128];
    const char *number = fresh("A");
    (void)state;
    alipay_order(number, code);
    sandbox_do(&kit.sandbox, "fault escape");
    struct reply reply = alipay("alipay.trade.precreate",
                                "{\"out_trade_no\":\"%s\",\"total_amount\":\"80.00\",\"subject\":\"羽毛球\"}", number);
    assert_int_equal(reply.proof, PROOF_BAD);
    assert_non_null(strstr(buf_text(&reply.body), "https:\\/\\/qr.alipay.com\\/"));
    struct buf plain = {0};
    const char *body = buf_text(&reply.body), *raw = strstr(body, "_response\":") + strlen("_response\":");
    const char *end = strstr(body, ",\"sign\":\"");
    for (const char *at = raw; at < end; at++)
        if (*at != '\\')
            buf_add_bytes(&plain, at, 1);
    char *sign = xprintf("%.*s", (int)strcspn(end + 9, "\""), end + 9);
    assert_true(rsa_verify(kit.alipay, buf_text(&plain), plain.bytes, sign));
    free(sign);
    buf_release(&plain);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trade_exists_when_it_is_scanned),
        cmocka_unit_test(an_unpaid_trade_is_closed),
        cmocka_unit_test(cancelling_what_nobody_scanned_does_nothing),
        cmocka_unit_test(the_gate_refuses_without_a_signature),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(refunds_move_money_once),
        cmocka_unit_test(an_undetermined_refund_is_found_by_asking),
        cmocka_unit_test(faults_of_the_answer),
        cmocka_unit_test(slashes_are_escaped_after_signing),
    };
    return cmocka_run_group_tests_name("sandbox: Alipay", tests, start, stop);
}
