/* Tables that the online system made in its own way: wider, with a sign less, without defaults. The desk works on them,
 * and so do the online system's INSERT and UPDATE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;
static char *password_file;
static const char *before[7] = {"--data", NULL, "--operator", "admin", "--password-file", NULL, NULL};

static const char *const online_tables[] = {
    "CREATE TABLE t_user (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, openid VARCHAR(128) NULL, nickname VARCHAR(100) "
    "NULL, phone VARCHAR(32) NULL, status INT NOT NULL, create_time TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, "
    "avatar VARCHAR(255) NULL, PRIMARY KEY (id), UNIQUE KEY uk_phone (phone)) CHARACTER SET utf8mb4",
    "CREATE TABLE venue (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(128) NOT NULL, sport_type "
    "VARCHAR(64) "
    "NOT NULL, address TEXT NULL, max_people BIGINT NULL, status TINYINT NOT NULL, create_time DATETIME NOT NULL, "
    "update_time DATETIME NOT NULL, PRIMARY KEY (id)) CHARACTER SET utf8mb4",
    "CREATE TABLE venue_schedule (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, venue_id BIGINT UNSIGNED NOT NULL, "
    "schedule_date DATE NOT NULL, start_time TIME NOT NULL, end_time TIME NOT NULL, total_count BIGINT UNSIGNED NOT "
    "NULL, remain_count BIGINT UNSIGNED NOT NULL, price DECIMAL(12,2) NOT NULL, status SMALLINT NOT NULL, version "
    "BIGINT NOT NULL, create_time DATETIME NOT NULL, PRIMARY KEY (id), UNIQUE KEY uk_slot (venue_id, schedule_date, "
    "start_time, end_time)) CHARACTER SET utf8mb4",
    "CREATE TABLE reserve_order (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, order_no VARCHAR(64) NOT NULL, user_id "
    "BIGINT UNSIGNED NOT NULL, venue_id BIGINT UNSIGNED NOT NULL, schedule_id BIGINT UNSIGNED NOT NULL, schedule_date "
    "DATE NOT NULL, start_time TIME NOT NULL, end_time TIME NOT NULL, quantity INT NOT NULL, total_amount "
    "DECIMAL(12,2) NOT NULL, status VARCHAR(32) NOT NULL, expire_time DATETIME(3) NULL, paid_time DATETIME(3) NULL, "
    "cancel_time DATETIME(3) NULL, cancel_reason VARCHAR(500) NULL, create_time DATETIME(3) NOT NULL, update_time "
    "DATETIME(3) NOT NULL, idempotency_key VARCHAR(128) NULL, PRIMARY KEY (id), UNIQUE KEY uk_order_no (order_no), "
    "UNIQUE KEY uk_idem (idempotency_key)) CHARACTER SET utf8mb4",
    "CREATE TABLE payment_record (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, order_no VARCHAR(64) NOT NULL, "
    "payment_no VARCHAR(128) NULL, channel VARCHAR(32) NOT NULL, amount DECIMAL(12,2) NOT NULL, status VARCHAR(32) NOT "
    "NULL, callback_time DATETIME NULL, callback_payload MEDIUMTEXT NULL, notify_status VARCHAR(32) NULL, "
    "channel_return_code VARCHAR(64) NULL, PRIMARY KEY (id), UNIQUE KEY uk_pay (payment_no), UNIQUE KEY uk_oc "
    "(order_no, channel)) CHARACTER SET utf8mb4",
};

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    before[1] = fixture.server.folder;
    before[5] = password_file;
    program_before(before);
    db = fixture_open(&fixture);
    for (size_t i = 0; i < sizeof online_tables / sizeof *online_tables; i++)
        fixture_sql(db, "%s", online_tables[i]);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    db_close(&db);
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

static void every_difference_is_named_and_borne(void **state)
{
    (void)state;
    struct ran ran = run("migrate");
    if (ran.status != 0)
        fail_msg("status %d: %s", ran.status, ran.err);
    static const char *const named[] = {"t_user.id is bigint unsigned instead of bigint",
                                        "t_user.status has no default",
                                        "venue.address is text instead of varchar(255)",
                                        "venue_schedule.version has no default",
                                        "reserve_order.expire_time is datetime(3) instead of datetime",
                                        "payment_record.amount is decimal(12,2) instead of decimal(10,2)"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strstr(ran.out, named[i]))
            fail_msg("not named: %s in\n%s", named[i], ran.out);
    ran_free(&ran);
    expect(0, "operator add admin --role admin --new-password-file %s", password_file);
    passwords_cheap(db);
}

static char *booked_order(const char *words)
{
    struct tree *booked = answer("order book --any-of venue=badminton --date +1 --time 10-11 %s", words);
    char *number = xstrdup(tree_get_text(tree_at(tree_get(booked, "orders"), 0), "order_no"));
    tree_free(&booked);
    return number;
}

static void the_desk_works_on_them(void **state)
{
    (void)state;
    expect(0, "venue add --name Court1 --sport badminton --address 'Long Street 1'");
    expect(0, "venue add --name Pool --sport swimming --form PLACE");
    expect(0, "slot generate --venue Court1 --from today --to +1 --hours 0-24 --price 60");
    expect(0, "slot generate --venue Pool --from today --to +1 --hours 0-24 --places 8 --price 45");
    expect(0, "customer add --phone 13800001234 --name Known");
    char *paid = booked_order("--phone 13800001234 --name Known --cash 100");
    expect(0, "order cancel %s", paid);
    char *held = booked_order("--phone 13800001235");
    expect(0, "pay cash %s --tendered 100", held);
    expect(0, "order change %s --note lamp", held);
    expect(0, "order show %s", held);
    expect(0, "why order %s", held);
    expect(0, "order list --date +1 --phone-tail 1235");
    expect(0, "day show --date +1");
    expect(0, "worker --once");
    expect(0, "doctor");
    struct tree *rows = answer("order list --date +1 --status PAID");
    assert_int_equal(tree_count(rows), 1);
    assert_int_equal(tree_get_int(tree_at(rows, 0), "amount_fen"), 6000);
    tree_free(&rows);
    free(paid);
    free(held);
}

static void the_online_system_works_on_them_too(void **state)
{
    (void)state;
    struct db *online = fixture_open_online(&fixture);
    fixture_sql(online, "INSERT INTO t_user (openid, nickname, phone, status, create_time) "
                        "VALUES ('wx1', 'Online', '13900000001', 1, NOW())");
    fixture_sql(online, "INSERT INTO venue (name, sport_type, status, create_time, update_time) "
                        "VALUES ('Court9', 'badminton', 1, NOW(), NOW())");
    fixture_sql(online,
                "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, "
                "price, status, version, create_time) "
                "SELECT MAX(id), CURDATE() + INTERVAL 1 DAY, '20:00', '21:00', 1, 1, 80, 1, 0, NOW() FROM venue");
    fixture_sql(online, "UPDATE venue_schedule SET remain_count = remain_count - 1, version = version + 1 "
                        "ORDER BY id DESC LIMIT 1");
    fixture_sql(online,
                "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                "end_time, quantity, total_amount, status, expire_time, create_time, update_time) "
                "SELECT 'ON-1', (SELECT MAX(id) FROM t_user), venue_id, id, schedule_date, start_time, end_time, 1, "
                "price, 'PENDING_PAY', NOW(3) + INTERVAL 15 MINUTE, NOW(3), NOW(3) FROM venue_schedule "
                "ORDER BY id DESC LIMIT 1");
    fixture_sql(online, "INSERT INTO payment_record (order_no, payment_no, channel, amount, status) "
                        "VALUES ('ON-1', '4200', 'WECHAT', 80, 'CREATED')");
    fixture_sql(online, "UPDATE payment_record SET status = 'SUCCESS', callback_time = NOW() WHERE order_no = 'ON-1'");
    fixture_sql(online, "UPDATE reserve_order SET status = 'PAID', paid_time = NOW(3) WHERE order_no = 'ON-1'");
    struct ran ran = run("why order ON-1");
    assert_int_equal(ran.status, 0);
    assert_non_null(strstr(ran.out, "online"));
    ran_free(&ran);
    expect(0, "doctor");
    db_close(&online);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_is_named_and_borne),
        cmocka_unit_test(the_desk_works_on_them),
        cmocka_unit_test(the_online_system_works_on_them_too),
    };
    return cmocka_run_group_tests_name("cli/online", tests, start, stop);
}
