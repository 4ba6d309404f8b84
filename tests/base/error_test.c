/* Errors, memory, log. */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

/* ---- errors ---- */

static void every_code_has_a_name_of_its_own_and_a_sentence(void **state)
{
    (void)state;
    for (int a = 0; a < FD_CODE_COUNT; a++) {
        assert_true(fd_code_name((enum fd_code)a)[0]);
        assert_int_equal(fd_code_sentence((enum fd_code)a)[0] == '\0', a == FD_OK);
        for (int b = 0; b < a; b++)
            assert_string_not_equal(fd_code_name((enum fd_code)a), fd_code_name((enum fd_code)b));
    }
    assert_int_equal(fd_code_exit(FD_OK), 0);
    assert_int_equal(fd_code_exit(FD_SLOT_TAKEN), 1);
    assert_int_equal(fd_code_exit(FD_USAGE), 2);
    assert_int_equal(fd_code_exit(FD_DB_DOWN), 69);
    assert_int_equal(fd_code_exit(FD_NO_MEMORY), 71);
    assert_int_equal(fd_code_exit(FD_UNKNOWN), 75);
    assert_int_equal(fd_code_exit(FD_NO_PERMISSION), 77);
    assert_int_equal(fd_code_exit(FD_SCHEMA), 78);
}

static void without_a_format_the_sentence_of_the_table_is_used(void **state)
{
    (void)state;
    struct fd_error err;
    assert_int_equal(fd_fail(&err, FD_NOT_FOUND, NULL), FD_NOT_FOUND);
    assert_string_equal(err.message, "Not found.");
    assert_string_equal(err.hint, "Check the number, or search with F3.");
    assert_string_equal(err.detail, "");
    assert_non_null(strstr(err.file, "error_test.c"));
    fd_fail(&err, FD_REFUSED, NULL);
    assert_string_equal(err.hint, "");
}

static void a_message_is_made_harmless_and_cut_at_a_whole_character(void **state)
{
    (void)state;
    struct fd_error err;
    char text[2000];
    fd_fail(&err, FD_REFUSED, "a\033[31mb\nc\xFF");
    assert_string_equal(err.message, "a\uFFFD[31mb c\uFFFD");
    for (size_t i = 0; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "订", 4);
    fd_fail(&err, FD_REFUSED, "%s", text);
    assert_int_equal(strlen(err.message), (sizeof err.message - 1) / 3 * 3);
    assert_true(text_is_clean(err.message));
}

static void an_error_can_be_raised_again_from_its_own_text(void **state)
{
    (void)state;
    struct fd_error err;
    fd_fail(&err, FD_BAD_INPUT, "first");
    err.sql_errno = 1062;
    fd_fail(&err, FD_REFUSED, "second, after %s", err.message);
    assert_string_equal(err.message, "second, after first");
    assert_int_equal(err.sql_errno, 0);
}

static void details_add_up_and_hints_replace(void **state)
{
    (void)state;
    struct fd_error err;
    fd_fail(&err, FD_REFUSED, "x");
    fd_detail(&err, "one %d", 1);
    fd_detail(&err, "two");
    assert_string_equal(err.detail, "one 1; two");
    fd_hint(&err, "first");
    fd_hint(&err, "do %s", "that");
    assert_string_equal(err.hint, "do that");
    for (int i = 0; i < 100; i++)
        fd_detail(&err, "more and more");
    assert_true(strlen(err.detail) < sizeof err.detail);
    assert_int_equal(fd_fail(NULL, FD_REFUSED, "x"), FD_REFUSED);
    fd_hint(NULL, "x");
    fd_detail(NULL, "x");
}

static void say_restored(void)
{
    ssize_t ignored = write(STDERR_FILENO, "restored\n", 9);
    (void)ignored;
}

static void break_a_promise(void)
{
    signal(SIGABRT, SIG_DFL);
    fd_on_death(say_restored);
    FD_ASSERT(1 > 2);
}

static void a_bug_restores_the_terminal_once_says_where_and_aborts(void **state)
{
    (void)state;
    char said[1000];
    int status = in_child(break_a_promise, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    char *restored = strstr(said, "restored\n");
    assert_ptr_equal(restored, said);
    assert_null(strstr(restored + 1, "restored"));
    assert_non_null(strstr(said, "assertion failed: 1 > 2"));
    assert_non_null(strstr(said, "error_test.c:"));
}

/* ---- memory ---- */

static void ask_for_too_much(void)
{
    fd_on_death(say_restored);
    xcalloc(SIZE_MAX / 2, 3);
}

static void ask_an_arena_for_too_much(void)
{
    struct arena arena = {0};
    arena_array(&arena, SIZE_MAX / 8, 16);
}

static void out_of_memory_restores_the_terminal_and_exits_with_71(void **state)
{
    (void)state;
    char said[1000];
    int status = in_child(ask_for_too_much, said, sizeof said);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 71);
    assert_string_equal(said, "restored\nfrontdesk: out of memory\n");
    status = in_child(ask_an_arena_for_too_much, said, sizeof said);
    assert_int_equal(WEXITSTATUS(status), 71);
}

static void arena_memory_is_zeroed_aligned_and_kept_apart(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *pieces[3000];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT(pieces); i++) {
            size_t bytes = i % 97;
            pieces[i] = arena_alloc(&arena, bytes);
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
            for (size_t at = 0; at < bytes; at++)
                assert_int_equal(pieces[i][at], 0);
            memset(pieces[i], (int)(i % 251) + 1, bytes);
        }
        for (size_t i = 0; i < COUNT(pieces); i++)
            for (size_t at = 0; at < i % 97; at++)
                assert_int_equal((unsigned char)pieces[i][at], i % 251 + 1);
        arena_reset(&arena);
    }
    char *large = arena_alloc(&arena, 5u << 20);
    large[(5u << 20) - 1] = 'x';
    assert_string_equal(arena_str(&arena, "abc"), "abc");
    assert_null(arena_str(&arena, NULL));
    assert_string_equal(arena_printf(&arena, "%05d", 42), "00042");
    arena_release(&arena);
    assert_null(arena.head);
    arena_reset(&arena);
    arena_release(&arena);
}

static void a_growing_string_is_always_terminated(void **state)
{
    (void)state;
    struct buf buf = {0};
    assert_string_equal(buf_text(&buf), "");
    char *taken = buf_take(&buf);
    assert_string_equal(taken, "");
    free(taken);
    for (int i = 0; i < 1000; i++)
        buf_printf(&buf, "%d,", i);
    assert_int_equal(buf.bytes, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(buf.text), buf.bytes);
    buf_clear(&buf);
    assert_string_equal(buf_text(&buf), "");
    buf_add_bytes(&buf, "a\0b", 3);
    assert_int_equal(buf.bytes, 3);
    buf_add(&buf, "c");
    assert_memory_equal(buf.text, "a\0bc", 5);
    taken = buf_take(&buf);
    assert_null(buf.text);
    free(taken);
    buf_add(&buf, "again");
    buf_release(&buf);
    assert_null(buf.text);
}

static void overflow_a_fixed_buffer(void)
{
    signal(SIGABRT, SIG_DFL);
    char small[4];
    fit_printf(small, "%s", "four");
}

static void fixed_buffers_never_cut_in_silence(void **state)
{
    (void)state;
    char small[8], said[1000];
    assert_int_equal(fit_printf(small, "%d", 1234567), 7);
    int status = in_child(overflow_a_fixed_buffer, said, sizeof said);
    assert_true(WIFSIGNALED(status));
    cut_copy(small, sizeof small, "1234567");
    assert_string_equal(small, "1234567");
    cut_copy(small, sizeof small, "123456订");
    assert_string_equal(small, "123456");
    cut_copy(small, sizeof small, "1234订x");
    assert_string_equal(small, "1234订");
    cut_copy(small, 1, "x");
    assert_string_equal(small, "");
    char *text = xprintf("%s-%d", "a", 7);
    assert_string_equal(text, "a-7");
    free(text);
    assert_null(xstrdup(NULL));
}

/* ---- log ---- */

static void a_log_line_cannot_be_forged_and_carries_no_phone(void **state)
{
    (void)state;
    scratch_make();
    char *path = xstrdup(scratch_path("log"));
    assert_int_equal(log_open(path, LOG_INFO, NULL), FD_OK);
    assert_false(log_is_stderr());
    log_line(LOG_INFO, "one\n2026-01-01 forged\033[2J");
    log_line(LOG_DEBUG, "not wanted");
    log_line(LOG_WARN, "entry '13800001234' and 8613800001234, order 20261130VB7K3M9Q2X, id 9990000123456789");
    struct fd_error err;
    fd_fail(&err, FD_AGAIN, "busy");
    fd_detail(&err, "deadlock");
    err.sql_errno = 1213;
    memcpy(err.sqlstate, "40001", 6);
    log_error(&err);
    log_close();
    assert_true(log_is_stderr());
    char *text = file_text(path);
    size_t lines = 0;
    for (char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 3);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "13800001234"));
    assert_non_null(strstr(text, "'138****1234' and 86138****1234,"));
    assert_non_null(strstr(text, "20261130VB7K3M9Q2X, id 9990000123456789"));
    assert_non_null(strstr(text, "try_again at "));
    assert_non_null(strstr(text, "(deadlock) [SQL 1213 40001]"));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    free(text);
    free(path);
    scratch_remove();
}

static void a_log_that_cannot_be_opened_goes_to_stderr(void **state)
{
    (void)state;
    struct fd_error err;
    assert_int_equal(log_open("/dev/null/log", LOG_INFO, &err), FD_IO);
    assert_non_null(strstr(err.message, "/dev/null/log"));
    assert_true(log_is_stderr());
}

static void a_very_long_line_is_cut_and_still_ends(void **state)
{
    (void)state;
    char text[10000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    scratch_make();
    char *path = xstrdup(scratch_path("log"));
    assert_int_equal(log_open(path, LOG_INFO, NULL), FD_OK);
    log_line(LOG_INFO, "%s", text);
    log_close();
    char *written = file_text(path);
    assert_true(strlen(written) < 3000);
    assert_int_equal(written[strlen(written) - 1], '\n');
    free(written);
    free(path);
    scratch_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_a_name_of_its_own_and_a_sentence),
        cmocka_unit_test(without_a_format_the_sentence_of_the_table_is_used),
        cmocka_unit_test(a_message_is_made_harmless_and_cut_at_a_whole_character),
        cmocka_unit_test(an_error_can_be_raised_again_from_its_own_text),
        cmocka_unit_test(details_add_up_and_hints_replace),
        cmocka_unit_test(a_bug_restores_the_terminal_once_says_where_and_aborts),
        cmocka_unit_test(out_of_memory_restores_the_terminal_and_exits_with_71),
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_kept_apart),
        cmocka_unit_test(a_growing_string_is_always_terminated),
        cmocka_unit_test(fixed_buffers_never_cut_in_silence),
        cmocka_unit_test(a_log_line_cannot_be_forged_and_carries_no_phone),
        cmocka_unit_test(a_log_that_cannot_be_opened_goes_to_stderr),
        cmocka_unit_test(a_very_long_line_is_cut_and_still_ends),
    };
    return cmocka_run_group_tests_name("base/error", tests, NULL, NULL);
}
