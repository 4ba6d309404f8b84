/* What the files of the booking form share. */
#ifndef FD_VIEW_BOOKING_INTERNAL_H
#define FD_VIEW_BOOKING_INTERNAL_H

#include "ui/view/typed.h"
#include "ui/view/views.h"

enum { CART_MOST = 20 };

enum booking_field {
    BOOKING_PHONE = 1,
    BOOKING_NAME,
    BOOKING_HOLD,
    BOOKING_NOTE,
    BOOKING_PAY_BUTTON,
    BOOKING_ONLY_BUTTON
};

struct cart_line {
    struct slot slot; /* names in booking_state.arena */
    int64_t quantity;
    bool is_lost; /* the last refusal was about this line */
};

/* How long holds last, from the parameters. */
struct hold_rules {
    int64_t minutes, before_start, least;
};

struct booking_state {
    struct form *form;
    char key[KEY_BYTES]; /* made when the form opens, kept until it is left */
    struct arena arena;
    struct cart_line lines[CART_MOST];
    size_t count, line, top;
    bool in_lines;       /* the focus is on the lines: quantity, Del */
    bool typed_quantity; /* the next digit goes on with the number */
    struct hold_rules holds;
    bool hold_is_chosen; /* the clerk chose, so F2 keeps it */

    char looked_up[PHONE_BYTES]; /* phone whose customer is shown */
    char known_name[DISPLAY_BYTES];
    char alert[512];

    char refusal[512], hint[256];
    bool has_alternative;
    struct slot alternative; /* names in arena */
    size_t alternative_line;

    bool is_sending; /* the booking is on its way: keys are kept for what comes */
    struct typed typed;

    bool is_booked;  /* done: closes when it is the top view again */
    bool is_leaving; /* the clerk said so */
    char booked[NUMBER_BYTES];
};

/* A booking on its way to the desk thread; also the argument of the payment view's collect. */
struct booking_work {
    struct arena arena;  /* what was typed */
    struct arena answer; /* reset at each try */
    char key[KEY_BYTES];
    struct booking booking;
    struct booked booked;
    bool then_pay; /* go on to the payment */
    /* after a refusal */
    struct slot **fresh; /* the lines' slots as they are now; NULL where they could not be read */
    size_t bad_line;     /* SIZE_MAX none */
    struct slot *alternative;
};

/* The form's content as work. `hold` as chosen. New; booking_work_free. */
struct booking_work *booking_work_new(struct booking_state *state);
void booking_work_free(void *work);
/* Desk thread: books (with `payment` or without), explains a refusal. */
enum fd_code booking_work_run(struct desk *desk, struct booking_work *work, const struct payment *payment,
                              struct fd_error *err);

void booking_add(struct booking_state *state, const struct slot *slot, int64_t quantity);
void booking_remove(struct booking_state *state, size_t line);
int64_t booking_total(const struct booking_state *state);
/* Choices of the hold with the times that they give, kept where one was chosen. */
void booking_hold_choices(struct booking_state *state, wall_t now);
/* Takes over what is told about a refusal: fresh slots, the line that is lost, the alternative. */
void booking_refused(struct booking_state *state, const struct booking_work *work, const struct fd_error *err);
/* Swaps the lost line for the alternative. */
void booking_swap(struct booking_state *state);

/* Keys on the lines; true where used. *leave: the focus goes back to the form. */
bool booking_lines_input(struct booking_state *state, const struct input *input, bool *leave);
/* Lines and total; returns the rows used. */
int booking_lines_draw(struct booking_state *state, struct cells *cells, int rows, bool here);

/* Reads of the form (booking_read.c): each posts a job for the view. */
void booking_read_facts(struct view *view); /* parameters, the slots again */
void booking_read_customer(struct view *view, const char *phone);
void booking_search_customer(struct view *view, const char *text); /* tail, name or initials */
void booking_pick_item(struct view *view);                         /* list of what else is free then */
/* Called by them: a customer is known (or NULL: phone unknown). */
void booking_show_customer(struct view *view, const struct customer *customer, const char *phone);

#endif
