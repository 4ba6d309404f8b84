/* What the server's files share. */
#ifndef FD_SANDBOX_SERVE_INTERNAL_H
#define FD_SANDBOX_SERVE_INTERNAL_H
#include "sandbox/box.h"

struct MHD_Daemon;
/* Answers HTTP on a listening socket. NULL where it cannot. */
struct MHD_Daemon *http_serve(struct box *box, int fd);
void http_end(struct MHD_Daemon *daemon);

struct control {
    struct box *box;
    int fd; /* the listening socket */
};
/* The socket `control` in the current folder. FD_IO. */
enum fd_code control_open(struct control *control, struct fd_error *err);
/* The thread that answers commands; `control` is a struct control. NULL. */
void *control_run(void *control);
void control_close(struct control *control);
#endif
