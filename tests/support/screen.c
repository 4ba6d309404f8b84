#include "support/screen.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>
#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/when.h"

struct screen {
    pid_t pid;
    int master; /* -1 after screen_hang_up */
    VTerm *vterm;
    VTermScreen *cells;
    int rows, columns;
    bool no_answers, wide_ambiguous;
    bool alternate, cursor_visible, mouse, paste_mode;
    char title[256];
    struct buf raw, text;
    bool ended;
    int status;
    int64_t sent_us, answered_us; /* 0 none */
};

/* --- what the emulator tells --- */

static int on_property(VTermProp property, VTermValue *value, void *user) {
    struct screen *screen = user;
    switch ((int)property) {
    case VTERM_PROP_ALTSCREEN:
        screen->alternate = value->boolean;
        break;
    case VTERM_PROP_CURSORVISIBLE:
        screen->cursor_visible = value->boolean;
        break;
    case VTERM_PROP_MOUSE:
        screen->mouse = value->number != VTERM_PROP_MOUSE_NONE;
        break;
    case VTERM_PROP_TITLE:
        snprintf(screen->title, sizeof screen->title, "%s", value->string);
        break;
    default:
        break;
    }
    return 1;
}

static void write_all(int fd, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

/* Answers to the program, such as the cursor's position. */
static void on_answer(const char *bytes, size_t count, void *user) {
    struct screen *screen = user;
    if (screen->no_answers || screen->master < 0)
        return;
    if (screen->wide_ambiguous && count > 2 && bytes[count - 1] == 'R')
        write_all(screen->master, "\033[1;3R", 6);
    else
        write_all(screen->master, bytes, count);
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

/* --- start --- */

static void set_environment(const struct screen_options *options) {
    setenv("TERM", options->term ? options->term : "xterm-256color", 1);
    for (const char *const *entry = options->env; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (!equals) {
            unsetenv(*entry);
            continue;
        }
        char *name = strndup(*entry, (size_t)(equals - *entry));
        if (name)
            setenv(name, equals + 1, 1);
        free(name);
    }
}

static void run_child(const struct screen_options *options) {
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    set_environment(options);
    execv(options->argv[0], (char *const *)options->argv);
    fprintf(stderr, "cannot run %s: %s\n", options->argv[0], strerror(errno));
    _exit(127);
}

struct screen *screen_open(const struct screen_options *options) {
    struct screen *screen = xcalloc(1, sizeof *screen);
    screen->rows = options->rows ? options->rows : 24;
    screen->columns = options->columns ? options->columns : 80;
    screen->no_answers = options->no_answers;
    screen->wide_ambiguous = options->wide_ambiguous;
    screen->cursor_visible = true;
    screen->vterm = vterm_new(screen->rows, screen->columns);
    vterm_set_utf8(screen->vterm, 1);
    vterm_output_set_callback(screen->vterm, on_answer, screen);
    screen->cells = vterm_obtain_screen(screen->vterm);
    vterm_screen_set_callbacks(screen->cells, &callbacks, screen);
    vterm_screen_enable_altscreen(screen->cells, 1);
    if (options->light) {
        VTermColor black, white;
        vterm_color_rgb(&black, 0, 0, 0);
        vterm_color_rgb(&white, 255, 255, 255);
        vterm_state_set_default_colors(vterm_obtain_state(screen->vterm), &black, &white);
    }
    vterm_screen_reset(screen->cells, 1);
    struct winsize size = {.ws_row = (unsigned short)screen->rows, .ws_col = (unsigned short)screen->columns};
    screen->pid = forkpty(&screen->master, NULL, NULL, &size);
    if (screen->pid < 0)
        FD_BUG("no pseudo-terminal: %s", strerror(errno));
    if (screen->pid == 0)
        run_child(options);
    fcntl(screen->master, F_SETFD, FD_CLOEXEC);
    return screen;
}

pid_t screen_pid(const struct screen *screen) {
    return screen->pid;
}

static bool check_ended(struct screen *screen) {
    if (!screen->ended && waitpid(screen->pid, &screen->status, WNOHANG) == screen->pid)
        screen->ended = true;
    return screen->ended;
}

void screen_close(struct screen **holder) {
    struct screen *screen = *holder;
    if (!screen)
        return;
    *holder = NULL;
    if (!check_ended(screen)) {
        kill(screen->pid, SIGKILL);
        waitpid(screen->pid, &screen->status, 0);
    }
    if (screen->master >= 0)
        close(screen->master);
    vterm_free(screen->vterm);
    buf_release(&screen->raw);
    buf_release(&screen->text);
    free(screen);
}

/* --- reading --- */

/* The one mode that the emulator does not keep. */
static void note_paste_mode(struct screen *screen, size_t from) {
    static const char on[] = "\033[?2004h", off[] = "\033[?2004l";
    const char *text = buf_text(&screen->raw), *last_on = NULL, *last_off = NULL;
    size_t start = from > sizeof on ? from - sizeof on : 0, count = screen->raw.bytes - start;
    for (const char *at = text + start; (at = memmem(at, count - (size_t)(at - text - start), on, sizeof on - 1)); at++)
        last_on = at;
    for (const char *at = text + start; (at = memmem(at, count - (size_t)(at - text - start), off, sizeof off - 1)); at++)
        last_off = at;
    if (last_on || last_off)
        screen->paste_mode = last_on > last_off;
}

/* Reads what is there within wait_ms; false where nothing came. */
static bool take_bytes(struct screen *screen, int wait_ms) {
    struct pollfd fd = {.fd = screen->master, .events = POLLIN};
    char bytes[16384];
    if (screen->master < 0 || poll(&fd, 1, wait_ms) <= 0)
        return false;
    ssize_t count = read(screen->master, bytes, sizeof bytes);
    if (count <= 0) {
        sleep_ms(wait_ms < 2 ? 0 : 2); /* the other side is closed: nothing more will come */
        return false;
    }
    if (screen->answered_us == 0)
        screen->answered_us = mono_us();
    size_t before = screen->raw.bytes;
    buf_add_bytes(&screen->raw, bytes, (size_t)count);
    note_paste_mode(screen, before);
    vterm_input_write(screen->vterm, bytes, (size_t)count);
    return true;
}

void screen_settle(struct screen *screen, int quiet_ms, int limit_ms) {
    int64_t until = mono_ms() + limit_ms;
    while (mono_ms() < until && take_bytes(screen, quiet_ms))
        ;
}

static bool wait_for(struct screen *screen, const char *text, bool wanted, int limit_ms) {
    int64_t until = mono_ms() + limit_ms;
    while ((screen_find(screen, text, NULL) >= 0) != wanted) {
        if (mono_ms() >= until)
            return false;
        take_bytes(screen, 20);
        check_ended(screen);
    }
    return true;
}

bool screen_wait(struct screen *screen, const char *text, int limit_ms) {
    return wait_for(screen, text, true, limit_ms);
}

bool screen_wait_gone(struct screen *screen, const char *text, int limit_ms) {
    return wait_for(screen, text, false, limit_ms);
}

bool screen_wait_exit(struct screen *screen, int *status, int limit_ms) {
    int64_t until = mono_ms() + limit_ms;
    while (!check_ended(screen)) {
        if (mono_ms() >= until)
            return false;
        if (!take_bytes(screen, 5))
            sleep_ms(1);
    }
    while (take_bytes(screen, 0)) /* what it said last */
        ;
    if (status)
        *status = screen->status;
    return true;
}

/* --- sending --- */

void screen_send_bytes(struct screen *screen, const char *bytes, size_t count) {
    screen->answered_us = 0;
    screen->sent_us = mono_us();
    write_all(screen->master, bytes, count);
}

void screen_send(struct screen *screen, const char *bytes) {
    screen_send_bytes(screen, bytes, strlen(bytes));
}

/* Bytes of named keys as xterm sends them after smkx. */
static const struct {
    const char *name, *bytes;
} keys[] = {{"Enter", "\r"},     {"Tab", "\t"},       {"S-Tab", "\033[Z"},  {"Esc", "\033"},     {"BkSp", "\177"},
            {"Del", "\033[3~"},  {"Ins", "\033[2~"},  {"Up", "\033OA"},     {"Down", "\033OB"},  {"Right", "\033OC"},
            {"Left", "\033OD"},  {"Home", "\033OH"},  {"End", "\033OF"},    {"PgUp", "\033[5~"}, {"PgDn", "\033[6~"},
            {"F1", "\033OP"},    {"F2", "\033OQ"},    {"F3", "\033OR"},     {"F4", "\033OS"},    {"F5", "\033[15~"},
            {"F6", "\033[17~"},  {"F7", "\033[18~"},  {"F8", "\033[19~"},   {"F9", "\033[20~"},  {"F10", "\033[21~"},
            {"F11", "\033[23~"}, {"F12", "\033[24~"}, {"Space", " "}};

static void add_key(struct buf *bytes, const char *name) {
    char control[2] = "";
    if (name[0] == 'C' && name[1] == '-' && name[2]) {
        control[0] = (char)(name[2] & 0x1f);
        buf_add_bytes(bytes, control, 1);
        return;
    }
    if (name[0] == 'M' && name[1] == '-' && name[2]) {
        buf_printf(bytes, "\033%s", name + 2);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, name) == 0) {
            buf_add(bytes, keys[i].bytes);
            return;
        }
    buf_add(bytes, name);
}

void screen_keys(struct screen *screen, const char *names) {
    struct buf bytes = {0};
    char name[64];
    while (*names) {
        size_t count = strcspn(names, " ");
        const char *end = names[0] == '\'' ? strchr(names + 1, '\'') : NULL;
        if (end) {
            buf_add_bytes(&bytes, names + 1, (size_t)(end - names - 1));
            names = end + 1;
        } else if (count > 0) {
            snprintf(name, sizeof name, "%.*s", (int)count, names);
            add_key(&bytes, name);
            names += count;
        }
        while (*names == ' ')
            names++;
    }
    screen_send_bytes(screen, buf_text(&bytes), bytes.bytes);
    buf_release(&bytes);
}

void screen_paste(struct screen *screen, const char *text) {
    char *bytes = screen->paste_mode ? xprintf("\033[200~%s\033[201~", text) : xstrdup(text);
    screen_send(screen, bytes);
    free(bytes);
}

void screen_resize(struct screen *screen, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    screen->rows = rows;
    screen->columns = columns;
    vterm_set_size(screen->vterm, rows, columns);
    ioctl(screen->master, TIOCSWINSZ, &size);
}

void screen_hang_up(struct screen *screen) {
    if (screen->master >= 0)
        close(screen->master);
    screen->master = -1;
}

/* --- looking --- */

static void add_row(struct screen *screen, int row, struct buf *out) {
    struct buf line = {0};
    for (int column = 0; column < screen->columns;) {
        VTermScreenCell cell;
        char text[8];
        VTermPos at = {row, column};
        if (!vterm_screen_get_cell(screen->cells, at, &cell))
            break;
        if (cell.chars[0] == 0)
            buf_add(&line, " ");
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++)
            buf_add_bytes(&line, text, (size_t)text_encode(cell.chars[i], text));
        column += cell.width > 0 ? cell.width : 1;
    }
    while (line.bytes > 0 && line.text[line.bytes - 1] == ' ')
        line.text[--line.bytes] = '\0';
    buf_add(out, buf_text(&line));
    buf_release(&line);
}

const char *screen_row(struct screen *screen, int row) {
    buf_clear(&screen->text);
    add_row(screen, row, &screen->text);
    return buf_text(&screen->text);
}

const char *screen_text(struct screen *screen) {
    buf_clear(&screen->text);
    for (int row = 0; row < screen->rows; row++) {
        add_row(screen, row, &screen->text);
        buf_add(&screen->text, "\n");
    }
    return buf_text(&screen->text);
}

int screen_find(struct screen *screen, const char *text, int *column) {
    for (int row = 0; row < screen->rows; row++) {
        const char *line = screen_row(screen, row), *found = strstr(line, text);
        if (!found)
            continue;
        if (column) {
            char *before = strndup(line, (size_t)(found - line));
            *column = text_width(before ? before : "");
            free(before);
        }
        return row;
    }
    return -1;
}

void screen_size(const struct screen *screen, int *rows, int *columns) {
    *rows = screen->rows;
    *columns = screen->columns;
}

static void take_rgb(struct screen *screen, VTermColor colour, unsigned char rgb[3]) {
    vterm_state_convert_color_to_rgb(vterm_obtain_state(screen->vterm), &colour);
    rgb[0] = colour.rgb.red;
    rgb[1] = colour.rgb.green;
    rgb[2] = colour.rgb.blue;
}

void screen_colour(struct screen *screen, int row, int column, bool lower, unsigned char rgb[3]) {
    VTermScreenCell cell;
    VTermPos at = {row, column};
    rgb[0] = rgb[1] = rgb[2] = 0;
    if (!vterm_screen_get_cell(screen->cells, at, &cell))
        return;
    bool ink = cell.chars[0] == 0x2588 || cell.chars[0] == (lower ? 0x2584 : 0x2580);
    take_rgb(screen, ink != (cell.attrs.reverse != 0) ? cell.fg : cell.bg, rgb);
}

void screen_cursor(struct screen *screen, int *row, int *column) {
    VTermPos at;
    vterm_state_get_cursorpos(vterm_obtain_state(screen->vterm), &at);
    *row = at.row;
    *column = at.col;
}

bool screen_alternate(const struct screen *screen) {
    return screen->alternate;
}

bool screen_mouse(const struct screen *screen) {
    return screen->mouse;
}

bool screen_paste_mode(const struct screen *screen) {
    return screen->paste_mode;
}

bool screen_cursor_visible(const struct screen *screen) {
    return screen->cursor_visible;
}

const char *screen_title(const struct screen *screen) {
    return screen->title;
}

bool screen_cooked(const struct screen *screen) {
    struct termios settings;
    if (tcgetattr(screen->master, &settings) != 0)
        return false;
    return (settings.c_lflag & ICANON) && (settings.c_lflag & ECHO) && (settings.c_iflag & ICRNL);
}

size_t screen_bytes(const struct screen *screen) {
    return screen->raw.bytes;
}

const char *screen_raw(const struct screen *screen, size_t *count) {
    *count = screen->raw.bytes;
    return buf_text(&screen->raw);
}

void screen_reset_bytes(struct screen *screen) {
    buf_clear(&screen->raw);
}

double screen_answer_ms(const struct screen *screen) {
    return screen->sent_us && screen->answered_us ? (double)(screen->answered_us - screen->sent_us) / 1000.0 : -1;
}
