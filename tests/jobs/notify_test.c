/* Notifications over real HTTP to the real program, signed with real keys: each is taken once and answered well however
 * often it comes; what is not the channel's changes nothing and is kept. */
#include "merchant.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/when.h"
#include "cli/program.h"
#include "support/fixture.h"

#define AT_ONCE 50

static struct fixture fixture;
static struct db *db, *online;
static struct merchant merchant;
static char *password_file;
static const char *before[] = {"--data", NULL, NULL};
static unsigned port;
static pid_t daemon_pid;

static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static int connect_daemon(void)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static void start_daemon(void)
{
    int fd = -1;
    daemon_pid = run_start(-1, "notify --listen 127.0.0.1:%u", port);
    for (int tries = 0; fd < 0 && tries < 200; tries++) {
        sleep_ms(50);
        fd = connect_daemon();
    }
    assert_true(fd >= 0);
    close(fd);
}

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    before[1] = fixture.server.folder;
    program_before(before);
    scratch_make();
    merchant_open(&merchant, NULL, NULL);
    setenv("FRONTDESK_CHANNELS_FILE", scratch_path("channels.conf"), 1);
    setenv("FRONTDESK_LOG_FILE", scratch_path("log"), 1);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    db = fixture_open(&fixture);
    online = fixture_open_online(&fixture);
    fixture_sql(db, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES (1, 'pool', 'swimming', 'PLACE')");
    fixture_sql(db, "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, "
                    "remain_count, price) VALUES (1, 1, CURDATE() + INTERVAL 3 DAY, '10:00:00', '11:00:00', 500, 500, "
                    "60)");
    port = free_port();
    start_daemon();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    if (daemon_pid > 0) {
        kill(daemon_pid, SIGTERM);
        fixture_wait(daemon_pid);
    }
    db_close(&online);
    db_close(&db);
    free(password_file);
    merchant_close(&merchant);
    merchant_end();
    scratch_remove();
    fixture_stop(&fixture);
    return 0;
}

/* An order that waits, with a code of ours as opening it leaves it; `number` of the code, tag PY. */
static void make_code(int n, const char *channel, char order_no[33], char number[33])
{
    fit_printf_at(order_no, 33, "N%d", n);
    fit_printf_at(number, 33, "20261130PYN%d", n);
    fixture_sql(db, "INSERT INTO t_user (id, nickname, phone) VALUES (%d, 'c', '1350000%04d')", n, n);
    fixture_sql(
        db,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
        "end_time, quantity, total_amount, unit_price, status, live_codes, expire_time, operator, terminal, "
        "idempotency_key) SELECT '%s', %d, 1, s.id, s.schedule_date, s.start_time, s.end_time, 1, 60, 60, "
        "'PENDING_PAY', 1, NOW() + INTERVAL 15 MINUTE, 'admin', 'desk1', 'k%d' FROM venue_schedule s WHERE s.id "
        "= 1",
        order_no, n, n);
    fixture_sql(db, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = 1");
    fixture_sql(
        db,
        "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, "
        "terminal, request_key, code_until) VALUES ('%s', 'RC%d', 'RC%d', '%s', 60, 'CREATED', 'admin', 'desk1', "
        "'k%d', NOW() + INTERVAL 15 MINUTE)",
        number, n, n, channel, n);
    fixture_sql(db,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', 60 FROM payment_record "
                "WHERE order_no = '%s'",
                order_no, number);
}

static const char *state_of(const char *order_no)
{
    return fixture_text(db, "SELECT status FROM reserve_order WHERE order_no = '%s'", order_no);
}

static const char *outcome_of(const char *number)
{
    return fixture_text(db,
                        "SELECT GROUP_CONCAT(CONCAT(outcome, '+', repeats) ORDER BY id) FROM channel_notice WHERE "
                        "subject = '%s'",
                        number);
}

/* HTTP --------------------------------------------------------------------------------------------- */

struct got {
    int status; /* 0: no answer */
    char body[512];
    int64_t ms;
};

static bool send_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

static void receive(int fd, struct got *got)
{
    char text[4096];
    size_t used = 0;
    ssize_t count;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    while (used < sizeof text - 1 && poll(&wait, 1, 15000) == 1 &&
           (count = recv(fd, text + used, sizeof text - 1 - used, 0)) > 0)
        used += (size_t)count;
    text[used] = '\0';
    if (sscanf(text, "HTTP/1.1 %d", &got->status) != 1)
        got->status = 0;
    const char *body = strstr(text, "\r\n\r\n");
    cut_copy(got->body, sizeof got->body, body ? body + 4 : "");
}

static struct got post(const char *path, const char *headers, const char *body, size_t bytes)
{
    struct got got = {0};
    int64_t begun = mono_ms();
    int fd = connect_daemon();
    assert_true(fd >= 0);
    char *head = xprintf("POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n", path,
                         bytes, headers);
    if (send_all(fd, head, strlen(head)))
        send_all(fd, body, bytes);
    receive(fd, &got);
    free(head);
    close(fd);
    got.ms = mono_ms() - begun;
    return got;
}

/* Messages ------------------------------------------------------------------------------------------ */

/* What WeChat Pay says of a payment; xmalloc'ed. */
static char *paid_text(const char *number, const char *mchid, int total)
{
    return xprintf(
        "{\"mchid\":\"%s\",\"appid\":\"" APPID "\",\"out_trade_no\":\"%s\",\"transaction_id\":\"4200%s\","
        "\"trade_type\":\"NATIVE\",\"trade_state\":\"SUCCESS\",\"success_time\":\"2026-11-30T12:34:56+08:00\","
        "\"amount\":{\"total\":%d,\"payer_total\":%d,\"currency\":\"CNY\",\"payer_currency\":\"CNY\"}}",
        mchid, number, number, total, total);
}

struct message {
    char *headers, *body;
};

static struct message wechat_message(const char *id, const char *number, const char *mchid, int total,
                                     const struct seal *seal)
{
    char *plain = paid_text(number, mchid, total);
    struct message message = {.body = merchant_event(id, "transaction", plain)};
    message.headers = merchant_seal(&merchant, seal, message.body);
    free(plain);
    return message;
}

static void message_free(struct message *message)
{
    free(message->headers);
    free(message->body);
}

static struct got tell(const struct message *message)
{
    return post("/wechat/notify", message->headers, message->body, strlen(message->body));
}

static bool is_good(const struct got *got)
{
    return got->status == 200 || got->status == 204;
}

static void a_payment_is_taken_once(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(100, "WECHAT", order_no, number);
    struct message message = wechat_message("EV-100", number, MCHID, 6000, &(struct seal){0});
    struct got got = tell(&message);
    assert_true(is_good(&got));
    assert_true(got.ms < 4000);
    assert_string_equal(state_of(order_no), "PAID");
    assert_string_equal(outcome_of(number), "done+0");
    got = tell(&message);
    assert_true(is_good(&got));
    assert_string_equal(outcome_of(number), "done+1");
    /* Told anew under another id: known, and still paid once. */
    struct message again = wechat_message("EV-100b", number, MCHID, 6000, &(struct seal){.serial = CERT_SERIAL});
    got = tell(&again);
    assert_true(is_good(&got));
    assert_string_equal(outcome_of(number), "done+1,known+0");
    assert_int_equal(
        fixture_int(db, "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'pay'", order_no), 1);
    assert_int_equal(fixture_int(db, "SELECT live_codes FROM reserve_order WHERE order_no = '%s'", order_no), 0);
    assert_string_equal(fixture_text(db, "SELECT payment_no FROM payment_record WHERE order_no = '%s'", number),
                        "420020261130PYN100");
    message_free(&message);
    message_free(&again);
}

struct telling {
    const struct message *message;
    struct got got;
};

static void *tell_thread(void *arg)
{
    struct telling *telling = arg;
    telling->got = tell(telling->message);
    return NULL;
}

static void fifty_at_once_have_one_effect(void **state)
{
    (void)state;
    char order_no[33], number[33];
    static struct telling tellings[AT_ONCE];
    pthread_t threads[AT_ONCE];
    make_code(200, "WECHAT", order_no, number);
    struct message message = wechat_message("EV-200", number, MCHID, 6000, &(struct seal){0});
    for (int i = 0; i < AT_ONCE; i++) {
        tellings[i].message = &message;
        assert_int_equal(pthread_create(&threads[i], NULL, tell_thread, &tellings[i]), 0);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        pthread_join(threads[i], NULL);
        assert_true(is_good(&tellings[i].got));
    }
    assert_string_equal(state_of(order_no), "PAID");
    assert_int_equal(
        fixture_int(db, "SELECT CAST(paid_amount AS SIGNED) FROM reserve_order WHERE order_no = '%s'", order_no), 60);
    assert_int_equal(
        fixture_int(db, "SELECT COUNT(*) FROM operation_log WHERE entity_no = '%s' AND event = 'pay'", order_no), 1);
    assert_string_equal(outcome_of(number), "done+49");
    message_free(&message);
}

/* All that a bad message could have changed. */
static const char *everything(void)
{
    static char text[400];
    cut_copy(
        text, sizeof text,
        fixture_text(db, "SELECT CONCAT_WS('/', (SELECT GROUP_CONCAT(status, paid_amount, live_codes ORDER BY id) FROM "
                         "reserve_order), (SELECT COUNT(*) FROM operation_log), (SELECT COUNT(*) FROM money_case), "
                         "(SELECT GROUP_CONCAT(status, COALESCE(payment_no, '') ORDER BY id) FROM payment_record))"));
    return text;
}

static int64_t kept(const char *outcome)
{
    return fixture_int(db, "SELECT COUNT(*) + COALESCE(SUM(repeats), 0) FROM channel_notice WHERE outcome = '%s'",
                       outcome);
}

static void expect_refused(const struct message *message, const char *outcome)
{
    int64_t before_count = kept(outcome);
    char *was = xstrdup(everything());
    struct got got = tell(message);
    assert_true(got.status >= 400 && got.status < 600);
    assert_string_equal(everything(), was);
    assert_int_equal(kept(outcome), before_count + 1);
    free(was);
}

static void what_is_not_the_channels_changes_nothing(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(300, "WECHAT", order_no, number);
    const struct seal forged[] = {
        {.key = merchant.own}, {.probe = true}, {.serial = FRESH_SERIAL}, {.serial = "PUB_KEY_ID_1"}};
    for (size_t i = 0; i < COUNT(forged); i++) {
        struct message message = wechat_message("EV-300", number, MCHID, 6000, &forged[i]);
        expect_refused(&message, "forged");
        message_free(&message);
    }
    struct message old = wechat_message("EV-300", number, MCHID, 6000, &(struct seal){.at = time(NULL) - 400});
    expect_refused(&old, "replayed");
    message_free(&old);
    struct message other = wechat_message("EV-300", number, "1900000001", 6000, &(struct seal){0});
    expect_refused(&other, "wrong_merchant");
    message_free(&other);
    struct message cut = wechat_message("EV-300", number, MCHID, 6000, &(struct seal){0});
    cut.body[strlen(cut.body) / 2] = '\0';
    expect_refused(&cut, "forged");
    message_free(&cut);
    struct message odd = {.body = xstrdup("{\"id\":7}")};
    odd.headers = merchant_seal(&merchant, &(struct seal){0}, odd.body);
    expect_refused(&odd, "malformed");
    message_free(&odd);
    struct message empty = {.headers = xstrdup(""), .body = xstrdup("")};
    expect_refused(&empty, "malformed");
    message_free(&empty);
    assert_string_equal(state_of(order_no), "PENDING_PAY");
    /* None of them took the place of the true one. */
    struct message good = wechat_message("EV-300", number, MCHID, 6000, &(struct seal){0});
    struct got got = tell(&good);
    assert_true(is_good(&got));
    assert_string_equal(state_of(order_no), "PAID");
    message_free(&good);
}

static void ten_megabytes_are_not_read(void **state)
{
    (void)state;
    size_t bytes = 10 * 1024 * 1024;
    char *body = xmalloc(bytes + 1);
    memset(body, '{', bytes);
    body[bytes] = '\0';
    int64_t before_count = kept("malformed");
    char *was = xstrdup(everything());
    struct got got = post("/wechat/notify", "", body, bytes);
    assert_true(got.status == 413 || got.status == 0);
    got = post("/alipay/notify", "", body, 70000);
    assert_true(got.status == 413 || got.status == 0);
    assert_string_equal(everything(), was);
    assert_int_equal(kept("malformed"), before_count + 2);
    /* Without an announced length: the same, as it comes. */
    int fd = connect_daemon();
    const char *head = "POST /wechat/notify HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: "
                       "chunked\r\n\r\n20000\r\n";
    assert_true(send_all(fd, head, strlen(head)));
    send_all(fd, body, 0x20000);
    send_all(fd, "\r\n0\r\n\r\n", 7);
    receive(fd, &got);
    close(fd);
    assert_int_equal(got.status, 413);
    assert_int_equal(kept("malformed"), before_count + 3);
    free(was);
    free(body);
}

static void another_amount_is_nobodys_payment(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(400, "WECHAT", order_no, number);
    struct message message = wechat_message("EV-400", number, MCHID, 5999, &(struct seal){0});
    for (int i = 0; i < 2; i++) {
        struct got got = tell(&message);
        assert_true(is_good(&got));
    }
    assert_string_equal(state_of(order_no), "PENDING_PAY");
    assert_string_equal(outcome_of(number), "wrong_amount+1");
    assert_int_equal(
        fixture_int(db, "SELECT COUNT(*) FROM money_case WHERE kind = 'AMOUNT' AND subject = '%s'", number), 1);
    message_free(&message);
}

static void unknown_and_late_money_waits_for_a_person(void **state)
{
    (void)state;
    char order_no[33], number[33];
    struct message stray = wechat_message("EV-500", "20261130PYNOBODY", MCHID, 6000, &(struct seal){0});
    for (int i = 0; i < 2; i++) {
        struct got got = tell(&stray);
        assert_true(is_good(&got));
    }
    assert_string_equal(outcome_of("20261130PYNOBODY"), "unknown_order+1");
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM money_case WHERE subject = '20261130PYNOBODY'"), 1);
    message_free(&stray);
    make_code(501, "WECHAT", order_no, number);
    fixture_sql(db, "UPDATE reserve_order SET status = 'CANCELLED', cancel_time = NOW() WHERE order_no = '%s'",
                order_no);
    fixture_sql(db, "UPDATE venue_schedule SET remain_count = remain_count + 1 WHERE id = 1");
    struct message late = wechat_message("EV-501", number, MCHID, 6000, &(struct seal){0});
    for (int i = 0; i < 2; i++) {
        struct got got = tell(&late);
        assert_true(is_good(&got));
    }
    assert_string_equal(state_of(order_no), "CANCELLED");
    assert_string_equal(outcome_of(number), "late+1");
    assert_int_equal(
        fixture_int(db, "SELECT COUNT(*) FROM money_case WHERE kind = 'LATE' AND order_no = '%s'", order_no), 1);
    message_free(&late);
}

static void a_refund_is_settled_by_what_the_channel_says(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(550, "WECHAT", order_no, number);
    struct message paid = wechat_message("EV-550", number, MCHID, 6000, &(struct seal){0});
    struct got got = tell(&paid);
    assert_true(is_good(&got));
    fixture_sql(db,
                "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, quantity, kind, channel, reason, "
                "status, tries, operator, terminal, request_key, sent_at) SELECT '20261130RF550', id, '%s', 60, 1, "
                "'WHOLE', 'WECHAT', 'rain', 'PROCESSING', 1, 'admin', 'desk1', 'kr', NOW() FROM payment_record WHERE "
                "order_no = '%s'",
                order_no, number);
    fixture_sql(db, "UPDATE payment_record SET refunded_amount = 60 WHERE order_no = '%s'", number);
    fixture_sql(db, "UPDATE reserve_order SET status = 'REFUNDING', paid_amount = 0 WHERE order_no = '%s'", order_no);
    char *plain = xprintf("{\"mchid\":\"" MCHID "\",\"out_trade_no\":\"%s\",\"transaction_id\":\"4200\","
                          "\"out_refund_no\":\"20261130RF550\",\"refund_id\":\"5030\",\"refund_status\":\"SUCCESS\","
                          "\"success_time\":\"2026-11-30T12:34:56+08:00\",\"amount\":{\"total\":6000,\"refund\":6000,"
                          "\"payer_total\":6000,\"payer_refund\":6000}}",
                          number);
    struct message back = {.body = merchant_event("EV-551", "refund", plain)};
    back.headers = merchant_seal(&merchant, &(struct seal){0}, back.body);
    for (int i = 0; i < 2; i++) {
        got = tell(&back);
        assert_true(is_good(&got));
    }
    assert_string_equal(state_of(order_no), "REFUNDED");
    assert_string_equal(outcome_of("20261130RF550"), "done+1");
    assert_string_equal(fixture_text(db, "SELECT status FROM refund_record WHERE refund_no = '20261130RF550'"),
                        "SUCCESS");
    message_free(&paid);
    message_free(&back);
    free(plain);
}

static char *alipay_form(const char *id, const char *number, const char *status, const char *more)
{
    char *text = xprintf(
        "app_id=" APP_ID "&auth_app_id=" APP_ID "&buyer_pay_amount=60.00&charset=utf-8&notify_id=%s"
        "&notify_time=2026-11-30 12:34:57&notify_type=trade_status_sync&gmt_payment=2026-11-30 12:34:56&out_trade_no=%s"
        "&seller_id=" SELLER_ID "&total_amount=60.00&trade_no=2026%s&trade_status=%s&version=1.0%s",
        id, number, number, status, more);
    char *form = merchant_form(&merchant, text);
    free(text);
    return form;
}

static struct got tell_alipay(const char *form)
{
    return post("/alipay/notify", "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n", form,
                strlen(form));
}

static void alipay_hears_success_and_nothing_else(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(600, "ALIPAY", order_no, number);
    char *paid = alipay_form("A600", number, "TRADE_SUCCESS", "");
    for (int i = 0; i < 2; i++) {
        struct got got = tell_alipay(paid);
        assert_int_equal(got.status, 200);
        assert_string_equal(got.body, "success");
    }
    assert_string_equal(state_of(order_no), "PAID");
    assert_string_equal(outcome_of(number), "done+1");
    char *was = xstrdup(everything());
    /* Over for refunds, after one: nothing new. */
    char *finished = alipay_form("A601", number, "TRADE_FINISHED", "&refund_fee=10.00");
    struct got got = tell_alipay(finished);
    assert_string_equal(got.body, "success");
    char *amount = strstr(paid, "60.00");
    amount[0] = '5';
    got = tell_alipay(paid);
    assert_string_not_equal(got.body, "success");
    assert_string_equal(everything(), was);
    assert_true(kept("forged") > 0);
    free(was);
    free(finished);
    free(paid);
}

static void other_addresses_are_not_there(void **state)
{
    (void)state;
    struct got got = post("/", "", "x", 1);
    assert_int_equal(got.status, 404);
    int fd = connect_daemon();
    const char *get = "GET /wechat/notify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_true(send_all(fd, get, strlen(get)));
    receive(fd, &got);
    close(fd);
    assert_int_equal(got.status, 405);
}

static void a_relay_hands_one_over(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(700, "WECHAT", order_no, number);
    struct message message = wechat_message("EV-700", number, MCHID, 6000, &(struct seal){0});
    char *input = xprintf("%s\r\n%s", message.headers, message.body);
    struct ran ran = run_with(input, "notify --stdin wechat --json");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "\"outcome\":\"done\""));
    ran_free(&ran);
    assert_string_equal(state_of(order_no), "PAID");
    ran = run_with(input, "notify --stdin alipay");
    assert_int_equal(ran.status, 1);
    ran_free(&ran);
    ran = run_with("no empty line", "notify --stdin wechat");
    assert_int_equal(ran.status, 2);
    ran_free(&ran);
    free(input);
    message_free(&message);
}

static void a_frozen_database_is_answered_in_time(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(800, "WECHAT", order_no, number);
    struct message message = wechat_message("EV-800", number, MCHID, 6000, &(struct seal){0});
    int server = server_pid(&fixture.server);
    assert_true(server > 0);
    kill(server, SIGSTOP);
    struct got got = tell(&message);
    kill(server, SIGCONT);
    assert_true(got.status >= 500);
    assert_true(got.ms < 5000);
    /* The channel sends it again. */
    for (int tries = 0; tries < 20 && !is_good(&got); tries++) {
        got = tell(&message);
        sleep_ms(100);
    }
    assert_true(is_good(&got));
    assert_string_equal(state_of(order_no), "PAID");
    message_free(&message);
}

static void a_slow_sender_holds_up_nobody(void **state)
{
    (void)state;
    char order_no[33], number[33];
    make_code(900, "WECHAT", order_no, number);
    int slow[20];
    const char *head = "POST /wechat/notify HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    for (size_t i = 0; i < COUNT(slow); i++) {
        slow[i] = connect_daemon();
        assert_true(send_all(slow[i], head, strlen(head)));
    }
    struct message message = wechat_message("EV-900", number, MCHID, 6000, &(struct seal){0});
    struct got got = tell(&message);
    assert_true(is_good(&got));
    assert_true(got.ms < 2000);
    for (size_t i = 0; i < COUNT(slow); i++)
        close(slow[i]);
    message_free(&message);
}

static void the_raw_text_is_kept_and_rubbish_does_not_fill_the_table(void **state)
{
    (void)state;
    assert_int_equal(fixture_int(db,
                                 "SELECT COUNT(*) FROM channel_notice WHERE raw LIKE '%%Wechatpay-Signature:%%' AND "
                                 "raw LIKE '%%ciphertext%%' AND subject = '20261130PYN100'"),
                     2);
    struct message odd = {.headers = xstrdup(""), .body = xstrdup("\xff\x01 no text")};
    for (int i = 0; i < 260; i++)
        tell(&odd);
    assert_true(fixture_int(db, "SELECT COUNT(*) FROM channel_notice WHERE notice_id IS NULL") < 260);
    assert_true(kept("malformed") >= 260);
    message_free(&odd);
}

static void the_service_manager_hears_that_it_is_ready(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char said[64] = "";
    fit_printf(address.sun_path, "%s/manager", fixture.folder);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    pid_t pid = run_start(-1, "notify --listen 127.0.0.1:%u", free_port());
    unsetenv("NOTIFY_SOCKET");
    assert_true(recv(fd, said, sizeof said - 1, 0) > 0);
    assert_string_equal(said, "READY=1");
    kill(pid, SIGTERM);
    assert_int_equal(fixture_wait(pid), 0);
    memset(said, 0, sizeof said);
    assert_true(recv(fd, said, sizeof said - 1, 0) > 0);
    assert_string_equal(said, "STOPPING=1");
    close(fd);
    /* A port that somebody has is named. */
    expect(74, "notify --listen 127.0.0.1:%u", port);
}

/* The loader finds a broken file of that name. */
static void expect_missing(const char *command, const char *soname, const char *package)
{
    struct ran ran = run("%s", command);
    assert_int_equal(ran.status, 78);
    assert_non_null(strstr(ran.err, soname));
    assert_non_null(strstr(ran.err, package));
    ran_free(&ran);
}

static void a_library_is_missed_where_it_is_needed(void **state)
{
    (void)state;
    setenv("LD_LIBRARY_PATH", scratch_path(""), 1);
    scratch_write(FD_CURL_SONAME, "no library\n", 0600);
    expect(0, "--version");
    expect_missing("channel check", FD_CURL_SONAME, "libcurl4");
    expect_missing("notify --listen 127.0.0.1:0", FD_CURL_SONAME, "libcurl4");
    unlink(scratch_path(FD_CURL_SONAME));
    scratch_write(FD_MICROHTTPD_SONAME, "no library\n", 0600);
    expect(0, "--version");
    expect_missing("notify --listen 127.0.0.1:0", FD_MICROHTTPD_SONAME, "libmicrohttpd12");
    unlink(scratch_path(FD_MICROHTTPD_SONAME));
    unsetenv("LD_LIBRARY_PATH");
}

static void sigterm_ends_it_cleanly(void **state)
{
    (void)state;
    int64_t begun = mono_ms();
    kill(daemon_pid, SIGTERM);
    assert_int_equal(fixture_wait(daemon_pid), 0);
    assert_true(mono_ms() - begun < 6000);
    daemon_pid = 0;
    /* Without accounts there is nothing to serve. */
    setenv("FRONTDESK_CHANNELS_FILE", "", 1);
    expect(78, "notify --listen 127.0.0.1:%u", port);
    setenv("FRONTDESK_CHANNELS_FILE", scratch_path("channels.conf"), 1);
    expect(78, "notify --listen nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payment_is_taken_once),
        cmocka_unit_test(fifty_at_once_have_one_effect),
        cmocka_unit_test(what_is_not_the_channels_changes_nothing),
        cmocka_unit_test(ten_megabytes_are_not_read),
        cmocka_unit_test(another_amount_is_nobodys_payment),
        cmocka_unit_test(unknown_and_late_money_waits_for_a_person),
        cmocka_unit_test(a_refund_is_settled_by_what_the_channel_says),
        cmocka_unit_test(alipay_hears_success_and_nothing_else),
        cmocka_unit_test(other_addresses_are_not_there),
        cmocka_unit_test(a_relay_hands_one_over),
        cmocka_unit_test(a_frozen_database_is_answered_in_time),
        cmocka_unit_test(a_slow_sender_holds_up_nobody),
        cmocka_unit_test(the_raw_text_is_kept_and_rubbish_does_not_fill_the_table),
        cmocka_unit_test(the_service_manager_hears_that_it_is_ready),
        cmocka_unit_test(a_library_is_missed_where_it_is_needed),
        cmocka_unit_test(sigterm_ends_it_cleanly),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
