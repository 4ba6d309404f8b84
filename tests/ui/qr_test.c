/* QR codes in cells: each picture of the screen is drawn as a bitmap, and zbarimg has to read the payload in it. */
#include "ui/unit.h"

#include <stdlib.h>
#include <string.h>

#include "support/picture.h"
#include "ui/widget/qr.h"

static const char wechat[] = "weixin://wxpay/bizpayurl?pr=JyC91EIz1";
static const char wechat_long[] = "weixin://pay.weixin.qq.com/bizpayurl/up?pr=NwY5Mz9ab&groupid=00";
static const char alipay[] = "https://qr.alipay.com/bax03431ljhokirwl38f00a7";

enum { CELL_WIDTH = 8, CELL_HEIGHT = 16, FRAME_ROWS = 4 };

static struct fd_error err;
static struct arena arena;
static struct canvas canvas;
static struct qr qr;

static int stop(void **state)
{
    (void)state;
    canvas_release(&canvas);
    arena_release(&arena);
    return 0;
}

/* The screen with the room that a view has between title, tabs, message and keys. */
static struct cells screen(int rows, int columns)
{
    canvas_release(&canvas);
    canvas_init(&canvas, rows, columns);
    struct cells all = canvas_cells(&canvas);
    return cells_sub(&all, 2, 0, rows - FRAME_ROWS, columns);
}

static void code_of(const char *payload)
{
    assert_int_equal(qr_make(payload, QR_LEVEL_L, &arena, &qr, &err), FD_OK);
}

/* Shade of a colour of the palette; of the terminal's own where it is -1. */
static unsigned char shade(short colour, unsigned char own)
{
    switch (colour) {
    case -1:
        return own;
    case 0:
    case 16:
        return 0;
    case 7:
        return 192;
    case 231:
    case 255:
        return 255;
    default:
        return 128;
    }
}

struct terminal {
    const char *theme;
    bool light; /* black on white where nothing is set */
};

static void draw_cell(struct picture *picture, const struct terminal *terminal, int row, int column)
{
    const struct cell *cell = canvas.cell + row * canvas.columns + column;
    const struct look *look = &theme_named(terminal->theme)->look[cell->style & STYLE_ID];
    unsigned char ink = shade(look->fg, terminal->light ? 0 : 255);
    unsigned char ground = shade(look->bg, terminal->light ? 255 : 0);
    if (((look->attr & LOOK_REVERSE) != 0) != ((cell->style & STYLE_REVERSE) != 0)) {
        unsigned char swap = ink;
        ink = ground;
        ground = swap;
    }
    int x = column * CELL_WIDTH, y = row * CELL_HEIGHT;
    picture_fill(picture, x, y, CELL_WIDTH, CELL_HEIGHT, ground);
    if (cell->ch == 0x2580)
        picture_fill(picture, x, y, CELL_WIDTH, CELL_HEIGHT / 2, ink);
    else if (cell->ch == 0x2584)
        picture_fill(picture, x, y + CELL_HEIGHT / 2, CELL_WIDTH, CELL_HEIGHT / 2, ink);
    else if (cell->ch != ' ')
        picture_fill(picture, x + 2, y + 4, CELL_WIDTH - 4, CELL_HEIGHT - 8, ink);
}

/* What a phone would read on this terminal. */
static char *seen(const struct terminal *terminal, const char *name)
{
    struct picture picture;
    picture_init(&picture, canvas.columns * CELL_WIDTH, canvas.rows * CELL_HEIGHT, 128);
    for (int row = 0; row < canvas.rows; row++)
        for (int column = 0; column < canvas.columns; column++)
            draw_cell(&picture, terminal, row, column);
    char *path = xprintf("tests/ui/qr-%s-%s-%s.pgm", name, terminal->theme, terminal->light ? "light" : "dark");
    picture_write(&picture, path);
    picture_release(&picture);
    char *text = picture_scan(path);
    free(path);
    return text;
}

/* Text all around, as close as a view may put it. */
static void surround(struct cells *room)
{
    for (int row = 0; row < room->rows; row++)
        for (int column = 0; column < room->columns; column++)
            cells_char(room, row, column, STYLE_TEXT, '#');
}

static void assert_read(const struct terminal *terminal, struct cells *room, enum qr_setting setting,
                        const char *payload)
{
    code_of(payload);
    struct qr_plan plan = qr_plan(room, &qr, setting);
    assert_int_equal(plan.way, setting == QR_FULL ? QR_WAY_FULL : QR_WAY_HALF);
    surround(room);
    qr_draw(room, &qr, &plan, strcmp(terminal->theme, "mono") == 0 && terminal->light);
    assert_whole(&canvas);
    char *text = seen(terminal, setting == QR_FULL ? "full" : "half");
    assert_string_equal(text, payload);
    free(text);
}

static void a_code_is_read_in_every_theme(void **state)
{
    (void)state;
    for (size_t i = 0; i < theme_count() * 2; i++) {
        const struct terminal terminal = {theme_at(i / 2)->name, i % 2 == 1};
        struct cells room = screen(24, 80);
        assert_read(&terminal, &room, QR_HALF, wechat);
        room = screen(48, 100);
        assert_read(&terminal, &room, QR_FULL, wechat);
    }
}

static void every_form_of_a_code_fits_on_the_smallest_screen(void **state)
{
    (void)state;
    const char *const payloads[] = {wechat, wechat_long, alipay};
    const struct terminal dark = {"dark", false}, light = {"light", true};
    for (size_t i = 0; i < COUNT(payloads); i++) {
        struct cells room = screen(24, 80);
        assert_read(&dark, &room, QR_AUTO, payloads[i]);
        room = screen(24, 80);
        assert_read(&light, &room, QR_AUTO, payloads[i]);
    }
}

/* Without this the two before could not fail. */
static void a_code_in_the_wrong_polarity_is_not_read(void **state)
{
    (void)state;
    const struct terminal mono = {"mono", true};
    struct cells room = screen(24, 80);
    code_of(wechat);
    struct qr_plan plan = qr_plan(&room, &qr, QR_HALF);
    qr_draw(&room, &qr, &plan, false);
    char *text = seen(&mono, "wrong");
    assert_string_equal(text, "");
    free(text);
}

static void the_margin_shrinks_to_two_and_never_below(void **state)
{
    (void)state;
    code_of(wechat);
    const struct terminal dark = {"dark", false};
    for (int rows = 1; rows <= 24; rows++) {
        struct cells room = screen(rows + FRAME_ROWS, 40);
        struct qr_plan plan = qr_plan(&room, &qr, QR_AUTO);
        assert_int_equal(plan.way, rows < 17 ? QR_WAY_NONE : QR_WAY_HALF);
        assert_true(plan.margin_rows >= 2 && plan.margin_columns == 4);
        assert_int_equal(plan.margin_rows, rows >= 19 ? 4 : rows == 18 ? 3 : 2);
        surround(&room);
        qr_draw(&room, &qr, &plan, false);
        char *text = seen(&dark, "margin");
        assert_string_equal(text, rows < 17 ? "" : wechat);
        free(text);
    }
    for (int columns = 32; columns <= 37; columns++) {
        struct cells room = screen(24, columns);
        struct qr_plan plan = qr_plan(&room, &qr, QR_AUTO);
        assert_int_equal(plan.way, columns < 33 ? QR_WAY_NONE : QR_WAY_HALF);
        assert_true(plan.margin_columns >= 2 && plan.margin_rows == 4);
    }
}

static void what_does_not_fit_is_not_drawn_and_says_what_it_needs(void **state)
{
    (void)state;
    struct cells room = screen(24, 80);
    code_of(wechat);
    struct qr_plan plan = qr_plan(&room, &qr, QR_FULL);
    assert_int_equal(plan.way, QR_WAY_NONE);
    qr_draw(&room, &qr, &plan, false);
    assert_string_equal(row_text(&canvas, 5), "");
    const char *why = qr_plan_why(&plan, &room, &arena);
    assert_non_null(strstr(why, "66 columns and 33 rows"));
    assert_non_null(strstr(why, "80 and 20"));
    plan = qr_plan(&room, &qr, QR_PRINT);
    assert_int_equal(plan.way, QR_WAY_NONE);
    assert_non_null(strstr(qr_plan_why(&plan, &room, &arena), "print it"));
}

static bool has_half_blocks(void)
{
    for (int i = 0; i < canvas.rows * canvas.columns; i++)
        if (canvas.cell[i].ch > 0x7f)
            return true;
    return false;
}

static void a_terminal_that_draws_half_blocks_wide_gets_none(void **state)
{
    (void)state;
    const struct terminal dark = {"dark", false};
    static const struct {
        bool wide, ascii;
        enum qr_setting setting;
        bool half;
    } cases[] = {{true, false, QR_AUTO, false},
                 {true, false, QR_HALF, false},
                 {false, true, QR_AUTO, false},
                 {false, true, QR_HALF, true},
                 {false, false, QR_AUTO, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cells room = screen(48, 100);
        canvas.wide_ambiguous = cases[i].wide;
        canvas.ascii = cases[i].ascii;
        code_of(wechat);
        struct qr_plan plan = qr_plan(&room, &qr, cases[i].setting);
        qr_draw(&room, &qr, &plan, false);
        assert_int_equal(has_half_blocks(), cases[i].half);
        char *text = seen(&dark, "wide");
        assert_string_equal(text, wechat);
        free(text);
    }
    /* No room for full ones: not shown at all. */
    struct cells room = screen(24, 80);
    canvas.wide_ambiguous = true;
    struct qr_plan plan = qr_plan(&room, &qr, QR_AUTO);
    assert_int_equal(plan.way, QR_WAY_NONE);
}

static void settings_have_names(void **state)
{
    (void)state;
    assert_int_equal(qr_setting_named("full"), QR_FULL);
    assert_int_equal(qr_setting_named("half"), QR_HALF);
    assert_int_equal(qr_setting_named("print"), QR_PRINT);
    assert_int_equal(qr_setting_named("auto"), QR_AUTO);
    assert_int_equal(qr_setting_named("else"), QR_AUTO);
    assert_int_equal(qr_setting_named(NULL), QR_AUTO);
}

int main(void)
{
    unit_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_read_in_every_theme),
        cmocka_unit_test(every_form_of_a_code_fits_on_the_smallest_screen),
        cmocka_unit_test(a_code_in_the_wrong_polarity_is_not_read),
        cmocka_unit_test(the_margin_shrinks_to_two_and_never_below),
        cmocka_unit_test(what_does_not_fit_is_not_drawn_and_says_what_it_needs),
        cmocka_unit_test(a_terminal_that_draws_half_blocks_wide_gets_none),
        cmocka_unit_test(settings_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, stop);
}
