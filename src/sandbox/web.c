#include "sandbox/web.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/when.h"

#define BEIJING_S (8 * 3600)

void answer_header(struct answer *answer, const char *name, const char *format, ...)
{
    struct buf value = {0};
    va_list args;
    FD_ASSERT(answer->header_count < ANSWER_HEADERS);
    va_start(args, format);
    buf_vprintf(&value, format, args);
    va_end(args);
    answer->headers[answer->header_count++] = (struct answer_header){name, buf_take(&value)};
}

void answer_body(struct answer *answer, int status, const char *type, char *text)
{
    free(answer->body);
    answer->status = status;
    answer->type = type;
    answer->body = text;
}

void answer_tree(struct answer *answer, int status, struct tree *tree)
{
    answer_body(answer, status, "application/json; charset=utf-8", tree_dump(tree));
    tree_free(&tree);
}

void answer_strike(struct answer *answer, const struct strike *strike)
{
    answer->lost = strike->on[FAULT_LOST];
    answer->gzip = strike->on[FAULT_GZIP];
    if (strike->on[FAULT_SILENT])
        answer->silent_ms = strike->ms ? strike->ms : 60000;
    if (strike->on[FAULT_SLOW])
        answer->slow_ms = strike->ms ? strike->ms : 3000;
    if (strike->on[FAULT_EMPTY])
        answer_body(answer, 404, NULL, NULL);
}

void answer_release(struct answer *answer)
{
    free(answer->body);
    for (size_t i = 0; i < answer->header_count; i++)
        free(answer->headers[i].value);
    *answer = (struct answer){0};
}

/* One stored block; what is missing are its last bytes, the checksum and the length. */
void gzip_broken(const char *text, struct buf *out)
{
    size_t length = strlen(text) & 0xffff;
    const unsigned char head[] = {0x1f,
                                  0x8b,
                                  8,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  0,
                                  3,
                                  1,
                                  (unsigned char)length,
                                  (unsigned char)(length >> 8),
                                  (unsigned char)~length,
                                  (unsigned char)(~length >> 8)};
    buf_add_bytes(out, (const char *)head, sizeof head);
    buf_add_bytes(out, text, length / 2);
}

/* ---- forms ---- */

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool percent_decode(const char *text, size_t length, char *out, size_t out_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%') {
            int high = i + 2 < length ? hex_of(text[i + 1]) : -1;
            int low = high >= 0 ? hex_of(text[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (used + 1 >= out_bytes || c == '\0')
            return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

char *percent_encode(const char *text)
{
    struct buf out = {0};
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (isalnum(c) || strchr("-._~", c))
            buf_add_bytes(&out, text, 1);
        else
            buf_printf(&out, "%%%02X", c);
    }
    return buf_take(&out);
}

static char *decoded(const char *text, size_t length)
{
    char *out = xmalloc(length + 1);
    if (!percent_decode(text, length, out, length + 1))
        out[0] = '\0';
    return out;
}

void form_read(struct form *form, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "&"), name = strcspn(text, "=&");
        if (name < length) {
            form->fields = xrealloc(form->fields, form->count + 1, sizeof *form->fields);
            form->fields[form->count++] =
                (struct form_field){decoded(text, name), decoded(text + name + 1, length - name - 1)};
        }
        text += length + (text[length] == '&');
    }
}

const char *form_get(const struct form *form, const char *name)
{
    for (size_t i = 0; i < form->count; i++)
        if (strcmp(form->fields[i].name, name) == 0)
            return form->fields[i].value;
    return "";
}

static int compare_fields(const void *a, const void *b)
{
    const struct form_field *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

char *form_signed_text(struct form *form, const char *const *without)
{
    struct buf text = {0};
    if (form->count)
        qsort(form->fields, form->count, sizeof *form->fields, compare_fields);
    for (size_t i = 0; i < form->count; i++) {
        const struct form_field *field = &form->fields[i];
        if (*field->value && !is_among(field->name, without))
            buf_printf(&text, "%s%s=%s", text.bytes ? "&" : "", field->name, field->value);
    }
    return buf_take(&text);
}

void form_release(struct form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        free(form->fields[i].name);
        free(form->fields[i].value);
    }
    free(form->fields);
    *form = (struct form){0};
}

/* ---- times and texts ---- */

bool time_from_beijing(const char *text, int64_t *at)
{
    wall_t wall;
    if (strlen(text) != 19 || !wall_from_sql(text, &wall))
        return false;
    *at = wall - BEIJING_S;
    return true;
}

bool time_from_rfc3339(const char *text, int64_t *at)
{
    char copy[20];
    wall_t wall;
    if (strlen(text) < 20 || text[10] != 'T')
        return false;
    memcpy(copy, text, 19);
    copy[10] = ' ';
    copy[19] = '\0';
    const char *zone = text + 19;
    int minutes = 0;
    if (strcmp(zone, "Z") != 0) {
        if (strlen(zone) != 6 || !strchr("+-", zone[0]) || zone[3] != ':' || strspn(zone + 1, "0123456789") != 2 ||
            strspn(zone + 4, "0123456789") != 2)
            return false;
        minutes = (zone[1] - '0') * 600 + (zone[2] - '0') * 60 + (zone[4] - '0') * 10 + zone[5] - '0';
    }
    if (!wall_from_sql(copy, &wall))
        return false;
    *at = wall - (zone[0] == '-' ? -minutes : minutes) * 60;
    return true;
}

const char *time_beijing(int64_t at, char text[TIME_TEXT])
{
    return wall_sql(at + BEIJING_S, text);
}

const char *time_rfc3339(int64_t at, char text[TIME_TEXT])
{
    wall_sql(at + BEIJING_S, text);
    text[10] = 'T';
    memcpy(text + 19, "+08:00", 7);
    return text;
}

size_t letters_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

bool has_only(const char *text, const char *extra)
{
    bool good = *text != '\0';
    for (; good && *text; text++)
        good = (isascii((unsigned char)*text) && isalnum((unsigned char)*text)) || strchr(extra, *text);
    return good;
}

bool json_has_null(const char *text)
{
    bool inside = false;
    for (; *text; text++) {
        if (inside && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            inside = !inside;
        else if (!inside && strncmp(text, "null", 4) == 0)
            return true;
    }
    return false;
}
