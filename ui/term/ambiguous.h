/* Characters that some terminals draw two cells wide although libc says one: box drawing, dots,
 * curly quotes, accents. Where a terminal does, they are replaced before they reach it. */
#ifndef FD_TERM_AMBIGUOUS_H
#define FD_TERM_AMBIGUOUS_H

#include <stdbool.h>
#include <stdint.h>

/* East Asian width "ambiguous" (UAX 11). */
bool ambiguous_is(uint32_t ch);
/* An ASCII look-alike of one cell; 0 where there is none. */
uint32_t ambiguous_plain(uint32_t ch);

#endif
