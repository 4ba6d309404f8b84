/* Configuration: INI files (libinih), environment FRONTDESK_*, flags. Precedence: flag >
 * environment > user file ($XDG_CONFIG_HOME/frontdesk/frontdesk.conf) > system file
 * (sysconfdir/frontdesk.conf) > default. One table of keys makes parsing, the environment
 * names, `frontdesk config` and the man page; an error names file:line:key; nothing starts half
 * configured. */
#ifndef FD_BASE_CONFIG_H
#define FD_BASE_CONFIG_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/error.h"

/* id, section, key, type, default, help */
#define FD_CONFIG_TABLE(X)                                                                         \
    X(CONFIG_DATA, "server", "data", TEXT, "", N_("folder of the private database (default: the user's data folder)")) \
    X(CONFIG_HOST, "database", "host", TEXT, "", N_("server's host name, or several with commas that are tried in order; empty: private database or socket")) \
    X(CONFIG_PORT, "database", "port", NUMBER, "3306", N_("server's TCP port"))                    \
    X(CONFIG_SOCKET, "database", "socket", TEXT, "", N_("server's unix socket"))                   \
    X(CONFIG_USER, "database", "user", TEXT, "", N_("account (the password comes from an option file, group [frontdesk])")) \
    X(CONFIG_NAME, "database", "name", TEXT, "frontdesk", N_("name of the database"))              \
    X(CONFIG_CA, "database", "ssl_ca", TEXT, "", N_("file of the certificate authority; required for TCP to another machine")) \
    X(CONFIG_PLAIN, "database", "allow_plain_loopback", SWITCH, "no", N_("allow TCP without TLS to 127.0.0.1 or ::1")) \
    X(CONFIG_DEFAULTS_FILE, "database", "defaults_file", TEXT, "", N_("option file with credentials, mode 0600")) \
    X(CONFIG_TIME_ZONE, "database", "time_zone", TEXT, "+08:00", N_("fixed offset shared with the online system")) \
    X(CONFIG_CONNECT_TIMEOUT, "database", "connect_timeout_s", NUMBER, "3", N_("seconds to wait for a connection")) \
    X(CONFIG_READ_TIMEOUT, "database", "read_timeout_s", NUMBER, "10", N_("seconds to wait for an answer")) \
    X(CONFIG_TERMINAL, "desk", "terminal", TEXT, "", N_("name of this terminal in the log (default: host name)")) \
    X(CONFIG_OPERATOR, "desk", "operator", TEXT, "", N_("operator who acts (--operator)"))         \
    X(CONFIG_PASSWORD_FILE, "desk", "password_file", TEXT, "", N_("file with the operator's password, 0600; - is standard input")) \
    X(CONFIG_READONLY, "desk", "readonly", SWITCH, "no", N_("change nothing (--readonly)"))        \
    X(CONFIG_LANGUAGE, "ui", "language", TEXT, "", N_("zh_CN or en (default: the locale's)"))      \
    X(CONFIG_THEME, "ui", "theme", TEXT, "dark", N_("dark, light, eight, contrast, blind or mono")) \
    X(CONFIG_ASCII, "ui", "ascii", TEXT, "auto", N_("auto, yes or no: lines and marks in ASCII only")) \
    X(CONFIG_MOUSE, "ui", "mouse", SWITCH, "yes", N_("mouse clicks and wheel"))                    \
    X(CONFIG_ESCDELAY, "ui", "escape_delay_ms", NUMBER, "25", N_("milliseconds that a lone Esc waits")) \
    X(CONFIG_LOCK_IDLE, "ui", "lock_idle_s", NUMBER, "120", N_("seconds without a key until the console locks; 0 never")) \
    X(CONFIG_QR, "ui", "qr", TEXT, "auto", N_("payment codes: auto, half or full blocks, or print on paper only")) \
    X(CONFIG_CHANNELS, "channels", "file", TEXT, "", N_("file with the merchant accounts of the payment channels, mode 0600")) \
    X(CONFIG_NOTIFY_LISTEN, "notify", "listen", TEXT, "127.0.0.1:8787", N_("address and port of frontdesk notify")) \
    X(CONFIG_PRINTER, "printer", "target", TEXT, "", N_("file:DEVICE, tcp:HOST:PORT or cups:QUEUE; empty: no printer")) \
    X(CONFIG_PRINTER_PAPER, "printer", "paper", TEXT, "80", N_("width of the paper in mm: 58 or 80")) \
    X(CONFIG_PRINTER_COLUMNS, "printer", "columns", NUMBER, "0", N_("characters in a line; 0: 32 or 48, by the paper")) \
    X(CONFIG_PRINTER_QR, "printer", "qr", TEXT, "raster", N_("raster, or native where the printer makes the code itself")) \
    X(CONFIG_LOG_FILE, "log", "file", TEXT, "", N_("log file (default: the user's state folder; stderr for the worker)")) \
    X(CONFIG_DEBUG, "log", "debug", SWITCH, "no", N_("log more"))

enum config_key {
#define X(id, section, key, type, fallback, help) id,
    FD_CONFIG_TABLE(X)
#undef X
    CONFIG_COUNT
};

struct config; /* opaque; values and where each came from */

/* Reads system and user file (or only `file` where not NULL) and the environment.
 * FD_CONFIG with file:line:key on the first error. New; config_free. */
enum fd_code config_load(const char *file, struct config **config, struct fd_error *err);
void config_free(struct config *config);
/* Sets from a flag (wins over all). FD_CONFIG where the value does not fit the type. */
enum fd_code config_set(struct config *config, enum config_key key, const char *value, struct fd_error *err);
const char *config_text(const struct config *config, enum config_key key); /* borrowed, never NULL */
int64_t config_number(const struct config *config, enum config_key key);
bool config_switch(const struct config *config, enum config_key key);
/* Where the value came from: "default", "environment FRONTDESK_X", "file:line", "flag". Borrowed. */
const char *config_origin(const struct config *config, enum config_key key);
const char *config_section(enum config_key key);
const char *config_key_name(enum config_key key);
const char *config_help(enum config_key key); /* untranslated msgid */
/* Its environment variable: FRONTDESK_DATA, FRONTDESK_DATABASE_HOST, FRONTDESK_OPERATOR,
 * FRONTDESK_LOG_FILE: the section is part of the name but for server, desk and ui. */
const char *config_env_name(enum config_key key);
bool config_is_default(const struct config *config, enum config_key key);

/* XDG folders with "/frontdesk": data, state, runtime. Made 0700 where missing. xmalloc'ed. */
char *folder_data(void);
char *folder_state(void);
/* A short 0700 folder of this user's for sockets (XDG_RUNTIME_DIR or the temporary folder). */
enum fd_code folder_runtime(char **path, struct fd_error *err);
/* Reads a secret: regular file, own user, no group/other bits, no symlink; "-" = stdin; one line.
 * FD_CONFIG with the reason. The caller wipes (explicit_bzero) and frees. */
enum fd_code secret_read(const char *path, char **secret, struct fd_error *err);
#endif
