#include "base/i18n.h"

#include <langinfo.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define DOMAIN "frontdesk"
/* A domain without a catalogue: its messages are the msgids. Switching the domain, unlike setting
 * LANGUAGE, is safe while other threads translate. */
#define DOMAIN_ENGLISH  "frontdesk-en"
#define CATALOGUE_BELOW "zh_CN/LC_MESSAGES/" DOMAIN ".mo"

static atomic_int chinese;

/* A label that no catalogue has is looked for in the files again each time: English is not looked up. */
const char *i18n_context(const char *id, const char *text)
{
    if (!atomic_load_explicit(&chinese, memory_order_relaxed))
        return text;
    const char *translation = gettext(id);
    return translation == id ? text : translation;
}

const char *i18n_label(const char *id)
{
    const char *separator = strchr(id, '\004');
    return i18n_context(id, separator ? separator + 1 : id);
}

/* The first of the variables that is set and not empty. */
static const char *first_set(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && value[0])
            return value;
    }
    return "";
}

/* True where the locale's name carries a codeset and that is not UTF-8 ("zh_CN.GB18030"). */
static int names_other_codeset(const char *locale)
{
    const char *codeset = strchr(locale, '.');
    if (!codeset)
        return 0;
    char name[16];
    size_t bytes = strcspn(codeset + 1, "@");
    if (bytes >= sizeof name)
        return 1;
    memcpy(name, codeset + 1, bytes);
    name[bytes] = '\0';
    return !text_same(name, "UTF-8") && !text_same(name, "utf8");
}

/* The locale of the user where it exists and writes UTF-8, else C.UTF-8. */
static int locale_start(void)
{
    const char *wanted = first_set((const char *const[]){"LC_ALL", "LC_CTYPE", "LANG", NULL});
    int accepted = !names_other_codeset(wanted);
    int plain = !wanted[0] || !strcmp(wanted, "C") || !strcmp(wanted, "POSIX");
    if (plain || !accepted || !setlocale(LC_ALL, "") || !text_same(nl_langinfo(CODESET), "UTF-8"))
        if (!setlocale(LC_ALL, "C.UTF-8"))
            setlocale(LC_ALL, "en_US.UTF-8");
    /* gettext translates nothing while LC_MESSAGES is plain "C". */
    const char *messages = setlocale(LC_MESSAGES, NULL);
    if (messages && (!strcmp(messages, "C") || !strcmp(messages, "POSIX")))
        setlocale(LC_MESSAGES, "C.UTF-8");
    setlocale(LC_NUMERIC, "C");
    return accepted;
}

/* Folder of the running program, without its last `up` parts; xmalloc'ed. */
static char *program_folder(const char *argv0, int up)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0)
        path[length] = '\0';
    else
        cut_copy(path, sizeof path, argv0 && strchr(argv0, '/') ? argv0 : "./" DOMAIN);
    for (int i = 0; i <= up; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return xstrdup(".");
        *slash = '\0';
    }
    return xstrdup(path);
}

/* Beside an uninstalled program, or up to three folders higher for the tests of a build. */
static char *catalogue_folder(const char *argv0)
{
    for (int up = 0; up <= 3; up++) {
        char *folder = program_folder(argv0, up);
        char *locale = xprintf("%s/locale", folder);
        char *catalogue = xprintf("%s/%s", locale, CATALOGUE_BELOW);
        int found = access(catalogue, R_OK) == 0;
        free(folder);
        free(catalogue);
        if (found)
            return locale;
        free(locale);
    }
    return xstrdup(FD_LOCALEDIR);
}

int i18n_start(const char *argv0)
{
    /* LANGUAGE is a list; its first entry is what the user likes best. */
    const char *wanted = first_set((const char *const[]){"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG", NULL});
    int starts_chinese = !strncmp(wanted, "zh", 2);
    int accepted = locale_start();
    char *folder = catalogue_folder(argv0);
    bindtextdomain(DOMAIN, folder);
    free(folder);
    bind_textdomain_codeset(DOMAIN, "UTF-8");
    /* From here on only our domain decides; see DOMAIN_ENGLISH. */
    setenv("LANGUAGE", "zh_CN", 1);
    i18n_switch(starts_chinese ? "zh_CN" : "en");
    return accepted;
}

int i18n_switch(const char *language)
{
    int to_chinese = !strcmp(language, "zh_CN");
    if (!to_chinese && strcmp(language, "en") != 0)
        return 0;
    textdomain(to_chinese ? DOMAIN : DOMAIN_ENGLISH);
    atomic_store(&chinese, to_chinese);
    return 1;
}

const char *i18n_language(void)
{
    return atomic_load(&chinese) ? "zh_CN" : "en";
}
