/* Subcommands of payment codes: pay wechat, pay alipay, pay code, channel check. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/code_internal.h"
#include "outside/qr.h"
#include "outside/tree.h"

#define POLL_MS    2000
#define MARGIN     2
#define CHECK_TEXT 512

#define NUMBER_PARAM                                                                                                   \
    {                                                                                                                  \
        "number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL,                                                             \
            N_("order or bill: whole number, or its last 4 characters or more")                                        \
    }
const struct action_param code_open_params[] = {
    NUMBER_PARAM,
    {"amount", P_MONEY, 0, NULL, N_("yuan to take (default: all that is owed)")},
    {"wait", P_SWITCH, 0, NULL, N_("ask until it is paid or over; Ctrl-C closes it")},
    {"png", P_TEXT, 0, NULL, N_("write the code as a picture into this file")},
    {"svg", P_TEXT, 0, NULL, N_("write the code as a drawing into this file")},
    {NULL, P_TEXT, 0, NULL, NULL},
};
const struct action_param code_show_params[] = {
    NUMBER_PARAM,
    {"close", P_SWITCH, 0, NULL, N_("close it, so that nobody can pay it any more")},
    {NULL, P_TEXT, 0, NULL, NULL},
};

static const struct {
    const char *name;
    const char *text; /* N_() */
} states[] = {
    [CODE_WAITING] = {"waiting", N_("The customer scans and pays.")},
    [CODE_PAID] = {"paid", N_("Paid.")},
    [CODE_DEAD] = {"closed", N_("This code is closed; nothing was paid by it.")},
    [CODE_CHECKING] = {"checking", N_("The payment channel has not answered yet. The same again asks it.")},
};

struct tree *code_tree(const struct pay_code *code)
{
    char until[WALL_TEXT];
    struct tree *tree = tree_object();
    tree_put_text(tree, "code", code->text[0] && code->state == CODE_WAITING ? code->text : NULL);
    tree_put_text(tree, "out_trade_no", code->out_trade_no);
    tree_put_text(tree, "receipt_no", code->receipt_no);
    tree_put_text(tree, "channel", channel_name(code->channel));
    tree_put_int(tree, "payment", code->payment_id);
    tree_put_int(tree, "amount_fen", code->amount_fen);
    tree_put_text(tree, "until", code->until == WALL_NONE ? NULL : wall_sql(code->until, until));
    tree_put_text(tree, "state", states[code->state].name);
    if (code->state == CODE_PAID) {
        tree_put_int(tree, "left_fen", code->paid.left_fen);
        tree_put_int(tree, "orders_paid", code->paid.orders_paid);
        tree_put_bool(tree, "surplus", code->surplus);
    }
    return tree;
}

/* Two modules a character; what is light is drawn, for most terminals are dark. */
static void say_qr(struct call *call, const char *text)
{
    struct qr qr;
    struct fd_error ignored;
    if (qr_make(text, QR_LEVEL_L, &call->arena, &qr, &ignored) != FD_OK)
        return;
    for (int row = -MARGIN; row < qr.size + MARGIN; row += 2) {
        struct buf line = {0};
        for (int column = -MARGIN; column < qr.size + MARGIN; column++) {
            bool above = !qr_dark(&qr, row, column), below = !qr_dark(&qr, row + 1, column);
            buf_add(&line, above && below ? "█" : above ? "▀" : below ? "▄" : " ");
        }
        call_say(call, "%s", buf_text(&line));
        buf_release(&line);
    }
}

void code_say(struct call *call, const struct pay_code *code)
{
    char amount[FEN_TEXT], until[WALL_TEXT];
    const char *channel = code->channel == CHANNEL_WECHAT ? i18n_label(tenders[TENDER_WECHAT].label)
                                                          : i18n_label(tenders[TENDER_ALIPAY].label);
    if (code->state == CODE_WAITING)
        say_qr(call, code->text);
    if (code->state == CODE_WAITING || code->state == CODE_CHECKING)
        call_say(call, _("%s: %s, receipt %s, until %s."), channel, fen_text(code->amount_fen, amount),
                 code->receipt_no, code->until == WALL_NONE ? "-" : wall_sql(code->until, until));
    call_say(call, "%s", _(states[code->state].text));
    if (code->state != CODE_PAID)
        return;
    call_say(call, _("%s: %s taken, receipt %s."), channel, fen_text(code->amount_fen, amount), code->receipt_no);
    if (code->surplus)
        call_say(call, "%s", _("Some of it found no order that waits for money: a person has to look at it."));
    if (code->paid.left_fen > 0)
        call_say(call, _("Still owed: %s."), fen_text(code->paid.left_fen, amount));
}

static void answer(struct call *call, const struct pay_code *code)
{
    tree_free(&call->answer);
    call->answer = code_tree(code);
    code_say(call, code);
}

static enum fd_code write_pictures(struct call *call, const struct pay_code *code, struct fd_error *err)
{
    static const char *const kinds[] = {"png", "svg"};
    struct qr qr;
    enum fd_code result = FD_OK;
    for (size_t i = 0; result == FD_OK && i < sizeof kinds / sizeof *kinds; i++) {
        const char *path = call_text(call, kinds[i]);
        const char *dot = path ? strrchr(path, '.') : NULL;
        if (!path)
            continue;
        if (!dot || !text_same(dot + 1, kinds[i]))
            return fd_fail(err, FD_BAD_INPUT, _("--%s: the name of the file ends in .%s."), kinds[i], kinds[i]);
        if (code->state != CODE_WAITING)
            continue;
        result = qr_make(code->text, QR_LEVEL_M, &call->arena, &qr, err);
        if (result == FD_OK)
            result = qr_write_file(&qr, path, err);
    }
    return result;
}

static volatile sig_atomic_t stop_asked;

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static bool is_open(const struct pay_code *code)
{
    return code->state == CODE_WAITING || code->state == CODE_CHECKING;
}

/* Until it is final. Whoever breaks off does not want it to be paid behind his back: it is closed then. */
static enum fd_code wait_final(struct call *call, struct pay_code *code, struct fd_error *err)
{
    struct sigaction stop = {.sa_handler = ask_stop}, before_int, before_term;
    enum fd_code result = FD_OK;
    stop_asked = 0;
    sigaction(SIGINT, &stop, &before_int);
    sigaction(SIGTERM, &stop, &before_term);
    while (result == FD_OK && is_open(code) && !stop_asked) {
        sleep_ms(POLL_MS);
        bool over = code->until != WALL_NONE && code->now > code->until;
        if (!stop_asked)
            result = over ? code_close(call->desk, code->payment_id, code, err)
                          : code_poll(call->desk, code->payment_id, code, err);
        /* What is asked for again and again may fail once; the code is open all the same. */
        if (result == FD_AGAIN || result == FD_DB_DOWN)
            result = FD_OK;
        if (over && is_open(code))
            break;
    }
    if (stop_asked)
        result = code_close(call->desk, code->payment_id, code, err);
    sigaction(SIGINT, &before_int, NULL);
    sigaction(SIGTERM, &before_term, NULL);
    return result;
}

/* Whoever waited goes on only where it was paid. */
static enum fd_code not_paid(const struct pay_code *code, struct fd_error *err)
{
    if (is_open(code)) {
        fd_fail(err, FD_LIVE_CODE, _("Receipt %s was not paid, but its code can still be paid."), code->receipt_no);
        fd_hint(err, _("The worker closes it; until then its place stays taken."));
        return FD_LIVE_CODE;
    }
    fd_fail(err, FD_UNPAID, _("Receipt %s was not paid; its code is closed."), code->receipt_no);
    fd_hint(err, _("Open another one, or take payment another way."));
    return FD_UNPAID;
}

static enum fd_code open_run(struct call *call, enum channel_id channel, struct fd_error *err)
{
    struct pay_code code;
    int64_t amount_fen;
    bool wait = call_switch(call, "wait");
    enum fd_code result = call_fen(call, "amount", 0, &amount_fen, err);
    if (result == FD_OK && amount_fen == 0 && call_given(call, "amount"))
        result = fd_fail(err, FD_BAD_INPUT, "%s", _("amount: 0.00 takes nothing."));
    if (result == FD_OK && wait && !call->show_now)
        result = fd_fail(err, FD_BAD_INPUT, "%s", _("--wait is for the command line; here the payment screen waits."));
    if (result == FD_OK)
        result = code_open(call->desk, call->key, call_text(call, "number"), channel, amount_fen, &code, err);
    if (result == FD_OK)
        result = write_pictures(call, &code, err);
    if (result != FD_OK)
        return result;
    answer(call, &code);
    if (!wait || !is_open(&code))
        return FD_OK;
    call->show_now(call);
    result = wait_final(call, &code, err);
    if (result == FD_OK && code.state != CODE_PAID)
        result = not_paid(&code, err);
    if (result == FD_OK)
        answer(call, &code);
    return result;
}

enum fd_code code_wechat_run(struct call *call, struct fd_error *err)
{
    return open_run(call, CHANNEL_WECHAT, err);
}

enum fd_code code_alipay_run(struct call *call, struct fd_error *err)
{
    return open_run(call, CHANNEL_ALIPAY, err);
}

struct finding {
    const char *number;
    struct arena *arena;
    int64_t payment_id;
};

/* The newest live code of a number's orders. */
static enum fd_code find_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct finding *finding = arg;
    struct owed owed;
    int64_t *ids;
    size_t count = 0;
    finding->payment_id = 0;
    enum fd_code code = pay_owed(db, finding->number, finding->arena, &owed, err);
    for (size_t i = 0; code == FD_OK && i < owed.all_count; i++) {
        if (owed.asked && owed.all[i] != owed.asked)
            continue;
        code = code_live_ids(db, owed.all[i]->order_no, false, finding->arena, &ids, &count, err);
        if (code == FD_OK && count > 0 && ids[count - 1] > finding->payment_id)
            finding->payment_id = ids[count - 1];
    }
    return code;
}

enum fd_code code_show_run(struct call *call, struct fd_error *err)
{
    struct finding finding = {.number = call_text(call, "number"), .arena = &call->arena};
    struct pay_code code;
    enum fd_code result = desk_read(call->desk, "code.find", find_txn, &finding, err);
    if (result == FD_OK && finding.payment_id == 0)
        result = fd_fail(err, FD_NOT_FOUND, _("%s has no payment code that is open."), finding.number);
    bool close = call_switch(call, "close"), readonly = config_switch(call->config, CONFIG_READONLY);
    if (result == FD_OK && close && readonly)
        result = fd_fail(err, FD_NO_PERMISSION, "%s",
                         _("This would change something, and frontdesk was started read-only."));
    if (result == FD_OK)
        result = close      ? code_close(call->desk, finding.payment_id, &code, err)
                 : readonly ? code_tell(call->desk, finding.payment_id, &code, err)
                            : code_poll(call->desk, finding.payment_id, &code, err);
    if (result == FD_OK)
        answer(call, &code);
    return result;
}

/* Every channel is looked at, so that one call tells all; the first error is the answer. */
enum fd_code channel_check_run(struct call *call, struct fd_error *err)
{
    struct channels *channels = NULL;
    enum fd_code result = channels_load(config_text(call->config, CONFIG_CHANNELS), &channels, err);
    if (result != FD_OK)
        return result;
    size_t found = 0;
    call->answer = tree_list();
    for (int id = 0; id < CHANNEL_COUNT; id++) {
        struct channel *channel = channels_get(channels, (enum channel_id)id);
        char text[CHECK_TEXT] = "";
        struct fd_error local = {0};
        int64_t skew_s;
        if (!channel)
            continue;
        found++;
        enum fd_code code = channel_check(channel, text, sizeof text, &local);
        struct tree *row = tree_object();
        tree_put_text(row, "channel", channel_name((enum channel_id)id));
        tree_put_bool(row, "good", code == FD_OK);
        tree_put_text(row, "text", code == FD_OK ? text : local.message);
        if (channel_skew(channel, &skew_s))
            tree_put_int(row, "clock_s", skew_s);
        tree_add(call->answer, row);
        if (code == FD_OK)
            call_say(call, "%s", text); /* which says whose answer it is */
        if (code != FD_OK && result == FD_OK && err)
            *err = local;
        result = result == FD_OK ? code : result;
    }
    channels_free(&channels);
    if (found == 0) {
        fd_fail(err, FD_CONFIG, _("No payment channel is configured."));
        fd_hint(err, _("Name the file with the merchant accounts: [channels] file in frontdesk.conf."));
        return FD_CONFIG;
    }
    return result;
}
