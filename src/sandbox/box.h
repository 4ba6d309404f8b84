/* The sandbox's state: trades, refunds and notifications of two channels, a clock that can be put forward, and the
 * ledger file that keeps all of it over kill -9. One mutex guards everything; nothing sleeps or sends under it. */
#ifndef FD_SANDBOX_BOX_H
#define FD_SANDBOX_BOX_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"
#include "outside/tree.h"
#include "sandbox/fault.h"
#include "sandbox/keys.h"

enum gate { GATE_WECHAT, GATE_ALIPAY, GATE_COUNT };
const char *gate_name(enum gate gate); /* "wechat", "alipay"; static */

enum trade_stage { STAGE_WAITING, STAGE_PAID, STAGE_CLOSED, STAGE_FINISHED, STAGE_COUNT };
const char *stage_name(int64_t stage); /* "waiting" …; static */

/* Times are seconds since 1970 on the sandbox's clock, 0 none. Texts are terminated. */
struct trade {
    int64_t gate, stage;
    char number[65];      /* out_trade_no */
    char code[128];       /* the one that works; a former one is forgotten */
    char fingerprint[65]; /* of the parameters of the order */
    char trade_no[33];    /* the channel's; "" until it exists there */
    char payer[65];       /* who scanned first; "" nobody */
    char subject[520], attach[520], notify_url[512];
    int64_t amount_fen, paid_fen; /* ordered, paid (0 while unpaid) */
    int64_t coupon_fen;           /* what of paid_fen a coupon of the channel paid */
    int64_t made_at, code_until, until, paid_at, closed_at;
};

enum refund_stage { REFUND_PROCESSING, REFUND_SUCCESS, REFUND_CLOSED, REFUND_ABNORMAL, REFUND_STAGES };
const char *refund_stage_name(int64_t stage); /* "PROCESSING" …, as WeChat spells it; static */

struct refund {
    int64_t gate, stage;
    char number[65], trade[65]; /* out_refund_no / out_request_no, and out_trade_no */
    char refund_no[33];         /* the channel's */
    char reason[520], notify_url[512];
    int64_t amount_fen, made_at, done_at;
    int64_t due_at; /* when it becomes SUCCESS by itself; 0 never */
};

enum notice_end { NOTICE_WAITS, NOTICE_TAKEN, NOTICE_GIVEN_UP };

struct notice {
    char id[37];
    int64_t gate, end;
    char trade[65], refund[65]; /* refund "" : about the payment */
    char url[512];
    int64_t refunded_fen; /* of the trade, when the notice was made */
    int64_t made_at, due_at, tries, status /* HTTP of the last try */, held /* until a later one was taken */;
    int64_t forged; /* wrongly signed, sent once */
};

enum notify_mode { NOTIFY_ON, NOTIFY_OFF, NOTIFY_DEAD };
enum serial_style { SERIAL_PUBLIC, SERIAL_CERTIFICATE, SERIAL_MIXED };

/* What commands switch, kept in the ledger. */
struct settings {
    int64_t offset_s;      /* time that was let pass: trades and refunds are so much older */
    int64_t skew_s;        /* the channels' clock is so much ahead of the real one, signatures and all */
    int64_t one_minute;    /* two refunds of an order: a minute apart */
    int64_t notify;        /* enum notify_mode */
    int64_t serial;        /* enum serial_style */
    int64_t delay_ms;      /* every answer waits that long */
    int64_t auto_refund_s; /* a refund is done after that; below 0 never */
};

struct box {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* something became due, or stopping */
    bool stopping;
    int ledger_fd;
    struct tree *change; /* records that the next box_commit writes; NULL none */
    struct settings settings;
    struct trade **trades;
    struct refund **refunds;
    struct notice **notices;
    size_t trade_count, refund_count, notice_count;
    struct faults faults;
    struct keys keys;
};

/* Opens `ledger` in the current folder, replays it, cuts a line that was being written when the power went. FD_IO. */
enum fd_code box_open(struct box *box, struct fd_error *err);
void box_release(struct box *box);
/* Waits, or until the sandbox is to stop. Without the lock. */
void box_pause(struct box *box, int64_t ms);
void box_stop(struct box *box);
/* Waits for news at most that long, with the lock; returns with the lock. */
void box_wait(struct box *box, int64_t ms);

/* The rest needs the lock. */
int64_t box_now(const struct box *box);  /* the sandbox's clock, seconds since 1970 */
int64_t box_wire(const struct box *box); /* the same without the time that was let pass: what signatures and Date say */
struct trade *box_trade(struct box *box, int64_t gate, const char *number); /* NULL none */
struct trade *box_trade_by_no(struct box *box, int64_t gate, const char *trade_no);
struct refund *box_refund(struct box *box, int64_t gate, const char *number); /* NULL none; a refund number of WeChat */
/* Alipay's request numbers are unique within their trade only. */
struct refund *box_refund_of(struct box *box, const struct trade *trade, const char *number);
/* New, zeroed, in the box. Fill, then keep. */
struct trade *box_add_trade(struct box *box);
struct refund *box_add_refund(struct box *box);
struct notice *box_add_notice(struct box *box);
/* Puts the record into the running change. */
void box_keep_trade(struct box *box, const struct trade *trade);
void box_keep_refund(struct box *box, const struct refund *refund);
void box_keep_notice(struct box *box, const struct notice *notice);
void box_keep_settings(struct box *box);
/* Writes the running change as one line and waits for the disk; all of it or nothing is there after a crash. Where the
 * disk refuses the process ends: it could not keep what it answers. Wakes the threads. */
void box_commit(struct box *box);

/* Records as JSON, new: for the ledger and for `ledger --json`. */
struct tree *trade_tree(const struct trade *trade);
struct tree *refund_tree(const struct refund *refund);
struct tree *notice_tree(const struct notice *notice);
#endif
