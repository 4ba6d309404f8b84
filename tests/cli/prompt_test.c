/* Passwords typed at a terminal: never echoed, the echo comes back whatever happens. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/when.h"
#include "program.h"
#include "support/fixture.h"

static struct fixture fixture;
static char *password_file;

struct terminal {
    pid_t pid;
    int fd;
    struct buf said;
};

static void open_terminal(struct terminal *terminal, const char *const *words)
{
    char *all[16] = {xstrdup(program_path()), xstrdup("--data"), fixture.server.folder};
    *terminal = (struct terminal){0};
    for (size_t i = 0; words[i]; i++)
        all[i + 3] = xstrdup(words[i]);
    terminal->pid = forkpty(&terminal->fd, NULL, NULL, NULL);
    assert_true(terminal->pid >= 0);
    if (terminal->pid == 0) {
        execv(all[0], all);
        _exit(126);
    }
    for (size_t i = 0; all[i]; i++)
        if (i != 2)
            free(all[i]);
}

/* Reads until `text` stands at the end of what was said, or the terminal ends. */
static bool wait_for(struct terminal *terminal, const char *text)
{
    int64_t limit = mono_ms() + 30000;
    while (mono_ms() < limit) {
        char bytes[512];
        struct pollfd poll_fd = {terminal->fd, POLLIN, 0};
        if (text && strstr(buf_text(&terminal->said), text))
            return true;
        if (poll(&poll_fd, 1, 200) <= 0)
            continue;
        ssize_t got = read(terminal->fd, bytes, sizeof bytes);
        if (got <= 0)
            return text == NULL;
        buf_add_bytes(&terminal->said, bytes, (size_t)got);
    }
    return false;
}

static void type(struct terminal *terminal, const char *text)
{
    assert_int_equal(write(terminal->fd, text, strlen(text)), (ssize_t)strlen(text));
}

static bool echoes(const struct terminal *terminal)
{
    struct termios now;
    assert_int_equal(tcgetattr(terminal->fd, &now), 0);
    return now.c_lflag & ECHO;
}

static int close_terminal(struct terminal *terminal)
{
    wait_for(terminal, NULL);
    int status = fixture_wait(terminal->pid);
    close(terminal->fd);
    buf_release(&terminal->said);
    return status;
}

static int start(void **state)
{
    (void)state;
    program_locate();
    fixture_start(&fixture, false);
    password_file = write_file(fixture.folder, "pw", "secret\n", 0600);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(password_file);
    fixture_stop(&fixture);
    return 0;
}

static void the_first_operator_types_a_password_twice(void **state)
{
    (void)state;
    struct terminal terminal;
    const char *const words[] = {"operator", "add", "admin", "--role", "admin", NULL};
    open_terminal(&terminal, words);
    assert_true(wait_for(&terminal, "New password: "));
    assert_false(echoes(&terminal));
    type(&terminal, "secret\n");
    assert_true(wait_for(&terminal, "Again: "));
    type(&terminal, "secret\n");
    wait_for(&terminal, NULL);
    assert_null(strstr(buf_text(&terminal.said), "secret"));
    assert_int_equal(close_terminal(&terminal), 0);
}

static void two_different_passwords_make_no_operator(void **state)
{
    (void)state;
    struct terminal terminal;
    const char *const words[] = {"--operator", "admin", "--password-file", password_file, "operator",
                                 "add",        "li",    "--role",          "clerk",       NULL};
    open_terminal(&terminal, words);
    assert_true(wait_for(&terminal, "New password: "));
    type(&terminal, "secret\n");
    assert_true(wait_for(&terminal, "Again: "));
    type(&terminal, "secrets\n");
    assert_int_equal(close_terminal(&terminal), 2);
}

static void name_and_password_are_asked_and_not_shown(void **state)
{
    (void)state;
    struct terminal terminal;
    const char *const words[] = {"doctor", NULL};
    open_terminal(&terminal, words);
    assert_true(wait_for(&terminal, "Operator: "));
    type(&terminal, "admin\n");
    assert_true(wait_for(&terminal, "Password: "));
    assert_false(echoes(&terminal));
    type(&terminal, "secret\n");
    assert_true(wait_for(&terminal, "invariants hold"));
    assert_null(strstr(buf_text(&terminal.said), "secret"));
    assert_int_equal(close_terminal(&terminal), 0);
}

/* The program is gone by the signal, and the terminal as it was. */
static void an_interrupted_prompt_gives_the_echo_back(void **state)
{
    (void)state;
    /* In a shell, which keeps the terminal open after the program's end. */
    struct terminal terminal = {0};
    terminal.pid = forkpty(&terminal.fd, NULL, NULL, NULL);
    assert_true(terminal.pid >= 0);
    if (terminal.pid == 0) {
        signal(SIGINT, SIG_DFL); /* a suite in the background ignores it, and a shell could not trap it */
        char *command = xprintf("trap : INT; %s --data %s --operator admin doctor; echo status $?; sleep 1",
                                program_path(), fixture.server.folder);
        execl("/bin/bash", "bash", "-c", command, (char *)NULL);
        _exit(126);
    }
    assert_true(wait_for(&terminal, "Password: "));
    assert_false(echoes(&terminal));
    type(&terminal, "sec\x03");
    if (!wait_for(&terminal, "status 130"))
        fail_msg("said: %s", buf_text(&terminal.said));
    assert_true(echoes(&terminal));
    assert_null(strstr(buf_text(&terminal.said), "sec"));
    close_terminal(&terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_operator_types_a_password_twice),
        cmocka_unit_test(two_different_passwords_make_no_operator),
        cmocka_unit_test(name_and_password_are_asked_and_not_shown),
        cmocka_unit_test(an_interrupted_prompt_gives_the_echo_back),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
