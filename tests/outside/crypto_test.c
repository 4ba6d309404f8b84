/* Keys, signatures and sealed texts against what the channels and their users have published. */
#include "base/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/token.h"
#include "outside/alipay_internal.h"
#include "outside/wechat_internal.h"
#include "vectors.h"

/* ---- WeChat Pay: A14 ---- */

static const struct wechat_stamp stamp = {"1554208460", "593BEC0C930BF1AFEB40B4A08C8FB242"};

static void wechat_requests_are_signed_as_published(void **state)
{
    (void)state;
    static const struct {
        struct wechat_request request;
        const char *signature;
    } rows[] = {
        {{"POST", "/v3/pay/transactions/jsapi", wechat_body_a}, wechat_signature_a},
        {{"GET", "/v3/refund/domestic/refunds/123123123123", NULL}, wechat_signature_b},
        {{"GET", "/v3/pay/transactions/out-trade-no/X1?mchid=1900007291", NULL}, wechat_signature_c},
    };
    struct crypto_key *key = crypto_key_public(wechat_spki);
    assert_non_null(key);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = wechat_request_text(&rows[i].request, &stamp);
        assert_true(rsa_verify(key, text, strlen(text), rows[i].signature));
        assert_false(rsa_verify(key, text, strlen(text) - 1, rows[i].signature));
        assert_false(rsa_verify(key, text, strlen(text), rows[(i + 1) % COUNT(rows)].signature));
        free(text);
    }
    char digest[65];
    sha256_hex(wechat_body_a, strlen(wechat_body_a), digest);
    assert_string_equal(digest, "1bffd7f50c227c0e65ccb4bde7d38ffcfee86dffd297f62e549571612b76f5e6");
    crypto_key_free(&key);
}

static enum wechat_proof prove_answer(struct channel *channel, const char *body, int64_t now)
{
    char serial[SERIAL_BYTES];
    struct buf bytes = {0}, headers = {0};
    buf_add(&bytes, body);
    buf_printf(&headers,
               "wechatpay-timestamp: 1722850421\nWECHATPAY-NONCE: d824f2e086d3c1df967785d13fcd22ef\n"
               "Wechatpay-Serial: PUB_KEY_ID_1\nWechatpay-Signature: %s\n",
               wechat_answer_signature);
    enum wechat_proof proof = wechat_prove(channel, buf_text(&headers), &bytes, now, serial);
    buf_release(&headers);
    buf_release(&bytes);
    return proof;
}

static void a_wechat_answer_is_proved_as_published(void **state)
{
    (void)state;
    static const char body[] = "{\"code_url\":\"weixin://wxpay/bizpayurl?pr=JyC91EIz1\"}";
    struct channel channel = {0};
    assert_int_equal(prove_answer(&channel, body, 1722850421), PROOF_UNKNOWN_KEY);
    assert_true(channel_add_platform(&channel, "PUB_KEY_ID_1", crypto_key_public(wechat_answer_spki)));
    assert_int_equal(prove_answer(&channel, body, 1722850421), PROOF_GOOD);
    assert_int_equal(prove_answer(&channel, body, 1722850421 + 300), PROOF_GOOD);
    assert_int_equal(prove_answer(&channel, body, 1722850421 + 301), PROOF_STALE);
    assert_int_equal(prove_answer(&channel, body, 1722850421 - 301), PROOF_STALE);
    assert_int_equal(prove_answer(&channel, "{\"code_url\":\"weixin://wxpay/bizpayurl?pr=JyC91EIz2\"}", 1722850421),
                     PROOF_WRONG);
    crypto_key_free(&channel.platform[0].key);
}

static void sealed_texts_open_as_published(void **state)
{
    (void)state;
    const struct sealing right = {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "uluk4a9R25RW", "associatedData"};
    static const char sealed[] = "ulwSiIajGClcvcOYvOQ7+l+0PAbzzwI=";
    struct buf plain = {0};
    assert_true(aes256gcm_open(&right, sealed, &plain));
    assert_string_equal(plain.text, "message");
    char *again = aes256gcm_seal(&right, "message", 7);
    assert_string_equal(again, sealed);
    free(again);
    buf_clear(&plain);
    const struct sealing wrong[] = {
        {"b7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "uluk4a9R25RW", "associatedData"},
        {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "uluk4a9R25RX", "associatedData"},
        {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "uluk4a9R25RW", "associatedDatb"},
        {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "uluk4a9R25RW", ""},
        {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", "", "associatedData"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_false(aes256gcm_open(&wrong[i], sealed, &plain));
    for (size_t i = 0; i < strlen(sealed); i++) {
        char bent[sizeof sealed];
        memcpy(bent, sealed, sizeof sealed);
        bent[i] = bent[i] == 'A' ? 'B' : 'A';
        assert_false(aes256gcm_open(&right, bent, &plain));
    }
    assert_int_equal(plain.bytes, 0);
    buf_release(&plain);
}

static void a_key_for_sealing_has_32_bytes(void **state)
{
    (void)state;
    static const char *const keys[] = {"testMchAPIv3Key0", "", "a7cde1ZJB1kG2e7VfTs3jQzaWizur8G",
                                       "a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gbb"};
    struct buf plain = {0};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct sealing sealing = {keys[i], "uluk4a9R25RW", "associatedData"};
        assert_null(aes256gcm_seal(&sealing, "message", 7));
        assert_false(aes256gcm_open(&sealing, "ulwSiIajGClcvcOYvOQ7+l+0PAbzzwI=", &plain));
    }
    buf_release(&plain);
}

static void other_lengths_of_nonce_and_text_open_again(void **state)
{
    (void)state;
    static const char *const nonces[] = {"1", "12345678", "0123456789abcdef", "0123456789abcdef0123456789abcdef"};
    char text[3000];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < COUNT(nonces); i++)
        for (size_t bytes = 0; bytes <= sizeof text; bytes = bytes * 3 + 1) {
            const struct sealing sealing = {"a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb", nonces[i], i % 2 ? "" : "transaction"};
            char *sealed = aes256gcm_seal(&sealing, text, bytes);
            struct buf plain = {0};
            assert_true(aes256gcm_open(&sealing, sealed, &plain));
            assert_int_equal(plain.bytes, bytes);
            assert_memory_equal(buf_text(&plain), text, bytes);
            buf_release(&plain);
            free(sealed);
        }
}

/* ---- Alipay: B6 ---- */

static void an_alipay_notification_is_proved_as_published(void **state)
{
    (void)state;
    struct crypto_key *key = crypto_key_public(alipay_notice_spki);
    struct params params = {0};
    char *copy = xstrdup(alipay_notice_text), *rest = copy, digest[65];
    sha256_hex(copy, strlen(copy), digest);
    assert_string_equal(digest, "f7ddd6b8ed65cde03339b71735ad29e044d8f3ed0e2659c5156d9ed2acaf1f57");
    for (char *pair; (pair = strsep(&rest, "&"));) {
        char *equals = strchr(pair, '=');
        *equals = '\0';
        assert_true(params_add(&params, pair, equals + 1));
    }
    assert_true(params_add(&params, "sign_type", "RSA2"));
    assert_true(params_add(&params, "sign", alipay_notice_signature));
    assert_true(params_add(&params, "body", ""));
    char *text = params_text(&params, "sign", "sign_type"), *longer = params_text(&params, "sign", NULL);
    assert_string_equal(text, alipay_notice_text);
    assert_true(rsa_verify(key, text, strlen(text), alipay_notice_signature));
    assert_non_null(strstr(longer, "&sign_type=RSA2&"));
    assert_false(rsa_verify(key, longer, strlen(longer), alipay_notice_signature));
    free(longer);
    free(text);
    free(copy);
    params_release(&params);
    crypto_key_free(&key);
}

static enum alipay_proof prove_node(const char *node, const char *more, const char *signature)
{
    struct channel channel = {0};
    assert_true(channel_add_platform(&channel, "", crypto_key_public(alipay_answer_spki)));
    char *text = xprintf("{\"alipay_trade_query_response\":%s%s,\"sign\":\"%s\"}", node, more, signature), *found;
    enum alipay_proof proof = alipay_prove(&channel, text, "alipay.trade.query", &found);
    free(found);
    free(text);
    crypto_key_free(&channel.platform[0].key);
    return proof;
}

static void an_alipay_answer_is_proved_over_its_bytes(void **state)
{
    (void)state;
    assert_int_equal(prove_node(alipay_answer_text, "", alipay_answer_signature), ALIPAY_GOOD);
    assert_int_equal(prove_node(alipay_answer_text, " ,\"x\":[{\"sign\":1}]", alipay_answer_signature), ALIPAY_GOOD);
    assert_int_equal(prove_node(alipay_answer_text, "", ""), ALIPAY_UNSIGNED);
    /* The same JSON in other bytes is another text. */
    char *spaced = xprintf("{ %s", alipay_answer_text + 1);
    assert_int_equal(prove_node(spaced, "", alipay_answer_signature), ALIPAY_WRONG);
    free(spaced);
    char *twice = xprintf(",\"alipay_trade_query_response\":%s", alipay_answer_text);
    assert_int_equal(prove_node(alipay_answer_text, twice, alipay_answer_signature), ALIPAY_UNREADABLE);
    free(twice);
}

static void escaped_slashes_are_proved_either_way(void **state)
{
    (void)state;
    struct crypto_key *key = crypto_key_new();
    struct channel channel = {0};
    static const char node[] = "{\"code\":\"10000\",\"qr_code\":\"https:\\/\\/qr.alipay.com\\/bax\\\"}\"}";
    static const char plain[] = "{\"code\":\"10000\",\"qr_code\":\"https://qr.alipay.com/bax\\\"}\"}";
    char *pem = crypto_key_public_pem(key), *found;
    channel_add_platform(&channel, "", crypto_key_public(pem));
    const char *const signed_texts[] = {node, plain, "{}"};
    for (size_t i = 0; i < COUNT(signed_texts); i++) {
        char *signature = rsa_sign(key, signed_texts[i], strlen(signed_texts[i]));
        char *text = xprintf("{\"sign\":\"%s\",\"alipay_trade_precreate_response\":%s}", signature, node);
        assert_int_equal(alipay_prove(&channel, text, "alipay.trade.precreate", &found),
                         i < 2 ? ALIPAY_GOOD : ALIPAY_WRONG);
        assert_string_equal(found, node);
        free(found);
        free(text);
        free(signature);
    }
    free(pem);
    crypto_key_free(&key);
    crypto_key_free(&channel.platform[0].key);
}

/* ---- keys ---- */

static void keys_are_read_in_every_shape_that_portals_give(void **state)
{
    (void)state;
    struct crypto_key *key = crypto_key_new();
    char *private_pem = crypto_key_private_pem(key), *public_pem = crypto_key_public_pem(key);
    char *certificate = certificate_new(key, "5F1C72E2A8931B72A2E13AF8DEE92471EB397115"), serial[SERIAL_BYTES];
    char *signature = rsa_sign(key, "text", 4);
    assert_true(certificate_serial(certificate, serial));
    assert_string_equal(serial, "5F1C72E2A8931B72A2E13AF8DEE92471EB397115");
    /* Alipay's tool gives the Base64 alone. */
    char *bare = xstrdup(strchr(private_pem, '\n') + 1);
    *strstr(bare, "-----END") = '\0';
    struct crypto_key *same[] = {crypto_key_private(private_pem), crypto_key_private(bare)};
    struct crypto_key *opened[] = {crypto_key_public(public_pem), crypto_key_public(certificate)};
    for (size_t i = 0; i < COUNT(same); i++) {
        assert_non_null(same[i]);
        assert_true(rsa_verify(opened[i], "text", 4, signature));
        char *again = rsa_sign(same[i], "text", 4);
        assert_string_equal(again, signature);
        free(again);
        crypto_key_free(&same[i]);
        crypto_key_free(&opened[i]);
    }
    free(bare);
    free(signature);
    free(certificate);
    free(private_pem);
    free(public_pem);
    crypto_key_free(&key);
}

/* Any damage of the file: no key, or one that signs as before (a bit of what nobody uses). */
static void a_damaged_key_is_none(void **state)
{
    (void)state;
    struct crypto_key *key = crypto_key_new();
    char *pem = crypto_key_private_pem(key), *signature = rsa_sign(key, "text", 4);
    size_t none = 0, end = (size_t)(strstr(pem, "-----END") - pem);
    for (size_t i = (size_t)(strchr(pem, '\n') - pem) + 1; i < end; i += 61) {
        char was = pem[i];
        if (was == '\n')
            continue;
        pem[i] = was == 'A' ? 'B' : 'A';
        struct crypto_key *damaged = crypto_key_private(pem);
        if (damaged) {
            char *again = rsa_sign(damaged, "text", 4);
            assert_string_equal(again, signature);
            free(again);
        } else {
            none++;
        }
        crypto_key_free(&damaged);
        pem[i] = was;
    }
    assert_true(none > 5);
    free(signature);
    free(pem);
    crypto_key_free(&key);
}

static void what_is_no_key_is_none(void **state)
{
    (void)state;
    /* The third is of the right kind and half as long as it must be: 1024 bits. */
    static const char *const texts[] = {
        "",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        ("MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDQCBS8HFQ0ESVOHaA6qb3c5BPfi1MZvqSMUH0YgXLUW56sGbjXYMJUqjJHKheugr42y1Dk"
         "bvRs7cKU+2F4SmxsGhmR5fbYeuIcE0/egbAqkBCLBp6WoCEPXAoTa0621GSExphV6Av+2x6WTD4qL89K5fC7DkAH/"
         "c8ugHwiEhg11wIDAQAB"),
        "AAAA",
        "not base64 at all!",
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"};
    char serial[SERIAL_BYTES];
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_null(crypto_key_private(texts[i]));
        assert_null(crypto_key_public(texts[i]));
        assert_false(certificate_serial(texts[i], serial));
    }
}

static void base64_is_read_in_its_one_spelling(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "A", "AA", "AAA", "AA=A", "====", "A===", "AAAA=", "AAA A", "AAAA\n", "AA-_", "AAA=AAAA"};
    struct buf out = {0};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(base64_decode(bad[i], &out));
    assert_int_equal(out.bytes, 0);
    for (size_t bytes = 1; bytes < 50; bytes++) {
        unsigned char raw[50];
        random_bytes(raw, bytes);
        char *text = base64_encode(raw, bytes);
        buf_clear(&out);
        assert_true(base64_decode(text, &out));
        assert_int_equal(out.bytes, bytes);
        assert_memory_equal(out.text, raw, bytes);
        free(text);
    }
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wechat_requests_are_signed_as_published),
        cmocka_unit_test(a_wechat_answer_is_proved_as_published),
        cmocka_unit_test(sealed_texts_open_as_published),
        cmocka_unit_test(a_key_for_sealing_has_32_bytes),
        cmocka_unit_test(other_lengths_of_nonce_and_text_open_again),
        cmocka_unit_test(an_alipay_notification_is_proved_as_published),
        cmocka_unit_test(an_alipay_answer_is_proved_over_its_bytes),
        cmocka_unit_test(escaped_slashes_are_proved_either_way),
        cmocka_unit_test(keys_are_read_in_every_shape_that_portals_give),
        cmocka_unit_test(a_damaged_key_is_none),
        cmocka_unit_test(what_is_no_key_is_none),
        cmocka_unit_test(base64_is_read_in_its_one_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
