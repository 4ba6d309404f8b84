/* Text that scrolls: answers of `:` commands, the sentences of "why". */
#include <stdlib.h>
#include <string.h>
#include "ui/view/views.h"

struct text_state {
    char *title, *text;
    char **lines; /* into text */
    size_t count;
    int top, left;
    int shown_rows, drawn_rows; /* of the last drawing: window, and all rows after wrapping */
    char search[64];
    int hit; /* line of the last match, -1 */
};

static void split(struct text_state *state)
{
    size_t room = 1;
    for (const char *at = state->text; *at; at++)
        room += *at == '\n';
    state->lines = xcalloc(room, sizeof *state->lines);
    char *rest = state->text;
    while (rest) {
        char *end = strchr(rest, '\n');
        if (end)
            *end++ = '\0';
        /* A trailing newline ends the last line, it does not begin another. */
        if (*rest || end)
            state->lines[state->count++] = rest;
        rest = end && *end ? end : NULL;
    }
}

static void text_open(struct view *view, const void *arg)
{
    struct text_state *state = view_state(view);
    const struct text_args *args = arg;
    state->hit = -1;
    state->title = xstrdup(args && args->title ? args->title : "");
    state->text = xstrdup(args && args->text ? args->text : "");
    split(state);
}

static void text_close(struct view *view)
{
    struct text_state *state = view_state(view);
    free(state->lines);
    free(state->text);
    free(state->title);
}

static void text_title(struct view *view, struct buf *text)
{
    const struct text_state *state = view_state(view);
    buf_add(text, state->title);
}

/* Draws line `at` from row `row`; returns the rows it takes. Tables are not wrapped (they scroll
 * sideways), sentences are. */
static int draw_line(struct text_state *state, struct cells *cells, size_t at, int row)
{
    const char *line = state->lines[at];
    style_t style = (int)at == state->hit ? STYLE_MATCH : STYLE_TEXT;
    bool is_table = strstr(line, "  ") != NULL;
    int width = cells->columns - 2;
    if (is_table || width < 10) {
        struct cells inside = cells_sub(cells, row, 1, 1, width);
        const char *from = line;
        for (int skipped = 0; *from && skipped < state->left;)
            skipped += text_char_width(text_next(&from));
        cells_text(&inside, 0, 0, style, from);
        return 1;
    }
    int rows = cells_wrap_rows(line, width);
    if (row + rows > 0)
        cells_wrap(cells, row, 1, width, style, line);
    return rows < 1 ? 1 : rows;
}

static void text_draw(struct view *view, struct cells *cells)
{
    struct text_state *state = view_state(view);
    state->shown_rows = cells->rows;
    int row = 0;
    for (size_t at = (size_t)state->top; at < state->count && row < cells->rows; at++)
        row += draw_line(state, cells, at, row);
    if (view_is_focused(view))
        cells_cursor(cells, 0, 0);
}

static void scroll_to(struct text_state *state, int top)
{
    int last = (int)state->count - 1;
    if (top > last)
        top = last;
    state->top = top < 0 ? 0 : top;
}

static bool find_from(struct text_state *state, int from, int step)
{
    int count = (int)state->count;
    for (int i = 0; i < count; i++) {
        int at = ((from + step * i) % count + count) % count;
        if (strcasestr(state->lines[at], state->search)) {
            state->hit = at;
            scroll_to(state, at);
            return true;
        }
    }
    return false;
}

static enum fd_code searched(struct view *view, const char *text, struct fd_error *err)
{
    struct text_state *state = view_state(view);
    cut_copy(state->search, sizeof state->search, text);
    if (!*state->search || find_from(state, state->top, 1))
        return FD_OK;
    return fd_fail(err, FD_NOT_FOUND, _("“%s” is not here."), state->search);
}

static void search_on(struct view *view, int step)
{
    struct text_state *state = view_state(view);
    if (*state->search)
        find_from(state, (state->hit < 0 ? state->top : state->hit) + step, step);
}

static bool text_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    struct text_state *state = view_state(view);
    int page = state->shown_rows > 1 ? state->shown_rows - 1 : 1;
    switch ((int)request) {
    case REQ_UP:
        scroll_to(state, state->top - 1);
        return true;
    case REQ_DOWN:
        scroll_to(state, state->top + 1);
        return true;
    case REQ_PAGE_UP:
        scroll_to(state, state->top - page);
        return true;
    case REQ_PAGE_DOWN:
        scroll_to(state, state->top + page);
        return true;
    case REQ_HOME:
        scroll_to(state, 0);
        return true;
    case REQ_END:
        scroll_to(state, (int)state->count - page);
        return true;
    case REQ_LEFT:
        state->left = state->left > 8 ? state->left - 8 : 0;
        return true;
    case REQ_RIGHT:
        state->left += 8;
        return true;
    case REQ_OPEN:
        view_close(view, 0);
        return true;
    case REQ_FIND:
        view_prompt(view, "/", "", searched, NULL);
        return true;
    case REQ_SEARCH_NEXT:
        search_on(view, 1);
        return true;
    case REQ_SEARCH_PREV:
        search_on(view, -1);
        return true;
    default:
        return false;
    }
}

static bool text_input(struct view *view, const struct input *input)
{
    struct text_state *state = view_state(view);
    if (input->kind != INPUT_MOUSE || (input->mouse != MOUSE_WHEEL_UP && input->mouse != MOUSE_WHEEL_DOWN))
        return false;
    scroll_to(state, state->top + (input->mouse == MOUSE_WHEEL_UP ? -3 : 3));
    return true;
}

static const struct keybind text_binds[] = {
    {{K_ENTER}, REQ_OPEN, NULL, N_("Back")},
    {{K_F(3), '/'}, REQ_FIND, NC_("key", "Find"), N_("Find in the text")},
};
static const struct keymap text_keys = KEYMAP(N_("Text"), text_binds);

const struct view_ops view_text = {
    .name = "text",
    .label = NC_("tab", "Text"),
    .private_bytes = sizeof(struct text_state),
    .keys = &text_keys,
    .open = text_open,
    .close = text_close,
    .title = text_title,
    .draw = text_draw,
    .input = text_input,
    .request = text_request,
};
