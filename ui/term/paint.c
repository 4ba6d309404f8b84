/* Painters. Every one ends in place(), which keeps wide characters whole. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "ui/term/ambiguous.h"
#include "ui/term/canvas_internal.h"

static const char *const symbols[SYMBOL_COUNT][2] = {
    [SYMBOL_POINTER] = {"▸", ">"}, [SYMBOL_ELLIPSIS] = {"…", "~"}, [SYMBOL_DOT] = {"·", "."},
    [SYMBOL_PREV] = {"‹", "<"},    [SYMBOL_NEXT] = {"›", ">"},     [SYMBOL_MARK] = {"•", "*"},
    [SYMBOL_MINUS] = {"−", "-"},   [SYMBOL_DASH] = {"–", "-"},     [SYMBOL_TIMES] = {"×", "x"},
    [SYMBOL_UP] = {"▴", "^"},      [SYMBOL_DOWN] = {"▾", "v"},     [SYMBOL_RIGHT] = {"→", ">"},
    [SYMBOL_FULL] = {"█", "#"},    [SYMBOL_LIGHT] = {"░", "-"},
};

bool cells_ascii(const struct cells *cells) {
    return cells->canvas->ascii || cells->canvas->wide_ambiguous;
}

const char *cells_symbol(const struct cells *cells, enum symbol symbol) {
    return symbols[symbol][cells_ascii(cells)];
}

/* What must not reach a terminal whatever its source: libc calls these zero cells wide and they
 * would hang on the character before. */
static bool is_hostile(uint32_t ch) {
    return ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || ch == 0xad || ch == 0x61c || (ch >= 0x200b && ch <= 0x200f) ||
           (ch >= 0x2028 && ch <= 0x202e) || (ch >= 0x2060 && ch <= 0x206f) || (ch >= 0xd800 && ch <= 0xdfff) ||
           (ch >= 0xfe00 && ch <= 0xfe0f) || ch == 0xfeff || (ch >= 0xfff9 && ch <= 0xfffb) || ch == 0x20e3 ||
           (ch >= 0x1f1e6 && ch <= 0x1f1ff) || (ch >= 0xe0000 && ch <= 0xe0fff) || ch > 0x10ffff;
}

/* Next character as it will be drawn, and its cells; 0 at the end. Most text is ASCII or Han. */
static uint32_t next_drawn(const struct canvas *canvas, const char **text, int *width) {
    unsigned char first = (unsigned char)**text;
    if (first >= 0x20 && first < 0x7f) {
        (*text)++;
        *width = 1;
        return first;
    }
    const unsigned char *at = (const unsigned char *)*text;
    uint32_t ch, plain;
    if (first >= 0xe5 && first <= 0xe8 && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80) { /* U+5000..8FFF */
        *text += 3;
        *width = 2;
        return (uint32_t)(first & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (uint32_t)(at[2] & 63);
    }
    ch = text_next(text);
    if (ch == 0)
        return 0;
    if (is_hostile(ch))
        ch = ch == '\n' || ch == '\t' ? ' ' : 0xfffd;
    if (canvas->wide_ambiguous && ambiguous_is(ch))
        ch = (plain = ambiguous_plain(ch)) != 0 ? plain : '?';
    else if (canvas->ascii && ch >= 0x2000 && ch < 0x2800 && (plain = ambiguous_plain(ch)) != 0)
        ch = plain;
    *width = text_char_width(ch);
    if (ch == 0xfffd && canvas->wide_ambiguous) {
        ch = '?';
        *width = 1;
    }
    return ch;
}

static inline void put_cell(struct cell *cell, uint32_t ch, style_t style, int width) {
    *cell = (struct cell){.ch = ch, .style = style, .width = (uint8_t)width};
}

/* Puts a whole character at absolute cells and blanks the halves that it cuts off. */
static void place(struct canvas *canvas, int row, int column, uint32_t ch, style_t style, int width) {
    struct cell *line = canvas->cell + (size_t)row * (size_t)canvas->columns;
    int last = column + width - 1;
    if (line[column].width == 0 && column > 0)
        put_cell(&line[column - 1], ' ', line[column - 1].style, 1);
    if (line[last].width == 2 && last + 1 < canvas->columns)
        put_cell(&line[last + 1], ' ', line[last + 1].style, 1);
    put_cell(&line[column], ch, style, width);
    if (width == 2)
        put_cell(&line[column + 1], 0, style, 0);
}

static void hang_mark(struct canvas *canvas, int row, int column, uint32_t mark) {
    struct cell *cell = canvas->cell + (size_t)row * (size_t)canvas->columns + column;
    if (cell->width == 0 && column > 0)
        cell--;
    if (cell->ch != ' ')
        cell->ch = canvas_with_mark(cell->ch, mark);
}

/* The run of ASCII that stands next and cuts no wide character: most of what is drawn. Returns the column after it. */
static int draw_plain(struct cells *cells, int row, int column, int limit, style_t style, const char **text) {
    const struct canvas *canvas = cells->canvas;
    struct cell *line = canvas->cell + (size_t)(cells->row + row) * (size_t)canvas->columns + cells->column;
    const char *at = *text;
    while (column >= 0 && column < limit && *at >= 0x20 && *at < 0x7f && line[column].width == 1)
        put_cell(&line[column++], (unsigned char)*at++, style, 1);
    *text = at;
    return column;
}

/* Draws from window column `column` on, only inside [0, limit). Returns the column after it; stops
 * before the first character that does not fit. */
static int draw(struct cells *cells, int row, int column, int limit, style_t style, const char **text) {
    struct canvas *canvas = cells->canvas;
    int width = 0, start = column;
    if (row < 0 || row >= cells->rows)
        return column;
    if (limit > cells->columns)
        limit = cells->columns;
    canvas_touch(canvas, cells->row + row);
    for (;;) {
        column = draw_plain(cells, row, column, limit, style, text);
        const char *before = *text;
        uint32_t ch = next_drawn(canvas, text, &width);
        if (ch == 0)
            return column;
        if (width == 0) {
            if (column > start && column > 0)
                hang_mark(canvas, cells->row + row, cells->column + column - 1, ch);
            continue;
        }
        if (column + width > limit) {
            *text = before;
            return column;
        }
        if (column >= 0)
            place(canvas, cells->row + row, cells->column + column, ch, style, width);
        else if (column + width > 0) /* half of it hangs over the left edge */
            place(canvas, cells->row + row, cells->column, ' ', style, 1);
        column += width;
    }
}

static int drawn_width(const struct canvas *canvas, const char *text) {
    int sum = 0, width = 0;
    while (next_drawn(canvas, &text, &width) != 0)
        sum += width;
    return sum;
}

struct cells cells_sub(const struct cells *cells, int row, int column, int rows, int columns) {
    struct cells sub = *cells;
    if (row < 0) {
        rows += row;
        row = 0;
    }
    if (column < 0) {
        columns += column;
        column = 0;
    }
    if (rows > cells->rows - row)
        rows = cells->rows - row;
    if (columns > cells->columns - column)
        columns = cells->columns - column;
    sub.row += row;
    sub.column += column;
    sub.rows = rows < 0 ? 0 : rows;
    sub.columns = columns < 0 ? 0 : columns;
    return sub;
}

bool cells_hit(const struct cells *cells, int screen_row, int screen_column, int *row, int *column) {
    int r = screen_row - cells->row, c = screen_column - cells->column;
    if (r < 0 || r >= cells->rows || c < 0 || c >= cells->columns)
        return false;
    if (row)
        *row = r;
    if (column)
        *column = c;
    return true;
}

int cells_text(struct cells *cells, int row, int column, style_t style, const char *text) {
    int end = draw(cells, row, column, cells->columns, style, &text);
    if (*text && end < cells->columns && row >= 0 && row < cells->rows && end >= 0)
        place(cells->canvas, cells->row + row, cells->column + end, ' ', style, 1);
    return end - column;
}

int cells_printf(struct cells *cells, int row, int column, style_t style, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cells_text(cells, row, column, style, text);
}

void cells_fill(struct cells *cells, int row, int column, int rows, int columns, style_t style) {
    struct cells area = cells_sub(cells, row, column, rows, columns);
    int last = area.column + area.columns - 1;
    for (int r = area.row; area.columns > 0 && r < area.row + area.rows; r++) {
        canvas_touch(area.canvas, r);
        /* the ends keep their neighbours whole, between them nothing has one */
        place(area.canvas, r, area.column, ' ', style, 1);
        place(area.canvas, r, last, ' ', style, 1);
        canvas_blank(area.canvas->cell + (size_t)r * (size_t)area.canvas->columns + area.column, (size_t)area.columns, style);
    }
}

void cells_put(struct cells *cells, int row, int column, int width, int align, style_t style, const char *text) {
    int at = column, end = column + width, before = 0;
    if (width <= 0 || row < 0 || row >= cells->rows)
        return;
    if (align >= 0) {
        before = width - drawn_width(cells->canvas, text);
        before = before < 0 ? 0 : align > 0 ? before : before / 2;
        cells_fill(cells, row, column, 1, before, style);
    }
    const char *rest = text;
    at = draw(cells, row, column + before, end, style, &rest);
    if (*rest) { /* again, with room for the mark: most texts fit, so measuring first would cost more */
        const char *dots = cells_symbol(cells, SYMBOL_ELLIPSIS);
        rest = text;
        at = draw(cells, row, column, end - 1, style, &rest);
        at = draw(cells, row, at, end, style, &dots);
    }
    cells_fill(cells, row, at, 1, end - at, style);
}

void cells_number(struct cells *cells, int row, int column, int width, style_t style, const char *text) {
    char hashes[64];
    if (width <= 0)
        return;
    if (drawn_width(cells->canvas, text) > width) {
        size_t count = (size_t)width < sizeof hashes ? (size_t)width : sizeof hashes - 1;
        memset(hashes, '#', count);
        hashes[count] = '\0';
        text = hashes;
    }
    cells_put(cells, row, column, width, 1, style, text);
}

int cells_char(struct cells *cells, int row, int column, style_t style, uint32_t ch) {
    char text[8];
    const char *at = text;
    text[text_encode(ch == 0 ? ' ' : ch, text)] = '\0';
    return draw(cells, row, column, cells->columns, style, &at) - column;
}

/* Both halves of a wide character change together, also where the rectangle cuts it. */
static void change_style(struct cells *cells, struct cells area, style_t clear, style_t set) {
    struct canvas *canvas = cells->canvas;
    for (int r = 0; r < area.rows; r++) {
        canvas_touch(canvas, area.row + r);
        struct cell *line = canvas->cell + (size_t)(area.row + r) * (size_t)canvas->columns;
        int from = area.column, to = area.column + area.columns;
        if (area.columns > 0 && from > 0 && line[from].width == 0)
            from--;
        if (area.columns > 0 && to < canvas->columns && line[to].width == 0)
            to++;
        for (int c = from; c < to; c++)
            line[c].style = (style_t)((line[c].style & ~clear) | set);
    }
}

void cells_restyle(struct cells *cells, int row, int column, int rows, int columns, style_t style) {
    change_style(cells, cells_sub(cells, row, column, rows, columns), (style_t)~0u, style);
}

void cells_flag(struct cells *cells, int row, int column, int rows, int columns, style_t flags) {
    change_style(cells, cells_sub(cells, row, column, rows, columns), 0, flags);
}

/* Chinese closing marks do not begin a line. */
static bool is_closing(uint32_t ch) {
    return ch == 0xff0c || ch == 0x3002 || ch == 0xff1a || ch == 0xff1b || ch == 0xff01 || ch == 0xff1f || ch == 0xff09 ||
           ch == 0x300b || ch == 0x300d || ch == 0x3001 || ch == 0x201d;
}

/* Bytes of the first line of `text` in `width` cells; *skip bytes after it are a blank or newline. */
static size_t wrap_line(const char *text, int width, size_t *skip) {
    const char *at = text, *fit = text, *break_at = NULL;
    int used = 0;
    uint32_t before = 0;
    *skip = 0;
    for (;;) {
        const char *here = at;
        uint32_t ch = text_next(&at);
        int wide = ch == 0 ? 0 : text_char_width(ch);
        if (ch == 0 || ch == '\n') {
            *skip = ch == '\n';
            return (size_t)(here - text);
        }
        if (here > text && (ch == ' ' || ((wide == 2 || before > 0x2e7f) && !is_closing(ch))))
            break_at = here;
        if (used + wide > width && here > text) {
            fit = break_at ? break_at : here;
            *skip = *fit == ' ';
            return (size_t)(fit - text);
        }
        used += wide;
        before = ch;
    }
}

int cells_wrap(struct cells *cells, int row, int column, int width, style_t style, const char *text) {
    int rows = 0;
    char line[1024];
    if (width < 1)
        width = 1;
    while (*text) {
        size_t skip, count = wrap_line(text, width, &skip), copy = count < sizeof line ? count : sizeof line - 1;
        if (cells) {
            const char *at = line;
            memcpy(line, text, copy);
            line[copy] = '\0';
            draw(cells, row + rows, column, column + width, style, &at);
        }
        text += count + skip;
        rows++;
    }
    return rows;
}

int cells_wrap_rows(const char *text, int width) {
    return cells_wrap(NULL, 0, 0, width, STYLE_TEXT, text);
}

void cells_hline(struct cells *cells, int row, int column, int width, style_t style) {
    for (int i = 0; i < width; i++)
        cells_char(cells, row, column + i, style, cells_ascii(cells) ? '-' : 0x2500);
}

void cells_vline(struct cells *cells, int row, int column, int height, style_t style) {
    for (int i = 0; i < height; i++)
        cells_char(cells, row + i, column, style, cells_ascii(cells) ? '|' : 0x2502);
}

struct cells cells_box(struct cells *cells, style_t style, const char *title) {
    bool ascii = cells_ascii(cells);
    int bottom = cells->rows - 1, right = cells->columns - 1;
    cells_hline(cells, 0, 1, right - 1, style);
    cells_hline(cells, bottom, 1, right - 1, style);
    cells_vline(cells, 1, 0, bottom - 1, style);
    cells_vline(cells, 1, right, bottom - 1, style);
    cells_char(cells, 0, 0, style, ascii ? '+' : 0x250c);
    cells_char(cells, 0, right, style, ascii ? '+' : 0x2510);
    cells_char(cells, bottom, 0, style, ascii ? '+' : 0x2514);
    cells_char(cells, bottom, right, style, ascii ? '+' : 0x2518);
    if (title && *title && right > 5) {
        int wide = drawn_width(cells->canvas, title), room = right - 5;
        cells_char(cells, 0, 2, style, ' ');
        cells_put(cells, 0, 3, wide < room ? wide : room, -1, STYLE_STRONG, title);
        cells_char(cells, 0, 3 + (wide < room ? wide : room), style, ' ');
    }
    return cells_sub(cells, 1, 1, cells->rows - 2, cells->columns - 2);
}

void cells_cursor(struct cells *cells, int row, int column) {
    if (cells->rows < 1 || cells->columns < 1)
        return;
    row = row < 0 ? 0 : row >= cells->rows ? cells->rows - 1 : row;
    column = column < 0 ? 0 : column >= cells->columns ? cells->columns - 1 : column;
    cells->canvas->cursor_row = cells->row + row;
    cells->canvas->cursor_column = cells->column + column;
}
