/* Notifications: made with what they tell about, sent by a thread until they are taken or the ladder ends. */
#ifndef FD_SANDBOX_NOTIFY_H
#define FD_SANDBOX_NOTIFY_H
#include "sandbox/box.h"

/* Puts one about the payment (refund NULL) or the refund into the running change; nothing where the merchant named no
 * address. Takes the faults of notifications. Under the lock. */
void notice_queue(struct box *box, const struct trade *trade, const struct refund *refund);
/* One that claims the trade was paid and is signed with a wrong key; sent once. Under the lock; not committed. */
void notice_forge(struct box *box, const struct trade *trade);

/* The thread that sends what is due. NULL. */
void *notify_run(void *box);
#endif
