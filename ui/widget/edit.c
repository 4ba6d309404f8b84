#include "ui/widget/edit.h"
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

#define DEFAULT_CHARS 1000

static void reserve(struct edit *edit, size_t bytes) {
    if (bytes + 1 <= edit->capacity)
        return;
    size_t capacity = (bytes + 1) * 2 + 32;
    char *text = xmalloc(capacity); /* not realloc: a password must not stay behind */
    memcpy(text, edit->text, edit->bytes + 1);
    explicit_bzero(edit->text, edit->capacity);
    free(edit->text);
    edit->text = text;
    edit->capacity = capacity;
}

static void forget_killed(struct edit *edit) {
    if (edit->killed)
        explicit_bzero(edit->killed, strlen(edit->killed));
    free(edit->killed);
    edit->killed = NULL;
}

void edit_init(struct edit *edit, size_t max_chars) {
    memset(edit, 0, sizeof *edit);
    edit->max_chars = max_chars ? max_chars : DEFAULT_CHARS;
    edit->rows = 1;
    edit->capacity = 32;
    edit->text = xcalloc(1, edit->capacity);
}

void edit_release(struct edit *edit) {
    if (!edit->text)
        return;
    explicit_bzero(edit->text, edit->capacity);
    free(edit->text);
    forget_killed(edit);
    memset(edit, 0, sizeof *edit);
}

static size_t count_chars(const char *text) {
    size_t count = 0;
    while (text_next(&text) != 0)
        count++;
    return count;
}

static void insert_bytes(struct edit *edit, const char *text, size_t bytes) {
    reserve(edit, edit->bytes + bytes);
    memmove(edit->text + edit->at + bytes, edit->text + edit->at, edit->bytes - edit->at + 1);
    memcpy(edit->text + edit->at, text, bytes);
    edit->bytes += bytes;
    edit->at += bytes;
}

static void erase(struct edit *edit, size_t from, size_t to) {
    memmove(edit->text + from, edit->text + to, edit->bytes - to + 1);
    edit->bytes -= to - from;
    edit->at = from;
    edit->fresh = false;
}

bool edit_insert(struct edit *edit, const char *text) {
    size_t bytes = strlen(text) * 3 + 1, have;
    char *clean = xmalloc(bytes);
    const char *at = clean, *start = clean;
    text_clean(clean, bytes, text);
    if (edit->fresh)
        erase(edit, 0, edit->bytes);
    have = count_chars(edit->text);
    while (have < edit->max_chars && text_next(&at) != 0)
        have++;
    insert_bytes(edit, start, (size_t)(at - start));
    bool all = *at == '\0';
    explicit_bzero(clean, bytes);
    free(clean);
    return all;
}

void edit_set(struct edit *edit, const char *text) {
    erase(edit, 0, edit->bytes);
    edit->scroll = 0;
    edit_insert(edit, text ? text : "");
}

void edit_preset(struct edit *edit, const char *text) {
    edit_set(edit, text);
    edit->fresh = edit->bytes > 0;
}

const char *edit_text(const struct edit *edit) {
    return edit->text;
}

bool edit_is_empty(const struct edit *edit) {
    return edit->text[strspn(edit->text, " ")] == '\0';
}

/* --- what keys do --- */

static void kill_range(struct edit *edit, size_t from, size_t to) {
    if (from == to)
        return;
    forget_killed(edit);
    if (!edit->mask) {
        edit->killed = xcalloc(1, to - from + 1);
        memcpy(edit->killed, edit->text + from, to - from);
    }
    erase(edit, from, to);
}

static size_t word_left(const struct edit *edit) {
    size_t at = edit->at;
    while (at > 0 && edit->text[at - 1] == ' ')
        at--;
    while (at > 0 && edit->text[at - 1] != ' ')
        at = text_grapheme_prev(edit->text, at);
    return at;
}

static size_t word_right(const struct edit *edit) {
    size_t at = edit->at;
    while (at < edit->bytes && edit->text[at] == ' ')
        at++;
    while (at < edit->bytes && edit->text[at] != ' ')
        at = text_grapheme_next(edit->text, at);
    return at;
}

static size_t to_start(const struct edit *edit) {
    (void)edit;
    return 0;
}
static size_t to_end(const struct edit *edit) {
    return edit->bytes;
}
static size_t to_left(const struct edit *edit) {
    return edit->at > 0 ? text_grapheme_prev(edit->text, edit->at) : 0;
}
static size_t to_right(const struct edit *edit) {
    return edit->at < edit->bytes ? text_grapheme_next(edit->text, edit->at) : edit->bytes;
}

/* A key moves the caret to where `target` says, or takes away what lies between. */
enum take { MOVE, ERASE, KILL };
static const struct {
    uint32_t key;
    size_t (*target)(const struct edit *edit);
    enum take take;
} actions[] = {
    {K_LEFT, to_left, MOVE},           {K_CTRL | 'b', to_left, MOVE},      {K_RIGHT, to_right, MOVE},
    {K_CTRL | 'f', to_right, MOVE},    {K_HOME, to_start, MOVE},           {K_CTRL | 'a', to_start, MOVE},
    {K_END, to_end, MOVE},             {K_CTRL | 'e', to_end, MOVE},       {K_ALT | 'b', word_left, MOVE},
    {K_CTRL | K_LEFT, word_left, MOVE}, {K_ALT | 'f', word_right, MOVE},   {K_CTRL | K_RIGHT, word_right, MOVE},
    {K_BACKSPACE, to_left, ERASE},     {K_CTRL | 'h', to_left, ERASE},     {K_DELETE, to_right, ERASE},
    {K_CTRL | 'd', to_right, ERASE},   {K_CTRL | 'k', to_end, KILL},       {K_CTRL | 'u', to_start, KILL},
    {K_CTRL | 'w', word_left, KILL},   {K_ALT | K_BACKSPACE, word_left, KILL}, {K_ALT | 'd', word_right, KILL},
};

static bool act(struct edit *edit, size_t index) {
    size_t target = actions[index].target(edit), from = edit->at;
    edit->fresh = false;
    if (actions[index].take == MOVE) {
        edit->at = target;
        return false;
    }
    if (target == from)
        return false;
    size_t low = target < from ? target : from, high = target < from ? from : target;
    if (actions[index].take == KILL)
        kill_range(edit, low, high);
    else
        erase(edit, low, high);
    return true;
}

/* --- wrapped notes: where a byte stands, and what stands at a cell --- */

static void locate(const struct edit *edit, int width, size_t offset, int *row, int *cell) {
    size_t at = 0;
    *row = *cell = 0;
    while (at < edit->bytes) {
        const char *ch = edit->text + at;
        int wide = text_char_width(text_next(&ch));
        if (*cell + wide > width) {
            (*row)++;
            *cell = 0;
        }
        if (at >= offset)
            return;
        *cell += wide;
        at = text_grapheme_next(edit->text, at);
    }
    if (*cell >= width) {
        (*row)++;
        *cell = 0;
    }
}

static size_t offset_at(const struct edit *edit, int width, int row, int cell) {
    size_t at = 0, best = 0;
    while (at <= edit->bytes) {
        int r, c;
        locate(edit, width, at, &r, &c);
        if (r > row || (r == row && c > cell))
            break;
        best = at;
        if (at == edit->bytes)
            break;
        at = text_grapheme_next(edit->text, at);
    }
    return best;
}

static bool move_row(struct edit *edit, int direction) {
    int row, cell;
    if (edit->rows < 2 || edit->last_width < 1)
        return false;
    locate(edit, edit->last_width, edit->at, &row, &cell);
    if (row + direction < 0)
        return false;
    size_t target = offset_at(edit, edit->last_width, row + direction, cell);
    int reached, column;
    locate(edit, edit->last_width, target, &reached, &column);
    if (reached == row)
        return false;
    edit->at = target;
    return true;
}

bool edit_input(struct edit *edit, const struct input *input, bool *changed) {
    bool dummy;
    changed = changed ? changed : &dummy;
    *changed = false;
    if (input->kind == INPUT_PASTE || (input->kind == INPUT_KEY && input->text[0])) {
        size_t before = edit->bytes;
        bool was_fresh = edit->fresh;
        edit_insert(edit, input->kind == INPUT_PASTE ? input->paste : input->text);
        *changed = was_fresh || edit->bytes != before;
        return true;
    }
    if (input->kind != INPUT_KEY)
        return false;
    if (input->key == (K_CTRL | 'y')) {
        *changed = edit->killed != NULL;
        if (edit->killed)
            edit_insert(edit, edit->killed);
        return true;
    }
    if (input->key == K_UP || input->key == K_DOWN)
        return move_row(edit, input->key == K_UP ? -1 : 1);
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (actions[i].key == input->key) {
            *changed = act(edit, i);
            return true;
        }
    return false;
}

/* --- drawing --- */

/* Cells of the text before a byte; a mask has one cell a grapheme. */
static int cells_before(const struct edit *edit, size_t offset) {
    int cells = 0;
    for (size_t at = 0; at < offset; at = text_grapheme_next(edit->text, at)) {
        const char *ch = edit->text + at;
        cells += edit->mask ? 1 : text_char_width(text_next(&ch));
    }
    return cells;
}

static void draw_note(struct edit *edit, struct cells *area, style_t style, bool here) {
    int row, cell, caret_row, caret_cell;
    char text[256];
    locate(edit, area->columns, edit->at, &caret_row, &caret_cell);
    if (caret_row < edit->scroll)
        edit->scroll = caret_row;
    if (caret_row >= edit->scroll + area->rows)
        edit->scroll = caret_row - area->rows + 1;
    for (size_t at = 0; at < edit->bytes;) {
        size_t next = text_grapheme_next(edit->text, at);
        size_t bytes = next - at < sizeof text ? next - at : sizeof text - 1;
        locate(edit, area->columns, at, &row, &cell);
        memcpy(text, edit->text + at, bytes);
        text[bytes] = '\0';
        cells_text(area, row - edit->scroll, cell, style, text);
        at = next;
    }
    if (here)
        cells_cursor(area, caret_row - edit->scroll, caret_cell);
}

static void draw_line(struct edit *edit, struct cells *area, style_t style, bool here) {
    int caret = cells_before(edit, edit->at), all = cells_before(edit, edit->bytes);
    if (caret < edit->scroll)
        edit->scroll = caret;
    if (caret >= edit->scroll + area->columns)
        edit->scroll = caret - area->columns + 1;
    if (edit->scroll > 0 && all + 1 < edit->scroll + area->columns)
        edit->scroll = all + 1 > area->columns ? all + 1 - area->columns : 0;
    if (edit->mask)
        for (int i = 0; i < all; i++)
            cells_char(area, 0, i - edit->scroll, style, '*');
    else
        cells_text(area, 0, -edit->scroll, style, edit->text);
    if (here)
        cells_cursor(area, 0, caret - edit->scroll);
}

void edit_draw(struct edit *edit, struct cells *cells, int row, int column, int width, style_t style, bool here) {
    struct cells area = cells_sub(cells, row, column, edit->rows, width);
    edit->last_width = width;
    cells_fill(&area, 0, 0, area.rows, area.columns, style);
    if (area.rows < 1 || area.columns < 1) {
        if (here)
            cells_cursor(cells, row, column);
        return;
    }
    if (edit->rows > 1)
        draw_note(edit, &area, style, here);
    else
        draw_line(edit, &area, style, here);
}

void edit_click(struct edit *edit, int row, int cell) {
    if (edit->rows > 1) {
        edit->at = offset_at(edit, edit->last_width, row + edit->scroll, cell);
        return;
    }
    size_t at = 0;
    while (at < edit->bytes && cells_before(edit, text_grapheme_next(edit->text, at)) <= cell + edit->scroll)
        at = text_grapheme_next(edit->text, at);
    edit->at = at;
    edit->fresh = false;
}
