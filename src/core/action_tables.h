/* What the one table of this floor's actions takes from its files. */
#ifndef FD_CORE_ACTION_TABLES_H
#define FD_CORE_ACTION_TABLES_H
#include "core/action.h"

extern const struct action_param customer_find_params[], customer_add_params[], customer_change_params[];
extern const struct column customer_columns[];
enum fd_code customer_find_run(struct call *call, struct fd_error *err);
enum fd_code customer_add_run(struct call *call, struct fd_error *err);
enum fd_code customer_change_run(struct call *call, struct fd_error *err);
#endif
