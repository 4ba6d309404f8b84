#include "ui/view/wait.h"
#include "ui/view/typed.h"

/* One at a time: keys go to one view. */
static struct {
    struct view *view;
    bool begun; /* by wait_begin() */
    struct typed typed;
} waiting;

static void turn_to(struct view *view) {
    if (waiting.view == view)
        return;
    waiting.view = view;
    waiting.begun = false;
    typed_begin(&waiting.typed);
}

void wait_begin(struct view *view) {
    turn_to(view);
    waiting.begun = true;
    typed_begin(&waiting.typed);
}

static const enum request elsewhere[] = {
    REQ_SCREEN, REQ_PREVIOUS, REQ_COMMAND, REQ_HELP,  REQ_MENU,   REQ_BACK,    REQ_QUIT,       REQ_LOCK,
    REQ_STOP,   REQ_REFRESH,  REQ_REDRAW,  REQ_PAUSE, REQ_MOUSE, REQ_SUSPEND, REQ_FOCUS_NEXT, REQ_FOCUS_PREV,
};

static bool leads_elsewhere(const struct view *view, const struct input *input) {
    const struct keybind *bind = keymap_find(view_ops(view)->keys, input->key);
    if (!bind)
        bind = keymap_find(keymap_global(), input->key);
    for (size_t i = 0; bind && i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (bind->request == elsewhere[i])
            return true;
    return false;
}

bool wait_hold(struct view *view, bool loading, const struct input *input) {
    bool begun = waiting.view == view && waiting.begun;
    if (input->kind != INPUT_KEY || (!loading && !begun))
        return false;
    turn_to(view);
    /* Once something is kept the rest follows it: "x Enter" must not become "Enter x". */
    if (waiting.typed.count == 0 && !begun && leads_elsewhere(view, input))
        return false;
    if (waiting.typed.count == 0 && !begun)
        typed_begin(&waiting.typed);
    if (typed_hold(&waiting.typed, input))
        return true;
    wait_drop(view); /* Esc, or it takes too long */
    return false;
}

void wait_loaded(struct view *view) {
    if (!waiting.begun)
        wait_over(view);
}

void wait_over(struct view *view) {
    if (waiting.view != view)
        return;
    waiting.view = NULL;
    waiting.begun = false;
    typed_replay(&waiting.typed, view_app(view));
}

void wait_drop(struct view *view) {
    if (waiting.view != view)
        return;
    waiting.view = NULL;
    waiting.begun = false;
    typed_drop(&waiting.typed);
}
