#include "cli/samples.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/cli.h"
#include "core/operator.h"
#include "money/code.h"
#include "program.h"
#include "support/sandbox.h"

#define WORDS_MOST 40

struct world world;
const enum role world_roles[4] = {ROLE_CLERK, ROLE_FINANCE, ROLE_ADMIN, ROLE_KIOSK};

/* clang-format off */
const struct sample samples[] = {
    {"operator.add", "%name --role clerk --label 前台 --new-password-file %password",
     "%name --role clerk --new-password-file %password", 0, FD_OK},
    {"operator.password", "%operator --new-password-file %password", "%operator --new-password-file %password", 0, FD_OK},
    {"operator.list", "", NULL, 0, FD_OK},
    {"operator.disable", "%operator", "%operator", 0, FD_OK},
    {"operator.disable", "%disabled --undo", "%disabled --undo", 0, FD_OK},
    {"operator.unlock", "%operator", "%operator", 0, FD_OK},
    {"param.list", "", NULL, 0, FD_OK},
    {"param.set", "cart_most 7", "cart_most 8", 0, FD_OK},
    {"rules", "--format dot", NULL, 0, FD_OK},
    {"log", "--order %order", NULL, 0, FD_OK},
    {"customer.find", "%known", NULL, 0, FD_OK},
    {"customer.find", "%known --show-phone", NULL, S_SHOWS_PHONE, FD_OK},
    {"customer.add", "--phone %phone --name 王小明", "--phone %phone --name 王小明", 0, FD_OK},
    {"customer.change", "%customer --note tall", "%customer --note tall", 0, FD_OK},
    {"customer.change", "%known --phone %phone", "%known --phone %phone", 0, FD_OK},
    {"venue.list", "--all", NULL, 0, FD_OK},
    {"venue.add", "--name %name --sport badminton", "--name %name --sport badminton", 0, FD_OK},
    {"venue.change", "%venue --people 5", "%venue --people 5", 0, FD_OK},
    {"venue.change", "%court --name %name", "%court --name %name", 0, FD_OK},
    {"slot.list", "--date +1", NULL, 0, FD_OK},
    {"slot.generate", "--venue %venue --from +1 --to +2 --hours 8-10 --places 4 --price 60",
     "--venue %venue --from +1 --to +2 --hours 8-10 --places 4 --price 60", 0, FD_OK},
    {"slot.close", "--slot %slot", "--slot %slot", 0, FD_OK},
    {"slot.open", "--slot %closed", "--slot %closed", 0, FD_OK},
    {"slot.price", "--slot %slot --price 70", "--slot %slot --price 70", 0, FD_OK},
    {"day.show", "+1", NULL, 0, FD_OK},
    {"order.book", "--slot %slot --phone %phone", "--slot %slot --phone %phone", 0, FD_OK},
    {"order.book", "--slot %slot,%slot --phone %phone --name 李 --card S1", "--slot %slot,%slot --phone %phone", 0, FD_OK},
    {"order.book", "--slot %running --cash 100 --check-in", "--slot %running --cash 100 --check-in", 0, FD_OK},
    {"order.book", "--any-of %court --date +1 --time 10 --phone %phone",
     "--any-of %court --date +1 --time 10 --phone %phone", 0, FD_OK},
    {"order.show", "%paid", NULL, S_SHOWS_PHONE, FD_OK},
    {"order.list", "--date +1", NULL, 0, FD_OK},
    {"order.change", "%paid --note lamp", "%paid --note lamp", 0, FD_OK},
    {"order.change", "%order --quantity 2", "%order --quantity 2", 0, FD_OK},
    {"order.change", "%paid --quantity 2 --cash 100", "%paid --quantity 2 --cash 100", 0, FD_OK},
    {"order.change", "%order --extend", "%order --extend", 0, FD_OK},
    {"order.move", "%order --slot %slot", "%order --slot %slot", 0, FD_OK},
    {"order.move", "%paid --slot %slot", "%paid --slot %slot", 0, FD_OK},
    {"order.cancel", "%order", "%order", 0, FD_OK},
    {"order.cancel", "%paid", "%paid", 0, FD_OK},
    {"order.refund", "%paid --amount 5", "%paid --amount 5", 0, FD_OK},
    {"order.refund", "%paid", "%paid", 0, FD_OK},
    {"price.change", "%order --to 70", "%order --to 70", 0, FD_OK},
    {"price.change", "%paid --to 60 --from 80", "%paid --to 60 --from 80", 0, FD_OK},
    {"approve.list", "--all", NULL, 0, FD_OK},
    {"approve.ask", "refund %paid", "refund %paid", 0, FD_OK},
    {"approve.ask", "price %order --amount 9", "price %order --amount 9", 0, FD_OK},
    {"approve.grant", "%approval", "%approval", 0, FD_OK},
    {"approve.deny", "%approval", "%approval", 0, FD_OK},
    {"order.check-in", "%playing", "%playing", 0, FD_OK},
    {"why.slot", "%slot", NULL, 0, FD_OK},
    {"why.order", "%paid", NULL, 0, FD_OK},
    {"why.day", "today", NULL, 0, FD_OK},
    {"pay.cash", "%order --tendered 100", "%order --tendered 100", 0, FD_OK},
    {"pay.card", "%order --reference S2", "%order --reference S2", 0, FD_OK},
    {"pay.transfer", "%order --reference T1", "%order --reference T1", 0, FD_OK},
    {"pay.static", "%order --reference C1", "%order --reference C1", 0, FD_OK},
    {"pay.voucher", "%order --reference V1", "%order --reference V1", 0, FD_OK},
    {"pay.wechat", "%order", "%order", S_CHANNEL, FD_OK},
    {"pay.alipay", "%order --amount 1", "%order", S_CHANNEL, FD_OK},
    {"pay.code", "%coded", NULL, 0, FD_CONFIG}, /* no channel is configured */
    {"channel.check", "", NULL, 0, FD_CONFIG},
    {"channel.check", "", NULL, S_CHANNEL, FD_OK},
    {"print.receipt", "%paid", "%paid", 0, FD_OK},
    {"print.code", "%coded", "%coded", 0, FD_OK},
    {"print.ticket", "%paid", "%paid", 0, FD_OK},
    {"print.refund", "%refunded", "%refunded", 0, FD_OK},
    {"print.shift", "%shift", "%shift", 0, FD_OK},
    {"printer.test", "", NULL, 0, FD_OK},
    {"printer.list", "--all", NULL, 0, FD_OK},
    {"printer.flush", "", NULL, 0, FD_OK},
    {"printer.drop", "%job", "%job", 0, FD_OK},
    {"case.list", "--all", NULL, 0, FD_OK},
    {"case.show", "%case", NULL, 0, FD_OK},
    {"case.take", "%case", "%case", 0, FD_OK},
    {"case.close", "%case --as confirmed", "%case --as confirmed", 0, FD_OK},
    {"case.close", "%case --as rejected", "%case --as rejected", 0, FD_OK},
    {"shift.open", "--float %drawer", "--float %drawer", 0, FD_OK},
    {"shift.in", "%till", "%till", 0, FD_OK},
    {"shift.out", "%till", "%till", 0, FD_OK},
    {"shift.close", "--counted %till --explanation short", "--counted %till --explanation short", 0, FD_OK},
    {"shift.report", "%shift", NULL, 0, FD_OK},
    {"shift.list", "", NULL, 0, FD_OK},
    {"server.start", "", NULL, 0, FD_OK},
    {"server.status", "", NULL, 0, FD_OK},
    {"server.stop", "", NULL, S_AWAY, FD_OK},
    {"migrate", "", NULL, 0, FD_OK},
    {"config", "", NULL, 0, FD_OK},
    {"backup", "%file", NULL, S_MARIADB, FD_OK},
    {"restore", "%backup --yes", NULL, S_MARIADB | S_AWAY, FD_OK},
    {"worker", "--once", NULL, 0, FD_OK},
    {"notify", "--listen 127.0.0.1:0", NULL, 0, FD_CONFIG}, /* no channel is configured */
    {"doctor", "", NULL, 0, FD_OK},
    {"completion", "bash", NULL, 0, FD_OK},
    {"demo.load", "", NULL, 0, FD_REFUSED}, /* this is no folder of the demo */
    {"demo.days", "", NULL, 0, FD_REFUSED},
    {NULL, NULL, NULL, 0, FD_OK},
};
/* clang-format on */

/* Asking ----------------------------------------------------------------------------------------- */

enum fd_code ask(const struct asked *asked, char **answer, struct fd_error *err)
{
    char *words[WORDS_MOST], *place = NULL, *line = xstrdup(asked->words);
    struct desk *own = NULL;
    int count = 0;
    struct call call = {.desk = asked->desk,
                        .config = world.config,
                        .action = asked->action,
                        .key = asked->key,
                        .reason = asked->reason,
                        .today = asked->desk ? world.today : DAY_NONE};
    for (char *word = strtok_r(line, " ", &place); word && count < WORDS_MOST; word = strtok_r(NULL, " ", &place))
        words[count++] = word;
    enum fd_code code = call_parse(&call, count, words, NULL, err);
    if (code == FD_OK)
        code = call_run(&call, err);
    if (code != FD_OK && call.text.bytes)
        print_error("%s", buf_text(&call.text));
    if (answer)
        *answer = code == FD_OK && call.answer ? tree_dump(call.answer) : NULL;
    if (call.desk != asked->desk)
        own = call.desk;
    call_release(&call);
    desk_close(&own);
    free(line);
    return code;
}

/* The world -------------------------------------------------------------------------------------- */

static struct desk *open_desk(enum role role)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&world.fixture);
    struct desk *desk;
    must(desk_open_at(world.config, &target, &desk, &err));
    if (role != ROLE_NONE)
        must(operator_sign_in(desk, role_name(role), "secret", &err));
    return desk;
}

static void open_db(void)
{
    world.db = fixture_open(&world.fixture);
    /* What describes all tables in one statement is long. */
    fixture_sql(world.db, "SET SESSION group_concat_max_len = 1000000");
}

static void sign_in_all(void)
{
    world.desks[ROLE_NONE] = open_desk(ROLE_NONE);
    for (size_t i = 0; i < sizeof world_roles / sizeof *world_roles; i++)
        world.desks[world_roles[i]] = open_desk(world_roles[i]);
}

static void close_all(void)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        desk_close(&world.desks[i]);
    db_close(&world.db);
}

void world_away(void)
{
    close_all();
    fixture_restart(&world.fixture);
    open_db();
}

void world_back(void)
{
    sign_in_all();
}

static void make_operators(void)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&world.fixture);
    struct db *bare = fixture_open(&world.fixture);
    struct desk *desk;
    must(desk_migrate(bare, world.fixture.database, NULL, NULL, &err));
    must(desk_open_at(world.config, &target, &desk, &err));
    must(operator_add(desk, NULL, &(struct operator_new){"admin", "Admin", ROLE_ADMIN, "secret"}, &err));
    must(operator_sign_in(desk, "admin", "secret", &err));
    for (size_t i = 0; i < sizeof world_roles / sizeof *world_roles; i++)
        if (world_roles[i] != ROLE_ADMIN)
            must(operator_add(
                desk, NULL,
                &(struct operator_new){role_name(world_roles[i]), role_name(world_roles[i]), world_roles[i], "secret"},
                &err));
    passwords_cheap(bare);
    db_close(&bare);
    desk_close(&desk);
}

void world_start(void)
{
    struct fd_error err = {0};
    wall_t now;
    cli_register();
    fixture_start(&world.fixture, false);
    char *file = write_file(world.fixture.folder, "empty.conf", "", 0600);
    must(config_load(file, &world.config, &err));
    free(file);
    must(config_set(world.config, CONFIG_DATA, world.fixture.server.folder, &err));
    file = write_file(world.fixture.folder, "printer", "", 0600);
    char *target = xprintf("file:%s", file);
    must(config_set(world.config, CONFIG_PRINTER, target, &err));
    free(target);
    free(file);
    make_operators();
    open_db();
    sign_in_all();
    must(desk_now(world.desks[ROLE_ADMIN], &now, &err));
    world.today = wall_day(now);
}

void world_channels(bool on)
{
    static struct sandbox sandbox;
    struct fd_error err = {0};
    if (on && !sandbox.pid) {
        char *folder = xprintf("%s/sandbox", world.fixture.folder);
        sandbox_start(&sandbox, folder, NULL);
        free(folder);
    }
    if (!on)
        sandbox_stop(&sandbox);
    must(config_set(world.config, CONFIG_CHANNELS, on ? sandbox.channels : "", &err));
    for (int role = 0; role < ROLE_COUNT; role++)
        if (world.desks[role]) {
            channels_free(&world.desks[role]->channels);
            world.desks[role]->channels_read = false;
        }
}

void world_stop(void)
{
    close_all();
    config_free(world.config);
    fixture_stop(&world.fixture);
}

/* What stands in the places ---------------------------------------------------------------------- */

static int next_number(void)
{
    static int number;
    return ++number;
}

static char *new_name(void)
{
    return xprintf("n%d", next_number());
}

static char *new_phone(void)
{
    return xprintf("139%08d", next_number());
}

static int64_t last_id(const char *table)
{
    return fixture_int(world.db, "SELECT MAX(id) FROM %s", table);
}

static int64_t add_venue(void)
{
    int number = next_number();
    fixture_sql(world.db, "INSERT INTO venue (name, sport_type, stock_form) VALUES ('v%d', 'sport%d', 'PLACE')", number,
                number);
    return last_id("venue");
}

/* The day that is now, and goes on for a while: shortly before midnight it waits for the next one. */
static day_t running_day(void)
{
    int64_t left_s = 86400 - fixture_int(world.db, "SELECT TIME_TO_SEC(CURTIME())");
    if (left_s <= 10)
        sleep((unsigned)left_s + 1);
    assert_true(day_from_sql(fixture_text(world.db, "SELECT CURDATE()"), &world.today));
    return world.today;
}

/* Two slots in a row, so that an order on the first can be extended. */
static int64_t add_slots(bool running)
{
    char first[DAY_TEXT], second[DAY_TEXT];
    int64_t venue = add_venue();
    day_t day = running ? running_day() : world.today + 1;
    fixture_sql(world.db,
                "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, "
                "price) VALUES (%" PRId64 ", '%s', '%s', '%s', 4, 4, 80), (%" PRId64
                ", '%s', '11:00', '12:00', 4, 4, 80)",
                venue, day_sql(day, first), running ? "00:00" : "10:00", running ? "24:00" : "11:00",
                venue, day_sql(day + running, second));
    return fixture_int(world.db, "SELECT MIN(id) FROM venue_schedule WHERE venue_id = %" PRId64, venue);
}

static char *new_slot(void)
{
    return xprintf("%" PRId64, add_slots(false));
}

static char *running_slot(void)
{
    return xprintf("%" PRId64, add_slots(true));
}

static char *closed_slot(void)
{
    int64_t slot = add_slots(false);
    fixture_sql(world.db, "UPDATE venue_schedule SET status = 0, close_reason = 'rain' WHERE id = %" PRId64, slot);
    return xprintf("%" PRId64, slot);
}

static char *new_venue(void)
{
    return xprintf("#%" PRId64, add_venue());
}

/* By its name, with a slot tomorrow at 10. */
static char *new_court(void)
{
    add_slots(false);
    return xstrdup(fixture_text(world.db, "SELECT name FROM venue ORDER BY id DESC LIMIT 1"));
}

static char *book(int64_t slot, const char *tender)
{
    struct fd_error err = {0};
    char *phone = new_phone();
    char *words = xprintf("--slot %" PRId64 " --phone %s%s", slot, phone, tender);
    char *json;
    const struct asked asked = {
        .desk = world.desks[ROLE_CLERK], .action = action_find("order", "book"), .words = words};
    must(ask(&asked, &json, &err));
    struct tree *answer = tree_parse(json);
    char *number = xstrdup(tree_get_text(tree_at(tree_get(answer, "orders"), 0), "order_no"));
    tree_free(&answer);
    free(json);
    free(words);
    free(phone);
    return number;
}

static char *unpaid_order(void)
{
    return book(add_slots(false), "");
}

static char *paid_order(void)
{
    return book(add_slots(false), " --cash 100");
}

static char *playing_order(void)
{
    return book(add_slots(true), " --cash 100");
}

/* One with a payment code that can still be paid, as the channel gave it. */
static char *coded_order(void)
{
    char *number = unpaid_order();
    int turn = next_number();
    fixture_sql(world.db,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, code, "
                "code_until, operator, request_key, created_at) VALUES ('PYS%d', 'RCS%d', 'RCS%d', 'WECHAT', 80, "
                "'CREATED', 'weixin://wxpay/bizpayurl?pr=S%d', NOW() + INTERVAL 10 MINUTE, 'clerk', 'sample', NOW())",
                turn, turn, turn, turn);
    fixture_sql(world.db, "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (LAST_INSERT_ID(), '%s', 80)",
                number);
    fixture_sql(world.db, "UPDATE reserve_order SET live_codes = 1, version = version + 1 WHERE order_no = '%s'",
                number);
    return number;
}

static char *refunded_order(void)
{
    struct fd_error err = {0};
    char *number = paid_order();
    const struct asked asked = {.desk = world.desks[ROLE_ADMIN],
                                .action = action_find("order", "cancel"),
                                .words = number,
                                .reason = "sample"};
    must(ask(&asked, NULL, &err));
    return number;
}

static char *old_shift(void)
{
    fixture_sql(world.db, "INSERT INTO shift (terminal, status, opened_by, opened_at, opening, closed_by, closed_at, "
                          "expected, counted, difference, float_left) VALUES ('sample', 'CLOSED', 'clerk', NOW(), 0, "
                          "'clerk', NOW(), 0, 0, 0, 0)");
    return xprintf("%" PRId64, last_id("shift"));
}

/* A tender that finance has to confirm. */
static char *confirm_case(void)
{
    free(book(add_slots(false), " --transfer T1"));
    return xprintf("%" PRId64, last_id("money_case"));
}

/* An amount of its own, for a drawer without a shift. */
static char *closed_drawer(void)
{
    fixture_sql(world.db,
                "UPDATE shift s SET s.status = 'CLOSED', s.closed_by = 'clerk', s.closed_at = NOW(), s.difference = 0, "
                "s.float_left = 0, s.expected = s.opening "
                "+ (SELECT COALESCE(SUM(p.amount), 0) FROM payment_record p WHERE p.shift = s.id AND p.channel = 'CASH') "
                "- (SELECT COALESCE(SUM(r.amount), 0) FROM refund_record r WHERE r.shift = s.id AND r.channel = 'CASH') "
                "+ (SELECT COALESCE(SUM(m.amount), 0) FROM shift_cash m WHERE m.shift_id = s.id), "
                "s.counted = s.expected WHERE s.status = 'OPEN'");
    return xprintf("%d", next_number());
}

/* The same for one that has a shift and enough in it. */
static char *open_drawer(void)
{
    free(closed_drawer());
    fixture_sql(world.db, "INSERT INTO shift (terminal, status, opened_by, opened_at, opening) VALUES ('%s', 'OPEN', "
                          "'clerk', NOW(), 100000)", world.desks[ROLE_CLERK]->terminal);
    return xprintf("%d", next_number());
}

/* One that a clerk asks for. */
static char *asked_approval(void)
{
    struct fd_error err = {0};
    char *number = paid_order(), *words = xprintf("refund %s", number);
    const struct asked asked = {.desk = world.desks[ROLE_CLERK],
                                .action = action_find("approve", "ask"),
                                .words = words,
                                .reason = "sample"};
    must(ask(&asked, NULL, &err));
    free(words);
    free(number);
    return xprintf("%" PRId64, last_id("approval"));
}

static char *print_job(void)
{
    fixture_sql(world.db,
                "INSERT INTO print_job (terminal, kind, subject, document, status, operator) "
                "VALUES ('sample', 'test', 's%d', '{\"lines\":[]}', 'WAITING', 'clerk')",
                next_number());
    return xprintf("%" PRId64, last_id("print_job"));
}

static char *known_phone(void)
{
    char *phone = new_phone();
    fixture_sql(world.db, "INSERT INTO t_user (nickname, phone) VALUES ('Known', '%s')", phone);
    return phone;
}

static char *new_customer(void)
{
    free(known_phone());
    return xprintf("#%" PRId64, last_id("t_user"));
}

static char *add_operator(int disabled)
{
    char *name = new_name();
    fixture_sql(world.db,
                "INSERT INTO operator_account (name, display_name, role, password_hash, disabled) "
                "VALUES ('%s', 'Sample', 'clerk', '', %d)",
                name, disabled);
    return name;
}

static char *new_operator(void)
{
    return add_operator(0);
}

static char *disabled_operator(void)
{
    return add_operator(1);
}

static char *password_file(void)
{
    return write_file(world.fixture.folder, "new.pw", "other-secret\n", 0600);
}

static char *free_path(void)
{
    return xprintf("%s/b%d.sql", world.fixture.folder, next_number());
}

static char *backup_file(void)
{
    struct fd_error err = {0};
    char *path = free_path();
    const struct asked asked = {.desk = world.desks[ROLE_ADMIN], .action = action_find("backup", ""), .words = path};
    if (db_is_mariadb(world.db))
        must(ask(&asked, NULL, &err));
    return path;
}

static const struct {
    const char *name;
    char *(*make)(void);
} places[] = {
    {"name", new_name},          {"phone", new_phone},
    {"slot", new_slot},          {"running", running_slot},
    {"closed", closed_slot},     {"venue", new_venue},
    {"court", new_court},        {"order", unpaid_order},
    {"paid", paid_order},        {"playing", playing_order},
    {"known", known_phone},      {"customer", new_customer},
    {"operator", new_operator},  {"disabled", disabled_operator},
    {"password", password_file}, {"file", free_path},
    {"backup", backup_file},     {"coded", coded_order},
    {"refunded", refunded_order}, {"shift", old_shift},
    {"case", confirm_case},      {"drawer", closed_drawer},
    {"till", open_drawer},
    {"job", print_job},          {"approval", asked_approval},
};

static char *made_for(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && strncmp(places[i].name, name, length) == 0)
            return places[i].make();
    fail_msg("no place is called %%%.*s", (int)length, name);
    return NULL;
}

char *sample_fill(const char *words)
{
    struct buf out = {0};
    while (*words) {
        size_t plain = strcspn(words, "%");
        buf_add_bytes(&out, words, plain);
        words += plain;
        if (!*words)
            break;
        size_t length = strspn(words + 1, "abcdefghijklmnopqrstuvwxyz");
        char *made = made_for(words + 1, length);
        buf_add(&out, made);
        free(made);
        words += 1 + length;
    }
    return buf_take(&out);
}
