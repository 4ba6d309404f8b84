/* A JSON value (jansson inside, and nowhere else): what actions answer, what the log keeps. */
#ifndef FD_OUTSIDE_TREE_H
#define FD_OUTSIDE_TREE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree; /* opaque; a json_t */
struct tree *tree_object(void);                       /* new */
struct tree *tree_list(void);                         /* new */
void tree_free(struct tree **tree);                   /* nulls; NULL is fine */
/* Into an object. Text is copied; NULL text puts null; invalid UTF-8 is cleaned. */
void tree_put_text(struct tree *object, const char *key, const char *text);
void tree_put_int(struct tree *object, const char *key, int64_t number);
void tree_put_bool(struct tree *object, const char *key, bool value);
void tree_put_null(struct tree *object, const char *key);
void tree_put(struct tree *object, const char *key, struct tree *child); /* steals child */
void tree_add(struct tree *list, struct tree *child);                    /* steals child */
void tree_add_text(struct tree *list, const char *text);
/* Reading. All borrowed; missing or of another kind: NULL, 0, false. */
const struct tree *tree_get(const struct tree *object, const char *key);
const char *tree_get_text(const struct tree *object, const char *key);
int64_t tree_get_int(const struct tree *object, const char *key);
bool tree_get_bool(const struct tree *object, const char *key);
bool tree_is_null(const struct tree *object, const char *key); /* null or missing */
bool tree_is_list(const struct tree *tree);
bool tree_is_text(const struct tree *object, const char *key);
bool tree_is_int(const struct tree *object, const char *key);
/* The value itself where it is a list, else the first member of the object that is one, else NULL. Borrowed. */
const struct tree *tree_rows(const struct tree *tree);
size_t tree_count(const struct tree *list);
const struct tree *tree_at(const struct tree *list, size_t index);
/* Compact one-line JSON, keys in insertion order; xmalloc'ed. */
char *tree_dump(const struct tree *tree);
struct tree *tree_parse(const char *text);            /* new, or NULL where it is not JSON */
struct tree *tree_copy(const struct tree *tree);      /* new, deep */
#endif
