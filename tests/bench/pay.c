/* A payment by code as the clerk sees it: from the customer's paying to the green screen and to the receipt. The channel
 * is the sandbox on this machine, so this is our own polling, settling and printing. */
#include "bench/bench.h"
#include "bench/pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/password.h"
#include "support/sandbox.h"
#include "venue/booking.h"

#define BASE     "bench_pay"
#define GOAL_MS  2000
#define LIMIT_MS 20000

static char *env[9], *paper;

static void make_surroundings(struct bench *bench, const struct sandbox *sandbox)
{
    struct db_target target = fixture_target(&bench->fixture);
    char *password = xprintf("%s/pay.password", bench->fixture.folder);
    int fd = open(password, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "bench\n", 6) != 6)
        bench_die(password, NULL);
    close(fd);
    paper = xprintf("%s/paper", bench->fixture.folder);
    env[0] = xprintf("%s=%s", config_env_name(CONFIG_SOCKET), target.socket);
    env[1] = xprintf("%s=%s", config_env_name(CONFIG_USER), target.user);
    env[2] = xprintf("%s=%s", config_env_name(CONFIG_NAME), BASE);
    env[3] = xprintf("%s=bench", config_env_name(CONFIG_OPERATOR));
    env[4] = xprintf("%s=%s", config_env_name(CONFIG_PASSWORD_FILE), password);
    env[5] = xprintf("%s=%s", config_env_name(CONFIG_CHANNELS), sandbox->channels);
    env[6] = xprintf("%s=file:%s", config_env_name(CONFIG_PRINTER), paper);
    env[7] = xprintf("%s=en", config_env_name(CONFIG_LANGUAGE));
    free(password);
}

static void book(struct desk *desk, int64_t customer, char order_no[NUMBER_BYTES])
{
    char phone[16];
    struct fd_error err = {0};
    struct arena arena = {0};
    struct booked booked;
    struct booking_line line = {.slot_id = 1 + customer, .quantity = 1, .seen_price_fen = -1};
    customer_phone(customer, phone);
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1, .day = DAY_NONE};
    if (booking_make(desk, NULL, &booking, &arena, &booked, &err))
        bench_die("booking_make", &err);
    cut_copy(order_no, NUMBER_BYTES, booked.orders[0].order_no);
    arena_release(&arena);
}

static double wait_for(struct pty *pty, const char *text)
{
    return pty_wait(pty, &text, 1);
}

static double wait_for_receipt(struct pty *pty)
{
    struct stat status;
    double limit = now_ms() + LIMIT_MS;
    while (stat(paper, &status) != 0 || status.st_size == 0) {
        if (now_ms() > limit)
            bench_die("no receipt", NULL);
        pty_read(pty, 5);
    }
    return now_ms();
}

/* One payment; the two times after the customer paid. */
static void pay_once(struct bench *bench, const struct sandbox *sandbox, const char *order_no, double times[2])
{
    char *argv[] = {bench->program, NULL}, *line = xprintf(":o %s\r", order_no);
    struct pty pty;
    int fd = open(paper, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        bench_die(paper, NULL);
    close(fd);
    pty_start(&pty, argv, env, 24, 80, false);
    wait_for(&pty, "No slots on this day"); /* they are tomorrow: nothing of them is over */
    pty_quiet(&pty, 50);
    pty_mark(&pty);
    pty_send(&pty, line);
    wait_for(&pty, "1 order");
    pty_quiet(&pty, 50);
    pty_mark(&pty);
    pty_send(&pty, "p");
    wait_for(&pty, "To take");
    pty_quiet(&pty, 50);
    pty_mark(&pty);
    pty_send(&pty, "2");
    wait_for(&pty, "Waiting");
    pty_mark(&pty);
    sandbox_do(sandbox, "pay");
    double began = now_ms();
    times[0] = wait_for(&pty, "PAID") - began;
    times[1] = wait_for_receipt(&pty) - began;
    pty_stop(&pty);
    free(line);
}

void bench_pay(struct bench *bench)
{
    static const char *const options[] = {"--one-minute-rule", "off", NULL};
    static const char *const what[] = {"customer's payment to the green screen", "customer's payment to the receipt"};
    struct series series[2] = {0};
    struct sandbox sandbox;
    struct db *db = data_database(bench, BASE);
    char *folder = xprintf("%s/sandbox", bench->fixture.folder);
    data_customers(db, 100);
    data_slots(db, 1, bench->today + 1, 1, 1);
    sandbox_start(&sandbox, folder, options);
    sandbox_do(&sandbox, "notify off");
    struct desk *desk = desk_signed_in(bench, BASE);
    struct fd_error err;
    char hash[PASSWORD_HASH_BYTES];
    if (password_hash("bench", hash, &err))
        bench_die("password_hash", &err);
    fixture_sql(bench->db, "UPDATE " BASE ".operator_account SET password_hash = '%s' WHERE name = 'bench'", hash);
    make_surroundings(bench, &sandbox);
    report_section("a payment by code, without notifications");
    for (int round = 0; round < bench->rounds; round++) {
        char order_no[NUMBER_BYTES];
        double times[2];
        book(desk, round, order_no);
        pay_once(bench, &sandbox, order_no, times);
        for (int i = 0; i < 2; i++)
            series_add(&series[i], times[i]);
    }
    for (int i = 0; i < 2; i++)
        report_value(what[i], "ms", series_median(&series[i]), AT_MOST, GOAL_MS);
    desk_close(&desk);
    sandbox_stop(&sandbox);
    db_close(&db);
    free(folder);
}
