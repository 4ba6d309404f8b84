#include "ui/widget/command.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

void command_init(struct command *command, const char *prompt, complete_fn *complete, void *context) {
    memset(command, 0, sizeof *command);
    edit_init(&command->edit, 500);
    cut_copy(command->prompt, sizeof command->prompt, prompt);
    command->complete = complete;
    command->context = context;
    command->offer = command->history_at = command->bad = -1;
}

static void forget_stash(struct command *command) {
    free(command->stash);
    command->stash = NULL;
    command->history_at = -1;
}

void command_release(struct command *command) {
    edit_release(&command->edit);
    arena_release(&command->arena);
    for (size_t i = 0; i < command->history_count; i++)
        free(command->history[i]);
    forget_stash(command);
    memset(command, 0, sizeof *command);
}

static void no_offers(struct command *command) {
    command->offer_count = 0;
    command->offer = -1;
}

static void no_error(struct command *command) {
    command->bad = -1;
    command->error[0] = '\0';
}

void command_open(struct command *command, const char *text) {
    edit_set(&command->edit, text);
    no_offers(command);
    no_error(command);
    forget_stash(command);
}

const char *command_line(const struct command *command) {
    return edit_text(&command->edit);
}

void command_fail(struct command *command, int offset, const char *sentence) {
    int bytes = (int)command->edit.bytes;
    no_offers(command);
    command->bad = offset > bytes ? bytes : offset;
    cut_copy(command->error, sizeof command->error, sentence);
}

/* --- history --- */

static void remember(struct command *command) {
    const char *line = command_line(command);
    size_t count = command->history_count;
    if (edit_is_empty(&command->edit) || (count > 0 && strcmp(command->history[count - 1], line) == 0))
        return;
    if (count == COMMAND_HISTORY) {
        free(command->history[0]);
        memmove(command->history, command->history + 1, (count - 1) * sizeof *command->history);
        count--;
    }
    command->history[count] = xstrdup(line);
    command->history_count = count + 1;
}

static void walk(struct command *command, int direction) {
    int count = (int)command->history_count, at = command->history_at;
    if (count == 0)
        return;
    if (at < 0 && direction > 0)
        return;
    if (at < 0) {
        free(command->stash);
        command->stash = xstrdup(command_line(command));
        at = count;
    }
    at += direction;
    if (at < 0)
        return;
    if (at >= count) {
        edit_set(&command->edit, command->stash);
        forget_stash(command);
        return;
    }
    command->history_at = at;
    edit_set(&command->edit, command->history[at]);
}

/* --- completion --- */

static void put_word(struct command *command, const char *word, bool whole) {
    size_t from = command->offer_from, to = command->edit.at;
    char *line = xprintf("%.*s%s%s%s", (int)from, command->edit.text, word, whole ? " " : "", command->edit.text + to);
    size_t at = from + strlen(word) + (whole ? 1 : 0);
    edit_set(&command->edit, line);
    command->edit.at = at < command->edit.bytes ? at : command->edit.bytes;
    free(line);
}

/* Bytes that all offers share. */
static size_t common_prefix(const struct command *command) {
    const char *first = command->offers[0].word;
    size_t common = strlen(first);
    for (size_t i = 1; i < command->offer_count; i++) {
        size_t same = 0;
        while (same < common && first[same] == command->offers[i].word[same])
            same++;
        common = same;
    }
    while (common > 0 && ((unsigned char)first[common] & 0xc0) == 0x80)
        common--;
    return common;
}

static void find_offers(struct command *command) {
    char *line = strndup(command->edit.text, command->edit.at);
    no_offers(command);
    arena_reset(&command->arena);
    command->offer_from = command->edit.at;
    if (line)
        command->offer_count = command->complete(command->context, arena_str(&command->arena, line), &command->arena,
                                                 &command->offer_from, command->offers, COMMAND_COMPLETIONS);
    free(line);
    if (command->offer_from > command->edit.at)
        command->offer_from = command->edit.at;
}

/* The first Tab puts in what is common, further ones go through the offers. */
static void complete(struct command *command, int direction) {
    if (!command->complete)
        return;
    if (command->offer_count > 1) {
        int count = (int)command->offer_count;
        command->offer = command->offer < 0 ? (direction > 0 ? 0 : count - 1) : (command->offer + direction + count) % count;
        put_word(command, command->offers[command->offer].word, false);
        return;
    }
    find_offers(command);
    if (command->offer_count == 1) {
        put_word(command, command->offers[0].word, true);
        no_offers(command);
    } else if (command->offer_count > 1) {
        char *common = strndup(command->offers[0].word, common_prefix(command));
        if (common && strlen(common) > command->edit.at - command->offer_from)
            put_word(command, common, false);
        free(common);
    }
}

enum command_event command_input(struct command *command, const struct input *input) {
    bool changed = false;
    if (input->kind != INPUT_KEY && input->kind != INPUT_PASTE)
        return COMMAND_NOTHING;
    switch (input->key) {
    case K_ENTER:
        no_offers(command);
        no_error(command);
        remember(command);
        forget_stash(command);
        return COMMAND_RUN;
    case K_ESC:
        return COMMAND_CLOSED;
    case K_TAB:
    case K_BACKTAB:
        no_error(command);
        complete(command, input->key == K_TAB ? 1 : -1);
        return COMMAND_TYPED;
    case K_UP:
    case K_DOWN:
        no_offers(command);
        walk(command, input->key == K_UP ? -1 : 1);
        return COMMAND_TYPED;
    case K_BACKSPACE:
        if (command->edit.bytes == 0)
            return COMMAND_CLOSED;
        break;
    default:
        break;
    }
    if (!edit_input(&command->edit, input, &changed))
        return COMMAND_NOTHING;
    if (!changed)
        return COMMAND_NOTHING;
    no_offers(command);
    no_error(command);
    return COMMAND_TYPED;
}

/* --- drawing --- */

static void draw_offers(struct command *command, struct cells *cells, int row) {
    int at = 1, first = 0;
    /* begin so that the chosen one is seen */
    for (int i = 0, width = 1; command->offer >= 0 && i <= command->offer; i++) {
        width += text_width(command->offers[i].word) + 2;
        if (width > cells->columns - 2) {
            first = i;
            width = text_width(command->offers[i].word) + 3;
        }
    }
    cells_fill(cells, row, 0, 1, cells->columns, STYLE_TEXT);
    for (int i = first; i < (int)command->offer_count && at < cells->columns; i++) {
        bool here = i == command->offer;
        at += cells_text(cells, row, at, here ? STYLE_SELECT : STYLE_DIM, command->offers[i].word) + 2;
    }
    int chosen = command->offer >= 0 ? command->offer : -1;
    if (chosen >= 0 && command->offers[chosen].summary && at < cells->columns)
        cells_put(cells, row, at, cells->columns - at, -1, STYLE_INFO, command->offers[chosen].summary);
}

static void draw_error(struct command *command, struct cells *cells, int row, int prompt) {
    char *before = command->bad >= 0 ? strndup(command->edit.text, (size_t)command->bad) : NULL;
    int at = before ? prompt + text_width(before) - command->edit.scroll : 1;
    int wide = text_width(command->error);
    free(before);
    at = at < 0 ? 0 : at >= cells->columns ? cells->columns - 1 : at;
    cells_fill(cells, row, 0, 1, cells->columns, STYLE_ERROR);
    /* the sentence stands right of the caret where it fits there, else left of it */
    if (command->bad < 0)
        cells_put(cells, row, 1, cells->columns - 1, -1, STYLE_ERROR, command->error);
    else if (at + 2 + wide <= cells->columns || at < wide + 2)
        cells_put(cells, row, at + 2, cells->columns - at - 2, -1, STYLE_ERROR, command->error);
    else
        cells_put(cells, row, at - wide - 2, wide + 1, -1, STYLE_ERROR, command->error);
    if (command->bad >= 0)
        cells_text(cells, row, at, STYLE_ERROR, cells_ascii(cells) ? "v" : cells_symbol(cells, SYMBOL_DOWN));
}

void command_draw(struct command *command, struct cells *cells) {
    int row = cells->rows - 1, prompt;
    if (row < 0)
        return;
    cells_fill(cells, row, 0, 1, cells->columns, STYLE_TEXT);
    prompt = cells_text(cells, row, 0, STYLE_STRONG, command->prompt);
    edit_draw(&command->edit, cells, row, prompt, cells->columns - prompt, STYLE_TEXT, true);
    if (row < 1)
        return;
    if (*command->error)
        draw_error(command, cells, row - 1, prompt);
    else if (command->offer_count > 0)
        draw_offers(command, cells, row - 1);
}
