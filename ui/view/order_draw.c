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

static void text_money(const struct order_facts *facts, struct buf *text) {
    const struct order *base = &facts->order->base;
    char total[40], owed[40], taken[40];
    int64_t taken_fen = 0;
    buf_printf(text, _("This order %s"), show_yuan(base->total_fen, total));
    for (size_t i = 0; i < facts->owed.all_count; i++)
        taken_fen += facts->owed.all[i]->paid_fen;
    if (facts->owed.all_count > 1)
        buf_printf(text, ngettext("   Bill of %zu: owes %s, taken %s", "   Bill of %zu: owes %s, taken %s", facts->owed.all_count),
                   facts->owed.all_count, show_yuan(facts->owed.amount_fen, owed), show_yuan(taken_fen, taken));
    else
        buf_printf(text, _("   owes %s, taken %s"), show_yuan(facts->owed.amount_fen, owed), show_yuan(base->paid_fen, taken));
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
    int used = cells_text(cells, row, 1, STYLE_LABEL, label);
    return row + cells_wrap(cells, row, used + 2, cells->columns - used - 3, style, text);
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
    row = draw_pair(cells, row, 32, &left, &right, (const style_t[]){show_state_style(base->state), STYLE_TEXT});
    buf_release(&left);
    buf_release(&right);
    if (facts->customer)
        row = draw_remark(cells, row, STYLE_WARN, _("Alert"), facts->customer->alert);
    row = draw_remark(cells, row, STYLE_TEXT, _("Note"), base->note);
    row = draw_remark(cells, row, STYLE_TEXT, _("Cancelled because"), base->cancel_reason);
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
    if (*row->reason && !strstr(row->text, row->reason))
        buf_printf(text, "%s“%s”", text->bytes > 0 ? " " : "", row->reason);
}

static int who_cells(const struct cells *cells) {
    return cells->columns >= 110 ? 26 : cells->columns >= WIDE ? 20 : 12;
}

static void draw_story(struct cells *cells, int at, const struct story_row *row) {
    char stamp[WALL_TEXT];
    struct buf text = {0};
    int who = who_cells(cells), column = 1;
    bool narrow = cells->columns < WIDE;
    part_stamp(row->at, stamp, sizeof stamp);
    if (narrow && strlen(stamp) > 11)
        stamp[11] = '\0'; /* no seconds */
    column += cells_text(cells, at, column, STYLE_DIM, stamp) + 2;
    story_who(row, &text);
    cells_put(cells, at, column, who, -1, row->online ? STYLE_INFO : STYLE_TEXT, buf_text(&text));
    column += who + 2;
    cells_put(cells, at, column, 10, -1, STYLE_STRONG, row->event_label);
    column += 11;
    buf_clear(&text);
    story_text(row, &text);
    cells_put(cells, at, column, cells->columns - column, -1, STYLE_TEXT, buf_text(&text));
    buf_release(&text);
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
    if (*row->reference)
        buf_printf(text, _("ref. %s "), row->reference);
    if (row->unconfirmed)
        buf_printf(text, "%s ", _("to be confirmed"));
    if (strcmp(row->status, "SUCCESS") != 0)
        buf_printf(text, "%s ", row->status);
    buf_printf(text, "%s", row->payment_no);
}

static void draw_payment(struct cells *cells, int at, const struct payment_row *row) {
    char stamp[WALL_TEXT];
    struct buf text = {0};
    int who = who_cells(cells), column = 1;
    part_stamp(row->at, stamp, sizeof stamp);
    if (cells->columns < WIDE && strlen(stamp) > 11)
        stamp[11] = '\0';
    cells_text(cells, at, column, STYLE_DIM, stamp);
    column += (cells->columns < WIDE ? 11 : 14) + 2;
    buf_printf(&text, "%s %s", part_channel(row->channel), row->operator);
    cells_put(cells, at, column, who, -1, row->refund ? STYLE_WARN : STYLE_TEXT, buf_text(&text));
    column += who + 2;
    part_money(cells, at, column, 10, row->refund ? STYLE_WARN : STYLE_MONEY, row->refund ? -row->amount_fen : row->allocated_fen);
    column += 11;
    buf_clear(&text);
    money_text(row, &text);
    cells_put(cells, at, column, cells->columns - column, -1, STYLE_TEXT, buf_text(&text));
    buf_release(&text);
}

/* Row `index` of the list: story, a heading, payments. */
static void draw_row(const struct order_facts *facts, struct cells *cells, int at, size_t index) {
    if (index < facts->story_count)
        draw_story(cells, at, &facts->story[index]);
    else if (index == facts->story_count)
        cells_text(cells, at, 1, STYLE_HEADER, _("Money"));
    else
        draw_payment(cells, at, &facts->payments[index - facts->story_count - 1]);
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
    look->rows = (int)facts->story_count + (facts->payment_count > 0 ? (int)facts->payment_count + 1 : 0);
    look->shown = bottom > row ? bottom - row : 0;
    int most = look->rows > look->shown ? look->rows - look->shown : 0;
    if (look->top > most)
        look->top = most;
    if (look->top < 0)
        look->top = 0;
    struct cells body = cells_sub(cells, row, 0, look->shown, cells->columns);
    for (int i = 0; i < look->shown && look->top + i < look->rows; i++)
        draw_row(facts, &body, i, (size_t)(look->top + i));
    if (look->top > 0)
        cells_text(&body, 0, cells->columns - 1, STYLE_DIM, cells_symbol(cells, SYMBOL_UP));
    if (look->top < most)
        cells_text(&body, look->shown - 1, cells->columns - 1, STYLE_DIM, cells_symbol(cells, SYMBOL_DOWN));
}
