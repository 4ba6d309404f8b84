/* The rules in the database: loaded by migrate, where the online system reads them, compared at start. */
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/token.h"
#include "core/rule_internal.h"

DB_QUERY(q_clear, "rule.clear", DB_NONE, "DELETE FROM state_rule");
DB_QUERY(q_insert, "rule.insert", DB_NONE,
         "INSERT INTO state_rule (entity, from_state, event, to_state, actors, reason_needed, text) "
         "VALUES (:entity, :from, :event, :to, :actors, :reason, :text)");
DB_QUERY(q_version_set, "rule.version_set", DB_NONE,
         "INSERT INTO state_rule_version (id, version, content_hash) VALUES (1, :version, :hash) "
         "ON DUPLICATE KEY UPDATE version = :version, content_hash = :hash");
DB_QUERY(q_version, "rule.version", DB_ROW, "SELECT version FROM state_rule_version WHERE id = 1");
DB_QUERY(q_rows, "rule.rows", DB_ROWS,
         "SELECT entity, from_state, event, to_state, actors, reason_needed FROM state_rule");

/* What decides, in the order of the table; the words do not. */
static void add_line(struct buf *buf, const char *const field[5], bool reason)
{
    buf_printf(buf, "%s\t%s\t%s\t%s\t%s\t%d\n", field[0], field[1], field[2], field[3], field[4], reason);
}

static void rules_hash(char out[65])
{
    struct buf buf = {0};
    for (const struct rule *rule = rules; rule->entity; rule++) {
        char actors[RULE_ACTORS_BYTES];
        const char *const field[5] = {rule->entity, rule->from, rule->event, rule->to,
                                      rule_actors(rule->actors, actors)};
        add_line(&buf, field, rule->reason_needed);
    }
    sha256_hex(buf_text(&buf), buf.bytes, out);
    buf_release(&buf);
}

static enum fd_code load(struct db *db, void *arg, struct fd_error *err)
{
    (void)arg;
    enum fd_code code = db_exec(db, &q_clear, DB_NO_ARGS, NULL, err);
    for (const struct rule *rule = rules; rule->entity && code == FD_OK; rule++) {
        char actors[RULE_ACTORS_BYTES];
        const struct db_arg args[] = {
            db_text("entity", rule->entity),
            db_text("from", rule->from),
            db_text("event", rule->event),
            db_text("to", rule->to),
            db_text("actors", rule_actors(rule->actors, actors)),
            db_int("reason", rule->reason_needed),
            db_text("text", rule->text),
        };
        code = db_exec(db, &q_insert, args, sizeof args / sizeof *args, NULL, err);
    }
    char hash[65];
    rules_hash(hash);
    if (code == FD_OK)
        code = db_exec(db, &q_version_set, DB_ARGS(db_int("version", RULES_VERSION), db_text("hash", hash)), NULL, err);
    return code;
}

enum fd_code rules_load(struct db *db, struct fd_error *err)
{
    return db_txn(db, "rules.load", 0, load, NULL, err);
}

static enum fd_code schema_error(struct fd_error *err, const char *what)
{
    fd_fail(err, FD_SCHEMA, _("The state rules in the database are not those of this frontdesk."));
    fd_detail(err, "%s", what);
    return FD_SCHEMA;
}

static enum fd_code check_version(struct db *db, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_version, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    if (!db_next(rows)) {
        code = schema_error(err, "state_rule_version is empty");
    } else if (db_get_int(rows, 0) != RULES_VERSION) {
        code = fd_fail(err, FD_SCHEMA,
                       _("The database has version %lld of the state rules, this frontdesk knows version %d."),
                       (long long)db_get_int(rows, 0), RULES_VERSION);
        if (db_get_int(rows, 0) > RULES_VERSION)
            fd_hint(err, _("Install the newer frontdesk."));
    }
    db_rows_close(&rows);
    return code;
}

/* Row by row, not by the hash, which is for those who cannot: the first SHA-256 of a process takes a millisecond. */
static bool same_rule(const struct db_rows *rows)
{
    const struct rule *rule = rule_find(db_get_text(rows, 0), db_get_text(rows, 1), db_get_text(rows, 2));
    char actors[RULE_ACTORS_BYTES];
    return rule && strcmp(rule->to, db_get_text(rows, 3)) == 0 &&
           strcmp(rule_actors(rule->actors, actors), db_get_text(rows, 4)) == 0 &&
           rule->reason_needed == (db_get_int(rows, 5) != 0);
}

static enum fd_code check(struct db *db, void *arg, struct fd_error *err)
{
    (void)arg;
    enum fd_code code = check_version(db, err);
    if (code != FD_OK)
        return code;
    struct db_rows *rows;
    code = db_select(db, &q_rows, DB_NO_ARGS, &rows, err);
    if (code != FD_OK)
        return code;
    size_t known = 0;
    for (const struct rule *rule = rules; rule->entity; rule++)
        known++;
    if (db_row_count(rows) != known)
        code = schema_error(err, "state_rule has other rows");
    while (code == FD_OK && db_next(rows))
        if (!same_rule(rows))
            code = schema_error(err, "a row of state_rule differs");
    db_rows_close(&rows);
    return code;
}

enum fd_code rules_check(struct db *db, struct fd_error *err)
{
    return db_txn(db, "rules.check", 0, check, NULL, err);
}
