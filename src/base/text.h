/* Text: what comes from outside is made harmless once, and measured in cells in one place. */
#ifndef FD_BASE_TEXT_H
#define FD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/mem.h"

/* Copies `text` into `out` with everything dangerous or unmeasurable replaced by U+FFFD (C0, DEL,
 * C1, bidi controls U+202A-E, U+2066-9, U+200E/F, U+061C, zero-width U+200B-D U+2060 U+FEFF, line
 * separators, VS16/ZWJ/keycap/flags that libc and utf8proc measure apart, invalid UTF-8); newline
 * and tab become blanks. Cut at a whole character. Idempotent. Returns bytes written without
 * the terminator. */
size_t text_clean(char *out, size_t out_bytes, const char *text);
/* The same into an arena; NULL gives "". */
const char *text_clean_arena(struct arena *arena, const char *text);
/* True where text_clean would change nothing. */
bool text_is_clean(const char *text);
/* The first character that text_clean would change, NULL where there is none. Borrowed. */
const char *text_unclean_at(const char *text);

/* Width in cells (libc wcwidth; text must be clean UTF-8; an unprintable counts 1). */
int text_width(const char *text);
/* Width of one character, 0, 1 or 2. */
int text_char_width(uint32_t ch);
/* Decodes one character at *text and advances; 0 at the end; U+FFFD for a bad byte. */
uint32_t text_next(const char **text);
/* Encodes into out (5 bytes at least), returns the length. */
int text_encode(uint32_t ch, char *out);
/* Next/previous grapheme boundary (bytes offset) from `at` in `text` (libutf8proc). */
size_t text_grapheme_next(const char *text, size_t at);
size_t text_grapheme_prev(const char *text, size_t at);
/* Clips to `cells` with "…" (or "~" where `ascii`) and pads with blanks to exactly `cells`.
 * align: -1 left, 0 centre, 1 right. Result in arena. */
const char *text_fit(struct arena *arena, const char *text, int cells, int align, bool ascii);

/* Phone: removes blanks, dashes, brackets, +86/0086/86 before 11 digits, full-width digits to
 * ASCII. Accepts 5 to 20 digits with an optional leading +. FD_BAD_INPUT with a sentence. */
#define PHONE_BYTES 24
enum fd_code phone_normalise(const char *text, char phone[PHONE_BYTES], struct fd_error *err);
/* 138****1234; shorter than 8: all but the last two masked; NULL or "": "". */
const char *phone_mask(const char *phone, char masked[PHONE_BYTES]);

/* Validates a name or note typed by a person: valid UTF-8, no control characters (named in the
 * message), at most `max_chars` characters, trimmed. Refuses with FD_BAD_INPUT naming `field`. */
enum fd_code text_field(const char *text, const char *field, size_t max_chars, char *out, size_t out_bytes, struct fd_error *err);

/* Escapes %, _ and \ for LIKE with ESCAPE '|': into out, cut never (false where it does not fit). */
bool text_like(char *out, size_t out_bytes, const char *text);

/* Pinyin initials of a name in lower case: 张三丰 -> "zsf", Wang Wu -> "ww" ; surnames by table
 * (单 -> s). Characters without one are left out. Returns out. */
const char *pinyin_initials(const char *name, char *out, size_t out_bytes);

/* What was typed, ready to compare: trimmed, full-width forms and U+3000 as ASCII, ASCII letters
 * in lower case. False (out empty) where it is not clean or does not fit. */
bool text_fold(char *out, size_t out_bytes, const char *text);

/* ASCII helpers that do not depend on the locale. */
bool text_is_digits(const char *text);
bool text_same(const char *a, const char *b); /* ASCII case-insensitive equality; NULLs equal "" */

#endif
