/* Notifications of the sandbox, the ledger over kill -9, and frontdesk's own client against both gates. */
#include "kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "outside/channel.h"

static struct mailbox mailbox;

static int start(void **state)
{
    (void)state;
    kit_start((const char *const[]){"--one-minute-rule", "off", NULL});
    mailbox_open(&mailbox);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    mailbox_close(&mailbox);
    kit_end();
    return 0;
}

static const char *paid_order(void)
{
    char code[128];
    const char *number = fresh("W");
    wechat_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", code);
    return number;
}

static void give_back(const char *number, const char *refund_number, int fen)
{
    expect_reply(
        wechat_post("/v3/refund/domestic/refunds",
                    "{\"out_trade_no\":\"%s\",\"out_refund_no\":\"%s\",\"notify_url\":\"http://127.0.0.1:%d/back\","
                    "\"amount\":{\"refund\":%d,\"total\":8000,\"currency\":\"CNY\"}}",
                    number, refund_number, mailbox.port, fen),
        200, "");
}

/* The next mail, which is genuine; its inside, new. */
static struct tree *take_mail(const char *event)
{
    char seen[64];
    struct mail mail = mailbox_take(&mailbox, 3000);
    assert_non_null(mail.body);
    struct tree *inside = mail_open(&mail, seen);
    assert_non_null(inside);
    assert_string_equal(seen, event);
    mail_free(&mail);
    return inside;
}

static void no_mail(int wait_ms)
{
    struct mail mail = mailbox_take(&mailbox, wait_ms);
    assert_null(mail.body);
}

static struct tree *last_notice(void)
{
    struct tree *list = sandbox_tell(&kit.sandbox, "notices");
    struct tree *last = tree_copy(tree_at(list, tree_count(list) - 1));
    tree_free(&list);
    return last;
}

/* Answering and writing down are not one moment. */
static void wait_for_state(const char *state, int64_t tries)
{
    for (int i = 0; i < 100; i++) {
        struct tree *last = last_notice();
        bool good = strcmp(tree_get_text(last, "state"), state) == 0 && tree_get_int(last, "tries") == tries;
        tree_free(&last);
        if (good)
            return;
        usleep(20000);
    }
    fail_msg("the last notification is not %s after %lld tries", state, (long long)tries);
}

static void a_payment_and_its_refund_are_told(void **state)
{
    const char *number = paid_order(), *back = fresh("R");
    (void)state;
    struct tree *told = take_mail("TRANSACTION.SUCCESS");
    expect_text(told, "out_trade_no", number);
    expect_text(told, "trade_state", "SUCCESS");
    expect_text(told, "mchid", kit_text("mchid"));
    assert_int_equal(tree_get_int(tree_get(told, "amount"), "total"), 8000);
    tree_free(&told);
    wait_for_state("taken", 1);
    give_back(number, back, 3000);
    told = take_mail("REFUND.SUCCESS");
    expect_text(told, "out_refund_no", back);
    expect_text(told, "refund_status", "SUCCESS");
    assert_null(tree_get_text(told, "status"));
    assert_int_equal(tree_get_int(tree_get(told, "amount"), "refund"), 3000);
    tree_free(&told);
    no_mail(400);
}

static void it_is_told_again_until_it_is_taken(void **state)
{
    static const int steps[] = {15, 15, 30, 180};
    (void)state;
    mailbox.answer = 500;
    paid_order();
    struct tree *told = take_mail("TRANSACTION.SUCCESS");
    tree_free(&told);
    for (size_t i = 0; i < COUNT(steps); i++) {
        wait_for_state("waits", (int64_t)i + 1);
        sandbox_do(&kit.sandbox, "clock +%d", steps[i] - 5);
        no_mail(400);
        mailbox.answer = i + 1 == COUNT(steps) ? 204 : 400;
        sandbox_do(&kit.sandbox, "clock +6");
        told = take_mail("TRANSACTION.SUCCESS");
        tree_free(&told);
    }
    wait_for_state("taken", 5);
    sandbox_do(&kit.sandbox, "clock +90000");
    no_mail(400);
    mailbox.answer = 200;
}

static void a_dead_address_ends_the_ladder(void **state)
{
    (void)state;
    sandbox_do(&kit.sandbox, "notify dead");
    paid_order();
    for (int i = 1; i <= 15; i++) {
        wait_for_state("waits", i);
        sandbox_do(&kit.sandbox, "clock +21601");
    }
    wait_for_state("given up", 16);
    sandbox_do(&kit.sandbox, "notify off");
    const char *number = paid_order();
    no_mail(500);
    sandbox_do(&kit.sandbox, "notify on");
    struct tree *told = take_mail("TRANSACTION.SUCCESS");
    expect_text(told, "out_trade_no", number);
    tree_free(&told);
}

static void it_comes_twice_late_and_in_the_wrong_order(void **state)
{
    const char *number, *back = fresh("R");
    char event[64], id[64];
    (void)state;
    sandbox_do(&kit.sandbox, "fault notice-twice");
    paid_order();
    for (int i = 0; i < 2; i++) {
        struct mail mail = mailbox_take(&mailbox, 3000);
        struct tree *outside = tree_parse(mail.body), *inside = mail_open(&mail, event);
        assert_non_null(inside);
        if (i)
            expect_text(outside, "id", id);
        cut_copy(id, sizeof id, tree_get_text(outside, "id"));
        tree_free(&inside);
        tree_free(&outside);
        mail_free(&mail);
    }
    sandbox_do(&kit.sandbox, "fault notice-late");
    paid_order();
    no_mail(400);
    sandbox_do(&kit.sandbox, "clock +601");
    struct tree *told = take_mail("TRANSACTION.SUCCESS");
    tree_free(&told);
    sandbox_do(&kit.sandbox, "fault notice-reorder");
    number = paid_order();
    no_mail(400);
    give_back(number, back, 8000);
    sandbox_do(&kit.sandbox, "refund-done %s", back);
    told = take_mail("REFUND.SUCCESS");
    tree_free(&told);
    told = take_mail("TRANSACTION.SUCCESS");
    expect_text(told, "out_trade_no", number);
    tree_free(&told);
}

static void a_forged_one_does_not_verify(void **state)
{
    char code[128], event[64];
    const char *number = fresh("W");
    (void)state;
    wechat_order(number, code);
    for (int i = 0; i < 6; i++) {
        sandbox_do(&kit.sandbox, "forge %s", number);
        struct mail mail = mailbox_take(&mailbox, 3000);
        assert_non_null(mail.body);
        assert_null(mail_open(&mail, event));
        mail_free(&mail);
    }
    sandbox_do(&kit.sandbox, "fault notice-forged");
    sandbox_do(&kit.sandbox, "fault notice-twice");
    sandbox_do(&kit.sandbox, "pay %s", code);
    struct mail mail = mailbox_take(&mailbox, 3000);
    assert_null(mail_open(&mail, event));
    mail_free(&mail);
    for (int i = 0; i < 2; i++) {
        struct tree *told = take_mail("TRANSACTION.SUCCESS");
        tree_free(&told);
    }
}

static void signed_with_either_kind_of_key(void **state)
{
    int seen[2] = {0};
    (void)state;
    sandbox_do(&kit.sandbox, "serial mixed");
    for (int i = 0; i < 20; i++) {
        char event[64];
        paid_order();
        struct mail mail = mailbox_take(&mailbox, 3000);
        struct tree *told = mail_open(&mail, event);
        assert_non_null(told);
        seen[strstr(mail.headers, "PUB_KEY_ID_") != NULL]++;
        tree_free(&told);
        mail_free(&mail);
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    sandbox_do(&kit.sandbox, "serial public");
}

/* The value of a field of a form, decoded where it is a plain one. */
static void form_value(const char *form, const char *name, char out[100])
{
    char *mark = xprintf("&%s=", name), *whole = xprintf("&%s", form);
    const char *at = strstr(whole, mark);
    fit_printf_at(out, 100, "%.*s", at ? (int)strcspn(at + strlen(mark), "&") : 0, at ? at + strlen(mark) : "");
    free(mark);
    free(whole);
}

static void expect_mail(const char *status, const char *refunded, const char *reply)
{
    char value[100];
    mailbox.body = reply;
    struct mail mail = mailbox_take(&mailbox, 3000);
    assert_non_null(mail.body);
    form_value(mail.body, "trade_status", value);
    assert_string_equal(value, status);
    form_value(mail.body, "refund_fee", value);
    assert_string_equal(value, refunded);
    mail_free(&mail);
    mailbox.body = "success";
}

/* Only the seven bytes of "success" end it; refunds are told as a state of the trade. */
static void alipay_tells_until_it_hears_success(void **state)
{
    char code[128];
    const char *number = fresh("A");
    (void)state;
    alipay_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", code);
    expect_mail("TRADE_SUCCESS", "", "success!");
    wait_for_state("waits", 1);
    sandbox_do(&kit.sandbox, "clock +235");
    no_mail(400);
    sandbox_do(&kit.sandbox, "clock +6");
    expect_mail("TRADE_SUCCESS", "", "success");
    wait_for_state("taken", 2);
    static const char *const sums[][2] = {{"30.00", "TRADE_SUCCESS"}, {"50.00", "TRADE_CLOSED"}};
    for (size_t i = 0; i < COUNT(sums); i++) {
        expect_reply(alipay("alipay.trade.refund",
                            "{\"out_trade_no\":\"%s\",\"refund_amount\":\"%s\",\"out_request_no\":\"Q%zu\"}", number,
                            sums[i][0], i),
                     200, "10000");
        expect_mail(sums[i][1], i ? "80.00" : "30.00", "success");
    }
}

/* ---- frontdesk's own client ---- */

static struct channels *channels;

static struct channel *client_of(const char *file, enum channel_id id)
{
    struct fd_error err = {0};
    channels_free(&channels);
    if (channels_load(file, &channels, &err) != FD_OK)
        fail_msg("%s", err.message);
    struct channel *channel = channels_get(channels, id);
    assert_non_null(channel);
    return channel;
}

static struct channel *client(enum channel_id id)
{
    return client_of(kit.sandbox.channels, id);
}

#define expect_outcome(call, wanted)                                                                                   \
    do {                                                                                                               \
        enum channel_outcome got = (call);                                                                             \
        if (got != (wanted))                                                                                           \
            fail_msg("%s: %d instead of %d: %s %s", #call, got, wanted, trouble.code, trouble.message);                \
    } while (0)

static void order_and_refund_by_client(struct channel *channel, enum channel_id id)
{
    struct channel_trouble trouble = {0};
    struct channel_trade trade = {0};
    struct channel_backed backed = {0};
    char code[CHANNEL_CODE_BYTES];
    const char *number = fresh("C"), *back_number = fresh("B");
    /* The sandbox's clock was put forward by other tests. */
    struct channel_order order = {number, 8000, "羽毛球 5号场", 0};
    struct tree *clock = sandbox_tell(&kit.sandbox, "clock");
    assert_true(wall_from_sql(tree_get_text(clock, "now"), &order.until));
    tree_free(&clock);
    order.until += 1800;
    expect_outcome(channel_query(channel, number, &trade, &trouble), CHANNEL_NOT_FOUND);
    expect_outcome(channel_create(channel, &order, code, &trouble), CHANNEL_DONE);
    sandbox_do(&kit.sandbox, "scan %s", code);
    expect_outcome(channel_query(channel, number, &trade, &trouble), CHANNEL_DONE);
    assert_int_equal(trade.state, TRADE_WAITING);
    channel_trade_release(&trade);
    sandbox_do(&kit.sandbox, "pay %s", code);
    expect_outcome(channel_query(channel, number, &trade, &trouble), CHANNEL_DONE);
    assert_int_equal(trade.state, TRADE_PAID);
    assert_int_equal(trade.amount_fen, 8000);
    channel_trade_release(&trade);
    expect_outcome(channel_close(channel, number, &trouble), CHANNEL_REFUSED);
    const struct channel_back back = {number, back_number, 3000, 8000, "客人改时间"};
    expect_outcome(channel_refund_query(channel, &back, &backed, &trouble), CHANNEL_NOT_FOUND);
    expect_outcome(channel_refund(channel, &back, &backed, &trouble), CHANNEL_DONE);
    if (id == CHANNEL_WECHAT)
        sandbox_do(&kit.sandbox, "refund-done %s", back_number);
    expect_outcome(channel_refund_query(channel, &back, &backed, &trouble), CHANNEL_DONE);
    assert_int_equal(backed.state, BACK_SUCCESS);
    assert_int_equal(backed.refund_fen, 3000);
    static const char *const faults[] = {"500-before", "429",  "404-empty", "sign",     "unsigned",
                                         "flip",       "lost", "gzip",      "500-after"};
    for (size_t i = 0; i < COUNT(faults); i++) {
        sandbox_do(&kit.sandbox, "fault %s", faults[i]);
        enum channel_outcome outcome = channel_query(channel, number, &trade, &trouble);
        if (outcome != CHANNEL_UNKNOWN)
            fail_msg("%s: %d %s", faults[i], outcome, trouble.code);
        channel_trade_release(&trade);
    }
    expect_outcome(channel_query(channel, number, &trade, &trouble), CHANNEL_DONE);
    channel_trade_release(&trade);
}

static void the_client_understands_both(void **state)
{
    (void)state;
    sandbox_do(&kit.sandbox, "notify off");
    sandbox_do(&kit.sandbox, "auto-refund off");
    order_and_refund_by_client(client(CHANNEL_WECHAT), CHANNEL_WECHAT);
    order_and_refund_by_client(client(CHANNEL_ALIPAY), CHANNEL_ALIPAY);
    channels_free(&channels);
}

/* A merchant who has no public key of the platform: certificates, fetched. */
static void the_client_fetches_certificates(void **state)
{
    (void)state;
    char *text = file_text(kit.sandbox.channels), *mine = xprintf("%s/mine.conf", kit.sandbox.folder);
    FILE *file = fopen(mine, "we");
    char *place = NULL;
    for (char *line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
        if (strcmp(line, "[alipay]") == 0)
            break;
        if (strncmp(line, "public_key", 10) != 0)
            fprintf(file, "%s\n", line);
    }
    fclose(file);
    chmod(mine, 0600);
    sandbox_do(&kit.sandbox, "serial certificate");
    order_and_refund_by_client(client_of(mine, CHANNEL_WECHAT), CHANNEL_WECHAT);
    sandbox_do(&kit.sandbox, "serial public");
    channels_free(&channels);
    free(text);
    free(mine);
}

static void the_client_understands_what_is_told(void **state)
{
    struct channel_notice notice = {0};
    char code[128];
    const char *number = fresh("A");
    (void)state;
    struct channel *wechat_client = client(CHANNEL_WECHAT);
    sandbox_do(&kit.sandbox, "notify off");
    alipay_order(number, code);
    sandbox_do(&kit.sandbox, "pay %s", number);
    const char *other = paid_order();
    sandbox_do(&kit.sandbox, "notify on");
    for (int seen = 0; seen != 3;) {
        struct mail mail = mailbox_take(&mailbox, 3000);
        assert_non_null(mail.body);
        struct buf lines = {0};
        for (const char *at = mail.headers; *at; at++)
            if (*at != '\r')
                buf_add_bytes(&lines, at, 1);
        buf_add(&lines, "\n");
        const struct channel_message message = {buf_text(&lines), mail.body, strlen(mail.body)};
        bool json = mail.body[0] == '{';
        enum notice_verdict verdict = channel_notice_read(json ? wechat_client : channels_get(channels, CHANNEL_ALIPAY),
                                                          &message, time(NULL), &notice);
        bool ours = strcmp(notice.out_trade_no, json ? other : number) == 0;
        /* Older ones that waited come first. */
        if (ours && verdict != NOTICE_PAYMENT)
            fail_msg("%d: %s", verdict, notice.trouble);
        if (ours)
            assert_int_equal(notice.trade.amount_fen, 8000);
        seen |= ours ? 1 << json : 0;
        channel_notice_release(&notice);
        buf_release(&lines);
        mail_free(&mail);
    }
    channels_free(&channels);
}

/* ---- the ledger ---- */

static void kill_and_start(void)
{
    char *folder = xstrdup(kit.sandbox.folder);
    sandbox_kill(&kit.sandbox);
    sandbox_start(&kit.sandbox, folder, NULL);
    free(folder);
}

static void a_kill_loses_nothing(void **state)
{
    char code[128];
    const char *waiting = fresh("W"), *back = fresh("R"), *number;
    (void)state;
    sandbox_do(&kit.sandbox, "notify off");
    number = paid_order();
    give_back(number, back, 1234);
    wechat_order(waiting, code);
    struct tree *before = sandbox_tell(&kit.sandbox, "ledger");
    int port = kit.sandbox.port;
    kill_and_start();
    assert_int_equal(kit.sandbox.port, port);
    struct tree *after = sandbox_tell(&kit.sandbox, "ledger");
    static const char *const parts[] = {"trades", "refunds", "notices", "sums"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        char *a = tree_dump(tree_get(before, parts[i])), *b = tree_dump(tree_get(after, parts[i]));
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    tree_free(&before);
    tree_free(&after);
    sandbox_do(&kit.sandbox, "pay %s", code);
    struct reply reply = wechat_get("/v3/refund/domestic/refunds/%s", back);
    assert_int_equal(tree_get_int(tree_get(reply.tree, "amount"), "refund"), 1234);
    reply_free(&reply);
}

/* The line that was being written when the power went: nobody was answered, and the next one must not stick to it. */
static void half_a_line_is_cut_off(void **state)
{
    (void)state;
    char *path = xprintf("%s/ledger", kit.sandbox.folder);
    const char *number = paid_order();
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, "[{\"trade\":{\"gate\":0,\"num", 24), 24);
    close(fd);
    kill_and_start();
    const char *second = paid_order();
    kill_and_start();
    sandbox_do(&kit.sandbox, "clock");
    struct tree *ledger = sandbox_tell(&kit.sandbox, "ledger");
    const struct tree *trades = tree_get(ledger, "trades");
    size_t count = tree_count(trades);
    expect_text(tree_at(trades, count - 2), "number", number);
    expect_text(tree_at(trades, count - 1), "number", second);
    tree_free(&ledger);
    free(path);
}

static void one_serves_a_folder(void **state)
{
    (void)state;
    int status;
    struct tree *answer = sandbox_try(&kit.sandbox, &status, "serve");
    assert_int_equal(status, 1);
    expect_text(answer, "error", "exists");
    tree_free(&answer);
    answer = sandbox_try(&kit.sandbox, &status, "start");
    assert_int_equal(status, 0);
    tree_free(&answer);
    answer = sandbox_try(&kit.sandbox, &status, "nonsense");
    assert_int_equal(status, 2);
    tree_free(&answer);
    answer = sandbox_try(&kit.sandbox, &status, "fault nonsense");
    assert_int_equal(status, 2);
    tree_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payment_and_its_refund_are_told),
        cmocka_unit_test(it_comes_twice_late_and_in_the_wrong_order),
        cmocka_unit_test(a_forged_one_does_not_verify),
        cmocka_unit_test(signed_with_either_kind_of_key),
        cmocka_unit_test(alipay_tells_until_it_hears_success),
        cmocka_unit_test(the_client_understands_both),
        cmocka_unit_test(the_client_fetches_certificates),
        cmocka_unit_test(the_client_understands_what_is_told),
        cmocka_unit_test(it_is_told_again_until_it_is_taken),
        cmocka_unit_test(a_dead_address_ends_the_ladder),
        cmocka_unit_test(a_kill_loses_nothing),
        cmocka_unit_test(half_a_line_is_cut_off),
        cmocka_unit_test(one_serves_a_folder),
    };
    return cmocka_run_group_tests_name("sandbox: notifications, ledger, client", tests, start, stop);
}
