/* Popups: a question, a form or a list in a box. The safe answer comes first and has the focus;
 * what destroys needs the reason, or the order's tail, typed. A dialog owns copies of its texts
 * and re-lays itself out at every size. */
#ifndef FD_WIDGET_DIALOG_H
#define FD_WIDGET_DIALOG_H

#include <stdbool.h>
#include <stddef.h>
#include "ui/term/cells.h"
#include "ui/term/key.h"
#include "ui/widget/form.h"

struct dialog; /* opaque */

enum dialog_kind_style { DIALOG_PLAIN, DIALOG_DANGER };
#define DIALOG_OPEN   (-2) /* no answer yet */
#define DIALOG_CANCEL (-1) /* Esc or the Cancel button */

/* Yes or no: Cancel is the first button and the default. `action` is the verb on the other
 * ("&Cancel order"), answer 0. All translated, copied. */
struct dialog *dialog_confirm(const char *title, const char *body, const char *action, enum dialog_kind_style style);
/* A reason of at least min_chars characters, and where tail is not NULL these characters typed
 * once more. Answer 0; dialog_reason_text() gives the reason. */
struct dialog *dialog_reason(const char *title, const char *body, const char *action, size_t min_chars, const char *tail);
const char *dialog_reason_text(struct dialog *dialog); /* borrowed */
/* A pick list with search by typing; answer = index of the row. `current` has the cursor (-1 none). */
struct dialog *dialog_pick(const char *title, const char *const *rows, size_t count, int current);
struct form *dialog_form_of(struct dialog *dialog); /* NULL where it has none */
/* Only text and an OK button. */
struct dialog *dialog_tell(const char *title, const char *body);
void dialog_free(struct dialog *dialog); /* wipes; NULL is fine */

/* Every input is the dialog's. Returns DIALOG_OPEN, DIALOG_CANCEL or the answer. */
int dialog_input(struct dialog *dialog, const struct input *input);
/* Draws centred in the window, clamped to it. */
void dialog_draw(struct dialog *dialog, struct cells *cells);
/* True where no two buttons have the same accelerator (a test asks per language). */
bool dialog_accelerators_differ(const struct dialog *dialog);

#endif
