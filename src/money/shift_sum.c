/* What a shift took, gave back and leaves behind: sums from rows, and the report as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/order.h"
#include "money/pay.h"
#include "money/shift_internal.h"

DB_QUERY(q_row, "shift.row", DB_ROW,
         "SELECT id, terminal, status, opened_by, opened_at, opening, closed_by, closed_at, expected, counted, "
         "difference, explanation, float_left, denominations, report, first_counted FROM shift WHERE id = :id");
#define BEFORE                                                                                                         \
    "COALESCE((SELECT MAX(x.closed_at) FROM shift x WHERE x.terminal = s.terminal AND x.id < s.id), s.opened_at)"
/* A payment by code carries the shift that was open when it was paid; where none was, the next one counts it. */
DB_QUERY(q_lines, "shift.lines", DB_ROWS,
         "SELECT p.channel, 0, COUNT(*), SUM(p.amount) FROM payment_record p "
         "WHERE p.shift = :id AND p.status = 'SUCCESS' GROUP BY p.channel "
         "UNION ALL SELECT p.channel, 0, COUNT(*), SUM(p.amount) FROM shift s JOIN payment_record p "
         "ON p.created_at <= COALESCE(s.closed_at, NOW()) AND p.created_at >= " BEFORE " - INTERVAL 8 DAY "
         "WHERE s.id = :id AND p.shift IS NULL AND p.operator IS NOT NULL AND p.terminal = s.terminal "
         "AND p.channel IN ('WECHAT', 'ALIPAY') AND p.status = 'SUCCESS' "
         "AND p.callback_time BETWEEN " BEFORE " AND COALESCE(s.closed_at, NOW()) GROUP BY p.channel "
         "UNION ALL SELECT r.channel, 1, COUNT(*), SUM(r.amount) FROM refund_record r "
         "WHERE r.shift = :id AND (r.status = 'SUCCESS' OR (r.channel <> 'CASH' AND r.status IN ('CREATED', "
         "'PROCESSING'))) GROUP BY r.channel "
         "UNION ALL SELECT r.channel, 1, COUNT(*), SUM(r.amount) FROM shift s JOIN refund_record r "
         "ON r.created_at BETWEEN s.opened_at AND COALESCE(s.closed_at, NOW()) "
         "WHERE s.id = :id AND r.shift IS NULL AND r.terminal = s.terminal AND r.channel <> 'CASH' "
         "AND r.status IN ('CREATED', 'PROCESSING', 'SUCCESS') GROUP BY r.channel");
DB_QUERY(q_moves, "shift.moves", DB_ROWS,
         "SELECT created_at, amount, reason, operator FROM shift_cash WHERE shift_id = :id ORDER BY id");
DB_QUERY(q_codes, "shift.codes", DB_ROWS,
         "SELECT 'live_codes', p.order_no FROM payment_record p "
         "WHERE p.status = 'CREATED' AND p.operator IS NOT NULL ORDER BY p.id LIMIT 200");
DB_QUERY(q_cases, "shift.cases", DB_ROWS,
         "SELECT 'cases', CONCAT('#', c.id) FROM money_case c WHERE c.status IN ('OPEN', 'TAKEN') ORDER BY c.id "
         "LIMIT 200");
DB_QUERY(q_changed, "shift.changed", DB_ROWS,
         "SELECT DISTINCT 'changed', l.entity_no FROM shift s JOIN operation_log l ON l.logged_at >= s.opened_at "
         "AND l.logged_at <= COALESCE(s.closed_at, NOW()) "
         "WHERE s.id = :id AND l.terminal = s.terminal AND l.entity LIKE '%order' LIMIT 500");

#define LINES_MOST 16
#define CASH       "CASH"

void shift_full_release(struct shift_full *full)
{
    tree_free(&full->moves);
    tree_free(&full->hand_over);
}

static void read_row(const struct db_rows *rows, struct arena *arena, struct shift_full *full)
{
    struct shift_sum *sum = &full->sum;
    sum->id = db_get_int(rows, 0);
    sum->terminal = text_clean_arena(arena, db_get_text(rows, 1));
    sum->status = text_clean_arena(arena, db_get_text(rows, 2));
    sum->opened_by = text_clean_arena(arena, db_get_text(rows, 3));
    sum->opened_at = db_get_wall(rows, 4);
    sum->opening_fen = db_get_fen(rows, 5);
    sum->closed_by = text_clean_arena(arena, db_get_text(rows, 6));
    sum->closed_at = db_get_wall(rows, 7);
    sum->expected_fen = db_get_fen(rows, 8);
    sum->counted_fen = db_get_fen(rows, 9);
    sum->difference_fen = db_get_fen(rows, 10);
    sum->explanation = text_clean_arena(arena, db_get_text(rows, 11));
    sum->left_fen = db_get_fen(rows, 12);
    full->denominations = arena_str(arena, db_get_text(rows, 13));
    sum->json = arena_str(arena, db_get_text(rows, 14));
    sum->first_counted_fen = db_is_null(rows, 15) ? -1 : db_get_fen(rows, 15);
}

enum fd_code shift_row(struct db *db, int64_t id, struct arena *arena, struct shift_full *full, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_row, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        read_row(rows, arena, full);
    else
        code = fd_fail(err, FD_NOT_FOUND, _("There is no shift %lld."), (long long)id);
    db_rows_close(&rows);
    return code;
}

/* The line of a channel, made where there is none; NULL where there are too many. */
static struct shift_line *line_of(struct shift_sum *sum, struct arena *arena, const char *channel)
{
    for (size_t i = 0; i < sum->line_count; i++)
        if (strcmp(sum->lines[i].channel, channel) == 0)
            return &sum->lines[i];
    if (sum->line_count == LINES_MOST)
        return NULL;
    struct shift_line *line = &sum->lines[sum->line_count++];
    line->channel = text_clean_arena(arena, channel);
    return line;
}

static void add_line(struct shift_sum *sum, struct arena *arena, const struct db_rows *rows)
{
    struct shift_line *line = line_of(sum, arena, db_get_text(rows, 0));
    if (!line)
        return;
    bool back = db_get_int(rows, 1) != 0;
    *(back ? &line->back_count : &line->count) += db_get_int(rows, 2);
    *(back ? &line->back_fen : &line->fen) += db_get_fen(rows, 3);
}

static enum fd_code read_lines(struct db *db, struct arena *arena, struct shift_sum *sum, struct fd_error *err)
{
    struct db_rows *rows;
    sum->lines = arena_array(arena, LINES_MOST, sizeof *sum->lines);
    sum->line_count = 0;
    /* Cash stands first, also where there was none. */
    line_of(sum, arena, CASH);
    enum fd_code code = db_select(db, &q_lines, DB_ARGS(db_int("id", sum->id)), &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows))
        add_line(sum, arena, rows);
    db_rows_close(&rows);
    sum->cash_fen = sum->lines[0].fen;
    sum->cash_back_fen = sum->lines[0].back_fen;
    return FD_OK;
}

static enum fd_code read_moves(struct db *db, struct shift_full *full, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_moves, DB_ARGS(db_int("id", full->sum.id)), &rows, err);
    if (code != FD_OK)
        return code;
    tree_free(&full->moves);
    full->moves = tree_list();
    full->sum.in_fen = full->sum.out_fen = 0;
    while (db_next(rows)) {
        int64_t fen = db_get_fen(rows, 1);
        struct tree *move = tree_object();
        tree_put_text(move, "at", db_get_text(rows, 0));
        tree_put_int(move, "amount_fen", fen);
        tree_put_text(move, "reason", db_get_text(rows, 2));
        tree_put_text(move, "operator", db_get_text(rows, 3));
        tree_add(full->moves, move);
        *(fen > 0 ? &full->sum.in_fen : &full->sum.out_fen) += fen > 0 ? fen : -fen;
    }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code shift_money(struct db *db, struct arena *arena, struct shift_full *full, struct fd_error *err)
{
    struct shift_sum *sum = &full->sum;
    enum fd_code code = read_lines(db, arena, sum, err);
    if (code == FD_OK)
        code = read_moves(db, full, err);
    if (code == FD_OK)
        sum->expected_fen = sum->opening_fen + sum->cash_fen - sum->cash_back_fen + sum->in_fen - sum->out_fen;
    return code;
}

/* One part of the hand-over: its name in the report, and its count. */
static const struct {
    const char *name;
    size_t count;
} parts[] = {
    {"unpaid", offsetof(struct shift_sum, unpaid)},       {"live_codes", offsetof(struct shift_sum, live_codes)},
    {"goods_out", offsetof(struct shift_sum, goods_out)}, {"cases", offsetof(struct shift_sum, cases)},
    {"changed", offsetof(struct shift_sum, changed)},
};
#define PART_COUNT (sizeof parts / sizeof *parts)

static int64_t *part_count(struct shift_sum *sum, size_t part)
{
    return (int64_t *)(void *)((char *)sum + parts[part].count);
}

static enum fd_code add_numbers(struct db *db, struct db_query *query, struct tree *lists[PART_COUNT],
                                struct shift_sum *sum, struct fd_error *err)
{
    const struct db_arg args[] = {db_int("id", sum->id)};
    struct db_rows *rows;
    enum fd_code code = db_select(db, query, args, strstr(query->sql, ":id") ? 1 : 0, &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows))
        for (size_t i = 0; i < PART_COUNT; i++)
            if (strcmp(parts[i].name, db_get_text(rows, 0)) == 0) {
                tree_add_text(lists[i], db_get_text(rows, 1));
                ++*part_count(sum, i);
            }
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code shift_hand_over(struct db *db, struct arena *arena, struct shift_full *full, struct fd_error *err)
{
    static struct db_query *const own[] = {&q_codes, &q_cases, &q_changed};
    const struct order_kind *const *kinds;
    struct tree *lists[PART_COUNT];
    size_t kind_count = order_kinds(&kinds);
    enum fd_code code = FD_OK;
    (void)arena;
    for (size_t i = 0; i < PART_COUNT; i++) {
        lists[i] = tree_list();
        *part_count(&full->sum, i) = 0;
    }
    for (size_t i = 0; i < kind_count && code == FD_OK; i++)
        if (kinds[i]->hand_over)
            code = add_numbers(db, kinds[i]->hand_over, lists, &full->sum, err);
    for (size_t i = 0; i < sizeof own / sizeof *own && code == FD_OK; i++)
        code = add_numbers(db, own[i], lists, &full->sum, err);
    tree_free(&full->hand_over);
    full->hand_over = tree_object();
    for (size_t i = 0; i < PART_COUNT; i++)
        tree_put(full->hand_over, parts[i].name, lists[i]);
    return code;
}

static void put_wall(struct tree *tree, const char *key, wall_t wall)
{
    char text[WALL_TEXT];
    tree_put_text(tree, key, wall == WALL_NONE ? NULL : wall_sql(wall, text));
}

/* The amounts of a report, in their order. `secret`: kept back from who counts. `closed`: only after the close. */
static const struct {
    const char *key;
    size_t at;
    bool secret, closed;
} amounts[] = {
    {"opening_fen", offsetof(struct shift_sum, opening_fen), false, false},
    {"cash_fen", offsetof(struct shift_sum, cash_fen), true, false},
    {"cash_back_fen", offsetof(struct shift_sum, cash_back_fen), true, false},
    {"in_fen", offsetof(struct shift_sum, in_fen), false, false},
    {"out_fen", offsetof(struct shift_sum, out_fen), false, false},
    {"expected_fen", offsetof(struct shift_sum, expected_fen), true, false},
    {"counted_fen", offsetof(struct shift_sum, counted_fen), false, true},
    {"difference_fen", offsetof(struct shift_sum, difference_fen), false, true},
    {"left_fen", offsetof(struct shift_sum, left_fen), false, true},
};
#define AMOUNT_COUNT (sizeof amounts / sizeof *amounts)

static int64_t amount_at(const struct shift_sum *sum, size_t i)
{
    return *(const int64_t *)(const void *)((const char *)sum + amounts[i].at);
}

static void put_amount(struct tree *tree, const char *key, int64_t fen, bool hidden)
{
    if (hidden)
        tree_put_null(tree, key);
    else
        tree_put_int(tree, key, fen);
}

static struct tree *lines_tree(const struct shift_sum *sum)
{
    struct tree *list = tree_list();
    for (size_t i = 0; i < sum->line_count; i++) {
        const struct shift_line *line = &sum->lines[i];
        bool hidden = sum->blind && strcmp(line->channel, CASH) == 0;
        struct tree *row = tree_object();
        tree_put_text(row, "channel", line->channel);
        tree_put_int(row, "count", line->count);
        put_amount(row, "amount_fen", line->fen, hidden);
        tree_put_int(row, "back_count", line->back_count);
        put_amount(row, "back_fen", line->back_fen, hidden);
        tree_add(list, row);
    }
    return list;
}

const char *shift_json(struct arena *arena, const struct shift_full *full)
{
    const struct shift_sum *sum = &full->sum;
    bool open = sum->closed_at == WALL_NONE;
    struct tree *tree = tree_object();
    tree_put_int(tree, "id", sum->id);
    tree_put_text(tree, "terminal", sum->terminal);
    tree_put_text(tree, "status", sum->status);
    tree_put_text(tree, "opened_by", sum->opened_by);
    put_wall(tree, "opened_at", sum->opened_at);
    tree_put_text(tree, "closed_by", sum->closed_by[0] ? sum->closed_by : NULL);
    put_wall(tree, "closed_at", sum->closed_at);
    for (size_t i = 0; i < AMOUNT_COUNT; i++)
        put_amount(tree, amounts[i].key, amount_at(sum, i),
                   (sum->blind && amounts[i].secret) || (open && amounts[i].closed));
    put_amount(tree, "first_counted_fen", sum->first_counted_fen, sum->first_counted_fen < 0);
    tree_put_text(tree, "explanation", sum->explanation[0] ? sum->explanation : NULL);
    tree_put(tree, "lines", lines_tree(sum));
    tree_put(tree, "moves", full->moves ? tree_copy(full->moves) : tree_list());
    struct tree *denominations = full->denominations[0] ? tree_parse(full->denominations) : NULL;
    if (denominations)
        tree_put(tree, "denominations", denominations);
    tree_put(tree, "hand_over", full->hand_over ? tree_copy(full->hand_over) : tree_object());
    char *json = tree_dump(tree);
    const char *copy = arena_str(arena, json);
    free(json);
    tree_free(&tree);
    return copy;
}

static const char *text_of(const struct tree *tree, const char *key, struct arena *arena)
{
    return text_clean_arena(arena, tree_get_text(tree, key));
}

static wall_t wall_of(const struct tree *tree, const char *key)
{
    wall_t wall = WALL_NONE;
    const char *text = tree_get_text(tree, key);
    if (text)
        wall_from_sql(text, &wall);
    return wall;
}

static void lines_from(const struct tree *list, struct arena *arena, struct shift_sum *sum)
{
    sum->line_count = tree_count(list);
    sum->lines = arena_array(arena, sum->line_count + 1, sizeof *sum->lines);
    for (size_t i = 0; i < sum->line_count; i++) {
        const struct tree *row = tree_at(list, i);
        sum->lines[i] = (struct shift_line){.channel = text_of(row, "channel", arena),
                                            .count = tree_get_int(row, "count"),
                                            .fen = tree_get_int(row, "amount_fen"),
                                            .back_count = tree_get_int(row, "back_count"),
                                            .back_fen = tree_get_int(row, "back_fen")};
    }
}

bool shift_from_json(const char *json, struct arena *arena, struct shift_sum *sum)
{
    struct tree *tree = tree_parse(json);
    if (!tree)
        return false;
    *sum = (struct shift_sum){.id = tree_get_int(tree, "id"),
                              .terminal = text_of(tree, "terminal", arena),
                              .status = text_of(tree, "status", arena),
                              .opened_by = text_of(tree, "opened_by", arena),
                              .closed_by = text_of(tree, "closed_by", arena),
                              .explanation = text_of(tree, "explanation", arena),
                              .opened_at = wall_of(tree, "opened_at"),
                              .closed_at = wall_of(tree, "closed_at"),
                              .json = arena_str(arena, json)};
    for (size_t i = 0; i < AMOUNT_COUNT; i++)
        *(int64_t *)(void *)((char *)sum + amounts[i].at) = tree_get_int(tree, amounts[i].key);
    sum->first_counted_fen = tree_is_int(tree, "first_counted_fen") ? tree_get_int(tree, "first_counted_fen") : -1;
    lines_from(tree_get(tree, "lines"), arena, sum);
    for (size_t i = 0; i < PART_COUNT; i++)
        *part_count(sum, i) = (int64_t)tree_count(tree_get(tree_get(tree, "hand_over"), parts[i].name));
    tree_free(&tree);
    return true;
}
