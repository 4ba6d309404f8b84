#include "program.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "support/fixture.h"

static char path[PATH_MAX];
static const char *const *before;

void program_locate(void)
{
    const char *given = getenv("FD_PROGRAM");
    if (!realpath(given ? given : "./frontdesk", path)) {
        perror("frontdesk");
        exit(99);
    }
}

const char *program_path(void)
{
    return path;
}

void program_before(const char *const *words)
{
    before = words;
}

#define WORDS_MOST 128

/* Splits in place: blanks separate, '…' keeps blanks. */
static size_t split(char *line, char **words)
{
    size_t count = 0;
    char *at = line;
    for (;;) {
        while (*at == ' ')
            at++;
        if (!*at || count == WORDS_MOST - 1)
            break;
        char *out = words[count++] = at;
        bool quoted = false;
        for (; *at && (quoted || *at != ' '); at++) {
            if (*at == '\'')
                quoted = !quoted;
            else
                *out++ = *at;
        }
        if (*at)
            at++;
        *out = '\0';
    }
    words[count] = NULL;
    return count;
}

_Noreturn static void become(char *const *tail, int in, int out, int err)
{
    char *words[WORDS_MOST * 2];
    size_t count = 0;
    words[count++] = path;
    for (size_t i = 0; before && before[i]; i++)
        words[count++] = xstrdup(before[i]);
    while (*tail)
        words[count++] = *tail++;
    words[count] = NULL;
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    execv(path, words);
    _exit(126);
}

static pid_t start(char *const *words, int in, int out, int err)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(words, in, out, err);
    assert_true(pid > 0);
    return pid;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Reads both pipes to their ends. */
static void collect(int out, int err, struct ran *ran)
{
    struct buf bufs[2] = {0};
    struct pollfd fds[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        poll(fds, 2, -1);
        for (int i = 0; i < 2; i++) {
            char bytes[4096];
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            ssize_t got = read(fds[i].fd, bytes, sizeof bytes);
            if (got > 0)
                buf_add_bytes(&bufs[i], bytes, (size_t)got);
            else
                fds[i].fd = -1;
        }
    }
    ran->out_bytes = bufs[0].bytes;
    ran->err_bytes = bufs[1].bytes;
    ran->out = buf_take(&bufs[0]);
    ran->err = buf_take(&bufs[1]);
}

static struct ran run_list(const char *input, char *const *words)
{
    struct ran ran = {0};
    int in[2], out[2], err[2];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC) | pipe2(err, O_CLOEXEC), 0);
    if (input)
        assert_int_equal(write(in[1], input, strlen(input)), (ssize_t)strlen(input));
    close(in[1]);
    pid_t pid = start(words, in[0], out[1], err[1]);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    collect(out[0], err[0], &ran);
    close(out[0]);
    close(err[0]);
    ran.status = wait_for(pid);
    return ran;
}

static struct ran run_line(const char *input, char *line)
{
    char *words[WORDS_MOST];
    split(line, words);
    struct ran ran = run_list(input, words);
    free(line);
    return ran;
}

struct ran run_words(const char *const *words)
{
    char *copies[WORDS_MOST];
    size_t count = 0;
    for (; words[count]; count++)
        copies[count] = xstrdup(words[count]);
    copies[count] = NULL;
    struct ran ran = run_list(NULL, copies);
    while (count > 0)
        free(copies[--count]);
    return ran;
}

__attribute__((format(printf, 1, 0))) static char *fill(const char *format, va_list args)
{
    struct buf buf = {0};
    buf_vprintf(&buf, format, args);
    return buf_take(&buf);
}

#define FILL(line, format)                                                                                             \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    char *line = fill(format, args);                                                                                   \
    va_end(args)

struct ran run(const char *format, ...)
{
    FILL(line, format);
    return run_line(NULL, line);
}

struct ran run_with(const char *input, const char *format, ...)
{
    FILL(line, format);
    return run_line(input, line);
}

pid_t run_start(int out_fd, const char *format, ...)
{
    FILL(line, format);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    char *words[WORDS_MOST];
    split(line, words);
    pid_t pid = start(words, null, out_fd >= 0 ? out_fd : null, null);
    close(null);
    free(line);
    return pid;
}

void ran_free(struct ran *ran)
{
    free(ran->out);
    free(ran->err);
    *ran = (struct ran){0};
}

void expect(int status, const char *format, ...)
{
    FILL(line, format);
    char *said = xstrdup(line);
    struct ran ran = run_line(NULL, line);
    if (ran.status != status)
        fail_msg("frontdesk %s: status %d, expected %d\n%s%s", said, ran.status, status, ran.out, ran.err);
    free(said);
    ran_free(&ran);
}

struct tree *answer(const char *format, ...)
{
    FILL(line, format);
    char *said = xprintf("%s --json", line);
    free(line);
    struct ran ran = run_line(NULL, xstrdup(said));
    if (ran.status != 0)
        fail_msg("frontdesk %s: status %d\n%s%s", said, ran.status, ran.out, ran.err);
    struct tree *tree = tree_parse(ran.out);
    if (!tree)
        fail_msg("frontdesk %s: not JSON: %s", said, ran.out);
    assert_non_null(strchr(ran.out, '\n'));
    assert_null(strchr(strchr(ran.out, '\n') + 1, '\n'));
    free(said);
    ran_free(&ran);
    return tree;
}

void expect_error(int status, const char *code, const char *format, ...)
{
    FILL(line, format);
    char *said = xprintf("%s --json", line);
    free(line);
    struct ran ran = run_line(NULL, xstrdup(said));
    struct tree *tree = tree_parse(ran.out);
    const struct tree *error = tree ? tree_get(tree, "error") : NULL;
    if (ran.status != status || !error || strcmp(tree_get_text(error, "code"), code) != 0)
        fail_msg("frontdesk %s: status %d, expected %d and %s\n%s%s", said, ran.status, status, code, ran.out, ran.err);
    assert_true(tree_is_text(error, "message") && *tree_get_text(error, "message"));
    assert_true(tree_is_text(error, "hint"));
    tree_free(&tree);
    free(said);
    ran_free(&ran);
}

void expect_harmless(const char *text, size_t bytes)
{
    assert_int_equal(strlen(text), bytes);
    for (const char *at = text, *bad; (bad = text_unclean_at(at)); at = bad + 1)
        if (*bad != '\n')
            fail_msg("byte 0x%02x at %td of: %s", (unsigned char)*bad, bad - text, text);
}

char *write_file(const char *folder, const char *name, const char *text, mode_t mode)
{
    char *file = xprintf("%s/%s", folder, name);
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return file;
}

void passwords_cheap(struct db *db)
{
    char salt[CRYPT_GENSALT_OUTPUT_SIZE];
    struct crypt_data *data = xcalloc(1, sizeof *data);
    assert_non_null(crypt_gensalt_rn("$y$", 1, "0123456789abcdef", 16, salt, sizeof salt));
    assert_non_null(crypt_rn("secret", salt, data, (int)sizeof *data));
    fixture_sql(db, "UPDATE operator_account SET password_hash = '%s' WHERE role <> 'worker'", data->output);
    free(data);
}
