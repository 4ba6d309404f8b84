/* A real program in a pseudo-terminal, its output read by libvterm: for tests of the framework
 * and of the whole program. Waits are for a text with a time limit, never a sleep. */
#ifndef FD_TESTS_SCREEN_H
#define FD_TESTS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct screen;

struct screen_options {
    const char *const *argv;   /* program and arguments, NULL-terminated */
    const char *const *env;    /* "NAME=value" to set, "NAME" to unset; NULL-terminated; NULL none */
    int rows, columns;         /* 0 = 24x80 */
    const char *term;          /* TERM; NULL = xterm-256color */
    bool no_answers;           /* do not answer cursor position requests */
    bool light;                /* a terminal that is dark on light */
    bool wide_ambiguous;       /* answer as a terminal that draws ambiguous characters two wide */
};

/* Starts it; aborts the test where it cannot. screen_close kills what is left. */
struct screen *screen_open(const struct screen_options *options);
void screen_close(struct screen **screen);
pid_t screen_pid(const struct screen *screen);

/* Reads what comes until nothing has come for quiet_ms (at most limit_ms). */
void screen_settle(struct screen *screen, int quiet_ms, int limit_ms);
/* True as soon as `text` stands on the screen (in one row), false after limit_ms. */
bool screen_wait(struct screen *screen, const char *text, int limit_ms);
/* True as soon as it does not. */
bool screen_wait_gone(struct screen *screen, const char *text, int limit_ms);
/* True as soon as the program has ended; *status as of waitpid. */
bool screen_wait_exit(struct screen *screen, int *status, int limit_ms);
/* Bytes as typed; and by key names ("F2 Enter C-s 'text'"). */
void screen_send(struct screen *screen, const char *bytes);
void screen_send_bytes(struct screen *screen, const char *bytes, size_t count);
void screen_keys(struct screen *screen, const char *names);
/* Bracketed where the program asked for it, else as typed. */
void screen_paste(struct screen *screen, const char *text);
void screen_resize(struct screen *screen, int rows, int columns);
/* Closes the master side: the terminal is gone. */
void screen_hang_up(struct screen *screen);

/* One row as text without trailing blanks; the whole screen with "\n". Borrowed until the next call. */
const char *screen_row(struct screen *screen, int row);
const char *screen_text(struct screen *screen);
/* Row in which `text` stands, -1 none; *column its first cell (may be NULL). */
int screen_find(struct screen *screen, const char *text, int *column);
void screen_cursor(struct screen *screen, int *row, int *column);
void screen_size(const struct screen *screen, int *rows, int *columns);
/* What an eye sees of a cell: the colour of its upper or lower half, as half blocks, reverse and the terminal's own
 * colours make it. */
void screen_colour(struct screen *screen, int row, int column, bool lower, unsigned char rgb[3]);
bool screen_alternate(const struct screen *screen);
bool screen_mouse(const struct screen *screen);  /* any mouse reporting is on */
bool screen_paste_mode(const struct screen *screen);
bool screen_cursor_visible(const struct screen *screen);
const char *screen_title(const struct screen *screen);
/* Line settings are as before the start (canonical, echo). */
bool screen_cooked(const struct screen *screen);
/* Bytes that came since the start or screen_reset_bytes; the raw bytes themselves. */
size_t screen_bytes(const struct screen *screen);
const char *screen_raw(const struct screen *screen, size_t *count);
void screen_reset_bytes(struct screen *screen);
/* Milliseconds from the last screen_send to the first byte that came after it; -1 none yet. */
double screen_answer_ms(const struct screen *screen);

#endif
