/* Memory: allocators that never return NULL (out of memory restores the terminal, says so on
 * stderr and exits with 71), arenas for lists that live until a reload, and a growing string. */
#ifndef FD_BASE_MEM_H
#define FD_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Ends the program so: for libraries that say ENOMEM where they could not allocate. */
_Noreturn void mem_exhausted(void);
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);         /* overflow-checked, zeroed */
void *xrealloc(void *old, size_t count, size_t bytes); /* overflow-checked */
char *xstrdup(const char *text);                   /* NULL gives NULL */
char *xprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An arena: many small allocations, freed together. Zero-initialised is valid. */
struct arena {
    struct arena_block *head;
};
void *arena_alloc(struct arena *arena, size_t bytes);            /* zeroed, 16-byte aligned */
void *arena_array(struct arena *arena, size_t count, size_t bytes); /* overflow-checked, zeroed */
char *arena_str(struct arena *arena, const char *text);          /* copy; NULL gives NULL */
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *arena);   /* forgets all, keeps one block for reuse */
void arena_release(struct arena *arena); /* frees all; the arena is valid and empty again */

/* A growing string, always terminated once something was added. Zero-initialised is valid. */
struct buf {
    char *text; /* NULL while empty */
    size_t bytes, capacity;
};
void buf_add(struct buf *buf, const char *text);
void buf_add_bytes(struct buf *buf, const char *bytes, size_t count);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void buf_clear(struct buf *buf);            /* length 0, keeps the memory */
const char *buf_text(const struct buf *buf); /* "" while empty; borrowed until the next change */
char *buf_take(struct buf *buf);            /* the caller's to free(); never NULL; buf is empty */
void buf_release(struct buf *buf);

/* snprintf into a fixed buffer that must fit: FD_BUG on truncation. Returns the length. */
#define fit_printf(buffer, ...) fit_printf_at(buffer, sizeof(buffer), __VA_ARGS__)
size_t fit_printf_at(char *buffer, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Copies and cuts at a whole UTF-8 character where it does not fit. */
void cut_copy(char *buffer, size_t bytes, const char *text);

/* Allocation-failure injection (test builds only): fail the n-th allocation from now; 0 = off. */
#ifdef FD_TEETH
void mem_fail_at(long n);
/* How many allocations are left until then: 0 where it has failed or none was asked for. */
long mem_fail_left(void);
#endif

#endif
