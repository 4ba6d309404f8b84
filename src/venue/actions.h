/* What the actions of this folder run; their table is in actions.c. */
#ifndef FD_VENUE_ACTIONS_H
#define FD_VENUE_ACTIONS_H
#include "core/action.h"
#include "venue/venue_internal.h"

/* actions_slot.c */
action_fn venue_list_run, venue_add_run, venue_change_run;
action_fn slot_list_run, slot_generate_run, slot_close_run, slot_open_run, slot_price_run;
/* actions_order.c */
action_fn order_book_run, order_change_run, order_move_run, order_cancel_run, order_check_in_run;
/* actions_show.c */
action_fn order_list_run, order_show_run, why_slot_run, why_order_run, why_day_run;
/* actions_day.c */
action_fn day_show_run;

/* actions_parse.c: what several of them parse ------------------------------------------------------ */

/* --cash, --card, --transfer, --static, --voucher, --check-in; *given tells whether one of the tenders was. */
enum fd_code call_payment(const struct call *call, struct payment *payment, bool *given, struct fd_error *err);
/* Weekdays "1-5", "6,7", "mon-fri,sun", "六"; bit 0 Monday. 0 where not given. */
enum fd_code call_weekdays(const struct call *call, const char *name, unsigned *weekdays, struct fd_error *err);
enum fd_code weekdays_parse(const char *text, size_t length, const char *field, unsigned *weekdays,
                            struct fd_error *err);
/* "18-22=80,sat-sun:8-22=90": price bands, in the call's arena. */
enum fd_code call_bands(struct call *call, const char *name, struct price_band **bands, size_t *count,
                        struct fd_error *err);
/* --slot ids, or --venue, --date or --from and --to, --time, --weekdays. */
enum fd_code call_range(struct call *call, struct slot_range *range, struct fd_error *err);
/* The venue that a parameter names; *venue NULL where it is not given. */
enum fd_code call_venue(struct call *call, const char *name, struct venue **venue, struct fd_error *err);
/* "1024,1025:2": slots with quantities; `quantity` where none is given. In the call's arena. */
enum fd_code call_lines(struct call *call, const char *name, int64_t quantity, struct booking_line **lines,
                        size_t *count, struct fd_error *err);
/* "2026-12-01:123", what a row's cursor says. */
enum fd_code cursor_parse(const char *text, day_t *day, int64_t *id, struct fd_error *err);
/* Says what was taken and what goes back over the counter. */
void say_paid_at_desk(struct call *call, const struct paid *paid);
#endif
