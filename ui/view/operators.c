/* Operators: who may sign in, with which role; add, password, disable, unlock. */
#include "ui/view/ask.h"
#include "ui/view/listing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C_NAME, C_LABEL, C_ROLE, C_STATE, C_FAILED, C_SINCE };

static const struct list_column columns[] = {
    {.label = NC_("column", "Account"), .cells = 14, .grow = 1, .frozen = true, .align = -1},
    {.label = NC_("column", "Name"), .cells = 14, .grow = 2, .align = -1},
    {.label = NC_("column", "Role"), .cells = 10, .align = -1},
    {.label = NC_("column", "State"), .cells = 10, .align = -1},
    {.label = NC_("column", "Wrong passwords"), .cells = 15, .priority = 1, .align = 1},
    {.label = NC_("column", "Since"), .cells = 10, .priority = 2, .align = -1},
};

static enum fd_code read_operators(struct desk *desk, void *arg, struct fd_error *err) {
    struct listing_work *work = arg;
    struct operator_row *rows = NULL;
    enum fd_code code = operator_list(desk, &work->base.arena, &rows, &work->count, err);
    work->rows = rows;
    return code;
}

static int64_t key(const void *row) {
    return ((const struct operator_row *)row)->id;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style) {
    const struct operator_row *row = arg;
    char date[DAY_TEXT];
    switch (column) {
    case C_NAME:
        cut_copy(out, bytes, row->name);
        break;
    case C_LABEL:
        cut_copy(out, bytes, row->label);
        break;
    case C_ROLE:
        cut_copy(out, bytes, role_label(row->role));
        break;
    case C_STATE:
        cut_copy(out, bytes, row->disabled ? C_("operator", "disabled") : row->locked ? C_("operator", "locked") : C_("operator", "active"));
        *style = row->disabled ? STYLE_DIM : row->locked ? STYLE_ERROR : STYLE_GOOD;
        break;
    case C_FAILED:
        snprintf(out, bytes, "%lld", (long long)row->failed_count);
        break;
    default:
        cut_copy(out, bytes, row->created_at == WALL_NONE ? "" : day_sql(wall_day(row->created_at), date));
        *style = STYLE_DIM;
        break;
    }
}

/* --- adding, and a new password --- */

enum { F_NAME = 1, F_LABEL, F_ROLE, F_PASSWORD, F_AGAIN };

struct operator_arg {
    struct work base;
    bool add;
    char name[NAME_BYTES], label[DISPLAY_BYTES];
    enum role role;
    char password[256];
};

static const struct field add_fields[] = {
    {.id = F_NAME, .label = N_("Account"), .kind = FIELD_TEXT, .flags = FIELD_REQUIRED, .width_cells = 20, .max_chars = 32, .hint = N_("What is typed at sign-in: a-z, 0-9 . _ -")},
    {.id = F_LABEL, .label = N_("Name shown"), .kind = FIELD_TEXT, .flags = FIELD_REQUIRED, .width_cells = 20, .max_chars = 64},
    {.id = F_ROLE, .label = N_("Role"), .kind = FIELD_CHOICE, .hint = N_("Left and Right choose")},
    {.id = F_PASSWORD, .label = N_("Password"), .kind = FIELD_PASSWORD, .flags = FIELD_REQUIRED, .width_cells = 20},
    {.id = F_AGAIN, .label = N_("Once more"), .kind = FIELD_PASSWORD, .flags = FIELD_REQUIRED, .width_cells = 20},
};
static const struct field password_fields[] = {
    {.id = F_NAME, .label = N_("Account"), .kind = FIELD_SHOW, .width_cells = 20},
    {.id = F_PASSWORD, .label = N_("New password"), .kind = FIELD_PASSWORD, .flags = FIELD_REQUIRED, .width_cells = 20},
    {.id = F_AGAIN, .label = N_("Once more"), .kind = FIELD_PASSWORD, .flags = FIELD_REQUIRED, .width_cells = 20},
};

static void fill(struct form *form, void *work) {
    struct operator_arg *arg = work;
    struct choice roles[ROLE_COUNT];
    size_t count = 0;
    form_set(form, F_NAME, arg->name);
    if (!arg->add) {
        form_focus(form, F_PASSWORD);
        return;
    }
    for (int i = ROLE_CLERK; i < ROLE_WORKER; i++)
        roles[count++] = (struct choice){role_name((enum role)i), role_label((enum role)i)};
    form_choices(form, F_ROLE, roles, count);
}

static bool take(struct form *form, void *work) {
    struct operator_arg *arg = work;
    if (strcmp(form_text(form, F_PASSWORD), form_text(form, F_AGAIN)) != 0) {
        form_error(form, F_AGAIN, _("The two are not the same."));
        form_focus(form, F_AGAIN);
        return false;
    }
    if (strlen(form_text(form, F_PASSWORD)) >= sizeof arg->password) {
        form_error(form, F_PASSWORD, _("This is too long."));
        return false;
    }
    cut_copy(arg->password, sizeof arg->password, form_text(form, F_PASSWORD));
    if (arg->add) {
        cut_copy(arg->name, sizeof arg->name, form_text(form, F_NAME));
        cut_copy(arg->label, sizeof arg->label, form_text(form, F_LABEL));
        arg->role = role_from_name(form_text(form, F_ROLE));
    }
    return true;
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    struct operator_arg *arg = work;
    if (!arg->add)
        return operator_password(desk, arg->base.key, arg->name, arg->password, err);
    struct operator_new who = {.name = arg->name, .label = arg->label, .role = arg->role, .password = arg->password};
    return operator_add(desk, arg->base.key, &who, err);
}

static int blame(const void *work, const struct fd_error *err) {
    (void)work;
    return err->code == FD_EXISTS ? F_NAME : F_PASSWORD;
}

static void done(struct view *view, void *work) {
    struct operator_arg *arg = work;
    if (arg->add)
        app_message(view_app(view), MESSAGE_GOOD, _("%s can sign in now."), arg->name);
    else
        app_message(view_app(view), MESSAGE_GOOD, _("%s has a new password."), arg->name);
}

static const struct ask_spec add_spec = {
    .title = N_("New operator"),
    .fields = add_fields,
    .field_count = sizeof add_fields / sizeof *add_fields,
    .save = N_("Add"),
    .working = N_("Adding the operator"),
    .fill = fill,
    .take = take,
    .run = run,
    .blame = blame,
    .done = done,
};
static const struct ask_spec password_spec = {
    .title = N_("New password"),
    .fields = password_fields,
    .field_count = sizeof password_fields / sizeof *password_fields,
    .save = N_("Set the password"),
    .working = N_("Setting the password"),
    .fill = fill,
    .take = take,
    .run = run,
    .blame = blame,
    .done = done,
};

static void do_add(struct view *view, const void *row) {
    struct operator_arg *arg = work_new(sizeof *arg, NULL, NULL);
    (void)row;
    arg->add = true;
    ask_open(view, &add_spec, arg);
}

static void do_password(struct view *view, const void *row) {
    struct operator_arg *arg = work_new(sizeof *arg, NULL, NULL);
    cut_copy(arg->name, sizeof arg->name, ((const struct operator_row *)row)->name);
    ask_open(view, &password_spec, arg);
}

/* --- disabling and unlocking --- */

struct switch_work {
    struct work base;
    char name[NAME_BYTES], reason[500];
    bool unlock, disabled;
};

static enum fd_code switch_run(struct desk *desk, void *arg, struct fd_error *err) {
    struct switch_work *work = arg;
    if (work->unlock)
        return operator_unlock(desk, work->base.key, work->name, err);
    return operator_disable(desk, work->base.key, work->name, work->disabled, *work->reason ? work->reason : NULL, err);
}

static void switch_done(struct view *view, void *arg) {
    struct switch_work *work = arg;
    if (work->unlock)
        app_message(view_app(view), MESSAGE_GOOD, _("%s is unlocked."), work->name);
    else
        app_message(view_app(view), MESSAGE_GOOD, work->disabled ? _("%s is disabled.") : _("%s is enabled."), work->name);
    listing_load(view);
}

static void switch_answered(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct switch_work *work = work_unhold(context);
    if (answer != 0) {
        work_free(work);
        return;
    }
    if (dialog_form_of(dialog) && !work->unlock)
        cut_copy(work->reason, sizeof work->reason, dialog_reason_text(dialog));
    work_post(view, N_("Changing the operator"), JOB_WRITE, work);
}

static void do_disable(struct view *view, const void *arg) {
    const struct operator_row *row = arg;
    struct switch_work *work = work_new(sizeof *work, switch_run, switch_done);
    char title[120];
    key_new(work->base.key);
    cut_copy(work->name, sizeof work->name, row->name);
    work->disabled = !row->disabled;
    snprintf(title, sizeof title, row->disabled ? _("Enable %s") : _("Disable %s"), row->name);
    work_hold(work);
    view_dialog(view,
                dialog_reason(title, row->disabled ? _("The operator can sign in again.") : _("The operator can no longer sign in. Nothing else is lost."),
                              row->disabled ? _("&Enable") : _("&Disable"), 2, NULL),
                switch_answered, work);
}

static void do_unlock(struct view *view, const void *arg) {
    const struct operator_row *row = arg;
    if (!row->locked) {
        app_message(view_app(view), MESSAGE_INFO, _("%s is not locked."), row->name);
        return;
    }
    struct switch_work *work = work_new(sizeof *work, switch_run, switch_done);
    key_new(work->base.key);
    cut_copy(work->name, sizeof work->name, row->name);
    work->unlock = true;
    work_post(view, N_("Unlocking the operator"), JOB_WRITE, work);
}

/* --- the view --- */

static const struct listing_act acts[] = {
    {REQ_ADD, do_add, false}, {REQ_PASSWORD, do_password, true}, {REQ_DISABLE, do_disable, true}, {REQ_UNLOCK, do_unlock, true}, {REQ_OPEN, do_password, true},
};
static const struct listing_spec listing_spec = {
    .reading = N_("Reading operators"),
    .empty = N_("There are no operators. a adds one."),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .row_bytes = sizeof(struct operator_row),
    .read = read_operators,
    .key = key,
    .cell = cell,
    .acts = acts,
    .act_count = sizeof acts / sizeof *acts,
};

static void operators_open(struct view *view, const void *arg) {
    (void)arg;
    listing_open(view, &listing_spec);
}

static void operators_title(struct view *view, struct buf *text) {
    (void)view;
    buf_add(text, _("Operators"));
}

static const char *operators_hint(const struct view *view) {
    (void)view;
    return _("a add  p password  x disable or enable  u unlock  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(2), 'a'}, REQ_ADD, NC_("key", "Add"), N_("Add an operator")},
    {{K_F(4), 'p'}, REQ_PASSWORD, NC_("key", "Passwd"), NULL},
    {{K_F(6), 'u'}, REQ_UNLOCK, NC_("key", "Unlock"), NULL},
    {{K_F(8), 'x'}, REQ_DISABLE, NC_("key", "Disabl"), N_("Disable, or enable again")},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Operators"), binds);

const struct view_ops view_operators = {
    .name = "operators",
    .label = NC_("tab", "Operators"),
    .private_bytes = sizeof(struct listing),
    .keys = &keys,
    .open = operators_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = operators_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = operators_hint,
};
