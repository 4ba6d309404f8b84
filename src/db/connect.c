/* The link: target, credentials, TLS. Two traps decide the shape: libmariadb connects in plain text
 * where "enforce TLS" is set and the server has none, so the cipher is checked afterwards; and the
 * libraries' option files could redirect us, so they are read by option_file.c instead. */
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "db/db_internal.h"
#include "db/option_file.h"

#define CONNECT_TIMEOUT_S 3U
#define READ_TIMEOUT_S    10U
#define PACKET_BYTES      (64UL * 1024 * 1024) /* a 16 MiB column and its row */
#define NO_SOCKET         2002                 /* nobody listens there */
#define REVIVE_MS         2000
#define LOCAL_ZONE        "+08:00"

static void copy_text(const char **member)
{
    *member = (*member && **member) ? xstrdup(*member) : NULL;
}

static void free_text(const char **member)
{
    free((char *)(uintptr_t)*member);
    *member = NULL;
}

static void target_copy(struct db_target *copy, const struct db_target *target)
{
    *copy = *target;
    copy_text(&copy->host);
    copy_text(&copy->at);
    copy_text(&copy->socket);
    copy_text(&copy->user);
    copy_text(&copy->database);
    copy_text(&copy->ssl_ca);
    /* "" differs from NULL here: no credentials from any file, only ~/.my.cnf's init-command. */
    copy->defaults_file = target->defaults_file ? xstrdup(target->defaults_file) : NULL;
    copy->time_zone = xstrdup(target->time_zone && *target->time_zone ? target->time_zone : LOCAL_ZONE);
}

static void target_release(struct db_target *target)
{
    free_text(&target->host);
    free_text(&target->at);
    free_text(&target->socket);
    free_text(&target->user);
    free_text(&target->database);
    free_text(&target->ssl_ca);
    free_text(&target->defaults_file);
    free_text(&target->time_zone);
}

static void library_start(void)
{
    mysql_library_init(0, NULL, NULL);
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 || strcmp(host, "localhost") == 0;
}

/* Plain text is only for a socket, or where the configuration allows it to this machine itself. */
static bool may_be_plain(const struct db_target *target)
{
    return !target->host || (target->plain_loopback && is_loopback(target->host));
}

static void set_tls(MYSQL *link, const struct db_target *target)
{
    if (!target->host)
        return;
#ifdef FD_CLIENT_MARIADB
    db_flag verify = target->ssl_ca != NULL;
    if (target->ssl_ca)
        mysql_ssl_set(link, NULL, NULL, target->ssl_ca, NULL, NULL);
    mysql_options(link, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
#else
    unsigned mode = target->ssl_ca ? SSL_MODE_VERIFY_IDENTITY : SSL_MODE_PREFERRED;
    db_flag yes = 1;
    if (target->ssl_ca)
        mysql_options(link, MYSQL_OPT_SSL_CA, target->ssl_ca);
    mysql_options(link, MYSQL_OPT_SSL_MODE, &mode);
    if (may_be_plain(target))
        mysql_options(link, MYSQL_OPT_GET_SERVER_PUBLIC_KEY, &yes);
#endif
}

static void set_options(MYSQL *link, const struct db_target *target)
{
    unsigned connect_s = target->connect_timeout_s ? target->connect_timeout_s : CONNECT_TIMEOUT_S;
    unsigned read_s = target->read_timeout_s ? target->read_timeout_s : READ_TIMEOUT_S;
    unsigned no = 0;
    unsigned protocol = target->host ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
    unsigned long packet = PACKET_BYTES;
    db_flag yes = 1;
    mysql_options(link, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
    mysql_options(link, MYSQL_OPT_READ_TIMEOUT, &read_s);
    mysql_options(link, MYSQL_OPT_WRITE_TIMEOUT, &read_s);
    mysql_options(link, MYSQL_OPT_LOCAL_INFILE, &no);
    mysql_options(link, MYSQL_OPT_PROTOCOL, &protocol);
    mysql_options(link, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
    mysql_options(link, MYSQL_REPORT_DATA_TRUNCATION, &yes);
    mysql_options(link, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    set_tls(link, target);
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

struct login {
    const char *user, *password; /* borrowed */
    char name[64];               /* storage for the login name */
};

/* A password belongs to the account that its file names; [frontdesk] without an account: to ours. */
static void find_login(const struct db_target *target, const struct option_file *options, struct login *login)
{
    bool ask_files = !same_text(target->defaults_file, "");
    login->user = target->user;
    login->password = NULL;
    if (ask_files && !login->user)
        login->user = options->user ? options->user : options->client_user;
    if (!login->user) {
        const struct passwd *entry = getpwuid(geteuid());
        cut_copy(login->name, sizeof login->name, entry ? entry->pw_name : "");
        login->user = login->name;
    }
    if (!ask_files)
        return;
    if (options->password && (!options->user || same_text(options->user, login->user)))
        login->password = options->password;
    else if (options->client_password && (!options->client_user || same_text(options->client_user, login->user)))
        login->password = options->client_password;
}

static enum fd_code refuse_link(const MYSQL *handle, const struct db_target *target, struct fd_error *err)
{
    MYSQL *link = (MYSQL *)(uintptr_t)handle; /* the accessors are not const */
    unsigned number = mysql_errno(link);
    static const unsigned account[] = {1044, 1045, 1698, 2026, 2059, 1251, 1273, 1298, 2061};
    enum fd_code code = number == 1049 ? FD_SCHEMA : FD_DB_DOWN;
    for (size_t i = 0; i < sizeof account / sizeof *account; i++)
        if (account[i] == number)
            code = FD_CONFIG;
    if (code == FD_CONFIG)
        fd_fail(err, code, _("The database refuses this connection: %s"), mysql_error(link));
    else
        fd_fail(err, code, NULL);
    if (number == 2026)
        fd_hint(err, "%s", _("Check [database] ssl_ca and the server's certificate."));
    else if (code == FD_CONFIG)
        fd_hint(err, "%s", _("Check the account in [database] and its password in the option file."));
    if (err) {
        err->sql_errno = (int)number;
        cut_copy(err->sqlstate, sizeof err->sqlstate, mysql_sqlstate(link));
    }
    fd_detail(err, "connect to %s: SQL error %u: %s", target->host ? target->host : target->socket, number,
              mysql_error(link));
    return code;
}

static enum fd_code check_target(const struct db_target *target, struct fd_error *err)
{
    if (!target->host && !target->socket)
        return fd_fail(err, FD_CONFIG, "%s", _("No database server is named."));
    if (!target->ssl_ca && !may_be_plain(target)) {
        fd_fail(err, FD_CONFIG, _("The connection to %s would not be encrypted."), target->host);
        fd_hint(err, "%s", _("Set [database] ssl_ca to the file of the certificate authority."));
        return FD_CONFIG;
    }
    if (!db_zone_is_offset(target->time_zone)) {
        fd_fail(err, FD_CONFIG, _("The time zone %s is not a fixed offset."), target->time_zone);
        fd_hint(err, "%s", _("Set [database] time_zone like +08:00."));
        return FD_CONFIG;
    }
    return FD_OK;
}

static MYSQL *connect_with(const struct db_target *target, const struct option_file *options, struct fd_error *err)
{
    struct db_target merged = *target;
    if (!merged.ssl_ca)
        merged.ssl_ca = options->ssl_ca;
    /* An option file says where only to who was told nothing. */
    if (!merged.host && !merged.socket) {
        merged.host = options->host && options->host[0] ? options->host : NULL;
        merged.socket = merged.host ? NULL : options->socket;
        merged.port = options->port ? options->port : merged.port;
    }
    if (merged.at)
        merged.host = merged.at;
    if (check_target(&merged, err))
        return NULL;
    MYSQL *link = mysql_init(NULL);
    if (!link) {
        fd_fail(err, FD_NO_MEMORY, NULL);
        return NULL;
    }
    struct login login;
    find_login(&merged, options, &login);
    set_options(link, &merged);
    /* "localhost" would mean a socket to the libraries. */
    const char *host = same_text(merged.host, "localhost") ? "127.0.0.1" : merged.host;
    if (!mysql_real_connect(link, host ? host : "localhost", login.user, login.password ? login.password : "",
                            merged.database, host ? merged.port : 0, host ? NULL : merged.socket,
                            merged.found_rows ? CLIENT_FOUND_ROWS : 0)) {
        refuse_link(link, &merged, err);
        mysql_close(link);
        return NULL;
    }
    if (!may_be_plain(&merged) && !mysql_get_ssl_cipher(link)) {
        mysql_close(link);
        fd_fail(err, FD_CONFIG, _("The connection to %s is not encrypted."), merged.host);
        return NULL;
    }
    return link;
}

static bool run_plain(MYSQL *link, const char *sql, const struct db_target *target, struct fd_error *err)
{
    if (!sql || mysql_real_query(link, sql, strlen(sql)) == 0)
        return true;
    refuse_link(link, target, err);
    return false;
}

MYSQL *db_link_open(const struct db_target *target, struct fd_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_start);
    struct option_file options;
    if (option_file_read(target->defaults_file, &options, err)) {
        option_file_release(&options);
        return NULL;
    }
    MYSQL *link = connect_with(target, &options, err);
    if (link && !run_plain(link, options.init_command, target, err)) {
        mysql_close(link);
        link = NULL;
    }
    option_file_release(&options);
    return link;
}

void db_link_use(struct db *db, const char *database)
{
    char *copy = xstrdup(database);
    free_text(&db->target.database);
    db->target.database = copy;
}

void db_link_drop(struct db *db)
{
    if (!db->link)
        return;
    /* Link first: closing statements afterwards sends nothing over a dead one. */
    mysql_close(db->link);
    db->link = NULL;
    for (size_t i = 0; i < db->slot_count; i++)
        db_statement_forget(&db->slots[i]);
}

/* The hosts of the target, or of the option file where the target names none: NULL where there are not several. Owned.
 */
static char *several_hosts(const struct db_target *target)
{
    struct option_file options = {0};
    struct fd_error ignored;
    char *list = NULL;
    if (target->host)
        return strchr(target->host, ',') ? xstrdup(target->host) : NULL;
    if (!target->socket && option_file_read(target->defaults_file, &options, &ignored) == FD_OK && options.host &&
        strchr(options.host, ','))
        list = xstrdup(options.host);
    option_file_release(&options);
    return list;
}

static enum fd_code establish_one(struct db *db, struct fd_error *err)
{
    db->link = db_link_open(&db->target, err);
    enum fd_code code = db->link ? db_session_start(db, err) : err->code;
    if (code)
        db_link_drop(db);
    return code;
}

/* The first that is there and may be written to. What is wrong with the account or with TLS at one of them is not
 * passed over in silence. */
static enum fd_code establish_any(struct db *db, const char *list, struct fd_error *err)
{
    char *names = xstrdup(list), *place = NULL;
    enum fd_code code = fd_fail(err, FD_CONFIG, "%s", _("No database server is named."));
    bool told = false;
    for (char *name = strtok_r(names, ", ", &place); name; name = strtok_r(NULL, ", ", &place)) {
        struct fd_error local = {0};
        free_text(&db->target.at);
        db->target.at = xstrdup(name);
        code = establish_one(db, &local);
        if (code != FD_DB_DOWN) {
            *err = local;
            break;
        }
        log_line(LOG_INFO, "%s: %s", name, local.detail[0] ? local.detail : local.message);
        /* That one is there but must not be written to says more than that another is away. */
        if (!told)
            *err = local;
        told = told || local.sql_errno == 0;
    }
    free(names);
    return code;
}

static enum fd_code establish(struct db *db, struct fd_error *err)
{
    struct fd_error local = {0};
    int64_t begin = mono_us();
    char *list = several_hosts(&db->target);
    enum fd_code code = list ? establish_any(db, list, &local) : establish_one(db, &local);
    free(list);
    if (code) {
        if (err)
            *err = local;
        return code;
    }
    db->doomed = false;
    db->statements = 0;
    db->last_us = mono_us() - begin;
    return FD_OK;
}

enum fd_code db_open(const struct db_target *target, struct db **out, struct fd_error *err)
{
    struct db_query *const *list;
    *out = NULL;
    db_query_index_all();
    struct db *db = xcalloc(1, sizeof *db);
    target_copy(&db->target, target);
    db->clock = WALL_NONE;
    db->slot_count = db_queries(&list);
    db->slots = xcalloc(db->slot_count + 1, sizeof *db->slots);
    enum fd_code code = establish(db, err);
    if (code)
        db_close(&db);
    *out = db;
    return code;
}

void db_close(struct db **handle)
{
    struct db *db = *handle;
    *handle = NULL;
    if (!db)
        return;
    /* The server rolls back what is open when the link goes. */
    db_link_drop(db);
    for (size_t i = 0; i < db->slot_count; i++)
        db_slot_release(&db->slots[i]);
    free(db->slots);
    target_release(&db->target);
    free(db);
}

void db_on_absent(struct db *db, db_revive_fn *revive, void *arg)
{
    db->revive = revive;
    db->revive_arg = arg;
}

/* Nobody listens: whoever owns the server may start it again. Not at every attempt: one that cannot start would be
 * started many times a second. */
static bool revive(struct db *db, struct fd_error *err)
{
    char *socket = NULL;
    int64_t now_ms = mono_ms();
    if (!db->revive || err->sql_errno != NO_SOCKET || (db->revived_ms && now_ms - db->revived_ms < REVIVE_MS))
        return false;
    struct fd_error why = {0};
    enum fd_code code = db->revive(db->revive_arg, &socket, &why);
    db->revived_ms = mono_ms();
    if (socket && code == FD_OK) {
        free_text(&db->target.socket);
        db->target.socket = socket;
        socket = NULL;
    }
    free(socket);
    if (code != FD_OK && why.code)
        *err = why;
    return code == FD_OK;
}

enum fd_code db_reconnect(struct db *db, struct fd_error *err)
{
    struct fd_error local = {0};
    db_link_drop(db);
    enum fd_code code = establish(db, &local);
    if (code == FD_DB_DOWN && revive(db, &local)) {
        local = (struct fd_error){0};
        code = establish(db, &local);
    }
    if (code && err)
        *err = local;
    if (code == FD_OK && db->clock != WALL_NONE)
        code = db_set_clock(db, db->clock, err);
    return code;
}

enum fd_code db_kill_query(const struct db_target *target, int64_t connection_id, struct fd_error *err)
{
    char sql[48];
    fit_printf(sql, "KILL QUERY %lld", (long long)connection_id);
    struct fd_error local = {0};
    struct db_target copy;
    target_copy(&copy, target);
    MYSQL *link = db_link_open(&copy, &local);
    /* 1094: no such connection any more, so nothing is left to end. */
    if (link && mysql_real_query(link, sql, strlen(sql)) && mysql_errno(link) != 1094)
        refuse_link(link, &copy, &local);
    if (link)
        mysql_close(link);
    target_release(&copy);
    if (local.code && err)
        *err = local;
    return local.code;
}

bool db_is_doomed(const struct db *db)
{
    return db->doomed;
}

bool db_is_connected(const struct db *db)
{
    return db->link != NULL;
}

int64_t db_connection_id(const struct db *db)
{
    return db->connection_id;
}

const struct db_target *db_target(const struct db *db)
{
    return &db->target;
}

bool db_is_mariadb(const struct db *db)
{
    return db->is_mariadb;
}

const char *db_server_version(const struct db *db)
{
    return db->version;
}

int64_t db_last_us(const struct db *db)
{
    return db->last_us;
}

int64_t db_insert_id(const struct db *db)
{
    return db->insert_id;
}

const char *db_error_key(const struct db *db)
{
    return db->error_key;
}
