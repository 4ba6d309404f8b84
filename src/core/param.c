/* Parameters of the business: table, cache, setting. */
#include "core/param.h"

#include <stdlib.h>
#include <string.h>

#include "core/op.h"

DB_QUERY(q_all, "param.all", DB_ROWS, "SELECT name, value FROM param");
DB_QUERY(q_set, "param.set", DB_NONE,
         "INSERT INTO param (name, value, updated_at, updated_by) VALUES (:name, :value, NOW(), :operator) "
         "ON DUPLICATE KEY UPDATE value = :value, updated_at = NOW(), updated_by = :operator");
DB_QUERY(q_one, "param.one", DB_ROW, "SELECT value FROM param WHERE name = :name FOR UPDATE");

#define CACHE_MS 5000

static const struct {
    const char *name;
    int64_t fallback, least, most;
    const char *unit, *text;
} params[PARAM_COUNT] = {
#define X(id, name, fallback, least, most, unit, text) [id] = {name, fallback, least, most, unit, text},
    PARAM_TABLE(X)
#undef X
};

struct param_cache {
    bool read;
    int64_t read_ms;
    int64_t values[PARAM_COUNT];
};

static struct param_cache *cache_of(struct desk *desk)
{
    if (!desk->params) {
        desk->params = xcalloc(1, sizeof *desk->params);
        for (int i = 0; i < PARAM_COUNT; i++)
            desk->params->values[i] = params[i].fallback;
    }
    return desk->params;
}

/* What somebody wrote past param_set must not get by its limits either. */
static bool value_from_text(enum param param, const char *text, int64_t *value)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || number < params[param].least || number > params[param].most)
        return false;
    *value = number;
    return true;
}

static enum fd_code read_all(struct db *db, void *arg, struct fd_error *err)
{
    struct param_cache *cache = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_all, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    for (int i = 0; i < PARAM_COUNT; i++)
        cache->values[i] = params[i].fallback;
    while (db_next(rows)) {
        enum param param = param_find(db_get_text(rows, 0));
        if (param != PARAM_COUNT)
            value_from_text(param, db_get_text(rows, 1), &cache->values[param]);
    }
    db_rows_close(&rows);
    cache->read = true;
    cache->read_ms = mono_ms();
    return FD_OK;
}

void param_refresh(struct desk *desk)
{
    struct param_cache *cache = cache_of(desk);
    if (desk->in_txn || (cache->read && mono_ms() - cache->read_ms < CACHE_MS))
        return;
    struct fd_error ignored;
    desk_read(desk, "param.all", read_all, cache, &ignored);
}

int64_t param_get(struct desk *desk, enum param param)
{
    FD_ASSERT((unsigned)param < PARAM_COUNT);
    param_refresh(desk);
    return cache_of(desk)->values[param];
}

void param_forget(struct desk *desk)
{
    cache_of(desk)->read = false;
}

void param_cache_free(struct param_cache **cache)
{
    free(*cache);
    *cache = NULL;
}

enum param param_find(const char *name)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (strcmp(params[i].name, name) == 0)
            return (enum param)i;
    return PARAM_COUNT;
}

const char *param_name(enum param param)
{
    return params[param].name;
}

const char *param_unit(enum param param)
{
    return params[param].unit;
}

const char *param_text(enum param param)
{
    return params[param].text;
}

int64_t param_default(enum param param)
{
    return params[param].fallback;
}

int64_t param_least(enum param param)
{
    return params[param].least;
}

int64_t param_most(enum param param)
{
    return params[param].most;
}

struct setting {
    enum param param;
    int64_t value;
};

static const char *value_json(struct op *op, int64_t value)
{
    return arena_printf(op_arena(op), "{\"value\":%lld}", (long long)value);
}

static enum fd_code set_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct setting *setting = arg;
    const char *name = params[setting->param].name;
    int64_t before = params[setting->param].fallback;
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_one, DB_ARGS(db_text("name", name)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        value_from_text(setting->param, db_get_text(rows, 0), &before);
    db_rows_close(&rows);
    char text[24];
    fit_printf(text, "%lld", (long long)setting->value);
    code = db_exec(op_db(op), &q_set,
                   DB_ARGS(db_text("name", name), db_text("value", text), db_text("operator", op_desk(op)->operator)),
                   NULL, err);
    if (code != FD_OK)
        return code;
    op_log(op, &(struct log_entry){.entity = "param",
                                   .entity_no = name,
                                   .event = "set",
                                   .before = value_json(op, before),
                                   .after = value_json(op, setting->value)});
    return FD_OK;
}

enum fd_code param_set(struct desk *desk, const char *key, enum param param, int64_t value, const char *reason,
                       struct fd_error *err)
{
    FD_ASSERT((unsigned)param < PARAM_COUNT);
    if (value < params[param].least || value > params[param].most)
        /* TRANSLATORS: the parameter in words (hold_minutes) */
        return fd_fail(err, FD_BAD_INPUT, _("%s (%s) must be between %lld and %lld."), _(params[param].text),
                       params[param].name, (long long)params[param].least, (long long)params[param].most);
    struct setting setting = {param, value};
    char content[96];
    fit_printf(content, "%s=%lld", params[param].name, (long long)value);
    const struct op_spec spec = {
        .action = "param.set", .key = key, .content = content, .reason = reason, .apply = set_apply};
    enum fd_code code = op_run(desk, &spec, &setting, NULL, NULL, err);
    param_forget(desk);
    return code;
}
