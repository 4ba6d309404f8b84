/* What the two files of the private server share. */
#ifndef FD_DB_SERVER_INTERNAL_H
#define FD_DB_SERVER_INTERNAL_H
#include <stdbool.h>
#include <sys/types.h>
#include "db/server.h"

/* A program's argument list that grows; owned. */
struct server_command {
    char **words;
    size_t count;
};
void server_command_add(struct server_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
void server_command_release(struct server_command *command);

/* The server's program, from FRONTDESK_SERVER_PROGRAM or the usual places. */
struct program {
    char *path; /* owned */
    bool is_mariadb;
};
/* FD_DB_DOWN with a hint about the package where there is none. */
enum fd_code server_program_find(struct program *program, struct fd_error *err);
/* Makes the data files in folder/db: in a neighbour first, renamed when whole. The install script keeps
 * the lock `lock_fd`: where its starter is killed the next one waits for its end. */
enum fd_code server_install(const struct server *server, const struct program *program, int lock_fd, struct fd_error *err);
/* Starts the process detached and returns; it holds the lock on folder/server.alive while it lives. */
enum fd_code server_spawn(const struct server *server, const struct program *program, struct fd_error *err);
/* Last line of folder/NAME that says why, "" where there is none. Into out. */
void server_log_last_line(const struct server *server, const char *name, char *out, size_t out_bytes);
/* Removes a folder and all below it; missing is fine. */
void server_remove_tree(const char *path);

#endif
