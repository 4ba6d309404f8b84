/* Parameters: every number of minutes, hours, yuan or tries, with its range. */
#include "ui/view/ask.h"
#include "ui/view/listing.h"
#include "core/param.h"
#include <stdio.h>
#include <string.h>

struct param_row {
    enum param param;
    int64_t value;
};

enum { C_TEXT, C_VALUE, C_UNIT, C_DEFAULT, C_RANGE, C_NAME };

static const struct list_column columns[] = {
    {.label = NC_("column", "Parameter"), .cells = 34, .grow = 3, .frozen = true, .align = -1},
    {.label = NC_("column", "Value"), .cells = 7, .align = 1},
    {.label = NC_("column", "Unit"), .cells = 5, .align = -1},
    {.label = NC_("column", "Default"), .cells = 8, .align = 1},
    {.label = NC_("column", "Range"), .cells = 11, .priority = 1, .align = -1},
    {.label = NC_("parameter", "Name"), .cells = 26, .priority = 2, .align = -1},
};

static enum fd_code read_params(struct desk *desk, void *arg, struct fd_error *err) {
    struct listing_work *work = arg;
    struct param_row *rows = arena_array(&work->base.arena, PARAM_COUNT, sizeof *rows);
    (void)err;
    param_forget(desk);
    for (int i = 0; i < PARAM_COUNT; i++)
        rows[i] = (struct param_row){(enum param)i, param_get(desk, (enum param)i)};
    work->rows = rows;
    work->count = PARAM_COUNT;
    return FD_OK;
}

static int64_t key(const void *row) {
    return (int64_t)((const struct param_row *)row)->param + 1;
}

static const char *unit_label(const char *unit) {
    if (strcmp(unit, "min") == 0)
        return C_("unit", "min");
    if (strcmp(unit, "s") == 0)
        return C_("unit", "s");
    if (strcmp(unit, "d") == 0)
        return C_("unit", "days");
    if (strcmp(unit, "yuan") == 0)
        return C_("unit", "yuan");
    return unit;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style) {
    const struct param_row *row = arg;
    switch (column) {
    case C_TEXT:
        cut_copy(out, bytes, _(param_text(row->param)));
        break;
    case C_VALUE:
        snprintf(out, bytes, "%lld", (long long)row->value);
        *style = row->value != param_default(row->param) ? STYLE_STRONG : STYLE_TEXT;
        break;
    case C_UNIT:
        cut_copy(out, bytes, unit_label(param_unit(row->param)));
        break;
    case C_DEFAULT:
        snprintf(out, bytes, "%lld", (long long)param_default(row->param));
        *style = STYLE_DIM;
        break;
    case C_RANGE:
        snprintf(out, bytes, "%lld–%lld", (long long)param_least(row->param), (long long)param_most(row->param));
        *style = STYLE_DIM;
        break;
    default:
        cut_copy(out, bytes, param_name(row->param));
        *style = STYLE_DIM;
        break;
    }
}

/* --- changing one --- */

enum { F_WHAT = 1, F_VALUE, F_REASON };

struct param_arg {
    struct work base;
    enum param param;
    int64_t value;
    char reason[500];
};

static const struct field fields[] = {
    {.id = F_WHAT, .label = N_("Parameter"), .kind = FIELD_SHOW, .width_cells = 60},
    {.id = F_VALUE, .label = N_("Value"), .kind = FIELD_NUMBER, .flags = FIELD_REQUIRED, .width_cells = 8, .max_chars = 8},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 100, .hint = N_("Why it is changed, for the log")},
};

static void fill(struct form *form, void *work) {
    struct param_arg *arg = work;
    char text[120];
    form_set(form, F_WHAT, _(param_text(arg->param)));
    form_set_number(form, F_VALUE, arg->value);
    snprintf(text, sizeof text, _("%s, %lld to %lld, default %lld"), unit_label(param_unit(arg->param)), (long long)param_least(arg->param),
             (long long)param_most(arg->param), (long long)param_default(arg->param));
    form_aside(form, F_VALUE, STYLE_DIM, *param_unit(arg->param) ? text : text + 2);
    form_focus(form, F_VALUE);
}

static bool take(struct form *form, void *work) {
    struct param_arg *arg = work;
    arg->value = form_number(form, F_VALUE);
    cut_copy(arg->reason, sizeof arg->reason, form_text(form, F_REASON));
    return true;
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    struct param_arg *arg = work;
    return param_set(desk, arg->base.key, arg->param, arg->value, *arg->reason ? arg->reason : NULL, err);
}

static int blame(const void *work, const struct fd_error *err) {
    (void)work;
    return err->code == FD_REASON_NEEDED ? F_REASON : F_VALUE;
}

static void done(struct view *view, void *work) {
    struct param_arg *arg = work;
    app_message(view_app(view), MESSAGE_GOOD, _("%s is %lld now."), param_name(arg->param), (long long)arg->value);
}

static const struct ask_spec spec = {
    .title = N_("Change a parameter"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Save"),
    .working = N_("Saving the parameter"),
    .fill = fill,
    .take = take,
    .run = run,
    .blame = blame,
    .done = done,
};

static void do_edit(struct view *view, const void *arg) {
    const struct param_row *row = arg;
    struct param_arg *work = work_new(sizeof *work, NULL, NULL);
    work->param = row->param;
    work->value = row->value;
    ask_open(view, &spec, work);
}

/* --- the view --- */

static const struct listing_act acts[] = {{REQ_OPEN, do_edit, true}, {REQ_EDIT, do_edit, true}};
static const struct listing_spec listing_spec = {
    .reading = N_("Reading parameters"),
    .empty = N_("There are no parameters."),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .row_bytes = sizeof(struct param_row),
    .read = read_params,
    .key = key,
    .cell = cell,
    .acts = acts,
    .act_count = sizeof acts / sizeof *acts,
};

static void params_open(struct view *view, const void *arg) {
    (void)arg;
    listing_open(view, &listing_spec);
}

static void params_title(struct view *view, struct buf *text) {
    (void)view;
    buf_add(text, _("Parameters"));
}

static const char *params_hint(const struct view *view) {
    (void)view;
    return _("Enter change  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(2), 'e'}, REQ_EDIT, NC_("key", "Change"), N_("Change the parameter")},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Parameters"), binds);

const struct view_ops view_params = {
    .name = "params",
    .label = NC_("tab", "Params"),
    .private_bytes = sizeof(struct listing),
    .keys = &keys,
    .open = params_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = params_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = params_hint,
};
