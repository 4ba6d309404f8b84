/* terminfo. Apart from term.c, because the header of terminfo has a `struct term` of its own. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#include <unistd.h>
#include "ui/term/term_internal.h"

bool capability_load(void) {
    int status = 0;
    return setupterm(NULL, STDOUT_FILENO, &status) == OK;
}

void capability_unload(void) {
    del_curterm(cur_term);
}

const char *capability(const char *name) {
    const char *text = tigetstr(name);
    return text == NULL || text == (const char *)-1 ? "" : text;
}

bool capability_flag(const char *name) {
    return tigetflag(name) == 1;
}
