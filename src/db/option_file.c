/* Option files: see the header for what is taken and why we read them ourselves. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "db/option_file.h"

#define INCLUDE_DEPTH 8

struct key {
    const char *group, *name;
    size_t offset; /* of the char * in struct option_file */
};
#define KEY(group, name, member) {group, name, offsetof(struct option_file, member)}
static const struct key keys[] = {
    KEY("frontdesk", "user", user),
    KEY("frontdesk", "password", password),
    KEY("frontdesk", "host", host),
    KEY("frontdesk", "socket", socket),
    KEY("frontdesk", "database", database),
    KEY("frontdesk", "ssl-ca", ssl_ca),
    KEY("frontdesk", "init-command", init_command),
    KEY("client", "user", client_user),
    KEY("client", "password", client_password),
};

static char **member_of(struct option_file *options, const struct key *key)
{
    return (char **)(void *)((char *)options + key->offset);
}

static void wipe(char **text)
{
    if (*text)
        explicit_bzero(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

void option_file_release(struct option_file *options)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        wipe(member_of(options, &keys[i]));
    options->port = 0;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Undoes quotes and escapes in place; a # outside quotes begins a comment. */
static void unquote(char *text)
{
    static const char escapes[] = "n\nt\tr\rs \\\\";
    char quote = (*text == '\'' || *text == '"') ? *text : '\0';
    char *out = text;
    for (const char *in = quote ? text + 1 : text; *in; in++) {
        if (*in == (quote ? quote : '#'))
            break;
        const char *escape = *in == '\\' && in[1] ? strchr(escapes, in[1]) : NULL;
        if (escape && (escape - escapes) % 2 == 0) {
            *out++ = escape[1];
            in++;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    if (!quote)
        trim(text);
}

static void take(struct option_file *options, const char *group, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals)
        return;
    *equals = '\0';
    char *name = trim(line);
    char *value = trim(equals + 1);
    unquote(value);
    for (char *at = name; *at; at++)
        if (*at == '_')
            *at = '-';
    if (strcmp(group, "frontdesk") == 0 && strcmp(name, "port") == 0)
        options->port = (unsigned)strtoul(value, NULL, 10);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].group, group) != 0 || strcmp(keys[i].name, name) != 0)
            continue;
        char **member = member_of(options, &keys[i]);
        wipe(member);
        *member = xstrdup(value);
    }
}

static void read_stream(struct option_file *options, FILE *file, unsigned depth);

static void read_usual(struct option_file *options, const char *path, unsigned depth)
{
    struct stat status;
    FILE *file = depth < INCLUDE_DEPTH ? fopen(path, "re") : NULL;
    if (!file)
        return;
    /* Like the libraries: what everybody may write is nobody's word. */
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && !(status.st_mode & S_IWOTH))
        read_stream(options, file, depth);
    fclose(file);
}

static int is_option_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 && strcmp(entry->d_name + length - 4, ".cnf") == 0;
}

static void read_folder(struct option_file *options, const char *path, unsigned depth)
{
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_option_file, alphasort);
    for (int i = 0; i < count; i++) {
        char *file = xprintf("%s/%s", path, names[i]->d_name);
        read_usual(options, file, depth);
        free(file);
        free(names[i]);
    }
    free(names);
}

static void read_stream(struct option_file *options, FILE *file, unsigned depth)
{
    char *line = NULL;
    size_t capacity = 0;
    char group[32] = "";
    while (getline(&line, &capacity, file) >= 0) {
        char *text = trim(line);
        if (strncmp(text, "!includedir ", 12) == 0)
            read_folder(options, trim(text + 12), depth + 1);
        else if (strncmp(text, "!include ", 9) == 0)
            read_usual(options, trim(text + 9), depth + 1);
        else if (*text == '[')
            cut_copy(group, sizeof group, strtok(text + 1, "]") ? text + 1 : "");
        else if (*text != '#' && *text != ';')
            take(options, group, text);
    }
    if (line)
        explicit_bzero(line, capacity);
    free(line);
}

static enum fd_code read_named(struct option_file *options, const char *path, struct fd_error *err)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int number = errno;
        if (fd >= 0)
            close(fd);
        return fd_fail(err, FD_CONFIG, _("The option file %s cannot be read: %s"), path, strerror(number));
    }
    bool is_private = S_ISREG(status.st_mode) && (status.st_mode & 077) == 0 &&
                      (status.st_uid == geteuid() || status.st_uid == 0);
    FILE *file = is_private ? fdopen(fd, "r") : NULL;
    if (!file) {
        close(fd);
        fd_fail(err, FD_CONFIG, _("The option file %s is not private."), path);
        fd_hint(err, _("It must be a plain file of yours that nobody else can read: chmod 600 %s"), path);
        return FD_CONFIG;
    }
    read_stream(options, file, 0);
    fclose(file);
    return FD_OK;
}

enum fd_code option_file_read(const char *path, struct option_file *options, struct fd_error *err)
{
    memset(options, 0, sizeof *options);
    if (path && *path)
        return read_named(options, path, err);
    /* The private server takes no credentials from any file: the system's files have nothing for it. */
    if (!path) {
        read_usual(options, "/etc/my.cnf", 0);
        read_usual(options, "/etc/mysql/my.cnf", 0);
    }
    const char *home = getenv("HOME");
    if (home && *home) {
        char *own = xprintf("%s/.my.cnf", home);
        read_usual(options, own, 0);
        free(own);
    }
    return FD_OK;
}
