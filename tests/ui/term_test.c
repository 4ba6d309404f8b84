/* The frame in a pseudo-terminal: a small console (tests/ui/desk.c) driven as a person would. */
#include "ui/unit.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/when.h"
#include "support/screen.h"

#define LIMIT 10000 /* ms: generous where the time itself is not what is tested */

static struct screen *screen;
static char program[512];

static void start(struct screen_options options, const char *argument) {
    const char *argv[] = {program, argument, NULL};
    options.argv = argv;
    screen = screen_open(&options);
}

static void start_plain(void) {
    start((struct screen_options){0}, NULL);
    assert_true(screen_wait(screen, "0000", LIMIT));
    screen_settle(screen, 50, LIMIT);
}

static int done(void **state) {
    (void)state;
    screen_close(&screen);
    return 0;
}

static void assert_restored(void) {
    assert_false(screen_alternate(screen));
    assert_false(screen_mouse(screen));
    assert_false(screen_paste_mode(screen));
    assert_true(screen_cursor_visible(screen));
    assert_true(screen_cooked(screen));
}

/* --- start and end --- */

static void console_takes_the_terminal_and_gives_it_back(void **state) {
    int status;
    (void)state;
    start_plain();
    assert_true(screen_alternate(screen) && screen_mouse(screen) && screen_paste_mode(screen));
    assert_false(screen_cooked(screen));
    assert_string_equal(screen_title(screen), "Hall - People");
    screen_keys(screen, "q y");
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_restored();
}

static void no_terminal_means_a_message_exit_2_and_no_escape_codes(void **state) {
    char command[1200], text[4096];
    (void)state;
    snprintf(command, sizeof command, "'%s' 2>&1 </dev/null | cat; '%s' 2>/dev/null </dev/null; echo status $?", program, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t count = fread(text, 1, sizeof text - 1, pipe);
    text[count] = '\0';
    pclose(pipe);
    assert_non_null(strstr(text, "needs a terminal"));
    assert_non_null(strstr(text, "status 2"));
    assert_null(strchr(text, '\033'));
}

static void unknown_and_dumb_terminals_are_refused_in_words(void **state) {
    int status;
    (void)state;
    static const char *const names[] = {"no-such-terminal", "dumb"};
    for (size_t i = 0; i < COUNT(names); i++) {
        start((struct screen_options){.term = names[i]}, NULL);
        assert_true(screen_wait_exit(screen, &status, LIMIT));
        assert_int_equal(WEXITSTATUS(status), 2);
        assert_true(screen_find(screen, names[i], NULL) >= 0);
        size_t count;
        assert_null(strchr(screen_raw(screen, &count), '\033'));
        screen_close(&screen);
    }
}

static void fatal_signals_restore_the_terminal(void **state) {
    static const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    int status;
    (void)state;
    for (size_t i = 0; i < COUNT(fatal); i++) {
        start_plain();
        kill(screen_pid(screen), fatal[i]);
        assert_true(screen_wait_exit(screen, &status, LIMIT));
        assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == fatal[i] : WEXITSTATUS(status) != 0);
        assert_restored();
        screen_close(&screen);
    }
}

static void term_and_hup_end_cleanly_also_over_a_form(void **state) {
    static const int polite[] = {SIGTERM, SIGHUP, SIGINT};
    int status;
    (void)state;
    for (size_t i = 0; i < COUNT(polite); i++) {
        start_plain();
        screen_keys(screen, "a 138");
        assert_true(screen_wait(screen, "[138", LIMIT));
        int64_t before = mono_ms();
        kill(screen_pid(screen), polite[i]);
        assert_true(screen_wait_exit(screen, &status, LIMIT));
        assert_true(mono_ms() - before < 1000);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_restored();
        screen_close(&screen);
    }
}

static void terminal_that_goes_away_ends_the_program_in_a_second(void **state) {
    int status;
    (void)state;
    start_plain();
    int64_t before = mono_ms();
    screen_hang_up(screen);
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_true(mono_ms() - before < 1000);
}

static void hanging_write_does_not_keep_the_program_a_second(void **state) {
    int status;
    (void)state;
    start_plain();
    screen_keys(screen, "3 w");
    assert_true(screen_wait(screen, "Checking", LIMIT));
    int64_t before = mono_ms();
    kill(screen_pid(screen), SIGTERM);
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_true(mono_ms() - before < 1000);
    assert_restored();
}

/* --- keys --- */

static void escape_answers_soon(void **state) {
    double best = 1e9;
    (void)state;
    start_plain();
    for (int i = 0; i < 7; i++) {
        screen_keys(screen, "a");
        assert_true(screen_wait(screen, "Phone", LIMIT));
        screen_settle(screen, 30, LIMIT);
        screen_keys(screen, "Esc");
        assert_true(screen_wait_gone(screen, "Phone", LIMIT));
        double answer = screen_answer_ms(screen);
        best = answer < best ? answer : best;
        assert_true(answer < 500);
    }
    print_message("Esc answered in %.1f ms at best\n", best);
    assert_true(best < 100); /* 25 ms and a busy machine */
}

static void typed_ahead_keys_are_kept(void **state) {
    (void)state;
    start((struct screen_options){0}, NULL);
    screen_keys(screen, "a '13800001234' Enter 'Wang' F2"); /* before the first picture */
    assert_true(screen_wait(screen, "saved 13800001234", LIMIT));
}

static void control_s_is_a_key(void **state) {
    (void)state;
    start_plain();
    screen_keys(screen, "a '13800001234' Tab 'Wang' C-s");
    assert_true(screen_wait(screen, "saved 13800001234", LIMIT));
    screen_keys(screen, "Esc");
    assert_true(screen_wait(screen, "0000", LIMIT));
}

static void paste_with_newlines_and_q_only_fills_the_field(void **state) {
    (void)state;
    start_plain();
    screen_paste(screen, "q\ny\n:quit\n");
    screen_settle(screen, 60, LIMIT);
    assert_true(screen_find(screen, "0000", NULL) >= 0); /* on a list it is nothing */
    screen_keys(screen, "a Tab");
    assert_true(screen_wait(screen, "Phone", LIMIT));
    screen_settle(screen, 60, LIMIT);
    screen_paste(screen, "q\ny\nWang");
    assert_true(screen_wait(screen, "[q y Wang", LIMIT));
    assert_false(screen_wait_exit(screen, NULL, 100));
}

static void putty_and_linux_spellings_work(void **state) {
    (void)state;
    start_plain();
    screen_send(screen, "\033[11~");
    assert_true(screen_wait(screen, "Everywhere", LIMIT));
    screen_settle(screen, 40, LIMIT);
    screen_send(screen, "\033[99~\033[1;2;3z"); /* unknown: swallowed */
    screen_send(screen, "q");
    assert_true(screen_wait(screen, "0000", LIMIT));
    screen_send(screen, "\033[4~");
    assert_true(screen_wait(screen, "0499", LIMIT));
    screen_send(screen, "\033[1~\033[[A");
    assert_true(screen_wait(screen, "Everywhere", LIMIT));
}

static void suspend_gives_the_terminal_back_and_resume_redraws(void **state) {
    int status;
    (void)state;
    start_plain();
    /* the group of a session leader is orphaned: only a stop from outside holds it */
    kill(screen_pid(screen), SIGSTOP);
    waitpid(screen_pid(screen), &status, WUNTRACED);
    assert_true(WIFSTOPPED(status));
    screen_resize(screen, 30, 100);
    kill(screen_pid(screen), SIGCONT);
    assert_true(screen_wait(screen, "0023", LIMIT));
    screen_keys(screen, "C-z");
    screen_settle(screen, 100, LIMIT);
    assert_true(screen_wait(screen, "0023", LIMIT));
    assert_true(screen_alternate(screen) && screen_paste_mode(screen));
    screen_keys(screen, "q y");
    assert_true(screen_wait_exit(screen, &status, LIMIT));
    assert_restored();
}

/* --- the picture --- */

static void cursor_stands_on_the_selected_row(void **state) {
    int row, column, found, at;
    (void)state;
    start_plain();
    screen_keys(screen, "Down Down Down");
    screen_settle(screen, 60, LIMIT);
    screen_cursor(screen, &row, &column);
    found = screen_find(screen, "0003", NULL);
    assert_int_equal(row, found);
    screen_keys(screen, "a");
    assert_true(screen_wait(screen, "Phone", LIMIT));
    screen_keys(screen, "Tab '王小明'");
    assert_true(screen_wait(screen, "王小明", LIMIT));
    screen_settle(screen, 40, LIMIT);
    screen_cursor(screen, &row, &column);
    found = screen_find(screen, "王小明", &at);
    assert_int_equal(row, found);
    assert_int_equal(column, at + 6);
}

/* After any walk the picture is the one that a redraw gives: nothing stale, no half characters. */
static void moving_over_wide_characters_leaves_nothing_stale(void **state) {
    (void)state;
    start_plain();
    for (int i = 0; i < 40; i++)
        screen_keys(screen, "Down");
    screen_keys(screen, "PgDn PgUp Up Up F9");
    assert_true(screen_wait(screen, "─ Menu", LIMIT));
    screen_settle(screen, 40, LIMIT);
    screen_keys(screen, "Esc");
    assert_true(screen_wait_gone(screen, "─ Menu", LIMIT));
    screen_settle(screen, 60, LIMIT);
    char *walked = xstrdup(screen_text(screen));
    screen_keys(screen, "C-l");
    screen_settle(screen, 100, LIMIT);
    assert_string_equal(walked, screen_text(screen));
    free(walked);
}

static void resize_to_one_cell_and_back_restores_the_screen(void **state) {
    static const int sizes[][2] = {{1, 1}, {2, 4}, {20, 5}, {5, 20}, {132, 43}, {23, 80}, {40, 132}, {24, 79}};
    static const char *const keys[] = {"1", "a", "Esc 3", "F1", "F9"};
    (void)state;
    start_plain();
    for (size_t k = 0; k < COUNT(keys); k++) {
        screen_keys(screen, keys[k]);
        screen_settle(screen, 80, LIMIT);
        char *before = xstrdup(screen_text(screen));
        for (size_t i = 0; i < COUNT(sizes); i++) {
            screen_resize(screen, sizes[i][0], sizes[i][1]);
            screen_settle(screen, 30, LIMIT);
        }
        screen_resize(screen, 23, 80);
        assert_true(screen_wait(screen, "too small: 80x23", LIMIT));
        screen_resize(screen, 24, 80);
        assert_true(screen_wait(screen, "F10Exit", LIMIT));
        screen_settle(screen, 80, LIMIT);
        assert_string_equal(before, screen_text(screen));
        free(before);
    }
}

static void lines_and_columns_in_the_environment_do_not_freeze_the_size(void **state) {
    static const char *const env[] = {"LINES=24", "COLUMNS=80", NULL};
    (void)state;
    start((struct screen_options){.env = env}, NULL);
    assert_true(screen_wait(screen, "0000", LIMIT));
    screen_resize(screen, 40, 132);
    assert_true(screen_wait(screen, "0033", LIMIT));
}

static void no_color_has_no_colour_codes_and_the_same_text(void **state) {
    static const char *const env[] = {"NO_COLOR=1", NULL};
    size_t count;
    (void)state;
    start_plain();
    char *coloured = xstrdup(screen_text(screen));
    assert_non_null(strstr(screen_raw(screen, &count), "\033[38;5;"));
    screen_close(&screen);
    start((struct screen_options){.env = env}, NULL);
    assert_true(screen_wait(screen, "0000", LIMIT));
    screen_keys(screen, "Down F9 Esc Up");
    screen_settle(screen, 100, LIMIT);
    assert_string_equal(coloured, screen_text(screen));
    const char *raw = screen_raw(screen, &count);
    for (size_t i = 0; i + 2 < count; i++) {
        if (raw[i] != '\033' || raw[i + 1] != '[')
            continue;
        size_t end = i + 2 + strspn(raw + i + 2, "0123456789;");
        if (raw[end] != 'm')
            continue;
        for (const char *at = raw + i + 2; at < raw + end; at += strcspn(at, ";m") + 1) {
            int code = atoi(at);
            assert_false((code >= 30 && code <= 49) || (code >= 90 && code <= 107));
        }
    }
    free(coloured);
}

static void wide_ambiguous_terminal_gets_ascii_by_itself(void **state) {
    (void)state;
    start((struct screen_options){.wide_ambiguous = true}, NULL);
    assert_true(screen_wait(screen, " > 0000", LIMIT));
    assert_true(screen_find(screen, "▸", NULL) < 0);
    screen_close(&screen);
    start((struct screen_options){.no_answers = true}, NULL);
    assert_true(screen_wait(screen, "▸ 0000", LIMIT));
    screen_settle(screen, 50, LIMIT);
    assert_true(screen_wait_gone(screen, "…", LIMIT)); /* the probe left no trace */
    screen_close(&screen);
    start((struct screen_options){0}, "--ascii");
    assert_true(screen_wait(screen, " > 0000", LIMIT));
}

static void mouse_clicks_rows_tabs_and_can_be_switched_off(void **state) {
    (void)state;
    start_plain();
    screen_send(screen, "\033[<0;10;8M\033[<0;10;8m"); /* row 8 of the window: list row 4 */
    assert_true(screen_wait(screen, "▸ 0004", LIMIT));
    screen_send(screen, "\033[<0;11;2M\033[<0;11;2m");
    assert_true(screen_wait(screen, "Phone", LIMIT));
    screen_keys(screen, "M-m");
    assert_true(screen_wait(screen, "Mouse off", LIMIT));
    assert_false(screen_mouse(screen));
    screen_keys(screen, "M-m");
    assert_true(screen_wait(screen, "Mouse on", LIMIT));
    assert_true(screen_mouse(screen));
    screen_close(&screen);
    start((struct screen_options){0}, "--no-mouse");
    assert_true(screen_wait(screen, "0000", LIMIT));
    assert_false(screen_mouse(screen));
}

/* --- work --- */

static void slow_read_shows_keys_still_answer_and_escape_stops_it(void **state) {
    (void)state;
    start_plain();
    screen_keys(screen, "3 Enter");
    assert_true(screen_wait(screen, "Reading slowly", LIMIT));
    screen_keys(screen, "1");
    assert_true(screen_wait(screen, "0000", LIMIT));
    assert_true(screen_wait(screen, "has not answered", LIMIT));
    screen_keys(screen, "Esc");
    assert_true(screen_wait_gone(screen, "Reading slowly", LIMIT));
    assert_false(screen_wait(screen, "has not answered", 100));
}

static void idle_terminal_locks(void **state) {
    (void)state;
    start((struct screen_options){0}, "--idle");
    assert_true(screen_wait(screen, "0000", LIMIT));
    assert_true(screen_wait(screen, "locked", LIMIT));
    assert_true(screen_wait_gone(screen, "王", LIMIT));
    screen_keys(screen, "x");
    assert_true(screen_wait(screen, "0000", LIMIT));
}

static void other_terminal_types_work_too(void **state) {
    static const char *const names[] = {"linux", "screen-256color", "tmux-256color", "xterm", "vt100"};
    int status;
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        start((struct screen_options){.term = names[i]}, NULL);
        assert_true(screen_wait(screen, "0000", LIMIT));
        screen_keys(screen, "Down Down Enter");
        assert_true(screen_wait(screen, "opened 3", LIMIT));
        screen_keys(screen, "q y");
        assert_true(screen_wait_exit(screen, &status, LIMIT));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(screen_cooked(screen));
        screen_close(&screen);
    }
}

/* --- bytes --- */

static size_t bytes_of(const char *keys) {
    screen_settle(screen, 60, LIMIT);
    screen_reset_bytes(screen);
    screen_keys(screen, keys);
    screen_settle(screen, 60, LIMIT);
    return screen_bytes(screen);
}

static void only_what_changed_is_sent(void **state) {
    (void)state;
    start_plain();
    size_t bar = bytes_of("Down"), page = bytes_of("PgDn"), nothing = bytes_of("M-x");
    print_message("bytes: bar %zu, page %zu, nothing %zu\n", bar, page, nothing);
    assert_true(bar > 0 && bar < 500);
    assert_true(page < 6000);
    assert_int_equal(nothing, 0);
}

int main(int argc, char **argv) {
#define T(name) cmocka_unit_test_teardown(name, done)
    const struct CMUnitTest tests[] = {
        T(console_takes_the_terminal_and_gives_it_back),
        T(no_terminal_means_a_message_exit_2_and_no_escape_codes),
        T(unknown_and_dumb_terminals_are_refused_in_words),
        T(fatal_signals_restore_the_terminal),
        T(term_and_hup_end_cleanly_also_over_a_form),
        T(terminal_that_goes_away_ends_the_program_in_a_second),
        T(hanging_write_does_not_keep_the_program_a_second),
        T(escape_answers_soon),
        T(typed_ahead_keys_are_kept),
        T(control_s_is_a_key),
        T(paste_with_newlines_and_q_only_fills_the_field),
        T(putty_and_linux_spellings_work),
        T(suspend_gives_the_terminal_back_and_resume_redraws),
        T(cursor_stands_on_the_selected_row),
        T(moving_over_wide_characters_leaves_nothing_stale),
        T(resize_to_one_cell_and_back_restores_the_screen),
        T(lines_and_columns_in_the_environment_do_not_freeze_the_size),
        T(no_color_has_no_colour_codes_and_the_same_text),
        T(wide_ambiguous_terminal_gets_ascii_by_itself),
        T(mouse_clicks_rows_tabs_and_can_be_switched_off),
        T(slow_read_shows_keys_still_answer_and_escape_stops_it),
        T(idle_terminal_locks),
        T(other_terminal_types_work_too),
        T(only_what_changed_is_sent),
    };
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    snprintf(program, sizeof program, "%.*s/desk", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
    unit_start();
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
