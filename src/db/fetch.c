/* Result columns: integers as integers, times by the binary protocol's own structure, all else as
 * text. Read straight from the wire, without the client library's own copy of the result. */
#include <stdlib.h>
#include <string.h>

#include "db/db_internal.h"

#define TEXT_LEAST 32UL
#define TEXT_FIRST 1024UL
#define TEXT_KEPT (256UL * 1024) /* a buffer that one long text made grow is given back above this */

static enum column_kind kind_of(enum enum_field_types type)
{
    static const struct {
        enum enum_field_types type;
        enum column_kind kind;
    } kinds[] = {
        {MYSQL_TYPE_TINY, COLUMN_INT},   {MYSQL_TYPE_SHORT, COLUMN_INT},    {MYSQL_TYPE_INT24, COLUMN_INT},
        {MYSQL_TYPE_LONG, COLUMN_INT},   {MYSQL_TYPE_LONGLONG, COLUMN_INT}, {MYSQL_TYPE_YEAR, COLUMN_INT},
        {MYSQL_TYPE_FLOAT, COLUMN_REAL}, {MYSQL_TYPE_DOUBLE, COLUMN_REAL},  {MYSQL_TYPE_DATE, COLUMN_TIME},
        {MYSQL_TYPE_TIME, COLUMN_TIME},  {MYSQL_TYPE_DATETIME, COLUMN_TIME}, {MYSQL_TYPE_TIMESTAMP, COLUMN_TIME},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return COLUMN_TEXT;
}

static void bind_column(MYSQL_BIND *bind, struct column *column)
{
    memset(bind, 0, sizeof *bind);
    bind->is_null = &column->null;
    bind->error = &column->error;
    bind->length = &column->bytes;
    switch (column->kind) {
    case COLUMN_INT:
        /* Signed also for unsigned columns: what does not fit is then reported, not wrapped. */
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &column->number;
        break;
    case COLUMN_REAL:
        bind->buffer_type = MYSQL_TYPE_DOUBLE;
        bind->buffer = &column->real;
        break;
    case COLUMN_TIME:
        bind->buffer_type = column->type;
        bind->buffer = &column->time;
        bind->buffer_length = sizeof column->time;
        break;
    case COLUMN_TEXT:
        bind->buffer_type = MYSQL_TYPE_STRING;
        bind->buffer = column->text;
        bind->buffer_length = column->capacity;
        break;
    }
}

void db_columns_release(struct slot *slot)
{
    for (unsigned i = 0; i < slot->column_count; i++)
        free(slot->columns[i].text);
    free(slot->columns);
    free(slot->column_binds);
    slot->columns = NULL;
    slot->column_binds = NULL;
    slot->column_count = 0;
}

static void column_set_up(struct column *column, const MYSQL_FIELD *field)
{
    column->type = field->type;
    column->kind = kind_of(field->type);
    column->is_unsigned = (field->flags & UNSIGNED_FLAG) != 0;
    column->decimals = field->decimals <= 6 ? field->decimals : 0;
    if (column->kind == COLUMN_TEXT) {
        column->capacity = field->length + 1;
        if (column->capacity > TEXT_FIRST || column->capacity == 0)
            column->capacity = TEXT_FIRST;
        if (column->capacity < TEXT_LEAST)
            column->capacity = TEXT_LEAST;
        column->text = xmalloc(column->capacity + 1);
    }
}

static void bind_all(struct slot *slot)
{
    for (unsigned i = 0; i < slot->column_count; i++)
        bind_column(&slot->column_binds[i], &slot->columns[i]);
    if (slot->column_count > 0 && mysql_stmt_bind_result(slot->stmt, slot->column_binds))
        FD_BUG("bind of result columns: %s", mysql_stmt_error(slot->stmt));
}

void db_columns_bind(struct slot *slot)
{
    db_columns_release(slot);
    slot->column_count = mysql_stmt_field_count(slot->stmt);
    if (slot->column_count == 0)
        return;
    slot->columns = xcalloc(slot->column_count, sizeof *slot->columns);
    slot->column_binds = xcalloc(slot->column_count, sizeof *slot->column_binds);
    for (unsigned i = 0; i < slot->column_count; i++)
        column_set_up(&slot->columns[i], &slot->stmt->fields[i]);
    bind_all(slot);
}

/* The server prepares anew by itself after an ALTER and may send other types then. */
static bool columns_changed(const struct slot *slot)
{
    if (mysql_stmt_field_count(slot->stmt) != slot->column_count)
        return true;
    for (unsigned i = 0; i < slot->column_count; i++)
        if (slot->stmt->fields[i].type != slot->columns[i].type)
            return true;
    return false;
}

/* Fetches the texts that did not fit into larger buffers; anything else that was cut is an error. */
static enum fd_code refetch(struct db *db, const struct db_query *query, struct slot *slot, struct fd_error *err)
{
    bool grown = false;
    for (unsigned i = 0; i < slot->column_count; i++) {
        struct column *column = &slot->columns[i];
        if (column->null || !column->error)
            continue;
        if (column->kind != COLUMN_TEXT || column->bytes <= column->capacity) {
            fd_fail(err, FD_INTERNAL, NULL);
            fd_detail(err, "%s: column %u was cut (type %d)", query->name, i, (int)column->type);
            db->doomed = true;
            return FD_INTERNAL;
        }
        column->capacity = column->bytes + column->bytes / 2 + 1;
        free(column->text);
        column->text = xmalloc(column->capacity + 1);
        MYSQL_BIND bind;
        bind_column(&bind, column);
        if (mysql_stmt_fetch_column(slot->stmt, &bind, i, 0))
            return sql_fail_stmt(db, query->name, slot->stmt, err);
        grown = true;
    }
    /* Only now: binding forgets where the row's other columns stand. */
    if (grown)
        bind_all(slot);
    return FD_OK;
}

static enum fd_code fetch_all(struct db *db, struct db_query *query, struct db_rows *rows, struct fd_error *err)
{
    struct slot *slot = &db->slots[query->index];
    for (;;) {
        int outcome = mysql_stmt_fetch(slot->stmt);
        if (outcome == MYSQL_NO_DATA)
            return FD_OK;
        if (outcome == MYSQL_DATA_TRUNCATED) {
            enum fd_code code = refetch(db, query, slot, err);
            if (code)
                return code;
        } else if (outcome != 0) {
            return sql_fail_stmt(db, query->name, slot->stmt, err);
        }
        db_rows_add(rows, slot);
    }
}

static void shrink_columns(struct slot *slot)
{
    bool shrunk = false;
    for (unsigned i = 0; i < slot->column_count; i++) {
        struct column *column = &slot->columns[i];
        if (column->kind == COLUMN_TEXT && column->capacity > TEXT_KEPT) {
            free(column->text);
            column->capacity = TEXT_FIRST;
            column->text = xmalloc(column->capacity + 1);
            shrunk = true;
        }
    }
    if (shrunk)
        bind_all(slot);
}

enum fd_code db_rows_read(struct db *db, struct db_query *query, struct db_rows **out, struct fd_error *err)
{
    struct slot *slot = &db->slots[query->index];
    int64_t begin = mono_us();
    if (columns_changed(slot))
        db_columns_bind(slot);
    struct db_rows *rows = db_rows_begin(slot, query);
    enum fd_code code = fetch_all(db, query, rows, err);
    if (slot->stmt) {
        mysql_stmt_free_result(slot->stmt);
        shrink_columns(slot);
    }
    db->last_us += mono_us() - begin;
    if (code == FD_OK && query->shape != DB_ROWS && rows->count > 1) {
        fd_fail(err, FD_INTERNAL, NULL);
        fd_detail(err, "%s: %zu rows where one was expected", query->name, rows->count);
        db->doomed = true;
        code = FD_INTERNAL;
    }
    if (code)
        db_rows_close(&rows);
    *out = rows;
    return code;
}

