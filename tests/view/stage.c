#include "stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "core/operator.h"
#include "money/pay.h"

struct stage stage;

#define DAY "2026-12-01"

/* --- the hall --------------------------------------------------------------------------------- */

int64_t stage_slot(int court, int hour)
{
    return court * 100 + hour;
}

static void make_slots(void)
{
    fixture_sql(stage.online, "INSERT INTO venue_schedule (id, venue_id, schedule_date, start_time, end_time, "
                              "total_count, remain_count, price) "
                              "SELECT v.id * 100 + h.hour, v.id, '" DAY
                              "', MAKETIME(h.hour, 0, 0), MAKETIME(h.hour + 1, 0, 0), p.places, p.places, "
                              "IF(v.id <= 8, IF(h.hour >= 18, 80, 60), p.price) FROM venue v JOIN "
                              "(SELECT 1 AS id, 1 AS places, 0 AS price UNION SELECT 9, 8, 45 UNION SELECT 10, 20, 10) "
                              "p ON p.id = IF(v.id <= 8, 1, v.id) "
                              "JOIN (SELECT 8 + a.n + 7 * b.n AS hour FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT "
                              "2 UNION SELECT 3 UNION SELECT 4 "
                              "UNION SELECT 5 UNION SELECT 6) a JOIN (SELECT 0 AS n UNION SELECT 1) b) h ORDER BY 1");
    fixture_sql(stage.online, "UPDATE venue_schedule SET status = 0, close_reason = '保养' WHERE id IN (308, 309)");
    fixture_sql(stage.online, "UPDATE venue_schedule SET status = 0, close_reason = '包场' WHERE id IN (718, 719)");
}

static const struct {
    int slot;
    const char *number, *state;
    int user;
    const char *expire; /* NULL: none */
} orders[] = {
    {109, "20261130VB7K3M9Q2A", "COMPLETED", 11, NULL},
    {110, "20261130VB7K3M9Q2B", "COMPLETED", 11, NULL},
    {208, "20261130VB7K3M9Q2C", "NO_SHOW", 14, NULL},
    {211, "20261130VB7K3M9Q2D", "PAID", 12, NULL},
    {212, "20261130VB7K3M9Q2E", "PAID", 12, NULL},
    {409, "20261130VB7K3M9Q2F", "COMPLETED", 13, NULL},
    {510, "20261201VB7K3M9Q2G", "PENDING_PAY", 14, DAY " 10:51:00"},
    {611, "20261201VB7K3M9Q2H", "PENDING_PAY", 15, DAY " 10:57:00"},
    {709, "20261130VB7K3M9Q2J", "COMPLETED", 16, NULL},
    {319, "20261201VB7K3M9Q2X", "PENDING_PAY", 11, DAY " 18:30:00"},
    {118, "20261130VB7K3M9Q2K", "PAID", 17, NULL},
    {218, "20261130VB7K3M9Q2L", "PAID", 13, NULL},
    {418, "20261130VB7K3M9Q2M", "PAID", 15, NULL},
    {912, "20261130VB7K3M9Q2N", "PAID", 16, NULL},
};

static void make_orders(void)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        char expire[40] = "NULL";
        bool paid = strcmp(orders[i].state, "PENDING_PAY") != 0;
        if (orders[i].expire)
            snprintf(expire, sizeof expire, "'%s'", orders[i].expire);
        fixture_sql(stage.online,
                    "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                    "end_time, quantity, "
                    "total_amount, status, expire_time, paid_time, create_time) SELECT '%s', %d, venue_id, id, "
                    "schedule_date, start_time, "
                    "end_time, 1, price, '%s', %s, %s, '2026-11-30 20:15:00' FROM venue_schedule WHERE id = %d",
                    orders[i].number, orders[i].user, orders[i].state, expire, paid ? "'2026-11-30 20:16:00'" : "NULL",
                    orders[i].slot);
        fixture_sql(stage.online, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %d",
                    orders[i].slot);
        if (paid)
            fixture_sql(
                stage.online,
                "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time) "
                "SELECT order_no, CONCAT('WX', order_no), 'WECHAT', total_amount, 'SUCCESS', '2026-11-30 20:16:00' "
                "FROM reserve_order WHERE order_no = '%s'",
                orders[i].number);
    }
    fixture_sql(stage.online, "UPDATE order_change SET changed_at = '2026-11-30 20:15:00'");
}

static void make_people(void)
{
    static const char *const names[] = {"王小明", "孙丽华", "赵倩", "李建国", "吴敏", "周强", "钱多多"};
    static const char *const phones[] = {"13800001234", "13712118801", "13900007713", "13600000042",
                                         "13500002233", "13400008866", "13300005577"};
    static const char *const initials[] = {"wxm", "slh", "zq", "ljg", "wm", "zq", "qdd"};
    for (int i = 0; i < 7; i++)
        fixture_sql(stage.online,
                    "INSERT INTO t_user (id, openid, nickname, phone, name_initials, note, create_time) "
                    "VALUES (%d, 'o%d', '%s', '%s', '%s', %s, '2026-10-0%d 09:00:00')",
                    11 + i, i, names[i], phones[i], initials[i], i == 0 ? "'左手持拍'" : "NULL", i + 1);
}

static void make_venues(void)
{
    for (int court = 1; court <= 8; court++)
        fixture_sql(stage.online,
                    "INSERT INTO venue (id, name, sport_type, max_people, sort_order) VALUES (%d, '%d号场', "
                    "'badminton', 4, %d)",
                    court, court, court);
    fixture_sql(stage.online, "INSERT INTO venue (id, name, sport_type, max_people, stock_form, sort_order) VALUES "
                              "(9, '泳池', 'swimming', 40, 'PLACE', 9), (10, '球拍', 'racket', 0, 'HOURLY', 10)");
}

static void clear(void)
{
    static const char *const tables[] = {"reserve_order", "payment_record", "pay_allocation",
                                         "refund_record", "order_due",      "bill",
                                         "op_request",    "order_change",   "venue_schedule",
                                         "approval",      "money_case",     "shift_cash",
                                         "shift",         "print_job"};
    /* The log is insert only, so it is emptied as no program would: whole. */
    fixture_sql(stage.db, "TRUNCATE TABLE operation_log");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        fixture_sql(stage.db, "DELETE FROM %s", tables[i]);
    /* Their numbers stand on the screen. */
    fixture_sql(stage.db, "ALTER TABLE approval AUTO_INCREMENT = 1");
    fixture_sql(stage.db, "ALTER TABLE shift AUTO_INCREMENT = 1");
}

void stage_reset(void)
{
    clear();
    make_slots();
    make_orders();
}

/* A hall of today in the database's own time, for programs whose clock nobody stops: eight courts, all hours
 * of today and tomorrow; one paid order of 王小明 for the hour that runs (or begins in three minutes). */
void stage_reset_today(void)
{
    clear();
    fixture_sql(
        stage.online,
        "INSERT INTO venue_schedule (venue_id, schedule_date, start_time, end_time, total_count, remain_count, price) "
        "SELECT v.id, CURDATE() + INTERVAL d.day DAY, MAKETIME(h.hour, 0, 0), MAKETIME(h.hour + 1, 0, 0), 1, 1, 60 "
        "FROM venue v "
        "JOIN (SELECT 0 AS day UNION SELECT 1) d JOIN (SELECT a.n + 6 * b.n AS hour FROM "
        "(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5) a JOIN "
        "(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) b) h WHERE v.id <= 8");
    fixture_sql(stage.online, "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, "
                              "start_time, end_time, quantity, "
                              "total_amount, status, paid_time) SELECT '20261130VB7K3M9Q3A', 11, venue_id, id, "
                              "schedule_date, start_time, end_time, 1, "
                              "price, 'PAID', NOW() FROM venue_schedule WHERE venue_id = 2 AND schedule_date = "
                              "DATE(NOW() + INTERVAL 3 MINUTE) AND "
                              "HOUR(start_time) = HOUR(NOW() + INTERVAL 3 MINUTE)");
    fixture_sql(stage.online,
                "UPDATE venue_schedule s JOIN reserve_order o ON o.schedule_id = s.id SET s.remain_count = 0");
}

/* --- server and operators --------------------------------------------------------------------- */

static void make_operators(struct desk *desk)
{
    struct fd_error err;
    struct operator_new clerk = {"clerk", "李敏", ROLE_CLERK, "demo"}, admin = {"admin", "陈晨", ROLE_ADMIN, "demo"};
    must(operator_add(desk, NULL, &admin, &err));
    must(operator_sign_in(desk, "admin", "demo", &err));
    must(operator_add(desk, NULL, &clerk, &err));
}

int stage_start(void **state)
{
    struct fd_error err;
    struct desk *desk;
    (void)state;
    fixture_start(&stage.fixture, true);
    cli_register();
    must(config_load(NULL, &stage.config, &err));
    must(config_set(stage.config, CONFIG_DATA, stage.fixture.server.folder, &err));
    must(config_set(stage.config, CONFIG_TERMINAL, "台1", &err));
    stage.db = fixture_open(&stage.fixture);
    stage.online = fixture_open_online(&stage.fixture);
    must(desk_migrate(stage.db, stage.fixture.database, NULL, NULL, &err));
    must(desk_open(stage.config, &desk, &err));
    make_operators(desk);
    desk_close(&desk);
    fixture_sql(
        stage.db,
        "UPDATE operator_account SET created_at = '2026-11-01 09:00:00', password_changed_at = '2026-11-01 09:00:00'");
    make_people();
    make_venues();
    stage_reset();
    return 0;
}

int stage_stop(void **state)
{
    (void)state;
    stage_close();
    db_close(&stage.db);
    db_close(&stage.online);
    config_free(stage.config);
    fixture_stop(&stage.fixture);
    return 0;
}

/* --- the console ------------------------------------------------------------------------------ */

static void draw(void)
{
    canvas_clear(&stage.canvas);
    app_draw(stage.app, &stage.canvas);
}

void stage_settle(void)
{
    const struct input wake = {.kind = INPUT_WAKE};
    /* A picture may open companions, which read; so until a picture asks for nothing more. */
    for (int i = 0; i < 20; i++) {
        draw();
        if (!jobs_busy(stage.console.jobs, NULL))
            break;
        assert_true(jobs_wait(stage.console.jobs, 20000));
        app_input(stage.app, &wake);
    }
    app_set_latency(stage.app, 3000); /* the real one differs from run to run */
    draw();
}

void stage_type(const char *keys)
{
    char part[512];
    while (*keys) {
        size_t bytes = strcspn(keys, "|");
        assert_true(bytes < sizeof part);
        memcpy(part, keys, bytes);
        part[bytes] = '\0';
        app_type(stage.app, part);
        stage_settle();
        keys += bytes + (keys[bytes] == '|');
    }
}

static enum fd_code stop_clock(struct desk *desk, void *arg, struct fd_error *err)
{
    (void)arg;
    return db_set_clock(desk->db, wall_at(day_of(2026, 12, 1), 10 * 60 + 42) + 7, err);
}

void stage_open(const char *language, int columns, int rows, const char *name)
{
    stage_close();
    memset(&stage.console, 0, sizeof stage.console);
    i18n_switch(language);
    canvas_init(&stage.canvas, rows, columns);
    console_init(&stage.console, stage.config);
    struct app_config app_config = console_app_config(&stage.console);
    app_config.lock_idle_s = 0;
    stage.app = app_new(&app_config, stage.console.jobs);
    stage.console.app = stage.app;
    stage_settle();
    stage_expect("frontdesk");
    jobs_post(stage.console.jobs, &stage, &(struct job){.name = "clock", .kind = JOB_WRITE, .run = stop_clock});
    jobs_post(stage.console.jobs, &stage, &(struct job){.name = "clock", .kind = JOB_CHANNEL, .run = stop_clock});
    stage_settle();
    if (name) {
        char keys[128];
        snprintf(keys, sizeof keys, "'%s' Enter 'demo' Enter", name);
        stage_type(keys);
        assert_true(stage.console.signed_in);
    }
}

void stage_close(void)
{
    if (!stage.app)
        return;
    app_free(stage.app);
    stage.app = NULL;
    assert_true(console_release(&stage.console));
    canvas_release(&stage.canvas);
}

void stage_home(void)
{
    app_restart(stage.app);
    app_uncover(stage.app);
    stage.console.day = DAY_NONE;
    stage.console.sport[0] = '\0';
    app_restart(stage.app);
    app_uncover(stage.app);
    stage_settle();
}

char *stage_text(void)
{
    struct buf buf = {0};
    canvas_dump(&stage.canvas, &buf);
    return buf_take(&buf);
}

bool stage_has(const char *text)
{
    char *all = stage_text();
    bool has = strstr(all, text) != NULL;
    free(all);
    return has;
}

int stage_row_of(const char *text)
{
    for (int row = 0; row < stage.canvas.rows; row++) {
        struct buf buf = {0};
        canvas_row(&stage.canvas, row, &buf);
        bool has = strstr(buf_text(&buf), text) != NULL;
        buf_release(&buf);
        if (has)
            return row;
    }
    return -1;
}

void stage_expect(const char *text)
{
    if (stage_has(text))
        return;
    char *all = stage_text();
    printf("%s\n", all);
    free(all);
    fail_msg("“%s” is not on the screen", text);
}
