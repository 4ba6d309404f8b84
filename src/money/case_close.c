/* Taking and closing a case: one row of a table for each end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/money.h"
#include "base/text.h"
#include "money/back.h"
#include "money/case_internal.h"
#include "money/code_internal.h"
#include "outside/tree.h"

DB_QUERY(q_read, "case.read", DB_ROW,
         "SELECT c.id, c.kind, c.subject, c.order_no, c.payment_id, c.refund_id, c.amount, c.status, c.owner, "
         "c.version, c.closed_at, COALESCE(o.display_name, c.closed_by), c.outcome "
         "FROM money_case c LEFT JOIN operator_account o ON o.name = c.closed_by WHERE c.id = :id");
DB_QUERY(q_end, "case.end", DB_NONE,
         "UPDATE money_case SET status = 'CLOSED', closed_at = NOW(), closed_by = :who, outcome = :outcome, "
         "reason = :reason, version = version + 1 WHERE id = :id AND version = :version AND status <> 'CLOSED'");
DB_QUERY(q_take, "case.take", DB_NONE,
         "UPDATE money_case SET status = 'TAKEN', owner = :who, taken_at = NOW(), version = version + 1 "
         "WHERE id = :id AND version = :version AND status <> 'CLOSED'");
/* Money is on its way back: the case stays with who sent it until the channel says. */
DB_QUERY(q_wait, "case.wait", DB_NONE,
         "UPDATE money_case SET status = 'TAKEN', owner = :who, taken_at = NOW(), version = version + 1, "
         "refund_id = (SELECT r.id FROM refund_record r WHERE r.refund_no = :refund_no) "
         "WHERE id = :id AND version = :version AND status <> 'CLOSED'");

#define REASON_LEAST 5

struct closing {
    int64_t id;
    const struct case_closing *how;
    /* set in each attempt */
    struct case_read row;
    int64_t left_fen;
    enum code_there there; /* NOT_DONE: what the channel said before */
};

static enum fd_code refuse_closed(const struct db_rows *rows, int64_t id, struct arena *arena, struct fd_error *err)
{
    char at[WALL_TEXT];
    wall_t closed_at = db_get_wall(rows, 10);
    return fd_fail(err, FD_REFUSED, _("Case %lld was closed by %s at %s (%s)."), (long long)id,
                   text_clean_arena(arena, db_get_text(rows, 11)),
                   closed_at == WALL_NONE ? "?" : wall_sql(closed_at, at),
                   text_clean_arena(arena, db_get_text(rows, 12)));
}

enum fd_code case_read_open(struct db *db, int64_t id, struct arena *arena, struct case_read *row, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_read, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    *row = (struct case_read){.id = id};
    if (!db_next(rows)) {
        code = fd_fail(err, FD_NOT_FOUND, _("There is no case %lld."), (long long)id);
    } else if (strcmp(db_get_text(rows, 7), "CLOSED") == 0) {
        code = refuse_closed(rows, id, arena, err);
    } else {
        row->kind = case_kind_from_name(db_get_text(rows, 1));
        cut_copy(row->subject, sizeof row->subject, db_get_text(rows, 2));
        cut_copy(row->order_no, sizeof row->order_no, db_get_text(rows, 3));
        row->payment_id = db_get_int(rows, 4);
        row->refund_id = db_get_int(rows, 5);
        row->amount_fen = db_get_fen(rows, 6);
        cut_copy(row->status, sizeof row->status, db_get_text(rows, 7));
        cut_copy(row->owner, sizeof row->owner, db_get_text(rows, 8));
        row->version = db_get_int(rows, 9);
        row->pending = row->refund_id != 0 && strcmp(row->status, "TAKEN") == 0;
    }
    db_rows_close(&rows);
    /* A newer frontdesk may know kinds that this one does not. */
    if (code == FD_OK && row->kind == CASE_KIND_COUNT)
        code = fd_fail(err, FD_REFUSED, _("Case %lld is of a kind that this frontdesk does not know."), (long long)id);
    return code;
}

static void log_case(struct op *op, const struct case_read *row, const char *event, const char *after)
{
    struct tree *tree = tree_object();
    tree_put_int(tree, "id", row->id);
    tree_put_text(tree, "kind", case_kinds[row->kind].name);
    if (after)
        tree_put_text(tree, "outcome", after);
    char *json = tree_dump(tree);
    op_log(op, &(struct log_entry){.entity = "case",
                                   .entity_no = row->subject,
                                   .event = event,
                                   .state_before = row->status,
                                   .state_after = after ? "CLOSED" : "TAKEN",
                                   .after = json});
    free(json);
    tree_free(&tree);
}

static enum fd_code changed_one(enum fd_code code, int64_t changed, struct fd_error *err)
{
    return code == FD_OK && changed != 1 ? fd_fail(err, FD_RETRY, NULL) : code;
}

enum fd_code case_end_in(struct op *op, const struct case_read *row, const char *outcome, struct fd_error *err)
{
    int64_t changed = 0;
    enum fd_code code =
        db_exec(op_db(op), &q_end,
                DB_ARGS(db_text("who", op_desk(op)->operator), db_text("outcome", outcome),
                        db_text("reason", op_reason(op)), db_int("id", row->id), db_int("version", row->version)),
                &changed, err);
    code = changed_one(code, changed, err);
    if (code == FD_OK)
        log_case(op, row, "close", outcome);
    return code;
}

enum fd_code case_order(struct db *db, const char *order_no, struct arena *arena, struct order **order,
                        struct fd_error *err)
{
    const struct order_kind *const *kinds;
    size_t count = order_kinds(&kinds);
    enum fd_code code = FD_OK;
    *order = NULL;
    for (size_t i = 0; i < count && code == FD_OK && !*order && order_no[0]; i++)
        code = kinds[i]->load_no(db, order_no, arena, order, err);
    return code;
}

/* Somebody else has it, and nobody says why that should change. */
static enum fd_code check_owner(struct op *op, const struct case_read *row, bool reason_takes, struct fd_error *err)
{
    if (!row->owner[0] || strcmp(row->owner, op_desk(op)->operator) == 0 || (reason_takes && op_reason(op)))
        return FD_OK;
    fd_fail(err, FD_REFUSED, _("%s has case %lld."), row->owner, (long long)row->id);
    fd_hint(err, _("Take it over with a reason (case take --reason)."));
    return FD_REFUSED;
}

static enum fd_code take_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct case_read row;
    int64_t changed = 0;
    enum fd_code code = case_read_open(op_db(op), *(int64_t *)arg, op_arena(op), &row, err);
    if (code == FD_OK)
        code = check_owner(op, &row, true, err);
    if (code != FD_OK)
        return code;
    code = db_exec(op_db(op), &q_take,
                   DB_ARGS(db_text("who", op_desk(op)->operator), db_int("id", row.id), db_int("version", row.version)),
                   &changed, err);
    code = changed_one(code, changed, err);
    if (code == FD_OK)
        log_case(op, &row, "take_case", NULL);
    return code;
}

enum fd_code case_take(struct desk *desk, const char *key, int64_t id, struct fd_error *err)
{
    char content[32];
    fit_printf(content, "%" PRId64, id);
    const struct op_spec spec = {.action = "case.take", .key = key, .content = content, .apply = take_apply};
    return op_run(desk, &spec, &id, NULL, NULL, err);
}

/* The ends ------------------------------------------------------------------------------------------- */

static enum fd_code wait_for(struct op *op, const struct case_read *row, const char *refund_no, struct fd_error *err)
{
    int64_t changed = 0;
    enum fd_code code = db_exec(op_db(op), &q_wait,
                                DB_ARGS(db_text("who", op_desk(op)->operator), db_text("refund_no", refund_no),
                                        db_int("id", row->id), db_int("version", row->version)),
                                &changed, err);
    code = changed_one(code, changed, err);
    if (code == FD_OK)
        log_case(op, row, "take_case", NULL);
    return code;
}

static enum fd_code give_back(struct op *op, const struct closing *closing, struct order *order, struct backed *backed,
                              struct fd_error *err)
{
    const struct case_read *row = &closing->row;
    struct back back = {.kind = BACK_AMOUNT,
                        .amount_fen = row->amount_fen,
                        .in_cash = closing->how->in_cash,
                        .reference = closing->how->reference,
                        .approval_id = closing->how->approval_id};
    if (row->kind != CASE_PART_PAID) {
        back.payment_id = row->payment_id;
        enum fd_code code = case_left_in(op, row, &back.amount_fen, err);
        return code == FD_OK ? back_rows_in(op, order, &back, back.amount_fen, backed, err) : code;
    }
    back.kind = BACK_WHOLE;
    return back_cancel_in(op, order, &back, backed, err);
}

/* An order that the online system deleted still is a number: by it the payment knows what it was for, and its money
 * goes back the way it came. It has no state, costs nothing and owes nothing. */
static struct order *order_gone(struct op *op, const char *order_no)
{
    const struct order_kind *const *kinds;
    FD_ASSERT(order_kinds(&kinds) > 0);
    struct order *order = arena_array(op_arena(op), 1, sizeof *order);
    *order = (struct order){.kind = kinds[0],
                            .expire_time = WALL_NONE,
                            .create_time = WALL_NONE,
                            .paid_time = WALL_NONE,
                            .cancel_time = WALL_NONE,
                            .check_in_time = WALL_NONE,
                            .over_time = WALL_NONE,
                            .customer = "",
                            .phone = "",
                            .note = "",
                            .operator= "",
                            .terminal = "",
                            .cancel_reason = ""};
    cut_copy(order->order_no, sizeof order->order_no, order_no);
    return order;
}

static enum fd_code end_refunded(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_read *row = &closing->row;
    struct backed backed = {0};
    struct order *order;
    if (row->pending)
        return fd_fail(err, FD_REFUSED, _("The money of case %lld is on its way back already."), (long long)row->id);
    enum fd_code code = case_order(op_db(op), row->order_no, op_arena(op), &order, err);
    if (code == FD_OK && !order && (row->kind == CASE_PART_PAID || !row->order_no[0]))
        code = fd_fail(err, FD_NOT_FOUND, _("There is no order %s."), row->order_no);
    if (code == FD_OK && !order)
        order = order_gone(op, row->order_no);
    if (code == FD_OK)
        code = give_back(op, closing, order, &backed, err);
    if (code != FD_OK)
        return code;
    return backed.pending_fen > 0 ? wait_for(op, row, backed.refund_no, err) : case_end_in(op, row, "refunded", err);
}

static enum fd_code end_moved(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_read *row = &closing->row;
    if (row->pending)
        return fd_fail(err, FD_REFUSED, _("The money of case %lld is on its way back already."), (long long)row->id);
    if (!closing->how->to || !closing->how->to[0])
        return fd_fail(err, FD_BAD_INPUT, _("Say which order the money moves to (--to)."));
    enum fd_code code = case_end_in(op, row, "moved", err);
    return code == FD_OK ? case_move_in(op, row, closing->how->to, &closing->left_fen, err) : code;
}

static enum fd_code end_confirmed(struct op *op, struct closing *closing, struct fd_error *err)
{
    enum fd_code code = case_confirm_in(op, &closing->row, err);
    return code == FD_OK ? case_end_in(op, &closing->row, "confirmed", err) : code;
}

static enum fd_code end_rejected(struct op *op, struct closing *closing, struct fd_error *err)
{
    enum fd_code code = case_reject_in(op, &closing->row, err);
    return code == FD_OK ? case_end_in(op, &closing->row, "rejected", err) : code;
}

/* What the channel holds in an amount that is not ours has no refund row: its number stands in the log. */
static void log_hand(struct op *op, const struct case_read *row, const char *reference)
{
    struct tree *tree = tree_object();
    tree_put_int(tree, "amount_fen", row->amount_fen);
    tree_put_text(tree, "reference", reference);
    char *json = tree_dump(tree);
    op_log(op, &(struct log_entry){.entity = "case", .entity_no = row->subject, .event = "give_back", .after = json});
    free(json);
    tree_free(&tree);
}

static enum fd_code end_by_hand(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_closing *how = closing->how;
    const struct case_read *row = &closing->row;
    enum fd_code code = FD_OK;
    if (!how->in_cash && (!how->reference || !how->reference[0])) {
        fd_fail(err, FD_BAD_INPUT, _("Money given back by hand needs the number of its transfer or slip."));
        fd_hint(err, _("Write it with --reference, or say --cash where it came out of the drawer."));
        return FD_BAD_INPUT;
    }
    /* No refund row would take it off what the drawer should hold. */
    if (how->in_cash && !row->refund_id) {
        fd_fail(err, FD_BAD_INPUT, _("What the channel has in another amount goes back at the channel, not in cash."));
        fd_hint(err, _("Give it back in the merchant's account, then write its number (--reference)."));
        return FD_BAD_INPUT;
    }
    if (row->refund_id)
        code = back_by_hand_in(op, row->refund_id, how->reference, how->in_cash, err);
    else
        log_hand(op, row, how->reference);
    /* Settling a refund ends its cases; this one may be among them. */
    if (code == FD_OK)
        code = case_settle_in(op, row->kind, row->subject, "paid_by_hand", err);
    return code;
}

static enum fd_code end_retried(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_read *row = &closing->row;
    enum fd_code code = FD_OK;
    if (!row->refund_id && !row->payment_id) {
        fd_fail(err, FD_REFUSED, _("Nothing is known here of %s that a channel could be asked for."), row->subject);
        fd_hint(err, _("Look into the merchant's account, then close it with what you found (--as kept)."));
        return FD_REFUSED;
    }
    if (row->refund_id)
        code = back_again_in(op, row->refund_id, err);
    if (code == FD_OK)
        code = case_settle_in(op, row->kind, row->subject, "retried", err);
    return code;
}

static enum fd_code end_kept(struct op *op, struct closing *closing, struct fd_error *err)
{
    if (closing->row.pending)
        return fd_fail(err, FD_REFUSED, _("The money of case %lld is on its way back already."),
                       (long long)closing->row.id);
    return case_end_in(op, &closing->row, "kept", err);
}

static enum fd_code only_refunds(const struct case_read *row, struct fd_error *err)
{
    fd_fail(err, FD_BAD_INPUT, _("Only what went back is recorded so; case %lld is about no refund."),
            (long long)row->id);
    return FD_BAD_INPUT;
}

static enum fd_code end_recorded(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_closing *how = closing->how;
    const struct case_read *row = &closing->row;
    int64_t fen = how->amount_fen ? how->amount_fen : row->amount_fen;
    if (!row->refund_id)
        return only_refunds(row, err);
    if (!how->reference || !how->reference[0] || fen <= 0) {
        fd_fail(err, FD_BAD_INPUT, _("What went back needs its amount and its number in the merchant's account."));
        fd_hint(err, _("Write the number with --reference, and where the case has another amount, --amount."));
        return FD_BAD_INPUT;
    }
    enum fd_code code = back_went_in(op, row->refund_id, fen, how->reference, err);
    return code == FD_OK ? case_settle_in(op, row->kind, row->subject, "recorded", err) : code;
}

/* The channel was asked before; where it was silent, the person's word counts, but not before nobody can pay. */
static enum fd_code code_not_done(struct op *op, const struct closing *closing, struct fd_error *err)
{
    struct code_row code_row;
    char until[WALL_TEXT];
    enum fd_code code = code_row_read(op_db(op), closing->row.payment_id, &code_row, err);
    if (code != FD_OK)
        return code;
    if (strcmp(code_row.status, "SUCCESS") == 0)
        return fd_fail(err, FD_REFUSED, _("%s was paid, the channel says."), closing->row.subject);
    if (!code_is_live(&code_row))
        return FD_OK;
    if (closing->there == THERE_WAITS)
        return fd_fail(err, FD_REFUSED, _("%s may still be paid, the channel says."), closing->row.subject);
    wall_t last = code_row.until == WALL_NONE ? WALL_NONE : code_row.until + CODE_WECHAT_LATE_S;
    if (last == WALL_NONE || code_row.now < last)
        return fd_fail(err, FD_REFUSED, _("%s may still be paid until %s."), closing->row.subject,
                       last == WALL_NONE ? "?" : wall_sql(last, until));
    return code_give_up_in(op, code_row.id, "PERSON", err);
}

static enum fd_code end_not_done(struct op *op, struct closing *closing, struct fd_error *err)
{
    const struct case_read *row = &closing->row;
    enum fd_code code;
    if (row->refund_id)
        code = back_never_went_in(op, row->refund_id, err);
    else if (row->payment_id)
        code = code_not_done(op, closing, err);
    else
        return fd_fail(err, FD_REFUSED, _("Nothing is known here of %s that a channel could be asked for."),
                       row->subject);
    return code == FD_OK ? case_settle_in(op, row->kind, row->subject, "not_done", err) : code;
}

typedef enum fd_code end_fn(struct op *op, struct closing *closing, struct fd_error *err);
static const struct {
    end_fn *run;
    bool finance;   /* permission case_finance */
    bool substance; /* a reason that says something */
} ends[CASE_END_COUNT] = {
    [CASE_REFUNDED] = {end_refunded, true, true},
    [CASE_MOVED] = {end_moved, false, false},
    [CASE_CONFIRMED] = {end_confirmed, true, false},
    [CASE_REJECTED] = {end_rejected, true, true},
    [CASE_PAID_BY_HAND] = {end_by_hand, true, false},
    [CASE_RETRIED] = {end_retried, true, false},
    [CASE_KEPT] = {end_kept, true, true},
    [CASE_NOT_DONE] = {end_not_done, true, true},
    [CASE_RECORDED] = {end_recorded, true, true},
};

static enum fd_code check_end(const struct case_read *row, enum case_end how, struct arena *arena, struct fd_error *err)
{
    enum case_end allowed[CASE_END_COUNT];
    size_t count = case_ends(row->kind, allowed);
    const char *list = "";
    for (size_t i = 0; i < count; i++) {
        if (allowed[i] == how)
            return FD_OK;
        list = arena_printf(arena, "%s%s%s", list, i ? C_("list", ", ") : "", case_end_name(allowed[i]));
    }
    return fd_fail(err, FD_BAD_INPUT, _("Case %lld (%s) ends so: %s."), (long long)row->id, case_kind_label(row->kind),
                   list);
}

static enum fd_code check_right(struct op *op, enum case_end how, struct fd_error *err)
{
    bool may = true;
    enum fd_code code = ends[how].finance ? op_may(op, "case_finance", &may, err) : FD_OK;
    if (code == FD_OK && !may)
        code = fd_fail(err, FD_NO_PERMISSION, _("Only finance closes a case so (%s)."), case_end_name(how));
    return code;
}

static size_t characters(const char *text)
{
    size_t count = 0;
    while (text && text_next(&text))
        count++;
    return count;
}

static enum fd_code check_reason(struct op *op, enum case_end how, struct fd_error *err)
{
    if (!ends[how].substance || characters(op_reason(op)) >= REASON_LEAST)
        return FD_OK;
    return fd_fail(err, FD_REASON_NEEDED, _("A reason is needed that says what was done or found."));
}

static enum fd_code close_apply(struct op *op, void *arg, struct fd_error *err)
{
    struct closing *closing = arg;
    enum case_end how = closing->how->how;
    struct case_read *row = &closing->row;
    closing->left_fen = 0;
    enum fd_code code = case_read_open(op_db(op), closing->id, op_arena(op), row, err);
    if (code == FD_OK)
        code = check_end(row, how, op_arena(op), err);
    if (code == FD_OK)
        code = check_right(op, how, err);
    if (code == FD_OK)
        code = check_reason(op, how, err);
    if (code == FD_OK)
        code = check_owner(op, row, false, err);
    if (code == FD_OK)
        code = ends[how].run(op, closing, err);
    if (code == FD_OK)
        op_result(op, arena_printf(op_arena(op), "{\"left_fen\":%" PRId64 ",\"order_no\":\"%s\"}", closing->left_fen,
                                   row->order_no));
    return code;
}

/* What a channel or a live code has to say is asked before the transaction. */
struct before {
    int64_t id;
    const char *to;
    struct arena *arena;
    struct case_read row;
    char to_no[NUMBER_BYTES];
};

static enum fd_code before_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct before *before = arg;
    struct order *order = NULL;
    struct fd_error local = {0};
    before->to_no[0] = '\0';
    enum fd_code code = case_read_open(db, before->id, before->arena, &before->row, &local);
    if (code == FD_OK && before->to && before->to[0])
        code = order_find(db, before->to, before->arena, &order, &local);
    if (code == FD_OK && order)
        cut_copy(before->to_no, sizeof before->to_no, order->order_no);
    if (db_is_doomed(db)) {
        if (err)
            *err = local;
        return code;
    }
    /* A refusal is the action's own to give: the key may have done it already. */
    return FD_OK;
}

static enum fd_code still_silent(struct desk *desk, const struct case_read *row, enum channel_id id,
                                 struct fd_error *err)
{
    const struct channel *channel = channels_get(desk->channels, id);
    char clock[200];
    fd_fail(err, FD_CHANNEL, _("The channel still does not say what became of %s."), row->subject);
    if (channel && channel_clock(channel, clock, sizeof clock)[0])
        fd_hint(err, "%s", clock);
    return FD_CHANNEL;
}

static enum fd_code ask_channel(struct desk *desk, const struct case_read *row, struct fd_error *err)
{
    struct pay_code *code_now = xcalloc(1, sizeof *code_now);
    enum fd_code code = FD_OK;
    /* A refund is sent again afterwards, once it is due again. What is a case has had its time, so it is closed too. */
    if (row->payment_id && !row->refund_id)
        code = code_close(desk, row->payment_id, code_now, err);
    if (code == FD_OK && row->payment_id && !row->refund_id &&
        (code_now->state == CODE_CHECKING || code_now->state == CODE_WAITING))
        code = still_silent(desk, row, code_now->channel, err);
    free(code_now);
    return code;
}

/* Once more; what it says counts, and only its silence leaves the word to the person. */
static enum code_there ask_once_more(struct desk *desk, const struct case_read *row)
{
    struct code_row code_row;
    struct channel *channel;
    struct fd_error ignored = {0};
    enum code_there there = THERE_SILENT;
    if (row->kind != CASE_UNKNOWN || !row->payment_id || row->refund_id || desk->no_channel ||
        code_row_load(desk, row->payment_id, &code_row, &ignored) != FD_OK || !code_is_live(&code_row) ||
        desk_channel(desk, code_row.channel, &channel, &ignored) != FD_OK)
        return THERE_SILENT;
    if (code_end_one(desk, channel, &code_row, &there, &ignored) != FD_OK)
        log_error(&ignored);
    return there;
}

static enum fd_code ask_before(struct desk *desk, int64_t id, const struct case_closing *how, enum code_there *there,
                               struct fd_error *err)
{
    struct arena arena = {0};
    struct before before = {.id = id, .to = how->how == CASE_MOVED ? how->to : NULL, .arena = &arena};
    bool paid = false;
    enum fd_code code = desk_read(desk, "case.before", before_txn, &before, err);
    if (code == FD_OK && how->how == CASE_RETRIED && before.row.kind == CASE_UNKNOWN && before.row.id)
        code = ask_channel(desk, &before.row, err);
    if (code == FD_OK && how->how == CASE_NOT_DONE && before.row.id)
        *there = ask_once_more(desk, &before.row);
    if (code == FD_OK && before.to_no[0])
        code = codes_end(desk, before.to_no, &paid, err);
    if (code == FD_OK && how->how == CASE_REFUNDED && before.row.kind == CASE_PART_PAID && before.row.id)
        code = codes_end(desk, before.row.order_no, &paid, err);
    arena_release(&arena);
    return code;
}

static char *closing_content(int64_t id, const struct case_closing *how)
{
    return xprintf("%" PRId64 "\n%s\n%s\n%s\n%d\n%" PRId64 "\n%" PRId64, id, case_end_name(how->how),
                   how->to ? how->to : "", how->reference ? how->reference : "", how->in_cash, how->approval_id,
                   how->amount_fen);
}

enum fd_code case_close(struct desk *desk, const char *key, int64_t id, const struct case_closing *how,
                        int64_t *left_fen, struct fd_error *err)
{
    struct closing closing = {.id = id, .how = how};
    FD_ASSERT((unsigned)how->how < CASE_END_COUNT);
    enum fd_code code = ask_before(desk, id, how, &closing.there, err);
    if (code != FD_OK)
        return code;
    char *content = closing_content(id, how), *result = NULL;
    const struct op_spec spec = {
        .action = "case.close", .key = key, .content = content, .reason = how->reason, .apply = close_apply};
    code = op_run(desk, &spec, &closing, &result, NULL, err);
    if (code == FD_OK) {
        struct tree *tree = tree_parse(result);
        const char *order_no = tree ? tree_get_text(tree, "order_no") : NULL;
        if (left_fen)
            *left_fen = tree ? tree_get_int(tree, "left_fen") : 0;
        if (order_no && order_no[0])
            back_send_now(desk, order_no);
        tree_free(&tree);
    }
    free(result);
    free(content);
    return code;
}
