/* What the files of printing share. */
#ifndef FD_MONEY_PRINT_INTERNAL_H
#define FD_MONEY_PRINT_INTERNAL_H
#include "core/order.h"
#include "money/print.h"

/* What was made of a number. */
struct print_made {
    char subject[65];          /* whole number of what it is about: two prints of the same have the same */
    struct document *document; /* the caller's to free */
    const char *payload;       /* of its code, in the arena; NULL none */
};
struct print_want {
    const char *number;
    struct arena *arena;
    struct print_made *made;
};
/* Makers: reads only, inside desk_read, may be called several times. FD_NOT_FOUND, FD_REFUSED, FD_UNPAID. */
enum fd_code print_make_receipt(struct db *db, struct print_want *want, struct fd_error *err);
enum fd_code print_make_code(struct db *db, struct print_want *want, struct fd_error *err);
enum fd_code print_make_ticket(struct db *db, struct print_want *want, struct fd_error *err);
enum fd_code print_make_refund(struct db *db, struct print_want *want, struct fd_error *err);
/* These two not inside one. */
enum fd_code print_make_shift(struct desk *desk, struct print_want *want, struct fd_error *err);
void print_make_test(const struct config *config, const char *terminal, struct print_made *made);
/* Any of them, unmarked. */
enum fd_code print_make(struct desk *desk, enum print_kind kind, const char *number, struct arena *arena,
                        struct print_made *made, struct fd_error *err);
/* "*** COPY 1 ***" above all. Nothing for 0. */
void print_mark(struct document *document, int64_t copy);
/* An order by whole number or tail; *order NULL, and FD_OK, where it is none or not one alone. */
enum fd_code print_order(struct db *db, const char *number, struct arena *arena, struct order **order,
                         struct fd_error *err);
/* "#7" or a number, whole and in upper case, as rows have it. */
bool print_number_fold(const char *text, char out[65], int64_t *id);

/* print_queue with a request key. */
enum fd_code print_queue_key(struct desk *desk, const char *key, enum print_kind kind, const char *number,
                             bool unless_asked, int64_t *id, struct fd_error *err);

/* How slips are written. Lines of the same kind look the same on each. */
void slip_money(struct document *document, const char *label, int64_t fen);
void slip_total(struct document *document, const char *label, int64_t fen);
void slip_wall(struct document *document, const char *label, wall_t wall);
/* Left out where the value is "". */
void slip_word(struct document *document, const char *label, const char *value);
/* What the order is for, when, its number and places; `fen` beside it, negative: no amount. */
void slip_order(struct document *document, const struct order *order, int64_t fen, struct arena *arena);
/* Who made it, where. */
void slip_foot(struct document *document, const char *operator, const char *terminal);
const char *slip_channel(const char *channel); /* translated; the name itself where it is none of ours */
#endif
