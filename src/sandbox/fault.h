/* What can be made to go wrong, on purpose or at random. */
#ifndef FD_SANDBOX_FAULT_H
#define FD_SANDBOX_FAULT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op { OP_CREATE, OP_QUERY, OP_CLOSE, OP_CANCEL, OP_REFUND, OP_REFUND_QUERY, OP_CERTIFICATES, OP_NOTICE, OP_COUNT };
const char *op_name(enum op op); /* "create" …; static */

/* When a fault strikes: instead of the deed, after it, in the signature, on the wire, in the answer's content, in a
 * notification. */
enum fault_place { PLACE_BEFORE, PLACE_AFTER, PLACE_SIGN, PLACE_WIRE, PLACE_CONTENT, PLACE_NOTICE, PLACE_COUNT };

/* id, name, place, what it waits for where --at does not say (OP_COUNT: any request), among the random ones, help */
#define FAULT_TABLE(X)                                                                                                 \
    X(FAULT_BEFORE, "500-before", PLACE_BEFORE, OP_COUNT, true, N_("status 500, nothing done"))                        \
    X(FAULT_BUSY, "503", PLACE_BEFORE, OP_COUNT, true, N_("the service is unavailable, nothing done"))                 \
    X(FAULT_RATE, "429", PLACE_BEFORE, OP_COUNT, true, N_("too many requests, nothing done"))                          \
    X(FAULT_REFUSED, "refused", PLACE_BEFORE, OP_CREATE, false, N_("refused for good, nothing done"))                  \
    X(FAULT_EMPTY, "404-empty", PLACE_BEFORE, OP_COUNT, true, N_("status 404 without a body"))                         \
    X(FAULT_AFTER, "500-after", PLACE_AFTER, OP_COUNT, true, N_("done, but status 500"))                               \
    X(FAULT_ACCEPTED, "202", PLACE_AFTER, OP_COUNT, true, N_("done, but the answer says only: accepted"))              \
    X(FAULT_SIGN, "sign", PLACE_SIGN, OP_COUNT, true, N_("signed with another key"))                                   \
    X(FAULT_UNSIGNED, "unsigned", PLACE_SIGN, OP_COUNT, true, N_("without a signature"))                               \
    X(FAULT_SERIAL, "serial", PLACE_SIGN, OP_COUNT, true, N_("a serial number that nobody knows"))                     \
    X(FAULT_STALE, "stale", PLACE_SIGN, OP_COUNT, true, N_("signed ten minutes ago"))                                  \
    X(FAULT_FLIP, "flip", PLACE_SIGN, OP_COUNT, true, N_("a byte changed after signing"))                              \
    X(FAULT_PROBE, "signtest", PLACE_SIGN, OP_COUNT, true, N_("WeChat's probe signature, WECHATPAY/SIGNTEST/"))        \
    X(FAULT_ESCAPE, "escape", PLACE_SIGN, OP_COUNT, false, N_("Alipay writes \\/ for / after signing"))                \
    X(FAULT_LOST, "lost", PLACE_WIRE, OP_COUNT, true, N_("done, but the connection ends without an answer"))           \
    X(FAULT_SILENT, "silent", PLACE_WIRE, OP_COUNT, false, N_("done, but no answer for --ms (a minute)"))              \
    X(FAULT_SLOW, "slow", PLACE_WIRE, OP_COUNT, false, N_("the second half of the answer comes after --ms (3000)"))    \
    X(FAULT_GZIP, "gzip", PLACE_WIRE, OP_COUNT, true, N_("the answer is gzip and breaks off"))                         \
    X(FAULT_AMOUNT, "amount", PLACE_CONTENT, OP_QUERY, false, N_("the answer names an amount that is 0.01 too high"))  \
    X(FAULT_MERCHANT, "merchant", PLACE_CONTENT, OP_QUERY, false, N_("the answer is about another merchant"))          \
    X(FAULT_BALANCE, "balance", PLACE_CONTENT, OP_REFUND, false, N_("the merchant has not enough money to refund"))    \
    X(FAULT_FUND, "fund-change-n", PLACE_CONTENT, OP_REFUND, false,                                                    \
      N_("Alipay accepts a refund, but says fund_change N"))                                                           \
    X(FAULT_TWICE, "notice-twice", PLACE_NOTICE, OP_NOTICE, true, N_("a notification comes twice"))                    \
    X(FAULT_REORDER, "notice-reorder", PLACE_NOTICE, OP_NOTICE, false, N_("a payment is notified after its refund"))   \
    X(FAULT_LATE, "notice-late", PLACE_NOTICE, OP_NOTICE, true, N_("a notification comes ten minutes late"))           \
    X(FAULT_FORGED, "notice-forged", PLACE_NOTICE, OP_NOTICE, true, N_("a forged notification comes first"))           \
    X(FAULT_NOTICE_PROBE, "notice-signtest", PLACE_NOTICE, OP_NOTICE, true, N_("a probe of the signature comes first"))

enum fault_id {
#define X(id, name, place, op, random, help) id,
    FAULT_TABLE(X)
#undef X
        FAULT_COUNT
};

struct fault {
    const char *name;
    enum fault_place place;
    enum op op; /* OP_COUNT: any request */
    bool random;
    const char *help; /* untranslated */
};
extern const struct fault fault_table[FAULT_COUNT];
enum fault_id fault_named(const char *name); /* FAULT_COUNT: none of that name */

#define FAULT_ALWAYS (-1)
struct fault_order {
    enum fault_id id;
    int gate, op; /* -1 any */
    int64_t left; /* how many times still; FAULT_ALWAYS */
    int64_t ms;   /* 0: the fault's own */
};
/* What was asked for, and the dice. Zeroed is none. Under the box's lock. */
struct faults {
    struct fault_order *orders;
    size_t count;
    uint64_t seed;
    int64_t percent; /* of requests and notifications that something random happens to; 0 never */
};

/* What strikes one request: at most one fault of each place; a notification: any. */
struct strike {
    bool on[FAULT_COUNT];
    int64_t ms;
};
/* Takes what is due for this operation off the orders. */
struct strike faults_take(struct faults *faults, int gate, enum op op);
void faults_order(struct faults *faults, const struct fault_order *order);
/* Forgets orders for `id`; FAULT_COUNT: all, the random ones too. */
void faults_cancel(struct faults *faults, enum fault_id id);
void faults_release(struct faults *faults);
#endif
