/* What the files of WeChat Pay share. */
#ifndef FD_OUTSIDE_WECHAT_INTERNAL_H
#define FD_OUTSIDE_WECHAT_INTERNAL_H
#include "outside/channel_internal.h"
#include "outside/tree.h"

struct wechat_request {
    const char *method, *path; /* path with its query, as it goes out */
    const char *body;          /* NULL: none */
};
/* Sends it signed. CHANNEL_DONE: *answer is the verified answer, NULL where it has no body (204); tree_free. `raw`
 * (may be NULL): its text, xmalloc'ed. */
enum channel_outcome wechat_call(struct channel *channel, const struct wechat_request *request, struct tree **answer,
                                 char **raw, struct channel_trouble *trouble);

/* An answer that came: proved and sorted. As wechat_call; *answer may be filled whatever the outcome. */
enum channel_outcome wechat_answer(struct channel *channel, const struct http_answer *http, struct tree **answer,
                                   struct channel_trouble *trouble);

/* What is signed for a request; xmalloc'ed. Source: facts A2. */
struct wechat_stamp {
    char timestamp[24], nonce[64];
};
char *wechat_request_text(const struct wechat_request *request, const struct wechat_stamp *stamp);

enum wechat_proof { PROOF_GOOD, PROOF_MISSING, PROOF_UNKNOWN_KEY, PROOF_WRONG, PROOF_STALE };
/* Checks Wechatpay-* headers over a body by the machine's clock `now`. `serial` (SERIAL_BYTES): the key's, "" missing.
 * Source: facts A3. */
enum wechat_proof wechat_prove(const struct channel *channel, const char *headers, const struct buf *body, int64_t now,
                               char serial[SERIAL_BYTES]);
const char *wechat_proof_text(enum wechat_proof proof); /* English; static */

/* Opens {nonce, associated_data, ciphertext, algorithm} with the APIv3 key; appended to `plain`. */
bool wechat_open(const struct channel *channel, const struct tree *resource, struct buf *plain);

/* Reads a trade (facts A8) that is ours; `why` says in English what is wrong with it, where false. */
bool wechat_read_trade(const struct channel *channel, const struct tree *tree, struct channel_trade *trade,
                       const char **why);
/* Fills a refund; the state stands under `key`: "status" in an answer, "refund_status" in a notification. */
bool wechat_read_back(const struct tree *tree, const char *key, struct channel_backed *backed);

/* Fetches the platform's certificates where they are due, at most once a minute. */
void wechat_refresh(struct channel *channel);
enum notice_verdict wechat_notice(struct channel *channel, const struct channel_message *message, int64_t now,
                                  struct channel_notice *notice);
#endif
