/* Booking and what follows: one bill, all or nothing. Source: domain section 2. */
#ifndef FD_VENUE_BOOKING_H
#define FD_VENUE_BOOKING_H
#include "core/action.h"
#include "money/back.h"
#include "money/pay.h"
#include "money/square.h"
#include "venue/slot.h"

enum hold_kind { HOLD_MINUTES, HOLD_BEFORE_START, HOLD_START };
struct booking_line {
    int64_t slot_id;
    int64_t quantity;          /* at least 1 */
    int64_t seen_price_fen;    /* price on the screen; negative: whatever it is */
};
struct booking {
    const char *phone;         /* normalised; NULL or "": walk-in customer 散客, must be paid at once, or by_code */
    const char *name;          /* NULL: none */
    const char *note;
    struct booking_line *lines;
    size_t line_count;
    /* any free one instead of lines: sport or venue name prefix, day, time; NULL: not asked */
    const char *any_of;
    day_t day;
    int from_minute, to_minute; /* to < 0: the slot that starts at from */
    int64_t any_quantity;
    enum hold_kind hold;
    int64_t hold_minutes;      /* HOLD_MINUTES: 0 = the parameter */
    const struct payment *payment; /* NULL: only booked */
    bool by_code;              /* a payment code follows at once: a walk-in may hold for it, as long as it is shown */
    enum tender code_tender;   /* which: who may not take it books nothing */
};
struct booked_order { char order_no[NUMBER_BYTES]; int64_t slot_id, quantity, total_fen; const char *venue; day_t day; int start_minute, end_minute; char state[STATE_BYTES]; };
struct booked {
    char bill_no[NUMBER_BYTES];
    struct booked_order *orders; /* in the arena */
    size_t count;
    int64_t total_fen;
    wall_t hold_until;           /* WALL_NONE where paid */
    struct paid paid;            /* zeroed where not */
    bool replayed;               /* the key had been used: this is the first answer */
    const char *json;            /* the first answer as stored: {"bill":…,"orders":[…],…}; in the arena */
};
enum fd_code booking_make(struct desk *desk, const char *key, const struct booking *booking, struct arena *arena, struct booked *booked, struct fd_error *err);

/* A venue order as read. */
struct venue_order {
    struct order base;
    int64_t venue_id, unit_price_fen;
    const char *venue, *sport; /* in the arena */
    day_t day;
    int start_minute, end_minute;
    const char *hold_kind;     /* "" */
    int64_t back_fen;          /* given back although the price stays; only where venue_order_search read it, else 0 */
    bool moved_late;           /* moved when cancelling it was not free any more, which it stays wherever it is */
};
extern const struct order_kind venue_kind;
/* Until when cancelling is free, `free_minutes` (PARAM_FREE_CANCEL) before the start; long ago where it was moved late. */
wall_t venue_free_until(const struct venue_order *order, int64_t free_minutes);

/* Actions on one order; number whole or tail. key as everywhere. The arena holds what is answered. */
/* Ends an order: one that waits is cancelled (what was paid of it goes back), a paid one is refunded whole, in the free
 * window, later with permission refund_late and a reason. back: in_cash, reference, approval; NULL: none. */
enum fd_code venue_cancel_with(struct desk *desk, const char *key, const char *number, const struct back *back, const char *reason, struct backed *backed, struct fd_error *err);
/* The same without; *refunded_fen (may be NULL): what goes out of the drawer. */
enum fd_code venue_cancel(struct desk *desk, const char *key, const char *number, const char *reason, int64_t *refunded_fen, struct fd_error *err);
struct checked_in { const char *order_no, *venue, *customer; int start_minute, end_minute; day_t day; int late_minutes; };
/* number: order, or 4 digits of a phone with exactly one order that may go in now (FD_AMBIGUOUS lists them). */
enum fd_code venue_check_in(struct desk *desk, const char *key, const char *number, struct arena *arena, struct checked_in *in, struct fd_error *err);
/* How a change of a paid order is settled. */
struct venue_change {
    const struct payment *payment; /* takes the difference where it becomes dearer; NULL: nobody does */
    bool leave_due;                /* then it stays due; else FD_UNPAID with the amount */
    struct back back;              /* in_cash, reference, approval_id, where money goes back */
    const char *reason;
};
struct venue_changed {
    struct paid paid;     /* zeroed where nothing was taken */
    struct backed backed; /* zeroed where nothing went back */
    int64_t due_fen;      /* newly due */
};
/* To another slot; dearer: taken or due, cheaper: the difference goes back in the same step. Live codes are ended first. */
enum fd_code venue_move_with(struct desk *desk, const char *key, const char *number, int64_t slot_id, const struct venue_change *how, struct venue_changed *changed, struct fd_error *err);
/* Fewer places of a paid order give stock and money back at once, in the free window (later as a cancel). */
enum fd_code venue_quantity_with(struct desk *desk, const char *key, const char *number, int64_t quantity, const struct venue_change *how, struct venue_changed *changed, struct fd_error *err);
enum fd_code venue_note(struct desk *desk, const char *key, const char *number, const char *note, struct fd_error *err);
/* Extend by the next slot: a second order in the same bill. A paid order's extension is paid by `payment` at once, or
 * held unpaid where leave_due. */
enum fd_code venue_extend_with(struct desk *desk, const char *key, const char *number, const struct venue_change *how, struct arena *arena, struct booked *booked, struct fd_error *err);
/* Fires expire on one run-out hold (worker and bookings). FD_OK also where somebody was faster; *done says. */
enum fd_code venue_expire(struct desk *desk, int64_t order_id, bool *done, struct fd_error *err);
/* Worker passes: at most `most` each; *done counts. */
enum fd_code venue_expire_due(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);
enum fd_code venue_miss_due(struct desk *desk, size_t most, int64_t *done, struct fd_error *err);

/* Search: every filter optional; key-paged by (day, id) descending, written out. Rows carry no open dues (due_fen 0). */
struct order_filter {
    day_t from, to;            /* DAY_NONE: open */
    const char *phone;         /* normalised whole phone */
    const char *phone_tail;    /* 4 digits */
    const char *number;        /* whole or tail of at least 3 */
    const char *name;          /* prefix or pinyin initials */
    const char *states;        /* "PENDING_PAY,PAID"; at most 7 */
    int64_t venue_id;
    const char *operator;      /* account name; "-" = online (NULL) */
    day_t after_day;           /* page after (day, id); DAY_NONE first page */
    int64_t after_id;
    size_t most;               /* rows a page, at most 500 */
};
enum fd_code venue_order_search(struct desk *desk, const struct order_filter *filter, struct arena *arena, struct venue_order **rows, size_t *count, bool *more, struct fd_error *err);

/* The day grid: slots of a day and sport with who holds them. One call, two reads. */
struct grid_cell {
    struct slot slot;
    const char *order_no, *customer, *state; /* court form, held: the order; else "" */
    wall_t expire_time;        /* unpaid hold: when it ends */
    int64_t order_id, held;    /* held: places held unpaid */
};
struct day_grid {
    day_t day;
    wall_t now;
    const char *sport;
    struct venue *venues;      /* columns */
    size_t venue_count;
    int *starts;               /* row starts, minutes, ascending, distinct */
    size_t row_count;
    struct grid_cell *cells;   /* row_count x venue_count; slot.id 0: no slot there */
    int64_t sold, places, unpaid_orders, taken_fen; /* footer: places sold of all, unpaid orders, desk money of today */
    const char *const *sports; /* all sports, for switching */
    size_t sport_count;
};
enum fd_code day_grid_load(struct desk *desk, day_t day, const char *sport, struct arena *arena, struct day_grid **grid, struct fd_error *err);
/* Who comes next: orders of `day` that start within `minutes` from now or run, paid or unpaid, by start. */
enum fd_code venue_arrivals(struct desk *desk, int64_t minutes, struct arena *arena, struct venue_order **rows, size_t *count, struct fd_error *err);

/* "WECHAT" -> WeChat, 微信: a tender in words; others as they are; borrowed. */
const char *venue_channel_label(const char *channel);

/* Answers to "why": whole sentences, translated, each a line; into the arena. */
enum fd_code why_slot(struct desk *desk, int64_t slot_id, struct arena *arena, const char **text, struct fd_error *err);
enum fd_code why_order(struct desk *desk, const char *number, struct arena *arena, const char **text, struct fd_error *err);
enum fd_code why_day(struct desk *desk, day_t day, struct arena *arena, const char **text, struct fd_error *err);

extern const struct action venue_actions[];
/* Registers kind and actions. */
void venue_register(void);
#endif
