/* The picture: title, tabs, panes, message, `:` line, key bar. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "ui/app/app_internal.h"

#define STRIP_HEIGHT 11

bool frame_fits(int rows, int columns) {
    return rows >= TERM_LEAST_ROWS && columns >= TERM_LEAST_COLUMNS;
}

void frame_split(struct canvas *canvas, struct frame *frame) {
    struct cells all = canvas_cells(canvas);
    int rows = all.rows, columns = all.columns;
    frame->title = cells_sub(&all, 0, 0, 1, columns);
    frame->tabs = cells_sub(&all, 1, 0, 1, columns);
    frame->body = cells_sub(&all, 2, 0, rows - 5, columns);
    frame->message = cells_sub(&all, rows - 3, 0, 1, columns);
    frame->line = cells_sub(&all, rows - 3, 0, 2, columns); /* its upper row for offers and errors */
    frame->keys = cells_sub(&all, rows - 1, 0, 1, columns);
}

void frame_labels(struct app *app, const char *labels[APP_SCREENS]) {
    for (int i = 0; i < APP_SCREENS; i++) {
        const struct view_ops *ops = app->config.screens[i];
        labels[i] = ops && ops->label ? i18n_label(ops->label) : NULL;
    }
}

/* --- title --- */

static void describe_database(const struct app *app, char *text, size_t bytes) {
    if (app->away_since_ms)
        snprintf(text, bytes, "%s", _("db away"));
    else if (app->latency_us < 0)
        text[0] = '\0';
    else if (app->latency_us < 1000)
        snprintf(text, bytes, "%s", _("db <1ms"));
    else
        snprintf(text, bytes, _("db %lldms"), (long long)(app->latency_us / 1000));
}

static void draw_title(struct app *app, struct cells *cells) {
    struct view *view = stack_main(app);
    struct buf left = {0};
    char database[48], right[256], clock[HHMM_TEXT] = "";
    wall_t now = app_now(app);
    if (view->ops->title)
        view->ops->title(view, &left);
    else if (view->ops->label)
        buf_add(&left, i18n_label(view->ops->label));
    describe_database(app, database, sizeof database);
    if (now != WALL_NONE)
        minute_text(wall_minute(now), clock);
    snprintf(right, sizeof right, "%s%s%s%s%s", app->operator_label, *app->operator_label && *database ? "  " : "", database,
             *clock && (*database || *app->operator_label) ? "  " : "", clock);
    bar_title(cells, buf_text(&left), right);
    buf_release(&left);
}

/* --- panes --- */

static void draw_view(struct view *view, struct cells *cells) {
    view->area = *cells;
    if (cells->rows > 0 && cells->columns > 0)
        view->ops->draw(view, cells);
}

static void draw_body(struct app *app, struct cells *body) {
    struct view *view = stack_main(app), *side = view->companion[0], *strip = view->companion[1];
    struct cells rest = *body, part;
    if (strip) {
        int top = rest.rows - STRIP_HEIGHT;
        cells_hline(&rest, top, 0, rest.columns, STYLE_RULE);
        part = cells_sub(&rest, top + 1, 0, STRIP_HEIGHT - 1, rest.columns);
        draw_view(strip, &part);
        rest = cells_sub(&rest, 0, 0, top, rest.columns);
    }
    if (side) {
        int width = rest.columns * 2 / 5 > 60 ? 60 : rest.columns * 2 / 5, at = rest.columns - width;
        cells_vline(&rest, 0, at - 1, rest.rows, STYLE_RULE);
        part = cells_sub(&rest, 0, at, rest.rows, width);
        draw_view(side, &part);
        rest = cells_sub(&rest, 0, 0, rest.rows, at - 1);
    }
    /* the focused pane is drawn last: its cursor is the one that counts */
    draw_view(view, &rest);
    if (app_top(app) != view) {
        part = app_top(app)->area;
        cells_fill(&part, 0, 0, part.rows, part.columns, STYLE_TEXT);
        draw_view(app_top(app), &part);
    }
}

/* --- the rows below --- */

static void draw_message(struct app *app, struct cells *cells) {
    struct view *view = app_top(app);
    const char *hint = view->ops->hint ? view->ops->hint(view) : NULL;
    if (app->message.text[0]) {
        bar_message(cells, app->message.kind, app->message.text, app->message.hint);
        app->message.drawn = true;
    } else if (hint && *hint) {
        cells_put(cells, 0, 1, cells->columns - 1, -1, STYLE_DIM, hint);
    }
}

/* How old the data is, where that is more than a clerk would expect. */
static void describe_age(struct app *app, char *text, size_t bytes) {
    const struct view *view = stack_main(app);
    int age_s = view_age_s(view);
    bool old = view->ops->refresh_ms > 0 && age_s * 1000 > 2 * view->ops->refresh_ms;
    char age[64] = "";
    if (old)
        snprintf(age, sizeof age, _("%d s old"), age_s);
    snprintf(text, bytes, "%s%s%s", app->paused ? _("paused") : "", app->paused && old ? "  " : "", age);
}

/* The row of `:` while nobody types there: what runs, what is old. */
static void draw_rest_line(struct app *app, struct cells *cells, bool banner) {
    struct jobs_state state;
    char age[128];
    int used = 0;
    if (banner)
        draw_message(app, cells);
    else if (!app->cover)
        cells_text(cells, 0, 0, STYLE_DIM, ":");
    jobs_state(app->jobs, &state);
    if (state.name) {
        const char *what = state.kind == JOB_WRITE ? _("Checking ...") : _(state.name);
        used = bar_work(cells, what, state.age_ms, state.done, state.total);
    }
    if (used == 0 && state.channel_name)
        used = bar_work(cells, _("Asking the payment channel ..."), state.channel_age_ms, 0, 0);
    describe_age(app, age, sizeof age);
    int wide = text_width(age);
    if (used == 0 && wide > 0)
        cells_text(cells, 0, cells->columns - wide - 1, STYLE_WARN, age);
}

/* The database is away, or silent for long: told above everything else. */
static bool draw_banner(struct app *app, struct cells *cells) {
    struct jobs_state state;
    if (app->away_since_ms) {
        bar_banner(cells, _("The database cannot be reached."), app->attempt + 1, mono_ms() - app->away_since_ms);
        return true;
    }
    jobs_state(app->jobs, &state);
    if (!state.name || state.age_ms < SILENT_MS || state.total > 0)
        return false;
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_BANNER);
    cells_printf(cells, 0, 1, STYLE_BANNER,
                 state.kind == JOB_READ ? _("The database has not answered for %d s. Esc stops reading.")
                                        : _("The database has not answered for %d s. Nothing is done twice."),
                 (int)(state.age_ms / 1000));
    return true;
}

static bool same_keys(const struct bar_key *a, const struct bar_key *b) {
    for (int i = 0; i < 10; i++)
        if (a[i].label != b[i].label || a[i].request != b[i].request || a[i].off != b[i].off)
            return false;
    return true;
}

/* What can be done depends on what is selected. */
static void draw_keys(struct app *app, struct cells *cells, bool only_changed) {
    struct bar_key keys[10];
    struct view *view = app_top(app);
    bar_keys_collect(keys, view->ops->keys, app->cover ? NULL : keymap_global(), app_can, view);
    if (only_changed && same_keys(keys, app->keys_shown))
        return;
    memcpy(app->keys_shown, keys, sizeof keys);
    bar_keys(cells, keys);
}

static void draw_frame(struct app *app, struct frame *frame) {
    const char *labels[APP_SCREENS];
    draw_title(app, &frame->title);
    frame_labels(app, labels);
    if (!app->cover)
        bar_tabs(&frame->tabs, labels, APP_SCREENS, app->here);
    bool banner = draw_banner(app, &frame->message);
    struct cells line = cells_sub(&frame->line, 1, 0, 1, frame->line.columns);
    if (!banner)
        draw_message(app, &frame->message);
    if (line_is_open(app))
        line_draw(app, &frame->line);
    else
        draw_rest_line(app, &line, banner);
    draw_keys(app, &frame->keys, false);
}

/* --- the whole --- */

static void draw_flood(struct app *app, struct canvas *canvas) {
    const struct view *view = stack_main(app);
    struct cells all = canvas_cells(canvas);
    style_t style;
    if (view->ops->flood && view->ops->flood(view, &style))
        cells_restyle(&all, 0, 0, all.rows, all.columns, style);
}

static void draw_too_small(struct canvas *canvas) {
    struct cells all = canvas_cells(canvas);
    char text[256];
    snprintf(text, sizeof text, _("This window is too small: %dx%d. frontdesk needs %dx%d. Make it larger to go on."),
             canvas->columns, canvas->rows, TERM_LEAST_COLUMNS, TERM_LEAST_ROWS);
    cells_wrap(&all, 0, 0, all.columns, STYLE_WARN, text);
    cells_cursor(&all, 0, 0);
}

void app_draw(struct app *app, struct canvas *canvas) {
    struct frame frame;
    if (!frame_fits(canvas->rows, canvas->columns)) {
        draw_too_small(canvas);
        return;
    }
    stack_layout(app, canvas->rows, canvas->columns);
    frame_split(canvas, &frame);
    stack_enter(app);
    cells_cursor(&frame.body, 0, 0);
    draw_body(app, &frame.body);
    draw_frame(app, &frame);
    draw_flood(app, canvas);
    for (int i = 0; i < app->dialog_count; i++)
        if (!app->cover || app->dialogs[i].view == app->cover)
            dialog_draw(app->dialogs[i].dialog, &frame.body);
    if (line_is_open(app) && dialogs_top(app) < 0)
        line_draw(app, &frame.line); /* its cursor */
    stack_leave(app);
}

bool frame_redraw(struct app *app, struct canvas *canvas) {
    struct view *view = stack_main(app);
    struct frame frame;
    struct cells area = view->area;
    if (app_top(app) != view || !view->ops->redraw || view->companion[0] || view->companion[1] || view->closed ||
        app->message.text[0] || app->away_since_ms || line_is_open(app) || dialogs_top(app) >= 0 ||
        area.canvas != canvas || !frame_fits(canvas->rows, canvas->columns))
        return false;
    stack_enter(app);
    bool done = view->ops->redraw(view, &area);
    frame_split(canvas, &frame);
    if (done)
        draw_keys(app, &frame.keys, true);
    if (done && view->ops->hint) {
        cells_fill(&frame.message, 0, 0, 1, frame.message.columns, STYLE_TEXT);
        draw_message(app, &frame.message);
    }
    view->moved = false; /* nobody follows: there are no companions */
    stack_leave(app);
    return done;
}
