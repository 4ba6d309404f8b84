/* Actions on venues and slots. */
#include "base/text.h"
#include "core/logbook.h"
#include "venue/actions.h"

#include <inttypes.h>
#include <string.h>

struct tree *slot_tree(const struct slot *slot)
{
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    struct tree *tree = tree_object();
    const char *status = slot->over ? "over" : slot->open ? "open" : "closed";
    tree_put_int(tree, "id", slot->id);
    tree_put_text(tree, "venue", slot->venue);
    tree_put_int(tree, "venue_id", slot->venue_id);
    tree_put_text(tree, "sport", slot->sport);
    tree_put_text(tree, "form", slot->form);
    tree_put_text(tree, "date", day_sql(slot->day, date));
    tree_put_text(tree, "start", minute_text(slot->start_minute, start));
    tree_put_text(tree, "end", minute_text(slot->end_minute, end));
    tree_put_int(tree, "total_count", slot->total_count);
    tree_put_int(tree, "remain_count", slot->remain_count);
    tree_put_int(tree, "price_fen", slot->price_fen);
    tree_put_text(tree, "status", slot->open ? status : "closed");
    tree_put_bool(tree, "over", slot->over);
    tree_put_text(tree, "close_reason", slot->close_reason);
    return tree;
}

struct venue_rows {
    const char *sport;
    bool all;
    struct arena *arena;
    struct venue *rows;
    size_t count;
};

static enum fd_code venues_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct venue_rows *read = arg;
    return venue_list(db, read->sport, read->all, read->arena, &read->rows, &read->count, err);
}

enum fd_code venue_list_run(struct call *call, struct fd_error *err)
{
    struct venue_rows read = {
        .sport = call_text(call, "sport"), .all = call_switch(call, "all"), .arena = &call->arena};
    enum fd_code code = desk_read(call->desk, "venue.list", venues_txn, &read, err);
    if (code)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < read.count; i++) {
        const struct venue *venue = &read.rows[i];
        struct tree *row = tree_object();
        tree_put_int(row, "id", venue->id);
        tree_put_text(row, "name", venue->name);
        tree_put_text(row, "sport", venue->sport);
        tree_put_text(row, "form", venue->form);
        tree_put_text(row, "address", venue->address);
        tree_put_int(row, "max_people", venue->max_people);
        tree_put_int(row, "sort_order", venue->sort_order);
        tree_put_bool(row, "in_use", venue->in_use);
        tree_add(call->answer, row);
    }
    return FD_OK;
}

static enum fd_code edit_from(const struct call *call, struct venue_edit *edit, struct fd_error *err)
{
    *edit = (struct venue_edit){.name = call_text(call, "name"),
                                .sport = call_text(call, "sport"),
                                .form = call_text(call, "form"),
                                .address = call_text(call, "address"),
                                .in_use = -1};
    enum fd_code code = call_int(call, "people", -1, &edit->max_people, err);
    if (code == FD_OK)
        code = call_int(call, "sort", -1, &edit->sort_order, err);
    if (code == FD_OK && (edit->max_people < -1 || edit->sort_order < -1))
        return fd_fail(err, FD_BAD_INPUT, _("This number is below 0."));
    return code;
}

static void answer_venue(struct call *call, int64_t id)
{
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
}

enum fd_code venue_add_run(struct call *call, struct fd_error *err)
{
    struct venue_edit edit;
    int64_t id = 0;
    enum fd_code code = edit_from(call, &edit, err);
    if (code == FD_OK)
        code = venue_add(call->desk, call->key, &edit, &id, err);
    if (code)
        return code;
    answer_venue(call, id);
    call_say(call, _("Venue #%" PRId64 " was added."), id);
    return FD_OK;
}

/* Which one to change. Asked again with the same key nothing has its old name: the log says which it was. */
static enum fd_code find_changed(struct call *call, int64_t *id, struct fd_error *err)
{
    struct venue *venue;
    struct fd_error local = {0};
    int64_t done = 0;
    enum fd_code code = call_venue(call, "venue", &venue, &local);
    if (code == FD_OK) {
        *id = venue->id;
        return FD_OK;
    }
    if (code == FD_NOT_FOUND && log_done_to(call->desk, call->key, "venue.change", &done, &local) == FD_OK && done) {
        *id = done;
        return FD_OK;
    }
    if (err)
        *err = local;
    return code;
}

enum fd_code venue_change_run(struct call *call, struct fd_error *err)
{
    struct venue_edit edit;
    int64_t id = 0;
    enum fd_code code = edit_from(call, &edit, err);
    if (code == FD_OK)
        code = find_changed(call, &id, err);
    if (code)
        return code;
    if (call_given(call, "in-use"))
        edit.in_use = strcmp(call_text(call, "in-use"), "yes") == 0;
    code = venue_change(call->desk, call->key, id, &edit, call->reason, err);
    if (code)
        return code;
    answer_venue(call, id);
    call_say(call, _("Venue #%" PRId64 " was changed."), id);
    return FD_OK;
}

struct slot_rows {
    day_t day;
    const char *sport;
    int64_t venue_id;
    struct arena *arena;
    struct slot *rows;
    size_t count;
};

static enum fd_code slots_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct slot_rows *read = arg;
    return slot_list(db, read->day, read->sport, read->venue_id, read->arena, &read->rows, &read->count, err);
}

enum fd_code slot_list_run(struct call *call, struct fd_error *err)
{
    struct slot_rows read = {.sport = call_text(call, "sport"), .arena = &call->arena};
    struct venue *venue;
    enum fd_code code = call_day(call, "date", call->today, &read.day, err);
    if (code == FD_OK)
        code = call_venue(call, "venue", &venue, err);
    if (code)
        return code;
    read.venue_id = venue ? venue->id : 0;
    code = desk_read(call->desk, "slot.list", slots_txn, &read, err);
    if (code)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < read.count; i++)
        if (!call_switch(call, "free") || (read.rows[i].open && !read.rows[i].over && read.rows[i].remain_count > 0))
            tree_add(call->answer, slot_tree(&read.rows[i]));
    return FD_OK;
}

static enum fd_code plan_from(struct call *call, struct slot_plan *plan, struct fd_error *err)
{
    struct venue *venue;
    struct price_band *bands;
    int64_t length;
    enum fd_code code = call_venue(call, "venue", &venue, err);
    if (code)
        return code;
    *plan = (struct slot_plan){.venue_id = venue->id};
    bool daily = strcmp(venue->form, "DAILY") == 0;
    code = call_day(call, "from", call->today, &plan->from, err);
    if (code == FD_OK)
        code = call_day(call, "to", plan->from, &plan->to, err);
    if (code == FD_OK)
        code = call_weekdays(call, "weekdays", &plan->weekdays, err);
    if (code == FD_OK)
        code = call_span(call, "hours", &plan->open_minute, &plan->close_minute, err);
    if (code == FD_OK)
        code = call_int(call, "length", 60, &length, err);
    if (code == FD_OK)
        code = call_int(call, "places", 0, &plan->total_count, err);
    if (code == FD_OK)
        code = call_fen(call, "price", 0, &plan->price_fen, err);
    if (code == FD_OK)
        code = call_bands(call, "bands", &bands, &plan->band_count, err);
    if (code)
        return code;
    plan->bands = bands;
    plan->length_minutes = (int)(length < 0 || length > 24 * 60 ? 0 : length);
    if (plan->open_minute < 0 && !daily)
        return fd_fail(err, FD_USAGE, _("--hours is missing."));
    if (plan->open_minute < 0) {
        plan->open_minute = 0;
        plan->close_minute = 24 * 60;
    }
    return FD_OK;
}

enum fd_code slot_generate_run(struct call *call, struct fd_error *err)
{
    struct slot_plan plan;
    struct slot_made made;
    enum fd_code code = plan_from(call, &plan, err);
    if (code == FD_OK)
        code = slot_generate(call->desk, call->key, &plan, &call->arena, &made, err);
    if (code)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "made", made.made);
    tree_put_int(call->answer, "existed", made.existed);
    tree_put_int(call->answer, "refused", made.refused);
    tree_put_text(call->answer, "first_refusal", made.first_refusal);
    call_say(call, _("Slots made: %" PRId64 ", existed: %" PRId64 ", refused for overlap: %" PRId64 "."), made.made,
             made.existed, made.refused);
    if (made.refused > 0)
        call_say(call, "%s", made.first_refusal);
    return FD_OK;
}

static struct tree *sold_tree(const struct slot_order *order)
{
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT];
    struct tree *row = tree_object();
    tree_put_text(row, "order_no", order->order_no);
    tree_put_text(row, "customer", order->customer);
    tree_put_text(row, "phone", order->phone);
    tree_put_text(row, "status", order->state);
    tree_put_text(row, "venue", order->venue);
    tree_put_text(row, "date", day_sql(order->day, date));
    tree_put_text(row, "start", minute_text(order->start_minute, start));
    tree_put_text(row, "end", minute_text(order->end_minute, end));
    tree_put_int(row, "amount_fen", order->total_fen);
    return row;
}

enum fd_code slot_close_run(struct call *call, struct fd_error *err)
{
    struct slot_range range;
    struct slot_order *orders;
    size_t count;
    int64_t closed = 0;
    enum fd_code code = call_range(call, &range, err);
    if (code == FD_OK)
        code = slot_close(call->desk, call->key, &range, call->reason, &call->arena, &closed, &orders, &count, err);
    if (code)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "closed", closed);
    struct tree *list = tree_list();
    for (size_t i = 0; i < count; i++)
        tree_add(list, sold_tree(&orders[i]));
    tree_put(call->answer, "orders", list);
    call_say(call, _("Slots closed: %" PRId64 "."), closed);
    if (count > 0)
        call_say(call, _("Their orders stay valid; whom to call:"));
    return FD_OK;
}

static void answer_count(struct call *call, const char *key, int64_t count)
{
    call->answer = tree_object();
    tree_put_int(call->answer, key, count);
}

enum fd_code slot_open_run(struct call *call, struct fd_error *err)
{
    struct slot_range range;
    int64_t opened = 0;
    enum fd_code code = call_range(call, &range, err);
    if (code == FD_OK)
        code = slot_open(call->desk, call->key, &range, call->reason, &opened, err);
    if (code)
        return code;
    answer_count(call, "opened", opened);
    call_say(call, _("Slots opened: %" PRId64 "."), opened);
    return FD_OK;
}

enum fd_code slot_price_run(struct call *call, struct fd_error *err)
{
    struct slot_range range;
    int64_t price_fen, changed = 0;
    enum fd_code code = call_range(call, &range, err);
    if (code == FD_OK)
        code = call_fen(call, "price", 0, &price_fen, err);
    if (code == FD_OK)
        code = slot_price(call->desk, call->key, &range, price_fen, call->reason, &changed, err);
    if (code)
        return code;
    answer_count(call, "changed", changed);
    call_say(call, _("Prices changed: %" PRId64 "; orders keep theirs."), changed);
    return FD_OK;
}
