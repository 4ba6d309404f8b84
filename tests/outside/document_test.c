/* Slips of paper: as text, as JSON, as the bytes of a printer, which a small printer draws and zbarimg reads. */
#include "base/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "outside/document.h"
#include "outside/qr.h"
#include "support/paper.h"

static struct fd_error err;

static int set_up(void **state)
{
    (void)state;
    scratch_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

static const char wechat[] = "weixin://wxpay/bizpayurl?pr=JyC91EIz1";
static const char wechat_long[] = "weixin://pay.weixin.qq.com/bizpayurl/up?pr=NwY5Mz9ab&groupid=00";
static const char alipay[] = "https://qr.alipay.com/bax03431ljhokirwl38f00a7";

static const struct printer narrow = {"", 384, 32, PRINTER_QR_RASTER}, wide = {"", 576, 48, PRINTER_QR_RASTER};

static void print(struct paper *paper, const struct document *document, const struct printer *printer)
{
    struct buf bytes = {0};
    document_escpos(document, printer, &bytes);
    paper_read(paper, printer->dots, bytes.text, bytes.bytes);
    buf_release(&bytes);
    assert_int_equal(paper->unknown, 0);
    assert_int_equal(paper->four_bytes, 0);
    assert_int_equal(paper->split, 0);
    assert_true(paper->widest <= printer->columns);
    assert_true(paper->cut);
}

/* Everything a receipt may hold, with names from outside that are as nasty as names are. */
static struct document *sample(void)
{
    struct document *document = document_new();
    document_title(document, "星河体育中心·羽毛球馆（北馆）Starlight Hall");
    document_rule(document);
    document_pair(document, "欧阳娜娜·阿卜杜热西提“小名”—①号 很长很长很长的名字", "¥1,234.50");
    document_pair(document, "Mr. Constantine Featherstonehaugh-Cholmondeley the Third", "80.00");
    document_pair(document, "\x1b@\x1dV", "12×℃");
    document_strong_pair(document, "合计 Total", "1,314.50");
    document_text(document, "一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十");
    document_text(document, "a一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十");
    document_centre(document, "😀 谢谢 ▀ €");
    document_blank(document);
    return document;
}

static void no_row_is_wider_than_the_paper_and_no_letter_is_split(void **state)
{
    (void)state;
    struct document *document = sample();
    for (int columns = 20; columns <= 48; columns++) {
        struct paper paper;
        const struct printer printer = {"", columns * 12, columns, PRINTER_QR_RASTER};
        print(&paper, document, &printer);
        assert_true(paper.widest > columns - 2);
        paper_release(&paper);
    }
    document_free(&document);
}

static void what_is_printed_can_be_read_back(void **state)
{
    (void)state;
    struct document *document = sample();
    struct paper paper;
    print(&paper, document, &wide);
    picture_write(&paper.picture, "tests/outside/paper-text.pgm");
    const char *text = buf_text(&paper.text);
    assert_non_null(strstr(text, "￥1,234.50"));
    assert_non_null(strstr(text, "“小名”—①号"));
    /* Nothing that was in a name is a command. */
    assert_non_null(strstr(text, "?@?V"));
    /* No letter that the paper does not have. */
    assert_non_null(strstr(text, "? 谢谢 ? €"));
    assert_true(paper.large >= 2);
    assert_int_equal(paper.bold, 1);
    paper_release(&paper);
    document_free(&document);
}

static void a_text_for_the_terminal_is_aligned_by_cells(void **state)
{
    (void)state;
    struct document *document = document_new();
    document_title(document, "收据");
    document_pair(document, "羽毛球 1 号场", "80.00");
    document_pair(document, "A very long description of this", "1,234,567.00");
    document_rule(document);
    document_text(document, "one two three four five six");
    document_qr(document, wechat);
    char *text = document_as_text(document, 20);
    assert_string_equal(text, "        收据\n"
                              "羽毛球 1 号场  80.00\n"
                              "A very long\n"
                              "description of this\n"
                              "        1,234,567.00\n"
                              "--------------------\n"
                              "one two three four\n"
                              "five six\n"
                              "weixin://wxpay/bizpayurl?pr=JyC91EIz1\n");
    free(text);
    document_free(&document);
}

static void json_brings_the_same_document_back(void **state)
{
    (void)state;
    struct document *document = sample();
    document_qr(document, wechat);
    char *json = document_json(document);
    struct document *again = document_from_json(json);
    assert_non_null(again);
    char *json_again = document_json(again);
    assert_string_equal(json, json_again);
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{\"lines\":{}}",
                                      "{\"lines\":[{\"kind\":\"picture\",\"text\":\"x\"}]}",
                                      "{\"lines\":[{\"kind\":\"pair\",\"text\":\"x\"}]}",
                                      "{\"lines\":[{\"kind\":\"text\",\"text\":1}]}",
                                      "{\"lines\":[1]}"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_null(document_from_json(bad[i]));
    assert_null(document_from_json(NULL));
    free(json);
    free(json_again);
    document_free(&document);
    document_free(&again);
}

/* zbarimg is content with less than phones want: four modules of white on each side. */
static void assert_margin(const struct picture *picture, const char *payload)
{
    struct arena arena = {0};
    struct qr qr;
    int left = picture->width, right = 0, top = picture->height, bottom = 0;
    assert_int_equal(qr_make(payload, QR_LEVEL_M, &arena, &qr, &err), FD_OK);
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++)
            if (picture->grey[y * picture->width + x] == 0) {
                left = x < left ? x : left;
                right = x > right ? x : right;
                top = y < top ? y : top;
                bottom = y;
            }
    int module = (right - left + 1) / qr.size, margin = 4 * module;
    assert_int_equal(right - left, bottom - top);
    assert_true(module >= 3 && left >= margin && right + margin < picture->width);
    assert_true(top >= margin && bottom + margin < picture->height);
    for (int y = top - margin; y <= bottom + margin; y++)
        for (int x = left - margin; x <= right + margin; x++)
            if (x < left || x > right || y < top || y > bottom)
                assert_int_equal(picture->grey[y * picture->width + x], 255);
    arena_release(&arena);
}

static void a_code_on_paper_says_its_payload(void **state)
{
    (void)state;
    char longest[513];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const payloads[] = {wechat, wechat_long, alipay, "20261130VB7K3M9Q2X", longest};
    const struct printer *const printers[] = {&narrow, &wide};
    for (size_t i = 0; i < COUNT(payloads) * COUNT(printers) * 2; i++) {
        struct printer printer = *printers[i / COUNT(payloads) % 2];
        printer.qr = i < COUNT(payloads) * COUNT(printers) ? PRINTER_QR_RASTER : PRINTER_QR_NATIVE;
        const char *payload = payloads[i % COUNT(payloads)];
        struct document *document = document_new();
        document_title(document, "微信支付");
        document_pair(document, "金额", "¥60.00");
        document_qr(document, payload);
        document_text(document, "请在 15:30 前付款");
        struct paper paper;
        print(&paper, document, &printer);
        char *path = xprintf("tests/outside/paper-%d-%s-%zu.pgm", printer.dots == 384 ? 58 : 80,
                             printer.qr == PRINTER_QR_NATIVE ? "native" : "raster", i % COUNT(payloads));
        picture_write(&paper.picture, path);
        char *read = picture_scan(path);
        assert_string_equal(read, payload);
        assert_margin(&paper.picture, payload);
        assert_int_equal(paper.rasters, printer.qr == PRINTER_QR_RASTER);
        assert_int_equal(paper.codes, printer.qr == PRINTER_QR_NATIVE);
        free(read);
        free(path);
        paper_release(&paper);
        document_free(&document);
    }
}

static void a_code_too_long_for_paper_is_printed_as_text(void **state)
{
    (void)state;
    char *payload = xmalloc(4001);
    memset(payload, 'x', 4000);
    payload[4000] = '\0';
    struct document *document = document_new();
    document_qr(document, payload);
    struct paper paper;
    print(&paper, document, &narrow);
    assert_int_equal(paper.rasters + paper.codes, 0);
    assert_int_equal(paper.widest, 32);
    paper_release(&paper);
    document_free(&document);
    free(payload);
}

static void a_payment_code_has_the_size_that_screens_count_on(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        enum qr_level level;
        int size;
    } sizes[] = {{37, QR_LEVEL_L, 29}, {40, QR_LEVEL_M, 29}, {49, QR_LEVEL_L, 29}, {49, QR_LEVEL_M, 33},
                 {63, QR_LEVEL_L, 33}, {63, QR_LEVEL_M, 37}, {78, QR_LEVEL_L, 33}, {79, QR_LEVEL_L, 37}};
    char text[128];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct arena arena = {0};
        struct qr qr;
        memset(text, 'a', sizeof text);
        text[sizes[i].bytes] = '\0';
        assert_int_equal(qr_make(text, sizes[i].level, &arena, &qr, &err), FD_OK);
        assert_int_equal(qr.size, sizes[i].size);
        assert_false(qr_dark(&qr, -1, 0) || qr_dark(&qr, 0, qr.size));
        assert_true(qr_dark(&qr, 0, 0));
        arena_release(&arena);
    }
}

static void a_code_as_a_file_can_be_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct qr qr;
    assert_int_equal(qr_make(wechat, QR_LEVEL_M, &arena, &qr, &err), FD_OK);
    const char *png = scratch_path("code.png");
    assert_int_equal(qr_write_file(&qr, png, &err), FD_OK);
    char *read = picture_scan(png);
    assert_string_equal(read, wechat);
    free(read);
    /* Again: the old one is replaced. */
    assert_int_equal(qr_write_file(&qr, png, &err), FD_OK);
    assert_int_equal(qr_write_file(&qr, scratch_path("code.svg"), &err), FD_OK);
    char *svg = file_text(scratch_path("code.svg"));
    assert_non_null(strstr(svg, "viewBox=\"0 0 37 37\""));
    free(svg);
    assert_int_equal(qr_write_file(&qr, scratch_path("code.gif"), &err), FD_BAD_INPUT);
    assert_int_equal(qr_write_file(&qr, scratch_path("nowhere/code.png"), &err), FD_IO);
    assert_non_null(strstr(err.message, "nowhere/code.png"));
    assert_int_equal(qr_make("", QR_LEVEL_L, &arena, &qr, &err), FD_BAD_INPUT);
    arena_release(&arena);
}

/* The SVG drawn by its own numbers: "M x y h n v1 h -n z". */
static void an_svg_draws_the_same_modules(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct qr qr;
    assert_int_equal(qr_make(alipay, QR_LEVEL_L, &arena, &qr, &err), FD_OK);
    assert_int_equal(qr_write_file(&qr, scratch_path("code.svg"), &err), FD_OK);
    char *svg = file_text(scratch_path("code.svg"));
    struct picture picture;
    int side = (qr.size + 8) * 4, x, y, run;
    picture_init(&picture, side, side, 255);
    for (const char *at = strchr(svg, 'd'); (at = strchr(at, 'M')) != NULL; at++)
        if (sscanf(at, "M%d %dh%dv1", &x, &y, &run) == 3)
            picture_fill(&picture, x * 4, y * 4, run * 4, 4, 0);
    picture_write(&picture, "tests/outside/svg.pgm");
    char *read = picture_scan("tests/outside/svg.pgm");
    assert_string_equal(read, alipay);
    free(read);
    free(svg);
    picture_release(&picture);
    arena_release(&arena);
}

int main(void)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_is_wider_than_the_paper_and_no_letter_is_split),
        cmocka_unit_test(what_is_printed_can_be_read_back),
        cmocka_unit_test(a_text_for_the_terminal_is_aligned_by_cells),
        cmocka_unit_test(json_brings_the_same_document_back),
        cmocka_unit_test(a_code_on_paper_says_its_payload),
        cmocka_unit_test(a_code_too_long_for_paper_is_printed_as_text),
        cmocka_unit_test(a_payment_code_has_the_size_that_screens_count_on),
        cmocka_unit_test_setup_teardown(a_code_as_a_file_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_svg_draws_the_same_modules, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
