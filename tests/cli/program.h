/* Runs the built program as a user does: arguments, standard input, environment; keeps what it printed. */
#ifndef FD_TESTS_CLI_PROGRAM_H
#define FD_TESTS_CLI_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "db/db.h"
#include "outside/tree.h"

struct ran {
    int status;      /* exit status, or minus the signal */
    char *out, *err; /* terminated; may hold NUL bytes before that */
    size_t out_bytes, err_bytes;
};

/* Finds the program beside the tests' working folder; before anything changes the folder. */
void program_locate(void);
const char *program_path(void);
/* Words that stand before every command: "--data", folder, … NULL-terminated, borrowed. */
void program_before(const char *const *words);

/* Runs it with the words of `line` (blanks separate; '…' keeps them together; %s and friends are filled first). */
struct ran run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with text for its standard input. */
struct ran run_with(const char *input, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with words as they are: for quotes, blanks and worse. */
struct ran run_words(const char *const *words);
/* Starts it without waiting; output to /dev/null unless out_fd >= 0. */
pid_t run_start(int out_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ran_free(struct ran *ran);

/* Runs it and demands the exit status; the output is freed. */
void expect(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Runs it with --json and status 0 and parses the answer. New. */
struct tree *answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Runs it with --json and demands the status and the error's code. */
void expect_error(int status, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Fails the test where bytes hold what a terminal would obey: C0 but newline, DEL, C1, bidi controls, invalid UTF-8. */
void expect_harmless(const char *text, size_t bytes);
/* Writes a file with a mode; the path is xmalloc'ed. */
char *write_file(const char *folder, const char *name, const char *text, mode_t mode);

/* Gives every operator the password "secret" at the least cost of the same method: hundreds of sign-ins at the full
 * price would take most of a test's time. */
void passwords_cheap(struct db *db);
#endif
