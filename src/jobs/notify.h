/* `frontdesk notify`: the two addresses at which the channels tell what happened, on loopback behind the site's TLS
 * proxy. Answers within the channels' time, whatever the database does: what cannot be taken in time is sent again.
 * Source: domain section 5; facts A11, B3. */
#ifndef FD_JOBS_NOTIFY_H
#define FD_JOBS_NOTIFY_H
#include "core/action.h"
#include "money/notice.h"

#define NOTIFY_BODY_MOST 65536 /* bytes of one message */
#define NOTIFY_LIMIT_MS  4000  /* until it is answered; WeChat Pay waits 5 s */

/* Serves until SIGTERM or SIGINT, then ends within 5 seconds. `listen`: "127.0.0.1:8787", "[::1]:0"; port 0 takes a
 * free one, which the log names. A database that is away at the start is waited for. FD_CONFIG: no channel, a bad
 * address; FD_IO: the address is taken. */
enum fd_code notify_serve(const struct config *config, const char *listen, struct fd_error *err);
/* Takes one message from standard input, for relays: header lines, an empty line, the body. FD_OK: taken (*noticed);
 * FD_REFUSED: it is not good, *noticed says how. */
enum fd_code notify_one(const struct config *config, enum channel_id id, struct noticed *noticed, struct fd_error *err);

extern const struct action notify_actions[];

/* Desks in threads of their own take what the server puts into one queue. */
struct notify_pool;
/* Starts `count` of them; a desk whose database is away opens again when the next message comes. New. */
struct notify_pool *notify_pool_start(const struct config *config, size_t count);
/* Hands one over (copied) and waits for its answer until limit_ms are over: then false, and it may still be done. */
bool notify_pool_take(struct notify_pool *pool, enum channel_id id, const struct channel_message *message,
                      int64_t limit_ms, struct channel_reply *reply);
/* What is under way is finished. */
void notify_pool_stop(struct notify_pool **pool);
/* A desk for it: acts as the worker, waits less for a server that does not answer. New. */
enum fd_code notify_desk(const struct config *config, struct desk **desk, struct fd_error *err);
#endif
