#include "ui/view/ask.h"
#include "ui/view/approval_step.h"

struct ask_state {
    const struct ask_spec *spec;
    struct form *form;
    struct form_button buttons[2];
    struct work *arg;
    struct view *from;
};

/* What a try carries: the work itself is a copy of state->arg, so that closing the form while it
 * is being written harms nobody. */

static void ask_refused(struct view *view, const struct fd_error *err) {
    struct ask_state *state = view_state(view);
    int field = state->spec->blame ? state->spec->blame(state->arg, err) : 0;
    form_fail(state->form, field != 0 ? field : state->spec->fields[0].id, err);
    app_message(view_app(view), MESSAGE_ERROR, "%s", err->message);
}

static void ask_send(struct view *view);

static void ask_approved(struct view *view, void *work, int64_t approval_id) {
    struct ask_state *state = view_state(view);
    (void)work;
    state->spec->approved(state->arg, approval_id);
    ask_send(view);
}

static bool ask_failed(struct view *view, void *arg, const struct fd_error *err) {
    struct ask_state *state = view_state(view);
    (void)arg;
    if (err->code == FD_APPROVAL && state->spec->wish) {
        struct approval_wish wish = {0};
        state->spec->wish(state->arg, &wish);
        approval_open(view, &(struct approval_args){.wish = &wish, .why = err->message, .approved = ask_approved});
        return true;
    }
    if (err->code == FD_DB_DOWN || err->code == FD_CANCELLED)
        return false;
    ask_refused(view, err);
    return true;
}

/* The form goes away first, so that done() may push another view in its place. */
static void ask_finish(struct view *view, void *work) {
    struct ask_state *state = view_state(view);
    const struct ask_spec *spec = state->spec;
    struct view *from = state->from;
    form_clean(state->form);
    view_close(view, 1);
    if (spec->done)
        spec->done(from, work);
}

static void ask_done(struct view *view, void *work) {
    app_message_clear(view_app(view)); /* the refusal before */
    ask_finish(view, work);
}

static void ask_send(struct view *view) {
    struct ask_state *state = view_state(view);
    struct work *work = work_copy(state->arg);
    work->run = state->spec->run;
    work->done = ask_done;
    work->failed = ask_failed;
    work_post(view, state->spec->working, JOB_WRITE, work);
}

static void ask_save(struct view *view) {
    struct ask_state *state = view_state(view);
    if (view_busy(view) || !form_check(state->form))
        return;
    if (!state->spec->take(state->form, state->arg))
        return;
    if (!state->spec->run) {
        struct work *work = work_copy(state->arg);
        ask_finish(view, work);
        work_free(work);
        return;
    }
    ask_send(view);
}

static void ask_open_view(struct view *view, const void *arg) {
    struct ask_state *state = view_state(view);
    const struct ask_args *args = arg;
    state->spec = args->spec;
    state->arg = args->arg;
    if (*state->arg->key == '\0')
        key_new(state->arg->key);
    state->buttons[0] = (struct form_button){FORM_ID_SAVE, state->spec->save, K_F(2)};
    state->buttons[1] = (struct form_button){FORM_ID_CANCEL, N_("Leave"), K_ESC};
    state->form = form_new(state->spec->fields, state->spec->field_count, state->buttons, 2);
    form_today(state->form, app_today(view_app(view)));
    if (state->spec->fill)
        state->spec->fill(state->form, state->arg);
    if (state->spec->changed)
        state->spec->changed(state->form, 0, state->arg);
    form_clean(state->form);
}

static void ask_close(struct view *view) {
    struct ask_state *state = view_state(view);
    form_free(state->form);
    work_free(state->arg);
}

static void ask_title(struct view *view, struct buf *text) {
    buf_add(text, _(VIEW_STATE(struct ask_state, view)->spec->title));
}

static void ask_draw(struct view *view, struct cells *cells) {
    struct ask_state *state = view_state(view);
    int row = cells->rows > 12 ? 1 : 0;
    if (state->spec->intro)
        row += cells_wrap(cells, row, 2, cells->columns - 4, STYLE_DIM, _(state->spec->intro)) + 1;
    int column = cells->columns > 60 ? 2 : 0;
    struct cells inner = cells_sub(cells, row, column, cells->rows - row, cells->columns - 2 * column);
    form_draw(state->form, &inner, view_is_focused(view));
}

static bool ask_in_field(const struct view *view) {
    return form_in_field(VIEW_STATE(struct ask_state, view)->form);
}

static void leave_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)dialog;
    (void)context;
    if (answer == 0) {
        form_clean(VIEW_STATE(struct ask_state, view)->form);
        view_close(view, 0);
    }
}

static bool ask_may_close(struct view *view) {
    struct ask_state *state = view_state(view);
    if (!state->spec->run || !form_is_dirty(state->form))
        return true;
    view_dialog(view, dialog_confirm(_("Leave the form?"), _("What was typed is not saved."), _("&Leave"), DIALOG_PLAIN), leave_answered, NULL);
    return false;
}

static void ask_event(struct view *view, const struct form_event *event) {
    struct ask_state *state = view_state(view);
    if (event->kind == FORM_PRESSED && event->id == FORM_ID_SAVE) {
        ask_save(view);
    } else if (event->kind == FORM_PRESSED && event->id == FORM_ID_CANCEL) {
        if (ask_may_close(view))
            view_close(view, 0);
    } else if (event->kind == FORM_CHANGED && state->spec->changed) {
        state->spec->changed(state->form, event->id, state->arg);
    }
}

static bool ask_input(struct view *view, const struct input *input) {
    struct ask_state *state = view_state(view);
    struct form_event event;
    if (!form_input(state->form, input, &event))
        return false;
    if (event.kind == FORM_DIGIT) {
        state->spec->digit(state->form, event.id, state->arg);
        form_input(state->form, input, &event);
    }
    ask_event(view, &event);
    return true;
}

static bool ask_request(struct view *view, enum request request, const struct input *input) {
    struct ask_state *state = view_state(view);
    (void)input;
    if (request == REQ_SAVE) {
        ask_save(view);
    } else if (request == REQ_FIND) {
        act_find(view);
    } else if (request == REQ_CLEAR) {
        form_reset(state->form);
        if (state->spec->changed)
            state->spec->changed(state->form, 0, state->arg);
    } else {
        return false;
    }
    return true;
}

static bool ask_can(const struct view *view, enum request request) {
    return request != REQ_LIST || form_has_list(VIEW_STATE(struct ask_state, view)->form);
}

static const char *ask_hint(const struct view *view) {
    return form_hint(VIEW_STATE(struct ask_state, view)->form);
}

static const struct keybind binds[] = {
    {{K_F(2), K_CTRL | 's'}, REQ_SAVE, NC_("key", "Save"), N_("Save")},
    {{K_F(3)}, REQ_FIND, NC_("key", "Find"), N_("Find an order; this form stays as it is")},
    {{K_F(4)}, REQ_LIST, NC_("key", "List"), NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_CLEAR, NC_("key", "Clear"), NULL},
};
static const struct keymap keys = KEYMAP(N_("Form"), binds);

const struct view_ops view_ask = {
    .name = "form",
    .label = NC_("tab", "Form"),
    .private_bytes = sizeof(struct ask_state),
    .keys = &keys,
    .open = ask_open_view,
    .close = ask_close,
    .title = ask_title,
    .draw = ask_draw,
    .in_field = ask_in_field,
    .input = ask_input,
    .request = ask_request,
    .can = ask_can,
    .may_close = ask_may_close,
    .hint = ask_hint,
};

void ask_open(struct view *view, const struct ask_spec *spec, void *arg) {
    struct ask_args args = {spec, arg};
    struct view *form = view_push(view, &view_ask, &args);
    VIEW_STATE(struct ask_state, form)->from = view;
}
