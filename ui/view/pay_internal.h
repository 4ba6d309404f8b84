/* What the files of the payment view share. */
#ifndef FD_VIEW_PAY_INTERNAL_H
#define FD_VIEW_PAY_INTERNAL_H

#include "money/code.h"
#include "ui/view/typed.h"
#include "ui/view/views.h"

enum pay_stage {
    PAY_ASKING,   /* a root without a number: asks for one */
    PAY_READING,  /* what is owed is on its way */
    PAY_CHOOSING, /* tender, amount, reference */
    PAY_TAKING,   /* sent */
    PAY_TAKEN     /* change is shown until a key */
};
enum pay_focus { PAY_ON_TENDER, PAY_ON_AMOUNT, PAY_ON_REFERENCE };
enum pay_field { PAY_NUMBER = 1, PAY_AMOUNT, PAY_REFERENCE };

/* The channel of a way to pay that shows a code; CHANNEL_COUNT of another. */
enum channel_id pay_channel(size_t way);

struct pay_state {
    enum pay_stage stage;
    enum pay_focus focus;
    struct edit number, amount, reference;
    char error[512], error_hint[256]; /* in place */

    char asked[NUMBER_BYTES];    /* the number that was given */
    struct arena arena;          /* of what follows */
    const char *title, *take_no; /* take_no: order or bill number for pay_take */
    struct pay_line *lines;
    size_t line_count;
    int64_t owed_fen;
    bool can_check_in;

    pay_collect_fn *collect; /* NULL: pay_take */
    void *arg;
    void (*dispose)(void *arg);

    size_t way; /* enum tender */
    bool ways_known, has_channel[CHANNEL_COUNT];
    const char *(*owing)(void *arg); /* pay_args */
    bool can_leave, leaves; /* it may be left due; it is being left */
    bool owes_already;   /* collect was done without money: it is booked, or changed */
    int64_t code_fen;    /* what a code is for; 0 all that is owed */
    char next_digit;     /* how it is paid instead of by the code that was left */
    char key[KEY_BYTES]; /* made when the form opens */
    bool amount_is_meant; /* Enter a second time on less than what is owed, or on much more */
    struct paid paid;
    struct fd_error refusal;
    bool is_root;
    struct typed typed; /* while what is owed is read */
    int64_t reads;      /* the last one's answer counts */
    bool reads_again;   /* what was typed stays, where the same is owed */
};

/* What was typed as an amount, and what follows; false where it is no amount (error filled). */
bool pay_amount(struct pay_state *state, int64_t *fen, struct fd_error *err);
/* Change for the amount typed now, 0 where there is none. */
int64_t pay_change(struct pay_state *state);

/* pay_take.c: refuses in place; takes what was typed; shows a code (fen: what of it); what follows a payment. */
void pay_fail(struct view *view, const char *message, const char *hint);
void pay_go(struct view *view, bool check_in);
void pay_code(struct view *view, int64_t fen);
void pay_finish(struct view *view);
void pay_leave_due(struct view *view); /* does what is to be paid for, and leaves it due */

void pay_draw(struct view *view, struct cells *cells);
void pay_title(struct view *view, struct buf *text);

/* Reads what a number owes (pay_read.c) and goes on to PAY_CHOOSING, or back to PAY_ASKING. Read again while the clerk
 * types or before the answer is there, it takes nothing away of what was typed, unless something else is owed now. */
void pay_read(struct view *view, const char *number);
/* Reads which channels are set up, where nothing else is read. */
void pay_read_ways(struct view *view);
void pay_choose(struct view *view); /* the amount is known: tender row, exact sum */
void pay_ask(struct view *view);    /* back to the number field */

#endif
