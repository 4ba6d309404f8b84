/* One process has one terminal; curses keeps its state outside this struct anyway. */
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/text.h"
#include "base/when.h"
#include "ui/term/decode.h"
#include "ui/term/term.h"
#include "ui/term/term_internal.h"

#define REPORT_WAIT_MS 1000 /* the ambiguous-width answer; nothing waits for it */
#define MOUSE_ON       "\033[?1000h\033[?1006h"
#define MOUSE_OFF      "\033[?1006l\033[?1000l"
#define PASTE_ON       "\033[?2004h"
#define PASTE_OFF      "\033[?2004l"

struct term {
    SCREEN *screen;
    struct decoder *decoder;
    struct canvas now, shown; /* being drawn; what the terminal shows */
    bool shown_valid;
    cchar_t *row;             /* one row for curses */
    int notes;                /* descriptor of signals and wakes */
    enum term_ascii ascii;
    bool wide_ambiguous;
    bool can_mouse, mouse, has_title, colours_started;
    bool gone;                /* the terminal: read error, end of file, SIGTERM, SIGHUP */
    bool resized, woken;
    int hidden;               /* curs_set state: 1 visible */
    const struct theme *theme;
    attr_t look[STYLE_COUNT];
    short pair[STYLE_COUNT];
    char title[256];
    struct input ahead;
    bool has_ahead;
};

/* --- writing apart from curses --- */

static void say(const char *bytes) {
    size_t count = strlen(bytes), at = 0;
    while (at < count) {
        ssize_t done = write(STDOUT_FILENO, bytes + at, count - at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the terminal is gone; reading will tell */
        at += (size_t)done;
    }
}

static void arm_restore(const struct term *term) {
    char bytes[512];
    snprintf(bytes, sizeof bytes, "%s%s%s%s%s%s%s", term->can_mouse ? MOUSE_OFF : "", PASTE_OFF, capability("sgr0"),
             term->colours_started ? capability("op") : "", capability("rmkx"), capability("cnorm"), capability("rmcup"));
    restore_arm(bytes, strlen(bytes));
}

/* --- looks --- */

static attr_t attributes(unsigned char look) {
    return (look & LOOK_BOLD ? A_BOLD : 0) | (look & LOOK_DIM ? A_DIM : 0) | (look & LOOK_UNDERLINE ? A_UNDERLINE : 0) |
           (look & LOOK_REVERSE ? A_REVERSE : 0);
}

static void use_theme(struct term *term, const struct theme *theme) {
    if (theme->colours > 0 && !term->colours_started && has_colors()) {
        start_color();
        use_default_colors();
        term->colours_started = true;
    }
    if (theme->colours > 0 && (!term->colours_started || COLORS < 8))
        theme = theme_named("mono");
    else if (theme->colours > COLORS)
        theme = theme_named("eight");
    term->theme = theme;
    for (size_t i = 0; i < STYLE_COUNT; i++) {
        const struct look *look = &theme->look[i];
        term->look[i] = attributes(look->attr);
        term->pair[i] = 0;
        if (theme->colours > 0 && (look->fg >= 0 || look->bg >= 0)) {
            term->pair[i] = (short)(i + 1);
            init_pair(term->pair[i], look->fg, look->bg);
        }
    }
    term_redraw(term);
}

enum fd_code term_theme(struct term *term, const char *name, struct fd_error *err) {
    const struct theme *theme = theme_named(name);
    if (!theme)
        return fd_fail(err, FD_USAGE, _("There is no theme “%s”."), name);
    use_theme(term, theme);
    arm_restore(term);
    return FD_OK;
}

/* --- start and end --- */

static void define_keys(struct decoder *decoder) {
    static const struct {
        const char *name;
        uint32_t key;
    } keys[] = {{"kcuu1", K_UP},   {"kcud1", K_DOWN}, {"kcub1", K_LEFT}, {"kcuf1", K_RIGHT}, {"khome", K_HOME},
                {"kend", K_END},   {"kpp", K_PGUP},   {"knp", K_PGDN},   {"kdch1", K_DELETE}, {"kich1", K_INSERT},
                {"kcbt", K_BACKTAB}, {"kbs", K_BACKSPACE}, {"kent", K_ENTER}};
    char name[16];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        decoder_define(decoder, capability(keys[i].name), keys[i].key);
    for (int n = 1; n <= 12; n++) {
        snprintf(name, sizeof name, "kf%d", n);
        decoder_define(decoder, capability(name), K_F(n));
    }
}

/* Nothing is written before all of this has passed. */
static enum fd_code check_terminal(const struct term_config *config, const struct theme **theme, struct fd_error *err) {
    const char *name = config->theme && *config->theme ? config->theme : "dark", *no_color = getenv("NO_COLOR");
    *theme = theme_named(name);
    if (!*theme)
        return fd_fail(err, FD_USAGE, _("There is no theme “%s”."), name);
    if (no_color && *no_color)
        *theme = theme_named("mono");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return fd_fail(err, FD_NO_TERMINAL, NULL);
    name = getenv("TERM");
    if (!capability_load())
        return fd_fail(err, FD_NO_TERMINAL, _("The terminal type “%s” is not known here."), name ? name : "");
    if (!*capability("cup"))
        return fd_fail(err, FD_NO_TERMINAL, _("A terminal of type “%s” cannot show the console."), name ? name : "");
    return FD_OK;
}

/* Asks where the cursor is after one ambiguous character. Nobody waits for the answer: the first
 * picture is drawn over it, and drawn anew in ASCII where the answer says two cells. */
static void probe_width(struct term *term) {
    if (strcmp(capability("u7"), "\033[6n") != 0)
        return;
    decoder_expect_report(term->decoder, mono_ms() + REPORT_WAIT_MS);
    say("\r\xe2\x80\xa6\033[6n\r");
}

static void read_size(struct term *term) {
    struct winsize size;
    int rows = LINES, columns = COLS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        rows = size.ws_row;
        columns = size.ws_col;
    }
    if (rows != LINES || columns != COLS)
        resize_term(rows, columns);
    canvas_resize(&term->now, LINES, COLS);
    canvas_resize(&term->shown, LINES, COLS);
    term->row = xrealloc(term->row, (size_t)term->now.columns, sizeof *term->row);
    term_redraw(term);
}

static void take_screen(struct term *term) {
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    idlok(stdscr, TRUE);
    typeahead(-1); /* we drain the keys before drawing; curses need not ask */
    term->hidden = -1;
}

static void say_modes(const struct term *term) {
    say(PASTE_ON);
    if (term->mouse)
        say(MOUSE_ON);
}

enum fd_code term_start(const struct term_config *config, struct term **result, struct fd_error *err) {
    const struct theme *theme;
    enum fd_code code = check_terminal(config, &theme, err);
    if (code != FD_OK)
        return code;
    unsetenv("LINES");
    unsetenv("COLUMNS");
    struct term *term = xcalloc(1, sizeof *term);
    term->ascii = config->ascii;
    term->can_mouse = *capability("kmous") != '\0';
    term->mouse = config->mouse && term->can_mouse;
    term->has_title = capability_flag("XT") || strncmp(capability("tsl"), "\033]", 2) == 0;
    term->notes = signals_start();
    arm_restore(term);
    capability_unload();
    term->screen = newterm(NULL, stdout, stdin);
    if (!term->screen) {
        restore_disarm();
        signals_stop();
        free(term);
        return fd_fail(err, FD_NO_TERMINAL, NULL);
    }
    fd_on_death(restore_now);
    term->decoder = decoder_new(config->escape_delay_ms);
    define_keys(term->decoder);
    take_screen(term);
    canvas_init(&term->now, 1, 1);
    canvas_init(&term->shown, 1, 1);
    use_theme(term, theme);
    arm_restore(term);
    read_size(term);
    refresh(); /* enters the alternate screen before the probe writes on it */
    say_modes(term);
    if (term->ascii == TERM_ASCII_AUTO)
        probe_width(term);
    *result = term;
    return FD_OK;
}

static void leave_screen(struct term *term) {
    if (term->can_mouse)
        say(MOUSE_OFF);
    say(PASTE_OFF);
    endwin();
}

void term_stop(struct term **holder) {
    struct term *term = *holder;
    if (!term)
        return;
    *holder = NULL;
    leave_screen(term);
    restore_disarm();
    signals_stop();
    delscreen(term->screen);
    decoder_free(term->decoder);
    canvas_release(&term->now);
    canvas_release(&term->shown);
    free(term->row);
    free(term);
}

void term_suspend(struct term *term) {
    leave_screen(term);
    restore_disarm();
    signals_stop_self();
    arm_restore(term);
    reset_prog_mode();
    refresh();
    say_modes(term);
    term->resized = true; /* the size may be another one now; draws everything in any case */
}

/* --- drawing --- */

struct canvas *term_begin(struct term *term) {
    canvas_clear(&term->now);
    term->now.ascii = term->ascii == TERM_ASCII_YES;
    term->now.wide_ambiguous = term->ascii == TERM_ASCII_AUTO && term->wide_ambiguous;
    return &term->now;
}

struct canvas *term_continue(struct term *term) {
    return &term->now;
}

void term_size(const struct term *term, int *rows, int *columns) {
    *rows = term->now.rows;
    *columns = term->now.columns;
}

static void fill_cchar(const struct term *term, const struct cell *cell, cchar_t *out) {
    size_t id = cell->style & STYLE_ID;
    wchar_t chars[5];
    uint32_t parts[4];
    int count = cell_chars(cell, parts);
    for (int i = 0; i < count; i++)
        chars[i] = (wchar_t)parts[i];
    chars[count] = L'\0';
    if (id >= STYLE_COUNT)
        id = STYLE_TEXT;
    attr_t attr = term->look[id];
    attr ^= cell->style & STYLE_REVERSE ? A_REVERSE : 0;
    attr |= (cell->style & STYLE_BOLD ? A_BOLD : 0) | (cell->style & STYLE_UNDERLINE ? A_UNDERLINE : 0);
    setcchar(out, chars, attr, term->pair[id], NULL);
}

/* The changed part of a row, from its first to its last changed character. */
static void flush_row(struct term *term, int row) {
    int columns = term->now.columns, from = 0, to = columns, count = 0;
    size_t row_bytes = (size_t)columns * sizeof(struct cell);
    const struct cell *now = term->now.cell + (size_t)row * (size_t)columns;
    struct cell *shown = term->shown.cell + (size_t)row * (size_t)columns;
    if (term->shown_valid) {
        if (memcmp(now, shown, row_bytes) == 0)
            return;
        while (memcmp(&now[from], &shown[from], sizeof *now) == 0)
            from++;
        while (memcmp(&now[to - 1], &shown[to - 1], sizeof *now) == 0)
            to--;
        while (from > 0 && now[from].width == 0)
            from--;
    }
    for (int i = from; i < to; i++)
        if (now[i].width > 0)
            fill_cchar(term, &now[i], &term->row[count++]);
    mvadd_wchnstr(row, from, term->row, count);
    memcpy(shown, now, row_bytes);
}

static void flush_cursor(struct term *term) {
    int visible = term->now.cursor_row >= 0;
    if (visible)
        move(term->now.cursor_row, term->now.cursor_column);
    if (visible != term->hidden)
        curs_set(visible);
    term->hidden = visible;
}

void term_flush(struct term *term) {
    if (term->gone)
        return;
    if (!term->shown_valid) {
        erase();
        clearok(curscr, TRUE);
        term->now.touched_from = 0;
        term->now.touched_to = term->now.rows - 1;
    }
    for (int row = term->now.touched_from; row <= term->now.touched_to; row++)
        flush_row(term, row);
    term->now.touched_from = term->now.rows;
    term->now.touched_to = -1;
    flush_cursor(term);
    wnoutrefresh(stdscr);
    doupdate();
    term->shown_valid = true;
}

void term_redraw(struct term *term) {
    term->shown_valid = false;
}

/* --- input --- */

static void note_report(struct term *term) {
    int row, column;
    if (!decoder_report(term->decoder, &row, &column) || column < 3 || term->ascii != TERM_ASCII_AUTO)
        return;
    term->wide_ambiguous = true;
    term_redraw(term);
    term->woken = true; /* makes the application draw */
}

static bool take_pending(struct term *term, struct input *input) {
    if (decoder_next(term->decoder, mono_ms(), input))
        return true;
    note_report(term);
    if (term->gone) {
        *input = (struct input){.kind = INPUT_EXIT};
        return true;
    }
    if (term->resized) {
        term->resized = false;
        read_size(term);
        *input = (struct input){.kind = INPUT_RESIZE, .row = term->now.rows, .column = term->now.columns};
        return true;
    }
    if (term->woken) {
        term->woken = false;
        *input = (struct input){.kind = INPUT_WAKE};
        return true;
    }
    return false;
}

static void read_terminal(struct term *term) {
    char bytes[4096];
    ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count > 0)
        decoder_feed(term->decoder, bytes, (size_t)count, mono_ms());
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        term->gone = true;
    explicit_bzero(bytes, count > 0 ? (size_t)count : 0);
}

static void read_notes(struct term *term) {
    bool leave = false, stop = false, resumed = false;
    signals_take(&term->woken, &term->resized, &leave, &stop, &resumed);
    term->gone |= leave;
    if (stop && !leave) {
        term_suspend(term);
    } else if (resumed && !leave) { /* stopped from outside by SIGSTOP: someone else had the terminal */
        reset_prog_mode();
        refresh();
        say_modes(term);
        term->resized = true;
    }
}

/* Waits for the terminal, a note or the time. False: nothing in timeout_ms. */
static bool wait_bytes(struct term *term, int timeout_ms) {
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = term->notes, .events = POLLIN}};
    int ready = poll(fds, 2, timeout_ms);
    if (ready <= 0)
        return ready < 0;
    if (fds[1].revents)
        read_notes(term);
    if (fds[0].revents & POLLIN)
        read_terminal(term);
    else if (fds[0].revents)
        term->gone = true;
    return true;
}

void term_next(struct term *term, int timeout_ms, struct input *input) {
    int64_t until = timeout_ms < 0 ? INT64_MAX : mono_ms() + timeout_ms;
    if (term->has_ahead) {
        *input = term->ahead;
        term->has_ahead = false;
        return;
    }
    while (!take_pending(term, input)) {
        int64_t now = mono_ms(), left = until - now;
        int wait = decoder_wait_ms(term->decoder, now);
        if (left <= 0) {
            *input = (struct input){.kind = INPUT_TICK};
            /* the keys come first also where the time is up */
            if (!wait_bytes(term, 0) || !take_pending(term, input))
                return;
            return;
        }
        if (wait < 0 || wait > left)
            wait = left > 3600000 ? 3600000 : (int)left;
        wait_bytes(term, wait);
    }
}

bool term_pending(struct term *term) {
    if (!term->has_ahead) {
        wait_bytes(term, 0);
        term->has_ahead = take_pending(term, &term->ahead);
    }
    return term->has_ahead;
}

void term_wake(struct term *term) {
    (void)term;
    signals_note(NOTE_WAKE);
}

/* --- small things --- */

void term_beep(struct term *term) {
    (void)term;
    say("\a");
}

void term_title(struct term *term, const char *title) {
    char clean[192], bytes[256];
    if (!term->has_title)
        return;
    text_clean(clean, sizeof clean, title);
    snprintf(bytes, sizeof bytes, "\033]0;%s\a", clean);
    if (strcmp(bytes, term->title) == 0)
        return;
    cut_copy(term->title, sizeof term->title, bytes);
    say(bytes);
}

void term_mouse(struct term *term, bool on) {
    if (!term->can_mouse || on == term->mouse)
        return;
    term->mouse = on;
    say(on ? MOUSE_ON : MOUSE_OFF);
}

bool term_mouse_is_on(const struct term *term) {
    return term->mouse;
}

void term_ascii(struct term *term, enum term_ascii ascii) {
    term->ascii = ascii;
    term_redraw(term);
}
