/* Forms of a shift: opening with a float, cash in and out, the blind count. And the list of past shifts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"
#include "money/shift.h"
#include "ui/view/ask.h"
#include "ui/view/listing.h"
#include "ui/view/shift_internal.h"
#include "ui/view/slip.h"

/* --- open, in, out -------------------------------------------------------------------------------- */

enum { F_AMOUNT = 1, F_REASON };

struct cash_work {
    struct work base;
    bool opens, out;
    int64_t fen, id;
    char reason[512];
};

static const struct field open_fields[] = {
    {.id = F_AMOUNT,
     .label = N_("Float"),
     .kind = FIELD_MONEY,
     .width_cells = 12,
     .hint = N_("What is in the drawer now; empty: what the last shift left")},
};
static const struct field cash_fields[] = {
    {.id = F_AMOUNT, .label = N_("Amount"), .kind = FIELD_MONEY, .flags = FIELD_REQUIRED, .width_cells = 12},
    {.id = F_REASON,
     .label = N_("Reason"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 44,
     .max_chars = 120},
};

static bool cash_take(struct form *form, void *arg)
{
    struct cash_work *work = arg;
    work->fen = form_fen(form, F_AMOUNT);
    if (!work->opens) {
        cut_copy(work->reason, sizeof work->reason, form_text(form, F_REASON));
        if (work->fen == 0) {
            form_error(form, F_AMOUNT, _("It must be above 0."));
            form_focus(form, F_AMOUNT);
            return false;
        }
    }
    return true;
}

static enum fd_code cash_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct cash_work *work = arg;
    if (work->opens)
        return shift_open(desk, work->base.key, work->fen, &work->id, err);
    return shift_cash(desk, work->base.key, work->out ? -work->fen : work->fen, work->reason, err);
}

static void cash_done(struct view *view, void *arg)
{
    const struct cash_work *work = arg;
    char money[40];
    if (work->opens)
        app_message(view_app(view), MESSAGE_GOOD, _("Shift %lld is open."), (long long)work->id);
    else
        app_message(view_app(view), MESSAGE_GOOD, work->out ? _("%s taken out.") : _("%s put in."),
                    show_yuan(work->fen, money));
}

static int cash_blame(const void *arg, const struct fd_error *err)
{
    const struct cash_work *work = arg;
    return err->code == FD_REASON_NEEDED && !work->opens ? F_REASON : F_AMOUNT;
}

static const struct ask_spec open_spec = {
    .title = N_("Open the shift"),
    .fields = open_fields,
    .field_count = 1,
    .save = N_("Open the shift"),
    .working = N_("Opening the shift"),
    .take = cash_take,
    .run = cash_run,
    .blame = cash_blame,
    .done = cash_done,
};
static const struct ask_spec in_spec = {
    .title = N_("Put cash in"),
    .fields = cash_fields,
    .field_count = 2,
    .save = N_("Put in"),
    .working = N_("Putting cash in"),
    .take = cash_take,
    .run = cash_run,
    .blame = cash_blame,
    .done = cash_done,
};
static const struct ask_spec out_spec = {
    .title = N_("Take cash out"),
    .fields = cash_fields,
    .field_count = 2,
    .save = N_("Take out"),
    .working = N_("Taking cash out"),
    .take = cash_take,
    .run = cash_run,
    .blame = cash_blame,
    .done = cash_done,
};

void shift_ask_open(struct view *view)
{
    struct cash_work *work = work_new(sizeof *work, NULL, NULL);
    work->opens = true;
    ask_open(view, &open_spec, work);
}

void shift_ask_cash(struct view *view, bool out)
{
    struct cash_work *work = work_new(sizeof *work, NULL, NULL);
    work->out = out;
    ask_open(view, out ? &out_spec : &in_spec, work);
}

/* --- the count ------------------------------------------------------------------------------------ */

static const struct {
    const char *label;
    const char *yuan;
    int64_t fen;
} pieces[] = {
    {"100", "100", 10000}, {"50", "50", 5000}, {"20", "20", 2000}, {"10", "10", 1000},
    {"5", "5", 500},       {"1", "1", 100},    {"0.5", "0.5", 50}, {"0.1", "0.1", 10},
};
enum { PIECES = sizeof pieces / sizeof *pieces, F_PIECE = 1, F_COUNTED = 20, F_LEFT, F_WHY };

static const struct field close_fields[] = {
    {.id = F_PIECE,
     .label = "100",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH,
     .width_cells = 6,
     .max_chars = 5,
     .hint = N_("How many of each note and coin; or the sum below")},
    {.id = F_PIECE + 1,
     .label = "50 ",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_PIECE + 2,
     .label = "20 ",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_PIECE + 3,
     .label = "10 ",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_PIECE + 4, .label = "5", .kind = FIELD_NUMBER, .flags = FIELD_WATCH, .width_cells = 6, .max_chars = 5},
    {.id = F_PIECE + 5,
     .label = "1  ",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_PIECE + 6,
     .label = "0.5",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_PIECE + 7,
     .label = "0.1",
     .kind = FIELD_NUMBER,
     .flags = FIELD_WATCH | FIELD_SAME_LINE,
     .width_cells = 6,
     .max_chars = 5},
    {.id = F_COUNTED,
     .label = N_("Counted in all"),
     .kind = FIELD_MONEY,
     .flags = FIELD_REQUIRED | FIELD_GAP,
     .width_cells = 12},
    {.id = F_LEFT,
     .label = N_("Stays in the drawer"),
     .kind = FIELD_MONEY,
     .width_cells = 12,
     .hint = N_("Float for the next shift; empty: all that was counted")},
    {.id = F_WHY,
     .label = N_("Explanation"),
     .kind = FIELD_TEXT,
     .width_cells = 44,
     .max_chars = 120,
     .hint = N_("Where what was counted is not what should be there")},
};

struct close_work {
    struct work base;
    int64_t counted_fen, left_fen;
    char denominations[256], explanation[512]; /* denominations "100=3,50=2"; "" none were counted */
    int64_t id, expected_fen, difference_fen;
};

static int64_t sum_of_pieces(struct form *form, char *text, size_t bytes)
{
    int64_t sum = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < PIECES; i++) {
        int64_t count = atoll(form_text(form, F_PIECE + i));
        if (count <= 0)
            continue;
        sum += count * pieces[i].fen;
        if (used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s=%lld", used ? "," : "", pieces[i].yuan,
                                     (long long)count);
    }
    return sum;
}

static void close_changed(struct form *form, int id, void *arg)
{
    char text[256];
    (void)arg;
    if (id < F_PIECE || id >= F_PIECE + PIECES)
        return;
    int64_t sum = sum_of_pieces(form, text, sizeof text);
    if (sum > 0)
        form_set_fen(form, F_COUNTED, sum);
}

static bool close_take(struct form *form, void *arg)
{
    struct close_work *work = arg;
    work->counted_fen = form_fen(form, F_COUNTED);
    work->left_fen = form_fen(form, F_LEFT);
    /* A sum that was typed over the pieces stands alone. */
    if (sum_of_pieces(form, work->denominations, sizeof work->denominations) != work->counted_fen)
        work->denominations[0] = '\0';
    cut_copy(work->explanation, sizeof work->explanation, form_text(form, F_WHY));
    return true;
}

static enum fd_code close_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct close_work *work = arg;
    char *json = NULL;
    int64_t sum = 0;
    struct shift_sum *shift = NULL;
    enum fd_code code = *work->denominations ? shift_denominations(work->denominations, &json, &sum, err) : FD_OK;
    const struct shift_count count = {.counted_fen = work->counted_fen,
                                      .left_fen = work->left_fen,
                                      .denominations = json,
                                      .explanation = *work->explanation ? work->explanation : NULL};
    if (code == FD_OK)
        code = shift_close(desk, work->base.key, &count, &work->base.arena, &shift, err);
    free(json);
    if (code != FD_OK)
        return code;
    work->id = shift->id;
    work->expected_fen = shift->expected_fen;
    work->difference_fen = shift->difference_fen;
    return FD_OK;
}

static int close_blame(const void *arg, const struct fd_error *err)
{
    (void)arg;
    return err->code == FD_REASON_NEEDED ? F_WHY : F_COUNTED;
}

static void nothing(struct view *view, struct dialog *dialog, int answer, void *context)
{
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void close_done(struct view *view, void *arg)
{
    const struct close_work *work = arg;
    char counted[40], expected[40], difference[40], number[32];
    char *body = xprintf(_("Counted %s, should be %s: difference %s."), show_yuan(work->counted_fen, counted),
                         show_yuan(work->expected_fen, expected), show_yuan(work->difference_fen, difference));
    char title[80];
    snprintf(title, sizeof title, _("Shift %lld is closed"), (long long)work->id);
    view_dialog(view, dialog_tell(title, body), nothing, NULL);
    free(body);
    snprintf(number, sizeof number, "%lld", (long long)work->id);
    slip_print(view_console(view), PRINT_SHIFT, number, true);
}

static const struct ask_spec close_spec = {
    .title = N_("Close the shift"),
    .intro = N_("Count what is in the drawer. What should be there is told afterwards."),
    .fields = close_fields,
    .field_count = sizeof close_fields / sizeof *close_fields,
    .save = N_("Close"),
    .working = N_("Closing the shift"),
    .changed = close_changed,
    .take = close_take,
    .run = close_run,
    .blame = close_blame,
    .done = close_done,
};

void shift_ask_close(struct view *view)
{
    struct close_work *work = work_new(sizeof *work, NULL, NULL);
    ask_open(view, &close_spec, work);
}

/* --- past shifts ---------------------------------------------------------------------------------- */

enum { C_ID, C_TERMINAL, C_FROM, C_TO, C_BY, C_EXPECTED, C_DIFFERENCE };
enum { DAYS_BACK = 31 };

static const struct list_column columns[] = {
    {.label = NC_("column", "Shift"), .cells = 5, .frozen = true, .align = 1},
    {.label = NC_("column", "Terminal"), .cells = 9, .grow = 1, .align = -1},
    {.label = NC_("column", "From"), .cells = 14, .align = -1},
    {.label = NC_("column", "To"), .cells = 14, .align = -1},
    {.label = NC_("column", "Closed by"), .cells = 9, .priority = 1, .grow = 1, .align = -1},
    {.label = NC_("column", "Should be"), .cells = 11, .align = 1},
    {.label = NC_("column", "Difference"), .cells = 10, .align = 1},
};

static enum fd_code read_shifts(struct desk *desk, void *arg, struct fd_error *err)
{
    struct listing_work *work = arg;
    struct shift_sum *rows = NULL;
    wall_t now;
    enum fd_code code = desk_now(desk, &now, err);
    if (code == FD_OK)
        code = shift_list(desk, wall_day(now) - DAYS_BACK, wall_day(now), &work->base.arena, &rows, &work->count, err);
    work->rows = rows;
    return code;
}

static int64_t key(const void *row)
{
    return ((const struct shift_sum *)row)->id;
}

static void cell(const void *arg, unsigned column, char *out, size_t bytes, style_t *style)
{
    const struct shift_sum *row = arg;
    bool open = strcmp(row->status, "OPEN") == 0;
    char money[FEN_TEXT];
    switch (column) {
    case C_ID:
        snprintf(out, bytes, "%lld", (long long)row->id);
        break;
    case C_TERMINAL:
        cut_copy(out, bytes, row->terminal);
        break;
    case C_FROM:
        part_stamp(row->opened_at, out, bytes);
        break;
    case C_TO:
        cut_copy(out, bytes, open ? _("still open") : part_stamp(row->closed_at, out, bytes));
        *style = open ? STYLE_GOOD : STYLE_TEXT;
        break;
    case C_BY:
        cut_copy(out, bytes, open ? row->opened_by : row->closed_by);
        break;
    case C_EXPECTED:
        cut_copy(out, bytes, open && row->blind ? "" : fen_text(row->expected_fen, money));
        *style = STYLE_MONEY;
        break;
    default:
        cut_copy(out, bytes, open ? "" : fen_text(row->difference_fen, money));
        *style = row->difference_fen ? STYLE_ERROR : STYLE_DIM;
        break;
    }
}

static void do_open(struct view *view, const void *row)
{
    view_push(view, &view_shift, &(struct shift_args){((const struct shift_sum *)row)->id});
}

static const struct listing_act acts[] = {{REQ_OPEN, do_open, true}};
static const struct listing_spec listing_spec = {
    .reading = N_("Reading past shifts"),
    .empty = N_("There was no shift in the last month."),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .row_bytes = sizeof(struct shift_sum),
    .read = read_shifts,
    .key = key,
    .cell = cell,
    .acts = acts,
    .act_count = 1,
};

static void shifts_open(struct view *view, const void *arg)
{
    (void)arg;
    listing_open(view, &listing_spec);
}

static void shifts_title(struct view *view, struct buf *text)
{
    (void)view;
    buf_add(text, _("Past shifts"));
}

static const struct keybind binds[] = {
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Search among the rows; n and N go on")},
    {{K_F(2)}, REQ_NONE, NULL, NULL},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Past shifts"), binds);

const struct view_ops view_shifts = {
    .name = "shifts",
    .label = NC_("tab", "Shifts"),
    .private_bytes = sizeof(struct listing),
    .keys = &keys,
    .open = shifts_open,
    .close = listing_close,
    .load = listing_load,
    .show = listing_show,
    .title = shifts_title,
    .draw = listing_draw,
    .input = listing_input,
    .request = listing_request,
    .can = listing_can,
};
