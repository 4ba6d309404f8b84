/* A small console on the frame, without a business: what the terminal tests drive. Screens: a list
 * of 500 rows with Chinese names, a form, and a view that runs slow jobs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/text.h"
#include "ui/app/app.h"
#include "ui/widget/list.h"
#include "ui/widget/form.h"

#define ROWS 500

/* --- a list --- */

struct people {
    struct list list;
    char text[64];
};

static size_t people_rows(void *context) {
    (void)context;
    return ROWS;
}

static int64_t people_key(void *context, size_t row) {
    (void)context;
    return (int64_t)row + 1;
}

static void people_cell(void *context, size_t row, unsigned column, struct list_cell *cell) {
    static const char *const names[] = {"王小明", "孙丽华", "Ann Lee", "钱多多", "李四"};
    struct people *people = context;
    if (column == 0)
        snprintf(people->text, sizeof people->text, "%04zu", row);
    else if (column == 1)
        snprintf(people->text, sizeof people->text, "%s 第%zu位", names[row % 5], row);
    else
        snprintf(people->text, sizeof people->text, "%zu.00", row * 10);
    cell->text = people->text;
    cell->style = column == 2 ? STYLE_MONEY : STYLE_TEXT;
}

static const struct list_column people_columns[] = {
    {N_("No."), 6, 0, 0, -1, true, false},
    {N_("Name"), 20, 1, 0, -1, false, true},
    {N_("Amount"), 10, 0, 1, 1, false, true},
};

static void people_open(struct view *view, const void *arg) {
    struct people *people = view_state(view);
    const struct list_source source = {people, people_rows, people_key, people_cell, NULL};
    (void)arg;
    list_init(&people->list, people_columns, 3, &source);
    people->list.selectable = true;
}

static void people_close(struct view *view) {
    list_release(&((struct people *)view_state(view))->list);
}

static void people_draw(struct view *view, struct cells *cells) {
    struct people *people = view_state(view);
    people->list.focused = view_is_focused(view);
    list_draw(&people->list, cells, "-");
}

static bool people_redraw(struct view *view, struct cells *cells) {
    return list_redraw(&((struct people *)view_state(view))->list, cells);
}

static const struct view_ops form_ops;

static bool people_request(struct view *view, enum request request, const struct input *input) {
    struct people *people = view_state(view);
    enum list_event event = list_request(&people->list, request, input);
    if (event == LIST_MOVED || event == LIST_MARKED)
        view_moved(view);
    if (event == LIST_OPEN)
        app_message(view_app(view), MESSAGE_GOOD, "opened %lld", (long long)people->list.cursor_key);
    if (event == LIST_IGNORED && request == REQ_NEW) {
        view_push(view, &form_ops, NULL);
        return true;
    }
    return event != LIST_IGNORED;
}

static bool people_input(struct view *view, const struct input *input) {
    return input->kind == INPUT_MOUSE && list_mouse(&((struct people *)view_state(view))->list, input) != LIST_IGNORED;
}

static const struct view_ops people_ops = {
    .name = "people", .label = NC_("tab", "People"), .private_bytes = sizeof(struct people), .open = people_open,
    .close = people_close, .draw = people_draw, .redraw = people_redraw, .request = people_request, .input = people_input};

/* --- a form --- */

struct entry {
    struct form *form;
};

static const struct field fields[] = {
    {1, N_("Phone"), FIELD_PHONE, FIELD_REQUIRED, 0, 0, NULL},
    {2, N_("Name"), FIELD_TEXT, FIELD_REQUIRED, 0, 0, N_("as on the card")},
    {3, N_("Amount"), FIELD_MONEY, 0, 0, 0, NULL},
    {4, N_("Remark"), FIELD_NOTE, 0, 0, 0, NULL},
};
static const struct form_button buttons[] = {{FORM_ID_SAVE, N_("Save"), K_F(2)}, {FORM_ID_CANCEL, N_("Go back"), 0}};

static void entry_open(struct view *view, const void *arg) {
    (void)arg;
    ((struct entry *)view_state(view))->form = form_new(fields, 4, buttons, 2);
}

static void entry_close(struct view *view) {
    form_free(((struct entry *)view_state(view))->form);
}

static void entry_draw(struct view *view, struct cells *cells) {
    form_draw(((struct entry *)view_state(view))->form, cells, view_is_focused(view));
}

static bool entry_in_field(const struct view *view) {
    return form_in_field(((struct entry *)view_state(view))->form);
}

static bool entry_input(struct view *view, const struct input *input) {
    struct form *form = ((struct entry *)view_state(view))->form;
    struct form_event event;
    bool used = form_input(form, input, &event);
    if (event.kind == FORM_PRESSED && event.id == FORM_ID_CANCEL)
        view_close(view, 0);
    else if (event.kind == FORM_PRESSED && form_check(form))
        app_message(view_app(view), MESSAGE_GOOD, "saved %s", form_phone(form, 1));
    return used;
}

static const struct view_ops form_ops = {
    .name = "form", .label = NC_("tab", "Form"), .private_bytes = sizeof(struct entry), .open = entry_open,
    .close = entry_close, .draw = entry_draw, .in_field = entry_in_field, .input = entry_input};

/* --- slow jobs --- */

static int stop_pipe[2];

static enum fd_code slow_run(struct desk *desk, void *arg, struct fd_error *err) {
    (void)desk;
    (void)arg;
    char byte;
    if (read(stop_pipe[0], &byte, 1) != 1)
        return fd_fail(err, FD_INTERNAL, NULL);
    return fd_fail(err, byte == 'd' ? FD_DB_DOWN : FD_CANCELLED, NULL);
}

static void stop_hook(void *context) {
    (void)context;
    if (write(stop_pipe[1], "c", 1) != 1)
        abort();
}

static void slow_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err) {
    (void)arg;
    (void)code;
    app_error(view_app(owner), err);
}

static bool slow_request(struct view *view, enum request request, const struct input *input) {
    const struct job read_job = {N_("Reading slowly"), JOB_READ, slow_run, slow_done, NULL, NULL};
    const struct job write_job = {N_("Writing slowly"), JOB_WRITE, slow_run, slow_done, NULL, NULL};
    (void)input;
    if (request != REQ_OPEN && request != REQ_PAY)
        return false;
    view_post(view, request == REQ_OPEN ? &read_job : &write_job);
    return true;
}

static void slow_draw(struct view *view, struct cells *cells) {
    (void)view;
    cells_text(cells, 1, 1, STYLE_TEXT, "Enter reads, w writes");
    cells_cursor(cells, 1, 1);
}

static const struct keybind slow_binds[] = {{{'w'}, REQ_PAY, NULL, NULL}};
static const struct keymap slow_keys = KEYMAP(N_("Slow"), slow_binds);
static const struct view_ops slow_ops = {
    .name = "slow", .label = NC_("tab", "Slow"), .keys = &slow_keys, .draw = slow_draw, .request = slow_request};

/* --- the lock --- */

static void lock_draw(struct view *view, struct cells *cells) {
    (void)view;
    cells_text(cells, 5, 5, STYLE_STRONG, "locked: x opens");
    cells_cursor(cells, 5, 5);
}

static bool lock_input(struct view *view, const struct input *input) {
    if (input->kind == INPUT_KEY && input->key == 'x')
        view_close(view, 0);
    return true;
}

static const struct view_ops lock_ops = {.name = "lock", .draw = lock_draw, .input = lock_input};

int main(int argc, char **argv) {
    struct fd_error err = {0};
    struct term *term;
    struct app_config config = {.screens = {&people_ops, &form_ops, &slow_ops}, .lock = &lock_ops};
    struct term_config terminal = {.mouse = true, .escape_delay_ms = 25};
    i18n_start(argv[0]);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--ascii") == 0)
            terminal.ascii = TERM_ASCII_YES;
        else if (strcmp(argv[i], "--no-mouse") == 0)
            terminal.mouse = false;
        else if (strcmp(argv[i], "--idle") == 0)
            config.lock_idle_s = 1;
        else
            terminal.theme = argv[i];
    }
    log_open("/dev/null", LOG_ERROR, &err);
    if (pipe(stop_pipe) != 0)
        return 1;
    if (term_start(&terminal, &term, &err) != FD_OK) {
        fprintf(stderr, "%s %s\n", err.message, err.hint);
        return fd_code_exit(err.code);
    }
    const struct jobs_config work = {.stop = stop_hook};
    struct jobs *jobs = jobs_start(&work);
    struct app *app = app_new(&config, jobs);
    app_set_operator(app, "desk Li Min");
    app_set_place(app, "Hall");
    int status = app_run(app, term);
    term_stop(&term);
    app_free(app);
    if (!jobs_stop(jobs, 500))
        _exit(status);
    return status;
}
