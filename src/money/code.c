/* Payment codes for the counter: opened, asked about, abandoned. The row stands before the channel hears of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/money.h"
#include "base/text.h"
#include "core/param.h"
#include "money/code_internal.h"
#include "money/shift.h"
#include "outside/tree.h"

DB_QUERY(
    q_insert, "code.insert", DB_NONE,
    "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, operator, terminal, "
    "shift, code_until, request_key, created_at) VALUES (:out_trade_no, :receipt_no, :receipt_no, :channel, :amount, "
    "'CREATED', :operator, :terminal, :shift, :until, :key, NOW())");

#define LEAST_S (2 * 60)                  /* the channels' minimum is one minute; ours leaves time to scan */
#define MOST_S  (7 * 24 * 3600 - 10 * 60) /* WeChat takes no time_expire beyond seven days */
#define SHOW_S  30                        /* a code that ends sooner is not worth scanning */
#define ROUNDS  4

static const enum tender channel_tenders[CHANNEL_COUNT] = {
    [CHANNEL_WECHAT] = TENDER_WECHAT, [CHANNEL_ALIPAY] = TENDER_ALIPAY};

enum fd_code code_channels_read(struct desk *desk, struct fd_error *err)
{
    if (desk->channels_read)
        return FD_OK;
    enum fd_code code = channels_load(config_text(desk->config, CONFIG_CHANNELS), &desk->channels, err);
    desk->channels_read = code == FD_OK;
    return code;
}

enum fd_code desk_channel(struct desk *desk, enum channel_id id, struct channel **channel, struct fd_error *err)
{
    enum fd_code code = code_channels_read(desk, err);
    if (code != FD_OK)
        return code;
    *channel = channels_get(desk->channels, id);
    if (*channel)
        return FD_OK;
    fd_fail(err, FD_CONFIG, _("%s is not configured here."), i18n_label(tenders[channel_tenders[id]].label));
    fd_hint(err, _("Name the file with the merchant accounts: [channels] file in frontdesk.conf."));
    return FD_CONFIG;
}

bool desk_has_channel(struct desk *desk, enum channel_id id)
{
    struct fd_error ignored;
    return code_channels_read(desk, &ignored) == FD_OK && channels_get(desk->channels, id);
}

/* Opening ---------------------------------------------------------------------------------------------- */

struct opening {
    const char *number;
    enum channel_id channel;
    int64_t amount_fen;
    struct fd_error trouble; /* code FD_OK: the channel is configured */
    /* set in each attempt */
    struct pay_plan plan;
    wall_t until;
    /* refused because codes of these orders are live: the one that is asked for, and the order of another */
    int64_t same_id;
    char live_order_no[NUMBER_BYTES];
    bool beside; /* beside a live code of the other channel that nobody has scanned */
};

/* Is that live code the same that is asked for? */
static enum fd_code compare_live(struct op *op, struct opening *opening, int64_t id, struct fd_error *err)
{
    const struct pay_plan *plan = &opening->plan;
    struct code_row row;
    struct code_share *shares;
    size_t count = 0;
    enum fd_code code = code_row_read(op_db(op), id, &row, err);
    if (code == FD_OK)
        code = code_shares(op_db(op), &row, op_arena(op), &shares, &count, err);
    if (code != FD_OK)
        return code;
    bool same = row.channel == opening->channel && row.until > row.now + SHOW_S && count == plan->count &&
                row.amount_fen == plan->paid.amount_fen;
    for (size_t i = 0; same && i < count; i++)
        same =
            shares[i].order && shares[i].order->id == plan->shares[i].order->id && shares[i].fen == plan->shares[i].fen;
    if (same)
        opening->same_id = id;
    return FD_OK;
}

/* Codes of ours that are live on these orders: the counter tells whether there is one to look for. */
static enum fd_code look_for_live(struct op *op, struct opening *opening, struct fd_error *err)
{
    const struct pay_plan *plan = &opening->plan;
    int64_t *ids;
    size_t count = 0;
    opening->same_id = 0;
    opening->live_order_no[0] = '\0';
    for (size_t i = 0; i < plan->count; i++) {
        const struct order *order = plan->shares[i].order;
        if (order->live_codes == 0)
            continue;
        enum fd_code code = code_live_ids(op_db(op), order->order_no, false, op_arena(op), &ids, &count, err);
        for (size_t j = 0; code == FD_OK && j < count && opening->same_id == 0; j++)
            code = compare_live(op, opening, ids[j], err);
        if (code != FD_OK)
            return code;
        if (opening->beside && opening->same_id == 0)
            continue;
        cut_copy(opening->live_order_no, sizeof opening->live_order_no, order->order_no);
        return fd_fail(err, FD_LIVE_CODE, NULL);
    }
    return FD_OK;
}

/* A walk-in's own hold is short: only the code gives it the time of one made now. */
static wall_t time_of(struct desk *desk, const struct order *order, wall_t now)
{
    if (!order_waits(order))
        return WALL_NONE;
    if (!order->walk_in)
        return order->expire_time;
    wall_t until = now + 60 * param_get(desk, PARAM_HOLD_MINUTES);
    return order->over_time != WALL_NONE && order->over_time < until ? order->over_time : until;
}

/* The first hold that ends ends the code. What does not run out has the time of a hold made now. */
static wall_t code_end(struct desk *desk, const struct pay_plan *plan, wall_t now)
{
    wall_t until = WALL_NONE;
    for (size_t i = 0; i < plan->count; i++) {
        wall_t end = time_of(desk, plan->shares[i].order, now);
        if (end != WALL_NONE && (until == WALL_NONE || end < until))
            until = end;
    }
    if (until == WALL_NONE)
        until = now + 60 * param_get(desk, PARAM_HOLD_MINUTES);
    if (until < now + LEAST_S)
        until = now + LEAST_S;
    return until < now + MOST_S ? until : now + MOST_S;
}

static enum fd_code open_prepare(struct op *op, void *arg, struct fd_error *err)
{
    struct opening *opening = arg;
    const struct payment payment = {.tender = channel_tenders[opening->channel], .amount_fen = opening->amount_fen};
    struct pay_plan *plan = &opening->plan;
    struct owed owed;
    wall_t now = WALL_NONE;
    /* Only here, so that whoever may not do it hears that first. */
    if (opening->trouble.code != FD_OK) {
        if (err)
            *err = opening->trouble;
        return opening->trouble.code;
    }
    enum fd_code code = pay_owed(op_db(op), opening->number, op_arena(op), &owed, err);
    if (code == FD_OK && owed.amount_fen == 0)
        code = pay_nothing_owed(op_db(op), &owed, op_arena(op), err);
    if (code == FD_OK)
        code = pay_plan_split(op, &owed, &payment, plan, err);
    if (code == FD_OK)
        code = op_now(op, &now, err);
    if (code == FD_OK)
        code = look_for_live(op, opening, err);
    if (code != FD_OK)
        return code;
    opening->until = code_end(op_desk(op), plan, now);
    return FD_OK;
}

static enum fd_code count_code(struct op *op, const struct opening *opening, const struct order *order,
                               struct fd_error *err)
{
    int64_t changed = 0;
    if (!order->kind->live)
        return fd_fail(err, FD_REFUSED, _("Orders of this kind cannot be paid by a code."));
    enum fd_code code =
        db_exec(op_db(op), order->kind->live,
                DB_ARGS(db_wall("until", order_waits(order) ? opening->until : WALL_NONE), db_int("id", order->id),
                        db_text("old", order->state), db_fen("old_total", order->total_fen),
                        db_fen("old_paid", order->paid_fen), db_int("old_live", order->live_codes)),
                &changed, err);
    return code == FD_OK && changed == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static enum fd_code insert_code(struct op *op, const struct opening *opening, int64_t *id, struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    int64_t shift = 0;
    enum fd_code code = shift_of_in(op, &shift, err);
    if (code != FD_OK)
        return code;
    const struct db_arg args[] = {
        db_text("out_trade_no", opening->plan.channel_no),
        db_text("receipt_no", opening->plan.paid.payment_no),
        db_text("channel", channel_name(opening->channel)),
        db_fen("amount", opening->plan.paid.amount_fen),
        db_text("operator", desk->operator),
        db_text("terminal", desk->terminal),
        db_int("shift", shift),
        db_wall("until", opening->until),
        db_text("key", op_key(op)),
    };
    code = db_exec(op_db(op), &q_insert, args, sizeof args / sizeof *args, NULL, err);
    if (code == FD_OK)
        *id = db_insert_id(op_db(op));
    return code;
}

static void log_opened(struct op *op, const struct opening *opening)
{
    const struct pay_plan *plan = &opening->plan;
    struct code_row row = {.channel = opening->channel, .amount_fen = plan->paid.amount_fen};
    cut_copy(row.out_trade_no, sizeof row.out_trade_no, plan->channel_no);
    cut_copy(row.receipt_no, sizeof row.receipt_no, plan->paid.payment_no);
    struct buf orders = {0};
    for (size_t i = 0; i < plan->count; i++)
        buf_printf(&orders, "%s%s", i ? " " : "", plan->shares[i].order->order_no);
    code_log(op, &row, "open", "CREATED", buf_text(&orders));
    buf_release(&orders);
}

static enum fd_code open_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct opening *opening = arg;
    const struct pay_plan *plan = &opening->plan;
    enum fd_code code = FD_OK;
    int64_t id = 0;
    for (size_t i = 0; code == FD_OK && i < plan->count; i++)
        code = count_code(op, opening, plan->shares[i].order, err);
    if (code == FD_OK)
        code = insert_code(op, opening, &id, err);
    for (size_t i = 0; code == FD_OK && i < plan->count; i++)
        code = pay_allocate(op, id, plan->shares[i].order->order_no, plan->shares[i].fen, err);
    if (code != FD_OK)
        return code;
    log_opened(op, opening);
    op_result(op, arena_printf(op_arena(op), "%" PRId64, id));
    return FD_OK;
}

/* What a row says, as people at the counter need it. */
struct telling {
    int64_t id;
    struct pay_code *code;
};

static enum fd_code tell_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct telling *telling = arg;
    struct pay_code *told = telling->code;
    struct code_row row;
    struct settled settled = {0};
    enum fd_code code = code_row_read(db, telling->id, &row, err);
    if (code != FD_OK)
        return code;
    bool paid = strcmp(row.status, "SUCCESS") == 0;
    *told = (struct pay_code){
        .payment_id = row.id, .channel = row.channel, .amount_fen = row.amount_fen, .until = row.until, .now = row.now};
    cut_copy(told->out_trade_no, sizeof told->out_trade_no, row.out_trade_no);
    cut_copy(told->receipt_no, sizeof told->receipt_no, row.receipt_no);
    cut_copy(told->text, sizeof told->text, row.text);
    told->state = paid ? CODE_PAID : !code_is_live(&row) ? CODE_DEAD : row.text[0] ? CODE_WAITING : CODE_CHECKING;
    if (paid)
        code = code_settled_read(db, &row, &settled, err);
    told->paid = settled.paid;
    told->surplus = settled.surplus;
    return code;
}

enum fd_code code_tell(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err)
{
    struct telling telling = {payment_id, code};
    return desk_read(desk, "code.tell", tell_txn, &telling, err);
}

/* Makes the code at the channel where there is none to show yet. */
static enum fd_code show(struct desk *desk, int64_t payment_id, bool fresh, struct pay_code *code, struct fd_error *err)
{
    struct code_row row;
    struct channel *channel;
    bool answered;
    enum fd_code result = code_row_load(desk, payment_id, &row, err);
    if (result == FD_OK && code_is_live(&row) && !row.text[0]) {
        result = desk_channel(desk, row.channel, &channel, err);
        if (result == FD_OK)
            result = fresh ? code_create(desk, channel, &row, true, err)
                           : code_ask(desk, channel, &row, "poll", &answered, err);
    }
    return result == FD_OK ? code_tell(desk, payment_id, code, err) : result;
}

static enum fd_code run_opening(struct desk *desk, const char *key, struct opening *opening, char **result,
                                bool *replayed, struct fd_error *err)
{
    struct arena arena = {0};
    char folded[NUMBER_BYTES];
    bool known_form = order_number_fold(opening->number, folded);
    const struct op_spec spec = {
        .action = arena_printf(&arena, "pay.%s", tenders[channel_tenders[opening->channel]].verb),
        .key = key,
        .content = arena_printf(&arena, "%s\n%" PRId64, known_form ? folded : "?", opening->amount_fen),
        .prepare = open_prepare,
        .apply = open_apply,
    };
    opening->same_id = 0;
    opening->live_order_no[0] = '\0';
    enum fd_code code = op_run(desk, &spec, opening, result, replayed, err);
    arena_release(&arena);
    return code;
}

static enum fd_code no_channel_here(struct fd_error *err)
{
    return fd_fail(err, FD_LIVE_CODE, _("The payment channel must be asked first."));
}

enum fd_code code_open(struct desk *desk, const char *key, const char *number, enum channel_id channel,
                       int64_t amount_fen, struct pay_code *code, struct fd_error *err)
{
    struct opening opening = {.number = number, .channel = channel, .amount_fen = amount_fen};
    struct channel *configured;
    if (desk->no_channel)
        return no_channel_here(err);
    enum fd_code result = FD_OK;
    opening.trouble.code = desk_channel(desk, channel, &configured, &opening.trouble);
    for (int round = 0; result == FD_OK; round++) {
        struct fd_error local = {0};
        char *id = NULL;
        bool replayed = false, paid, may = false;
        result = run_opening(desk, key, &opening, &id, &replayed, &local);
        if (result == FD_OK) {
            int64_t payment_id = strtoll(id, NULL, 10);
            free(id);
            FD_POINT("code_committed");
            return show(desk, payment_id, !replayed, code, err);
        }
        if (result == FD_LIVE_CODE && opening.same_id != 0)
            return show(desk, opening.same_id, false, code, err);
        if (result == FD_LIVE_CODE && opening.live_order_no[0] && round < ROUNDS)
            result = codes_end_beside(desk, opening.live_order_no, channel, &paid, &may, &local);
        /* Alipay cannot close what nobody has scanned, and says for long that it may still be paid; nor WeChat what it
         * refuses to make. The customer who asks for the other way to pay does not wait for that: should both be paid,
         * the second is a surplus. */
        if (result == FD_LIVE_CODE && may && !opening.beside) {
            opening.beside = true;
            result = FD_OK;
        }
        if (result != FD_OK && err)
            *err = local;
    }
    return result;
}

/* Asking and abandoning -------------------------------------------------------------------------------- */

enum fd_code code_poll(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err)
{
    struct code_row row;
    struct channel *channel;
    bool mine = false, answered = true;
    if (desk->no_channel)
        return no_channel_here(err);
    enum fd_code result = code_row_load(desk, payment_id, &row, err);
    if (result == FD_OK && code_is_live(&row)) {
        result = desk_channel(desk, row.channel, &channel, err);
        if (result == FD_OK)
            result = code_claim(desk, payment_id, false, &mine, err);
        if (result == FD_OK && mine)
            result = code_ask(desk, channel, &row, "poll", &answered, err);
    }
    if (result == FD_OK)
        result = code_tell(desk, payment_id, code, err);
    if (result == FD_OK && code->state == CODE_WAITING && !answered)
        code->state = CODE_CHECKING;
    return result;
}

enum fd_code code_close(struct desk *desk, int64_t payment_id, struct pay_code *code, struct fd_error *err)
{
    struct code_row row;
    struct channel *channel;
    if (desk->no_channel)
        return no_channel_here(err);
    enum fd_code result = code_row_load(desk, payment_id, &row, err);
    if (result == FD_OK && code_is_live(&row)) {
        result = desk_channel(desk, row.channel, &channel, err);
        if (result == FD_OK)
            result = code_end_one(desk, channel, &row, NULL, err);
    }
    return result == FD_OK ? code_tell(desk, payment_id, code, err) : result;
}
