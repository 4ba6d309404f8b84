/* The application: life, loop, time, messages, the state of the database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/text.h"
#include "ui/app/app_internal.h"

#define TICK_MS     1000
#define FRAME_MS    120  /* spinner */
#define PING_MAX_MS 5000
#define BURST       256  /* typed-ahead keys between two pictures */

struct app *app_new(const struct app_config *config, struct jobs *jobs) {
    struct app *app = xcalloc(1, sizeof *app);
    app->config = *config;
    app->jobs = jobs;
    app->running = true;
    app->dirty = DIRTY_ALL;
    app->latency_us = -1;
    app->clock = WALL_NONE;
    app->last_key_ms = mono_ms();
    line_init(app);
    jobs_set_watch(jobs, app_note_result, app);
    app_restart(app);
    return app;
}

void app_free(struct app *app) {
    if (!app)
        return;
    stack_enter(app);
    stack_close_all(app);
    stack_leave(app);
    jobs_forget(app->jobs, app);
    jobs_set_watch(app->jobs, NULL, NULL);
    dialogs_drop(app, NULL);
    line_release(app);
    free(app->menu);
    free(app);
}

/* --- facts --- */

void *app_context(const struct app *app) {
    return app->config.context;
}

struct jobs *app_jobs(const struct app *app) {
    return app->jobs;
}

void app_set_clock(struct app *app, wall_t now) {
    app->clock = now;
    app->clock_ms = mono_ms();
}

wall_t app_now(const struct app *app) {
    return app->clock == WALL_NONE ? WALL_NONE : app->clock + (mono_ms() - app->clock_ms) / 1000;
}

day_t app_today(const struct app *app) {
    wall_t now = app_now(app);
    return now == WALL_NONE ? DAY_NONE : wall_day(now);
}

void app_set_operator(struct app *app, const char *label) {
    cut_copy(app->operator_label, sizeof app->operator_label, label);
    app->dirty = DIRTY_ALL;
}

void app_set_latency(struct app *app, int64_t us) {
    app->latency_us = us;
}

void app_set_place(struct app *app, const char *venue) {
    cut_copy(app->place, sizeof app->place, venue);
    app->dirty = DIRTY_ALL;
}

bool app_is_paused(const struct app *app) {
    return app->paused;
}

void app_set_language(struct app *app, const char *language) {
    if (i18n_switch(language))
        app->dirty = DIRTY_ALL;
}

void app_dirty(struct app *app) {
    app->dirty = DIRTY_ALL;
}

void app_quit(struct app *app, int status) {
    app->running = false;
    app->status = status;
}

bool app_is_running(const struct app *app) {
    return app->running;
}

/* --- messages --- */

static void show_message(struct app *app, enum message_kind kind, const char *text, const char *hint) {
    app->message.kind = kind;
    text_clean(app->message.text, sizeof app->message.text, text);
    text_clean(app->message.hint, sizeof app->message.hint, hint);
    app->message.since_ms = mono_ms();
    app->message.drawn = false;
    app->dirty = DIRTY_ALL;
    if (kind == MESSAGE_ERROR)
        app_beep(app);
}

void app_message(struct app *app, enum message_kind kind, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    show_message(app, kind, text, "");
}

void app_error(struct app *app, const struct fd_error *err) {
    const char *text = err->message[0] ? err->message : fd_code_sentence(err->code);
    if (err->code == FD_CANCELLED) {
        show_message(app, MESSAGE_INFO, text, "");
        return;
    }
    log_error(err);
    show_message(app, MESSAGE_ERROR, text, err->hint);
}

void app_message_clear(struct app *app) {
    app->message.text[0] = app->message.hint[0] = '\0';
    app->dirty = DIRTY_ALL;
}

const char *app_message_text(const struct app *app) {
    return app->message.text;
}

void app_beep(struct app *app) {
    app->beep = true;
}

void app_awake(struct app *app) {
    app->last_key_ms = mono_ms();
}

/* --- jobs --- */

uint64_t view_post(struct view *view, const struct job *job) {
    if (view->closed)
        FD_BUG("a closed view posts a job: %s", job->name);
    return jobs_post(view->app->jobs, view, job);
}

bool view_busy(const struct view *view) {
    return jobs_busy(view->app->jobs, view);
}

/* --- the database's state --- */

static void load_visible(struct app *app) {
    struct view *view = stack_main(app);
    stack_enter(app);
    stack_load(view);
    for (int i = 0; i < 2; i++)
        if (view->companion[i])
            stack_load(view->companion[i]);
    stack_leave(app);
}

static void note_away(struct app *app) {
    int64_t now = mono_ms(), pause;
    if (app->away_since_ms == 0) {
        app->away_since_ms = now;
        app->attempt = 0;
    }
    app->latency_us = -1;
    pause = (app->attempt + 1) * 1000;
    app->ping_at_ms = now + (pause > PING_MAX_MS ? PING_MAX_MS : pause);
    app->dirty = DIRTY_ALL;
}

static void note_back(struct app *app) {
    if (app->away_since_ms == 0)
        return;
    app->away_since_ms = 0;
    app_message(app, MESSAGE_GOOD, _("The database is back."));
    load_visible(app);
}

void app_note_result(void *context, enum fd_code code, const struct fd_error *err) {
    struct app *app = context;
    (void)err;
    app->dirty = DIRTY_ALL;
    if (code == FD_DB_DOWN)
        note_away(app);
    else if (code != FD_UNKNOWN && code != FD_CANCELLED && code != FD_AGAIN)
        note_back(app);
}

static void ping_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err) {
    struct app *app = owner;
    (void)arg;
    (void)code;
    (void)err;
    app->pinging = false; /* the watcher has seen the result */
}

static void ping(struct app *app, int64_t now) {
    if (app->away_since_ms == 0 || app->pinging || now < app->ping_at_ms)
        return;
    app->attempt++;
    if (!app->config.ping) {
        app->ping_at_ms = now + PING_MAX_MS;
        load_visible(app);
        return;
    }
    const struct job job = {.name = N_("Reaching the database"), .kind = JOB_READ, .run = app->config.ping, .done = ping_done};
    app->pinging = true;
    jobs_post(app->jobs, app, &job);
}

/* --- time --- */

static void refresh_view(struct app *app, struct view *view, int64_t now) {
    int64_t since = view->loaded_ms > view->asked_ms ? view->loaded_ms : view->asked_ms;
    if (view->ops->refresh_ms == 0 || now - since < view->ops->refresh_ms || app->paused || app->away_since_ms ||
        app->dialog_count > 0 || line_is_open(app) || view_in_field(view) || jobs_reading(app->jobs, view))
        return;
    stack_load(view);
}

static void tick_view(struct app *app, struct view *view, int64_t now) {
    if (!view)
        return;
    refresh_view(app, view, now);
    if (view->ops->tick && !view->closed)
        view->ops->tick(view);
}

static int64_t tick_every_ms(struct app *app) {
    const struct view *view = stack_main(app);
    return view->ops->tick_ms ? view->ops->tick_ms : TICK_MS;
}

static void tick(struct app *app) {
    struct view *view = stack_main(app);
    int64_t now = mono_ms();
    if (app->config.lock_idle_s > 0 && now - app->last_key_ms >= app->config.lock_idle_s * 1000LL)
        app_lock(app);
    if (app->message.text[0] && app->message.kind != MESSAGE_ERROR && now - app->message.since_ms >= MESSAGE_MS)
        app_message_clear(app);
    ping(app, now);
    if (now - app->ticked_ms < tick_every_ms(app) / 2)
        return;
    app->ticked_ms = now;
    app->dirty = DIRTY_ALL;
    stack_enter(app);
    view = stack_main(app);
    tick_view(app, view, now);
    for (int i = 0; i < 2; i++)
        tick_view(app, view->companion[i], now);
    stack_leave(app);
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t until_spinner(int64_t age_ms) {
    return age_ms < SPINNER_MS ? SPINNER_MS - age_ms : FRAME_MS;
}

int app_timeout_ms(struct app *app) {
    struct jobs_state state;
    int64_t now = mono_ms(), wait = app->ticked_ms + tick_every_ms(app) - now;
    jobs_state(app->jobs, &state);
    if (state.name)
        wait = earlier(wait, until_spinner(state.age_ms));
    if (state.channel_name)
        wait = earlier(wait, until_spinner(state.channel_age_ms));
    if (app->away_since_ms && !app->pinging)
        wait = earlier(wait, app->ping_at_ms - now);
    return wait < 0 ? 0 : (int)wait;
}

/* --- events --- */


void app_tick(struct app *app) {
    struct jobs_state state;
    jobs_state(app->jobs, &state);
    if ((state.name && state.age_ms >= SPINNER_MS) || (state.channel_name && state.channel_age_ms >= SPINNER_MS))
        app->dirty = DIRTY_ALL;
    tick(app);
}

/* --- the loop --- */

static void wake_terminal(void *term) {
    term_wake(term);
}

static void show(struct app *app) {
    char title[300];
    const struct view *view = stack_main(app);
    if (app->dirty != DIRTY_SELECTION || !frame_redraw(app, term_continue(app->term)))
        app_draw(app, term_begin(app->term));
    term_flush(app->term);
    const char *label = view->ops->label && !app->cover ? i18n_label(view->ops->label) : "frontdesk";
    snprintf(title, sizeof title, "%s%s%s", app->place, app->place[0] ? " - " : "", label);
    term_title(app->term, title);
    if (app->beep)
        term_beep(app->term);
    app->beep = false;
    app->dirty = DIRTY_NOT;
}

int app_run(struct app *app, struct term *term) {
    struct input input;
    app->term = term;
    jobs_set_wake(app->jobs, wake_terminal, term);
    app->ticked_ms = mono_ms();
    show(app);
    while (app->running) {
        term_next(term, app_timeout_ms(app), &input);
        app_input(app, &input);
        for (int burst = 0; app->running && burst < BURST && term_pending(term); burst++) {
            term_next(term, 0, &input);
            app_input(app, &input);
        }
        if (app->running && app->dirty)
            show(app);
    }
    jobs_set_wake(app->jobs, NULL, NULL);
    app->term = NULL;
    return app->status;
}

/* --- tests --- */

static void type_text(struct app *app, const char **at) {
    const char *end;
    for (end = *at; *end && *end != '\'';) {
        struct input input = input_key(text_next(&end));
        app_input(app, &input);
    }
    *at = *end ? end + 1 : end;
}

void app_type(struct app *app, const char *keys) {
    while (*keys) {
        char name[32];
        size_t count = strcspn(keys, " ");
        if (*keys == ' ') {
            keys++;
            continue;
        }
        if (*keys == '\'' && keys[1] && keys[1] != ' ') {
            keys++;
            type_text(app, &keys);
            continue;
        }
        FD_ASSERT(count < sizeof name);
        memcpy(name, keys, count);
        name[count] = '\0';
        keys += count;
        uint32_t key = key_from_name(name);
        if (key == K_NONE)
            FD_BUG("no key is called %s", name);
        struct input input = input_key(key);
        app_input(app, &input);
    }
}
