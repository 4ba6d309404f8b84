/* What needs a person: open cases, oldest first; taken, and closed in one of the ways that their kind allows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/case.h"
#include "ui/view/act.h"
#include "ui/view/approval_step.h"
#include "ui/view/ask.h"
#include "ui/view/listing.h"

enum { C_AGE, C_KIND, C_AMOUNT, C_ORDER, C_CUSTOMER, C_OWNER, C_CAUSE };
enum { CASES_MOST = 500 };

static const struct list_column columns[] = {
    {.label = NC_("column", "Age"), .cells = 6, .frozen = true, .align = 1},
    {.label = NC_("column", "Kind"), .cells = 18, .align = -1},
    {.label = NC_("column", "Amount"), .cells = 10, .align = 1},
    {.label = NC_("column", "Order"), .cells = 5, .align = -1},
    {.label = NC_("column", "Customer"), .cells = 10, .grow = 1, .align = -1},
    {.label = NC_("column", "Taken by"), .cells = 9, .priority = 1, .align = -1},
    {.label = NC_("column", "Cause"), .cells = 16, .grow = 3, .align = -1},
};

/* --- reading ------------------------------------------------------------------------------------ */

static enum fd_code read_cases(struct desk *desk, struct listing_work *work, bool all, struct fd_error *err)
{
    struct case_row *rows = NULL;
    enum fd_code code = case_list(desk, all, 0, CASES_MOST + 1, &work->base.arena, &rows, &work->count, err);
    work->rows = rows;
    work->more = code == FD_OK && work->count > CASES_MOST;
    if (work->more)
        work->count = CASES_MOST;
    return code;
}

static enum fd_code read_open(struct desk *desk, void *arg, struct fd_error *err)
{
    return read_cases(desk, arg, false, err);
}

static enum fd_code read_all(struct desk *desk, void *arg, struct fd_error *err)
{
    return read_cases(desk, arg, true, err);
}

static int64_t key(const void *row)
{
    return ((const struct case_row *)row)->id;
}

static void age_text(int64_t age_s, char *out, size_t bytes)
{
    if (age_s < 3600)
        snprintf(out, bytes, _("%d min"), (int)(age_s / 60));
    else if (age_s < 48 * 3600)
        snprintf(out, bytes, _("%d h"), (int)(age_s / 3600));
    else
        snprintf(out, bytes, _("%d d"), (int)(age_s / 86400));
}

static bool is_closed(const struct case_row *row)
{
    return strcmp(row->status, "CLOSED") == 0;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style)
{
    const struct case_row *row = arg;
    char money[FEN_TEXT];
    *style = is_closed(row) ? STYLE_DIM : STYLE_TEXT;
    switch (column) {
    case C_AGE:
        age_text(row->age_s, out, bytes);
        break;
    case C_KIND:
        cut_copy(out, bytes, case_kind_label(row->kind));
        break;
    case C_AMOUNT:
        cut_copy(out, bytes, fen_text(row->amount_fen, money));
        *style = is_closed(row) ? STYLE_DIM : STYLE_MONEY;
        break;
    case C_ORDER:
        cut_copy(out, bytes, show_tail(*row->order_no ? row->order_no : row->subject));
        break;
    case C_CUSTOMER:
        cut_copy(out, bytes, row->customer);
        break;
    case C_OWNER:
        cut_copy(out, bytes, is_closed(row) ? row->closed_by : row->owner);
        break;
    default:
        cut_copy(out, bytes, is_closed(row) && *row->outcome ? row->outcome : row->cause);
        break;
    }
}

/* --- one of them -------------------------------------------------------------------------------- */

static void add_line(struct buf *text, const char *label, const char *value)
{
    if (*value == '\0')
        return;
    /* TRANSLATORS: a label and its value */
    buf_printf(text, _("%s: %s"), label, value);
    buf_add(text, "\n");
}

static void do_open(struct view *view, const void *arg)
{
    const struct case_row *row = arg;
    struct buf text = {0};
    char money[40], age[32], stamp[32], title[120];
    age_text(row->age_s, age, sizeof age);
    part_stamp(row->created_at, stamp, sizeof stamp);
    buf_printf(&text, "%s  %s\n\n", case_kind_label(row->kind), show_yuan(row->amount_fen, money));
    add_line(&text, _("Cause"), row->cause);
    add_line(&text, _("Next"), row->steps);
    buf_add(&text, "\n");
    add_line(&text, _("Order"), row->order_no);
    add_line(&text, _("About"), row->subject);
    add_line(&text, _("Customer"), row->customer);
    add_line(&text, _("Phone"), row->phone);
    add_line(&text, _("Since"), stamp);
    add_line(&text, _("Age"), age);
    add_line(&text, _("Taken by"), row->owner);
    add_line(&text, C_("case", "Closed by"), row->closed_by);
    add_line(&text, _("Outcome"), row->outcome);
    add_line(&text, _("Reason"), row->reason);
    snprintf(title, sizeof title, _("Case %lld"), (long long)row->id);
    view_push(view, &view_text, &(struct text_args){title, buf_text(&text)});
    buf_release(&text);
}

static void do_order(struct view *view, const void *arg)
{
    const struct case_row *row = arg;
    if (*row->order_no)
        act_open(view, row->order_no);
    else
        app_message(view_app(view), MESSAGE_INFO, "%s", _("This case has no order."));
}

struct case_work {
    struct work base;
    int64_t id;
    enum case_kind kind;
    enum case_end how;
    char to[NUMBER_BYTES], reference[128], reason[512], order_no[NUMBER_BYTES];
    int64_t amount_fen, approval_id, left_fen;
};

static enum fd_code take_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct case_work *work = arg;
    return case_take(desk, work->base.key, work->id, err);
}

static void take_done(struct view *view, void *arg)
{
    (void)arg;
    app_message(view_app(view), MESSAGE_GOOD, "%s", _("It is yours now."));
    listing_load(view);
}

static void do_take(struct view *view, const void *arg)
{
    struct case_work *work = work_new(sizeof *work, take_run, take_done);
    work->id = ((const struct case_row *)arg)->id;
    key_new(work->base.key);
    work_post(view, N_("Taking the case"), JOB_WRITE, work);
}

/* --- closing ------------------------------------------------------------------------------------ */

enum { F_TO = 1, F_REFERENCE, F_REASON };

static const struct {
    const char *words; /* msgid */
    bool to, reference;
} ends[CASE_END_COUNT] = {
    [CASE_REFUNDED] = {N_("Give the money back"), false, false},
    [CASE_MOVED] = {N_("Move it to another order of this customer"), true, false},
    [CASE_CONFIRMED] = {N_("Confirm: the money is there"), false, false},
    [CASE_REJECTED] = {N_("Reject: the money is not there"), false, false},
    [CASE_PAID_BY_HAND] = {N_("It was given back by hand"), false, true},
    [CASE_RETRIED] = {N_("Try again"), false, false},
    [CASE_KEPT] = {N_("Nothing is to be done"), false, false},
    [CASE_NOT_DONE] = {N_("The merchant's account says: it was never done"), false, false},
    [CASE_RECORDED] = {N_("The merchant's account says: it went back"), false, true},
};

static const struct field fields[] = {
    {.id = F_TO,
     .label = N_("To order"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 24,
     .max_chars = 32,
     .hint = N_("Number or last 4 of the order that gets the money")},
    {.id = F_REFERENCE,
     .label = N_("Reference"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 24,
     .max_chars = 64,
     .hint = N_("Number of the transfer or slip")},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .width_cells = 44, .max_chars = 200},
};

static void close_fill(struct form *form, void *arg)
{
    const struct case_work *work = arg;
    form_hide(form, F_TO, !ends[work->how].to);
    form_hide(form, F_REFERENCE, !ends[work->how].reference);
    form_focus(form, ends[work->how].to ? F_TO : ends[work->how].reference ? F_REFERENCE : F_REASON);
}

static bool close_take(struct form *form, void *arg)
{
    struct case_work *work = arg;
    cut_copy(work->to, sizeof work->to, ends[work->how].to ? form_text(form, F_TO) : "");
    cut_copy(work->reference, sizeof work->reference, ends[work->how].reference ? form_text(form, F_REFERENCE) : "");
    cut_copy(work->reason, sizeof work->reason, form_text(form, F_REASON));
    return true;
}

static enum fd_code close_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct case_work *work = arg;
    const struct case_closing closing = {.how = work->how,
                                         .to = *work->to ? work->to : NULL,
                                         .reference = *work->reference ? work->reference : NULL,
                                         .reason = *work->reason ? work->reason : NULL,
                                         .approval_id = work->approval_id};
    return case_close(desk, work->base.key, work->id, &closing, &work->left_fen, err);
}

static int close_blame(const void *arg, const struct fd_error *err)
{
    const struct case_work *work = arg;
    if (err->code == FD_REASON_NEEDED)
        return F_REASON;
    return ends[work->how].to ? F_TO : ends[work->how].reference ? F_REFERENCE : F_REASON;
}

static void close_wish(void *arg, struct approval_wish *wish)
{
    struct case_work *work = arg;
    *wish = (struct approval_wish){
        .action = "refund", .order_no = work->order_no, .amount_fen = work->amount_fen, .reason = work->reason};
}

static void close_approved(void *arg, int64_t approval_id)
{
    ((struct case_work *)arg)->approval_id = approval_id;
}

static void close_done(struct view *view, void *arg)
{
    const struct case_work *work = arg;
    char money[40];
    if (work->left_fen > 0)
        app_message(view_app(view), MESSAGE_WARN, _("Done; %s remains, in a case of its own."),
                    show_yuan(work->left_fen, money));
    else
        app_message(view_app(view), MESSAGE_GOOD, _("Done: %s."), _(ends[work->how].words));
}

static const struct ask_spec close_spec = {
    .title = N_("Close the case"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Close it"),
    .working = N_("Closing the case"),
    .fill = close_fill,
    .take = close_take,
    .run = close_run,
    .blame = close_blame,
    .wish = close_wish,
    .approved = close_approved,
    .done = close_done,
};

static void end_picked(struct view *view, struct dialog *dialog, int answer, void *context)
{
    struct case_work *work = work_unhold(context);
    enum case_end allowed[CASE_END_COUNT];
    size_t count = case_ends(work->kind, allowed);
    (void)dialog;
    if (answer < 0 || (size_t)answer >= count) {
        work_free(work);
        return;
    }
    work->how = allowed[answer];
    ask_open(view, &close_spec, work);
}

static void do_close(struct view *view, const void *arg)
{
    const struct case_row *row = arg;
    const char *rows[CASE_END_COUNT];
    enum case_end allowed[CASE_END_COUNT];
    if (is_closed(row)) {
        app_message(view_app(view), MESSAGE_INFO, "%s", _("This case is closed."));
        return;
    }
    size_t count = case_ends(row->kind, allowed);
    for (size_t i = 0; i < count; i++)
        rows[i] = _(ends[allowed[i]].words);
    struct case_work *work = work_new(sizeof *work, NULL, NULL);
    work->id = row->id;
    work->kind = row->kind;
    work->amount_fen = row->amount_fen;
    cut_copy(work->order_no, sizeof work->order_no, row->order_no);
    work_hold(work);
    view_dialog(view, dialog_pick(_("How does it end?"), rows, count, 0), end_picked, work);
}

/* --- the view ------------------------------------------------------------------------------------ */

static void do_all(struct view *view, const void *row);

static const struct listing_act acts[] = {
    {REQ_OPEN, do_open, true},    {REQ_TAKE, do_take, true},   {REQ_CANCEL, do_close, true},
    {REQ_ORDERS, do_order, true}, {REQ_FILTER, do_all, false},
};
#define SPEC(read_rows)                                                                                                \
    {                                                                                                                  \
        .reading = N_("Reading what needs a person"), .empty = N_("Nothing needs a person."), .columns = columns,      \
        .column_count = sizeof columns / sizeof *columns, .row_bytes = sizeof(struct case_row), .read = (read_rows),   \
        .key = key, .cell = cell, .acts = acts, .act_count = sizeof acts / sizeof *acts,                               \
    }
static const struct listing_spec open_spec = SPEC(read_open), all_spec = SPEC(read_all);

static void do_all(struct view *view, const void *row)
{
    struct listing *listing = view_state(view);
    (void)row;
    listing->spec = listing->spec == &open_spec ? &all_spec : &open_spec;
    listing_load(view);
}

static void cases_open(struct view *view, const void *arg)
{
    (void)arg;
    listing_open(view, &open_spec);
}

static void cases_title(struct view *view, struct buf *text)
{
    const struct listing *listing = view_state(view);
    bool only_open = listing->spec == &open_spec;
    if (listing->more)
        buf_printf(text, only_open ? _("Needs a person  oldest %d of more") : _("Cases, closed too  newest %d of more"), CASES_MOST);
    else
        buf_add(text, only_open ? _("Needs a person") : _("Needs a person, closed ones too"));
}

static const char *cases_hint(const struct view *view)
{
    (void)view;
    return _("Enter read  t take  d close  o order  f also closed ones  Esc back");
}

static const struct keybind binds[] = {
    {{K_F(2), 't'}, REQ_TAKE, NC_("key", "Take"), N_("Take the case: it is yours")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(4), 'f'}, REQ_FILTER, NC_("key", "All"), N_("Also those that are closed, and back")},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Settle"), N_("Close the case")},
    {{'o'}, REQ_ORDERS, NULL, N_("The order of the case")},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Needs a person"), binds);

const struct view_ops view_cases = {
    .name = "cases",
    .label = NC_("tab", "Cases"),
    .private_bytes = sizeof(struct listing),
    .refresh_ms = 10000,
    .keys = &keys,
    .open = cases_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .child = listing_child,
    .title = cases_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
    .hint = cases_hint,
};
