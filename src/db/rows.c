/* Rows in memory: one growing block of cells and one of texts, so that a list costs no allocation
 * per cell; kept by the statement for the next call. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/db_internal.h"

#define BYTES_KEPT (1024UL * 1024) /* what a large result made grow is given back above this */

struct db_rows *rows_begin(struct slot *slot, const struct db_query *query)
{
    struct db_rows *rows = slot->rows;
    if (!rows || rows->is_open) {
        rows = xcalloc(1, sizeof *rows);
        rows->is_owned = slot->rows != NULL;
        if (!slot->rows)
            slot->rows = rows;
    }
    rows->name = query->name;
    rows->columns = slot->column_count;
    rows->is_open = true;
    return rows;
}

static void add_text(struct db_rows *rows, struct cell *cell, const char *text, size_t bytes)
{
    cell->kind = CELL_TEXT;
    cell->offset = rows->bytes.bytes;
    buf_add_bytes(&rows->bytes, text, bytes);
    buf_add_bytes(&rows->bytes, "", 1);
}

/* As the server prints it: both libraries differ in the fraction and in hours above 24. */
static void add_time(struct db_rows *rows, struct cell *cell, const struct column *column)
{
    const MYSQL_TIME *time = &column->time;
    char text[48];
    size_t used;
    if (column->type == MYSQL_TYPE_TIME)
        /* libmysqlclient keeps days apart in MYSQL_TIME.day, libmariadb too; hours are below 24 then. */
        used = fit_printf(text, "%s%02u:%02u:%02u", time->neg ? "-" : "", time->hour + time->day * 24, time->minute,
                          time->second);
    else if (column->type == MYSQL_TYPE_DATE)
        used = fit_printf(text, "%04u-%02u-%02u", time->year, time->month, time->day);
    else
        used = fit_printf(text, "%04u-%02u-%02u %02u:%02u:%02u", time->year, time->month, time->day, time->hour,
                          time->minute, time->second);
    if (column->decimals > 0 && column->type != MYSQL_TYPE_DATE) {
        char fraction[24];
        fit_printf(fraction, ".%06lu", time->second_part);
        memcpy(text + used, fraction, column->decimals + 1);
        used += column->decimals + 1;
    }
    add_text(rows, cell, text, used);
}

static void add_cell(struct db_rows *rows, struct cell *cell, const struct column *column)
{
    char text[48];
    if (column->null) {
        cell->kind = CELL_NULL;
        return;
    }
    switch (column->kind) {
    case COLUMN_INT:
        cell->kind = CELL_INT;
        cell->number = column->number;
        break;
    case COLUMN_TIME:
        add_time(rows, cell, column);
        break;
    case COLUMN_REAL:
        add_text(rows, cell, text, fit_printf(text, "%.*g", column->type == MYSQL_TYPE_FLOAT ? 6 : 15, column->real));
        break;
    case COLUMN_TEXT:
        add_text(rows, cell, column->text, column->bytes);
        break;
    }
}

void rows_add(struct db_rows *rows, const struct slot *slot)
{
    size_t needed = (rows->count + 1) * rows->columns;
    if (needed > rows->cell_limit) {
        rows->cell_limit = needed < 64 ? 64 : needed * 2;
        rows->cells = xrealloc(rows->cells, rows->cell_limit, sizeof *rows->cells);
    }
    struct cell *cells = &rows->cells[rows->count++ * rows->columns];
    for (unsigned i = 0; i < rows->columns; i++)
        add_cell(rows, &cells[i], &slot->columns[i]);
}

static void rows_free(struct db_rows *rows)
{
    free(rows->cells);
    buf_release(&rows->bytes);
    arena_release(&rows->extra);
    free(rows);
}

void rows_abandon(struct db_rows *rows)
{
    if (rows && rows->is_open)
        rows->is_owned = true;
    else if (rows)
        rows_free(rows);
}

void db_rows_close(struct db_rows **handle)
{
    struct db_rows *rows = *handle;
    *handle = NULL;
    if (!rows)
        return;
    rows->is_open = false;
    if (rows->is_owned) {
        rows_free(rows);
        return;
    }
    rows->count = rows->at = 0;
    arena_reset(&rows->extra);
    if (rows->bytes.capacity > BYTES_KEPT)
        buf_release(&rows->bytes);
    else
        buf_clear(&rows->bytes);
    if (rows->cell_limit * sizeof *rows->cells > BYTES_KEPT) {
        free(rows->cells);
        rows->cells = NULL;
        rows->cell_limit = 0;
    }
}

bool db_next(struct db_rows *rows)
{
    if (rows->at >= rows->count)
        return false;
    rows->at++;
    return true;
}

size_t db_row_count(const struct db_rows *rows)
{
    return rows->count;
}

static const struct cell *cell_at(const struct db_rows *rows, unsigned column)
{
    if (rows->at == 0 || column >= rows->columns)
        FD_BUG("%s: column %u of %u, row %zu of %zu", rows->name, column, rows->columns, rows->at, rows->count);
    return &rows->cells[(rows->at - 1) * rows->columns + column];
}

/* NULL where the cell is SQL NULL; our own mistake where it is an integer. */
static const char *text_at(const struct db_rows *rows, unsigned column, const char *wanted)
{
    const struct cell *cell = cell_at(rows, column);
    if (cell->kind == CELL_NULL)
        return NULL;
    if (cell->kind != CELL_TEXT)
        FD_BUG("%s: column %u is an integer, not %s", rows->name, column, wanted);
    return rows->bytes.text + cell->offset;
}

bool db_is_null(const struct db_rows *rows, unsigned column)
{
    return cell_at(rows, column)->kind == CELL_NULL;
}

/* SUM() of integers comes as DECIMAL: its digits, and nothing but zeros behind the point. */
static bool whole_number(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || errno != 0)
        return false;
    if (*end == '.')
        end += 1 + strspn(end + 1, "0");
    *number = value;
    return *end == '\0';
}

int64_t db_get_int(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    int64_t number = 0;
    if (cell->kind == CELL_INT)
        return cell->number;
    if (cell->kind == CELL_TEXT && !whole_number(rows->bytes.text + cell->offset, &number))
        FD_BUG("%s: column %u is not a whole number", rows->name, column);
    return number;
}

const char *db_get_text(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    switch (cell->kind) {
    case CELL_NULL:
        return "";
    case CELL_TEXT:
        return rows->bytes.text + cell->offset;
    case CELL_INT:
        break;
    }
    /* Rows are read-only to their user; where an integer's text is kept is our own affair. */
    struct arena *extra = (struct arena *)(uintptr_t)&rows->extra;
    return arena_printf(extra, "%" PRId64, cell->number);
}

int64_t db_get_fen(const struct db_rows *rows, unsigned column)
{
    const char *text = text_at(rows, column, "an amount");
    int64_t fen = 0;
    if (text && !fen_from_decimal(text, &fen))
        FD_BUG("%s: column %u is not an amount", rows->name, column);
    return fen;
}

day_t db_get_day(const struct db_rows *rows, unsigned column)
{
    const char *text = text_at(rows, column, "a date");
    day_t day = DAY_NONE;
    if (text && !day_from_sql(text, &day))
        FD_BUG("%s: column %u is not a date: %s", rows->name, column, text);
    return day;
}

wall_t db_get_wall(const struct db_rows *rows, unsigned column)
{
    const char *text = text_at(rows, column, "a time");
    wall_t wall = WALL_NONE;
    if (text && !wall_from_sql(text, &wall))
        FD_BUG("%s: column %u is not a date and time: %s", rows->name, column, text);
    return wall;
}

int db_get_minute(const struct db_rows *rows, unsigned column)
{
    const char *text = text_at(rows, column, "a time of day");
    int minute = -1;
    if (text && !minute_from_sql(text, &minute))
        FD_BUG("%s: column %u is not a time of day: %s", rows->name, column, text);
    return minute;
}

enum fd_code db_select(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                       struct db_rows **rows, struct fd_error *err)
{
    *rows = NULL;
    enum fd_code code = statement_run(db, query, args, count, err);
    if (code)
        return code;
    if (query->shape == DB_NONE)
        FD_BUG("%s: db_select of a query that returns no rows", query->name);
    return rows_read(db, query, rows, err);
}

/* The single value's row; FD_NOT_FOUND, without doom, where there is none: an answer, not an error. */
static enum fd_code select_value(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                                 struct db_rows **rows, struct fd_error *err)
{
    if (query->shape != DB_VALUE)
        FD_BUG("%s: not declared as one value", query->name);
    enum fd_code code = db_select(db, query, args, count, rows, err);
    if (code)
        return code;
    if (!db_next(*rows)) {
        db_rows_close(rows);
        fd_fail(err, FD_NOT_FOUND, NULL);
        fd_detail(err, "%s: no row", query->name);
        return FD_NOT_FOUND;
    }
    return FD_OK;
}

enum fd_code db_value_int(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                          int64_t *value, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = select_value(db, query, args, count, &rows, err);
    if (code)
        return code;
    if (!db_is_null(rows, 0))
        *value = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code db_value_text(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                           struct arena *arena, const char **value, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = select_value(db, query, args, count, &rows, err);
    if (code)
        return code;
    *value = db_is_null(rows, 0) ? NULL : arena_str(arena, db_get_text(rows, 0));
    db_rows_close(&rows);
    return FD_OK;
}
