#include "sandbox/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/token.h"
#include "outside/tree.h"

#define MERCHANT_FILE "merchant.json"

/* ---- files ---- */

/* NULL where it is not there. */
static char *file_read(const char *path)
{
    struct buf text = {0};
    char bytes[4096];
    size_t got;
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        buf_add_bytes(&text, bytes, got);
    fclose(file);
    return buf_take(&text);
}

/* Whole or not at all: beside, then renamed. */
static enum fd_code file_write(const char *path, const char *text, struct fd_error *err)
{
    char *fresh = xprintf("%s.new", path);
    size_t bytes = strlen(text);
    unlink(fresh);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    good = good && rename(fresh, path) == 0;
    free(fresh);
    return good ? FD_OK : fd_fail(err, FD_IO, _("The file %s cannot be written: %s"), path, strerror(errno));
}

/* ---- the merchant's numbers ---- */

static void random_text(char *out, size_t length, const char *alphabet)
{
    size_t letters = strlen(alphabet);
    for (size_t i = 0; i < length; i++)
        out[i] = alphabet[random_below((uint32_t)letters)];
    out[length] = '\0';
}

/* name in merchant.json, where, how it begins, how many characters follow, of which */
struct number {
    const char *name;
    size_t at;
    const char *begin;
    size_t length;
    const char *alphabet;
};
#define DIGITS  "0123456789"
#define HEX     "0123456789ABCDEF"
#define LETTERS "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
static const struct number numbers[] = {
    {"mchid", offsetof(struct keys, mchid), "19", 8, DIGITS},
    {"appid", offsetof(struct keys, appid), "wx", 16, "0123456789abcdef"},
    {"serial", offsetof(struct keys, serial), "5", 39, HEX},
    {"apiv3_key", offsetof(struct keys, apiv3_key), "", AES_KEY_BYTES, LETTERS},
    {"public_key_id", offsetof(struct keys, public_key_id), "PUB_KEY_ID_01", 26, DIGITS},
    {"certificate_id", offsetof(struct keys, certificate_id), "4", 39, HEX},
    {"app_id", offsetof(struct keys, app_id), "2021", 12, DIGITS},
    {"seller_id", offsetof(struct keys, seller_id), "2088", 12, DIGITS},
};
#define NUMBER_COUNT (sizeof numbers / sizeof *numbers)

static enum fd_code numbers_open(struct keys *keys, struct fd_error *err)
{
    char *text = file_read(MERCHANT_FILE);
    struct tree *tree = tree_parse(text);
    bool complete = true;
    if (!tree)
        tree = tree_object();
    for (const struct number *each = numbers; each < numbers + NUMBER_COUNT; each++) {
        char *field = (char *)keys + each->at;
        const char *known = tree_get_text(tree, each->name);
        size_t begin = strlen(each->begin);
        if (known && strlen(known) == begin + each->length) {
            memcpy(field, known, strlen(known) + 1);
            continue;
        }
        complete = false;
        memcpy(field, each->begin, begin);
        random_text(field + begin, each->length, each->alphabet);
        tree_put_text(tree, each->name, field);
    }
    char *dumped = tree_dump(tree);
    enum fd_code code = complete ? FD_OK : file_write(MERCHANT_FILE, dumped, err);
    free(dumped);
    free(text);
    tree_free(&tree);
    return code;
}

/* ---- keys ---- */

/* The private key in `path`, made where it is missing; beside it `public_path`, where one is named. */
static enum fd_code key_open(const char *path, const char *public_path, struct crypto_key **key, struct fd_error *err)
{
    char *text = file_read(path);
    enum fd_code code = FD_OK;
    if (text && !(*key = crypto_key_private(text)))
        code = fd_fail(err, FD_CONFIG, _("%s: this is not a private key."), path);
    if (!text) {
        *key = crypto_key_new();
        char *pem = crypto_key_private_pem(*key);
        code = file_write(path, pem, err);
        explicit_bzero(pem, strlen(pem));
        free(pem);
    }
    if (code == FD_OK && public_path && access(public_path, F_OK) != 0) {
        char *pem = crypto_key_public_pem(*key);
        code = file_write(public_path, pem, err);
        free(pem);
    }
    free(text);
    return code;
}

static enum fd_code certificate_open(struct keys *keys, struct fd_error *err)
{
    char serial[SERIAL_BYTES];
    keys->certificate = file_read("wechat-platform.crt");
    if (keys->certificate && certificate_serial(keys->certificate, serial) && strcmp(serial, keys->certificate_id) == 0)
        return FD_OK;
    free(keys->certificate);
    keys->certificate = certificate_new(keys->certified, keys->certificate_id);
    return file_write("wechat-platform.crt", keys->certificate, err);
}

enum fd_code keys_open(struct keys *keys, struct fd_error *err)
{
    enum fd_code code = numbers_open(keys, err);
    if (code == FD_OK)
        code = key_open("wechat-merchant.key", NULL, &keys->merchant, err);
    if (code == FD_OK)
        code = key_open("platform-wechat.key", "wechat-platform.pub", &keys->platform, err);
    if (code == FD_OK)
        code = key_open("platform-certified.key", NULL, &keys->certified, err);
    if (code == FD_OK)
        code = certificate_open(keys, err);
    if (code == FD_OK)
        code = key_open("alipay-app.key", NULL, &keys->app, err);
    if (code == FD_OK)
        code = key_open("platform-alipay.key", "alipay-platform.pub", &keys->alipay, err);
    return code;
}

void keys_release(struct keys *keys)
{
    crypto_key_free(&keys->merchant);
    crypto_key_free(&keys->platform);
    crypto_key_free(&keys->certified);
    crypto_key_free(&keys->app);
    crypto_key_free(&keys->alipay);
    free(keys->certificate);
    explicit_bzero(keys, sizeof *keys);
}

enum fd_code keys_write_channels(const struct keys *keys, const struct channels_file *file, struct fd_error *err)
{
    struct buf text = {0};
    buf_printf(&text, "# Written by frontdesk-sandbox at each start: accounts that exist on this machine only.\n");
    buf_printf(&text, "[wechat]\nbase = http://127.0.0.1:%d\nmchid = %s\nappid = %s\nserial = %s\n", file->port,
               keys->mchid, keys->appid, keys->serial);
    buf_printf(&text, "key = wechat-merchant.key\napiv3_key = %s\n", keys->apiv3_key);
    if (file->certificate)
        buf_printf(&text, "%s = wechat-platform.crt\n", keys->certificate_id);
    else
        buf_printf(&text, "public_key_id = %s\npublic_key = wechat-platform.pub\n", keys->public_key_id);
    buf_printf(&text, "notify_url = %s/wechat/notify\n\n", file->notify);
    buf_printf(&text, "[alipay]\nbase = http://127.0.0.1:%d/gateway.do\napp_id = %s\nseller_id = %s\n", file->port,
               keys->app_id, keys->seller_id);
    buf_printf(&text, "key = alipay-app.key\npublic_key = alipay-platform.pub\nnotify_url = %s/alipay/notify\n",
               file->notify);
    char *old = file_read(CHANNELS_FILE);
    enum fd_code code =
        old && strcmp(old, buf_text(&text)) == 0 ? FD_OK : file_write(CHANNELS_FILE, buf_text(&text), err);
    free(old);
    buf_release(&text);
    return code;
}
