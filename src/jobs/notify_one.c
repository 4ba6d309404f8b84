/* One notification from standard input, and the command. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/notify.h"

#define HEADERS_MOST 32768

static enum fd_code read_input(struct buf *text, struct fd_error *err)
{
    char part[8192];
    ssize_t got = 1;
    /* One byte more than can be good is enough to see that it is not. */
    while (text->bytes <= HEADERS_MOST + NOTIFY_BODY_MOST && got != 0) {
        got = read(STDIN_FILENO, part, sizeof part);
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0)
            buf_add_bytes(text, part, (size_t)got);
    }
    if (got < 0)
        return fd_fail(err, FD_IO, _("Standard input cannot be read: %s"), strerror(errno));
    return FD_OK;
}

/* Where the body begins: after the first empty line, with LF or CRLF. NULL: there is none. */
static char *body_of(struct buf *text)
{
    char *line = text->text, *end = text->text + text->bytes;
    while (line < end) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next)
            return NULL;
        bool empty = next == line || (next == line + 1 && *line == '\r');
        if (empty) {
            *line = '\0';
            return next + 1;
        }
        line = next + 1;
    }
    return NULL;
}

enum fd_code notify_one(const struct config *config, enum channel_id id, struct noticed *noticed, struct fd_error *err)
{
    struct desk *desk = NULL;
    struct buf text = {0};
    *noticed = (struct noticed){.outcome = "failed", .reply = channel_notice_reply(id, false)};
    buf_add(&text, "");
    enum fd_code code = read_input(&text, err);
    char *body = code == FD_OK ? body_of(&text) : NULL;
    if (code == FD_OK && !body) {
        fd_fail(err, FD_USAGE, _("Standard input holds no notification."));
        fd_hint(err, _("Give its header lines, an empty line, and its body."));
        code = FD_USAGE;
    }
    if (code == FD_OK)
        code = notify_desk(config, &desk, err);
    if (code == FD_OK) {
        const struct channel_message message = {text.text, body, text.bytes - (size_t)(body - text.text)};
        code = notice_take(desk, id, &message, noticed, err);
    }
    bool good = noticed->reply.status == channel_notice_reply(id, true).status &&
                strcmp(noticed->reply.body, channel_notice_reply(id, true).body) == 0;
    if (code == FD_OK && !good) {
        code = fd_fail(err, FD_REFUSED, _("The notification is refused: %s."), noticed->outcome);
        fd_hint(err, _("It is kept in table channel_notice; the log says more."));
    }
    desk_close(&desk);
    buf_release(&text);
    return code;
}

static enum fd_code take_from_input(struct call *call, const char *which, struct fd_error *err)
{
    enum channel_id id = strcmp(which, "wechat") == 0 ? CHANNEL_WECHAT : CHANNEL_ALIPAY;
    struct noticed noticed;
    enum fd_code code = notify_one(call->config, id, &noticed, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_text(call->answer, "outcome", noticed.outcome);
    tree_put_int(call->answer, "status", noticed.reply.status);
    tree_put_text(call->answer, "body", noticed.reply.body);
    call_say(call, "%s", noticed.outcome);
    return FD_OK;
}

static enum fd_code notify_run(struct call *call, struct fd_error *err)
{
    const char *which = call_text(call, "stdin"), *listen = call_text(call, "listen");
    if (which)
        return take_from_input(call, which, err);
    return notify_serve(call->config, listen ? listen : config_text(call->config, CONFIG_NOTIFY_LISTEN), err);
}

static const struct action_param notify_params[] = {
    {"stdin", P_CHOICE, 0, "wechat|alipay", N_("take one from standard input: header lines, an empty line, the body")},
    {"listen", P_TEXT, 0, NULL, N_("address and port (default: the configuration's)")},
    {0},
};

const struct action notify_actions[] = {
    {"notify", "", NULL, N_("take the payment channels' notifications"),
     N_("Serves /wechat/notify and /alipay/notify until it is told to stop (SIGTERM, SIGINT); put a proxy with TLS in\n"
        "front. Without it the worker asks the channels itself. With --stdin it takes one message from a relay."),
     notify_params, NULL, A_NO_DB, "", notify_run},
    {0},
};
