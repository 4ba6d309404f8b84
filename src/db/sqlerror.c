/* What an SQL error means: one table, by errno (SQLSTATE differs between servers). Source: the
 * project's database facts, section 2.9. */
#include <string.h>

#include "base/fault.h"
#include "base/i18n.h"
#include "db/db_internal.h"

static const struct {
    unsigned number;
    enum sql_class class;
} classes[] = {
    {1213, SQL_RETRY},                       /* deadlock, Galera certification */
    {1205, SQL_RETRY},                       /* lock wait: the statement only is undone, so we roll back ourselves */
    {1020, SQL_RETRY},                       /* MariaDB snapshot isolation */
    {3101, SQL_RETRY},                       /* Group Replication certification */
    {3572, SQL_RETRY},                       /* NOWAIT */
    {1615, SQL_RETRY},                       /* re-prepare limit */
    {2057, SQL_RETRY},                       /* result columns changed under a prepared statement */
    {9007, SQL_RETRY},                       /* TiDB: write conflict */
    {8022, SQL_RETRY},    {8028, SQL_RETRY}, /* TiDB: schema changed */
    {8002, SQL_RETRY},    {2006, SQL_LOST},     {2013, SQL_LOST}, /* lost or read timeout */
    {2055, SQL_LOST},     {2026, SQL_LOST}, /* TLS error after the handshake: MySQL 9 reports a kill so */
    {2027, SQL_LOST},                       /* malformed packet: nothing after it can be trusted */
    {1053, SQL_LOST},                       /* shutdown in progress */
    {1180, SQL_LOST},                       /* Galera: node left the primary component while committing */
    {3100, SQL_LOST},                       /* Group Replication: hook failed at COMMIT */
    {4031, SQL_LOST},                       /* MySQL: closed after inactivity */
    {1158, SQL_LOST},     {1159, SQL_LOST},     {1160, SQL_LOST},     {1161, SQL_LOST},
    {1317, SQL_KILLED},   {1047, SQL_NODE},                       /* Galera: not ready */
    {1290, SQL_NODE},                                             /* read only */
    {1836, SQL_NODE},     {3032, SQL_NODE},                       /* offline mode */
    {2002, SQL_NODE},     {2003, SQL_NODE},     {2005, SQL_NODE}, /* unknown host */
    {1040, SQL_NODE},                                             /* too many connections */
    {1129, SQL_NODE},                                             /* host blocked */
    {1203, SQL_NODE},                                             /* too many connections of this account */
    {1927, SQL_NODE},                                             /* connection was killed */
    {1044, SQL_RIGHT},                                            /* on the database */
    {1142, SQL_RIGHT},                                            /* on a table */
    {1143, SQL_RIGHT},                                            /* on a column */
    {1227, SQL_RIGHT},                                            /* of the whole server */
    {1370, SQL_RIGHT},                                            /* on a routine */
    {1419, SQL_RIGHT},                                            /* CREATE TRIGGER while the binary log is on */
    {1062, SQL_EXISTS},   {1690, SQL_BUSINESS},                   /* unsigned out of range */
    {3819, SQL_BUSINESS},                                         /* CHECK, MySQL */
    {4025, SQL_BUSINESS},                                         /* CHECK, MariaDB */
    {1644, SQL_BUSINESS},                                         /* SIGNAL of a row guard */
    {1264, SQL_BUSINESS}, {1265, SQL_BUSINESS}, {1406, SQL_BUSINESS}, {1452, SQL_BUSINESS},
};

enum sql_class sql_class_of(unsigned number)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].number == number)
            return classes[i].class;
    return SQL_FATAL;
}

/* Codes whose sentence quotes what was stored. */
static bool quotes_a_value(unsigned number)
{
    static const unsigned numbers[] = {1062, 1292, 1366, 1411, 1441, 1525, 1586, 1761, 4078};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static const char *last_of(const char *text, const char *part)
{
    const char *found = NULL;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        found = at;
    return found;
}

void sql_redact(unsigned number, const char *text, char *out, size_t out_bytes)
{
    const char *open = quotes_a_value(number) ? strchr(text, '\'') : NULL;
    if (!open) {
        cut_copy(out, out_bytes, text);
        return;
    }
    /* The value may contain quotes itself: what is safe to keep begins at the last " for ". */
    const char *tail = last_of(open, "' for ");
    char kept[256];
    cut_copy(kept, sizeof kept, tail ? tail + 1 : "");
    struct buf buf = {0};
    buf_add_bytes(&buf, text, (size_t)(open - text));
    buf_printf(&buf, "'...'%s", kept);
    cut_copy(out, out_bytes, buf_text(&buf));
    buf_release(&buf);
}

void sql_key_name(const char *text, char *out, size_t out_bytes)
{
    out[0] = '\0';
    const char *key = last_of(text, " for key '");
    if (!key)
        return;
    key += strlen(" for key '");
    const char *end = strrchr(key, '\'');
    size_t length = end ? (size_t)(end - key) : strlen(key);
    /* MySQL puts the table in front, MariaDB does not. */
    const char *dot = memrchr(key, '.', length);
    if (dot) {
        length -= (size_t)(dot + 1 - key);
        key = dot + 1;
    }
    if (length >= out_bytes)
        length = out_bytes - 1;
    memcpy(out, key, length);
    out[length] = '\0';
}

/* Only what is surely undone keeps its class at COMMIT; all else may have committed. */
static enum fd_code code_at_commit(enum sql_class class)
{
    switch (class) {
    case SQL_RETRY:
        return FD_RETRY;
    case SQL_EXISTS:
        return FD_EXISTS;
    case SQL_BUSINESS:
        return FD_REFUSED;
    case SQL_RIGHT:
    case SQL_FATAL:
    case SQL_LOST:
    case SQL_NODE:
    case SQL_KILLED:
        break;
    }
    return FD_UNKNOWN;
}

static enum fd_code code_of(enum sql_class class)
{
    static const enum fd_code codes[] = {
        [SQL_FATAL] = FD_INTERNAL,   [SQL_RETRY] = FD_RETRY,   [SQL_LOST] = FD_DB_DOWN,     [SQL_NODE] = FD_DB_DOWN,
        [SQL_BUSINESS] = FD_REFUSED, [SQL_EXISTS] = FD_EXISTS, [SQL_KILLED] = FD_CANCELLED, [SQL_RIGHT] = FD_CONFIG,
    };
    return codes[class];
}

enum fd_code sql_lacks(const char *right, const char *text, struct fd_error *err)
{
    if (right[0])
        fd_fail(err, FD_CONFIG, _("The account of the database lacks the right %s: %s"), right, text);
    else
        fd_fail(err, FD_CONFIG, _("The account of the database lacks a right: %s"), text);
    fd_hint(err, "%s",
            _("An administrator of the server gives it with GRANT: frontdesk migrate needs all rights on its database, "
              "the desk SELECT, INSERT, UPDATE and DELETE."));
    return FD_CONFIG;
}

/* "CREATE command denied to user 'desk'@'localhost' for table `hall`.`bill`" and "Access denied for user 'desk'@'%' to
 * database 'hall'": no value that was stored stands in them. */
static void fail_right(unsigned number, const char *text, struct fd_error *err)
{
    static const char denied[] = " command denied", needs[] = "(at least one of) the ";
    const char *command = strstr(text, denied), *needed = strstr(text, needs);
    char right[96] = "";
    if (command)
        cut_copy(right, sizeof right < (size_t)(command - text) + 1 ? sizeof right : (size_t)(command - text) + 1,
                 text);
    else if (needed)
        fit_printf(right, "%.*s", (int)strcspn(needed + strlen(needs), " "), needed + strlen(needs));
    if (number == 1419) {
        fd_fail(err, FD_CONFIG, "%s",
                _("The account of the database may not make triggers while the server keeps a binary log."));
        fd_hint(err, "%s", _("An administrator of the server sets: SET GLOBAL log_bin_trust_function_creators = 1"));
        return;
    }
    sql_lacks(right, text, err);
}

enum fd_code sql_fail(struct db *db, const char *label, unsigned number, const char *state, const char *text,
                      bool at_commit, struct fd_error *err)
{
    enum sql_class class = sql_class_of(number);
    enum fd_code code = at_commit ? code_at_commit(class) : code_of(class);
    char safe[384], state_copy[6];
    sql_redact(number, text, safe, sizeof safe);
    cut_copy(state_copy, sizeof state_copy, state ? state : "");
    db->doomed = true;
    db->error_key[0] = '\0';
    if (code == FD_EXISTS)
        sql_key_name(text, db->error_key, sizeof db->error_key);
    /* 1153: the server hangs up after it. */
    if (code == FD_DB_DOWN || code == FD_UNKNOWN || number == 1153)
        db_link_drop(db);
    if (class == SQL_RIGHT && !at_commit)
        fail_right(number, text, err);
    else
        fd_fail(err, code, NULL);
    if (err) {
        err->sql_errno = (int)number;
        cut_copy(err->sqlstate, sizeof err->sqlstate, state_copy);
    }
    fd_detail(err, "%s: SQL error %u (%s): %s", label, number, state_copy, safe);
    return code;
}

enum fd_code sql_fail_link(struct db *db, const char *label, bool at_commit, struct fd_error *err)
{
    char text[MYSQL_ERRMSG_SIZE];
    cut_copy(text, sizeof text, mysql_error(db->link));
    return sql_fail(db, label, mysql_errno(db->link), mysql_sqlstate(db->link), text, at_commit, err);
}

enum fd_code sql_fail_stmt(struct db *db, const char *label, MYSQL_STMT *stmt, struct fd_error *err)
{
    char text[MYSQL_ERRMSG_SIZE];
    /* libmariadb leaves an error that comes in place of a row with the link. */
    if (mysql_stmt_errno(stmt) == 0 && mysql_errno(db->link) != 0)
        return sql_fail_link(db, label, false, err);
    cut_copy(text, sizeof text, mysql_stmt_error(stmt));
    return sql_fail(db, label, mysql_stmt_errno(stmt), mysql_stmt_sqlstate(stmt), text, false, err);
}

enum fd_code sql_fail_injected(struct db *db, const char *label, int number, bool at_commit, struct fd_error *err)
{
    return sql_fail(db, label, (unsigned)number, "HY000", "injected", at_commit, err);
}
