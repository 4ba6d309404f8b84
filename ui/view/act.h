/* Actions beyond those of views.h that several views offer. Each asks what it needs, posts its own
 * job, tells the outcome in the message line and makes the view load again. */
#ifndef FD_VIEW_ACT_H
#define FD_VIEW_ACT_H

#include "money/back.h"
#include "ui/view/parts.h"

/* One action on several orders: says how many and how much first; one order after the other, each
 * its own transaction; what was refused is listed with the reason. */
enum act_many { ACT_CHECK_IN, ACT_CANCEL };
void act_many(struct view *view, enum act_many kind, const struct order_line *const *lines, size_t count);
/* Change the remark of an order; `note` is what it is now. */
void act_note(struct view *view, const char *order_no, const char *note);
/* Another quantity; a paid order's difference is taken first. */
void act_quantity(struct view *view, const char *order_no);
/* By the next slot of the same place; a paid order's extension is taken first. */
void act_extend(struct view *view, const char *order_no);
/* Notes in the log that the whole phone of a customer is shown; says nothing. */
void act_log_shown(struct view *view, int64_t user_id);
/* Pushes view_customer. */
void act_customer(struct view *view, int64_t user_id);
/* Money back on a form of its own; another price. */
void act_refund(struct view *view, const char *order_no);
void act_price(struct view *view, const char *order_no);
/* After money went back: tells `what` (a sentence) and the way, prints the slip, sends what goes to a channel, reads
 * the view again. */
void act_backed(struct view *view, const char *order_no, const struct backed *backed, const char *what);
/* For view_ops.child of views that show orders: what a pushed view did is read again. */
void act_child(struct view *view, struct view *child, int result);

#endif
