#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "shortage.h"

static struct {
    atomic_long first, last, passed; /* first 0: off */
} kinds[SHORT_KINDS];

void shortage_at(enum shortage kind, long n, long more)
{
    atomic_store(&kinds[kind].passed, 0);
    atomic_store(&kinds[kind].last, n + more);
    atomic_store(&kinds[kind].first, n);
}

long shortage_passed(enum shortage kind)
{
    return atomic_load(&kinds[kind].passed);
}

static bool fails(enum shortage kind)
{
    long first = atomic_load(&kinds[kind].first);
    if (first == 0)
        return false;
    long turn = atomic_fetch_add(&kinds[kind].passed, 1) + 1;
    return turn >= first && turn <= atomic_load(&kinds[kind].last);
}

/* The function behind ours; POSIX lets a data pointer be read as one. */
#define REAL(type, name)                                                                                               \
    static type real;                                                                                                  \
    if (!real)                                                                                                         \
        *(void **)(void *)&real = dlsym(RTLD_NEXT, name)

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    typedef ssize_t send_fn(int, const void *, size_t, int);
    REAL(send_fn *, "send");
    if (!fails(SHORT_SEND))
        return real(fd, bytes, count, flags);
    /* Half of the message is out when the link breaks. */
    real(fd, bytes, count / 2, flags);
    shutdown(fd, SHUT_RDWR);
    errno = ECONNRESET;
    return -1;
}

ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    typedef ssize_t recv_fn(int, void *, size_t, int);
    REAL(recv_fn *, "recv");
    if (!fails(SHORT_RECV))
        return real(fd, bytes, count, flags);
    /* The answer was on its way. */
    real(fd, bytes, count, flags);
    shutdown(fd, SHUT_RDWR);
    errno = ECONNRESET;
    return -1;
}

int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
    typedef int connect_fn(int, const struct sockaddr *, socklen_t);
    REAL(connect_fn *, "connect");
    if (!fails(SHORT_CONNECT))
        return real(fd, address, bytes);
    errno = ECONNREFUSED;
    return -1;
}

#ifdef __SANITIZE_ADDRESS__
bool shortage_has_malloc(void)
{
    return false;
}
#else
bool shortage_has_malloc(void)
{
    return true;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *old, size_t bytes);

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t bytes)
{
    return fails(SHORT_MALLOC) ? none() : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(SHORT_MALLOC) ? none() : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails(SHORT_MALLOC) ? none() : __libc_realloc(old, bytes);
}
#endif
