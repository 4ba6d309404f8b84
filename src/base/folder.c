#include "base/folder.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/mem.h"

#define NAME "frontdesk"
/* A socket's path may have 108 bytes; the server's name in the folder needs the rest. */
#define RUNTIME_MOST_BYTES 60

static const char *absolute_of(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] == '/' ? value : NULL;
}

static char *home_folder(void)
{
    const char *home = absolute_of("HOME");
    if (home)
        return xstrdup(home);
    char buffer[4096];
    struct passwd entry, *found = NULL;
    if (!getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) && found && found->pw_dir[0] == '/')
        return xstrdup(found->pw_dir);
    return xstrdup("/nonexistent");
}

char *folder_of(const char *variable, const char *fallback)
{
    const char *base = absolute_of(variable);
    if (base)
        return xprintf("%s/%s", base, NAME);
    char *home = home_folder();
    char *path = xprintf("%s/%s/%s", home, fallback, NAME);
    free(home);
    return path;
}

/* Makes what is missing of the path, 0700. Whoever uses the folder reports that it is not there. */
static void make_path(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static char *made(char *path)
{
    make_path(path);
    return path;
}

char *folder_data(void)
{
    return made(folder_of("XDG_DATA_HOME", ".local/share"));
}

char *folder_state(void)
{
    return made(folder_of("XDG_STATE_HOME", ".local/state"));
}

/* Whoever can write the folder could put a server of his own there. */
static bool is_private(const char *path)
{
    struct stat info;
    return !lstat(path, &info) && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IRWXG | S_IRWXO));
}

/* Makes the folder, or gives it back NULL where somebody else has it or can enter it. */
static char *private_folder(char *path)
{
    if (strlen(path) <= RUNTIME_MOST_BYTES && (!mkdir(path, 0700) || errno == EEXIST) && is_private(path))
        return path;
    free(path);
    return NULL;
}

enum fd_code folder_runtime(char **path, struct fd_error *err)
{
    const char *runtime = absolute_of("XDG_RUNTIME_DIR"), *temporary = absolute_of("TMPDIR");
    char *found = runtime ? private_folder(xprintf("%s/%s", runtime, NAME)) : NULL;
    if (!found && temporary)
        found = private_folder(xprintf("%s/%s-%u", temporary, NAME, (unsigned)geteuid()));
    if (!found)
        found = private_folder(xprintf("/tmp/%s-%u", NAME, (unsigned)geteuid()));
    if (!found)
        return fd_fail(err, FD_CONFIG, _("The folder /tmp/%s-%u belongs to somebody else or is open to others."), NAME,
                       (unsigned)geteuid());
    *path = found;
    return FD_OK;
}
