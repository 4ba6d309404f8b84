/* What a list of orders asks for, and the window of pages that it keeps: at most PAGES_KEPT pages
 * in memory whatever the list's length, fetched by key in both directions. */
#ifndef FD_VIEW_ORDER_QUERY_H
#define FD_VIEW_ORDER_QUERY_H

#include "ui/view/parts.h"

/* --- the question --- */
struct order_query {
    day_t from, to;             /* DAY_NONE: open */
    char states[96];            /* "PENDING_PAY,PAID"; "" all */
    char phone[PHONE_BYTES];    /* whole, normalised; "" */
    char tail[5];               /* 4 digits; "" */
    char number[NUMBER_BYTES];  /* whole or tail; "" */
    char name[96];              /* prefix or initials; "" */
    char operator[NAME_BYTES];  /* "-" online; "" all */
    char venue[96];             /* name of venue_id, for the title */
    int64_t venue_id;           /* 0 all */
    bool either;                /* four characters were typed: `number` or else `tail` or `name` may fit */
};
/* The orders of one day; DAY_NONE: of every day. */
void order_query_day(struct order_query *query, day_t day);
/* From what was typed after `/`: four digits are a phone's tail or a number's, four letters a
 * number's tail or initials; more digits a phone, letters with digits an order number; else a
 * name or its initials. All days. */
void order_query_find(struct order_query *query, const char *text);
/* Appends it in words: "today · state H,P · tail 1234". */
void order_query_words(const struct order_query *query, day_t today, struct buf *text);

struct page_key { /* what a page comes after */
    day_t day;    /* DAY_NONE: the first page */
    int64_t id;
};
/* Desk thread: one page, newest day first. `lines` into the arena. */
enum fd_code order_query_run(struct desk *desk, const struct order_query *query, const struct page_key *after, size_t most,
                             struct arena *arena, struct order_line **lines, size_t *count, bool *more, struct fd_error *err);

/* --- the window --- */
#define PAGE_ROWS  100
#define PAGES_KEPT 5

struct order_pages {
    struct order_line *lines;
    size_t count;
    struct page_key *keys; /* keys[i]: what page i comes after; grows as pages are met */
    size_t key_count;
    size_t first;          /* page of lines[0] */
    bool at_end;           /* nothing comes after the last line */
};
void order_pages_release(struct order_pages *pages);
/* Forgets all: another question. */
void order_pages_clear(struct order_pages *pages);
/* How many pages are loaded. */
size_t order_pages_loaded(const struct order_pages *pages);
/* Whether there is a page before (-1) or after (1), and what it comes after. */
bool order_pages_wants(const struct order_pages *pages, int direction, struct page_key *after);
/* What to ask to read the window again: its key and the rows. */
void order_pages_again(const struct order_pages *pages, struct page_key *after, size_t *most);
/* The window read again. Lines whose state differs from before are marked as changed at `now_ms`. */
void order_pages_replace(struct order_pages *pages, const struct order_line *lines, size_t count, bool more, int64_t now_ms);
/* A page before or after; drops one at the other end where there are too many. Returns the rows
 * put before the first one (direction -1) or dropped from there (direction 1). */
size_t order_pages_extend(struct order_pages *pages, int direction, const struct order_line *lines, size_t count, bool more);

#endif
