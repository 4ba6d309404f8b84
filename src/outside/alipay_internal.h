/* What the files of Alipay share. */
#ifndef FD_OUTSIDE_ALIPAY_INTERNAL_H
#define FD_OUTSIDE_ALIPAY_INTERNAL_H
#include "outside/channel_internal.h"
#include "outside/tree.h"

/* Parameters: of a request, or of a notification after decoding. Names are unique. */
#define PARAMS_MOST 64
struct params {
    struct arena arena;
    struct param_pair {
        const char *name, *value; /* in the arena */
    } pair[PARAMS_MOST];
    size_t count;
};
void params_release(struct params *params);
/* Copies both; false where the name is there already or there are too many. */
bool params_add(struct params *params, const char *name, const char *value);
const char *params_get(const struct params *params, const char *name); /* NULL: missing */
/* "a=1&b=2&…", percent-decoded. False where it is no form: bad escapes, a NUL, an empty or repeated name, too many. */
bool params_from_form(const char *form, struct params *params);
/* Percent-encoded as a form; xmalloc'ed. Only `name`, or where `but` all others. */
char *params_form(const struct params *params, const char *name, bool but);
/* What is signed: names in the order of their bytes, empty values and the two named left out (NULL: nothing), raw;
 * xmalloc'ed. Source: facts B1, B3. */
char *params_text(const struct params *params, const char *out1, const char *out2);

/* The bytes of the value of `key` in the object that is the whole of `text`, as they stand there. False where `text` is
 * no object or has no or several such keys. Source: facts B2. */
bool json_raw_member(const char *text, const char *key, const char **value, size_t *bytes);

/* An answer of the gateway taken apart: the node with its signature checked over the very bytes; where that fails and
 * they hold "\/", over the same with "/". */
enum alipay_proof { ALIPAY_GOOD, ALIPAY_UNSIGNED, ALIPAY_WRONG, ALIPAY_UNREADABLE };
/* *node: xmalloc'ed text of the node ("alipay_trade_query_response" or "error_response"); NULL where UNREADABLE. */
enum alipay_proof alipay_prove(const struct channel *channel, const char *text, const char *method, char **node);

/* Calls `method`; `biz` is taken over. CHANNEL_DONE: code 10000 and verified; *answer: tree_free; `raw` (may be NULL):
 * its text, xmalloc'ed. */
enum channel_outcome alipay_call(struct channel *channel, const char *method, struct tree *biz, struct tree **answer,
                                 char **raw, struct channel_trouble *trouble);

/* An answer that came: proved and sorted. As alipay_call. */
enum channel_outcome alipay_answer(const struct channel *channel, const char *method, const struct http_answer *http,
                                   struct tree **answer, char **raw, struct channel_trouble *trouble);

const char *alipay_when(wall_t wall, char text[WALL_TEXT]); /* "yyyy-MM-dd HH:mm:ss" */
/* Fills state and finished from a trade_status; false: unknown. */
bool alipay_read_state(const char *status, struct channel_trade *trade);
/* "0.01" in fen; false where it is none or negative. */
bool alipay_amount(const char *text, int64_t *fen);

enum notice_verdict alipay_notice(struct channel *channel, const struct channel_message *message, int64_t now,
                                  struct channel_notice *notice);
#endif
