/* What waits for a second person: finance and administrators grant or deny it here for another terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/approval.h"
#include "ui/view/act.h"
#include "ui/view/listing.h"

enum { C_LEFT, C_WHAT, C_AMOUNT, C_ORDER, C_WHO, C_STATUS, C_REASON };

static const struct list_column columns[] = {
    {.label = NC_("column", "Left"), .cells = 6, .frozen = true, .align = 1},
    {.label = NC_("column", "What"), .cells = 10, .align = -1},
    {.label = NC_("column", "Amount"), .cells = 10, .align = 1},
    {.label = NC_("column", "Order"), .cells = 5, .align = -1},
    {.label = NC_("column", "Asked by"), .cells = 12, .grow = 1, .align = -1},
    {.label = NC_("column", "State"), .cells = 10, .priority = 1, .align = -1},
    {.label = NC_("column", "Reason"), .cells = 14, .grow = 3, .align = -1},
};

static enum fd_code read_list(struct desk *desk, struct listing_work *work, bool all, struct fd_error *err)
{
    struct approval_row *rows = NULL;
    enum fd_code code = approval_list(desk, all, &work->base.arena, &rows, &work->count, err);
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
    return ((const struct approval_row *)row)->id;
}

static const char *what_words(const struct approval_row *row)
{
    return strcmp(row->action, "price") == 0 ? _("new price") : _("refund");
}

static const struct {
    const char *status, *label;
    style_t style;
} states[] = {
    {"WAITING", NC_("approval", "waits"), STYLE_WARN},
    {"GRANTED", NC_("approval", "granted"), STYLE_GOOD},
    {"DENIED", NC_("approval", "denied"), STYLE_ERROR},
    {"USED", NC_("approval", "used"), STYLE_DIM},
};

static void state_cell(const struct approval_row *row, char *out, size_t bytes, style_t *style)
{
    cut_copy(out, bytes, row->status);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].status, row->status) == 0) {
            cut_copy(out, bytes, i18n_label(states[i].label));
            *style = states[i].style;
        }
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style)
{
    const struct approval_row *row = arg;
    char money[FEN_TEXT];
    switch (column) {
    case C_LEFT:
        if (row->left_s > 0)
            snprintf(out, bytes, _("%d min"), (int)((row->left_s + 59) / 60));
        break;
    case C_WHAT:
        cut_copy(out, bytes, what_words(row));
        break;
    case C_AMOUNT:
        cut_copy(out, bytes, fen_text(row->amount_fen, money));
        *style = STYLE_MONEY;
        break;
    case C_ORDER:
        cut_copy(out, bytes, show_tail(row->order_no));
        break;
    case C_WHO:
        snprintf(out, bytes, "%s@%s", row->requester, row->terminal);
        break;
    case C_STATUS:
        state_cell(row, out, bytes, style);
        break;
    default:
        cut_copy(out, bytes, row->reason);
        break;
    }
}

/* --- deciding ------------------------------------------------------------------------------------ */

struct decide_work {
    struct work base;
    int64_t id;
    bool grant;
};

static enum fd_code decide_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct decide_work *work = arg;
    return approval_decide(desk, work->base.key, work->id, work->grant, err);
}

static void decide_done(struct view *view, void *arg)
{
    const struct decide_work *work = arg;
    app_message(view_app(view), MESSAGE_GOOD, "%s",
                work->grant ? _("Granted: the other terminal goes on now.") : _("Denied: the other terminal is told."));
    listing_load(view);
}

static void decide_answered(struct view *view, struct dialog *dialog, int answer, void *context)
{
    struct decide_work *work = work_unhold(context);
    (void)dialog;
    if (answer == 0)
        work_post(view, N_("Deciding"), JOB_WRITE, work);
    else
        work_free(work);
}

static void decide(struct view *view, const struct approval_row *row, bool grant)
{
    char money[40];
    struct decide_work *work = work_new(sizeof *work, decide_run, decide_done);
    work->id = row->id;
    work->grant = grant;
    key_new(work->base.key);
    char *body = xprintf(_("%s: %s for order %s\nAsked by %s at %s\nReason: %s"), what_words(row),
                         show_yuan(row->amount_fen, money), row->order_no, row->requester, row->terminal, row->reason);
    work_hold(work);
    view_dialog(view,
                dialog_confirm(grant ? _("Grant it?") : _("Deny it?"), body, grant ? _("&Grant") : _("&Deny"),
                               grant ? DIALOG_PLAIN : DIALOG_DANGER),
                decide_answered, work);
    free(body);
}

static void do_grant(struct view *view, const void *row)
{
    decide(view, row, true);
}

static void do_deny(struct view *view, const void *row)
{
    decide(view, row, false);
}

static void do_order(struct view *view, const void *row)
{
    act_open(view, ((const struct approval_row *)row)->order_no);
}

/* --- the view ------------------------------------------------------------------------------------ */

static void do_all(struct view *view, const void *row);

static const struct listing_act acts[] = {
    {REQ_SAVE, do_grant, true},   {REQ_OPEN, do_grant, true},  {REQ_CANCEL, do_deny, true},
    {REQ_ORDERS, do_order, true}, {REQ_FILTER, do_all, false},
};
#define SPEC(read_rows)                                                                                                \
    {                                                                                                                  \
        .reading = N_("Reading approvals"), .empty = N_("Nobody asks for an approval."), .columns = columns,           \
        .column_count = sizeof columns / sizeof *columns, .row_bytes = sizeof(struct approval_row),                    \
        .read = (read_rows), .key = key, .cell = cell, .acts = acts, .act_count = sizeof acts / sizeof *acts,          \
    }
static const struct listing_spec waiting_spec = SPEC(read_waiting), all_spec = SPEC(read_all);

static void do_all(struct view *view, const void *row)
{
    struct listing *listing = view_state(view);
    (void)row;
    listing->spec = listing->spec == &waiting_spec ? &all_spec : &waiting_spec;
    listing_load(view);
}

static void approvals_open(struct view *view, const void *arg)
{
    (void)arg;
    listing_open(view, &waiting_spec);
}

static void approvals_title(struct view *view, struct buf *text)
{
    buf_add(text,
            VIEW_STATE(struct listing, view)->spec == &waiting_spec ? _("Approvals") : _("Approvals, past ones too"));
}

static const char *approvals_hint(const struct view *view)
{
    (void)view;
    return _("g grant  d deny  o order  f also past ones  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(2), 'g'}, REQ_SAVE, NC_("key", "Grant"), N_("Grant it; never your own")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "All"), N_("Also those that are over, and back")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Deny"), N_("Deny it")},
    {{'o'}, REQ_ORDERS, NULL, N_("The order that it is about")},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Approvals"), binds);

const struct view_ops view_approvals = {
    .name = "approvals",
    .label = NC_("tab", "Approvals"),
    .private_bytes = sizeof(struct listing),
    .refresh_ms = 3000,
    .keys = &keys,
    .open = approvals_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = approvals_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = approvals_hint,
};
