#include "sandbox/command_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/money.h"
#include "base/text.h"
#include "sandbox/deal.h"
#include "sandbox/notify.h"
#include "sandbox/web.h"

#define PAYER "customer"

struct command {
    const char *name;
    size_t least, most; /* operands */
    const char *usage;  /* after the name */
    const char *help;   /* untranslated */
    command_fn *run;
};

static const struct option {
    const char *name;
    size_t at;
} options[] = {
    {"--payer", offsetof(struct words, payer)},   {"--amount", offsetof(struct words, amount)},
    {"--coupon", offsetof(struct words, coupon)}, {"--at", offsetof(struct words, at)},
    {"--channel", offsetof(struct words, gate)},  {"--ms", offsetof(struct words, ms)},
};

static enum fd_code number_of(const char *text, int64_t least, int64_t most, int64_t *number, struct fd_error *err)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        return fd_fail(err, FD_BAD_INPUT, _("%s: a number from %lld to %lld is needed."), text, (long long)least,
                       (long long)most);
    *number = value;
    return FD_OK;
}

/* The index of `name` among `count` names. */
static enum fd_code choice_of(const char *name, const char *const *names, int count, int64_t *index,
                              struct fd_error *err)
{
    struct buf list = {0};
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            *index = i;
            buf_release(&list);
            return FD_OK;
        }
        buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    enum fd_code code = fd_fail(err, FD_BAD_INPUT, _("%s is not one of: %s"), name, buf_text(&list));
    buf_release(&list);
    return code;
}

/* ---- the payer ---- */

static void tell_trade(const struct trade *trade, struct command_result *result)
{
    char amount[FEN_TEXT], clean[600];
    text_clean(clean, sizeof clean, trade->subject);
    buf_printf(&result->text, "%s  %s  ¥%s  %s  %s\n", gate_name((enum gate)trade->gate), trade->number,
               fen_decimal(trade->paid_at ? trade->paid_fen : trade->amount_fen, amount), stage_name(trade->stage),
               clean);
    result->answer = trade_tree(trade);
    tree_put_text(result->answer, "channel", gate_name((enum gate)trade->gate));
    tree_put_text(result->answer, "state", stage_name(trade->stage));
}

/* Who scanned it pays it, unless somebody else is named. */
static const char *payer_of(const struct words *words, const struct trade *trade)
{
    return words->payer ? words->payer : trade->payer[0] ? trade->payer : PAYER;
}

static enum fd_code run_scan(struct box *box, const struct words *words, struct command_result *result,
                             struct fd_error *err)
{
    struct trade *trade;
    enum fd_code code = payer_finds(box, words->operand[0], &trade, err);
    if (code == FD_OK)
        code = payer_scans(box, trade, payer_of(words, trade), err);
    if (code == FD_OK)
        tell_trade(trade, result);
    return code;
}

static enum fd_code run_pay(struct box *box, const struct words *words, struct command_result *result,
                            struct fd_error *err)
{
    struct trade *trade;
    struct payer payer = {.amount_fen = -1};
    enum fd_code code = words->amount ? fen_parse(words->amount, "--amount", &payer.amount_fen, err) : FD_OK;
    if (code == FD_OK && words->coupon)
        code = fen_parse(words->coupon, "--coupon", &payer.coupon_fen, err);
    if (code == FD_OK)
        code = payer_finds(box, words->operand[0], &trade, err);
    if (code != FD_OK)
        return code;
    payer.name = payer_of(words, trade);
    code = payer_pays(box, trade, &payer, err);
    if (code == FD_OK)
        tell_trade(trade, result);
    return code;
}

/* The payer scans, but the bank refuses: the order stays as it was, and is this payer's now. */
static enum fd_code run_fail(struct box *box, const struct words *words, struct command_result *result,
                             struct fd_error *err)
{
    enum fd_code code = run_scan(box, words, result, err);
    if (code == FD_OK)
        buf_printf(&result->text, "%s\n", _("The payment failed; the order can still be paid."));
    return code;
}

static enum fd_code run_finish(struct box *box, const struct words *words, struct command_result *result,
                               struct fd_error *err)
{
    struct trade *trade;
    enum fd_code code = payer_finds(box, words->operand[0], &trade, err);
    if (code == FD_OK && trade->stage != STAGE_PAID)
        code = fd_fail(err, FD_REFUSED, _("%s is not paid."), trade->number);
    if (code != FD_OK)
        return code;
    trade->stage = STAGE_FINISHED;
    box_keep_trade(box, trade);
    tell_trade(trade, result);
    return FD_OK;
}

static enum fd_code run_forge(struct box *box, const struct words *words, struct command_result *result,
                              struct fd_error *err)
{
    struct trade *trade;
    enum fd_code code = payer_finds(box, words->operand[0], &trade, err);
    if (code != FD_OK)
        return code;
    notice_forge(box, trade);
    tell_trade(trade, result);
    return FD_OK;
}

/* ---- the channel ---- */

static struct refund *find_refund(struct box *box, const char *number)
{
    for (size_t i = box->refund_count; i-- > 0;) {
        size_t length = strlen(number), whole = strlen(box->refunds[i]->number);
        if (length >= 4 && length <= whole && strcmp(box->refunds[i]->number + whole - length, number) == 0)
            return box->refunds[i];
    }
    return NULL;
}

static enum fd_code run_refund_done(struct box *box, const struct words *words, struct command_result *result,
                                    struct fd_error *err)
{
    static const char *const ends[] = {"success", "closed", "abnormal"};
    struct refund *refund = find_refund(box, words->operand[0]);
    int64_t end = 0;
    enum fd_code code = words->operand[1] ? choice_of(words->operand[1], ends, 3, &end, err) : FD_OK;
    if (code != FD_OK)
        return code;
    if (!refund)
        return fd_fail(err, FD_NOT_FOUND, _("There is no refund %s."), words->operand[0]);
    if (refund->stage != REFUND_PROCESSING && refund->stage != REFUND_ABNORMAL)
        return fd_fail(err, FD_REFUSED, _("The refund %s has ended: %s"), refund->number,
                       refund_stage_name(refund->stage));
    refund_ends(box, refund, (enum refund_stage)(REFUND_SUCCESS + end));
    result->answer = refund_tree(refund);
    tree_put_text(result->answer, "state", refund_stage_name(refund->stage));
    buf_printf(&result->text, "%s  %s\n", refund->number, refund_stage_name(refund->stage));
    return FD_OK;
}

static void answer_number(struct command_result *result, const char *key, int64_t number)
{
    result->answer = tree_object();
    tree_put_int(result->answer, key, number);
    buf_printf(&result->text, "%s %lld\n", key, (long long)number);
}

static enum fd_code run_clock(struct box *box, const struct words *words, struct command_result *result,
                              struct fd_error *err)
{
    char at[TIME_TEXT];
    int64_t seconds = 0;
    bool real = words->operand[0] && strcmp(words->operand[0], "real") == 0;
    enum fd_code code =
        words->operand[0] && !real ? number_of(words->operand[0], 0, 400 * 86400, &seconds, err) : FD_OK;
    if (code != FD_OK)
        return code;
    if (seconds || real) {
        box->settings.offset_s = real ? 0 : box->settings.offset_s + seconds;
        box_keep_settings(box);
    }
    deal_tick(box);
    result->answer = tree_object();
    tree_put_text(result->answer, "now", time_beijing(box_now(box), at));
    tree_put_int(result->answer, "offset_s", box->settings.offset_s);
    buf_printf(&result->text, "%s\n", at);
    return FD_OK;
}

/* Unlike the time that passes, this is seen on the wire. */
static enum fd_code run_skew(struct box *box, const struct words *words, struct command_result *result,
                             struct fd_error *err)
{
    int64_t seconds = box->settings.skew_s;
    enum fd_code code = words->operand[0] ? number_of(words->operand[0], -86400, 86400, &seconds, err) : FD_OK;
    if (code != FD_OK)
        return code;
    box->settings.skew_s = seconds;
    box_keep_settings(box);
    answer_number(result, "skew_s", seconds);
    return FD_OK;
}

static enum fd_code run_notify(struct box *box, const struct words *words, struct command_result *result,
                               struct fd_error *err)
{
    static const char *const modes[] = {"on", "off", "dead"};
    enum fd_code code = choice_of(words->operand[0], modes, 3, &box->settings.notify, err);
    box_keep_settings(box);
    (void)result;
    return code;
}

static enum fd_code run_one_minute(struct box *box, const struct words *words, struct command_result *result,
                                   struct fd_error *err)
{
    static const char *const modes[] = {"off", "on"};
    enum fd_code code = choice_of(words->operand[0], modes, 2, &box->settings.one_minute, err);
    box_keep_settings(box);
    (void)result;
    return code;
}

static enum fd_code run_serial(struct box *box, const struct words *words, struct command_result *result,
                               struct fd_error *err)
{
    static const char *const styles[] = {"public", "certificate", "mixed"};
    enum fd_code code = choice_of(words->operand[0], styles, 3, &box->settings.serial, err);
    box_keep_settings(box);
    (void)result;
    return code;
}

static enum fd_code run_delay(struct box *box, const struct words *words, struct command_result *result,
                              struct fd_error *err)
{
    enum fd_code code = number_of(words->operand[0], 0, 600000, &box->settings.delay_ms, err);
    box_keep_settings(box);
    if (code == FD_OK)
        answer_number(result, "delay_ms", box->settings.delay_ms);
    return code;
}

static enum fd_code run_auto_refund(struct box *box, const struct words *words, struct command_result *result,
                                    struct fd_error *err)
{
    bool off = strcmp(words->operand[0], "off") == 0;
    int64_t seconds = -1;
    enum fd_code code = off ? FD_OK : number_of(words->operand[0], 0, 365 * 86400, &seconds, err);
    if (code != FD_OK)
        return code;
    box->settings.auto_refund_s = seconds;
    box_keep_settings(box);
    answer_number(result, "auto_refund_s", seconds);
    return FD_OK;
}

/* ---- faults ---- */

static void list_faults(const struct box *box, struct command_result *result)
{
    result->answer = tree_object();
    for (int id = 0; id < FAULT_COUNT; id++) {
        int64_t left = 0;
        for (size_t i = 0; i < box->faults.count; i++)
            if ((int)box->faults.orders[i].id == id && box->faults.orders[i].left)
                left = box->faults.orders[i].left < 0 || left < 0 ? FAULT_ALWAYS : left + box->faults.orders[i].left;
        char *count = left < 0 ? xstrdup(_("always")) : left ? xprintf("%lld", (long long)left) : xstrdup("-");
        buf_printf(&result->text, "%-16s %-8s %s\n", fault_table[id].name, count, _(fault_table[id].help));
        tree_put_int(result->answer, fault_table[id].name, left);
        free(count);
    }
    tree_put_int(result->answer, "random_percent", box->faults.percent);
}

static enum fd_code fault_scope(const struct words *words, struct fault_order *order, struct fd_error *err)
{
    static const char *const gates[] = {"wechat", "alipay"};
    const char *ops[OP_COUNT];
    int64_t gate = -1, op = -1;
    for (int i = 0; i < OP_COUNT; i++)
        ops[i] = op_name((enum op)i);
    enum fd_code code = words->gate ? choice_of(words->gate, gates, GATE_COUNT, &gate, err) : FD_OK;
    if (code == FD_OK && words->at)
        code = choice_of(words->at, ops, OP_COUNT, &op, err);
    if (code == FD_OK && words->ms)
        code = number_of(words->ms, 1, 600000, &order->ms, err);
    /* Two of them are Alipay's alone: WeChat's requests must not use them up. */
    if (order->id == FAULT_ESCAPE || order->id == FAULT_FUND)
        gate = GATE_ALIPAY;
    order->gate = (int)gate;
    order->op = (int)op;
    return code;
}

static enum fd_code run_fault(struct box *box, const struct words *words, struct command_result *result,
                              struct fd_error *err)
{
    const char *name = words->operand[0], *count = words->operand[1];
    struct fault_order order = {.left = 1};
    if (name && strcmp(name, "off") == 0)
        faults_cancel(&box->faults, FAULT_COUNT);
    if (!name || strcmp(name, "off") == 0) {
        list_faults(box, result);
        return FD_OK;
    }
    order.id = fault_named(name);
    if (order.id == FAULT_COUNT)
        return fd_fail(err, FD_BAD_INPUT, _("There is no fault %s; without a name they are listed."), name);
    if (count && strcmp(count, "off") == 0) {
        faults_cancel(&box->faults, order.id);
        return FD_OK;
    }
    enum fd_code code = fault_scope(words, &order, err);
    if (code == FD_OK && count && strcmp(count, "always") == 0)
        order.left = FAULT_ALWAYS;
    else if (code == FD_OK && count)
        code = number_of(count, 1, 1000000, &order.left, err);
    if (code == FD_OK)
        faults_order(&box->faults, &order);
    return code;
}

static enum fd_code run_random(struct box *box, const struct words *words, struct command_result *result,
                               struct fd_error *err)
{
    int64_t seed, percent;
    enum fd_code code = number_of(words->operand[0], 0, INT64_MAX, &seed, err);
    if (code == FD_OK)
        code = number_of(words->operand[1], 0, 100, &percent, err);
    if (code != FD_OK)
        return code;
    box->faults.seed = (uint64_t)seed;
    box->faults.percent = percent;
    answer_number(result, "random_percent", percent);
    return FD_OK;
}

static enum fd_code run_stop(struct box *box, const struct words *words, struct command_result *result,
                             struct fd_error *err)
{
    (void)box;
    (void)words;
    (void)result;
    (void)err;
    kill(getpid(), SIGTERM);
    return FD_OK;
}

/* ---- the table ---- */

static const struct command commands[] = {
    {"scan", 0, 1, N_("[CODE|NUMBER] [--payer NAME]"), N_("scan a payment code: shows the order, binds the payer"),
     run_scan},
    {"pay", 0, 1, N_("[CODE|NUMBER] [--payer NAME] [--amount YUAN] [--coupon YUAN]"),
     N_("pay it (without a name the last code)"), run_pay},
    {"fail", 0, 1, N_("[CODE|NUMBER] [--payer NAME]"), N_("scan it and fail to pay"), run_fail},
    {"finish", 1, 1, N_("NUMBER"), N_("Alipay: no refund any more"), run_finish},
    {"forge", 1, 1, N_("NUMBER"), N_("send a forged notification of its payment"), run_forge},
    {"refund-done", 1, 2, N_("NUMBER [success|closed|abnormal]"), N_("end a refund"), run_refund_done},
    {"ledger", 0, 0, "", N_("payments, refunds and sums"), command_ledger},
    {"notices", 0, 0, "", N_("notifications: when, how often, the last answer"), command_notices},
    {"fault", 0, 2, N_("[NAME|off [COUNT|always|off]] [--at WHAT] [--channel NAME] [--ms N]"),
     N_("let something go wrong (once); without a name: lists what can"), run_fault},
    {"random", 2, 2, N_("SEED PERCENT"), N_("let anything go wrong now and then"), run_random},
    {"clock", 0, 1, N_("[+SECONDS|real]"), N_("put the channels' clock forward, or right again"), run_clock},
    {"notify", 1, 1, "on|off|dead", N_("send notifications, keep them, or send them where nobody is"), run_notify},
    {"one-minute-rule", 1, 1, "on|off", N_("refunds of one order a minute apart"), run_one_minute},
    {"auto-refund", 1, 1, N_("SECONDS|off"), N_("when refunds at WeChat come through"), run_auto_refund},
    {"serial", 1, 1, "public|certificate|mixed", N_("the key WeChat signs with"), run_serial},
    {"delay", 1, 1, N_("MS"), N_("answer everything that much later"), run_delay},
    {"skew", 0, 1, N_("[SECONDS]"), N_("put the channels' clock wrong, ahead or (below 0) behind; 0: right"), run_skew},
    {"stop", 0, 0, "", N_("end the sandbox; it goes on where it was when it is started again"), run_stop},
};
#define COMMANDS (sizeof commands / sizeof *commands)

void command_help(struct buf *out)
{
    for (size_t i = 0; i < COMMANDS; i++)
        buf_printf(out, "  %s %s\n        %s\n", commands[i].name, *commands[i].usage ? _(commands[i].usage) : "",
                   _(commands[i].help));
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; name && i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Borrowed; NULL after the last. */
static const char *word_at(const struct tree *list, size_t index)
{
    return tree_get_text(tree_at(list, index), "word");
}

static const struct option *find_option(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].name, word) == 0)
            return &options[i];
    return NULL;
}

static enum fd_code words_read(const struct tree *list, struct words *words, struct fd_error *err)
{
    for (size_t i = 1; i < tree_count(list); i++) {
        const char *word = word_at(list, i), *value;
        const struct option *option = find_option(word);
        if (option) {
            if (!(value = word_at(list, ++i)))
                return fd_fail(err, FD_USAGE, _("%s needs a value."), word);
            memcpy((char *)words + option->at, &value, sizeof value);
        } else if (strncmp(word, "--", 2) == 0 || words->count == OPERANDS_MOST) {
            return fd_fail(err, FD_USAGE, _("%s is not understood."), word);
        } else {
            words->operand[words->count++] = word;
        }
    }
    return FD_OK;
}

static enum fd_code run(struct box *box, const struct tree *list, struct command_result *result, struct fd_error *err)
{
    struct words words = {0};
    const char *name = word_at(list, 0);
    const struct command *command = find_command(name);
    if (!command)
        return fd_fail(err, FD_USAGE, _("There is no command %s."), name ? name : "");
    enum fd_code code = words_read(list, &words, err);
    if (code == FD_OK && (words.count < command->least || words.count > command->most))
        code = fd_fail(err, FD_USAGE, _("Usage: frontdesk-sandbox %s %s"), command->name,
                       *command->usage ? _(command->usage) : "");
    if (code != FD_OK)
        return code;
    pthread_mutex_lock(&box->lock);
    code = command->run(box, &words, result, err);
    box_commit(box);
    pthread_mutex_unlock(&box->lock);
    return code;
}

void command_run(struct box *box, const struct tree *words, struct command_result *result)
{
    struct fd_error err = {0};
    enum fd_code code = run(box, words, result, &err);
    result->status = fd_code_exit(code);
    if (code == FD_OK)
        return;
    tree_free(&result->answer);
    buf_clear(&result->text);
    buf_printf(&result->text, "%s\n", err.message);
    result->answer = tree_object();
    tree_put_text(result->answer, "error", fd_code_name(code));
    tree_put_text(result->answer, "message", err.message);
}
