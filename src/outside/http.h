/* HTTPS to a payment channel (libcurl inside): certificates verified, no redirects, bounded in bytes and time. Plain
 * http only to this machine (the sandbox). Logs nothing of what is sent. */
#ifndef FD_OUTSIDE_HTTP_H
#define FD_OUTSIDE_HTTP_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"

/* Loads libcurl, which costs more than all that the console loads at its start, and is needed only where a channel is
 * called. FD_CONFIG: it is not installed. The others need it: without it no address is allowed, and no date is read. */
enum fd_code http_ready(struct fd_error *err);

/* https://…, or http:// to 127.0.0.1, [::1] or localhost; no user or password in it. */
bool http_url_allowed(const char *url);

#define HTTP_ANSWER_BYTES 262144 /* longer answers are cut off: an error */
#define HTTP_HEADER_BYTES 32768

struct http; /* a connection that is kept between calls; one per thread */
/* After http_ready. */
struct http *http_new(void);
void http_free(struct http **http);

struct http_request {
    const char *method, *url;
    const char *headers; /* lines "Name: value\n"; NULL none */
    const char *body;    /* NULL: none is sent */
    size_t bytes;
    int64_t connect_ms, total_ms; /* 0: 5 s, 12 s */
};
struct http_answer {
    long status;
    struct buf headers; /* "Name: value\n" lines */
    struct buf body;    /* may hold any bytes */
};
enum http_end {
    HTTP_ANSWERED,
    HTTP_NO_ANSWER, /* not reached, cut off, over a limit: it may have been received all the same */
    HTTP_NO_TRUST   /* the peer's certificate is not the channel's: nothing was sent */
};
/* `why` (terminated, English) says what ended it otherwise than HTTP_ANSWERED. http_answer_release in any case. */
enum http_end http_call(struct http *http, const struct http_request *request, struct http_answer *answer,
                        char why[256]);
void http_answer_release(struct http_answer *answer);

/* The value of a header in "Name: value" lines, by name without regard to case, blanks trimmed: false where it is
 * missing, there twice, or does not fit. */
bool http_header(const char *headers, const char *name, char *out, size_t bytes);
/* The Date header in seconds since 1970; false where there is none. */
bool http_date(const char *headers, int64_t *seconds);
#endif
