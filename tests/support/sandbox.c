#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

#define WORDS_MOST 24

static const char *program(void)
{
    static char path[PATH_MAX];
    const char *given = getenv("FD_SANDBOX");
    if (!path[0] && !realpath(given ? given : "./frontdesk-sandbox", path)) {
        perror("frontdesk-sandbox");
        exit(99);
    }
    return path;
}

static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Its standard output is the pipe; *out reads it. */
static pid_t spawn(const char *const *words, int *out)
{
    int pipes[2];
    pid_t parent = getpid();
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        perror("pipe");
        exit(99);
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(126);
        dup2(pipes[1], STDOUT_FILENO);
        execv(program(), (char *const *)(uintptr_t)words);
        _exit(126);
    }
    close(pipes[1]);
    *out = pipes[0];
    return pid;
}

static char *read_to_end(int fd)
{
    struct buf text = {0};
    char bytes[4096];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            buf_add_bytes(&text, bytes, (size_t)got);
    close(fd);
    return buf_take(&text);
}

void sandbox_start(struct sandbox *sandbox, const char *folder, const char *const *options)
{
    const char *words[WORDS_MOST] = {program(), "--folder", folder, "serve"};
    char line[200] = "";
    int out;
    for (size_t i = 0; options && options[i]; i++)
        words[4 + i] = options[i];
    pid_t pid = spawn(words, &out);
    FILE *stream = fdopen(out, "r");
    if (!stream || !fgets(line, sizeof line, stream) || sscanf(line, "http://127.0.0.1:%d", &sandbox->port) != 1) {
        fprintf(stderr, "sandbox: it does not serve in %s: %s\n", folder, line);
        exit(99);
    }
    fclose(stream);
    sandbox->pid = pid;
    sandbox->folder = xstrdup(folder);
    sandbox->channels = xprintf("%s/channels.conf", folder);
}

static void end(struct sandbox *sandbox, int number)
{
    if (!sandbox->pid)
        return;
    kill(sandbox->pid, number);
    int status = wait_for(sandbox->pid);
    free(sandbox->folder);
    free(sandbox->channels);
    *sandbox = (struct sandbox){0};
    if (number == SIGTERM)
        assert_int_equal(status, 0);
}

void sandbox_stop(struct sandbox *sandbox)
{
    end(sandbox, SIGTERM);
}

void sandbox_kill(struct sandbox *sandbox)
{
    end(sandbox, SIGKILL);
}

static struct tree *ask(const struct sandbox *sandbox, int *status, char *line)
{
    const char *words[WORDS_MOST] = {program(), "--folder", sandbox->folder, "--json"};
    size_t count = 4;
    int out;
    char *place = NULL;
    for (char *word = strtok_r(line, " ", &place); word && count < WORDS_MOST - 1; word = strtok_r(NULL, " ", &place))
        words[count++] = word;
    pid_t pid = spawn(words, &out);
    char *text = read_to_end(out);
    *status = wait_for(pid);
    struct tree *answer = tree_parse(text);
    free(text);
    return answer;
}

#define FILL(line, format)                                                                                             \
    struct buf line = {0};                                                                                             \
    va_list args;                                                                                                      \
    va_start(args, format);                                                                                            \
    buf_vprintf(&line, format, args);                                                                                  \
    va_end(args)

struct tree *sandbox_try(const struct sandbox *sandbox, int *status, const char *format, ...)
{
    FILL(line, format);
    struct tree *answer = ask(sandbox, status, line.text);
    buf_release(&line);
    return answer;
}

static struct tree *must_tell(const struct sandbox *sandbox, struct buf *line)
{
    int status;
    char *copy = xstrdup(line->text);
    struct tree *answer = ask(sandbox, &status, line->text);
    if (status != 0)
        fail_msg("frontdesk-sandbox %s: status %d", copy, status);
    free(copy);
    buf_release(line);
    return answer;
}

struct tree *sandbox_tell(const struct sandbox *sandbox, const char *format, ...)
{
    FILL(line, format);
    return must_tell(sandbox, &line);
}

void sandbox_do(const struct sandbox *sandbox, const char *format, ...)
{
    FILL(line, format);
    struct tree *answer = must_tell(sandbox, &line);
    tree_free(&answer);
}
