#include "merchant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "outside/alipay_internal.h"

static struct crypto_key *own, *platform, *elder, *fresh;

static void write_key(const char *name, char *pem, unsigned mode)
{
    scratch_write(name, pem, mode);
    free(pem);
}

static void write_keys(void)
{
    if (!own) {
        own = crypto_key_new();
        platform = crypto_key_new();
        elder = crypto_key_new();
        fresh = crypto_key_new();
    }
    write_key("own.pem", crypto_key_private_pem(own), 0600);
    write_key("platform.pem", crypto_key_public_pem(platform), 0644);
    write_key("elder.pem", certificate_new(elder, CERT_SERIAL), 0644);
}

void merchant_end(void)
{
    crypto_key_free(&own);
    crypto_key_free(&platform);
    crypto_key_free(&elder);
    crypto_key_free(&fresh);
}

char *merchant_wechat_lines(const char *base)
{
    return xprintf("%s%s%smchid = " MCHID "\nappid = " APPID "\nserial = 408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB\n"
                   "key = own.pem\napiv3_key = " APIV3_KEY "\npublic_key_id = " PUBLIC_KEY_ID "\n"
                   "public_key = platform.pem\n" CERT_SERIAL " = elder.pem\n"
                   "notify_url = https://desk.example.com/wechat\n",
                   base ? "base = " : "", base ? base : "", base ? "\n" : "");
}

char *merchant_alipay_lines(const char *base)
{
    return xprintf("%s%s%sapp_id = " APP_ID "\nseller_id = " SELLER_ID "\nkey = own.pem\npublic_key = platform.pem\n"
                   "notify_url = https://desk.example.com/alipay\n",
                   base ? "base = " : "", base ? base : "", base ? "\n" : "");
}

const char *merchant_file(const char *wechat, const char *alipay)
{
    char *text = xprintf("%s%s%s%s", wechat ? "[wechat]\n" : "", wechat ? wechat : "", alipay ? "[alipay]\n" : "",
                         alipay ? alipay : "");
    write_keys();
    const char *path = scratch_write("channels.conf", text, 0600);
    free(text);
    return path;
}

void merchant_open(struct merchant *merchant, const char *wechat_base, const char *alipay_base)
{
    char *wechat = merchant_wechat_lines(wechat_base), *alipay = merchant_alipay_lines(alipay_base);
    const char *path = merchant_file(wechat, alipay);
    struct fd_error err = {0};
    *merchant = (struct merchant){.own = own, .platform = platform, .elder = elder, .fresh = fresh};
    if (channels_load(path, &merchant->channels, &err) != FD_OK)
        fail_msg("%s", err.message);
    merchant->wechat = channels_get(merchant->channels, CHANNEL_WECHAT);
    merchant->alipay = channels_get(merchant->channels, CHANNEL_ALIPAY);
    assert_non_null(merchant->wechat);
    assert_non_null(merchant->alipay);
    free(wechat);
    free(alipay);
}

void merchant_close(struct merchant *merchant)
{
    channels_free(&merchant->channels);
}

static const struct crypto_key *key_of(const struct merchant *merchant, const char *serial)
{
    return !strcmp(serial, CERT_SERIAL)    ? merchant->elder
           : !strcmp(serial, FRESH_SERIAL) ? merchant->fresh
                                           : merchant->platform;
}

char *merchant_seal(const struct merchant *merchant, const struct seal *seal, const char *body)
{
    const char *serial = seal->serial ? seal->serial : PUBLIC_KEY_ID;
    long long at = seal->at ? seal->at : time(NULL);
    char *text = xprintf("%lld\nd824f2e086d3c1df967785d13fcd22ef\n%s\n", at, body);
    char *signature = rsa_sign(seal->key ? seal->key : key_of(merchant, serial), text, strlen(text));
    char *headers = xprintf("Wechatpay-Timestamp: %lld\r\nwechatpay-nonce: d824f2e086d3c1df967785d13fcd22ef\r\n"
                            "WECHATPAY-SIGNATURE: %s%s\r\nWechatpay-Serial: %s\r\n",
                            at, seal->probe ? "WECHATPAY/SIGNTEST/" : "", signature, serial);
    free(signature);
    free(text);
    return headers;
}

char *merchant_event(const char *id, const char *type, const char *plain)
{
    const struct sealing sealing = {.key = APIV3_KEY, .nonce = "fdasflkja484", .aad = type};
    char *sealed = aes256gcm_seal(&sealing, plain, strlen(plain));
    char *event = xprintf("{\"id\":\"%s\",\"create_time\":\"2026-11-30T10:34:56+08:00\","
                          "\"resource_type\":\"encrypt-resource\",\"event_type\":\"X\",\"summary\":\"x\","
                          "\"resource\":{\"original_type\":\"%s\",\"algorithm\":\"AEAD_AES_256_GCM\","
                          "\"ciphertext\":\"%s\",\"associated_data\":\"%s\",\"nonce\":\"fdasflkja484\"}}",
                          id, type, sealed, type);
    free(sealed);
    return event;
}

char *merchant_certificates(const struct merchant *merchant)
{
    const struct sealing sealing = {.key = APIV3_KEY, .nonce = "61f9c719728a", .aad = "certificate"};
    char *pem = certificate_new(merchant->fresh, FRESH_SERIAL);
    char *sealed = aes256gcm_seal(&sealing, pem, strlen(pem));
    char *body =
        xprintf("{\"data\":[{\"serial_no\":\"" FRESH_SERIAL "\",\"effective_time\":\"2026-01-01T00:00:00+08:00\","
                "\"expire_time\":\"2031-01-01T00:00:00+08:00\",\"encrypt_certificate\":{"
                "\"algorithm\":\"AEAD_AES_256_GCM\",\"nonce\":\"61f9c719728a\","
                "\"associated_data\":\"certificate\",\"ciphertext\":\"%s\"}}]}",
                sealed);
    free(sealed);
    free(pem);
    return body;
}

char *merchant_form(const struct merchant *merchant, const char *text)
{
    struct params params = {0};
    char *copy = xstrdup(text), *rest = copy;
    for (char *pair; (pair = strsep(&rest, "&"));) {
        char *equals = strchr(pair, '=');
        assert_non_null(equals);
        *equals = '\0';
        assert_true(params_add(&params, pair, equals + 1));
    }
    char *signed_text = params_text(&params, NULL, NULL);
    char *signature = rsa_sign(merchant->platform, signed_text, strlen(signed_text));
    params_add(&params, "sign_type", "RSA2");
    params_add(&params, "sign", signature);
    char *form = params_form(&params, "", true);
    free(signature);
    free(signed_text);
    free(copy);
    params_release(&params);
    return form;
}

char *merchant_node(const struct merchant *merchant, const char *name, const char *node)
{
    char *signature = rsa_sign(merchant->platform, node, strlen(node));
    char *answer = xprintf("{\"%s\":%s,\"sign\":\"%s\"}", name, node, signature);
    free(signature);
    return answer;
}
