/* JSON values over jansson. Text from outside may hold invalid UTF-8, which jansson refuses: it is cleaned first. */
#include "outside/tree.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"

/* Out of memory ends the program in one way, also below jansson: it never sees a NULL. */
__attribute__((constructor)) static void use_our_memory(void) {
    json_set_alloc_funcs(xmalloc, free);
}

/* A struct tree is a json_t: the type exists only so that nobody else sees jansson. */
static json_t *json_of(const struct tree *tree) {
    union {
        const struct tree *tree;
        json_t *json;
    } same = {.tree = tree};
    return same.json;
}

static struct tree *tree_of(json_t *json) {
    if (!json)
        FD_BUG("jansson made no value");
    return (struct tree *)json;
}

static json_t *text_value(const char *text) {
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    /* Longer at most threefold: each bad byte becomes U+FFFD. */
    size_t bytes = strlen(text) * 3 + 1;
    char *clean = xmalloc(bytes);
    text_clean(clean, bytes, text);
    value = json_string(clean);
    free(clean);
    return json_of(tree_of(value));
}

static void put(struct tree *object, const char *key, json_t *value) {
    if (json_object_set_new(json_of(object), key, value) != 0)
        FD_BUG("cannot put %s", key);
}

struct tree *tree_object(void) {
    return tree_of(json_object());
}

struct tree *tree_list(void) {
    return tree_of(json_array());
}

void tree_free(struct tree **tree) {
    if (!tree || !*tree)
        return;
    json_decref(json_of(*tree));
    *tree = NULL;
}

void tree_put_text(struct tree *object, const char *key, const char *text) {
    put(object, key, text_value(text));
}

void tree_put_int(struct tree *object, const char *key, int64_t number) {
    put(object, key, json_integer(number));
}

void tree_put_bool(struct tree *object, const char *key, bool value) {
    put(object, key, json_boolean(value));
}

void tree_put_null(struct tree *object, const char *key) {
    put(object, key, json_null());
}

void tree_put(struct tree *object, const char *key, struct tree *child) {
    put(object, key, json_of(child));
}

void tree_add(struct tree *list, struct tree *child) {
    if (json_array_append_new(json_of(list), json_of(child)) != 0)
        FD_BUG("cannot add to a list");
}

void tree_add_text(struct tree *list, const char *text) {
    tree_add(list, tree_of(text_value(text)));
}

static json_t *member(const struct tree *object, const char *key) {
    return object ? json_object_get(json_of(object), key) : NULL;
}

const struct tree *tree_get(const struct tree *object, const char *key) {
    return (const struct tree *)member(object, key);
}

const char *tree_get_text(const struct tree *object, const char *key) {
    return json_string_value(member(object, key));
}

int64_t tree_get_int(const struct tree *object, const char *key) {
    return json_integer_value(member(object, key));
}

bool tree_get_bool(const struct tree *object, const char *key) {
    json_t *value = member(object, key);
    return json_is_true(value);
}

bool tree_is_null(const struct tree *object, const char *key) {
    json_t *value = member(object, key);
    return !value || json_is_null(value);
}

bool tree_is_list(const struct tree *tree) {
    json_t *value = json_of(tree);
    return json_is_array(value);
}

bool tree_is_text(const struct tree *object, const char *key) {
    json_t *value = member(object, key);
    return json_is_string(value);
}

bool tree_is_int(const struct tree *object, const char *key) {
    json_t *value = member(object, key);
    return json_is_integer(value);
}

const struct tree *tree_rows(const struct tree *tree) {
    if (!tree || tree_is_list(tree))
        return tree;
    const char *key;
    json_t *value;
    json_object_foreach(json_of(tree), key, value) {
        if (json_is_array(value))
            return (const struct tree *)value;
    }
    return NULL;
}

size_t tree_count(const struct tree *list) {
    return list ? json_array_size(json_of(list)) : 0;
}

const struct tree *tree_at(const struct tree *list, size_t index) {
    return list ? (const struct tree *)json_array_get(json_of(list), index) : NULL;
}

char *tree_dump(const struct tree *tree) {
    char *dumped = json_dumps(json_of(tree), JSON_COMPACT | JSON_ENCODE_ANY);
    if (!dumped)
        FD_BUG("cannot print a JSON value");
    return dumped;
}

struct tree *tree_parse(const char *text) {
    return text ? (struct tree *)json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

struct tree *tree_copy(const struct tree *tree) {
    return tree_of(json_deep_copy(json_of(tree)));
}
