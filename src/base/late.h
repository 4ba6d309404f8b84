/* Libraries that are loaded when they are first needed: libcurl and libmicrohttpd bring some thirty others, which would
 * cost every start of the console its time and 5 MiB. Headers are used as ever; of a function there is a pointer
 * `late_NAME` of the type that its header declares:
 *
 *     #define CURL_FUNCTIONS(X) X(curl_easy_init) X(curl_easy_cleanup)
 *     CURL_FUNCTIONS(LATE_POINTER)
 *     static struct late_library curl = {
 *         .soname = …, .package = …, .functions = (const struct late_function[]){CURL_FUNCTIONS(LATE_FUNCTION){0}}};
 */
#ifndef FD_BASE_LATE_H
#define FD_BASE_LATE_H
#include <stdbool.h>
#include "base/error.h"

struct late_function {
    const char *name; /* NULL: the end */
    void *pointer;    /* to the pointer that late_load fills */
};
struct late_library {
    const char *soname;  /* "libcurl.so.4", found by configure */
    const char *package; /* of Debian, which the hint names */
    const struct late_function *functions;
    bool loaded; /* late_load's own */
};
#define LATE_POINTER(name)  static __typeof__(name) *late_##name;
#define LATE_FUNCTION(name) {#name, &late_##name},

/* Fills the pointers, once; from any thread, as often as one likes. It stays loaded until the process ends. FD_CONFIG:
 * it is not installed, or lacks a function: the pointers must not be used, and the next call tries again. */
enum fd_code late_load(struct late_library *library, struct fd_error *err);
#endif
