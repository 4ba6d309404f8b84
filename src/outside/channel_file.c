/* The file of the merchant's accounts: read whole and checked whole, so that nothing is found out at the first payment.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ini_file.h"
#include "base/text.h"
#include "outside/channel_internal.h"
#include "outside/http.h"

#define KEY_FILE_BYTES   65536
#define NOTIFY_URL_BYTES 255
#define CERTIFICATE_MS   43200000 /* 12 h, facts A4 */

static const char *const sections[CHANNEL_COUNT] = {[CHANNEL_WECHAT] = "wechat", [CHANNEL_ALIPAY] = "alipay"};

struct reading;
struct value; /* one line of the file */
typedef enum fd_code take_fn(struct reading *reading, struct channel *channel, const struct value *value);
static take_fn take_text, take_base, take_notify, take_private, take_public, take_apiv3, take_apiv3_file,
    take_certificate;

static const struct key_row {
    enum channel_id channel;
    const char *name;
    take_fn *take;
    size_t offset; /* of the char * in struct channel: take_text */
    bool needed;
} key_rows[] = {
    {CHANNEL_WECHAT, "base", take_base, 0, false},
    {CHANNEL_WECHAT, "mchid", take_text, offsetof(struct channel, merchant), true},
    {CHANNEL_WECHAT, "appid", take_text, offsetof(struct channel, app), true},
    {CHANNEL_WECHAT, "serial", take_text, offsetof(struct channel, serial), true},
    {CHANNEL_WECHAT, "key", take_private, 0, true},
    {CHANNEL_WECHAT, "apiv3_key", take_apiv3, 0, false},
    {CHANNEL_WECHAT, "apiv3_key_file", take_apiv3_file, 0, false},
    {CHANNEL_WECHAT, "public_key_id", take_text, offsetof(struct channel, public_key_id), false},
    {CHANNEL_WECHAT, "public_key", take_public, 0, false},
    {CHANNEL_WECHAT, "notify_url", take_notify, 0, true},
    {CHANNEL_ALIPAY, "base", take_base, 0, false},
    {CHANNEL_ALIPAY, "app_id", take_text, offsetof(struct channel, app), true},
    {CHANNEL_ALIPAY, "seller_id", take_text, offsetof(struct channel, merchant), true},
    {CHANNEL_ALIPAY, "key", take_private, 0, true},
    {CHANNEL_ALIPAY, "public_key", take_public, 0, true},
    {CHANNEL_ALIPAY, "notify_url", take_notify, 0, false},
};
#define KEY_ROWS (sizeof key_rows / sizeof *key_rows)

/* A line in [wechat] whose key is a serial: FILE with that platform certificate. */
static const struct key_row certificate_row = {CHANNEL_WECHAT, "certificate", take_certificate, 0, false};

struct value {
    const struct key_row *row;
    char *name, *text;
    int line;
};

#define VALUES_MOST 64
struct reading {
    const char *path;
    struct value values[VALUES_MOST];
    size_t count;
    struct fd_error *err;
};

/* ---- files ---- */

/* The whole of a regular file of this user, no symbolic link; what others may not do with it is in `forbidden`. */
static enum fd_code check_file(int fd, const char *path, mode_t forbidden, struct fd_error *err)
{
    struct stat info;
    if (fd < 0 && errno == ELOOP)
        return fd_fail(err, FD_CONFIG, _("%s: a symbolic link is not accepted."), path);
    if (fd < 0) {
        int number = errno;
        fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), path);
        fd_detail(err, "open: errno %d", number);
        return FD_CONFIG;
    }
    if (fstat(fd, &info) || !S_ISREG(info.st_mode))
        return fd_fail(err, FD_CONFIG, _("%s: this is not a regular file."), path);
    if (info.st_uid != geteuid())
        return fd_fail(err, FD_CONFIG, _("%s: the file belongs to another user."), path);
    if (info.st_mode & forbidden) {
        fd_fail(err, FD_CONFIG, _("%s: other users can use this file."), path);
        fd_hint(err, _("Run: chmod 600 %s"), path);
        return FD_CONFIG;
    }
    return FD_OK;
}

/* O_NONBLOCK: a FIFO in the file's place must not hang the start. */
static enum fd_code open_own(const char *path, mode_t forbidden, FILE **stream, struct fd_error *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    enum fd_code code = check_file(fd, path, forbidden, err);
    *stream = code == FD_OK ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !*stream)
        close(fd);
    if (*stream)
        return FD_OK;
    return code != FD_OK ? code : fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), path);
}

static void wipe(char **text)
{
    if (*text)
        explicit_bzero(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

/* Key files are named from the folder of the file that names them. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return name[0] == '/' || !slash ? xstrdup(name) : xprintf("%.*s%s", (int)(slash + 1 - path), path, name);
}

static enum fd_code at_value(struct reading *reading, const struct value *value, const char *what)
{
    return fd_fail(reading->err, FD_CONFIG, "%s:%d: %s.%s: %s", reading->path, value->line,
                   sections[value->row->channel], value->name, what);
}

/* The text of the file that `value` names: xmalloc'ed; the caller wipes it. */
static enum fd_code read_named(struct reading *reading, const struct value *value, mode_t forbidden, char **text)
{
    char *path = beside(reading->path, value->text);
    FILE *stream = NULL;
    struct fd_error why = {0};
    enum fd_code code = open_own(path, forbidden, &stream, &why);
    if (code == FD_OK) {
        char *all = xcalloc(1, KEY_FILE_BYTES + 1);
        setvbuf(stream, NULL, _IONBF, 0); /* nobody would wipe stdio's copy */
        size_t got = fread(all, 1, KEY_FILE_BYTES + 1, stream);
        if (got > KEY_FILE_BYTES || ferror(stream))
            code = fd_fail(&why, FD_CONFIG, _("%s: the file cannot be read."), path);
        if (code == FD_OK)
            *text = all;
        else
            explicit_bzero(all, KEY_FILE_BYTES + 1), free(all);
        fclose(stream);
    }
    if (code != FD_OK) {
        at_value(reading, value, why.message);
        fd_hint(reading->err, "%s", why.hint);
        fd_detail(reading->err, "%s", why.detail);
    }
    free(path);
    return code;
}

/* ---- values ---- */

static enum fd_code take_text(struct reading *reading, struct channel *channel, const struct value *value)
{
    if (!is_number_of(value->text, "_-", 64))
        return at_value(reading, value, _("this is not a number of a merchant account."));
    *(char **)(void *)((char *)channel + value->row->offset) = xstrdup(value->text);
    return FD_OK;
}

static enum fd_code take_base(struct reading *reading, struct channel *channel, const struct value *value)
{
    if (!http_url_allowed(value->text) || strpbrk(value->text, "?#"))
        return at_value(reading, value, _("the address must begin with https:// (http:// only for this machine)."));
    free(channel->base);
    channel->base = xstrdup(value->text);
    for (size_t length = strlen(channel->base); length && channel->base[length - 1] == '/';)
        channel->base[--length] = '\0';
    return FD_OK;
}

static enum fd_code take_notify(struct reading *reading, struct channel *channel, const struct value *value)
{
    if (!http_url_allowed(value->text) || strpbrk(value->text, "?#") || strlen(value->text) > NOTIFY_URL_BYTES)
        return at_value(reading, value,
                        _("the address must begin with https://, have no ? in it and at most 255 characters."));
    channel->notify_url = xstrdup(value->text);
    return FD_OK;
}

static enum fd_code take_private(struct reading *reading, struct channel *channel, const struct value *value)
{
    char *text = NULL;
    enum fd_code code = read_named(reading, value, S_IRWXG | S_IRWXO, &text);
    if (code != FD_OK)
        return code;
    channel->key = crypto_key_private(text);
    wipe(&text);
    return channel->key ? FD_OK : at_value(reading, value, _("the file holds no private RSA key of 2048 bits."));
}

static enum fd_code take_platform(struct reading *reading, struct channel *channel, const struct value *value,
                                  const char *serial)
{
    char *text = NULL;
    enum fd_code code = read_named(reading, value, S_IWGRP | S_IWOTH, &text);
    if (code != FD_OK)
        return code;
    char own[SERIAL_BYTES];
    struct crypto_key *key = crypto_key_public(text);
    bool wrong = value->row->take == take_certificate && (!certificate_serial(text, own) || !text_same(own, serial));
    free(text);
    if (!key)
        return at_value(reading, value, _("the file holds no public RSA key of 2048 bits."));
    if (wrong) {
        crypto_key_free(&key);
        return at_value(reading, value, _("the file holds no valid certificate with this serial."));
    }
    return channel_add_platform(channel, serial, key) ? FD_OK
                                                      : at_value(reading, value, _("there are too many certificates."));
}

/* WeChat's key has a name, which may stand in a later line: it is put on at the end. */
static enum fd_code take_public(struct reading *reading, struct channel *channel, const struct value *value)
{
    return take_platform(reading, channel, value, "");
}

static enum fd_code take_certificate(struct reading *reading, struct channel *channel, const struct value *value)
{
    char serial[SERIAL_BYTES];
    size_t length = 0;
    for (; value->name[length]; length++)
        serial[length] = (char)(value->name[length] >= 'a' ? value->name[length] - ('a' - 'A') : value->name[length]);
    serial[length] = '\0';
    return take_platform(reading, channel, value, serial);
}

static enum fd_code keep_apiv3(struct reading *reading, struct channel *channel, const struct value *value,
                               const char *text)
{
    if (channel->apiv3_key)
        return at_value(reading, value, _("the key is given twice."));
    if (strlen(text) != AES_KEY_BYTES)
        return at_value(reading, value, _("the APIv3 key has 32 characters."));
    channel->apiv3_key = xstrdup(text);
    return FD_OK;
}

static enum fd_code take_apiv3(struct reading *reading, struct channel *channel, const struct value *value)
{
    return keep_apiv3(reading, channel, value, value->text);
}

static enum fd_code take_apiv3_file(struct reading *reading, struct channel *channel, const struct value *value)
{
    char *text = NULL;
    enum fd_code code = read_named(reading, value, S_IRWXG | S_IRWXO, &text);
    if (code != FD_OK)
        return code;
    text[strcspn(text, "\r\n")] = '\0';
    code = keep_apiv3(reading, channel, value, text);
    explicit_bzero(text, KEY_FILE_BYTES + 1);
    free(text);
    return code;
}

/* ---- lines ---- */

static const struct key_row *find_row(const char *section, const char *name)
{
    for (size_t i = 0; i < KEY_ROWS; i++)
        if (!strcmp(sections[key_rows[i].channel], section) && !strcmp(key_rows[i].name, name))
            return &key_rows[i];
    size_t length = strlen(name);
    bool serial = length >= 8 && length <= 40 && strspn(name, "0123456789ABCDEFabcdef") == length;
    return serial && !strcmp(sections[CHANNEL_WECHAT], section) ? &certificate_row : NULL;
}

static enum fd_code take_line(void *arg, int line, const char *section, const char *name, const char *text)
{
    struct reading *reading = arg;
    const struct key_row *row = find_row(section, name);
    if (!row)
        return fd_fail(reading->err, FD_CONFIG, _("%s:%d: %s.%s: there is no such key."), reading->path, line, section,
                       name);
    for (size_t i = 0; i < reading->count; i++)
        if (reading->values[i].row->channel == row->channel && text_same(reading->values[i].name, name))
            return fd_fail(reading->err, FD_CONFIG, _("%s:%d: %s.%s: the key is given twice."), reading->path, line,
                           section, name);
    /* The value may be a secret, so no message repeats one. */
    if (!text[0] || !text_is_clean(text) || reading->count == VALUES_MOST)
        return fd_fail(reading->err, FD_CONFIG, _("%s:%d: %s.%s: this is not a valid value."), reading->path, line,
                       section, name);
    reading->values[reading->count++] =
        (struct value){.row = row, .name = xstrdup(name), .text = xstrdup(text), .line = line};
    return FD_OK;
}

/* ---- accounts ---- */

static enum fd_code missing(struct reading *reading, enum channel_id id, const char *name)
{
    return fd_fail(reading->err, FD_CONFIG, _("%s: %s.%s: the key is missing."), reading->path, sections[id], name);
}

static bool is_given(const struct reading *reading, enum channel_id id, const char *name)
{
    for (size_t i = 0; i < reading->count; i++)
        if (reading->values[i].row->channel == id && !strcmp(reading->values[i].name, name))
            return true;
    return false;
}

static enum fd_code check_wechat(struct reading *reading, struct channel *channel)
{
    struct platform_key *key = NULL;
    for (size_t i = 0; i < channel->platform_count; i++)
        if (!channel->platform[i].serial[0])
            key = &channel->platform[i];
    if (!channel->apiv3_key)
        return missing(reading, channel->id, "apiv3_key");
    if (!key != !channel->public_key_id)
        return missing(reading, channel->id, key ? "public_key_id" : "public_key");
    if (key)
        cut_copy(key->serial, SERIAL_BYTES, channel->public_key_id);
    /* Certificates are what a merchant without public key lives on: those of the file for the next 12 h at most. */
    bool has_certificates = channel->platform_count > (key ? 1 : 0);
    channel->due_ms = key ? INT64_MAX : has_certificates ? mono_ms() + CERTIFICATE_MS : 0;
    return FD_OK;
}

static enum fd_code check_whole(struct reading *reading, struct channel *channel)
{
    for (size_t i = 0; i < KEY_ROWS; i++)
        if (key_rows[i].channel == channel->id && key_rows[i].needed &&
            !is_given(reading, channel->id, key_rows[i].name))
            return missing(reading, channel->id, key_rows[i].name);
    return channel->id == CHANNEL_WECHAT ? check_wechat(reading, channel) : FD_OK;
}

static enum fd_code make_channel(struct reading *reading, enum channel_id id, struct channel **made)
{
    static const char *const bases[CHANNEL_COUNT] = {
        [CHANNEL_WECHAT] = "https://api.mch.weixin.qq.com", [CHANNEL_ALIPAY] = "https://openapi.alipay.com/gateway.do"};
    struct channel *channel = xcalloc(1, sizeof *channel);
    channel->id = id;
    channel->ops = channel_ops_of(id);
    channel->base = xstrdup(bases[id]);
    enum fd_code code = FD_OK;
    for (size_t i = 0; code == FD_OK && i < reading->count; i++)
        if (reading->values[i].row->channel == id)
            code = reading->values[i].row->take(reading, channel, &reading->values[i]);
    if (code == FD_OK)
        code = check_whole(reading, channel);
    if (code == FD_OK)
        *made = channel;
    else
        channel_free(&channel);
    return code;
}

static bool has_channel(const struct reading *reading, enum channel_id id)
{
    for (size_t i = 0; i < reading->count; i++)
        if (reading->values[i].row->channel == id)
            return true;
    return false;
}

enum fd_code channels_load(const char *file, struct channels **channels, struct fd_error *err)
{
    struct channels *made = xcalloc(1, sizeof *made);
    struct reading reading = {.path = file, .err = err};
    enum fd_code code = FD_OK;
    if (file && file[0]) {
        FILE *stream;
        code = open_own(file, S_IRWXG | S_IRWXO, &stream, err);
        if (code == FD_OK) {
            /* Unbuffered: no copy of a secret is left behind. */
            setvbuf(stream, NULL, _IONBF, 0);
            code = ini_file_read(&(struct ini_file){stream, file}, take_line, &reading, err);
            fclose(stream);
        }
        /* It checks the addresses. */
        if (code == FD_OK)
            code = http_ready(err);
        for (int i = 0; code == FD_OK && i < CHANNEL_COUNT; i++)
            if (has_channel(&reading, (enum channel_id)i))
                code = make_channel(&reading, (enum channel_id)i, &made->channel[i]);
    }
    for (size_t i = 0; i < reading.count; i++) {
        wipe(&reading.values[i].text);
        free(reading.values[i].name);
    }
    if (code == FD_OK)
        *channels = made;
    else
        channels_free(&made);
    return code;
}
