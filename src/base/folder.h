/* The user's folders, below config.h: where the environment and the password file point to. */
#ifndef FD_BASE_FOLDER_H
#define FD_BASE_FOLDER_H

/* $variable/frontdesk where the variable is an absolute path, else home/fallback/frontdesk; not
 * made. HOME unset: the home of the passwd entry. xmalloc'ed. */
char *folder_of(const char *variable, const char *fallback);

#endif
