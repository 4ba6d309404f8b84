/* The story of an order: our log and what the triggers saw others write, as one list; and who brought it here. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/order.h"
#include "outside/tree.h"

DB_QUERY(q_log, "story.log", DB_ROWS,
         "SELECT l.logged_at, COALESCE(a.display_name, l.operator), l.role, l.terminal, l.event, l.state_before, "
         "l.state_after, "
         "l.reason, l.before_values, l.after_values, l.schedule_id, l.stock_change "
         "FROM operation_log l LEFT JOIN operator_account a ON a.name = l.operator "
         "WHERE l.entity = :entity AND l.entity_no = :number ORDER BY l.id");
DB_QUERY(q_change, "story.change", DB_ROWS,
         "SELECT changed_at, database_user, old_status, new_status, old_values, new_values "
         "FROM order_change WHERE entity = :entity AND order_no = :number ORDER BY id");
DB_QUERY(q_who_log, "story.who_log", DB_ROW,
         "SELECT l.logged_at, COALESCE(a.display_name, l.operator), l.terminal "
         "FROM operation_log l LEFT JOIN operator_account a ON a.name = l.operator "
         "WHERE l.entity = :entity AND l.entity_no = :number AND l.state_after = :state "
         "AND (l.state_before IS NULL OR l.state_before <> l.state_after) ORDER BY l.id DESC LIMIT 1");
DB_QUERY(q_who_change, "story.who_change", DB_ROW,
         "SELECT changed_at, database_user FROM order_change WHERE entity = :entity AND order_no = :number "
         "AND new_status = :state AND (old_status IS NULL OR old_status <> new_status) ORDER BY id DESC LIMIT 1");

/* "11-30 10:42" */
static const char *short_time(struct arena *arena, wall_t at)
{
    int year, month, dom;
    char minute[HHMM_TEXT];
    day_split(wall_day(at), &year, &month, &dom);
    return arena_printf(arena, "%02d-%02d %s", month, dom, minute_text(wall_minute(at), minute));
}

enum fd_code order_who(struct db *db, const struct order *order, struct arena *arena, const char **text,
                       struct fd_error *err)
{
    const struct db_arg args[] = {db_text("entity", order->kind->entity), db_text("number", order->order_no),
                                  db_text("state", order->state)};
    struct db_rows *rows;
    wall_t ours = WALL_NONE;
    *text = "";
    enum fd_code code = db_select(db, &q_who_log, args, 3, &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows)) {
        ours = db_get_wall(rows, 0);
        /* TRANSLATORS: by OPERATOR at TERMINAL on MM-DD HH:MM */
        *text = arena_printf(arena, _("by %s at %s on %s"), text_clean_arena(arena, db_get_text(rows, 1)),
                             text_clean_arena(arena, db_get_text(rows, 2)), short_time(arena, ours));
    }
    db_rows_close(&rows);
    code = db_select(db, &q_who_change, args, 3, &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows) && (ours == WALL_NONE || db_get_wall(rows, 0) >= ours))
        /* TRANSLATORS: online (database account) on MM-DD HH:MM */
        *text = arena_printf(arena, _("online (%s) on %s"), text_clean_arena(arena, db_get_text(rows, 1)),
                             short_time(arena, db_get_wall(rows, 0)));
    db_rows_close(&rows);
    return FD_OK;
}

enum story_value { STORY_INT, STORY_FEN, STORY_TEXT };
static const struct {
    const char *key;
    enum story_value type;
    const char *label; /* NC_ */
} changes[] = {
    {"place", STORY_INT, NC_("change", "slot")},
    {"quantity", STORY_INT, NC_("change", "quantity")},
    {"total_fen", STORY_FEN, NC_("change", "amount")},
    {"paid_fen", STORY_FEN, NC_("change", "received")},
    {"unit_price_fen", STORY_FEN, NC_("change", "price")},
    {"day", STORY_TEXT, NC_("change", "day")},
    {"start", STORY_TEXT, NC_("change", "from")},
    {"end", STORY_TEXT, NC_("change", "to")},
    {"expire_time", STORY_TEXT, NC_("change", "pay until")},
    {"note", STORY_TEXT, NC_("change", "note")},
};

static const char *value_text(struct arena *arena, const struct tree *values, size_t i)
{
    char fen[FEN_TEXT];
    const char *key = changes[i].key;
    switch (changes[i].type) {
    case STORY_FEN:
        return arena_str(arena, fen_text(tree_get_int(values, key), fen));
    case STORY_INT:
        return arena_printf(arena, "%lld", (long long)tree_get_int(values, key));
    case STORY_TEXT:
        break;
    }
    const char *text = tree_get_text(values, key);
    return text && text[0] ? text_clean_arena(arena, text) : "–";
}

/* What desk tenders have left falls with a refund, but not by what had gone back before without the price: "60.00 → 20.50"
 * of an order that was given back whole would mislead. The refund says how much it was. */
static bool is_money_back(const struct tree *before, const struct tree *after, size_t i)
{
    return strcmp(changes[i].key, "paid_fen") == 0 &&
           tree_get_int(after, changes[i].key) < tree_get_int(before, changes[i].key);
}

/* "slot 3 → 4, amount 80.00 → 100.00" out of the row's two JSON objects. */
static const char *changes_text(struct arena *arena, const char *before_json, const char *after_json)
{
    struct tree *before = tree_parse(before_json), *after = tree_parse(after_json);
    struct buf buf = {0};
    for (size_t i = 0; before && after && i < sizeof changes / sizeof *changes; i++)
        if (tree_get(before, changes[i].key) && tree_get(after, changes[i].key) && !is_money_back(before, after, i))
            buf_printf(&buf, "%s%s %s → %s", buf.bytes ? _(", ") : "", i18n_label(changes[i].label),
                       value_text(arena, before, i), value_text(arena, after, i));
    const char *text = arena_str(arena, buf_text(&buf));
    buf_release(&buf);
    tree_free(&before);
    tree_free(&after);
    return text;
}

static const char *keep(struct arena *arena, const struct db_rows *rows, unsigned column)
{
    return text_clean_arena(arena, db_get_text(rows, column));
}

static void read_log_row(struct arena *arena, const struct db_rows *rows, struct story_row *row)
{
    row->at = db_get_wall(rows, 0);
    row->who = keep(arena, rows, 1);
    row->role = keep(arena, rows, 2);
    row->terminal = keep(arena, rows, 3);
    row->event = keep(arena, rows, 4);
    row->event_label = arena_str(arena, event_label(row->event));
    row->state_before = keep(arena, rows, 5);
    row->state_after = keep(arena, rows, 6);
    row->reason = keep(arena, rows, 7);
    row->text = changes_text(arena, db_get_text(rows, 8), db_get_text(rows, 9));
    row->schedule_id = db_get_int(rows, 10);
    row->stock_change = db_get_int(rows, 11);
}

/* What the triggers write: "slot=3 quantity=1 amount=80.00 pay_until=2026-12-01 10:42:00 user=5". */
static const struct {
    const char *key;
    const char *label; /* NC_ */
} seen[] = {
    {"slot", NC_("change", "slot")},     {"quantity", NC_("change", "quantity")},
    {"amount", NC_("change", "amount")}, {"pay_until", NC_("change", "pay until")},
    {"user", NC_("change", "customer")},
};
#define SEEN_COUNT (sizeof seen / sizeof *seen)

/* Where " key=" stands in the text, its value into *length; NULL where it does not. */
static const char *seen_value(const char *text, const char *key, size_t *length)
{
    size_t bytes = strlen(key);
    for (const char *at = text; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, bytes) != 0 || at[bytes] != '=')
            continue;
        at += bytes + 1;
        *length = strlen(at);
        /* A time has a blank inside: the value ends where the next key begins. */
        for (size_t i = 0; i < SEEN_COUNT; i++) {
            char next[24];
            fit_printf(next, " %s=", seen[i].key);
            const char *end = strstr(at, next);
            if (end && (size_t)(end - at) < *length)
                *length = (size_t)(end - at);
        }
        return at;
    }
    return NULL;
}

static const char *seen_text(struct arena *arena, size_t i, const char *value, size_t length)
{
    wall_t at;
    const char *text = arena_printf(arena, "%.*s", (int)length, value);
    if (strcmp(seen[i].key, "pay_until") == 0 && length >= 19)
        return wall_from_sql(arena_printf(arena, "%.19s", text), &at) ? short_time(arena, at) : text;
    return length > 0 ? text : "–";
}

/* "slot 3 → 4, quantity 1 → 2"; of an order that came or went what it is or was. */
static const char *seen_changes(struct arena *arena, const char *before, const char *after)
{
    struct buf buf = {0};
    for (size_t i = 0; i < SEEN_COUNT; i++) {
        size_t old_length = 0, new_length = 0;
        const char *old = seen_value(before, seen[i].key, &old_length);
        const char *now = seen_value(after, seen[i].key, &new_length);
        if (old && now && old_length == new_length && strncmp(old, now, old_length) == 0)
            continue;
        if ((!old && !new_length) || (!now && !old_length))
            continue;
        buf_printf(&buf, "%s%s ", buf.bytes ? _(", ") : "", i18n_label(seen[i].label));
        if (old && now)
            buf_printf(&buf, "%s → ", seen_text(arena, i, old, old_length));
        buf_add(&buf, now ? seen_text(arena, i, now, new_length) : seen_text(arena, i, old, old_length));
    }
    const char *text = arena_str(arena, buf_text(&buf));
    buf_release(&buf);
    return text;
}

static void read_change_row(struct arena *arena, const struct db_rows *rows, struct story_row *row)
{
    row->at = db_get_wall(rows, 0);
    row->online = true;
    row->who = keep(arena, rows, 1);
    row->role = row->terminal = row->reason = "";
    row->event = "online";
    row->event_label = arena_str(arena, event_label("online"));
    row->state_before = keep(arena, rows, 2);
    row->state_after = keep(arena, rows, 3);
    const char *old = keep(arena, rows, 4), *now = keep(arena, rows, 5);
    row->text = seen_changes(arena, old, now);
}

struct story_part {
    struct story_row *rows;
    size_t count;
};

static enum fd_code read_part(struct db *db, struct db_query *query, const struct db_arg args[2], struct arena *arena,
                              struct story_part *part, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, args, 2, &rows, err);
    if (code != FD_OK)
        return code;
    part->rows = arena_array(arena, db_row_count(rows) + 1, sizeof *part->rows);
    part->count = 0;
    while (db_next(rows)) {
        struct story_row *row = &part->rows[part->count++];
        if (query == &q_log)
            read_log_row(arena, rows, row);
        else
            read_change_row(arena, rows, row);
    }
    db_rows_close(&rows);
    return FD_OK;
}

/* Each part is in its own order already; only the two are woven together by time. */
static struct story_row *weave(struct arena *arena, const struct story_part *a, const struct story_part *b)
{
    struct story_row *all = arena_array(arena, a->count + b->count + 1, sizeof *all);
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool first = j == b->count || (i < a->count && a->rows[i].at <= b->rows[j].at);
        all[i + j] = first ? a->rows[i] : b->rows[j];
        if (first)
            i++;
        else
            j++;
    }
    return all;
}

enum fd_code order_story(struct db *db, const char *entity, const char *order_no, struct arena *arena,
                         struct story_row **rows, size_t *count, struct fd_error *err)
{
    const struct db_arg args[] = {db_text("entity", entity), db_text("number", order_no)};
    struct story_part ours, theirs;
    enum fd_code code = read_part(db, &q_log, args, arena, &ours, err);
    if (code == FD_OK)
        code = read_part(db, &q_change, args, arena, &theirs, err);
    if (code != FD_OK)
        return code;
    *rows = weave(arena, &ours, &theirs);
    *count = ours.count + theirs.count;
    return FD_OK;
}
