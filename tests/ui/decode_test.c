#include "ui/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/term/decode.h"

static struct decoder *decoder;
static int64_t now;

static int fresh(void **state) {
    (void)state;
    now = 1000;
    decoder = decoder_new(25);
    decoder_define(decoder, "\033OP", K_F(1));
    decoder_define(decoder, "\033\t", K_BACKTAB);
    return 0;
}

static int done(void **state) {
    (void)state;
    decoder_free(decoder);
    return 0;
}

static void feed(const char *bytes) {
    decoder_feed(decoder, bytes, strlen(bytes), now);
}

/* All events of the bytes as names, also what only time decides. */
static const char *decoded(const char *bytes, size_t count) {
    static char out[4096];
    struct input input;
    out[0] = '\0';
    decoder_feed(decoder, bytes, count, now);
    for (int pass = 0; pass < 2; pass++, now += 3000)
        while (decoder_next(decoder, now, &input)) {
            char name[64];
            size_t at = strlen(out);
            if (input.kind == INPUT_PASTE)
                snprintf(out + at, sizeof out - at, "%s<%.200s>", at ? " " : "", input.paste);
            else if (input.kind == INPUT_MOUSE)
                snprintf(out + at, sizeof out - at, "%smouse%d@%d,%d", at ? " " : "", (int)input.mouse, input.row, input.column);
            else
                snprintf(out + at, sizeof out - at, "%s%s", at ? " " : "", key_label(input.key, name, sizeof name));
        }
    return out;
}

static const char *events(const char *bytes) {
    return decoded(bytes, strlen(bytes));
}

static void spellings_of_every_terminal_give_the_same_keys(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *names;
    } cases[] = {
        {"a王?", "a 王 ?"},
        {"\r\n\t\177\b", "Enter Enter Tab BkSp BkSp"},
        {"\001\003\023\032", "C-a C-c C-s C-z"},
        {"\033OA\033[A\033[1;5A", "Up Up C-Up"},
        {"\033OP\033[11~\033[[A\033[1;2P", "F1 F1 F1 S-F1"},
        {"\033[14~\033OS\033[15~\033[[E", "F4 F4 F5 F5"},
        {"\033[21~\033[24~", "F10 F12"},
        {"\033[1~\033[7~\033OH\033[H", "Home Home Home Home"},
        {"\033[4~\033[8~\033OF\033[F", "End End End End"},
        {"\033[Z\033\t\033[1;2Z", "S-Tab S-Tab S-S-Tab"},
        {"\0331\0339\0330", "F1 F9 F10"},
        {"\033b\033f\033\177\033中", "M-b M-f M-BkSp M-中"},
        {"\033[3;5~\033[5~", "C-Del PgUp"},
        {"\033[27;5;115~\033[97;3u\033[13;1u", "C-s M-a Enter"},
        {"\033Oq\033OM\033Op", "1 Enter 0"},
        {"\033O5A", "C-Up"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(events(cases[i].bytes), cases[i].names);
}

static void lone_escape_answers_after_its_delay(void **state) {
    (void)state;
    struct input input;
    feed("\033");
    assert_false(decoder_next(decoder, now, &input));
    assert_int_equal(decoder_wait_ms(decoder, now), 25);
    assert_false(decoder_next(decoder, now + 24, &input));
    assert_true(decoder_next(decoder, now + 25, &input));
    assert_int_equal(input.key, K_ESC);
    assert_int_equal(decoder_wait_ms(decoder, now + 25), -1);
}

static void two_escapes_are_two(void **state) {
    (void)state;
    assert_string_equal(events("\033\033"), "Esc Esc");
}

static void unknown_sequences_never_become_letters(void **state) {
    (void)state;
    static const char *const unknown[] = {"\033[99~", "\033[1;9X",       "\033[?62;c", "\033[>0;276;0c", "\033]10;rgb:ff/ff/ff\a",
                                          "\033P1$r0m\033\\", "\033[12;40R", "\033[I", "\033[O",          "\033[ q",
                                          "\033[[z",  "\033O9z",         "\033[200000000000;5~", "\033[1;2;3;4;5;6m"};
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_string_equal(events(unknown[i]), "");
}

static void sequence_in_pieces_is_one_key(void **state) {
    (void)state;
    struct input input;
    feed("\033");
    assert_false(decoder_next(decoder, now, &input));
    now += 10;
    feed("[1");
    assert_false(decoder_next(decoder, now, &input));
    now += 60; /* longer than the escape delay: it has begun and is waited for */
    feed("5~x");
    assert_true(decoder_next(decoder, now, &input));
    assert_int_equal(input.key, K_F(5));
    assert_true(decoder_next(decoder, now, &input));
    assert_int_equal(input.key, 'x');
}

static void sequence_that_never_ends_is_dropped_whole(void **state) {
    (void)state;
    assert_string_equal(events("\033[1;"), "");
    assert_string_equal(events("x"), "x");
}

static void broken_utf8_is_skipped_and_what_follows_is_kept(void **state) {
    (void)state;
    assert_string_equal(events("\xff\xfe" "a\xe4\xb8" "b\xc0\xaf\x80" "c\xc2\x9b" "d\xed\xa0\x80"), "a b c d");
}

static void paste_is_one_event_and_its_newlines_are_blanks(void **state) {
    (void)state;
    assert_string_equal(events("a\033[200~q\nrm -rf\r\n中\033[31m\tq\033[201~b"), "a <q rm -rf 中\xef\xbf\xbd[31m q> b");
}

static void paste_in_pieces_keeps_every_byte(void **state) {
    (void)state;
    static const char bytes[] = "\033[200~hello 王\nworld\033[201~";
    struct input input;
    for (size_t i = 0; i + 1 < sizeof bytes - 1; i++) {
        decoder_feed(decoder, bytes + i, 1, now);
        assert_false(decoder_next(decoder, now, &input));
    }
    feed("~");
    assert_true(decoder_next(decoder, now, &input));
    assert_string_equal(input.paste, "hello 王 world");
}

static void endless_paste_is_cut_and_ends_by_time(void **state) {
    (void)state;
    char block[4096];
    struct input input;
    memset(block, 'x', sizeof block);
    feed("\033[200~");
    for (int i = 0; i < 40; i++) {
        decoder_feed(decoder, block, sizeof block, now);
        assert_false(decoder_next(decoder, now, &input));
    }
    assert_true(decoder_next(decoder, now + 5000, &input));
    assert_int_equal(strlen(input.paste), DECODE_PASTE_MAX);
}

static void mouse_reports_of_both_kinds(void **state) {
    (void)state;
    assert_string_equal(events("\033[<0;10;5M\033[<0;10;5m"), "mouse0@4,9");
    assert_string_equal(events("\033[<64;150;40M\033[<65;1;1M"), "mouse2@39,149 mouse3@0,0");
    assert_string_equal(events("\033[M !!\033[M#!!x"), "mouse0@0,0 x");
    assert_string_equal(events("\033[<2;1;1M\033[<35;1;1M\033[<0;0;0M"), "");
    now += 1000;
    assert_string_equal(events("\033[<0;3;3M\033[<0;3;3m\033[<0;3;3M"), "mouse0@2,2 mouse1@2,2");
}

static void position_report_is_taken_only_when_asked_for(void **state) {
    (void)state;
    struct input input;
    int row, column;
    assert_string_equal(events("\033[1;2R"), "S-F3");
    decoder_expect_report(decoder, now + 1000);
    feed("\033[1;3Rx");
    assert_true(decoder_next(decoder, now, &input));
    assert_int_equal(input.key, 'x');
    assert_true(decoder_report(decoder, &row, &column));
    assert_int_equal(column, 3);
    assert_false(decoder_report(decoder, &row, &column));
}

/* Whatever comes, the decoder takes it all, gives only clean events and stops asking for time. */
static void random_bytes_leave_nothing_behind(void **state) {
    (void)state;
    static const char pieces[] = "\033[]O<;0123~MmAR?Pu\x1b\\\a\xe4\xb8\xad\xff q";
    srandom(11);
    for (int round = 0; round < 3000; round++) {
        char bytes[64];
        size_t count = 1 + (size_t)random() % sizeof bytes;
        struct input input;
        for (size_t i = 0; i < count; i++)
            bytes[i] = random() % 8 ? pieces[(size_t)random() % (sizeof pieces - 1)] : (char)random();
        decoder_feed(decoder, bytes, count, now);
        while (decoder_next(decoder, now, &input))
            assert_true(input.kind != INPUT_KEY || input.key != K_NONE);
        for (int i = 0; i < 3; i++) {
            now += 3000;
            while (decoder_next(decoder, now, &input))
                assert_true(input.kind != INPUT_PASTE || strchr(input.paste, '\033') == NULL);
        }
        assert_int_equal(decoder_wait_ms(decoder, now), -1);
        assert_string_equal(events("z"), "z");
    }
}

static void key_names_read_back(void **state) {
    (void)state;
    static const uint32_t keys[] = {'a', 'A', '?', 0x4e2d, ' ', '-', K_F(1), K_F(12), K_ESC, K_ENTER, K_CTRL | 's', K_ALT | 'm',
                                    K_BACKTAB, K_CTRL | K_LEFT, K_PGUP};
    char name[32];
    for (size_t i = 0; i < COUNT(keys); i++)
        assert_int_equal(key_from_name(key_label(keys[i], name, sizeof name)), keys[i]);
    assert_int_equal(key_from_name("Nonsense"), K_NONE);
    assert_int_equal(key_from_name(""), K_NONE);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, fresh, done)
    const struct CMUnitTest tests[] = {
        T(spellings_of_every_terminal_give_the_same_keys),
        T(lone_escape_answers_after_its_delay),
        T(two_escapes_are_two),
        T(unknown_sequences_never_become_letters),
        T(sequence_in_pieces_is_one_key),
        T(sequence_that_never_ends_is_dropped_whole),
        T(broken_utf8_is_skipped_and_what_follows_is_kept),
        T(paste_is_one_event_and_its_newlines_are_blanks),
        T(paste_in_pieces_keeps_every_byte),
        T(endless_paste_is_cut_and_ends_by_time),
        T(mouse_reports_of_both_kinds),
        T(position_report_is_taken_only_when_asked_for),
        T(random_bytes_leave_nothing_behind),
        T(key_names_read_back),
    };
    unit_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
