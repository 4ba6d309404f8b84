/* Asking for an approval: the request waits for other terminals from the moment that this screen opens, and here for
 * the second person's name and password. */
#include "ui/view/approval_step.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/money.h"

enum { F_NAME = 1, F_PASSWORD };
enum { POLL_MS = 1500 };
enum step { STEP_ASKING, STEP_WAITING, STEP_OVER };

struct approval_state {
    enum step step;
    struct form *form;
    struct view *from;
    approved_fn *approved;
    struct work *work;
    char action[16], order_no[NUMBER_BYTES], reason[512], why[512], over[256];
    int64_t amount_fen, id, left_s, asked_ms;
    char key[KEY_BYTES];
    bool deciding;
};

struct step_work {
    struct work base;
    char action[16], order_no[NUMBER_BYTES], reason[512], name[NAME_BYTES], password[512];
    int64_t amount_fen, id, left_s;
    char status[24], approver[NAME_BYTES];
};

static const struct field fields[] = {
    {.id = F_NAME,
     .label = N_("Second person"),
     .kind = FIELD_TEXT,
     .flags = FIELD_REQUIRED,
     .width_cells = 24,
     .max_chars = 32,
     .hint = N_("Name of somebody who may approve, not your own")},
    {.id = F_PASSWORD,
     .label = N_("Password"),
     .kind = FIELD_PASSWORD,
     .flags = FIELD_REQUIRED,
     .width_cells = 24,
     .max_chars = 256},
};
static const struct form_button buttons[] = {
    {FORM_ID_SAVE, N_("Approve"), K_F(2)},
    {FORM_ID_CANCEL, N_("Leave"), K_ESC},
};

static struct step_work *step_new(const struct approval_state *state, work_fn *run, work_done_fn *done)
{
    struct step_work *work = work_new(sizeof *work, run, done);
    work->id = state->id;
    return work;
}

/* The screen is gone before the caller goes on, which may push another. */
static void go_on(struct view *view)
{
    struct approval_state *state = view_state(view);
    struct view *from = state->from;
    approved_fn *approved = state->approved;
    struct work *work = state->work;
    int64_t id = state->id;
    state->work = NULL;
    view_close(view, 0);
    approved(from, work, id);
}

/* --- asking --- */

static enum fd_code ask_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct step_work *work = arg;
    const struct approval_wish wish = {
        .action = work->action, .order_no = work->order_no, .amount_fen = work->amount_fen, .reason = work->reason};
    return approval_ask(desk, work->base.key, &wish, &work->id, err);
}

static void look(struct view *view);

static void ask_done(struct view *view, void *arg)
{
    struct approval_state *state = view_state(view);
    const struct step_work *work = arg;
    state->id = work->id;
    state->step = STEP_WAITING;
    look(view);
}

static void end(struct approval_state *state, const char *text)
{
    state->step = STEP_OVER;
    cut_copy(state->over, sizeof state->over, text);
}

static bool ask_failed(struct view *view, void *arg, const struct fd_error *err)
{
    (void)arg;
    end(view_state(view), err->message);
    return false;
}

static void ask(struct view *view)
{
    const struct approval_state *state = view_state(view);
    struct step_work *work = step_new(state, ask_run, ask_done);
    cut_copy(work->base.key, sizeof work->base.key, state->key);
    cut_copy(work->action, sizeof work->action, state->action);
    cut_copy(work->order_no, sizeof work->order_no, state->order_no);
    cut_copy(work->reason, sizeof work->reason, state->reason);
    work->amount_fen = state->amount_fen;
    work->base.failed = ask_failed;
    work_post(view, N_("Asking for an approval"), JOB_WRITE, work);
}

/* --- what others say --- */

static enum fd_code look_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct step_work *work = arg;
    struct approval_row *row = NULL;
    enum fd_code code = approval_show(desk, work->id, &work->base.arena, &row, err);
    if (code != FD_OK)
        return code;
    cut_copy(work->status, sizeof work->status, row->status);
    cut_copy(work->approver, sizeof work->approver, row->approver);
    work->left_s = row->left_s;
    return FD_OK;
}

static void look_done(struct view *view, void *arg)
{
    struct approval_state *state = view_state(view);
    const struct step_work *work = arg;
    char text[256];
    state->left_s = work->left_s;
    if (state->step != STEP_WAITING || state->deciding)
        return;
    if (strcmp(work->status, "GRANTED") == 0) {
        app_message(view_app(view), MESSAGE_GOOD, _("%s has approved it."), work->approver);
        go_on(view);
    } else if (strcmp(work->status, "DENIED") == 0) {
        snprintf(text, sizeof text, _("%s has denied it."), work->approver);
        end(state, text);
        app_beep(view_app(view));
    } else if (work->left_s <= 0) {
        end(state, _("Nobody approved it in time; ask again where it is still wanted."));
    }
}

static bool look_failed(struct view *view, void *arg, const struct fd_error *err)
{
    (void)view;
    (void)arg;
    return err->code == FD_CANCELLED || err->code == FD_AGAIN; /* asked again in a moment */
}

static void look(struct view *view)
{
    struct approval_state *state = view_state(view);
    state->asked_ms = mono_ms();
    struct step_work *work = step_new(state, look_run, look_done);
    work->base.failed = look_failed;
    work_post(view, N_("Reading the approval"), JOB_READ, work);
}

static void tick(struct view *view)
{
    const struct approval_state *state = view_state(view);
    if (state->step == STEP_WAITING && !jobs_reading(app_jobs(view_app(view)), view) &&
        mono_ms() - state->asked_ms >= POLL_MS)
        look(view);
}

/* --- here --- */

static enum fd_code decide_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct step_work *work = arg;
    return approval_decide_as(desk, work->id, work->name, work->password, err);
}

static void decide_done(struct view *view, void *arg)
{
    (void)arg;
    go_on(view);
}

static bool decide_failed(struct view *view, void *arg, const struct fd_error *err)
{
    struct approval_state *state = view_state(view);
    (void)arg;
    state->deciding = false;
    form_set(state->form, F_PASSWORD, "");
    form_fail(state->form, err->code == FD_NO_PERMISSION ? F_NAME : F_PASSWORD, err);
    app_beep(view_app(view));
    return true;
}

static void decide(struct view *view)
{
    struct approval_state *state = view_state(view);
    if (state->step != STEP_WAITING || state->deciding || !form_check(state->form))
        return;
    struct step_work *work = step_new(state, decide_run, decide_done);
    cut_copy(work->name, sizeof work->name, form_text(state->form, F_NAME));
    cut_copy(work->password, sizeof work->password, form_text(state->form, F_PASSWORD));
    work->base.failed = decide_failed;
    state->deciding = true;
    work_post(view, N_("Approving"), JOB_WRITE, work);
}

/* --- the view --- */

static void approval_view_open(struct view *view, const void *arg)
{
    struct approval_state *state = view_state(view);
    const struct approval_args *args = arg;
    state->form = form_new(fields, 2, buttons, 2);
    key_new(state->key);
    cut_copy(state->action, sizeof state->action, args->wish->action);
    cut_copy(state->order_no, sizeof state->order_no, args->wish->order_no);
    cut_copy(state->reason, sizeof state->reason, args->wish->reason);
    cut_copy(state->why, sizeof state->why, args->why);
    state->amount_fen = args->wish->amount_fen;
    state->approved = args->approved;
    state->work = args->work;
    ask(view);
}

static void approval_view_close(struct view *view)
{
    struct approval_state *state = view_state(view);
    form_free(state->form);
    work_free(state->work);
    explicit_bzero(state, sizeof *state);
}

static void approval_title(struct view *view, struct buf *text)
{
    buf_printf(text, _("Approval  order %s"), show_tail(VIEW_STATE(struct approval_state, view)->order_no));
}

static void draw_wish(const struct approval_state *state, struct cells *cells, int row)
{
    char money[40];
    const char *what = strcmp(state->action, "price") == 0 ? _("New price") : _("Money back");
    int gap = text_width(what) > text_width(_("Reason")) ? text_width(what) + 2 : text_width(_("Reason")) + 2;
    part_fact(cells, row, 2, gap, what,
              state->amount_fen < 0 ? _("all that is left") : show_yuan(state->amount_fen, money));
    part_fact(cells, row + 1, 2, gap, _("Reason"), state->reason);
}

static void approval_draw(struct view *view, struct cells *cells)
{
    struct approval_state *state = view_state(view);
    int row = cells_wrap(cells, 1, 2, cells->columns - 4, STYLE_WARN, state->why) + 2;
    draw_wish(state, cells, row);
    row += 3;
    if (state->step == STEP_ASKING)
        cells_text(cells, row, 2, STYLE_DIM, _("Asking…"));
    else if (state->step == STEP_OVER)
        cells_wrap(cells, row, 2, cells->columns - 4, STYLE_ERROR, state->over);
    else
        cells_printf(cells, row, 2, STYLE_TEXT,
                     _("Request %lld waits at the other terminals too (Approvals), for %d min more."),
                     (long long)state->id, (int)((state->left_s + 59) / 60));
    struct cells below = cells_sub(cells, row + 2, 1, cells->rows - row - 2, cells->columns - 2);
    form_draw(state->form, &below, view_is_focused(view));
}

static bool approval_in_field(const struct view *view)
{
    return form_in_field(VIEW_STATE(struct approval_state, view)->form);
}

static bool approval_input(struct view *view, const struct input *input)
{
    struct approval_state *state = view_state(view);
    struct form_event event;
    if (input->kind == INPUT_KEY && input->key == K_ENTER && form_focused(state->form) == F_PASSWORD) {
        decide(view);
        return true;
    }
    if (!form_input(state->form, input, &event))
        return false;
    if (event.kind == FORM_PRESSED && event.id == FORM_ID_SAVE)
        decide(view);
    else if (event.kind == FORM_PRESSED)
        view_close(view, 0);
    return true;
}

static bool approval_request(struct view *view, enum request request, const struct input *input)
{
    (void)input;
    if (request != REQ_SAVE)
        return false;
    decide(view);
    return true;
}

static const char *approval_hint(const struct view *view)
{
    return form_hint(VIEW_STATE(struct approval_state, view)->form);
}

static const struct keybind binds[] = {
    {{K_F(2), K_CTRL | 's'}, REQ_SAVE, NC_("key", "Grant"), N_("Approve with the second person's password")},
    {{K_F(3)}, REQ_NONE, NULL, NULL},
    {{K_F(4)}, REQ_NONE, NULL, NULL},
    {{K_F(6)}, REQ_NONE, NULL, NULL},
    {{K_F(7)}, REQ_NONE, NULL, NULL},
    {{K_F(8)}, REQ_NONE, NULL, NULL},
};
static const struct keymap keys = KEYMAP(N_("Approval"), binds);

const struct view_ops view_approval = {
    .name = "approval",
    .label = NC_("tab", "Approval"),
    .private_bytes = sizeof(struct approval_state),
    .keys = &keys,
    .open = approval_view_open,
    .close = approval_view_close,
    .title = approval_title,
    .draw = approval_draw,
    .in_field = approval_in_field,
    .input = approval_input,
    .request = approval_request,
    .tick = tick,
    .hint = approval_hint,
};

void approval_open(struct view *view, const struct approval_args *args)
{
    struct view *step = view_push(view, &view_approval, args);
    VIEW_STATE(struct approval_state, step)->from = view;
}
