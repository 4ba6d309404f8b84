/* Signatures of WeChat Pay, both ways. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/token.h"
#include "sandbox/wechat.h"

#define SCHEME "WECHATPAY2-SHA256-RSA2048 "
#define SKEW_S 300

/* ---- requests ---- */

struct authorization {
    char mchid[40], nonce_str[40], timestamp[24], serial_no[SERIAL_BYTES], signature[700];
};

static const struct part {
    const char *name;
    size_t at, bytes;
} parts[] = {
#define PART(name)                                                                                                     \
    {                                                                                                                  \
#name, offsetof(struct authorization, name), sizeof(((struct authorization *)0)->name)                         \
    }
    PART(mchid), PART(nonce_str), PART(timestamp), PART(serial_no), PART(signature),
#undef PART
};
#define PART_COUNT (sizeof parts / sizeof *parts)

/* name="value" at *text; steps over it and a comma. */
static bool take_part(const char **text, struct authorization *out)
{
    size_t name = strcspn(*text, "=");
    const char *value = *text + name;
    if (strncmp(value, "=\"", 2) != 0)
        return false;
    value += 2;
    size_t length = strcspn(value, "\"");
    if (value[length] != '"')
        return false;
    for (const struct part *part = parts; part < parts + PART_COUNT; part++) {
        if (strlen(part->name) != name || strncmp(part->name, *text, name) != 0 || length >= part->bytes)
            continue;
        memcpy((char *)out + part->at, value, length);
        *text = value + length + 1;
        *text += **text == ',';
        return true;
    }
    return false;
}

static bool read_authorization(const char *header, struct authorization *out)
{
    *out = (struct authorization){0};
    if (strncmp(header, SCHEME, strlen(SCHEME)) != 0)
        return false;
    for (header += strlen(SCHEME); *header;)
        if (!take_part(&header, out))
            return false;
    return out->mchid[0] && out->nonce_str[0] && strlen(out->nonce_str) <= 32 && out->timestamp[0] &&
           out->serial_no[0] && out->signature[0];
}

const char *wechat_check_signature(const struct box *box, const struct request *request)
{
    struct authorization given;
    struct buf text = {0};
    if (!read_authorization(request->header(request, "Authorization"), &given))
        return "Http头Authorization值格式错误，请参考《微信支付商户REST API签名规则》";
    long long skew = strtoll(given.timestamp, NULL, 10) - (long long)box_wire(box);
    if (skew > SKEW_S || skew < -SKEW_S)
        return "Http头Authorization中的timestamp与发起请求的时间不得超过5分钟";
    if (strcmp(given.mchid, box->keys.mchid) != 0 || strcmp(given.serial_no, box->keys.serial) != 0)
        return "商户证书序列号有误。请使用签名私钥匹配的证书序列号";
    buf_printf(&text, "%s\n%s\n%s\n%s\n", request->method, request->target, given.timestamp, given.nonce_str);
    buf_add_bytes(&text, buf_text(&request->body), request->body.bytes);
    buf_add(&text, "\n");
    bool good = rsa_verify(box->keys.merchant, buf_text(&text), text.bytes, given.signature);
    buf_release(&text);
    return good ? NULL : "签名错误，请检查后再试";
}

/* ---- answers and notifications ---- */

static bool wants_certificate(const struct box *box, const char *serial)
{
    if (strcmp(serial, box->keys.public_key_id) == 0)
        return false;
    if (strcmp(serial, box->keys.certificate_id) == 0)
        return true;
    if (box->settings.serial == SERIAL_MIXED)
        return random_below(2) == 0;
    return box->settings.serial == SERIAL_CERTIFICATE;
}

static char *probe(void)
{
    char bytes[240];
    random_bytes(bytes, sizeof bytes);
    char *text = base64_encode(bytes, sizeof bytes), *whole = xprintf("WECHATPAY/SIGNTEST/%s", text);
    free(text);
    return whole;
}

void wechat_sign(const struct box *box, const char *serial, const char *body, const struct strike *strike,
                 struct wechat_signature *signature)
{
    bool certificate = wants_certificate(box, serial);
    const struct crypto_key *key = certificate ? box->keys.certified : box->keys.platform;
    char nonce[KEY_BYTES];
    key_new(nonce);
    cut_copy(signature->nonce, sizeof signature->nonce, nonce);
    fit_printf(signature->timestamp, "%lld", (long long)box_wire(box) - (strike->on[FAULT_STALE] ? 600 : 0));
    cut_copy(signature->serial, sizeof signature->serial,
             certificate ? box->keys.certificate_id : box->keys.public_key_id);
    if (strike->on[FAULT_SERIAL])
        signature->serial[strlen(signature->serial) - 1] ^= 1;
    /* Whoever has no key of ours signs with what he has. */
    if (strike->on[FAULT_SIGN])
        key = box->keys.merchant;
    char *text = xprintf("%s\n%s\n%s\n", signature->timestamp, signature->nonce, body);
    signature->signature = strike->on[FAULT_PROBE] ? probe() : rsa_sign(key, text, strlen(text));
    free(text);
}

struct tree *wechat_sealed_tree(const struct box *box, const char *text, const char *associated_data,
                                const char *original_type)
{
    char nonce[KEY_BYTES];
    key_new(nonce);
    nonce[12] = '\0';
    const struct sealing sealing = {.key = box->keys.apiv3_key, .nonce = nonce, .aad = associated_data};
    char *sealed = aes256gcm_seal(&sealing, text, strlen(text));
    struct tree *tree = tree_object();
    if (original_type)
        tree_put_text(tree, "original_type", original_type);
    tree_put_text(tree, "algorithm", "AEAD_AES_256_GCM");
    tree_put_text(tree, "ciphertext", sealed);
    tree_put_text(tree, "associated_data", associated_data);
    tree_put_text(tree, "nonce", nonce);
    free(sealed);
    return tree;
}
