/* Between the files of ui/term. */
#ifndef FD_TERM_INTERNAL_H
#define FD_TERM_INTERNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Signals and the way out. signals_start installs handlers that only write to a pipe (one byte a
 * kind), and for fatal ones give the terminal back and raise again. */
enum signal_note { NOTE_WAKE = 'w', NOTE_RESIZE = 'r', NOTE_EXIT = 'x', NOTE_STOP = 'z', NOTE_CONTINUE = 'c' };

/* The descriptor to poll for notes. Aborts where no pipe can be made. */
int signals_start(void);
void signals_stop(void);
/* Takes the notes that came. False where there was none. */
bool signals_take(bool *wake, bool *resize, bool *leave, bool *stop, bool *resumed);
/* From any thread or handler. */
void signals_note(enum signal_note note);
/* While the process stops itself: SIGTSTP has its default meaning. */
void signals_stop_self(void);

/* terminfo of TERM: false where it is not known. A string capability is "" where there is none. */
bool capability_load(void);
void capability_unload(void); /* newterm() loads its own copy */
const char *capability(const char *name);
bool capability_flag(const char *name);

/* What gives the terminal back without curses: bytes and the line settings of now, kept for
 * restore_now(). Off again after a clean end. */
void restore_arm(const char *bytes, size_t count);
void restore_disarm(void);
/* Async-signal-safe, once. */
void restore_now(void);

#endif
