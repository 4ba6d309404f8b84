#include "ui/widget/dialog.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "ui/widget/edit.h"

#define WIDTH_MAX   74
#define WIDTH_LEAST 30
#define BUTTONS_MAX 6
#define PICK_ROWS   14
#define FIELD_REASON 1
#define FIELD_TAIL   2
#define BUTTON_DO    3

struct button {
    int id;
    char *label;       /* without the '&' */
    int accelerator;   /* lower-case ASCII, 0 none */
    int accelerator_at; /* cell in the label, -1 none */
    int row, at, width; /* as drawn, screen cells */
};

struct dialog {
    char *title, *body;
    enum dialog_kind_style style;
    struct button buttons[BUTTONS_MAX];
    int button_count, focus;
    struct form *form;
    /* reason */
    size_t min_chars;
    char *tail;
    struct field reason_fields[2];
    struct form_button reason_buttons[2];
    char *action; /* label of the reason's button */
    /* pick list */
    bool is_pick;
    char **rows;
    int row_count, picked, top;
    struct edit filter;
    int shown_row, shown_rows, shown_at, shown_width; /* of the list on the screen */
};

/* --- making --- */

static struct dialog *make(const char *title, const char *body) {
    struct dialog *dialog = xcalloc(1, sizeof *dialog);
    dialog->title = xstrdup(title ? title : "");
    dialog->body = xstrdup(body ? body : "");
    return dialog;
}

static void add_button(struct dialog *dialog, int id, const char *label) {
    struct button *button = &dialog->buttons[dialog->button_count++];
    FD_ASSERT(dialog->button_count <= BUTTONS_MAX);
    const char *mark = strchr(label, '&');
    button->id = id;
    button->label = xcalloc(1, strlen(label) + 1);
    button->accelerator_at = -1;
    if (!mark) {
        strcpy(button->label, label);
        return;
    }
    memcpy(button->label, label, (size_t)(mark - label));
    button->accelerator_at = text_width(button->label);
    strcat(button->label, mark + 1);
    button->accelerator = tolower((unsigned char)mark[1]);
}

struct dialog *dialog_confirm(const char *title, const char *body, const char *action, enum dialog_kind_style style) {
    struct dialog *dialog = make(title, body);
    dialog->style = style;
    /* TRANSLATORS: '&' stands before the letter that presses the button */
    add_button(dialog, DIALOG_CANCEL, _("&No, go back"));
    add_button(dialog, 0, action);
    return dialog;
}

struct dialog *dialog_tell(const char *title, const char *body) {
    struct dialog *dialog = make(title, body);
    add_button(dialog, 0, _("&OK"));
    return dialog;
}

struct dialog *dialog_reason(const char *title, const char *body, const char *action, size_t min_chars, const char *tail) {
    struct dialog *dialog = make(title, body);
    char *plain = xstrdup(action), *mark = strchr(plain, '&');
    /* Letters are text in this dialog. Chinese labels carry theirs in brackets behind: "…(&O)". */
    if (mark && mark > plain && mark[-1] == '(' && mark[1] && mark[2] == ')')
        memmove(mark - 1, mark + 3, strlen(mark + 3) + 1);
    else if (mark)
        memmove(mark, mark + 1, strlen(mark));
    dialog->style = DIALOG_DANGER;
    dialog->min_chars = min_chars;
    dialog->tail = xstrdup(tail);
    dialog->action = plain;
    dialog->reason_fields[0] = (struct field){FIELD_REASON, N_("Reason"), FIELD_NOTE, FIELD_REQUIRED, 44, 200, NULL};
    dialog->reason_fields[1] = (struct field){FIELD_TAIL, N_("Type the last characters again"), FIELD_TEXT,
                                              FIELD_REQUIRED | FIELD_GAP, 8, 32, NULL};
    dialog->reason_buttons[0] = (struct form_button){FORM_ID_CANCEL, N_("Go back"), 0};
    dialog->reason_buttons[1] = (struct form_button){BUTTON_DO, plain, 0};
    dialog->form = form_new(dialog->reason_fields, tail ? 2 : 1, dialog->reason_buttons, 2);
    if (tail) {
        char text[96];
        snprintf(text, sizeof text, "(%s)", tail);
        form_aside(dialog->form, FIELD_TAIL, STYLE_DIM, text);
    }
    return dialog;
}

const char *dialog_reason_text(struct dialog *dialog) {
    return dialog->form ? form_text(dialog->form, FIELD_REASON) : "";
}

struct dialog *dialog_pick(const char *title, const char *const *rows, size_t count, int current) {
    struct dialog *dialog = make(title, "");
    dialog->is_pick = true;
    dialog->rows = xcalloc(count ? count : 1, sizeof *dialog->rows);
    dialog->row_count = (int)count;
    for (size_t i = 0; i < count; i++)
        dialog->rows[i] = xstrdup(rows[i]);
    dialog->picked = current >= 0 && current < (int)count ? current : 0;
    edit_init(&dialog->filter, 40);
    return dialog;
}

void dialog_free(struct dialog *dialog) {
    if (!dialog)
        return;
    for (int i = 0; i < dialog->button_count; i++)
        free(dialog->buttons[i].label);
    for (int i = 0; i < dialog->row_count; i++)
        free(dialog->rows[i]);
    free(dialog->rows);
    edit_release(&dialog->filter);
    form_free(dialog->form);
    free(dialog->title);
    free(dialog->body);
    free(dialog->tail);
    free(dialog->action);
    free(dialog);
}

struct form *dialog_form_of(struct dialog *dialog) {
    return dialog->form;
}

bool dialog_accelerators_differ(const struct dialog *dialog) {
    for (int i = 0; i < dialog->button_count; i++)
        for (int k = 0; k < i; k++)
            if (dialog->buttons[i].accelerator && dialog->buttons[i].accelerator == dialog->buttons[k].accelerator)
                return false;
    return true;
}

/* --- input --- */

static bool reason_is_good(struct dialog *dialog) {
    char text[256];
    size_t chars = 0;
    const char *at;
    if (!form_check(dialog->form))
        return false;
    at = form_text(dialog->form, FIELD_REASON);
    while (text_next(&at) != 0)
        chars++;
    if (chars < dialog->min_chars) {
        snprintf(text, sizeof text, _("At least %zu characters, for the log."), dialog->min_chars);
        form_error(dialog->form, FIELD_REASON, text);
        form_focus(dialog->form, FIELD_REASON);
        return false;
    }
    if (dialog->tail && !text_same(form_text(dialog->form, FIELD_TAIL), dialog->tail)) {
        form_error(dialog->form, FIELD_TAIL, _("This is not the same."));
        form_focus(dialog->form, FIELD_TAIL);
        return false;
    }
    return true;
}

static int form_dialog_input(struct dialog *dialog, const struct input *input) {
    struct form_event event;
    form_input(dialog->form, input, &event);
    if (event.kind == FORM_PRESSED && event.id == FORM_ID_CANCEL)
        return DIALOG_CANCEL;
    return event.kind == FORM_PRESSED && reason_is_good(dialog) ? 0 : DIALOG_OPEN;
}

static bool row_fits(const struct dialog *dialog, int row) {
    return strcasestr(dialog->rows[row], edit_text(&dialog->filter)) != NULL;
}

/* The next row that fits the filter; stays where there is none. */
static void move_pick(struct dialog *dialog, int direction, int steps) {
    for (int at = dialog->picked + direction; at >= 0 && at < dialog->row_count && steps > 0; at += direction)
        if (row_fits(dialog, at)) {
            dialog->picked = at;
            steps--;
        }
}

static void first_fit(struct dialog *dialog) {
    for (int i = 0; i < dialog->row_count; i++)
        if (row_fits(dialog, (dialog->picked + i) % dialog->row_count)) {
            dialog->picked = (dialog->picked + i) % dialog->row_count;
            return;
        }
}

static int pick_mouse(struct dialog *dialog, const struct input *input) {
    int row = input->row - dialog->shown_row, line = 0;
    if (input->mouse == MOUSE_WHEEL_UP || input->mouse == MOUSE_WHEEL_DOWN) {
        move_pick(dialog, input->mouse == MOUSE_WHEEL_UP ? -1 : 1, 3);
        return DIALOG_OPEN;
    }
    if (row < 0 || row >= dialog->shown_rows || input->column < dialog->shown_at ||
        input->column >= dialog->shown_at + dialog->shown_width)
        return DIALOG_OPEN;
    for (int i = dialog->top; i < dialog->row_count; i++)
        if (row_fits(dialog, i) && line++ == row) {
            dialog->picked = i;
            return input->mouse == MOUSE_DOUBLE ? i : DIALOG_OPEN;
        }
    return DIALOG_OPEN;
}

static int pick_input(struct dialog *dialog, const struct input *input) {
    bool changed;
    if (input->kind == INPUT_MOUSE)
        return pick_mouse(dialog, input);
    switch (input->kind == INPUT_KEY ? input->key : K_NONE) {
    case K_ESC:
    case K_F(10):
        return DIALOG_CANCEL;
    case K_ENTER:
        return dialog->row_count > 0 && row_fits(dialog, dialog->picked) ? dialog->picked : DIALOG_OPEN;
    case K_UP:
        move_pick(dialog, -1, 1);
        break;
    case K_DOWN:
        move_pick(dialog, 1, 1);
        break;
    case K_PGUP:
        move_pick(dialog, -1, PICK_ROWS - 1);
        break;
    case K_PGDN:
        move_pick(dialog, 1, PICK_ROWS - 1);
        break;
    default:
        if (edit_input(&dialog->filter, input, &changed) && changed)
            first_fit(dialog);
    }
    return DIALOG_OPEN;
}

static int button_mouse(struct dialog *dialog, const struct input *input) {
    for (int i = 0; i < dialog->button_count && input->mouse <= MOUSE_DOUBLE; i++) {
        const struct button *button = &dialog->buttons[i];
        if (input->row == button->row && input->column >= button->at && input->column < button->at + button->width)
            return button->id;
    }
    return DIALOG_OPEN;
}

static int button_input(struct dialog *dialog, const struct input *input) {
    int count = dialog->button_count;
    if (input->kind == INPUT_MOUSE)
        return button_mouse(dialog, input);
    if (input->kind != INPUT_KEY)
        return DIALOG_OPEN;
    switch (input->key) {
    case K_ESC:
    case K_F(10):
        return DIALOG_CANCEL;
    case K_ENTER:
    case ' ':
        return dialog->buttons[dialog->focus].id;
    case K_TAB:
    case K_RIGHT:
    case K_DOWN:
        dialog->focus = (dialog->focus + 1) % count;
        return DIALOG_OPEN;
    case K_BACKTAB:
    case K_LEFT:
    case K_UP:
        dialog->focus = (dialog->focus + count - 1) % count;
        return DIALOG_OPEN;
    default:
        break;
    }
    uint32_t letter = input->key & ~K_ALT;
    for (int i = 0; i < count && letter < 0x80; i++)
        if (dialog->buttons[i].accelerator && tolower((int)letter) == dialog->buttons[i].accelerator)
            return dialog->buttons[i].id;
    return DIALOG_OPEN;
}

int dialog_input(struct dialog *dialog, const struct input *input) {
    if (dialog->form)
        return form_dialog_input(dialog, input);
    if (dialog->is_pick)
        return pick_input(dialog, input);
    return button_input(dialog, input);
}

/* --- drawing --- */

static int longest_line(const char *text) {
    int longest = 0;
    while (*text) {
        const char *end = strchrnul(text, '\n');
        char *line = strndup(text, (size_t)(end - text));
        int wide = line ? text_width(line) : 0;
        free(line);
        longest = wide > longest ? wide : longest;
        text = *end ? end + 1 : end;
    }
    return longest;
}

static int buttons_width(const struct dialog *dialog) {
    int width = 0;
    for (int i = 0; i < dialog->button_count; i++)
        width += text_width(dialog->buttons[i].label) + 4 + (i ? 2 : 0);
    return width;
}

static int inner_width(const struct dialog *dialog, const struct cells *cells) {
    int width = longest_line(dialog->body), room = cells->columns - 4;
    int title = text_width(dialog->title) + 4, buttons = buttons_width(dialog);
    for (int i = 0; i < dialog->row_count; i++) {
        int wide = text_width(dialog->rows[i]) + 2;
        width = wide > width ? wide : width;
    }
    width = title > width ? title : width;
    width = buttons > width ? buttons : width;
    width = width < WIDTH_LEAST ? WIDTH_LEAST : width;
    if (dialog->form || width > WIDTH_MAX)
        width = WIDTH_MAX;
    return width > room ? room : width;
}

static void draw_buttons(struct dialog *dialog, struct cells *inside, int row) {
    int at = inside->columns - buttons_width(dialog);
    at = at < 0 ? 0 : at;
    for (int i = 0; i < dialog->button_count; i++) {
        struct button *button = &dialog->buttons[i];
        bool here = i == dialog->focus;
        char text[160];
        snprintf(text, sizeof text, "[ %s ]", button->label);
        button->width = cells_text(inside, row, at, here ? STYLE_BUTTON_HERE : STYLE_BUTTON, text);
        if (button->accelerator_at >= 0)
            cells_flag(inside, row, at + 2 + button->accelerator_at, 1, 1, STYLE_UNDERLINE | STYLE_BOLD);
        if (here)
            cells_cursor(inside, row, at + 2);
        button->row = inside->row + row;
        button->at = inside->column + at;
        at += button->width + 2;
    }
}

static void draw_pick(struct dialog *dialog, struct cells *inside, int row, int rows) {
    int line = 0, before = 0;
    cells_text(inside, 0, 1, STYLE_LABEL, "/");
    edit_draw(&dialog->filter, inside, 0, 2, inside->columns - 3, STYLE_FIELD_HERE, false);
    if (dialog->picked < dialog->top)
        dialog->top = dialog->picked;
    for (int i = dialog->picked; i >= dialog->top && i >= 0; i--)
        before += row_fits(dialog, i);
    while (before > rows && dialog->top < dialog->picked)
        before -= row_fits(dialog, dialog->top++);
    dialog->shown_row = inside->row + row;
    dialog->shown_rows = rows;
    dialog->shown_at = inside->column;
    dialog->shown_width = inside->columns;
    for (int i = dialog->top; i < dialog->row_count && line < rows; i++) {
        if (!row_fits(dialog, i))
            continue;
        bool here = i == dialog->picked;
        cells_put(inside, row + line, 0, inside->columns, -1, here ? STYLE_SELECT : STYLE_DIALOG, "");
        cells_put(inside, row + line, 1, inside->columns - 1, -1, here ? STYLE_SELECT : STYLE_DIALOG, dialog->rows[i]);
        if (here)
            cells_cursor(inside, row + line, 1);
        line++;
    }
    if (line == 0)
        cells_cursor(inside, 0, 2);
}

void dialog_draw(struct dialog *dialog, struct cells *cells) {
    int width = inner_width(dialog, cells), body = *dialog->body ? cells_wrap_rows(dialog->body, width) : 0;
    int content = dialog->form ? form_rows(dialog->form, width)
                  : dialog->is_pick ? 1 + (dialog->row_count < PICK_ROWS ? dialog->row_count : PICK_ROWS)
                                    : 0;
    int gap = body > 0 && (content > 0 || dialog->button_count > 0) ? 1 : 0;
    int rows = body + gap + content + (dialog->button_count > 0 ? 1 : 0), room = cells->rows - 2;
    if (width < 1 || room < 1)
        return;
    rows = rows > room ? room : rows;
    struct cells box = cells_sub(cells, (cells->rows - rows - 2) / 2, (cells->columns - width - 4) / 2, rows + 2, width + 4);
    cells_fill(&box, 0, 0, box.rows, box.columns, STYLE_DIALOG);
    struct cells inside = cells_box(&box, dialog->style == DIALOG_DANGER ? STYLE_WARN : STYLE_RULE, dialog->title);
    inside = cells_sub(&inside, 0, 1, inside.rows, inside.columns - 2);
    /* where there is not room for all, the text gives way, never what is typed or pressed */
    int fixed = content + (dialog->button_count > 0 ? 1 : 0);
    int body_rows = rows - fixed - gap < body ? rows - fixed - gap : body;
    if (body_rows > 0) {
        struct cells text = cells_sub(&inside, 0, 0, body_rows, width);
        cells_wrap(&text, 0, 0, width, STYLE_DIALOG, dialog->body);
    }
    int at = body_rows > 0 ? body_rows + gap : 0;
    struct cells rest = cells_sub(&inside, at, 0, inside.rows - at, width);
    if (dialog->form)
        form_draw(dialog->form, &rest, true);
    else if (dialog->is_pick)
        draw_pick(dialog, &rest, 1, rest.rows - 1);
    if (dialog->button_count > 0)
        draw_buttons(dialog, &inside, inside.rows - 1);
}
