#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"

#define ALIGNMENT          16u
#define ARENA_FIRST_BYTES  (16u * 1024)
#define ARENA_LARGEST_STEP (1024u * 1024)

/* _exit, not exit: handlers and buffered output could want memory again, and half an answer on
 * stdout is worse than none. */
void mem_exhausted(void)
{
    static const char text[] = "frontdesk: out of memory\n";
    fd_run_death_hook();
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(fd_code_exit(FD_NO_MEMORY));
}

#ifdef FD_TEETH
static atomic_long allocations_left = -1; /* -1: the environment was not read yet; 0: off */

void mem_fail_at(long n)
{
    atomic_store(&allocations_left, n);
}

long mem_fail_left(void)
{
    return atomic_load(&allocations_left);
}

static bool fails_now(void)
{
    long left = atomic_load(&allocations_left);
    if (left == -1) {
        const char *text = getenv("FRONTDESK_FAIL_ALLOC");
        long wanted = text ? strtol(text, NULL, 10) : 0;
        atomic_compare_exchange_strong(&allocations_left, &left, wanted > 0 ? wanted : 0);
        left = atomic_load(&allocations_left);
    }
    while (left > 0)
        if (atomic_compare_exchange_weak(&allocations_left, &left, left - 1))
            return left == 1;
    return false;
}
#else
static bool fails_now(void)
{
    return false;
}
#endif

static size_t product(size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total))
        mem_exhausted();
    return total;
}

void *xmalloc(size_t bytes)
{
    void *memory = fails_now() ? NULL : malloc(bytes ? bytes : 1);
    if (!memory && !FD_TOOTH("out_of_memory"))
        mem_exhausted();
    return memory;
}

void *xcalloc(size_t count, size_t bytes)
{
    size_t total = product(count, bytes);
    void *memory = fails_now() ? NULL : calloc(1, total ? total : 1);
    if (!memory && !FD_TOOTH("out_of_memory"))
        mem_exhausted();
    return memory;
}

void *xrealloc(void *old, size_t count, size_t bytes)
{
    size_t total = product(count, bytes);
    void *memory = fails_now() ? NULL : realloc(old, total ? total : 1);
    if (!memory)
        mem_exhausted();
    return memory;
}

char *xstrdup(const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(xmalloc(bytes), text, bytes);
}

/* Length of the formatted text; a format that cannot be printed is our own mistake. */
static size_t formatted_length(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
static size_t formatted_length(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        FD_BUG("format cannot be printed: %s", format);
    return (size_t)length;
}

char *xprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t bytes = formatted_length(format, args) + 1;
    char *text = xmalloc(bytes);
    vsnprintf(text, bytes, format, args);
    va_end(args);
    return text;
}

/* ---- arenas ---- */

struct arena_block {
    struct arena_block *next; /* older block */
    size_t bytes, used;
    _Alignas(ALIGNMENT) char data[];
};

static struct arena_block *block_new(const struct arena *arena, size_t wanted)
{
    size_t bytes = arena->head ? arena->head->bytes * 2 : ARENA_FIRST_BYTES;
    if (bytes > ARENA_LARGEST_STEP)
        bytes = ARENA_LARGEST_STEP;
    if (bytes < wanted)
        bytes = wanted;
    if (bytes > SIZE_MAX - sizeof(struct arena_block))
        mem_exhausted();
    struct arena_block *block = xmalloc(sizeof *block + bytes);
    block->next = arena->head;
    block->bytes = bytes;
    block->used = 0;
    return block;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT)
        mem_exhausted();
    /* No allocation is empty, so that two never share an address. */
    size_t rounded = ((bytes ? bytes : 1) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->head || arena->head->bytes - arena->head->used < rounded)
        arena->head = block_new(arena, rounded);
    void *memory = arena->head->data + arena->head->used;
    arena->head->used += rounded;
    return memset(memory, 0, rounded);
}

void *arena_array(struct arena *arena, size_t count, size_t bytes)
{
    return arena_alloc(arena, product(count, bytes));
}

char *arena_str(struct arena *arena, const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_alloc(arena, bytes), text, bytes);
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t bytes = formatted_length(format, args) + 1;
    char *text = arena_alloc(arena, bytes);
    vsnprintf(text, bytes, format, args);
    va_end(args);
    return text;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *kept = arena->head;
    if (!kept)
        return;
    /* The newest block is the largest of the usual steps: keep that one. */
    struct arena older = {.head = kept->next};
    arena_release(&older);
    kept->next = NULL;
    kept->used = 0;
}

void arena_release(struct arena *arena)
{
    struct arena_block *block = arena->head;
    arena->head = NULL;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

/* ---- growing string ---- */

static void buf_reserve(struct buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->bytes)
        mem_exhausted();
    size_t wanted = buf->bytes + more + 1;
    if (wanted <= buf->capacity)
        return;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < wanted)
        capacity *= 2;
    buf->text = xrealloc(buf->text, capacity, 1);
    buf->capacity = capacity;
}

void buf_add_bytes(struct buf *buf, const char *bytes, size_t count)
{
    buf_reserve(buf, count);
    if (count)
        memcpy(buf->text + buf->bytes, bytes, count);
    buf->bytes += count;
    buf->text[buf->bytes] = '\0';
}

void buf_add(struct buf *buf, const char *text)
{
    buf_add_bytes(buf, text, strlen(text));
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
    size_t length = formatted_length(format, args);
    buf_reserve(buf, length);
    vsnprintf(buf->text + buf->bytes, length + 1, format, args);
    buf->bytes += length;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}

void buf_clear(struct buf *buf)
{
    buf->bytes = 0;
    if (buf->text)
        buf->text[0] = '\0';
}

const char *buf_text(const struct buf *buf)
{
    return buf->text ? buf->text : "";
}

char *buf_take(struct buf *buf)
{
    char *text = buf->text ? buf->text : xstrdup("");
    *buf = (struct buf){0};
    return text;
}

void buf_release(struct buf *buf)
{
    free(buf->text);
    *buf = (struct buf){0};
}

/* ---- fixed buffers ---- */

size_t fit_printf_at(char *buffer, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(buffer, bytes, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= bytes)
        FD_BUG("%d bytes do not fit into %zu: %s", length, bytes, format);
    return (size_t)length;
}

void cut_copy(char *buffer, size_t bytes, const char *text)
{
    if (!bytes)
        return;
    size_t length = strnlen(text, bytes);
    if (length == bytes) {
        length = bytes - 1;
        while (length && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--;
    }
    memmove(buffer, text, length);
    buffer[length] = '\0';
}
