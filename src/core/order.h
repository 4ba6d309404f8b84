/* Orders of any business: the snapshot that was read, and order_fire, the only writer of status
 * columns. A business registers its kind; money and (later) the override work through that and
 * never name a business. Source: domain section 1, architecture section 3. */
#ifndef FD_CORE_ORDER_H
#define FD_CORE_ORDER_H
#include "core/op.h"

#define STATE_BYTES 21
struct order_kind;

/* What every order has, as it was read. A business embeds it as first member. Text owned by the arena it was loaded into. */
struct order {
    const struct order_kind *kind;
    int64_t id, user_id;
    char order_no[NUMBER_BYTES];
    char bill_no[NUMBER_BYTES];  /* "" none */
    char state[STATE_BYTES];
    int64_t place_id;            /* slot (venue_schedule.id) or unit */
    int64_t quantity;
    int64_t total_fen, paid_fen; /* paid_amount */
    int64_t due_fen;             /* open order_due rows */
    int64_t live_codes, version;
    bool walk_in;
    wall_t expire_time, create_time, paid_time, cancel_time, check_in_time;
    wall_t over_time;            /* when what it is for is over: nobody pays for it after that */
    const char *customer, *phone, *note, *operator, *terminal, *cancel_reason; /* never NULL */
};

/* What an event changes beside the state; start from order_set_keep(order). */
struct order_set {
    int64_t place_id, quantity, total_fen, paid_fen, unit_price_fen;
    int64_t venue_id;             /* venue kind */
    day_t day;
    int start_minute, end_minute;
    wall_t expire_time;
    const char *note, *cancel_reason;
    bool moved_late;              /* moved when cancelling was not free any more; its guard sets it */
    bool now_paid, now_cancelled, now_checked_in; /* stamps the time column with NOW() */
};

/* What people read of an order on paper: what it is for ("Court 1"), and when ("2026-12-01 Tue 10:00-11:00"). */
struct order_words { const char *what, *when; };

struct order_kind {
    const char *entity;   /* "venue_order": rules, log */
    const char *tag;      /* "VB" */
    /* The one conditional UPDATE of an order row, shape DB_NONE; order_fire sends it with exactly these
     * parameters, each of which it must use:
     *   set        :new (state) :place :quantity :total :paid :unit_price :venue :day :start :end :expire :note
     *              :cancel_reason ("" binds NULL for the last two; a negative unit_price_fen too) :moved_late, and
     *              version = version + 1
     *   stamps     :stamp_paid :stamp_cancelled :stamp_checked_in  1: the time column becomes NOW(), 0: stays
     *   as read    :id :old (state) :old_place :old_quantity :old_total :old_paid, all in the WHERE
     *   conditions :need_dead     1: live_codes = 0, or the code counts as dead (:dead_minutes after expire_time)
     *              :need_unpaid   1: paid_amount = 0
     *              :need_expired  1: expire_time < NOW()
     *              :dead_minutes  order_dead_minutes
     * MySQL evaluates SET from left to right: columns that the WHERE or a later assignment reads come last. E.g.
     *   UPDATE reserve_order SET status = :new, version = version + 1, schedule_id = :place, quantity = :quantity,
     *     total_amount = :total, paid_amount = :paid, unit_price = :unit_price, venue_id = :venue,
     *     schedule_date = :day, start_time = :start, end_time = :end, expire_time = :expire, note = :note,
     *     cancel_reason = :cancel_reason, moved_late = :moved_late, paid_time = IF(:stamp_paid = 1, NOW(), paid_time), ...
     *   WHERE id = :id AND status = :old AND schedule_id = :old_place AND quantity = :old_quantity
     *     AND total_amount = :old_total AND paid_amount = :old_paid
     *     AND (:need_dead = 0 OR live_codes = 0 OR expire_time + INTERVAL :dead_minutes MINUTE < NOW())
     *       and no CREATED row of payment_record with the order's own number, which the online system makes for its codes
     *     AND (:need_unpaid = 0 OR paid_amount = 0) AND (:need_expired = 0 OR expire_time < NOW())
     * expire sends all three needs, cancel and whatever changes the amount need_dead; the rest none (order_fire.c). */
    struct db_query *fire;
    /* Payment codes, shape DB_NONE, each changes version too. live: one more, where the order still is as it was read (:id
     * :old :old_total :old_paid :old_live); its time to pay becomes at least :until (NULL: stays). dead: one less, where
     * there is one (:id); a walk-in whom no other code is shown and who has paid nothing has :grace minutes from now at
     * most. */
    struct db_query *live, *dead;
    /* DB_ROWS, one column: ids of CREATED payment_record rows of the online system whose order waits although its time to
     * pay is over, and which were not asked about for a while (columns asked_at, tries); at most :most. */
    struct db_query *codes_due;
    /* Loads by id / number into the arena. *order NULL where there is none. The result points at the business's struct. */
    enum fd_code (*load_id)(struct db *db, int64_t id, struct arena *arena, struct order **order, struct fd_error *err);
    enum fd_code (*load_no)(struct db *db, const char *order_no, struct arena *arena, struct order **order, struct fd_error *err);
    /* All orders of a bill, in order of id. */
    enum fd_code (*load_bill)(struct db *db, const char *bill_no, struct arena *arena, struct order ***orders, size_t *count, struct fd_error *err);
    /* May this event happen now (check-in window, free window, over)? After the rule was found, before the UPDATE. */
    enum fd_code (*guard)(struct op *op, struct order *order, const char *event, struct order_set *set, struct fd_error *err);
    /* Effects in the same transaction, after the UPDATE: queues stock (op_last), notes it (order_log_stock). The event's
     * own log row is written by order_fire. `before` is the order as it was. */
    enum fd_code (*effect)(struct op *op, const struct order *before, const char *event, const struct order_set *set, const char *new_state, struct fd_error *err);
    /* Fills order_set from what was read. */
    void (*keep)(const struct order *order, struct order_set *set);
    /* The other way round: the business's own fields become what an event wrote, so that the next one in the same
     * transaction keeps them. NULL: there are none. */
    void (*follow)(struct order *order, const struct order_set *set);
    /* Its words for paper, into the arena. */
    struct order_words (*words)(const struct order *order, struct arena *arena);
    /* DB_ROWS, one column order_no, LIMIT 6: numbers WHERE order_no_rev LIKE :rev ESCAPE '|' that are not finished
     * longer than a week. :rev is the tail reversed, escaped, in upper case, with its % (not CONCAT: a parameter and
     * a literal differ in collation). NULL: no search by tail. */
    struct db_query *tail;
    /* DB_ROW: completed, no-shows, unpaid holds, all orders of customer :user; never NULL columns. NULL: not counted. */
    struct db_query *history;
    /* DB_ROWS, two columns: "unpaid" or "goods_out", and an order number: holds that wait for payment, and goods that
     * customers have now; at most 200 of each. For who takes over a desk. NULL: none. */
    struct db_query *hand_over;
    /* DB_ROWS, columns order_no, paid_amount: orders that still wait though their time to pay is over, of which a part
     * was paid and nobody looks after (no open case PART_PAID, none kept within a day); at most :most. NULL: none. */
    struct db_query *part_paid;
};

void order_kind_register(const struct order_kind *kind);
/* All registered kinds; borrowed. */
size_t order_kinds(const struct order_kind *const **list);
/* Finds an order by whole number, or by the tail (at least 4 characters) of numbers that are not finished longer than a
 * week; "#id" by id. FD_NOT_FOUND, FD_AMBIGUOUS (the message lists some). Case-insensitive. */
enum fd_code order_find(struct db *db, const char *number, struct arena *arena, struct order **order, struct fd_error *err);

/* What was typed as a number, ready to compare: trimmed, full-width forms as ASCII, upper case. False where it
 * cannot be one (empty, too long, control characters). */
bool order_number_fold(const char *text, char out[NUMBER_BYTES]);

void order_set_keep(const struct order *order, struct order_set *set);
/* What must hold in the row for an event besides what was read: no live code, nothing paid, time to pay over. */
struct order_needs {
    bool dead, unpaid, expired;
};
struct order_needs order_needs(const char *event);
/* After how many minutes past the time to pay a code counts as dead by itself: parameter code_dead_minutes where this
 * desk has no payment channels; practically never where it can ask them. */
int64_t order_dead_minutes(struct desk *desk);
/* Fires `event`: finds the rule, checks the actor and the reason, guards, writes conditionally, effects, logs. On
 * success `order` holds the new state. Where the row is no longer as it was read: FD_RETRY if the state is the
 * same, else FD_WRONG_STATE saying what it is now and who changed it when. Must run inside op_run's apply. */
enum fd_code order_fire(struct op *op, struct order *order, const char *event, const struct order_set *set, struct fd_error *err);
/* For an effect: notes a stock change (signed places) of a slot in the log row of the event that is being fired; the second
 * slot of a move gets a row of its own with the same event. Sends nothing to the slot itself. */
void order_log_stock(struct op *op, int64_t schedule_id, int64_t change);
/* Who brought the order into its present state: "by Li Min at desk1 on 11-30 10:42", translated; from the log or
 * order_change. Into the arena; "" where nothing is known. */
enum fd_code order_who(struct db *db, const struct order *order, struct arena *arena, const char **text, struct fd_error *err);

/* The story: rows of operation_log and order_change, oldest first. */
struct story_row {
    wall_t at;
    bool online;             /* from order_change */
    const char *who, *role, *terminal, *event, *event_label, *state_before, *state_after, *reason, *text; /* in the arena, never NULL */
    int64_t schedule_id, stock_change;
};
enum fd_code order_story(struct db *db, const char *entity, const char *order_no, struct arena *arena, struct story_row **rows, size_t *count, struct fd_error *err);
#endif
