/* The program's own log: to a file or stderr, never to the terminal under the console.
 * Phones and secrets never go in: pass masked values. Lines: time, level, pid, text. */
#ifndef FD_BASE_LOG_H
#define FD_BASE_LOG_H
#include "base/error.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
/* path NULL: stderr. Appends, 0600. On failure goes on with stderr and returns FD_IO. */
enum fd_code log_open(const char *path, enum log_level least, struct fd_error *err);
void log_close(void);
bool log_is_stderr(void); /* lines go to stderr now */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs code, message, detail, SQL errno and the source line of an error. */
void log_error(const struct fd_error *err);
#endif
