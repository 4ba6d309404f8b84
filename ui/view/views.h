/* The views of the venue desk: their operations, what they are opened with, and what they share.
 * A view with arguments takes `const struct NAME_args *` in view_push(); NULL is what a screen's
 * root gets and always works. Texts in arguments are only used during the call. */
#ifndef FD_VIEW_VIEWS_H
#define FD_VIEW_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/customer.h"
#include "core/desk.h"
#include "core/operator.h"
#include "money/pay.h"
#include "outside/channel.h"
#include "ui/app/app.h"
#include "ui/app/view.h"
#include "venue/booking.h"
#include "venue/slot.h"

/* What all views share: app_context(). UI thread only; the desk itself belongs to the jobs. */
struct console {
    const struct config *config; /* borrowed */
    struct app *app;
    struct jobs *jobs;
    bool is_open; /* the desk is open: jobs get one. False while it opens: load() posts nothing */
    bool signed_in;
    char operator[NAME_BYTES]; /* copies of what the desk has */
    char operator_label[DISPLAY_BYTES];
    enum role role;
    char sport[128];   /* sport last looked at in the grid, "" the first */
    day_t day;         /* day last looked at, DAY_NONE today */
    int64_t stop_id;   /* connection that the stop hook ends; 0 none */
    void *stop_target; /* of console.c */
};
struct console *view_console(const struct view *view);
/* False before the desk is open or while nobody is signed in: load() then does nothing, show() tries again. */
bool view_is_ready(const struct view *view);

/* --- screens, and views that are pushed --- */
extern const struct view_ops view_grid; /* 1 */
extern const struct view_ops
    view_arrivals; /* 2; also the strip along the bottom of the grid: few rows, arrivals and unpaid */
extern const struct view_ops view_orders;             /* 3 */
extern const struct view_ops view_pay;                /* 4: as a root with a number field first */
extern const struct view_ops view_customers;          /* 5 */
extern const struct view_ops view_schedules;          /* 6 */
extern const struct view_ops view_shift;              /* 7 */
extern const struct view_ops view_log;                /* 8 */
extern const struct view_ops view_setup;              /* 9: parameters, operators, language, theme */
extern const struct view_ops view_sign_in, view_lock; /* covers */
extern const struct view_ops view_booking, view_order, view_move, view_customer, view_params, view_operators, view_text;
extern const struct view_ops view_qr;     /* payment code */
extern const struct view_ops view_shifts, view_cases, view_approvals, view_printer;
extern const struct view_ops view_venues; /* of setup */
extern const struct view_ops view_calls;  /* orders on slots that were closed: whom to call */

struct booking_args {
    const struct slot *slots; /* lines to begin with, copied; 0 is fine (F4 adds) */
    size_t count;
    const char *phone, *name; /* NULL: empty */
};
struct order_args {
    const char *order_no; /* whole number */
};
struct orders_args {
    const char *find;   /* as typed after `/`: number, tail, phone or its tail, name or initials; NULL none */
    const char *phone;  /* all orders of this whole phone; NULL */
    const char *states; /* "PENDING_PAY,PAID"; NULL all */
    day_t from, to;     /* DAY_NONE: open */
    int64_t venue_id;   /* 0 all */
};
struct move_args {
    const char *order_no;
};
struct customers_args {
    const char *find; /* NULL */
};
struct customer_args {
    int64_t id;
};
struct shift_args {
    int64_t id; /* a past one; 0: the open one of this terminal */
};
struct schedules_args {
    day_t day;        /* DAY_NONE: the console's day */
    int64_t venue_id; /* 0 all */
};
struct calls_args {
    const struct slot_order *orders;
    size_t count;
    const char *reason; /* why the slots were closed */
};
struct log_args {
    const char *entity, *entity_no; /* NULL: everything */
};
struct text_args {
    const char *title, *text; /* translated; lines with "\n"; scrolls, `/` searches */
};

/* Taking money. With `number`: what that order or bill owes, read anew. Else `collect`: money for
 * something that is done together with the payment (a booking of a walk-in customer, a move or
 * change with a difference): lines and amount are given, and `collect` runs in a JOB_WRITE with the
 * payment that was chosen. It is called again with the same `arg` where the outcome is unknown, so
 * `arg` holds the request key. The pusher's child() hears PAY_DONE or PAY_LEFT; pay_outcome() tells
 * more while the child is alive. */
struct pay_line {
    const char *text;
    int64_t fen;
};
typedef enum fd_code pay_collect_fn(struct desk *desk, void *arg, const struct payment *payment, struct paid *paid,
                                    struct fd_error *err);
struct pay_args {
    const char *number;
    const char *title; /* "Bill 9Q2X  Wang"; NULL: from what is read */
    const struct pay_line *lines;
    size_t line_count;
    int64_t amount_fen; /* with collect */
    bool can_check_in;  /* with collect: F2 takes and checks in */
    pay_collect_fn *collect;
    /* With collect, where it may also take nothing (no payment, or one by a code that then follows) and leave the amount
     * owed: the number of the order or bill that then owes it. WeChat and Alipay need one. NULL: they are not offered. */
    const char *(*owing)(void *arg);
    bool can_leave; /* with owing: it may also be left due (0) */
    void *arg; /* owned by the view from the push on */
    void (*dispose)(void *arg);
};
enum {
    PAY_LEFT = 0,
    PAY_DONE = 1,
    PAY_REFUSED = 2, /* collect was refused: pay_refusal(), e.g. FD_SLOT_TAKEN */
    PAY_OWED = 3     /* collect is done, but its code was left: the amount is still owed */
};
const struct paid *pay_outcome(const struct view *pay);
const struct fd_error *pay_refusal(const struct view *pay);
void *pay_arg(const struct view *pay); /* args->arg, still owned by the view */

/* The payment code of an order or bill on the screen until it is final. The pusher's child() hears QR_LEFT (closed),
 * QR_PAID, or QR_TO_TENDER: qr_digit() is the way to pay that was chosen instead. */
struct qr_args {
    const char *number; /* whole, of the order or bill */
    enum channel_id channel;
    int64_t amount_fen; /* 0: all that is owed */
    const char *title;  /* "bill 9Q2X  Wang"; NULL none */
    const struct pay_line *lines;
    size_t line_count;
};
enum { QR_LEFT = 0, QR_PAID = 1, QR_TO_TENDER = 2 };
const struct paid *qr_outcome(const struct view *qr);
char qr_digit(const struct view *qr);

/* --- writes whose outcome must become known --- */
/* Posts a JOB_WRITE for this view; where the answer is FD_UNKNOWN the message line says that it is
 * being checked and the same `arg` (it holds the request key) is run again until it is known. Then
 * `done` (may be NULL) hears any other code; `arg` goes to `dispose` (may be NULL) afterwards. */
struct write {
    const char *name; /* static, for log and spinner: N_("Checking in") */
    job_run_fn *run;
    void (*done)(struct view *view, void *arg, enum fd_code code, const struct fd_error *err);
    void *arg;
    void (*dispose)(void *arg);
};
void view_write(struct view *view, const struct write *write);
/* The same in the second thread (JOB_CHANNEL): what calls a channel or a printer. */
void view_channel(struct view *view, const struct write *write);
/* What every read's `done` does with an error: nothing for FD_CANCELLED and FD_DB_DOWN (the banner
 * says it), else app_error(). */
void view_failed(struct view *view, enum fd_code code, const struct fd_error *err);

/* --- the selected order, for companions and actions --- */
/* Whole number of the order under the cursor of any view that lists orders (grid, orders, arrivals,
 * customer), "" where there is none. Borrowed until the view reads again. */
const char *view_selected_order(const struct view *view);
/* What each of them gives to it (one function beside each view). */
const char *grid_selected(const struct view *view);
const char *orders_selected(const struct view *view);
const char *arrivals_selected(const struct view *view);
const char *customer_selected(const struct view *view);
const char *order_selected(const struct view *view); /* the order shown */

/* --- actions that several views offer; each asks, posts its own job, tells the outcome in the
 * message line and makes the view load again --- */
void act_check_in(struct view *view, const char *number); /* NULL or "": asks for a tail; 6 keys */
void act_cancel(struct view *view, const char *order_no); /* asks with what follows, reason where paid; cancel.c */
void act_pay(struct view *view, const char *number);      /* pushes view_pay */
void act_open(struct view *view, const char *order_no);   /* pushes view_order */
void act_move(struct view *view, const char *order_no);   /* pushes view_move */
void act_find(struct view *view);                         /* asks, pushes view_orders with it */
void act_why_slot(struct view *view, int64_t slot_id);    /* reads, pushes view_text */
void act_why_order(struct view *view, const char *order_no);
void act_why_day(struct view *view, day_t day);

/* --- how things are shown (show.c) --- */
style_t show_state_style(const char *state); /* PAID -> STYLE_PAID */
/* When a hold ends: "9m" (9分) within the hour, else "18:30", other day "12-02"; "" WALL_NONE. */
const char *show_hold(wall_t until, wall_t now, char out[16]);
/* "Tue 12-01 19:00–20:00"; `cells` chooses the dash's spelling, may be NULL. Into the arena. */
const char *show_slot_time(struct arena *arena, const struct cells *cells, day_t day, int start_minute, int end_minute);
const char *show_day(day_t day, char out[32]);    /* "Tue 12-01", "12-01 周二" */
const char *show_tail(const char *number);        /* last 4 characters, borrowed */
const char *show_yuan(int64_t fen, char out[40]); /* "¥1,234.00" */
const char *show_sport(const char *sport);        /* "badminton" -> 羽毛球; others as they are; borrowed */
/* "7F3K 9Q2X" is hard to read: numbers in three rows of seven segments, for the amount to take. Draws at row..row+2,
 * returns the cells used; falls back to one line where the window is too small. */
int show_big(struct cells *cells, int row, int column, style_t style, const char *number);

#endif
