#include "ui/term/key.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"

static const char *const key_names[] = {
#define X(id, name) name,
    KEY_TABLE(X)
#undef X
};

#define KEY_NAMES (sizeof key_names / sizeof key_names[0])

bool key_is_text(uint32_t key) {
    return !(key & (K_ALT | K_CTRL)) && (key & K_BASE) >= 0x20 && (key & K_BASE) < K_FIRST_NAMED;
}

struct input input_key(uint32_t key) {
    struct input input = {.kind = INPUT_KEY, .key = key};
    if (key_is_text(key))
        input.text[text_encode(key & K_BASE, input.text)] = '\0';
    return input;
}

const char *key_label(uint32_t key, char *name, size_t bytes) {
    char base[8];
    uint32_t code = key & K_BASE;
    const char *text = base;
    if (code > K_FIRST_NAMED && code < K_NAMED_END)
        text = key_names[code - K_FIRST_NAMED - 1];
    else if (code == ' ')
        text = "Space";
    else
        base[text_encode(code, base)] = '\0';
    snprintf(name, bytes, "%s%s%s%s", key & K_CTRL ? "C-" : "", key & K_ALT ? "M-" : "", key & K_SHIFT ? "S-" : "", text);
    return name;
}

static uint32_t base_from_name(const char *name) {
    const char *rest = name;
    uint32_t ch;
    for (size_t i = 0; i < KEY_NAMES; i++)
        if (strcasecmp(name, key_names[i]) == 0)
            return K_FIRST_NAMED + 1 + (uint32_t)i;
    if (strcasecmp(name, "Space") == 0)
        return ' ';
    ch = text_next(&rest);
    return ch >= 0x20 && *rest == '\0' ? ch : K_NONE;
}

uint32_t key_from_name(const char *name) {
    uint32_t modifiers = 0, base;
    if (strcasecmp(name, "S-Tab") == 0)
        return K_BACKTAB;
    while (name[0] && name[1] == '-' && name[2]) {
        if (name[0] == 'C')
            modifiers |= K_CTRL;
        else if (name[0] == 'M')
            modifiers |= K_ALT;
        else if (name[0] == 'S')
            modifiers |= K_SHIFT;
        else
            return K_NONE;
        name += 2;
    }
    base = base_from_name(name);
    return base == K_NONE ? K_NONE : base | modifiers;
}
