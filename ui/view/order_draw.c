/* An order on the screen: who and where, state and money, then the story and the money rows. */
#include "ui/view/order.h"
#include "base/money.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

#define WIDE 72 /* from here on facts stand in two columns */

/* --- the head --- */

static void text_who(const struct order_facts *facts, const struct order_look *look, struct buf *text) {
    const struct order *base = &facts->order->base;
    char masked[PHONE_BYTES];
    buf_printf(text, "%s", *base->customer ? base->customer : _("no name"));
    if (*base->phone)
        buf_printf(text, "  %s", look->whole_phone ? base->phone : phone_mask(base->phone, masked));
    if (facts->customer && facts->customer->visits + facts->customer->no_shows > 0)
        buf_printf(text, _("  came %lld, missed %lld"), (long long)facts->customer->visits, (long long)facts->customer->no_shows);
}

static void text_where(const struct order_facts *facts, struct buf *text) {
    const struct venue_order *order = facts->order;
    char day[32], span[24];
    buf_printf(text, "%s  %s  %s", order->venue, show_day(order->day, day), part_span(order->start_minute, order->end_minute, span, sizeof span));
    if (order->base.quantity != 1)
        buf_printf(text, "  ×%lld", (long long)order->base.quantity);
}

static void text_state(const struct order_facts *facts, const struct order_look *look, struct buf *text) {
    const struct order *base = &facts->order->base;
    char clock[HHMM_TEXT], date[DAY_TEXT], left[16];
    buf_printf(text, "%s", state_label("venue_order", base->state));
    if (strcmp(base->state, "PENDING_PAY") == 0 && base->expire_time != WALL_NONE) {
        bool today = look->now != WALL_NONE && wall_day(look->now) == wall_day(base->expire_time);
        buf_printf(text, _(" · held until %s"), today ? "" : part_date(wall_day(base->expire_time), date, sizeof date));
        buf_printf(text, "%s%s", today ? "" : " ", minute_text(wall_minute(base->expire_time), clock));
        if (today && base->expire_time - look->now < 3600)
            buf_printf(text, " (%s)", show_hold(base->expire_time, look->now, left));
    } else if (base->check_in_time != WALL_NONE) {
        buf_printf(text, _(" · in since %s"), minute_text(wall_minute(base->check_in_time), clock));
    }
}

/* Where something went back, what was taken stands in a row of its own with it. */
static void text_money(const struct order_facts *facts, struct buf *text) {
    const struct pay_sum *sum = &facts->bill_sum;
    char total[40], owed[40], taken[40];
    size_t count = facts->owed.all_count;
    buf_add(text, show_yuan(facts->order->base.total_fen, total));
    show_yuan(facts->owed.amount_fen, owed);
    show_yuan(sum->taken_fen, taken);
    if (count > 1 && sum->back_fen == 0)
        buf_printf(text, ngettext(" · bill of %zu: owes %s, taken %s", " · bill of %zu: owes %s, taken %s", count), count, owed, taken);
    else if (count > 1)
        buf_printf(text, ngettext(" · bill of %zu: owes %s", " · bill of %zu: owes %s", count), count, owed);
    else if (sum->back_fen == 0)
        buf_printf(text, _(" · owes %s, taken %s"), owed, taken);
    else
        buf_printf(text, _(" · owes %s"), owed);
}

static int draw_sum(struct cells *cells, int row, const struct pay_sum *sum, bool of_bill) {
    char taken[40], back[40], kept[40], text[256];
    if (sum->back_fen == 0)
        return row;
    snprintf(text, sizeof text,
             of_bill ? _("Of the whole bill: taken %s, given back %s, remains %s") : _("Taken %s, given back %s, remains %s"), show_yuan(sum->taken_fen, taken), show_yuan(sum->back_fen, back),
             show_yuan(sum->taken_fen - sum->back_fen, kept));
    return row + cells_wrap(cells, row, 1, cells->columns - 2, STYLE_MONEY, text);
}

static int draw_pair(struct cells *cells, int row, int split, const struct buf *left, const struct buf *right, const style_t styles[2]) {
    if (cells->columns < WIDE) {
        cells_put(cells, row, 1, cells->columns - 1, -1, styles[0], buf_text(left));
        cells_put(cells, row + 1, 1, cells->columns - 1, -1, styles[1], buf_text(right));
        return row + 2;
    }
    cells_put(cells, row, 1, split - 2, -1, styles[0], buf_text(left));
    cells_put(cells, row, split, cells->columns - split, -1, styles[1], buf_text(right));
    return row + 1;
}

static int draw_remark(struct cells *cells, int row, style_t style, const char *label, const char *text) {
    if (*text == '\0')
        return row;
    /* TRANSLATORS: a label before what somebody has written */
    int used = cells_printf(cells, row, 1, STYLE_LABEL, _("%s:"), label);
    return row + cells_wrap(cells, row, used + 2, cells->columns - used - 3, style, text);
}

/* What frees a place by itself is written for programs. */
static const char *end_reason(const struct order *base) {
    return strcmp(base->cancel_reason, "expired") == 0 ? _("not paid in time") : base->cancel_reason;
}

static int draw_head(const struct order_facts *facts, struct cells *cells, const struct order_look *look) {
    struct buf left = {0}, right = {0};
    const struct order *base = &facts->order->base;
    text_who(facts, look, &left);
    text_where(facts, &right);
    int row = draw_pair(cells, 0, cells->columns / 2 + 1, &left, &right, (const style_t[]){STYLE_STRONG, STYLE_STRONG});
    buf_clear(&left);
    buf_clear(&right);
    text_state(facts, look, &left);
    text_money(facts, &right);
    row = draw_pair(cells, row, 35, &left, &right, (const style_t[]){show_state_style(base->state), STYLE_TEXT});
    buf_release(&left);
    buf_release(&right);
    row = draw_sum(cells, row, &facts->sum, false);
    if (facts->owed.all_count > 1)
        row = draw_sum(cells, row, &facts->bill_sum, true);
    if (facts->customer)
        row = draw_remark(cells, row, STYLE_WARN, _("Alert"), facts->customer->alert);
    row = draw_remark(cells, row, STYLE_TEXT, _("Note"), base->note);
    row = draw_remark(cells, row, STYLE_TEXT, _("Cancelled because"), end_reason(base));
    cells_hline(cells, row, 0, cells->columns, STYLE_RULE);
    return row + 1;
}

/* --- story and money: rows of one list --- */

static void story_who(const struct story_row *row, struct buf *text) {
    enum role role = role_from_name(row->role);
    if (row->online)
        buf_printf(text, _("online (%s)"), row->who);
    else if (role == ROLE_NONE || role == ROLE_WORKER)
        buf_printf(text, "%s", role == ROLE_WORKER ? role_label(role) : row->who);
    else
        buf_printf(text, "%s %s", role_label(role), row->who);
    if (*row->terminal && !row->online)
        buf_printf(text, " @%s", row->terminal);
}

static void story_text(const struct story_row *row, struct buf *text) {
    buf_add(text, row->text);
    if (text->bytes == 0 && *row->state_after && strcmp(row->state_before, row->state_after) != 0) {
        if (*row->state_before)
            buf_printf(text, "%s → ", state_label("venue_order", row->state_before));
        buf_add(text, state_label("venue_order", row->state_after));
    }
    if (row->stock_change != 0)
        buf_printf(text, _("%splaces %+lld"), text->bytes > 0 ? " · " : "", (long long)row->stock_change);
    if (*row->reason && !strstr(row->text, row->reason))
        buf_printf(text, "%s“%s”", text->bytes > 0 ? " " : "", row->reason);
}

/* Columns of a row: time, who, what, and the text, which is wrapped in its column; beside a list
 * there is no room for that: it stands below, indented. */
struct columns {
    int time, who, what, text;
    bool below;
};

static struct columns columns_of(const struct cells *cells) {
    struct columns at = {.time = 1, .below = cells->columns < WIDE};
    at.who = at.time + (at.below ? 11 : 14) + 2;
    at.what = at.below ? cells->columns - 13 : at.who + (cells->columns >= 110 ? 26 : 20) + 1;
    at.text = at.below ? 3 : at.what + 13;
    return at;
}

/* Returns the rows of the whole entry. */
static int draw_text(struct cells *cells, int row, const struct columns *at, const char *text) {
    int first = at->below ? row + 1 : row;
    int rows = *text ? cells_wrap(cells, first, at->text, cells->columns - at->text - 1, STYLE_TEXT, text) : 0;
    rows += first - row;
    return rows > 1 ? rows : 1;
}

static void draw_time(struct cells *cells, int row, wall_t at) {
    char stamp[WALL_TEXT];
    part_stamp(at, stamp, sizeof stamp);
    if (cells->columns < WIDE && strlen(stamp) > 11)
        stamp[11] = '\0'; /* no seconds */
    cells_text(cells, row, 1, STYLE_DIM, stamp);
}

/* These two return the rows taken. */
static int draw_story(struct cells *cells, int row, const struct story_row *story) {
    struct columns at = columns_of(cells);
    struct buf text = {0};
    draw_time(cells, row, story->at);
    story_who(story, &text);
    cells_put(cells, row, at.who, at.what - at.who - 1, -1, story->online ? STYLE_INFO : STYLE_TEXT, buf_text(&text));
    cells_put(cells, row, at.what, 12, -1, STYLE_STRONG, story->event_label);
    buf_clear(&text);
    story_text(story, &text);
    int rows = draw_text(cells, row, &at, buf_text(&text));
    buf_release(&text);
    return rows;
}

/* What a payment or refund that is not simply done is in. */
static const struct {
    const char *status, *label;
} money_states[] = {
    {"CREATED", NC_("money state", "to be sent")},     {"PROCESSING", NC_("money state", "on its way")},
    {"FAILED", NC_("money state", "failed")},          {"ABNORMAL", NC_("money state", "needs a person")},
    {"CREATED_CODE", NC_("money state", "code shown")}, {"FAILED_CODE", NC_("money state", "not paid")},
};

static const char *money_state(const struct payment_row *row) {
    char code[32];
    snprintf(code, sizeof code, "%s%s", row->status, row->refund ? "" : "_CODE");
    for (size_t i = 0; i < sizeof money_states / sizeof *money_states; i++)
        if (strcmp(money_states[i].status, code) == 0)
            return i18n_label(money_states[i].label);
    return row->status;
}

static void money_text(const struct payment_row *row, struct buf *text) {
    char amount[FEN_TEXT];
    if (row->allocated_fen != row->amount_fen && !row->refund)
        buf_printf(text, _("of %s "), fen_text(row->amount_fen, amount));
    if (row->tendered_fen > row->amount_fen && !row->refund) {
        buf_printf(text, _("given %s, "), fen_text(row->tendered_fen, amount));
        buf_printf(text, _("change %s "), fen_text(row->tendered_fen - row->amount_fen, amount));
    }
    if (row->refunded_fen > 0 && !row->refund)
        buf_printf(text, _("refunded %s "), fen_text(row->refunded_fen, amount));
    if (*row->reference && row->refund)
        buf_printf(text, "“%s” ", row->reference);
    else if (*row->reference)
        buf_printf(text, _("ref. %s "), row->reference);
    if (row->unconfirmed)
        buf_printf(text, "%s ", _("to be confirmed"));
    if (strcmp(row->status, "SUCCESS") != 0)
        buf_printf(text, "%s ", money_state(row));
    buf_printf(text, "%s", row->payment_no);
}

static int draw_payment(struct cells *cells, int row, const struct payment_row *payment) {
    struct columns at = columns_of(cells);
    struct buf text = {0};
    draw_time(cells, row, payment->at);
    buf_printf(&text, "%s %s", part_channel(payment->channel), payment->operator);
    cells_put(cells, row, at.who, at.what - at.who - 1, -1, payment->refund ? STYLE_WARN : STYLE_TEXT, buf_text(&text));
    part_money(cells, row, at.what, 11, payment->refund ? STYLE_WARN : STYLE_MONEY, payment->refund ? -payment->amount_fen : payment->allocated_fen);
    buf_clear(&text);
    money_text(payment, &text);
    int rows = draw_text(cells, row, &at, buf_text(&text));
    buf_release(&text);
    return rows;
}

/* Story, a heading, payments, from row `row` of the window on; what lies outside is only measured.
 * Returns the rows that all of it takes. */
static int draw_rows(const struct order_facts *facts, struct cells *cells, int row) {
    int first = row;
    for (size_t i = 0; i < facts->story_count; i++)
        row += draw_story(cells, row, &facts->story[i]);
    if (facts->payment_count > 0)
        cells_text(cells, row++, 1, STYLE_HEADER, _("Money"));
    for (size_t i = 0; i < facts->payment_count; i++)
        row += draw_payment(cells, row, &facts->payments[i]);
    return row - first;
}

static int draw_why(const struct order_facts *facts, struct cells *cells) {
    if (!facts->why || *facts->why == '\0')
        return 0;
    int rows = 0;
    char line[1024];
    for (int measure = 1; measure >= 0; measure--) {
        int at = cells->rows - rows;
        for (const char *text = facts->why; *text;) {
            size_t bytes = strcspn(text, "\n");
            cut_copy(line, bytes + 1 < sizeof line ? bytes + 1 : sizeof line, text);
            int used = cells_wrap_rows(line, cells->columns - 2);
            if (measure)
                rows += used;
            else
                at += cells_wrap(cells, at, 1, cells->columns - 2, STYLE_INFO, line);
            text += bytes + (text[bytes] == '\n');
        }
        if (measure && rows > cells->rows / 2)
            rows = cells->rows / 2;
    }
    return rows + 1;
}

void order_facts_draw(const struct order_facts *facts, struct cells *cells, struct order_look *look) {
    int row = draw_head(facts, cells, look);
    int bottom = cells->rows - draw_why(facts, cells);
    look->shown = bottom > row ? bottom - row : 0;
    struct cells body = cells_sub(cells, row, 0, look->shown, cells->columns);
    look->rows = draw_rows(facts, &body, look->shown); /* below the window: measures */
    int most = look->rows > look->shown ? look->rows - look->shown : 0;
    if (look->top > most)
        look->top = most;
    if (look->top < 0)
        look->top = 0;
    draw_rows(facts, &body, -look->top);
    if (look->top > 0)
        cells_text(&body, 0, cells->columns - 1, STYLE_DIM, cells_symbol(cells, SYMBOL_UP));
    if (look->top < most)
        cells_text(&body, look->shown - 1, cells->columns - 1, STYLE_DIM, cells_symbol(cells, SYMBOL_DOWN));
}
