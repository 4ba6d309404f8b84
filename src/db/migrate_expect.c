/* What is there already: guards, tables of the online system, its unique keys. */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "db/migrate_internal.h"

DB_QUERY(q_table, "migrate.table", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = :object");
DB_QUERY(q_column, "migrate.column", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.columns"
         " WHERE table_schema = DATABASE() AND table_name = :object AND column_name = :part");
DB_QUERY(q_index, "migrate.index", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.statistics"
         " WHERE table_schema = DATABASE() AND table_name = :object AND index_name = :part");
DB_QUERY(q_trigger, "migrate.trigger", DB_VALUE,
         "SELECT COUNT(*) FROM information_schema.triggers"
         " WHERE trigger_schema = DATABASE() AND trigger_name = :object");
DB_QUERY(q_indexes, "migrate.indexes", DB_ROWS,
         "SELECT index_name, MIN(non_unique), GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ',')"
         " FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = :object"
         " GROUP BY index_name");

DB_QUERY(q_collation, "migrate.collation", DB_VALUE,
         "SELECT COALESCE(MAX(table_collation), '') FROM information_schema.tables"
         " WHERE table_schema = DATABASE() AND table_name = :object");

enum fd_code migrate_collation(struct db *db, const char *table, char collation[65], struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_collation, DB_ARGS(db_text("object", table)), &rows, err);
    if (code == FD_OK && db_next(rows) && strncmp(db_get_text(rows, 0), "utf8mb4_", 8) == 0)
        cut_copy(collation, 65, db_get_text(rows, 0));
    db_rows_close(&rows);
    return code;
}

char *migrate_recollate(const char *sql, const char *collation)
{
    const char *at = collation[0] ? strstr(sql, OUR_COLLATION) : NULL;
    return at ? xprintf("%.*sCOLLATE=%s%s", (int)(at - sql), sql, collation, at + strlen(OUR_COLLATION)) : xstrdup(sql);
}

enum fd_code migrate_guard_holds(struct db *db, const struct step *step, bool *exists, struct fd_error *err)
{
    static struct db_query *const queries[] = {NULL, &q_table, &q_column, &q_index, &q_trigger};
    enum guard guard = step->expect ? GUARD_TABLE : step->guard;
    int64_t count = 0;
    *exists = false;
    if (guard == GUARD_NONE)
        return FD_OK;
    bool has_part = guard == GUARD_COLUMN || guard == GUARD_INDEX;
    const struct db_arg args[] = {db_text("object", step->object), db_text("part", step->part)};
    enum fd_code code = db_value_int(db, queries[guard], args, has_part ? 2 : 1, &count, err);
    *exists = count > 0;
    return code;
}

struct shape {
    char name[65], type[256], charset[16], fallback[256];
    bool nullable, has_fallback, is_filled; /* is_filled: AUTO_INCREMENT or generated */
};

/* An integer's display width says nothing: tinyint(1) and tinyint(4) hold the same. */
static void normal_type(const char *type, char *out, size_t out_bytes)
{
    cut_copy(out, out_bytes, type);
    char *open = strchr(out, '(');
    if (!open || open - out < 3 || strncmp(open - 3, "int", 3) != 0)
        return;
    char *close = strchr(open, ')');
    if (close)
        memmove(open, close + 1, strlen(close + 1) + 1);
}

static enum fd_code read_shape(struct db *db, const char *table, struct shape **shapes, size_t *count,
                               struct fd_error *err)
{
    char sql[128];
    fit_printf(sql, "SHOW FULL COLUMNS FROM `%s`", table);
    *count = 0;
    *shapes = NULL;
    MYSQL_RES *result = mysql_real_query(db->link, sql, strlen(sql)) ? NULL : mysql_store_result(db->link);
    if (!result)
        return sql_fail_link(db, "migrate.expect", false, err);
    *shapes = xcalloc((size_t)mysql_num_rows(result) + 1, sizeof **shapes);
    for (char **row = mysql_fetch_row(result); row; row = mysql_fetch_row(result)) {
        struct shape *shape = &(*shapes)[(*count)++];
        cut_copy(shape->name, sizeof shape->name, row[0]);
        normal_type(row[1], shape->type, sizeof shape->type);
        cut_copy(shape->charset, sizeof shape->charset, row[2] ? row[2] : "");
        shape->charset[strcspn(shape->charset, "_")] = '\0';
        shape->nullable = strcmp(row[3], "YES") == 0;
        shape->has_fallback = row[5] != NULL;
        cut_copy(shape->fallback, sizeof shape->fallback, row[5] ? row[5] : "");
        shape->is_filled = row[6] && (strcasestr(row[6], "auto_increment") || strcasestr(row[6], "GENERATED"));
    }
    mysql_free_result(result);
    return FD_OK;
}

static const struct shape *find_shape(const struct shape *shapes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return NULL;
}

/* Every INSERT of ours gives a value to each column that is not NULL here, so a missing default is borne. */
static void compare_column(const char *table, const struct shape *wanted, const struct shape *found,
                           struct differences *differences)
{
    struct buf *refused = &differences->refused, *borne = &differences->borne;
    if (!found) {
        buf_printf(refused, _("%s.%s is missing (%s)\n"), table, wanted->name, wanted->type);
        return;
    }
    bool holds = migrate_type_holds(wanted->type, found->type);
    if (strcasecmp(wanted->type, found->type) != 0)
        buf_printf(holds ? borne : refused, _("%s.%s is %s instead of %s\n"), table, wanted->name, found->type,
                   wanted->type);
    if (holds && strcmp(wanted->charset, found->charset) != 0)
        buf_printf(refused, _("%s.%s is in %s instead of %s\n"), table, wanted->name, found->charset, wanted->charset);
    if (found->nullable && !wanted->nullable)
        buf_printf(borne, _("%s.%s may be NULL\n"), table, wanted->name);
    else if (!found->nullable && wanted->nullable)
        buf_printf(refused, _("%s.%s must not be NULL there, but may be here\n"), table, wanted->name);
    else if (wanted->has_fallback && !found->has_fallback && !found->nullable && !found->is_filled)
        buf_printf(borne, _("%s.%s has no default instead of %s\n"), table, wanted->name, wanted->fallback);
}

static void compare_shapes(const char *table, const struct shape *wanted, size_t wanted_count,
                           const struct shape *found, size_t found_count, struct differences *differences)
{
    for (size_t i = 0; i < wanted_count; i++)
        compare_column(table, &wanted[i], find_shape(found, found_count, wanted[i].name), differences);
    /* A column of its own is the online system's affair, unless our INSERT would have to know it. */
    for (size_t i = 0; i < found_count; i++)
        if (!find_shape(wanted, wanted_count, found[i].name) && !found[i].nullable && !found[i].has_fallback &&
            !found[i].is_filled)
            buf_printf(&differences->refused, _("%s.%s is unknown and has no default\n"), table, found[i].name);
}

/* The expected columns as this server itself spells them: a temporary table is made from the text. */
static enum fd_code make_expected(struct db *db, const struct step *step, struct fd_error *err)
{
    const char *open = strchr(step->sql, '(');
    if (strncmp(step->sql, "CREATE TABLE ", 13) != 0 || !open)
        FD_BUG("migration: @expect %s needs a CREATE TABLE", step->object);
    char *sql = xprintf("CREATE TEMPORARY TABLE fd_expected %s", open);
    enum fd_code code = db_run(db, "DROP TEMPORARY TABLE IF EXISTS fd_expected", err);
    if (code == FD_OK)
        code = db_run(db, sql, err);
    /* The server names the database only. */
    if (code && err && err->sql_errno == 1044)
        code = sql_lacks("CREATE TEMPORARY TABLES", step->object, err);
    free(sql);
    return code;
}

enum fd_code migrate_expect_compare(struct db *db, const struct step *step, struct differences *differences,
                                    struct fd_error *err)
{
    struct shape *wanted = NULL, *found = NULL;
    size_t wanted_count = 0, found_count = 0;
    enum fd_code code = make_expected(db, step, err);
    if (code == FD_OK)
        code = read_shape(db, "fd_expected", &wanted, &wanted_count, err);
    if (code == FD_OK)
        code = read_shape(db, step->object, &found, &found_count, err);
    if (code == FD_OK)
        code = db_run(db, "DROP TEMPORARY TABLE fd_expected", err);
    if (code == FD_OK)
        compare_shapes(step->object, wanted, wanted_count, found, found_count, differences);
    free(wanted);
    free(found);
    return code;
}

/* What to do with the table's indexes; decided here, since MariaDB refuses to compare the list in SQL
 * (its collation has no precedence). */
struct unique_plan {
    struct buf drops; /* ", DROP INDEX `x`" for each over exactly the columns */
    bool has_another; /* some other index begins with the columns */
};

static void plan_index(struct unique_plan *plan, const struct db_rows *row, const char *columns)
{
    const char *name = db_get_text(row, 0), *list = db_get_text(row, 2);
    bool is_unique = db_get_int(row, 1) == 0, is_exact = strcasecmp(list, columns) == 0;
    size_t length = strlen(columns);
    if (is_unique && is_exact && strcmp(name, "PRIMARY") != 0 && !strchr(name, '`'))
        buf_printf(&plan->drops, ", DROP INDEX `%s`", name);
    else if (is_exact || (strncasecmp(list, columns, length) == 0 && list[length] == ','))
        plan->has_another = true;
}

/* "ALTER TABLE t ADD KEY k (a, b)" and nothing else: "a,b" in out. */
static bool one_key(const char *sql, char *out, size_t out_bytes)
{
    const char *open = strchr(sql, '('), *close = open ? strchr(open, ')') : NULL;
    size_t used = 0;
    if (!close || close[1] || !strstr(sql, " KEY "))
        return false;
    for (const char *at = open + 1; at < close && used + 1 < out_bytes; at++)
        if (*at != ' ')
            out[used++] = *at;
    out[used] = '\0';
    return true;
}

enum fd_code migrate_index_rename(struct db *db, const struct step *step, bool *renamed, struct fd_error *err)
{
    char columns[256], found[65] = "", sql[320];
    struct db_rows *rows;
    *renamed = false;
    if (!one_key(step->sql, columns, sizeof columns))
        return FD_OK;
    bool unique = strstr(step->sql, "UNIQUE KEY") != NULL;
    enum fd_code code = db_select(db, &q_indexes, DB_ARGS(db_text("object", step->object)), &rows, err);
    while (code == FD_OK && db_next(rows)) {
        const char *name = db_get_text(rows, 0);
        if (strcmp(name, "PRIMARY") != 0 && !strchr(name, '`') && (db_get_int(rows, 1) == 0) == unique &&
            strcasecmp(db_get_text(rows, 2), columns) == 0)
            cut_copy(found, sizeof found, name);
    }
    db_rows_close(&rows);
    if (code != FD_OK || !found[0])
        return code;
    *renamed = true;
    fit_printf(sql, "ALTER TABLE `%s` RENAME INDEX `%s` TO `%s`", step->object, found, step->part);
    return db_run(db, sql, err);
}

/* Drops them, and leaves a plain index where reads by these columns would have none. */
static enum fd_code run_plan(struct db *db, const struct step *step, struct unique_plan *plan, struct fd_error *err)
{
    struct buf sql = {0};
    char name[65];
    cut_copy(name, sizeof name, step->columns);
    for (char *at = name; *at; at++)
        if (*at == ',')
            *at = '_';
    buf_printf(&sql, "ALTER TABLE `%s`", step->object);
    if (plan->has_another)
        buf_add(&sql, buf_text(&plan->drops) + 1);
    else
        buf_printf(&sql, " ADD KEY `idx_%.60s` (%s)%s", name, step->columns, buf_text(&plan->drops));
    enum fd_code code = db_run(db, buf_text(&sql), err);
    buf_release(&sql);
    return code;
}

enum fd_code migrate_unique_drop(struct db *db, const struct step *step, struct fd_error *err)
{
    struct unique_plan plan = {0};
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_indexes, DB_ARGS(db_text("object", step->object)), &rows, err);
    while (code == FD_OK && db_next(rows))
        plan_index(&plan, rows, step->columns);
    db_rows_close(&rows);
    if (code == FD_OK && plan.drops.bytes > 0)
        code = run_plan(db, step, &plan, err);
    buf_release(&plan.drops);
    return code;
}
