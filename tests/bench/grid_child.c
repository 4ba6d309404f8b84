#include "bench/grid_child.h"

#include <string.h>
#include <unistd.h>
#include "bench/bench.h"
#include "cli/cli.h"
#include "ui/term/term.h"
#include "ui/view/views.h"

enum { CONTROL = 3, LIMIT_MS = 10000 };

/* The grid alone: what stands beside it on a wide screen reads other things. */
static struct view_ops grid_only;

static double read_and_paint(struct app *app, struct jobs *jobs, struct term *term)
{
    double begin = now_ms();
    app_type(app, "F5");
    if (!jobs_wait(jobs, LIMIT_MS))
        bench_die("the grid is not read", NULL);
    term_redraw(term);
    app_draw(app, term_begin(term));
    term_flush(term);
    return now_ms() - begin;
}

static void answer(struct app *app, struct jobs *jobs, struct term *term)
{
    int count;
    while (read(CONTROL, &count, sizeof count) == sizeof count)
        for (int i = 0; i < count; i++) {
            double took = read_and_paint(app, jobs, term);
            if (write(CONTROL, &took, sizeof took) != sizeof took)
                return;
        }
}

int grid_child(const char *socket, const char *database)
{
    struct fd_error err = {0};
    struct console console = {.day = DAY_NONE, .is_open = true, .signed_in = true, .role = ROLE_CLERK};
    struct config *config;
    struct desk *desk;
    struct term *term;
    if (config_load(NULL, &config, &err) || config_set(config, CONFIG_SOCKET, socket, &err) ||
        config_set(config, CONFIG_USER, "root", &err) || config_set(config, CONFIG_NAME, database, &err))
        bench_die("config", &err);
    cli_register();
    if (desk_open(config, &desk, &err))
        bench_die("desk_open", &err);
    desk->operator_id = 2;
    desk->role = ROLE_CLERK;
    console.config = config;
    console.jobs = jobs_start(&(struct jobs_config){.desk = desk});
    if (term_start(&(struct term_config){.mouse = true, .escape_delay_ms = 25, .theme = "dark"}, &term, &err))
        bench_die("term_start", &err);
    grid_only = view_grid;
    grid_only.companion = NULL;
    console.app = app_new(&(struct app_config){.screens = {&grid_only}, .context = &console}, console.jobs);
    /* The first one measures the terminal and makes the view. */
    read_and_paint(console.app, console.jobs, term);
    answer(console.app, console.jobs, term);
    app_free(console.app);
    term_stop(&term);
    jobs_stop(console.jobs, LIMIT_MS);
    desk_close(&desk);
    config_free(config);
    return 0;
}
