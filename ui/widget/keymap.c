#include "ui/widget/keymap.h"
#include <stdio.h>
#include <string.h>
#include "base/text.h"

/* Every F-key has a letter; F11 is left to the terminal (full screen). Views come first, so a
 * letter may mean something else on one screen, and then its help says so. */
static const struct keybind global_binds[] = {
    {{K_F1, '?'}, REQ_HELP, NC_("key", "Help"), NULL},
    {{K_F2, 'a'}, REQ_NEW, NC_("key", "Book"), NULL},
    {{K_F3, '/'}, REQ_FIND, NC_("key", "Find"), NULL},
    {{K_F4, 'f'}, REQ_FILTER, NC_("key", "Filter"), NULL},
    {{K_F5, 'R', K_CTRL | 'r'}, REQ_REFRESH, NC_("key", "Refr"), NULL},
    {{K_F6, 'm'}, REQ_MOVE, NC_("key", "Move"), NULL},
    {{K_F7, 'g'}, REQ_DATE, NC_("key", "Date"), NULL},
    {{K_F8, 'd'}, REQ_CANCEL, NC_("key", "Cancel"), NULL},
    {{K_F9, 'M'}, REQ_MENU, NC_("key", "Menu"), NULL},
    {{K_F10, 'q'}, REQ_QUIT, NC_("key", "Exit"), NULL},
    {{K_F12, 'L'}, REQ_LOCK, NULL, NULL},
    {{':'}, REQ_COMMAND, NULL, NULL},
    {{K_ESC}, REQ_BACK, NULL, NULL},
    {{'-'}, REQ_PREVIOUS, NULL, NULL},
    {{K_TAB}, REQ_FOCUS_NEXT, NULL, NULL},
    {{K_BACKTAB}, REQ_FOCUS_PREV, NULL, NULL},
    {{K_UP, 'k'}, REQ_UP, NULL, NULL},
    {{K_DOWN, 'j'}, REQ_DOWN, NULL, NULL},
    {{K_LEFT, 'h'}, REQ_LEFT, NULL, NULL},
    {{K_RIGHT, 'l'}, REQ_RIGHT, NULL, NULL},
    {{K_PGUP, K_CTRL | 'b'}, REQ_PAGE_UP, NULL, NULL},
    {{K_PGDN, K_CTRL | 'f'}, REQ_PAGE_DOWN, NULL, NULL},
    {{K_HOME}, REQ_HOME, NULL, NULL},
    {{K_END, 'G'}, REQ_END, NULL, NULL},
    {{' '}, REQ_MARK, NULL, NULL},
    {{'*'}, REQ_MARK_ALL, NULL, NULL},
    {{K_ENTER}, REQ_OPEN, NULL, NULL},
    {{'['}, REQ_DAY_PREV, NULL, NULL},
    {{']'}, REQ_DAY_NEXT, NULL, NULL},
    {{'t'}, REQ_TODAY, NULL, NULL},
    {{'<'}, REQ_SORT_LEFT, NULL, NULL},
    {{'>'}, REQ_SORT_RIGHT, NULL, NULL},
    {{'r'}, REQ_SORT_REVERSE, NULL, NULL},
    {{'n'}, REQ_SEARCH_NEXT, NULL, NULL},
    {{'N'}, REQ_SEARCH_PREV, NULL, NULL},
    {{'p'}, REQ_PAUSE, NULL, NULL},
    {{K_ALT | 'm'}, REQ_MOUSE, NULL, NULL},
    {{K_CTRL | 'l'}, REQ_REDRAW, NULL, NULL},
    {{K_CTRL | 'c'}, REQ_STOP, NULL, NULL},
    {{K_CTRL | 'z'}, REQ_SUSPEND, NULL, NULL},
    {{'1', '2', '3', '4'}, REQ_SCREEN, NULL, NULL},
    {{'5', '6', '7', '8'}, REQ_SCREEN, NULL, NULL},
    {{'9'}, REQ_SCREEN, NULL, NULL},
};
static const struct keymap global_map = KEYMAP(N_("Everywhere"), global_binds);

const struct keymap *keymap_global(void) {
    return &global_map;
}

const struct keybind *keymap_find(const struct keymap *map, uint32_t key) {
    for (size_t i = 0; map && i < map->count; i++)
        for (int k = 0; k < KEYBIND_KEYS && map->binds[i].keys[k]; k++)
            if (map->binds[i].keys[k] == key)
                return &map->binds[i];
    return NULL;
}

const struct keybind *keymap_for(const struct keymap *map, enum request request) {
    for (size_t i = 0; map && i < map->count; i++)
        if (map->binds[i].request == request)
            return &map->binds[i];
    return NULL;
}

const char *keybind_keys(const struct keybind *bind, char *text, size_t bytes) {
    size_t at = 0;
    char name[24];
    text[0] = '\0';
    for (int k = 0; k < KEYBIND_KEYS && bind->keys[k] && at < bytes; k++)
        at += (size_t)snprintf(text + at, bytes - at, "%s%s", k ? " " : "", key_label(bind->keys[k], name, sizeof name));
    return text;
}

/* Room of an F-key's label: "F10" takes one cell more than "F1". */
static int label_room(uint32_t key) {
    return key == K_F10 ? KEYBAR_CELLS - 1 : KEYBAR_CELLS;
}

bool keymap_is_sound(const struct keymap *map, char *why, size_t bytes) {
    char name[24];
    for (size_t i = 0; i < map->count; i++) {
        const struct keybind *bind = &map->binds[i];
        for (int k = 0; k < KEYBIND_KEYS && bind->keys[k]; k++)
            if (keymap_find(map, bind->keys[k]) != bind) {
                snprintf(why, bytes, "%s stands twice", key_label(bind->keys[k], name, sizeof name));
                return false;
            }
        if (bind->label && text_width(i18n_label(bind->label)) > label_room(bind->keys[0])) {
            snprintf(why, bytes, "label of %s is too wide: %s", request_name(bind->request), i18n_label(bind->label));
            return false;
        }
    }
    return true;
}
