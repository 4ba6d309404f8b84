/* An answer as people read it: lines of text, then rows under headings, padded by cells; or the rows as CSV. */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/money.h"
#include "base/text.h"
#include "core/action.h"

#define GAP          "  "
#define COLUMNS_MOST 24

/* Lines stay lines; everything else that could move the cursor is made harmless. */
static void add_clean_lines(struct buf *out, struct arena *arena, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        buf_add(out, text_clean_arena(arena, arena_printf(arena, "%.*s", (int)length, text)));
        buf_add(out, "\n");
        text += length + (text[length] == '\n');
    }
}

static const char *heading_text(const char *heading)
{
    return strchr(heading, '\004') ? i18n_label(heading) : (heading[0] ? gettext(heading) : "");
}

static const char *cell_text(struct arena *arena, const struct tree *row, const struct column *column)
{
    char fen[FEN_TEXT];
    if (tree_is_null(row, column->key))
        return "";
    if (tree_is_text(row, column->key))
        return text_clean_arena(arena, tree_get_text(row, column->key));
    if (!tree_is_int(row, column->key))
        return tree_get_bool(row, column->key) ? _("yes") : _("no");
    if (column->money)
        return arena_str(arena, fen_text(tree_get_int(row, column->key), fen));
    return arena_printf(arena, "%lld", (long long)tree_get_int(row, column->key));
}

struct table {
    const struct column *columns;
    size_t column_count, row_count;
    size_t first;       /* row that is printed first: 1 without headings */
    const char **cells; /* headings first */
    int widths[COLUMNS_MOST];
};

static size_t column_total(const struct column *columns)
{
    size_t count = 0;
    while (columns[count].key)
        count++;
    FD_ASSERT(count <= COLUMNS_MOST);
    return count;
}

/* A column's name for programs: money stands in yuan there, so it does not end in _fen. */
static size_t name_bytes(const struct column *column)
{
    size_t bytes = strlen(column->key);
    return column->money && bytes > 4 && strcmp(column->key + bytes - 4, "_fen") == 0 ? bytes - 4 : bytes;
}

/* The column of that name, also as it stands in JSON. */
static const struct column *column_named(const struct column *columns, const char *name, size_t bytes)
{
    for (const struct column *column = columns; column->key; column++)
        if ((bytes == name_bytes(column) || bytes == strlen(column->key)) && strncmp(column->key, name, bytes) == 0)
            return column;
    return NULL;
}

char *call_column_names(const struct column *columns)
{
    struct buf all = {0};
    for (const struct column *column = columns; column->key; column++)
        buf_printf(&all, "%s%.*s", column == columns ? "" : ",", (int)name_bytes(column), column->key);
    return buf_take(&all);
}

static enum fd_code no_column(const struct column *columns, const char *name, size_t bytes, struct fd_error *err)
{
    char word[64], shown[64];
    char *all = call_column_names(columns);
    fit_printf(word, "%.*s", (int)(bytes < sizeof word ? bytes : sizeof word - 1), name);
    text_clean(shown, sizeof shown, word);
    fd_fail(err, FD_USAGE, _("There is no column \"%s\" here."), shown);
    fd_hint(err, _("There are: %s"), all);
    free(all);
    return FD_USAGE;
}

static enum fd_code check_columns(const struct column *columns, const char *names, struct fd_error *err)
{
    bool seen[COLUMNS_MOST] = {false};
    for (const char *at = names; at;) {
        size_t bytes = strcspn(at, ",");
        const struct column *column = column_named(columns, at, bytes);
        if (!column)
            return no_column(columns, at, bytes, err);
        if (seen[column - columns])
            return fd_fail(err, FD_USAGE, _("%s is given twice."), column->key);
        seen[column - columns] = true;
        at = at[bytes] ? at + bytes + 1 : NULL;
    }
    return FD_OK;
}

enum fd_code call_check_shape(const struct call *call, struct fd_error *err)
{
    const struct column *columns = call->action->columns;
    const struct call_shape *shape = &call->shape;
    bool asked = shape->columns || shape->no_header;
    if (!asked && shape->format != CALL_CSV)
        return FD_OK;
    if (call->json && shape->format == CALL_CSV)
        return fd_fail(err, FD_USAGE, "%s", _("--json and --format csv do not go together."));
    if (!columns)
        return fd_fail(err, FD_USAGE, "%s", _("--format csv, --columns and --no-header are for lists; this is none."));
    if (asked && call->json) {
        fd_fail(err, FD_USAGE, "%s",
                _("--columns and --no-header do not go with JSON, which always holds everything."));
        fd_hint(err, "%s", _("Use --format csv."));
        return FD_USAGE;
    }
    return shape->columns ? check_columns(columns, shape->columns, err) : FD_OK;
}

/* The action's columns, or those that were asked for in that order. Without a key behind the last. */
static const struct column *shown_columns(struct arena *arena, const struct call *call)
{
    const char *at = call->shape.columns;
    size_t count = 0;
    if (!at)
        return call->action->columns;
    struct column *list = arena_array(arena, strlen(at) + 2, sizeof *list);
    while (at && count < COLUMNS_MOST) {
        size_t bytes = strcspn(at, ",");
        const struct column *column = column_named(call->action->columns, at, bytes);
        if (column)
            list[count++] = *column;
        at = at[bytes] ? at + bytes + 1 : NULL;
    }
    return list;
}

static void fill_table(struct arena *arena, const struct tree *rows, struct table *table)
{
    table->column_count = column_total(table->columns);
    table->row_count = tree_count(rows) + 1;
    table->cells = arena_array(arena, table->row_count * table->column_count, sizeof *table->cells);
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < table->column_count; i++) {
            const char *text = row == 0 ? heading_text(table->columns[i].heading)
                                        : cell_text(arena, tree_at(rows, row - 1), &table->columns[i]);
            int width = text_width(text);
            table->cells[row * table->column_count + i] = text;
            if (row >= table->first && width > table->widths[i])
                table->widths[i] = width;
        }
}

/* Nothing stands behind the last cell: no blanks at the end of a line. */
static void add_row(struct buf *out, struct arena *arena, const struct table *table, size_t row)
{
    struct buf line = {0};
    for (size_t i = 0; i < table->column_count; i++) {
        const char *text = table->cells[row * table->column_count + i];
        int align = table->columns[i].align > 0 ? 1 : -1;
        buf_add(&line, i ? GAP : "");
        buf_add(&line, text_fit(arena, text, table->widths[i], align, false));
    }
    size_t length = line.bytes;
    while (length > 0 && line.text[length - 1] == ' ')
        length--;
    buf_add_bytes(out, buf_text(&line), length);
    buf_add(out, "\n");
    buf_release(&line);
}

/* For programs: no separators in money, and the same words in every language. */
static void add_csv_cell(struct buf *out, struct arena *arena, const struct tree *row, const struct column *column)
{
    char fen[FEN_TEXT];
    bool number = tree_is_int(row, column->key);
    if (number && column->money)
        csv_cell(out, fen_decimal(tree_get_int(row, column->key), fen), true);
    else if (number || tree_is_null(row, column->key) || tree_is_text(row, column->key))
        csv_cell(out, cell_text(arena, row, column), number);
    else
        csv_cell(out, tree_get_bool(row, column->key) ? "true" : "false", true);
}

static void add_csv(struct buf *out, struct arena *arena, const struct call *call, const struct tree *rows)
{
    const struct column *columns = shown_columns(arena, call);
    size_t count = tree_count(rows);
    for (const struct column *column = columns; column->key && !call->shape.no_header; column++)
        csv_cell(out, arena_printf(arena, "%.*s", (int)name_bytes(column), column->key), true);
    if (!call->shape.no_header)
        csv_end(out);
    for (size_t i = 0; i < count; i++) {
        for (const struct column *column = columns; column->key; column++)
            add_csv_cell(out, arena, tree_at(rows, i), column);
        csv_end(out);
    }
}

char *call_print(struct call *call)
{
    struct buf out = {0};
    struct arena arena = {0};
    const struct tree *rows = call->action->columns ? tree_rows(call->answer) : NULL;
    if (call->shape.format != CALL_CSV)
        add_clean_lines(&out, &arena, buf_text(&call->text));
    if (call->shape.format == CALL_CSV && rows) {
        add_csv(&out, &arena, call, rows);
    } else if (rows) {
        struct table table = {.columns = shown_columns(&arena, call), .first = call->shape.no_header};
        fill_table(&arena, rows, &table);
        for (size_t row = table.first; row < table.row_count; row++)
            add_row(&out, &arena, &table, row);
        if (call->next)
            add_clean_lines(&out, &arena, call_next_text(call));
    }
    arena_release(&arena);
    return buf_take(&out);
}
