/* What the sandbox's books say: trades, refunds, sums, notifications. */
#include "base/money.h"
#include "sandbox/command_internal.h"
#include "sandbox/web.h"

static struct tree *sums_of(struct box *box, struct command_result *result)
{
    struct tree *sums = tree_object();
    for (int gate = 0; gate < GATE_COUNT; gate++) {
        int64_t paid = 0, back = 0, going = 0;
        char texts[3][FEN_TEXT];
        for (size_t i = 0; i < box->trade_count; i++)
            paid += box->trades[i]->gate == gate ? box->trades[i]->paid_fen : 0;
        for (size_t i = 0; i < box->refund_count; i++) {
            const struct refund *refund = box->refunds[i];
            back += refund->gate == gate && refund->stage == REFUND_SUCCESS ? refund->amount_fen : 0;
            going += refund->gate == gate && (refund->stage == REFUND_PROCESSING || refund->stage == REFUND_ABNORMAL)
                         ? refund->amount_fen
                         : 0;
        }
        struct tree *sum = tree_object();
        tree_put_int(sum, "paid_fen", paid);
        tree_put_int(sum, "refunded_fen", back);
        tree_put_int(sum, "refunding_fen", going);
        tree_put(sums, gate_name((enum gate)gate), sum);
        buf_printf(&result->text, _("%s: paid ¥%s, refunded ¥%s, being refunded ¥%s\n"), gate_name((enum gate)gate),
                   fen_decimal(paid, texts[0]), fen_decimal(back, texts[1]), fen_decimal(going, texts[2]));
    }
    return sums;
}

static struct tree *list_trades(struct box *box, struct command_result *result)
{
    struct tree *list = tree_list();
    char amount[FEN_TEXT];
    for (size_t i = 0; i < box->trade_count; i++) {
        const struct trade *trade = box->trades[i];
        struct tree *one = trade_tree(trade);
        tree_put_text(one, "channel", gate_name((enum gate)trade->gate));
        tree_put_text(one, "state", stage_name(trade->stage));
        tree_add(list, one);
        buf_printf(&result->text, "%-7s %-32s %10s  %-8s %s\n", gate_name((enum gate)trade->gate), trade->number,
                   fen_decimal(trade->paid_at ? trade->paid_fen : trade->amount_fen, amount), stage_name(trade->stage),
                   trade->payer);
    }
    return list;
}

static struct tree *list_refunds(struct box *box, struct command_result *result)
{
    struct tree *list = tree_list();
    char amount[FEN_TEXT];
    for (size_t i = 0; i < box->refund_count; i++) {
        const struct refund *refund = box->refunds[i];
        struct tree *one = refund_tree(refund);
        tree_put_text(one, "channel", gate_name((enum gate)refund->gate));
        tree_put_text(one, "state", refund_stage_name(refund->stage));
        tree_add(list, one);
        buf_printf(&result->text, "%-7s %-32s %10s  %-10s %s\n", gate_name((enum gate)refund->gate), refund->number,
                   fen_decimal(-refund->amount_fen, amount), refund_stage_name(refund->stage), refund->trade);
    }
    return list;
}

static struct tree *list_notices(struct box *box)
{
    static const char *const ends[] = {"waits", "taken", "given up"};
    struct tree *list = tree_list();
    for (size_t i = 0; i < box->notice_count; i++) {
        struct tree *one = notice_tree(box->notices[i]);
        tree_put_text(one, "channel", gate_name((enum gate)box->notices[i]->gate));
        tree_put_text(one, "state", ends[box->notices[i]->end]);
        tree_add(list, one);
    }
    return list;
}

enum fd_code command_ledger(struct box *box, const struct words *words, struct command_result *result,
                            struct fd_error *err)
{
    char at[TIME_TEXT];
    (void)words;
    (void)err;
    result->answer = tree_object();
    tree_put_text(result->answer, "now", time_beijing(box_now(box), at));
    tree_put(result->answer, "trades", list_trades(box, result));
    tree_put(result->answer, "refunds", list_refunds(box, result));
    tree_put(result->answer, "notices", list_notices(box));
    tree_put(result->answer, "sums", sums_of(box, result));
    return FD_OK;
}

enum fd_code command_notices(struct box *box, const struct words *words, struct command_result *result,
                             struct fd_error *err)
{
    static const char *const ends[] = {N_("waits"), N_("taken"), N_("given up")};
    (void)words;
    (void)err;
    for (size_t i = 0; i < box->notice_count; i++) {
        const struct notice *notice = box->notices[i];
        char at[TIME_TEXT];
        buf_printf(&result->text, "%-7s %-32s %s  %lldx %lld  %s%s\n", gate_name((enum gate)notice->gate),
                   notice->refund[0] ? notice->refund : notice->trade, time_beijing(notice->due_at, at),
                   (long long)notice->tries, (long long)notice->status, _(ends[notice->end]),
                   notice->forged ? _(", forged") : "");
    }
    result->answer = list_notices(box);
    return FD_OK;
}
