/* One invocation: words into values, values into types. Every refusal names the parameter as it was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/action.h"

#define IDS_MOST    1000
#define VALUES_MOST (sizeof((struct call *)0)->values / sizeof(const char *))

static size_t param_count(const struct action *action)
{
    size_t count = 0;
    while (action->params && action->params[count].name)
        count++;
    FD_ASSERT(count <= VALUES_MOST);
    return count;
}

/* "--tendered", or the upper-case word of a positional one. */
static const char *param_shown(const struct action_param *param, char out[64])
{
    if (!(param->flags & P_POSITIONAL)) {
        fit_printf_at(out, 64, "--%s", param->name);
        return out;
    }
    size_t i = 0;
    for (; param->name[i] && i < 63; i++)
        out[i] = (char)(param->name[i] >= 'a' && param->name[i] <= 'z' ? param->name[i] - 'a' + 'A' : param->name[i]);
    out[i] = '\0';
    return out;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; length > 0 && at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

static enum fd_code int_value(const char *text, const char *shown, int64_t *value, struct fd_error *err)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    char *end = NULL;
    errno = 0;
    long long number = text_is_digits(digits) && digits[0] ? strtoll(text, &end, 10) : 0;
    if (!end || *end || errno)
        return fd_fail(err, FD_BAD_INPUT, _("%s must be a whole number."), shown);
    *value = number;
    return FD_OK;
}

static enum fd_code ids_value(const char *text, const char *shown, int64_t *ids, size_t *count, struct fd_error *err)
{
    size_t found = 0;
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        long long id = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        if (id <= 0 || errno || (*end && *end != ','))
            return fd_fail(err, FD_BAD_INPUT, _("%s must be numbers with commas between them, like 1024,1025."), shown);
        if (found >= IDS_MOST)
            return fd_fail(err, FD_BAD_INPUT, _("%s has more than %d numbers."), shown, IDS_MOST);
        if (ids)
            ids[found] = id;
        found++;
        at = end;
        if (!*at)
            break;
    }
    *count = found;
    return FD_OK;
}

/* Refused here, so that a `:` line can point at the word; kept as text for the accessors. */
static enum fd_code check_value(struct call *call, const struct action_param *param, const char **value,
                                struct fd_error *err)
{
    struct fd_error why = {0};
    char shown[64], phone[PHONE_BYTES];
    int64_t number;
    size_t count;
    day_t day;
    int from, to;
    param_shown(param, shown);
    /* A script's variable that was never set must not widen what is asked for. */
    if (!**value && param->type != P_SWITCH && !(param->flags & P_EMPTY))
        return fd_fail(err, FD_BAD_INPUT, _("%s must not be empty."), shown);
    switch (param->type) {
    case P_INT:
        return int_value(*value, shown, &number, err);
    case P_MONEY:
        return fen_parse(*value, shown, &number, err);
    case P_DATE:
        return call->today == DAY_NONE ? FD_OK : day_parse(*value, shown, call->today, &day, err);
    case P_TIME:
        return minute_parse(*value, shown, &from, err);
    case P_SPAN:
        return span_parse(*value, shown, &from, &to, err);
    case P_IDS:
        return ids_value(*value, shown, NULL, &count, err);
    case P_CHOICE:
        if (is_choice(param->choices, *value))
            return FD_OK;
        return fd_fail(err, FD_BAD_INPUT, _("%s must be one of %s."), shown, param->choices);
    case P_PHONE:
        if (phone_normalise(*value, phone, &why) != FD_OK)
            return fd_fail(err, FD_BAD_INPUT, "%s: %s", shown, why.message);
        *value = arena_str(&call->arena, phone);
        return FD_OK;
    case P_TEXT:
    case P_SWITCH:
        break;
    }
    return FD_OK;
}

struct parse {
    struct call *call;
    int count;
    char *const *words;
    int at;            /* word under the cursor */
    size_t next_place; /* next positional parameter */
    bool flags_over;   /* after -- */
};

static enum fd_code bad_word(const char *word, const char *format, struct fd_error *err)
{
    char clean[128];
    text_clean(clean, sizeof clean, word);
    /* `format` comes from the few calls below, each with one %s. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return fd_fail(err, FD_USAGE, format, clean);
#pragma GCC diagnostic pop
}

static enum fd_code store(struct parse *parse, size_t index, const char *value, struct fd_error *err)
{
    struct call *call = parse->call;
    const struct action_param *param = &call->action->params[index];
    char shown[64];
    if (call->values[index])
        return bad_word(param_shown(param, shown), _("%s is given twice."), err);
    enum fd_code code = check_value(call, param, &value, err);
    if (code == FD_OK)
        call->values[index] = value;
    return code;
}

/* --key, --reason and --json are every action's own. */
static const char **common_flag(struct parse *parse, const char *name, size_t length)
{
    struct call *call = parse->call;
    if (!(call->action->flags & A_WRITE))
        return NULL;
    if (length == 3 && strncmp(name, "key", 3) == 0)
        return &call->key;
    if (length == 6 && strncmp(name, "reason", 6) == 0)
        return &call->reason;
    return NULL;
}

static bool same_name(const char *name, size_t length, const char *flag)
{
    return strlen(name) == length && strncmp(name, flag, length) == 0;
}

/* The value of a flag: behind "=", else the next word whatever it looks like. */
static enum fd_code flag_value(struct parse *parse, const char *equals, const char **value, struct fd_error *err)
{
    if (equals) {
        *value = equals + 1;
        return FD_OK;
    }
    if (parse->at + 1 >= parse->count)
        return bad_word(parse->words[parse->at], _("%s needs a value."), err);
    *value = parse->words[++parse->at];
    return FD_OK;
}

static enum fd_code take_flag(struct parse *parse, struct fd_error *err)
{
    struct call *call = parse->call;
    const char *word = parse->words[parse->at], *flag = word + 2, *equals = strchr(flag, '='), *value = NULL;
    size_t length = equals ? (size_t)(equals - flag) : strlen(flag);
    const struct action_param *params = call->action->params;
    if (same_name("json", length, flag) && !equals) {
        call->json = true;
        return FD_OK;
    }
    for (size_t i = 0; params && params[i].name; i++) {
        if ((params[i].flags & P_POSITIONAL) || !same_name(params[i].name, length, flag))
            continue;
        if (params[i].type == P_SWITCH)
            return equals ? bad_word(word, _("%s takes no value."), err) : store(parse, i, "", err);
        enum fd_code code = flag_value(parse, equals, &value, err);
        return code == FD_OK ? store(parse, i, value, err) : code;
    }
    const char **common = common_flag(parse, flag, length);
    if (!common)
        return bad_word(word, _("There is no %s here."), err);
    if (*common)
        return bad_word(word, _("%s is given twice."), err);
    enum fd_code code = flag_value(parse, equals, &value, err);
    if (code == FD_OK && !*value)
        return fd_fail(err, FD_USAGE, _("%s must not be empty."), common == &call->key ? "--key" : "--reason");
    *common = value;
    return code;
}

/* "-" alone, and a sign before a digit (a date like -1), are values. */
static bool looks_like_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

/* To the end, or to the next flag: behind -- all of it. */
static const char *join_rest(struct parse *parse)
{
    struct buf buf = {0};
    for (; parse->at < parse->count && (parse->flags_over || !looks_like_flag(parse->words[parse->at])); parse->at++)
        buf_printf(&buf, "%s%s", buf.bytes ? " " : "", parse->words[parse->at]);
    parse->at--;
    const char *joined = arena_str(&parse->call->arena, buf_text(&buf));
    buf_release(&buf);
    return joined;
}

static enum fd_code take_place(struct parse *parse, struct fd_error *err)
{
    const struct action_param *params = parse->call->action->params;
    size_t i = parse->next_place;
    while (params && params[i].name && !(params[i].flags & P_POSITIONAL))
        i++;
    if (!params || !params[i].name)
        return bad_word(parse->words[parse->at], _("%s is one word too many."), err);
    parse->next_place = i + 1;
    const char *value = (params[i].flags & P_REST) ? join_rest(parse) : parse->words[parse->at];
    return store(parse, i, value, err);
}

static enum fd_code take_word(struct parse *parse, struct fd_error *err)
{
    const char *word = parse->words[parse->at];
    if (parse->flags_over || !looks_like_flag(word))
        return take_place(parse, err);
    if (strcmp(word, "--") == 0) {
        parse->flags_over = true;
        return FD_OK;
    }
    if (word[1] != '-')
        return bad_word(word, _("There is no %s here."), err);
    return take_flag(parse, err);
}

static enum fd_code check_required(const struct call *call, struct fd_error *err)
{
    size_t count = param_count(call->action);
    for (size_t i = 0; i < count; i++) {
        char shown[64];
        if ((call->action->params[i].flags & P_REQUIRED) && !call->values[i])
            return bad_word(param_shown(&call->action->params[i], shown), _("%s is missing."), err);
    }
    return FD_OK;
}

enum fd_code call_parse(struct call *call, int count, char *const *words, int *bad, struct fd_error *err)
{
    struct parse parse = {.call = call, .count = count, .words = words};
    param_count(call->action);
    for (; parse.at < count; parse.at++) {
        enum fd_code code = take_word(&parse, err);
        if (code == FD_OK)
            continue;
        if (bad)
            *bad = parse.at < count ? parse.at : count - 1;
        return code;
    }
    if (bad)
        *bad = count;
    return check_required(call, err);
}

static size_t index_of(const struct call *call, const char *name)
{
    size_t count = param_count(call->action);
    for (size_t i = 0; i < count; i++)
        if (strcmp(call->action->params[i].name, name) == 0)
            return i;
    FD_BUG("%s %s has no parameter %s", call->action->noun, call->action->verb, name);
}

const char *call_text(const struct call *call, const char *name)
{
    return call->values[index_of(call, name)];
}

bool call_given(const struct call *call, const char *name)
{
    return call_text(call, name) != NULL;
}

bool call_switch(const struct call *call, const char *name)
{
    return call_text(call, name) != NULL;
}

static const char *shown_of(const struct call *call, const char *name, char out[64])
{
    return param_shown(&call->action->params[index_of(call, name)], out);
}

enum fd_code call_int(const struct call *call, const char *name, int64_t fallback, int64_t *value, struct fd_error *err)
{
    char shown[64];
    const char *text = call_text(call, name);
    *value = fallback;
    return text ? int_value(text, shown_of(call, name, shown), value, err) : FD_OK;
}

enum fd_code call_fen(const struct call *call, const char *name, int64_t fallback, int64_t *fen, struct fd_error *err)
{
    char shown[64];
    const char *text = call_text(call, name);
    *fen = fallback;
    return text ? fen_parse(text, shown_of(call, name, shown), fen, err) : FD_OK;
}

enum fd_code call_day(const struct call *call, const char *name, day_t fallback, day_t *day, struct fd_error *err)
{
    char shown[64];
    const char *text = call_text(call, name);
    *day = fallback;
    return text ? day_parse(text, shown_of(call, name, shown), call->today, day, err) : FD_OK;
}

enum fd_code call_span(const struct call *call, const char *name, int *from, int *to, struct fd_error *err)
{
    char shown[64];
    const char *text = call_text(call, name);
    *from = *to = -1;
    if (!text)
        return FD_OK;
    shown_of(call, name, shown);
    if (call->action->params[index_of(call, name)].type == P_TIME)
        return minute_parse(text, shown, from, err);
    return span_parse(text, shown, from, to, err);
}

enum fd_code call_ids(struct call *call, const char *name, int64_t **ids, size_t *count, struct fd_error *err)
{
    char shown[64];
    const char *text = call_text(call, name);
    *ids = NULL;
    *count = 0;
    if (!text)
        return FD_OK;
    shown_of(call, name, shown);
    enum fd_code code = ids_value(text, shown, NULL, count, err);
    if (code != FD_OK)
        return code;
    *ids = arena_array(&call->arena, *count, sizeof **ids);
    return ids_value(text, shown, *ids, count, err);
}

void call_say(struct call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(&call->text, format, args);
    va_end(args);
    buf_add(&call->text, "\n");
}

const char *call_next_text(struct call *call)
{
    return call->next ? arena_printf(&call->arena, _("There are more: --after %s shows the next."), call->next) : NULL;
}

void call_release(struct call *call)
{
    tree_free(&call->answer);
    buf_release(&call->text);
    arena_release(&call->arena);
}
