/* Slots: stock and schedules. Stock in three forms (a court, places, equipment by hour or day), one arithmetic:
 * one conditional UPDATE. Source: domain section 2. */
#ifndef FD_VENUE_SLOT_H
#define FD_VENUE_SLOT_H
#include "core/op.h"

struct venue {
    int64_t id;
    const char *name, *sport, *form, *address; /* in the arena; form COURT PLACE HOURLY DAILY */
    int64_t max_people, sort_order;
    bool in_use;
};
struct slot {
    int64_t id, venue_id;
    const char *venue, *sport, *form; /* in the arena */
    day_t day;
    int start_minute, end_minute;
    int64_t total_count, remain_count, price_fen;
    bool open;                 /* status = 1 */
    const char *close_reason;  /* "" */
    bool over, running;        /* against the database's clock */
};
/* "badminton" -> Badminton, 羽毛球; others as they are; borrowed. */
const char *venue_sport_label(const char *sport);
/* Venues in grid order (sort_order, id); sport NULL: all; out of use ones only where `all`. */
enum fd_code venue_list(struct db *db, const char *sport, bool all, struct arena *arena, struct venue **rows, size_t *count, struct fd_error *err);
struct venue_edit { const char *name, *sport, *form, *address; int64_t max_people, sort_order; int in_use; /* NULL, -1: leave */ };
enum fd_code venue_add(struct desk *desk, const char *key, const struct venue_edit *edit, int64_t *id, struct fd_error *err);
enum fd_code venue_change(struct desk *desk, const char *key, int64_t id, const struct venue_edit *edit, const char *reason, struct fd_error *err);
/* A venue by id ("#3", "3"), whole name, or unique prefix of it. */
enum fd_code venue_find(struct db *db, const char *text, struct arena *arena, struct venue **venue, struct fd_error *err);
/* Slots of a day in grid order. sport, venue_id: NULL, 0 all. */
enum fd_code slot_list(struct db *db, day_t day, const char *sport, int64_t venue_id, struct arena *arena, struct slot **rows, size_t *count, struct fd_error *err);
enum fd_code slot_by_id(struct db *db, int64_t id, struct arena *arena, struct slot **slot, struct fd_error *err); /* NULL where none */
/* The nearest slot of the same sport, form, day and times that still has `quantity` places; *slot NULL where there is
 * none. One read, for the hint beside a refusal; needs no transaction of its own. */
enum fd_code slot_alternative(struct db *db, int64_t slot_id, int64_t quantity, struct arena *arena, struct slot **slot, struct fd_error *err);

/* Taking and giving back, inside an op: queued for the end. take: places >= quantity, open, not over, price as seen, venue and
 * times as seen (a negative price takes any); zero rows: FD_SLOT_TAKEN, FD_SLOT_CLOSED, FD_SLOT_OVER, FD_SLOT_UNKNOWN, FD_PRICE_CHANGED with the facts.
 * taker: number of the order that wants them, which a refusal never names. */
void slot_take(struct op *op, const struct slot *seen, int64_t quantity, const char *taker);
void slot_give(struct op *op, int64_t slot_id, int64_t quantity);

/* Bulk: by weekday, hours, slot length, price by time of day; idempotent. */
struct price_band { int from_minute, to_minute; int64_t price_fen; unsigned weekdays; /* bit 0 Monday; 0 = all */ };
struct slot_plan {
    int64_t venue_id;
    day_t from, to;            /* inclusive; at most 400 days */
    unsigned weekdays;         /* bit 0 Monday; 0 = all */
    int open_minute, close_minute, length_minutes; /* DAILY form: one slot a day */
    int64_t total_count, price_fen; /* where no band fits */
    const struct price_band *bands;
    size_t band_count;
};
struct slot_made { int64_t made, existed, refused; const char *first_refusal; /* in the arena: which one overlaps what; "" */ };
enum fd_code slot_generate(struct desk *desk, const char *key, const struct slot_plan *plan, struct arena *arena, struct slot_made *made, struct fd_error *err);
/* A range of slots: by ids, or by venue (0 all of sport), days, time of day. */
struct slot_range { const int64_t *ids; size_t id_count; int64_t venue_id; day_t from, to; int from_minute, to_minute; unsigned weekdays; };
/* Closing lists what was sold there: the orders stay valid; the list has whom to call. */
struct slot_order { const char *order_no, *customer, *phone, *state, *venue; day_t day; int start_minute, end_minute; int64_t total_fen; };
enum fd_code slot_close(struct desk *desk, const char *key, const struct slot_range *range, const char *reason, struct arena *arena, int64_t *closed, struct slot_order **orders, size_t *order_count, struct fd_error *err);
enum fd_code slot_open(struct desk *desk, const char *key, const struct slot_range *range, const char *reason, int64_t *opened, struct fd_error *err); /* FD_SLOT_OVERLAP by name */
enum fd_code slot_price(struct desk *desk, const char *key, const struct slot_range *range, int64_t price_fen, const char *reason, int64_t *changed, struct fd_error *err);
#endif
