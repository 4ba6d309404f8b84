/* libcurl, with everything off that a payment does not need. */
#include "outside/http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/late.h"
#include "base/text.h"

#define CONNECT_MS 5000
#define TOTAL_MS   12000

struct http {
    CURL *curl;
};

/* ---- the library ---- */

#define CURL_FUNCTIONS(X)                                                                                              \
    X(curl_easy_cleanup)                                                                                               \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_perform)                                                                                               \
    X(curl_easy_reset)                                                                                                 \
    X(curl_easy_setopt)                                                                                                \
    X(curl_easy_strerror)                                                                                              \
    X(curl_free)                                                                                                       \
    X(curl_getdate)                                                                                                    \
    X(curl_global_init)                                                                                                \
    X(curl_slist_append)                                                                                               \
    X(curl_slist_free_all)                                                                                             \
    X(curl_url)                                                                                                        \
    X(curl_url_cleanup)                                                                                                \
    X(curl_url_get)                                                                                                    \
    X(curl_url_set)
CURL_FUNCTIONS(LATE_POINTER)

static void init_curl(void)
{
    if (late_curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        mem_exhausted();
}

enum fd_code http_ready(struct fd_error *err)
{
    static const struct late_function functions[] = {CURL_FUNCTIONS(LATE_FUNCTION){0}};
    static struct late_library curl = {.soname = FD_CURL_SONAME, .package = "libcurl4", .functions = functions};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum fd_code code = late_load(&curl, err);
    if (code == FD_OK)
        pthread_once(&once, init_curl);
    return code;
}

/* ---- addresses ---- */

static bool part(CURLU *url, CURLUPart which, char *out, size_t bytes)
{
    char *text = NULL;
    bool there = late_curl_url_get(url, which, &text, 0) == CURLUE_OK && strlen(text) < bytes;
    if (there)
        cut_copy(out, bytes, text);
    late_curl_free(text);
    return there;
}

static bool is_loopback(const char *host)
{
    return !strcmp(host, "127.0.0.1") || !strcmp(host, "[::1]") || text_same(host, "localhost");
}

bool http_url_allowed(const char *text)
{
    if (http_ready(NULL) != FD_OK)
        return false;
    CURLU *url = late_curl_url();
    if (!url)
        mem_exhausted();
    char scheme[16], host[256], ignored[256];
    bool good = strlen(text) < 1024 && late_curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
                part(url, CURLUPART_SCHEME, scheme, sizeof scheme) && part(url, CURLUPART_HOST, host, sizeof host) &&
                !part(url, CURLUPART_USER, ignored, sizeof ignored) &&
                (!strcmp(scheme, "https") || (!strcmp(scheme, "http") && is_loopback(host)));
    late_curl_url_cleanup(url);
    return good;
}

/* ---- calls ---- */

struct http *http_new(void)
{
    FD_ASSERT(http_ready(NULL) == FD_OK);
    struct http *http = xcalloc(1, sizeof *http);
    http->curl = late_curl_easy_init();
    if (!http->curl)
        mem_exhausted();
    return http;
}

void http_free(struct http **http)
{
    if (!http || !*http)
        return;
    late_curl_easy_cleanup((*http)->curl);
    free(*http);
    *http = NULL;
}

/* Taking less than was offered ends the transfer. */
static size_t take_body(char *bytes, size_t size, size_t count, void *arg)
{
    struct buf *body = arg;
    if (count > HTTP_ANSWER_BYTES - body->bytes)
        return 0;
    buf_add_bytes(body, bytes, size * count);
    return size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *arg)
{
    struct buf *headers = arg;
    if (count > HTTP_HEADER_BYTES - headers->bytes)
        return 0;
    /* A status line begins a new answer: of "100 Continue" nothing is kept. */
    if (count >= 5 && !memcmp(bytes, "HTTP/", 5)) {
        buf_clear(headers);
        return size * count;
    }
    size_t length = count;
    while (length && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
        length--;
    if (length && !memchr(bytes, '\0', length)) {
        buf_add_bytes(headers, bytes, length);
        buf_add(headers, "\n");
    }
    return size * count;
}

static struct curl_slist *header_list(const char *lines)
{
    /* An empty value takes away what libcurl would add by itself. */
    struct curl_slist *list = late_curl_slist_append(NULL, "Expect:");
    for (const char *at = lines; at && *at;) {
        size_t length = strcspn(at, "\n");
        char *line = xprintf("%.*s", (int)length, at);
        struct curl_slist *longer = late_curl_slist_append(list, line);
        explicit_bzero(line, length);
        free(line);
        if (!longer)
            mem_exhausted();
        list = longer;
        at += length + (at[length] == '\n');
    }
    if (!list)
        mem_exhausted();
    return list;
}

#define SET(curl, option, value) (late_curl_easy_setopt(curl, option, value) == CURLE_OK)

static bool set_safety(CURL *curl, const char *url)
{
    /* A proxy of the environment may carry TLS, but never sees plain http. */
    bool plain = !strncasecmp(url, "http:", 5);
    return SET(curl, CURLOPT_PROTOCOLS_STR, plain ? "http" : "https") && SET(curl, CURLOPT_FOLLOWLOCATION, 0L) &&
           SET(curl, CURLOPT_SSL_VERIFYPEER, 1L) && SET(curl, CURLOPT_SSL_VERIFYHOST, 2L) &&
           SET(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) && SET(curl, CURLOPT_NOSIGNAL, 1L) &&
           (!plain || SET(curl, CURLOPT_PROXY, "")) && SET(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
           SET(curl, CURLOPT_USERAGENT, "frontdesk/" FD_VERSION);
}

static bool set_request(CURL *curl, const struct http_request *request, struct curl_slist *headers)
{
    bool set = SET(curl, CURLOPT_URL, request->url) && SET(curl, CURLOPT_HTTPHEADER, headers) &&
               SET(curl, CURLOPT_PATH_AS_IS, 1L) &&
               SET(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(request->connect_ms ? request->connect_ms : CONNECT_MS)) &&
               SET(curl, CURLOPT_TIMEOUT_MS, (long)(request->total_ms ? request->total_ms : TOTAL_MS));
    if (set && request->body)
        set = SET(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->bytes) &&
              SET(curl, CURLOPT_POSTFIELDS, request->body);
    return set && SET(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static bool set_answer(CURL *curl, struct http_answer *answer, char why[CURL_ERROR_SIZE])
{
    return SET(curl, CURLOPT_WRITEFUNCTION, take_body) && SET(curl, CURLOPT_WRITEDATA, &answer->body) &&
           SET(curl, CURLOPT_HEADERFUNCTION, take_header) && SET(curl, CURLOPT_HEADERDATA, &answer->headers) &&
           SET(curl, CURLOPT_ERRORBUFFER, why);
}

static bool is_distrust(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR;
}

enum http_end http_call(struct http *http, const struct http_request *request, struct http_answer *answer,
                        char why[256])
{
    char said[CURL_ERROR_SIZE] = "";
    *answer = (struct http_answer){0};
    why[0] = '\0';
    if (!http_url_allowed(request->url)) {
        cut_copy(why, 256, "the address is not allowed");
        return HTTP_NO_TRUST;
    }
    struct curl_slist *headers = header_list(request->headers);
    late_curl_easy_reset(http->curl); /* keeps the connection */
    if (!set_safety(http->curl, request->url) || !set_request(http->curl, request, headers) ||
        !set_answer(http->curl, answer, said))
        mem_exhausted();
    CURLcode code = late_curl_easy_perform(http->curl);
    late_curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    late_curl_slist_free_all(headers);
    late_curl_easy_setopt(http->curl, CURLOPT_ERRORBUFFER, NULL);
    if (code == CURLE_OK)
        return HTTP_ANSWERED;
    text_clean(why, 256, said[0] ? said : late_curl_easy_strerror(code));
    return is_distrust(code) ? HTTP_NO_TRUST : HTTP_NO_ANSWER;
}

void http_answer_release(struct http_answer *answer)
{
    buf_release(&answer->headers);
    buf_release(&answer->body);
}

/* ---- headers ---- */

bool http_header(const char *headers, const char *name, char *out, size_t bytes)
{
    const char *found = NULL;
    size_t name_bytes = strlen(name), found_bytes = 0;
    for (const char *at = headers; *at;) {
        size_t length = strcspn(at, "\n");
        if (length > name_bytes && at[name_bytes] == ':' && !strncasecmp(at, name, name_bytes)) {
            if (found)
                return false;
            found = at + name_bytes + 1;
            found_bytes = length - name_bytes - 1;
        }
        at += length + (at[length] == '\n');
    }
    if (!found)
        return false;
    for (; found_bytes && strchr(" \t", *found); found_bytes--)
        found++;
    while (found_bytes && strchr(" \t\r", found[found_bytes - 1]))
        found_bytes--;
    if (found_bytes >= bytes)
        return false;
    memcpy(out, found, found_bytes);
    out[found_bytes] = '\0';
    return true;
}

bool http_date(const char *headers, int64_t *seconds)
{
    char text[64];
    if (http_ready(NULL) != FD_OK || !http_header(headers, "Date", text, sizeof text))
        return false;
    time_t date = late_curl_getdate(text, NULL);
    *seconds = date;
    return date > 0;
}
