/* Desks for notifications: several, so that one slow statement does not keep the others, and apart from the
 * connections, so that an answer is given in time whatever the database does. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "core/operator.h"
#include "jobs/notify.h"

/* One message on its way through; freed by whoever is last to need it. */
struct task {
    enum channel_id id;
    char *headers, *body;
    size_t body_bytes;
    struct channel_reply reply;
    bool done, left; /* left: nobody waits for the answer any more */
    pthread_cond_t ready;
    struct task *next;
};

struct notify_pool {
    const struct config *config;
    pthread_mutex_t lock; /* for all that follows, and every task's state */
    pthread_cond_t more;
    struct task *first, **end;
    bool stopping;
    pthread_t *threads;
    size_t count;
};

static void task_free(struct task *task)
{
    pthread_cond_destroy(&task->ready);
    free(task->headers);
    free(task->body);
    free(task);
}

static struct task *task_new(enum channel_id id, const struct channel_message *message)
{
    struct task *task = xcalloc(1, sizeof *task);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&task->ready, &monotonic);
    pthread_condattr_destroy(&monotonic);
    task->id = id;
    task->headers = xstrdup(message->headers ? message->headers : "");
    task->body = xmalloc(message->body_bytes + 1);
    if (message->body_bytes > 0)
        memcpy(task->body, message->body, message->body_bytes);
    task->body[message->body_bytes] = '\0';
    task->body_bytes = message->body_bytes;
    return task;
}

/* The next one, or NULL: stopping. What nobody waits for any more will come again and is not begun. */
static struct task *next_task(struct notify_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct task *task = NULL;
    while (!task) {
        while (!pool->first && !pool->stopping)
            pthread_cond_wait(&pool->more, &pool->lock);
        task = pool->first;
        if (!task)
            break;
        pool->first = task->next;
        if (!pool->first)
            pool->end = &pool->first;
        if (task->left) {
            task_free(task);
            task = NULL;
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return task;
}

static void finish(struct notify_pool *pool, struct task *task, struct channel_reply reply)
{
    pthread_mutex_lock(&pool->lock);
    task->reply = reply;
    task->done = true;
    bool left = task->left;
    pthread_cond_signal(&task->ready);
    pthread_mutex_unlock(&pool->lock);
    if (left)
        task_free(task);
}

enum fd_code notify_desk(const struct config *config, struct desk **desk, struct fd_error *err)
{
    enum fd_code code = desk_open(config, desk, err);
    if (code == FD_OK)
        code = operator_act_as_worker(*desk, err);
    if (code != FD_OK) {
        desk_close(desk);
        return code;
    }
    /* Whoever told us waits: nobody else is called meanwhile. */
    (*desk)->no_channel = true;
    return FD_OK;
}

static struct channel_reply take_one(const struct notify_pool *pool, struct desk **desk, const struct task *task)
{
    struct noticed noticed = {.reply = channel_notice_reply(task->id, false)};
    const struct channel_message message = {task->headers, task->body, task->body_bytes};
    struct fd_error err = {0};
    enum fd_code code = *desk ? FD_OK : notify_desk(pool->config, desk, &err);
    if (code == FD_OK)
        code = notice_take(*desk, task->id, &message, &noticed, &err);
    if (code == FD_OK) {
        log_line(LOG_INFO, "notify: %s: %s", channel_name(task->id), noticed.outcome);
        return noticed.reply;
    }
    log_line(LOG_ERROR, "notify: %s: a notification was not taken; it will come again", channel_name(task->id));
    log_error(&err);
    if (code == FD_DB_DOWN || code == FD_UNKNOWN || code == FD_SCHEMA)
        desk_close(desk);
    return channel_notice_reply(task->id, false);
}

static void *serve(void *arg)
{
    struct notify_pool *pool = arg;
    struct desk *desk = NULL;
    struct task *task;
    while ((task = next_task(pool)))
        finish(pool, task, take_one(pool, &desk, task));
    desk_close(&desk);
    return NULL;
}

struct notify_pool *notify_pool_start(const struct config *config, size_t count)
{
    struct notify_pool *pool = xcalloc(1, sizeof *pool);
    pool->config = config;
    pool->end = &pool->first;
    pool->threads = xcalloc(count, sizeof *pool->threads);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->more, NULL);
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&pool->threads[pool->count], NULL, serve, pool) == 0)
            pool->count++;
    if (pool->count == 0)
        mem_exhausted();
    return pool;
}

static struct timespec after_ms(int64_t ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += ms % 1000 * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

bool notify_pool_take(struct notify_pool *pool, enum channel_id id, const struct channel_message *message,
                      int64_t limit_ms, struct channel_reply *reply)
{
    struct timespec until = after_ms(limit_ms);
    struct task *task = task_new(id, message);
    pthread_mutex_lock(&pool->lock);
    *pool->end = task;
    pool->end = &task->next;
    pthread_cond_signal(&pool->more);
    int waited = 0;
    while (!task->done && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&task->ready, &pool->lock, &until);
    bool done = task->done;
    if (done)
        *reply = task->reply;
    else
        task->left = true;
    pthread_mutex_unlock(&pool->lock);
    if (done)
        task_free(task);
    return done;
}

void notify_pool_stop(struct notify_pool **pool)
{
    struct notify_pool *old = *pool;
    *pool = NULL;
    pthread_mutex_lock(&old->lock);
    old->stopping = true;
    pthread_cond_broadcast(&old->more);
    pthread_mutex_unlock(&old->lock);
    for (size_t i = 0; i < old->count; i++)
        pthread_join(old->threads[i], NULL);
    pthread_cond_destroy(&old->more);
    pthread_mutex_destroy(&old->lock);
    free(old->threads);
    free(old);
}
