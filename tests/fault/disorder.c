#include "disorder.h"

#include <stdio.h>

#include "base/mem.h"

#define SLOTS  (sizeof((struct disorder *)0)->slots / sizeof(int64_t))
#define TIME_S 960 /* longer than a hold */

static void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void trace(const char *format, ...)
{
    static int wanted = -1;
    if (wanted < 0)
        wanted = getenv("TRACE") != NULL;
    if (!wanted)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static uint32_t below(struct disorder *disorder, uint32_t limit)
{
    return chance_below(&disorder->chance, limit);
}

static bool percent(struct disorder *disorder, uint32_t of_100)
{
    return chance_percent(&disorder->chance, of_100);
}

static const char *one_of(struct disorder *disorder, const char *const *names, uint32_t count)
{
    return names[below(disorder, count)];
}
#define ONE_OF(disorder, ...)                                                                                          \
    one_of(disorder, (const char *const[]){__VA_ARGS__},                                                               \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Presses ------------------------------------------------------------------------------------------------------------
 */

/* One press of a clerk. Now and then it is killed in the middle and pressed again, as what waits on the screen is; or
 * two clerks do the same at once. */
static void press(struct disorder *disorder, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void press(struct disorder *disorder, const char *format, ...)
{
    struct buf filled = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&filled, format, args);
    va_end(args);
    int key = disorder->keys++;
    char *line = xprintf("%s --key s%llu-%d", buf_text(&filled), (unsigned long long)disorder->seed, key);
    uint32_t fate = below(disorder, 100);
    if (fate < 12) {
        int after_ms = (int)below(disorder, 60);
        trace("  %s: killed after %d ms", line, after_ms);
        pid_t pid = street_begin("%s", line);
        street_kill(pid, after_ms);
        street_end(pid);
        fate = percent(disorder, 70) ? 100 : 0;
    } else if (fate < 20) {
        trace("  %s: twice at once", line);
        pid_t other = street_begin("%s --key s%llu-%dx", buf_text(&filled), (unsigned long long)disorder->seed, key);
        street_run("%s", line);
        street_end(other);
        fate = 0;
    } else {
        fate = 100;
    }
    if (fate == 100) {
        int status = street_run("%s", line);
        trace("  %s: %d", line, status);
    }
    free(line);
    buf_release(&filled);
}

/* Any order of this seed; false: there is none yet. */
static bool any_order(struct disorder *disorder, char number[40])
{
    uint32_t count = (uint32_t)fixture_int(street.db, "SELECT COUNT(*) FROM reserve_order WHERE id > %lld",
                                           (long long)disorder->last_order);
    number[0] = '\0';
    if (count)
        cut_copy(number, 40, street_order(disorder->last_order, below(disorder, count)));
    return number[0] != '\0';
}

/* Any code that was ever shown; false: none. */
static bool any_code(struct disorder *disorder, char number[40])
{
    uint32_t count =
        (uint32_t)fixture_int(street.db, "SELECT COUNT(*) FROM payment_record WHERE id > %lld AND code IS NOT NULL",
                              (long long)disorder->last_payment);
    number[0] = '\0';
    if (count)
        cut_copy(number, 40,
                 fixture_text(street.db,
                              "SELECT order_no FROM payment_record WHERE id > %lld AND code IS NOT NULL ORDER BY id "
                              "DESC LIMIT 1 OFFSET %u",
                              (long long)disorder->last_payment, below(disorder, count < 4 ? count : 4)));
    return number[0] != '\0';
}

static void book(struct disorder *disorder)
{
    press(disorder, "order book --slot %lld --quantity %u --phone %s%s",
          (long long)disorder->slots[below(disorder, SLOTS)], 1 + below(disorder, 2), street_phone(),
          ONE_OF(disorder, "", "", " --wechat", " --alipay", " --wechat", " --alipay", " --cash 60"));
}

static void open_code(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "pay %s %s%s", ONE_OF(disorder, "wechat", "alipay"), number,
              ONE_OF(disorder, "", "", "", " --amount 20"));
}

static void ask(struct disorder *disorder)
{
    char number[40];
    if (!any_order(disorder, number))
        return;
    if (percent(disorder, 70))
        street_sql("UPDATE payment_record SET asked_at = NULL WHERE status = 'CREATED'");
    trace("  pay code %s", number);
    street_run("pay code %s%s", number, ONE_OF(disorder, "", "", " --close"));
}

static void take_cash(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "pay cash %s --amount %s", number, ONE_OF(disorder, "20", "60", "30"));
}

static void cancel(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "order cancel %s --reason gone", number);
}

static void reprice(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "price change %s --to %u --reason friend", number, 40 + 10 * below(disorder, 5));
}

static void resize(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "order change %s --quantity %u", number, 1 + below(disorder, 3));
}

static void move(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "order move %s --slot %lld", number, (long long)disorder->slots[below(disorder, SLOTS)]);
}

static void give_back(struct disorder *disorder)
{
    char number[40];
    if (any_order(disorder, number))
        press(disorder, "order refund %s%s --reason rain", number,
              ONE_OF(disorder, "", "", " --amount 10", " --amount 45.5", " --quantity 1"));
}

/* The place of a hold that ran out is wanted by somebody else. */
static void take_over(struct disorder *disorder)
{
    char number[40];
    if (!any_order(disorder, number))
        return;
    street_sql("UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 MINUTE WHERE order_no = '%s' AND status = "
               "'PENDING_PAY'",
               number);
    int64_t slot = fixture_int(street.db, "SELECT schedule_id FROM reserve_order WHERE order_no = '%s'", number);
    trace("  the hold of %s runs out", number);
    press(disorder, "order book --slot %lld --phone %s%s", (long long)slot, street_phone(),
          ONE_OF(disorder, "", " --cash 60", " --wechat", " --alipay"));
}

static void close_case(struct disorder *disorder)
{
    char id[24];
    cut_copy(id, sizeof id,
             fixture_text(street.db,
                          "SELECT COALESCE(MAX(id), '') FROM money_case WHERE status <> 'CLOSED' AND kind <> "
                          "'AMOUNT'"));
    if (id[0])
        press(disorder, "case close %s --as %s --reason people", id, ONE_OF(disorder, "refunded", "retried"));
}

/* Customers ----------------------------------------------------------------------------------------------------------
 */

/* Mostly what is shown right now, as people do. */
static bool code_to_pay(struct disorder *disorder, char code[40])
{
    code[0] = '\0';
    if (percent(disorder, 60))
        cut_copy(code, 40,
                 fixture_text(street.db, "SELECT COALESCE((SELECT order_no FROM payment_record WHERE status = 'CREATED' "
                                         "AND code IS NOT NULL ORDER BY id DESC LIMIT 1), '')"));
    return code[0] || any_code(disorder, code);
}

static void customer(struct disorder *disorder)
{
    char code[40];
    if (!code_to_pay(disorder, code))
        return;
    const char *verb = ONE_OF(disorder, "pay", "pay", "pay", "pay", "scan", "fail");
    bool done = street_try("%s %s", verb, code);
    trace("  customer: %s %s: %s", verb, code, done ? "done" : "refused");
}

static void end_refund(struct disorder *disorder)
{
    char number[40];
    cut_copy(number, sizeof number,
             fixture_text(street.db, "SELECT COALESCE(MAX(refund_no), '') FROM refund_record WHERE channel = 'WECHAT' "
                                     "AND status = 'PROCESSING'"));
    if (!number[0]) {
        street_try("auto-refund %s", ONE_OF(disorder, "off", "0"));
        return;
    }
    const char *how = ONE_OF(disorder, "success", "closed", "abnormal");
    trace("  refund %s ends: %s", number, how);
    street_try("refund-done %s %s", number, how);
}

/* Troubles
 * ------------------------------------------------------------------------------------------------------------- */

static void fault(struct disorder *disorder)
{
    static const char *const names[] = {"500-before",
                                        "503",
                                        "429",
                                        "404-empty",
                                        "500-after",
                                        "202",
                                        "sign",
                                        "unsigned",
                                        "serial",
                                        "stale",
                                        "flip",
                                        "lost",
                                        "gzip",
                                        "escape",
                                        "signtest",
                                        "amount",
                                        "balance",
                                        "fund-change-n",
                                        "notice-twice",
                                        "notice-reorder",
                                        "notice-late",
                                        "notice-forged",
                                        "notice-signtest"};
    const char *name = one_of(disorder, names, sizeof names / sizeof *names);
    if (percent(disorder, 25))
        name = "silent";
    trace("  fault %s", name);
    street_try("fault %s %u%s", name, 1 + below(disorder, 3), strcmp(name, "silent") == 0 ? " --ms 150" : "");
}

static void faults_at_random(struct disorder *disorder)
{
    uint32_t part = percent(disorder, 30) ? 0 : 5 + below(disorder, 40);
    trace("  %u%% of calls fail", part);
    street_try("random %llu %u", (unsigned long long)disorder->seed, part);
}

static void notices(struct disorder *disorder)
{
    const char *mode = ONE_OF(disorder, "on", "on", "off", "dead", "kill", "start");
    trace("  notifications: %s", mode);
    if (strcmp(mode, "kill") == 0)
        street_notify_kill();
    else if (strcmp(mode, "start") == 0)
        street_notify_start();
    else
        street_try("notify %s", mode);
}

static void make_due(void)
{
    street_sql("UPDATE payment_record SET asked_at = NULL WHERE status = 'CREATED'");
    street_sql("UPDATE refund_record SET next_at = NOW() WHERE status IN ('CREATED', 'PROCESSING') AND "
               "next_at IS NOT NULL");
}

static void work(struct disorder *disorder)
{
    make_due();
    int after_ms = percent(disorder, 40) ? (int)below(disorder, 120) : -1;
    pid_t pid = street_begin("worker --once");
    if (after_ms >= 0)
        street_kill(pid, after_ms);
    int status = street_end(pid);
    trace("  worker: %d", status);
}

/* Time goes on for everybody; codes of before cannot be paid any more, and they come late who try. */
static void time_goes_on(struct disorder *disorder)
{
    trace("  time goes on");
    street_time_passes(TIME_S);
    customer(disorder);
    work(disorder);
    customer(disorder);
    ask(disorder);
    street_try("clock real");
    disorder->last_payment = fixture_int(street.db, "SELECT COALESCE(MAX(id), 0) FROM payment_record");
}

/* Something is under way when it dies. */
static pid_t under_way(struct disorder *disorder)
{
    char number[40];
    make_due();
    if (percent(disorder, 50) || !any_order(disorder, number))
        return street_begin("worker --once");
    if (percent(disorder, 50))
        return street_begin("pay %s %s --key s%llu-%d", ONE_OF(disorder, "wechat", "alipay"), number,
                            (unsigned long long)disorder->seed, disorder->keys++);
    return street_begin("order refund %s --reason rain --key s%llu-%d", number, (unsigned long long)disorder->seed,
                        disorder->keys++);
}

static void sandbox_dies(struct disorder *disorder)
{
    pid_t pid = under_way(disorder);
    sleep_ms((int)below(disorder, 60));
    trace("  the sandbox dies");
    street_sandbox_kill();
    street_end(pid);
    if (percent(disorder, 50))
        give_back(disorder);
    street_sandbox_start();
}

static void server_dies(struct disorder *disorder)
{
    pid_t pid = under_way(disorder);
    sleep_ms((int)below(disorder, 60));
    trace("  the server dies");
    street_server_crash();
    street_end(pid);
    street_server_restart();
}

static void console(struct disorder *disorder)
{
    char number[40];
    if (!disorder->console || !any_order(disorder, number))
        return;
    trace("  console at %s", number);
    disorder->console = false;
    disorder_console(disorder, number);
}

/* One seed ------------------------------------------------------------------------------------------------------------
 */

static const struct step {
    uint32_t weight;
    void (*run)(struct disorder *disorder);
} steps_of[] = {
    {14, book},     {16, open_code}, {26, customer},    {10, ask},         {8, take_cash},
    {7, cancel},    {6, reprice},    {3, resize},       {3, move},         {10, give_back},
    {6, take_over}, {3, close_case}, {4, end_refund},   {10, fault},       {5, faults_at_random},
    {6, notices},   {14, work},      {3, time_goes_on}, {3, sandbox_dies}, {1, server_dies},
    {4, console},
};

static void step(struct disorder *disorder)
{
    uint32_t sum = 0, at;
    for (size_t i = 0; i < sizeof steps_of / sizeof *steps_of; i++)
        sum += steps_of[i].weight;
    at = below(disorder, sum);
    for (size_t i = 0; i < sizeof steps_of / sizeof *steps_of; i++) {
        if (at < steps_of[i].weight) {
            steps_of[i].run(disorder);
            return;
        }
        at -= steps_of[i].weight;
    }
}

void disorder_run(uint64_t seed, int steps)
{
    struct disorder disorder = {
        .chance = chance_from(seed, 0),
        .seed = seed,
        .last_order = fixture_int(street.db, "SELECT COALESCE(MAX(id), 0) FROM reserve_order"),
        .last_payment = fixture_int(street.db, "SELECT COALESCE(MAX(id), 0) FROM payment_record"),
        .console = seed % 6 == 0,
    };
    for (size_t i = 0; i < SLOTS; i++)
        disorder.slots[i] = street_slot(1 + (int)below(&disorder, 3));
    trace("seed %llu", (unsigned long long)seed);
    book(&disorder);
    for (int i = 0; i < steps; i++)
        step(&disorder);
}
