/* A sandbox of both payment channels for one test program: the real program, in a folder of the test's, ended with the
 * test whatever becomes of it. Needs the program frontdesk-sandbox in the build folder (or FD_SANDBOX). */
#ifndef FD_TESTS_SUPPORT_SANDBOX_H
#define FD_TESTS_SUPPORT_SANDBOX_H
#include <sys/types.h>
#include "outside/tree.h"

struct sandbox {
    char *folder;   /* sandbox.folder/channels.conf is what [channels] file= names */
    char *channels; /* that path */
    pid_t pid;
    int port;
};
/* Serves in `folder` (made where it is missing); `options` are further words of `serve`, NULL none. Ends the test
 * program where it cannot. Where it stops: sandbox_start again with the same folder goes on. */
void sandbox_start(struct sandbox *sandbox, const char *folder, const char *const *options);
void sandbox_stop(struct sandbox *sandbox); /* SIGTERM, waits; frees. Safe twice. */
void sandbox_kill(struct sandbox *sandbox); /* kill -9, waits; frees. */

/* Runs `frontdesk-sandbox --folder F --json` with the words of the line; the answer (new), NULL where it is no JSON.
 * sandbox_tell fails the test unless it exits with 0. */
struct tree *sandbox_try(const struct sandbox *sandbox, int *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct tree *sandbox_tell(const struct sandbox *sandbox, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same without the answer. */
void sandbox_do(const struct sandbox *sandbox, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
