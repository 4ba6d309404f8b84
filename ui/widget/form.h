/* Forms: a table of fields, an editor each, errors under the field, values kept whatever happens.
 *
 * Keys: Tab/Enter next, BackTab back, Up/Down between fields, F4 the list of the field, Ctrl-S or
 * F2 save from anywhere, Esc cancel. A choice: Left/Right/Space, its digit or first letter. Enter
 * on the last field goes to the first button; Enter on a button presses it; text typed there goes on in the sentence that
 * was left.
 * What a clerk may type is parsed by base: date "1", "+1", "sat"; time "19", "1930"; money "80",
 * ".5"; phone with blanks and dashes. A field is parsed when it is left and shown normalised.
 *
 * Layout is measured, not written down: labels are aligned by their translated widths, a field
 * with FIELD_SAME_LINE follows the one before where it fits, an error takes its own row, and what
 * is higher than the window scrolls with the focus. */
#ifndef FD_WIDGET_FORM_H
#define FD_WIDGET_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/text.h"
#include "base/when.h"
#include "ui/term/cells.h"
#include "ui/term/key.h"

enum field_kind {
    FIELD_TEXT,     /* a name: text_field() */
    FIELD_PHONE,    /* phone_normalise() */
    FIELD_MONEY,    /* fen_parse() */
    FIELD_DATE,     /* day_parse() with form_today() */
    FIELD_TIME,     /* minute_parse() */
    FIELD_SPAN,     /* span_parse(): "19-21" */
    FIELD_NUMBER,   /* a whole number, 0 or more */
    FIELD_CHOICE,   /* one of form_choices() */
    FIELD_PASSWORD, /* masked, wiped */
    FIELD_NOTE,     /* long text, wrapped over 3 rows */
    FIELD_SHOW      /* read only; cannot have the focus */
};

enum {
    FIELD_SAME_LINE = 1, /* right of the field before */
    FIELD_REQUIRED = 2,  /* empty is an error */
    FIELD_HAS_LIST = 4,  /* F4 gives FORM_LIST for it (choices have their list always) */
    FIELD_GAP = 8,       /* a blank row above */
    FIELD_WATCH = 16,    /* FORM_CHANGED at each keystroke, not only when it is left */
    FIELD_DIGITS = 32    /* a choice on which a digit is not a choice's number but FORM_DIGIT */
};

struct field {
    int id;            /* the caller's, unique, > 0 */
    const char *label; /* msgid (N_) */
    enum field_kind kind;
    unsigned flags;
    int width_cells;   /* of the content; 0 = a width fit for the kind */
    size_t max_chars;  /* 0 = as many as the kind allows */
    const char *hint;  /* msgid shown in the message line while it has the focus; NULL none */
};

struct form_button {
    int id;            /* the caller's, > 0; FORM_ID_SAVE and FORM_ID_CANCEL have a meaning */
    const char *label; /* msgid, without brackets and keys: N_("Book and take payment") */
    uint32_t key;      /* K_F(2), K_CTRL|'s' …: presses it from anywhere, shown in it; 0 none */
};
#define FORM_ID_SAVE   10001
#define FORM_ID_CANCEL 10002

struct choice {
    const char *value; /* what form_text() gives, e.g. "WECHAT" */
    const char *label; /* shown, translated already */
};

enum form_event_kind {
    FORM_NOTHING, /* handled, or nothing to do */
    FORM_CHANGED, /* field `id` was changed and left (or typed into, with FIELD_WATCH) */
    FORM_LIST,    /* F4 on field `id` (not for choices, they open by themselves) */
    FORM_PRESSED, /* button `id`; Ctrl-S/F2 without such a button: FORM_ID_SAVE; Esc: FORM_ID_CANCEL */
    FORM_MOVED,   /* the focus is on another field now: `id` */
    FORM_DIGIT    /* a digit was typed on choice `id` with FIELD_DIGITS; the owner does what it means */
};
struct form_event {
    enum form_event_kind kind;
    int id;
};

struct form; /* opaque */

/* Field and button tables are borrowed and must outlive the form (static const). New; form_free. */
struct form *form_new(const struct field *fields, size_t count, const struct form_button *buttons, size_t button_count);
void form_free(struct form *form); /* wipes; NULL is fine */

/* Handles key, paste and mouse; returns whether it was used. *event always set. */
bool form_input(struct form *form, const struct input *input, struct form_event *event);
/* Draws from the window's first row; places the cursor where `here`. */
void form_draw(struct form *form, struct cells *cells, bool here);
/* Rows that the form needs at that width, errors and buttons included. */
int form_rows(struct form *form, int columns);

/* Values. Ids that do not exist are FD_BUG. form_set: the first typed character replaces it. */
void form_set(struct form *form, int id, const char *text);
void form_set_fen(struct form *form, int id, int64_t fen);
void form_set_day(struct form *form, int id, day_t day);
void form_set_number(struct form *form, int id, int64_t number);
const char *form_text(struct form *form, int id); /* borrowed; a choice's value */
bool form_is_empty(struct form *form, int id);
bool form_is_dirty(const struct form *form); /* a person typed since form_new or form_clean */
void form_clean(struct form *form);
void form_reset(struct form *form);          /* all empty, no errors, focus on the first */
/* Choices are copied. The first is chosen where the value is none of them. */
void form_choices(struct form *form, int id, const struct choice *choices, size_t count);
/* Today, for dates; DAY_NONE until set (dates then need the year). */
void form_today(struct form *form, day_t today);
/* A remark right of the field ("Li Min, 12 visits"); copied; NULL or "" takes it away. */
void form_aside(struct form *form, int id, style_t style, const char *text);
/* Grey, skipped by the focus, not checked. */
void form_enable(struct form *form, int id, bool enabled);
/* Gone: no row, not checked. */
void form_hide(struct form *form, int id, bool hidden);
void form_button_enable(struct form *form, int id, bool enabled);

/* Errors. form_error puts a sentence under the field (copied; NULL clears). form_fail does it with
 * an fd_error's message and hint and puts the focus there. form_check parses all: errors shown,
 * focus on the first, false where there is one. Typed values are valid after form_check said true. */
void form_error(struct form *form, int id, const char *sentence);
void form_fail(struct form *form, int id, const struct fd_error *err);
void form_errors_clear(struct form *form);
bool form_check(struct form *form);
int64_t form_fen(struct form *form, int id);    /* empty: -1 */
day_t form_day(struct form *form, int id);      /* empty: DAY_NONE */
int form_minute(struct form *form, int id);     /* empty: -1; a span's start */
int form_minute_to(struct form *form, int id);  /* a span's end */
int64_t form_number(struct form *form, int id); /* empty: -1 */
const char *form_phone(struct form *form, int id); /* normalised; "" where empty; borrowed */

void form_focus(struct form *form, int id);
int form_focused(const struct form *form);      /* id of the field, or of the button */
/* True where typed characters are text now (a field, not a button or choice). */
bool form_in_field(const struct form *form);
/* Has the focused field a list that F4 opens? */
bool form_has_list(const struct form *form);
/* The hint of the focused field, or what to do on a button; translated, or "". */
const char *form_hint(const struct form *form);

#endif
