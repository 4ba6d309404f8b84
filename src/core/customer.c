/* Customers: one profile per phone, whoever asks first. Searching is in customer_find.c. */
#include "core/customer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "outside/tree.h"

DB_QUERY(q_by_phone_id, "customer.id_by_phone", DB_ROW, "SELECT id, nickname, status FROM t_user WHERE phone = :phone");
DB_QUERY(q_insert, "customer.insert", DB_NONE,
         "INSERT INTO t_user (nickname, phone, status, create_time, name_initials, note, alert) "
         "VALUES (:name, :phone, 1, NOW(), :initials, :note, :alert)");
DB_QUERY(q_name, "customer.name", DB_NONE,
         "UPDATE t_user SET nickname = :name, name_initials = :initials, version = version + 1 "
         "WHERE id = :id AND (nickname IS NULL OR nickname = '')");
DB_QUERY(q_change, "customer.change", DB_NONE,
         "UPDATE t_user SET phone = :phone, nickname = :name, name_initials = :initials, note = :note, alert = :alert, "
         "version = version + 1 WHERE id = :id AND version = :version");
DB_QUERY(q_for_change, "customer.for_change", DB_ROW,
         "SELECT phone, nickname, note, alert, version, walk_in FROM t_user WHERE id = :id");

#define NAME_CHARS     64
#define NOTE_CHARS     255
#define INITIALS_BYTES 33

/* What was typed, checked: fields that were not given stay NULL. */
struct fields {
    const char *phone, *name, *note, *alert;
    char phone_text[PHONE_BYTES], name_text[4 * NAME_CHARS + 1], note_text[4 * NOTE_CHARS + 1],
        alert_text[4 * NOTE_CHARS + 1];
};

static enum fd_code check_field(const char *text, const char *label, size_t chars, char *out, size_t out_bytes,
                                const char **field, struct fd_error *err)
{
    if (!text)
        return FD_OK;
    enum fd_code code = text_field(text, label, chars, out, out_bytes, err);
    if (code == FD_OK)
        *field = out;
    return code;
}

static enum fd_code check_fields(const struct customer_edit *edit, struct fields *fields, struct fd_error *err)
{
    memset(fields, 0, sizeof *fields);
    enum fd_code code = FD_OK;
    if (edit->phone && edit->phone[0]) {
        code = phone_normalise(edit->phone, fields->phone_text, err);
        fields->phone = fields->phone_text;
    }
    if (code == FD_OK)
        code = check_field(edit->name, _("name"), NAME_CHARS, fields->name_text, sizeof fields->name_text,
                           &fields->name, err);
    if (code == FD_OK)
        code = check_field(edit->note, _("note"), NOTE_CHARS, fields->note_text, sizeof fields->note_text,
                           &fields->note, err);
    if (code == FD_OK)
        code = check_field(edit->alert, _("alert"), NOTE_CHARS, fields->alert_text, sizeof fields->alert_text,
                           &fields->alert, err);
    return code;
}

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

static const char *initials_of(const char *name, char out[INITIALS_BYTES])
{
    return or_null(name) ? or_null(pinyin_initials(name, out, INITIALS_BYTES)) : NULL;
}

static const char *id_text(struct op *op, int64_t id)
{
    return arena_printf(op_arena(op), "%" PRId64, id);
}

/* The log never holds a whole phone. */
static void log_fields(struct op *op, int64_t id, const char *event, const char *before, const struct fields *fields)
{
    char masked[PHONE_BYTES];
    struct tree *after = tree_object();
    if (fields->phone)
        tree_put_text(after, "phone", phone_mask(fields->phone, masked));
    if (fields->name)
        tree_put_text(after, "name", fields->name);
    if (fields->note)
        tree_put_text(after, "note", fields->note);
    if (fields->alert)
        tree_put_text(after, "alert", fields->alert);
    char *text = tree_dump(after);
    op_log(op,
           &(struct log_entry){
               .entity = "customer", .entity_no = id_text(op, id), .event = event, .before = before, .after = text});
    free(text);
    tree_free(&after);
}

static enum fd_code insert(struct op *op, const struct fields *fields, int64_t *id, struct fd_error *err)
{
    char initials[INITIALS_BYTES];
    const struct db_arg args[] = {
        db_text("name", or_null(fields->name)),
        db_text("phone", fields->phone),
        db_text("initials", initials_of(fields->name, initials)),
        db_text("note", or_null(fields->note)),
        db_text("alert", or_null(fields->alert)),
    };
    enum fd_code code = db_exec(op_db(op), &q_insert, args, 5, NULL, err);
    if (code != FD_OK)
        return code;
    *id = db_insert_id(op_db(op));
    log_fields(op, *id, "add", NULL, fields);
    return FD_OK;
}

struct known {
    int64_t id; /* 0: unknown phone */
    bool nameless, blocked;
};

static enum fd_code look_up(struct op *op, const char *phone, struct known *known, struct fd_error *err)
{
    struct db_rows *rows;
    memset(known, 0, sizeof *known);
    enum fd_code code = db_select(op_db(op), &q_by_phone_id, DB_ARGS(db_text("phone", phone)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows)) {
        known->id = db_get_int(rows, 0);
        known->nameless = !db_get_text(rows, 1)[0];
        known->blocked = db_get_int(rows, 2) == 0;
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code customer_ensure(struct op *op, const char *phone, const char *name, int64_t *id, struct fd_error *err)
{
    struct fields fields;
    struct known known;
    const struct customer_edit edit = {.phone = phone, .name = or_null(name)};
    enum fd_code code = check_fields(&edit, &fields, err);
    if (code != FD_OK)
        return code;
    FD_ASSERT(fields.phone);
    code = look_up(op, fields.phone, &known, err);
    if (code != FD_OK)
        return code;
    if (known.blocked && known.id)
        return fd_fail(err, FD_REFUSED, _("This customer is blocked."));
    if (!known.id)
        return insert(op, &fields, id, err);
    *id = known.id;
    if (!known.nameless || !or_null(fields.name))
        return FD_OK;
    char initials[INITIALS_BYTES];
    int64_t changed = 0;
    code = db_exec(op_db(op), &q_name,
                   DB_ARGS(db_int("id", known.id), db_text("name", fields.name),
                           db_text("initials", initials_of(fields.name, initials))),
                   &changed, err);
    if (code == FD_OK && changed == 1) {
        fields.phone = NULL;
        log_fields(op, known.id, "change", "{\"name\":\"\"}", &fields);
    }
    return code;
}

static const char *content_of(struct arena *arena, int64_t id, const struct fields *fields)
{
    const char *none = "\x01";
    return arena_printf(arena, "%" PRId64 "\n%s\n%s\n%s\n%s", id, fields->phone ? fields->phone : none,
                        fields->name ? fields->name : none, fields->note ? fields->note : none,
                        fields->alert ? fields->alert : none);
}

struct adding {
    const struct fields *fields;
    int64_t id;
};

static enum fd_code add_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct adding *adding = arg;
    struct known known = {0};
    enum fd_code code = adding->fields->phone ? look_up(op, adding->fields->phone, &known, err) : FD_OK;
    if (code != FD_OK)
        return code;
    if (known.id) {
        fd_fail(err, FD_EXISTS, _("There is a customer with this phone already (#%lld)."), (long long)known.id);
        return FD_EXISTS;
    }
    code = insert(op, adding->fields, &adding->id, err);
    if (code == FD_OK)
        op_result(op, id_text(op, adding->id));
    return code;
}

enum fd_code customer_add(struct desk *desk, const char *key, const struct customer_edit *edit, int64_t *id,
                          struct fd_error *err)
{
    struct fields fields;
    enum fd_code code = check_fields(edit, &fields, err);
    if (code != FD_OK)
        return code;
    if (!fields.phone && !or_null(fields.name))
        return fd_fail(err, FD_BAD_INPUT, _("A customer needs a phone or a name."));
    struct arena arena = {0};
    struct adding adding = {.fields = &fields};
    char *result = NULL;
    const struct op_spec spec = {
        .action = "customer.add", .key = key, .content = content_of(&arena, 0, &fields), .apply = add_apply};
    code = op_run(desk, &spec, &adding, &result, NULL, err);
    if (code == FD_OK)
        *id = strtoll(result, NULL, 10);
    free(result);
    arena_release(&arena);
    return code;
}

struct changing {
    int64_t id;
    const struct fields *fields;
};

/* Fields that were not given keep what the row has. */
struct merged {
    const char *phone, *name, *note, *alert, *before;
    int64_t version;
};

/* What the row had in the fields that change, for the log. */
static const char *before_json(struct arena *arena, const struct fields *fields, const struct fields *old)
{
    char masked[PHONE_BYTES];
    struct tree *before = tree_object();
    if (fields->phone)
        tree_put_text(before, "phone", phone_mask(old->phone, masked));
    if (fields->name)
        tree_put_text(before, "name", old->name);
    if (fields->note)
        tree_put_text(before, "note", old->note);
    if (fields->alert)
        tree_put_text(before, "alert", old->alert);
    char *text = tree_dump(before);
    const char *kept = arena_str(arena, text);
    free(text);
    tree_free(&before);
    return kept;
}

static void merge_row(struct arena *arena, const struct db_rows *rows, const struct fields *fields,
                      struct merged *merged)
{
    const struct fields old = {
        .phone = arena_str(arena, db_get_text(rows, 0)),
        .name = arena_str(arena, db_get_text(rows, 1)),
        .note = arena_str(arena, db_get_text(rows, 2)),
        .alert = arena_str(arena, db_get_text(rows, 3)),
    };
    *merged = (struct merged){
        .phone = or_null(fields->phone ? fields->phone : old.phone),
        .name = or_null(fields->name ? fields->name : old.name),
        .note = or_null(fields->note ? fields->note : old.note),
        .alert = or_null(fields->alert ? fields->alert : old.alert),
        .before = before_json(arena, fields, &old),
        .version = db_get_int(rows, 4),
    };
}

static enum fd_code merge(struct op *op, const struct changing *changing, struct merged *merged, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_for_change, DB_ARGS(db_int("id", changing->id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (!db_next(rows))
        code = fd_fail(err, FD_NOT_FOUND, _("There is no customer #%lld."), (long long)changing->id);
    else if (db_get_int(rows, 5) != 0)
        code = fd_fail(err, FD_REFUSED, _("The walk-in customer cannot be changed."));
    else
        merge_row(op_arena(op), rows, changing->fields, merged);
    db_rows_close(&rows);
    return code;
}

static enum fd_code change_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct changing *changing = arg;
    struct merged merged = {0};
    struct known known = {0};
    enum fd_code code = merge(op, changing, &merged, err);
    if (code == FD_OK && changing->fields->phone)
        code = look_up(op, changing->fields->phone, &known, err);
    if (code != FD_OK)
        return code;
    if (known.id && known.id != changing->id)
        return fd_fail(err, FD_EXISTS, _("There is a customer with this phone already (#%lld)."), (long long)known.id);
    char initials[INITIALS_BYTES];
    const struct db_arg args[] = {
        db_int("id", changing->id),
        db_int("version", merged.version),
        db_text("phone", merged.phone),
        db_text("name", merged.name),
        db_text("note", merged.note),
        db_text("alert", merged.alert),
        db_text("initials", initials_of(merged.name, initials)),
    };
    int64_t changed = 0;
    code = db_exec(op_db(op), &q_change, args, sizeof args / sizeof *args, &changed, err);
    if (code != FD_OK)
        return code;
    if (changed == 0)
        return fd_fail(err, FD_RETRY, NULL);
    log_fields(op, changing->id, "change", merged.before, changing->fields);
    return FD_OK;
}

enum fd_code customer_change(struct desk *desk, const char *key, int64_t id, const struct customer_edit *edit,
                             const char *reason, struct fd_error *err)
{
    struct fields fields;
    enum fd_code code = check_fields(edit, &fields, err);
    if (code != FD_OK)
        return code;
    struct arena arena = {0};
    struct changing changing = {.id = id, .fields = &fields};
    const struct op_spec spec = {.action = "customer.change",
                                 .key = key,
                                 .content = content_of(&arena, id, &fields),
                                 .reason = reason,
                                 .apply = change_apply};
    code = op_run(desk, &spec, &changing, NULL, NULL, err);
    arena_release(&arena);
    return code;
}

static enum fd_code shown_apply(struct op *op, void *arg, struct fd_error *err)
{
    (void)err;
    const int64_t *id = arg;
    op_log(op, &(struct log_entry){.entity = "customer", .entity_no = id_text(op, *id), .event = "phone_shown"});
    return FD_OK;
}

enum fd_code customer_log_shown(struct desk *desk, int64_t id, struct fd_error *err)
{
    const struct op_spec spec = {
        .action = "customer.show_phone", .apply = shown_apply, .no_permission = true, .no_request = true};
    return op_run(desk, &spec, &id, NULL, NULL, err);
}
