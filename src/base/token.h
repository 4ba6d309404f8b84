/* Random numbers people and programs read. */
#ifndef FD_BASE_TOKEN_H
#define FD_BASE_TOKEN_H
#include <stddef.h>
#include <stdint.h>
#include "base/when.h"

#define NUMBER_BYTES 33 /* order_no, bill_no, payment numbers: VARCHAR(32) */
#define KEY_BYTES 49    /* request keys: at most 48 characters */

void random_bytes(void *out, size_t bytes); /* getrandom; never fails */
uint32_t random_below(uint32_t limit);      /* uniform */
/* date + tag + random, "20261130VB7K3M9Q2X": 8 random characters without 0 O 1 I L. Source: domain 0, order_no. */
void number_new(char out[NUMBER_BYTES], day_t day, const char *tag);
/* A new request key: 26 characters. */
void key_new(char out[KEY_BYTES]);
/* SHA-256 of bytes as 64 lower hex digits. */
void sha256_hex(const void *bytes, size_t count, char out[65]);
#endif
