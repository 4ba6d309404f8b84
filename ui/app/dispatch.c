/* Keys: dialog, `:` line, focused field, the view's table, the global table. Requests: the view,
 * then what the framework answers itself. */
#include <string.h>
#include "base/text.h"
#include "ui/app/app_internal.h"

typedef void answer_fn(struct app *app, struct view *view, const struct input *input);

/* --- the framework's own answers --- */

static void answer_help(struct app *app, struct view *view, const struct input *input) {
    (void)input;
    if (!app->cover && view->ops != &help_view_ops)
        view_push(view, &help_view_ops, view);
}

static void answer_command(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    if (!app->cover)
        line_open(app, "");
}

static bool may_close(struct view *view) {
    return !view->ops->may_close || view->ops->may_close(view);
}

static void answer_back(struct app *app, struct view *view, const struct input *input) {
    struct view *main_view = stack_main(app);
    (void)input;
    if (view != main_view) {
        app->focus = NULL;
        app->dirty = DIRTY_ALL;
    } else if (!app->cover && !stack_is_root(view) && may_close(view)) {
        view_close(view, 0);
    }
}

static void answer_quit(struct app *app, struct view *view, const struct input *input) {
    struct view *main_view = stack_main(app);
    bool at_root = app->cover || stack_is_root(main_view);
    /* First it goes back as Esc does: out of a pane at the side, out of what is chosen. */
    if (!app->cover && (view != main_view || (view->ops->request && view->ops->request(view, REQ_BACK, input)))) {
        if (view != main_view)
            answer_back(app, view, input);
        app->dirty = DIRTY_ALL;
    } else if (at_root) {
        quit_ask(app, main_view);
    } else {
        answer_back(app, view, input);
    }
}

static void answer_screen(struct app *app, struct view *view, const struct input *input) {
    int digit = (int)(input->key & K_BASE) - '1';
    (void)view;
    if (digit >= 0 && digit < APP_SCREENS && !app_go(app, digit) && !app->cover)
        app_beep(app);
}

static void answer_previous(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    app_go(app, app->before);
}

static void answer_refresh(struct app *app, struct view *view, const struct input *input) {
    (void)input;
    stack_load(view);
    if (view->leader == NULL)
        for (int i = 0; i < 2; i++)
            if (view->companion[i])
                stack_load(view->companion[i]);
    app->ping_at_ms = app->away_since_ms ? mono_ms() : 0;
}

static void answer_pause(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    app->paused = !app->paused;
    app_message(app, MESSAGE_INFO, "%s",
                app->paused ? _("Stopped reading again by itself.") : _("Reading again by itself."));
}

static void answer_mouse(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    if (!app->term)
        return;
    term_mouse(app->term, !term_mouse_is_on(app->term));
    app_message(app, MESSAGE_INFO, "%s", term_mouse_is_on(app->term) ? _("Mouse on.") : _("Mouse off: the terminal selects text now."));
}

static void answer_lock(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    app_lock(app);
}

static void answer_redraw(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    if (app->term)
        term_redraw(app->term);
    app->dirty = DIRTY_ALL;
}

static void answer_suspend(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    if (app->term)
        term_suspend(app->term);
}

static void answer_menu(struct app *app, struct view *view, const struct input *input) {
    (void)input;
    if (!app->cover)
        menu_open(app, view);
}

static void step_focus(struct app *app, int direction) {
    struct view *main_view = stack_main(app), *ring[3] = {main_view, NULL, NULL};
    int count = 1, at = 0;
    for (int i = 0; i < 2; i++)
        if (main_view->companion[i] && main_view->companion[i]->ops->takes_focus)
            ring[count++] = main_view->companion[i];
    for (int i = 0; i < count; i++)
        if (ring[i] == app_top(app))
            at = i;
    at = (at + count + direction) % count;
    app->focus = at == 0 ? NULL : ring[at];
    app->dirty = DIRTY_ALL;
}

static void answer_focus_next(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    step_focus(app, 1);
}

static void answer_focus_prev(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    step_focus(app, -1);
}

/* Ctrl-C stops work, else closes what is open; it never leaves the program. */
static void answer_stop(struct app *app, struct view *view, const struct input *input) {
    (void)view;
    (void)input;
    if (jobs_cancel(app->jobs))
        app_message(app, MESSAGE_INFO, "%s", _("Stopping ..."));
}

/* Where an answer would be none. */
static bool can_help(const struct view *view) {
    return !view->app->cover && view->ops != &help_view_ops;
}

static bool can_uncovered(const struct view *view) {
    return !view->app->cover;
}

static bool can_refresh(const struct view *view) {
    return view->ops->load != NULL;
}

static const struct frame_answer {
    enum request request;
    answer_fn *answer;
    bool (*can)(const struct view *view); /* NULL: everywhere */
} answers[] = {
    {REQ_HELP, answer_help, can_help},
    {REQ_COMMAND, answer_command, can_uncovered},
    {REQ_BACK, answer_back, NULL},
    {REQ_QUIT, answer_quit, NULL},
    {REQ_SCREEN, answer_screen, can_uncovered},
    {REQ_PREVIOUS, answer_previous, can_uncovered},
    {REQ_REFRESH, answer_refresh, can_refresh},
    {REQ_PAUSE, answer_pause, NULL},
    {REQ_MOUSE, answer_mouse, NULL},
    {REQ_LOCK, answer_lock, NULL},
    {REQ_REDRAW, answer_redraw, NULL},
    {REQ_SUSPEND, answer_suspend, NULL},
    {REQ_MENU, answer_menu, can_uncovered},
    {REQ_STOP, answer_stop, NULL},
    {REQ_FOCUS_NEXT, answer_focus_next, NULL},
    {REQ_FOCUS_PREV, answer_focus_prev, NULL},
};

static const struct frame_answer *answer_of(enum request request) {
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (answers[i].request == request)
            return &answers[i];
    return NULL;
}

/* Requests of motion say nothing where they mean nothing; others do. */
static bool is_motion(enum request request) {
    return request <= REQ_SEARCH_PREV;
}

bool app_request(struct app *app, struct view *view, enum request request, const struct input *input) {
    if (request == REQ_NONE)
        return false;
    if (view->ops->request && view->ops->request(view, request, input)) {
        bool selection = request <= REQ_END && view->ops->redraw && app->dirty != DIRTY_ALL;
        app->dirty = selection ? DIRTY_SELECTION : DIRTY_ALL;
        return true;
    }
    app->dirty = DIRTY_ALL;
    const struct frame_answer *own = answer_of(request);
    if (own) {
        own->answer(app, view, input);
        return true;
    }
    if (!is_motion(request) && !app->cover)
        app_message(app, MESSAGE_INFO, "%s", _("Nothing for this key here. F1 shows the keys."));
    return false;
}

/* What the view has a key for is its own to say; the rest the frame answers, or nobody: the global table has keys that
 * mean something on some screens only. */
bool app_can(void *context, enum request request) {
    const struct view *view = context;
    if (keymap_for(view->ops->keys, request))
        return !view->ops->can || view->ops->can(view, request);
    const struct frame_answer *own = answer_of(request);
    return own && (!own->can || own->can(view));
}

void app_lock(struct app *app) {
    if (app->cover || !app->config.lock)
        return;
    line_close(app, true);
    app_message_clear(app);
    app_cover(app, app->config.lock, NULL); /* open dialogs wait below it */
}

/* --- dialogs --- */

void view_dialog_own(struct view *view, struct dialog *dialog, dialog_done_fn *done, void *context,
                     void (*dispose)(void *context)) {
    struct app *app = view->app;
    if (view->closed || app->dialog_count == DIALOGS_MAX) {
        dialog_free(dialog);
        if (dispose)
            dispose(context);
        return;
    }
    app->dialogs[app->dialog_count++] = (struct dialog_slot){dialog, view, done, context, dispose};
    app->dirty = DIRTY_ALL;
}

void view_dialog(struct view *view, struct dialog *dialog, dialog_done_fn *done, void *context) {
    view_dialog_own(view, dialog, done, context, NULL);
}

static void slot_release(struct dialog_slot *slot) {
    dialog_free(slot->dialog);
    if (slot->dispose)
        slot->dispose(slot->context);
}

void dialogs_drop(struct app *app, const struct view *view) {
    int kept = 0;
    for (int i = 0; i < app->dialog_count; i++) {
        if (view && app->dialogs[i].view != view)
            app->dialogs[kept++] = app->dialogs[i];
        else
            slot_release(&app->dialogs[i]);
    }
    app->dialog_count = kept;
}

int dialogs_top(const struct app *app) {
    for (int i = app->dialog_count - 1; i >= 0; i--)
        if (!app->cover || app->dialogs[i].view == app->cover)
            return i;
    return -1;
}

static void dialog_key(struct app *app, const struct input *input) {
    struct input escape = input_key(K_ESC);
    int index = dialogs_top(app);
    struct dialog_slot slot = app->dialogs[index];
    bool stop = input->kind == INPUT_KEY && input->key == (K_CTRL | 'c');
    int answer = dialog_input(slot.dialog, stop ? &escape : input);
    app->dirty = DIRTY_ALL;
    if (answer == DIALOG_OPEN)
        return;
    app->dialog_count--;
    memmove(app->dialogs + index, app->dialogs + index + 1, (size_t)(app->dialog_count - index) * sizeof slot);
    if (slot.done)
        slot.done(slot.view, slot.dialog, answer, slot.context);
    slot_release(&slot);
}

/* --- keys --- */

/* What means the same over forms, dialogs and covers. */
static bool always_key(struct app *app, const struct input *input) {
    struct view *view = app_top(app);
    switch (input->key) {
    case K_CTRL | 'l':
        answer_redraw(app, view, input);
        return true;
    case K_CTRL | 'z':
        answer_suspend(app, view, input);
        return true;
    case K_F(12):
        app_lock(app);
        return true;
    case K_CTRL | 'c':
        if (!jobs_cancel(app->jobs))
            return false;
        app_message(app, MESSAGE_INFO, "%s", _("Stopping ..."));
        return true;
    default:
        return false;
    }
}

/* Esc stops a read that one can see running, once; the next Esc goes back. */
static bool escape_stops(struct app *app, const struct input *input) {
    struct jobs_state state;
    if (input->key != K_ESC || dialogs_top(app) >= 0 || line_is_open(app))
        return false;
    jobs_state(app->jobs, &state);
    if (!state.name || state.kind != JOB_READ || state.age_ms < SPINNER_MS || state.stopping)
        return false;
    if (!jobs_cancel(app->jobs))
        return false;
    app_message(app, MESSAGE_INFO, "%s", _("Stopping ..."));
    return true;
}

static void view_key(struct app *app, const struct input *input) {
    struct view *view = app_top(app);
    bool in_field = view_in_field(view);
    const struct keybind *bind;
    if (input->kind == INPUT_PASTE && !in_field)
        return; /* pasted text is never commands */
    if (view->ops->input && view->ops->input(view, input)) {
        app->dirty = DIRTY_ALL;
        return;
    }
    if (input->kind != INPUT_KEY || (in_field && key_is_text(input->key)))
        return;
    bind = keymap_find(view->ops->keys, input->key);
    if (!bind)
        bind = keymap_find(keymap_global(), input->key);
    if (bind)
        app_request(app, view, bind->request, input);
}

static void key(struct app *app, const struct input *input) {
    int64_t now = mono_ms();
    app->last_key_ms = now;
    if (app->message.kind == MESSAGE_ERROR && app->message.drawn && now - app->message.since_ms >= MESSAGE_SEEN_MS)
        app_message_clear(app);
    if (input->kind == INPUT_KEY && (always_key(app, input) || escape_stops(app, input)))
        return;
    if (dialogs_top(app) >= 0)
        dialog_key(app, input);
    else if (line_is_open(app))
        line_input(app, input);
    else
        view_key(app, input);
}

/* --- mouse --- */

static bool pane_mouse(struct app *app, struct view *view, const struct input *input) {
    if (!view || !cells_hit(&view->area, input->row, input->column, NULL, NULL))
        return false;
    bool is_main = view == stack_main(app);
    if (is_main || view->ops->takes_focus)
        app->focus = is_main ? NULL : view;
    if (view->ops->input)
        view->ops->input(view, input);
    return true;
}

static void click_frame(struct app *app, const struct input *input) {
    struct view *view = stack_main(app);
    struct cells row = {NULL, 0, 0, 1, view->area.canvas ? view->area.canvas->columns : 80};
    const char *labels[APP_SCREENS];
    int last = view->area.canvas ? view->area.canvas->rows - 1 : 23, n;
    if (input->mouse != MOUSE_CLICK && input->mouse != MOUSE_DOUBLE)
        return;
    if (input->row == 1 && !app->cover) {
        frame_labels(app, labels);
        n = bar_tab_at(&row, labels, APP_SCREENS, input->column);
        if (n >= 0)
            app_go(app, n);
    } else if (input->row == last && (n = bar_key_at(&row, app->keys_shown, input->column)) > 0) {
        struct input pressed = input_key(K_F(n));
        key(app, &pressed);
    } else if (input->row == last - 1 && !app->cover) {
        line_open(app, "");
    }
}

static void mouse(struct app *app, const struct input *input) {
    struct view *view = stack_main(app);
    app->last_key_ms = mono_ms();
    app->dirty = DIRTY_ALL;
    if (dialogs_top(app) >= 0) {
        dialog_key(app, input);
        return;
    }
    if (line_is_open(app))
        return;
    if (pane_mouse(app, view, input))
        return;
    for (int i = 0; i < 2; i++)
        if (pane_mouse(app, view->companion[i], input))
            return;
    click_frame(app, input);
}

/* --- events --- */

static void resize(struct app *app, const struct input *input) {
    (void)input;
    app->dirty = DIRTY_ALL;
}

static void wake(struct app *app, const struct input *input) {
    (void)input;
    jobs_deliver(app->jobs);
    app->dirty = DIRTY_ALL;
}

static void leave_now(struct app *app, const struct input *input) {
    (void)input;
    app_quit(app, 0);
}

static void time_passed(struct app *app, const struct input *input) {
    (void)input;
    app_tick(app);
}

/* In a window that is too small nobody sees what a key would do. */
static bool is_blind(const struct app *app, const struct input *input) {
    int rows, columns;
    if (!app->term || (input->kind != INPUT_KEY && input->kind != INPUT_PASTE && input->kind != INPUT_MOUSE))
        return false;
    term_size(app->term, &rows, &columns);
    return !frame_fits(rows, columns) && input->key != (K_CTRL | 'z') && input->key != (K_CTRL | 'l');
}

void app_input(struct app *app, const struct input *input) {
    static void (*const handlers[])(struct app *, const struct input *) = {
        [INPUT_KEY] = key,      [INPUT_PASTE] = key, [INPUT_MOUSE] = mouse,    [INPUT_RESIZE] = resize,
        [INPUT_TICK] = time_passed, [INPUT_WAKE] = wake, [INPUT_EXIT] = leave_now};
    if (is_blind(app, input))
        return;
    stack_enter(app);
    handlers[input->kind](app, input);
    app_tick(app);
    stack_leave(app);
}
