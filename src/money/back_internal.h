/* What the files of money back share. */
#ifndef FD_MONEY_BACK_INTERNAL_H
#define FD_MONEY_BACK_INTERNAL_H
#include "money/back.h"

/* How money leaves. */
enum back_way {
    BACK_OUT_OF_DRAWER, /* cash: done at once */
    BACK_BY_SLIP,       /* card terminal: done at once, with the slip's number */
    BACK_BY_HAND,       /* somebody transfers it: a case */
    BACK_AT_CHANNEL     /* asked of the channel */
};
/* How a payment made by a channel goes back. */
enum back_way back_way_of(const char *channel);

/* One payment of an order, with what is left of it for that order. */
struct back_part {
    int64_t payment_id, left_fen;
    int64_t case_fen;                 /* of it what lies with a case: came too late, or twice */
    int64_t seen_fen;                 /* payment_record.refunded_amount as it was read: the cap is raised from there */
    int64_t fen;                      /* what this refund takes of it; 0: nothing */
    bool desk;                        /* taken at a counter: stands in paid_amount */
    const char *channel, *payment_no; /* in the arena */
    enum back_way way;
};
/* A refund worked out from what was read; nothing is written yet. */
struct back_plan {
    const struct order *order;
    const struct back *back;
    const char *kind;        /* refund_record.kind */
    struct back_part *parts; /* newest payment first, in the arena */
    size_t count;
    int64_t received_fen;  /* all that ever came for the order */
    int64_t left_fen;      /* what is left of it */
    int64_t fen, desk_fen; /* of this refund */
    bool pending;          /* some of it waits for a channel or a hand */
};
/* What came for an order and is left; fills all but kind, back, fen. */
enum fd_code back_read(struct db *db, const struct order *order, struct arena *arena, struct back_plan *plan,
                       struct fd_error *err);
/* Works out `fen` (negative: all that is left) and checks rights, reference, limits and approval. FD_REFUSED: more than
 * is left. */
enum fd_code back_plan_in(struct op *op, const struct order *order, const struct back *back, int64_t fen,
                          struct back_plan *plan, struct fd_error *err);
/* Writes the rows; the order's event was fired before. */
enum fd_code back_plan_do(struct op *op, const struct back_plan *plan, struct backed *backed, struct fd_error *err);
/* FD_MONEY_BACK where nothing says how a paid order was paid. */
enum fd_code back_known(const struct back_plan *plan, struct fd_error *err);

/* A new row of refund_record; caps are the caller's. The id to *id. */
struct back_record {
    int64_t payment_id, fen, quantity, approval_id;
    int64_t first_id; /* the refund that it sends again, the first of them; 0: it is none */
    const char *order_no, *kind, *channel, *reference, *refund_no;
    enum back_way way;
    bool done; /* whatever the way: it went back already */
};
enum fd_code back_record_insert(struct op *op, const struct back_record *record, int64_t *id, struct fd_error *err);
/* Raises the cap of a payment from what was seen; FD_RETRY where it is not as it was. */
enum fd_code back_raise(struct op *op, int64_t payment_id, int64_t fen, int64_t seen_fen, struct fd_error *err);

/* A refund row as read. */
struct back_row {
    int64_t id, payment_id, fen, quantity, tries;
    int64_t first_id; /* of a chain of repetitions; its own where it is none */
    char refund_no[NUMBER_BYTES], order_no[NUMBER_BYTES], kind[21], status[21], channel[21];
    bool owed, desk; /* desk: its payment was taken at a counter */
    bool by_hand;    /* somebody gave it: it has a number of ours, or left the drawer though it came another way */
};
/* All refunds of the order that refund_no (or id, where refund_no is NULL) is of, locked, by id; *row is that one.
 * FD_NOT_FOUND. Whoever changes one locks them first: two that end at once must see each other. */
enum fd_code back_rows_lock(struct op *op, const char *refund_no, int64_t id, struct back_row **rows, size_t *count,
                            struct back_row **row, struct fd_error *err);
/* back_rows_lock for a refund that is on its way at a channel; else FD_REFUSED. */
enum fd_code back_found_lock(struct op *op, int64_t refund_id, struct back_row **rows, size_t *count,
                             struct back_row **row, struct fd_error *err);
bool back_row_in_force(const struct back_row *row); /* CREATED PROCESSING SUCCESS ABNORMAL */
bool back_row_is_final(const struct back_row *row); /* SUCCESS, FAILED */
/* Fires what follows for a REFUNDING order from its rows as they are in memory: refund_ok where all went back,
 * refund_fail where nothing did (*restored: the failed ones are the order's again), else nothing. */
enum fd_code back_rows_settle(struct op *op, struct back_row *rows, size_t count, bool *restored, struct fd_error *err);
#endif
