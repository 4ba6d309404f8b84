/* F9: everything that can be done here, from the live key tables. And leaving. */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "ui/app/app_internal.h"

#define KEYS_CELLS 14

struct menu_rows {
    struct app *app;
    struct arena arena;
    const char **text;
    size_t room;
};

static void add_row(struct menu_rows *rows, const char *keys, const char *what, struct menu_row row) {
    struct app *app = rows->app;
    if (app->menu_count == rows->room) {
        rows->room = rows->room * 2 + 32;
        rows->text = xrealloc(rows->text, rows->room, sizeof *rows->text);
        app->menu = xrealloc(app->menu, rows->room, sizeof *app->menu);
    }
    rows->text[app->menu_count] =
        arena_printf(&rows->arena, "%s %s", text_fit(&rows->arena, keys, KEYS_CELLS, -1, true), what);
    app->menu[app->menu_count++] = row;
}

static bool is_listed(const struct app *app, enum request request) {
    for (size_t i = 0; i < app->menu_count; i++)
        if (app->menu[i].request == request)
            return true;
    return false;
}

/* Motion is not work; what cannot be done now is left out. */
static void add_map(struct menu_rows *rows, struct view *view, const struct keymap *map) {
    char keys[96];
    for (size_t i = 0; map && i < map->count; i++) {
        const struct keybind *bind = &map->binds[i];
        const char *what = bind->help ? bind->help : request_help(bind->request);
        if (bind->request <= REQ_SEARCH_PREV || bind->request == REQ_MENU || bind->request == REQ_SCREEN ||
            is_listed(rows->app, bind->request) || !app_can(view, bind->request))
            continue;
        add_row(rows, keybind_keys(bind, keys, sizeof keys), _(what), (struct menu_row){bind->request, bind->keys[0], -1});
    }
}

static void add_screens(struct menu_rows *rows) {
    for (int i = 0; i < APP_SCREENS; i++) {
        const struct view_ops *ops = rows->app->config.screens[i];
        char key[2] = {(char)('1' + i), '\0'};
        if (ops && ops->label)
            add_row(rows, key, i18n_label(ops->label), (struct menu_row){REQ_SCREEN, (uint32_t)('1' + i), i});
    }
}

static void chosen(struct view *view, struct dialog *dialog, int answer, void *context) {
    struct app *app = context;
    (void)dialog;
    if (answer < 0 || (size_t)answer >= app->menu_count)
        return;
    struct menu_row row = app->menu[answer];
    struct input input = input_key(row.key);
    if (row.screen >= 0)
        app_go(app, row.screen);
    else
        app_request(app, view, row.request, &input);
}

void menu_open(struct app *app, struct view *view) {
    struct menu_rows rows = {.app = app};
    app->menu_count = 0;
    add_map(&rows, view, view->ops->keys);
    add_screens(&rows);
    add_map(&rows, view, keymap_global());
    view_dialog(view, dialog_pick(_("Menu"), rows.text, app->menu_count, 0), chosen, app);
    free(rows.text);
    arena_release(&rows.arena);
}

/* --- leaving --- */

static void leave(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)view;
    (void)dialog;
    if (answer == 0)
        app_quit(context, 0);
}

/* Forms that lie open on some screen would be lost. */
static bool has_open_form(const struct app *app) {
    for (int i = 0; i < APP_SCREENS; i++)
        for (const struct view *view = app->top[i]; view; view = view->below)
            if (view->below && view_in_field(view))
                return true;
    return false;
}

void quit_ask(struct app *app, struct view *view) {
    const char *body = has_open_form(app) ? _("A form is still open; what was typed there would be lost.")
                                          : _("The screens close. Nothing that was booked or paid is lost.");
    view_dialog(view, dialog_confirm(_("Leave frontdesk?"), body, _("&Yes, leave"), DIALOG_PLAIN), leave, app);
}
