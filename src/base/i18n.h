/* Translation: `_()` for what people read, `N_()` in static tables, `C_()` for
 * short labels that need a context. Log, SQL, JSON and protocol text stay English.
 */
#ifndef FD_BASE_I18N_H
#define FD_BASE_I18N_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) (text)
#define C_(context, text) i18n_context(context "\004" text, text)
/* A label with a context inside a static table; read it with i18n_label(). */
#define NC_(context, text) (context "\004" text)

/* The translation of `id` ("context\004text"), or `text` itself where there is none. Borrowed. */
const char *i18n_context(const char *id, const char *text);
/* The same for a string made by NC_(): the translation, or the part after \004. Borrowed. */
const char *i18n_label(const char *id);

/* Sets the locale (LANG unset, C or POSIX: C.UTF-8; LC_NUMERIC stays "C"), binds the catalogue
 * (build/locale beside an uninstalled program, else the installed folder). Returns false where
 * the user explicitly asks for a codeset other than UTF-8. `argv0` finds an uninstalled build. */
int i18n_start(const char *argv0);
/* Switches messages now: "zh_CN" or "en". Unknown: returns 0 and changes nothing. */
int i18n_switch(const char *language);
/* The language in force, "zh_CN" or "en". Borrowed, static. */
const char *i18n_language(void);

#endif
