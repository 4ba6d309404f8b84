/* Paper from the console: queued and sent in the second thread, so that a printer that is absent holds nobody up. */
#ifndef FD_VIEW_SLIP_H
#define FD_VIEW_SLIP_H

#include "money/print.h"
#include "ui/view/parts.h"

/* Queues the slip of a number and sends what waits for this terminal. `by_itself`: nobody asked for it, so nothing is
 * said where there is no printer, and nothing where it came out. */
void slip_print(struct console *console, enum print_kind kind, const char *number, bool by_itself);
/* Sends what waits for this terminal, however often it failed. */
void slip_send(struct console *console);
/* Sends what an action has queued by itself. */
void slip_send_quietly(struct console *console);

#endif
