/* How this terminal shows payment codes: what the configuration says, else what was chosen with b here last. Kept in
 * the user's state folder, a line for each terminal's name: what one screen cannot draw another can. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "ui/view/qr_internal.h"

static const char *const words[] = {[QR_AUTO] = "auto", [QR_HALF] = "half", [QR_FULL] = "full", [QR_PRINT] = "print"};

static const char *terminal_of(const struct console *console, char *host, size_t bytes)
{
    const char *name = config_text(console->config, CONFIG_TERMINAL);
    if (*name)
        return name;
    if (gethostname(host, bytes - 1) != 0)
        host[0] = '\0';
    host[bytes - 1] = '\0';
    return host;
}

static char *path_of(const char *end)
{
    char *folder = folder_state(), *path = xprintf("%s/qr%s", folder, end);
    free(folder);
    return path;
}

/* "half 台1" */
static bool is_line_of(const char *line, const char *terminal)
{
    const char *name = strchr(line, ' ');
    size_t bytes = strlen(terminal);
    return name && strncmp(name + 1, terminal, bytes) == 0 && (name[1 + bytes] == '\n' || name[1 + bytes] == '\0');
}

enum qr_setting qr_setting_here(const struct console *console)
{
    char host[256], line[512], word[16] = "";
    enum qr_setting set = qr_setting_named(config_text(console->config, CONFIG_QR));
    if (set != QR_AUTO)
        return set;
    const char *terminal = terminal_of(console, host, sizeof host);
    char *path = path_of("");
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (is_line_of(line, terminal))
            sscanf(line, "%15s", word);
    if (file)
        fclose(file);
    free(path);
    return qr_setting_named(word);
}

static bool copy_others(FILE *to, const char *path, const char *terminal)
{
    char line[512];
    FILE *from = fopen(path, "re");
    while (from && fgets(line, sizeof line, from))
        if (!is_line_of(line, terminal))
            fputs(line, to);
    if (from)
        fclose(from);
    return !ferror(to);
}

void qr_setting_keep(const struct console *console, enum qr_setting setting)
{
    char host[256];
    const char *terminal = terminal_of(console, host, sizeof host);
    char *path = path_of(""), *fresh = path_of(".new");
    FILE *file = fopen(fresh, "we");
    bool good = file && copy_others(file, path, terminal) && fprintf(file, "%s %s\n", words[setting], terminal) > 0;
    if (file && fclose(file) != 0)
        good = false;
    if (!good || rename(fresh, path) != 0)
        log_line(LOG_WARN, "cannot write %s: the size of payment codes is not remembered", path);
    free(fresh);
    free(path);
}
