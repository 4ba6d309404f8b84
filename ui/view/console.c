/* The console's life: terminal, jobs, desk, screens. */
#include "ui/view/console.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "ui/term/term.h"
#include "ui/view/console_internal.h"

enum { STOP_LIMIT_MS = 1500 };

/* What the stop hook and the second desk need, whatever the desk thread does meanwhile: their own copy. */
struct stop_target {
    _Atomic int64_t connection_id;
    struct db_target target;
    char *text[8];     /* what target's strings point at */
    struct desk *desk; /* closed after the desk thread has ended */
    struct desk *second; /* of the channel's thread, opened when it is needed */
    const struct config *config;
};

/* --- stopping a read -------------------------------------------------------------------------- */

static void stop_reading(void *context)
{
    struct stop_target *stop = context;
    struct fd_error err;
    /* The desk may have connected anew since it was taken. */
    int64_t id = atomic_load(&stop->connection_id) ? db_connection_id(stop->desk->db) : 0;
    if (id && db_kill_query(&stop->target, id, &err) != FD_OK)
        log_error(&err);
}

static void copy_target(struct stop_target *stop, const struct db_target *target)
{
    const char **strings[8] = {&stop->target.host,     &stop->target.socket,        &stop->target.user,
                               &stop->target.database, &stop->target.defaults_file, &stop->target.ssl_ca,
                               &stop->target.time_zone, &stop->target.at};
    stop->target = *target;
    for (size_t i = 0; i < 8; i++) {
        free(stop->text[i]);
        stop->text[i] = xstrdup(*strings[i]);
        *strings[i] = stop->text[i];
    }
}

void console_take_desk(struct console *console, struct desk *desk)
{
    struct stop_target *stop = console->stop_target;
    atomic_store(&stop->connection_id, 0);
    copy_target(stop, db_target(desk->db));
    stop->desk = desk;
    atomic_store(&stop->connection_id, db_connection_id(desk->db));
    desk->no_channel = true; /* a channel may take ten seconds: the second desk asks it */
    jobs_set_desk(console->jobs, desk);
}

/* --- the second desk, for what calls a channel or a printer ------------------------------------ */

static enum fd_code act_for(struct desk *desk, int64_t id, struct fd_error *err)
{
    struct arena arena = {0};
    struct operator_row *rows = NULL;
    size_t count = 0;
    operator_sign_out(desk);
    if (id == 0)
        return FD_OK;
    enum fd_code code = operator_list(desk, &arena, &rows, &count, err);
    for (size_t i = 0; code == FD_OK && i < count; i++) {
        if (rows[i].id != id)
            continue;
        desk->operator_id = id;
        desk->role = rows[i].role;
        cut_copy(desk->operator, sizeof desk->operator, rows[i].name);
        cut_copy(desk->operator_label, sizeof desk->operator_label, rows[i].label);
    }
    arena_release(&arena);
    return code;
}

/* In the channel's thread. Who asked was signed in at the first desk; the second needs no password again. */
static enum fd_code second_desk(void *context, int64_t actor, struct desk **desk, struct fd_error *err)
{
    struct stop_target *own = context;
    enum fd_code code = FD_OK;
    if (!own->second)
        code = desk_open_at(own->config, &own->target, &own->second, err);
    if (code == FD_OK && own->second->operator_id != actor)
        code = act_for(own->second, actor, err);
    *desk = own->second;
    return code;
}

/* --- who is signed in ------------------------------------------------------------------------- */

enum fd_code signed_in_fill(struct desk *desk, struct signed_in *who, struct fd_error *err)
{
    cut_copy(who->name, sizeof who->name, desk->operator);
    cut_copy(who->label, sizeof who->label, desk->operator_label);
    who->role = desk->role;
    who->id = desk->operator_id;
    enum fd_code code = desk_now(desk, &who->now, err);
    who->latency_us = db_last_us(desk->db);
    return code;
}

void console_signed_in(struct console *console, const struct signed_in *who)
{
    char label[DISPLAY_BYTES + 64];
    console->signed_in = who != NULL;
    console->operator[0] = console->operator_label[0] = '\0';
    console->role = ROLE_NONE;
    jobs_set_actor(console->jobs, who ? who->id : 0);
    if (!who) {
        app_set_operator(console->app, "");
        return;
    }
    cut_copy(console->operator, sizeof console->operator, who->name);
    cut_copy(console->operator_label, sizeof console->operator_label, who->label);
    console->role = who->role;
    snprintf(label, sizeof label, "%s %s%s", role_label(who->role), who->label,
             config_switch(console->config, CONFIG_READONLY) ? _(" (read only)") : "");
    app_set_operator(console->app, label);
    app_set_clock(console->app, who->now);
    app_set_latency(console->app, who->latency_us);
}

void console_change_operator(struct console *console)
{
    console_signed_in(console, NULL);
    app_restart(console->app);
}

/* --- life ------------------------------------------------------------------------------------- */

static enum fd_code ping(struct desk *desk, void *arg, struct fd_error *err)
{
    wall_t now;
    (void)arg;
    if (!desk)
        return fd_fail(err, FD_DB_DOWN, NULL);
    return desk_now(desk, &now, err);
}

struct app_config console_app_config(struct console *context)
{
    return (struct app_config){
        .screens = {&view_grid, &view_arrivals, &view_orders, &view_pay, &view_customers, &view_schedules, &view_shift,
                    &view_log, &view_setup},
        .lock = &view_lock,
        .sign_in = &view_sign_in,
        .lock_idle_s = (int)config_number(context->config, CONFIG_LOCK_IDLE),
        .context = context,
        .complete = verbs_complete,
        .command = verbs_command,
        .command_help = verbs_help,
        .ping = ping,
    };
}

void console_init(struct console *console, const struct config *config)
{
    console->config = config;
    console->day = DAY_NONE;
    struct stop_target *own = xcalloc(1, sizeof *own);
    own->config = config;
    console->stop_target = own;
    console->jobs = jobs_start(&(struct jobs_config){
        .stop = stop_reading, .stop_context = own, .channel_desk = second_desk, .channel_context = own});
}

static void release_stop(struct stop_target *stop)
{
    for (size_t i = 0; i < 8; i++)
        free(stop->text[i]);
    free(stop);
}

bool console_release(struct console *console)
{
    struct stop_target *stop = console->stop_target;
    if (!jobs_stop(console->jobs, STOP_LIMIT_MS))
        return false;
    desk_close(&stop->second);
    desk_close(&stop->desk);
    release_stop(console->stop_target);
    console->stop_target = NULL;
    console->jobs = NULL;
    return true;
}

static enum term_ascii ascii_of(const char *word)
{
    return strcmp(word, "yes") == 0 ? TERM_ASCII_YES : strcmp(word, "no") == 0 ? TERM_ASCII_NO : TERM_ASCII_AUTO;
}

static enum fd_code take_terminal(const struct config *config, struct term **term, struct fd_error *err)
{
    return term_start(&(struct term_config){.mouse = config_switch(config, CONFIG_MOUSE),
                                            .ascii = ascii_of(config_text(config, CONFIG_ASCII)),
                                            .escape_delay_ms = (int)config_number(config, CONFIG_ESCDELAY),
                                            .theme = config_text(config, CONFIG_THEME)},
                      term, err);
}

int console_run(const struct config *config, struct fd_error *err)
{
    struct console console = {0};
    struct term *term = NULL;
    if (take_terminal(config, &term, err) != FD_OK)
        return -1;
    console_init(&console, config);
    struct app_config app_config = console_app_config(&console);
    /* Views that open with the application look for it here already. */
    console.app = NULL;
    console.app = app_new(&app_config, console.jobs);
    int status = app_run(console.app, term);
    app_free(console.app);
    term_stop(&term);
    if (!console_release(&console)) {
        log_line(LOG_WARN, "the database or a channel does not answer: leaving without waiting for it");
        log_close();
        _exit(status);
    }
    return status;
}
