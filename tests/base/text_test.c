/* Text: cleaning, measuring, what people type, pinyin; and random bytes through all parsers. */
#include "unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "base/money.h"
#include "base/text.h"
#include "base/when.h"

#define MARK "\uFFFD"

static void what_could_harm_a_terminal_is_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text, *clean;
    } rows[] = {
        {"plain 张三 é ¥", "plain 张三 é ¥"},
        {"\033[31mred", MARK "[31mred"},
        {"a\x01"
         "b\x7F",
         "a" MARK "b" MARK},
        {"\xC2\x9B"
         "31m",
         MARK "31m"},
        {"\x9B", MARK},
        {"a\u202Eb\u2066c\u200E\u061C", "a" MARK "b" MARK "c" MARK MARK},
        {"\u200B\u200C\u200D\u2060\uFEFF\u00AD", MARK MARK MARK MARK MARK MARK},
        {"a\u2028b\u2029", "a" MARK "b" MARK},
        {"two\nlines\tand\r\nmore\r", "two lines and more" MARK},
        {"\xFF\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80", MARK MARK MARK MARK MARK MARK MARK MARK MARK MARK},
        {"\xE5\xBC", MARK MARK},
        {"\u2764\uFE0F", "\u2764" MARK},
        {"1\uFE0F\u20E3", "1" MARK MARK},
        {"\U0001F1E8\U0001F1F3", MARK MARK},
        {"\U0001F44D\U0001F3FD", "\U0001F44D" MARK},
        {"\U0001F600", "\U0001F600"},
        {"\u0301x", MARK "x"},
        {"e\u0301x", "e\u0301x"},
        {"\uE000\uFFFF", MARK MARK},
        {"\u3164", MARK},
        {MARK, MARK},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char out[200];
        size_t bytes = text_clean(out, sizeof out, rows[i].text);
        assert_string_equal(out, rows[i].clean);
        assert_int_equal(bytes, strlen(out));
        assert_int_equal(text_is_clean(rows[i].text), !strcmp(rows[i].text, rows[i].clean));
    }
}

static void heaps_of_combining_marks_are_bounded(void **state)
{
    (void)state;
    char text[100] = "a", out[200];
    for (int i = 0; i < 20; i++)
        strcat(text, "\u0301");
    text_clean(out, sizeof out, text);
    assert_true(text_width(out) > 1);
    assert_true(text_is_clean(out));
}

static void a_cut_falls_between_characters(void **state)
{
    (void)state;
    char out[8];
    assert_int_equal(text_clean(out, sizeof out, "张三丰"), 6);
    assert_string_equal(out, "张三");
    assert_int_equal(text_clean(out, 1, "x"), 0);
    assert_string_equal(out, "");
    struct arena arena = {0};
    assert_string_equal(text_clean_arena(&arena, NULL), "");
    assert_string_equal(text_clean_arena(&arena, "\xFF\xFF"), MARK MARK);
    arena_release(&arena);
}

static void what_is_clean_is_measured_alike_by_libc_and_utf8proc(void **state)
{
    (void)state;
    int clean = 0;
    for (uint32_t ch = 0x20; ch <= 0x10FFFF; ch++) {
        char text[8] = "a";
        text_encode(ch, text + 1);
        if ((ch >= 0xD800 && ch <= 0xDFFF) || !text_is_clean(text))
            continue;
        clean++;
        if (wcwidth((wchar_t)ch) != utf8proc_charwidth((utf8proc_int32_t)ch) || wcwidth((wchar_t)ch) < 0)
            fail_msg("U+%04X: libc %d, utf8proc %d", ch, wcwidth((wchar_t)ch),
                     utf8proc_charwidth((utf8proc_int32_t)ch));
    }
    assert_true(clean > 90000);
}

static void every_character_comes_back_from_its_encoding(void **state)
{
    (void)state;
    for (uint32_t ch = 1; ch <= 0x10FFFF; ch++) {
        char text[5];
        int bytes = text_encode(ch, text);
        const char *at = text;
        uint32_t read = text_next(&at);
        if (at != text + bytes || (read != ch && (ch < 0xD800 || ch > 0xDFFF)))
            fail_msg("U+%04X became U+%04X", ch, read);
    }
    const char *end = "";
    assert_int_equal(text_next(&end), 0);
    assert_string_equal(end, "");
}

static void width_counts_cells(void **state)
{
    (void)state;
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width("张三a"), 5);
    assert_int_equal(text_width("e\u0301"), 1);
    assert_int_equal(text_width("…" MARK), 2);
    assert_int_equal(text_char_width(0x5F20), 2);
    assert_int_equal(text_char_width(0x07), 1);
    assert_int_equal(text_char_width(0), 0);
}

static void text_fits_its_cells_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int cells, align;
        bool ascii;
        const char *fit;
    } rows[] = {
        {"abc", 5, -1, false, "abc  "},
        {"abc", 5, 1, false, "  abc"},
        {"abc", 6, 0, false, " abc  "},
        {"abc", 3, -1, false, "abc"},
        {"abcd", 3, -1, false, "ab…"},
        {"abcd", 3, -1, true, "ab~"},
        {"张三丰", 6, -1, false, "张三丰"},
        {"张三丰", 5, -1, false, "张三…"},
        {"张三丰", 4, -1, false, "张… "},
        {"张三丰", 4, 1, false, " 张…"},
        {"张三", 1, -1, false, "…"},
        {"张", 2, 1, false, "张"},
        {"abc", 0, -1, false, ""},
        {"abc", -3, -1, false, ""},
        {"", 2, 0, false, "  "},
        {"e\u0301e\u0301e\u0301", 2, -1, false, "e\u0301…"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *fit = text_fit(&arena, rows[i].text, rows[i].cells, rows[i].align, rows[i].ascii);
        assert_string_equal(fit, rows[i].fit);
        assert_int_equal(text_width(fit), rows[i].cells < 0 ? 0 : rows[i].cells);
    }
    arena_release(&arena);
}

static void graphemes_are_walked_both_ways(void **state)
{
    (void)state;
    const char *text = "ae\u0301张\U0001F600z";
    static const size_t ends[] = {1, 4, 7, 11, 12};
    size_t at = 0;
    for (size_t i = 0; i < COUNT(ends); i++) {
        at = text_grapheme_next(text, at);
        assert_int_equal(at, ends[i]);
    }
    assert_int_equal(text_grapheme_next(text, at), at);
    for (size_t i = COUNT(ends) - 1; i > 0; i--) {
        at = text_grapheme_prev(text, at);
        assert_int_equal(at, ends[i - 1]);
    }
    assert_int_equal(text_grapheme_prev(text, at), 0);
    assert_int_equal(text_grapheme_prev(text, 0), 0);
}

static void phones_get_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *phone;
    } rows[] = {
        {"13800001234", "13800001234"},
        {" 138 0000 1234 ", "13800001234"},
        {"138-0000-1234", "13800001234"},
        {"+86 138 0000 1234", "13800001234"},
        {"008613800001234", "13800001234"},
        {"86 13800001234", "13800001234"},
        {"（010）88888888", "01088888888"},
        {"１３８００００１２３４", "13800001234"},
        {"＋86－13800001234", "13800001234"},
        {"+1 (415) 555-2671", "+14155552671"},
        {"12345", "12345"},
        {"+86 10 8888 8888", "+861088888888"},
        {"12345678901234567890", "12345678901234567890"},
        {"138\u30000000\u00A01234", "13800001234"},
    };
    char phone[PHONE_BYTES];
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (phone_normalise(rows[i].text, phone, NULL) != FD_OK)
            fail_msg("\"%s\" was refused", rows[i].text);
        assert_string_equal(phone, rows[i].phone);
    }
    static const char *const bad[] = {"",
                                      "1234",
                                      "123456789012345678901",
                                      "1380000123x",
                                      "13+800001234",
                                      "++12345",
                                      "+",
                                      "13800001234;",
                                      "一三八",
                                      "138\37700001234",
                                      "138\n00001234"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        strcpy(phone, "kept");
        if (phone_normalise(bad[i], phone, NULL) != FD_BAD_INPUT)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_string_equal(phone, "kept");
    }
}

static void masked_phones_show_no_more_than_the_tail(void **state)
{
    (void)state;
    static const struct {
        const char *phone, *masked;
    } rows[] = {
        {"13800001234", "138****1234"},
        {"12345678", "123*5678"},
        {"1234567", "*****67"},
        {"12345", "***45"},
        {"1", "1"},
        {"", ""},
        {NULL, ""},
        {"01088888888", "010****8888"},
    };
    char masked[PHONE_BYTES];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(phone_mask(rows[i].phone, masked), rows[i].masked);
    phone_mask("123456789012345678901234567890", masked);
    assert_int_equal(strlen(masked), PHONE_BYTES - 1);
    assert_memory_equal(masked, "123*", 4);
    assert_string_equal(masked + PHONE_BYTES - 6, "*7890");
    phone_mask("张三张三", masked);
    assert_true(text_is_clean(masked));
}

static void a_field_refuses_what_cannot_be_shown_and_names_it(void **state)
{
    (void)state;
    char out[64];
    struct fd_error err;
    assert_int_equal(text_field("\u3000 张三 丰\t", "Name", 10, out, sizeof out, NULL), FD_OK);
    assert_string_equal(out, "张三 丰");
    assert_int_equal(text_field("  ", "Name", 10, out, sizeof out, NULL), FD_OK);
    assert_string_equal(out, "");
    assert_int_equal(text_field("张三丰", "Name", 3, out, sizeof out, NULL), FD_OK);
    assert_int_equal(text_field("张三丰x", "Name", 3, out, sizeof out, &err), FD_BAD_INPUT);
    assert_string_equal(err.message, "Name: at most 3 characters fit.");
    assert_int_equal(text_field("\U0001F600王", "Name", 3, out, sizeof out, &err), FD_OK);
    static const struct {
        const char *text, *says;
    } rows[] = {{"a\033b", "U+001B"},
                {"a\nb", "U+000A"},
                {"a\u202Eb", "U+202E"},
                {"a\xFF"
                 "b",
                 "byte 0xFF"},
                {"a"
                 "\xEF\xBF"
                 "b",
                 "byte 0xEF"},
                {"a\u200Db", "U+200D"},
                {"\U0001F468\u200D\U0001F469\u200D\U0001F467", "emoji made of several parts"},
                {"\U0001F1E8\U0001F1F3", "emoji made of several parts"},
                {"\U0001F44D\U0001F3FD", "emoji made of several parts"},
                {"\u2764\uFE0F", "emoji made of several parts"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(text_field(rows[i].text, "Name", 10, out, sizeof out, &err), FD_BAD_INPUT);
        assert_non_null(strstr(err.message, rows[i].says));
        assert_string_equal(out, "");
    }
}

static void typed_words_are_folded(void **state)
{
    (void)state;
    char out[16];
    assert_true(text_fold(out, sizeof out, " ＡＢ－１２\u3000x "));
    assert_string_equal(out, "ab-12 x");
    assert_false(text_fold(out, sizeof out, "12345678901234567"));
    assert_string_equal(out, "");
    assert_false(text_fold(out, sizeof out, "a\033"));
    assert_true(text_same("Abc", "aBC"));
    assert_true(text_same(NULL, ""));
    assert_false(text_same("abc", "abcd"));
    assert_true(text_is_digits("0123"));
    assert_false(text_is_digits(""));
    assert_false(text_is_digits("12a"));
    assert_false(text_is_digits(NULL));
}

static void search_text_means_itself(void **state)
{
    (void)state;
    char out[16];
    assert_true(text_like(out, sizeof out, "50%_|\\x"));
    assert_string_equal(out, "50|%|_|||\\x");
    assert_false(text_like(out, 4, "ab%"));
    assert_true(text_like(out, 5, "ab%"));
    assert_false(text_like(out, 0, ""));
}

static void names_have_their_initials(void **state)
{
    (void)state;
    static const struct {
        const char *name, *initials;
    } rows[] = {
        {"张三丰", "zsf"}, {"单雄信", "sxx"},  {"简单", "jd"},       {"曾国藩", "zgf"},
        {"解缙", "xj"},    {"仇英", "qy"},     {"区大相", "odx"},    {"查良镛", "zly"},
        {"翟让", "zr"},    {"朴树", "ps"},     {"乐毅", "yy"},       {"覃辉", "qh"},
        {"尉迟恭", "ycg"}, {"万俟卨", "mqx"},  {"长孙无忌", "zswj"}, {"种师道", "csd"},
        {"重耳", "ce"},    {"缪荃孙", "mqs"},  {"冼星海", "xxh"},    {"黑先生", "hxs"},
        {"员半千", "ybq"}, {"欧阳修", "oyx"},  {"盖聂", "gn"},       {"阚泽", "kz"},
        {"李晟", "ls"},    {"吕布", "lb"},     {"Wang Wu", "ww"},    {"wang xiao-ming", "wxm"},
        {"ＷＡＮＧ", "w"}, {"张San丰", "zsf"}, {"王 小 明", "wxm"},  {"138 张", "z"},
        {"", ""},          {"😀！", ""},        {" 单 田芳", "stf"},
    };
    char out[16];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(pinyin_initials(rows[i].name, out, sizeof out), rows[i].initials);
    assert_string_equal(pinyin_initials("张三丰", out, 3), "zs");
    assert_string_equal(pinyin_initials("尉迟恭", out, 2), "y");
}

/* ---- random bytes; the seed is fixed, so a failure comes back ---- */

static uint64_t seed = 0x9E3779B97F4A7C15u;

static uint32_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

/* Bytes of any kind, or pieces that the parsers know, so that both sides of them are met. */
static void random_text(char *out, size_t most)
{
    static const char *const pieces[] = {"0",      "1",      "9",  "12", "2026", ".",  "-",  "+",  ":",
                                         " ",      ",",      "86", "00", "e",    "９", "。", "张", "\033",
                                         "\u202E", "\u0301", "周", "六", "sat",  "\t", "138"};
    size_t used = 0, length = next_random() % most;
    bool raw = next_random() % 2;
    while (used < length) {
        if (raw) {
            out[used++] = (char)(next_random() % 255 + 1);
            continue;
        }
        const char *piece = pieces[next_random() % COUNT(pieces)];
        if (used + strlen(piece) > length)
            break;
        memcpy(out + used, piece, strlen(piece));
        used += strlen(piece);
    }
    out[used] = '\0';
}

static void check_clean(const char *text)
{
    char once[128], twice[128];
    size_t room = next_random() % sizeof once + 1;
    size_t bytes = text_clean(once, room, text);
    assert_true(bytes < room && strlen(once) == bytes);
    assert_true(text_is_clean(once));
    text_clean(twice, sizeof twice, once);
    assert_string_equal(twice, once);
    int cells = 0;
    for (const char *at = once; *at;) {
        uint32_t ch = text_next(&at);
        assert_true(ch >= 0x20 && (ch < 0x7F || ch > 0x9F) && (ch < 0x202A || ch > 0x202E));
        cells += wcwidth((wchar_t)ch);
    }
    assert_int_equal(text_width(once), cells);
    assert_true(text_grapheme_next(once, 0) <= bytes);
}

static void check_money(const char *text)
{
    char decimal[FEN_TEXT];
    int64_t fen = -7, again = -7;
    struct fd_error err;
    enum fd_code code = fen_parse(text, "x", &fen, &err);
    if (code != FD_OK) {
        assert_int_equal(code, FD_BAD_INPUT);
        assert_int_equal(fen, -7);
        assert_true(text_is_clean(err.message));
        return;
    }
    assert_in_range(fen, 0, FEN_DECIMAL_MAX);
    assert_int_equal(fen_parse(fen_decimal(fen, decimal), "x", &again, NULL), FD_OK);
    assert_int_equal(again, fen);
    assert_true(fen_from_decimal(decimal, &again) && again == fen);
}

static int check_day(const char *text)
{
    char sql[DAY_TEXT];
    day_t day = -7, again;
    if (day_parse(text, "x", day_of(2026, 11, 30), &day, NULL) != FD_OK) {
        assert_int_equal(day, -7);
        return 0;
    }
    assert_true(day_from_sql(day_sql(day, sql), &again) && again == day);
    return 1;
}

static int check_phone(const char *text)
{
    char phone[PHONE_BYTES], again[PHONE_BYTES], masked[PHONE_BYTES];
    assert_true(strlen(phone_mask(text, masked)) < PHONE_BYTES);
    if (phone_normalise(text, phone, NULL) != FD_OK)
        return 0;
    assert_in_range(strlen(phone), 5, 21);
    assert_int_equal(phone_normalise(phone, again, NULL), FD_OK);
    assert_string_equal(again, phone);
    return 1;
}

static void random_bytes_never_break_a_parser(void **state)
{
    (void)state;
    int days = 0, phones = 0;
    for (int i = 0; i < 200000; i++) {
        char text[40], out[64];
        int from, to;
        random_text(text, sizeof text);
        check_clean(text);
        check_money(text);
        days += check_day(text);
        phones += check_phone(text);
        if (span_parse(text, "x", &from, &to, NULL) == FD_OK)
            assert_true(from >= 0 && from < to && to <= 1440);
        pinyin_initials(text, out, sizeof out);
        assert_int_equal(strspn(out, "abcdefghijklmnopqrstuvwxyz"), strlen(out));
    }
    /* Where the pieces made no day and no phone, the test showed nothing. */
    assert_true(days > 100 && phones > 100);
}

int main(void)
{
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_could_harm_a_terminal_is_replaced),
        cmocka_unit_test(heaps_of_combining_marks_are_bounded),
        cmocka_unit_test(a_cut_falls_between_characters),
        cmocka_unit_test(what_is_clean_is_measured_alike_by_libc_and_utf8proc),
        cmocka_unit_test(every_character_comes_back_from_its_encoding),
        cmocka_unit_test(width_counts_cells),
        cmocka_unit_test(text_fits_its_cells_exactly),
        cmocka_unit_test(graphemes_are_walked_both_ways),
        cmocka_unit_test(phones_get_one_form),
        cmocka_unit_test(masked_phones_show_no_more_than_the_tail),
        cmocka_unit_test(a_field_refuses_what_cannot_be_shown_and_names_it),
        cmocka_unit_test(typed_words_are_folded),
        cmocka_unit_test(search_text_means_itself),
        cmocka_unit_test(names_have_their_initials),
        cmocka_unit_test(random_bytes_never_break_a_parser),
    };
    return cmocka_run_group_tests_name("base/text", tests, NULL, NULL);
}
