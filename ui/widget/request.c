#include "ui/widget/request.h"
#include <string.h>

static const struct {
    const char *name, *help;
} requests[REQ_COUNT] = {
#define X(id, name, help) [id] = {name, help},
    REQUEST_TABLE(X)
#undef X
};

const char *request_name(enum request request) {
    return (unsigned)request < REQ_COUNT && requests[request].name ? requests[request].name : "";
}

const char *request_help(enum request request) {
    return (unsigned)request < REQ_COUNT && requests[request].help ? requests[request].help : "";
}

enum request request_named(const char *name) {
    for (unsigned i = 1; i < REQ_COUNT; i++)
        if (strcmp(requests[i].name, name) == 0)
            return (enum request)i;
    return REQ_NONE;
}
