#include "ui/view/order_query.h"
#include <stdlib.h>
#include <string.h>

void order_pages_release(struct order_pages *pages) {
    free(pages->lines);
    free(pages->keys);
    *pages = (struct order_pages){0};
}

void order_pages_clear(struct order_pages *pages) {
    order_pages_release(pages);
}

size_t order_pages_loaded(const struct order_pages *pages) {
    return (pages->count + PAGE_ROWS - 1) / PAGE_ROWS;
}

static void keys_set(struct order_pages *pages, size_t page, struct page_key key) {
    if (page >= pages->key_count) {
        FD_ASSERT(page == pages->key_count);
        pages->keys = xrealloc(pages->keys, page + 1, sizeof *pages->keys);
        pages->key_count = page + 1;
    }
    pages->keys[page] = key;
}

/* Notes what each page comes after, from the lines that stand at the ends of pages. */
static void keys_note(struct order_pages *pages) {
    if (pages->key_count == 0)
        keys_set(pages, 0, (struct page_key){DAY_NONE, 0});
    for (size_t end = PAGE_ROWS; end <= pages->count; end += PAGE_ROWS) {
        const struct order_line *last = &pages->lines[end - 1];
        keys_set(pages, pages->first + end / PAGE_ROWS, (struct page_key){last->day, last->id});
    }
}

bool order_pages_wants(const struct order_pages *pages, int direction, struct page_key *after) {
    if (direction < 0) {
        if (pages->first == 0)
            return false;
        *after = pages->keys[pages->first - 1];
        return true;
    }
    if (pages->at_end || pages->count == 0)
        return false;
    *after = (struct page_key){pages->lines[pages->count - 1].day, pages->lines[pages->count - 1].id};
    return true;
}

void order_pages_again(const struct order_pages *pages, struct page_key *after, size_t *most) {
    size_t loaded = order_pages_loaded(pages);
    *after = pages->first < pages->key_count ? pages->keys[pages->first] : (struct page_key){DAY_NONE, 0};
    *most = (loaded == 0 ? 1 : loaded) * PAGE_ROWS;
}

static const struct order_line *line_of(const struct order_pages *pages, int64_t id) {
    for (size_t i = 0; i < pages->count; i++)
        if (pages->lines[i].id == id)
            return &pages->lines[i];
    return NULL;
}

/* Rows mostly stand where they stood: the same index is looked at first. */
static void mark_change(const struct order_pages *old, struct order_line *line, size_t at, int64_t now_ms) {
    const struct order_line *was = at < old->count && old->lines[at].id == line->id ? &old->lines[at] : line_of(old, line->id);
    bool changed = was == NULL || strcmp(was->state, line->state) != 0;
    line->changed_ms = changed ? now_ms : was->changed_ms;
}

void order_pages_replace(struct order_pages *pages, const struct order_line *lines, size_t count, bool more, int64_t now_ms) {
    struct order_pages old = *pages;
    bool known = old.key_count > 0; /* the first reading marks nothing */
    pages->lines = xmalloc((count == 0 ? 1 : count) * sizeof *lines);
    pages->count = count;
    pages->at_end = !more;
    if (count > 0)
        memcpy(pages->lines, lines, count * sizeof *lines);
    for (size_t i = 0; known && i < count; i++)
        mark_change(&old, &pages->lines[i], i, now_ms);
    free(old.lines);
    keys_note(pages);
}

size_t order_pages_extend(struct order_pages *pages, int direction, const struct order_line *lines, size_t count, bool more) {
    size_t dropped = 0;
    if (count == 0 && direction > 0)
        pages->at_end = true;
    if (count == 0)
        return 0;
    pages->lines = xrealloc(pages->lines, pages->count + count, sizeof *lines);
    if (direction < 0) {
        memmove(pages->lines + count, pages->lines, pages->count * sizeof *lines);
        memcpy(pages->lines, lines, count * sizeof *lines);
        pages->count += count;
        pages->first--;
        if (order_pages_loaded(pages) > PAGES_KEPT) {
            pages->count = (size_t)PAGES_KEPT * PAGE_ROWS;
            pages->at_end = false;
        }
        dropped = count;
    } else {
        memcpy(pages->lines + pages->count, lines, count * sizeof *lines);
        pages->count += count;
        pages->at_end = !more;
        keys_note(pages);
        if (order_pages_loaded(pages) > PAGES_KEPT) {
            dropped = PAGE_ROWS;
            pages->count -= dropped;
            memmove(pages->lines, pages->lines + dropped, pages->count * sizeof *lines);
            pages->first++;
        }
    }
    keys_note(pages);
    return dropped;
}
