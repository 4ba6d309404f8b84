/* A request as it came over the wire, and what is sent back. */
#ifndef FD_SANDBOX_WEB_H
#define FD_SANDBOX_WEB_H
#include <stdbool.h>
#include <stdint.h>
#include "base/mem.h"
#include "outside/tree.h"
#include "sandbox/fault.h"

struct box;

struct request {
    const char *method, *target; /* target: path and query, not decoded */
    struct buf body;
    /* A header's value, "" where it is missing; borrowed. */
    const char *(*header)(const struct request *request, const char *name);
    void *source;
};

#define ANSWER_HEADERS 12
struct answer {
    int status;
    const char *type; /* of the body; static */
    char *body;       /* xmalloc'ed, NULL none */
    struct answer_header {
        const char *name; /* static */
        char *value;      /* xmalloc'ed */
    } headers[ANSWER_HEADERS];
    size_t header_count;
    bool lost, gzip; /* the connection ends without an answer; the body is a gzip that breaks off */
    int64_t silent_ms, slow_ms;
};
void answer_header(struct answer *answer, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Replaces the body by the text; takes it. */
void answer_body(struct answer *answer, int status, const char *type, char *text);
/* Replaces the body by the JSON; frees the tree. */
void answer_tree(struct answer *answer, int status, struct tree *tree);
/* The faults on the wire, and 404 without anything. */
void answer_strike(struct answer *answer, const struct strike *strike);
void answer_release(struct answer *answer);
/* The body as a gzip file whose end is missing. */
void gzip_broken(const char *text, struct buf *out);

/* The two gates: check, do, sign. Each takes the box's lock. */
void wechat_answer(struct box *box, const struct request *request, struct answer *answer);
void alipay_answer(struct box *box, const struct request *request, struct answer *answer);

/* "a=1&b=2", decoded. xmalloc'ed; NULL where the name is missing or an escape is none. */
struct form_field {
    char *name, *value;
};
struct form {
    struct form_field *fields;
    size_t count;
};
void form_read(struct form *form, const char *text);             /* adds; text up to its end */
const char *form_get(const struct form *form, const char *name); /* "" where it is missing; borrowed */
/* Alipay's text to sign: sorted by name, empty values and the names of `without` (NULL ends) left out. xmalloc'ed. */
char *form_signed_text(struct form *form, const char *const *without);
void form_release(struct form *form);

/* Percent-decodes into `out`; false where it does not fit or is no escape. */
bool percent_decode(const char *text, size_t length, char *out, size_t out_bytes);
/* For application/x-www-form-urlencoded; xmalloc'ed. */
char *percent_encode(const char *text);
/* Seconds since 1970 from "2026-05-20T13:29:35+08:00"; false where it is none. */
bool time_from_rfc3339(const char *text, int64_t *at);
#define TIME_TEXT 32
const char *time_rfc3339(int64_t at, char text[TIME_TEXT]); /* at +08:00 */
const char *time_beijing(int64_t at, char text[TIME_TEXT]); /* "2026-05-20 13:29:35" */
bool time_from_beijing(const char *text, int64_t *at);
/* Letters of a UTF-8 text. */
size_t letters_of(const char *text);
bool has_only(const char *text, const char *extra); /* ASCII letters, digits and those of `extra`; not empty */
/* A null outside of strings. */
bool json_has_null(const char *text);
#endif
