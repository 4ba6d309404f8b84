/* Reading INI files, with the number of the line at hand. libinih inside. */
#ifndef FD_BASE_INI_FILE_H
#define FD_BASE_INI_FILE_H
#include <stdio.h>
#include "base/error.h"

struct ini_file {
    FILE *stream;     /* open; stays open */
    const char *path; /* for messages */
};
/* One "name = value". Its error ends the reading. */
typedef enum fd_code ini_take_fn(void *arg, int line, const char *section, const char *name, const char *value);
/* Reads it to the end. FD_CONFIG names file and line: a line too long, or that is neither [section] nor key = value;
 * else the first error of `take`. */
enum fd_code ini_file_read(const struct ini_file *file, ini_take_fn *take, void *arg, struct fd_error *err);
#endif
