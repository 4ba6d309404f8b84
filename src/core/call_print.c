/* An answer as people read it: lines of text, then rows under headings, padded by cells. */
#include <stdlib.h>
#include <string.h>

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
    const char **cells; /* headings first */
    int widths[COLUMNS_MOST];
};

static void fill_table(struct arena *arena, const struct tree *rows, struct table *table)
{
    while (table->columns[table->column_count].key)
        table->column_count++;
    FD_ASSERT(table->column_count <= COLUMNS_MOST);
    table->row_count = tree_count(rows) + 1;
    table->cells = arena_array(arena, table->row_count * table->column_count, sizeof *table->cells);
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < table->column_count; i++) {
            const char *text = row == 0 ? heading_text(table->columns[i].heading)
                                        : cell_text(arena, tree_at(rows, row - 1), &table->columns[i]);
            int width = text_width(text);
            table->cells[row * table->column_count + i] = text;
            if (width > table->widths[i])
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

char *call_print(const struct call *call)
{
    struct buf out = {0};
    struct arena arena = {0};
    const struct tree *rows = tree_rows(call->answer);
    add_clean_lines(&out, &arena, buf_text(&call->text));
    if (call->action->columns && rows) {
        struct table table = {.columns = call->action->columns};
        fill_table(&arena, rows, &table);
        for (size_t row = 0; row < table.row_count; row++)
            add_row(&out, &arena, &table, row);
    }
    arena_release(&arena);
    return buf_take(&out);
}
