/* The file of the merchant accounts: what is wrong in it is said with file, line and key, and nothing starts half
 * configured. */
#include "merchant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outside/channel_internal.h"
#include "outside/http.h"

static int set_up(void **state)
{
    (void)state;
    scratch_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

static void without_a_file_there_is_no_channel(void **state)
{
    (void)state;
    const char *const names[] = {NULL, ""};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct channels *channels = NULL;
        struct fd_error err;
        assert_int_equal(channels_load(names[i], &channels, &err), FD_OK);
        assert_null(channels_get(channels, CHANNEL_WECHAT));
        assert_null(channels_get(channels, CHANNEL_ALIPAY));
        channels_free(&channels);
        assert_null(channels);
    }
    assert_null(channels_get(NULL, CHANNEL_WECHAT));
}

static void a_good_file_makes_both_channels(void **state)
{
    (void)state;
    struct merchant merchant;
    merchant_open(&merchant, NULL, NULL);
    assert_string_equal(merchant.wechat->base, "https://api.mch.weixin.qq.com");
    assert_string_equal(merchant.wechat->merchant, MCHID);
    assert_string_equal(merchant.wechat->apiv3_key, APIV3_KEY);
    assert_int_equal(merchant.wechat->platform_count, 2);
    assert_non_null(channel_platform(merchant.wechat, PUBLIC_KEY_ID));
    assert_non_null(channel_platform(merchant.wechat, CERT_SERIAL));
    assert_null(channel_platform(merchant.wechat, FRESH_SERIAL));
    assert_string_equal(merchant.alipay->base, "https://openapi.alipay.com/gateway.do");
    assert_non_null(channel_platform(merchant.alipay, ""));
    merchant_close(&merchant);
}

static void channels_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        assert_int_equal(channel_from_name(channel_name((enum channel_id)i)), i);
    assert_string_equal(channel_name(CHANNEL_WECHAT), "WECHAT");
    assert_int_equal(channel_from_name("wechat"), CHANNEL_COUNT);
    assert_int_equal(channel_from_name(""), CHANNEL_COUNT);
    assert_int_equal(channel_from_name(NULL), CHANNEL_COUNT);
}

/* One line replaced, or added where `from` is NULL. */
static char *edited(const char *lines, const char *from, const char *to)
{
    const char *at = from ? strstr(lines, from) : NULL;
    if (!from)
        return xprintf("%s%s\n", lines, to);
    assert_non_null(at);
    return xprintf("%.*s%s%s", (int)(at - lines), lines, to, at + strcspn(at, "\n") + (to[0] ? 0 : 1));
}

static void check_refused(const char *wechat, const char *alipay, const char *told)
{
    struct channels *channels = NULL;
    struct fd_error err = {0};
    assert_int_equal(channels_load(merchant_file(wechat, alipay), &channels, &err), FD_CONFIG);
    assert_null(channels);
    if (!strstr(err.message, told))
        fail_msg("\"%s\" is not in \"%s\"", told, err.message);
    assert_non_null(strstr(err.message, "channels.conf"));
    assert_null(strstr(err.message, APIV3_KEY));
}

static void mistakes_of_wechat_are_told_by_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *told;
    } rows[] = {
        {"mchid", "", ": wechat.mchid: the key is missing"},
        {"appid", "", ": wechat.appid: the key is missing"},
        {"serial", "", ": wechat.serial: the key is missing"},
        {"key = own", "", ": wechat.key: the key is missing"},
        {"notify_url", "", ": wechat.notify_url: the key is missing"},
        {"apiv3_key", "", ": wechat.apiv3_key: the key is missing"},
        {"public_key_id", "", ": wechat.public_key_id: the key is missing"},
        {"public_key = ", "", ": wechat.public_key: the key is missing"},
        {"mchid", "mchid = a\"b", ":2: wechat.mchid: "},
        {"mchid", "mchid = 190 01", ":2: wechat.mchid: "},
        {"apiv3_key", "apiv3_key = testMchAPIv3Key0", ":6: wechat.apiv3_key: the APIv3 key has 32"},
        {"apiv3_key", "apiv3_key = " APIV3_KEY "1", ":6: wechat.apiv3_key: the APIv3 key has 32"},
        {"apiv3_key", "apiv3_key =", ":6: wechat.apiv3_key: this is not a valid value"},
        {"key = own", "key = none.pem", ":5: wechat.key: "},
        {"key = own", "key = platform.pem", ":5: wechat.key: "},
        {"public_key = ", "public_key = own.pem", ":8: wechat.public_key: the file holds no public"},
        {CERT_SERIAL, CERT_SERIAL " = platform.pem", ":9: wechat." CERT_SERIAL ": the file holds no valid certificate"},
        {CERT_SERIAL, FRESH_SERIAL " = elder.pem", ":9: wechat." FRESH_SERIAL ": the file holds no valid certificate"},
        {"notify_url", "notify_url = http://desk.example.com/wechat", ":10: wechat.notify_url: "},
        {"notify_url", "notify_url = https://desk.example.com/wechat?a=1", ":10: wechat.notify_url: "},
        {NULL, "mchid = 2", ":11: wechat.mchid: the key is given twice"},
        {NULL, "seller_id = 2", ":11: wechat.seller_id: there is no such key"},
        {NULL, "apiv3_key_file = a.key", ":11: wechat.apiv3_key_file: "},
        {NULL, "base = http://api.mch.weixin.qq.com", ":11: wechat.base: "},
        {NULL, "base = https://user:word@api.mch.weixin.qq.com", ":11: wechat.base: "},
        {NULL, "base = ftp://127.0.0.1", ":11: wechat.base: "},
        {NULL, "base = https://api.mch.weixin.qq.com?x", ":11: wechat.base: "},
        {NULL, "nonsense", ":11: write [section] or key = value"},
        {NULL, "[wechatt]\nmchid = 1", ":12: wechatt.mchid: there is no such key"},
    };
    char *lines = merchant_wechat_lines(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *wrong = edited(lines, rows[i].from, rows[i].to);
        check_refused(wrong, NULL, rows[i].told);
        free(wrong);
    }
    free(lines);
}

static void mistakes_of_alipay_are_told_by_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *told;
    } rows[] = {
        {"app_id", "", ": alipay.app_id: the key is missing"},
        {"seller_id", "", ": alipay.seller_id: the key is missing"},
        {"key = own", "", ": alipay.key: the key is missing"},
        {"public_key", "", ": alipay.public_key: the key is missing"},
        {"public_key", "public_key = channels.conf", ":5: alipay.public_key: the file holds no public"},
        {NULL, CERT_SERIAL " = elder.pem", ":7: alipay." CERT_SERIAL ": there is no such key"},
    };
    char *lines = merchant_alipay_lines(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *wrong = edited(lines, rows[i].from, rows[i].to);
        check_refused(NULL, wrong, rows[i].told);
        free(wrong);
    }
    free(lines);
}

static void a_wechat_account_needs_no_alipay_and_no_certificate(void **state)
{
    (void)state;
    char *lines = merchant_wechat_lines(NULL), *bare = edited(lines, CERT_SERIAL, "");
    struct channels *channels = NULL;
    struct fd_error err = {0};
    assert_int_equal(channels_load(merchant_file(bare, NULL), &channels, &err), FD_OK);
    assert_null(channels_get(channels, CHANNEL_ALIPAY));
    assert_int_equal(channels_get(channels, CHANNEL_WECHAT)->platform_count, 1);
    channels_free(&channels);
    free(bare);
    free(lines);
}

static void the_apiv3_key_may_have_a_file_of_its_own(void **state)
{
    (void)state;
    char *lines = merchant_wechat_lines(NULL), *other = edited(lines, "apiv3_key", "apiv3_key_file = api.key");
    struct channels *channels = NULL;
    struct fd_error err = {0};
    scratch_write("api.key", APIV3_KEY "\n", 0600);
    assert_int_equal(channels_load(merchant_file(other, NULL), &channels, &err), FD_OK);
    assert_string_equal(channels_get(channels, CHANNEL_WECHAT)->apiv3_key, APIV3_KEY);
    channels_free(&channels);
    scratch_write("api.key", APIV3_KEY "\n", 0640);
    check_refused(other, NULL, ":6: wechat.apiv3_key_file: ");
    free(other);
    free(lines);
}

/* ---- whose files ---- */

static enum fd_code load(const char *name, struct fd_error *err)
{
    struct channels *channels = NULL;
    *err = (struct fd_error){0};
    enum fd_code code = channels_load(scratch_path(name), &channels, err);
    channels_free(&channels);
    return code;
}

static void files_of_accounts_are_private(void **state)
{
    (void)state;
    struct fd_error err;
    char *lines = merchant_alipay_lines(NULL);
    merchant_file(NULL, lines);
    assert_int_equal(load("channels.conf", &err), FD_OK);
    static const mode_t open_modes[] = {0640, 0604, 0660, 0610, 0601};
    for (size_t i = 0; i < COUNT(open_modes); i++) {
        assert_int_equal(chmod(scratch_path("channels.conf"), open_modes[i]), 0);
        assert_int_equal(load("channels.conf", &err), FD_CONFIG);
        assert_non_null(strstr(err.hint, "chmod 600"));
    }
    assert_int_equal(chmod(scratch_path("channels.conf"), 0400), 0);
    assert_int_equal(load("channels.conf", &err), FD_OK);
    char *to = xstrdup(scratch_path("channels.conf"));
    assert_int_equal(symlink(to, scratch_path("link.conf")), 0);
    assert_int_equal(load("link.conf", &err), FD_CONFIG);
    assert_non_null(strstr(err.message, "symbolic link"));
    assert_int_equal(mkfifo(scratch_path("pipe.conf"), 0600), 0);
    assert_int_equal(load("pipe.conf", &err), FD_CONFIG);
    assert_int_equal(load("none.conf", &err), FD_CONFIG);
    assert_int_equal(load(".", &err), FD_CONFIG);
    free(to);
    free(lines);
}

static void key_files_are_as_private_as_their_content(void **state)
{
    (void)state;
    struct fd_error err;
    char *lines = merchant_alipay_lines(NULL);
    merchant_file(NULL, lines);
    assert_int_equal(chmod(scratch_path("own.pem"), 0644), 0);
    assert_int_equal(load("channels.conf", &err), FD_CONFIG);
    assert_non_null(strstr(err.message, ":4: alipay.key: "));
    assert_non_null(strstr(err.hint, "chmod 600"));
    assert_int_equal(chmod(scratch_path("own.pem"), 0600), 0);
    /* A public key may be read by all, but who writes it decides whom we believe. */
    assert_int_equal(load("channels.conf", &err), FD_OK);
    assert_int_equal(chmod(scratch_path("platform.pem"), 0664), 0);
    assert_int_equal(load("channels.conf", &err), FD_CONFIG);
    assert_int_equal(chmod(scratch_path("platform.pem"), 0644), 0);
    char *moved = xstrdup(scratch_path("moved.pem"));
    assert_int_equal(rename(scratch_path("own.pem"), moved), 0);
    assert_int_equal(symlink(moved, scratch_path("own.pem")), 0);
    assert_int_equal(load("channels.conf", &err), FD_CONFIG);
    free(moved);
    free(lines);
}

static void odd_bytes_and_long_lines_are_refused(void **state)
{
    (void)state;
    struct fd_error err;
    char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\0';
    char *text = xprintf("[alipay]\napp_id = %s\n", line);
    scratch_write("long.conf", text, 0600);
    assert_int_equal(load("long.conf", &err), FD_CONFIG);
    assert_non_null(strstr(err.message, ":2: the line is too long"));
    scratch_write("odd.conf", "[alipay]\napp_id = \033[31m\n", 0600);
    assert_int_equal(load("odd.conf", &err), FD_CONFIG);
    assert_non_null(strstr(err.message, ":2: alipay.app_id: this is not a valid value"));
    free(text);
}

/* ---- addresses ---- */

static void plain_http_stays_on_this_machine(void **state)
{
    (void)state;
    static const char *const good[] = {"https://api.mch.weixin.qq.com", "http://127.0.0.1:8080", "http://[::1]:1/x",
                                       "http://localhost:9", "https://10.0.0.1:444/a/b"};
    static const char *const bad[] = {"http://api.mch.weixin.qq.com",
                                      "http://127.0.0.1.example.com",
                                      "http://10.0.0.1",
                                      "http://localhost.example.com",
                                      "https://u@h.example.com",
                                      "file:///etc/passwd",
                                      "http://127.0.0.1@example.com",
                                      "gopher://127.0.0.1",
                                      "",
                                      "api.mch.weixin.qq.com",
                                      "//127.0.0.1",
                                      "https://"};
    for (size_t i = 0; i < COUNT(good); i++)
        assert_true(http_url_allowed(good[i]));
    for (size_t i = 0; i < COUNT(bad); i++)
        if (http_url_allowed(bad[i]))
            fail_msg("%s was allowed", bad[i]);
}

static int end(void **state)
{
    (void)state;
    merchant_end();
    return 0;
}

#define FILES(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_there_is_no_channel),
        FILES(a_good_file_makes_both_channels),
        cmocka_unit_test(channels_have_names),
        FILES(mistakes_of_wechat_are_told_by_line_and_key),
        FILES(mistakes_of_alipay_are_told_by_line_and_key),
        FILES(a_wechat_account_needs_no_alipay_and_no_certificate),
        FILES(the_apiv3_key_may_have_a_file_of_its_own),
        FILES(files_of_accounts_are_private),
        FILES(key_files_are_as_private_as_their_content),
        FILES(odd_bytes_and_long_lines_are_refused),
        cmocka_unit_test(plain_http_stays_on_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
