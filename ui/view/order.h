/* What order.c and order_draw.c share: one order with all that is known about it. */
#ifndef FD_VIEW_ORDER_H
#define FD_VIEW_ORDER_H

#include "ui/view/parts.h"

struct order_facts {
    struct arena arena;
    struct venue_order *order;   /* NULL: nothing read yet */
    struct customer *customer;   /* NULL: unknown */
    struct owed owed;            /* of the bill, or of the order alone */
    struct story_row *story;
    size_t story_count;
    struct payment_row *payments;
    size_t payment_count;
    struct pay_sum sum, bill_sum; /* of the order, of its bill */
    const char *why;             /* sentences, NULL: not asked */
};
/* Reads all for an order's whole number or tail; `why` too where with_why. In the desk thread. */
enum fd_code order_facts_read(struct desk *desk, const char *number, bool with_why, struct order_facts *facts, struct fd_error *err);

struct order_look {
    bool whole_phone; /* else masked */
    wall_t now;
    int top;          /* first row of the story that is shown */
    int rows, shown;  /* out: rows of story and money, and how many fitted */
};
void order_facts_draw(const struct order_facts *facts, struct cells *cells, struct order_look *look);

#endif
