#include "ui/view/listing.h"
#include "ui/view/wait.h"

static const void *row_at(const struct listing *listing, size_t row) {
    return (const char *)listing->rows + row * listing->spec->row_bytes;
}

static size_t source_rows(void *context) {
    return VIEW_STATE(struct listing, (struct view *)context)->count;
}

static int64_t source_key(void *context, size_t row) {
    const struct listing *listing = view_state((struct view *)context);
    return listing->spec->key(row_at(listing, row));
}

static void source_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    struct listing *listing = view_state((struct view *)context);
    listing->cell[0] = '\0';
    listing->spec->cell(row_at(listing, row), column, listing->cell, sizeof listing->cell, &cell->style);
    cell->text = listing->cell;
}

void listing_open(struct view *view, const struct listing_spec *spec) {
    struct listing *listing = view_state(view);
    struct list_source source = {view, source_rows, source_key, source_cell, NULL};
    listing->spec = spec;
    list_init(&listing->list, spec->columns, spec->column_count, &source);
}

void listing_close(struct view *view) {
    struct listing *listing = view_state(view);
    list_release(&listing->list);
    arena_release(&listing->arena);
}

static void listing_done(struct view *view, void *arg) {
    struct listing_work *work = arg;
    struct listing *listing = view_state(view);
    work_take(work, &listing->arena);
    listing->rows = work->rows;
    listing->count = work->count;
    listing->more = work->more;
    listing->loaded = true;
    list_reloaded(&listing->list);
    view_loaded(view);
    wait_loaded(view);
}

void listing_load(struct view *view) {
    struct listing *listing = view_state(view);
    if (!view_is_ready(view))
        return;
    struct listing_work *work = work_new(sizeof *work, listing->spec->read, listing_done);
    work_post(view, listing->spec->reading, JOB_READ, work);
}

void listing_show(struct view *view) {
    if (!VIEW_STATE(struct listing, view)->loaded)
        listing_load(view);
}

void listing_draw(struct view *view, struct cells *cells) {
    struct listing *listing = view_state(view);
    listing->list.focused = view_is_focused(view);
    list_draw(&listing->list, cells, listing->loaded ? _(listing->spec->empty) : "");
}

static const void *here(const struct view *view) {
    const struct listing *listing = view_state(view);
    return list_has(&listing->list) && listing->list.cursor < listing->count ? row_at(listing, listing->list.cursor) : NULL;
}

static bool act(struct view *view, enum request request) {
    const struct listing *listing = view_state(view);
    for (size_t i = 0; i < listing->spec->act_count; i++) {
        const struct listing_act *row = &listing->spec->acts[i];
        if (row->request != request)
            continue;
        if (!row->needs_row || here(view))
            row->run(view, here(view));
        return true;
    }
    return false;
}

static bool list_event(struct view *view, enum list_event event) {
    if (event == LIST_OPEN)
        act(view, REQ_OPEN);
    return event != LIST_IGNORED;
}

static struct list *list_of(struct view *view) {
    return &VIEW_STATE(struct listing, view)->list;
}

bool listing_request(struct view *view, enum request request, const struct input *input) {
    struct listing *listing = view_state(view);
    if (request == REQ_FIND) {
        list_find(view, list_of);
        return true;
    }
    return list_event(view, list_request(&listing->list, request, input)) || act(view, request);
}

bool listing_input(struct view *view, const struct input *input) {
    struct listing *listing = view_state(view);
    if (wait_hold(view, !listing->loaded, input))
        return true;
    return input->kind == INPUT_MOUSE && list_event(view, list_mouse(&listing->list, input));
}

bool listing_can(const struct view *view, enum request request) {
    const struct listing *listing = view_state(view);
    for (size_t i = 0; i < listing->spec->act_count; i++)
        if (listing->spec->acts[i].request == request)
            return !listing->spec->acts[i].needs_row || here(view) != NULL;
    return true;
}

void listing_child(struct view *view, struct view *child, int result) {
    (void)child;
    if (result != 0)
        listing_load(view);
}
