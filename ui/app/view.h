/* Views: a screen is a const table of operations plus private state, in the manner of tig. The
 * framework owns loop, stack, layout, key dispatch, message and command lines; a view draws its
 * part, answers requests and posts jobs. Nothing a view does may wait.
 *
 * A key goes: (0) the open dialog or `:` line; (1) the focused field: ops->input(), where
 * ops->in_field() says that typing is text; (2) the view's key table; (3) the global table. What
 * (2) and (3) give is a request: ops->request() first, then the framework's own answer.
 *
 * Stack: each screen (keys 1-9) has its own stack of views, so a half-filled form stays as it is
 * while another screen, F3 or `:` is used over it; Esc takes the top view away, `-` goes to the
 * screen before. Covers (sign-in, lock) lie over everything.
 *
 * Panes: below 120 columns a view has the whole window. From 120 on the framework asks
 * ops->companion(view, PANE_SIDE) for a view that shows the selected thing at the right, from
 * 160x48 on PANE_STRIP for one along the bottom. Companions get ops->follow() when the leader
 * said view_moved(). */
#ifndef FD_APP_VIEW_H
#define FD_APP_VIEW_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/when.h"
#include "ui/app/jobs.h"
#include "ui/term/cells.h"
#include "ui/term/key.h"
#include "ui/widget/bar.h"
#include "ui/widget/dialog.h"
#include "ui/widget/keymap.h"
#include "ui/widget/request.h"

struct app;
struct view;

enum pane { PANE_MAIN, PANE_SIDE, PANE_STRIP };

/* Every member but name, private_bytes and draw may be NULL or 0. */
struct view_ops {
    const char *name;       /* stable English word: "orders"; `:go orders` */
    const char *label;      /* NC_("tab", "Orders"): tab and menu */
    size_t private_bytes;   /* zeroed memory for view_state() */
    int refresh_ms;         /* load again by itself while visible and nothing is typed; 0 never */
    const struct keymap *keys;

    /* Set up private state from `arg` (the pusher's; copy what is needed). Then load() is called. */
    void (*open)(struct view *view, const void *arg);
    /* Free private state. Jobs of the view are forgotten before. */
    void (*close)(struct view *view);
    /* Post the jobs that read what is shown. Also on F5, after reconnect and every refresh_ms.
     * Call view_loaded() when they are done. */
    void (*load)(struct view *view);
    /* Appends the left part of the title line: what and where ("Orders  today · unpaid"). */
    void (*title)(struct view *view, struct buf *text);
    /* Paints from private state. No I/O, no waiting, any size down to 1x1. */
    void (*draw)(struct view *view, struct cells *cells);
    /* After a key of motion (REQ_UP .. REQ_END) that only moved the selection: paint on the last
     * picture, in the same window, what this changed, and place the cursor. False: draw() does it
     * all. Never needed, only faster: see list_redraw(). */
    bool (*redraw)(struct view *view, struct cells *cells);
    /* Typing is text now (printable keys and pastes go to input(), never to key tables). */
    bool (*in_field)(const struct view *view);
    /* Raw input before the key tables: forms, mouse (cells of the whole screen; lists and forms
     * know where they were drawn, cells_hit() tells for the rest). True: used. */
    bool (*input)(struct view *view, const struct input *input);
    /* True: answered. False: the framework's own answer. */
    bool (*request)(struct view *view, enum request request, const struct input *input);
    /* Is this, for which the view's table has a key, possible now? Else it is dim in the key bar and not in the menu.
     * NULL: all are. What the table has no key for is the frame's to answer, or stands nowhere. */
    bool (*can)(const struct view *view, enum request request);
    /* About once a second while visible, and at each frame boundary after jobs: countdowns. */
    void (*tick)(struct view *view);
    int tick_ms;            /* another pace of tick(); 0: a second */
    /* Became the top view (again): also after a view pushed over it was closed. */
    void (*show)(struct view *view);
    /* A view pushed from this one is about to close with `result` (view_close); its state is alive. */
    void (*child)(struct view *view, struct view *child, int result);
    /* Esc or F10: may it close? False keeps it (it may have opened a dialog). Never asked on exit. */
    bool (*may_close)(struct view *view);
    /* Shown in the message line when there is no message; translated; NULL or "" none. */
    const char *(*hint)(const struct view *view);

    /* Which view stands beside this one; NULL none. */
    const struct view_ops *(*companion)(const struct view *view, enum pane pane);
    /* For companions: the leader's selection changed; read it and post jobs. */
    void (*follow)(struct view *view, struct view *leader);
    bool takes_focus; /* as a companion: Tab goes here and keys work */
    /* True: the whole picture, frame included, in this style (a payment has come). NULL never. */
    bool (*flood)(const struct view *view, style_t *style);
};

/* --- the view itself --- */
void *view_state(const struct view *view); /* private_bytes, 16-byte aligned */
#define VIEW_STATE(type, view) ((type *)view_state(view))
const struct view_ops *view_ops(const struct view *view);
struct app *view_app(const struct view *view);
bool view_is_focused(const struct view *view); /* draw the cursor bar in STYLE_SELECT */
enum pane view_pane(const struct view *view);
struct view *view_leader(const struct view *view); /* of a companion; NULL otherwise */
struct view *view_below(const struct view *view);  /* in its stack; NULL: a root, a cover, a companion */
/* The selected thing is another one: companions follow before the next frame. */
void view_moved(struct view *view);
/* What load() asked for is here: restarts refresh_ms and the age shown. */
void view_loaded(struct view *view);
/* Seconds since view_loaded(); -1 never. */
int view_age_s(const struct view *view);

/* --- the stack --- */
/* Opens a view over this one (same screen). `arg` is only used during the call. The new view. */
struct view *view_push(struct view *view, const struct view_ops *ops, const void *arg);
/* Closes it and what lies over it; the one below gets child() and show(). A screen's root stays. */
void view_close(struct view *view, int result);
/* To another screen, 0-based index or name; its root is opened where it is not yet. False: none. */
bool app_go(struct app *app, int index);
bool app_go_name(struct app *app, const char *name);
/* The root view of a screen (opened where needed), NULL where there is none of that name. */
struct view *app_screen(struct app *app, const char *name);
/* The view that gets keys now. Never NULL. */
struct view *app_top(struct app *app);
/* Covers all (sign-in, lock) until app_uncover(). */
struct view *app_cover(struct app *app, const struct view_ops *ops, const void *arg);
void app_uncover(struct app *app);
bool app_is_covered(const struct app *app);
/* Closes every view of every screen (change of operator) and opens screen 0 anew. */
void app_restart(struct app *app);
/* Leave the program with this exit status. */
void app_quit(struct app *app, int status);

/* --- talking to the person --- */
/* Message line; stays until the next one or 8 s (errors: until a key). Errors beep once. */
void app_message(struct app *app, enum message_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Message and hint of an error; logs the detail. FD_CANCELLED is only an info. */
void app_error(struct app *app, const struct fd_error *err);
void app_message_clear(struct app *app);
/* Opens a dialog over the view and takes it over; `done` is called in the UI thread with the answer
 * (DIALOG_CANCEL too), the dialog still alive, not where the view was closed meanwhile. */
typedef void dialog_done_fn(struct view *view, struct dialog *dialog, int answer, void *context);
void view_dialog(struct view *view, struct dialog *dialog, dialog_done_fn *done, void *context);
/* The same, and the context is the dialog's: given to `dispose` after `done`, or instead of it where the view was closed. */
void view_dialog_own(struct view *view, struct dialog *dialog, dialog_done_fn *done, void *context,
                     void (*dispose)(void *context));
/* A one-line question in the `:` row ("Date: "), prompt translated. `done` gets the text; where it
 * returns not FD_OK the line stays open with err's message. `typed` (may be NULL) at each change. */
typedef enum fd_code prompt_done_fn(struct view *view, const char *text, struct fd_error *err);
typedef void prompt_typed_fn(struct view *view, const char *text, bool cancelled);
void view_prompt(struct view *view, const char *prompt, const char *text, prompt_done_fn *done, prompt_typed_fn *typed);
void app_beep(struct app *app);
/* Somebody is looking although nobody types: the idle lock waits from now on again. */
void app_awake(struct app *app);
/* Runs a `:` line as if it was typed there. */
void app_run_line(struct app *app, const char *line);

/* --- work --- */
/* Posts for this view; it need not be kept anywhere. job->done gets the view as owner. */
uint64_t view_post(struct view *view, const struct job *job);
bool view_busy(const struct view *view); /* a job of this view runs or waits */
struct jobs *app_jobs(const struct app *app);

/* --- facts for the frame and for views --- */
/* Database clock: set from a job's result (wall at the moment of the call); app_now() goes on from
 * it by the monotonic clock. WALL_NONE before the first. */
void app_set_clock(struct app *app, wall_t now);
wall_t app_now(const struct app *app);
day_t app_today(const struct app *app);       /* DAY_NONE before the first */
void app_set_operator(struct app *app, const char *label); /* "desk Li Min"; "" = nobody */
void app_set_latency(struct app *app, int64_t us);         /* -1 = not connected */
void app_set_place(struct app *app, const char *venue);    /* hall name, for the terminal's title */
void *app_context(const struct app *app);                  /* the program's own, from app_config */
bool app_is_paused(const struct app *app);
void app_set_language(struct app *app, const char *language); /* "zh_CN", "en"; relayout */
/* Draw soon (needed only after something outside input, jobs and ticks). */
void app_dirty(struct app *app);

#endif
