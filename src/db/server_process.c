/* The private server's process: finding the program, making the data files, starting it detached. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/when.h"
#include "db/server_internal.h"

#define LOG_KEPT_BYTES (1024 * 1024)
#define KEPT_FD 3 /* the one descriptor that a child keeps: a lock */
#define USUAL_FOLDERS "/usr/sbin:/usr/local/sbin:/usr/libexec:/usr/bin:/usr/local/bin:/usr/local/mysql/bin:/opt/mariadb/bin"

extern char **environ;

void server_command_add(struct server_command *command, const char *format, ...)
{
    struct buf buf = {0};
    va_list args;
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    command->words = xrealloc(command->words, command->count + 2, sizeof *command->words);
    command->words[command->count++] = buf_take(&buf);
    command->words[command->count] = NULL;
}

void server_command_release(struct server_command *command)
{
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
    free(command->words);
    *command = (struct server_command){0};
}

static char *find_in(const char *folders, const char *name)
{
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *path = xprintf("%.*s/%s", (int)length, folders, name);
        if (length > 0 && access(path, X_OK) == 0)
            return path;
        free(path);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

static char *find_program(const char *name)
{
    /* An ordinary user's PATH has no sbin on Debian. */
    char *path = find_in(getenv("PATH"), name);
    return path ? path : find_in(USUAL_FOLDERS, name);
}

static bool says_mariadb(const char *program)
{
    char line[256] = "";
    char *command = xprintf("'%s' --no-defaults --version 2>/dev/null", program);
    FILE *pipe = strchr(program, '\'') ? NULL : popen(command, "re");
    free(command);
    if (!pipe)
        return false;
    bool got = fgets(line, sizeof line, pipe) != NULL;
    pclose(pipe);
    return got && strcasestr(line, "mariadb") != NULL;
}

enum fd_code server_program_find(struct program *program, struct fd_error *err)
{
    const char *named = getenv("FRONTDESK_SERVER_PROGRAM");
    if (named && *named)
        program->path = access(named, X_OK) == 0 ? xstrdup(named) : NULL;
    else if (!(program->path = find_program("mariadbd")))
        program->path = find_program("mysqld");
    if (!program->path) {
        fd_fail(err, FD_DB_DOWN, _("There is no database server program on this machine: %s"),
                named && *named ? named : "mariadbd");
        fd_hint(err, "%s", _("Install the package mariadb-server-core, or name a server in [database]."));
        return FD_DB_DOWN;
    }
    const char *base = strrchr(program->path, '/');
    program->is_mariadb = (base && strcmp(base, "/mariadbd") == 0) || says_mariadb(program->path);
    return FD_OK;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path) != 0 && errno != ENOENT;
}

void server_remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void server_log_last_line(const struct server *server, const char *name, char *out, size_t out_bytes)
{
    char *path = xprintf("%s/%s", server->folder, name), *line = NULL;
    size_t capacity = 0;
    bool is_error = false;
    FILE *file = fopen(path, "re");
    free(path);
    out[0] = '\0';
    if (!file)
        return;
    /* The first error of the last start is the reason; those behind it follow from it, and the last line is about
     * shutting down. */
    fseek(file, -65536, SEEK_END);
    while (getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        bool error = (strstr(line, "[ERROR]") || strncmp(line, "ERROR", 5) == 0) && !strstr(line, "Aborting");
        if (strstr(line, " as process "))
            is_error = false;
        if (*line && !is_error)
            cut_copy(out, out_bytes, line);
        is_error = is_error || error;
    }
    free(line);
    fclose(file);
}

/* As root the server wants to be told that it may be: it runs as whoever starts it. */
static void add_user(struct server_command *command)
{
    const struct passwd *entry = geteuid() == 0 ? getpwuid(0) : NULL;
    if (entry)
        server_command_add(command, "--user=%s", entry->pw_name);
}

/* Between fork and exec only calls that are safe in the child of a threaded process. */
static void become(const struct server_command *command, int out_fd, int keep_fd)
{
    int null_fd = open("/dev/null", O_RDWR);
    sigset_t none;
    /* Out of the way of 0 to 3, which may be what they are. */
    out_fd = fcntl(out_fd, F_DUPFD, 16);
    if (keep_fd >= 0)
        keep_fd = fcntl(keep_fd, F_DUPFD, 16);
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(077);
    /* A kept terminal or pipe would hang whoever waits for its end: `program | cat`. */
    if (null_fd < 0 || chdir("/") != 0 || dup2(null_fd, 0) < 0 || dup2(out_fd, 1) < 0 || dup2(out_fd, 2) < 0)
        _exit(126);
    if (keep_fd >= 0 && dup2(keep_fd, KEPT_FD) < 0)
        _exit(126);
    closefrom(keep_fd >= 0 ? KEPT_FD + 1 : KEPT_FD);
    execve(command->words[0], command->words, environ);
    _exit(127);
}

static int run_and_wait(const struct server_command *command, int out_fd, int lock_fd)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setsid();
        become(command, out_fd, lock_fd);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A server that starts removes the temporary tables of every other that shares its folder for them. */
static char *own_temporary(const struct server *server)
{
    char *path = xprintf("%s/tmp", server->folder);
    mkdir(path, 0700);
    return path;
}

/* Of a server in its own folder the script beside it, else the system's. */
static char *find_install_script(const char *program)
{
    const char *slash = strrchr(program, '/');
    int length = slash ? (int)(slash - program) : 0;
    char *beside = xprintf("%.*s:%.*s/../bin:%.*s/../scripts", length, program, length, program, length, program);
    char *script = find_in(beside, "mariadb-install-db");
    free(beside);
    if (!script)
        script = find_program("mariadb-install-db");
    return script ? script : find_program("mysql_install_db");
}

static enum fd_code install_command(struct server_command *command, const struct program *program, const char *folder,
                                    const char *temporary, struct fd_error *err)
{
    if (!program->is_mariadb) {
        server_command_add(command, "%s", program->path);
        server_command_add(command, "--no-defaults");
        server_command_add(command, "--initialize-insecure");
    } else {
        char *script = find_install_script(program->path);
        if (!script) {
            fd_fail(err, FD_DB_DOWN, "%s", _("mariadb-install-db is missing on this machine."));
            fd_hint(err, "%s", _("Install the package mariadb-server-core."));
            return FD_DB_DOWN;
        }
        server_command_add(command, "%s", script);
        server_command_add(command, "--no-defaults");
        server_command_add(command, "--skip-test-db");
        server_command_add(command, "--skip-name-resolve");
        /* root without a password: the socket's 0700 folder is the door, for any user's own server. */
        server_command_add(command, "--auth-root-authentication-method=normal");
        free(script);
    }
    server_command_add(command, "--datadir=%s", folder);
    server_command_add(command, "--tmpdir=%s", temporary);
    add_user(command);
    return FD_OK;
}

enum fd_code server_install(const struct server *server, const struct program *program, int lock_fd, struct fd_error *err)
{
    struct server_command command = {0};
    char *fresh = xprintf("%s/db.new", server->folder), *final = xprintf("%s/db", server->folder);
    char *log = xprintf("%s/install.log", server->folder), *temporary = own_temporary(server);
    /* One that was interrupted is not repaired but begun anew. */
    server_remove_tree(fresh);
    enum fd_code code = install_command(&command, program, fresh, temporary, err);
    int log_fd = code == FD_OK ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (code == FD_OK && (log_fd < 0 || mkdir(fresh, 0700) != 0))
        code = fd_fail(err, FD_IO, _("The data folder %s cannot be used: %s"), server->folder, strerror(errno));
    if (code == FD_OK && run_and_wait(&command, log_fd, lock_fd) != 0) {
        char line[256];
        server_log_last_line(server, "install.log", line, sizeof line);
        code = fd_fail(err, FD_DB_DOWN, _("The private database could not be made: %s"), line);
        fd_hint(err, _("Its log is %s"), log);
    }
    if (code == FD_OK && rename(fresh, final) != 0)
        code = fd_fail(err, FD_IO, _("The data folder %s cannot be used: %s"), server->folder, strerror(errno));
    if (log_fd >= 0)
        close(log_fd);
    server_command_release(&command);
    free(fresh);
    free(final);
    free(log);
    free(temporary);
    return code;
}

static void add_extra(struct server_command *command)
{
    const char *extra = getenv("FRONTDESK_SERVER_OPTIONS");
    char *copy = xstrdup(extra ? extra : ""), *place = NULL;
    for (char *word = strtok_r(copy, " \t\n", &place); word; word = strtok_r(NULL, " \t\n", &place))
        server_command_add(command, "%s", word);
    free(copy);
}

static void server_command(struct server_command *command, const struct server *server, const struct program *program)
{
    static const char *const common[] = {
        "--skip-networking",
        "--skip-log-bin",
        "--skip-name-resolve",
        "--max-connections=500",
        /* 500 desks with all their statements prepared; the default holds 16,382. */
        "--max-prepared-stmt-count=200000",
        "--max-allowed-packet=64M",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_unicode_520_ci",
        "--innodb-flush-log-at-trx-commit=1",
        "--innodb-buffer-pool-size=256M",
    };
    server_command_add(command, "%s", program->path);
    server_command_add(command, "--no-defaults");
    server_command_add(command, "--datadir=%s/db", server->folder);
    char *temporary = own_temporary(server);
    server_command_add(command, "--tmpdir=%s", temporary);
    free(temporary);
    server_command_add(command, "--pid-file=%s/server.pid", server->folder);
    server_command_add(command, "--socket=%s", server->socket);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        server_command_add(command, "%s", common[i]);
    if (!program->is_mariadb) {
        server_command_add(command, "--mysqlx=OFF");
        server_command_add(command, "--secure-file-priv=");
    }
    add_user(command);
    add_extra(command);
}

static int open_log(const struct server *server)
{
    struct stat status;
    char *path = xprintf("%s/server.log", server->folder), *old = xprintf("%s.1", path);
    if (stat(path, &status) == 0 && status.st_size > LOG_KEPT_BYTES)
        rename(path, old);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    free(path);
    free(old);
    return fd;
}

static int open_alive(const struct server *server)
{
    char *path = xprintf("%s/server.alive", server->folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    free(path);
    if (fd >= 0 && fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Its number goes into the file whose lock it keeps; dprintf is not safe here. */
static void write_pid(int fd)
{
    char digits[16], text[16];
    size_t count = 0, length = 0;
    for (long pid = (long)getpid(); pid > 0; pid /= 10)
        digits[count++] = (char)('0' + pid % 10);
    while (count > 0)
        text[length++] = digits[--count];
    text[length++] = '\n';
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, length, 0) != (ssize_t)length)
        _exit(126);
}

enum fd_code server_spawn(const struct server *server, const struct program *program, struct fd_error *err)
{
    int log_fd = open_log(server), alive_fd = open_alive(server), status = 0;
    if (log_fd < 0 || alive_fd < 0) {
        int number = errno;
        if (log_fd >= 0)
            close(log_fd);
        if (alive_fd >= 0)
            close(alive_fd);
        return fd_fail(err, FD_IO, _("The data folder %s cannot be used: %s"), server->folder, strerror(number));
    }
    struct server_command command = {0};
    server_command(&command, server, program);
    /* Twice, so that it is nobody's child: no zombie here, no signal from a terminal there. */
    pid_t child = fork();
    if (child == 0) {
        setsid();
        pid_t grandchild = fork();
        if (grandchild != 0)
            _exit(grandchild < 0);
        write_pid(alive_fd);
        become(&command, log_fd, alive_fd);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    close(log_fd);
    close(alive_fd);
    server_command_release(&command);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fd_fail(err, FD_IO, "%s", _("No further process can be started."));
    return FD_OK;
}
