/* The day grid: read and painted, with few and with many slots in the table. */
#include "bench/grid.h"
#include "bench/pty.h"

#include <stdlib.h>
#include <string.h>
#include "venue/booking.h"

#define SMALL_DAYS     32 /* 10,240 slots */
#define SCREEN_ROWS    60
#define SCREEN_COLUMNS 200 /* all 20 courts */
#define READS          100
#define PAINTS         60
#define FIRST_SLOT     1000

static const char *const reads[] = {"grid.venues", "grid.slots", "grid.orders"};
#define READ_COUNT (sizeof reads / sizeof *reads)
static const char *const names[2] = {"bench_slots_small", "bench_slots_large"};

struct set {
    struct db *db;
    struct desk *desk;
    struct bare *bare;
    int statements[READ_COUNT];
    struct pty ours, trivial;
    char *file; /* what the trivial program is told */
};

/* Half of the days lie before today, which is fully booked. */
static void load(struct bench *bench, struct db *db, int64_t days)
{
    double begin = now_ms();
    int64_t before = days / 2;
    data_slots(db, FIRST_SLOT, bench->today - (day_t)before, days, 1);
    data_busy_day(db, FIRST_SLOT + before * DAY_SLOTS, bench->today);
    data_settle(db);
    report_note("%lld slots loaded in %.0f s", (long long)fixture_int(db, "SELECT COUNT(*) FROM venue_schedule"),
                (now_ms() - begin) / 1e3);
}

char *grid_file(struct bench *bench, const char *database)
{
    char day[DAY_TEXT];
    struct db_target target = fixture_target(&bench->fixture);
    char *path = xprintf("%s/%s.day", bench->fixture.folder, database);
    FILE *file = fopen(path, "we");
    if (!file)
        bench_die(path, NULL);
    fprintf(file, "%s\n%s\n%s\nday=%s\nsport=%s\n", target.socket, target.user, database, day_sql(bench->today, day),
            SPORT);
    for (size_t i = 0; i < READ_COUNT; i++)
        fprintf(file, "%s\n", query_text(reads[i]));
    fclose(file);
    return path;
}

void grid_set(struct bench *bench, const char *name, int64_t days)
{
    struct db *db = data_database(bench, name);
    load(bench, db, days);
    db_close(&db);
}

static void open_set(struct bench *bench, struct set *set, const char *name, int64_t days)
{
    char day[DAY_TEXT];
    char *socket = xstrdup(fixture_target(&bench->fixture).socket), *database = xstrdup(name);
    set->db = data_database(bench, name);
    load(bench, set->db, days);
    set->desk = desk_signed_in(bench, name);
    set->bare = bare_on(bench, name);
    bare_text(set->bare, "day", day_sql(bench->today, day));
    bare_text(set->bare, "sport", SPORT);
    for (size_t i = 0; i < READ_COUNT; i++)
        set->statements[i] = bare_prepare(set->bare, reads[i], query_text(reads[i]));
    set->file = grid_file(bench, name);
    char as_child[] = "--grid-child", paints[] = "paint";
    char *ours[] = {bench->self, as_child, socket, database, NULL};
    char *trivial[] = {bench->trivial, set->file, paints, NULL};
    pty_start(&set->ours, ours, NULL, SCREEN_ROWS, SCREEN_COLUMNS, true);
    pty_start(&set->trivial, trivial, NULL, SCREEN_ROWS, SCREEN_COLUMNS, true);
    free(socket);
    free(database);
}

static void close_set(struct set *set)
{
    pty_stop(&set->ours);
    pty_stop(&set->trivial);
    desk_close(&set->desk);
    bare_close(&set->bare);
    db_close(&set->db);
    free(set->file);
}

static double read_ours(struct set *set, day_t day)
{
    double times[READS];
    struct arena arena = {0};
    for (size_t n = 0; n < READS; n++) {
        struct fd_error err;
        struct day_grid *grid;
        double begin = now_ms();
        if (day_grid_load(set->desk, day, NULL, &arena, &grid, &err))
            bench_die("day_grid_load", &err);
        times[n] = now_ms() - begin;
        if (grid->row_count != HOURS || grid->venue_count != COURTS || grid->sold != DAY_SLOTS)
            report_count("places sold in the grid", grid->sold, DAY_SLOTS);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return part_of(times, READS, 0.5);
}

static double read_bare(struct set *set)
{
    double times[READS];
    for (size_t n = 0; n < READS; n++) {
        double begin = now_ms();
        for (size_t i = 0; i < READ_COUNT; i++)
            bare_run(set->bare, set->statements[i]);
        bare_commit(set->bare);
        times[n] = now_ms() - begin;
    }
    return part_of(times, READS, 0.5);
}

static double paint(struct pty *pty, size_t *bytes)
{
    double times[PAINTS];
    pty_mark(pty);
    pty_figures(pty, times, PAINTS);
    *bytes = pty->bytes / PAINTS;
    return part_of(times, PAINTS, 0.5);
}

void bench_grid(struct bench *bench)
{
    static struct set sets[2];
    static struct series read_times[2][2], paint_times[2][2]; /* set, ours or bare */
    size_t bytes[2] = {0};
    report_section("day grid, 20 courts x 16 hours, all booked, 200x60, p50");
    open_set(bench, &sets[0], names[0], SMALL_DAYS);
    open_set(bench, &sets[1], names[1], bench->big_slots / DAY_SLOTS);
    for (int round = -1; round < bench->rounds; round++)
        for (int i = 0; i < 4; i++) {
            int size = i % 2, who = (i / 2 + round + 1) % 2;
            double reading = who == 0 ? read_ours(&sets[size], bench->today) : read_bare(&sets[size]);
            double both = paint(who == 0 ? &sets[size].ours : &sets[size].trivial, &bytes[who]);
            if (round < 0)
                continue;
            series_add(&read_times[size][who], reading);
            series_add(&paint_times[size][who], both);
        }
    report_ratio("read and paint, 10,240 slots", "ms", &paint_times[0][0], &paint_times[0][1], AT_MOST, 1.6);
    report_ratio("read and paint, large table", "ms", &paint_times[1][0], &paint_times[1][1], AT_MOST, 1.6);
    report_ratio("reading alone, 10,240 slots", "ms", &read_times[0][0], &read_times[0][1], NO_GOAL, 0);
    report_ratio("reading alone, large table", "ms", &read_times[1][0], &read_times[1][1], NO_GOAL, 0);
    report_note("a whole picture: ours %zu bytes, trivial %zu", bytes[0], bytes[1]);
    report_section("the same against the small table (second column), ours");
    report_ratio("read and paint, large against small", "ms", &paint_times[1][0], &paint_times[0][0], AT_MOST, 1.1);
    report_ratio("reading alone, large against small", "ms", &read_times[1][0], &read_times[0][0], AT_MOST, 1.1);
    close_set(&sets[0]);
    close_set(&sets[1]);
}
