/* Both channels as frontdesk calls them, against the sandbox over real HTTP: the whole way of an order and of a refund,
 * and every class of trouble. */
#include "sandbox/kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/money.h"
#include "base/when.h"
#include "outside/channel_internal.h"

#define PRICE_FEN 8000

static struct channels *channels;
static struct channel_trouble trouble;
static struct mailbox mailbox;

static void load(const char *path)
{
    struct fd_error err = {0};
    channels_free(&channels);
    if (channels_load(path, &channels, &err) != FD_OK)
        fail_msg("%s", err.message);
}

static int start(void **state)
{
    (void)state;
    mailbox_open(&mailbox);
    char *url = xprintf("http://127.0.0.1:%d", mailbox.port);
    kit_start((const char *const[]){"--auto-refund", "off", "--one-minute-rule", "off", "--notify", url, NULL});
    load(kit.sandbox.channels);
    free(url);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    channels_free(&channels);
    kit_end();
    mailbox_close(&mailbox);
    return 0;
}

/* Each test leaves the sandbox and the accounts as they were. */
static int reset(void **state)
{
    (void)state;
    sandbox_do(&kit.sandbox, "fault off");
    sandbox_do(&kit.sandbox, "serial public");
    load(kit.sandbox.channels);
    return 0;
}

static struct channel *channel_of(int id)
{
    return channels_get(channels, (enum channel_id)id);
}

static wall_t wall_now(void)
{
    return time(NULL) + 8 * 3600;
}

static struct channel_order order_of(const char *number)
{
    return (struct channel_order){.out_trade_no = number,
                                  .amount_fen = PRICE_FEN,
                                  .subject = "羽毛球 1 号场🏸 a/b=c&d",
                                  .until = wall_now() + 900};
}

static void expect(enum channel_outcome outcome, enum channel_outcome wanted)
{
    if (outcome != wanted)
        fail_msg("outcome %d, not %d: %ld %s %s", outcome, wanted, trouble.http, trouble.code, trouble.message);
    assert_true(wanted == CHANNEL_DONE || trouble.message[0]);
}

static const char *created(struct channel *channel, char code[CHANNEL_CODE_BYTES])
{
    const char *number = fresh("20261130PY");
    struct channel_order order = order_of(number);
    expect(channel_create(channel, &order, code, &trouble), CHANNEL_DONE);
    return number;
}

static const char *paid(struct channel *channel)
{
    char code[CHANNEL_CODE_BYTES];
    const char *number = created(channel, code);
    sandbox_do(&kit.sandbox, "pay %s --payer anna", number);
    return number;
}

static struct channel_trade asked(struct channel *channel, const char *number)
{
    struct channel_trade trade;
    expect(channel_query(channel, number, &trade, &trouble), CHANNEL_DONE);
    assert_non_null(trade.raw);
    assert_non_null(strstr(trade.raw, number));
    channel_trade_release(&trade);
    return trade;
}

static struct channel_back back_of(const char *number, const char *refund_number, int64_t fen)
{
    return (struct channel_back){.out_trade_no = number,
                                 .out_refund_no = refund_number,
                                 .refund_fen = fen,
                                 .total_fen = PRICE_FEN,
                                 .reason = "下雨🌧"};
}

/* How often money of that trade moved back, and how much: the sandbox's own books. */
static int64_t refunded_at_the_channel(const char *number, size_t *count)
{
    struct tree *ledger = sandbox_tell(&kit.sandbox, "ledger");
    const struct tree *refunds = tree_get(ledger, "refunds");
    int64_t sum = 0;
    *count = 0;
    for (size_t i = 0; i < tree_count(refunds); i++) {
        const struct tree *row = tree_at(refunds, i);
        const char *trade = tree_get_text(row, "trade");
        if (!trade || strcmp(trade, number) != 0)
            continue;
        sum += tree_get_int(row, "amount_fen");
        ++*count;
    }
    tree_free(&ledger);
    return sum;
}

/* ---- the way of an order ---- */

static void an_order_is_made_scanned_paid_and_closed_no_more(void **state)
{
    (void)state;
    static const char *const begins[CHANNEL_COUNT] = {"weixin://wxpay/", "https://qr.alipay.com/"};
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel *channel = channel_of(id);
        struct channel_trade trade;
        char code[CHANNEL_CODE_BYTES];
        const char *number = created(channel, code);
        assert_int_equal(strncmp(code, begins[id], strlen(begins[id])), 0);
        /* At Alipay there is no trade until somebody scans. */
        expect(channel_query(channel, number, &trade, &trouble),
               id == CHANNEL_ALIPAY ? CHANNEL_NOT_FOUND : CHANNEL_DONE);
        channel_trade_release(&trade);
        sandbox_do(&kit.sandbox, "scan %s --payer anna", code);
        trade = asked(channel, number);
        assert_int_equal(trade.state, TRADE_WAITING);
        sandbox_do(&kit.sandbox, "pay %s --payer anna", code);
        trade = asked(channel, number);
        assert_int_equal(trade.state, TRADE_PAID);
        assert_int_equal(trade.amount_fen, PRICE_FEN);
        assert_true(trade.trade_no[0] && !trade.finished && !trade.refunded);
        assert_true(llabs(trade.paid_at - wall_now()) < 60);
        expect(channel_close(channel, number, &trouble), CHANNEL_REFUSED);
        assert_true(trouble.code[0] && trouble.http);
    }
}

static void an_unpaid_order_is_closed(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel *channel = channel_of(id);
        char code[CHANNEL_CODE_BYTES];
        const char *number = created(channel, code);
        if (id == CHANNEL_ALIPAY) {
            expect(channel_close(channel, number, &trouble), CHANNEL_NOT_FOUND);
            sandbox_do(&kit.sandbox, "scan %s", code);
        }
        expect(channel_close(channel, number, &trouble), CHANNEL_DONE);
        assert_int_equal(asked(channel, number).state, TRADE_CLOSED);
        struct channel_order order = order_of(number);
        expect(channel_create(channel, &order, code, &trouble), CHANNEL_REFUSED);
    }
}

static void the_same_order_again_is_a_fresh_code_and_another_amount_is_refused(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        char first[CHANNEL_CODE_BYTES], second[CHANNEL_CODE_BYTES];
        const char *number = fresh("20261130PY");
        struct channel_order order = order_of(number);
        expect(channel_create(channel_of(id), &order, first, &trouble), CHANNEL_DONE);
        expect(channel_create(channel_of(id), &order, second, &trouble), CHANNEL_DONE);
        if (id == CHANNEL_ALIPAY)
            sandbox_do(&kit.sandbox, "scan %s", second);
        order.amount_fen++;
        expect(channel_create(channel_of(id), &order, second, &trouble), CHANNEL_REFUSED);
        assert_string_equal(second, "");
    }
}

static void what_the_channel_has_not_is_not_found(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel_trade trade;
        struct channel_backed backed;
        expect(channel_query(channel_of(id), "20261130PYNONE", &trade, &trouble), CHANNEL_NOT_FOUND);
        assert_null(trade.raw);
        expect(channel_close(channel_of(id), "20261130PYNONE", &trouble), CHANNEL_NOT_FOUND);
        struct channel_back back = back_of("20261130PYNONE", "20261130RFNONE", 100);
        expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_NOT_FOUND);
        const char *number = paid(channel_of(id));
        back.out_trade_no = number;
        expect(channel_refund_query(channel_of(id), &back, &backed, &trouble), CHANNEL_NOT_FOUND);
        /* Numbers that no channel takes are not sent at all. */
        expect(channel_query(channel_of(id), "a b", &trade, &trouble), CHANNEL_REFUSED);
        expect(channel_close(channel_of(id), "../x", &trouble), CHANNEL_REFUSED);
        expect(channel_query(channel_of(id), "", &trade, &trouble), CHANNEL_REFUSED);
        assert_int_equal(trouble.http, 0);
    }
}

/* ---- refunds ---- */

static void parts_of_a_payment_go_back(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel *channel = channel_of(id);
        struct channel_backed backed, again;
        const char *number = paid(channel), *refund_number = fresh("20261130RF");
        struct channel_back back = back_of(number, refund_number, 2000);
        size_t count;
        expect(channel_refund(channel, &back, &backed, &trouble), CHANNEL_DONE);
        assert_int_equal(backed.state, id == CHANNEL_WECHAT ? BACK_PROCESSING : BACK_SUCCESS);
        assert_int_equal(backed.refund_fen, 2000);
        assert_true(backed.refund_no[0]);
        /* The same again is the same. */
        expect(channel_refund(channel, &back, &again, &trouble), CHANNEL_DONE);
        assert_string_equal(again.refund_no, backed.refund_no);
        if (id == CHANNEL_WECHAT)
            sandbox_do(&kit.sandbox, "refund-done %s success", refund_number);
        expect(channel_refund_query(channel, &back, &again, &trouble), CHANNEL_DONE);
        assert_int_equal(again.state, BACK_SUCCESS);
        assert_int_equal(again.refund_fen, 2000);
        assert_int_equal(refunded_at_the_channel(number, &count), 2000);
        assert_int_equal(count, 1);
        /* Another amount under that number, and more than was paid. */
        back.refund_fen = 2001;
        expect(channel_refund(channel, &back, &again, &trouble), CHANNEL_REFUSED);
        back = back_of(number, fresh("20261130RF"), 6001);
        expect(channel_refund(channel, &back, &again, &trouble), CHANNEL_REFUSED);
        back.refund_fen = 6000;
        expect(channel_refund(channel, &back, &again, &trouble), CHANNEL_DONE);
        struct channel_trade trade = asked(channel, number);
        assert_int_equal(trade.state, id == CHANNEL_WECHAT ? TRADE_PAID : TRADE_CLOSED);
        assert_int_equal(trade.amount_fen, PRICE_FEN);
    }
}

static void a_refund_at_wechat_ends_in_three_ways(void **state)
{
    (void)state;
    static const struct {
        const char *how;
        enum back_state state;
    } rows[] = {{"success", BACK_SUCCESS}, {"closed", BACK_CLOSED}, {"abnormal", BACK_ABNORMAL}};
    struct channel *channel = channel_of(CHANNEL_WECHAT);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct channel_backed backed;
        struct channel_back back = back_of(paid(channel), fresh("20261130RF"), PRICE_FEN);
        expect(channel_refund(channel, &back, &backed, &trouble), CHANNEL_DONE);
        assert_int_equal(backed.state, BACK_PROCESSING);
        sandbox_do(&kit.sandbox, "refund-done %s %s", back.out_refund_no, rows[i].how);
        expect(channel_refund_query(channel, &back, &backed, &trouble), CHANNEL_DONE);
        assert_int_equal(backed.state, rows[i].state);
    }
    struct channel_trade trade = asked(channel, paid(channel));
    assert_false(trade.refunded);
}

static void a_refund_that_is_not_certain_is_asked_for(void **state)
{
    (void)state;
    struct channel *channel = channel_of(CHANNEL_ALIPAY);
    struct channel_backed backed;
    struct channel_back back = back_of(paid(channel), fresh("20261130RF"), 2000);
    sandbox_do(&kit.sandbox, "fault fund-change-n 1");
    expect(channel_refund(channel, &back, &backed, &trouble), CHANNEL_DONE);
    assert_int_equal(backed.state, BACK_PROCESSING);
    /* Not made yet: the same again, and it is. */
    enum channel_outcome outcome = channel_refund_query(channel, &back, &backed, &trouble);
    assert_true(outcome == CHANNEL_NOT_FOUND || outcome == CHANNEL_DONE);
    sandbox_do(&kit.sandbox, "fault off");
    sandbox_do(&kit.sandbox, "refund-done %s success", back.out_refund_no);
    expect(channel_refund_query(channel, &back, &backed, &trouble), CHANNEL_DONE);
    assert_int_equal(backed.state, BACK_SUCCESS);
}

static void an_empty_balance_is_told_with_what_to_do(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel_backed backed;
        struct channel_back back = back_of(paid(channel_of(id)), fresh("20261130RF"), 2000);
        size_t count;
        sandbox_do(&kit.sandbox, "fault balance 1");
        expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_REFUSED);
        assert_non_null(strstr(trouble.code, "NOT_ENOUGH"));
        assert_string_not_equal(trouble.hint, "");
        assert_int_equal(refunded_at_the_channel(back.out_trade_no, &count), 0);
        expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_DONE);
    }
}

/* ---- troubles ---- */

#define BOTH(outcome)                                                                                                  \
    {                                                                                                                  \
        outcome, outcome                                                                                               \
    }
static const struct trouble_row {
    const char *fault;
    enum channel_outcome outcome[CHANNEL_COUNT];
    bool done; /* the channel did it all the same */
} troubles[] = {
    {"500-before", BOTH(CHANNEL_UNKNOWN), false},
    {"503", BOTH(CHANNEL_UNKNOWN), false},
    {"429", BOTH(CHANNEL_UNKNOWN), false},
    {"404-empty", BOTH(CHANNEL_UNKNOWN), false},
    {"500-after", BOTH(CHANNEL_UNKNOWN), true},
    {"202", BOTH(CHANNEL_UNKNOWN), true},
    {"sign", BOTH(CHANNEL_UNKNOWN), true},
    {"unsigned", BOTH(CHANNEL_UNKNOWN), true},
    {"serial", BOTH(CHANNEL_UNKNOWN), true},
    {"stale", BOTH(CHANNEL_UNKNOWN), true},
    {"flip", BOTH(CHANNEL_UNKNOWN), true},
    {"signtest", BOTH(CHANNEL_UNKNOWN), true},
    {"lost", BOTH(CHANNEL_UNKNOWN), true},
    {"gzip", BOTH(CHANNEL_UNKNOWN), true},
    {"silent --ms 1500", BOTH(CHANNEL_UNKNOWN), true},
    {"escape", BOTH(CHANNEL_DONE), true},
    {"slow --ms 200", BOTH(CHANNEL_DONE), true},
};

static void order_fault(const struct trouble_row *row, int id)
{
    /* Nobody waits longer than for what is meant to be slow. */
    channel_limits(channel_of(id), 0, strncmp(row->fault, "silent", 6) ? 0 : 400);
    char name[64];
    const char *more = strchr(row->fault, ' ');
    fit_printf(name, "%.*s", (int)strcspn(row->fault, " "), row->fault);
    sandbox_do(&kit.sandbox, "fault %s 1%s", name, more ? more : "");
}

static void expect_after(const struct trouble_row *row, int id, enum channel_outcome outcome, const char *what)
{
    if (outcome != row->outcome[id])
        fail_msg("%s under %s at %s: outcome %d: %ld %s %s", what, row->fault, channel_name((enum channel_id)id),
                 outcome, trouble.http, trouble.code, trouble.message);
    sandbox_do(&kit.sandbox, "fault off");
    channel_limits(channel_of(id), 0, 0);
}

static void a_code_that_is_not_certain_is_asked_for_again(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++)
        for (size_t i = 0; i < COUNT(troubles); i++) {
            struct channel *channel = channel_of(id);
            char code[CHANNEL_CODE_BYTES];
            struct channel_order order = order_of(fresh("20261130PY"));
            order_fault(&troubles[i], id);
            enum channel_outcome outcome = channel_create(channel, &order, code, &trouble);
            expect_after(&troubles[i], id, outcome, "create");
            assert_int_equal(!code[0], outcome != CHANNEL_DONE);
            expect(channel_create(channel, &order, code, &trouble), CHANNEL_DONE);
            sandbox_do(&kit.sandbox, "pay %s", code);
            assert_int_equal(asked(channel, order.out_trade_no).state, TRADE_PAID);
        }
}

static void a_query_believes_nothing_that_is_not_certain(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        const char *number = paid(channel_of(id));
        for (size_t i = 0; i < COUNT(troubles); i++) {
            struct channel_trade trade;
            order_fault(&troubles[i], id);
            enum channel_outcome outcome = channel_query(channel_of(id), number, &trade, &trouble);
            assert_int_equal(!trade.raw, outcome != CHANNEL_DONE);
            channel_trade_release(&trade);
            expect_after(&troubles[i], id, outcome, "query");
        }
    }
}

static void a_close_that_is_not_certain_is_repeated(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++)
        for (size_t i = 0; i < COUNT(troubles); i++) {
            char code[CHANNEL_CODE_BYTES];
            const char *number = created(channel_of(id), code);
            sandbox_do(&kit.sandbox, "scan %s", code);
            /* An empty answer has no byte to change or to escape, and gzip nothing to break off from. */
            bool empty =
                id == CHANNEL_WECHAT && (!strcmp(troubles[i].fault, "flip") || !strcmp(troubles[i].fault, "gzip"));
            order_fault(&troubles[i], id);
            enum channel_outcome outcome = channel_close(channel_of(id), number, &trouble);
            if (!empty)
                expect_after(&troubles[i], id, outcome, "close");
            sandbox_do(&kit.sandbox, "fault off");
            outcome = channel_close(channel_of(id), number, &trouble);
            assert_true(outcome == CHANNEL_DONE || outcome == CHANNEL_REFUSED);
            assert_int_equal(asked(channel_of(id), number).state, TRADE_CLOSED);
        }
}

static void a_refund_that_is_not_certain_moves_money_once(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++)
        for (size_t i = 0; i < COUNT(troubles); i++) {
            struct channel_backed backed;
            struct channel_back back = back_of(paid(channel_of(id)), fresh("20261130RF"), 2000);
            size_t count;
            order_fault(&troubles[i], id);
            enum channel_outcome outcome = channel_refund(channel_of(id), &back, &backed, &trouble);
            expect_after(&troubles[i], id, outcome, "refund");
            outcome = channel_refund_query(channel_of(id), &back, &backed, &trouble);
            assert_int_equal(outcome, troubles[i].done ? CHANNEL_DONE : CHANNEL_NOT_FOUND);
            expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_DONE);
            assert_int_equal(refunded_at_the_channel(back.out_trade_no, &count), 2000);
            assert_int_equal(count, 1);
        }
}

static void answers_that_do_not_fit_the_question_are_unknown(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel_trade trade;
        struct channel_backed backed;
        const char *number = paid(channel_of(id));
        sandbox_do(&kit.sandbox, "fault merchant 1");
        expect(channel_query(channel_of(id), number, &trade, &trouble), CHANNEL_UNKNOWN);
        assert_null(trade.raw);
        sandbox_do(&kit.sandbox, "fault off");
        /* The amount of a trade is what was asked for: comparing is the caller's. */
        sandbox_do(&kit.sandbox, "fault amount 1");
        assert_int_equal(asked(channel_of(id), number).amount_fen, PRICE_FEN + 1);
        struct channel_back back = back_of(number, fresh("20261130RF"), 2000);
        expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_DONE);
        sandbox_do(&kit.sandbox, "fault amount 1 --at refund-query");
        expect(channel_refund_query(channel_of(id), &back, &backed, &trouble), CHANNEL_UNKNOWN);
    }
}

/* ---- keys ---- */

/* channels.conf with the line that begins with `key` replaced; "" takes it away. */
static void load_with(const char *key, const char *line)
{
    char *text = file_text(kit.sandbox.channels), *at = strstr(text, key);
    assert_non_null(at);
    char *path = xprintf("%s/changed.conf", kit.sandbox.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, line, at + strcspn(at, "\n") + 1);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
    load(path);
    free(path);
    free(text);
}

static enum channel_outcome ask(int id)
{
    struct channel_trade trade;
    enum channel_outcome outcome = channel_query(channel_of(id), "20261130PYNONE", &trade, &trouble);
    channel_trade_release(&trade);
    return outcome;
}

static void wrong_accounts_are_the_configurations_fault(void **state)
{
    (void)state;
    static const struct {
        int id;
        const char *key, *line;
        enum channel_outcome outcome;
    } rows[] = {
        {CHANNEL_WECHAT, "key = ", "key = alipay-app.key\n", CHANNEL_CONFIG},
        {CHANNEL_WECHAT, "mchid", "mchid = 1900000000\n", CHANNEL_CONFIG},
        {CHANNEL_WECHAT, "serial", "serial = 00\n", CHANNEL_CONFIG},
        {CHANNEL_WECHAT, "public_key = ", "public_key = alipay-platform.pub\n", CHANNEL_UNKNOWN},
        {CHANNEL_WECHAT, "public_key_id", "public_key_id = PUB_KEY_ID_1\n", CHANNEL_UNKNOWN},
        {CHANNEL_ALIPAY, "key = alipay-app", "key = wechat-merchant.key\n", CHANNEL_CONFIG},
        {CHANNEL_ALIPAY, "app_id", "app_id = 1\n", CHANNEL_CONFIG},
        {CHANNEL_ALIPAY, "public_key = alipay", "public_key = wechat-platform.pub\n", CHANNEL_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fd_error err = {0};
        char line[200];
        load_with(rows[i].key, rows[i].line);
        expect(ask(rows[i].id), rows[i].outcome);
        assert_string_not_equal(trouble.hint, "");
        assert_int_equal(channel_check(channel_of(rows[i].id), line, sizeof line, &err), FD_CONFIG);
        assert_string_not_equal(err.hint, "");
    }
}

static void good_accounts_pass_the_check(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct fd_error err = {0};
        char line[200] = "";
        if (channel_check(channel_of(id), line, sizeof line, &err) != FD_OK)
            fail_msg("%s", err.message);
        assert_int_equal(strncmp(line, channel_name((enum channel_id)id), 6), 0);
    }
}

/* Up to five minutes everything works; the check names what is off all the same. */
static void the_check_tells_whose_clock_is_off(void **state)
{
    (void)state;
    struct fd_error err = {0};
    struct channel *wechat = channel_of(CHANNEL_WECHAT);
    char line[400] = "";
    int64_t skew_s = 0;
    assert_false(channel_skew(wechat, &skew_s));
    assert_int_equal(channel_check(wechat, line, sizeof line, &err), FD_OK);
    assert_non_null(strstr(line, " s)."));
    sandbox_do(&kit.sandbox, "skew -200");
    assert_int_equal(channel_check(wechat, line, sizeof line, &err), FD_OK);
    assert_true(channel_skew(wechat, &skew_s) && skew_s <= -198 && skew_s >= -202);
    assert_non_null(strstr(line, "fast"));
    sandbox_do(&kit.sandbox, "skew 310");
    assert_int_equal(channel_check(wechat, line, sizeof line, &err), FD_CONFIG);
    assert_non_null(strstr(err.hint, "slow"));
    assert_true(channel_skew(wechat, &skew_s) && skew_s >= 308 && skew_s <= 312);
    sandbox_do(&kit.sandbox, "skew 0");
    assert_int_equal(channel_check(wechat, line, sizeof line, &err), FD_OK);
}

/* What is over by the channel's clock it calls a wrong parameter: the hint says whose. */
static void a_time_that_is_over_there_is_said_to_be_the_clocks(void **state)
{
    (void)state;
    char text[CHANNEL_CODE_BYTES];
    const struct channel_order order = {"20261130PYSKEW0001", 100, "skew", time(NULL) + 8 * 3600 + 120};
    sandbox_do(&kit.sandbox, "skew 180");
    assert_int_equal(channel_create(channel_of(CHANNEL_WECHAT), &order, text, &trouble), CHANNEL_REFUSED);
    sandbox_do(&kit.sandbox, "skew 0");
    assert_string_equal(trouble.code, "PARAM_ERROR");
    assert_non_null(strstr(trouble.hint, "slow"));
}

static void who_cannot_be_reached_is_unknown_at_once(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct fd_error err = {0};
        char line[200];
        int64_t began = mono_ms();
        free(channel_of(id)->base);
        channel_of(id)->base = xstrdup("http://127.0.0.1:1");
        expect(ask(id), CHANNEL_UNKNOWN);
        assert_int_equal(trouble.http, 0);
        assert_int_equal(channel_check(channel_of(id), line, sizeof line, &err), FD_IO);
        assert_true(mono_ms() - began < 4500);
    }
}

/* ---- the platform's certificates ---- */

/* The account as of a merchant who has no public key of WeChat Pay's; `line` may name certificates. */
static void serve_certificates(const char *line)
{
    sandbox_do(&kit.sandbox, "serial certificate");
    char *text = file_text(kit.sandbox.channels), *path = xprintf("%s/certified.conf", kit.sandbox.folder);
    char *own = strstr(text, "public_key_id"), *alipay = strstr(text, "notify_url");
    assert_true(own && alipay);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(own - text), text, line, alipay);
    fclose(file);
    assert_int_equal(chmod(path, 0600), 0);
    load(path);
    free(path);
    free(text);
}

static void certificates_are_fetched_where_none_is_there(void **state)
{
    (void)state;
    serve_certificates("");
    struct channel *channel = channel_of(CHANNEL_WECHAT);
    assert_int_equal(channel->platform_count, 0);
    char code[CHANNEL_CODE_BYTES];
    const char *number = created(channel, code);
    assert_int_equal(channel->platform_count, 1);
    assert_int_equal(asked(channel, number).state, TRADE_WAITING);
    /* Who only listens fetches too. */
    serve_certificates("");
    channel = channel_of(CHANNEL_WECHAT);
    channel_refresh(channel);
    assert_int_equal(channel->platform_count, 1);
    channel_refresh(channel_of(CHANNEL_ALIPAY));
}

static void a_new_certificate_is_fetched_once(void **state)
{
    (void)state;
    /* What is in the file belongs to somebody else: an account that was told nothing of the new one. */
    serve_certificates("");
    struct channel *channel = channel_of(CHANNEL_WECHAT);
    struct crypto_key *old = crypto_key_new();
    assert_true(channel_add_platform(channel, "5F1C72E2A8931B72A2E13AF8DEE92471EB397115", old));
    channel->due_ms = mono_ms() + 1000000;
    expect(ask(CHANNEL_WECHAT), CHANNEL_NOT_FOUND);
    assert_int_equal(channel->platform_count, 2);
    int64_t tried = channel->tried_ms;
    assert_true(tried > 0);
    /* A serial that nobody knows is not asked for again and again. */
    const char *number = paid(channel);
    sandbox_do(&kit.sandbox, "fault serial 2");
    struct channel_trade trade;
    expect(channel_query(channel, number, &trade, &trouble), CHANNEL_UNKNOWN);
    expect(channel_query(channel, number, &trade, &trouble), CHANNEL_UNKNOWN);
    assert_int_equal(channel->tried_ms, tried);
    sandbox_do(&kit.sandbox, "fault off");
    assert_int_equal(asked(channel, number).state, TRADE_PAID);
}

static void forged_certificates_are_not_taken(void **state)
{
    (void)state;
    static const char *const faults[] = {"sign", "unsigned", "flip", "stale", "404-empty", "lost"};
    for (size_t i = 0; i < COUNT(faults); i++) {
        serve_certificates("");
        sandbox_do(&kit.sandbox, "fault %s 1 --at certificates", faults[i]);
        expect(ask(CHANNEL_WECHAT), CHANNEL_UNKNOWN);
        assert_int_equal(channel_of(CHANNEL_WECHAT)->platform_count, 0);
        sandbox_do(&kit.sandbox, "fault off");
    }
}

/* ---- notifications ---- */

static struct channel_notice taken(int id, enum notice_verdict wanted)
{
    struct channel_notice notice;
    struct mail mail = mailbox_take(&mailbox, 5000);
    assert_non_null(mail.body);
    const struct channel_message message = {
        .headers = mail.headers, .body = mail.body, .body_bytes = strlen(mail.body)};
    enum notice_verdict verdict = channel_notice_read(channel_of(id), &message, time(NULL), &notice);
    if (verdict != wanted)
        fail_msg("verdict %d, not %d: %s", verdict, wanted, notice.trouble);
    mail_free(&mail);
    return notice;
}

static void notifications_are_read_as_they_are_sent(void **state)
{
    (void)state;
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        mailbox.body = channel_notice_reply((enum channel_id)id, true).body;
        const char *number = paid(channel_of(id));
        struct channel_notice notice = taken(id, NOTICE_PAYMENT);
        assert_string_equal(notice.out_trade_no, number);
        assert_int_equal(notice.trade.state, TRADE_PAID);
        assert_int_equal(notice.trade.amount_fen, PRICE_FEN);
        assert_true(notice.id[0] && notice.trade.raw);
        channel_notice_release(&notice);
        struct channel_backed backed;
        struct channel_back back = back_of(number, fresh("20261130RF"), 2000);
        expect(channel_refund(channel_of(id), &back, &backed, &trouble), CHANNEL_DONE);
        if (id == CHANNEL_WECHAT)
            sandbox_do(&kit.sandbox, "refund-done %s success", back.out_refund_no);
        notice = taken(id, NOTICE_REFUND);
        assert_string_equal(notice.out_refund_no, back.out_refund_no);
        assert_string_equal(notice.out_trade_no, number);
        assert_int_equal(notice.backed.state, BACK_SUCCESS);
        assert_int_equal(notice.backed.refund_fen, id == CHANNEL_WECHAT ? 2000 : 0);
        channel_notice_release(&notice);
    }
}

/* While WeChat Pay moves a merchant from one kind of key to the other. */
static void a_certificate_is_learned_because_of_a_notification(void **state)
{
    (void)state;
    struct channel *channel = channel_of(CHANNEL_WECHAT);
    sandbox_do(&kit.sandbox, "serial certificate");
    const char *number = paid(channel);
    mailbox.answer = 500;
    struct channel_notice notice = taken(CHANNEL_WECHAT, NOTICE_FORGED);
    channel_notice_release(&notice);
    mailbox.answer = 200;
    assert_int_equal(channel->platform_count, 1);
    channel_refresh(channel);
    assert_int_equal(channel->platform_count, 2);
    sandbox_do(&kit.sandbox, "clock +20");
    notice = taken(CHANNEL_WECHAT, NOTICE_PAYMENT);
    assert_string_equal(notice.out_trade_no, number);
    channel_notice_release(&notice);
    sandbox_do(&kit.sandbox, "serial public");
    assert_int_equal(asked(channel, number).state, TRADE_PAID);
}

static void probes_and_forgeries_come_first_and_are_refused(void **state)
{
    (void)state;
    static const char *const faults[] = {"notice-signtest", "notice-forged"};
    for (int id = 0; id < CHANNEL_COUNT; id++)
        for (size_t i = id == CHANNEL_WECHAT ? 0 : 1; i < COUNT(faults); i++) {
            sandbox_do(&kit.sandbox, "fault %s 1", faults[i]);
            const char *number = paid(channel_of(id));
            mailbox.answer = 500;
            struct channel_notice notice = taken(id, NOTICE_FORGED);
            channel_notice_release(&notice);
            mailbox.answer = 200;
            notice = taken(id, NOTICE_PAYMENT);
            assert_string_equal(notice.out_trade_no, number);
            channel_notice_release(&notice);
        }
    /* The tests that follow have nobody who listens. */
    sandbox_do(&kit.sandbox, "notify off");
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, reset, NULL)
int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(notifications_are_read_as_they_are_sent),
        WITH(a_certificate_is_learned_because_of_a_notification),
        WITH(probes_and_forgeries_come_first_and_are_refused),
        WITH(an_order_is_made_scanned_paid_and_closed_no_more),
        WITH(an_unpaid_order_is_closed),
        WITH(the_same_order_again_is_a_fresh_code_and_another_amount_is_refused),
        WITH(what_the_channel_has_not_is_not_found),
        WITH(parts_of_a_payment_go_back),
        WITH(a_refund_at_wechat_ends_in_three_ways),
        WITH(a_refund_that_is_not_certain_is_asked_for),
        WITH(an_empty_balance_is_told_with_what_to_do),
        WITH(a_code_that_is_not_certain_is_asked_for_again),
        WITH(a_query_believes_nothing_that_is_not_certain),
        WITH(a_close_that_is_not_certain_is_repeated),
        WITH(a_refund_that_is_not_certain_moves_money_once),
        WITH(answers_that_do_not_fit_the_question_are_unknown),
        WITH(wrong_accounts_are_the_configurations_fault),
        WITH(good_accounts_pass_the_check),
        WITH(the_check_tells_whose_clock_is_off),
        WITH(a_time_that_is_over_there_is_said_to_be_the_clocks),
        WITH(who_cannot_be_reached_is_unknown_at_once),
        WITH(certificates_are_fetched_where_none_is_there),
        WITH(a_new_certificate_is_fetched_once),
        WITH(forged_certificates_are_not_taken),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
