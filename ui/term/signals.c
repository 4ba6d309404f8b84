#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "base/error.h"
#include "base/fault.h"
#include "ui/term/term_internal.h"

#define STUCK_S 2 /* seconds from SIGTERM until the process ends even if the terminal takes no bytes */

static const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
static const int noted[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGALRM, SIGPIPE};
#define FATALS (sizeof fatal / sizeof fatal[0])
#define NOTED  (sizeof noted / sizeof noted[0])

static struct sigaction fatal_before[FATALS], noted_before[NOTED];
static int note_pipe[2] = {-1, -1};
static char alternate_stack[65536];

static struct {
    volatile sig_atomic_t armed;
    char bytes[512];
    size_t count;
    struct termios settings;
    bool has_settings;
} restore;

void restore_arm(const char *bytes, size_t count) {
    restore.armed = 0;
    restore.count = count < sizeof restore.bytes ? count : sizeof restore.bytes;
    memcpy(restore.bytes, bytes, restore.count);
    if (!restore.has_settings)
        restore.has_settings = tcgetattr(STDIN_FILENO, &restore.settings) == 0;
    restore.armed = 1;
}

void restore_disarm(void) {
    restore.armed = 0;
    restore.has_settings = false;
}

void restore_now(void) {
    if (!restore.armed)
        return;
    restore.armed = 0;
    /* a terminal that takes no bytes must not keep a dying process */
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
    for (size_t at = 0; at < restore.count;) {
        ssize_t done = write(STDOUT_FILENO, restore.bytes + at, restore.count - at);
        if (done <= 0)
            break;
        at += (size_t)done;
    }
    fcntl(STDOUT_FILENO, F_SETFL, flags);
    if (restore.has_settings)
        tcsetattr(STDIN_FILENO, TCSANOW, &restore.settings);
}

void signals_note(enum signal_note note) {
    int before = errno;
    char byte = (char)note;
    if (note_pipe[1] >= 0 && write(note_pipe[1], &byte, 1) < 0)
        byte = 0; /* full: notes of every kind wait there already */
    errno = before;
}

static void on_noted(int signal_number) {
    switch (signal_number) {
    case SIGWINCH:
        signals_note(NOTE_RESIZE);
        break;
    case SIGTSTP:
        signals_note(NOTE_STOP);
        break;
    case SIGCONT:
        signals_note(NOTE_CONTINUE);
        break;
    case SIGALRM: /* asked to leave, and still here: the terminal blocks us */
        restore_now();
        _exit(128 + SIGTERM);
    default:
        signals_note(NOTE_EXIT);
        alarm(STUCK_S);
    }
}

static void on_fatal(int signal_number) {
    restore_now();
    for (size_t i = 0; i < FATALS; i++)
        if (fatal[i] == signal_number)
            sigaction(signal_number, &fatal_before[i], NULL);
    raise(signal_number);
}

static void open_pipe(void) {
    if (pipe2(note_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        FD_BUG("no pipe for signals: %s", strerror(errno));
}

int signals_start(void) {
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    struct sigaction action = {.sa_handler = on_noted};
    open_pipe();
    sigaltstack(&stack, NULL);
    sigfillset(&action.sa_mask);
    /* no SA_RESTART: a write to a stuck terminal has to come back */
    for (size_t i = 0; i < NOTED; i++) {
        bool ignored = noted[i] == SIGPIPE || (noted[i] == SIGHUP && FD_TOOTH("hang_up"));
        action.sa_handler = ignored ? SIG_IGN : on_noted;
        sigaction(noted[i], &action, &noted_before[i]);
    }
    action.sa_handler = on_fatal;
    action.sa_flags = SA_ONSTACK;
    for (size_t i = 0; i < FATALS; i++)
        sigaction(fatal[i], &action, &fatal_before[i]);
    return note_pipe[0];
}

void signals_stop(void) {
    alarm(0);
    for (size_t i = 0; i < NOTED; i++)
        sigaction(noted[i], &noted_before[i], NULL);
    for (size_t i = 0; i < FATALS; i++)
        sigaction(fatal[i], &fatal_before[i], NULL);
    close(note_pipe[0]);
    close(note_pipe[1]);
    note_pipe[0] = note_pipe[1] = -1;
}

bool signals_take(bool *wake, bool *resize, bool *leave, bool *stop, bool *resumed) {
    char bytes[256];
    ssize_t count;
    bool any = false;
    while ((count = read(note_pipe[0], bytes, sizeof bytes)) > 0) {
        any = true;
        *wake |= memchr(bytes, NOTE_WAKE, (size_t)count) != NULL;
        *resize |= memchr(bytes, NOTE_RESIZE, (size_t)count) != NULL;
        *leave |= memchr(bytes, NOTE_EXIT, (size_t)count) != NULL;
        *stop |= memchr(bytes, NOTE_STOP, (size_t)count) != NULL;
        *resumed |= memchr(bytes, NOTE_CONTINUE, (size_t)count) != NULL;
    }
    return any;
}

void signals_stop_self(void) {
    struct sigaction plain = {.sa_handler = SIG_DFL}, ours;
    sigset_t set;
    sigaction(SIGTSTP, &plain, &ours);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    kill(0, SIGTSTP); /* the whole job, as the terminal's own Ctrl-Z would */
    sigaction(SIGTSTP, &ours, NULL);
}
