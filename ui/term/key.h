/* Keys and input events: our own codes, so that nothing above ui/term knows curses.
 *
 * A key code is a Unicode character as typed ('a', 'A', '?', U+4E2D), or one of enum key, or'ed
 * with modifiers. Control characters are written K_CTRL | 'c'. Shift is only reported with named
 * keys (Shift-Tab is K_BACKTAB); Alt with any. Alt-digit arrives as the function key (Alt-1 =
 * K_F(1) .. Alt-9 = K_F(9), Alt-0 = K_F(10)), because Esc then a digit cannot work with a short
 * escape delay. */
#ifndef FD_TERM_KEY_H
#define FD_TERM_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define K_ALT   0x01000000u
#define K_CTRL  0x02000000u
#define K_SHIFT 0x04000000u
#define K_BASE  0x00ffffffu /* mask: the code without modifiers */

/* id, name for help and tests */
#define KEY_TABLE(X)                                                                               \
    X(K_ENTER, "Enter")                                                                            \
    X(K_TAB, "Tab")                                                                                \
    X(K_BACKTAB, "S-Tab")                                                                          \
    X(K_ESC, "Esc")                                                                                \
    X(K_BACKSPACE, "BkSp")                                                                         \
    X(K_DELETE, "Del")                                                                             \
    X(K_INSERT, "Ins")                                                                             \
    X(K_UP, "Up")                                                                                  \
    X(K_DOWN, "Down")                                                                              \
    X(K_LEFT, "Left")                                                                              \
    X(K_RIGHT, "Right")                                                                            \
    X(K_HOME, "Home")                                                                              \
    X(K_END, "End")                                                                                \
    X(K_PGUP, "PgUp")                                                                              \
    X(K_PGDN, "PgDn")                                                                              \
    X(K_F1, "F1")                                                                                  \
    X(K_F2, "F2")                                                                                  \
    X(K_F3, "F3")                                                                                  \
    X(K_F4, "F4")                                                                                  \
    X(K_F5, "F5")                                                                                  \
    X(K_F6, "F6")                                                                                  \
    X(K_F7, "F7")                                                                                  \
    X(K_F8, "F8")                                                                                  \
    X(K_F9, "F9")                                                                                  \
    X(K_F10, "F10")                                                                                \
    X(K_F11, "F11")                                                                                \
    X(K_F12, "F12")

enum key {
    K_NONE = 0,
    K_FIRST_NAMED = 0x110000, /* one past the last Unicode character */
#define X(id, name) id,
    KEY_TABLE(X)
#undef X
        K_NAMED_END
};
#define K_F(n) ((uint32_t)K_F1 + (uint32_t)(n)-1) /* 1..12 */

enum input_kind {
    INPUT_KEY,    /* key, and text where it is a printable character without Ctrl or Alt */
    INPUT_PASTE,  /* paste: one event for the whole text, cleaned (newlines are blanks) */
    INPUT_MOUSE,  /* mouse, row, column */
    INPUT_RESIZE, /* row, column: the new size in cells; everything has to be drawn anew */
    INPUT_TICK,   /* the time limit passed without anything */
    INPUT_WAKE,   /* another thread called term_wake(): look for results */
    INPUT_EXIT    /* terminal gone, SIGTERM or SIGHUP: leave now, ask nothing */
};

enum mouse_action { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct input {
    enum input_kind kind;
    uint32_t key;     /* INPUT_KEY: code | modifiers; else 0 */
    char text[8];     /* INPUT_KEY: UTF-8 to insert into a field, or "" */
    const char *paste; /* INPUT_PASTE: borrowed until the next input is fetched */
    enum mouse_action mouse;
    int row, column;  /* 0-based cells (MOUSE), or the size (RESIZE) */
};

/* An input as if that key was pressed; fills text for printable characters. For tests and menus. */
struct input input_key(uint32_t key);
/* Writes "F2", "C-s", "M-b", "Space", "a" into `name` (16 bytes are enough for any). Returns name. */
const char *key_label(uint32_t key, char *name, size_t bytes);
/* The opposite: "F2", "C-s", "Esc", "a", "中"; K_NONE where it is no key name. */
uint32_t key_from_name(const char *name);
/* True where the key types a character (not a named key, no Ctrl or Alt). */
bool key_is_text(uint32_t key);

#endif
