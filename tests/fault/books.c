#include "books.h"

#include "base/mem.h"
#include "sound.h"

#define LINE_BYTES 300
#define CHUNK      40 /* rows whose numbers the fixture's text holds */

static int64_t wrong;
static const char *saying;

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    struct buf line = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&line, format, args);
    va_end(args);
    print_error("%s: %s\n", saying, buf_text(&line));
    buf_release(&line);
    wrong++;
}

static char *our_channel(const struct tree *row)
{
    const char *name = tree_get_text(row, "channel");
    return xstrdup(name && strcmp(name, "alipay") == 0 ? "ALIPAY" : "WECHAT");
}

/* What the channel has must be here ----------------------------------------------------------------------------- */

static void check_trade(const struct tree *row)
{
    const char *number = tree_get_text(row, "number"), *state = tree_get_text(row, "state");
    int64_t paid_fen = tree_get_int(row, "paid_fen");
    char *channel = our_channel(row);
    const char *ours = fixture_text(street.db,
                                    "SELECT COALESCE((SELECT CONCAT(status, ' ', CAST(amount * 100 AS SIGNED)) FROM "
                                    "payment_record WHERE order_no = '%s' AND channel = '%s'), 'nothing')",
                                    number, channel);
    char paid_here[64];
    fit_printf(paid_here, "SUCCESS %lld", (long long)paid_fen);
    if (paid_fen == 0 && strncmp(ours, "SUCCESS", 7) == 0)
        tell("%s %s is %s at the channel, here %s", channel, number, state, ours);
    /* Another amount than ours is a case, whatever became of it. */
    if (paid_fen > 0 && strcmp(ours, paid_here) != 0 &&
        fixture_int(street.db, "SELECT COUNT(*) FROM money_case WHERE kind = 'AMOUNT' AND subject = '%s'", number) == 0)
        tell("%s %s: %lld fen paid at the channel, here %s", channel, number, (long long)paid_fen, ours);
    free(channel);
}

/* A refund of ours by its state at the channel. What failed for good may be made good by another one or by hand. */
static const struct {
    const char *theirs, *ours;
} refund_states[] = {
    {"SUCCESS", "SUCCESS"}, {"CLOSED", "FAILED"}, {"ABNORMAL", "ABNORMAL"}, {"PROCESSING", "PROCESSING"}};

static void check_refund(const struct tree *row)
{
    const char *number = tree_get_text(row, "number"), *state = tree_get_text(row, "state"), *wanted = "?";
    char *channel = our_channel(row);
    char line[LINE_BYTES];
    for (size_t i = 0; i < sizeof refund_states / sizeof *refund_states; i++)
        if (strcmp(refund_states[i].theirs, state) == 0)
            wanted = refund_states[i].ours;
    fit_printf(line, "%s %lld %s", wanted, (long long)tree_get_int(row, "amount_fen"), tree_get_text(row, "trade"));
    const char *ours =
        fixture_text(street.db,
                     "SELECT COALESCE((SELECT CONCAT(r.status, ' ', CAST(r.amount * 100 AS SIGNED), ' ', "
                     "p.order_no) FROM refund_record r JOIN payment_record p ON p.id = r.payment_id "
                     "WHERE r.refund_no = '%s' AND r.channel = '%s'), 'nothing')",
                     number, channel);
    if (strcmp(ours, line) != 0)
        tell("refund %s at %s: %s there, here %s", number, channel, line, ours);
    free(channel);
}

static const struct tree *find_row(const struct tree *list, const char *number)
{
    for (size_t i = 0; i < tree_count(list); i++)
        if (strcmp(tree_get_text(tree_at(list, i), "number"), number) == 0)
            return tree_at(list, i);
    return NULL;
}

/* What is here must be at the channel ----------------------------------------------------------------------------- */

/* One table of ours: its rows of a channel that ended well, with an id in (:from, :to], as "number fen,number fen". */
static const struct side {
    const char *list, *amount_key, *table, *number, *more;
} sides[] = {
    {"trades", "paid_fen", "payment_record", "order_no", ""},
    {"refunds", "amount_fen", "refund_record", "refund_no", "AND reference IS NULL"},
};
#define SIDES (sizeof sides / sizeof *sides)

/* What was looked at before and ended then stays so: a long run does not begin with the first row again. */
static struct {
    size_t theirs;
    int64_t ours;
} seen[SIDES];

static void check_pairs(const struct tree *list, const char *amount_key, char *all)
{
    char *place = NULL;
    for (char *pair = strtok_r(all, ",", &place); pair; pair = strtok_r(NULL, ",", &place)) {
        char *fen = strchr(pair, ' ');
        *fen++ = '\0';
        const struct tree *row = find_row(list, pair);
        if (!row || tree_get_int(row, amount_key) != strtoll(fen, NULL, 10))
            tell("%s over %s fen is here, and at the channel %lld", pair, fen,
                 row ? (long long)tree_get_int(row, amount_key) : -1LL);
    }
}

static void check_ours(const struct tree *ledger, size_t at)
{
    const struct side *side = &sides[at];
    int64_t last = fixture_int(street.db, "SELECT COALESCE(MAX(id), 0) FROM %s", side->table);
    for (int64_t from = seen[at].ours; from < last; from += CHUNK) {
        char *all = xstrdup(
            fixture_text(street.db,
                         "SELECT GROUP_CONCAT(%s, ' ', CAST(amount * 100 AS SIGNED)) FROM %s WHERE status = 'SUCCESS' "
                         "AND channel IN ('WECHAT', 'ALIPAY') AND id > %lld AND id <= %lld %s",
                         side->number, side->table, (long long)from, (long long)from + CHUNK, side->more));
        check_pairs(tree_get(ledger, side->list), side->amount_key, all);
        free(all);
    }
    seen[at].ours = last;
}

static void check_theirs(const struct tree *ledger, size_t at, void (*check)(const struct tree *row))
{
    const struct tree *list = tree_get(ledger, sides[at].list);
    for (size_t i = seen[at].theirs; i < tree_count(list); i++)
        check(tree_at(list, i));
    seen[at].theirs = tree_count(list);
}

/* Money and orders ------------------------------------------------------------------------------------------------- */

/* A query that finds what must not be: a text for each row. */
static const struct {
    const char *what, *sql;
} never[] = {
    {"a code is live", "SELECT GROUP_CONCAT(order_no) FROM reserve_order WHERE live_codes <> 0"},
    {"a code was not asked to its end", "SELECT GROUP_CONCAT(order_no) FROM payment_record WHERE status = 'CREATED'"},
    {"one request made two refunds of a payment",
     "SELECT GROUP_CONCAT(request_key) FROM (SELECT request_key FROM refund_record WHERE request_key IS NOT NULL "
     "AND status <> 'FAILED' GROUP BY request_key, payment_id, order_no HAVING COUNT(*) > 1) twice"},
    {"more went back than came",
     "SELECT GROUP_CONCAT(p.order_no) FROM payment_record p WHERE p.amount < (SELECT COALESCE(SUM(r.amount), 0) FROM "
     "refund_record r WHERE r.payment_id = p.id AND r.status <> 'FAILED')"},
    {"money without an order, a refund or a case",
     "SELECT GROUP_CONCAT(o.order_no, ' ', o.status) FROM reserve_order o WHERE o.status IN ('CANCELLED', 'REFUNDED', "
     "'REFUNDING') AND (SELECT COALESCE(SUM(a.amount), 0) FROM pay_allocation a JOIN payment_record p ON p.id = "
     "a.payment_id WHERE a.order_no = o.order_no AND p.status = 'SUCCESS') > (SELECT COALESCE(SUM(r.amount), 0) FROM "
     "refund_record r WHERE r.order_no = o.order_no AND (r.status <> 'FAILED' OR r.owed = 1)) + (SELECT "
     "COALESCE(SUM(c.amount), 0) FROM money_case c WHERE c.order_no = o.order_no AND c.status <> 'CLOSED' AND c.kind "
     "IN "
     "('LATE', 'SURPLUS'))"},
    {"a refund that failed and nobody's case",
     "SELECT GROUP_CONCAT(r.refund_no) FROM refund_record r WHERE r.status IN ('FAILED', 'ABNORMAL') AND r.channel IN "
     "('WECHAT', 'ALIPAY') AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.subject = r.refund_no)"},
    {"paid twice",
     "SELECT GROUP_CONCAT(o.order_no, ' ', o.total_amount) FROM reserve_order o WHERE o.status IN ('PAID', "
     "'COMPLETED') "
     "AND (SELECT COALESCE(SUM(a.amount), 0) FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id WHERE "
     "a.order_no = o.order_no AND p.status = 'SUCCESS') > o.total_amount + (SELECT COALESCE(SUM(r.amount), 0) FROM "
     "refund_record r WHERE r.order_no = o.order_no AND r.kind <> 'AMOUNT' AND (r.status <> 'FAILED' OR r.owed = 1)) + "
     "(SELECT COALESCE(SUM(c.amount), 0) FROM money_case c WHERE c.order_no = o.order_no AND c.kind IN ('LATE', "
     "'SURPLUS'))"},
    {"a bill part-paid over its time, and nobody's case",
     "SELECT GROUP_CONCAT(o.order_no) FROM reserve_order o WHERE o.status = 'PENDING_PAY' AND NOT EXISTS (SELECT 1 "
     "FROM "
     "money_case c WHERE c.order_no = o.order_no AND c.kind = 'PART_PAID')"},
};

int64_t books_wrong(const char *what)
{
    struct tree *ledger = sandbox_tell(&street.sandbox, "ledger");
    wrong = 0;
    saying = what;
    check_theirs(ledger, 0, check_trade);
    check_theirs(ledger, 1, check_refund);
    for (size_t at = 0; at < SIDES; at++)
        check_ours(ledger, at);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        const char *found = fixture_text(street.db, "%s", never[i].sql);
        if (found[0])
            tell("%s: %s", never[i].what, found);
    }
    tree_free(&ledger);
    return wrong + sound_count(street.db, what, 0);
}

struct books_moved books_moved(void)
{
    struct tree *ledger = sandbox_tell(&street.sandbox, "ledger");
    const struct tree *trades = tree_get(ledger, "trades");
    struct books_moved moved = {.refunded = (int64_t)tree_count(tree_get(ledger, "refunds"))};
    for (size_t i = 0; i < tree_count(trades); i++)
        moved.paid += tree_get_int(tree_at(trades, i), "paid_fen") > 0;
    tree_free(&ledger);
    return moved;
}
