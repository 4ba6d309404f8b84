/* frontdesk against a bare client: `make bench`, `make bench BENCH="book hot grid"`, `--help`.
 *
 * What is measured. Each row is one action of the program beside a bare C client that sends the same
 * statements (bare.c) or a trivial curses program that paints as much (trivial.c), on one private
 * server in one run. Both sides take turns in every round (the first to go alternates), one round
 * before the first warms up, and a row is the ratio of the medians of at least five rounds. The
 * bare client's statements are the program's own texts with values of the same shape, prepared and
 * bound once; the section `book` compares both sequences, and both sessions, in the server's log.
 * A section counts only where the database agrees with the answers: orders, places gone, log rows
 * and request keys are as many as confirmed bookings. No stored procedures on either side.
 *
 * What it does not say. The clients share the machine with the server, over a unix socket: a round
 * trip and a durable write are cheap (both are printed above the tables), so the client's own work
 * weighs more here than on a network, where both sides wait alike. Everything is warm. On few
 * processors the threads of many clients compete with the server for them, and other work on the
 * machine shows at once: differences under 15 % between two runs are noise. `--orders 10000000`
 * wants about 8 GB of disk and memory for the buffer pool, which is as large as
 * FRONTDESK_SERVER_OPTIONS says, or fits the sets asked for.
 *
 * A goal missed is printed, counted and no failure: the exit status is 0 unless something broke. */
#include "bench/bench.h"
#include "bench/grid_child.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "cli/cli.h"
#include "venue/booking.h"

static const struct {
    const char *name;
    void (*run)(struct bench *bench);
    const char *what;
} sections[] = {
    {"book", bench_book, "one booking after the other"},
    {"rate", bench_rate, "bookings per second at 1, 8, 32 clients"},
    {"hot", bench_hot, "one slot that all want, with room"},
    {"refuse", bench_refuse, "one slot that all want, sold out"},
    {"rush", bench_rush, "200 clients, one free court, at once"},
    {"grid", bench_grid, "day grid read and painted, few and many slots"},
    {"key", bench_key, "keys, start and memory of the console"},
    {"pay", bench_pay, "a payment by code: the customer pays, the screen is green, the receipt is there"},
    {"search", bench_search, "orders by phone tail, order tail, state and day; small and large set"},
};
#define SECTION_COUNT (sizeof sections / sizeof *sections)

static void usage(FILE *out)
{
    fprintf(out, "usage: bench [--rounds N] [--slots N] [--orders N] [SECTION ...]\n"
                 "  --rounds N   rounds of each measurement, at least 5 (5)\n"
                 "  --slots N    slots of the large set in `grid` (1000000)\n"
                 "  --orders N   orders of the large set in `search` (300000)\n"
                 "sections, all where none is named:\n");
    for (size_t i = 0; i < SECTION_COUNT; i++)
        fprintf(out, "  %-8s %s\n", sections[i].name, sections[i].what);
}

static int64_t number_after(int *at, int argc, char **argv, int64_t least)
{
    char *end = NULL;
    int64_t number = *at + 1 < argc ? strtoll(argv[*at + 1], &end, 10) : 0;
    if (!end || *end || number < least) {
        fprintf(stderr, "bench: %s needs a number, at least %lld\n", argv[*at], (long long)least);
        exit(2);
    }
    (*at)++;
    return number;
}

static void take_arguments(struct bench *bench, int argc, char **argv, bool chosen[])
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < SECTION_COUNT && strcmp(sections[at].name, argv[i]) != 0)
            at++;
        if (at < SECTION_COUNT)
            any = chosen[at] = true;
        else if (strcmp(argv[i], "--rounds") == 0)
            bench->rounds = (int)number_after(&i, argc, argv, 1);
        else if (strcmp(argv[i], "--slots") == 0)
            bench->big_slots = number_after(&i, argc, argv, 10000);
        else if (strcmp(argv[i], "--orders") == 0)
            bench->big_orders = number_after(&i, argc, argv, 10000);
        else {
            usage(strcmp(argv[i], "--help") == 0 ? stdout : stderr);
            exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
        }
    }
    for (size_t i = 0; !any && i < SECTION_COUNT; i++)
        chosen[i] = true;
    if (bench->rounds > ROUNDS_MOST)
        bench->rounds = ROUNDS_MOST;
}

/* --- the machine ------------------------------------------------------------------------------------ */

static double file_sync_ms(const char *folder)
{
    double times[50];
    static char block[4096];
    char *path = xprintf("%s/sync", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    for (size_t i = 0; i < 50; i++) {
        double begin = now_ms();
        if (pwrite(fd, block, sizeof block, 0) != sizeof block || fdatasync(fd) != 0)
            bench_die(path, NULL);
        times[i] = now_ms() - begin;
    }
    close(fd);
    unlink(path);
    free(path);
    return part_of(times, 50, 0.5);
}

static void measure_machine(struct bench *bench)
{
    double trips[400], commits[200];
    char text[8];
    struct bare *bare = bare_on(bench, "bench");
    bare_query(bare, "CREATE TABLE IF NOT EXISTS counter (id INT PRIMARY KEY, n INT NOT NULL)", NULL, 0);
    bare_query(bare, "REPLACE INTO counter VALUES (1, 0)", NULL, 0);
    bare_commit(bare);
    int empty = bare_prepare(bare, "empty", "DO 0"),
        change = bare_prepare(bare, "change", "UPDATE counter SET n = n + 1 WHERE id = 1");
    for (size_t i = 0; i < 400; i++) {
        double begin = now_ms();
        bare_run(bare, empty);
        trips[i] = now_ms() - begin;
    }
    for (size_t i = 0; i < 200; i++) {
        double begin = now_ms();
        bare_run(bare, change);
        bare_commit(bare);
        commits[i] = now_ms() - begin;
    }
    bare_query(bare, "SELECT 1", text, sizeof text);
    bare_close(&bare);
    bench->trip_ms = part_of(trips, 400, 0.5);
    bench->sync_ms = part_of(commits, 200, 0.5);
}

static void print_machine(struct bench *bench)
{
    double load[3] = {0};
    struct utsname system;
    uname(&system);
    if (getloadavg(load, 3) < 1)
        load[0] = -1;
    printf("server     %s, buffer pool %lld MiB, flush_log_at_trx_commit %lld\n", db_server_version(bench->db),
           (long long)fixture_int(bench->db, "SELECT @@innodb_buffer_pool_size / 1048576"),
           (long long)fixture_int(bench->db, "SELECT @@innodb_flush_log_at_trx_commit"));
    printf("machine    %s %s, %ld processors, load %.2f\n", system.sysname, system.machine,
           sysconf(_SC_NPROCESSORS_ONLN), load[0]);
    printf("round trip %.3f ms (empty prepared statement, p50)\n", bench->trip_ms);
    printf("sync       %.3f ms (4 KiB write and fdatasync beside the data), %.3f ms (UPDATE of one row and COMMIT)\n",
           file_sync_ms(bench->fixture.folder), bench->sync_ms);
    printf("rounds     %d, interleaved; each figure is their median\n", bench->rounds);
    if (load[0] > 1)
        report_note("something else runs on this machine: compare the ratios of several runs");
    fflush(stdout);
}

/* The console stands in the build's folder, the others two below it, beside this one. */
static void find_programs(struct bench *bench, const char *name)
{
    static char self[4096], program[4200], trivial[4200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        bench_die(name, NULL);
    char *slash = strrchr(self, '/');
    snprintf(program, sizeof program, "%.*s/../../frontdesk", (int)(slash - self), self);
    snprintf(trivial, sizeof trivial, "%.*s/trivial", (int)(slash - self), self);
    bench->self = self;
    bench->program = program;
    bench->trivial = trivial;
}

/* Room for what is asked, unless the caller said otherwise. */
static void choose_options(const struct bench *bench)
{
    char options[160];
    int64_t pool_mib = bench->big_orders > 3000000 ? 6144 : bench->big_orders > 500000 ? 2048 : 1024;
    snprintf(options, sizeof options,
             "--innodb-buffer-pool-size=%lldM --innodb-log-file-size=1G --innodb-sort-buffer-size=64M "
             "--performance-schema=OFF",
             (long long)pool_mib);
    setenv("FRONTDESK_SERVER_OPTIONS", options, 0);
}

int main(int argc, char **argv)
{
    struct bench bench = {.rounds = 5, .big_slots = 1000000, .big_orders = 300000};
    struct fd_error err = {0};
    bool chosen[SECTION_COUNT] = {false};
    if (argc == 4 && strcmp(argv[1], "--grid-child") == 0)
        return grid_child(argv[2], argv[3]);
    take_arguments(&bench, argc, argv, chosen);
    find_programs(&bench, argv[0]);
    choose_options(&bench);
    fixture_start(&bench.fixture, false);
    if (config_load(NULL, &bench.config, &err))
        bench_die("config_load", &err);
    cli_register();
    bench.db = data_database(&bench, "frontdesk");
    bench.today = (day_t)fixture_int(bench.db, "SELECT DATEDIFF(CURDATE(), '1970-01-01')");
    measure_machine(&bench);
    print_machine(&bench);
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (chosen[i])
            sections[i].run(&bench);
    report_end();
    db_close(&bench.db);
    config_free(bench.config);
    fixture_stop(&bench.fixture);
    return 0;
}
