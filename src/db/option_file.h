/* The client libraries' option files (my.cnf), read by ourselves: the libraries would let any group
 * that they read by default decide the target, local files and more. Taken: group [frontdesk] (user,
 * password, host, port, socket, database, ssl-ca, init-command), and of [client] only user and
 * password. Source: domain section 8. */
#ifndef FD_DB_OPTION_FILE_H
#define FD_DB_OPTION_FILE_H
#include "base/error.h"

/* All strings are owned, NULL where not given. */
struct option_file {
    char *user, *password;               /* [frontdesk] */
    char *client_user, *client_password; /* [client] */
    char *host, *socket, *database, *ssl_ca, *init_command;
    unsigned port; /* 0: not given */
};

/* Reads `path`, or where NULL the usual files (/etc/my.cnf, /etc/mysql/my.cnf, ~/.my.cnf) that exist; "": ~/.my.cnf only.
 * A file named by `path` must be a regular file of this user or root without any bit for group and
 * others: FD_CONFIG else, also where it cannot be read. Release in every case. */
enum fd_code option_file_read(const char *path, struct option_file *options, struct fd_error *err);
/* Wipes the passwords and frees all. */
void option_file_release(struct option_file *options);
#endif
