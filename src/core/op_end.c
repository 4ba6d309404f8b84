/* The end of an action's transaction: log rows, then the hot rows, whose locks then last one statement and the COMMIT.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/text.h"
#include "core/op_internal.h"

DB_QUERY(
    q_log, "op.log", DB_NONE,
    "INSERT INTO operation_log (logged_at, request_key, run_id, operator, role, terminal, action, entity, entity_no, "
    "event, state_before, state_after, schedule_id, stock_change, amount_change, reason, before_values, after_values) "
    "VALUES (NOW(), :key, :run, :operator, :role, :terminal, :action, :entity, :entity_no, :event, :state_before, "
    ":state_after, :schedule, :stock, :amount, :reason, :before, :after)");

void op_reset(struct op *op)
{
    arena_reset(&op->arena);
    op->now = WALL_NONE;
    free(op->result);
    op->result = NULL;
    op->requested = op->result_late = op->key_absent = op->replay = false;
    op->logged = NULL;
    op->logged_end = &op->logged;
    op->firing = NULL;
    op->queued = NULL;
    op->queued_count = 0;
}

void op_release(struct op *op)
{
    free(op->result);
    arena_release(&op->arena);
    explicit_bzero(op, sizeof *op);
}

/* Cut to the column's characters: a log row must never be what stops an action. */
static const char *cut_chars(struct arena *arena, const char *text, size_t chars)
{
    if (!text)
        return NULL;
    const char *end = text;
    for (size_t i = 0; i < chars && *end; i++)
        text_next(&end);
    return *end ? arena_printf(arena, "%.*s", (int)(end - text), text) : arena_str(arena, text);
}

struct op_logged *op_log_open(struct op *op, const struct log_entry *entry)
{
    struct arena *arena = &op->arena;
    struct op_logged *logged = arena_alloc(arena, sizeof *logged);
    struct log_entry *copy = &logged->entry;
    *copy = *entry;
    copy->entity = cut_chars(arena, entry->entity, 20);
    copy->entity_no = cut_chars(arena, entry->entity_no, 64);
    copy->event = cut_chars(arena, entry->event, 20);
    copy->state_before = cut_chars(arena, entry->state_before, 20);
    copy->state_after = cut_chars(arena, entry->state_after, 20);
    copy->reason = cut_chars(arena, entry->reason ? entry->reason : op->reason, 255);
    copy->before = arena_str(arena, entry->before);
    copy->after = arena_str(arena, entry->after);
    *op->logged_end = logged;
    op->logged_end = &logged->next;
    return logged;
}

void op_log(struct op *op, const struct log_entry *entry)
{
    op_log_open(op, entry);
}

static enum fd_code write_log(struct op *op, const struct log_entry *entry, struct fd_error *err)
{
    const struct desk *desk = op->desk;
    const struct db_arg args[] = {
        db_text("key", op->spec->no_request ? NULL : op->key),
        db_text("run", desk->run_id[0] ? desk->run_id : NULL),
        db_text("operator", op_who(op)),
        db_text("role", desk->role == ROLE_NONE ? "setup" : role_name(desk->role)),
        db_text("terminal", desk->terminal),
        db_text("action", op->spec->action),
        db_text("entity", entry->entity),
        db_text("entity_no", entry->entity_no),
        db_text("event", entry->event),
        db_text("state_before", entry->state_before),
        db_text("state_after", entry->state_after),
        entry->schedule_id ? db_int("schedule", entry->schedule_id) : db_null("schedule"),
        entry->schedule_id ? db_int("stock", entry->stock_change) : db_null("stock"),
        entry->has_amount_change ? db_fen("amount", entry->amount_change_fen) : db_null("amount"),
        db_text("reason", entry->reason),
        db_text("before", entry->before),
        db_text("after", entry->after),
    };
    return db_exec(desk->db, &q_log, args, sizeof args / sizeof *args, NULL, err);
}

void op_last(struct op *op, int64_t sort_key, struct db_query *query, const struct db_arg *args, size_t count,
             op_zero_fn *on_zero, void *arg)
{
    FD_ASSERT(count <= LAST_ARGS);
    struct op_queued *queued = arena_alloc(&op->arena, sizeof *queued);
    queued->sort_key = sort_key;
    queued->order = op->queued_count++;
    queued->query = query;
    queued->count = count;
    queued->on_zero = on_zero;
    queued->arg = arg;
    for (size_t i = 0; i < count; i++) {
        queued->args[i] = args[i];
        queued->args[i].name = arena_str(&op->arena, args[i].name);
        queued->args[i].text = arena_str(&op->arena, args[i].text);
    }
    queued->next = op->queued;
    op->queued = queued;
}

static int compare_queued(const void *a, const void *b)
{
    const struct op_queued *const *x = a, *const *y = b;
    if ((*x)->sort_key != (*y)->sort_key)
        return (*x)->sort_key < (*y)->sort_key ? -1 : 1;
    return (*x)->order < (*y)->order ? -1 : 1;
}

/* One fixed order of locking for all actions: ascending ids. */
static struct op_queued **sorted_queue(struct op *op)
{
    struct op_queued **list = arena_array(&op->arena, op->queued_count, sizeof *list);
    size_t count = 0;
    for (struct op_queued *at = op->queued; at; at = at->next)
        list[count++] = at;
    if (!FD_TOOTH("unsorted"))
        qsort(list, count, sizeof *list, compare_queued);
    return list;
}

static enum fd_code send_queued(struct op *op, const struct op_queued *queued, struct fd_error *err)
{
    int64_t changed = 0;
    enum fd_code code = db_exec(op->desk->db, queued->query, queued->args, queued->count, &changed, err);
    if (code != FD_OK || changed != 0)
        return code;
    if (!queued->on_zero)
        return fd_fail(err, FD_RETRY, NULL);
    return queued->on_zero(op, queued->arg, err);
}

enum fd_code op_end(struct op *op, struct fd_error *err)
{
    for (const struct op_logged *at = op->logged; at; at = at->next) {
        enum fd_code code = write_log(op, &at->entry, err);
        if (code != FD_OK)
            return code;
        FD_POINT("op_logged");
    }
    if (op->queued_count == 0)
        return FD_OK;
    FD_POINT("op_before_hot");
    struct op_queued **list = sorted_queue(op);
    size_t count = op->queued_count;
    for (size_t i = 0; i < count; i++) {
        enum fd_code code = send_queued(op, list[i], err);
        if (code != FD_OK)
            return code;
        FD_POINT("op_hot_sent");
    }
    return FD_OK;
}
