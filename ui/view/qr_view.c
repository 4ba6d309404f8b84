/* Payment by WeChat or Alipay: the code on the screen, asked about each second until it is final. The channel is called
 * in the second thread, so this screen answers however slow it is. A code that is left is closed. */
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "ui/view/qr_internal.h"
#include "ui/view/slip.h"

/* The channel is asked once a second of the database's clock, so looking more often wastes none of it. */
enum { GREEN_MS = 6000, TICK_MS = 400 };

struct code_work {
    struct work base;
    struct console *console;
    char number[NUMBER_BYTES];
    enum channel_id channel;
    int64_t amount_fen, payment_id;
    struct pay_code code;
    bool opens, taken; /* the screen has the answer; else the code is abandoned */
};

static bool is_live(const struct pay_code *code)
{
    return code->payment_id && (code->state == CODE_WAITING || code->state == CODE_CHECKING);
}

/* --- closing what is left ---------------------------------------------------------------------- */

static enum fd_code close_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct code_work *work = arg;
    return code_close(desk, work->payment_id, &work->code, err);
}

static void load_top(struct app *app)
{
    struct view *top = app_top(app);
    if (!app_is_covered(app) && view_ops(top)->load && view_is_ready(top))
        view_ops(top)->load(top);
}

static void close_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct console *console = owner;
    struct code_work *work = arg;
    const char *how = part_channel(channel_name(work->channel)), *tail = show_tail(work->number);
    char money[40], until[HHMM_TEXT];
    if (code != FD_OK)
        log_error(err);
    if (code == FD_OK && work->code.state == CODE_PAID) {
        app_beep(console->app);
        app_message(console->app, MESSAGE_GOOD, _("The customer was faster: %s paid by %s for %s."),
                    show_yuan(work->code.paid.amount_fen, money), how, tail);
        slip_print(console, PRINT_RECEIPT, work->code.out_trade_no, true);
    } else if (code == FD_OK && work->code.state == CODE_DEAD) {
        app_message(console->app, MESSAGE_INFO, _("The %s code of %s is closed; the order is still unpaid."), how,
                    tail);
    } else if (code == FD_OK && work->code.until != WALL_NONE) {
        app_message(console->app, MESSAGE_WARN,
                    _("The %s code of %s may still be paid until %s; frontdesk goes on asking."), how, tail,
                    minute_text(wall_minute(work->code.until), until));
    } else {
        app_message(console->app, MESSAGE_WARN,
                    _("The %s code of %s could not be closed yet: it may still be paid, frontdesk goes on asking."),
                    how, tail);
    }
    load_top(console->app);
}

/* The screen may be gone when the channel answers, so the console hears it. */
static void abandon(struct console *console, const char *number, const struct pay_code *code)
{
    struct code_work *work = work_new(sizeof *work, NULL, NULL);
    work->payment_id = code->payment_id;
    work->channel = code->channel;
    cut_copy(work->number, sizeof work->number, number);
    const struct job job = {N_("Closing the payment code"), JOB_CHANNEL, close_run, close_done, work, work_free};
    jobs_post(console->jobs, console, &job);
}

/* Its screen was left while the channel made the code: nobody would close it. */
static void opened_for_nobody(void *arg)
{
    struct code_work *work = arg;
    if (work->opens && !work->taken && is_live(&work->code))
        abandon(work->console, work->number, &work->code);
}

/* --- answers ----------------------------------------------------------------------------------- */

static void forget_drawing(struct qr_state *state)
{
    state->qr = (struct qr){0};
    state->drawn[0] = '\0';
    arena_release(&state->drawing);
}

static void make_drawing(struct qr_state *state)
{
    struct fd_error err;
    if (!*state->code.text || strcmp(state->drawn, state->code.text) == 0)
        return;
    forget_drawing(state);
    if (qr_make(state->code.text, QR_LEVEL_L, &state->drawing, &state->qr, &err) != FD_OK)
        state->qr = (struct qr){0};
    cut_copy(state->drawn, sizeof state->drawn, state->code.text);
    if (!state->shown_ms)
        state->shown_ms = mono_ms();
}

static void trouble(struct qr_state *state, const char *message, const char *hint)
{
    cut_copy(state->trouble, sizeof state->trouble, message);
    cut_copy(state->hint, sizeof state->hint, hint);
}

static void turn_green(struct view *view)
{
    struct qr_state *state = view_state(view);
    struct app *app = view_app(view);
    char money[40], left[40];
    const char *how = part_channel(channel_name(state->code.channel));
    forget_drawing(state);
    trouble(state, "", "");
    state->stage = QR_GREEN;
    state->paid_ms = mono_ms();
    app_beep(app);
    slip_print(view_console(view), PRINT_RECEIPT, state->code.out_trade_no, true);
    show_yuan(state->code.paid.amount_fen, money);
    if (state->code.surplus)
        app_message(app, MESSAGE_WARN, _("%s %s paid; not all of it was owed any more: see what needs a person."), how,
                    money);
    else if (state->code.paid.left_fen > 0)
        app_message(app, MESSAGE_WARN, _("%s %s taken, %s is still owed."), how, money,
                    show_yuan(state->code.paid.left_fen, left));
    else
        app_message(app, MESSAGE_GOOD, _("%s %s taken."), how, money);
}

/* What a code is now, from whatever asked. */
static void take_code(struct view *view, const struct pay_code *code)
{
    struct qr_state *state = view_state(view);
    state->code = *code;
    state->channel = code->channel;
    if (code->now != WALL_NONE)
        app_set_clock(view_app(view), code->now);
    switch (code->state) {
    case CODE_PAID:
        turn_green(view);
        break;
    case CODE_DEAD:
        forget_drawing(state);
        state->stage = QR_OVER;
        trouble(state, _("This code is closed; nothing was paid."), _("r makes a new one."));
        break;
    case CODE_WAITING:
        state->stage = QR_SHOWN;
        trouble(state, "", "");
        make_drawing(state);
        break;
    case CODE_CHECKING:
        state->stage = QR_SHOWN;
        trouble(state, _("The payment channel does not answer; it is asked again each second."), "");
        make_drawing(state);
        break;
    }
    app_dirty(view_app(view));
}

static void print_instead(struct view *view)
{
    struct qr_state *state = view_state(view);
    if (state->setting != QR_PRINT || state->printed || !*state->code.text)
        return;
    state->printed = true;
    slip_print(view_console(view), PRINT_CODE, state->code.out_trade_no, false);
}

/* --- opening ----------------------------------------------------------------------------------- */

static enum fd_code open_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct code_work *work = arg;
    return code_open(desk, work->base.key, work->number, work->channel, work->amount_fen, &work->code, err);
}

static void open_done(struct view *view, void *arg)
{
    struct code_work *work = arg;
    work->taken = true;
    take_code(view, &work->code);
    print_instead(view);
}

static void poll(struct view *view);

static bool open_failed(struct view *view, void *arg, const struct fd_error *err)
{
    struct qr_state *state = view_state(view);
    struct code_work *work = arg;
    work->taken = true;
    log_error(err);
    app_beep(view_app(view));
    trouble(state, err->message, err->hint);
    state->stage = QR_OVER;
    /* The one before is not final: it stays what the customer may pay, and nothing else is offered. */
    if (is_live(&state->code)) {
        state->stage = QR_SHOWN;
        state->channel = state->code.channel;
        make_drawing(state);
        poll(view);
    }
    return true;
}

static void open_code(struct view *view, enum channel_id channel)
{
    struct qr_state *state = view_state(view);
    struct code_work *work = work_new(sizeof *work, open_run, open_done);
    key_new(work->base.key);
    work->console = view_console(view);
    work->opens = true;
    work->channel = state->channel = channel;
    work->amount_fen = state->amount_fen;
    work->base.failed = open_failed;
    work->base.release = opened_for_nobody;
    cut_copy(work->number, sizeof work->number, state->number);
    state->stage = QR_OPENING;
    state->shown_ms = 0;
    state->printed = false;
    forget_drawing(state); /* nobody may scan what is being closed */
    trouble(state, "", "");
    work_post(view, N_("Asking for a payment code"), JOB_CHANNEL, work);
}

/* --- asking ------------------------------------------------------------------------------------ */

static enum fd_code poll_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct code_work *work = arg;
    return code_poll(desk, work->payment_id, &work->code, err);
}

static void poll_done(struct view *view, void *arg)
{
    struct code_work *work = arg;
    struct qr_state *state = view_state(view);
    state->asking = false;
    /* Another code may have been asked for meanwhile. */
    if (state->stage == QR_SHOWN && state->code.payment_id == work->payment_id)
        take_code(view, &work->code);
    print_instead(view);
}

static bool poll_failed(struct view *view, void *arg, const struct fd_error *err)
{
    struct qr_state *state = view_state(view);
    (void)arg;
    state->asking = false;
    if (err->code != FD_DB_DOWN && err->code != FD_CANCELLED)
        trouble(state, err->message, err->hint);
    return true;
}

static void poll(struct view *view)
{
    struct qr_state *state = view_state(view);
    if (state->asking || state->stage != QR_SHOWN || !state->code.payment_id)
        return;
    struct code_work *work = work_new(sizeof *work, poll_run, poll_done);
    work->payment_id = state->code.payment_id;
    work->base.failed = poll_failed;
    state->asking = true;
    work_post(view, "", JOB_CHANNEL, work);
}

int qr_green_left_s(const struct qr_state *state)
{
    int64_t left_ms = state->paid_ms + GREEN_MS - mono_ms();
    return left_ms > 0 ? (int)((left_ms + 999) / 1000) : 0;
}

static void tick(struct view *view)
{
    const struct qr_state *state = view_state(view);
    if (state->stage == QR_GREEN && mono_ms() - state->paid_ms >= GREEN_MS) {
        view_close(view, QR_PAID);
        return;
    }
    if (state->stage == QR_SHOWN)
        app_awake(view_app(view)); /* a customer looks at it: no lock in front of the code */
    poll(view);
}

/* --- life -------------------------------------------------------------------------------------- */

static void qr_open(struct view *view, const void *arg)
{
    struct qr_state *state = view_state(view);
    const struct qr_args *args = arg;
    state->title = "";
    state->setting = qr_setting_here(view_console(view));
    if (!args)
        return;
    cut_copy(state->number, sizeof state->number, args->number);
    state->amount_fen = args->amount_fen;
    state->title = arena_str(&state->arena, args->title ? args->title : "");
    state->lines = arena_array(&state->arena, args->line_count ? args->line_count : 1, sizeof *state->lines);
    state->line_count = args->line_count;
    for (size_t i = 0; i < args->line_count; i++)
        state->lines[i] = (struct pay_line){arena_str(&state->arena, args->lines[i].text), args->lines[i].fen};
    open_code(view, args->channel);
}

static void qr_close(struct view *view)
{
    struct qr_state *state = view_state(view);
    if (state->stage != QR_GREEN && is_live(&state->code)) {
        abandon(view_console(view), state->number, &state->code);
        app_message(view_app(view), MESSAGE_INFO, _("Closing the %s code of %s …"),
                    part_channel(channel_name(state->code.channel)), show_tail(state->number));
    }
    arena_release(&state->drawing);
    arena_release(&state->arena);
}

const struct paid *qr_outcome(const struct view *view)
{
    return &VIEW_STATE(struct qr_state, view)->code.paid;
}

char qr_digit(const struct view *view)
{
    return VIEW_STATE(struct qr_state, view)->digit;
}

/* --- keys -------------------------------------------------------------------------------------- */

static void to_tender(struct view *view, char digit)
{
    struct qr_state *state = view_state(view);
    state->digit = digit;
    view_close(view, QR_TO_TENDER);
}

static void to_channel(struct view *view, enum channel_id channel)
{
    const struct qr_state *state = view_state(view);
    if (state->stage == QR_OPENING)
        return;
    if (state->stage != QR_SHOWN || channel != state->channel)
        open_code(view, channel);
}

static void change_size(struct view *view)
{
    struct qr_state *state = view_state(view);
    if (state->stage != QR_SHOWN || !state->qr.size)
        return;
    if (!state->large && !state->large_fits) {
        app_message(view_app(view), MESSAGE_INFO, "%s", _("The window is too small for the large code."));
        return;
    }
    state->setting = state->large ? QR_HALF : QR_FULL;
    qr_setting_keep(view_console(view), state->setting);
}

static bool qr_input(struct view *view, const struct input *input)
{
    const struct qr_state *state = view_state(view);
    if (state->stage != QR_GREEN || (input->kind != INPUT_KEY && input->kind != INPUT_MOUSE))
        return false;
    view_close(view, QR_PAID);
    return true;
}

static bool qr_request(struct view *view, enum request request, const struct input *input)
{
    struct qr_state *state = view_state(view);
    char digit = input ? (char)(input->key & K_BASE) : '1';
    switch ((int)request) {
    case REQ_CHANNEL:
        to_channel(view, digit == '3' ? CHANNEL_ALIPAY : CHANNEL_WECHAT);
        return true;
    case REQ_TENDER:
        to_tender(view, digit);
        return true;
    case REQ_RECEIPT:
        if (*state->code.text)
            slip_print(view_console(view), PRINT_CODE, state->code.out_trade_no, false);
        return true;
    case REQ_SIZE:
        change_size(view);
        return true;
    case REQ_FLIP:
        state->flip = !state->flip;
        return true;
    case REQ_NEW:
        if (state->stage == QR_OVER)
            open_code(view, state->channel);
        return true;
    case REQ_REFRESH:
        poll(view);
        return true;
    case REQ_CANCEL:
        view_close(view, QR_LEFT);
        return true;
    default:
        return false;
    }
}

static bool qr_can(const struct view *view, enum request request)
{
    const struct qr_state *state = view_state(view);
    if (request == REQ_NEW)
        return state->stage == QR_OVER;
    if (request == REQ_RECEIPT)
        return *state->code.text != '\0';
    return true;
}

static bool qr_flood(const struct view *view, style_t *style)
{
    *style = STYLE_SUCCESS;
    return VIEW_STATE(struct qr_state, view)->stage == QR_GREEN;
}

static const struct keybind qr_binds[] = {
    {{K_F(2), 'r'}, REQ_NEW, NC_("key", "Again"), N_("Another code, where this one is over")},
    {{'2', '3'}, REQ_CHANNEL, NULL, N_("2 WeChat, 3 Alipay: the code of the other is closed first")},
    {{'1', '4', '5', '6'}, REQ_TENDER, NULL, N_("Cash or another way instead; the code is closed")},
    {{'7', '8', '9'}, REQ_NONE, NULL, NULL},
    {{'p'}, REQ_RECEIPT, NULL, N_("Print the code as a payment slip")},
    {{'b'}, REQ_SIZE, NULL, N_("Large or small code")},
    {{'i'}, REQ_FLIP, NULL, NULL},
    {{K_F(8), 'd'}, REQ_CANCEL, NC_("key", "Drop"), N_("Leave it unpaid; the code is closed")},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(5), 'R', K_CTRL | 'r'}, REQ_REFRESH, NC_("key", "Refr"), NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
};
static const struct keymap qr_keys = KEYMAP(N_("Payment code"), qr_binds);

const struct view_ops view_qr = {
    .name = "qr",
    .label = NC_("tab", "Code"),
    .private_bytes = sizeof(struct qr_state),
    .keys = &qr_keys,
    .open = qr_open,
    .close = qr_close,
    .title = qr_view_title,
    .draw = qr_view_draw,
    .input = qr_input,
    .request = qr_request,
    .can = qr_can,
    .tick = tick,
    .tick_ms = TICK_MS,
    .flood = qr_flood,
};
