/* The printer's queue of this terminal: what waits and why, sent again, given up, and a test page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "money/print.h"
#include "ui/view/listing.h"
#include "ui/view/slip.h"

enum { C_AT, C_KIND, C_SUBJECT, C_STATUS, C_TRIES, C_TROUBLE };

static const struct list_column columns[] = {
    {.label = NC_("column", "Time"), .cells = 14, .frozen = true, .align = -1},
    {.label = NC_("column", "Slip"), .cells = 13, .align = -1},
    {.label = NC_("column", "For"), .cells = 8, .align = -1},
    {.label = NC_("column", "State"), .cells = 10, .align = -1},
    {.label = NC_("column", "Tries"), .cells = 5, .priority = 1, .align = 1},
    {.label = NC_("column", "Trouble"), .cells = 16, .grow = 1, .align = -1},
};

static enum fd_code read_list(struct desk *desk, struct listing_work *work, bool all, struct fd_error *err)
{
    struct print_row *rows = NULL;
    enum fd_code code = print_list(desk, all, &work->base.arena, &rows, &work->count, err);
    work->rows = rows;
    return code;
}

static enum fd_code read_waiting(struct desk *desk, void *arg, struct fd_error *err)
{
    return read_list(desk, arg, false, err);
}

static enum fd_code read_all(struct desk *desk, void *arg, struct fd_error *err)
{
    return read_list(desk, arg, true, err);
}

static int64_t key(const void *row)
{
    return ((const struct print_row *)row)->id;
}

static const char *kind_words(const char *name)
{
    for (int i = 0; i < PRINT_KIND_COUNT; i++)
        if (strcmp(print_kind_name((enum print_kind)i), name) == 0)
            return print_kind_label((enum print_kind)i);
    return name;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style)
{
    const struct print_row *row = arg;
    switch (column) {
    case C_AT:
        part_stamp(row->created_at, out, bytes);
        break;
    case C_KIND:
        snprintf(out, bytes, row->copy > 0 ? _("%s, copy") : "%s", kind_words(row->kind));
        break;
    case C_SUBJECT:
        cut_copy(out, bytes, show_tail(row->subject));
        break;
    case C_STATUS:
        cut_copy(out, bytes, print_status_label(row->status));
        *style = strcmp(row->status, "WAITING") == 0 ? STYLE_WARN : STYLE_DIM;
        break;
    case C_TRIES:
        snprintf(out, bytes, "%lld", (long long)row->tries);
        break;
    default:
        cut_copy(out, bytes, row->trouble);
        *style = STYLE_ERROR;
        break;
    }
}

/* --- acts ----------------------------------------------------------------------------------------- */

struct drop_work {
    struct work base;
    int64_t id;
    char reason[512];
};

static enum fd_code drop_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct drop_work *work = arg;
    return print_drop(desk, work->base.key, work->id, work->reason, err);
}

static void drop_done(struct view *view, void *arg)
{
    (void)arg;
    app_message(view_app(view), MESSAGE_GOOD, "%s", _("Given up: it is not printed."));
    listing_load(view);
}

static void drop_answered(struct view *view, struct dialog *dialog, int answer, void *context)
{
    struct drop_work *work = work_unhold(context);
    if (answer != 0) {
        work_free(work);
        return;
    }
    cut_copy(work->reason, sizeof work->reason, dialog_reason_text(dialog));
    work_post(view, N_("Giving up a print"), JOB_WRITE, work);
}

static void do_drop(struct view *view, const void *arg)
{
    const struct print_row *row = arg;
    struct drop_work *work = work_new(sizeof *work, drop_run, drop_done);
    work->id = row->id;
    key_new(work->base.key);
    char *body = xprintf(_("%s of %s is not printed then."), kind_words(row->kind), row->subject);
    work_hold(work);
    view_dialog(view, dialog_reason(_("Give up this print?"), body, _("&Give up"), 2, NULL), drop_answered, work);
    free(body);
}

static void do_send(struct view *view, const void *row)
{
    (void)row;
    slip_send(view_console(view));
}

static void do_test(struct view *view, const void *row)
{
    (void)row;
    slip_print(view_console(view), PRINT_TEST, "test", false);
}

/* --- the view ------------------------------------------------------------------------------------ */

static void do_all(struct view *view, const void *row);

static const struct listing_act acts[] = {
    {REQ_SAVE, do_send, false},
    {REQ_ADD, do_test, false},
    {REQ_CANCEL, do_drop, true},
    {REQ_FILTER, do_all, false},
};
#define SPEC(read_rows)                                                                                                \
    {                                                                                                                  \
        .reading = N_("Reading the printer's queue"),                                                                  \
        .empty = N_("Nothing waits for the printer. t prints a test page."), .columns = columns,                       \
        .column_count = sizeof columns / sizeof *columns, .row_bytes = sizeof(struct print_row), .read = (read_rows),  \
        .key = key, .cell = cell, .acts = acts, .act_count = sizeof acts / sizeof *acts,                               \
    }
static const struct listing_spec waiting_spec = SPEC(read_waiting), all_spec = SPEC(read_all);

static void do_all(struct view *view, const void *row)
{
    struct listing *listing = view_state(view);
    (void)row;
    listing->spec = listing->spec == &waiting_spec ? &all_spec : &waiting_spec;
    listing_load(view);
}

static void printer_open(struct view *view, const void *arg)
{
    (void)arg;
    listing_open(view, &waiting_spec);
}

static void printer_title(struct view *view, struct buf *text)
{
    const char *target = config_text(view_console(view)->config, CONFIG_PRINTER);
    buf_printf(text, "%s  %s", _("Printer"), *target ? target : _("none is set up: [printer] target"));
}

static const char *printer_hint(const struct view *view)
{
    (void)view;
    return _("p send now  t test page  d give up  f also done ones  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(2), 'p'}, REQ_SAVE, NC_("key", "Send"), N_("Send what waits now")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "All"), N_("Also what is done, of every terminal")},
    {{K_F(6), 't'}, REQ_ADD, NC_("key", "Test"), N_("Print a test page")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Drop"), N_("Give a print up")},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Printer"), binds);

const struct view_ops view_printer = {
    .name = "printer",
    .label = NC_("tab", "Printer"),
    .private_bytes = sizeof(struct listing),
    .refresh_ms = 3000,
    .keys = &keys,
    .open = printer_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = printer_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = printer_hint,
};
