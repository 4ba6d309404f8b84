/* The session: set in one statement, read back in one, also after a loss. Nothing is taken on trust:
 * an option file, an init command or a proxy may have set something else. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/log.h"
#include "db/db_internal.h"

/* No NO_UNSIGNED_SUBTRACTION: unsigned counters must refuse to go below 0. */
#define SQL_MODE                                                                                                       \
    "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"                   \
    "NO_ENGINE_SUBSTITUTION"
#define COLLATION     "utf8mb4_unicode_520_ci"
#define LOCK_WAIT_S   "3"
#define MARIADB_LEAST 101100UL
#define MYSQL_LEAST   80000UL

bool db_zone_is_offset(const char *zone)
{
    return zone && strlen(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && isdigit((unsigned char)zone[1]) &&
           isdigit((unsigned char)zone[2]) && zone[3] == ':' && isdigit((unsigned char)zone[4]) &&
           isdigit((unsigned char)zone[5]);
}

/* What is read back, in the order of the SELECT. */
enum answer {
    A_AUTOCOMMIT,
    A_ISOLATION,
    A_SQL_MODE,
    A_ZONE,
    A_COLLATION,
    A_CLIENT,
    A_RESULTS,
    A_LOCK_WAIT,
    A_SESSION,
    A_FLUSH,
    A_READ_ONLY,
    A_LOG_BIN,
    A_SYNC_BINLOG,
    A_ID,
    A_GALERA,
    A_COUNT
};

/* 101119 for "5.5.5-10.11.19-MariaDB". Not mysql_get_server_version(): to libmysqlclient an older
 * MariaDB is 5.5.5, which it puts in front for old replicas. */
static unsigned long version_number(const char *text)
{
    unsigned major = 0, minor = 0, patch = 0;
    if (strncmp(text, "5.5.5-", 6) == 0)
        text += 6;
    if (sscanf(text, "%u.%u.%u", &major, &minor, &patch) < 2)
        return 0;
    return major * 10000UL + minor * 100UL + patch;
}

static const char *isolation_name(const struct db *db)
{
    return db->is_mariadb && version_number(db->version) < 110101 ? "tx_isolation" : "transaction_isolation";
}

static enum fd_code set_session(struct db *db, struct fd_error *err)
{
    char sql[1024];
    fit_printf(sql,
               "SET SESSION autocommit=0, SESSION %s='READ-COMMITTED', SESSION sql_mode='" SQL_MODE "',"
               " SESSION time_zone='%s', SESSION character_set_client=utf8mb4,"
               " SESSION character_set_results=utf8mb4, SESSION collation_connection=" COLLATION ","
               " SESSION innodb_lock_wait_timeout=" LOCK_WAIT_S ", SESSION lock_wait_timeout=" LOCK_WAIT_S ","
               " @fd_session=%s",
               isolation_name(db), db->target.time_zone, db->target.plain_session ? "NULL" : "CONNECTION_ID()");
    if (mysql_real_query(db->link, sql, strlen(sql)) == 0)
        return FD_OK;
    fd_fail(err, sql_class_of(mysql_errno(db->link)) == SQL_FATAL ? FD_CONFIG : FD_DB_DOWN,
            _("The database does not accept the session's settings: %s"), mysql_error(db->link));
    fd_detail(err, "session: SQL error %u: %s", mysql_errno(db->link), mysql_error(db->link));
    return sql_class_of(mysql_errno(db->link)) == SQL_FATAL ? FD_CONFIG : FD_DB_DOWN;
}

static enum fd_code differs(const char *name, const char *wanted, const char *found, struct fd_error *err)
{
    fd_fail(err, FD_CONFIG, _("The database session has %s = %s instead of %s."), name, found ? found : "NULL", wanted);
    fd_hint(err, "%s",
            _("Something between frontdesk and the server changes the session; see the server's init_connect."));
    return FD_CONFIG;
}

static enum fd_code check_session(const struct db *db, char **row, struct fd_error *err)
{
    const struct {
        enum answer at;
        const char *name, *wanted;
    } wants[] = {
        {A_AUTOCOMMIT, "autocommit", "0"},
        {A_ISOLATION, "transaction isolation", "READ-COMMITTED"},
        {A_SQL_MODE, "sql_mode", SQL_MODE},
        {A_ZONE, "time_zone", db->target.time_zone},
        {A_COLLATION, "collation_connection", COLLATION},
        {A_CLIENT, "character_set_client", "utf8mb4"},
        {A_RESULTS, "character_set_results", "utf8mb4"},
        {A_LOCK_WAIT, "innodb_lock_wait_timeout", LOCK_WAIT_S},
        {A_SESSION, "@fd_session", db->target.plain_session ? "0" : "1"},
    };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (!row[wants[i].at] || strcmp(row[wants[i].at], wants[i].wanted) != 0)
            return differs(wants[i].name, wants[i].wanted, row[wants[i].at], err);
    return FD_OK;
}

/* Once per process and server setting is enough: a console reconnects often. */
static void warn_durability(char **row)
{
    static bool warned;
    bool loses = !row[A_FLUSH] || strcmp(row[A_FLUSH], "1") != 0;
    bool binlog = row[A_LOG_BIN] && strcmp(row[A_LOG_BIN], "1") == 0;
    bool loses_binlog = binlog && row[A_SYNC_BINLOG] && strcmp(row[A_SYNC_BINLOG], "1") != 0;
    if (warned || !(loses || loses_binlog))
        return;
    warned = true;
    if (loses)
        log_line(LOG_WARN, "innodb_flush_log_at_trx_commit is %s, not 1: a crash of the server loses paid orders",
                 row[A_FLUSH] ? row[A_FLUSH] : "NULL");
    if (loses_binlog)
        log_line(LOG_WARN, "sync_binlog is %s, not 1: a crash of the server may lose what replicas need",
                 row[A_SYNC_BINLOG]);
}

static enum fd_code check_galera(struct db *db, struct fd_error *err)
{
    static const char sql[] = "SHOW GLOBAL STATUS WHERE"
                              " (Variable_name = 'wsrep_ready' AND Value <> 'ON')"
                              " OR (Variable_name = 'wsrep_cluster_status' AND Value <> 'Primary')"
                              " OR (Variable_name = 'wsrep_local_state' AND Value <> '4')";
    if (mysql_real_query(db->link, sql, sizeof sql - 1))
        return sql_fail_link(db, "session.galera", false, err);
    MYSQL_RES *result = mysql_store_result(db->link);
    char **row = result ? mysql_fetch_row(result) : NULL;
    enum fd_code code = FD_OK;
    if (row) {
        code = fd_fail(err, FD_DB_DOWN, _("This node of the cluster is not ready."));
        fd_detail(err, "session.galera: %s = %s", row[0], row[1]);
    }
    mysql_free_result(result);
    return code;
}

static const char group_sql[] = "SELECT COUNT(*),"
                                " COALESCE(SUM(member_id = @@server_uuid AND member_state = 'ONLINE'), 0),"
                                " COALESCE(SUM(member_id = @@server_uuid AND member_role = 'PRIMARY'), 0),"
                                " COALESCE(SUM(member_state = 'UNREACHABLE'), 0)"
                                " FROM performance_schema.replication_group_members";

/* A member that was cut off goes on calling itself the primary and COMMIT hangs there; one that was restarted outside
 * its group takes writes that nobody will ever see. No rows: no group. */
static enum fd_code check_group(struct db *db, struct fd_error *err)
{
    static bool warned;
    MYSQL_RES *result =
        mysql_real_query(db->link, group_sql, sizeof group_sql - 1) ? NULL : mysql_store_result(db->link);
    char **row = result ? mysql_fetch_row(result) : NULL;
    if (!row) {
        unsigned number = mysql_errno(db->link);
        mysql_free_result(result);
        if (sql_class_of(number) == SQL_LOST || sql_class_of(number) == SQL_NODE)
            return sql_fail_link(db, "session.group", false, err);
        if (!warned && sql_class_of(number) == SQL_RIGHT)
            log_line(LOG_WARN, "the account may not read performance_schema.replication_group_members: whether this "
                               "server is the writing member of a group is not known");
        warned = true;
        return FD_OK;
    }
    long members = atol(row[0]), online = atol(row[1]), primary = atol(row[2]), away = atol(row[3]);
    mysql_free_result(result);
    enum fd_code code = FD_OK;
    if (members > 0 && !online)
        code = fd_fail(err, FD_DB_DOWN, "%s", _("This server is not in its replication group."));
    else if (members > 0 && !primary)
        code = fd_fail(err, FD_DB_DOWN, "%s",
                       _("This member of the replication group is not the one that is written to."));
    else if (members > 0 && away * 2 >= members)
        code = fd_fail(err, FD_DB_DOWN, "%s", _("This server is cut off from most of its replication group."));
    if (code)
        fd_detail(err, "session.group: %ld members, online %ld, primary %ld, unreachable %ld", members, online, primary,
                  away);
    return code;
}

static enum fd_code check_node(struct db *db, char **row, struct fd_error *err)
{
    if (row[A_READ_ONLY] && strcmp(row[A_READ_ONLY], "0") != 0 && strcmp(row[A_READ_ONLY], "OFF") != 0) {
        fd_fail(err, FD_DB_DOWN, _("This database server is read-only."));
        fd_hint(err, "%s", _("Point [database] at the server that is written to."));
        return FD_DB_DOWN;
    }
    if (!db->is_mariadb)
        return check_group(db, err);
    return row[A_GALERA] && strcmp(row[A_GALERA], "1") == 0 ? check_galera(db, err) : FD_OK;
}

static MYSQL_RES *ask_session(struct db *db, bool galera)
{
    char sql[768];
    fit_printf(sql,
               "SELECT @@autocommit, @@%s, @@sql_mode, @@time_zone, @@collation_connection, @@character_set_client,"
               " @@character_set_results, @@innodb_lock_wait_timeout, @fd_session <=> CONNECTION_ID(),"
               " @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.read_only, @@GLOBAL.log_bin, @@GLOBAL.sync_binlog,"
               " CONNECTION_ID(), %s",
               isolation_name(db), galera ? "@@GLOBAL.wsrep_on" : "0");
    if (mysql_real_query(db->link, sql, strlen(sql)))
        return NULL;
    return mysql_store_result(db->link);
}

static enum fd_code read_back(struct db *db, struct fd_error *err)
{
    MYSQL_RES *result = ask_session(db, db->is_mariadb);
    /* 1193: a MariaDB built without Galera. */
    if (!result && mysql_errno(db->link) == 1193)
        result = ask_session(db, false);
    char **row = result ? mysql_fetch_row(result) : NULL;
    if (!row || mysql_num_fields(result) != A_COUNT) {
        mysql_free_result(result);
        return sql_fail_link(db, "session.read", false, err);
    }
    db->connection_id = row[A_ID] ? strtoll(row[A_ID], NULL, 10) : 0;
    enum fd_code code = check_session(db, row, err);
    if (code == FD_OK)
        warn_durability(row);
    if (code == FD_OK)
        code = check_node(db, row, err);
    mysql_free_result(result);
    return code;
}

static enum fd_code check_version(struct db *db, struct fd_error *err)
{
    cut_copy(db->version, sizeof db->version, mysql_get_server_info(db->link));
    db->is_mariadb = strcasestr(db->version, "mariadb") != NULL;
    if (version_number(db->version) >= (db->is_mariadb ? MARIADB_LEAST : MYSQL_LEAST))
        return FD_OK;
    fd_fail(err, FD_CONFIG, _("The database server %s is too old."), db->version);
    fd_hint(err, "%s", _("frontdesk needs MariaDB 10.11 or MySQL 8.0, or a later one."));
    return FD_CONFIG;
}

enum fd_code db_session_start(struct db *db, struct fd_error *err)
{
    enum fd_code code = check_version(db, err);
    if (code == FD_OK)
        code = set_session(db, err);
    if (code == FD_OK)
        code = read_back(db, err);
    return code;
}

enum fd_code db_set_clock(struct db *db, wall_t wall, struct fd_error *err)
{
    char text[WALL_TEXT], sql[96] = "SET timestamp = DEFAULT";
    if (wall != WALL_NONE)
        fit_printf(sql, "SET timestamp = UNIX_TIMESTAMP('%s')", wall_sql(wall, text));
    enum fd_code code = db_statement_gate(db, "session.clock", err);
    if (code)
        return code;
    if (mysql_real_query(db->link, sql, strlen(sql)))
        return sql_fail_link(db, "session.clock", false, err);
    db->clock = wall;
    return FD_OK;
}
