/* Searching in a list while typing: n and N go on, Esc goes back to where it began. */
#include "ui/view/parts.h"

/* The `:` row is one, so is the search. */
static struct {
    list_of_fn *list_of;
    int64_t began; /* key under the cursor */
    bool had_cursor;
} finding;

static void find_typed(struct view *view, const char *text, bool cancelled) {
    struct list *list = finding.list_of(view);
    if (finding.had_cursor)
        list_select(list, finding.began); /* each try begins where the search began */
    if (!cancelled && *text)
        list_search(list, text, 1, true);
    view_moved(view);
}

static enum fd_code find_done(struct view *view, const char *text, struct fd_error *err) {
    struct list *list = finding.list_of(view);
    if (*text == '\0' || list_search(list, text, 1, true))
        return FD_OK;
    return fd_fail(err, FD_NOT_FOUND, _("“%s” is in no row."), text);
}

void list_find(struct view *view, list_of_fn *list_of) {
    struct list *list = list_of(view);
    finding.list_of = list_of;
    finding.had_cursor = list_has(list);
    finding.began = list->cursor_key;
    view_prompt(view, "/", "", find_done, find_typed);
}
