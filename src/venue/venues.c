/* Venues: courts, pools, class rooms and pools of equipment. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VENUE_COLUMNS "v.id, v.name, v.sport_type, v.stock_form, v.address, v.max_people, v.sort_order, v.status"

DB_QUERY(q_list, "venue.list", DB_ROWS,
         "SELECT " VENUE_COLUMNS " FROM venue v WHERE (:sport IS NULL OR v.sport_type = :sport) "
         "AND (:everything = 1 OR v.status = 1) ORDER BY v.sort_order, v.id");
DB_QUERY(q_by_id, "venue.by_id", DB_ROW, "SELECT " VENUE_COLUMNS " FROM venue v WHERE v.id = :id");
DB_QUERY(q_by_name, "venue.by_name", DB_ROWS,
         "SELECT " VENUE_COLUMNS " FROM venue v WHERE v.name LIKE :prefix ESCAPE '|' "
         "ORDER BY v.name = :name DESC, v.sort_order, v.id LIMIT 10");
DB_QUERY(q_insert, "venue.insert", DB_NONE,
         "INSERT INTO venue (name, sport_type, stock_form, address, max_people, sort_order, status, create_time, "
         "update_time) VALUES (:name, :sport, :form, :address, :people, :sort, :in_use, NOW(), NOW())");
DB_QUERY(q_update, "venue.update", DB_NONE,
         "UPDATE venue SET name = :name, sport_type = :sport, stock_form = :form, address = :address, "
         "max_people = :people, sort_order = :sort, status = :in_use, version = version + 1 WHERE id = :id");
DB_QUERY(q_touch, "venue.touch", DB_NONE, "UPDATE venue SET version = version + 1 WHERE id = :id");
DB_QUERY(q_future, "venue.future_slots", DB_VALUE,
         "SELECT COUNT(*) FROM (SELECT 1 FROM venue_schedule s WHERE s.venue_id = :id AND s.schedule_date >= CURDATE() "
         "LIMIT 1) f");

/* What the online system writes into venue.sport_type, in words for people. */
static const char *const sports[][2] = {
    {"badminton", N_("Badminton")},
    {"tennis", N_("Tennis")},
    {"table_tennis", N_("Table tennis")},
    {"tabletennis", N_("Table tennis")},
    {"basketball", N_("Basketball")},
    {"football", N_("Football")},
    {"volleyball", N_("Volleyball")},
    {"swimming", N_("Swimming")},
    {"fitness", N_("Fitness")},
    {"yoga", N_("Yoga")},
    {"dance", N_("Dance")},
    {"squash", N_("Squash")},
    {"class", N_("Class")},
    {"equipment", N_("Equipment")},
    {"locker", N_("Locker")},
    {"racket", N_("Racket")},
};

const char *venue_sport_label(const char *sport)
{
    for (size_t i = 0; sport && i < sizeof sports / sizeof sports[0]; i++)
        if (strcmp(sports[i][0], sport) == 0)
            return _(sports[i][1]);
    return sport ? sport : "";
}

static void venue_read(const struct db_rows *rows, struct arena *arena, struct venue *venue)
{
    venue->id = db_get_int(rows, 0);
    venue->name = row_text(rows, 1, arena);
    venue->sport = row_text(rows, 2, arena);
    venue->form = row_text(rows, 3, arena);
    venue->address = row_text(rows, 4, arena);
    venue->max_people = db_get_int(rows, 5);
    venue->sort_order = db_get_int(rows, 6);
    venue->in_use = db_get_int(rows, 7) == 1;
}

static enum fd_code venue_rows(struct db *db, struct db_query *query, const struct db_arg *args, size_t arg_count,
                               struct arena *arena, struct venue **rows, size_t *count, struct fd_error *err)
{
    struct db_rows *found;
    enum fd_code code = db_select(db, query, args, arg_count, &found, err);
    if (code)
        return code;
    *rows = arena_array(arena, db_row_count(found) + 1, sizeof **rows);
    *count = 0;
    while (db_next(found))
        venue_read(found, arena, &(*rows)[(*count)++]);
    db_rows_close(&found);
    return FD_OK;
}

enum fd_code venue_list(struct db *db, const char *sport, bool all, struct arena *arena, struct venue **rows,
                        size_t *count, struct fd_error *err)
{
    return venue_rows(db, &q_list, DB_ARGS(db_text("sport", sport), db_int("everything", all)), arena, rows, count,
                      err);
}

static enum fd_code venue_by_id(struct db *db, int64_t id, struct arena *arena, struct venue **venue,
                                struct fd_error *err)
{
    size_t count;
    enum fd_code code = venue_rows(db, &q_by_id, DB_ARGS(db_int("id", id)), arena, venue, &count, err);
    if (code == FD_OK && count == 0)
        return fd_fail(err, FD_NOT_FOUND, _("There is no venue #%" PRId64 "."), id);
    return code;
}

static enum fd_code venue_ambiguous(const struct venue *rows, size_t count, struct fd_error *err)
{
    struct buf names = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&names, "%s#%" PRId64 " %s", i ? C_("list", ", ") : "", rows[i].id, rows[i].name);
    fd_fail(err, FD_AMBIGUOUS, _("Several venues match: %s"), buf_text(&names));
    fd_hint(err, _("Give the whole name, or the id as #3."));
    buf_release(&names);
    return FD_AMBIGUOUS;
}

enum fd_code venue_find(struct db *db, const char *text, struct arena *arena, struct venue **venue,
                        struct fd_error *err)
{
    char name[260], prefix[520];
    const char *digits = text[0] == '#' ? text + 1 : text;
    if (text_is_digits(digits) && digits[0] && strlen(digits) <= 18)
        return venue_by_id(db, strtoll(digits, NULL, 10), arena, venue, err);
    enum fd_code code = text_field(text, _("venue"), 64, name, sizeof name, err);
    if (code)
        return code;
    if (!name[0] || !text_like(prefix, sizeof prefix - 1, name))
        return fd_fail(err, FD_BAD_INPUT, _("This is not the name of a venue."));
    strcat(prefix, "%");
    struct venue *rows;
    size_t count;
    code = venue_rows(db, &q_by_name, DB_ARGS(db_text("prefix", prefix), db_text("name", name)), arena, &rows, &count,
                      err);
    if (code)
        return code;
    if (count == 0)
        return fd_fail(err, FD_NOT_FOUND, _("There is no venue “%s”."), name);
    bool first_is_whole = strcmp(rows[0].name, name) == 0;
    bool second_is_whole = count > 1 && strcmp(rows[1].name, name) == 0;
    if (count > 1 && (!first_is_whole || second_is_whole))
        return venue_ambiguous(rows, count, err);
    *venue = rows;
    return FD_OK;
}

enum fd_code venue_touch(struct db *db, int64_t venue_id, struct fd_error *err)
{
    int64_t changed;
    enum fd_code code = db_exec(db, &q_touch, DB_ARGS(db_int("id", venue_id)), &changed, err);
    if (code == FD_OK && changed != 1)
        return fd_fail(err, FD_NOT_FOUND, _("There is no venue #%" PRId64 "."), venue_id);
    return code;
}

static const char *const forms[] = {"COURT", "PLACE", "HOURLY", "DAILY"};

/* What is to stand in the row, checked. */
struct venue_fields {
    char name[260], sport[132], address[1024];
    const char *form;
    int64_t max_people, sort_order;
    bool in_use;
};

static enum fd_code form_check(const char *text, const char **form, struct fd_error *err)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (text_same(text, forms[i])) {
            *form = forms[i];
            return FD_OK;
        }
    return fd_fail(err, FD_BAD_INPUT, _("The form is one of COURT, PLACE, HOURLY, DAILY."));
}

/* Puts what the edit gives over `fields`. */
static enum fd_code fields_edit(struct venue_fields *fields, const struct venue_edit *edit, struct fd_error *err)
{
    enum fd_code code = FD_OK;
    if (edit->name)
        code = text_field(edit->name, _("name"), 64, fields->name, sizeof fields->name, err);
    if (code == FD_OK && edit->sport)
        code = text_field(edit->sport, _("sport"), 32, fields->sport, sizeof fields->sport, err);
    if (code == FD_OK && edit->address)
        code = text_field(edit->address, _("address"), 255, fields->address, sizeof fields->address, err);
    if (code == FD_OK && edit->form)
        code = form_check(edit->form, &fields->form, err);
    if (code)
        return code;
    if (!fields->name[0] || !fields->sport[0])
        return fd_fail(err, FD_BAD_INPUT, _("A venue needs a name and a sport."));
    if (edit->max_people >= 0)
        fields->max_people = edit->max_people;
    if (edit->sort_order >= 0)
        fields->sort_order = edit->sort_order;
    if (fields->max_people > 1000000 || fields->sort_order > 1000000)
        return fd_fail(err, FD_BAD_INPUT, _("This number is too large."));
    if (edit->in_use >= 0)
        fields->in_use = edit->in_use != 0;
    return FD_OK;
}

static char *edit_content(int64_t id, const struct venue_edit *edit)
{
    const char *none = "\x1e";
    return xprintf("%" PRId64 "\x1f%s\x1f%s\x1f%s\x1f%s\x1f%" PRId64 "\x1f%" PRId64 "\x1f%d", id,
                   edit->name ? edit->name : none, edit->sport ? edit->sport : none, edit->form ? edit->form : none,
                   edit->address ? edit->address : none, edit->max_people, edit->sort_order, edit->in_use);
}

struct venue_arg {
    int64_t id;
    const struct venue_edit *edit;
};

#define FIELD_ARGS(fields)                                                                                             \
    db_text("name", (fields).name), db_text("sport", (fields).sport), db_text("form", (fields).form),                  \
        db_text("address", (fields).address[0] ? (fields).address : NULL),                                             \
        (fields).max_people > 0 ? db_int("people", (fields).max_people) : db_null("people"),                           \
        db_int("sort", (fields).sort_order), db_int("in_use", (fields).in_use)

static char *fields_json(const struct venue_fields *fields)
{
    struct tree *tree = tree_object();
    tree_put_text(tree, "name", fields->name);
    tree_put_text(tree, "sport", fields->sport);
    tree_put_text(tree, "form", fields->form);
    tree_put_text(tree, "address", fields->address);
    tree_put_int(tree, "max_people", fields->max_people);
    tree_put_int(tree, "sort_order", fields->sort_order);
    tree_put_bool(tree, "in_use", fields->in_use);
    char *json = tree_dump(tree);
    tree_free(&tree);
    return json;
}

static void log_venue(struct op *op, int64_t id, const char *event, const char *before, const char *after)
{
    char no[24];
    fit_printf(no, "%" PRId64, id);
    op_log(op,
           &(struct log_entry){.entity = "venue", .entity_no = no, .event = event, .before = before, .after = after});
}

static enum fd_code add_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct venue_arg *venue = arg;
    struct venue_fields fields = {.form = "COURT", .in_use = true};
    enum fd_code code = fields_edit(&fields, venue->edit, err);
    if (code)
        return code;
    struct venue *same;
    size_t count;
    code = venue_rows(op_db(op), &q_by_name, DB_ARGS(db_text("prefix", fields.name), db_text("name", fields.name)),
                      op_arena(op), &same, &count, err);
    if (code)
        return code;
    if (count > 0 && strcmp(same[0].name, fields.name) == 0)
        return fd_fail(err, FD_EXISTS, _("There is a venue “%s” already."), fields.name);
    code = db_exec(op_db(op), &q_insert, DB_ARGS(FIELD_ARGS(fields)), NULL, err);
    if (code)
        return code;
    int64_t id = db_insert_id(op_db(op));
    char result[48];
    fit_printf(result, "{\"id\":%" PRId64 "}", id);
    op_result(op, result);
    char *after = fields_json(&fields);
    log_venue(op, id, "add", NULL, after);
    free(after);
    return FD_OK;
}

static int64_t id_from_result(const char *result)
{
    struct tree *tree = tree_parse(result ? result : "");
    int64_t id = tree ? tree_get_int(tree, "id") : 0;
    tree_free(&tree);
    return id;
}

enum fd_code venue_add(struct desk *desk, const char *key, const struct venue_edit *edit, int64_t *id,
                       struct fd_error *err)
{
    if (!edit->name || !edit->sport)
        return fd_fail(err, FD_BAD_INPUT, _("A venue needs a name and a sport."));
    struct venue_arg arg = {.edit = edit};
    char *content = edit_content(0, edit);
    char *result = NULL;
    struct op_spec spec = {.action = "venue.add", .key = key, .content = content, .apply = add_apply};
    enum fd_code code = op_run(desk, &spec, &arg, &result, NULL, err);
    if (code == FD_OK && id)
        *id = id_from_result(result);
    free(result);
    free(content);
    return code;
}

static void fields_from(struct venue_fields *fields, const struct venue *venue)
{
    memset(fields, 0, sizeof *fields);
    cut_copy(fields->name, sizeof fields->name, venue->name);
    cut_copy(fields->sport, sizeof fields->sport, venue->sport);
    cut_copy(fields->address, sizeof fields->address, venue->address);
    fields->form = venue->form;
    fields->max_people = venue->max_people;
    fields->sort_order = venue->sort_order;
    fields->in_use = venue->in_use;
}

/* Places of another form would mean another thing in slots that exist already. */
static enum fd_code form_change_check(struct op *op, const struct venue *venue, const struct venue_fields *fields,
                                      struct fd_error *err)
{
    int64_t future = 0;
    if (strcmp(venue->form, fields->form) == 0)
        return FD_OK;
    enum fd_code code = db_value_int(op_db(op), &q_future, DB_ARGS(db_int("id", venue->id)), &future, err);
    if (code == FD_OK && future > 0)
        return fd_fail(err, FD_REFUSED, _("“%s” has slots from today on: its form cannot change."), venue->name);
    return code;
}

static enum fd_code change_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct venue_arg *change = arg;
    struct venue *venue;
    struct venue_fields fields;
    enum fd_code code = venue_touch(op_db(op), change->id, err);
    if (code == FD_OK)
        code = venue_by_id(op_db(op), change->id, op_arena(op), &venue, err);
    if (code)
        return code;
    fields_from(&fields, venue);
    char *before = fields_json(&fields);
    code = fields_edit(&fields, change->edit, err);
    if (code == FD_OK)
        code = form_change_check(op, venue, &fields, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_update, DB_ARGS(FIELD_ARGS(fields), db_int("id", change->id)), NULL, err);
    if (code == FD_OK) {
        char *after = fields_json(&fields);
        log_venue(op, change->id, "change", before, after);
        free(after);
    }
    free(before);
    return code;
}

enum fd_code venue_change(struct desk *desk, const char *key, int64_t id, const struct venue_edit *edit,
                          const char *reason, struct fd_error *err)
{
    struct venue_arg arg = {.id = id, .edit = edit};
    char *content = edit_content(id, edit);
    struct op_spec spec = {
        .action = "venue.change", .key = key, .content = content, .reason = reason, .apply = change_apply};
    enum fd_code code = op_run(desk, &spec, &arg, NULL, NULL, err);
    free(content);
    return code;
}
