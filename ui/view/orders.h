/* What orders.c and orders_filter.c share. */
#ifndef FD_VIEW_ORDERS_H
#define FD_VIEW_ORDERS_H

#include "ui/view/order_query.h"

/* The filter form over `view`, filled from `query`; `done` gets the new question. */
typedef void orders_filter_fn(struct view *view, const struct order_query *query);
void orders_filter_ask(struct view *view, const struct order_query *query, orders_filter_fn *done);

#endif
