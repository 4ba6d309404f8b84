/* What the files of documents and printers share. */
#ifndef FD_OUTSIDE_DOCUMENT_INTERNAL_H
#define FD_OUTSIDE_DOCUMENT_INTERNAL_H
#include "base/mem.h"
#include "outside/document.h"

enum line_kind {
    LINE_TITLE,
    LINE_TEXT,
    LINE_CENTRE,
    LINE_PAIR,
    LINE_STRONG_PAIR,
    LINE_RULE,
    LINE_BLANK,
    LINE_QR,
    LINE_KIND_COUNT
};
struct line {
    enum line_kind kind;
    char *text;  /* the left one of a pair, the payload of a code; "" for rule and blank */
    char *right; /* of a pair; else NULL */
};
struct document {
    struct line *lines;
    size_t count, room;
};

/* Columns of one character on whatever the rows are for: 0, 1 or 2. */
typedef int measure_fn(void *arg, uint32_t ch);
/* One finished row: at most `columns` wide, padded on the left where it must be, no line end. */
typedef void row_fn(void *arg, const struct line *line, const char *text);
struct layout {
    int columns; /* at least 2 */
    measure_fn *measure;
    row_fn *row;
    void *arg;   /* of both */
};
/* Rows of every kind but LINE_QR: wrapped at blanks and between wide characters; a character of two columns is never
 * split at the edge. A title's columns are those of its large letters. */
void document_lay(const struct layout *layout, const struct line *line);
#endif
