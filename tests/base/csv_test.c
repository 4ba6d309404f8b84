/* CSV: quoting, and cells that a spreadsheet would calculate. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

static void a_cell_is_quoted_where_it_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool plain;
        const char *cell;
    } rows[] = {
        {"plain", false, "plain"},
        {"张三", false, "张三"},
        {"a,b", false, "\"a,b\""},
        {"say \"x\"", false, "\"say \"\"x\"\"\""},
        {"two\nlines", false, "\"two\nlines\""},
        {"cr\rhere", false, "\"cr\rhere\""},
        {" blank", false, "\" blank\""},
        {"blank ", false, "\"blank \""},
        {"a-b", false, "a-b"},
        {"1=1", false, "1=1"},
        {"=1+1", false, "\"'=1+1\""},
        {"+86 138", false, "\"'+86 138\""},
        {"-2", false, "\"'-2\""},
        {"@SUM(A1)", false, "\"'@SUM(A1)\""},
        {"  =1", false, "\"'  =1\""},
        {"\t=1", false, "\"'\t=1\""},
        {"\rx", false, "\"'\rx\""},
        {"＝1", false, "\"'＝1\""},
        {"＋1", false, "\"'＋1\""},
        {"－1", false, "\"'－1\""},
        {"＠x", false, "\"'＠x\""},
        {"-12.00", true, "-12.00"},
        {"", false, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf line = {0};
        csv_cell(&line, "x", true);
        csv_cell(&line, rows[i].text, rows[i].plain);
        csv_end(&line);
        char *wanted = xprintf("x,%s\r\n", rows[i].cell);
        assert_string_equal(buf_text(&line), wanted);
        free(wanted);
        buf_release(&line);
    }
}

static void empty_cells_keep_their_place(void **state)
{
    (void)state;
    struct buf out = {0};
    for (int line = 0; line < 2; line++) {
        for (int cell = 0; cell < 3; cell++)
            csv_cell(&out, "", true);
        csv_end(&out);
    }
    assert_string_equal(buf_text(&out), "\"\",,\r\n\"\",,\r\n");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_quoted_where_it_must_be),
        cmocka_unit_test(empty_cells_keep_their_place),
    };
    return cmocka_run_group_tests_name("base/csv", tests, NULL, NULL);
}
