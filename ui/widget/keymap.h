/* Key tables: key bar, help, menu and dispatch all read these, so a hint cannot be wrong. */
#ifndef FD_WIDGET_KEYMAP_H
#define FD_WIDGET_KEYMAP_H

#include <stddef.h>
#include "ui/term/key.h"
#include "ui/widget/request.h"

#define KEYBIND_KEYS 4
#define KEYBAR_CELLS 6 /* a label's place in the key bar */

struct keybind {
    uint32_t keys[KEYBIND_KEYS]; /* codes of ui/term/key.h; unused ones 0. Give F-keys a letter too */
    enum request request;        /* REQ_NONE: the key does nothing here, although globally it would */
    const char *label;           /* NC_("key", "Book"): at most KEYBAR_CELLS; NULL: not in the key bar */
    const char *help;            /* msgid for the help screen; NULL: the request's own */
};

struct keymap {
    const char *title; /* msgid, heading on the help screen: N_("Day grid") */
    const struct keybind *binds;
    size_t count;
};
#define KEYMAP(heading, table) {heading, table, sizeof(table) / sizeof((table)[0])}

/* The row that has this key, or NULL. `map` may be NULL. */
const struct keybind *keymap_find(const struct keymap *map, uint32_t key);
/* The first row for a request, or NULL. */
const struct keybind *keymap_for(const struct keymap *map, enum request request);
/* The global table. Static. */
const struct keymap *keymap_global(void);
/* All keys of a row as "F2 a"; into `text`, returned. */
const char *keybind_keys(const struct keybind *bind, char *text, size_t bytes);
/* True where no key stands twice in the table and every F-key bar label fits: a test calls it.
 * `why` gets the reason. */
bool keymap_is_sound(const struct keymap *map, char *why, size_t bytes);

#endif
