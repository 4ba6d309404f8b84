/* Lines into rows of a given width, for paper and for text: what differs is how wide a character is. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "outside/document_internal.h"

static int width_of(const struct layout *layout, const char *text)
{
    int width = 0;
    for (uint32_t ch; (ch = text_next(&text)) != 0;)
        width += layout->measure(layout->arg, ch);
    return width;
}

/* The bytes of `text` that go into a row of `columns`: up to the last blank or between two wide characters, else up to
 * the edge. At least one character, so that it ends. */
static size_t fitting(const struct layout *layout, const char *text, int columns)
{
    const char *at = text, *before = text, *stop = text;
    int width = 0, last = 0;
    for (uint32_t ch; (ch = text_next(&at)) != 0; before = at) {
        int wide = layout->measure(layout->arg, ch);
        if (before != text && (ch == ' ' || (wide == 2 && last == 2)))
            stop = before;
        if (width + wide > columns)
            return (size_t)((stop != text ? stop : before != text ? before : at) - text);
        width += wide;
        last = wide;
    }
    return strlen(text);
}

enum side { SIDE_LEFT, SIDE_CENTRE, SIDE_RIGHT };

static void emit(const struct layout *layout, const struct line *line, enum side side, const char *text)
{
    int free_columns = layout->columns - width_of(layout, text);
    int before = side == SIDE_LEFT || free_columns < 0 ? 0 : side == SIDE_RIGHT ? free_columns : free_columns / 2;
    char *row = xprintf("%*s%s", before, "", text);
    layout->row(layout->arg, line, row);
    free(row);
}

/* All rows of a text but the last, which the caller gets: xmalloc'ed. */
static char *wrap(const struct layout *layout, const struct line *line, enum side side, const char *text)
{
    for (;;) {
        size_t bytes = fitting(layout, text, layout->columns);
        char *row = xprintf("%.*s", (int)bytes, text);
        text += bytes;
        text += strspn(text, " ");
        if (*text == '\0')
            return row;
        emit(layout, line, side, row);
        free(row);
    }
}

static void lay_text(const struct layout *layout, const struct line *line, enum side side)
{
    char *last = wrap(layout, line, side, line->text);
    emit(layout, line, side, last);
    free(last);
}

/* The right one stays whole beside the left one where that leaves a blank between them; else it goes below. */
static void lay_pair(const struct layout *layout, const struct line *line)
{
    char *left = wrap(layout, line, SIDE_LEFT, line->text);
    int between = layout->columns - width_of(layout, left) - width_of(layout, line->right);
    if (between > 0) {
        char *row = xprintf("%s%*s%s", left, between, "", line->right);
        layout->row(layout->arg, line, row);
        free(row);
    } else {
        if (left[0])
            emit(layout, line, SIDE_LEFT, left);
        char *right = wrap(layout, line, SIDE_RIGHT, line->right);
        emit(layout, line, SIDE_RIGHT, right);
        free(right);
    }
    free(left);
}

static void lay_rule(const struct layout *layout, const struct line *line)
{
    char *row = xmalloc((size_t)layout->columns + 1);
    memset(row, '-', (size_t)layout->columns);
    row[layout->columns] = '\0';
    layout->row(layout->arg, line, row);
    free(row);
}

void document_lay(const struct layout *layout, const struct line *line)
{
    FD_ASSERT(layout->columns >= 2 && line->kind != LINE_QR);
    if (line->kind == LINE_PAIR || line->kind == LINE_STRONG_PAIR)
        lay_pair(layout, line);
    else if (line->kind == LINE_RULE)
        lay_rule(layout, line);
    else if (line->kind == LINE_BLANK)
        layout->row(layout->arg, line, "");
    else
        lay_text(layout, line, line->kind == LINE_TEXT ? SIDE_LEFT : SIDE_CENTRE);
}

static int cells_of(void *arg, uint32_t ch)
{
    (void)arg;
    return text_char_width(ch);
}

static void text_row(void *arg, const struct line *line, const char *text)
{
    (void)line;
    size_t bytes = strlen(text);
    while (bytes > 0 && text[bytes - 1] == ' ')
        bytes--;
    buf_printf(arg, "%.*s\n", (int)bytes, text);
}

char *document_as_text(const struct document *document, int columns)
{
    struct buf text = {0};
    const struct layout layout = {columns < 2 ? 2 : columns, cells_of, text_row, &text};
    for (size_t i = 0; i < document->count; i++) {
        const struct line *line = &document->lines[i];
        /* Whole, so that it can be copied. */
        if (line->kind == LINE_QR)
            buf_printf(&text, "%s\n", line->text);
        else
            document_lay(&layout, line);
    }
    return buf_take(&text);
}
