/* What the tests of src/base share. */
#ifndef FD_TESTS_BASE_UNIT_H
#define FD_TESTS_BASE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include "base/error.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A fresh folder; removed with everything in it by scratch_remove. */
const char *scratch_make(void);
void scratch_remove(void);
/* scratch/name, static until the next call. */
const char *scratch_path(const char *name);
/* Writes a file in the scratch folder and returns its path (as scratch_path). */
const char *scratch_write(const char *name, const char *text, unsigned mode);
/* Content of a file, xmalloc'ed; NULL where it cannot be read. */
char *file_text(const char *path);

/* Runs `body` in a child process with stderr into `said` (`bytes`, terminated); its wait status. */
int in_child(void (*body)(void), char *said, size_t bytes);

#endif
