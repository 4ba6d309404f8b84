#include "ui/widget/help.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

#define KEYS_AT    3
#define KEYS_CELLS 18
#define WHAT_AT    (KEYS_AT + KEYS_CELLS + 1)
#define HEADING    "\001" /* no key is called so */

void help_init(struct help *help) {
    memset(help, 0, sizeof *help);
    help->hit = -1;
}

void help_release(struct help *help) {
    buf_release(&help->text);
    buf_release(&help->laid);
}

/* Headings begin with HEADING, keys and what they do are parted by a tab. */
static void add_map(struct help *help, const struct keymap *map, const struct keymap *over) {
    char keys[96];
    if (!map)
        return;
    buf_printf(&help->text, HEADING "%s\n", _(map->title));
    for (size_t i = 0; i < map->count; i++) {
        const struct keybind *bind = &map->binds[i];
        const struct keybind *hidden = over ? keymap_find(over, bind->keys[0]) : NULL;
        const char *what = bind->help ? bind->help : request_help(bind->request);
        if (bind->request == REQ_NONE || hidden)
            continue; /* the screen's own meaning is told above */
        buf_printf(&help->text, "%s\t%s\n", keybind_keys(bind, keys, sizeof keys), _(what));
    }
    buf_add(&help->text, "\n");
}

/* Bytes of the beginning of `text` that fit `cells`: broken at a blank where there is one. */
static size_t line_bytes(const char *text, size_t bytes, int cells) {
    const char *at = text, *blank = NULL, *last = text;
    int used = 0;
    while (at < text + bytes) {
        const char *here = at;
        used += text_char_width(text_next(&at));
        if (used > cells && last > text)
            return blank ? (size_t)(blank - text) : (size_t)(last - text);
        if (*here == ' ')
            blank = here;
        last = at;
    }
    return bytes;
}

/* Adds the text in lines of at most `cells`, each behind `lead`. */
static void add_lines(struct buf *out, const char *lead, const char *text, size_t bytes, int cells) {
    do {
        size_t count = line_bytes(text, bytes, cells);
        buf_add(out, lead);
        buf_add_bytes(out, text, count);
        buf_add(out, "\n");
        while (count < bytes && text[count] == ' ')
            count++;
        text += count;
        bytes -= count;
        lead = *lead ? "\t" : "";
    } while (bytes > 0);
}

static void lay_line(struct buf *out, const char *line, size_t bytes, int columns) {
    const char *tab = memchr(line, '\t', bytes);
    int room = columns - WHAT_AT, plain = columns - KEYS_AT;
    char keys[160];
    if (*line == HEADING[0] || bytes == 0) {
        buf_add_bytes(out, line, bytes);
        buf_add(out, "\n");
        return;
    }
    if (!tab) {
        add_lines(out, "", line, bytes, plain > 10 ? plain : 10);
        return;
    }
    size_t key_bytes = (size_t)(tab - line);
    snprintf(keys, sizeof keys, "%.*s", (int)(key_bytes < sizeof keys - 2 ? key_bytes : sizeof keys - 2), line);
    if (text_width(keys) > KEYS_CELLS) {
        /* Too long to stand beside what it does. */
        add_lines(out, "", line, key_bytes, plain > 10 ? plain : 10);
        keys[0] = '\0';
    }
    strcat(keys, "\t");
    add_lines(out, keys, tab + 1, bytes - key_bytes - 1, room > 10 ? room : 10);
}

static void lay_out(struct help *help, int columns) {
    buf_clear(&help->laid);
    help->columns = columns;
    for (const char *at = buf_text(&help->text); *at;) {
        size_t bytes = strcspn(at, "\n");
        lay_line(&help->laid, at, bytes, columns);
        at += bytes + (at[bytes] == '\n');
    }
    help->rows = 0;
    for (const char *at = buf_text(&help->laid); *at; at++)
        help->rows += *at == '\n';
}

void help_fill(struct help *help, const struct keymap *view, const struct keymap *global, const char *extra) {
    buf_clear(&help->text);
    add_map(help, view, NULL);
    add_map(help, global, view);
    if (extra && *extra)
        buf_printf(&help->text, HEADING "%s\n%s", _("Command line"), extra);
    lay_out(help, help->columns > 0 ? help->columns : 80);
    help->top = 0;
    help->hit = -1;
}

static void clamp(struct help *help) {
    int last = help->rows - (help->shown > 0 ? help->shown : 1);
    if (help->top > last)
        help->top = last;
    if (help->top < 0)
        help->top = 0;
}

bool help_request(struct help *help, enum request request) {
    int page = help->shown > 1 ? help->shown - 1 : 1;
    switch ((int)request) {
    case REQ_UP:
        help->top--;
        break;
    case REQ_DOWN:
        help->top++;
        break;
    case REQ_PAGE_UP:
        help->top -= page;
        break;
    case REQ_PAGE_DOWN:
    case REQ_MARK:
        help->top += page;
        break;
    case REQ_HOME:
        help->top = 0;
        break;
    case REQ_END:
        help->top = help->rows;
        break;
    case REQ_SEARCH_NEXT:
        return help_search(help, NULL, 1, false);
    case REQ_SEARCH_PREV:
        return help_search(help, NULL, -1, false);
    default:
        return false;
    }
    clamp(help);
    return true;
}

/* Copies row `index` without its newline. */
static void row_text(const struct help *help, int index, char *out, size_t bytes) {
    const char *at = buf_text(&help->laid);
    while (index-- > 0 && *at)
        at = strchrnul(at, '\n') + (*strchrnul(at, '\n') != '\0');
    size_t count = (size_t)(strchrnul(at, '\n') - at);
    count = count < bytes ? count : bytes - 1;
    memcpy(out, at, count);
    out[count] = '\0';
}

bool help_search(struct help *help, const char *text, int direction, bool fresh) {
    char row[512], wanted[sizeof help->search];
    cut_copy(wanted, sizeof wanted, text ? text : help->search);
    memcpy(help->search, wanted, sizeof wanted);
    if (!*wanted)
        return false;
    int from = fresh ? help->top - 1 : help->hit >= 0 ? help->hit : help->top;
    for (int i = 1; i <= help->rows; i++) {
        int at = ((from + direction * i) % help->rows + help->rows) % help->rows;
        row_text(help, at, row, sizeof row);
        if (!strcasestr(row, wanted))
            continue;
        help->hit = at;
        if (at < help->top || at >= help->top + help->shown)
            help->top = at;
        clamp(help);
        return true;
    }
    return false;
}

static void draw_row(struct cells *cells, int line, char *row, bool hit) {
    char *tab = strchr(row, '\t');
    if (*row == HEADING[0]) {
        cells_text(cells, line, 1, STYLE_HEADER, row + 1);
    } else if (tab) {
        *tab = '\0';
        cells_put(cells, line, KEYS_AT, KEYS_CELLS, -1, STYLE_STRONG, row);
        cells_text(cells, line, WHAT_AT, STYLE_TEXT, tab + 1);
    } else {
        cells_text(cells, line, KEYS_AT, STYLE_TEXT, row);
    }
    if (hit)
        cells_restyle(cells, line, 0, 1, cells->columns, STYLE_MATCH);
}

void help_draw(struct help *help, struct cells *cells) {
    char row[512];
    int cursor = 0;
    help->shown = cells->rows;
    if (cells->columns != help->columns) {
        lay_out(help, cells->columns);
        help->hit = -1;
    }
    clamp(help);
    for (int i = 0; i < cells->rows && help->top + i < help->rows; i++) {
        row_text(help, help->top + i, row, sizeof row);
        bool hit = help->top + i == help->hit;
        draw_row(cells, i, row, hit);
        cursor = hit ? i : cursor;
    }
    cells_cursor(cells, cursor, 1);
}
