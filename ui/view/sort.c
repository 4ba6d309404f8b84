/* Sorting lists of orders that are loaded whole. */
#include "ui/view/parts.h"
#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int by_tail(const struct order_line *a, const struct order_line *b) {
    return strcmp(show_tail(a->order_no), show_tail(b->order_no));
}
static int by_when(const struct order_line *a, const struct order_line *b) {
    return a->day != b->day ? by_number(a->day, b->day) : by_number(a->start_minute, b->start_minute);
}
static int by_venue(const struct order_line *a, const struct order_line *b) {
    return strcmp(a->venue, b->venue);
}
static int by_customer(const struct order_line *a, const struct order_line *b) {
    return strcmp(a->customer, b->customer);
}
static int by_phone(const struct order_line *a, const struct order_line *b) {
    return strcmp(a->phone, b->phone);
}
/* Unpaid ones by the end of their hold. */
static int by_state(const struct order_line *a, const struct order_line *b) {
    int states = strcmp(a->state, b->state);
    return states != 0 ? states : by_number(a->expire_time, b->expire_time);
}
static int by_quantity(const struct order_line *a, const struct order_line *b) {
    return by_number(a->quantity, b->quantity);
}
static int by_amount(const struct order_line *a, const struct order_line *b) {
    return by_number(a->total_fen, b->total_fen);
}
static int by_owed(const struct order_line *a, const struct order_line *b) {
    return by_number(order_line_owed(a), order_line_owed(b));
}
static int by_note(const struct order_line *a, const struct order_line *b) {
    return strcmp(a->note, b->note);
}

static int (*const comparisons[OC_COUNT])(const struct order_line *a, const struct order_line *b) = {
    [OC_TAIL] = by_tail,         [OC_START] = by_when,    [OC_WHEN] = by_when,        [OC_VENUE] = by_venue,
    [OC_CUSTOMER] = by_customer, [OC_PHONE] = by_phone,   [OC_STATE] = by_state,      [OC_STATE_WORD] = by_state,
    [OC_QUANTITY] = by_quantity, [OC_AMOUNT] = by_amount, [OC_OWED] = by_owed,        [OC_NOTE] = by_note,
};

struct sorting {
    enum order_column column;
    bool down;
};

static int compare(const void *a, const void *b, void *context) {
    const struct order_line *x = a, *y = b;
    const struct sorting *sorting = context;
    int order = comparisons[sorting->column](x, y);
    if (order == 0)
        return by_number(x->id, y->id);
    return sorting->down ? -order : order;
}

void order_lines_sort(struct order_line *lines, size_t count, enum order_column column, bool down) {
    struct sorting sorting = {column, down};
    if (count > 1)
        qsort_r(lines, count, sizeof *lines, compare, &sorting);
}
