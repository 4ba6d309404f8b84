/* Screen 9: what an administrator sets up, and what everybody may set for this terminal. */
#include <string.h>
#include "ui/view/console_internal.h"
#include "ui/widget/list.h"

struct setup {
    struct list list;
};

static void open_params(struct view *view)
{
    view_push(view, &view_params, NULL);
}

static void open_operators(struct view *view)
{
    view_push(view, &view_operators, NULL);
}

static void open_venues(struct view *view)
{
    view_push(view, &view_venues, NULL);
}

static void open_cases(struct view *view)
{
    view_push(view, &view_cases, NULL);
}

static void open_approvals(struct view *view)
{
    view_push(view, &view_approvals, NULL);
}

static void open_printer(struct view *view)
{
    view_push(view, &view_printer, NULL);
}

static void turn_language(struct view *view)
{
    bool chinese = strcmp(i18n_language(), "zh_CN") == 0;
    app_set_language(view_app(view), chinese ? "en" : "zh_CN");
}

static void change_operator(struct view *view)
{
    console_change_operator(view_console(view));
}

/* One row is one entry. */
static const struct {
    const char *label, *help;
    void (*open)(struct view *view);
} entries[] = {
    {N_("Parameters"), N_("Minutes, hours, tries, limits of the business"), open_params},
    {N_("Places"), N_("Courts, lanes, rooms, equipment: add and change"), open_venues},
    {N_("Operators"), N_("Add, disable, unlock, new password"), open_operators},
    {N_("Needs a person"), N_("Money without an order, failed refunds, tenders"), open_cases},
    {N_("Approvals"), N_("Refunds and prices above a limit: grant or deny"), open_approvals},
    {N_("Printer"), N_("What waits for the printer and why; a test page"), open_printer},
    {N_("Language: 中文 / English"), N_("Switches now (also :set lang zh, :set lang en)"), turn_language},
    {N_("Change the operator"), N_("Asks who acts now, closes all (also :sign-out)"), change_operator},
};

static size_t setup_rows(void *context)
{
    (void)context;
    return sizeof entries / sizeof entries[0];
}

static int64_t setup_key(void *context, size_t row)
{
    (void)context;
    return (int64_t)row + 1;
}

static void setup_cell(void *context, size_t row, unsigned column, struct list_cell *cell)
{
    (void)context;
    cell->text = column == 0 ? _(entries[row].label) : _(entries[row].help);
    cell->style = column == 0 ? STYLE_STRONG : STYLE_DIM;
}

static const struct list_column setup_columns[] = {
    {.label = NC_("column", "Setting"), .cells = 28, .align = -1},
    {.label = NC_("column", "What it does"), .cells = 30, .grow = 1, .priority = 1, .align = -1},
};

static void setup_open(struct view *view, const void *arg)
{
    struct setup *state = view_state(view);
    (void)arg;
    list_init(&state->list, setup_columns, 2, &(struct list_source){NULL, setup_rows, setup_key, setup_cell, NULL});
    list_reloaded(&state->list);
}

static void setup_close(struct view *view)
{
    list_release(&VIEW_STATE(struct setup, view)->list);
}

static void setup_title(struct view *view, struct buf *text)
{
    (void)view;
    buf_add(text, C_("title", "Setup"));
}

static void setup_draw(struct view *view, struct cells *cells)
{
    struct setup *state = view_state(view);
    state->list.focused = view_is_focused(view);
    list_draw(&state->list, cells, "");
}

static void follow_event(struct view *view, enum list_event event)
{
    const struct setup *state = view_state(view);
    if (event == LIST_OPEN && state->list.cursor < sizeof entries / sizeof entries[0])
        entries[state->list.cursor].open(view);
}

static bool setup_request(struct view *view, enum request request, const struct input *input)
{
    struct setup *state = view_state(view);
    enum list_event event = list_request(&state->list, request, input);
    follow_event(view, event);
    return event != LIST_IGNORED;
}

static bool setup_input(struct view *view, const struct input *input)
{
    struct setup *state = view_state(view);
    if (input->kind != INPUT_MOUSE)
        return false;
    enum list_event event = list_mouse(&state->list, input);
    follow_event(view, event);
    return event != LIST_IGNORED;
}

const struct view_ops view_setup = {
    .name = "setup",
    .label = NC_("tab", "Setup"),
    .private_bytes = sizeof(struct setup),
    .open = setup_open,
    .close = setup_close,
    .title = setup_title,
    .draw = setup_draw,
    .input = setup_input,
    .request = setup_request,
};
