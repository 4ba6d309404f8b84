/* Money, time, random numbers. */
#include "unit.h"

#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "base/token.h"
#include "base/when.h"

/* ---- money ---- */

static void an_amount_is_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t fen;
    } rows[] = {
        {"80", 8000},
        {"80.5", 8050},
        {".5", 50},
        {"80.00", 8000},
        {" 80.05\t", 8005},
        {"0", 0},
        {"0.01", 1},
        {"5.", 500},
        {"007", 700},
        {"99999999.99", FEN_DECIMAL_MAX},
        {"000000000000000000000080", 8000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t fen = -1;
        assert_int_equal(fen_parse(rows[i].text, "Amount", &fen, NULL), FD_OK);
        assert_int_equal(fen, rows[i].fen);
    }
}

static void an_amount_of_another_form_is_refused_with_its_field(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "needed"},
        {"  ", "needed"},
        {"12.345", "two decimals"},
        {"1e3", "digits 0-9"},
        {"-0", "without sign"},
        {"+1", "without sign"},
        {"９", "digits 0-9"},
        {"1,234", "digits 0-9"},
        {".", "digits 0-9"},
        {"1.2.3", "digits 0-9"},
        {"0x10", "digits 0-9"},
        {"1 2", "digits 0-9"},
        {"100000000", "above 99999999.99"},
        {"99999999999999999999999999", "above"},
        {"¥80", "digits 0-9"},
        {"nan", "digits 0-9"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t fen = 77;
        struct fd_error err;
        assert_int_equal(fen_parse(rows[i].text, "Amount", &fen, &err), FD_BAD_INPUT);
        assert_int_equal(fen, 77);
        assert_ptr_equal(strstr(err.message, "Amount: "), err.message);
        if (!strstr(err.message, rows[i].says))
            fail_msg("\"%s\": %s", rows[i].text, err.message);
    }
}

static void a_decimal_of_the_database_is_read_or_refused(void **state)
{
    (void)state;
    int64_t fen = 77;
    assert_true(fen_from_decimal("-12.30", &fen));
    assert_int_equal(fen, -1230);
    assert_true(fen_from_decimal("5", &fen));
    assert_int_equal(fen, 500);
    assert_true(fen_from_decimal("-0.00", &fen));
    assert_int_equal(fen, 0);
    assert_true(fen_from_decimal("9999999999.99", &fen));
    assert_int_equal(fen, FEN_MAX);
    static const char *const bad[] = {"", "-", " 5", "5.000", "--5", "1e2", "10000000000.00", "NULL"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(fen_from_decimal(bad[i], &fen));
    assert_false(fen_from_decimal(NULL, &fen));
    assert_int_equal(fen, FEN_MAX);
}

static void amounts_are_written_for_the_database_and_for_people(void **state)
{
    (void)state;
    static const struct {
        int64_t fen;
        const char *decimal, *text;
    } rows[] = {
        {0, "0.00", "0.00"},
        {8000, "80.00", "80.00"},
        {-5, "-0.05", "-0.05"},
        {99999, "999.99", "999.99"},
        {100000, "1000.00", "1,000.00"},
        {-123456789, "-1234567.89", "-1,234,567.89"},
        {INT64_MAX, "92233720368547758.07", "92,233,720,368,547,758.07"},
        {INT64_MIN, "-92233720368547758.08", "-92,233,720,368,547,758.08"},
    };
    char text[FEN_TEXT];
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(fen_decimal(rows[i].fen, text), rows[i].decimal);
        assert_string_equal(fen_text(rows[i].fen, text), rows[i].text);
    }
}

static void products_and_sums_stop_at_what_the_column_holds(void **state)
{
    (void)state;
    int64_t fen = 77;
    assert_true(fen_times(8000, 3, &fen));
    assert_int_equal(fen, 24000);
    assert_true(fen_times(FEN_DECIMAL_MAX, -1, &fen));
    assert_int_equal(fen, -FEN_DECIMAL_MAX);
    assert_true(fen_add(FEN_DECIMAL_MAX - 1, 1, &fen));
    fen = 77;
    assert_false(fen_times(FEN_DECIMAL_MAX, 2, &fen));
    assert_false(fen_times(INT64_MAX, INT64_MAX, &fen));
    assert_false(fen_add(FEN_DECIMAL_MAX, 1, &fen));
    assert_false(fen_add(INT64_MIN, -1, &fen));
    assert_int_equal(fen, 77);
}

/* ---- time ---- */

static void every_day_of_ten_thousand_years_comes_back(void **state)
{
    (void)state;
    assert_int_equal(day_of(1970, 1, 1), 0);
    assert_int_equal(day_of(2000, 3, 1), 11017);
    assert_int_equal(day_weekday(0), 4);
    int weekday = day_weekday(day_of(1, 1, 1));
    for (day_t day = day_of(1, 1, 1); day <= day_of(9999, 12, 31); day++) {
        int year, month, dom;
        day_split(day, &year, &month, &dom);
        if (day_of(year, month, dom) != day || day_weekday(day) != weekday)
            fail_msg("day %d is %d-%d-%d", day, year, month, dom);
        weekday = weekday % 7 + 1;
    }
}

static void days_that_do_not_exist_are_none(void **state)
{
    (void)state;
    static const int bad[][3] = {{2025, 2, 29}, {1900, 2, 29}, {2026, 4, 31}, {2026, 0, 1},
                                 {2026, 13, 1}, {2026, 1, 0},  {0, 1, 1},     {10000, 1, 1}};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(day_of(bad[i][0], bad[i][1], bad[i][2]), DAY_NONE);
    assert_int_not_equal(day_of(2000, 2, 29), DAY_NONE);
    assert_int_not_equal(day_of(2024, 2, 29), DAY_NONE);
}

static void times_of_the_database_are_read_exactly(void **state)
{
    (void)state;
    day_t day;
    wall_t wall;
    int minute;
    char text[WALL_TEXT];
    assert_true(day_from_sql("2026-12-01", &day));
    assert_int_equal(day, day_of(2026, 12, 1));
    static const char *const bad_days[] = {"", "2026-12-1", "2026-12-01 ", "0000-00-00", "2026-02-30", "2026/12/01"};
    for (size_t i = 0; i < COUNT(bad_days); i++)
        assert_false(day_from_sql(bad_days[i], &day));
    assert_false(day_from_sql(NULL, &day));
    assert_true(wall_from_sql("2026-12-01 10:42:07", &wall));
    assert_int_equal(wall, wall_at(day_of(2026, 12, 1), 10 * 60 + 42) + 7);
    assert_string_equal(wall_sql(wall, text), "2026-12-01 10:42:07");
    assert_true(wall_from_sql("2026-12-01 10:42:07.123456", &wall));
    assert_int_equal(wall_minute(wall), 642);
    assert_true(wall_from_sql(NULL, &wall));
    assert_true(wall == WALL_NONE);
    assert_string_equal(wall_sql(WALL_NONE, text), "");
    static const char *const bad_walls[] = {"",
                                            "2026-12-01",
                                            "2026-12-01T10:42:07",
                                            "2026-12-01 24:00:00",
                                            "2026-12-01 10:60:00",
                                            "2026-12-01 10:42:07x",
                                            "2026-12-01 10:42"};
    for (size_t i = 0; i < COUNT(bad_walls); i++)
        assert_false(wall_from_sql(bad_walls[i], &wall));
    assert_true(minute_from_sql("19:00:00", &minute));
    assert_int_equal(minute, 1140);
    assert_true(minute_from_sql("24:00:00", &minute));
    assert_int_equal(minute, 1440);
    assert_true(minute_from_sql("23:59:59", &minute));
    assert_int_equal(minute, 1439);
    assert_false(minute_from_sql("24:00:01", &minute));
    assert_false(minute_from_sql("-01:00:00", &minute));
    assert_false(minute_from_sql("838:59:59", &minute));
    assert_false(minute_from_sql(NULL, &minute));
}

static void a_moment_before_1970_belongs_to_its_day(void **state)
{
    (void)state;
    assert_int_equal(wall_day(-1), -1);
    assert_int_equal(wall_minute(-1), 1439);
    assert_int_equal(wall_day(-86400), -1);
    assert_int_equal(wall_day(-86401), -2);
    char text[HHMM_TEXT];
    assert_string_equal(minute_text(1440, text), "24:00");
    assert_string_equal(minute_text(0, text), "00:00");
    assert_string_equal(day_weekday_name(day_of(2026, 12, 1)), "Tue");
}

static void a_typed_day_is_read_relative_to_today(void **state)
{
    (void)state;
    day_t today = day_of(2026, 11, 30); /* a Monday */
    static const struct {
        const char *text, *day;
    } rows[] = {
        {"2026-12-01", "2026-12-01"}, {"2026-1-2", "2026-01-02"},
        {"12-01", "2026-12-01"},      {"1-15", "2027-01-15"},
        {"5-31", "2026-05-31"},       {"5-30", "2027-05-30"},
        {"11-30", "2026-11-30"},      {"02-29", "2028-02-29"},
        {"1", "2026-11-01"},          {"30", "2026-11-30"},
        {"+1", "2026-12-01"},         {"-1", "2026-11-29"},
        {"+0", "2026-11-30"},         {"t", "2026-11-30"},
        {"TODAY", "2026-11-30"},      {"今天", "2026-11-30"},
        {"明天", "2026-12-01"},       {"mon", "2026-11-30"},
        {"sat", "2026-12-05"},        {"Sunday", "2026-12-06"},
        {"六", "2026-12-05"},         {"周六", "2026-12-05"},
        {"星期日", "2026-12-06"},     {"礼拜天", "2026-12-06"},
        {"周一", "2026-11-30"},       {" １２－０１ ", "2026-12-01"},
    };
    char text[DAY_TEXT];
    for (size_t i = 0; i < COUNT(rows); i++) {
        day_t day = DAY_NONE;
        if (day_parse(rows[i].text, "Date", today, &day, NULL) != FD_OK)
            fail_msg("\"%s\" was refused", rows[i].text);
        assert_string_equal(day_sql(day, text), rows[i].day);
    }
    static const char *const bad[] = {"",     "31",          "0",           "13-01",  "2-30",  "2025-02-29", "12-",
                                      "-",    "+",           "12-01-01-01", "+99999", "+3661", "x",          "周",
                                      "周八", "99999-01-01", "126-01-01",   "12/01",  "1 2"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        day_t day = 77;
        struct fd_error err;
        if (day_parse(bad[i], "Date", today, &day, &err) != FD_BAD_INPUT || day != 77)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_ptr_equal(strstr(err.message, "Date: "), err.message);
    }
}

static void typed_times_and_spans_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int minute;
    } rows[] = {{"19", 1140},    {"7", 420},   {"1930", 1170}, {"930", 570},     {"19:30", 1170}, {"7:05", 425},
                {"24:00", 1440}, {"24", 1440}, {"0", 0},       {"19：30", 1170}, {" 19 ", 1140}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        int minute = -1;
        if (minute_parse(rows[i].text, "From", &minute, NULL) != FD_OK || minute != rows[i].minute)
            fail_msg("\"%s\" gave %d", rows[i].text, minute);
    }
    static const char *const bad[] = {"",    "25",  "24:01",  "19:60", "1960",  "19:3",
                                      "19:", ":30", "19:300", "-1",    "12345", "7pm"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        int minute = 77;
        if (minute_parse(bad[i], "From", &minute, NULL) != FD_BAD_INPUT || minute != 77)
            fail_msg("\"%s\" was taken", bad[i]);
    }
    static const struct {
        const char *text;
        int from, to;
    } spans[] = {{"19-21", 1140, 1260},          {"19:00-21:30", 1140, 1290}, {"19", 1140, 1200},
                 {"23-24", 1380, 1440},          {"19 - 21", 1140, 1260},     {"19~21", 1140, 1260},
                 {"19：00－21：00", 1140, 1260}, {"23", 1380, 1440}};
    for (size_t i = 0; i < COUNT(spans); i++) {
        int from = -1, to = -1;
        if (span_parse(spans[i].text, "Time", &from, &to, NULL) != FD_OK || from != spans[i].from || to != spans[i].to)
            fail_msg("\"%s\" gave %d to %d", spans[i].text, from, to);
    }
    static const char *const bad_spans[] = {"",      "21-19", "19-19", "19-",      "-21",
                                            "19-25", "24",    "23:30", "19-20-21", "19 20"};
    for (size_t i = 0; i < COUNT(bad_spans); i++) {
        int from = 77, to = 78;
        if (span_parse(bad_spans[i], "Time", &from, &to, NULL) != FD_BAD_INPUT || from != 77 || to != 78)
            fail_msg("\"%s\" was taken", bad_spans[i]);
    }
}

static void waiting_waits(void **state)
{
    (void)state;
    int64_t before = mono_us();
    sleep_ms(20);
    sleep_ms(-5);
    assert_true(mono_us() - before >= 20000);
    assert_true(mono_ms() >= before / 1000);
}

/* ---- random numbers ---- */

static void a_number_can_be_read_over_the_phone(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], other[NUMBER_BYTES];
    for (int i = 0; i < 2000; i++) {
        number_new(number, day_of(2026, 11, 30), "VB");
        assert_int_equal(strlen(number), 18);
        assert_memory_equal(number, "20261130VB", 10);
        assert_int_equal(strspn(number + 10, "23456789ABCDEFGHJKMNPQRSTUVWXYZ"), 8);
    }
    number_new(other, day_of(2026, 11, 30), "VB");
    assert_string_not_equal(number, other);
    char key[KEY_BYTES], second[KEY_BYTES];
    key_new(key);
    key_new(second);
    assert_int_equal(strlen(key), 26);
    assert_string_not_equal(key, second);
}

static void random_numbers_stay_below_and_reach_all(void **state)
{
    (void)state;
    int seen[7] = {0};
    for (int i = 0; i < 7000; i++)
        seen[random_below(7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 700, 1300);
    assert_int_equal(random_below(1), 0);
    char text[65];
    sha256_hex("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_amount_is_read_exactly),
        cmocka_unit_test(an_amount_of_another_form_is_refused_with_its_field),
        cmocka_unit_test(a_decimal_of_the_database_is_read_or_refused),
        cmocka_unit_test(amounts_are_written_for_the_database_and_for_people),
        cmocka_unit_test(products_and_sums_stop_at_what_the_column_holds),
        cmocka_unit_test(every_day_of_ten_thousand_years_comes_back),
        cmocka_unit_test(days_that_do_not_exist_are_none),
        cmocka_unit_test(times_of_the_database_are_read_exactly),
        cmocka_unit_test(a_moment_before_1970_belongs_to_its_day),
        cmocka_unit_test(a_typed_day_is_read_relative_to_today),
        cmocka_unit_test(typed_times_and_spans_are_read),
        cmocka_unit_test(waiting_waits),
        cmocka_unit_test(a_number_can_be_read_over_the_phone),
        cmocka_unit_test(random_numbers_stay_below_and_reach_all),
    };
    return cmocka_run_group_tests_name("base/number", tests, NULL, NULL);
}
