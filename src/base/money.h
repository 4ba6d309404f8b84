/* Money: int64_t fen in C, DECIMAL(10,2) yuan text at the database and for people. Never floating. */
#ifndef FD_BASE_MONEY_H
#define FD_BASE_MONEY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

#define FEN_MAX 999999999999LL /* 9,999,999,999.99: more than DECIMAL(10,2) (99,999,999.99) holds */
#define FEN_DECIMAL_MAX 9999999999LL /* 99,999,999.99: what DECIMAL(10,2) holds */
#define FEN_TEXT 28 /* bytes that hold any int64 as text with separators, terminator included */

/* Parses what a person typed: "80", "80.5", ".5", "80.00", surrounding blanks. Refused with a
 * sentence naming `field`: sign, exponent, more than two decimals, other digits than 0-9 (９),
 * thousands separators, empty, above FEN_DECIMAL_MAX. Returns FD_BAD_INPUT then. */
enum fd_code fen_parse(const char *text, const char *field, int64_t *fen, struct fd_error *err);
/* Parses a DECIMAL as the database prints it ("-12.30", "5"); false where it is not one. */
bool fen_from_decimal(const char *text, int64_t *fen);
/* "80.00", "-0.05"; no separators: for the database, flags and files. `text` has FEN_TEXT bytes. */
const char *fen_decimal(int64_t fen, char text[FEN_TEXT]);
/* "1,234.00" for screens. `text` has FEN_TEXT bytes. Returns text. */
const char *fen_text(int64_t fen, char text[FEN_TEXT]);
/* price × quantity and sum; false on overflow of FEN_DECIMAL_MAX (result untouched). */
bool fen_times(int64_t price_fen, int64_t quantity, int64_t *fen);
bool fen_add(int64_t a_fen, int64_t b_fen, int64_t *fen);

#endif
