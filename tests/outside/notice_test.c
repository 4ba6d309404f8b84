/* Notifications: good ones are read, and everything else is told apart and changes nothing. */
#include "merchant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "outside/channel_internal.h"
#include "vectors.h"

static struct merchant merchant;
static struct channel_notice notice;

static int set_up(void **state)
{
    (void)state;
    scratch_make();
    merchant_open(&merchant, NULL, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    merchant_close(&merchant);
    merchant_end();
    scratch_remove();
    return 0;
}

static enum notice_verdict read_one(struct channel *channel, const char *headers, const char *body)
{
    const struct channel_message message = {.headers = headers, .body = body, .body_bytes = body ? strlen(body) : 0};
    return channel_notice_read(channel, &message, time(NULL), &notice);
}

/* Of any verdict but the good ones nothing of a trade may be there to act on. */
static void check_refused(enum notice_verdict verdict, enum notice_verdict wanted)
{
    assert_int_equal(verdict, wanted);
    assert_null(notice.trade.raw);
    assert_string_not_equal(notice.trouble, "");
    channel_notice_release(&notice);
}

/* ---- WeChat Pay ---- */

#define PAID                                                                                                           \
    "{\"mchid\":\"" MCHID "\",\"appid\":\"" APPID "\",\"out_trade_no\":\"20261130PY7K3M9Q2X\","                        \
    "\"transaction_id\":\"1217752501201407033233368018\",\"trade_type\":\"NATIVE\",\"trade_state\":\"SUCCESS\","       \
    "\"success_time\":\"2026-11-30T12:34:56+08:00\",\"payer\":{\"openid\":\"o\"},"                                     \
    "\"amount\":{\"total\":8000,\"payer_total\":7500,\"currency\":\"CNY\",\"payer_currency\":\"CNY\"}}"
#define BACK                                                                                                           \
    "{\"mchid\":\"" MCHID "\",\"out_trade_no\":\"20261130PY7K3M9Q2X\",\"transaction_id\":\"121\","                     \
    "\"out_refund_no\":\"20261130RF7K3M9Q2X\",\"refund_id\":\"50000000382019052709732678859\","                        \
    "\"refund_status\":\"SUCCESS\",\"success_time\":\"2026-11-30T12:34:56+08:00\","                                    \
    "\"amount\":{\"total\":8000,\"refund\":2000,\"payer_total\":8000,\"payer_refund\":2000}}"

/* The verdict on an event whose plain text is this. */
static enum notice_verdict read_event(const struct seal *seal, const char *type, const char *plain)
{
    char *body = merchant_event("EV-2018022511223320873", type, plain), *headers = merchant_seal(&merchant, seal, body);
    enum notice_verdict verdict = read_one(merchant.wechat, headers, body);
    free(headers);
    free(body);
    return verdict;
}

static void a_wechat_payment_is_read(void **state)
{
    (void)state;
    static const struct seal seals[] = {{0}, {.serial = CERT_SERIAL}};
    for (size_t i = 0; i < COUNT(seals); i++) {
        assert_int_equal(read_event(&seals[i], "transaction", PAID), NOTICE_PAYMENT);
        assert_string_equal(notice.id, "EV-2018022511223320873");
        assert_string_equal(notice.out_trade_no, "20261130PY7K3M9Q2X");
        assert_int_equal(notice.trade.state, TRADE_PAID);
        assert_int_equal(notice.trade.amount_fen, 8000);
        assert_string_equal(notice.trade.trade_no, "1217752501201407033233368018");
        char when[WALL_TEXT];
        assert_string_equal(wall_sql(notice.trade.paid_at, when), "2026-11-30 12:34:56");
        assert_string_equal(notice.trade.raw, PAID);
        channel_notice_release(&notice);
    }
}

static void a_wechat_refund_is_read(void **state)
{
    (void)state;
    assert_int_equal(read_event(&(struct seal){0}, "refund", BACK), NOTICE_REFUND);
    assert_string_equal(notice.out_trade_no, "20261130PY7K3M9Q2X");
    assert_string_equal(notice.out_refund_no, "20261130RF7K3M9Q2X");
    assert_string_equal(notice.backed.refund_no, "50000000382019052709732678859");
    assert_int_equal(notice.backed.state, BACK_SUCCESS);
    assert_int_equal(notice.backed.refund_fen, 2000);
    channel_notice_release(&notice);
}

static void what_says_nothing_to_us_is_answered_well(void **state)
{
    (void)state;
    assert_int_equal(read_event(&(struct seal){0}, "coupon", "{\"x\":1}"), NOTICE_OTHER);
    channel_notice_release(&notice);
}

static void forged_wechat_notifications_are_refused(void **state)
{
    (void)state;
    const struct seal seals[] = {
        {.probe = true},          {.key = merchant.own},      {.serial = CERT_SERIAL, .key = merchant.platform},
        {.serial = FRESH_SERIAL}, {.serial = "PUB_KEY_ID_1"},
    };
    for (size_t i = 0; i < COUNT(seals); i++)
        check_refused(read_event(&seals[i], "transaction", PAID), NOTICE_FORGED);
    char *body = merchant_event("EV-1", "transaction", PAID),
         *headers = merchant_seal(&merchant, &(struct seal){0}, body);
    for (size_t i = 0; i < strlen(body); i += 7) {
        body[i] ^= 1;
        check_refused(read_one(merchant.wechat, headers, body), NOTICE_FORGED);
        body[i] ^= 1;
    }
    free(headers);
    free(body);
}

/* What is read here calls nobody: the next call fetches. */
static void an_unknown_certificate_is_asked_for_by_the_next_call(void **state)
{
    (void)state;
    merchant.wechat->due_ms = INT64_MAX;
    check_refused(read_event(&(struct seal){.serial = "PUB_KEY_ID_1"}, "transaction", PAID), NOTICE_FORGED);
    assert_int_equal(merchant.wechat->due_ms, INT64_MAX);
    check_refused(read_event(&(struct seal){.serial = FRESH_SERIAL}, "transaction", PAID), NOTICE_FORGED);
    assert_int_equal(merchant.wechat->due_ms, 0);
    merchant.wechat->due_ms = INT64_MAX;
}

static void old_wechat_notifications_are_refused(void **state)
{
    (void)state;
    int64_t now = time(NULL);
    check_refused(read_event(&(struct seal){.at = now - 330}, "transaction", PAID), NOTICE_STALE);
    check_refused(read_event(&(struct seal){.at = now + 330}, "transaction", PAID), NOTICE_STALE);
    assert_int_equal(read_event(&(struct seal){.at = now - 270}, "transaction", PAID), NOTICE_PAYMENT);
    channel_notice_release(&notice);
}

static void truncated_wechat_notifications_are_refused(void **state)
{
    (void)state;
    char *body = merchant_event("EV-1", "transaction", PAID),
         *headers = merchant_seal(&merchant, &(struct seal){0}, body);
    for (size_t length = strlen(body) - 1; length > 0; length -= length > 40 ? 40 : 1) {
        char *cut = xprintf("%.*s", (int)length, body);
        check_refused(read_one(merchant.wechat, headers, cut), NOTICE_FORGED);
        free(cut);
    }
    check_refused(read_one(merchant.wechat, headers, ""), NOTICE_MALFORMED);
    check_refused(read_one(merchant.wechat, headers, NULL), NOTICE_MALFORMED);
    check_refused(read_one(merchant.wechat, NULL, body), NOTICE_MALFORMED);
    check_refused(read_one(merchant.wechat, "Wechatpay-Serial: x\n", body), NOTICE_MALFORMED);
    /* A header twice: which one was signed with? */
    char *twice = xprintf("%s%s", headers, headers);
    check_refused(read_one(merchant.wechat, twice, body), NOTICE_MALFORMED);
    free(twice);
    free(headers);
    free(body);
}

#define RESOURCE(sealed)                                                                                               \
    ("{\"id\":\"EV-1\",\"resource\":{\"original_type\":\"transaction\",\"algorithm\":\"AEAD_AES_256_GCM\","            \
     "\"ciphertext\":\"" sealed "\",\"associated_data\":\"transaction\",\"nonce\":\"fdasflkja484\"}}")
/* Signed by WeChat Pay, all of them. */
static void malformed_wechat_notifications_are_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = {"[]",
                                         "null",
                                         "{}",
                                         "{\"id\":\"EV-1\"}",
                                         "{\"id\":7,\"resource\":{}}",
                                         "not JSON",
                                         "{\"id\":\"EV-1\",\"resource\":[]}",
                                         RESOURCE("AAAA"),
                                         RESOURCE("AAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
                                         RESOURCE("x")};
    for (size_t i = 0; i < COUNT(bodies); i++) {
        char *headers = merchant_seal(&merchant, &(struct seal){0}, bodies[i]);
        check_refused(read_one(merchant.wechat, headers, bodies[i]), NOTICE_MALFORMED);
        free(headers);
    }
}

/* `plain` with the first `from` replaced by `to`. */
static char *bent(const char *plain, const char *from, const char *to)
{
    const char *at = strstr(plain, from);
    assert_non_null(at);
    return xprintf("%.*s%s%s", (int)(at - plain), plain, to, at + strlen(from));
}

static void odd_wechat_payments_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        enum notice_verdict verdict;
    } rows[] = {
        {"\"" MCHID "\"", "\"1900007292\"", NOTICE_WRONG_MERCHANT},
        {"\"" APPID "\"", "\"wx0\"", NOTICE_WRONG_MERCHANT},
        {"\"" MCHID "\"", "1900007291", NOTICE_WRONG_MERCHANT},
        {"\"20261130PY7K3M9Q2X\"", "null", NOTICE_MALFORMED},
        {"20261130PY7K3M9Q2X", "20261130PY7K3 M9Q2X", NOTICE_MALFORMED},
        {"SUCCESS", "PAID", NOTICE_MALFORMED},
        {"8000", "\"8000\"", NOTICE_MALFORMED},
        {"8000", "80.00", NOTICE_MALFORMED},
        {"8000", "-8000", NOTICE_MALFORMED},
        {"8000", "0", NOTICE_MALFORMED},
        {"8000", "99999999999999999999", NOTICE_MALFORMED},
        {"\"currency\":\"CNY\"", "\"currency\":\"USD\"", NOTICE_MALFORMED},
        {"\"1217752501201407033233368018\"", "\"\"", NOTICE_MALFORMED},
        {"2026-11-30T12:34:56+08:00", "2026-11-30 12:34:56", NOTICE_MALFORMED},
        {"2026-11-30T12:34:56+08:00", "2026-13-30T12:34:56+08:00", NOTICE_MALFORMED},
        {"2026-11-30T12:34:56+08:00", "2026-11-30T12:34:56+8", NOTICE_MALFORMED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *plain = bent(PAID, rows[i].from, rows[i].to);
        check_refused(read_event(&(struct seal){0}, "transaction", plain), rows[i].verdict);
        free(plain);
    }
    check_refused(read_event(&(struct seal){0}, "transaction", "[]"), NOTICE_WRONG_MERCHANT);
    check_refused(read_event(&(struct seal){0}, "transaction", "x"), NOTICE_MALFORMED);
    char *strange = bent(BACK, "SUCCESS", "DONE");
    check_refused(read_event(&(struct seal){0}, "refund", strange), NOTICE_MALFORMED);
    free(strange);
    char *other = bent(BACK, MCHID, "1900007292");
    check_refused(read_event(&(struct seal){0}, "refund", other), NOTICE_WRONG_MERCHANT);
    free(other);
}

static void times_of_any_zone_are_ours(void **state)
{
    (void)state;
    static const char *const same[] = {"2026-11-30T04:34:56Z", "2026-11-29T23:34:56-05:00",
                                       "2026-11-30T12:34:56.789+08:00"};
    for (size_t i = 0; i < COUNT(same); i++) {
        char *plain = bent(PAID, "2026-11-30T12:34:56+08:00", same[i]), when[WALL_TEXT];
        assert_int_equal(read_event(&(struct seal){0}, "transaction", plain), NOTICE_PAYMENT);
        assert_string_equal(wall_sql(notice.trade.paid_at, when), "2026-11-30 12:34:56");
        channel_notice_release(&notice);
        free(plain);
    }
}

/* ---- Alipay ---- */

#define NOTIFIED                                                                                                       \
    "app_id=" APP_ID "&auth_app_id=" APP_ID "&buyer_pay_amount=80.00&charset=utf-8&notify_id=2019081500222155624068"   \
    "&gmt_payment=2026-11-30 12:34:56&notify_time=2026-11-30 12:34:57&notify_type=trade_status_sync"                   \
    "&out_trade_no=20261130PY7K3M9Q2X&seller_id=" SELLER_ID "&subject=羽毛球 1 号场+灯&total_amount=80.00"       \
    "&trade_no=2019081522001468450512505578&trade_status=TRADE_SUCCESS&version=1.0"

static enum notice_verdict read_form(const char *text)
{
    char *form = merchant_form(&merchant, text);
    enum notice_verdict verdict = read_one(merchant.alipay, "", form);
    free(form);
    return verdict;
}

static void an_alipay_payment_is_read(void **state)
{
    (void)state;
    char when[WALL_TEXT];
    assert_int_equal(read_form(NOTIFIED), NOTICE_PAYMENT);
    assert_string_equal(notice.id, "2019081500222155624068");
    assert_string_equal(notice.out_trade_no, "20261130PY7K3M9Q2X");
    assert_int_equal(notice.trade.state, TRADE_PAID);
    assert_false(notice.trade.refunded || notice.trade.finished);
    assert_int_equal(notice.trade.amount_fen, 8000);
    assert_string_equal(notice.trade.trade_no, "2019081522001468450512505578");
    assert_string_equal(wall_sql(notice.trade.paid_at, when), "2026-11-30 12:34:56");
    assert_non_null(strstr(notice.trade.raw, "total_amount=80.00"));
    channel_notice_release(&notice);
}

/* The whole published one, with its real signature and the key that made it. */
static void the_published_alipay_notification_is_read(void **state)
{
    (void)state;
    struct crypto_key *ours = merchant.alipay->platform[0].key;
    merchant.alipay->platform[0].key = crypto_key_public(alipay_notice_spki);
    char *form = merchant_form(&merchant, alipay_notice_text), *sign = strstr(form, "&sign=");
    struct buf body = {0};
    buf_add_bytes(&body, form, (size_t)(sign - form));
    buf_add(&body, "&sign=");
    for (const char *at = alipay_notice_signature; *at; at++)
        buf_printf(&body, strchr("+/=", *at) ? "%%%02X" : "%c", *at);
    assert_int_equal(read_one(merchant.alipay, "", body.text), NOTICE_PAYMENT);
    assert_string_equal(notice.out_trade_no, "20190815155618536-564-57");
    assert_int_equal(notice.trade.amount_fen, 10);
    channel_notice_release(&notice);
    check_refused(read_one(merchant.alipay, "", form), NOTICE_FORGED);
    buf_release(&body);
    free(form);
    crypto_key_free(&merchant.alipay->platform[0].key);
    merchant.alipay->platform[0].key = ours;
}

static void an_alipay_refund_is_read_with_its_trade(void **state)
{
    (void)state;
    static const char part[] =
        NOTIFIED "&refund_fee=20.00&out_biz_no=20261130RF7K3M9Q2X&gmt_refund=2026-11-30 13:00:00.1";
    assert_int_equal(read_form(part), NOTICE_REFUND);
    assert_string_equal(notice.out_refund_no, "20261130RF7K3M9Q2X");
    assert_int_equal(notice.backed.state, BACK_SUCCESS);
    assert_int_equal(notice.backed.refund_fen, 0);
    assert_true(notice.trade.refunded);
    assert_int_equal(notice.trade.state, TRADE_PAID);
    channel_notice_release(&notice);
    char *whole = bent(part, "TRADE_SUCCESS", "TRADE_CLOSED");
    assert_int_equal(read_form(whole), NOTICE_REFUND);
    assert_int_equal(notice.trade.state, TRADE_CLOSED);
    assert_true(notice.trade.refunded);
    channel_notice_release(&notice);
    free(whole);
    /* Months later: no news of a refund. */
    char *finished = bent(part, "TRADE_SUCCESS", "TRADE_FINISHED");
    assert_int_equal(read_form(finished), NOTICE_PAYMENT);
    assert_true(notice.trade.finished);
    channel_notice_release(&notice);
    free(finished);
}

static void odd_alipay_notifications_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        enum notice_verdict verdict;
    } rows[] = {
        {"app_id=" APP_ID, "app_id=1", NOTICE_WRONG_MERCHANT},
        {"seller_id=" SELLER_ID, "seller_id=2088", NOTICE_WRONG_MERCHANT},
        {"seller_id=" SELLER_ID, "seller=1", NOTICE_WRONG_MERCHANT},
        {"notify_id=", "notify_no=", NOTICE_MALFORMED},
        {"out_trade_no=20261130PY7K3M9Q2X", "out_trade_no=", NOTICE_MALFORMED},
        {"TRADE_SUCCESS", "TRADE_PENDING", NOTICE_MALFORMED},
        {"total_amount=80.00", "total_amount=80.001", NOTICE_MALFORMED},
        {"total_amount=80.00", "total_amount=-80.00", NOTICE_MALFORMED},
        {"total_amount=80.00", "total_amount=8e1", NOTICE_MALFORMED},
        {"trade_no=2019081522001468450512505578", "trade_no=", NOTICE_MALFORMED},
        {"gmt_payment=2026-11-30 12:34:56", "gmt_payment=yesterday", NOTICE_MALFORMED},
        {"gmt_payment=2026-11-30 12:34:56", "gmt_payment=", NOTICE_MALFORMED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        /* "trade_no=" also ends "out_trade_no=": the later one is meant. */
        const char *at = strstr(rows[i].from, "trade_no=2019") ? strstr(NOTIFIED, "&trade_no=") + 1 : NULL;
        char *text = at ? xprintf("%.*s%s%s", (int)(at - strstr(NOTIFIED, "app_id")), NOTIFIED, rows[i].to,
                                  at + strlen(rows[i].from))
                        : bent(NOTIFIED, rows[i].from, rows[i].to);
        check_refused(read_form(text), rows[i].verdict);
        free(text);
    }
    char *other = bent(NOTIFIED, "trade_status_sync", "open_app_auth_notify");
    assert_int_equal(read_form(other), NOTICE_OTHER);
    channel_notice_release(&notice);
    free(other);
}

static void forged_alipay_notifications_are_refused(void **state)
{
    (void)state;
    char *form = merchant_form(&merchant, NOTIFIED);
    size_t changed = 0;
    for (size_t i = 0; i < strlen(form); i++) {
        /* Digits become other digits: still a form, and never what was signed. */
        if (form[i] < '0' || form[i] > '8' || (i > 1 && form[i - 2] == '%') || (i && form[i - 1] == '%'))
            continue;
        form[i]++;
        enum notice_verdict verdict = read_one(merchant.alipay, "", form);
        /* sign_type stands outside of the signature. */
        if (strncmp(form + i - 3, "RSA3", 4) != 0)
            check_refused(verdict, NOTICE_FORGED);
        else
            channel_notice_release(&notice);
        form[i]--;
        changed++;
    }
    assert_true(changed > 100);
    char *more = xprintf("%s&x=1", form);
    check_refused(read_one(merchant.alipay, "", more), NOTICE_FORGED);
    free(more);
    check_refused(read_one(merchant.alipay, "", "a=1"), NOTICE_FORGED);
    check_refused(read_one(merchant.alipay, "", "a=1&sign="), NOTICE_FORGED);
    free(form);
}

static void broken_forms_are_refused(void **state)
{
    (void)state;
    static const char *const forms[] = {"a",     "=1",    "a=1&",  "a=1&&b=2", "a=%", "a=%4",
                                        "a=%zz", "a=%00", "%00=1", "a=1&a=2",  "&a=1"};
    for (size_t i = 0; i < COUNT(forms); i++) {
        enum notice_verdict verdict = read_one(merchant.alipay, "", forms[i]);
        check_refused(verdict, strcmp(forms[i], "a=1&") ? NOTICE_MALFORMED : NOTICE_FORGED);
    }
    struct buf many = {0};
    for (int i = 0; i < 65; i++)
        buf_printf(&many, "%sk%d=1", i ? "&" : "", i);
    check_refused(read_one(merchant.alipay, "", many.text), NOTICE_MALFORMED);
    buf_release(&many);
}

/* ---- both ---- */

static void ten_megabytes_are_refused_at_once(void **state)
{
    (void)state;
    size_t bytes = 10 << 20;
    char *big = xmalloc(bytes + 1);
    memset(big, 'a', bytes);
    big[1] = '=';
    big[bytes] = '\0';
    int64_t began = mono_ms();
    check_refused(read_one(merchant.alipay, "", big), NOTICE_MALFORMED);
    check_refused(read_one(merchant.wechat, "", big), NOTICE_MALFORMED);
    /* Long headers beside a small body, and one just at the limit. */
    check_refused(read_one(merchant.wechat, big, "{}"), NOTICE_MALFORMED);
    big[NOTICE_MOST_BYTES] = '\0';
    check_refused(read_one(merchant.alipay, "", big), NOTICE_FORGED);
    assert_true(mono_ms() - began < 10000);
    free(big);
    const struct channel_message message = {.headers = "", .body = "a=1\0&b=2", .body_bytes = 8};
    check_refused(channel_notice_read(merchant.alipay, &message, 0, &notice), NOTICE_MALFORMED);
}

static void replies_are_the_channels_own(void **state)
{
    (void)state;
    struct channel_reply reply = channel_notice_reply(CHANNEL_ALIPAY, true);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, "success");
    reply = channel_notice_reply(CHANNEL_ALIPAY, false);
    assert_string_not_equal(reply.body, "success");
    assert_int_equal(channel_notice_reply(CHANNEL_WECHAT, true).status, 200);
    assert_int_equal(channel_notice_reply(CHANNEL_WECHAT, false).status, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wechat_payment_is_read),
        cmocka_unit_test(a_wechat_refund_is_read),
        cmocka_unit_test(what_says_nothing_to_us_is_answered_well),
        cmocka_unit_test(forged_wechat_notifications_are_refused),
        cmocka_unit_test(an_unknown_certificate_is_asked_for_by_the_next_call),
        cmocka_unit_test(old_wechat_notifications_are_refused),
        cmocka_unit_test(truncated_wechat_notifications_are_refused),
        cmocka_unit_test(malformed_wechat_notifications_are_refused),
        cmocka_unit_test(odd_wechat_payments_are_refused),
        cmocka_unit_test(times_of_any_zone_are_ours),
        cmocka_unit_test(an_alipay_payment_is_read),
        cmocka_unit_test(the_published_alipay_notification_is_read),
        cmocka_unit_test(an_alipay_refund_is_read_with_its_trade),
        cmocka_unit_test(odd_alipay_notifications_are_refused),
        cmocka_unit_test(forged_alipay_notifications_are_refused),
        cmocka_unit_test(broken_forms_are_refused),
        cmocka_unit_test(ten_megabytes_are_refused_at_once),
        cmocka_unit_test(replies_are_the_channels_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
