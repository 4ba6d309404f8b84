/* The ledger: each change is one line of JSON, a list of whole records. Replaying keeps the last of each. */
#include "sandbox/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/when.h"

#define LEDGER "ledger"

const char *gate_name(enum gate gate)
{
    return gate == GATE_WECHAT ? "wechat" : "alipay";
}

const char *stage_name(int64_t stage)
{
    static const char *const names[STAGE_COUNT] = {"waiting", "paid", "closed", "finished"};
    return stage >= 0 && stage < STAGE_COUNT ? names[stage] : "";
}

const char *refund_stage_name(int64_t stage)
{
    static const char *const names[REFUND_STAGES] = {"PROCESSING", "SUCCESS", "CLOSED", "ABNORMAL"};
    return stage >= 0 && stage < REFUND_STAGES ? names[stage] : "";
}

/* A field of a record: a number where `bytes` is 0. */
struct field {
    const char *name;
    size_t at, bytes;
};
#define NUMBER(type, name)                                                                                             \
    {                                                                                                                  \
#name, offsetof(struct type, name), 0                                                                          \
    }
#define TEXT(type, name)                                                                                               \
    {                                                                                                                  \
#name, offsetof(struct type, name), sizeof(((struct type *)0)->name)                                           \
    }

static const struct field trade_fields[] = {
    NUMBER(trade, gate),       TEXT(trade, number),       NUMBER(trade, stage),
    TEXT(trade, code),         TEXT(trade, trade_no),     TEXT(trade, payer),
    NUMBER(trade, amount_fen), NUMBER(trade, paid_fen),   TEXT(trade, subject),
    TEXT(trade, attach),       TEXT(trade, notify_url),   TEXT(trade, fingerprint),
    NUMBER(trade, made_at),    NUMBER(trade, code_until), NUMBER(trade, until),
    NUMBER(trade, paid_at),    NUMBER(trade, closed_at),  {0},
};
static const struct field refund_fields[] = {
    NUMBER(refund, gate),    TEXT(refund, number),    TEXT(refund, trade),      NUMBER(refund, stage),
    TEXT(refund, refund_no), TEXT(refund, reason),    TEXT(refund, notify_url), NUMBER(refund, amount_fen),
    NUMBER(refund, made_at), NUMBER(refund, done_at), NUMBER(refund, due_at),   {0},
};
static const struct field notice_fields[] = {
    TEXT(notice, id),        NUMBER(notice, gate),
    TEXT(notice, trade),     TEXT(notice, refund),
    TEXT(notice, url),       NUMBER(notice, refunded_fen),
    NUMBER(notice, made_at), NUMBER(notice, due_at),
    NUMBER(notice, tries),   NUMBER(notice, status),
    NUMBER(notice, held),    NUMBER(notice, forged),
    NUMBER(notice, end),     {0},
};
static const struct field settings_fields[] = {
    NUMBER(settings, offset_s), NUMBER(settings, skew_s),   NUMBER(settings, one_minute),    NUMBER(settings, notify),
    NUMBER(settings, serial),   NUMBER(settings, delay_ms), NUMBER(settings, auto_refund_s), {0},
};

static struct tree *record_tree(const struct field *fields, const void *record)
{
    struct tree *tree = tree_object();
    for (const struct field *field = fields; field->name; field++) {
        const char *at = (const char *)record + field->at;
        int64_t number;
        memcpy(&number, at, field->bytes ? 0 : sizeof number);
        if (field->bytes)
            tree_put_text(tree, field->name, at);
        else
            tree_put_int(tree, field->name, number);
    }
    return tree;
}

static void record_read(const struct field *fields, const struct tree *tree, void *record)
{
    for (const struct field *field = fields; field->name; field++) {
        char *at = (char *)record + field->at;
        int64_t number = tree_get_int(tree, field->name);
        const char *text = tree_get_text(tree, field->name);
        if (field->bytes)
            cut_copy(at, field->bytes, text ? text : "");
        else
            memcpy(at, &number, sizeof number);
    }
}

struct tree *trade_tree(const struct trade *trade)
{
    return record_tree(trade_fields, trade);
}

struct tree *refund_tree(const struct refund *refund)
{
    return record_tree(refund_fields, refund);
}

struct tree *notice_tree(const struct notice *notice)
{
    return record_tree(notice_fields, notice);
}

int64_t box_now(const struct box *box)
{
    return box_wire(box) + box->settings.offset_s;
}

int64_t box_wire(const struct box *box)
{
    return (int64_t)time(NULL) + box->settings.skew_s;
}

struct trade *box_trade(struct box *box, int64_t gate, const char *number)
{
    for (size_t i = box->trade_count; i-- > 0;)
        if (box->trades[i]->gate == gate && strcmp(box->trades[i]->number, number) == 0)
            return box->trades[i];
    return NULL;
}

struct trade *box_trade_by_no(struct box *box, int64_t gate, const char *trade_no)
{
    for (size_t i = box->trade_count; *trade_no && i-- > 0;)
        if (box->trades[i]->gate == gate && strcmp(box->trades[i]->trade_no, trade_no) == 0)
            return box->trades[i];
    return NULL;
}

struct refund *box_refund(struct box *box, int64_t gate, const char *number)
{
    for (size_t i = box->refund_count; i-- > 0;)
        if (box->refunds[i]->gate == gate && strcmp(box->refunds[i]->number, number) == 0)
            return box->refunds[i];
    return NULL;
}

struct refund *box_refund_of(struct box *box, const struct trade *trade, const char *number)
{
    for (size_t i = box->refund_count; i-- > 0;) {
        struct refund *refund = box->refunds[i];
        if (refund->gate == trade->gate && strcmp(refund->trade, trade->number) == 0 &&
            strcmp(refund->number, number) == 0)
            return refund;
    }
    return NULL;
}

struct trade *box_add_trade(struct box *box)
{
    box->trades = xrealloc(box->trades, box->trade_count + 1, sizeof(struct trade *));
    return box->trades[box->trade_count++] = xcalloc(1, sizeof(struct trade));
}

struct refund *box_add_refund(struct box *box)
{
    box->refunds = xrealloc(box->refunds, box->refund_count + 1, sizeof(struct refund *));
    return box->refunds[box->refund_count++] = xcalloc(1, sizeof(struct refund));
}

struct notice *box_add_notice(struct box *box)
{
    box->notices = xrealloc(box->notices, box->notice_count + 1, sizeof(struct notice *));
    return box->notices[box->notice_count++] = xcalloc(1, sizeof(struct notice));
}

static void keep(struct box *box, const char *kind, struct tree *record)
{
    struct tree *one = tree_object();
    tree_put(one, kind, record);
    if (!box->change)
        box->change = tree_list();
    tree_add(box->change, one);
}

void box_keep_trade(struct box *box, const struct trade *trade)
{
    keep(box, "trade", trade_tree(trade));
}

void box_keep_refund(struct box *box, const struct refund *refund)
{
    keep(box, "refund", refund_tree(refund));
}

void box_keep_notice(struct box *box, const struct notice *notice)
{
    keep(box, "notice", notice_tree(notice));
}

void box_keep_settings(struct box *box)
{
    keep(box, "settings", record_tree(settings_fields, &box->settings));
}

static void write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t wrote = write(fd, bytes, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            fprintf(stderr, "frontdesk-sandbox: the ledger cannot be written: %s\n", strerror(errno));
            _exit(fd_code_exit(FD_IO));
        }
        bytes += wrote;
        count -= (size_t)wrote;
    }
}

void box_commit(struct box *box)
{
    if (!box->change)
        return;
    char *dumped = tree_dump(box->change), *line = xprintf("%s\n", dumped);
    write_all(box->ledger_fd, line, strlen(line));
    if (fdatasync(box->ledger_fd) != 0) {
        fprintf(stderr, "frontdesk-sandbox: the ledger cannot be kept: %s\n", strerror(errno));
        _exit(fd_code_exit(FD_IO));
    }
    free(dumped);
    free(line);
    tree_free(&box->change);
    pthread_cond_broadcast(&box->wake);
}

void box_wait(struct box *box, int64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&box->wake, &box->lock, &until);
}

void box_pause(struct box *box, int64_t ms)
{
    int64_t until = mono_ms() + ms, left;
    pthread_mutex_lock(&box->lock);
    while (!box->stopping && (left = until - mono_ms()) > 0)
        box_wait(box, left);
    pthread_mutex_unlock(&box->lock);
}

void box_stop(struct box *box)
{
    pthread_mutex_lock(&box->lock);
    box->stopping = true;
    pthread_cond_broadcast(&box->wake);
    pthread_mutex_unlock(&box->lock);
}

static struct notice *notice_by_id(struct box *box, const char *id)
{
    for (size_t i = box->notice_count; i-- > 0;)
        if (strcmp(box->notices[i]->id, id) == 0)
            return box->notices[i];
    return NULL;
}

static void replay_trade(struct box *box, const struct tree *record)
{
    struct trade read, *old;
    record_read(trade_fields, record, &read);
    old = box_trade(box, read.gate, read.number);
    *(old ? old : box_add_trade(box)) = read;
}

static void replay_refund(struct box *box, const struct tree *record)
{
    struct refund read, *old;
    record_read(refund_fields, record, &read);
    struct trade *trade = box_trade(box, read.gate, read.trade);
    old = trade ? box_refund_of(box, trade, read.number) : NULL;
    *(old ? old : box_add_refund(box)) = read;
}

static void replay_notice(struct box *box, const struct tree *record)
{
    struct notice read, *old;
    record_read(notice_fields, record, &read);
    old = notice_by_id(box, read.id);
    *(old ? old : box_add_notice(box)) = read;
}

static bool replay_line(struct box *box, const char *line)
{
    struct tree *list = tree_parse(line);
    bool good = tree_is_list(list);
    for (size_t i = 0; good && i < tree_count(list); i++) {
        const struct tree *one = tree_at(list, i), *record;
        if ((record = tree_get(one, "trade")))
            replay_trade(box, record);
        else if ((record = tree_get(one, "refund")))
            replay_refund(box, record);
        else if ((record = tree_get(one, "notice")))
            replay_notice(box, record);
        else if ((record = tree_get(one, "settings")))
            record_read(settings_fields, record, &box->settings);
    }
    tree_free(&list);
    return good;
}

/* Only the last line can be half written, and then nobody was answered. */
static enum fd_code replay(struct box *box, FILE *file, struct fd_error *err)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    off_t whole = 0;
    ssize_t length;
    enum fd_code code = FD_OK;
    while (code == FD_OK && (length = getline(&line, &capacity, file)) > 0) {
        number++;
        if (line[length - 1] != '\n')
            break;
        if (!replay_line(box, line))
            code = fd_fail(err, FD_IO, _("Line %zu of the ledger is damaged."), number);
        whole += length;
    }
    free(line);
    if (code == FD_OK && ftruncate(box->ledger_fd, whole) != 0)
        code = fd_fail(err, FD_IO, _("The ledger cannot be read or written: %s"), strerror(errno));
    return code;
}

enum fd_code box_open(struct box *box, struct fd_error *err)
{
    pthread_condattr_t clock;
    pthread_mutex_init(&box->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&box->wake, &clock);
    pthread_condattr_destroy(&clock);
    box->ledger_fd = open(LEDGER, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    FILE *file = box->ledger_fd < 0 ? NULL : fopen(LEDGER, "re");
    if (!file)
        return fd_fail(err, FD_IO, _("The ledger cannot be read or written: %s"), strerror(errno));
    enum fd_code code = replay(box, file, err);
    fclose(file);
    return code;
}

void box_release(struct box *box)
{
    for (size_t i = 0; i < box->trade_count; i++)
        free(box->trades[i]);
    for (size_t i = 0; i < box->refund_count; i++)
        free(box->refunds[i]);
    for (size_t i = 0; i < box->notice_count; i++)
        free(box->notices[i]);
    free(box->trades);
    free(box->refunds);
    free(box->notices);
    tree_free(&box->change);
    faults_release(&box->faults);
    keys_release(&box->keys);
    if (box->ledger_fd >= 0)
        close(box->ledger_fd);
    pthread_cond_destroy(&box->wake);
    pthread_mutex_destroy(&box->lock);
}
