/* Notifications are made with the deed, in the same change of the ledger, and sent by a thread. A process that is
 * killed between sending and writing that down sends once more: so do the channels. */
#include "sandbox/notify.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/token.h"
#include "base/when.h"
#include "outside/http.h"
#include "sandbox/alipay.h"
#include "sandbox/deal.h"
#include "sandbox/wechat.h"

#define REPLY_MS 5000
#define LATE_S   600
#define DEAD_URL "http://127.0.0.1:9/" /* the discard port: nobody listens */

/* Seconds until the next try after the n-th. Source: facts/payments A11, B3. */
static const int64_t wechat_ladder[] = {15,   15,   30,    180,   600,   1200,  1800, 1800,
                                        1800, 3600, 10800, 10800, 10800, 21600, 21600};
static const int64_t alipay_ladder[] = {240, 600, 600, 3600, 7200, 21600, 54000};
static const struct ladder {
    const int64_t *steps;
    int64_t count;
} ladders[GATE_COUNT] = {
    {wechat_ladder, sizeof wechat_ladder / sizeof *wechat_ladder},
    {alipay_ladder, sizeof alipay_ladder / sizeof *alipay_ladder},
};

/* ---- making ---- */

static void new_id(char id[37])
{
    static const char hex[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++)
        id[i] = hex[random_below(16)];
    id[32] = '\0';
}

static struct notice *notice_new(struct box *box, const struct trade *trade, const struct refund *refund)
{
    struct notice *notice = box_add_notice(box);
    bool own_url = refund && trade->gate == GATE_WECHAT;
    new_id(notice->id);
    notice->gate = trade->gate;
    cut_copy(notice->trade, sizeof notice->trade, trade->number);
    cut_copy(notice->refund, sizeof notice->refund, refund ? refund->number : "");
    cut_copy(notice->url, sizeof notice->url, own_url ? refund->notify_url : trade->notify_url);
    notice->refunded_fen = refund_done_sum(box, trade);
    notice->made_at = notice->due_at = box_now(box);
    return notice;
}

/* A payment that waited for a refund's notification goes after it. */
static void release_held(struct box *box, const char *trade, int64_t due_at)
{
    for (size_t i = 0; i < box->notice_count; i++) {
        struct notice *notice = box->notices[i];
        if (notice->held && strcmp(notice->trade, trade) == 0) {
            notice->held = 0;
            notice->due_at = due_at;
            box_keep_notice(box, notice);
        }
    }
}

void notice_queue(struct box *box, const struct trade *trade, const struct refund *refund)
{
    const char *url = refund && trade->gate == GATE_WECHAT ? refund->notify_url : trade->notify_url;
    if (!*url)
        return;
    struct strike strike = faults_take(&box->faults, (int)trade->gate, OP_NOTICE);
    if (strike.on[FAULT_FORGED] || strike.on[FAULT_NOTICE_PROBE])
        notice_forge(box, trade);
    struct notice *notice = notice_new(box, trade, refund);
    notice->due_at += strike.on[FAULT_LATE] ? LATE_S : 0;
    notice->held = !refund && strike.on[FAULT_REORDER];
    box_keep_notice(box, notice);
    if (strike.on[FAULT_TWICE]) {
        struct notice *twin = box_add_notice(box);
        *twin = *notice;
        /* The channel's number of both is one; the ledger's own must differ. */
        cut_copy(twin->id + 32, sizeof twin->id - 32, "+2");
        twin->due_at++;
        box_keep_notice(box, twin);
    }
}

void notice_forge(struct box *box, const struct trade *trade)
{
    struct notice *notice = notice_new(box, trade, NULL);
    notice->forged = 1;
    box_keep_notice(box, notice);
}

/* ---- what is sent ---- */

struct letter {
    struct buf headers;
    char *body;
    char url[512];
};

static void letter_release(struct letter *letter)
{
    buf_release(&letter->headers);
    free(letter->body);
}

static char *wechat_body(struct box *box, const struct notice *notice, const struct trade *trade)
{
    char at[TIME_TEXT], event[40];
    const struct refund *refund = notice->refund[0] ? box_refund_of(box, trade, notice->refund) : NULL;
    struct tree *plain = refund ? wechat_refund_notice_tree(box, refund) : wechat_trade_tree(box, trade, "SUCCESS");
    struct tree *tree = tree_object();
    char *text = tree_dump(plain);
    fit_printf(event, "%s.%s", refund ? "REFUND" : "TRANSACTION",
               refund ? refund_stage_name(refund->stage) : "SUCCESS");
    tree_put_text(tree, "id", notice->id);
    tree_put_text(tree, "create_time", time_rfc3339(notice->made_at, at));
    tree_put_text(tree, "resource_type", "encrypt-resource");
    tree_put_text(tree, "event_type", event);
    tree_put_text(tree, "summary", refund ? "退款通知" : "支付成功");
    tree_put(tree, "resource",
             wechat_sealed_tree(box, text, refund ? "refund" : "transaction", refund ? "refund" : "transaction"));
    char *body = tree_dump(tree);
    tree_free(&plain);
    tree_free(&tree);
    free(text);
    return body;
}

static void wechat_letter(struct box *box, const struct notice *notice, const struct trade *trade,
                          struct letter *letter)
{
    struct wechat_signature signature;
    struct strike strike = {0};
    /* Half of the forgers use a key of their own, the others WeChat's probe. */
    strike.on[FAULT_SIGN] = notice->forged && notice->id[0] < '8';
    strike.on[FAULT_PROBE] = notice->forged && notice->id[0] >= '8';
    letter->body = wechat_body(box, notice, trade);
    wechat_sign(box, "", letter->body, &strike, &signature);
    buf_printf(&letter->headers,
               "Content-Type: application/json\nWechatpay-Timestamp: %s\nWechatpay-Nonce: %s\n"
               "Wechatpay-Signature: %s\nWechatpay-Serial: %s\n"
               "Wechatpay-Signature-Type: WECHATPAY2-SHA256-RSA2048\n",
               signature.timestamp, signature.nonce, signature.signature, signature.serial);
    free(signature.signature);
}

static void letter_write(struct box *box, const struct notice *notice, struct letter *letter)
{
    struct notice told = *notice;
    const struct trade *trade = box_trade(box, notice->gate, notice->trade);
    /* Its twin has the same number at the channel. */
    told.id[32] = '\0';
    cut_copy(letter->url, sizeof letter->url, box->settings.notify == NOTIFY_DEAD ? DEAD_URL : notice->url);
    if (notice->gate == GATE_WECHAT) {
        wechat_letter(box, &told, trade, letter);
        return;
    }
    buf_add(&letter->headers, "Content-Type: application/x-www-form-urlencoded;charset=utf-8\n");
    letter->body = alipay_notice_form(box, &told, trade, notice->forged ? box->keys.app : box->keys.alipay);
}

/* ---- sending ---- */

/* *status: of HTTP, 0 where nobody answered. True: taken. */
static bool send_letter(struct http *http, int64_t gate, const struct letter *letter, long *status)
{
    char why[256];
    struct http_answer answer = {0};
    const struct http_request request = {
        .method = "POST",
        .url = letter->url,
        .headers = buf_text(&letter->headers),
        .body = letter->body,
        .bytes = strlen(letter->body),
        .connect_ms = REPLY_MS,
        .total_ms = REPLY_MS,
    };
    bool answered = http_call(http, &request, &answer, why) == HTTP_ANSWERED;
    *status = answered ? answer.status : 0;
    bool taken = gate == GATE_WECHAT ? *status == 200 || *status == 204
                                     : *status == 200 && strcmp(buf_text(&answer.body), "success") == 0;
    http_answer_release(&answer);
    return taken;
}

static struct notice *find_due(struct box *box)
{
    struct notice *first = NULL;
    int64_t now = box_now(box);
    if (box->settings.notify == NOTIFY_OFF)
        return NULL;
    for (size_t i = 0; i < box->notice_count; i++) {
        struct notice *notice = box->notices[i];
        if (notice->end == NOTICE_WAITS && !notice->held && notice->due_at <= now &&
            (!first || notice->due_at < first->due_at))
            first = notice;
    }
    return first;
}

static void note_end(struct box *box, struct notice *notice, bool taken, long status)
{
    const struct ladder *ladder = &ladders[notice->gate];
    notice->status = status;
    notice->tries++;
    if (taken)
        notice->end = NOTICE_TAKEN;
    else if (notice->forged || notice->tries > ladder->count)
        notice->end = NOTICE_GIVEN_UP;
    else
        notice->due_at = box_now(box) + ladder->steps[notice->tries - 1];
    box_keep_notice(box, notice);
    if (taken && notice->refund[0])
        release_held(box, notice->trade, box_now(box));
    box_commit(box);
}

/* Notices are never freed while the threads run, so that the pointer outlives the unlocked time. */
static void send_one(struct box *box, struct http *http, struct notice *notice)
{
    struct letter letter = {0};
    int64_t gate = notice->gate;
    long status;
    letter_write(box, notice, &letter);
    pthread_mutex_unlock(&box->lock);
    bool taken = send_letter(http, gate, &letter, &status);
    pthread_mutex_lock(&box->lock);
    note_end(box, notice, taken, status);
    letter_release(&letter);
}

void *notify_run(void *arg)
{
    struct box *box = arg;
    struct http *http = http_new();
    pthread_mutex_lock(&box->lock);
    while (!box->stopping) {
        struct notice *notice = find_due(box);
        if (notice)
            send_one(box, http, notice);
        else
            box_wait(box, 200);
    }
    pthread_mutex_unlock(&box->lock);
    http_free(&http);
    return NULL;
}
