#include "base/late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static bool fill(const struct late_library *library, void *handle)
{
    for (const struct late_function *function = library->functions; function->name; function++) {
        void *found = dlsym(handle, function->name);
        if (!found)
            return false;
        /* POSIX has a function's address fit a void *, but the pointer's own type is another. */
        memcpy(function->pointer, &found, sizeof found);
    }
    return true;
}

/* Never closed: libraries below it have threads, and hooks for the end of the process. */
static bool load(const struct late_library *library)
{
    void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return handle && fill(library, handle);
}

enum fd_code late_load(struct late_library *library, struct fd_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    library->loaded = library->loaded || load(library);
    bool loaded = library->loaded;
    pthread_mutex_unlock(&lock);
    if (loaded)
        return FD_OK;
    const char *why = dlerror(); /* of this thread; names the file */
    fd_fail(err, FD_CONFIG, _("A library cannot be used: %s."), why ? why : library->soname);
    fd_hint(err, _("Install it; the package of Debian is %s."), library->package);
    return FD_CONFIG;
}
