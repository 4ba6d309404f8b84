/* What WeChat Pay tells by itself: proved, opened, read. Source: facts A3, A5, A11. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "outside/wechat_internal.h"

static enum notice_verdict proof_verdict(enum wechat_proof proof)
{
    return proof == PROOF_STALE ? NOTICE_STALE : proof == PROOF_MISSING ? NOTICE_MALFORMED : NOTICE_FORGED;
}

static enum notice_verdict read_payment(const struct channel *channel, const struct tree *tree,
                                        struct channel_notice *notice)
{
    const char *why;
    if (!wechat_read_trade(channel, tree, &notice->trade, &why))
        return notice_say(notice, NOTICE_MALFORMED, why);
    return NOTICE_PAYMENT;
}

static enum notice_verdict read_refund(const struct channel *channel, const struct tree *tree,
                                       struct channel_notice *notice)
{
    (void)channel;
    if (!copy_number(notice->out_refund_no, sizeof notice->out_refund_no, tree_get_text(tree, "out_refund_no")))
        return notice_say(notice, NOTICE_MALFORMED, "no out_refund_no");
    if (!wechat_read_back(tree, "refund_status", &notice->backed))
        return notice_say(notice, NOTICE_MALFORMED, "refund_status, refund_id or amount");
    return NOTICE_REFUND;
}

/* Refund notifications carry no appid. */
static bool is_other_merchant(const struct channel *channel, const struct tree *tree)
{
    const char *merchant = tree_get_text(tree, "mchid"), *app = tree_get_text(tree, "appid");
    bool other = !merchant || strcmp(merchant, channel->merchant) != 0 || (app && strcmp(app, channel->app) != 0);
    return other && !FD_TOOTH("channel_merchant");
}

static const struct {
    const char *type;
    enum notice_verdict (*read)(const struct channel *, const struct tree *, struct channel_notice *);
} kinds[] = {{"transaction", read_payment}, {"refund", read_refund}};

static enum notice_verdict read_plain(const struct channel *channel, const char *type, const char *plain,
                                      struct channel_notice *notice)
{
    struct tree *tree = tree_parse(plain);
    enum notice_verdict verdict = NOTICE_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!type || strcmp(kinds[i].type, type) != 0)
            continue;
        if (is_other_merchant(channel, tree))
            verdict = notice_say(notice, NOTICE_WRONG_MERCHANT, "another mchid or appid");
        else if (!copy_number(notice->out_trade_no, sizeof notice->out_trade_no, tree_get_text(tree, "out_trade_no")))
            verdict = notice_say(notice, NOTICE_MALFORMED, "no out_trade_no");
        else
            verdict = kinds[i].read(channel, tree, notice);
    }
    if (!tree)
        verdict = notice_say(notice, NOTICE_MALFORMED, "the resource is not JSON");
    tree_free(&tree);
    return verdict;
}

static enum notice_verdict read_event(const struct channel *channel, const struct tree *event,
                                      struct channel_notice *notice)
{
    const struct tree *resource = tree_get(event, "resource");
    struct buf plain = {0};
    enum notice_verdict verdict;
    if (!copy_number(notice->id, sizeof notice->id, tree_get_text(event, "id")))
        return notice_say(notice, NOTICE_MALFORMED, "no id");
    if (!wechat_open(channel, resource, &plain))
        verdict = notice_say(notice, NOTICE_MALFORMED, "the resource does not open with the APIv3 key");
    else if (!is_whole_text(plain.text, plain.bytes, NOTICE_MOST_BYTES))
        verdict = notice_say(notice, NOTICE_MALFORMED, "the resource is no text");
    else
        verdict = read_plain(channel, tree_get_text(resource, "original_type"), plain.text, notice);
    if (verdict == NOTICE_PAYMENT)
        notice->trade.raw = buf_take(&plain);
    buf_release(&plain);
    return verdict;
}

enum notice_verdict wechat_notice(struct channel *channel, const struct channel_message *message, int64_t now,
                                  struct channel_notice *notice)
{
    char serial[SERIAL_BYTES];
    struct buf body = {0};
    buf_add_bytes(&body, message->body, message->body_bytes);
    enum wechat_proof proof = wechat_prove(channel, message->headers, &body, now, serial);
    if (proof != PROOF_GOOD) {
        /* A certificate that came after ours: nobody is called from here, but the next one to call fetches it. */
        if (proof == PROOF_UNKNOWN_KEY && is_number_of(serial, "", 40))
            channel->due_ms = 0;
        buf_release(&body);
        return notice_say(notice, proof_verdict(proof), wechat_proof_text(proof));
    }
    struct tree *event = tree_parse(body.text);
    enum notice_verdict verdict =
        event ? read_event(channel, event, notice) : notice_say(notice, NOTICE_MALFORMED, "the body is not JSON");
    tree_free(&event);
    buf_release(&body);
    return verdict;
}
