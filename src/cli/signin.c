#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "cli/cli.h"
#include "core/operator.h"

static volatile sig_atomic_t caught;

static void catch (int number)
{
    caught = number;
}

static const int prompt_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { PROMPT_SIGNALS = sizeof prompt_signals / sizeof prompt_signals[0] };

/* Signals as they were before the prompt. */
struct before {
    struct sigaction actions[PROMPT_SIGNALS];
    sigset_t mask;
};

/* While a prompt hides the echo no signal may end the process before it is put back. They are let in only while the
 * prompt waits, so that none falls between the look at `caught` and the wait. */
static void signals_take(struct before *before)
{
    struct sigaction now = {.sa_handler = catch};
    sigset_t blocked;
    caught = 0;
    sigemptyset(&blocked);
    for (int i = 0; i < PROMPT_SIGNALS; i++)
        sigaddset(&blocked, prompt_signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before->mask);
    for (int i = 0; i < PROMPT_SIGNALS; i++)
        sigaction(prompt_signals[i], &now, &before->actions[i]);
}

static void signals_give_back(const struct before *before)
{
    for (int i = 0; i < PROMPT_SIGNALS; i++)
        sigaction(prompt_signals[i], &before->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (caught)
        raise(caught);
}

/* Reads bytes up to a newline; -1 where the terminal ends or a signal came. */
static ssize_t read_line(int fd, char *line, size_t bytes, const sigset_t *open_mask)
{
    size_t used = 0;
    while (used + 1 < bytes) {
        struct pollfd poll_fd = {fd, POLLIN, 0};
        char ch;
        if (ppoll(&poll_fd, 1, NULL, open_mask) < 0 || caught || read(fd, &ch, 1) != 1)
            return -1;
        if (ch == '\n' || ch == '\r')
            break;
        line[used++] = ch;
    }
    line[used] = '\0';
    return (ssize_t)used;
}

static enum fd_code ask(const char *prompt, bool hidden, char **answer, struct fd_error *err)
{
    char line[512];
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        fd_fail(err, FD_NO_TERMINAL, "%s", _("Nobody says who acts, and there is no terminal to ask at."));
        fd_hint(err, "%s", _("Use --operator NAME and --password-file FILE."));
        return FD_NO_TERMINAL;
    }
    struct termios normal, quiet;
    struct before before;
    bool is_set = tcgetattr(fd, &normal) == 0;
    signals_take(&before);
    quiet = normal;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    quiet.c_lflag |= ICANON | ISIG;
    if (is_set && hidden)
        tcsetattr(fd, TCSAFLUSH, &quiet);
    dprintf(fd, "%s", prompt);
    ssize_t bytes = read_line(fd, line, sizeof line, &before.mask);
    if (is_set && hidden) {
        tcsetattr(fd, TCSAFLUSH, &normal);
        dprintf(fd, "\n");
    }
    close(fd);
    signals_give_back(&before);
    if (bytes >= 0)
        *answer = xstrdup(line);
    explicit_bzero(line, sizeof line);
    return bytes >= 0 ? FD_OK : fd_fail(err, FD_CANCELLED, NULL);
}

enum fd_code cli_ask_secret(const char *prompt, char **secret, struct fd_error *err)
{
    return ask(prompt, true, secret, err);
}

enum fd_code cli_ask_line(const char *prompt, char **line, struct fd_error *err)
{
    return ask(prompt, false, line, err);
}

/* The password: --password-file, a credential that the service manager hands over, or a prompt. */
static enum fd_code find_password(const struct config *config, char **password, struct fd_error *err)
{
    const char *file = config_text(config, CONFIG_PASSWORD_FILE);
    if (*file)
        return secret_read(file, password, err);
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    if (folder && *folder) {
        char *path = xprintf("%s/frontdesk.password", folder);
        bool exists = access(path, F_OK) == 0;
        enum fd_code code = exists ? secret_read(path, password, err) : FD_NOT_FOUND;
        free(path);
        if (exists)
            return code;
    }
    return cli_ask_secret(_("Password: "), password, err);
}

enum fd_code cli_sign_in(struct desk *desk, const struct config *config, struct fd_error *err)
{
    char *name = NULL, *password = NULL;
    const char *given = config_text(config, CONFIG_OPERATOR);
    enum fd_code code = FD_OK;
    if (*given)
        name = xstrdup(given);
    else
        code = cli_ask_line(_("Operator: "), &name, err);
    if (code == FD_OK)
        code = find_password(config, &password, err);
    if (code == FD_OK)
        code = operator_sign_in(desk, name, password, err);
    if (password)
        explicit_bzero(password, strlen(password));
    free(password);
    free(name);
    return code;
}
