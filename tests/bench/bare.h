/* The bare client: what any program that speaks to this database must pay. One connection with the
 * session that frontdesk sets, statements prepared once with their parameters bound once, and
 * nothing else: no checks, no texts, no memory, no retry. Every failure ends the program. */
#ifndef FD_TESTS_BENCH_BARE_H
#define FD_TESTS_BENCH_BARE_H

#include <stdbool.h>
#include <stdint.h>

struct bare;

/* Connects over a unix socket. New; bare_close. */
struct bare *bare_open(const char *socket, const char *user, const char *database);
void bare_close(struct bare **bare);

/* Values: named, set again for each execution; statements read them in place. "query:name" serves the
 * parameter :name of that query only, "name" the others'. They must exist before bare_prepare. */
struct bare_value;
struct bare_value *bare_int(struct bare *bare, const char *name, int64_t number);
struct bare_value *bare_text(struct bare *bare, const char *name, const char *text); /* NULL: SQL NULL */
struct bare_value *bare_decimal(struct bare *bare, const char *name, const char *text);
void bare_set_int(struct bare_value *value, int64_t number);
void bare_set_text(struct bare_value *value, const char *text); /* at most 1023 bytes; NULL: SQL NULL */

/* Prepares `sql`, in which :name stands for a value. Returns its number. */
int bare_prepare(struct bare *bare, const char *query, const char *sql);
/* Executes it and reads all rows into the bound columns. Returns the rows read or changed; -1 where the
 * transaction met a deadlock or waited too long for a lock (it is rolled back). */
int64_t bare_run(struct bare *bare, int statement);
/* Executes it and calls `row` for each row; the getters read that row. */
typedef void bare_row_fn(struct bare *bare, int statement, void *arg);
int64_t bare_each(struct bare *bare, int statement, bare_row_fn *row, void *arg);
/* The row read last. A text is borrowed until the next row. */
int64_t bare_column_int(const struct bare *bare, int statement, unsigned column);
const char *bare_column_text(const struct bare *bare, int statement, unsigned column);
int bare_column_minute(const struct bare *bare, int statement, unsigned column); /* of a TIME */

void bare_commit(struct bare *bare);
void bare_rollback(struct bare *bare);
/* A text statement, its first value into `out` ("" where there is none). */
void bare_query(struct bare *bare, const char *sql, char *out, unsigned bytes);
int64_t bare_connection_id(struct bare *bare);

#endif
