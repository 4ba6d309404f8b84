/* Between the files of ui/app. app.c: life, loop, time. stack.c: views. dispatch.c: keys and
 * requests. frame.c: the picture. line.c: `:` and prompts. menu.c: menu, leaving. */
#ifndef FD_APP_INTERNAL_H
#define FD_APP_INTERNAL_H

#include "ui/app/app.h"
#include "ui/widget/help.h"

#define SIDE_COLUMNS   120 /* from here on a companion stands at the right */
#define STRIP_COLUMNS  160
#define STRIP_ROWS     48
#define MESSAGE_MS     8000
#define MESSAGE_SEEN_MS 500 /* a refusal is not taken away by a key typed before it was seen */
#define SILENT_MS      2000 /* a job older than this: the database does not answer */
#define SPINNER_MS     150
#define DIALOGS_MAX    8

struct view {
    const struct view_ops *ops;
    struct app *app;
    void *state;
    enum pane pane;
    struct view *leader;     /* of a companion */
    struct view *companion[2]; /* PANE_SIDE, PANE_STRIP; NULL none */
    struct view *below;      /* in its stack */
    int screen;              /* index, -1 for covers */
    int64_t loaded_ms, asked_ms; /* 0 never */
    bool moved;              /* companions have to follow */
    bool closed;             /* unlinked, freed at the end of this event */
    struct view *next_closed;
    struct cells area;       /* where it was drawn last */
};

struct dialog_slot {
    struct dialog *dialog;
    struct view *view;
    dialog_done_fn *done;
    void *context;
    void (*dispose)(void *context); /* NULL: the context is not the dialog's */
};

struct app {
    struct app_config config;
    struct jobs *jobs;
    struct term *term; /* NULL in tests */
    bool running, paused;
    enum dirty { DIRTY_NOT, DIRTY_SELECTION, DIRTY_ALL } dirty; /* SELECTION: view_ops.redraw is enough */
    int status;

    struct view *top[APP_SCREENS]; /* of each screen's stack; NULL: not opened yet */
    int here, before;
    struct view *cover;
    struct view *focus; /* pane with the focus, NULL: the main one */
    struct view *closed; /* to be freed */
    int depth;           /* handlers running: closed views stay in memory */

    struct dialog_slot dialogs[DIALOGS_MAX];
    int dialog_count;

    /* `:` and prompts share a row */
    struct command command, prompt;
    bool in_command;
    struct view *prompt_view; /* NULL: no prompt is open */
    prompt_done_fn *prompt_done;
    prompt_typed_fn *prompt_typed;

    /* menu of the last F9 */
    struct menu_row {
        enum request request;
        uint32_t key;
        int screen;
    } *menu;
    size_t menu_count;

    struct {
        enum message_kind kind;
        char text[512], hint[256];
        int64_t since_ms;
        bool drawn;
    } message;

    /* the database */
    int64_t away_since_ms, ping_at_ms; /* 0: it is there */
    int attempt;
    bool pinging;
    int64_t latency_us;

    wall_t clock;      /* at clock_ms */
    int64_t clock_ms;
    char operator_label[128], place[128];
    int64_t last_key_ms, ticked_ms;
    bool beep;
    struct bar_key keys_shown[10]; /* of the last picture */
};

/* stack.c */
struct view *stack_main(struct app *app);      /* cover or top of the screen shown */
void stack_open_screen(struct app *app, int index);
void stack_close_all(struct app *app);
void stack_free_closed(struct app *app);
void stack_layout(struct app *app, int rows, int columns); /* companions come and go */
void stack_follow(struct app *app);
void stack_load(struct view *view);
bool stack_is_root(const struct view *view);
bool view_in_field(const struct view *view);
/* Calls back into a view are put between these two, so that it may close itself. */
void stack_enter(struct app *app);
void stack_leave(struct app *app);

/* dispatch.c */
bool app_request(struct app *app, struct view *view, enum request request, const struct input *input);
bool app_can(void *view, enum request request);
void app_lock(struct app *app);

/* frame.c: rows of the frame */
struct frame {
    struct cells title, tabs, body, message, line, keys;
};
bool frame_fits(int rows, int columns);
void frame_split(struct canvas *canvas, struct frame *frame);
/* Paints what a moved selection changed on the last picture; false: draw all. */
bool frame_redraw(struct app *app, struct canvas *canvas);
void frame_labels(struct app *app, const char *labels[APP_SCREENS]);

/* line.c */
void line_init(struct app *app);
void line_release(struct app *app);
void line_open(struct app *app, const char *text);
bool line_is_open(const struct app *app);
void line_close(struct app *app, bool cancelled);
void line_input(struct app *app, const struct input *input);
void line_draw(struct app *app, struct cells *cells);
void line_help(struct buf *text); /* lines about the verbs for the help screen */

/* menu.c */
void menu_open(struct app *app, struct view *view);
void quit_ask(struct app *app, struct view *view);

/* help_view.c */
extern const struct view_ops help_view_ops;

/* app.c: time passed; a result came */
void app_tick(struct app *app);
void app_note_result(void *app, enum fd_code code, const struct fd_error *err);
/* dispatch.c: frees those of a view, NULL: all. The one that has the keys, -1 none: a cover hides
 * those of the views below it. */
void dialogs_drop(struct app *app, const struct view *view);
int dialogs_top(const struct app *app);

#endif
