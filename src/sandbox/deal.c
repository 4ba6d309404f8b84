#include "sandbox/deal.h"

#include <stdio.h>
#include <string.h>

#include "base/token.h"
#include "base/when.h"
#include "sandbox/notify.h"

#define REFUNDS_MOST   50
#define REFUND_DAYS    365
#define WECHAT_TRADE_S (7 * 86400)
#define BEIJING_S      (8 * 3600)

void deal_number(const struct box *box, const char *prefix, char *out, size_t digits)
{
    int year, month, day;
    day_split(wall_day(box_now(box) + BEIJING_S), &year, &month, &day);
    size_t length = (size_t)snprintf(out, digits + 1, "%s%04d%02d%02d", prefix, year, month, day);
    for (; length < digits; length++)
        out[length] = (char)('0' + random_below(10));
    out[digits] = '\0';
}

void deal_new_code(struct box *box, struct trade *trade)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static const char small[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    bool wechat = trade->gate == GATE_WECHAT;
    size_t length =
        fit_printf(trade->code, "%s", wechat ? "weixin://wxpay/bizpayurl?pr=" : "https://qr.alipay.com/bax0");
    for (int i = 0; i < (wechat ? 9 : 14); i++)
        trade->code[length++] =
            wechat ? letters[random_below(sizeof letters - 1)] : small[random_below(sizeof small - 1)];
    trade->code[length] = '\0';
    trade->code_until = box_now(box) + CODE_LIFE_S;
}

/* ---- the payer's telephone ---- */

static bool can_be_paid(const struct box *box, const struct trade *trade)
{
    int64_t now = box_now(box);
    return trade->stage == STAGE_WAITING && now < trade->code_until && (!trade->until || now < trade->until);
}

/* Clerks and tests name a code, a number, or the end of one. */
static bool is_named(const struct trade *trade, const char *name)
{
    size_t length = strlen(name), whole = strlen(trade->number);
    return strcmp(trade->code, name) == 0 ||
           (length >= 4 && length <= whole && strcmp(trade->number + whole - length, name) == 0);
}

enum fd_code payer_finds(struct box *box, const char *name, struct trade **trade, struct fd_error *err)
{
    for (size_t i = box->trade_count; i-- > 0;) {
        struct trade *each = box->trades[i];
        if (name ? is_named(each, name) : can_be_paid(box, each)) {
            *trade = each;
            return FD_OK;
        }
    }
    return name ? fd_fail(err, FD_NOT_FOUND, _("No payment code is %s: it never was one, or a newer one replaced it."),
                          name)
                : fd_fail(err, FD_NOT_FOUND, "%s", _("There is no payment code that could be paid."));
}

enum fd_code payer_scans(struct box *box, struct trade *trade, const char *payer, struct fd_error *err)
{
    int64_t now = box_now(box);
    if (trade->stage == STAGE_CLOSED)
        return fd_fail(err, FD_REFUSED, _("%s was closed."), trade->number);
    if (trade->stage != STAGE_WAITING)
        return fd_fail(err, FD_REFUSED, _("%s is paid already."), trade->number);
    if (now >= trade->code_until || (trade->until && now >= trade->until))
        return fd_fail(err, FD_REFUSED, _("The code of %s has run out."), trade->number);
    if (trade->payer[0] && strcmp(trade->payer, payer) != 0)
        return fd_fail(err, FD_REFUSED, _("%s was scanned by another payer, %s."), trade->number, trade->payer);
    if (!trade->payer[0]) {
        cut_copy(trade->payer, sizeof trade->payer, payer);
        if (trade->gate == GATE_ALIPAY)
            deal_number(box, "", trade->trade_no, 28);
        box_keep_trade(box, trade);
        box_commit(box);
    }
    return FD_OK;
}

enum fd_code payer_pays(struct box *box, struct trade *trade, const struct payer *payer, struct fd_error *err)
{
    int64_t amount_fen = payer->amount_fen < 0 ? trade->amount_fen : payer->amount_fen;
    if (payer->coupon_fen > amount_fen)
        return fd_fail(err, FD_BAD_INPUT, "%s", _("The coupon is worth more than the payment."));
    enum fd_code code = payer_scans(box, trade, payer->name, err);
    if (code != FD_OK)
        return code;
    trade->stage = STAGE_PAID;
    trade->paid_fen = amount_fen;
    trade->coupon_fen = payer->coupon_fen;
    trade->paid_at = box_now(box);
    if (trade->gate == GATE_WECHAT)
        deal_number(box, "42000026", trade->trade_no, 28);
    box_keep_trade(box, trade);
    notice_queue(box, trade, NULL);
    box_commit(box);
    return FD_OK;
}

/* ---- refunds ---- */

int64_t refund_sum(const struct box *box, const struct trade *trade, int64_t *count, int64_t *last_at)
{
    int64_t sum = 0;
    *count = *last_at = 0;
    for (size_t i = 0; i < box->refund_count; i++) {
        const struct refund *refund = box->refunds[i];
        if (refund->gate != trade->gate || strcmp(refund->trade, trade->number) != 0)
            continue;
        ++*count;
        *last_at = refund->made_at > *last_at ? refund->made_at : *last_at;
        sum += refund->stage == REFUND_CLOSED ? 0 : refund->amount_fen;
    }
    return sum;
}

int64_t refund_done_sum(const struct box *box, const struct trade *trade)
{
    int64_t sum = 0;
    for (size_t i = 0; i < box->refund_count; i++) {
        const struct refund *refund = box->refunds[i];
        if (refund->gate == trade->gate && strcmp(refund->trade, trade->number) == 0 && refund->stage == REFUND_SUCCESS)
            sum += refund->amount_fen;
    }
    return sum;
}

static enum refund_verdict judge(struct box *box, const struct trade *trade, const struct refund_ask *ask)
{
    int64_t count, last_at, now = box_now(box), sum = refund_sum(box, trade, &count, &last_at);
    if (trade->stage == STAGE_FINISHED)
        return REFUND_FINISHED;
    if (trade->paid_fen == 0)
        return REFUND_UNPAID;
    if (sum + ask->amount_fen > trade->paid_fen)
        return REFUND_TOO_MUCH;
    if (now > trade->paid_at + REFUND_DAYS * 86400LL)
        return REFUND_TOO_LATE;
    if (count >= REFUNDS_MOST)
        return REFUND_TOO_MANY;
    return box->settings.one_minute && count > 0 && now < last_at + 60 ? REFUND_TOO_SOON : REFUND_NEW;
}

/* Alipay shows a trade that was refunded whole as closed; what it is to us is still: paid. */
static void end_whole(struct box *box, struct trade *trade)
{
    if (trade->gate == GATE_ALIPAY && trade->stage == STAGE_PAID && refund_done_sum(box, trade) >= trade->paid_fen) {
        trade->stage = STAGE_CLOSED;
        trade->closed_at = box_now(box);
        box_keep_trade(box, trade);
    }
}

static void set_ended(struct box *box, struct refund *refund, enum refund_stage stage)
{
    struct trade *trade = box_trade(box, refund->gate, refund->trade);
    refund->stage = stage;
    refund->done_at = box_now(box);
    refund->due_at = 0;
    box_keep_refund(box, refund);
    if (!trade)
        return;
    end_whole(box, trade);
    notice_queue(box, trade, refund);
}

void refund_ends(struct box *box, struct refund *refund, enum refund_stage stage)
{
    set_ended(box, refund, stage);
    box_commit(box);
}

static struct refund *refund_make(struct box *box, struct trade *trade, const struct refund_ask *ask)
{
    struct refund *refund = box_add_refund(box);
    int64_t wait_s = box->settings.auto_refund_s;
    refund->gate = trade->gate;
    refund->stage = REFUND_PROCESSING;
    cut_copy(refund->number, sizeof refund->number, ask->number);
    cut_copy(refund->trade, sizeof refund->trade, trade->number);
    cut_copy(refund->reason, sizeof refund->reason, ask->reason);
    cut_copy(refund->notify_url, sizeof refund->notify_url, ask->notify_url);
    deal_number(box, "50300007", refund->refund_no, 28);
    refund->amount_fen = ask->amount_fen;
    refund->made_at = box_now(box);
    refund->due_at = wait_s < 0 ? 0 : refund->made_at + wait_s;
    box_keep_refund(box, refund);
    if (ask->at_once)
        set_ended(box, refund, REFUND_SUCCESS);
    box_commit(box);
    return refund;
}

enum refund_verdict refund_take(struct box *box, struct trade *trade, const struct refund_ask *ask,
                                struct refund **refund)
{
    *refund =
        trade->gate == GATE_WECHAT ? box_refund(box, GATE_WECHAT, ask->number) : box_refund_of(box, trade, ask->number);
    if (*refund) {
        bool same = (*refund)->amount_fen == ask->amount_fen && strcmp((*refund)->trade, trade->number) == 0;
        return same ? REFUND_AGAIN : REFUND_DIFFERENT;
    }
    enum refund_verdict verdict = judge(box, trade, ask);
    if (verdict == REFUND_NEW)
        *refund = refund_make(box, trade, ask);
    return verdict;
}

/* ---- time ---- */

void trade_close(struct box *box, struct trade *trade)
{
    trade->stage = STAGE_CLOSED;
    trade->closed_at = box_now(box);
    box_keep_trade(box, trade);
    box_commit(box);
}

/* WeChat leaves an order open for a week though its code cannot be paid any more; Alipay closes a trade that was
 * scanned, and one that was not never existed. */
static bool runs_out(const struct trade *trade, int64_t now)
{
    if (trade->stage != STAGE_WAITING)
        return false;
    return trade->gate == GATE_WECHAT ? now >= trade->made_at + WECHAT_TRADE_S : trade->until && now >= trade->until;
}

void deal_tick(struct box *box)
{
    int64_t now = box_now(box);
    for (size_t i = 0; i < box->refund_count; i++) {
        struct refund *refund = box->refunds[i];
        if (refund->stage == REFUND_PROCESSING && refund->due_at && refund->due_at <= now)
            refund_ends(box, refund, REFUND_SUCCESS);
    }
    for (size_t i = 0; i < box->trade_count; i++)
        if (runs_out(box->trades[i], now))
            trade_close(box, box->trades[i]);
}
