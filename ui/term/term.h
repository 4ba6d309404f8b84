/* The terminal: the only code that includes curses. One per process (signals belong to it).
 *
 * What it owes its user: the screen and the line settings come back on every way out (normal,
 * SIGTERM, SIGHUP, SIGSEGV and the other fatal ones, out of memory, Ctrl-Z), no key is lost, a
 * lone Esc answers after escape_delay_ms, only changed cells are sent, and the hardware cursor
 * stands on the focused item. */
#ifndef FD_TERM_TERM_H
#define FD_TERM_TERM_H

#include <stdbool.h>
#include "base/error.h"
#include "ui/term/cells.h"
#include "ui/term/key.h"

#define TERM_LEAST_ROWS    24 /* below this the application only says so */
#define TERM_LEAST_COLUMNS 80

enum term_ascii { TERM_ASCII_AUTO, TERM_ASCII_YES, TERM_ASCII_NO };

struct term_config {
    bool mouse;
    enum term_ascii ascii;  /* AUTO: ASCII where the terminal draws ambiguous characters wide */
    int escape_delay_ms;    /* 25; more for slow links */
    const char *theme;      /* theme_named(); NULL = "dark". NO_COLOR set and not empty: "mono" */
};

struct term;

/* Takes the terminal: alternate screen, raw mode (Ctrl-S is a key), bracketed paste, mouse where
 * terminfo and the config say so. LINES and COLUMNS are removed from the environment, because
 * they would freeze the size. FD_NO_TERMINAL, with nothing written, where stdin or stdout is no
 * terminal, or TERM is unknown or cannot move the cursor; FD_USAGE for a theme that is not there. New. */
enum fd_code term_start(const struct term_config *config, struct term **term, struct fd_error *err);
/* Gives it back as it was. NULL is fine; nulls. */
void term_stop(struct term **term);

/* The picture to draw now: blank, of the terminal's size (even 1x1). Valid until term_flush. */
struct canvas *term_begin(struct term *term);
/* The picture as it was flushed last, to paint on where only little changed. */
struct canvas *term_continue(struct term *term);
/* Sends what differs from the picture before, and the cursor. */
void term_flush(struct term *term);
/* Forget what the terminal shows: the next flush sends everything (Ctrl-L). */
void term_redraw(struct term *term);
void term_size(const struct term *term, int *rows, int *columns);

/* Waits at most timeout_ms (-1 = for ever) for the next event; never returns without one. Keys
 * typed ahead are kept and come first. A terminal that is gone gives INPUT_EXIT at once and again. */
void term_next(struct term *term, int timeout_ms, struct input *input);
/* True where an event waits already: draw only when it is false. */
bool term_pending(struct term *term);
/* From any thread or signal handler: term_next() returns INPUT_WAKE. Several calls may give one. */
void term_wake(struct term *term);

void term_beep(struct term *term);
/* Window title (venue and screen, never a customer), where the terminal has one. */
void term_title(struct term *term, const char *title);
/* Ctrl-Z: gives the terminal back, stops the process group, takes it again after SIGCONT. */
void term_suspend(struct term *term);
/* Switches at run time. term_theme: FD_USAGE where there is no such theme. */
void term_mouse(struct term *term, bool on);
bool term_mouse_is_on(const struct term *term);
void term_ascii(struct term *term, enum term_ascii ascii);
enum fd_code term_theme(struct term *term, const char *name, struct fd_error *err);

#endif
