/* HTTP of the two gates over libmicrohttpd, a thread for each connection: one that is slow on purpose holds up nobody
 * else. */
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/when.h"
#include "sandbox/serve_internal.h"
#include "sandbox/web.h"

#define BODY_MOST (256u * 1024)

struct exchange {
    char *target; /* as on the request line: what was signed */
    struct buf body;
    bool begun, too_long;
};

static void *exchange_begin(void *arg, const char *uri, struct MHD_Connection *connection)
{
    struct exchange *exchange = xcalloc(1, sizeof *exchange);
    (void)arg;
    (void)connection;
    exchange->target = xstrdup(uri);
    return exchange;
}

static void exchange_end(void *arg, struct MHD_Connection *connection, void **own, enum MHD_RequestTerminationCode why)
{
    struct exchange *exchange = *own;
    (void)arg;
    (void)connection;
    (void)why;
    if (!exchange)
        return;
    free(exchange->target);
    buf_release(&exchange->body);
    free(exchange);
    *own = NULL;
}

static const char *header_of(const struct request *request, const char *name)
{
    const char *value = MHD_lookup_connection_value(request->source, MHD_HEADER_KIND, name);
    return value ? value : "";
}

/* ---- a body that comes in two halves ---- */

struct halves {
    struct box *box;
    char *body;
    size_t bytes;
    int64_t ms;
    bool waited;
};

static ssize_t halves_read(void *arg, uint64_t at, char *out, size_t most)
{
    struct halves *halves = arg;
    size_t end = at < halves->bytes / 2 ? halves->bytes / 2 : halves->bytes, count = end - (size_t)at;
    if (end == halves->bytes && !halves->waited) {
        halves->waited = true;
        box_pause(halves->box, halves->ms);
    }
    count = count < most ? count : most;
    memcpy(out, halves->body + at, count);
    return (ssize_t)count;
}

static void halves_free(void *arg)
{
    struct halves *halves = arg;
    free(halves->body);
    free(halves);
}

static struct MHD_Response *slow_response(struct box *box, struct answer *answer)
{
    struct halves *halves = xcalloc(1, sizeof *halves);
    *halves = (struct halves){
        .box = box, .body = xstrdup(answer->body), .bytes = strlen(answer->body), .ms = answer->slow_ms};
    return MHD_create_response_from_callback(halves->bytes, 1024, halves_read, halves, halves_free);
}

static struct MHD_Response *plain_response(struct answer *answer)
{
    struct buf bytes = {0};
    if (answer->body && answer->gzip) {
        gzip_broken(answer->body, &bytes);
        answer_header(answer, "Content-Encoding", "gzip");
    } else if (answer->body) {
        buf_add(&bytes, answer->body);
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes.bytes, (void *)(uintptr_t)buf_text(&bytes), MHD_RESPMEM_MUST_COPY);
    buf_release(&bytes);
    return response;
}

/* Clients that reuse a connection send once more by themselves where it ends without a single byte. */
static void send_first_bytes(struct MHD_Connection *connection)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    ssize_t ignored = info ? send(info->connect_fd, interim, sizeof interim - 1, MSG_NOSIGNAL) : 0;
    (void)ignored;
}

static enum MHD_Result send_answer(struct box *box, struct MHD_Connection *connection, struct answer *answer)
{
    if (answer->silent_ms)
        box_pause(box, answer->silent_ms);
    if (answer->lost)
        send_first_bytes(connection);
    if (answer->silent_ms || answer->lost)
        return MHD_NO;
    bool slow = answer->slow_ms && answer->body && *answer->body;
    struct MHD_Response *response = slow ? slow_response(box, answer) : plain_response(answer);
    if (!response)
        return MHD_NO;
    if (answer->type)
        MHD_add_response_header(response, "Content-Type", answer->type);
    for (size_t i = 0; i < answer->header_count; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    enum MHD_Result sent = MHD_queue_response(connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return sent;
}

/* ---- requests ---- */

static void route_answer(struct box *box, const struct request *request, struct answer *answer)
{
    size_t length = strcspn(request->target, "?");
    bool alipay = length == strlen("/gateway.do") && strncmp(request->target, "/gateway.do", length) == 0;
    (alipay ? alipay_answer : wechat_answer)(box, request, answer);
}

/* The library's own says what this machine's clock says. */
static void date_header(struct answer *answer, int64_t wire)
{
    /* English, whatever the language here. */
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm at;
    time_t seconds = (time_t)wire;
    gmtime_r(&seconds, &at);
    answer_header(answer, "Date", "%.3s, %02d %.3s %d %02d:%02d:%02d GMT", days + 3 * at.tm_wday, at.tm_mday,
                  months + 3 * at.tm_mon, at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
}

static enum MHD_Result answer_request(struct box *box, struct MHD_Connection *connection, const char *method,
                                      struct exchange *exchange)
{
    struct answer answer = {0};
    const struct request request = {.method = method,
                                    .target = exchange->target,
                                    .body = exchange->body,
                                    .header = header_of,
                                    .source = connection};
    pthread_mutex_lock(&box->lock);
    int64_t delay_ms = box->settings.delay_ms, skew_s = box->settings.skew_s, wire = box_wire(box);
    pthread_mutex_unlock(&box->lock);
    if (delay_ms > 0)
        box_pause(box, delay_ms);
    if (exchange->too_long)
        answer_body(&answer, 413, NULL, NULL);
    else
        route_answer(box, &request, &answer);
    if (skew_s)
        date_header(&answer, wire + delay_ms / 1000);
    enum MHD_Result sent = send_answer(box, connection, &answer);
    answer_release(&answer);
    return sent;
}

static enum MHD_Result take(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                            const char *version, const char *upload, size_t *upload_bytes, void **own)
{
    struct exchange *exchange = *own;
    (void)url;
    (void)version;
    if (!exchange->begun) {
        exchange->begun = true;
        return MHD_YES;
    }
    if (*upload_bytes == 0)
        return answer_request(arg, connection, method, exchange);
    if (exchange->body.bytes + *upload_bytes > BODY_MOST)
        exchange->too_long = true;
    else
        buf_add_bytes(&exchange->body, upload, *upload_bytes);
    *upload_bytes = 0;
    return MHD_YES;
}

struct MHD_Daemon *http_serve(struct box *box, int fd)
{
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, take, box,
                            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, NULL,
                            MHD_OPTION_NOTIFY_COMPLETED, exchange_end, NULL, MHD_OPTION_CONNECTION_TIMEOUT, 120u,
                            MHD_OPTION_END);
}

void http_end(struct MHD_Daemon *daemon)
{
    MHD_stop_daemon(daemon);
}
