/* Rows in memory: one growing block of cells and one of texts, so that a list costs no allocation
 * per cell; kept by the statement for the next call. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/db_internal.h"

#define BYTES_KEPT (1024UL * 1024) /* what a large result made grow is given back above this */
#define MICROS 1000000LL
#define DAY_MICROS (86400LL * MICROS)

struct db_rows *db_rows_begin(struct slot *slot, const struct db_query *query)
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

static int64_t micros_of(const MYSQL_TIME *time)
{
    /* libmysqlclient keeps days of a TIME apart. */
    int64_t hours = (int64_t)time->day * 24 + time->hour;
    return ((hours * 60 + time->minute) * 60 + time->second) * MICROS + (int64_t)time->second_part;
}

/* As numbers: most are read as such, and formatting thousands of times costs more than fetching them. */
static void add_time(struct db_rows *rows, struct cell *cell, const struct column *column)
{
    MYSQL_TIME time = column->time;
    day_t day = column->type == MYSQL_TYPE_TIME ? 0 : day_of((int)time.year, (int)time.month, (int)time.day);
    cell->decimals = (unsigned char)column->decimals;
    if (column->type == MYSQL_TYPE_TIME) {
        cell->kind = CELL_TIME;
        cell->number = time.neg ? -micros_of(&time) : micros_of(&time);
    } else if (day == DAY_NONE) {
        /* A zero date of an older system. */
        char text[24];
        add_text(rows, cell, text, fit_printf(text, "%04u-%02u-%02u", time.year, time.month, time.day));
    } else if (column->type == MYSQL_TYPE_DATE) {
        cell->kind = CELL_DAY;
        cell->number = day;
    } else {
        time.day = 0;
        cell->kind = CELL_WALL;
        cell->number = day * DAY_MICROS + micros_of(&time);
    }
}

static void add_cell(struct db_rows *rows, struct cell *cell, struct column *column)
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
        /* The buffer has room for the terminator. */
        column->text[column->bytes] = '\0';
        cell->kind = CELL_TEXT;
        cell->offset = rows->bytes.bytes;
        buf_add_bytes(&rows->bytes, column->text, column->bytes + 1);
        break;
    }
}

void db_rows_add(struct db_rows *rows, struct slot *slot)
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

void db_rows_abandon(struct db_rows *rows)
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

/* The text of a cell that is one; NULL for every other. */
static const char *text_of(const struct db_rows *rows, const struct cell *cell)
{
    return cell->kind == CELL_TEXT ? rows->bytes.text + cell->offset : NULL;
}

_Noreturn static void not_a(const struct db_rows *rows, unsigned column, const char *wanted)
{
    FD_BUG("%s: column %u is not %s", rows->name, column, wanted);
}

int64_t db_get_int(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    const char *text = text_of(rows, cell);
    int64_t number = 0;
    if (cell->kind == CELL_INT)
        return cell->number;
    if (cell->kind != CELL_NULL && !(text && whole_number(text, &number)))
        not_a(rows, column, "a whole number");
    return number;
}

/* As the server prints it; the client libraries differ in fractions and in hours above 24. */
static const char *time_text(struct arena *arena, const struct cell *cell)
{
    char date[DAY_TEXT] = "", clock[32], fraction[16] = "";
    int64_t micros = cell->number;
    if (cell->kind == CELL_DAY)
        return arena_str(arena, day_sql((day_t)micros, date));
    if (cell->kind == CELL_WALL) {
        /* Also before 1970 the time of day counts forward. */
        int64_t day = micros >= 0 ? micros / DAY_MICROS : -((DAY_MICROS - 1 - micros) / DAY_MICROS);
        day_sql((day_t)day, date);
        micros -= day * DAY_MICROS;
    }
    bool negative = micros < 0;
    micros = negative ? -micros : micros;
    int64_t seconds = micros / MICROS;
    fit_printf(clock, "%s%02" PRId64 ":%02d:%02d", negative ? "-" : "", seconds / 3600, (int)(seconds / 60 % 60),
               (int)(seconds % 60));
    if (cell->decimals > 0) {
        fit_printf(fraction, ".%06d", (int)(micros % MICROS));
        fraction[cell->decimals + 1] = '\0';
    }
    return arena_printf(arena, "%s%s%s%s", date, date[0] ? " " : "", clock, fraction);
}

const char *db_get_text(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    /* Rows are read-only to their user; where a number's text is kept is our own affair. */
    struct arena *extra = (struct arena *)(uintptr_t)&rows->extra;
    switch ((enum cell_kind)cell->kind) {
    case CELL_NULL:
        return "";
    case CELL_TEXT:
        return text_of(rows, cell);
    case CELL_INT:
        return arena_printf(extra, "%" PRId64, cell->number);
    case CELL_DAY:
    case CELL_TIME:
    case CELL_WALL:
        break;
    }
    return time_text(extra, cell);
}

int64_t db_get_fen(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    const char *text = text_of(rows, cell);
    int64_t fen = 0;
    if (cell->kind != CELL_NULL && !(text && fen_from_decimal(text, &fen)))
        not_a(rows, column, "an amount");
    return fen;
}

/* A zero date says as little as NULL. */
static bool is_zero_date(const char *text)
{
    return text && strncmp(text, "0000-00-00", 10) == 0;
}

day_t db_get_day(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    const char *text = text_of(rows, cell);
    day_t day = DAY_NONE;
    if (cell->kind == CELL_DAY)
        return (day_t)cell->number;
    if (cell->kind != CELL_NULL && !is_zero_date(text) && !(text && day_from_sql(text, &day)))
        not_a(rows, column, "a date");
    return day;
}

wall_t db_get_wall(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    const char *text = text_of(rows, cell);
    wall_t wall = WALL_NONE;
    if (cell->kind == CELL_WALL)
        return cell->number >= 0 ? cell->number / MICROS : -((MICROS - 1 - cell->number) / MICROS);
    if (cell->kind != CELL_NULL && !is_zero_date(text) && !(text && wall_from_sql(text, &wall)))
        not_a(rows, column, "a date and time");
    return wall;
}

int db_get_minute(const struct db_rows *rows, unsigned column)
{
    const struct cell *cell = cell_at(rows, column);
    const char *text = text_of(rows, cell);
    int minute = -1;
    if (cell->kind == CELL_TIME)
        return cell->number >= 0 && cell->number <= DAY_MICROS ? (int)(cell->number / (60 * MICROS)) : -1;
    if (cell->kind != CELL_NULL && !(text && minute_from_sql(text, &minute)))
        not_a(rows, column, "a time of day");
    return minute;
}

enum fd_code db_select(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                       struct db_rows **rows, struct fd_error *err)
{
    *rows = NULL;
    enum fd_code code = db_statement_run(db, query, args, count, err);
    if (code)
        return code;
    if (query->shape == DB_NONE)
        FD_BUG("%s: db_select of a query that returns no rows", query->name);
    return db_rows_read(db, query, rows, err);
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
