/* Prepared statements: once per link, found by the query's index, arguments bound by name. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/i18n.h"
#include "base/log.h"
#include "db/db_internal.h"

enum fd_code db_statement_gate(struct db *db, const char *label, struct fd_error *err)
{
    if (db->doomed && !FD_TOOTH("refuse_after_error"))
        FD_BUG("%s: statement after an SQL error without rollback", label);
    if (!db->link) {
        db->doomed = true;
        fd_fail(err, FD_DB_DOWN, NULL);
        fd_detail(err, "%s: not connected", label);
        return FD_DB_DOWN;
    }
    int fault = FD_FAULT_SQL();
    /* Off: the statement alone is sent again after a deadlock, which has undone those before it. */
    if (fault && FD_TOOTH("retry_whole"))
        return mysql_real_query(db->link, "ROLLBACK", 8) ? FD_INTERNAL : FD_OK;
    if (fault)
        return sql_fail_injected(db, label, fault, false, err);
    return FD_OK;
}

void db_statement_forget(struct slot *slot)
{
    db_columns_release(slot);
    if (slot->stmt)
        mysql_stmt_close(slot->stmt);
    slot->stmt = NULL;
    slot->ran = false;
}

void db_slot_release(struct slot *slot)
{
    db_statement_forget(slot);
    db_rows_abandon(slot->rows);
    for (unsigned i = 0; i < slot->param_count; i++)
        free(slot->params[i].name);
    free(slot->params);
    free(slot->binds);
    free(slot->sql);
    memset(slot, 0, sizeof *slot);
}

static enum fd_code prepare(struct db *db, struct db_query *query, struct slot *slot, struct fd_error *err)
{
    if (!slot->sql)
        db_query_parse(slot, query->sql);
    slot->stmt = mysql_stmt_init(db->link);
    if (!slot->stmt)
        return sql_fail_link(db, query->name, false, err);
    if (mysql_stmt_prepare(slot->stmt, slot->sql, strlen(slot->sql))) {
        enum fd_code code = sql_fail_stmt(db, query->name, slot->stmt, err);
        db_statement_forget(slot);
        return code;
    }
    if (mysql_stmt_param_count(slot->stmt) != slot->param_count)
        FD_BUG("%s: the server counts %lu parameters, the parser %u", query->name, mysql_stmt_param_count(slot->stmt),
               slot->param_count);
    unsigned columns = mysql_stmt_field_count(slot->stmt);
    if ((columns > 0) != (query->shape != DB_NONE) || (query->shape == DB_VALUE && columns != 1))
        FD_BUG("%s: the declared shape does not fit the statement", query->name);
    db_columns_bind(slot);
    return FD_OK;
}

/* A misspelt argument would silently leave a parameter at NULL: our own mistake. */
static void match_arguments(const struct db_query *query, struct slot *slot, const struct db_arg *args, size_t count)
{
    for (unsigned i = 0; i < slot->param_count; i++) {
        struct param *param = &slot->params[i];
        size_t at = 0;
        while (at < count && strcmp(args[at].name, param->name) != 0)
            at++;
        if (at == count)
            FD_BUG("%s: no argument for :%s", query->name, param->name);
        param->argument = at;
    }
    for (size_t at = 0; at < count; at++) {
        unsigned i = 0;
        while (i < slot->param_count && slot->params[i].argument != at)
            i++;
        if (i == slot->param_count)
            FD_BUG("%s: argument %s is not in the statement", query->name, args[at].name);
    }
    slot->argument_count = count;
}

static bool arguments_match(const struct slot *slot, const struct db_arg *args, size_t count)
{
    if (count != slot->argument_count)
        return false;
    for (unsigned i = 0; i < slot->param_count; i++) {
        const struct param *param = &slot->params[i];
        if (strcmp(args[param->argument].name, param->name) != 0)
            return false;
    }
    return true;
}

static void bind_text(MYSQL_BIND *bind, struct param *param, enum enum_field_types type, const char *text)
{
    param->bytes = strlen(text);
    bind->buffer_type = type;
    bind->buffer = (void *)(uintptr_t)text; /* the library only reads it */
    bind->buffer_length = param->bytes;
    bind->length = &param->bytes;
}

static void bind_argument(MYSQL_BIND *bind, struct param *param, const struct db_arg *arg)
{
    memset(bind, 0, sizeof *bind);
    param->null = arg->type == DB_T_NULL;
    bind->is_null = &param->null;
    switch (arg->type) {
    case DB_T_NULL:
        bind->buffer_type = MYSQL_TYPE_NULL;
        break;
    case DB_T_INT:
        param->number = arg->number;
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &param->number;
        break;
    case DB_T_TEXT:
        bind_text(bind, param, MYSQL_TYPE_STRING, arg->text);
        break;
    case DB_T_SMALL:
        bind_text(bind, param, MYSQL_TYPE_STRING, arg->small);
        break;
    case DB_T_FEN:
        /* As DECIMAL, not as a string: a string would be compared and added as a double. */
        bind_text(bind, param, MYSQL_TYPE_NEWDECIMAL, fen_decimal(arg->number, param->fen));
        break;
    }
}

static enum fd_code execute(struct db *db, struct db_query *query, struct slot *slot, struct fd_error *err)
{
    if ((slot->param_count > 0 && mysql_stmt_bind_param(slot->stmt, slot->binds)) || mysql_stmt_execute(slot->stmt)) {
        return sql_fail_stmt(db, query->name, slot->stmt, err);
    }
    slot->ran = true;
    return FD_OK;
}

/* The tables changed under a statement that worked before. */
static bool is_stale(const struct slot *slot, unsigned number, bool ran_before)
{
    return slot->stmt && (number == 2057 || number == 1615 || (ran_before && (number == 1146 || number == 1054)));
}

enum fd_code db_statement_run(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                           struct fd_error *err)
{
    enum fd_code code = db_statement_gate(db, query->name, err);
    if (code)
        return code;
    struct slot *slot = &db->slots[query->index];
    struct fd_error local = {0};
    int64_t begin = mono_us();
    bool first = db->statements++ == 0;
    if (!slot->stmt)
        code = prepare(db, query, slot, &local);
    if (code == FD_OK) {
        if (!arguments_match(slot, args, count))
            match_arguments(query, slot, args, count);
        for (unsigned i = 0; i < slot->param_count; i++)
            bind_argument(&slot->binds[i], &slot->params[i], &args[slot->params[i].argument]);
        bool ran_before = slot->ran;
        code = execute(db, query, slot, &local);
        if (code && is_stale(slot, (unsigned)local.sql_errno, ran_before)) {
            db_statement_forget(slot);
            /* Nothing came before it, so once more is the whole transaction run again. */
            if (first && db->link) {
                db_rollback(db);
                db->statements++;
                code = prepare(db, query, slot, &local);
                code = code ? code : execute(db, query, slot, &local);
            }
        }
    }
    db->last_us = mono_us() - begin;
    if (code && err)
        *err = local;
    return code;
}

enum fd_code db_exec(struct db *db, struct db_query *query, const struct db_arg *args, size_t count,
                     int64_t *changed_rows, struct fd_error *err)
{
    enum fd_code code = db_statement_run(db, query, args, count, err);
    if (code)
        return code;
    if (query->shape != DB_NONE)
        FD_BUG("%s: db_exec of a query that returns rows", query->name);
    MYSQL_STMT *stmt = db->slots[query->index].stmt;
    if (changed_rows)
        *changed_rows = (int64_t)mysql_stmt_affected_rows(stmt);
    db->insert_id = (int64_t)mysql_stmt_insert_id(stmt);
    return FD_OK;
}

enum fd_code db_run(struct db *db, const char *sql, struct fd_error *err)
{
    enum fd_code code = db_statement_gate(db, "text", err);
    if (code)
        return code;
    int64_t begin = mono_us();
    db->statements++;
    if (mysql_real_query(db->link, sql, strlen(sql)))
        code = sql_fail_link(db, sql, false, err);
    else if (mysql_field_count(db->link) > 0) {
        MYSQL_RES *result = mysql_store_result(db->link);
        if (!result)
            code = sql_fail_link(db, sql, false, err);
        mysql_free_result(result);
    }
    db->last_us = mono_us() - begin;
    return code;
}
