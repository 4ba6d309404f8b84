/* Who acts, where, on which connection: opening it on a private server or a configured one. */
#include "core/desk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "core/action.h"
#include "core/param.h"
#include "core/rule.h"
#include "db/option_file.h"
#include "db/server.h"
#include "outside/channel.h"

DB_QUERY(q_now, "desk.now", DB_VALUE, "SELECT NOW()");

#define UNKNOWN_DATABASE 1049
#define LOCK_LIMIT_MS    60000

static const struct {
    const char *name;
    const char *label; /* NC_ */
} roles[ROLE_COUNT] = {
    [ROLE_NONE] = {"", NC_("role", "nobody")},
    [ROLE_CLERK] = {"clerk", NC_("role", "clerk")},
    [ROLE_FINANCE] = {"finance", NC_("role", "finance")},
    [ROLE_ADMIN] = {"admin", NC_("role", "administrator")},
    [ROLE_KIOSK] = {"kiosk", NC_("role", "kiosk")},
    [ROLE_WORKER] = {"worker", NC_("role", "worker process")},
};

const char *role_name(enum role role)
{
    FD_ASSERT((unsigned)role < ROLE_COUNT);
    return roles[role].name;
}

const char *role_label(enum role role)
{
    FD_ASSERT((unsigned)role < ROLE_COUNT);
    return i18n_label(roles[role].label);
}

enum role role_from_name(const char *name)
{
    for (int i = ROLE_NONE + 1; i < ROLE_COUNT; i++)
        if (strcmp(roles[i].name, name) == 0)
            return (enum role)i;
    return ROLE_NONE;
}

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

/* Group [frontdesk] of an option file may name the server too. What is wrong with the file is said when connecting. */
static bool option_file_names_server(const struct config *config)
{
    struct option_file options = {0};
    struct fd_error ignored;
    bool failed = option_file_read(or_null(config_text(config, CONFIG_DEFAULTS_FILE)), &options, &ignored) != FD_OK;
    bool names = failed || (options.host && options.host[0]) || (options.socket && options.socket[0]);
    option_file_release(&options);
    return names;
}

bool desk_is_private(const struct config *config)
{
    if (config_text(config, CONFIG_HOST)[0] || config_text(config, CONFIG_SOCKET)[0])
        return false;
    /* Who names a data folder means the private server that lives there. */
    return config_text(config, CONFIG_DATA)[0] || !option_file_names_server(config);
}

static void target_from_config(const struct config *config, struct db_target *target)
{
    *target = (struct db_target){
        .host = or_null(config_text(config, CONFIG_HOST)),
        .port = (unsigned)config_number(config, CONFIG_PORT),
        .socket = or_null(config_text(config, CONFIG_SOCKET)),
        .user = or_null(config_text(config, CONFIG_USER)),
        .defaults_file = or_null(config_text(config, CONFIG_DEFAULTS_FILE)),
        .ssl_ca = or_null(config_text(config, CONFIG_CA)),
        .plain_loopback = config_switch(config, CONFIG_PLAIN),
    };
}

/* What holds on any server. */
static void target_common(const struct config *config, struct db_target *target)
{
    target->database = config_text(config, CONFIG_NAME);
    target->time_zone = config_text(config, CONFIG_TIME_ZONE);
    target->connect_timeout_s = (unsigned)config_number(config, CONFIG_CONNECT_TIMEOUT);
    target->read_timeout_s = (unsigned)config_number(config, CONFIG_READ_TIMEOUT);
}

enum fd_code desk_target(const struct config *config, struct db_target *target, struct fd_error *err)
{
    /* The strings of a private server's target outlive this call, as the header says. */
    static _Thread_local struct server server;
    if (!desk_is_private(config)) {
        target_from_config(config, target);
        target_common(config, target);
        return FD_OK;
    }
    server_release(&server);
    enum fd_code code = server_init(&server, or_null(config_text(config, CONFIG_DATA)), err);
    if (code != FD_OK)
        return code;
    *target = server_target(&server, config_text(config, CONFIG_NAME));
    target_common(config, target);
    return FD_OK;
}

/* Rules and roles belong to this program's version, the tables to its migrations: all three go together. */
enum fd_code desk_migrate(struct db *db, const char *database, migrate_say *say, void *arg, struct fd_error *err)
{
    enum fd_code code = migrate_run(db, database, say, arg, err);
    if (code != FD_OK)
        return code;
    struct db *inside = NULL;
    const struct db_target *known = db_target(db);
    if (!known->database || !known->database[0]) {
        struct db_target target = *known;
        target.database = database;
        code = db_open(&target, &inside, err);
        if (code != FD_OK)
            return code;
    }
    struct db *at = inside ? inside : db;
    code = rules_load(at, err);
    if (code == FD_OK)
        code = actions_grant_defaults(at, err);
    db_close(&inside);
    return code;
}

/* The terminal's name stands in the log: clean, and never longer than its column. */
static void name_terminal(struct desk *desk)
{
    char host[256] = "";
    const char *name = config_text(desk->config, CONFIG_TERMINAL);
    if (!name[0]) {
        if (gethostname(host, sizeof host - 1) != 0 || !host[0])
            cut_copy(host, sizeof host, "desk");
        name = host;
    }
    char clean[256];
    text_clean(clean, sizeof clean, name);
    cut_copy(desk->terminal, sizeof desk->terminal, clean);
}

static enum fd_code check_all(struct db *db, struct fd_error *err)
{
    enum fd_code code = migrate_check(db, err);
    return code == FD_OK ? rules_check(db, err) : code;
}

static struct desk *desk_new(const struct config *config, struct db **db)
{
    struct desk *desk = xcalloc(1, sizeof *desk);
    desk->config = config;
    desk->db = *db;
    *db = NULL;
    name_terminal(desk);
    return desk;
}

enum fd_code desk_open_at(const struct config *config, const struct db_target *target, struct desk **desk,
                          struct fd_error *err)
{
    struct db *db = NULL;
    enum fd_code code = db_open(target, &db, err);
    if (code == FD_OK)
        code = check_all(db, err);
    if (code == FD_OK)
        *desk = desk_new(config, &db);
    db_close(&db);
    return code;
}

static void say_to_log(void *arg, const char *line)
{
    (void)arg;
    log_line(LOG_INFO, "migrate: %s", line);
}

/* Under the server's lock: of two terminals that meet an old database one migrates, the other finds it done. */
static enum fd_code migrate_private(struct server *server, const struct db_target *target, struct fd_error *err)
{
    struct db *db = NULL;
    struct db_target outside = *target;
    outside.database = NULL;
    int lock = server_lock(server, LOCK_LIMIT_MS);
    if (lock < 0)
        return fd_fail(err, FD_DB_DOWN, _("Another program holds the database's folder."));
    enum fd_code code = db_open(&outside, &db, err);
    if (code == FD_OK)
        code = desk_migrate(db, target->database, say_to_log, NULL, err);
    db_close(&db);
    close(lock);
    return code;
}

static enum fd_code open_private(const struct config *config, struct server *server, struct db **db,
                                 struct fd_error *err)
{
    struct db_target target = server_target(server, config_text(config, CONFIG_NAME));
    target_common(config, &target);
    struct fd_error found = {0};
    enum fd_code code = db_open(&target, db, &found);
    if (code == FD_OK)
        code = check_all(*db, &found);
    if (code == FD_OK)
        return actions_grant_defaults(*db, err);
    if (code != FD_SCHEMA && found.sql_errno != UNKNOWN_DATABASE) {
        if (err)
            *err = found;
        return code;
    }
    db_close(db);
    code = migrate_private(server, &target, err);
    if (code == FD_OK)
        code = db_open(&target, db, err);
    return code == FD_OK ? check_all(*db, err) : code;
}

/* The private server crashed or was killed under an open desk. */
static enum fd_code revive_private(void *arg, char **socket, struct fd_error *err)
{
    const struct desk *desk = arg;
    struct server server = {0};
    enum fd_code code = server_init(&server, or_null(config_text(desk->config, CONFIG_DATA)), err);
    if (code == FD_OK)
        code = server_revive(&server, err);
    if (code == FD_OK)
        *socket = xstrdup(server.socket);
    server_release(&server);
    return code;
}

enum fd_code desk_open(const struct config *config, struct desk **desk, struct fd_error *err)
{
    struct db_target target;
    if (!desk_is_private(config)) {
        enum fd_code configured = desk_target(config, &target, err);
        return configured == FD_OK ? desk_open_at(config, &target, desk, err) : configured;
    }
    struct server server = {0};
    struct db *db = NULL;
    bool started;
    enum fd_code code = server_init(&server, or_null(config_text(config, CONFIG_DATA)), err);
    if (code == FD_OK)
        code = server_start(&server, &started, err);
    if (code == FD_OK)
        code = open_private(config, &server, &db, err);
    if (code == FD_OK)
        *desk = desk_new(config, &db);
    if (code == FD_OK)
        db_on_absent((*desk)->db, revive_private, *desk);
    db_close(&db);
    server_release(&server);
    return code;
}

void desk_close(struct desk **desk)
{
    if (!desk || !*desk)
        return;
    db_close(&(*desk)->db);
    param_cache_free(&(*desk)->params);
    channels_free(&(*desk)->channels);
    free(*desk);
    *desk = NULL;
}

enum fd_code desk_read(struct desk *desk, const char *label, db_txn_fn *fn, void *arg, struct fd_error *err)
{
    if (desk->in_txn)
        return fn(desk->db, arg, err);
    desk->in_txn = true;
    enum fd_code code = db_txn(desk->db, label, 0, fn, arg, err);
    desk->in_txn = false;
    return code;
}

static enum fd_code read_now(struct db *db, void *arg, struct fd_error *err)
{
    struct arena arena = {0};
    const char *text;
    enum fd_code code = db_value_text(db, &q_now, DB_NO_ARGS, &arena, &text, err);
    if (code == FD_OK)
        FD_ASSERT(wall_from_sql(text, arg));
    arena_release(&arena);
    return code;
}

enum fd_code desk_now(struct desk *desk, wall_t *now, struct fd_error *err)
{
    return desk_read(desk, "desk.now", read_now, now, err);
}
