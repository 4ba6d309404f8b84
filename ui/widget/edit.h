/* Line editor: by grapheme, caret by cells, scrolls sideways inside its width. The same one in
 * forms, dialogs and the command line.
 * Keys: arrows, Home/End, Backspace, Delete, C-a C-e C-b C-f C-d C-h C-k C-u C-w C-y, M-b M-f M-d.
 * With rows > 1 the text is wrapped (notes) and Up/Down move between rows; there is no newline. */
#ifndef FD_WIDGET_EDIT_H
#define FD_WIDGET_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include "ui/term/cells.h"
#include "ui/term/key.h"

struct edit {
    char *text;        /* clean UTF-8, terminated; never NULL after edit_init */
    size_t bytes, capacity;
    size_t at;         /* caret: byte offset at a grapheme boundary */
    size_t max_chars;  /* characters that fit; 0 = 1000 */
    int scroll;        /* first visible cell (one row) or row (several) */
    int rows;          /* 1, or visible rows of a wrapped note */
    int last_width;    /* width of the last drawing, for Up/Down */
    bool mask;         /* password: '*'s, C-y gives nothing, memory wiped */
    bool fresh;        /* value set by program: the first typed character replaces it */
    char *killed;      /* what C-k, C-u, C-w took; NULL */
};

void edit_init(struct edit *edit, size_t max_chars);
void edit_release(struct edit *edit); /* wipes where mask is set */
/* Replaces the text (made clean, cut at max_chars); caret at the end. NULL = "". */
void edit_set(struct edit *edit, const char *text);
/* As edit_set, and the first typed character replaces it all (defaults: Enter keeps them). */
void edit_preset(struct edit *edit, const char *text);
const char *edit_text(const struct edit *edit); /* borrowed */
bool edit_is_empty(const struct edit *edit);    /* only blanks count as empty */
/* Handles a key or paste; true where it was one for the editor. *changed (may be NULL) tells
 * whether the text changed. Enter, Tab, Up/Down (one row), Esc and F-keys are never used. */
bool edit_input(struct edit *edit, const struct input *input, bool *changed);
/* Inserts at the caret; what does not fit into max_chars is left out; false where any was. */
bool edit_insert(struct edit *edit, const char *text);
/* Draws `width` cells (x rows); places the hardware cursor where `here`. */
void edit_draw(struct edit *edit, struct cells *cells, int row, int column, int width, style_t style, bool here);
/* Puts the caret at a cell of the last drawing (mouse). */
void edit_click(struct edit *edit, int row, int cell);

#endif
