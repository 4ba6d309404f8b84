/* Shared by the order files of this folder, and with customer.c. */
#ifndef FD_CORE_ORDER_INTERNAL_H
#define FD_CORE_ORDER_INTERNAL_H
#include "core/order.h"

/* All registered kinds; borrowed. */
size_t order_kinds(const struct order_kind *const **list);
#endif
