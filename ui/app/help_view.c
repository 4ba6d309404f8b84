/* F1: the keys of the view below, from its live table. */
#include <string.h>
#include "ui/app/app_internal.h"

struct help_state {
    struct help help;
    const struct view_ops *of;
    char language[8]; /* it is made anew when the language changes */
};

static void fill(struct view *view) {
    struct help_state *state = view_state(view);
    struct app *app = view_app(view);
    struct buf verbs = {0};
    line_help(&verbs);
    if (app->config.command_help)
        app->config.command_help(app->config.context, &verbs);
    help_fill(&state->help, state->of->keys, keymap_global(), buf_text(&verbs));
    buf_release(&verbs);
    strncpy(state->language, i18n_language(), sizeof state->language - 1);
}

static void help_open(struct view *view, const void *arg) {
    struct help_state *state = view_state(view);
    help_init(&state->help);
    state->of = ((const struct view *)arg)->ops;
    fill(view);
}

static void help_close(struct view *view) {
    help_release(&((struct help_state *)view_state(view))->help);
}

static void help_title(struct view *view, struct buf *text) {
    struct help_state *state = view_state(view);
    buf_add(text, _("Help"));
    if (state->of->label)
        buf_printf(text, "  %s", i18n_label(state->of->label));
}

static void draw(struct view *view, struct cells *cells) {
    struct help_state *state = view_state(view);
    if (strcmp(state->language, i18n_language()) != 0)
        fill(view);
    help_draw(&state->help, cells);
}

static void typed(struct view *view, const char *text, bool cancelled) {
    struct help_state *state = view_state(view);
    if (!cancelled)
        help_search(&state->help, text, 1, true);
}

static enum fd_code search(struct view *view, const char *text, struct fd_error *err) {
    struct help_state *state = view_state(view);
    if (*text && !help_search(&state->help, text, 1, true))
        return fd_fail(err, FD_NOT_FOUND, "%s", _("Not in the help."));
    return FD_OK;
}

static bool help_answer(struct view *view, enum request request, const struct input *input) {
    struct help_state *state = view_state(view);
    (void)input;
    if (request == REQ_FIND) {
        view_prompt(view, "/", "", search, typed);
        return true;
    }
    if (request == REQ_OPEN) {
        view_close(view, 0);
        return true;
    }
    return help_request(&state->help, request);
}

static bool mouse(struct view *view, const struct input *input) {
    struct help_state *state = view_state(view);
    if (input->kind != INPUT_MOUSE || (input->mouse != MOUSE_WHEEL_UP && input->mouse != MOUSE_WHEEL_DOWN))
        return false;
    for (int i = 0; i < 3; i++)
        help_request(&state->help, input->mouse == MOUSE_WHEEL_UP ? REQ_UP : REQ_DOWN);
    return true;
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search in the help")},
};
static const struct keymap keys = KEYMAP(N_("Help"), binds);

const struct view_ops help_view_ops = {
    .name = "help",
    .label = NC_("tab", "Help"),
    .private_bytes = sizeof(struct help_state),
    .keys = &keys,
    .open = help_open,
    .close = help_close,
    .title = help_title,
    .draw = draw,
    .input = mouse,
    .request = help_answer,
};
