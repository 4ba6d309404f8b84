/* Q14: the console in a pseudo-terminal, at its worst moments: hung up while a booking waits for a lock, resized two hundred
 * times, every control key typed on the grid and over the lock, names with escape sequences on the screen. What it takes and
 * gives back otherwise is in tests/ui/term_test and tests/view/pty_test. */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/view/stage.h"

#include "sound.h"
#include "support/screen.h"
#include "tally.h"

#define LIMIT 20000 /* ms */

static struct screen *screen;
static char program[512], password[512];

static void find_program(void)
{
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 32);
    assert_true(bytes > 0);
    program[bytes] = '\0';
    for (int up = 0; up < 3; up++)
        *strrchr(program, '/') = '\0';
    strcat(program, "/frontdesk");
}

static int start(void **state)
{
    find_program();
    stage_start(state);
    snprintf(password, sizeof password, "%s/password", stage.fixture.folder);
    FILE *file = fopen(password, "w");
    assert_non_null(file);
    fputs("demo\n", file);
    fclose(file);
    chmod(password, 0600);
    return 0;
}

static void wait_for(const char *text)
{
    if (screen_wait(screen, text, LIMIT))
        return;
    printf("%s\n", screen_text(screen));
    fail_msg("“%s” did not come", text);
}

static void open_console(void)
{
    const char *argv[] = {program, "--data", stage.fixture.server.folder, "--operator", "clerk", "--password-file", password,
                          "--language", "en", NULL};
    stage_reset_today();
    screen = screen_open(&(struct screen_options){.argv = argv});
    wait_for("taken");
    screen_settle(screen, 100, LIMIT);
}

static int done(void **state)
{
    (void)state;
    screen_close(&screen);
    return 0;
}

/* Hung up in the middle ---------------------------------------------------------------------------------------- */

static void wait_for_lock_wait(int64_t wanted)
{
    int64_t limit = mono_ms() + LIMIT;
    while ((fixture_int(stage.db, "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") > 0) !=
           (wanted > 0)) {
        if (mono_ms() > limit)
            fail_msg("no booking waits for the lock");
        /* The server answers from a copy that it renews only where nobody has asked for 100 ms. */
        sleep_ms(150);
    }
}

/* The clerk's orders and payments; a booking with its money is both or neither. */
static void count_halves(struct tally *tally)
{
    int64_t orders = fixture_int(stage.db, "SELECT COUNT(*) FROM reserve_order WHERE operator = 'clerk'");
    int64_t keys = fixture_int(stage.db, "SELECT COUNT(*) FROM op_request WHERE operator = 'clerk' AND action = 'order.book'");
    tally->unknown_done += orders > 0;
    tally->duplicates += orders > 1;
    tally->broken += orders != keys;
}

static void hang_up_in_a_booking(bool by_signal, struct tally *tally)
{
    struct fd_error err = {0};
    int status;
    open_console();
    int64_t broken = sound_count(stage.db, "before", -1);
    struct db *holder = fixture_open(&stage.fixture);
    screen_keys(screen, "Down Enter");
    wait_for("New booking");
    screen_keys(screen, "'13800001234'");
    wait_for("王小明");
    must(db_run(holder, "SELECT id FROM venue_schedule FOR UPDATE", &err));
    screen_keys(screen, "F2");
    wait_for_lock_wait(1);
    int64_t began = mono_ms();
    if (by_signal)
        kill(screen_pid(screen), SIGHUP);
    else
        screen_hang_up(screen);
    bool ended = screen_wait_exit(screen, &status, LIMIT);
    int64_t took = mono_ms() - began;
    db_close(&holder);
    wait_for_lock_wait(0);
    assert_true(ended);
    print_message("hung up %s in a booking: gone after %d ms\n", by_signal ? "by signal" : "by the line", (int)took);
    tally->unknown++;
    tally->acked++;
    count_halves(tally);
    tally->broken += sound_count(stage.db, "after", -1) - broken;
    assert_true(took < 8000);
}

static void hung_up_in_the_middle_nothing_is_half_done(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q14 hung up in a booking", .least_unknown = 2};
    hang_up_in_a_booking(true, &tally);
    screen_close(&screen);
    hang_up_in_a_booking(false, &tally);
    tally_close(&tally);
}

/* Sizes ----------------------------------------------------------------------------------------------------- */

static void two_hundred_sizes_leave_the_same_screen(void **state)
{
    struct chance chance = chance_from(tally_seed(), 14);
    (void)state;
    open_console();
    screen_keys(screen, "Home");
    screen_settle(screen, 200, LIMIT);
    char *before = strdup(screen_row(screen, 3));
    for (int i = 0; i < tally_rounds(200); i++) {
        screen_resize(screen, 1 + (int)chance_below(&chance, 60), 1 + (int)chance_below(&chance, 200));
        if (i % 10 == 0)
            screen_settle(screen, 5, 100);
    }
    screen_resize(screen, 24, 80);
    screen_settle(screen, 300, LIMIT);
    assert_string_equal(screen_row(screen, 3), before);
    free(before);
}

/* Keys ------------------------------------------------------------------------------------------------------ */

/* Processes whose parent it is: nobody may start one from here. */
static int children_of(pid_t pid)
{
    char path[64], text[256] = "";
    fit_printf(path, "/proc/%d/task/%d/children", pid, pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    bool any = fgets(text, sizeof text, file) != NULL && text[0];
    fclose(file);
    return any;
}

static void type_all_controls(void)
{
    for (char byte = 1; byte < 0x20; byte++) {
        /* Asked to leave it leaves: not what is tested. */
        char text[] = {byte, '\0'};
        screen_send(screen, text);
        screen_settle(screen, 2, 50);
        assert_int_equal(children_of(screen_pid(screen)), 0);
    }
    static const char *const escapes[] = {"!sh\r", ":!sh\r", "|sh\r", "$(sh)\r", "\033[21~", "\033OS", "\033[?1049l", "~.", "\x1d"};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        screen_send(screen, escapes[i]);
        screen_settle(screen, 2, 50);
        assert_int_equal(children_of(screen_pid(screen)), 0);
    }
}

static void no_key_leads_out_of_the_lock(void **state)
{
    int status;
    (void)state;
    open_console();
    screen_keys(screen, "F12");
    wait_for("locked");
    type_all_controls();
    screen_settle(screen, 200, LIMIT);
    assert_false(screen_wait_exit(screen, &status, 100));
    assert_true(screen_alternate(screen));
    assert_true(screen_find(screen, "locked", NULL) >= 0);
    assert_true(screen_wait_gone(screen, "王小明", 5000));
    assert_int_equal(fixture_int(stage.db, "SELECT COUNT(*) FROM reserve_order WHERE operator = 'clerk'"), 0);
    /* The answer to what was typed before may come late and empty the field: then it is typed again. */
    screen_keys(screen, "C-u 'demo' Enter");
    if (!screen_wait(screen, "taken", 3000))
        screen_keys(screen, "C-u 'demo' Enter");
    wait_for("taken");
}

/* Escapes ----------------------------------------------------------------------------------------------------- */

/* The sequences of a name, as they would stand in the output. */
static bool leaks(const char *part)
{
    size_t count, length = strlen(part);
    const char *raw = screen_raw(screen, &count);
    return memmem(raw, count, part, length) != NULL;
}

static void escape_sequences_in_names_do_not_reach_the_terminal(void **state)
{
    (void)state;
    open_console();
    /* ESC ]0;ow BEL, ESC [31mX, CSI as one character, right-to-left override, zz */
    fixture_sql(stage.online, "UPDATE t_user SET nickname = CONVERT(UNHEX("
                              "'1B5D303B6F77071B5B33316D58C29BE280AE7A7A') USING utf8mb4) WHERE id = 11");
    fixture_sql(stage.online, "UPDATE venue_schedule SET close_reason = CONCAT(CHAR(27), 'c', CHAR(27), '[2J')");
    screen_reset_bytes(screen);
    screen_keys(screen, "F5");
    screen_settle(screen, 300, LIMIT);
    screen_keys(screen, "/ '1234' Enter");
    screen_settle(screen, 500, LIMIT);
    wait_for("]0;ow"); /* as text */
    assert_null(strstr(screen_title(screen), "ow"));
    assert_false(leaks("\033]0;ow"));
    assert_false(leaks("\033[31mX"));
    assert_false(leaks("\033c"));
    assert_false(leaks("\u202e"));
    fixture_sql(stage.online, "UPDATE t_user SET nickname = '王小明' WHERE id = 11");
}

int main(int argc, char **argv)
{
    (void)argc;
    i18n_start(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hung_up_in_the_middle_nothing_is_half_done, done),
        cmocka_unit_test_teardown(two_hundred_sizes_leave_the_same_screen, done),
        cmocka_unit_test_teardown(no_key_leads_out_of_the_lock, done),
        cmocka_unit_test_teardown(escape_sequences_in_names_do_not_reach_the_terminal, done),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, start, stage_stop);
}
