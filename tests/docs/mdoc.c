#include "docs/mdoc.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void put_character(const char **at)
{
    /* Beyond ASCII these are the only characters of the program's English texts. */
    static const struct {
        const char *text, *roff;
    } written[] = {
        {"…", "..."}, {"“", "\\(lq"}, {"”", "\\(rq"}, {"–", "\\(en"}, {"\\", "\\e"}, {"\"", "\\(dq"},
    };
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        size_t bytes = strlen(written[i].text);
        if (strncmp(*at, written[i].text, bytes) == 0) {
            fputs(written[i].roff, stdout);
            *at += bytes;
            return;
        }
    }
    putchar(*(*at)++);
}

/* A full stop, a blank and a capital: a sentence ends here. */
static bool ends_sentence(const char *at)
{
    return at[0] == '.' && at[1] == ' ' && isupper((unsigned char)at[2]);
}

void mdoc_text(const char *text)
{
    bool begins = true;
    for (const char *at = text; *at;) {
        if (begins && (*at == '.' || *at == '\''))
            fputs("\\&", stdout);
        begins = *at == '\n';
        if (ends_sentence(at)) {
            fputs(".\n", stdout);
            at += 2;
            begins = true;
            continue;
        }
        put_character(&at);
    }
    putchar('\n');
}

void mdoc_sentence(const char *text)
{
    char sentence[512];
    size_t bytes = (size_t)snprintf(sentence, sizeof sentence - 1, "%s", text);
    if (bytes == 0 || bytes >= sizeof sentence - 1)
        return;
    /* Names such as zh_CN stay as they are. */
    if (!memchr(sentence, '_', strcspn(sentence, " ")))
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
    if (!strchr(".?!", sentence[bytes - 1]))
        strcpy(sentence + bytes, ".");
    mdoc_text(sentence);
}

void mdoc_item(const char *text)
{
    /* No word may be taken for a macro or a delimiter. */
    fputs(".It \\&", stdout);
    while (*text) {
        bool is_blank = *text == ' ';
        put_character(&text);
        if (is_blank)
            fputs("\\&", stdout);
    }
    putchar('\n');
}
