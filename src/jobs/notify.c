/* HTTP for notifications (libmicrohttpd, and nowhere else but in the sandbox): a thread for each connection, which only
 * reads, hands over and waits. */
#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/late.h"
#include "base/log.h"
#include "base/text.h"
#include "jobs/jobs.h"
#include "jobs/notify.h"

#define DESKS            4
#define CONNECTIONS_MOST 256
#define CONNECTION_BYTES 32768
#define IDLE_S           5
#define SENDING_MS       10000         /* a body that trickles in is not waited for longer */
#define SENDING_MOST     (1024 * 1024) /* nor one without an announced length that does not end */
#define DRAIN_S          5
#define DRAIN_STATUS     75
#define PAUSE_LEAST_MS   200
#define PAUSE_MOST_MS    5000

#define MHD_FUNCTIONS(X)                                                                                               \
    X(MHD_add_response_header)                                                                                         \
    X(MHD_create_response_from_buffer)                                                                                 \
    X(MHD_destroy_response)                                                                                            \
    X(MHD_get_connection_values)                                                                                       \
    X(MHD_get_daemon_info)                                                                                             \
    X(MHD_lookup_connection_value)                                                                                     \
    X(MHD_queue_response)                                                                                              \
    X(MHD_start_daemon)                                                                                                \
    X(MHD_stop_daemon)
MHD_FUNCTIONS(LATE_POINTER)

static const struct {
    const char *path;
    enum channel_id id;
} paths[] = {
    {"/wechat/notify", CHANNEL_WECHAT},
    {"/alipay/notify", CHANNEL_ALIPAY},
};

/* One request as it comes in. */
struct exchange {
    enum channel_id id;
    struct buf body;
    int64_t begun_ms;
    size_t sent; /* bytes, also those that were not kept */
    bool too_long;
};

static enum MHD_Result send_text(struct MHD_Connection *connection, int status, const char *type, const char *body)
{
    struct MHD_Response *response =
        late_MHD_create_response_from_buffer(strlen(body), (void *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    if (type && type[0])
        late_MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        late_MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_POST);
    enum MHD_Result sent = late_MHD_queue_response(connection, (unsigned)status, response);
    late_MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result add_header(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    buf_printf(arg, "%s: %s\n", name, value ? value : "");
    return MHD_YES;
}

/* The whole message to the desks; what is too long goes too, without its body, to be kept as refused. */
static enum MHD_Result answer(struct notify_pool *pool, struct MHD_Connection *connection,
                              const struct exchange *exchange)
{
    struct buf headers = {0};
    struct channel_reply reply = channel_notice_reply(exchange->id, false);
    int64_t left_ms = NOTIFY_LIMIT_MS - (mono_ms() - exchange->begun_ms);
    late_MHD_get_connection_values(connection, MHD_HEADER_KIND, add_header, &headers);
    const struct channel_message message = {buf_text(&headers), exchange->too_long ? "" : buf_text(&exchange->body),
                                            exchange->too_long ? 0 : exchange->body.bytes};
    /* A body that came slowly still gets a moment. */
    if (!notify_pool_take(pool, exchange->id, &message, left_ms > 1000 ? left_ms : 1000, &reply))
        log_line(LOG_WARN, "notify: %s: not done in time; it will come again", channel_name(exchange->id));
    buf_release(&headers);
    return send_text(connection, exchange->too_long ? MHD_HTTP_CONTENT_TOO_LARGE : reply.status, reply.type,
                     reply.body);
}

/* Is the body announced as longer than any message is? Then none of it is read. */
static bool announces_too_much(struct MHD_Connection *connection)
{
    const char *length = late_MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length && strtoull(length, NULL, 10) > NOTIFY_BODY_MOST;
}

static enum MHD_Result begin(struct notify_pool *pool, struct MHD_Connection *connection, const char *url,
                             const char *method, void **own)
{
    size_t i = 0;
    while (i < sizeof paths / sizeof *paths && strcmp(paths[i].path, url) != 0)
        i++;
    if (i == sizeof paths / sizeof *paths)
        return send_text(connection, MHD_HTTP_NOT_FOUND, NULL, "");
    if (strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        return send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, NULL, "");
    struct exchange *exchange = xcalloc(1, sizeof *exchange);
    exchange->id = paths[i].id;
    exchange->begun_ms = mono_ms();
    exchange->too_long = announces_too_much(connection);
    *own = exchange;
    return exchange->too_long ? answer(pool, connection, exchange) : MHD_YES;
}

static enum MHD_Result add_body(struct exchange *exchange, const char *data, size_t *bytes)
{
    exchange->sent += *bytes;
    if (exchange->sent > SENDING_MOST || mono_ms() - exchange->begun_ms > SENDING_MS)
        return MHD_NO;
    exchange->too_long = exchange->too_long || exchange->sent > NOTIFY_BODY_MOST;
    if (!exchange->too_long)
        buf_add_bytes(&exchange->body, data, *bytes);
    *bytes = 0;
    return MHD_YES;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *bytes, void **own)
{
    struct exchange *exchange = *own;
    (void)version;
    if (!exchange)
        return begin(arg, connection, url, method, own);
    if (*bytes > 0)
        return add_body(exchange, data, bytes);
    return answer(arg, connection, exchange);
}

static void finished(void *arg, struct MHD_Connection *connection, void **own, enum MHD_RequestTerminationCode why)
{
    struct exchange *exchange = *own;
    (void)arg;
    (void)connection;
    (void)why;
    if (exchange)
        buf_release(&exchange->body);
    free(exchange);
    *own = NULL;
}

static void log_http(void *arg, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
static void log_http(void *arg, const char *format, va_list args)
{
    char *text = NULL;
    (void)arg;
    if (vasprintf(&text, format, args) < 0)
        return;
    text[strcspn(text, "\r\n")] = '\0';
    log_line(LOG_DEBUG, "notify: %s", text);
    free(text);
}

/* "127.0.0.1:8787" or "[::1]:8787" into its halves. */
static bool split_address(const char *listen, char host[256], char port[8])
{
    const char *colon = strrchr(listen, ':');
    size_t length = colon ? (size_t)(colon - listen) : 0;
    if (!colon || length == 0 || length >= 256 || !text_is_digits(colon + 1) || strlen(colon + 1) > 5)
        return false;
    bool bracketed = listen[0] == '[' && listen[length - 1] == ']';
    memcpy(host, listen + bracketed, length - 2 * (size_t)bracketed);
    host[length - 2 * (size_t)bracketed] = '\0';
    cut_copy(port, 8, colon + 1);
    return true;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static enum fd_code find_address(const char *listen, struct addrinfo **found, struct fd_error *err)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char host[256], port[8];
    if (split_address(listen, host, port) && getaddrinfo(host, port, &wanted, found) == 0)
        return FD_OK;
    fd_fail(err, FD_CONFIG, _("%s is no address to listen on."), listen);
    fd_hint(err, _("Write it like 127.0.0.1:8787 or [::1]:8787 ([notify] listen)."));
    return FD_CONFIG;
}

static struct MHD_Daemon *start_daemon(const struct addrinfo *address, struct notify_pool *pool)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ERROR_LOG;
    if (address->ai_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    return late_MHD_start_daemon(flags, 0, NULL, NULL, handle, pool, MHD_OPTION_EXTERNAL_LOGGER, log_http, NULL,
                                 MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
                                 (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
                                 MHD_OPTION_NOTIFY_COMPLETED, finished, NULL, MHD_OPTION_END);
}

static enum fd_code open_port(const char *listen, struct notify_pool *pool, struct MHD_Daemon **daemon,
                              struct fd_error *err)
{
    struct addrinfo *address;
    enum fd_code code = find_address(listen, &address, err);
    if (code != FD_OK)
        return code;
    if (!is_loopback(address->ai_addr))
        log_line(LOG_WARN, "notify: %s is not loopback: put a proxy with TLS in front", listen);
    *daemon = start_daemon(address, pool);
    if (!*daemon)
        code = fd_fail(err, FD_IO, _("Nothing can listen on %s: %s"), listen, strerror(errno));
    freeaddrinfo(address);
    if (code != FD_OK)
        return code;
    const union MHD_DaemonInfo *info = late_MHD_get_daemon_info(*daemon, MHD_DAEMON_INFO_BIND_PORT);
    log_line(LOG_INFO, "notify: listening on %.*s:%u", (int)(strrchr(listen, ':') - listen), listen,
             info ? (unsigned)info->port : 0);
    return FD_OK;
}

static void drain_over(int number)
{
    (void)number;
    _exit(DRAIN_STATUS);
}

/* Blocked in all threads: the first one asks for them. */
static void block_signals(sigset_t *stops, sigset_t *before)
{
    const struct sigaction over = {.sa_handler = drain_over}, ignore = {.sa_handler = SIG_IGN};
    sigemptyset(stops);
    sigaddset(stops, SIGTERM);
    sigaddset(stops, SIGINT);
    pthread_sigmask(SIG_BLOCK, stops, before);
    sigaction(SIGALRM, &over, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* True: told to stop. */
static bool wait_stop(const sigset_t *stops, int64_t ms)
{
    const struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    return sigtimedwait(stops, NULL, &limit) > 0;
}

static bool is_worth_waiting(enum fd_code code)
{
    return fd_code_exit(code) == 69 || fd_code_exit(code) == 75;
}

/* A wrong configuration is told now, not to the first customer. *stop: told to end while the database was away. */
static enum fd_code check_desk(const struct config *config, const sigset_t *stops, bool *stop, struct fd_error *err)
{
    struct desk *desk = NULL;
    struct fd_error local = {0};
    int64_t pause_ms = PAUSE_LEAST_MS;
    enum fd_code code = notify_desk(config, &desk, &local);
    *stop = false;
    while (!*stop && is_worth_waiting(code)) {
        log_line(LOG_WARN, "notify: %s; trying again in %lld ms", local.message, (long long)pause_ms);
        *stop = wait_stop(stops, pause_ms);
        pause_ms = pause_ms * 2 < PAUSE_MOST_MS ? pause_ms * 2 : PAUSE_MOST_MS;
        if (!*stop)
            code = notify_desk(config, &desk, &local);
    }
    if (*stop)
        return FD_OK;
    if (code == FD_OK && !desk_has_channel(desk, CHANNEL_WECHAT) && !desk_has_channel(desk, CHANNEL_ALIPAY)) {
        struct channel *channel;
        code = desk_channel(desk, CHANNEL_WECHAT, &channel, &local);
    }
    desk_close(&desk);
    if (code != FD_OK && err)
        *err = local;
    return code;
}

static enum fd_code serve_until_told(const struct config *config, const char *listen, const sigset_t *stops,
                                     struct fd_error *err)
{
    struct MHD_Daemon *daemon = NULL;
    struct notify_pool *pool = notify_pool_start(config, DESKS);
    enum fd_code code = open_port(listen, pool, &daemon, err);
    if (code == FD_OK) {
        worker_notify("READY=1");
        while (!wait_stop(stops, 3600 * 1000))
            ;
        worker_notify("STOPPING=1");
    }
    /* Where a frozen server does not let it finish, the process goes; the channels send again. */
    alarm(DRAIN_S);
    if (daemon)
        late_MHD_stop_daemon(daemon);
    notify_pool_stop(&pool);
    alarm(0);
    if (code == FD_OK)
        log_line(LOG_INFO, "notify: stopped");
    return code;
}

enum fd_code notify_serve(const struct config *config, const char *listen, struct fd_error *err)
{
    static const struct late_function functions[] = {MHD_FUNCTIONS(LATE_FUNCTION){0}};
    static struct late_library mhd = {
        .soname = FD_MICROHTTPD_SONAME, .package = "libmicrohttpd12", .functions = functions};
    sigset_t stops, before;
    bool stop;
    enum fd_code code = late_load(&mhd, err);
    if (code != FD_OK)
        return code;
    block_signals(&stops, &before);
    code = check_desk(config, &stops, &stop, err);
    if (code == FD_OK && !stop)
        code = serve_until_told(config, listen, &stops, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
