/* The `:` line with the framework's own verbs, and one-line prompts of views. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "ui/app/app_internal.h"

#define WORDS_MAX 4

struct words {
    char text[4][64];
    int at[4]; /* byte offsets in the line */
    int count; /* all words, also beyond the four kept */
};

static void split(const char *line, struct words *words) {
    const char *at = line;
    memset(words, 0, sizeof *words);
    for (;;) {
        at += strspn(at, " ");
        size_t bytes = strcspn(at, " ");
        if (bytes == 0)
            return;
        if (words->count < WORDS_MAX) {
            snprintf(words->text[words->count], sizeof words->text[0], "%.*s", (int)bytes, at);
            words->at[words->count] = (int)(at - line);
        }
        words->count++;
        at += bytes;
    }
}

/* --- the framework's verbs --- */

static enum fd_code bad_word(const struct words *words, int index, int *bad_at, struct fd_error *err) {
    *bad_at = index < words->count ? words->at[index] : words->count > 0 ? words->at[words->count - 1] : 0;
    if (index >= words->count)
        return fd_fail(err, FD_USAGE, "%s", _("A word is missing here. Tab shows what fits."));
    return fd_fail(err, FD_USAGE, _("“%s” does not fit here. Tab shows what does."), words->text[index]);
}

static enum fd_code set_language(struct app *app, const char *value) {
    const char *language = strcmp(value, "zh") == 0 ? "zh_CN" : value;
    if (!i18n_switch(language))
        return FD_USAGE;
    app->dirty = DIRTY_ALL;
    return FD_OK;
}

static enum fd_code set_theme(struct app *app, const char *value) {
    if (!theme_named(value))
        return FD_USAGE;
    return app->term ? term_theme(app->term, value, NULL) : FD_OK;
}

static enum fd_code set_mouse(struct app *app, const char *value) {
    bool on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0)
        return FD_USAGE;
    if (app->term)
        term_mouse(app->term, on);
    return FD_OK;
}

static enum fd_code set_ascii(struct app *app, const char *value) {
    static const char *const names[] = {"auto", "yes", "no"};
    static const enum term_ascii modes[] = {TERM_ASCII_AUTO, TERM_ASCII_YES, TERM_ASCII_NO};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            if (app->term)
                term_ascii(app->term, modes[i]);
            return FD_OK;
        }
    return FD_USAGE;
}

static const struct setting {
    const char *name, *values; /* values for completion, blank-separated */
    const char *summary;
    enum fd_code (*set)(struct app *app, const char *value);
} settings[] = {
    {"lang", "zh en", N_("language of the screens"), set_language},
    {"theme", "dark light eight contrast blind mono", N_("colours"), set_theme},
    {"mouse", "on off", N_("mouse clicks and wheel"), set_mouse},
    {"ascii", "auto yes no", N_("lines and marks in ASCII only"), set_ascii},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

static enum fd_code verb_set(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    for (size_t i = 0; i < SETTINGS && words->count > 1; i++) {
        if (strcmp(settings[i].name, words->text[1]) != 0)
            continue;
        if (words->count < 3 || settings[i].set(app, words->text[2]) != FD_OK)
            return bad_word(words, 2, bad_at, err);
        return FD_OK;
    }
    return bad_word(words, 1, bad_at, err);
}

static enum fd_code verb_go(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    const char *name = words->text[1];
    bool is_digit = name[0] >= '1' && name[0] <= '9' && !name[1];
    if (words->count < 2 || !(is_digit ? app_go(app, name[0] - '1') : app_go_name(app, name)))
        return bad_word(words, 1, bad_at, err);
    return FD_OK;
}

static enum fd_code verb_help(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    struct input input = input_key(K_F(1));
    (void)words;
    (void)bad_at;
    (void)err;
    app_request(app, app_top(app), REQ_HELP, &input);
    return FD_OK;
}

static enum fd_code verb_lock(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    (void)words;
    (void)bad_at;
    (void)err;
    app_lock(app);
    return FD_OK;
}

static enum fd_code verb_quit(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    (void)words;
    (void)bad_at;
    (void)err;
    quit_ask(app, stack_main(app));
    return FD_OK;
}

#ifdef FD_TEETH
/* The picture as text into a file: for tests of the whole program, in the test build only. */
static enum fd_code verb_dump(struct app *app, const struct words *words, int *bad_at, struct fd_error *err) {
    struct canvas canvas;
    struct buf text = {0};
    int rows = TERM_LEAST_ROWS, columns = TERM_LEAST_COLUMNS;
    if (words->count < 2)
        return bad_word(words, 1, bad_at, err);
    if (app->term)
        term_size(app->term, &rows, &columns);
    canvas_init(&canvas, rows, columns);
    app_draw(app, &canvas);
    canvas_dump(&canvas, &text);
    FILE *file = fopen(words->text[1], "we");
    if (file) {
        fputs(buf_text(&text), file);
        fclose(file);
    }
    buf_release(&text);
    canvas_release(&canvas);
    return file ? FD_OK : bad_word(words, 1, bad_at, err);
}
#endif

static const struct verb {
    const char *name, *form, *summary;
    enum fd_code (*run)(struct app *app, const struct words *words, int *bad_at, struct fd_error *err);
} verbs[] = {
    {"go", "go SCREEN", N_("to a screen, by name or number"), verb_go},
    {"set", "set lang|theme|mouse|ascii VALUE", N_("change a setting until the end"), verb_set},
    {"help", "help", N_("keys and commands"), verb_help},
    {"lock", "lock", N_("lock this terminal"), verb_lock},
    {"quit", "quit", N_("leave frontdesk"), verb_quit},
#ifdef FD_TEETH
    {"dump", "dump FILE", "", verb_dump},
#endif
};
#define VERBS (sizeof verbs / sizeof verbs[0])

/* --- running a line --- */

static enum fd_code run_own(struct app *app, const struct words *words, bool prefix, int *bad_at, struct fd_error *err) {
    const struct verb *found = NULL;
    size_t bytes = strlen(words->text[0]);
    for (size_t i = 0; i < VERBS; i++) {
        if (prefix ? strncmp(verbs[i].name, words->text[0], bytes) != 0 : strcmp(verbs[i].name, words->text[0]) != 0)
            continue;
        if (found)
            return FD_NOT_FOUND;
        found = &verbs[i];
    }
    return found ? found->run(app, words, bad_at, err) : FD_NOT_FOUND;
}

static enum fd_code run_line(struct app *app, const char *line, int *bad_at, struct fd_error *err) {
    struct words words;
    enum fd_code code;
    *bad_at = -1;
    split(line, &words);
    if (words.count == 0)
        return FD_OK;
    code = run_own(app, &words, false, bad_at, err);
    if (code == FD_NOT_FOUND && app->config.command) {
        code = app->config.command(app->config.context, app, line, bad_at, err);
        if (code != FD_NOT_FOUND || *bad_at != words.at[0])
            return code;
    }
    if (code == FD_NOT_FOUND)
        code = run_own(app, &words, true, bad_at, err);
    if (code == FD_NOT_FOUND) {
        *bad_at = words.at[0];
        return fd_fail(err, FD_NOT_FOUND, _("There is no command “%s”."), words.text[0]);
    }
    return code;
}

void app_run_line(struct app *app, const char *line) {
    struct fd_error err = {0};
    int bad_at;
    enum fd_code code = run_line(app, line, &bad_at, &err);
    if (code != FD_OK) {
        err.code = code;
        app_error(app, &err);
    }
}

/* --- completion --- */

static void offer(struct completion *out, size_t room, size_t *count, const char *word, const char *summary) {
    if (*count < room)
        out[(*count)++] = (struct completion){word, summary};
}

static size_t offer_values(const char *values, const char *typed, struct arena *arena, struct completion *out, size_t room) {
    size_t count = 0, bytes = strlen(typed);
    while (*values) {
        size_t length = strcspn(values, " ");
        if (length >= bytes && strncmp(values, typed, bytes) == 0)
            offer(out, room, &count, arena_printf(arena, "%.*s", (int)length, values), NULL);
        values += length + (values[length] == ' ');
    }
    return count;
}

static size_t offer_screens(struct app *app, const char *typed, struct completion *out, size_t room) {
    size_t count = 0;
    for (int i = 0; i < APP_SCREENS; i++) {
        const struct view_ops *ops = app->config.screens[i];
        if (ops && strncmp(ops->name, typed, strlen(typed)) == 0)
            offer(out, room, &count, ops->name, ops->label ? i18n_label(ops->label) : NULL);
    }
    return count;
}

static size_t offer_settings(const char *typed, struct completion *out, size_t room) {
    size_t count = 0;
    for (size_t i = 0; i < SETTINGS; i++)
        if (strncmp(settings[i].name, typed, strlen(typed)) == 0)
            offer(out, room, &count, settings[i].name, _(settings[i].summary));
    return count;
}

static size_t offer_verbs(const char *typed, struct completion *out, size_t room) {
    size_t count = 0;
    for (size_t i = 0; i < VERBS; i++)
        if (strncmp(verbs[i].name, typed, strlen(typed)) == 0)
            offer(out, room, &count, verbs[i].name, *verbs[i].summary ? _(verbs[i].summary) : NULL);
    return count;
}

static size_t complete_own(struct app *app, const char *line, struct arena *arena, size_t *from, struct completion *out,
                           size_t room) {
    struct words words;
    size_t bytes = strlen(line);
    split(line, &words);
    int at = words.count - (bytes > 0 && line[bytes - 1] != ' ' ? 1 : 0);
    if (at < 0 || at >= WORDS_MAX)
        return 0;
    const char *typed = words.text[at];
    *from = at < words.count ? (size_t)words.at[at] : bytes;
    if (at == 0)
        return offer_verbs(typed, out, room);
    if (at == 1 && strcmp(words.text[0], "go") == 0)
        return offer_screens(app, typed, out, room);
    if (at == 1 && strcmp(words.text[0], "set") == 0)
        return offer_settings(typed, out, room);
    for (size_t i = 0; at == 2 && strcmp(words.text[0], "set") == 0 && i < SETTINGS; i++)
        if (strcmp(settings[i].name, words.text[1]) == 0)
            return offer_values(settings[i].values, typed, arena, out, room);
    return 0;
}

static size_t complete(void *context, const char *line, struct arena *arena, size_t *from, struct completion *out, size_t room) {
    struct app *app = context;
    size_t count = complete_own(app, line, arena, from, out, room), more_from = *from;
    if (!app->config.complete || count >= room)
        return count;
    size_t more = app->config.complete(app->config.context, line, arena, &more_from, out + count, room - count);
    if (more > 0)
        *from = more_from;
    return count + more;
}

/* --- the row --- */

void line_init(struct app *app) {
    command_init(&app->command, ":", complete, app);
    command_init(&app->prompt, "", NULL, NULL);
}

void line_release(struct app *app) {
    command_release(&app->command);
    command_release(&app->prompt);
}

bool line_is_open(const struct app *app) {
    return app->in_command || app->prompt_view != NULL;
}

void line_open(struct app *app, const char *text) {
    command_open(&app->command, text);
    app->in_command = true;
    app->dirty = DIRTY_ALL;
}

void view_prompt(struct view *view, const char *prompt, const char *text, prompt_done_fn *done, prompt_typed_fn *typed) {
    struct app *app = view->app;
    if (view->closed)
        return;
    cut_copy(app->prompt.prompt, sizeof app->prompt.prompt, prompt);
    command_open(&app->prompt, "");
    edit_preset(&app->prompt.edit, text ? text : "");
    app->prompt_view = view;
    app->prompt_done = done;
    app->prompt_typed = typed;
    app->in_command = false;
    app->dirty = DIRTY_ALL;
}

void line_close(struct app *app, bool cancelled) {
    struct view *view = app->prompt_view;
    app->in_command = false;
    app->prompt_view = NULL;
    app->dirty = DIRTY_ALL;
    if (view && cancelled && app->prompt_typed)
        app->prompt_typed(view, "", true);
}

static void run_command(struct app *app) {
    struct fd_error err = {0};
    int bad_at;
    char *line = xstrdup(command_line(&app->command));
    app->in_command = false; /* a verb may open a prompt or a view */
    enum fd_code code = run_line(app, line, &bad_at, &err);
    if (code != FD_OK && bad_at >= 0 && !app->cover) {
        app->in_command = true;
        command_fail(&app->command, bad_at, err.message);
        app_beep(app);
    } else if (code != FD_OK) {
        err.code = code;
        app_error(app, &err);
    }
    free(line);
}

static void run_prompt(struct app *app) {
    struct fd_error err = {0};
    struct view *view = app->prompt_view;
    prompt_done_fn *done = app->prompt_done;
    prompt_typed_fn *typed = app->prompt_typed;
    char *text = xstrdup(command_line(&app->prompt));
    app->prompt_view = NULL;
    enum fd_code code = done ? done(view, text, &err) : FD_OK;
    if (code != FD_OK && !view->closed && !app->prompt_view) {
        app->prompt_view = view;
        app->prompt_done = done;
        app->prompt_typed = typed;
        command_fail(&app->prompt, 0, err.message);
        app_beep(app);
    }
    free(text);
}

void line_input(struct app *app, const struct input *input) {
    struct command *command = app->in_command ? &app->command : &app->prompt;
    bool stop = input->kind == INPUT_KEY && (input->key == (K_CTRL | 'c') || input->key == K_F(10));
    switch (stop ? COMMAND_CLOSED : command_input(command, input)) {
    case COMMAND_RUN:
        if (app->in_command)
            run_command(app);
        else
            run_prompt(app);
        break;
    case COMMAND_CLOSED:
        line_close(app, true);
        break;
    case COMMAND_TYPED:
        if (!app->in_command && app->prompt_typed)
            app->prompt_typed(app->prompt_view, command_line(command), false);
        break;
    case COMMAND_NOTHING:
    default:
        break;
    }
    app->dirty = DIRTY_ALL;
}

void line_draw(struct app *app, struct cells *cells) {
    command_draw(app->in_command ? &app->command : &app->prompt, cells);
}

void line_help(struct buf *text) {
    for (size_t i = 0; i < VERBS; i++)
        if (*verbs[i].summary)
            buf_printf(text, "%s\t%s\n", verbs[i].form, _(verbs[i].summary));
}
