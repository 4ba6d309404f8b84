#include "ui/view/parts.h"
#include "base/money.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

void order_line_fill(struct order_line *line, const struct venue_order *order) {
    const struct order *base = &order->base;
    *line = (struct order_line){
        .id = base->id,
        .user_id = base->user_id,
        .venue_id = order->venue_id,
        .slot_id = base->place_id,
        .day = order->day,
        .start_minute = order->start_minute,
        .end_minute = order->end_minute,
        .quantity = base->quantity,
        .total_fen = base->total_fen,
        .paid_fen = base->paid_fen,
        .due_fen = base->due_fen,
        .back_fen = order->back_fen,
        .unit_price_fen = order->unit_price_fen,
        .expire_time = base->expire_time,
        .walk_in = base->walk_in,
    };
    cut_copy(line->order_no, sizeof line->order_no, base->order_no);
    cut_copy(line->bill_no, sizeof line->bill_no, base->bill_no);
    cut_copy(line->state, sizeof line->state, base->state);
    cut_copy(line->customer, sizeof line->customer, base->customer);
    cut_copy(line->phone, sizeof line->phone, base->phone);
    cut_copy(line->venue, sizeof line->venue, order->venue);
    cut_copy(line->sport, sizeof line->sport, order->sport);
    cut_copy(line->note, sizeof line->note, base->note);
}

int64_t order_line_owed(const struct order_line *line) {
    if (strcmp(line->state, "PENDING_PAY") == 0)
        return line->total_fen > line->paid_fen ? line->total_fen - line->paid_fen : 0;
    return line->due_fen;
}

int64_t order_line_kept(const struct order_line *line) {
    if (strcmp(line->state, "PENDING_PAY") == 0)
        return line->paid_fen;
    if (strcmp(line->state, "CANCELLED") == 0 || strcmp(line->state, "REFUNDED") == 0)
        return 0;
    int64_t kept_fen = line->total_fen - line->due_fen - line->back_fen;
    return kept_fen > 0 ? kept_fen : 0;
}

const char *part_span(int start_minute, int end_minute, char *out, size_t bytes) {
    char from[HHMM_TEXT], to[HHMM_TEXT];
    snprintf(out, bytes, "%s–%s", minute_text(start_minute, from), minute_text(end_minute, to));
    return out;
}

const char *part_date(day_t day, char *out, size_t bytes) {
    char text[DAY_TEXT];
    snprintf(out, bytes, "%s", day == DAY_NONE ? "" : day_sql(day, text) + 5);
    return out;
}

const char *part_stamp(wall_t wall, char *out, size_t bytes) {
    char text[WALL_TEXT];
    snprintf(out, bytes, "%s", wall == WALL_NONE ? "" : wall_sql(wall, text) + 5);
    return out;
}

const char *part_state(const char *state, wall_t expire_time, wall_t now, char *out, size_t bytes) {
    const char *mark = state_mark("venue_order", state);
    char until[16];
    if (strcmp(state, "PENDING_PAY") != 0 || expire_time == WALL_NONE)
        snprintf(out, bytes, "%s", mark);
    else
        snprintf(out, bytes, "%s %s", mark, show_hold(expire_time, now, until));
    return out;
}

const char *part_phone(const char *phone, char *out, size_t bytes) {
    char masked[PHONE_BYTES];
    snprintf(out, bytes, "%s", *phone ? phone_mask(phone, masked) : "–");
    return out;
}

const char *part_channel(const char *channel) {
    for (size_t i = 0; i < TENDER_COUNT; i++)
        if (strcmp(tenders[i].channel, channel) == 0)
            return i18n_label(tenders[i].label);
    return channel;
}

/* One writer per column: a new column is one row in the enum and one in the table. */
struct cell_out {
    char *text;
    size_t bytes;
    wall_t now;
    style_t *style;
};
typedef void cell_fn(const struct order_line *line, struct cell_out *out);

static void cell_tail(const struct order_line *line, struct cell_out *out) {
    cut_copy(out->text, out->bytes, show_tail(line->order_no));
}
static void cell_start(const struct order_line *line, struct cell_out *out) {
    char text[HHMM_TEXT];
    cut_copy(out->text, out->bytes, minute_text(line->start_minute, text));
}
static void cell_when(const struct order_line *line, struct cell_out *out) {
    char date[DAY_TEXT], span[24];
    snprintf(out->text, out->bytes, "%s %s", part_date(line->day, date, sizeof date),
             part_span(line->start_minute, line->end_minute, span, sizeof span));
}
static void cell_venue(const struct order_line *line, struct cell_out *out) {
    cut_copy(out->text, out->bytes, line->venue);
}
static void cell_customer(const struct order_line *line, struct cell_out *out) {
    cut_copy(out->text, out->bytes, line->customer);
}
static void cell_phone(const struct order_line *line, struct cell_out *out) {
    part_phone(line->phone, out->text, out->bytes);
}
static void cell_state(const struct order_line *line, struct cell_out *out) {
    part_state(line->state, line->expire_time, out->now, out->text, out->bytes);
    *out->style = show_state_style(line->state);
}
/* The mark alone is enough where only two states occur; with all of them a word helps. */
static void cell_state_word(const struct order_line *line, struct cell_out *out) {
    char money[FEN_TEXT];
    if (strcmp(line->state, "PENDING_PAY") == 0)
        part_state(line->state, line->expire_time, out->now, out->text, out->bytes);
    else if (line->back_fen > 0 && order_line_kept(line) > 0 && strcmp(line->state, "REFUNDING") != 0)
        /* TRANSLATORS: beside the mark of an order's state, short: so much of its amount went back */
        snprintf(out->text, out->bytes, _("%s back %s"), state_mark("venue_order", line->state), fen_decimal(line->back_fen, money));
    else
        snprintf(out->text, out->bytes, "%s %s", state_mark("venue_order", line->state), state_label("venue_order", line->state));
    *out->style = show_state_style(line->state);
}
static void cell_quantity(const struct order_line *line, struct cell_out *out) {
    snprintf(out->text, out->bytes, "%lld", (long long)line->quantity);
}
static void cell_amount(const struct order_line *line, struct cell_out *out) {
    char text[FEN_TEXT];
    cut_copy(out->text, out->bytes, fen_text(line->total_fen, text));
}
static void cell_owed(const struct order_line *line, struct cell_out *out) {
    char text[FEN_TEXT];
    int64_t owed_fen = order_line_owed(line);
    cut_copy(out->text, out->bytes, fen_text(owed_fen, text));
    *out->style = owed_fen > 0 ? STYLE_WARN : STYLE_DIM;
}
static void cell_note(const struct order_line *line, struct cell_out *out) {
    cut_copy(out->text, out->bytes, line->note);
}

static cell_fn *const cell_writers[OC_COUNT] = {
    [OC_TAIL] = cell_tail,         [OC_START] = cell_start,       [OC_WHEN] = cell_when,     [OC_VENUE] = cell_venue,
    [OC_CUSTOMER] = cell_customer, [OC_PHONE] = cell_phone,       [OC_STATE] = cell_state, [OC_STATE_WORD] = cell_state_word,   [OC_QUANTITY] = cell_quantity,
    [OC_AMOUNT] = cell_amount,     [OC_OWED] = cell_owed,         [OC_NOTE] = cell_note,
};

void order_line_cell(const struct order_line *line, enum order_column column, wall_t now, char *out, size_t bytes, style_t *style) {
    struct cell_out to = {out, bytes, now, style};
    out[0] = '\0';
    cell_writers[column](line, &to);
}

void part_money(struct cells *cells, int row, int column, int width, style_t style, int64_t fen) {
    char text[FEN_TEXT];
    cells_number(cells, row, column, width, style, fen_text(fen, text));
}

int part_fact(struct cells *cells, int row, int column, int gap, const char *label, const char *value) {
    int used = cells_text(cells, row, column, STYLE_LABEL, label);
    int at = used + 1 > gap ? used + 1 : gap;
    return at + cells_text(cells, row, column + at, STYLE_TEXT, value);
}

bool part_whole_phone(const struct view *view) {
    return view_pane(view) == PANE_MAIN && !config_switch(view_console(view)->config, CONFIG_READONLY);
}
