#include <unistd.h>
#include "cli/cli.h"
#include "db/migrate.h"
#include "db/server.h"

#define LOCK_LIMIT_MS 60000

/* The private server of this configuration. FD_REFUSED where a server is configured: that one is not ours. */
static enum fd_code own_server(const struct config *config, struct server *server, struct fd_error *err)
{
    if (!desk_is_private(config)) {
        fd_fail(err, FD_REFUSED, "%s",
                _("A database server is configured; frontdesk starts and stops only its own private one."));
        fd_hint(err, "%s", _("See where it is configured: frontdesk config"));
        return FD_REFUSED;
    }
    const char *folder = config_text(config, CONFIG_DATA);
    return server_init(server, *folder ? folder : NULL, err);
}

static void tell_server(struct call *call, struct server *server)
{
    bool runs = server_runs(server);
    call->answer = tree_object();
    tree_put_bool(call->answer, "running", runs);
    tree_put_int(call->answer, "pid", runs ? server_pid(server) : 0);
    tree_put_text(call->answer, "folder", server->folder);
    tree_put_text(call->answer, "socket", server->socket);
    if (runs)
        call_say(call, _("The private database runs, process %d, socket %s, folder %s."), server_pid(server),
                 server->socket, server->folder);
    else
        call_say(call, _("The private database does not run, folder %s."), server->folder);
}

static enum fd_code server_start_run(struct call *call, struct fd_error *err)
{
    struct server server = {0};
    bool started = false;
    enum fd_code code = own_server(call->config, &server, err);
    if (code == FD_OK)
        code = server_start(&server, &started, err);
    if (code == FD_OK) {
        tell_server(call, &server);
        tree_put_bool(call->answer, "started", started);
    }
    server_release(&server);
    return code;
}

/* What was there to stop is told, not what is left. */
static void tell_stopped(struct call *call, struct server *server, int pid)
{
    bool runs = server_runs(server);
    call->answer = tree_object();
    tree_put_bool(call->answer, "running", runs);
    tree_put_bool(call->answer, "stopped", pid != 0);
    tree_put_int(call->answer, "pid", pid);
    tree_put_text(call->answer, "folder", server->folder);
    if (pid != 0)
        call_say(call, _("The private database, process %d, was stopped. Folder %s."), pid, server->folder);
    else if (runs)
        call_say(call, _("Another program answers on socket %s; it is not the private database of folder %s."),
                 server->socket, server->folder);
    else
        call_say(call, _("The private database was not running. Folder %s."), server->folder);
}

static enum fd_code server_stop_run(struct call *call, struct fd_error *err)
{
    struct server server = {0};
    int pid = 0;
    enum fd_code code = own_server(call->config, &server, err);
    if (code == FD_OK) {
        pid = server_pid(&server);
        code = server_stop(&server, err);
    }
    if (code == FD_OK)
        tell_stopped(call, &server, pid);
    server_release(&server);
    return code;
}

static enum fd_code server_status_run(struct call *call, struct fd_error *err)
{
    struct server server = {0};
    enum fd_code code = own_server(call->config, &server, err);
    if (code == FD_OK)
        tell_server(call, &server);
    server_release(&server);
    return code;
}

/* Where the steps of a migration are told: to people and as JSON. */
struct talk {
    struct call *call;
    struct tree *steps;
    struct buf said; /* for standard error, where the migration fails */
};

static void say_line(void *arg, const char *line)
{
    struct talk *talk = arg;
    tree_add_text(talk->steps, line);
    buf_printf(&talk->said, "%s\n", line);
    call_say(talk->call, "%s", line);
}

/* Connected to the server, with no database chosen: it may not exist yet. */
static enum fd_code migrate_on(struct talk *talk, struct db_target target, struct fd_error *err)
{
    struct db *db = NULL;
    const char *database = config_text(talk->call->config, CONFIG_NAME);
    target.database = NULL;
    enum fd_code code = db_open(&target, &db, err);
    if (code == FD_OK)
        code = desk_migrate(db, database, say_line, talk, err);
    db_close(&db);
    return code;
}

/* Under the lock that also guards starting, so that a console that meets the old schema meanwhile waits. */
static enum fd_code migrate_private(struct talk *talk, struct fd_error *err)
{
    struct server server = {0};
    struct db_target target;
    bool started;
    int lock = -1;
    enum fd_code code = own_server(talk->call->config, &server, err);
    if (code == FD_OK)
        code = server_start(&server, &started, err);
    if (code == FD_OK && (lock = server_lock(&server, LOCK_LIMIT_MS)) < 0)
        code = fd_fail(err, FD_AGAIN, "%s", _("Another program starts or migrates this database."));
    if (code == FD_OK)
        code = desk_target(talk->call->config, &target, err);
    if (code == FD_OK)
        code = migrate_on(talk, target, err);
    if (lock >= 0)
        close(lock);
    server_release(&server);
    return code;
}

static enum fd_code migrate_action(struct call *call, struct fd_error *err)
{
    struct db_target target;
    struct talk talk = {.call = call, .steps = tree_list()};
    enum fd_code code;
    if (desk_is_private(call->config))
        code = migrate_private(&talk, err);
    else if ((code = desk_target(call->config, &target, err)) == FD_OK)
        code = migrate_on(&talk, target, err);
    call->answer = tree_object();
    tree_put(call->answer, "steps", talk.steps);
    /* All columns that differ: one message may be too short for them. */
    if (code != FD_OK)
        fputs(buf_text(&talk.said), stderr);
    buf_release(&talk.said);
    if (code != FD_OK)
        return code;
    tree_put_int(call->answer, "version", migrate_latest());
    call_say(call, _("The schema is version %d."), migrate_latest());
    return FD_OK;
}

/* No key holds a secret (passwords stand in files of their own), so every value may be shown. */
static struct tree *config_row(const struct config *config, enum config_key key)
{
    char name[80];
    fit_printf(name, "%s.%s", config_section(key), config_key_name(key));
    struct tree *row = tree_object();
    tree_put_text(row, "key", name);
    tree_put_text(row, "value", config_text(config, key));
    tree_put_text(row, "origin", config_origin(config, key));
    tree_put_text(row, "help", _(config_help(key)));
    return row;
}

static enum fd_code config_run(struct call *call, struct fd_error *err)
{
    (void)err;
    if (call_switch(call, "check")) {
        /* Reading it is the check: a wrong file, key or value has ended the program before. */
        call->answer = tree_object();
        tree_put_bool(call->answer, "valid", true);
        call_say(call, "%s", _("The configuration is valid."));
        return FD_OK;
    }
    call->answer = tree_list();
    for (int key = 0; key < CONFIG_COUNT; key++)
        tree_add(call->answer, config_row(call->config, (enum config_key)key));
    return FD_OK;
}

static const struct action_param config_params[] = {
    {"check", P_SWITCH, 0, NULL, N_("only say whether the configuration is valid")},
    {0},
};
static const struct column config_columns[] = {
    {"key", N_("Key"), -1, false},
    {"value", N_("Value"), -1, false},
    {"origin", N_("From"), -1, false},
    {0},
};

const struct action server_actions[] = {
    {"server", "start", NULL, N_("start the private database"),
     N_("Where no server is configured frontdesk keeps its own MariaDB in the user's data folder (--data DIR), "
        "reachable\n"
        "through a socket only. Every command starts it when it is needed; it runs until \"server stop\"."),
     NULL, NULL, A_NO_DB, "", server_start_run},
    {"server", "stop", NULL, N_("stop the private database"), NULL, NULL, NULL, A_NO_DB, "", server_stop_run},
    {"server", "status", NULL, N_("tell whether the private database runs, and where"), NULL, NULL, NULL, A_NO_DB, "",
     server_status_run},
    {"migrate", "", NULL, N_("bring the database's schema, rules and default rights up to date"),
     N_("Creates what is missing and names every column of the online system's tables that differs from what "
        "frontdesk\n"
        "expects. A private database is started first. Running it again changes nothing."),
     NULL, NULL, A_NO_DB, "", migrate_action},
    {"config", "", NULL, N_("show every setting and where it comes from"), NULL, config_params, config_columns, A_NO_DB,
     "", config_run},
    {0},
};
