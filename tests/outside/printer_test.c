/* Printers of every kind, in every mood: each says what is wrong, and none holds up the desk longer than it may. */
#include "base/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/when.h"
#include "outside/document.h"

enum { LIMIT_MS = 700, PATIENT_MS = 10000, SLACK_MS = 2000, MUCH = 6 * 1024 * 1024 };

static struct fd_error err;
static int64_t limit_ms; /* of the next calls */
static char *much;       /* more than any buffer of the system takes */

static int set_up(void **state)
{
    (void)state;
    scratch_make();
    limit_ms = LIMIT_MS;
    much = xmalloc(MUCH);
    memset(much, 'x', MUCH);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(much);
    scratch_remove();
    return 0;
}

static struct printer printer_at(const char *target)
{
    struct printer printer = {"", 576, 48, PRINTER_QR_RASTER};
    cut_copy(printer.target, sizeof printer.target, target);
    return printer;
}

/* Sends and sees that it kept to its time. */
static enum fd_code send_to(const char *target, const char *bytes, size_t count)
{
    struct printer printer = printer_at(target);
    int64_t began = mono_ms();
    err = (struct fd_error){0};
    enum fd_code code = printer_send(&printer, bytes, count, limit_ms, &err);
    assert_true(mono_ms() - began < limit_ms + SLACK_MS);
    if (code != FD_OK) {
        assert_int_equal(code, FD_IO);
        assert_non_null(strstr(err.message, target));
        assert_true(err.hint[0]);
    }
    return code;
}

static const char *file_target(const char *name)
{
    static char target[256];
    fit_printf(target, "file:%s", scratch_path(name));
    return target;
}

static void the_bytes_reach_a_device_file_whole(void **state)
{
    (void)state;
    scratch_write("lp0", "before ", 0600);
    assert_int_equal(send_to(file_target("lp0"), "receipt\n", 8), FD_OK);
    char *text = file_text(scratch_path("lp0"));
    assert_string_equal(text, "before receipt\n");
    free(text);
}

static void a_device_that_is_absent_is_said_to_be_so(void **state)
{
    (void)state;
    assert_int_equal(send_to(file_target("lp0"), "x", 1), FD_IO);
    assert_non_null(strstr(err.message, "is not there"));
    /* Nothing was made in its place. */
    assert_int_equal(access(scratch_path("lp0"), F_OK), -1);
    mkdir(scratch_path("folder"), 0700);
    assert_int_equal(send_to(file_target("folder"), "x", 1), FD_IO);
    mkfifo(scratch_path("nobody"), 0600);
    assert_int_equal(send_to(file_target("nobody"), "x", 1), FD_IO);
}

static void a_device_that_takes_nothing_more_ends_at_the_limit(void **state)
{
    (void)state;
    mkfifo(scratch_path("full"), 0600);
    int reader = open(scratch_path("full"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(send_to(file_target("full"), much, MUCH), FD_IO);
    assert_non_null(strstr(err.message, "does not take the data"));
    close(reader);
}

static void *close_soon(void *arg)
{
    sleep_ms(100);
    close(*(int *)arg);
    return NULL;
}

static void a_device_that_goes_away_does_not_end_the_program(void **state)
{
    (void)state;
    pthread_t thread;
    signal(SIGPIPE, SIG_DFL);
    mkfifo(scratch_path("gone"), 0600);
    int reader = open(scratch_path("gone"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    pthread_create(&thread, NULL, close_soon, &reader);
    assert_int_equal(send_to(file_target("gone"), much, MUCH), FD_IO);
    assert_non_null(strstr(err.message, "broke"));
    pthread_join(thread, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void a_serial_line_gets_the_bytes_as_they_are(void **state)
{
    (void)state;
    char target[300], got[16] = "";
    int printer = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(printer >= 0 && grantpt(printer) == 0 && unlockpt(printer) == 0);
    /* The other end open, so that what was written is not lost with the sender's. */
    int kept = open(ptsname(printer), O_RDWR | O_NOCTTY | O_CLOEXEC);
    fit_printf(target, "file:%s", ptsname(printer));
    assert_int_equal(send_to(target, "a\nb\x03\x13", 5), FD_OK);
    assert_int_equal(read(printer, got, sizeof got), 5);
    assert_memory_equal(got, "a\nb\x03\x13", 5);
    close(kept);
    close(printer);
}

/* A printer on the network. */
struct net {
    int listener;
    char target[64];
    pthread_t thread;
    enum { READS, READS_SLOWLY, NEVER_READS, CLOSES, NO_PAPER, COVER_OPEN, STATUS_FINE } mood;
    size_t got;
    char first[16];
    int stop[2];
};

static int status_of(const struct net *net, char ask)
{
    if (net->mood == NO_PAPER && ask == 4)
        return 0x12 | 0x60;
    if (net->mood == COVER_OPEN && ask == 2)
        return 0x12 | 0x04;
    return net->mood >= NO_PAPER ? 0x12 : -1;
}

static void serve(struct net *net, int fd)
{
    char piece[4096];
    ssize_t got;
    while ((got = recv(fd, piece, net->mood == READS_SLOWLY ? 512 : sizeof piece, 0)) > 0) {
        if (got == 3 && piece[0] == 0x10 && status_of(net, piece[2]) >= 0) {
            char status = (char)status_of(net, piece[2]);
            send(fd, &status, 1, MSG_NOSIGNAL);
            continue;
        }
        net->got += (size_t)got;
        memcpy(net->first, piece, got < 16 ? (size_t)got : 16);
        if (net->mood == READS_SLOWLY)
            sleep_ms(5);
    }
}

static void *net_run(void *arg)
{
    struct net *net = arg;
    int fd = accept4(net->listener, NULL, NULL, SOCK_CLOEXEC);
    if (net->mood == NEVER_READS) {
        struct pollfd stop = {.fd = net->stop[0], .events = POLLIN};
        poll(&stop, 1, 10000);
    } else if (net->mood != CLOSES) {
        serve(net, fd);
    }
    close(fd);
    return NULL;
}

static void net_start(struct net *net, int mood)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int small = 4096;
    *net = (struct net){.mood = mood};
    net->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(net->listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(bind(net->listener, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(listen(net->listener, 1), 0);
    getsockname(net->listener, (struct sockaddr *)&address, &bytes);
    fit_printf(net->target, "tcp:127.0.0.1:%d", ntohs(address.sin_port));
    assert_int_equal(pipe(net->stop), 0);
    pthread_create(&net->thread, NULL, net_run, net);
}

static void net_stop(struct net *net)
{
    close(net->stop[1]);
    pthread_join(net->thread, NULL);
    close(net->stop[0]);
    close(net->listener);
}

static void a_printer_on_the_network_gets_everything(void **state)
{
    (void)state;
    static const int moods[] = {READS, STATUS_FINE, READS_SLOWLY};
    limit_ms = PATIENT_MS;
    for (size_t i = 0; i < COUNT(moods); i++) {
        struct net net;
        net_start(&net, moods[i]);
        assert_int_equal(send_to(net.target, much, 20000), FD_OK);
        net_stop(&net);
        /* One without status gets the question as well: control characters, which print nothing. */
        assert_int_equal(net.got, moods[i] == STATUS_FINE ? 20000 : 20003);
    }
}

/* What the system keeps for a printer that takes nothing is not printed. */
static void a_printer_that_never_reads_is_not_taken_for_one_that_prints(void **state)
{
    (void)state;
    struct net net;
    net_start(&net, NEVER_READS);
    assert_int_equal(send_to(net.target, much, 200000), FD_IO);
    assert_non_null(strstr(err.message, "does not take the data"));
    net_stop(&net);
    net_start(&net, NEVER_READS);
    assert_int_equal(send_to(net.target, much, MUCH), FD_IO);
    net_stop(&net);
}

static void a_printer_that_hangs_up_is_noticed(void **state)
{
    (void)state;
    struct net net;
    net_start(&net, CLOSES);
    assert_int_equal(send_to(net.target, much, MUCH), FD_IO);
    net_stop(&net);
    /* Nobody listens now. */
    assert_int_equal(send_to(net.target, "x", 1), FD_IO);
    assert_non_null(strstr(err.message, "is not there"));
}

static void a_printer_says_that_it_has_no_paper(void **state)
{
    (void)state;
    struct net net;
    net_start(&net, NO_PAPER);
    assert_int_equal(send_to(net.target, "receipt", 7), FD_IO);
    assert_non_null(strstr(err.message, "out of paper"));
    net_stop(&net);
    assert_int_equal(net.got, 0);
    net_start(&net, COVER_OPEN);
    assert_int_equal(send_to(net.target, "receipt", 7), FD_IO);
    assert_non_null(strstr(err.message, "cover"));
    net_stop(&net);
    assert_int_equal(net.got, 0);
}

static void a_name_that_is_nobodys_is_said_to_be_absent(void **state)
{
    (void)state;
    assert_int_equal(send_to("tcp:printer.invalid:9100", "x", 1), FD_IO);
}

/* A program lp of the test's own in front of the system's. */
static void lp_is(const char *script)
{
    char *path;
    if (script)
        scratch_write("lp", script, 0700);
    path = xprintf("%s:/bin:/usr/bin", scratch_path(""));
    setenv("PATH", script ? path : scratch_path(""), 1);
    free(path);
}

static void a_queue_of_cups_gets_the_bytes_through_lp(void **state)
{
    (void)state;
    char *path = xstrdup(getenv("PATH"));
    char *script = xprintf("#!/bin/sh\necho \"$*\" >%s.said\ncat >%s.got\n", scratch_path("lp"), scratch_path("lp"));
    lp_is(script);
    limit_ms = PATIENT_MS;
    assert_int_equal(send_to("cups:front-desk", much, 300000), FD_OK);
    char *said = file_text(scratch_path("lp.said")), *got = file_text(scratch_path("lp.got"));
    assert_string_equal(said, "-s -d front-desk -o raw -t frontdesk\n");
    assert_int_equal(strlen(got), 300000);
    free(said);
    free(got);
    free(script);
    lp_is("#!/bin/sh\ncat >/dev/null\necho 'lp: The printer or class does not exist.' >&2\nexit 1\n");
    assert_int_equal(send_to("cups:front-desk", "x", 1), FD_IO);
    assert_non_null(strstr(err.hint, "does not exist"));
    /* One that reads nothing and complains at once. */
    lp_is("#!/bin/sh\necho 'lp: No default destination.' >&2\nexit 1\n");
    assert_int_equal(send_to("cups:front-desk", much, MUCH), FD_IO);
    assert_non_null(strstr(err.hint, "No default destination"));
    limit_ms = LIMIT_MS;
    lp_is("#!/bin/sh\nexec sleep 20\n");
    assert_int_equal(send_to("cups:front-desk", much, MUCH), FD_IO);
    assert_int_equal(send_to("cups:front-desk", "x", 1), FD_IO);
    unlink(scratch_path("lp"));
    lp_is(NULL);
    assert_int_equal(send_to("cups:front-desk", "x", 1), FD_IO);
    assert_non_null(strstr(err.message, "not on this machine"));
    setenv("PATH", path, 1);
    free(path);
}

static enum fd_code configured(const char *text, struct printer *printer)
{
    struct config *config;
    char *file = xprintf("[printer]\n%s", text);
    if (config_load(scratch_write("conf", file, 0600), &config, &err) != FD_OK)
        fail_msg("%s", err.message);
    err = (struct fd_error){0};
    enum fd_code code = printer_from_config(config, printer, &err);
    config_free(config);
    free(file);
    return code;
}

static void the_configuration_makes_the_printer(void **state)
{
    (void)state;
    struct printer printer;
    assert_int_equal(configured("", &printer), FD_OK);
    assert_string_equal(printer.target, "");
    assert_int_equal(configured("target = tcp:10.0.0.9:9100\npaper = 58\nqr = native\n", &printer), FD_OK);
    assert_string_equal(printer.target, "tcp:10.0.0.9:9100");
    assert_int_equal(printer.columns, 32);
    assert_int_equal(printer.dots, 384);
    assert_int_equal(printer.qr, PRINTER_QR_NATIVE);
    assert_int_equal(configured("target = cups:desk\ncolumns = 42\n", &printer), FD_OK);
    assert_int_equal(printer.columns, 42);
    assert_int_equal(printer.dots, 504);
    static const struct {
        const char *text, *key;
    } bad[] = {
        {"target = /dev/usb/lp0\n", "printer.target"},   {"target = file:lp0\n", "printer.target"},
        {"target = tcp:host\n", "printer.target"},       {"target = tcp:host:0\n", "printer.target"},
        {"target = tcp:host:70000\n", "printer.target"}, {"target = tcp::9100\n", "printer.target"},
        {"target = cups:-o\n", "printer.target"},        {"target = cups:\n", "printer.target"},
        {"columns = 49\n", "printer.columns"},           {"paper = 58\ncolumns = 42\n", "printer.columns"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(configured(bad[i].text, &printer), FD_CONFIG);
        assert_non_null(strstr(err.message, bad[i].key));
        assert_non_null(strstr(err.message, "conf:"));
    }
    struct printer none = printer_at("");
    assert_int_equal(printer_send(&none, "x", 1, LIMIT_MS, &err), FD_CONFIG);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_bytes_reach_a_device_file_whole),
        TEST(a_device_that_is_absent_is_said_to_be_so),
        TEST(a_device_that_takes_nothing_more_ends_at_the_limit),
        TEST(a_device_that_goes_away_does_not_end_the_program),
        TEST(a_serial_line_gets_the_bytes_as_they_are),
        TEST(a_printer_on_the_network_gets_everything),
        TEST(a_printer_that_never_reads_is_not_taken_for_one_that_prints),
        TEST(a_printer_that_hangs_up_is_noticed),
        TEST(a_printer_says_that_it_has_no_paper),
        TEST(a_name_that_is_nobodys_is_said_to_be_absent),
        TEST(a_queue_of_cups_gets_the_bytes_through_lp),
        TEST(the_configuration_makes_the_printer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
