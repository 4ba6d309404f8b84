#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/ini_file.h"
#include "base/mem.h"
#include "base/text.h"

#define CONFIG_FILE "frontdesk.conf"

enum value_type { TYPE_TEXT, TYPE_NUMBER, TYPE_SWITCH };

static const struct key_row {
    const char *section, *key;
    enum value_type type;
    const char *fallback, *help;
} key_rows[CONFIG_COUNT] = {
#define X(id, section, key, type, fallback, help) [id] = {section, key, TYPE_##type, fallback, help},
    FD_CONFIG_TABLE(X)
#undef X
};

/* Numbers outside make no sense or overflow what they are used for. */
static const struct number_limit {
    enum config_key key;
    int64_t least, most;
} number_limits[] = {
    {CONFIG_PORT, 1, 65535},    {CONFIG_CONNECT_TIMEOUT, 1, 600}, {CONFIG_READ_TIMEOUT, 1, 3600},
    {CONFIG_ESCDELAY, 0, 1000}, {CONFIG_LOCK_IDLE, 0, 86400},     {CONFIG_PRINTER_COLUMNS, 0, 200},
};

/* Texts that are one of a few words. */
static const struct word_list {
    enum config_key key;
    const char *words; /* between blanks, blank at both ends */
} word_lists[] = {
    {CONFIG_LANGUAGE, " zh_CN en "},   {CONFIG_THEME, " dark light eight contrast blind mono "},
    {CONFIG_ASCII, " auto yes no "},   {CONFIG_QR, " auto half full print "},
    {CONFIG_PRINTER_PAPER, " 58 80 "}, {CONFIG_PRINTER_QR, " raster native "},
};

struct config {
    struct {
        char *value;
        char *origin;
        int64_t number; /* TYPE_NUMBER; TYPE_SWITCH as 0 or 1 */
    } keys[CONFIG_COUNT];
};

static const struct key_row *row_of(enum config_key key)
{
    FD_ASSERT((unsigned)key < CONFIG_COUNT);
    return &key_rows[key];
}

/* ---- values ---- */

static bool read_number(enum config_key key, const char *value, int64_t *number)
{
    if (!text_is_digits(value) || strlen(value) > 9)
        return false;
    *number = strtoll(value, NULL, 10);
    for (size_t i = 0; i < sizeof number_limits / sizeof *number_limits; i++)
        if (number_limits[i].key == key)
            return *number >= number_limits[i].least && *number <= number_limits[i].most;
    return true;
}

static bool read_switch(const char *value, int64_t *number)
{
    static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (text_same(value, yes[i]) || text_same(value, no[i])) {
            *number = text_same(value, yes[i]);
            return true;
        }
    return false;
}

/* "+08:00", "-03:30": what SET time_zone takes without the server's zone tables. */
static bool is_offset(const char *value)
{
    int hour, minute;
    char sign, rest;
    return strlen(value) == 6 && sscanf(value, "%c%2d:%2d%c", &sign, &hour, &minute, &rest) == 3 &&
           (sign == '+' || sign == '-') && text_is_digits((char[]){value[1], value[2], value[4], value[5], 0}) &&
           hour <= 13 && minute <= 59;
}

static bool fits_text(enum config_key key, const char *value)
{
    if (!text_is_clean(value))
        return false;
    if (key == CONFIG_TIME_ZONE)
        return is_offset(value);
    for (size_t i = 0; i < sizeof word_lists / sizeof *word_lists; i++) {
        if (word_lists[i].key != key)
            continue;
        char *wanted = xprintf(" %s ", value);
        bool found = (!value[0] && !key_rows[key].fallback[0]) ||
                     (!strchr(value, ' ') && value[0] && strstr(word_lists[i].words, wanted));
        free(wanted);
        return found;
    }
    return true;
}

/* Stores the value where it fits the key; `origin` is taken over in any case. */
static bool store(struct config *config, enum config_key key, const char *value, char *origin)
{
    enum value_type type = row_of(key)->type;
    int64_t number = 0;
    bool fits = type == TYPE_NUMBER   ? read_number(key, value, &number)
                : type == TYPE_SWITCH ? read_switch(value, &number)
                                      : fits_text(key, value);
    if (!fits) {
        free(origin);
        return false;
    }
    free(config->keys[key].value);
    free(config->keys[key].origin);
    config->keys[key].value = xstrdup(type != TYPE_SWITCH ? value : number ? "yes" : "no");
    config->keys[key].origin = origin;
    config->keys[key].number = number;
    return true;
}

static enum fd_code bad_value(struct fd_error *err, const char *where, enum config_key key, const char *value)
{
    fd_fail(err, FD_CONFIG, _("%s: %s.%s: \"%s\" is not a valid value."), where, config_section(key),
            config_key_name(key), value);
    fd_hint(err, "%s.%s: %s", config_section(key), config_key_name(key), _(config_help(key)));
    return FD_CONFIG;
}

/* ---- files ---- */

struct file_reading {
    struct config *config;
    const char *path;
    bool seen[CONFIG_COUNT];
    struct fd_error *err;
};

static int find_key(const char *section, const char *name)
{
    for (int key = 0; key < CONFIG_COUNT; key++)
        if (!strcmp(key_rows[key].section, section) && !strcmp(key_rows[key].key, name))
            return key;
    return -1;
}

static enum fd_code unknown_key(const struct file_reading *reading, int line, const char *section, const char *name)
{
    fd_fail(reading->err, FD_CONFIG, _("%s:%d: %s.%s: there is no such key."), reading->path, line, section, name);
    if (strstr(name, "password"))
        fd_hint(reading->err, _("Passwords belong into an option file with mode 0600 (database.defaults_file)."));
    else
        fd_hint(reading->err, _("See: frontdesk config"));
    return FD_CONFIG;
}

static enum fd_code take_line(void *arg, int line, const char *section, const char *name, const char *value)
{
    struct file_reading *reading = arg;
    int key = find_key(section, name);
    if (key < 0)
        return unknown_key(reading, line, section, name);
    if (reading->seen[key])
        return fd_fail(reading->err, FD_CONFIG, _("%s:%d: %s.%s: the key is given twice."), reading->path, line,
                       section, name);
    reading->seen[key] = true;
    char where[512];
    snprintf(where, sizeof where, "%s:%d", reading->path, line);
    if (!store(reading->config, (enum config_key)key, value, xstrdup(where)))
        return bad_value(reading->err, where, (enum config_key)key, value);
    return FD_OK;
}

/* A file that others can write decides nothing: it could send the desk to another database. */
static enum fd_code check_owner(FILE *stream, const char *path, struct fd_error *err)
{
    struct stat info;
    if (fstat(fileno(stream), &info) || !S_ISREG(info.st_mode))
        return fd_fail(err, FD_CONFIG, _("%s: this is not a regular file."), path);
    if ((info.st_uid != geteuid() && info.st_uid != 0) || (info.st_mode & (S_IWGRP | S_IWOTH)))
        return fd_fail(err, FD_CONFIG, _("%s: other users can write this file."), path);
    return FD_OK;
}

/* O_NONBLOCK: a FIFO in the file's place must not hang the start. */
static FILE *open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? NULL : fdopen(fd, "r");
}

static enum fd_code read_file(struct config *config, const char *path, bool needed, struct fd_error *err)
{
    FILE *stream = open_file(path);
    if (!stream) {
        if (!needed && (errno == ENOENT || errno == ENOTDIR))
            return FD_OK;
        fd_fail(err, FD_CONFIG, _("%s: the file cannot be read."), path);
        fd_detail(err, "open: errno %d", errno);
        return FD_CONFIG;
    }
    struct file_reading reading = {.config = config, .path = path, .err = err};
    enum fd_code code = check_owner(stream, path, err);
    if (code == FD_OK)
        code = ini_file_read(&(struct ini_file){stream, path}, take_line, &reading, err);
    fclose(stream);
    return code;
}

static enum fd_code read_environment(struct config *config, struct fd_error *err)
{
    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_key key = (enum config_key)i;
        const char *value = getenv(config_env_name(key));
        if (!value)
            continue;
        char *origin = xprintf("environment %s", config_env_name(key));
        if (!store(config, key, value, origin))
            return bad_value(err, config_env_name(key), key, value);
    }
    return FD_OK;
}

enum fd_code config_load(const char *file, struct config **config, struct fd_error *err)
{
    struct config *made = xcalloc(1, sizeof *made);
    for (int key = 0; key < CONFIG_COUNT; key++)
        if (!store(made, (enum config_key)key, key_rows[key].fallback, xstrdup("default")))
            FD_BUG("default of %s.%s is not valid", key_rows[key].section, key_rows[key].key);
    enum fd_code code;
    if (file) {
        code = read_file(made, file, true, err);
    } else {
        char *user_folder = folder_of("XDG_CONFIG_HOME", ".config");
        char *user_file = xprintf("%s/%s", user_folder, CONFIG_FILE);
        code = read_file(made, FD_SYSCONFDIR "/" CONFIG_FILE, false, err);
        if (code == FD_OK)
            code = read_file(made, user_file, false, err);
        free(user_file);
        free(user_folder);
    }
    if (code == FD_OK)
        code = read_environment(made, err);
    if (code == FD_OK)
        *config = made;
    else
        config_free(made);
    return code;
}

void config_free(struct config *config)
{
    if (!config)
        return;
    for (int key = 0; key < CONFIG_COUNT; key++) {
        free(config->keys[key].value);
        free(config->keys[key].origin);
    }
    free(config);
}

enum fd_code config_set(struct config *config, enum config_key key, const char *value, struct fd_error *err)
{
    if (store(config, key, value, xstrdup("flag")))
        return FD_OK;
    return bad_value(err, _("command line"), key, value);
}

/* ---- reading ---- */

const char *config_text(const struct config *config, enum config_key key)
{
    row_of(key);
    return config->keys[key].value;
}

int64_t config_number(const struct config *config, enum config_key key)
{
    FD_ASSERT(row_of(key)->type == TYPE_NUMBER);
    return config->keys[key].number;
}

bool config_switch(const struct config *config, enum config_key key)
{
    FD_ASSERT(row_of(key)->type == TYPE_SWITCH);
    return config->keys[key].number != 0;
}

const char *config_origin(const struct config *config, enum config_key key)
{
    row_of(key);
    return config->keys[key].origin;
}

const char *config_section(enum config_key key)
{
    return row_of(key)->section;
}

const char *config_key_name(enum config_key key)
{
    return row_of(key)->key;
}

const char *config_help(enum config_key key)
{
    return row_of(key)->help;
}

bool config_is_default(const struct config *config, enum config_key key)
{
    return !strcmp(config_origin(config, key), "default");
}

const char *config_env_name(enum config_key key)
{
    static _Thread_local char name[64];
    const struct key_row *row = row_of(key);
    /* "host" or "file" alone would be too general a name in the environment. */
    bool whole =
        strcmp(row->section, "server") != 0 && strcmp(row->section, "desk") != 0 && strcmp(row->section, "ui") != 0;
    fit_printf(name, "FRONTDESK_%s%s%s", whole ? row->section : "", whole ? "_" : "", row->key);
    for (char *at = name; *at; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - ('a' - 'A'));
    return name;
}
