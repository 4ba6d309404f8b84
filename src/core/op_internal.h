/* What op.c and op_end.c share: one running action. */
#ifndef FD_CORE_OP_INTERNAL_H
#define FD_CORE_OP_INTERNAL_H
#include "core/op.h"

#define LAST_ARGS 12

/* A hot-row update that waits for the end. */
struct op_queued {
    int64_t sort_key;
    size_t order; /* of queueing: keeps the sort stable */
    struct db_query *query;
    struct db_arg args[LAST_ARGS];
    size_t count;
    op_zero_fn *on_zero;
    void *arg;
    struct op_queued *next;
};

struct op_logged {
    struct log_entry entry;
    struct op_logged *next;
};

struct op {
    struct desk *desk;
    const struct op_spec *spec;
    void *arg;
    char key[KEY_BYTES];
    bool fresh_key; /* made here: nobody else can have used it */
    char hash[65];
    char reason_text[1024];
    const char *reason; /* NULL: none */
    int64_t limit_ms;
    int attempt; /* 1 the first */
    bool replay; /* the key was met */
    /* What follows is forgotten between attempts. */
    struct arena arena;
    wall_t now;
    char *result;     /* owned */
    bool requested;   /* the key's row is written */
    bool result_late; /* result was set after it */
    bool key_absent;
    struct op_logged *logged, **logged_end;
    struct op_logged *firing; /* log row of the event whose effects run; NULL: none */
    struct op_queued *queued;
    size_t queued_count;
};
/* Ready for an attempt. */
void op_reset(struct op *op);
void op_release(struct op *op);
/* Like op_log; the row is still open to changes until the end. */
struct op_logged *op_log_open(struct op *op, const struct log_entry *entry);
/* Who the log names: the operator, or "setup" where there is none. Borrowed. */
const char *op_who(const struct op *op);
/* Writes the log rows, then sends the queued updates in order. */
enum fd_code op_end(struct op *op, struct fd_error *err);
#endif
