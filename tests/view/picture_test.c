/* Every screen as a cell matrix: two languages, three sizes, against the pictures in golden/. With
 * GOLDEN=write the pictures are written instead: look at each before it is committed. */
#include "stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "support/sandbox.h"

/* --- what some scenes need besides the hall ----------------------------------------------------- */

/* A code that is asked about already this second, so that nobody calls the channel. */
static void live_code(void)
{
    char *folder = folder_state(), *kept = xprintf("%s/qr", folder);
    unlink(kept); /* the size that the scene before has chosen */
    free(kept);
    free(folder);
    fixture_sql(stage.db,
                "INSERT INTO payment_record (id, order_no, payment_no, receipt_no, channel, amount, status, operator, "
                "terminal, code, code_until, asked_at, created_at) VALUES (9001, '20261201PYGOLDEN01', "
                "'20261201RCGOLDEN01', '20261201RCGOLDEN01', 'WECHAT', 80, 'CREATED', 'admin', '台1', "
                "'weixin://wxpay/bizpayurl?pr=GOLDEN001', '2026-12-01 18:30:00', '2026-12-01 10:42:07', "
                "'2026-12-01 10:42:07')");
    fixture_sql(stage.db, "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (9001, "
                          "'20261201VB7K3M9Q2X', 80)");
    fixture_sql(stage.db, "UPDATE reserve_order SET live_codes = 1 WHERE order_no = '20261201VB7K3M9Q2X'");
}

static void code_is_paid(void)
{
    fixture_sql(stage.db, "UPDATE payment_record SET status = 'SUCCESS', callback_time = '2026-12-01 10:42:07' "
                          "WHERE id = 9001");
    fixture_sql(stage.db, "UPDATE reserve_order SET status = 'PAID', live_codes = 0, paid_amount = 80 "
                          "WHERE order_no = '20261201VB7K3M9Q2X'");
    sleep_ms(450);
    app_input(stage.app, &(struct input){.kind = INPUT_TICK});
    stage_settle();
}

static void open_cases(void)
{
    fixture_sql(
        stage.db,
        "INSERT INTO money_case (id, kind, subject, order_no, amount, cause, status, owner, created_at) VALUES "
        "(1, 'LATE', '20261130RCGOLDEN02', '20261130VB7K3M9Q2D', 60, 'paid after the hold had run out', 'OPEN', "
        "NULL, '2026-11-30 21:10:00'), "
        "(2, 'REFUND', '20261130RFGOLDEN03', '20261130VB7K3M9Q2L', 80, 'NOTENOUGH', 'TAKEN', 'admin', "
        "'2026-12-01 09:30:00'), "
        "(3, 'CONFIRM', '20261201RCGOLDEN04', '20261130VB7K3M9Q2K', 80, 'TRANSFER 880123', 'OPEN', NULL, "
        "'2026-12-01 10:20:00')");
}

static void waiting_approvals(void)
{
    fixture_sql(
        stage.db,
        "INSERT INTO approval (id, action, entity_no, amount, reason, content_hash, requester, terminal, status, "
        "created_at) VALUES (1, 'refund', '20261130VB7K3M9Q2L', 80, '下雨', REPEAT('a', 64), 'clerk', '台2', "
        "'WAITING', '2026-12-01 10:38:00'), (2, 'price', '20261201VB7K3M9Q2X', 20, 'coach rate', "
        "REPEAT('b', 64), 'clerk', '台1', 'WAITING', '2026-12-01 10:41:30')");
}

static void open_shift(void)
{
    fixture_sql(
        stage.db,
        "INSERT INTO shift (id, terminal, status, opened_by, opened_at, opening, closed_by, closed_at, expected, "
        "counted, difference, explanation, float_left) VALUES (1, '台1', 'CLOSED', 'clerk', "
        "'2026-11-30 08:01:00', 500, 'clerk', '2026-11-30 22:05:00', 525, 520, -5, '找错零钱', 500), (2, '台1', "
        "'OPEN', 'clerk', '2026-12-01 08:02:00', 500, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
    fixture_sql(stage.db,
                "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, operator, terminal, shift, "
                "tendered, callback_time, created_at) VALUES ('20261201PYGOLDEN05', '20261201RCGOLDEN05', 'CASH', 75, "
                "'SUCCESS', 'clerk', '台1', 2, 100, '2026-12-01 09:00:00', '2026-12-01 09:00:00'), "
                "('20261201PYGOLDEN06', '20261201RCGOLDEN06', 'WECHAT', 60, 'SUCCESS', 'clerk', '台1', 2, NULL, "
                "'2026-12-01 09:10:00', '2026-12-01 09:10:00')");
    fixture_sql(stage.db, "INSERT INTO shift_cash (shift_id, amount, reason, operator, created_at) VALUES (2, -30, "
                          "'上缴', 'clerk', '2026-12-01 10:00:00')");
}

static void waiting_prints(void)
{
    fixture_sql(stage.db,
                "INSERT INTO print_job (id, terminal, kind, subject, copy, document, status, tries, trouble, operator, "
                "created_at) VALUES (1, '台1', 'receipt', '20261201RCGOLDEN05', 0, '[]', 'WAITING', 3, "
                "'/dev/usb/lp0: No such file or directory', 'clerk', '2026-12-01 10:40:00'), (2, '台1', 'refund', "
                "'20261201RFGOLDEN07', 1, '[]', 'WAITING', 0, NULL, 'clerk', '2026-12-01 10:41:00')");
}

/* --- the scenes ---------------------------------------------------------------------------------- */

static const struct scene {
    const char *name, *keys;
    void (*before)(void), (*after)(void); /* NULL: nothing; the hall is made anew afterwards */
    const char *who;                      /* NULL: the administrator */
} scenes[] = {
    {.name = "grid", .keys = ""},
    {.name = "grid-order", .keys = "Down Left Left Left"},
    {.name = "grid-cart", .keys = "Down Down Down Space Space"},
    {.name = "grid-places", .keys = "s"},
    {.name = "grid-empty", .keys = "]"},
    {.name = "sport-list", .keys = "S"},
    {.name = "booking", .keys = "Down Down Down Enter"},
    {.name = "booking-known", .keys = "Down Down Down Enter | '13800001234'"},
    {.name = "booking-new", .keys = "Down Down Down Enter | '13999990000'"},
    {.name = "booking-short-tail", .keys = "Down Down Down Enter | '8801' Enter"},
    {.name = "booking-leave", .keys = "Down Down Down Enter | '1380' Esc"},
    {.name = "booking-items", .keys = "Down Down Down Enter | F4"},
    {.name = "walk-in-pay", .keys = "Down Down Down Enter | F2"},
    {.name = "walk-in-change", .keys = "Down Down Down Enter | F2 | 1 '100'"},
    {.name = "pay-card", .keys = "Down Down Down Enter | F2 | 4"},
    {.name = "pay-ask", .keys = "4"},
    {.name = "pay-order", .keys = "4 | '9Q2X' Enter"},
    {.name = "pay-unknown", .keys = "4 | '0000' Enter"},
    {.name = "why-slot", .keys = "Down Down w"},
    {.name = "check-in-asks", .keys = "c"},
    {.name = "arrivals", .keys = "2"},
    {.name = "orders", .keys = "3"},
    {.name = "order", .keys = "3 | Enter"},
    {.name = "customers", .keys = "5"},
    {.name = "customer", .keys = "5 | Enter"},
    {.name = "schedules", .keys = "6"},
    {.name = "setup", .keys = "9"},
    {.name = "params", .keys = "9 Enter"},
    {.name = "arrivals-day", .keys = "2 f | 'rest' Enter"},
    {.name = "arrivals-unpaid", .keys = "2 o"},
    {.name = "orders-find", .keys = "3 / | '1234' Enter"},
    {.name = "orders-filter", .keys = "3 | f"},
    {.name = "orders-marked", .keys = "3 | Space Space"},
    {.name = "orders-sorted", .keys = "3 | > >"},
    {.name = "orders-none", .keys = "3 | ]"},
    {.name = "order-why", .keys = "3 / | '9Q2X' Enter | Enter | w"},
    {.name = "order-cancel", .keys = "3 / | '9Q2X' Enter | d"},
    {.name = "order-cancel-online", .keys = "3 / | '9Q2L' Enter | d"},
    {.name = "order-quantity", .keys = "3 / | '9Q2X' Enter | Enter | '#'"},
    {.name = "order-note", .keys = "3 | e"},
    {.name = "orders-check-in", .keys = "3 | Space Space c"},
    {.name = "move", .keys = "3 / | '9Q2X' Enter | m | Up"},
    {.name = "move-confirm", .keys = "3 / | '9Q2X' Enter | m | Up Enter"},
    {.name = "customers-find", .keys = "5 / | '1234' Enter"},
    {.name = "customer-form", .keys = "5 | a"},
    {.name = "schedules-marked", .keys = "6 | Space Space"},
    {.name = "slots-make", .keys = "6 | a"},
    {.name = "slots-close", .keys = "6 | x"},
    {.name = "slots-range", .keys = "6 | e | Right Right"},
    {.name = "places", .keys = "9 Down Enter"},
    {.name = "place", .keys = "9 Down Enter | Enter"},
    {.name = "operators", .keys = "9 Down Down Enter"},
    {.name = "operator", .keys = "9 Down Down Enter | a"},
    {.name = "operator-disable", .keys = "9 Down Down Enter | End x"},
    {.name = "param", .keys = "9 Enter | Enter | '9999' F2"},
    {.name = "log", .keys = "8"},
    {.name = "log-filter", .keys = "8 | f"},
    {.name = "log-entry", .keys = "8 | Enter"},
    {.name = "pay-code", .keys = "4 | '9Q2X' Enter | 2 |", .before = live_code},
    {.name = "pay-code-large", .keys = "4 | '9Q2X' Enter | 2 | b", .before = live_code},
    {.name = "pay-code-paid", .keys = "4 | '9Q2X' Enter | 2 |", .before = live_code, .after = code_is_paid},
    {.name = "refund", .keys = "3 / | '9Q2D' Enter | Enter | x |"},
    {.name = "refund-amount", .keys = "3 / | '9Q2D' Enter | Enter | x | S-Tab S-Tab Right Tab '20'"},
    {.name = "price", .keys = "3 / | '9Q2X' Enter | Enter | '$' | '70'"},
    {.name = "approval",
     .keys = "3 / | '9Q2X' Enter | Enter | '$' | '10' Tab 'friend' F2 |",
     .before = stage_reset,
     .who = "clerk"},
    {.name = "approvals", .keys = ": 'approvals' Enter |", .before = waiting_approvals},
    {.name = "approval-grant", .keys = ": 'approvals' Enter | g", .before = waiting_approvals},
    {.name = "move-back", .keys = "3 / | '9Q2L' Enter | m | Up Enter"},
    {.name = "cases", .keys = ": 'cases' Enter |", .before = open_cases},
    {.name = "case", .keys = ": 'cases' Enter | Enter", .before = open_cases},
    {.name = "case-end", .keys = ": 'cases' Enter | d", .before = open_cases},
    {.name = "case-move", .keys = ": 'cases' Enter | d | Down Enter", .before = open_cases},
    {.name = "shift-none", .keys = "7 |"},
    {.name = "shift", .keys = "7 |", .before = open_shift},
    {.name = "shift-clerk", .keys = "7 |", .before = open_shift, .who = "clerk"},
    {.name = "shift-count", .keys = "7 | d | '5' Tab '1'", .before = open_shift},
    {.name = "shift-out", .keys = "7 | o |", .before = open_shift},
    {.name = "shifts", .keys = "7 | h |", .before = open_shift},
    {.name = "shift-past", .keys = "7 | h | End Enter |", .before = open_shift},
    {.name = "printer", .keys = ": 'printer' Enter |", .before = waiting_prints},
    {.name = "help", .keys = "F1"},
    {.name = "menu", .keys = "F9"},
    {.name = "lock", .keys = "F12"},
    {.name = "line-completion", .keys = ": 'order ' Tab"},
    {.name = "line-wrong", .keys = ": 'order bokk' Enter"},
};

static const struct {
    int columns, rows;
} sizes[] = {{80, 24}, {120, 30}, {160, 48}};

static const char *folder(void)
{
    static char path[512];
    const char *source = getenv("srcdir");
    snprintf(path, sizeof path, "%s/tests/view/golden", source ? source : ".");
    return path;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    struct buf buf = {0};
    char part[4096];
    size_t got;
    if (!file)
        return NULL;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        buf_add_bytes(&buf, part, got);
    fclose(file);
    return buf_take(&buf);
}

/* Until the green screen goes by itself: always the first second. */
static void steady_green(char *text)
{
    char shown[128], steady[128];
    for (int left_s = 5; left_s >= 0; left_s--) {
        snprintf(shown, sizeof shown, _("any key goes on; by itself in %d s"), left_s);
        snprintf(steady, sizeof steady, _("any key goes on; by itself in %d s"), 6);
        char *at = strstr(text, shown);
        if (at)
            memcpy(at, steady, strlen(steady));
    }
}

/* Minutes that run ("14:52 left") and dots that move stand still in a picture of a code. */
static char *steady(const struct scene *scene)
{
    char *text = stage_text();
    if (strncmp(scene->name, "pay-code", 8) != 0)
        return text;
    steady_green(text);
    for (char *at = text; *at; at++) {
        if (at > text && *at == ':' && strchr("0123456789", at[-1]) && strchr("0123456789", at[1]) && at[1]) {
            for (char *left = at - 1; left >= text && *left >= '0' && *left <= '9'; left--)
                *left = '0';
            at[1] = at[2] = '0';
        }
        if (at > text && *at == '.' && at[-1] == ' ')
            for (char *dot = at; *dot == '.'; dot++)
                *dot = '_';
    }
    char *out = text;
    for (const char *at = text; *at; at++)
        if (*at != '_' || (at > text && at[-1] == ' '))
            *out++ = *at;
    *out = '\0';
    return text;
}

static bool compare(const struct scene *scene, const char *language)
{
    char path[1024];
    char *now = steady(scene);
    snprintf(path, sizeof path, "%s/%s.%s.%dx%d.txt", folder(), scene->name, language, stage.canvas.columns,
             stage.canvas.rows);
    const char *mode = getenv("GOLDEN");
    if (mode && strcmp(mode, "write") == 0) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(now, file);
        fclose(file);
        free(now);
        return true;
    }
    char *then = read_file(path);
    bool same = then && strcmp(then, now) == 0;
    if (!same)
        printf("--- %s differs; now:\n%s\n", path, now);
    free(then);
    free(now);
    return same;
}

/* No row is wider than the terminal, no wide character is split: what the cell layer promises. */
static void check_cells(void)
{
    for (int row = 0; row < stage.canvas.rows; row++) {
        int used = 0;
        for (int column = 0; column < stage.canvas.columns; column++)
            used += stage.canvas.cell[row * stage.canvas.columns + column].width;
        assert_int_equal(used, stage.canvas.columns);
    }
}

/* Screen readers and input methods follow the hardware cursor: it is always somewhere. */
static void check_cursor(const struct scene *scene)
{
    if (stage.canvas.cursor_row < 0)
        fail_msg("%s leaves the cursor nowhere", scene->name);
}

static bool is_translated(const char *language)
{
    if (strcmp(language, "en") == 0)
        return true;
    i18n_switch(language);
    bool is = strcmp(_("New booking"), "New booking") != 0;
    i18n_switch("en");
    return is;
}

static const char *who_of(const struct scene *scene)
{
    return scene->who ? scene->who : "admin";
}

/* Plays a scene; the console is open for who_of(). */
static void play(const struct scene *scene)
{
    if (scene->before)
        scene->before();
    stage_home();
    stage_type(scene->keys);
    if (scene->after)
        scene->after();
}

/* Who signs in next, and the hall as it was. */
static void settle_after(const struct scene *scene, const char *language, int columns, int rows)
{
    const struct scene *next = scene + 1 < scenes + sizeof scenes / sizeof scenes[0] ? scene + 1 : NULL;
    bool other = next && strcmp(who_of(scene), who_of(next)) != 0;
    stage_home();
    if (scene->before)
        stage_reset();
    if (next && (app_is_covered(stage.app) || other))
        stage_open(language, columns, rows, who_of(next));
}

static void pictures(const char *language, int columns, int rows)
{
    int differ = 0;
    if (!is_translated(language))
        skip();
    stage_reset();
    stage_open(language, columns, rows, "admin");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        play(&scenes[i]);
        check_cells();
        check_cursor(&scenes[i]);
        differ += !compare(&scenes[i], language);
        settle_after(&scenes[i], language, columns, rows);
    }
    stage_close();
    if (differ)
        fail_msg("%d pictures differ", differ);
}

#define PICTURES(language, number)                                                                                     \
    static void pictures_##language##_##number(void **state)                                                           \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        pictures(#language, sizes[number].columns, sizes[number].rows);                                                \
    }
PICTURES(en, 0)
PICTURES(en, 1)
PICTURES(en, 2)
PICTURES(zh_CN, 0)
PICTURES(zh_CN, 1)
PICTURES(zh_CN, 2)

/* --- every screen at every size --------------------------------------------------------------- */

static void no_screen_breaks_when_the_terminal_shrinks_to_nothing_and_grows_again(void **state)
{
    static const int shapes[][2] = {{1, 1}, {2, 4}, {5, 20}, {24, 79}, {24, 80}, {10, 200}, {60, 200}, {24, 80}};
    (void)state;
    stage_open("en", 80, 24, "admin");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (scenes[i].after)
            continue; /* goes by itself */
        play(&scenes[i]);
        char *before = steady(&scenes[i]);
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            canvas_resize(&stage.canvas, shapes[k][0], shapes[k][1]);
            app_input(stage.app, &(struct input){.kind = INPUT_RESIZE, .row = shapes[k][0], .column = shapes[k][1]});
            stage_settle();
        }
        char *after = steady(&scenes[i]);
        if (strcmp(before, after) != 0)
            printf("%s before:\n%s\nafter:\n%s\n", scenes[i].name, before, after);
        assert_string_equal(before, after);
        free(before);
        free(after);
        settle_after(&scenes[i], "en", 80, 24);
    }
    stage_close();
}

static struct sandbox sandbox;

/* Codes are shown only where a channel is set up. */
static int start(void **state)
{
    struct fd_error err;
    stage_start(state);
    char *folder = xprintf("%s/sandbox", stage.fixture.folder), *home = xprintf("%s/state", stage.fixture.folder);
    setenv("XDG_STATE_HOME", home, 1); /* the size of codes is remembered there */
    sandbox_start(&sandbox, folder, NULL);
    must(config_set(stage.config, CONFIG_CHANNELS, sandbox.channels, &err));
    free(folder);
    free(home);
    return 0;
}

static int stop(void **state)
{
    sandbox_stop(&sandbox);
    return stage_stop(state);
}

int main(int argc, char **argv)
{
    i18n_start(argv[0]);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_en_0),
        cmocka_unit_test(pictures_en_1),
        cmocka_unit_test(pictures_en_2),
        cmocka_unit_test(pictures_zh_CN_0),
        cmocka_unit_test(pictures_zh_CN_1),
        cmocka_unit_test(pictures_zh_CN_2),
        cmocka_unit_test(no_screen_breaks_when_the_terminal_shrinks_to_nothing_and_grows_again),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
