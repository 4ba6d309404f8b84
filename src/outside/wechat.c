/* WeChat Pay API v3, Native orders of a direct merchant. Source: facts A7-A11. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "outside/wechat_internal.h"

#define CURRENCY "CNY"
/* Numbers of ours and of the online system; the two signs are encoded in an address. */
#define NUMBER_SIGNS "_-|*"
#define REFUND_SIGNS "_-|*@"

static const struct text_rule description_rule = {.bytes_most = 3, .refused = "", .instead = '?', .chars = 127},
                              reason_rule = {.bytes_most = 3, .refused = "", .instead = '?', .chars = 80};

static enum channel_outcome unreadable(struct channel_trouble *trouble, const char *why)
{
    log_line(LOG_WARN, "channel WECHAT: a verified answer does not fit the question: %s", why);
    return trouble_fill(trouble, CHANNEL_UNKNOWN, "", _("The channel's answer does not fit the question."), NULL);
}

static enum channel_outcome bad_number(struct channel_trouble *trouble)
{
    return trouble_fill(trouble, CHANNEL_REFUSED, "", _("The channel does not take a number of this form."), NULL);
}

/* Percent-encoded for an address; `out` holds three bytes for each and one more. */
static const char *encoded(const char *number, char out[3 * 64 + 1])
{
    char *at = out;
    for (; *number; number++) {
        if (is_number_of((char[]){*number, 0}, "_-", 1)) {
            *at++ = *number;
        } else {
            fit_printf_at(at, 4, "%%%02X", (unsigned char)*number);
            at += 3;
        }
    }
    *at = '\0';
    return out;
}

/* ---- orders ---- */

static char *order_body(const struct channel *channel, const struct channel_order *order)
{
    char description[4 * 128], until[RFC3339_TEXT];
    text_for_channel(order->subject, &description_rule, description, sizeof description);
    struct tree *body = tree_object(), *amount = tree_object();
    tree_put_text(body, "appid", channel->app);
    tree_put_text(body, "mchid", channel->merchant);
    tree_put_text(body, "description", description[0] ? description : order->out_trade_no);
    tree_put_text(body, "out_trade_no", order->out_trade_no);
    tree_put_text(body, "time_expire", wall_rfc3339(order->until, until));
    tree_put_text(body, "notify_url", channel->notify_url);
    tree_put_int(amount, "total", order->amount_fen);
    tree_put_text(amount, "currency", CURRENCY);
    tree_put(body, "amount", amount);
    char *text = tree_dump(body);
    tree_free(&body);
    return text;
}

static enum channel_outcome wechat_create(struct channel *channel, const struct channel_order *order, char *code,
                                          struct channel_trouble *trouble)
{
    if (!is_number_of(order->out_trade_no, NUMBER_SIGNS, 32) || strlen(order->out_trade_no) < 6)
        return bad_number(trouble);
    char *body = order_body(channel, order);
    struct tree *answer;
    enum channel_outcome outcome = wechat_call(
        channel, &(struct wechat_request){.method = "POST", .path = "/v3/pay/transactions/native", .body = body},
        &answer, NULL, trouble);
    if (outcome == CHANNEL_DONE && !copy_number(code, CHANNEL_CODE_BYTES, tree_get_text(answer, "code_url")))
        outcome = unreadable(trouble, "no code_url");
    tree_free(&answer);
    free(body);
    return outcome;
}

static const struct state_row {
    const char *name;
    enum trade_state state;
    bool refunded;
} states[] = {
    {"NOTPAY", TRADE_WAITING, false},   {"SUCCESS", TRADE_PAID, false},   {"REFUND", TRADE_PAID, true},
    {"CLOSED", TRADE_CLOSED, false},    {"REVOKED", TRADE_CLOSED, false}, {"USERPAYING", TRADE_WAITING, false},
    {"PAYERROR", TRADE_WAITING, false},
};

static const struct state_row *state_of(const char *name)
{
    for (size_t i = 0; name && i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].name, name) == 0)
            return &states[i];
    return NULL;
}

static bool is_text(const struct tree *tree, const char *key, const char *wanted)
{
    const char *text = tree_get_text(tree, key);
    return text && strcmp(text, wanted) == 0;
}

/* The amount of a paid trade; of a waiting one it may be missing. */
static bool read_amount(const struct tree *tree, struct channel_trade *trade)
{
    const struct tree *amount = tree_get(tree, "amount");
    if (!amount)
        return trade->state != TRADE_PAID;
    trade->amount_fen = tree_get_int(amount, "total");
    return tree_is_int(amount, "total") && trade->amount_fen > 0 && trade->amount_fen <= FEN_MAX &&
           (tree_is_null(amount, "currency") || is_text(amount, "currency", CURRENCY));
}

bool wechat_read_trade(const struct channel *channel, const struct tree *tree, struct channel_trade *trade,
                       const char **why)
{
    const struct state_row *state = state_of(tree_get_text(tree, "trade_state"));
    *trade = (struct channel_trade){.paid_at = WALL_NONE};
    *why = !is_text(tree, "mchid", channel->merchant) || !is_text(tree, "appid", channel->app) ? "another merchant's"
           : !state                                                                            ? "unknown trade_state"
                                                                                               : NULL;
    if (*why)
        return false;
    trade->state = state->state;
    trade->refunded = state->refunded;
    if (!read_amount(tree, trade))
        *why = "amount or currency";
    else if (trade->state == TRADE_PAID &&
             (!copy_number(trade->trade_no, sizeof trade->trade_no, tree_get_text(tree, "transaction_id")) ||
              !wall_from_rfc3339(tree_get_text(tree, "success_time"), &trade->paid_at)))
        *why = "transaction_id or success_time";
    return !*why;
}

static enum channel_outcome wechat_query(struct channel *channel, const char *out_trade_no, struct channel_trade *trade,
                                         struct channel_trouble *trouble)
{
    char number[3 * 64 + 1];
    if (!is_number_of(out_trade_no, NUMBER_SIGNS, 64))
        return bad_number(trouble);
    char *path =
        xprintf("/v3/pay/transactions/out-trade-no/%s?mchid=%s", encoded(out_trade_no, number), channel->merchant);
    struct tree *answer;
    char *raw = NULL;
    const char *why = NULL;
    enum channel_outcome outcome =
        wechat_call(channel, &(struct wechat_request){.method = "GET", .path = path}, &answer, &raw, trouble);
    if (outcome == CHANNEL_DONE && !is_text(answer, "out_trade_no", out_trade_no))
        outcome = unreadable(trouble, "out_trade_no");
    if (outcome == CHANNEL_DONE && !wechat_read_trade(channel, answer, trade, &why))
        outcome = unreadable(trouble, why);
    if (outcome == CHANNEL_DONE)
        trade->raw = raw, raw = NULL;
    free(raw);
    tree_free(&answer);
    free(path);
    return outcome;
}

static enum channel_outcome wechat_close(struct channel *channel, const char *out_trade_no,
                                         struct channel_trouble *trouble)
{
    char number[3 * 64 + 1];
    if (!is_number_of(out_trade_no, NUMBER_SIGNS, 64))
        return bad_number(trouble);
    char *path = xprintf("/v3/pay/transactions/out-trade-no/%s/close", encoded(out_trade_no, number));
    char *body = xprintf("{\"mchid\":\"%s\"}", channel->merchant);
    struct tree *answer;
    enum channel_outcome outcome = wechat_call(
        channel, &(struct wechat_request){.method = "POST", .path = path, .body = body}, &answer, NULL, trouble);
    tree_free(&answer);
    free(body);
    free(path);
    return outcome;
}

/* ---- refunds ---- */

static char *back_body(const struct channel *channel, const struct channel_back *back)
{
    char reason[4 * 81];
    text_for_channel(back->reason ? back->reason : "", &reason_rule, reason, sizeof reason);
    struct tree *body = tree_object(), *amount = tree_object();
    tree_put_text(body, "out_trade_no", back->out_trade_no);
    tree_put_text(body, "out_refund_no", back->out_refund_no);
    if (reason[0])
        tree_put_text(body, "reason", reason);
    tree_put_text(body, "notify_url", channel->notify_url);
    tree_put_int(amount, "refund", back->refund_fen);
    tree_put_int(amount, "total", back->total_fen);
    tree_put_text(amount, "currency", CURRENCY);
    tree_put(body, "amount", amount);
    char *text = tree_dump(body);
    tree_free(&body);
    return text;
}

static const struct {
    const char *name;
    enum back_state state;
} back_states[] = {
    {"PROCESSING", BACK_PROCESSING}, {"SUCCESS", BACK_SUCCESS}, {"CLOSED", BACK_CLOSED}, {"ABNORMAL", BACK_ABNORMAL}};

bool wechat_read_back(const struct tree *tree, const char *key, struct channel_backed *backed)
{
    const struct tree *amount = tree_get(tree, "amount");
    *backed = (struct channel_backed){.refund_fen = tree_get_int(amount, "refund")};
    if (!tree_is_int(amount, "refund") || backed->refund_fen <= 0 || backed->refund_fen > FEN_MAX ||
        !copy_number(backed->refund_no, sizeof backed->refund_no, tree_get_text(tree, "refund_id")))
        return false;
    for (size_t i = 0; i < sizeof back_states / sizeof *back_states; i++) {
        if (is_text(tree, key, back_states[i].name)) {
            backed->state = back_states[i].state;
            return true;
        }
    }
    return false;
}

static enum channel_outcome read_backed(const struct tree *answer, const struct channel_back *back,
                                        struct channel_backed *backed, struct channel_trouble *trouble)
{
    if (!is_text(answer, "out_refund_no", back->out_refund_no) || !is_text(answer, "out_trade_no", back->out_trade_no))
        return unreadable(trouble, "out_refund_no or out_trade_no");
    if (!wechat_read_back(answer, "status", backed))
        return unreadable(trouble, "status, refund_id or amount");
    if (backed->refund_fen != back->refund_fen)
        return unreadable(trouble, "amount.refund is not ours");
    return CHANNEL_DONE;
}

static enum channel_outcome wechat_refund(struct channel *channel, const struct channel_back *back,
                                          struct channel_backed *backed, struct channel_trouble *trouble)
{
    if (!is_number_of(back->out_trade_no, NUMBER_SIGNS, 64) || !is_number_of(back->out_refund_no, REFUND_SIGNS, 64))
        return bad_number(trouble);
    char *body = back_body(channel, back);
    struct tree *answer;
    enum channel_outcome outcome = wechat_call(
        channel, &(struct wechat_request){.method = "POST", .path = "/v3/refund/domestic/refunds", .body = body},
        &answer, NULL, trouble);
    if (outcome == CHANNEL_DONE)
        outcome = read_backed(answer, back, backed, trouble);
    tree_free(&answer);
    free(body);
    return outcome;
}

static enum channel_outcome wechat_refund_query(struct channel *channel, const struct channel_back *back,
                                                struct channel_backed *backed, struct channel_trouble *trouble)
{
    char number[3 * 64 + 1];
    if (!is_number_of(back->out_refund_no, REFUND_SIGNS, 64))
        return bad_number(trouble);
    char *path = xprintf("/v3/refund/domestic/refunds/%s", encoded(back->out_refund_no, number));
    struct tree *answer;
    enum channel_outcome outcome =
        wechat_call(channel, &(struct wechat_request){.method = "GET", .path = path}, &answer, NULL, trouble);
    if (outcome == CHANNEL_DONE)
        outcome = read_backed(answer, back, backed, trouble);
    tree_free(&answer);
    free(path);
    return outcome;
}

const struct channel_ops wechat_ops = {
    .name = "WECHAT",
    .create = wechat_create,
    .query = wechat_query,
    .close = wechat_close,
    .refund = wechat_refund,
    .refund_query = wechat_refund_query,
    .notice = wechat_notice,
    .refresh = wechat_refresh,
    .taken = {200, "application/json", "{\"code\":\"SUCCESS\",\"message\":\"OK\"}"},
    .again = {500, "application/json", "{\"code\":\"FAIL\",\"message\":\"not taken\"}"},
};
