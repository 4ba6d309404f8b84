/* What the files of the shift's screens share. */
#ifndef FD_VIEW_SHIFT_INTERNAL_H
#define FD_VIEW_SHIFT_INTERNAL_H

#include "ui/view/parts.h"

/* A form over the shift's screen each (shift_forms.c). */
void shift_ask_open(struct view *view);
void shift_ask_cash(struct view *view, bool out);
void shift_ask_close(struct view *view); /* counts blind; afterwards what should have been there is told */

#endif
