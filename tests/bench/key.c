/* The console as a person meets it: key to first byte, bytes for each key, start, memory. */
#include "bench/bench.h"
#include "bench/pty.h"

#include <crypt.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/grid.h"
#include "core/operator.h"

#define BASE     "bench_console"
#define KEYS     200
#define PAGES    5 /* through a list before turning back */
#define STARTS   5 /* in each round */
#define LIMIT_MS 1000

struct size {
    int rows, columns;
};
static const struct size normal = {24, 80}, large = {48, 160};

static char *env[8];

/* --- the console's surroundings ------------------------------------------------------------------ */

/* Signing in is not what is measured: its hash here is as cheap as the method allows. */
static void make_operator(struct bench *bench)
{
    struct db_target target = fixture_target(&bench->fixture);
    char *path = xprintf("%s/password", bench->fixture.folder);
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    struct crypt_data data = {0};
    if (!crypt_gensalt_rn("$y$", 1, "0123456789abcdef", 16, setting, sizeof setting))
        bench_die("crypt_gensalt", NULL);
    fixture_sql(bench->db, "UPDATE " BASE ".operator_account SET password_hash = '%s' WHERE name = 'bench'",
                crypt_rn("bench", setting, &data, (int)sizeof data));
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "bench\n", 6) != 6)
        bench_die(path, NULL);
    close(fd);
    env[0] = xprintf("%s=%s", config_env_name(CONFIG_SOCKET), target.socket);
    env[1] = xprintf("%s=%s", config_env_name(CONFIG_USER), target.user);
    env[2] = xprintf("%s=%s", config_env_name(CONFIG_NAME), BASE);
    env[3] = xprintf("%s=bench", config_env_name(CONFIG_OPERATOR));
    env[4] = xprintf("%s=%s", config_env_name(CONFIG_PASSWORD_FILE), path);
    env[5] = xprintf("%s=0", config_env_name(CONFIG_LOCK_IDLE));
    free(path);
}

static void start_ours(struct bench *bench, struct pty *pty, struct size size)
{
    char *argv[] = {bench->program, NULL};
    pty_start(pty, argv, env, size.rows, size.columns, false);
}

static void start_trivial(struct bench *bench, struct pty *pty, struct size size, char *file)
{
    char *argv[] = {bench->trivial, file, NULL};
    pty_start(pty, argv, NULL, size.rows, size.columns, false);
}

/* The last court that fits and the footer: the picture is whole. */
static const char *const ours_whole[] = {"Court 01", "sold", "21"};
static const char *const trivial_whole[] = {"Court 01", "leaves"};

/* --- start ---------------------------------------------------------------------------------------- */

static double start_once(struct bench *bench, bool ours, struct size size, char *file)
{
    struct pty pty;
    double begin = now_ms(), end;
    if (ours) {
        start_ours(bench, &pty, size);
        end = pty_wait(&pty, ours_whole, sizeof ours_whole / sizeof *ours_whole);
    } else {
        start_trivial(bench, &pty, size, file);
        end = pty_wait(&pty, trivial_whole, sizeof trivial_whole / sizeof *trivial_whole);
    }
    pty_stop(&pty);
    return end - begin;
}

static double sign_in_ms(struct bench *bench)
{
    struct fd_error err;
    struct desk *desk = desk_signed_in(bench, BASE);
    double times[20];
    for (size_t i = 0; i < 20; i++) {
        double begin = now_ms();
        if (operator_sign_in(desk, "bench", "bench", &err))
            bench_die("operator_sign_in", &err);
        times[i] = now_ms() - begin;
    }
    desk_close(&desk);
    return part_of(times, 20, 0.5);
}

static void measure_start(struct bench *bench, struct size size, char *file)
{
    struct series times[2] = {0};
    char what[64];
    double sign_in = sign_in_ms(bench);
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < 2; i++) {
            int who = (i + round + 1) % 2;
            double starts[STARTS];
            for (size_t n = 0; n < STARTS; n++)
                starts[n] = start_once(bench, who == 0, size, file) - (who == 0 ? sign_in : 0);
            if (round >= 0)
                series_add(&times[who], part_of(starts, STARTS, 0.5));
        }
    snprintf(what, sizeof what, "start to first full grid, %dx%d", size.columns, size.rows);
    report_ratio(what, "ms", &times[0], &times[1], AT_MOST, 1.5);
    report_note("signing in (cheapest hash), taken off: %.2f ms", sign_in);
}

/* --- keys ------------------------------------------------------------------------------------------ */

struct pressed {
    double p50_ms, p99_ms, bytes;
};

/* Presses keys one by one, waiting for each answer: `run` of them forth and as many back, in turns. */
static struct pressed press(struct pty *pty, const char *forth, const char *back, int run)
{
    double times[KEYS], bytes = 0;
    for (int n = 0; n < KEYS; n++) {
        pty_quiet(pty, 3);
        pty_mark(pty);
        double begin = now_ms();
        pty_send(pty, n / run % 2 ? back : forth);
        if (!pty_read(pty, LIMIT_MS))
            bench_die("no answer to a key", NULL);
        times[n] = pty->first_ms - begin;
        pty_quiet(pty, 3);
        bytes += (double)pty->bytes;
    }
    return (struct pressed){part_of(times, KEYS, 0.5), part_of(times, KEYS, 0.99), bytes / KEYS};
}

/* The orders list: a row further, and a page. */
static void measure_list(struct pty *ours, struct size size)
{
    char what[64];
    pty_send(ours, "3");
    pty_quiet(ours, 500);
    struct pressed row = press(ours, "j", "k", 1);
    snprintf(what, sizeof what, "bytes for a row further, orders, %dx%d", size.columns, size.rows);
    report_value(what, "", row.bytes, AT_MOST, 500);
    struct pressed page = press(ours, "\033[6~", "\033[5~", PAGES);
    snprintf(what, sizeof what, "bytes for a page, orders, %dx%d", size.columns, size.rows);
    report_value(what, "", page.bytes, AT_MOST, 6000);
}

static void measure_keys(struct bench *bench, struct size size)
{
    struct pty ours, trivial;
    struct series p50[2] = {0}, p99[2] = {0}, bytes[2] = {0};
    char what[64];
    start_ours(bench, &ours, size);
    start_trivial(bench, &trivial, size, NULL);
    pty_wait(&ours, ours_whole, sizeof ours_whole / sizeof *ours_whole);
    pty_wait(&trivial, trivial_whole, sizeof trivial_whole / sizeof *trivial_whole);
    pty_quiet(&ours, 300);
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < 2; i++) {
            int who = (i + round + 1) % 2;
            struct pressed pressed = press(who == 0 ? &ours : &trivial, "j", "k", 1);
            if (round < 0)
                continue;
            series_add(&p50[who], pressed.p50_ms);
            series_add(&p99[who], pressed.p99_ms);
            series_add(&bytes[who], pressed.bytes);
        }
    snprintf(what, sizeof what, "key to first byte, p50, %dx%d", size.columns, size.rows);
    report_ratio(what, "ms", &p50[0], &p50[1], AT_MOST, 1.3);
    snprintf(what, sizeof what, "key to first byte, p99, %dx%d", size.columns, size.rows);
    report_ratio(what, "ms", &p99[0], &p99[1], NO_GOAL, 0);
    snprintf(what, sizeof what, "bytes for a cursor move, grid, %dx%d", size.columns, size.rows);
    report_value(what, "", series_median(&bytes[0]), AT_MOST, 500);
    measure_list(&ours, size);
    snprintf(what, sizeof what, "resident memory, %dx%d", size.columns, size.rows);
    report_value(what, "MiB", pty_rss_mib(&ours), AT_MOST, 12);
    pty_stop(&ours);
    pty_stop(&trivial);
}

void bench_key(struct bench *bench)
{
    report_section("the console");
    grid_set(bench, BASE, 30);
    make_operator(bench);
    char *file = grid_file(bench, BASE);
    measure_start(bench, normal, file);
    measure_start(bench, large, file);
    measure_keys(bench, normal);
    measure_keys(bench, large);
    free(file);
    for (size_t i = 0; i < sizeof env / sizeof *env; i++)
        free(env[i]);
}
