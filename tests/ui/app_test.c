/* The frame without a terminal: events in, a matrix out; jobs run in their real thread. */
#include "ui/unit.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/when.h"
#include "ui/app/app.h"
#include "ui/widget/form.h"

static struct app *app;
static struct jobs *jobs;
static struct canvas canvas;
static struct app_config config;
static struct jobs_config work;

/* --- views that note what happens to them --- */

struct probe {
    int opened, loads, shown, ticks, children, child_result, follows;
    enum request last;
    bool keep; /* may_close says no */
};

static struct probe *probes[8]; /* the last opened of each name */
static int closed_count;
enum { GRID, ORDERS, DETAIL, SIDE };

static int slot_of(const struct view *view) {
    static const char *const names[] = {"grid", "orders", "detail", "side"};
    for (int i = 0; i < 4; i++)
        if (strcmp(view_ops(view)->name, names[i]) == 0)
            return i;
    return 7;
}

static void probe_open(struct view *view, const void *arg) {
    (void)arg;
    probes[slot_of(view)] = view_state(view);
    ((struct probe *)view_state(view))->opened++;
}

static void probe_close(struct view *view) {
    if (probes[slot_of(view)] == view_state(view))
        probes[slot_of(view)] = NULL;
    closed_count++;
}

static void probe_load(struct view *view) {
    ((struct probe *)view_state(view))->loads++;
    view_loaded(view);
}

static void probe_show(struct view *view) {
    ((struct probe *)view_state(view))->shown++;
}

static void probe_tick(struct view *view) {
    ((struct probe *)view_state(view))->ticks++;
}

static void probe_child(struct view *view, struct view *child, int result) {
    struct probe *probe = view_state(view);
    assert_non_null(view_state(child));
    probe->children++;
    probe->child_result = result;
}

static bool probe_may_close(struct view *view) {
    return !((struct probe *)view_state(view))->keep;
}

static void probe_draw(struct view *view, struct cells *cells) {
    cells_printf(cells, 0, 0, STYLE_TEXT, "[%s %dx%d]", view_ops(view)->name, cells->columns, cells->rows);
    if (view_is_focused(view))
        cells_cursor(cells, 1, 1);
}

static void probe_follow(struct view *view, struct view *leader) {
    assert_ptr_equal(view_leader(view), leader);
    ((struct probe *)view_state(view))->follows++;
}

static const struct view_ops detail_ops;
static const struct view_ops form_ops;

static bool probe_request(struct view *view, enum request request, const struct input *input) {
    (void)input;
    ((struct probe *)view_state(view))->last = request;
    if (request == REQ_OPEN)
        view_push(view, &detail_ops, NULL);
    else if (request == REQ_FIND)
        view_push(view, &detail_ops, NULL);
    else if (request == REQ_NEW)
        view_push(view, &form_ops, NULL);
    else if (request == REQ_PAY)
        view_close(view, 42);
    else if (request == REQ_DOWN)
        view_moved(view);
    else
        return false;
    return true;
}

static const struct view_ops side_ops = {.name = "side", .private_bytes = sizeof(struct probe), .open = probe_open,
    .close = probe_close, .draw = probe_draw, .follow = probe_follow, .takes_focus = true, .request = probe_request};

static const struct view_ops *grid_companion(const struct view *view, enum pane pane) {
    (void)view;
    return pane == PANE_SIDE ? &side_ops : NULL;
}

static const struct keybind grid_binds[] = {{{K_F(6), 'p'}, REQ_PAY, NC_("key", "Pay"), NULL}, {{'t'}, REQ_NONE, NULL, NULL}};
static const struct keymap grid_keys = KEYMAP("Grid", grid_binds);
static const struct view_ops grid_ops = {.name = "grid", .label = NC_("tab", "Grid"), .private_bytes = sizeof(struct probe),
    .keys = &grid_keys, .open = probe_open, .close = probe_close, .load = probe_load, .draw = probe_draw, .show = probe_show,
    .tick = probe_tick, .child = probe_child, .request = probe_request, .companion = grid_companion, .refresh_ms = 60};
static const struct view_ops orders_ops = {.name = "orders", .label = NC_("tab", "Orders"), .private_bytes = sizeof(struct probe),
    .open = probe_open, .close = probe_close, .load = probe_load, .draw = probe_draw, .request = probe_request};
static const struct view_ops detail_ops = {.name = "detail", .private_bytes = sizeof(struct probe), .keys = &grid_keys,
    .open = probe_open, .close = probe_close, .draw = probe_draw, .request = probe_request, .may_close = probe_may_close};

/* A form over the grid. */
static const struct field form_fields[] = {{1, "Name", FIELD_TEXT, 0, 0, 0, NULL}};

static void form_open(struct view *view, const void *arg) {
    (void)arg;
    *(struct form **)view_state(view) = form_new(form_fields, 1, NULL, 0);
}

static void form_close(struct view *view) {
    form_free(*(struct form **)view_state(view));
    closed_count++;
}

static void form_paint(struct view *view, struct cells *cells) {
    form_draw(*(struct form **)view_state(view), cells, view_is_focused(view));
}

static bool form_typing(const struct view *view) {
    return form_in_field(*(struct form **)view_state(view));
}

static bool form_key(struct view *view, const struct input *input) {
    struct form_event event;
    bool used = form_input(*(struct form **)view_state(view), input, &event);
    if (event.kind == FORM_PRESSED && event.id == FORM_ID_CANCEL)
        view_close(view, 7);
    return used;
}

static const struct view_ops form_ops = {.name = "form", .private_bytes = sizeof(struct form *), .open = form_open,
    .close = form_close, .draw = form_paint, .in_field = form_typing, .input = form_key};

/* The lock: x opens. */
static bool lock_key(struct view *view, const struct input *input) {
    if (input->kind == INPUT_KEY && input->key == 'x')
        app_uncover(view_app(view));
    return true;
}

static void lock_paint(struct view *view, struct cells *cells) {
    (void)view;
    cells_text(cells, 0, 0, STYLE_TEXT, "locked");
}

static const struct view_ops lock_ops = {.name = "lock", .draw = lock_paint, .input = lock_key};

static int fresh(void **state) {
    (void)state;
    memset(probes, 0, sizeof probes);
    closed_count = 0;
    config = (struct app_config){.screens = {&grid_ops, &orders_ops}, .lock = &lock_ops};
    work = (struct jobs_config){0};
    jobs = jobs_start(&work);
    app = app_new(&config, jobs);
    canvas_init(&canvas, 24, 80);
    return 0;
}

static int done(void **state) {
    (void)state;
    app_free(app);
    assert_true(jobs_stop(jobs, 2000));
    canvas_release(&canvas);
    return 0;
}

static void draw(int rows, int columns) {
    canvas_resize(&canvas, rows, columns);
    app_draw(app, &canvas);
    assert_whole(&canvas);
}

static bool shows(const char *text) {
    draw(24, 80);
    return canvas_has(&canvas, text);
}

static const char *top_name(void) {
    return view_ops(app_top(app))->name;
}

/* --- dispatch --- */

static void view_table_comes_before_the_global_one(void **state) {
    (void)state;
    app_type(app, "p");
    assert_int_equal(probes[GRID]->last, REQ_PAY); /* globally: pause */
    assert_false(app_is_paused(app));
    app_type(app, "2 p");
    assert_true(app_is_paused(app));
    app_type(app, "1 t"); /* taken away here, although globally today */
    assert_int_not_equal(probes[GRID]->last, REQ_TODAY);
    app_type(app, "2 t");
    assert_int_equal(probes[ORDERS]->last, REQ_TODAY);
}

static void letters_in_a_field_are_text_and_function_keys_work(void **state) {
    (void)state;
    app_type(app, "a 'q1:p?'");
    assert_string_equal(top_name(), "form");
    assert_true(shows("[q1:p?"));
    app_type(app, "F1");
    assert_string_equal(top_name(), "help");
    app_type(app, "Esc");
    assert_true(shows("[q1:p?"));
    app_type(app, "Esc");
    assert_string_equal(top_name(), "grid");
    assert_int_equal(probes[GRID]->child_result, 7);
}

static void half_filled_form_survives_other_screens_and_find(void **state) {
    (void)state;
    app_type(app, "a 'Wang'");
    app_run_line(app, "go orders");
    assert_string_equal(top_name(), "orders");
    app_type(app, "Enter");
    assert_string_equal(top_name(), "detail");
    app_type(app, "1");
    assert_true(shows("[Wang"));
    app_type(app, "F9 Esc");
    assert_true(shows("[Wang"));
    app_type(app, "M-x"); /* nothing */
    app_run_line(app, "go 2");
    assert_string_equal(top_name(), "detail");
    app_type(app, "Esc -");
    assert_true(shows("[Wang"));
}

static void pasted_text_is_never_commands(void **state) {
    (void)state;
    struct input paste = {.kind = INPUT_PASTE, .paste = "2 q a"};
    app_input(app, &paste);
    assert_string_equal(top_name(), "grid");
    assert_true(app_is_running(app));
    app_type(app, "a");
    app_input(app, &paste);
    assert_true(shows("[2 q a"));
}

static void escape_goes_back_unless_the_view_keeps_itself(void **state) {
    (void)state;
    app_type(app, "Enter");
    probes[DETAIL]->keep = true;
    app_type(app, "Esc");
    assert_string_equal(top_name(), "detail");
    probes[DETAIL]->keep = false;
    app_type(app, "Esc Esc Esc");
    assert_string_equal(top_name(), "grid");
    assert_int_equal(probes[GRID]->children, 1);
    assert_int_equal(probes[GRID]->shown, 2);
    assert_null(probes[DETAIL]);
    app_type(app, "Enter p"); /* a view that closes itself in its own handler */
    assert_string_equal(top_name(), "grid");
    assert_int_equal(probes[GRID]->child_result, 42);
}

static void leaving_asks_and_cancel_is_the_default(void **state) {
    (void)state;
    app_type(app, "q Enter");
    assert_true(app_is_running(app));
    app_type(app, "F10 C-c");
    assert_true(app_is_running(app));
    app_type(app, "q y");
    assert_false(app_is_running(app));
}

static void exit_event_asks_nothing(void **state) {
    (void)state;
    struct input leave = {.kind = INPUT_EXIT};
    app_type(app, "a 'half'");
    app_input(app, &leave);
    assert_false(app_is_running(app));
}

static void menu_lists_the_live_keys_and_does_them(void **state) {
    (void)state;
    app_type(app, "F9");
    assert_true(shows("Menu"));
    assert_true(shows("Take payment"));
    app_type(app, "'Orders' Enter");
    assert_string_equal(top_name(), "orders");
}

/* --- frame --- */

static void frame_has_title_tabs_keys_and_clock(void **state) {
    (void)state;
    app_set_operator(app, "前台 李敏");
    app_set_latency(app, 3200);
    app_set_clock(app, wall_at(day_of(2026, 12, 1), 10 * 60 + 42));
    draw(24, 80);
    assert_string_equal(row_text(&canvas, 0), " Grid                                                  前台 李敏  db 3ms  10:42");
    assert_string_equal(row_text(&canvas, 1), " 1Grid 2Orders");
    assert_string_equal(row_text(&canvas, 2), "[grid 80x19]");
    assert_string_equal(row_text(&canvas, 22), ":");
    assert_string_equal(row_text(&canvas, 23), "F1Help  F2      F3      F4      F5Refr  F6Pay   F7      F8      F9Menu  F10Exit");
}

/* The view with no keys and nothing to read: what the frame answers itself, and no key of another screen. */
static void key_bar_has_the_views_keys_and_those_the_frame_answers(void **state) {
    (void)state;
    app_type(app, "2");
    draw(24, 80);
    assert_string_equal(row_text(&canvas, 23), "F1Help  F2      F3      F4      F5Refr  F6      F7      F8      F9Menu  F10Exit");
    app_type(app, "F1");
    draw(24, 80);
    assert_string_equal(row_text(&canvas, 23), "F1      F2      F3Find  F4      F5      F6      F7      F8      F9Menu  F10Exit");
}

static void wide_windows_get_a_companion_that_follows(void **state) {
    (void)state;
    draw(30, 120);
    assert_true(canvas_has(&canvas, "[side"));
    int follows = probes[SIDE]->follows;
    app_type(app, "Down");
    draw(30, 120);
    assert_int_equal(probes[SIDE]->follows, follows + 1);
    app_type(app, "Tab");
    assert_string_equal(top_name(), "side");
    app_type(app, "Esc");
    assert_string_equal(top_name(), "grid");
    app_type(app, "Tab");
    draw(24, 80);
    assert_string_equal(top_name(), "grid");
    assert_null(probes[SIDE]);
    assert_string_equal(row_text(&canvas, 2), "[grid 80x19]");
}

static void small_window_says_so_and_every_size_is_survived(void **state) {
    (void)state;
    draw(23, 80);
    assert_true(canvas_has(&canvas, "too small: 80x23"));
    draw(1, 1);
    for (int rows = 1; rows < 60; rows += 3)
        for (int columns = 1; columns < 180; columns += 7)
            draw(rows, columns);
    app_type(app, "F9");
    for (int rows = 1; rows < 60; rows += 3)
        draw(rows, rows * 3);
    assert_true(shows("Menu"));
}

static void mouse_reaches_tabs_key_bar_and_panes(void **state) {
    (void)state;
    struct input click = {.kind = INPUT_MOUSE, .mouse = MOUSE_CLICK, .row = 1, .column = 8};
    draw(24, 80);
    app_input(app, &click);
    assert_string_equal(top_name(), "orders");
    draw(24, 80);
    click.row = 23;
    click.column = 1;
    app_input(app, &click);
    assert_string_equal(top_name(), "help");
}

/* --- command line --- */

static void command_line_points_at_the_word_it_does_not_know(void **state) {
    (void)state;
    app_type(app, ": 'set theme purple' Enter");
    assert_true(shows(":set theme purple"));
    assert_non_null(strstr(row_text(&canvas, 21), "           ▾ "));
    app_type(app, "C-u 'frobnicate' Enter");
    assert_true(shows("There is no command"));
    app_type(app, "C-u 'go or' Tab Enter");
    assert_string_equal(top_name(), "orders");
}

static void language_is_switched_live(void **state) {
    (void)state;
    app_run_line(app, "set lang zh");
    assert_string_equal(i18n_language(), "zh_CN");
    app_run_line(app, "set lang en");
    assert_string_equal(i18n_language(), "en");
    app_run_line(app, "set lang xx");
    assert_string_equal(i18n_language(), "en");
}

/* --- lock --- */

static void lock_covers_everything_and_loses_nothing(void **state) {
    (void)state;
    app_type(app, "a 'secret' F12");
    assert_true(shows("locked"));
    assert_false(canvas_has(&canvas, "secret"));
    app_type(app, "F1 : 2 q F10");
    assert_true(app_is_covered(app) && app_is_running(app));
    app_type(app, "x");
    assert_true(shows("[secret"));
}

static void dialog_waits_below_the_lock(void **state) {
    (void)state;
    app_type(app, "q F12");
    assert_true(shows("locked"));
    assert_false(canvas_has(&canvas, "Leave frontdesk?"));
    app_type(app, "y x");
    assert_true(app_is_running(app));
    assert_true(shows("Leave frontdesk?"));
    app_type(app, "y");
    assert_false(app_is_running(app));
}

static void idle_terminal_locks_itself(void **state) {
    (void)state;
    struct input tick = {.kind = INPUT_TICK};
    app_free(app);
    config.lock_idle_s = 1;
    app = app_new(&config, jobs);
    app_input(app, &tick);
    assert_false(app_is_covered(app));
    sleep_ms(1050);
    app_input(app, &tick);
    assert_true(app_is_covered(app));
}

/* --- refresh --- */

static void refresh_runs_by_itself_but_not_under_a_form_nor_paused(void **state) {
    (void)state;
    struct input tick = {.kind = INPUT_TICK};
    int loads = probes[GRID]->loads;
    sleep_ms(600);
    app_input(app, &tick);
    assert_int_equal(probes[GRID]->loads, loads + 1);
    app_type(app, "a 'x'");
    sleep_ms(600);
    app_input(app, &tick);
    assert_int_equal(probes[GRID]->loads, loads + 1);
    app_type(app, "Esc");
    app_type(app, "2 p 1");
    loads = probes[GRID]->loads;
    sleep_ms(600);
    app_input(app, &tick);
    assert_int_equal(probes[GRID]->loads, loads);
    app_type(app, "F5");
    assert_int_equal(probes[GRID]->loads, loads + 1);
}

/* --- jobs --- */

static atomic_int gate, ran, disposed, stops;
static int delivered;
static enum fd_code delivered_code;

static enum fd_code gated(struct desk *desk, void *arg, struct fd_error *err) {
    (void)desk;
    (void)arg;
    atomic_fetch_add(&ran, 1);
    for (int64_t until = mono_ms() + 5000; atomic_load(&gate) == 0 && mono_ms() < until;)
        sleep_ms(1);
    int what = atomic_load(&gate);
    return what == 1 ? FD_OK : fd_fail(err, what == 2 ? FD_CANCELLED : FD_DB_DOWN, NULL);
}

static void open_gate(void *context) {
    (void)context;
    atomic_fetch_add(&stops, 1);
    atomic_store(&gate, 2);
}

static void dispose(void *arg) {
    free(arg);
    atomic_fetch_add(&disposed, 1);
}

static void note_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err) {
    (void)owner;
    (void)arg;
    (void)err;
    delivered++;
    delivered_code = code;
}

static struct job job_of(enum job_kind kind) {
    return (struct job){"Reading", kind, gated, note_done, malloc(8), dispose};
}

static int jobs_fresh(void **state) {
    atomic_store(&gate, 0);
    atomic_store(&ran, 0);
    atomic_store(&disposed, 0);
    atomic_store(&stops, 0);
    delivered = 0;
    fresh(state);
    app_free(app);
    assert_true(jobs_stop(jobs, 1000));
    work.stop = open_gate;
    jobs = jobs_start(&work);
    app = app_new(&config, jobs);
    return 0;
}

static void wait_running(void) {
    while (atomic_load(&ran) == 0)
        sleep_ms(1);
}

static void result_of_a_closed_view_is_disposed_of_and_not_delivered(void **state) {
    (void)state;
    app_type(app, "Enter");
    struct job job = job_of(JOB_READ);
    view_post(app_top(app), &job);
    wait_running();
    app_type(app, "p");
    atomic_store(&gate, 1);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(delivered, 0);
    assert_int_equal(atomic_load(&disposed), 1);
}

static void newer_read_replaces_the_one_that_waits(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct job job = job_of(JOB_READ);
        view_post(app_top(app), &job);
        if (i == 0)
            wait_running();
    }
    atomic_store(&gate, 1);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(atomic_load(&ran), 2);
    assert_int_equal(delivered, 2);
    assert_int_equal(atomic_load(&disposed), 5);
}

static void waiting_write_runs_although_its_view_is_gone(void **state) {
    (void)state;
    app_type(app, "Enter");
    struct job first = job_of(JOB_READ), write = job_of(JOB_WRITE);
    view_post(app_top(app), &first);
    view_post(app_top(app), &write);
    wait_running();
    app_type(app, "p");
    atomic_store(&gate, 1);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(atomic_load(&ran), 2);
    assert_int_equal(delivered, 0);
}

static void escape_stops_a_slow_read_before_it_goes_back(void **state) {
    (void)state;
    app_type(app, "Enter");
    struct job job = job_of(JOB_READ);
    view_post(app_top(app), &job);
    wait_running();
    sleep_ms(170);
    assert_true(shows("Reading"));
    app_type(app, "Esc");
    assert_string_equal(top_name(), "detail");
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(atomic_load(&stops), 1);
    assert_int_equal(delivered_code, FD_CANCELLED);
    app_type(app, "Esc");
    assert_string_equal(top_name(), "grid");
}

static void write_is_never_stopped_and_says_checking(void **state) {
    (void)state;
    struct job job = job_of(JOB_WRITE);
    view_post(app_top(app), &job);
    wait_running();
    sleep_ms(170);
    assert_true(shows("Checking"));
    app_type(app, "Esc C-c");
    assert_int_equal(atomic_load(&stops), 0);
    atomic_store(&gate, 1);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(delivered_code, FD_OK);
}

static void lost_database_is_told_and_views_load_when_it_is_back(void **state) {
    (void)state;
    struct job job = job_of(JOB_READ);
    atomic_store(&gate, 3);
    view_post(app_top(app), &job);
    assert_true(jobs_wait(jobs, 3000));
    assert_true(shows("The database cannot be reached."));
    assert_true(canvas_has(&canvas, "attempt 1"));
    assert_true(canvas_has(&canvas, "db away"));
    assert_true(canvas_has(&canvas, "[grid"));
    int loads = probes[GRID]->loads;
    atomic_store(&gate, 1);
    job = job_of(JOB_READ);
    view_post(app_top(app), &job);
    assert_true(jobs_wait(jobs, 3000));
    assert_false(shows("cannot be reached"));
    assert_true(shows("The database is back."));
    assert_int_equal(probes[GRID]->loads, loads + 1);
}

static void ping_brings_a_lost_database_back(void **state) {
    (void)state;
    struct input tick = {.kind = INPUT_TICK};
    app_free(app);
    config.ping = gated;
    app = app_new(&config, jobs);
    struct job job = job_of(JOB_READ);
    atomic_store(&gate, 3);
    view_post(app_top(app), &job);
    assert_true(jobs_wait(jobs, 3000));
    atomic_store(&gate, 1);
    sleep_ms(1010);
    app_input(app, &tick);
    assert_true(jobs_wait(jobs, 3000));
    assert_true(shows("The database is back."));
}

static void hanging_job_does_not_keep_the_program(void **state) {
    (void)state;
    struct jobs *hung = jobs_start(&work);
    struct job job = job_of(JOB_WRITE);
    jobs_post(hung, &job, &job);
    wait_running();
    int64_t before = mono_ms();
    assert_false(jobs_stop(hung, 200));
    assert_true(mono_ms() - before < 1000);
    atomic_store(&gate, 1);
    assert_true(jobs_stop(hung, 2000)); /* it has ended now: memory goes back */
}

/* --- the second thread --- */

static int64_t acted;
static atomic_int first_lane, second_lane;

/* A desk that is only told from the other. */
static enum fd_code second_desk(void *context, int64_t actor, struct desk **desk, struct fd_error *err) {
    (void)err;
    acted = actor;
    *desk = context;
    return FD_OK;
}

static enum fd_code met_a_code(struct desk *desk, void *arg, struct fd_error *err) {
    (void)arg;
    atomic_fetch_add(desk ? &second_lane : &first_lane, 1);
    return desk ? FD_OK : fd_fail(err, FD_LIVE_CODE, NULL);
}

static int lanes_fresh(void **state) {
    jobs_fresh(state);
    app_free(app);
    assert_true(jobs_stop(jobs, 1000));
    atomic_store(&first_lane, 0);
    atomic_store(&second_lane, 0);
    acted = 0;
    work.channel_desk = second_desk;
    work.channel_context = &acted;
    jobs = jobs_start(&work);
    app = app_new(&config, jobs);
    return 0;
}

static void slow_channel_holds_up_neither_screen_nor_first_thread(void **state) {
    (void)state;
    struct job slow = job_of(JOB_CHANNEL), quick = {"Reading", JOB_READ, met_a_code, note_done, NULL, NULL};
    jobs_set_actor(jobs, 7);
    view_post(app_top(app), &slow);
    wait_running();
    jobs_set_actor(jobs, 8); /* who asked stays who acts */
    for (int i = 1; i <= 3; i++) {
        view_post(app_top(app), &quick);
        while (atomic_load(&first_lane) < i)
            sleep_ms(1);
    }
    sleep_ms(170);
    assert_true(shows("Asking the payment channel"));
    assert_false(shows("has not answered"));
    app_type(app, "Esc C-c"); /* nothing to stop */
    assert_int_equal(atomic_load(&stops), 0);
    assert_true(jobs_busy(jobs, NULL));
    atomic_store(&gate, 1);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(acted, 7);
    assert_int_equal(delivered, 4);
}

static void write_that_meets_a_live_code_is_run_again_where_the_channel_may_be_asked(void **state) {
    (void)state;
    struct job job = {"Cancelling", JOB_WRITE, met_a_code, note_done, malloc(8), dispose};
    view_post(app_top(app), &job);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(atomic_load(&first_lane), 1);
    assert_int_equal(atomic_load(&second_lane), 1);
    assert_int_equal(delivered, 1);
    assert_int_equal(delivered_code, FD_OK);
    assert_int_equal(atomic_load(&disposed), 1);
}

static void read_that_meets_a_live_code_is_answered(void **state) {
    (void)state;
    struct job job = {"Reading", JOB_READ, met_a_code, note_done, malloc(8), dispose};
    view_post(app_top(app), &job);
    assert_true(jobs_wait(jobs, 3000));
    assert_int_equal(atomic_load(&second_lane), 0);
    assert_int_equal(delivered_code, FD_LIVE_CODE);
}

static void slow_channel_does_not_keep_the_program(void **state) {
    (void)state;
    struct jobs *hung = jobs_start(&work);
    struct job job = job_of(JOB_CHANNEL);
    jobs_post(hung, &job, &job);
    wait_running();
    assert_false(jobs_stop(hung, 200));
    atomic_store(&gate, 1);
    assert_true(jobs_stop(hung, 2000));
}

int main(void) {
#define L(name) cmocka_unit_test_setup_teardown(name, lanes_fresh, done)
#define T(name) cmocka_unit_test_setup_teardown(name, fresh, done)
#define J(name) cmocka_unit_test_setup_teardown(name, jobs_fresh, done)
    const struct CMUnitTest tests[] = {
        T(view_table_comes_before_the_global_one),
        T(letters_in_a_field_are_text_and_function_keys_work),
        T(half_filled_form_survives_other_screens_and_find),
        T(pasted_text_is_never_commands),
        T(escape_goes_back_unless_the_view_keeps_itself),
        T(leaving_asks_and_cancel_is_the_default),
        T(exit_event_asks_nothing),
        T(menu_lists_the_live_keys_and_does_them),
        T(frame_has_title_tabs_keys_and_clock),
        T(key_bar_has_the_views_keys_and_those_the_frame_answers),
        T(wide_windows_get_a_companion_that_follows),
        T(small_window_says_so_and_every_size_is_survived),
        T(mouse_reaches_tabs_key_bar_and_panes),
        T(command_line_points_at_the_word_it_does_not_know),
        T(language_is_switched_live),
        T(lock_covers_everything_and_loses_nothing),
        T(dialog_waits_below_the_lock),
        T(idle_terminal_locks_itself),
        T(refresh_runs_by_itself_but_not_under_a_form_nor_paused),
        J(result_of_a_closed_view_is_disposed_of_and_not_delivered),
        J(newer_read_replaces_the_one_that_waits),
        J(waiting_write_runs_although_its_view_is_gone),
        J(escape_stops_a_slow_read_before_it_goes_back),
        J(write_is_never_stopped_and_says_checking),
        J(lost_database_is_told_and_views_load_when_it_is_back),
        J(ping_brings_a_lost_database_back),
        J(hanging_job_does_not_keep_the_program),
        L(slow_channel_holds_up_neither_screen_nor_first_thread),
        L(write_that_meets_a_live_code_is_run_again_where_the_channel_may_be_asked),
        L(read_that_meets_a_live_code_is_answered),
        L(slow_channel_does_not_keep_the_program),
    };
    unit_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
