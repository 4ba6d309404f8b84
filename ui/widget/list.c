#include "ui/widget/list.h"
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"

#define MARGIN      3 /* mark, pointer, blank */
#define COLUMNS_MAX 24
#define WHEEL_ROWS  3

void list_init(struct list *list, const struct list_column *columns, unsigned count, const struct list_source *source) {
    memset(list, 0, sizeof *list);
    FD_ASSERT(count <= COLUMNS_MAX);
    list->columns = columns;
    list->column_count = count;
    list->source = *source;
    list->sort_column = -1;
    list->focused = true;
}

void list_release(struct list *list) {
    free(list->marks);
    list->marks = NULL;
    list->mark_count = list->mark_room = 0;
}

size_t list_rows(const struct list *list) {
    return list->source.rows(list->source.context);
}

static int64_t key_of(const struct list *list, size_t row) {
    return list->source.key(list->source.context, row);
}

bool list_has(const struct list *list) {
    return list->has_cursor && list->cursor < list_rows(list);
}

static void settle(struct list *list, size_t rows) {
    list->has_cursor = rows > 0;
    if (rows == 0) {
        list->cursor = list->top = 0;
        return;
    }
    if (list->cursor >= rows)
        list->cursor = rows - 1;
    if (list->top >= rows)
        list->top = rows - 1;
    list->cursor_key = key_of(list, list->cursor);
}

static bool find_row(const struct list *list, int64_t key, size_t *row) {
    size_t rows = list_rows(list);
    for (size_t i = 0; i < rows; i++)
        if (key_of(list, i) == key) {
            *row = i;
            return true;
        }
    return false;
}

/* --- marks --- */

static size_t mark_place(const struct list *list, int64_t key) {
    size_t low = 0, high = list->mark_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->marks[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool list_is_marked(const struct list *list, int64_t key) {
    size_t at = mark_place(list, key);
    return at < list->mark_count && list->marks[at] == key;
}

static void set_mark(struct list *list, int64_t key, bool on) {
    size_t at = mark_place(list, key);
    bool is = at < list->mark_count && list->marks[at] == key;
    if (is == on)
        return;
    if (!on) {
        memmove(list->marks + at, list->marks + at + 1, (list->mark_count - at - 1) * sizeof *list->marks);
        list->mark_count--;
        return;
    }
    if (list->mark_count == list->mark_room) {
        list->mark_room = list->mark_room * 2 + 16;
        list->marks = xrealloc(list->marks, list->mark_room, sizeof *list->marks);
    }
    memmove(list->marks + at + 1, list->marks + at, (list->mark_count - at) * sizeof *list->marks);
    list->marks[at] = key;
    list->mark_count++;
}

void list_unmark(struct list *list) {
    list->mark_count = 0;
}

static void mark_all(struct list *list) {
    size_t rows = list_rows(list);
    bool every = list->mark_count >= rows;
    list_unmark(list);
    for (size_t i = 0; i < rows && !every; i++)
        set_mark(list, key_of(list, i), true);
}

static int compare_keys(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Marks of rows that are no longer there would act on something unseen. */
static void drop_stale_marks(struct list *list, size_t rows) {
    size_t kept = 0;
    if (list->mark_count == 0)
        return;
    int64_t *keys = xrealloc(NULL, rows ? rows : 1, sizeof *keys);
    for (size_t i = 0; i < rows; i++)
        keys[i] = key_of(list, i);
    qsort(keys, rows, sizeof *keys, compare_keys);
    for (size_t i = 0; i < list->mark_count; i++)
        if (bsearch(&list->marks[i], keys, rows, sizeof *keys, compare_keys))
            list->marks[kept++] = list->marks[i];
    list->mark_count = kept;
    free(keys);
}

const int64_t *list_chosen(struct list *list, size_t *count) {
    if (list->mark_count > 0) {
        *count = list->mark_count;
        return list->marks;
    }
    *count = list_has(list) ? 1 : 0;
    return &list->cursor_key;
}

/* --- data changed --- */

void list_reloaded(struct list *list) {
    size_t rows = list_rows(list), row, offset = list->cursor - (list->cursor < list->top ? list->cursor : list->top);
    if (list->has_cursor && find_row(list, list->cursor_key, &row)) {
        list->cursor = row;
        list->top = row > offset ? row - offset : 0;
    }
    drop_stale_marks(list, rows);
    settle(list, rows);
}

void list_prepended(struct list *list, size_t count) {
    list->cursor += count;
    list->top += count;
    settle(list, list_rows(list));
}

void list_select(struct list *list, int64_t key) {
    size_t row;
    if (!find_row(list, key, &row))
        return;
    list->cursor = row;
    settle(list, list_rows(list));
}

/* --- motion --- */

static enum list_event go(struct list *list, int64_t target) {
    size_t rows = list_rows(list), before = list->cursor;
    int64_t last = (int64_t)rows - 1;
    if (list->source.more && target >= last)
        list->source.more(list->source.context, 1);
    if (list->source.more && target <= 0)
        list->source.more(list->source.context, -1);
    rows = list_rows(list); /* the source may have had some at hand */
    if (rows == 0)
        return LIST_USED;
    last = (int64_t)rows - 1;
    list->cursor = (size_t)(target < 0 ? 0 : target > last ? last : target);
    settle(list, rows);
    return list->cursor == before ? LIST_USED : LIST_MOVED;
}

static bool is_dropped(const struct list *list) {
    for (unsigned i = 0; i < list->column_count; i++)
        if (list->column_width[i] == 0)
            return true;
    return false;
}

static enum list_event scroll_sideways(struct list *list, int direction) {
    int frozen = 0;
    while (frozen < (int)list->column_count && list->columns[frozen].frozen)
        frozen++;
    if (direction > 0 && is_dropped(list) && list->first_column < (int)list->column_count - frozen - 1)
        list->first_column++;
    else if (direction < 0 && list->first_column > 0)
        list->first_column--;
    else
        return LIST_IGNORED;
    return LIST_USED;
}

static enum list_event choose_sort(struct list *list, int direction) {
    int count = (int)list->column_count, at = list->sort_column;
    for (int i = 0; i < count; i++) {
        at = (at < 0 && direction < 0 ? count : at) + direction;
        at = (at + count) % count;
        if (list->columns[at].sortable) {
            list->sort_column = at;
            return LIST_SORT;
        }
    }
    return LIST_USED;
}

static enum list_event mark_here(struct list *list) {
    if (!list->selectable)
        return LIST_IGNORED;
    if (list_has(list)) {
        set_mark(list, list->cursor_key, !list_is_marked(list, list->cursor_key));
        go(list, (int64_t)list->cursor + 1);
    }
    return LIST_MARKED;
}

static enum list_event search_again(struct list *list, int direction) {
    if (!*list->search)
        return LIST_IGNORED;
    size_t before = list->cursor;
    char text[sizeof list->search];
    memcpy(text, list->search, sizeof text);
    list_search(list, text, direction, false);
    return list->cursor == before ? LIST_USED : LIST_MOVED;
}

enum list_event list_request(struct list *list, enum request request, const struct input *input) {
    int64_t at, page = list->shown_rows > 1 ? list->shown_rows - 1 : 1;
    (void)input;
    settle(list, list_rows(list)); /* also before it was drawn once */
    at = (int64_t)list->cursor;
    switch ((int)request) {
    case REQ_UP:
        return go(list, at - 1);
    case REQ_DOWN:
        return go(list, at + 1);
    case REQ_PAGE_UP:
        return go(list, at - page);
    case REQ_PAGE_DOWN:
        return go(list, at + page);
    case REQ_HOME:
        return go(list, 0);
    case REQ_END:
        return go(list, INT64_MAX / 2);
    case REQ_LEFT:
        return scroll_sideways(list, -1);
    case REQ_RIGHT:
        return scroll_sideways(list, 1);
    case REQ_OPEN:
        return list_has(list) ? LIST_OPEN : LIST_USED;
    case REQ_MARK:
        return mark_here(list);
    case REQ_MARK_ALL:
        if (!list->selectable)
            return LIST_IGNORED;
        mark_all(list);
        return LIST_MARKED;
    case REQ_SORT_LEFT:
        return choose_sort(list, -1);
    case REQ_SORT_RIGHT:
        return choose_sort(list, 1);
    case REQ_SORT_REVERSE:
        if (list->sort_column < 0)
            return LIST_IGNORED;
        list->sort_down = !list->sort_down;
        return LIST_SORT;
    case REQ_SEARCH_NEXT:
        return search_again(list, 1);
    case REQ_SEARCH_PREV:
        return search_again(list, -1);
    default:
        return LIST_IGNORED;
    }
}

static enum list_event click_header(struct list *list, int cell) {
    for (unsigned i = 0; i < list->column_count; i++) {
        if (!list->columns[i].sortable || list->column_width[i] == 0 || cell < list->column_at[i] ||
            cell >= list->column_at[i] + list->column_width[i])
            continue;
        list->sort_down = list->sort_column == (int)i ? !list->sort_down : false;
        list->sort_column = (int)i;
        return LIST_SORT;
    }
    return LIST_USED;
}

enum list_event list_mouse(struct list *list, const struct input *input) {
    int row = input->row - list->shown_row, cell = input->column - list->shown_column;
    if (input->kind != INPUT_MOUSE || row < 0 || row > list->shown_rows || cell < 0 || cell >= list->shown_columns)
        return LIST_IGNORED;
    if (input->mouse == MOUSE_WHEEL_UP || input->mouse == MOUSE_WHEEL_DOWN)
        return go(list, (int64_t)list->cursor + (input->mouse == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS));
    if (row == 0)
        return click_header(list, cell);
    size_t target = list->top + (size_t)row - 1;
    if (target >= list_rows(list))
        return LIST_USED;
    if (input->mouse == MOUSE_DOUBLE) {
        go(list, (int64_t)target);
        return LIST_OPEN;
    }
    return go(list, (int64_t)target);
}

/* --- search --- */

static bool cell_matches(struct list *list, size_t row, const char *text) {
    for (unsigned i = 0; i < list->column_count; i++) {
        struct list_cell cell = {"", STYLE_TEXT};
        list->source.cell(list->source.context, row, i, &cell);
        if (strcasestr(cell.text, text))
            return true;
    }
    return false;
}

bool list_search(struct list *list, const char *text, int direction, bool here) {
    size_t rows = list_rows(list);
    cut_copy(list->search, sizeof list->search, text);
    if (rows == 0 || !*text)
        return false;
    for (size_t i = here ? 0 : 1; i <= rows; i++) {
        size_t row = (list->cursor + (direction > 0 ? i : rows * 2 - i)) % rows;
        if (!cell_matches(list, row, text))
            continue;
        list->cursor = row;
        settle(list, rows);
        return true;
    }
    return false;
}

/* --- drawing --- */

static int natural_width(const struct list *list, unsigned column) {
    const struct list_column *spec = &list->columns[column];
    int title = text_width(i18n_label(spec->label)) + (list->sort_column == (int)column ? 1 : 0);
    return spec->cells > title ? spec->cells : title;
}

/* Drops columns by priority until the rest fits. Returns the cells that are left over. */
static int choose_columns(struct list *list, int room) {
    int sum = 0, skipped = 0;
    for (unsigned i = 0; i < list->column_count; i++) {
        bool hidden = !list->columns[i].frozen && skipped++ < list->first_column;
        list->column_width[i] = hidden ? 0 : natural_width(list, i);
        sum += hidden ? 0 : list->column_width[i] + 1;
    }
    while (sum - 1 > room) {
        int worst = -1;
        for (unsigned i = 0; i < list->column_count; i++)
            if (list->column_width[i] > 0 && list->columns[i].priority > 0 &&
                (worst < 0 || list->columns[i].priority >= list->columns[worst].priority))
                worst = (int)i;
        if (worst < 0)
            break;
        sum -= list->column_width[worst] + 1;
        list->column_width[worst] = 0;
    }
    return room - sum + 1;
}

static void share_rest(struct list *list, int rest) {
    int shares = 0;
    for (unsigned i = 0; i < list->column_count; i++)
        shares += list->column_width[i] > 0 ? list->columns[i].grow : 0;
    for (unsigned i = 0; i < list->column_count && rest > 0 && shares > 0; i++) {
        if (list->column_width[i] == 0 || list->columns[i].grow == 0)
            continue;
        int part = rest * list->columns[i].grow / shares;
        list->column_width[i] += part;
        rest -= part;
        shares -= list->columns[i].grow;
    }
}

static void lay_out(struct list *list, int columns) {
    int at = MARGIN;
    share_rest(list, choose_columns(list, columns - MARGIN));
    for (unsigned i = 0; i < list->column_count; i++) {
        list->column_at[i] = at;
        if (list->column_width[i] == 0)
            continue;
        if (at + list->column_width[i] > columns) /* not even the important ones fit: cut the last */
            list->column_width[i] = columns > at ? columns - at : 0;
        at += list->column_width[i] + 1;
    }
}

static void draw_header(struct list *list, struct cells *cells) {
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_HEADER);
    if (list->has_before)
        cells_text(cells, 0, 1, STYLE_HEADER, cells_symbol(cells, SYMBOL_UP));
    for (unsigned i = 0; i < list->column_count; i++) {
        char title[128];
        if (list->column_width[i] == 0)
            continue;
        cut_copy(title, sizeof title - 8, i18n_label(list->columns[i].label));
        if (list->sort_column == (int)i)
            strcat(title, cells_symbol(cells, list->sort_down ? SYMBOL_DOWN : SYMBOL_UP));
        cells_put(cells, 0, list->column_at[i], list->column_width[i], list->columns[i].align, STYLE_HEADER, title);
    }
}

static void draw_row(struct list *list, struct cells *cells, int line, size_t row) {
    bool here = row == list->cursor, marked = list->mark_count > 0 && list_is_marked(list, key_of(list, row));
    if (marked)
        cells_text(cells, line, 0, STYLE_MARK, cells_symbol(cells, SYMBOL_MARK));
    for (unsigned i = 0; i < list->column_count; i++) {
        struct list_cell cell = {"", STYLE_TEXT};
        if (list->column_width[i] == 0)
            continue;
        list->source.cell(list->source.context, row, i, &cell);
        if (list->columns[i].align > 0)
            cells_number(cells, line, list->column_at[i], list->column_width[i], cell.style, cell.text);
        else
            cells_put(cells, line, list->column_at[i], list->column_width[i], list->columns[i].align, cell.style, cell.text);
    }
    if (!here)
        return;
    cells_text(cells, line, 1, STYLE_TEXT, cells_symbol(cells, SYMBOL_POINTER));
    cells_restyle(cells, line, 0, 1, cells->columns, list->focused ? STYLE_SELECT : STYLE_SELECT_OFF);
    if (list->focused)
        cells_cursor(cells, line, 1);
}

void list_draw(struct list *list, struct cells *cells, const char *empty) {
    size_t rows = list_rows(list), height = cells->rows > 1 ? (size_t)cells->rows - 1 : 0;
    settle(list, rows);
    list->shown_rows = (int)height;
    list->shown_row = cells->row;
    list->shown_column = cells->column;
    list->shown_columns = cells->columns;
    lay_out(list, cells->columns);
    draw_header(list, cells);
    if (list->cursor < list->top)
        list->top = list->cursor;
    if (height > 0 && list->cursor >= list->top + height)
        list->top = list->cursor - height + 1;
    if (rows > 0 && height > 0 && list->top + height > rows)
        list->top = rows > height ? rows - height : 0;
    for (size_t i = 0; i < height && list->top + i < rows; i++)
        draw_row(list, cells, (int)i + 1, list->top + i);
    list->drawn_cursor = list->cursor;
    list->drawn_top = list->top;
    list->drawn_count = rows;
    if (rows == 0) {
        if (empty)
            cells_text(cells, 1, MARGIN, STYLE_DIM, empty);
        if (list->focused)
            cells_cursor(cells, 1, 1);
    }
    if (list->has_after && height > 0 && list->top + height >= rows)
        cells_text(cells, cells->rows - 1, 0, STYLE_HEADER, cells_symbol(cells, SYMBOL_DOWN));
}

bool list_redraw(struct list *list, struct cells *cells) {
    size_t rows = list_rows(list), height = (size_t)list->shown_rows;
    if (rows == 0 || rows != list->drawn_count || list->top != list->drawn_top || list->cursor < list->top ||
        list->cursor >= list->top + height || list->shown_row != cells->row || list->shown_column != cells->column ||
        list->shown_columns != cells->columns || cells->rows != list->shown_rows + 1)
        return false;
    const size_t changed[2] = {list->drawn_cursor, list->cursor};
    for (int i = 0; i < 2; i++) {
        int line = (int)(changed[i] - list->top) + 1;
        cells_fill(cells, line, 0, 1, cells->columns, STYLE_TEXT);
        draw_row(list, cells, line, changed[i]);
        if (list->has_after && line == cells->rows - 1 && list->top + height >= rows)
            cells_text(cells, line, 0, STYLE_HEADER, cells_symbol(cells, SYMBOL_DOWN));
    }
    list->drawn_cursor = list->cursor;
    return true;
}
