/* The `:` line: editor, completion with Tab, history with Up/Down, a caret under the word that
 * was not understood. Knows nothing about verbs: callbacks do. */
#ifndef FD_WIDGET_COMMAND_H
#define FD_WIDGET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "base/mem.h"
#include "ui/term/cells.h"
#include "ui/term/key.h"
#include "ui/widget/edit.h"

/* One thing that fits where the caret is. Texts in the arena given to the callback, or static. */
struct completion {
    const char *word;    /* the whole word to put in */
    const char *summary; /* what it means, translated; NULL none */
};
/* Finds what fits: `line` up to the caret; *from gets the byte offset of the word that is being
 * completed. Fills at most `room`, returns how many fit. No I/O. */
typedef size_t complete_fn(void *context, const char *line, struct arena *arena, size_t *from, struct completion *out, size_t room);

#define COMMAND_COMPLETIONS 64
#define COMMAND_HISTORY     100

struct command {
    struct edit edit;
    char prompt[24];            /* ":" or a translated word, drawn before the field */
    complete_fn *complete;      /* NULL: none */
    void *context;
    struct arena arena;
    struct completion offers[COMMAND_COMPLETIONS];
    size_t offer_count, offer_from;
    int offer;                  /* chosen by Tab, -1 none */
    char *history[COMMAND_HISTORY];
    size_t history_count;
    int history_at;             /* -1 = the line being typed */
    char *stash;                /* the typed line while walking the history */
    int bad;                    /* byte offset of the word not understood, -1 none */
    char error[512];            /* sentence for it */
};

enum command_event { COMMAND_NOTHING, COMMAND_RUN, COMMAND_CLOSED, COMMAND_TYPED };

void command_init(struct command *command, const char *prompt, complete_fn *complete, void *context);
void command_release(struct command *command);
/* Empties the line, ready to type; history stays. */
void command_open(struct command *command, const char *text);
/* COMMAND_RUN on Enter (the line is in the history then), COMMAND_CLOSED on Esc or Backspace in
 * the empty line, COMMAND_TYPED where the text changed. Never runs anything itself. */
enum command_event command_input(struct command *command, const struct input *input);
const char *command_line(const struct command *command); /* borrowed */
/* Marks the word at byte `offset` with a caret and says why. Editing goes on with the line kept. */
void command_fail(struct command *command, int offset, const char *sentence);
/* Draws in the last row of the window; the caret with the error, or the offers, in the row above.
 * Windows of one row show the line only. */
void command_draw(struct command *command, struct cells *cells);

#endif
