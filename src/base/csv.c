#include "base/csv.h"

#include <string.h>

/* What makes a spreadsheet calculate: in ASCII, in full width, and the blanks that it skips before looking. */
static bool is_formula(const char *text)
{
    static const char *const begins[] = {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"};
    text += strspn(text, " ");
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

void csv_cell(struct buf *out, const char *text, bool plain)
{
    bool inert = !plain && is_formula(text);
    bool quoted = inert || strpbrk(text, ",\"\r\n") || text[0] == ' ' || (text[0] && text[strlen(text) - 1] == ' ');
    if (out->bytes && out->text[out->bytes - 1] != '\n')
        buf_add(out, ",");
    else if (!*text)
        quoted = true; /* so that a line of empty cells begins with something, and the comma of the next one comes */
    buf_add(out, quoted ? "\"" : "");
    buf_add(out, inert ? "'" : "");
    for (; *text; text++) {
        buf_add(out, *text == '"' ? "\"" : "");
        buf_add_bytes(out, text, 1);
    }
    buf_add(out, quoted ? "\"" : "");
}

void csv_end(struct buf *out)
{
    buf_add(out, "\r\n");
}
