/* Keys typed ahead: a clerk who knows the way does not wait for the next form, so what is typed
 * while it is on its way is kept and given to it. */
#ifndef FD_VIEW_TYPED_H
#define FD_VIEW_TYPED_H

#include "ui/app/app.h"

#define TYPED_MOST 32

#define TYPED_MS 1500 /* longer than this nobody types blindly: keys answer again */

struct typed {
    struct input keys[TYPED_MOST]; /* more than that is not typed in the time a write takes; the rest is dropped */
    size_t count;
    int64_t since_ms; /* when the waiting began */
};

/* The waiting begins: nothing is held yet. */
void typed_begin(struct typed *typed);
/* Keeps a key for later; false where it is not to be kept: no key, a key that leaves (Esc, F10, F12), or waited too
 * long. */
bool typed_hold(struct typed *typed, const struct input *input);
/* What was typed was meant for something that does not come. */
void typed_drop(struct typed *typed);
/* Gives the keys to whatever has the focus now, in order. The holder may be closed by that: it is not used afterwards.
 */
void typed_replay(struct typed *typed, struct app *app);

#endif
