/* The one place outside src/db that includes mysql.h: a floor measured through the database layer
 * would hide what that layer costs, which is what the comparison is for. */
#include "bare.h"

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#if defined(MARIADB_BASE_VERSION) || defined(LIBMARIADB)
typedef my_bool flag;
#else
typedef bool flag;
#endif

#define VALUES_MOST     64
#define STATEMENTS_MOST 32
#define COLUMNS_MOST    40
#define PARAMS_MOST     400
#define TEXT_BYTES      1024
#define LOCK_WAIT       1205U
#define DEADLOCK        1213U

struct bare_value {
    char name[64];
    enum enum_field_types type;
    long long number;
    char text[TEXT_BYTES];
    unsigned long bytes;
    flag null;
};

struct bare_column {
    enum enum_field_types type;
    long long number;
    MYSQL_TIME time;
    char text[TEXT_BYTES];
    unsigned long bytes;
    flag null, error;
};

struct statement {
    MYSQL_STMT *stmt;
    struct bare_column *columns;
    unsigned column_count;
};

struct bare {
    MYSQL *link;
    struct bare_value values[VALUES_MOST];
    size_t value_count;
    struct statement statements[STATEMENTS_MOST];
    int statement_count;
};

/* As src/db/session.c sets it; the program compares both sessions before it measures. */
static const char session[] =
    "SET SESSION autocommit=0, SESSION sql_mode='STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,"
    "NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', SESSION time_zone='+08:00',"
    " SESSION character_set_client=utf8mb4, SESSION character_set_results=utf8mb4,"
    " SESSION collation_connection=utf8mb4_unicode_520_ci, SESSION innodb_lock_wait_timeout=3,"
    " SESSION lock_wait_timeout=3, @fd_session=CONNECTION_ID()";

_Noreturn static void die(const char *what, const char *why)
{
    fprintf(stderr, "bare client: %s: %s\n", what, why);
    exit(99);
}

static void text_statement(struct bare *bare, const char *sql)
{
    if (mysql_real_query(bare->link, sql, strlen(sql)))
        die(sql, mysql_error(bare->link));
}

struct bare *bare_open(const char *socket, const char *user, const char *database)
{
    struct bare *bare = calloc(1, sizeof *bare);
    if (!bare || !(bare->link = mysql_init(NULL)))
        die("memory", "none");
    mysql_options(bare->link, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!mysql_real_connect(bare->link, NULL, user, NULL, database, 0, socket, 0))
        die("connect", mysql_error(bare->link));
    text_statement(bare, session);
    /* The variable has another name before MariaDB 11.1; the statement means the same. */
    text_statement(bare, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    return bare;
}

void bare_close(struct bare **bare)
{
    if (!*bare)
        return;
    for (int i = 0; i < (*bare)->statement_count; i++) {
        mysql_stmt_close((*bare)->statements[i].stmt);
        free((*bare)->statements[i].columns);
    }
    mysql_close((*bare)->link);
    free(*bare);
    *bare = NULL;
}

/* --- values ------------------------------------------------------------------------------------- */

static struct bare_value *value_find(struct bare *bare, const char *name)
{
    for (size_t i = 0; i < bare->value_count; i++)
        if (strcmp(bare->values[i].name, name) == 0)
            return &bare->values[i];
    return NULL;
}

static struct bare_value *value_new(struct bare *bare, const char *name, enum enum_field_types type)
{
    struct bare_value *value = value_find(bare, name);
    if (!value) {
        if (bare->value_count == VALUES_MOST)
            die(name, "too many values");
        value = &bare->values[bare->value_count++];
        snprintf(value->name, sizeof value->name, "%s", name);
    }
    value->type = type;
    return value;
}

struct bare_value *bare_int(struct bare *bare, const char *name, int64_t number)
{
    struct bare_value *value = value_new(bare, name, MYSQL_TYPE_LONGLONG);
    value->number = number;
    return value;
}

struct bare_value *bare_text(struct bare *bare, const char *name, const char *text)
{
    struct bare_value *value = value_new(bare, name, MYSQL_TYPE_STRING);
    bare_set_text(value, text);
    return value;
}

struct bare_value *bare_decimal(struct bare *bare, const char *name, const char *text)
{
    struct bare_value *value = value_new(bare, name, MYSQL_TYPE_NEWDECIMAL);
    bare_set_text(value, text);
    return value;
}

void bare_set_int(struct bare_value *value, int64_t number)
{
    value->number = number;
}

void bare_set_text(struct bare_value *value, const char *text)
{
    value->null = !text;
    value->bytes = text ? strlen(text) : 0;
    if (value->bytes >= sizeof value->text)
        die(value->name, "text too long");
    if (text)
        memcpy(value->text, text, value->bytes + 1);
}

/* --- statements ---------------------------------------------------------------------------------- */

static void bind_value(struct bare *bare, const char *query, const char *name, MYSQL_BIND *bind)
{
    char own[64];
    snprintf(own, sizeof own, "%s:%s", query, name);
    struct bare_value *value = value_find(bare, own);
    if (!value)
        value = value_find(bare, name);
    if (!value)
        die(own, "no such value");
    memset(bind, 0, sizeof *bind);
    bind->buffer_type = value->type;
    bind->is_null = &value->null;
    bind->buffer = value->type == MYSQL_TYPE_LONGLONG ? (void *)&value->number : (void *)value->text;
    bind->buffer_length = value->type == MYSQL_TYPE_LONGLONG ? 0 : sizeof value->text;
    bind->length = value->type == MYSQL_TYPE_LONGLONG ? NULL : &value->bytes;
}

/* `sql` with ? for each :name outside quotes; the values in that order. */
static unsigned translate(struct bare *bare, const char *query, const char *sql, char *out, MYSQL_BIND *binds)
{
    unsigned count = 0;
    char quote = 0;
    while (*sql) {
        if (!quote && *sql == ':' && (isalpha((unsigned char)sql[1]) || sql[1] == '_')) {
            char name[40];
            size_t length = 0;
            for (sql++; isalnum((unsigned char)*sql) || *sql == '_'; sql++)
                if (length < sizeof name - 1)
                    name[length++] = *sql;
            name[length] = '\0';
            if (count == PARAMS_MOST)
                die(query, "too many parameters");
            bind_value(bare, query, name, &binds[count++]);
            *out++ = '?';
            continue;
        }
        if (quote ? *sql == quote : *sql == '\'' || *sql == '"' || *sql == '`')
            quote = quote ? 0 : *sql;
        *out++ = *sql++;
    }
    *out = '\0';
    return count;
}

static bool is_integer(enum enum_field_types type)
{
    return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 || type == MYSQL_TYPE_LONG ||
           type == MYSQL_TYPE_LONGLONG;
}

static bool is_time(enum enum_field_types type)
{
    return type == MYSQL_TYPE_DATE || type == MYSQL_TYPE_TIME || type == MYSQL_TYPE_DATETIME ||
           type == MYSQL_TYPE_TIMESTAMP;
}

/* Each column as the protocol sends it, so that the library converts nothing. */
static void bind_columns(struct statement *statement)
{
    MYSQL_BIND binds[COLUMNS_MOST];
    MYSQL_RES *fields = mysql_stmt_result_metadata(statement->stmt);
    if (!fields)
        return;
    statement->column_count = mysql_num_fields(fields);
    if (statement->column_count > COLUMNS_MOST)
        die("result", "too many columns");
    statement->columns = calloc(statement->column_count, sizeof *statement->columns);
    memset(binds, 0, sizeof binds);
    for (unsigned i = 0; i < statement->column_count; i++) {
        struct bare_column *column = &statement->columns[i];
        enum enum_field_types type = mysql_fetch_field_direct(fields, i)->type;
        column->type = is_integer(type) ? MYSQL_TYPE_LONGLONG : is_time(type) ? type : MYSQL_TYPE_STRING;
        binds[i].buffer_type = column->type;
        binds[i].is_null = &column->null;
        binds[i].error = &column->error;
        binds[i].length = &column->bytes;
        binds[i].buffer = is_integer(type) ? (void *)&column->number
                          : is_time(type)  ? (void *)&column->time
                                           : (void *)column->text;
        binds[i].buffer_length = column->type == MYSQL_TYPE_STRING ? sizeof column->text - 1 : sizeof column->time;
    }
    mysql_free_result(fields);
    if (mysql_stmt_bind_result(statement->stmt, binds))
        die("bind", mysql_stmt_error(statement->stmt));
}

int bare_prepare(struct bare *bare, const char *query, const char *sql)
{
    MYSQL_BIND binds[PARAMS_MOST];
    if (bare->statement_count == STATEMENTS_MOST)
        die(query, "too many statements");
    struct statement *statement = &bare->statements[bare->statement_count];
    char *text = malloc(strlen(sql) + 1);
    if (!text)
        die(query, "no memory");
    unsigned count = translate(bare, query, sql, text, binds);
    statement->stmt = mysql_stmt_init(bare->link);
    if (!statement->stmt || mysql_stmt_prepare(statement->stmt, text, strlen(text)))
        die(query, mysql_error(bare->link));
    if (mysql_stmt_param_count(statement->stmt) != count)
        die(query, "the server counts other parameters");
    if (count > 0 && mysql_stmt_bind_param(statement->stmt, binds))
        die(query, mysql_stmt_error(statement->stmt));
    free(text);
    bind_columns(statement);
    return bare->statement_count++;
}

static bool is_victim(struct bare *bare, struct statement *statement)
{
    unsigned number = mysql_stmt_errno(statement->stmt);
    if (number != DEADLOCK && number != LOCK_WAIT)
        die("execute", mysql_stmt_error(statement->stmt));
    bare_rollback(bare);
    return true;
}

int64_t bare_each(struct bare *bare, int number, bare_row_fn *row, void *arg)
{
    struct statement *statement = &bare->statements[number];
    int64_t count = 0;
    if (mysql_stmt_execute(statement->stmt) && is_victim(bare, statement))
        return -1;
    if (statement->column_count == 0)
        return (int64_t)mysql_stmt_affected_rows(statement->stmt);
    for (;;) {
        int outcome = mysql_stmt_fetch(statement->stmt);
        if (outcome == MYSQL_NO_DATA)
            break;
        if (outcome == MYSQL_DATA_TRUNCATED)
            die("fetch", "a text is longer than expected");
        if (outcome != 0 && is_victim(bare, statement))
            return -1;
        count++;
        if (row)
            row(bare, number, arg);
    }
    mysql_stmt_free_result(statement->stmt);
    return count;
}

int64_t bare_run(struct bare *bare, int statement)
{
    return bare_each(bare, statement, NULL, NULL);
}

int64_t bare_column_int(const struct bare *bare, int statement, unsigned column)
{
    const struct bare_column *from = &bare->statements[statement].columns[column];
    if (from->null)
        return 0;
    return from->type == MYSQL_TYPE_LONGLONG ? from->number : strtoll(from->text, NULL, 10);
}

const char *bare_column_text(const struct bare *bare, int statement, unsigned column)
{
    struct bare_column *from = &bare->statements[statement].columns[column];
    if (from->null || from->type != MYSQL_TYPE_STRING)
        return "";
    from->text[from->bytes] = '\0';
    return from->text;
}

int bare_column_minute(const struct bare *bare, int statement, unsigned column)
{
    const MYSQL_TIME *time = &bare->statements[statement].columns[column].time;
    return (int)(time->hour * 60 + time->minute);
}

/* --- transactions and text ------------------------------------------------------------------------ */

void bare_commit(struct bare *bare)
{
    text_statement(bare, "COMMIT");
}

void bare_rollback(struct bare *bare)
{
    text_statement(bare, "ROLLBACK");
}

void bare_query(struct bare *bare, const char *sql, char *out, unsigned bytes)
{
    text_statement(bare, sql);
    MYSQL_RES *result = mysql_field_count(bare->link) > 0 ? mysql_store_result(bare->link) : NULL;
    char **row = result ? mysql_fetch_row(result) : NULL;
    if (out)
        snprintf(out, bytes, "%s", row && row[0] ? row[0] : "");
    mysql_free_result(result);
}

int64_t bare_connection_id(struct bare *bare)
{
    return (int64_t)mysql_thread_id(bare->link);
}
