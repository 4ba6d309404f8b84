/* Alipay's texts: parameters in both spellings, and the bytes of an answer that its signature stands for. */
#include <stdlib.h>
#include <string.h>

#include "outside/alipay_internal.h"

/* ---- parameters ---- */

void params_release(struct params *params)
{
    arena_release(&params->arena);
    params->count = 0;
}

const char *params_get(const struct params *params, const char *name)
{
    for (size_t i = 0; i < params->count; i++)
        if (strcmp(params->pair[i].name, name) == 0)
            return params->pair[i].value;
    return NULL;
}

bool params_add(struct params *params, const char *name, const char *value)
{
    if (params->count == PARAMS_MOST || !name[0] || params_get(params, name))
        return false;
    params->pair[params->count++] =
        (struct param_pair){.name = arena_str(&params->arena, name), .value = arena_str(&params->arena, value)};
    return true;
}

static int hex_digit(char ch)
{
    return ch >= '0' && ch <= '9'   ? ch - '0'
           : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
           : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                                    : -1;
}

/* NULL where an escape is none or means a NUL. */
static char *decoded(struct arena *arena, const char *text, size_t length)
{
    char *out = arena_alloc(arena, length + 1), *at = out;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '%') {
            *at++ = text[i] == '+' ? ' ' : text[i];
            continue;
        }
        int high = length - i > 2 ? hex_digit(text[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(text[i + 2]);
        if (low < 0 || !(high | low))
            return NULL;
        *at++ = (char)(high << 4 | low);
        i += 2;
    }
    return out;
}

bool params_from_form(const char *form, struct params *params)
{
    for (const char *at = form; *at;) {
        size_t length = strcspn(at, "&"), name_bytes = strcspn(at, "=&");
        if (name_bytes == length)
            return false;
        const char *name = decoded(&params->arena, at, name_bytes);
        const char *value = decoded(&params->arena, at + name_bytes + 1, length - name_bytes - 1);
        if (!name || !value || !params_add(params, name, value))
            return false;
        at += length + (at[length] == '&');
    }
    return params->count > 0;
}

static void add_encoded(struct buf *buf, const char *text)
{
    for (; *text; text++) {
        if (is_number_of((char[]){*text, 0}, "-_.~", 1))
            buf_add_bytes(buf, text, 1);
        else
            buf_printf(buf, "%%%02X", (unsigned char)*text);
    }
}

char *params_form(const struct params *params, const char *name, bool but)
{
    struct buf buf = {0};
    for (size_t i = 0; i < params->count; i++) {
        if ((strcmp(params->pair[i].name, name) == 0) == but)
            continue;
        buf_add(&buf, buf.bytes ? "&" : "");
        add_encoded(&buf, params->pair[i].name);
        buf_add(&buf, "=");
        add_encoded(&buf, params->pair[i].value);
    }
    return buf_take(&buf);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct param_pair *)a)->name, ((const struct param_pair *)b)->name);
}

char *params_text(const struct params *params, const char *out1, const char *out2)
{
    struct param_pair sorted[PARAMS_MOST];
    struct buf buf = {0};
    memcpy(sorted, params->pair, params->count * sizeof *sorted);
    qsort(sorted, params->count, sizeof *sorted, by_name);
    for (size_t i = 0; i < params->count; i++) {
        if (!sorted[i].value[0] || (out1 && !strcmp(sorted[i].name, out1)) || (out2 && !strcmp(sorted[i].name, out2)))
            continue;
        buf_printf(&buf, "%s%s=%s", buf.bytes ? "&" : "", sorted[i].name, sorted[i].value);
    }
    return buf_take(&buf);
}

/* ---- raw JSON ---- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind the string that begins at `at`; NULL where it does not end. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && !*++at)
            return NULL;
    return *at ? at + 1 : NULL;
}

/* Behind the value: brackets are counted, strings are passed over. What is inside is for the JSON reader to refuse. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            if (!at)
                return NULL;
            continue;
        }
        if (!*at)
            return NULL;
        if (depth == 0 && strchr(",}]", *at))
            return at;
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth || !strchr(",}] \t\r\n", *at));
    return at;
}

bool json_raw_member(const char *text, const char *key, const char **value, size_t *bytes)
{
    size_t found = 0;
    const char *at = skip_blanks(text);
    if (*at != '{')
        return false;
    for (at = skip_blanks(at + 1); *at == '"'; at = skip_blanks(at + 1)) {
        const char *name = at + 1, *after = skip_string(at);
        if (!after)
            return false;
        size_t name_bytes = (size_t)(after - name) - 1;
        at = skip_blanks(after);
        if (*at != ':')
            return false;
        const char *begin = skip_blanks(at + 1), *end = skip_value(begin);
        if (!end)
            return false;
        if (name_bytes == strlen(key) && !memcmp(name, key, name_bytes)) {
            *value = begin;
            *bytes = (size_t)(end - begin);
            found++;
        }
        at = skip_blanks(end);
        if (*at != ',')
            break;
    }
    return *at == '}' && !*skip_blanks(at + 1) && found == 1;
}
