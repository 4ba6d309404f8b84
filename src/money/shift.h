/* Shifts (交接班): one drawer per terminal. Every counter tender and refund carries the open shift of its terminal; the
 * first one at a terminal without an open shift opens one with float 0. expected = opening + cash taken - cash
 * given back + put in - taken out. Source: domain section 5. */
#ifndef FD_MONEY_SHIFT_H
#define FD_MONEY_SHIFT_H
#include "core/action.h"
#include "core/op.h"

/* The open shift of the op's terminal, opened where there is none; locks it, so that a close waits. 0 never. */
enum fd_code shift_of_in(struct op *op, int64_t *shift_id, struct fd_error *err);

/* Where a payment by code counts that is settled now: in the open shift of the terminal that made the code, locked as above;
 * 0 where none is open there (its next one counts it). Opens none. */
enum fd_code shift_of_code_in(struct op *op, int64_t payment_id, int64_t *shift_id, struct fd_error *err);

struct shift_line { const char *channel; int64_t count, fen, back_count, back_fen; }; /* one tender */
struct shift_sum {
    int64_t id, opening_fen, in_fen, out_fen, cash_fen, cash_back_fen, expected_fen;
    int64_t counted_fen, difference_fen, left_fen; /* after the close */
    int64_t first_counted_fen; /* counted first without an explanation; -1: there was none */
    const char *terminal, *status, *opened_by, *closed_by, *explanation; /* in the arena, never NULL */
    wall_t opened_at, closed_at;
    struct shift_line *lines; size_t line_count;    /* by tender, cash first */
    /* Hand-over: unpaid holds, live codes, goods out, open cases, changed orders. */
    int64_t unpaid, live_codes, goods_out, cases, changed;
    bool blind;       /* open, and this role counts: what the drawer should hold is kept back (0 here, null in json) */
    const char *json; /* the whole report, with moves and numbers of the hand-over: as stored, or as it is now */
};
/* opening_fen negative: what the last shift of this terminal left. FD_REFUSED: one is open, whose and since when. */
enum fd_code shift_open(struct desk *desk, const char *key, int64_t opening_fen, int64_t *id, struct fd_error *err);
/* Signed: positive put in, negative taken out, as it went: what should be in the drawer is nobody's to find out here, and
 * a difference shows at the close. A reason is needed. FD_REFUSED: no open shift. FD_BAD_INPUT: above cash_move_most. */
enum fd_code shift_cash(struct desk *desk, const char *key, int64_t fen, const char *reason, struct fd_error *err);
/* Blind: what was counted comes first; expected and difference are answered. Where they differ an explanation is needed
 * (FD_REASON_NEEDED says so without the figure). The first count without one is kept before it is compared: another one
 * after it needs an explanation whatever it is, so that nobody finds what should be there by trying. left_fen: float for
 * the next shift (negative: all that was counted).
 * FD_REFUSED: closed already, by whom and when. */
struct shift_count { int64_t counted_fen, left_fen; const char *denominations; /* JSON or NULL */ const char *explanation; };
/* "100=3,50=2,0.5=4": notes and coins in yuan and how many of each, as JSON (xmalloc'ed) and their sum. FD_BAD_INPUT. */
enum fd_code shift_denominations(const char *text, char **json, int64_t *fen, struct fd_error *err);
enum fd_code shift_close(struct desk *desk, const char *key, const struct shift_count *count, struct arena *arena, struct shift_sum **sum, struct fd_error *err);
/* id 0: the open one of this terminal. While it is open the expected amount is shown only to finance and admin. */
enum fd_code shift_report(struct desk *desk, int64_t id, struct arena *arena, struct shift_sum **sum, struct fd_error *err);
enum fd_code shift_list(struct desk *desk, day_t from, day_t to, struct arena *arena, struct shift_sum **sums, size_t *count, struct fd_error *err);
extern const struct action shift_actions[];
#endif
