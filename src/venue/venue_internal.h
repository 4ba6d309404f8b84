/* What the files of src/venue share; nobody outside the folder includes it. */
#ifndef FD_VENUE_VENUE_INTERNAL_H
#define FD_VENUE_VENUE_INTERNAL_H

#include "base/money.h"
#include "outside/tree.h"
#include "venue/booking.h"

/* Slots -------------------------------------------------------------------------------------- */

/* Columns of a slot in the order in which slot_read takes them; table aliases s and v. */
#define SLOT_COLUMNS                                                                                                   \
    "s.id, s.venue_id, v.name, v.sport_type, v.stock_form, s.schedule_date, s.start_time, s.end_time, "                \
    "s.total_count, s.remain_count, s.price, s.status, s.close_reason, "                                               \
    "TIMESTAMP(s.schedule_date, s.end_time) <= NOW(), TIMESTAMP(s.schedule_date, s.start_time) <= NOW()"
#define SLOT_COLUMN_COUNT 15

/* No payment code of an order can be paid any more; `o` its table. Codes of the online system, which are rows of the
 * order's own number, count as dead by time alone; ours never do. */
#define CODES_ARE_DEAD(o, minutes)                                                                                     \
    "((" o ".live_codes = 0 AND NOT EXISTS (SELECT 1 FROM payment_record p WHERE p.order_no = " o ".order_no "         \
    "AND p.status = 'CREATED' AND p.operator IS NULL)) "                                                               \
    "OR (" o ".expire_time + INTERVAL " minutes " MINUTE < NOW() AND NOT EXISTS (SELECT 1 FROM pay_allocation a "      \
    "JOIN payment_record p ON p.id = a.payment_id WHERE a.order_no = " o ".order_no AND p.status = 'CREATED')))"

/* A hold that has run out; whether one of its codes may still be paid is another question. */
#define RUN_OUT "o.status = 'PENDING_PAY' AND o.expire_time < NOW() AND o.paid_amount = 0"
/* The condition under which a run-out hold may be released; table alias o, parameter :dead (minutes).
 * The same as the rule engine's UPDATE requires for `expire`. */
#define RUN_OUT_HOLD RUN_OUT " AND " CODES_ARE_DEAD("o", ":dead")

#define HOLDING_STATES "('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')"

/* Who stands in the way where places are missing. */
struct holder {
    int64_t run_out; /* places that run-out holds would give back, once their codes are final */
    char order_no[NUMBER_BYTES], state[STATE_BYTES];
    wall_t until; /* end of an unpaid hold, WALL_NONE otherwise */
};
#define NO_HOLDER ((struct holder){.until = WALL_NONE})

/* Fills a slot from the current row, whose first columns are SLOT_COLUMNS. */
void slot_read(const struct db_rows *rows, struct arena *arena, struct slot *slot);
/* What one read says of a slot that somebody wants. */
struct slot_facts {
    bool found;           /* the rest is set only then */
    bool venue_in_use;    /* venue.status = 1 */
    bool key_used;        /* the request key that was asked with stands in op_request */
    struct slot slot;     /* its texts in the arena */
    wall_t now;           /* the database's clock of this read */
    struct holder holder; /* who has it, where fewer than the places wanted are left */
};
/* Reads them for `quantity` places; `key` NULL: not looked for. Inside a transaction or desk_read. */
enum fd_code slot_facts_read(struct op *op, int64_t slot_id, int64_t quantity, const char *key,
                             struct slot_facts *facts, struct fd_error *err);
/* A row of a holding order, as it stands behind a slot's columns: adds it to `holder`. The columns from `at` on:
 * order_no (NULL: no order), status, expire_time, quantity, paid_amount. */
void holder_add(const struct db_rows *rows, unsigned at, wall_t now, struct holder *holder);
#define HOLDER_COLUMNS "o.order_no, o.status, o.expire_time, o.quantity, o.paid_amount"
/* Joins the holding orders of slot s where it has fewer than :quantity places left. That condition stands in the key:
 * beside it the server would read all orders of the slot and then drop them, for every booking of a slot that many
 * have. Of a slot with many places only the holds that may have run out matter: nobody is named there. The optimizer
 * would weigh the indexes on the state, which have every order of the hall. */
#define HOLDER_JOIN                                                                                                    \
    "LEFT JOIN reserve_order o FORCE INDEX (idx_schedule) "                                                            \
    "ON o.schedule_id = IF(s.remain_count < :quantity, s.id, NULL) AND o.status IN " HOLDING_STATES                    \
    " AND (s.total_count = 1 OR (o.status = 'PENDING_PAY' AND o.expire_time < NOW())) "
/* Says why `quantity` places of the slot cannot be taken: FD_SLOT_CLOSED, FD_SLOT_OVER, FD_SLOT_TAKEN; FD_OK where they
 * can as far as a read tells. now: for "until". */
enum fd_code slot_judge(const struct slot *slot, const struct holder *holder, int64_t quantity, wall_t now,
                        struct fd_error *err);
/* FD_PRICE_CHANGED with both amounts. */
enum fd_code slot_price_differs(const struct slot *slot, int64_t seen_fen, struct fd_error *err);
enum fd_code slot_is_unknown(int64_t slot_id, struct fd_error *err);
/* "3号场 20:00–21:00", with the date in between where it is not `today` (DAY_NONE: always). */
const char *place_text(struct arena *arena, const char *venue, day_t day, int start_minute, int end_minute,
                       day_t today);
const char *slot_text(struct arena *arena, const struct slot *slot, day_t today);
/* "18:30", or "12-01 18:30" where it is not on `today`. */
#define UNTIL_TEXT 20
const char *until_text(wall_t wall, day_t today, char text[UNTIL_TEXT]);
/* The last 4 characters of a number: what people say. Borrowed. */
const char *number_tail(const char *number);
/* Text from a row: never NULL, made harmless for the terminal. */
const char *row_text(const struct db_rows *rows, unsigned column, struct arena *arena);

/* slot_take that says in *free_first where run-out holds stand in the way. A negative price in `seen` takes any. */
void slot_take_or_note(struct op *op, const struct slot *seen, int64_t quantity, const char *taker,
                       int64_t *free_first);
/* Fires `expire` on every run-out hold of a slot, each its own transaction; those with payment codes only where no other
 * gave way, after the codes are final. FD_LIVE_CODE where that is what stands in the way. Calls channels: outside any
 * transaction. */
enum fd_code slot_free_run_out(struct desk *desk, int64_t slot_id, struct fd_error *err);

/* Schedules: the slots of a range ------------------------------------------------------------------ */
enum fd_code range_load(struct db *db, const struct slot_range *range, struct arena *arena, struct slot **rows,
                        size_t *count, struct fd_error *err);
/* What identifies a range, for the request's content; in the arena. */
const char *range_content(struct arena *arena, const struct slot_range *range);
/* FD_BAD_INPUT where a range is empty or turned round. */
enum fd_code range_check(const struct slot_range *range, struct fd_error *err);
/* Changes the venue's row, so that two writers of its slots cannot pass each other. FD_NOT_FOUND. */
enum fd_code venue_touch(struct db *db, int64_t venue_id, struct fd_error *err);

/* Orders -------------------------------------------------------------------------------------------- */

/* Columns of an order in the order in which venue_order_read takes them; aliases o, u, v. */
#define ORDER_COLUMNS                                                                                                  \
    "o.id, o.user_id, o.order_no, o.bill_no, o.status, o.schedule_id, o.quantity, o.total_amount, o.paid_amount, "     \
    "o.live_codes, o.version, o.walk_in, o.expire_time, o.create_time, o.paid_time, o.cancel_time, o.check_in_time, "  \
    "u.nickname, u.phone, o.note, o.operator, o.terminal, o.cancel_reason, o.venue_id, o.unit_price, v.name, "         \
    "v.sport_type, o.schedule_date, o.start_time, o.end_time, o.hold_until_kind, o.moved_late"
#define ORDER_COLUMN_COUNT 32
#define ORDER_JOINS        " LEFT JOIN t_user u ON u.id = o.user_id LEFT JOIN venue v ON v.id = o.venue_id "
/* What the order still owes after a move or change; behind ORDER_COLUMNS where wanted. */
#define ORDER_DUE "(SELECT SUM(d.amount) FROM order_due d WHERE d.order_no = o.order_no AND d.settled_at IS NULL)"

/* What went back of a price that stays; behind ORDER_DUE where wanted. */
#define ORDER_BACK                                                                                                     \
    "(SELECT SUM(r.amount) FROM refund_record r WHERE r.order_no = o.order_no AND r.kind = 'AMOUNT' "                  \
    "AND r.status <> 'FAILED')"

struct venue_order *venue_order_read(const struct db_rows *rows, struct arena *arena, bool with_due);
/* All rows of an open result into one array in the arena. */
struct venue_order *venue_order_rows(struct db_rows *rows, struct arena *arena, bool with_due, size_t *count);
/* The same of ORDER_COLUMNS, ORDER_DUE and ORDER_BACK. */
struct venue_order *venue_order_list(struct db_rows *rows, struct arena *arena, size_t *count);
static inline struct venue_order *venue_order_of(struct order *order)
{
    return (struct venue_order *)(void *)order;
}
static inline const struct venue_order *venue_order_of_const(const struct order *order)
{
    return (const struct venue_order *)(const void *)order;
}
/* "3号场 12-01 20:00–21:00" of an order. */
const char *order_place_text(struct arena *arena, const struct venue_order *order, day_t today);
/* Finds a venue order by whole number or tail. */
enum fd_code venue_order_find(struct db *db, const char *number, struct arena *arena, struct venue_order **order,
                              struct fd_error *err);
/* Price of one place of this order: its own, or (made online) total / quantity where that is even, else `fallback_fen`.
 */
int64_t order_unit_fen(const struct venue_order *order, int64_t fallback_fen);
/* Turns a duplicate on the one-order-per-slot key into FD_HAS_ORDER; everything else stays. */
enum fd_code has_order_code(struct db *db, enum fd_code code, struct fd_error *err);
/* May it go in now? FD_TOO_EARLY, FD_TOO_LATE, FD_WRONG_DAY, FD_UNPAID, each with its sentence. */
enum fd_code check_in_window(struct desk *desk, const struct venue_order *order, wall_t now, struct fd_error *err);
/* FD_WRONG_STATE with the state and who brought it there. */
enum fd_code wrong_state(struct db *db, const struct venue_order *order, struct arena *arena, struct fd_error *err);

/* Bookings ------------------------------------------------------------------------------------------- */

/* A booking that is being made; booking_make and venue_extend_with share it. */
struct draft_line {
    int64_t slot_id, quantity, seen_fen; /* seen_fen negative: whatever it is */
    struct slot slot;                    /* as read in this attempt */
    char order_no[NUMBER_BYTES];
    char state[STATE_BYTES];
    int64_t total_fen;
};
struct draft {
    struct desk *desk;
    const struct booking *booking; /* as asked */
    int64_t user_id;               /* 0: by the booking's phone */
    bool walk_in;
    bool joins;                 /* joins bill_no, which counts as a hold already */
    char bill_no[NUMBER_BYTES]; /* the bill it joins, or the one made in this attempt */
    wall_t hold_until;          /* WALL_NONE: by the rules */
    /* filled from booking->lines, or by any_of_pick in each attempt */
    struct draft_line *lines;
    size_t line_count, line_limit;
    /* set in each attempt */
    wall_t now, expire;
    int64_t free_first;    /* slot whose run-out holds must go first; the attempt was refused for it */
    bool none_left;        /* any of: nothing fits */
    int64_t clash_user_id; /* refused because this customer has an order for clash_slot_id */
    int64_t clash_slot_id;
    char clash_text[320]; /* that slot as people say it */
    int64_t total_fen;
    struct paid paid;
    struct tree *answer; /* as draft_json made it last; owned; NULL: not yet */
};
/* One action that makes the orders: its prepare and apply; arg is the draft. */
enum fd_code draft_prepare(struct op *op, void *arg, struct fd_error *err);
enum fd_code draft_apply(struct op *op, void *arg, struct fd_error *err);
/* Runs an action whose functions may set draft->free_first, releasing run-out holds and trying other places (any of)
 * until it is answered. *json the first answer (xmalloc'ed). */
enum fd_code draft_run(struct draft *draft, const struct op_spec *spec, void *arg, char **json, bool *replayed,
                       struct fd_error *err);
void draft_release(struct draft *draft);
/* The first answer as text; in the arena. draft->answer is that answer afterwards. */
const char *draft_json(struct draft *draft, struct arena *arena);
void draft_add_line(struct draft *draft, int64_t slot_id, int64_t quantity, int64_t seen_fen);
/* Fills *booked from the answer that was made just now (draft), or from the stored one (draft NULL), whose text json is
 * in both cases. */
enum fd_code booked_from_answer(const struct draft *draft, const char *json, struct arena *arena, struct booked *booked,
                                struct fd_error *err);
/* What identifies a payment in a request's content. */
const char *payment_content(struct arena *arena, const struct payment *payment);
/* {"payment_no":…,"amount_fen":…,…} */
struct tree *paid_tree(const struct paid *paid);
void paid_from_tree(const struct tree *tree, struct paid *paid);
/* Any-of: lines for one place that is free then; FD_SLOT_TAKEN with none_left where none is (free_first says whether
 * run-out holds stand in the way). */
enum fd_code any_of_pick(struct op *op, struct draft *draft, struct fd_error *err);

/* Answers as JSON ------------------------------------------------------------------------------------- */
struct tree *slot_tree(const struct slot *slot);
struct tree *venue_order_tree(const struct venue_order *order, bool whole_phone);

/* Action tables of this folder, put together by venue_actions. */
#endif
