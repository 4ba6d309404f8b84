/* Named queries: the list that the linker collects, `:name` parameters, typed arguments. */
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "db/db_internal.h"

/* Made by the linker around the section; weak, since a program may have no query at all. */
extern struct db_query *const fd_queries_begin[] __asm__("__start_fd_queries") __attribute__((weak));
extern struct db_query *const fd_queries_end[] __asm__("__stop_fd_queries") __attribute__((weak));

size_t db_queries(struct db_query *const **list)
{
    /* Through volatile copies: a compiler may assume that two arrays never touch. */
    struct db_query *const *volatile begin = fd_queries_begin;
    struct db_query *const *volatile end = fd_queries_end;
    *list = begin;
    return begin == NULL ? 0 : (size_t)(end - begin);
}

static void number_queries(void)
{
    struct db_query *const *list;
    size_t count = db_queries(&list);
    for (size_t i = 0; i < count; i++)
        list[i]->index = i;
}

void db_query_index_all(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, number_queries);
}

/* Length of a quoted string or comment at `at`, 0 where there is none: a colon in it is text. */
static size_t skip_length(const char *at)
{
    if (*at == '\'' || *at == '"' || *at == '`') {
        const char *end = at + 1;
        while (*end && *end != *at)
            end += (*end == '\\' && end[1] && *at != '`') ? 2 : 1;
        return (size_t)(end - at) + (*end ? 1 : 0);
    }
    if (at[0] == '-' && at[1] == '-' && isspace((unsigned char)at[2]))
        return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end - at) + 2 : strlen(at);
    }
    return 0;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    if (islower((unsigned char)at[0]))
        while (islower((unsigned char)at[length]) || isdigit((unsigned char)at[length]) || at[length] == '_')
            length++;
    return length;
}

static void add_param(struct slot *slot, const char *name, size_t length)
{
    slot->params = xrealloc(slot->params, slot->param_count + 1, sizeof *slot->params);
    struct param *param = &slot->params[slot->param_count++];
    memset(param, 0, sizeof *param);
    param->name = xprintf("%.*s", (int)length, name);
}

void db_query_parse(struct slot *slot, const char *sql)
{
    struct buf out = {0};
    while (*sql) {
        size_t skip = skip_length(sql);
        size_t name = skip == 0 && *sql == ':' ? name_length(sql + 1) : 0;
        if (name > 0) {
            buf_add(&out, "?");
            add_param(slot, sql + 1, name);
            sql += 1 + name;
        } else {
            skip = skip == 0 ? 1 : skip;
            buf_add_bytes(&out, sql, skip);
            sql += skip;
        }
    }
    slot->sql = buf_take(&out);
    slot->binds = xcalloc(slot->param_count + 1, sizeof *slot->binds);
}

struct db_arg db_int(const char *name, int64_t number)
{
    return (struct db_arg){.name = name, .type = DB_T_INT, .number = number};
}

struct db_arg db_text(const char *name, const char *text)
{
    return (struct db_arg){.name = name, .type = text ? DB_T_TEXT : DB_T_NULL, .text = text};
}

struct db_arg db_fen(const char *name, int64_t fen)
{
    return (struct db_arg){.name = name, .type = DB_T_FEN, .number = fen};
}

struct db_arg db_null(const char *name)
{
    return (struct db_arg){.name = name, .type = DB_T_NULL};
}

struct db_arg db_day(const char *name, day_t day)
{
    struct db_arg arg = db_null(name);
    if (day == DAY_NONE)
        return arg;
    arg.type = DB_T_SMALL;
    day_sql(day, arg.small);
    return arg;
}

struct db_arg db_wall(const char *name, wall_t wall)
{
    struct db_arg arg = db_null(name);
    if (wall == WALL_NONE)
        return arg;
    arg.type = DB_T_SMALL;
    wall_sql(wall, arg.small);
    return arg;
}

struct db_arg db_minute(const char *name, int minute)
{
    struct db_arg arg = db_null(name);
    if (minute < 0)
        return arg;
    arg.type = DB_T_SMALL;
    minute_text(minute, arg.small);
    memcpy(arg.small + HHMM_TEXT - 1, ":00", 4);
    return arg;
}
