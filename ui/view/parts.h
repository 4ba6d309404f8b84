/* What the screens with lists share (beside show_… of views.h): how money, times and states look, the compact line of an order that
 * lists keep, and the work that a screen posts. Drawing only; nothing here waits. */
#ifndef FD_VIEW_PARTS_H
#define FD_VIEW_PARTS_H

#include "core/rule.h"
#include "ui/view/views.h"
#include "ui/widget/list.h"

/* --- an order as lists keep it: fixed size, so that pages come and go without an arena --- */
struct order_line {
    int64_t id, user_id, venue_id, slot_id;
    char order_no[NUMBER_BYTES], bill_no[NUMBER_BYTES], state[STATE_BYTES];
    char customer[96], phone[PHONE_BYTES], venue[96], sport[48], note[160]; /* cut at a whole character; phone whole */
    day_t day;
    int start_minute, end_minute;
    int64_t quantity, total_fen, paid_fen, due_fen, back_fen, unit_price_fen;
    wall_t expire_time;
    bool walk_in;
    int64_t changed_ms; /* mono_ms() when its state was seen to change; 0 never */
};
void order_line_fill(struct order_line *line, const struct venue_order *order);
/* What it still owes: an unpaid one its rest, a paid one what a move or change left due, else 0. */
int64_t order_line_owed(const struct order_line *line);

/* What was received for it and is still kept: paid_amount counts desk tenders only, so an order that is paid has its
 * amount less what it owes and what went back of it. */
int64_t order_line_kept(const struct order_line *line);

/* Columns that lists of orders may show; a view's list_column table is made of these. */
enum order_column { OC_TAIL, OC_START, OC_WHEN, OC_VENUE, OC_CUSTOMER, OC_PHONE, OC_STATE, OC_STATE_WORD, OC_QUANTITY, OC_AMOUNT, OC_OWED, OC_NOTE, OC_COUNT };
/* Text and style of one cell; written into out (at least 160 bytes). The phone is masked. */
void order_line_cell(const struct order_line *line, enum order_column column, wall_t now, char *out, size_t bytes, style_t *style);

/* Sorts lines by a column, equal ones by id, so that the order is the same each time. Honest only
 * where all lines of the question are loaded. */
void order_lines_sort(struct order_line *lines, size_t count, enum order_column column, bool down);

/* --- texts: into out, which is returned --- */
/* "19:00–20:00" */
const char *part_span(int start_minute, int end_minute, char *out, size_t bytes);
/* "12-01" */
const char *part_date(day_t day, char *out, size_t bytes);
/* "11-30 10:42:07"; WALL_NONE gives "" */
const char *part_stamp(wall_t wall, char *out, size_t bytes);
/* Mark of the state; an unpaid hold says until when: "H 9m" below an hour, "H 18:30", "H 12-02". */
const char *part_state(const char *state, wall_t expire_time, wall_t now, char *out, size_t bytes);
/* "138****1234", and a dash for people without one */
const char *part_phone(const char *phone, char *out, size_t bytes);
/* Label of a tender channel ("CASH"), translated; the channel itself where it is unknown. */
const char *part_channel(const char *channel);

/* May this view show a whole phone? Only one of its own, and only where the log can be told of it. */
bool part_whole_phone(const struct view *view);

/* --- search among the rows of a list that is here whole, while typing --- */
/* Asks in the `:` row; the cursor follows what is typed, Esc gives it back. `list_of` finds the list again. */
typedef struct list *list_of_fn(struct view *view);
void list_find(struct view *view, list_of_fn *list_of);

/* --- painting --- */
/* An amount, right-aligned in `width`, "1,234.00"; '#' where it does not fit. */
void part_money(struct cells *cells, int row, int column, int width, style_t style, int64_t fen);
/* "Label  value" with the value at `column + gap`; returns the cells used. */
int part_fact(struct cells *cells, int row, int column, int gap, const char *label, const char *value);

/* --- work: a typed function in the desk thread and what it brings back --- */
struct work;
typedef enum fd_code work_fn(struct desk *desk, void *work, struct fd_error *err);
typedef void work_done_fn(struct view *view, void *work);
/* True: told already. False: the message line tells. */
typedef bool work_failed_fn(struct view *view, void *work, const struct fd_error *err);
struct work {               /* first member of the struct that carries arguments and answers */
    struct arena arena;     /* for answers; freed with the work */
    char key[KEY_BYTES];    /* writes: the request key */
    wall_t now;             /* brought back where clock */
    int64_t latency_us;
    bool clock;             /* ask the database's clock too */
    work_fn *run;           /* desk thread */
    work_done_fn *done;     /* UI thread, on success; may be NULL */
    work_failed_fn *failed; /* UI thread, on failure; may be NULL */
    void (*release)(void *work); /* UI thread, last; may be NULL */
    size_t bytes;           /* of the whole struct */
    struct work *held_next; /* of work_hold() */
};
/* Zeroed, of `bytes` (at least sizeof(struct work)). Handed to work_post(), or work_free(). */
void *work_new(size_t bytes, work_fn *run, work_done_fn *done);
/* A copy of one that was not posted yet; all but `arena` is copied as it is. */
void *work_copy(const void *work);
/* Wipes; NULL is fine. */
void work_free(void *work);
/* Posts and gives it away. `name` is a msgid. A failed read is told by view_failed(), a failed write
 * by app_error(), unless work->failed has told it. A write whose outcome is unknown is run again. */
void work_post(struct view *view, const char *name, enum job_kind kind, void *work);
/* Takes the answers' arena over; what was in `into` is freed. */
void work_take(void *work, struct arena *into);
/* Keeps the work of a dialog that is opened now; work_unhold() gives it back when that is answered. */
void work_hold(void *work);
void *work_unhold(void *work);

#endif
