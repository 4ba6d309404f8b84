/* From the terminal's bytes to keys, pastes and mouse actions. Pure: no terminal, no clock of its
 * own, so it is tested and fuzzed byte by byte. Sequences come from terminfo (term.c adds them)
 * and from a built-in table of second spellings (PuTTY, linux, rxvt, xterm with modifiers).
 * A sequence that nobody knows is swallowed whole: it must never turn into typed letters, which
 * are commands here. */
#ifndef FD_TERM_DECODE_H
#define FD_TERM_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"
#include "ui/term/key.h"

struct decoder;

#define DECODE_PASTE_MAX 65536 /* bytes kept of one paste; the rest is dropped */

struct decoder *decoder_new(int escape_delay_ms); /* free with decoder_free */
void decoder_free(struct decoder *decoder);       /* wipes what was typed */
/* Another spelling of a key; sequences start with ESC. Ignored where NULL, empty or not ESC. */
void decoder_define(struct decoder *decoder, const char *sequence, uint32_t key);
/* Bytes as they came from the terminal at `now_ms`. */
void decoder_feed(struct decoder *decoder, const char *bytes, size_t count, int64_t now_ms);
/* Takes the next event; false where more bytes or time are needed. */
bool decoder_next(struct decoder *decoder, int64_t now_ms, struct input *input);
/* Milliseconds until a lone Esc counts as one; -1 where nothing waits. */
int decoder_wait_ms(const struct decoder *decoder, int64_t now_ms);
/* Expect one cursor position report before `until_ms` (it looks like Shift-F3 otherwise). */
void decoder_expect_report(struct decoder *decoder, int64_t until_ms);
/* Takes the report's column (1-based) where one has come; false otherwise. */
bool decoder_report(struct decoder *decoder, int *row, int *column);

#endif
