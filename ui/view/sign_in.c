/* The first screen: opens the database (the UI never waits for it), makes the first administrator
 * where there is nobody yet, and signs in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/view/console_internal.h"

enum stage { OPENING, AWAY, FIRST, SIGNING };
enum { FIELD_NAME = 1, FIELD_LABEL, FIELD_SECRET, FIELD_AGAIN, BUTTON_GO };
enum { RETRY_MS = 3000 };

struct sign_in {
    enum stage stage;
    struct form *form;
    char key[KEY_BYTES];
    int64_t since_ms, retry_ms;
    struct fd_error error; /* AWAY: why */
    bool is_trying;        /* a name and password are on their way */
};

static const struct field sign_fields[] = {
    {FIELD_NAME, N_("Operator"), FIELD_TEXT, FIELD_REQUIRED, 24, 32, NULL},
    {FIELD_SECRET, N_("Password"), FIELD_PASSWORD, FIELD_REQUIRED, 24, 256, NULL},
};
static const struct field first_fields[] = {
    {FIELD_NAME, N_("Name to sign in"), FIELD_TEXT, FIELD_REQUIRED, 24, 32,
     N_("a-z, 0-9, . _ -; what is typed at sign-in")},
    {FIELD_LABEL, N_("Name shown"), FIELD_TEXT, 0, 24, 32, N_("What screens show; empty: the same")},
    {FIELD_SECRET, N_("Password"), FIELD_PASSWORD, FIELD_REQUIRED, 24, 256, NULL},
    {FIELD_AGAIN, N_("Password again"), FIELD_PASSWORD, FIELD_REQUIRED, 24, 256, NULL},
};
static const struct form_button sign_buttons[] = {{BUTTON_GO, N_("Sign in"), 0}};
static const struct form_button first_buttons[] = {{BUTTON_GO, N_("Make the first administrator"), 0}};

/* --- jobs ------------------------------------------------------------------------------------- */

struct entering {
    struct console *console;
    char key[KEY_BYTES];
    char name[NAME_BYTES], label[DISPLAY_BYTES], password[512];
    bool opens, makes_first; /* what this job does before signing in */
    struct desk *opened;
    bool none_yet;
    enum fd_code open_code;
    struct fd_error open_error;
    struct signed_in who;
};

static void entering_free(void *arg)
{
    struct entering *entering = arg;
    explicit_bzero(entering->password, sizeof entering->password);
    free(entering);
}

/* Configured: --operator with --password-file. "-" is no file here: standard input is the keyboard. */
static enum fd_code sign_in_configured(struct desk *desk, struct entering *entering, struct fd_error *err)
{
    const struct config *config = entering->console->config;
    const char *name = config_text(config, CONFIG_OPERATOR), *file = config_text(config, CONFIG_PASSWORD_FILE);
    char *password = NULL;
    if (!*name || !*file || strcmp(file, "-") == 0)
        return FD_NOT_FOUND;
    enum fd_code code = secret_read(file, &password, err);
    if (code == FD_OK)
        code = operator_sign_in(desk, name, password, err);
    if (password)
        explicit_bzero(password, strlen(password));
    free(password);
    return code == FD_OK ? signed_in_fill(desk, &entering->who, err) : code;
}

/* The codes of opening are answers here, not the job's: the framework's own retry is for a desk that was open. */
static enum fd_code open_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct entering *entering = arg;
    (void)err;
    if (!desk) {
        entering->open_code = desk_open(entering->console->config, &desk, &entering->open_error);
        if (entering->open_code != FD_OK)
            return FD_OK;
        console_take_desk(entering->console, desk);
    }
    entering->opened = desk;
    entering->open_code = operator_none_yet(desk, &entering->none_yet, &entering->open_error);
    if (entering->open_code == FD_OK && !entering->none_yet && entering->opens)
        entering->open_code = sign_in_configured(desk, entering, &entering->open_error);
    return FD_OK;
}

static enum fd_code enter_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct entering *entering = arg;
    enum fd_code code = FD_OK;
    if (entering->makes_first) {
        struct operator_new who = {entering->name, entering->label, ROLE_ADMIN, entering->password};
        code = operator_add(desk, entering->key, &who, err);
    }
    if (code == FD_OK)
        code = operator_sign_in(desk, entering->name, entering->password, err);
    return code == FD_OK ? signed_in_fill(desk, &entering->who, err) : code;
}

static struct entering *entering_new(struct view *view)
{
    struct entering *entering = xcalloc(1, sizeof *entering);
    entering->console = view_console(view);
    return entering;
}

/* --- stages ----------------------------------------------------------------------------------- */

static void ask_name(struct view *view)
{
    struct sign_in *state = view_state(view);
    const char *name = config_text(view_console(view)->config, CONFIG_OPERATOR);
    form_free(state->form);
    state->stage = SIGNING;
    state->form = form_new(sign_fields, 2, sign_buttons, 1);
    if (*name) {
        form_set(state->form, FIELD_NAME, name);
        form_focus(state->form, FIELD_SECRET);
    }
}

static void ask_first(struct view *view)
{
    struct sign_in *state = view_state(view);
    form_free(state->form);
    state->stage = FIRST;
    key_new(state->key);
    state->form = form_new(first_fields, 4, first_buttons, 1);
    form_set(state->form, FIELD_NAME, "admin");
}

static void enter(struct view *view, const struct signed_in *who)
{
    struct console *console = view_console(view);
    console_signed_in(console, who);
    app_uncover(console->app);
}

static void open_again(struct view *view);

static void open_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct sign_in *state = view_state(view);
    struct entering *entering = arg;
    (void)code;
    (void)err;
    if (!entering->opened || entering->open_code == FD_DB_DOWN) {
        state->stage = AWAY;
        state->error = entering->open_error;
        state->retry_ms = mono_ms() + RETRY_MS;
        app_dirty(view_app(view));
        return;
    }
    view_console(view)->is_open = true;
    if (entering->none_yet)
        ask_first(view);
    else if (entering->open_code == FD_OK)
        enter(view, &entering->who);
    else
        ask_name(view);
    if (entering->open_code != FD_OK && entering->open_code != FD_NOT_FOUND)
        app_error(view_app(view), &entering->open_error);
}

static void open_again(struct view *view)
{
    struct sign_in *state = view_state(view);
    struct entering *entering = entering_new(view);
    state->stage = OPENING;
    state->since_ms = mono_ms();
    /* Only once: after somebody has left the desk the next one signs in with a password of his own. */
    entering->opens = !view_console(view)->is_open;
    struct job job = {N_("Opening the database"), JOB_WRITE, open_run, open_done, entering, entering_free};
    view_post(view, &job);
}

static void enter_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct sign_in *state = view_state(view);
    struct entering *entering = arg;
    state->is_trying = false;
    if (code == FD_OK) {
        enter(view, &entering->who);
        return;
    }
    if (state->stage == SIGNING) {
        form_set(state->form, FIELD_SECRET, "");
        form_fail(state->form, FIELD_SECRET, err);
        app_beep(view_app(view));
    } else {
        form_fail(state->form, code == FD_BAD_INPUT ? FIELD_NAME : FIELD_SECRET, err);
    }
}

static void go(struct view *view)
{
    struct sign_in *state = view_state(view);
    if (state->is_trying || !form_check(state->form))
        return;
    bool first = state->stage == FIRST;
    const char *name = form_text(state->form, FIELD_NAME), *secret = form_text(state->form, FIELD_SECRET);
    if (first && strcmp(secret, form_text(state->form, FIELD_AGAIN)) != 0) {
        form_error(state->form, FIELD_AGAIN, _("The two passwords differ."));
        form_focus(state->form, FIELD_AGAIN);
        return;
    }
    struct entering *entering = entering_new(view);
    entering->makes_first = first;
    cut_copy(entering->key, sizeof entering->key, state->key);
    cut_copy(entering->name, sizeof entering->name, name);
    cut_copy(entering->password, sizeof entering->password, secret);
    const char *label = first && !form_is_empty(state->form, FIELD_LABEL) ? form_text(state->form, FIELD_LABEL) : name;
    cut_copy(entering->label, sizeof entering->label, label);
    state->is_trying = true;
    struct job job = {N_("Signing in"), JOB_WRITE, enter_run, enter_done, entering, entering_free};
    view_post(view, &job);
}

/* --- the view --------------------------------------------------------------------------------- */

static void sign_in_open(struct view *view, const void *arg)
{
    (void)arg;
    if (view_console(view)->is_open)
        ask_name(view);
    else
        open_again(view);
}

static void sign_in_close(struct view *view)
{
    form_free(VIEW_STATE(struct sign_in, view)->form);
}

static void sign_in_tick(struct view *view)
{
    const struct sign_in *state = view_state(view);
    if (state->stage == AWAY && mono_ms() >= state->retry_ms)
        open_again(view);
}

/* Enter after the password is what everybody types: it does not stop at the button. */
static bool is_last_field(const struct sign_in *state)
{
    return form_focused(state->form) == (state->stage == FIRST ? FIELD_AGAIN : FIELD_SECRET);
}

static bool sign_in_input(struct view *view, const struct input *input)
{
    struct sign_in *state = view_state(view);
    struct form_event event;
    if (!state->form) {
        if (input->kind != INPUT_KEY || state->stage != AWAY || input->key != K_ENTER)
            return false;
        open_again(view);
        return true;
    }
    if (input->kind == INPUT_KEY && input->key == K_ENTER && is_last_field(state)) {
        go(view);
        return true;
    }
    if (input->kind == INPUT_KEY && input->key == K_ESC)
        return true; /* there is nothing below */
    bool used = form_input(state->form, input, &event);
    if (event.kind == FORM_PRESSED && event.id != FORM_ID_CANCEL)
        go(view);
    return used;
}

static bool sign_in_in_field(const struct view *view)
{
    const struct sign_in *state = view_state(view);
    return state->form && form_in_field(state->form);
}

static bool sign_in_request(struct view *view, enum request request, const struct input *input)
{
    const struct sign_in *state = view_state(view);
    (void)input;
    if (request != REQ_QUIT)
        return false;
    bool never_opened = !view_console(view)->is_open && state->stage == AWAY;
    app_quit(view_app(view), never_opened ? fd_code_exit(state->error.code) : 0);
    return true;
}

static void draw_opening(const struct view *view, struct cells *cells, int row)
{
    bool is_private = desk_is_private(view_console(view)->config);
    int seconds = (int)((mono_ms() - VIEW_STATE(struct sign_in, view)->since_ms) / 1000);
    cells_text(cells, row, 2, STYLE_TEXT,
               is_private ? _("Starting the private database…") : _("Connecting to the database…"));
    if (seconds > 0)
        cells_printf(cells, row + 1, 2, STYLE_DIM, _("%d s"), seconds);
    if (is_private && seconds > 1)
        cells_text(cells, row + 2, 2, STYLE_DIM, _("The first start makes its folder and takes some seconds."));
    cells_cursor(cells, row, 2);
}

static void draw_away(const struct view *view, struct cells *cells, int row)
{
    const struct sign_in *state = view_state(view);
    int left = (int)((state->retry_ms - mono_ms() + 999) / 1000);
    row += cells_wrap(cells, row, 2, cells->columns - 4, STYLE_ERROR, state->error.message);
    row += cells_wrap(cells, row, 2, cells->columns - 4, STYLE_TEXT, state->error.hint);
    cells_printf(cells, row + 1, 2, STYLE_DIM, _("Trying again in %d s. Enter: now. q: leave."), left > 0 ? left : 0);
    cells_cursor(cells, row + 1, 2);
}

static void sign_in_draw(struct view *view, struct cells *cells)
{
    struct sign_in *state = view_state(view);
    int row = cells->rows > 14 ? 4 : 1;
    cells_text(cells, row - 1, 2, STYLE_STRONG, "frontdesk " FD_VERSION);
    row += 1;
    if (state->stage == OPENING) {
        draw_opening(view, cells, row);
    } else if (state->stage == AWAY) {
        draw_away(view, cells, row);
    } else {
        if (state->stage == FIRST)
            row += 1 +
                   cells_wrap(cells, row, 2, cells->columns - 4, STYLE_TEXT,
                              _("There is no operator yet. Make the first administrator; more are added on screen 9."));
        struct cells below = cells_sub(cells, row, 1, cells->rows - row, cells->columns - 2);
        form_draw(state->form, &below, view_is_focused(view));
        if (state->is_trying)
            cells_text(cells, cells->rows - 1, 2, STYLE_DIM, _("Signing in…"));
    }
}

static void sign_in_title(struct view *view, struct buf *text)
{
    (void)view;
    buf_add(text, _("Sign in"));
}

static const char *sign_in_hint(const struct view *view)
{
    const struct sign_in *state = view_state(view);
    return state->form ? form_hint(state->form) : "";
}

static const struct keybind sign_in_binds[] = {
    {{K_F(2), 'a'}, REQ_NONE, NULL, NULL}, {{K_F(3), '/'}, REQ_NONE, NULL, NULL},
    {{K_F(4), 'f'}, REQ_NONE, NULL, NULL}, {{K_F(5)}, REQ_NONE, NULL, NULL},
    {{K_F(6), 'm'}, REQ_NONE, NULL, NULL}, {{K_F(7), 'g'}, REQ_NONE, NULL, NULL},
    {{K_F(8), 'd'}, REQ_NONE, NULL, NULL}, {{K_F(9), 'M'}, REQ_NONE, NULL, NULL},
    {{':'}, REQ_NONE, NULL, NULL},         {{K_F(10), 'q'}, REQ_QUIT, NC_("key", "Exit"), N_("Leave frontdesk")},
};
static const struct keymap sign_in_keys = KEYMAP(N_("Sign in"), sign_in_binds);

const struct view_ops view_sign_in = {
    .name = "sign-in",
    .label = NC_("tab", "Sign in"),
    .private_bytes = sizeof(struct sign_in),
    .keys = &sign_in_keys,
    .open = sign_in_open,
    .close = sign_in_close,
    .title = sign_in_title,
    .draw = sign_in_draw,
    .in_field = sign_in_in_field,
    .input = sign_in_input,
    .request = sign_in_request,
    .tick = sign_in_tick,
    .hint = sign_in_hint,
};

/* --- lock ------------------------------------------------------------------------------------- */

struct lock {
    struct form *form;
    bool is_trying;
};

static const struct form_button lock_buttons[] = {{BUTTON_GO, N_("Unlock"), 0}};

static void lock_open(struct view *view, const void *arg)
{
    struct lock *state = view_state(view);
    (void)arg;
    state->form = form_new(sign_fields, 2, lock_buttons, 1);
    form_set(state->form, FIELD_NAME, view_console(view)->operator);
    form_focus(state->form, FIELD_SECRET);
}

static void lock_close(struct view *view)
{
    form_free(VIEW_STATE(struct lock, view)->form);
}

static void unlock_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct view *view = owner;
    struct lock *state = view_state(view);
    struct entering *entering = arg;
    struct console *console = view_console(view);
    state->is_trying = false;
    if (code != FD_OK) {
        form_set(state->form, FIELD_SECRET, "");
        form_fail(state->form, FIELD_SECRET, err);
        app_beep(console->app);
        return;
    }
    /* Somebody else: nothing half done of the one before stays on the screen. */
    bool other = strcmp(entering->who.name, console->operator) != 0;
    if (other)
        app_restart(console->app);
    console_signed_in(console, &entering->who);
    app_uncover(console->app);
    if (other)
        app_message(console->app, MESSAGE_GOOD, _("Welcome, %s."), entering->who.label);
}

static void unlock(struct view *view)
{
    struct lock *state = view_state(view);
    if (state->is_trying || !form_check(state->form))
        return;
    struct entering *entering = entering_new(view);
    cut_copy(entering->name, sizeof entering->name, form_text(state->form, FIELD_NAME));
    cut_copy(entering->password, sizeof entering->password, form_text(state->form, FIELD_SECRET));
    state->is_trying = true;
    struct job job = {N_("Signing in"), JOB_WRITE, enter_run, unlock_done, entering, entering_free};
    view_post(view, &job);
}

static bool lock_input(struct view *view, const struct input *input)
{
    struct lock *state = view_state(view);
    struct form_event event;
    if (input->kind == INPUT_KEY && input->key == K_ENTER && form_focused(state->form) == FIELD_SECRET) {
        unlock(view);
        return true;
    }
    bool used = form_input(state->form, input, &event);
    if (event.kind == FORM_PRESSED && event.id == BUTTON_GO)
        unlock(view);
    /* Everything else stops here: behind the lock there is nothing to reach. */
    return used || input->kind == INPUT_KEY || input->kind == INPUT_PASTE;
}

static bool lock_in_field(const struct view *view)
{
    return form_in_field(VIEW_STATE(struct lock, view)->form);
}

static void lock_draw(struct view *view, struct cells *cells)
{
    struct lock *state = view_state(view);
    int row = cells->rows > 14 ? 4 : 1;
    cells_text(cells, row - 1, 2, STYLE_STRONG, _("This terminal is locked."));
    row += cells_wrap(cells, row, 2, cells->columns - 4, STYLE_DIM,
                      _("Your password goes on where you were; another operator's name changes the operator."));
    struct cells below = cells_sub(cells, row + 1, 1, cells->rows - row - 1, cells->columns - 2);
    form_draw(state->form, &below, view_is_focused(view));
    if (state->is_trying)
        cells_text(cells, cells->rows - 1, 2, STYLE_DIM, _("Signing in…"));
}

static void lock_title(struct view *view, struct buf *text)
{
    (void)view;
    buf_add(text, _("Locked"));
}

/* No way out: behind the console there may be a shell that is not this person's. */
static const struct keybind lock_binds[] = {
    {{K_F(1), '?'}, REQ_NONE, NULL, NULL}, {{K_F(2), 'a'}, REQ_NONE, NULL, NULL},
    {{K_F(3), '/'}, REQ_NONE, NULL, NULL}, {{K_F(4), 'f'}, REQ_NONE, NULL, NULL},
    {{K_F(5)}, REQ_NONE, NULL, NULL},      {{K_F(6), 'm'}, REQ_NONE, NULL, NULL},
    {{K_F(7), 'g'}, REQ_NONE, NULL, NULL}, {{K_F(8), 'd'}, REQ_NONE, NULL, NULL},
    {{K_F(9), 'M'}, REQ_NONE, NULL, NULL}, {{K_F(10), 'q'}, REQ_NONE, NULL, NULL},
    {{':'}, REQ_NONE, NULL, NULL},
};
static const struct keymap lock_keys = KEYMAP(N_("Locked"), lock_binds);

const struct view_ops view_lock = {
    .name = "lock",
    .label = NC_("tab", "Locked"),
    .private_bytes = sizeof(struct lock),
    .keys = &lock_keys,
    .open = lock_open,
    .close = lock_close,
    .title = lock_title,
    .draw = lock_draw,
    .in_field = lock_in_field,
    .input = lock_input,
};
