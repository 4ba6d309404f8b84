/* Every screen as a cell matrix: two languages, three sizes, against the pictures in golden/. With
 * GOLDEN=write the pictures are written instead: look at each before it is committed. */
#include "stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct scene {
    const char *name, *keys;
} scenes[] = {
    {"grid", ""},
    {"grid-order", "Down Left Left Left"},
    {"grid-cart", "Down Down Down Space Space"},
    {"grid-places", "s"},
    {"grid-empty", "]"},
    {"sport-list", "S"},
    {"booking", "Down Down Down Enter"},
    {"booking-known", "Down Down Down Enter | '13800001234'"},
    {"booking-new", "Down Down Down Enter | '13999990000'"},
    {"booking-short-tail", "Down Down Down Enter | '8801' Enter"},
    {"booking-leave", "Down Down Down Enter | '1380' Esc"},
    {"booking-items", "Down Down Down Enter | F4"},
    {"walk-in-pay", "Down Down Down Enter | F2"},
    {"walk-in-change", "Down Down Down Enter | F2 | 1 '100'"},
    {"pay-card", "Down Down Down Enter | F2 | 4"},
    {"pay-ask", "4"},
    {"pay-order", "4 | '9Q2X' Enter"},
    {"pay-unknown", "4 | '0000' Enter"},
    {"why-slot", "Down Down w"},
    {"check-in-asks", "c"},
    {"arrivals", "2"},
    {"orders", "3"},
    {"order", "3 | Enter"},
    {"customers", "5"},
    {"customer", "5 | Enter"},
    {"schedules", "6"},
    {"setup", "9"},
    {"params", "9 Enter"},
    {"arrivals-day", "2 f | 'rest' Enter"},
    {"arrivals-unpaid", "2 o"},
    {"orders-find", "3 / | '1234' Enter"},
    {"orders-filter", "3 | f"},
    {"orders-marked", "3 | Space Space"},
    {"orders-sorted", "3 | > >"},
    {"orders-none", "3 | ]"},
    {"order-why", "3 / | '9Q2X' Enter | Enter | w"},
    {"order-cancel", "3 / | '9Q2X' Enter | d"},
    {"order-cancel-online", "3 / | '9Q2L' Enter | d"},
    {"order-quantity", "3 / | '9Q2X' Enter | Enter | '#'"},
    {"order-note", "3 | e"},
    {"orders-check-in", "3 | Space Space c"},
    {"move", "3 / | '9Q2X' Enter | m | Up"},
    {"move-confirm", "3 / | '9Q2X' Enter | m | Up Enter"},
    {"customers-find", "5 / | '1234' Enter"},
    {"customer-form", "5 | a"},
    {"schedules-marked", "6 | Space Space"},
    {"slots-make", "6 | a"},
    {"slots-close", "6 | x"},
    {"slots-range", "6 | e | Right Right"},
    {"places", "9 Down Enter"},
    {"place", "9 Down Enter | Enter"},
    {"operators", "9 Down Down Enter"},
    {"operator", "9 Down Down Enter | a"},
    {"operator-disable", "9 Down Down Enter | End x"},
    {"param", "9 Enter | Enter | '9999' F2"},
    {"log", "8"},
    {"log-filter", "8 | f"},
    {"log-entry", "8 | Enter"},
    {"help", "F1"},
    {"menu", "F9"},
    {"lock", "F12"},
    {"line-completion", ": 'order ' Tab"},
    {"line-wrong", ": 'order bokk' Enter"},
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

static bool compare(const struct scene *scene, const char *language)
{
    char path[1024];
    char *now = stage_text();
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

static void pictures(const char *language, int columns, int rows)
{
    int differ = 0;
    if (!is_translated(language))
        skip();
    stage_reset();
    stage_open(language, columns, rows, "admin");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        stage_home();
        stage_type(scenes[i].keys);
        check_cells();
        check_cursor(&scenes[i]);
        differ += !compare(&scenes[i], language);
        if (app_is_covered(stage.app))
            stage_open(language, columns, rows, "admin");
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
        stage_home();
        stage_type(scenes[i].keys);
        char *before = stage_text();
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            canvas_resize(&stage.canvas, shapes[k][0], shapes[k][1]);
            app_input(stage.app, &(struct input){.kind = INPUT_RESIZE, .row = shapes[k][0], .column = shapes[k][1]});
            stage_settle();
        }
        char *after = stage_text();
        if (strcmp(before, after) != 0)
            printf("%s before:\n%s\nafter:\n%s\n", scenes[i].name, before, after);
        assert_string_equal(before, after);
        free(before);
        free(after);
        if (app_is_covered(stage.app))
            stage_open("en", 80, 24, "admin");
    }
    stage_close();
}

int main(int argc, char **argv)
{
    (void)argc;
    i18n_start(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_en_0),
        cmocka_unit_test(pictures_en_1),
        cmocka_unit_test(pictures_en_2),
        cmocka_unit_test(pictures_zh_CN_0),
        cmocka_unit_test(pictures_zh_CN_1),
        cmocka_unit_test(pictures_zh_CN_2),
        cmocka_unit_test(no_screen_breaks_when_the_terminal_shrinks_to_nothing_and_grows_again),
    };
    return cmocka_run_group_tests(tests, stage_start, stage_stop);
}
