#include "street.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"

#define WORDS_MOST  40
#define PASSES_MOST 15
#define HOLD_S      1200 /* longer than any hold, and than Alipay's late minute behind it */

struct street street;
static const char *before[] = {"--data", NULL, "--operator", "boss", "--password-file", NULL, NULL};

static unsigned free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static char tried[80];

void street_what(const char *what)
{
    cut_copy(tried, sizeof tried, what);
}

/* Set-up ------------------------------------------------------------------------------------------------- */

static void make_people(void)
{
    static const char *first[] = {"--data", NULL, NULL};
    first[1] = before[1] = street.fixture.server.folder;
    program_before(first);
    before[5] = street.password_file;
    expect(0, "operator add boss --role admin --new-password-file %s", street.password_file);
    expect(0, "--operator boss --password-file %s operator add ann --role clerk --new-password-file %s",
           street.password_file, street.password_file);
    program_before(before);
}

int street_start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&street.fixture, false);
    street.password_file = write_file(street.fixture.folder, "pw", "secret\n", 0600);
    street.said = xprintf("%s/said", street.fixture.folder);
    street.sandbox_folder = xprintf("%s/sandbox", street.fixture.folder);
    street.notify_port = free_port();
    street_sandbox_start();
    setenv("FRONTDESK_CHANNELS_FILE", street.sandbox.channels, 1);
    make_people();
    street.db = fixture_open(&street.fixture);
    passwords_cheap(street.db);
    return 0;
}

int street_stop(void **state)
{
    (void)state;
    street_notify_kill();
    db_close(&street.db);
    free(street.password_file);
    free(street.sandbox_folder);
    free(street.said);
    sandbox_stop(&street.sandbox);
    fixture_stop(&street.fixture);
    return 0;
}

/* Commands ----------------------------------------------------------------------------------------------- */

static int split(char *line, char **words)
{
    int count = 0;
    for (char *at = line; *at && count < WORDS_MOST;) {
        char *out = words[count++] = at;
        bool quoted = false;
        for (; *at && (quoted || *at != ' '); at++)
            if (*at == '\'')
                quoted = !quoted;
            else
                *out++ = *at;
        at += *at == ' ';
        *out = '\0';
    }
    return count;
}

static int be_the_program(void *arg)
{
    char *words[WORDS_MOST + sizeof before / sizeof *before + 2] = {(char *)"frontdesk"};
    int count = 1;
    for (size_t i = 0; before[i]; i++)
        words[count++] = (char *)(uintptr_t)before[i];
    count += split(arg, words + count);
    /* The fixture's guardian waits until nobody holds this any more. */
    close(street.fixture.alive);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int said = open(street.said, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    fixture_quiet();
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    return cli_main(count, words, NULL);
}

static pid_t begin(char *line)
{
    FILE *said = fopen(street.said, "w");
    if (said) {
        fprintf(said, "frontdesk %s\n", line);
        fclose(said);
    }
    pid_t pid = fixture_fork(be_the_program, line);
    free(line);
    street.commands++;
    return pid;
}

#define FILL(line, format)                                                                                             \
    struct buf filled = {0};                                                                                           \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    buf_vprintf(&filled, format, args);                                                                                \
    va_end(args);                                                                                                      \
    char *line = buf_take(&filled)

pid_t street_begin(const char *format, ...)
{
    FILL(line, format);
    return begin(line);
}

static void show_said(void)
{
    char line[1000];
    FILE *said = fopen(street.said, "r");
    while (said && fgets(line, sizeof line, said))
        print_error("  %s", line);
    if (said)
        fclose(said);
}

int street_end(pid_t pid)
{
    int status = fixture_wait(pid);
    bool killed = status == -SIGKILL;
    street.killed += killed;
    if (getenv("TRACE") && status > 0)
        show_said();
    if ((status < 0 && !killed) || status == fd_code_exit(FD_INTERNAL)) {
        show_said();
        fail_msg("%s: a command crashed: %d", tried, status);
    }
    return status;
}

int street_run(const char *format, ...)
{
    FILL(line, format);
    return street_end(begin(line));
}

void street_do(const char *format, ...)
{
    FILL(line, format);
    char *said = xstrdup(line);
    int status = street_end(begin(line));
    if (status != 0) {
        show_said();
        fail_msg("frontdesk %s: status %d", said, status);
    }
    free(said);
}

void street_kill(pid_t pid, int after_ms)
{
    sleep_ms(after_ms);
    kill(pid, SIGKILL);
}

/* What runs beside ------------------------------------------------------------------------------------------ */

bool street_try(const char *format, ...)
{
    FILL(line, format);
    int status = -1;
    if (street.sandbox.pid) {
        struct tree *answer = sandbox_try(&street.sandbox, &status, "%s", line);
        tree_free(&answer);
    }
    free(line);
    return status == 0;
}

void street_sandbox_start(void)
{
    if (street.sandbox.pid)
        return;
    char *url = xprintf("http://127.0.0.1:%u", street.notify_port);
    /* The port stays what it was. */
    const char *const options[] = {"--notify", url, "--one-minute-rule", "off", "--auto-refund", "0", NULL};
    sandbox_start(&street.sandbox, street.sandbox_folder, options);
    free(url);
}

void street_sandbox_kill(void)
{
    sandbox_kill(&street.sandbox);
}

void street_notify_start(void)
{
    if (street.notify)
        return;
    street.notify = street_begin("notify --listen 127.0.0.1:%u", street.notify_port);
}

void street_notify_kill(void)
{
    if (!street.notify)
        return;
    kill(street.notify, SIGKILL);
    fixture_wait(street.notify);
    street.notify = 0;
}

void street_server_crash(void)
{
    int pid = server_pid(&street.fixture.server);
    db_close(&street.db);
    if (pid > 0)
        kill(pid, SIGKILL);
    /* Whoever is under way starts it again, which may be at once. */
    while (pid > 0 && server_pid(&street.fixture.server) == pid)
        sleep_ms(2);
}

void street_server_restart(void)
{
    if (street.db)
        return;
    fixture_restart(&street.fixture);
    street.db = fixture_open(&street.fixture);
}

#define SQL_TRIES 50

void street_sql(const char *format, ...)
{
    FILL(sql, format);
    struct fd_error err = {0};
    int tries = 0;
    /* Notifications and what was left behind write the same rows. */
    while (db_run(street.db, sql, &err) != FD_OK || db_commit(street.db, &err) != FD_OK) {
        db_rollback(street.db);
        if (++tries == SQL_TRIES)
            fail_msg("%s: %s", sql, err.message);
        sleep_ms(20);
    }
    free(sql);
}

/* The hall ------------------------------------------------------------------------------------------------- */

int64_t street_slot(int places)
{
    static int64_t next;
    next++;
    street_sql("INSERT INTO venue (id, name, sport_type, stock_form) VALUES (%lld, 'pool %lld', 'swimming', 'PLACE')",
               (long long)next, (long long)next);
    fixture_sql(
        street.db,
        "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, total_count, "
        "remain_count, price) VALUES (%lld, %lld, CURDATE() + INTERVAL 3 DAY, '10:00:00', '11:00:00', %d, %d, 60)",
        (long long)next, (long long)next, places, places);
    return next;
}

const char *street_phone(void)
{
    static char phone[16];
    static int next;
    fit_printf(phone, "136%08d", next++);
    return phone;
}

const char *street_order(int64_t after, uint32_t index)
{
    static char number[40];
    cut_copy(number, sizeof number,
             fixture_text(street.db, "SELECT order_no FROM reserve_order WHERE id > %lld ORDER BY id LIMIT 1 OFFSET %u",
                          (long long)after, index));
    return number;
}

/* Until it is quiet -------------------------------------------------------------------------------------------- */

void street_time_passes(int seconds)
{
    street_try("clock +%d", seconds);
    street_sql("UPDATE payment_record SET code_until = code_until - INTERVAL %d SECOND, created_at = created_at - "
               "INTERVAL %d SECOND, asked_at = asked_at - INTERVAL %d SECOND WHERE status = 'CREATED'",
               seconds, seconds, seconds);
    street_sql("UPDATE reserve_order SET expire_time = expire_time - INTERVAL %d SECOND WHERE status = 'PENDING_PAY'",
               seconds);
    street_sql("UPDATE refund_record SET next_at = next_at - INTERVAL %d SECOND "
               "WHERE status IN ('CREATED', 'PROCESSING')",
               seconds);
}

/* What the worker gave up is somebody's case; somebody tries again. */
static void retry_cases(void)
{
    char id[24];
    for (;;) {
        cut_copy(id, sizeof id,
                 fixture_text(street.db,
                              "SELECT COALESCE((SELECT c.id FROM money_case c JOIN refund_record r ON r.id = "
                              "c.refund_id WHERE c.kind = 'UNKNOWN' AND c.status <> 'CLOSED' AND r.status = "
                              "'CREATED' AND r.next_at IS NULL LIMIT 1), '')"));
        if (!id[0])
            return;
        street_do("case close %s --as retried --reason again", id);
    }
}

static int64_t open_ends(void)
{
    return fixture_int(street.db,
                       "SELECT (SELECT COUNT(*) FROM payment_record WHERE status = 'CREATED') + (SELECT COUNT(*) FROM "
                       "refund_record WHERE status IN ('CREATED', 'PROCESSING') AND channel IN ('WECHAT', 'ALIPAY')) + "
                       "(SELECT COUNT(*) FROM reserve_order WHERE status = 'PENDING_PAY' AND paid_amount = 0)");
}

static void fail_restless(void)
{
    print_error(
        "%s\n",
        fixture_text(
            street.db,
            "SELECT CONCAT_WS('; ', (SELECT GROUP_CONCAT('payment ', order_no, ' ', channel, ' until ', "
            "code_until) FROM payment_record WHERE status = 'CREATED'), (SELECT "
            "GROUP_CONCAT('refund ', refund_no, ' ', status, ' ', channel, ' next ', "
            "COALESCE(next_at, '-'), ' tries ', tries, ' ', COALESCE(trouble, '')) FROM refund_record WHERE status IN "
            "('CREATED', 'PROCESSING')), (SELECT GROUP_CONCAT('order ', order_no, ' until ', "
            "expire_time, ' live ', live_codes) FROM reserve_order WHERE status = 'PENDING_PAY' AND paid_amount "
            "= 0), NOW())"));
    fail_msg("%s: the worker is not done after %d passes", tried, PASSES_MOST);
}

/* What nobody ended comes through. */
static void end_refunds(void)
{
    struct tree *ledger = sandbox_tell(&street.sandbox, "ledger");
    const struct tree *list = tree_get(ledger, "refunds");
    for (size_t i = 0; i < tree_count(list); i++)
        if (strcmp(tree_get_text(tree_at(list, i), "state"), "PROCESSING") == 0)
            street_try("refund-done %s success", tree_get_text(tree_at(list, i), "number"));
    tree_free(&ledger);
}

static void be_quiet(void)
{
    street_server_restart();
    street_sandbox_start();
    sandbox_do(&street.sandbox, "fault off");
    sandbox_do(&street.sandbox, "notify on");
    sandbox_do(&street.sandbox, "delay 0");
    sandbox_do(&street.sandbox, "auto-refund 0");
    end_refunds();
}

void street_settle(void)
{
    int passes = 0;
    be_quiet();
    do {
        if (++passes > PASSES_MOST)
            fail_restless();
        street_time_passes(HOLD_S);
        /* First nothing can be paid any more by the channel's clock; then it agrees with ours again, for an order that
         * is made only to be closed has to end after now. */
        if (passes > 1)
            sandbox_do(&street.sandbox, "clock real");
        retry_cases();
        street_do("worker --once");
    } while (open_ends() > 0);
    /* What the worker puts on the list of people is there with the next pass. */
    street_do("worker --once");
    sandbox_do(&street.sandbox, "clock real");
}
