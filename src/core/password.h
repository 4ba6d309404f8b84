/* Passwords through the system's crypt: yescrypt where it knows it. Source: threats row 4. */
#ifndef FD_CORE_PASSWORD_H
#define FD_CORE_PASSWORD_H
#include "base/error.h"

#define PASSWORD_HASH_BYTES 256 /* operator_account.password_hash */
#define PASSWORD_MOST       256 /* bytes of a password */

/* A new hash with a fresh salt. FD_INTERNAL where the system's crypt has no strong method, FD_NO_MEMORY. Takes some 50 ms: never in a
 * transaction. */
enum fd_code password_hash(const char *password, char hash[PASSWORD_HASH_BYTES], struct fd_error *err);
/* *right: the password is the one that `hash` was made from. hash NULL, "" or unusable: takes as long as a real
 * comparison and says false, so that an unknown name cannot be told by the clock. FD_NO_MEMORY where nothing could be
 * compared: that is no wrong password and must not be counted as one. */
enum fd_code password_check(const char *password, const char *hash, bool *right, struct fd_error *err);
#endif
