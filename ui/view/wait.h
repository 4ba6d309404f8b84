/* Keys typed while a list, a dialog or a form is on its way: they are meant for it, and a row that is
 * not there yet must not be taken for another. Keys that lead elsewhere (screens, Esc, `:`, help)
 * always work, so that a dead server holds nobody. */
#ifndef FD_VIEW_WAIT_H
#define FD_VIEW_WAIT_H

#include "ui/app/view.h"

/* A dialog or form of `view` was asked for and needs reading first. */
void wait_begin(struct view *view);
/* From ops->input(), first: true where the key is kept. `loading`: the view itself has nothing yet. */
bool wait_hold(struct view *view, bool loading, const struct input *input);
/* What was asked for by wait_begin() is here: the keys go to it. Call it last. */
void wait_over(struct view *view);
/* What `loading` was about is here: the keys go to the view, unless they wait for a dialog (it was
 * only read again). Call it last. */
void wait_loaded(struct view *view);
/* It does not come: what was typed for it is forgotten. */
void wait_drop(struct view *view);

#endif
