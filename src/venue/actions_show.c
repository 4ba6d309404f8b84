/* Actions that show orders and answer why. Lists mask phones; what shows a whole one logs that it did. */
#include "base/text.h"
#include "core/customer.h"
#include "venue/actions.h"

#include <inttypes.h>
#include <string.h>

static void put_wall(struct tree *tree, const char *key, wall_t wall)
{
    char text[WALL_TEXT];
    tree_put_text(tree, key, wall == WALL_NONE ? NULL : wall_sql(wall, text));
}

struct tree *venue_order_tree(const struct venue_order *order, bool whole_phone)
{
    const struct order *base = &order->base;
    char date[DAY_TEXT], start[HHMM_TEXT], end[HHMM_TEXT], masked[PHONE_BYTES];
    struct tree *tree = tree_object();
    tree_put_int(tree, "id", base->id);
    tree_put_text(tree, "order_no", base->order_no);
    tree_put_text(tree, "bill", base->bill_no[0] ? base->bill_no : NULL);
    tree_put_text(tree, "status", base->state);
    tree_put_text(tree, "status_text", state_label("venue_order", base->state));
    tree_put_text(tree, "venue", order->venue);
    tree_put_int(tree, "venue_id", order->venue_id);
    tree_put_int(tree, "slot", base->place_id);
    tree_put_text(tree, "date", day_sql(order->day, date));
    tree_put_text(tree, "start", minute_text(order->start_minute, start));
    tree_put_text(tree, "end", minute_text(order->end_minute, end));
    tree_put_int(tree, "quantity", base->quantity);
    tree_put_int(tree, "amount_fen", base->total_fen);
    tree_put_int(tree, "paid_fen", base->paid_fen);
    tree_put_text(tree, "customer", base->customer);
    tree_put_text(tree, "phone", whole_phone ? base->phone : phone_mask(base->phone, masked));
    tree_put_text(tree, "operator", base->operator[0] ? base->operator : NULL);
    /* What is paid or ended is held no more, though its row still says until when it was. */
    put_wall(tree, "hold_until", strcmp(base->state, "PENDING_PAY") == 0 ? base->expire_time : WALL_NONE);
    tree_put_text(tree, "note", base->note);
    tree_put_bool(tree, "moved_late", order->moved_late);
    return tree;
}

static enum fd_code filter_from(struct call *call, struct order_filter *filter, struct fd_error *err)
{
    struct venue *venue = NULL;
    int64_t limit;
    const char *after = call_text(call, "after");
    *filter = (struct order_filter){.from = DAY_NONE,
                                    .to = DAY_NONE,
                                    .after_day = DAY_NONE,
                                    .phone = call_text(call, "phone"),
                                    .phone_tail = call_text(call, "phone-tail"),
                                    .number = call_text(call, "number"),
                                    .name = call_text(call, "name"),
                                    .states = call_text(call, "status"),
                                    .operator= call_text(call, "by-operator")};
    enum fd_code code = call_day(call, "date", DAY_NONE, &filter->from, err);
    filter->to = filter->from;
    if (code == FD_OK && call_given(call, "from"))
        code = call_day(call, "from", DAY_NONE, &filter->from, err);
    if (code == FD_OK && call_given(call, "to"))
        code = call_day(call, "to", DAY_NONE, &filter->to, err);
    if (code == FD_OK)
        code = call_venue(call, "venue", &venue, err);
    if (code == FD_OK)
        code = call_int(call, "limit", 50, &limit, err);
    if (code == FD_OK && (limit < 1 || limit > 500))
        code = fd_fail(err, FD_BAD_INPUT, _("--limit must be between 1 and 500."));
    if (code == FD_OK && after)
        code = cursor_parse(after, &filter->after_day, &filter->after_id, err);
    if (code)
        return code;
    const char *tail = filter->phone_tail;
    if (tail && (strlen(tail) != 4 || !text_is_digits(tail)))
        return fd_fail(err, FD_BAD_INPUT, _("--phone-tail takes the last 4 digits."));
    filter->venue_id = venue ? venue->id : 0;
    filter->most = (size_t)limit;
    return FD_OK;
}

enum fd_code order_list_run(struct call *call, struct fd_error *err)
{
    struct order_filter filter;
    struct venue_order *rows;
    size_t count;
    bool more;
    enum fd_code code = filter_from(call, &filter, err);
    if (code == FD_OK)
        code = venue_order_search(call->desk, &filter, &call->arena, &rows, &count, &more, err);
    if (code)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++) {
        char date[DAY_TEXT], cursor[64];
        struct tree *row = venue_order_tree(&rows[i], false);
        fit_printf(cursor, "%s:%" PRId64, day_sql(rows[i].day, date), rows[i].base.id);
        tree_put_text(row, "cursor", cursor);
        tree_add(call->answer, row);
        if (more && i + 1 == count)
            call->next = arena_str(&call->arena, cursor);
    }
    if (count == 0)
        call_say(call, _("No orders."));
    return FD_OK;
}

struct show {
    const char *number;
    struct arena *arena;
    struct venue_order *order;
    struct payment_row *payments;
    struct pay_sum sum;
    struct story_row *story;
    size_t payment_count, story_count;
};

static enum fd_code show_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct show *show = arg;
    enum fd_code code = venue_order_find(db, show->number, show->arena, &show->order, err);
    if (code == FD_OK)
        code = pay_rows(db, show->order->base.order_no, show->arena, &show->payments, &show->payment_count, err);
    show->sum = (struct pay_sum){0};
    if (code == FD_OK)
        pay_sum_add(&show->sum, show->payments, show->payment_count);
    if (code == FD_OK)
        code = order_story(db, "venue_order", show->order->base.order_no, show->arena, &show->story, &show->story_count,
                           err);
    return code;
}

static struct tree *payments_tree(const struct show *show)
{
    struct tree *list = tree_list();
    for (size_t i = 0; i < show->payment_count; i++) {
        const struct payment_row *from = &show->payments[i];
        struct tree *row = tree_object();
        tree_put_text(row, "payment_no", from->payment_no);
        tree_put_text(row, "channel", from->channel);
        tree_put_text(row, "status", from->status);
        tree_put_int(row, "amount_fen", from->amount_fen);
        tree_put_int(row, "allocated_fen", from->allocated_fen);
        tree_put_int(row, "refunded_fen", from->refunded_fen);
        tree_put_int(row, "tendered_fen", from->tendered_fen);
        tree_put_text(row, "operator", from->operator);
        tree_put_text(row, "reference", from->reference);
        put_wall(row, "at", from->at);
        tree_put_bool(row, "refund", from->refund);
        tree_put_bool(row, "unconfirmed", from->unconfirmed);
        tree_add(list, row);
    }
    return list;
}

static struct tree *story_tree(const struct show *show)
{
    struct tree *list = tree_list();
    for (size_t i = 0; i < show->story_count; i++) {
        const struct story_row *from = &show->story[i];
        struct tree *row = tree_object();
        put_wall(row, "at", from->at);
        tree_put_bool(row, "online", from->online);
        tree_put_text(row, "who", from->who);
        tree_put_text(row, "role", from->role);
        tree_put_text(row, "terminal", from->terminal);
        tree_put_text(row, "event", from->event);
        tree_put_text(row, "before", from->state_before);
        tree_put_text(row, "after", from->state_after);
        tree_put_text(row, "reason", from->reason);
        tree_put_text(row, "text", from->text);
        tree_put_int(row, "slot", from->schedule_id);
        tree_put_int(row, "stock_change", from->stock_change);
        tree_add(list, row);
    }
    return list;
}

static void say_story(struct call *call, const struct show *show)
{
    char at[WALL_TEXT];
    for (size_t i = 0; i < show->story_count; i++) {
        const struct story_row *row = &show->story[i];
        struct buf line = {0};
        buf_printf(&line, "%s  %s  %s", wall_sql(row->at, at), row->online ? _("online") : row->who, row->event_label);
        if (strcmp(row->state_before, row->state_after) != 0 && row->state_after[0])
            buf_printf(&line, "  \u2192 %s", state_label("venue_order", row->state_after));
        if (row->schedule_id)
            buf_printf(&line, "  %s %+" PRId64, C_("change", "places"), row->stock_change);
        if (row->text[0])
            buf_printf(&line, "  %s", row->text);
        if (row->reason[0])
            buf_printf(&line, "  \u201c%s\u201d", row->reason);
        call_say(call, "%s", buf_text(&line));
        buf_release(&line);
    }
}

static void say_money(struct call *call, const struct show *show)
{
    const struct order *base = &show->order->base;
    const struct pay_sum *sum = &show->sum;
    char amount[FEN_TEXT], taken[FEN_TEXT], back[FEN_TEXT], kept[FEN_TEXT], due[FEN_TEXT];
    fen_text(base->total_fen, amount);
    fen_text(sum->taken_fen, taken);
    fen_text(base->due_fen, due);
    if (sum->back_fen == 0)
        call_say(call, _("Amount %s, taken %s, due %s"), amount, taken, due);
    else
        call_say(call, _("Amount %s, taken %s, given back %s, remains %s, due %s"), amount, taken,
                 fen_text(sum->back_fen, back), fen_text(sum->taken_fen - sum->back_fen, kept), due);
}

static void say_order(struct call *call, const struct show *show)
{
    const struct venue_order *order = show->order;
    const struct order *base = &order->base;
    char amount[FEN_TEXT], until[WALL_TEXT];
    call_say(call, "%s  %s", base->order_no, state_label("venue_order", base->state));
    call_say(call, "%s  %s", base->customer, base->phone);
    call_say(call, "%s  \u00d7%" PRId64, order_place_text(&call->arena, order, DAY_NONE), base->quantity);
    say_money(call, show);
    if (strcmp(base->state, "PENDING_PAY") == 0 && base->expire_time != WALL_NONE)
        call_say(call, _("Held until %s."), wall_sql(base->expire_time, until));
    if (base->note[0])
        call_say(call, _("Note: %s"), base->note);
    for (size_t i = 0; i < show->payment_count; i++)
        call_say(call, "%s  %s  %s%s", show->payments[i].payment_no, venue_channel_label(show->payments[i].channel),
                 show->payments[i].refund ? "-" : "", fen_text(show->payments[i].amount_fen, amount));
    say_story(call, show);
}

enum fd_code order_show_run(struct call *call, struct fd_error *err)
{
    struct show show = {.number = call_text(call, "number"), .arena = &call->arena};
    enum fd_code code = desk_read(call->desk, "order.show", show_txn, &show, err);
    if (code)
        return code;
    /* The whole phone is shown: before anybody reads it stands in the log who did. */
    if (show.order->base.phone[0])
        code = customer_log_shown(call->desk, show.order->base.user_id, err);
    if (code)
        return code;
    call->answer = venue_order_tree(show.order, true);
    tree_put_int(call->answer, "due_fen", show.order->base.due_fen);
    tree_put_int(call->answer, "taken_fen", show.sum.taken_fen);
    tree_put_int(call->answer, "given_back_fen", show.sum.back_fen);
    put_wall(call->answer, "created", show.order->base.create_time);
    put_wall(call->answer, "paid_at", show.order->base.paid_time);
    put_wall(call->answer, "cancelled_at", show.order->base.cancel_time);
    put_wall(call->answer, "checked_in_at", show.order->base.check_in_time);
    tree_put_text(call->answer, "cancel_reason", show.order->base.cancel_reason);
    tree_put(call->answer, "payments", payments_tree(&show));
    tree_put(call->answer, "story", story_tree(&show));
    say_order(call, &show);
    return FD_OK;
}

static enum fd_code answer_why(struct call *call, enum fd_code code, const char *text)
{
    if (code)
        return code;
    call->answer = tree_object();
    struct tree *list = tree_list();
    while (*text) {
        size_t length = strcspn(text, "\n");
        tree_add_text(list, arena_printf(&call->arena, "%.*s", (int)length, text));
        call_say(call, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
    tree_put(call->answer, "why", list);
    return FD_OK;
}

enum fd_code why_slot_run(struct call *call, struct fd_error *err)
{
    int64_t id;
    const char *text = "";
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = why_slot(call->desk, id, &call->arena, &text, err);
    return answer_why(call, code, text);
}

enum fd_code why_order_run(struct call *call, struct fd_error *err)
{
    const char *text = "";
    enum fd_code code = why_order(call->desk, call_text(call, "number"), &call->arena, &text, err);
    return answer_why(call, code, text);
}

enum fd_code why_day_run(struct call *call, struct fd_error *err)
{
    day_t day;
    const char *text = "";
    enum fd_code code = call_day(call, "date", call->today, &day, err);
    if (code == FD_OK)
        code = why_day(call->desk, day, &call->arena, &text, err);
    return answer_why(call, code, text);
}
