/* What the actions of this folder parse beyond the common types. */
#include "base/text.h"
#include "venue/actions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum tender: the flag, and whether its value is an amount handed over. */
static const struct {
    const char *flag;
    enum tender tender;
    bool is_amount;
} tender_flags[] = {
    {"cash", TENDER_CASH, true},      {"card", TENDER_CARD, false},       {"transfer", TENDER_TRANSFER, false},
    {"static", TENDER_STATIC, false}, {"voucher", TENDER_VOUCHER, false},
};

enum fd_code call_payment(const struct call *call, struct payment *payment, bool *given, struct fd_error *err)
{
    *payment = (struct payment){.check_in = call_switch(call, "check-in")};
    *given = false;
    for (size_t i = 0; i < sizeof tender_flags / sizeof tender_flags[0]; i++) {
        enum fd_code code = FD_OK;
        if (!call_given(call, tender_flags[i].flag))
            continue;
        if (*given)
            return fd_fail(err, FD_USAGE, _("One tender at a time."));
        *given = true;
        payment->tender = tender_flags[i].tender;
        payment->counted = tender_flags[i].is_amount;
        if (tender_flags[i].is_amount)
            payment->field = "--cash";
        if (tender_flags[i].is_amount)
            code = call_fen(call, tender_flags[i].flag, 0, &payment->tendered_fen, err);
        else
            payment->reference = call_text(call, tender_flags[i].flag);
        if (code)
            return code;
    }
    if (payment->check_in && !*given)
        return fd_fail(err, FD_USAGE, _("--check-in goes with a payment: --cash, --card …"));
    return FD_OK;
}

static const char *const day_words[7][3] = {
    {"mon", "一", "周一"}, {"tue", "二", "周二"}, {"wed", "三", "周三"}, {"thu", "四", "周四"},
    {"fri", "五", "周五"}, {"sat", "六", "周六"}, {"sun", "日", "周日"},
};

/* 0 Monday … 6 Sunday, -1 none. */
static int weekday_word(const char *text, size_t length)
{
    char word[24];
    if (length == 0 || length >= sizeof word)
        return -1;
    memcpy(word, text, length);
    word[length] = '\0';
    if (length == 1 && word[0] >= '1' && word[0] <= '7')
        return word[0] - '1';
    for (int day = 0; day < 7; day++)
        for (int i = 0; i < 3; i++)
            if (text_same(word, day_words[day][i]))
                return day;
    return -1;
}

static bool add_weekdays(const char *part, size_t length, unsigned *weekdays)
{
    const char *dash = memchr(part, '-', length);
    size_t first_length = dash ? (size_t)(dash - part) : length;
    int first = weekday_word(part, first_length);
    int last = dash ? weekday_word(dash + 1, length - first_length - 1) : first;
    if (first < 0 || last < 0)
        return false;
    for (int day = first;; day = (day + 1) % 7) {
        *weekdays |= 1u << day;
        if (day == last)
            return true;
    }
}

enum fd_code weekdays_parse(const char *text, size_t length, const char *field, unsigned *weekdays,
                            struct fd_error *err)
{
    *weekdays = 0;
    for (size_t at = 0; at < length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t part = comma ? (size_t)(comma - text) - at : length - at;
        if (!add_weekdays(text + at, part, weekdays))
            return fd_fail(err, FD_BAD_INPUT, _("%s: weekdays are written like 1-5, 6,7 or mon-fri."), field);
        at += part + 1;
    }
    return *weekdays ? FD_OK : fd_fail(err, FD_BAD_INPUT, _("%s: no weekday is given."), field);
}

enum fd_code call_weekdays(const struct call *call, const char *name, unsigned *weekdays, struct fd_error *err)
{
    const char *text = call_text(call, name);
    *weekdays = 0;
    return text ? weekdays_parse(text, strlen(text), "--weekdays", weekdays, err) : FD_OK;
}

/* "18-22=80" or "sat-sun:18-22=80". */
static enum fd_code band_parse(struct arena *arena, const char *text, size_t length, struct price_band *band,
                               struct fd_error *err)
{
    const char *copy = arena_printf(arena, "%.*s", (int)length, text);
    const char *equals = strchr(copy, '=');
    /* A time has a colon too: weekdays begin with something that is no time. */
    const char *colon = strchr(copy, ':');
    enum fd_code code = FD_OK;
    *band = (struct price_band){0};
    if (!equals)
        return fd_fail(err, FD_BAD_INPUT, _("--bands: write 18-22=80 or sat-sun:8-22=90."));
    if (colon && colon < equals && strspn(copy, "0123456789") != (size_t)(colon - copy)) {
        code = weekdays_parse(copy, (size_t)(colon - copy), "--bands", &band->weekdays, err);
        copy = colon + 1;
    }
    if (code)
        return code;
    const char *span = arena_printf(arena, "%.*s", (int)(equals - copy), copy);
    code = span_parse(span, "--bands", &band->from_minute, &band->to_minute, err);
    return code ? code : fen_parse(equals + 1, "--bands", &band->price_fen, err);
}

enum fd_code call_bands(struct call *call, const char *name, struct price_band **bands, size_t *count,
                        struct fd_error *err)
{
    const char *text = call_text(call, name);
    size_t most = 1;
    *count = 0;
    for (const char *at = text; at && *at; at++)
        most += *at == ',';
    *bands = arena_array(&call->arena, most, sizeof **bands);
    while (text && *text) {
        size_t length = strcspn(text, ",");
        enum fd_code code = band_parse(&call->arena, text, length, &(*bands)[(*count)++], err);
        if (code)
            return code;
        text += length + (text[length] == ',');
    }
    return FD_OK;
}

struct find_venue {
    const char *text;
    struct arena *arena;
    struct venue *venue;
};

static enum fd_code find_venue_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct find_venue *find = arg;
    return venue_find(db, find->text, find->arena, &find->venue, err);
}

enum fd_code call_venue(struct call *call, const char *name, struct venue **venue, struct fd_error *err)
{
    struct find_venue find = {.text = call_text(call, name), .arena = &call->arena};
    *venue = NULL;
    if (!find.text)
        return FD_OK;
    enum fd_code code = desk_read(call->desk, "venue.find", find_venue_txn, &find, err);
    *venue = find.venue;
    return code;
}

enum fd_code call_range(struct call *call, struct slot_range *range, struct fd_error *err)
{
    struct venue *venue = NULL;
    int64_t *ids;
    *range = (struct slot_range){.from_minute = -1, .to_minute = -1, .from = DAY_NONE, .to = DAY_NONE};
    enum fd_code code = call_ids(call, "slot", &ids, &range->id_count, err);
    range->ids = ids;
    if (code == FD_OK)
        code = call_venue(call, "venue", &venue, err);
    if (code == FD_OK)
        code = call_day(call, "date", DAY_NONE, &range->from, err);
    range->to = range->from;
    if (code == FD_OK && call_given(call, "from"))
        code = call_day(call, "from", DAY_NONE, &range->from, err);
    if (code == FD_OK)
        code = call_day(call, "to", range->to == DAY_NONE ? range->from : range->to, &range->to, err);
    if (code == FD_OK)
        code = call_span(call, "time", &range->from_minute, &range->to_minute, err);
    if (code == FD_OK)
        code = call_weekdays(call, "weekdays", &range->weekdays, err);
    if (code)
        return code;
    range->venue_id = venue ? venue->id : 0;
    bool by_place = venue || range->from != DAY_NONE || call_given(call, "time") || range->weekdays;
    if (range->id_count > 0 && by_place)
        return fd_fail(err, FD_USAGE, _("Either --slot, or --venue and dates."));
    if (range->id_count == 0 && range->from == DAY_NONE)
        return fd_fail(err, FD_USAGE, _("Which slots? Give --slot, or --venue with --date or --from and --to."));
    return FD_OK;
}

enum fd_code call_lines(struct call *call, const char *name, int64_t quantity, struct booking_line **lines,
                        size_t *count, struct fd_error *err)
{
    const char *at = call_text(call, name);
    size_t most = 1;
    for (const char *c = at; c && *c; c++)
        most += *c == ',';
    *lines = arena_array(&call->arena, most, sizeof **lines);
    *count = 0;
    while (at && *at) {
        char *end;
        struct booking_line *line = &(*lines)[(*count)++];
        *line = (struct booking_line){.quantity = quantity, .seen_price_fen = -1};
        size_t digits = strspn(at, "0123456789");
        line->slot_id = digits > 0 && digits < 19 ? strtoll(at, &end, 10) : 0;
        at += digits;
        if (line->slot_id > 0 && *at == ':') {
            digits = strspn(++at, "0123456789");
            line->quantity = digits > 0 && digits < 10 ? strtoll(at, &end, 10) : 0;
            at += digits;
        }
        if (line->slot_id <= 0 || line->quantity <= 0 || (*at && *at != ','))
            return fd_fail(err, FD_BAD_INPUT, _("--%s: write slots like 1024,1025 or with a quantity 1024:2."), name);
        at += *at == ',';
    }
    return FD_OK;
}

enum fd_code cursor_parse(const char *text, day_t *day, int64_t *id, struct fd_error *err)
{
    char date[DAY_TEXT] = "";
    const char *digits = strchr(text, ':');
    if (digits && digits - text == DAY_TEXT - 1) {
        memcpy(date, text, DAY_TEXT - 1);
        digits++;
    }
    if (!day_from_sql(date, day) || !text_is_digits(digits) || !*digits || strlen(digits) > 18)
        return fd_fail(err, FD_BAD_INPUT, _("--after takes the cursor of a row."));
    *id = strtoll(digits, NULL, 10);
    return FD_OK;
}

void say_paid_at_desk(struct call *call, const struct paid *paid)
{
    char amount[FEN_TEXT], change[FEN_TEXT];
    if (!paid->payment_no[0])
        return;
    call_say(call, _("Received %s, receipt %s."), fen_text(paid->amount_fen, amount), paid->payment_no);
    if (paid->change_fen > 0)
        call_say(call, _("Change: %s"), fen_text(paid->change_fen, change));
}
