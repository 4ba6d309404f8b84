/* Views: opening, stacking, closing, companions. */
#include <stdlib.h>
#include <string.h>
#include "ui/app/app_internal.h"

void *view_state(const struct view *view) {
    return view->state;
}

const struct view_ops *view_ops(const struct view *view) {
    return view->ops;
}

struct app *view_app(const struct view *view) {
    return view->app;
}

enum pane view_pane(const struct view *view) {
    return view->pane;
}

struct view *view_leader(const struct view *view) {
    return view->leader;
}

struct view *view_below(const struct view *view) {
    return view->below;
}

bool view_is_focused(const struct view *view) {
    struct app *app = view->app;
    return dialogs_top(app) < 0 && app_top(app) == view;
}

bool view_in_field(const struct view *view) {
    return view->ops->in_field && view->ops->in_field(view);
}

void view_moved(struct view *view) {
    view->moved = true;
}

void view_loaded(struct view *view) {
    view->loaded_ms = mono_ms();
    view->app->dirty = DIRTY_ALL;
}

int view_age_s(const struct view *view) {
    return view->loaded_ms ? (int)((mono_ms() - view->loaded_ms) / 1000) : -1;
}

void stack_enter(struct app *app) {
    app->depth++;
}

void stack_leave(struct app *app) {
    if (--app->depth == 0)
        stack_free_closed(app);
}

/* --- life of one view --- */

static struct view *make(struct app *app, const struct view_ops *ops, enum pane pane) {
    struct view *view = xcalloc(1, sizeof *view);
    view->ops = ops;
    view->app = app;
    view->pane = pane;
    view->screen = -1;
    view->state = xcalloc(1, ops->private_bytes ? ops->private_bytes : 1);
    return view;
}

void stack_load(struct view *view) {
    view->asked_ms = mono_ms();
    if (view->ops->load)
        view->ops->load(view);
}

static void begin(struct view *view, const void *arg) {
    stack_enter(view->app);
    if (view->ops->open)
        view->ops->open(view, arg);
    stack_load(view);
    if (view->ops->show && !view->closed)
        view->ops->show(view);
    view->moved = true;
    view->app->dirty = DIRTY_ALL;
    stack_leave(view->app);
}

/* Out of reach at once, out of memory when no handler of it can be running. */
static void retire(struct view *view) {
    struct app *app = view->app;
    if (view->closed)
        return;
    view->closed = true;
    for (int i = 0; i < 2; i++)
        if (view->companion[i])
            retire(view->companion[i]);
    jobs_forget(app->jobs, view);
    dialogs_drop(app, view);
    if (app->prompt_view == view)
        app->prompt_view = NULL;
    if (app->focus == view)
        app->focus = NULL;
    view->next_closed = app->closed;
    app->closed = view;
    app->dirty = DIRTY_ALL;
}

void stack_free_closed(struct app *app) {
    while (app->closed) {
        struct view *view = app->closed;
        app->closed = view->next_closed;
        if (view->ops->close)
            view->ops->close(view);
        free(view->state);
        free(view);
    }
}

/* --- stacks --- */

bool stack_is_root(const struct view *view) {
    return view->below == NULL;
}

struct view *stack_main(struct app *app) {
    return app->cover ? app->cover : app->top[app->here];
}

struct view *app_top(struct app *app) {
    struct view *main_view = stack_main(app);
    return app->focus && app->focus->leader == main_view ? app->focus : main_view;
}

void stack_open_screen(struct app *app, int index) {
    if (app->top[index] || !app->config.screens[index])
        return;
    struct view *view = make(app, app->config.screens[index], PANE_MAIN);
    view->screen = index;
    app->top[index] = view;
    begin(view, NULL);
}

struct view *view_push(struct view *view, const struct view_ops *ops, const void *arg) {
    struct app *app = view->app;
    struct view *leader = view->leader ? view->leader : view;
    struct view *pushed = make(app, ops, PANE_MAIN);
    int screen = leader->screen >= 0 ? leader->screen : app->here;
    pushed->screen = screen;
    pushed->below = app->top[screen];
    app->top[screen] = pushed;
    app->focus = NULL;
    begin(pushed, arg);
    return pushed;
}

static void reappear(struct view *view) {
    view->moved = true;
    if (view->ops->show)
        view->ops->show(view);
}

static bool is_in_stack(struct app *app, const struct view *view) {
    for (struct view *at = app->top[view->screen]; at; at = at->below)
        if (at == view)
            return true;
    return false;
}

void view_close(struct view *view, int result) {
    struct app *app = view->app;
    if (view->leader)
        view = view->leader;
    if (view == app->cover) {
        app_uncover(app);
        return;
    }
    if (view->closed || view->screen < 0 || stack_is_root(view) || !is_in_stack(app, view))
        return;
    stack_enter(app);
    while (app->top[view->screen] != view) {
        struct view *over = app->top[view->screen];
        app->top[view->screen] = over->below;
        retire(over);
    }
    struct view *below = view->below;
    app->top[view->screen] = below;
    retire(view); /* its state lives until this event is over */
    if (below->ops->child)
        below->ops->child(below, view, result);
    if (!below->closed && app->top[below->screen] == below)
        reappear(below);
    stack_leave(app);
}

bool app_go(struct app *app, int index) {
    if (index < 0 || index >= APP_SCREENS || !app->config.screens[index] || app->cover)
        return false;
    stack_enter(app);
    if (index != app->here) {
        app->before = app->here;
        app->here = index;
        app->focus = NULL;
        if (app->top[index])
            reappear(app->top[index]);
    }
    stack_open_screen(app, index);
    app->dirty = DIRTY_ALL;
    stack_leave(app);
    return true;
}

static int screen_named(const struct app *app, const char *name) {
    for (int i = 0; i < APP_SCREENS; i++)
        if (app->config.screens[i] && strcmp(app->config.screens[i]->name, name) == 0)
            return i;
    return -1;
}

bool app_go_name(struct app *app, const char *name) {
    return app_go(app, screen_named(app, name));
}

struct view *app_screen(struct app *app, const char *name) {
    int index = screen_named(app, name);
    if (index < 0)
        return NULL;
    stack_open_screen(app, index);
    struct view *view = app->top[index];
    while (view->below)
        view = view->below;
    return view;
}

/* --- covers --- */

struct view *app_cover(struct app *app, const struct view_ops *ops, const void *arg) {
    stack_enter(app);
    if (app->cover)
        retire(app->cover);
    app->focus = NULL;
    app->cover = make(app, ops, PANE_MAIN);
    begin(app->cover, arg);
    struct view *cover = app->cover;
    stack_leave(app);
    return cover;
}

void app_uncover(struct app *app) {
    if (!app->cover)
        return;
    stack_enter(app);
    retire(app->cover);
    app->cover = NULL;
    app->last_key_ms = mono_ms();
    if (app->top[app->here])
        reappear(app->top[app->here]);
    stack_open_screen(app, app->here);
    stack_leave(app);
}

bool app_is_covered(const struct app *app) {
    return app->cover != NULL;
}

void stack_close_all(struct app *app) {
    for (int i = 0; i < APP_SCREENS; i++)
        while (app->top[i]) {
            struct view *view = app->top[i];
            app->top[i] = view->below;
            retire(view);
        }
    if (app->cover)
        retire(app->cover);
    app->cover = NULL;
}

void app_restart(struct app *app) {
    stack_enter(app);
    stack_close_all(app);
    dialogs_drop(app, NULL);
    line_close(app, true);
    app_message_clear(app);
    app->here = app->before = 0;
    app->paused = false;
    if (app->config.sign_in)
        app_cover(app, app->config.sign_in, NULL);
    else
        stack_open_screen(app, 0);
    stack_leave(app);
}

/* --- companions --- */

static void want_companion(struct view *view, enum pane pane, bool room) {
    int slot = pane == PANE_SIDE ? 0 : 1;
    const struct view_ops *ops = room && view->ops->companion ? view->ops->companion(view, pane) : NULL;
    struct view *have = view->companion[slot];
    if (have && have->ops == ops)
        return;
    if (have)
        retire(have);
    view->companion[slot] = NULL;
    if (!ops)
        return;
    struct view *made = view->companion[slot] = make(view->app, ops, pane);
    made->leader = view;
    made->screen = view->screen;
    begin(made, NULL);
    view->moved = true;
}

void stack_layout(struct app *app, int rows, int columns) {
    struct view *view = stack_main(app);
    stack_enter(app);
    want_companion(view, PANE_SIDE, columns >= SIDE_COLUMNS && view != app->cover);
    want_companion(view, PANE_STRIP, columns >= STRIP_COLUMNS && rows >= STRIP_ROWS && view != app->cover);
    stack_leave(app);
    stack_follow(app);
}

void stack_follow(struct app *app) {
    struct view *view = stack_main(app);
    if (!view->moved)
        return;
    view->moved = false;
    stack_enter(app);
    for (int i = 0; i < 2; i++)
        if (view->companion[i] && view->companion[i]->ops->follow)
            view->companion[i]->ops->follow(view->companion[i], view);
    stack_leave(app);
}
