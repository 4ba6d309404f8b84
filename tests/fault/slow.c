#include "slow.h"

#include <sys/wait.h>

#include "street.h"

#define DELAY_MS 10000
#define WATCH_MS 8000 /* since the first began: less than its channel takes */
#define LOOKS    10
#define LOOK_MS  150 /* the server renews its list only where nobody asked for 100 ms */
#define OLD_S    2   /* what is open for so long is not a transaction that is just being committed */
#define CODES    (sizeof coded / sizeof *coded)
#define PAIDS    (sizeof paid / sizeof *paid)

/* Everything that calls a channel: at an order with a live code, at a paid one, at one that owes. */
static const char *const coded[] = {
    "pay code %",
    "pay code % --close",
    "order cancel % --reason gone",
    "price change % --to 50 --reason friend",
    "order change % --quantity 2",
    "pay alipay %",
};
static const char *const paid[] = {
    "order refund % --reason rain", "order refund % --amount 10 --reason rain",
    "order cancel % --reason rain", "price change % --to 50 --reason friend",
    "order change % --quantity 1",
};
static const char *const open_[] = {"pay wechat %", "pay alipay %"};
#define OPENS (sizeof open_ / sizeof *open_)
#define CALLS (CODES + PAIDS + OPENS + 3)

static void sell(const char *tender, int quantity, char number[40])
{
    int64_t last = fixture_int(street.db, "SELECT COALESCE(MAX(id), 0) FROM reserve_order");
    street_do("order book --slot %lld --phone %s --quantity %d%s", (long long)street_slot(3), street_phone(), quantity,
              tender);
    cut_copy(number, 40, street_order(last, 0));
}

static void pay_last(void)
{
    street_try("pay %s", fixture_text(street.db, "SELECT MAX(order_no) FROM payment_record WHERE status = 'CREATED'"));
    street_sql("UPDATE payment_record SET asked_at = NULL WHERE status = 'CREATED'");
    street_do("worker --once");
}

static pid_t begin(const char *pattern, const char *number)
{
    char line[200];
    const char *hole = strchr(pattern, '%');
    fit_printf(line, "%.*s%s%s", (int)(hole - pattern), pattern, number, hole + 1);
    return street_begin("%s", line);
}

struct calls {
    int64_t began;
    pid_t pids[CALLS];
    const char *names[CALLS];
    size_t count;
};

static void add(struct calls *calls, const char *name, pid_t pid)
{
    calls->names[calls->count] = name;
    calls->pids[calls->count++] = pid;
}

/* Each has an order of its own, so that none waits for another's lock. */
static void begin_all(struct calls *calls)
{
    char coded_no[CODES][40], paid_no[PAIDS][40], open_no[OPENS][40], part[40];
    for (size_t i = 0; i < PAIDS; i++) {
        sell(" --wechat", 2, paid_no[i]);
        pay_last();
    }
    for (size_t i = 0; i < CODES; i++)
        sell(i % 2 && i < CODES - 1 ? " --alipay" : " --wechat", 1, coded_no[i]);
    for (size_t i = 0; i < OPENS; i++)
        sell("", 1, open_no[i]);
    sell(" --wechat", 1, part);
    sandbox_do(&street.sandbox, "delay %d", DELAY_MS);
    calls->began = mono_ms();
    for (size_t i = 0; i < PAIDS; i++)
        add(calls, paid[i], begin(paid[i], paid_no[i]));
    street_sql("UPDATE payment_record SET asked_at = NULL WHERE status = 'CREATED'");
    for (size_t i = 0; i < CODES; i++)
        add(calls, coded[i], begin(coded[i], coded_no[i]));
    for (size_t i = 0; i < OPENS; i++)
        add(calls, open_[i], begin(open_[i], open_no[i]));
    add(calls, "order book",
        street_begin("order book --slot %lld --phone %s --wechat", (long long)street_slot(1), street_phone()));
    add(calls, "channel check", street_begin("channel check"));
    add(calls, "worker", street_begin("worker --once"));
}

static int64_t old_transactions(void)
{
    return fixture_int(
        street.db,
        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> CONNECTION_ID() "
        "AND trx_started < NOW() - INTERVAL %d SECOND",
        OLD_S);
}

static const char *old_query(void)
{
    return fixture_text(street.db,
                        "SELECT GROUP_CONCAT(COALESCE(trx_query, 'between statements'), ' since ', trx_started) FROM "
                        "information_schema.innodb_trx WHERE trx_mysql_thread_id <> CONNECTION_ID()");
}

static size_t still_running(const struct calls *calls)
{
    size_t running = 0;
    for (size_t i = 0; i < calls->count; i++) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)calls->pids[i], &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
            running++;
        else
            print_error("%s did not wait for its channel\n", calls->names[i]);
    }
    return running;
}

void no_transaction_is_open_while_a_channel_is_asked(void **state)
{
    (void)state;
    struct calls calls = {0};
    /* The test can see one. */
    struct db *other = fixture_open(&street.fixture);
    struct fd_error err;
    must(db_run(other, "START TRANSACTION", &err));
    must(db_run(other, "UPDATE venue SET name = name WHERE id < 0", &err));
    must(db_run(other, "INSERT INTO venue (id, name, sport_type, stock_form) VALUES (-1, 'x', 'swimming', 'PLACE')",
                &err));
    sleep_ms(1000 * (OLD_S + 1));
    assert_int_equal(old_transactions(), 1);
    db_close(&other);
    begin_all(&calls);
    sleep_ms(1000 * OLD_S);
    int looks = 0;
    for (; mono_ms() < calls.began + WATCH_MS; looks++, sleep_ms(LOOK_MS))
        if (old_transactions() > 0)
            fail_msg("a transaction is open while a channel is asked: %s", old_query());
    size_t running = still_running(&calls);
    print_message("%zu of %zu commands wait for a channel, %d looks, no transaction\n", running, calls.count, looks);
    assert_int_equal(running, calls.count);
    assert_true(looks >= LOOKS);
    sandbox_do(&street.sandbox, "delay 0");
    for (size_t i = 0; i < calls.count; i++)
        street_end(calls.pids[i]);
    street_settle();
}
