/* What customers.c and customer.c share: the form for a new or changed customer. */
#ifndef FD_VIEW_CUSTOMERS_H
#define FD_VIEW_CUSTOMERS_H

#include "ui/view/parts.h"

/* Opens the form over `view`; `customer` NULL: a new one, with `phone` typed already (NULL none).
 * A new one is opened in view_customer when it is saved. */
void customer_edit_ask(struct view *view, const struct customer *customer, const char *phone);

/* Who is under the cursor of view_customers, 0 nobody. */
int64_t customers_selected(const struct view *view);

#endif
