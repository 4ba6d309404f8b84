/* Closing a shift, blind, and reading its report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/shift_internal.h"

DB_QUERY(q_close, "shift.close", DB_NONE,
         "UPDATE shift SET status = 'CLOSED', closed_by = :operator, closed_at = :now, expected = :expected, "
         "counted = :counted, difference = :difference, explanation = :explanation, float_left = :left, "
         "denominations = :denominations, report = :report, request_key = :key, version = version + 1 "
         "WHERE id = :id AND status = 'OPEN'");
/* What was paid by code while no shift was open here belongs to this one, and to no other. A code lives seven days at
 * most. */
DB_QUERY(q_adopt, "shift.adopt", DB_NONE,
         "UPDATE payment_record SET shift = :id WHERE created_at >= :since - INTERVAL 8 DAY AND shift IS NULL "
         "AND operator IS NOT NULL AND terminal = :terminal AND channel IN ('WECHAT', 'ALIPAY') "
         "AND status = 'SUCCESS'");
DB_QUERY(q_since, "shift.since", DB_VALUE,
         "SELECT COALESCE((SELECT MAX(x.closed_at) FROM shift x WHERE x.terminal = s.terminal AND x.id < s.id), "
         "s.opened_at) FROM shift s WHERE s.id = :id");
DB_QUERY(q_open_of, "shift.open_of", DB_ROW, "SELECT id FROM shift WHERE open_terminal = :terminal");
DB_QUERY(q_list, "shift.list", DB_ROWS,
         "SELECT id FROM shift WHERE opened_at >= :from AND opened_at < :to + INTERVAL 1 DAY "
         "ORDER BY opened_at, id LIMIT 500");

DB_QUERY(q_first, "shift.first", DB_NONE,
         "UPDATE shift SET first_counted = :counted, version = version + 1 "
         "WHERE open_terminal = :terminal AND first_counted IS NULL "
         "AND NOT EXISTS (SELECT 1 FROM op_request WHERE request_key = :key)");

#define EXPLANATION_CHARS 255
#define PIECES_MOST       100000

struct close {
    const struct shift_count *count;
    const char *key; /* "" none */
    char explanation[4 * EXPLANATION_CHARS + 1];
    int64_t left_fen;
    const char *denominations;
};

/* One "100=3". False where it is not one. */
static bool one_denomination(const char *text, int64_t *piece_fen, int64_t *pieces)
{
    char piece[16];
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || (size_t)(sign - text) >= sizeof piece)
        return false;
    memcpy(piece, text, (size_t)(sign - text));
    piece[sign - text] = '\0';
    if (fen_parse(piece, "count", piece_fen, NULL) != FD_OK || *piece_fen == 0)
        return false;
    char *end;
    if (!text_is_digits(sign + 1))
        return false;
    *pieces = strtoll(sign + 1, &end, 10);
    return *end == '\0' && *pieces <= PIECES_MOST;
}

enum fd_code shift_denominations(const char *text, char **json, int64_t *fen, struct fd_error *err)
{
    struct tree *tree = tree_object();
    char *copy = xstrdup(text ? text : ""), *rest = copy, *part, key[FEN_TEXT], shown[64];
    enum fd_code code = FD_OK;
    int64_t piece, pieces, part_fen;
    *fen = 0;
    while (code == FD_OK && (part = strsep(&rest, ","))) {
        if (!one_denomination(part, &piece, &pieces) || !fen_times(piece, pieces, &part_fen) ||
            !fen_add(*fen, part_fen, fen) || tree_is_int(tree, fen_decimal(piece, key))) {
            text_clean(shown, sizeof shown, part);
            code = fd_fail(err, FD_BAD_INPUT, _("count: %s is not like 100=3,50=2,0.5=4."), shown);
        } else {
            tree_put_int(tree, fen_decimal(piece, key), pieces);
        }
    }
    if (code == FD_OK)
        *json = tree_dump(tree);
    tree_free(&tree);
    free(copy);
    return code;
}

/* Counts again what the notes and coins make: the JSON comes from a form or a script. */
static bool sum_of_denominations(const char *json, int64_t counted_fen)
{
    static const int64_t pieces_fen[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    struct tree *tree = tree_parse(json);
    int64_t sum = 0;
    char key[FEN_TEXT];
    for (size_t i = 0; tree && i < sizeof pieces_fen / sizeof *pieces_fen; i++)
        sum += pieces_fen[i] * tree_get_int(tree, fen_decimal(pieces_fen[i], key));
    bool right = tree && sum == counted_fen;
    tree_free(&tree);
    return right;
}

static enum fd_code check_count(struct close *close, struct fd_error *err)
{
    const struct shift_count *count = close->count;
    enum fd_code code = FD_OK;
    if (count->counted_fen < 0 || count->counted_fen > FEN_DECIMAL_MAX)
        return fd_fail(err, FD_BAD_INPUT, _("counted: this amount is not possible."));
    close->left_fen = count->left_fen < 0 ? count->counted_fen : count->left_fen;
    if (close->left_fen > count->counted_fen)
        return fd_fail(err, FD_BAD_INPUT, _("left: more than was counted cannot stay in the drawer."));
    if (count->denominations && count->denominations[0] &&
        !sum_of_denominations(count->denominations, count->counted_fen))
        return fd_fail(err, FD_BAD_INPUT, _("count: the notes and coins do not make the amount that was counted."));
    close->denominations = count->denominations && count->denominations[0] ? count->denominations : NULL;
    if (count->explanation && count->explanation[0])
        code = text_field(count->explanation, _("explanation"), EXPLANATION_CHARS, close->explanation,
                          sizeof close->explanation, err);
    return code;
}

static enum fd_code write_close(struct op *op, const struct close *close, struct shift_full *full, struct fd_error *err)
{
    struct shift_sum *sum = &full->sum;
    int64_t changed = 0;
    const struct db_arg args[] = {
        db_text("operator", op_desk(op)->operator),
        db_wall("now", sum->closed_at),
        db_fen("expected", sum->expected_fen),
        db_fen("counted", sum->counted_fen),
        db_fen("difference", sum->difference_fen),
        db_text("explanation", sum->explanation[0] ? sum->explanation : NULL),
        db_fen("left", sum->left_fen),
        db_text("denominations", close->denominations),
        db_text("report", shift_json(op_arena(op), full)),
        db_text("key", op_key(op)),
        db_int("id", sum->id),
    };
    enum fd_code code = db_exec(op_db(op), &q_close, args, sizeof args / sizeof *args, &changed, err);
    return code == FD_OK && changed != 1 ? fd_fail(err, FD_RETRY, NULL) : code;
}

static void log_close(struct op *op, const struct shift_sum *sum)
{
    char expected[FEN_TEXT], counted[FEN_TEXT], difference[FEN_TEXT], left[FEN_TEXT];
    op_log(op,
           &(struct log_entry){
               .entity = "shift",
               .entity_no = arena_printf(op_arena(op), "%" PRId64, sum->id),
               .event = "close",
               .state_before = "OPEN",
               .state_after = "CLOSED",
               .reason = op_reason(op) || !sum->explanation[0] ? NULL : sum->explanation,
               .after = arena_printf(
                   op_arena(op), "{\"expected\":\"%s\",\"counted\":\"%s\",\"difference\":\"%s\",\"float_left\":\"%s\"}",
                   fen_decimal(sum->expected_fen, expected), fen_decimal(sum->counted_fen, counted),
                   fen_decimal(sum->difference_fen, difference), fen_decimal(sum->left_fen, left))});
}

static enum fd_code adopt(struct op *op, const struct shift_sum *sum, struct fd_error *err)
{
    const char *since;
    enum fd_code code = db_value_text(op_db(op), &q_since, DB_ARGS(db_int("id", sum->id)), op_arena(op), &since, err);
    if (code != FD_OK)
        return code;
    return db_exec(op_db(op), &q_adopt,
                   DB_ARGS(db_int("id", sum->id), db_text("since", since), db_text("terminal", sum->terminal)), NULL,
                   err);
}

/* One count tells whether it is right. Another one after it needs an explanation, whether it is right or not. */
static enum fd_code check_explained(const struct close *close, const struct shift_sum *sum, struct fd_error *err)
{
    char first[FEN_TEXT];
    if (close->explanation[0])
        return FD_OK;
    if (sum->first_counted_fen >= 0 && sum->first_counted_fen != close->count->counted_fen) {
        fd_fail(err, FD_REASON_NEEDED, _("First %s was counted, now another amount."),
                fen_text(sum->first_counted_fen, first));
        fd_hint(err, _("Explain it."));
        return FD_REASON_NEEDED;
    }
    if (close->count->counted_fen == sum->expected_fen)
        return FD_OK;
    fd_fail(err, FD_REASON_NEEDED, _("What was counted is not what should be there."));
    fd_hint(err, _("Count again if you like, and explain the difference."));
    return FD_REASON_NEEDED;
}

/* The row is locked: whoever sells now waits, and sells in the next shift. */
static enum fd_code close_locked(struct op *op, const struct close *close, struct shift_full *full,
                                 struct fd_error *err)
{
    struct shift_sum *sum = &full->sum;
    wall_t now;
    enum fd_code code = op_now(op, &now, err);
    if (code == FD_OK)
        code = adopt(op, sum, err);
    if (code == FD_OK)
        code = shift_money(op_db(op), op_arena(op), full, err);
    if (code == FD_OK)
        code = check_explained(close, sum, err);
    if (code == FD_OK)
        code = shift_hand_over(op_db(op), op_arena(op), full, err);
    if (code != FD_OK)
        return code;
    sum->status = "CLOSED";
    sum->closed_by = op_desk(op)->operator;
    /* A sale of this very second must not lie after the close. */
    sum->closed_at = now > sum->opened_at ? now : sum->opened_at;
    sum->counted_fen = close->count->counted_fen;
    sum->difference_fen = sum->counted_fen - sum->expected_fen;
    sum->left_fen = close->left_fen;
    sum->explanation = close->explanation;
    full->denominations = close->denominations ? close->denominations : "";
    code = write_close(op, close, full, err);
    if (code == FD_OK)
        log_close(op, sum);
    return code;
}

static enum fd_code close_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct close *close = arg;
    struct shift_full full = {0};
    int64_t id;
    enum fd_code code = shift_lock(op, &id, err);
    if (code == FD_OK && id == 0)
        return shift_none_open(op, err);
    if (code == FD_OK)
        code = shift_row(op_db(op), id, op_arena(op), &full, err);
    if (code == FD_OK)
        code = close_locked(op, close, &full, err);
    shift_full_release(&full);
    if (code == FD_OK)
        op_result(op, arena_printf(op_arena(op), "{\"id\":%" PRId64 "}", id));
    return code;
}

static enum fd_code first_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct close *close = arg;
    char counted[FEN_TEXT];
    int64_t id, changed = 0;
    enum fd_code code = shift_lock(op, &id, err);
    if (code == FD_OK)
        code = db_exec(op_db(op), &q_first,
                       DB_ARGS(db_fen("counted", close->count->counted_fen), db_text("terminal", op_desk(op)->terminal),
                               db_text("key", close->key)),
                       &changed, err);
    if (code == FD_OK && changed == 1)
        op_log(op, &(struct log_entry){.entity = "shift",
                                       .entity_no = arena_printf(op_arena(op), "%" PRId64, id),
                                       .event = "count",
                                       .after = arena_printf(op_arena(op), "{\"counted\":\"%s\"}",
                                                             fen_decimal(close->count->counted_fen, counted))});
    return code;
}

/* Committed before the count is compared: a program that is killed on the refusal has told nothing for nothing. */
static enum fd_code keep_first(struct desk *desk, struct close *close, struct fd_error *err)
{
    const struct op_spec spec = {.action = "shift.close", .apply = first_apply, .no_request = true};
    return close->explanation[0] ? FD_OK : op_run(desk, &spec, close, NULL, NULL, err);
}

enum fd_code shift_close(struct desk *desk, const char *key, const struct shift_count *count, struct arena *arena,
                         struct shift_sum **sum, struct fd_error *err)
{
    struct close close = {.count = count, .key = key ? key : ""};
    char *result = NULL;
    enum fd_code code = check_count(&close, err);
    if (code != FD_OK)
        return code;
    const struct op_spec spec = {
        .action = "shift.close",
        .key = key,
        .content = arena_printf(arena, "%" PRId64 "\n%" PRId64 "\n%s\n%s", count->counted_fen, close.left_fen,
                                close.explanation, close.denominations ? close.denominations : ""),
        .apply = close_apply,
    };
    code = keep_first(desk, &close, err);
    if (code == FD_OK)
        code = op_run(desk, &spec, &close, &result, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(result);
        code = shift_report(desk, tree ? tree_get_int(tree, "id") : 0, arena, sum, err);
        tree_free(&tree);
    }
    free(result);
    return code;
}

struct report {
    const struct desk *desk;
    int64_t id;
    struct arena *arena;
    struct shift_sum *sum;
};

static enum fd_code open_of(struct db *db, struct report *report, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_open_of, DB_ARGS(db_text("terminal", report->desk->terminal)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        report->id = db_get_int(rows, 0);
    else
        code = fd_fail(err, FD_REFUSED, _("No shift is open at %s."), report->desk->terminal);
    db_rows_close(&rows);
    return code;
}

/* What should be there is nothing for who will count it. */
static void keep_back(const struct desk *desk, struct shift_sum *sum)
{
    sum->blind = desk->role != ROLE_FINANCE && desk->role != ROLE_ADMIN;
}

/* After the JSON was made, which says null. */
static void clear_secret(struct shift_sum *sum)
{
    if (!sum->blind)
        return;
    sum->expected_fen = sum->cash_fen = sum->cash_back_fen = 0;
    sum->lines[0].fen = sum->lines[0].back_fen = 0;
}

static enum fd_code read_report(struct db *db, const struct report *report, struct shift_sum *sum, struct fd_error *err)
{
    struct shift_full full = {0};
    enum fd_code code = shift_row(db, report->id, report->arena, &full, err);
    if (code != FD_OK)
        return code;
    if (full.sum.json[0] && shift_from_json(full.sum.json, report->arena, sum))
        return FD_OK;
    code = shift_money(db, report->arena, &full, err);
    if (code == FD_OK)
        code = shift_hand_over(db, report->arena, &full, err);
    if (code == FD_OK) {
        keep_back(report->desk, &full.sum);
        full.sum.json = shift_json(report->arena, &full);
        clear_secret(&full.sum);
        *sum = full.sum;
    }
    shift_full_release(&full);
    return code;
}

static enum fd_code report_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct report *report = arg;
    struct report asked = *report;
    enum fd_code code = asked.id ? FD_OK : open_of(db, &asked, err);
    return code == FD_OK ? read_report(db, &asked, report->sum, err) : code;
}

enum fd_code shift_report(struct desk *desk, int64_t id, struct arena *arena, struct shift_sum **sum,
                          struct fd_error *err)
{
    *sum = arena_alloc(arena, sizeof **sum);
    struct report report = {.desk = desk, .id = id, .arena = arena, .sum = *sum};
    return desk_read(desk, "shift.report", report_txn, &report, err);
}

struct list {
    struct report report;
    day_t from, to;
    struct shift_sum *sums;
    size_t count;
};

static enum fd_code list_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct list *list = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_list, DB_ARGS(db_day("from", list->from), db_day("to", list->to)), &rows, err);
    if (code != FD_OK)
        return code;
    list->sums = arena_array(list->report.arena, db_row_count(rows) + 1, sizeof *list->sums);
    list->count = 0;
    while (code == FD_OK && db_next(rows)) {
        struct report report = list->report;
        report.id = db_get_int(rows, 0);
        code = read_report(db, &report, &list->sums[list->count++], err);
    }
    db_rows_close(&rows);
    return code;
}

enum fd_code shift_list(struct desk *desk, day_t from, day_t to, struct arena *arena, struct shift_sum **sums,
                        size_t *count, struct fd_error *err)
{
    struct list list = {.report = {.desk = desk, .arena = arena}, .from = from, .to = to};
    enum fd_code code = desk_read(desk, "shift.list", list_txn, &list, err);
    *sums = list.sums;
    *count = list.count;
    return code;
}
